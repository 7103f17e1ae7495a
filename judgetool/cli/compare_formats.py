"""How comparisons are written: for people, line by line, as tables, as JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from judgetool import __version__
from judgetool.cli.score_formats import ALL, NOTHING, markdown_table
from judgetool.cli.score_table import ScoreTable
from judgetool.cli.tables import csv_line, tsv_cell
from judgetool.metrics.comparison import Comparison, ComparisonRules, MeasureAgreement

if TYPE_CHECKING:
    from judgetool.metrics import Measure
    from judgetool.session.comparing.verdicts import DifferenceBounds

Row = dict[str, str]
_TITLES = {
    "run": "run",
    "mean": "mean",
    "difference": "difference",
    "interval": "interval",
    "bounds": "possible",
    "p": "p",
    "p_corrected": "p (corrected)",
    "wins": "wins",
    "ties": "ties",
    "losses": "losses",
    "effect": "effect",
}
_BOUNDS = ("min", "max", "bounds")
_SIGNIFICANT = "*"
EXACT, WITHIN = "exact", "within"
_POSSIBLE = (
    "Possible: least and greatest mean difference on these queries over all gradings of what is "
    "unjudged; ‘exact’ where both are attained, ‘within’ where they may be wider than need be."
)
_ORDER_TITLES = {
    "measures": "orders of the runs",
    "tau": "τ-b",
    "tau_ap": "τ_AP",
    "rho": "ρ",
    "rbo": "RBO(p=0.9)",
}


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """What ``judgetool compare`` prints.

    Attributes:
        scores: where the runs, their values and the conventions are.
        baseline: name of the run that the others are compared with.
        rules: how they were compared.
        comparisons: a row for each measure and run.
        orders: how alike each two measures order the runs; empty with too few.
        bounds: how far each difference can go, by run and measure; empty if not asked for.
        apart: names of runs that enter no family of tests but their own.
    """

    scores: ScoreTable
    baseline: str
    rules: ComparisonRules
    comparisons: Sequence[Comparison]
    orders: Sequence[MeasureAgreement]
    bounds: "Mapping[tuple[str, Measure], DifferenceBounds]" = field(default_factory=dict)
    apart: Sequence[str] = ()

    @property
    def sentences(self) -> list[str]:
        """How the figures came about, one each."""
        conventions = self.scores.engine.conventions.describe()
        scale = f"Grades are read by the scale {self.scores.scale_name}."
        orders = ["Orders: τ_AP is the mean of both directions, RBO is extrapolated."]
        marked = [f"{_SIGNIFICANT} marks a corrected p below {self.rules.alpha:g}."]
        if self.rules.correction == "none":
            marked = [f"{_SIGNIFICANT} marks a p below {self.rules.alpha:g}."]
        apart = self.rules.describe_apart(self.apart)
        described = [*self.rules.describe(), *apart, *marked, *([_POSSIBLE] if self.bounds else ())]
        return [*described, *(orders if self.orders else ()), *conventions, scale]


def format_comparisons(table: ComparisonTable, name: str, *, digits: int) -> str:
    """Return the comparisons as text in the format of this name, a key of ``WRITERS``."""
    return "\n".join(WRITERS[name](table, digits))


def _number(value: float | None, digits: int) -> str:
    # Adding 0.0 after rounding leaves no "-0.0000".
    return NOTHING if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def _p_for_people(p: float, digits: int) -> str:
    digits = max(digits, 2)
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def _p_for_programs(p: float, digits: int) -> str:
    return f"{p:.{max(digits, 1)}g}"


def _is_shown(table: ComparisonTable, name: str) -> bool:
    """Whether a figure is written: a corrected p or bounds only where they are asked for."""
    if name in _BOUNDS:
        return bool(table.bounds)
    return name != "p_corrected" or table.rules.correction != "none"


def _titles(table: ComparisonTable) -> Row:
    """Return the columns for people, by the figure's name."""
    corrected = f"p ({table.rules.correction_title})"
    titles = _TITLES | {"p_corrected": corrected}
    return {name: title for name, title in titles.items() if _is_shown(table, name)}


