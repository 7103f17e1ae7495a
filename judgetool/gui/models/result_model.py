"""The result list: which documents of a query it shows, in which order, how they moved, and its rows.

Rows are documents with their grades; texts are loaded when they are seen, and kept.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from judgetool.core import override
from judgetool.core.judgments import Document, Judgment, State
from judgetool.core.terms import NO_TERMS, QueryTerms, Span, beginning, one_line
from judgetool.errors import InputError
from judgetool.gui import cannot_raise
from judgetool.gui.models.finders import ASKED_OF_ME, DocumentFilter, visible_chips
from judgetool.gui.painting import format_grade
from judgetool.gui.widgets.grade_bar import CountedGrade
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.rows import ROOT, Index, LineModel
from judgetool.session.board import ONLY_MINE, Opinion, view_title
from judgetool.session.finding import TEXT_KINDS, Filter, matching_documents
from judgetool.session.history import find_reason_of
from judgetool.session.material import Material
from judgetool.session.pool import IntArray
from judgetool.session.queue import (
    OrderKind,
    OrderPolicy,
    list_documents,
    list_ranks,
    order_documents,
    order_of,
)
from judgetool.session.reading_aids import blind_order, query_terms
from judgetool.session.session import Session
from judgetool.wording import N_, _, mid_sentence

if TYPE_CHECKING:
    from judgetool.gui.pictures import Thumbs

_NOTHING: Mapping[int, str] = {}


def find_moves(session: Session, run_id: int | None, query: int) -> Mapping[int, str]:
    """Return ``↑3``, ``↓1``, ``new`` or ``gone`` by document; those that did not move have none.

    Args:
        session: the project.
        run_id: the run shown; without one nothing has moved.
        query: number of the query.

    Returns:
        Nothing where the project has no baseline, or one that is gone.
    """
    if run_id is None or session.value("baseline") is None:
        return _NOTHING
    # What it takes is loaded by the first project that has a baseline.
    from judgetool.session.comparing.system_values import (  # noqa: PLC0415 - said above
        baseline_ranking,
        find_baseline,
        move_in_words,
        movements,
    )
    from judgetool.session.systems import run_system  # noqa: PLC0415 - likewise

    baseline = find_baseline(session)
    if baseline is None:
        return _NOTHING
    try:
        before = baseline_ranking(session, baseline, run_system(session, run_id), query)
    except InputError:
        # The view in which the baseline was chosen says what has become of it.
        return _NOTHING
    if before is None:
        return _NOTHING
    found = movements(before, session.material.ranked_documents(run_id, query))
    return {document: move_in_words(sign) for document, sign in found.items() if sign}


_SHORT: Mapping[OrderKind, str] = {
    "rank": N_("by rank"),
    "id": N_("by document id"),
    "random": N_("random"),
    "interleaved": N_("round robin over runs"),
    "move_to_front": N_("move to front"),
    "stake": N_("by stake"),
}
NOT_IN_RUN = N_("Not in this run")
NONE_IN_RUN = N_("This run has no results for this query")
IN_NO_RUN = N_("Judged, in no run")


class DocumentMark(NamedTuple):
    """What is said of a document, as its chip and glyphs show it.

    Attributes:
        state: see :class:`State`.
        grade: folded grade of the view, ``None`` without one.
        is_flagged: someone marked it for discussion.
        has_note: someone wrote a note; a reason why it cannot be judged is none.
        has_rationale: someone kept pieces of the text with the judgment.
        confidence: how sure the assessor themself is, as in ``CONFIDENCES``.
    """

    state: State = State.UNJUDGED
    grade: float | None = None
    is_flagged: bool = False
    has_note: bool = False
    has_rationale: bool = False
    confidence: int | None = None


UNMARKED = DocumentMark()


def describe_order(policy: OrderPolicy) -> str:
    """Return an order as the status line says it: ``Order: random, seed 20417``.

    Returns:
        ``""`` for the usual order: by rank, query by query.
    """
    if policy.kind == "rank" and not policy.unjudged_first and not policy.across_queries:
        return ""
    return _("Order: {parts}").format(parts=_describe_parts(policy))


def _describe_parts(policy: OrderPolicy) -> str:
    parts = [_(_SHORT[policy.kind])]
    parts += [_("seed {seed}").format(seed=policy.seed)] * (policy.kind == "random")
    parts += [_("unjudged first")] * policy.unjudged_first
    parts += [_("across queries")] * policy.across_queries
    return ", ".join(parts)


class ResultOrder(Enum):
    """How results are ordered; the value is shown, of the queue its own order behind it."""

    RANK = N_("By rank")
    QUEUE = N_("Queue")
    UNJUDGED = N_("Unjudged first")
    GRADE = N_("By grade")


class ResultRow(NamedTuple):
    """One document in the list of a query.

    Attributes:
        document: its number.
        rank: place in the run's ranking, from 1; ``None`` if the run lacks it.
        score: what the system gave it, ``None`` if nothing.
        section: under which heading it stands by rank; ``""`` in the ranking.
    """

    document: int
    rank: int | None
    score: float | None
    section: str = ""


def queue_text(session: Session | None) -> str:
    """Return what the queue is called in the choice of orders; ``""`` where it is by rank anyway."""
    policy = order_of(session) if session is not None else OrderPolicy()
    if policy.kind == "rank" and not policy.unjudged_first:
        return ""
    said = _describe_parts(replace(policy, across_queries=False))
    return f"{_(ResultOrder.QUEUE.value)}: {said}"


def list_rows(
    session: Session, run_id: int | None, query: int, order: ResultOrder
) -> list[ResultRow]:
    """Return the rows of a query by the queue, or else by rank, with the run's ranks and scores."""
    policy = None if order is ResultOrder.QUEUE else OrderPolicy()
    documents, __ = list_documents(session, run_id, query, policy)
    in_no_run = _find_in_no_run(session, query, documents)
    ranks, scores, unranked = [0] * len(documents), list[float](), ""
    if run_id is not None:
        ranks, unranked = list_ranks(session, run_id, query, documents).tolist(), NOT_IN_RUN
        given = session.material.ranking(run_id, query).scores
        scores = given.tolist() if given is not None else []
    return [
        ResultRow(
            document,
            rank or None,
            scores[rank - 1] if 0 < rank <= len(scores) else None,
            "" if rank else IN_NO_RUN if document in in_no_run else unranked,
        )
        for document, rank in zip(documents.tolist(), ranks, strict=True)
    ]


