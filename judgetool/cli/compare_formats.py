"""What ``judgetool compare`` prints: figures, verdicts and how they came about, in every format."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from judgetool import __version__
from judgetool.cli.command import (
    NOTHING,
    figure,
    json_text,
    latex_rows,
    markdown_table,
    separated,
    tsv_cell,
)
from judgetool.cli.score_table import ALL, ScoreTable, assumed_sentences
from judgetool.core.number_text import aligned, format_p, format_span
from judgetool.formats.output import is_p, p_text
from judgetool.metrics.comparison import Comparison, ComparisonRules, MeasureAgreement
from judgetool.metrics.significance import ValuedApart, reads_judgments
from judgetool.session.comparing.tables import tie_figures
from judgetool.session.comparing.these_queries import Decision, WithoutResults, WithoutValue
from judgetool.session.comparing.verdicts import Verdict, find_verdict, significance
from judgetool.wording import N_, _, in_english, listed, local_number, ngettext, translated

if TYPE_CHECKING:
    from judgetool.metrics import Bounds, Mean, Measure
    from judgetool.session.comparing.pair_bounds import PairBounds

Row = dict[str, str]
_TITLES = {
    "run": N_("run"),
    "mean": N_("mean"),
    "difference": N_("difference"),
    "interval": N_("interval"),
    "bounds": N_("possible"),
    "p": "p",
    "p_corrected": "",
    "p_tie": N_("p (tie)"),
    "p_tie_corrected": "",
    "wins": N_("wins"),
    "ties": N_("ties"),
    "losses": N_("losses"),
    "effect": N_("effect"),
}
_JSON_ALONE = ("tests", "statistic", "draws", "verdict")
_SIGNIFICANT, _SO_FAR = "*", "(*)"
_MINUS = re.compile(r"-(?=\d)")
EXACT, WITHIN = N_("exact"), N_("within")
_POSSIBLE = N_(
    "Possible: least and greatest mean difference on these queries over all "
    "gradings of what is unjudged in both rankings, in a project’s pool, and in qrels, where a "
    "negative grade means pooled and not judged; ‘exact’ where both are attained, ‘within’ where "
    "they may be wider than need be."
)
_POSSIBLE_QUERIES = N_(
    "A query that nobody has judged yet is counted there where a grading would have it count; means, "
    "and how far the mean of a run can go, are of the queries that count now."
)
_MARKED = {
    (False, None): N_("{significant} marks a p below {alpha}."),
    (True, None): N_("{significant} marks a corrected p below {alpha}."),
    (False, False): N_("{significant} marks a p below {alpha}, as judged so far."),
    (True, False): N_("{significant} marks a corrected p below {alpha}, as judged so far."),
    (False, True): N_(
        "{significant} marks a p below {alpha}, {so_far} one that grades to come can change."
    ),
    (True, True): N_(
        "{significant} marks a corrected p below {alpha}, {so_far} one that grades to come can "
        "change."
    ),
}
"""How a mark is explained: of a corrected p or not, with bounds or not; ``None`` where no measure reads grades."""
_ORDER_TITLES = {
    "measures": N_("orders of the runs"),
    "tau": "τ-b",
    "tau_ap": "τ_AP",
    "rho": "ρ",
    "rbo": "RBO(p=0.9)",
}


class ComparisonOutput(NamedTuple):
    """What ``judgetool compare`` prints.

    Attributes:
        scores: where the runs, their values and the conventions are.
        baseline: name of the run that the others are compared with.
        rules: how they were compared.
        comparisons: a row for each measure and run.
        orders: how alike each two measures order the runs; empty with too few.
        bounds: how far each difference can go, by run and measure; if not asked for, of what is
            decided on alone.
        decisions: how drawing by lot stands, likewise.
        apart: names of runs that enter no family of tests but their own.
        ranges: the mean over all queries of a run, and how far it can go, by run and in the
            order of the measures; empty if not asked for.
        valued_apart: how the grades of runs differ from those of the baseline, where they do.
        without: the judged queries that runs have no results for, where they lack any.
        undefined: how many queries have no value, by run and measure.
    """

    scores: ScoreTable
    baseline: str
    rules: ComparisonRules
    comparisons: Sequence[Comparison]
    orders: Sequence[MeasureAgreement]
    bounds: "Mapping[tuple[str, Measure], PairBounds]"
    decisions: "Mapping[tuple[str, Measure], Decision | None]"
    apart: Sequence[str]
    ranges: "Mapping[str, Sequence[tuple[float | None, Bounds | None]]]"
    valued_apart: Mapping[str, ValuedApart]
    without: Mapping[str, WithoutResults | None]
    undefined: "Mapping[str, Mapping[Measure, WithoutValue]]"

    @property
    def sentences(self) -> list[str]:
        """How the figures came about, one each."""
        conventions = self.scores.engine.describe_conventions()
        scale = _("Grades are read by the scale {scale_name}.").format(
            scale_name=self.scores.scale_name
        )
        orders = [_("Orders: τ_AP is the mean of both directions, RBO is extrapolated.")]
        is_corrected, has_bounds = self.rules.correction != "none", bool(self.ranges)
        alpha = local_number(f"{self.rules.alpha:g}")
        is_by_grades = any(reads_judgments(row.measure) for row in self.comparisons)
        mark = _(_MARKED[is_corrected, has_bounds if is_by_grades else None])
        marked = [mark.format(significant=_SIGNIFICANT, alpha=alpha, so_far=_SO_FAR)]
        apart = self.rules.describe_apart(self.apart)
        is_weighted = any(row.pair.is_weighted for row in self.comparisons)
        described = [
            *self.rules.describe(is_weighted=is_weighted),
            *apart,
            *marked,
            *([_(_POSSIBLE), _(_POSSIBLE_QUERIES)] if has_bounds else ()),
        ]
        whose = [self.scores.whose] if self.scores.whose else []
        said = [*described, *(orders if self.orders else ()), *whose, *conventions, scale]
        said += assumed_sentences(self.scores)
        return list(map(translated, said))

    def verdict(self, row: Comparison) -> Verdict:
        """Return what can be said of a row."""
        of, names = (row.run, row.measure), (row.run, row.baseline)
        bounds, decision = self.bounds.get(of), self.decisions.get(of)
        return find_verdict(
            names,
            row.measure,
            row,
            self.rules,
            bounds=bounds,
            decision=decision,
            apart=self.valued_apart.get(row.run),
            without=[self.without.get(name) for name in names],
            undefined=[self.undefined.get(name, {}).get(row.measure) for name in names],
            means=self._means(row),
        )

    def _means(self, row: Comparison) -> "tuple[Mean, Mean]":
        place = self.scores.measures.index(row.measure)
        means = {run.name: self.scores.means(run)[place] for run in self.scores.runs}
        return means[row.run], means[row.baseline]


def format_comparisons(table: ComparisonOutput, name: str, *, digits: int) -> str:
    """Return the comparisons as text in the format of this name, a key of ``WRITERS``."""
    # Who looks at a terminal reads their own language, files and programs read English.
    with nullcontext() if name == "text" else in_english():
        return "\n".join(WRITERS[name](table, digits))


def _p_for_people(p: float, digits: int, alpha: float) -> str:
    return format_p(p, alpha, digits=max(digits, 2)).removeprefix("p ").replace("< ", "<")


def _titles(table: ComparisonOutput) -> Row:
    """Return the columns for people, by the figure's name; what is not asked for is none."""
    by = table.rules.correction_title
    titles = _TITLES | {
        "p_corrected": f"p ({by})",
        "p_tie_corrected": _("p (tie, {correction})").format(correction=by),
    }
    unasked = {
        *(() if table.ranges else ("bounds",)),
        *(() if by else ("p_corrected", "p_tie_corrected")),
        *(() if table.rules.has_ties else ("p_tie", "p_tie_corrected")),
    }
    return {name: _(title) for name, title in titles.items() if name not in unasked}


