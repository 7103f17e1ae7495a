"""Keys into a window, and answers to the dialogs that open; what people of a team do there by keys."""

from time import monotonic

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from judgetool.core.judgments import State
from judgetool.core.number_text import format_value
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.choose import TextDialog
from judgetool.gui.dialogs.finding import GoToDialog
from judgetool.gui.dialogs.prompter import FileDialog
from judgetool.gui.dialogs.queue import AskDialog, HandOverDialog
from judgetool.metrics.agreement import LEAST_DOCUMENTS
from judgetool.session.team.agreement import REPORTED_AGREEMENT
from tests.helpers.day import grade_of
from tests.helpers.program import must

KEY = Qt.Key
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier
PATIENCE_S = 60.0
"""A machine with other work may need long for what is done at once otherwise."""
REASON = "as agreed"


class Hands:
    """Answers each dialog that opens, by keys, as it was said beforehand in which order they come.

    Attributes:
        answers: the kinds of dialogs that are still to come, each with what answers it.
        problem: what went otherwise, first.
    """

    def __init__(self):
        self.answers = []
        self.problem = None
        self.window = None
        self._at = []
        self._is_over = False
        self._look()

    def _look(self):
        if not self._is_over:
            # A timer that repeats would not come while its own answer waits for another dialog.
            QTimer.singleShot(5, self._look)
            self._answer()

    def _answer(self):
        dialog = QApplication.activeModalWidget()
        if dialog is None or dialog in self._at or not self._has_keyboard(dialog):
            return
        self._at.append(dialog)
        try:
            assert self.problem is None
            assert self.answers, f"nobody expects {dialog.windowTitle()!r}"
            kind, answer = self.answers.pop(0)
            assert isinstance(dialog, kind)
            answer(dialog)
        except BaseException as problem:  # noqa: BLE001 - told by whoever waits for it
            self.problem = self.problem or problem
            dialog.reject()
        self._at.remove(dialog)

    @staticmethod
    def _has_keyboard(window):
        """Whether keys go to a window; where they do not, it is asked to take them."""
        # Here no manager of windows gives the keyboard back to what is under a closed one.
        if QApplication.activeWindow() is not window:
            window.activateWindow()
            return False
        focused = QApplication.focusWidget()
        return focused is not None and focused.window() is window

    def stop(self):
        self._is_over = True
        if self.problem is not None:
            raise self.problem

    def wait(self, is_so):
        """Wait for a fact, and for every dialog that was said to come."""
        self.see(lambda: self.problem is not None or (not self.answers and is_so()))
        if self.problem is not None:
            raise self.problem

    def see(self, is_so):
        """Wait for a fact; say where the keyboard was if it does not come."""
        until = monotonic() + PATIENCE_S
        while not is_so():
            if monotonic() > until:
                kinds = [kind.__name__ for kind, _ in self.answers]
                raise AssertionError(
                    f"still to come: {kinds}; being answered: {self._at}; at the keyboard: "
                    f"{QApplication.activeModalWidget()}, {QApplication.activeWindow()}, "
                    f"{QApplication.focusWidget()}; besides: {self.problem!r}"
                )
            loop = QEventLoop()
            QTimer.singleShot(10, loop.quit)
            loop.exec()

    # Keys

    def press(self, key, modifier=NONE):
        """Press a key where the keyboard is."""
        window = QApplication.activeModalWidget() or self.window
        self.see(lambda: self._has_keyboard(window))
        QTest.keyClick(QApplication.focusWidget(), key, modifier)

    def type(self, text, *, over=False):
        """Write where the keyboard is; over what stands there."""
        if over:
            self.press(KEY.Key_A, CTRL)
        QTest.keyClicks(QApplication.focusWidget(), text)

    def walk_to(self, widget):
        """Press Tab until something has the keyboard."""
        for _ in range(60):
            if widget.hasFocus():
                return
            self.press(KEY.Key_Tab)
        raise AssertionError(f"Tab does not come to {widget.accessibleName()!r}")

    # Dialogs

    def command(self, name, *answers):
        """Do something by its name, from Ctrl+P on, and answer what opens."""

        def choose(dialog):
            self.type(name)
            assert dialog.answer.title.startswith(name)
            self.press(KEY.Key_Return)

        self.key(KEY.Key_P, CTRL, (GoToDialog, choose), *answers)

    def key(self, key, modifier, *answers):
        """Press a key that opens dialogs, and answer them."""
        self.answers += answers
        self.press(key, modifier)
        self.wait(lambda: not self._at)

    def files(self, *paths):
        """Return the answer to a dialog for files: their names, and Enter."""

        def answer(dialog):
            field = dialog.findChild(QLineEdit, "fileNameEdit")
            # Its list of names comes when it comes.
            field.setCompleter(None)
            self.walk_to(field)
            self.type(
                " ".join(f'"{path}"' for path in paths) if paths[1:] else str(paths[0]), over=True
            )
            self.press(KEY.Key_Return)

        return FileDialog, answer


