"""Writes a chart: PNG and SVG as it is drawn, CSV as its numbers."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from judgetool.errors import UsageError
from judgetool.formats import write_atomically
from judgetool.formats.formula_guard import GUARD, is_formula
from judgetool.gui.fonts import Role, line_height
from judgetool.gui.painting import LEFT, draw_text
from judgetool.gui.plots.chart import Chart
from judgetool.gui.plots.drawing import draw_chart
from judgetool.gui.theme import Theme

SIZE = QSize(720, 420)
PNG_RATIO = 2.0
ENDINGS = (".png", ".svg", ".csv")
_INSET = 16
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def write_chart(path: Path, chart: Chart, theme: Theme, *, size: QSize = SIZE) -> None:
    """Write a chart as its file's ending says: ``.png``, ``.svg`` or ``.csv``.

    Args:
        path: replaced as a whole if it exists.
        chart: what is written.
        theme: the colours of PNG and SVG.
        size: in px; a PNG has twice as many, and says so.

    Raises:
        UsageError: the ending is another.
        InputError: the file cannot be written; what stood there is unchanged.
    """
    ending = path.suffix.lower()
    if ending == ".csv":
        write_atomically(path, iter_chart_csv(chart))
    elif ending == ".svg":
        write_atomically(path, [chart_svg(chart, theme, size=size)])
    elif ending == ".png":
        write_atomically(path, [chart_png(chart, theme, size=size)])
    else:
        raise UsageError(f"A chart is written as {', '.join(ENDINGS)}; found {path.name}.")


def chart_png(chart: Chart, theme: Theme, *, size: QSize = SIZE) -> bytes:
    """Return a chart as a PNG with twice ``size`` in pixels."""
    image = QImage(size * PNG_RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_RATIO)
    image.fill(theme.base)
    image.setText("Title", chart.title)
    painter = QPainter(image)
    _draw_page(painter, chart, theme, size)
    painter.end()
    return _bytes_of(image)


def _bytes_of(image: QImage) -> bytes:
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants bytes, Qt text
    return bytes(content.data())


def chart_svg(chart: Chart, theme: Theme, *, size: QSize = SIZE) -> bytes:
    """Return a chart as an SVG with its texts as texts and its description."""
    chart = _plain_chart(chart)
    content = QByteArray()
    buffer = QBuffer(content)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInchY()))
    generator.setTitle(chart.title)
    generator.setDescription(chart.in_words())
    painter = QPainter(generator)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), theme.base)
    _draw_page(painter, chart, theme, size)
    painter.end()
    return bytes(content.data())


def iter_chart_csv(chart: Chart) -> Iterator[bytes]:
    """Yield a chart's numbers as CSV: series, position, value; edges of bands where there are."""
    has_bands = any(each.low for each in chart.series)
    head = ["series", _text(chart.x_label), _text(chart.y_label)]
    yield _csv_line([*head, *(["low", "high"] if has_bands else [])])
    for each in chart.series:
        for place, (x, y) in enumerate(zip(each.x, each.y, strict=True)):
            shown = chart.format_x(x) if chart.format_x is not None else repr(x)
            row = [_text(each.label), shown.removesuffix(".0"), "" if y is None else repr(y)]
            if has_bands:
                edges = (each.low[place], each.high[place]) if each.low else ("", "")
                row += [repr(edge) if edge != "" else "" for edge in edges]
            yield _csv_line(row)


def plain(text: str) -> str:
    """Return a text without characters that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)


def _plain_chart(chart: Chart) -> Chart:
    lines = tuple(replace(each, label=plain(each.label)) for each in chart.series)
    return replace(
        chart,
        title=plain(chart.title),
        x_label=plain(chart.x_label),
        y_label=plain(chart.y_label),
        series=lines,
    )


def _csv_line(cells: list[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode("utf-8", errors="replace")


def _text(cell: str) -> str:
    """Return a text that no spreadsheet runs as a formula."""
    return f"{GUARD}{cell}" if is_formula(cell) else cell


def _draw_page(painter: QPainter, chart: Chart, theme: Theme, size: QSize) -> None:
    """Draw a chart under its title, as it stands by itself."""
    page = QRectF(0, 0, size.width(), size.height()).adjusted(_INSET, _INSET, -_INSET, -_INSET)
    head = QRectF(page.left(), page.top(), page.width(), line_height(Role.UI_STRONG))
    draw_text(painter, head, plain(chart.title), role=Role.UI_STRONG, colour=theme.text, align=LEFT)
    draw_chart(painter, page.adjusted(0, head.height() + 8, 0, 0), chart, theme)
