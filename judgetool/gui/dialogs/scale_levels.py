"""The fields of a level of a scale, and how they stand: on a line, or on two in large text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog, QGridLayout, QLineEdit, QWidget

from judgetool.core.scale import Level
from judgetool.gui.dialogs.act_dialog import edit, framed_icon_button
from judgetool.gui.painting import chip_height, format_grade
from judgetool.gui.theme import current_theme, scaled
from judgetool.gui.widgets.fields import parse_typed_number
from judgetool.gui.widgets.labels import Piece, PieceView
from judgetool.wording import N_, _, local_number


@dataclass(frozen=True, slots=True)
class _LevelField:
    """A column of the table of levels.

    Attributes:
        head: its title.
        width: in px at a 13 px font.
        spoken: its name for readers; ``""`` uses the title.
        hint: shown while nothing is written.
        most: how many characters fit; 0 for any number.
        grows: whether it takes the room that is left over.
    """

    head: str
    width: int
    spoken: str = ""
    hint: str = ""
    most: int = 0
    grows: bool = False


_FIELDS = {
    "grade": _LevelField(N_("grade"), 52),
    "code": _LevelField(N_("code"), 52, most=4),
    "name": _LevelField(N_("name"), 120, grows=True),
    "definition": _LevelField(N_("when to give it"), 180, grows=True),
    "gain": _LevelField(N_("gain"), 56),
    "probability": _LevelField(N_("probability"), 76, spoken=N_("probability of relevance")),
    "key": _LevelField(N_("key"), 36, most=1),
    "symbol": _LevelField(N_("symbol"), 44, hint="◔", most=2),
    "colour": _LevelField(N_("colour"), 86, hint=N_("theme’s")),
}
HEADS = ("", *(field.head for field in _FIELDS.values()), "")


class Cell(NamedTuple):
    """Where a field stands among those of its level: line, column, columns taken."""

    line: int
    column: int
    across: int = 1


class Fold(NamedTuple):
    """How the fields of a level stand: each in its cell, and what columns take of room left over."""

    cells: tuple[Cell, ...]
    stretches: Mapping[int, int]
    n_lines: int


PLAIN = Fold(tuple(Cell(0, column) for column in range(len(_FIELDS) + 3)), {3: 1, 4: 2}, 1)
# In large text: what a level is called above, what it counts and how it looks below.
FOLDED = Fold(
    (
        *(Cell(0, column) for column in range(4)),
        Cell(0, 4, 3),
        *(Cell(1, column) for column in range(1, 7)),
        Cell(0, 7),
    ),
    {3: 1, 6: 2},
    2,
)
COLUMNS = range(len(PLAIN.cells))


def parse_colour(text: str) -> str | None:
    """Return a colour as ``#rrggbb``, ``""`` for none, ``None`` if it is no colour."""
    text = text.strip()
    if not text:
        return ""
    colour = QColor(text if text.startswith("#") else f"#{text}")
    return colour.name() if colour.isValid() and len(text.lstrip("#")) in (3, 6) else None


