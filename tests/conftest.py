"""Guards that hold for every test: nothing of the machine is touched, nothing goes wrong quietly.

A test fails when it logs a warning of ours that it did not announce (with
``caplog.at_level("WARNING", logger="judgetool")``), leaves a window on the screen, or
opens a modal dialog. Qt's own warnings and exceptions in slots fail it through pytest-qt.
"""

import gc
import json
import logging
import os
import shutil
from itertools import count
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from judgetool.core.catalogues import choose_language
from judgetool.errors import take_notices
from judgetool.wording import Language, speak
from tests.helpers.laws import EXAMPLES
from tests.long_tests import long_tests

# What takes long on a loaded machine is not wrong; how long it takes is for the benchmarks.
settings.register_profile("judgetool", deadline=None, max_examples=EXAMPLES)
settings.load_profile("judgetool")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# What tests start is the program as people have it: its code is compiled once, not at every start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What is compared is English, whatever the machine speaks.
os.environ["JUDGETOOL_LANGUAGE"] = "en"
# Nobody's keyring is read or written; tests that need one bring it along.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

_MODAL = {
    "QDialog": ("exec",),
    "QMessageBox": ("about", "critical", "information", "question", "warning"),
    "QFileDialog": ("getExistingDirectory", "getOpenFileName", "getOpenFileNames", "getSaveFileName"),
    "QInputDialog": ("getDouble", "getInt", "getItem", "getMultiLineText", "getText"),
}  # fmt: skip


_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30


def pytest_configure(config):
    """Let the folders of tests lie in memory, where there is room: each commit would wait for a disk."""
    if (
        config.option.basetemp is None
        and _MEMORY.is_dir()
        and shutil.disk_usage(_MEMORY).free > _ROOM
    ):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def pytest_collection_finish():
    """Look for no garbage among the tests themselves: they are half a million objects, and stay."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers():
    """One worker more than there are cores: a third of their time windows wait for what is due later."""
    return (yield) + ("PYTEST_XDIST_AUTO_NUM_WORKERS" not in os.environ)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for examples in the docstrings of the product alone: that of tests takes seconds."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


def pytest_collection_modifyitems(items):
    """Mark what asks for Qt, so that ``-m "not gui"`` leaves it out, and what takes long."""
    for item in items:
        if item.nodeid.split("[")[0] in long_tests():
            item.add_marker(pytest.mark.long)
        if {"qapp", "qtbot"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.gui)


@pytest.fixture(scope="session")
def qapp_cls():
    """The application is the program's own."""
    from judgetool.gui.app import Application  # noqa: PLC0415 - tests without Qt run without it

    return Application


# A machine with other work may need long for what is done at once otherwise.
PATIENCE_MS = 60_000


@pytest.fixture
def qtbot(qapp, request):
    """pytest-qt's bot, which waits for a fact as long as a loaded machine may need."""
    from pytestqt.qtbot import QtBot  # noqa: PLC0415 - tests without Qt run without it

    class PatientBot(QtBot):
        def waitUntil(self, callback, *, timeout=PATIENCE_MS):  # noqa: N802 - Qt's names
            super().waitUntil(callback, timeout=max(timeout, PATIENCE_MS))

        def wait(self, ms):
            # No test waits for a time: this is between two looks for a fact, ten thousand times.
            super().wait(min(ms, 2))

        def waitSignal(self, signal, *, timeout=PATIENCE_MS, **options):  # noqa: N802
            # Who expects no signal (assertNotEmitted) waits as long as was asked for, not longer.
            if options.get("raising", True):
                timeout = max(timeout, PATIENCE_MS)
            return super().waitSignal(signal, timeout=timeout, **options)

        def waitSignals(self, signals, *, timeout=PATIENCE_MS, **options):  # noqa: N802
            return super().waitSignals(signals, timeout=max(timeout, PATIENCE_MS), **options)

        def waitExposed(self, widget, *, timeout=PATIENCE_MS):  # noqa: N802
            return super().waitExposed(widget, timeout=max(timeout, PATIENCE_MS))

        def waitActive(self, widget, *, timeout=PATIENCE_MS):  # noqa: N802
            return super().waitActive(widget, timeout=max(timeout, PATIENCE_MS))

    return PatientBot(request)


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """The folder of all homes: beside the folders of tests, each new one of those would be sought among them."""
    return tmp_path_factory.mktemp("homes")


_homes = count()


