"""Space and Enter press what has the keyboard; letters and Shift+F10 work menus."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QMenu, QPushButton

from judgetool.core.scale import scale_preset
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.choose import ChooseDialog, MessageDialog, RadioOption
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.new_project import NewProjectDialog
from judgetool.gui.dialogs.queue import QueueDialog
from judgetool.gui.dialogs.scale_editor import ScaleEditor
from tests.gui.everywhere import each_part
from tests.gui.test_keyboard_and_speech import stops
from tests.gui.window_fixtures import listening, opened_window, window_on_sample
from tests.helpers.builders import open_made, simple_parts
from tests.helpers.fake_prompter import FakePrompter

KEYS = Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on the bundled sample."""
    with window_on_sample(qtbot, tmp_path) as shown:
        yield shown


@pytest.fixture
def dialog(qtbot, tmp_path):
    """The dialog that makes a project."""
    shown = NewProjectDialog(FakePrompter(), folder=tmp_path)
    qtbot.addWidget(shown)
    shown.show()
    shown.title.setText("mine")
    return shown


def is_kept(widget, key):
    """Whether a key is left to a widget though the window has it as a command's."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def own_flag(window):
    """Whether the current document is flagged."""
    return window.view.judging.own_judgment.flagged


def flag_button(window):
    """The button that flags."""
    buttons = window.workspace.grade_bar.findChildren(QAbstractButton)
    return next(each for each in buttons if getattr(each, "name", "") == "flag")


def test_each_button_and_choice_keeps_the_space_bar_for_itself(qtbot, window):
    """In no view does Space do something else while one of them has the keyboard."""
    for part in each_part(window, qtbot.waitUntil):
        found = [each for each in stops(window) if isinstance(each, QAbstractButton | QComboBox)]
        assert found, part
        for stop in found:
            stop.setFocus()
            assert is_kept(stop, Qt.Key.Key_Space), (part, stop)


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
@pytest.mark.parametrize("key", KEYS)
def test_a_button_is_pressed_by_space_and_by_enter(qtbot, window, mode, key):
    """Not only by the key that its command has."""
    window.views.show(mode)
    button = flag_button(window)
    button.setFocus()
    qtbot.keyClick(button, key)
    assert own_flag(window)


def test_space_reads_on_where_a_list_has_the_keyboard(window):
    """There it is a command's, as before."""
    table = window.workspace.results.table
    table.setFocus()
    assert not is_kept(table, Qt.Key.Key_Space)


def test_a_button_of_a_panel_in_its_own_window_is_pressed(qtbot, window):
    """What changes are measured against is chosen by keys there, too."""
    window.actions_by_name.action("view.float_live").trigger()
    dock = window.docks.side
    dock.activateWindow()
    qtbot.waitUntil(dock.isActiveWindow)
    button = window.live.shown_values.against
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Return)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.hide()
    dock.setFloating(False)


def test_enter_on_cancel_cancels(qtbot, dialog):
    """Enter is for the button that has the keyboard, not for the main one."""
    dialog.cancel.setFocus()
    qtbot.keyClick(dialog.cancel, Qt.Key.Key_Return)
    assert dialog.result() == 0
    assert not dialog.isVisible()


def test_enter_in_a_field_is_the_act(qtbot, dialog):
    """As everywhere."""
    dialog.title.setFocus()
    qtbot.keyClick(dialog.title, Qt.Key.Key_Return)
    assert dialog.result() == 1


