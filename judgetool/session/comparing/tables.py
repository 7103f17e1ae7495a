"""What the compare view shows as tables to take along, each with the command that gives it again."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import mean

from judgetool.core.clock import iso_utc
from judgetool.core.judgments import DEFAULT_VIEW
from judgetool.core.number_text import signed
from judgetool.core.scale import format_grade
from judgetool.formats.output import EXACT_DIGITS, Cell, Sheet
from judgetool.metrics import ComparisonRules, Measure
from judgetool.metrics.comparison import (
    DEFAULT_PERSISTENCE,
    RULE_NAMES,
    OrderAgreement,
    PairComparison,
    RankBiasedOverlap,
    RankingAgreement,
)
from judgetool.metrics.explain import ASSUMED
from judgetool.session.board import ONLY_MINE, whose_judgments
from judgetool.session.charts import Chart
from judgetool.session.commands import Work
from judgetool.session.comparing.comparing import (
    ComparisonCell,
    ComparisonRow,
    ComparisonTable,
    comparison_rules,
)
from judgetool.session.comparing.curves import mean_charts_work, query_charts
from judgetool.session.comparing.pair_bounds import (
    Candidate,
    PairBounds,
    narrowing_work,
    overturn_work,
)
from judgetool.session.comparing.query_by_query import (
    DEFAULT_DEPTH,
    GroupTest,
    Placed,
    QueryDifference,
    agree_on_measures,
    agree_on_queries,
    explain_difference,
    query_differences,
    side_by_side,
)
from judgetool.session.comparing.system_values import place_of_system
from judgetool.session.comparing.these_queries import (
    Decision,
    said_without_results,
    say_counts_judged,
)
from judgetool.session.comparing.verdicts import Verdict, find_verdict
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries
from judgetool.wording import in_english, translated

MOST_AT_STAKE = 200
STAKES = ("difference", "overturn", "narrow")
"""What a list of what to judge next is about: a difference, its verdict, one mean."""
_STANDING_HEADS = ["min", "max", "bounds", "p_min", "p_max", "verdict"]
Standing = tuple[PairBounds | None, Decision | None]
_ORDER_HEADS = ("tau_b", "tau_AP", "rho", f"RBO_{DEFAULT_PERSISTENCE:g}")


def view_words(session: Session, *, is_anonymous: bool = False) -> list[str]:
    """Return the words of a command line by which the same judgments count."""
    if session.board.view == ONLY_MINE:
        return ["--assessor", "NAME" if is_anonymous else session.assessor]
    return [] if session.board.view == DEFAULT_VIEW else ["--view", session.board.view]


def where_words(where: str) -> list[str]:
    """Return the words of a command line that look at some queries alone; none for all."""
    return ["--where", where] if where else []


def rules_words(rules: ComparisonRules, usual: ComparisonRules | None = None) -> list[str]:
    """Return the words of a command line that compare by some rules; all that are not as usual, if given."""
    words: list[str] = []
    for name in RULE_NAMES:
        said = str(getattr(rules, name))
        if usual is None or said != str(getattr(usual, name)):
            words += [f"--{name.removeprefix('n_')}", said]
    return words


def _compare_words(session: Session, systems: Iterable[System], baseline: System) -> list[str]:
    names = list(dict.fromkeys(each.name for each in systems))
    words = ["judgetool", "compare", "--project", session.path.name, "--run", *names]
    return [*words, "--baseline", baseline.name]


def command_line(session: Session, table: ComparisonTable, as_of: int | None = None) -> str:
    """Return the command that gives the same figures as a table.

    Args:
        session: the project.
        table: of it.
        as_of: until when judgments count in it, milliseconds UTC; ``None`` for all.
    """
    words = _compare_words(session, (row.system for row in table.rows), table.baseline)
    words += [word for name in table.apart for word in ("--apart", name)]
    words += ["--measure", *(str(each) for each in table.measures if each.spec.has_query_values)]
    words += rules_words(table.rules or comparison_rules(session), ComparisonRules())
    words += ["--intervals"] if table.rules is not None else []
    words += where_words(table.where)
    words += [] if as_of is None else ["--as-of", iso_utc(as_of)]
    return shlex.join([*words, *view_words(session)])


def part_command(
    session: Session, systems: Sequence[System], measure: Measure, part: str, *more: str
) -> str:
    """Return the command that gives a part of the compare view again.

    Args:
        session: the project.
        systems: what is compared; the first is the baseline.
        measure: by what.
        part: as ``--show`` names it.
        more: further words.
    """
    words = _compare_words(session, systems[1:] or systems, systems[0])
    # Orders are of all measures.
    words += [] if part == "orders" else ["--measure", str(measure)]
    words += ["--show", part, *more]
    return shlex.join([*words, *view_words(session)])


def explaining_command(session: Session, system: System, query: int, measure: Measure) -> str:
    """Return the command that explains a value of a query rank by rank."""
    words = ["judgetool", "explain", "--project", session.path.name, "--run", system.name]
    words += ["--query", session.material.queries[query].id, "--measure", str(measure)]
    return shlex.join([*words, *view_words(session)])


@in_english()
def comparison_sheet(
    session: Session,
    table: ComparisonTable,
    *,
    moment: str = "",
    as_of: int | None = None,
    standing: Mapping[tuple[str, int], Standing] | None = None,
) -> Sheet:
    """Return every number of a table, a row for each system and measure; as a paper has it beside.

    Args:
        session: the project.
        table: of the present, or as of a moment.
        moment: when it was, in words; ``""`` for the present.
        as_of: the same in milliseconds UTC; ``None`` for the present.
        standing: how far differences can go and how drawing stands, by the system's key and the
            place of the measure; ``None`` leaves the columns out that say it.
    """
    corrected = f"p_{table.rules.correction}" if table.rules is not None else "p_corrected"
    head = [
        *("run", "baseline", "measure", "run_mean", "run_min", "run_max", "queries", "mean"),
        *("baseline_mean", "difference", "low", "high", "p", corrected),
        *tie_figures(None, None, table.rules),
        *("tests", "effect", "wins", "ties", "losses"),
    ]
    head += [] if standing is None else _STANDING_HEADS
    # In the order of the command’s.
    ends, p_ends = _STANDING_HEADS[:3], _STANDING_HEADS[3:5]
    tested = head[head.index("p") : head.index("tests")]
    order = [*head[: head.index("p")], *ends, *tested, *p_ends, "wins", "ties", "losses", "effect"]
    places = [head.index(name) for name in (*order, "verdict", "tests") if name in head]
    rows: list[list[Cell]] = [
        [
            *(row.system.name, table.baseline.name, str(measure)),
            *_figures(row.cells[place], table.rules),
            *([] if standing is None else _standing(table, row, place, standing)),
        ]
        for place, measure in enumerate(table.measures)
        for row in table.rows
    ]
    by = table.rules.correction_title if table.rules is not None else ""
    cells: list[list[Cell]] = [
        [row.system.name, *(_overview(row, place, by) for place in range(len(table.measures)))]
        for row in table.rows
    ]
    # All columns and digits, as here; a text has few.
    command = f"{command_line(session, table, as_of)} --format csv --digits {EXACT_DIGITS}"
    whose = whose_judgments(session.board.view, session.assessor)
    said = (*table.sentences, translated(whose), *([f"As of {moment}."] if moment else []))
    unshown = table.rules.describe_size() if table.rules is not None else ()
    brief = [each for each in said if each not in unshown]
    overview = Sheet("comparison", ["run", *map(str, table.measures)], cells, brief)
    differs = "The command leaves out the rows of the baseline and the column ‘tests’"
    if standing is None:
        differs += ", and prints the verdict besides"
    heads, rows = [head[at] for at in places], [[row[at] for at in places] for row in rows]
    return Sheet("comparison", heads, rows, (*said, f"{differs}."), command, overview)


def tie_figures(
    pair: PairComparison | None, corrected: float | None, rules: ComparisonRules | None
) -> dict[str, float | None]:
    """Return p of a tie alone, and corrected, by the names of their columns; empty where none is looked for."""
    if rules is None or not rules.has_ties:
        return {}
    figures = {"p_tie": pair.p_tie if pair is not None else None}
    return figures | ({f"p_tie_{rules.correction}": corrected} if rules.correction_title else {})


def _figures(cell: ComparisonCell, rules: ComparisonRules | None) -> list[Cell]:
    bounds = cell.interval
    least, greatest = (bounds.low, bounds.high) if bounds is not None else (None, None)
    head = [cell.mean.value, least, greatest]
    pair, of_tie = cell.pair, tie_figures(cell.pair, cell.p_tie, rules).values()
    if pair is None:
        more = [None] * (9 + len(of_tie))
        return [*head, cell.mean.n_queries, None, None, cell.difference, *more]
    return [*head, *_pair_cells(pair, cell.p, *of_tie, cell.n_tests or None, pair.effect)]


def _pair_cells(pair: PairComparison, corrected: float | None, *more: Cell) -> list[Cell]:
    """Return the figures of a pair; further ones stand after p, which is corrected."""
    low, high = pair.interval or (None, None)
    p = pair.significance.p if pair.significance is not None else None
    means = (pair.n_queries, pair.mean, pair.baseline_mean, pair.difference)
    return [*means, low, high, p, corrected, *more, pair.wins, pair.ties, pair.losses]


def find_verdict_in(
    table: ComparisonTable,
    row: ComparisonRow,
    place: int,
    *,
    bounds: PairBounds | None,
    decision: Decision | None,
) -> Verdict | None:
    """Return what can be said of a system of a table; ``None`` of the baseline, and without a difference.

    Args:
        table: of it.
        row: the system's.
        place: of the measure.
        bounds: how far the difference can still go; ``None`` where nobody looked.
        decision: how drawing by lot stands; ``None`` where nobody drew.
    """
    cell = row.cells[place]
    if row.is_baseline or (cell.pair is None and cell.difference is None):
        return None
    return find_verdict(
        (row.system.name, table.baseline.name),
        table.measures[place],
        cell,
        table.rules,
        bounds=bounds,
        decision=decision,
        apart=row.apart,
        without=table.without_results(row),
        undefined=table.without_values(row, place),
        means=(cell.mean, table.base_cell(place).mean),
    )


def _standing(
    table: ComparisonTable,
    row: ComparisonRow,
    place: int,
    standing: Mapping[tuple[str, int], Standing],
) -> list[Cell]:
    """Return how far a difference can go, p over all gradings, and the verdict, as the command has them."""
    bounds, decision = standing.get((row.system.key, place), (None, None))
    found = find_verdict_in(table, row, place, bounds=bounds, decision=decision)
    if found is None:
        return [None] * len(_STANDING_HEADS)
    ends: list[Cell] = [None] * 3
    if bounds is not None and bounds.are_known:
        ends = [bounds.low, bounds.high, "exact" if bounds.is_exact else "within"]
    values = found.values()
    return [*ends, values["p_min"], values["p_max"], found.kinds]


def _overview(row: ComparisonRow, place: int, by: str) -> str:
    """Return mean, difference and p, named by what it is corrected by."""
    cell = row.cells[place]
    if cell.mean.value is None:
        return "–"
    text = f"{cell.mean.value:.4f}"
    if cell.difference is None or row.is_baseline:
        return text
    parts = [signed(cell.difference)]
    if cell.p is not None:
        p = f"p ({by})" if by else "p"
        parts.append(f"{p} < 0.001" if cell.p < 0.001 else f"{p} = {cell.p:.3f}")
    return f"{text} ({', '.join(parts)})"


@in_english()
def difference_sheet(
    session: Session,
    system: System,
    baseline: System,
    measure: Measure,
    *,
    where: str = "",
    grouped: tuple[str, Sequence[GroupTest]] = ("", ()),
) -> Sheet:
    """Return the differences of all queries, equal ones too, worst first; a page has their groups.

    What tests say of a group stands beside each of its queries.

    Args:
        session: the project.
        system: what is compared.
        baseline: with what.
        measure: by what.
        where: the queries that it is of, see ``queries_where``; ``""`` for all.
        grouped: by ``category`` or the name of a field of the queries, ``""`` for not at all;
            and what tests say of the groups, as far as that is known.

    Raises:
        UsageError: the measure has no values by query.
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    group_by, tests = grouped
    kept = kept_queries(session, where)
    found = query_differences(session, system, baseline, measure, group_by=group_by, kept=kept)
    queries = session.material.queries
    overview = _groups(group_by, tests) if tests else None
    tested = {name: figures for name, *figures in overview.rows} if overview else {}
    rows: list[list[Cell]] = [
        [
            *([group.name] if group_by else []),
            *(queries[row.query].id, queries[row.query].text),
            *(row.value, row.baseline, row.difference),
            _without_results(row, system, baseline),
            *tested.get(group.name, []),
        ]
        for group in (found.groups or (found,))
        for row in group.rows
    ]
    names = [group_by] if group_by else []
    of_groups = [f"group_{name}" for name in overview.head[1:]] if overview else []
    head = (*names, "query", "text", "value", "baseline", "difference", "no_results", *of_groups)
    said = [f"{measure}: {system.name} minus {baseline.name}."]
    if any(row.lacks_a_side for row in found.rows):
        said.append("no_results names who has no results for a judged query: it counts as 0.")
    if found.apart is not None:
        by = "grades, assumed ones among them" if found.apart.n_assumed else "judgments"
        said.append(f"The two are valued by different {by}: nothing is tested.")
    more = [*where_words(where), *(["--by", group_by] if group_by else [])]
    command = part_command(session, (baseline, system), measure, "queries", *more)
    of_page = overview and overview._replace(sentences=said)
    return Sheet("differences", head, rows, said, command, of_page)


