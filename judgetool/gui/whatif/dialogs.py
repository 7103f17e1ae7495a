"""What the what-if view asks for: documents to insert, runs to fuse."""

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox

from judgetool.core.excerpts import one_line
from judgetool.core.judgments import State
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    edit,
    grid_of,
    line_of,
    name_switch,
)
from judgetool.gui.dialogs.framed_list import ListRow, make_step_list
from judgetool.gui.fonts import scaled
from judgetool.gui.grade_style import judgment_style
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.fields import NumberField, name_signs, parse_typed_number
from judgetool.gui.widgets.labels import Text
from judgetool.session.session import Session
from judgetool.session.whatifs.book import find_base
from judgetool.session.whatifs.editing import set_fusion
from judgetool.session.whatifs.fusing import Fusion, Method
from judgetool.session.whatifs.orders import Missed, find_missing
from judgetool.session.whatifs.stored import WhatIf
from judgetool.wording import N_, _, in_words, local_number

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
