"""Making and changing what-ifs, each one step of the project; orders that a person can apply.

Also documents that a ranking missed, and what each step did.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.number_text import count_noun
from judgetool.core.rankings import IntArray, Replace, Step, apply, as_it_came, describe_step
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.session.session import Session
from judgetool.session.systems import System, run_system
from judgetool.session.whatifs.applying import DEFAULT_K, Fusion, RuleMatches, fuse_rrf
from judgetool.session.whatifs.book import (
    BaseRun,
    QuerySteps,
    Split,
    WhatIf,
    engine_key_of,
    find_whatif,
    kept_steps,
    load_query_steps,
    load_whatifs,
    query_key,
    whatif_book,
)
from judgetool.session.whatifs.rules import Rule
from judgetool.wording import N_, _, in_english, local_number

if TYPE_CHECKING:
    from judgetool.session.material import Material

Reason = Literal["judged relevant", "in another run", "found by its text"]
REASONS = (N_("judged relevant"), N_("in another run"), N_("found by its text"))
"""The same, for translators: who shows one translates it."""
_MOST_MISSED, _MOST_SEARCHED = 50, 200_000


class Missed(NamedTuple):
    """A document that a ranking lacks.

    Attributes:
        document: its number.
        reason: why it is shown.
        grade: what it is judged; ``None`` where nobody did.
        best_rank: its best rank in any run for this query; ``None`` where no run has it.
        run: name of the run with that, perhaps that which the what-if was made from; ``""`` for none.
    """

    document: int
    reason: Reason
    grade: float | None
    best_rank: int | None
    run: str = ""


def order_by_grade(
    session: Session,
    query: int,
    documents: npt.NDArray[np.integer],
    *,
    assumed: dict[int, float] | None = None,
) -> Replace:
    """Return documents by grade, best first: the ideal order of what a ranking holds.

    Args:
        session: the project.
        query: the query's number.
        documents: best first.
        assumed: grades that count where nobody judged.

    Returns:
        A step; of equal grades the order stays, and unjudged documents stand where a
        grade of 0 would.
    """
    grades = []
    for document in documents.tolist():
        grade = _grade(session, query, document)
        grades.append((assumed or {}).get(document, 0.0) if grade is None else grade)
    order = np.argsort(-np.array(grades), kind="stable")
    return Replace(tuple(np.asarray(documents)[order].tolist()), "sorted by grade")


def order_by_run(
    session: Session, query: int, documents: npt.NDArray[np.integer], system: System
) -> Replace:
    """Return documents as another run or what-if orders them; those it lacks follow as they stand."""
    other = _ranking_of_system(session, system, query)
    present = set(documents.tolist())
    theirs = [document for document in other.tolist() if document in present]
    ordered = dict.fromkeys((*theirs, *documents.tolist()))
    return Replace(tuple(ordered), f"in the order of {system.name}")


def order_fused(
    session: Session, query: int, documents: npt.NDArray[np.integer], system: System
) -> Replace:
    """Return documents fused with another run's ranking, whose further documents come in."""
    other = _ranking_of_system(session, system, query)
    names = session.material.document_ids
    fused = fuse_rrf([np.asarray(documents, dtype=np.int32), other], names=names)
    return Replace(tuple(fused.tolist()), f"fused with {system.name} (RRF, k = {DEFAULT_K})")


def _ranking_of_system(session: Session, system: System, query: int) -> IntArray:
    """Return a run's or a what-if's present ranking of a query, best first."""
    if system.kind == "what-if":
        return whatif_book(session).ranking(system.id, query)
    return session.material.ranked_documents(engine_key_of(session, system), query)


def find_missing(
    session: Session,
    query: int,
    documents: npt.NDArray[np.integer],
    text: str = "",
) -> list[Missed]:
    """Return documents that a ranking lacks and that might belong in it; not more than a list shows.

    Args:
        session: the project.
        query: the query's number.
        documents: what the ranking holds.
        text: only those with this in their id or title, upper and lower case alike;
            with it also documents that no run has found. ``""`` for all known ones.

    Returns:
        Judged relevant ones first, best grade first; then those of other runs, best
        rank first; then what the text alone finds, by id.
    """
    held = set(np.asarray(documents).tolist())
    ranks = _best_ranks(session, query)
    rows = _relevant(session, query, ranks)
    rows += [
        Missed(document, "in another run", _grade(session, query, document), *best)
        for document, best in sorted(ranks.items(), key=lambda item: (item[1][0], item[0]))
    ]
    found: dict[int, Missed] = {}
    for row in rows:
        if row.document not in held:
            found.setdefault(row.document, row)
    kept = list(islice(_with_text(session, found.values(), text), _MOST_MISSED))
    if text and len(kept) < _MOST_MISSED:
        known = held | {row.document for row in kept}
        kept += _searched(session, query, text, known, _MOST_MISSED - len(kept))
    return kept


