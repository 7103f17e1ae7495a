"""One's own keys in the window: remapping, the row of digits, text fields, the guard."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit

from judgetool.core.scale import graded_scale, scale_preset
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.preferences import KeysDialog, key_rows
from judgetool.gui.keymap import Keymap, KeyWatch
from judgetool.settings import load_settings
from tests.gui.window_fixtures import SHIFT, opened_window, press
from tests.helpers.builders import make_project, simple_parts

SCALE = scale_preset("0-3")
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def window(qtbot, tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


def given(window):
    """Return the assessor's grades, first given first."""
    rows = sorted(window.session.iter_judgments(), key=lambda row: row[3])
    return [opinion.judgment.grade for _, _, opinion, _ in rows]


def physical(window, scan_code, *, key=Qt.Key.Key_Eacute, text="é", modifiers=NONE, repeats=False):
    """Press a key as the system reports it, by its place on the keyboard."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, key, modifiers, scan_code, 0, 0, text, repeats)
        QCoreApplication.sendEvent(window.windowHandle(), event)


# Remapping


def test_a_grade_has_the_key_of_the_persons_own(qtbot, window):
    """After a change the new key grades, the old one does not, and the bar shows it."""
    keymap = Keymap().with_keys("grade.2", ("G",), SCALE)
    window.actions_by_name.set_keymap(keymap)
    press(qtbot, window, "2g")
    assert given(window) == [2.0]
    assert [button.key for button in window.workspace.grade_bar.levels] == ["0", "1", "G", "3"]


@pytest.mark.parametrize(("code", "said"), [("en", "Enter"), ("de", "Enter")])
def test_a_key_that_keyboards_have_twice_is_listed_once(speaks, code, said):
    """Return and the keypad's Enter are both called Enter: the list of keys names it once."""
    speaks(code)
    row = next(each for each in key_rows(Keymap(), SCALE) if each.key == "settle.take_view")
    assert row.said.rpartition(": ")[2] == said


def test_menus_page_and_bar_show_the_persons_keys(window):
    """One change is seen wherever a key is shown."""
    window.actions_by_name.set_keymap(Keymap().with_keys("judge.flag", ("Ctrl+B",), SCALE))
    action = window.actions_by_name.action("judge.flag")
    assert action.shortcut().toString() == "Ctrl+B"
    assert "Ctrl+B" in action.toolTip()
    window.overlay.toggle()
    entries = [entry for group in window.overlay.page.groups for entry in group.entries]
    assert [entry.keys for entry in entries if entry.text == "Flag for discussion"] == ["Ctrl+B"]
    flag = next(b for b in window.workspace.grade_bar.actions_shown if b.name == "flag")
    assert flag.key == "Ctrl+B"


def test_the_home_row_judges(qtbot, window):
    """With the preset for the right hand J, K, L and U are the grades."""
    window.actions_by_name.set_keymap(Keymap("right"))
    press(qtbot, window, "jklu")
    assert given(window) == [0.0, 1.0, 2.0, 3.0]


def test_the_keypad_judges_and_moves(qtbot, window):
    """On the keypad digits grade and plus goes on, with Num Lock."""
    window.actions_by_name.set_keymap(Keymap("keypad"))
    place = window.workspace.results.current_place()
    keypad = Qt.KeyboardModifier.KeypadModifier
    press(qtbot, window, Qt.Key.Key_Plus, keypad)
    assert window.workspace.results.current_place() == place + 1
    press(qtbot, window, Qt.Key.Key_3, keypad)
    assert given(window) == [3.0]


def test_changed_keys_are_kept(qtbot, window, monkeypatch):
    """What the dialog gives is written to the preferences and holds at once."""
    keymap = Keymap("left").with_keys("judge.flag", ("G",), SCALE)
    monkeypatch.setattr(KeysDialog, "exec", lambda self: KeysDialog.DialogCode.Accepted)
    monkeypatch.setattr(KeysDialog, "answer", keymap)
    window.actions_by_name.action("help.change_keys").trigger()
    kept = load_settings()
    assert (kept.key_preset, dict(kept.keys)) == ("left", {"judge.flag": ("G",)})
    press(qtbot, window, "d")
    assert given(window) == [2.0]


# The row of digits


