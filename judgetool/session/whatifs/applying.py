"""Applying rules to rankings, and fusing rankings.

What rules ask of documents is read once, then rankings follow in one go. Fused are ranks, or scores
brought to one scale, each with a weight.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from judgetool.core.clock import read_date
from judgetool.core.judgments import Query
from judgetool.core.number_text import with_point
from judgetool.core.rankings import FloatArray, IntArray
from judgetool.core.score_formulas import compute_formula, read_number
from judgetool.errors import InputError
from judgetool.formats.records import readings
from judgetool.metrics import RunBlock
from judgetool.session.commands import IsCancelled, Progress, checker
from judgetool.session.whatifs.rules import Condition, Match, Question, Rule
from judgetool.storage.damage import parse_object
from judgetool.storage.material import DocumentTexts
from judgetool.wording import N_, _, local_number

Method = Literal["ranks", "scores"]
DEFAULT_K = 60
_ROWS_AT_ONCE = 256
_DAY_MS = 86_400_000
_ENDED = N_("The rules were not applied: it was cancelled.")
_COMPARE: dict[str, Callable[..., npt.NDArray[np.bool_]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
Names = Callable[[Sequence[int]], Mapping[int, str]]
"""Gives external ids of some documents, or of all."""


class Fused(NamedTuple):
    """Rankings fused.

    Attributes:
        block: the rankings.
        scores: what each result is worth, shape (n_results,).
    """

    block: RunBlock
    scores: FloatArray


class Fusion(NamedTuple):
    """How rankings are made into one.

    Attributes:
        method: ``ranks``: the sum of weight / (k + rank) (reciprocal rank fusion); ``scores``:
            the sum of weight × score, the scores of each run and query brought to 0 to 1.
        k: of ranks, from 0: how little the first ranks count more than the next.
        weights: of each run, from 0; ``()`` is 1 for each.
        has_ties_by_id: equal sums stand as trec_eval has them, by document id falling; else,
            as versions before 0.3 had them, by the better best rank, then by number.
    """

    method: Method = "ranks"
    k: int = DEFAULT_K
    weights: tuple[float, ...] = ()
    has_ties_by_id: bool = True

    def describe(self, names: Sequence[str]) -> str:
        """Return it in words, such as ``ranks of a and 2 × b, k = 60``.

        Args:
            names: of the runs.
        """
        weights = self.weights or (1.0,) * len(names)
        parts = [
            name if weight == 1 else f"{local_number(f'{weight:g}')} × {name}"
            for name, weight in zip(names, weights, strict=True)
        ]
        runs = " + ".join(parts)
        if self.method == "ranks":
            return f"{runs}, k = {self.k}"
        return _("{runs}, by scores").format(runs=runs)


def fuse_rrf(
    rankings: Sequence[npt.NDArray[np.integer]], *, names: Names | None = None
) -> IntArray:
    """Return several rankings of one query as one, by reciprocal rank fusion.

    A document's score is the sum of 1/(``DEFAULT_K`` + rank) over the rankings that hold it.

    Args:
        rankings: documents best first, each once in a ranking.
        names: gives the ids by which equal scores are ordered; ``None`` for best rank and number.

    Returns:
        Every document of any ranking once, best first, int32: in whatever order the rankings
        are given.

    References:
        Cormack, Clarke and Büttcher 2009.

    Examples:
        >>> fuse_rrf([np.array([1, 2, 3]), np.array([3, 1])]).tolist()
        [1, 3, 2]
    """
    parts = [np.asarray(ranking, dtype=np.int32) for ranking in rankings]
    blocks = [RunBlock(np.array([0, len(part)]), part) for part in parts]
    fusion = Fusion(has_ties_by_id=names is not None)
    return fuse_blocks(blocks, fusion, names=names).block.documents


def fuse_blocks(
    blocks: Sequence[RunBlock],
    fusion: Fusion,
    *,
    scores: Sequence[FloatArray] = (),
    names: Names | None = None,
) -> Fused:
    """Return several runs as one, query by query: A with B is B with A.

    Args:
        blocks: of the same queries, at least one.
        fusion: how.
        scores: of each block's results, where scores are fused.
        names: gives the ids of documents of equal sums; for ties by id.

    Raises:
        ValueError: there is no run, k is below 0, or there are other weights than runs.
    """
    weights = fusion.weights or (1.0,) * len(blocks)
    if not blocks or fusion.k < 0 or len(weights) != len(blocks):
        raise ValueError(_("fusion needs at least one run, a k from 0 and a weight for each run"))
    rows = [np.repeat(np.arange(len(each.lengths)), each.lengths) for each in blocks]
    ranks = [
        np.arange(1, len(row) + 1) - each.offsets[row]
        for row, each in zip(rows, blocks, strict=True)
    ]
    if fusion.method == "ranks":
        worth = [1.0 / (fusion.k + each) for each in ranks]
    else:
        worth = [_scaled(each.offsets, own) for each, own in zip(blocks, scores, strict=True)]
    worth = [weight * each for weight, each in zip(weights, worth, strict=True)]
    parts = []
    n_queries = len(blocks[0].offsets) - 1
    results = (rows, [each.documents for each in blocks], worth, ranks)
    # Without a query there is one part, an empty one.
    for start in range(0, max(1, n_queries), _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, n_queries)
        cuts = [slice(each.offsets[start], each.offsets[stop]) for each in blocks]
        columns = [_joined(each, cuts) for each in results]
        names_of_ties = names if fusion.has_ties_by_id else None
        parts.append(_fuse_rows(*columns, names=names_of_ties))
    all_rows, documents, totals = map(np.concatenate, zip(*parts, strict=True))
    counts = np.bincount(all_rows, minlength=n_queries)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Fused(RunBlock(offsets, documents), totals)


def _joined(arrays: Sequence[npt.NDArray[Any]], cuts: Sequence[slice]) -> npt.NDArray[Any]:
    return np.concatenate([each[cut] for each, cut in zip(arrays, cuts, strict=True)])


def _scaled(offsets: npt.NDArray[np.int64], scores: FloatArray) -> FloatArray:
    """Return scores brought to 0 to 1 in each query; 1 where all of a query are equal."""
    if not len(scores):
        return scores
    scores = np.nan_to_num(scores)
    lengths = np.diff(offsets)
    begins, counts = offsets[:-1][lengths > 0], lengths[lengths > 0]
    low = np.repeat(np.minimum.reduceat(scores, begins), counts)
    high = np.repeat(np.maximum.reduceat(scores, begins), counts)
    span = high - low
    return np.where(span > 0, (scores - low) / np.where(span > 0, span, 1.0), 1.0)


def _fuse_rows(
    rows: npt.NDArray[np.int64],
    documents: IntArray,
    worth: FloatArray,
    ranks: npt.NDArray[np.int64],
    *,
    names: Names | None,
) -> tuple[npt.NDArray[np.int64], IntArray, FloatArray]:
    """Return row, document and sum of the fused rankings of some queries, best first in each."""
    width = 1 + int(documents.max(initial=0))
    keys, back = np.unique(rows * width + documents, return_inverse=True)
    # Sums of the same terms in another order differ in their last digits.
    totals: FloatArray = np.round(np.bincount(back, weights=worth, minlength=len(keys)), 12)
    best = np.full(len(keys), np.iinfo(np.int64).max)
    np.minimum.at(best, back, ranks)
    found_rows, found = keys // width, (keys % width).astype(np.int32)
    if names is not None:
        best = _by_id(found_rows, found, totals, names)
    order = np.lexsort((keys, best, -totals, found_rows))
    return found_rows[order], found[order], totals[order]


def _by_id(
    rows: npt.NDArray[np.int64], documents: IntArray, totals: FloatArray, names: Names
) -> npt.NDArray[np.int64]:
    """Return what orders documents of equal sums by their ids, falling."""
    order = np.lexsort((totals, rows))
    ordered_rows, ordered = rows[order], totals[order]
    same = (ordered[1:] == ordered[:-1]) & (ordered_rows[1:] == ordered_rows[:-1])
    is_tied = np.zeros(len(rows), dtype=np.bool_)
    is_tied[order[1:][same]] = is_tied[order[:-1][same]] = True
    tied = np.unique(documents[is_tied]).tolist()
    places = np.zeros(len(rows), dtype=np.int64)
    if tied:
        ids = names(tied)
        falling = sorted(tied, key=ids.__getitem__, reverse=True)
        place_of = np.zeros(1 + max(tied), dtype=np.int64)
        place_of[falling] = np.arange(len(falling))
        places[is_tied] = place_of[documents[is_tied]]
    return places


class Answer(NamedTuple):
    """What is known of documents: which meet a condition, or a number or group of each.

    Attributes:
        documents: of which it is known, rising, shape (n,).
        values: 1 of conditions, else the number, date or number of the group, shape (n,).
        in_doubt: a number as it was taken and what else its text may mean, where nothing tells.
        has_texts: whether the field is not empty in all of the documents that were asked.
    """

    documents: IntArray
    values: FloatArray
    in_doubt: tuple[float, ...] = ()
    has_texts: bool = True


class RuleMatches(NamedTuple):
    """What rules ask of documents, answered.

    Attributes:
        by_question: the answers.
    """

    by_question: Mapping[Question, Answer]

    def covers(self, rules: Iterable[Rule]) -> bool:
        """Return whether the answers for all these rules are there."""
        return all(each in self.by_question for rule in rules for each in rule.questions)

    def of_rules(self, rules: Iterable[Rule]) -> "RuleMatches":
        """Return the answers for these rules alone.

        Raises:
            KeyError: one of them is not there.
        """
        asked = dict.fromkeys(each for rule in rules for each in rule.questions)
        return RuleMatches({question: self.by_question[question] for question in asked})

    def documents_of(self, rule: Rule, documents: IntArray) -> IntArray:
        """Return those of some documents that a rule is about, both rising."""
        for condition in rule.where:
            documents = np.intersect1d(documents, self.by_question[condition.question].documents)
        return documents


def match_documents(
    rules: Sequence[Rule],
    documents: IntArray,
    iter_texts: Callable[[IntArray, str], Iterator[DocumentTexts]],
    *,
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> RuleMatches:
    """Return what rules ask of some documents; each field is read once.

    Args:
        rules: any number.
        documents: numbers, rising, each once.
        iter_texts: gives the texts of a field, some documents at a time; of ``""`` all own fields.
        progress: told how much of how much is read: documents, once for each field.
        is_cancelled: asked again and again.

    Raises:
        WorkCancelledError: ``is_cancelled`` said so.
    """
    by_field: dict[str, dict[Question, None]] = {}
    for rule in rules:
        for question in rule.questions:
            by_field.setdefault(question[0], {})[question] = None
    total = len(documents) * len(by_field)
    check = checker(progress, is_cancelled, _(_ENDED))
    check_alone = checker(None, is_cancelled, _(_ENDED))
    found: dict[Question, Answer] = {}

    @cache
    def find_signs() -> frozenset[str]:
        return _signs_told(iter_texts(documents, ""), lambda _n_read: check_alone(0, 0))

    for place, (field, questions) in enumerate(by_field.items()):
        check(place * len(documents), total)

        def read(n_read: int, before: int = place * len(documents)) -> None:
            check(before + n_read, total)

        limits = [each for each in questions if each[1] in _COMPARE]
        number = (field, "number", "")
        # What stands before decimals is known when all texts are read: each is read in both ways.
        by_sign = [(field, sign, "") for sign in ",."] if number in questions else []
        asked = [each for each in questions if each != number and each not in limits]
        tests = {question: _test(question) for question in (*asked, *by_sign)}
        answers = _match_field(documents, tests, iter_texts(documents, field), read)
        if by_sign:
            comma, point = map(answers.pop, by_sign)
            found[number] = _numbers(comma, point, find_signs)
        found |= answers
        for limit in map(_condition, limits):
            found[limit.question] = _within(found[limit.kind_asked], limit)
    return RuleMatches(found)


def _signs_told(parts: Iterator[DocumentTexts], check: Callable[[int], object]) -> frozenset[str]:
    """Return the signs before decimals in all own fields, of numbers that can be read in one way only."""
    told: set[str] = set()
    for n_read, texts in parts:
        for text in texts.values():
            for value in parse_object(text, _("What else is known of a document")).values():
                found = readings(str(value).strip())
                told.update(found if len(found) == 1 else ())
        check(n_read)
        if len(told) > 1:
            break
    return frozenset(told)


Test = Callable[[str], float | None]


def _condition(question: Question) -> Condition:
    field, match, text = question
    return Condition(field, cast("Match", match), text)


def _test(question: Question) -> Test:
    """Return what answers a question by a text: a number, or ``None``."""
    match = question[1]
    groups: dict[str, float] = {}

    def find_group(found: str) -> float | None:
        name = found.strip().casefold()
        # Two documents without a text have nothing in common.
        return groups.setdefault(name, len(groups)) if name else None

    if match == "group":
        return find_group
    if match in (",", "."):
        return lambda found: read_number(with_point(found.strip(), match))
    if match == "date":
        return read_date
    is_met = _condition(question).test()
    return lambda found: 1.0 if is_met(found) else None


def _match_field(
    documents: IntArray,
    tests: Mapping[Question, Test],
    parts: Iterator[DocumentTexts],
    check: Callable[[int], object],
) -> dict[Question, Answer]:
    found: dict[Question, dict[int, float]] = {question: {} for question in tests}
    # What has no such text is as if it were empty: a regular expression may match that.
    has_text = np.zeros(1 + int(documents.max(initial=-1)), dtype=np.bool_)
    are_empty_wanted = any(test("") is not None for test in tests.values())
    are_texts = False
    for n_read, texts in parts:
        for question, test in tests.items():
            answers = ((number, test(text)) for number, text in texts.items())
            found[question].update((n, value) for n, value in answers if value is not None)
        are_texts = are_texts or any(texts.values())
        if are_empty_wanted:
            has_text[list(texts)] = True
        check(n_read)
    for number in documents[~has_text[documents]].tolist() if are_empty_wanted else []:
        for question, test in tests.items():
            value = test("")
            if value is not None:
                found[question][number] = value
    return {question: _answer(values, are_texts) for question, values in found.items()}


def _answer(values: Mapping[int, float], has_texts: bool) -> Answer:
    documents = np.fromiter(values.keys(), np.int32, len(values))
    order = np.argsort(documents)
    numbers = np.fromiter(values.values(), np.float64, len(values))[order]
    return Answer(documents[order], numbers, has_texts=has_texts)


def _numbers(comma: Answer, point: Answer, find_signs: Callable[[], frozenset[str]]) -> Answer:
    """Return the numbers of a field of which some or none have decimal commas, or points.

    Where none has, they are as those of other fields, if these have one sign.
    """
    shared, at_comma, at_point = np.intersect1d(
        comma.documents, point.documents, assume_unique=True, return_indices=True
    )
    are_commas = len(comma.documents) > len(shared)
    are_points = len(point.documents) > len(shared)
    if are_commas and not are_points:
        return comma
    pairs = np.column_stack((point.values[at_point], comma.values[at_comma]))
    doubtful = pairs[pairs[:, 0] != pairs[:, 1]][:1] if are_commas or not are_points else pairs[:0]
    if len(doubtful) and not are_commas and len(told := find_signs()) == 1:
        return comma if "," in told else point
    is_comma = np.isin(comma.documents, shared, assume_unique=True, invert=True)
    documents = np.concatenate((point.documents, comma.documents[is_comma]))
    values = np.concatenate((point.values, comma.values[is_comma]))
    order = np.argsort(documents)
    return Answer(
        documents[order], values[order], tuple(float(n) for pair in doubtful for n in pair)
    )


def _within(found: Answer, limit: Condition) -> Answer:
    """Return which numbers or dates of a field are within a limit; one without a time is a whole day."""
    values, wanted = found.values, read_number(limit.text)
    if wanted is None:
        wanted = float(read_date(limit.text) or 0)
        if len(limit.text.strip()) <= len("2026-11-03"):
            values = np.floor(values / _DAY_MS) * _DAY_MS
    is_met = _COMPARE[limit.match](values, wanted)
    return Answer(found.documents[is_met], np.ones(int(is_met.sum())))


def apply_rules(
    block: RunBlock,
    rules: Sequence[Rule],
    matches: RuleMatches,
    queries: Sequence[Query],
    scores: FloatArray | None = None,
) -> RunBlock:
    """Return a run's rankings after rules, one after the other.

    Args:
        block: the rankings.
        rules: in their order; each sees what those before it have done.
        matches: covers the rules.
        queries: of the block.
        scores: of the block's results, which formulas look at, shape (n_results,); NaN is
            1 / rank. ``None`` where no rule has a formula.

    Raises:
        InputError: the matches do not cover the rules.
    """
    if not matches.covers(rules):
        raise InputError(_("The rules were changed while their documents were looked for."))
    state = _State(block, matches, queries, scores)
    for rule in rules:
        if rule.is_on:
            state.apply(rule)
    return RunBlock(state.offsets, block.documents[state.places])


class _State:
    """Rankings between two rules.

    Attributes:
        offsets: as of a block.
        places: where each result stood in the block at first.
    """

    def __init__(
        self,
        block: RunBlock,
        matches: RuleMatches,
        queries: Sequence[Query],
        scores: FloatArray | None,
    ) -> None:
        self._documents = block.documents
        self._width = 1 + int(block.documents.max(initial=0))
        self._answers = matches.by_question
        self._queries = queries
        self._scores = scores
        self._first_offsets = block.offsets
        self.offsets = block.offsets
        self.places = np.arange(len(block.documents))

    def apply(self, rule: Rule) -> None:
        """Apply one rule."""
        is_match = self._matching(rule)
        if not is_match.any():
            return
        if rule.action == "remove":
            self._keep(~is_match)
        elif rule.action == "collapse":
            self._collapse(rule, is_match)
        elif rule.action == "score":
            self._score(rule, is_match)
        else:
            self._reorder(rule, is_match)

    def _matching(self, rule: Rule) -> npt.NDArray[np.bool_]:
        is_match = np.ones(len(self.places), dtype=np.bool_)
        for condition in rule.where:
            is_match &= ~np.isnan(self._values(condition.question))
        if rule.queries:
            holds = np.array([rule.holds_for(query) for query in self._queries], dtype=bool)
            is_match &= np.repeat(holds, np.diff(self.offsets))
        return is_match

    def _values(self, question: Question) -> FloatArray:
        """Return the answer for each result, NaN for none."""
        answer = self._answers[question]
        shown = self._documents[self.places]
        if len(shown) < len(answer.documents):
            at = np.searchsorted(answer.documents, shown)
            at[at == len(answer.documents)] = 0
            return np.where(answer.documents[at] == shown, answer.values[at], np.nan)
        by_document = np.full(self._width, np.nan)
        known = answer.documents < self._width
        by_document[answer.documents[known]] = answer.values[known]
        return by_document[shown]

    def _rows(self) -> npt.NDArray[np.int64]:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def _keep(self, is_kept: npt.NDArray[np.bool_]) -> None:
        counts = np.bincount(self._rows()[is_kept], minlength=len(self.offsets) - 1)
        self.offsets = np.concatenate(([0], np.cumsum(counts)))
        self.places = self.places[is_kept]

    def _collapse(self, rule: Rule, is_match: npt.NDArray[np.bool_]) -> None:
        groups = self._values((rule.by, "group", ""))
        at = np.flatnonzero(is_match & ~np.isnan(groups))
        order = at[np.lexsort((at, groups[at], self._rows()[at]))]
        same = np.stack((self._rows()[order], groups[order]))
        begins = np.flatnonzero(np.concatenate(([True], (same[:, 1:] != same[:, :-1]).any(axis=0))))
        lengths = np.diff(np.append(begins, len(order)))
        nth = np.arange(len(order)) - np.repeat(begins, lengths[: len(begins)])
        is_kept = np.ones(len(self.places), dtype=np.bool_)
        is_kept[order[nth >= rule.ranks]] = False
        self._keep(is_kept)

    def _ranks(self, offsets: npt.NDArray[np.int64]) -> FloatArray:
        lengths = np.diff(offsets)
        ranks = np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], lengths)
        return ranks.astype(np.float64)

    def _all_scores(self) -> FloatArray:
        assert self._scores is not None, "read wherever a rule asks for them"
        by_rank = 1.0 / self._ranks(self._first_offsets)
        return np.where(np.isnan(self._scores), by_rank, self._scores)

    def _score(self, rule: Rule, is_match: npt.NDArray[np.bool_]) -> None:
        formula = rule.expression
        assert formula is not None
        score, ranks, rows = (
            self._all_scores()[self.places],
            self._ranks(self.offsets),
            self._rows(),
        )
        found = compute_formula(
            formula,
            fields=lambda field: self._values((field, "number", "")),
            score=score,
            rank=ranks,
        )
        # Where the rule does not hold for the query, all stays as it stands.
        is_touched = np.zeros(len(self.offsets) - 1, dtype=np.bool_)
        is_touched[rows[is_match]] = True
        values = np.where(is_match, found, score)
        keys = np.where(is_touched[rows], -np.nan_to_num(values, nan=-np.inf, posinf=None), ranks)
        self.places = self.places[np.lexsort((ranks, keys, rows))]

    def _reorder(self, rule: Rule, is_match: npt.NDArray[np.bool_]) -> None:
        at = np.flatnonzero(is_match)
        touched = np.unique(np.searchsorted(self.offsets, at, side="right") - 1)
        places = self.places.copy()
        starts, stops = self.offsets[touched].tolist(), self.offsets[touched + 1].tolist()
        for start, stop in zip(starts, stops, strict=True):
            part = slice(start, stop)
            places[part] = self.places[part][_order(rule, is_match[part])]
        self.places = places


def _order(rule: Rule, is_match: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the new order of one ranking, as places in the old."""
    ours, others = np.flatnonzero(is_match), np.flatnonzero(~is_match)
    if rule.action == "bottom":
        return np.concatenate((others, ours))
    if rule.action == "pin":
        return np.insert(others, min(rule.ranks - 1, len(others)), ours)
    if rule.action == "bury":
        first = others[: rule.ranks - 1]
        return np.concatenate((first, np.setdiff1d(np.arange(len(is_match)), first)))
    # Neighbours are no obstacle to each other: each passes so many of those that the rule is not about.
    by = -rule.ranks if rule.action == "boost" else rule.ranks
    before = np.searchsorted(others, ours) + by
    return np.insert(others, before.clip(0, len(others)), ours)
