"""``judgetool judge``, each line acknowledged once it is durable, and ``effort``: what it took."""

import codecs
import sys
from pathlib import Path

import click

from judgetool.cli.command import (
    PROJECT,
    assessor_option,
    command,
    offer_files,
    print_tsv,
    target_of,
    tell_all,
)
from judgetool.cli.options import choice_option
from judgetool.core.judgments import Query
from judgetool.core.number_text import local_count, number_of
from judgetool.errors import (
    InputError,
    JudgetoolError,
    ParseError,
    SaveError,
    why_refused,
)
from judgetool.formats import Kind, Reading
from judgetool.formats.records import find_grade, note_number
from judgetool.formats.writers import Formulas
from judgetool.session.commands import Say, describe_near_name, find_name_problem
from judgetool.session.effort import (
    COLUMNS,
    EFFORT_BY,
    EffortBy,
    effort_rows,
    write_effort_csv,
)
from judgetool.session.imports.importing import ensure_document, import_readings
from judgetool.session.opening import find_hub_side, open_project
from judgetool.session.safety import open_to_change
from judgetool.session.session import Session
from judgetool.wording import N_, _

_SOURCE = N_("standard input")
_CLEAR = "-"


@command(
    "judge",
    examples=(
        r"printf '1\tr001\t2\n' | judgetool judge recipes.judge --assessor anna",
        "judgetool judge recipes.judge --assessor anna --known-only < judgments.tsv",
    ),
)
@PROJECT
@assessor_option("Who judges.", required=True)
@click.option(
    "--known-only",
    is_flag=True,
    help="Refuse queries and documents that the project does not have; otherwise they are added.",
)
def judge_command(project: Path, *, assessor: str, known_only: bool) -> None:
    """Judge from standard input: lines of query, document and grade, separated by tabs.

    The grade `-` takes a judgment back. After each line judgetool prints `ACK n` (n is
    the line’s number, from 1), and it does so only when the judgment is on the disk and
    would survive a power cut. A line that does not fit ends the command with exit code 1;
    what was acknowledged stays.
    """
    with open_to_change(project, assessor=assessor) as session:
        problem = find_name_problem(assessor)
        if problem and session.assessor_id is None:
            raise InputError(problem)
        side = find_hub_side(session)
        guest = side.describe_guest(assessor)
        if guest and side.role == "lead":
            raise InputError(
                _(
                    "{guest} Judge as ‘{name}’; what ‘{assessor}’ judged elsewhere comes with ‘judgetool "
                    "import’."
                ).format(guest=guest, name=side.name, assessor=assessor)
            )
        tell_all(filter(None, [describe_near_name(assessor, session.assessors), guest]))
        judging = _Judging(session, is_known_only=known_only)
        try:
            judging.run()
        finally:
            judging.tell_added()


