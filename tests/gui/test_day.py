"""A day of several people in the real window, by keys alone; what comes of it is what commands give."""

import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit

from judgetool.core.judgments import State
from judgetool.core.number_text import format_change, format_value
from judgetool.gui.agreement.assessors import TITLES
from judgetool.gui.dialogs.asking import AskDialog, HandOverDialog
from judgetool.gui.dialogs.choose import MessageDialog, TextDialog
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.finding import GoToDialog
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.new_project import NewProjectDialog
from judgetool.gui.modes import Mode
from judgetool.gui.prompter import FileDialog, QtPrompter
from judgetool.session.opening import open_project
from judgetool.session.team.agreement import REPORTED_AGREEMENT, set_counts
from judgetool.session.team.asking import hand_over
from judgetool.session.team.disputes import load_disputes, settle
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window
from tests.helpers.day import (
    ASKED,
    PEOPLE,
    RUNS,
    content,
    grade_of,
    judge_apart,
    make_project,
    write_files,
)
from tests.helpers.program import must
from tests.helpers.shared import shared_data

N_QUERIES, N_KNOWN, DEPTH, N_SETTLED = 15, 6, 3, 4
REASON = "as agreed"
KEY, ALT = Qt.Key, Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier
FIRST = "P@5"
"""The first measure of a new project: stakes, and what leaving somebody out does, are told by it."""

LAST = ("anna", "ben", "dora")
"""Who is asked; cem takes over what dora is asked."""


def is_long():
    """Whether there is time to live through the day twice, as with ``.ci/run --long``."""
    return int(os.environ.get("JUDGETOOL_EXAMPLES", "0")) >= 1000


# A test opens no dialog unless it says so: here each is answered by keys.
_EXEC = QDialog.exec


class Hands:
    """Answers each dialog that opens, by keys, as it was said beforehand in which order they come.

    Attributes:
        answers: the kinds of dialogs that are still to come, each with what answers it.
        problem: what went otherwise, first.
    """

    def __init__(self, qtbot):
        self._qtbot = qtbot
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
        try:
            self._qtbot.waitUntil(is_so)
        except self._qtbot.TimeoutError as problem:
            kinds = [kind.__name__ for kind, _ in self.answers]
            raise AssertionError(
                f"still to come: {kinds}; being answered: {self._at}; at the keyboard: "
                f"{QApplication.activeModalWidget()}, {QApplication.activeWindow()}, "
                f"{QApplication.focusWidget()}; besides: {self.problem!r}"
            ) from problem

    # Keys

    def press(self, key, modifier=NONE):
        """Press a key where the keyboard is."""
        window = QApplication.activeModalWidget() or self.window
        self.see(lambda: self._has_keyboard(window))
        self._qtbot.keyClick(QApplication.focusWidget(), key, modifier)

    def type(self, text, *, over=False):
        """Write where the keyboard is; over what stands there."""
        if over:
            self.press(KEY.Key_A, CTRL)
        self._qtbot.keyClicks(QApplication.focusWidget(), text)

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


@pytest.fixture
def hands(qtbot, monkeypatch):
    monkeypatch.setattr(QDialog, "exec", _EXEC)
    made = Hands(qtbot)
    yield made
    made.stop()


@contextmanager
def window_of(hands, qtbot, path, who):
    """The window under somebody's name; files and messages are dialogs, too."""
    with opened_window(qtbot, path, assessor=who) as window:
        hands.window = window
        fake, window.prompter = window.prompter, QtPrompter(window)
        yield window
        hands.wait(lambda: window.jobs.is_idle)
        window.prompter = fake


def import_into(hands, *paths, is_settled=False):
    """Return the answers to an import: which files, and what they are."""

    def answer(dialog):
        hands.walk_to(dialog.add)
        hands.answers.insert(0, hands.files(*paths))
        hands.press(KEY.Key_Space)
        hands.see(lambda: dialog.work.plan is not None)
        if is_settled:
            (whose,) = dialog.view.questions.findChildren(QComboBox)
            hands.walk_to(whose)
            while whose.currentData() != "settled":
                hands.press(KEY.Key_Down)
        hands.see(dialog.verb.isEnabled)
        hands.walk_to(dialog.verb)
        hands.press(KEY.Key_Space)

    return ImportDialog, answer


