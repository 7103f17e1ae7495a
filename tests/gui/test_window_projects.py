"""Opening, saving elsewhere, taking an import back, and what is kept outside the project's folder."""

import os
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer

from judgetool.core.judgments import Query
from judgetool.core.system import data_folder
from judgetool.gui.dialogs.project_values import SafetyDialog
from judgetool.gui.handlers.edit import STILL_BUSY
from judgetool.gui.window_state import recent_projects
from judgetool.session.commands import Changed, Say, set_title
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import folders_elsewhere
from judgetool.session.safety import safety_place
from tests.gui.window_fixtures import CTRL, SHIFT, banner_answers, opened_window, press
from tests.helpers.builders import Parts, make_project, make_readings, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def project(tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


@pytest.fixture
def window(qtbot, project):
    with opened_window(qtbot, project) as shown:
        yield shown


def answer(qtbot, window, text):
    qtbot.mouseClick(banner_answers(window)[text], LEFT)


def grades(window):
    return [opinion.judgment.grade for _, _, opinion, _ in window.session.iter_judgments()]


# Opening and closing


def test_nothing_works_on_for_a_project_that_was_closed(window):
    """No clock of it runs on, and its changes start no work: queue and views are left alone."""
    view, session = window.view, window.session
    timers = [*view.findChildren(QTimer), *window.schedule.findChildren(QTimer)]
    assert any(timer.isActive() for timer in timers)
    window.close_project()
    assert not any(timer.isActive() for timer in timers)
    session.changed.emit(Changed("do", "import", "", is_material=True))
    assert window.jobs.is_idle


def test_the_open_project_opened_again_stays_writable(qtbot, window, project):
    """Opening the very project that is open shows it; it does not become read-only."""
    press(qtbot, window, "2")
    assert window.try_open(project)
    assert window.session.read_only_reason == ""
    press(qtbot, window, "1")
    assert grades(window) == [2.0, 1.0]


def test_the_open_project_by_another_name_is_the_same(window, project, tmp_path):
    """A link to the file that is open leads to what is open."""
    link = tmp_path / "link.judge"
    link.symlink_to(project)
    before = window.session
    assert window.try_open(link)
    assert window.session is before


def test_a_project_that_was_closed_is_opened_again_by_enter(qtbot, window, project):
    """The list of recent projects has the keyboard, as its line of keys says."""
    press(qtbot, window, "w", CTRL)
    assert window.session is None
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(window.focusWidget(), key)
    assert window.session.path == project


def test_how_far_a_project_is_is_not_told_once_it_was_written_to_since(qtbot, window, project):
    """A killed program could not say how far it came: an older number would look like a loss."""
    press(qtbot, window, "w", CTRL)
    (row,) = recent_projects(window.settings)
    assert row.progress is not None
    later = time.time() + 3600
    os.utime(project, (later, later))
    (row,) = recent_projects(window.settings)
    assert row.progress is None


def test_what_is_open_stays_when_another_cannot_be_opened(window, tmp_path):
    """A file that is no project is refused, and the open project is still there."""
    other = tmp_path / "other.judge"
    other.write_text("no project")
    before = window.session
    assert not window.try_open(other)
    assert window.session is before
    assert len(window.prompter.told) == 1


def test_a_saved_copy_is_left_alone(qtbot, window, project, tmp_path):
    """After 'Save a copy' one judges on where one was, and is told so: a copy for somebody else is theirs."""
    copy = tmp_path / "copy.judge"
    window.prompter = FakePrompter(places=[copy])
    press(qtbot, window, "s", CTRL | SHIFT)
    assert window.session.path == project
    assert window.status.message.text == "Saved as copy.judge. You go on in small.judge."
    press(qtbot, window, "3")
    assert grades(window) == [3.0]
    with open_project(copy, read_only=True) as session:
        assert session.iter_judgments() == []


def test_a_saved_copy_can_be_opened_from_what_is_said_of_it(qtbot, window, project, tmp_path):
    """'Open the copy' leads into it, says so, and the title bar tells the two files apart."""
    copy = tmp_path / "copy.judge"
    window.prompter = FakePrompter(places=[copy])
    window.session.execute(set_title("Soups"))
    window.refresh_project()
    assert window.windowTitle() == "Soups (small.judge) – judgetool"
    press(qtbot, window, "s", CTRL | SHIFT)
    qtbot.mouseClick(window.status.message_action, LEFT)
    assert window.session.path == copy
    said = "Saved as copy.judge. You go on in this copy, not in small.judge."
    assert window.status.message.text == said
    assert window.windowTitle() == "Soups (copy.judge) – judgetool"
    press(qtbot, window, "3")
    with open_project(project, read_only=True) as session:
        assert session.iter_judgments() == []


def test_a_title_that_is_the_files_name_says_it_once(window):
    """The title bar names no file that the project is called after, whatever the case."""
    assert window.windowTitle() == "small – judgetool"
    window.session.execute(set_title("Small"))
    window.refresh_project()
    assert window.windowTitle() == "Small – judgetool"


def test_a_copy_of_what_can_only_be_read_is_made_to_judge_in(qtbot, project, tmp_path):
    """Where somebody else writes, 'Save a copy' leads into the copy; put off, it still says why."""
    copy = tmp_path / "copy.judge"
    with open_project(project, assessor="ben"), opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(places=[None, copy])
        press(qtbot, window, "s", CTRL | SHIFT)
        assert not window.workspace.grade_bar.banner.isHidden()
        press(qtbot, window, "s", CTRL | SHIFT)
        assert window.session.path == copy
        assert "You go on in this copy, not in small.judge." in window.status.message.text
        press(qtbot, window, "3")
        assert grades(window) == [3.0]


@pytest.mark.parametrize("way", ["keys", "status line"])
def test_a_copy_of_what_is_gone_takes_all_along(qtbot, window, project, tmp_path, way):
    """With the file deleted one goes on in the copy, with the grade that could not be saved."""
    copy = tmp_path / "copy.judge"
    press(qtbot, window, "2")
    project.unlink()
    press(qtbot, window, "3")
    window.prompter = FakePrompter(places=[copy])
    if way == "keys":
        press(qtbot, window, "s", CTRL | SHIFT)
    else:
        qtbot.mouseClick(window.status.elsewhere, LEFT)
    assert window.session.path == copy
    assert grades(window) == [2.0, 3.0]


def test_a_copy_is_never_written_over_the_open_project(qtbot, window, project):
    """Choosing the open project's own name as the copy's is refused; it stays open."""
    window.prompter = FakePrompter(places=[project])
    press(qtbot, window, "s", CTRL | SHIFT)
    assert "exists already" in window.prompter.told[0]
    assert window.session.path == project
    assert window.session.read_only_reason == ""


# An import taken back beside the window


def test_keys_judge_while_an_import_is_taken_back(qtbot, window, project):
    """What is graded while an import is being undone is kept, and the import is gone."""
    more = Parts(queries=simple_parts(n_queries=5).queries[3:])
    import_readings(window.session, make_readings(more))
    assert len(window.session.material.queries) == 5
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    answer(qtbot, window, "Undo the import")
    assert "Undoing the import" in window.status.message.text
    press(qtbot, window, "21")
    qtbot.waitUntil(lambda: len(window.session.material.queries) == 3)
    assert grades(window) == [2.0, 1.0]
    assert "Undone" in window.status.message.text


def test_an_answer_that_comes_after_a_grade_takes_back_nothing(qtbot, window):
    """Asked whether to undo the import one grades first: then neither import nor grade goes."""
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    press(qtbot, window, "2")
    answer(qtbot, window, "Undo the import")
    assert "not the last step any more" in window.status.message.text
    assert grades(window) == [2.0]


def test_an_undo_of_an_import_that_was_not_saved_can_be_tried_again(qtbot, window, project):
    """With the file moved away that is said; once it is back, Retry takes the import back."""
    aside = project.with_name("aside")
    project.rename(aside)
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    answer(qtbot, window, "Undo the import")
    qtbot.waitUntil(lambda: "Retry" in banner_answers(window))
    assert len(window.session.material.queries) == 3
    aside.rename(project)
    answer(qtbot, window, "Retry")
    qtbot.waitUntil(lambda: not window.session.material.queries)


def test_undo_waits_for_the_undo_of_an_import(qtbot, window):
    """A second Ctrl+Z while an import is being undone says so and takes nothing back."""
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    answer(qtbot, window, "Undo the import")
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert window.status.message.text == STILL_BUSY
    qtbot.waitUntil(lambda: not window.session.material.queries)


def test_an_import_can_be_done_again(qtbot, window):
    """Redo brings back what the import had brought, and the place in it."""
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    answer(qtbot, window, "Undo the import")
    qtbot.waitUntil(lambda: not window.session.material.queries)
    press(qtbot, window, Qt.Key.Key_Z, CTRL | SHIFT)
    qtbot.waitUntil(lambda: len(window.session.material.queries) == 3)
    press(qtbot, window, "2")
    assert grades(window) == [2.0]


def test_closing_while_an_import_is_taken_back(qtbot, window, project):
    """Closing waits for the undo; the file is as the undo left it."""
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    answer(qtbot, window, "Undo the import")
    window.close_project()
    with open_project(project, read_only=True) as session:
        assert len(session.material.queries) in (0, 3)


# Safety log and backups


def test_what_cannot_be_kept_outside_is_said_once(qtbot, tmp_path):
    """Where no safety log can be written, one sentence says so, and judging goes on."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    shutil.rmtree(data_folder(), ignore_errors=True)
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_text("in the way")
    with opened_window(qtbot, path) as window:
        press(qtbot, window, "2")
        assert "safety log" in window.status.message.text
        assert "Backups cannot be made" in window.status.message.text
        window.status.clear_message()
        press(qtbot, window, "1")
        assert window.status.message.text == ""
        assert grades(window) == [2.0, 1.0]


def replace_by_older(path):
    """Judge twice, then put the file back as it was before."""
    older = path.with_name("older")
    shutil.copy(path, older)
    with open_project(path, assessor="anna") as session:
        for name, grade in (("d0", 2), ("d1", 3)):
            session.execute(Say.grade(0, session.material.find_document(name), grade))
    shutil.copy(older, path)


def test_an_older_copy_in_its_place_is_noticed(qtbot, project):
    """A file that lacks judgments of the safety log is opened with a banner that says how many."""
    replace_by_older(project)
    with opened_window(qtbot, project) as window:
        qtbot.waitUntil(lambda: not window.workspace.grade_bar.banner.isHidden())
        sentence = window.workspace.grade_bar.banner.content.sentence
        assert "has 2 changes of judgments that this file lacks" in sentence


def test_the_lacking_judgments_are_recovered(qtbot, project, tmp_path):
    """'Recover as…' writes a new file that has what was lacking, and opens it."""
    replace_by_older(project)
    target = tmp_path / "new.judge"
    with opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(places=[target])
        qtbot.waitUntil(lambda: not window.workspace.grade_bar.banner.isHidden())
        answer(qtbot, window, "Recover as…")
        qtbot.waitUntil(lambda: window.session.path == target)
        assert sorted(grades(window)) == [2.0, 3.0]
        said = "new.judge has all 2 changes of judgments that small.judge lacks. It is open now."
        assert window.status.message.text == said


def test_what_is_recovered_and_differs_is_said(qtbot, project, tmp_path):
    """Of a document graded in the older file, too: that both grades are there, and what finds them."""
    replace_by_older(project)
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, session.material.find_document("d0"), 1))
    target = tmp_path / "new.judge"
    with opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(places=[target])
        qtbot.waitUntil(lambda: not window.workspace.grade_bar.banner.isHidden())
        answer(qtbot, window, "Recover as…")
        qtbot.waitUntil(lambda: window.session.path == target)
        assert sorted(grades(window)) == [1.0, 3.0]
        assert "1 judgment differs between what was in the file" in window.status.message.text
        assert "is:conflict" in window.status.message.text


def test_the_lacking_judgments_stay_offered_while_others_are_given(qtbot, project):
    """Grades to the end of the pool neither take the banner's place nor end what it says."""
    replace_by_older(project)
    with opened_window(qtbot, project) as window:
        banner = window.workspace.grade_bar.banner
        qtbot.waitUntil(lambda: not banner.isHidden())
        with open_project(project, read_only=True) as session:
            n_left = session.board.total_progress().total
        for _ in range(n_left):
            press(qtbot, window, "2")
        assert "2 changes of judgments that this file lacks" in banner.content.sentence
        assert not banner.isHidden()
    with opened_window(qtbot, project) as window:
        banner = window.workspace.grade_bar.banner
        qtbot.waitUntil(lambda: not banner.isHidden())
        assert "2 changes of judgments that this file lacks" in banner.content.sentence


def test_who_leaves_the_lacking_judgments_out_is_not_asked_again(qtbot, project):
    """'Leave out…', as after going back to an older file on purpose, asks once and holds for good."""
    replace_by_older(project)
    with opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(answers=[None, "leave_out"])
        answer(qtbot, window, "Leave out…")
        assert "changes of judgments out that small.judge lacks" in window.prompter.asked[0][0]
        qtbot.waitUntil(lambda: not window.workspace.grade_bar.banner.isHidden())
        answer(qtbot, window, "Leave out…")
        assert "is not named again" in window.status.message.text
    with opened_window(qtbot, project) as window:
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        assert window.workspace.grade_bar.banner.isHidden()


@pytest.fixture
def synced(tmp_path):
    """A project in a folder that a cloud keeps in step, which has put an older copy in its place."""
    folder = tmp_path / "Nextcloud"
    folder.mkdir()
    with make_project(folder, simple_parts()) as session:
        path = session.path
    replace_by_older(path)
    return path


@contextmanager
def warned_of_place(qtbot, path):
    """Show a window on a synced project once what it lacks is put off."""
    with opened_window(qtbot, path) as window:
        sentence = window.workspace.grade_bar.banner.content.sentence
        assert "2 changes of judgments that this file lacks" in sentence
        answer(qtbot, window, "Not now")
        qtbot.waitUntil(lambda: "Save elsewhere…" in banner_answers(window))
        yield window


def test_a_loss_comes_before_where_the_file_lies_and_goes_into_no_copy_unsaid(qtbot, synced):
    """A copy elsewhere would lack the judgments without a word: to recover them is offered instead."""
    target = synced.parent.parent / "new.judge"
    with warned_of_place(qtbot, synced) as window:
        window.prompter = FakePrompter(answers=["recover"], places=[target])
        answer(qtbot, window, "Save elsewhere…")
        qtbot.waitUntil(lambda: window.session.path == target)
        assert "2 changes of judgments that small.judge lacks" in window.prompter.asked[0][0]
        assert sorted(grades(window)) == [2.0, 3.0]


def test_a_copy_beside_the_work_lacks_nothing_unsaid(qtbot, synced):
    """'Save a copy…' asks as 'Save elsewhere…' does; where nothing is lost for good it does not ask."""
    copy = synced.parent.parent / "copy.judge"
    with warned_of_place(qtbot, synced) as window:
        window.prompter = FakePrompter(answers=[None, "leave_out"], places=[copy])
        window.actions_by_name.action("project.save_copy").trigger()
        assert "2 changes of judgments that small.judge lacks" in window.prompter.asked[0][0]
        assert not copy.exists()
        window.judge_handler.answer_banner("leave_out")
        window.actions_by_name.action("project.save_copy").trigger()
        assert len(window.prompter.asked) == 2
        assert copy.exists()


def test_elsewhere_is_another_folder_than_the_one_kept_in_step(qtbot, synced):
    """There it begins; and of two files of one name it is said where the one lies that one goes on in."""
    target = synced.parent.parent / synced.name
    with warned_of_place(qtbot, synced) as window:
        window.prompter = FakePrompter(answers=["save"], places=[target])
        answer(qtbot, window, "Save elsewhere…")
        assert window.prompter.suggested[0].parent == Path.home()
        said = f"Saved as {target}. You go on in this copy, not in {synced}."
        assert window.status.message.text == said


def test_what_lacks_judgments_is_not_called_sound_after_a_kill(qtbot, project):
    """An older copy of an open file put in its place looks like the end of a killed program."""
    older = project.with_name("older")
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, session.material.find_document("d0"), 2))
        shutil.copy(project, older)
    shutil.copy(older, project)
    with opened_window(qtbot, project) as window:
        sentence = window.workspace.grade_bar.banner.content.sentence
        assert "1 change of judgments that this file lacks" in sentence
        assert window.session.ended_uncleanly
        assert window.status.message.text == ""


