"""A model asked for grades: a program of the person's that reads and writes lines of JSON.

For each document it gets a line with ``id``, ``query``, ``document``, ``guidelines`` and
``levels``, and answers with a line ``{"id": …, "grade": a grade of the scale or null, "note": …}``.
Nothing is sent anywhere but to that program, and only when a person starts it.
"""

import json
import os
import queue
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from judgetool.core.judgments import Judgment, JudgmentChange, JudgmentKey, State
from judgetool.core.number_text import number_of
from judgetool.core.policy import check_network
from judgetool.core.scale import Scale, is_number
from judgetool.core.system import as_group, end_group
from judgetool.errors import InputError, why_refused
from judgetool.session.commands import Progress
from judgetool.session.jobs import find_said
from judgetool.session.pool import NumberPair
from judgetool.session.reading_aids import find_guidelines
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import LogEntry, insert_step, write_entries
from judgetool.storage.values import load_kinds, number_assessor
from judgetool.wording import N_, _

DEFAULT_TIMEOUT = 60.0
DEFAULT_RETRIES = 2
MOST_IN_VAIN = 5
"""Documents in a row without a usable answer at which the run stops."""

TROUBLES = {
    "time": N_("no answer in time"),
    "end": N_("the program ended without an answer"),
    "json": N_("the answer was no JSON object on one line"),
    "id": N_("the answer had another id"),
    "grade": N_("the grade was none of the scale"),
}
"""What may be wrong with an answer; the words stand in the note of what cannot be judged."""

_LONGEST = 1 << 20
_TAIL = 500
_PATIENCE = 2.0


class ModelWishes(NamedTuple):
    """Whom to ask what.

    Attributes:
        assessor: the model's name in the project.
        command: program and arguments; no shell reads them.
        query_ids: only these queries; empty for all.
        depth: the first ranks of each run; ``None`` for what the project has to be judged.
        timeout: seconds for an answer.
        retries: further tries for a document after an answer that cannot be used.
    """

    assessor: str
    command: tuple[str, ...]
    query_ids: tuple[str, ...] = ()
    depth: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    retries: int = DEFAULT_RETRIES


@dataclass(slots=True)
class ModelRun:
    """What came of a run.

    Attributes:
        n_wanted: documents that the model was to judge.
        n_there: of these, those of which it had said something before.
        n_graded: documents that it graded now.
        n_cannot: those that it said it cannot judge.
        n_failed: those that cannot be judged as no try gave an answer that can be used.
        troubles: how often an answer could not be used, by key of ``TROUBLES``.
        stopped: why the run ended early; ``""`` where it did not.
    """

    n_wanted: int = 0
    n_there: int = 0
    n_graded: int = 0
    n_cannot: int = 0
    n_failed: int = 0
    troubles: Counter[str] = field(default_factory=Counter)
    stopped: str = ""

    @property
    def n_done(self) -> int:
        """Documents of which something is said now."""
        return self.n_there + self.n_graded + self.n_cannot + self.n_failed


class _TroubleError(Exception):
    """A try without an answer that can be used; the text is a key of ``TROUBLES``."""