def test_unshifted_keys_of_the_row_of_digits_grade(window):
    """On a French keyboard the key under 2 gives é, and grades 2 all the same."""
    physical(window, 11)
    assert given(window) == [2.0]


def test_a_digit_that_needs_shift_stays(window):
    """Shift and a key of the row that makes no digit there grades and stays."""
    before = window.view.judging.document
    physical(window, 11, key=Qt.Key.Key_At, text="@", modifiers=SHIFT)
    assert given(window) == [2.0]
    assert window.view.judging.document == before


def test_caps_lock_does_not_matter(window):
    """With Caps Lock the same key gives É, and grades 2."""
    physical(window, 11, text="É")
    assert given(window) == [2.0]


def test_a_held_row_key_grades_once(window):
    """Repeats of a key that is held down judge nothing."""
    physical(window, 11)
    for _ in range(5):
        physical(window, 11, repeats=True)
    assert given(window) == [2.0]


def test_keys_without_meaning_stay_what_they_are(window):
    """A key of the row that is no grade judges nothing."""
    physical(window, 17)
    assert given(window) == []


def editable_fields(window):
    kinds = (QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox)
    for kind in kinds:
        for field in window.findChildren(kind):
            is_read_only = getattr(field, "isReadOnly", lambda: False)()
            is_fixed = isinstance(field, QComboBox) and not field.isEditable()
            if not is_read_only and not is_fixed:
                yield field


def test_no_text_field_of_the_window_lets_keys_judge(qtbot, window):
    """Whatever is typed into any field of the window, letters or digits, judges nothing."""
    fields = list(editable_fields(window))
    assert fields
    for field in fields:
        parent = field.parentWidget()
        while parent is not None and parent is not window:
            parent.show()
            parent = parent.parentWidget()
        field.show()
        field.setFocus()
        if window.focusWidget() is not field:
            continue
        qtbot.keyClicks(field, "02xsfj")
        physical(window, 11)
    assert given(window) == []
    assert window.session.undo_step.kind == "import"


# The guard


def test_a_bounce_judges_once_and_says_so(qtbot, window):
    """Two presses of one key within milliseconds give one judgment and a sentence."""
    handle = window.windowHandle()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(handle, Qt.Key.Key_2)
    window.judge_handler.guard.guard_ms = 50_000
    QTest.keyClick(handle, Qt.Key.Key_2)
    assert given(window) == [2.0]
    assert "Not taken" in window.status.message.text


def test_typed_ahead_is_known(qtbot):
    """A key that went down before the document was painted is told from one after."""
    watch = KeyWatch(None)
    watch.note_shown()
    assert watch.is_typed_ahead(None)
    watch.note_painted()
    assert not watch.is_typed_ahead(None)


def test_a_window_that_is_not_there_yet_is_not_watched(qtbot):
    """Until there is one nothing is, and the one that is watched stays so."""
    watch, window = KeyWatch(None), QWindow()
    watch.watch(None)
    watch.watch(window)
    watch.watch(None)
    assert watch.take_press() is None


# The dialog


@pytest.fixture
def dialog(qtbot):
    shown = KeysDialog(Keymap(), SCALE)
    qtbot.addWidget(shown)
    shown.show()
    return shown


def catch(qtbot, dialog, name, key, modifiers=NONE):
    dialog.list.choose(name)
    dialog.catcher.setFocus()
    qtbot.keyClick(dialog.catcher, key, modifiers)


