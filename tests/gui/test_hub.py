"""Project ▸ Team hub…: an open project is kept in step beside the window, and says how it stands."""

import re
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import Query
from judgetool.errors import take_notices
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.hub import (
    AddMemberForm,
    CloseMemberForm,
    HubDialog,
    JoinDialog,
    OfferForm,
    ReleaseForm,
    TakeForm,
)
from judgetool.session.commands import Say, WriteQuery
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.team.joining import join_hub, link_hub, sync_once
from judgetool.session.team.merging import merge_copies
from judgetool.settings import load_settings, save_settings
from judgetool.storage.migrations import create_file
from tests.gui.window_fixtures import CTRL, banner_answers, opened_window, press
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
        # The hub notes once a minute who is there.
        heard = dialog.people.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert re.search(r"seen \d\d:\d\d$", heard)
        dialog.close()

    answer(HubDialog, say)
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(stands(window, "Hub: password wanted"), timeout=WAIT)
        window.status.hub.click()
    assert seen == [("In step. You are anna, assessor.", "anna")]


def test_a_hubs_file_opens_as_whom_the_hub_knows(qtbot, team, anna, password):
    """Whoever judges on this computer otherwise: what is judged by key is sent."""
    save_settings(replace(load_settings(), assessor="Maria"))
    with window_on(qtbot, anna, "") as window:
        assert window.session.assessor == "anna"
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        press(qtbot, window, "3")
    assert grades(team) == [3]


def test_who_is_named_otherwise_is_asked_before_anything_is_judged(qtbot, team, anna, password):
    """Nothing is judged while it is put off; what stays in the file is said and counted."""
    with window_on(qtbot, anna, "Maria") as window:
        window.prompter = FakePrompter(answers=[None, "stay"])
        press(qtbot, window, "3")
        assert window.session.iter_judgments() == []
        press(qtbot, window, "31")
        [(first, ways), _] = window.prompter.asked
        assert first.startswith(
            "You are ‘anna’ in the team’s hub. What you judge as ‘Maria’ is not"
        )
        assert ways == ("Judge as ‘anna’", "Judge here as ‘Maria’")
        qtbot.waitUntil(stands(window, "Hub: in step, 2 stay here"), timeout=WAIT)
        assert "2 judgments in this file are not anna’s" in window.status.hub.toolTip()
        window.judge_handler.take_assessor("anna")
        qtbot.waitUntil(stands(window, "Hub: in step, 2 stay here"), timeout=WAIT)
        press(qtbot, window, "2")
    assert grades(team) == [2]


def test_a_lead_does_not_judge_as_a_member_unasked(qtbot, team, lead, password):
    """Asked at the first key, they judge as themselves: it is the key's document that is graded."""
    with window_on(qtbot, lead, "anna") as window:
        window.prompter = FakePrompter(answers=["be_me"])
        press(qtbot, window, "3")
        assert "is sent in their name" in window.prompter.asked[0][0]
        assert window.session.assessor == "lea"
        [(query, document, said, _)] = window.session.iter_judgments()
        assert (query, document, said.assessor) == (0, 1, "lea")


def test_what_a_reader_judges_stays_and_is_said_to(qtbot, team, lead, tmp_path, password):
    """Asked at the first key, and counted at the right of the status line."""
    path = tmp_path / "rita.judge"
    join_hub(team.address("rita"), password, path, assessor="rita")
    with window_on(qtbot, path, "") as window:
        window.prompter = FakePrompter(answers=["stay"])
        press(qtbot, window, "3")
        assert window.prompter.asked[0][0].startswith("rita is a reader in the team’s hub")
        qtbot.waitUntil(stands(window, "Hub: in step, 1 stay here"), timeout=WAIT)


def test_only_who_leads_settles(qtbot, team, lead, anna, password):
    """To others the view is closed, with the reason; and agreement says why it lacks what others judged."""
    for path, who, is_open in ((lead, "lea", True), (anna, "anna", False)):
        with window_on(qtbot, path, who) as window:
            press(qtbot, window, Qt.Key.Key_6, CTRL)
            assert (window.views.mode is Mode.SETTLE) is is_open
            said = "Settle view: closed, as only who leads the team’s hub settles."
            assert (window.status.message.text == said) is not is_open
            qtbot.keyClick(window, Qt.Key.Key_5, CTRL)
            page = window.views.page(Mode.AGREEMENT)
            qtbot.waitUntil(lambda page=page: bool(page.empty.sentence), timeout=WAIT)
            wanted = "comes here through the team’s hub" if is_open else "until the lead of the"
            assert wanted in page.empty.sentence


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
        assert "2 lines still to be sent" in " ".join(take_notices())
    with team.server.connect() as connection:
        connection.execute(f"ALTER DATABASE {team.database} ALLOW_CONNECTIONS true")


