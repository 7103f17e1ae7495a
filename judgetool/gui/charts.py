"""Charts on screen and in picture files: drawn once as SVG, in the theme's colours.

Pointer and keys walk a chart's points, and readers hear its numbers.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QMarginsF,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from judgetool.core import override
from judgetool.errors import UsageError
from judgetool.formats import write_atomically
from judgetool.gui.dialogs import FileKind
from judgetool.gui.painting import draw_focus_ring, grade_style, painted_pixmap
from judgetool.gui.theme import LIGHT, Role, Theme, font, scale, scaled, text_width
from judgetool.gui.widgets.buttons import IconButton
from judgetool.gui.widgets.labels import ElidedLabel, plain_tooltip
from judgetool.gui.widgets.painted import PaintedWidget, in_column
from judgetool.session.charts import (
    Chart,
    ChartLook,
    ChartPlaces,
    chart_places,
    chart_svg,
    iter_chart_csv,
    mark_svg,
)
from judgetool.wording import N_, _, in_english

CHART_FILES = (
    FileKind(N_("PNG picture"), (".png",)),
    FileKind(N_("SVG drawing"), (".svg",)),
    FileKind(N_("PDF for papers"), (".pdf",)),
    FileKind(N_("Numbers as CSV"), (".csv",)),
)
_COLUMNS = 2
_CHART_HEIGHT = 216


INSET = 8
SIZE = QSize(720, 420)
PNG_RATIO = 2.0
CSS_DPI = 96


class ChartView(PaintedWidget):
    """Shows one chart; Left and Right, Home and End walk its points, Escape lets go of them.

    Signals:
        position_chosen: a position was clicked, or Enter was pressed at it.
    """

    position_chosen = Signal(float)
    heard_as = QAccessible.Role.Chart
    ground = "base"

    def __init__(self, chart: Chart | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = chart or Chart("", "", "")
        self._chart = self._source.in_language()
        self._mark: float | None = None
        self._drawn = QPixmap()
        self._drawn_as: tuple[object, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()

    @property
    def chart(self) -> Chart:
        """What is shown, as files have it: in English."""
        return self._source

    @property
    def title(self) -> str:
        """The chart's title as it is shown."""
        return self._chart.title

    @property
    def mark(self) -> float | None:
        """Position whose values are shown, or ``None``."""
        return self._mark

    def set_chart(self, chart: Chart) -> None:
        """Show another chart; the position that was looked at stays if it still has points."""
        if chart == self._source:
            return
        self._source, self._chart = chart, chart.in_language()
        if self._mark is not None and self._mark not in chart.positions:
            self._mark = None
        self._describe()
        self.update()

    def _describe(self) -> None:
        title = self._chart.title
        self.setAccessibleName(title or _("Chart"))
        is_marked = self._mark is not None
        told = self._chart.point_in_words(self._mark or 0.0) if is_marked else ""
        # Its words begin with the title, which is said already.
        whole = self._chart.in_words().removeprefix(title).lstrip(":. ")
        self.setAccessibleDescription(told or whole)

    def set_mark(self, position: float | None) -> None:
        """Show the values at a position, or at none."""
        if position == self._mark:
            return
        self._mark = position
        self._describe()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which lines are told apart."""
        return QSize(scaled(360), scaled(220))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which something is seen."""
        return QSize(scaled(160), scaled(110))

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(INSET, INSET, -INSET, -INSET)

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the chart, and what is looked at over it."""
        super().draw(painter, exposed)
        area = self._area()
        painter.drawPixmap(area.topLeft(), self._draw(area.size()))
        if self._mark is not None:
            look, size = theme_look(self.theme), (area.width(), area.height())
            svg = mark_svg(self._chart, self._mark, *size, look, ground=self.ground)
            render_svg(painter, svg, area)
        if self.hasFocus():
            inside = QRectF(self.rect()).adjusted(3, 3, -3, -3)
            draw_focus_ring(painter, inside, self.theme, radius=4)

    def _draw(self, size: QSizeF) -> QPixmap:
        """Return the chart in pixels; it is drawn anew where anything that shows is another."""
        ratio = self.devicePixelRatioF()
        asked = (self._chart, size, self.theme.name, self.ground, scale(), ratio)
        if asked != self._drawn_as:
            self._drawn_as = asked
            ground, look = getattr(self.theme, self.ground), theme_look(self.theme)
            svg = chart_svg(self._chart, size.width(), size.height(), look, ground=self.ground)
            paint = partial(render_svg, svg=svg, place=QRectF(QPointF(), size))
            self._drawn = painted_pixmap(size.width(), size.height(), ratio, paint, ground=ground)
        return self._drawn

    def _places(self) -> ChartPlaces | None:
        """Return where the parts of the chart stand, within its area."""
        area = self._area()
        return chart_places(self._chart, area.width(), area.height(), theme_look(self.theme))

    def _nearest(self, left: float) -> float | None:
        places = self._places()
        if places is None:
            return None
        return min(self._chart.positions, key=lambda x: abs(INSET + places.x.at(x) - left))

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the values nearest to the pointer."""
        self.set_mark(self._nearest(event.position().x()))

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the position under the pointer."""
        super().mousePressEvent(event)
        position = self._nearest(event.position().x())
        if position is not None and event.button() is Qt.MouseButton.LeftButton:
            self.set_mark(position)
            self.position_chosen.emit(position)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """Let go of what was under the pointer."""
        super().leaveEvent(event)
        if not self.hasFocus():
            self.set_mark(None)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the points."""
        positions = self._chart.positions
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape and self._mark is not None:
            self.set_mark(None)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._mark is not None:
            self.position_chosen.emit(self._mark)
        elif positions and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.set_mark(positions[0 if key is Qt.Key.Key_Home else -1])
        elif positions and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key is Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        positions = self._chart.positions
        if self._mark in positions:
            place = positions.index(self._mark) + by
            self.set_mark(positions[max(0, min(len(positions) - 1, place))])
        else:
            self.set_mark(positions[0 if by > 0 else -1])


