"""Filters: as they are typed, as chips say them, and which queries and documents meet them.

They are found at once, or beside the window where that takes long.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QObject, Signal

from judgetool.core.judgments import CONFIDENCES
from judgetool.core.scale import Scale
from judgetool.errors import CommandRefusedError
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_grade
from judgetool.session.finding import (
    CATEGORY,
    FILTER_KINDS,
    IS,
    ME,
    TEXT_KINDS,
    WORD,
    Filter,
    FilterKind,
    QuerySearch,
    field_chip,
    field_of,
    find_condition,
    format_filter,
    look_into_texts,
    matching_documents,
    needs_value,
    split_words,
)
from judgetool.session.session import Session
from judgetool.session.systems import query_groups
from judgetool.wording import N_, _, mid_sentence, own_words, sentence_start

ASKED_OF_ME = Filter("asked", ME)
# ``has:note``, and no address.
_LIKE_CONDITION = re.compile(r"(?<!\S)[a-z_]+:[^\s/]")
_MOST_NAMES = 50

TITLES: Mapping[FilterKind, str] = {
    "unjudged": N_("Unjudged"),
    "judged": N_("Judged"),
    "disputed": N_("Disputed"),
    "conflict": N_("Copies differ"),
    "flagged": N_("Flagged"),
    "noted": N_("With a note"),
    "cannot_judge": N_("Cannot judge"),
    "skipped": N_("Skipped"),
    "no_text": N_("No text"),
    "has_rationale": N_("With a rationale"),
    "mine": N_("Mine"),
    "grade": N_("Grade"),
    "run": N_("Run"),
    "rank": N_("Rank"),
    "text": N_("Text"),
    "by": N_("By"),
    "asked": N_("Asked of"),
    "differs_from": N_("Differs from"),
    "changed_since": N_("Changed since"),
    "confidence": N_("How sure"),
    "category": N_("Category"),
    "field": N_("Field"),
}
"""What each kind is called in menus and on chips."""

REVEALING: frozenset[FilterKind] = frozenset(
    {"run", "rank", "disputed", "conflict", "by", "differs_from", "judged", "changed_since"}
)
"""Kinds that tell a blind assessor of runs, ranks or what others have said."""

ON_WHAT_IS_SAID: frozenset[FilterKind] = frozenset(
    {"flagged", "noted", "cannot_judge", "skipped", "has_rationale", "confidence", "grade"}
)
"""Kinds that look at anybody's judgments, unless ‘mine’ stands beside them."""


class Typed(NamedTuple):
    """What stands in a filter's field.

    Attributes:
        chips: whole conditions, in the order typed.
        words: what is looked for in texts, parted by single blanks.
    """

    chips: tuple[Filter, ...] = ()
    words: str = ""


def read_typed(
    text: str,
    is_id: Callable[[str], bool] = lambda _word: False,
    names: Collection[str] = (),
) -> Typed:
    """Return the conditions and the words of a text: ``grade:2 -is:flagged leek soup``.

    A condition that is not finished, such as ``grade:``, counts as neither.

    Args:
        text: as typed.
        is_id: whether a word is an id: then a ``-`` in front is its own.
        names: of fields of queries, which ``lang=ar`` asks for.
    """
    chips: list[Filter] = []
    words: list[str] = []
    for word in WORD.findall(text):
        chip = None if is_id(word) else find_chip(word, names)
        if chip is not None:
            chips.append(chip)
        elif not _is_begun(word):
            words.append(word.strip("'\""))
    return Typed(tuple(dict.fromkeys(chips)), " ".join(word for word in words if word))


def find_chip(word: str, names: Collection[str] = ()) -> Filter | None:
    """Return the condition that one word states, or ``None``; after a ``-`` any word is one."""
    try:
        ((plain, is_not),) = split_words(word)
        chip = find_condition(plain, names)
    except (CommandRefusedError, ValueError):
        return None
    if is_not and chip is None:
        return None if _is_begun(plain) else Filter("text", plain, is_not=True)
    return None if chip is None else chip._replace(is_not=is_not)


def _is_begun(word: str) -> bool:
    if word == "-":
        return True
    word = word.removeprefix("-")
    name, colon, value = word.partition(":")
    if not colon:
        return False
    if name == "is":
        return any(kind.startswith(value) for kind in FILTER_KINDS if not needs_value(kind))
    return (
        name in FILTER_KINDS
        and needs_value(name)
        and (not value or name in ("grade", "rank", "field"))
    )


def hint_at_conditions(words: str) -> str:
    """Return how conditions are typed, to follow a sentence, where a word looks like one that there is not."""
    if _LIKE_CONDITION.search(words) is None:
        return ""
    return " " + _("Conditions are typed like is:noted or grade:2; the + lists them all.")


def type_chip(chip: Filter) -> str:
    """Return a condition as it is typed into the field; :func:`find_chip` reads it back."""
    if chip.is_not:
        typed = type_chip(chip.turned)
        is_word = chip.kind == "text" and not any(sign in typed for sign in " '\"=")
        return f"-{typed.removeprefix('text:') if is_word else typed}"
    if chip.kind == "field":
        return shlex.quote(str(chip.value))
    return format_filter(chip) if needs_value(chip.kind) else f"{IS}{chip.kind}"


