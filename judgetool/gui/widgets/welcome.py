"""The welcome view: the window's own empty state, with what one can start from."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSpacerItem, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap
from judgetool.gui.widgets.painted import RING, Panel
from judgetool.gui.widgets.recent_list import RecentList, RecentProject
from judgetool.gui.widgets.welcome_parts import Brand, DropZone, StartButton

_WIDTH = 980
_MARGIN = 60
_GAP = 36
_LOW = 430
_START_SHARE = 384 / 980

SAMPLE_TEXT = "20 queries, 161 recipes, 3 runs, two assessors"


class WelcomeView(Panel):
    """Start (sample, new, open, drop) at the left, recent projects at the right.

    ``S``, ``N`` and ``O`` start; the arrows, Enter and Del work in the list.
    """

    sample_chosen = Signal()
    new_chosen = Signal()
    open_chosen = Signal()
    recent_chosen = Signal(str)
    locate_chosen = Signal(str)
    removed = Signal(str)
    files_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sample = StartButton(
            "Try the sample", SAMPLE_TEXT, icon="flask-conical", key="S", parent=self
        )
        self.new = StartButton(
            "New project…",
            "Choose a scale, then import your files",
            icon="file-plus",
            key="N",
            parent=self,
        )
        self.open = StartButton(
            "Open…", "A .judge file from this machine", icon="folder-open", key="O", parent=self
        )
        self.drop_zone = DropZone(self)
        self.recent = RecentList(self)
        self._hints = QWidget(self)
        self._start_column = QWidget(self)
        self._page = QWidget(self)
        self.setAcceptDrops(True)
        self.setAccessibleName("Welcome")
        self._arrange()
        self._connect()

    def _connect(self) -> None:
        self.sample.clicked.connect(self.sample_chosen)
        self.new.clicked.connect(self.new_chosen)
        self.open.clicked.connect(self.open_chosen)
        self.recent.chosen.connect(self.recent_chosen)
        self.recent.locate_chosen.connect(self.locate_chosen)
        self.recent.removed.connect(self.removed)

    def _arrange(self) -> None:
        start = QVBoxLayout(self._start_column)
        start.setContentsMargins(0, 0, 0, 0)
        start.setSpacing(0)
        start.addWidget(self._caption("Start", indent=RING))
        start.addSpacing(scaled(14) - RING)
        for button in (self.sample, self.new, self.open):
            start.addWidget(button)
            start.addSpacing(10 - 2 * RING)
        start.addSpacing(10 + RING)
        start.addWidget(self.drop_zone)
        start.addStretch(1)
        self._fill_hints()
        recent = QVBoxLayout()
        recent.setSpacing(0)
        recent.addWidget(self._caption("Recent", indent=0))
        recent.addSpacing(scaled(14))
        recent.addWidget(self.recent)
        recent.addSpacing(scaled(14))
        recent.addWidget(self._hints)
        recent.addStretch(1)
        columns = QHBoxLayout()
        columns.setSpacing(_GAP - RING)
        columns.addWidget(self._start_column)
        columns.addLayout(recent, stretch=1)
        page = QVBoxLayout(self._page)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        brand = QHBoxLayout()
        brand.setContentsMargins(RING, 0, 0, 0)
        brand.addWidget(Brand(self._page))
        page.addLayout(brand)
        self._below_brand = QSpacerItem(0, scaled(34))
        page.addSpacerItem(self._below_brand)
        page.addLayout(columns, stretch=1)

    def _caption(self, text: str, *, indent: int) -> QWidget:
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(indent, 0, 0, 0)
        row.addWidget(ElidedLabel(text, role=Role.META, ink="text3", parent=holder))
        return holder

    def _fill_hints(self) -> None:
        row = QHBoxLayout(self._hints)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        hints = ((("↑", "↓"), "choose"), (("Enter",), "open"), (("Del",), "take off this list"))
        for keys, text in hints:
            for key in keys:
                row.addWidget(KeyCap(key, parent=self._hints))
            row.addWidget(ElidedLabel(text, role=Role.META, ink="text2", parent=self._hints))
            row.addSpacing(10)
        row.addStretch(1)

    def set_recent(self, projects: Sequence[RecentProject]) -> None:
        """List the projects that were open before, latest first; perhaps none."""
        self.recent.set_projects(tuple(projects))
        self._hints.setVisible(bool(projects))
        if self.isVisible():
            self.take_keyboard()

    def take_keyboard(self) -> None:
        """Give the keyboard to the list, or to the sample when there is nothing recent."""
        target = self.recent if self.recent.projects else self.sample
        target.setFocus()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Take the keyboard when shown."""
        super().showEvent(event)
        self.take_keyboard()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        buttons = {Qt.Key.Key_S: self.sample, Qt.Key.Key_N: self.new, Qt.Key.Key_O: self.open}
        button = buttons.get(Qt.Key(event.key()))
        if button is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            button.click()
        else:
            super().keyPressEvent(event)

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self.drop_zone.set_over(is_over=True)

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Forget the files that were held over."""
        self.drop_zone.set_over(is_over=False)
        super().dragLeaveEvent(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Tell which files were dropped."""
        self.drop_zone.set_over(is_over=False)
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new size."""
        super().resizeEvent(event)
        self._place()

    @override
    def relayout(self) -> None:
        """Lay out anew after a change of font."""
        super().relayout()
        self._place()

    def _place(self) -> None:
        """Put the page a third of the way down, as wide as it may be."""
        # At large texts on a low screen: files can be dropped anywhere, and the buttons come first.
        is_low = self.height() < scaled(_LOW)
        self.drop_zone.setVisible(not is_low)
        self._below_brand.changeSize(0, 4 if is_low else scaled(34))
        layout = self._page.layout()
        if layout is not None:
            layout.invalidate()
        width = min(scaled(_WIDTH), self.width() - 2 * min(_MARGIN, self.width() // 16)) + RING
        # The texts of the start column stay whole; the list elides its folders sooner.
        start = max(round(width * _START_SHARE), min(self.sample.sizeHint().width(), width // 2))
        self._start_column.setFixedWidth(start + RING)
        needed = self._page.sizeHint().height()
        spare = max(0, self.height() - needed)
        top = max(4 if is_low else 16, min(spare // 2 - scaled(18), round(spare * 0.4)))
        left = (self.width() - width) // 2 - 2
        self._page.setGeometry(left, top, width, max(needed, self.height() - top))

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(scaled(1100), scaled(640))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(scaled(720), scaled(460))