def _bounds_figures(table: ComparisonTable, row: Comparison, digits: int) -> Row:
    found = table.bounds.get((row.run, row.measure))
    if found is None or found.difference is None:
        return dict.fromkeys(_BOUNDS, NOTHING)
    return {
        "min": _number(found.low, digits),
        "max": _number(found.high, digits),
        "bounds": EXACT if found.is_exact else WITHIN,
    }


def _figures(
    table: ComparisonTable, row: Comparison, digits: int, format_p: Callable[[float, int], str]
) -> Row:
    """Return the figures of a row as texts by name, in order."""
    pair = row.pair
    low, high = pair.interval or (None, None)
    return {
        "queries": str(pair.n_queries),
        "mean": _number(pair.mean, digits),
        "baseline_mean": _number(pair.baseline_mean, digits),
        "difference": _number(pair.difference, digits),
        "low": _number(low, digits),
        "high": _number(high, digits),
        **_bounds_figures(table, row, digits),
        "p": NOTHING if pair.significance is None else format_p(pair.significance.p, digits),
        "p_corrected": NOTHING if row.p is None else format_p(row.p, digits),
        "wins": str(pair.wins),
        "ties": str(pair.ties),
        "losses": str(pair.losses),
        "effect": _number(pair.effect, digits),
    }


def _written(table: ComparisonTable, row: Comparison, digits: int) -> Row:
    """Return the figures of a row for programs; p is named by its correction."""
    corrected = f"p_{table.rules.correction}"
    return {
        corrected if name == "p_corrected" else name: text
        for name, text in _figures(table, row, digits, _p_for_programs).items()
        if _is_shown(table, name)
    }


def _order_figures(row: MeasureAgreement, digits: int) -> Row:
    found = row.agreement
    return {
        "tau": _number(found.tau, digits),
        "tau_ap": _number(found.tau_ap, digits),
        "rho": _number(found.rho, digits),
        "rbo": _number(found.rbo, digits),
    }


# -- for programs


def _iter_cells(table: ComparisonTable, digits: int) -> Iterator[list[str]]:
    header: list[str] = []
    for row in table.comparisons:
        figures = _written(table, row, digits)
        if not header:
            header = ["run", "baseline", "measure", *figures]
            yield header
        yield [row.run, row.baseline, str(row.measure), *figures.values()]


def _write_tsv(table: ComparisonTable, digits: int) -> Iterator[str]:
    for cells in _iter_cells(table, digits):
        yield "\t".join(map(tsv_cell, cells))


def _write_csv(table: ComparisonTable, digits: int) -> Iterator[str]:
    for cells in _iter_cells(table, digits):
        yield csv_line(cells[:3], cells[3:])


def _write_trec(table: ComparisonTable, digits: int) -> Iterator[str]:
    for row in table.comparisons:
        for name, text in _written(table, row, digits).items():
            yield f"{tsv_cell(row.run)}\t{row.measure}\t{name}\t{text}"
    for order in table.orders:
        for name, text in _order_figures(order, digits).items():
            yield f"{ALL}\t{order.first} {order.second}\t{name}\t{text}"


def _write_json(table: ComparisonTable, digits: int) -> Iterator[str]:  # noqa: ARG001 - all digits
    values = {
        "judgetool": __version__,
        "judgments": table.scores.judgments_source,
        "scale": table.scores.scale_name,
        "conventions": asdict(table.scores.engine.conventions),
        "comparing": {**asdict(table.rules), "sentences": table.sentences},
        "baseline": table.baseline,
        "measures": table.scores.names,
        "comparisons": [_comparison_values(table, row) for row in table.comparisons],
        "orders": [
            {
                "measures": [str(order.first), str(order.second)],
                "runs": order.n_runs,
                **asdict(order.agreement),
            }
            for order in table.orders
        ],
    }
    yield json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)


