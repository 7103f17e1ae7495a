"""A combo box whose shown choice ends in an ellipsis where there is no room for all of it."""

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QPaintEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QStyle, QStyleOptionComboBox, QStylePainter

from judgetool.core.override import override

# What stands around the entries of the list, a scroll bar among it.
_LIST_ROOM = 32


class NamedCombo(QComboBox):
    """A combo box whose name is spoken, and whose list shows its entries whole.

    On Linux Qt gives screen readers the chosen value in place of the accessible name, and
    the name by way of a label: where no label stands beside the box, an unseen one does.
    """

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Have a label, once it is known what the box is called and what stands beside it."""
        super().showEvent(event)
        parent, name = self.parentWidget(), self.accessibleName()
        if parent is None or not name:
            return
        if not any(label.buddy() is self for label in parent.findChildren(QLabel)):
            label = QLabel(name.replace("&", "&&"), parent)
            label.hide()
            label.setBuddy(self)

    @override
    def showPopup(self) -> None:
        """Open the list as wide as its widest entry and as high as its entries are.

        Qt leaves out what the style sheet puts around them, and cuts the last entry.
        """
        view = self.view()
        widest = max((view.sizeHintForIndex(each).width() for each in self._entries()), default=0)
        view.setMinimumWidth(min(widest + _LIST_ROOM, self.screen().availableGeometry().width()))
        super().showPopup()
        popup = view.window()
        shown = self._entries()[: self.maxVisibleItems()]
        wanted = sum(view.sizeHintForIndex(each).height() for each in shown)
        lacking = wanted - view.viewport().height()
        if lacking > 0:
            screen, place = self.screen().availableGeometry(), popup.geometry()
            is_above = place.bottom() <= self.mapToGlobal(QPoint(0, self.height())).y()
            place.setHeight(min(place.height() + lacking, screen.height()))
            if is_above or place.bottom() > screen.bottom():
                place.moveTop(max(screen.top(), place.top() - lacking))
            popup.setGeometry(place)

    def _entries(self) -> list[QModelIndex]:
        model, root = self.model(), self.rootModelIndex()
        return [model.index(row, self.modelColumn(), root) for row in range(self.count())]


class ElidedCombo(NamedCombo):
    """A combo box that elides; Qt's own cuts through a letter when it has a style sheet."""

    def keep_whole(self, *, most: int = 10_000) -> None:
        """Be never too narrow for the text that is shown, up to a width in px."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        around = self.width() - self.field_width + self._icon_room
        text = self.currentText() or self.placeholderText()
        width = option.fontMetrics.horizontalAdvance(text) + around + 2
        self.setMinimumWidth(min(width, most))

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which every entry is whole; Qt leaves room out that the style takes."""
        hint, metrics = super().sizeHint(), self.fontMetrics()
        if self.sizeAdjustPolicy() is QComboBox.SizeAdjustPolicy.AdjustToContents:
            texts = [self.itemText(place) for place in range(self.count())]
            widest = max(map(metrics.horizontalAdvance, texts), default=0)
            around = self.width() - self.field_width + self._icon_room + 2
            hint.setWidth(max(hint.width(), widest + around))
        return hint

    @property
    def _icon_room(self) -> int:
        has_icon = not self.itemIcon(self.currentIndex()).isNull()
        return self.iconSize().width() + 4 if has_icon else 0

    @property
    def field_width(self) -> int:
        """How wide the field of the text is, without arrow and border, in px."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(control, option, part, self).width()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint frame, icon and as much of the text as fits."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        # Qt clips the text to the field.
        room = self.field_width - self._icon_room
        if self.currentIndex() < 0:
            ink = option.palette.brush(QPalette.ColorRole.PlaceholderText)
            option.palette.setBrush(QPalette.ColorRole.ButtonText, ink)
        option.currentText = option.fontMetrics.elidedText(
            option.currentText or self.placeholderText(), Qt.TextElideMode.ElideRight, room
        )
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
