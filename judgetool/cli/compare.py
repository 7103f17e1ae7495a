"""``judgetool compare``: are runs better than a baseline, or is it chance?

With ``--show``, what else the compare view shows of a project's runs.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import click

from judgetool.cli.command import Number, Whole, stacked, tell_all
from judgetool.cli.compare_formats import WRITERS, ComparisonOutput, format_comparisons
from judgetool.cli.options import (
    DIGITS,
    NO_FIELD,
    NO_QUERY,
    RUNS,
    SEED,
    check_apart,
    format_option,
    given,
    measures_option,
    no_such,
    project_option,
)
from judgetool.cli.score_project import choose_systems, find_decisions
from judgetool.cli.score_table import ScoredRun, ScoreTable, check_intervals, tell_notes
from judgetool.cli.scoring import (
    ScoringWishes,
    chosen_scale,
    load_table,
    look_of,
    said_words,
    scoring_command,
    scoring_options,
)
from judgetool.errors import InputError, UsageError
from judgetool.formats.output import SHEET_WRITERS, Sheet
from judgetool.metrics import Bounds, Measure
from judgetool.metrics.comparison import (
    RULE_NAMES,
    Comparison,
    ComparisonRules,
    Family,
    check_measures,
    compare_measure_orders,
    compare_tables,
)
from judgetool.metrics.significance import (
    DEFAULT_DRAWS,
    Correction,
    TestName,
    find_valued_apart,
    reads_judgments,
)
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.pair_bounds import PairBounds, bound_pair, pair_of_engine
from judgetool.session.comparing.query_by_query import (
    GroupTest,
    groups_tested,
    query_differences,
)
from judgetool.session.comparing.system_values import open_look
from judgetool.session.comparing.tables import (
    curves_sheet,
    difference_sheet,
    document_sheet,
    draw_charts,
    orders_sheet,
    rankings_sheet,
    stake_sheet,
    stake_work,
    where_words,
)
from judgetool.session.comparing.these_queries import (
    Decision,
    find_without_results,
    find_without_value,
)
from judgetool.session.comparing.verdicts import bounds_decided_on
from judgetool.session.session import Session
from judgetool.session.systems import System, group_names
from judgetool.wording import _

_MOST_DRAWS = 10_000_000
_USUAL = ComparisonRules()
COMPARING = stacked(
    [
        click.option(
            "--test",
            type=click.Choice(get_args(TestName)),
            help="Where p comes from: the paired randomization test, Student’s paired t, Wilcoxon’s "
            f"signed ranks, or the sign test.  [default: {_USUAL.test}]",
        ),
        click.option(
            "--correction",
            type=click.Choice(get_args(Correction)),
            help=f"For being several: Holm, Benjamini-Hochberg, or none.  [default: {_USUAL.correction}]",
        ),
        click.option(
            "--family",
            type=click.Choice(get_args(Family)),
            help="What is corrected together: all runs by the same measure, all measures of the same "
            "run (pair), or all rows of the table. Judged@k is never tested."
            f"  [default: {_USUAL.family}]",
        ),
        click.option(
            "--alpha",
            type=Number(0.0, 1.0, min_open=True, max_open=True),
            metavar="A",
            help="A corrected p below it is marked as significant (*) for people."
            f"  [default: {_USUAL.alpha:g}]",
        ),
        click.option(
            "--equivalence",
            type=Number(0.0),
            help="A mean difference that is shown to be within ±X is called a tie; 0 for none. The sign "
            "test and Wilcoxon’s show none."
            f"  [default: {_USUAL.equivalence:g}]",
        ),
        click.option(
            "--apart",
            multiple=True,
            metavar="NAME",
            help="One of what is compared that is tested apart: p of the others does not depend on it.",
        ),
        click.option(
            "--draws",
            "n_draws",
            type=Whole(1, _MOST_DRAWS),
            help="Random draws of the randomization test; it is exact where there are no more ways."
            f"  [default: {DEFAULT_DRAWS}]",
        ),
        SEED,
    ]
)
"""How runs are compared: by which test, corrected for what; of a project as it says, where not given."""


def take_rules(options: dict[str, Any]) -> dict[str, Any]:
    """Take the rules of COMPARING out of a command's options; return those that somebody gave."""
    return given(**{name: options.pop(name) for name in RULE_NAMES})


