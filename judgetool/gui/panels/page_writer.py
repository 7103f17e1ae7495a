"""Writes a page into a ``QTextDocument``: plain text in our own formats, never markup; keys and icons."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice

from PySide6.QtCore import QObject, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QPainter,
    QPixmap,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTableFormat,
)

from judgetool.core.excerpts import one_line
from judgetool.core.judgments import Span
from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, line_height, metrics, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.card_texts import short_url
from judgetool.gui.models.page import Line, Page
from judgetool.gui.page_look import PageLook
from judgetool.gui.painting import draw_key_cap, key_cap_size, text_direction
from judgetool.gui.pictures import Picture
from judgetool.gui.theme import Theme, current_theme

_KEY_CAP = int(QTextFormat.ObjectTypes.UserObject) + 1
_ICON = int(QTextFormat.ObjectTypes.UserObject) + 2
_PICTURE = int(QTextFormat.ObjectTypes.UserObject) + 3
_NAME = int(QTextFormat.Property.UserProperty) + 1
_WIDTH = int(QTextFormat.Property.UserProperty) + 2
_HEIGHT = int(QTextFormat.Property.UserProperty) + 3
_PX = 16
_MOST_PICTURES = 4
_USUAL_KEYS = {"judge.cannot": "X", "judge.skip": "S", "judge.note": "E"}
# Qt puts an object where this character has a format that names the object's type.
_OBJECT = "\ufffc"
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
NO_TEXT = "Only the id of this document is known."
_WIDEST_NAME = 130
_LINES_AT_ONCE = 40
_CHARS_AT_ONCE = 3000
_ROWS_AT_ONCE = 40
_MOST_ROWS = 60
_MOST_QUOTED = 600
_PASSAGE_GAP = 10


class InlineParts(QPyTextObject):
    """Paints key caps, icons and pictures in a ``QTextDocument``; nothing else.

    Attributes:
        theme: the colours; ``None`` takes the window's.
        keys: of the actions that are named in texts, by the action's name.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.theme: Theme | None = None
        self.keys = dict(_USUAL_KEYS)
        self._pictures: dict[str, QPixmap] = {}

    def set_keys(self, find_key: Callable[[str], str]) -> bool:
        """Take a person's keys from now on; return whether they are others than before."""
        before, self.keys = self.keys, {name: find_key(name) for name in _USUAL_KEYS}
        return self.keys != before

    def install(self, document: QTextDocument) -> None:
        """Let a document paint what the ``insert_`` methods insert."""
        for kind in (_KEY_CAP, _ICON, _PICTURE):
            document.documentLayout().registerHandler(kind, self)

    @staticmethod
    def insert_key(cursor: QTextCursor, name: str) -> None:
        """Insert a key cap with a key's name on it."""
        _insert(cursor, _KEY_CAP, name)

    @staticmethod
    def insert_icon(cursor: QTextCursor, name: str) -> None:
        """Insert an icon by its Lucide name."""
        _insert(cursor, _ICON, name)

    @staticmethod
    def insert_picture(cursor: QTextCursor, name: str, width: int, height: int) -> None:
        """Insert room for a picture; what :meth:`set_picture` gives is painted there."""
        _insert(cursor, _PICTURE, name, width=width, height=height)

    def set_picture(self, name: str, picture: QPixmap) -> None:
        """Paint this picture wherever its name is inserted; the last few are kept."""
        self._pictures.pop(name, None)
        self._pictures[name] = picture
        while len(self._pictures) > _MOST_PICTURES:
            del self._pictures[next(iter(self._pictures))]

    def has_picture(self, name: str) -> bool:
        """Whether a picture of this name is at hand."""
        return name in self._pictures

    @override
    def intrinsicSize(self, _document: QTextDocument, _place: int, kind: QTextFormat) -> QSizeF:
        """Return the size of a part."""
        if kind.objectType() == _PICTURE:
            return QSizeF(kind.intProperty(_WIDTH), kind.intProperty(_HEIGHT))
        if kind.objectType() == _KEY_CAP:
            return QSizeF(*key_cap_size(str(kind.property(_NAME))))
        return QSizeF(_PX, metrics(Role.UI).ascent())

    @override
    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        _document: QTextDocument,
        _place: int,
        kind: QTextFormat,
    ) -> None:
        """Paint a part, moved down from the baseline to the middle of the text."""
        rect = QRectF(rect)
        name, theme = str(kind.property(_NAME)), self.theme or current_theme()
        if kind.objectType() == _PICTURE:
            self._draw_picture(painter, rect, theme, name)
            return
        face = metrics(Role.UI)
        middle = rect.bottom() - (face.ascent() - face.descent()) / 2
        place = QRectF(rect.left(), round(middle - rect.height() / 2), rect.width(), rect.height())
        painter.save()
        if kind.objectType() == _KEY_CAP:
            draw_key_cap(painter, place, theme, text=name)
        else:
            draw_icon(painter, place, name=name, colour=theme.text3, px=_PX)
        painter.restore()

    def _draw_picture(self, painter: QPainter, rect: QRectF, theme: Theme, name: str) -> None:
        picture = self._pictures.get(name)
        if picture is None:
            painter.fillRect(rect, theme.sunken)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(rect, picture, QRectF(picture.rect()))
        painter.restore()


