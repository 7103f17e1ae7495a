"""The report: what is compared, by what, and how sure it is, as one page."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from judgetool import __version__
from judgetool.core.clock import iso_utc
from judgetool.core.judgments import VIEW_RULES
from judgetool.core.number_text import count_noun
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import InputError, UsageError
from judgetool.formats import write_atomically
from judgetool.metrics import ComparisonRules, Measure
from judgetool.metrics.block import level_grades, worth_of
from judgetool.metrics.measure import format_literal
from judgetool.metrics.significance import reads_judgments
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import left_out_notes, tied_sentences
from judgetool.session.charts import Chart
from judgetool.session.commands import IsCancelled, Progress, Work, checker
from judgetool.session.comparing.comparing import comparison_rules, comparison_work
from judgetool.session.comparing.curves import (
    DrawnSystem,
    draw_from,
    mean_against_k_chart,
    mean_dcg_chart,
)
from judgetool.session.comparing.pair_bounds import bound_pair, collect_pair
from judgetool.session.comparing.query_by_query import query_differences
from judgetool.session.comparing.snapshots import Snapshot, find_snapshot, present_systems
from judgetool.session.comparing.system_values import find_apart, place_of_system, remarks_of
from judgetool.session.comparing.tables import rules_words, view_words, where_words
from judgetool.session.comparing.these_queries import Decision
from judgetool.session.comparing.verdicts import bounds_decided_on
from judgetool.session.deciding import decision_work
from judgetool.session.exports.exporting import (
    ANONYMOUS_TITLE,
    agreement_table,
    check_not_project,
    find_agreement,
)
from judgetool.session.exports.report_html import Report, ReportDifferences, iter_report_html
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries
from judgetool.session.team.agreement import counting_assessors
from judgetool.storage.values import load_assessors, load_speakers
from judgetool.wording import _, in_english

_WORTHS = {"gain": "Gain", "share": "Gain as a share of the highest", "p": "Probability"}
# More lines than that cannot be told apart.
_MOST_LINES = 5


class ReportChoices(NamedTuple):
    """What a report is about.

    Attributes:
        systems: empty for all runs and what-ifs.
        baseline: ``None`` for the first system.
        measures: of the chosen ones; empty for all.
        drawn: the measure whose differences and curve are drawn; ``None`` for the first.
        rules: how systems are compared; ``None`` for those that the project keeps.
        snapshot: id of a snapshot that the report is about instead of the present.
        apart: of the systems, those that enter no family of tests but their own.
        anonymous: the page says neither who judged, nor of which project and when it is.
        again: words of a command line that make it look at the project as was done for this.
        where: the queries that it is of, see ``queries_where``; ``""`` for all.
    """

    systems: tuple[System, ...] = ()
    baseline: System | None = None
    measures: tuple[Measure, ...] = ()
    drawn: Measure | None = None
    rules: ComparisonRules | None = None
    snapshot: str = ""
    apart: tuple[System, ...] = ()
    anonymous: bool = False
    again: tuple[str, ...] = ()
    where: str = ""


def report_work(session: Session, choices: ReportChoices) -> Work[Report]:
    """Return the work of making a report, for another thread: ``work(progress, is_cancelled)``.

    All that it needs is copied now.

    Raises:
        InputError: there is no run, or a system is no longer in the project.
        UsageError: a measure is not among the chosen ones, or the drawn one not in the report.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    snapshot = find_snapshot(session, choices.snapshot) if choices.snapshot else None
    systems = list(choices.systems) or list(snapshot.systems if snapshot else ())
    systems = systems or present_systems(session)
    if not systems:
        raise InputError(
            _("{project} has no run to report on. Import one first.").format(
                project=session.path.name
            )
        )
    first_drawn = _first_drawn(choices.measures or session.measures, choices.drawn)
    kept = kept_queries(session, choices.where)
    # What refuses is said to a person, what follows stands on the page.
    return _report_work(session, choices, snapshot, systems, first_drawn, kept)


