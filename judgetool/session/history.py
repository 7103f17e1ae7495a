"""What has been done in an open project: how steps are called, and what going back would bring back.

Titles are kept in English with the project and shown in the language that is used.
"""

import re
from functools import cache
from typing import NamedTuple

from judgetool.core.judgments import Judgment, JudgmentKey, State, split_reason
from judgetool.core.number_text import number_of
from judgetool.core.score_formulas import local_limit
from judgetool.session.board import Opinion
from judgetool.session.jobs import plan_turn
from judgetool.session.queue import ORDER_TITLES
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.copies import load_other_sides
from judgetool.storage.history import HistoryRow, load_reasons, load_steps
from judgetool.storage.judgments import LogEntry, load_steps_of, load_undo_steps
from judgetool.storage.material import load_document_id
from judgetool.storage.values import load_value_changes
from judgetool.wording import (
    N_,
    NN_,
    _,
    listed,
    local_number,
    mid_sentence,
    quoted,
    sentence_start,
    spoken,
)

_PARTS = ("said", "rule", "order")
"""Fields in which stands what has a sentence of its own, and others in which it may."""
_PERHAPS = ("query", "names", "runs", "rules")
_NUMBERS = ("n", "number", "count", "all", "rank", "ranks", "grade")

_TITLES: tuple[str | tuple[str, str], ...] = (
    N_("Grade {grade}"),
    N_("Cannot judge"),
    N_("Back to unjudged"),
    N_("Skip"),
    N_("Note"),
    N_("Flag"),
    N_("Unflag"),
    N_("Confidence"),
    N_("Rationale"),
    N_("Settle: {said}"),
    N_("Change the scale"),
    N_("Scale of the lead"),
    N_("Rename the project"),
    N_("New project"),
    N_("Recovered from a damaged file"),
    N_("Recovered judgments"),
    N_("Choose measures"),
    N_("Change the conventions"),
    N_("Add document {document}"),
    N_("Edit of query {query}"),
    N_("Edit of document {document}"),
    N_("Add to the pool of query {query}"),
    N_("Begin at query {query}"),
    N_("No baseline"),
    N_("Baseline {name}"),
    N_("Comparing: {rules}"),
    N_(
        "p: paired randomization (sign flip) test, two-sided; exact, or {count} draws with seed {number}."
    ),
    N_("p: Student’s paired t-test, two-sided."),
    N_("p: Wilcoxon’s signed rank test, queries without a difference left out, two-sided."),
    N_("p: sign test, queries without a difference left out, two-sided."),
    N_("Delete snapshot {name}"),
    N_("Snapshot {name}"),
    N_("Decide between two runs, attempt {number}"),
    N_("Draw {said}"),
    NN_("a sample of {n} query of {all}", "a sample of {n} queries of {all}"),
    NN_("a sample of {n} document of {all}", "a sample of {n} documents of {all}"),
    N_("Draw {number}"),
    N_("Document by stake"),
    N_("Ask {names}: {query}, one more document"),
    N_("Ask {names}: {query}, one disputed document"),
    NN_("Ask {names}: {n} document", "Ask {names}: {n} documents"),
    NN_(
        "Hand {n} document over from {giver} to {taker}",
        "Hand {n} documents over from {giver} to {taker}",
    ),
    NN_("Take {n} judgment of {name} along", "Take {n} judgments of {name} along"),
    NN_("Take {n} document to judge", "Take {n} documents to judge"),
    NN_("Leave {n} document to others", "Leave {n} documents to others"),
    N_("Save view ‘{name}’"),
    N_("Delete view ‘{name}’"),
    NN_("Import of {n} file", "Import of {n} files"),
    N_("Import of {name}"),
    N_("Merge of {names}"),
    N_("Changes of somebody else"),
    N_("Team hub"),
    N_("Grades by {name}"),
    NN_("{n} step", "{n} steps"),
    N_("Pool: {said}"),
    N_("top {depth} of {runs}"),
    N_("everything in {runs}"),
    NN_(
        "{n} document unjudged in the top {depth} of {runs}",
        "{n} documents unjudged in the top {depth} of {runs}",
    ),
    NN_("{n} document from a file", "{n} documents from a file"),
    NN_("{n} document that you are asked to judge", "{n} documents that you are asked to judge"),
    N_("Order: the project’s for {name}"),
    N_("Order: the project’s"),
    N_("Order: {order} for {name}"),
    N_("Order: {order}"),
    *ORDER_TITLES.values(),
    N_("Language as the texts are"),
    N_("Language {name}"),
    N_("Term sets"),
    N_("Guidelines of query {query}"),
    N_("Guidelines"),
    N_("Blind judging required for nobody"),
    N_("Blind judging required for all"),
    N_("Blind judging required for {names}"),
    N_("Leave out {name}’s judgments"),
    N_("Count {name}’s judgments"),
    NN_("Choose whether {n} assessor count", "Choose whether {n} assessors count"),
    N_("Practice: known answers are shown"),
    N_("No practice"),
    N_("Rename run {before} to {name}"),
    N_("Delete run {name}"),
    N_("Rename what-if {before} to {name}"),
    N_("Note on what-if {name}"),
    N_("Delete what-if {name}"),
    N_("What-if {name}, query {query}: {said}"),
    N_("What-if {name}: {said}"),
    N_("What-if {name} from {origin}"),
    N_("fused of {how}"),
    N_("Take back: {said}, what-if {name}"),
    N_("Query {query} as it was, what-if {name}"),
    N_("Assume nothing for {document}, what-if {name}"),
    N_("Assume grade {grade} for {document}, what-if {name}"),
    N_("Rule added: {rule}, what-if {name}"),
    N_("Rule taken away: {rule}, what-if {name}"),
    N_("Rule changed: {rule}, what-if {name}"),
    N_("Rule on: {rule}, what-if {name}"),
    N_("Rule off: {rule}, what-if {name}"),
    N_("Rules in another order, what-if {name}"),
    NN_("{n} rule, what-if {name}", "{n} rules, what-if {name}"),
    N_("{rule} (off)"),
    N_("{rule}, in queries with ‘{text}’"),
    N_("{rule} where {conditions}"),
    N_("Pin to rank {ranks}"),
    N_("Up by {ranks}"),
    N_("Down by {ranks}"),
    N_("Not above rank {ranks}"),
    N_("To the bottom"),
    N_("Take out"),
    N_("At most {ranks} of the same {by}"),
    N_("Score by {formula}"),
    N_("Sorted by grade"),
    N_("In the order of {name}"),
    N_("Fused with {name} (RRF, k = {k})"),
    N_("Best possible order"),
    N_("{document} to {rank}"),
    N_("{document} pinned at {rank}"),
    N_("{document} put in at {rank}"),
    N_("{document} let go"),
    N_("{document} taken out"),
    N_("{a} and {b} swapped"),
    N_("all runs"),
    NN_("{n} assessor", "{n} assessors"),
    N_("Query {query}"),
    N_("Document {document}"),
    NN_("{said} for {n} document, {count} queries", "{said} for {n} documents, {count} queries"),
    NN_("{said} for {n} document, {query}", "{said} for {n} documents, {query}"),
    N_("{said} for {document}, {query}"),
    N_("{field} contains ‘{text}’"),
    N_("{field} is ‘{text}’"),
    N_("{field} matches ‘{text}’"),
    N_("{said} for {document}"),
)
"""In this order they are tried: what fits more than one stands behind what it fits less well."""