def _without_results(row: QueryDifference, system: System, baseline: System) -> str:
    """Return who has no results for a judged query; ``""`` where both have some."""
    sides = ((row.is_missing, system), (row.is_missing_in_baseline, baseline))
    return ", ".join(each.name for is_missing, each in sides if is_missing)


def _groups(group_by: str, tests: Sequence[GroupTest]) -> Sheet:
    """Return what tests say of groups of queries."""
    head = (group_by, "queries", "mean", "baseline_mean", "difference", "low", "high", "p")
    rows: list[list[Cell]] = [[each.name, *_pair_cells(each.pair, each.p)] for each in tests]
    return Sheet("groups", (*head, "p_corrected", "wins", "ties", "losses"), rows)


@in_english()
def document_sheet(
    session: Session, system: System, baseline: System, measure: Measure, query: int
) -> Sheet:
    """Return which documents make up the difference of two values of a query, largest part first.

    Raises:
        InputError: a system is no longer in the project.
    """
    found = explain_difference(session, system, baseline, query, measure)
    ids = session.material.document_ids(
        sorted({row.document for row in found.rows if row.document is not None})
    )
    rows: list[list[Cell]] = [
        [
            "" if row.document is None else ids[row.document],
            *(row.baseline_rank, row.rank, row.baseline_adds, row.adds, row.difference),
        ]
        for row in found.rows
    ]
    head = ("document", "baseline rank", "rank", "baseline adds", "adds", "difference")
    asked = session.material.queries[query].id
    total = (
        f"Query {asked}, {measure}, {system.name} minus {baseline.name}: {found.difference:.4f}."
    )
    said = [each for each in (total, found.reason) if each]
    for each in (system, baseline):
        place = place_of_system(session, each)
        lack = said_without_results(place.engine, place.key, query)
        said += [f"{each.name}: {lack}."] if lack else []
    command = part_command(session, (baseline, system), measure, "documents", "--query", asked)
    return Sheet("documents", head, rows, said, command)


