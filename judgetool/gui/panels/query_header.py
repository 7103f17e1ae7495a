"""The header: the query, what it needs, where it stands among the queries, its progress."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.gui.delegates.marked_line import MarkedLine
from judgetool.gui.fonts import Role, font, line_height, metrics, scaled
from judgetool.gui.modes import Mode
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import draw_line, draw_track
from judgetool.gui.panels.counted_label import CountedLabel
from judgetool.gui.panels.focus_place import FocusPlace
from judgetool.gui.text_marks import text_direction
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap, plain_tooltip
from judgetool.gui.widgets.painted import PaintedWidget
from judgetool.session.pool import Progress
from judgetool.session.session import Session

_INSET, _FOCUS_INSET = 18, 32
_MOST_TEXT = 1000
_MOST_NEED_LINES = 8


class QueryHeader(PaintedWidget):
    """Query text and need at the left; where one is and the progress at the right.

    In the list that is 'Query 1 of 20', in focus 'Document 9 of 15'. The height is the
    same for every query, so that nothing below moves.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._query: int | None = None
        self._lists_more = False
        self._texts = _QueryTexts(self)
        self.position = CountedLabel(self)
        self.progress = ElidedLabel("", role=Role.UI, ink="text2", parent=self)
        self._track = _Track(self)
        self._side = QWidget(self)
        self.place = FocusPlace(self)
        self._mode = Mode.LIST
        self._arrange()
        self.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._show()

    def _arrange(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(scaled(4))
        top.addStretch(1)
        top.addWidget(self.position)
        top.addSpacing(scaled(8))
        self._caps = {
            name: KeyCap(key, parent=self._side)
            for name, key in (("judge.previous_query", "["), ("judge.next_query", "]"))
        }
        for cap in self._caps.values():
            top.addWidget(cap)
        bottom.setSpacing(scaled(8))
        bottom.addStretch(1)
        bottom.addWidget(self._track)
        bottom.addWidget(self.progress)
        side = QVBoxLayout(self._side)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(scaled(6))
        side.addLayout(top)
        side.addLayout(bottom)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(scaled(20))
        self._row.addWidget(self._texts, stretch=1)
        self._row.addWidget(self._side, alignment=Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self.place, alignment=Qt.AlignmentFlag.AlignTop)
        self._set_margins()

    def _set_margins(self) -> None:
        inset = scaled(_FOCUS_INSET if self._mode is Mode.FOCUS else _INSET)
        above = scaled(16 if self._mode is Mode.FOCUS else 12)
        self._row.setContentsMargins(inset, above, inset, above - 1)

    # What the window says

    def set_mode(self, mode: Mode) -> None:
        """Be the header of the list, or the larger one of the focus view."""
        if mode is not self._mode:
            self._mode = mode
            self._set_margins()
            self._texts.set_large(mode is Mode.FOCUS)
            self._show_side()

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        for name, cap in self._caps.items():
            cap.set_text(find_key(name))
        self.place.set_keys(find_key)

    def set_session(self, session: Session | None) -> None:
        """Show no query yet of a session, or of none."""
        self._session, self._query = session, None
        self._show()

    def show_query(
        self, query: int, position: int, total: int, *, lists_more: bool = False
    ) -> None:
        """Show a query.

        Args:
            query: its number.
            position: its place in the list, from 1; 0 when the list does not show it.
            total: how many queries the list shows.
            lists_more: whether documents are listed beyond the pool, of which the progress is.
        """
        self._query = query
        self._lists_more = lists_more
        number = format_count(position) if position else ""
        name = f"Query {number} of {format_count(total)}" if position else "Not in this list"
        self.position.set_text(name, strong=number)
        self._show()

    def refresh(self) -> None:
        """Show the progress anew, after a judgment."""
        if self._session is None or self._query is None:
            self._show_progress(Progress(0, 0))
        else:
            self._show_progress(self._session.board.progress(self._query))

    def toggle_whole_need(self) -> None:
        """Show the whole information need, or fold it to one line again."""
        self._texts.set_unfolded(not self._texts.is_unfolded)

    @property
    def is_need_whole(self) -> bool:
        """Whether the whole need is shown."""
        return self._texts.is_unfolded

    @property
    def query_text(self) -> str:
        """The query as it is shown."""
        return self._texts.query

    @property
    def need(self) -> str:
        """The information need as it is shown."""
        return self._texts.need

    # What is shown

    def _show(self) -> None:
        session, number = self._session, self._query
        self._show_side()
        if session is None or number is None:
            self._texts.set_texts("", "")
        else:
            query = session.material.queries[number]
            need = "\n".join(part for part in (query.description, query.narrative) if part)
            self._texts.set_texts(query.text or query.id, need)
        self.refresh()

    def _show_side(self) -> None:
        has_query = self._session is not None and self._query is not None
        self._side.setVisible(has_query and self._mode is Mode.LIST)
        self.place.setVisible(has_query and self._mode is Mode.FOCUS)

    def _show_progress(self, progress: Progress) -> None:
        self._track.set_share(progress.judged / progress.total if progress.total else 0.0)
        judged, total = format_count(progress.judged), format_count(progress.total)
        of_what = " in the pool" if self._lists_more else ""
        text = f"{judged} of {total}{of_what} judged"
        self.progress.set_text(text if progress.total else "no documents")

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground and the line below."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.base)
        draw_line(painter, QRectF(self.rect()), self.theme.line)
        painter.end()


class _Track(PaintedWidget):
    """A progress track of 112 px."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float) -> None:
        if share != self._share:
            self._share = share
            self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(scaled(112), line_height(Role.UI))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_track(painter, QRectF(self.rect()), self.theme, share=self._share)
        painter.end()


class _QueryTexts(PaintedWidget):
    """The query on one line and the need below it, elided or whole."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.query, self.need = "", ""
        self.is_unfolded = False
        self._role = Role.QUERY
        self._query_line: MarkedLine | None = None
        self._need_line: MarkedLine | None = None
        self._whole_need: QTextLayout | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_texts(self, query: str, need: str) -> None:
        if (query, need) == (self.query, self.need):
            return
        self.query, self.need = query, need
        self.setAccessibleName(". ".join(part for part in (query, need) if part))
        self._lay_out()

    def set_large(self, is_large: bool) -> None:
        self._role = Role.QUERY_FOCUS if is_large else Role.QUERY
        self._lay_out()

    def set_unfolded(self, is_unfolded: bool) -> None:
        self.is_unfolded = is_unfolded
        self._lay_out()

    def _lay_out(self) -> None:
        room = float(max(1, self.width()))
        query = one_line(self.query, most=_MOST_TEXT)
        need = one_line(self.need, most=_MOST_TEXT)
        self._query_line = MarkedLine(query, role=self._role, room=room)
        self._need_line = MarkedLine(need, role=Role.NEED, room=room)
        self._whole_need = _wrap(self.need[: 4 * _MOST_TEXT], room) if self.is_unfolded else None
        is_cut = self._query_line.is_cut or self._need_line.is_cut
        whole = f"{self.query[:_MOST_TEXT]}\n{self.need[: 4 * _MOST_TEXT]}".strip()
        self.setToolTip(plain_tooltip(whole) if is_cut else "")
        self.updateGeometry()
        self.update()

    @override
    def relayout(self) -> None:
        self._lay_out()
        super().relayout()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    @override
    def sizeHint(self) -> QSize:
        need = line_height(Role.NEED)
        if self._whole_need is not None:
            need = max(need, self._whole_need.lineCount() * line_height(Role.NEED))
        return QSize(420, line_height(self._role) + need + scaled(2))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self.theme
        height = line_height(self._role)
        if self._query_line is not None:
            baseline = _baseline(self._role, 0, height)
            self._query_line.draw(painter, 0, baseline, colour=theme.text)
        top = height + scaled(2)
        if self._whole_need is not None:
            painter.setPen(theme.text2)
            self._whole_need.draw(painter, QPointF(0, top))
        elif self._need_line is not None:
            baseline = _baseline(Role.NEED, top, line_height(Role.NEED))
            self._need_line.draw(painter, 0, baseline, colour=theme.text2)
        painter.end()


def _baseline(role: Role, top: float, height: float) -> int:
    face = metrics(role)
    return round(top + (height + face.ascent() - face.descent()) / 2)


def _wrap(text: str, room: float) -> QTextLayout:
    """Lay out a text on several lines, at most eight."""
    layout = QTextLayout(" ".join(text.split()), font(Role.NEED))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setTextDirection(text_direction(text))
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0
    for _ in range(_MOST_NEED_LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(room)
        line.setPosition(QPointF(0, top + (line_height(Role.NEED) - line.height()) / 2))
        top += line_height(Role.NEED)
    layout.endLayout()
    return layout
