"""Choosing conventions in the window: a tool's set or single choices, and what the panel shows."""

from PySide6.QtCore import Qt

from judgetool.gui.dialogs.project_values import ConventionsDialog
from judgetool.metrics import CONVENTION_PRESETS, Conventions
from judgetool.session.commands import set_conventions
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import open_sample


def shown(qtbot, conventions):
    dialog = ConventionsDialog(conventions)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def button_of(dialog, name, choice):
    return dialog.groups[name].by_name[choice]


def test_preset_sets_every_choice(qtbot):
    """Choosing a tool shows and gives its whole set."""
    dialog = shown(qtbot, Conventions())
    dialog.preset.setCurrentIndex(dialog.preset.findData("trec_eval"))
    dialog.preset.activated.emit(dialog.preset.currentIndex())
    assert dialog.answer == CONVENTION_PRESETS["trec_eval"].conventions
    assert button_of(dialog, "missing", "both").isChecked()


def test_single_choice_makes_the_set_ones_own(qtbot):
    """Changing one choice of a tool's set takes the tool's name away and keeps the rest."""
    dialog = shown(qtbot, CONVENTION_PRESETS["trec_eval"].conventions)
    qtbot.mouseClick(button_of(dialog, "unjudged", "left out"), Qt.MouseButton.LeftButton)
    assert dialog.answer.preset == ""
    assert (dialog.answer.unjudged, dialog.answer.missing) == ("left out", "both")


def test_conventions_of_ones_own_are_named_so(qtbot):
    """A set that is no tool's stands under the first entry, and a tool's under the tool."""
    dialog = shown(qtbot, Conventions(unjudged="left out"))
    assert dialog.preset.currentIndex() == 0
    assert dialog.preset.currentText().startswith("judgetool")
    other = shown(qtbot, CONVENTION_PRESETS["quepid"].conventions)
    assert other.preset.currentData() == "quepid"


def test_switching_and_back_restores_every_number(tmp_path):
    """Values under other conventions differ; going back gives the same numbers again."""
    with open_sample(tmp_path) as session:
        before = [session.board.engine.means(run.run_id) for run in session.material.runs]
        session.execute(set_conventions(CONVENTION_PRESETS["quepid"].conventions))
        assert "P(over='retrieved')@10" in map(str, session.board.engine.measures)
        changed = [session.board.engine.means(run.run_id) for run in session.material.runs]
        session.undo()
        after = [session.board.engine.means(run.run_id) for run in session.material.runs]
    assert changed != before
    assert after == before


def test_panel_names_the_preset_and_reopening_keeps_it(qtbot, tmp_path):
    """The panel's head says which tool's conventions hold, also after reopening."""
    with open_sample(tmp_path) as session:
        path = session.path
        session.execute(set_conventions(CONVENTION_PRESETS["quepid"].conventions))
    with opened_window(qtbot, path) as window:
        assert window.session.conventions.preset == "quepid"
        assert window.live.values.rows.rows[1].name == "P(over='retrieved')@10"