@in_english()
def _report_work(
    session: Session,
    choices: ReportChoices,
    snapshot: Snapshot | None,
    systems: Sequence[System],
    first_drawn: list[Measure],
    kept: BoolArray | None,
) -> Work[Report]:
    baseline = choices.baseline or systems[0]
    measures = choices.measures or session.measures
    where = choices.where
    compare = comparison_work(
        session,
        systems,
        measures,
        baseline,
        rules=choices.rules,
        alone=choices.apart,
        where=where,
    )
    pairs = {
        (system.key, measure): collect_pair(session, system, baseline, measure, where=where)
        for system in systems
        for measure in measures
        if _is_open(session, system, baseline, measure, kept)
    }
    # Drawn are documents of all queries.
    decisions = {} if where else _decisions(session, systems, baseline, list(measures))
    differences = _differences(session, systems, baseline, first_drawn, kept)
    drawn = [draw_from(session, system, kept) for system in systems[:_MOST_LINES]]
    remarks = remarks_of(session, (baseline, *systems))
    facts, said_of_judged = _facts(session, systems, measures, kept)
    board = place_of_system(session, systems[0]).board
    formulas = {each: _formula(each, board.scale) for each in measures}
    when = f" of {iso_utc(snapshot.at)}" if snapshot and not choices.anonymous else ""
    subtitle = [f"Snapshot {snapshot.name}{when}"] if snapshot else []
    subtitle += [f"Over the queries that ‘{where}’ lets through"] if where else []
    left_out = [] if snapshot else left_out_notes(session.board.book, session.reader)
    agreement = None if snapshot else agreement_table(find_agreement(session, among=kept))
    title = ANONYMOUS_TITLE if choices.anonymous else session.title
    made_of = f" from {session.path.name}" if not choices.anonymous else ""
    made_at = f" {iso_utc(session.clock())}" if not choices.anonymous else ""
    who = "one assessor" if choices.anonymous else session.assessor or "the assessor"
    tied = [] if snapshot else tied_sentences(session.board.n_tied, session.board.view)
    view = _view_sentence(snapshot.view if snapshot else session.board.view, who)
    command = _command(session, choices, (baseline, *systems), snapshot.name if snapshot else "")

    @in_english()
    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> Report:
        table = compare(progress, is_cancelled)
        check = checker(None, is_cancelled, _("The report was not written: it was cancelled."))
        return Report(
            title=title,
            subtitle=". ".join(subtitle),
            facts=facts,
            table=table,
            remarks=remarks,
            differences=differences,
            plots=_plots(drawn, first_drawn, len(systems)),
            sentences=[view, *tied, *said_of_judged, *left_out, *table.sentences],
            made=f"Made{made_at} by judgetool {__version__}{made_of}.",
            bounds=bounds_decided_on(
                {
                    pair: bound_pair(facts, check, rules=table.rules)
                    for pair, facts in pairs.items()
                },
                decisions,
            ),
            decisions=decisions,
            command=command,
            agreement=agreement,
            drawn=choices.drawn,
            formulas=formulas,
        )

    return work