class _Asked(NamedTuple):
    """What is asked of a part, found in the project: the baseline is the first system.

    Attributes:
        query: whose rankings or curves are meant; ``None`` for all.
        where: let the project’s queries through.
        depth: ranks of rankings.
        stake: what the list of what to judge next is about.
        group_by: by what queries are grouped; ``""`` for none.
    """

    session: Session
    systems: Sequence[System]
    measure: Measure
    query: int | None
    where: str
    depth: int
    stake: str
    group_by: str

    @property
    def other(self) -> System:
        """What is compared with the baseline."""
        return self.systems[-1]

    @property
    def one_query(self) -> int:
        """The query.

        Raises:
            UsageError: none was named.
        """
        if self.query is None:
            raise UsageError(
                _("--show rankings and documents need --query ID: they are of one query.")
            )
        return self.query


def _rankings(asked: _Asked) -> Sheet:
    given = (asked.session, asked.systems, asked.measure)
    return rankings_sheet(*given, asked.one_query, asked.depth)


def _queries(asked: _Asked) -> Sheet:
    session, group_by, tests = asked.session, asked.group_by, list[GroupTest]()
    pair = (asked.other, asked.systems[0], asked.measure)
    if group_by:
        known = group_names(session)
        if group_by not in known:
            raise no_such(NO_FIELD, group_by, session.path.name, known)
        found = query_differences(session, *pair, group_by=group_by)
        tests = groups_tested(found, comparison_rules(session))
    return difference_sheet(session, *pair, where=asked.where, grouped=(group_by, tests))


def _curves(asked: _Asked) -> Sheet:
    given = (asked.session, asked.systems, asked.measure)
    charts = draw_charts(*given, asked.query)
    return curves_sheet(*given, charts, asked.query, where=asked.where)


def _stake(asked: _Asked) -> Sheet:
    session, measure, aim = asked.session, asked.measure, asked.stake
    found = stake_work(session, asked.other, asked.systems[0], measure, aim)(None, None)
    words = where_words(asked.where)
    return stake_sheet(session, asked.systems, measure, found, aim, words)


_PARTS: dict[str, Callable[[_Asked], Sheet]] = {
    "queries": _queries,
    "documents": lambda a: document_sheet(a.session, a.other, a.systems[0], a.measure, a.one_query),
    "stake": _stake,
    "orders": lambda a: orders_sheet(a.session, a.systems, a.measure, where=a.where),
    "curves": _curves,
    "rankings": _rankings,
}
_OF_PAIRS = ("queries", "stake", "documents")
_NEED_TWO = ("queries", "documents")


def sheet_of_part(
    part: str,
    wishes: ScoringWishes,
    baseline: str | None,
    query_id: str | None,
    **asked: Any,  # noqa: ANN401 - of _Asked
) -> Sheet:
    """Return a part of the compare view of a project.

    Args:
        part: a key of ``_PARTS``.
        wishes: project, runs, measures and how it is looked at.
        baseline: name of what the others are compared with; ``None`` for the first.
        query_id: of the query that is meant; ``None`` for all.
        asked: what else is asked of it, as of ``_Asked``.

    Raises:
        UsageError: there is no project, or not as many runs or measures as the part is of.
        InputError: the project has no such run, what-if or query.
    """
    if wishes.project is None:
        raise UsageError(
            _("--show {part} is for projects: give --project PROJECT.").format(part=part)
        )
    if wishes.as_of:
        raise UsageError(_("--as-of is for the table, not for --show: leave one of them out."))
    columns = wishes.columns
    if columns is not None and len(columns) > 1 and part != "orders":
        raise UsageError(
            _("--show {part} is by one measure; found {found}.").format(
                part=part, found=", ".join(map(str, columns))
            )
        )
    look = look_of(wishes, chosen_scale(wishes))
    if part == "orders":
        # Of all measures that the project has.
        look = look._replace(measures=None)
    with open_look(wishes.project, look) as session:
        systems = choose_systems(session, wishes.runs, wishes.snapshot)
        first = choose_systems(session, [baseline], wishes.snapshot) if baseline else systems[:1]
        systems = list(dict.fromkeys([*first, *systems]))
        if (part in _OF_PAIRS and len(systems) > 2) or (part in _NEED_TWO and len(systems) < 2):
            raise UsageError(
                _(
                    "--show {part} is of two: name one by --run and one by --baseline; found "
                    "{systems}."
                ).format(part=part, systems=", ".join(each.name for each in systems))
            )
        # The session has what was asked for as the project's own preset writes it.
        measure = session.measures[0]
        check_measures([measure] if part in _OF_PAIRS else [])
        query = None
        if query_id is not None:
            query = session.material.find_query(query_id)
            if query is None:
                ids = [each.id for each in session.material.queries]
                raise no_such(NO_QUERY, query_id, session.path.name, ids)
        sheet = _PARTS[part](_Asked(session, systems, measure, query, wishes.where, **asked))
    # What looks at the project otherwise than the window does belongs to the command, too.
    more = shlex.join(said_words(wishes._replace(where="")))
    return sheet._replace(command=f"{sheet.command} {more}".strip())


