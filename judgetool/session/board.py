"""The present judgments in memory, and what they add up to.

What each assessor says, who of them counts, the folded view, the values of all runs, the pools.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import (
    DEFAULT_VIEW,
    MAJORITY,
    QUEPID,
    VIEW_RULES,
    Judgment,
    JudgmentKey,
    Said,
    ViewRule,
    view_rule,
)
from judgetool.core.rankings import FloatArray
from judgetool.core.scale import Scale
from judgetool.metrics import Conventions, Engine, Measure, RunBlock
from judgetool.metrics.bounds import Bounds, compute_all_bounds
from judgetool.metrics.rankings import FactTable
from judgetool.metrics.values import addable
from judgetool.session.material import Material
from judgetool.session.pool import (
    NO_PAIR_ARRAYS,
    IntArray,
    LongArray,
    NumberPair,
    PairArrays,
    Pairs,
    Pool,
    PoolChoice,
    Progress,
)
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import LogEntry, load_settled
from judgetool.storage.values import AssessorRow, load_assessors, load_step_order
from judgetool.wording import N_, AsIs, Stated, _, stated, stated_of, translated


class Opinion(NamedTuple):
    """What one assessor says of a document.

    Attributes:
        assessor: the assessor's name.
        judgment: what is said.
        at: when it was said last, milliseconds UTC.
    """

    assessor: str
    judgment: Judgment
    at: int = 0


COUNTS_KEY = "counts"
"""The project's value that says by name who counts, where that is not as their kind has it."""

COUNTING_KINDS = ("human", "import", "settled")
"""Who counts where nobody has said otherwise: people, imports, what was settled; not models."""

V = TypeVar("V")


