"""Agreement between assessors: how alike several people grade the same documents, and how sure that is.

A unit is a (query, document) that at least two assessors graded. Every measure is a record with a
formula over sums of units, so that one formula gives the value, the values without each query
(the jackknife), and by a complex step the linearisation over documents.

One assessor is set beside the others who graded the same documents, each of these by their own
grade. No fold of the others enters: a highest or a latest grade would make everybody look strict,
and a middle one lose who is apart. Documents count alike, however many graded them.

References:
    Cohen 1960 and 1968, Conger 1980 (kappa); Scott 1955, Fleiss 1971 (fleiss); Gwet 2008 (AC1,
    AC2, errors over documents); Bennett, Alpert and Goldstein 1954, Brennan and Prediger 1981 (BP);
    Krippendorff 2011 (alpha); Cicchetti and Feinstein 1990 (positive, negative); McGraw and Wong
    1996 (ICC); Voorhees 2000 (overlap); Schouten 1982, Vanbelle and Albert 2009 (κ of an observer
    and a group).

    >>> rows = [("q", "a", "anna", 1), ("q", "a", "ben", 1), ("q", "b", "anna", 0), ("q", "b", "ben", 1)]
    >>> judged = AgreementData.of_columns(*zip(*rows))
    >>> [row.value for row in compute_agreement(judged, ["agree", "kappa"])]
    [0.5, 0.0]
    >>> beside = BesideOthers.of_columns([0, 0, 0], [2, 1, 0], [0, 1, 1, 2], [2, 0, 1, 0])
    >>> beside.find_kappa((0, 1, 2)).value, beside.find_difference().value
    (0.8235294117647058, 0.16666666666666666)
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import format_grade, plain_number
from judgetool.metrics.agreement_sums import (
    MOST_CELLS,
    STEP,
    AgreementData,
    Chance,
    JudgedScope,
    PairFormula,
    Params,
    SumTable,
    Values,
    agreed,
    alpha,
    chance_by_assessors,
    chance_by_levels,
    chance_by_shares,
    chance_by_spread,
    chance_corrected,
    divide,
    intraclass,
    intraclass_ends,
    jackknife_ends,
    level_weights,
    mean_correlation,
    negative,
    overlap,
    positive,
    rho,
    step_ends,
    tau,
)
from judgetool.metrics.measure import MeasureError
from judgetool.metrics.terms import FloatArray, IntArray
from judgetool.wording import N_, _

AgreementBy = Literal["query", "pair", "level"]
AgreementErrors = Literal["queries", "documents"]
AGREEMENT_BY: tuple[AgreementBy, ...] = get_args(AgreementBy)
AGREEMENT_ERRORS: tuple[AgreementErrors, ...] = get_args(AgreementErrors)
AGREEMENT_WEIGHTS = ("identity", "linear", "quadratic", "ordinal", "ratio")
ALL = "all"

_ALPHA_LEVELS = {
    "identity": "nominal",
    "ordinal": "ordinal",
    "quadratic": "interval",
    "ratio": "ratio",
}
_SHAPE = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<params>[^()]*)\))?\s*")
_PARAM = re.compile(r"\s*(?P<key>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^\s,'\"]+)\s*")


class AgreementMeasure(NamedTuple):
    """A measure of agreement with its parameters, in normal form.

    Attributes:
        name: a key of ``AGREEMENT_MEASURES``.
        params: name and value of each parameter that is not at its default, sorted.
    """

    name: str
    params: tuple[tuple[str, str | float], ...] = ()

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing.override is of 3.12
        """Return the measure as it is printed: ``kappa(weights='linear')``."""
        shown = ",".join(f"{key}={value!r}" for key, value in self.params)
        return f"{self.name}({shown})" if shown else self.name

    @property
    def spec(self) -> "AgreementSpec":
        """Its record."""
        return AGREEMENT_MEASURES[self.name]

    @property
    def settings(self) -> Params:
        """Every parameter with its value; a number that was not given is ``None``."""
        specs = self.spec.params
        defaults = {key: words[0] if words else None for key, words in specs.items()}
        return defaults | dict(self.params)

    @property
    def in_words(self) -> str:
        """What it is: ``Cohen's and Conger's κ, linear``."""
        return ", ".join([self.spec.title, *(str(value) for _, value in self.params)])

    def with_weights(self, weights: str) -> "AgreementMeasure":
        """Return the measure with weights, where it takes any and names none itself.

        Raises:
            MeasureError: alpha has no differences for these weights.
        """
        key = "level" if self.name == "alpha" else "weights"
        if key not in self.spec.params or key in dict(self.params):
            return self
        if key == "level" and weights not in _ALPHA_LEVELS:
            raise MeasureError(
                _("alpha has no {weights} weights; it takes {names}.").format(
                    weights=weights, names=", ".join(_ALPHA_LEVELS)
                ),
                text=str(self),
                suggestion="alpha(level='interval')",
            )
        value = _ALPHA_LEVELS[weights] if key == "level" else weights
        return _measure(self.name, {**dict(self.params), key: value})


class AgreementRow(NamedTuple):
    """The value of a measure in a scope.

    Attributes:
        measure: what was computed.
        scope: ``all``, a query's id, ``anna|ben`` or a grade.
        value: ``None`` where it is undefined.
        low: end of the 95 % interval, not below what the measure can be; ``None`` where there is
            none, or none was asked for.
        high: the other end, at most 1.
        reason: why there is no value or no interval; else ``""``.
        n_documents: on which it rests: those that were graded often enough for it.
    """

    measure: AgreementMeasure
    scope: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    n_documents: int = 0


# -- the measures

_WORDS = Mapping[str, tuple[str, ...]]
_NONE: _WORDS = {}


class AgreementSpec(NamedTuple):
    """A measure of agreement.

    Attributes:
        title: what it is, in a few words.
        formula: a value for each replicate of a table; ``None`` for a correlation.
        params: the values of each parameter, the default first; none for a number.
        aliases: other names.
        of_pair: the formula of a correlation.
        is_corrected: for chance, and so undefined of a single level.
        documents: how the error over documents is worked out.
        reason: why there may be no value though documents were graded twice.
        least: what it cannot be below, at which intervals are cut; ``None`` where that hangs on
            the weights and the number of levels.
    """

    title: str
    formula: Callable[[SumTable, Params], Values] | None = None
    params: _WORDS = _NONE
    aliases: tuple[str, ...] = ()
    of_pair: PairFormula | None = None
    is_corrected: bool = False
    documents: Literal["step", "without", "F"] = "without"
    reason: str = N_("its divisor is 0")
    least: float | None = 0.0


_W: _WORDS = {"weights": AGREEMENT_WEIGHTS}
_QUADRATIC: _WORDS = {"weights": ("quadratic", "identity", "linear", "ordinal", "ratio")}
_S: _WORDS = {"singles": ("drop", "count")}
_REL: _WORDS = {"rel": ()}
NOT_SHARED = N_("no document was graded by two assessors")
ONE_LEVEL = N_("there is one level only")
NO_INTERVAL = N_(
    "no interval: without one of the parts there is no value, or there is one part only"
)
"""Why there is no value or interval."""
_CHANCE = N_("the agreement by chance is 1")
_SAME = N_("an assessor gave all common documents the same grade")
_FEW = N_("too few documents were graded by every assessor, or all alike")


def _chance(
    title: str,
    chance: Chance,
    params: _WORDS,
    *aliases: str,
    least: float | None = -1.0,
) -> AgreementSpec:
    return AgreementSpec(
        title, chance_corrected(chance), params, aliases, None, True, "step", _CHANCE, least
    )


AGREEMENT_MEASURES: dict[str, AgreementSpec] = {
    "agree": AgreementSpec("share of agreeing pairs", agreed, _W, documents="step"),
    "kappa": _chance(
        "Cohen’s and Conger’s κ", chance_by_assessors, {**_W, **_S}, "cohen", "conger"
    ),
    "fleiss": _chance("Scott’s π and Fleiss’ κ", chance_by_shares, {**_W, **_S}, "pi", "scott"),
    "AC1": _chance("Gwet’s AC1", chance_by_spread, _S, "gwet"),
    "AC2": _chance("Gwet’s AC2", chance_by_spread, {**_QUADRATIC, **_S}, least=None),
    "BP": _chance(
        "Bennett’s S, Brennan and Prediger’s κ", chance_by_levels, _W, "S", "bennett", least=None
    ),
    "alpha": AgreementSpec(
        "Krippendorff’s α",
        alpha,
        {"level": ("nominal", "ordinal", "interval", "ratio")},
        ("krippendorff",),
        is_corrected=True,
        documents="step",
        reason=N_("all grades are the same"),
        least=-1.0,
    ),
    "positive": AgreementSpec(
        "agreement on relevant", positive, _REL, reason=N_("nobody called a document relevant")
    ),
    "negative": AgreementSpec(
        "agreement on not relevant", negative, _REL, reason=N_("nobody called one not relevant")
    ),
    "overlap": AgreementSpec(
        "relevant to all ÷ to any", overlap, _REL, reason=N_("no document is relevant to anybody")
    ),
    "ICC": AgreementSpec(
        "intraclass correlation of one assessor",
        intraclass,
        {"kind": ("agreement", "consistency", "oneway")},
        documents="F",
        reason=_FEW,
        least=None,
    ),
    "tau": AgreementSpec("Kendall’s τ-b", of_pair=tau, reason=_SAME, least=-1.0),
    "rho": AgreementSpec("Spearman’s ρ", of_pair=rho, reason=_SAME, least=-1.0),
}
_ALIASES = {alias: name for name, spec in AGREEMENT_MEASURES.items() for alias in spec.aliases}


def parse_agreement_measure(text: str) -> AgreementMeasure:
    """Return the measure that a text names: ``kappa``, ``cohen``, ``alpha(level='ordinal')``.

    Raises:
        MeasureError: there is none of this name, or a parameter does not fit.

    Examples:
        >>> str(parse_agreement_measure('Cohen(weights="linear", singles=drop)'))
        "kappa(weights='linear')"
    """
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise MeasureError(
            _("‘{text}’ does not read as a measure of agreement.").format(text=text), text=text
        )
    known = {name: name for name in AGREEMENT_MEASURES} | _ALIASES
    folded = {name.lower(): found for name, found in known.items()}
    name = known.get(shape["name"]) or folded.get(shape["name"].lower())
    if name is None:
        there = _("There is no measure of agreement ‘{name}’.").format(name=shape["name"])
        near = get_close_matches(shape["name"], known, n=1)
        all_names = ", ".join(AGREEMENT_MEASURES)
        seek = "" if near else " " + _("There are: {names}.").format(names=all_names)
        raise MeasureError(there + seek, text=text, suggestion=near[0] if near else "")
    given: dict[str, str | float] = {}
    for part in filter(str.strip, (shape["params"] or "").split(",")):
        found = _PARAM.fullmatch(part)
        if found is None:
            raise MeasureError(
                _("‘{text}’: ‘{part}’ does not read as parameter=value.").format(
                    text=text, part=part.strip()
                ),
                text=text,
            )
        if found["key"] in given:
            raise MeasureError(
                _("‘{text}’ gives {key} twice.").format(text=text, key=found["key"]), text=text
            )
        given[found["key"]] = found["value"].strip("'\"")
    return _measure(name, given)


def _measure(name: str, given: Mapping[str, str | float]) -> AgreementMeasure:
    """Return a measure in normal form."""
    specs = AGREEMENT_MEASURES[name].params
    params: list[tuple[str, str | float]] = []
    for key, value in sorted(given.items()):
        if key not in specs:
            there = _("{name} has no parameter ‘{key}’.").format(name=name, key=key)
            takes = _("It takes {names}.").format(names=", ".join(specs))
            takes = takes if specs else _("It takes none.")
            raise MeasureError(f"{there} {takes}", text=name)
        if not specs[key]:
            params.append((key, _number(name, key, value)))
        elif value not in specs[key]:
            raise MeasureError(
                _("{name}: {key} is one of {names}.").format(
                    name=name, key=key, names=", ".join(specs[key])
                ),
                text=name,
            )
        elif value != specs[key][0]:
            params.append((key, value))
    return AgreementMeasure(name, tuple(params))


def _number(name: str, key: str, value: str | float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise MeasureError(
            _("{name}: {key} is a number, not ‘{value}’.").format(name=name, key=key, value=value),
            text=name,
        )
    return plain_number(number)


DEFAULT_AGREEMENT: tuple[AgreementMeasure, ...] = tuple(
    map(
        parse_agreement_measure,
        ("agree", "kappa", "alpha(level='ordinal')", "AC1", "positive", "overlap"),
    )
)
"""What is computed where nothing is named."""


# -- values and intervals


def compute_agreement(
    data: AgreementData,
    measures: Iterable[AgreementMeasure | str] = DEFAULT_AGREEMENT,
    *,
    by: AgreementBy | None = None,
    errors: AgreementErrors | None = None,
) -> list[AgreementRow]:
    """Return the values of measures in each scope, those of all judgments last.

    Args:
        data: who judged what.
        measures: themselves or their names.
        by: with the scopes of each query, each two assessors, or each level against the rest.
            Queries and pairs without a common document are left out.
        errors: with 95 % intervals: by the jackknife that leaves out a query at a time, or over
            documents (also where the scope has one query).

    Returns:
        A row for each scope and measure. Without a document that two graded every value is ``None``.

    Raises:
        MeasureError: a measure that there is not.
    """
    wanted = [parse_agreement_measure(m) if isinstance(m, str) else m for m in measures]
    rows = []
    for name, part in _scopes(data, by):
        scopes: dict[int, JudgedScope] = {}
        for measure in wanted:
            is_counted = "singles" in dict(measure.params)
            least = 1 if is_counted else 2
            if least not in scopes:
                scopes[least] = JudgedScope(part, least=least)
            rows.append(_row(name, scopes[least], measure, errors))
    return rows


def _scopes(data: AgreementData, by: AgreementBy | None) -> Iterator[tuple[str, AgreementData]]:
    shared = JudgedScope(data)
    if by == "query":
        for query in np.unique(shared.data.queries).tolist():
            yield data.query_ids[query], data.of_rows(data.queries == query)
    elif by == "pair":
        first, second = shared.pairs
        for code in np.unique(shared.who[first] * len(data.names) + shared.who[second]).tolist():
            pair = [data.names[place] for place in divmod(code, len(data.names))]
            yield "|".join(pair), data.of_assessors(pair)
    elif by == "level":
        for place, grade in enumerate(data.levels.tolist()):
            yield format_grade(grade), data.against_rest(place)
    yield ALL, data


def _row(
    name: str, scope: JudgedScope, measure: AgreementMeasure, errors: AgreementErrors | None
) -> AgreementRow:
    reason = _nothing(scope, measure)
    value = np.nan if reason else _value(scope, measure)
    found = AgreementRow(measure, name, None, n_documents=scope.n_units)
    if np.isnan(value):
        return found._replace(reason=reason or measure.spec.reason)
    if errors is None:
        return found._replace(value=value)
    ends = _interval(scope, measure, value, errors)
    return _with_interval(found, value, ends, _least(scope, measure))


def _with_interval(
    row: AgreementRow, value: float, ends: tuple[float, float], least: float | None
) -> AgreementRow:
    """Return a row with a value and its interval, whose ends are NaN where there is none."""
    low, high = ends
    if np.isnan(low) or np.isnan(high):
        return row._replace(value=value, reason=NO_INTERVAL)
    low = low if least is None else max(low, min(least, value))
    return row._replace(value=value, low=low, high=min(high, 1.0))


def _least(scope: JudgedScope, measure: AgreementMeasure) -> float | None:
    """Return what the measure cannot be below; ``None`` where that is not known."""
    if measure.name != "BP":
        return measure.spec.least
    # Its chance is known: nothing agrees at all.
    weights = level_weights(str(measure.settings["weights"]), scope.levels)
    chance = float(chance_by_levels(SumTable(scope), weights)[0])
    return -chance / (1 - chance)


def _nothing(scope: JudgedScope, measure: AgreementMeasure) -> str:
    """Return why nothing can be computed at all; else an empty text."""
    if not scope.is_unit.any():
        return NOT_SHARED
    if measure.spec.is_corrected and len(scope.levels) < 2:
        return ONE_LEVEL
    is_ratio = "ratio" in dict(measure.params).values()
    return N_("ratios need grades from 0 on") if is_ratio and scope.levels[0] < 0 else ""


def _value(scope: JudgedScope, measure: AgreementMeasure) -> float:
    spec = measure.spec
    if spec.of_pair:
        return mean_correlation(scope, spec.of_pair, None)[0]
    assert spec.formula is not None
    return float(spec.formula(SumTable(scope), measure.settings)[0])


def _interval(
    scope: JudgedScope, measure: AgreementMeasure, value: float, errors: AgreementErrors
) -> tuple[float, float]:
    """Return the ends of the interval, NaN where there is none."""
    documents = measure.spec.documents
    with_units = np.unique(scope.query_of[scope.is_unit])
    if errors == "queries" and len(with_units) > 1:
        found = _replicates(scope, measure, "without", scope.query_of)[with_units]
        return jackknife_ends(value, found)
    if documents == "F":
        return intraclass_ends(scope, measure.settings, value)
    if scope.n_units < 2:
        return np.nan, np.nan
    found = _replicates(scope, measure, documents, np.arange(scope.n_units))
    return jackknife_ends(value, found) if documents == "without" else step_ends(value, found)


def _replicates(
    scope: JudgedScope,
    measure: AgreementMeasure,
    kind: Literal["without", "step"],
    groups: IntArray,
) -> Values:
    """Return a value for each group of units, in blocks that fit into memory."""
    spec = measure.spec
    if spec.of_pair:
        return mean_correlation(scope, spec.of_pair, groups)[1]
    assert spec.formula is not None
    n = int(groups.max(initial=-1)) + 1
    step = max(1, MOST_CELLS // (len(scope.levels) * max(scope.n_assessors, 1)))
    tables = (
        SumTable(scope, kind, groups, start, min(start + step, n)) for start in range(0, n, step)
    )
    return np.concatenate([spec.formula(table, measure.settings) for table in tables])


LEAST_DOCUMENTS = 10
"""Of an interval that is shown: two documents graded alike have one without width."""
LINEAR_KAPPA = parse_agreement_measure("kappa(weights='linear')")
"""By what one assessor is set beside the others."""


# -- one assessor beside the others


class MeanDifference(NamedTuple):
    """How much higher one assessor grades than the others, on average.

    Attributes:
        value: mean over documents of the one's grade less the mean of the others'; ``None``
            without a document.
        low: end of the 95 % interval; ``None`` where there is none.
        high: the other end.
        n: documents.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def sign(self) -> int:
        """1 or −1 where the interval lies on one side of 0; else 0."""
        if self.low is None or self.high is None:
            return 0
        return int(self.low > 0) - int(self.high < 0)


