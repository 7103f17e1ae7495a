"""Bringing what other copies of a project file have said and done into one, as one step.

Every line of the log names the lines that it replaces (``storage.judgments``); what is said follows from
the set of visible lines alone, so that copies may be merged in any order, and twice. What a merge
brings hangs on steps that are linked to it (table ``arrivals``): undoing the merge hides them, and
merging again shows them.

All of it is written hidden, in transactions so short that no judgment waits, and shown in one at the
end. That one gives way, a hundred times at most: where a judgment comes it is rolled back, and tried
again afterwards. A merge that is cancelled or killed before has shown nothing; merging again
completes what it wrote.
"""

import json
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from judgetool.storage.arrival import Arrival, Brought, Door, Translate
from judgetool.storage.copies import (
    MERGE,
    NOTHING,
    Job,
    KnownSteps,
    OtherCopy,
    OthersWatch,
    drop_arriving,
    find_tops,
    in_parts,
    make_arriving,
    note_conflicts,
    settle_judgments,
    settle_values,
    show_arrived,
    stage_states,
    turn_steps,
    write_arriving,
)
from judgetool.storage.disks import sync_file
from judgetool.storage.judgments import (
    Key,
    LoggedLine,
    abandon_step,
    drop_undone,
    insert_step,
    load_lines,
    load_value_lines,
    resolve,
    set_step_state,
    state_row,
)
from judgetool.storage.material import (
    DOCUMENT_PARTS,
    QUERY_PARTS,
    PartOfText,
    WrittenUpon,
    load_text_steps,
    part_changes,
    part_name,
    parts_of,
)

_FEW = 2_000
"""So many judgments are sooner looked up one by one than with all others."""
_AT_ONCE = 2_000
"""Judgments that are worked out, or shown, before it is asked whether somebody waits."""
_FLUSHED_EVERY = 10
"""So many of these parts are shown before the disk is waited for."""
_PAUSE_S = 0.2
_MOST_TRIES = 100
"""So often it gives way; then one judgment waits for it, once, lest steady judging keep it off for good."""


class TextDifference(NamedTuple):
    """A part of a text that two copies changed, each without knowing of the other.

    Attributes:
        noun: ``query`` or ``document``.
        id: its external id.
        part: which, as files of texts call it.
        kept: what counts: the later one.
        kept_from: name of the file that brought it; ``""`` where it was here.
        lost: what does not count.
        lost_from: likewise.
    """

    noun: str
    id: str
    part: str
    kept: Any
    kept_from: str
    lost: Any
    lost_from: str


@dataclass(slots=True)
class Merged:
    """What a merge did.

    Attributes:
        step_id: of the merge; ``None`` where nothing was new.
        brought: by file, in the order given.
        conflicts: judgments that were said differently and count as the latest one.
        taken_back: judgments that it brought, and of which nothing holds any more.
        values: the project's values that are others now, by key; ``None`` for one taken away.
        texts: parts of texts that were changed apart, where one change counts and another does not.
    """

    step_id: int | None = None
    brought: list[Brought] = field(default_factory=list)
    conflicts: list[Key] = field(default_factory=list)
    taken_back: list[Key] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    texts: list[TextDifference] = field(default_factory=list)


class MergeStep(NamedTuple):
    """The step as which a merge is written.

    Attributes:
        title: for the history.
        assessor_id: who merges; ``None`` for nobody.
        at: when, milliseconds UTC.
        kind: ``merge``, or ``hub`` for what nobody takes back.
    """

    title: str
    assessor_id: int | None
    at: int
    kind: str = MERGE


def merge_sources(
    door: Door, sources: Sequence[OtherCopy], merging: MergeStep, *, translate: Translate
) -> Merged:
    """Bring what other copies hold into a project, as one step.

    Args:
        door: how the project is read and written.
        sources: the other copies; they are only read.
        merging: the step.
        translate: see :data:`Translate`.
    """
    known = KnownSteps(door.reader)
    watch = OthersWatch(door.write, find_tops(door.reader))
    arrivals = [Arrival(door.reader, watch.write, each, known, translate) for each in sources]
    total = sum(arrival.look() for arrival in arrivals)
    if not any(arrival.is_news for arrival in arrivals):
        return Merged(brought=[arrival.brought for arrival in arrivals])
    detail = {"files": [source.name for source in sources]}

    def begin(connection: apsw.Connection) -> int:
        return insert_step(
            connection,
            kind=merging.kind,
            title=merging.title,
            assessor_id=merging.assessor_id,
            at=merging.at,
            state="pending",
            detail=detail,
        ).step_id

    step = watch.write(begin)
    try:
        merge = _Merge(door, watch, arrivals, step, total)
        return merge.run(partial(_begin_showing, step=step, merging=merging))
    except BaseException:
        door.write(partial(_abandon, step=step))
        raise


