"""The queue: what is to be judged, and in which order each assessor sees it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.excerpts import one_line
from judgetool.errors import CommandRefusedError, JudgetoolError
from judgetool.gui.dialogs.act_dialog import ActDialog, Text, field_label
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.number_text import format_count
from judgetool.gui.questions import Prompter
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.session.commands import SetValues
from judgetool.session.order_policy import (
    ORDER_TITLES,
    OWN_ORDER_KEY,
    OrderKind,
    OrderPolicy,
    set_order,
)
from judgetool.session.pool_policy import PoolPolicy, describe_pool
from judgetool.session.queues.left import judgments_left
from judgetool.session.queues.order import order_of
from judgetool.session.queues.pool_choice import choose_pool, preview_pool
from judgetool.session.queues.pool_file import read_pool_file
from judgetool.session.session import Session

MOST_DEPTH, MOST_SEED = 100_000, 2_147_483_647
_REST_MS = 120
_MOST_NAME = 80

ORDER_HELP: dict[OrderKind, str] = {
    "rank": "As the run that is shown ranks them; what it lacks comes last.",
    "id": "Alphabetical by document id: says nothing of the systems.",
    "random": "By chance, another order for each assessor; the same seed gives the same "
    "order on every machine.",
    "interleaved": "Runs in turn, each with its best document that is not yet there.",
    "move_to_front": "Runs that keep giving relevant documents go first; found soonest, "
    "but it follows what was judged (Cormack, Palmer and Clarke, SIGIR 1998).",
    "stake": "First what could still change the first measure's values most.",
}
"""One sentence on each order."""


class QueueDialog(ActDialog):
    """Order and pool, with what they mean in numbers before they are taken.

    Args:
        session: the project.
        prompter: asks for a file.
        parent: the window it belongs to.
    """

    def __init__(
        self, session: Session, prompter: Prompter, *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Queue", verb="Use this queue", width=680, parent=parent)
        self._session = session
        self._prompter = prompter
        self._from_file: PoolPolicy | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.show_preview)
        self._add_order(order_of(session))
        self._add_pool(session.pool_choice.policy)
        self.preview = Text("", role=Role.UI)
        self.left = Text("", ink="text2")
        self.body.addWidget(self.preview)
        self.body.addWidget(self.left)
        self.body.addStretch(1)
        self.first = self.order
        self._on_order()
        self.show_preview()

    # The order

    def _add_order(self, now: OrderPolicy) -> None:
        self.body.addWidget(Text("In which order", role=Role.UI_STRONG))
        self.order = NamedCombo()
        for kind, title in ORDER_TITLES.items():
            self.order.addItem(title, kind)
        self.order.setCurrentIndex(self.order.findData(now.kind))
        self.seed = QSpinBox()
        self.seed.setRange(0, MOST_SEED)
        self.seed.setValue(now.seed)
        self._seed_label = field_label("&Seed", self.seed)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(field_label("&Order", self.order))
        line.addWidget(self.order)
        line.addSpacing(12)
        line.addWidget(self._seed_label)
        line.addWidget(self.seed)
        line.addStretch(1)
        self.body.addLayout(line)
        self.help = Text("", ink="text2")
        self.help.setMinimumHeight(2 * scaled(18))
        self.help.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.body.addWidget(self.help)
        self.unjudged_first = QCheckBox("&Unjudged documents first")
        self.unjudged_first.setChecked(now.unjudged_first)
        self.across = QCheckBox("&Across queries: the next document may be another query's")
        self.across.setChecked(now.across_queries)
        name = self._session.assessor
        self.only_mine = QCheckBox(f"Only for {name}; others keep the project's order")
        self.only_mine.setChecked(self._session.value(OWN_ORDER_KEY + name) is not None)
        self.only_mine.setVisible(bool(name))
        for box in (self.unjudged_first, self.across, self.only_mine):
            self.body.addWidget(box)
        self.order.currentIndexChanged.connect(self._on_order)

    def _on_order(self) -> None:
        kind: OrderKind = self.order.currentData()
        self.help.setText(ORDER_HELP[kind])
        for widget in (self.seed, self._seed_label):
            widget.setEnabled(kind == "random")

    @property
    def order_policy(self) -> OrderPolicy:
        """The order as it is chosen."""
        return OrderPolicy(
            self.order.currentData(),
            self.seed.value(),
            self.unjudged_first.isChecked(),
            self.across.isChecked(),
        )

    # The pool

    def _add_pool(self, now: PoolPolicy) -> None:
        self.body.addSpacing(6)
        self.body.addWidget(Text("What is to be judged", role=Role.UI_STRONG))
        self.choices = QButtonGroup(self)
        self.kinds: dict[str, QRadioButton] = {}
        self.ranks = QSpinBox()
        self.ranks.setRange(1, MOST_DEPTH)
        self.ranks.setValue(min(now.depth, MOST_DEPTH))
        if now.is_frozen:
            self._add_kind("as_is", f"As it is: {describe_pool(now)}")
        self._add_kind("depth", "The first ranks of the runs")
        self._add_kind(
            "unjudged", "What is unjudged in those ranks now; judging does not shrink it"
        )
        self._add_kind("all", "Everything that the runs ranked")
        self.choose_file = QPushButton("Choose a file…")
        self.choose_file.setAutoDefault(False)
        self.choose_file.clicked.connect(self._choose_file)
        self._add_kind("file", "The pairs of a file", beside=self.choose_file)
        self.kinds["as_is" if now.is_frozen else now.kind].setChecked(True)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(field_label("Ran&ks", self.ranks))
        line.addWidget(self.ranks)
        line.addStretch(1)
        self.body.addLayout(line)
        self._add_runs(now.runs)
        self.choices.buttonToggled.connect(self._rest_first)
        self.ranks.valueChanged.connect(self._rest_first)

    def _add_kind(self, name: str, text: str, *, beside: QWidget | None = None) -> None:
        button = QRadioButton(text)
        self.kinds[name] = button
        self.choices.addButton(button)
        line = QHBoxLayout()
        line.addWidget(button)
        if beside is not None:
            line.addWidget(beside)
        line.addStretch(1)
        self.body.addLayout(line)

    def _add_runs(self, chosen: Sequence[str]) -> None:
        """Add a box for each run, all checked where all count."""
        self.runs: dict[str, QCheckBox] = {}
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(scaled(8), scaled(6), scaled(8), scaled(6))
        column.setSpacing(scaled(4))
        for run in self._session.material.runs:
            box = QCheckBox(one_line(run.name, most=_MOST_NAME).replace("&", "&&"))
            box.setChecked(not chosen or run.name in chosen)
            box.toggled.connect(self._rest_first)
            self.runs[run.name] = box
            column.addWidget(box)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        # Both are filled by the area itself; the ground is the frame's.
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        frame = Framed(area)
        frame.setFixedHeight(scaled(24) * min(4, max(1, len(self.runs))) + scaled(14))
        label = field_label("Runs that count", area)
        for widget in (label, frame):
            widget.setVisible(len(self.runs) > 1)
            self.body.addWidget(widget)

    def _choose_file(self) -> None:
        path = self._prompter.choose_file("A pool: a query id and a document id in each line")
        if path is not None:
            self.take_file(path)

    def take_file(self, path: Path) -> None:
        """Take the pairs of a file, or say why it cannot be read."""
        try:
            self._from_file = read_pool_file(path)
        except JudgetoolError as problem:
            self._prompter.tell(str(problem))
            return
        self.choose_file.setText(one_line(path.name, most=40))
        self.kinds["file"].setChecked(True)
        self._rest_first()

    @property
    def pool_policy(self) -> PoolPolicy | None:
        """The pool as it is chosen; ``None`` leaves it as it is, or lacks its file."""
        kind = next(name for name, button in self.kinds.items() if button.isChecked())
        if kind == "as_is":
            return None
        if kind == "file":
            return self._from_file
        chosen = tuple(name for name, box in self.runs.items() if box.isChecked())
        runs = () if len(chosen) == len(self.runs) else chosen
        found = next(each for each in ("depth", "all", "unjudged") if each == kind)
        return PoolPolicy(found, self.ranks.value(), runs)

    # What it means

    def _rest_first(self) -> None:
        self._rest.start()

    def show_preview(self) -> None:
        """Say how many documents the pool would have, and what is left to judge."""
        self._rest.stop()
        is_bare = self.kinds["file"].isChecked() and self._from_file is None
        has_run = any(box.isChecked() for box in self.runs.values())
        if is_bare:
            self.show_problem("Choose the file with the pairs.", ink="text2")
        elif self.runs and not has_run:
            self.show_problem("Check at least one run.", ink="text2")
        else:
            self.show_problem("")
            self._count()
        self.left.setText(describe_left(self._session))
        has_runs = not is_bare and not any(
            name in self.kinds and self.kinds[name].isChecked() for name in ("as_is", "file")
        )
        for box in self.runs.values():
            box.setEnabled(has_runs)
        self.ranks.setEnabled(has_runs and not self.kinds["all"].isChecked())

    def _count(self) -> None:
        policy = self.pool_policy or self._session.pool_choice.policy
        if policy.kind == "unjudged" and not policy.pairs:
            # What is unjudged there is counted without fixing it, which takes its time.
            whole = PoolPolicy("depth", policy.depth, policy.runs)
            _, n_open = preview_pool(self._session, whole)
            total = n_open
        else:
            total, n_open = preview_pool(self._session, policy)
        is_empty = policy.kind == "unjudged" and not n_open
        if is_empty:
            self.show_problem("Nothing is unjudged there. Choose more ranks.", ink="text2")
        self.preview.setText(
            f"This pool: {format_count(total)} documents to judge, {format_count(n_open)} of them "
            "unjudged."
        )

    @property
    def answer(self) -> SetValues | None:
        """The command that changes what is other than before; ``None`` when nothing is.

        Raises:
            CommandRefusedError: the pool would have no documents.
        """
        session = self._session
        values: dict[str, Any] = {}
        titles: list[str] = []
        name, order = session.assessor, self.order_policy
        is_mine = bool(name) and self.only_mine.isChecked()
        had_own = bool(name) and session.value(OWN_ORDER_KEY + name) is not None
        if order != order_of(session) or is_mine != had_own:
            command = set_order(order, assessor=name if is_mine else None)
            values |= command.values
            titles.append(command.title)
            if had_own and not is_mine:
                values[OWN_ORDER_KEY + name] = None
        policy = self.pool_policy
        if policy is not None and (policy != session.pool_choice.policy or policy.is_frozen):
            command = choose_pool(session, policy)
            values |= command.values
            titles.append(command.title)
        return SetValues(values, "; ".join(titles)) if values else None

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session, prompter: Prompter) -> SetValues | None:
        """Let the queue be chosen; ``None`` when it stays as it is."""
        dialog = cls(session, prompter, parent=parent)
        if not dialog.is_answered():
            return None
        try:
            return dialog.answer
        except CommandRefusedError as refusal:
            prompter.tell(str(refusal))
            return None


def describe_left(session: Session, k: int = 10) -> str:
    """Return in a sentence what is left to reach Judged@k = 1 for all runs."""
    left = judgments_left(session, k)
    if not left.total:
        return "No run has documents yet."
    if left.is_done:
        return f"Judged@{k} is 1 for all runs: their first {k} ranks are all judged."
    word = "judgment" if left.pairs == 1 else "judgments"
    queries = "1 query" if left.queries == 1 else f"{format_count(left.queries)} queries"
    return f"{format_count(left.pairs)} {word} left to reach Judged@{k} = 1 for all runs, in {queries}."