def _grade(session: Session, query: int, document: int) -> float | None:
    effective = session.board.settled(query).get(document)
    return effective.grade if effective else None


def _best_ranks(session: Session, query: int) -> dict[int, tuple[int, str]]:
    """Return the best rank of each document in any run, and the first run that has it there."""
    ranks: dict[int, tuple[int, str]] = {}
    for run in session.material.runs:
        ranked = session.material.ranked_documents(run.run_id, query).tolist()
        for rank, document in enumerate(ranked, 1):
            if document not in ranks or rank < ranks[document][0]:
                ranks[document] = rank, run.name
    return ranks


def _relevant(session: Session, query: int, ranks: Mapping[int, tuple[int, str]]) -> list[Missed]:
    relevant = session.scale.relevant_from
    rows = [
        Missed(document, "judged relevant", effective.grade, *ranks.get(document, (None, "")))
        for document, effective in session.board.settled(query).items()
        if effective.grade is not None and effective.grade >= relevant
    ]
    return sorted(rows, key=lambda row: (-(row.grade or 0.0), row.best_rank or 1 << 40))


def _with_text(session: Session, rows: Iterable[Missed], text: str) -> Iterable[Missed]:
    if not text:
        return rows
    wanted = text.casefold()
    shown = ((row, session.material.document(row.document)) for row in rows)
    return (row for row, each in shown if wanted in f"{each.id}\n{each.title}".casefold())


def _searched(session: Session, query: int, text: str, known: set[int], limit: int) -> list[Missed]:
    """Return documents with a text in their id or title that no row above has."""
    wanted = text.casefold()
    ids = session.material.document_ids()
    by_id = [number for number, name in ids.items() if wanted in name.casefold()]
    found = [each for each in sorted(by_id, key=ids.__getitem__) if each not in known][:limit]
    # Titles are read one by one: of very many documents only ids are searched.
    seen = known | set(by_id)
    for number in () if len(ids) > _MOST_SEARCHED else ids:
        if len(found) >= limit:
            break
        if number not in seen and wanted in session.material.document(number).title.casefold():
            found.append(number)
    return [
        Missed(number, "found by its text", _grade(session, query, number), None)
        for number in found
    ]


def create_whatif(
    session: Session,
    name: str,
    run_id: int,
    *,
    rules: Sequence[Rule] = (),
    matches: RuleMatches | None = None,
    split: Split | None = None,
) -> str:
    """Make a what-if from a run.

    Args:
        session: the project.
        name: not empty, and no other what-if's or run's.
        run_id: the run's number.
        rules: that it has from the beginning.
        matches: as of :func:`set_rules`.
        split: likewise.

    Returns:
        The new what-if's id.

    Raises:
        CommandRefusedError: the name is taken or empty, or the run is gone.
    """
    run = _base_run(session, run_id)
    head = replace(_new_head(session, name, (run,)), rules=tuple(rules), split=split)
    _seed(session, head, matches)
    _write_head(session, head, f"What-if {head.name} from {run.name}")
    return head.id


def create_fused(session: Session, name: str, runs: Sequence[int], fusion: Fusion) -> str:
    """Make a what-if of several runs fused over all queries.

    Args:
        session: the project.
        name: not empty, and no other what-if's or run's.
        runs: numbers of two runs or more; in whatever order, the fused ranking is the same.
        fusion: how; with a weight for each run, or none.

    Returns:
        The new what-if's id.

    Raises:
        CommandRefusedError: the name is taken or empty, a run is gone, or there are fewer than two.
    """
    bases = _fused_runs(session, runs)
    head = replace(_new_head(session, name, bases), how="fused", fusion=fusion)
    with in_english():
        title = f"What-if {head.name}: {head.origin}"
    _write_head(session, head, title)
    return head.id


def set_fusion(session: Session, whatif_id: str, runs: Sequence[int], fusion: Fusion) -> None:
    """Have a fused what-if fuse other runs, or with other weights or k; its rules and steps stay.

    Nothing is written where nothing changes.

    Raises:
        CommandRefusedError: the what-if or a run is gone, or there are fewer than two.
    """
    head, bases = _head(session, whatif_id), _fused_runs(session, runs)
    changed = replace(head, bases=bases, fusion=fusion)
    if changed != head:
        with in_english():
            title = f"What-if {head.name}: {changed.made_of}"
        _write_head(session, changed, title)


