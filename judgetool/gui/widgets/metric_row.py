"""One measure as the live panel shows it, and what it says in words."""

from dataclasses import dataclass

from judgetool.gui.number_text import NO_CHANGE, format_change, format_value


@dataclass(frozen=True, slots=True)
class MetricRow:
    """The value of one measure for this query and as a mean, with what could become of it.

    Attributes:
        name: such as ``nDCG@10``.
        value: for this query; ``None`` when undefined.
        reason: why it is undefined, as a sentence; ``""`` when it is not.
        judged: small text under the name, such as ``7 of 10 judged``.
        change: of the value; ``None`` where there is nothing to compare with.
        low: least that the unjudged could leave; ``None`` when not known.
        high: most that the unjudged could add; ``None`` when not known.
        range_low: where the measure's bar begins.
        range_high: where it ends.
        mean: over the queries; ``None`` when undefined for all.
        mean_change: of the mean.
        mean_low: least of the mean.
        is_exact: whether ``low`` and ``high`` are attained; if not, the range is wider than
            need be.
        is_mean_exact: likewise of the mean.
        mean_high: most of the mean.
    """

    name: str
    value: float | None
    reason: str = ""
    judged: str = ""
    change: float | None = None
    low: float | None = None
    high: float | None = None
    range_low: float = 0.0
    range_high: float = 1.0
    mean: float | None = None
    mean_change: float | None = None
    mean_low: float | None = None
    mean_high: float | None = None
    is_exact: bool = True
    is_mean_exact: bool = True

    def share(self, value: float) -> float:
        """Return where a value lies in the measure's range, 0 to 1."""
        width = self.range_high - self.range_low
        return 0.0 if width <= 0 else min(1.0, max(0.0, (value - self.range_low) / width))


@dataclass(frozen=True, slots=True)
class ValueCell:
    """One of a row's two sides: this query, or the mean.

    Attributes:
        value: ``None`` when undefined.
        change: ``None`` where there is nothing to compare with.
        low: least possible, or ``None``.
        high: most possible, or ``None``.
        is_exact: whether these two are attained.
    """

    value: float | None
    change: float | None
    low: float | None
    high: float | None
    is_exact: bool = True


def query_cell(row: MetricRow) -> ValueCell:
    """Return the side of this query."""
    return ValueCell(row.value, row.change, row.low, row.high, row.is_exact)


def mean_cell(row: MetricRow) -> ValueCell:
    """Return the side of the mean."""
    return ValueCell(row.mean, row.mean_change, row.mean_low, row.mean_high, row.is_mean_exact)


def cell_in_words(cell: ValueCell) -> str:
    """Return a cell as a reader says it: value, change, and what is still possible."""
    if cell.value is None:
        return "undefined"
    parts = [format_value(cell.value)]
    change = format_change(cell.change)
    if change == NO_CHANGE:
        parts.append("no change")
    elif change:
        parts.append(f"change {change}")
    if cell.low is not None and cell.high is not None:
        if cell.high - cell.low < 0.00005:
            parts.append("certain")
        else:
            low, high = format_value(cell.low), format_value(cell.high)
            parts.append(
                f"between {low} and {high}" if cell.is_exact else f"within {low} to {high}"
            )
    return ", ".join(parts)


def row_in_words(row: MetricRow, mean_of: str) -> str:
    """Return a whole row as a reader says it, with every number and the reason.

    Args:
        row: of the panel.
        mean_of: what the mean is over, such as ``mean of 19``.
    """
    text = f"{row.name}: {cell_in_words(query_cell(row))}"
    if row.judged:
        text += f"; {row.judged}"
    text += f"; {mean_of}: {cell_in_words(mean_cell(row))}"
    return f"{text}. {row.reason}" if row.reason else f"{text}."
