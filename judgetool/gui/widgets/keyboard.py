"""What keys do wherever one is: they press what has the keyboard, and choose from an open menu."""

from collections.abc import Set

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QMenu, QWidget

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


def is_for(focused: QWidget | None, event: QEvent) -> bool:
    """Whether a key is for the button or the choice that has the keyboard, and no command's.

    Space presses both, as everywhere; Enter a button, unless it is one that is switched.
    """
    if not isinstance(event, QKeyEvent) or event.modifiers() not in _PLAIN:
        return False
    if event.key() == Qt.Key.Key_Space:
        return isinstance(focused, QAbstractButton | QComboBox)
    is_button = isinstance(focused, QAbstractButton) and not focused.isCheckable()
    return event.key() in _ENTER and is_button


def act_on(focused: QWidget | None, event: QKeyEvent) -> bool:
    """Do what Qt leaves undone: Enter presses a button, Shift+F10 opens a menu.

    Args:
        focused: what has the keyboard.
        event: a key that it has not taken.

    Returns:
        Whether it was one of these.
    """
    if isinstance(focused, QAbstractButton) and event.key() in _ENTER and is_for(focused, event):
        if not event.isAutoRepeat():
            focused.click()
        return True
    is_shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    if focused is None or not (is_shift and event.key() == Qt.Key.Key_F10):
        return False
    # As Qt places what the key of menus opens.
    at = focused.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, focused.mapToGlobal(at))
    QApplication.sendEvent(focused, asked)
    return True


def offer_letters(menu: QMenu) -> None:
    """Underline, while a menu is open, a letter of each entry: its key presses it."""
    plain: dict[QAction, str] = {}

    def give() -> None:
        taken: set[str] = set()
        for action in menu.actions():
            place = (
                None if "&" in action.text().replace("&&", "") else _letter(action.text(), taken)
            )
            if place is not None:
                plain[action] = action.text()
                taken.add(action.text()[place].lower())
                action.setText(f"{action.text()[:place]}&{action.text()[place:]}")

    def take() -> None:
        for action, text in plain.items():
            if action.text().replace("&", "") == text.replace("&", ""):
                action.setText(text)
        plain.clear()

    menu.aboutToShow.connect(give)
    menu.aboutToHide.connect(take)


def _letter(text: str, taken: Set[str]) -> int | None:
    """Return where the letter stands that is to press an entry: the first of a word if it is free."""
    free = [at for at, sign in enumerate(text) if sign.isalnum() and sign.lower() not in taken]
    starts = [at for at in free if at == 0 or text[at - 1] == " "]
    return next(iter((*starts, *free)), None)
