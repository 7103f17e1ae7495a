"""The header: the query, what it needs, where it stands among the queries, its progress."""

import heapq
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.number_text import format_count
from judgetool.core.override import override
from judgetool.gui.delegates.marked_line import MarkedLine
from judgetool.gui.fonts import Role, font, line_height, metrics, scaled
from judgetool.gui.modes import Mode
from judgetool.gui.painting import draw_line, draw_tick, draw_track, smooth, text_direction
from judgetool.gui.panels import Here, ProjectPanel
from judgetool.gui.widgets.labels import CountedLabel, ElidedLabel, KeyCap, plain_tooltip
from judgetool.gui.widgets.painted import PaintedWidget, mirrored
from judgetool.session.pool import Progress
from judgetool.session.session import Session

if TYPE_CHECKING:
    from judgetool.core.queries import Query

_WIDTH, _HEIGHT, _GAP = 224, 4, 3
# More would be thinner than their gaps.
_MOST_SEGMENTS = 32
_INSET, _FOCUS_INSET = 18, 32
_MOST_TEXT = 1000
# A whole text is laid out at once, in some milliseconds.
_MOST_WHOLE = 50_000
_MOST_LINES = 3
_TRACK_FROM = 480
_N_LONGEST = 8
_MOST_OF_WINDOW = 0.4


class QueryHeader(PaintedWidget, ProjectPanel):
    """Query text and need at the left; where one is and the progress at the right.

    In the list that is 'Query 1 of 20', in focus 'Document 9 of 15'. The height is the
    same for every query, so that nothing below moves.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._query: int | None = None
        self._looked_at: Sequence[Query] | None = None
        self._lists_more = False
        self._shown: tuple[object, ...] = ()
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

    @override
    def set_session(self, session: Session | None) -> None:
        """Show no query yet of a session, or of none."""
        self._session, self._query, self._shown = session, None, ()
        self._show()

    @override
    def follow(self, here: Here) -> None:
        """Show the query that is current now."""
        shown = (here.query, here.position, here.n_queries, here.lists_more)
        if here.query is not None and shown != self._shown:
            self.show_query(here.query, here.position, here.n_queries, lists_more=here.lists_more)

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
        self._shown = (query, position, total, lists_more)
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

    def toggle_whole(self) -> None:
        """Show query and need whole; then what did not fit yet; then fold them again."""
        if self._texts.is_unfolded and not self._texts.is_at_end:
            self._texts.page_down()
        else:
            self._texts.set_unfolded(not self._texts.is_unfolded)

    @property
    def is_whole(self) -> bool:
        """Whether query and need are shown whole."""
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
            self._keep_room(session)
            query = session.material.queries[number]
            need = "\n".join(part for part in (query.description, query.narrative) if part)
            self._texts.set_texts(query.text or query.id, need)
        self.refresh()

    def _keep_room(self, session: Session) -> None:
        """Look at the project's queries once: how long they get, whether they say what they need."""
        queries = session.material.queries
        if self._looked_at is queries:
            return
        self._looked_at = queries
        longest = heapq.nlargest(_N_LONGEST, (each.text for each in queries), key=len)
        has_needs = any(each.description or each.narrative for each in queries)
        self._texts.set_usual([each[:_MOST_TEXT] for each in longest], has_needs=has_needs)

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
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room to the query where there is little: the track gives, its number stays."""
        super().resizeEvent(event)
        has_room = self.width() >= scaled(_TRACK_FROM)
        self._track.setVisible(has_room)
        self.place.segments.setVisible(has_room)

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint ground and the line below."""
        painter.fillRect(self.rect(), self.theme.base)
        draw_line(painter, QRectF(self.rect()), self.theme.line)


