"""The tools over the two orders, and what they ask for: documents to insert, runs to fuse."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain, count

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from judgetool.core.judgments import State
from judgetool.core.override import override
from judgetool.core.terms import one_line, short_name
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    edit,
    grid_of,
    line_of,
    name_switch,
)
from judgetool.gui.dialogs.framed_list import ListRow, make_step_list
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import judgment_style
from judgetool.gui.panels.result_tools import ToolRow, action_button
from judgetool.gui.theme import Role, current_theme, scaled
from judgetool.gui.widgets.fields import NumberField, name_signs, parse_typed_number
from judgetool.gui.widgets.labels import ElidedLabel, Text, plain_tooltip
from judgetool.gui.window import ActionBinder
from judgetool.session.session import Session
from judgetool.session.whatifs.applying import Fusion, Method
from judgetool.session.whatifs.book import WhatIf, find_base
from judgetool.session.whatifs.editing import Missed, find_missing, set_fusion
from judgetool.wording import N_, _, in_words, local_number

# How many signs of a name the row shows where there is room, and always.
_MOST_NAME, _LEAST_NAME = 80, 28
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
        self._names = ("", "")
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
        self._names = (whatif or _("no what-if yet"), source or _("no run"))
        self.whatifs.setAccessibleName(
            _("What-if: {whatif}").format(whatif=whatif or _("none yet"))
        )
        self.whatifs.setToolTip(
            plain_tooltip(_("What-if {whatif}").format(whatif=whatif) if whatif else _("What-if"))
        )
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
        """Give names, then buttons, their words as far as there is room, the most used first."""
        self._from.setVisible(True)
        for button in self.buttons.values():
            button.setVisible(True)
            button.setText("")
        for most in range(_MOST_NAME, _LEAST_NAME - 1, -4):
            for chooser, name in zip((self.whatifs, self.runs), self._names, strict=True):
                chooser.setText(f" {short_name(name, most=most)} {CHEVRON}")
            if self.room_beside() >= 0:
                break
        self._from.setVisible(self.room_beside() >= 0)
        for action in reversed(_WORDS_FIRST):
            # The menu has what has no room: a name is not cut for it.
            self.buttons[action].setHidden(self.room_beside() < 0)
        texts = {action: _(text) for text, _icon, action in _BUTTONS}
        for action in _WORDS_FIRST:
            self.buttons[action].setText(texts[action])
            if self.room_beside() < 0:
                self.buttons[action].setText("")

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


_MOST_TITLE = 120
_SEARCH_AFTER_MS = 120
_MOST_K = 10_000
_METHODS: dict[Method, str] = {
    "ranks": N_("By ranks: the sum of weight / (k + rank)"),
    "scores": N_("By scores: the sum of weight × score, brought to 0 to 1 in each query"),
}


class InsertDialog(ActDialog):
    """Documents that the ranking lacks: judged ones first, then other runs', then by text.

    Args:
        session: the project.
        query: the query's number.
        order: what the ranking holds.
        rank: where it is to go, at first.
    """

    def __init__(self, session: Session, query: int, order: Sequence[int], *, rank: int) -> None:
        super().__init__(_("Insert a document"), verb=_("Insert"), width=680)
        self._session = session
        self._query = query
        self._held = np.array(order, dtype=np.int32)
        self.field = self.add_field(_("&Find"), edit(hint=_("Words of the title, or the id")))
        self.field.setClearButtonEnabled(True)
        name_signs(self.field)
        self.rows = make_step_list(_("Documents that this ranking lacks"))
        self.rows.itemDoubleClicked.connect(lambda _item: self.accept())
        self.add_list(self.rows, height=300)
        self.rank = NumberField(1, len(order) + 1)
        self.rank.setValue(rank)
        self.add_field(_("At &rank"), self.rank, line=line_of(self.rank, None))
        self.first = self.field
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self.search)
        self.field.textEdited.connect(lambda _text: self._later.start(_SEARCH_AFTER_MS))
        self.rows.currentRowChanged.connect(lambda _row: self._check())
        self.search()

    def search(self) -> None:
        """Look for what is written in the field."""
        self._later.stop()
        text = self.field.text().strip()
        found = find_missing(self._session, self._query, self._held, text)
        self.rows.show_rows([self._row(missed) for missed in found])
        self._check()

    def _row(self, missed: Missed) -> ListRow:
        document = self._session.material.show_document(missed.document)
        title = one_line(document.title or document.id, most=_MOST_TITLE)
        state = State.UNJUDGED if missed.grade is None else State.JUDGED
        style = judgment_style(self._session.scale, state, missed.grade, current_theme())
        return ListRow(missed.document, title, why_text(missed), style=style)

    def _check(self) -> None:
        nothing = _("No document that this ranking lacks has that in its title or id.")
        if not self.field.text().strip():
            nothing = _("This ranking holds every document that is known for the query.")
        self.show_lack("" if self.answer is not None else nothing)

    @property
    def answer(self) -> tuple[int, int] | None:
        """The chosen document and its rank; ``None`` while none is chosen."""
        row = self.rows.chosen
        if row is None or not isinstance(row.key, int):
            return None
        return row.key, self.rank.value()


def why_text(missed: Missed) -> str:
    """Return why a document is offered, such as ``rank 3 in another run``."""
    if missed.reason == "in another run":
        return _("rank {rank} in another run").format(rank=missed.best_rank)
    if missed.best_rank is not None:
        return _("{reason}, rank {rank} in another run").format(
            reason=_(missed.reason), rank=missed.best_rank
        )
    return _(missed.reason)


class FuseDialog(ActDialog):
    """Which runs are fused over all queries, with which weights, by ranks or by scores.

    Args:
        runs: number and name of each, at least two.
        chosen: numbers of those that are in at first.
        fusion: how they are fused at first.
        verb: what is done with the answer.
    """

    def __init__(
        self,
        runs: Sequence[tuple[int, str]],
        chosen: Sequence[int],
        fusion: Fusion = Fusion(),  # noqa: B008 - frozen
        *,
        verb: str = "",
    ) -> None:
        super().__init__(_("Fuse runs over all queries"), verb=verb or _("Fuse"))
        self._runs = [run for run, _name in runs]
        self._now = now = fusion
        given = dict(zip(chosen, now.weights or (1.0,) * len(chosen), strict=True))
        self.switches: list[QCheckBox] = []
        self.weights = []
        grid = grid_of(12, 6, {0: 1})
        grid.addWidget(Text(_("Run"), ink="text3", wraps=False), 0, 0)
        grid.addWidget(Text(_("Weight"), ink="text3", wraps=False), 0, 1)
        for row, (run, name) in enumerate(runs, 1):
            box = name_switch(name, is_on=run in given)
            weight = edit(
                local_number(f"{given.get(run, 1.0):g}"),
                name=_("Weight of {name}").format(name=name),
                most=12,
            )
            weight.setFixedWidth(scaled(90))
            weight.setEnabled(box.isChecked())
            box.toggled.connect(weight.setEnabled)
            grid.addWidget(box, row, 0)
            grid.addWidget(weight, row, 1)
            self.switches.append(box)
            self.weights.append(weight)
        self.body.addLayout(grid)
        self.method: Radios[Method] = self.add_radios(in_words(_METHODS), now.method)
        self.k = NumberField(0, _MOST_K)
        self.k.setValue(now.k)
        self.k.setEnabled(now.method == "ranks")
        self.add_field(
            _("&k, how little the first ranks count more"), self.k, line=line_of(self.k, None)
        )
        self.add_text(
            _(
                "A document that a run lacks gets nothing from it. Of equal sums the one with the higher "
                "document id comes first, as trec_eval has it, in whatever order the runs are chosen."
            )
        )
        self.body.addStretch(1)
        self.first = self.switches[0]
        self.method.changed.connect(self._show_k)
        self.check_by(self._problem, *self.switches, *self.weights, self.method)

    def _show_k(self) -> None:
        self.k.setEnabled(self.method.current == "ranks")

    def _problem(self) -> str:
        runs, fusion = self.answer
        if len(runs) < 2:
            return _("Choose two runs or more.")
        if len(fusion.weights) < len(runs) or min(fusion.weights) < 0 or not any(fusion.weights):
            return _("Weights are numbers from 0, not all of them 0.")
        return ""

    @property
    def answer(self) -> tuple[list[int], Fusion]:
        """The runs and how they are fused; fewer weights than runs where one is no number."""
        chosen = [place for place, box in enumerate(self.switches) if box.isChecked()]
        given = [parse_typed_number(self.weights[place].text()) for place in chosen]
        weights = tuple(weight for weight in given if weight is not None)
        return [self._runs[place] for place in chosen], self._now._replace(
            method=self.method.current or "ranks", k=self.k.value(), weights=weights
        )


def change_fusion(
    session: Session, head: WhatIf, ask: Callable[[FuseDialog], tuple[list[int], Fusion] | None]
) -> None:
    """Ask for other runs, weights and k of a fused what-if, as they are at first, and fuse by them.

    Args:
        session: the project.
        head: of the what-if.
        ask: shows a dialog, and gives its answer, or ``None``.

    Raises:
        JudgetoolError: a run is no longer in the project, or it cannot be written.
    """
    runs = [(run.run_id, run.name) for run in session.material.runs]
    bases = [find_base(session.material, base, head.name) for base in head.bases]
    chosen = ask(FuseDialog(runs, bases, head.fusion, verb=_("Change")))
    if chosen is not None:
        set_fusion(session, head.id, *chosen)
