"""The export: format, which judgments, choices, the first lines, and where to."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QWidget,
)

from judgetool.core import override
from judgetool.core.judgments import VIEW_RULES
from judgetool.core.number_text import number_of
from judgetool.errors import JudgetoolError, UnwritableIdError
from judgetool.formats.writers import (
    WRITERS,
    Blanks,
    CannotJudge,
    ExportChoices,
    ExportOption,
    Formulas,
    Fractions,
    Numbers,
    Subject,
    WriterFormat,
)
from judgetool.formats.writers.values import NOUNS, TITLES, values_lost
from judgetool.gui.dialogs import FileKind
from judgetool.gui.dialogs.act_dialog import (
    combo,
    edit,
    field_label,
    held,
    labelled,
    line_of,
    number,
    on_change,
    switch,
    text_pane,
    value_of,
)
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.dialogs.work_dialog import WorkDialog
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import enclosed
from judgetool.gui.theme import Role, font, scaled
from judgetool.gui.widgets.fields import ElidedCombo
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import in_column
from judgetool.metrics import CONVENTION_PRESETS
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import WorkCancelledError
from judgetool.session.exports.exporting import (
    ExportPreview,
    ExportReport,
    list_run_names,
    preview_export,
    write_export,
)
from judgetool.session.session import Session
from judgetool.wording import N_, _


class Source(NamedTuple):
    """Which judgments, or which run.

    Attributes:
        kind: ``view`` (a folding rule), ``assessor``, ``all`` or ``run``.
        name: of the rule, the assessor or the run; ``""`` for all.
        title: as shown.
        help: one sentence more; may be empty.
    """

    kind: str
    name: str
    title: str
    help: str = ""

    def apply_to(self, choices: ExportChoices) -> ExportChoices:
        """Return the choices with this source in them."""
        if self.kind == "view":
            return choices._replace(view=self.name)
        if self.kind == "assessor":
            return choices._replace(assessor=self.name)
        return choices._replace(runs=(self.name,)) if self.kind == "run" else choices


def sources_of(session: Session, subject: Subject) -> tuple[Source, ...]:
    """Return what there is to choose from for what a format is about; may be empty."""
    if subject is Subject.RUN:
        return tuple(Source("run", name, name) for name in list_run_names(session))
    if subject is Subject.QUERIES:
        return (Source("all", "", _("All queries")),) if session.material.queries else ()
    if subject is Subject.DOCUMENTS:
        has_texts = session.material.count_documents()[1]
        return (Source("all", "", _("All documents with a text")),) if has_texts else ()
    if subject is Subject.CLICKS:
        return (Source("all", "", _("All clicks")),) if session.material.clicks else ()
    assessors = tuple(
        Source(
            "assessor",
            name,
            _("{name}’s judgments").format(name=name),
            _("Only what {name} has said.").format(name=name),
        )
        for name in session.assessors
    )
    if subject is Subject.JUDGMENTS:
        everyone = Source("all", "", _("Everyone’s judgments"), _("One row for each assessor."))
        return (everyone, *assessors)
    views = tuple(
        Source("view", rule.name, _(rule.title), _(rule.help)) for rule in VIEW_RULES.values()
    )
    has_values = subject is not Subject.REPORT or session.material.runs
    return (*views, *assessors) if has_values else ()


def suggested_name(session: Session, form: WriterFormat, source: Source) -> str:
    """Return a file name that says what is in it."""
    stem, ending = session.path.stem, form.endings[0]
    name = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in source.name)
    if form.subject is Subject.RUN:
        return f"{name or 'run'}{ending}"
    start = stem if source.kind in ("view", "all") else f"{stem}-{name}"
    return f"{start}-{form.name}{ending}"


def _told(error: JudgetoolError) -> str:
    """Return what an error says, without options of a command."""
    return error.in_window if isinstance(error, UnwritableIdError) else str(error)


_LABELS = {
    ExportOption.CANNOT_JUDGE: N_("&Cannot judge"),
    ExportOption.FRACTIONS: N_("F&ractions"),
    ExportOption.NUMBERS: N_("&Numbers"),
    ExportOption.BLANKS: N_("&Blanks in ids"),
    ExportOption.FORMULAS: N_("Cells like for&mulas"),
    ExportOption.TARGET: N_("Name of inde&x or list"),
    ExportOption.CONVENTIONS: N_("Con&ventions"),
    ExportOption.DIGITS: N_("&Decimals"),
}
_ENUMS: dict[ExportOption, type[StrEnum]] = {
    ExportOption.CANNOT_JUDGE: CannotJudge,
    ExportOption.FRACTIONS: Fractions,
    ExportOption.NUMBERS: Numbers,
    ExportOption.BLANKS: Blanks,
    ExportOption.FORMULAS: Formulas,
}


class ExportOptions(QWidget):
    """Fields beside each other, one for each choice; ``changed`` is sent when one is changed.

    Attributes:
        fields: the field of each choice.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[ExportOption, QWidget] = {}
        self._columns: dict[ExportOption, QWidget] = {}
        self._shown: frozenset[ExportOption] = frozenset()
        self._line = FlowLayout(self, gap=scaled(12))
        self._line.setContentsMargins(0, 0, 0, 0)
        usual = ExportChoices("")
        for option, kind in _ENUMS.items():
            self._add(option, combo([(_(TITLES[each]), each) for each in kind]))
        self._add(ExportOption.TARGET, edit(usual.target))
        presets = [(preset.title, name) for name, preset in CONVENTION_PRESETS.items()]
        self._add(ExportOption.CONVENTIONS, combo([(_("The project’s own"), ""), *presets]))
        self._add(ExportOption.DIGITS, number(0, 17, usual.digits))

    def _add(self, option: ExportOption, field: QWidget) -> None:
        self.fields[option] = field
        on_change(self.changed.emit, field)
        self._columns[option] = column = held(labelled(_(_LABELS[option]), field))
        self._line.addWidget(column)

    def _value(self, option: ExportOption) -> Any:  # noqa: ANN401 - of each choice its own
        value = value_of(self.fields[option])
        if option is ExportOption.TARGET:
            return value.strip() or ExportChoices("").target
        return _ENUMS[option](value) if option in _ENUMS else value

    def show_format(self, form: WriterFormat) -> None:
        """Show what matters to a format."""
        self._shown = form.options
        for option, column in self._columns.items():
            column.setVisible(option in form.options)
        self.setVisible(bool(form.options))

    def apply_to(self, choices: ExportChoices) -> ExportChoices:
        """Return the choices with what is shown here in them."""
        shown = {str(option): self._value(option) for option in self._shown}
        return choices._replace(**shown)


