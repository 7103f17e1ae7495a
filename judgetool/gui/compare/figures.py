"""Figures of a comparison as people read them."""

from judgetool.gui.number_text import NO_CHANGE, format_change, format_value
from judgetool.metrics import Measure
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable


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