def test_why_it_is_offline_and_that_it_was_asked_again_is_shown(
    qtbot, team, anna, password, answer
):
    """The reason stands in the status line's tooltip and the dialog; Sync now says when the hub was asked."""
    with team.server.connect() as connection:
        connection.execute(f"ALTER DATABASE {team.database} ALLOW_CONNECTIONS false")
    seen = []

    def sync(dialog):
        seen.append(dialog.why.text())
        qtbot.waitUntil(lambda: dialog.remark.text().startswith("Asked last at"), timeout=WAIT)
        dialog.verb.click()
        seen.append(dialog.remark.text())
        qtbot.waitUntil(lambda: dialog.remark.text().startswith("Asked last at"), timeout=WAIT)
        dialog.close()

    answer(HubDialog, sync)
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(lambda: "offline since" in window.status.hub.text(), timeout=WAIT)
        assert "not currently accepting connections" in " ".join(
            window.status.hub.toolTip().split()
        )
        window.status.hub.click()
        with team.server.connect() as connection:
            connection.execute(f"ALTER DATABASE {team.database} ALLOW_CONNECTIONS true")
    assert "not currently accepting connections" in seen[0]
    assert seen[1] == "Asking the hub…"


def test_a_hub_that_is_gone_is_made_anew_from_its_leads_window(qtbot, team, lead, password, answer):
    """The dialog offers it with the address that is known, and the file fills it."""
    with team.psql("admin") as connection:
        connection.execute(
            f"DROP SCHEMA judgetool CASCADE; GRANT CREATE ON DATABASE {team.database} TO lea"
        )

    def make(dialog):
        assert dialog.windowTitle() == dialog.heading.text == "Make a team’s hub"
        assert dialog.address.text() == str(team.address("lea"))
        dialog.verb.click()
        qtbot.waitUntil(lambda: dialog.answer is not None, timeout=WAIT)

    def choose(dialog):
        qtbot.waitUntil(lambda: not dialog.anew.isHidden(), timeout=WAIT)
        dialog.acts["create"].click()

    answer(JoinDialog, make)
    answer(HubDialog, choose)
    with window_on(qtbot, lead, "lea") as window:
        qtbot.waitUntil(stands(window, "Hub: not in step"), timeout=WAIT)
        window.actions_by_name.action("hub.show").trigger()
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        assert "Let somebody in… and Ask everybody… say it again" in " ".join(
            window.status.hub.toolTip().split()
        )
    with team.open("lea") as hub:
        assert hub.me[:2] == ("lea", "lead")
        assert len(hub.bundles(0)) == 1


def test_what_an_assessor_imports_is_said_to_stay(qtbot, team, anna, password):
    """As soon as it is there: the others cannot place what is judged of it."""
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        window.session.execute(WriteQuery(Query("q9", "mine")))
        qtbot.waitUntil(
            lambda: "made here and stays in this file" in window.status.message.text, timeout=WAIT
        )


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


@pytest.fixture
def do(qtbot, answer):
    """Do something at the hub of a window: press a button of the dialog, fill in the form, press its verb."""

    def done(window, name, kind=None, fill=lambda form: None):
        said = []

        def choose(dialog):
            if said:
                # It is there again after what a lead has done.
                assert dialog.remark.text() == said[-1]
                dialog.reject()
                return
            qtbot.waitUntil(lambda: dialog.acts[name].isVisibleTo(dialog), timeout=WAIT)
            qtbot.waitUntil(dialog.acts[name].isEnabled, timeout=WAIT)
            if kind is None:
                said.append(dialog.claims.text())
            dialog.acts[name].click()

        def go(form):
            fill(form)
            form.verb.click()
            qtbot.waitUntil(lambda: bool(form.answer) or form.verb.isEnabled(), timeout=WAIT)
            said.append(form.answer or form.remark.text() or form.sql.toPlainText())
            if not form.result():
                form.reject()
                answer(HubDialog, lambda dialog: dialog.reject())

        answer(HubDialog, choose)
        if kind is not None:
            answer(kind, go)
        window.actions_by_name.action("hub.show").trigger()
        return said

    return done