_ONCE_STRAIGHT = ("Order: the project’s", "p: Student’s paired", "p: Wilcoxon’s signed")
"""What stands in projects with a typewriter's apostrophe, too."""


def title_in_words(title: str) -> str:
    """Return the title of a step, or what a what-if's step does, in the language that is used.

    Projects keep them in English, so that whoever opens one reads it in their own language; one of another
    version that has no sentence here stays English.

    Examples:
        >>> title_in_words("Grade 2 for ‘Soup’, ‘quick dinner’")
        'Grade 2 for ‘Soup’, ‘quick dinner’'
    """
    for each in _ONCE_STRAIGHT:
        title = title.replace(each.replace("’", "'"), each)
    if spoken().code == "en":
        return title
    return _retold(title) or title


def _retold(said: str) -> str:
    for pattern, one, many in _patterns():
        found = pattern.fullmatch(said)
        if found is None:
            continue
        filled = {name: _field(name, text) for name, text in found.groupdict().items()}
        if not all(filled[name] for name in _PARTS if name in filled):
            continue
        if "n" not in filled:
            return _(one).format(**filled)
        return number_of(int(filled.pop("n").replace(",", "")), one, many, **filled)
    # Within others, what begins a sentence of its own has a small first letter.
    if not said[:1].islower():
        return ""
    return mid_sentence(_retold(sentence_start(said)))