def _comparison_values(table: ComparisonTable, row: Comparison) -> dict[str, Any]:
    pair, correction = row.pair, table.rules.correction
    corrected = {} if correction == "none" else {f"p_{correction}": row.p}
    return {
        "run": row.run,
        "baseline": row.baseline,
        "measure": str(row.measure),
        "queries": pair.n_queries,
        "mean": pair.mean,
        "baseline_mean": pair.baseline_mean,
        "difference": pair.difference,
        "low": pair.interval.low if pair.interval else None,
        "high": pair.interval.high if pair.interval else None,
        **_bounds_values(table, row),
        "p": pair.significance.p if pair.significance else None,
        **corrected,
        "tests": row.n_tests,
        "statistic": pair.significance.statistic if pair.significance else None,
        "draws": pair.significance.n_draws if pair.significance else None,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "effect": pair.effect,
    }


def _bounds_values(table: ComparisonTable, row: Comparison) -> dict[str, Any]:
    if not table.bounds:
        return {}
    found = table.bounds[row.run, row.measure]
    if found.difference is None:
        return {"min": None, "max": None, "is_exact": None}
    return {"min": found.low, "max": found.high, "is_exact": found.is_exact}


# -- for people


def _iter_blocks(table: ComparisonTable, digits: int) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield a heading and the rows for each measure."""
    for measure in table.scores.measures:
        its = [row for row in table.comparisons if row.measure == measure]
        if not its:
            continue
        counts = sorted({row.pair.n_queries for row in its})
        over = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        means = {_number(row.pair.baseline_mean, digits) for row in its}
        against = f"{table.baseline} {means.pop()}" if len(means) == 1 else table.baseline
        rows = []
        for row in its:
            figures = _figures(table, row, digits, _p_for_people)
            has_interval = row.pair.interval is not None
            figures["interval"] = (
                f"{figures['low']} to {figures['high']}" if has_interval else NOTHING
            )
            if figures["bounds"] != NOTHING:
                figures["bounds"] += f" {figures['min']} to {figures['max']}"
            figures["run"] = row.run
            if row.p is not None and row.p < table.rules.alpha:
                figures["p" if table.rules.correction == "none" else "p_corrected"] += _SIGNIFICANT
            rows.append([figures[name] for name in _titles(table)])
        yield f"{measure} over {over} queries, against {against}", rows


def _order_rows(table: ComparisonTable, digits: int) -> list[list[str]]:
    return [
        [f"{order.first} and {order.second}", *_order_figures(order, digits).values()]
        for order in table.orders
    ]


def _write_text(table: ComparisonTable, digits: int) -> Iterator[str]:
    for heading, rows in _iter_blocks(table, digits):
        yield tsv_cell(heading)
        yield from (*_aligned([list(_titles(table).values()), *rows]), "")
    if table.orders:
        yield from _aligned([list(_ORDER_TITLES.values()), *_order_rows(table, digits)])
        yield ""
    yield from table.sentences


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows as lines: the first column to the left, figures to the right."""
    cells = [list(map(tsv_cell, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *figures in cells:
        padded = (text.rjust(width) for text, width in zip(figures, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *padded))


def _write_markdown(table: ComparisonTable, digits: int) -> Iterator[str]:
    for heading, rows in _iter_blocks(table, digits):
        yield from (f"### {tsv_cell(heading)}", "")
        yield from (*markdown_table(list(_titles(table).values()), rows), "")
    if table.orders:
        yield from markdown_table(list(_ORDER_TITLES.values()), _order_rows(table, digits))
        yield ""
    yield " ".join(table.sentences)


WRITERS: dict[str, Callable[[ComparisonTable, int], Iterator[str]]] = {
    "text": _write_text,
    "trec": _write_trec,
    "tsv": _write_tsv,
    "csv": _write_csv,
    "json": _write_json,
    "markdown": _write_markdown,
}