def begin(hands, qtbot, lead, files):
    """A project is made, filled, shared out, and copied for each."""

    def make(dialog):
        hands.type("Shop")
        hands.press(KEY.Key_F, ALT)
        assert dialog.place.hasFocus()
        hands.type(str(lead), over=True)
        hands.press(KEY.Key_Return)

    def ask(dialog):
        hands.type(", ".join(LAST))
        hands.see(lambda: dialog.plan is not None)
        hands.press(KEY.Key_Return)

    def give(dialog):
        hands.walk_to(dialog.giver)
        while dialog.giver.currentData() != "dora":
            hands.press(KEY.Key_Down)
        hands.walk_to(dialog.taker)
        hands.type("cem")
        hands.press(KEY.Key_Return)

    with window_of(hands, qtbot, None, "lead") as window:
        several = import_into(hands, files.queries, files.documents, *files.runs)
        hands.key(KEY.Key_N, CTRL, (NewProjectDialog, make), several)
        hands.key(KEY.Key_I, CTRL, import_into(hands, files.known, is_settled=True))
        assert len(window.session.standing.final) == 1
        hands.command("Ask assessors", (AskDialog, ask))
        hands.command("Hand over", (HandOverDialog, give))
        for name in (*PEOPLE, "other"):
            path = lead.with_name(f"{name}.judge")
            hands.key(KEY.Key_S, CTRL | SHIFT, hands.files(path))
            assert window.session.path == path


def judge(hands, qtbot, path, who, truth):
    """All that somebody is asked is judged, a key each; what comes again comes by itself."""
    times = {}
    with window_of(hands, qtbot, path, who) as window:
        while not window.session.asks.progress.is_done:
            judging, done = window.view.judging, window.session.asks.progress.judged
            assert judging.own_judgment.state is State.UNJUDGED
            query = window.session.material.queries[judging.query].id
            document = window.session.material.document_id(judging.document)
            turn = times.get((query, document), 0)
            times[query, document] = turn + 1
            hands.press(f"{grade_of(who, query, document, truth, turn):.0f}")
            hands.wait(lambda done=done: window.session.asks.progress.judged == done + 1)


def merge(hands, window, *copies):
    """Copies come in as one step, once what they bring was read."""
    hands.command(
        "Merge",
        hands.files(*copies),
        (MessageDialog, lambda _dialog: hands.press(KEY.Key_Return)),
    )
    hands.wait(lambda: window.jobs.is_idle and window.session.undo_step.kind == "merge")
    assert copies[0].name in window.session.undo_step.title


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


def settle_first(hands, window):
    """Disputes are settled as they come: by stake; the first with a reason."""
    hands.press(KEY.Key_6, CTRL)
    page = window.views.page(Mode.SETTLE)
    hands.wait(lambda: not page.is_searching)

    def give_reason(_dialog):
        hands.type(REASON)
        hands.press(KEY.Key_Return, CTRL)

    hands.key(KEY.Key_E, NONE, (TextDialog, give_reason))
    for _ in range(N_SETTLED):
        left = len(page.disputes)
        hands.press("2")
        hands.wait(lambda left=left: not page.is_searching and len(page.disputes) == left - 1)


def take_out(hands, window, name):
    """Somebody counts no longer; return what the view says then, and after Undo."""
    page = window.views.page(Mode.AGREEMENT)
    hands.press(KEY.Key_5, CTRL)
    hands.wait(lambda: not page.agreed.is_computing)
    hands.press(KEY.Key_Home)
    while page.assessors.current != name:
        hands.press(KEY.Key_Down)
    hands.press(KEY.Key_C)
    hands.wait(lambda: not page.agreed.overview.find(name).counts and not page.agreed.is_computing)
    without = read_agreement(hands, window)
    hands.press(KEY.Key_Z, CTRL)
    hands.wait(lambda: page.agreed.overview.find(name).counts and not page.agreed.is_computing)
    return without, read_agreement(hands, window)


def export(hands, path):
    """The grades of the view go to a file."""

    def answer(dialog):
        hands.see(lambda: dialog.verb.isEnabled() and "Export " in dialog.verb.text())
        hands.answers.insert(0, hands.files(path))
        hands.walk_to(dialog.verb)
        hands.press(KEY.Key_Space)

    hands.key(KEY.Key_E, CTRL, (ExportDialog, answer))
    hands.wait(path.exists)
    return path.read_text(encoding="utf-8")


def printed(path):
    """What the agreement view is to show, by what commands print."""
    measures = [word for name in map(str, REPORTED_AGREEMENT) for word in ("-m", name)]
    known = ("agreement", path, *measures, "--intervals", "--digits", "9")
    shown = {
        "head": [in_words(*each) for each in zip(TITLES.values(), must(*known).rows, strict=True)]
    }
    for by in ("pair", "level"):
        rows = must(*known, "--by", by).rows
        scopes = dict.fromkeys(row[1] for row in rows)
        by_scope = {scope: [row for row in rows if row[1] == scope] for scope in scopes}
        shown[by] = [
            "; ".join((scope.replace("|", " · "), *map(in_words, TITLES.values(), found)))
            for scope, found in by_scope.items()
        ]
    rows = must("agreement", path, "--effect", "-m", FIRST, "--digits", "9").rows
    found = {scope: list(map(float, figures)) for _, scope, *figures in rows}
    ends = [each[1:] for scope, each in found.items() if scope.startswith("diff:")]
    n_open = sum(not (low > 0 or high < 0) for low, high in ends)
    ways = {0: ", whoever is believed", 3: " for none of 3 pairs"}
    certain = ways.get(n_open, f" but for {n_open} of 3 pairs")
    shown["order"] = f"Order of runs by {FIRST}: certain{certain}"
    shown["without"] = {}
    for who in PEOPLE:
        changes = {
            run: found[f"{run} without:{who}"][0] - found[run][0]
            for run in (f"run:{name}" for name in RUNS)
            if f"{run} without:{who}" in found
        }
        if changes:
            run = max(changes, key=lambda each: abs(changes[each]))
            change = format_change(changes[run], digits=3)
            shown["without"][who] = f"without: {FIRST} of {run.removeprefix('run:')} {change}, "
    return shown


