"""Systems side by side: a table of means with intervals and significance, query by query beneath."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from judgetool.core.number_text import count_noun
from judgetool.errors import UsageError
from judgetool.metrics import Comparison, ComparisonRules, Engine, Mean, Measure
from judgetool.metrics.bounds import ALWAYS, NEVER, Bounds, BoundsBlock, BoundsTable
from judgetool.metrics.comparison import (
    RULE_NAMES,
    PairComparison,
    compare_tables,
    is_tested,
    weights_in,
)
from judgetool.metrics.engine import ValueTable
from judgetool.metrics.prospects import compute_p_range
from judgetool.metrics.significance import (
    DECIMALS,
    ValuedApart,
    count_assumed,
    find_valued_apart,
    mean_of,
    reads_judgments,
    without_noise,
)
from judgetool.metrics.terms import BoolArray, FloatArray
from judgetool.session.commands import Changed, IsCancelled, Progress, SetValues, Work, checker
from judgetool.session.comparing.snapshots import board_as_of
from judgetool.session.comparing.system_values import (
    BoundsWork,
    Place,
    assumed_of_system,
    block_of_system,
    bounds_work,
    means_at,
    place_of_system,
)
from judgetool.session.comparing.these_queries import (
    WithoutResults,
    WithoutValue,
    assumed_words,
    find_without_results,
    find_without_value,
)
from judgetool.session.finding import VIEWS_KEY
from judgetool.session.queue import ORDER_KEY, OWN_ORDER_KEY
from judgetool.session.reading_aids import (
    BLIND_KEY,
    GUIDELINES_KEY,
    LANGUAGE_KEY,
    QUERY_GUIDELINES_KEY,
    TERM_SETS_KEY,
)
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries
from judgetool.wording import _, in_english

RULES_KEY = "comparing"
# What is read while one judges, and in which order: no mean and no p knows of it.
_ASIDE = ("title", ORDER_KEY, LANGUAGE_KEY, TERM_SETS_KEY, GUIDELINES_KEY, BLIND_KEY)
_ASIDE_PREFIXES = ("decide/", VIEWS_KEY, OWN_ORDER_KEY, QUERY_GUIDELINES_KEY)


class ComparisonCell(NamedTuple):
    """One system by one measure.

    Attributes:
        mean: the mean, or for counts the sum.
        interval: from the least to the greatest mean over all gradings of what is
            unjudged, and as they stand; ``None`` while it is not computed, or where
            there is none.
        difference: mean minus the baseline's over the queries that count for both;
            ``None`` for the baseline, and for measures without values by query.
        pair: the whole comparison with the baseline; ``None`` likewise, and while it is
            not computed.
        p: of the pair, corrected as the rules say; ``None`` likewise, and for measures
            that are not tested.
        n_tests: how many tests are corrected together; 0 where p is ``None``.
        is_best: whether no other system's mean is better; several may share it, and by what is no
            quality there is none. Where grades are assumed for a system, or its mean is over other
            queries than the baseline's, it neither is the best nor keeps others from it.
        p_tie: of a tie with the baseline, corrected; ``None`` where the rules ask for none.
        is_sure: whether the intervals of both means alone tell that a p below alpha stays so,
            however the unjudged documents are graded, or the measure reads no grades.
    """

    mean: Mean
    interval: Bounds | None
    difference: float | None
    pair: PairComparison | None
    p: float | None
    n_tests: int
    is_best: bool
    p_tie: float | None = None
    is_sure: bool = False


class ComparisonRow(NamedTuple):
    """One system.

    Attributes:
        system: which.
        is_baseline: whether it is what the others are compared with.
        cells: one per measure.
        judged_share: share of the ranks within ``judged_depth`` that are judged, over
            the judged queries; ``None`` without any.
        n_queries: queries for which it has documents.
        n_assumed: how many grades that nobody gave count in its means, and in no other's.
        apart: how the grades that it is valued by differ from the baseline's; ``None`` where
            they do not. Nothing is tested then.
        without: the judged queries that it has no results for; ``None`` where it has all.
        undefined: those without a value, by measure.
    """

    system: System
    is_baseline: bool
    cells: tuple[ComparisonCell, ...]
    judged_share: float | None
    n_queries: int
    n_assumed: int = 0
    apart: ValuedApart | None = None
    without: WithoutResults | None = None
    undefined: tuple[WithoutValue, ...] = ()

    @property
    def has_assumed(self) -> bool:
        """Whether grades that nobody gave count in its means."""
        return self.n_assumed > 0

    @property
    def n_counted(self) -> int:
        """Over how many queries its means are, at most."""
        return max((cell.mean.n_queries for cell in self.cells), default=0)


class ComparisonTable(NamedTuple):
    """Systems × measures.

    Attributes:
        baseline: what the others are compared with.
        measures: the columns.
        rows: in the order asked for.
        judged_depth: ranks behind the judged shares.
        rules: how they were compared; ``None`` while p is not computed.
        n_tests: how many tests there are.
        sentences: how the figures came about.
        apart: names of systems that entered no family of tests but their own.
        where: which queries it is of, see ``queries_where``; ``""`` for all.
    """

    baseline: System
    measures: tuple[Measure, ...]
    rows: tuple[ComparisonRow, ...]
    judged_depth: int
    rules: ComparisonRules | None
    n_tests: int
    sentences: tuple[str, ...]
    apart: tuple[str, ...] = ()
    where: str = ""

    def base_cell(self, place: int) -> ComparisonCell:
        """Return the baseline's cell of a measure."""
        return next(row.cells[place] for row in self.rows if row.is_baseline)

    def without_results(self, row: ComparisonRow) -> list[WithoutResults | None]:
        """Return the judged queries that a system has no results for, and then the baseline."""
        others = (each for each in self.rows if each.is_baseline and each is not row)
        return [each.without for each in (row, *others)]

    def without_values(self, row: ComparisonRow, place: int) -> list[WithoutValue]:
        """Return the queries without a value by a measure, of a system and then of the baseline."""
        others = (each for each in self.rows if each.is_baseline and each is not row)
        return [each.undefined[place] for each in (row, *others)]