def test_enter_on_a_further_button_presses_that(qtbot, tmp_path):
    """‘Choose…’ asks for the place; no project is made."""
    prompter = FakePrompter()
    dialog = NewProjectDialog(prompter, folder=tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    pressed = []
    dialog.choose.clicked.disconnect()
    dialog.choose.clicked.connect(lambda: pressed.append(1))
    dialog.choose.setFocus()
    qtbot.keyClick(dialog.choose, Qt.Key.Key_Return)
    assert pressed
    assert dialog.isVisible()


def test_tab_leads_to_the_scale_that_the_program_has_chosen(qtbot, dialog):
    """Not to the first one: a space bar there would replace it."""
    scale = scale_preset("0-3")
    levels = tuple(level._replace(name=f"level {level.label}") for level in scale.levels)
    dialog.set_own_scale(replace(scale, name="own", levels=levels))
    qtbot.waitUntil(dialog.radios["own"].isVisible)
    dialog.edit.setFocus()
    qtbot.keyClick(dialog.edit, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is dialog.radios["own"]


# Menus


def test_entries_of_an_open_menu_have_letters_that_press_them(qtbot, window):
    """Each its own, as far as there are some; closed they read as before."""
    menu = window.actions_by_name.menus["Judge"]
    entries = [each for each in menu.actions() if not each.isSeparator() and not each.menu()]
    before = [each.text() for each in entries]
    menu.popup(QPoint(0, 0))
    flag = window.actions_by_name.action("judge.flag")
    place = flag.text().index("&")
    letters = [
        each.text()[each.text().index("&") + 1].lower() for each in entries if "&" in each.text()
    ]
    assert len(set(letters)) == len(letters) > 20
    qtbot.keyClick(menu, flag.text()[place + 1].lower())
    qtbot.waitUntil(lambda: own_flag(window))
    assert [each.text() for each in entries] == before


def test_shift_f10_opens_the_menu_of_what_has_the_keyboard(qtbot, window):
    """As the key for menus does, which many keyboards lack."""
    table = window.workspace.results.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.hide()


def test_an_ampersand_in_a_level_s_name_is_seen_in_the_menu(qtbot, tmp_path):
    """It is no sign of a letter to press."""
    scale = scale_preset("0-3")
    levels = (*scale.levels[:-1], scale.levels[-1]._replace(name="Just right & more"))
    parts = replace(simple_parts(), scale=replace(scale, levels=levels))
    open_made(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        texts = [action.text() for action in window.actions_by_name.menus["Judge"].actions()]
    assert "Just right && more" in texts


def test_a_main_button_that_has_the_keyboard_acts_once(qtbot, dialog):
    """Enter on it is taken by Qt itself."""
    acts = []
    dialog.verb.clicked.connect(lambda: acts.append(1))
    dialog.verb.setFocus()
    qtbot.keyClick(dialog.verb, Qt.Key.Key_Return)
    assert len(acts) == 1
    assert isinstance(dialog.verb, QPushButton)


# Enter in dialogs: for what has the keyboard; Ctrl+Enter is the act


@pytest.fixture
def importing(qtbot, window):
    """The dialog that imports, with a file that can be."""
    path = window.session.path.with_name("more.run")
    path.write_text("\n".join(f"q{n} Q0 d{n} {n} {9 - n} more" for n in range(1, 9)), "utf-8")
    dialog = ImportDialog(window.session, window.jobs, window.prompter, [path])
    # What is chosen in a test is asked about by nobody.
    qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
    dialog.show()
    qtbot.waitUntil(lambda: window.jobs.is_idle and dialog.view.kinds.count() > 0)
    return dialog


@pytest.fixture
def said():
    """What any window announces to a screen reader."""
    with listening() as texts:
        yield texts


def test_enter_on_a_choice_opens_it(qtbot, importing):
    """Nothing is imported by it."""
    importing.view.kinds.setFocus()
    qtbot.keyClick(importing.view.kinds, Qt.Key.Key_Return)
    assert importing.view.kinds.view().isVisible()
    importing.view.kinds.hidePopup()
    assert importing.working is None
    assert importing.isVisible()


def test_enter_on_a_file_of_an_import_imports_nothing(qtbot, importing, said):
    """It is said what would."""
    importing.list.setFocus()
    qtbot.keyClick(importing.list, Qt.Key.Key_Return)
    assert importing.working is None
    assert said == [f"{importing.verb.text()}: Ctrl+Enter."]


def test_enter_in_a_line_of_an_import_imports_nothing(qtbot, importing):
    """A name that is written there is one of several things to be said."""
    importing.view.assessor_row.show()
    importing.view.assessor.setFocus()
    qtbot.keyClicks(importing.view.assessor, "ben")
    qtbot.keyClick(importing.view.assessor, Qt.Key.Key_Return)
    assert importing.isVisible()
    assert importing.working is None


def test_ctrl_enter_imports(qtbot, importing):
    """Whatever has the keyboard."""
    importing.view.kinds.setFocus()
    qtbot.waitUntil(importing.verb.isEnabled)
    qtbot.keyClick(importing.view.kinds, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: importing.result() == 1)


def test_enter_chooses_the_scale_and_makes_no_project(qtbot, dialog, said):
    """On every desktop; what makes it is said."""
    dialog.radios["0-4"].setFocus()
    qtbot.keyClick(dialog.radios["0-4"], Qt.Key.Key_Return)
    assert dialog.radios["0-4"].isChecked()
    assert dialog.isVisible()
    assert said == ["Make project: Ctrl+Enter."]


def test_ctrl_enter_makes_the_project(qtbot, dialog):
    """From a scale as from anywhere."""
    radio = dialog.radios["0-3"]
    radio.setFocus()
    qtbot.keyClick(radio, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.result() == 1


def test_enter_takes_a_number_and_leaves_the_queue_as_it_is(qtbot, window):
    """The seed is one of the things that a queue is made of."""
    dialog = QueueDialog(window.session, FakePrompter())
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.seed.setEnabled(True)
    dialog.seed.setFocus()
    qtbot.keyClick(dialog.seed, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_enter_answers_where_nothing_else_is_asked(qtbot):
    """As digits choose there."""
    dialog = ChooseDialog(
        "Why?", [RadioOption("a", "Torn"), RadioOption("b", "Dark")], verb="Say it"
    )
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, "2")
    qtbot.keyClick(dialog.buttons["b"], Qt.Key.Key_Return)
    assert (dialog.result(), dialog.answer) == (1, "b")


def test_ctrl_enter_does_nothing_that_destroys(qtbot):
    """Where Cancel is what Enter presses, the other button has to be pressed itself."""
    dialog = MessageDialog("All of it?", [Choice("all", "Delete all", destroys=True)])
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.answer is None
    assert dialog.isVisible()


# Choices that change much


@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_H])
def test_no_arrow_or_letter_takes_another_set_of_keys(qtbot, window, key):
    """The list opens, and Esc leaves everything as it was."""
    window.overlay.open()
    presets = window.overlay.presets
    presets.setFocus()
    qtbot.keyClick(presets, key)
    assert presets.view().isVisible()
    qtbot.keyClick(presets.view(), Qt.Key.Key_Escape)
    assert window.actions_by_name.keymap.preset == "digits"
    assert presets.currentData() == "digits"


def test_a_set_of_keys_that_is_chosen_is_said_and_the_keyboard_stays(qtbot, window, said):
    """Enter in the open list takes it."""
    window.overlay.open()
    presets = window.overlay.presets
    presets.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        shown = presets.view() if presets.view().isVisible() else presets
        qtbot.keyClick(shown, key)
    assert window.actions_by_name.keymap.preset == "right"
    assert "Keys are now: Home row, right hand." in said
    assert presets.hasFocus()


def test_an_arrow_does_not_replace_levels_that_were_written(qtbot):
    """Nor the wheel: a scale to start from is chosen in the open list."""
    dialog = ScaleEditor(scale_preset("0-3"))
    qtbot.addWidget(dialog, before_close_func=ScaleEditor.hide)
    dialog.show()
    dialog.rows[0].name.setText("Useless")
    dialog.presets.setFocus()
    qtbot.keyClick(dialog.presets, Qt.Key.Key_Down)
    dialog.presets.hidePopup()
    assert dialog.rows[0].name.text() == "Useless"
