"""The grades that the assessor gave last, with the documents they are of."""

from functools import partial

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.clock import utc_ms
from judgetool.core.excerpts import one_line
from judgetool.core.judgments import Judgment, State
from judgetool.core.override import override
from judgetool.gui.fonts import Role, metrics, scaled
from judgetool.gui.grade_painting import draw_symbol
from judgetool.gui.grade_style import GradeStyle, judgment_style
from judgetool.gui.painting import draw_text, start_align
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import PaintedButton
from judgetool.session.aids.blindness import alias_id
from judgetool.session.changes import Changed
from judgetool.session.finding.review import list_own_judgments
from judgetool.session.session import Session

MOST = 8
_LOOK_BACK_MS = 12 * 3600 * 1000
_INDENT = 16
NOTHING_YET = "Nothing in the last hours."


class JustJudged(QWidget):
    """At most eight rows, the last first; a click goes to the document.

    Signals:
        chosen: (query, document).
    """

    chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._is_blind = False
        self._pairs: list[tuple[int, int]] | None = None
        self._titles: dict[int, str] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, scaled(8))
        self._column.setSpacing(0)
        self._empty = ElidedLabel(NOTHING_YET, ink="text3", parent=self)
        self._rows: list[JudgedRow] = []
        empty = QHBoxLayout()
        empty.setContentsMargins(scaled(_INDENT), 0, scaled(_INDENT), 0)
        empty.addWidget(self._empty)
        self._column.addLayout(empty)
        for _ in range(MOST):
            row = JudgedRow(self)
            row.clicked.connect(partial(self._choose, row))
            self._column.addWidget(row)
            self._rows.append(row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_session(self, session: Session | None) -> None:
        """Show what was judged in the last hours; it is looked up when it is first seen."""
        self._session, self._pairs = session, None
        self._titles.clear()
        if self.isVisible():
            self._load()

    def set_blind(self, *, is_blind: bool) -> None:
        """Hide ids of documents that have no title, or not."""
        self._is_blind = is_blind
        self._titles.clear()
        self._show()

    def take_change(self, changed: Changed) -> None:
        """Put what was just judged at the top."""
        if self._pairs is None or self._session is None:
            return
        if changed.origin != "do":
            # What comes up again from below is known to the file alone.
            self._pairs = None
            if self.isVisible():
                self._load()
            return
        if not self.isVisible():
            # Looked up anew when it is next seen; what nobody sees costs nothing.
            self._pairs = None
            return
        fresh = list(dict.fromkeys(reversed(changed.judgments)))[:MOST]
        said = [pair for pair in fresh if self._judgment(pair).state is not State.UNJUDGED]
        kept = [pair for pair in self._pairs if pair not in fresh]
        self._pairs = [*said, *kept][:MOST]
        self._show()

    @property
    def titles(self) -> list[str]:
        """What the rows say, for readers."""
        return [row.accessibleName() for row in self._rows if not row.isHidden()]

    def _load(self) -> None:
        if self._session is not None and self._pairs is None:
            rows = list_own_judgments(self._session, since=utc_ms() - _LOOK_BACK_MS)
            said = [row for row in rows if row.judgment.state is not State.UNJUDGED]
            self._pairs = [(row.query, row.document) for row in said[:MOST]]
        self._show()

    def _judgment(self, pair: tuple[int, int]) -> Judgment:
        session = self._session
        if session is None:
            return Judgment()
        said = session.opinions(pair[0]).get(pair[1], ())
        mine = (each.judgment for each in said if each.assessor == session.assessor)
        return next(mine, Judgment())

    def _show(self) -> None:
        session, pairs = self._session, self._pairs or []
        for number, row in enumerate(self._rows):
            row.setVisible(session is not None and number < len(pairs))
            if session is not None and number < len(pairs):
                judgment = self._judgment(pairs[number])
                style = judgment_style(
                    session.scale, judgment.state, judgment.grade, current_theme()
                )
                row.show_judgment(pairs[number], style, self._title(pairs[number][1]))
        self._empty.setVisible(not pairs)

    def _title(self, number: int) -> str:
        if self._session is None:
            return ""
        if number not in self._titles:
            document = self._session.material.show_document(number)
            name = alias_id(self._session, number) if self._is_blind else document.id
            self._titles[number] = one_line(document.title, most=200) or name
        return self._titles[number]

    def _choose(self, row: "JudgedRow") -> None:
        if row.pair is not None:
            self.chosen.emit(*row.pair)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Look up what was judged before."""
        super().showEvent(event)
        self._load()


class JudgedRow(PaintedButton):
    """Symbol, grade and title of one judgment."""

    radius = 5.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pair: tuple[int, int] | None = None
        self._style: GradeStyle | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_judgment(self, pair: tuple[int, int], style: GradeStyle, title: str) -> None:
        """Show another judgment."""
        if (pair, style.name, title) == (self.pair, self._style and self._style.name, self.text()):
            self._style = style
            return
        self.pair, self._style = pair, style
        self.setText(title)
        self.setAccessibleName(f"{title}, {style.name}")
        self.setToolTip(style.name)
        self.update()

    @override
    def face_size(self) -> QSize:
        """Return the height of a row."""
        return QSize(scaled(120), scaled(28) - 6)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width at which the grade is seen."""
        return QSize(scaled(80), self.sizeHint().height())

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint symbol, grade and title."""
        if self._style is None:
            return
        theme = self.theme
        if self.underMouse():
            painter.fillRect(self.rect(), theme.hover)
        size, middle = scaled(14), self.height() / 2
        square = QRectF(scaled(_INDENT), middle - size / 2, size, size)
        draw_symbol(painter, self.mirrored(square), self._style)
        align = start_align(self.layoutDirection())
        digits = metrics(Role.UI_STRONG).horizontalAdvance(self._style.text)
        digit = QRectF(square.right() + scaled(9), 0, digits + 2, self.height())
        draw_text(
            painter,
            self.mirrored(digit),
            self._style.text,
            role=Role.UI_STRONG,
            colour=theme.text,
            align=align,
        )
        left = max(digit.right() + scaled(6), scaled(_INDENT + 44))
        place = QRectF(left, 0, max(0.0, self.width() - left - scaled(12)), self.height())
        ink = theme.text2
        draw_text(painter, self.mirrored(place), self.text(), role=Role.UI, colour=ink, align=align)