class _Facts(NamedTuple):
    """Arrays of one system, copied so that another thread may use them, and its row without cells."""

    row: ComparisonRow
    means: tuple[Mean, ...]
    values: ValueTable
    find_bounds: BoundsWork | None
    valued_by: tuple[Engine, int]
    weights: FloatArray

    @property
    def key(self) -> str:
        return self.row.system.key

    def over(self, column: int) -> tuple[int, bytes]:
        """How many queries a mean is over, and which."""
        return self.means[column].n_queries, np.ma.getmaskarray(self.values[:, column]).tobytes()


def comparison_rules(session: Session) -> ComparisonRules:
    """Return how the project wants systems to be compared; the usual rules where it says nothing."""
    kept = session.value(RULES_KEY)
    if not isinstance(kept, Mapping):
        return ComparisonRules()
    return ComparisonRules(**{name: kept[name] for name in RULE_NAMES if name in kept})


def may_change_figures(changed: Changed) -> bool:
    """Whether a table of systems may be another after a change.

    It is not after one of the title, guidelines, term sets, the language of the texts, blind
    judging, kept filters or the order of judging alone.
    """
    if changed.is_material or changed.judgments or not changed.values:
        return True
    return not all(key in _ASIDE or key.startswith(_ASIDE_PREFIXES) for key in changed.values)


def set_comparison_rules(session: Session, rules: ComparisonRules) -> None:
    """Keep in the project how systems are compared; nothing is written where nothing changes.

    Raises:
        ReadOnlyError: the project cannot be written.
    """
    if rules == comparison_rules(session):
        return
    values: dict[str, Any] = {name: getattr(rules, name) for name in RULE_NAMES}
    with in_english():
        title = f"Comparing: {rules.describe()[0]}"
    session.execute(SetValues({RULES_KEY: values}, title))


