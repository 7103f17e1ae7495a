"""What a measure's record is: name, parameters, rule, and the terms that its value is made of.

A record is the one place where a measure is written down. Its terms are evaluated on two
kinds of tops: of what is judged in many rankings (the engine's values), and of whole
rankings under given grades (intervals, stakes, explanations). Arrays by document may be
added, multiplied and compared freely; what goes along a ranking is asked of the tops.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from judgetool.wording import N_, stated

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
Numbers = AnyArray | float


DECIMALS = 6
"""Two more than a value has: what is shown of its terms gives it again."""


class Column(NamedTuple):
    """One column of an explanation, after rank and grade.

    Attributes:
        key: name in JSON.
        head: short, for a narrow panel.
        decimals: to show; 0 for counts, ``DECIMALS`` for what may need more to give the value.
        is_main: whether a narrow panel shows it; all others are for the wide forms.
    """

    key: str
    head: str
    decimals: int = DECIMALS
    is_main: bool = True


class Layout(NamedTuple):
    """How the terms of one ranking are laid out in an explanation.

    Attributes:
        columns: with their numbers, one per counted document; a column may go on below
            the last of them (the ideal order), NaN is an empty cell.
        above: words for the sum.
        adds: key of the column that is added up.
        constant: added to the sum: what no row holds.
        notes: further lines of the foot.
        line: left side of the last line where it is not the sum and the divisor.
        is_count: whether the value is a whole number.
    """

    columns: Mapping[Column, FloatArray]
    above: str
    adds: str = "adds"
    constant: float = 0.0
    notes: tuple[str, ...] = ()
    line: str = ""
    is_count: bool = False


class Divisor(NamedTuple):
    """What a sum is divided by.

    Attributes:
        words: such as ``min(k, R)``; empty when there is none.
        number: by ranking; where it is 0 the value is 0.
        needs: where this is 0 the value is undefined, whatever the divisor.
        key: of the column whose sum it is; else empty.
    """

    words: str = ""
    number: Numbers | None = None
    needs: AnyArray | None = None
    key: str = ""


NO_DIVISOR = Divisor()


@dataclass(slots=True, eq=False)
class Terms:
    """What a value is made of: factor × inner × Σ adds ÷ divisor.

    Numbers by document have the shape of the tops' worths, those by ranking (B,).

    Attributes:
        adds: what each document adds, without ``inner``.
        by: what the sum is divided by.
        layout: the explanation, where there is one ranking; ``None`` for none at all.
        inner: multiplied after adding; an explanation shows it in each addend.
        factor: multiplied after adding; an explanation shows it before the sum.
        weights: what a document that is certain to be useful and is reached adds at each
            rank; of the rules ``first`` and ``reader``.
        value: the value, where adding up would not give it, or not its last digits.
    """

    adds: FloatArray | None = None
    by: Divisor = NO_DIVISOR
    layout: Callable[[], Layout] | None = None
    inner: float = 1.0
    factor: float = 1.0
    weights: FloatArray | None = None
    value: FloatArray | None = None


FactKind = Literal["clicks", "subtopics", "samples", "lengths"]
"""What may be known of documents beside their grades, and needs a file of its own."""


class FactRow(NamedTuple):
    """What is known of one query's documents beside their grades, of one kind.

    Attributes:
        ranks: of the documents of the ranking of which it is known, from 1, rising, shape (n,).
        numbers: of these documents, shape (n, columns); the columns are those of the kind.
        pool: of all documents of the query, retrieved or not, by id, shape (m, columns).
    """

    ranks: IntArray
    numbers: FloatArray
    pool: FloatArray

    def by_rank(self, depth: int) -> FloatArray:
        """Return the numbers of the first ranks, 0 where nothing is known, shape (depth, columns)."""
        found = np.zeros((depth, self.numbers.shape[1]))
        is_shown = self.ranks <= depth
        found[self.ranks[is_shown] - 1] = self.numbers[is_shown]
        return found

    def condensed(self, ranks: IntArray) -> "FactRow":
        """Return the same of the ranking that has the documents of these ranks alone, rising."""
        is_kept = np.isin(self.ranks, ranks)
        kept = np.searchsorted(ranks, self.ranks[is_kept]) + 1
        return FactRow(kept, self.numbers[is_kept], self.pool)


class JudgedRow(NamedTuple):
    """The judged documents of one ranking, for measures that compare orders.

    Attributes:
        grades: best rank first, shape (n,).
        worth: of these documents, shape (n,).
        ranks: of these documents, from 1, shape (n,).
        length: documents of the ranking.
        n_shown: ranks that the measure looks at.
        ideal: all judged grades above 0, falling, retrieved or not, shape (m,).
        pool: worths of all judged documents of the query, retrieved or not, shape (p,).
        facts: what is known beside grades, by kind; without the kinds that are not known.
    """

    grades: FloatArray
    worth: FloatArray
    ranks: IntArray
    length: int
    n_shown: int
    ideal: FloatArray
    pool: FloatArray
    facts: Mapping["FactKind", "FactRow"]


class Resolved(Protocol):
    """A measure with its parameters, as terms see it."""

    @property
    def spec(self) -> "MeasureSpec":
        """The record."""

    @property
    def values(self) -> Mapping[str, Any]:
        """All parameters by name."""

    @property
    def cutoff(self) -> int | None:
        """Number of ranks looked at."""


class Tops:
    """The ranks of B rankings that a measure looks at: whole rankings under given grades, a row each.

    :class:`~judgetool.metrics.values.SparseTops` holds what is judged of many rankings alone.

    Args:
        measure: whose terms are evaluated.
        worth: by rank, of the whole rankings or of what the measure looks at, shape (B, n);
            0 where unjudged and after the end.
        lengths: documents retrieved, shape (B,) or (1,).
        n_relevant: R, shape (B,); 0 for measures that do not ask for it.
        n_nonrelevant: judged documents that are not relevant, shape (B,).
        judged: which are judged, shape (B, n) or (1, n); ``None`` for all.
        pooled: which belong to the pool, likewise.
        pool: worths of all documents of the query, shape (B, m) or (1, m); for the ideal.
        explained: the judged documents of the one ranking whose terms are laid out.

    Attributes:
        measure: as given.
        params: of the measure, defaults included.
        cutoff: of the measure.
        lengths: as given.
        depth: k, or the length of each ranking for a measure without a cutoff.
        is_explained: whether this is one whole ranking whose terms are laid out.
    """

    is_explained = False

    def __init__(  # noqa: PLR0913 - what a measure may look at
        self,
        measure: Resolved,
        worth: FloatArray,
        lengths: AnyArray,
        n_relevant: npt.ArrayLike = 0.0,
        n_nonrelevant: npt.ArrayLike = 0.0,
        *,
        judged: BoolArray | None = None,
        pooled: BoolArray | None = None,
        pool: FloatArray | None = None,
        explained: JudgedRow | None = None,
    ) -> None:
        self.measure = measure
        self.params = measure.values
        self.cutoff = measure.cutoff
        self.lengths = lengths
        self.depth: Numbers = lengths if self.cutoff is None else float(self.cutoff)
        self._whole = worth
        self._pool = worth if pool is None else pool
        self._counts = np.asarray(n_relevant), np.asarray(n_nonrelevant)
        self._marks = judged, pooled
        self._explained = explained
        self.is_explained = explained is not None

    def number(self, name: str) -> float:
        """Return a numeric parameter."""
        return float(self.params[name])

    @cached_property
    def worth(self) -> FloatArray:
        """Relevance, gain or probability by document; 0 where nobody judged."""
        return self._whole[:, : self.cutoff]

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each document, from 1, by document."""
        return np.arange(1, self.worth.shape[1] + 1)

    @property
    def judged(self) -> BoolArray:
        """Whether somebody judged it, by document."""
        return self._marked(self._marks[0])

    @property
    def pooled(self) -> BoolArray:
        """Whether it is of the pool, by document."""
        return self._marked(self._marks[1])

    def _marked(self, marks: BoolArray | None) -> BoolArray:
        return np.ones((1, len(self.ranks)), bool) if marks is None else marks[:, : len(self.ranks)]

    @property
    def n_relevant(self) -> AnyArray:
        """R, retrieved or not, shape (B,)."""
        return self._counts[0]

    @property
    def n_nonrelevant(self) -> AnyArray:
        """Judged documents that are not relevant, retrieved or not, shape (B,)."""
        return self._counts[1]

    def sum(self, numbers: FloatArray) -> FloatArray:
        """Add one number per document, ranking by ranking, shape (B,)."""
        total: FloatArray = numbers.sum(axis=1)
        return total

    def cumulate(self, numbers: AnyArray) -> FloatArray:
        """Add along each ranking up to and with each document, by document."""
        return np.cumsum(numbers, axis=1, dtype=np.float64)

    def at(self, by_row: AnyArray) -> AnyArray:
        """Turn one number per ranking into one by document."""
        return by_row[..., None]

    def reach(self, stay: FloatArray) -> FloatArray:
        """Return the product of what stands above in the ranking, by document; 1 for the first."""
        reached = np.ones_like(stay)
        np.cumprod(stay[:, :-1], axis=1, out=reached[:, 1:])
        return reached

    def best(self, numbers: FloatArray, masks: Iterable[BoolArray]) -> list[FloatArray]:
        """Return the greatest numbers of each ranking from some document on, 0 without any.

        Args:
            numbers: by document, none negative.
            masks: by document, each true from some document of a ranking on.

        Returns:
            For each mask shape (B,).
        """
        if not numbers.shape[1]:
            return [np.zeros(len(numbers)) for _ in masks]
        best = np.maximum.accumulate(numbers[:, ::-1], axis=1)[:, ::-1]
        return [
            np.take_along_axis(best, mask.argmax(axis=1)[:, None], axis=1)[:, 0] * mask[:, -1]
            for mask in masks
        ]

    @property
    def ideal(self) -> FloatArray:
        """DCG of the ideal order, shape (B,) or (1,)."""
        best = self.ideal_gains
        return np.asarray(best @ discounts(best.shape[1]), dtype=np.float64)

    @property
    def ideal_gains(self) -> FloatArray:
        """Worths of the ideal order, best first, as far as the measure looks, shape (B or 1, m)."""
        kind = self.params["ideal"]
        pool = self._whole if kind == "retrieved" else self._pool
        best = -np.sort(-pool, axis=1)[:, : None if kind == "uncut" else self.cutoff]
        if kind == "length":
            best = best[:, : int(self.lengths.max(initial=0))]
            best = np.where(np.arange(best.shape[1]) < self.lengths[:, None], best, 0.0)
        return best

    def judged_rows(self) -> Iterator[JudgedRow]:
        """Yield the judged documents of each ranking."""
        assert self._explained is not None
        yield self._explained

    @cached_property
    def found(self) -> AnyArray:
        """The sum of worths, shape (B,)."""
        return self.sum(self.worth)

    @cached_property
    def found_so_far(self) -> AnyArray:
        """The sum of worths up to and with each document, by document."""
        return self.cumulate(self.worth)

    @property
    def discounted(self) -> FloatArray:
        """Worth by log2(rank + 1), by document."""
        return self.worth / log2_of(self.ranks)

    def powers(self, base: float) -> FloatArray:
        """Return base^(rank − 1) by document."""
        exponents = self.ranks - 1
        return _power_table(base, _rounded(exponents))[exponents]

    def divisor(self, by: str) -> Divisor:
        """Return what relevant documents found are divided by.

        Args:
            by: ``k``, ``retrieved`` (min(k, n)), ``found``, ``min`` (min(k, R)) or ``relevant``.
        """
        size = "n" if self.cutoff is None else "k"
        if by == "retrieved":
            words = "n" if size == "n" else "min(k, n)"
            return Divisor(words, np.minimum(self.depth, self.lengths))
        found = self.found if by == "found" else 0.0
        total = 0.0 if by in ("k", "found") else self.n_relevant
        needs = None if isinstance(total, float) else total
        words = {"k": size, "found": "found", "min": f"min({size}, R)"}.get(by, "R")
        return Divisor(words, choose_divisor(by, self.depth, found, total), needs)


