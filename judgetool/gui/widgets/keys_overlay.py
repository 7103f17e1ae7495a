"""All keys at a glance, over the window: ``?`` opens it, ``Esc`` or ``?`` closes it."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import draw_frame, draw_line
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.keys_page import INSET, KeyGroup, KeysPage, matching_groups
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap
from judgetool.gui.widgets.painted import PaintedWidget

_MARGIN = 48
_LEAST_MARGIN = 28
_MOST_WIDTH = 1140
_HEAD = 54
_FOOT = 40


class _Sheet(PaintedWidget):
    """The raised sheet with its border and the lines under head and over foot."""

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        theme = self.theme
        whole = QRectF(self.rect())
        draw_frame(painter, whole, radius=7, border=theme.line_strong, ground=theme.raised)
        inner = whole.adjusted(1, 0, -1, 0)
        head = QRectF(inner.left(), 0, inner.width(), scaled(_HEAD))
        draw_line(painter, head, theme.line)
        foot = QRectF(inner.left(), 0, inner.width(), whole.height() - scaled(_FOOT))
        draw_line(painter, foot, theme.line)


class KeysOverlay(PaintedWidget):
    """A child that covers its parent: a scrim, and on it the keys with a search field.

    Typing filters; the first ``Esc`` empties the field, the next closes. A click
    outside the sheet closes too. The keyboard goes back to where it was.

    Signals:
        closed: it went away.
        change_requested: the person wants other keys.
        preset_chosen: name of the set of keys that the person wants to start from.
    """

    closed = Signal()
    change_requested = Signal()
    preset_chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self._groups: tuple[KeyGroup, ...] = ()
        self._is_due = False
        self._before: QWidget | None = None
        self._sheet = _Sheet(self)
        self.search = QLineEdit(self._sheet)
        self.search.setPlaceholderText("Type to find an action")
        self.search.setAccessibleName("Find an action")
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self._lens = self.search.addAction(
            themed_icon("search", self.theme), QLineEdit.ActionPosition.LeadingPosition
        )
        self.change = QPushButton("Change keys…", self._sheet)
        self.change.setAutoDefault(False)
        self.change.clicked.connect(self.change_requested)
        self.presets = NamedCombo(self._sheet)
        self.presets.setAccessibleName("Set of keys")
        self.presets.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.presets.hide()
        self.presets.activated.connect(self._choose_preset)
        self._page = KeysPage()
        self._remark = ElidedLabel(role=Role.META, ink="text2", parent=self._sheet)
        self._arrange()
        self.setAccessibleName("Keys")
        self.hide()
        parent.installEventFilter(self)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(INSET, 0, INSET, 0)
        head.setSpacing(12)
        head.addWidget(ElidedLabel("Keys", role=Role.DIALOG_TITLE, parent=self._sheet))
        head.addWidget(self.presets)
        head.addStretch(1)
        self.search.setFixedWidth(scaled(240))
        head.addWidget(self.search)
        head.addWidget(self.change)
        foot = QHBoxLayout()
        foot.setContentsMargins(INSET, 0, INSET, 0)
        foot.addWidget(self._remark, stretch=1)
        foot.addWidget(KeyCap("Esc", parent=self._sheet))
        foot.addWidget(ElidedLabel("close", role=Role.META, ink="text2", parent=self._sheet))
        scroll = QScrollArea(self._sheet)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._page)
        scroll.viewport().setAutoFillBackground(False)
        self._page.setAutoFillBackground(False)
        column = QVBoxLayout(self._sheet)
        column.setContentsMargins(1, 0, 1, 1)
        column.setSpacing(0)
        for part, height in ((head, _HEAD), (foot, _FOOT)):
            holder = QWidget(self._sheet)
            holder.setLayout(part)
            holder.setFixedHeight(scaled(height))
            column.addWidget(holder)
        column.insertWidget(1, scroll, stretch=1)

    @property
    def page(self) -> KeysPage:
        """The page of keys, as of now."""
        self._catch_up()
        return self._page

    def set_groups(self, groups: tuple[KeyGroup, ...], *, remark: str = "") -> None:
        """Say which keys there are.

        Args:
            groups: by task.
            remark: at the foot, such as that keys never fire while typing.
        """
        self._groups = groups
        self._remark.set_text(remark)
        self._is_due = True
        # To lay all keys out takes as long as to show another view: only for whoever looks.
        if not self.isHidden():
            self._catch_up()
            self._place()

    def _catch_up(self) -> None:
        if self._is_due:
            self._is_due = False
            self._filter(self.search.text())

    def set_presets(self, presets: Mapping[str, str], current: str) -> None:
        """Offer sets of keys to start from, by name with their titles."""
        self.presets.clear()
        for name, title in presets.items():
            self.presets.addItem(title, name)
        self.presets.setCurrentIndex(self.presets.findData(current))
        self.presets.setVisible(bool(presets))

    def _choose_preset(self) -> None:
        self.search.setFocus()
        self.preset_chosen.emit(str(self.presets.currentData()))

    def open(self) -> None:
        """Cover the parent and take the keyboard."""
        window = self.window()
        self._before = window.focusWidget()
        self.search.clear()
        self._catch_up()
        self._place()
        self.show()
        self.raise_()
        self.search.setFocus()

    @override
    def close(self) -> bool:
        """Go away and give the keyboard back."""
        if self.isHidden():
            return True
        self.hide()
        if self._before is not None:
            self._before.setFocus()
        self._before = None
        self.closed.emit()
        return True

    def toggle(self) -> None:
        """Open when closed, close when open."""
        if self.isHidden():
            self.open()
        else:
            self.close()

    def _filter(self, wanted: str) -> None:
        self._page.set_groups(matching_groups(self._groups, wanted))

    def _place(self) -> None:
        """Cover the parent; the sheet is as large as its content lets it be."""
        self.setGeometry(self._host.rect())
        width = min(scaled(_MOST_WIDTH), self.width() - 2 * _MARGIN)
        height = min(self.height() - 2 * _LEAST_MARGIN, self._sheet_height(width))
        left, top = (self.width() - width) // 2, (self.height() - height) // 2
        self._sheet.setGeometry(QRect(left, top, width, height))

    def _sheet_height(self, width: int) -> int:
        """Return the height that all keys need at a width, so that filtering does not move the sheet."""
        probe = KeysPage()
        probe.resize(width - 2, 10)
        probe.set_groups(self._groups)
        height = probe.minimumHeight()
        probe.deleteLater()
        return height + scaled(_HEAD) + scaled(_FOOT) + 1

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the parent's size; let Esc and ? in the field mean the sheet."""
        if isinstance(event, QResizeEvent):
            if watched is self._host and self.isVisible():
                self._place()
        elif isinstance(event, QKeyEvent) and watched is self.search:
            is_press = event.type() is QEvent.Type.KeyPress
            if is_press and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Question):
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc or ?; an Esc in a filled field only empties it."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Question):
            self.close()
        # Nothing else reaches the window under the sheet.
        event.accept()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close on a click outside the sheet."""
        event.accept()
        self.close()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme, font and enabledness."""
        if event.type() is QEvent.Type.PaletteChange:
            self._lens.setIcon(themed_icon("search", self.theme))
        super().changeEvent(event)

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the scrim."""
        painter.fillRect(self.rect(), self.theme.scrim)
