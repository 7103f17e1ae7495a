"""What a comparison says, as sentences: whether a difference is shown, and how sure it is."""

from judgetool.gui.compare.figures import format_signed, is_significant, p_in_words
from judgetool.gui.number_text import format_count
from judgetool.metrics import Measure
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonTable
from judgetool.session.comparing.verdicts import Verdict

FEW = 50


def verdict_head(table: ComparisonTable, name: str, cell: ComparisonCell, measure: Measure) -> str:
    """Return the finding in a sentence: which is better, or that no difference is shown.

    Args:
        table: where the cell stands.
        name: of the system.
        cell: of the system and the measure.
        measure: by which.
    """
    if cell.difference is None:
        return f"{name} is the baseline."
    if cell.pair is not None and cell.pair.significance is None:
        return "Not tested: it says how much is judged, not which run is better."
    if cell.p is None:
        return "Not tested yet."
    if not is_significant(table, cell):
        return "No difference shown for queries like these."
    better, worse = (name, table.baseline.name)
    if cell.difference < 0:
        better, worse = worse, better
    return f"{better} is better than {worse} by {measure}, as judged so far."


def verdict_rest(table: ComparisonTable, cell: ComparisonCell) -> str:
    """Return what the finding rests on: mean, p, interval, and whether queries are few."""
    if cell.difference is None:
        return "Choose another row to compare it with the baseline."
    parts = [f"Mean difference {format_signed(cell.difference)}"]
    if cell.p is None or cell.pair is None:
        return f"{parts[0]}."
    parts.append(p_in_words(table, cell))
    sentences = [f"{', '.join(parts)}."]
    interval = cell.pair.interval
    if interval is not None and table.rules is not None:
        low, high = (format_signed(each) for each in (interval.low, interval.high))
        sure = f"{table.rules.confidence:.0%}".replace("%", " %")
        effect = cell.pair.effect
        size = "" if effect is None else f", effect size {format_signed(effect, digits=2)}"
        sentences.append(f"{sure} interval of this pair alone {low} to {high}{size}.")
    n_queries = cell.pair.n_queries
    if not is_significant(table, cell) and 0 < n_queries < FEW:
        noun = "query is" if n_queries == 1 else "queries are"
        sentences.append(f"{format_count(n_queries)} {noun} few for a difference this small.")
    return " ".join(sentences)


def certain_text(verdict: Verdict) -> str:
    """Return what is certain of a difference on these queries, whatever is still unjudged."""
    if verdict.difference is None:
        return ""
    low, high = format_signed(verdict.low), format_signed(verdict.high)
    if not verdict.n_open:
        return "Nothing that is unjudged can change the difference on these queries."
    inside = "" if verdict.is_exact else "within "
    sure = " Which is better on them is certain." if verdict.is_decided else ""
    return (
        f"On these queries, however the unjudged documents are graded, it lies {inside}"
        f"{low} to {high}.{sure}"
    )
