"""The settle view: a dispute, its document, what was said of it as A, B, …; a grade settles it."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from string import ascii_uppercase
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QAccessible, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core import override
from judgetool.core.judgments import CONFIDENCES, MAJORITY, Judgment, Query, State
from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale
from judgetool.core.terms import NO_MARKING, one_line
from judgetool.errors import JudgetoolError
from judgetool.gui.jobs import JobHandle
from judgetool.gui.models.result_model import describe_counted
from judgetool.gui.painting import (
    chip_height,
    chip_width,
    direction_mark,
    enclosed,
    format_count,
    format_grade,
    format_value,
    judgment_style,
)
from judgetool.gui.panels.cards import split_line
from judgetool.gui.panels.document_page import Shown
from judgetool.gui.panels.document_pane import DocumentPane
from judgetool.gui.pictures import find_picture_file
from judgetool.gui.project_view import ProjectView, note_text
from judgetool.gui.table_copy import Table, offer_copy
from judgetool.gui.theme import Role, current_theme, fits, line_height, metrics, scaled
from judgetool.gui.widgets.banner import EmptyState
from judgetool.gui.widgets.grade_bar import BarAction, CountedGrade, GradeBar
from judgetool.gui.widgets.labels import ChipPart, Look, Places, Row, Text, TextPart, widest_text
from judgetool.gui.widgets.painted import PageStack, in_column, is_low_for_text
from judgetool.gui.widgets.rows import RowView
from judgetool.gui.window import AppWindow
from judgetool.session.commands import Changed
from judgetool.session.session import Session
from judgetool.session.team.disputes import (
    Dispute,
    disputes_work,
    list_asked,
    stake_measure,
    weigh_again,
)
from judgetool.wording import N_, NN_, _, own_words

# What assessors said

_INSET, _GAP = 20, 12
_MOST_NOTE, _MOST_LINES = 900, 6


class OpinionRow(NamedTuple):
    """What one assessor said of the document, under a letter.

    Attributes:
        letter: ``A`` for the first; which is whose is drawn anew for each document.
        name: the assessor's; ``""`` while names are hidden.
        judgment: what was said.
        scale: whose levels are named.
    """

    letter: str
    name: str
    judgment: Judgment
    scale: Scale


def opinion_rows(session: Session, dispute: Dispute, *, has_names: bool) -> list[OpinionRow]:
    """Return what those who count said, in an order that tells nobody whose opinion is whose."""
    said = session.opinions(dispute.query).get(dispute.document, [])
    # Who counts is asked by name: second judgments, which do not count, go by the person's.
    settled = {session.assessor_name(number) for number in session.standing.final}
    heard = [
        each
        for each in said
        if session.does_count(each.assessor)
        and each.assessor not in settled
        and each.judgment.state in (State.JUDGED, State.CANNOT_JUDGE)
    ]
    pair = f"{dispute.query}/{dispute.document}/"
    heard.sort(key=lambda each: blake2b((pair + each.assessor).encode()).digest())
    return [
        OpinionRow(_letter(place), each.assessor if has_names else "", each.judgment, session.scale)
        for place, each in enumerate(heard)
    ]


def _letter(place: int) -> str:
    before, at = divmod(place, len(ascii_uppercase))
    return f"{ascii_uppercase[before - 1] if before else ''}{ascii_uppercase[at]}"


class _NotePart(NamedTuple):
    """What else was said, on as many lines as it takes; the last one is elided."""

    text: str

    def lines(self, room: float) -> list[str]:
        """Return the lines that it takes in a room, in px."""
        rest, lines = self.text, list[str]()
        while len(lines) + 1 < _MOST_LINES and not fits(Role.UI, rest, room):
            line, rest = split_line(rest, role=Role.UI, room=room)
            lines.append(line)
        return [f"{direction_mark(self.text)}{line}" for line in (*lines, rest)]

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Write the lines; the first stands where all else of the row does."""
        height = line_height(Role.UI)
        top = rect.top() + (rect.height() - height) / 2
        for at, line in enumerate(self.lines(rect.width())):
            place = QRectF(rect.left(), top + at * height, rect.width(), height)
            TextPart(line, ink="text2").paint(painter, place, look)