def format_part(sheet: Sheet, layout: str) -> str:
    """Return a part as it is printed.

    Raises:
        UsageError: it cannot be printed so.
    """
    name = "tsv" if layout == "text" else layout
    if name not in SHEET_WRITERS:
        known = ", ".join(("text", *SHEET_WRITERS))
        raise UsageError(
            _("--show goes with --format {known}; found {layout}.").format(
                known=known, layout=layout
            )
        )
    return SHEET_WRITERS[name](sheet)


_SHOWN = ("table", *_PARTS)
_PART_OPTIONS = stacked(
    [
        click.option(
            "--show",
            type=click.Choice(_SHOWN),
            default=_SHOWN[0],
            show_default=True,
            help="With --project, as the window has it: differences by query, the documents that "
            "make one up, what is at stake, "
            "how alike orders are, the points of curves, rankings beside each other.",
        ),
        click.option(
            "--query",
            "query_id",
            metavar="ID",
            help="Of which query --show rankings, documents and curves are.",
        ),
        click.option(
            "--by",
            "group_by",
            default="",
            metavar="FIELD",
            help="Of --show queries: in groups by category, or by a field of the queries.",
        ),
        click.option(
            "--depth",
            type=Whole(1),
            default=20,
            show_default=True,
            help="Of rankings: how many ranks.",
        ),
        click.option(
            "--stake",
            type=click.Choice(["difference", "overturn", "narrow"]),
            default="difference",
            show_default=True,
            help="What --show stake is about: the difference, its verdict, or the mean of one run.",
        ),
    ]
)
"""What else than the table is printed."""


@scoring_command(
    "compare",
    "[QRELS RUN RUN [RUN ...]]",
    (
        "judgetool compare qrels.txt bm25.run dense.run -m nDCG@10",
        "judgetool compare qrels.txt a.run b.run c.run -m AP nDCG@10 --baseline b --format markdown",
        "judgetool compare qrels.txt bm25.run dense.run -m AP --test t",
        "judgetool compare qrels.txt bm25.run dense.run -m nDCG@10 --intervals",
        "judgetool compare --project recipes.judge --baseline title-bm25 --view majority",
    ),
)
@measures_option("What to compare by")
@click.option(
    "--baseline",
    metavar="NAME",
    help="Run that the others are compared with, by its name or file.  [default: the first]",
)
@COMPARING
@click.option(
    "--tie-margin",
    type=Number(0.0),
    default=0.0,
    show_default=True,
    help="Differences up to this are ties; tests do not look at it.",
)
@scoring_options()
@_PART_OPTIONS
@click.option(
    "--intervals",
    is_flag=True,
    help="Add least and greatest mean difference over all gradings of what is unjudged.",
)
@format_option(
    WRITERS,
    "trec is run, measure, what, value, separated by tabs; tsv and csv have the comparisons "
    "alone, a row for each run and measure.",
)
@DIGITS
@project_option("Compare a project’s runs.")
@RUNS
def compare_command(  # noqa: PLR0913 - one value for each option
    *,
    baseline: str | None,
    apart: tuple[str, ...],
    tie_margin: float,
    intervals: bool,
    layout: str,
    digits: int,
    show: str,
    query_id: str | None,
    depth: int,
    stake: str,
    group_by: str,
    **wished: Any,  # noqa: ANN401 - those of COMPARING, and the fields of ScoringWishes
) -> None:
    """Compare runs with a baseline, query by query.

    For each run and measure: the means and their difference with an interval, p and p
    corrected for being several, queries won, tied and lost, and the effect size. Over
    all judged queries: one that a run lacks counts as 0, and so does a value of a query
    without a relevant document. A project’s own choice of test and correction holds where
    nothing else is asked for. With three runs and two measures or more, it also says
    how alike the measures order the runs.
    """
    asked = take_rules(wished)
    wishes = ScoringWishes(**wished, tells_documents=intervals)
    if baseline is not None and wishes.runs:
        wishes = wishes._replace(runs=tuple(dict.fromkeys((*wishes.runs, baseline))))
    if show != "table":
        asked_of = {"depth": depth, "stake": stake, "group_by": group_by}
        sheet = sheet_of_part(show, wishes, baseline, query_id, **asked_of)
        click.echo(format_part(sheet, layout), nl=False)
        return
    check_measures(wishes.columns or ())
    table = load_table(wishes, needs=_("at least two RUNs"))
    rules = replace(table.rules or ComparisonRules(), tie_margin=tie_margin, **asked)
    table.set_measures(
        [each for each in table.measures if wishes.measures or each.spec.has_query_values]
    )
    start = _baseline(table, baseline)
    runs = {run.name: run for run in table.runs}
    alone = check_apart(apart, list(runs))
    tell_notes(table)
    if intervals:
        check_intervals(table)
    values = {name: table.engine_of(run).counted_values(run.key) for name, run in runs.items()}
    valued_by = {name: (table.engine_of(run), run.key) for name, run in runs.items()}
    found_apart = {
        name: find_valued_apart(each, valued_by[start]) for name, each in valued_by.items()
    }
    valued_apart = {name: each for name, each in found_apart.items() if each is not None}
    comparisons = compare_tables(
        values,
        table.measures,
        baseline=start,
        rules=rules,
        weights=table.engine.mean_weights,
        alone=alone,
        untested=valued_apart.keys(),
    )
    decisions = _decisions(wishes, comparisons) if table.has_decisions else {}
    # Nothing is said of a difference that other grades may make up.
    open_rows = [
        row for row in comparisons if not (row.run in valued_apart and reads_judgments(row.measure))
    ]
    # Of what is decided on, how far it can go belongs to how it stands.
    bounded = [row for row in open_rows if intervals or decisions.get((row.run, row.measure))]
    found = ComparisonOutput(
        scores=table,
        baseline=start,
        rules=rules,
        comparisons=comparisons,
        bounds=_bounds(table, runs, bounded, rules, decisions),
        decisions=decisions,
        orders=compare_measure_orders(
            table.engine.measures,
            {name: [mean.value for mean in table.means(run)] for name, run in runs.items()},
        ),
        apart=alone,
        ranges={name: _ends(table, run) for name, run in runs.items()} if intervals else {},
        valued_apart=valued_apart,
        without={name: find_without_results(name, *each) for name, each in valued_by.items()},
        undefined={
            name: dict(zip(table.measures, find_without_value(name, *each), strict=True))
            for name, each in valued_by.items()
        },
    )
    click.echo(format_comparisons(found, layout, digits=digits))


