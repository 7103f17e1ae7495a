"""The row over the table: what is compared, with what, over which judgments, by which rules."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import (
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QSlider,
    QWidget,
)
from shiboken6 import isValid

from judgetool.core import override
from judgetool.core.clock import moment_text
from judgetool.core.judgments import VIEW_RULES
from judgetool.core.number_text import number_of
from judgetool.core.terms import one_line, short_name
from judgetool.gui.compare.compared import Compared
from judgetool.gui.compare.table_view import DiamondPart
from judgetool.gui.dialogs.act_dialog import push_button
from judgetool.gui.icons import themed_icon
from judgetool.gui.jobs import JobHandle
from judgetool.gui.painting import format_count
from judgetool.gui.panels.result_tools import ToolRow, action_button, make_chooser
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.labels import BarPart, ElidedLabel, Piece, PieceView, plain_tooltip
from judgetool.gui.widgets.painted import FittedWidget, LayoutPart, gap
from judgetool.gui.window import ActionBinder, AppWindow
from judgetool.session.board import ONLY_MINE
from judgetool.session.comparing.comparing import ComparisonTable, as_of_work
from judgetool.session.comparing.snapshots import JudgingMoment, moments
from judgetool.session.session import Session
from judgetool.session.systems import System, query_groups
from judgetool.wording import N_, _, pgettext

_SIGNS = (N_("significant"), N_("as judged so far"), N_("certain, possible, now"))
# Where there is less room.
_SIGNS_SHORT = (N_("significant"), N_("so far"), N_("possible"))
_JOB = "compare/moment"
# How wide a chooser may be for its widest choice, and for the one that is shown.
_WIDEST, _WIDEST_SHOWN = 250, 480
_MOST_NAME = 60
_MOST_GROUPS = 24
_LEAST_CHOOSER = 120
_SETTLE_MS = 120


class NoteRow(ToolRow):
    """Says test, draws, seed and correction; while they are computed 'n of m' and Cancel.

    Signals:
        cancel_wanted: the computing is to stop.
        compute_wanted: it is to begin again.

    Attributes:
        turn: shows the table, or what stands under it where there is no room for both.
    """

    px = 30
    cancel_wanted = Signal()
    compute_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = ElidedLabel("", role=Role.META, ink="text2")
        self.button = push_button(_("Cancel"), self._on_button)
        self.button.setFlat(True)
        self.button.setVisible(False)
        self.turn = push_button("")
        self._is_busy = False
        *marks, parts = (ElidedLabel(_(each), role=Role.META, ink="text2") for each in _SIGNS)
        for label, short in zip((*marks, parts), _SIGNS_SHORT, strict=True):
            label.shorter = (_(short),)
            label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        bar = Piece(BarPart(0.62, 0.4, 0.9), scaled(42))
        signs: list[LayoutPart] = []
        for is_full, text in zip((True, False), marks, strict=True):
            diamond = Piece(DiamondPart(is_full), scaled(12))
            sign = PieceView(partial(tuple, [diamond]), partial(scaled, 12))
            signs += [sign, text, gap(scaled(12))]
        said = (self.note, 1, self.button, self.turn, gap(scaled(16)))
        bars = PieceView(lambda: (bar,), lambda: 10)
        self.fill(*signs, *said, bars, parts, margins=(scaled(14), 0, scaled(16), 1))

    def _on_button(self) -> None:
        (self.cancel_wanted if self._is_busy else self.compute_wanted).emit()

    def show_note(
        self, text: str, button: str = "", *, shorter: Sequence[str] = (), is_busy: bool = False
    ) -> None:
        """Say how the figures came about, or how far the computing is, beside a button.

        Args:
            text: what is said.
            button: what the button does; ``""`` for none.
            shorter: what is shown where that has no room; nothing where these have none either.
            is_busy: whether something is computed.
        """
        self._is_busy = is_busy
        self.note.shorter = (*shorter, "") if shorter else ()
        self.note.set_text(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))

    def show_progress(self, done: int, total: int) -> None:
        """Say how far the computing is."""
        said = _("Computing intervals and significance…")
        if total:
            said = _("Computing intervals and significance: {done} of {total}")
        said = said.format(done=format_count(done), total=format_count(total))
        self.show_note(said, _("Cancel"), is_busy=True)

    def show_stopped(self, text: str) -> None:
        """Say that the computing was stopped, and offer to begin again."""
        self.show_note(text, _("Compute"))


class MomentRow(ToolRow):
    """Left and Right go from moment to moment; tables of the past are worked out in the background.

    The last moment is now.

    Args:
        window: the window.
        compared: what is compared.

    Signals:
        table_found: a :class:`ComparisonTable` as of the moment of the slider.
        present_wanted: the present is to be shown again.
        resized: the slider came or went.
    """

    px = 40
    table_found = Signal(object)
    present_wanted = Signal()
    resized = Signal()

    def __init__(self, window: AppWindow, compared: Compared, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._compared = window, compared
        self._action = window.actions_by_name.action("compare.moments")
        self._moments: list[JudgingMoment] = []
        self._before: QWidget | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(_("Values as of"))
        self.slider.setPageStep(10)
        self.text = ElidedLabel("", role=Role.UI, ink="text2")
        self.text.setMinimumWidth(scaled(300))
        self.now = push_button(_("Now"), self._action.trigger)
        label = QLabel(_("Values as of"))
        self.fill(label, self.slider, 1, self.text, self.now, margins=(16, 0, 16, 1))
        # A drag passes many moments; only where it rests is worth a replay of the log.
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settled.timeout.connect(self._show_moment)
        self.slider.valueChanged.connect(self._on_value)

    @property
    def moment(self) -> JudgingMoment | None:
        """The moment shown; ``None`` for now."""
        place = self.slider.value()
        return self._moments[place] if place < len(self._moments) - 1 else None

    def set_moments(self, found: list[JudgingMoment]) -> None:
        """Offer these moments; the last one becomes current, without a signal."""
        had_keyboard = self.slider.hasFocus()
        self._moments = found
        self.slider.blockSignals(True)
        # A single moment is now, at the end.
        self.slider.setRange(min(0, len(found) - 2), max(0, len(found) - 1))
        self.slider.setValue(max(0, len(found) - 1))
        self.slider.blockSignals(False)
        self.slider.setEnabled(len(found) > 1)
        if had_keyboard and not self.slider.isEnabled():
            self._give_back()
        self._describe()

    def _on_value(self) -> None:
        self._describe()
        self._settled.start()

    def _describe(self) -> None:
        if not self._moments:
            self.text.set_text(_("Nothing is judged yet."))
            return
        place = min(self.slider.value(), len(self._moments) - 1)
        moment = self._moments[place]
        is_last = place == len(self._moments) - 1
        when = pgettext("a moment", "now") if is_last else moment_text(moment.at)
        self.text.set_text(
            _("{when}, {count} judged").format(when=when, count=format_count(moment.n_judged))
        )
        self.slider.setAccessibleDescription(self.text.text)

    def set_shown(self, is_on: bool) -> None:
        """Show the slider over the log, or the present again."""
        session = self._compared.session
        has_present = any(not each.snapshot for each in self._compared.systems)
        if session is None or not (is_on and has_present):
            if self.isAncestorOf(self._window.widget.focusWidget()):
                self._give_back()
            self.leave()
            self.present_wanted.emit()
            return
        self._before = self._window.widget.focusWidget()
        self.setVisible(True)
        self._begin()

        def work(_handle: JobHandle) -> list[JudgingMoment]:
            with session.second_reader() as reader:
                return moments(session, reader=reader)

        self._window.jobs.submit(work, self.set_moments, key=f"{_JOB}/list", owner=self)
        self.show_switch()
        self.resized.emit()

    def _begin(self) -> None:
        """Have the keyboard at once, while moments are looked for: no key goes elsewhere."""
        self.set_moments([])
        self.slider.setRange(0, 0)
        self.text.set_text("")
        self.slider.setEnabled(True)
        self.slider.setFocus()

    def _give_back(self) -> None:
        """Let the keyboard be where it was before the slider came."""
        if self._before is not None and isValid(self._before):
            self._before.setFocus()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back to the present with Esc, as with the key that led here."""
        if event.key() == Qt.Key.Key_Escape:
            self._action.trigger()
        else:
            super().keyPressEvent(event)

    def leave(self) -> None:
        """Show no slider."""
        self.setVisible(False)
        self.show_switch()
        self.resized.emit()

    def show_switch(self) -> None:
        """Set the switch in the menu to what holds."""
        self._action.setChecked(not self.isHidden())

    def _show_moment(self) -> None:
        session, table, moment = self._compared.session, self._compared.table, self.moment
        if session is None or table is None:
            return
        if moment is None:
            self.present_wanted.emit()
            return
        present = [each for each in self._compared.systems if not each.snapshot]
        work = as_of_work(session, table, present, moment.event_id)
        self._window.jobs.submit(lambda _handle: work(), self._take, key=_JOB, owner=self)

    def _take(self, table: ComparisonTable) -> None:
        if not self.isHidden() and self.moment is not None:
            self.table_found.emit(table)


