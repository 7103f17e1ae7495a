"""One open project: reading it, and ``execute``, the one door for change."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgetool.core.clock import Clock, utc_ms
from judgetool.core.judgments import DEFAULT_VIEW, Judgment, JudgmentKey
from judgetool.errors import CommandRefusedError, ProjectDamagedError, Signal
from judgetool.metrics import (
    CONVENTION_PRESETS,
    DEFAULT_MEASURES,
    Conventions,
    Measure,
    parse_measure,
)
from judgetool.session.asked import OwnAsks
from judgetool.session.board import (
    COUNTS_KEY,
    ONLY_MINE,
    BoardSettings,
    Counting,
    Opinion,
    find_standing,
)
from judgetool.session.commands import Changed, Command, Origin, Say, scale_of
from judgetool.session.jobs import (
    MATERIAL_KINDS,
    Outcome,
    Situation,
    find_regraded,
    is_graded,
    plan_job,
    redo_job,
    undo_job,
)
from judgetool.session.loading import Loaded, WrittenStep, catch_up, load_project, renewed
from judgetool.session.material import is_run_key
from judgetool.session.pool import NumberPair, PoolChoice, find_pool_choice, is_pool_key
from judgetool.storage.asks import load_asked_numbers
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import (
    LogEntry,
    StepRow,
    find_redo_step,
    load_flagged,
    load_judgments,
    load_undo_steps,
    load_used_grades,
)
from judgetool.storage.material import load_assessor_names
from judgetool.storage.project_file import BULK, URGENT, Job, ProjectFile, T
from judgetool.storage.salvage import damage_behind
from judgetool.storage.values import load_kinds, load_meta, load_step_order, load_values
from judgetool.wording import _

# Queries whose opinions are kept: the one that is shown is asked for many times at every key.
MOST_KEPT = 20


class Session:
    """One open project.

    All of it belongs to the thread that opened the project.

    Attributes:
        path: the project file.
        assessor: the name of who judges; ``""`` when nobody does.
        scale: the project's scale.
        material: queries, documents and runs.
        board: what counts, values and pools.
        asks: what the assessor is asked to judge.
        is_asked: whether anything of that was open when the project was read: then it is the pool.
        clock: what time it is.
        changed: tells of each step, once, after it is durable.
        arriving: held by whoever brings in what others have done.
    """

    def __init__(self, file: ProjectFile, *, assessor: str = "", clock: Clock = utc_ms) -> None:
        self._file, self.path = file, file.path
        self.clock = clock
        self.assessor = assessor
        self.changed: Signal[Changed] = Signal()
        self.arriving = threading.Lock()
        self._last_step = 0
        self._features: dict[Callable[[Session], Any], Any] = {}
        self.meta = load_meta(file.reader)
        self._load()

    def _load(self, view: str = DEFAULT_VIEW) -> None:
        reader = self._file.reader
        self._values: dict[str, Any] = load_values(reader)
        self._pool_choice = find_pool_choice(self._values)
        self.scale = scale_of(self._values)
        # What is none that judgetool knows is to be told at opening, not amid the work.
        _ = self.measures, self.conventions
        self._take_names(load_assessor_names(reader))
        self._standing = find_standing(reader, self._values)
        self._take_loaded(load_project(reader, self._settings_for(view)))

    # What the project says of itself

    @property
    def uuid(self) -> str:
        """An id that copies of the file share."""
        return self.meta["uuid"]

    @property
    def ended_uncleanly(self) -> bool:
        """Whether whoever wrote the file last was killed, or lost power."""
        return self._file.ended_uncleanly

    @property
    def was_checked(self) -> bool:
        """Whether opening has looked at the whole file, and found it sound."""
        return self._file.was_checked

    @property
    def has_unfinished(self) -> bool:
        """Whether an import or merge was killed, of which nothing counts."""
        return self._file.has_unfinished

    @property
    def reader(self) -> Connection:
        """For looking, on the session's thread; for modules of this package."""
        return self._file.reader

    def value(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Return one of the project's own values, or ``default``."""
        return self._values.get(key, default)

    def values(self, prefix: str) -> dict[str, Any]:
        """Return the project's own values whose key starts so, by key, in order of key."""
        found = sorted(key for key in self._values if key.startswith(prefix))
        return {key: self._values[key] for key in found}

    @property
    def title(self) -> str:
        """The project's title, or the file's name."""
        return str(self._values.get("title") or self.path.stem)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The chosen measures, in order."""
        names = self._values.get("measures")
        chosen = tuple(map(parse_measure, names)) if names else DEFAULT_MEASURES
        preset = CONVENTION_PRESETS.get(self.conventions.preset)
        return preset.rewrite_all(chosen) if preset else chosen

    @property
    def conventions(self) -> Conventions:
        """How unjudged documents, undefined values and missing queries count."""
        return Conventions(**self._values.get("conventions", {}))

    @property
    def pool_choice(self) -> PoolChoice:
        """Which documents are to be judged."""
        return self._pool_choice

    @property
    def read_only_reason(self) -> str:
        """A sentence when nothing can be changed, else ``""``."""
        return self._file.read_only_reason

    @property
    def standing(self) -> Counting:
        """Who of the assessors counts, and whose judgments are what was settled."""
        return self._standing

    def does_count(self, assessor: str) -> bool:
        """Return whether an assessor's judgments enter views; those of a model do not by themselves."""
        return self._assessor_ids.get(assessor) not in self._standing.left_out

    @property
    def assessors(self) -> tuple[str, ...]:
        """Names of all who have judged, first known first."""
        return tuple(self._assessor_names.values())

    @property
    def judges(self) -> tuple[str, ...]:
        """All of them but the one whom settled grades are kept under, who is nobody."""
        kinds = load_kinds(self._file.reader)
        return tuple(name for name in self.assessors if kinds.get(name) != "settled")

    def find_asked(self) -> list[str]:
        """Return the names of all who are asked to judge something, first known first."""
        return [self.assessor_name(number) for number in load_asked_numbers(self._file.reader)]

    def flagged_queries(self) -> set[int]:
        """Return all queries of which :meth:`has_flag` is true."""
        found = set()
        for key in load_flagged(self._file.reader):
            place = self.material.place_of.get(key.query)
            name = None if place is None else self._speaker(place, key)
            if place is not None and name is not None and self._is_heard(name):
                found.add(place)
        return found

    @property
    def assessor_id(self) -> int | None:
        """The assessor's number in the file; ``None`` before their first judgment."""
        return self._assessor_ids.get(self.assessor)

    def assessor_number(self, name: str) -> int:
        """Return the number of an assessor; −1 for one who has said nothing yet."""
        return self._assessor_ids.get(name, -1)

    @property
    def used_grades(self) -> list[float]:
        """Distinct grades given so far, lowest first."""
        return load_used_grades(self._file.reader)

    def opinions(self, query: int) -> Mapping[int, list[Opinion]]:
        """Return what is said of a query's documents: by document, first assessor first."""
        if query not in self._said:
            while len(self._said) >= MOST_KEPT:
                del self._said[next(iter(self._said))]
            self._said[query] = self._load_opinions(query)
        return self._said[query]

    def _load_opinions(self, query: int, document: int | None = None) -> dict[int, list[Opinion]]:
        said: dict[int, list[Opinion]] = {}
        asks = self.asks
        # A query may have thousands of judgments: where all are shown, nobody is asked whose they are.
        shows_all = not asks.persons and (asks.is_over or not asks.pairs)
        names = self._assessor_names if shows_all else None
        query_id = self.material.query_ids[query]
        for key, stored in load_judgments(self._file.reader, query_id, document):
            name = self._speaker(query, key) if names is None else names.get(key.assessor, "?")
            if name is not None:
                said.setdefault(key.document, []).append(Opinion(name, stored.judgment, stored.at))
        return said

    def _renew_opinions(self, pairs: Iterable[NumberPair]) -> None:
        """Read some (query, document) pairs anew, after their judgments have changed."""
        for query, document in pairs:
            if query in self._said:
                self._said[query].pop(document, None)
                self._said[query].update(self._load_opinions(query, document))

    def own_judgment(self, query: int, document: int) -> Judgment:
        """Return what the assessor has said of a document; blank if nothing."""
        for each in self.opinions(query).get(document, ()):
            if each.assessor == self.assessor:
                return each.judgment
        return Judgment()

    def has_flag(self, query: int) -> bool:
        """Return whether the assessor, or who counts in the view, has flagged a document of a query."""
        said = chain.from_iterable(self.opinions(query).values())
        return any(map(self._is_heard, {each.assessor for each in said if each.judgment.flagged}))

    def _is_heard(self, name: str) -> bool:
        """Whether an assessor's flags are shown to the session's."""
        return name == self.assessor or (self.board.view != ONLY_MINE and self.does_count(name))

    def assessor_name(self, number: int) -> str:
        """Return an assessor's name; of a second, hidden judgment that of the person."""
        return self._assessor_names.get(self.asks.persons.get(number, number), "?")

    def _speaker(self, query: int, key: JudgmentKey) -> str | None:
        """Return whose words a judgment is for the assessor; ``None`` for one they are not shown."""
        number = self.asks.find_speaker((query, key.document), key.assessor)
        return None if number is None else self._assessor_names.get(number, "?")

    def iter_judgments(self, query: int | None = None) -> list[tuple[int, int, Opinion, int]]:
        """Return (query, document, opinion, when) of everything said, or of one query, by both.

        Read from the file, for passes over many queries: :meth:`opinions` keeps those that
        were asked for last, and would forget the ones that are shown.
        """
        only, found = None if query is None else self.material.query_ids[query], []
        for key, stored in load_judgments(self._file.reader, only):
            place = self.material.place_of.get(key.query)
            name = None if place is None else self._speaker(place, key)
            if place is not None and name is not None:
                said = Opinion(name, stored.judgment, stored.at)
                found.append((place, key.document, said, said.at))
        return found

    def set_view(self, view: str) -> None:
        """Choose which judgments count: a rule's name, or ``mine``.

        Raises:
            UsageError: there is no such rule.
        """
        self.board.set_view(view)

    # Change

    def execute(
        self,
        command: Command,
        *,
        origin: str = "command",
        spent_ms: int | None = None,
        shown: dict[str, Any] | None = None,
    ) -> Changed | None:
        """Do what a command asks: written durably first, told to listeners after.

        Args:
            command: what is wanted.
            origin: ``key``, ``click``, ``command``.
            spent_ms: how long the document had been in view.
            shown: what was on the screen, for the log.

        Returns:
            What listeners were told, or ``None`` when nothing had to change.

        Raises:
            CommandRefusedError: the project does not allow it; nothing was written.
            SaveError: it could not be written; nothing of it was.
            ProjectMovedError: the file is no longer where it was.
        """
        who = self._assessor_ids.get(self.assessor)
        if who in self._standing.final and isinstance(command, Say) and not command.is_settling:
            said = _(
                "‘{assessor}’ is whom this project’s settled grades are kept under. Judge under another name, or settle with Ctrl+6."
            )
            raise CommandRefusedError(said.format(assessor=self.assessor))
        situation = Situation(
            self.assessor,
            who,
            self.clock(),
            self.scale,
            self.material,
            self._values,
            self.asks.voices,
            origin,
            spent_ms,
            shown,
        )
        return self.take_in(self._file.write(plan_job(command, situation)))

    def tell_when_slow(self, tell: Callable[[bool], None]) -> None:
        """Have it told, on the session's thread, when a change takes long to be durable (``Writer``)."""
        self._file.tell_when_slow(tell)

    @property
    def has_written(self) -> bool:
        """Whether anything has been written since it was opened."""
        return self._file.has_written

    @property
    def undo_step(self) -> StepRow | None:
        """What Undo would take back, also from before the project was opened."""
        return next(iter(load_undo_steps(self._file.reader, self.assessor_id)), None)

    @property
    def redo_step(self) -> StepRow | None:
        """What Redo would do again."""
        return find_redo_step(self._file.reader, self.assessor_id)

    @property
    def is_own_step_next(self) -> bool:
        """Whether Undo or Redo would turn the step that was taken, undone or redone here last."""
        found = (self.undo_step, self.redo_step)
        return self._last_step in [step.step_id for step in found if step is not None]

    def undo(self, *, leaves: Collection[str] = ()) -> Changed | None:
        """Take back the assessor's last step; ``None`` when there is none, or of a kind in ``leaves``.

        Judgments that someone has changed since stay as they are and are counted.
        """
        job = undo_job(self.assessor_id, self.clock(), leaves=leaves)
        return self.take_in(self._file.write(job), "undo")

    def redo(self) -> Changed | None:
        """Do again what was undone last; ``None`` when there is nothing."""
        return self.take_in(self._file.write(redo_job(self.assessor_id, self.clock())), "redo")

    def undo_to(self, step_id: int) -> Changed | None:
        """Take back every later step of the assessor or of nobody, told once; each can be redone."""
        job = undo_job(self.assessor_id, self.clock(), to_step=step_id)
        return self.take_in(self._file.write(job), "undo")

    def take_in(
        self,
        outcome: Outcome,
        origin: Origin = "do",
        *,
        loaded: Loaded | None = None,
        judged: Iterable[NumberPair] | None = (),
    ) -> Changed | None:
        """Bring memory in step with what was written, and tell the listeners: the one place.

        Args:
            outcome: what a job has done.
            origin: whether it did, undid or redid something.
            loaded: the project as :meth:`read_after` found it; ``None`` reads it now, where
                the step has changed material.
            judged: (query, document) pairs judged since that began, by the numbers the
                session had before; ``None`` when more than judgments changed meanwhile, so
                that it does not hold any more.

        Returns:
            What listeners were told; ``None`` when nothing was written.
        """
        if outcome.assessor_id is not None and self.assessor_id is None:
            self._assessor_names[outcome.assessor_id] = self.assessor
            self._assessor_ids[self.assessor] = outcome.assessor_id
            self.board.book.set_assessor(outcome.assessor_id)
            self._follow_standing()
        step = outcome.step
        if step is None:
            return None
        self._last_step = step.step_id or self._last_step
        opened: list[NumberPair] = []
        is_material = step.kind in MATERIAL_KINDS or any(map(is_run_key, outcome.values))
        if is_material or ("scale" in outcome.values and outcome.entries):
            is_fit = loaded is not None and loaded.settings == self._settings_for(self.board.view)
            if loaded is None or judged is None or outcome.values or not is_fit:
                # Grades of one scale mean nothing on another: nothing can be kept.
                self.reload()
            else:
                self._take_read(loaded, judged)
            touched = self._pairs_of(outcome)
        else:
            self._meet_assessors(outcome.entries)
            touched = self.board.apply(outcome.entries, step.at)
            opened = self.asks.take(outcome.entries, self._file.reader) if self.asks.pairs else []
            self.board.refold(opened)
            self._renew_opinions([*opened, *touched])
            self._apply_values(outcome.values)
            is_over = bool(self.asks.pairs) and self.asks.is_over
            is_material = is_over and not self.asks.progress.is_done  # asked once more
            if is_material:
                self.reload()
        changed = Changed(
            origin,
            step.kind,
            step.title,
            touched,
            frozenset(outcome.values),
            is_material,
            outcome.n_kept,
            sum(map(is_graded, outcome.entries)) if step.kind != "hub" else 0,
            tuple(opened),
            find_regraded(outcome.entries),
        )
        self.changed.emit(changed)
        return changed

    def _meet_assessors(self, entries: Iterable[LogEntry]) -> None:
        """Learn the name of who is not known yet, such as that of what is settled."""
        known = self._assessor_names.keys() | self.asks.persons.keys()
        if not known.issuperset([entry.change.key.assessor for entry in entries]):
            self._assessor_names |= load_assessor_names(self._file.reader)
            self._take_names(self._assessor_names)
            self._follow_standing()

    def _apply_values(self, values: Mapping[str, Any]) -> None:
        for key, value in values.items():
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
        if "scale" in values:
            self.scale = scale_of(self._values)
            self.board.set_scale(self.scale)
        if "conventions" in values:
            self.board.engine.set_conventions(self.conventions)
        if "measures" in values or "conventions" in values:
            self.board.engine.set_measures(self.measures)
        if COUNTS_KEY in values:
            self._follow_standing()
        if any(map(is_pool_key, values)):
            self._choose_pool()

    def _follow_standing(self) -> None:
        self._standing = find_standing(self._file.reader, self._values)
        self.board.set_standing(self._standing)

    def _pairs_of(self, outcome: Outcome) -> tuple[NumberPair, ...]:
        places, keys = self.material.place_of, [entry.change.key for entry in outcome.entries]
        return tuple((places[key.query], key.document) for key in keys if key.query in places)

    # Work beside the session

    @contextlib.contextmanager
    def second_reader(self) -> Iterator[Connection]:
        """Give a connection for looking to another thread; for modules of this package."""
        reader = self._file.open_reader()
        try:
            yield reader
        finally:
            reader.close()

    def write(self, job: Job[T], *, is_bulk: bool = False) -> T:
        """Run a job durably, one of an import behind any judgment; for any thread.

        Nothing in memory follows it but by :meth:`take_in`.
        """
        return self._file.write(job, priority=BULK if is_bulk else URGENT)

    def is_waited_for(self) -> bool:
        """Whether a judgment waits for what is being written; for any thread."""
        return self._file.is_waited_for()

    def undo_beside(self, origin: Origin) -> Callable[[], WrittenStep]:
        """Begin to undo or redo the step that is next now, one that changes material.

        What is judged from now on is written after it, and is not what it takes back.

        Returns:
            Waits for it and reads what it made; to be called once, by any thread. It raises
            :class:`~judgetool.errors.ProjectError` where it could not be written: nothing of
            it was. What it gives goes to :meth:`take_written`, on the session's thread.
        """
        make = undo_job if origin == "undo" else redo_job
        written = self._file.begin_write(make(self.assessor_id, self.clock()))
        return lambda: self.read_after(written.result())

    def read_after(self, outcome: Outcome) -> WrittenStep:
        """Read what a step such as an import has made of the project; for any thread."""
        if outcome.step is None or outcome.step.kind not in MATERIAL_KINDS:
            return WrittenStep(outcome, None)
        # It is written; where that fails, reading it anew says what is wrong.
        with contextlib.suppress(Exception), self.second_reader() as reader:
            return WrittenStep(outcome, load_project(reader, self.board_settings))
        return WrittenStep(outcome, None)

    def take_written(
        self,
        written: WrittenStep,
        origin: Origin = "do",
        *,
        judged: Iterable[NumberPair] | None = (),
    ) -> Changed | None:
        """Take in what another thread has written and read; see :meth:`take_in`."""
        outcome = renewed(written.outcome, self._file.reader)
        return self.take_in(outcome, origin, loaded=written.loaded, judged=judged)

    def owned(self, make: Callable[["Session"], T]) -> T:
        """Return what a feature keeps of this session, made when it is first asked for.

        Args:
            make: makes it, such as its class; it lives for as long as the session.
        """
        if make not in self._features:
            self._features[make] = make(self)
        found: T = self._features[make]
        return found

    @property
    def board_settings(self) -> BoardSettings:
        """What the board depends on besides the judgments."""
        return self._settings_for(self.board.view)

    def _settings_for(self, view: str) -> BoardSettings:
        return BoardSettings(
            self.scale,
            self.measures,
            self.assessor_id,
            view,
            self.conventions,
            self.pool_choice,
            self._standing,
        )

    def _take_read(self, loaded: Loaded, judged: Iterable[NumberPair]) -> None:
        """Go on with what was read beside the session, and what was judged since."""
        pairs = [(self.material.query_ids[query], document) for query, document in judged]
        loaded.material.use_reader(self._file.reader)
        self._take_loaded(loaded)
        # A hub may have brought steps since.
        self.board.order = load_step_order(self._file.reader)
        own = [each for each in {self.assessor_id, *self.asks.voices.values()} if each is not None]
        catch_up(self.board, self._file.reader, pairs, assessors=own)

    def _take_loaded(self, loaded: Loaded) -> None:
        self._take_names(loaded.assessor_names)
        self.material, self.board = loaded.material, loaded.board
        self._standing = loaded.board.standing
        reader = self._file.reader
        self._said: dict[int, dict[int, list[Opinion]]] = {}
        self.asks = OwnAsks(self.assessor_id, self.material.place_of)
        self.asks.read(reader)
        self.asks.end_when_done()
        self.is_asked = not self.asks.is_over
        if self.asks.pairs:
            self.board.set_voices(self.asks.voices)
        if self.is_asked or self._pool_choice.policy.kind == "asked":
            self._choose_pool()

    def _choose_pool(self) -> None:
        """Let the project's pool be judged; by who is asked, as long as they are, what that is."""
        self._pool_choice = find_pool_choice(self._values)
        if self.is_asked:
            self._pool_choice = self.asks.choose_pool(self.material)
        self.board.set_pool(self._pool_choice)

    def _take_names(self, names: dict[int, str]) -> None:
        self._assessor_names = names
        self._assessor_ids = {name: number for number, name in names.items()}

    # Life

    def reload(self) -> None:
        """Read everything anew."""
        self._load(self.board.view)

    @property
    def place_warning(self) -> str:
        """A sentence where the file lies where judging is not safe, else ``""``."""
        return self._file.place_warning

    @property
    def is_free_again(self) -> bool:
        """Whether it could only be read because another judgetool had it open, and no more does."""
        return self._file.is_free_again

    def catch_up(self) -> bool:
        """Take in what other programs have written since; return whether there was anything.

        Listeners are told as of an import: anything may have changed.
        """
        if not self._file.has_changed_elsewhere():
            return False
        self.meta = load_meta(self._file.reader)
        self.take_in(Outcome(StepRow(0, "others", "Changes of somebody else", self.clock())))
        return True

    def find_trouble(self) -> str:
        """Return a sentence where the file is no longer what was opened, else ``""``."""
        return self._file.find_trouble()

    def save_copy(self, target: Path) -> None:
        """Write a complete copy elsewhere, even when this file has been deleted meanwhile."""
        self._file.copy_to(target)

    def close(self) -> None:
        """Bring everything into the one file and let go of it."""
        self._file.close()

    def damage_behind(self, error: BaseException) -> ProjectDamagedError | None:
        """Return what an error comes from where the file is damaged; ``None`` where it is sound."""
        return damage_behind(self.path, error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        found = None if error is None else self.damage_behind(error)
        if found is not None:
            raise found from error