def asking(hands, *names, share=None):
    """Return the answer to Ask assessors: who is asked, of how many documents two; else as it is proposed."""

    def answer(dialog):
        hands.type(", ".join(names))
        if share is not None:
            hands.press(KEY.Key_S, ALT)
            hands.type(str(share), over=True)
        hands.see(lambda: dialog.plan is not None)
        hands.press(KEY.Key_Return, CTRL)

    return AskDialog, answer


def handing_over(hands, giver, taker):
    """Return the answer to Hand over: from whom, and to whom."""

    def answer(dialog):
        hands.walk_to(dialog.giver)
        while dialog.giver.currentData() != giver:
            hands.press(KEY.Key_Down)
        hands.walk_to(dialog.taker)
        hands.type(taker)
        hands.press(KEY.Key_Return)

    return HandOverDialog, answer


def due(window, who, truth, times):
    """What the window shows, which is not judged yet, as query and document; and what somebody says of it."""
    judging = window.view.judging
    assert judging.own_judgment.state is State.UNJUDGED
    query = window.session.material.queries[judging.query].id
    document = window.session.material.document_id(judging.document)
    grade = grade_of(who, query, document, truth, times.get((query, document), 0))
    return (query, document), grade


def press_grade(hands, window, grade):
    """Press the key of a grade, and wait until it is said; return the moment of the key."""
    moment, done = monotonic(), window.session.asks.progress.judged
    hands.press(f"{grade:.0f}")
    hands.wait(lambda: window.session.asks.progress.judged == done + 1)
    return moment


def judge_by_keys(hands, window, who, truth, times, most=None):
    """Judge what somebody is asked, a key each, until nothing or so much is done; what comes again comes by itself.

    Args:
        who: by whose rule.
        truth: what is known, by query and document.
        times: how often they have judged each so far; counted on.
        most: ``None`` for all.

    Returns:
        The moments of the keys.
    """
    moments = []
    while not window.session.asks.progress.is_done and len(moments) != most:
        pair, grade = due(window, who, truth, times)
        times[pair] = times.get(pair, 0) + 1
        moments.append(press_grade(hands, window, grade))
    return moments


def read_agreement(hands, window):
    """What the agreement view shows: figures of the head, rows of people, of pairs, of levels."""
    hands.press(KEY.Key_5, CTRL)
    page = window.views.page(Mode.AGREEMENT)
    hands.wait(lambda: page.agreed.overview is not None and not page.agreed.is_computing)
    hands.wait(lambda: window.jobs.is_idle)
    shown = {
        "head": [view.accessibleName() for view in page.strip.figures],
        "order": page.order.text,
    }
    shown["people"] = [row.said() for row in page.assessors.shown]
    for key, by in ((KEY.Key_P, "pair"), (KEY.Key_E, "level")):
        hands.press(key)
        hands.wait(lambda by=by: page.scopes.accessibleName() == f"Agreement by {by}")
        hands.wait(lambda: window.jobs.is_idle and bool(page.scopes.rows))
        shown[by] = [row.said for row in page.scopes.shown]
    hands.press(KEY.Key_A)
    return shown


def settle_first(hands, window, n):
    """Disputes are settled as they come: by stake; the first with a reason."""
    hands.press(KEY.Key_6, CTRL)
    page = window.views.page(Mode.SETTLE)
    hands.wait(lambda: not page.is_searching)

    def give_reason(_dialog):
        hands.type(REASON)
        hands.press(KEY.Key_Return, CTRL)

    hands.key(KEY.Key_E, NONE, (TextDialog, give_reason))
    for _ in range(n):
        left = len(page.disputes)
        hands.press("2")
        hands.wait(lambda left=left: not page.is_searching and len(page.disputes) == left - 1)


def agreement_rows(path, *how):
    """What ``judgetool agreement`` prints of the measures that the view shows."""
    measures = [word for name in map(str, REPORTED_AGREEMENT) for word in ("-m", name)]
    return must("agreement", path, *measures, "--intervals", "--format", "json", *how).json["rows"]


def in_words(title, row):
    """An agreement as the view says it."""
    if row["value"] is None:
        return f"{title} undefined"
    value, *ends = (
        each if each is None else format_value(each, digits=2)
        for each in (row["value"], row["low"], row["high"])
    )
    if row["n_documents"] < LEAST_DOCUMENTS:
        return f"{title} {value}, too few documents for an interval"
    return f"{title} {value}" + (f", between {ends[0]} and {ends[1]}" if None not in ends else "")