class OpinionList(RowView[OpinionRow]):
    """A row for each opinion, as high as its note."""

    def __init__(self) -> None:
        super().__init__(
            _("What assessors said"),
            opinion_row,
            opinion_places,
            height=opinion_height,
        )

    def heights(self) -> list[int]:
        """Return how high each row is to be, in px."""
        room = place.width() if self.rows and (place := self.places()[-1]) is not None else 0.0
        notes = [part for row in self.shown for part in row.parts if isinstance(part, _NotePart)]
        more = (len(note.lines(room)) - 1 if room else 0 for note in notes)
        return [opinion_height() + each * line_height(Role.UI) for each in more]

    def _fit_rows(self) -> None:
        for row, height in enumerate(self.heights()):
            self.verticalHeader().resizeSection(row, height)

    @override
    def set_rows(self, values: Sequence[OpinionRow]) -> None:
        """Show other opinions."""
        super().set_rows(values)
        self._fit_rows()

    @override
    def whole_height(self, *, most: int | None = None) -> int:
        """Return the height that shows the rows, at most so many of these."""
        return sum(self.heights()[:most])

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break notes for the new width."""
        super().resizeEvent(event)
        self._fit_rows()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Break notes for another font; chips have the inks of the theme in them."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()
        if event.type() is QEvent.Type.FontChange:
            self._fit_rows()


def opinion_height() -> int:
    """Return the height of a row of one line: 30 px at a 13 px font."""
    return max(scaled(30), chip_height() + scaled(8), round(metrics(Role.UI).height() * 1.3))


def opinion_row(opinion: OpinionRow) -> Row:
    """Return an opinion as it stands in the list and as it is heard."""
    judgment = opinion.judgment
    style = judgment_style(opinion.scale, judgment.state, judgment.grade, current_theme())
    sure = CONFIDENCES.get(judgment.confidence or 0, "")
    marked = (
        number_of(len(judgment.spans), "{n} passage marked", "{n} passages marked")
        if judgment.spans
        else ""
    )
    noted = note_text(judgment)
    note = own_words(one_line(noted, most=_MOST_NOTE)) if noted else ""
    # A level may have no name but its grade.
    name = style.name if style.name != style.text else ""
    parts = (
        # No key: those stand on caps, and A and B do other things here.
        TextPart(opinion.letter, Role.UI_STRONG, "text2"),
        ChipPart(style),
        TextPart(name, Role.UI_STRONG),
        TextPart(opinion.name),
        _NotePart("   ".join(filter(None, (sure, marked, note)))),
    )
    grade = f"{style.text} {name}".strip() if judgment.grade is not None else name
    who = f"{opinion.letter}, {opinion.name}" if opinion.name else opinion.letter
    said = ", ".join(filter(None, (f"{who}: {grade}", sure, marked, noted)))
    return Row(opinion.letter, parts, said, tip=noted)


def opinion_places(width: int, rows: Sequence[Row]) -> Places:
    """Return where the parts of all rows stand: letter, chip, level, name, what else was said."""
    height, left = opinion_height(), scaled(_INSET)
    parts = [part for row in rows for part in row.parts]
    chip = chip_width([part.style for part in parts if isinstance(part, ChipPart)])
    room, gap = width - 2 * scaled(_INSET), scaled(_GAP)
    letter, level, name = (widest_text(rows, place) for place in (0, 2, 3))
    places = []
    for part in (letter, chip, min(level, room // 4), min(name, room // 4)):
        places.append(QRectF(left, 0, part, height))
        left += part + (gap if part else 0)
    return (*places, QRectF(left, 0, max(0, width - scaled(_INSET) - left), height))


# The page

_JOB = "settle/disputes"
_MOST_ROWS = 6
_MOST_TITLE, _MOST_TURNS, _MOST_NEED = 60, 2, 1000
_BLIND = N_("Blind mode hides what others said. Judge in the list or focus.")
_LOOKING = N_("Looking for what assessors graded differently…")
_NONE = N_(
    "Nothing is disputed: nowhere did two assessors who count give different grades that nobody "
    "has settled."
)
BAR_ACTIONS = (
    BarAction("cannot", "X", N_("Cannot judge")),
    BarAction("reason", "E", N_("Reason")),
    BarAction("later", "S", N_("Later")),
    BarAction("names", "A", N_("Who")),
)
Pair = tuple[int, int]
"""A query, by its number in the file, which outlives an import, and a document."""


class SettlePage:
    """The view that ``Views`` shows for :attr:`Mode.SETTLE`.

    Args:
        window: the window.
        take_grade: settles what is shown.

    Attributes:
        widget: stands in the middle.
        side: nothing.
        document: the disputed document.
        opinions: what was said of it.
        bar: settles it.
        empty: stands for all of it where nothing can be settled.
        disputes: what is open, in the order in which it comes.
        is_searching: whether disputes are still being looked for.
    """

    side: QWidget | None = None

    def __init__(self, window: AppWindow, take_grade: Callable[[float], None]) -> None:
        self._window = window
        self._take_grade = take_grade
        self.is_searching = False
        self._view: ProjectView | None = None
        self._is_shown = self._is_stale = False
        self.disputes: list[Dispute] = []
        self._later: list[Pair] = []
        # Walked past, and not settled: they do not come by themselves before all others did.
        self._passed: set[Pair] = set()
        # Put off because somebody is asked, under the step's title; and what of that is undone.
        self._asked: list[tuple[str, Pair]] = []
        self._unasked: list[tuple[str, Pair]] = []
        self._here: Pair | None = None
        self._told: Pair | None = None
        # Who is asked to judge what is shown.
        self._to_judge: list[str] = []
        self._query_ids: tuple[int, ...] = ()
        # Of which dispute it is said whose opinion each is.
        self._named: Pair | None = None
        self._has_whole_need = False
        self._hint = self._measure = ""
        # Written before it is settled.
        self._reasons: dict[Pair | None, str] = {}
        # With which it was settled: with Undo they come back.
        self._given_reasons: dict[Pair | None, str] = {}
        # Each part is made where it will stand: what moves to another parent is dressed anew.
        self._stack = _Stack(window.views.middle)
        full = QWidget(self._stack)
        self.widget: QWidget = self._stack
        self.place = Text(role=Role.META, ink="text2")
        self.question = Text(role=Role.QUERY, is_quoted=True)
        self.need = Text(role=Role.NEED, ink="text2", is_quoted=True)
        self.document = DocumentPane()
        self.opinions = OpinionList()
        self.reason = Text(role=Role.UI, ink="text2")
        self.bar = GradeBar(actions=BAR_ACTIONS)
        self.empty = EmptyState(self._stack)
        self._arrange(full)
        self._connect()
        self._stack.resized.connect(self._fit)

    def _arrange(self, full: QWidget) -> None:
        side = scaled(20)
        margins = (side, scaled(10), side, scaled(10))
        head = self._head = in_column(
            self.place, self.question, self.need, spacing=4, margins=margins
        )
        self.reason.setContentsMargins(side, scaled(4), side, scaled(8))
        self.opinions.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        in_column(head, self.document, 1, self.opinions, self.reason, self.bar, host=full)
        self._stack.addWidget(full)
        self._stack.addWidget(self.empty)

    def _connect(self) -> None:
        binder = self._window.actions_by_name
        self.bar.level_chosen.connect(lambda grade, _origin: self._take_grade(grade))
        self.bar.number_given.connect(lambda grade, _stays: self._take_grade(grade))
        self.bar.entry.off_scale.connect(self._window.status.show_message)
        self.bar.entry.left.connect(self.opinions.setFocus)
        self.bar.laid_out.connect(self._show_place)
        self.bar.action_chosen.connect(lambda name: binder.action(f"settle.{name}").trigger())
        self.empty.acted.connect(binder.action("project.import_files").trigger)
        binder.keys_changed.connect(self._show_keys)
        self._window.live.measure_chosen.connect(self._renew)
        offer_copy(self.opinions, self._as_table)
        self._show_keys()

    def _show_keys(self) -> None:
        binder = self._window.actions_by_name
        keys = {each.name: binder.shown_key(f"settle.{each.name}") for each in BAR_ACTIONS}
        self.bar.set_keymap(binder.keymap, keys)
        self.document.set_keys(binder.shown_key)
        self._show_hint()

    # The page

    def set_project(self, view: ProjectView | None) -> None:
        """Show another project, or none."""
        self._view, self._here, self.disputes, self._later = view, None, [], []
        self._reasons, self._asked, self._unasked, self._passed = {}, [], [], set()
        self._given_reasons = {}
        self._is_stale = True
        self.document.set_session(view.session if view is not None else None)
        if view is not None:
            view.session.changed.connect(self._on_changed)
            view.recounted.connect(self._renew)

    def keep_list(self) -> Callable[[], None]:
        """Return what goes on where one is among the disputes, once the project is opened anew."""
        names = ("_here", "disputes", "_query_ids", "_later", "_passed", "_reasons", "_asked")
        kept = {name: getattr(self, name) for name in (*names, "_unasked", "_given_reasons")}

        def go_on() -> None:
            # What is looked for meanwhile takes the place of what was found.
            for name, value in kept.items():
                setattr(self, name, value)

        return go_on

    def enter(self) -> None:
        """Show what holds now, and take the keyboard."""
        view = self._view
        if view is None:
            return
        self._is_shown = True
        if view.blindness.is_on:
            self._say_empty(_(_BLIND))
            self._take_keyboard()
            return
        self._take_settings()
        if self._is_stale:
            self._search()
        self._show()
        self._take_keyboard()

    def leave(self) -> None:
        """Work out nothing until the next ``enter``."""
        self._is_shown, self._told = False, None

    def _take_settings(self) -> None:
        """Set the page as it is set where one judges; long texts whole, so that all marks show."""
        settings = self._window.settings
        self.document.set_highlighted(settings.highlights_terms)
        self.document.set_joined(is_joined=settings.joins_lines)
        self.document.set_whole(is_whole=True)
        self.document.set_page(colour=settings.page_colour, width=settings.line_width)
        self.document.zoom(0)
        self.document.zoom(settings.document_px)
        if self._session is not None:
            self.bar.set_scale(self._session.scale)
            self.bar.set_judging(is_judging=not self._session.read_only_reason)

    def _take_keyboard(self) -> None:
        if self._stack.currentIndex():
            self.empty.take_keyboard()
            return
        self.opinions.setFocus()
        if self.opinions.rows and not self.opinions.currentIndex().isValid():
            self.opinions.choose_row(0)
        # What is announced of a dispute has all its rows.
        self.opinions.speech.speak(is_said=True)

    @property
    def _session(self) -> Session | None:
        return self._view.session if self._view is not None else None

    def _on_changed(self, changed: Changed) -> None:
        if changed.is_material:
            # Queries have other numbers now.
            self.disputes = []
            if changed.kind == "ask":
                self._follow_ask(changed)
        elif changed.origin != "do" and changed.kind == "judge" and self._is_shown and self._view:
            # What was taken back, or done again, is looked at.
            for query, document in changed.judgments[:1]:
                self._here = self._view.session.material.query_ids[query], document
            ways = self._given_reasons, self._reasons
            came, goes = ways if changed.origin == "undo" else reversed(ways)
            if self._here in came:
                goes[self._here] = came.pop(self._here)
        self._renew()

    def _follow_ask(self, changed: Changed) -> None:
        """Bring back what was put off to ask somebody who no longer is; put it off again on Redo."""
        undone = changed.origin == "undo"
        came, goes = (self._asked, self._unasked) if undone else (self._unasked, self._asked)
        if changed.origin == "do" or not came or came[-1][0] != changed.title:
            return
        title, pair = came.pop()
        goes.append((title, pair))
        self._later = [each for each in self._later if each != pair] + [pair] * (not undone)
        self._here = pair if undone else None

    def _renew(self, *_whatever: object) -> None:
        self._is_stale = True
        if self._is_shown and self._view is not None and not self._view.blindness.is_on:
            self._search()

    # Looking for disputes

    def _search(self) -> None:
        session = self._session
        if session is None:
            return
        self._is_stale, self.is_searching = False, True
        self._query_ids = session.material.query_ids
        self._measure = self._window.live.measure
        find = disputes_work(session, self._measure)

        def work(handle: JobHandle) -> list[Dispute]:
            with session.second_reader() as reader:
                return find(reader, handle.is_cancelled)

        self._window.jobs.submit(work, self._take_found, self._fail, key=_JOB, owner=self.widget)

    def _take_found(self, found: list[Dispute]) -> None:
        self.is_searching = False
        self._order(found)
        focused: QWidget | None = self._window.widget.focusWidget()
        had_keyboard = focused is None or self._stack.isAncestorOf(focused)
        self._show()
        if self._is_shown and had_keyboard:
            self._take_keyboard()

    def _order(self, found: list[Dispute]) -> None:
        place = {pair: number for number, pair in enumerate(self._later)}
        self.disputes = sorted(found, key=lambda each: place.get(self._pair(each), -1))

    def _fail(self, problem: Exception) -> None:
        self.is_searching = False
        if isinstance(problem, JudgetoolError):
            self._say_empty(str(problem))

    @property
    def dispute(self) -> Dispute | None:
        """What is shown; ``None`` for nothing."""
        if self._session is None or self._query_ids != self._session.material.query_ids:
            # Queries have other numbers, of which this page is yet to hear.
            return None
        found = (each for each in self.disputes if self._pair(each) == self._here)
        return next(found, None)

    @property
    def view_grade(self) -> float | None:
        """What the view has of what is shown; ``None`` for nothing, or for no grade of the scale."""
        grade = None if self.dispute is None else self.dispute.grade
        scale = None if self._session is None else self._session.scale
        return grade if scale and grade is not None and scale.has_grade(grade) else None

    def _pair(self, dispute: Dispute) -> Pair:
        return self._query_ids[dispute.query], dispute.document

    @property
    def reason_kept(self) -> str:
        """The reason that was written of what is shown; ``""`` for none."""
        return self._reasons.get(self._here, "")

    # Showing

    def _say_empty(self, sentence: str, action: str = "") -> None:
        self.empty.set_state(sentence, action)
        if self._stack.isAncestorOf(self._window.widget.focusWidget()):
            # Qt leads the keyboard from the page that goes to what is to have it on this one.
            self.empty.take_keyboard()
        self._stack.setCurrentWidget(self.empty)

    def _show(self) -> None:
        session = self._session
        if session is None or not self._is_shown:
            return
        if self.dispute is None:
            self._here = self._pair(self.disputes[0]) if self.disputes else None
        if self._here != self._named:
            self._named = None
        dispute = self.dispute
        if dispute is None:
            self._show_none(session)
            return
        self._stack.setCurrentIndex(0)
        query = session.material.queries[dispute.query]
        self.question.setText(query.text or query.id)
        self._show_need(query)
        self._to_judge = list_asked(session, dispute)
        self._show_opinions(session, dispute)
        self._show_document(session, dispute)
        reason = self.reason_kept
        lines = "\n".join(map(enclosed, reason.splitlines()))
        self.reason.setText(_("Reason: {reason}").format(reason=lines) if reason else "")
        self.reason.setVisible(bool(reason))
        counted = CountedGrade(
            dispute.grade, describe_counted(session, dispute.grade), _("It is disputed")
        )
        self.bar.set_given(None, actions={"reason"} if reason else set(), counted=counted)
        self._show_hint()
        self._tell()

    def _show_need(self, query: Query) -> None:
        need = [query.description, query.narrative if self._has_whole_need else ""]
        self.need.setText(one_line(" ".join(filter(None, need)), most=_MOST_NEED))
        # In a low window large text leaves the description’s room to the document until it is asked for.
        self.need.setVisible(
            any(need) and (self._has_whole_need or not is_low_for_text(self._stack))
        )

    def toggle_need(self) -> None:
        """Show the narrative below the description, or no longer."""
        self._has_whole_need = not self._has_whole_need
        self._show()

    def _tell(self) -> None:
        """Have a reader hear another dispute, after what has led to it."""
        if self._told != self._here and self._view is not None and QAccessible.isActive():
            self._view.told.emit(self.describe())
        self._told = self._here

    def _show_none(self, session: Session) -> None:
        if self.is_searching:
            self._clear()
        elif len(session.assessors) < 2:
            self._say_empty(
                _("One assessor alone disputes nothing. Import what another one judged."),
                _("Import…"),
            )
        else:
            self._say_empty(_(_NONE))

    def _clear(self) -> None:
        """Show nothing yet, in the place where it will be."""
        self._stack.setCurrentIndex(0)
        self.place.setText(_(_LOOKING))
        for text in (self.question, self.need, self.reason):
            text.setText("")
        self.need.hide()
        self.reason.hide()
        self.opinions.set_rows([])
        self.document.show_document(None, place=0, total=0)
        self.bar.set_given(None)

    def _describe(self, session: Session, dispute: Dispute) -> str:
        number = self.disputes.index(dispute) + 1
        parts = [
            _("{number} of {n_found}").format(
                number=format_count(number), n_found=format_count(len(self.disputes))
            )
        ]
        measure = stake_measure(session, self._measure)
        if session.material.runs and measure is not None:
            stake = _("stake {stake} {measure}").format(
                stake=format_value(dispute.stake), measure=measure
            )
            turns = [f"{each.leader} > {each.other}" for each in dispute.turns[:_MOST_TURNS]]
            more = len(dispute.turns) - len(turns)
            turns += [number_of(more, "{n} more pair", "{n} more pairs")] if more else []
            parts.append(
                _("{stake}, turns {turns}").format(stake=stake, turns=", ".join(turns))
                if turns
                else stake
            )
        if dispute.is_tied:
            parts.append(
                _("as many gave another at the same time: the view has the highest of these")
                if session.board.view == MAJORITY
                else _("graded at the same time: the view has the highest")
            )
        names = {session.assessor_name(each) for each in session.standing.final}
        said = session.opinions(dispute.query).get(dispute.document, [])
        before = [each.judgment for each in said if each.assessor in names]
        if before:
            was = before[-1]
            grade = _("cannot judge") if was.grade is None else format_grade(was.grade)
            settled = _("settled as {grade} before").format(grade=grade)
            if was.note:
                settled += f" ({own_words(one_line(note_text(was), most=_MOST_NOTE))})"
            parts.append(
                _("{settled}; somebody has given another grade since").format(settled=settled)
            )
        if self._to_judge:
            asked, forms = ", ".join(self._to_judge), NN_("{names} is asked", "{names} are asked")
            parts.append(number_of(len(self._to_judge), *forms, names=asked))
        return " · ".join(parts)

    def _show_opinions(self, session: Session, dispute: Dispute) -> None:
        has_names = self._here == self._named
        self._window.actions_by_name.action("settle.names").setChecked(has_names)
        self.opinions.set_rows(opinion_rows(session, dispute, has_names=has_names))
        self._fit()

    def _fit(self) -> None:
        """Give the opinions a third of the page at the most, and two lines at the least.

        In large text the document has a third of a low page before they have more.
        """
        is_low, side = is_low_for_text(self._stack), scaled(20)
        self.document.set_tools(are_shown=not is_low)
        self._head.setSpacing(0 if is_low else 4)
        above = scaled(3 if is_low else 10)
        self._head.setContentsMargins(side, above, side, above)
        if self.need.text():
            self.need.setVisible(self._has_whole_need or not is_low)
        height, page = opinion_height(), self._stack.height()
        above = self._head.heightForWidth(self._stack.width())
        free = page - page // 3 - above - self.bar.sizeHint().height()
        most = max(2 * height, min(_MOST_ROWS * height, page // 3, free))
        self.opinions.setMinimumHeight(min(self.opinions.whole_height(most=2), most))
        self.opinions.setMaximumHeight(most)

    def _show_document(self, session: Session, dispute: Dispute) -> None:
        number = dispute.document
        found = session.material.show_document(number)
        rows = self.opinions.rows
        spans = [(span, row.letter) for row in rows for span in row.judgment.spans]
        image, is_broken = find_picture_file(session, number) if found.image else (None, False)
        shown = Shown(
            spans=tuple(span for span, __ in spans),
            image=image,
            is_broken=is_broken,
            letters=tuple(letter for __, letter in spans),
        )
        self.document.show_document(
            found,
            place=self.disputes.index(dispute) + 1,
            total=len(self.disputes),
            marking=self._view.reading.marking_of(dispute.query) if self._view else NO_MARKING,
            shown=shown,
        )

    def _show_hint(self) -> None:
        key = self._window.actions_by_name.shown_key("settle.take_view")
        self._hint = ""
        if self.view_grade is None or not key:
            self.bar.set_hint(_("a grade settles,"), _("next"))
        else:
            grade = format_grade(self.view_grade)
            self._hint = _("{key}: the view’s {grade}").format(key=key, grade=grade)
            self.bar.set_hint(self._hint, _("settles, next"))
        self._show_place()

    def _show_place(self) -> None:
        dispute = self.dispute
        if dispute is not None and self._session is not None:
            # Large text leaves the bar no room for it.
            beside = f" · {self._hint}" if self._hint and not self.bar.shows_hint else ""
            self.place.setText(f"{self._describe(self._session, dispute)}{beside}")

    # What the person does

    def drop(self, dispute: Dispute) -> None:
        """Go on to what matters most now that this dispute is settled."""
        if dispute in self.disputes and self._session is not None:
            self.disputes.remove(dispute)
            pair = self._pair(dispute)
            self._given_reasons[pair] = self._reasons.pop(pair, "")
            query = dispute.query
            self._order(weigh_again(self._session, self.disputes, query, self._measure))
            self._go_on()

    def put_off(self, asked: str = "") -> None:
        """Have what is shown come after all others, and go on.

        Args:
            asked: title of the step that asks somebody about it; with its undo it comes back.
        """
        here, pair = self.dispute, self._here
        if pair is None:
            return
        if asked:
            self._asked.append((asked, pair))
            self._unasked.clear()
        self._later = [*(each for each in self._later if each != pair), pair]
        if here is None:
            # Disputes are being looked for: the first one found is shown.
            self._here = None
            return
        self._order(self.disputes)
        self._go_on()

    def step(self, step: int) -> None:
        """Show the next dispute (+1) or the previous one (-1); nothing is settled."""
        here = self.dispute
        if here is not None:
            place = self.disputes.index(here) + step
            if 0 <= place < len(self.disputes):
                self._passed |= {self._pair(here)} if step > 0 else set()
                self._go_to(place)

    def _go_on(self) -> None:
        """Show the first dispute that was not walked past; once all were, the first of all."""
        pairs = [self._pair(each) for each in self.disputes]
        place = next((at for at, pair in enumerate(pairs) if pair not in self._passed), None)
        if place is None:
            self._passed.clear()
        self._go_to(place or 0)

    def _go_to(self, place: int) -> None:
        self._here = self._pair(self.disputes[place]) if self.disputes else None
        self._show()
        self._take_keyboard()

    def show_names(self, are_shown: bool) -> None:
        """Say whose opinion each is of what is shown, or hide it again."""
        self._named = self._here if are_shown else None
        self._show()
        if are_shown and self._view is not None:
            said = ". ".join(str(row.said) for row in self.opinions.shown)
            self._view.told.emit(said)

    def set_reason(self, reason: str) -> None:
        """Keep a reason until what is shown is settled; ``""`` drops it."""
        if self._here is not None:
            self._reasons[self._here] = reason
            self._show()

    def describe(self) -> str:
        """Return what is shown as it is heard; ``""`` for nothing."""
        session, dispute = self._session, self.dispute
        if session is None or dispute is None:
            return self.empty.sentence if self._stack.currentIndex() else ""
        query = session.material.queries[dispute.query]
        rows = (opinion_row(each).said for each in self.opinions.rows)
        document = session.material.show_document(dispute.document)
        hint = "" if self._hint in self.place.text() else self._hint
        what = query.text or query.id, document.title or document.id
        parts = (self.place.text(), *what, *map(str, rows), hint)
        return ". ".join(part for part in parts if part)

    def _as_table(self) -> Table:
        rows = []
        for each in self.opinions.rows:
            said = each.judgment
            grade = "" if said.grade is None else format_grade(said.grade)
            rows.append((each.letter, each.name, grade, said.note))
        return [("letter", "assessor", "grade", "note"), *rows]


class _Stack(PageStack):
    """The view, or the sentence that stands for it; another size of the text changes its room, too."""

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Tell that the text has another size."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.resized.emit()
