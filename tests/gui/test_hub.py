"""Project ▸ Team hub…: an open project is kept in step beside the window, and says how it stands."""

import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtCore import Qt

from judgetool.core import notices
from judgetool.gui.dialogs.hub import HubDialog, JoinDialog
from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.team.joining import join_hub, link_hub, sync_once
from judgetool.storage.migrations import create_file
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import make_readings, simple_parts
from tests.helpers.fake_prompter import FakePrompter

WAIT = 30_000


@pytest.fixture
def lead(team, tmp_path):
    """Lea's file, which the hub has all of."""
    from tests.helpers.postgres import PASSWORD, PROJECT  # noqa: PLC0415 - needs psycopg

    path = tmp_path / "lea.judge"
    create_file(path, uuid=PROJECT)
    with open_project(path, assessor="lea") as session:
        import_readings(session, make_readings(simple_parts(n_queries=2, n_documents=4)))
        with team.open("lea") as hub:
            link_hub(session, hub)
        sync_once(session, PASSWORD)
    return path


@pytest.fixture
def password(team, tmp_path, monkeypatch):
    """The file in which libpq finds everybody's password."""
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - needs psycopg

    path = tmp_path / "passwords"
    path.write_text(f"*:*:*:*:{PASSWORD}\n")
    path.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(path))
    return PASSWORD


@pytest.fixture
def anna(team, lead, tmp_path):
    """Anna's file, joined."""
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - needs psycopg

    path = tmp_path / "anna.judge"
    join_hub(team.address("anna"), PASSWORD, path, assessor="anna")
    return path


def stands(window, text):
    return lambda: window.status.hub.text() == text


def grades(team, login="lea"):
    """What the hub holds, read into a new file by who leads."""
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - needs psycopg

    with TemporaryDirectory() as folder:
        path = Path(folder) / "all.judge"
        with team.open(login) as hub:
            name = hub.me.name
        join_hub(team.address(login), PASSWORD, path, assessor=name)
        with open_project(path, read_only=True) as session:
            return [said.judgment.grade for _, _, said, _ in session.iter_judgments()]


@contextmanager
def window_on(qtbot, path, who="anna"):
    with opened_window(qtbot, path, assessor=who) as window:
        yield window


@pytest.fixture
def answer(monkeypatch):
    """Have a dialog of the hub answered by what is given here."""

    def by(kind, act):
        def is_answered(dialog):
            act(dialog)
            return bool(dialog.result())

        monkeypatch.setattr(kind, "is_answered", is_answered)

    return by


def test_what_is_judged_reaches_the_lead(qtbot, team, lead, anna, password):
    """A grade is sent by itself, and the lead's open window shows it by itself."""
    with window_on(qtbot, lead, "lea") as watching, window_on(qtbot, anna) as window:
        qtbot.waitUntil(stands(watching, "Hub: in step"), timeout=WAIT)
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        press(qtbot, window, "2")
        qtbot.waitUntil(lambda: len(watching.session.iter_judgments()) == 1, timeout=WAIT)
    assert grades(team) == [2]


def test_a_password_is_asked_for_in_the_dialog(qtbot, team, anna, answer):
    """The status line says that one is wanted; where it is right, the dialog shows who is there."""
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - needs psycopg

    seen = []

    def say(dialog):
        qtbot.waitUntil(lambda: not dialog.secret.isHidden(), timeout=WAIT)
        dialog.show()
        qtbot.waitUntil(dialog.password.hasFocus, timeout=WAIT)
        qtbot.keyClicks(dialog.password, PASSWORD)
        qtbot.keyClick(dialog.password, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: dialog.people.count() == 1, timeout=WAIT)
        assert dialog.secret.isHidden()
        seen.append((dialog.standing.text(), dialog.people.item(0).text()))
        dialog.close()

    answer(HubDialog, say)
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(stands(window, "Hub: password wanted"), timeout=WAIT)
        window.status.hub.click()
    assert seen == [("In step. You are anna, assessor.", "anna")]


def test_leaving_sends_what_was_judged_last(qtbot, team, anna, password):
    """Closed right after a key, nothing of it is left behind, and nothing is said."""
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        press(qtbot, window, "3")
        assert window.leave_project()
        assert window.status.hub.isHidden()
        assert "to be sent" not in window.status.message.text
    assert grades(team) == [3]


def test_offline_one_judges_on_and_is_told_at_leaving(qtbot, team, anna, password):
    """Without its hub a window judges, leaves within two seconds, and says what is not sent."""
    with team.server.connect() as connection:
        connection.execute(f"ALTER DATABASE {team.database} ALLOW_CONNECTIONS false")
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(lambda: "offline since" in window.status.hub.text(), timeout=WAIT)
        press(qtbot, window, "31")
        began = time.monotonic()
        window.hub_handler.stop()
        assert time.monotonic() - began < 2
        assert "2 lines still to be sent" in " ".join(notices.take_notices())
    with team.server.connect() as connection:
        connection.execute(f"ALTER DATABASE {team.database} ALLOW_CONNECTIONS true")


