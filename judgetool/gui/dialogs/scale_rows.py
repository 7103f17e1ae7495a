"""One level of a scale as a row of fields, and the numbers that people type into them."""

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QColorDialog,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from judgetool.core.override import override
from judgetool.core.scale import Level, format_grade
from judgetool.gui.dialogs.act_dialog import framed_icon_button
from judgetool.gui.fonts import scaled
from judgetool.gui.grade_style import GradeStyle, chip_height, chip_width, draw_chip
from judgetool.gui.icons import themed_icon
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.number_entry import parse_typed_number
from judgetool.gui.widgets.painted import PaintedWidget

HEADS = (
    "",
    "grade",
    "code",
    "name",
    "when to give it",
    "gain",
    "probability",
    "key",
    "symbol",
    "colour",
    "",
)


def parse_colour(text: str) -> str | None:
    """Return a colour as ``#rrggbb``, ``""`` for none, ``None`` if it is no colour."""
    text = text.strip()
    if not text:
        return ""
    colour = QColor(text if text.startswith("#") else f"#{text}")
    return colour.name() if colour.isValid() and len(text.lstrip("#")) in (3, 6) else None


class ChipView(PaintedWidget):
    """A grade's chip as it will look; empty while the scale does not stand."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style: GradeStyle | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_style(self, style: GradeStyle | None) -> None:
        """Show another look."""
        self._style = style
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size of a chip."""
        width = scaled(40) if self._style is None else chip_width([self._style])
        return QSize(max(width, scaled(40)), chip_height())

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        if self._style is None:
            return
        painter = QPainter(self)
        width = chip_width([self._style])
        draw_chip(painter, QRectF(0, 0, width, self.height()), self.theme, self._style)
        painter.end()


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
        self.chip = ChipView(parent)
        self.grade = _field(format_grade(level.grade), "grade", parent, width=52)
        self.code = _field(level.code, "code", parent, width=52)
        self.code.setPlaceholderText(format_grade(level.grade))
        self.code.setMaxLength(4)
        self.name = _field(level.name, "name", parent, width=120)
        self.definition = _field(level.definition, "when to give it", parent, width=180)
        self.gain = _field(format_grade(level.gain), "gain", parent, width=56)
        self.probability = _field(
            f"{level.p_relevant:.6g}", "probability of relevance", parent, width=76
        )
        self.key = _field(level.key, "key", parent, width=36)
        self.key.setMaxLength(1)
        self.symbol = _field(level.symbol, "symbol", parent, width=44)
        self.symbol.setPlaceholderText("◔")
        self.symbol.setMaxLength(2)
        self.colour = _field(level.colour or "", "colour", parent, width=86)
        self.colour.setPlaceholderText("theme’s")
        self.picker = framed_icon_button("Choose a colour", parent)
        self.remove = framed_icon_button("Remove this level", parent)
        if is_used:
            why = "Judgments have this grade; when it goes, they get another, which is asked below."
            self.grade.setToolTip(why)
            self.remove.setToolTip(f"Remove this level. {why}")
        for field in self.fields:
            field.textChanged.connect(self.edited)
        self.picker.clicked.connect(self._pick)
        self.remove.clicked.connect(self.removed)
        self.refresh_icons()

    @property
    def fields(self) -> tuple[QLineEdit, ...]:
        """All fields, in the order of the columns."""
        return (
            self.grade,
            self.code,
            self.name,
            self.definition,
            self.gain,
            self.probability,
            self.key,
            self.symbol,
            self.colour,
        )

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """Everything of the row, in the order of the columns."""
        return (self.chip, *self.fields, self.picker, self.remove)

    def refresh_icons(self) -> None:
        """Draw the icons in the theme's inks."""
        theme = current_theme()
        self.picker.setIcon(themed_icon("pipette", theme))
        self.remove.setIcon(themed_icon("trash-2", theme))

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
        for what, field in (
            ("grade", self.grade),
            ("gain", self.gain),
            ("probability", self.probability),
        ):
            number = parse_typed_number(field.text())
            if number is None:
                return f"{label}: the {what} {field.text()!r} is not a number such as 2 or 0.5."
            numbers[what] = number
        colour = parse_colour(self.colour.text())
        if colour is None:
            return f"{label}: the colour {self.colour.text()!r} does not read like #1f5fae."
        return Level(
            grade=numbers["grade"],
            name=self.name.text().strip(),
            definition=self.definition.text().strip(),
            gain=numbers["gain"],
            p_relevant=numbers["probability"],
            key=self.key.text().strip().lower(),
            colour=colour or None,
            code=self.code.text().strip(),
            symbol=self.symbol.text().strip(),
        )


def _field(text: str, name: str, parent: QWidget, *, width: int) -> QLineEdit:
    field = QLineEdit(text, parent)
    field.setCursorPosition(0)
    field.setAccessibleName(name)
    field.setMinimumWidth(scaled(width))
    if name not in ("name", "when to give it"):
        field.setFixedWidth(scaled(width))
    return field
