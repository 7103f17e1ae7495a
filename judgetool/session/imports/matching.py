"""Ids of a file beside those of the project: which match nothing, and which mean what has another id here.

Of those that match nothing it is said how many, which are nearest, and what they have in common.

Queries are joined by their texts, documents by their addresses, both compared without
blanks around them and without regard to capitals; ids by a habit that all of them share,
or by pairs that a person gives.
"""

import re
import shlex
from collections import Counter
from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar
from unicodedata import is_normalized

import numpy as np

from judgetool.core import override
from judgetool.core.judgments import Document, Query
from judgetool.core.number_text import local_count, number_of
from judgetool.formats import ClickRow, JudgmentTable, Question, Reading
from judgetool.formats.output import SEPARATORS
from judgetool.formats.records import note_number
from judgetool.session.commands import Check, unchecked
from judgetool.storage.connection import Connection
from judgetool.storage.ids import CHUNK, Numbers, find_id_numbers, find_numbers
from judgetool.storage.material import (
    iter_urls,
    load_document_ids,
    load_documents_with_text,
    load_visible_documents,
)
from judgetool.storage.values import fold_name
from judgetool.wording import N_, _, visible

# Ids that match nothing

MAX_KEPT = 1_000
MAX_NEAREST = 20
MOST_COMPARED = 200_000
# For a few strange ids the others are not all spelled anew: runs of an import name very many.
_MOST_FOR_FEW = 10_000
_CHUNK = 10_000
_SAMPLE = 20_000
_SHORTEST, _LONGEST = 3, 60
_MOST_LOOKED_UP = 100
_NUMBERED = re.compile(r"(.*?)([0-9]+)", re.DOTALL)
_NO_LETTER = re.compile(r"[\W_]+")
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")

T = TypeVar("T")


class IdRule(NamedTuple):
    """How all ids of a file differ from those that are known.

    Attributes:
        by: how much higher the known numbers are; 0 where ids are only written otherwise.
        simplify: makes of both what they have in common.
    """

    by: int = 0
    simplify: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class IdMatch:
    """How the ids that a file names fit to those that are known.

    Attributes:
        noun: ``query`` or ``document``.
        n_named: distinct ids that the file names.
        n_known: of these, ids that the project or the other files have.
        n_compared: how many ids these have; 0 if there is nothing to compare with.
        strange: the first 1,000 of the others, in the file's order.
        nearest: for the first twenty of these, the id that is most like it, if any is.
        habit: a sentence about what all the ids have in common, such as being one
            higher than those that are known; ``""`` if nothing was noticed.
        rule: the same for :func:`apply_rule`.
        n_without_text: of documents, how many of those named nobody has a text for.
    """

    noun: str
    n_named: int
    n_known: int
    n_compared: int
    strange: tuple[str, ...] = ()
    nearest: Mapping[str, str] = field(default_factory=dict)
    habit: str = ""
    rule: IdRule | None = None
    n_without_text: int = 0

    @property
    def n_strange(self) -> int:
        """How many ids match nothing."""
        return self.n_named - self.n_known

    @property
    def is_doubtful(self) -> bool:
        """Whether the file seems to belong to something else, or to be joined wrongly.

        Judgments of documents that no run has found are usual, those of other queries not.
        """
        enough = 2 if self.noun == "query" else 10
        most = self.n_named
        if self.noun == "document":
            # Of a long run no more can match than there is to match with.
            most = min(most, self.n_compared)
        is_alone = self.n_compared > 0 and self.n_known * enough < most
        return bool(self.habit) or is_alone


class Kept(list[T]):
    """Things of which all are counted and the first 1,000 kept.

    Millions of them are not kept: to let go of such a list holds every thread up.

    Attributes:
        n: how many there are.
    """

    def __init__(self, first: Iterable[T] = (), n: int = 0) -> None:
        super().__init__(first)
        self.n = n

    def add(self, *more: T) -> None:
        """Take more of them, in the file's order."""
        self.n += len(more)
        self.extend(more[: max(0, MAX_KEPT - len(self))])


class StrangeIds(Kept[str]):
    """Ids that match nothing.

    Attributes:
        n_without_text: how many of all ids, known or not, nobody has a text for.
    """

    n_without_text = 0


