"""What the what-if view works on: a query's ranking, doing more to it, and both orders as rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, Signal

from judgetool.core import override
from judgetool.core.rankings import (
    Move,
    Pin,
    Step,
    Unpin,
    apply,
    pinned_documents,
)
from judgetool.core.terms import beginning
from judgetool.errors import InputError, JudgetoolError
from judgetool.gui import cannot_raise
from judgetool.gui.jobs import Jobs
from judgetool.gui.models.result_model import UNMARKED, DocumentMark, find_mark, find_marks
from judgetool.gui.painting import format_grade
from judgetool.gui.widgets.rows import ROOT, SAID, Index, LineModel, ListTable
from judgetool.session.commands import Changed
from judgetool.session.comparing.system_values import (
    Baseline,
    find_baseline,
    move_sign,
    ranks_of,
    set_baseline,
)
from judgetool.session.comparing.trial import Documents, QueryOrders, Trial, read_orders, rule_work
from judgetool.session.session import Session
from judgetool.session.systems import System, run_system
from judgetool.session.whatifs.book import (
    WhatIf,
    find_base,
    find_whatif,
    load_whatifs,
    touched_queries,
    whatif_book,
)
from judgetool.session.whatifs.editing import (
    add_step,
    assume_grade,
    clear_query,
    create_whatif,
    drop_last_step,
    free_name,
    order_by_grade,
)
from judgetool.wording import _

_KEPT_MARKS = 5_000
_MOST_TITLE = 60


def seed_rules(session: Session, jobs: Jobs) -> None:
    """Have the worker read what rules look at, so that no view waits for it later.

    Over millions of results that takes seconds; a view that is opened before it is done
    reads for itself.

    Args:
        session: the project that has just been opened.
        jobs: of the window.
    """
    for head in load_whatifs(session):
        if head.rules:
            _seed(session, jobs, head)


def _seed(session: Session, jobs: Jobs, head: WhatIf) -> None:
    try:
        find = rule_work(session, head.id, head.rules)
    except InputError:
        # The view says what is wrong with it, once somebody wants to see it.
        return
    jobs.submit(
        lambda handle: find(None, handle.is_cancelled),
        lambda matches: whatif_book(session).seed(matches, head.bases),
        # The project was closed meanwhile, or its view will find out what is wrong itself.
        on_failed=lambda _error: None,
    )


class WorkedRanking(QObject):
    """The query, the run or what-if that is worked on, and everything that can be done to it.

    Whatever is done while a run is shown makes a what-if of it first, so that trying
    costs no thought.

    Signals:
        changed: another query, what-if or order; everything is to be shown anew.
        said: a sentence for the status line.

    Attributes:
        session: the project, or ``None``.
        query: the query's number, or ``None``.
        orders: the query's ranking.
        problem: a sentence when the ranking cannot be shown; ``""`` else.
        run_id: the run that is worked on or was made from; of fused ones the first.
        is_doing: whether a step of its own is being saved, after which everything is taken anew.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session: Session | None = None
        self.query: int | None = None
        self.orders = QueryOrders()
        self.problem = ""
        self.run_id: int | None = None
        self._whatif_id = ""
        self._is_against_start = False
        self._trial: Trial | None = None
        self._marks: dict[int, DocumentMark] = {}
        self.is_doing = False

    # What is shown

    def set_session(self, session: Session | None) -> None:
        """Work on another project, or none."""
        self.session = session
        self.query, self.run_id, self._whatif_id = None, None, ""
        self.refresh()

    def start_with(self, run_id: int | None) -> None:
        """Work on the what-if made last of a run, else on any made last, else on the run."""
        self.run_id = run_id
        session = self.session
        if session is None:
            return
        made = (self._whatifs_of(run_id) if run_id is not None else []) or load_whatifs(session)
        self._whatif_id = made[-1].id if made else ""

    def show_query(self, query: int | None) -> None:
        """Work on another query of the same what-if."""
        self.query = query
        self.refresh()

    def choose_run(self, run_id: int) -> None:
        """Work on a run: on the what-if made of it last, or on none yet."""
        self.run_id = run_id
        made = self._whatifs_of(run_id)
        self._whatif_id = made[-1].id if made else ""
        self.refresh()

    def choose_whatif(self, whatif_id: str) -> None:
        """Work on a what-if; ``""`` for the run that is worked on, as it was imported."""
        self._whatif_id = whatif_id
        self.refresh()

    def _whatifs_of(self, run_id: int) -> list[WhatIf]:
        session = self.session
        source = None if session is None else _source_run(session, run_id)
        if session is None or source is None:
            return []
        made = load_whatifs(session)
        return [each for each in made if each.how == "run" and each.bases[0].name == source.name]

    @property
    def head(self) -> WhatIf | None:
        """The what-if that is worked on; ``None`` while it is a run as imported."""
        if self.session is None or not self._whatif_id:
            return None
        return find_whatif(self.session, self._whatif_id)

    @property
    def subject(self) -> System | None:
        """What is worked on, as a system; ``None`` without any run."""
        head = self.head
        return self._source if head is None else System("what-if", head.id, head.name)

    @property
    def _source(self) -> System | None:
        return None if self.session is None else _source_run(self.session, self.run_id)

    @property
    def source_name(self) -> str:
        """What the ranking was before any step, for people."""
        head = self.head
        if head is not None and head.how == "fused":
            return head.made_of
        source = self._source
        return source.name if source is not None else ""

    @property
    def name(self) -> str:
        """The what-if's name, or the run's while there is none."""
        subject = self.subject
        return subject.name if subject is not None else ""

    @property
    def baseline(self) -> Baseline | None:
        """What values are compared with; ``None``: where the what-if came from.

        It is the project's choice. Where there is none, a fused what-if is compared with the first
        run that was fused, as at first it is itself where it came from, until that is chosen.
        """
        chosen = None if self.session is None else find_baseline(self.session)
        head, source = self.head, self._source
        if chosen is not None or head is None or head.how != "fused" or source is None:
            return chosen
        return None if self._is_against_start else Baseline.of_system(source)

    def compare_with(self, baseline: Baseline | None) -> None:
        """Choose what values are compared with; ``None`` for where the what-if came from."""
        session = self.session
        self._is_against_start = baseline is None
        if session is not None and baseline != find_baseline(session):
            self.attempt(lambda project: set_baseline(project, baseline))
        else:
            self.refresh()

    @property
    def against(self) -> str:
        """What values are compared with, for people."""
        baseline = self.baseline
        return baseline.name if baseline is not None else self.source_name

    def take_change(self, changed: Changed) -> None:
        """Follow a step of the project; go where an undone move was."""
        session = self.session
        if session is None or self.is_doing:
            return
        touched = sorted(key for key in changed.values if key.startswith("whatif/"))
        # A change of the scale is of all what-ifs.
        if changed.origin != "do" and touched and "scale" not in changed.values:
            whatif_id = touched[0].split("/")[1]
            if find_whatif(session, whatif_id) is not None:
                self._whatif_id = whatif_id
        self.refresh()

    def refresh(self) -> None:
        """Take everything anew from the session."""
        self._trial = None
        self._marks = {}
        self.problem = ""
        session = self.session
        if session is not None and self._whatif_id and self.head is None:
            self._whatif_id = ""
        try:
            self.orders = QueryOrders() if session is None else self._read(session)
        except JudgetoolError as problem:
            self.orders, self.problem = QueryOrders(), str(problem)
        self.changed.emit()

    def _read(self, session: Session) -> QueryOrders:
        head, runs, query = self.head, session.material.runs, self.query
        if head is not None:
            self.run_id = find_base(session.material, head.bases[0], head.name)
        elif self.run_id not in {run.run_id for run in runs}:
            self.run_id = runs[0].run_id if runs else None
        subject = self.subject
        if subject is None or query is None:
            return QueryOrders()
        return read_orders(session, subject, query)

    # What is said of documents

    def mark(self, document: int) -> DocumentMark:
        """Return what is judged of a document of the query."""
        if document not in self._marks:
            session, query = self.session, self.query
            if session is None or query is None:
                return UNMARKED
            if not self._marks:
                self._marks = find_marks(session, query)
            if len(self._marks) > _KEPT_MARKS:
                return self._marks.get(document, UNMARKED)
            self._marks[document] = self._marks.get(document) or find_mark(session, query, document)
        return self._marks[document]

    def assumed_grade(self, document: int) -> float | None:
        """Return the grade that is assumed of a document and counts, as nobody judged it."""
        if self.mark(document).grade is not None:
            return None
        return self.orders.assumed.get(document)

    def counted_grade(self, document: int) -> float | None:
        """Return the grade that counts here: judged, else assumed; ``None`` for neither."""
        grade = self.mark(document).grade
        return self.orders.assumed.get(document) if grade is None else grade

    def title(self, document: int) -> str:
        """Return a document's title, or its id."""
        if self.session is None:
            return ""
        found = self.session.material.show_document(document)
        return found.title or found.id

    # Trying

    @property
    def trial(self) -> Trial | None:
        """Values of any order of this query; ``None`` where there is nothing to order."""
        session, query, subject = self.session, self.query, self.subject
        if self._trial is None and session is not None and query is not None and subject:
            try:
                self._trial = Trial(
                    session, subject, query, baseline=self.baseline, orders=self.orders
                )
            except JudgetoolError as problem:
                self.said.emit(str(problem))
        return self._trial

    def try_step(self, step: Step) -> Documents:
        """Return the order that a further step would make."""
        return tuple(apply(self.orders.start, (*self.orders.steps, step)).tolist())

    @property
    def n_other_queries(self) -> int:
        """How many other queries the what-if has changed."""
        if self.session is None or not self._whatif_id:
            return 0
        return sum(each != self.query for each in touched_queries(self.session, self._whatif_id))

    # Doing

    def do(self, step: Step) -> bool:
        """Do one more thing to the ranking; return whether it was saved."""
        if self.try_step(step) == self.orders.order and not self._changes_pins(step):
            return False

        def act(session: Session, query: int) -> None:
            whatif_id = self._own_whatif(session)
            add_step(session, whatif_id, query, step)

        return self._attempt(act)

    def _changes_pins(self, step: Step) -> bool:
        steps = (*self.orders.steps, step)
        return pinned_documents(self.orders.start, steps) != self.orders.pinned

    def move(self, document: int, rank: int) -> bool:
        """Take a document to a rank, from 1, or say which pin keeps it where it stands."""
        step = Move(document, min(max(1, rank), len(self.orders.order)))
        place = self.orders.order.index(document) + 1
        if step.rank != place and self.try_step(step) == self.orders.order:
            said = _(
                "Rank {rank} is held by a pinned document: {title} stays at rank {place}. Let the pinned "
                "one go (P), or choose another rank."
            )
            title = beginning(self.title(document), most=_MOST_TITLE)
            self.said.emit(said.format(rank=step.rank, title=title, place=place))
            return False
        return self.do(step)

    def past_pins(self, document: int, place: int, by: int) -> int:
        """Return a place from 0, or the next one by 1 or -1 that no pin keeps from a document.

        It may lie beyond either end. A pinned document takes its pin anywhere.
        """
        order, pinned = self.orders.order, self.orders.pinned
        while document not in pinned and 0 <= place < len(order) and order[place] in pinned:
            place += by
        return place

    def toggle_pin(self, document: int) -> bool:
        """Pin a document where it stands, or let it move again."""
        rank = self.orders.order.index(document) + 1
        if document not in self.orders.pinned:
            return self.do(Pin(document, rank))
        return self.do(Unpin(document))

    def sort_by_grade(self) -> bool:
        """Sort the ranking by grade: nothing it holds can be ordered better."""
        import numpy as np  # noqa: PLC0415 - the view is loaded before it is needed

        session, query = self.session, self.query
        if session is None or query is None:
            return False
        documents, assumed = np.array(self.orders.order, dtype=np.int32), dict(self.orders.assumed)
        return self.do(order_by_grade(session, query, documents, assumed=assumed))

    def take_back(self) -> None:
        """Take back the query's last step."""
        if not self._whatif_id or not self.orders.steps:
            self.said.emit(_("Nothing was moved in this query."))
            return
        whatif_id = self._whatif_id
        self._attempt(lambda session, query: drop_last_step(session, whatif_id, query))

    def start_again(self) -> None:
        """Take back all that was done to the query."""
        whatif_id = self._whatif_id
        if whatif_id:
            self._attempt(lambda session, query: clear_query(session, whatif_id, query))

    def assume(self, document: int, grade: float | None) -> bool:
        """Assume a grade of a document that nobody judged, or nothing any more."""
        judged = self.mark(document).grade
        if judged is not None:
            self.said.emit(
                _(
                    "{title} is judged {grade}, and a judgment counts more than what is assumed. Judge "
                    "it in the list (V)."
                ).format(title=self.title(document), grade=format_grade(judged))
            )
            return False
        if grade is None and document not in self.orders.assumed:
            self.said.emit(_("Nothing is assumed of this document."))
            return False

        def act(session: Session, query: int) -> None:
            assume_grade(session, self._own_whatif(session), query, document, grade)

        return self._attempt(act)

    def _own_whatif(self, session: Session) -> str:
        """Return the what-if's id, making one of the run when there is none."""
        if not self._whatif_id:
            assert self.run_id is not None
            name = free_name(session, _("{source} what-if").format(source=self.source_name))
            self._whatif_id = create_whatif(session, name, self.run_id)
        return self._whatif_id

    def attempt(self, act: Callable[[Session], str | None]) -> bool:
        """Do something to the project's what-ifs, or say why not.

        Args:
            act: returns the id of the what-if to be worked on from now on, or ``None``.
        """

        def do(session: Session, _query: int) -> None:
            whatif_id = act(session)
            self._whatif_id = self._whatif_id if whatif_id is None else whatif_id

        return self._attempt(do)

    def _attempt(self, act: Callable[[Session, int], object]) -> bool:
        session, query = self.session, self.query
        if session is None or query is None or self.run_id is None:
            return False
        problem = ""
        self.is_doing = True
        try:
            act(session, query)
        except JudgetoolError as refusal:
            problem = str(refusal)
        finally:
            self.is_doing = False
        self.refresh()
        if problem:
            self.said.emit(problem)
        return not problem


