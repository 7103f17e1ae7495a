"""What to judge next: by what it could overturn, or how much surer it makes the mean."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QObject,
    QPointF,
    QRectF,
    QTimer,
    Signal,
)
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QWidget

from judgetool.core.number_text import MINUS, number_of
from judgetool.core.terms import one_line
from judgetool.errors import InputError
from judgetool.formats.output import Sheet
from judgetool.gui.compare.compared import ComparedPair
from judgetool.gui.compare.table_view import draw_diamond
from judgetool.gui.dialogs.act_dialog import combo, push_button
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import draw_track, format_count, format_value
from judgetool.gui.project_view import ProjectView
from judgetool.gui.table_copy import Table, offer_copy
from judgetool.gui.theme import Role, scaled, text_width
from judgetool.gui.widgets.flow import Scrolled
from judgetool.gui.widgets.labels import Align, Look, Places, Row, Text, TextPart
from judgetool.gui.widgets.painted import in_column, in_line, least_row
from judgetool.gui.widgets.rows import RowView
from judgetool.metrics import Measure
from judgetool.metrics.significance import reads_judgments
from judgetool.session.commands import Changed, WorkCancelledError
from judgetool.session.comparing.pair_bounds import Candidate, PairBounds, pair_bounds_work
from judgetool.session.comparing.system_values import find_apart
from judgetool.session.comparing.tables import stake_sheet, stake_work, where_words
from judgetool.session.comparing.these_queries import (
    of_these_queries,
    say_counts_judged,
    what_is_certain,
)
from judgetool.session.deciding import PairStanding, pair_standing_work
from judgetool.session.queue import BY_STAKE, list_documents
from judgetool.session.session import Session
from judgetool.session.systems import kept_queries
from judgetool.wording import N_, _

Pair = tuple[int, int]
_TRACK = 96
_MOST_TITLE = 120
MOST = 200
_AIMS = (
    (N_("Makes the difference surer"), "difference"),
    (N_("Could overturn the verdict"), "overturn"),
    (N_("Makes this mean surer"), "narrow"),
)
_JOB, _CERTAIN_JOB = "compare/next", "compare/certain"
_REST_MS = 300
# Of more queries looking would hold up the next grade: Compare says it.
_MOST_QUERIES = 1_000
_INSET = 16
LED_BY_STAKE = N_("Order: by stake")


class StakeQueue(QObject):
    """A short queue over the one of the project; it ends with its last pair, or when told.

    While it runs a grade, a skip and ``N`` lead to its next pair.

    Signals:
        moved: another pair is shown; carries its place, from 1, and how many there are.
        went_back: Undo led back to a pair; what was undone is said already.
        ended: carries how many of how many were judged.

    Attributes:
        is_running: whether grades lead through these pairs.
    """

    moved = Signal(int, int)
    went_back = Signal()
    ended = Signal(int, int)

    def __init__(
        self,
        view: ProjectView,
        pairs: Sequence[Pair],
        parent: QObject,
        *,
        more: "Callable[[], Pair | None] | None" = None,
        tell: Callable[[Pair], dict[str, Any]] = lambda _pair: BY_STAKE,
        order: str = LED_BY_STAKE,
    ) -> None:
        """Make a queue.

        Args:
            view: the open project.
            pairs: (query, document), in order.
            parent: of the object.
            more: gives the pair after the last one, when that is reached; ``None``: it ends there.
            tell: says how a pair came, for the log.
            order: what the status line says meanwhile.
        """
        super().__init__(parent)
        self._view, self._more, self._tell, self._order = view, more, tell, order
        self._led: dict[Pair, dict[str, Any]] = {}
        # What only a what-if put into a ranking stands in no list that could show it.
        self._pairs = [pair for pair in pairs if self.can_show(pair)]
        self._at = 0
        self._done: set[Pair] = set()
        self._query_ids = view.session.material.query_ids
        self.is_running = False

    def can_show(self, pair: Pair) -> bool:
        """Return whether some list has a document."""
        return self._run_with(*pair) is not None

    def start(self) -> None:
        """Show the first pair; without any it is over at once."""
        if not self._pairs and not self._add_more():
            self.ended.emit(0, 0)
            return
        self._lead()
        self._show()

    def _lead(self) -> None:
        self.is_running = True
        self._view.be_led(self._show_next, self._led, self._order)
        self._view.session.changed.connect(self._on_changed)

    def again(
        self,
        view: ProjectView,
        parent: QObject,
        *,
        more: "Callable[[], Pair | None] | None" = None,
        tell: Callable[[Pair], dict[str, Any]] = lambda _pair: BY_STAKE,
    ) -> "StakeQueue":
        """Return the same queue at the same place, of the project opened anew; see ``go_on``."""
        queue = StakeQueue(view, (), parent, more=more, tell=tell, order=self._order)
        queue._pairs, queue._at = self._pairs, self._at
        queue._led, queue._done = self._led, self._done
        return queue

    def go_on(self) -> None:
        """Lead on from the place where it is; what is shown stays, whether it is that or another."""
        self._lead()
        self.moved.emit(self._at + 1, len(self._pairs))

    def stop(self) -> None:
        """Let grades lead where they led before."""
        if self.is_running:
            self.is_running = False
            self._view.session.changed.disconnect(self._on_changed)
            self._view.be_led(None, {})
            self.ended.emit(len(self._done), len(self._pairs))

    def _find_anew(self) -> None:
        """Find the pairs once queries came or went and are numbered otherwise; what is gone drops out."""
        material, before = self._view.session.material, self._query_ids
        self._query_ids = material.query_ids
        found = ((pair, material.place_of.get(before[pair[0]])) for pair in self._pairs)
        moved = {pair: (query, pair[1]) for pair, query in found if query is not None}
        moved = {pair: now for pair, now in moved.items() if self.can_show(now)}
        n_before = sum(pair in moved for pair in self._pairs[: self._at])
        self._pairs = list(moved.values())
        self._at = min(n_before, len(moved) - 1)
        self._done = {moved[pair] for pair in self._done & moved.keys()}
        led = {moved[pair]: told for pair, told in self._led.items() if pair in moved}
        self._led.clear()
        self._led |= led
        if not moved:
            self.stop()

    def _on_changed(self, changed: Changed) -> None:
        if changed.is_material:
            self._find_anew()
        touched = set(changed.judgments) & set(self._pairs)
        if changed.origin == "undo" and touched:
            self._done -= touched
            self._at = min(map(self._pairs.index, touched))
            self._show_pair()
            self.went_back.emit()
        elif changed.kind == "judge":
            self._done |= touched
            if self._more is None and all(map(self._is_settled, self._pairs)):
                self.stop()

    def _show_next(self) -> bool:
        judging = self._view.judging
        # A grade that was given elsewhere leads back to what is still to be judged.
        first = self._at + ((judging.query, judging.document) == self._pairs[self._at])
        places = (*range(first, len(self._pairs)), *range(first))
        found = next((place for place in places if not self._is_settled(self._pairs[place])), None)
        if found is None and self._add_more():
            found = len(self._pairs) - 1
        if found is None:
            self.stop()
            return False
        self._at = found
        self._show()
        return True

    def _add_more(self) -> bool:
        pair = None if self._more is None else self._more()
        if pair is not None:
            self._pairs.append(pair)
        return pair is not None

    def _is_settled(self, pair: Pair) -> bool:
        session = self._view.session
        if pair[1] in session.board.settled(pair[0]):
            return True
        # Put off counts, too: one has seen it.
        opinions = session.opinions(pair[0]).get(pair[1], [])
        return any(each.assessor == session.assessor for each in opinions) and pair in self._done

    def _show(self) -> None:
        self._show_pair()
        self.moved.emit(self._at + 1, len(self._pairs))

    def _show_pair(self) -> None:
        query, document = self._pairs[self._at]
        run = self._run_with(query, document)
        judging = self._view.judging
        self._led[query, document] = self._tell((query, document))
        if run is not None and run != judging.run_id:
            judging.show_run(run)
        judging.show_place(query, document)

    def _run_with(self, query: int, document: int) -> int | None:
        """Return a run whose list has the document: the shown one if it does."""
        session, here = self._view.session, self._view.judging.run_id
        others = [run.run_id for run in session.material.runs if run.run_id != here]
        for run in ([] if here is None else [here]) + others:
            documents, __ = list_documents(session, run, query)
            if document in documents.tolist():
                return run
        return None


class Certainty(QObject):
    """Looks, whenever judging rests, whether the rest of what is at stake can still turn a pair.

    Signals:
        found: what is certain by now, in a sentence; empty while nothing is.
    """

    found = Signal(str)

    def __init__(self, jobs: Jobs, pair: "ComparedPair", where: str, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._pair, self._where = jobs, pair, where
        self._at_rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._at_rest.timeout.connect(self._look)
        pair.session.changed.connect(self._on_changed)

    def stop(self) -> None:
        """Look no more."""
        self._at_rest.stop()
        self._pair.session.changed.disconnect(self._on_changed)
        self.deleteLater()

    def _on_changed(self, changed: Changed) -> None:
        if changed.judgments:
            self._at_rest.start()

    def _look(self) -> None:
        try:
            work = pair_bounds_work(*self._pair, where=self._where)
        except InputError:
            # One of the two was taken out meanwhile.
            return
        self._jobs.submit(
            lambda handle: work(None, handle.is_cancelled),
            self._tell,
            lambda _problem: None,
            key=_CERTAIN_JOB,
            owner=self,
        )

    def _tell(self, bounds: PairBounds) -> None:
        self.found.emit(what_is_certain(bounds))


class NextRow(NamedTuple):
    """A document that would be worth judging.

    Attributes:
        found: its query and it, and what is at stake.
        query_text: id and text of the query.
        title: of the document, or its id.
        share: its stake as a share of the largest listed.
        place: of how many it is the how manieth, for people.
    """

    found: Candidate
    query_text: str
    title: str
    share: float
    place: str


def next_rows(session: Session, found: Sequence[Candidate]) -> list[NextRow]:
    """Return candidates with their texts."""
    queries = session.material.queries
    texts = session.material.show_documents([each.document for each in found])
    most, count = max((each.stake for each in found), default=1.0), format_count(len(found))
    return [
        NextRow(
            each,
            "  ".join(dict.fromkeys((queries[each.query].id, queries[each.query].text))),
            one_line(text.title or text.id, most=_MOST_TITLE),
            each.stake / most,
            _("{place} of {count}").format(place=place, count=count),
        )
        for place, (each, text) in enumerate(zip(found, texts, strict=True), 1)
    ]


row_height = partial(least_row, 28)


class _StakePart(NamedTuple):
    """A stake as a bar, after a diamond where it can overturn the verdict alone."""

    share: float
    can_overturn: bool

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw both."""
        left = rect.left() if look.is_mirrored else rect.right() - scaled(_TRACK)
        track = QRectF(left, rect.top(), scaled(_TRACK), rect.height())
        draw_track(painter, track, look.theme, share=self.share)
        if self.can_overturn:
            beside = track.right() + scaled(12) if look.is_mirrored else left - scaled(12)
            at = QPointF(beside, track.center().y())
            draw_diamond(painter, at, look.theme.text)


