"""The what-if view: header, tools, orders and strip in the middle, values beside it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.core.rankings import Insert, Remove, Swap
from judgetool.core.terms import beginning
from judgetool.gui.actions import Mode
from judgetool.gui.keymap import native
from judgetool.gui.painting import (
    draw_frame,
    format_grade,
)
from judgetool.gui.panels.query_header import QueryHeader
from judgetool.gui.project_view import ProjectView
from judgetool.gui.theme import Role, scaled, text_width
from judgetool.gui.whatif.acts import WhatIfActs
from judgetool.gui.whatif.orders_view import OrdersView
from judgetool.gui.whatif.ranking import WorkedRanking
from judgetool.gui.whatif.side import ChangeRow, WhatIfSide, WhatIfTools
from judgetool.gui.widgets.labels import (
    Align,
    CapPart,
    ElidedLabel,
    Piece,
    PieceView,
    TextPart,
    pieces_width,
)
from judgetool.gui.widgets.painted import (
    PaintedWidget,
    announce,
    in_column,
    in_line,
    is_value_spoken,
)
from judgetool.gui.window import AppWindow
from judgetool.session.commands import Changed
from judgetool.session.whatifs.book import load_whatifs
from judgetool.wording import N_, _

PROMISE = N_("A what-if never changes the run or a judgment.")
CARRYING = N_("In the hand: arrows carry it, Space drops it, Esc puts it back.")
_HEIGHT = 40

Hint = tuple[tuple[str, ...], str]
_MENU_ACTIONS = ("new", "fuse_runs", "change_fusion", "rename", "copy", "note", "delete")
_STRIP = (
    (("whatif.up", "whatif.down"), N_("move")),
    (("whatif.to_rank",), N_("to rank…")),
    (("whatif.to_top",), N_("to top")),
    (("whatif.pin",), N_("pin")),
    (("whatif.remove",), N_("take out")),
)


class KeyStrip(PieceView):
    """Key caps with what they do; what does not fit is left out from the end."""

    ground, edge = "panel", "top"

    def __init__(self, parent: QWidget) -> None:
        super().__init__(self._pieces, partial(scaled, _HEIGHT), least=scaled(480), parent=parent)
        self._hints: tuple[Hint, ...] = ()
        self._remark = _(PROMISE)

    def set_hints(self, hints: tuple[Hint, ...]) -> None:
        """Show other keys."""
        self._hints = hints
        told = ", ".join(f"{' '.join(keys)}: {text}" for keys, text in hints)
        self.setAccessibleName(f"{told}. {self._remark}")
        self.update()

    def set_carrying(self, *, is_carrying: bool) -> None:
        """Say what to do with a card in the hand, or what a what-if never does."""
        remark = _(CARRYING) if is_carrying else _(PROMISE)
        if remark != self._remark:
            self._remark = remark
            self.update()

    def _pieces(self) -> list[Piece]:
        remark = text_width(Role.META, self._remark)
        has_remark = self.width() > remark + scaled(234)
        limit = self.width() - (remark + scaled(30) if has_remark else scaled(12))
        pieces, gap = [Piece(None, 0)], scaled(14)
        for keys, text in self._hints:
            hint = [
                CapPart(key).piece(scaled(5) if place else gap) for place, key in enumerate(keys)
            ]
            said = TextPart(text, Role.META, "text2", Align.LEFT)
            hint.append(Piece(said, text_width(Role.META, text) + 2, scaled(7)))
            if pieces_width(pieces + hint) > limit:
                break
            pieces, gap = pieces + hint, scaled(16)
        if has_remark:
            said = TextPart(self._remark, Role.META, "text2", Align.RIGHT)
            pieces += [Piece(None, gives=True), Piece(said, remark + 1), Piece(None, scaled(14))]
        return pieces


_MOST_TITLE = 60


class RankField(PaintedWidget):
    """Asks for a rank; Enter takes it, Esc or a click elsewhere leaves everything as it is.

    Signals:
        given: a rank from 1.
        left: the field was closed without a rank.
    """

    given = Signal(int)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._label = ElidedLabel("", role=Role.META, ink="text2")
        self.field = _Digits(self)
        self.field.setMaxLength(6)
        self.field.setFixedWidth(scaled(70))
        self.field.setAccessibleName(_("Rank"))
        margins = (scaled(10), scaled(6), scaled(8), scaled(6))
        in_line(self._label, self.field, host=self, spacing=6, margins=margins)
        self.field.returnPressed.connect(self._give)
        self.field.escaped.connect(self.close_field)
        self.hide()

    def ask(self, label: str, at: QPoint, *, most: int) -> None:
        """Open over a place of the parent.

        Args:
            label: what the rank is for.
            at: top left corner.
            most: the highest rank.
        """
        asked = _("{label} (1 to {most})").format(label=label, most=most)
        self._label.set_text(asked)
        self.field.setAccessibleName(asked)
        self.field.clear()
        self.adjustSize()
        room = self._over.rect()
        self.move(
            min(at.x(), room.right() - self.width()), min(at.y(), room.bottom() - self.height())
        )
        self.show()
        self.raise_()
        self.field.setFocus()

    def close_field(self) -> None:
        """Close without a rank."""
        if self.isVisible():
            self.hide()
            self.left.emit()

    def _give(self) -> None:
        text = self.field.text().strip()
        if text.isdecimal() and int(text) >= 1:
            self.hide()
            self.given.emit(int(text))

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the raised ground."""
        theme, rect = self.theme, QRectF(self.rect())
        draw_frame(painter, rect, radius=6, border=theme.line_strong, ground=theme.raised)


