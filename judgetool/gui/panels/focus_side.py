"""What stands beside the document in focus: guidelines, levels, what was just judged, blind."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QImage,
    QPainter,
    QPalette,
    QResizeEvent,
    QShowEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.clock import utc_ms
from judgetool.core.excerpts import one_line
from judgetool.core.judgments import State
from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.blindness import HIDDEN, Blindness
from judgetool.gui.fonts import Role, font, line_height, metrics, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, draw_symbol, judgment_style, scale_styles
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import draw_key_cap, draw_line, draw_text, key_cap_size, start_align
from judgetool.gui.panels import Here, ProjectPanel
from judgetool.gui.panels.written_page import harmless_resource
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.keys_overlay import parse_keys
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import PaintedButton, PaintedWidget, mirrored
from judgetool.session.commands import Changed
from judgetool.session.finding.matching import list_own_judgments
from judgetool.session.reading_aids import alias_id, find_guidelines
from judgetool.session.session import Session

INDENT, _SYMBOL, _GAP = 16, 16, 10
_BETWEEN = 16
_NO_DEFINITION = "No definition is given."
_WRAPPED = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)
_MOST_TEXT = 20_000
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
MOST = 8
_LOOK_BACK_MS = 12 * 3600 * 1000
NOTHING_YET = "Nothing in the last hours."
INSET = 12
# The action whose key stands at a section's head, and its title.
_HEADS = {
    "read.guidelines": "Guidelines",
    "view.levels": "What each level means",
    "edit.undo": "Just judged",
}
NO_GUIDELINES = "None are written for this project."


class FocusSide(PaintedWidget, ProjectPanel):
    """The side panel of the focus view.

    Signals:
        place_wanted: (query, document) of a judgment that was clicked.

    Attributes:
        guidelines: the project's guidelines and the query's.
        levels: what each level means.
        judged: what the assessor judged last.
    """

    place_wanted = Signal(int, int)
    reveals = False

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

    @override
    def set_session(self, session: Session | None) -> None:
        """Show what holds for a project, or nothing."""
        self._session, self._query = session, None
        self.levels.set_scale(session.scale if session is not None else None)
        self.judged.set_session(session)
        self._show_guidelines()

    @override
    def follow(self, here: Here) -> None:
        """Show the guidelines of the query, too."""
        if here.query != self._query:
            self._query = here.query
            self._show_guidelines()

    @override
    def take_change(self, changed: Changed) -> None:
        """Show what was judged, or what became of it."""
        self.judged.take_change(changed)

    @override
    def set_blind(self, blindness: Blindness) -> None:
        """Say at the bottom that the assessor judges blind, and what that hides."""
        self.blind.set_sentence(HIDDEN)
        self.blind.setVisible(blindness.is_on)
        self.judged.set_blind(is_blind=blindness.is_on)

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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Fill the ground of the dock, with its edge."""
        theme = current_theme()
        painter.fillRect(self.rect(), theme.panel)
        painter.fillRect(mirrored(self, QRectF(0, 0, 1, self.height())), theme.line)

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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the line above, the title and the keys."""
        theme = self.theme
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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the line above, the sign and the word."""
        theme = self.theme
        draw_line(painter, QRectF(0, 0, self.width(), 1), theme.line)
        height = line_height(Role.UI_STRONG)
        square = QRectF(INDENT, scaled(10), 16, height)
        draw_icon(painter, mirrored(self, square), name="eye-off", colour=theme.accent)
        place = mirrored(self, QRectF(square.right() + 6, scaled(10), self.width() - 60, height))
        align = start_align(self.layoutDirection())
        draw_text(painter, place, "Blind", role=Role.UI_STRONG, colour=theme.accent, align=align)


