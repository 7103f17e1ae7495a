"""What the widgets that paint themselves have in common: theme, hover, focus ring, kept pixmaps."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import (
    QEvent,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.painting import (
    draw_focus_ring,
    draw_line,
    painted_pixmap,
)
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.speech import tell_description


class KeptPixmaps:
    """The last used pixmaps; what is asked for under a known key is not painted again.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, QPixmap] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def draw(
        self,
        painter: QPainter,
        rect: QRect,
        key: Hashable,
        *,
        paint: Callable[[QPainter, QRectF], None],
        ground: QColor,
    ) -> None:
        """Draw a row.

        Args:
            painter: on a view's viewport.
            rect: of the whole row.
            key: everything that the look of the row depends on, but size and device.
            paint: paints the row, where it is not at hand, into a rectangle from (0, 0).
            ground: under everything, so that letters are smoothed as on the view itself.
        """
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(
            rect.topLeft(),
            self.find(key, rect.width(), rect.height(), ratio, paint=paint, ground=ground),
        )

    def find(
        self,
        key: Hashable,
        width: int,
        height: int,
        ratio: float,
        *,
        paint: Callable[[QPainter, QRectF], None],
        ground: QColor,
    ) -> QPixmap:
        """Return the pixmap of a row, painted now if it is not at hand."""
        whole = (key, width, height, ratio)
        pixmap = self._kept.get(whole)
        if pixmap is None:
            place = QRectF(0, 0, width, height)
            pixmap = painted_pixmap(
                width, height, ratio, lambda painter: paint(painter, place), ground=ground
            )
            self._kept[whole] = pixmap
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(whole)
        return pixmap


LayoutPart = QWidget | QLayout | int | None
Margins = tuple[int, int, int, int]


def in_column(
    *parts: LayoutPart,
    host: QWidget | None = None,
    spacing: int = 0,
    margins: Margins = (0, 0, 0, 0),
) -> QBoxLayout:
    """Return parts under each other, in a widget where one is given.

    Args:
        parts: widgets and layouts; after one the share of the room left over that it takes;
            ``None`` leaves that room free.
        host: what they stand in.
        spacing: between them, in px.
        margins: left, top, right, bottom, in px.
    """
    return _filled(QVBoxLayout(host) if host else QVBoxLayout(), parts, spacing, margins)


def in_line(
    *parts: LayoutPart,
    host: QWidget | None = None,
    spacing: int = 0,
    margins: Margins = (0, 0, 0, 0),
) -> QBoxLayout:
    """Return parts beside each other; see :func:`in_column`."""
    return _filled(QHBoxLayout(host) if host else QHBoxLayout(), parts, spacing, margins)


def _filled(
    box: QBoxLayout, parts: Sequence[LayoutPart], spacing: int, margins: Margins
) -> QBoxLayout:
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, QWidget):
            box.addWidget(part)
        elif isinstance(part, QLayout):
            box.addLayout(part)
        elif part is None:
            box.addStretch(1)
        else:
            box.setStretch(box.count() - 1, part)
    return box