def write_report(
    session: Session,
    path: Path,
    choices: ReportChoices | None = None,
    *,
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> None:
    """Write a report as one HTML page; what stands at the path is replaced as a whole.

    Raises:
        InputError: there is no run, a system is no longer in the project, the path is the
            project itself, or it cannot be written; what stood there is unchanged.
        UsageError: a measure is not among the chosen ones.
        WorkCancelledError: ``is_cancelled`` said so.
    """
    check_not_project(path, session)
    report = report_work(session, choices or ReportChoices())(progress, is_cancelled)
    write_atomically(path, iter_report_html(report))


def _first_drawn(measures: Sequence[Measure], drawn: Measure | None) -> list[Measure]:
    """Return the measures, the one to draw first: of those that follow, the next that can be.

    Raises:
        UsageError: it is not one of them.
    """
    if drawn is not None and drawn not in measures:
        named = ", ".join(map(str, measures))
        raise UsageError(
            _("{drawn} cannot be drawn: it is not in the report, which has {named}.").format(
                drawn=drawn, named=named
            )
        )
    return sorted(measures, key=lambda each: each != drawn)


def _command(
    session: Session, choices: ReportChoices, compared: Sequence[System], snapshot: str
) -> str:
    """Return the command line that makes the same report; the baseline is the first system."""
    baseline, *systems = compared
    file = "PROJECT" if choices.anonymous else session.path.name
    words = ["judgetool", "report", file, "report.html", "--against", baseline.name]
    words += [word for each in choices.measures for word in ("-m", str(each))]
    first = (choices.measures or session.measures)[0]
    words += ["--drawn", str(choices.drawn)] if choices.drawn not in (None, first) else []
    words += [word for each in systems for word in ("--run", each.name)]
    apart = [each.name for each in systems if each in choices.apart and each != baseline]
    words += [word for name in apart for word in ("--apart", name)]
    words += ["--snapshot", snapshot] if snapshot else []
    words += [
        *choices.again,
        *where_words(choices.where),
        *([] if snapshot else view_words(session, is_anonymous=choices.anonymous)),
    ]
    words += ["--anonymous"] if choices.anonymous else []
    words += rules_words(choices.rules or comparison_rules(session))
    return shlex.join(words)


def _decisions(
    session: Session, systems: Sequence[System], baseline: System, measures: Sequence[Measure]
) -> dict[tuple[str, Measure], Decision | None]:
    """Return what drawing by lot has decided, by system and measure, where somebody asked."""
    return {
        (system.key, measure): decide(None, None)()
        for system in systems
        for measure in measures
        if _is_open(session, system, baseline, measure)
        and (decide := decision_work(session, system, baseline, measure))
    }


def _is_open(
    session: Session,
    system: System,
    baseline: System,
    measure: Measure,
    kept: BoolArray | None = None,
) -> bool:
    """Return whether judgments to come alone can still change a difference, and no other grades do."""
    is_pair = system != baseline and measure.spec.has_query_values
    if not is_pair or system.snapshot or baseline.snapshot:
        return False
    return not (reads_judgments(measure) and find_apart(session, system, baseline, kept))


def _view_sentence(view: str, who: str) -> str:
    if view in VIEW_RULES:
        return f"Judgments: {VIEW_RULES[view].title}. {VIEW_RULES[view].help}"
    return f"Judgments: only those of {who}."


def _facts(
    session: Session,
    systems: Sequence[System],
    measures: Sequence[Measure],
    kept: BoolArray | None,
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return counts as (label, text), and what is to be said of the documents that are judged."""
    board = place_of_system(session, systems[0]).board
    queries = [query for query in range(board.n_queries) if kept is None or kept[query]]
    progress = [board.progress(query) for query in queries]
    least = board.scale.relevant_from
    counted = [board.counted(query) for query in queries]
    said = [[each.grade for each in found.values()] for found in counted]
    judged = [*map(len, said)]
    n_found = sum(any(g is not None and g >= least for g in grades) for grades in said)
    n_without = sum(count > 0 for count in judged) - n_found
    n_impossible = sum(grades.count(None) for grades in said)
    n_settled = sum(
        not board.standing.final.isdisjoint(each.assessors)
        for found in counted
        for each in found.values()
    )
    facts = [
        ("queries", f"{len(queries):,}"),
        ("queries judged", f"{sum(count > 0 for count in judged):,}"),
        *([("without a relevant document", f"{n_without:,}")] if n_without else []),
        ("documents judged", f"{sum(judged):,}"),
        *([("of them cannot be judged", f"{n_impossible:,}")] if n_impossible else []),
        (
            "pool judged",
            f"{sum(p.judged for p in progress):,} of {sum(p.total for p in progress):,}",
        ),
        *([("settled", f"{n_settled:,}")] if n_settled else []),
        ("assessors who count", f"{_n_counting(session):,}"),
        ("runs compared", f"{len(systems):,}"),
        ("measures", f"{len(measures):,}"),
    ]
    return facts, [*_settled_sentence(n_settled), *_impossible_sentence(n_impossible)]


def _settled_sentence(n: int) -> list[str]:
    if not n:
        return []
    documents = count_noun(n, "document")
    return [f"What holds of {documents} was settled: that counts, whatever else was said."]


def _impossible_sentence(n: int) -> list[str]:
    """Return what becomes of documents that are judged and have no grade."""
    if not n:
        return []
    them, they_are = ("it", "It is") if n == 1 else ("them", "They are")
    said = (
        f"{count_noun(n, 'document')} cannot be judged, as was said of {them}. {they_are} among the judged, "
        f"and in the pool’s progress; without a grade values, bounds and Judged@k count {them} as unjudged."
    )
    return [said]


def _formula(measure: Measure, scale: Scale) -> str:
    """Return how a measure is worked out: meaning, formula, its parameters, and what grades are worth."""
    spec, parts = measure.spec, [f"{measure.spec.help} {measure.spec.formula}."]
    for param in spec.params:
        value = measure.values[param.name]
        if value is not None and value is not False and param.name != spec.at:
            parts.append(f"{param.name}={format_literal(value)}: {param.help}")
    worth = _WORTHS.get(spec.uses)
    if worth is not None:
        grades = level_grades(scale)
        values = worth_of(measure, scale).of(grades)
        shown = ", ".join(
            f"{format_grade(grade)}: {format_grade(round(value, 6))}"
            for grade, value in zip(grades.tolist(), values.tolist(), strict=True)
        )
        between = ", linearly between them" if scale.is_continuous else ""
        parts.append(f"{worth} by grade: {shown}{between}.")
    return " ".join(parts)


def _n_counting(session: Session) -> int:
    """Return how many assessors there are who count and have said something, settled apart."""
    counting, spoken = {*counting_assessors(session)}, load_speakers(session.reader)
    return sum(
        each.name in counting and each.assessor_id in spoken
        for each in load_assessors(session.reader)
    )


def _differences(
    session: Session,
    systems: Sequence[System],
    baseline: System,
    measures: Sequence[Measure],
    kept: BoolArray | None,
) -> list[ReportDifferences]:
    measure = next((each for each in measures if each.spec.has_query_values), None)
    if measure is None:
        return []
    queries = session.material.queries
    found = []
    for system in systems:
        if system == baseline:
            continue
        rows = query_differences(session, system, baseline, measure, kept=kept).rows
        title = f"{system.name} minus {baseline.name}, {measure}"
        texts = [(queries[row.query], row) for row in rows]
        found.append(ReportDifferences(title, texts, measure.is_quality))
    return found


def _plots(
    systems: Sequence[DrawnSystem], measures: Sequence[Measure], n_systems: int
) -> list[Chart]:
    """Return the mean against k, of the first measure that has one, and the mean DCG by rank."""
    plots = []
    cut = next((each for each in measures if each.cutoff), None)
    if cut is not None:
        plots.append(mean_against_k_chart(systems, cut))
    gain = next((each for each in measures if each.name == "nDCG"), None)
    if gain is not None:
        plots.append(mean_dcg_chart(systems, gain))
    which = f", the first {len(systems)} of {n_systems:,} runs" if n_systems > len(systems) else ""
    return [chart._replace(title=chart.title + which) for chart in plots]
