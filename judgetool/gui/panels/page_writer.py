"""Writes a page into a ``QTextDocument``: plain text in our own formats, never markup; keys and icons."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QAccessible,
    QPainter,
    QPixmap,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextTableCell,
    QTextTableFormat,
)

from judgetool.core import override
from judgetool.core.judgments import Span
from judgetool.core.terms import one_line
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.page import Line, Page, PageLook
from judgetool.gui.models.result_model import NO_TEXT, short_url
from judgetool.gui.painting import draw_key_cap, key_cap_size, text_direction
from judgetool.gui.pictures import Picture
from judgetool.gui.theme import (
    Role,
    Theme,
    current_theme,
    font,
    line_height,
    metrics,
    scaled,
    text_width,
)
from judgetool.wording import _

_KEY_CAP, _ICON, _PICTURE = (int(QTextFormat.ObjectTypes.UserObject) + n for n in (1, 2, 3))
_NAME, _SIZE = (int(QTextFormat.Property.UserProperty) + n for n in (1, 2))
_PX = 16
_MOST_PICTURES = 4
_USUAL_KEYS = {"judge.cannot": "X", "judge.skip": "S", "judge.note": "E"}
# Qt puts an object where this character has a format that names the object's type.
_OBJECT = "\ufffc"
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
_WIDEST_NAME = 130
_LINES_AT_ONCE = 40
_CHARS_AT_ONCE = 3000
_ROWS_AT_ONCE = 40
_MOST_ROWS = 60
_MOST_QUOTED = 600
_TEXT_GAP, _PASSAGE_GAP = 4, 10
_RTL = Qt.LayoutDirection.RightToLeft
_AT_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute


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
        """Let a document paint what the writer puts between its letters."""
        for kind in (_KEY_CAP, _ICON, _PICTURE):
            document.documentLayout().registerHandler(kind, self)

    def set_picture(self, name: str, picture: QPixmap) -> None:
        """Paint this picture wherever its name stands; the last few are kept."""
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
        return QSizeF(kind.property(_SIZE))

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
        place, name = QRectF(rect), str(kind.property(_NAME))
        theme = self.theme or current_theme()
        face = metrics(Role.UI)
        if kind.objectType() != _PICTURE:
            middle = place.bottom() - (face.ascent() - face.descent()) / 2
            place.moveTop(round(middle - place.height() / 2))
        painter.save()
        if kind.objectType() == _KEY_CAP:
            draw_key_cap(painter, place, theme, text=name)
        elif kind.objectType() == _ICON:
            draw_icon(painter, place, name=name, colour=theme.text3, px=_PX)
        else:
            self.draw_picture(painter, place, name)
        painter.restore()

    def draw_picture(self, painter: QPainter, place: QRectF, name: str) -> None:
        """Paint a picture, or its ground while it is not at hand."""
        picture = self._pictures.get(name)
        if picture is None:
            painter.fillRect(place, (self.theme or current_theme()).sunken)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(place, picture, QRectF(picture.rect()))


class BlockKind(IntEnum):
    """What a block of the page is, kept as its user state.

    From ``LINE`` on it is which line it shows; from ``PIECE`` down, of which piece of the
    rationale it is the head.
    """

    PIECE = -2
    PLAIN = 0
    RULE = 2
    RATIONALE = 4
    PICTURE = 6
    LINE = 16


class Shape(NamedTuple):
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
    kind: int = BlockKind.PLAIN
    inset: int = 0
    direction: Qt.LayoutDirection | None = None


_PLAIN = Shape()


@dataclass(frozen=True)
class Content:
    """What a page is written from; two that are equal look the same.

    Attributes:
        page: the document; ``None`` for an empty page.
        spans: the rationale.
        note: of the assessor.
        letters: whose piece of the rationale each is, one for each span; ``None`` where all of
            it is one's own.
        picture: above the text; ``None`` for none.
        remarks: what else the assessor said, on one line.
        others: what others noted, each with their name before it.
    """

    page: Page | None = None
    spans: tuple[Span, ...] = ()
    note: str = ""
    picture: Picture | None = None
    remarks: str = ""
    letters: tuple[str, ...] | None = None
    others: tuple[str, ...] = ()


class PageWriter:
    """Writes title, address, text, rationale, fields and note one after the other.

    Args:
        cursor: in an empty document.
        parts: paints what stands in the text besides letters.
        look: how the page is set.

    Attributes:
        lines: every markable line written so far, in order.
        n_written: characters written so far.
        is_rtl: whether the page is set from right to left.
    """

    def __init__(self, cursor: QTextCursor, parts: InlineParts, look: PageLook) -> None:
        self._cursor = cursor
        self._parts = parts
        self._look = look
        self._is_first = True
        # From where to where the rationale stands, and from where the note: -1 not yet.
        self._rationale, self._behind_rationale, self._note = -1, -1, -1
        self.lines: list[Line] = []
        self.n_written = 0
        self.is_rtl = False

    # The whole page, in pieces

    def write(self, content: Content) -> Iterator[None]:
        """Write a page piece by piece; the first holds the head."""
        page, is_large = content.page, self._look.is_large
        if page is None:
            return
        head = page.title.text if page.has_title else page.body[:200]
        self.is_rtl = text_direction(head) is _RTL
        self._write_head(page)
        if content.picture is not None:
            self._write_picture(content.picture)
        yield
        for gap, piece in _pieces(page):
            self._write_lines(piece, self._look.text, gap)
            yield
        self._rationale = self._behind_rationale = self._cursor.position()
        self.write_rationale(content)
        yield
        left_out = (*page.short, "id") if is_large else ()
        shown = [each for each in page.fields if each[0] not in left_out]
        if shown:
            self._write_rule()
            table, rest = [*shown[:_MOST_ROWS], *shown[_MOST_ROWS:][-1:]], shown[_MOST_ROWS:-1]
            if QAccessible.isActive():
                # Qt gives readers the cells of a table run together, with signs between them.
                table, rest = [], shown
            if table:
                self._write_fields(page, table)
                yield
            # A table of thousands of rows takes minutes to lay out; lines do not.
            for start in range(0, len(rest), _ROWS_AT_ONCE):
                some = [each for each in rest[start : start + _ROWS_AT_ONCE] if each[0] != "id"]
                self._write_lines(
                    list(chain(*(_field_lines(page, *each) for each in some))), Role.UI
                )
                yield
            if rest and rest[-1][0] == "id":
                self._write(":  ".join(rest[-1]), ink="text")
        said = content.note or content.remarks or content.others
        if self._asks_for_note(content) or said:
            self._write_rule()
        self._note = self._cursor.position()
        self.write_note(content)

    def _write_head(self, page: Page) -> None:
        look = self._look
        first = self._write(
            page.title.text, look.title, "text" if page.has_title else "text2", Shape(0, 2)
        )
        if page.has_title:
            self._number(first, [page.title])
        if look.is_large:
            self._write_meta(page)
        elif page.url:
            self._write("", shape=Shape(0, 12, direction=Qt.LayoutDirection.LeftToRight))
            self._add(short_url(page.url), address=page.url)
        if not page.has_text:
            self._write(_(NO_TEXT), Role.NEED, "text2", Shape(8, 4))
            self._write("", shape=Shape(0, 8))
            self._add_key("judge.cannot", _("says that it cannot be judged.") + "  ")
            self._add_key("judge.skip", _("puts it off."))

    def _write_meta(self, page: Page) -> None:
        """Write the short fields, the address and the id on one quiet line."""
        values = dict(page.fields)
        parts = [_with_unit(name, values[name]) for name in page.short]
        if page.has_title:
            parts.append(values["id"])
        # Each piece keeps to itself, whatever direction it runs in.
        text = "\u2003".join(f"\u2068{part}\u2069" for part in parts)
        direction = _RTL if self.is_rtl else Qt.LayoutDirection.LeftToRight
        self._write(text, Role.NEED, shape=Shape(6, 14, direction=direction))
        if page.url:
            self._add("\u2003" if text else "", Role.NEED)
            self._add(f"\u2068{short_url(page.url)}\u2069", Role.NEED, address=page.url)

    def _write_picture(self, picture: Picture) -> None:
        name = one_line(picture.name, most=200)
        if picture.is_shown and QAccessible.isActive():
            # Of what is painted in the text readers say that there is an object: its name is
            # text, and it is painted in the room above that.
            said = _("Picture: {name}").format(name=name)
            self._write(said, Role.META, shape=Shape(4, 8, BlockKind.PICTURE))
            form = self._cursor.blockFormat()
            form.setTopMargin(form.topMargin() + picture.height)
            self._cursor.setBlockFormat(form)
            return
        if picture.is_shown:
            self._write("", shape=Shape(4, 8))
            self._add_part(_PICTURE, picture.key, QSize(picture.width, picture.height))
            return
        if picture.is_broken:
            said = _(
                "The picture {name} cannot be shown: its file is damaged, no picture, or too large."
            )
            self._write(said.format(name=name), shape=Shape(4, 8))
            return
        self._write(
            _(
                "The picture {name} is not to be had. From folders outside the project’s own, "
                "pictures are shown once you allow it: Project ▸ Pictures elsewhere…"
            ).format(name=name),
            shape=Shape(4, 8),
        )

    def _write_lines(self, lines: Sequence[Line], role: Role, gap: int = 0) -> None:
        # One piece of plain text is laid out at once; block by block is ten times slower.
        text = "\n".join([line.text for line in lines])
        self._number(self._write(text, role, "text", Shape(gap)), lines)

    def _number(self, first: int, lines: Sequence[Line]) -> None:
        block = self._cursor.document().findBlockByNumber(first)
        for line in lines:
            block.setUserState(BlockKind.LINE + len(self.lines))
            self.lines.append(line)
            if line.head and text_direction(line.head) is not text_direction(line.text):
                form = block.blockFormat()
                form.setLayoutDirection(text_direction(line.head))
                QTextCursor(block).setBlockFormat(form)
            block = block.next()

    def _write_rule(self) -> None:
        self._write("", shape=Shape(10, 4, BlockKind.RULE))

    def _write_fields(self, page: Page, fields: Sequence[tuple[str, str]]) -> None:
        names = max(text_width(Role.UI, name) for name, __ in page.fields[:200])
        # Qt puts the table before the empty block in which the cursor stands, and gives that
        # block no height.
        self._cursor.insertBlock(_block_format(Role.UI))
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellPadding(0)
        form.setCellSpacing(0)
        # Qt mirrors no table.
        at_name, at_value = (1, 0) if self.is_rtl else (0, 1)
        widths = [QTextLength()] * 2
        widths[at_name] = QTextLength(
            QTextLength.Type.FixedLength, min(scaled(_WIDEST_NAME), names) + scaled(16)
        )
        form.setColumnWidthConstraints(widths)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table = self._cursor.insertTable(len(fields), 2, form)
        for row, (name, value) in enumerate(fields):
            lines = page.field_lines(name, value)
            text = "\n".join(line.text for line in lines)
            self._write_cell(table.cellAt(row, at_name), name, "text3")
            first = self._write_cell(table.cellAt(row, at_value), text, "text")
            if name != "id":
                self._number(first, lines)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _write_cell(self, cell: QTextTableCell, text: str, ink: str) -> int:
        self._cursor = cell.firstCursorPosition()
        first = self._cursor.blockNumber()
        paragraph = _block_format(Role.UI, more=2)
        paragraph.setLayoutDirection(text_direction(text))
        if self.is_rtl:
            paragraph.setAlignment(_AT_RIGHT)
        self._insert(text, self._char_format(Role.UI, ink), paragraph)
        return first

    # What changes while the page stands

    def write_rationale(self, content: Content) -> None:
        """Write the rationale anew, under the text; not yet where the text goes on."""
        if self._rationale < 0:
            return
        self._clear(self._rationale, self._behind_rationale)
        inset = scaled(14)
        own = _("Rationale, kept with your judgment")
        heads = (own,) * len(content.spans) if content.letters is None else content.letters
        for number, (span, head) in enumerate(zip(content.spans, heads, strict=True)):
            kind = BlockKind.PIECE - number
            towards = _RTL if self.is_rtl else Qt.LayoutDirection.LeftToRight
            self._write("", Role.META, shape=Shape(26, 0, kind, inset, towards))
            self._add_icon("text-quote")
            self._add(f"  {head}", Role.META)
            text = " ".join(span.text[: 2 * _MOST_QUOTED].split())
            text = text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]} …"
            # In the order of words that it has in the text.
            lines = (each for each in reversed(self.lines) if each.field == span.field)
            of = next((each for each in lines if each.start <= span.start), None)
            towards = text_direction(of.runs_as) if of else towards
            self._write(text, Role.NEED, "text2", Shape(2, 0, BlockKind.RATIONALE, inset, towards))
        before, self._behind_rationale = self._behind_rationale, self._cursor.position()
        if self._note >= 0:
            self._note += self._behind_rationale - before
        self._cursor.endEditBlock()
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _asks_for_note(self, content: Content) -> bool:
        """Whether it is said where there is no note, and which key writes one."""
        return not self._look.is_large and content.letters is None

    def write_note(self, content: Content) -> None:
        """Write what else was said, and the notes, in place of those that stand at the end."""
        if self._note < 0:
            return
        self._clear(self._note, self._cursor.document().characterCount() - 1)
        if content.remarks:
            self._write(content.remarks, ink="text2", shape=Shape(below=6))
        if content.note or self._asks_for_note(content):
            self._write("")
            self._add_icon("sticky-note")
        if content.note:
            self._add(f"  {content.note}", ink="text2")
        elif self._asks_for_note(content):
            self._add(f"  {_('No note.')}  ")
            self._add_key("judge.note", _("writes one."))
        for other in content.others:
            self._write("", shape=Shape(6))
            self._add_icon("sticky-note")
            self._add(f"  {other}", ink="text2")
        self._cursor.endEditBlock()

    def _clear(self, start: int, end: int) -> None:
        """Go to a piece of the page and take it away; all until the end of the edit is one."""
        self._cursor.beginEditBlock()
        self._cursor.setPosition(start)
        kind, form = self._cursor.block().userState(), self._cursor.blockFormat()
        self._cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._cursor.removeSelectedText()
        # Qt leaves the line before as what is gone was.
        self._cursor.block().setUserState(kind)
        self._cursor.setBlockFormat(form)

    # Paragraphs, and what is added to the last

    def _write(
        self, text: str, role: Role = Role.UI, ink: str = "text3", shape: Shape = _PLAIN
    ) -> int:
        """Write one or several paragraphs at the cursor; return the first one's number."""
        paragraph = _block_format(role, grow=self._grow(role))
        paragraph.setTopMargin(scaled(shape.above))
        paragraph.setBottomMargin(scaled(shape.below))
        # The margin stands where lines begin.
        paragraph.setLeftMargin(0 if self.is_rtl else shape.inset)
        paragraph.setRightMargin(shape.inset if self.is_rtl else 0)
        if shape.direction is not None:
            paragraph.setLayoutDirection(shape.direction)
            if self.is_rtl:
                # An address runs left to right, but stands where the title does.
                paragraph.setAlignment(_AT_RIGHT)
        if not self._is_first:
            self._cursor.insertBlock()
        self._is_first = False
        first = self._cursor.blockNumber()
        self._insert(text, self._char_format(role, ink), paragraph)
        self._cursor.document().findBlockByNumber(first).setUserState(shape.kind)
        return first

    def _insert(self, text: str, chars: QTextCharFormat, paragraph: QTextBlockFormat) -> None:
        """Write one or several paragraphs, the first into the block of the cursor."""
        self._cursor.setBlockFormat(paragraph)
        self._cursor.setBlockCharFormat(chars)
        self._cursor.insertText(text, chars)
        self.n_written += len(text)

    def _grow(self, role: Role) -> float:
        return self._look.grow if role in (self._look.title, self._look.text) else 0.0

    def _char_format(self, role: Role, ink: str) -> QTextCharFormat:
        chars = QTextCharFormat()
        chars.setFont(font(role, grow=self._grow(role)))
        chars.setForeground(getattr(self._look.theme, ink))
        return chars

    def _add(
        self, text: str, role: Role = Role.UI, ink: str = "text3", *, address: str = ""
    ) -> None:
        """Add words to the last paragraph; of an address the page knows all, for whoever clicks."""
        form = self._char_format(role, "link" if address else ink)
        if address:
            form.setAnchor(True)
            form.setAnchorHref(address)
            form.setFontUnderline(False)
        self._cursor.insertText(text, form)
        self.n_written += len(text)

    def _add_key(self, action: str, does: str) -> None:
        """Add an action's key and what it does; nothing where it has no key."""
        key = self._parts.keys[action]
        if key and QAccessible.isActive():
            # What is painted in the text is nothing to readers.
            self._add(f"{key}  {does}")
        elif key:
            self._add_part(_KEY_CAP, key, QSize(*key_cap_size(key)))
            self._add(f"  {does}")

    def _add_icon(self, name: str) -> None:
        if not QAccessible.isActive():
            self._add_part(_ICON, name, QSize(_PX, metrics(Role.UI).ascent()))

    def _add_part(self, kind: int, name: str, size: QSize) -> None:
        form = QTextCharFormat()
        form.setObjectType(kind)
        form.setProperty(_NAME, name)
        form.setProperty(_SIZE, size)
        self._cursor.insertText(_OBJECT, form)


