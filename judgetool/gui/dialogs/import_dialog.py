"""The import: what the files hold and would change, then writing it with progress."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QPainter,
)
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.errors import JudgetoolError
from judgetool.formats import Kind
from judgetool.gui.dialogs import ALL_FILES, Choice, FileKind
from judgetool.gui.dialogs.act_dialog import line_of, on_key, push_button
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.framed_list import ROW, PieceList, list_item
from judgetool.gui.dialogs.import_file_view import ImportFileView
from judgetool.gui.dialogs.import_preview import (
    FILE_ENDINGS,
    is_doubtful,
    left_out_sentence,
    n_to_write,
    open_questions_sentence,
    preview_text,
    waiting_names,
    worst_level,
)
from judgetool.gui.dialogs.import_work import FileState, ImportFile, ImportWork
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.dialogs.work_dialog import WorkDialog
from judgetool.gui.icons import themed_icon
from judgetool.gui.jobs import Jobs
from judgetool.gui.painting import enclosed
from judgetool.gui.theme import Role, icon_side, line_height, scaled, text_width
from judgetool.gui.widgets.labels import (
    Align,
    IconPart,
    Look,
    Part,
    Piece,
    RingPart,
    SquarePart,
    Text,
    TextPart,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import Panel, announce, in_column, in_line
from judgetool.gui.widgets.welcome import FileTarget
from judgetool.session.imports.plan import FileRemark, refused_text
from judgetool.session.session import Session
from judgetool.wording import N_, _

# TREC's files often have no ending: all files are shown unless fewer are asked for.
FILE_KINDS = (ALL_FILES, FileKind(N_("Files with usual endings"), FILE_ENDINGS))
_PROMISE = N_("Nothing is written until you press Import.")
UNDO_REMARK = N_("One step: a single undo takes all of it back.")
_ROW_HEIGHT = 52
_ICONS = {
    Kind.QUERIES: "search",
    Kind.DOCUMENTS: "file-text",
    Kind.RUN: "layers",
    Kind.JUDGMENTS: "scale",
    Kind.RESULTS: "table-2",
    Kind.CLICKS: "table-2",
}


class _NamePart(NamedTuple):
    """A file's name, and close under it what it is."""

    file: ImportFile

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Write both lines."""
        file = self.file
        ink = "bad" if file.is_left_out else "text2"
        upper, lower = line_height(Role.UI_STRONG), line_height(Role.META)
        top = rect.center().y() - (upper + lower) / 2
        name = QRectF(rect.left(), top, rect.width(), upper)
        TextPart(file.name, Role.UI_STRONG).paint(painter, name, look)
        subtitle = QRectF(rect.left(), top + upper, rect.width(), lower)
        TextPart(file.subtitle, Role.META, ink).paint(painter, subtitle, look)


def _file_pieces(file: ImportFile, _room: float) -> Iterator[Piece]:
    """Yield icon, name and subtitle, number of records, how the file stands."""
    kind = file.kind if file.reading is None else file.reading.kind
    sign = IconPart("file" if kind is None else _ICONS[kind], px=16)
    yield Piece(sign, sign.side, scaled(4))
    yield Piece(_NamePart(file), 0, scaled(10), gives=True)
    width = max(scaled(44), text_width(Role.UI, file.count))
    yield Piece(TextPart(file.count, align=Align.END), width, scaled(6))
    yield Piece(_standing_of(file), icon_side(14), scaled(10))
    yield Piece(None, scaled(4))


def _standing_of(file: ImportFile) -> Part | None:
    if file.state is FileState.READING:
        return SquarePart(RingPart(min(file.share, 0.99)))
    if file.is_left_out:
        return IconPart("circle-x", "bad")
    if file.state is FileState.REFUSED or worst_level(file.findings) == "warn":
        return IconPart("triangle-alert", "warn")
    return IconPart("check", "good") if file.report is not None else None


class FilesSide(Panel):
    """The left side: the files, and the buttons that add some, or a folder of them, or pairs of ids.

    Args:
        add: asks for files.
        add_folder: asks for a folder.
        add_ids: asks for pairs of ids.

    Attributes:
        list: the files.
        add: the button.
        folder: the button that adds a folder.
        ids: the button that takes pairs of ids from a file.
        ids_told: what became of them.
    """

    edge = "end"

    def __init__(
        self,
        add: Callable[[], None],
        add_folder: Callable[[], None],
        add_ids: Callable[[], None],
    ) -> None:
        super().__init__()
        self.list = PieceList(_("Files"), _file_pieces, height=_ROW_HEIGHT, is_lined=True)
        self.list.viewport().setAutoFillBackground(False)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.add = push_button(_("Add files…"), add)
        self.folder = push_button(_("Add folder…"), add_folder)
        self.folder.setToolTip(_("A BEIR dataset, or a folder of texts or of saved responses"))
        for button in (self.add, self.folder):
            button.setIcon(themed_icon("plus"))
        self.ids = push_button(_("Id pairs…"), add_ids)
        self.ids.setToolTip(_("A file of two columns: the files’ ids and the project’s"))
        self.ids_told = Text("", role=Role.META, ink="text2")
        self.ids_told.setContentsMargins(16, 0, 16, 12)
        self.ids_told.hide()
        records = Text(_("records"), role=Role.META, ink="text3")
        heads = line_of(Text(_("Files"), role=Role.UI_STRONG), None, records)
        heads.setContentsMargins(16, 12, 40, 4)
        adding = line_of(self.add, self.folder, None)
        below = in_column(adding, line_of(self.ids, None), spacing=8, margins=(16, 12, 16, 12))
        # The button follows the last row; the list grows until it has to scroll.
        parts = (heads, self.list, 1000, below, self.ids_told, None)
        in_column(*parts, host=self, margins=(0, 0, 1, 0))
        # Its buttons stay whole with large text, too; a line has a width only inside something.
        self.setFixedWidth(max(min(scaled(288), 480), min(below.sizeHint().width(), 600)))

    def tell_ids(self, sentence: str) -> None:
        """Say which pairs of ids hold, or why a file of pairs cannot be taken."""
        self.ids_told.setText(sentence)
        self.ids_told.setVisible(bool(sentence))


class ImportDialog(FileTarget, WorkDialog):
    """Shows what an import would do, and does it when it is accepted.

    Nothing is written until the verb is chosen. While it writes, the main window can
    be used; Cancel then leaves nothing behind.

    Args:
        session: the project.
        jobs: reads, plans and writes.
        prompter: asks for more files.
        paths: files to begin with.
    """

    acts_from_fields = False

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        prompter: Prompter,
        paths: Sequence[Path] = (),
    ) -> None:
        super().__init__(_("Import"), session, jobs, width=1040)
        self._prompter = prompter
        self._is_confirmed = False
        self._untold: list[ImportFile] = []
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._tell)
        self.work = ImportWork(session, jobs, self)
        self.setAcceptDrops(True)
        self._make_head_and_foot()
        self._make_side()
        self._make_middle()
        self._connect()
        self.resize_within_screen(scaled(1040), scaled(720))
        self.add_files(paths)
        self._show_plan()

    def _make_head_and_foot(self) -> None:
        self.promise = Text(_(_PROMISE), ink="text2", wraps=False)
        self.head.row.addWidget(self.promise)
        self.copy = self.add_to_foot(push_button(_("Copy report"), self._copy_report))
        self.set_verb(self._write)

    def _make_side(self) -> None:
        self.side = FilesSide(self._choose_files, self._choose_folder, self._choose_id_pairs)
        self.list, self.add = self.side.list, self.side.add
        # The list of no files has no height: nobody would see that it has the keyboard.
        self.first = self.add

    def _make_middle(self) -> None:
        self.view = ImportFileView(self.work, self._take_out, self._show_lines)
        empty = QWidget()
        column = QVBoxLayout(empty)
        hint = Text(
            _(
                "Add files, or drop them here: queries, documents, runs, judgments, ranked results. "
                "You see what was read before anything is kept."
            ),
            role=Role.NEED,
            ink="text2",
        )
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint.setFixedWidth(min(scaled(420), 640))
        column.addWidget(hint, alignment=Qt.AlignmentFlag.AlignCenter)
        self.pages = QStackedWidget()
        self.pages.addWidget(empty)
        self.pages.addWidget(self.view)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(in_line(self.side, self.pages, 1))

    def _connect(self) -> None:
        self.list.currentItemChanged.connect(self._show_current)
        on_key("Del", self.list, self._take_out)
        self.work.file_changed.connect(self._show_file)
        self.work.file_found.connect(self._list_file)
        self.work.planned.connect(self._show_plan)
        self.work.progressed.connect(self.show_progress)
        self.work.finished.connect(self.finish)
        self.work.stopped.connect(self._show_stopped)

    # Files

    def add_files(self, paths: Sequence[Path]) -> None:
        """Begin to read files, or folders of texts; what is listed already is read anew.

        The first of them is chosen, and each is said as soon as it is known what it holds.
        """
        added = list(dict.fromkeys(map(self.work.add, paths)))
        for file in added:
            if self.work.files.index(file) >= self.list.count():
                self._list_file(file)
            elif file not in self._untold:
                self._untold.append(file)
        if added:
            self.list.setCurrentRow(self.work.files.index(added[0]))
            # What Enter does is then no longer 'Add files…'.
            self.first = self.list
            self.list.setFocus()
        self._show_title()

    def _list_file(self, file: ImportFile) -> None:
        item = list_item(file, "", file.spoken)
        # Large text leaves a long name little room.
        item.setToolTip(plain_tooltip(file.name))
        self.list.insertItem(self.work.files.index(file), item)
        self._untold.append(file)
        self._show_title()

    def _choose_files(self) -> None:
        self.add_files(self._prompter.choose_files(_("Files to import"), FILE_KINDS))

    def _choose_folder(self) -> None:
        self.add_files(self._prompter.choose_folder(_("Folder to import")))

    def _choose_id_pairs(self) -> None:
        for path in self._prompter.choose_files(_("Pairs of ids"), FILE_KINDS):
            try:
                self.side.tell_ids(self.work.take_id_pairs(path))
            except JudgetoolError as problem:
                self.side.tell_ids(str(problem))

    def _take_out(self) -> None:
        file = self._current
        if file is not None and not self.work.is_writing:
            self.list.takeItem(self.list.currentRow())
            self.work.take_out(file)
            self._show_title()

    @property
    def _current(self) -> ImportFile | None:
        row = self.list.currentRow()
        file = self.list.item(row).data(ROW) if row >= 0 else None
        return file if isinstance(file, ImportFile) else None

    def _show_current(self) -> None:
        file = self._current
        self.pages.setCurrentIndex(0 if file is None else 1)
        if file is not None:
            self.view.show_file(file)
        self._describe_others()

    def _describe_others(self) -> None:
        """Have readers hear what is said of a file where they come to it; of this one it was announced."""
        for row in set(range(self.list.count())) - {self.list.currentRow()}:
            item = self.list.item(row)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, item.data(ROW).remarks)

    def _show_file(self, file: ImportFile) -> None:
        for row in range(self.list.count()):
            item = self.list.item(row)
            if item.data(ROW) is file:
                item.setData(Qt.ItemDataRole.AccessibleTextRole, file.spoken)
        self.list.viewport().update()
        if file is self._current:
            self._show_current()
        else:
            self._describe_others()
        if file in self._untold and file.told:
            self._later.start()

    def _tell(self) -> None:
        """Say once of each file that was added what was read and what was left out."""
        known = [file for file in self._untold if file.told]
        self._untold = [file for file in self._untold if not file.told]
        announce(self, " ".join(file.told for file in known if file in self.work.files))

    def _show_title(self) -> None:
        count = self.list.count()
        self.list.setMaximumHeight(count * scaled(_ROW_HEIGHT))
        title = enclosed(self.session.title)
        self.set_title(
            number_of(
                count, "Import {n} file into {title}", "Import {n} files into {title}", title=title
            )
            if count
            else _("Import into {title}").format(title=title)
        )

    def _show_lines(self, finding: FileRemark) -> None:
        dialog = MessageDialog(f"{finding.title}.", [], detail="\n".join(finding.lines)).above(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # The plan

    def _show_plan(self) -> None:
        plan = self.work.plan
        n_records = 0 if plan is None else n_to_write(plan)
        self.copy.setEnabled(plan is not None)
        verb = _("Import")
        if n_records and plan is not None and is_doubtful(plan):
            verb = number_of(n_records, "Import {n} record anyway", "Import {n} records anyway")
        elif n_records:
            verb = number_of(n_records, "Import {n} record", "Import {n} records")
        self.verb.setText(verb)
        waiting = [] if plan is None else waiting_names(plan)
        unnamed = [file.name for file in self.work.unnamed]
        left_out = left_out_sentence([file.name for file in self.work.files if file.is_left_out])
        is_open = bool(waiting or unnamed)
        self.verb.setEnabled(n_records > 0 and not is_open and not self.work.is_writing)
        reason = self.session.read_only_reason
        if reason:
            self.show_problem(reason)
        elif is_open:
            self.show_lack(open_questions_sentence(waiting, unnamed))
        elif plan is not None and refused_text(plan):
            rest = _("The rest can be imported.") if n_records else _("Nothing can be imported.")
            self.show_lack(f"{refused_text(plan)} {rest}")
        elif plan is not None and not plan.n_records:
            self.show_remark(_("Nothing of it can be imported."))
        elif plan is not None and plan.is_empty:
            self.show_remark(_("The project has all of this already."))
        else:
            self.show_remark(f"{left_out} {_(UNDO_REMARK) if n_records else ''}".strip())

        if self._is_confirmed and plan is not None:
            self._is_confirmed = False
            if is_doubtful(plan):
                # Nobody knew of it when the key was pressed.
                announce(self, self.verb.text())
            else:
                self.act_or_say()

    @override
    def confirm(self, event: QKeyEvent) -> None:
        """Import, as soon as what was said last of the files is worked out."""
        if event.isAutoRepeat() or not self.work.is_planning:
            super().confirm(event)
            return
        self._is_confirmed = True
        announce(
            self, _("The files are still being read. They are imported as soon as that is done.")
        )

    def _copy_report(self) -> None:
        if self.work.plan is not None:
            QGuiApplication.clipboard().setText(preview_text(self.work.plan))

    # Writing

    def _write(self) -> None:
        if self.work.plan is None:
            return
        self.bar.setRange(0, max(1, n_to_write(self.work.plan)))
        self.bar.setValue(0)
        self._set_busy(is_busy=True)
        self.promise.setText(_("You can go on judging meanwhile."))
        self.working = self.work.write()
        self.hold_main_window(is_held=False)

    def _set_busy(self, *, is_busy: bool) -> None:
        self.setAcceptDrops(not is_busy)
        side = self.side
        self.set_busy(self.add, side.folder, side.ids, self.view, self.copy, is_busy=is_busy)

    def _show_stopped(self, sentence: str) -> None:
        self.working = None
        self._set_busy(is_busy=False)
        self.promise.setText(_(_PROMISE))
        self._show_plan()
        self.show_remark(sentence)

    @override
    def reject(self) -> None:
        """Stop the work, or leave; where something was chosen by hand only if the person says so."""
        discard = Choice("discard", _("Discard"), destroys=True)
        text = _("Discard what you have chosen of these files?")
        if self.working is None and self.work.is_decided:
            if self._prompter.ask(text, [discard], put_off=N_("Keep it")) is None:
                return
            self.leave()
        else:
            super().reject()

    @override
    def drop_work(self) -> None:
        """Stop reading and planning."""
        self.work.drop_all()

    # Events

    @override
    def take_files(self, paths: list[str]) -> None:
        """Read what was dropped."""
        self.add_files([Path(path) for path in paths])

    @classmethod
    def ask(
        cls,
        window: QWidget | None,
        session: Session,
        jobs: Jobs,
        prompter: Prompter,
        paths: Sequence[Path] = (),
    ) -> str | None:
        """Show the import of files and carry it out if it is accepted.

        Returns:
            The sentence for the status line; ``None`` when nothing was imported, also
            when an import is open already, which then gets the files.
        """
        open_already = cls.find_open(session)
        if open_already is None:
            return cls(session, jobs, prompter, paths).wait_for_answer(window)
        if not open_already.work.is_writing:
            open_already.add_files(paths)
        return None
