"""The header: the query, what it needs, where it stands among the queries, its progress."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QPainter, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from judgetool.core import override
from judgetool.core.terms import one_line
from judgetool.gui.actions import Mode
from judgetool.gui.jobs import Here, ProjectPanel
from judgetool.gui.painting import (
    draw_tick,
    draw_track,
    format_count,
    smooth,
    start_align,
    text_direction,
)
from judgetool.gui.panels.cards import MarkedLine, baseline_at, break_lines
from judgetool.gui.theme import Role, font, line_height, scaled, text_width
from judgetool.gui.widgets.labels import (
    CountedLabel,
    ElidedLabel,
    KeyCap,
    Piece,
    PieceView,
    TrackPart,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import (
    PaintedWidget,
    fill,
    fill_width,
    in_column,
    in_line,
    is_low_for_text,
    mirrored,
)
from judgetool.session.pool import Progress
from judgetool.session.session import Session
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.core.judgments import Query

_WIDTH, _HEIGHT, _GAP = 224, 4, 3
# More would be thinner than their gaps.
_MOST_SEGMENTS = 32
_INSET, _FOCUS_INSET = 18, 32
_MOST_TEXT = 1000
# A whole text is laid out at once, in some milliseconds.
_MOST_WHOLE = 50_000
_MOST_LINES, _MOST_LINES_LOW = 3, 2
_TRACK_FROM = 600
_N_LONGEST = 8
_MOST_OF_WINDOW = 0.4


def _widest() -> str:
    return _("{judged} of {total} in the pool judged").format(judged=99, total=99)


class QueryHeader(PaintedWidget, ProjectPanel):
    """Query text and need at the left; where one is and the progress at the right.

    In the list that is 'Query 1 of 20', in focus 'Document 9 of 15'. The height is the
    same for every query, so that nothing below moves.

    Attributes:
        texts: query and need.
        position: where the query stands among the queries.
        progress: how many of its documents are judged.
        place: where the document stands among the documents, in focus.
    """

    ground, edge = "base", "bottom"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._looked_at: Sequence[Query] | None = None
        self._widest = _widest()
        # Number and place of the query, of how many, and whether more is listed than the pool.
        self._shown: tuple[int, int, int, bool] | None = None
        self._mode = Mode.LIST
        self.texts = QueryTexts(self)
        self.progress = ElidedLabel("", role=Role.UI, ink="text2", parent=self)
        self._share = 0.0
        self._track = PieceView(self._track_pieces, partial(line_height, Role.UI), parent=self)
        below = in_line(None, self._track, self.progress, spacing=scaled(8))
        keys = {"judge.previous_query": "[", "judge.next_query": "]"}
        self._side = Corner(keys, below, gaps=(8, 4, 6), parent=self)
        self.position = self._side.label
        self.place = FocusPlace(self)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(scaled(20))
        self._row.addWidget(self.texts, stretch=1)
        for corner in (self._side, self.place):
            self._row.addWidget(corner, alignment=Qt.AlignmentFlag.AlignTop)
        self._set_margins()
        self.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._show()

    @override
    def relayout(self) -> None:
        """Have the margins and the corner that the font asks for."""
        super().relayout()
        self._set_margins()
        self.fit_height()
        self._keep_corner()

    def _track_pieces(self) -> tuple[Piece, ...]:
        return (Piece(TrackPart(self._share), scaled(112)),)

    def _keep_corner(self) -> None:
        """Keep the corner as wide for every query, or the query's own lines would be others."""
        has_track = not self._track.isHidden()
        track = self._track.sizeHint().width() + scaled(8) if has_track else 0
        self._side.setMinimumWidth(track + text_width(Role.UI, self._widest) + 2)

    def _set_margins(self) -> None:
        is_focus = self._mode is Mode.FOCUS
        inset, above = scaled(_FOCUS_INSET if is_focus else _INSET), 16 if is_focus else 12
        above = scaled(3 if is_low_for_text(self) else above)
        self._row.setContentsMargins(inset, above, inset, above - 1)

    # What the window says

    def set_mode(self, mode: Mode) -> None:
        """Be the header of the list, or the larger one of the focus view."""
        if mode is not self._mode:
            self._mode = mode
            self._set_margins()
            self.fit_height()
            self._show_side()

    def fit_height(self) -> None:
        """Be the larger one where the window has the room: large text leaves it to the document.

        The need is folded there, and no lines are kept for longer queries.
        """
        is_low = is_low_for_text(self)
        is_focus = self._mode is Mode.FOCUS
        self.texts.set_room(
            is_large=is_focus and not is_low, is_low=is_low, keeps_need=not is_focus
        )
        self._set_margins()

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        self._side.set_keys(find_key)
        self.place.set_keys(find_key)

    @override
    def set_session(self, session: Session | None) -> None:
        """Show no query yet of a session, or of none."""
        self._session, self._shown, self._widest = session, None, _widest()
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
        self._shown = query, position, total, lists_more
        number = format_count(position) if position else ""
        name = (
            _("Query {number} of {total}").format(number=number, total=format_count(total))
            if position
            else _("Not in this list")
        )
        self.position.set_text(name, strong=number)
        self._show()

    def prepare_query(self, query: int) -> None:
        """Lay another query's text out beforehand, while nothing else happens."""
        if self._session is not None:
            found = self._session.material.queries[query]
            self.texts.prepare(found.text or found.id)

    def refresh(self) -> None:
        """Show the progress anew, after a judgment."""
        done, said = Progress(0, 0), _("{judged} of {total} judged")
        if self._session is not None and self._shown is not None:
            done = self._session.board.progress(self._shown[0])
            if self._shown[3]:
                said = _("{judged} of {total} in the pool judged")
        share = done.judged / done.total if done.total else 0.0
        if share != self._share:
            self._share = share
            self._track.update()
        text = said.format(judged=format_count(done.judged), total=format_count(done.total))
        if len(text) > len(self._widest):
            self._widest = text
            self._keep_corner()
        self.progress.set_text(text if done.total else _("no documents"))

    # What is shown

    def _show(self) -> None:
        session, shown = self._session, self._shown
        self._show_side()
        if session is None or shown is None:
            self.texts.set_texts("", "")
        else:
            queries = session.material.queries
            # Once a project: how long its queries get, and whether they say what they need.
            if queries is not self._looked_at:
                self._looked_at = queries
                self.texts.keep_room(queries)
            query = queries[shown[0]]
            need = "\n".join(part for part in (query.description, query.narrative) if part)
            self.texts.set_texts(query.text or query.id, need)
        self.refresh()

    def _show_side(self) -> None:
        has_query = self._session is not None and self._shown is not None
        self._side.setVisible(has_query and self._mode is Mode.LIST)
        self.place.setVisible(has_query and self._mode is Mode.FOCUS)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room to the query where there is little: the track gives, its number stays."""
        super().resizeEvent(event)
        has_room = self.width() >= scaled(_TRACK_FROM)
        self._track.setVisible(has_room)
        self._keep_corner()
        self.place.segments.setVisible(has_room)


class Corner(QWidget):
    """At the right end of the header: a place among many, the keys that lead on, how far one is.

    Args:
        keys: usual ones, by the names of their actions.
        below: what says how far one is.
        gaps: px before the first key, between keys, and above what is below.
        parent: of the widget.

    Attributes:
        label: says the place.
    """

    def __init__(
        self,
        keys: Mapping[str, str],
        below: QLayout,
        *,
        gaps: tuple[int, int, int],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.label = CountedLabel(self)
        self._caps = {name: KeyCap(key, parent=self) for name, key in keys.items()}
        top = in_line(None, self.label, spacing=scaled(gaps[1]))
        top.addSpacing(scaled(gaps[0]))
        fill(top, self._caps.values())
        in_column(top, below, host=self, spacing=scaled(gaps[2]))

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        for name, cap in self._caps.items():
            cap.set_text(find_key(name))


class FocusPlace(Corner):
    """Where a document stands among the documents, and which of them are judged.

    Attributes:
        segments: one for each.
    """

    def __init__(self, parent: QWidget) -> None:
        self.segments = Segments()
        below = in_line(None, self.segments)
        keys = {"judge.previous_document": "K", "judge.next_document": "J"}
        super().__init__(keys, below, gaps=(0, 6, 10), parent=parent)

    def show_place(self, place: int, judged: Sequence[bool]) -> None:
        """Show a place among documents.

        Args:
            place: from 0; -1 for none.
            judged: of each document in order, whether it is.
        """
        number, total = format_count(place + 1), format_count(len(judged))
        self.label.set_text(
            _("Document {number} of {total}").format(number=number, total=total) if judged else "",
            strong=number,
        )
        self.segments.show_place(place, judged)


class Segments(PaintedWidget):
    """A segment for each document: done, current, still to do; a track where there are many."""

    heard_as = QAccessible.Role.StaticText

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
            self.setAccessibleName(
                _("{judged} of {total} judged").format(judged=sum(found), total=len(found))
            )
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the one size that it has."""
        return QSize(scaled(_WIDTH), scaled(10))

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
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
            for number, is_judged in enumerate(self._judged):
                ink = theme.accent if is_judged else theme.sunken
                painter.setBrush(theme.text if number == self._place else ink)
                place = QRectF(number * (width + _GAP), top, width, _HEIGHT)
                painter.drawRoundedRect(mirrored(self, place), 2, 2)