def _find_in_no_run(session: Session, query: int, documents: IntArray) -> set[int]:
    """Return the documents that are listed because they are judged, not because a run has them."""
    board, material = session.board, session.material
    if not any(len(material.ranked_documents(run.run_id, query)) for run in material.runs):
        heard = set(board.book.heard(query))
        return heard if heard.issuperset(documents.tolist()) else set()
    return set(board.judged_beyond(query).tolist())


def list_blind_rows(session: Session, query: int) -> list[ResultRow]:
    """Return the pool of a query in an order that tells nothing, without ranks and scores."""
    documents = order_documents(session, query, blind_order(session))
    return [ResultRow(document, None, None) for document in documents.tolist()]


def find_marks(session: Session, query: int) -> dict[int, DocumentMark]:
    """Return what is said of a query's documents, by document; unmarked ones are left out."""
    said = session.board.settled(query).keys() | session.opinions(query).keys()
    marks = ((document, find_mark(session, query, document)) for document in said)
    return {document: mark for document, mark in marks if mark != UNMARKED}


def find_mark(session: Session, query: int, document: int) -> DocumentMark:
    """Return what is said of one document of a query."""
    effective = session.board.settled(query).get(document)
    opinions = shown_opinions(session, query, document)
    if effective is not None:
        state = State.CANNOT_JUDGE if effective.grade is None else State.JUDGED
        grade = effective.grade
    else:
        state, grade = _own_state(session, opinions), None
    is_flagged = has_note = has_rationale = False
    confidence = None
    for opinion in opinions:
        said = opinion.judgment
        is_flagged = is_flagged or said.flagged
        has_note = has_note or (bool(said.note) and _has_note(session, query, document, opinion))
        has_rationale = has_rationale or bool(said.spans)
        if opinion.assessor == session.assessor:
            confidence = said.confidence
    return DocumentMark(state, grade, is_flagged, has_note, has_rationale, confidence)


