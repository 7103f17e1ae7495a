"""The row of tools over the two orders."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import chain, count

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from judgetool.core.excerpts import short_name
from judgetool.core.override import override
from judgetool.gui.action_binder import ActionBinder
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.icons import themed_icon
from judgetool.gui.panels.result_tools import ToolRow, action_button
from judgetool.gui.widgets.labels import ElidedLabel, Text, plain_tooltip
from judgetool.wording import N_, _

_MOST_NAME = 28
CHEVRON = "▾"
# Shown text, icon and action of each button, first first.
_BUTTONS = (
    (N_("Undo move"), "undo-2", "undo_move"),
    (N_("Sort by grade"), "arrow-down-wide-narrow", "sort_by_grade"),
    (N_("Fuse with…"), "merge", "fuse"),
    (N_("Insert…"), "list-plus", "insert"),
    (N_("Rules…"), "sliders-horizontal", "rules"),
    (N_("Export as run…"), "download", "export"),
)
# Which of them have words where there is little room.
_WORDS_FIRST = ("undo_move", "rules", "sort_by_grade", "fuse", "export", "insert")


def menu_button(name: str, parent: QWidget) -> QToolButton:
    """Return a framed button that opens a menu of its own."""
    button = QToolButton(parent)
    button.setProperty("framed", "true")
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setMenu(QMenu(button))
    return button


class WhatIfTools(ToolRow):
    """Which what-if, made from which run, and what is done to the whole order.

    Args:
        actions: what the buttons do.

    Signals:
        whatif_chosen: id of a what-if, ``""`` for the run as imported.
        run_chosen: id of the run to start from.

    Attributes:
        whatifs: the chooser of what-ifs.
        runs: the chooser of runs.
        buttons: by action.
    """

    whatif_chosen = Signal(str)
    run_chosen = Signal(int)

    def __init__(self, actions: ActionBinder) -> None:
        super().__init__()
        self.whatifs = menu_button(_("What-if"), self)
        self.runs = menu_button(_("Made from"), self)
        self._from = ElidedLabel(_("from"), role=Role.META, ink="text2", parent=self)
        self.row.setSpacing(6)
        self.row.addWidget(self.whatifs)
        self.row.addSpacing(2)
        self.row.addWidget(self._from)
        self.row.addSpacing(2)
        self.row.addWidget(self.runs)
        self.row.addStretch(1)
        self.buttons: dict[str, QPushButton] = {}
        for text, icon, action in _BUTTONS:
            button = action_button(_(text), actions.action(f"whatif.{action}"), icon)
            self.buttons[action] = button
            self.row.addWidget(button)
        self.whatifs.setIcon(themed_icon("flask-conical"))
        self.runs.setIcon(themed_icon("layers"))

    def show_names(self, whatif: str, source: str) -> None:
        """Show which what-if and run are worked on; ``""`` while there is no what-if."""
        name = short_name(whatif, most=_MOST_NAME)
        self.whatifs.setText(f" {name or _('no what-if yet')} {CHEVRON}")
        self.whatifs.setAccessibleName(
            _("What-if: {whatif}").format(whatif=whatif or _("none yet"))
        )
        self.whatifs.setToolTip(
            plain_tooltip(_("What-if {whatif}").format(whatif=whatif) if whatif else _("What-if"))
        )
        self.runs.setText(f" {short_name(source, most=_MOST_NAME) or _('no run')} {CHEVRON}")
        self.runs.setAccessibleName(_("Made from {source}").format(source=source))
        self._fit()

    def fill_whatifs(
        self, whatifs: list[tuple[str, str]], current: str, *, actions: list[QAction]
    ) -> None:
        """Offer the project's what-ifs (id, name), and what can be done with them."""
        menu = self.whatifs.menu()
        _fill(menu, [("", _("As imported")), *whatifs], current, self.whatif_chosen)
        menu.addSeparator()
        menu.addActions(actions)

    def fill_runs(self, runs: list[tuple[int, str]], current: int | None) -> None:
        """Offer the runs to start from."""
        _fill(self.runs.menu(), runs, current, self.run_chosen)

    def _fit(self) -> None:
        """Give the buttons their words as far as there is room, the most used first."""
        icon = scaled(44)
        room = self.width() - self.whatifs.sizeHint().width() - self.runs.sizeHint().width()
        room -= scaled(90) + len(_BUTTONS) * icon
        self._from.setVisible(room >= 0)
        texts = {action: _(text) for text, _icon, action in _BUTTONS}
        for action in _WORDS_FIRST:
            needed = text_width(Role.UI, texts[action]) + scaled(10)
            room -= needed
            self.buttons[action].setText(texts[action] if room >= 0 else "")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the words to the width."""
        super().resizeEvent(event)
        self._fit()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width at which the row can be used."""
        return QSize(scaled(420), super().minimumSizeHint().height())


def _fill(
    menu: QMenu, options: Iterable[tuple[object, str]], current: object, chosen: SignalInstance
) -> None:
    menu.clear()
    for key, name in options:
        offer(menu, name, partial(chosen.emit, key), is_on=key == current)


def offer(menu: QMenu, text: str, choose: Callable[[], object], *, is_on: bool) -> None:
    """Put an entry into a menu, marked where it is what holds now."""
    # An ampersand in a name is no mnemonic.
    action = menu.addAction(short_name(text, most=80).replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(is_on)
    action.triggered.connect(lambda _on=False: choose())


class NameDialog(ActDialog):
    """One field for a name.

    Args:
        title: the act.
        name: what stands in the field at first, chosen whole; with a number where it is taken.
        verb: on the main button.
        remark: what is to be known before; may be empty.
        taken: names that are others' already.
    """

    def __init__(
        self, title: str, name: str, *, verb: str, remark: str = "", taken: Collection[str] = ()
    ) -> None:
        super().__init__(title, verb=verb)
        self._taken = taken
        if remark:
            self.body.addWidget(Text(remark, ink="text2"))
        free = chain([name], (f"{name} {number}" for number in count(2)))
        self.field = QLineEdit(next(each for each in free if each not in taken))
        self.field.selectAll()
        self.field.setMaxLength(200)
        self.add_field(_("&Name"), self.field)
        self.body.addStretch(1)
        self.field.textChanged.connect(self._check)
        self.first = self.field
        self._check()

    def _check(self) -> None:
        if self.answer in self._taken:
            self.show_problem(_("{answer} is there already.").format(answer=self.answer))
        else:
            self.show_problem("" if self.answer else _("Give it a name."), ink="text2")

    @property
    def answer(self) -> str:
        """The name, without blanks around it."""
        return self.field.text().strip()
