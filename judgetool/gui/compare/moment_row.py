"""Values as of a moment: a slider over the event log."""

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import draw_focus_ring, draw_frame, draw_track
from judgetool.gui.panels.result_tools import ToolRow
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.session.comparing.as_of import moment_text
from judgetool.session.comparing.snapshots import Moment

_SETTLE_MS = 120
_HANDLE = 14


class MomentRow(ToolRow):
    """Left and Right go from moment to moment; the last one is now.

    Signals:
        moment_chosen: a :class:`Moment`, or ``None`` for now.
        closed: the person wants the present again.
    """

    moment_chosen = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._moments: list[Moment] = []
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Values as of")
        self.slider.setPageStep(10)
        self.text = ElidedLabel("", role=Role.UI, ink="text2")
        self.text.setMinimumWidth(scaled(300))
        self.now = QPushButton("Now")
        self.now.setAutoDefault(False)
        self.row.setContentsMargins(16, 0, 16, 1)
        self.row.addWidget(QLabel("Values as of"))
        self.row.addWidget(self.slider, stretch=1)
        self.row.addWidget(self.text)
        self.row.addWidget(self.now)
        # A drag passes many moments; only where it rests is worth a replay of the log.
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLE_MS)
        self._settled.timeout.connect(self._tell)
        self.slider.valueChanged.connect(self._on_value)
        self.now.clicked.connect(self.closed)

    @property
    def moment(self) -> Moment | None:
        """The moment shown; ``None`` for now."""
        place = self.slider.value()
        return self._moments[place] if place < len(self._moments) - 1 else None

    def set_moments(self, moments: list[Moment]) -> None:
        """Offer these moments; the last one becomes current, without a signal."""
        self._moments = moments
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, len(moments) - 1))
        self.slider.setValue(max(0, len(moments) - 1))
        self.slider.blockSignals(False)
        self.slider.setEnabled(len(moments) > 1)
        self._describe()

    def _on_value(self) -> None:
        self._describe()
        self._settled.start()

    def _describe(self) -> None:
        if not self._moments:
            self.text.set_text("Nothing is judged yet.")
            return
        place = min(self.slider.value(), len(self._moments) - 1)
        moment = self._moments[place]
        when = "now" if place == len(self._moments) - 1 else moment_text(moment.at)
        self.text.set_text(f"{when}, {format_count(moment.n_judged)} judged")
        self.slider.setAccessibleDescription(self.text.text)

    def _tell(self) -> None:
        self.moment_chosen.emit(self.moment)

    @override
    def sizeHint(self) -> QSize:
        """Return the height of a row of buttons."""
        return QSize(super().sizeHint().width(), scaled(40))


class _Slider(QSlider):
    """A track and a handle in the theme's tokens; Fusion's are too faint."""

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint track, handle and focus ring."""
        theme = current_theme()
        painter = QPainter(self)
        size = float(scaled(_HANDLE))
        room = max(1.0, self.width() - size)
        span = self.maximum() - self.minimum()
        share = (self.value() - self.minimum()) / span if span else 1.0
        track = QRectF(size / 2, 0, room, self.height())
        draw_track(painter, track, theme, share=share)
        handle = QRectF(share * room, self.height() / 2 - size / 2, size, size)
        border = theme.accent if self.isEnabled() else theme.disabled
        draw_frame(
            painter, handle.adjusted(1, 1, -1, -1), radius=6, border=border, ground=theme.base
        )
        if self.hasFocus():
            draw_focus_ring(painter, handle.adjusted(2, 2, -2, -2), theme, radius=6)
        painter.end()