def _ends(table: ScoreTable, run: ScoredRun) -> list[tuple[float | None, Bounds | None]]:
    means = [mean.value for mean in table.means(run)]
    return list(zip(means, table.ranges(run).means, strict=True))


def _bounds(
    table: ScoreTable,
    runs: Mapping[str, ScoredRun],
    rows: Sequence[Comparison],
    rules: ComparisonRules,
    decisions: Mapping[tuple[str, Measure], Decision | None],
) -> dict[tuple[str, Measure], PairBounds]:
    """Return how far each difference can go, by run and measure: what the window says of a pair."""
    found = {
        (row.run, row.measure): bound_pair(
            pair_of_engine(
                table.engine,
                (row.run, runs[row.run].key),
                (row.baseline, runs[row.baseline].key),
                row.measure,
                table.pool_of,
            ),
            rules=rules,
        )
        for row in rows
        # Judgments to come change nothing of a snapshot.
        if runs[row.run].engine is None and runs[row.baseline].engine is None
    }
    return bounds_decided_on(found, decisions)


def _decisions(
    wishes: ScoringWishes, rows: Sequence[Comparison]
) -> Mapping[tuple[str, Measure], Decision | None]:
    """Return how drawing by lot stands in a project, by run and measure."""
    if wishes.project is None or wishes.where or wishes.query_list or wishes.as_of:
        return {}
    pairs = [(row.run, row.baseline, row.measure) for row in rows]
    found, notes = find_decisions(wishes.project, look_of(wishes, chosen_scale(wishes)), pairs)
    tell_all(notes)
    return found


def _baseline(table: ScoreTable, wanted: str | None) -> str:
    """Return the name of the run to compare with.

    Raises:
        InputError: there are fewer than two runs, or none of this name.
    """
    names = [run.name for run in table.runs]
    if len(names) < 2:
        raise InputError(
            _("Comparing needs at least two runs; there is one: {names}. Add another run.").format(
                names=", ".join(names)
            )
        )
    if wanted is None:
        return names[0]
    if wanted in names:
        return wanted
    of_file = [run.name for run in table.runs if run.source == wanted]
    if len(of_file) == 1:
        return of_file[0]
    raise InputError(
        _("There is no run ‘{wanted}’ to compare with; there are: {names}.").format(
            wanted=wanted, names=", ".join(names)
        )
    )
