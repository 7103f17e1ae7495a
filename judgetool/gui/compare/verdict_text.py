"""What a comparison says, as sentences: whether a difference is shown, and how sure it is."""

from judgetool.gui.compare.figures import format_p, format_signed, is_significant
from judgetool.gui.number_text import format_count
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonTable

FEW = 50


def verdict_head(table: ComparisonTable, name: str, cell: ComparisonCell) -> str:
    """Return the finding in a sentence: which is better, or that no difference is shown.

    Args:
        table: where the cell stands.
        name: of the system.
        cell: of the system and the measure.
    """
    if cell.difference is None:
        return f"{name} is the baseline."
    if cell.p is None:
        return "Not tested yet."
    if not is_significant(cell.p):
        return "No difference shown."
    better, worse = (name, table.baseline.name)
    if cell.difference < 0:
        better, worse = worse, better
    return f"{better} is better than {worse}."


def verdict_rest(table: ComparisonTable, cell: ComparisonCell) -> str:
    """Return what the finding rests on: mean, p, interval, and whether queries are few."""
    if cell.difference is None:
        return "Choose another row to compare it with the baseline."
    parts = [f"Mean difference {format_signed(cell.difference)}"]
    if cell.p is None or cell.pair is None:
        return f"{parts[0]}."
    parts.append(f"{format_p(cell.p)}{' after Holm' if table.correction == 'holm' else ''}")
    sentences = [f"{', '.join(parts)}."]
    interval = cell.pair.interval
    if interval is not None and table.rules is not None:
        low, high = (format_signed(each) for each in (interval.low, interval.high))
        sure = f"{table.rules.confidence:.0%}".replace("%", " %")
        alone = ", of this pair alone" if table.correction == "holm" else ""
        sentences.append(f"{sure} interval {low} to {high}{alone}.")
    n_queries = cell.pair.n_queries
    if not is_significant(cell.p) and 0 < n_queries < FEW:
        noun = "query is" if n_queries == 1 else "queries are"
        sentences.append(f"{format_count(n_queries)} {noun} few for a difference this small.")
    return " ".join(sentences)