_SIGNS: dict[int | None, str] = {1: "+", -1: MINUS, 0: "±", None: ""}


def stake_text(found: Candidate) -> str:
    """Return a stake with the direction in which it can move the difference; ± for either way."""
    return f"{_SIGNS[found.sign]}{format_value(found.stake)}"


def _row_of(row: NextRow) -> Row:
    said = _("{place}: {title}, query {query}, stake {stake}")
    stake, can_overturn = stake_text(row.found), row.found.can_overturn
    if can_overturn:
        said = _("{place}: {title}, query {query}, stake {stake}, can overturn the verdict alone")
    parts = (
        TextPart(row.title),
        TextPart(row.query_text, Role.META, "text3"),
        _StakePart(row.share, can_overturn),
        TextPart(stake, Role.META, "text2", Align.RIGHT),
    )
    said = said.format(place=row.place, title=row.title, query=row.query_text, stake=stake)
    return Row(row.found[:2], parts, said)


def _places_at(width: int, _rows: Sequence[Row]) -> Places:
    left, right, height = scaled(_INSET), width - scaled(_INSET), row_height()
    number = text_width(Role.META, "±0.0000") + 2.0
    track = right - number - scaled(10)
    end = track - scaled(_TRACK) - scaled(24)
    middle = left + (end - left) * 0.52
    return (
        QRectF(left, 0, middle - left - scaled(10), height),
        QRectF(middle, 0, end - middle, height),
        QRectF(end, 0, track - end, height),
        QRectF(right - number, 0, number, height),
    )


