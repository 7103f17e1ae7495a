"""Boost rules: pin, move or take out documents by their text, over all queries of a run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from judgetool.core.patterns import compile_pattern
from judgetool.core.queries import Query
from judgetool.core.rankings import IntArray
from judgetool.errors import InputError, UsageError
from judgetool.metrics import RunBlock
from judgetool.session.background import IsCancelled, Progress, checker
from judgetool.storage.material import DocumentTexts

Action = Literal["pin", "boost", "demote", "bottom", "remove"]
Match = Literal["contains", "equals", "regex"]
ACTIONS: tuple[Action, ...] = get_args(Action)
MATCHES: tuple[Match, ...] = get_args(Match)
OWN_FIELDS = ("id", "title", "url", "body")
"""Parts of a document that every rule may look at, besides the document's own fields."""

_MOVES = ("pin", "boost", "demote")
Question = tuple[str, str, str]
"""Field, match and text of a rule: what decides which documents match."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; upper and lower case are one.

    Attributes:
        action: ``pin`` matching documents to the ranks from ``ranks`` on, ``boost`` or
            ``demote`` each by ``ranks``, take them to the ``bottom``, or ``remove`` them.
        field: ``id``, ``title``, ``url``, ``body`` or the name of a document's own field.
        match: whether that ``contains`` the text, ``equals`` it, or a ``regex`` is found in it
            (in linear time; one that needs more is kept and matches nothing, see :attr:`gap`).
        text: what is looked for, not empty.
        ranks: of pin the rank, of boost and demote how many, from 1; of others without meaning.
        queries: the rule holds for queries whose text contains this; ``""`` for all.

    Raises:
        UsageError: one of them is not what it may be; the text says which.
    """

    action: Action
    field: str
    match: Match
    text: str
    ranks: int = 1
    queries: str = ""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS or self.match not in MATCHES:
            raise UsageError(
                f"A rule does one of {', '.join(ACTIONS)} where a field {', '.join(MATCHES)}; "
                f"found {self.action!r} and {self.match!r}."
            )
        if not self.text or not self.field:
            raise UsageError("A rule needs a field to look at and a text to look for.")
        if self.ranks < 1:
            raise UsageError(f"Ranks of a rule count from 1; found {self.ranks}.")
        if self.match == "regex":
            compile_pattern(self.text)

    @property
    def gap(self) -> str:
        """Why the rule is kept but not run, as a sentence; ``""`` if it is run."""
        return compile_pattern(self.text).gap if self.match == "regex" else ""

    def test(self) -> Callable[[str], bool]:
        """Return what tells whether a text of the rule's field matches."""
        wanted = self.text.casefold()
        if self.match == "regex":
            return compile_pattern(self.text).is_found_in
        if self.match == "equals":
            return lambda text: text.casefold() == wanted
        return lambda text: wanted in text.casefold()

    def holds_for(self, query: Query) -> bool:
        """Return whether the rule holds for a query."""
        return self.queries.casefold() in query.text.casefold()

    @property
    def question(self) -> Question:
        """What decides which documents match: rules that ask the same share the answer."""
        return (self.field, self.match, self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file."""
        values: dict[str, Any] = {"action": self.action}
        if self.action in _MOVES:
            values["ranks"] = self.ranks
        values |= {"field": self.field, "match": self.match, "text": self.text}
        return values | ({"queries": self.queries} if self.queries else {})

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Rule":
        """Build a rule from :meth:`to_dict`'s result.

        Raises:
            UsageError: a later version wrote a rule that this one does not know.
        """
        return Rule(
            values["action"],
            str(values["field"]),
            values["match"],
            str(values["text"]),
            int(values.get("ranks", 1)),
            str(values.get("queries", "")),
        )


@dataclass(frozen=True, eq=False)
class RuleMatches:
    """Which documents rules are about.

    Attributes:
        by_question: numbers of the documents that match, rising, by :attr:`Rule.question`.
    """

    by_question: Mapping[Question, IntArray]

    def covers(self, rules: Iterable[Rule]) -> bool:
        """Return whether the answers for all these rules are there."""
        return all(rule.question in self.by_question for rule in rules)


def match_documents(
    rules: Sequence[Rule],
    documents: IntArray,
    iter_texts: Callable[[IntArray, str], Iterator[DocumentTexts]],
    *,
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> RuleMatches:
    """Return which of some documents each rule is about; each field is read once.

    Args:
        rules: any number.
        documents: numbers, rising, each once.
        iter_texts: gives the texts of a field, some documents at a time.
        progress: told how much of how much is read: documents, once for each field.
        is_cancelled: asked again and again.

    Raises:
        WorkCancelledError: ``is_cancelled`` said so.
    """
    by_field: dict[str, dict[Question, Rule]] = {}
    for rule in rules:
        by_field.setdefault(rule.field, {})[rule.question] = rule
    total = len(documents) * len(by_field)
    check = checker(progress, is_cancelled, "The rules were not applied: it was cancelled.")
    found: dict[Question, IntArray] = {}
    for place, (field, questions) in enumerate(by_field.items()):
        check(place * len(documents), total)

        def read(n_read: int, before: int = place * len(documents)) -> None:
            check(before + n_read, total)

        tests = {question: rule.test() for question, rule in questions.items()}
        found |= _match_field(documents, tests, iter_texts(documents, field), read)
    return RuleMatches(found)


def _match_field(
    documents: IntArray,
    tests: Mapping[Question, Callable[[str], bool]],
    parts: Iterator[DocumentTexts],
    check: Callable[[int], object],
) -> dict[Question, IntArray]:
    found: dict[Question, list[int]] = {question: [] for question in tests}
    # What has no such text is as if it were empty: a regular expression may match that.
    has_text = np.zeros(1 + int(documents.max(initial=-1)), dtype=np.bool_)
    are_empty_wanted = any(test("") for test in tests.values())
    for n_read, texts in parts:
        for question, test in tests.items():
            found[question] += [number for number, text in texts.items() if test(text)]
        if are_empty_wanted:
            has_text[list(texts)] = True
        check(n_read)
    empty = documents[~has_text[documents]].tolist() if are_empty_wanted else []
    return {
        question: np.array(sorted(found[question] + (empty if test("") else [])), dtype=np.int32)
        for question, test in tests.items()
    }


def apply_rules(
    block: RunBlock, rules: Sequence[Rule], matches: RuleMatches, queries: Sequence[Query]
) -> RunBlock:
    """Return a run's rankings after rules, one after the other.

    Args:
        block: the rankings.
        rules: in their order; each sees what those before it have done.
        matches: covers the rules.
        queries: of the block.

    Raises:
        InputError: the matches do not cover the rules.
    """
    if not matches.covers(rules):
        raise InputError("The rules were changed while their documents were looked for.")
    for rule in rules:
        block = _apply_rule(block, rule, matches.by_question[rule.question], queries)
    return block


def _apply_rule(
    block: RunBlock, rule: Rule, wanted: IntArray, queries: Sequence[Query]
) -> RunBlock:
    lengths = block.lengths
    is_match = _member(wanted, block.documents)
    if rule.queries:
        holds = np.array([rule.holds_for(query) for query in queries], dtype=bool)
        is_match &= np.repeat(holds, lengths)
    at = np.flatnonzero(is_match)
    if not len(at):
        return block
    rows = np.searchsorted(block.offsets, at, side="right") - 1
    if rule.action == "remove":
        gone = np.bincount(rows, minlength=len(lengths))
        offsets = np.concatenate(([0], np.cumsum(lengths - gone)))
        return RunBlock(offsets, block.documents[~is_match])
    touched = np.unique(rows)
    documents = block.documents.copy()
    for part, order in _iter_orders(block, rule, is_match, touched):
        documents[part] = block.documents[part][order]
    return RunBlock(block.offsets, documents)


def _member(wanted: IntArray, documents: IntArray) -> npt.NDArray[np.bool_]:
    width = 1 + max(int(wanted.max(initial=0)), int(documents.max(initial=0)))
    known = np.zeros(width, dtype=np.bool_)
    known[wanted] = True
    return known[documents]


def _iter_orders(
    block: RunBlock,
    rule: Rule,
    is_match: npt.NDArray[np.bool_],
    touched: npt.NDArray[np.int64],
) -> Iterable[tuple[slice, npt.NDArray[np.intp]]]:
    starts, stops = block.offsets[touched].tolist(), block.offsets[touched + 1].tolist()
    for start, stop in zip(starts, stops, strict=True):
        part = slice(start, stop)
        yield part, _order(rule, is_match[part])


def _order(rule: Rule, is_match: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the new order of one ranking, as places in the old."""
    ours, others = np.flatnonzero(is_match), np.flatnonzero(~is_match)
    if rule.action == "bottom":
        return np.concatenate((others, ours))
    if rule.action == "pin":
        return np.insert(others, min(rule.ranks - 1, len(others)), ours)
    # Half a rank further, so that it passes exactly so many of those that stay.
    by = rule.ranks + 0.5
    keys = np.arange(len(is_match), dtype=np.float64)
    keys[ours] += -by if rule.action == "boost" else by
    return np.argsort(keys, kind="stable")