def choose_divisor(by: str, depth: Numbers, found: Numbers, total: Numbers) -> Numbers:
    """Return what ``norm=`` of AP says: ``k``, ``found``, ``min`` (of k and R) or else R."""
    if by == "min":
        return np.minimum(depth, total)
    return {"k": depth, "found": found}.get(by, total)


def ratio(above: npt.ArrayLike, below: npt.ArrayLike) -> FloatArray:
    """Divide element by element; where the divisor is 0 the result is 0."""
    top, bottom = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    result = np.zeros(np.broadcast(top, bottom).shape)
    np.divide(top, bottom, out=result, where=bottom != 0)
    return result


# Tables by rank come from math, one by one: numpy may pick another routine on another
# processor, and sums would differ from trec_eval's in the last bit.


@cache
def _log2_table(size: int) -> FloatArray:
    table = np.array([1.0, *(math.log2(rank + 1) for rank in range(1, size))])
    table.flags.writeable = False
    return table


@cache
def _power_table(base: float, size: int) -> FloatArray:
    table = np.array([base**exponent for exponent in range(size)])
    table.flags.writeable = False
    return table


def _rounded(numbers: IntArray) -> int:
    """Return a size beyond all numbers: a power of two, so that few tables are ever made."""
    return max(1024, 1 << int(numbers.max(initial=1)).bit_length())


