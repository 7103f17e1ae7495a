"""The projects that were open before, on the welcome view."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QResizeEvent,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import (
    draw_frame,
    draw_line,
    draw_row_focus,
    draw_text,
    draw_track,
    start_align,
)
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

ROW = 52
MOST = 8
_INSET = 17
_TRACK = 96


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
        return f"{format_count(judged)} of {format_count(total)} judged"

    @property
    def in_words(self) -> str:
        """The whole row as a reader says it."""
        state = "not there" if self.is_missing else self.progress_text
        return ", ".join(part for part in (self.name, self.folder, state, self.when) if part)


class RecentList(PaintedWidget):
    """A row per project: arrows choose, Enter or a click opens, Del takes off the list.

    A project that is not there is located instead of opened.
    """

    chosen = Signal(str)
    locate_chosen = Signal(str)
    removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._projects: tuple[RecentProject, ...] = ()
        self._current = 0
        self._hovered = -1
        self._buttons: dict[int, QPushButton] = {}
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def projects(self) -> tuple[RecentProject, ...]:
        """What is shown."""
        return self._projects

    @property
    def current(self) -> RecentProject | None:
        """The chosen project; ``None`` when there are none."""
        return self._projects[self._current] if self._projects else None

    @property
    def row_height(self) -> int:
        """Height of every row: 52 px at a 13 px font."""
        needed = line_height(Role.UI_STRONG) + line_height(Role.META) + 8
        return max(scaled(ROW), needed)

    def set_projects(self, projects: tuple[RecentProject, ...]) -> None:
        """Show other projects, latest first; more than eight are left out."""
        self._projects = projects[:MOST]
        self._current = min(self._current, max(0, len(self._projects) - 1))
        for button in self._buttons.values():
            button.hide()
            button.deleteLater()
        self._buttons = {
            place: self._locate_button(project)
            for place, project in enumerate(self._projects)
            if project.is_missing
        }
        self._place_buttons()
        self.updateGeometry()
        self._describe()
        self.update()

    def _locate_button(self, project: RecentProject) -> QPushButton:
        button = QPushButton("Locate…", self)
        button.setAutoDefault(False)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(f"Locate {project.name}")
        button.clicked.connect(lambda: self.locate_chosen.emit(project.path))
        button.show()
        return button

    def _place_buttons(self) -> None:
        for place, button in self._buttons.items():
            size = button.sizeHint()
            top = place * self.row_height + (self.row_height - size.height()) // 2
            left = self.width() - _INSET - size.width()
            rect = mirrored(self, QRectF(left, top, size.width(), size.height()))
            button.setGeometry(rect.toRect())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new size."""
        super().resizeEvent(event)
        self._place_buttons()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(scaled(480), max(1, len(self._projects)) * self.row_height + 2)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        self._hover(int(event.position().y()) // self.row_height)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, place: int) -> None:
        if place != self._hovered:
            self._hovered = place
            self.update()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Act on the end of a click."""
        place = int(event.position().y()) // self.row_height
        is_inside = self.rect().contains(event.position().toPoint())
        if (
            event.button() is Qt.MouseButton.LeftButton
            and is_inside
            and place < len(self._projects)
        ):
            self._move(place)
            self._open()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        key = Qt.Key(event.key())
        last = len(self._projects) - 1
        targets = {
            Qt.Key.Key_Down: min(self._current + 1, last),
            Qt.Key.Key_Up: max(self._current - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if not self._projects:
            super().keyPressEvent(event)
        elif key in targets:
            self._move(targets[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self._projects[self._current].path)
        else:
            super().keyPressEvent(event)

    def _move(self, place: int) -> None:
        self._current = place
        self._describe()
        self.update()

    def _open(self) -> None:
        project = self._projects[self._current]
        signal = self.locate_chosen if project.is_missing else self.chosen
        signal.emit(project.path)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard is here."""
        self.update()
        super().focusInEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard went."""
        self.update()
        super().focusOutEvent(event)

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        theme = self.theme
        frame = QRectF(self.rect())
        if self._projects:
            self._paint_rows(painter, frame)
        else:
            text = "Projects that you open are listed here."
            place = frame.adjusted(0, 0, 0, line_height(Role.UI) - frame.height())
            self._write(painter, place, text, role=Role.UI, ink=theme.text2)

    def _paint_rows(self, painter: QPainter, frame: QRectF) -> None:
        theme = self.theme
        draw_frame(painter, frame, radius=6, border=theme.line_strong, ground=theme.base)
        painter.save()
        inside = QPainterPath()
        inside.addRoundedRect(frame.adjusted(1, 1, -1, -1), 5, 5)
        painter.setClipPath(inside)
        for place, project in enumerate(self._projects):
            row = QRectF(1, 1 + place * self.row_height, self.width() - 2, self.row_height)
            self._paint_row(painter, row, project, place)
        painter.restore()
        draw_frame(painter, frame, radius=6, border=theme.line_strong)

    def _paint_row(
        self, painter: QPainter, row: QRectF, project: RecentProject, place: int
    ) -> None:
        theme = self.theme
        if place == self._current:
            ground = theme.selected if self.hasFocus() else theme.selected_unfocused
            painter.fillRect(row, ground)
            painter.fillRect(mirrored(self, QRectF(0, row.top(), 4, row.height())), theme.accent)
            if self.hasFocus():
                draw_row_focus(painter, row, theme)
        elif place == self._hovered:
            painter.fillRect(row, theme.hover)
        if place < len(self._projects) - 1:
            draw_line(painter, row, theme.line)
        upper = line_height(Role.UI_STRONG)
        top = row.top() + (row.height() - upper - line_height(Role.META)) / 2
        middle = self._middle()
        name = QRectF(_INSET, top, middle - _INSET - 12, upper)
        ink = theme.text3 if project.is_missing else theme.text
        self._write(painter, name, project.name, role=Role.UI_STRONG, ink=ink)
        folder = QRectF(_INSET, top + upper, name.width(), line_height(Role.META))
        self._write(painter, folder, project.folder, role=Role.META, ink=theme.text3)
        if project.is_missing:
            self._paint_missing(painter, QRectF(middle, row.top(), 120, row.height()))
            return
        self._paint_state(painter, project, QRectF(middle, top, row.right() - middle, upper))

    def _middle(self) -> float:
        """Return where progress begins: its words and the times beside them stay whole."""
        counts = max((text_width(Role.META, p.progress_text) for p in self._projects), default=0)
        times = max((text_width(Role.META, p.when) for p in self._projects), default=0)
        needed = counts + 16 + times + _INSET
        least = self.width() * 0.35
        return max(least, min(self.width() * 0.535, self.width() - needed))

    def _paint_missing(self, painter: QPainter, place: QRectF) -> None:
        theme = self.theme
        square = QRectF(place.left(), place.center().y() - 7, 14, 14)
        draw_icon(painter, mirrored(self, square), name="triangle-alert", colour=theme.warn, px=14)
        words = place.adjusted(20, 0, 0, 0)
        self._write(painter, words, "not there", role=Role.META, ink=theme.warn)

    def _paint_state(self, painter: QPainter, project: RecentProject, place: QRectF) -> None:
        theme = self.theme
        when = text_width(Role.META, project.when) + 1
        right = self.width() - _INSET
        middle = QRectF(right - when, place.top(), when, self.row_height)
        middle.moveTop(place.top() - (self.row_height - place.height()) / 2 + scaled(8))
        self._write(painter, middle, project.when, role=Role.META, ink=theme.text2)
        if project.progress is None:
            return
        room = max(0.0, right - when - 12 - place.left())
        words = QRectF(place.left(), place.top(), room, place.height())
        self._write(painter, words, project.progress_text, role=Role.META, ink=theme.text2)
        judged, total = project.progress
        track = QRectF(place.left(), place.bottom() + 1, min(room, scaled(_TRACK)), scaled(14))
        share = judged / total if total else 0.0
        draw_track(painter, mirrored(self, track), theme, share=min(1.0, share))

    def _write(
        self, painter: QPainter, place: QRectF, text: str, *, role: Role, ink: QColor
    ) -> None:
        where = mirrored(self, place)
        draw_text(painter, where, text, role=role, colour=ink, align=self._start)

    @property
    def _start(self) -> Qt.AlignmentFlag:
        return start_align(self.layoutDirection())

    def _describe(self) -> None:
        current = self.current
        said = current.in_words if current else "none yet"
        self.setAccessibleName(f"Recent projects: {said}")
        self.setAccessibleDescription(". ".join(project.in_words for project in self._projects))
