"""The report as PDF: its page, printed."""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QGuiApplication,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from judgetool.core.override import override
from judgetool.gui.charts import theme_look
from judgetool.gui.fonts import Role, font, install_fonts, line_height
from judgetool.gui.painting import LEFT, RIGHT, draw_text
from judgetool.gui.theme import LIGHT
from judgetool.session.chart_svg import escaped
from judgetool.session.exports.report_html import Report, printed_report

_MARGIN_MM = 16.0


class _Pictures(QPyTextObject):
    """Sets SVG drawings in place of images, as vectors; an image's name is a drawing's number."""

    def __init__(self, drawings: list[str], parent: QTextDocument) -> None:
        super().__init__(parent)
        self._drawings = [QSvgRenderer(QByteArray(each.encode())) for each in drawings]

    def _drawing(self, kind: QTextFormat) -> QSvgRenderer:
        return self._drawings[int(kind.toImageFormat().name())]

    @override
    def intrinsicSize(self, doc: QTextDocument, _place: int, kind: QTextFormat) -> QSizeF:
        size = QSizeF(self._drawing(kind).defaultSize())
        return size * min(1.0, doc.pageSize().width() / size.width())

    @override
    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        _doc: QTextDocument,
        _place: int,
        kind: QTextFormat,
    ) -> None:
        self._drawing(kind).render(painter, QRectF(rect))


def pdf_of_report(report: Report) -> bytes:
    """Return a report as PDF where no window is: in no one's own size of text.

    There must be no application yet, or one with windows.
    """
    app = QApplication.instance() or QApplication(["judgetool"])
    assert isinstance(app, QApplication)
    install_fonts(app)
    return report_pdf(report)


def report_pdf(report: Report) -> bytes:
    """Return a report as a PDF of A4 pages, upright or, with many measures, on their side."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    sides = QPageLayout.Orientation
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            sides.Landscape if len(report.table.measures) > 3 else sides.Portrait,
            QMarginsF(*[_MARGIN_MM] * 4),
            QPageLayout.Unit.Millimeter,
        )
    )
    writer.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInchY()))
    writer.setTitle(escaped(report.title))
    writer.setCreator("judgetool")
    painter = QPainter(writer)
    print_pages(painter, writer, report)
    painter.end()
    buffer.close()
    return bytes(content.data())


def print_pages(painter: QPainter, device: QPagedPaintDevice, report: Report) -> None:
    """Paint a report page by page, each with the title and its number at its foot."""
    style, body, pictures = printed_report(report, theme_look(LIGHT))
    text = QTextDocument()
    text.setDocumentMargin(0)
    text.setDefaultFont(font(Role.UI))
    text.setDefaultStyleSheet(style)
    layout = text.documentLayout()
    layout.setPaintDevice(device)
    setter = _Pictures(pictures, text)
    layout.registerHandler(int(QTextFormat.ObjectTypes.ImageObject), setter)
    foot = line_height(Role.SMALL)
    size = QSizeF(device.width(), device.height() - foot - 8)
    text.setPageSize(size)
    text.setHtml(body)
    _keep_headings(text)
    for page in range(text.pageCount()):
        if page:
            device.newPage()
        painter.save()
        painter.translate(0, -page * size.height())
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = QRectF(0, page * size.height(), size.width(), size.height())
        painter.setClipRect(context.clip)
        layout.draw(painter, context)
        painter.restore()
        place = QRectF(0, device.height() - foot, device.width(), foot)
        for said, align in ((report.title, LEFT), (str(page + 1), RIGHT)):
            draw_text(painter, place, said, role=Role.SMALL, colour=LIGHT.text3, align=align)


def _keep_headings(text: QTextDocument) -> None:
    """Begin a page before each heading that would stand at a page's end, away from what it heads."""
    layout, height = text.documentLayout(), text.pageSize().height()
    # Qt lays out as far as it is asked; a change in what it has not reached yet cuts the rest off.
    text.pageCount()
    block = text.begin()
    while block.isValid():
        level = block.blockFormat().headingLevel()
        if level > 1:
            first = layout.blockBoundingRect(block)
            headed = block.next().next() if level == 2 else block.next()
            end = layout.blockBoundingRect(headed).bottom() if headed.isValid() else first.bottom()
            if first.top() // height != end // height and first.top() % height > 1:
                cursor, form = QTextCursor(block), block.blockFormat()
                form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                cursor.setBlockFormat(form)
        block = block.next()
