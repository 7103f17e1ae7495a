"""Figures of a comparison as people read them."""

from judgetool.formats.writers.report_html import SIGNIFICANT
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


def format_signed(number: float) -> str:
    """Return a number with its sign; ``0`` for what shows as nothing.

    Examples:
        >>> format_signed(0.25), format_signed(-0.5), format_signed(0.0)
        ('+0.2500', '−0.5000', '0')
    """
    text = format_change(number)
    return "0" if text == NO_CHANGE else text


def is_significant(p: float | None) -> bool:
    """Whether a difference is marked: p, corrected as the table says, below 0.05."""
    return p is not None and p < SIGNIFICANT


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
            for number in (cell.mean.value, *(cell.interval or ()))
            if number is not None
        ]
        high = max([*seen, low + 1e-9])
    return low, high


def cell_in_words(measure: Measure, cell: ComparisonCell) -> str:
    """Return a cell as a reader says it."""
    digits = value_digits(measure)
    parts = [f"{measure} {format_value(cell.mean.value, digits=digits)}"]
    if cell.is_best:
        parts.append("best")
    if cell.interval is not None:
        low, high = (format_value(each, digits=digits) for each in cell.interval)
        parts.append("certain" if low == high else f"between {low} and {high}")
    if cell.difference is not None:
        parts.append(f"difference {format_change(cell.difference, digits=4)}")
    if cell.p is not None:
        parts.append(f"{format_p(cell.p)}{', significant' if is_significant(cell.p) else ''}")
    return ", ".join(parts)


def row_in_words(table: ComparisonTable, row: ComparisonRow) -> str:
    """Return a row as a reader says it."""
    head = f"{row.system.name}, baseline" if row.is_baseline else row.system.name
    cells = [cell_in_words(*pair) for pair in zip(table.measures, row.cells, strict=True)]
    return "; ".join([head, *cells, f"judged {format_share(row.judged_share)}"])


def format_share(share: float | None) -> str:
    """Return a share of judged ranks in percent.

    Examples:
        >>> format_share(0.934), format_share(None)
        ('93 %', '–')
    """
    return "–" if share is None else f"{share:.0%}".replace("%", " %")
