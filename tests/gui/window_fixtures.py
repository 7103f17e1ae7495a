"""The real main window on real projects, driven by keys."""

from contextlib import contextmanager
from xml.etree import ElementTree

from PySide6.QtCore import QBuffer, QEvent, QObject, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtSvg import QSvgGenerator

from judgetool.gui.app import make_application
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.main_window import MainWindow
from judgetool.gui.widgets.painted import VOICE
from tests.helpers.builders import lay_judged_sample
from tests.helpers.fake_prompter import FakePrompter

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@contextmanager
def opened_window(qtbot, path=None, *, assessor="anna", size=(1440, 900)):
    """Show the main window, with a project open where a path is given."""
    make_application()
    window = MainWindow(assessor=assessor, theme="light")
    window.prompter = FakePrompter()
    window.apply_theme()
    window.resize(*size)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    if path is not None:
        assert window.try_open(path)
        qtbot.waitUntil(lambda: window.schedule.is_settled and window.jobs.is_idle)
    try:
        yield window
    finally:
        # A test that ends with an unsaved grade does not care for it.
        window.prompter = FakePrompter(answers=["discard"])
        window.close()
        window.deleteLater()


@contextmanager
def window_on_sample(qtbot, folder):
    """Show the main window on the bundled sample, which is made in a folder."""
    with opened_window(qtbot, lay_judged_sample(folder)) as window:
        yield window


@contextmanager
def listening():
    """Give what any window announces from now on to a screen reader, which is there."""
    before, texts = QAccessible.isActive(), []
    QAccessible.setActive(True)
    VOICE.said.connect(texts.append)
    try:
        yield texts
    finally:
        VOICE.said.disconnect(texts.append)
        QAccessible.setActive(before)


class Paints(QObject):
    """Notes which of some widgets have been painted, in ``seen``."""

    def __init__(self, *widgets):
        super().__init__(widgets[0])
        self.seen = set()
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):  # noqa: N802 - Qt's name
        if event.type() is QEvent.Type.Paint:
            self.seen.add(watched)
        return False


def answer_dialogs(monkeypatch, act):
    """Do something to each dialog that opens from now on, and take its verb; returns those that opened."""
    opened = []

    def is_answered(dialog):
        opened.append(dialog)
        act(dialog)
        return dialog.verb.isEnabled()

    monkeypatch.setattr(ActDialog, "is_answered", is_answered)
    return opened


def press(qtbot, window, keys, modifier=Qt.KeyboardModifier.NoModifier):
    """Press keys in the list of results, as an assessor does: a text of characters, or one key."""
    target = window.workspace.results.table
    for key in [keys] if isinstance(keys, Qt.Key) else list(keys):
        qtbot.keyClick(target, key, modifier)


def shown_means(window):
    """Return the means as the live panel shows them, by measure, to four decimals."""
    return {
        row.name: None if row.mean is None else f"{row.mean:.4f}"
        for row in window.live.values.rows.rows
    }


def banner_answers(window):
    """Return the buttons in the grade bar's place, by what they say."""
    answers = window.workspace.grade_bar.banner.answers
    return {button.text().replace("&", ""): button for button in answers}


def lines_painted(widget):
    """The texts of a widget by lines, each from left to right as it is painted, without blanks and marks."""
    buffer = QBuffer()
    image = QSvgGenerator()
    image.setOutputDevice(buffer)
    image.setSize(widget.size())
    widget.render(image)
    painted = ElementTree.fromstring(bytes(buffer.data()))
    lines = {}
    for each in painted.iter("{http://www.w3.org/2000/svg}text"):
        lines.setdefault(each.get("y"), []).append((float(each.get("x")), each.text or ""))
    whole = ("".join(text for _, text in sorted(line)) for line in lines.values())
    return ["".join(sign for sign in line if sign.isprintable() and sign != " ") for line in whole]
