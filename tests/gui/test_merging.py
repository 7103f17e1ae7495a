"""Project ▸ Merge…: what copies bring is told first, then one step that Undo takes back."""

import shutil
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from judgetool.gui.dialogs.finding import HistoryDialog
from judgetool.gui.dialogs.framed_list import ROW
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import Say, SetScale
from judgetool.session.opening import open_project
from judgetool.session.team.merging import merge_copies
from tests.gui.window_fixtures import banner_answers, opened_window
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def paths(tmp_path):
    """A project and a copy in which ben has judged."""
    with make_project(tmp_path, simple_parts(), name="lead") as session:
        lead = session.path
    ben = tmp_path / "ben.judge"
    shutil.copy(lead, ben)
    with open_project(ben, assessor="ben") as session:
        session.execute(Say.grade(0, 1, 2))
    return lead, ben


@pytest.fixture
def window(qtbot, paths):
    with opened_window(qtbot, paths[0]) as shown:
        yield shown


def merge(qtbot, window, path, answer):
    window.prompter = FakePrompter(files=[[path]], answers=[answer])
    window.actions_by_name.action("project.merge").trigger()
    qtbot.waitUntil(lambda: window.jobs.is_idle and bool(window.prompter.asked), timeout=20_000)


def asked_below(window):
    return window.workspace.grade_bar.banner.content.sentence


def said(window):
    return [(each[2].assessor, each[2].judgment.grade) for each in window.session.iter_judgments()]


def test_a_copy_is_merged_and_taken_back(qtbot, window, paths):
    """The judgments of the copy are there, and gone after Undo, which asks first."""
    merge(qtbot, window, paths[1], "merge")
    assert window.prompter.asked == [("Merge 1 copy into lead.judge?", ("Merge",))]
    assert window.prompter.titles == ["Merge copies"]
    qtbot.waitUntil(lambda: said(window) == [("ben", 2.0)], timeout=20_000)
    assert window.session.undo_step.title == "Merge of ben.judge"
    window.actions_by_name.action("edit.undo").trigger()
    assert "The next thing to undo is the merge of ben.judge" in asked_below(window)
    assert said(window) == [("ben", 2.0)]
    banner_answers(window)["Undo the merge"].click()
    qtbot.waitUntil(lambda: said(window) == [] and window.jobs.is_idle, timeout=20_000)


def test_the_history_says_which_steps_came_with_a_merge(qtbot, window, paths):
    """They stand above it, by when they came, though they were taken before it."""
    merge(qtbot, window, paths[1], "merge")
    qtbot.waitUntil(lambda: said(window) == [("ben", 2.0)], timeout=20_000)
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    came, merged, *own = [dialog.steps.item(at).data(ROW) for at in range(dialog.steps.count())]
    assert came.title.startswith("Grade 2 for ")
    assert "came with a merge" in came.side
    assert merged.title == "Merge of ben.judge"
    assert not any("came with a merge" in row.side for row in (merged, *own))


def test_what_a_copy_makes_of_the_scale_is_said_before_it_is_merged(qtbot, window, paths):
    """Each time: also where that merge was undone before."""
    with open_project(paths[1], assessor="ben") as session:
        top = session.scale.levels[-1]
        levels = (*session.scale.levels[:-1], top._replace(gain=7.0))
        session.execute(SetScale(replace(session.scale, levels=levels)))
    told = "The scale changes: gain of 3: 3 → 7. With it the values of measures change."
    merge(qtbot, window, paths[1], "merge")
    assert told in window.prompter.details[0]
    qtbot.waitUntil(lambda: window.session.scale.levels[-1].gain == 7, timeout=20_000)
    window.actions_by_name.action("edit.undo").trigger()
    banner_answers(window)["Undo the merge"].click()
    qtbot.waitUntil(lambda: window.session.scale.levels[-1].gain == 3, timeout=20_000)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    merge(qtbot, window, paths[1], None)
    assert told in window.prompter.details[0]


# What copies noted


def page_text(window):
    text = window.workspace.document.text.toPlainText()
    return text.replace("\u2068", "").replace("\u2069", "")


@pytest.fixture
def disputed(paths, tmp_path):
    """The lead's project with ben's copies from home and from the office, which differ, merged."""
    lead, ben = paths
    office = tmp_path / "ben-office.judge"
    shutil.copy(lead, office)
    with open_project(ben, assessor="ben") as session:
        session.execute(Say.note(0, 1, "note from home"))
    with open_project(office, assessor="ben") as session:
        session.execute(Say.note(0, 1, "note from\nthe office"))
        session.execute(Say.grade(0, 1, 3))
    with open_project(lead, assessor="lead") as session:
        merge_copies(session, [ben, office])
    return lead


def test_notes_of_others_are_read_with_their_names(qtbot, disputed):
    """What ben noted stands below the document, and what his other copy says; not for who judges blind."""
    with opened_window(qtbot, disputed, assessor="lead") as window:
        window.view.judging.show_place(0, 1)
        assert "ben: note from\nthe office" in page_text(window)
        assert "ben in another copy: 2 · note from home" in page_text(window)
        window.actions_by_name.action("flow.blind").trigger()
        window.view.judging.show_place(0, 1)
        assert window.session.board.view == ONLY_MINE
        assert "note from" not in page_text(window)


