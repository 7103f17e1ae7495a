"""What nobody expected: logged, shown calmly, and the program goes on."""

import gc
import logging
import re
import sys
import threading

import pytest
from PySide6.QtCore import Qt, QTimer, qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QWidget

from judgetool.errors import ProjectDamagedError, SaveError
from judgetool.gui.error_report import AboutDialog, install_error_hooks, start_log, versions
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def window(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def prompter():
    return FakePrompter()


@pytest.fixture
def hooks(qapp, window, prompter, caplog):
    with caplog.at_level("WARNING", logger="judgetool"):
        made = install_error_hooks(lambda: prompter, lambda: window)
        yield made
        made.uninstall()
    if made.report is not None:
        made.report.close()


def raise_from_hook(error):
    sys.excepthook(type(error), error, None)


def test_an_unexpected_error_is_reported(qtbot, hooks, window):
    """A bug of ours opens one report with versions and traceback; the window stays usable."""
    raise_from_hook(ValueError("odd"))
    qtbot.waitUntil(lambda: hooks.report is not None)
    assert "ValueError: odd" in hooks.report.report
    assert versions().splitlines()[0] in hooks.report.report
    assert not hooks.report.isModal()
    assert window.isEnabled()


def test_it_stands_above_a_dialog_that_waits(qtbot, hooks, window):
    """Behind a dialog that keeps the window from being used, it could be neither read nor left."""
    dialog = QDialog(window)
    qtbot.addWidget(dialog)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.show()
    raise_from_hook(ValueError("odd"))
    qtbot.waitUntil(lambda: hooks.report is not None)
    assert hooks.report.parent() is dialog


def test_copy_puts_the_report_on_the_clipboard(qtbot, hooks):
    """Copy report copies all of it."""
    raise_from_hook(ValueError("odd"))
    qtbot.waitUntil(lambda: hooks.report is not None)
    hooks.report.copy.click()
    assert QGuiApplication.clipboard().text() == hooks.report.report


def test_it_is_never_shown_from_where_it_happened(hooks):
    """The report waits for the event loop: nothing opens inside the hook itself."""
    raise_from_hook(ValueError("odd"))
    assert hooks.report is None


def test_a_second_error_opens_no_second_window(qtbot, hooks):
    """While a report is shown, others are counted in it."""
    for _ in range(3):
        raise_from_hook(ValueError("odd"))
    qtbot.waitUntil(lambda: hooks.report is not None)
    assert "2 times more" in hooks.report.remark.text()


def test_an_error_of_another_thread_is_reported_here(qtbot, hooks):
    """What a worker thread did not catch is shown by the GUI thread."""

    def work():
        raise ValueError("elsewhere")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: hooks.report is not None)
    assert "elsewhere" in hooks.report.report
    assert hooks.report.thread() is hooks.thread()


def test_what_a_person_may_be_shown_is_a_sentence(qtbot, hooks, prompter, tmp_path):
    """A JudgetoolError goes to the prompter as its sentence and opens no report."""
    raise_from_hook(SaveError("Not saved: the disk is full.", path=tmp_path))
    qtbot.waitUntil(lambda: bool(prompter.told))
    assert prompter.told == ["Not saved: the disk is full."]
    assert hooks.report is None


def test_an_exception_in_a_slot_arrives(qtbot, hooks):
    """What a slot raises is reported, and the event loop goes on."""
    went_on = []

    def slot():
        raise ValueError("in a slot")

    QTimer.singleShot(0, slot)
    with qtbot.captureExceptions():
        hooks.install()
        QTimer.singleShot(0, lambda: went_on.append(1))
        qtbot.waitUntil(lambda: hooks.report is not None and bool(went_on))
    assert "in a slot" in hooks.report.report


def test_errors_of_finalizers_are_only_logged(qtbot, hooks, caplog):
    """What is raised while an object is thrown away is logged and shown to nobody."""

    class Bad:
        def __del__(self):
            raise ValueError("in del")

    Bad()
    gc.collect()
    assert any("Bad" in record.getMessage() for record in caplog.records)
    assert hooks.report is None


def test_messages_of_qt_are_logged(hooks, caplog):
    """Qt's own warnings go to the log under a name of their own."""
    qWarning("from Qt")
    assert [r.getMessage() for r in caplog.records if r.name == "judgetool.qt"] == ["from Qt"]


def test_what_qt_repeats_is_logged_once(hooks, caplog):
    """A screen reader makes it ask for what has gone, each time under another number."""
    caplog.set_level(logging.INFO)
    for number in (2147483917, 2147483933):
        qWarning(f'Could not find accessible on path: "/org/a11y/atspi/accessible/{number}"')
    assert len([each for each in caplog.records if each.name == "judgetool.qt"]) == 1


def test_ctrl_c_goes_its_usual_way(hooks, monkeypatch):
    """KeyboardInterrupt is left to whoever had the hook before."""
    seen = []
    hooks._before = (lambda kind, *rest: seen.append(kind), *hooks._before[1:])
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert seen == [KeyboardInterrupt]


def test_the_hooks_are_given_back(qapp):
    """After uninstall() everything is as it was."""
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    hooks = install_error_hooks(lambda: None)
    assert sys.excepthook != before[0]
    hooks.uninstall()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before


def test_without_a_window_the_report_still_opens(qtbot, caplog):
    """Before there is a window even a JudgetoolError is shown."""
    with caplog.at_level("WARNING", logger="judgetool"):
        hooks = install_error_hooks(lambda: None)
        raise_from_hook(ValueError("early"))
        qtbot.waitUntil(lambda: hooks.report is not None)
        hooks.uninstall()
    assert "early" in hooks.report.report
    hooks.report.verb.click()


def test_the_log_is_written(own_home):
    """Lines of it say when, how grave and of what part they are."""
    path = start_log()
    logger = logging.getLogger("judgetool")
    handler = logger.handlers[-1]
    try:
        logger.info("a line")
        assert re.fullmatch(r"[-0-9]{10} [:,0-9]{12} INFO judgetool: a line\n", path.read_text())
    finally:
        logger.removeHandler(handler)
        handler.close()


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path, monkeypatch):
    """Where the folder cannot be made there is no log."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUDGETOOL_HOME", str(tmp_path / "file"))
    assert start_log() is None


def test_the_file_is_looked_at_beside_the_work(qtbot, prompter, window, tmp_path, caplog):
    """Whether the file is to blame for an error is found out on another thread than the window's."""
    looked = []

    def find_damage(_error):
        looked.append(threading.current_thread())
        return ProjectDamagedError("The file is damaged.", path=tmp_path)

    hooks = install_error_hooks(lambda: prompter, lambda: window, find_damage)
    try:
        raise_from_hook(ValueError("odd"))
        raise_from_hook(KeyError("odd, too"))
        qtbot.waitUntil(lambda: len(looked) == 2 and bool(prompter.told))
    finally:
        hooks.uninstall()
    assert threading.main_thread() not in looked
    assert prompter.told == ["The file is damaged."]
    assert hooks.report is None


def test_what_it_is_built_on_is_named_with_where_the_licences_are(qtbot):
    """About lists each part with its licence, and last where the licences stand in full."""
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert any("PySide6" in text and "LGPL" in text for text in texts)
    assert "Their licences in full come with each package, in its folder dist-info." in texts