def test_what_was_judged_before_a_file_was_moved_is_recovered(qtbot, project, tmp_path):
    """A file renamed while it was open is opened with a banner, which brings what it lacks."""
    moved, target = tmp_path / "moved.judge", tmp_path / "new.judge"
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, session.material.find_document("d0"), 2))
        project.rename(moved)
    with opened_window(qtbot, moved) as window:
        window.prompter = FakePrompter(places=[target])
        banner = window.workspace.grade_bar.banner
        qtbot.waitUntil(lambda: not banner.isHidden())
        assert (
            f"it was judged in {project.name}, where nothing stands any more"
            in banner.content.sentence
        )
        answer(qtbot, window, "Recover as…")
        qtbot.waitUntil(lambda: window.session.path == target)
        assert grades(window) == [2.0]


def test_nothing_is_proposed_for_a_sound_project(qtbot, window):
    """A file that has all its judgments is opened without a banner."""
    press(qtbot, window, "2")
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    assert window.workspace.grade_bar.banner.isHidden()


def test_the_dialog_says_where_copies_are(qtbot, window):
    """'Safety copies…' names the folder of the backups and the log, and how large they are."""
    press(qtbot, window, "2")
    dialog = SafetyDialog(window.session, keeps_log=True)
    qtbot.addWidget(dialog)
    place = safety_place(window.session)
    shown = [
        dialog.rows.itemAt(row, dialog.rows.ItemRole.FieldRole).widget().text()
        for row in range(dialog.rows.rowCount())
    ]
    assert [text.replace("\u200b", "") for text in (shown[1], shown[3])] == [
        str(place.backups),
        str(place.log),
    ]
    assert place.log.is_file()