class LevelMeanings(PaintedWidget):
    """Symbol, name and definition of each level."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: Scale | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_scale(self, scale: Scale | None) -> None:
        """Show the levels of a scale, or none."""
        self._scale = scale
        self._describe()
        self._fit()
        self.update()

    def _describe(self) -> None:
        levels = self._scale.levels if self._scale is not None else ()
        self.setAccessibleName(". ".join(f"{e.name}: {e.definition}" for e in reversed(levels)))

    @property
    def _left(self) -> int:
        return scaled(INDENT + _SYMBOL + _GAP)

    def _heights(self) -> list[int]:
        """Return the height of each definition, highest level first."""
        if self._scale is None:
            return []
        room = max(40, self.width() - self._left - scaled(12))
        face = metrics(Role.META)
        texts = (level.definition or _NO_DEFINITION for level in reversed(self._scale.levels))
        area = QRectF(0, 0, room, 10_000).toRect()
        return [face.boundingRect(area, _WRAPPED, text).height() for text in texts]

    def _fit(self) -> None:
        name = line_height(Role.UI)
        total = sum(name + height + scaled(_BETWEEN) for height in self._heights())
        self.setFixedHeight(total + scaled(4))

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the levels need."""
        return QSize(scaled(240), self.height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._fit()

    @override
    def relayout(self) -> None:
        """Measure anew after a change of font."""
        self._fit()
        super().relayout()

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the levels one under the other."""
        if self._scale is None:
            return
        theme = self.theme
        align = start_align(self.layoutDirection())
        styles = reversed(scale_styles(self._scale, theme))
        top, name = float(scaled(2)), line_height(Role.UI)
        rows = zip(reversed(self._scale.levels), styles, self._heights(), strict=True)
        for level, style, height in rows:
            size = scaled(_SYMBOL)
            square = QRectF(scaled(INDENT), top + (name - size) / 2, size, size)
            draw_symbol(painter, mirrored(self, square), style)
            room = self.width() - self._left - scaled(12)
            place = mirrored(self, QRectF(self._left, top, room, name))
            draw_text(
                painter, place, level.name, role=Role.UI_STRONG, colour=theme.text, align=align
            )
            text = mirrored(self, QRectF(self._left, top + name, room, height))
            painter.setFont(font(Role.META))
            painter.setPen(theme.text2)
            painter.drawText(text, _WRAPPED, level.definition or _NO_DEFINITION)
            top += name + height + scaled(_BETWEEN)


class MarkdownText(QTextBrowser):
    """Text that wraps and is never cut; follows no address and loads nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._is_markdown = "", False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)

    def show_markdown(self, text: str) -> None:
        """Show a text as Markdown."""
        self._show(text, is_markdown=True)

    def show_plain(self, text: str) -> None:
        """Show a text as it is."""
        self._show(text, is_markdown=False)

    def _show(self, text: str, *, is_markdown: bool) -> None:
        if (text, is_markdown) != (self._text, self._is_markdown):
            self._text, self._is_markdown = text, is_markdown
            self.setAccessibleName(text[:500])
            self._write()

    def _write(self) -> None:
        document = self.document()
        document.setDefaultFont(font(Role.UI))
        document.setDocumentMargin(0)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, current_theme().text2)
        self.setPalette(palette)
        if self._is_markdown:
            self.setMarkdown(self._text[:_MOST_TEXT])
        else:
            self.setPlainText(self._text[:_MOST_TEXT])
        self._set_lines()
        self._fit()

    def _set_lines(self) -> None:
        block = self.document().begin()
        while block.isValid():
            cursor, change = QTextCursor(block), QTextBlockFormat()
            change.setLineHeight(line_height(Role.UI) + scaled(2), _MINIMUM)
            change.setTopMargin(0 if not block.blockNumber() else scaled(6))
            change.setBottomMargin(0)
            if block.blockFormat().headingLevel():
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                chars = cursor.charFormat()
                chars.setFont(font(Role.UI_STRONG))
                cursor.setCharFormat(chars)
            cursor.mergeBlockFormat(change)
            block = block.next()

    def _fit(self) -> None:
        """Be as high as the text is at this width."""
        room = max(40, self.width() - 2 * scaled(INDENT))
        self.document().setTextWidth(room)
        self.setViewportMargins(scaled(INDENT), 0, scaled(INDENT), 0)
        self.setFixedHeight(round(self.document().size().height()) + scaled(14))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._write()

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> QImage | QByteArray:
        """Return something harmless, so that Qt opens no file by itself."""
        return harmless_resource(kind)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width."""
        return QSize(scaled(80), 0)


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
        self._rows: list[SaidLine] = []
        empty = QHBoxLayout()
        empty.setContentsMargins(scaled(INDENT), 0, scaled(INDENT), 0)
        empty.addWidget(self._empty)
        self._column.addLayout(empty)
        for _ in range(MOST):
            row = SaidLine(self)
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
        session = self._session
        said = [pair for pair in fresh if session.own_judgment(*pair).state is not State.UNJUDGED]
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

    def _show(self) -> None:
        session, pairs = self._session, self._pairs or []
        for number, row in enumerate(self._rows):
            row.setVisible(session is not None and number < len(pairs))
            if session is not None and number < len(pairs):
                judgment = session.own_judgment(*pairs[number])
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

    def _choose(self, row: "SaidLine") -> None:
        if row.pair is not None:
            self.chosen.emit(*row.pair)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Look up what was judged before."""
        super().showEvent(event)
        self._load()


class SaidLine(PaintedButton):
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
        square = QRectF(scaled(INDENT), middle - size / 2, size, size)
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
        left = max(digit.right() + scaled(6), scaled(INDENT + 44))
        place = QRectF(left, 0, max(0.0, self.width() - left - scaled(12)), self.height())
        ink = theme.text2
        draw_text(painter, self.mirrored(place), self.text(), role=Role.UI, colour=ink, align=align)
