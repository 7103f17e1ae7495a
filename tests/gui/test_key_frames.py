"""What a key shows at once, and what follows one frame later or is made ready before."""

import pytest
from PySide6.QtCore import Qt

from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import Parts, lay_sample, make_project


@pytest.fixture
def window(qtbot, tmp_path):
    path = tmp_path / "recipes.judge"
    lay_sample(path)
    with opened_window(qtbot, path) as shown:
        qtbot.waitUntil(lambda: shown.schedule.is_settled)
        yield shown


def test_what_is_counted_follows_a_grade(qtbot, window):
    """Header and status line soon say how much is judged after a grade."""
    press(qtbot, window, "n")
    query = window.view.judging.query
    press(qtbot, window, Qt.Key.Key_3)
    assert window.view.judging.query == query
    here, whole = window.session.board.progress(query), window.session.board.total_progress()
    header, status = window.workspace.header.progress, window.status.progress
    qtbot.waitUntil(lambda: header.text.startswith(f"{here.judged} of {here.total} "))
    qtbot.waitUntil(lambda: status.text == f"{whole.judged} of {whole.total} judged")


def test_the_last_document_shows_its_grade(qtbot, tmp_path):
    """Where nothing is left to move on to, the grade just given is shown in the grade bar."""
    parts = Parts(runs={"a": {"q1": ["d1"]}})
    session = make_project(tmp_path, parts)
    path = session.path
    session.close()
    with opened_window(qtbot, path) as window:
        press(qtbot, window, Qt.Key.Key_2)
        assert window.view.judging.own_judgment.grade == 2
        given = [b for b in window.workspace.grade_bar.levels if b.is_given]
        assert len(given) == 1


def test_a_hidden_page_of_keys_is_up_to_date_when_it_is_opened(qtbot, window):
    """Keys of the other view are dimmed on the page as soon as it is opened there."""
    press(qtbot, window, "v")
    window.overlay.toggle()
    entries = [entry for group in window.overlay.page.groups for entry in group.entries]
    assert any(entry.is_dimmed for entry in entries)