def _abandon(connection: apsw.Connection, *, step: int) -> None:
    drop_arriving(connection)
    abandon_step(connection, step)


def _begin_showing(connection: apsw.Connection, *, step: int, merging: MergeStep) -> None:
    drop_undone(connection, merging.assessor_id)
    set_step_state(connection, step, "done", at=merging.at)


class _GiveWayError(Exception):
    """A judgment waits."""


class _Merge:
    """Writes one merge."""

    def __init__(
        self, door: Door, watch: OthersWatch, arrivals: Sequence[Arrival], step: int, total: int
    ) -> None:
        self._door, self._reader, self._watch = door, door.reader, watch
        self._arrivals = arrivals
        self._step = step
        self._progress, self._done, self._total = door.progress, 0, total
        self._lines: dict[Key, list[LoggedLine]] = {}
        self._names: set[str] = set()
        self._texts_before = load_text_steps(door.reader)
        self._conflicts: set[Key] = set()
        self._taken_back: set[Key] = set()
        self._parts: list[tuple[int, int]] = []
        self._tries = 0

    def run(self, begin_showing: Job[None]) -> Merged:
        """Write what is new, and show it."""
        for arrival in self._arrivals:
            arrival.bring(self._step, self._lines, self._tell)
            self._names |= arrival.names
        self._stage()
        merged = self._show_when_nobody_waits(begin_showing)
        for arrival in self._arrivals:
            _tell_values(self._reader, arrival, merged.values)
            merged.brought.append(arrival.brought)
        merged.texts = _find_text_differences(self._reader, self._arrivals, self._texts_before)
        for arrival in self._arrivals:
            _tell_texts(arrival.brought, merged.texts)
        return merged

    def _tell(self, n: int) -> None:
        self._done = min(self._done + n, self._total)
        self._progress(self._done, self._total)

    def _stage(self) -> None:
        """Work out what will be said, hidden from all others."""
        self._watch.write(make_arriving)
        known = self._find_known()
        for keys in in_parts(sorted(self._lines), _AT_ONCE):
            rows, conflicts = [], []
            for key in keys:
                lines = self._lines[key]
                if not lines or key in known:
                    lines = load_lines(self._reader, key, self._step)
                found = resolve(lines)
                row = state_row(key, found[0] if found else NOTHING)
                rows.append(row)
                if row[3] is None:
                    self._taken_back.add(key)
                if len(found) > 1:
                    conflicts.append(key)
            self._conflicts.update(conflicts)
            self._watch.write(partial(_keep, rows=rows, conflicts=conflicts))
            self._tell(len(keys))
        steps = self._reader.execute(
            "SELECT step_id FROM arrivals WHERE merge_id = ? ORDER BY step_id", (self._step,)
        ).fetchall()
        for part in in_parts(steps, _AT_ONCE):
            self._parts.append((int(str(part[0][0])), int(str(part[-1][0]))))

    def _find_known(self) -> set[Key]:
        """Return the judgments of which there were lines before: all of them decide together."""
        if len(self._lines) < _FEW:
            return set(self._lines)
        rows: Any = self._reader.execute(
            "SELECT DISTINCT query_id, document_id, assessor_id FROM events WHERE event_id <= ?",
            (self._watch.top_event,),
        )
        return self._lines.keys() & set(rows)

    def _show_when_nobody_waits(self, begin: Job[None]) -> Merged:
        while True:
            self._tell(0)
            try:
                return self._watch.write(partial(self._show, begin=begin))
            except _GiveWayError:
                self._tries += 1
                threading.Event().wait(_PAUSE_S)

    def _show(self, connection: apsw.Connection, *, begin: Job[None]) -> Merged:
        begin(connection)
        shown = (partial(show_arrived, connection, self._step, *part) for part in self._parts)
        written = (
            partial(write_arriving, connection, first, first + _AT_ONCE - 1)
            for first in range(1, len(self._lines) + 1, _AT_ONCE)
        )
        for number, act in enumerate(chain(shown, written), 1):
            self._give_way()
            act()
            if number % _FLUSHED_EVERY == 0:
                _flush(connection)
        turn_steps(connection)
        for arrival in self._arrivals:
            arrival.tell_kinds(connection)
        late = self._watch.find_touched(connection) & self._lines.keys()
        conflicts = {*(self._conflicts - late), *settle_judgments(connection, late)}
        values = settle_values(connection, self._names)
        drop_arriving(connection)
        self._give_way()
        taken_back = sorted(self._taken_back - late)
        return Merged(self._step, conflicts=sorted(conflicts), taken_back=taken_back, values=values)

    def _give_way(self) -> None:
        if self._tries < _MOST_TRIES and self._door.is_waited_for():
            raise _GiveWayError


