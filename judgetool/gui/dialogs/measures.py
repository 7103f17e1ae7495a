"""Which measures are shown, and in which order; with the definition of each beside it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCompleter,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.dialogs.act_dialog import ActDialog, Text, field_label, framed_icon_button
from judgetool.gui.dialogs.framed_list import Framed, make_list
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import themed_icon
from judgetool.gui.theme import current_theme
from judgetool.metrics import MEASURES, Measure, MeasureError, parse_measure, parse_measures
from judgetool.metrics.terms import MeasureSpec

_CUTOFFS = (1, 3, 5, 10, 20, 100)


def measure_names() -> list[str]:
    """Return spellings to complete from: every measure, with usual cutoffs where it takes one."""
    names = []
    for spec in MEASURES.values():
        if spec.needs_cutoff != "required":
            names.append(spec.name if spec.at == "cutoff" else spec.example)
        if spec.needs_cutoff != "none" and spec.at == "cutoff":
            names += [f"{spec.name}@{cutoff}" for cutoff in _CUTOFFS]
    return list(dict.fromkeys(names))


class _NameField(QLineEdit):
    """A field whose Enter adds and does not reach the dialog's verb."""

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class MeasuresDialog(ActDialog):
    """Chooses measures.

    Args:
        measures: those shown now, in order.
        parent: the window it belongs to.
    """

    def __init__(self, measures: Sequence[Measure], *, parent: QWidget | None = None) -> None:
        super().__init__("Measures", verb="Show these measures", width=860, parent=parent)
        self.list = make_list("Shown, in this order")
        self.first = self.list
        self.list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.list.setMinimumWidth(scaled(250))
        self.list.setMinimumHeight(scaled(300))
        self.field = _NameField()
        self.field.setPlaceholderText("nDCG@10")
        self.add = QPushButton("Add")
        self.add.setAutoDefault(False)
        self.up = framed_icon_button("Move up (Alt+Up)")
        self.down = framed_icon_button("Move down (Alt+Down)")
        self.remove = framed_icon_button("Remove (Del)")
        self._lay_out()
        self._add_completer()
        self._refresh_icons()
        for measure in measures:
            self.list.addItem(str(measure))
        self.list.currentItemChanged.connect(self._show_current)
        self.list.model().rowsMoved.connect(self._check)
        self.field.textChanged.connect(self._preview)
        self.field.returnPressed.connect(self.add_typed)
        self.add.clicked.connect(self.add_typed)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        self.remove.clicked.connect(self._remove)
        self.list.installEventFilter(self)
        self.list.setCurrentRow(0)
        self._check()

    def _lay_out(self) -> None:
        columns = QHBoxLayout()
        columns.setSpacing(20)
        left = QVBoxLayout()
        left.setSpacing(4)
        left.addWidget(field_label("&Shown, in this order", self.list))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(Framed(self.list), stretch=1)
        buttons = QVBoxLayout()
        for button in (self.up, self.down, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        row.addLayout(buttons)
        left.addLayout(row, stretch=1)
        left.addSpacing(10)
        left.addWidget(field_label("&Add a measure by its name", self.field))
        typing = QHBoxLayout()
        typing.setSpacing(8)
        typing.addWidget(self.field, stretch=1)
        typing.addWidget(self.add)
        left.addLayout(typing)
        self.complaint = Text("", role=Role.META, ink="bad")
        self.complaint.setMinimumHeight(2 * scaled(16))
        self.complaint.setAlignment(Qt.AlignmentFlag.AlignTop)
        left.addWidget(self.complaint)
        columns.addLayout(left, stretch=4)
        columns.addLayout(self._help_column(), stretch=5)
        self.body.addLayout(columns, stretch=1)

    def _help_column(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        self.help_title = Text("", role=Role.TITLE)
        self.help_text = Text("")
        self.help_formula = Text("", role=Role.NEED, ink="text2")
        self.help_params = Text("", role=Role.META, ink="text2")
        self.help_source = Text("", role=Role.META, ink="text3")
        for part in (
            self.help_title,
            self.help_text,
            self.help_formula,
            self.help_params,
            self.help_source,
        ):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(part)
        column.addStretch(1)
        return column

    def _add_completer(self) -> None:
        completer = QCompleter(QStringListModel(measure_names(), self), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.field.setCompleter(completer)

    def add_typed(self) -> None:
        """Add what is typed, or say why it cannot be added."""
        text = self.field.text().strip()
        if not text:
            return
        try:
            measures = parse_measures(text)
        except MeasureError as error:
            self.complaint.setText(str(error))
            return
        shown = self._names()
        fresh = [str(measure) for measure in measures if str(measure) not in shown]
        if not fresh:
            self.complaint.setText(f"{measures[0]} is shown already.")
            self.list.setCurrentRow(shown.index(str(measures[0])))
            return
        self.list.addItems(fresh)
        self.list.setCurrentRow(self.list.count() - 1)
        self.field.clear()
        self._check()

    def _names(self) -> list[str]:
        return [self.list.item(row).text() for row in range(self.list.count())]

    def _move(self, step: int) -> None:
        row = self.list.currentRow()
        target = row + step
        if row >= 0 and 0 <= target < self.list.count():
            self.list.insertItem(target, self.list.takeItem(row))
            self.list.setCurrentRow(target)

    def _remove(self) -> None:
        row = self.list.currentRow()
        if row >= 0:
            self.list.takeItem(row)
            self._check()

    def _check(self) -> None:
        self.show_problem("" if self.list.count() else "At least one measure must be shown.")

    def _show_current(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._show_help(parse_measure(item.text()).spec)

    def _preview(self, text: str) -> None:
        """Show the definition of what is being typed, as soon as it is a measure."""
        self.complaint.setText("")
        try:
            self._show_help(parse_measures(text)[0].spec)
        except MeasureError:
            return

    def _show_help(self, spec: MeasureSpec) -> None:
        self.help_title.setText(f"{spec.title} ({spec.name})")
        self.help_text.setText(spec.help)
        self.help_formula.setText(spec.formula)
        lines = [f"{param.name}: {param.allowed}. {param.help}" for param in spec.params]
        self.help_params.setText("\n".join(lines))
        self.help_source.setText(f"After {spec.source}. Written like {spec.example}.")

    def _refresh_icons(self) -> None:
        theme = current_theme()
        for button, icon in (
            (self.up, "arrow-up"),
            (self.down, "arrow-down"),
            (self.remove, "trash-2"),
        ):
            button.setIcon(themed_icon(icon, theme))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Del removes, Alt with the arrows moves, in the list."""
        if watched is self.list and isinstance(event, QKeyEvent) and event.type() is _KEY_PRESS:
            is_alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
            step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
            if event.key() == Qt.Key.Key_Delete:
                self._remove()
                return True
            if is_alt and step:
                self._move(step)
                return True
        return super().eventFilter(watched, event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "remove"):
            self._refresh_icons()

    @property
    def answer(self) -> tuple[Measure, ...]:
        """The chosen measures, in order."""
        return tuple(parse_measure(name) for name in self._names())

    @classmethod
    def ask(cls, parent: QWidget | None, measures: Sequence[Measure]) -> tuple[Measure, ...] | None:
        """Let measures be chosen; return them in order, or ``None`` when they stay."""
        dialog = cls(measures, parent=parent)
        return dialog.answer if dialog.is_answered() else None


_KEY_PRESS = QEvent.Type.KeyPress
