"""The files of an import: what is known of each, and their list at the left."""

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.formats import Kind, Reading
from judgetool.formats.values import Question
from judgetool.gui.dialogs.act_dialog import Text, line_of, push_button
from judgetool.gui.dialogs.framed_list import ROW, Index, RowDelegate, make_list
from judgetool.gui.dialogs.import_findings import ImportFinding, worst_level
from judgetool.gui.dialogs.import_preview import KIND_TITLES, FileView
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.jobs import JobHandle
from judgetool.gui.painting import (
    RIGHT,
    draw_line,
    draw_ring,
    draw_text,
)
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.painted import Panel
from judgetool.session.imports.plan import FileReport

_ICONS = {
    Kind.QUERIES: "search",
    Kind.DOCUMENTS: "file-text",
    Kind.RUN: "layers",
    Kind.JUDGMENTS: "scale",
    Kind.RESULTS: "table-2",
    Kind.CLICKS: "table-2",
}


class FileState(Enum):
    """How far a file is."""

    READING = "reading"
    READ = "read"
    REFUSED = "refused"


@dataclass(eq=False, slots=True)
class ImportFile:
    """One file on its way into the project.

    Attributes:
        path: the file.
        kind: what the person says it is about; ``None`` finds out by its content.
        state: see :class:`FileState`.
        reading: what was read, once it is.
        report: what importing it would do, once that is worked out.
        view: its first rows and grades, once it is read.
        problem: why nothing of it can be used.
        share: how much is read, 0 to 1.
        findings: what is said of it.
        job: reads it.
        questions: what was asked of a file that could not be read.
        answers: what the person said to its questions, by name.
        column_roles: what the person said of its columns, by header.
        word_map: grades of the scale for grades that are words.
        grade_map: grades of the scale for other numbers.
    """

    path: Path
    kind: Kind | None = None
    state: FileState = FileState.READING
    reading: Reading | None = None
    report: FileReport | None = None
    view: FileView | None = None
    problem: str = ""
    share: float = 0.0
    findings: tuple[ImportFinding, ...] = field(default=())
    job: JobHandle | None = None
    questions: tuple[Question, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    column_roles: dict[str, str] = field(default_factory=dict)
    word_map: dict[str, float] = field(default_factory=dict)
    grade_map: dict[float, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name; of one in a zip file, its own."""
        return self.answers.get("member", "") or self.path.name

    @property
    def source(self) -> str:
        """What its reading calls it."""
        return self.reading.source if self.reading is not None else str(self.path)

    @property
    def subtitle(self) -> str:
        """The line under the name: what it is, or what is odd about it."""
        if self.state is FileState.READING:
            return "Waiting" if self.share <= 0 else f"Reading, {self.share:.0%}"
        if self.state is FileState.REFUSED or self.reading is None:
            return "Columns to assign" if self.view is not None else "Left out"
        odd = next((each.title for each in self.findings if each.level == "warn"), "")
        return odd or KIND_TITLES[self.reading.kind]

    @property
    def count(self) -> str:
        """Number of records, or nothing while it is not known."""
        return "" if self.report is None else f"{self.report.n_records:,}"

    @property
    def spoken(self) -> str:
        """The row in words, for readers."""
        records = f", {self.count} records" if self.count else ""
        return f"{self.name}, {self.subtitle}{records}"


def row_height() -> int:
    """Return the height of a file's row: 52 px at a 13 px font."""
    return scaled(FileDelegate.height)


class FileDelegate(RowDelegate):
    """Paints a file's row: icon, name and subtitle, number of records, how it stands."""

    height = 52

    @override
    def draw(self, painter: QPainter, inner: QRectF, index: Index) -> None:
        """Paint what is on the ground of the row, and the line under it."""
        theme, file = current_theme(), index.data(ROW)
        draw_line(painter, inner.adjusted(-scaled(12), 0, scaled(12), 0), theme.line)
        middle = inner.center().y()
        kind = file.reading.kind if file.reading is not None else file.kind
        icon = "file" if kind is None else _ICONS[kind]
        left = inner.left() + scaled(4)
        draw_icon(painter, QRectF(left, middle - 8, 16, 16), name=icon, colour=theme.text3)
        left += 16 + scaled(10)
        mark = QRectF(inner.right() - scaled(4) - 14, round(middle - 7), 14, 14)
        _paint_mark(painter, mark, theme, file)
        count_width = max(scaled(44), text_width(Role.UI, file.count))
        count_left = mark.left() - scaled(10) - count_width
        count = QRectF(count_left, inner.top(), count_width, inner.height())
        draw_text(painter, count, file.count, role=Role.UI, colour=theme.text, align=RIGHT)
        name_height, sub_height = line_height(Role.UI_STRONG), line_height(Role.META)
        top = middle - (name_height + sub_height) / 2
        width = count_left - scaled(6) - left
        name = QRectF(left, top, width, name_height)
        draw_text(painter, name, file.name, role=Role.UI_STRONG, colour=theme.text)
        is_left_out = file.state is FileState.REFUSED and file.view is None
        sub = QRectF(left, top + name_height, width, sub_height)
        colour = theme.bad if is_left_out else theme.text2
        draw_text(painter, sub, file.subtitle, role=Role.META, colour=colour)


def _paint_mark(painter: QPainter, mark: QRectF, theme: Theme, file: ImportFile) -> None:
    if file.state is FileState.READING:
        draw_ring(painter, mark, theme, share=min(file.share, 0.99))
    elif file.state is FileState.REFUSED and file.view is not None:
        draw_icon(painter, mark, name="triangle-alert", colour=theme.warn, px=14)
    elif file.state is FileState.REFUSED:
        draw_icon(painter, mark, name="circle-x", colour=theme.bad, px=14)
    elif worst_level(file.findings) == "warn":
        draw_icon(painter, mark, name="triangle-alert", colour=theme.warn, px=14)
    elif file.report is not None:
        draw_icon(painter, mark, name="check", colour=theme.good, px=14)


class FilesSide(Panel):
    """The left side: the files, and the button that adds some.

    Attributes:
        list: the files.
        add: the button.
        ids: the button that takes pairs of ids from a file.
        ids_told: what became of them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = make_list("Files")
        self.list.setItemDelegate(FileDelegate(self.list))
        self.list.viewport().setAutoFillBackground(False)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.add = push_button("Add files…")
        self.ids = push_button("Id pairs…")
        self.ids.setToolTip("A file of two columns: the files’ ids and the project’s")
        self.ids_told = Text("", role=Role.META, ink="text2")
        self.ids_told.setContentsMargins(16, 0, 16, 12)
        self.ids_told.hide()
        records = Text("records", role=Role.META, ink="text3")
        heads = line_of(Text("Files", role=Role.UI_STRONG), None, records)
        heads.setContentsMargins(16, 12, 40, 4)
        below = line_of(self.add, self.ids, None)
        below.setContentsMargins(16, 12, 16, 12)
        self.setFixedWidth(scaled(288))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 0)
        column.setSpacing(0)
        column.addLayout(heads)
        # The button follows the last row; the list grows until it has to scroll.
        column.addWidget(self.list, stretch=1000)
        column.addLayout(below)
        column.addWidget(self.ids_told)
        column.addStretch(1)

    def tell_ids(self, sentence: str) -> None:
        """Say which pairs of ids hold, or why a file of pairs cannot be taken."""
        self.ids_told.setText(sentence)
        self.ids_told.setVisible(bool(sentence))

    @override
    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the ground, and the line at its end."""
        super().paint(painter, exposed)
        painter.fillRect(QRectF(self.width() - 1, 0, 1, self.height()), self.theme.line)
