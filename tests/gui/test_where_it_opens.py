"""Where one stands when a project came by judgments, and what a key does where nothing is."""

import shutil

from PySide6.QtCore import Qt

from judgetool.core.scale import scale_preset
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import Parts, make_project, make_readings, simple_parts


def imported(window, rows):
    """Import judgments while the window shows the project."""
    import_readings(window.session, make_readings(Parts(judgments=rows)))


def test_judgments_that_come_in_lead_to_what_is_still_to_be_judged(qtbot, tmp_path):
    """The first document is judged by an import: the next key would overrule it, so another is shown."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        query, first = window.view.place
        shown = window.workspace.results.documents()
        second = window.session.material.document_id(shown[1])
        imported(window, [(query, first, "old team", 2.0), (query, second, "old team", 1.0)])
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        assert window.view.judging.document == shown[2]
    with opened_window(qtbot, path) as window:
        assert window.view.judging.document == shown[2]


def test_a_query_that_an_import_judged_wholly_is_left(qtbot, tmp_path):
    """The first query with something to judge is shown."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        query = window.view.place[0]
        names = map(window.session.material.document_id, window.workspace.results.documents())
        imported(window, [(query, name, "old team", 2.0) for name in names])
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        judging = window.view.judging
        assert window.view.place[0] != query
        assert judging.document not in window.session.board.settled(judging.query)


def test_a_document_of_ones_own_is_not_left(qtbot, tmp_path):
    """What one has said oneself no key overrules by mistake: one stays."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        press(qtbot, window, Qt.Key.Key_2, Qt.KeyboardModifier.ShiftModifier)
        before = query, document = window.view.place
        imported(window, [(query, document, "old team", 2.0)])
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        assert window.view.place == before


def test_each_copy_and_who_judges_in_it_have_their_own_place(qtbot, tmp_path):
    """Where the lead stopped is not where an assessor begins, in the copy or in the lead’s file."""
    with make_project(tmp_path, simple_parts()) as session:
        lead = session.path
    anna = tmp_path / "anna.judge"
    shutil.copy(lead, anna)
    with opened_window(qtbot, lead, assessor="lead") as window:
        first = window.view.place
        press(qtbot, window, Qt.Key.Key_End)
        last = window.view.place
        assert last != first
    for path in (anna, lead):
        with opened_window(qtbot, path, assessor="Anna") as window:
            assert window.view.place == first
    with opened_window(qtbot, lead, assessor="lead") as window:
        assert window.view.place == last


def test_the_measure_that_was_explained_is_explained_again(qtbot, tmp_path):
    """Each project keeps its own; the queue of *Settle* and its stakes go by it."""
    paths = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        with make_project(tmp_path / name, simple_parts()) as session:
            paths.append(session.path)
    with opened_window(qtbot, paths[0]) as window:
        usual = window.live.measure
        other = next(name for name in map(str, window.session.measures) if name != usual)
        window.live.choose_measure(other)
    with opened_window(qtbot, paths[1]) as window:
        assert window.live.measure == usual
    with opened_window(qtbot, paths[0]) as window:
        assert window.live.measure == other
        window.show_session(open_project(paths[1], assessor="anna"))
        assert window.live.measure == usual
        window.show_session(open_project(paths[0], assessor="anna"))
        assert window.live.measure == other


def test_without_a_document_a_key_says_why_it_does_nothing(qtbot, tmp_path):
    """In a project without queries E opens no note, and nobody is asked who judges."""
    create_project(tmp_path / "e.judge", scale=scale_preset("binary"))
    with opened_window(qtbot, tmp_path / "e.judge", assessor="") as window:
        press(qtbot, window, Qt.Key.Key_E)
        assert window.prompter.asked == []
        assert window.status.message.text == "This project has no queries yet."
