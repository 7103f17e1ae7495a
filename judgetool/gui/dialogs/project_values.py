"""A project's own: its measures and conventions, who judges blind, its safety copies, its runs."""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCompleter,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.core.terms import beginning, short_name
from judgetool.errors import InputError, JudgetoolError
from judgetool.formats.output import csv_line
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    combo,
    edit,
    field_label,
    form_in,
    framed_icon_button,
    labelled,
    line_of,
    on_key,
    push_button,
)
from judgetool.gui.dialogs.framed_list import ListRow, PieceList, framed, make_step_list
from judgetool.gui.painting import format_value
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.fields import focus_field
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import announce, in_column, in_line
from judgetool.gui.window_state import when_in_words
from judgetool.metrics import (
    CONVENTION_PRESETS,
    MEASURES,
    Conventions,
    Measure,
    MeasureError,
    parse_measure,
    parse_measures,
)
from judgetool.metrics.conventions import CONVENTION_CHOICES
from judgetool.metrics.terms import MeasureSpec
from judgetool.session.commands import SetValues
from judgetool.session.edits import delete_run, describe_uses, rename_run, uses_of_run
from judgetool.session.reading_aids import blind_policy, find_telling_id, set_blind_policy
from judgetool.session.safety import Backup, list_project_backups, safety_place
from judgetool.session.session import Session
from judgetool.wording import N_, _, in_words, translated

OWN = ""
_CUTOFFS = (1, 3, 5, 10, 20, 100)
# The order of a run is settled when it is imported, so that scores are no choice here.
_CONVENTIONS = {
    "unjudged": N_("Unjudged documents"),
    "undefined": N_("Undefined values"),
    "missing": N_("Queries of the means"),
}
_BLIND = {
    "nobody": N_("Nobody: everyone may choose"),
    "all": N_("Everyone who judges in this project"),
    "some": N_("These assessors"),
}
_MB = 1 << 20
_NO_NAME = N_("Write at least one name.")


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
    """A field whose Enter adds, and whose Ctrl+Enter is the dialog's; names are offered under it."""

    def __init__(self, confirm: Callable[[QKeyEvent], None]) -> None:
        super().__init__()
        self._confirm = confirm
        self.offers = _Offers(measure_names(), self)
        self.setCompleter(self.offers)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        # It stands over what is said of the name.
        self.offers.shown.hide()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._confirm(event)
        else:
            super().keyPressEvent(event)
        event.accept()