def describe_chip(chip: Filter, scale: Scale | None = None, *, among: Iterable[Filter] = ()) -> str:
    """Return what a chip says: ``Grade 2, relevant``, ``Rank 1–10 in any run``, ``“leek soup”``.

    Args:
        chip: the condition.
        scale: names grades; ``None`` leaves them as numbers.
        among: all conditions that hold: a run among them is the one that ranks are of.
    """
    if chip.is_not:
        # By itself: a run beside it is not that of its ranks.
        return _("Not: {condition}").format(condition=_describe_met(chip, scale, ()))
    return _describe_met(chip, scale, among)


def _describe_met(chip: Filter, scale: Scale | None, among: Iterable[Filter]) -> str:
    value, title = chip.value, _(TITLES[chip.kind])
    if value is None or (chip.kind, value) == ASKED_OF_ME[:2]:
        return title if value is None else _("Asked of me")
    if chip.kind == "text":
        return own_words(str(value))
    if isinstance(value, tuple):
        run = next(
            (_("in {run}").format(run=each.value) for each in among if each.kind == "run"),
            _("in any run"),
        )
        span = f"{value[0]}–{value[1]}" if value[0] != value[1] else f"{value[0]}"
        return f"{title} {span} {run}"
    if chip.kind == "grade":
        level = scale.find_level(float(str(value))) if scale is not None else None
        name = f", {mid_sentence(level.shown_name)}" if level is not None else ""
        return f"{title} {format_grade(float(str(value)))}{name}"
    if chip.kind == "confidence":
        return sentence_start(_(CONFIDENCES[int(str(value))]))
    name, content = field_of(chip) if chip.kind == "field" else (title, value)
    return f"{name} {content or '–'}"


def with_chip(chips: Iterable[Filter], chip: Filter) -> tuple[Filter, ...]:
    """Return conditions with one more; of a kind of which only one can hold the old one gives way."""
    is_single = chip.kind in _SINGLE and not chip.is_not
    kept = (
        other
        for other in chips
        if other not in (chip, chip.turned)
        and not (is_single and _is_of_same(other, chip) and not other.is_not)
    )
    return (*kept, chip)


_SINGLE: frozenset[FilterKind] = frozenset(
    {"grade", "rank", "run", "confidence", "category", "field"}
)


def _is_of_same(one: Filter, other: Filter) -> bool:
    """Whether two chips ask for the same kind of thing; of fields only where it is the same field."""
    is_same = one.kind == other.kind
    return is_same and (one.kind != "field" or field_of(one)[0] == field_of(other)[0])


def visible_chips(chips: Iterable[Filter], *, is_blind: bool) -> tuple[Filter, ...]:
    """Return the conditions that count: blind, only those that tell nothing, on what one said."""
    if not is_blind:
        return tuple(chips)
    # What is not so of anybody's judgments tells of others', too.
    hidden = (*ON_WHAT_IS_SAID, "unjudged")
    told = tuple(
        chip
        for chip in chips
        if chip.kind not in REVEALING and not (chip.is_not and chip.kind in hidden)
    )
    needs_mine = any(chip.kind in ON_WHAT_IS_SAID for chip in told)
    return (*told, Filter("mine")) if needs_mine and Filter("mine") not in told else told


def completions(session: Session | None, *, is_blind: bool = False) -> list[str]:
    """Return what can be typed in a project's fields, for completing."""
    plain = [Filter(kind) for kind in FILTER_KINDS if not needs_value(kind)]
    chips = [*plain, Filter("rank", (1, 5)), Filter("rank", (1, 10))]
    if session is not None:
        chips += [chip for kind in FILTER_KINDS for chip in known_values(session, kind)]
    hidden = REVEALING if is_blind else frozenset()
    return list(dict.fromkeys(type_chip(chip) for chip in chips if chip.kind not in hidden))


def known_values(session: Session, kind: FilterKind) -> list[Filter]:
    """Return the chips of a kind that make sense in a project; empty where any text does."""
    if kind == "grade":
        return [Filter(kind, level.grade) for level in session.scale.levels]
    if kind == "confidence":
        return [Filter(kind, number) for number in CONFIDENCES]
    if kind == "field":
        groups = query_groups(session, most=_MOST_NAMES)
        return [field_chip(each.name, each.content) for each in groups if each.name != CATEGORY]
    names: Iterable[str] = ()
    if kind == "run":
        names = (run.name for run in session.material.runs)
    elif kind == "by":
        names = session.assessors
    elif kind == "asked":
        names = [*([ME] if session.asks.pairs else []), *session.find_asked()]
    elif kind == "differs_from":
        names = (name for name in session.assessors if name != session.assessor)
    elif kind == "category":
        names = sorted({query.category for query in session.material.queries} - {""})
    found = [name for name in dict.fromkeys(names) if name.strip()]
    return [Filter(kind, name) for name in found[:_MOST_NAMES]]