class ModelProgram:
    """The program, started when it is first asked, and again after it has ended or was too slow.

    Threads write to it and read from it, so that one that does not read, or writes without end,
    holds nobody up for longer than the time that an answer may take.

    Args:
        command: program and arguments.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        self._errors = self._last = b""
        self._n_asked = 0

    @property
    def last_words(self) -> str:
        """The last lines that it wrote on standard error, of those that are alike one."""
        lines = self._errors.decode("utf-8", "replace").splitlines()
        if len(self._errors) >= 4 * _TAIL and len(lines) > 1:
            # Its beginning may be cut off.
            del lines[0]
        kept: list[str] = []
        for line in dict.fromkeys(each.rstrip() for each in reversed(lines) if each.strip()):
            if kept and sum(map(len, kept)) + len(line) > _TAIL:
                break
            kept.append(line if len(line) <= _TAIL else f"…{line[-_TAIL:]}")
        return "\n".join(reversed(kept))

    def start(self) -> None:
        """Start it.

        Raises:
            InputError: there is no such program, it cannot be started, or what it is asked may
                not leave the machine.
        """
        check_network(_("Asking a model’s program"))
        self.end()
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # What it starts itself ends with it.
                **as_group(),
            )
        except (OSError, ValueError) as problem:
            why = why_refused(problem) if isinstance(problem, OSError) else problem
            raise InputError(
                _(
                    "{program} cannot be started: {why}. Give a program and its arguments, such as "
                    "--command 'python3 ask.py'."
                ).format(program=self._command[0], why=why)
            ) from problem
        # Since it was started.
        self._n_asked = 0
        self._to_write: queue.Queue[bytes | None] = queue.Queue()
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=8)
        work = (self._write, self._read, self._read_errors)
        self._threads = [
            threading.Thread(target=each, args=(self._process,), daemon=True) for each in work
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        # It may have closed its end, or be gone.
        with suppress(OSError, ValueError):
            while (line := self._to_write.get()) is not None:
                process.stdin.write(line)
                process.stdin.flush()
        with suppress(OSError, ValueError):
            process.stdin.close()

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        with process.stdout as stream:
            while (line := stream.readline(_LONGEST)) and self._process is process:
                self._lines.put(line)
        self._lines.put(b"")

    def _read_errors(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stderr is not None
        with process.stderr as stream:
            while part := os.read(stream.fileno(), 1 << 16):
                self._errors = (self._errors + part)[-4 * _TAIL :]

    def ask(self, line: bytes) -> None:
        """Give it a line, starting it where it does not run.

        Raises:
            InputError: it cannot be started.
        """
        if self._process is None or self._process.poll() is not None:
            self.start()
        self._n_asked += 1
        self._last = line
        self._to_write.put(line)

    def answer(self, deadline: float) -> bytes:
        """Return the next line that it writes; one that is too long for an answer is cut.

        Args:
            deadline: until when to wait, by :func:`time.monotonic`.

        Raises:
            _TroubleError: there was none in time, or it has ended; it is started anew when it is asked.
        """
        try:
            line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.001))
        except queue.Empty:
            self.end()
            raise _TroubleError("time") from None
        if not line and self._n_asked > 1:
            # It may have ended after its last answer, as one that takes a single line does.
            self.start()
            self.ask(self._last)
            return self.answer(deadline)
        if not line:
            self.end(_PATIENCE / 10)
            raise _TroubleError("end")
        if len(line) >= _LONGEST:
            self.end()
            raise _TroubleError("json")
        return line

    def end(self, patience: float = 0.0) -> None:
        """Have it end: told by the end of its input first, where there is patience.

        Args:
            patience: seconds that it may take to end by itself.
        """
        process, self._process = self._process, None
        if process is None:
            return
        self._to_write.put(None)
        if patience:
            with suppress(subprocess.TimeoutExpired):
                process.wait(patience)
        with suppress(OSError):
            end_group(process)
        process.wait()
        for thread in self._threads:
            while thread.is_alive():
                # One that waits to hand on a line sees once there is room that nobody asks any more.
                with suppress(queue.Empty):
                    self._lines.get_nowait()
                thread.join(0.01)


def ask_model(
    session: Session,
    wishes: ModelWishes,
    *,
    progress: Progress | None = None,
) -> ModelRun:
    """Have a program judge documents, each durable as soon as it is answered; one step that Undo takes back.

    Documents of which the model has said something are left out, so that a run that was ended or
    killed goes on where it was. Nothing in the session's memory follows: close it, or
    :meth:`~judgetool.session.session.Session.reload`.

    Args:
        session: the project, open for writing.
        wishes: whom to ask what.
        progress: told how many of how many documents are done.

    Raises:
        InputError: a query that there is not, a name that is not a model's, a program that cannot be
            started, or one that has not given one answer that can be used; then nothing was written.
        SaveError: a grade could not be written; what was answered before stays.
    """
    _check_name(session, wishes.assessor)
    pairs = list(_wanted_pairs(session, wishes))
    said = {
        (query, document)
        for query, document, opinion, _ in session.iter_judgments()
        if opinion.assessor == wishes.assessor and opinion.judgment.state is not State.UNJUDGED
    }
    left = [pair for pair in pairs if pair not in said]
    run = ModelRun(len(pairs), len(pairs) - len(left))
    program = ModelProgram(wishes.command)
    try:
        _Asking(session, wishes, program, run).run(left, progress or (lambda _done, _total: None))
    finally:
        program.end(_PATIENCE)
    return run


def _check_name(session: Session, name: str) -> None:
    kinds = load_kinds(session.reader)
    if kinds.get(name, "model") != "model":
        raise InputError(
            _(
                "{name} is an assessor of {project} already, and no model. Give the model a name "
                "of its own: --assessor NAME."
            ).format(name=name, project=session.path.name)
        )


def _wanted_pairs(session: Session, wishes: ModelWishes) -> Iterator[NumberPair]:
    """Yield (query, document) of what the model is to judge, query by query, best rank first."""
    material, board = session.material, session.board
    queries = []
    for name in wishes.query_ids:
        found = material.find_query(name)
        if found is None:
            raise InputError(
                _("There is no query ‘{name}’ in {project}.").format(
                    name=name, project=session.path.name
                )
            )
        queries.append(found)
    pool = board.whole_pool if wishes.depth is None else board.top_pool(wishes.depth)
    for query in dict.fromkeys(queries) if queries else range(board.n_queries):
        yield from ((query, document) for document in pool.documents(query).tolist())


class _Asking:
    """Asks for one document after the other, and writes what is answered."""

    def __init__(
        self, session: Session, wishes: ModelWishes, program: ModelProgram, run: ModelRun
    ) -> None:
        self._session = session
        self._wishes = wishes
        self._program = program
        self._run = run
        self._numbers = count(1)
        self._step: int | None = None
        # Documents in a row without an answer, and why: written once another one is answered.
        self._in_vain: list[tuple[NumberPair, str]] = []
        self._has_answered = False

    def run(self, pairs: Sequence[NumberPair], progress: Progress) -> None:
        for pair in pairs:
            progress(self._run.n_done + len(self._in_vain), self._run.n_wanted)
            found = self._ask(pair)
            if isinstance(found, str):
                self._in_vain.append((pair, found))
                if len(self._in_vain) == MOST_IN_VAIN:
                    break
            else:
                self._has_answered = True
                self._write_in_vain()
                self._write(pair, found)
        if len(self._in_vain) == MOST_IN_VAIN or (self._in_vain and not self._has_answered):
            self._give_up()
        else:
            self._write_in_vain()

    def _give_up(self) -> None:
        words = self._program.last_words
        why = number_of(
            len(self._in_vain),
            "{program} gave no answer that can be used for {n} document in a row, at last: {trouble}.",
            "{program} gave no answer that can be used for {n} documents in a row, at last: {trouble}.",
            program=self._wishes.command[0],
            trouble=_(TROUBLES[self._in_vain[-1][1]]),
        )
        if words:
            why += " " + _("Its last words on standard error: {words}").format(words=words)
        if not self._has_answered:
            raise InputError(f"{why}\n{_('Nothing was written.')}")
        self._run.stopped = why

    def _ask(self, pair: NumberPair) -> Judgment | str:
        """Return what the model says, or the last trouble where no try gave an answer."""
        trouble = ""
        for _again in range(self._wishes.retries + 1):
            number = str(next(self._numbers))
            try:
                self._program.ask(_request(self._session, pair, number))
                judgment = self._judgment(number)
            except _TroubleError as problem:
                trouble = str(problem)
                self._run.troubles[trouble] += 1
            else:
                return judgment
        return trouble

    def _judgment(self, number: str) -> Judgment:
        deadline = time.monotonic() + self._wishes.timeout
        while True:
            answer = _parsed(self._program.answer(deadline))
            # A late answer to an earlier try is passed over.
            if not _is_earlier(answer.get("id"), int(number)):
                break
        if str(answer.get("id")) != number:
            raise _TroubleError("id")
        return _judged(answer, self._session.scale)

    def _write_in_vain(self) -> None:
        for pair, trouble in self._in_vain:
            note = f"No answer that can be used: {TROUBLES[trouble]}."
            self._write(pair, Judgment(State.CANNOT_JUDGE, note=note), is_said=False)
        self._in_vain.clear()

    def _write(self, pair: NumberPair, judgment: Judgment, *, is_said: bool = True) -> None:
        job = partial(self._job, pair=pair, judgment=judgment)
        self._step = self._session.write(job)
        if not is_said:
            self._run.n_failed += 1
        elif judgment.grade is None:
            self._run.n_cannot += 1
        else:
            self._run.n_graded += 1

    def _job(self, connection: Connection, *, pair: NumberPair, judgment: Judgment) -> int:
        """Write a judgment to the run's one step, which begins with the first of them."""
        at = self._session.clock()
        step = self._step
        if step is None:
            title = f"Grades by {self._wishes.assessor}"
            row = insert_step(connection, kind="model", title=title, assessor_id=None, at=at)
            step = row.step_id
        who = number_assessor(connection, self._wishes.assessor, kind="model")
        key = JudgmentKey(self._session.material.query_ids[pair[0]], pair[1], who)
        before, before_step, _at = find_said(connection, key)
        entry = LogEntry(JudgmentChange(key, before, judgment), before_step, step, "command")
        write_entries(connection, [entry], step_id=step, at=at)
        return step


