"""Fields for numbers and for lines of text, and combo boxes whose choices are said and seen whole."""

import math
from collections.abc import Iterable
from os.path import commonprefix

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QPaintEvent,
    QPalette,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QToolTip,
    QWidget,
)

from judgetool.core import override
from judgetool.core.scale import Scale
from judgetool.gui.keymap import ENTER
from judgetool.gui.painting import exact_grade, format_grade, start_align, text_direction
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import announce
from judgetool.wording import _

# What stands around the entries of the list, a scroll bar among it.
_LIST_ROOM = 32
# How narrow a box may get, and how wide it wishes to be at most, in px at a 13 px font: a name
# that is longer than the narrowest dialog makes no dialog wider.
_LEAST, _WIDEST = 120, 480
# Qt's name for the action of the button in a field that clears it.
_CLEAR = "_q_qlineeditclearaction"
_NO_MODIFIER = Qt.KeyboardModifier.NoModifier
_WALKS = (
    *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp),
    *(Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End),
)


def focus_field(field: QLineEdit) -> None:
    """Put the keyboard into a field, and select what stands in it, so that readers say the field."""
    # By a shortcut's reason Qt would select first: Orca 43 then says nothing of the field.
    field.setFocus()
    field.selectAll()


class NamedCombo(QComboBox):
    """A combo box whose name is spoken, and whose list shows its entries whole.

    On Linux Qt gives screen readers the chosen value in place of the accessible name, and
    the name by way of a label: where no label stands beside the box, an unseen one does.

    Attributes:
        is_steady: whether only what is chosen in its open list counts: arrows, letters and the
            wheel change nothing on the closed box.
    """

    is_steady = False

    def offer(self, options: Iterable[tuple[str, object]], current: object = None) -> None:
        """Have these choices in place of others; those that it has already stay as they are.

        Args:
            options: what is shown and what it stands for.
            current: what the one chosen now stands for; the first where none does.
        """
        wanted = list(options)
        if [self.itemData(place) for place in range(self.count())] != [data for _, data in wanted]:
            self.clear()
            for text, data in wanted:
                self.addItem(text, data)
        for place, (text, _data) in enumerate(wanted):
            if self.itemText(place) != text:
                self.setItemText(place, text)
        chosen = (place for place, (_text, data) in enumerate(wanted) if data == current)
        self.setCurrentIndex(next(chosen, 0))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list by Enter, which confirms nothing here, where it is steady by arrows and letters; say another choice."""
        key, typed = event.key(), event.text().strip()
        is_plain = event.modifiers() in (_NO_MODIFIER, Qt.KeyboardModifier.KeypadModifier)
        is_letter = bool(typed) and typed.isprintable()
        opens = is_plain and (key in ENTER or (self.is_steady and (key in _WALKS or is_letter)))
        if not opens or self.isEditable():
            before = self.currentText()
            super().keyPressEvent(event)
            # Of a closed box Qt tells Orca 43 nothing that it says.
            if self.currentText() != before and not self.isEditable():
                announce(self, self.currentText())
            return
        self.showPopup()
        if is_letter:
            QApplication.sendEvent(self.view(), event)
        event.accept()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what scrolls where only a choice made in the list counts."""
        if self.is_steady:
            event.ignore()
        else:
            super().wheelEvent(event)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Have a label, once it is known what the box is called and what stands beside it."""
        super().showEvent(event)
        parent, name = self.parentWidget(), self.accessibleName()
        if parent is None or not name:
            return
        if not any(label.buddy() is self for label in parent.findChildren(QLabel)):
            label = QLabel(name.replace("&", "&&"), parent)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.hide()
            label.setBuddy(self)

    @override
    def showPopup(self) -> None:
        """Open the list as wide as its widest entry and as high as its entries are.

        Qt leaves out what the style sheet puts around them, and cuts the last entry.
        """
        view = self.view()
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        widest = max((view.sizeHintForIndex(each).width() for each in self._entries()), default=0)
        view.setMinimumWidth(min(widest + _LIST_ROOM, self.screen().availableGeometry().width()))
        super().showPopup()
        popup = view.window()
        shown = self._entries()[: self.maxVisibleItems()]
        wanted = sum(view.sizeHintForIndex(each).height() for each in shown)
        lacking = wanted - view.viewport().height()
        if lacking > 0:
            screen, place = self.screen().availableGeometry(), popup.geometry()
            is_above = place.bottom() <= self.mapToGlobal(QPoint(0, self.height())).y()
            place.setHeight(min(place.height() + lacking, screen.height()))
            if is_above or place.bottom() > screen.bottom():
                place.moveTop(max(screen.top(), place.top() - lacking))
            popup.setGeometry(place)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Have the list that was open say what is chosen, not where somebody was in it."""
        super().focusInEvent(event)
        if event.reason() is Qt.FocusReason.PopupFocusReason:
            # By Enter Qt takes what is current in the list only after this.
            QTimer.singleShot(0, self, self._follow_choice)

    def _follow_choice(self) -> None:
        if self.currentIndex() >= 0:
            self.view().setCurrentIndex(self._entries()[self.currentIndex()])

    def _entries(self) -> list[QModelIndex]:
        model, root = self.model(), self.rootModelIndex()
        return [model.index(row, self.modelColumn(), root) for row in range(self.count())]