def fields_of(session: Session) -> dict[str, list[Filter]]:
    """Return the chips on each field of the queries that has a few contents, by its name."""
    found: dict[str, list[Filter]] = {}
    for chip in known_values(session, "field"):
        found.setdefault(field_of(chip)[0], []).append(chip)
    return found


T = TypeVar("T")


class Finder(QObject):
    """Looks for something, at once or beside the window.

    Signals:
        found: what was looked for beside the window is there.

    Attributes:
        jobs: where long searches run; ``None`` runs them at once.
    """

    found = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs: Jobs | None = None
        self._session: Session | None = None
        self._handle: JobHandle | None = None

    @property
    def is_looking(self) -> bool:
        """Whether something is looked for beside the window."""
        return self._handle is not None

    def drop(self) -> None:
        """Look for nothing any more."""
        if self._handle is not None:
            self._handle.drop()
            self._handle = None

    def _look_beside(
        self, jobs: Jobs, work: Callable[[JobHandle], T], take: Callable[[T], object]
    ) -> None:
        def finish(found: T) -> None:
            self._handle = None
            take(found)
            self.found.emit()

        self._handle = jobs.submit(work, finish, owner=self)


class QueryFinder(Finder):
    """Keeps the queries that meet the chips, and finds them anew when that is asked for.

    Attributes:
        chips: the conditions.
        met: queries that meet them; while others are looked for, those found before;
            ``None`` for all.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.chips: tuple[Filter, ...] = ()
        self.met: set[int] | None = None
        self._is_due = False

    def set_session(self, session: Session | None) -> None:
        """Look in another project; nothing is kept of the one before."""
        self.drop()
        self._session, self.met = session, None
        self._is_due = bool(self.chips)

    def set_chips(self, chips: Sequence[Filter]) -> None:
        """Look for queries that meet these from now on."""
        self.chips = tuple(chips)
        self.forget()

    def forget(self) -> None:
        """Look anew when :meth:`look` is called next: what counts has changed."""
        self._is_due = True

    def look(self) -> set[int] | None:
        """Return :attr:`met`, found anew if that is due and quick; else look beside."""
        if self._is_due:
            self._is_due = False
            self.drop()
            self._start()
        return self.met

    def _start(self) -> None:
        session = self._session
        if session is None or not self.chips:
            self.met = None
            return
        search = QuerySearch(session, self.chips)
        if self.jobs is None or search.is_quick:
            self.met = set(search.find_here())
            return

        def take(met: set[int]) -> None:
            self.met = met

        self._look_beside(self.jobs, lambda h: set(search.find_beside(h.check)), take)


# So many texts are read and searched before anybody sees that the window waits.
MOST_AT_ONCE = 100


class DocumentFilter(Finder):
    """Chips on the documents of a query.

    Attributes:
        kept: which documents meet which chip on texts, so far as it was looked for.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._query: int | None = None
        self._documents: Sequence[int] = ()
        self.kept: dict[Filter, set[int]] = {}

    def set_documents(
        self, session: Session | None, query: int | None, documents: Sequence[int]
    ) -> None:
        """Filter these documents of a query from now on; nothing is kept of those before."""
        self.drop()
        self._session, self._query = session, query
        self._documents, self.kept = documents, {}

    def has(self, chips: Iterable[Filter]) -> bool:
        """Whether nothing need be looked for, or so little that it is done at once."""
        is_quick = self.jobs is None or len(self._documents) <= MOST_AT_ONCE
        return is_quick or not self._missing(chips)

    def find(self, documents: Sequence[int], chips: Iterable[Filter]) -> set[int]:
        """Return those documents that meet all chips now, whatever must be searched for it."""
        met = set(documents)
        session, query = self._session, self._query
        if session is None or query is None:
            return met
        chips = tuple(chips)
        rest = [chip for chip in chips if chip.kind not in TEXT_KINDS]
        if rest:
            met = set(matching_documents(session, query, documents, rest))
        self.kept |= look_into_texts(session, self._documents, self._missing(chips))
        for chip in chips:
            if chip.kind in TEXT_KINDS:
                met = met - self.kept[chip.turned] if chip.is_not else met & self.kept[chip]
        return met

    def count(self, chips: Iterable[Filter]) -> int | None:
        """Return how many documents meet all chips; ``None`` while that would take long."""
        chips = tuple(chips)
        if self._session is None or self._query is None:
            return 0
        return len(self.find(self._documents, chips)) if self.has(chips) else None

    def look(self, chips: Iterable[Filter]) -> None:
        """Look beside the window for what meets these chips; what is looked for yet is dropped."""
        self.drop()
        session, documents, missing = self._session, self._documents, self._missing(chips)
        if session is None or self.jobs is None or not missing:
            return

        def work(handle: JobHandle) -> dict[Filter, set[int]]:
            return look_into_texts(session, documents, missing, handle.check)

        self._look_beside(self.jobs, work, self.kept.update)

    def _missing(self, chips: Iterable[Filter]) -> list[Filter]:
        asked = (chip._replace(is_not=False) for chip in chips if chip.kind in TEXT_KINDS)
        return [chip for chip in dict.fromkeys(asked) if chip not in self.kept]