class Counting(NamedTuple):
    """Who of a project's assessors counts in views, and whose word ends a disagreement.

    Nobody left out, and nothing settled: as of a project of people alone.

    Attributes:
        left_out: numbers of those who do not count.
        final: numbers of those whose judgments are what was settled, and count.
    """

    left_out: frozenset[int] = frozenset()
    final: frozenset[int] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Whether everybody counts alike."""
        return not (self.left_out or self.final)

    def counted(self, said: Mapping[int, V]) -> Mapping[int, V]:
        """Return of what is said, by assessor, that which counts: what is settled, else of all who count."""
        final = {who: said[who] for who in said if who in self.final}
        return final or {who: said[who] for who in said if who not in self.left_out}


EVERYBODY = Counting()
"""All assessors count alike."""


def does_count(assessor: AssessorRow, counts: Mapping[str, bool]) -> bool:
    """Return whether an assessor enters views.

    Args:
        assessor: who.
        counts: what :data:`COUNTS_KEY` says.
    """
    return counts.get(assessor.name, assessor.kind in COUNTING_KINDS)


def find_standing(reader: Connection, values: Mapping[str, Any]) -> Counting:
    """Return who counts in a project.

    Args:
        reader: a connection of the calling thread.
        values: the project's own values.
    """
    counts = counts_of(values)
    left_out, final = set(), set()
    for each in load_assessors(reader):
        if not does_count(each, counts):
            left_out.add(each.assessor_id)
        elif each.kind == "settled":
            final.add(each.assessor_id)
    return Counting(frozenset(left_out), frozenset(final))


def counts_of(values: Mapping[str, Any]) -> Mapping[str, bool]:
    """Return who counts or does not, by name, against what their kind would have."""
    counts = values.get(COUNTS_KEY)
    return counts if isinstance(counts, dict) else {}


_Settling = tuple[float | None, int, int]
"""Grade, step and time of a judgment that settles a document."""


class Effective(NamedTuple):
    """What counts for a (query, document) in the chosen view.

    Attributes:
        grade: folded grade; ``None`` when it was only said to be impossible to judge.
        assessors: numbers of those who settled it, first known first.
    """

    grade: float | None
    assessors: tuple[int, ...]


class SettledRow(NamedTuple):
    """A judgment that settles a document: graded, or cannot be judged; said by a step, at a time."""

    query: int
    document: int
    assessor: int
    grade: float | None
    step: int
    at: int = 0


def settled_rows(
    reader: Connection, place_of: Mapping[int, int], order: Mapping[int, int] | None = None
) -> Iterator[SettledRow]:
    """Yield what settles documents of queries that are visible, by the session's numbers.

    Args:
        reader: a connection of the calling thread.
        place_of: the session's number of a query by the file's.
        order: what ``load_step_order`` gives, where that is known; ``None`` reads it.
    """
    order = load_step_order(reader) if order is None else order
    for query, document, assessor, grade, step, at in load_settled(reader):
        place = place_of.get(query)
        if place is not None:
            yield SettledRow(place, document, assessor, grade, order.get(step, step), at)


class JudgmentBook:
    """Settled judgments by query and document, folded by a view.

    Args:
        rows: all settled judgments; ``query`` is the session's query number.
        rule: how several are folded; ``None`` lets only ``assessor``'s count.
        assessor: the number of the session's assessor, or ``None``.
        standing: who counts.
    """

    def __init__(
        self,
        rows: Iterable[SettledRow],
        *,
        rule: ViewRule | None,
        assessor: int | None,
        standing: Counting = EVERYBODY,
    ) -> None:
        self._said: defaultdict[int, dict[int, dict[int, _Settling]]] = defaultdict(dict)
        for query, document, who, grade, step, at in rows:
            of_query = self._said[query]
            if document in of_query:
                of_query[document][who] = grade, step, at
            else:
                of_query[document] = {who: (grade, step, at)}
        self._rule = rule
        self._assessor = assessor
        self._standing, self._is_plain = standing, standing.is_plain
        # Under whose number the assessor's own judgment of a pair is kept, where not under theirs.
        self._voices: Mapping[NumberPair, int] = {}
        # Of them the documents by query, where the assessor's own judgments alone count.
        self._again: defaultdict[int, set[int]] = defaultdict(set)
        self._effective: dict[int, dict[int, Effective]] = {}
        self._tied: set[NumberPair] = set()
        # Where the last judgment was taken back: such a document is not to vanish at that.
        self._cleared: defaultdict[int, set[int]] = defaultdict(set)
        self.set_view(rule)

    def set_view(self, rule: ViewRule | None) -> None:
        """Fold everything anew by another rule; ``None`` is the assessor's own alone."""
        self._rule = rule
        self._tied.clear()
        self._effective = {query: self._fold_query(query) for query in self._said}
        self._again.clear()
        self.refold(self._voices)

    def set_standing(self, standing: Counting) -> None:
        """Fold everything anew, as others count now."""
        self._standing, self._is_plain = standing, standing.is_plain
        self.set_view(self._rule)

    def set_assessor(self, assessor: int) -> None:
        """Name the session's assessor, once a first judgment has given them a number."""
        self._assessor = assessor

    def set_voices(self, voices: Mapping[NumberPair, int]) -> None:
        """Take the assessor's own judgment of these pairs from what is kept under another number.

        Args:
            voices: that number by query and document; it may change, see :meth:`refold`.
        """
        self._voices = voices
        self.refold(voices)

    def refold(self, pairs: Iterable[NumberPair]) -> None:
        """Fold what is said of some (query, document) pairs anew."""
        for query, document in pairs:
            said = self._said[query].get(document, {}) if query in self._said else {}
            self._take_folded(query, document, said)

    def _take_folded(self, query: int, document: int, said: Mapping[int, _Settling]) -> None:
        effective = self._effective.setdefault(query, {})
        self._tied.discard((query, document))
        if self._rule is None and (query, document) in self._voices:
            self._again[query].add(document)
        elif query in self._again:
            self._again[query].discard(document)
        folded = self._fold(said, (query, document), self._rule)
        if folded is None:
            effective.pop(document, None)
        else:
            effective[document] = folded

    def _fold_query(self, query: int) -> dict[int, Effective]:
        said_of = self._said[query].items()
        folded = ((doc, self._fold(said, (query, doc), self._rule)) for doc, said in said_of)
        return {document: found for document, found in folded if found is not None}

    def _fold(
        self, said: Mapping[int, _Settling], pair: NumberPair, rule: ViewRule | None
    ) -> Effective | None:
        if len(said) == 1 and self._is_plain and rule is not None:
            # As of most documents: there is nothing to fold.
            ((who, (only, _, _)),) = said.items()
            return Effective(only, (who,))
        counted = said
        if rule is None:
            own = self._voices.get(pair, self._assessor)
            counted = {who: said[who] for who in said if who == own}
        elif not self._is_plain:
            counted = self._standing.counted(said)
        if not counted:
            return None
        graded = [
            Said(grade, step, at) for grade, step, at in counted.values() if grade is not None
        ]
        if len(graded) == 1 or (graded and rule is None):
            grade: float | None = graded[0].grade
        else:
            grade = rule.fold(graded) if graded and rule else None
            # What another view would have says nothing of this one.
            if rule is not None and rule is self._rule and graded and rule.is_tied(graded):
                self._tied.add(pair)
        return Effective(grade, tuple(counted))

    def settled_by(
        self, rule: ViewRule | None, query: int, documents: Iterable[int], own: int | None = None
    ) -> dict[int, Effective]:
        """Return what counts by another rule for some documents of a query.

        Args:
            rule: how several are folded; ``None`` lets only those of ``own`` count.
            query: its number.
            documents: of which.
            own: number of an assessor; ``None`` for the session’s.
        """
        said, who = self._said.get(query, {}), self._assessor if own is None else own
        folded = (
            (
                doc,
                self._first(query, doc, who)
                if rule is None
                else self._fold(known, (query, doc), rule),
            )
            for doc in documents
            if (known := said.get(doc))
        )
        return {document: found for document, found in folded if found is not None}

    def _first(self, query: int, document: int, who: int | None) -> Effective | None:
        """Return what an assessor says of a document themselves, whatever came again."""
        said = self._said.get(query, {}).get(document, {})
        return Effective(said[who][0], (who,)) if who is not None and who in said else None

    def counted_of(self, query: int, document: int) -> Effective | None:
        """Return what counts in values for one document; see :meth:`counted`."""
        if document in self._again.get(query, ()):
            return self._first(query, document, self._assessor)
        return self.settled(query).get(document)

    def counted(self, query: int) -> Mapping[int, Effective]:
        """Return what counts in values for one query: what is settled, but of what came again the first."""
        if not self._again.get(query):
            return self.settled(query)
        documents = {*self.settled(query), *self._again[query]}
        found = ((each, self.counted_of(query, each)) for each in documents)
        return {document: effective for document, effective in found if effective is not None}

    def all_counted(self) -> Mapping[int, Mapping[int, Effective]]:
        """Return what counts in values, by query and document."""
        return {query: self.counted(query) for query in self._effective}

    @property
    def left_out(self) -> set[int]:
        """The numbers of those who have judged and do not count, where not one alone does anyway."""
        if self._rule is None or not self._standing.left_out:
            return set()
        judges = {who for of in self._said.values() for said in of.values() for who in said}
        return judges & self._standing.left_out

    @property
    def n_tied(self) -> int:
        """How many documents of queries have the highest of different grades for want of a latest."""
        return len(self._tied)

    def is_tied(self, query: int, document: int) -> bool:
        """Whether a document has the highest of different grades, as none of them is the latest."""
        return (query, document) in self._tied

    def settled(self, query: int) -> Mapping[int, Effective]:
        """Return what counts for one query, by document, as the assessor is shown it."""
        return self._effective.get(query, {})

    def heard(self, query: int) -> list[int]:
        """Return the documents of a query that anybody has settled, whoever counts, by number.

        With those whose last judgment was taken back since the project was opened.
        """
        return sorted({*self._said.get(query, ()), *self._cleared.get(query, ())})

    def settled_in_order(self, query: int) -> list[int]:
        """Return what :meth:`settled` has, the document settled first at the front.

        Of several assessors' judgments the earliest counts; what one step settled (an
        import) stands by number of the document.
        """
        said = self._said.get(query, {})

        def made(document: int) -> tuple[int, int]:
            by = self.settled(query)[document].assessors
            return min(said[document][assessor][1] for assessor in by), document

        return sorted(self.settled(query), key=made)

    def all_settled(self) -> Mapping[int, Mapping[int, Effective]]:
        """Return what counts, by query and document."""
        return self._effective

    def apply(
        self, key: JudgmentKey, judgment: Judgment | None, step: int | None, at: int = 0
    ) -> None:
        """Take in what one assessor now says, by a step and at a time.

        ``query`` in the key is the session's number.
        """
        of_query = self._said[key.query]
        said = of_query.setdefault(key.document, {})
        is_settled = judgment is not None and judgment.state in ("judged", "cannot_judge")
        if is_settled and judgment is not None and step is not None:
            said[key.assessor] = (judgment.grade, step, at)
        else:
            said.pop(key.assessor, None)
            if not said:
                del of_query[key.document]
                self._cleared[key.query].add(key.document)
        self._take_folded(key.query, key.document, said)

    def grade_arrays(
        self,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return all folded grades as (queries, documents, grades), each of shape (n,)."""
        rows = [
            (query, document, effective.grade)
            for query, documents in self.all_counted().items()
            for document, effective in documents.items()
            if effective.grade is not None
        ]
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
        return columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2].copy()


BoolArray = npt.NDArray[np.bool_]
# Queries and documents are numbered in 32 bits: one number for both is looked up fastest.
_SHIFT = 32
_LOW = (1 << _SHIFT) - 1


class SettledPairs(NamedTuple):
    """The settled (query, document) pairs of a board.

    Attributes:
        keys: see :func:`pair_keys`; rising, shape (n,).
        grades: NaN for what was only said to be impossible to judge, shape (n,).
        counts: how many each query has, shape (n_queries,).
    """

    keys: LongArray
    grades: npt.NDArray[np.float64]
    counts: LongArray


def pair_keys(queries: npt.NDArray[np.integer], documents: npt.NDArray[np.integer]) -> LongArray:
    """Return one number for each (query, document) pair, shape (n,)."""
    return queries.astype(np.int64) << _SHIFT | documents.astype(np.int64)


def split_keys(keys: LongArray) -> tuple[LongArray, LongArray]:
    """Return (queries, documents) of what :func:`pair_keys` made."""
    return keys >> _SHIFT, keys & _LOW


def are_among(keys: LongArray, known: LongArray) -> BoolArray:
    """Return which numbers stand in a rising array, shape (n,)."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: BoolArray = known[places] == keys
    return found


def build_pool(
    material: Material,
    choice: PoolChoice,
    heard: Callable[[int], Sequence[int]],
    *,
    without: int | None = None,
) -> Pool:
    """Return the pool that a choice means; queries and documents not known are left out.

    What was judged of a query for which no run has found anything is its pool: without
    runs, too, judgments can be looked at, and given by others.

    Args:
        material: the project's.
        choice: what is to be judged.
        heard: gives the documents of a query that anybody has judged.
        without: number of a run that is left out, as if it were taken out.
    """
    policy = choice.policy
    extra = number_pairs(material, choice.added)
    blocks: list[RunBlock] = []
    if policy.is_frozen:
        chosen = number_pairs(material, policy.pairs)
        extra = _joined(chosen, extra)
    else:
        all_blocks = {key: block for key, block in material.blocks.items() if key != without}
        extra = _joined(extra, _pairs_without_run(material, all_blocks.values(), heard))
        named = [run.run_id for name in policy.runs if (run := material.find_run(name))]
        chosen_runs = named if policy.runs else [*all_blocks]
        blocks = [all_blocks[key] for key in chosen_runs if key in all_blocks]
    depth = None if policy.kind == "all" else policy.depth
    return Pool(blocks, len(material.queries), depth, extra=extra)


def _joined(first: PairArrays, second: PairArrays) -> PairArrays:
    return PairArrays(*(np.concatenate(both) for both in zip(first, second, strict=True)))


def _pairs_without_run(
    material: Material, blocks: Iterable[RunBlock], heard: Callable[[int], Sequence[int]]
) -> PairArrays:
    n_found = np.zeros(len(material.queries), dtype=np.int64)
    for block in blocks:
        n_found += block.lengths
    rows = [
        (query, document)
        for query in np.flatnonzero(n_found == 0).tolist()
        for document in heard(query)
    ]
    return PairArrays(*np.array(rows, dtype=np.int64).reshape(-1, 2).T)


def number_pairs(material: Material, pairs: Pairs) -> PairArrays:
    """Return the project's numbers of pairs of ids, in their order."""
    if not pairs:
        return NO_PAIR_ARRAYS
    wanted = sorted({name for documents in pairs.values() for name in documents})
    numbers = material.find_documents(wanted)
    rows = [
        (query, numbers[name])
        for query_id, documents in pairs.items()
        if (query := material.find_query(query_id)) is not None
        for name in documents
        if name in numbers
    ]
    return PairArrays(*np.array(rows, dtype=np.int64).reshape(-1, 2).T)


T = TypeVar("T")
ONLY_MINE = "mine"
TIED = N_(
    "Of these the highest counts in the usual view, ‘All judgments, latest counts’. Median takes the "
    "middle one, of two the lower; Majority the one that most gave, and the highest where as many gave "
    "another: Judge ▸ Judgments that count…, or --view median of a command."
)
_TIED_MAJORITY = N_(
    "Of these the highest counts in the view ‘Majority’. Median takes the middle one, of two the "
    "lower: Judge ▸ Judgments that count…, or --view median of a command."
)


def view_title(view: str, own: str) -> str:
    """Return which judgments count in a view, in the reader's language; ``own`` says whose ``mine`` are."""
    if view in VIEW_RULES:
        return _(VIEW_RULES[view].title)
    return _("Only {assessor}’s judgments").format(assessor=own)


def whose_judgments(view: str, who: str) -> str:
    """Return which judgments count, as a sentence beside the conventions.

    Args:
        view: the rule’s name, or ``mine``.
        who: the assessor of ``mine``.
    """
    if view in VIEW_RULES:
        return stated("Judgments: {view}.", view=VIEW_RULES[view].title)
    return stated("Judgments: only those of {who}.", who=AsIs(who))


def tied_title(n: int) -> str:
    """Return how many documents several assessors gave different grades at the same time."""
    return translated(_tied_in(n))


def uncounted_judges(book: JudgmentBook, reader: Connection) -> list[str]:
    """Return the names of those who have judged and do not count; people's second looks are told to nobody."""
    left_out = book.left_out
    return [
        each.name
        for each in load_assessors(reader)
        if each.assessor_id in left_out and each.kind != "again"
    ]


def left_out_notes(book: JudgmentBook, reader: Connection) -> list[str]:
    """Return the sentence, in English, that says how many of these there are; none where all count."""
    n_left_out = len(uncounted_judges(book, reader))
    said = stated_of(
        n_left_out,
        "Judgments of {n} assessor who does not count are left out.",
        "Judgments of {n} assessors who do not count are left out.",
    )
    return [said] if n_left_out else []


def tied_notes(n: int, view: str) -> list[str]:
    """Return of how many documents times do not say what counts in a view, what does, and what else may.

    Nothing where it is none.
    """
    return list(map(translated, state_tied(n, view)))


def state_tied(n: int, view: str) -> list[str]:
    """Return the same for a file, in English."""
    said = _TIED_MAJORITY if view == MAJORITY else TIED
    both = "{tied}. {said}"
    return [Stated(both, both, 1, {"tied": _tied_in(n, view), "said": said})] if n else []


def tied_sentences(n: int, view: str) -> list[str]:
    """Return the same for a page that tells how it counted, where nothing can be chosen."""
    tied = translated(_tied_in(n, view))
    return [f"{tied}. {_('Of these the highest counts.')}"] if n else []


def _tied_in(n: int, view: str = "") -> str:
    if view != MAJORITY:
        return stated_of(
            n,
            "{n} document has different grades by several assessors at the same time",
            "{n} documents have different grades by several assessors at the same time",
        )
    return stated_of(
        n,
        "{n} document has several grades that equally many assessors gave, at the same time",
        "{n} documents have several grades that equally many assessors gave, at the same time",
    )


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """What the board depends on besides the judgments.

    Attributes:
        scale: the project's scale.
        measures: the chosen measures, in order.
        assessor: number of the session's assessor, or ``None``.
        view: name of the folding rule, or ``mine``.
        conventions: how unjudged documents, undefined values and missing queries count.
        pool: which documents are to be judged.
        standing: who of the assessors counts.
    """

    scale: Scale
    measures: Sequence[Measure]
    assessor: int | None = None
    view: str = DEFAULT_VIEW
    conventions: Conventions = field(default_factory=Conventions)
    pool: PoolChoice = field(default_factory=PoolChoice)
    standing: Counting = EVERYBODY


class Board:
    """Judgments folded by a view, with the values and pools that follow from them.

    Attributes:
        book: what everybody says, and what of it counts.
        engine: values of all runs, kept up to date with every judgment.
        scale: the project's scale.
        view: name of the folding rule, or ``mine``.
        standing: who of the assessors counts.
        order: places of steps in time, by number, where merges brought some; see ``load_step_order``.
        n_queries: how many queries there are.
        weights: their importance in means, shape (n_queries,).
        revision: rises with everything that can change what counts, or what is to be
            judged: what was computed from the board holds as long as it stays.
    """

    def __init__(
        self, material: Material, rows: Iterable[SettledRow], settings: BoardSettings
    ) -> None:
        self._material = material
        self.scale = settings.scale
        self.view = settings.view
        self.standing = settings.standing
        self.order: Mapping[int, int] = {}
        self.revision = 0
        self._top_pools: dict[int, Pool] = {}
        self._kept: dict[Callable[[Board], Any], Any] = {}
        self._kept_at = 0
        self.book = JudgmentBook(
            rows,
            rule=find_rule(settings.view, settings.scale),
            assessor=settings.assessor,
            standing=settings.standing,
        )
        self.n_queries = len(material.queries)
        self.weights = addable(np.array([query.weight for query in material.queries]))
        self.engine = self._engine_of(settings.measures, settings.conventions)
        self.engine.set_judgments(*self.book.grade_arrays())
        for run_id, block in material.blocks.items():
            self.engine.add_run(run_id, block)
        self.set_pool(settings.pool)

    def _engine_of(self, measures: Sequence[Measure], conventions: Conventions) -> Engine:
        engine = Engine(
            self.n_queries,
            scale=self.scale,
            measures=measures,
            conventions=conventions,
            weights=self.weights,
        )
        if self._material.clicks:
            counts = np.array(self._material.clicks, dtype=np.int64)
            queries, documents, impressions, clicks = counts.T
            numbers = np.column_stack((clicks, impressions)).astype(np.float64)
            facts = FactTable(queries.astype(np.int32), documents.astype(np.int32), numbers)
            engine.set_facts("clicks", facts)
        return engine

    def new_engine(self, measures: Sequence[Measure] | None = None) -> Engine:
        """Return an engine that counts as this board's does, without judgments and rankings.

        Args:
            measures: ``None`` for those of the board.
        """
        return self._engine_of(measures or self.engine.measures, self.engine.conventions)

    @property
    def mean_weights(self) -> FloatArray:
        """How much each query counts in a mean, shape (n_queries,)."""
        return self.engine.mean_weights

    def set_view(self, view: str) -> None:
        """Choose which judgments count: a rule's name, or ``mine``.

        Raises:
            UsageError: there is no such rule.
        """
        self.book.set_view(find_rule(view, self.scale))
        self.view = view
        self._refold()

    def set_standing(self, standing: Counting) -> None:
        """Have others of the assessors count, in every view but one's own judgments alone."""
        if standing != self.standing:
            self.standing = standing
            self.book.set_standing(standing)
            self._refold()

    def _refold(self) -> None:
        self.engine.set_judgments(*self.book.grade_arrays())
        self._recount()

    def _recount(self) -> None:
        self.revision += 1
        self._pool.count_settled(self.book.all_settled())
        for pool in self._top_pools.values():
            pool.count_settled(self.book.all_counted())

    def kept(self, make: Callable[["Board"], T]) -> T:
        """Return what was computed from the board, kept until something can have changed it.

        Args:
            make: computes it.
        """
        if self._kept_at != self.revision:
            self._kept_at = self.revision
            self._kept.clear()
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

    def set_voices(self, voices: Mapping[NumberPair, int]) -> None:
        """Show as the assessor's own of some pairs what is kept under another number."""
        self.book.set_voices(voices)
        self._refold()

    def refold(self, pairs: Sequence[NumberPair]) -> None:
        """Fold some (query, document) pairs anew: their voices are others now."""
        if pairs:
            self.book.refold(pairs)
            self._follow_fold(pairs)

    def _follow_fold(self, pairs: Iterable[NumberPair]) -> None:
        """Bring values and pools in line with what was folded anew."""
        grades: list[tuple[int, int, float | None]] = []
        for query, document in pairs:
            effective = self.book.counted_of(query, document)
            grades.append((query, document, effective.grade if effective else None))
        self.engine.judge_many(grades)
        for query in {each[0] for each in grades}:
            self._pool.recount(query, self.book.settled(query))
            for pool in self._top_pools.values():
                pool.recount(query, self.book.counted(query))
        self.revision += 1

    def set_scale(self, scale: Scale) -> None:
        """Compute everything by another scale."""
        self.scale = scale
        self.revision += 1
        self.engine.set_scale(scale)
        if self.view == QUEPID:
            # It rounds to grades of the scale.
            self.set_view(self.view)

    def set_pool(self, choice: PoolChoice) -> None:
        """Choose which documents are to be judged."""
        self._pool = build_pool(self._material, choice, self.book.heard)
        self._pool.count_settled(self.book.all_settled())
        self.revision += 1

    def top_pool(self, depth: int) -> Pool:
        """Return the first ranks of all runs, whatever is to be judged; kept up to date.

        Args:
            depth: ranks of each run, at least 1.
        """
        if depth not in self._top_pools:
            pool = Pool(list(self._material.blocks.values()), self.n_queries, depth)
            pool.count_settled(self.book.all_counted())
            self._top_pools[depth] = pool
        return self._top_pools[depth]

    def settled(self, query: int) -> Mapping[int, Effective]:
        """Return what counts in the view for a query, by document; skips do not.

        As the session's assessor is shown it: of what comes to them again, what they say of it
        then. What enters values is :meth:`counted`.
        """
        return self.book.settled(query)

    def counted(self, query: int) -> Mapping[int, Effective]:
        """Return what enters values for a query, by document: what was said first of all that came again."""
        return self.book.counted(query)

    def settled_by(
        self,
        view: str,
        query: int,
        documents: Iterable[int] | None = None,
        *,
        own: int | None = None,
    ) -> Mapping[int, Effective]:
        """Return what enters values for a query in a view, the board's or another, by document.

        Args:
            view: name of the folding rule, or ``mine``.
            query: its number.
            documents: of which; ``None`` for all.
            own: number of the assessor whom ``mine`` means; ``None`` for the session's.

        Raises:
            UsageError: there is no such view.
        """
        if view == self.view and own is None:
            settled = self.counted(query)
            if documents is None:
                return settled
            return {document: settled[document] for document in documents if document in settled}
        wanted = self.book.heard(query) if documents is None else documents
        return self.book.settled_by(find_rule(view, self.scale), query, wanted, own)

    @property
    def n_tied(self) -> int:
        """How many documents of queries have the highest of different grades for want of a latest.

        0 in every view but those in which the latest counts, of all grades or of those that most gave.
        """
        return self.book.n_tied

    def judged_beyond(self, query: int) -> IntArray:
        """Return the documents of a query that somebody has judged, in no run and no pool."""
        found = np.array(self.book.heard(query), dtype=np.int32)
        if not len(found):
            return found
        # One mark for each document up to the last in question: far less work than
        # looking for every document in every ranking.
        is_met = np.zeros(int(found.max()) + 1, dtype=np.bool_)
        ranked = (self._material.ranked_documents(run.run_id, query) for run in self._material.runs)
        for documents in (self.pool(query), *ranked):
            is_met[documents[documents < len(is_met)]] = True
        return found[~is_met[found]]

    def pool(self, query: int) -> IntArray:
        """Return the documents of a query that are to be judged, best rank first."""
        return self._pool.documents(query)

    @property
    def whole_pool(self) -> Pool:
        """The pools of all queries."""
        return self._pool

    def progress(self, query: int) -> Progress:
        """Return how much of a query's pool is settled."""
        return self._pool.progress(query)

    def total_progress(self) -> Progress:
        """Return how much of all pools is settled."""
        return self._pool.total_progress()

    def bounds(self, run_id: int, query: int) -> tuple[Bounds, ...]:
        """Return, for each measure, what the unjudged documents could still make of the value."""
        grades = self.engine.query_grades(run_id, query, pool=self._pool.documents(query))
        return compute_all_bounds(
            self.engine.measures,
            grades,
            self.scale,
            self.engine.conventions,
            values=self.engine.numbers(run_id, query),
        )

    def apply(self, entries: Iterable[LogEntry], at: int) -> tuple[NumberPair, ...]:
        """Take in changed judgments; return the visible (query, document) pairs touched.

        Args:
            entries: what was written.
            at: when those were said that name no other time, milliseconds UTC.
        """
        touched: list[NumberPair] = []
        for entry in entries:
            key = entry.change.key
            query = self._material.place_of.get(key.query)
            if query is None:
                continue
            here = JudgmentKey(query, key.document, key.assessor)
            said_at = at if entry.made_at is None else entry.made_at
            step = entry.after_step
            step = step if step is None else self.order.get(step, step)
            self.book.apply(here, entry.change.after, step, said_at)
            touched.append((query, key.document))
        self._follow_fold(touched)
        return tuple(touched)


def find_rule(view: str, scale: Scale) -> ViewRule | None:
    """Return by which rule a view folds; ``None`` for one's own judgments alone."""
    return None if view == ONLY_MINE else view_rule(view, scale)


def settled_pairs(board: Board, query: int | None = None) -> SettledPairs:
    """Return what is settled, of all queries or of one; never to be written to.

    That of all queries is kept until something is judged.
    """
    return board.kept(_gather) if query is None else _gather(board, {query: board.settled(query)})


def _gather(
    board: Board, only: Mapping[int, Mapping[int, Effective]] | None = None
) -> SettledPairs:
    settled = board.book.all_settled() if only is None else only
    lengths = np.fromiter(map(len, settled.values()), np.int64, count=len(settled))
    places = np.fromiter(settled, np.int64, count=len(settled))
    n_pairs = int(lengths.sum())
    documents = np.fromiter(chain.from_iterable(settled.values()), np.int64, count=n_pairs)
    effective = chain.from_iterable(found.values() for found in settled.values())
    # None becomes NaN.
    grades = np.array(list(map(itemgetter(0), effective)), dtype=np.float64)
    keys = pair_keys(np.repeat(places, lengths), documents)
    order = np.argsort(keys, kind="stable")
    counts = np.zeros(board.n_queries, dtype=np.int64)
    counts[places] = lengths
    return SettledPairs(keys[order], grades[order], counts)