def divided(direction: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """Return parts that a person can give other sizes; room left over goes to the second."""
    splitter = QSplitter(direction)
    for part in parts:
        splitter.addWidget(part)
    splitter.setChildrenCollapsible(False)
    splitter.setStretchFactor(1, 1)
    return splitter


class PageStack(QStackedWidget):
    """A view, or the sentence that stands for it.

    Signals:
        resized: the room is another.
        hidden: another view is shown, or the window closes.
    """

    resized = Signal()
    hidden = Signal()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that the room is another."""
        super().resizeEvent(event)
        self.resized.emit()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that the window closes."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.hidden.emit()


# Room around a button's face for the focus ring: 1 px gap, 2 px ring.
RING = 3


def mirrored(widget: QWidget, rect: QRectF) -> QRectF:
    """Return where a rectangle, thought left to right, stands in the widget's direction."""
    if widget.layoutDirection() is Qt.LayoutDirection.LeftToRight:
        return rect
    return QRectF(widget.width() - rect.right(), rect.top(), rect.width(), rect.height())


def visual(widget: QWidget, rect: QRect) -> QRect:
    """Return where a child's geometry, thought left to right, stands in the direction."""
    return QStyle.visualRect(widget.layoutDirection(), widget.rect(), rect)


class PaintedWidget(QWidget):
    """A widget that paints itself from :func:`current_theme`, anew when theme or font change.

    Attributes:
        ground: name of the theme's colour that fills it; ``""`` leaves it as it is.
        edge: on which side there is a line: ``top``, ``bottom``, ``start`` or ``end``;
            ``""`` for none.
    """

    ground = edge = ""

    @override
    def setToolTip(self, text: str) -> None:
        """Show another tooltip, and tell readers, whose description it is."""
        if text != self.toolTip():
            super().setToolTip(text)
            tell_description(self)

    @property
    def theme(self) -> Theme:
        """The theme to paint with now."""
        return current_theme()

    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint ground and edge; subclasses that show more do what is asked for.

        Args:
            painter: on this widget, open until this returns.
            exposed: what has to be painted; more costs time alone.
        """
        theme = current_theme()
        if self.ground:
            painter.fillRect(exposed, getattr(theme, self.ground))
        width, height = self.width(), self.height()
        if self.edge in ("top", "bottom"):
            above = QRectF(0, 0, width, 1 if self.edge == "top" else height)
            draw_line(painter, above, theme.line)
        elif self.edge:
            line = QRectF(0 if self.edge == "start" else width - 1, 0, 1, height)
            painter.fillRect(mirrored(self, line), theme.line)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        self.draw(painter, QRectF(event.rect()))
        painter.end()

    @property
    def is_mirrored(self) -> bool:
        """Whether lines run from right to left."""
        return self.layoutDirection() is Qt.LayoutDirection.RightToLeft

    def relayout(self) -> None:
        """Compute anew what depends on fonts; widgets with kept sizes extend it."""
        self.updateGeometry()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme, font and enabledness."""
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.EnabledChange)
        if event.type() is QEvent.Type.FontChange:
            self.relayout()
        if event.type() in kinds or event.type() is QEvent.Type.FontChange:
            self.update()
        super().changeEvent(event)


class Panel(PaintedWidget):
    """A widget on the ground of the docks."""

    ground = "panel"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # It fills its ground: what lies under it need not be painted with it.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)


class PaintedButton(QAbstractButton):
    """A button that paints its own face, with room around it for the focus ring.

    A click does not take the keyboard away from the list that has it; Tab reaches it.
    """

    radius = 6.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def theme(self) -> Theme:
        """The theme to paint with now."""
        return current_theme()

    @override
    def setToolTip(self, text: str) -> None:
        """Show another tooltip, and tell readers, whose description it is."""
        if text != self.toolTip():
            super().setToolTip(text)
            tell_description(self)

    @property
    def face(self) -> QRectF:
        """The button without the room for its focus ring."""
        return QRectF(self.rect()).adjusted(RING, RING, -RING, -RING)

    def face_size(self) -> QSize:
        """Return the wished size of the face; subclasses say."""
        raise NotImplementedError

    def paint_face(self, painter: QPainter) -> None:
        """Paint the face; subclasses do."""
        raise NotImplementedError

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return self.face_size() + QSize(2 * RING, 2 * RING)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return self.sizeHint()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        self.paint_face(painter)
        if self.hasFocus():
            draw_focus_ring(painter, self.face, self.theme, radius=self.radius)
        painter.end()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme, font and enabledness."""
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.update()
        super().changeEvent(event)

    def mirrored(self, rect: QRectF) -> QRectF:
        """Return where a rectangle, thought left to right, stands in this direction."""
        return mirrored(self, rect)


def scroll_area(content: QWidget) -> QScrollArea:
    """Return an area on the ground of what it lies in, moved by the wheel and by its fields."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    # Qt gives both a ground of their own, that of lists.
    area.viewport().setAutoFillBackground(False)
    content.setAutoFillBackground(False)
    return area


def clear_layout(layout: QLayout) -> None:
    """Take everything out of a layout, and do away with it."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