class _Found(NamedTuple):
    standing: Callable[[], PairStanding] | None
    candidates: list[Candidate]
    is_apart: bool = False


class NextPane(QWidget):
    """A list by stake, over what it is about; Enter or the button starts judging just those.

    Signals:
        start_wanted: the pairs (query, document) to judge, most at stake first.
    """

    start_wanted = Signal(object)

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._asked: ComparedPair | None = None
        self._version: object = None
        self._where = ""
        self._wants_start = False
        self.verdict = Text("")
        self.aims = combo([(_(text), aim) for text, aim in _AIMS], name=_("What judging is to do"))
        self.start = push_button(_("Judge these"), self.judge)
        self.start.setProperty("main", "true")
        self.list = RowView(
            _("What to judge next, most at stake first"),
            _row_of,
            _places_at,
            height=row_height,
        )
        self.list.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self._arrange()
        self.aims.activated.connect(self._ask_again)
        self.list.row_opened.connect(lambda pair: self._judge_from(self.list.place_of(pair) or 0))

    def _arrange(self) -> None:
        side, line = scaled(_INSET), in_line(self.aims, None, self.start, spacing=10)
        # In large text it is longer than there is room for.
        margins = (side, scaled(10), side, scaled(8))
        head = in_column(
            Scrolled(self.verdict, _("What is at stake")), line, spacing=8, margins=margins
        )
        in_column(head, self.list, 1, host=self)

    def certainty(self, session: Session, parent: QObject) -> Certainty | None:
        """Return what tells of the pair whose stakes are listed once it is certain; ``None`` for one mean."""
        # What was listed may be of the project before it was opened anew.
        pair = None if self._asked is None else self._asked._replace(session=session)
        if pair is None or not self.aims.isEnabled() or self.aims.currentData() == "narrow":
            return None
        is_large = len(pair.session.material.queries) > _MOST_QUERIES
        return None if is_large else Certainty(self._jobs, pair, self._where, parent)

    @property
    def rows(self) -> tuple[NextRow, ...]:
        """What is listed."""
        return self.list.rows

    def show_pair(self, pair: ComparedPair, *, version: object, where: str = "") -> None:
        """Look for what could change what is known of a system, in the background.

        Args:
            pair: what is looked at.
            version: of the figures; what was found for the same is not looked for again.
            where: the queries that count, see ``queries_where``; ``""`` for all.
        """
        if (pair, version) == (self._asked, self._version):
            return
        self._asked, self._version, self._where = pair, version, where
        self._wants_start = False
        self._ask_again()

    def _ask_again(self) -> None:
        pair = self._asked
        if pair is None:
            return
        session, system, baseline, measure = pair
        is_pair = system != baseline
        self.aims.setEnabled(is_pair)
        self.list.set_rows([])
        self.start.setEnabled(False)
        past = [each.name for each in (system, baseline) if each.snapshot]
        if past or not measure.spec.has_query_values or measure.spec.counts_judgments:
            self._say_nothing(past, measure)
            return
        where = self._where
        kept = kept_queries(session, where)
        is_apart = reads_judgments(measure) and bool(find_apart(session, system, baseline, kept))
        look = pair_standing_work(*pair, where=where) if is_pair and not is_apart else None
        # One more than is shown, to know whether there are more.
        search = stake_work(*pair, self.aims.currentData(), most=MOST + 1, where=where)

        def work(handle: JobHandle) -> _Found:
            standing = look(None, handle.is_cancelled) if look is not None else None
            return _Found(standing, search(handle.report, handle.is_cancelled), is_apart)

        self.verdict.setText(_("Looking for what is at stake…"))
        self._jobs.submit(work, self._show, self._fail, self._tell, key=_JOB, owner=self)

    def _say_nothing(self, past: list[str], measure: Measure) -> None:
        if not past and measure.spec.counts_judgments:
            self.verdict.setText(say_counts_judged(measure))
            return
        self.verdict.setText(
            _("{name} is of a snapshot, whose judgments do not change any more.").format(
                name=past[0]
            )
            if past
            else _("{measure} has no values by query that a judgment could change.").format(
                measure=measure
            )
        )

    def _tell(self, done: int, total: int) -> None:
        self.verdict.setText(
            _("Looking for what is at stake: query {done} of {total}.").format(
                done=format_count(done), total=format_count(total)
            )
        )

    def _fail(self, problem: Exception) -> None:
        if not isinstance(problem, WorkCancelledError):
            self.verdict.setText(str(problem))

    def _show(self, found: _Found) -> None:
        if self._asked is None:
            return
        session = self._asked.session
        rows = next_rows(session, found.candidates[:MOST])
        self.list.set_rows(rows)
        known = found.standing() if found.standing is not None else None
        these = of_these_queries(known.bounds.names, *known) if known is not None else None
        said = these.text if these is not None else ""
        if found.is_apart:
            said = _("By judgments alone: what is assumed does not count here.")
        counted = self._counted(rows, has_more=len(found.candidates) > MOST)
        if known is not None and known.bounds.n_open > len(rows):
            # Lower down; without any it is several together, or what cannot be judged, as was said.
            more = _(
                "What else matters and can be judged is listed when none of these is at stake."
            )
            none = _("No single document that can still be judged would change it.")
            counted = f"{counted} {more}" if rows else none
        parts = (said, counted, self.leaning)
        self.verdict.setText(" ".join(filter(None, parts)))
        self.start.setEnabled(bool(rows) and not session.read_only_reason)
        if rows:
            self.list.choose_row(0)
        if self._wants_start:
            self._wants_start = False
            self._judge_from(0)

    @property
    def leaning(self) -> str:
        """What is to be known of judging in this order; empty where it is fair to both runs."""
        if self.aims.currentData() != "overturn" or not self.aims.isEnabled() or not self.rows:
            return ""
        return _("Judged on one side: until all are judged the difference shown leans.")

    @staticmethod
    def _counted(rows: list[NextRow], *, has_more: bool) -> str:
        if not rows:
            return _("No judgment would change it.")
        said = number_of(len(rows), "{n} document is at stake", "{n} documents are at stake")
        n_alone = sum(row.found.can_overturn for row in rows)
        alone = ""
        if n_alone:
            alone = number_of(n_alone, "{n} could turn it alone (◆)", "{n} could turn it alone (◆)")
        n_joining = sum(row.found.only_joins for row in rows)
        joining = ""
        if n_joining:
            joining = number_of(
                n_joining,
                "{n} only brings in its query, which does not count yet",
                "{n} only bring in their query, which does not count yet",
            )
        if has_more:
            said = _("More documents are at stake; listed are the {count} with most").format(
                count=format_count(len(rows))
            )
        return f"{'; '.join(filter(None, (said, alone, joining)))}."

    def _as_table(self) -> Table | Sheet:
        if self._asked is None:
            return []
        session, system, baseline, measure = self._asked
        found = [row.found for row in self.rows]
        systems = list(dict.fromkeys((baseline, system)))
        aim, more = self.aims.currentData(), where_words(self._where)
        return stake_sheet(session, systems, measure, found, aim, more)

    def offer_copy(self, save: Callable[[Sheet], None]) -> None:
        """Let the list be copied and saved."""
        offer_copy(self.list, self._as_table, save=save)

    def judge(self) -> None:
        """Start judging what is listed; while it is being looked for, as soon as it is found."""
        self._wants_start = not self.rows
        self._judge_from(0)

    def _judge_from(self, row: int) -> None:
        if self.rows and self.start.isEnabled():
            self.start_wanted.emit([each.found[:2] for each in self.rows[row:]])
