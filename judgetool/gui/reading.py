"""Reading in the window: what the document pane shows of a project, marked and prepared."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject

from judgetool.core.excerpts import Layer, Marking
from judgetool.core.judgments import CONFIDENCES, Document, Judgment, Span, State
from judgetool.core.terms import QueryTerms
from judgetool.gui.judging import Judging
from judgetool.gui.panels.document_page import Shown
from judgetool.gui.pictures import find_picture_file
from judgetool.gui.workspace import Workspace
from judgetool.session.queues.queue import find_next_unjudged
from judgetool.session.reading_aids import TermSet, find_term_sets, query_terms, text_language
from judgetool.session.session import Session
from judgetool.wording import N_, _

_STATES = {State.CANNOT_JUDGE: N_("cannot judge"), State.SKIPPED: N_("skipped for later")}


class DocumentPresenter(QObject):
    """Shows documents of a session in the pane.

    Args:
        session: the open project.
        workspace: has the pane.
        judging: knows where the assessor is.
        mask: makes a document tell nothing where the assessor is blind.
        parent: of the object.

    Attributes:
        shown_sets: names of the term sets that are marked; ``None`` for all.
    """

    def __init__(
        self,
        session: Session,
        workspace: Workspace,
        judging: Judging,
        *,
        mask: Callable[[int, Document], Document],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._workspace = workspace
        self._judging = judging
        self._mask = mask
        self._marking = Marking()
        self._upcoming: list[tuple[Document, Shown, Marking]] = []
        self.shown_sets: frozenset[str] | None = None
        workspace.document.text.rationale_closed.connect(self.drop_rationale)
        workspace.side.place_wanted.connect(judging.show_place)

    # Marks

    @property
    def term_sets(self) -> tuple[TermSet, ...]:
        """The project's term sets."""
        return find_term_sets(self._session)

    def show_query(self) -> None:
        """Mark the terms of the query that is current now."""
        self._marking = self.marking_of(self._judging.query)

    def marking_of(self, query: int | None) -> Marking:
        """Return what is marked in documents of a query."""
        terms = QueryTerms() if query is None else query_terms(self._session, query)
        language = text_language(self._session)
        own = [
            Layer(_set_terms(each, language), each.colour - 1)
            for each in self.term_sets
            if self.shown_sets is None or each.name in self.shown_sets
        ]
        return Marking((*own, Layer(terms, 0)))

    def show_sets(self, names: frozenset[str] | None) -> None:
        """Mark the term sets of these names, or all for ``None``."""
        self.shown_sets = names
        self.show_query()
        self._workspace.document.text.marks.set_marking(self._marking)

    # Documents

    def show_document(self, number: int | None, found: Document | None) -> None:
        """Show a document.

        Args:
            number: the project's, of the document; ``None`` for none.
            found: the document itself, masked where the assessor is blind.
        """
        results = self._workspace.results
        query = self._judging.query
        shown = Shown() if number is None or found is None else self._shown(query, number, found)
        place, total = results.current_place() + 1, len(results.documents())
        self._workspace.document.show_document(
            found, place=place, total=total, marking=self._marking, shown=shown
        )
        self._workspace.set_nothing(*(("", "") if total else results.why_empty()))

    def show_place(self) -> None:
        """Say where one is among the documents, and what follows a grade.

        :meth:`show_document` leaves it to whoever calls it: once for all that a key does is
        enough, and a frame later is soon enough.
        """
        results, query = self._workspace.results, self._judging.query
        settled = {} if query is None else self._session.board.settled(query)
        judged = [document in settled for document in results.documents()]
        self._workspace.header.place.show_place(results.current_place(), judged)
        follows = _("next in the queue") if self._judging.goes_to_next else _("next unjudged")
        if results.model.n_beyond_pool and not self._judging.goes_to_next:
            follows = _("next unjudged in the pool")
        self._workspace.show_hint(follows if self._judging.moves_on else _("stay here"))

    def _shown(self, query: int | None, number: int, document: Document) -> Shown:
        judgment = Judgment() if query is None else self._session.own_judgment(query, number)
        image = find_picture_file(self._session, number) if document.image else None
        return Shown(judgment.note, judgment.spans, image, describe_remarks(judgment))

    def prepare(self) -> Iterator[None]:
        """Write the next document's page, so that a grade shows it in the next frame."""
        self._upcoming = []
        for number in self._next_documents():
            yield from self._await(self._judging.query, number, self._marking)
        self._workspace.document.prepare(self._upcoming)

    def prepare_query(self, query: int, documents: list[int]) -> Iterator[None]:
        """Write the page that another query begins with, too.

        Args:
            query: on which a key may lead.
            documents: as its list will show them.
        """
        place = find_next_unjudged(self._session, query, documents, after=-1) or 0
        if documents:
            yield from self._await(query, documents[place], self.marking_of(query))
            self._workspace.document.prepare(self._upcoming)

    def _await(self, query: int | None, number: int, marking: Marking) -> Iterator[None]:
        document = self._mask(number, self._session.material.show_document(number))
        yield
        self._upcoming.append((document, self._shown(query, number, document), marking))
        yield

    def _next_documents(self) -> list[int]:
        query, results = self._judging.query, self._workspace.results
        documents, here = results.documents(), results.current_place()
        if query is None or not documents:
            return []
        following = find_next_unjudged(self._session, query, documents, after=here)
        places = dict.fromkeys((following, results.next_place))
        return [documents[place] for place in places if place is not None and place != here]

    # Rationale

    def toggle_rationale(self) -> str:
        """Keep what is selected with the judgment, or take it away where it is kept already.

        Returns:
            A sentence where nothing could be done, else ``""``.
        """
        self._workspace.document.select_mark()
        chosen = self._workspace.document.selected_spans()
        if not chosen:
            return _(
                "Select some of the document’s text first: with the mouse, or T for a sentence."
            )
        kept = self._judging.own_judgment.spans
        if all(span in kept for span in chosen):
            self._judging.set_spans(tuple(span for span in kept if span not in chosen))
        else:
            added = tuple(span for span in chosen if span not in kept)
            others = tuple(span for span in kept if not _is_inside(span, added))
            self._judging.set_spans((*others, *added))
        return ""

    def drop_rationale(self, number: int) -> None:
        """Take one piece of the rationale away."""
        kept = self._judging.own_judgment.spans
        self._judging.set_spans((*kept[:number], *kept[number + 1 :]))

    def close(self) -> None:
        """Listen to the panels no more."""
        self._workspace.document.text.rationale_closed.disconnect(self.drop_rationale)
        self._workspace.side.place_wanted.disconnect(self._judging.show_place)


def describe_remarks(judgment: Judgment) -> str:
    """Return state, flag and confidence on one line; ``""`` where there is only a grade.

    Examples:
        >>> describe_remarks(Judgment(State.SKIPPED, flagged=True))
        'You said: skipped for later · flagged for discussion'
    """
    said = [_(_STATES[judgment.state])] if judgment.state in _STATES else []
    if judgment.flagged:
        said.append(_("flagged for discussion"))
    if judgment.confidence is not None:
        said.append(_(CONFIDENCES[judgment.confidence]))
    return _("You said: {said}").format(said=" · ".join(said)) if said else ""


def _set_terms(term_set: TermSet, language: str | None) -> QueryTerms:
    quoted = " ".join(f'"{term}"' for term in term_set.terms)
    return QueryTerms.parse(quoted, language, keeps_all=True)


def _is_inside(span: Span, others: tuple[Span, ...]) -> bool:
    return any(
        span.field == other.field and other.start <= span.start and span.end <= other.end
        for other in others
    )