def open_comparison(
    session: Session,
    systems: Sequence[System],
    measures: Sequence[Measure] | None = None,
    baseline: System | None = None,
    where: str = "",
) -> ComparisonTable:
    """Return the table at once, without intervals and significance.

    Args:
        session: the project.
        systems: at least one; the baseline is added in front if it is not among them.
        measures: of the chosen ones; ``None`` for all.
        baseline: ``None`` for the first system.
        where: the queries that it is of, see ``queries_where``; ``""`` for all.

    Raises:
        UsageError: there is no system, or a measure is not among the chosen ones.
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    find_place = partial(place_of_system, session)
    return _Comparing(
        session, systems, measures, baseline, among=_among(session, where), find_place=find_place
    ).quick_table()


def comparison_work(  # noqa: PLR0913 - what a comparison depends on
    session: Session,
    systems: Sequence[System],
    measures: Sequence[Measure] | None = None,
    baseline: System | None = None,
    *,
    rules: ComparisonRules | None = None,
    alone: Collection[System] = (),
    where: str = "",
) -> Work[ComparisonTable]:
    """Return the work of the whole table, for another thread: ``work(progress, is_cancelled)``.

    All that it needs is copied now. Arguments and errors as for :func:`open_comparison`.

    Args:
        session: the project.
        systems: at least one.
        measures: of the chosen ones; ``None`` for all.
        baseline: ``None`` for the first system.
        rules: test, draws, seed, correction; ``None`` for those that the project keeps.
        alone: systems that enter no family of tests but their own, so that p of the
            others does not depend on them.
        where: the queries that it is of; ``""`` for all.
    """
    comparing = _Comparing(session, systems, measures, baseline, among=_among(session, where))
    keys = frozenset(each.key for each in alone)
    return partial(comparing.full_table, rules or comparison_rules(session), keys)


def as_of_work(
    session: Session, shown: ComparisonTable, systems: Sequence[System], event_id: int
) -> Callable[[], ComparisonTable]:
    """Return the work of a table as of a moment of the log, with the rankings of now.

    What is assumed now counts where nobody had judged then. For another thread.

    Args:
        session: the project.
        shown: the table of now: its baseline, measures and queries are those of the moment's.
        systems: of the present.
        event_id: last line of the log that counts.

    Raises:
        InputError: a system is no longer in the project.
    """
    blocks = {each.key: block_of_system(session, each) for each in systems}
    assumed = {each.key: assumed_of_system(session, each) for each in systems}
    baseline = shown.baseline if shown.baseline in systems else systems[0]
    among = _among(session, shown.where)

    def work() -> ComparisonTable:
        with session.second_reader() as reader:
            board = board_as_of(session, event_id, reader=reader)
        places = {}
        for number, (key, block) in enumerate(blocks.items(), 1):
            board.engine.add_run(-number, block, assumed=assumed[key])
            places[key] = Place(board, -number)
        comparing = _Comparing(
            session,
            systems,
            shown.measures,
            baseline,
            among=among,
            find_place=lambda each: places[each.key],
        )
        table = comparing.quick_table()
        return table._replace(n_tests=0, sentences=tuple(_assumed_sentences(table.rows)))

    return work


_Among = tuple[str, BoolArray | None]
"""Some queries alone: the text that lets them through, and which they are, shape (n_queries,)."""


def _among(session: Session, where: str) -> _Among:
    return where, kept_queries(session, where)


class _Comparing:
    """A table being made: arrays first, then what may take long."""

    def __init__(
        self,
        session: Session,
        systems: Sequence[System],
        measures: Sequence[Measure] | None,
        baseline: System | None,
        *,
        among: _Among,
        find_place: Callable[[System], Place] | None = None,
    ) -> None:
        # Who says where the values are wants no intervals.
        self._find_place = find_place
        if not systems:
            raise UsageError(_("There is nothing to compare. Choose at least one run."))
        self._where, self._kept = among
        self._baseline = baseline or systems[0]
        wanted = list(dict.fromkeys(systems))
        if self._baseline not in wanted:
            wanted.insert(0, self._baseline)
        self._measures = tuple(session.measures if measures is None else measures)
        self._columns = _columns(session.measures, self._measures)
        self._depth = max((each.cutoff or 0 for each in self._measures), default=0) or 10
        self._facts = [self._collect(session, system) for system in wanted]
        start = next(each for each in self._facts if each.row.is_baseline)
        self._start, self._weights = start.values, start.weights
        self._apart = {
            each.key: find_valued_apart(each.valued_by, start.valued_by, self._kept)
            for each in self._facts
        }
        with in_english():
            self._conventions = session.board.engine.describe_conventions()
            self._scale = (
                f"Grades are read by the scale {session.scale.name}: {session.scale.describe()}."
            )

    def _collect(self, session: Session, system: System) -> _Facts:
        find_place = self._find_place
        place = find_place(system) if find_place else place_of_system(session, system)
        kept = slice(None) if self._kept is None else self._kept
        engine = place.engine
        means = means_at(place, self._kept)
        facts = engine.run_facts(place.key, has_assumed=False)
        without_value = find_without_value(system.name, engine, place.key, self._kept)
        row = ComparisonRow(
            system,
            system == self._baseline,
            (),
            facts.judged_share(self._depth, self._kept),
            int(np.count_nonzero(facts.lengths[kept])),
            count_assumed(engine, place.key, self._kept),
            without=find_without_results(system.name, engine, place.key, self._kept),
            undefined=tuple(without_value[column] for column in self._columns),
        )
        return _Facts(
            row,
            tuple(means[column] for column in self._columns),
            engine.counted_values(place.key)[kept][:, self._columns],
            None
            if find_place
            else bounds_work(place.board, place.key, block_of_system(session, system)),
            (engine, place.key),
            place.board.mean_weights[kept],
        )

    @property
    def _paired(self) -> list[int]:
        """Columns that have values by query."""
        return [column for column, each in enumerate(self._measures) if each.spec.has_query_values]

    def quick_table(self) -> ComparisonTable:
        return self._table({}, {}, None)

    def full_table(
        self,
        rules: ComparisonRules,
        alone: Collection[str],
        progress: Progress | None,
        is_cancelled: IsCancelled | None,
    ) -> ComparisonTable:
        n_bounds, columns = len(self._facts), self._paired
        total = n_bounds + len(columns) * (n_bounds - 1)
        check = checker(progress, is_cancelled, _("The comparing was cancelled."))
        bounds: dict[str, BoundsTable] = {}
        for number, facts in enumerate(self._facts):
            check(number, total)
            assert facts.find_bounds is not None, "asked for where the values are of now"
            found_bounds = facts.find_bounds(partial(check, number, total))
            if self._kept is not None:
                found_bounds = found_bounds.among(self._kept)
            bounds[facts.key] = found_bounds
        pairs = compare_tables(
            {facts.key: facts.values[:, columns] for facts in self._facts},
            [self._measures[column] for column in columns],
            baseline=self._baseline.key,
            rules=rules,
            weights=self._weights,
            progress=lambda done, _: check(n_bounds + done, total),
            alone=alone,
            untested=[key for key, apart in self._apart.items() if apart],
        )
        check(total, total)
        found = {(pair.run, pair.measure): pair for pair in pairs}
        names = {each.key: each.row.system.name for each in self._facts if not each.row.is_baseline}
        apart = tuple(name for key, name in names.items() if key in alone)
        return self._table(bounds, found, rules, apart)

    def _table(
        self,
        bounds: Mapping[str, BoundsTable],
        pairs: Mapping[tuple[str, Measure], Comparison],
        rules: ComparisonRules | None,
        apart: tuple[str, ...] = (),
    ) -> ComparisonTable:
        best = [self._best(column) for column in range(len(self._measures))]
        base = bounds.get(self._baseline.key)
        rows = []
        for facts in self._facts:
            own, row = bounds.get(facts.key), facts.row
            cells = []
            for column, measure in enumerate(self._measures):
                mean, found = facts.means[column], pairs.get((facts.key, measure))
                place, difference = self._columns[column], None
                weights = weights_in(measure, self._weights)
                pair = p = p_tie = None
                n_tests, is_sure = 0, False
                if found is not None:
                    pair, p, n_tests, p_tie = found.pair, found.p, found.n_tests, found.p_tie
                    difference = pair.difference
                    is_sure = not reads_judgments(measure) or _stays_tested(
                        found, rules, (own, base), place, weights
                    )
                elif measure.spec.has_query_values and not row.is_baseline:
                    values = facts.values[:, column]
                    difference = _mean_difference(values, self._start[:, column], weights)
                interval = own.mean(place, facts.weights, mean.value) if own else None
                is_best = facts.key in best[column]
                cells.append(
                    ComparisonCell(
                        mean, interval, difference, pair, p, n_tests, is_best, p_tie, is_sure
                    )
                )
            rows.append(row._replace(cells=tuple(cells), apart=self._apart[facts.key]))
        is_weighted = any(found.pair.is_weighted for found in pairs.values())
        said = self._sentences(rules, apart, is_weighted=is_weighted)
        return ComparisonTable(
            self._baseline,
            self._measures,
            tuple(rows),
            self._depth,
            rules,
            self._count_tests(),
            (*said, *_assumed_sentences(rows)),
            apart,
            self._where,
        )

    def _count_tests(self) -> int:
        tested = [each for each in map(self._measures.__getitem__, self._paired) if is_tested(each)]
        return sum(
            not (self._apart[facts.key] and reads_judgments(measure))
            for facts in self._facts
            if not facts.row.is_baseline
            for measure in tested
        )

    def _best(self, column: int) -> set[str]:
        """Return the keys of the systems with the best mean of those over the same queries."""
        measure = self._measures[column]
        # Means of other judgments, or with assumed grades, may be better by these alone.
        apart = {key for key, each in self._apart.items() if each and reads_judgments(measure)}
        fair = [each for each in self._facts if not (each.row.n_assumed or each.key in apart)]
        fair.sort(key=lambda facts: not facts.row.is_baseline)
        first = fair[0].over(column) if fair else None
        means = {each.key: each.means[column].value for each in fair if each.over(column) == first}
        is_fair = measure.is_quality and measure.spec.pooling != "sum"
        if not is_fair or len(means) == 1 < len(self._facts):
            return set()
        best = max((value for value in means.values() if value is not None), default=None)
        return {key for key, value in means.items() if _is_near(value, best)}

    @in_english()
    def _sentences(
        self, rules: ComparisonRules | None, apart: tuple[str, ...], *, is_weighted: bool
    ) -> tuple[str, ...]:
        said = rules.describe(is_weighted=is_weighted) if rules is not None else ()
        described = (*said, *rules.describe_apart(apart)) if rules is not None else ()
        if self._where:
            described = (f"Over the queries that ‘{self._where}’ lets through.", *described)
        return (*described, *self._conventions, self._scale)


def _stays_tested(
    found: Comparison,
    rules: ComparisonRules | None,
    sides: tuple[BoundsTable | None, BoundsTable | None],
    place: int,
    weights: FloatArray | None,
) -> bool:
    """Whether a p below alpha stays so for every grading, as far as the values of each side tell."""
    own, base = sides
    if rules is None or found.p is None or found.p >= rules.alpha or own is None or base is None:
        return False
    # Of a query that does not count yet nothing is known.
    if not (own.is_counted.all() and base.is_counted.all()):
        return False
    one, other = own.columns[place], base.columns[place]
    counts = (one.defined != NEVER) & (other.defined != NEVER)
    one, other = one.of(counts), other.of(counts)
    block = BoundsBlock(
        one.low - other.high,
        one.high - other.low,
        np.zeros(len(one.low), dtype=np.bool_),
        np.where(one.defined == ALWAYS, other.defined, one.defined),
    )
    if not (block.high - block.low).any() and (block.defined == ALWAYS).all():
        return True
    shares = np.ones(len(counts)) if weights is None else weights
    shares = shares[counts]
    if block.low @ shares <= 0.0 <= block.high @ shares:
        return False
    reach = compute_p_range(block, rules, weights=shares)
    n_tests = found.n_tests if rules.correction_title else 1
    return reach is not None and reach.high * n_tests < rules.alpha


@in_english()
def _assumed_sentences(rows: Iterable[ComparisonRow]) -> list[str]:
    return [
        f"{assumed_words(row.system.name, row.n_assumed)} Its means, over "
        f"{count_noun(row.n_counted, 'query')}, are never marked as the best."
        for row in rows
        if row.has_assumed
    ]


def _columns(chosen: Sequence[Measure], wanted: Iterable[Measure]) -> list[int]:
    columns = []
    for measure in wanted:
        if measure not in chosen:
            raise UsageError(
                _("{measure} is not among the project’s measures: {known}.").format(
                    measure=measure, known=", ".join(map(str, chosen))
                )
            )
        columns.append(list(chosen).index(measure))
    return columns


def _mean_difference(
    values: ValueTable, others: ValueTable, weights: FloatArray | None
) -> float | None:
    """Return the mean of differences over the queries that count for both; ``None`` for none."""
    differences = values - others
    rounded = np.round(differences.compressed(), DECIMALS)
    if not len(rounded):
        return None
    counts = ~np.ma.getmaskarray(differences)
    return without_noise(mean_of(rounded, None if weights is None else weights[counts]))


def _is_near(value: float | None, best: float | None) -> bool:
    """Return whether a mean is the best one, to the digits that are not rounding."""
    return value is not None and best is not None and round(value - best, DECIMALS) == 0.0
