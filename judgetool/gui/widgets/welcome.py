"""The welcome view: the window's own empty state, with what one can start from and had open before."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QPalette,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLayout,
    QSpacerItem,
    QWidget,
)

from judgetool.core import override
from judgetool.gui.keymap import ENTER
from judgetool.gui.painting import (
    CENTRE,
    TURN,
    TWELVE_O_CLOCK,
    draw_frame,
    draw_text,
    smooth,
)
from judgetool.gui.theme import Role, font, icon_side, line_height, scaled, text_width
from judgetool.gui.widgets.buttons import FaceButton
from judgetool.gui.widgets.labels import (
    Align,
    CapPart,
    ElidedLabel,
    IconPart,
    KeyCap,
    LinePart,
    Look,
    Part,
    Piece,
    Places,
    Row,
    TextPart,
    TrackPart,
)
from judgetool.gui.widgets.painted import RING, PaintedWidget, Panel, fill_width, in_column, in_line
from judgetool.gui.widgets.rows import RowView
from judgetool.gui.widgets.status_line import progress_text
from judgetool.wording import N_, _, pgettext

ROW = 52
MOST = 8
_INSET = 15
_TRACK = 96
_LOCATE = N_("Locate…")
_STOP = Qt.FocusPolicy.StrongFocus


class RecentProject(NamedTuple):
    """One project that was open before.

    Attributes:
        path: of its file; what the signals say.
        name: shown first.
        folder: where it lies, in short.
        progress: judged and total; ``None`` when not known.
        when: it was last open, in words.
        is_missing: whether there is no such file now.
    """

    path: str
    name: str
    folder: str
    progress: tuple[int, int] | None = None
    when: str = ""
    is_missing: bool = False

    @property
    def progress_text(self) -> str:
        """The count in words, or ``""``."""
        if self.progress is None:
            return ""
        return progress_text(*self.progress)

    @property
    def in_words(self) -> str:
        """The whole row as a reader says it."""
        state = _("not there") if self.is_missing else self.progress_text
        return ", ".join(part for part in (self.name, self.folder, state, self.when) if part)


class _LocatePart(NamedTuple):
    """What a click on a project that is not there does."""

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw it as a button."""
        theme = look.theme
        draw_frame(painter, rect, radius=6, border=theme.line_strong, ground=theme.base)
        draw_text(painter, rect, _(_LOCATE), role=Role.UI, colour=theme.text, align=CENTRE)


