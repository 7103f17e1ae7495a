"""What takes further lines where width is lacking, parts beside each other and what a box says; what scrolls."""

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMargins,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFrame,
    QLayout,
    QLayoutItem,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QSpacerItem,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from judgetool.core import override
from judgetool.gui.keymap import ENTER
from judgetool.gui.painting import draw_focus_ring
from judgetool.gui.theme import Role, current_theme, line_height, scaled
from judgetool.gui.widgets.labels import breakable
from judgetool.gui.widgets.painted import RING

# What grows wishes for no more than this, in px at a 13 px font: it takes what its line has left.
_GROWING = 200
# Between lines, in px.
_MOST_BETWEEN = 8


class FlowLayout(QLayout):
    """Lines of parts, each as wide as it wishes or as the line is.

    Args:
        parent: whose widgets they are; ``None`` for what is put into another layout.
        gap: px between two of them; lines stand closer where that is much.
    """

    def __init__(self, parent: QWidget | None = None, *, gap: int) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._shares: dict[int, int] = {}
        self._gap = gap

    def put(self, part: QWidget | QLayout | None) -> None:
        """Put a part at the end; ``None`` puts room that takes what its line has left."""
        if isinstance(part, QWidget):
            self.addWidget(part)
        elif part is not None:
            self.addChildLayout(part)
            self.addItem(part)
        else:
            self.addItem(QSpacerItem(0, 0))
            self.let_grow(1)

    def let_grow(self, share: int) -> None:
        """Let the last part take a share of what its line has left."""
        self._shares[len(self._items) - 1] = share

    @override
    def addItem(self, item: QLayoutItem) -> None:
        """Take an item at the end."""
        self._items.append(item)

    @override
    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or ``None`` beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        """Give an item away, or ``None`` beyond the end."""
        if not 0 <= index < len(self._items):
            return None
        self._shares = {at - (at > index): n for at, n in self._shares.items() if at != index}
        return self._items.pop(index)

    @override
    def expandingDirections(self) -> Qt.Orientation:
        """Return that it needs no more than it asks for."""
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        """Return that its height depends on its width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Return how high the lines are together at a width."""
        return self._place(QRect(0, 0, width, 0), moves=False)

    @override
    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._place(rect, moves=True)

    @override
    def sizeHint(self) -> QSize:
        """Return the size of one line."""
        return self._with_margins(sum(map(self._wish, self._shown)) + self._gaps(self._shown))

    @override
    def minimumSize(self) -> QSize:
        """Return room for the widest part."""
        leasts = (self._items[place].minimumSize().width() for place in self._shown)
        return self._with_margins(max(leasts, default=0))

    def _with_margins(self, width: int) -> QSize:
        margins = self.contentsMargins()
        height = max((self._items[at].sizeHint().height() for at in self._shown), default=0)
        return QSize(width, height).grownBy(margins)

    @property
    def _shown(self) -> list[int]:
        """Places of what is seen, and of what is room alone."""
        items = enumerate(self._items)
        return [at for at, item in items if not item.isEmpty() or item.spacerItem() is not None]

    def _wish(self, place: int) -> int:
        item = self._items[place]
        wish, least = item.sizeHint().width(), item.minimumSize().width()
        wish = min(wish, scaled(_GROWING)) if place in self._shares else wish
        return min(max(least, wish), item.maximumSize().width())

    def _lines(self, room: int) -> list[list[int]]:
        """Return the places of what stands on each line."""
        lines: list[list[int]] = [[]]
        taken = 0
        for place in self._shown:
            width = min(self._wish(place), room)
            if taken and taken + width > room:
                lines.append([])
                taken = 0
            lines[-1].append(place)
            taken += width + (0 if self._items[place].spacerItem() else self._gap)
        return lines

    def _gaps(self, line: list[int]) -> int:
        """Return what stands free between the parts of a line."""
        n_parts = sum(self._items[place].spacerItem() is None for place in line)
        return self._gap * max(0, n_parts - 1)

    def _widths(self, line: list[int], room: int) -> list[int]:
        """Return how wide each part of a line is: as it wishes, and what is left by its share."""
        widths = {place: min(self._wish(place), room) for place in line}
        left = max(0, room - sum(widths.values()) - self._gaps(line))
        most = {place: self._items[place].maximumSize().width() for place in line}
        growing = [place for place in line if place in self._shares]
        whole = sum(self._shares[place] for place in growing)
        # What can take least comes first: the others share what it leaves.
        for place in sorted(growing, key=most.__getitem__):
            extra = min(left * self._shares[place] // whole, most[place] - widths[place])
            widths[place] += extra
            left, whole = left - extra, whole - self._shares[place]
        return list(widths.values())

    def _place(self, rect: QRect, *, moves: bool) -> int:
        margins = self.contentsMargins()
        inner = rect.marginsRemoved(margins)
        parent, top = self.parentWidget(), inner.top()
        direction = parent.layoutDirection() if parent else Qt.LayoutDirection.LeftToRight
        for number, line in enumerate(self._lines(max(1, inner.width()))):
            widths = self._widths(line, max(1, inner.width()))
            sizes = list(zip(map(self._items.__getitem__, line), widths, strict=True))
            height = max((_height(item, width) for item, width in sizes), default=0)
            left, top = inner.left(), top + (min(self._gap, _MOST_BETWEEN) if number else 0)
            for item, width in sizes:
                if moves:
                    place = QRect(QPoint(left, top), QSize(width, height))
                    item.setGeometry(QStyle.visualRect(direction, inner, place))
                left += width + (0 if item.spacerItem() else self._gap)
            top += height
        return top - rect.top() + margins.bottom()


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


if TYPE_CHECKING:
    _Button = QCheckBox
else:
    _Button = object

_WRAPS = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextShowMnemonic
_HIGHEST = 10_000


class _Wrapping(_Button):
    """A button with words beside its sign, which take as many lines as they need.

    Args:
        text: the words, perhaps with a mnemonic.

    Attributes:
        shape: what the style draws.
        words: where it puts words.
    """

    shape = QStyle.ControlElement.CE_CheckBox
    words = QStyle.SubElement.SE_CheckBoxContents

    def __init__(self, text: str) -> None:
        super().__init__(text)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _room(self, width: int) -> QRect:
        """Return where words may stand at a width, as far down as they like."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.rect = QRect(0, 0, width, super().sizeHint().height())
        room = self.style().subElementRect(self.words, option, self)
        above = (option.rect.height() - self.fontMetrics().height()) // 2
        return QRect(room.left(), above, room.width(), _HIGHEST)

    def _lines(self, width: int) -> QRect:
        """Return what the words take at a width."""
        return self.fontMetrics().boundingRect(self._room(width), _WRAPS, breakable(self.text()))

    def _is_whole(self, width: int) -> bool:
        return width >= super().sizeHint().width()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Enter to the dialog: on some desktops alone Qt would press the button by it."""
        if event.key() in ENTER:
            event.ignore()
        else:
            super().keyPressEvent(event)

    @override
    def sizeHint(self) -> QSize:
        """Return the width of one line, and the height of those that there are now."""
        hint = super().sizeHint()
        return QSize(hint.width(), self.heightForWidth(self.width())) if self.isVisible() else hint

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wish another height at another width."""
        super().resizeEvent(event)
        if self.heightForWidth(event.oldSize().width()) != self.heightForWidth(self.width()):
            self.updateGeometry()

    @override
    def heightForWidth(self, width: int) -> int:
        """Return how high all lines are."""
        height = super().sizeHint().height()
        if self._is_whole(width):
            return height
        return max(height, self._lines(width).height() + 2 * self._room(width).top())

    @override
    def minimumSizeHint(self) -> QSize:
        """Return room for the longest word."""
        hint, metrics = super().sizeHint(), self.fontMetrics()
        beside = hint.width() - metrics.size(Qt.TextFlag.TextShowMnemonic, self.text()).width()
        longest = max(
            map(metrics.horizontalAdvance, re.split(r"[ \u200b]", breakable(self.text())))
        )
        return QSize(min(hint.width(), beside + longest + 1), hint.height())

    @override
    def hitButton(self, pos: QPoint) -> bool:
        """Whether a place is on the sign or on any of the lines."""
        if self._is_whole(self.width()):
            return super().hitButton(pos)
        return self.rect().contains(pos)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the sign beside the first line, and all lines."""
        if self._is_whole(self.width()):
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        option.rect.setHeight(super().sizeHint().height())
        option.text = ""
        painter.drawControl(self.shape, option)
        hint = QStyle.StyleHint.SH_UnderlineShortcut
        shows = self.style().styleHint(hint, option, self)
        side = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignLeft)
        flags = side | Qt.TextFlag.TextWordWrap
        flags |= Qt.TextFlag.TextShowMnemonic if shows else Qt.TextFlag.TextHideMnemonic
        painter.drawItemText(
            self._room(self.width()),
            int(flags),
            option.palette,
            self.isEnabled(),
            breakable(self.text()),
            self.foregroundRole(),
        )