class ElidedCombo(NamedCombo):
    """A combo box that elides a text that has no room, and then has it whole in its tooltip.

    Many names differ at their ends alone, so they lack their middle. Qt's own box cuts through
    a letter when it has a style sheet.

    Attributes:
        elides: where a text that has no room is cut.
    """

    elides = Qt.TextElideMode.ElideMiddle
    # Up to which width in px the text that is shown is whole; None where it may be cut.
    _most_whole: int | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._begins: str | None = ""
        # Where Qt follows the entries itself, it resizes the box past the layout that it is in.
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        model = self.model()
        for told in (model.rowsInserted, model.rowsRemoved, model.dataChanged, model.modelReset):
            told.connect(self._follow_entries)

    def _follow_entries(self, *_where: object) -> None:
        self._begins = None
        self.updateGeometry()

    def keep_whole(self, *, most: int = 10_000) -> None:
        """Be never too narrow for the text that is shown, up to a width in px, in any font."""
        self._most_whole = most
        self.setMinimumWidth(min(self.whole_width, most))

    @property
    def whole_width(self) -> int:
        """How wide it is where the text that is shown is whole, in px."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        around = self.width() - self.field_width + self._icon_room
        text = self.currentText() or self.placeholderText()
        return option.fontMetrics.horizontalAdvance(text) + around + 2

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the font, as soon as the style has taken it."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            if self._most_whole is not None:
                self.keep_whole(most=self._most_whole)

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which entries are whole, up to a width, with the room of the style."""
        hint, metrics = super().sizeHint(), self.fontMetrics()
        texts = [self.itemText(place) for place in range(self.count())]
        widest = max(map(metrics.horizontalAdvance, texts), default=0)
        around = self.width() - self.field_width + self._icon_room + 2
        hint.setWidth(min(max(hint.width(), widest + around), scaled(_WIDEST)))
        return hint

    @override
    def minimumSizeHint(self) -> QSize:
        """Return room for a word or two: the list has all of them whole."""
        return QSize(
            min(self.sizeHint().width(), scaled(_LEAST)), super().minimumSizeHint().height()
        )

    @property
    def _icon_room(self) -> int:
        has_icon = not self.itemIcon(self.currentIndex()).isNull()
        return self.iconSize().width() + 4 if has_icon else 0

    @property
    def field_width(self) -> int:
        """How wide the field of the text is, without arrow and border, in px."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(control, option, part, self).width()

    @property
    def shown(self) -> str:
        """What it shows at its width."""
        # Qt clips the text to the field.
        room = self.field_width - self._icon_room
        text, metrics = self.currentText() or self.placeholderText(), self.fontMetrics()
        if metrics.horizontalAdvance(text) <= room:
            return text
        rest = text[len(self._common) :]
        free = room - metrics.horizontalAdvance(rest)
        # Where names begin alike, that gives first: what tells them apart stays.
        if rest != text and free >= metrics.horizontalAdvance("…"):
            begin = metrics.elidedText(text[: -len(rest)], Qt.TextElideMode.ElideRight, free)
            return f"{begin}{rest}"
        return metrics.elidedText(text, self.elides, room)

    @property
    def _common(self) -> str:
        """How all entries begin; ``""`` where one has nothing else."""
        if self._begins is None:
            texts = [self.itemText(place) for place in range(self.count())]
            common = commonprefix(texts)  # noqa: RUF071 - letter by letter
            self._begins = "" if common in texts else common
        return self._begins if self.currentIndex() >= 0 else ""

    @property
    def tip(self) -> str:
        """What the tooltip says: what the box is for, and the text that is not seen whole."""
        is_cut = self.shown != (self.currentText() or self.placeholderText())
        said = (plain_tooltip(self.currentText(), is_quoted=True) if is_cut else "", self.toolTip())
        return "\n".join(filter(None, said))

    @override
    def event(self, event: QEvent) -> bool:
        """Say in the tooltip what is not seen whole."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip, self)
            return True
        return super().event(event)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint frame, icon and as much of the text as fits."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        if self.currentIndex() < 0:
            ink = option.palette.brush(QPalette.ColorRole.PlaceholderText)
            option.palette.setBrush(QPalette.ColorRole.ButtonText, ink)
        text = self.shown
        # Between isolates a name of a run runs as it is written, whatever the layout does.
        is_mirrored = option.direction is Qt.LayoutDirection.RightToLeft
        option.currentText = f"\u2068{text}\u2069" if is_mirrored else text
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def name_signs(field: QLineEdit) -> None:
    """Name the sign of a search in a field, and the button that clears it: Qt leaves them nameless."""
    for sign in field.findChildren(QToolButton):
        action: QAction | None = sign.defaultAction()
        clears = action is not None and action.objectName() == _CLEAR
        sign.setAccessibleName(_("Clear") if clears else _("Search"))