class PageWriter:
    """Writes title, address, text, rationale, fields and note one after the other.

    Args:
        document: empty.
        parts: paints what stands in the text besides letters.
        look: how the page is set.

    Attributes:
        lines: every markable line written so far, in order.
        n_written: characters written so far.
        text_end: where the document's own words end and the note begins; ``None`` until
            all of it is written.
    """

    def __init__(self, document: QTextDocument, parts: InlineParts, look: PageLook) -> None:
        self._document = document
        self._parts = parts
        self._look = look
        self._cursor = QTextCursor(document)
        self._is_first = True
        self._direction = Qt.LayoutDirection.LeftToRight
        self._rationale: QTextCursor | None = None
        self._rationale_end: QTextCursor | None = None
        self.lines: list[Line] = []
        self.n_written = 0
        self.text_end: int | None = None

    # The whole page, in pieces

    def write(
        self,
        page: Page,
        *,
        spans: Sequence[Span],
        note: str,
        remarks: str = "",
        picture: Picture | None = None,
    ) -> Iterator[None]:
        """Write a page piece by piece; the first holds the head.

        Args:
            page: what to show.
            spans: the rationale.
            note: of the assessor.
            remarks: what else they said, on one line.
            picture: above the text; ``None`` for none.
        """
        self._direction = text_direction(page.title.text if page.has_title else page.body[:200])
        self._write_head(page)
        if picture is not None:
            self._write_picture(picture)
        yield
        lines = page.iter_body()
        while piece := _take(lines):
            self._write_lines(piece, is_excerpt=page.is_excerpt)
            yield
        self._mark_rationale()
        self.write_rationale(spans)
        yield
        shown = page.fields
        if self._look.is_large:
            shown = tuple(each for each in shown if each[0] not in (*page.short, "id"))
        if shown or not self._look.is_large:
            self._write_rule()
            self._write_fields(page, (*shown[:_MOST_ROWS], *shown[_MOST_ROWS:][-1:]))
            yield
            # A table of thousands of rows takes minutes to lay out; lines do not.
            rest = shown[_MOST_ROWS:-1]
            for start in range(0, len(rest), _ROWS_AT_ONCE):
                self._write_field_lines(page, rest[start : start + _ROWS_AT_ONCE])
                yield
        if not self._look.is_large or note or remarks:
            self._write_rule()
        self.text_end = self._cursor.position()
        self.write_note(note, remarks)

    def _write_head(self, page: Page) -> None:
        theme, look = self._look.theme, self._look
        ink = theme.text if page.has_title else theme.text2
        first = self._write(page.title.text, look.title, ink, Shape(0, 2))
        if page.has_title:
            self._number(first, [page.title])
        if page.url and not look.is_large:
            self._write_address(page.url)
        if look.is_large:
            self._write_meta(page)
        if not page.has_text:
            self._write_no_text()

    def _write_address(self, address: str) -> None:
        shape = Shape(0, 12, direction=Qt.LayoutDirection.LeftToRight)
        self._write("", Role.UI, self._look.theme.link, shape)
        self._insert_address(short_url(address), address, Role.UI)

    def _insert_address(self, text: str, address: str, role: Role) -> None:
        """Write an address at the cursor; the page knows all of it, for whoever clicks."""
        form = char_format(role, self._look.theme.link)
        form.setAnchor(True)
        form.setAnchorHref(address)
        form.setFontUnderline(False)
        self._cursor.insertText(text, form)
        self.n_written += len(text)

    def _write_meta(self, page: Page) -> None:
        """Write the short fields, the address and the id on one quiet line."""
        values = dict(page.fields)
        parts = [_with_unit(name, values[name]) for name in page.short]
        if page.has_title:
            parts.append(values["id"])
        # Each piece keeps to itself, whatever direction it runs in.
        text = "\u2003".join(f"\u2068{part}\u2069" for part in parts)
        ink = self._look.theme.text3
        self._write(text, Role.NEED, ink, Shape(6, 14, direction=self._direction))
        if page.url:
            self._cursor.insertText("\u2003" if text else "", char_format(Role.NEED, ink))
            self._insert_address(f"\u2068{short_url(page.url)}\u2069", page.url, Role.NEED)

    def _write_no_text(self) -> None:
        theme = self._look.theme
        self._write(NO_TEXT, Role.NEED, theme.text2, Shape(8, 4))
        self._write("", Role.UI, theme.text3, Shape(0, 8))
        quiet = char_format(Role.UI, theme.text3)
        self._write_key("judge.cannot", "says that it cannot be judged.  ", quiet)
        self._write_key("judge.skip", "puts it off.", quiet)

    def _write_key(self, action: str, does: str, form: QTextCharFormat) -> None:
        """Write an action's key and what it does, at the cursor; nothing where it has no key."""
        key = self._parts.keys[action]
        if key:
            self._parts.insert_key(self._cursor, key)
            self._cursor.insertText(f"  {does}", form)

    def _write_picture(self, picture: Picture) -> None:
        quiet = self._look.theme.text3
        if picture.is_shown:
            self._write("", Role.UI, quiet, Shape(4, 8))
            self._parts.insert_picture(self._cursor, picture.key, picture.width, picture.height)
        else:
            name = one_line(picture.name, most=200)
            self._write(
                f"The picture {name} is not to be had. From folders outside the project's own, "
                "pictures are shown once you allow it: Project ▸ Pictures elsewhere…",
                Role.UI,
                quiet,
                Shape(4, 8),
            )

    def _write_lines(self, lines: Sequence[Line], *, is_excerpt: bool) -> None:
        # One piece of plain text is laid out at once; block by block is ten times slower.
        start = 0
        for number, line in enumerate(lines):
            if number and _is_new_passage(lines[number - 1], line, is_excerpt=is_excerpt):
                self._write_body(lines[start:number])
                start = number
        self._write_body(lines[start:])

    def _write_body(self, lines: Sequence[Line]) -> None:
        is_after_line = self._cursor.block().userState() >= BlockKind.LINE and len(self.lines) > 1
        before = self.lines[-1] if is_after_line else None
        is_new = before is not None and _is_new_passage(before, lines[0], is_excerpt=True)
        gap = _PASSAGE_GAP if is_new else (0 if is_after_line else 4)
        text = "\n".join(line.text for line in lines)
        first = self._write(text, self._look.text, self._look.theme.text, Shape(gap))
        if gap and len(lines) > 1:
            self._drop_gap(first + 1)
        self._number(first, lines)

    def _drop_gap(self, number: int) -> None:
        """Take the gap above away from the second block on: only the first stands apart."""
        cursor = QTextCursor(self._document.findBlockByNumber(number))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        change = QTextBlockFormat()
        change.setTopMargin(0)
        cursor.mergeBlockFormat(change)

    def _number(self, first: int, lines: Sequence[Line]) -> None:
        block = self._document.findBlockByNumber(first)
        for line in lines:
            block.setUserState(BlockKind.LINE + len(self.lines))
            self.lines.append(line)
            block = block.next()

    def _write_rule(self) -> None:
        self._write("", Role.UI, self._look.theme.text3, Shape(10, 4, BlockKind.RULE))

    def _write_fields(self, page: Page, fields: Sequence[tuple[str, str]]) -> None:
        theme = self._look.theme
        names = max((text_width(Role.UI, name) for name, _ in page.fields[:200]), default=0)
        # Qt puts the table before the empty block in which the cursor stands, and gives that
        # block no height.
        self._cursor.insertBlock(block_format(Role.UI))
        form = field_table(min(scaled(_WIDEST_NAME), names) + scaled(16))
        form.setLayoutDirection(self._direction)
        table = self._cursor.insertTable(len(fields), 2, form)
        for row, (name, value) in enumerate(fields):
            cursor = table.cellAt(row, 0).firstCursorPosition()
            insert_paragraphs(
                cursor, name, char_format(Role.UI, theme.text3), field_paragraph(name)
            )
            lines = page.field_lines(name, value)
            cursor = table.cellAt(row, 1).firstCursorPosition()
            first = cursor.blockNumber()
            text = "\n".join(line.text for line in lines)
            insert_paragraphs(cursor, text, char_format(Role.UI, theme.text), field_paragraph(text))
            self.n_written += len(text)
            if name != "id":
                self._number(first, lines)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _write_field_lines(self, page: Page, fields: Sequence[tuple[str, str]]) -> None:
        lines: list[Line] = []
        for name, value in fields:
            first, *others = page.field_lines(name, value)
            head = f"{name}:  "
            lines += [replace(first, text=head + first.text, lead=len(head)), *others]
        text = "\n".join(line.text for line in lines)
        self._number(self._write(text, Role.UI, self._look.theme.text), lines)

    # What changes while the page stands

    def _mark_rationale(self) -> None:
        """Keep the place of the rationale: the end of what is written so far."""
        self._rationale = QTextCursor(self._cursor)
        self._rationale.setKeepPositionOnInsert(True)
        self._rationale_end = QTextCursor(self._cursor)
        self._rationale_end.setKeepPositionOnInsert(True)

    def write_rationale(self, spans: Sequence[Span]) -> None:
        """Write the rationale anew, under the text; not yet where the text goes on."""
        if self._rationale is None or self._rationale_end is None:
            return
        is_last = self.text_end is None and self._rationale_end.position() == self._end
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        cursor.setPosition(self._rationale.position())
        cursor.setPosition(self._rationale_end.position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        after, self._cursor = self._cursor, cursor
        for span in spans:
            self._write_span(span)
        cursor.endEditBlock()
        self._rationale_end = QTextCursor(cursor)
        self._rationale_end.setKeepPositionOnInsert(True)
        self._cursor = cursor if is_last else after
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    @property
    def _is_rtl(self) -> bool:
        return self._direction is Qt.LayoutDirection.RightToLeft

    @property
    def _end(self) -> int:
        return self._document.characterCount() - 1

    def _write_span(self, span: Span) -> None:
        theme = self._look.theme
        inset = scaled(14)
        kind = BlockKind.RATIONALE_HEAD
        self._write("", Role.META, theme.text3, Shape(26, 0, kind, inset))
        self._parts.insert_icon(self._cursor, "text-quote")
        caption = "  Rationale, kept with your judgment"
        self._cursor.insertText(caption, char_format(Role.META, theme.text3))
        text = " ".join(span.text[: 2 * _MOST_QUOTED].split())
        text = text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]} …"
        self._write(text, Role.NEED, theme.text2, Shape(2, 0, BlockKind.RATIONALE, inset))

    def write_note(self, note: str, remarks: str = "") -> None:
        """Write what else was said, and the note, in place of those that stand at the end."""
        if self.text_end is None:
            return
        cursor = QTextCursor(self._document)
        cursor.setPosition(self.text_end)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._cursor = cursor
        theme = self._look.theme
        if remarks:
            self._write(remarks, Role.UI, theme.text2, Shape(below=6))
        if self._look.is_large and not note:
            return
        self._write("", Role.UI, theme.text3)
        self._parts.insert_icon(self._cursor, "sticky-note")
        quiet = char_format(Role.UI, theme.text3)
        if note:
            self._cursor.insertText(f"  {note}", char_format(Role.UI, theme.text2))
            return
        self._cursor.insertText("  No note.  ", quiet)
        self._write_key("judge.note", "writes one.", quiet)

    # Paragraphs

    def _write(self, text: str, role: Role, ink: QColor, shape: "Shape | None" = None) -> int:
        """Write one or several paragraphs at the cursor; return the first one's number."""
        shape = shape or Shape()
        grow = self._look.grow if role in (self._look.title, self._look.text) else 0.0
        paragraph = block_format(role, grow=grow)
        paragraph.setTopMargin(scaled(shape.above))
        paragraph.setBottomMargin(scaled(shape.below))
        # The margin stands where lines begin.
        paragraph.setLeftMargin(0 if self._is_rtl else shape.inset)
        paragraph.setRightMargin(shape.inset if self._is_rtl else 0)
        if shape.direction is not None:
            paragraph.setLayoutDirection(shape.direction)
            if self._is_rtl:
                # An address runs left to right, but stands where the title does.
                paragraph.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
        chars = char_format(role, ink, grow=grow)
        if self._is_first:
            self._cursor.setBlockFormat(paragraph)
        else:
            self._cursor.insertBlock(paragraph)
        self._is_first = False
        first = self._cursor.blockNumber()
        insert_paragraphs(self._cursor, text, chars, paragraph)
        self._document.findBlockByNumber(first).setUserState(shape.kind)
        self.n_written += len(text)
        return first


