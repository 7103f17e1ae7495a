"""What stands beside the document in focus: guidelines, levels, what was just judged, blind."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import draw_key_cap, draw_line, draw_text, key_cap_size, start_align
from judgetool.gui.panels.focus_judged import JustJudged
from judgetool.gui.panels.focus_levels import LevelMeanings
from judgetool.gui.panels.focus_markdown import MarkdownText
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.keys_page import parse_keys
from judgetool.gui.widgets.painted import PaintedWidget, mirrored
from judgetool.session.aids.guidelines import find_guidelines
from judgetool.session.changes import Changed
from judgetool.session.session import Session

INSET = 12
_INDENT = 16
# The action whose key stands at a section's head, and its title.
_HEADS = {
    "read.guidelines": "Guidelines",
    "view.levels": "What each level means",
    "edit.undo": "Just judged",
}
NO_GUIDELINES = "None are written for this project."


class FocusSide(QWidget):
    """The side panel of the focus view.

    Signals:
        place_wanted: (query, document) of a judgment that was clicked.

    Attributes:
        guidelines: the project's guidelines and the query's.
        levels: what each level means.
        judged: what the assessor judged last.
    """

    place_wanted = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._query: int | None = None
        self.guidelines = MarkdownText(self)
        self.levels = LevelMeanings(self)
        self.judged = JustJudged(self)
        self.judged.chosen.connect(self.place_wanted)
        self.blind = BlindNotice(self)
        self.blind.hide()
        content = QWidget(self)
        content.setAutoFillBackground(False)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._heads = {
            action: SideHead(title, has_line=bool(number), parent=content)
            for number, (action, title) in enumerate(_HEADS.items())
        }
        bodies = (self.guidelines, self.levels, self.judged)
        for head, body in zip(self._heads.values(), bodies, strict=True):
            column.addWidget(head)
            column.addWidget(body)
        column.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(content)
        self._area.viewport().setAutoFillBackground(False)
        # Set by the area itself; the ground is the panel's.
        content.setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._area, stretch=1)
        whole.addWidget(self.blind)

    # What the window says

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        for action, head in self._heads.items():
            head.set_key(find_key(action))

    def set_session(self, session: Session | None) -> None:
        """Show what holds for a project, or nothing."""
        self._session, self._query = session, None
        self.levels.set_scale(session.scale if session is not None else None)
        self.judged.set_session(session)
        self._show_guidelines()

    def show_query(self, query: int | None) -> None:
        """Show the guidelines of another query, too."""
        self._query = query
        self._show_guidelines()

    def take_change(self, changed: Changed) -> None:
        """Show what was judged, or what became of it."""
        self.judged.take_change(changed)

    def set_blind(self, is_blind: bool, sentence: str = "") -> None:
        """Say at the bottom that the assessor judges blind, and what that hides."""
        self.blind.set_sentence(sentence)
        self.blind.setVisible(is_blind)
        self.judged.set_blind(is_blind=is_blind)

    def show_guidelines(self) -> None:
        """Bring the guidelines into view."""
        self._area.verticalScrollBar().setValue(0)

    def show_levels(self) -> None:
        """Bring what each level means into view."""
        self._area.ensureWidgetVisible(self.levels, 0, 0)

    def _show_guidelines(self) -> None:
        session, texts = self._session, []
        if session is not None:
            texts = [find_guidelines(session)]
            if self._query is not None:
                texts.append(find_guidelines(session, self._query))
        text = "\n\n".join(part for part in texts if part)
        self.guidelines.show_markdown(text or NO_GUIDELINES)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill the ground of the dock, with its edge."""
        painter = QPainter(self)
        theme = current_theme()
        painter.fillRect(self.rect(), theme.panel)
        painter.fillRect(mirrored(self, QRectF(0, 0, 1, self.height())), theme.line)
        painter.end()

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(scaled(300), scaled(600))


class SideHead(PaintedWidget):
    """A section's title with the keys that belong to it."""

    def __init__(self, title: str, *, has_line: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._title, self._has_line = title, has_line
        self.keys: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(title)

    def set_key(self, key: str) -> None:
        """Print another key, such as ``Ctrl+Z``; ``""`` prints none."""
        chords = parse_keys(key)
        keys = tuple(chords[0]) if chords else ()
        if keys != self.keys:
            self.keys = keys
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the height of a head."""
        return QSize(text_width(Role.UI_STRONG, self._title) + scaled(80), scaled(36))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the line above, the title and the keys."""
        painter, theme = QPainter(self), self.theme
        if self._has_line:
            draw_line(painter, QRectF(0, 0, self.width(), 1), theme.line)
        right = self.width() - INSET
        for key in reversed(self.keys):
            width, height = key_cap_size(key)
            cap = QRectF(right - width, (self.height() - height) // 2, width, height)
            draw_key_cap(painter, mirrored(self, cap), theme, text=key)
            right -= width + 3
        place = mirrored(self, QRectF(INSET, 0, max(0, right - INSET - 8), self.height()))
        align = start_align(self.layoutDirection())
        draw_text(painter, place, self._title, role=Role.UI_STRONG, colour=theme.text, align=align)
        painter.end()


class BlindNotice(PaintedWidget):
    """At the bottom: that the assessor judges blind, and what is hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text = MarkdownText(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, scaled(12) + line_height(Role.UI_STRONG), 0, scaled(4))
        column.addWidget(self.text)

    def set_sentence(self, sentence: str) -> None:
        """Say what is hidden."""
        self.text.show_plain(sentence)
        self.setAccessibleName(f"Blind. {sentence}")

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the line above, the sign and the word."""
        painter, theme = QPainter(self), self.theme
        draw_line(painter, QRectF(0, 0, self.width(), 1), theme.line)
        height = line_height(Role.UI_STRONG)
        square = QRectF(_INDENT, scaled(10), 16, height)
        draw_icon(painter, mirrored(self, square), name="eye-off", colour=theme.accent)
        place = mirrored(self, QRectF(square.right() + 6, scaled(10), self.width() - 60, height))
        align = start_align(self.layoutDirection())
        draw_text(painter, place, "Blind", role=Role.UI_STRONG, colour=theme.accent, align=align)
        painter.end()