def log2_of(ranks: IntArray) -> FloatArray:
    """Return log2(rank + 1) of each rank."""
    return _log2_table(_rounded(ranks))[ranks]


def discounts(n: int) -> FloatArray:
    """Return 1 / log2(rank + 1) for the ranks 1 to n."""
    return 1.0 / log2_of(np.arange(1, n + 1))


GainMap = tuple[tuple[float, float], ...]
ParamValue = bool | int | float | str | GainMap | None
Cutoff = Literal["required", "optional", "none"]
Uses = Literal["relevance", "gain", "share", "grade", "p", "clicks", "nothing"]
Pooling = Literal["mean", "sum", "geometric"]
Rule = (
    Literal["linear", "first", "shared", "squared", "reader", "precision", "r_precision"]
    | Literal["placed", "ratio", "number", "present", "wide"]
)


class ParamSpec(NamedTuple):
    """One parameter of a measure.

    Attributes:
        name: as written in ``Name(param=value)``.
        kind: ``number``, ``flag`` (True or False), ``word`` or ``gains`` (``{grade: gain}``).
        default: what counts when it is not given; ``None`` stands for 'as the scale says'.
        words: allowed words; a ``number`` may allow some, too.
        lowest: smallest allowed number.
        highest: largest allowed number, ``None`` for no bound.
        is_open: whether the two ends themselves are not allowed.
        help: one plain sentence.
    """

    name: str
    kind: Literal["number", "flag", "word", "gains"]
    default: ParamValue
    help: str
    words: tuple[str, ...] = ()
    lowest: float = 0.0
    highest: float | None = None
    is_open: bool = False

    @property
    def allowed(self) -> str:
        """What may be written, in words: ``'log2' or 'exp-log2'``, ``a number from 0 to 1``."""
        words = ["True", "False"] if self.kind == "flag" else [repr(word) for word in self.words]
        if self.kind == "gains":
            words = [stated("gains by grade such as {example}", example="{1: 3, 2: 9}")]
        elif self.kind == "number":
            words = [*words, self._range()]
        return reduce(lambda one, other: stated("{one} or {other}", one=one, other=other), words)

    def _range(self) -> str:
        said = N_("a number above {low}") if self.is_open else N_("a number from {low}")
        if self.highest is not None:
            closed = N_("a number from {low} to {high}")
            said = N_("a number between {low} and {high}") if self.is_open else closed
        return stated(said, low=f"{self.lowest:g}", high=f"{self.highest or 0:g}")


