"""The export: what, which judgments, the first lines, and where to."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import ActDialog, Text, field_label
from judgetool.gui.dialogs.export_preview import (
    ExportKind,
    Rows,
    Source,
    check_place,
    collect_rows,
    preview_lines,
    sources_of,
    suggested_name,
    write_rows,
)
from judgetool.gui.dialogs.import_preview import count_of
from judgetool.gui.fonts import Role, font, scaled
from judgetool.gui.questions import FileKind, Prompter
from judgetool.session.session import Session

_TITLES = {
    ExportKind.QRELS: "Judgments as qrels",
    ExportKind.JUDGMENTS: "Judgments in full, CSV",
    ExportKind.RUN: "A run",
}
_HELP = {
    ExportKind.QRELS: "One grade for each query and document, as trec_eval, BEIR and others read. "
    "What cannot be judged or was skipped is not in it.",
    ExportKind.JUDGMENTS: "Everything that was said, with assessor, state, note and time.",
    ExportKind.RUN: "One system’s rankings, as trec_eval and others read.",
}
_FILE_KINDS = {
    ExportKind.QRELS: FileKind("TREC qrels", (".txt", ".qrels", ".tsv")),
    ExportKind.JUDGMENTS: FileKind("CSV", (".csv",)),
    ExportKind.RUN: FileKind("TREC runs", (".run", ".txt", ".trec")),
}


class ExportDialog(ActDialog):
    """Asks what to write, shows its first lines, and writes it.

    Args:
        session: the project; only read.
        prompter: asks where to.
        parent: the main window.
    """

    def __init__(
        self, session: Session, prompter: Prompter, *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Export", verb="Export…", width=820, parent=parent)
        self._session = session
        self._prompter = prompter
        self._rows = Rows.of(())
        self.answer: str | None = None
        self.heading.set_text(f"Export from {session.title}")
        self.setWindowTitle(self.heading.text)
        self._add_kinds()
        self._add_sources()
        self._add_preview()
        self.verb.clicked.disconnect()
        self.verb.clicked.connect(self._write)
        self._show_sources()

    def _add_kinds(self) -> None:
        self.kinds = QButtonGroup(self)
        self.radios: dict[ExportKind, QRadioButton] = {}
        line = QHBoxLayout()
        line.setSpacing(scaled(24))
        for kind, title in _TITLES.items():
            radio = QRadioButton(title)
            radio.setEnabled(kind is not ExportKind.RUN or bool(self._session.material.runs))
            self.radios[kind] = radio
            self.kinds.addButton(radio)
            line.addWidget(radio)
        line.addStretch(1)
        self.radios[ExportKind.QRELS].setChecked(True)
        self.first = self.radios[ExportKind.QRELS]
        self.kinds.buttonClicked.connect(self._show_sources)
        self.body.addLayout(line)
        self.help = Text("", ink="text2")
        self.body.addWidget(self.help)

    def _add_sources(self) -> None:
        self.sources = QComboBox()
        self.sources.setMinimumWidth(scaled(280))
        self.sources.currentIndexChanged.connect(self._show_preview)
        self.source_help = Text("", ink="text2")
        line = QHBoxLayout()
        line.setSpacing(scaled(12))
        line.addWidget(self.sources)
        line.addWidget(self.source_help, stretch=1)
        self.add_field("&Which", self.sources, line=line)

    def _add_preview(self) -> None:
        self.preview = QPlainTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setProperty("framed", "true")
        self.preview.setFont(font(Role.UI))
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setFixedHeight(scaled(228))
        self.preview.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.extent = Text("", role=Role.META, ink="text3")
        self.extent.setWordWrap(False)
        head = QHBoxLayout()
        head.addWidget(field_label("&First lines", self.preview))
        head.addStretch(1)
        head.addWidget(self.extent)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.preview)
        self.body.addLayout(column)
        self.body.addStretch(1)

    @property
    def kind(self) -> ExportKind:
        """What is to be written."""
        return next(kind for kind, radio in self.radios.items() if radio.isChecked())

    @property
    def source(self) -> Source | None:
        """Which judgments or which run; ``None`` where there are none."""
        source = self.sources.currentData()
        return source if isinstance(source, Source) else None

    def _show_sources(self) -> None:
        self.help.setText(_HELP[self.kind])
        self.sources.blockSignals(True)
        self.sources.clear()
        for source in sources_of(self._session, self.kind):
            self.sources.addItem(source.title, source)
            if source.kind == "view" and source.name == self._session.board.view:
                self.sources.setCurrentIndex(self.sources.count() - 1)
        self.sources.blockSignals(False)
        self._show_preview()

    def _show_preview(self) -> None:
        source = self.source
        lines: list[str] = []
        self._rows, problem = Rows.of(()), ""
        try:
            if source is not None:
                self._rows = collect_rows(self._session, self.kind, source)
                lines = preview_lines(self.kind, source, self._rows)
        except JudgetoolError as error:
            problem = str(error)
        self.source_help.setText(source.help if source is not None else "")
        self.preview.setPlainText("\n".join(lines))
        count = self._rows.count
        self.extent.setText(f"{count_of(count, 'line')} in all" if count else "")
        self.verb.setText(f"Export {count_of(count, 'line')}…" if count else "Export…")
        if not problem and not count:
            self.show_problem("There is nothing of this kind in the project yet.", ink="text2")
        else:
            self.show_problem(problem)

    def _write(self) -> None:
        source = self.source
        if source is None or not self._rows.count:
            return
        folder = self._session.path.parent
        suggested = folder / suggested_name(self._session, self.kind, source)
        path = self._prompter.choose_place(
            "Where to export to", suggested, kinds=(_FILE_KINDS[self.kind],)
        )
        if path is None:
            return
        try:
            check_place(path, self._session)
            notes = write_rows(self.kind, source, self._rows.iterate(), path)
        except JudgetoolError as error:
            self._prompter.tell(str(error))
            return
        written = f"{count_of(self._rows.count, 'line')} written to {path.name} in {path.parent}."
        self.answer = " ".join((written, *notes))
        self.accept()

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session, prompter: Prompter) -> str | None:
        """Let something be exported.

        Returns:
            The sentence for the status line; ``None`` when nothing was written.
        """
        dialog = cls(session, prompter, parent=parent)
        return dialog.answer if dialog.is_answered() else None
