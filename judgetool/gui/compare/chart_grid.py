"""Several charts in a grid, each with its title and its way into a file."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.charts import INSET, ChartView
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.questions import FileKind
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import ElidedLabel, plain_tooltip
from judgetool.session.charts import Chart

CHART_FILES = (
    FileKind("PNG picture", (".png",)),
    FileKind("SVG drawing", (".svg",)),
    FileKind("Numbers as CSV", (".csv",)),
)
_COLUMNS = 2
_CHART_HEIGHT = 216


class _Titled(QWidget):
    """A chart under its title."""

    export_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("", role=Role.META_STRONG, ink="text2")
        self.view = ChartView()
        self.export = QToolButton()
        self.export.setFixedSize(26, 26)
        self.export.setIconSize(icon_size())
        self.export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.export.clicked.connect(self.export_wanted)
        head = QHBoxLayout()
        head.setContentsMargins(INSET + 4, 4, INSET, 0)
        head.addWidget(self.title, stretch=1)
        head.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.view, stretch=1)
        self._paint_icon()

    def set_chart(self, chart: Chart) -> None:
        self.title.set_text(chart.title)
        self.view.set_chart(chart)
        name = f"Export {chart.title}…"
        self.export.setToolTip(plain_tooltip(name))
        self.export.setAccessibleName(name)

    def _paint_icon(self) -> None:
        self.export.setIcon(themed_icon("download", current_theme()))

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icon()
        super().changeEvent(event)


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
        return [each.view.chart for each in self._slots if not each.isHidden()]

    @property
    def views(self) -> list[ChartView]:
        """Their widgets."""
        return [each.view for each in self._slots if not each.isHidden()]

    def set_charts(self, charts: Sequence[Chart]) -> None:
        """Show other charts in the same places."""
        while len(self._slots) < len(charts):
            self._add_slot()
        for place, slot in enumerate(self._slots):
            slot.setVisible(place < len(charts))
            if place < len(charts):
                slot.set_chart(charts[place])

    def _add_slot(self) -> None:
        slot = _Titled(self._content)
        slot.setMinimumHeight(scaled(_CHART_HEIGHT))
        slot.export_wanted.connect(lambda: self.export_wanted.emit(slot.view.chart))
        place = len(self._slots)
        self._grid.addWidget(slot, place // _COLUMNS, place % _COLUMNS)
        self._slots.append(slot)

    def focused_chart(self) -> Chart | None:
        """Return the chart that has the keyboard, else the first; ``None`` without any."""
        shown = [each for each in self._slots if not each.isHidden()]
        with_keyboard = [each for each in shown if each.view.hasFocus()]
        found = (with_keyboard or shown)[:1]
        return found[0].view.chart if found else None

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
    plain = "".join(char if char.isalnum() or char in "@.-" else "-" for char in chart.title)
    name = "-".join(part for part in plain.lower().split("-") if part)
    return Path(f"{name[:80] or 'chart'}.png")
