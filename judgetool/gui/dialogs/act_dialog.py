"""The one form of all dialogs: head, fields, foot with Cancel, the verb and what is amiss."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, Self, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QBoxLayout,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QToolButton,
    QWidget,
)

from judgetool.core import override
from judgetool.core.terms import short_name
from judgetool.gui.dialogs.framed_list import View, framed, give_way, giving
from judgetool.gui.icons import themed_icon
from judgetool.gui.keymap import act_on, native
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.fields import ElidedCombo, NumberField, TextPane
from judgetool.gui.widgets.flow import FlowLayout, Scrolled, WrappedCheck, WrappedRadio
from judgetool.gui.widgets.labels import ElidedLabel, Text, plain_tooltip
from judgetool.gui.widgets.painted import (
    EventWatch,
    PaintedWidget,
    announce,
    in_column,
    in_line,
    say_once,
)
from judgetool.wording import _

INSET = 20
NARROWEST = 560
WIDEST = 1040
# Of a name on a line with something beside it.
_MOST_NAME = 48
T = TypeVar("T")
Asked_co = TypeVar("Asked_co", covariant=True)
Field = TypeVar("Field", bound=QWidget)


class Band(PaintedWidget):
    """A strip across a dialog.

    Args:
        ground: name of the theme's colour under it.
        edge: where its line is: ``bottom`` of a head, ``top`` of a foot.
    """

    def __init__(self, ground: str, edge: str) -> None:
        super().__init__()
        self.ground, self.edge = ground, edge
        self.row = in_line(host=self, spacing=10, margins=(INSET, 12, INSET, 12))
        # Not fixed in height: a sentence in it that wraps would lose lines.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)


class ActDialog(QDialog):
    """A dialog titled by its act.

    The problem that keeps the verb from being chosen stands at the left of the foot,
    in words, as soon as there is one.

    Enter is for what has the keyboard: it presses a button, opens a list, chooses, takes a number; the foot
    then says the act’s key. In a line that is written, and in a question of one answer, it is the act.

    Attributes:
        body: where subclasses put their content.
        middle: what scrolls it.
        verb: the main button.
        cancel: the other one.
        first: what has the keyboard when the dialog appears; ``None`` for what Tab stops at first.
        answers_by_enter: whether Enter on one of several answers: nothing else is asked.
        acts_from_fields: whether Enter in a line that is written is the act.
    """

    first: QWidget | None = None
    answers_by_enter = False
    acts_from_fields = True

    def __init__(
        self, title: str, *, verb: str, width: int = NARROWEST, parent: QWidget | None = None
    ) -> None:
        """Make a dialog.

        Args:
            title: the act, such as ``New project``.
            verb: on the main button.
            width: px at a 13 px font, 560 to 1040.
            parent: the window it belongs to.
        """
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(NARROWEST)
        self._wished_width = scaled(width)
        self.head, self.foot = Band("raised", "bottom"), Band("panel", "top")
        self.heading = ElidedLabel(title, role=Role.DIALOG_TITLE)
        self.head.row.addWidget(self.heading, stretch=1)
        self.remark = Text("", role=Role.UI, ink="text2")
        self.cancel = QPushButton(_("Cancel"))
        self.cancel.setAutoDefault(False)
        self.cancel.clicked.connect(self.reject)
        self.verb = QPushButton(verb)
        self.verb.setToolTip(native("Ctrl+Return"))
        self.verb.clicked.connect(self.accept)
        for part, stretch in ((self.remark, 1), (self.cancel, 0), (self.verb, 0)):
            self.foot.row.addWidget(part, stretch=stretch)
        content = QWidget()
        self.body = in_column(host=content, spacing=12, margins=(INSET, 16, INSET, 16))
        # On a low screen, or in large text, head and foot stay and what is between them scrolls.
        self.middle = Scrolled(content)
        in_column(self.head, self.middle, 1, self.foot, host=self)
        # Of a button that is in no dialog yet Qt forgets that, once the keyboard has been on it.
        self.verb.setDefault(True)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Have Enter be for what has the keyboard, and Ctrl+Enter for the act."""
        focused, modifiers = self.focusWidget(), event.modifiers()
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        keypad = Qt.KeyboardModifier.KeypadModifier
        if is_enter and modifiers & ~keypad == Qt.KeyboardModifier.ControlModifier:
            self.confirm(event)
        elif act_on(focused, event):
            return
        elif is_enter and not modifiers & ~keypad and not self._is_act(focused):
            self._choose_by_enter(focused, event)
        else:
            super().keyPressEvent(event)

    def _is_act(self, focused: QWidget | None) -> bool:
        """Whether Enter on this is the act, and not for the thing itself."""
        if isinstance(focused, QRadioButton) and self.answers_by_enter:
            return True
        chosen = (QAbstractButton, QAbstractSpinBox, QAbstractItemView)
        return self.acts_from_fields and not isinstance(focused, chosen)

    def confirm(self, event: QKeyEvent) -> None:
        """Do the act, or say what keeps it from being done; what destroys has to be pressed itself."""
        if not event.isAutoRepeat():
            self.act_or_say()

    def act_or_say(self) -> None:
        """Do the act, or say what keeps it from being done, as Ctrl+Enter does."""
        is_open = self.isVisible() and not self.cancel.isDefault()
        if is_open and self.verb.isVisible() and self.verb.isEnabled():
            self.verb.click()
        elif is_open:
            announce(self, self.remark.text())

    def _choose_by_enter(self, focused: QWidget | None, event: QKeyEvent) -> None:
        """Choose what has the keyboard; say what the act would be, which Enter is not."""
        if event.isAutoRepeat() or not self.isVisible():
            return
        if isinstance(focused, QAbstractButton) and not isinstance(focused, QCheckBox):
            focused.click()
        if self.verb.isEnabled():
            act = f"{self.verb.text().replace('&', '')}: {native('Ctrl+Return')}."
            self.show_remark(act)
            announce(self, act)

    def put(self, part: Field, *, stretch: int = 0) -> Field:
        """Put something under what is there, and return it."""
        self.body.addWidget(part, stretch=stretch)
        return part

    def add_text(self, text: str = "", *, role: Role = Role.UI, ink: str = "text2") -> Text:
        """Put a sentence under what is there."""
        return self.put(Text(text, role=role, ink=ink))

    def add_head(self, text: str) -> Text:
        """Put the title of what follows under what is there."""
        return self.put(Text(text, role=Role.UI_STRONG))

    def add_field(self, text: str, field: Field, *, line: QLayout | None = None) -> Field:
        """Put a label and close under it its field (or a line that holds the field)."""
        self.body.addLayout(labelled(text, field, line=line))
        return field

    def add_line(self, *parts: QWidget | str | int | None, spacing: int = 8) -> None:
        """Put fields beside each other; see :func:`line_of`."""
        self.body.addLayout(line_of(*parts, spacing=spacing))

    def add_list(self, view: View, *, height: int) -> View:
        """Put a list or a table inside a border, at least so high where the screen is, and let it grow."""
        return self.put(framed(giving(view, scaled(height))), stretch=1)

    def add_radios(self, options: Mapping[T, str], current: T | None) -> "Radios[T]":
        """Put a choice of one of several under what is there, a line each."""
        radios = Radios(options, current, self)
        for button in radios.by_name.values():
            self.body.addWidget(button)
        return radios

    def add_switch(self, text: str, *, is_on: bool) -> QCheckBox:
        """Put a switch under what is there."""
        return self.put(switch(text, is_on=is_on))

    def add_to_foot(self, button: Field) -> Field:
        """Put a button before Cancel."""
        self.foot.row.insertWidget(self.foot.row.indexOf(self.cancel), button)
        return button

    def set_verb(self, act: Callable[[], object]) -> None:
        """Let the verb do something else than accept."""
        self.verb.clicked.disconnect()
        self.verb.clicked.connect(act)

    def show_problem(self, problem: str, *, ink: str = "bad") -> None:
        """Say why the verb cannot be chosen; ``""`` lets it be chosen.

        Args:
            problem: a sentence.
            ink: ``text2`` where nothing is wrong and something is only still to come.
        """
        self.show_remark(problem, ink=ink if problem else "text2")
        self.verb.setEnabled(not problem)

    def check_by(self, find: Callable[[], str], *fields: QObject, lack: str = "") -> None:
        """Say what keeps the verb from being chosen, now and whenever a field changes.

        Args:
            find: returns a sentence, or ``""``; it may raise ``ValueError`` with one.
            fields: what it looks at.
            lack: the sentence that blames nobody: something is still to come.
        """

        def check() -> None:
            try:
                problem = find()
            except ValueError as wrong:
                problem = str(wrong)
            self.show_problem(problem, ink="text2" if problem == lack else "bad")

        self.follow(check, *fields)

    def follow(self, do: Callable[[], object], *fields: QObject) -> None:
        """Do something now, and whenever one of some fields changes."""
        on_change(do, *fields)
        do()

    def show_lack(self, lack: str, *, remark: str = "") -> None:
        """Say what is still to come before the verb can be chosen, or a remark where nothing is."""
        self.show_problem(lack, ink="text2")
        if not lack:
            self.show_remark(remark)

    def show_remark(self, remark: str, *, ink: str = "text2") -> None:
        """Say something at the foot that keeps nobody from going on."""
        self.remark.set_ink(ink)
        self.remark.setText(remark)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Let Tab walk from the body to the foot, and give the keyboard to the first field."""
        super().showEvent(event)
        if event.spontaneous():
            # Brought back from the task bar: the keyboard is where it was, and the first field may be gone.
            return
        say_once(self.findChildren(QWidget))
        before: QWidget | None = self.previousInFocusChain()
        buttons = [button for button in self.foot.findChildren(QPushButton) if button is not before]
        for button in sorted(buttons, key=self.foot.row.indexOf):
            if before is not None:
                QWidget.setTabOrder(before, button)
            before = button
        self.first = self.first or self._find_first()
        if self.first is not None:
            self.first.setFocus()

    def _find_first(self) -> QWidget | None:
        """Return what Tab stops at first between head and foot."""
        within = set(self.middle.findChildren(QWidget))
        each = self.middle.nextInFocusChain()
        while each is not None and each is not self.middle:
            is_stop = each in within and bool(each.focusPolicy() & Qt.FocusPolicy.TabFocus)
            if is_stop and each.isVisibleTo(self) and each.isEnabled():
                return each
            each = each.nextInFocusChain()
        return None

    def resize_within_screen(self, width: int, height: int) -> None:
        """Take a size, or what the screen has of it."""
        room = self.screen().availableSize()
        title_bar = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        most = room.height() - title_bar
        give_way(self, height - most)
        self.resize(min(width, room.width()), min(height, most))

    def grow(self) -> None:
        """Be so high that what has just come is seen without scrolling, where the screen is."""
        if self.isVisible():
            self.resize_within_screen(
                self.width(), max(self.height(), self.height_at(self.width()))
            )

    def height_at(self, width: int) -> int:
        """Return how high all texts are; what scrolls wishes for less where that is much."""
        bands = sum(band.sizeHint().height() for band in (self.head, self.foot))
        return max(self.sizeHint().height(), bands + self.body.heightForWidth(width))

    def above(self, window: QWidget | None) -> Self:
        """Belong to a window from now on; return the dialog."""
        if window is not None:
            self.setParent(window, self.windowFlags())
        return self

    def is_answered(self) -> bool:
        """Show the dialog, as high as its texts, and wait; return whether the verb was chosen."""
        # What would take a second line only because the dialog is narrow makes it wider.
        width = max(self._wished_width, min(self.sizeHint().width(), scaled(WIDEST)))
        width = min(width, self.screen().availableSize().width())
        self.resize_within_screen(width, self.height_at(width))
        is_accepted = self.exec() == QDialog.DialogCode.Accepted
        self.deleteLater()
        return is_accepted


class Answering(Protocol[Asked_co]):
    """A dialog that gives an answer."""

    @property
    def answer(self) -> Asked_co:
        """What was chosen, as it stands."""

    def above(self, window: QWidget | None) -> Self:
        """Belong to a window; return the dialog."""

    def is_answered(self) -> bool:
        """Show the dialog and wait; return whether the verb was chosen."""


def ask(dialog: Answering[Asked_co], window: QWidget | None = None) -> Asked_co | None:
    """Show a dialog above a window; return its answer, ``None`` where the verb was not chosen."""
    return dialog.answer if dialog.above(window).is_answered() else None


class Radios(QButtonGroup, Generic[T]):
    """A choice of one of several.

    Args:
        options: what is shown, by what is chosen.
        current: what is chosen now.
        parent: what they belong to.
        choose: gets what the person chooses.

    Signals:
        changed: something else is chosen.

    Attributes:
        by_name: the button of each; they are still to be placed.
    """

    changed = Signal()

    def __init__(
        self,
        options: Mapping[T, str],
        current: T | None,
        parent: QObject,
        *,
        choose: Callable[[Any], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self.by_name: dict[T, QRadioButton] = {}
        for name, text in options.items():
            self.add(name, text).setChecked(name == current)
        self.buttonToggled.connect(self._on_toggled)
        if choose is not None:
            self.buttonClicked.connect(lambda _button: choose(self.current))

    def add(self, name: T, text: str) -> QRadioButton:
        """Offer one more."""
        button = self.by_name[name] = WrappedRadio(text)
        self.addButton(button)
        self._keep_tab()
        return button

    def _on_toggled(self, _button: QAbstractButton, is_on: bool) -> None:
        if is_on:
            self._keep_tab()
            self.changed.emit()

    def _keep_tab(self) -> None:
        """Have Tab lead to what is chosen, also where the program has chosen it; arrows lead on."""
        chosen = self.checkedButton()
        for button in self.by_name.values():
            is_stop = chosen is None or button is chosen
            focus = Qt.FocusPolicy.StrongFocus if is_stop else Qt.FocusPolicy.ClickFocus
            button.setFocusPolicy(focus)

    @property
    def current(self) -> T | None:
        """What is chosen; ``None`` for nothing."""
        return next((name for name, button in self.by_name.items() if button.isChecked()), None)


def on_change(do: Callable[[], object], *fields: QObject) -> None:
    """Do something whenever the person, or the program, changes one of some fields."""

    def act(*_values: object) -> None:
        do()

    for field in fields:
        if isinstance(field, QLineEdit | QPlainTextEdit):
            field.textChanged.connect(act)
        elif isinstance(field, QComboBox):
            field.currentIndexChanged.connect(act)
        elif isinstance(field, Radios | NumberField):
            field.changed.connect(act)
        elif isinstance(field, QDoubleSpinBox):
            field.valueChanged.connect(act)
        elif isinstance(field, QAbstractButton):
            field.toggled.connect(act)
        else:
            raise TypeError(f"{type(field).__name__} tells nobody of changes")


def on_key(key: str, widget: QWidget, do: Callable[[], object]) -> None:
    """Do something by a key, in Qt's portable spelling, while a widget has the keyboard."""

    def take(event: QKeyEvent) -> bool:
        is_it = QKeySequence(event.keyCombination()) == QKeySequence(key)
        if is_it:
            do()
        return is_it

    EventWatch(widget, take, QEvent.Type.KeyPress)