@pytest.fixture(autouse=True)
def own_home(homes, monkeypatch):
    """Every test has a home of its own; nobody's preferences, samples or locks are touched."""
    home = homes / str(next(_homes))
    home.mkdir()
    monkeypatch.setenv("JUDGETOOL_HOME", str(home / "judgetool"))
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    return home


@pytest.fixture
def lay_down(tmp_path, monkeypatch):
    """Return what writes the administrator's file: values, or a text that may be none."""
    from judgetool.core.policy import FILE_NAME, policy  # noqa: PLC0415 - few tests need it

    folder = tmp_path / "xdg" / "judgetool"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(folder.parent))

    def write(text="", **values):
        (folder / FILE_NAME).write_text(text or json.dumps(values), encoding="utf-8")
        policy.cache_clear()
        return policy()

    yield write
    policy.cache_clear()


@pytest.fixture(autouse=True)
def no_notices_of_others():
    """What an earlier test had to be told is not told in this one."""
    take_notices()


class _Warnings(logging.Handler):
    """Keeps what was logged as a warning or worse."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.records = []

    def emit(self, record):
        self.records.append(record)


@pytest.fixture(autouse=True)
def no_unannounced_warnings(request):
    """A warning of ours fails the test, unless the test announced it through caplog."""
    logger = logging.getLogger("judgetool")
    level, handler = logger.level, _Warnings()
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)
    logger.setLevel(level)
    if "caplog" not in request.fixturenames and handler.records:
        shown = "\n".join(record.getMessage() for record in handler.records)
        pytest.fail(f"warnings were logged that the test did not announce:\n{shown}")


_windowed = count(1)
WINDOWS_KEPT = 40
"""After so many tests with Qt it is looked for what their windows left."""


@pytest.fixture(autouse=True)
def no_windows_left(request, monkeypatch):
    """No modal dialog opens during a test, and no window stays after it."""
    if not request.node.get_closest_marker("gui"):
        yield
        return
    qapp = request.getfixturevalue("qapp")
    from PySide6 import QtWidgets  # noqa: PLC0415 - tests without Qt run without it

    for name, methods in _MODAL.items():
        # Where somebody answers, dialogs open as they do for people.
        for method in methods if name != "QDialog" or "hands" not in request.fixturenames else ():
            monkeypatch.setattr(getattr(QtWidgets, name), method, _refuse(f"{name}.{method}"))
    yield
    # No test sees what another copied; and the offscreen platform ends in a crash when it
    # still holds what Python made.
    qapp.clipboard().clear()
    # A window keeps its project from the collector, as if it were the only one of the process.
    if next(_windowed) % WINDOWS_KEPT == 0:
        gc.unfreeze()
        gc.collect()
    left = [widget for widget in qapp.topLevelWidgets() if widget.isVisible()]
    shown = ", ".join(f"{type(widget).__name__} {widget.windowTitle()!r}" for widget in left)
    for widget in left:
        widget.hide()
        widget.deleteLater()
    if left:
        pytest.fail(f"windows were left open: {shown}")


@pytest.fixture
def hands(qtbot):
    """Answers dialogs that open, by keys."""
    from tests.helpers.hands import Hands  # noqa: PLC0415 - tests without Qt run without it

    made = Hands()
    yield made
    made.stop()


def _refuse(name):
    def refuse(*_args, **_kwargs):
        pytest.fail(f"{name} would wait for a person; ask through the prompter instead")

    return refuse


@pytest.fixture(scope="session")
def checkout():
    """The root of the checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL of this run's own, started when a test asks for it."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed (judgetool[hub])")
    assert psycopg
    from tests.helpers import postgres as found  # noqa: PLC0415 - needs psycopg

    if found.find_programs() is None:
        assert found.REQUIRED not in os.environ, found.NO_SERVER
        pytest.skip(found.NO_SERVER)
    server = found.Server()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def hub_template(postgres):
    """The name of a database with a hub that is never written to."""
    from tests.helpers.postgres import make_template  # noqa: PLC0415 - needs psycopg

    return make_template(postgres)


@pytest.fixture
def team(postgres, hub_template):
    """A hub of the test's own, with members."""
    from tests.helpers.postgres import Team  # noqa: PLC0415 - needs psycopg

    database = postgres.make_database(hub_template)
    yield Team(postgres, database)
    postgres.drop_database(database)


@pytest.fixture
def speaks(monkeypatch):
    """Choose a language as the environment does; English is there again at the end."""

    def choose(code):
        monkeypatch.setenv("JUDGETOOL_LANGUAGE", code)
        choose_language()

    yield choose
    speak(Language())
