"""The middle of the window: the query, its results, the document, the grade bar."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.panels.document_pane import DocumentPane
from judgetool.gui.panels.query_header import QueryHeader
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.widgets.grade_bar import GradeBar

NARROW = 700
LOW = 720


class Workspace(QWidget):
    """Header above, list and document side by side, grade bar below.

    When there is little width the document goes under the list.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.header = QueryHeader(self)
        self.results = ResultList(self)
        self.document = DocumentPane(self)
        self.grade_bar = GradeBar(self)
        self._is_narrow: bool | None = None
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setObjectName("list-and-document")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.results)
        self.splitter.addWidget(self.document)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.splitter, 1)
        layout.addWidget(self.grade_bar)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the document beside or under the list, as there is room."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < NARROW
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._arrange()
        self.grade_bar.set_room("low" if self.window().height() < LOW else "standard")

    def _arrange(self) -> None:
        if self._is_narrow:
            self.splitter.setOrientation(Qt.Orientation.Vertical)
            self.splitter.setSizes([600, 400])
        else:
            self.splitter.setOrientation(Qt.Orientation.Horizontal)
            self.splitter.setSizes([600, 400])