def value_of(field: QObject) -> Any:  # noqa: ANN401 - a text, a number, a choice, whether it is on
    """Return what a field says; of a list what the choice stands for."""
    if isinstance(field, QLineEdit):
        return field.text()
    if isinstance(field, QComboBox):
        return field.currentData()
    if isinstance(field, QSpinBox | QDoubleSpinBox):
        return field.value()
    if isinstance(field, Radios):
        return field.current
    return isinstance(field, QAbstractButton) and field.isChecked()


def push_button(text: str, do: Callable[[], object] | None = None) -> QPushButton:
    """Return a button that Enter elsewhere does not press."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    if do is not None:
        button.clicked.connect(lambda _is_on: do())
    return button


def edit(text: str = "", *, hint: str = "", name: str = "", most: int = 0) -> QLineEdit:
    """Return a line to write in.

    Args:
        text: what stands there.
        hint: shown while nothing does.
        name: for readers, where no label has it.
        most: how many characters fit; 0 for any number.
    """
    field = QLineEdit(text)
    field.setPlaceholderText(hint)
    if name:
        field.setAccessibleName(name)
    if most:
        field.setMaxLength(most)
    return field


def text_pane(text: str, height: int, *, is_fixed: bool = False) -> QPlainTextEdit:
    """Return several lines to write in, at least or just so many px high; Tab leaves them."""
    pane = TextPane(text)
    pane.setProperty("framed", "true")
    pane.setTabChangesFocus(True)
    set_height = QPlainTextEdit.setFixedHeight if is_fixed else giving
    set_height(pane, height)
    return pane


def switch(text: str, *, is_on: bool) -> QCheckBox:
    """Return a switch."""
    box = WrappedCheck(text)
    box.setChecked(is_on)
    return box


def name_switch(name: str, *, is_on: bool) -> QCheckBox:
    """Return a switch for what has a name; a long one lacks its middle, and is whole in the tooltip."""
    box = switch(short_name(name, most=_MOST_NAME).replace("&", "&&"), is_on=is_on)
    box.setToolTip(plain_tooltip(name))
    return box


def combo(
    options: Iterable[tuple[str, object]],
    current: object = None,
    *,
    name: str = "",
    choose: Callable[[Any], object] | None = None,
) -> ElidedCombo:
    """Return a choice from a list.

    Args:
        options: what is shown and what it stands for.
        current: what the one chosen now stands for; the first where none does.
        name: for readers, where no label has it.
        choose: gets what the person chooses.
    """
    box = ElidedCombo()
    box.offer(options, current)
    if name:
        box.setAccessibleName(name)
    if choose is not None:
        box.activated.connect(lambda _place: choose(box.currentData()))
    return box


def number(least: int, most: int, now: int, *, unit: str = "", width: int = 0) -> NumberField:
    """Return a field for a whole number.

    Args:
        least: the least that it takes.
        most: the most.
        now: what stands there.
        unit: shown after it.
        width: in px at a 13 px font; 0 for what the numbers need.
    """
    field = NumberField(least, most)
    field.setSuffix(unit)
    field.setValue(now)
    if width:
        field.setFixedWidth(scaled(width))
    return field


def grid_of(across: int, down: int, stretches: Mapping[int, int]) -> QGridLayout:
    """Return an empty grid: room between columns and rows in px, what columns take of the rest."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(across)
    grid.setVerticalSpacing(down)
    for column, stretch in stretches.items():
        grid.setColumnStretch(column, stretch)
    return grid