def find_strange(named: Sequence[str], known: Container[str], check: Check) -> StrangeIds:
    """Return those ids of a file that are not known."""
    strange = StrangeIds()
    for part in _parts(named, check):
        strange.add(*(name for name in part if name not in known))
    return strange


def match_ids(
    noun: str,
    named: Sequence[str],
    known: Set[str],
    *,
    strange: StrangeIds | None = None,
    nearest: Mapping[str, str] | None = None,
    check: Check = unchecked,
) -> IdMatch | None:
    """Compare the ids that a file names with those that are known.

    Args:
        noun: ``query`` or ``document``.
        named: distinct ids of the file, in its order.
        known: ids of the project and the other files.
        strange: those of ``named`` that are not known; ``None`` to find out.
        nearest: for the first of these the ids that are most like them; likewise.
        check: asked now and then; may raise to stop.

    Returns:
        What was found; ``None`` when every id is known, and every document's text.
    """
    if strange is None:
        strange = find_strange(named, known, check)
    if not strange.n and not strange.n_without_text:
        return None
    if nearest is None:
        nearest = find_nearest(strange[:MAX_NEAREST], known, check)
    habit, rule = (
        _find_habit(noun, named, strange, known, check) if known and strange.n else ("", None)
    )
    return IdMatch(
        noun,
        len(named),
        len(named) - strange.n,
        len(known),
        tuple(strange),
        nearest,
        habit,
        rule,
        strange.n_without_text,
    )


def apply_rule(
    rule: IdRule, named: Sequence[str], known: Set[str], check: Check = unchecked
) -> dict[str, str]:
    """Return the known id for each id of a file that a rule finds one for, and only one.

    Args:
        rule: of the file's ids.
        named: distinct ids of the file.
        known: ids of the project and the other files.
        check: asked now and then; may raise to stop.

    Examples:
        >>> apply_rule(IdRule(simplify=str.casefold), ["Q1", "q2"], {"q1", "q2"})
        {'Q1': 'q1'}
    """
    if rule.by:
        shifted = ((name, _find_shifted(name, rule.by, known)) for name in named)
        return {name: other for name, other in shifted if other is not None}
    strange = [name for part in _parts(named, check) for name in part if name not in known]
    here = _simplified(known, rule.simplify, map(rule.simplify, strange), check)
    fitting = ((name, here.get(rule.simplify(name), [])) for name in strange)
    return {name: ids[0] for name, ids in fitting if len(ids) == 1}


def distinct_ids(columns: Iterable[Sequence[str]], check: Check = unchecked) -> dict[str, None]:
    """Return the distinct ids of columns in order of appearance.

    In parts: one pass over millions of ids would hold every other thread up.
    """
    found: dict[str, None] = {}
    for column in columns:
        for part in _parts(column, check):
            found.update(dict.fromkeys(part))
    return found


def _parts(ids: Sequence[str], check: Check) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CHUNK):
        check()
        yield ids[start : start + _CHUNK]


# What all ids have in common


def _find_shifted(name: str, by: int, known: Set[str]) -> str | None:
    """Return the known id whose last number is so much higher: for ``q09`` 1 up ``q10``."""
    found = _NUMBERED.fullmatch(name)
    if found is None or len(found[2]) > 18:
        return None
    number = int(found[2]) + by
    if number < 0:
        return None
    forms = (f"{found[1]}{number}", f"{found[1]}{number:0{len(found[2])}d}")
    return next((form for form in forms if form in known), None)


def _without_zeros(name: str) -> str:
    return _ZEROS.sub("", name)


def _without_blanks(name: str) -> str:
    """Return an id as files of TREC's formats have it, where blanks part columns."""
    return SEPARATORS.sub("_", name)


