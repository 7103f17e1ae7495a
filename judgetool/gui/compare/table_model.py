"""The table of systems as Qt asks for it: rows in the chosen order, texts for readers."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from judgetool.core import override
from judgetool.core.number_text import NO_CHANGE, number_of, signed_in_full
from judgetool.gui.painting import format_change, format_value
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.metrics import Bounds, Mean, Measure
from judgetool.metrics.comparison import PairComparison
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable
from judgetool.session.comparing.pair_bounds import PairBounds
from judgetool.session.comparing.verdicts import (
    Significance,
    counting_in_words,
    has_other_queries,
    p_in_words,
    significance,
)
from judgetool.wording import _

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


def format_signed(number: float, *, digits: int = 4) -> str:
    """Return a number with its sign; ``0`` for what shows as nothing.

    Examples:
        >>> format_signed(0.25), format_signed(-0.5), format_signed(0.0)
        ('+0.2500', '−0.5000', '0')
    """
    text = format_change(number, digits=digits)
    return "0" if text == NO_CHANGE else text


def format_difference(difference: float | None, *, digits: int = 4) -> str:
    """Return a difference with its sign; one that counts as better or worse is never shown as none.

    Examples:
        >>> format_difference(0.25), format_difference(-0.00001), format_difference(0.0)
        ('+0.2500', '−0.00001', '·')
    """
    text = format_change(difference, digits=digits)
    # As many decimals as tell it from 0, as the verdict has it.
    return text if text != NO_CHANGE or not difference else signed_in_full(difference)


def difference_in_words(difference: float | None) -> str:
    """Return a difference as it is said: of none at all, the sign for it is not heard."""
    shown = format_difference(difference)
    return _("difference {difference}").format(difference="0" if shown == NO_CHANGE else shown)


def bounds_in_words(bounds: Bounds | PairBounds, show: Callable[[float], str]) -> str:
    """Return least and greatest; where these may be wider than need be, that they are outer bounds.

    Args:
        bounds: of a value, or of a difference.
        show: makes the text of an end.
    """
    low, high = show(bounds.low), show(bounds.high)
    if low == high:
        return _("certain")
    return (
        _("between {low} and {high}").format(low=low, high=high)
        if bounds.is_exact
        else _("within {low} to {high}, outer bounds").format(low=low, high=high)
    )


def value_digits(measure: Measure) -> int:
    """Return the decimals of a measure's mean: none for counts."""
    return 0 if measure.spec.pooling == "sum" else 4


def measure_range(measure: Measure, cells: list[ComparisonCell]) -> tuple[float, float]:
    """Return from where to where a measure's bars go: its range, or up to the greatest seen."""
    low, high = measure.spec.lowest or 0.0, measure.spec.highest
    if high is None or high <= low:
        seen = [
            number
            for cell in cells
            for number in (cell.mean.value, cell.interval.high if cell.interval else None)
            if number is not None
        ]
        high = max([*seen, low + 1e-9])
    return low, high


def value_in_words(measure: Measure, cell: ComparisonCell, *, is_known: bool) -> str:
    """Return a mean with its least and greatest.

    Args:
        measure: of the cell.
        cell: whose mean it is.
        is_known: whether intervals were computed, so that none means that there is none.
    """
    digits = value_digits(measure)
    parts = [format_value(cell.mean.value, digits=digits)]
    if cell.is_best:
        parts.append(_("best"))
    if cell.interval is not None:
        parts.append(bounds_in_words(cell.interval, lambda end: format_value(end, digits=digits)))
    elif not is_known:
        parts.append(_("least and greatest not computed"))
    return ", ".join(parts)


def marked_as(
    table: ComparisonTable, cell: ComparisonCell, bounds: PairBounds | None
) -> Significance:
    """Return how a cell's difference is marked, by what is known of how far it can still go."""
    return significance(cell, table.rules, bounds, is_sure=cell.is_sure)


