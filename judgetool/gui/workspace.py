"""The middle of the window: the query, its results, the document, the grade bar."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QAction,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QSplitter, QWidget

from judgetool.core import override
from judgetool.gui.actions import Mode
from judgetool.gui.jobs import ProjectPanel
from judgetool.gui.panels.document_pane import DocumentPane
from judgetool.gui.panels.focus_side import FocusSide
from judgetool.gui.panels.query_header import QueryHeader
from judgetool.gui.panels.query_list import FocusQueries, QueryRail
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.banner import EmptyState
from judgetool.gui.widgets.grade_bar import GradeBar
from judgetool.gui.widgets.painted import in_column, in_line
from judgetool.wording import _

NARROW = 700
LOW = 720
_PAGE_SHARE = 0.4
# A list's rank, grade and some words of a title.
_LEAST_LIST = 190


class Workspace(QWidget):
    """Header above, list and document side by side, grade bar below.

    When there is little width the document goes under the list. In focus the document
    stands alone, large, with a rail for the queries at its left.

    Attributes:
        header: the query.
        results: the ranked list.
        document: the document pane.
        grade_bar: what can be said of it.
        rail: opens the queries in focus.
        queries_over: the queries while they lie over the document.
        side: what stands beside the document in focus; made in what ``beside`` names.
        nothing: says in focus why there is no document.
        has_own_sizes: whether the person has divided list and document.
        mode: which of its two looks is shown.
        why_nothing: why there is no document, and what can be done; ``""`` where there is one.
    """

    def __init__(self, parent: QWidget | None = None, *, beside: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = Mode.LIST
        self._follows = ""
        self._hint = ("", "")
        self.why_nothing = ("", "")
        self.header = QueryHeader(self)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.results = ResultList(self.splitter)
        self.document = DocumentPane(self.splitter)
        self.grade_bar = GradeBar(self)
        self.rail = QueryRail(self)
        self.side = FocusSide(beside)
        self.nothing = EmptyState(self)
        self.nothing.hide()
        self.nothing.setAutoFillBackground(True)
        self.nothing.setBackgroundRole(QPalette.ColorRole.Base)
        self.nothing.acted.connect(self.results.act_on_empty)
        self._is_narrow: bool | None = None
        self.splitter.setObjectName("list-and-document")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.results)
        self.splitter.addWidget(self.document)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setHandleWidth(1)
        self.has_own_sizes = False
        self.splitter.splitterMoved.connect(self._keep_sizes)
        column = in_column(self.header, self.splitter, 1, self.nothing, 1, self.grade_bar)
        in_line(self.rail, column, 1, host=self)
        self.rail.hide()
        self.queries_over = FocusQueries(self)
        copy = QAction(self.results.table)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self._copy)
        self.results.table.addAction(copy)

    @property
    def panels(self) -> tuple[ProjectPanel, ...]:
        """Those of its parts that follow the project."""
        return self.results, self.header, self.rail, self.document

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the document beside or under the list, as there is room."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < NARROW
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._arrange()
        self._fit_page()
        self._fit_bar()
        self.header.fit_height()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc put off what is asked in the grade bar's place, wherever the keyboard is."""
        if not self.grade_bar.banner.put_off(event):
            super().keyPressEvent(event)

    def _copy(self) -> None:
        """Copy what is selected in the document, which T selects from the list, too; else the title."""
        card = self.results.table.currentIndex()
        if self.document.text.textCursor().hasSelection():
            self.document.text.copy()
        elif card.isValid():
            QGuiApplication.clipboard().setText(card.data())

    def _keep_sizes(self) -> None:
        self.has_own_sizes = True

    def _fit_page(self) -> None:
        """Give the document lines that can be read on end, and the list what it wants after that."""
        splitter = self.splitter
        if self.has_own_sizes or splitter.orientation() is not Qt.Orientation.Horizontal:
            return
        width = self.width()
        page = max(round(width * _PAGE_SHARE), self.document.readable_width)
        page = min(page, width - scaled(_LEAST_LIST))
        splitter.setSizes([width - page, page])

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of the text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit_page()

    def _fit_bar(self) -> None:
        room = "focus" if self.mode is Mode.FOCUS else "standard"
        self.grade_bar.set_room("low" if self.window().height() < LOW else room)

    def set_mode(self, mode: Mode) -> None:
        """Show the ranked list with the document beside it, or the document alone."""
        self.queries_over.close_list()
        if mode is self.mode:
            return
        self.mode = mode
        is_focus = mode is Mode.FOCUS
        self.results.setVisible(not is_focus)
        self.rail.setVisible(is_focus)
        self.header.set_mode(mode)
        self.document.set_mode(mode)
        self._fit_bar()
        self.show_hint(self._follows)
        self._show_nothing()

    def set_nothing(self, sentence: str, action: str) -> None:
        """Say why there is no document, and what can be done; ``""`` where there is one."""
        self.why_nothing = sentence, action
        self.nothing.set_state(sentence, action)
        self._show_nothing()

    def _show_nothing(self) -> None:
        is_shown = self.mode is Mode.FOCUS and bool(self.why_nothing[0])
        self.nothing.setVisible(is_shown)
        self.splitter.setVisible(not is_shown)

    def show_hint(self, follows: str) -> None:
        """Say in focus what follows a grade."""
        self._follows = follows
        is_focus = self.mode is Mode.FOCUS
        hint = (_("Next after a grade"), follows) if is_focus else ("", "")
        if hint != self._hint:
            self._hint = hint
            self.grade_bar.set_hint(*hint)

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions, wherever keys stand."""
        for part in (self.header, self.side, self.document):
            part.set_keys(find_key)

    def take_keyboard(self) -> None:
        """Give the keyboard to what keys act on; where nothing is, to the button that helps."""
        in_list = not self.results.isHidden()
        helping = self.results.empty if in_list else self.nothing
        text = self.document.text
        target: QWidget = self.results.table if in_list and not text.has_caret else text
        # Not by a proxy of either panel: Qt's chain of Tab would go round within it.
        if not self.results.documents():
            target = helping.button if helping.has_action else text
        target.setFocus()
        # Where a view begins is no surprise; Qt has walked there if what had the keyboard went.
        text.show_ring(is_shown=False)

    def _arrange(self) -> None:
        if self._is_narrow:
            self.splitter.setOrientation(Qt.Orientation.Vertical)
            self.splitter.setSizes([600, 400])
        else:
            self.splitter.setOrientation(Qt.Orientation.Horizontal)
            self._fit_page()