def _find_habit(
    noun: str, named: Sequence[str], strange: StrangeIds, known: Set[str], check: Check
) -> tuple[str, IdRule | None]:
    """Return a sentence about a change that makes the ids match, and the change; or none."""
    # Leading zeros first: of 01 … 20 against 1 … 20 each is also one higher than another.
    found = _find_spelling(noun, named, strange, known, check)
    if found[1] is not None:
        return found
    for by in (-1, 1):
        if _fits_shifted(named, strange, known, by, check):
            pairs = ((name, _find_shifted(name, by, known)) for name in chain(strange, named))
            there, here = next(pair for pair in pairs if pair[1] is not None)
            sentence = {
                ("query", -1): _(
                    "Every query id is one higher than an id here ({there} for {here}): perhaps one "
                    "side counts from 1, the other from 0."
                ),
                ("query", 1): _(
                    "Every query id is one lower than an id here ({there} for {here}): perhaps one "
                    "side counts from 1, the other from 0."
                ),
                ("document", -1): _(
                    "Every document id is one higher than an id here ({there} for {here}): perhaps "
                    "one side counts from 1, the other from 0."
                ),
                ("document", 1): _(
                    "Every document id is one lower than an id here ({there} for {here}): perhaps "
                    "one side counts from 1, the other from 0."
                ),
            }[noun, by].format(there=there, here=here)
            return sentence, IdRule(by)
    return "", None


def _find_spelling(
    noun: str, named: Sequence[str], strange: StrangeIds, known: Set[str], check: Check
) -> tuple[str, IdRule | None]:
    """Return a sentence about another way of writing the same ids, and that; or none."""
    # Of a few ids one cannot speak as of all, unless it holds for each that is strange.
    is_mostly_strange = strange.n * 2 > len(named)
    if not (is_mostly_strange or len(known) <= _MOST_FOR_FEW):
        return "", None
    enough = 9 if is_mostly_strange else 10
    sentences: tuple[tuple[str, Callable[[str], str]], ...] = (
        (_("The query ids match but for blanks around them"), str.strip),
        (_("The query ids match but for leading zeros"), _without_zeros),
        (_("The query ids match but for capital letters"), str.casefold),
        (_("The query ids match but for _ in place of blanks"), _without_blanks),
        (_("The query ids match but for what stands before the number"), _number_of),
    )
    if noun == "document":
        sentences = (
            (_("The document ids match but for blanks around them"), str.strip),
            (_("The document ids match but for leading zeros"), _without_zeros),
            (_("The document ids match but for capital letters"), str.casefold),
            (_("The document ids match but for _ in place of blanks"), _without_blanks),
            (_("The document ids match but for what stands before the colons"), _own_of),
            (_("The document ids match but for what stands before the number"), _number_of),
        )
    # Of one id only blanks are telling, which nobody sees.
    for sentence, simplify in sentences if strange.n > 1 else sentences[:1]:
        theirs = [simplify(name) for name in strange]
        if not any(theirs) or len(set(theirs)) < len(theirs):
            continue
        here = _simplified(known, simplify, theirs, check)
        n_fitting = sum(name in here for name in theirs)
        if n_fitting * 10 >= len(theirs) * enough:
            place = next(at for at, name in enumerate(theirs) if name in here)
            example = _("‘{there}’ in the file, ‘{here}’ here").format(
                there=strange[place], here=here[theirs[place]][0]
            )
            return f"{sentence} ({example}).", IdRule(simplify=simplify)
    return "", None


