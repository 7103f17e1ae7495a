"""Writes a page into a ``QTextDocument``: plain text in our own formats, never markup."""

from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableFormat,
)

from judgetool.gui.fonts import Role, font, line_height, scaled, text_width
from judgetool.gui.models.card_texts import short_url
from judgetool.gui.models.page import Page
from judgetool.gui.panels.inline_parts import InlineParts
from judgetool.gui.theme import Theme

MARGIN = 20
_WIDEST_NAME = 130
NO_TEXT = "Only the id of this document is known."
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value


class BlockKind(IntEnum):
    """What a block of the page is, kept as its user state."""

    PLAIN = 0
    MARKABLE = 1
    RULE = 2


@dataclass(frozen=True, slots=True)
class PageLook:
    """How a page is set.

    Attributes:
        theme: the colours.
        grow: px added to the size of title and text.
    """

    theme: Theme
    grow: float = 0.0


class PageWriter:
    """Writes title, address, text, fields and note one after the other."""

    def __init__(self, document: QTextDocument, parts: InlineParts, look: PageLook) -> None:
        self._document = document
        self._parts = parts
        self._look = look
        self._cursor = QTextCursor(document)
        self._is_first = True

    def write(self, page: Page | None, note: str, *, width: float) -> int:
        """Write a page into the empty document; ``None`` leaves it empty.

        Args:
            page: what to show.
            note: of the assessor.
            width: of the viewport: known beforehand, so that nothing is laid out twice.

        Returns:
            Where the document's own words end and the note begins.
        """
        document = self._document
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(scaled(MARGIN))
        document.setDefaultFont(font(Role.DOCUMENT, grow=self._look.grow))
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        self._set_margins()
        end = 0 if page is None else self._write_page(page, note)
        # A document has no layout until it is asked for one. Text that comes later is laid out
        # at once and whole (200 ms for a megabyte), text that is there already as it is seen.
        self._parts.install(document)
        document.setTextWidth(width)
        return end

    def _write_page(self, page: Page, note: str) -> int:
        self._cursor.beginEditBlock()
        self._write_head(page)
        self._write_body(page)
        self._write_rule()
        self._write_fields(page)
        self._write_rule()
        end = self._cursor.position()
        self._write_note(note)
        self._cursor.endEditBlock()
        return end

    def _set_margins(self) -> None:
        root = self._document.rootFrame()
        form = root.frameFormat()
        form.setTopMargin(scaled(15))
        root.setFrameFormat(form)

    def _write_head(self, page: Page) -> None:
        theme = self._look.theme
        ink = theme.text if page.has_title else theme.text2
        kind = BlockKind.MARKABLE if page.has_title else BlockKind.PLAIN
        self._write(page.title, Role.TITLE, ink, gaps=(0, 2), kind=kind)
        if page.url:
            self._write(short_url(page.url), Role.UI, theme.link, gaps=(0, 12), is_address=True)

    def _write_body(self, page: Page) -> None:
        theme = self._look.theme
        if not page.has_text:
            self._write(NO_TEXT, Role.UI, theme.text3, gaps=(6, 0))
        if page.lines:
            text = "\n".join(page.lines)
            self._write(text, Role.DOCUMENT, theme.text, gaps=(4, 0), kind=BlockKind.MARKABLE)

    def _write_rule(self) -> None:
        self._write("", Role.UI, self._look.theme.text3, gaps=(10, 4), kind=BlockKind.RULE)

    def _write_fields(self, page: Page) -> None:
        theme = self._look.theme
        form = QTextTableFormat()
        form.setBorder(0)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
        form.setCellPadding(0)
        form.setCellSpacing(0)
        form.setMargin(0)
        names = max((text_width(Role.UI, name) for name, _ in page.fields), default=0)
        width = min(scaled(_WIDEST_NAME), names) + scaled(16)
        form.setColumnWidthConstraints(
            [
                QTextLength(QTextLength.Type.FixedLength, width),
                QTextLength(QTextLength.Type.PercentageLength, 100),
            ]
        )
        # Qt puts the table before the empty block in which the cursor stands, and gives that
        # block no height.
        self._cursor.insertBlock(_block_format(Role.UI))
        table = self._cursor.insertTable(len(page.fields), 2, form)
        paragraph = _block_format(Role.UI)
        paragraph.setLineHeight(line_height(Role.UI) + 2, _MINIMUM)
        for row, (name, value) in enumerate(page.fields):
            cells = ((name, theme.text3, False), (value, theme.text, name != "id"))
            for column, (text, ink, is_markable) in enumerate(cells):
                cursor = table.cellAt(row, column).firstCursorPosition()
                kind = BlockKind.MARKABLE if is_markable else BlockKind.PLAIN
                _insert(cursor, text, _char_format(Role.UI, ink), paragraph, kind)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _write_note(self, note: str) -> None:
        theme = self._look.theme
        self._write("", Role.UI, theme.text3)
        self._parts.insert_icon(self._cursor, "sticky-note")
        quiet = _char_format(Role.UI, theme.text3)
        if note:
            self._cursor.insertText(f"  {note}", _char_format(Role.UI, theme.text2))
            return
        self._cursor.insertText("  No note.  ", quiet)
        self._parts.insert_key(self._cursor, "E")
        self._cursor.insertText("  writes one.", quiet)

    def _write(
        self,
        text: str,
        role: Role,
        ink: QColor,
        *,
        gaps: tuple[float, float] = (0, 0),
        kind: BlockKind = BlockKind.PLAIN,
        is_address: bool = False,
    ) -> None:
        """Write one or several paragraphs at the end."""
        grow = self._look.grow if role in (Role.TITLE, Role.DOCUMENT) else 0.0
        paragraph = _block_format(role, grow=grow)
        paragraph.setTopMargin(scaled(gaps[0]))
        paragraph.setBottomMargin(scaled(gaps[1]))
        if is_address:
            paragraph.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        chars = _char_format(role, ink, grow=grow)
        if self._is_first:
            self._cursor.setBlockFormat(paragraph)
        else:
            self._cursor.insertBlock(paragraph)
        self._is_first = False
        _insert(self._cursor, text, chars, paragraph, kind)


def _insert(
    cursor: QTextCursor,
    text: str,
    chars: QTextCharFormat,
    paragraph: QTextBlockFormat,
    kind: BlockKind,
) -> None:
    cursor.setBlockFormat(paragraph)
    cursor.setBlockCharFormat(chars)
    block = cursor.block()
    cursor.insertText(text, chars)
    last = cursor.block()
    if kind is BlockKind.PLAIN:
        return
    block.setUserState(kind)
    while block != last:
        block = block.next()
        block.setUserState(kind)


def _char_format(role: Role, ink: QColor, *, grow: float = 0.0) -> QTextCharFormat:
    chars = QTextCharFormat()
    chars.setFont(font(role, grow=grow))
    chars.setForeground(QBrush(ink))
    return chars


def _block_format(role: Role, *, grow: float = 0.0) -> QTextBlockFormat:
    paragraph = QTextBlockFormat()
    paragraph.setLineHeight(line_height(role, grow=grow), _MINIMUM)
    return paragraph
