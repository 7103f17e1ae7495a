"""What a right click offers, where one is natural: cards, queries, values, chips, the document."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from judgetool.gui.models.query_model import QueryRow
from judgetool.gui.modes import Mode
from judgetool.gui.table_copy import offer_copy
from judgetool.gui.window import AppWindow

_CUSTOM = Qt.ContextMenuPolicy.CustomContextMenu
_CARD = ("judge.cannot", "judge.skip", "judge.flag", "judge.note", "judge.clear")
_DOCUMENT = ("read.rationale", "read.sentence", "edit.find")


class ContextMenus(QObject):
    """Makes the menus of the panels that always are; each offers what keys do, and copying.

    Args:
        window: the main window, its actions made.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window.widget)
        self._window = window
        self._trigger = window.actions_by_name.action
        parts = window.workspace
        for widget, open_menu in (
            (parts.results.table, self._open_card),
            (window.queries.table, self._open_query),
            (parts.document.text, self._open_document),
        ):
            widget.setContextMenuPolicy(_CUSTOM)
            widget.customContextMenuRequested.connect(open_menu)
        for bar in (parts.results.bar, window.queries.bar):
            bar.row.setContextMenuPolicy(_CUSTOM)
            bar.row.customContextMenuRequested.connect(
                lambda at, row=bar.row: self._open_chips(row, at)
            )
        further = [self._trigger("project.measures"), self._trigger("view.explain")]
        offer_copy(window.live.shown_values, window.live.as_table, above=further)

    def _menu(self, widget: QWidget, names: Sequence[str]) -> QMenu:
        menu = QMenu(widget)
        menu.addActions([self._trigger(name) for name in names])
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    # Cards

    def _open_card(self, at: QPoint) -> None:
        results = self._window.workspace.results
        place, view = results.table.rowAt(at.y()), self._window.view
        if view is None or place < 0:
            return
        if place not in {index.row() for index in results.table.selectionModel().selectedRows()}:
            results.set_current(place)
        menu = self._menu(results.table, ())
        grades = self._window.actions_by_name.grade_actions
        menu.addActions(grades)
        menu.addSeparator()
        menu.addActions([self._trigger(name) for name in _CARD])
        menu.addSeparator()
        menu.addActions([self._trigger(name) for name in ("view.focus", "queue.grade_below")])
        menu.addSeparator()
        self._add_document_copies(menu)
        menu.addSeparator()
        menu.addAction(self._trigger("material.edit_document"))
        menu.popup(results.table.viewport().mapToGlobal(at))

    def _add_document_copies(self, menu: QMenu) -> None:
        view = self._window.view
        if view is None or view.judging.document is None:
            return
        number = view.judging.document
        document = view.mask(number, view.session.material.document(number))
        for name, text in (
            ("title", document.title),
            ("address", document.url),
            ("document id", document.id),
        ):
            _add_copy(menu, f"Copy {name}", text)
        address = QUrl(document.url)
        opened = menu.addAction("Open address…")
        opened.setEnabled(address.isValid() and address.scheme() in ("http", "https"))
        opened.triggered.connect(self._trigger("read.address").trigger)

    # Queries

    def _open_query(self, at: QPoint) -> None:
        queries = self._window.queries
        place = queries.table.rowAt(at.y())
        row = queries.model.row(place) if place >= 0 else None
        if self._window.view is None or not isinstance(row, QueryRow):
            return
        query = row.query
        found = self._window.view.session.material.queries[query]
        menu = self._menu(queries.table, ())
        go = menu.addAction("Go to this query")
        go.triggered.connect(lambda: queries.query_chosen.emit(query))
        edit = menu.addAction(self._trigger("material.edit_query").text())
        edit.setEnabled(self._trigger("material.edit_query").isEnabled())
        edit.triggered.connect(lambda: self._edit_query(query))
        menu.addSeparator()
        _add_copy(menu, "Copy query", found.text)
        _add_copy(menu, "Copy query id", found.id)
        menu.addSeparator()
        menu.addAction(self._trigger("edit.filter"))
        menu.addAction(self._trigger("filter.clear"))
        menu.popup(queries.table.viewport().mapToGlobal(at))

    def _edit_query(self, query: int) -> None:
        self._window.queries.query_chosen.emit(query)
        self._trigger("material.edit_query").trigger()

    # Document, chips

    def _open_document(self, at: QPoint) -> None:
        text = self._window.workspace.document.text
        menu = self._menu(text, ())
        copy = menu.addAction("Copy")
        copy.setEnabled(text.textCursor().hasSelection())
        copy.triggered.connect(text.copy)
        menu.addAction("Select all").triggered.connect(text.selectAll)
        menu.addSeparator()
        menu.addActions([self._trigger(name) for name in _DOCUMENT])
        menu.addSeparator()
        self._add_document_copies(menu)
        menu.addSeparator()
        menu.addActions([self._trigger(name) for name in ("view.larger", "view.smaller")])
        if self._window.views.mode is Mode.LIST:
            menu.addAction(self._trigger("view.focus"))
        menu.popup(text.viewport().mapToGlobal(at))

    def _open_chips(self, row: QWidget, at: QPoint) -> None:
        names = ("filter.clear", "filter.save_queries", "filter.save_documents", "filter.views")
        self._menu(row, names).popup(row.mapToGlobal(at))


def _add_copy(menu: QMenu, title: str, text: str) -> QAction:
    action = menu.addAction(title)
    action.setEnabled(bool(text))
    action.triggered.connect(lambda: QGuiApplication.clipboard().setText(text))
    return action