def copy_whatif(session: Session, whatif_id: str, name: str) -> str:
    """Make another what-if of the same run with the same rules, steps and grades.

    Returns:
        The copy's id; it remembers what it was copied from.

    Raises:
        CommandRefusedError: the name is taken or empty, or the what-if is gone.
    """
    source = _head(session, whatif_id)
    fresh = _new_head(session, name, source.bases)
    head = replace(
        source,
        id=fresh.id,
        name=fresh.name,
        made_at=fresh.made_at,
        by=fresh.by,
        parent=source.id,
        parent_name=source.name,
    )
    values: dict[str, Any] = {head.key: head.to_dict()}
    for query_id, value in kept_steps(session, whatif_id).items():
        values[query_key(head.id, query_id)] = value
    _write(session, values, f"What-if {head.name} from {source.name}")
    return head.id


def rename_whatif(session: Session, whatif_id: str, name: str) -> None:
    """Give a what-if another name.

    Raises:
        CommandRefusedError: the name is taken or empty, or the what-if is gone.
    """
    head = _head(session, whatif_id)
    named = replace(head, name=_checked_name(session, name, besides=whatif_id))
    _write_head(session, named, f"Rename what-if {head.name} to {named.name}")


def annotate_whatif(session: Session, whatif_id: str, note: str) -> None:
    """Write a what-if's note; ``""`` takes it away."""
    head = _head(session, whatif_id)
    _write_head(session, replace(head, note=note), f"Note on what-if {head.name}")


def delete_whatif(session: Session, whatif_id: str) -> None:
    """Take a what-if out of the project; Undo brings it back whole."""
    head = _head(session, whatif_id)
    keys = [head.key, *session.values(query_key(whatif_id, ""))]
    _write(session, dict.fromkeys(keys), f"Delete what-if {head.name}")


def add_step(session: Session, whatif_id: str, query: int, step: Step) -> None:
    """Do one more thing to a query's ranking.

    Args:
        session: the project.
        whatif_id: the what-if.
        query: the query's number.
        step: what to do; documents by their numbers.
    """
    material, name = session.material, _head(session, whatif_id).name
    before = load_query_steps(session, whatif_id, query)
    after = replace(before, steps=(*before.steps, step))
    # The step comes last: who says the sentence within another one may lower its first letter.
    order = apply(whatif_book(session).start(whatif_id, query), after.steps)
    what = describe_step(as_it_came(step, order), material.name_document)
    shown = f"What-if {name}, query {material.queries[query].id}: {what}"
    _write_query(session, whatif_id, query, after, shown)


def drop_last_step(session: Session, whatif_id: str, query: int) -> Step | None:
    """Take a query's last step back.

    Returns:
        The step; ``None`` when there was none.
    """
    before = load_query_steps(session, whatif_id, query)
    if not before.steps:
        return None
    last = before.steps[-1]
    text = describe_step(last, session.material.name_document)
    _write_query(
        session,
        whatif_id,
        query,
        replace(before, steps=before.steps[:-1]),
        f"Take back: {text}, what-if {_head(session, whatif_id).name}",
    )
    return last


def clear_query(session: Session, whatif_id: str, query: int) -> None:
    """Take all steps and assumed grades of a query back."""
    if load_query_steps(session, whatif_id, query).is_empty:
        return
    name = session.material.queries[query].id
    shown = f"Query {name} as it was, what-if {_head(session, whatif_id).name}"
    _write_query(session, whatif_id, query, QuerySteps(), shown)


def assume_grade(
    session: Session, whatif_id: str, query: int, document: int, grade: float | None
) -> None:
    """Assume a grade for a document, for this what-if alone; judgments are not touched.

    Where the document is judged, or is judged later, the judgment counts and not
    what is assumed.

    Args:
        session: the project.
        whatif_id: the what-if.
        query: the query's number.
        document: the document's number.
        grade: a grade of the scale; ``None`` takes the assumption back.

    Raises:
        CommandRefusedError: the scale has no such grade, or the what-if is gone.
    """
    if grade is not None and (not session.scale.has_grade(grade) or grade < 0):
        raise CommandRefusedError(
            _("Grade {grade} is not on this scale ({label}), or means ‘not judged’.").format(
                grade=local_number(f"{grade:g}"), label=session.scale.label
            )
        )
    before = load_query_steps(session, whatif_id, query)
    grades = {key: value for key, value in before.grades.items() if key != document}
    if grade is not None:
        grades[document] = grade
    what = "Assume nothing" if grade is None else f"Assume grade {grade:g}"
    shown = f"{what} for {session.material.name_document(document)}, what-if {_head(session, whatif_id).name}"
    _write_query(session, whatif_id, query, replace(before, grades=grades), shown)


