"""``python -m tests.helpers.team_window WHO QRELS [ARGUMENT]…``: the program itself, and hands that do as they are told.

It is ``judgetool open`` with these arguments. Each line that comes in is what somebody is to do at its window, by
keys, as a list in JSON: the name of a method of :class:`Person`, and what it is given. When that is done a line goes out:
what it returned, or what went wrong. Moments are of the machine's one clock that never goes back.
"""

import faulthandler
import json
import logging
import re
import sys
import threading
import traceback
from time import monotonic

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from judgetool.cli.main import run
from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.dialogs.hub import HubDialog, JoinDialog
from judgetool.gui.main_window import MainWindow
from judgetool.session.team.syncing import find_hub_mark
from tests.helpers.day import read_truth
from tests.helpers.hands import (
    ALT,
    CTRL,
    KEY,
    Hands,
    asking,
    due,
    handing_over,
    judge_by_keys,
    press_grade,
    settle_first,
)

_FINE = re.compile("This plugin does not support|OpenType support missing for")
"""What is logged of a platform without a screen, and of fonts that this machine lacks."""


class Person(QObject):
    """Somebody at a window of their own.

    Args:
        who: by whose rule they judge.
        truth: what is known, by query and document.
    """

    _told = Signal(str)

    def __init__(self, who, truth):
        super().__init__()
        self._who, self._truth = who, truth
        self._times = {}
        self._arrived = []
        self._hands = Hands()
        self._warnings = []
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self._warnings.append(record.getMessage())
        logging.getLogger("judgetool").addHandler(handler)
        self._told.connect(self._obey, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in sys.stdin:
            self._told.emit(line)

    def _obey(self, line):
        name, *given = json.loads(line)
        hands = self._hands
        if hands.window is None:
            widgets = QApplication.topLevelWidgets()
            hands.window = next(each for each in widgets if isinstance(each, MainWindow))
        try:
            said = {"is": getattr(self, name)(*given)}
        except BaseException:  # noqa: BLE001 - told by whoever waits for it
            said = {"problem": f"{self._state()}\n{traceback.format_exc()}"}
        print(json.dumps(said), flush=True)

    def _state(self):
        dialog = QApplication.activeModalWidget()
        said = getattr(dialog, "remark", self._window.status.hub).text()
        return f"{self._who}: {self._window.status.hub.text()!r} {said!r} {self._warnings}"

    @property
    def _window(self):
        return self._hands.window

    # The hub

    def make_hub(self, address, password):
        """The open project fills an empty database."""

        def make(dialog):
            self._hands.press(KEY.Key_H, ALT)
            # A button that its letter presses stays down for a moment.
            self._hands.see(lambda: dialog.how.current == "create")
            self._say(dialog, {"A": address, "P": password})

        self._hands.command("Team hub", (JoinDialog, make))
        self._watch()

    def join(self, address, password, path):
        """A new file is made of what the hub gives."""

        def join(dialog):
            self._say(dialog, {"A": address, "P": password, "N": self._who, "F": path})

        self._hands.command("Team hub", (JoinDialog, join))
        self._watch()

    def _say(self, dialog, fields):
        for key, text in fields.items():
            self._hands.press(getattr(KEY, f"Key_{key}"), ALT)
            self._hands.type(text, over=True)
        self._hands.see(dialog.verb.isEnabled)
        self._hands.press(KEY.Key_Return)
        self._hands.see(lambda: dialog.answer is not None or dialog.verb.isEnabled())
        assert dialog.answer is not None, dialog.remark.text()

    def _watch(self):
        """Note from now on when what comes from the hub was taken in."""
        session = self._window.session

        def note(_changed):
            self._arrived.append((monotonic(), find_hub_mark(session).seq))

        session.changed.connect(note)
        self.stands("in step")

    def stands(self, words):
        """Wait until the status line says how things are; return what it says."""
        status = self._window.status.hub
        self._hands.wait(lambda: re.search(words, status.text()) is not None)
        return status.text()

    def sync(self, seq, people):
        """Go in step now, until all up to a line of the hub was fetched and these are said to be there."""

        def go(dialog):
            rows = dialog.people
            self._hands.press(KEY.Key_Return)
            self._hands.see(
                lambda: (
                    find_hub_mark(self._window.session).seq >= seq
                    and dialog.standing.text().startswith("In step.")
                    and [rows.item(place).text() for place in range(rows.count())] == people
                )
            )
            self._hands.press(KEY.Key_Escape)

        self._hands.command("Team hub", (HubDialog, go))

    def arrived(self):
        """Return when lines of others were taken in: moments, and up to which line of the hub."""
        return self._arrived

    # A day's work

    def ask(self, *names):
        """People are asked, two of each document."""
        self._hands.command("Ask assessors", asking(self._hands, *names, share=100))

    def hand_over(self, giver, taker):
        """What is open of one goes to another."""
        self._hands.command("Hand over", handing_over(self._hands, giver, taker))

    def judge(self, most=None):
        """What is asked is judged; return the moments of the keys."""
        return judge_by_keys(self._hands, self._window, self._who, self._truth, self._times, most)

    def slip(self):
        """The wrong key is pressed; return when."""
        _, grade = due(self._window, self._who, self._truth, self._times)
        return press_grade(self._hands, self._window, (grade + 2) % 4)

    def take_back(self):
        """What was judged last is taken back; return when."""
        window = self._window
        moment, done = monotonic(), window.session.asks.progress.judged
        self._hands.press(KEY.Key_Z, CTRL)
        self._hands.wait(lambda: window.session.asks.progress.judged == done - 1)
        return moment

    def figures(self, other_than=None):
        """Wait until the agreement view, which is opened once, has other figures; return them."""
        if self._window.views.mode is not Mode.AGREEMENT:
            self._hands.press(KEY.Key_5, CTRL)
        page = self._window.views.page(Mode.AGREEMENT)

        def shown():
            return [view.accessibleName() for view in page.strip.figures]

        self._hands.wait(
            lambda: (
                page.agreed.overview is not None
                and not page.agreed.is_computing
                and shown() != other_than
            )
        )
        return shown()

    def settle(self, n):
        """Disputes are settled, the first with a reason."""
        settle_first(self._hands, self._window, n)

    def leave(self):
        """The window is closed; return what was logged that should not be."""
        self._hands.wait(lambda: self._window.jobs.is_idle)
        self._hands.press(KEY.Key_Q, CTRL)
        self._hands.stop()
        return [text for text in self._warnings if not _FINE.search(text)]


if __name__ == "__main__":
    faulthandler.enable()
    who, qrels, *arguments = sys.argv[1:]
    application = make_application()
    person = Person(who, read_truth(qrels))
    sys.exit(run(["open", *arguments]))