def _has_note(session: Session, query: int, document: int, opinion: Opinion) -> bool:
    """Whether an assessor has noted more than why a document cannot be judged."""
    said = opinion.judgment
    # What every grade passes ends here: only of the others the log is asked.
    if said.state is not State.CANNOT_JUDGE:
        return True
    return bool(find_reason_of(session, query, document, opinion.assessor, said)[1])


def shown_opinions(session: Session, query: int, document: int) -> list[Opinion]:
    """Return what was said of a document by those whose words the assessor may see."""
    opinions, me = session.opinions(query).get(document, []), session.assessor
    if session.board.view == ONLY_MINE:
        # Where others do not count they are not shown either: flags and notes would tell.
        return [opinion for opinion in opinions if opinion.assessor == me]
    if session.standing.is_plain:
        return opinions
    # Likewise of a model, and of whoever else is left out.
    return [each for each in opinions if each.assessor == me or session.does_count(each.assessor)]


def _own_state(session: Session, opinions: Sequence[Opinion]) -> State:
    for opinion in opinions:
        if opinion.assessor == session.assessor and opinion.judgment.state is State.SKIPPED:
            return State.SKIPPED
    return State.UNJUDGED


def find_counted(session: Session, grade: float | None, own: Judgment) -> CountedGrade | None:
    """Return the grade that counts of a document as one that its assessor has not given.

    Args:
        session: in whose view it counts.
        grade: which; ``None`` where it cannot be judged.
        own: what the session's assessor says of the document.

    Returns:
        ``None`` where they say the same.
    """
    if own.grade == grade and (grade is not None or own.state is State.CANNOT_JUDGE):
        return None
    if own.grade is not None:
        said = _("You said {grade}").format(grade=format_grade(own.grade))
    elif own.state is State.CANNOT_JUDGE:
        said = _("You said that it cannot be judged")
    else:
        said = _("You have given none")
    return CountedGrade(grade, describe_counted(session, grade), said)


def describe_counted(session: Session, grade: float | None) -> str:
    """Return by which view a grade counts: ``Counts by ‘Majority’: 2``."""
    view = view_title(session.board.view, session.assessor)
    shown = _("cannot judge") if grade is None else format_grade(grade)
    return _("Counts by ‘{view}’: {grade}").format(view=view, grade=shown)


def is_open(mark: DocumentMark) -> bool:
    """Whether a document is still to be judged; a skipped one is."""
    return mark.state in (State.UNJUDGED, State.SKIPPED)


def order_rows(
    rows: Sequence[ResultRow], marks: dict[int, DocumentMark], order: ResultOrder
) -> list[ResultRow]:
    """Return the rows in another order; equal ones stay by rank."""
    if order is ResultOrder.UNJUDGED:
        return sorted(rows, key=lambda row: not is_open(marks.get(row.document, UNMARKED)))
    if order is ResultOrder.GRADE:
        return sorted(rows, key=lambda row: _falling_grade(marks.get(row.document, UNMARKED)))
    return list(rows)


def _falling_grade(mark: DocumentMark) -> tuple[bool, float]:
    return mark.grade is None, -(mark.grade or 0.0)


def place_heads(rows: Sequence[ResultRow]) -> dict[int, str]:
    """Return above which places a heading stands, for rows by rank: place to heading."""
    sections = [row.section for row in rows]
    return {
        place: section
        for place, section in enumerate(sections)
        if section and (not place or sections[place - 1] != section)
    }


