"""What stands beside the document in focus: guidelines, levels, what was just judged, blind."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QImage,
    QPalette,
    QResizeEvent,
    QShowEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from judgetool.core import override
from judgetool.core.clock import utc_ms
from judgetool.core.judgments import State
from judgetool.core.scale import Scale
from judgetool.core.terms import one_line
from judgetool.gui.jobs import Here, ProjectPanel
from judgetool.gui.keymap import native
from judgetool.gui.painting import is_right_to_left, judgment_style
from judgetool.gui.panels.page_marks import harmless_resource
from judgetool.gui.theme import Role, current_theme, font, line_height, scaled, text_width
from judgetool.gui.widgets.keys_overlay import parse_keys
from judgetool.gui.widgets.labels import (
    Align,
    CapPart,
    ElidedLabel,
    IconPart,
    KeyCap,
    Piece,
    PieceView,
    Places,
    Row,
    SquarePart,
    SymbolPart,
    Text,
    TextPart,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import (
    PaintedWidget,
    Panel,
    clear_layout,
    fill_width,
    in_column,
    in_line,
    scroll_area,
)
from judgetool.gui.widgets.rows import RowView
from judgetool.session.commands import Changed
from judgetool.session.finding import list_own_judgments
from judgetool.session.reading_aids import HIDDEN, Blindness, alias_id, find_guidelines
from judgetool.session.session import Session
from judgetool.wording import N_, _

INDENT, _SYMBOL, _GAP = 16, 16, 10
_BETWEEN = 16
_NO_DEFINITION = N_("No definition is given.")
_MOST_TEXT = 20_000
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
MOST = 8
_LOOK_BACK_MS = 12 * 3600 * 1000
NOTHING_YET = N_("Nothing in the last hours.")
INSET = 12
# The action whose key stands at a section's head, and its title.
_HEADS = {
    "read.guidelines": N_("Guidelines"),
    "view.levels": N_("What each level means"),
    "edit.undo": N_("Just judged"),
}
# Where the title does not fit.
_SHORTER = {"view.levels": N_("Scale")}
NO_GUIDELINES = N_("This project has no guidelines yet.")


class FocusSide(Panel, ProjectPanel):
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
    edge = "start"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(", ".join(_(title) for title in _HEADS.values()))
        self._session: Session | None = None
        self._query: int | None = None
        self.guidelines = MarkdownText()
        self.levels = LevelMeanings()
        self.judged = JustJudged()
        self.judged.chosen.connect(self.place_wanted)
        hidden = Text(_(HIDDEN), ink="text2")
        hidden.setContentsMargins(INDENT, 0, INDENT, scaled(14))
        self.blind = QWidget()
        self.blind.setAccessibleName(f"{_('Blind.')} {_(HIDDEN)}")
        head = SideHead(_("Blind"), has_line=True, icon="eye-off", ink="accent")
        in_column(head, hidden, host=self.blind)
        self.blind.hide()
        self._heads = {
            action: SideHead(
                _(title),
                has_line=bool(number),
                shorter=_(_SHORTER[action]) if action in _SHORTER else "",
            )
            for number, (action, title) in enumerate(_HEADS.items())
        }
        content = QWidget()
        bodies = zip(self._heads.values(), (self.guidelines, self.levels, self.judged), strict=True)
        in_column(*(part for section in bodies for part in section), None, host=content)
        self._area = scroll_area(content)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        in_column(self._area, 1, self.blind, host=self)

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
        self.guidelines.show_markdown(text or _(NO_GUIDELINES))

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(scaled(300), scaled(600))


class SideHead(PieceView):
    """A section's title with the keys that belong to it; ``shorter`` where it does not fit."""

    def __init__(
        self,
        title: str,
        *,
        has_line: bool,
        icon: str = "",
        ink: str = "text",
        shorter: str = "",
    ) -> None:
        super().__init__(self._pieces, lambda: scaled(36), least=scaled(80))
        self.edge = "top" if has_line else ""
        self._title, self._icon, self._ink = title, icon, ink
        self._shorter = shorter
        self.keys: tuple[str, ...] = ()
        self.setAccessibleName(title)
        self.setToolTip(plain_tooltip(title if shorter else ""))

    def set_key(self, key: str) -> None:
        """Print another key, such as ``Ctrl+Z``; ``""`` prints none."""
        chords = parse_keys(key)
        keys = tuple(chords[0]) if chords else ()
        if keys != self.keys:
            self.keys = keys
            self.show_anew()

    def _pieces(self) -> Iterator[Piece]:
        """Yield a sign, the title, and at the end the keys."""
        if self._icon:
            yield IconPart(self._icon, self._ink, 16).piece(INDENT)
        width = text_width(Role.UI_STRONG, self._title)
        gap = 6 if self._icon else INSET
        title = TextPart(self._title, Role.UI_STRONG, self._ink, shorter=self._shorter)
        yield Piece(title, width, gap, gives=True)
        for number, key in enumerate(self.keys):
            yield CapPart(key).piece(3 if number else 8)
        yield Piece(None, INSET)


