"""The table of systems as Qt asks for it: rows in the chosen order, texts for readers."""

from collections.abc import Mapping

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from judgetool.core.number_text import NO_CHANGE, format_change, format_value
from judgetool.core.override import override
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.metrics import Measure
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


def format_p(p: float) -> str:
    """Return a p-value: two decimals from 0.1 on, three below, never a bare zero.

    Examples:
        >>> format_p(1.0), format_p(0.0684), format_p(0.0004)
        ('p 1.00', 'p 0.068', 'p < 0.001')
    """
    if p < 0.001:
        return "p < 0.001"
    return f"p {p:.2f}" if p >= 0.1 else f"p {p:.3f}"


def format_signed(number: float, *, digits: int = 4) -> str:
    """Return a number with its sign; ``0`` for what shows as nothing.

    Examples:
        >>> format_signed(0.25), format_signed(-0.5), format_signed(0.0)
        ('+0.2500', '−0.5000', '0')
    """
    text = format_change(number, digits=digits)
    return "0" if text == NO_CHANGE else text


def is_significant(table: ComparisonTable, cell: ComparisonCell) -> bool:
    """Whether a difference is marked: p, corrected as the rules say, below their alpha."""
    return cell.p is not None and table.rules is not None and cell.p < table.rules.alpha


def p_in_words(table: ComparisonTable, cell: ComparisonCell) -> str:
    """Return p alone, and corrected; empty where nothing is tested.

    It reads ``p 0.005, 0.020 after Holm over 4 tests``.
    """
    if cell.p is None or cell.pair is None or cell.pair.significance is None:
        return ""
    alone = format_p(cell.pair.significance.p)
    if table.rules is None or not table.rules.correction_title or cell.n_tests < 2:
        return alone
    corrected = format_p(cell.p).removeprefix("p ")
    return f"{alone}, {corrected} after {table.rules.correction_title} over {cell.n_tests} tests"


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


def cell_in_words(table: ComparisonTable, measure: Measure, cell: ComparisonCell) -> str:
    """Return a cell as a reader says it: every number of it."""
    digits = value_digits(measure)
    parts = [f"{measure} {format_value(cell.mean.value, digits=digits)}"]
    if cell.is_best:
        parts.append("best")
    if cell.interval is not None:
        ends = (cell.interval.low, cell.interval.high)
        low, high = (format_value(each, digits=digits) for each in ends)
        if low == high:
            parts.append("certain")
        else:
            is_exact = cell.interval.is_exact
            parts.append(f"between {low} and {high}" if is_exact else f"within {low} to {high}")
    if cell.difference is not None:
        parts.append(f"difference {format_signed(cell.difference)}")
    if cell.pair is not None and cell.pair.interval is not None and table.rules is not None:
        sure = f"{table.rules.confidence:.0%}".replace("%", " %")
        low, high = (format_signed(each) for each in cell.pair.interval)
        parts.append(f"{sure} interval {low} to {high}")
    said = p_in_words(table, cell)
    if said:
        parts.append(f"{said}{', significant' if is_significant(table, cell) else ''}")
    if cell.pair is not None and cell.pair.effect is not None:
        parts.append(f"effect {format_signed(round(cell.pair.effect, 2), digits=2)}")
    return ", ".join(parts)


def row_in_words(table: ComparisonTable, row: ComparisonRow) -> str:
    """Return a row as a reader says it."""
    head = f"{row.system.name}, baseline" if row.is_baseline else row.system.name
    cells = [cell_in_words(table, *pair) for pair in zip(table.measures, row.cells, strict=True)]
    return "; ".join([head, *cells, f"judged {format_share(row.judged_share)}"])


def format_share(share: float | None) -> str:
    """Return a share of judged ranks in percent.

    Examples:
        >>> format_share(0.934), format_share(None)
        ('93 %', '–')
    """
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


class TableModel(QAbstractTableModel):
    """Systems down, their name, measures and judged share across.

    Attributes:
        table: what is shown; ``None`` for nothing.
        remarks: what a system is, by key, such as ``run, 20 queries``.
        sorted_by: column that gives the order.
        is_rising: whether smallest comes first.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: ComparisonTable | None = None
        self.remarks: Mapping[str, str] = {}
        self.sorted_by = 1
        self.is_rising = False
        self._is_chosen = False
        self._rows: list[ComparisonRow] = []
        self._ranges: list[tuple[float, float]] = []

    def set_table(self, table: ComparisonTable | None, remarks: Mapping[str, str]) -> None:
        """Show another table; the order chosen stays while it has that column."""
        self.beginResetModel()
        self.table, self.remarks = table, remarks
        self.sorted_by = min(self.sorted_by, self.columnCount() - 1)
        self._arrange()
        self.endResetModel()

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
        measure = self.sorted_by - 1
        return row.cells[measure].mean.value if measure < len(row.cells) else row.judged_share

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

    def share(self, column: int, value: float) -> float:
        """Return where a value lies in a measure's range, 0 to 1."""
        low, high = self._ranges[column - 1]
        return min(1.0, max(0.0, (value - low) / (high - low)))

    @property
    def has_share(self) -> bool:
        """Whether the judged share has a column of its own: not where it is a measure."""
        return self.table is not None and self._share_name not in map(str, self.measures)

    @property
    def _share_name(self) -> str:
        return f"Judged@{self.table.judged_depth}" if self.table is not None else ""

    def head(self, column: int) -> str:
        """Return a column's name."""
        if column == 0 or self.table is None:
            return "Run"
        if column <= len(self.measures):
            return str(self.measures[column - 1])
        return self._share_name

    # Qt's questions

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many systems there are."""
        return 0 if parent.isValid() else len(self._rows)

    @override
    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return name, measures, judged share."""
        if parent.isValid() or self.table is None:
            return 0
        return 1 + len(self.measures) + self.has_share

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a cell's text, for readers and tooltips."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(index.row(), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            # Column by column along a row nothing else says whose value it is.
            name = self._rows[index.row()].system.name if index.column() else ""
            return ", ".join(filter(None, (name, self._text(index.row(), index.column()))))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(self._text(index.row(), index.column()).replace(", ", "\n"))
        return None

    def _text(self, place: int, column: int) -> str:
        row, table = self._rows[place], self.table
        if table is None or column == 0:
            return row_in_words(table, row) if table is not None else ""
        cell = self.cell(place, column)
        if cell is None:
            return f"judged {format_share(row.judged_share)}"
        return cell_in_words(table, self.measures[column - 1], cell)

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
