"""Changes by hand: many grades at once, another scale, queries, documents, runs renamed or gone.

What a change would do can be asked before it is done.

A run's rankings never change and stay in the file: what is kept is a value
``run/<number>`` with its other name, or that it is gone. Snapshots that hold a run go on
doing so.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from judgetool.core.judgments import Document, Query, State, check_assessor
from judgetool.core.number_text import local_count, number_of
from judgetool.core.scale import Scale
from judgetool.errors import CommandRefusedError
from judgetool.session.board import Board, build_pool, settled_rows
from judgetool.session.commands import (
    AddDocument,
    AskOf,
    Changed,
    Say,
    SetValues,
    TakeAlong,
    WriteAsks,
    WriteDocument,
    WriteQuery,
)
from judgetool.session.finding import VIEWS_KEY, follow_runs, format_filter, saved_views
from judgetool.session.jobs import find_movable, find_move_problem, has_content
from judgetool.session.material import BASELINE_KEY, RUN_PREFIX, WHATIF_PREFIX
from judgetool.session.queue import add_to_pool, is_in_pool
from judgetool.session.session import Session
from judgetool.storage.asks import load_asks
from judgetool.storage.copies import has_come_from_elsewhere
from judgetool.storage.judgments import load_settled
from judgetool.storage.values import find_assessor, load_assessors
from judgetool.wording import _, local_number, visible

if TYPE_CHECKING:
    from judgetool.session.whatifs.book import WhatIf


class MeanChange(NamedTuple):
    """A run's mean of a measure now and on another scale.

    Attributes:
        run: name of the run.
        measure: name of the measure.
        now: the mean; ``None`` where it is undefined.
        then: the mean on the other scale, likewise.
    """

    run: str
    measure: str
    now: float | None
    then: float | None


def count_grades(session: Session) -> dict[float, int]:
    """Return how many judgments have each grade, whoever gave it, lowest grade first."""
    grades = (row[3] for row in load_settled(session.reader))
    counted = Counter(grade for grade in grades if grade is not None)
    return dict(sorted(counted.items()))


def count_assumed_grades(session: Session) -> dict[float, int]:
    """Return how many documents what-ifs assume to have each grade."""
    kept = session.values(WHATIF_PREFIX).values()
    return Counter(float(grade) for each in kept for grade in each.get("grades", {}).values())


def propose_mapping(scale: Scale, grades: Mapping[float, int]) -> dict[float, float]:
    """Return for each grade that a scale lacks the nearest one that it has."""
    return {
        grade: scale.nearest_level(grade).grade for grade in grades if not scale.has_grade(grade)
    }


def preview_scale(
    session: Session, scale: Scale, mapping: Mapping[float, float]
) -> list[MeanChange]:
    """Return what another scale would do to the means; nothing is changed.

    Args:
        session: the project.
        scale: the other scale.
        mapping: from grades that it lacks to grades that it has.

    Returns:
        For each run in order the chosen measures; empty without runs.
    """
    rows = (
        row._replace(grade=None if row.grade is None else mapping.get(row.grade, row.grade))
        for row in settled_rows(session.reader, session.material.place_of)
    )
    now = session.board
    then = Board(session.material, rows, replace(session.board_settings, scale=scale))
    changes = []
    for run in session.material.runs:
        pairs = zip(now.engine.means(run.run_id), then.engine.means(run.run_id), strict=True)
        for measure, (before, after) in zip(session.measures, pairs, strict=True):
            changes.append(MeanChange(run.name, str(measure), before.value, after.value))
    return changes


class BulkPlan(NamedTuple):
    """What giving several documents one grade would do to the assessor's own judgments.

    Attributes:
        changes: documents without a grade of the assessor's that would get it.
        already: documents that have this grade already, and stay as they are.
        regraded: documents that would change their grade, by the grade they have.
        cannot_judge: how many of ``changes`` the assessor said cannot be judged.
        command: does it; ``None`` when nothing would change.
    """

    changes: int
    already: int
    regraded: Mapping[float, int]
    cannot_judge: int
    command: Say | None

    @property
    def n_regraded(self) -> int:
        """Documents that would change their grade."""
        return sum(self.regraded.values())


def plan_bulk(session: Session, query: int, documents: Sequence[int], grade: float) -> BulkPlan:
    """Return what giving these documents a grade would do.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of the documents; one that stands twice counts once.
        grade: a grade of the scale.
    """
    distinct = list(dict.fromkeys(map(int, documents)))
    found = [session.own_judgment(query, document) for document in distinct]
    grades = [judgment.grade for judgment in found if judgment.grade is not None]
    regraded = Counter(old for old in grades if old != grade)
    changed = [d for d, judgment in zip(distinct, found, strict=True) if judgment.grade != grade]
    return BulkPlan(
        changes=sum(judgment.grade is None for judgment in found),
        already=sum(judgment.grade == grade for judgment in found),
        regraded=dict(sorted(regraded.items())),
        cannot_judge=sum(judgment.state is State.CANNOT_JUDGE for judgment in found),
        command=Say.grade_many(tuple((query, d) for d in changed), grade) if changed else None,
    )


def unjudged_below(session: Session, query: int, documents: Sequence[int], place: int) -> list[int]:
    """Return the unjudged documents that stand below a place.

    Args:
        session: the project.
        query: number of the query.
        documents: what is shown, in order.
        place: from 0; the document there is not among the result. -1 for all.

    Returns:
        In the order shown; those that count in the chosen view as judged, or as
        impossible to judge, are left out.
    """
    settled = session.board.settled(query)
    return [int(document) for document in documents[place + 1 :] if int(document) not in settled]


def add_query(session: Session, query: Query) -> Changed | None:
    """Add a query; one step, one undo.

    Args:
        session: the project.
        query: with an id that no other query has.

    Raises:
        CommandRefusedError: the id is empty or taken, or a text cannot be kept.
    """
    _refuse(query_problem(session, query))
    return session.execute(WriteQuery(query, is_new=True))


def edit_query(session: Session, number: int, query: Query) -> Changed | None:
    """Change a query's texts; its id stays.

    Args:
        session: the project.
        number: of the query.
        query: the new texts; its id plays no part.

    Returns:
        What listeners were told; ``None`` when nothing is different.

    Raises:
        CommandRefusedError: a text cannot be kept, or the weight is not above 0.
    """
    known = session.material.queries[number]
    changed = replace(query, id=known.id)
    if changed == known:
        return None
    _refuse(_text_problem(changed))
    return session.execute(WriteQuery(changed))


def add_document(session: Session, query: int, document: Document) -> Changed | None:
    """Put a document into a query's pool, so that it can be judged; one step, one undo.

    Args:
        session: the project.
        query: number of the query.
        document: a new one with its text, or the id alone of one that the project
            knows or is to know.

    Returns:
        What listeners were told; ``None`` when it stands in the pool already.

    Raises:
        CommandRefusedError: the id is empty; there is a document with this id and
            another text; or a text cannot be kept.
    """
    _refuse(document_problem(session, document))
    number = session.material.find_document(document.id)
    if number is None or has_content(document):
        return session.execute(AddDocument(query, document))
    if is_in_pool(session, query, number):
        return None
    return session.execute(add_to_pool(session, query, [number]))


def ask_oneself(session: Session, query: int, document: Document) -> Changed | None:
    """Have the assessor, who sees only what they are asked, judge one more document: it is asked, too.

    Args:
        session: the project.
        query: number of the query.
        document: as for :func:`add_document`; one with a text is added first, as a step of its own.

    Returns:
        What listeners were told; ``None`` where it is asked of them already.

    Raises:
        CommandRefusedError: as :func:`add_document`.
    """
    if session.material.find_document(document.id) is None or has_content(document):
        add_document(session, query, document)
    number, name = session.material.find_document(document.id), session.assessor or ""
    if number is None or (query, number) in session.asks:
        return None
    title = f"Ask {name}: {session.material.name_query(query)}, one more document"
    return session.execute(WriteAsks((AskOf(query, number, name),), title))


def edit_document(session: Session, number: int, document: Document) -> Changed | None:
    """Change a document's texts; its id stays, and judgments of it stay.

    Args:
        session: the project.
        number: of the document.
        document: the new texts; its id plays no part.

    Raises:
        CommandRefusedError: a text cannot be kept.
    """
    known = session.material.document(number)
    changed = replace(document, id=known.id)
    if changed == known:
        return None
    _refuse(_text_problem(changed))
    return session.execute(WriteDocument(changed))


def _refuse(problem: str) -> None:
    if problem:
        raise CommandRefusedError(problem)


def query_problem(session: Session, query: Query) -> str:
    """Return a sentence saying why a query cannot be added, or ``""``; for dialogs."""
    if not query.id.strip():
        return _("The query has no id. Type one; ids are kept just as they are typed.")
    problem = _text_problem(query)
    taken = session.material.find_query(query.id)
    if problem or taken is None:
        return problem
    text = session.material.queries[taken].text
    return (
        _(
            "There is a query with the id ‘{id}’ already (‘{text}’). Choose another id, or edit that "
            "query; nothing was changed."
        )
        if text
        else _(
            "There is a query with the id ‘{id}’ already. Choose another id, or edit that query; "
            "nothing was changed."
        )
    ).format(id=query.id, text=_shortened(text))


def document_problem(session: Session, document: Document) -> str:
    """Return a sentence saying why a document cannot be added, or ``""``; for dialogs."""
    if not document.id.strip():
        return _("The document has no id. Type one; ids are kept just as they are typed.")
    problem = _text_problem(document)
    number = session.material.find_document(document.id)
    if problem or number is None or not has_content(document):
        return problem
    known = session.material.document(number)
    if not has_content(known) or known == document:
        return ""
    return (
        _(
            "There is a document with the id ‘{id}’ already (‘{title}’), and its text is another. "
            "Choose another id, or leave all but the id empty to judge that document; nothing was "
            "changed."
        )
        if known.title
        else _(
            "There is a document with the id ‘{id}’ already, and its text is another. Choose another "
            "id, or leave all but the id empty to judge that document; nothing was changed."
        )
    ).format(id=document.id, title=_shortened(known.title))


def _text_problem(thing: Query | Document) -> str:
    # All formats come with it, and a window must not wait for them to start.
    from judgetool.formats.records import find_storage_problem  # noqa: PLC0415 - said above

    texts = [thing.id, *thing.fields.keys(), *thing.fields.values()]
    if isinstance(thing, Query):
        texts += [thing.text, thing.description, thing.narrative, thing.category]
        if not thing.weight > 0:
            return _("The weight of a query must be above 0; {weight} is not.").format(
                weight=local_number(f"{thing.weight:g}")
            )
    else:
        texts += [thing.title, thing.url, thing.body]
    for text in texts:
        problem = find_storage_problem(text)
        if problem:
            return _("The text ‘{text}’ cannot be kept: {problem}.").format(
                text=visible(_shortened(text)), problem=problem
            )
    return ""


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def nothing_to_clear(session: Session, query: int, document: int) -> str:
    """Return a sentence for a document of which the assessor has said nothing.

    Args:
        session: the project.
        query: number of the query.
        document: number of the document.
    """
    effective = session.board.settled(query).get(document)
    if effective is None:
        return _("This document is unjudged already.")
    names = ", ".join(session.assessor_name(number) for number in effective.assessors)
    return _("This judgment is by {names}; only your own can be taken back.").format(names=names)


class Along(NamedTuple):
    """What taking the judgments of a former name along to another would do.

    Attributes:
        former: that name.
        n_taken: judgments that would come along.
        n_kept: others: of their documents the new name has said something itself, and both stay.
        is_from_here: whether, as far as the project knows, all were given in this very file, and none
            was imported or merged.
        n_asked: documents that the former name is asked, or asked again; they stay asked of it.
    """

    former: str
    n_taken: int
    n_kept: int
    is_from_here: bool
    n_asked: int = 0

    @property
    def told(self) -> str:
        """What was done, in a sentence or two."""
        done = number_of(
            self.n_taken,
            "{n} judgment of {former} is under the new name now.",
            "{n} judgments of {former} are under the new name now.",
            former=self.former,
        )
        return f"{done} {self.left}".rstrip()

    @property
    def left(self) -> str:
        """What stays where it is, in a sentence or two; ``""`` for nothing."""
        kept = number_of(
            self.n_kept,
            "{n} stays {former}’s: the new name has judged that document, too.",
            "{n} stay {former}’s: the new name has judged those documents, too.",
            former=self.former,
        )
        asked = number_of(
            self.n_asked,
            "{n} document stays asked of {former}, and what {former} judged a second time stays there.",
            "{n} documents stay asked of {former}, and what {former} judged a second time stays there.",
            former=self.former,
        )
        return " ".join([kept] * bool(self.n_kept) + [asked] * bool(self.n_asked))


def plan_along(session: Session, former: str, name: str) -> Along:
    """Return what taking the judgments of a former name along to another would do; nothing is changed.

    Nothing would come along where the project does not allow it.
    """
    reader = session.reader
    giver = find_assessor(reader, former)
    if giver is None or former == name or find_move_problem(reader, former, name):
        return Along(former, 0, 0, is_from_here=False)
    found = find_movable(reader, former, find_assessor(reader, name))
    is_from_here = not has_come_from_elsewhere(reader, giver)
    people = {each.assessor_id: each.person_id for each in load_assessors(reader)}
    asked = {ask[:2] for ask in load_asks(reader) if giver in (ask[2], people[ask[2]])}
    return Along(former, len(found.taken), found.n_kept, is_from_here, len(asked))


def take_along(session: Session, former: str) -> Along:
    """Put what was judged under a former name under that of the session's assessor; one step, one undo.

    Args:
        session: of the new name.
        former: the other.

    Returns:
        What was done.

    Raises:
        CommandRefusedError: the project does not allow it, or nothing was judged under that name.
        InputError: nobody here is called so.
    """
    check_assessor(former, session.assessors, session.path.name)
    _refuse(find_move_problem(session.reader, former, session.assessor))
    plan = plan_along(session, former, session.assessor)
    if not plan.n_taken or session.execute(TakeAlong(former)) is None:
        said = _("‘{former}’ has no judgment that ‘{name}’ could take along.").format(
            former=former, name=session.assessor
        )
        raise CommandRefusedError(f"{said} {plan.left}".rstrip())
    return plan


class RunUses(NamedTuple):
    """What depends on a run.

    Attributes:
        whatifs: names of what-ifs that were made from it; they go with it.
        snapshots: names of snapshots that hold it; they stay as they are.
        is_baseline: whether values are compared with it.
    """

    whatifs: tuple[str, ...]
    snapshots: tuple[str, ...]
    is_baseline: bool


def uses_of_run(session: Session, run_id: int) -> RunUses:
    """Return what depends on a run."""
    from judgetool.session.comparing.snapshots import load_snapshots  # noqa: PLC0415 - not needed to start

    held = [
        snapshot.name
        for snapshot in load_snapshots(session)
        if any(each.kind == "run" and each.id == str(run_id) for each in snapshot.systems)
    ]
    whatifs = tuple(each.name for each in _made_from(session, run_id))
    return RunUses(whatifs, tuple(held), _baseline_run(session) == str(run_id))


def describe_uses(session: Session, run_id: int) -> str:
    """Return what goes and what stays when a run is taken out, for people."""
    uses = uses_of_run(session, run_id)
    parts = [_("Judgments stay, and Undo brings the run back.")]
    board = session.board
    pool = build_pool(session.material, session.pool_choice, board.book.heard, without=run_id)
    now, then = board.total_progress().total, pool.total_progress().total
    if now != then:
        sentence = number_of(
            then,
            "The pool becomes {n} document; now it is {now}.",
            "The pool becomes {n} documents; now it is {now}.",
            now=local_count(now),
        )
        parts.append(sentence)
    if uses.whatifs:
        parts.append(
            _("What-ifs made from it go with it: {names}.").format(names=", ".join(uses.whatifs))
        )
    if uses.snapshots:
        parts.append(
            _("Snapshots that hold it stay: {names}.").format(names=", ".join(uses.snapshots))
        )
    if uses.is_baseline:
        parts.append(_("It is the baseline; there is none then."))
    return " ".join(parts)


def rename_run(session: Session, run_id: int, name: str) -> None:
    """Give a run another name, in what was made from it and in saved views, too.

    Raises:
        CommandRefusedError: the name is empty or another run's or what-if's, or there is no such run.
        ReadOnlyError: the project cannot be written.
    """
    name, before = name.strip(), _name_of(session, run_id)
    if name == before:
        return
    if not name or any(run.name == name for run in session.material.runs):
        raise CommandRefusedError(_("A run needs a name that no other run has."))
    from judgetool.session.whatifs.book import find_whatif_named  # noqa: PLC0415 - not needed to start

    if find_whatif_named(session, name) is not None:
        raise CommandRefusedError(
            _("A what-if is called {name} already. Choose another name.").format(name=name)
        )
    values: dict[str, Any] = {f"{RUN_PREFIX}{run_id}": {"name": name}}
    for view, chips in saved_views(session).items():
        followed = follow_runs(chips, {run_id: before}, {run_id: name})
        if followed != chips:
            values[VIEWS_KEY + view] = list(map(format_filter, followed))
    for head in _made_from(session, run_id):
        bases = tuple(
            base._replace(name=name) if base.run_id == run_id else base for base in head.bases
        )
        values[head.key] = replace(head, bases=bases).to_dict()
    if _baseline_run(session) == str(run_id):
        baseline = session.value(BASELINE_KEY)
        system = {**baseline["system"], "name": name}
        values[BASELINE_KEY] = {**baseline, "name": name, "system": system}
    session.execute(SetValues(values, f"Rename run {before} to {name}"))


def delete_run(session: Session, run_id: int) -> None:
    """Take a run out of the project, and the what-ifs made from it; Undo brings all back.

    Judgments stay, and so do snapshots that hold it.

    Raises:
        CommandRefusedError: there is no such run.
        ReadOnlyError: the project cannot be written.
    """
    from judgetool.session.whatifs.book import query_key  # noqa: PLC0415 - not needed to start

    name = _name_of(session, run_id)
    values: dict[str, Any] = {f"{RUN_PREFIX}{run_id}": {"name": name, "is_deleted": True}}
    for head in _made_from(session, run_id):
        keys = [head.key, *session.values(query_key(head.id, ""))]
        values |= dict.fromkeys(keys)
    if _baseline_run(session) == str(run_id):
        values[BASELINE_KEY] = None
    session.execute(SetValues(values, f"Delete run {name}"))


def _name_of(session: Session, run_id: int) -> str:
    for run in session.material.runs:
        if run.run_id == run_id:
            return run.name
    raise CommandRefusedError(_("This run is no longer in the project."))


def _made_from(session: Session, run_id: int) -> "list[WhatIf]":
    from judgetool.session.whatifs.book import load_whatifs  # noqa: PLC0415 - not needed to start

    return [
        each for each in load_whatifs(session) if any(base.run_id == run_id for base in each.bases)
    ]


def _baseline_run(session: Session) -> str:
    """Return the number of the run that is the baseline, as text; empty for none."""
    baseline = session.value(BASELINE_KEY)
    system = baseline.get("system") if isinstance(baseline, Mapping) else None
    if not system or system.get("kind") != "run" or system.get("snapshot"):
        return ""
    return str(system.get("id"))