def _field(name: str, text: str) -> str:
    if name in _PARTS:
        return _retold(text)
    if name in ("grade", "all", "count"):
        return local_number(text)
    if name == "conditions":
        # Each ends with a text in quotes or a number.
        each = re.split(r"(?<=[’\d]) and (?=\S+ )", text)
        return _(" and ").join(_retold(condition) or _with_limit(condition) for condition in each)
    if name in ("how", "names") and " and " in text:
        return listed(re.split(", | and ", text))
    return _quoted(_retold(text) or text if name in _PERHAPS else text)


def _with_limit(condition: str) -> str:
    compared, sign, limit = condition.rpartition(" ")
    return f"{compared}{sign}{local_limit(limit)}" if compared[-1:] in "<≤>≥" else condition


def _quoted(text: str) -> str:
    # Texts stand in the title with the marks of English.
    is_whole = text[:1] == "‘" and text[-1:] == "’" and "‘" not in text[1:]
    return quoted(text[1:-1]) if is_whole else text


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    forms = [(title, title) if isinstance(title, str) else title for title in _TITLES]
    return tuple(
        (re.compile(re.sub(r"\\{(\w+)\\}", _group, re.escape(each)), re.DOTALL), one, many)
        for one, many in forms
        for each in dict.fromkeys((one, many))
    )


def _group(found: re.Match[str]) -> str:
    name = found[1]
    # A title in quotes is taken whole, whatever commas are in it.
    wanted = (
        r"[−-]?\d[\d,.e−-]*" if name in _NUMBERS else ".+" if name == "order" else "‘[^‘]*’|.+?"
    )
    return f"(?P<{name}>{wanted})"


__all__ = [
    "HistoryRow",
    "UndoPreview",
    "UndoneJudgment",
    "find_last_judged",
    "list_other_sides",
    "load_history",
    "preview_undo_to",
    "steps_left_out",
]


class UndoneJudgment(NamedTuple):
    """One judgment that going back would touch.

    Attributes:
        query: the session's number of the query; ``None`` where it is not visible.
        document: the document's number.
        document_id: its id.
        assessor: who judged.
        now: what is said now; ``None`` for nothing.
        then: what would be said.
    """

    query: int | None
    document: int
    document_id: str
    assessor: str
    now: Judgment | None
    then: Judgment | None


class UndoPreview(NamedTuple):
    """What going back to a step would do; nothing has been done yet.

    Attributes:
        steps: titles of the steps that would be taken back, latest first.
        judgments: those that would change, one entry each.
        values: titles of those steps that changed values of the project, or a text, latest first.
        asks: titles of those that asked assessors, latest first.
        n_kept: judgments left alone, because they have changed since in another way.
        takes_material: whether an import would be taken back, and queries, documents or
            runs with it.
    """

    steps: tuple[str, ...]
    judgments: tuple[UndoneJudgment, ...]
    values: tuple[str, ...]
    asks: tuple[str, ...]
    n_kept: int
    takes_material: bool


