"""The right of the compare view's lower half: a query's rankings, curves, arithmetic."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QStackedWidget, QWidget

from judgetool.core import override
from judgetool.core.number_text import UNDEFINED, signed
from judgetool.core.terms import one_line
from judgetool.errors import JudgetoolError
from judgetool.formats.output import Sheet
from judgetool.gui.charts import ChartGrid
from judgetool.gui.compare.compared import Compared, ComparedPair
from judgetool.gui.compare.difference_pane import DifferenceList, DifferenceRow
from judgetool.gui.compare.next_pane import NextPane
from judgetool.gui.compare.rankings_view import RankingsView
from judgetool.gui.compare.table_model import format_signed
from judgetool.gui.jobs import Jobs
from judgetool.gui.painting import change_width, format_count, format_value
from judgetool.gui.panels.result_tools import ToolRow, make_chooser
from judgetool.gui.table_copy import Table, offer_copy
from judgetool.gui.theme import Role, line_height, scaled, text_width
from judgetool.gui.widgets.buttons import Pill, Segment, Segmented
from judgetool.gui.widgets.explain_table import (
    EMPTY,
    ExplainTable,
    ShownExplanation,
    table_of,
)
from judgetool.gui.widgets.labels import (
    ArrowPart,
    ChangePart,
    ElidedLabel,
    Piece,
    PieceView,
    TextPart,
)
from judgetool.gui.widgets.painted import FittedWidget, Panel, in_column, in_line, scroll_area
from judgetool.metrics import Measure
from judgetool.metrics.explain import explain_value, has_explanation
from judgetool.session.comparing.curves import (
    MOST_LINES,
    mean_charts_work,
    query_charts,
)
from judgetool.session.comparing.query_by_query import (
    DEPTHS,
    ExplainedDifference,
    explain_difference,
    side_by_side,
)
from judgetool.session.comparing.system_values import place_of_system
from judgetool.session.comparing.tables import (
    curves_sheet,
    document_sheet,
    explaining_command,
    rankings_sheet,
)
from judgetool.session.comparing.these_queries import said_without_results
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import N_, _, local_number, translated

MOST_ROWS = 100
_MOST_TITLE = 120
_HEAD = 14
_INSET = 16
# So many ranks, or documents, are seen at once where the arithmetic and the parts share a scroll bar.
_MOST_WHOLE = 10
_JOB = "compare/curves"
_MOST_TEXT = 300


def explain_system(
    session: Session, system: System, query: int, measure: Measure
) -> ShownExplanation:
    """Return how a system's value of a query comes about, rank by rank, with every column.

    Args:
        session: the project.
        system: a run or a what-if, of the present or of a snapshot.
        query: its number.
        measure: one of the chosen ones.

    Returns:
        Empty where the measure has no explanation.

    Raises:
        InputError: the system is no longer in the project.
    """
    if not has_explanation(measure):
        return EMPTY
    place = place_of_system(session, system)
    explained = explain_value(
        measure,
        place.engine.query_grades(place.key, query, has_assumed=not measure.spec.counts_judgments),
        place.board.scale,
        leave_out_unjudged=place.engine.conventions.leaves_out_unjudged,
    )
    columns = range(len(explained.columns))
    return table_of(explained, columns, place.board.scale, most_rows=MOST_ROWS)


def difference_of_documents(
    session: Session, system: System, baseline: System, query: int, measure: Measure
) -> tuple[ExplainedDifference, list[DifferenceRow]]:
    """Return which documents make up a difference, largest part first, and rows to show it.

    Raises:
        InputError: a system is no longer in the project.
    """
    found = explain_difference(session, system, baseline, query, measure)
    numbers = sorted({row.document for row in found.rows if row.document is not None})
    texts = dict(zip(numbers, session.material.show_documents(numbers), strict=True))
    rows = []
    for row in found.rows[:MOST_ROWS]:
        text = texts[row.document] if row.document is not None else None
        title = (
            _("no document") if text is None else one_line(text.title or text.id, most=_MOST_TITLE)
        )
        label = f"{row.baseline_rank or UNDEFINED} → {row.rank or UNDEFINED}"
        rows.append(DifferenceRow(row.document, label, title, row.difference))
    return found, rows


class ExplainPane(FittedWidget, Panel):
    """The arithmetic rank by rank, and the parts of the difference as bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("", role=Role.META_STRONG, ink="text2", is_id=True)
        self.table = ExplainTable()
        self.parts_title = ElidedLabel("", role=Role.META_STRONG, ink="text2")
        self.parts = DifferenceList(N_("Documents that make up the difference"), N_("Ranks"))
        margins = (_HEAD, scaled(8), _HEAD, scaled(4))
        left, right = (in_line(each, margins=margins) for each in (self.title, self.parts_title))
        table, parts = in_column(left, self.table, 1), in_column(right, self.parts, 1)
        # The arithmetic has up to nine columns, the parts have three. Where not all of both
        # is seen beside each other, they stand under each other, and more than fits scrolls.
        inner = Panel()
        area = scroll_area(inner, self)
        self._row = in_line(table, 3, parts, 2, host=inner)
        in_column(area, host=self)

    @override
    def fit(self) -> None:
        """Stand beside each other, or under."""
        least = self.table.least_width * 5 // 3
        is_narrow = self.width() < least
        way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        if way is not self._row.direction():
            self._row.setDirection(way)
        heights = (self.table.whole_height(_MOST_WHOLE), self.parts.whole_height(most=_MOST_WHOLE))
        for part, height in zip((self.table, self.parts), heights, strict=True):
            part.setMinimumHeight(height if is_narrow else 0)
        self.table.setMinimumWidth(self.table.least_width if is_narrow else 0)

    def take_keyboard(self) -> None:
        """Give the keyboard to the difference; of the baseline, which has none, to the value’s ranks."""
        rows = self.table.ranks if self.table.ranks.rows and not self.parts.rows else self.parts
        if rows.rows and not rows.currentIndex().isValid():
            rows.choose_row(0)
        rows.setFocus()

    def show_value(self, pair: ComparedPair, query: int) -> None:
        """Explain a system's value of a query, and its difference from the baseline's."""
        session, system, baseline, measure = pair
        self.table.set_scale(session.scale)
        explanation = explain_system(session, system, query, measure)
        has_none = explanation is EMPTY
        place = place_of_system(session, system)
        lack = said_without_results(place.engine, place.key, query)
        self.title.set_text(
            _("{measure} is not explained rank by rank").format(measure=measure)
            if has_none
            else ", ".join(filter(None, (str(measure), system.name, lack)))
        )
        self.table.set_explanation(explanation)
        self.table.command = explaining_command(session, system, query, measure)
        rows: list[DifferenceRow] = []
        said = _("The baseline has no difference to explain.")
        if system != baseline:
            found, rows = difference_of_documents(session, system, baseline, query, measure)
            change = local_number(signed(found.difference))
            said = translated(found.reason) or _("What makes up {change}, by document").format(
                change=change
            )
        self.parts_title.set_text(said)
        self.parts.set_rows(rows)
        self.fit()