class LevelRow(QWidget):
    """The fields of one level; laid out by the editor's grid, not by itself.

    Args:
        level: what the fields show at first.
        is_used: whether judgments have this grade, so that they get another when it goes.
        parent: the editor's table.
    """

    edited = Signal()
    removed = Signal()
    left = Signal()

    def __init__(self, level: Level, *, is_used: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.origin = level.grade if is_used else None
        self.chip = PieceView(lambda: (Piece(None, scaled(40)),), chip_height, parent=parent)
        texts = {
            "grade": format_grade(level.grade),
            "gain": format_grade(level.gain),
            "probability": local_number(f"{level.p_relevant:.6g}"),
            "name": level.shown_name,
            "definition": level.shown_definition,
        }
        # What a preset is called is kept as it is in its file, in whatever language it is read.
        self._kept = {texts["name"]: level.name, texts["definition"]: level.definition}
        self.by_name: dict[str, QLineEdit] = {}
        for name, said in _FIELDS.items():
            text = texts[name] if name in texts else getattr(level, name) or ""
            self.by_name[name] = _field(text, said, parent)
        self.grade, self.name = self.by_name["grade"], self.by_name["name"]
        self.key, self.colour = self.by_name["key"], self.by_name["colour"]
        self.by_name["code"].setPlaceholderText(texts["grade"])
        self.picker = framed_icon_button(_("Choose a colour"), "pipette", self._pick, parent)
        self.remove = framed_icon_button(_("Remove this level"), "trash-2", parent=parent)
        self._suggested: dict[str, str] = {}
        if is_used:
            why = _(
                "Judgments have this grade; when it goes, they get another, which is asked below."
            )
            self.grade.setToolTip(why)
            self.remove.setToolTip(_("Remove this level. {why}").format(why=why))
        self._say_of_which()
        self.grade.textChanged.connect(self._say_of_which)
        for field in self.by_name.values():
            field.textChanged.connect(self.edited)
            field.editingFinished.connect(self.left)
        self.remove.clicked.connect(self.removed)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """Everything of the row, in the order of the columns."""
        return (self.chip, *self.by_name.values(), self.picker, self.remove)

    def _say_of_which(self) -> None:
        """Name each field with its level for readers, which meet the same fields in every row."""
        grade = self.grade.text().strip()
        buttons = ((self.picker, _("Choose a colour")), (self.remove, _("Remove")))
        heads = (_(said.spoken or said.head) for said in _FIELDS.values())
        for widget, part in (*zip(self.by_name.values(), heads, strict=True), *buttons):
            widget.setAccessibleName(_("{part}, level {grade}").format(part=part, grade=grade))

    def suggest(self, texts: Mapping[str, str]) -> None:
        """Write into fields, by name, what was suggested there and what nobody has changed."""
        for name, text in texts.items():
            field = self.by_name[name]
            if field.text() == self._suggested.get(name, field.text()):
                self._suggested[name] = text
                field.setText(text)

    def put_into(self, grid: QGridLayout, line: int, fold: Fold) -> None:
        """Place the row's fields on lines of the grid from one on."""
        for widget, cell in zip(self.widgets, fold.cells, strict=True):
            put_cell(grid, widget, line, cell)

    def discard(self) -> None:
        """Take the row's fields away."""
        for widget in (*self.widgets, self):
            widget.hide()
            widget.deleteLater()

    def _pick(self) -> None:
        start = QColor(self.colour.text()) if self.colour.text() else current_theme().accent
        colour = QColorDialog.getColor(start, self.picker, _("Colour of this level"))
        if colour.isValid():
            self.colour.setText(colour.name())

    def read(self) -> Level | str:
        """Return the level that the fields say, or a sentence that says what does not fit."""
        label = self.name.text().strip() or self.grade.text().strip() or _("The new level")
        numbers = {}
        said = {
            "grade": _("{label}: the grade ‘{text}’ is not a number such as 2 or 0.5."),
            "gain": _("{label}: the gain ‘{text}’ is not a number such as 2 or 0.5."),
            "probability": _("{label}: the probability ‘{text}’ is not a number such as 2 or 0.5."),
        }
        for what, sentence in said.items():
            text = self.by_name[what].text()
            number = parse_typed_number(text)
            if number is None:
                return sentence.format(label=label, text=text)
            numbers[what] = number
        colour = parse_colour(self.colour.text())
        if colour is None:
            return _("{label}: the colour ‘{text}’ does not read like #1f5fae.").format(
                label=label, text=self.colour.text()
            )
        texts = {
            name: self.by_name[name].text().strip()
            for name in ("name", "definition", "code", "symbol")
        }
        texts |= {name: self._kept.get(texts[name], texts[name]) for name in ("name", "definition")}
        return Level(
            grade=numbers["grade"],
            gain=numbers["gain"],
            p_relevant=numbers["probability"],
            key=self.key.text().strip().lower(),
            colour=colour or None,
            **texts,
        )


def put_cell(grid: QGridLayout, widget: QWidget, line: int, cell: Cell) -> None:
    """Place a widget in a cell of the lines that begin at one."""
    grid.addWidget(widget, line + cell.line, cell.column, 1, cell.across)
    if widget.maximumWidth() == widget.minimumWidth():
        # In the column of a wider one it would stand in the middle.
        grid.setAlignment(widget, Qt.AlignmentFlag.AlignLeft)


def _field(text: str, said: "_LevelField", parent: QWidget) -> QLineEdit:
    field = edit(text, hint=_(said.hint), name=_(said.spoken or said.head), most=said.most)
    field.setParent(parent)
    field.setCursorPosition(0)
    if said.grows:
        field.setMinimumWidth(scaled(said.width))
    else:
        field.setFixedWidth(scaled(said.width))
    if said.hint:
        # The hint looks like one; readers read it like a text.
        field.textChanged.connect(lambda: _say_empty(field))
        _say_empty(field)
    return field


def _say_empty(field: QLineEdit) -> None:
    field.setAccessibleDescription("" if field.text() else _("empty"))
