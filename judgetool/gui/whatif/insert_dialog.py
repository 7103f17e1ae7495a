"""Looks for a document that a ranking missed, to put it in."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidgetItem,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from judgetool.core.excerpts import one_line
from judgetool.core.judgments import State
from judgetool.core.override import override
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.framed_list import Framed, Index, RowDelegate, make_list
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.grade_style import (
    chip_height,
    chip_width,
    draw_chip_cached,
    judgment_style,
    scale_styles,
)
from judgetool.gui.painting import LEFT, RIGHT, draw_row_ground, draw_text
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.number_field import NumberField
from judgetool.session.session import Session
from judgetool.session.whatifs import Missed, find_missing

_ROW = Qt.ItemDataRole.UserRole
_MOST_TITLE = 120
_AFTER_MS = 120


class _Delegate(RowDelegate):
    """Paints a missed document: chip, title, why it is here."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session

    @override
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, scaled(30))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = current_theme(), QRectF(option.rect)
        missed, title = index.data(_ROW)
        state = option.state
        if not option.widget.hasFocus():
            state &= ~QStyle.StateFlag.State_Active
        draw_row_ground(painter, rect, theme, state=state)
        scale = self._session.scale
        kind = State.UNJUDGED if missed.grade is None else State.JUDGED
        style = judgment_style(scale, kind, missed.grade, theme)
        width, height = chip_width(scale_styles(scale, theme)), chip_height()
        top = round(rect.center().y() - height / 2)
        chip = QRectF(rect.left() + scaled(10), top, width, height)
        draw_chip_cached(painter, chip, theme, style)
        why = why_text(missed)
        room = text_width(Role.META, why) + 2
        end = QRectF(rect.right() - room - scaled(10), rect.top(), room, rect.height())
        draw_text(painter, end, why, role=Role.META, colour=theme.text3, align=RIGHT)
        left = chip.right() + scaled(10)
        place = QRectF(left, rect.top(), end.left() - scaled(12) - left, rect.height())
        draw_text(painter, place, title, role=Role.UI, colour=theme.text, align=LEFT)


class InsertDialog(ActDialog):
    """Documents that the ranking lacks: judged ones first, then other runs', then by text.

    Args:
        session: the project.
        query: the query's number.
        order: what the ranking holds.
        rank: where it is to go, at first.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        query: int,
        order: Sequence[int],
        *,
        rank: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Insert a document", verb="Insert", width=680, parent=parent)
        self._session = session
        self._query = query
        self._held = np.array(order, dtype=np.int32)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Words of the title, or the id")
        self.field.setClearButtonEnabled(True)
        self.add_field("&Find", self.field)
        self.rows = make_list("Documents that this ranking lacks")
        self.rows.setItemDelegate(_Delegate(session, self.rows))
        self.rows.setMinimumHeight(scaled(300))
        self.rows.itemDoubleClicked.connect(lambda _item: self.accept())
        self.body.addWidget(Framed(self.rows), 1)
        self.rank = NumberField(1, len(order) + 1)
        self.rank.setValue(rank)
        line = QHBoxLayout()
        line.addWidget(self.rank)
        line.addStretch(1)
        self.add_field("At &rank", self.rank, line=line)
        self.first = self.field
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.search)
        self.field.textEdited.connect(lambda _text: self._later.start(_AFTER_MS))
        self.rows.currentRowChanged.connect(lambda _row: self._check())
        self.search()

    def search(self) -> None:
        """Look for what is written in the field."""
        self._later.stop()
        text = self.field.text().strip()
        found = find_missing(self._session, self._query, self._held, text)
        self.rows.clear()
        for missed in found:
            document = self._session.material.show_document(missed.document)
            title = one_line(document.title or document.id, most=_MOST_TITLE)
            item = QListWidgetItem(f"{title}, {why_text(missed)}")
            item.setData(_ROW, (missed, title))
            self.rows.addItem(item)
        if found:
            self.rows.setCurrentRow(0)
        self._check()

    def _check(self) -> None:
        nothing = "No document that this ranking lacks has that in its title or id."
        if not self.field.text().strip():
            nothing = "This ranking holds every document that is known for the query."
        self.show_problem("" if self.answer is not None else nothing, ink="text2")

    @property
    def answer(self) -> tuple[int, int] | None:
        """The chosen document and its rank; ``None`` while none is chosen."""
        row = self.rows.currentRow()
        if row < 0:
            return None
        missed: Missed = self.rows.item(row).data(_ROW)[0]
        return missed.document, self.rank.value()

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        session: Session,
        query: int,
        order: Sequence[int],
        *,
        rank: int,
    ) -> tuple[int, int] | None:
        """Let a document be chosen; return it and its rank, or ``None``."""
        dialog = cls(session, query, order, rank=rank, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def why_text(missed: Missed) -> str:
    """Return why a document is offered, such as ``rank 3 in another run``."""
    if missed.reason == "in another run":
        return f"rank {missed.best_rank} in another run"
    if missed.best_rank is not None:
        return f"{missed.reason}, rank {missed.best_rank} in another run"
    return missed.reason