def cell_lines(
    table: ComparisonTable, row: ComparisonRow, place: int, bounds: PairBounds | None = None
) -> list[str]:
    """Return every number of a cell, a line each: its own, the baseline's, of the difference.

    Args:
        table: where it stands.
        row: its system's.
        place: of its measure.
        bounds: how far the difference can go; ``None`` where that is not known.
    """
    measure, cell, is_known = table.measures[place], row.cells[place], table.rules is not None
    told = value_in_words(measure, cell, is_known=is_known)
    if cell.difference is None:
        return [f"{measure} {told}"]
    base = table.base_cell(place)
    base_told = value_in_words(measure, base, is_known=is_known)
    said, pair = difference_in_words(cell.difference), cell.pair
    if pair is not None and has_other_queries(pair, cell.mean, base.mean):
        told, base_told = f"{told}, {_over(cell.mean)}", f"{base_told}, {_over(base.mean)}"
        both = (format_value(each) for each in (pair.mean, pair.baseline_mean))
        said = f"{said}, {_over_both(pair)}: {' − '.join(both)}"
    lines = [f"{measure} {told}"]
    name = table.baseline.name
    lines.append(_("baseline {name} {value}").format(name=name, value=base_told))
    if bounds is not None and bounds.are_known:
        here = _("on these queries {bounds}").format(bounds=bounds_in_words(bounds, format_signed))
        said = f"{said}, {here}"
    lines.append(said)
    if cell.pair is not None and cell.pair.interval is not None and table.rules is not None:
        sure = format_share(table.rules.confidence)
        low, high = (format_signed(each) for each in cell.pair.interval)
        lines.append(
            _("{sure} interval {low} to {high} for other queries like these").format(
                sure=sure, low=low, high=high
            )
        )
    said = p_in_words(cell, table.rules)
    if said:
        told_of_p = (said, counting_in_words(cell, table.rules), _(marked_as(table, cell, bounds)))
        lines.append(", ".join(filter(None, told_of_p)))
    if cell.pair is not None and cell.pair.effect is not None:
        lines.append(
            _("effect {size}").format(size=format_signed(round(cell.pair.effect, 2), digits=2))
        )
    return lines


def _over(mean: Mean) -> str:
    return number_of(mean.n_queries, "over {n} query", "over {n} queries")


def _over_both(pair: PairComparison) -> str:
    return number_of(
        pair.n_queries, "over the {n} query that both have", "over the {n} queries that both have"
    )


def cell_verdict(
    table: ComparisonTable, row: ComparisonRow, place: int, bounds: PairBounds | None = None
) -> str:
    """Return a cell in short: its value, how far it can go, its difference and what that is worth.

    Of what is still being computed nothing is said: the cell is said anew once it is there.
    """
    measure, cell = table.measures[place], row.cells[place]
    told = value_in_words(measure, cell, is_known=True)
    parts = [f"{measure} {told}"]
    if cell.difference is not None:
        parts.append(difference_in_words(cell.difference))
        pair = cell.pair
        if pair is not None and has_other_queries(pair, cell.mean, table.base_cell(place).mean):
            parts.append(_over_both(pair))
        said = p_in_words(cell, table.rules)
        alike = counting_in_words(cell, table.rules)
        parts += [said, alike, _(marked_as(table, cell, bounds))] if said else []
    return ", ".join(filter(None, parts))


def row_lines(table: ComparisonTable, row: ComparisonRow, remark: str = "") -> list[str]:
    """Return every number of a row, a line for its name, what it is, what is judged, each measure."""
    head = (
        _("{name}, baseline").format(name=row.system.name) if row.is_baseline else row.system.name
    )
    cells = [", ".join(cell_lines(table, row, place)) for place in range(len(row.cells))]
    share = _("{share} of the first {depth} ranks judged").format(
        share=format_share(row.judged_share), depth=table.judged_depth
    )
    return [head, *filter(None, [remark]), share, *cells]


def format_share(share: float | None) -> str:
    """Return a share of judged ranks in percent.

    Examples:
        >>> format_share(0.934), format_share(None)
        ('93 %', '–')
    """
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