def _insert(cursor: QTextCursor, kind: int, name: str, *, width: int = 0, height: int = 0) -> None:
    own = QTextCharFormat()
    own.setObjectType(kind)
    own.setProperty(_NAME, name)
    if width:
        own.setProperty(_WIDTH, width)
        own.setProperty(_HEIGHT, height)
    cursor.insertText(_OBJECT, own)


def insert_paragraphs(
    cursor: QTextCursor, text: str, chars: QTextCharFormat, paragraph: QTextBlockFormat
) -> None:
    """Write one or several paragraphs at a cursor, the first into its block."""
    cursor.setBlockFormat(paragraph)
    cursor.setBlockCharFormat(chars)
    cursor.insertText(text, chars)


def field_table(first_column: int) -> QTextTableFormat:
    """Return the format of a table of names and values without any lines."""
    form = QTextTableFormat()
    form.setBorder(0)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    form.setCellPadding(0)
    form.setCellSpacing(0)
    form.setMargin(0)
    form.setColumnWidthConstraints(
        [
            QTextLength(QTextLength.Type.FixedLength, first_column),
            QTextLength(QTextLength.Type.PercentageLength, 100),
        ]
    )
    return form


def field_paragraph(text: str) -> QTextBlockFormat:
    """Return the format of a name or a value in the table of fields."""
    paragraph = block_format(Role.UI)
    paragraph.setLineHeight(line_height(Role.UI) + 2, _MINIMUM)
    paragraph.setLayoutDirection(text_direction(text))
    return paragraph