def find_last_judged(session: Session) -> tuple[int, int, int] | None:
    """Return when (milliseconds UTC), of which query and document the assessor said something last."""
    said = (
        (at, query, document)
        for query, document, opinion, at in session.iter_judgments()
        if opinion.assessor == session.assessor
    )
    return max(said, default=None)


def load_history(session: Session, *, limit: int, before: int | None = None) -> list[HistoryRow]:
    """Return steps, newest first.

    Args:
        session: the project.
        limit: at most so many.
        before: only steps earlier than this one, for the next page; ``None`` begins
            with the newest.
    """
    with session.second_reader() as reader:
        return load_steps(reader, limit=limit, before=before)


def list_other_sides(session: Session, query: int, document: int) -> list[Opinion]:
    """Return what merged copies say otherwise of a document than what counts, until it is judged again.

    Args:
        session: the project.
        query: the session's number.
        document: likewise.
    """
    found = load_other_sides(session.reader, session.material.query_ids[query], document)
    return [
        Opinion(session.assessor_name(key[2]), judgment, at)
        for key, judgment, at in found
        if key[2] not in session.asks.persons
    ]


def steps_left_out(session: Session) -> set[int]:
    """Return the steps that said what the assessor judges again: that is not to be seen."""
    ids, own = session.material.query_ids, session.assessor_id
    if own is None:
        return set()
    keys = [JudgmentKey(ids[query], document, own) for query, document in session.asks.voices]
    return {step for key in keys for step in load_steps_of(session.reader, key)}


def preview_undo_to(session: Session, step_id: int) -> UndoPreview:
    """Return what :meth:`Session.undo_to` would bring back.

    Args:
        session: the project.
        step_id: the step that would stay as the last one; later ones of the session's
            assessor, and those of nobody in particular, would be taken back.
    """
    with session.second_reader() as reader:
        steps = load_undo_steps(reader, session.assessor_id, after_step=step_id)
        plan = plan_turn(reader, steps, "undo")
        changed = [entry for entries in plan.entries.values() for entry in entries]
        return UndoPreview(
            tuple(step.title for step in steps),
            _judgments(session, reader, changed),
            tuple(
                step.title
                for step in steps
                if step.kind == "material" or load_value_changes(reader, step.step_id)
            ),
            tuple(step.title for step in steps if step.kind == "ask"),
            len({entry.change.key for entry in plan.kept}),
            any(step.kind in ("import", "merge") for step in steps),
        )


def _judgments(
    session: Session, reader: Connection, entries: list[LogEntry]
) -> tuple[UndoneJudgment, ...]:
    """Fold the changes of several steps into one for each judgment."""
    first: dict[JudgmentKey, Judgment | None] = {}
    last: dict[JudgmentKey, Judgment | None] = {}
    for entry in entries:
        first.setdefault(entry.change.key, entry.change.before)
        last[entry.change.key] = entry.change.after
    return tuple(
        UndoneJudgment(
            session.material.place_of.get(key.query),
            key.document,
            load_document_id(reader, key.document),
            session.assessor_name(key.assessor),
            first[key],
            last[key],
        )
        for key in first
    )


def find_reason(session: Session, query: int, document: int) -> tuple[str, str]:
    """Return why the assessor said that a document cannot be judged, ``""`` for no reason, and their note."""
    said = session.own_judgment(query, document)
    return find_reason_of(session, query, document, session.assessor, said)


def find_reason_of(
    session: Session, query: int, document: int, assessor: str, said: Judgment
) -> tuple[str, str]:
    """Return the reason that stands in what somebody noted, ``""`` for none, and the note alone.

    The log is asked only where a document cannot be judged: both are one text in what is said.

    Args:
        session: the project.
        query: number of the query.
        document: number of the document.
        assessor: whose name it is.
        said: what they say.
    """
    if said.state is not State.CANNOT_JUDGE or not said.note:
        return "", said.note
    whose = session.assessor_number(assessor)
    if assessor == session.assessor:
        whose = session.asks.voices.get((query, document), whose)
    key = JudgmentKey(session.material.query_ids[query], document, whose)
    return split_reason(said.note, load_reasons(session.reader, key))
