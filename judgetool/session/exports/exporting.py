"""What is written out: rows for the writers of ``formats``, and files of any format.

Also under which name runs and assessors are written, and exports in which nobody is named. Scores of a
what-if fall strictly, so that nobody orders it anew.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np

from judgetool.core.clock import iso_utc, utc_ms
from judgetool.core.judgments import VIEW_RULES, Document, check_assessor, view_rule
from judgetool.core.number_text import number_of
from judgetool.core.rankings import Ranking
from judgetool.core.scale import Scale, scale_preset
from judgetool.errors import InputError
from judgetool.formats import ClickRow, JudgmentRow, RankedResult, write_atomically
from judgetool.formats.judgments import NO_PEOPLE
from judgetool.formats.values import Details
from judgetool.formats.writers import (
    ExportChoices,
    ExportMaterial,
    FoldedRow,
    ReportRow,
    ReportTable,
    RunSource,
    Subject,
    WriterFormat,
    writer_format,
)
from judgetool.formats.writers.tables import iter_shown_rows
from judgetool.formats.writers.values import (
    AgreementTable,
    Fingerprint,
    Written,
    count_records,
    meta_path,
    meta_text,
    values_lost,
)
from judgetool.metrics import ConventionPreset, Conventions, Measure, RunBlock, convention_preset
from judgetool.metrics.significance import count_assumed
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import (
    ONLY_MINE,
    Board,
    BoardSettings,
    JudgmentBook,
    left_out_notes,
    settled_rows,
    state_tied,
    tied_sentences,
)
from judgetool.session.commands import IsCancelled, Progress, checker
from judgetool.session.comparing.these_queries import assumed_words
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.team.agreement import (
    AgreementSummary,
    agreement_data,
    counting_assessors,
    summarize_agreement,
)
from judgetool.session.whatifs.applying import match_documents
from judgetool.session.whatifs.book import (
    QuerySteps,
    WhatIf,
    assumed_in,
    base_block,
    find_whatif_named,
    load_query_steps,
    load_whatifs,
    ruled_block,
    touched_queries,
    unique_documents,
    with_steps,
)
from judgetool.storage.asks import load_asks
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import load_efforts, load_judgments
from judgetool.storage.material import RunRow, load_clicks
from judgetool.storage.values import find_assessor, load_assessors, load_numbers_of, load_speakers
from judgetool.wording import N_, _, in_english, translated

# A preview tries all of what is smaller than this, to find what would stop the writing.
_MOST_TRIED = 50_000
_DOCUMENTS_AT_ONCE = 500
_AGAIN_STAYS = N_(
    "Some documents were asked again: second judgments are not in this file. To hand on all that was "
    "judged, send the project’s file, for ‘judgetool merge’ or Project ▸ Merge…."
)
ANONYMOUS_TITLE = "Runs compared"
"""What stands over a report that does not name its project."""

# Beside files of these stands how alike those who judged are.
_OF_PEOPLE = (Subject.GRADES, Subject.JUDGMENTS, Subject.REPORT)
_CANCELLED = N_("The export was cancelled. What stood there is unchanged.")


class ExportPreview(NamedTuple):
    """What a file would be.

    Attributes:
        lines: its first lines as they will stand in it; of a binary file its first
            rows, cells separated by tabs.
        n_records: how many grades, judgments, results, queries or runs.
        notes: what is to be said of it.
    """

    lines: list[str]
    n_records: int
    notes: list[str]


class ExportReport(NamedTuple):
    """What was written.

    Attributes:
        n_records: how many grades, judgments, results, queries or runs.
        notes: what is to be said of it.
        meta: the side file; ``None`` when none was wanted.
    """

    n_records: int
    notes: list[str]
    meta: Path | None = None


def preview_export(
    session: Session,
    choices: ExportChoices,
    *,
    n_lines: int = 10,
    is_cancelled: IsCancelled | None = None,
) -> ExportPreview:
    """Return what a file would begin with. May be called from another thread than the session's.

    Raises:
        InputError: something cannot be written so; the text says what to choose instead.
        UsageError: there is no such format or view.
        WorkCancelledError: ``is_cancelled`` said so.
    """
    with session.second_reader() as reader:
        form, choices, material, count = _prepare(session, reader, choices)
        watched = _watched(
            form.writer(material, choices), checker(None, is_cancelled, _(_CANCELLED))
        )
        if form.is_binary:
            lines = list(islice(iter_shown_rows(material, choices), n_lines))
        else:
            lines = _first_lines(watched, n_lines)
        if count <= _MOST_TRIED:
            for __ in watched:
                pass
        return ExportPreview(lines, count, list(map(translated, material.notes)))


def write_export(
    session: Session,
    choices: ExportChoices,
    out: Path | IO[Any],
    *,
    has_meta: bool = False,
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> ExportReport:
    """Write a file. May be called from another thread than the session's.

    Args:
        session: the project; only read.
        choices: format, judgments and conventions.
        out: a path, which is replaced as a whole; or an open stream, of bytes for
            binary formats, which gets all of it or nothing.
        has_meta: whether a side file that records the choices is written beside a path: both,
            or neither.
        progress: told how many lines of how many are written, of text formats.
        is_cancelled: asked again and again; ``True`` leaves what stood there.

    Raises:
        InputError: something cannot be written so, or the file could not be written;
            what stood there is unchanged.
        UsageError: there is no such format or view.
        WorkCancelledError: ``is_cancelled`` said so.
    """
    if isinstance(out, Path):
        check_not_project(out, session)
    with session.second_reader() as reader:
        prepared = _prepare(session, reader, choices)
        if has_meta:
            prepared = _with_agreement(session, reader, prepared)
        form, choices, material, count = prepared
        lost = _lost(session, form, choices)
        fingerprint = Fingerprint()
        check = checker(None if form.is_binary else progress, is_cancelled, _(_CANCELLED))
        chunks = _watched(form.writer(material, choices), check, count, fingerprint)
        if not isinstance(out, Path):
            _write_whole(chunks, out, is_binary=form.is_binary)
            return ExportReport(count, [*lost, *map(translated, material.notes)])
        beside: list[tuple[Path, Iterator[Any]]] = [
            (out.with_name(out.name + ending), writer(material, choices))
            for ending, writer in form.beside.items()
        ]
        if has_meta:
            beside.append((meta_path(out), _side_file(session, prepared, out.name, fingerprint)))
        write_atomically(out, chunks, beside=beside)
    return ExportReport(
        count, [*lost, *map(translated, material.notes)], meta_path(out) if has_meta else None
    )


def _write_whole(chunks: Iterable[Any], out: IO[Any], *, is_binary: bool) -> None:
    """Write to an open stream once all of it is there: what is refused half way leaves no part of it."""
    how: dict[str, Any] = {} if is_binary else {"encoding": "utf-8", "newline": ""}
    with TemporaryFile("w+b" if is_binary else "w+", **how) as whole:
        whole.writelines(chunks)
        whole.seek(0)
        copyfileobj(whole, out)


def _with_agreement(session: Session, reader: Connection, prepared: "_Prepared") -> "_Prepared":
    """Return it with how alike those are who judged, for its side file."""
    of_people = prepared.form.subject in _OF_PEOPLE and not prepared.choices.assessor
    agreement = find_agreement(session, reader) if of_people else None
    if agreement is None:
        return prepared
    return prepared._replace(material=replace(prepared.material, agreement=agreement.to_dict()))


def _side_file(
    session: Session, prepared: "_Prepared", name: str, fingerprint: Fingerprint
) -> Iterator[str]:
    """Yield a side file, asked for when all is written that the fingerprint is of."""
    form, choices, material, count = prepared
    yield meta_text(
        form,
        choices,
        material,
        project={"title": session.title, "file": session.path.name, "uuid": session.uuid},
        written=Written(name, iso_utc(utc_ms()), count, fingerprint),
        counting=asdict(session.conventions),
    )


def write_together(
    session: Session,
    files: Mapping[Path, ExportChoices],
    *,
    with_meta: Collection[Path] = (),
    progress: Progress | None = None,
) -> list[ExportReport]:
    """Write files of text that belong together: all of them, or none.

    Args:
        session: the project; only read.
        files: format, judgments and conventions of each path, at least one; its folder is there.
        with_meta: those of them beside which a side file is written, too.
        progress: told of each file how many lines of how many are written.

    Returns:
        What was written, in their order.

    Raises:
        InputError: one cannot be written; what stood there is unchanged.
    """
    for path in files:
        check_not_project(path, session)
    check = checker(progress, None, _(_CANCELLED))
    with session.second_reader() as reader:
        prepared = {path: _prepare(session, reader, choices) for path, choices in files.items()}
        chunks: list[tuple[Path, Iterator[Any]]] = []
        sides: list[tuple[Path, Iterator[Any]]] = []
        for path, each in prepared.items():
            fingerprint, known = Fingerprint(), each
            if path in with_meta:
                known = _with_agreement(session, reader, each)
                side = _side_file(session, known, path.name, fingerprint)
                sides.append((meta_path(path), side))
            writing = known.form.writer(known.material, known.choices)
            chunks.append((path, _watched(writing, check, known.n_records, fingerprint)))
        first, *others = chunks
        write_atomically(*first, beside=[*others, *sides])
    return [
        ExportReport(
            each.n_records,
            [*_lost(session, each.form, each.choices), *map(translated, each.material.notes)],
            meta_path(path) if path in with_meta else None,
        )
        for path, each in prepared.items()
    ]


def _lost(session: Session, form: WriterFormat, choices: ExportChoices) -> list[str]:
    """Return the sentence on what readers of a file cannot know of scale and weights, if there is one."""
    is_weighted = session.board.engine.has_weighted_means
    preset = session.conventions.preset
    said = values_lost(form, choices, session.scale, preset, is_weighted=is_weighted)
    return [said] if said else []


class _Prepared(NamedTuple):
    """What there is to be written in a format; ``choices`` are those that a reader is told of."""

    form: WriterFormat
    choices: ExportChoices
    material: ExportMaterial
    n_records: int


def _prepare(session: Session, reader: Connection, choices: ExportChoices) -> _Prepared:
    form = writer_format(choices.format)
    material = collect_material(session, reader, choices)
    choices = shown_choices(session, reader, choices)
    return _Prepared(form, choices, material, count_records(form, material, choices))


def check_not_project(path: Path, session: Session) -> None:
    """Refuse to overwrite the project itself.

    Raises:
        InputError: the path is the project's file.
    """
    if path.exists() and path.samefile(session.path):
        raise InputError(
            _("{path} is the open project. Choose another file to export to.").format(
                path=path.name
            )
        )


def collect_material(
    session: Session, reader: Connection, choices: ExportChoices
) -> ExportMaterial:
    """Return the part of a project that a format needs; results of runs are made later.

    Args:
        session: the project.
        reader: a connection of the calling thread, open until all is written.
        choices: format, judgments, runs and conventions.

    Raises:
        InputError: there is no such assessor or run.
        UsageError: there is no such view or preset of conventions.
    """
    if choices.assessor:
        check_assessor(choices.assessor, session.assessors, session.path.name)
    subject = writer_format(choices.format).subject
    material = Material(reader)
    queries, scale = material.queries, session.scale

    def ids() -> Iterable[str]:
        return material.document_ids().values()

    if subject is Subject.GRADES:
        book = _folded_book(session, reader, material, choices)
        folded = list(_iter_folded(book, material))
        notes = left_out_notes(book, reader) + state_tied(book.n_tied, choices.view)
        return ExportMaterial(queries, scale, folded=folded, document_ids=ids, notes=notes)
    if subject is Subject.JUDGMENTS:
        rows = _judgment_rows(session, reader, material, choices.assessor)
        assessors: Sequence[str] = session.assessors
        if choices.anonymous:
            names = anonymous_names(session, reader, choices.seed)
            rows, assessors = without_names(rows, names), sorted(names.values(), key=by_number)
        notes = [_AGAIN_STAYS] if _is_asked_again(reader) else []
        return ExportMaterial(queries, scale, judgments=rows, assessors=assessors, notes=notes)
    if subject is Subject.REPORT:
        return ExportMaterial(queries, scale, report=_report_table(session, reader, choices))
    if subject is Subject.RUN:
        run, notes = find_run_source(session, material, choices.runs)
        find = partial(_find_documents, material)
        return ExportMaterial(
            queries, scale, run=run, find_documents=find, document_ids=ids, notes=notes
        )
    if subject is Subject.DOCUMENTS:
        n_known, n_documents = material.count_documents()[0], material.count_texts()
        texts = partial(_iter_documents, material)
        n_bare = n_known - n_documents
        left_out = number_of(
            n_bare,
            "{n} document has no text and is left out.",
            "{n} documents have no text and are left out.",
        )
        notes = [left_out] if n_bare else []
        return ExportMaterial(
            queries, scale, n_documents=n_documents, iter_documents=texts, notes=notes
        )
    clicks = _click_rows(reader, material) if subject is Subject.CLICKS else []
    return ExportMaterial(queries, scale, clicks=clicks)


def _iter_documents(material: Material) -> Iterator[Document]:
    """Yield all documents that have a text, in the order of their numbers."""
    numbers = sorted(material.document_ids())
    for start in range(0, len(numbers), _DOCUMENTS_AT_ONCE):
        found = material.documents(numbers[start : start + _DOCUMENTS_AT_ONCE])
        yield from (document for document in found if document.has_text)


def _find_documents(material: Material, ids: Sequence[str]) -> dict[str, Document]:
    numbers = material.find_documents(ids)
    found = material.documents(list(numbers.values()))
    return {document.id: document for document in found}


def _click_rows(reader: Connection, material: Material) -> list[ClickRow]:
    ids = material.document_ids()
    return [
        ClickRow(
            material.queries[material.place_of[row.query_id]].id,
            ids[row.document_id],
            row.impressions,
            row.clicks,
            row.position,
        )
        for row in load_clicks(reader)
        if row.query_id in material.place_of
    ]


def _folded_book(
    session: Session, reader: Connection, material: Material, choices: ExportChoices
) -> JudgmentBook:
    return JudgmentBook(
        settled_rows(reader, material.place_of),
        rule=None if choices.assessor else view_rule(choices.view, session.scale),
        assessor=find_assessor(reader, choices.assessor),
        standing=session.standing,
    )


def _iter_folded(book: JudgmentBook, material: Material) -> Iterator[FoldedRow]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        settled = book.settled(number)
        for document_id, document in sorted((ids[each], each) for each in settled):
            yield FoldedRow(query, document_id, settled[document].grade)


def _is_asked_again(reader: Connection) -> bool:
    again = load_numbers_of(reader, "again")
    return any(ask.assessor_id in again for ask in load_asks(reader))


def _judgment_rows(
    session: Session, reader: Connection, material: Material, assessor: str
) -> list[JudgmentRow]:
    ids, efforts = material.document_ids(), load_efforts(reader)
    found: dict[int, list[JudgmentRow]] = {}
    # A second look is nobody's opinion besides their first, and is told to nobody.
    kinds = {each.assessor_id: each.kind for each in load_assessors(reader)}
    hidden = {number for number, kind in kinds.items() if kind == "again"}
    for key, stored in load_judgments(reader):
        name, place = session.assessor_name(key.assessor), material.place_of.get(key.query)
        if place is None or key.assessor in hidden or (assessor and name != assessor):
            continue
        said = stored.judgment
        row = JudgmentRow(
            material.queries[place].id,
            ids[key.document],
            name,
            said.grade,
            str(said.state),
            said.note,
            Details(
                *(stored.at, efforts.get(key), said.flagged, said.confidence, said.spans),
                kind if (kind := kinds[key.assessor]) in NO_PEOPLE else "",
            ),
        )
        found.setdefault(place, []).append(row)
    # Query by query: one long sort would hold up the window's thread.
    return [
        row
        for place in sorted(found)
        for row in sorted(found[place], key=lambda row: (row.document_id, row.assessor))
    ]


@in_english()
def _report_table(session: Session, reader: Connection, choices: ExportChoices) -> ReportTable:
    preset = convention_preset(choices.conventions) if choices.conventions else None
    material = Material(reader)
    settings = BoardSettings(
        scale_preset(preset.scale) if preset and preset.scale else session.scale,
        _report_measures(session, preset),
        find_assessor(reader, choices.assessor),
        ONLY_MINE if choices.assessor else choices.view,
        preset.conventions if preset else session.conventions,
        standing=session.standing,
    )
    names = choices.runs or tuple(dict.fromkeys(run.name for run in material.runs))
    runs = [find_valued_run(session, material, name) for name in names]
    board = Board(material, settled_rows(reader, material.place_of), settings)
    engine = board.engine
    rows, assumed = [], []
    for number, (name, run) in enumerate(zip(names, runs, strict=True), 1):
        engine.add_run(-number, run.block, assumed=run.assumed)
        means = engine.means(-number)
        values = [mean.value for mean in means]
        rows.append(ReportRow(name, values, [mean.n_queries for mean in means]))
        if n_assumed := count_assumed(engine, -number):
            assumed.append(assumed_words(name, n_assumed))
    return ReportTable(
        ANONYMOUS_TITLE if choices.anonymous else session.title,
        [str(measure) for measure in engine.measures],
        [measure.spec.pooling == "sum" for measure in engine.measures],
        rows,
        [
            *_report_sentences(
                shown_choices(session, reader, choices),
                settings.conventions,
                preset,
                settings.scale,
            ),
            *tied_sentences(board.n_tied, choices.view),
            *assumed,
            *left_out_notes(board.book, reader),
        ],
        None if choices.assessor else agreement_table(find_agreement(session, reader)),
    )


def find_agreement(
    session: Session, reader: Connection | None = None, *, among: BoolArray | None = None
) -> AgreementSummary | None:
    """Return how alike those who count graded; ``None`` where no document was graded by two.

    Args:
        session: the project.
        reader: a connection of the calling thread; ``None`` on the session's.
        among: the queries that it is of, shape (n_queries,); ``None`` for all.
    """
    names = counting_assessors(session, reader)
    return summarize_agreement(agreement_data(session, names, session.scale, reader, among=among))


def agreement_table(found: AgreementSummary | None) -> AgreementTable | None:
    """Return it as reports show it."""
    if found is None:
        return None
    rows = [
        (str(row.measure), row.measure.in_words, row.value, row.low, row.high) for row in found.rows
    ]
    return AgreementTable(rows, found.sentences)


def _report_measures(session: Session, preset: ConventionPreset | None) -> Sequence[Measure]:
    """Return the project's measures as a preset understands them.

    Where the project follows another preset, which has rewritten them already, those
    that the tool itself reports.
    """
    own = session.conventions.preset
    if preset is None or own == preset.name:
        return session.measures
    return preset.default_measures() if own else preset.rewrite_all(session.measures)


def _report_sentences(
    choices: ExportChoices,
    conventions: Conventions,
    preset: ConventionPreset | None,
    scale: Scale,
) -> list[str]:
    whose = VIEW_RULES[choices.view].title if not choices.assessor else f"only {choices.assessor}’s"
    by_scale = f"Grades are read by the scale {scale.name}"
    said = preset.describe() if preset else conventions.describe()
    # The preset names the scale, too, without its levels.
    said = tuple(each for each in said if each != f"{by_scale}.")
    return [f"Judgments: {whose}.", *said, f"{by_scale}: {scale.describe()}."]


def _watched(
    chunks: Iterator[str] | Iterator[bytes],
    check: Progress,
    total: int = 0,
    fingerprint: Fingerprint | None = None,
) -> Iterator[Any]:
    n_done = 0
    for chunk in chunks:
        if isinstance(chunk, str):
            n_done += chunk.count("\n")
        # A header, or an entry on several lines, must not make more of it than there is.
        check(min(n_done, total), total)
        if fingerprint is not None:
            fingerprint.add(chunk)
        yield chunk


def _first_lines(chunks: Iterator[str], n_lines: int) -> list[str]:
    text = ""
    for chunk in chunks:
        text += chunk
        if text.count("\n") >= n_lines:
            break
    # Not splitlines(), which breaks lines inside texts, too.
    return text.removesuffix("\n").split("\n")[:n_lines] if text else []


# Names of runs and assessors


def _steps_of(session: Session, material: Material, head: WhatIf) -> dict[int, QuerySteps]:
    """Return what a what-if does to each query that it touches."""
    return {
        query: load_query_steps(session, head.id, query, material=material)
        for query in touched_queries(session, head.id)
    }


def _find_head(session: Session, material: Material, name: str) -> WhatIf | None:
    """Return the what-if of a name; ``None`` where a run has it, or nothing."""
    return find_whatif_named(session, name) if material.find_run(name) is None else None


def _block(material: Material, head: WhatIf, steps: Mapping[int, QuerySteps]) -> RunBlock:
    block = base_block(material, head)
    if head.rules:
        matches = match_documents(head.rules, unique_documents(block), material.iter_texts)
        block = ruled_block(material, head, block, matches)
    return with_steps(block, steps)


def list_run_names(session: Session) -> tuple[str, ...]:
    """Return the names of all that can be written as a run: runs first, then what-ifs."""
    runs = [run.name for run in session.material.runs]
    return (*runs, *(whatif.name for whatif in load_whatifs(session)))


def find_run_source(
    session: Session, material: Material, names: tuple[str, ...]
) -> tuple[RunSource | None, list[str]]:
    """Return what is written of the run or what-if of the first name, and what is to be said of it.

    For any thread: nothing is read but the project's values and ``material``.

    Args:
        session: the project.
        material: read by a connection of the calling thread.
        names: of runs; ``()`` is the first run of the project, if it has one.

    Returns:
        ``None`` for a project without runs; and a sentence for each rule of a what-if that
        is kept and not run, and one for the grades that it assumes.

    Raises:
        InputError: there is no run and no what-if of this name; the text lists them. Or the
            run that a what-if was made from is no longer in the project.
    """
    if not names and not material.runs:
        return None, []
    name = names[0] if names else material.runs[0].name
    head = _find_head(session, material, name)
    find: Callable[[int], Ranking]
    said: list[str] = []
    if head is None:
        run_id = find_stored_run(session, material, name).run_id
        block, find = material.block(run_id), partial(material.ranking, run_id)
    else:
        steps = _steps_of(session, material, head)
        block = _block(material, head, steps)
        find = partial(_scored, block)
        said = [rule.gap for rule in head.rules if rule.is_on and rule.gap]
        said += _assumed_note(steps)
    return RunSource(name, len(block.documents), partial(_iter_results, material, find)), said


def _assumed_note(steps: Mapping[int, QuerySteps]) -> list[str]:
    """Say how many grades the what-if assumes, which no run holds; nothing where there are none."""
    n_assumed = sum(len(each.grades) for each in steps.values())
    if not n_assumed:
        return []
    return [
        number_of(
            n_assumed,
            "The what-if assumes {n} grade, which no run holds: where nobody gives it, this run has "
            "other values.",
            "The what-if assumes {n} grades, which no run holds: where nobody gives them, this run "
            "has other values.",
        )
    ]


class ValuedRun(NamedTuple):
    """A run or what-if as it is valued.

    Attributes:
        block: its rankings.
        assumed: grades by query and document that count for it alone, where nobody judged.
    """

    block: RunBlock
    assumed: Mapping[int, Mapping[int, float]]


def find_valued_run(session: Session, material: Material, name: str) -> ValuedRun:
    """Return the run or what-if of a name; for any thread, as :func:`find_run_source`.

    Raises:
        InputError: there is none; the text lists them. Or the run that a what-if was made from
            is no longer in the project.
    """
    head = _find_head(session, material, name)
    if head is None:
        return ValuedRun(material.block(find_stored_run(session, material, name).run_id), {})
    steps = _steps_of(session, material, head)
    return ValuedRun(_block(material, head, steps), assumed_in(steps))


def _scored(block: RunBlock, query: int) -> Ranking:
    """Return a ranking of a what-if with scores that fall strictly."""
    ranked = block.ranking(query)
    return Ranking(ranked, np.arange(len(ranked), 0, -1, dtype=np.float64))


def find_stored_run(session: Session, material: Material, name: str) -> RunRow:
    """Return the run of this name.

    Raises:
        InputError: there is none; the text lists them.
    """
    run = material.find_run(name)
    if run is None:
        names = ", ".join(list_run_names(session)) or "none"
        raise InputError(
            _("There is no run ‘{name}’ in {project}. It has: {names}.").format(
                name=name, project=session.path.name, names=names
            )
        )
    return run


def _iter_results(material: Material, find: Callable[[int], Ranking]) -> Iterator[RankedResult]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        ranking = find(number)
        for place, document in enumerate(ranking.documents.tolist()):
            score = None if ranking.scores is None else float(ranking.scores[place])
            yield RankedResult(query.id, ids[document], score)


def anonymous_names(session: Session, reader: Connection, seed: int) -> dict[str, str]:
    """Return what assessors are called where nobody is named.

    The numbers follow from the seed, the project and the name alone: every export of the project
    with this seed has the same ones, and who does not have the project cannot try out names.

    Returns:
        ``A1``, ``A2`` … for people and imports, ``M1`` … for models, ``settled`` for what was
        settled, by name, of those who have said something. A second look of somebody has none.
    """
    spoken = load_speakers(reader)
    assessors = [each for each in load_assessors(reader) if each.assessor_id in spoken]
    found = {}
    for kinds, letter in ((("human", "import"), "A"), (("model",), "M")):
        names = [each.name for each in assessors if each.kind in kinds]
        names.sort(key=lambda name: sha256(f"{seed}\0{session.uuid}\0{name}".encode()).digest())
        found.update({name: f"{letter}{number}" for number, name in enumerate(names, 1)})
    return found | {each.name: "settled" for each in assessors if each.kind == "settled"}


def by_number(name: str) -> tuple[str, int]:
    """Return by what such names are ordered: A2 before A10."""
    return name[:1], int("0" + "".join(filter(str.isdecimal, name)))


def shown_choices(session: Session, reader: Connection, choices: ExportChoices) -> ExportChoices:
    """Return the choices as they may be told: of what is anonymous without a name.

    Raises:
        InputError: the judgments asked for are somebody's second look, which stays hidden.
    """
    if not (choices.anonymous and choices.assessor):
        return choices
    names = anonymous_names(session, reader, choices.seed)
    if choices.assessor not in names:
        raise InputError(
            _("What ‘{assessor}’ said is no part of an anonymous export.").format(
                assessor=choices.assessor
            )
        )
    return choices._replace(assessor=names[choices.assessor])


def without_names(rows: Sequence[JudgmentRow], names: Mapping[str, str]) -> list[JudgmentRow]:
    """Return judgments without what tells who made them, and when; equal times have one place."""
    known = [row for row in rows if row.assessor in names]
    times = sorted({row.details.at for row in known if row.details.at is not None})
    place_of = {at: place for place, at in enumerate(times, 1)}
    kept: dict[str, list[JudgmentRow]] = {}
    for row in known:
        details = row.details
        order = None if details.at is None else place_of[details.at]
        kept.setdefault(row.query_id, []).append(
            row._replace(
                assessor=names[row.assessor],
                note="",
                details=details._replace(at=order, spent_ms=None),
            )
        )
    return [
        row
        for some in kept.values()
        for row in sorted(some, key=lambda row: (row.document_id, by_number(row.assessor)))
    ]
