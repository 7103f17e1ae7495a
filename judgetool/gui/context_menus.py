"""What a right click offers, where one is natural: cards, queries, values, chips, the document."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from judgetool.core.policy import SET_BY, policy
from judgetool.gui.actions import Mode
from judgetool.gui.keymap import offer_letters, pop_up
from judgetool.gui.models.query_model import QueryRow
from judgetool.gui.table_copy import offer_copy
from judgetool.gui.window import AppWindow
from judgetool.wording import _

_Line = QAction | tuple[str, bool, Callable[[], object]] | None
"""A line of a menu: an action; a text, whether it is open, what it does; or a separator."""


class ContextMenus(QObject):
    """Makes the menus of the panels that always are; each offers what keys do, and copying.

    Args:
        window: the main window, its actions made.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window.widget)
        self._window = window
        self._action = window.actions_by_name.action
        parts = window.workspace
        _offer(parts.results.table, self._on_card)
        _offer(window.queries.table, self._on_query)
        _offer(parts.document.text, self._on_document)
        for bar in (parts.results.bar, window.queries.bar):
            _offer(bar.row, self._on_chips)
        further = self._named("project.measures", "view.explain")
        offer_copy(window.live.shown_values, window.live.as_table, above=further)

    def _named(self, *names: str) -> list[QAction]:
        return [self._action(name) for name in names]

    def _on_card(self, at: QPoint) -> Sequence[_Line]:
        results = self._window.workspace.results
        place = results.table.rowAt(at.y())
        if self._window.view is None or place < 0:
            return ()
        if place not in {index.row() for index in results.table.selectionModel().selectedRows()}:
            results.set_current(place)
        return (
            *self._window.actions_by_name.grade_actions,
            None,
            *self._named("judge.cannot", "judge.skip", "judge.flag", "judge.note", "judge.clear"),
            None,
            *self._named("view.focus", "queue.grade_below"),
            None,
            *self._copies(),
            None,
            self._action("material.edit_document"),
        )

    def _copies(self) -> list[_Line]:
        """Return what a document can be copied as, and its address to be opened."""
        view = self._window.view
        if view is None or view.judging.document is None:
            return []
        number = view.judging.document
        document = view.mask(number, view.session.material.document(number))
        address = QUrl(document.url)
        can_open = address.isValid() and address.scheme() in ("http", "https")
        is_offline = policy().is_offline
        text = _("Open address…")
        text += f" ({_(SET_BY)})" if is_offline else ""
        return [
            _copy(_("Copy title"), document.title),
            _copy(_("Copy address"), document.url),
            _copy(_("Copy document id"), document.id),
            (text, can_open and not is_offline, self._action("read.address").trigger),
        ]

    def _on_query(self, at: QPoint) -> Sequence[_Line]:
        queries, view = self._window.queries, self._window.view
        place = queries.table.rowAt(at.y())
        row = queries.model.row(place) if place >= 0 else None
        if view is None or not isinstance(row, QueryRow):
            return ()
        found, edit = view.session.material.queries[row.query], self._action("material.edit_query")
        go = partial(queries.query_chosen.emit, row.query)

        def go_and_edit() -> None:
            go()
            edit.trigger()

        return (
            (_("Go to this query"), True, go),
            (edit.text(), edit.isEnabled(), go_and_edit),
            None,
            _copy(_("Copy query"), found.text),
            _copy(_("Copy query id"), found.id),
            None,
            *self._named("edit.filter", "filter.clear"),
        )

    def _on_document(self, _at: QPoint) -> Sequence[_Line]:
        text, is_list = self._window.workspace.document.text, self._window.views.mode is Mode.LIST
        return (
            (_("Copy"), text.textCursor().hasSelection(), text.copy),
            (_("Select all"), True, text.selectAll),
            None,
            *self._named("read.rationale", "read.sentence", "edit.find"),
            None,
            *self._copies(),
            None,
            *self._named("view.larger", "view.smaller", *(("view.focus",) if is_list else ())),
        )

    def _on_chips(self, _at: QPoint) -> Sequence[_Line]:
        names = ("filter.clear", "filter.save_queries", "filter.save_documents", "filter.views")
        return self._named(*names)


def _copy(name: str, text: str) -> _Line:
    return (
        name,
        bool(text),
        partial(QGuiApplication.clipboard().setText, text),
    )


def _offer(widget: QWidget, lines: Callable[[QPoint], Sequence[_Line]]) -> None:
    """Let a right click on a widget open a menu; without a line there is none."""

    def open_menu(at: QPoint) -> None:
        menu = QMenu(widget)
        offer_letters(menu)
        for line in lines(at):
            if isinstance(line, QAction):
                menu.addAction(line)
            elif line is None:
                menu.addSeparator()
            else:
                action = menu.addAction(line[0].replace("&", "&&"))
                action.setEnabled(line[1])
                action.triggered.connect(lambda _on=False, do=line[2]: do())
        menu.aboutToHide.connect(menu.deleteLater)
        where = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        if menu.isEmpty():
            menu.deleteLater()
        else:
            pop_up(menu, where.mapToGlobal(at))

    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    widget.customContextMenuRequested.connect(open_menu)