def set_rules(
    session: Session,
    whatif_id: str,
    rules: Sequence[Rule],
    *,
    matches: RuleMatches | None = None,
    split: Split | None = None,
) -> None:
    """Give a what-if other rules; they hold for every query, before its steps.

    Args:
        session: the project.
        whatif_id: the what-if.
        rules: in the order in which they are applied; empty for none.
        matches: which documents they are about, as a worker found them; ``None`` looks
            for those when the rankings are next asked for.
        split: which queries are kept aside while the rules are tuned.
    """
    head = _head(session, whatif_id)
    _seed(session, head, matches)
    changed = replace(head, rules=tuple(rules), split=split)
    _write_head(session, changed, f"{describe_rules(head.rules, rules)}, what-if {head.name}")


@in_english()
def describe_rules(before: Sequence[Rule], after: Sequence[Rule]) -> str:
    """Return what makes other rules of those before, in English: by name where it is one of them.

    Examples:
        >>> curry = {"field": "title", "match": "contains", "text": "curry"}
        >>> describe_rules((), [Rule.from_dict({"action": "boost", "ranks": 3, "where": [curry]})])
        'Rule added: Up by 3 where title contains ‘curry’'
    """
    added = [rule for rule in after if rule not in before]
    gone = [rule for rule in before if rule not in after]
    if len(added) == len(gone) == 1:
        is_switched = replace(added[0], is_on=gone[0].is_on) == gone[0]
        word = ("Rule on" if added[0].is_on else "Rule off") if is_switched else "Rule changed"
        return f"{word}: {replace(added[0], is_on=True) if is_switched else added[0]}"
    if len(added) == 1 and not gone:
        return f"Rule added: {added[0]}"
    if len(gone) == 1 and not added:
        return f"Rule taken away: {gone[0]}"
    if not added and not gone and tuple(before) != tuple(after):
        return "Rules in another order"
    return count_noun(len(after), "rule")


def _base_run(session: Session, run_id: int) -> BaseRun:
    try:
        return BaseRun(run_id, run_system(session, run_id).name)
    except KeyError:
        raise CommandRefusedError(_("This run is no longer in the project.")) from None


def _fused_runs(session: Session, runs: Sequence[int]) -> tuple[BaseRun, ...]:
    if len(set(runs)) < 2:
        raise CommandRefusedError(_("Fusing needs two runs or more."))
    return tuple(_base_run(session, run) for run in runs)


def _head(session: Session, whatif_id: str) -> WhatIf:
    head = find_whatif(session, whatif_id)
    if head is None:
        raise CommandRefusedError(_("This what-if is no longer in the project."))
    return head


def _new_head(session: Session, name: str, bases: tuple[BaseRun, ...]) -> WhatIf:
    return WhatIf(
        id=uuid.uuid4().hex[:16],
        name=_checked_name(session, name),
        bases=bases,
        made_at=session.clock(),
        by=session.assessor,
    )


def _checked_name(session: Session, name: str, *, besides: str = "") -> str:
    """Return a name without blanks around it.

    Raises:
        CommandRefusedError: it is empty, or a run or another what-if has it.
    """
    name = name.strip()
    if not name:
        raise CommandRefusedError(_("A what-if needs a name."))
    if session.material.find_run(name) is not None:
        raise CommandRefusedError(
            _("A run is called {name} already. Choose another name.").format(name=name)
        )
    if any(each.name == name and each.id != besides for each in load_whatifs(session)):
        raise CommandRefusedError(
            _("A what-if is called {name} already. Choose another name.").format(name=name)
        )
    return name


def free_name(session: Session, wanted: str) -> str:
    """Return the name, with a number behind it where a run or a what-if has it already."""
    taken = {each.name for each in load_whatifs(session)}
    taken |= {run.name for run in session.material.runs}
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted} {number}"
    return name


def _write_query(
    session: Session, whatif_id: str, query: int, steps: QuerySteps, title: str
) -> None:
    material: Material = session.material
    key = query_key(whatif_id, material.queries[query].id)
    _write(session, {key: steps.to_dict(material)}, title)


def _seed(session: Session, head: WhatIf, matches: RuleMatches | None) -> None:
    if matches is not None:
        whatif_book(session).seed(matches, head.bases)


def _write_head(session: Session, head: WhatIf, title: str) -> None:
    _write(session, {head.key: head.to_dict()}, title)


def _write(session: Session, values: dict[str, Any], title: str) -> None:
    whatif_book(session)
    session.execute(SetValues(values, title))
