"""One level of a scale as a row of fields, and the numbers that people type into them."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QColorDialog,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from judgetool.core.scale import (
    Level,
    format_grade,
)
from judgetool.gui.dialogs.act_dialog import (
    edit,
    framed_icon_button,
)
from judgetool.gui.dialogs.framed_list import PieceView
from judgetool.gui.fonts import scaled
from judgetool.gui.grade_style import chip_height
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.fields import parse_typed_number
from judgetool.gui.widgets.row_parts import Piece


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
    "grade": _LevelField("grade", 52),
    "code": _LevelField("code", 52, most=4),
    "name": _LevelField("name", 120, grows=True),
    "definition": _LevelField("when to give it", 180, grows=True),
    "gain": _LevelField("gain", 56),
    "probability": _LevelField("probability", 76, spoken="probability of relevance"),
    "key": _LevelField("key", 36, most=1),
    "symbol": _LevelField("symbol", 44, hint="◔", most=2),
    "colour": _LevelField("colour", 86, hint="theme’s"),
}
HEADS = ("", *(field.head for field in _FIELDS.values()), "")


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

    def __init__(self, level: Level, *, is_used: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.origin = level.grade if is_used else None
        self.chip = PieceView(lambda: (Piece(None, scaled(40)),), chip_height())
        self.chip.setParent(parent)
        texts = {
            "grade": format_grade(level.grade),
            "gain": format_grade(level.gain),
            "probability": f"{level.p_relevant:.6g}",
        }
        self.by_name: dict[str, QLineEdit] = {}
        for name, said in _FIELDS.items():
            text = texts[name] if name in texts else getattr(level, name) or ""
            self.by_name[name] = _field(text, said, parent)
        self.grade, self.name = self.by_name["grade"], self.by_name["name"]
        self.key, self.colour = self.by_name["key"], self.by_name["colour"]
        self.by_name["code"].setPlaceholderText(texts["grade"])
        self.picker = framed_icon_button("Choose a colour", "pipette", self._pick, parent)
        self.remove = framed_icon_button("Remove this level", "trash-2", parent=parent)
        if is_used:
            why = "Judgments have this grade; when it goes, they get another, which is asked below."
            self.grade.setToolTip(why)
            self.remove.setToolTip(f"Remove this level. {why}")
        for field in self.by_name.values():
            field.textChanged.connect(self.edited)
        self.remove.clicked.connect(self.removed)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """Everything of the row, in the order of the columns."""
        return (self.chip, *self.by_name.values(), self.picker, self.remove)

    def put_into(self, grid: QGridLayout, line: int) -> None:
        """Place the row's fields on a line of the grid."""
        for column, widget in enumerate(self.widgets):
            grid.addWidget(widget, line, column)

    def discard(self) -> None:
        """Take the row's fields away."""
        for widget in (*self.widgets, self):
            widget.hide()
            widget.deleteLater()

    def _pick(self) -> None:
        start = QColor(self.colour.text()) if self.colour.text() else current_theme().accent
        colour = QColorDialog.getColor(start, self.picker, "Colour of this level")
        if colour.isValid():
            self.colour.setText(colour.name())

    def read(self) -> Level | str:
        """Return the level that the fields say, or a sentence that says what does not fit."""
        label = self.name.text().strip() or self.grade.text().strip() or "The new level"
        numbers = {}
        for what in ("grade", "gain", "probability"):
            text = self.by_name[what].text()
            number = parse_typed_number(text)
            if number is None:
                return f"{label}: the {what} {text!r} is not a number such as 2 or 0.5."
            numbers[what] = number
        colour = parse_colour(self.colour.text())
        if colour is None:
            return f"{label}: the colour {self.colour.text()!r} does not read like #1f5fae."
        texts = {
            name: self.by_name[name].text().strip()
            for name in ("name", "definition", "code", "symbol")
        }
        return Level(
            grade=numbers["grade"],
            gain=numbers["gain"],
            p_relevant=numbers["probability"],
            key=self.key.text().strip().lower(),
            colour=colour or None,
            **texts,
        )


def _field(text: str, said: "_LevelField", parent: QWidget) -> QLineEdit:
    field = edit(text, hint=said.hint, name=said.spoken or said.head, most=said.most)
    field.setParent(parent)
    field.setCursorPosition(0)
    if said.grows:
        field.setMinimumWidth(scaled(said.width))
    else:
        field.setFixedWidth(scaled(said.width))
    return field