def test_a_lead_lets_people_in_and_out_asks_everybody_and_releases(qtbot, team, lead, password, do):
    """From the window, what the commands do; what may not be done is said, and the form stays."""

    with window_on(qtbot, lead, "lea") as window:
        [said] = do(window, "add", AddMemberForm, lambda form: form.name.setText("emil"))
        assert said == 'CREATE ROLE "emil" LOGIN;\n\\password "emil"'
        [said] = do(window, "close", CloseMemberForm, lambda form: form.who.setCurrentIndex(1))
        assert said.startswith("anna comes in no more")
        [said] = do(window, "release", ReleaseForm)
        assert said == "All members may read the judgments of 1 query from now on."
        [said] = do(window, "offer", OfferForm, lambda form: form.opinions.setValue(2))
        assert "asked for 16 judgments more, of 8 documents" in said
    with team.open("lea") as hub:
        assert [each.name for each in hub.members() if each.is_closed] == ["anna"]
        assert hub.released() == ["q0"]


def test_an_owner_is_shown_a_new_logins_password_once(qtbot, team, lead, password, tmp_path, do):
    """Where the lead may make logins: it can be copied, and opens the hub."""
    login, path = f"frida_{team.database}", tmp_path / "admin.judge"
    join_hub(team.address("admin"), password, path, assessor="admin")
    shown = []

    def fill(form):
        form.name.setText("Frida")
        form.login.setText(login)
        form.finished.connect(lambda _: shown.append(form.password.text()))

    with window_on(qtbot, path, "admin") as window:
        [said] = do(window, "add", AddMemberForm, fill)
        assert said == f"Frida is in the hub as assessor, with the login {login}."
    with team.server.connect(team.database, login, shown[0]) as connection:
        assert connection.execute("SELECT name FROM judgetool.member").fetchall() == [("Frida",)]
    team.server.drop_login(login, team.database)


def test_an_assessor_takes_documents_and_gives_them_back(qtbot, team, lead, anna, password, do):
    """They are the queue at once; given back, all is to be judged again."""
    with team.open("lea") as hub:
        hub.ask([(f"q{query}", f"d{document}") for query in range(2) for document in range(4)])
    with window_on(qtbot, anna) as window:
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        [said] = do(window, "take", TakeForm, lambda form: form.number.setValue(3))
        assert said.startswith("3 documents are yours to judge until ")
        qtbot.waitUntil(lambda: tuple(window.session.asks.progress) == (0, 3), timeout=WAIT)
        press(qtbot, window, "2")
        qtbot.waitUntil(lambda: tuple(window.session.asks.progress) == (1, 3), timeout=WAIT)
        [said] = do(window, "give_back")
        assert said.startswith("2 documents that you took to judge; until ")
        qtbot.waitUntil(lambda: tuple(window.session.asks.progress) == (1, 1), timeout=WAIT)


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


def test_a_wrong_name_is_said_in_the_forms_words(qtbot, team, tmp_path, answer, password):
    """It says which name the hub knows, and nothing that only a command understands."""
    said = []

    def join(dialog):
        dialog.address.setText(str(team.address("ben")))
        dialog.name.setText("Ben")
        dialog.place.setText(str(tmp_path / "ben.judge"))
        dialog.verb.click()
        qtbot.waitUntil(lambda: "ben" in dialog.remark.text(), timeout=WAIT)
        said.append(dialog.remark.text())

    answer(JoinDialog, join)
    with opened_window(qtbot, assessor="Ben") as window:
        window.actions_by_name.action("hub.show").trigger()
    assert said == [
        "The hub knows the login ben as ‘ben’. Join under that name, or ask a lead for a login as ‘Ben’."
    ]


def test_an_undone_merge_is_told_beforehand_and_counted_after(qtbot, lead, anna, password):
    """The hub keeps what it was sent: the question says so, and the status line how much is hidden."""
    with open_project(anna, assessor="anna") as session:
        for document in (1, 2):
            session.execute(Say.grade(0, document, 3))
    with open_project(lead, assessor="lea") as session:
        merge_copies(session, [anna])
    with window_on(qtbot, lead, "lea") as window:
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
        window.actions_by_name.action("edit.undo").trigger()
        assert "not from the team’s hub" in window.workspace.grade_bar.banner.content.sentence
        banner_answers(window)["Undo the merge"].click()
        qtbot.waitUntil(stands(window, "Hub: 2 hidden here"), timeout=WAIT)
        assert "merge that copy again" in window.status.hub.toolTip()
        window.actions_by_name.action("edit.redo").trigger()
        qtbot.waitUntil(stands(window, "Hub: in step"), timeout=WAIT)