def _values(table: ComparisonOutput, row: Comparison) -> dict[str, Any]:
    """Return the figures of a row by name, in order: the corrected p named by its correction."""
    pair, correction = row.pair, table.rules.correction
    test, bounds = pair.significance, table.bounds.get((row.run, row.measure))
    has_bounds = bounds is not None and bounds.are_known
    verdict = table.verdict(row).values()
    low, high = pair.interval or (None, None)
    return {
        **_mean_ends(table, row),
        "queries": pair.n_queries,
        "mean": pair.mean,
        "baseline_mean": pair.baseline_mean,
        "difference": pair.difference,
        "low": low,
        "high": high,
        **{
            name: getattr(bounds, attribute) if has_bounds else None
            for name, attribute in (("min", "low"), ("max", "high"), ("is_exact", "is_exact"))
            if table.ranges
        },
        "p": test.p if test else None,
        **({} if correction == "none" else {f"p_{correction}": row.p}),
        **tie_figures(pair, row.p_tie, table.rules),
        **({name: verdict[name] for name in ("p_min", "p_max")} if table.ranges else {}),
        "tests": row.n_tests,
        "statistic": test.statistic if test else None,
        "draws": test.n_draws if test else None,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "effect": pair.effect,
        "verdict": verdict,
    }


def _mean_ends(table: ComparisonOutput, row: Comparison) -> dict[str, float | None]:
    """Return the mean over all queries of a run, and how far it can go, where that was asked for."""
    if not table.ranges:
        return {}
    value, found = table.ranges[row.run][table.scores.measures.index(row.measure)]
    ends = (None, None) if found is None else (found.low, found.high)
    return dict(zip(("run_mean", "run_min", "run_max"), (value, *ends), strict=True))


