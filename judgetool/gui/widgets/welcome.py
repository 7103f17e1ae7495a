"""The welcome view: the window's own empty state, with what one can start from."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSpacerItem, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import (
    TURN,
    TWELVE_O_CLOCK,
    draw_frame,
    draw_key_cap,
    draw_text,
    key_cap_size,
    smooth,
    start_align,
)
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap
from judgetool.gui.widgets.painted import RING, PaintedButton, PaintedWidget, Panel, mirrored
from judgetool.gui.widgets.recent_list import RecentList, RecentProject

DROP_TITLE = "Or drop files here"
DROP_TEXT = (
    "Queries, documents, runs, judgments: TREC, CSV, JSON lines, Quepid and more. "
    "You see what was read before anything is kept."
)


class StartButton(PaintedButton):
    """A way to begin: icon, what it does, what comes of it, its key."""

    radius = 6.0

    def __init__(self, title: str, text: str, *, icon: str, key: str, parent: QWidget) -> None:
        """Make the button.

        Args:
            title: what it does.
            text: what comes of it.
            icon: Lucide's name.
            key: printed at the end.
            parent: of the widget.
        """
        super().__init__(parent)
        self._detail = text
        self._icon = icon
        self._key = key
        self.setText(title)
        self.setAccessibleName(f"{title} {text}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        needed = line_height(Role.UI_STRONG) + line_height(Role.META) + 14
        around = scaled(49) + 8 + key_cap_size(self._key)[0] + scaled(15) + 2
        words = max(text_width(Role.META, self._detail), text_width(Role.UI_STRONG, self.text()))
        return QSize(around + words, max(scaled(60), needed))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(120, self.sizeHint().height())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the face."""
        theme, face = self.theme, self.face
        ground = theme.sunken if self.isDown() else theme.hover if self.underMouse() else theme.base
        draw_frame(painter, face, radius=self.radius, border=theme.line_strong, ground=ground)
        square = QRectF(face.left() + scaled(15), face.center().y() - 10, 20, 20)
        draw_icon(painter, self.mirrored(square), name=self._icon, colour=theme.text3, px=20)
        width, height = key_cap_size(self._key)
        left = face.right() - scaled(15) - width
        cap = QRectF(left, face.top() + (face.height() - height) // 2, width, height)
        draw_key_cap(painter, self.mirrored(cap), theme, text=self._key)
        left = face.left() + scaled(49)
        upper, lower = line_height(Role.UI_STRONG), line_height(Role.META)
        top = face.top() + (face.height() - upper - lower) // 2
        lines = (
            (QRectF(left, top, cap.left() - left - 8, upper), self.text(), Role.UI_STRONG),
            (QRectF(left, top + upper, cap.left() - left - 8, lower), self._detail, Role.META),
        )
        for place, text, role in lines:
            ink = theme.text if role is Role.UI_STRONG else theme.text2
            align = start_align(self.layoutDirection())
            draw_text(painter, self.mirrored(place), text, role=role, colour=ink, align=align)


class DropZone(PaintedWidget):
    """Says that files can be dropped, and shows when they are held over the view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_over = False
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(f"{DROP_TITLE}. {DROP_TEXT}")

    def set_over(self, *, is_over: bool) -> None:
        """Show that files are held over the view."""
        self._is_over = is_over
        self.update()

    @override
    def hasHeightForWidth(self) -> bool:
        """Whether the height follows from the width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Return the height at a width."""
        return line_height(Role.UI_STRONG) + self._text_height(width) + 2 * scaled(14) + 4

    def _text_height(self, width: int) -> int:
        face = QFontMetrics(font(Role.META))
        box = face.boundingRect(
            0, 0, width - 2 * scaled(20), 1000, int(Qt.TextFlag.TextWordWrap), DROP_TEXT
        )
        lines = round(box.height() / max(1, face.lineSpacing()))
        return lines * scaled(18)

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(scaled(300), self.heightForWidth(max(self.width(), scaled(300))))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        theme = self.theme
        frame = QRectF(self.rect()).adjusted(RING + 0.5, 0.5, -RING - 0.5, -0.5)
        with smooth(painter):
            colour = theme.accent if self._is_over else theme.line_strong
            pen = QPen(colour, 2.0 if self._is_over else 1.0)
            pen.setDashPattern([3, 2])
            painter.setPen(pen)
            painter.setBrush(theme.selected if self._is_over else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, 6, 6)
        top = float(scaled(14))
        inner = QRectF(scaled(20), top, self.width() - 2 * scaled(20), 0)
        inner.setHeight(line_height(Role.UI_STRONG))
        align = start_align(self.layoutDirection())
        place = mirrored(self, inner)
        draw_text(painter, place, DROP_TITLE, role=Role.UI_STRONG, colour=theme.text, align=align)
        self._paint_text(painter, inner)

    def _paint_text(self, painter: QPainter, above: QRectF) -> None:
        """Write the sentence word by word, so that its lines are 18 px apart."""
        face = QFontMetrics(font(Role.META))
        line, lines = "", []
        for word in DROP_TEXT.split():
            longer = f"{line} {word}".strip()
            if line and face.horizontalAdvance(longer) > above.width():
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
        top = above.bottom() + 1
        for text in lines:
            place = mirrored(self, QRectF(above.left(), top, above.width(), scaled(18)))
            align = start_align(self.layoutDirection())
            draw_text(painter, place, text, role=Role.META, colour=self.theme.text2, align=align)
            top += scaled(18)


class Brand(PaintedWidget):
    """The mark, the name, and what it is for."""

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(
            scaled(400), line_height(Role.TITLE_FOCUS) + scaled(6) + line_height(Role.NEED)
        )

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        theme = self.theme
        height = line_height(Role.TITLE_FOCUS)
        mark = mirrored(self, QRectF(1, (height - 32) / 2, 32, 32))
        with smooth(painter):
            painter.setPen(QPen(theme.accent, 3.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = mark.adjusted(1.5, 1.5, -1.5, -1.5)
            painter.drawEllipse(ring)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent)
            painter.drawPie(ring, TWELVE_O_CLOCK, -round(TURN * 2 / 3))
        align = start_align(self.layoutDirection())
        name = QRectF(scaled(46), 0, self.width() - scaled(46), height)
        draw_text(
            painter,
            mirrored(self, name),
            "judgetool",
            role=Role.TITLE_FOCUS,
            colour=theme.text,
            align=align,
        )
        below = QRectF(0, height + scaled(6), self.width(), line_height(Role.NEED))
        text = "Judge search results. See at once what each judgment does to the numbers."
        draw_text(
            painter,
            mirrored(self, below),
            text,
            role=Role.NEED,
            colour=theme.text2,
            align=align,
        )


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
