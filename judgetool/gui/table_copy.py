"""Tables to take along: what a panel shows, on the clipboard for spreadsheets and for texts."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from operator import attrgetter

from PySide6.QtCore import QAbstractItemModel, QMimeData, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from judgetool.formats.output import (
    Sheet,
    as_csv,
    as_latex,
    as_markdown,
    number_text,
    plain_rows,
)
from judgetool.gui.keymap import pop_up
from judgetool.gui.painting import plain_cell
from judgetool.wording import _

Table = Sequence[Sequence[str]]
"""Rows of cells; the first row names the columns."""
TABLE_WRITERS: dict[str, Callable[[Sheet], str]] = {
    "CSV": as_csv,
    "Markdown": as_markdown,
    "LaTeX": as_latex,
}


def as_sheet(table: Table | Sheet) -> Sheet:
    """Return a table of texts as one to take along."""
    if isinstance(table, Sheet):
        return table
    head, *rows = table or [[]]
    return Sheet(
        "table", head, [[plain_cell(" ".join(cell.split())) for cell in row] for row in rows]
    )


def copy_table(table: Table | Sheet) -> None:
    """Put a table on the clipboard: parted by tabs, and as HTML for texts and mails."""
    rows = plain_rows(as_sheet(table))
    data = QMimeData()
    data.setText("\n".join("\t".join(row) for row in rows))
    data.setHtml(_as_html(rows))
    QGuiApplication.clipboard().setMimeData(data)


def number_cell(value: float | None) -> str:
    """Return a number as spreadsheets read it, to six decimals; ``""`` for ``None``."""
    return "" if value is None else number_text(value)


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
    make_table: Callable[[], Table | Sheet],
    *,
    above: Sequence[QAction] = (),
    has_key: bool = True,
    save: Callable[[Sheet], None] | None = None,
) -> QAction:
    """Let a panel be copied as a table, by Ctrl+C in it and by its context menu.

    The menu has the same as CSV, Markdown and LaTeX and, where one gives the same figures, the
    command line.

    Args:
        widget: the panel; what stands in it counts as it.
        make_table: returns what is shown now.
        above: what else its context menu offers.
        has_key: whether Ctrl+C does it.
        save: asks where, and writes it to a file; ``None`` where that is not offered.
    """
    action = QAction(_("Copy as table"), widget)
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
        _add_ways(menu, as_sheet(make_table()), save)
        menu.aboutToHide.connect(menu.deleteLater)
        pop_up(menu, widget.mapToGlobal(at))

    widget.customContextMenuRequested.connect(open_menu)
    return action


def _add_ways(menu: QMenu, sheet: Sheet, save: Callable[[Sheet], None] | None) -> None:
    """Add what else a table can be copied as, and where to it can be saved."""
    for name, write in TABLE_WRITERS.items():
        copy = partial(_copy_text, write, sheet)
        menu.addAction(_("Copy as {name}").format(name=name)).triggered.connect(copy)
    if sheet.command:
        copy = partial(_copy_text, attrgetter("command"), sheet)
        menu.addAction(_("Copy command")).triggered.connect(copy)
    if save is not None:
        menu.addAction(_("Save table…")).triggered.connect(lambda: save(sheet))


def _copy_text(write: Callable[[Sheet], str], sheet: Sheet, _is_checked: bool = False) -> None:
    QGuiApplication.clipboard().setText(write(sheet))