class _Offers(QCompleter):
    """Names to choose from; a click on a button closes them and presses it, too."""

    def __init__(self, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(QStringListModel(names, parent), parent)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)

    @property
    def shown(self) -> QAbstractItemView:
        """The list of names that are offered now."""
        return self.popup()  # type: ignore[return-value]  # Qt makes one where there is none

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Press the button that a click meant: Qt takes the click for closing the list alone."""
        is_offered = self.shown.isVisible()
        is_taken = super().eventFilter(watched, event)
        if is_offered and isinstance(event, QMouseEvent) and not self.shown.isVisible():
            meant = QApplication.widgetAt(event.globalPosition().toPoint())
            if isinstance(meant, QAbstractButton) and meant.window() is self.widget().window():
                # The list has to be gone first: what is pressed may close the dialog.
                QTimer.singleShot(0, meant, meant.click)
        return is_taken


class MeasuresDialog(ActDialog):
    """Which measures are shown, in which order; with the definition of each beside it.

    Args:
        measures: those shown now, in order.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        super().__init__(_("Measures"), verb=_("Show these measures"), width=860)
        self.list = PieceList(_("Shown, in this order"))
        self.list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.list.setMinimumSize(scaled(250), scaled(300))
        self.field = _NameField(self.confirm)
        self.field.setPlaceholderText("nDCG@10")
        self.add = push_button(_("Add"), self.add_typed)
        up, down = partial(self._move, -1), partial(self._move, 1)
        self.up = framed_icon_button(_("Move up (Alt+Up)"), "arrow-up", up)
        self.down = framed_icon_button(_("Move down (Alt+Down)"), "arrow-down", down)
        self.remove = framed_icon_button(_("Remove (Del)"), "trash-2", self._remove)
        self.complaint = Text("", role=Role.META, ink="bad")
        self.help_title = Text("", role=Role.TITLE)
        self.help_text = Text("")
        self.help_formula = Text("", role=Role.NEED, ink="text2")
        self.help_params = Text("", role=Role.META, ink="text2")
        self.help_source = Text("", role=Role.META, ink="text3")
        self._lay_out()
        for measure in measures:
            self.list.addItem(str(measure))
        self.list.currentItemChanged.connect(self._show_current)
        self.field.textChanged.connect(self._preview)
        self.field.returnPressed.connect(self.add_typed)
        for key, do in (("Del", self._remove), ("Alt+Up", up), ("Alt+Down", down)):
            on_key(key, self.list, do)
        self.list.setCurrentRow(0)

    def _lay_out(self) -> None:
        buttons = in_column(self.up, self.down, self.remove, None, spacing=-1)
        shown = in_line(framed(self.list), 1, buttons, spacing=8)
        label = field_label(_("&Shown, in this order"), self.list)
        typing = line_of(self.field, 1, self.add)
        added = labelled(_("&Add a measure by its name"), self.field, line=typing)
        self.complaint.setMinimumHeight(2 * scaled(16))
        self.complaint.setAlignment(Qt.AlignmentFlag.AlignTop)
        left = in_column(label, shown, 1, spacing=4)
        left.addSpacing(10)
        left.addLayout(added)
        left.addWidget(self.complaint)
        helps = (self.help_title, self.help_text, self.help_formula, self.help_params)
        for part in (*helps, self.help_source):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        right = in_column(*helps, self.help_source, None, spacing=8)
        self.body.addLayout(in_line(left, 4, right, 5, spacing=20), stretch=1)

    def add_typed(self) -> None:
        """Add what is typed, or say why it cannot be added."""
        typed = self._find_typed()
        if typed and self._add(typed):
            self.field.clear()
        elif typed:
            self.complaint.setText(_("{measure} is shown already.").format(measure=typed[0]))
            self.list.setCurrentRow(self._names().index(str(typed[0])))

    def _find_typed(self) -> tuple[Measure, ...] | None:
        """Return the measures that are typed; of what is none, say why, and return ``None``."""
        text = self.field.text().strip()
        try:
            return parse_measures(text) if text else ()
        except MeasureError as error:
            self.complaint.setText(str(error))
            return None

    def _add(self, measures: Iterable[Measure]) -> bool:
        """Show measures, too; return whether any was not shown."""
        shown = self._names()
        fresh = [str(measure) for measure in measures if str(measure) not in shown]
        self.list.addItems(fresh)
        if fresh:
            self.list.setCurrentRow(self.list.count() - 1)
        return bool(fresh)

    @override
    def accept(self) -> None:
        """Show what is still only typed, too; what is no measure stays to be mended."""
        typed = self._find_typed()
        if typed is None:
            focus_field(self.field)
            announce(self, self.complaint.text())
            return
        self._add(typed)
        super().accept()

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
        is_any = self.list.count() or self.field.text().strip()
        self.show_problem("" if is_any else _("At least one measure must be shown."))

    def _show_current(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._show_help(parse_measure(item.text()).spec)

    def _preview(self, text: str) -> None:
        """Show the definition of what is being typed, as soon as it is a measure."""
        self.complaint.setText("")
        self._check()
        try:
            self._show_help(parse_measures(text)[0].spec)
        except MeasureError:
            return

    def _show_help(self, spec: MeasureSpec) -> None:
        self.help_title.setText(f"{_(spec.title)} ({spec.name})")
        self.help_text.setText(_(spec.help))
        self.help_formula.setText(spec.formula)
        lines = [
            f"{param.name}: {translated(param.allowed)}. {_(param.help)}" for param in spec.params
        ]
        self.help_params.setText("\n".join(lines))
        self.help_source.setText(
            _("After {source}. Written like {example}.").format(
                source=spec.source, example=spec.example
            )
        )

    @property
    def answer(self) -> tuple[Measure, ...]:
        """The chosen measures, in order."""
        return tuple(parse_measure(name) for name in self._names())


class ConventionsDialog(ActDialog):
    """A tool's whole set of conventions, or each choice by itself, which makes it one's own.

    Args:
        conventions: those that hold now.
    """

    def __init__(self, conventions: Conventions) -> None:
        super().__init__(_("Conventions"), verb=_("Use these"), width=780)
        self.answer = conventions
        presets = [(_(preset.title), preset.name) for preset in CONVENTION_PRESETS.values()]
        options = [(_("judgetool (trec_eval -c)"), OWN), *presets]
        self.preset = self.add_field(_("&As computed by"), combo(options))
        # It replaces every choice below.
        self.preset.is_steady = True
        self.help = self.add_text()
        self.groups: dict[str, Radios[str]] = {}
        for name, title in _CONVENTIONS.items():
            self.body.addSpacing(4)
            self.add_head(_(title))
            self.groups[name] = self.add_radios(in_words(CONVENTION_CHOICES[name]), None)
            self.groups[name].buttonClicked.connect(self._on_choice)
        self.weights = self.add_switch(_("Queries count in means by their weight"), is_on=False)
        self.weights.clicked.connect(self._on_choice)
        self.body.addStretch(1)
        self._show(conventions)
        self.preset.activated.connect(self._on_preset)

    def _show(self, conventions: Conventions) -> None:
        self.answer = conventions
        self.preset.setCurrentIndex(max(self.preset.findData(conventions.preset), 0))
        preset = CONVENTION_PRESETS.get(conventions.preset)
        self.help.setText(_(preset.help) if preset else _("Every choice is shown below."))
        for name, group in self.groups.items():
            group.by_name[getattr(conventions, name)].setChecked(True)
        self.weights.setChecked(conventions.is_weighted)

    def _on_preset(self) -> None:
        preset = CONVENTION_PRESETS.get(self.preset.currentData())
        self._show(preset.conventions if preset else Conventions())

    def _on_choice(self) -> None:
        chosen: dict[str, Any] = {name: group.current for name, group in self.groups.items()}
        own = replace(self.answer, is_weighted=self.weights.isChecked(), **chosen)
        self._show(own if own == self.answer else replace(own, preset=OWN))


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names in a text, separated by commas, each once; one with a comma in quotes, as in CSV."""
    row = next(csv.reader([text], skipinitialspace=True), [])
    names = (" ".join(part.split()) for part in row)
    return tuple(dict.fromkeys(name for name in names if name))


def write_names(names: Iterable[str]) -> str:
    """Return names in a text from which :func:`parse_names` reads them."""
    return ", ".join(csv_line([name], end="") for name in names)


class BlindDialog(ActDialog):
    """Asks for whom blind mode is required, and whether ids are hidden, too.

    Args:
        session: the project.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(_("Who must judge blind"), verb=_("Ask for this"))
        policy = blind_policy(session)
        self.add_text(
            _(
                "Blind mode hides rank, score, run, addresses, other assessors’ judgments and "
                "all values, and shows documents in an order that tells nothing."
            )
        )
        named = policy.required_for if isinstance(policy.required_for, tuple) else ()
        self.add_head(_("Required for"))
        self.choices = self.add_radios(
            in_words(_BLIND), "some" if named else str(policy.required_for)
        )
        self.buttons = self.choices.by_name
        self.names = edit(write_names(named), hint=write_names(session.judges) or "anna, ben")
        self.names.textEdited.connect(lambda: self.buttons["some"].setChecked(True))
        self.add_field(_("&Names, separated by commas"), self.names)
        telling = find_telling_id(session)
        is_new = policy.required_for == "nobody"
        self.ids = self.add_switch(
            _("Show other ids while judging blind, because ids tell the system"),
            is_on=policy.has_alias_ids or (is_new and telling is not None),
        )
        if telling is not None:
            self.add_text(
                _("‘{text}’ has the name of a run in it.").format(text=beginning(telling, most=80))
            )
        self.body.addStretch(1)
        self.check_by(self._find_problem, self.choices, self.names, lack=_(_NO_NAME))

    def _find_problem(self) -> str:
        is_named = self.choices.current != "some" or parse_names(self.names.text())
        return "" if is_named else _(_NO_NAME)

    @property
    def answer(self) -> SetValues:
        """The command that asks for it."""
        alias_ids, names = self.ids.isChecked(), parse_names(self.names.text())
        if self.choices.current == "some":
            return set_blind_policy(names, alias_ids=alias_ids)
        is_all = self.choices.current == "all"
        return set_blind_policy("all" if is_all else "nobody", alias_ids=alias_ids)


class SafetyDialog(ActDialog):
    """Says what is kept outside the project's folder, and asks whether the log shall be.

    Args:
        session: the project.
        keeps_log: what holds now.

    Attributes:
        keeps_log: the switch of the safety log.
        folder: opens the folder of the backups; nothing to open without any.
    """

    def __init__(self, session: Session, *, keeps_log: bool) -> None:
        super().__init__(_("Safety copies"), verb=_("Keep it so"), width=640)
        place = safety_place(session)
        self.add_text(
            _(
                "Each judgment is on the disk before it is shown as saved. Besides the project’s "
                "own file, backups and a safety log are kept in your data folder; only you can "
                "read them."
            )
        )
        self.rows = form_in(self.body)
        for title, text in (
            (_("Backups"), describe_backups(_own_backups(session))),
            (_("In"), str(place.backups)),
            (_("Safety log"), describe_log(place.logs, keeps_log=keeps_log)),
            (_("File"), str(place.log)),
        ):
            self.rows.addRow(Text(title, ink="text3", wraps=False), Text(text))
        self.keeps_log = self.add_switch(_("&Keep a safety log of every judgment"), is_on=keeps_log)
        self.add_text(_("It holds from the next time that a project is opened."), ink="text3")
        self.add_text(
            _(
                "Project ▸ Restore a backup… gives one back under a new name. Project ▸ Recover… "
                "writes a project anew that is damaged, lost or was replaced by an older one. "
                "Commands do the same: judgetool backups, judgetool recover."
            )
        )
        self.body.addStretch(1)
        open_folder = partial(QDesktopServices.openUrl, QUrl.fromLocalFile(str(place.backups)))
        self.folder = self.add_to_foot(push_button(_("Open folder"), open_folder))
        self.folder.setEnabled(place.backups.is_dir())

    @property
    def answer(self) -> bool:
        """Whether the log shall be kept."""
        return self.keeps_log.isChecked()


def _own_backups(session: Session) -> list[Backup]:
    try:
        return list_project_backups(str(session.path))
    except InputError:
        return []


def describe_backups(backups: list[Backup]) -> str:
    """Return how many backups there are, how large, and when the newest was made."""
    if not backups:
        return _("None yet; the first is made while you judge, or when the project is closed.")
    size = _size(sum(backup.n_bytes for backup in backups))
    return number_of(
        len(backups),
        "{n} backup, {size}; the newest is of {time}",
        "{n} backups, {size}; the newest is of {time}",
        size=size,
        time=when_in_words(backups[0].at),
    )


def describe_log(logs: Sequence[Path], *, keeps_log: bool) -> str:
    """Return how large a safety log is, with its older parts and those of other windows."""
    if not logs:
        return (
            _("None yet; it begins with the next change.")
            if keeps_log
            else _("None; it is not kept.")
        )
    return _size(sum(log.stat().st_size for log in logs))


def _size(n_bytes: int) -> str:
    return (
        _("{size} MB").format(size=format_value(n_bytes / _MB, digits=1))
        if n_bytes >= _MB // 10
        else _("{size} KB").format(size=max(1, n_bytes >> 10))
    )


_MOST_NAME = 200


class RunsDialog(ActDialog):
    """A list of runs; each change is a step of the project, which Undo takes back.

    Args:
        session: the project.

    Attributes:
        rows: the runs.
        field: the name of the chosen one.
    """

    acts_from_fields = False

    def __init__(self, session: Session) -> None:
        super().__init__(_("Runs"), verb=_("Close"), width=700)
        self._session = session
        self.cancel.hide()
        self.rows = make_step_list(_("Runs of this project"))
        self.add_list(self.rows, height=200)
        self.field = edit(most=_MOST_NAME)
        self.rename = push_button(_("Rename"), self._rename)
        self.add_field(_("&Name"), self.field, line=line_of(self.field, 1, self.rename))
        self.uses = self.add_text()
        take_out = partial(self._attempt, delete_run)
        self.take_out = push_button(_("Take out of the project"), take_out)
        self.add_line(self.take_out, None)
        self.body.addStretch(1)
        self.rows.currentRowChanged.connect(self._show_run)
        self.field.textChanged.connect(self._check)
        self._show(0)

    def _show(self, place: int) -> None:
        runs = self._session.material.runs
        rows = []
        for run in runs:
            uses = uses_of_run(self._session, run.run_id)
            parts = [
                number_of(run.n_queries, "{n} query", "{n} queries"),
                number_of(run.n_results, "{n} result", "{n} results"),
            ]
            parts += (
                [number_of(len(uses.whatifs), "{n} what-if", "{n} what-ifs")]
                if uses.whatifs
                else []
            )
            parts += [_("baseline")] if uses.is_baseline else []
            name = short_name(run.name, most=_MOST_NAME)
            rows.append(ListRow(run.run_id, name, ", ".join(parts), is_name=True))
        kept = runs[min(place, len(runs) - 1)].run_id if runs else None
        self.rows.show_rows(rows, kept=kept)
        self._show_run()

    @property
    def _run_id(self) -> int | None:
        row = self.rows.chosen
        return None if row is None else int(row.key)

    def _show_run(self) -> None:
        run_id = self._run_id
        names = {run.run_id: run.name for run in self._session.material.runs}
        self.field.setText("" if run_id is None else names[run_id])
        no_run = _("There is no run in this project. Project ▸ Import… brings one.")
        self.uses.setText(no_run if run_id is None else describe_uses(self._session, run_id))
        self._check()

    def _check(self) -> None:
        reason, run_id = self._session.read_only_reason, self._run_id
        name = self.field.text().strip()
        taken = {run.name: run.run_id for run in self._session.material.runs}
        is_other = taken.get(name) not in (None, run_id)
        self.show_remark(
            reason or (_("Another run is called {name}.").format(name=name) if is_other else "")
        )
        can_change = run_id is not None and not reason
        self.field.setEnabled(can_change)
        self.take_out.setEnabled(can_change)
        self.rename.setEnabled(can_change and bool(name) and name not in taken)

    @override
    def _choose_by_enter(self, focused: QWidget | None, event: QKeyEvent) -> None:
        """Have Enter in the name rename: to close would lose what was typed."""
        if focused is not self.field:
            super()._choose_by_enter(focused, event)
        elif self.rename.isEnabled():
            self._rename()
        else:
            announce(self, self.remark.text())

    def _rename(self) -> None:
        # The button, which then can do nothing, would leave the keyboard to what takes the run out.
        focus_field(self.field)
        self._attempt(partial(rename_run, name=self.field.text()))

    def _attempt(self, act: Callable[[Session, int], object]) -> None:
        """Do something to the run that is chosen, or say why it cannot be done."""
        place, run_id = self.rows.currentRow(), self._run_id
        if run_id is None:
            return
        try:
            act(self._session, run_id)
        except JudgetoolError as problem:
            self.show_remark(str(problem))
            return
        self._show(place)

    @property
    def answer(self) -> None:
        """Nothing: all has been done."""