class BesideOthers(NamedTuple):
    """What one assessor graded, and what each of the others graded of the same documents.

    Attributes:
        queries: number of the query of each document, shape (n,).
        grades: the one's, shape (n,).
        rows: the document of each grade of another, rising, shape (m,); each document has one or
            more.
        others: these grades, shape (m,).
    """

    queries: IntArray
    grades: FloatArray
    rows: IntArray
    others: FloatArray

    @staticmethod
    def of_columns(
        queries: npt.ArrayLike, grades: npt.ArrayLike, rows: npt.ArrayLike, others: npt.ArrayLike
    ) -> "BesideOthers":
        """Return it with the columns as arrays; documents that nobody else graded are left out."""
        row = np.asarray(rows, np.int64)
        kept, numbered = np.unique(row, return_inverse=True)
        return BesideOthers(
            np.asarray(queries, np.int64)[kept],
            np.asarray(grades, np.float64)[kept],
            numbered.astype(np.int64),
            np.asarray(others, np.float64),
        )

    def of_documents(self, kept: IntArray) -> "BesideOthers":
        """Return some of the documents, by their places, rising, shape (k,)."""
        is_kept = np.isin(self.rows, kept)
        rows = np.searchsorted(kept, self.rows[is_kept]).astype(np.int64)
        return self._replace(
            queries=self.queries[kept],
            grades=self.grades[kept],
            rows=rows,
            others=self.others[is_kept],
        )

    @property
    def n(self) -> int:
        """How many documents there are."""
        return len(self.grades)

    @property
    def _share(self) -> FloatArray:
        """The part of its document that each grade of another is, shape (m,)."""
        share: FloatArray = 1 / np.bincount(self.rows, minlength=self.n)[self.rows]
        return share

    def find_difference(self) -> MeanDifference:
        """Return how much higher the one grades than the others' mean, with the jackknife's interval.

        The jackknife leaves out a query at a time: of one query, as of very few documents, there is none.
        """
        n = self.n
        if not n:
            return MeanDifference(None, None, None, 0)
        apart = self.grades - np.bincount(self.rows, self.others * self._share, n)
        value = float(apart.mean())
        groups = self._groups()
        if n < LEAST_DOCUMENTS or groups[-1] == 0:
            return MeanDifference(value, None, None, n)
        left = (apart.sum() - np.bincount(groups, apart)) / (n - np.bincount(groups))
        return MeanDifference(value, *jackknife_ends(value, left), n)

    def _groups(self) -> IntArray:
        """Return the number of each document's query among those that occur, rising, shape (n,)."""
        return np.unique(self.queries, return_inverse=True)[1].astype(np.int64)

    def find_kappa(self, levels: Sequence[float]) -> AgreementRow:
        """Return κ with linear weights, with its 95 % interval over queries, of one over documents.

        With a single other it is Cohen's κ. With several, what is agreed is the mean over
        documents of the mean over the others; by chance it is so with the one's shares of levels
        and the others' mean shares.

        Args:
            levels: of the scale; grades that occur besides are added.
        """
        row = AgreementRow(LINEAR_KAPPA, ALL, None, n_documents=self.n)
        every = np.unique(np.concatenate((self.grades, self.others, np.array(levels, np.float64))))
        if not self.n:
            return row._replace(reason=NOT_SHARED)
        weights = level_weights("linear", every)
        sums = self._sums(every, weights)
        value = float(_kappa(sums.sum(axis=0)[None], weights)[0])
        spec = LINEAR_KAPPA.spec
        if np.isnan(value):
            return row._replace(reason=spec.reason)
        return _with_interval(row, value, self._ends(sums, weights, value), spec.least)

    def _sums(self, levels: FloatArray, weights: FloatArray) -> FloatArray:
        """Return by document 1, what is agreed, the one's level, the others' shares: (n, 2 + 2q)."""
        n, q = self.n, len(levels)
        own, other = (np.searchsorted(levels, each) for each in (self.grades, self.others))
        found = np.zeros((n, 2 + 2 * q))
        found[:, 0] = 1.0
        found[:, 1] = np.bincount(self.rows, weights[own[self.rows], other] * self._share, n)
        found[np.arange(n), 2 + own] = 1.0
        np.add.at(found, (self.rows, 2 + q + other), self._share)
        return found

    def _ends(self, sums: FloatArray, weights: FloatArray, value: float) -> tuple[float, float]:
        total, groups = sums.sum(axis=0), self._groups()
        if groups[-1] > 0:
            own = np.zeros((groups[-1] + 1, len(total)))
            np.add.at(own, groups, sums)
            return jackknife_ends(value, _kappa(total - own, weights))
        if self.n < 2:
            return np.nan, np.nan
        return step_ends(value, _kappa(total + 1j * STEP * sums, weights))


def _kappa(sums: Values, weights: FloatArray) -> Values:
    """Return κ of sums of documents, shape (replicates, 2 + 2q); NaN where chance agreement is 1."""
    q = len(weights)
    shares = sums[:, 1:] / sums[:, :1]
    agreed, own, others = shares[:, 0], shares[:, 1 : 1 + q], shares[:, 1 + q :]
    expected = ((own @ weights) * others).sum(axis=1)
    return divide(agreed - expected, 1 - expected)