def place_cutoffs(rows: Sequence[ResultRow], cutoffs: Sequence[int]) -> dict[int, int]:
    """Return after which places the cutoffs cut: place to cutoff, for rows by rank.

    A cutoff that the ranking does not reach cuts nowhere.
    """
    places: dict[int, int] = {}
    for cutoff in sorted(cutoffs):
        above = [p for p, row in enumerate(rows) if row.rank is not None and row.rank <= cutoff]
        is_reached = any(row.rank is not None and row.rank >= cutoff for row in rows)
        if above and is_reached:
            places[above[-1]] = cutoff
    return places


MOST_TITLE = 300
MOST_URL = 300
# So much of a text is looked at for an excerpt: enough for any page, quick for any book.
MOST_BODY = 8_000
MOST_KEPT = 300
NO_TEXT = N_("Only the id of this document is known.")


# So much of a text's beginning readers are told beside a row: two lines of its card.
_MOST_DESCRIBED = 160


class CardText(NamedTuple):
    """What a card shows of a document, on one line each and cut to a length.

    Attributes:
        title: of the document; its id where there is no title.
        title_spans: where query terms stand in the title.
        url: without the scheme; ``""`` where there is none.
        body: the text's beginning, or the fields' where there is no text.
        has_text: whether there is more to show than the id.
        has_picture: whether the document names a picture.
    """

    title: str
    title_spans: tuple[Span, ...]
    url: str
    body: str
    has_text: bool
    has_picture: bool = False


def make_card_text(document: Document, terms: QueryTerms) -> CardText:
    """Return what a card shows of a document."""
    title = one_line(document.title, most=MOST_TITLE)
    body = document.body or " ".join(_telling_values(document))
    return CardText(
        title or one_line(document.id, most=MOST_TITLE) or document.id[:MOST_TITLE],
        tuple(terms.find_spans(title)) if title else (),
        short_url(one_line(document.url, most=MOST_URL)),
        one_line(body, most=MOST_BODY),
        document.has_text,
        bool(document.image),
    )


def _telling_values(document: Document) -> Iterator[str]:
    """Yield field values that read as text, each as a sentence; lists and objects do not."""
    for value in document.fields.values():
        if value and not value.startswith(("{", "[")):
            yield value if value.endswith(".") else f"{value}."


def short_url(url: str) -> str:
    """Return an address without its scheme and closing slash.

    Examples:
        >>> short_url("https://recipes.example/soup/"), short_url("ftp://a/b")
        ('recipes.example/soup', 'ftp://a/b')
    """
    for scheme in ("https://", "http://"):
        url = url.removeprefix(scheme)
    return url.removesuffix("/")


class CardTexts:
    """Card texts by document for one query, the last used 300 of them.

    Args:
        material: where documents are.
        terms: of the query.
        mask: takes from a document what blind mode hides; ``None`` shows all.
    """

    def __init__(
        self,
        material: Material,
        terms: QueryTerms = NO_TERMS,
        *,
        mask: Callable[[int, Document], Document] | None = None,
    ) -> None:
        self._material = material
        self._mask = mask
        self._terms = terms
        self._kept: OrderedDict[int, CardText] = OrderedDict()

    def text(self, document: int) -> CardText:
        """Return a document's card text, loading it if it is not at hand."""
        kept = self._kept.get(document)
        if kept is None:
            found = self._material.show_document(document)
            if self._mask is not None:
                found = self._mask(document, found)
            kept = make_card_text(found, self._terms)
            self._kept[document] = kept
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(document)
        return kept

    def missing(self, documents: Iterable[int]) -> list[int]:
        """Return those that would have to be loaded."""
        return [document for document in documents if document not in self._kept]


