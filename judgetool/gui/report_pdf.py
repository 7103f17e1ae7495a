"""The report as PDF: painted from the very values that the HTML page is made of."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from judgetool.formats.writers.report_html import (
    SIGNIFICANT,
    HtmlReport,
    ReportDifferences,
    ReportFigure,
    ReportPlot,
    ReportSystem,
)
from judgetool.gui.fonts import Role, line_height, text_width
from judgetool.gui.number_text import NO_CHANGE, UNDEFINED, format_change, format_value
from judgetool.gui.painting import LEFT, RIGHT, draw_line, draw_text
from judgetool.gui.plots.chart import Chart, series
from judgetool.gui.plots.drawing import draw_chart
from judgetool.gui.plots.files import plain
from judgetool.gui.plots.pdf_pages import PdfPages

_MOST_ACROSS = 6
_NAME_SHARE = 0.26
_MOST_BARS = 40
_PLOT_HEIGHT = 240.0


def report_pdf(report: HtmlReport) -> bytes:
    """Return a report as a PDF of A4 pages, upright or, with many measures, on their side."""
    is_wide = len(report.measures) > 3
    pages = PdfPages(plain(report.title), is_wide=is_wide)
    pages.paragraph(plain(report.title), role=Role.TITLE_FOCUS, ink="text")
    if report.subtitle:
        pages.paragraph(plain(report.subtitle), role=Role.NEED)
    _facts(pages, report)
    _systems(pages, report)
    for differences in report.differences:
        _differences(pages, differences)
    for plot in report.plots:
        _plot(pages, plot)
    _conventions(pages, report)
    return pages.finish()


def _facts(pages: PdfPages, report: HtmlReport) -> None:
    pages.skip(10)
    each = pages.width / max(1, len(report.facts))
    upper, lower = line_height(Role.META), line_height(Role.UI_STRONG)
    place = pages.take(upper + lower + 8)
    for column, (label, text) in enumerate(report.facts):
        left = column * each
        head = QRectF(left, place.top(), each - 8, upper)
        body = QRectF(left, head.bottom(), each - 8, lower)
        ink, ink3 = pages.theme.text, pages.theme.text3
        draw_text(pages.painter, head, label, role=Role.META, colour=ink3, align=LEFT)
        draw_text(pages.painter, body, plain(text), role=Role.UI_STRONG, colour=ink, align=LEFT)


def _systems(pages: PdfPages, report: HtmlReport) -> None:
    """Write the table of systems, a few measures across at a time."""
    pages.heading("Runs compared", keeps=120)
    names = [name for name, _ in report.measures]
    share = f"Judged@{report.depth}"
    for first in range(0, len(names), _MOST_ACROSS):
        shown = names[first : first + _MOST_ACROSS]
        # Where the share is one of the measures it stands there already.
        is_last = first + _MOST_ACROSS >= len(names) and share not in names
        heads = ["", *shown, *([share] if is_last else [])]
        widths = _widths(pages, len(heads))
        pages.skip(8)
        pages.need(3 * (line_height(Role.UI) + line_height(Role.META)) + 40)
        pages.row(heads, widths, role=Role.HEAD, ink="text3")
        for system in report.systems:
            _system(pages, system, widths, slice(first, first + len(shown)), has_share=is_last)
    pages.skip(4)
    pages.paragraph(
        f"Under each value: from least to greatest over all gradings of what is unjudged; the "
        f"difference from the baseline; p, bold with a diamond below {SIGNIFICANT}. "
        "The best value of a column is bold and underlined.",
        role=Role.META,
        ink="text3",
    )


def _widths(pages: PdfPages, n_columns: int) -> list[float]:
    name = pages.width * _NAME_SHARE
    return [name, *[(pages.width - name) / max(1, n_columns - 1)] * (n_columns - 1)]


def _system(
    pages: PdfPages,
    system: ReportSystem,
    widths: Sequence[float],
    across: slice,
    *,
    has_share: bool,
) -> None:
    value_line, small = line_height(Role.UI), line_height(Role.META)
    place = pages.take(value_line + 3 * small + 8)
    painter, theme = pages.painter, pages.theme
    top = QRectF(0, place.top() + 3, widths[0] - 8, value_line)
    draw_text(painter, top, plain(system.name), role=Role.UI_STRONG, colour=theme.text, align=LEFT)
    below = QRectF(0, top.bottom(), widths[0] - 8, small)
    remark = f"baseline, {system.remark}" if system.is_baseline else system.remark
    draw_text(painter, below, plain(remark), role=Role.META, colour=theme.text3, align=LEFT)
    left = widths[0]
    for figure, width in zip(system.figures[across], widths[1:], strict=False):
        _figure(pages, figure, QRectF(left + 8, top.top(), width - 8, value_line))
        left += width
    if has_share:
        share = UNDEFINED if system.judged_share is None else f"{system.judged_share:.0%}"
        cell = QRectF(left + 8, top.top(), widths[-1] - 8, value_line)
        draw_text(painter, cell, share, role=Role.UI, colour=theme.text, align=RIGHT)
    draw_line(painter, place, theme.line)


def _figure(pages: PdfPages, figure: ReportFigure, cell: QRectF) -> None:
    painter, theme, small = pages.painter, pages.theme, line_height(Role.META)
    text = format_value(figure.mean, digits=figure.digits)
    role = Role.UI_STRONG if figure.is_best else Role.UI
    draw_text(painter, cell, text, role=role, colour=theme.text, align=RIGHT)
    if figure.is_best:
        width = text_width(role, text)
        painter.fillRect(QRectF(cell.right() - width, cell.bottom() - 1, width, 1.5), theme.accent)
    line = QRectF(cell.left(), cell.bottom(), cell.width(), small)
    if figure.low is not None and figure.high is not None:
        span = "–".join(format_value(end, digits=3) for end in (figure.low, figure.high))
        span = span if figure.is_exact else f"within {span}"
        draw_text(painter, line, span, role=Role.META, colour=theme.text3, align=RIGHT)
    line.translate(0, small)
    if figure.difference is not None:
        change = format_change(figure.difference)
        ink = theme.text3
        if change != NO_CHANGE:
            ink = theme.good if figure.difference > 0 else theme.bad
            change = f"{'▲' if figure.difference > 0 else '▼'} {change}"
        draw_text(painter, line, change, role=Role.META, colour=ink, align=RIGHT)
    line.translate(0, small)
    if figure.p is not None:
        is_sure = figure.p < SIGNIFICANT
        shown = "p < 0.001" if figure.p < 0.001 else f"p {figure.p:.3f}"
        draw_text(
            painter,
            line,
            f"◆ {shown}" if is_sure else shown,
            role=Role.META_STRONG if is_sure else Role.META,
            colour=theme.text if is_sure else theme.text3,
            align=RIGHT,
        )


def _differences(pages: PdfPages, differences: ReportDifferences) -> None:
    """Write the queries that differ as bars, worst first; the middle ones are left out."""
    differing = [query for query in differences.queries if query.difference]
    pages.heading(plain(differences.title), keeps=120)
    n_better = sum(query.difference > 0 for query in differing)
    n_equal = len(differences.queries) - len(differing)
    pages.paragraph(
        f"{n_better} better, {len(differing) - n_better} worse, {n_equal} equal; worst first."
    )
    shown = differing
    if len(differing) > _MOST_BARS:
        half = _MOST_BARS // 2
        shown = [*differing[:half], *differing[-half:]]
        pages.paragraph(
            f"The {half} worst and the {half} best of {len(differing):,} are drawn.",
            role=Role.META,
            ink="text3",
        )
    least = min((query.difference for query in shown), default=0.0)
    most = max((query.difference for query in shown), default=0.0)
    span = max(0.0, most) - min(0.0, least)
    height = line_height(Role.META) + 3.0
    for query in shown:
        place = pages.take(height)
        text = QRectF(0, place.top(), pages.width * 0.44, height)
        label = plain(f"{query.query_id}  {query.text}")
        ink = pages.theme.text
        draw_text(pages.painter, text, label, role=Role.META, colour=ink, align=LEFT)
        bars = QRectF(pages.width * 0.46, place.top(), pages.width * 0.42, height)
        zero = bars.left() - min(0.0, least) / span * bars.width()
        width = max(0.75, abs(query.difference) / span * bars.width())
        left = zero if query.difference > 0 else zero - width
        colour = pages.theme.good if query.difference > 0 else pages.theme.bad
        pages.painter.fillRect(QRectF(left, place.top() + 3, width, height - 6), colour)
        pages.painter.fillRect(QRectF(zero, place.top(), 0.75, height), pages.theme.line_strong)
        change = format_change(query.difference)
        draw_text(pages.painter, place, change, role=Role.META, colour=ink, align=RIGHT)


def _plot(pages: PdfPages, plot: ReportPlot) -> None:
    pages.heading(plain(plot.title), keeps=_PLOT_HEIGHT)
    lines = tuple(
        series(plain(each.label), each.x, each.y, is_quiet=each.is_quiet) for each in plot.series
    )
    chart = Chart(plain(plot.title), plot.x_label, plot.y_label, lines, has_whole_x=True)
    draw_chart(pages.painter, pages.take(_PLOT_HEIGHT), chart, pages.theme)


def _conventions(pages: PdfPages, report: HtmlReport) -> None:
    pages.heading("How the figures came about")
    for sentence in report.sentences:
        pages.paragraph(plain(sentence))
    pages.heading("Measures")
    for name, definition in report.measures:
        pages.need(60)
        pages.paragraph(name, role=Role.UI_STRONG, ink="text")
        pages.paragraph(plain(definition))
        pages.skip(4)
    pages.skip(12)
    pages.paragraph(plain(report.made), role=Role.META, ink="text3")
