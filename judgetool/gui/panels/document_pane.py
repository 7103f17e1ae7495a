"""The document pane: tools, one page of text, and what to do when the text is very long."""

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.documents import Document
from judgetool.core.override import override
from judgetool.core.terms import NO_TERMS, QueryTerms
from judgetool.gui.fonts import scaled
from judgetool.gui.icons import themed_icon
from judgetool.gui.models.page import MOST_AT_ONCE, make_page
from judgetool.gui.number_text import format_count
from judgetool.gui.panels.counted_label import CountedLabel
from judgetool.gui.panels.document_text import DocumentText
from judgetool.gui.panels.find_row import FindRow, tool_button
from judgetool.gui.panels.result_tools import HEIGHT, ToolRow
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.session.session import Session

LEAST_GROW, MOST_GROW = -4, 14


class DocumentPane(QWidget):
    """Shows one document as plain text, with its fields and the assessor's note.

    Signals:
        highlight_toggled: query terms were switched on or off by the pane's button.
        zoom_changed: px that are now added to the text's size.
    """

    highlight_toggled = Signal(bool)
    zoom_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = DocumentText(self)
        self.find_row = FindRow(self)
        self.show_all = QPushButton("Show all", self)
        self._document: Document | None = None
        self._terms = NO_TERMS
        self._note = ""
        self._grow = 0
        self._back: QWidget | None = None
        self._place = CountedLabel(self)
        self._tools = ToolRow(self)
        self._mark = tool_button("Mark query terms", self)
        self._seek = tool_button("Find in document (Ctrl+F)", self)
        self._size = tool_button("Size of the text", self)
        self._rest = QWidget(self)
        self._rest_text = ElidedLabel("", ink="text2", parent=self._rest)
        self._rows = QStackedLayout()
        self._arrange()
        self._connect()
        self._paint_icons()
        self.show_document(None, place=0, total=0, terms=NO_TERMS)
        # The text is at most 72 characters wide; beside it is the same page.
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)

    def _arrange(self) -> None:
        self._mark.setCheckable(True)
        self._mark.setChecked(True)
        self._fill_size_menu()
        self._tools.row.setSpacing(2)
        self._tools.row.addWidget(self._place, stretch=1)
        for button in (self._mark, self._seek, self._size):
            self._tools.row.addWidget(button)
        rows = QWidget(self)
        rows.setLayout(self._rows)
        rows.setFixedHeight(scaled(HEIGHT))
        self._rows.addWidget(self._tools)
        self._rows.addWidget(self.find_row)
        rest = QHBoxLayout(self._rest)
        rest.setContentsMargins(20, 6, 12, 6)
        self._rest_text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        rest.addWidget(self._rest_text, stretch=1)
        rest.addWidget(self.show_all)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(rows)
        column.addWidget(self.text, stretch=1)
        column.addWidget(self._rest)
        self.setFocusProxy(self.text)

    def _fill_size_menu(self) -> None:
        menu = QMenu(self)
        for name, act in (
            ("Larger", lambda: self.zoom(1)),
            ("Smaller", lambda: self.zoom(-1)),
            ("Normal size", lambda: self.zoom(-self._grow)),
        ):
            action = QAction(name, self)
            action.triggered.connect(act)
            menu.addAction(action)
        self._size.setMenu(menu)
        self._size.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _connect(self) -> None:
        self._mark.clicked.connect(self._on_mark_clicked)
        self._seek.clicked.connect(self.focus_find)
        self.text.zoom_wanted.connect(self.zoom)
        self.find_row.typed.connect(self._find)
        self.find_row.stepped.connect(self._step)
        self.find_row.closed.connect(self._close_find)
        self.show_all.clicked.connect(lambda: self._show(most=None))

    # What the window says

    def set_session(self, session: Session | None) -> None:
        """Show nothing until a document is given."""
        if session is None:
            self.show_document(None, place=0, total=0, terms=NO_TERMS)

    def show_document(
        self,
        document: Document | None,
        *,
        place: int,
        total: int,
        terms: QueryTerms,
        note: str = "",
    ) -> None:
        """Show a document from its top; the same one again stays where it was scrolled.

        Args:
            document: ``None`` shows nothing.
            place: of the document in the list, from 1.
            total: how many documents are in the list.
            terms: marked in title, text and fields.
            note: what the assessor has written of it.
        """
        name = f"Document {format_count(place)} of {format_count(total)}" if document else ""
        self._place.set_text(name, strong=format_count(place))
        if document is not None and document == self._document and terms == self._terms:
            self.text.set_note(note)
            return
        self._document, self._terms = document, terms
        self._note = note
        self._show(most=MOST_AT_ONCE)

    def set_highlighted(self, is_highlighted: bool) -> None:
        """Mark query terms, or not."""
        self._mark.setChecked(is_highlighted)
        self.text.set_highlighted(is_highlighted=is_highlighted)

    def zoom(self, step: int) -> None:
        """Make title and text larger by so many px, or smaller; within limits."""
        grow = min(MOST_GROW, max(LEAST_GROW, self._grow + step))
        if grow != self._grow:
            self._grow = grow
            self.text.set_grow(grow)
            self.zoom_changed.emit(grow)

    def focus_find(self) -> None:
        """Open the row for finding, and put the keyboard there."""
        if self._rows.currentWidget() is not self.find_row:
            self._back = QApplication.focusWidget()
            self._rows.setCurrentWidget(self.find_row)
        self.find_row.open()

    def page_down(self) -> None:
        """Turn a page of the document."""
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.value() + bar.pageStep() - scaled(24))

    @property
    def is_at_end(self) -> bool:
        """Whether the end of the document is in view."""
        bar = self.text.verticalScrollBar()
        return bar.value() >= bar.maximum()

    # What happens here

    def _show(self, *, most: int | None) -> None:
        document = self._document
        page = make_page(document, most=most) if document is not None else None
        self.text.show_page(page, terms=self._terms, note=self._note)
        is_cut = page is not None and page.is_cut
        self._rest.setVisible(is_cut)
        if page is not None and is_cut:
            shown, total = format_count(page.n_shown), format_count(page.n_all)
            self._rest_text.set_text(f"The first {shown} of {total} characters are shown.")
        if self._rows.currentWidget() is self.find_row:
            self._find(self.find_row.field.text())

    def _on_mark_clicked(self, is_on: bool) -> None:
        self.set_highlighted(is_on)
        self.highlight_toggled.emit(is_on)

    def _find(self, typed: str) -> None:
        total = self.text.find_all(typed)
        self.find_row.set_count(self.text.go_to_found(1), total)

    def _step(self, step: int) -> None:
        self.find_row.set_count(self.text.go_to_found(step), self.text.n_found)

    def _close_find(self) -> None:
        self.text.find_all("")
        self._rows.setCurrentWidget(self._tools)
        if self._back is not None:
            self._back.setFocus()
        self._back = None

    def _paint_icons(self) -> None:
        theme = current_theme()
        self._mark.setIcon(themed_icon("highlighter", theme))
        self._seek.setIcon(themed_icon("search", theme))
        self._size.setIcon(themed_icon("a-large-small", theme))

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icons()
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.text.rewrite()
        super().changeEvent(event)

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size: 332 px wide."""
        return QSize(332, 680)