class _Judging:
    """Takes lines until there are no more, or one does not fit."""

    def __init__(self, session: Session, *, is_known_only: bool) -> None:
        self._session = session
        self._is_known_only = is_known_only
        self._n_queries = self._n_documents = 0

    def run(self) -> None:
        """Judge line by line; each is durable before it is acknowledged."""
        for number, line in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
            # A mark of byte order stands before all that PowerShell pipes.
            self._take(number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line)
            try:
                sys.stdout.write(f"ACK {number}\n")
                sys.stdout.flush()
            except OSError as problem:
                is_closed = isinstance(problem, BrokenPipeError)
                said = (
                    _("Nobody reads the acknowledgements any more.")
                    if is_closed
                    else _("The acknowledgements cannot be written: {problem}.")
                ).format(problem=why_refused(problem))
                kept = _("Lines 1 to {number} are saved; the others were not read.")
                kept = kept.format(number=local_count(number))
                raise InputError(f"{said} {kept}") from problem

    def tell_added(self) -> None:
        """Say on standard error which ids were added to the project."""
        notes: list[str] = []
        note_number(
            notes,
            self._n_queries,
            "{n} query id that the project did not have: added.",
            "{n} query ids that the project did not have: added.",
        )
        note_number(
            notes,
            self._n_documents,
            "{n} document id that the project did not have: added.",
            "{n} document ids that the project did not have: added.",
        )
        tell_all(notes)

    def _take(self, number: int, line: bytes) -> None:
        try:
            query_id, document_id, grade = _parse_line(line)
            if grade is None:
                self._clear(query_id, document_id)
            else:
                # Before any id is added for it.
                self._session.scale.rank_of(grade)
                is_known = self._session.material.find_document(document_id) is not None
                query, document = self._query(query_id), self._document(document_id)
                self._session.execute(Say.grade(query, document, grade))
                # Only with its judgment is it in the project.
                self._n_documents += not is_known
        except JudgetoolError as error:
            # What could not be saved says so itself.
            is_said = number == 1 and isinstance(error, SaveError)
            said = str(error) if is_said else f"{error} {_kept(number)}"
            raise ParseError(said, source=_(_SOURCE), line=number) from error

    def _clear(self, query_id: str, document_id: str) -> None:
        """Take a judgment back; what the project does not have has none."""
        material = self._session.material
        is_known = None not in (material.find_query(query_id), material.find_document(document_id))
        if is_known or self._is_known_only:
            query, document = self._query(query_id), self._document(document_id)
            self._session.execute(Say.clear(query, document))

    def _query(self, query_id: str) -> int:
        found = self._session.material.find_query(query_id)
        if found is None:
            self._refuse_unknown(_("there is no query ‘{name}’ in {project}."), query_id)
            reading = Reading(_SOURCE, Kind.QUERIES, "queries-tsv", queries=[Query(query_id)])
            import_readings(self._session, [reading])
            self._n_queries += 1
            found = self._session.material.find_query(query_id)
            assert found is not None
        return found

    def _document(self, document_id: str) -> int:
        found = self._session.material.find_document(document_id)
        if found is None:
            self._refuse_unknown(_("there is no document ‘{name}’ in {project}."), document_id)
            found = ensure_document(self._session, document_id)
        return found

    def _refuse_unknown(self, sentence: str, name: str) -> None:
        if self._is_known_only:
            raise InputError(sentence.format(name=name, project=self._session.path.name))


def _parse_line(line: bytes) -> tuple[str, str, float | None]:
    """Return query, document and grade of a line; the grade is ``None`` for ``-``.

    Raises:
        InputError: the line does not fit.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(_("the line is not UTF-8.")) from None
    cells = text.removesuffix("\n").removesuffix("\r").split("\t")
    if len(cells) != 3:
        raise InputError(
            number_of(
                len(cells),
                "expected query, document and grade separated by tabs, found {n} column.",
                "expected query, document and grade separated by tabs, found {n} columns.",
            )
        )
    query_id, document_id, grade_text = cells
    if not query_id or not document_id or "\0" in text:
        raise InputError(_("the query or the document has no id that can be kept."))
    said = grade_text.strip()
    grade = find_grade(said)
    if grade is None and said != _CLEAR:
        raise InputError(
            _("the grade ‘{grade}’ is neither a number such as 2 nor ‘-’.").format(grade=grade_text)
        )
    return query_id, document_id, grade


def _kept(number: int) -> str:
    if number == 1:
        return _("Nothing was saved.")
    if number == 2:
        return _("Line 1 is saved; this one and what follows are not.")
    last = local_count(number - 1)
    return _("Lines 1 to {last} are saved; this one and what follows are not.").format(last=last)


@command(
    "effort",
    examples=(
        "judgetool effort recipes.judge",
        "judgetool effort recipes.judge --by query",
        "judgetool effort recipes.judge --by judgment --csv effort.csv",
    ),
)
@PROJECT
@click.option(
    "--by",
    type=click.Choice(EFFORT_BY),
    default="assessor",
    help="A line for each assessor, for each assessor and query, or for each judgment.  "
    "[default: assessor]",
)
@click.option(
    "--csv",
    "out",
    shell_complete=offer_files,
    metavar="OUT.csv",
    help="Write a CSV file; - is standard output.",
)
@choice_option(
    "--formulas",
    Formulas,
    default=str(Formulas.REFUSE_IDS),
    what="Ids in a CSV that begin as formulas do (= + - @) are refused or kept, never changed.  "
    "[default: refuse-ids]",
)
def effort_command(project: Path, by: EffortBy, out: str | None, formulas: Formulas) -> None:
    """Say how long judging took in PROJECT, how fast it went, and what was changed later.

    From the project’s log: time in view and active time (of a pause without key, click
    or scrolling only the first 60 seconds count), key or click, place in the queue, the
    grade given just before. What was imported is left out. Without --csv it prints
    tab-separated values with a header. The project is not changed.
    """
    with open_project(project, read_only=True) as session:
        if out is None:
            print_tsv(COLUMNS[by], effort_rows(session, by))
            return
        notes = write_effort_csv(session, target_of(out), by=by, formulas=formulas)
    tell_all(notes)