@dataclass(slots=True)
class Listed:
    """All that belongs to the query that is shown, whichever model has made it ready.

    Attributes:
        query: its number; ``None`` before one is shown.
        run_id: whose ranking it is; ``None`` for the pool alone.
        terms: of the query.
        texts: of the cards; ``None`` before they can be loaded.
        all: the rows without filters.
        rows: what is shown, in order.
        documents: their document numbers.
        place_of: where a document is shown.
        heads: headings by the place under them.
        cutoffs: cutoffs by the place after which they cut.
        moves: how documents moved against the baseline, by document, as ``↑3``.
        marks: what is said of documents, so far as it was looked up.
        known: the documents of :attr:`all`.
        closed: documents of the query that are judged.
        n_closed: how many of these are known.
        pool: the documents of the query's pool.
    """

    query: int | None = None
    run_id: int | None = None
    terms: QueryTerms = field(default_factory=QueryTerms)
    texts: CardTexts | None = None
    all: list[ResultRow] = field(default_factory=list)
    rows: list[ResultRow] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    place_of: dict[int, int] = field(default_factory=dict)
    heads: dict[int, str] = field(default_factory=dict)
    cutoffs: dict[int, int] = field(default_factory=dict)
    moves: Mapping[int, str] = field(default_factory=dict)
    marks: dict[int, DocumentMark] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    closed: set[int] = field(default_factory=set)
    n_closed: int = 0
    pool: set[int] = field(default_factory=set)


# What the rows of a query hang on besides the query and the run.
_SWITCHES = ("session", "order", "only_open", "filters", "is_blind", "mask", "chosen_cutoffs")