def test_a_new_file_is_made_of_a_hub_from_the_window(qtbot, team, lead, tmp_path, answer, password):
    """Without a project: address, name and file; then the file is open and in step."""
    path = tmp_path / "ben.judge"

    def join(dialog):
        dialog.address.setText(str(team.address("ben")))
        dialog.place.setText(str(path))
        dialog.verb.click()
        qtbot.waitUntil(lambda: dialog.answer is not None, timeout=WAIT)

    answer(JoinDialog, join)
    with opened_window(qtbot, assessor="ben") as window:
        window.actions_by_name.action("hub.show").trigger()
        assert window.session.path == path
        assert len(window.session.material.queries) == 2
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)


def test_a_hub_is_made_from_the_window(qtbot, postgres, tmp_path, answer, password):
    """The open project fills an empty database, and its assessor leads."""
    from tests.helpers.postgres import Team  # noqa: PLC0415 - needs psycopg

    team = Team(postgres, postgres.make_database())
    path = tmp_path / "mine.judge"
    create_file(path)
    with open_project(path, assessor="lea") as session:
        import_readings(session, make_readings(simple_parts()))
        session.execute(Say.grade(0, 1, 3))

    def make(dialog):
        dialog.how.by_name["create"].click()
        dialog.address.setText(str(team.address("admin")))
        dialog.verb.click()
        qtbot.waitUntil(lambda: dialog.answer is not None, timeout=WAIT)

    answer(JoinDialog, make)
    with window_on(qtbot, path, "lea") as window:
        window.actions_by_name.action("hub.show").trigger()
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
    with team.open("admin") as hub:
        assert hub.me.name == "lea"
    assert grades(team, "admin") == [3]
    postgres.drop_database(team.database)


def test_who_is_not_named_yet_makes_a_hub_with_a_password(qtbot, postgres, tmp_path, answer):
    """The form asks for the name where nobody is named, and its password is not asked for again."""
    from tests.helpers.postgres import PASSWORD, Team  # noqa: PLC0415 - needs psycopg

    team = Team(postgres, postgres.make_database())
    path = tmp_path / "mine.judge"
    create_file(path)

    def make(dialog):
        dialog.how.by_name["create"].click()
        dialog.address.setText(str(team.address("admin")))
        dialog.password.setText(PASSWORD)
        assert not dialog.who.isHidden()
        assert not dialog.verb.isEnabled()
        dialog.name.setText("lea")
        dialog.verb.click()
        qtbot.waitUntil(lambda: dialog.answer is not None, timeout=WAIT)

    answer(JoinDialog, make)
    with window_on(qtbot, path, "") as window:
        window.actions_by_name.action("hub.show").trigger()
        assert window.session.assessor == "lea"
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
    postgres.drop_database(team.database)


def test_the_password_of_joining_is_not_asked_for_again(qtbot, team, lead, tmp_path, answer):
    """Without a keyring: what was typed into the form opens the hub for the new file's window."""
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - needs psycopg

    path = tmp_path / "ben.judge"

    def join(dialog):
        dialog.address.setText(str(team.address("ben")))
        dialog.password.setText(PASSWORD)
        # By keys: each is looked at, the first slash of a path and another person's home too.
        qtbot.keyClicks(dialog.place, "~nobodyatall")
        dialog.place.clear()
        qtbot.keyClicks(dialog.place, str(path))
        dialog.verb.click()
        qtbot.waitUntil(lambda: dialog.answer is not None, timeout=WAIT)

    answer(JoinDialog, join)
    with opened_window(qtbot, assessor="ben") as window:
        window.actions_by_name.action("hub.show").trigger()
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)


def test_a_refusal_is_said_in_the_form(qtbot, team, tmp_path, answer):
    """A wrong password leaves the form as it was, says so, and makes no file."""
    path, said = tmp_path / "ben.judge", []

    def join(dialog):
        dialog.address.setText(str(team.address("ben")))
        dialog.password.setText("wrong")
        dialog.place.setText(str(path))
        dialog.verb.click()
        qtbot.waitUntil(lambda: "password" in dialog.remark.text(), timeout=WAIT)
        said.append((dialog.verb.isEnabled(), dialog.address.isEnabled()))

    answer(JoinDialog, join)
    with opened_window(qtbot, assessor="ben") as window:
        window.prompter = FakePrompter()
        window.actions_by_name.action("hub.show").trigger()
        assert window.session is None
    assert said == [(True, True)]
    assert not path.exists()