def char_format(role: Role, ink: QColor, *, grow: float = 0.0) -> QTextCharFormat:
    """Return the format of letters."""
    chars = QTextCharFormat()
    chars.setFont(font(role, grow=grow))
    chars.setForeground(QBrush(ink))
    return chars


def block_format(role: Role, *, grow: float = 0.0) -> QTextBlockFormat:
    """Return the format of a paragraph as high as its role."""
    paragraph = QTextBlockFormat()
    paragraph.setLineHeight(line_height(role, grow=grow), _MINIMUM)
    return paragraph


class BlockKind(IntEnum):
    """What a block of the page is, kept as its user state; from ``LINE`` on, which line it is."""

    PLAIN = 0
    RULE = 2
    RATIONALE_HEAD = 3
    RATIONALE = 4
    LINE = 16


@dataclass(frozen=True, slots=True)
class Shape:
    """How a paragraph stands.

    Attributes:
        above: px of gap above it, at a 13 px font.
        below: likewise below.
        kind: what it is.
        inset: px from where lines begin.
        direction: ``None`` follows its first strong character.
    """

    above: float = 0
    below: float = 0
    kind: BlockKind = BlockKind.PLAIN
    inset: int = 0
    direction: Qt.LayoutDirection | None = None


def _take(lines: Iterator[Line]) -> list[Line]:
    """Return so many lines as are written in a few milliseconds."""
    taken: list[Line] = []
    chars = 0
    for line in islice(lines, _LINES_AT_ONCE):
        taken.append(line)
        chars += len(line.text)
        if chars >= _CHARS_AT_ONCE:
            break
    return taken


def _is_new_passage(before: Line, line: Line, *, is_excerpt: bool) -> bool:
    """Whether the text between two lines is left out."""
    # Between the lines of a passage there is a line end, or nothing where one was split.
    return is_excerpt and line.field == before.field and line.start - before.end > 2


def _with_unit(name: str, value: str) -> str:
    """Return a field's value for the quiet line; a number says of what."""
    is_number = value.replace(".", "").replace(",", "").isdigit()
    if is_number and not name.isalpha():
        # ‘price_cents’ is no unit.
        return f"{name.replace('_', ' ')}: {value}"
    return f"{value} {name}" if is_number else value
