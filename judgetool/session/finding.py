"""Finding queries, documents and one's own judgments by chips: small conditions, combined by 'and'.

Which documents and queries the chips of a filter let through is told by what the project holds in
memory and in its file; chips on texts are the only ones that must read documents.
"""

import math
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeGuard, get_args

import numpy as np

from judgetool.core.judgments import CONFIDENCES, Document, Judgment, Query, State
from judgetool.core.scale import format_grade
from judgetool.core.terms import fold, fold_case
from judgetool.errors import CommandRefusedError
from judgetool.metrics import RunBlock
from judgetool.session.asked import key_array
from judgetool.session.board import (
    ONLY_MINE,
    BoolArray,
    Opinion,
    SettledPairs,
    are_among,
    pair_keys,
    settled_pairs,
    split_keys,
)
from judgetool.session.commands import Check, SetValues, unchecked
from judgetool.session.history import find_reason_of
from judgetool.session.pool import IntArray, LongArray, NumberPair, Pool
from judgetool.session.session import Session
from judgetool.storage.asks import load_asked_pairs
from judgetool.storage.connection import Connection
from judgetool.storage.copies import load_conflicting_pairs
from judgetool.storage.history import (
    SAID_KINDS,
    SaidCondition,
    load_differing_pairs,
    load_disputed_pairs,
    load_documents_with_text,
    load_pairs_said,
)
from judgetool.storage.ids import count_ids
from judgetool.storage.judgments import load_said_by
from judgetool.storage.material import load_documents
from judgetool.wording import N_, _

# Chips

FilterKind = Literal[
    "unjudged",
    "judged",
    "disputed",
    "conflict",
    "flagged",
    "noted",
    "cannot_judge",
    "skipped",
    "no_text",
    "has_rationale",
    "mine",
    "grade",
    "run",
    "rank",
    "text",
    "by",
    "asked",
    "differs_from",
    "changed_since",
    "confidence",
    "category",
    "field",
]
FILTER_KINDS: tuple[FilterKind, ...] = get_args(FilterKind)
FilterValue = str | float | int | tuple[int, int] | None
VIEWS_KEY = "views/"
_IS = "is"
IS = f"{_IS}:"
"""What a condition without a value begins with, where it is typed."""
ME = "me"
"""Whom a chip ‘asked’ means where it names nobody: the session's assessor."""

FILTER_HELP: Mapping[FilterKind, str] = {
    "unjudged": N_("Nobody whose judgments count has graded it or said that it cannot be judged."),
    "judged": N_("It has a grade in the chosen view."),
    "disputed": N_("Assessors gave it different grades."),
    "conflict": N_("Merged copies say different things of one assessor; the latest counts."),
    "flagged": N_("Marked for discussion."),
    "noted": N_("It has a note."),
    "cannot_judge": N_("Somebody said that it cannot be judged."),
    "skipped": N_("Put off for later."),
    "no_text": N_("Nothing is known of it but its id."),
    "has_rationale": N_("Pieces of its text were given as reasons."),
    "mine": N_("I have said something of it; other chips then look at what I said."),
    "grade": N_("It has this grade: grade:2"),
    "run": N_("This run ranks it: run:bm25"),
    "rank": N_("A run, or the chosen one, ranks it from here to there: rank:1-10"),
    "text": N_("All of these words are in its title, text, further fields or id: text:'leek soup'"),
    "by": N_("This assessor has said something of it; other chips then look at that: by:anna"),
    "asked": N_("This assessor, or I, am asked to judge it, judged or not: asked:me"),
    "differs_from": N_("This assessor and I gave different grades: differs_from:ben"),
    "changed_since": N_(
        "Said since then, in milliseconds since 1970 in UTC: changed_since:1700000000000"
    ),
    "confidence": N_("Judged this surely: confidence:1 (unsure) to 3 (sure)"),
    "category": N_("The query has this category: category:soups"),
    "field": N_("The query has this in a field: field:lang=ar, or just lang=ar"),
}
"""One sentence on each kind, with how it is typed."""


class Filter(NamedTuple):
    """One condition.

    Attributes:
        kind: see ``FILTER_HELP``.
        value: the grade, the confidence, a name or words, first and last rank, or
            milliseconds UTC; ``None`` for kinds that need none.
        is_not: whether it lets through what it would not, and nothing else.
    """

    kind: FilterKind
    value: FilterValue = None
    is_not: bool = False

    @property
    def turned(self) -> "Filter":
        """The condition that lets through what this one does not."""
        return self._replace(is_not=not self.is_not)