class ResultModel(LineModel):
    """Documents of one query as the list shows them.

    Signals:
        filters_ready: what :meth:`set_filters` could not find at once is there; call
            :meth:`apply_filters`.

    Attributes:
        session: the project, ``None`` for none.
        listed: the query that is shown.
        order: how rows are ordered.
        only_open: whether judged documents are left out.
        filters: conditions that a shown document meets.
        is_blind: whether ranks, scores and the order of the run are hidden.
        mask: makes a document tell nothing of where it comes from; ``None`` hides nothing.
        thumbs: small pictures of documents; ``None`` shows none.
        finder: which documents meet the filters; with ``jobs`` many texts hold nothing up.
    """

    filters_ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session: Session | None = None
        self.listed = Listed()
        self.thumbs: Thumbs | None = None
        self.order = ResultOrder.RANK
        self.only_open = False
        self.filters: tuple[Filter, ...] = ()
        # While texts are searched for new filters, the list stays as the old ones say.
        self._applied: tuple[Filter, ...] = ()
        self.finder = DocumentFilter(self)
        self.finder.found.connect(self.filters_ready)
        self.is_blind = False
        self.mask: Callable[[int, Document], Document] | None = None
        self.chosen_cutoffs: tuple[int, ...] = (5, 10)

    # What it shows

    def set_session(self, session: Session | None) -> None:
        """Show nothing yet of a session, or of none."""
        self.session = session
        self.listed = Listed(terms=self.listed.terms)
        self._look_through()
        self._arrange()

    def _look_through(self) -> None:
        self.finder.set_documents(self.session, self.listed.query, [*self.listed.known])
        self._applied = self.filters

    def set_blind(self, mask: Callable[[int, Document], Document] | None) -> None:
        """Hide what tells where documents come from; ``None`` hides nothing.

        Holds from the next query shown.

        Args:
            mask: makes a document tell nothing.
        """
        self.is_blind = mask is not None
        self.mask = mask
        self.listed.texts = None

    def show_query(self, run_id: int | None, query: int) -> None:
        """Show the documents of a query as a run ranks them.

        Args:
            run_id: ``None`` shows the pool alone.
            query: its number.
        """
        session = self.session
        assert session is not None
        before, board = self.listed, session.board
        shown = self.listed = Listed(query, run_id, before.terms, before.texts)
        if query != before.query or shown.texts is None:
            shown.terms = query_terms(session, query)
            shown.texts = CardTexts(session.material, shown.terms, mask=self.mask)
        self._list()
        shown.moves = {} if self.is_blind else find_moves(session, run_id, query)
        shown.known = {row.document for row in shown.all}
        shown.closed = set(board.settled(query))
        shown.n_closed = len(shown.closed & shown.known)
        shown.pool = set(board.pool(query).tolist())
        self._look_through()
        self._arrange()

    def _list(self) -> None:
        """Take the documents of the query anew, by rank or by the queue."""
        session, query = self.session, self.listed.query
        if session is None or query is None:
            return
        self.listed.all = (
            list_blind_rows(session, query)
            if self.is_blind
            else list_rows(session, self.listed.run_id, query, self.order)
        )

    def set_like(self, other: "ResultModel") -> None:
        """Take another model's session and switches, so that a query can be made ready here."""
        for name in _SWITCHES:
            setattr(self, name, getattr(other, name))
        self.drop()

    def drop(self) -> None:
        """Hold nothing that could be shown; what was adopted from here stays as it is."""
        self.listed = Listed()

    def has_ready(self, run_id: int | None, query: int, *, like: "ResultModel") -> bool:
        """Whether this model holds a query just as another would show it."""
        is_alike = all(getattr(self, name) == getattr(like, name) for name in _SWITCHES)
        is_it = (self.listed.query, self.listed.run_id) == (query, run_id)
        return self.listed.texts is not None and is_it and is_alike

    def adopt(self, ready: "ResultModel") -> None:
        """Show what another model has made ready; that one is not to be used any more."""
        self.beginResetModel()
        self.listed = ready.listed
        self._look_through()
        self.finder.kept |= ready.finder.kept
        self.endResetModel()
        ready.drop()

    def refresh(self, documents: Iterable[int]) -> None:
        """Read anew what is said of some documents; their rows stay where they are."""
        session, query = self.session, self.listed.query
        if session is None or query is None:
            return
        for document in documents:
            mark = self.listed.marks[document] = find_mark(session, query, document)
            self._close(document, is_closed=not is_open(mark))
            place = self.listed.place_of.get(document)
            if place is not None:
                self.dataChanged.emit(self.index(place, 0), self.index(place, 0))

    def _close(self, document: int, *, is_closed: bool) -> None:
        """Keep count of what is judged; at every key, so never by looking through the list."""
        was_closed = document in self.listed.closed
        if is_closed == was_closed:
            return
        (self.listed.closed.add if is_closed else self.listed.closed.discard)(document)
        if document in self.listed.known:
            self.listed.n_closed += 1 if is_closed else -1

    def set_order(self, order: ResultOrder) -> None:
        """Order the rows otherwise."""
        self.order = order
        self._list()
        self._arrange()

    def set_only_open(self, *, only_open: bool) -> None:
        """Leave out what is judged now, or show everything."""
        self.only_open = only_open
        self._arrange()

    def set_filters(self, filters: Sequence[Filter]) -> None:
        """Show only documents that meet these conditions now, or all.

        Where many texts must be searched first, :attr:`filters_ready` tells when they are.
        """
        self.filters = tuple(filters)
        chips = visible_chips(self.filters, is_blind=self.is_blind)
        if self.finder.has(chips):
            self.apply_filters()
        else:
            self.finder.look(chips)

    def apply_filters(self) -> None:
        """Show what the filters let through, whatever must be searched for it."""
        self.finder.drop()
        self._applied = self.filters
        self._arrange()

    def set_cutoffs(self, cutoffs: Sequence[int]) -> None:
        """Choose where measures cut."""
        self.chosen_cutoffs = tuple(cutoffs)
        self._place_lines()
        if self.listed.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.listed.rows) - 1, 0))

    def _arrange(self) -> None:
        self.beginResetModel()
        session, listed, query = self.session, self.listed, self.listed.query
        if session is not None and query is not None and self.order is not ResultOrder.RANK:
            listed.marks = find_marks(session, query)
        rows = [x for x in listed.all if not self.only_open or x.document not in listed.closed]
        listed.rows = order_rows(self._filter(rows), listed.marks, self.order)
        listed.documents = [row.document for row in listed.rows]
        listed.place_of = {document: place for place, document in enumerate(listed.documents)}
        listed.heads = self._find_heads()
        self._place_lines()
        self.endResetModel()

    def _filter(self, rows: list[ResultRow]) -> list[ResultRow]:
        filters = visible_chips(self._applied, is_blind=self.is_blind)
        if not filters:
            return rows
        met = self.finder.find([row.document for row in rows], filters)
        return [row for row in rows if row.document in met]

    def count_met(self, filters: Sequence[Filter]) -> list[int | None]:
        """Return how many documents of the query these conditions let through together, for each.

        ``None`` while texts are still to be searched.
        """
        count = self.finder.count(visible_chips(filters, is_blind=self.is_blind))
        return [count] * len(filters)

    def let_through(self, query: int) -> set[int]:
        """Return the unjudged documents of a query's pool that the filters let through."""
        session, chips = self.session, visible_chips(self._applied, is_blind=self.is_blind)
        assert session is not None
        left = set(session.board.pool(query).tolist()) - session.board.settled(query).keys()
        return {*matching_documents(session, query, [*left], chips)} if chips else left

    def found_by_words(self) -> list[int]:
        """Return the documents that meet the conditions on texts, so far as they are searched."""
        texts = [chip for chip in self._applied if chip.kind in TEXT_KINDS]
        documents = sorted(self.listed.known)
        return sorted(self.finder.find(documents, texts)) if texts else documents

    def _place_lines(self) -> None:
        is_by_rank = self.order is ResultOrder.RANK
        self.listed.cutoffs = (
            place_cutoffs(self.listed.rows, self.chosen_cutoffs) if is_by_rank else {}
        )

    # Asking

    @property
    def is_of_asks(self) -> bool:
        """Whether the list is narrowed to what the assessor is asked, which is the pool then."""
        is_asked = self.session is not None and self.session.is_asked
        return is_asked and ASKED_OF_ME in self.filters

    @property
    def n_all(self) -> int:
        """How many documents there are without the filter."""
        return len(self.listed.all)

    @property
    def n_open(self) -> int:
        """How many documents of the list, filtered or not, are still to be judged.

        Of what the assessor is asked alone where the list is narrowed to that.
        """
        if self.is_of_asks:
            return len(self.open_in_pool)
        return len(self.listed.all) - self.listed.n_closed

    @property
    def open_in_pool(self) -> set[int]:
        """The documents of the pool that are still to be judged, shown or not."""
        return self.listed.pool - self.listed.closed

    @property
    def n_beyond_pool(self) -> int:
        """How many documents of the list, filtered or not, are not in the pool."""
        return len(self.listed.known - self.listed.pool)

    def _find_heads(self) -> dict[int, str]:
        if self.order is not ResultOrder.RANK:
            return {}
        heads = place_heads(self.listed.rows)
        if not any(row.rank is not None for row in self.listed.all):
            whole = {NOT_IN_RUN: NONE_IN_RUN}
            heads = {place: whole.get(head, head) for place, head in heads.items()}
        return heads

    def mark(self, document: int) -> DocumentMark:
        """Return what is said of a document, looked up when its row is first seen."""
        session, query, marks = self.session, self.listed.query, self.listed.marks
        if document not in marks and session is not None and query is not None:
            marks[document] = find_mark(session, query, document)
        return marks.get(document, UNMARKED)

    def open_places(self) -> list[int]:
        """Return the places of documents of the pool that are still to be judged."""
        place_of = self.listed.place_of
        return sorted(place_of[document] for document in self.open_in_pool & place_of.keys())

    def text(self, place: int) -> CardText:
        """Return the texts of a row, loading the document if it is not at hand."""
        assert self.listed.texts is not None, "there are no rows before a query is shown"
        return self.listed.texts.text(self.listed.rows[place].document)

    def thumb(self, place: int, *, side: Callable[[], int], ratio: float) -> QImage | None:
        """Return the small picture of a row's document; an empty one until it has been read.

        ``None`` where the document has none, or none that may be shown.

        Args:
            place: of the row.
            side: says how large the picture is, in px, where there is one.
            ratio: device pixels for each px.
        """
        if self.thumbs is None or self.session is None or not self.text(place).has_picture:
            return None
        document = self.listed.rows[place].document
        return self.thumbs.find(self.session, document, side=side(), ratio=ratio)

    def show_thumb(self, document: int) -> None:
        """Paint the row of a document anew, whose picture has been read."""
        place = self.listed.place_of.get(document)
        if place is not None:
            self.dataChanged.emit(self.index(place, 0), self.index(place, 0))

    def load_seen(self, first: int, last: int) -> None:
        """Read the texts of these places at once, where several are not at hand."""
        if self.listed.texts is not None and self.session is not None:
            missing = self.listed.texts.missing(self.listed.documents[first:last])
            if len(missing) > 1:
                self.session.material.fetch(missing)

    def load_next(self, first: int, last: int) -> bool:
        """Load one document of these places that is not at hand; return whether there was one."""
        if self.listed.texts is None:
            return False
        missing = self.listed.texts.missing(self.listed.documents[max(0, first) : last])
        if missing:
            self.listed.texts.text(missing[0])
        return bool(missing)

    # Qt

    @override
    @cannot_raise
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows shown."""
        return 0 if parent.isValid() else len(self.listed.rows)

    @override
    def told(self, place: int, role: int) -> str | None:
        """Return the title of a row, or for screen readers the row, and what else its card shows."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(place).title
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            text, counted = self.text(place), self.counted(place)
            begins = beginning(text.body, most=_MOST_DESCRIBED)
            return ", ".join(filter(None, (counted and counted.view, begins, text.url)))
        if role == Qt.ItemDataRole.ToolTipRole:
            counted = self.counted(place)
            return plain_tooltip(counted.why) if counted is not None else None
        return self._spoken(place) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def counted(self, place: int) -> CountedGrade | None:
        """Return the grade of a row where it is not the assessor's own; ``None`` elsewhere."""
        session, query, document = self.session, self.listed.query, self.listed.documents[place]
        mark = self.mark(document)
        if session is None or query is None or is_open(mark):
            return None
        return find_counted(session, mark.grade, session.own_judgment(query, document))

    def _spoken(self, place: int) -> str:
        row = self.listed.rows[place]
        mark = self.mark(row.document)
        rank = (
            _(row.section or NOT_IN_RUN)
            if row.rank is None
            else _("Rank {rank}").format(rank=row.rank)
        )
        if self.is_blind:
            rank = _("Document {place}").format(place=place + 1)
        move = (
            self.listed.moves.get(row.document, "")
            .replace("↑", f"{_('up')} ")
            .replace("↓", f"{_('down')} ")
        )
        parts = [*filter(None, (rank, move)), self.text(place).title, self._spoken_grade(mark)]
        counted = self.counted(place)
        parts += [] if counted is None else [mid_sentence(counted.said)]
        parts += [_("flagged")] * mark.is_flagged + [_("has a note")] * mark.has_note
        return ", ".join(parts)

    def _spoken_grade(self, mark: DocumentMark) -> str:
        if mark.grade is None:
            return {State.CANNOT_JUDGE: _("cannot be judged"), State.SKIPPED: _("skipped")}.get(
                mark.state, _("not judged")
            )
        level = self.session.scale.find_level(mark.grade) if self.session else None
        name = f", {mid_sentence(level.shown_name)}" if level else ""
        return _("grade {grade}").format(grade=format_grade(mark.grade)) + name