def _request(session: Session, pair: NumberPair, number: str) -> bytes:
    """Return the line that asks for a document: JSON in ASCII, so that no encoding matters."""
    query, document = session.material.queries[pair[0]], session.material.document(pair[1])
    guidelines = [find_guidelines(session), find_guidelines(session, pair[0])]
    values = {
        "id": number,
        "query": {
            "id": query.id,
            "text": query.text,
            "description": query.description,
            "narrative": query.narrative,
        },
        "document": {
            "id": document.id,
            "title": document.title,
            "url": document.url,
            "body": document.body,
            "fields": dict(document.fields),
        },
        "guidelines": "\n\n".join(dict.fromkeys(filter(None, guidelines))),
        "levels": [
            {"grade": level.grade, "name": level.name, "definition": level.definition}
            for level in session.scale.levels
        ],
    }
    return json.dumps(values).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise _TroubleError("json") from None
    if not isinstance(answer, dict):
        raise _TroubleError("json")
    return answer


def _is_earlier(name: object, number: int) -> bool:
    return str(name).isdecimal() and int(str(name)[:20]) < number


def _judged(answer: dict[str, Any], scale: Scale) -> Judgment:
    """Return what an answer says; a grade of another kind than a number is none, and never 0."""
    grade = answer.get("grade")
    note = answer.get("note")
    # Halves of characters and NUL cannot be kept.
    said = (
        note.encode("utf-8", "replace").decode().replace("\0", "") if isinstance(note, str) else ""
    )
    if "grade" in answer and grade is None:
        return Judgment(State.CANNOT_JUDGE, note=said)
    if not is_number(grade) or not scale.has_grade(float(grade)):
        raise _TroubleError("grade")
    return Judgment(State.JUDGED, float(grade), said)
