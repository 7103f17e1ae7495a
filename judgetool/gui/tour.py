"""The tour: eight steps on the sample, each beside the part that it is about.

A step that asks for something waits until that is done with the real keys or the pointer;
Enter goes on without, Esc leaves. The callout has the keyboard meanwhile, and the window's
keys work as ever.
"""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QRegion
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.gui.actions import Mode, without_ellipsis
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.act_dialog import push_button
from judgetool.gui.painting import draw_frame, format_value
from judgetool.gui.project_view import ProjectView
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.labels import ElidedLabel, Text
from judgetool.gui.widgets.painted import PaintedWidget, in_column, in_line
from judgetool.gui.window import AppWindow
from judgetool.session.commands import Changed
from judgetool.session.opening import is_same_project
from judgetool.wording import N_, _, quoted

if TYPE_CHECKING:
    from judgetool.gui.whatif.page import WhatIfPage


class _TourStep(NamedTuple):
    """A step.

    Attributes:
        part: name of what it points at.
        text: what is said; a name in braces is one of the facts of :class:`Tour`, or an action,
            which stands for its key.
        awaits: what ends it; ``""`` where it is read alone.
        needs: an action that must be open to the person; else the step is passed over.
        ends: what is said once that is done; ``""`` goes on to the next step at once.
    """

    part: str
    text: str
    awaits: str = ""
    needs: str = ""
    ends: str = ""


STEPS = (
    _TourStep(
        "query",
        N_(
            "This is a query: what somebody searched for, and what they meant by it. Below it stand "
            "the results of one run, in the order in which that system ranked them."
        ),
    ),
    _TourStep(
        "grades",
        N_(
            "How well does {document} answer the query? Give it a grade: {grades}. It is on the disk "
            "when the line at the bottom says ‘Saved’, and the next unjudged document comes up."
        ),
        awaits="graded",
    ),
    _TourStep(
        "values",
        N_(
            "{effect} The solid part of a bar is certain, the light part is what unjudged documents "
            "could still add: {bounds}"
        ),
        needs="view.explain",
    ),
    _TourStep(
        "results",
        N_(
            "Nothing is final: {edit.undo} takes the last step back, in any query, and also after the "
            "window was closed."
        ),
        awaits="undone",
    ),
    _TourStep(
        "queries",
        N_(
            "{judge.next_unjudged} goes to the next unjudged document, of this query first and then "
            "of the others. The ring before each query says how much of it is judged."
        ),
        awaits="judge.next_unjudged",
    ),
    _TourStep(
        "blind",
        N_(
            "{flow.blind} hides what could sway you: rank, score, run, others’ grades and all values. "
            "Try it, and press it once more to see them again."
        ),
        awaits="seen again",
        needs="flow.blind",
    ),
    _TourStep(
        "views",
        N_(
            "What if the results stood in another order? {whatif.show} shows the what-if view. The run "
            "itself is never touched."
        ),
        awaits="what-if",
        needs="whatif.show",
    ),
    _TourStep(
        "card",
        N_(
            "{card} deserves a better place. Move it up, with {whatif.up} or with the pointer: every "
            "value says at once what it would be."
        ),
        awaits="moved",
        needs="whatif.show",
        ends=N_(
            "{outcome} So you know what a change is worth before anybody builds it. {compare.show} "
            "compares it with the runs, {edit.undo} takes the move back, and {help.keys} shows all keys."
        ),
    ),
)
_GAP, _MARGIN, _RADIUS = 10, 8, 7


class _Frame(PaintedWidget):
    """The frame around the part that a step is about; the pointer goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def put_around(self, rect: QRect) -> None:
        """Stand around a rectangle of the parent; nothing but the frame is painted over."""
        self.setGeometry(rect)
        inner = self.rect().adjusted(3, 3, -3, -3)
        self.setMask(QRegion(self.rect()) - QRegion(inner))
        self.show()
        self.raise_()

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the frame, 2 px wide."""
        for by in (0, 1):
            rect = QRectF(self.rect()).adjusted(by, by, -by, -by)
            draw_frame(painter, rect, radius=4, border=self.theme.accent)