def _source_run(session: Session, run_id: int | None) -> System | None:
    """Return a run as a system; ``None`` where there is no such run."""
    try:
        return None if run_id is None else run_system(session, run_id)
    except KeyError:
        return None


@dataclass(slots=True)
class Carry:
    """A document that is lifted and not dropped yet.

    Attributes:
        document: what is carried.
        origin: its place before, from 0.
        wanted: where it is held, from 0.
        place: where it would come to stand, which a pin can make another, from 0.
        order: the order with the document dropped there.
        grip: pointer's distance from the card's corner; ``None`` when keys carry it.
        pointer: where the pointer is, in the view; ``None`` when keys carry it.
    """

    document: int
    origin: int
    wanted: int
    place: int
    order: tuple[int, ...]
    grip: QPointF | None = None
    pointer: QPointF | None = None

    @property
    def is_moved(self) -> bool:
        """Whether dropping it here would change anything."""
        return self.place != self.origin


class CardFacts(NamedTuple):
    """What a card says besides the document's text.

    Attributes:
        rank: from 1; ``None`` for one that was taken out.
        was: rank in what it is compared with, the imported order or another run's;
            ``None`` for one that is not there.
        mark: what is judged of it.
        assumed: the assumed grade that counts; ``None`` for none.
        is_pinned: whether it has a pin.
    """

    rank: int | None
    was: int | None
    mark: DocumentMark
    assumed: float | None
    is_pinned: bool

    @property
    def movement(self) -> str:
        """The movement as shown: ``↑3``, ``↓1``, ``new``, ``gone``, ``""`` for none."""
        return move_sign(self.was, self.rank)