class _Titled(QWidget):
    """A chart under its title."""

    export_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.title = ElidedLabel("", role=Role.META_STRONG, ink="text2")
        self.view = ChartView()
        self.export = IconButton("download")
        self.export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.export.clicked.connect(self.export_wanted)
        head = QHBoxLayout()
        head.setContentsMargins(INSET + 4, 4, INSET, 0)
        head.addWidget(self.title, stretch=1)
        head.addWidget(self.export)
        in_column(head, self.view, 1, host=self)

    def set_chart(self, chart: Chart) -> None:
        self.view.set_chart(chart)
        self.title.set_text(self.view.title)
        name = _("Export {title}…").format(title=self.view.title)
        self.export.setToolTip(plain_tooltip(name))
        self.export.setAccessibleName(name)


class ChartGrid(QScrollArea):
    """Charts two by two; those that stay keep what was looked at.

    Signals:
        export_wanted: a :class:`Chart` is to be written to a file.
    """

    export_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = QWidget()
        self._grid = QGridLayout(self._content)
        self._grid.setContentsMargins(4, 4, 4, 4)
        self._grid.setSpacing(4)
        self.setWidget(self._content)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self._content.setBackgroundRole(QPalette.ColorRole.Base)
        self._slots: list[_Titled] = []

    @property
    def charts(self) -> list[Chart]:
        """The charts that are shown."""
        return [each.chart for each in self.views]

    @property
    def views(self) -> list[ChartView]:
        """Their widgets."""
        return [each.view for each in self._slots if not each.isHidden()]

    def set_charts(self, charts: Sequence[Chart]) -> None:
        """Show other charts in the same places."""
        while len(self._slots) < len(charts):
            self._add_slot()
        for slot, chart in zip_longest(self._slots, charts):
            slot.setVisible(chart is not None)
            if chart is not None:
                slot.set_chart(chart)

    def _add_slot(self) -> None:
        slot = _Titled()
        slot.setMinimumHeight(scaled(_CHART_HEIGHT))
        slot.export_wanted.connect(lambda: self.export_wanted.emit(slot.view.chart))
        place = len(self._slots)
        self._grid.addWidget(slot, place // _COLUMNS, place % _COLUMNS)
        self._slots.append(slot)

    def focused_chart(self) -> Chart | None:
        """Return the chart that has the keyboard, else the first; ``None`` without any."""
        found = sorted(self.views, key=lambda each: not each.hasFocus())
        return found[0].chart if found else None

    def take_keyboard(self) -> None:
        """Give the keyboard to the first chart."""
        if self.views:
            self.views[0].setFocus()

    @override
    def sizeHint(self) -> QSize:
        """Return the size of two rows."""
        return QSize(scaled(640), 2 * scaled(_CHART_HEIGHT))


def suggested_name(chart: Chart) -> Path:
    """Return a file name for a chart, from its title."""
    name = re.sub(r"(?:[^\w@.]|_)+", "-", chart.title).strip("-").lower()
    return Path(f"{name[:80] or 'chart'}.png")


# The theme's look, and files


def theme_look(theme: Theme, *, unit: float | None = None) -> ChartLook:
    """Return charts in a theme's colours, with the interface's font: Qt's SVG takes but one.

    Args:
        theme: which.
        unit: px that stand for one at a 13 px font; ``None`` for the interface's.
    """
    size = scale() if unit is None else unit
    return ChartLook(
        partial(_theme_ink, theme),
        _width_of,
        font(Role.META).families()[0],
        Role.SMALL.px * size,
        Role.META.px * size,
        size,
    )


def _theme_ink(theme: Theme, name: str, chart: Chart, grade: float | None) -> str:
    if grade is not None and chart.scale is not None:
        return grade_style(chart.scale, grade, theme).ink.name()
    colour: QColor = getattr(theme, name)
    return colour.name()


def _width_of(size: float, text: str) -> float:
    role = Role.SMALL if size < Role.META.px * scale() else Role.META
    return text_width(role, text) * size / (role.px * scale())


def render_svg(painter: QPainter, svg: str, place: QRectF) -> None:
    """Paint an ``<svg>`` element into a place."""
    QSvgRenderer(QByteArray(svg.encode())).render(painter, place)


@in_english()
def write_chart(path: Path, chart: Chart, theme: Theme) -> None:
    """Write a chart as its file's ending says: ``.png``, ``.svg``, ``.pdf`` or ``.csv``.

    Args:
        path: replaced as a whole if it exists.
        chart: what is written.
        theme: the colours of PNG and SVG; a PNG has twice :data:`SIZE` in pixels, and says so.
            A PDF is for paper: light.

    Raises:
        UsageError: the ending is another.
        InputError: the file cannot be written; what stood there is unchanged.
    """
    writers: dict[str, Callable[[], Iterable[str | bytes]]] = {
        ".png": lambda: [chart_png(chart, theme)],
        ".svg": lambda: [chart_page_svg(chart, theme)],
        ".pdf": lambda: [chart_pdf(chart)],
        ".csv": lambda: iter_chart_csv(chart),
    }
    make = writers.get(path.suffix.lower())
    if make is None:
        raise UsageError(
            _("A chart is written as {endings}; found {name}.").format(
                endings=", ".join(writers), name=path.name
            )
        )
    write_atomically(path, make())


def chart_page_svg(chart: Chart, theme: Theme, *, size: QSize = SIZE) -> str:
    """Return a chart that stands by itself, under its title, with its description."""
    return chart_svg(chart, size.width(), size.height(), theme_look(theme), is_page=True)


def chart_png(chart: Chart, theme: Theme, *, size: QSize = SIZE) -> bytes:
    """Return a chart as a PNG with twice ``size`` in pixels."""
    image = QImage(size * PNG_RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_RATIO)
    image.fill(theme.base)
    image.setText("Title", chart.title)
    painter = QPainter(image)
    render_svg(painter, chart_page_svg(chart, theme, size=size), QRectF(QPointF(), QSizeF(size)))
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants bytes, Qt text
    return bytes(content.data())


def chart_pdf(chart: Chart) -> bytes:
    """Return a chart as a PDF of one page of its own size, light, its fonts in it."""
    size = QSizeF(SIZE)
    page = QPageSize(size * 72.0 / CSS_DPI, QPageSize.Unit.Point)
    layout = QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF())
    svg, place = chart_page_svg(chart, LIGHT), QRectF(QPointF(), size)
    return printed(chart.title, layout, lambda painter, _device: render_svg(painter, svg, place))


def printed(
    title: str, layout: QPageLayout, paint: Callable[[QPainter, QPagedPaintDevice], object]
) -> bytes:
    """Return what is painted as a PDF.

    Args:
        title: of the file.
        layout: of its pages.
        paint: is given a painter in CSS px, and its device, for further pages.
    """
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageLayout(layout)
    writer.setResolution(CSS_DPI)
    writer.setTitle(title)
    writer.setCreator("judgetool")
    painter = QPainter(writer)
    paint(painter, writer)
    painter.end()
    buffer.close()
    return bytes(content.data())