class RecentList(PaintedWidget):
    """A row per project: arrows choose, Enter or a click opens, Del takes off the list.

    A project that is not there is located instead of opened.

    Attributes:
        rows: the projects.
    """

    chosen = Signal(str)
    locate_chosen = Signal(str)
    removed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.rows = RowView(_("Recent projects"), _show, self._place, height=_row_height)
        self.rows.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self.rows.be_whole()
        self.rows.row_clicked.connect(lambda place: self._open(self.projects[place].path))
        self.rows.row_opened.connect(self._open)
        self._nothing = QLabel(_("Projects that you open are listed here."))
        self.setFocusProxy(self.rows)
        fill_width(self)
        # Inside the corners of the frame.
        in_column(self.rows, self._nothing, host=self, margins=(2, 2, 2, 2))
        self.set_projects(())

    @property
    def projects(self) -> tuple[RecentProject, ...]:
        """What is shown."""
        return self.rows.rows

    def set_projects(self, projects: tuple[RecentProject, ...]) -> None:
        """Show other projects, latest first; more than eight are left out."""
        shown = projects[:MOST]
        self.rows.set_rows(shown)
        self.rows.setVisible(bool(shown))
        # What has no rows takes no keyboard: Tab would go to it for ever.
        self.rows.setFocusPolicy(_STOP if shown else Qt.FocusPolicy.NoFocus)
        self._nothing.setVisible(not shown)
        if shown and self.rows.current is None:
            self.rows.set_current(shown[0].path)
        self.update()

    def _place(self, width: int, _rows: Sequence[Row]) -> Places:
        """Return the places of line, name, folder, progress, track, when, and what is missing."""
        upper, lower, height = line_height(Role.UI_STRONG), line_height(Role.META), _row_height()
        top, right = (height - upper - lower) / 2, width - _INSET
        counts = max((text_width(Role.META, p.progress_text) for p in self.projects), default=0)
        times = max((text_width(Role.META, p.when) for p in self.projects), default=0) + 1
        # Where progress begins: its words and the times beside them stay whole.
        needed = counts + 16 + times + _INSET
        middle = max(width * 0.35, min(width * 0.535, width - needed))
        room = max(0.0, right - times - 12 - middle)
        names = middle - _INSET - 12
        button = text_width(Role.UI, _(_LOCATE)) + 2 * scaled(13)
        return (
            QRectF(0, 0, width, height),
            QRectF(_INSET, top, names, upper),
            QRectF(_INSET, top + upper, names, lower),
            QRectF(middle, top, room, upper),
            QRectF(middle, top + upper + 1, min(room, scaled(_TRACK)), scaled(14)),
            QRectF(right - times, 0, times, height),
            QRectF(middle, 0, icon_side(14), height),
            QRectF(middle + icon_side(14) + 6, 0, scaled(100), height),
            QRectF(right - button, (height - scaled(26)) // 2, button, scaled(26)),
        )

    def _open(self, path: object) -> None:
        is_missing = any(each.path == path and each.is_missing for each in self.projects)
        (self.locate_chosen if is_missing else self.chosen).emit(path)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the current project off the list by Del."""
        current = self.rows.current
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and current is not None:
            self.removed.emit(current)
        else:
            super().keyPressEvent(event)

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the frame around the rows."""
        if self.projects:
            whole, theme = QRectF(self.rect()), self.theme
            draw_frame(painter, whole, radius=6, border=theme.line_strong, ground=theme.base)


def _row_height() -> int:
    """Return the height of every row: 52 px at a 13 px font."""
    return max(scaled(ROW), line_height(Role.UI_STRONG) + line_height(Role.META) + 8)


def _show(project: RecentProject) -> Row:
    ink = "text3" if project.is_missing else "text"
    names: tuple[Part | None, ...] = (
        LinePart(),
        TextPart(project.name, Role.UI_STRONG, ink),
        TextPart(project.folder, Role.META, "text3"),
    )
    state: tuple[Part | None, ...] = (None, None, None)
    if project.is_missing:
        words = TextPart(_("not there"), Role.META, "warn")
        state += (IconPart("triangle-alert", "warn"), words, _LocatePart())
    else:
        count = track = None
        if project.progress is not None:
            judged, total = project.progress
            count = TextPart(project.progress_text, Role.META, "text2")
            track = TrackPart(min(1.0, judged / total) if total else 0.0)
        state = (count, track, TextPart(project.when, Role.META, "text2", Align.END))
    return Row(project.path, names + state, project.in_words)


DROP_TITLE = N_("Or drop files here")
DROP_TEXT = N_(
    "Queries, documents, runs, judgments: TREC, CSV, JSON lines, Quepid and more. "
    "You see what was read before anything is kept."
)


class _LinesPart(NamedTuple):
    """What a button does, over what comes of it."""

    title: str
    detail: str

    @property
    def width(self) -> int:
        """The width of the longer line, in px."""
        title, detail = text_width(Role.UI_STRONG, self.title), text_width(Role.META, self.detail)
        return max(title, detail) + 2

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Write both lines, in the middle of the height."""
        upper, lower = line_height(Role.UI_STRONG), line_height(Role.META)
        top = rect.top() + (rect.height() - upper - lower) // 2
        for at, height, part in (
            (top, upper, TextPart(self.title, Role.UI_STRONG)),
            (top + upper, lower, TextPart(self.detail, Role.META, "text2")),
        ):
            part.paint(painter, QRectF(rect.left(), at, rect.width(), height), look)


class StartButton(FaceButton):
    """A way to begin: icon, what it does, what comes of it, its key."""

    inset = 15.0

    def __init__(self, title: str, text: str, *, icon: str, key: str) -> None:
        """Make the button.

        Args:
            title: what it does.
            text: what comes of it.
            icon: Lucide's name.
            key: printed at the end.
        """
        super().__init__()
        self._detail = text
        self._icon = icon
        self._key = key
        self.setText(title)
        self.setAccessibleName(f"{title} {text}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        fill_width(self)

    @override
    def face_size(self) -> QSize:
        """Return the size of the face: both lines, and 60 px at a 13 px font."""
        needed = line_height(Role.UI_STRONG) + line_height(Role.META) + 14
        return super().face_size().expandedTo(QSize(0, max(scaled(60), needed)))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(120, self.sizeHint().height())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        if event.key() in ENTER:
            self.click()
        else:
            super().keyPressEvent(event)

    @override
    def frame(self) -> tuple[str, str]:
        """Return a ground that follows the pointer."""
        ground = "sunken" if self.isDown() else "hover" if self.underMouse() else "base"
        return "line_strong", ground

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return icon, lines and key."""
        icon = IconPart(self._icon, px=20)
        lines = _LinesPart(self.text(), self._detail)
        # The words stand 34 px further in than the icon, at a 13 px font.
        gap = scaled(49) - scaled(15) - icon.side
        return (
            icon.piece(),
            Piece(lines, lines.width, gap, gives=True),
            CapPart(self._key).piece(8),
        )


class FileTarget:
    """A widget on which files of this machine can be dropped, if it accepts drops."""

    def show_held(self, *, is_over: bool) -> None:
        """Show whether files are held over it; those that care do."""

    def take_files(self, paths: list[str]) -> None:
        """Do with what was dropped what is to be done."""
        raise NotImplementedError

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, not web addresses."""
        if _local_paths(event):
            event.acceptProposedAction()
            self.show_held(is_over=True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Forget the files that were held over."""
        self.show_held(is_over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take what was dropped: files are among it, or it was not taken when it came."""
        self.show_held(is_over=False)
        event.acceptProposedAction()
        self.take_files(_local_paths(event))


def _local_paths(event: QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]


class DropZone(PaintedWidget):
    """Says that files can be dropped, and shows when they are held over the view."""

    def __init__(self) -> None:
        super().__init__()
        self._is_over = False
        self._text = QLabel(_(DROP_TEXT))
        self._text.setProperty("ink", "text2")
        self._text.setWordWrap(True)
        title = ElidedLabel(_(DROP_TITLE), role=Role.UI_STRONG)
        in_column(title, self._text, host=self, spacing=1)
        self.setAccessibleName(f"{_(DROP_TITLE)}. {_(DROP_TEXT)}")
        self.relayout()

    def set_over(self, *, is_over: bool) -> None:
        """Show that files are held over the view."""
        self._is_over = is_over
        self.update()

    @override
    def relayout(self) -> None:
        """Follow the font."""
        super().relayout()
        self._text.setFont(font(Role.META))
        side, end = scaled(20), scaled(14)
        self.setContentsMargins(side, end, side, end)

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the frame."""
        theme = self.theme
        frame = QRectF(self.rect()).adjusted(RING + 0.5, 0.5, -RING - 0.5, -0.5)
        colour = theme.accent if self._is_over else theme.line_strong
        pen = QPen(colour, 2.0 if self._is_over else 1.0)
        pen.setDashPattern([3, 2])
        with smooth(painter, pen, theme.selected if self._is_over else Qt.BrushStyle.NoBrush):
            painter.drawRoundedRect(frame, 6, 6)


class _Mark(PaintedWidget):
    """The ring of which two thirds are full."""

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        ring, accent = QRectF(2.5, 1.5, 29, 29), self.theme.accent
        with smooth(painter, QPen(accent, 3.0)):
            painter.drawEllipse(ring)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawPie(ring, TWELVE_O_CLOCK, -round(TURN * 2 / 3))


def _brand() -> QLayout:
    """Return the mark, the name, and what it is for."""
    mark = _Mark()
    mark.setFixedSize(34, 32)
    brand = QGridLayout()
    brand.setContentsMargins(RING, 0, 0, 0)
    brand.setHorizontalSpacing(12)
    brand.addWidget(mark, 0, 0)
    brand.addWidget(ElidedLabel("judgetool", role=Role.TITLE_FOCUS), 0, 1)
    brand.addWidget(ElidedLabel(_(_PURPOSE), role=Role.NEED, ink="text2"), 1, 0, 1, 2)
    brand.setColumnStretch(1, 1)
    return brand


def _caption(text: str, *, indent: int) -> QLayout:
    return in_line(ElidedLabel(text, role=Role.META, ink="text3"), margins=(indent, 0, 0, 0))


_PURPOSE = N_("Judge search results. See at once what each judgment does to the numbers.")
_WIDTH = 980
_MARGIN = 60
_GAP = 36
_LOW = 500
_START_SHARE = 384 / 980

SAMPLE_TEXT = N_("20 queries, 161 recipes, 3 runs, two assessors")


class WelcomeView(FileTarget, Panel):
    """Start (sample, new, open, drop) at the left, recent projects at the right.

    ``S``, ``N``, ``O`` and ``H`` start; the arrows, Enter and Del work in the list.
    """

    files_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sample = StartButton(
            _("Try the sample"), _(SAMPLE_TEXT), icon="flask-conical", key="S"
        )
        self.new = StartButton(
            _("New project…"),
            _("Choose a scale, then import your files"),
            icon="file-plus",
            key="N",
        )
        self.open = StartButton(
            _("Open…"), _("A .judge file from this machine"), icon="folder-open", key="O"
        )
        self.hub = StartButton(
            _("Team hub…"),
            _("Join others by an address that a lead gave you"),
            icon="users",
            key="H",
        )
        self.drop_zone = DropZone()
        self.recent = RecentList()
        self._hints = QWidget()
        self._start_column = QWidget()
        self._page = QWidget(self)
        self.setAcceptDrops(True)
        self.setAccessibleName(_("Welcome"))
        self._arrange()

    def _arrange(self) -> None:
        start = in_column(_caption(_("Start"), indent=RING), host=self._start_column)
        start.addSpacing(scaled(14) - RING)
        for button in (self.sample, self.new, self.open, self.hub):
            start.addWidget(button)
            start.addSpacing(10 - 2 * RING)
        start.addSpacing(10 + RING)
        start.addWidget(self.drop_zone)
        start.addStretch(1)
        self._fill_hints()
        parts = (_caption(_("Recent"), indent=0), self.recent, self._hints)
        recent = in_column(*parts, spacing=scaled(14))
        recent.addStretch(1)
        columns = in_line(self._start_column, recent, 1, spacing=_GAP - RING)
        page = in_column(_brand(), host=self._page)
        self._below_brand = QSpacerItem(0, scaled(34))
        page.addSpacerItem(self._below_brand)
        page.addLayout(columns, stretch=1)

    def _fill_hints(self) -> None:
        row = in_line(host=self._hints, spacing=6)
        hints = (
            (("↑", "↓"), _("choose")),
            (("Enter",), pgettext("hint beside a key", "open")),
            (("Del",), _("take off this list")),
        )
        for keys, text in hints:
            for key in keys:
                row.addWidget(KeyCap(key))
            row.addWidget(ElidedLabel(text, role=Role.META, ink="text2"))
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
        buttons = {
            Qt.Key.Key_S: self.sample,
            Qt.Key.Key_N: self.new,
            Qt.Key.Key_O: self.open,
            Qt.Key.Key_H: self.hub,
        }
        button = buttons.get(Qt.Key(event.key()))
        if button is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            button.click()
        else:
            super().keyPressEvent(event)

    @override
    def show_held(self, *, is_over: bool) -> None:
        """Show whether files are held over the view."""
        self.drop_zone.set_over(is_over=is_over)

    @override
    def take_files(self, paths: list[str]) -> None:
        """Tell which files were dropped."""
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
        assert layout is not None
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