class NumberField(QSpinBox):
    """A ``QSpinBox`` whose text does not touch its border.

    A style sheet cannot say so: Qt places the inner field at the very left whatever
    the padding.

    Signals:
        changed: another number stands there; ``valueChanged`` says at Enter again what stood there before.
    """

    changed = Signal()

    def __init__(self, low: int, high: int) -> None:
        """Make a field for numbers from ``low`` to ``high``."""
        super().__init__()
        self.setRange(low, high)
        self._last = self.value()
        self.valueChanged.connect(self._tell)
        self.lineEdit().setTextMargins(7, 0, 0, 0)

    def _tell(self, value: int) -> None:
        if value != self._last:
            self._last = value
            self.changed.emit()


class DecimalField(QDoubleSpinBox):
    """A ``QDoubleSpinBox`` whose text does not touch its border."""

    def __init__(self, low: float, high: float, *, digits: int) -> None:
        """Make a field for numbers from ``low`` to ``high`` with so many decimals."""
        super().__init__()
        self.setDecimals(digits)
        self.setRange(low, high)
        self.lineEdit().setTextMargins(7, 0, 0, 0)


WIDTH = 150


def parse_typed_number(text: str) -> float | None:
    """Return the number that a person typed, decimal comma or point; ``None`` if it is none."""
    try:
        number = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


class NumberEntry(QLineEdit):
    """Digits typed anywhere in the window begin a number here.

    Signals:
        given: a grade of the scale, and whether the document stays (Shift+Enter).
        off_scale: what was typed is no grade; carries a sentence.
        left: Esc was pressed, or a grade was given: the keyboard belongs elsewhere.
    """

    given = Signal(float, bool)
    off_scale = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: Scale | None = None
        self._grade: float | None = None
        self._counted: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMaxLength(24)
        self.setFixedWidth(scaled(WIDTH))

    def set_scale(self, scale: Scale) -> None:
        """Take numbers of another scale."""
        self._scale = scale
        self.setAccessibleName(_("Grade, a number of {label}").format(label=scale.label))
        self._hint()

    def set_counted(self, grade: float | None, why: str) -> None:
        """Show the grade that counts where the assessor has not given it; ``None`` for none.

        Args:
            grade: which, faint as what is not typed.
            why: it counts.
        """
        self._counted = grade
        self.setToolTip(plain_tooltip(why))
        self.setAccessibleDescription(why)
        self._hint()

    def _hint(self) -> None:
        if self._counted is not None:
            counted = _("Counts here: {grade}")
            self.setPlaceholderText(counted.format(grade=format_grade(self._counted)))
        elif self._scale is not None:
            self.setPlaceholderText(_("Type {label}, Enter").format(label=self._scale.label))

    def set_given(self, grade: float | None) -> None:
        """Show the grade that the document has, unless something is being typed."""
        self._grade = grade
        if not self.hasFocus():
            self.setText("" if grade is None else exact_grade(grade))

    def begin(self, text: str) -> None:
        """Begin a number with its first character."""
        self.setFocus()
        self.setText(text)

    @override
    def event(self, event: QEvent) -> bool:
        """Keep Enter, which is a command in some views."""
        is_asked = event.type() is QEvent.Type.ShortcutOverride
        if is_asked and isinstance(event, QKeyEvent) and event.key() in ENTER:
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give the grade on Enter, leave on Esc."""
        if event.key() in ENTER:
            stays = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if not event.isAutoRepeat():
                self._give(stays=stays)
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def _give(self, *, stays: bool) -> None:
        number = parse_typed_number(self.text())
        if self._scale is None or number is None or not self._scale.has_grade(number):
            label = self._scale.label if self._scale is not None else ""
            self.off_scale.emit(
                _("‘{text}’ is not a number of this scale ({label}).").format(
                    text=self.text(), label=label
                )
            )
            self.selectAll()
            return
        self._grade = number
        self._leave()
        self.given.emit(number, stays)

    def _leave(self) -> None:
        self.left.emit()
        self.clearFocus()
        self.set_given(self._grade)


class TextPane(QPlainTextEdit):
    """Lines that stand where the direction of the text begins, from its first letter on."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.textChanged.connect(self._follow_direction)
        self._follow_direction()

    def _follow_direction(self) -> None:
        side, option = (
            start_align(text_direction(self.toPlainText())),
            self.document().defaultTextOption(),
        )
        if option.alignment() != side:
            option.setAlignment(side)
            self.document().setDefaultTextOption(option)
