"""A day of several people in the real window, by keys alone; what comes of it is what commands give."""

import re
import shutil
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtWidgets import QComboBox

from judgetool.core.number_text import format_change
from judgetool.gui.actions import Mode
from judgetool.gui.agreement.assessors import TITLES
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.new_project import NewProjectDialog
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.session.opening import open_project
from judgetool.session.team.agreement import set_counts
from judgetool.session.team.asking import hand_over
from tests.gui.window_fixtures import SHIFT, opened_window
from tests.helpers.day import (
    ASKED,
    PEOPLE,
    RUNS,
    content,
    is_long,
    judge_apart,
    make_project,
    settle_by_call,
    write_files,
)
from tests.helpers.hands import (
    ALT,
    CTRL,
    KEY,
    REASON,
    agreement_rows,
    asking,
    handing_over,
    in_words,
    judge_by_keys,
    read_agreement,
    settle_first,
)
from tests.helpers.program import must
from tests.helpers.shared import shared_data

N_QUERIES, N_KNOWN, DEPTH, N_SETTLED = 15, 6, 3, 4
# The measure that the live values explain.
MEASURE = "nDCG@10"
"""The first measure of a new project: stakes, and what leaving somebody out does, are told by it."""

LAST = ("anna", "ben", "dora")
"""Who is asked; cem takes over what dora is asked."""


# A test opens no dialog unless it says so: here each is answered by keys.
@contextmanager
def window_of(hands, qtbot, path, who):
    """The window under somebody's name; files and messages are dialogs, too."""
    with opened_window(qtbot, path, assessor=who) as window:
        hands.window = window
        fake, window.prompter = window.prompter, Prompter(window)
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

    with window_of(hands, qtbot, None, "lead") as window:
        several = import_into(hands, files.queries, files.documents, *files.runs)
        hands.key(KEY.Key_N, CTRL, (NewProjectDialog, make), several)
        hands.key(KEY.Key_I, CTRL, import_into(hands, files.known, is_settled=True))
        assert len(window.session.standing.final) == 1
        hands.command("Ask assessors", asking(hands, *LAST))
        hands.command("Hand over", handing_over(hands, "dora", "cem"))
        for name in (*PEOPLE, "other"):
            path = lead.with_name(f"{name}.judge")
            hands.key(KEY.Key_S, CTRL | SHIFT, hands.files(path))
            assert (path.is_file(), window.session.path) == (True, lead)


def judge(hands, qtbot, path, who, truth):
    """All that somebody is asked is judged, a key each; what comes again comes by itself."""
    with window_of(hands, qtbot, path, who) as window:
        judge_by_keys(hands, window, who, truth, {})


def merge(hands, window, *copies):
    """Copies come in as one step, once what they bring was read."""
    hands.command(
        "Merge",
        hands.files(*copies),
        (MessageDialog, lambda _dialog: hands.press(KEY.Key_Return)),
    )
    hands.wait(lambda: window.jobs.is_idle and window.session.undo_step.kind == "merge")
    assert copies[0].name in window.session.undo_step.title


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
    shown = {
        "head": [
            in_words(*each) for each in zip(TITLES.values(), agreement_rows(path), strict=True)
        ]
    }
    of_levels = {**TITLES, "overlap": "overlap"}
    for by, titles in (("pair", TITLES), ("level", of_levels)):
        rows = agreement_rows(path, "--by", by)
        scopes = dict.fromkeys(row["scope"] for row in rows)
        by_scope = {scope: [row for row in rows if row["scope"] == scope] for scope in scopes}
        shown[by] = []
        for scope, found in by_scope.items():
            name, said = scope.replace("|", " · "), map(in_words, titles.values(), found)
            shown[by].append("; ".join((name, f"{found[0]['n_documents']} documents", *said)))
    rows = must("agreement", path, "--effect", "-m", MEASURE, "--digits", "9").rows
    found = {scope: list(map(float, figures)) for _, scope, *figures in rows}
    ends = [each[1:] for scope, each in found.items() if scope.startswith("diff:")]
    n_open = sum(not (low > 0 or high < 0) for low, high in ends)
    ways = {0: ", whichever of the given grades counts", 3: " for none of 3 pairs"}
    certain = ways.get(n_open, f" for {3 - n_open} of 3 pairs")
    shown["order"] = f"Order of runs by {MEASURE}: certain{certain}"
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
            shown["without"][who] = f"without: {MEASURE} of {run.removeprefix('run:')} {change}, "
    return shown


def check_seen(seen, expected):
    """What was seen in the agreement view is what commands print."""
    for part in ("head", "pair", "level"):
        shown = [re.sub("undefined: [^;]*", "undefined", text) for text in seen[part]]
        if part == "level":
            # Beside its grade a level has its name, of which the command says nothing.
            shown = [re.sub(r"^(\d), [^;]+", r"\1", text) for text in shown]
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
        settle_first(hands, window, N_SETTLED)
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
    settle_by_call(lead, N_SETTLED, REASON)
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
