"""The report as PDF: its page, printed."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QMarginsF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPyTextObject,
    QTextDocument,
    QTextFormat,
    QTextTable,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from judgetool.core import override
from judgetool.core.terms import one_line
from judgetool.gui.charts import CSS_DPI, printed, theme_look
from judgetool.gui.theme import LIGHT, Role, font, install_fonts
from judgetool.session.charts import escaped
from judgetool.session.exports.report_html import Report, printed_report

_MARGIN_MM = 16.0
# Drawings beside each other on a page on its side, with room between them.
_COLUMNS, _BESIDE = 2, 12.0
_FEW_MEASURES = 3
# As the style of cells has it.
_PADDING = 3.0
_FEW_LINES = 2.5
_DATES = re.compile(
    rb'/(?:Creation|Mod)Date \(D:[^)]*\)|xmp:(?:Create|Modify|Metadata)Date="[^"]*"'
)


class _Pictures(QPyTextObject):
    """Sets SVG drawings in place of images, as vectors.

    An image's name is a drawing's number, and how many such stand beside each other.
    """

    def __init__(self, drawings: list[str], parent: QTextDocument) -> None:
        super().__init__(parent)
        self._drawings = [QSvgRenderer(QByteArray(each.encode())) for each in drawings]

    def _drawing(self, kind: QTextFormat) -> tuple[QSvgRenderer, int]:
        number, n_columns = map(int, kind.toImageFormat().name().split(":"))
        return self._drawings[number], n_columns

    @override
    def intrinsicSize(self, doc: QTextDocument, _place: int, kind: QTextFormat) -> QSizeF:
        drawing, n_columns = self._drawing(kind)
        size = QSizeF(drawing.defaultSize())
        room = doc.textWidth() / n_columns - _BESIDE * (n_columns > 1)
        return size * min(1.0, room / size.width())

    @override
    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        _doc: QTextDocument,
        _place: int,
        kind: QTextFormat,
    ) -> None:
        self._drawing(kind)[0].render(painter, QRectF(rect))


def pdf_of_report(report: Report) -> bytes:
    """Return a report as PDF where no window is: in no one's own size of text.

    There must be no application yet, or one with windows.
    """
    app = QApplication.instance() or QApplication(["judgetool"])
    assert isinstance(app, QApplication)
    install_fonts(app)
    return report_pdf(report)


def report_pdf(report: Report) -> bytes:
    """Return a report as a PDF of A4 pages: on their side where there is more than a few columns.

    When it was made stands on the page, where it may be told, and nowhere else in the file.
    """
    sides, table = QPageLayout.Orientation, report.table
    # Differences from a baseline have twelve columns.
    is_wide = len(table.measures) > _FEW_MEASURES or len(table.rows) > 1
    layout = QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4),
        sides.Landscape if is_wide else sides.Portrait,
        QMarginsF(*[_MARGIN_MM] * 4),
        QPageLayout.Unit.Millimeter,
    )
    content = printed(
        escaped(report.title), layout, lambda painter, device: print_pages(painter, device, report)
    )
    # Blanks in their place: the file names where each of its parts begins.
    return _DATES.sub(lambda found: b" " * len(found[0]), content)


def print_pages(painter: QPainter, device: QPagedPaintDevice, report: Report) -> None:
    """Paint a report page by page, each with the title and its number at its foot.

    Rows, drawings and paragraphs are whole; headings stand with what they head, and a table that
    goes on has its head again.
    """
    text = set_report(device, report)
    layout = text.documentLayout()
    foot = Role.SMALL.line
    room = device.height() - foot - 8
    pages = break_pages(pieces_of(text), room)
    for number, page in enumerate(pages, 1):
        if number > 1:
            device.newPage()
        top = 0.0
        for first, last in page:
            part = QRectF(0, first, device.width(), last - first)
            painter.save()
            painter.translate(0, top - first)
            painter.setClipRect(part)
            context = QAbstractTextDocumentLayout.PaintContext()
            context.clip = part
            layout.draw(painter, context)
            painter.restore()
            top += last - first
        place = QRectF(0, device.height() - foot, device.width(), foot)
        counted = f"{number} of {len(pages)}"
        painter.setFont(_print_font(Role.SMALL))
        painter.setPen(LIGHT.text3)
        for said, align in (
            (report.title, Qt.AlignmentFlag.AlignLeft),
            (counted, Qt.AlignmentFlag.AlignRight),
        ):
            painter.drawText(place, align | Qt.AlignmentFlag.AlignVCenter, one_line(said, most=120))


def set_report(device: QPagedPaintDevice, report: Report) -> QTextDocument:
    """Return a report set for a page of this size, as one long text."""
    is_wide = device.width() > device.height()
    style, body, pictures = printed_report(
        report, theme_look(LIGHT, unit=1.0), n_columns=_COLUMNS if is_wide else 1
    )
    text = QTextDocument()
    text.setDocumentMargin(0)
    text.setDefaultFont(_print_font(Role.UI))
    text.setDefaultStyleSheet(style)
    layout = text.documentLayout()
    layout.setPaintDevice(device)
    setter = _Pictures(pictures, text)
    layout.registerHandler(int(QTextFormat.ObjectTypes.ImageObject), setter)
    text.setTextWidth(device.width())
    text.setHtml(body)
    return text


def _print_font(role: Role) -> QFont:
    """Return the font of a role as it is on paper: of one size, whoever prints.

    Without other forms of its characters, as of digits of one width: a PDF names none of these,
    so that a number could neither be found nor copied.
    """
    found = QFont(font(role))
    found.setFeature(QFont.Tag("tnum"), 0)
    found.setPointSizeF(role.px * 72.0 / CSS_DPI)
    return found


class PageBlock(NamedTuple):
    """What stands on one page as a whole.

    Attributes:
        top: where it begins, from the top of the whole text.
        bottom: where it ends.
        heads: whether it stands with what follows.
        head: from where to where the head of its table goes; ``None`` for what has none, or is it.
        group: likewise the name of its group of rows.
    """

    top: float
    bottom: float
    heads: bool = False
    head: tuple[float, float] | None = None
    group: tuple[float, float] | None = None


Span = tuple[float, float]


def break_pages(pieces: Sequence[PageBlock], room: float) -> list[list[Span]]:
    """Return the pages: for each from where to where of the whole text it shows, part by part.

    Args:
        pieces: from the top on; what is between two belongs to the upper one.
        room: height of a page. What is higher goes over several.
    """
    pages: list[list[Span]] = []
    first = 0
    while first < len(pieces):
        heads = (pieces[first].head, pieces[first].group)
        head = [each for each in heads if each is not None]
        left = room - sum(last - start for start, last in head)
        end = first + 1
        while end < len(pieces) and pieces[end].bottom - pieces[first].top <= left:
            end += 1
        whole = end
        while end < len(pieces) and end > first and pieces[end - 1].heads:
            end -= 1
        end = end if end > first else whole
        top, bottom = pieces[first].top, pieces[end - 1].bottom
        while bottom - top > left:
            pages.append([*head, (top, top + left)])
            top += left
        pages.append([*head, (top, bottom)])
        first = end
    return pages


def pieces_of(text: QTextDocument) -> list[PageBlock]:
    """Return what of a text stands whole, from the top on: rows of tables, and paragraphs."""
    layout, found = text.documentLayout(), list[PageBlock]()
    each = text.rootFrame().begin()
    while not each.atEnd():
        frame, block = each.currentFrame(), each.currentBlock()
        if isinstance(frame, QTextTable):
            found += _rows(layout, frame)
        elif block.isValid() and block.text().strip():
            place = layout.blockBoundingRect(block)
            # What a heading heads begins with a line or two on it.
            follows = bool(found) and found[-1].heads and found[-1].head is None
            is_said = follows and place.height() < _FEW_LINES * Role.UI.line
            is_heading = block.blockFormat().headingLevel() > 0
            is_list = block.textList() is not None
            found.append(
                PageBlock(place.top(), place.bottom(), is_heading or (is_said and not is_list))
            )
        each += 1
    return found


def _rows(layout: QAbstractTextDocumentLayout, table: QTextTable) -> list[PageBlock]:
    """Return the rows of a table; heads stand with what they head, and are repeated."""
    whole = layout.frameBoundingRect(table)
    tops = [
        min(
            layout.blockBoundingRect(table.cellAt(row, column).firstCursorPosition().block()).top()
            for column in range(table.columns())
        )
        - _PADDING
        for row in range(table.rows())
    ]
    ends = [*tops[1:], whole.bottom()]
    form = table.format().toTableFormat()
    n_heads = form.headerRowCount()
    # Qt would repeat heads where its own pages begin.
    form.setHeaderRowCount(0)
    table.setFormat(form)
    head = (tops[0], ends[n_heads - 1]) if n_heads else None
    # Across the table stand the name of a group and what is said of it, over the group's rows.
    is_across = [table.cellAt(row, 0).columnSpan() > 1 for row in range(table.rows())]
    found: list[PageBlock] = []
    name: Span | None = None
    for row, (top, end) in enumerate(zip(tops, ends, strict=True)):
        is_name = is_across[row] and not is_across[row - 1]
        found.append(
            PageBlock(
                top,
                end,
                row < n_heads or is_across[row],
                None if row <= n_heads else head,
                None if is_name else name,
            )
        )
        name = (top, end) if is_name else name
    return found