def test_the_dialog_counts_all_parts_of_the_log(qtbot, window):
    """Where only an older part of the safety log is there, the dialog does not say that it has none."""
    press(qtbot, window, "2")
    path = window.session.path
    window.close_project()
    assert window.try_open(path)
    place = safety_place(window.session)
    place.log.rename(place.log.with_name(f"{place.log.stem}.old.jsonl"))
    dialog = SafetyDialog(window.session, keeps_log=True)
    qtbot.addWidget(dialog)
    row = dialog.rows.itemAt(2, dialog.rows.ItemRole.FieldRole).widget().text()
    assert "KB" in row


def test_pictures_elsewhere_are_asked_for(qtbot, window, tmp_path):
    """A folder that a received project names is shown once the person says so."""
    elsewhere = str(tmp_path / "elsewhere")
    session = window.session
    session.write(
        lambda connection: connection.execute(
            "UPDATE steps SET detail = json_object('image_folder', ?) WHERE kind = 'import'",
            (elsewhere,),
        )
    )
    window.prompter = FakePrompter(answers=["show"])
    window.actions_by_name.action("project.pictures").trigger()
    assert folders_elsewhere(session) == []
    assert len(window.prompter.asked) == 1


def test_the_safety_log_can_be_switched_off(qtbot, window, monkeypatch):
    """The switch in 'Safety copies…' is kept with the preferences."""
    monkeypatch.setattr(SafetyDialog, "is_answered", lambda dialog: not dialog.keeps_log.toggle())
    window.actions_by_name.action("project.safety").trigger()
    assert window.settings.keeps_safety_log is False


def test_the_view_in_the_status_line_says_where_the_highest_counts(qtbot, tmp_path):
    """Of grades of one import, while the latest counts; its tooltip and description follow judging."""
    said = [("q1", "d1", "ben", 3.0), ("q1", "d1", "eva", 0.0)]
    parts = Parts([Query("q1", "one")], (), {"a": {"q1": ["d1", "d2"]}}, said)
    with make_project(tmp_path, parts) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        view = window.status.view
        assert view.text() == "All judgments, latest counts"
        begins = "1 document has different grades by several assessors at the same time. Of these"
        assert view.accessibleDescription().startswith(begins)
        assert " ".join(view.toolTip().split()).startswith(begins)
        window.choose_view("median")
        assert view.accessibleDescription() == view.toolTip() == ""
        window.choose_view("majority")
        tied = "1 document has several grades that equally many assessors gave, at the same time. Of these"
        assert view.accessibleDescription().startswith(tied)
        window.choose_view("latest")
        session = window.session
        session.execute(Say.grade(0, session.material.find_document("d1"), 1.0))
        qtbot.waitUntil(lambda: not view.accessibleDescription())