class QueryTexts(QScrollArea):
    """The query, whole, and below it the need, on one line or whole; more than fits scrolls.

    The query has so many lines as the longest of the project needs, three at the most, so
    that the header is as high for each. Unfolded, it may take two fifths of the window. In a
    window that is low for the size of its text it has two lines at the most, and the need is folded.

    Attributes:
        query: as it is shown.
        need: likewise.
        is_unfolded: whether both are shown whole.
        is_cut: whether there is more of them than is seen.
    """

    heard_as = QAccessible.Role.StaticText

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.query, self.need = "", ""
        self.is_unfolded = self.is_cut = False
        self._role, self._is_low, self._keeps_need = Role.QUERY, False, True
        self._longest: tuple[str, ...] = ()
        self._has_needs = True
        self._usual: tuple[object, int] = ((), 1)
        self._height = 0
        self._words = _Words(self)
        self._laid_out: tuple[object, QTextLayout] = ((), QTextLayout())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(self._words)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        fill_width(self)
        self.viewport().setAutoFillBackground(False)
        self._words.setAutoFillBackground(False)

    def keep_room(self, queries: "Sequence[Query]") -> None:
        """Keep room for the longest queries of a project, and for needs where it has any."""
        longest = heapq.nlargest(_N_LONGEST, (each.text for each in queries), key=len)
        self._longest = tuple(each[:_MOST_TEXT] for each in longest)
        self._has_needs = any(each.description or each.narrative for each in queries)
        self._fit()

    def set_texts(self, query: str, need: str) -> None:
        """Show another query, from its top."""
        if (query, need) != (self.query, self.need):
            self.query, self.need = query, need
            self.setAccessibleName(". ".join(part for part in (query, need) if part))
            self.verticalScrollBar().setValue(0)
            self._fit()

    def prepare(self, query: str) -> None:
        """Lay out a text that may be the next, as it would be shown in the room of now."""
        self._lay_out(query)

    def _lay_out(self, query: str) -> QTextLayout:
        """Return a text laid out in the room of now; the one laid out last is at hand."""
        width = max(1, self.viewport().width())
        text = query[: _MOST_WHOLE if self.is_unfolded else _MOST_TEXT]
        key = (text, width, font(self._role).toString(), line_height(self._role))
        if key != self._laid_out[0]:
            self._laid_out = key, wrap_text(text, self._role, width)
        return self._laid_out[1]

    def set_room(self, *, is_large: bool, is_low: bool, keeps_need: bool) -> None:
        """Set the query as in focus, or as in the list; where there is little height, perhaps it alone."""
        role = Role.QUERY_FOCUS if is_large else Role.QUERY
        if (role, is_low, keeps_need) != (self._role, self._is_low, self._keeps_need):
            self._role, self._is_low, self._keeps_need = role, is_low, keeps_need
            self._fit()

    def toggle(self) -> None:
        """Show query and need whole; then what did not fit yet; then fold them again."""
        bar = self.verticalScrollBar()
        if self.is_unfolded and bar.value() < bar.maximum():
            bar.setValue(bar.value() + bar.pageStep() - line_height(Role.NEED))
            return
        self.is_unfolded = not self.is_unfolded
        bar.setValue(0)
        self._fit()

    def _fit(self) -> None:
        """Lay out what is seen; the height is another only where one unfolds it."""
        words, height = self._words, self._usual_height()
        words.query = self._lay_out(self.query)
        words.top = words.query.lineCount() * line_height(self._role)
        words.need = self._lay_out_need(height - words.top - scaled(2))
        lines = words.need
        n_lines = lines.lineCount() if isinstance(lines, QTextLayout) else len(lines)
        need = scaled(2) + line_height(Role.NEED) * n_lines if self.need and n_lines else 0
        words.whole = words.top + need
        # The bar follows once this has its height, not while the room is still the old one.
        words.updateGeometry()
        words.update()
        if self.is_unfolded:
            most = max(height, round(self.window().height() * _MOST_OF_WINDOW))
            height = min(max(height, words.whole), most)
        is_elided = not isinstance(lines, QTextLayout) and (
            lines[-1].is_cut if lines else bool(self.need)
        )
        self.is_cut = is_elided or words.whole > height
        whole = f"{self.query[:_MOST_TEXT]}\n{self.need[: 4 * _MOST_TEXT]}".strip()
        self.setToolTip(plain_tooltip(whole, is_quoted=True) if self.is_cut else "")
        if height != self._height:
            self._height = height
            self.updateGeometry()

    def _lay_out_need(self, room: int) -> QTextLayout | tuple[MarkedLine, ...]:
        """Return the need whole if it is unfolded, else on as many lines as are free, but for one."""
        width = max(1, self.viewport().width())
        if self.is_unfolded:
            return wrap_text(self.need[:_MOST_WHOLE], Role.NEED, width)
        if self._is_low and room < line_height(Role.NEED):
            return ()
        # A short query leaves lines free that are kept for longer ones.
        n_more = max(0, room // line_height(Role.NEED) - 1)
        need = one_line(self.need, most=_MOST_TEXT)
        lines = break_lines(need, role=Role.NEED, room=width, most=n_more + 1)
        return tuple(lines) or (MarkedLine("", role=Role.NEED, room=width),)

    def _usual_height(self) -> int:
        """Return the height that is kept while it is folded, in px."""
        # The same for every query: laid out anew only where width, font or texts are others.
        key = (self.width(), font(self._role).toString(), self._longest)
        if key != self._usual[0]:
            width = max(1, self.width())
            counts = (wrap_text(each, self._role, width).lineCount() for each in self._longest)
            self._usual = key, min(max([1, *counts]), _MOST_LINES)
        line, n_lines = line_height(self._role), self._usual[1]
        need = line_height(Role.NEED) + scaled(2) if self._has_needs else 0
        if not self._is_low:
            return n_lines * line + need
        # Beside the two lines at the right of the list there is room for the need of a short query.
        return max(min(n_lines, _MOST_LINES_LOW) * line, line + need * self._keeps_need)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width that is left beside a scroll bar."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    @override
    def sizeHint(self) -> QSize:
        """Return the height that the texts have."""
        return QSize(420, self._height)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width, at the same height."""
        return QSize(120, self._height)


class _Words(PaintedWidget):
    """What :class:`QueryTexts` scrolls over: the query, and below it the need or lines of it."""

    query: QTextLayout
    need: QTextLayout | tuple[MarkedLine, ...]
    top: int
    whole = 0

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.whole)

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        theme, top = self.theme, self.top + scaled(2)
        painter.setPen(theme.text)
        self.query.draw(painter, QPointF(0, 0))
        if isinstance(self.need, QTextLayout):
            painter.setPen(theme.text2)
            self.need.draw(painter, QPointF(0, top))
            return
        height = line_height(Role.NEED)
        for line in self.need:
            baseline = baseline_at(top + height / 2, Role.NEED)
            line.draw(painter, 0, baseline, colour=theme.text2)
            top += height


def wrap_text(text: str, role: Role, room: float) -> QTextLayout:
    """Lay out a text on as many lines as it takes, each as high as its role; lines are joined.

    They stand where the text’s own direction begins, as on cards.
    """
    layout = QTextLayout(one_line(text, most=len(text)), font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    direction = text_direction(text)
    option.setTextDirection(direction)
    option.setAlignment(start_align(direction))
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(room)
        line.setPosition(QPointF(0, top + (line_height(role) - line.height()) / 2))
        top += line_height(role)
    layout.endLayout()
    return layout


def query_in_words(query: "Query") -> str:
    """Return a query with its need as it is heard: all of its text, description and narrative."""
    parts = [_("Query: {query}.").format(query=_bare(query.text or query.id))]
    if query.description:
        parts.append(_("Description: {text}.").format(text=_bare(query.description)))
    if query.narrative:
        parts.append(_("Narrative: {text}.").format(text=_bare(query.narrative)))
    return " ".join(parts) if len(parts) > 1 else f"{parts[0]} {_('No need is described.')}"


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
