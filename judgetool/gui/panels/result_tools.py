"""The row above the results: which run, in which order, what is left out, scores."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.core.terms import short_name
from judgetool.gui.actions import without_ellipsis
from judgetool.gui.icons import themed_icon
from judgetool.gui.models.result_model import ResultOrder
from judgetool.gui.painting import format_count
from judgetool.gui.theme import Role, font, scaled
from judgetool.gui.widgets.buttons import IconButton, Pill, offer
from judgetool.gui.widgets.fields import ElidedCombo
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import RING, LayoutPart, Margins, PaintedWidget, fill, fill_box
from judgetool.wording import _

HEIGHT = 38
# Beside the tools at both ends, in px.
_AT_ENDS = 20
_MOST_NAME = 160
_LEAST_NAME = 6
_WIDEST_RUN = 220
# A name that needs no more px is never cut.
_SHORT_RUN = 112


class ToolRow(PaintedWidget):
    """A row of tools over a panel, with a line under it; list and document have one each.

    Attributes:
        px: its height at a 13 px font.
    """

    px = HEIGHT
    ground, edge = "base", "bottom"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.row = QHBoxLayout(self)
        self.fill()
        self.setFixedHeight(scaled(self.px))

    def fill(
        self,
        *parts: LayoutPart,
        spacing: int = 8,
        margins: Margins = (12, 0, _AT_ENDS - 12, 1),
    ) -> None:
        """Have these parts in the row, after those that are; as :func:`in_line`."""
        fill_box(self.row, parts, spacing, margins)

    @override
    def relayout(self) -> None:
        """Have the height that all such rows share, unless they say another."""
        super().relayout()
        self.setFixedHeight(scaled(self.px))

    def put(self, *parts: LayoutPart) -> None:
        """Put parts at the end, as :func:`in_line` has them."""
        fill(self.row, parts)

    def room_beside(self, *parts: QWidget) -> int:
        """Return how much of the width all that is shown but some parts leaves, in px; it may be less than 0."""
        places = range(self.row.count())
        items = [item for place in places if (item := self.row.itemAt(place)) is not None]
        taken = [each.sizeHint().width() for each in items if each.widget() not in parts]
        gaps = (sum(not each.isEmpty() for each in items) - 1) * self.row.spacing()
        margins = self.row.contentsMargins()
        return self.width() - sum(taken) - gaps - margins.left() - margins.right()


def tool_button(icon: str, name: str, parent: QWidget) -> QToolButton:
    """Return an icon-only button with a tooltip and an accessible name.

    A click does not take the keyboard from the list that has it; a menu that it is given opens
    at once.
    """
    button = IconButton(icon, parent)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button


class ResultTools(ToolRow):
    """Choosers of run and order, the pill for unjudged documents, the switch for scores.

    Signals:
        run_chosen: id of the run that the person chose.
        order_chosen: a :class:`ResultOrder`.
        open_toggled: whether only unjudged documents are wanted.
        scores_toggled: whether scores are wanted.
    """

    run_chosen = Signal(int)
    order_chosen = Signal(object)
    open_toggled = Signal(bool)
    scores_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.runs = make_chooser(_("Run"), self.run_chosen)
        self.runs.setPlaceholderText(_("No run"))
        self.runs.setMaximumWidth(scaled(_WIDEST_RUN))
        self.orders = make_chooser(_("Order of the results"))
        # The order is always whole; the run's name gives.
        self.runs.setMinimumContentsLength(_LEAST_NAME)
        self._is_blind = False
        self._offered: list[ResultOrder] = []
        # With every query it is the same run and order again, and their room is known.
        self.runs.currentIndexChanged.connect(lambda: self.runs.keep_whole(most=scaled(_SHORT_RUN)))
        self.orders.currentIndexChanged.connect(self.orders.keep_whole)
        self.set_orders("", ResultOrder.RANK)
        self.unjudged = Pill(_("Unjudged"), 0, parent=self)
        self.add = tool_button("plus", _("Filter documents"), self)
        self.scores = QToolButton(self)
        self.scores.setText(_("score"))
        self.scores.setCheckable(True)
        self.scores.setChecked(True)
        self.scores.setFont(font(Role.META))
        self.scores.setToolTip(_("Show the scores that the system gave"))
        self.scores.setAccessibleName(_("Show scores"))
        self.row.setSpacing(8 - RING)
        self.put(self.runs, self.orders, self.unjudged, self.add, None, self.scores)
        self.orders.activated.connect(lambda place: self.order_chosen.emit(self._offered[place]))
        self.unjudged.clicked.connect(self.open_toggled)
        self.unjudged.toggled.connect(self._fit_tools)
        self.scores.clicked.connect(self.scores_toggled)

    def set_runs(self, runs: Sequence[tuple[int, str]]) -> None:
        """Offer these runs: id and name of each."""
        self.runs.clear()
        for run_id, name in runs:
            self.runs.addItem(themed_icon("layers"), short_name(name, most=_MOST_NAME), run_id)
        self.runs.setEnabled(bool(runs))
        self.runs.keep_whole(most=scaled(_SHORT_RUN))

    def set_orders(self, queue: str, order: ResultOrder) -> None:
        """Offer the orders there are, and show which one holds.

        Args:
            queue: what the queue is called; ``""`` where it is by rank, too.
            order: how the list is ordered.
        """
        offered = [each for each in ResultOrder if queue or each is not ResultOrder.QUEUE]
        names = [queue if each is ResultOrder.QUEUE else _(each.value) for each in offered]
        if names != [self.orders.itemText(place) for place in range(self.orders.count())]:
            self._offered = offered
            self.orders.clear()
            self.orders.addItems(names)
        self.orders.setCurrentIndex(self._offered.index(order))

    def set_blind(self, *, is_blind: bool) -> None:
        """Take away what tells of runs and their order, or bring it back."""
        self._is_blind = is_blind
        self._fit_tools()

    def count_open(self, count: int, said: str) -> None:
        """Show how many documents are unjudged, and say in the tooltip of which."""
        self.unjudged.set_count(count)
        self.unjudged.setToolTip(plain_tooltip(said))
        self._fit_tools()

    def fold_into(self, menu: QMenu) -> None:
        """Offer what the row has no room for, in a menu of filters, above what it has."""
        first = menu.actions()[0]
        if self._lacks(self.orders):
            orders = QMenu(self.orders.accessibleName(), menu)
            for place, order in enumerate(self._offered):
                text, choose = self.orders.itemText(place), partial(self.order_chosen.emit, order)
                offer(orders, text, choose, is_on=place == self.orders.currentIndex())
            menu.insertMenu(first, orders)
        if self._lacks(self.scores):
            switch = QAction(self.scores.accessibleName(), menu)
            switch.setCheckable(True)
            switch.setChecked(self.scores.isChecked())
            switch.triggered.connect(self.scores.click)
            menu.insertAction(first, switch)
        if first is not menu.actions()[0]:
            menu.insertSeparator(first)

    def _lacks(self, tool: QWidget) -> bool:
        return tool.isHidden() and not self._is_blind

    def _fit_tools(self) -> None:
        """Show what there is room for: the menu of filters always, and has the rest.

        The pill is next where documents are left out by it: a list says that it is filtered.
        """
        hidden = {self.runs, self.orders, self.scores} if self._is_blind else set()
        margins, room = self.row.contentsMargins(), self.width() + self.row.spacing()
        room -= margins.left() + margins.right()
        always = (self.runs, self.add)
        rest = [self.orders, self.unjudged, self.scores]
        rest.sort(key=lambda tool: tool is not self.unjudged or not self.unjudged.isChecked())
        for widget in (*always, *rest):
            least = widget.minimumWidth() or widget.minimumSizeHint().width()
            needed = 0 if widget in hidden else least + self.row.spacing()
            has_room = room >= needed or widget in always
            room -= needed if has_room else 0
            widget.setVisible(widget not in hidden and has_room)

    @override
    def event(self, event: QEvent) -> bool:
        """Follow what the tools need: names and counts come after the row was laid out."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit_tools()
        return super().event(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width."""
        super().resizeEvent(event)
        self._fit_tools()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the room of the first chooser, and of the menu of filters."""
        least = scaled(_SHORT_RUN) + self.row.spacing() + self.add.sizeHint().width()
        return QSize(least + _AT_ENDS, scaled(self.px))

    def set_run(self, run_id: int | None) -> None:
        """Show which run is chosen, without a signal; ``None`` for none."""
        self.runs.setCurrentIndex(-1 if run_id is None else self.runs.findData(run_id))

    @override
    def relayout(self) -> None:
        """Follow the font."""
        super().relayout()
        self.scores.setFont(font(Role.META))
        self.orders.keep_whole()
        self.runs.keep_whole(most=scaled(_SHORT_RUN))
        self._fit_tools()


def action_button(text: str, action: QAction, icon: str = "") -> QPushButton:
    """Return a button with a text, perhaps beside an icon, that does an action, and its tooltip."""
    button = QPushButton(f"\u2009{text}")

    def show_tip() -> None:
        button.setToolTip(action.toolTip())

    show_tip()
    action.changed.connect(show_tip)
    button.setAccessibleName(without_ellipsis(text))
    button.setAutoDefault(False)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(action.trigger)
    if icon:
        button.setIcon(themed_icon(icon))
    return button


def make_chooser(name: str, chosen: SignalInstance | None = None) -> ElidedCombo:
    """Return a combo box of a row; what the person chooses goes out by a signal, as its data."""
    chooser = ElidedCombo()
    if chosen is not None:
        chooser.activated.connect(lambda place: chosen.emit(chooser.itemData(place)))
    chooser.setAccessibleName(name)
    chooser.setToolTip(name)
    chooser.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    chooser.setMinimumWidth(scaled(72))
    chooser.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return chooser


def asked_open_text(n_open: int, n_asked: int) -> str:
    """Return how many documents are unjudged of those that somebody is asked."""
    return number_of(
        n_open,
        "{n} of {total} asked is unjudged.",
        "{n} of {total} asked are unjudged.",
        total=format_count(n_asked),
    )


def listed_open_text(n_open: int, n_all: int, n_in_pool: int | None) -> str:
    """Return how many documents of a list are unjudged.

    Args:
        n_open: how many.
        n_all: of so many.
        n_in_pool: how many of them are to be judged; ``None`` where all are.
    """
    listed = number_of(
        n_open,
        "{n} of {total} listed is unjudged",
        "{n} of {total} listed are unjudged",
        total=format_count(n_all),
    )
    if n_in_pool is None:
        return f"{listed}."
    return number_of(
        n_in_pool,
        "{listed}; {n} of them is in the pool, which is to be judged.",
        "{listed}; {n} of them are in the pool, which is to be judged.",
        listed=listed,
    )
