"""Questions and messages to the person, shown without waiting for them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from judgetool.gui.dialogs import ALL_FILES, PROJECTS, Choice
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.prompter import Prompter, with_ending
from tests.helpers.fake_prompter import FakePrompter

TWO = [Choice("look", "Look again"), Choice("save", "Save elsewhere…")]


def shown(qtbot, *args, **kwargs):
    dialog = MessageDialog(*args, **kwargs)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def buttons(dialog):
    return [button.text() for button in dialog.findChildren(QPushButton) if button.isVisible()]


def test_enter_is_the_verb(qtbot):
    """Enter chooses the last choice, the verb."""
    dialog = shown(qtbot, "It was moved.", TWO)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.answer == "save"
    assert not dialog.isVisible()


def test_what_stands_below_is_heard_with_the_question(qtbot):
    """Who listens hears what is to be agreed to, under the name of what it is about."""
    said = "ben.judge: 2 judgments by ben\nThe scale changes: gain of 3: 3 → 7."
    dialog = shown(qtbot, "Merge 1 copy?", TWO, detail=said, title="Merge copies")
    assert dialog.windowTitle() == "Merge copies"
    assert dialog.accessibleDescription() == f"Merge 1 copy?\n{said}"


def test_escape_puts_it_off(qtbot):
    """Esc answers nothing."""
    dialog = shown(qtbot, "It was moved.", TWO)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.answer is None


def test_the_other_choice_by_click(qtbot):
    """Each choice has a button."""
    dialog = shown(qtbot, "It was moved.", TWO)
    button = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Look again")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert dialog.answer == "look"


def test_cancel_stands_before_the_choices(qtbot):
    """At the right stand Cancel, then the choices, the verb last."""
    dialog = shown(qtbot, "It was moved.", TWO)
    row = dialog.foot.row
    texts = [row.itemAt(place).widget().text() for place in range(1, row.count())]
    assert texts == ["Cancel", "Look again", "Save elsewhere…"]


def test_enter_does_not_destroy(qtbot):
    """Enter does not choose what destroys."""
    dialog = shown(qtbot, "3 judgments go.", [Choice("clear", "Clear them", destroys=True)])
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.answer is None


def test_a_message_has_one_button(qtbot):
    """What needs no answer has one button, and no Cancel."""
    assert buttons(shown(qtbot, "Saved.", [])) == ["Close"]


def test_text_is_never_markup(qtbot):
    """A sentence that looks like markup is shown as it is."""
    dialog = shown(qtbot, "<b>x</b> &amp; y", [])
    assert dialog.sentence.textFormat() == Qt.TextFormat.PlainText
    assert dialog.sentence.text() == "<b>x</b> &amp; y"


def test_details_can_be_copied(qtbot):
    """Details are shown whole, and a button that says so puts them on the clipboard."""
    dialog = shown(qtbot, "3 lines were left out.", [], detail="line 1\nline 2")
    button = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Copy details")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "line 1\nline 2"


def test_file_patterns():
    """Kinds of files read as Qt's file dialogs want them."""
    assert PROJECTS.pattern == "judgetool projects (*.judge)"
    assert ALL_FILES.pattern == "All files (*)"


def test_an_ending_is_added_where_none_was_typed(tmp_path):
    """A name without ending gets the kind's; one that would hit another file does not."""
    assert with_ending(tmp_path / "x", [PROJECTS]).name == "x.judge"
    assert with_ending(tmp_path / "x.txt", [PROJECTS]).name == "x.txt"
    assert with_ending(tmp_path / "x", [ALL_FILES]).name == "x"
    (tmp_path / "x.judge").write_text("")
    assert with_ending(tmp_path / "x", [PROJECTS]).name == "x"


def test_both_prompters_keep_the_protocol(qtbot):
    """The fake and the real one can stand for each other."""
    real: Prompter = Prompter(shown(qtbot, "x", []))
    fake: Prompter = FakePrompter(answers=["a"])
    names = {name for name in vars(Prompter) if not name.startswith("_")}
    for name in names:
        assert callable(getattr(real, name))
        assert callable(getattr(fake, name))