class TableModel(QAbstractTableModel):
    """Systems down, their name and measures across.

    Attributes:
        table: what is shown; ``None`` for nothing.
        remarks: what a system is, by key, such as ``run, 20 queries``.
        sorted_by: column that gives the order.
        is_rising: whether smallest comes first.
        find_bounds: how far a difference can go, by the system's key and the measure's
            number, as far as it is known.
        is_current: whether the cell at a row and column has the keyboard.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: ComparisonTable | None = None
        self.remarks: Mapping[str, str] = {}
        self.sorted_by = 1
        self.is_rising = False
        self.find_bounds: Callable[[str, int], PairBounds | None] = lambda _key, _measure: None
        self.is_current: Callable[[int, int], bool] = lambda _row, _column: True
        self._is_chosen = False
        self._rows: list[ComparisonRow] = []
        self._ranges: list[tuple[float, float]] = []

    def set_table(self, table: ComparisonTable | None, remarks: Mapping[str, str]) -> None:
        """Show another table; the order chosen stays while it has that column.

        Where the rows and columns stay, as when tests are computed, no cell is met anew by who listens.
        """
        before = self._layout
        self.table, self.remarks = table, remarks
        self.sorted_by = min(self.sorted_by, self.columnCount() - 1)
        self._arrange()
        if before == self._layout and self._rows:
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last.column())
        else:
            self.beginResetModel()
            self.endResetModel()

    @property
    def _layout(self) -> tuple[object, ...]:
        return self.measures, [row.system.key for row in self._rows]

    def start_with(self, column: int) -> None:
        """Order by a column, best first, unless the person has chosen an order."""
        if not self._is_chosen:
            self.sorted_by = column

    def sort_by(self, column: int) -> None:
        """Order by a column; the same again turns the order round."""
        self.beginResetModel()
        self._is_chosen = True
        is_same = column == self.sorted_by
        self.is_rising = not self.is_rising if is_same else column == 0
        self.sorted_by = column
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        self._rows, self._ranges = [], []
        if self.table is None:
            return
        self._rows = sorted(self.table.rows, key=self._key, reverse=not self.is_rising)
        if self.sorted_by:
            # What has no value is last in either direction.
            self._rows.sort(key=lambda row: self._number(row) is None)
        # What all are compared with stays in sight.
        self._rows.sort(key=lambda row: not row.is_baseline)
        for place, measure in enumerate(self.table.measures):
            cells = [row.cells[place] for row in self.table.rows]
            self._ranges.append(measure_range(measure, cells))

    def _key(self, row: ComparisonRow) -> tuple[float, str]:
        if not self.sorted_by:
            return 0.0, row.system.name.casefold()
        number = self._number(row)
        return (0.0 if number is None else number), ""

    def _number(self, row: ComparisonRow) -> float | None:
        return row.cells[self.sorted_by - 1].mean.value

    # What the table asks

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, left to right."""
        return self.table.measures if self.table is not None else ()

    @property
    def rows(self) -> list[ComparisonRow]:
        """The rows as shown."""
        return self._rows

    def place_of(self, key: str) -> int | None:
        """Return the row of a system, or ``None``."""
        return next((at for at, row in enumerate(self._rows) if row.system.key == key), None)

    def cell(self, row: int, column: int) -> ComparisonCell | None:
        """Return the cell of a measure's column; ``None`` for the others."""
        cells = self._rows[row].cells
        return cells[column - 1] if 0 < column <= len(cells) else None

    def mark(self, row: int, column: int) -> Significance:
        """Return how a cell's difference is marked."""
        shown = self._rows[row]
        bounds = self.find_bounds(shown.system.key, column - 1)
        cell = shown.cells[column - 1]
        return "" if self.table is None else marked_as(self.table, cell, bounds)

    def share(self, column: int, value: float) -> float:
        """Return where a value lies in a measure's range, 0 to 1."""
        low, high = self._ranges[column - 1]
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def head(self, column: int) -> str:
        """Return a column's name."""
        return _("Run") if column == 0 or self.table is None else str(self.measures[column - 1])

    # Qt's questions

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many systems there are."""
        return 0 if parent.isValid() else len(self._rows)

    @override
    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return name and measures."""
        return 0 if parent.isValid() or self.table is None else 1 + len(self.measures)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a cell's text, for readers and tooltips."""
        if not index.isValid():
            return None
        at = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return ", ".join(self.lines(*at))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.say(*at)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip("\n".join(self.lines(*at)))
        return None

    def say(self, place: int, column: int) -> str:
        """Return a cell as it is heard: the current one with its verdict, others by their value.

        Readers say all of a row that an arrow leads to; a key tells every number of a cell.
        """
        row, table = self._rows[place], self.table
        if table is None:
            return ""
        name = row.system.name
        if row.is_baseline and not column:
            name = _("{name}, baseline").format(name=name)
        measure = max(1, column or self.sorted_by) - 1
        if not self.is_current(place, column):
            cell, shown = row.cells[measure], table.measures[measure]
            value = format_value(cell.mean.value, digits=value_digits(shown))
            return f"{shown} {value}" if column else name
        bounds = self.find_bounds(row.system.key, measure)
        remark = "" if column else self.remarks.get(row.system.key, "")
        return ", ".join(filter(None, [name, remark, cell_verdict(table, row, measure, bounds)]))

    def lines(self, place: int, column: int) -> list[str]:
        """Return every number of a cell, or of a row where the column is its name's."""
        row, table = self._rows[place], self.table
        if table is None:
            return []
        if column == 0:
            return row_lines(table, row, self.remarks.get(row.system.key, ""))
        bounds = self.find_bounds(row.system.key, column - 1)
        return cell_lines(table, row, column - 1, bounds)

    @override
    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> str | int | None:
        """Return a column's head, with an arrow on the one that gives the order."""
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = ("  ↑" if self.is_rising else "  ↓") if section == self.sorted_by else ""
            return self.head(section) + arrow
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None
