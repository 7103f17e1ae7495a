"""The projects that were open before, on the welcome view."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy

from judgetool.core.override import override
from judgetool.gui.fonts import Role, icon_side, line_height, scaled, text_width
from judgetool.gui.numbers import format_count
from judgetool.gui.painting import CENTRE, draw_frame, draw_text
from judgetool.gui.widgets.painted import PaintedWidget, in_column
from judgetool.gui.widgets.row_parts import (
    Align,
    IconPart,
    LinePart,
    Look,
    Part,
    Places,
    Row,
    TextPart,
    TrackPart,
)
from judgetool.gui.widgets.rows import RowView
from judgetool.wording import N_, _

ROW = 52
MOST = 8
_INSET = 15
_TRACK = 96
_LOCATE = N_("Locate…")


@dataclass(frozen=True, slots=True)
class RecentProject:
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
        judged, total = self.progress
        return _("{judged} of {total} judged").format(
            judged=format_count(judged), total=format_count(total)
        )

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
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
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