def _fits_shifted(
    named: Sequence[str], strange: StrangeIds, known: Set[str], by: int, check: Check
) -> bool:
    """Whether ids fit when their number is raised: all of them, or most where few fit as they are.

    One id too many is telling where a file names nearly all ids: of 1 … 20 against
    0 … 19 only 20 matches nothing.
    """
    is_mostly_strange = strange.n * 2 > len(named)
    if len(named) < 2 or not (is_mostly_strange or len(named) * 10 >= len(known) * 9):
        return False
    # Of very many ids some tell enough, where not all have to fit.
    step = max(1, len(named) // _SAMPLE) if is_mostly_strange else 1
    asked = named[::step]
    n_misfits, most_misfits = 0, len(asked) * 0.1 if is_mostly_strange else 0
    for part in _parts(asked, check):
        n_misfits += sum(_find_shifted(name, by, known) is None for name in part)
        if n_misfits > most_misfits:
            return False
    return True


def _own_of(name: str) -> str:
    """Return the document's own id of Vespa's ``id:namespace:type::own``; all of any other."""
    return (name.startswith("id:") and name.partition("::")[2]) or name


def _number_of(name: str) -> str:
    found = _NUMBERED.fullmatch(name)
    return found[2] if found else ""


def _simplified(
    known: Iterable[str], simplify: Callable[[str], str], wanted: Iterable[str], check: Check
) -> dict[str, list[str]]:
    """Return those known ids that become one of the wanted ones, by what they become.

    What becomes nothing at all is like no other.
    """
    simple_ids = frozenset(wanted) - {""}
    found: dict[str, list[str]] = {}
    for number, name in enumerate(known):
        if number % _CHUNK == 0:
            check()
        simple = simplify(name)
        if simple in simple_ids:
            found.setdefault(simple, []).append(name)
    return found


# The nearest id


def _bare(name: str) -> str:
    """Return an id without what people write in different ways."""
    return _without_zeros(_NO_LETTER.sub("", name.casefold()))


def find_nearest(
    strange: Sequence[str],
    known: Iterable[str],
    check: Check = unchecked,
    *,
    may_compare: Callable[[str, str], bool] = lambda _strange, _known: True,
) -> dict[str, str]:
    """Return the known ids most like some strange ones, for those that have one.

    Alike are ids that differ in blanks, signs, capitals or leading zeros only, and
    those one character apart (changed, added, left out, or swapped with its neighbour).

    Args:
        strange: a few ids.
        known: many; of these the first 200,000 are looked at.
        check: asked now and then; may raise to stop.
        may_compare: whether a strange id (the first) is compared with a known one (the
            second) at all.

    Examples:
        >>> find_nearest(["r0O7", "7", "zzz"], ["r007", "r019", "007"])
        {'r0O7': 'r007', '7': '007'}
    """
    wanted_bare: dict[str, list[str]] = {}
    for name in strange:
        wanted_bare.setdefault(_bare(name), []).append(name)
    # Short ids are one character apart from all others; long ones are texts.
    near = [name for name in strange if _SHORTEST <= len(name) <= _LONGEST]
    found: dict[str, tuple[int, str]] = {}
    names = islice(known, MOST_COMPARED)
    while part := list(islice(names, _CHUNK)):
        check()
        for name in part:
            for other in wanted_bare.get(_bare(name), ()):
                if may_compare(other, name):
                    _keep_nearer(found, other, (0, name))
        for other, name in _one_apart(near, part):
            if may_compare(other, name):
                _keep_nearer(found, other, (1, name))
    return {name: found[name][1] for name in strange if name in found}


def _one_apart(strange: Sequence[str], known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of ids that are one character apart."""
    # Only where a file's ids match nothing: not with every start of the program.
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - said above
    from rapidfuzz.process import cdist  # noqa: PLC0415 - said above

    if strange:
        distances = cdist(strange, known, scorer=OSA.distance, score_cutoff=1)
        for row, column in np.argwhere(distances <= 1).tolist():
            yield strange[row], known[column]


def _keep_nearer(found: dict[str, tuple[int, str]], name: str, candidate: tuple[int, str]) -> None:
    if name not in found or candidate < found[name]:
        found[name] = candidate


# Documents: the project is asked by its index, as millions of ids are never gathered in one
# set, and the files share one table of who names what.

_NOUN = "document"
_SEVERAL = -1


def match_documents(
    reader: Connection,
    described: Mapping[str, Document],
    named: Sequence[Sequence[str]],
    *,
    are_parts: bool = False,
    check: Check,
) -> list[IdMatch | None]:
    """Compare the documents that each file names with the project's and the other files'.

    Args:
        reader: a connection of the calling thread.
        described: documents of the files, by id.
        named: distinct ids of each file.
        are_parts: whether the files are of one kind: each may have its own documents.
        check: asked now and then; may raise to stop.

    Returns:
        For each file what was found; ``None`` where every document and its text is known.
    """
    here = DocumentIds(reader, described)
    if here:
        return [
            match_ids(_NOUN, ids, here, strange=here.find_strange(ids, check), check=check)
            for ids in named
        ]
    if len(named) == 1 or are_parts:
        # Nothing to compare with: as many as there are, one look is enough.
        return [_all_strange(ids) if ids else None for ids in named]
    return _match_files(named, check)


def _all_strange(ids: Sequence[str]) -> IdMatch:
    return IdMatch(_NOUN, len(ids), 0, 0, tuple(ids[:MAX_KEPT]), n_without_text=len(ids))


class DocumentIds(Set[str]):
    """The documents that a project has and the files describe, asked for where they are."""

    def __init__(self, reader: Connection, described: Mapping[str, Document]) -> None:
        self._reader = reader
        self._is_visible = load_visible_documents(reader)
        self._has_text = load_documents_with_text(reader, len(self._is_visible))
        self._described = described
        numbers = self._find_counted(list(described))
        n_both = int(np.count_nonzero(self._is_visible[numbers]))
        self._count = int(np.count_nonzero(self._is_visible)) + len(described) - n_both

    @override
    def __len__(self) -> int:
        return self._count

    @override
    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not self.find_strange([name], lambda: None).n

    @override
    def __iter__(self) -> Iterator[str]:
        numbers = np.flatnonzero(self._is_visible)
        for start in range(0, len(numbers), CHUNK):
            part = numbers[start : start + CHUNK].tolist()
            for name in load_document_ids(self._reader, part).values():
                if name not in self._described:
                    yield name
        yield from self._described

    def find_strange(self, ids: Sequence[str], check: Check) -> StrangeIds:
        """Return those of some ids that are not known."""
        strange = StrangeIds()
        for start in range(0, len(ids), CHUNK):
            check()
            part = ids[start : start + CHUNK]
            numbers = self._find_counted(part)
            places = np.flatnonzero(~self._is_visible[numbers]).tolist()
            strange.add(*(part[place] for place in places if part[place] not in self._described))
            bare = np.flatnonzero(~self._has_text[numbers]).tolist()
            strange.n_without_text += sum(not self._is_described(part[place]) for place in bare)
        return strange

    def _find_counted(self, ids: Sequence[str]) -> Numbers:
        """Return the numbers of ids; 0 also for what others have added since all were counted."""
        numbers = find_id_numbers(self._reader, "documents", ids)
        numbers[numbers >= len(self._is_visible)] = 0
        return numbers

    def _is_described(self, name: str) -> bool:
        document = self._described.get(name)
        return document is not None and document.has_text


class _OtherIds(Set[str]):
    """What the other files of an import name.

    Args:
        owners: by id which file names it, or that several do.
        file: the one that the others are others of.
        n_own: how many ids nobody else names.
    """

    def __init__(self, owners: dict[str, int], file: int, n_own: int) -> None:
        self._owners = owners
        self._file = file
        self._count = len(owners) - n_own

    @override
    def __len__(self) -> int:
        return self._count

    @override
    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._owners.get(name, self._file) != self._file

    @override
    def __iter__(self) -> Iterator[str]:
        return (name for name, owner in self._owners.items() if owner != self._file)

    def find_strange(self, named: Sequence[str], check: Check) -> StrangeIds:
        """Return those ids of the file that no other names.

        As :func:`find_strange` does, without a call for each of millions of ids.
        """
        owners, file, strange = self._owners, self._file, StrangeIds()
        for part in _parts(named, check):
            strange.add(*[name for name in part if owners[name] == file])
        return strange


def _match_files(named: Sequence[Sequence[str]], check: Check) -> list[IdMatch | None]:
    owners: dict[str, int] = {}
    for file, ids in enumerate(named):
        check()
        for name in ids:
            owners[name] = _SEVERAL if name in owners else file
    n_own = Counter(owners.values())
    others = [_OtherIds(owners, file, n_own[file]) for file in range(len(named))]
    strange = [other.find_strange(ids, check) for ids, other in zip(named, others, strict=True)]
    for ids, own in zip(named, strange, strict=True):
        own.n_without_text = len(ids)
    # One pass for all files: an id is strange to one of them only.
    nearest = find_nearest(
        [name for each in strange for name in each[:MAX_NEAREST]],
        owners,
        check,
        may_compare=lambda name, other: owners[other] != owners[name],
    )
    return [
        match_ids(
            _NOUN,
            ids,
            other,
            strange=own,
            nearest={name: nearest[name] for name in own[:MAX_NEAREST] if name in nearest},
            check=check,
        )
        for ids, other, own in zip(named, others, strange, strict=True)
    ]


# Ids that are others than they look

# Blanks at an end, and all that are no plain blank, are as little seen as what takes no room.
_UNSEEN = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb]|[^\S ]|^ | \Z"
)
_ABOUT = 30


def _are_plain(ids: Sequence[str]) -> bool:
    """Whether all that ids hold is seen: most are, and millions of them are asked at once."""
    text = " ".join(ids)
    return (
        text.isascii()
        and text.isprintable()
        and "  " not in text
        and not text.startswith(" ")
        and not text.endswith(" ")
    )


def tell_lookalikes(reading: Reading, check: Check = unchecked) -> list[str]:
    """Return what is said of ids with characters that are not seen, or letters put together of several."""
    texts = [[each.id for each in reading.queries], [each.id for each in reading.documents]]
    columns = [*_columns(reading, "query"), *_columns(reading, "document"), *texts]
    odd = [
        name
        for column in columns
        for part in _parts(column, check)
        if not _are_plain(part)
        for name in part
    ]
    unseen = {name: found.start() for name in odd if (found := _UNSEEN.search(name))}
    composed = dict.fromkeys(name for name in odd if not is_normalized("NFC", name))
    notes: list[str] = []
    example, at = next(iter(unseen.items()), (" ", 0))
    sign = example[at]
    note_number(
        notes,
        len(unseen),
        "{n} id holds a character that is not seen: ‘{id}’ ({sign}).",
        "{n} ids hold characters that are not seen, such as ‘{id}’ ({sign}).",
        id=_around(example, at, visible),
        sign=_("a blank at an end") if sign == " " else f"U+{ord(sign):04X}",
    )
    example = next(iter(composed), "")
    pairs = (example[place : place + 2] for place in range(len(example)))
    at = next((place for place, pair in enumerate(pairs) if not is_normalized("NFC", pair)), 0)
    note_number(
        notes,
        len(composed),
        "{n} id has a letter in several signs, and is another than one that looks the same: ‘{id}’.",
        "{n} ids have letters in several signs, and are others than those that look the same, such "
        "as ‘{id}’.",
        id=_around(example, at, lambda text: ascii(text)[1:-1]),
    )
    return notes


def _around(name: str, at: int, told: Callable[[str], str]) -> str:
    """Return what of a long id stands about a place, in signs that tell it, with … where it is cut."""
    first, last = max(0, at - _ABOUT), at + _ABOUT
    return f"{'…' * (first > 0)}{told(name[first:last])}{'…' * (last < len(name))}"


def tell_other_ids(reading: Reading, named: Set[str]) -> list[str]:
    """Return what is said of a table of queries whose ids are not those that are known, but stand in it.

    Args:
        reading: the table.
        named: ids of queries that the project has, or runs and judgments name.
    """
    if any(query.id in named for query in reading.queries):
        return []
    for place, use in enumerate(reading.columns):
        cells = [row[place] for row in reading.sample_rows if row[place]]
        if 1 < len(cells) == len({*cells}) and 2 * sum(cell in named for cell in cells) > len(
            cells
        ):
            said = _(
                "Runs, judgments or the project name these queries by what stands in the column "
                "‘{column}’, which is not taken for their ids: choose ‘{role}’ for it (in a command, "
                "--column {pair})."
            )
            pair = shlex.quote(f"{use.header}=query_id")
            return [said.format(column=visible(use.header), role=_("query"), pair=visible(pair))]
    return []


# Ids that mean what has another id here

Ids = Mapping[str, str]
JOIN = {"query": "join", "document": "join-documents"}
"""Names of the questions whether what has the same text, or address, is the same."""
MAP_IDS = {"query": "query-ids", "document": "document-ids"}
"""Names of the questions whether ids are to be taken as the project writes them."""

_PLURALS = {"query": "queries", "document": "documents"}
_SAME = {"query": "text", "document": "address"}


def named_ids(reading: Reading, noun: str, check: Check = unchecked) -> Sequence[str]:
    """Return the distinct ids of queries or documents that a file names, in its order."""
    columns = _columns(reading, noun)
    if len(reading.runs) == 1 and not (reading.judgments or reading.clicks or reading.queries):
        # A run names each id once.
        return columns[0]
    return list(distinct_ids(columns, check))


def _columns(reading: Reading, noun: str) -> list[list[str]]:
    """Return the ids of queries or documents as runs, judgments and clicks name them.

    With those of queries without a text, such as of responses without results.
    """
    table = reading.judgments or JudgmentTable()
    columns = [getattr(each, f"{noun}_ids") for each in (*reading.runs, table)]
    if noun == "query":
        columns.append([query.id for query in reading.queries if not query.text])
    return [*columns, [getattr(row, f"{noun}_id") for row in reading.clicks]]


def is_ranked(reading: Reading) -> bool:
    """Whether no two ids of a file may become the same: it has rankings, or counts of clicks."""
    return bool(reading.runs or reading.clicks)


_SWAPPED_IDS = {
    "query": N_(
        "The query ids are documents of this project: have the columns of queries and documents changed "
        "places?"
    ),
    "document": N_(
        "The document ids are queries of this project: have the columns of queries and documents "
        "changed places?"
    ),
}


def tell_swapped(
    matches: Iterable[IdMatch], queries: Container[str], documents: Container[str]
) -> list[IdMatch]:
    """Return matches of a file's queries and documents with what is said where these changed places.

    Args:
        matches: of the file.
        queries: ids that are known.
        documents: likewise.
    """
    others = {"query": documents, "document": queries}
    found = list(matches)
    if not all(_are_others(each, others[each.noun]) for each in found) or len(found) < len(others):
        return found
    return [replace(each, habit=_(_SWAPPED_IDS[each.noun]), rule=None) for each in found]


def _are_others(match: IdMatch, others: Container[str]) -> bool:
    """Whether most ids match nothing and are known as ids of the other sort."""
    sample = match.strange[:_MOST_LOOKED_UP]
    is_strange = match.n_compared > 0 and match.n_strange * 2 > match.n_named
    return is_strange and sum(name in others for name in sample) * 2 > len(sample)


class QueryJoins:
    """Which queries of a file have the text of a query that is known by another id."""

    def __init__(self) -> None:
        self._by_text: dict[str, set[str]] = {}
        self._n_known = 0

    def find(self, reading: Reading, known: Mapping[str, Query], check: Check) -> Ids:
        """Return the known id for each id of a file that stands for the same text.

        Args:
            reading: the file; where it gives no text of a query, its id may be one.
            known: queries of the project and of the files before, by id.
            check: asked now and then; may raise to stop.
        """
        if not known:
            return {}
        if len(known) != self._n_known:
            self._by_text = _by_folded((query.text, query.id) for query in known.values())
            self._n_known = len(known)
        texts = {query.id: query.text for query in reading.queries}
        named = {**texts, **dict.fromkeys(named_ids(reading, "query", check), "")}
        pairs = []
        for name in named:
            text = texts.get(name) or name
            here = known.get(name)
            is_other = here is not None and here.text and fold_name(here.text) != fold_name(text)
            if here is None or (is_other and texts.get(name)):
                pairs.append((name, self._by_text.get(fold_name(text), set())))
        return _unambiguous(pairs, named, is_strict=is_ranked(reading))


def find_document_joins(
    reader: Connection, reading: Reading, described: Mapping[str, Document], check: Check
) -> Ids:
    """Return the known id for each id of a file's document that has the same address.

    Args:
        reader: a connection of the calling thread.
        reading: the file; an id may be an address.
        described: documents of the files before, by id.
        check: asked now and then; may raise to stop.
    """
    if not described and next(iter_urls(reader), None) is None:
        return {}
    candidates = {document.id: document.url for document in reading.documents if document.url}
    for column in _columns(reading, "document"):
        check()
        candidates.update((name, name) for name in column if "://" in name)
    if not candidates:
        return {}
    numbers = find_numbers(reader, "documents", list(candidates))
    strange = {
        name: fold_name(url)
        for name, url in candidates.items()
        if name not in numbers and name not in described
    }
    if not strange:
        return {}
    wanted = set(strange.values())
    known = [(url, name) for url, name in iter_urls(reader) if fold_name(url) in wanted]
    known += [(each.url, each.id) for each in described.values() if fold_name(each.url) in wanted]
    by_url = _by_folded(known)
    pairs = [(name, by_url.get(url, set())) for name, url in strange.items()]
    named = named_ids(reading, "document", check)
    return _unambiguous(pairs, named, is_strict=is_ranked(reading))


def _by_folded(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for text, name in pairs:
        if text.strip():
            found.setdefault(fold_name(text), set()).add(name)
    return found


def _unambiguous(
    pairs: Iterable[tuple[str, set[str]]], named: Iterable[str], *, is_strict: bool
) -> Ids:
    """Return those pairs of which nothing is in doubt: one id there, one here.

    Args:
        pairs: ids of the file, each with those that it may stand for.
        named: all ids that the file names.
        is_strict: whether no two of its ids may become the same.
    """
    single = {name: next(iter(ids)) for name, ids in pairs if len(ids) == 1}
    kept = {name: target for name, target in single.items() if name != target}
    if not is_strict:
        return kept
    counts = Counter(kept.values())
    # What a file also names by the project's id would come twice.
    taken = set(named) - kept.keys()
    return {name: to for name, to in kept.items() if counts[to] == 1 and to not in taken}


def agreeing(ids: Ids, named: Iterable[str], *, is_strict: bool) -> Ids:
    """Return the part of a map of ids that a file can be read by; see :func:`_unambiguous`."""
    names = list(named)
    pairs = [(name, {ids[name]}) for name in names if name in ids]
    return _unambiguous(pairs, names, is_strict=is_strict)


def join_question(noun: str, ids: Ids, n_named: int) -> Question:
    """Return the question whether what has the same text or address is the same."""
    (there, here), named = next(iter(ids.items())), local_count(n_named)
    if noun == "query":
        what = number_of(
            len(ids),
            "1 query of {named} in the file has the text of a query here under another id (‘{there}’ in "
            "the file, ‘{here}’ here). Is it the same?",
            "{n} of {named} queries in the file have the text of queries here under another id "
            "(‘{there}’ in the file, ‘{here}’ here). Are they the same?",
            named=named,
            there=there,
            here=here,
        )
    else:
        what = number_of(
            len(ids),
            "1 document of {named} in the file has the address of a document here under another id "
            "(‘{there}’ in the file, ‘{here}’ here). Is it the same?",
            "{n} of {named} documents in the file have the address of documents here under another "
            "id (‘{there}’ in the file, ‘{here}’ here). Are they the same?",
            named=named,
            there=there,
            here=here,
        )
    return Question(
        JOIN[noun],
        what,
        {"yes": _("The same: the ids of the project count"), "no": _("Others: they are added")},
    )


def with_ids(reading: Reading, noun: str, ids: Ids, *, without_texts: bool = False) -> Reading:
    """Return a file with other ids of queries or documents.

    Args:
        reading: the file.
        noun: ``query`` or ``document``.
        ids: from its ids to those of the project; others stay.
        without_texts: leave out the texts by which queries were joined: they are here.
    """

    def other(name: str) -> str:
        return ids.get(name, name)

    def renamed(holder: T) -> T:
        column = f"{noun}_ids"
        changes: dict[str, Any] = {column: list(map(other, getattr(holder, column)))}
        return replace(holder, **changes)  # type: ignore[type-var]  # runs and judgments are records

    is_query = noun == "query"
    gone: dict[str, Any] = {"text": ""} if is_query and without_texts else {}
    texts: dict[str, Any] = {
        _PLURALS[noun]: [
            replace(each, id=ids[each.id], **gone) if each.id in ids else each
            for each in getattr(reading, _PLURALS[noun])
        ]
    }
    own = f"{noun}_id"

    def counted(row: ClickRow) -> ClickRow:
        changes: dict[str, Any] = {own: other(getattr(row, own))}
        return row._replace(**changes)

    return replace(
        reading,
        runs=list(map(renamed, reading.runs)),
        judgments=reading.judgments and renamed(reading.judgments),
        pool=[(other(q), d) if is_query else (q, other(d)) for q, d in reading.pool],
        clicks=list(map(counted, reading.clicks)),
        **texts,
    )


def map_question(match: IdMatch) -> Question:
    """Return the question whether ids are to be taken as the project writes them."""
    ask = _("Take the query ids of the file as those here?")
    if match.noun == "document":
        ask = _("Take the document ids of the file as those here?")
    return Question(
        MAP_IDS[match.noun],
        f"{match.habit} {ask}",
        {
            "map": _("Yes: the ids of the project count"),
            "keep": _("No: they are added as they are"),
        },
        "keep",
    )
