"""What would be worth judging, as rows of a list."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.gui.compare.table_delegate import draw_diamond
from judgetool.gui.fonts import Role, metrics, scaled, text_width
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import LEFT, RIGHT, draw_row_ground, draw_text, draw_track
from judgetool.gui.theme import current_theme
from judgetool.session.comparing.next_to_judge import Candidate
from judgetool.session.session import Session

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_INSET = 16
_TRACK = 96
_MOST_TITLE = 120


class NextRow(NamedTuple):
    """A document that would be worth judging.

    Attributes:
        query: its query's number.
        document: its number.
        query_text: id and text of the query.
        title: of the document, or its id.
        stake: by how much its judgment alone can move what is asked about.
        can_overturn: whether it alone can turn the verdict.
    """

    query: int
    document: int
    query_text: str
    title: str
    stake: float
    can_overturn: bool


def next_rows(session: Session, found: Sequence[Candidate]) -> list[NextRow]:
    """Return candidates with their texts."""
    queries = session.material.queries
    texts = session.material.show_documents([each.document for each in found])
    return [
        NextRow(
            each.query,
            each.document,
            f"{queries[each.query].id}  {queries[each.query].text}",
            one_line(text.title or text.id, most=_MOST_TITLE),
            each.stake,
            each.can_overturn,
        )
        for each, text in zip(found, texts, strict=True)
    ]


class NextModel(QAbstractListModel):
    """The rows, with what readers say of them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[NextRow] = []

    def set_rows(self, rows: list[NextRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    @property
    def most(self) -> float:
        """The largest stake, above 0."""
        return max((row.stake for row in self.rows), default=1.0)

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many there are."""
        return 0 if parent.isValid() else len(self.rows)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a row as a reader says it."""
        if not index.isValid() or role != Qt.ItemDataRole.DisplayRole:
            return None
        row = self.rows[index.row()]
        ends = ", can overturn the verdict alone" if row.can_overturn else ""
        place = f"{index.row() + 1} of {format_count(len(self.rows))}"
        return f"{place}: {row.title}, query {row.query_text}, stake {row.stake:.4f}{ends}"


def row_height() -> int:
    """Return the height of a row: 28 px at a 13 px font."""
    return max(scaled(28), round(metrics(Role.UI).height() * 1.2))


class NextDelegate(QStyledItemDelegate):
    """Paints title, query, and the stake as a bar."""

    def __init__(self, model: NextModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.has_keyboard = False

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, rect = current_theme(), QRectF(option.rect)
        row = self._model.rows[index.row()]
        painter.save()
        state = option.state
        if not self.has_keyboard:
            state &= ~QStyle.StateFlag.State_Active
        draw_row_ground(painter, rect, theme, state=state)
        left, right = rect.left() + scaled(_INSET), rect.right() - scaled(_INSET)
        value = f"±{row.stake:.4f}"
        width = text_width(Role.META, "±0.0000") + 2.0
        number = QRectF(right - width, rect.top(), width, rect.height())
        draw_text(painter, number, value, role=Role.META, colour=theme.text2, align=RIGHT)
        track = QRectF(number.left() - scaled(10) - scaled(_TRACK), rect.top(), scaled(_TRACK), 0)
        track.setHeight(rect.height())
        draw_track(painter, track, theme, share=row.stake / self._model.most)
        if row.can_overturn:
            draw_diamond(painter, track.center() - _beside(track), theme.text)
        end = track.left() - scaled(24)
        middle = left + (end - left) * 0.52
        title = QRectF(left, rect.top(), middle - left - scaled(10), rect.height())
        draw_text(painter, title, row.title, role=Role.UI, colour=theme.text, align=LEFT)
        query = QRectF(middle, rect.top(), end - middle, rect.height())
        draw_text(painter, query, row.query_text, role=Role.META, colour=theme.text3, align=LEFT)
        painter.restore()


def _beside(track: QRectF) -> QPointF:
    return QPointF(track.width() / 2 + scaled(12), 0)
