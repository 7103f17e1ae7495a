"""The first rows of a file, under heads that say, and let be changed, what each column is."""

from functools import partial

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QScrollArea, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.dialogs.import_preview import PreviewRows, role_title
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.grade_style import chip_height, chip_width, draw_chip, grade_style
from judgetool.gui.painting import LEFT, RIGHT, draw_line, draw_text
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

_RIGHT_HEADS = ("line", "rank", "score")
_WIDEST = 260
_LEAST_ROLE = 76


class PreviewTable(PaintedWidget):
    """The first rows of a file as they were understood; grades as chips.

    Signals:
        role_chosen: the header of a column, and the role that the person gives it.
    """

    role_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = PreviewRows((), (), 0)
        self._scale: Scale | None = None
        self.roles: list[QComboBox] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_rows(self, rows: PreviewRows, scale: Scale) -> None:
        """Show other rows.

        Args:
            rows: what to show.
            scale: how grades look.
        """
        is_same = rows == self._rows
        self._rows, self._scale = rows, scale
        spoken = (
            ", ".join(f"{head} {cell}" for head, cell in zip(rows.heads, row, strict=True) if cell)
            for row in rows.rows
        )
        self.setAccessibleName("First rows")
        self.setAccessibleDescription("; ".join(spoken))
        if not is_same:
            self._make_roles()
        self.setMinimumWidth(int(sum(self._least_widths())) if rows.roles else 0)
        self._place_roles()
        self.updateGeometry()
        self.update()

    def _make_roles(self) -> None:
        for combo in self.roles:
            combo.hide()
            combo.deleteLater()
        self.roles = []
        for head, role in zip(self._rows.heads, self._rows.roles, strict=False):
            combo = NamedCombo(self)
            combo.setVisible(bool(role))
            combo.setAccessibleName(f"Column {head} is")
            for choice in dict.fromkeys((*self._rows.role_choices, role)):
                combo.addItem(role_title(choice), choice)
            combo.setCurrentIndex(combo.findData(role))
            combo.activated.connect(partial(self._choose_role, head, combo))
            self.roles.append(combo)

    def _choose_role(self, head: str, combo: QComboBox, _index: int) -> None:
        self.role_chosen.emit(head, str(combo.currentData()))

    @property
    def _head_height(self) -> float:
        return float(scaled(62 if self._rows.roles else 30))

    @override
    def sizeHint(self) -> QSize:
        """Return the size of head and rows."""
        height = self._head_height + max(1, len(self._rows.rows)) * scaled(28)
        return QSize(scaled(400), int(height) + 1)

    def _least_widths(self) -> list[float]:
        gap = scaled(24)
        return [
            float(
                max(scaled(_LEAST_ROLE), text_width(Role.UI, role_title(role)) + scaled(54)) + gap
            )
            if role
            else float(scaled(40) + gap)
            for role in self._rows.roles
        ]

    def _widths(self) -> list[float]:
        """Return the columns' widths: by content, the widest giving way, the rest to the last."""
        gap = scaled(24)
        leasts = self._least_widths() or [float(scaled(50))] * len(self._rows.heads)
        widths = []
        for place, (head, least) in enumerate(zip(self._rows.heads, leasts, strict=True)):
            cells = (row[place] for row in self._rows.rows)
            content = max((text_width(Role.UI, cell) for cell in cells), default=0)
            if self._is_grade(place):
                content = scaled(44)
            title = text_width(Role.HEAD, head)
            wide = float(max(min(title, scaled(_WIDEST)), min(content, scaled(_WIDEST))) + gap)
            widths.append(max(wide, least if self._rows.roles else 0.0))
        excess = sum(widths) - self.width()
        while excess > 0.5:
            widest = max(range(len(widths)), key=lambda place: widths[place] - leasts[place])
            cut = min(excess, max(8.0, widths[widest] * 0.1))
            if widths[widest] - cut < leasts[widest]:
                break
            widths[widest] -= cut
            excess -= cut
        if widths and excess < 0:
            widths[-1] -= excess
        return widths

    def _is_grade(self, place: int) -> bool:
        roles = self._rows.roles
        return roles[place] == "grade" if roles else self._rows.heads[place] == "grade"

    def _is_right(self, place: int) -> bool:
        has_choice = bool(self._rows.roles) and bool(self._rows.roles[place])
        return self._rows.heads[place] in _RIGHT_HEADS and not has_choice

    def _place_roles(self) -> None:
        left = 0.0
        for combo, width in zip(self.roles, self._widths(), strict=False):
            inner = min(width - scaled(16), float(scaled(180)))
            inner = min(inner, float(scaled(40)) + combo.sizeHint().width())
            place = mirrored(self, QRectF(left, scaled(28), inner, scaled(26)))
            combo.setGeometry(place.toRect())
            left += width

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the choices with their columns."""
        super().resizeEvent(event)
        self._place_roles()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow font and direction."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange):
            self._place_roles()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        head_height, row_height = self._head_height, float(scaled(28))
        left = 0.0
        for place, (head, width) in enumerate(zip(self._rows.heads, self._widths(), strict=True)):
            align = RIGHT if self._is_right(place) else LEFT
            inner = width - scaled(24)
            # A head without a choice under it stands where the choices do.
            is_low = self._rows.roles and not self._rows.roles[place]
            head_top = float(scaled(32)) if is_low else 0.0
            cell = mirrored(self, QRectF(left, head_top, inner, scaled(26)))
            draw_text(painter, cell, head, role=Role.HEAD, colour=self.theme.text3, align=align)
            for number, row in enumerate(self._rows.rows):
                top = head_height + number * row_height
                cell = mirrored(self, QRectF(left, top, inner, row_height))
                self._paint_cell(painter, cell, place, row[place])
            left += width
        draw_line(painter, QRectF(0, 0, self.width(), head_height), self.theme.line_strong)
        for number in range(len(self._rows.rows)):
            bottom = head_height + (number + 1) * row_height
            draw_line(painter, QRectF(0, 0, self.width(), bottom), self.theme.line)
        painter.end()

    def _paint_cell(self, painter: QPainter, cell: QRectF, place: int, text: str) -> None:
        grade = _number(text) if self._is_grade(place) else None
        if grade is not None and self._scale is not None and self._scale.find_level(grade):
            style = grade_style(self._scale, grade, self.theme)
            top = round(cell.center().y() - chip_height() / 2)
            chip = QRectF(cell.left(), top, chip_width([style]), chip_height())
            draw_chip(painter, chip, self.theme, style)
            return
        is_right = self._is_right(place)
        is_out = bool(self._rows.roles) and self._rows.roles[place] == "ignore"
        colour = self.theme.text3 if is_right or is_out else self.theme.text
        align = RIGHT if is_right else LEFT
        draw_text(painter, cell, text, role=Role.UI, colour=colour, align=align)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class TableArea(QScrollArea):
    """Lets a table of many columns be moved sideways; as high as the table.

    Args:
        table: what is inside.
        parent: of the area.
    """

    def __init__(self, table: PreviewTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self.setWidget(table)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        table.setAutoFillBackground(False)

    def fit(self) -> None:
        """Take the height of the table, with room for the bar where it is needed."""
        is_wide = self._table.minimumWidth() > self.viewport().width()
        bar = self.horizontalScrollBar().sizeHint().height() if is_wide else 0
        height = self._table.sizeHint().height() + bar
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width."""
        super().resizeEvent(event)
        self.fit()