class QueryHead(ToolRow):
    """Says which query, and what the measure says of it for both systems.

    Where title and values have no room beside each other, values stand in the need's place.
    """

    px = 58

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measure = self._said = ""
        self._old: float | None = None
        self._new: float | None = None
        self._is_quality = True
        self._title = ElidedLabel(role=Role.TITLE, is_quoted=True)
        self._need = ElidedLabel(ink="text2", is_quoted=True)
        values = PieceView(self._pieces, partial(line_height, Role.TITLE))
        below = PieceView(self._pieces, partial(line_height, Role.UI))
        change = PieceView(self._change_piece, partial(line_height, Role.UI))
        self._views = (values, below, change)
        upper = in_line(self._title, 1, values, spacing=scaled(28))
        lower = in_line(below, self._need, 1, change)
        margins = (scaled(_INSET), scaled(7), scaled(_INSET), scaled(7))
        self.fill(in_column(upper, lower), margins=margins)

    def set_query(self, text: str, need: str) -> None:
        """Show another query."""
        self._title.set_text(text)
        self._said = need
        self._title.set_meaning(need)
        self._describe()

    def set_values(
        self, measure: str, old: float | None, new: float | None, *, is_quality: bool = True
    ) -> None:
        """Show the values of baseline and system; ``""`` for the measure shows none."""
        self._measure, self._old, self._new = measure, old, new
        self._is_quality = is_quality
        self._describe()

    @property
    def change(self) -> float | None:
        """New minus old; ``None`` where either is undefined."""
        return None if self._old is None or self._new is None else self._new - self._old

    def in_words(self) -> str:
        """Return the head as a reader says it."""
        if not self._measure:
            return self._title.text
        values = _("{measure} {old} to {new}").format(
            measure=self._measure, old=format_value(self._old), new=format_value(self._new)
        )
        return _("{title}: {values}, change {change}").format(
            title=self._title.text,
            values=values,
            change=_("undefined") if self.change is None else format_signed(self.change),
        )

    def _describe(self) -> None:
        self.setAccessibleName(self.in_words())
        for view in self._views:
            view.show_anew()
        self._fit()

    def _fit(self) -> None:
        values, below, __ = self._views
        needed = self._title.sizeHint().width() + scaled(28) + values.sizeHint().width()
        is_narrow = bool(self._measure) and needed + 2 * scaled(_INSET) > self.width()
        self._need.set_text("" if is_narrow else self._said)
        values.setVisible(not is_narrow)
        below.setVisible(is_narrow)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the title have its line where it needs it."""
        super().resizeEvent(event)
        self._fit()

    def _pieces(self) -> tuple[Piece, ...]:
        if not self._measure:
            return ()
        new, old = format_value(self._new), format_value(self._old)
        pieces = (
            Piece(TextPart(each, ink="text2"), text_width(Role.UI, each) + 1, gap)
            for each, gap in ((self._measure, 0), (old, scaled(8)))
        )
        arrow = Piece(ArrowPart("text2"), text_width(Role.UI, "→"), scaled(4))
        said = Piece(TextPart(new, Role.UI_STRONG), text_width(Role.UI_STRONG, new) + 1, scaled(4))
        return (*pieces, arrow, said)

    def _change_piece(self) -> tuple[Piece, ...]:
        return (
            Piece(
                ChangePart(self.change, self._is_quality), change_width() if self._measure else 0
            ),
        )


class PanePart(StrEnum):
    """What the pane shows of a query."""

    RANKINGS = "rankings"
    CURVES = "curves"
    EXPLAIN = "explain"
    NEXT = "next"


_SEGMENTS = (
    Segment(PanePart.RANKINGS, N_("Rankings"), "columns-2"),
    Segment(PanePart.CURVES, N_("Curves"), "chart-line"),
    Segment(PanePart.EXPLAIN, N_("Explain"), "equal"),
    Segment(PanePart.NEXT, N_("To judge"), "target"),
)


class QueryPane(FittedWidget):
    """Follows the compared: its query, its pair of systems, its measure.

    Signals:
        document_opened: number of a document that is to be shown in the list.
    """

    document_opened = Signal(int)

    def __init__(self, compared: Compared, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._compared, self._jobs = compared, jobs
        self.head = QueryHead(self)
        self._tools = ToolRow(self)
        self._stack = QStackedWidget(self)
        self.switch = Segmented(_SEGMENTS)
        self.switch.setAccessibleName(_("What is shown of the query"))
        self.ranks = make_chooser(_("Ranks shown"))
        self.differences = Pill(_("Differences first"), 0)
        self.scope = make_chooser(_("Curves of"))
        self.rankings = RankingsView(self._stack)
        self.charts = ChartGrid(self._stack)
        self.explain = ExplainPane(self._stack)
        self.next = NextPane(jobs, self._stack)
        self._parts: dict[PanePart, QWidget] = {
            PanePart.RANKINGS: self.rankings,
            PanePart.CURVES: self.charts,
            PanePart.EXPLAIN: self.explain,
            PanePart.NEXT: self.next,
        }
        self._means_of: tuple[object, Measure, tuple[str, ...]] | None = None
        self._arrange()
        self.switch.chosen.connect(lambda name: self.show_part(PanePart(name)))
        self.ranks.activated.connect(self.refresh)
        self.scope.activated.connect(self.refresh)
        self.differences.clicked.connect(self.refresh)
        self.rankings.document_opened.connect(self.document_opened)
        self.show_part(PanePart.RANKINGS)

    def _arrange(self) -> None:
        tops = ((_("Top {depth}").format(depth=format_count(each)), each) for each in DEPTHS)
        self.ranks.offer(tops, 20)
        self.scope.offer(((_("This query"), "query"), (_("All queries"), "all")))
        self.differences.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tools.fill(self.switch, None, self.differences, self.ranks, self.scope)
        for part in self._parts.values():
            self._stack.addWidget(part)
        in_column(self.head, self._tools, self._stack, 1, host=self)

    @override
    def fit(self) -> None:
        """Show the parts' icons alone where their words and what stands beside them have no room."""
        row, choosers = self._tools.row, (self.differences, self.ranks, self.scope)
        margins = row.contentsMargins()
        shown = [each.sizeHint().width() for each in choosers if not each.isHidden()]
        taken = margins.left() + margins.right() + sum(shown) + row.spacing() * (len(shown) + 1)
        words = self.switch.width_of(is_compact=False)
        self.switch.set_compact(is_compact=words > self.width() - taken)

    @property
    def part(self) -> PanePart:
        """What is shown."""
        return PanePart(self.switch.current)

    def show_part(self, part: PanePart) -> None:
        """Show another part."""
        self.switch.set_current(part)
        self.ranks.setVisible(part is PanePart.RANKINGS)
        self.differences.setVisible(part is PanePart.RANKINGS)
        self.scope.setVisible(part is PanePart.CURVES)
        self.refresh()
        if self._stack.isAncestorOf(self.window().focusWidget()):
            # Qt leads the keyboard to what of the new part had it: not to what comes next in the window.
            self.take_keyboard()
        self._stack.setCurrentWidget(self._parts[part])
        self.fit()

    def offer_copies(self, save: Callable[[Sheet], None]) -> None:
        """Let what each part shows be copied and saved, with the command that gives it again."""
        offer_copy(self.rankings, self._rankings_as_table, save=save)
        offer_copy(self.charts, self._curves_as_table, save=save)
        offer_copy(self.explain.parts, self._documents_as_table, save=save)
        self.next.offer_copy(save)

    def _rankings_as_table(self) -> Table | Sheet:
        pair, query = self._compared.pair, self._compared.query
        if pair is None or query is None:
            return []
        depth, columns = int(self.ranks.currentData()), self._compared.columns()
        return rankings_sheet(pair.session, columns, pair.measure, query, depth)

    def _documents_as_table(self) -> Table | Sheet:
        pair, query = self._compared.pair, self._compared.query
        if pair is None or query is None or not pair.has_differences:
            return []
        return document_sheet(*pair, query)

    def _curves_as_table(self) -> Table | Sheet:
        pair = self._compared.pair
        if pair is None:
            return []
        query = None if self.scope.currentData() == "all" else self._compared.query
        charts, columns = self.charts.charts, self._compared.columns()
        where = "" if query is not None else self._compared.where
        return curves_sheet(pair.session, columns, pair.measure, charts, query, where=where)

    def take_keyboard(self) -> None:
        """Give the keyboard to what is shown."""
        part = self.part
        if part is PanePart.CURVES:
            self.charts.take_keyboard()
        elif part is PanePart.NEXT:
            self.next.list.setFocus()
        elif part is PanePart.EXPLAIN:
            self.explain.take_keyboard()
        else:
            self.rankings.setFocus()

    def toggle_scope(self) -> None:
        """Show curves of all queries, or of this one again."""
        if self.part is PanePart.CURVES:
            self.scope.setCurrentIndex(1 - self.scope.currentIndex())
        self.show_part(PanePart.CURVES)

    # Filling

    def refresh(self) -> None:
        """Show what holds now."""
        pair = self._compared.pair
        if pair is not None:
            try:
                self._refresh(pair)
            except JudgetoolError as problem:
                self.head.set_query(str(problem), "")

    def _refresh(self, pair: ComparedPair) -> None:
        part, query = self.part, self._compared.query
        self.scope.setItemText(1, _("Chosen queries") if self._compared.where else _("All queries"))
        self._show_head(pair)
        if part is PanePart.NEXT:
            compared = self._compared
            self.next.show_pair(pair, version=compared.version, where=compared.where)
        elif part is PanePart.CURVES and self.scope.currentData() == "all":
            self._draw_means(pair)
        elif query is None:
            return
        elif part is PanePart.CURVES:
            self._means_of = None
            charts = query_charts(pair.session, self._drawn(pair), query, pair.measure)
            self.charts.set_charts(charts)
        elif part is PanePart.EXPLAIN:
            self.explain.show_value(pair, query)

    def _drawn(self, pair: ComparedPair) -> list[System]:
        """Return what is drawn: the current system first, since some charts are its alone."""
        return list(dict.fromkeys((pair.system, *self._compared.columns())))[:MOST_LINES]

    def _show_head(self, pair: ComparedPair) -> None:
        session, query = pair.session, self._compared.query
        if query is None:
            self.head.set_query(_("No query is chosen."), "")
            self.head.set_values("", None, None)
            return
        found = session.material.queries[query]
        self.head.set_query(
            one_line(found.text or found.id, most=_MOST_TEXT),
            one_line(found.description or found.narrative, most=_MOST_TEXT),
        )
        content = side_by_side(
            session,
            self._compared.columns(),
            query,
            pair.measure,
            depth=int(self.ranks.currentData()),
            differences_first=self.differences.isChecked(),
        )
        first = content.columns[0]
        second = next((each for each in content.columns if each.system == pair.system), first)
        self.head.set_values(
            str(pair.measure), first.value, second.value, is_quality=pair.measure.is_quality
        )
        self.differences.set_count(content.n_different)
        if self.part is PanePart.RANKINGS:
            self.rankings.set_content(content, session.scale)

    def _draw_means(self, pair: ComparedPair) -> None:
        measure, drawn = pair.measure, self._drawn(pair)
        asked = (self._compared.version, measure, tuple(each.key for each in drawn))
        if asked == self._means_of:
            return
        self._means_of = asked
        draw = mean_charts_work(pair.session, drawn, measure, where=self._compared.where)
        self._jobs.submit(
            lambda handle: draw(handle.is_cancelled),
            self.charts.set_charts,
            lambda __: None,
            key=_JOB,
            owner=self,
        )