def _block_format(role: Role, *, grow: float = 0.0, more: int = 0) -> QTextBlockFormat:
    """Return the format of a paragraph whose lines are as high as its role, or so many px more."""
    paragraph = QTextBlockFormat()
    paragraph.setLineHeight(line_height(role, grow=grow) + more, _MINIMUM)
    return paragraph


def _pieces(page: Page) -> Iterator[tuple[int, list[Line]]]:
    """Yield the text's lines, so many as are written in a few milliseconds, with the gap above.

    A line with a gap above is alone: of a passage only the first stands apart.
    """
    piece: list[Line] = []
    gap, chars, end = _TEXT_GAP, 0, 0
    for line in page.iter_body():
        # Between the lines of a passage there is a line end, or nothing where one was split.
        is_new = page.is_excerpt and line.start - end > 2
        is_full = len(piece) >= _LINES_AT_ONCE or chars >= _CHARS_AT_ONCE
        if piece and (gap or is_new or is_full):
            yield gap, piece
            piece, gap, chars = [], 0, 0
        gap = _PASSAGE_GAP if is_new else gap
        piece.append(line)
        chars += len(line.text)
        end = line.end
    if piece:
        yield gap, piece


def _field_lines(page: Page, name: str, value: str) -> list[Line]:
    """Return a field's lines with its name before the first."""
    first, *others = page.field_lines(name, value)
    head = f"{name}:  "
    return [first._replace(text=head + first.text, lead=len(head)), *others]


def _with_unit(name: str, value: str) -> str:
    """Return a field's value for the quiet line; a number says of what."""
    if not value.replace(".", "").replace(",", "").isdigit():
        return value
    # ‘minutes’ are counted; ‘price_cents’ and ‘length’ are no units.
    is_unit = name.isalpha() and name.endswith("s")
    return f"{value} {name}" if is_unit else f"{name.replace('_', ' ')}: {value}"
