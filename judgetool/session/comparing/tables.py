"""What the compare view shows as tables to take along, with the command that gives them again."""

import shlex
from collections.abc import Sequence

from judgetool.core.views import DEFAULT_VIEW
from judgetool.metrics import ComparisonRules
from judgetool.session.board import ONLY_MINE
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable
from judgetool.session.comparing.query_differences import QueryDifferences
from judgetool.session.session import Session

Cells = list[list[str]]
_DIGITS = 6
_NOTHING = ""


def comparison_cells(table: ComparisonTable) -> Cells:
    """Return every number of a table, a row for each system and measure under the heads."""
    corrected = f"p_{table.rules.correction}" if table.rules is not None else "p_corrected"
    rows = [
        [
            *("run", "baseline", "measure", "mean", "least", "greatest", "queries"),
            *("difference", "low", "high", "p", corrected, "tests", "effect"),
            *("wins", "ties", "losses"),
        ]
    ]
    for row in table.rows:
        for measure, cell in zip(table.measures, row.cells, strict=True):
            rows.append([row.system.name, table.baseline.name, str(measure), *_figures(cell)])
    return rows


def _figures(cell: ComparisonCell) -> list[str]:
    bounds = cell.interval
    least, greatest = (bounds.low, bounds.high) if bounds is not None else (None, None)
    head = [_number(each) for each in (cell.mean.value, least, greatest)]
    pair = cell.pair
    if pair is None:
        return [*head, str(cell.mean.n_queries), _number(cell.difference), *[_NOTHING] * 9]
    low, high = pair.interval or (None, None)
    raw = pair.significance.p if pair.significance is not None else None
    return [
        *head,
        str(pair.n_queries),
        *(_number(each) for each in (cell.difference, low, high, raw, cell.p)),
        str(cell.n_tests or _NOTHING),
        _number(pair.effect),
        *map(str, (pair.wins, pair.ties, pair.losses)),
    ]


def overview_cells(table: ComparisonTable) -> Cells:
    """Return a table as a paper has it: systems by measures, mean with difference and p."""
    rows = [["run", *map(str, table.measures)]]
    for row in table.rows:
        cells = [_overview(row, place) for place in range(len(table.measures))]
        rows.append([row.system.name, *cells])
    return rows


def _overview(row: ComparisonRow, place: int) -> str:
    cell = row.cells[place]
    if cell.mean.value is None:
        return "–"
    text = f"{cell.mean.value:.4f}"
    if cell.difference is None or row.is_baseline:
        return text
    parts = [f"{cell.difference:+.4f}".replace("-", "−")]
    if cell.p is not None:
        parts.append("p < 0.001" if cell.p < 0.001 else f"p = {cell.p:.3f}")
    return f"{text} ({', '.join(parts)})"


def difference_cells(session: Session, found: QueryDifferences) -> Cells:
    """Return the differences of all queries, equal ones too, as they are ordered."""
    queries = session.material.queries
    rows = [["query", "text", "value", "baseline", "difference"]]
    for row in found.rows:
        query = queries[row.query]
        numbers = (row.value, row.baseline, row.difference)
        rows.append([query.id, query.text, *map(_number, numbers)])
    return rows


def command_line(session: Session, table: ComparisonTable) -> str:
    """Return the command that gives the same figures."""
    words = ["judgetool", "compare", "--project", session.path.name]
    words += ["--run", *(row.system.name for row in table.rows if not row.system.snapshot)]
    for name in table.apart:
        words += ["--apart", name]
    words += ["--baseline", table.baseline.name]
    words += ["--measure", *(str(each) for each in table.measures if each.spec.has_query_values)]
    if session.board.view != DEFAULT_VIEW:
        words += ["--view", session.board.view]
    rules, usual = table.rules or ComparisonRules(), ComparisonRules()
    for option, name in (
        ("--test", "test"),
        ("--draws", "n_draws"),
        ("--seed", "seed"),
        ("--correction", "correction"),
        ("--family", "family"),
        ("--alpha", "alpha"),
    ):
        if getattr(rules, name) != getattr(usual, name):
            words += [option, str(getattr(rules, name))]
    return shlex.join(words)


def table_sentences(session: Session, table: ComparisonTable) -> Sequence[str]:
    """Return what is to be said under a table: how it came about, and the command."""
    if session.board.view == ONLY_MINE or any(row.system.snapshot for row in table.rows):
        # Commands know neither.
        return table.sentences
    return (*table.sentences, f"The same by: {command_line(session, table)}")


def _number(value: float | None) -> str:
    if value is None:
        return _NOTHING
    return f"{value:.{_DIGITS}f}".rstrip("0").rstrip(".") if value else "0"