def _figures(
    values: Mapping[str, Any], digits: int, say_p: Callable[[float, int], str] = p_text
) -> Row:
    """Return figures as texts by name, in order."""

    def shown(name: str, value: float | None) -> str:
        if value is None:
            return NOTHING
        if isinstance(value, bool):
            return EXACT if value else WITHIN
        if is_p(name):
            return say_p(value, digits)
        return figure(value, digits)

    figures = {
        "bounds" if name == "is_exact" else name: shown(name, value)
        for name, value in values.items()
        if name not in _JSON_ALONE
    }
    if "verdict" in values:
        kinds = (values["verdict"][of] for of in ("these_queries", "other_queries"))
        figures["verdict"] = ", ".join(filter(None, kinds))
    return figures


# -- for programs


def _iter_cells(table: ComparisonOutput, digits: int) -> Iterator[list[str]]:
    header: list[str] = []
    for row in table.comparisons:
        figures = _figures(_values(table, row), digits)
        if not header:
            header = ["run", "baseline", "measure", *figures]
            yield header
        yield [row.run, row.baseline, str(row.measure), *figures.values()]


def _write_trec(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for row in table.comparisons:
        for name, text in _figures(_values(table, row), digits).items():
            yield f"{tsv_cell(row.run)}\t{row.measure}\t{name}\t{text}"
    for order in table.orders:
        for name, text in _figures(order.agreement._asdict(), digits).items():
            yield f"{ALL}\t{order.first} {order.second}\t{name}\t{text}"


def _write_json(table: ComparisonOutput, digits: int) -> Iterator[str]:  # noqa: ARG001 - all digits
    values: dict[str, Any] = {
        "judgetool": __version__,
        "judgments": table.scores.judgments_source,
        **table.scores.judged,
        "scale": table.scores.scale_name,
        "conventions": asdict(table.scores.engine.conventions),
        "comparing": {**asdict(table.rules), "sentences": table.sentences},
        "baseline": table.baseline,
        "measures": table.scores.names,
        "comparisons": [
            {
                "run": row.run,
                "baseline": row.baseline,
                "measure": str(row.measure),
                **_values(table, row),
            }
            for row in table.comparisons
        ],
        "orders": [
            {
                "measures": [str(order.first), str(order.second)],
                "runs": order.n_runs,
                **order.agreement._asdict(),
            }
            for order in table.orders
        ],
    }
    yield json_text(values)


# -- for people


def _span(low: str, high: str) -> str:
    return _("{low} to {high}").format(low=low, high=high)


def _iter_blocks(
    table: ComparisonOutput, digits: int
) -> Iterator[tuple[str, list[list[str]], list[str]]]:
    """Yield a heading, the rows and what they mean for each measure."""
    for measure in table.scores.measures:
        its = [row for row in table.comparisons if row.measure == measure]
        over = {row.pair.n_queries for row in its}
        say_p = partial(_p_for_people, alpha=table.rules.alpha)
        figures = [_figures(_values(table, row), digits, say_p) for row in its]
        means = {each["baseline_mean"] for each in figures}
        against = (
            f"{table.baseline} {local_number(means.pop())}" if len(means) == 1 else table.baseline
        )
        titles, corrected = _titles(table), f"p_{table.rules.correction}"
        for row, each in zip(its, figures, strict=True):
            each["run"] = row.run
            has_interval = row.pair.interval is not None
            each["interval"] = _span(each["low"], each["high"]) if has_interval else NOTHING
            if each.get("bounds", NOTHING) != NOTHING:
                each["bounds"] = f"{_(each['bounds'])} {_span(each['min'], each['max'])}"
            bounds = table.bounds.get((row.run, row.measure))
            mark = significance(row, table.rules, bounds, is_sure=not reads_judgments(row.measure))
            if mark:
                is_so_far = bool(table.ranges) and mark == "significant so far"
                each[corrected if corrected in each else "p"] += (
                    _SO_FAR if is_so_far else _SIGNIFICANT
                )
            each["p_corrected"] = each.get(corrected, NOTHING)
            each["p_tie_corrected"] = each.get(f"p_tie_{table.rules.correction}", NOTHING)
        rows = [
            [each["run"], *(local_number(each[name]) for name in titles if name != "run")]
            for each in figures
        ]
        verdicts = [table.verdict(row).text for row in its]
        yield (
            ngettext(
                "{measure} over {over} query, against {against}",
                "{measure} over {over} queries, against {against}",
                max(over),
            ).format(measure=measure, over=format_span(over), against=against),
            rows,
            verdicts,
        )


def _order_rows(table: ComparisonOutput, digits: int) -> list[list[str]]:
    return [
        [
            listed([str(order.first), str(order.second)]),
            *map(local_number, _figures(order.agreement._asdict(), digits).values()),
        ]
        for order in table.orders
    ]


def _write_text(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for heading, rows, verdicts in _iter_blocks(table, digits):
        yield tsv_cell(heading)
        yield from (*_aligned([list(_titles(table).values()), *rows]), "")
        yield from (*map(tsv_cell, verdicts), "")
    if table.orders:
        yield from _aligned([list(map(_, _ORDER_TITLES.values())), *_order_rows(table, digits)])
        yield ""
    yield from table.sentences


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines in which a minus is one, as in the sentences under them."""
    shown = [[row[0], *(_MINUS.sub("−", cell) for cell in row[1:])] for row in rows]
    return aligned([list(map(tsv_cell, row)) for row in shown], left=[0])


def _write_markdown(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for heading, rows, verdicts in _iter_blocks(table, digits):
        yield from (f"### {tsv_cell(heading)}", "")
        yield from (*markdown_table(list(_titles(table).values()), rows), "")
        yield from (*(f"- {tsv_cell(each)}" for each in verdicts), "")
    if table.orders:
        yield from markdown_table(list(_ORDER_TITLES.values()), _order_rows(table, digits))
        yield ""
    yield " ".join(table.sentences)


def _write_latex(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for heading, rows, verdicts in _iter_blocks(table, digits):
        # A caption is short; what the rows mean is for who writes the paper.
        yield from (f"% {tsv_cell(each)}" for each in verdicts)
        yield from (*latex_rows(list(_titles(table).values()), rows, [f"{heading}."]), "")
    if table.orders:
        yield from latex_rows(list(_ORDER_TITLES.values()), _order_rows(table, digits), ["Orders."])
        yield ""
    yield from (f"% {sentence}" for sentence in table.sentences)


WRITERS: dict[str, Callable[[ComparisonOutput, int], Iterator[str]]] = {
    "text": _write_text,
    "trec": _write_trec,
    **separated(_iter_cells, n_texts=3),
    "json": _write_json,
    "markdown": _write_markdown,
    "latex": _write_latex,
}
