"""One open project: reading it, and ``execute``, the one door for change."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgetool.core.clock import Clock, utc_ms
from judgetool.core.scale import Scale, format_grade, scale_preset
from judgetool.core.signals import Signal
from judgetool.core.views import DEFAULT_VIEW
from judgetool.errors import CommandRefusedError
from judgetool.metrics import (
    CONVENTION_PRESETS,
    DEFAULT_MEASURES,
    Conventions,
    Measure,
    parse_measure,
)
from judgetool.session.board import BoardSettings
from judgetool.session.changes import Changed, Origin
from judgetool.session.commands import Command, Judge, JudgmentCommand, SetScale, ValueCommand
from judgetool.session.import_loading import Loaded, catch_up, load_beside
from judgetool.session.judging import (
    Circumstances,
    Outcome,
    judging_job,
    redo_job,
    undo_job,
    value_job,
)
from judgetool.session.opinions import Opinion, Opinions
from judgetool.storage.judgments import (
    load_flagged_queries,
    load_judgments,
    load_used_grades,
)
from judgetool.storage.project_file import ProjectFile
from judgetool.storage.steps import StepRow, find_redo_step, find_undo_step
from judgetool.storage.values import load_assessors, load_meta, load_values
from judgetool.storage.writer import BULK, Job, T

DEFAULT_POOL_DEPTH = 10


class Session:
    """One open project.

    All of it belongs to the thread that opened the project.

    Attributes:
        path: the project file.
        assessor: the name of who judges; ``""`` when nobody does.
        scale: the project's scale.
        material: queries, documents and runs.
        board: what counts, values and pools.
        clock: what time it is.
        changed: tells of each step, once, after it is durable.
    """

    def __init__(self, file: ProjectFile, *, assessor: str = "", clock: Clock = utc_ms) -> None:
        self._file = file
        self.clock = clock
        self.path = file.path
        self.assessor = assessor
        self.changed: Signal[Changed] = Signal()
        self.meta = load_meta(file.reader)
        self._load()

    def _load(self, view: str = DEFAULT_VIEW) -> None:
        reader = self._file.reader
        self._values: dict[str, Any] = load_values(reader)
        stored = self._values.get("scale")
        self.scale = Scale.from_dict(stored) if stored else scale_preset("0-3")
        self._assessor_names = {row.assessor_id: row.name for row in load_assessors(reader)}
        settings = BoardSettings(
            self.scale, self.measures, self.pool_depth, self.assessor_id, view, self.conventions
        )
        self._take_material(load_beside(reader, settings))

    # What the project says of itself

    @property
    def uuid(self) -> str:
        """An id that copies of the file share."""
        return self.meta["uuid"]

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
    def pool_depth(self) -> int:
        """How many documents of each run are to be judged for a query."""
        return int(self._values.get("pool_depth", DEFAULT_POOL_DEPTH))

    @property
    def read_only_reason(self) -> str:
        """A sentence when nothing can be changed, else ``""``."""
        return self._file.read_only_reason

    @property
    def assessors(self) -> tuple[str, ...]:
        """Names of all who have judged, first known first."""
        return tuple(self._assessor_names.values())

    def flagged_queries(self) -> set[int]:
        """Return the queries with a document that somebody has flagged."""
        places = self.material.place_of
        return {places[q] for q in load_flagged_queries(self._file.reader) if q in places}

    @property
    def assessor_id(self) -> int | None:
        """The assessor's number in the file; ``None`` before the first judgment."""
        names = self._assessor_names.items()
        return next((number for number, name in names if name == self.assessor), None)

    @property
    def used_grades(self) -> list[float]:
        """Distinct grades given so far, lowest first."""
        return load_used_grades(self._file.reader)

    def opinions(self, query: int) -> Mapping[int, list[Opinion]]:
        """Return what is said of a query's documents: by document, first assessor first."""
        return self._opinions.of_query(query)

    def assessor_name(self, number: int) -> str:
        """Return an assessor's name."""
        return self._assessor_names.get(number, "?")

    def iter_judgments(self) -> list[tuple[int, int, Opinion, int]]:
        """Return (query, document, opinion, when) of everything said, by query and document."""
        place_of = self.material.place_of
        return [
            (
                place_of[key.query],
                key.document,
                Opinion(self._assessor_names.get(key.assessor, "?"), stored.judgment),
                stored.at,
            )
            for key, stored in load_judgments(self._file.reader)
            if key.query in place_of
        ]

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
        how = Circumstances(origin, spent_ms, shown)
        if isinstance(command, ValueCommand):
            outcome = self._file.write(self._value_job(command))
        else:
            outcome = self._file.write(self._judging_job(command, how))
        return self._take_in(outcome, "do")

    def _judging_job(
        self, command: JudgmentCommand, how: Circumstances
    ) -> Callable[[Any], Outcome]:
        if not self.assessor:
            raise CommandRefusedError("Nobody is named as assessor. Say who judges first.")
        if isinstance(command, Judge) and self.scale.find_level(command.grade) is None:
            raise CommandRefusedError(
                f"Grade {format_grade(command.grade)} is not on this scale ({self.scale.label}). "
                "Change the scale in Project ▸ Scale."
            )
        query = self.material.queries[command.query]
        title = (
            f"{command.verb} for {self.material.document_id(command.document)}, query {query.id}"
        )
        return judging_job(
            [(self.material.query_ids[command.query], command.document)],
            command.apply,
            title=title,
            assessor=self.assessor,
            at=self.clock(),
            how=how,
        )

    def _value_job(self, command: ValueCommand) -> Callable[[Any], Outcome]:
        if isinstance(command, SetScale):
            lost = [g for g in self.used_grades if command.scale.find_level(g) is None]
            if lost:
                shown = ", ".join(map(format_grade, lost[:5]))
                raise CommandRefusedError(
                    f"Judgments with grade {shown} exist, and the new scale has no such grade. "
                    "Keep these grades on the scale; their names, gains and colours can change."
                )
        return value_job(
            command.key,
            command.value,
            title=command.title,
            assessor_id=self.assessor_id,
            at=self.clock(),
        )

    @property
    def undo_step(self) -> StepRow | None:
        """What Undo would take back, also from before the project was opened."""
        return find_undo_step(self._file.reader, self.assessor_id)

    @property
    def redo_step(self) -> StepRow | None:
        """What Redo would do again."""
        return find_redo_step(self._file.reader, self.assessor_id)

    def undo(self) -> Changed | None:
        """Take back the assessor's last step; ``None`` when there is none.

        Judgments that someone has changed since stay as they are and are counted.
        """
        outcome = self._file.write(undo_job(self.assessor_id, self.clock()))
        return self._take_in(outcome, "undo")

    def redo(self) -> Changed | None:
        """Do again what was undone last; ``None`` when there is nothing."""
        outcome = self._file.write(redo_job(self.assessor_id, self.clock()))
        return self._take_in(outcome, "redo")

    def _take_in(self, outcome: Outcome, origin: Origin) -> Changed | None:
        if outcome.assessor_id is not None and self.assessor_id is None:
            self._assessor_names[outcome.assessor_id] = self.assessor
            self.board.set_assessor(outcome.assessor_id)
        if outcome.step is None:
            return None
        is_material = outcome.step.kind == "import"
        touched: tuple[tuple[int, int], ...] = ()
        if is_material:
            self._load(self.board.view)
        else:
            touched = self.board.apply(outcome.entries)
            self._opinions.renew(touched)
            self._apply_values(outcome.values)
        changed = Changed(
            origin,
            outcome.step.kind,
            outcome.step.title,
            touched,
            frozenset(outcome.values),
            is_material,
            outcome.n_kept,
        )
        self.changed.emit(changed)
        return changed

    def _apply_values(self, values: Mapping[str, Any]) -> None:
        for key, value in values.items():
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
        if "scale" in values:
            self.scale = Scale.from_dict(self._values["scale"])
            self.board.set_scale(self.scale)
        if "conventions" in values:
            self.board.engine.set_conventions(self.conventions)
        if "measures" in values or "conventions" in values:
            self.board.engine.set_measures(self.measures)
        if "pool_depth" in values:
            self.board.set_pool_depth(self.pool_depth)

    # Import

    @contextlib.contextmanager
    def second_reader(self) -> Iterator[Any]:
        """Give a connection for looking to a thread other than the session's."""
        reader = self._file.open_reader()
        try:
            yield reader
        finally:
            reader.close()

    def write_bulk(self, job: Job[T]) -> T:
        """Run a job of an import durably, behind any judgment; for any thread."""
        return self._file.write(job, priority=BULK)

    def load_import(self) -> Loaded:
        """Read what an import has made visible, beside what the session has; for any thread."""
        with self.second_reader() as reader:
            return load_beside(reader, self._board_settings)

    @property
    def _board_settings(self) -> BoardSettings:
        return BoardSettings(
            self.scale,
            self.measures,
            self.pool_depth,
            self.assessor_id,
            self.board.view,
            self.conventions,
        )

    def finish_import(
        self,
        title: str,
        *,
        loaded: Loaded | None = None,
        judged: Iterable[tuple[int, int]] = (),
    ) -> Changed:
        """Take in what an import has made visible, and tell the listeners.

        Args:
            title: of the import.
            loaded: what :meth:`load_import` gave; ``None`` reads everything now.
            judged: (query, document) pairs judged since that began, by the numbers
                the session had before.
        """
        if loaded is None or loaded.settings != self._board_settings:
            self.reload()
        else:
            self._take_loaded(loaded, [(self.material.query_ids[q], d) for q, d in judged])
        changed = Changed("do", "import", title, is_material=True)
        self.changed.emit(changed)
        return changed

    def _take_loaded(self, loaded: Loaded, judged: Iterable[tuple[int, int]]) -> None:
        loaded.material.use_reader(self._file.reader)
        self._take_material(loaded)
        catch_up(self.board, self._file.reader, judged, assessor=self.assessor_id)

    def _take_material(self, loaded: Loaded) -> None:
        self._assessor_names = loaded.assessor_names
        self.material, self.board = loaded.material, loaded.board
        self._opinions = Opinions(self._file.reader, self.material.query_ids, self._assessor_names)

    # Life

    def reload(self) -> None:
        """Read everything anew, after an import has changed what is visible."""
        self._load(self.board.view)

    def save_copy(self, target: Path) -> None:
        """Write a complete copy elsewhere, even when this file has been deleted meanwhile."""
        self._file.copy_to(target)

    def close(self) -> None:
        """Bring everything into the one file and let go of it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