class HeadRow(FittedWidget, ToolRow):
    """Choosers of baseline and judgments; buttons of systems, conventions, snapshot, report.

    Args:
        actions: what the buttons do.

    Signals:
        baseline_chosen: key of a system.
        view_chosen: name of a view of judgments.
        where_chosen: the queries that are to be compared, as ``queries_where`` has them;
            ``None`` to ask for them.
    """

    px = 42
    baseline_chosen = Signal(str)
    view_chosen = Signal(str)
    where_chosen = Signal(object)

    def __init__(self, actions: ActionBinder, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(_("Runs compared"), role=Role.UI_STRONG)
        self._label = ElidedLabel(_("baseline"), role=Role.UI, ink="text3")
        for label in (self.title, self._label):
            # Whole or not there: see fit.
            label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.baseline = make_chooser(_("Baseline"), self.baseline_chosen)
        self.queries = make_chooser(_("Queries compared"), self.where_chosen)
        self.view = make_chooser(_("Whose judgments count"), self.view_chosen)
        self.queries.elides = self.view.elides = Qt.TextElideMode.ElideRight
        action = actions.action
        systems = action_button(_("Systems…"), action("compare.systems"), "layers")
        measures = action_button(_("Measures…"), action("compare.measures"), "table-2")
        self.conventions = action_button(_("Conventions…"), action("project.conventions"))
        snapshot = action_button(_("Snapshot…"), action("compare.snapshot"), "camera")
        report = action_button(_("Report…"), action("compare.report"), "file-text")
        self._choosers = (self.baseline, self.queries, self.view)
        self._texts = {each: each.text() for each in (snapshot, report, systems, measures)}
        left = (self.title, self._label, self.baseline, systems, measures)
        right = (self.queries, self.view, self.conventions, gap(8), snapshot, report)
        self.fill(*left, None, *right, margins=(16, 0, 16, 1))

    @override
    def fit(self) -> None:
        """Leave choices whole: what the picture, or the menu, says by itself goes before.

        First go the words beside, then those on buttons, which have pictures; where choices are
        cut even so, no button goes before they are all narrow.
        """
        words, buttons = (self.title, self._label), self._texts
        for part in (*words, *buttons):
            part.setVisible(True)
        for button, text in buttons.items():
            button.setText(text)
        room = partial(self.room_beside, *self._choosers)
        wished = [min(each.whole_width, scaled(_WIDEST_SHOWN)) for each in self._choosers]
        for word in words:
            word.setHidden(room() < sum(wished))
        for button in buttons:
            button.setText("" if room() < sum(wished) else button.text())
        for button in buttons:
            button.setHidden(room() < scaled(_LEAST_CHOOSER) * len(wished))
        share = 10_000 if room() >= sum(wished) else max(0, room()) // len(wished)
        for chooser, width in zip(self._choosers, wished, strict=True):
            chooser.setMaximumWidth(max(width, scaled(_WIDEST)))
            chooser.keep_whole(most=min(width, share))

    # What is shown

    def set_systems(self, systems: Sequence[System], baseline: str) -> None:
        """Offer systems as baseline.

        Args:
            systems: those of the table.
            baseline: key of the one that is.
        """
        self.baseline.clear()
        for system in systems:
            name = short_name(system.name, most=_MOST_NAME)
            self.baseline.addItem(themed_icon("anchor"), name, system.key)
        self.baseline.setCurrentIndex(self.baseline.findData(baseline))

    def set_queries(self, session: Session, text: str, where: str) -> None:
        """Say over which queries the figures are, and offer others.

        Args:
            session: the project.
            text: which, and how many.
            where: what lets them through; ``""`` for all.
        """
        texts: dict[str | None, str] = {"": _("All queries")}
        for group in query_groups(session, most=_MOST_GROUPS):
            name = one_line(f"{group.name} {group.content}", most=_MOST_NAME)
            said = number_of(group.n_queries, "{name}: {n} query", "{name}: {n} queries", name=name)
            if group.n_judged < group.n_queries:
                judged = format_count(group.n_judged)
                said = _("{queries}, {judged} of them judged").format(queries=said, judged=judged)
            texts[group.where] = said
        texts |= {where: text, None: _("Other queries…")}
        self.queries.offer(((shown, each) for each, shown in texts.items()), where)
        self.queries.setToolTip(plain_tooltip(_("Queries compared: {text}").format(text=text)))

    def set_facts(self, *, view: str, assessor: str, conventions: str, differs: str) -> None:
        """Say over which judgments and by which conventions the figures are, and where a tool’s differ."""
        only = _("Only my judgments")
        if assessor:
            only = _("Only {name}’s judgments").format(name=assessor)
        rules = ((_(rule.title), name) for name, rule in VIEW_RULES.items())
        self.view.offer((*rules, (only, ONLY_MINE)), view)
        self.conventions.setText(conventions)
        meant = _("Conventions: how undefined and unjudged count")
        self.conventions.setToolTip(plain_tooltip("\n".join(filter(None, (meant, differs)))))
        self.conventions.setAccessibleDescription(differs)
        self.fit()