class LevelMeanings(PaintedWidget):
    """Symbol, name, key and definition of each level, highest first.

    A bar that has no room for names shows key and symbol: here they stand beside the name.
    """

    def __init__(self) -> None:
        super().__init__()
        self._scale: Scale | None = None
        self._column = in_column(host=self, margins=(0, 2, 0, 2))
        # Not of a fixed height: that would be the one of wider texts, and cut these.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def set_scale(self, scale: Scale | None) -> None:
        """Show the levels of a scale, or none."""
        self._scale = scale
        clear_layout(self._column)
        if scale is None:
            return
        for level in reversed(scale.levels):
            part = SymbolPart(scale, level.grade, State.JUDGED)
            symbol = PieceView(partial(_symbol_pieces, part), partial(line_height, Role.UI))
            head, name = QWidget(), Text(level.shown_name, role=Role.UI_STRONG, is_quoted=True)
            name.setContentsMargins(0, 0, scaled(12), 0)
            line = in_line(symbol, name, 1, host=head)
            if level.key:
                line.addWidget(KeyCap(native(level.key.upper())), 0, Qt.AlignmentFlag.AlignTop)
                line.addSpacing(INSET)
            definition = level.shown_definition
            said, is_theirs = definition or _(_NO_DEFINITION), bool(definition)
            meaning = Text(said, role=Role.META, ink="text2", is_quoted=is_theirs)
            margins = (scaled(INDENT + _SYMBOL + _GAP), 0, scaled(12), scaled(_BETWEEN))
            meaning.setContentsMargins(*margins)
            self._column.addWidget(head)
            self._column.addWidget(meaning)

    @override
    def relayout(self) -> None:
        """Take the room that another font needs."""
        self.set_scale(self._scale)
        super().relayout()


def _symbol_pieces(symbol: SymbolPart) -> tuple[Piece, ...]:
    return (
        Piece(SquarePart(symbol), scaled(_SYMBOL), scaled(INDENT)),
        Piece(None, scaled(_GAP)),
    )