class OrdersModel(LineModel):
    """Rows of the view: the order as it is shown, then what was taken out.

    Attributes:
        order: documents as shown, the one in the hand where it would land.
        gone: documents that were taken out.
        carry: the card in the hand, or ``None``.
        names: of the left order, of the right one, and how much was done to it.
    """

    def __init__(self, ranking: WorkedRanking, parent: ListTable) -> None:
        super().__init__(parent)
        self._ranking = ranking
        self.order: Sequence[int] = ()
        self.gone: Sequence[int] = ()
        self.carry: Carry | None = None
        self.names = ("", "", "")
        self._ranks: Mapping[int, int] = {}
        self._compared: Mapping[int, int] | None = {}

    def renew(self) -> None:
        """Take anew what the ranking has, and what movements are measured against."""
        self.beginResetModel()
        trial = self._ranking.trial
        compared = trial.baseline_order if trial is not None else None
        self._compared = None if compared is None else ranks_of(compared.tolist())
        self.gone = self._ranking.orders.gone
        self._place(self._ranking.orders.order)
        self.endResetModel()

    def set_order(self, order: Sequence[int]) -> None:
        """Show the same documents in another order."""
        self._place(order)
        self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def _place(self, order: Sequence[int]) -> None:
        self.order, self._ranks = order, ranks_of(order)

    def document_at(self, row: int) -> int | None:
        """Return the document of a row, or ``None``."""
        n, gone = len(self.order), self.gone
        return (self.order[row] if row < n else gone[row - n]) if 0 <= row < n + len(gone) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document; -1 for none."""
        if document is None:
            return -1
        if document in self._ranks:
            return self._ranks[document] - 1
        return len(self.order) + self.gone.index(document) if document in self.gone else -1

    def facts(self, document: int) -> CardFacts:
        """Return what the card of a document says."""
        orders, compared = self._ranking.orders, self._compared
        return CardFacts(
            self._ranks.get(document),
            orders.was.get(document) if compared is None else compared.get(document),
            self._ranking.mark(document),
            self._ranking.assumed_grade(document),
            document in orders.pinned,
        )

    @override
    @cannot_raise
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return how many documents there are, those taken out included."""
        return 0 if parent.isValid() else len(self.order) + len(self.gone)

    @override
    def told(self, place: int, role: int) -> str | None:
        """Return a card as a reader says it."""
        document = self.document_at(place)
        if role not in SAID or document is None:
            return None
        facts = self.facts(document)
        grade = facts.mark.grade if facts.assumed is None else facts.assumed
        parts = (
            _("in the hand") if self.carry and self.carry.document == document else "",
            _("taken out") if facts.rank is None else _("rank {rank}").format(rank=facts.rank),
            _("was {rank}").format(rank=facts.was) if facts.was and facts.was != facts.rank else "",
            self._ranking.title(document),
            _("not judged")
            if grade is None
            else _("grade {grade}").format(grade=format_grade(grade)),
            _("assumed") if facts.assumed is not None else "",
            _("pinned") if facts.is_pinned else "",
        )
        return ", ".join(filter(None, parts))