_WAYS = {1: "up", -1: "down", 0: "either way", None: ""}


@in_english()
def stake_sheet(
    session: Session,
    systems: Sequence[System],
    measure: Measure,
    found: Sequence[Candidate],
    aim: str,
    words: Sequence[str] = (),
) -> Sheet:
    """Return what to judge next, most at stake first.

    Args:
        session: the project.
        systems: the baseline, and what is compared with it; one alone for its mean.
        measure: by what.
        found: as :func:`stake_work` found it, as many as are listed.
        aim: of ``STAKES``.
        words: further words of the command.
    """
    numbers = [each.document for each in found]
    texts = session.material.show_documents(numbers)
    rows: list[list[Cell]] = [
        [
            session.material.queries[each.query].id,
            text.id,
            text.title,
            each.stake,
            "yes" if each.can_overturn else "",
            _WAYS[each.sign],
        ]
        for each, text in zip(found, texts, strict=True)
    ]
    head = ("query", "document", "title", "stake", "could turn it alone", "moves the difference")
    said = [f"What could change {measure} of {' and '.join(each.name for each in systems)}."]
    if measure.spec.counts_judgments:
        said.append(say_counts_judged(measure))
    if len(found) == MOST_AT_STAKE:
        said.append(f"Listed are the {MOST_AT_STAKE} with most at stake.")
    more = (*(() if aim == STAKES[0] else ("--stake", aim)), *words)
    return Sheet("stake", head, rows, said, part_command(session, systems, measure, "stake", *more))