def test_a_free_key_is_set_by_pressing_it(qtbot, dialog):
    """Choose an action, press a key: that is its key."""
    catch(qtbot, dialog, "judge.skip", Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert dialog.answer.keys_by_action(SCALE)["judge.skip"] == ("Ctrl+B",)


def test_a_taken_key_is_named_and_taken_over(qtbot, dialog):
    """Who has the key is said at once; 'Take it from there' leaves them without."""
    catch(qtbot, dialog, "judge.skip", "f")
    assert dialog.clash.text() == "F is the key of ‘Flag for discussion’."
    assert dialog.answer == Keymap()
    qtbot.mouseClick(dialog.take, Qt.MouseButton.LeftButton)
    held = dialog.answer.keys_by_action(SCALE)
    assert (held["judge.skip"], held["judge.flag"]) == (("F",), ())


def test_a_taken_key_can_be_left(qtbot, dialog):
    """'Leave it there' changes nothing."""
    catch(qtbot, dialog, "judge.skip", "2")
    assert "Grade 2, Relevant" in dialog.clash.text()
    qtbot.mouseClick(dialog.leave, Qt.MouseButton.LeftButton)
    assert dialog.answer == Keymap()


def test_a_grade_is_one_key_alone(qtbot, dialog):
    """Ctrl and a letter is no key of a grade: Shift has its meaning there."""
    catch(qtbot, dialog, "grade.1", Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert "without Ctrl" in dialog.clash.text()
    catch(qtbot, dialog, "grade.1", Qt.Key.Key_F9)
    assert dialog.answer.level_keys(SCALE)[1] == "F9"


def test_where_nothing_is_chosen_a_key_changes_nothing(qtbot, dialog):
    """A search may leave no row; Esc leads out of the field for keys, and is no key."""
    dialog.search.setText("nothing has these words")
    qtbot.keyClick(dialog.catcher, Qt.Key.Key_F9)
    assert dialog.answer == Keymap()
    dialog.search.clear()
    catch(qtbot, dialog, "judge.skip", Qt.Key.Key_Escape)
    assert dialog.focusWidget() is dialog.list
    assert dialog.answer == Keymap()


def test_a_key_that_another_took_is_said_to_be_taken():
    """Whoever lost it reads which one; without levels there are no grades to give keys to."""
    keymap = Keymap("digits", {"judge.skip": ("F",)})
    rows = {row.key: row for row in key_rows(keymap, SCALE)}
    assert rows["judge.flag"].note == "F is taken"
    continuous = graded_scale("any", [0, 1], is_continuous=True)
    for scale in (None, continuous):
        assert "grade.0" not in {row.key for row in key_rows(keymap, scale)}


@pytest.mark.parametrize(("is_continuous", "levels"), [(True, {"0 … 9"}), (False, set())])
def test_the_page_of_keys_tells_how_grades_are_given(qtbot, tmp_path, is_continuous, levels):
    """Numbers are typed on a continuous scale; where no grade has a key, none is named."""
    scale = graded_scale("own", [0, 1], is_continuous=is_continuous)
    with make_project(tmp_path, replace(simple_parts(), scale=scale)) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        binder = window.actions_by_name
        if not is_continuous:
            binder.set_keymap(Keymap("digits", {"grade.0": (), "grade.1": ()}))
        (grade,) = (each for each in binder.key_groups(Mode.LIST) if each.title == "Grade")
        assert {each.keys for each in grade.entries} & {"0 … 9", "0 1"} == levels


def test_usual_keys_come_back(qtbot, dialog):
    """One or all changes can be taken back."""
    for name, key in (("judge.skip", Qt.Key.Key_F9), ("judge.flag", Qt.Key.Key_F10)):
        catch(qtbot, dialog, name, key)
    dialog.list.choose("judge.skip")
    qtbot.mouseClick(dialog.usual, Qt.MouseButton.LeftButton)
    assert set(dialog.answer.changes) == {"judge.flag"}
    qtbot.mouseClick(dialog.all_usual, Qt.MouseButton.LeftButton)
    assert dialog.answer == Keymap()


def test_searching_finds_actions_and_keys(qtbot, dialog):
    """The list shows what has the wanted words, in its name or among its keys."""
    qtbot.keyClicks(dialog.search, "flag")
    assert dialog.list.chosen.key == "judge.flag"
    dialog.search.clear()
    qtbot.keyClicks(dialog.search, "ctrl z")
    assert dialog.list.chosen.key == "edit.undo"


def test_shift_is_left_out_of_signs(qtbot, dialog):
    """The question mark is kept as it is written, however it is typed."""
    catch(qtbot, dialog, "judge.skip", Qt.Key.Key_Percent, SHIFT)
    assert dialog.answer.keys_by_action(SCALE)["judge.skip"] == ("%",)


def test_a_set_of_keys_is_chosen_on_the_page_of_keys(qtbot, window):
    """The page of keys changes the set at once, and shows it."""
    press(qtbot, window, "?")
    presets = window.overlay.presets
    presets.setCurrentIndex(presets.findData("right"))
    presets.activated.emit(presets.currentIndex())
    assert load_settings().key_preset == "right"
    entries = [entry.keys for group in window.overlay.page.groups for entry in group.entries]
    assert "J K L U" in entries