def in_words(title, row):
    """An agreement as the view says it."""
    value, *ends = (
        each if each == "-" else format_value(float(each), digits=2) for each in row[2:]
    )
    if value == "-":
        return f"{title} undefined"
    return f"{title} {value}" + (f", between {ends[0]} and {ends[1]}" if "-" not in ends else "")


def check_seen(seen, expected):
    """What was seen in the agreement view is what commands print."""
    for part in ("head", "pair", "level"):
        shown = [re.sub("undefined: [^;]*", "undefined", text) for text in seen[part]]
        assert shown == expected[part], part
    assert seen["order"] == expected["order"]
    rows = {text.partition(",")[0]: text for text in seen["people"]}
    assert rows.keys() == {*PEOPLE}
    for who, text in expected["without"].items():
        assert text in rows[who]


def live(hands, qtbot, folder, data):
    """Live through the day in the window; return all that was seen and all that is there."""
    files = write_files(folder, data, n_queries=N_QUERIES, n_known=N_KNOWN, depth=DEPTH)
    lead, other = folder / "shop.judge", folder / "other.judge"
    copies = [folder / f"{who}.judge" for who in PEOPLE]
    begin(hands, qtbot, lead, files)
    for path, who in zip(copies, PEOPLE, strict=True):
        judge(hands, qtbot, path, who, files.truth)
    with window_of(hands, qtbot, other, "lead") as window:
        for copy in reversed(copies):
            merge(hands, window, copy)
    day = {"other order": content(other)}
    with window_of(hands, qtbot, lead, "lead") as window:
        merge(hands, window, *copies)
        seen = [read_agreement(hands, window)]
    day |= {"merged": content(lead), "printed": [printed(lead)]}
    with window_of(hands, qtbot, lead, "lead") as window:
        settle_first(hands, window)
        seen += take_out(hands, window, "ben")
        exported = export(hands, folder / "out.qrels")
    day["printed"].append(printed(lead))
    return day | {"settled": content(lead), "seen": seen, "exported": exported}


def by_commands(folder, data):
    """Live through the same day by commands, and where there are none by calls."""
    files = write_files(folder, data, n_queries=N_QUERIES, n_known=N_KNOWN, depth=DEPTH)
    lead = make_project(folder / "shop.judge", files)
    must("ask", lead, "--to", *LAST, *ASKED)
    with open_project(lead, assessor="lead") as session:
        session.execute(hand_over(session, "dora", "cem"))
    copies = [Path(shutil.copy(lead, folder / f"{who}.judge")) for who in PEOPLE]
    for place, (path, who) in enumerate(zip(copies, PEOPLE, strict=True)):
        judge_apart(path, who, files.truth, 1_780_300_000_000 + place * 500_000)
    must("merge", lead, *copies)
    day = {"merged": content(lead)}
    with open_project(lead, assessor="lead") as session:
        for place, dispute in enumerate(load_disputes(session)[:N_SETTLED]):
            reason = None if place else REASON
            session.execute(settle(dispute.query, dispute.document, 2.0, reason=reason))
    day["settled"] = content(lead)
    with open_project(lead, assessor="lead") as session:
        set_counts(session, {"ben": False})
    return day | {"without": printed(lead)}


def test_a_day_by_keys(qtbot, hands, tmp_path):
    """Both orders of merging are equal, and all that is seen and handed on is what commands give."""
    data = shared_data("data/icecat-shop")
    folders = [tmp_path / name for name in ("one", "two", "commands")]
    for folder in folders:
        folder.mkdir()
    day, expected = live(hands, qtbot, folders[0], data), by_commands(folders[2], data)
    assert day["other order"] == day["merged"]
    for part in ("merged", "settled"):
        for name, text in expected[part].items():
            assert day[part][name] == text, (part, name)
    assert day["exported"] == day["settled"]["qrels"]
    merged, without, back = day["seen"]
    check_seen(merged, day["printed"][0])
    check_seen(without, expected["without"])
    check_seen(back, day["printed"][1])
    assert len(expected["merged"]["disputes"].splitlines()) - 1 > N_SETTLED
    if is_long():
        assert live(hands, qtbot, folders[1], data) == day