class MarkdownText(QTextBrowser):
    """Text that wraps and is never cut; follows no address and loads nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        fill_width(self)
        self.viewport().setAutoFillBackground(False)

    def show_markdown(self, text: str) -> None:
        """Show a text as Markdown."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text[:500])
            self._write()

    def _write(self) -> None:
        document = self.document()
        document.setDefaultFont(font(Role.UI))
        document.setDocumentMargin(0)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, current_theme().text2)
        self.setPalette(palette)
        self.setMarkdown(self._text[:_MOST_TEXT])
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
    """At most eight rows, the last first; a click or Enter goes to the document.

    Signals:
        chosen: (query, document).
    """

    chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._session: Session | None = None
        self._is_blind = False
        self._pairs: list[tuple[int, int]] | None = None
        self._titles: dict[int, str] = {}
        self._empty = ElidedLabel(_(NOTHING_YET), ink="text3")
        self.rows = RowView[Row](
            _("Just judged"), lambda row: row, _place_said, height=lambda: scaled(28)
        )
        self.rows.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.rows.be_whole()
        self.rows.row_clicked.connect(lambda row: self._choose(self.rows.rows[row].key))
        self.rows.row_opened.connect(self._choose)
        # What was chosen is shown in the middle of the window, not here.
        self.rows.focus_changed.connect(lambda has: None if has else self.rows.set_current(None))
        empty = in_line(self._empty, margins=(scaled(INDENT), 0, scaled(INDENT), 0))
        # At the edge the panel shows its line.
        in_column(empty, self.rows, host=self, margins=(1, 0, 1, scaled(8)))
        fill_width(self)

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
        session = self._session
        if self._pairs is None or session is None:
            return
        if changed.origin != "do" or not self.isVisible():
            # What comes up again from below is known to the file alone; and what nobody sees
            # costs nothing: it is looked up anew when it is next seen.
            self._pairs = None
            if self.isVisible():
                self._load()
            return
        fresh = list(dict.fromkeys(reversed(changed.judgments)))[:MOST]
        said = [pair for pair in fresh if session.own_judgment(*pair).state is not State.UNJUDGED]
        kept = [pair for pair in self._pairs if pair not in fresh]
        self._pairs = [*said, *kept][:MOST]
        self._show()

    @property
    def titles(self) -> list[str]:
        """What the rows say, for readers."""
        return [str(row.said) for row in self.rows.shown]

    def _load(self) -> None:
        if self._session is not None and self._pairs is None:
            rows = list_own_judgments(self._session, since=utc_ms() - _LOOK_BACK_MS)
            said = [row for row in rows if row.judgment.state is not State.UNJUDGED]
            self._pairs = [(row.query, row.document) for row in said[:MOST]]
        self._show()

    def _show(self) -> None:
        session, pairs = self._session, self._pairs or []
        self.rows.set_rows(
            [_said_row(session, pair, self._title(pair[1])) for pair in pairs if session]
        )
        self._empty.setVisible(not pairs)

    def _title(self, number: int) -> str:
        if self._session is None:
            return ""
        if number not in self._titles:
            document = self._session.material.show_document(number)
            name = alias_id(self._session, number) if self._is_blind else document.id
            self._titles[number] = one_line(document.title, most=200) or name
        return self._titles[number]

    def _choose(self, pair: Any) -> None:  # noqa: ANN401 - the key of a row
        self.rows.set_current(None)
        self.chosen.emit(*pair)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Look up what was judged before."""
        super().showEvent(event)
        self._load()


def _said_row(session: Session, pair: tuple[int, int], title: str) -> Row:
    """Return what was said of a document: how that looks and reads, and its title."""
    judgment, scale = session.own_judgment(*pair), session.scale
    style = judgment_style(scale, judgment.state, judgment.grade, current_theme())
    side = Align.RIGHT if is_right_to_left(title) else Align.START
    parts = (
        SymbolPart(scale, judgment.grade, judgment.state),
        TextPart(style.text, Role.UI_STRONG),
        TextPart(title, ink="text2", align=side),
    )
    return Row(pair, parts, f"{title}, {style.name}", style.name)


def _place_said(width: int, rows: Sequence[Row]) -> Places:
    """Return the places of symbol, grade and title."""
    height, size = scaled(28), scaled(14)
    grades = [part.text for row in rows if isinstance(part := row.parts[1], TextPart)]
    digits = max((text_width(Role.UI_STRONG, text) for text in grades), default=0) + 2
    at = scaled(INDENT) + size + scaled(9)
    left = max(at + digits + scaled(6), scaled(INDENT + 44))
    return (
        QRectF(scaled(INDENT), (height - size) / 2, size, size),
        QRectF(at, 0, digits, height),
        QRectF(left, 0, max(0, width - left - scaled(12)), height),
    )