class FocusPlace(QWidget):
    """At the right end of the focus view's header."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = CountedLabel(self)
        self.segments = Segments(self)
        top = QHBoxLayout()
        top.setSpacing(scaled(6))
        top.addStretch(1)
        top.addWidget(self.label)
        self._caps = {
            name: KeyCap(key, parent=self)
            for name, key in (("judge.previous_document", "K"), ("judge.next_document", "J"))
        }
        for cap in self._caps.values():
            top.addWidget(cap)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(scaled(10))
        column.addLayout(top)
        column.addWidget(self.segments, alignment=Qt.AlignmentFlag.AlignRight)

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        for name, cap in self._caps.items():
            cap.set_text(find_key(name))

    def show_place(self, place: int, judged: Sequence[bool]) -> None:
        """Show a place among documents.

        Args:
            place: from 0; -1 for none.
            judged: of each document in order, whether it is.
        """
        number, total = format_count(place + 1), format_count(len(judged))
        self.label.set_text(f"Document {number} of {total}" if judged else "", strong=number)
        self.segments.show_place(place, judged)


class Segments(PaintedWidget):
    """A segment for each document: done, current, still to do; a track where there are many."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = -1
        self._judged: tuple[bool, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_place(self, place: int, judged: Sequence[bool]) -> None:
        """Show a place (from 0) among documents, and which of them are judged."""
        found = tuple(judged)
        if (place, found) != (self._place, self._judged):
            self._place, self._judged = place, found
            self.setAccessibleName(f"{sum(found)} of {len(found)} judged")
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the one size that it has."""
        return QSize(scaled(_WIDTH), scaled(10))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the segments, or the track."""
        count = len(self._judged)
        if count > _MOST_SEGMENTS:
            area = QRectF(self.rect())
            draw_track(painter, area, self.theme, share=sum(self._judged) / count)
            draw_tick(painter, area, self.theme.text, value=(self._place + 0.5) / count)
        elif count:
            self._paint_segments(painter, count)

    def _paint_segments(self, painter: QPainter, count: int) -> None:
        theme = self.theme
        width = (self.width() - _GAP * (count - 1)) / count
        top = (self.height() - _HEIGHT) / 2
        with smooth(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            for number, is_judged in enumerate(self._judged):
                ink = theme.accent if is_judged else theme.sunken
                painter.setBrush(theme.text if number == self._place else ink)
                place = QRectF(number * (width + _GAP), top, width, _HEIGHT)
                painter.drawRoundedRect(mirrored(self, place), 2, 2)


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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        draw_track(painter, QRectF(self.rect()), self.theme, share=self._share)


class _QueryTexts(QScrollArea):
    """The query, whole, and below it the need, on one line or whole; more than fits scrolls.

    The query has so many lines as the longest of the project needs, three at the most, so
    that the header is as high for each. Unfolded, it may take two fifths of the window.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = _Words(self)
        self._height = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(self._words)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self._words.setAutoFillBackground(False)

    @property
    def query(self) -> str:
        return self._words.query

    @property
    def need(self) -> str:
        return self._words.need

    @property
    def is_unfolded(self) -> bool:
        return self._words.is_unfolded

    @property
    def is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def page_down(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + bar.pageStep() - line_height(Role.NEED))

    def set_usual(self, longest: Sequence[str], *, has_needs: bool) -> None:
        """Keep room for the longest queries of a project, and for needs where it has any."""
        self._words.longest, self._words.has_needs = tuple(longest), has_needs
        self._fit()

    def set_texts(self, query: str, need: str) -> None:
        if (query, need) == (self.query, self.need):
            return
        self.setAccessibleName(". ".join(part for part in (query, need) if part))
        self._words.set_texts(query, need)
        self.verticalScrollBar().setValue(0)
        self._fit()

    def set_large(self, is_large: bool) -> None:
        self._words.role = Role.QUERY_FOCUS if is_large else Role.QUERY
        self._fit()

    def set_unfolded(self, is_unfolded: bool) -> None:
        self._words.is_unfolded = is_unfolded
        self.verticalScrollBar().setValue(0)
        self._fit()

    def _fit(self) -> None:
        words, room = self._words, max(1, self.width())
        words.lay_out()
        usual = words.usual_height(room)
        height = usual
        if words.is_unfolded:
            most = max(usual, round(self.window().height() * _MOST_OF_WINDOW))
            height = min(max(usual, words.heightForWidth(room)), most)
        words.updateGeometry()
        is_cut = words.is_cut or words.heightForWidth(room) > height
        whole = f"{self.query[:_MOST_TEXT]}\n{self.need[: 4 * _MOST_TEXT]}".strip()
        self.setToolTip(plain_tooltip(whole) if is_cut else "")
        if height != self._height:
            self._height = height
            self.updateGeometry()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    @override
    def sizeHint(self) -> QSize:
        return QSize(420, self._height)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._height)


class _Words(PaintedWidget):
    """What :class:`_QueryTexts` scrolls over: query and need, laid out as wide as they may be."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.query, self.need = "", ""
        self.longest: tuple[str, ...] = ()
        self.has_needs = True
        self.is_unfolded = False
        self.role = Role.QUERY
        self._laid_out: dict[int, _LaidOut] = {}
        self._usual_key: tuple[int, str, tuple[str, ...]] | None = None
        self._usual_lines = 1
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_texts(self, query: str, need: str) -> None:
        self.query, self.need = query, need
        self.lay_out()

    def lay_out(self) -> None:
        """Lay out anew when it is next seen."""
        self._laid_out.clear()
        self.update()

    @property
    def is_cut(self) -> bool:
        """Whether the line of the need is elided."""
        laid_out = self._texts(self.width())
        return laid_out.need is None and laid_out.line.is_cut

    def _texts(self, width: int) -> "_LaidOut":
        width = max(1, width)
        if width not in self._laid_out:
            most = _MOST_WHOLE if self.is_unfolded else _MOST_TEXT
            self._laid_out[width] = _LaidOut(
                wrap_text(self.query[:most], self.role, width),
                wrap_text(self.need[:most], Role.NEED, width) if self.is_unfolded else None,
                MarkedLine(one_line(self.need, most=_MOST_TEXT), role=Role.NEED, room=width),
            )
        return self._laid_out[width]

    def usual_height(self, width: int) -> int:
        """Return the height that is kept while it is folded, in px."""
        # The same for every query: laid out anew only where width, font or texts are others.
        key = (width, font(self.role).toString(), self.longest)
        if key != self._usual_key:
            self._usual_key = key
            counts = (wrap_text(each, self.role, width).lineCount() for each in self.longest)
            self._usual_lines = max([1, *counts])
        need = line_height(Role.NEED) + scaled(2) if self.has_needs else 0
        return min(self._usual_lines, _MOST_LINES) * line_height(self.role) + need

    @override
    def heightForWidth(self, width: int) -> int:
        laid_out = self._texts(width)
        height = laid_out.query.lineCount() * line_height(self.role)
        if self.need:
            n_lines = laid_out.need.lineCount() if laid_out.need is not None else 1
            height += scaled(2) + n_lines * line_height(Role.NEED)
        return height

    @override
    def sizeHint(self) -> QSize:
        return QSize(420, self.heightForWidth(self.width()))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(1, line_height(self.role))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        theme = self.theme
        laid_out = self._texts(self.width())
        painter.setPen(theme.text)
        laid_out.query.draw(painter, QPointF(0, 0))
        top = laid_out.query.lineCount() * line_height(self.role) + scaled(2)
        if laid_out.need is not None:
            painter.setPen(theme.text2)
            laid_out.need.draw(painter, QPointF(0, top))
        else:
            face, height = metrics(Role.NEED), line_height(Role.NEED)
            baseline = round(top + (height + face.ascent() - face.descent()) / 2)
            laid_out.line.draw(painter, 0, baseline, colour=theme.text2)


class _LaidOut(NamedTuple):
    query: QTextLayout
    need: QTextLayout | None
    line: MarkedLine


def wrap_text(text: str, role: Role, room: float) -> QTextLayout:
    """Lay out a text on as many lines as it takes, each as high as its role; lines are joined."""
    layout = QTextLayout(one_line(text, most=len(text)), font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setTextDirection(text_direction(text))
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(room)
        line.setPosition(QPointF(0, top + (line_height(role) - line.height()) / 2))
        top += line_height(role)
    layout.endLayout()
    return layout