def _flush(connection: apsw.Connection) -> None:
    """Have the disk take what was written so far: else COMMIT, which cannot give way, waits for all."""
    if connection.pragma("journal_mode") == "wal":
        connection.cache_flush()  # alike: only COMMIT is shorter
        # SQLite locks nothing in its log, so that it may be opened and closed.
        sync_file(Path(connection.filename_wal))


def _keep(
    connection: apsw.Connection, *, rows: Iterable[tuple[Any, ...]], conflicts: Iterable[Key]
) -> None:
    stage_states(connection, rows)
    note_conflicts(connection, conflicts)


def _tell_values(connection: apsw.Connection, arrival: Arrival, values: Mapping[str, Any]) -> None:
    """Leave those names of values that are others now, or differ in the two copies."""
    brought = arrival.brought
    said = sorted(set(brought.values))
    brought.values = [name for name in said if name in values]
    brought.kept_values = [
        name for name in said if name not in values and _is_other_there(connection, arrival, name)
    ]


def _is_other_there(connection: apsw.Connection, arrival: Arrival, name: str) -> bool:
    """Whether a copy changed a value apart from what counts, and has that still."""
    lines = load_value_lines(connection, name)
    found = resolve(lines)
    if len(found) < 2:
        return False
    theirs = resolve([line for line in lines if arrival.has_value_line(line.uuid)])
    return theirs[:1] != found[:1]


_TEXTS = {
    "document_texts": ("document", "documents", DOCUMENT_PARTS),
    "query_texts": ("query", "queries", QUERY_PARTS),
}


def _find_text_differences(
    connection: apsw.Connection, arrivals: Sequence[Arrival], before: frozenset[int]
) -> list[TextDifference]:
    """Return which parts of texts were changed apart, where a file, or what was here, has another value.

    Args:
        connection: of the project, merged.
        arrivals: what came.
        before: the steps that had brought the texts that were here.
    """
    sides = [(each.brought.name, each.text_steps) for each in arrivals]
    came = frozenset[int]().union(*(steps for _, steps in sides)) - before
    upon, found = WrittenUpon(connection), list[TextDifference]()
    for table, (noun, ids, names) in _TEXTS.items():
        numbers = set[int]().union(*(arrival.rewritten[table] for arrival in arrivals))
        parts = ", ".join(f"t.{name}" for name in names)
        select = (
            f"SELECT external_id, s.step_id, {parts} FROM {table} t JOIN {ids} "  # noqa: S608 - constants
            f"USING({noun}_id) JOIN steps s USING(step_id) WHERE s.state = 'done' AND {noun}_id IN "
            "(SELECT value FROM json_each(?)) ORDER BY external_id, s.at, s.uuid"
        )
        for part in in_parts(sorted(numbers), _AT_ONCE):
            rows: Any = connection.execute(select, (json.dumps(part),)).fetchall()
            for name, of_one in groupby(rows, key=lambda row: str(row[0])):
                said = [(step, parts_of(names, row)) for _, step, *row in of_one]
                here = "", frozenset(step for step, _ in said) - came
                for which, changes in part_changes(said, upon).items():
                    found += [
                        TextDifference(noun, name, part_name(which), *values)
                        for values in _apart(changes, [here, *sides], came, upon)
                    ]
    return sorted(found, key=lambda each: (each.noun, each.id, each.part, each.lost_from))


def _apart(
    changes: Sequence[PartOfText],
    sides: Sequence[tuple[str, Collection[int]]],
    came: Collection[int],
    upon: WrittenUpon,
) -> Iterator[tuple[Any, str, Any, str]]:
    """Yield what counts of a part and what a side has that does not, with their files.

    A side has what the last of its steps changed; one that another step was written upon, is not
    apart from it but older. What was here from both has been told before.

    Args:
        changes: of the part; last stands what counts.
        sides: name of each file, ``""`` for what was here, and the steps of its texts.
        came: the steps that were not here.
        upon: what these were written upon.
    """
    kept = changes[-1]
    known = frozenset[int]().union(*(upon.of(each.step_id) or () for each in changes))
    file = next((name for name, steps in sides if kept.step_id in steps), "")
    for name, steps in sides:
        last = next((each for each in reversed(changes) if each.step_id in steps), kept)
        is_news = kept.step_id in came or last.step_id in came
        if is_news and last.step_id not in known and last.value != kept.value and last.is_said:
            yield kept.value, file, last.value, name


def _tell_texts(brought: Brought, texts: Iterable[TextDifference]) -> None:
    """Note whose texts differ in a file and here."""
    lists = {
        ("query", True): brought.later_there,
        ("query", False): brought.later_here,
        ("document", True): brought.documents_there,
        ("document", False): brought.documents_here,
    }
    for each in texts:
        if {each.kept_from, each.lost_from} == {brought.name, ""}:
            found = lists[each.noun, each.kept_from == brought.name]
            found += [] if each.id in found[-1:] else [each.id]
