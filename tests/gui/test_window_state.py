"""Where windows stood, and what was looked at last."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QSplitter, QWidget

from judgetool.core.folders import HOME_VARIABLE
from judgetool.gui.window_state import FILE_NAME, Place, WindowState, fit_on_screen


@pytest.fixture
def file(tmp_path):
    return tmp_path / "window.ini"


def make_window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = QDockWidget("Live", window)
    dock.setObjectName("live")
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    return window, dock


def test_geometry_and_docks_come_back(qtbot, file):
    """A window is as large as it was, and a dock where it was."""
    window, dock = make_window(qtbot)
    window.resize(777, 555)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    state = WindowState(file)
    state.save_window("main", window)
    assert state.sync()
    other, other_dock = make_window(qtbot)
    assert WindowState(file).restore_window("main", other)
    assert (other.width(), other.height()) == (777, 555)
    assert other.dockWidgetArea(other_dock) == Qt.DockWidgetArea.LeftDockWidgetArea


SCREENS = st.tuples(
    st.integers(0, 3000), st.integers(0, 2000), st.integers(960, 4000), st.integers(600, 3000)
)
PLACES = st.tuples(*[st.integers(-5000, 5000)] * 2, *[st.integers(1, 8000)] * 2)


@given(SCREENS, PLACES)
def test_a_window_stands_whole_on_its_screen(screen, place):
    """Wherever it was, and however large: on a screen it is whole, with room for its title."""
    available, wanted = QRect(*screen), QRect(*place)
    found = fit_on_screen(wanted, available)
    assert available.contains(found.adjusted(0, -30, 0, 0))
    assert (
        found.size() == wanted.size()
        or found.width() < wanted.width()
        or found.height() < wanted.height()
    )
    if available.adjusted(2, 32, -2, -2).contains(wanted):
        assert found == wanted


def test_an_unknown_window_is_left_alone(qtbot, file):
    """What was never saved is not restored."""
    window, _ = make_window(qtbot)
    assert not WindowState(file).restore_window("main", window)


def test_docks_of_another_arrangement_are_not_restored(qtbot, file):
    """A state of another version does not move the docks."""
    window, dock = make_window(qtbot)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    state = WindowState(file, version=1)
    state.save_window("main", window)
    state.sync()
    other, other_dock = make_window(qtbot)
    WindowState(file, version=2).restore_window("main", other)
    assert other.dockWidgetArea(other_dock) == Qt.DockWidgetArea.RightDockWidgetArea


def test_a_splitter_is_divided_as_it_was(qtbot, file):
    """A splitter's division comes back."""

    def make():
        splitter = QSplitter()
        qtbot.addWidget(splitter)
        splitter.addWidget(QWidget())
        splitter.addWidget(QWidget())
        splitter.resize(400, 100)
        return splitter

    splitter = make()
    splitter.show()
    splitter.setSizes([100, 300])
    state = WindowState(file)
    state.save_splitter("middle", splitter)
    state.sync()
    other = make()
    other.show()
    assert WindowState(file).restore_splitter("middle", other)
    assert other.sizes() == splitter.sizes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(st.characters(codec="utf-8")), document=st.text(st.characters(codec="utf-8")))
def test_any_ids_come_back(qapp, file, query, document):
    """The last query and document come back whatever characters their ids have."""
    state = WindowState(file)
    state.save_place("uuid", Place(query, document))
    state.sync()
    assert WindowState(file).find_place("uuid") == Place(query, document)


def test_each_project_has_its_place(qapp, file):
    """Places are kept by project; an unknown project has none."""
    state = WindowState(file)
    state.save_place("a", Place("q1", "d1"))
    state.save_place("b", Place("q2", "d2"))
    assert state.find_place("a") == Place("q1", "d1")
    assert state.find_place("c") is None


@pytest.mark.parametrize(
    "text", ["[General]\nplaces=nonsense", "\x00\x01", "[General]\nplaces=[1]"]
)
def test_a_broken_file_is_as_none(qtbot, file, text):
    """A file that cannot be understood restores nothing and stops nothing."""
    file.write_text(text)
    window, _ = make_window(qtbot)
    state = WindowState(file)
    assert state.find_place("a") is None
    assert not state.restore_window("main", window)


def test_it_lives_in_the_configuration_folder(qapp, tmp_path, monkeypatch):
    """Without a path the file stands in judgetool's configuration folder."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    state = WindowState()
    state.save_place("a", Place("q", "d"))
    state.sync()
    assert (tmp_path / "config" / FILE_NAME).exists()


def test_an_unwritable_place_is_no_trouble(qtbot, tmp_path):
    """Where nothing can be written, sync() says so and nothing else happens."""
    (tmp_path / "file").write_text("")
    state = WindowState(tmp_path / "file" / "window.ini")
    state.save_place("a", Place("q", "d"))
    assert not state.sync()