TypedWord = tuple[str, bool]
"""A word without quotes, and whether a ``-`` outside of them stood in front."""


def _parse_text(text: str) -> str:
    if not text.strip():
        raise ValueError(_("some text"))
    return text


def _parse_grade(text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        raise ValueError(_("a number such as 2")) from None
    if not math.isfinite(grade):
        raise ValueError(_("a number such as 2"))
    return grade


def _parse_ranks(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?", text)
    low = int(found[1]) if found else 0
    high = int(found[2] or found[1]) if found else -1
    if low > high:
        raise ValueError(_("ranks such as 1-10"))
    return low, high


def _parse_moment(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise ValueError(_("milliseconds since 1970"))
    return int(text)


def _parse_confidence(text: str) -> int:
    if text not in map(str, CONFIDENCES):
        raise ValueError(_("one of {known}").format(known=", ".join(map(str, CONFIDENCES))))
    return int(text)


def _parse_field(text: str) -> str:
    name, sign, _content = text.partition("=")
    if not sign or not name.strip():
        raise ValueError(_("a field and its content"))
    return text


_PARSERS: Mapping[FilterKind, Callable[[str], FilterValue]] = {
    "grade": _parse_grade,
    "run": _parse_text,
    "rank": _parse_ranks,
    "text": _parse_text,
    "by": _parse_text,
    "asked": _parse_text,
    "differs_from": _parse_text,
    "changed_since": _parse_moment,
    "confidence": _parse_confidence,
    "category": _parse_text,
    "field": _parse_field,
}


def needs_value(kind: FilterKind) -> bool:
    """Whether a chip of this kind has a value."""
    return kind in _PARSERS


def parse_filters(text: str) -> tuple[Filter, ...]:
    """Return the chips of a text that is kept: ``unjudged run:'title bm25' rank:1-10``.

    Values with blanks stand in quotes. A word that is no chip is looked for in texts. What
    stands after a ``-``, outside of quotes, is not to be met. Kinds without a value may stand alone, as views keep them; :func:`parse_typed` reads what people type.

    Returns:
        In the order typed; empty for a text of blanks.

    Raises:
        CommandRefusedError: a value does not go with its kind, or a quote is not closed.
    """
    return tuple(
        (Filter(word) if is_plain(word) else find_condition(word) or Filter("text", word))._replace(
            is_not=is_not
        )
        for word, is_not in split_words(text)
    )


def chips_of(
    words: Iterable[TypedWord], is_id: Callable[[str], bool], names: Collection[str] = ()
) -> tuple[Filter, ...]:
    """Return the chips of words as fields and commands take them: ``leek is:unjudged rank:1-10``.

    As :func:`parse_filters`, but for kinds without a value: these stand after ``is:``, and alone
    they are words that are looked for, as in every field.

    Args:
        words: see :func:`split_words`.
        is_id: whether a word is an id: then a ``-`` in front is its own.
        names: by what queries can be grouped: ``lang=ar`` is a condition where one is ``lang``.
    """
    found = []
    for word, is_not in words:
        if is_not and is_id(f"-{word}"):
            found.append(Filter("text", f"-{word}"))
        else:
            chip = find_condition(word, names) or Filter("text", word)
            found.append(chip._replace(is_not=is_not))
    return tuple(found)


def is_known_id(session: Session, word: str) -> bool:
    """Whether a query or a document has exactly this id."""
    material = session.material
    return material.find_query(word) is not None or material.find_document(word) is not None


WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\S)+""")
"""A word as it is typed: a blank within quotes does not end it, a quote that is still open does no harm."""
_NOT = "\0"


def split_words(text: str) -> list[TypedWord]:
    """Return the words of a text.

    Raises:
        CommandRefusedError: a quote is not closed.
    """

    def mark(found: re.Match[str]) -> str:
        word = found[0]
        return f"{_NOT}{word[1:]}" if word[0] == "-" and len(word) > 1 else word

    try:
        words = shlex.split(WORD.sub(mark, text))
    except ValueError:
        raise CommandRefusedError(
            _("A quote in ‘{text}’ is not closed. Values with blanks stand in quotes.").format(
                text=text
            )
        ) from None
    return [
        (word.removeprefix(_NOT), word.startswith(_NOT))
        for word in words
        if word.removeprefix(_NOT).strip()
    ]


def is_plain(word: str) -> TypeGuard[FilterKind]:
    """Whether a word is a kind that has no value."""
    return word in FILTER_KINDS and not needs_value(word)


def find_condition(word: str, names: Collection[str] = ()) -> Filter | None:
    """Return the condition that one word states: ``grade:2``, ``is:flagged``; ``None`` for no such.

    Args:
        word: without the quotes that hold it together.
        names: of fields of queries, and ``category``: then ``lang=ar`` is one, too.

    Raises:
        CommandRefusedError: it begins as one, and its value does not go with its kind.
    """
    field, sign, content = word.partition("=")
    known_names = find_alike(field, names) if sign else ()
    if known_names:
        return field_chip(min(known_names), content)
    name, colon, value = word.partition(":")
    if not colon:
        return None
    if name == _IS:
        plain = value.replace("-", "_")
        if is_plain(plain):
            return Filter(plain)
        known = ", ".join(IS + each for each in FILTER_KINDS if not needs_value(each))
        raise CommandRefusedError(
            _("There is no condition ‘{word}’. There are {known}.").format(word=word, known=known)
        )
    kind = next((each for each in FILTER_KINDS if each == name and needs_value(each)), None)
    if kind is None:
        return None
    try:
        return Filter(kind, _PARSERS[kind](value))
    except ValueError as problem:
        raise CommandRefusedError(
            _(
                "The filter ‘{word}’ does not say what to look for: expected {problem}, such as in "
                "‘{example}’"
            ).format(word=word, problem=problem, example=_(FILTER_HELP[kind]))
        ) from None


def find_alike(wanted: str, known: Collection[str]) -> set[str]:
    """Return what is meant of the names or contents that are there: the very one, else those of other case."""
    if wanted in known:
        return {wanted}
    folded = fold_case(wanted)
    return {each for each in known if fold_case(each) == folded}


CATEGORY = "category"


def field_chip(name: str, content: str) -> Filter:
    """Return the chip for queries that have this category, or this content in a field."""
    if name == CATEGORY and content.strip():
        return Filter("category", content)
    return Filter("field", f"{name}={content}")


def field_of(chip: Filter) -> tuple[str, str]:
    """Return the field that a chip asks for, ``category`` or a name, and the content; see :func:`field_chip`."""
    if chip.kind == "category":
        return CATEGORY, str(chip.value)
    name, _sign, content = str(chip.value).partition("=")
    return name, content


def group_of(query: Query, name: str) -> str:
    """Return a query's category, or its content of a field; ``""`` for none."""
    return query.category if name == CATEGORY else query.fields.get(name, "")


def _have_fields(queries: Sequence[Query], chips: Iterable[Filter]) -> BoolArray:
    """Return which queries chips on categories and fields let through: of one field several, any of them."""
    met = np.ones(len(queries), dtype=bool)
    wanted: dict[str, set[str]] = {}
    for name, content in map(field_of, chips):
        wanted.setdefault(name, set()).add(content)
    for name, contents in wanted.items():
        has = [group_of(query, name) for query in queries]
        known = set(has)
        meant = set().union(*(find_alike(content, known) for content in contents))
        met &= np.array([content in meant for content in has], dtype=bool)
    return met


def format_filter(chip: Filter) -> str:
    """Return a chip as it is typed; :func:`parse_filters` reads it back."""
    value = chip.value
    if chip.is_not:
        return f"-{format_filter(chip.turned)}"
    if value is None:
        return str(chip.kind)
    if isinstance(value, tuple):
        text = f"{value[0]}-{value[1]}"
    elif isinstance(value, float):
        text = format_grade(value)
    else:
        text = str(value)
    return shlex.quote(f"{chip.kind}:{text}")


def save_view(name: str, filters: Sequence[Filter]) -> SetValues:
    """Return the command that keeps chips under a name; a view of this name is replaced.

    Raises:
        CommandRefusedError: the name is empty, or there are no chips.
    """
    if not name.strip():
        raise CommandRefusedError(_("The view has no name. Give it one; nothing was kept."))
    if not filters:
        raise CommandRefusedError(_("There are no filters to keep. Choose some first."))
    return SetValues(
        {VIEWS_KEY + name: list(map(format_filter, filters))},
        f"Save view ‘{name}’",
    )


def delete_view(name: str) -> SetValues:
    """Return the command that takes a saved view away."""
    return SetValues({VIEWS_KEY + name: None}, f"Delete view ‘{name}’")


def saved_views(session: Session) -> dict[str, tuple[Filter, ...]]:
    """Return saved views by name, in order of names."""
    return {
        key.removeprefix(VIEWS_KEY): tuple(chip for text in stored for chip in parse_filters(text))
        for key, stored in session.values(VIEWS_KEY).items()
    }


def follow_runs(
    chips: Iterable[Filter], before: Mapping[int, str], now: Mapping[int, str]
) -> tuple[Filter, ...]:
    """Return chips with those of runs by the names of now; names are by number of the run."""
    names = {before.get(run_id, name): name for run_id, name in now.items()}
    return tuple(
        chip._replace(value=names.get(str(chip.value), chip.value)) if chip.kind == "run" else chip
        for chip in chips
    )


# What they let through


def has_words(text: str, words: str) -> bool:
    """Whether all words, parted by blanks, occur in a text, anywhere and in any order."""
    folded = _fold_text(text)
    return all(fold(word) in folded for word in words.split())


def has_query_words(query: Query, words: str) -> bool:
    """Whether all words occur in what a query says of itself."""
    told = (query.id, query.text, query.category, query.description, query.narrative)
    return has_words(" ".join(told), words)


# More than this of a text is not searched: it would take longer than anybody waits.
MOST_SEARCHED = 1_000_000


def has_document_words(document: Document, words: str, *, most: int = MOST_SEARCHED) -> bool:
    """Whether all words occur in id, title, fields or text, of which so many characters count."""
    told = (document.id, document.title, *document.fields.values(), document.body)
    return has_words(" ".join(told)[:most], words)


@lru_cache(maxsize=200_000)
def _fold_word(word: str) -> str:
    return fold(word)


def _fold_text(text: str) -> str:
    return text.lower() if text.isascii() else " ".join(map(_fold_word, text.split()))


TEXT_KINDS = ("text", "no_text")
_AT_ONCE = 50


def find_by_texts(
    reader: Connection,
    documents: Sequence[int] | IntArray,
    chip: Filter,
    check: Check = unchecked,
) -> set[int]:
    """Return those documents that a chip on texts lets through.

    Args:
        reader: a connection of the calling thread.
        documents: their numbers.
        chip: of a kind in ``TEXT_KINDS``.
        check: is called again and again; what it raises stops the search.
    """
    found: set[int] = set()
    for start in range(0, len(documents), _AT_ONCE):
        check()
        part = [int(number) for number in documents[start : start + _AT_ONCE]]
        texts = zip(part, load_documents(reader, part), strict=True)
        found.update(number for number, document in texts if _is_met(document, chip))
    return found


def _is_met(document: Document, chip: Filter) -> bool:
    if chip.kind == "no_text":
        return not document.has_text
    return has_document_words(document, str(chip.value))


def look_into_texts(
    session: Session,
    documents: Sequence[int] | IntArray,
    chips: Iterable[Filter],
    check: Check | None = None,
) -> dict[Filter, set[int]]:
    """Return which documents each of some chips on texts lets through.

    Args:
        session: the project.
        documents: their numbers.
        chips: of kinds in ``TEXT_KINDS``.
        check: ``None`` on the session's thread; on another what is called again and again,
            and stops the search by raising.
    """
    if check is None:
        return {chip: find_by_texts(session.reader, documents, chip) for chip in chips}
    with session.second_reader() as reader:
        return {chip: find_by_texts(reader, documents, chip, check) for chip in chips}


# With more judgments than this, looking through them all is felt.
MOST_QUICK = 100_000
# Of more documents than this, finding those with a text is felt.
MOST_TEXTS_QUICK = 20_000
# Of more documents than this, looking up each takes longer than reading which have a text.
MOST_LOOKED_UP = 2_000
# Results that are looked at at a time: bounded memory, and often enough a chance to stop.
CHUNK_ROWS = 1_000_000
# Fewer rows than this part of a run are put together, of more the whole run is looked at.
_SPARSE = 5

_BY_FIELD = ("category", "field")
_OF_QUERY = ("text", *_BY_FIELD)
_BY_OPINIONS = ("disputed", "conflict", "differs_from")
_BY_GRADE = ("judged", "grade")
_BY_RANK = ("run", "rank")
_NO_KEYS = np.zeros(0, dtype=np.int64)


class Stretch(NamedTuple):
    """A stretch of each query's ranking: where it starts and how long it is.

    Attributes:
        starts: places in ``documents``, shape (n_queries,).
        lengths: shape (n_queries,).
        documents: of all queries.
    """

    starts: LongArray
    lengths: LongArray
    documents: IntArray

    def keys(self, queries: LongArray) -> LongArray:
        """Return the pairs of some queries, see ``pair_keys``."""
        lengths = self.lengths[queries]
        before = np.cumsum(lengths) - lengths
        rows = np.repeat(self.starts[queries] - before, lengths) + np.arange(lengths.sum())
        return pair_keys(np.repeat(queries, lengths), self.documents[rows])


class PairFilter:
    """Chips on documents of queries, with what they need of the board taken when it is made.

    Make it on the session's thread; what it does may then run on another, and tells what held
    when it was made, but for what is read from the file.

    With ``by`` or ``mine`` the chips on what is said (``grade``, ``flagged``, …) look at what
    that assessor said; otherwise at the chosen view, and at what is said by the session's assessor
    and by all who count in that view. Of what the assessor is asked only their own words count.

    Args:
        session: the project.
        filters: chips that a (query, document) pair has to meet, all of them.
        query: number of the only query that is asked about; ``None`` for all.

    Attributes:
        named: those chips that are met by the pairs which :meth:`find_named` gives.
        rest: the others.
        runs: names and rankings of the project's runs.
        run: name of the run that a chip names, or ``None``.
        settled: what counts as judged.
    """

    def __init__(
        self, session: Session, filters: Sequence[Filter], query: int | None = None
    ) -> None:
        material = session.material
        self._queries = material.queries
        self._place_of = material.place_of
        self._only = None if query is None else material.query_ids[query]
        self._me = session.assessor
        # What comes again is to be judged as if nothing had been said of it.
        self._again = key_array(session.asks.voices)
        self._asked = session.asks.keys
        mine = Filter("by", session.assessor)
        # Each by itself: what it would let through is left out.
        self._without = [
            PairFilter(session, [chip.turned], query) for chip in filters if chip.is_not
        ]
        filters = [chip for chip in filters if not chip.is_not]
        chips = [mine if chip.kind == "mine" else chip for chip in filters]
        self._is_of_one = any(chip.kind == "by" for chip in chips)
        self.named = [
            chip for chip in chips if chip.kind in (*SAID_KINDS, *_BY_OPINIONS, *_BY_GRADE, "asked")
        ]
        self.rest = [chip for chip in chips if chip not in self.named]
        self.runs = [(run.name, material.block(run.run_id)) for run in material.runs]
        self.run = next((str(c.value) for c in chips if c.kind == "run"), None)
        self._standing = session.standing
        left_out = session.standing.left_out - {session.assessor_id}
        # Whom a chip names is looked at whether they count or not.
        self._unheard = frozenset[int]() if self._is_of_one else left_out
        self._hides_others = not session.asks.is_over
        self._is_own_view = session.board.view == ONLY_MINE
        self.settled: SettledPairs = settled_pairs(session.board, query)
        self._with_text: LongArray | None = None

    def find_named(self, reader: Connection) -> list[LongArray]:
        """Return the pairs that meet chips on what is said, one rising array or more.

        What is in each of them meets all of these chips.
        """
        said, parts = [], []
        for chip in self.named:
            if chip.kind == "disputed":
                left_out, final = self._standing
                found = load_disputed_pairs(reader, self._only, left_out=left_out, final=final)
                parts.append(self._number(found))
            elif chip.kind == "conflict":
                parts.append(self._number(load_conflicting_pairs(reader, self._only)))
            elif chip.kind == "differs_from":
                names = self._me, str(chip.value)
                parts.append(self._number(load_differing_pairs(reader, *names, self._only)))
            elif chip.kind == "asked":
                parts.append(self._find_asked(reader, str(chip.value)))
            elif chip.kind in _BY_GRADE and not self._is_of_one:
                keys, grades, _ = self.settled
                fits = ~np.isnan(grades) if chip.value is None else grades == chip.value
                parts.append(keys[fits])
            else:
                value = None if isinstance(chip.value, tuple) else chip.value
                said.append(SaidCondition(chip.kind, value))
        if said:
            parts.insert(0, self._find_said(reader, said))
        return parts

    def _find_said(self, reader: Connection, said: Sequence[SaidCondition]) -> LongArray:
        """Return the pairs of which something is said that the assessor may hear."""

        def load(conditions: Sequence[SaidCondition], *, by_one: bool) -> LongArray:
            pairs = load_pairs_said(
                reader, conditions, by_one=by_one, query_id=self._only, left_out=self._unheard
            )
            return self._number(pairs)

        own = [*said, SaidCondition("by", self._me)]
        if self._is_own_view and not self._is_of_one:
            keys = load(own, by_one=True)
        else:
            keys = load(said, by_one=self._is_of_one)
            if self._hides_others and len(self._asked):
                others = keys[~are_among(keys, self._asked)]
                keys = np.union1d(others, load(own, by_one=True))
        return keys[~are_among(keys, self._again)]

    def _find_asked(self, reader: Connection, name: str) -> LongArray:
        """Return the pairs that somebody is asked, by name; see :data:`ME`."""
        if name == ME:
            return self._asked
        return self._number(load_asked_pairs(reader, name, self._only))

    def _number(self, pairs: LongArray) -> LongArray:
        """Return pairs of the file's numbers as rising keys; those not visible are left out."""
        ids, rows = np.unique(pairs[:, 0], return_inverse=True)
        places = np.array([self._place_of.get(each, -1) for each in ids.tolist()], np.int64)[rows]
        keys: LongArray = np.sort(pair_keys(places, pairs[:, 1])[places >= 0])
        return keys

    def narrow(
        self,
        keys: LongArray,
        named: Iterable[LongArray],
        reader: Connection,
        check: Check = unchecked,
    ) -> LongArray:
        """Return those of some pairs that every chip lets through, in their order.

        Args:
            keys: see ``pair_keys``.
            named: what :meth:`find_named` gave.
            reader: a connection of the calling thread.
            check: is called again and again; what it raises stops the search.
        """
        for part in named:
            keys = keys[are_among(keys, part)]
        for chip in self.rest:
            if len(keys):
                keys = keys[self._test(keys, chip, reader, check)]
        for other in self._without:
            met = other.narrow(keys, other.find_named(reader), reader, check)
            keys = keys[~are_among(keys, np.sort(met))]
        return keys

    def _test(self, keys: LongArray, chip: Filter, reader: Connection, check: Check) -> BoolArray:
        """Return which pairs a chip lets through that is not on what is said, shape (n,)."""
        queries, documents = split_keys(keys)
        if chip.kind == "unjudged":
            return ~are_among(keys, self.settled.keys)
        if chip.kind in _BY_RANK:
            return self._are_ranked(keys, chip)
        if chip.kind in _BY_FIELD:
            chips = [each for each in self.rest if each.kind in _BY_FIELD]
            return _have_fields(self._queries, chips)[queries]
        if chip.kind == "no_text" and (self._with_text is not None or len(keys) > MOST_LOOKED_UP):
            if self._with_text is None:
                self._with_text = load_documents_with_text(reader)
            return ~np.isin(documents, self._with_text)
        found = find_by_texts(reader, np.unique(documents), chip, check)
        return np.isin(documents, np.fromiter(found, dtype=np.int64))

    def _are_ranked(self, keys: LongArray, chip: Filter) -> BoolArray:
        low, high = chip.value if isinstance(chip.value, tuple) else (1, None)
        name = str(chip.value) if chip.kind == "run" else self.run
        queries, documents = split_keys(keys)
        wanted = np.zeros(2 + int(documents.max()), dtype=bool)
        wanted[documents] = True
        blocks = [block for run, block in self.runs if name in (None, run)]
        found = [_NO_KEYS]
        found += [_find_ranked(block, np.unique(queries), wanted, low, high) for block in blocks]
        return are_among(keys, np.sort(np.concatenate(found)))


class QuerySearch:
    """Chips over all queries, with what they need of the board taken when it is made.

    Make it on the session's thread; :meth:`find` may then run on another, and finds
    what held when it was made, but for what is read from the file.

    Args:
        session: the project.
        filters: a query is let through by itself (``text``, ``category``, ``field``), or by one
            of its documents that meets all other chips. One that is not to be met leaves
            out the queries that it would let through alone.
    """

    def __init__(self, session: Session, filters: Sequence[Filter]) -> None:
        self._session = session
        self._queries = session.material.queries
        self._pool: Pool = session.board.whole_pool
        self._without = [QuerySearch(session, [chip.turned]) for chip in filters if chip.is_not]
        filters = [chip for chip in filters if not chip.is_not]
        self._of_query = [chip for chip in filters if chip.kind in _OF_QUERY]
        chips = [chip for chip in filters if chip.kind not in _OF_QUERY]
        self._pairs = PairFilter(session, chips)
        self._has_chips = bool(chips)
        asks_texts = any(chip.kind == "no_text" for chip in chips)
        n_documents = count_ids(session.reader, "documents") if asks_texts else 0
        self._has_many_texts = n_documents > MOST_TEXTS_QUICK

    @property
    def is_quick(self) -> bool:
        """Whether finding takes no longer than a window may wait."""
        if not all(other.is_quick for other in self._without):
            return False
        if self._has_many_texts or len(self._pairs.settled.keys) > MOST_QUICK:
            return False
        n_rows = sum(len(block.documents) for _, block in self._pairs.runs)
        return bool(self._pairs.named) or self._is_simple or n_rows < CHUNK_ROWS

    @property
    def _is_simple(self) -> bool:
        """Whether lengths of rankings, and what is settled, are all that counts."""
        kinds = [chip.kind for chip in self._pairs.rest]
        has_each_once = kinds.count("run") <= 1 and kinds.count("rank") <= 1
        return has_each_once and set(kinds) <= {"unjudged", *_BY_RANK}

    def find(
        self,
        reader: Connection,
        check: Check = unchecked,
        *,
        at_once: int = CHUNK_ROWS,
    ) -> list[int]:
        """Return the queries that match, in the project's order.

        Args:
            reader: a connection of the calling thread.
            check: is called again and again; what it raises stops the search.
            at_once: results of runs that are held in memory besides, some more or less.
        """
        mask = np.ones(len(self._queries), dtype=bool)
        if self._has_chips:
            mask = self._are_met(reader, check, at_once)
        fields = [chip for chip in self._of_query if chip.kind in _BY_FIELD]
        if fields:
            mask = mask & _have_fields(self._queries, fields)
        found: list[int] = np.flatnonzero(mask).tolist()
        for words in (str(chip.value) for chip in self._of_query if chip.kind == "text"):
            found = [query for query in found if has_query_words(self._queries[query], words)]
        for other in self._without:
            left_out = set(other.find(reader, check, at_once=at_once))
            found = [query for query in found if query not in left_out]
        return found

    def find_beside(self, check: Check = unchecked) -> list[int]:
        """Return what :meth:`find` does, on another thread than the session's."""
        with self._session.second_reader() as reader:
            return self.find(reader, check)

    def find_here(self) -> list[int]:
        """Return what :meth:`find` does, on the session's thread."""
        return self.find(self._session.reader)

    def _are_met(self, reader: Connection, check: Check, at_once: int) -> BoolArray:
        """Return which queries have a document that meets all chips, shape (n_queries,)."""
        if not self._pairs.named and self._is_simple:
            return self._match_windows()
        named = self._pairs.find_named(reader)
        mask = np.zeros(len(self._queries), dtype=bool)
        # Candidates: pairs of which some could meet all chips.
        for keys in named[:1] or self._iter_all(at_once):
            check()
            mask[split_keys(self._pairs.narrow(keys, named[1:], reader, check))[0]] = True
        return mask

    def _iter_all(self, at_once: int) -> Iterator[LongArray]:
        """Yield the pairs of all rankings and pools, or of those that a chip names."""
        ranked = next((chip for chip in self._pairs.rest if chip.kind in _BY_RANK), None)
        windows = self._windows([ranked] if ranked else [])
        totals = np.cumsum(sum((window.lengths for window in windows), self._pairs.settled.counts))
        parts = totals // at_once
        for number in np.unique(parts).tolist():
            queries = np.flatnonzero(parts == number)
            found = [window.keys(queries) for window in windows]
            if ranked is None:
                known = self._pairs.settled.keys
                first, last = pair_keys(queries[[0, -1]] + np.arange(2), np.zeros(2, np.int64))
                found.append(known[np.searchsorted(known, first) : np.searchsorted(known, last)])
            yield np.concatenate([_NO_KEYS, *found])

    def _windows(self, chips: Sequence[Filter]) -> list[Stretch]:
        """Return what some chips name of the runs; without any all runs and the pool."""
        if not chips:
            queries, documents = self._pool.pairs()
            ends = np.searchsorted(queries, np.arange(len(self._queries) + 1))
            whole = Stretch(ends[:-1], np.diff(ends), documents)
            return [whole, *(_window(block, 1, None) for _, block in self._pairs.runs)]
        low, high = next((c.value for c in chips if isinstance(c.value, tuple)), (1, None))
        name = self._pairs.run
        return [_window(block, low, high) for run, block in self._pairs.runs if name in (None, run)]

    def _match_windows(self) -> BoolArray:
        """Return which queries have a document there, or one that is not settled."""
        chips = [chip for chip in self._pairs.rest if chip.kind in _BY_RANK]
        windows = self._windows(chips)
        n_needed = np.zeros(len(self._queries), dtype=np.int64)
        if len(chips) < len(self._pairs.rest):
            # A ranking has no document twice: with more of them than are settled, one is not.
            n_needed = self._pairs.settled.counts
        mask = np.zeros(len(self._queries), dtype=bool)
        for window in windows:
            mask |= window.lengths > n_needed
        for window in windows:
            keys = window.keys(np.flatnonzero(~mask & (window.lengths > 0)))
            mask[split_keys(keys[~are_among(keys, self._pairs.settled.keys)])[0]] = True
        return mask


def _window(block: RunBlock, low: int, high: int | None) -> Stretch:
    lengths = block.lengths if high is None else np.minimum(block.lengths, high)
    return Stretch(
        block.offsets[:-1] + low - 1, np.maximum(lengths - (low - 1), 0), block.documents
    )


def _find_ranked(
    block: RunBlock, queries: LongArray, wanted: BoolArray, low: int, high: int | None
) -> LongArray:
    """Return the pairs of some queries that a run has from rank to rank.

    Args:
        block: the run.
        queries: their numbers.
        wanted: which documents count, by number; the last stands for all further ones.
        low: first rank, from 1.
        high: last rank; ``None`` for all.
    """
    window = _window(block, low, high)
    if int(window.lengths[queries].sum()) * _SPARSE < len(block.documents):
        keys = window.keys(queries)
        return keys[np.take(wanted, split_keys(keys)[1], mode="clip")]
    # Faster than putting together the rows of so many queries.
    rows = np.flatnonzero(np.take(wanted, block.documents, mode="clip"))
    found = np.searchsorted(block.offsets, rows, side="right") - 1
    places = rows - window.starts[found]
    is_within = (places >= 0) & (places < window.lengths[found])
    return pair_keys(found[is_within], block.documents[rows[is_within]])


class ReviewRow(NamedTuple):
    """One own judgment, with what others say of the same document.

    Attributes:
        query: number of the query.
        document: number of the document.
        judgment: what the assessor says.
        at: when they said it last, milliseconds UTC.
        others: what others say, first assessor first.
        reason: why the document cannot be judged; ``""`` where none was given.
        note: what the assessor noted, without the reason.
    """

    query: int
    document: int
    judgment: Judgment
    at: int
    others: tuple[Opinion, ...]
    reason: str = ""
    note: str = ""

    @property
    def is_disputed(self) -> bool:
        """Whether somebody else gave another grade."""
        own = self.judgment.grade
        return own is not None and any(
            each.judgment.state is State.JUDGED and each.judgment.grade != own
            for each in self.others
        )


def list_own_judgments(session: Session, *, since: int | None = None) -> list[ReviewRow]:
    """Return what the session's assessor has said, newest first; empty when nothing is said.

    Args:
        session: the project.
        since: only what was said then or later, milliseconds UTC.
    """
    assessor = session.assessor_id
    if assessor is None:
        return []
    places = session.material.place_of
    keys = [
        (places[query], document)
        for query, document in load_said_by(session.reader, assessor, since=since)
        if query in places
    ]
    said: dict[NumberPair, list[Opinion]] = {}
    for query in dict(keys):
        for place, document, opinion, _at in session.iter_judgments(query):
            said.setdefault((place, document), []).append(opinion)
    # Of what comes again nothing is said yet.
    own = {key for key in keys if any(o.assessor == session.assessor for o in said.get(key, ()))}
    return [_row(session, *key, said[key]) for key in keys if key in own]


def _row(session: Session, query: int, document: int, said: Sequence[Opinion]) -> ReviewRow:
    own = next(each for each in said if each.assessor == session.assessor)
    others = tuple(each for each in said if each.assessor != session.assessor)
    told = find_reason_of(session, query, document, session.assessor, own.judgment)
    return ReviewRow(query, document, own.judgment, own.at, others, *told)


def matching_documents(
    session: Session, query: int, documents: Sequence[int] | IntArray, filters: Sequence[Filter]
) -> list[int]:
    """Return those documents of a query that every chip lets through; see :class:`PairFilter`.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of documents, such as the list that is shown.
        filters: none lets everything through.

    Returns:
        In the order given.
    """
    members = np.asarray(documents, dtype=np.int64)
    chips, reader = PairFilter(session, filters, query), session.reader
    keys = pair_keys(np.full(len(members), query), members)
    found: list[int] = split_keys(chips.narrow(keys, chips.find_named(reader), reader))[1].tolist()
    return found


def count_quick(session: Session, chips: Sequence[Filter]) -> int | None:
    """Return how many queries all chips let through; ``None`` where a window must not wait."""
    search = QuerySearch(session, chips)
    return len(search.find_here()) if search.is_quick else None
