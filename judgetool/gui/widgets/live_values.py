"""The live panel: what each measure is now, and what the last judgment did to it."""

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import LEFT, RIGHT, draw_text, start_align
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.live_rows import INSET, LiveRows
from judgetool.gui.widgets.metric_row import MetricRow
from judgetool.gui.widgets.painted import RING, PaintedButton, PaintedWidget, Panel, mirrored

_CHEVRON = 14


@dataclass(frozen=True, slots=True)
class LiveHead:
    """What stands above the values.

    Attributes:
        preset: name of the measure set, such as ``trec_eval``.
        queries: how many the means are over.
        against: what change is against, such as ``last judgment``.
    """

    preset: str
    queries: int
    against: str


class AgainstButton(PaintedButton):
    """What changes are measured against; opens the choice."""

    radius = 4.0

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        width = text_width(Role.META, self._long_text) + 1 + scaled(8) + _CHEVRON
        return QSize(width, line_height(Role.META) + 2)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(40, self.sizeHint().height())

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the face."""
        theme, face = self.theme, self.face
        ink = theme.text if self.underMouse() else theme.text2
        square = QRectF(
            face.right() - _CHEVRON, face.center().y() - _CHEVRON / 2, _CHEVRON, _CHEVRON
        )
        draw_icon(
            painter, self.mirrored(square), name="chevron-down", colour=theme.text3, px=_CHEVRON
        )
        place = QRectF(
            face.left(), face.top(), square.left() - scaled(8) - face.left(), face.height()
        )
        fits = text_width(Role.META, self._long_text) <= place.width()
        text = self._long_text if fits else self.text()
        where = self.mirrored(place)
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        align = RIGHT if is_left else LEFT
        draw_text(painter, where, text, role=Role.META, colour=ink, align=align)

    @property
    def _long_text(self) -> str:
        return f"change: {self.text()}"


class _ColumnHeads(PaintedWidget):
    def __init__(self, rows: LiveRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows
        self.texts = ("", "This query", "Mean")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @override
    def sizeHint(self) -> QSize:
        return QSize(150, line_height(Role.HEAD) + scaled(8))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        columns = self._rows.columns()
        spans = (columns.name, columns.query, columns.mean)
        for text, span in zip(self.texts, spans, strict=True):
            if span is None:
                continue
            place = mirrored(self, QRectF(span[0], 0, span[1], self.height() - 2))
            # Values stay left to right within their column, and their heads with them.
            align = LEFT if columns.mean is not None else RIGHT
            if span is columns.name:
                align = start_align(self.layoutDirection())
            draw_text(painter, place, text, role=Role.HEAD, colour=self.theme.text3, align=align)
        painter.end()


class LiveValues(Panel):
    """Title, what change is against, column heads, and a row per measure.

    Choosing a row (click, arrow keys, Enter) asks for its explanation.
    """

    measure_chosen = Signal(str)
    against_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mean_of = "mean"
        self._head: LiveHead | None = None
        self.rows = LiveRows()
        self.rows.measure_chosen.connect(self.measure_chosen)
        self._title = ElidedLabel("Live values", role=Role.UI_STRONG, parent=self)
        self._title.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.against = AgainstButton(self)
        self.against.clicked.connect(self._open_choice)
        self._choices: tuple[tuple[str, str], ...] = ()
        self._heads = _ColumnHeads(self.rows, self)
        self._nothing = QLabel(self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(INSET, scaled(8), INSET, scaled(8))
        self._nothing.hide()
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self.rows)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.viewport().setAutoFillBackground(False)
        self.rows.setAutoFillBackground(False)
        # Never higher than its rows: what is left belongs to what stands below.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._above = QHBoxLayout()
        self._arrange()

    def _arrange(self) -> None:
        head = self._above
        head.setContentsMargins(INSET - 2, scaled(6), INSET - RING, scaled(4))
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.against)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._heads)
        column.addWidget(self._nothing)
        column.addWidget(self._scroll, stretch=1)

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands over the columns."""
        return self._heads.texts

    def set_head(self, head: LiveHead) -> None:
        """Show another measure set, number of queries, or baseline."""
        if head == self._head:
            return
        self._head = head
        self.against.setText(head.against)
        self.against.setAccessibleName(f"Change against {head.against}")
        self.against.updateGeometry()
        of_what = f" of {format_count(head.queries)}" if head.queries else ""
        self._heads.texts = (head.preset, "This query", f"Mean{of_what}")
        self._mean_of = f"mean{of_what}"
        self.rows.set_rows(self.rows.rows, mean_of=self._mean_of)
        self._heads.update()

    def set_rows(self, rows: tuple[MetricRow, ...], *, is_final: bool = True) -> None:
        """Show other values; nothing moves unless the measures themselves are others.

        Args:
            rows: in the order of the panel.
            is_final: whether no others follow at once; see :meth:`LiveRows.set_rows`.
        """
        has_new_names = [row.name for row in rows] != [row.name for row in self.rows.rows]
        self.rows.set_rows(rows, mean_of=self._mean_of, is_final=is_final)
        if has_new_names:
            self._heads.update()
            self.updateGeometry()

    @property
    def nothing(self) -> str:
        """Why there are no values; ``""`` where there are some."""
        return self._nothing.text()

    def set_nothing(self, sentence: str) -> None:
        """Say in place of the values why there are none; ``""`` shows them."""
        if sentence != self._nothing.text():
            self._nothing.setText(sentence)
            self._nothing.setVisible(bool(sentence))
            for widget in (self._heads, self.against):
                widget.setVisible(not sentence)
            self.updateGeometry()

    def set_current(self, name: str) -> None:
        """Mark the measure that is explained, without a signal."""
        self.rows.set_current(name)

    def set_against_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        """Say what changes can be measured against: (name, text) of each."""
        self._choices = choices

    def _open_choice(self) -> None:
        menu = QMenu(self)
        for name, text in self._choices:
            action = menu.addAction(text)
            action.triggered.connect(
                lambda _on=False, chosen=name: self.against_chosen.emit(chosen)
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.against.mapToGlobal(QPoint(0, self.against.height())))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new size."""
        self.rows.set_full_width(event.size().width())
        super().resizeEvent(event)

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which every row is seen."""
        above = self._above.sizeHint().height() + self._heads.sizeHint().height()
        if self._nothing.text():
            above += self._nothing.heightForWidth(self.width())
        return QSize(340, above + self.rows.sizeHint().height() + 2)