class WrappedCheck(_Wrapping, QCheckBox):
    """A check box that says all of its words."""


class WrappedRadio(_Wrapping, QRadioButton):
    """A radio button that says all of its words."""

    shape = QStyle.ControlElement.CE_RadioButton
    words = QStyle.SubElement.SE_RadioButtonContents


class Scrolled(QScrollArea):
    """As high as its content where there is room; where there is less it scrolls, by keys too.

    Sideways, too, where large text makes what cannot be broken wider than the screen.

    Args:
        content: what is inside.
        name: what readers call it where it has the keyboard; ``""`` for the window's title.
    """

    heard_as = QAccessible.Role.Grouping

    def __init__(self, content: QWidget, name: str = "") -> None:
        super().__init__()
        self._content = content
        self._name = name
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.verticalScrollBar().rangeChanged.connect(self._on_range)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)

    def bring_into_view(self, part: QWidget) -> None:
        """Scroll to a part that was just added, once it has its place."""

        def show() -> None:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            self.ensureWidgetVisible(part, 0, scaled(16))

        QTimer.singleShot(0, part, show)

    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        # Qt shows what Tab leads to within the area, not what it leads to from outside. What the
        # mouse presses stays under it, and all stays where another window had the keyboard.
        is_pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if before is None or now is None or is_pressed:
            return
        holds = self._content.isAncestorOf
        if holds(now) and not holds(before):
            self.ensureWidgetVisible(now)

    def _on_range(self, _least: int, most: int) -> None:
        # Where fields are inside, Tab brings each of them into view.
        inside = self._content.findChildren(QWidget)
        has_fields = any(each.focusPolicy() & Qt.FocusPolicy.TabFocus for each in inside)
        is_stop = most > 0 and not has_fields
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_stop else Qt.FocusPolicy.NoFocus)
        # A panel that has a name is read with all its texts, which are those of the dialog.
        self.setAccessibleName((self._name or self.window().windowTitle()) if is_stop else "")

    @override
    def sizeHint(self) -> QSize:
        """Return the size of the content at the width that there is."""
        hint = self._content.sizeHint()
        if self._content.hasHeightForWidth() and self.isVisible():
            hint.setHeight(self._content.heightForWidth(self.viewport().width()))
        # Nothing takes another line only because it scrolls.
        return hint.grownBy(QMargins(0, 0, self.verticalScrollBar().sizeHint().width(), 0))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the width of the content, and the height of three lines of it."""
        least = (
            self._content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        )
        return QSize(least, min(self.sizeHint().height(), 3 * line_height(Role.UI)))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wish another height at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the content when it wants another height."""
        if watched is self._content and event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Show where the keyboard is."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            inner = QRectF(self.viewport().rect()).adjusted(RING, RING, -RING, -RING)
            draw_focus_ring(painter, inner, current_theme(), radius=4)
            painter.end()