class MeasureSpec(NamedTuple):
    """The record of a measure: all that is known of it by its name.

    Attributes:
        name: canonical name, case matters.
        title: for people, such as ``Average precision``.
        formula: the definition in symbols.
        help: the meaning in one or two plain sentences.
        source: paper or tool.
        example: a valid spelling.
        terms: the definition: what each document adds, and what divides the sum.
        rule: how grades move the value, from which intervals and stakes follow:

            * ``linear``: each document adds by its own worth and rank alone;
            * ``first``: the first relevant document decides, the sooner the better;
            * ``shared``: relevant documents found by a divisor that R alone moves;
              ``squared``: the same of their square;
            * ``reader``: a reader goes down and may stop at each document;
            * ``placed``: for a given R, the higher relevant documents stand the greater;
              ``precision`` and ``r_precision`` are AP and Rprec alone, of which more is known;
            * ``ratio``: nDCG alone: DCG by that of the ideal order, as its ``ideal`` says;
            * ``number``: R itself;
            * ``present``: no grading changes it: it states what is;
            * ``wide``: nobody has worked it out: the whole range, and it is called so. Terms
              that are made by :func:`~judgetool.metrics.measures_relevance.by_row` have it.
        rule_if: a parameter, and the rule where it is given.
        params: what may stand in brackets, sorted by name.
        needs_cutoff: whether ``@k`` is ``required``, ``optional`` or ``none``.
        lowest: smallest possible value.
        highest: largest possible value whatever the scale, ``None`` when unbounded.
        may_exceed: whether a value may pass ``highest`` a little: its ideal is made rank by rank.
        divides_by_relevant: whether it is undefined for a query without relevant documents.
        pooling: how the values of queries become one: ``mean``, ``sum`` or ``geometric``.
        uses: what it takes from the scale: ``relevance``, ``gain``, ``share`` (gain by the
            highest), ``grade``, ``p``, ``clicks`` (of the import) or ``nothing``.
        sees: which documents play a part: those ``useful`` (worth more than 0), all
            ``judged``, or all of the ``pool``. Where it is more than the useful ones, a
            document judged not relevant is another thing than one that nobody judged.
        skips_unjudged: whether it goes by the judged documents as if there were no others.
        counts_judgments: whether it says how much is judged, which an assumed grade
            leaves as it is.
        is_quality: whether more of it is better: not so of what counts the judged, nor of other
            counts. ``rule_if`` makes it so.
        facts: what it reads beside grades; empty for none. Of it an engine may know nothing.
        at: parameter that ``@`` sets; ``cutoff`` except for interpolated precision.
        trec: trec_eval's name of it without parameters; empty for none.
        trec_cut: trec_eval's name of it with a cutoff, without the number.
        synonyms: other names that mean it, of ranx and others.
    """

    name: str
    title: str
    formula: str
    help: str
    source: str
    example: str
    terms: Callable[[Tops], Terms]
    rule: Rule
    rule_if: tuple[str, Rule] | None = None
    params: tuple[ParamSpec, ...] = ()
    needs_cutoff: Cutoff = "none"
    lowest: float = 0.0
    highest: float | None = 1.0
    may_exceed: bool = False
    divides_by_relevant: bool = False
    pooling: Pooling = "mean"
    uses: Uses = "relevance"
    sees: Literal["useful", "judged", "pool"] = "useful"
    skips_unjudged: bool = False
    counts_judgments: bool = False
    is_quality: bool = True
    facts: FactKind | Literal[""] = ""
    at: str = "cutoff"
    trec: str = ""
    trec_cut: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def has_query_values(self) -> bool:
        """Whether it means something for one query; trec_eval prints others for all only."""
        return self.pooling != "geometric" and self.name != "NumQ"

    @property
    def needs_facts(self) -> bool:
        """Whether grades alone never give a value; without subtopics, a query is its only one."""
        return self.facts not in ("", "subtopics")

    @property
    def defaults(self) -> dict[str, ParamValue]:
        """What each parameter is where it is not given."""
        return {param.name: param.default for param in self.params}

    def find_param(self, name: str) -> ParamSpec | None:
        """Return the parameter of this name, or ``None``."""
        return next((param for param in self.params if param.name == name), None)

    def geometric(self, name: str, help_text: str, source: str, trec: str) -> "MeasureSpec":
        """Return the same measure whose mean over queries is geometric."""
        return self._replace(
            name=name,
            title=f"Geometric mean {self.title.lower()}",
            formula=f"per query {self.name}; over queries exp(mean(log(max({self.name}, 0.00001))))",
            help=help_text,
            source=source,
            example=name,
            needs_cutoff="none",
            params=tuple(param for param in self.params if param.name != "norm"),
            pooling="geometric",
            trec=trec,
            trec_cut="",
            synonyms=(),
        )


TREC_EVAL = "trec_eval 9.0.8"
REL = ParamSpec(
    "rel",
    "number",
    None,
    "Lowest grade that counts as relevant; without it, the scale’s.",
    lowest=0,
)
JUDGED_ONLY = ParamSpec(
    "judged_only", "flag", False, "Take unjudged documents out of the ranking first."
)
BINARY = (JUDGED_ONLY, REL)


def persistence_param(default: float, text: str) -> ParamSpec:
    """Return a probability of going on, strictly between 0 and 1."""
    return ParamSpec("p", "number", default, text, lowest=0, highest=1, is_open=True)