def form_in(column: QBoxLayout) -> QFormLayout:
    """Put a form under what is in a column: labels at the start, fields beside them, else below."""
    form = QFormLayout()
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(6)
    column.addLayout(form)
    return form


def line_of(*parts: QWidget | str | int | None, spacing: int = 8) -> FlowLayout:
    """Return parts beside each other, on further lines where there is too little width.

    Args:
        parts: fields; before a field the text of its label, which stays with it, and after it
            the share of the room left over that it takes; ``None`` leaves that room free.
        spacing: between them, in px.
    """
    line, label = FlowLayout(gap=spacing), ""
    for part in parts:
        if isinstance(part, str):
            label = part
        elif isinstance(part, int):
            line.let_grow(part)
        elif isinstance(part, QWidget) and label:
            line.put(in_line(field_label(label, part), part, 1, spacing=spacing))
            label = ""
        else:
            line.put(part)
    return line


def held(layout: QLayout) -> QWidget:
    """Return a widget of a layout alone, so that it can be shown and hidden as a whole."""
    holder = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(layout)
    return holder


def labelled(text: str, field: QWidget, *, line: QLayout | None = None) -> QBoxLayout:
    """Return a label and close under it its field, or a line that holds the field."""
    below = (field, 1) if line is None else (line,)
    return in_column(field_label(text, field), *below, spacing=4)


def field_label(text: str, buddy: QWidget) -> Text:
    """Return the label of a field, which names it for readers and by its mnemonic too."""
    label = Text(text, role=Role.HEAD, ink="text3", wraps=False)
    label.setBuddy(buddy)
    for widget in (label, buddy):
        widget.setAccessibleName(text.replace("&", ""))
    return label


def framed_icon_button(
    tooltip: str, icon: str, do: Callable[[], object] | None = None, parent: QWidget | None = None
) -> QToolButton:
    """Return a square button for an icon, named for tooltip and readers."""
    button = QToolButton(parent)
    button.setIcon(themed_icon(icon))
    button.setProperty("framed", "true")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setToolTip(tooltip)
    button.setAccessibleName(tooltip)
    button.setFixedSize(scaled(26), scaled(26))
    if do is not None:
        button.clicked.connect(lambda _is_on: do())
    return button