class _Digits(QLineEdit):
    escaped = Signal()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        super().keyPressEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.escaped.emit()


class WhatIfPage(QObject):
    """Joins the ranking with what shows it, and the window's keys with what they do.

    Args:
        window: the main window.

    Attributes:
        widget: the middle of the window.
        side: what stands beside it.
        ranking: what is worked on.
        orders: the two orders.
        acts: what asks before it acts.

    Signals:
        told: what a reader hears of the chosen value.
    """

    told = Signal(str)

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window.widget)
        self._window = window
        self._view: ProjectView | None = None
        self._seen_run: int | None = None
        self._is_shown = False
        self._is_swapping = self._is_carrying = False
        self._held: list[str] | None = None
        # By the query and the run that they are of: another's values are no change of these.
        self._said: dict[tuple[int | None, int | None], Mapping[str, ChangeRow]] = {}
        self.ranking = WorkedRanking(self)
        # Each part is made where it will stand: what moves to another parent is dressed anew.
        self.widget = QWidget(window.views.middle)
        self.header = QueryHeader(self.widget)
        self.tools = WhatIfTools(window.actions_by_name, self.widget)
        self.orders = OrdersView(self.ranking, self.widget)
        self.strip = KeyStrip(self.widget)
        self.side: QWidget | None = WhatIfSide(self.ranking, window.views.side)
        self.values: WhatIfSide = self.side
        self.rank_field = RankField(self.widget)
        self.acts = WhatIfActs(window, self.ranking, self.orders)
        in_column(self.header, self.tools, self.orders, 1, self.strip, host=self.widget)
        self._connect()

    def _connect(self) -> None:
        ranking, orders = self.ranking, self.orders
        ranking.changed.connect(self._show)
        ranking.said.connect(self._window.status.show_message)
        orders.tried.connect(self._on_tried)
        orders.dropped.connect(ranking.move)
        orders.brought_back.connect(self._bring_back)
        orders.assumed.connect(self._assume)
        self.tools.whatif_chosen.connect(self._choose_whatif)
        self.tools.run_chosen.connect(self._choose_run)
        binder = self._window.actions_by_name
        self.tools.whatifs.menu().aboutToShow.connect(self._fill_whatifs)
        self.tools.runs.menu().aboutToShow.connect(self._fill_runs)
        self.values.against.menu().aboutToShow.connect(
            lambda: self.acts.fill_against(self.values.against.menu())
        )
        self.values.measure_chosen.connect(self._on_measure)
        self.rank_field.given.connect(self._on_rank)
        self.rank_field.left.connect(self.orders.setFocus)
        binder.keys_changed.connect(self._show_keys)

    # Page

    def set_project(self, view: ProjectView | None) -> None:
        """Show another project, or none."""
        if self._view is not None:
            self._view.session.changed.disconnect(self._on_changed)
        self._view = view
        self._seen_run = None
        session = view.session if view is not None else None
        self.header.set_session(session)
        self.ranking.set_session(session)
        if view is not None:
            self._seen_run = view.judging.run_id
            self.ranking.start_with(view.judging.run_id)
            view.judging.query_shown.connect(self._follow)
            view.session.changed.connect(self._on_changed)
            view.reloaded.connect(self._on_reloaded)
            self._show_keys()

    def enter(self) -> None:
        """Show the project's current query, and take the keyboard."""
        if self._view is not None and self._view.blindness.is_on:
            # Another project may have been opened that requires it.
            self._window.views.show(Mode.LIST)
            return
        self._is_shown = True
        # What has changed since it was shown last was no move of now; of what is gone nothing is asked.
        self._said = {}
        self._follow()
        measure = self._window.live.measure
        if measure:
            self.values.choose_measure(measure)
        self.orders.setFocus()

    def leave(self) -> None:
        """Work out nothing until the view is shown again."""
        self.orders.put_back()
        self.rank_field.hide()
        self._is_shown = False

    # Following the project

    def _follow(self) -> None:
        """Show the query, and the run where another was chosen, that the project is at."""
        if self._view is None or not self._is_shown or self.ranking.is_doing:
            return
        judging = self._view.judging
        if judging.run_id != self._seen_run and judging.run_id is not None:
            self._seen_run = judging.run_id
            self.ranking.choose_run(judging.run_id)
        self.ranking.show_query(judging.query)

    def _on_changed(self, changed: Changed) -> None:
        if self._is_shown:
            self.ranking.take_change(changed)

    def _on_reloaded(self) -> None:
        """Other judgments count, or queries and runs came or went."""
        if self._is_shown:
            self.ranking.refresh()

    def _show(self) -> None:
        """Show the ranking anew."""
        if not self._is_shown:
            return
        ranking, view = self.ranking, self._view
        if ranking.query is not None and view is not None:
            order = self._window.queries.order()
            place = order.index(ranking.query) + 1 if ranking.query in order else 0
            self.header.show_query(ranking.query, place, len(order))
        head = ranking.head
        name = head.name if head is not None else ""
        if head is None and ranking.session is not None and load_whatifs(ranking.session):
            name = _("As imported")
        self.tools.show_names(name, ranking.source_name)
        for name in ("rules", "export", "fuse"):
            self.tools.buttons[name].setEnabled(ranking.run_id is not None)
        self.tools.buttons["undo_move"].setEnabled(bool(ranking.orders.steps))
        measures = ranking.session.measures if ranking.session is not None else ()
        cutoffs = sorted({measure.cutoff for measure in measures if measure.cutoff})
        self.orders.set_cutoffs(tuple(cutoffs))
        self.orders.show_orders()
        self._name_orders()
        self.values.show_orders()
        self.strip.set_carrying(is_carrying=False)
        if self._is_carrying:
            announce(self.orders, _("Put down."))
        self._is_carrying = False
        self._say_value()

    def _name_orders(self) -> None:
        ranking, n = self.ranking, len(self.ranking.orders.steps)
        left = (
            _("{run}, as imported").format(run=ranking.source_name) if ranking.source_name else ""
        )
        if ranking.head is not None and ranking.head.how == "fused":
            left = ranking.source_name
        right = ranking.name if ranking.head is not None else _("move a card to begin a what-if")
        in_hand = self.orders.carry is not None
        parts = [number_of(n, "{n} change", "{n} changes") if n else ""]
        n_rules = len(ranking.head.active_rules) if ranking.head else 0
        parts += [number_of(n_rules, "{n} rule", "{n} rules") if n_rules else ""]
        parts += [_("1 in hand") if in_hand else ""]
        # The other order is not the one that ‘was 5’ and ‘↑4’ are of.
        is_other = ranking.trial is not None and ranking.against != ranking.source_name
        moved = _("ranks against {name}").format(name=self.values.against_name)
        parts += [moved if is_other else ""]
        self.orders.set_names(left, right, ", ".join(part for part in parts if part))

    def _say_value(self) -> None:
        """Have a reader hear what the order makes of values, of those that are others."""
        place, rows = (self.ranking.query, self.ranking.run_id), self.values.rows_by_name
        before, self._said = self._said.get(place, {}), {place: rows}
        which, chosen = self._window.settings.spoken_values, self.values.measure
        against = self.values.against_name
        told = " ".join(
            row.said_after(before[name], against)
            for name, row in rows.items()
            if name in before
            and row.in_short != before[name].in_short
            and is_value_spoken(which, name, explained=chosen)
        )
        if told and self._held is None:
            announce(self.orders, told)
            self.told.emit(told)
        elif told and self._held is not None:
            self._held.append(told)

    @contextmanager
    def _said_after(self) -> Iterator[None]:
        """Have what is done said first, and what it makes of values in the same breath."""
        self._held = []
        try:
            yield
        finally:
            told, self._held = " ".join(self._held), None
        if told and self._view is not None:
            self._view.told.emit(told)
            self.told.emit(told)

    def _on_tried(self, _order: object) -> None:
        carry = self.orders.carry
        if carry is not None and not carry.is_moved and not self._is_carrying:
            announce(self.orders, f"{self._title(carry.document)}. {_(CARRYING)}")
        elif carry is None and self._is_carrying:
            announce(self.orders, _("Put back."))
        self._is_carrying = carry is not None
        self.values.show_carry(carry)
        self._say_value()
        self._name_orders()
        self.strip.set_carrying(is_carrying=self.orders.carry is not None)

    def _on_measure(self, name: str) -> None:
        if self._is_shown and name != self._window.live.measure:
            self._window.live.choose_measure(name)

    def _show_keys(self) -> None:
        binder = self._window.actions_by_name
        hints = []
        for names, text in _STRIP:
            caps = dict.fromkeys(cap for name in names for cap in _caps(binder.shown_key(name)))
            if caps:
                hints.append((tuple(caps), _(text)))
        hints.append(((native("Space"),), _("carry")))
        hints.append((("Esc",), _("put back")))
        self.strip.set_hints(tuple(hints))
        scale = self._view.session.scale if self._view is not None else None
        if scale is not None and not scale.is_continuous:
            keys = binder.keymap.level_keys(scale)
            grades = [level.grade for level in scale.levels]
            self.orders.grades = {
                native(key).upper(): grade for key, grade in zip(keys, grades, strict=True) if key
            }
        else:
            self.orders.grades = {}

    # Choosing

    def _fill_whatifs(self) -> None:
        binder = self._window.actions_by_name
        actions = [binder.action(f"whatif.{name}") for name in _MENU_ACTIONS]
        head, session = self.ranking.head, self.ranking.session
        made = [(each.id, each.name) for each in load_whatifs(session)] if session else []
        self.tools.fill_whatifs(made, head.id if head is not None else "", actions=actions)

    def _fill_runs(self) -> None:
        session = self.ranking.session
        runs = session.material.runs if session is not None else ()
        self.tools.fill_runs([(run.run_id, run.name) for run in runs], self.ranking.run_id)

    def _choose_whatif(self, whatif_id: str) -> None:
        self.ranking.choose_whatif(whatif_id)
        self.orders.setFocus()

    def _choose_run(self, run_id: int) -> None:
        self.ranking.choose_run(run_id)
        self.orders.setFocus()

    # What keys do to the current document

    def _current(self) -> tuple[int, int] | None:
        """Return the current document and its rank; ``None`` when it is not in the order."""
        self.orders.put_back()
        document = self.orders.current
        row = self.orders.cards.row_of(document)
        if document is None or not 0 <= row < len(self.ranking.orders.order):
            return None
        return document, row + 1

    def move_by(self, by: int) -> None:
        """Move the current document up or down; a card in the hand of the keys is carried."""
        carry = self.orders.carry
        if carry is not None:
            self.orders.carry_on(carry.place + by)
            return
        current = self._current()
        if current is not None and 1 <= current[1] + by <= len(self.ranking.orders.order):
            self.move_to(1 + self.ranking.past_pins(current[0], current[1] - 1 + by, by))

    def move_to(self, rank: int) -> None:
        """Move the current document to a rank."""
        current = self._current()
        if current is not None:
            self._moved(self.ranking.move(current[0], rank))

    def _moved(self, has_moved: bool) -> None:
        if has_moved:
            self.orders.scrollTo(self.orders.currentIndex())

    def ask_rank(self, *, swaps: bool) -> None:
        """Ask for a rank, over the current card."""
        current = self._current()
        if current is None:
            return
        self._is_swapping = swaps
        self.orders.scrollTo(self.orders.currentIndex())
        rect = self.orders.delegate.card_rect(current[1] - 1)
        at = self.orders.viewport().mapTo(self.widget, rect.topLeft() + QPoint(8, 8))
        label = _("Swap with rank") if swaps else _("To rank")
        self.rank_field.ask(label, at, most=len(self.ranking.orders.order))

    def _on_rank(self, rank: int) -> None:
        self.orders.setFocus()
        current = self._current()
        if current is None:
            return
        order = self.ranking.orders.order
        rank = min(rank, len(order))
        if not self._is_swapping:
            self.move_to(rank)
        elif order[rank - 1] != current[0]:
            self._moved(self.ranking.do(Swap(current[0], order[rank - 1])))

    def toggle_pin(self) -> None:
        """Pin the current document where it stands, or let it move again."""
        current = self._current()
        if current is not None:
            self.ranking.toggle_pin(current[0])

    def remove(self) -> None:
        """Take the current document out, and go to the next; one that was taken out comes back."""
        current = self._current()
        document = self.orders.current
        if current is not None:
            self._take_out(*current)
        elif document in self.ranking.orders.gone:
            self._bring_back(document)

    def _take_out(self, document: int, rank: int) -> None:
        # The rows of what is gone would take the cursor along, and the same key put it back.
        with self._said_after():
            if self.ranking.do(Remove(document)):
                self._say(_("Taken out: {title}.").format(title=self._title(document)))
                if order := self.ranking.orders.order:
                    self.orders.set_current(order[min(rank, len(order)) - 1])

    def _bring_back(self, document: int) -> None:
        rank = self.ranking.orders.was.get(document, len(self.ranking.orders.order) + 1)
        with self._said_after():
            if self.ranking.do(Insert(document, rank)):
                self._say(_("Brought back: {title}.").format(title=self._title(document)))

    def _say(self, sentence: str) -> None:
        self._window.status.show_message(sentence)

    def _title(self, document: int) -> str:
        return beginning(self.ranking.title(document), most=_MOST_TITLE)

    def assume(self, grade: float | None) -> None:
        """Assume a grade of the current document, or none."""
        if self.orders.current is not None:
            self._assume(self.orders.current, grade)

    def _assume(self, document: int, grade: float | None) -> None:
        with self._said_after():
            if self.ranking.assume(document, grade) and grade is not None:
                self._say(
                    _(
                        "Grade {grade} is assumed here, as nobody judged it. No judgment was made."
                    ).format(grade=format_grade(grade))
                )


_ARROWS = {"Up": "↑", "Down": "↓", "Left": "←", "Right": "→"}


def _caps(shown: str) -> list[str]:
    """Return a key as its caps, such as Alt and an arrow."""
    arrows = {native(name): sign for name, sign in _ARROWS.items()}
    parts = shown.split("+") if shown and shown != "+" else [shown]
    return [arrows.get(part, part) for part in parts if part]