def stake_work(  # noqa: PLR0913 - what the search depends on
    session: Session,
    system: System,
    baseline: System,
    measure: Measure,
    aim: str,
    *,
    most: int = MOST_AT_STAKE,
    where: str = "",
) -> Work[list[Candidate]]:
    """Return the work of finding what to judge next, most at stake first, for another thread.

    Args:
        session: the project.
        system: what is compared.
        baseline: with what; the same for its mean alone.
        measure: by what.
        aim: of ``STAKES``.
        most: at most so many.
        where: the queries that count, see ``queries_where``; ``""`` for all.

    Raises:
        UsageError: the measure has no values by query.
        InputError: a system is no longer in the project.
    """
    if system == baseline or aim == "narrow":
        return narrowing_work(session, system, measure, most=most, where=where)
    is_fair = aim == STAKES[0]
    return overturn_work(
        session, system, baseline, measure, most=most, is_two_sided=is_fair, where=where
    )


@in_english()
def orders_sheet(
    session: Session, systems: Sequence[System], measure: Measure, *, where: str = ""
) -> Sheet:
    """Return how alike each two systems rank, and how alike each two measures order the systems.

    Args:
        session: the project.
        systems: each with each.
        measure: any; orders are of all.
        where: the queries that count, see ``queries_where``; ``""`` for all.

    Raises:
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    kept = kept_queries(session, where)
    rows: list[list[Cell]] = []
    for one, other in combinations(systems, 2):
        found = agree_on_queries(session, one, other, kept=kept)
        rows.append([one.name, other.name, *mean_agreement(found), *agreement_counts(found)])
    for each in agree_on_measures(session, systems, kept):
        figures = agreement_figures(each.agreement)
        rows.append([str(each.first), str(each.second), *figures, each.n_runs, each.n_runs])
    said = (
        f"Rankings: means over queries of their first {DEFAULT_DEPTH} ranks; tau_b, tau_AP and rho "
        "of queries of which both have at least two of the same documents, so many as ‘over’ says; RBO of "
        "all that either has (‘over_RBO’), 0 where one of them has none. Measures: by the order in which "
        "they put the runs, so many as both say."
    )
    head = ("first", "second", *_ORDER_HEADS, "over", "over_RBO")
    command = part_command(session, systems, measure, "orders", *where_words(where))
    return Sheet("orders", head, rows, [said], command)


def agreement_figures(
    found: RankingAgreement | OrderAgreement | None,
) -> tuple[float | None, ...]:
    """Return τ-b, τ_AP, ρ and RBO of an agreement."""
    if found is None:
        return (None,) * len(_ORDER_HEADS)
    rbo = found.rbo.extrapolated if isinstance(found.rbo, RankBiasedOverlap) else found.rbo
    return (found.tau, found.tau_ap, found.rho, rbo)


def mean_agreement(found: Sequence[RankingAgreement]) -> tuple[float | None, ...]:
    """Return the mean over queries; a figure that is undefined for a query leaves it out."""
    columns = zip(*map(agreement_figures, found), strict=True) if found else ((),) * 4
    known = [[value for value in column if value is not None] for column in columns]
    return tuple(mean(values) if values else None for values in known)


def agreement_counts(found: Sequence[RankingAgreement]) -> tuple[int, int]:
    """Return over how many queries the means of τ-b, τ_AP and ρ are, and over how many that of RBO."""
    figures = list(map(agreement_figures, found))
    n_tau, _n_tau_ap, _n_rho, n_rbo = (
        sum(each[place] is not None for each in figures) for place in range(len(_ORDER_HEADS))
    )
    return n_tau, n_rbo


@in_english()
def curves_sheet(
    session: Session,
    systems: Sequence[System],
    measure: Measure,
    charts: Sequence[Chart],
    query: int | None = None,
    *,
    where: str = "",
) -> Sheet:
    """Return the points of charts.

    Args:
        session: the project.
        systems: the baseline, and what is compared with it.
        measure: what is drawn.
        charts: of :func:`draw_charts`.
        query: its number; ``None`` where they are over all queries.
        where: which alone those are, see ``queries_where``; ``""`` for all.
    """
    rows: list[list[Cell]] = [
        [chart.title, line.label, x, y]
        for chart in charts
        for line in chart.series
        for x, y in zip(line.x, line.y, strict=True)
    ]
    more = where_words(where)
    if query is not None:
        more = ["--query", session.material.queries[query].id]
    command = part_command(session, systems, measure, "curves", *more)
    return Sheet("curves", ("chart", "series", "x", "y"), rows, (), command)


def draw_charts(
    session: Session, systems: Sequence[System], measure: Measure, query: int | None
) -> list[Chart]:
    """Return the charts of a query, or over all; the baseline stands first among the systems.

    Raises:
        InputError: a system is no longer in the project.
    """
    drawn = [*systems[1:2], systems[0], *systems[2:]]
    if query is not None:
        return query_charts(session, drawn, query, measure)
    return mean_charts_work(session, drawn, measure)(None)


@in_english()
def rankings_sheet(
    session: Session, systems: Sequence[System], measure: Measure, query: int, depth: int
) -> Sheet:
    """Return rankings of a query beside each other, a row for each rank.

    Raises:
        InputError: a system is no longer in the project.
    """
    content = side_by_side(session, systems, query, measure, depth=depth)
    columns = content.columns
    head = ["rank"]
    for column in columns:
        name = column.system.name
        head += [name, f"title ({name})", f"grade ({name})", f"move ({name})"]
    ids = session.material.document_ids(
        sorted({card.document for column in columns for card in column.cards})
    )
    rows: list[list[Cell]] = []
    for place in range(len(content.order)):
        cards = [each.cards[place] if place < len(each.cards) else None for each in columns]
        cells = (
            [ids[card.document], card.title, _grade(card), card.move] if card else [None] * 4
            for card in cards
        )
        rows.append([place + 1, *(cell for four in cells for cell in four)])
    values = [(each.system.name, each.value) for each in columns]
    told = ", ".join(f"{name} {'–' if value is None else f'{value:.4f}'}" for name, value in values)
    asked = session.material.queries[query]
    more = ("--query", asked.id, "--depth", str(depth))
    command = part_command(session, systems, measure, "rankings", *more)
    said = [f"Query {asked.id}, {measure}: {told}."]
    if any(card.is_assumed for column in columns for card in column.cards):
        said.append(ASSUMED)
    return Sheet("rankings", head, rows, said, command)


def _grade(card: Placed) -> Cell:
    """Return a grade as a table has it; one that is only assumed stands in brackets."""
    if card.grade is None:
        return None
    if card.is_assumed:
        return f"({format_grade(card.grade)})"
    return int(card.grade) if card.grade.is_integer() else card.grade
