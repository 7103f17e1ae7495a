"""Nothing that the window does beside a project drops the locks of its file."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QListView, QTreeView

from judgetool.core.held_files import beside
from judgetool.errors import InputError
from judgetool.formats import read_file, write_atomically
from judgetool.gui.dialogs.prompter import FileDialog
from judgetool.session.opening import is_same_project
from judgetool.session.safety import list_project_backups
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/fdinfo")


@pytest.fixture
def window(qtbot, tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    (tmp_path / "results.txt").write_text("q0 Q0 d0 1 2.0 x\n")
    with opened_window(qtbot, path) as shown:
        press(qtbot, shown, "2")
        yield shown


def own_locks(path):
    """Return the locks that SQLite of this process holds on a project and its -shm.

    They stand with what is open here: ``/proc/locks`` lists those of all processes, and a
    reader meets some twice and some never where another takes or drops one meanwhile.
    """
    inodes = {str(file.stat().st_ino) for file in (path, beside(path, "-shm"))}
    rows = [line.split() for said in _said_of_open_files() for line in said.splitlines()]
    return sorted(
        {
            (row[6].split(":")[2], row[4], row[7])
            for row in rows
            if row[0] == "lock:" and row[2] == "POSIX" and row[6].split(":")[2] in inodes
        }
    )


def _said_of_open_files():
    for place in Path("/proc/self/fdinfo").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            yield place.read_text()


def show_listed(qtbot, dialog, n_files):
    """Show a file dialog until it knows of each file of its folder what kind it is."""
    dialog.show()
    tree = dialog.findChild(QTreeView)

    def kinds():
        model, top = tree.model(), tree.rootIndex()
        return [model.index(row, 2, top).data() for row in range(model.rowCount(top))]

    qtbot.waitUntil(lambda: len(kinds()) >= n_files and all(kinds()))


@pytest.mark.parametrize("is_saving", [False, True])
def test_a_file_dialog_reads_no_file(qtbot, window, is_saving):
    """A dialog that lists the project's folder, with all files, leaves both locks there."""
    path = window.session.path
    before = own_locks(path)
    assert len(before) == 2
    dialog = FileDialog(window, "Open", "All files (*)", start=path.parent)
    qtbot.addWidget(dialog)
    if is_saving:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    show_listed(qtbot, dialog, 4)
    assert own_locks(path) == before
    dialog.close()
    assert own_locks(path) == before


def test_each_kind_is_said_by_the_name_alone(qtbot, window, tmp_path):
    """A folder is one, and a file is what its ending says: nothing is opened to guess more."""
    folder = tmp_path / "w"
    (folder / "texts.d").mkdir(parents=True)
    for name in ("a.run", "README"):
        (folder / name).touch()
    dialog = FileDialog(window, "Open", "All files (*)", start=folder)
    qtbot.addWidget(dialog)
    show_listed(qtbot, dialog, 3)
    tree = dialog.findChild(QTreeView)
    model, top = tree.model(), tree.rootIndex()
    said = {model.index(row, 0, top).data(): model.index(row, 2, top).data() for row in range(3)}
    assert said == {"texts.d": "Folder", "a.run": "run file", "README": "File"}
    dialog.close()


@pytest.mark.parametrize("place", ["a.judge", "../w/a.judge", "{folder}/a.judge"])
@pytest.mark.parametrize("mode", ["ExistingFile", "ExistingFiles"])
def test_a_typed_path_is_chosen(qtbot, window, tmp_path, place, mode):
    """By its name, or by its path in the folder that is shown already: Enter takes the file."""
    folder = tmp_path / "w"
    folder.mkdir()
    file = folder / "a.judge"
    file.touch()
    dialog = FileDialog(window, "Open", "All files (*)", start=folder)
    dialog.setFileMode(QFileDialog.FileMode[mode])
    qtbot.addWidget(dialog)
    show_listed(qtbot, dialog, 1)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, place.format(folder=folder))
    if "/" in place:
        # As Qt does now and then, when the path of the folder has been typed on the way.
        view, flag = dialog.findChild(QListView, "listView"), QItemSelectionModel.SelectionFlag
        view.selectionModel().select(view.rootIndex(), flag.Select | flag.Rows)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert dialog.result() == QFileDialog.DialogCode.Accepted
    assert [Path(each).resolve() for each in dialog.selectedFiles()] == [file]


def drop(window, files):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDropEvent(QPoint(50, 50), copy, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window.welcome, event)


def read_as_import(window):
    with pytest.raises(InputError, match="project that is open"):
        read_file(window.session.path)


def write_as_export(window):
    with pytest.raises(InputError, match="is a judgetool project"):
        write_atomically(window.session.path, ["x"])


DEEDS = {
    "the project dropped": lambda window: drop(window, [window.session.path]),
    "the project opened again": lambda window: window.try_open(window.session.path),
    "asked whether it is the same": lambda window: is_same_project(
        window.session, window.session.path
    ),
    "chosen for an import": read_as_import,
    "chosen for an export": write_as_export,
    "backups listed": lambda window: list_project_backups(str(window.session.path)),
    "a copy saved": lambda window: window.session.save_copy(
        window.session.path.with_name("c.judge")
    ),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_nothing_drops_the_locks(window, deed):
    """Whatever comes near the open project's file leaves SQLite's locks where they are."""
    path = window.session.path
    before = own_locks(path)
    assert len(before) == 2
    deed(window)
    assert own_locks(path) == before


def test_a_save_as_over_the_project_keeps_the_locks(qtbot, window):
    """'Save a copy' under the open project's own name is refused, and it stays locked."""
    path = window.session.path
    before = own_locks(path)
    window.prompter = FakePrompter(places=[path])
    press(qtbot, window, "s", CTRL | SHIFT)
    assert own_locks(path) == before