class Callout(PaintedWidget):
    """Says something beside a part of the window; Enter goes on, Esc leaves.

    Signals:
        next_wanted: the person goes on.
        left: the person leaves.
    """

    next_wanted = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.head = ElidedLabel("", role=Role.META, ink="text3")
        self.text = Text("", role=Role.UI)
        self.leave = push_button(_("Leave the tour"), self.left.emit)
        self.next = push_button("", self.next_wanted.emit)
        self.next.setDefault(True)
        self._frame = _Frame(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        buttons = in_line(self.leave, None, self.next, spacing=8)
        column = in_column(self.head, self.text, buttons, host=self, spacing=scaled(8))
        column.setContentsMargins(scaled(14), scaled(10), scaled(14), scaled(12))
        self.hide()

    def say(self, head: str, text: str, *, verb: str) -> None:
        """Say something else, and take the keyboard.

        Args:
            head: which step it is.
            text: what is said.
            verb: what Enter does.
        """
        self.head.set_text(head)
        self.text.setText(text)
        self.next.setText(verb)
        self.setAccessibleName(head)
        # A reader that is there is told; one that finds the program later reads what has the keyboard.
        self.setAccessibleDescription("" if QAccessible.isActive() else text)
        self.show()
        self.raise_()
        self.setFocus()

    def put_beside(self, target: QRect | None) -> None:
        """Stand beside a rectangle of the parent, below or above it or at a side, as there is room.

        Args:
            target: what is pointed at; ``None`` stands at the bottom, and points at nothing.
        """
        room = self._over.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        width = min(scaled(340), room.width())
        layout = self.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else 0
        size = QSize(width, min(height, room.height()))
        if target is None:
            self._frame.hide()
            at = QPoint(room.center().x() - width // 2, room.bottom() - size.height())
            self.setGeometry(QRect(at, size))
            return
        self.setGeometry(_beside(target, size, room, is_mirrored=self.isRightToLeft()))
        self._frame.put_around(target.intersected(self._over.rect()))
        self.raise_()

    def put_away(self) -> None:
        """Show nothing any more."""
        self._frame.hide()
        self.hide()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on by Enter, leave by Esc."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.next_wanted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the raised ground; its border is stronger with the keyboard."""
        theme, whole = self.theme, QRectF(self.rect())
        draw_frame(painter, whole, radius=_RADIUS, border=theme.accent, ground=theme.raised)
        if self.hasFocus():
            inner = whole.adjusted(1, 1, -1, -1)
            draw_frame(painter, inner, radius=_RADIUS - 1, border=theme.accent)

    @override
    def event(self, event: QEvent) -> bool:
        """Show whether the keyboard is here."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().event(event)


def _beside(target: QRect, size: QSize, room: QRect, *, is_mirrored: bool) -> QRect:
    """Return where something of a size covers a target the least: below, above, at its sides."""
    width, height = size.width(), size.height()
    left = target.right() - width if is_mirrored else target.left()
    places = [
        QPoint(left, target.bottom() + _GAP),
        QPoint(left, target.top() - _GAP - height),
        QPoint(target.left() - _GAP - width, target.top()),
        QPoint(target.right() + _GAP, target.top()),
    ]
    rects = []
    for at in places:
        x = max(room.left(), min(at.x(), room.right() - width))
        y = max(room.top(), min(at.y(), room.bottom() - height))
        rects.append(QRect(QPoint(x, y), size))

    def covered(rect: QRect) -> int:
        both = rect.intersected(target)
        return both.width() * both.height() if both.isValid() else 0

    return min(rects, key=covered)


class Tour(QObject):
    """Leads through :data:`STEPS`.

    Args:
        window: the main window.
        open_sample: opens it.
        find_what_if: returns the view in which the tour ends.

    Attributes:
        callout: says the steps.
        at: the number of the current step; ``None`` while there is no tour.
    """

    def __init__(
        self,
        window: AppWindow,
        open_sample: Callable[[], object],
        find_what_if: Callable[[], "WhatIfPage"],
    ) -> None:
        super().__init__(window.widget)
        self._window, workspace = window, window.workspace
        self._parts: Mapping[str, QWidget] = {
            "query": workspace.header,
            "results": workspace.results,
            "grades": workspace.grade_bar,
            "values": window.live,
            "queries": window.queries,
            "blind": window.blind_button,
            "views": window.top_line.switch,
        }
        self._open_sample, self._find_what_if = open_sample, find_what_if
        self._view: ProjectView | None = None
        self._n_moves = 0
        self._has_ended = self._hears_moves = False
        self.at: int | None = None
        self.callout = Callout(window.widget)
        self.callout.next_wanted.connect(self._go_on)
        self.callout.left.connect(self.end)
        # What a step says is there only when everything has followed the act.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._act_done)
        self._watched: list[QObject] = []
        actions = window.actions_by_name
        actions.action("flow.blind").triggered.connect(
            lambda is_on: None if is_on else self._did("seen again")
        )
        following = actions.action("judge.next_unjudged")
        following.triggered.connect(lambda: self._did("judge.next_unjudged"))
        window.views.changed.connect(self._on_view)

    # Beginning and end

    def begin(self) -> None:
        """Open the sample, once the person agrees to leave another project, and begin."""
        from judgetool.session.imports.importing import sample_path  # noqa: PLC0415 - loads all formats

        session, title = self._window.session, ""
        if session is not None and not is_same_project(session, sample_path()):
            title = session.title
        question = _("The tour is on the sample. Leave {title} for it? It is saved.")
        choices = (Choice("leave", _("Open the sample")),)
        if title and self._window.prompter.ask(question.format(title=title), choices) != "leave":
            return
        if title or session is None:
            # It begins by itself only where it never has.
            self._window.change_settings(has_toured=True)
            self._open_sample()
        if self._window.session is not None:
            self.start()

    def start(self) -> None:
        """Begin on what is open, in the list, at an unjudged document where there is one."""
        view = self._window.view
        assert view is not None
        self._window.change_settings(has_toured=True)
        self._window.views.show(Mode.LIST)
        session, judging = view.session, view.judging
        pair = (judging.query, judging.document)
        if None in pair or pair[1] in session.board.settled(judging.query or 0):
            judging.move_to_next_unjudged()
        self._follow(view)
        self._show(0)

    def _take_project(self, view: ProjectView) -> None:
        """Go on where the same project was opened anew, as under another name; else end."""
        if self._view is not None and is_same_project(view.session, self._view.session.path):
            self._follow(view)
            self._show(self.at or 0)
        else:
            self.end()

    def _follow(self, view: ProjectView) -> None:
        self._view = view
        view.session.changed.connect(self._on_changed)
        view.destroyed.connect(self._on_closed)

    def _on_closed(self) -> None:
        # With the window all of the tour goes.
        if isValid(self._window.widget) and self._window.view is None:
            self.end()

    def end(self) -> None:
        """Leave the tour, and give the keyboard back."""
        if self.at is None:
            return
        self.at = None
        assert self._view is not None
        self._view.session.changed.disconnect(self._on_changed)
        self._view = None
        self._watch(None)
        self.callout.put_away()
        if self._window.view is not None:
            self._window.view.told.emit(_("The tour is over."))
        if self._window.view is not None and self._window.views.mode is Mode.WHATIF:
            self._find_what_if().orders.setFocus()
        elif self._window.view is not None:
            self._window.workspace.take_keyboard()

    # Steps

    def _show(self, at: int) -> None:
        """Show a step, or the next that can be done here; behind the last the tour ends."""
        while at < len(STEPS) and not self._is_open(STEPS[at]):
            at += 1
        if at == len(STEPS):
            self.end()
            return
        self.at, self._has_ended = at, False
        step = STEPS[at]
        if step.part == "card":
            self._choose_card()
        self._say(_(step.text), verb=_("Next") if at + 1 < len(STEPS) else _("Finish"))

    def _say(self, text: str, *, verb: str) -> None:
        assert self.at is not None
        assert self._view is not None
        head = _("Tour: step {n} of {total}").format(n=self.at + 1, total=len(STEPS))
        said = re.sub(r"\{([a-z_.]+)\}", lambda found: self._fact(found[1]), text)
        self._watch(self._part())
        # What comes to the keyboard is said by its name.
        is_named = not self.callout.hasFocus()
        self.callout.say(head, said, verb=verb)
        self._place()
        self._view.told.emit(said if is_named else f"{head}. {said}")

    def _is_open(self, step: _TourStep) -> bool:
        """Whether a step can be done: one of values is not while they are hidden."""
        if step.part == "blind" and self._view is not None and self._view.blindness.is_required:
            return False
        return not step.needs or self._window.actions_by_name.action(step.needs).isEnabled()

    def _go_on(self) -> None:
        if self.at is not None:
            if STEPS[self.at].awaits == "what-if":
                self._window.views.show(Mode.WHATIF)
            else:
                self._show(self.at + 1)

    def _did(self, what: str) -> None:
        if self.at is not None and STEPS[self.at].awaits == what and not self._has_ended:
            self._later.start()

    def _act_done(self) -> None:
        if self.at is None:
            return
        if STEPS[self.at].ends:
            self._has_ended = True
            self._say(_(STEPS[self.at].ends), verb=_("Finish"))
        else:
            self._show(self.at + 1)

    def _on_changed(self, changed: Changed) -> None:
        if changed.origin == "do" and changed.n_graded:
            self._did("graded")
        elif changed.origin == "undo":
            self._did("undone")

    def _on_view(self) -> None:
        if self.at is None:
            return
        if self._window.view is not None and self._window.view is not self._view:
            self._take_project(self._window.view)
            return
        if self._window.views.mode is Mode.WHATIF:
            self._did("what-if")
        self._watch(self._part())
        self._place()

    def _on_ranking(self) -> None:
        if self._n_moves < len(self._find_what_if().ranking.orders.steps):
            self._did("moved")

    def _choose_card(self) -> None:
        """Make that card current whose next higher neighbour is worth least beside it."""
        page = self._find_what_if()
        order, grade = page.ranking.orders.order, page.ranking.counted_grade
        gains = [
            ((grade(below) or 0.0) - (grade(above) or 0.0), -rank, below)
            for rank, (above, below) in enumerate(pairwise(order[:10]))
        ]
        if gains:
            page.orders.set_current(max(gains)[2])
        self._n_moves = len(page.ranking.orders.steps)
        if not self._hears_moves:
            page.ranking.changed.connect(self._on_ranking)
        self._hears_moves = True

    # What is said

    def _fact(self, name: str) -> str:
        facts: Mapping[str, Callable[[], str]] = {
            "document": self._document,
            "grades": self._grades,
            "effect": self._effect,
            "bounds": self._bounds,
            "card": self._card,
            "outcome": lambda: self._find_what_if().values.value_in_words,
        }
        if name in facts:
            return facts[name]()
        action = self._window.actions_by_name.action(name)
        shown = self._window.actions_by_name.shown_key(name)
        return shown or quoted(without_ellipsis(action.text()))

    def _document(self) -> str:
        view = self._view
        document = view.judging.document if view is not None else None
        if view is None or document is None:
            return _("the document")
        found = view.mask(document, view.session.material.show_document(document))
        return quoted(found.title or found.id)

    def _grades(self) -> str:
        actions = self._window.actions_by_name
        keys = [each.shortcut().toString() for each in actions.grade_actions]
        if not keys or not all(keys):
            return _("choose one here")
        return _("{first} to {last}").format(first=keys[0], last=keys[-1])

    def _effect(self) -> str:
        said = self._window.live.describe_step("explained")
        if said:
            return _("By that grade: {change}").format(change=said)
        return _("Here stand {measure} and others.").format(measure=self._measure)

    @property
    def _measure(self) -> str:
        return self._window.live.measure

    def _bounds(self) -> str:
        view = self._view
        if view is None or view.judging.query is None or view.judging.run_id is None:
            return ""
        board, query = view.session.board, view.judging.query
        names = list(map(str, view.session.measures))
        bounds = board.bounds(view.judging.run_id, query)[names.index(self._measure)]
        progress = board.progress(query)
        if progress.judged == progress.total:
            sentence = _("nothing is left to judge here, so {measure} is certain.")
            return sentence.format(measure=self._measure)
        return number_of(
            progress.total - progress.judged,
            "{measure} will end between {low} and {high}, however the last document is graded.",
            "{measure} will end between {low} and {high}, however the last {n} documents are graded.",
            measure=self._measure,
            low=format_value(bounds.low),
            high=format_value(bounds.high),
        )

    def _card(self) -> str:
        page = self._find_what_if()
        document = page.orders.current
        if document is None:
            return _("One of the results")
        return quoted(page.ranking.title(document))

    # Where it stands

    def _part(self) -> QWidget | None:
        step = STEPS[self.at] if self.at is not None else None
        if step is None:
            return None
        if step.part == "card":
            return self._find_what_if().orders.viewport()
        return self._parts[step.part]

    def _target(self) -> QRect | None:
        """Return where the part is in the window; ``None`` while it is not seen."""
        part, window = self._part(), self._window.widget
        if part is None or not part.isVisible() or part.window() is not window:
            return None
        rect = part.rect()
        if self.at is not None and STEPS[self.at].part == "card":
            orders = self._find_what_if().orders
            orders.scrollTo(orders.currentIndex())
            card = orders.delegate.card_rect(orders.currentIndex().row())
            rect = card.intersected(rect)
        return QRect(part.mapTo(window, rect.topLeft()), rect.size())

    def _watch(self, part: QWidget | None) -> None:
        """Follow the window and a part when they are given other sizes."""
        for each in self._watched:
            each.removeEventFilter(self)
        self._watched = [self._window.widget, part] if part is not None else []
        for each in self._watched:
            each.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stand beside the part wherever it goes."""
        kinds = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
        if event.type() in kinds and self.at is not None:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        if self.at is not None:
            self.callout.put_beside(self._target())