def test_the_other_side_goes_where_ben_judges_again(qtbot, disputed):
    """In his own window his note is his; what he says now ends the conflict."""
    with opened_window(qtbot, disputed, assessor="ben") as window:
        window.view.judging.show_place(0, 1)
        assert "ben: note" not in page_text(window)
        assert "ben in another copy: 2 · note from home" in page_text(window)
        window.view.judging.grade(1, stays=True)
        qtbot.waitUntil(lambda: "another copy" not in page_text(window))


def test_history_says_what_was_noted(qtbot, disputed):
    """Also what counts no more; a tooltip and who listens have all of it."""
    with opened_window(qtbot, disputed, assessor="lead") as window:
        dialog = HistoryDialog(window.session)
        qtbot.addWidget(dialog)
        rows = (dialog.steps.item(place) for place in range(dialog.steps.count()))
        heard = [row.data(Qt.ItemDataRole.AccessibleTextRole) for row in rows]
        noted = [each for each in heard if each.startswith("Note for ")]
        assert [each.split("“")[1].split("”")[0] for each in noted] == [
            "note from the office",
            "note from home",
        ]
        dialog.steps.setCurrentRow([each in noted for each in heard].index(True))
        assert "“note from\nthe office”" in dialog.detail.text()


def test_cancel_merges_nothing(qtbot, window, paths):
    """Until the verb is chosen nothing is written."""
    before = paths[0].read_bytes()
    merge(qtbot, window, paths[1], None)
    assert said(window) == []
    assert paths[0].read_bytes() == before


def test_a_merge_under_way_can_be_stopped(qtbot, window, paths):
    """Merge… once more offers to stop it, as the link beside what is said does; nothing came."""
    before, go_on = paths[0].read_bytes(), threading.Event()
    window.jobs.submit(lambda _handle: go_on.wait(60), lambda _answer: None)
    window.prompter = FakePrompter(files=[[paths[1]]], answers=["stop"])
    window.actions_by_name.action("project.merge").trigger()
    assert window.status.message.text.startswith("Looking at")
    window.status.message_action.click()
    assert window.prompter.asked == [
        ("Stop the merge? Nothing of it will count.", ("Stop merging",))
    ]
    go_on.set()
    qtbot.waitUntil(lambda: window.jobs.is_idle, timeout=20_000)
    assert said(window) == []
    assert paths[0].read_bytes() == before


def test_people_of_nearly_the_same_name_are_asked_about(qtbot, window, paths):
    """One person in both copies keeps the name known here."""
    window.session.execute(Say.grade(0, 2, 1))
    with open_project(paths[1], assessor="Anna") as session:
        session.execute(Say.grade(0, 3, 3))
    window.prompter = FakePrompter(files=[[paths[1]]], answers=["same", "merge"])
    window.actions_by_name.action("project.merge").trigger()
    qtbot.waitUntil(lambda: len(said(window)) == 3 and window.jobs.is_idle, timeout=20_000)
    assert {name for name, _ in said(window)} == {"anna", "ben"}
    assert window.prompter.asked[0][1] == ("Two people", "One person")


@pytest.mark.parametrize(
    ("answers", "n_said", "names"),
    [(["other", "merge"], 3, {"anna", "Anna", "ben"}), ([None], 1, {"anna"})],
)
def test_two_people_stay_two_and_who_does_not_know_merges_nothing(
    qtbot, window, paths, answers, n_said, names
):
    """Names that differ by a capital may be of two people; Cancel leaves all as it was."""
    window.session.execute(Say.grade(0, 2, 1))
    with open_project(paths[1], assessor="Anna") as session:
        session.execute(Say.grade(0, 3, 3))
    window.prompter = FakePrompter(files=[[paths[1]]], answers=answers)
    window.actions_by_name.action("project.merge").trigger()
    qtbot.waitUntil(lambda: len(window.prompter.asked) == len(answers) and window.jobs.is_idle)
    qtbot.waitUntil(lambda: len(said(window)) == n_said)
    assert {name for name, _ in said(window)} == names
    if n_said == 1:
        assert "Looking" not in window.status.message.text


def test_a_copy_that_brings_nothing_is_said_to(qtbot, window, paths):
    """All of it is here already: nothing is asked."""
    merge(qtbot, window, paths[1], "merge")
    qtbot.waitUntil(lambda: len(said(window)) == 1 and window.jobs.is_idle)
    merge_again = FakePrompter(files=[[paths[1]]])
    window.prompter = merge_again
    window.actions_by_name.action("project.merge").trigger()
    qtbot.waitUntil(lambda: bool(merge_again.told))
    assert merge_again.told == ["All of it is here already."]
    assert merge_again.asked == []


def test_who_can_only_look_merges_and_imports_nothing(qtbot, paths):
    """It is said why before a file is asked for."""
    with open_project(paths[0], assessor="ben"), opened_window(qtbot, paths[0]) as window:
        for action in ("project.merge", "project.import_files", "compare.snapshot"):
            window.status.clear_message()
            window.actions_by_name.action(action).trigger()
            assert window.status.message.text in ("", window.session.read_only_reason)
        assert window.prompter.asked == []


def test_what_does_not_fit_is_said(qtbot, window, tmp_path):
    """Another project is refused in words."""
    with make_project(tmp_path, simple_parts(), name="other") as session:
        other = session.path
    window.prompter = FakePrompter(files=[[other]])
    window.actions_by_name.action("project.merge").trigger()
    qtbot.waitUntil(lambda: bool(window.prompter.told), timeout=20_000)
    assert "another project" in window.prompter.told[0]
