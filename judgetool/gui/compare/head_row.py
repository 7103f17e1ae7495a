"""The row over the table: what is compared, with what, over which judgments, by which rules."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QPushButton, QSizePolicy, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.core.views import VIEW_RULES
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.panels.result_tools import ToolRow
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.elided_combo import ElidedCombo
from judgetool.gui.widgets.labels import ElidedLabel, plain_tooltip
from judgetool.session.board import ONLY_MINE
from judgetool.session.systems import System

_HEIGHT = 42
_WIDEST = 250
_MOST_NAME = 60
_ROOM_FOR_TITLE = 1300
_ROOM_FOR_LABEL = 1180


class HeadRow(ToolRow):
    """Choosers of baseline and judgments; buttons of systems, conventions, snapshot, report.

    Signals:
        baseline_chosen: key of a system.
        view_chosen: name of a view of judgments.
        systems_wanted: the person wants other systems.
        conventions_wanted: the person wants other conventions.
        snapshot_wanted: a snapshot is to be taken.
        report_wanted: a report is to be written.
    """

    baseline_chosen = Signal(str)
    view_chosen = Signal(str)
    systems_wanted = Signal()
    conventions_wanted = Signal()
    snapshot_wanted = Signal()
    report_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("Runs compared", role=Role.UI_STRONG)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._label = ElidedLabel("baseline", role=Role.UI, ink="text3")
        self._label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.baseline = _chooser("Baseline")
        self.queries = ElidedLabel("", role=Role.UI, ink="text2")
        self.view = _chooser("Whose judgments count")
        self.systems = _button("Systems…", self.systems_wanted)
        self.conventions = _button("Conventions…", self.conventions_wanted)
        self.snapshot = _button("Snapshot…", self.snapshot_wanted)
        self.report = _button("Report…", self.report_wanted)
        self._arrange()
        self._fill_views("")
        self.baseline.activated.connect(
            lambda place: self.baseline_chosen.emit(self.baseline.itemData(place))
        )
        self.view.activated.connect(lambda place: self.view_chosen.emit(self.view.itemData(place)))
        self._paint_icons()

    def _arrange(self) -> None:
        row = self.row
        row.setContentsMargins(16, 0, 16, 1)
        row.addWidget(self.title)
        row.addWidget(self._label)
        row.addWidget(self.baseline)
        row.addWidget(self.systems)
        row.addSpacing(4)
        row.addWidget(self.queries, stretch=1)
        row.addWidget(self.view)
        row.addWidget(self.conventions)
        row.addSpacing(8)
        row.addWidget(self.snapshot)
        row.addWidget(self.report)

    @override
    def sizeHint(self) -> QSize:
        """Return the height of a row of buttons."""
        return QSize(super().sizeHint().width(), scaled(_HEIGHT))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size: labels may be cut, buttons not."""
        return QSize(super().minimumSizeHint().width(), scaled(_HEIGHT))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what the picture says by itself where there is no room for it."""
        super().resizeEvent(event)
        self.title.setVisible(self.width() >= scaled(_ROOM_FOR_TITLE))
        self._label.setVisible(self.width() >= scaled(_ROOM_FOR_LABEL))

    # What is shown

    def set_systems(self, systems: Sequence[System], baseline: str, names: Sequence[str]) -> None:
        """Offer systems as baseline.

        Args:
            systems: those of the table.
            baseline: key of the one that is.
            names: what to call each.
        """
        self.baseline.clear()
        for system, name in zip(systems, names, strict=True):
            self.baseline.addItem(one_line(name, most=_MOST_NAME), system.key)
        self.baseline.setCurrentIndex(self.baseline.findData(baseline))
        self._paint_icons()

    def set_facts(self, *, queries: str, view: str, assessor: str, conventions: str) -> None:
        """Say over which queries, judgments and conventions the figures are."""
        self.queries.set_text(queries)
        self._fill_views(assessor)
        self.view.setCurrentIndex(self.view.findData(view))
        self.conventions.setText(conventions)
        self.conventions.setToolTip(plain_tooltip("Conventions: how undefined and unjudged count"))

    def _fill_views(self, assessor: str) -> None:
        self.view.clear()
        for name, rule in VIEW_RULES.items():
            self.view.addItem(rule.title, name)
        self.view.addItem(f"Only {assessor or 'my'}{'’s' if assessor else ''} judgments", ONLY_MINE)

    def _paint_icons(self) -> None:
        theme = current_theme()
        for place in range(self.baseline.count()):
            self.baseline.setItemIcon(place, themed_icon("anchor", theme))
        self.snapshot.setIcon(themed_icon("camera", theme))
        self.report.setIcon(themed_icon("file-text", theme))
        self.systems.setIcon(themed_icon("layers", theme))

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icons()
        super().changeEvent(event)


def _chooser(name: str) -> QComboBox:
    chooser = ElidedCombo()
    chooser.setAccessibleName(name)
    chooser.setToolTip(name)
    chooser.setIconSize(icon_size())
    chooser.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    chooser.setMinimumWidth(scaled(72))
    chooser.setMaximumWidth(scaled(_WIDEST))
    return chooser


def _button(text: str, signal: SignalInstance) -> QPushButton:
    button = QPushButton(f"\u2009{text}")
    button.setAccessibleName(text.rstrip("…"))
    button.setAutoDefault(False)
    button.setIconSize(icon_size())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(lambda: signal.emit())  # noqa: PLW0108 - clicked tells a state that is none here
    return button
