"""Tables to take along: what a panel shows, on the clipboard for spreadsheets and for texts."""

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QAbstractItemModel, QMimeData, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from judgetool.core.formula_guard import GUARD, is_formula

Table = Sequence[Sequence[str]]
"""Rows of cells; the first row names the columns."""


def copy_table(table: Table) -> None:
    """Put a table on the clipboard: parted by tabs, and as HTML for texts and mails."""
    rows = [[_safe(" ".join(cell.split())) for cell in row] for row in table]
    data = QMimeData()
    data.setText("\n".join("\t".join(row) for row in rows))
    data.setHtml(_as_html(rows))
    QGuiApplication.clipboard().setMimeData(data)


def number_cell(value: float | None) -> str:
    """Return a number as spreadsheets read it, to six decimals; ``""`` for ``None``."""
    return "" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


def _safe(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers stay numbers."""
    try:
        float(cell)
    except ValueError:
        return GUARD + cell if is_formula(cell) else cell
    return cell


def _as_html(rows: Sequence[Sequence[str]]) -> str:
    lines = []
    for place, row in enumerate(rows):
        tag = "td" if place else "th"
        lines.append("<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def table_of_model(model: QAbstractItemModel) -> list[list[str]]:
    """Return heads and cells of a table as it is shown."""
    columns = range(model.columnCount())
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in columns]
    return [
        [str(head or "") for head in heads],
        *([_cell(model, row, column) for column in columns] for row in range(model.rowCount())),
    ]


def _cell(model: QAbstractItemModel, row: int, column: int) -> str:
    index = model.index(row, column)
    shown = index.data(Qt.ItemDataRole.DisplayRole)
    # A cell that is a picture says in words what it shows.
    return str(shown or index.data(Qt.ItemDataRole.AccessibleTextRole) or "")


def offer_copy(
    widget: QWidget,
    make_table: Callable[[], Table],
    *,
    above: Sequence[QAction] = (),
    has_key: bool = True,
) -> QAction:
    """Let a panel be copied as a table, by Ctrl+C in it and by its context menu.

    Args:
        widget: the panel; what stands in it counts as it.
        make_table: returns what is shown now.
        above: what else its context menu offers.
        has_key: whether Ctrl+C does it.
    """
    action = QAction("Copy as table", widget)
    if has_key:
        action.setShortcut(QKeySequence.StandardKey.Copy)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.triggered.connect(lambda: copy_table(make_table()))
    widget.addAction(action)
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def open_menu(at: QPoint) -> None:
        menu = QMenu(widget)
        menu.addActions(above)
        if above:
            menu.addSeparator()
        menu.addAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(widget.mapToGlobal(at))

    widget.customContextMenuRequested.connect(open_menu)
    return action
