"""What every view and dialog says, and what can be done there: so that no change of it goes unseen.

    python -m tests.gui.words SCENE     prints what is said in a scene
    python -m tests.gui.words --keep    keeps it all in ``tests/gui/words``, a file for each scene

A section tells of one thing that is shown: a line for each part that says something, and for
each action that is possible otherwise than before. Views that follow one another tell only
what has gone (``-``) and what has come (``+``). Neither fonts nor sizes nor colours show in it,
so that it reads the same on every machine (``looks`` sums up how things look). Whoever changes
it on purpose keeps it anew and reads the difference. Of scenes that say much of the same once
more, a sum of each section is kept: what has changed is read by printing them before and after.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

import apsw
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QProgressBar,
    QSpinBox,
    QTabBar,
    QTableView,
    QTextEdit,
    QWidget,
)

from judgetool.gui.actions import ACTIONS
from judgetool.gui.main_window import MainWindow
from tests.gui import looks
from tests.gui.everywhere import each_part, look_at_dialogs
from tests.gui.looks import (
    OF_NOW,
    Look,
    is_quiet,
    is_tip,
    look_at,
    show_actions,
    show_others,
    stops_of,
    wait_until,
)
from tests.gui.wandered import wander
from tests.gui.worked import show_dialogs_worked, show_views_worked

KEPT = Path(__file__).resolve().parent / "words"
_SIZE = (1900, 1100)
"""So large that all has its place, whatever the font."""
_MOST_ROWS = 8
_NO_LIMIT = 32767
_BUSY_MS = 5000
_MOST_LETTERS = 160
_MOST_LETTERS_GONE = 60
_OF_NOW = re.compile(
    r"\d\d:\d\d(:\d\d)?|\d+ (seconds?|minutes?) ago|just now|/[\w./-]*/(?=[\w.-]*)|\d{4}-\d\d-\d\d|"
    r"[\d,]+ an hour|about \d+ (min|h)|\btmp\w{8}\b|\b[0-9a-f]{8}-[-0-9a-fu\\]{26,}"
)
_EACH_TIME = {"uuid", "at", "hash", "row_hash", "parents", "spent_ms", "shown"}
_OF_EACH = re.compile(rf"{_OF_NOW.pattern}|\b[0-9a-fA-F]{{16,}}\b|\b1[78]\d{{11}}\b")
_ROLES = {
    "": Qt.ItemDataRole.DisplayRole,
    "tip": Qt.ItemDataRole.ToolTipRole,
    "name": Qt.ItemDataRole.AccessibleTextRole,
    "says": Qt.ItemDataRole.AccessibleDescriptionRole,
    "check": Qt.ItemDataRole.CheckStateRole,
}


def said_by(shown: QWidget) -> Iterator[str]:
    """Yield a line for each part of what is shown that says something or can be worked."""
    for each in (shown, *shown.findChildren(QWidget)):
        if not each.isVisibleTo(shown) or isinstance(each, QHeaderView) or is_tip(each):
            continue
        parts = [*_of_widget(each), *_of_kind(each)]
        if parts:
            yield " ".join([_kind(each), *parts])
        if isinstance(each, QAbstractItemView) and each.model() is not None:
            yield from _rows_of(each)
    here = [each for each in shown.findChildren(QWidget) if each.hasFocus()]
    yield from (f"keyboard in {_kind(each)} {each.accessibleName()}" for each in here)
    if isinstance(shown, MainWindow):
        yield from _actions_of(shown)


def _kind(widget: QWidget) -> str:
    """Return what Qt calls a widget's kind; what we call it is nobody's concern."""
    return next(each.__name__ for each in type(widget).mro() if "PySide6" in each.__module__)


def _of_widget(widget: QWidget) -> Iterator[str]:
    told = {
        "name": widget.accessibleName(),
        "says": widget.accessibleDescription(),
        "tip": widget.toolTip(),
        "title": widget.windowTitle(),
        "what": widget.whatsThis(),
    }
    yield from (f"{key}={text!r}" for key, text in told.items() if text)
    if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus:
        yield f"[{widget.focusPolicy().name.removesuffix('Focus')}]"
    if not widget.isEnabled():
        yield "off"


def _of_kind(widget: QWidget) -> Iterator[str]:
    """Yield what a widget of a certain kind says beside what all do."""
    if isinstance(widget, QAbstractButton | QLabel | QLineEdit) and widget.text():
        yield repr(widget.text())
    if isinstance(widget, QAbstractButton) and widget.isCheckable():
        yield "checked" if widget.isChecked() else "unchecked"
    if isinstance(widget, QLineEdit | QTextEdit | QAbstractSpinBox):
        yield from _of_field(widget)
    if isinstance(widget, QComboBox):
        yield _choice(widget.currentText(), map(widget.itemText, range(widget.count())))
    if isinstance(widget, QTabBar):
        now = widget.tabText(widget.currentIndex())
        yield _choice(now, map(widget.tabText, range(widget.count())))
    if isinstance(widget, QProgressBar):
        yield f"{widget.minimum()} to {widget.maximum()}: {widget.value()}"
    if isinstance(widget, QGroupBox):
        yield repr(widget.title())
    if isinstance(widget, QDialog) and widget.isModal():
        yield "modal"


def _of_field(field: QLineEdit | QTextEdit | QAbstractSpinBox) -> Iterator[str]:
    """Yield what is in a field, what may be written there, and what it says where nothing is."""
    if isinstance(field, QTextEdit):
        yield repr(field.toPlainText())
    if isinstance(field, QSpinBox | QDoubleSpinBox):
        yield f"{field.minimum():g} to {field.maximum():g} by {field.singleStep():g}"
    if isinstance(field, QLineEdit) and field.maxLength() != _NO_LIMIT:
        yield f"most={field.maxLength()}"
    if isinstance(field, QLineEdit | QTextEdit) and field.placeholderText():
        yield f"hint={field.placeholderText()!r}"
    if field.isReadOnly():
        yield "read-only"


def _choice(now: str, texts: Iterable[str]) -> str:
    return f"{now!r} of {' | '.join(texts)}"


def _rows_of(view: QAbstractItemView) -> Iterator[str]:
    """Yield what the heads and the first rows of a list say, and which is chosen."""
    model = view.model()
    is_table = not isinstance(model, QAbstractListModel)
    columns = range(model.columnCount(QModelIndex()) if is_table else 1)
    if isinstance(view, QTableView) and not view.horizontalHeader().isHidden():
        for column in columns:
            heads = (
                model.headerData(column, Qt.Orientation.Horizontal, role)
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
            )
            yield "  head " + " ".join(repr(each) for each in heads if each)
    n_rows = model.rowCount(QModelIndex())
    yield f"  {n_rows} rows, {view.currentIndex().row() + 1} is chosen"
    for row in range(min(n_rows, _MOST_ROWS)):
        yield f"  {row + 1}: " + " | ".join(_cell(model, row, column) for column in columns)


def _cell(model: QAbstractItemModel, row: int, column: int) -> str:
    index = model.index(row, column)
    told = {key: model.data(index, role) for key, role in _ROLES.items()}
    texts = [f"{key}={text!r}" if key else repr(text) for key, text in told.items() if text]
    return " ".join([*texts, *([] if index.flags() & Qt.ItemFlag.ItemIsEnabled else ["off"])])


def _actions_of(window: MainWindow) -> Iterator[str]:
    for spec in ACTIONS:
        action = window.actions_by_name.action(spec.name)
        keys = " ".join(each.toString() for each in action.shortcuts())
        is_on = " on" if action.isChecked() else ""
        yield f"{'can' if action.isEnabled() else 'cannot'} {spec.name} {action.text()!r} {keys}{is_on}"
    for menu in window.findChildren(QMenu):
        names = " | ".join(map(_entry, menu.actions()))
        yield f"menu {menu.title()!r}: {names}"
    yield f"copied {QApplication.clipboard().text()!r}"
    if window.session is not None:
        yield from _kept_in(window.session.path)


def _kept_in(project: Path) -> Iterator[str]:
    """Yield a sum over each table of a project file, without what is another each time."""
    reading = apsw.SQLITE_OPEN_READONLY
    # Another copy of SQLite would take the locks of this one away, as it closes the file.
    with closing(apsw.Connection(str(project), flags=reading)) as connection:
        connection.set_busy_timeout(_BUSY_MS)
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'meta' ORDER BY 1"
        for (table,) in connection.execute(tables).fetchall():
            heads = [head for __, head, *__ in connection.execute(f"PRAGMA table_info({table})")]
            places = [at for at, head in enumerate(heads) if head not in _EACH_TIME]
            found = connection.execute(f"SELECT * FROM {table}")  # noqa: S608 (a name of the file's own)
            rows = sorted(_OF_EACH.sub("…", repr([row[at] for at in places])) for row in found)
            yield f"kept {table}: {len(rows)} rows {crc32(repr(rows).encode()):08x}"


def _entry(action: QAction) -> str:
    return f"{action.text()} on" if action.isChecked() else action.text()


def _plain(line: str) -> str:
    """Return a line without what is another each time: hours, days and folders; a long one in short."""
    line = _OF_NOW.sub("…", line)
    more = line[_MOST_LETTERS:]
    return (
        f"{line[:_MOST_LETTERS]}… and {len(more)} letters {crc32(more.encode()):08x}"
        if more
        else line
    )


def _difference(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    gone, come = Counter(before) - Counter(now), Counter(now) - Counter(before)
    yield from (f"- {line[:_MOST_LETTERS_GONE]}" for line in gone.elements())
    yield from (f"+ {line}" for line in come.elements())


def _show_views(window: MainWindow, look: Look) -> None:
    for title in each_part(window, wait_until):
        wait_until(lambda: is_quiet(window))
        look(title, window)
        # Some are filled when they are opened, each time anew.
        for menu in window.findChildren(QMenu):
            menu.aboutToShow.emit()
        look(f"{title} menus", window)


def _show_dialogs(window: MainWindow, look: Look) -> None:
    look_at_dialogs(window, wait_until, look)


def _show_bare(window: MainWindow, look: Look) -> None:
    """Show everything where nobody has judged, nor said who judges, and there is one run."""
    _show_views(window, look)
    look_at_dialogs(window, wait_until, look, is_bare=True)
    with patch.object(QDialog, "exec", lambda _dialog: 0):
        show_actions(window, look)


def _show_blind(window: MainWindow, look: Look) -> None:
    """Show everything where one judges blind, and do all that can be done."""
    window.actions_by_name.action("flow.blind").trigger()
    _show_bare(window, look)


SCENES = {
    "views": _show_views,
    "bare": _show_bare,
    "blind": _show_blind,
    "dialogs": _show_dialogs,
    "actions": show_actions,
    "others": show_others,
    "worked": show_dialogs_worked,
    "handled": show_views_worked,
    "awkward": show_views_worked,
    "wandered": wander,
}


_WORKED = ("worked", "handled", "awkward", "wandered")
SUMMED = ("bare", "blind", *_WORKED)


def lines_of(scene: str) -> list[str]:
    """Return what is said in a scene."""
    lines: list[str] = []
    before: list[str] = []

    def look(name: str, shown: QWidget) -> None:
        nonlocal before
        called = re.sub(r"\W+", "-", name).lower().strip("-")
        if called in OF_NOW:
            return
        if isinstance(shown, QDialog) and scene not in _WORKED:
            # Else it hangs on the hour whether the keyboard is there already.
            shown.activateWindow()
            wait_until(shown.isActiveWindow)
        now = [_plain(line) for line in said_by(shown)]
        lines.append(f"== {_plain(name)}")
        if isinstance(shown, QDialog) and scene not in _WORKED:
            stops = " | ".join(each.accessibleName() or _kind(each) for each in stops_of(shown))
            lines.extend([*now, f"Tab stops: {stops}"])
        elif isinstance(shown, QDialog):
            lines.extend(now)
        else:
            lines.extend(_difference(before, now))
            before = now

    look_at(scene, look, show=SCENES[scene], size=_SIZE)
    return lines


def kept_of(scene: str) -> list[str]:
    """Return what is kept of a scene, or would be: its lines, or a sum of each section."""
    lines = looks.printed(scene, by="tests.gui.words")
    if scene not in SUMMED:
        return lines
    sections = re.split(r"^== ", "\n".join(lines), flags=re.MULTILINE)[1:]
    return [f"{each.partition(chr(10))[0]} {crc32(each.encode()):08x}" for each in sections]


def main() -> None:
    """Print or keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene", nargs="?", choices=[*SCENES], default="views")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    if given.keep:
        KEPT.mkdir(exist_ok=True)
        for scene in SCENES:
            text = "\n".join(kept_of(scene)) + "\n"
            (KEPT / f"{scene}.txt").write_text(text, encoding="utf-8")
        return
    looks.print_lines(partial(lines_of, given.scene))


if __name__ == "__main__":
    main()