PREVIEW_LINES = 13
_MOST_SHOWN = 400
_MOST_SEED = 2**31 - 1
# In files about these it may stand who has judged.
_SAYS_WHO = (Subject.GRADES, Subject.JUDGMENTS, Subject.REPORT)


class ExportDialog(WorkDialog):
    """Asks what to write, shows its first lines, and writes it.

    Args:
        session: the project; only read.
        prompter: asks where to.
        jobs: previews and writes.
    """

    def __init__(self, session: Session, prompter: Prompter, jobs: Jobs) -> None:
        super().__init__(_("Export"), session, jobs, width=820)
        self._prompter = prompter
        self._preview: ExportPreview | None = None
        self._previewing: JobHandle | None = None
        self.set_title(_("Export from {title}").format(title=enclosed(session.title)))
        self._add_formats()
        self._add_options()
        self._add_preview()
        self.set_verb(self._write)
        self._show_format()

    def _add_formats(self) -> None:
        self.formats = ElidedCombo()
        # On the closed box readers would read all of the dialog anew before each format.
        self.formats.is_steady = True
        before: WriterFormat | None = None
        for form in WRITERS.values():
            if before is not None and before.subject is not form.subject:
                self.formats.insertSeparator(self.formats.count())
            self.formats.addItem(_(form.title), form.name)
            before = form
        self.formats.setMaxVisibleItems(self.formats.count())
        self.carries = self._add_chooser(_("&Format"), self.formats, self._show_format)

    def _add_chooser(self, label: str, box: ElidedCombo, do: Callable[[], None]) -> Text:
        """Put a list to choose from, and beside it what is said of the choice."""
        box.setMinimumWidth(scaled(320))
        box.currentIndexChanged.connect(do)
        said = Text("", ink="text2")
        self.add_field(label, box, line=line_of(box, said, 1, spacing=scaled(12)))
        return said

    def _add_options(self) -> None:
        self.sources = ElidedCombo()
        self.source_help = self._add_chooser(_("&Which"), self.sources, self._start_preview)
        self.options = self.put(ExportOptions())
        self.options.changed.connect(self._start_preview)
        self.loses = self.add_text()
        self.anonymous = switch(
            _("&Anonymous: A1, A2 … for names, no notes, times only as an order"), is_on=False
        )
        self.seed = number(0, _MOST_SEED, ExportChoices("").seed)
        self.seed.setEnabled(False)
        self.anonymous.toggled.connect(self.seed.setEnabled)
        on_change(self._start_preview, self.anonymous, self.seed)
        numbered = line_of(self.anonymous, None, _("Numbered by s&eed"), self.seed)
        self.who = self.put(held(numbered))
        self.meta = self.add_switch(
            _("&Side file that records these choices (.meta.json)"), is_on=True
        )

    def _add_preview(self) -> None:
        # Gives way where choices and notes take more lines, rather than to be covered.
        self.preview = text_pane("", scaled(110))
        self.preview.setReadOnly(True)
        self.preview.setFont(font(Role.UI))
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.extent = Text("", role=Role.META, ink="text3", wraps=False)
        self.notes = Text("", ink="text2")
        heads = line_of(field_label(_("First &lines"), self.preview), None, self.extent)
        self.body.addLayout(in_column(heads, self.preview, self.notes, spacing=4), stretch=1)

    @property
    def form(self) -> WriterFormat:
        """The chosen format."""
        return WRITERS[self.formats.currentData()]

    @property
    def source(self) -> Source | None:
        """Which judgments or which run; ``None`` where there are none."""
        source = self.sources.currentData()
        return source if isinstance(source, Source) else None

    @property
    def choices(self) -> ExportChoices:
        """All that is chosen."""
        choices = self.options.apply_to(ExportChoices(self.form.name))
        if self.anonymous.isChecked() and self.form.subject in _SAYS_WHO:
            choices = choices._replace(anonymous=True, seed=self.seed.value())
        return self.source.apply_to(choices) if self.source else choices

    # What would be written

    def _show_format(self) -> None:
        form = self.form
        self.carries.setText(_(form.carries))
        self.options.show_format(form)
        self.who.setVisible(form.subject in _SAYS_WHO)
        self.sources.blockSignals(True)
        before = self.source
        self.sources.clear()
        for source in sources_of(self.session, form.subject):
            self.sources.addItem(source.title, source)
            if source == before or (before is None and self._is_usual(source)):
                self.sources.setCurrentIndex(self.sources.count() - 1)
        self.sources.blockSignals(False)
        self._start_preview()

    def _is_usual(self, source: Source) -> bool:
        """Whether this is what the window shows."""
        view = self.session.board.view
        if view == ONLY_MINE:
            return source.kind == "assessor" and source.name == self.session.assessor
        return source.kind == "view" and source.name == view

    def _start_preview(self) -> None:
        self._preview = None
        self.verb.setText(_("Export…"))
        self.source_help.setText(self.source.help if self.source else "")
        hidden = (
            _("Names, notes, times and durations are left out.") if self.choices.anonymous else ""
        )
        scale, preset = self.session.scale, self.session.conventions.preset
        is_weighted = self.session.board.engine.has_weighted_means
        lost = (
            _(self.form.loses) if self.form.loses else "",
            values_lost(self.form, self.choices, scale, preset, is_weighted=is_weighted),
            hidden,
        )
        self.loses.setText(" ".join(filter(None, lost)) or _("Nothing is lost."))
        if self.source is None:
            self._show_preview(ExportPreview([], 0, []))
            return
        self.verb.setEnabled(False)
        work = partial(_preview, self.session, self.choices)
        if self._previewing is not None:
            self._previewing.drop()
        self._previewing = self.jobs.submit(
            work, self._show_preview, self._show_failure, owner=self
        )

    def _show_preview(self, preview: ExportPreview) -> None:
        self._preview = preview
        count = preview.n_records
        records = number_of(count, *NOUNS[self.form.subject])
        self.preview.setPlainText("\n".join(line[:_MOST_SHOWN] for line in preview.lines))
        self.notes.setText(" ".join(preview.notes))
        self.extent.setText(_("{records} in all").format(records=records) if count else "")
        verb = _("Export {records}…").format(records=records) if count else _("Export…")
        self.verb.setText(verb)
        nothing = _("There is nothing of this kind in the project yet.")
        self.show_lack("" if count else nothing)

    def _show_failure(self, error: Exception) -> None:
        # Before all else: what stands there is of another choice.
        self.preview.setPlainText("")
        self.notes.setText("")
        self.extent.setText("")
        if not isinstance(error, JudgetoolError):
            self.show_problem(
                _(
                    "The first lines cannot be shown: a fault of judgetool’s, which another window reports."
                )
            )
            raise error
        self.show_problem(_told(error))

    # Writing

    def _write(self) -> None:
        source = self.source
        if source is None or self._preview is None or not self._preview.n_records:
            return
        name = suggested_name(self.session, self.form, source)
        if self.choices.anonymous:
            name = f"anonymous-{self.form.name}{self.form.endings[0]}"
        suggested = self.session.path.parent / name
        kind = FileKind(_(self.form.title), self.form.endings)
        path = self._prompter.choose_place(_("Where to export to"), suggested, kinds=(kind,))
        if path is None:
            return
        choices, has_meta = self.choices, self.meta.isChecked()

        def work(handle: JobHandle) -> ExportReport:
            return write_export(
                self.session,
                choices,
                path,
                has_meta=has_meta,
                progress=handle.report,
                is_cancelled=handle.is_cancelled,
            )

        self._set_busy(is_busy=True)
        self.working = self.jobs.submit(
            work, partial(self._finish, path), self._stop, self.show_progress, owner=self
        )
        self.hold_main_window(is_held=False)

    def _set_busy(self, *, is_busy: bool) -> None:
        fields = (self.formats, self.sources, self.options, self.who, self.meta)
        self.set_busy(*fields, is_busy=is_busy)
        self.bar.setRange(0, 1)
        self.bar.setValue(0)

    def _finish(self, path: Path, report: ExportReport) -> None:
        count = number_of(report.n_records, *NOUNS[self.form.subject])
        said = _("{records} written to {name} in {folder}.")
        if report.meta:
            said = _("{records} written to {name} in {folder}, with {other} beside it.")
        other = report.meta.name if report.meta else ""
        written = said.format(records=count, name=path.name, folder=path.parent, other=other)
        self.finish(" ".join((written, *report.notes)))

    def _stop(self, error: Exception) -> None:
        self.working = None
        self._set_busy(is_busy=False)
        self.show_remark("")
        if not isinstance(error, JudgetoolError):
            raise error
        if isinstance(error, WorkCancelledError):
            self.show_remark(str(error))
        else:
            self._prompter.tell(_told(error))

    @override
    def drop_work(self) -> None:
        """Show no preview any more."""
        if self._previewing is not None:
            self._previewing.drop()

    @classmethod
    def ask(
        cls,
        window: QWidget | None,
        session: Session,
        prompter: Prompter,
        jobs: Jobs,
    ) -> str | None:
        """Let something be exported; the main window can be used while it is written.

        Returns:
            The sentence for the status line; ``None`` when nothing was written, also
            when an export is open already, which then comes to the front.
        """
        if cls.find_open(session) is not None:
            return None
        dialog = cls(session, prompter, jobs)
        dialog.resize_within_screen(scaled(820), dialog.sizeHint().height())
        return dialog.wait_for_answer(window)


def _preview(session: Session, choices: ExportChoices, handle: JobHandle) -> ExportPreview:
    return preview_export(session, choices, n_lines=PREVIEW_LINES, is_cancelled=handle.is_cancelled)
