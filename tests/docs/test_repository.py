"""Rules for the repository itself."""

import re
import shutil
import subprocess

import pytest

from tests.docs.pages import ROOT
from tests.long_tests import long_tests

MAX_LINES, MOST_LINES = 600, 1000
# Longer modules, each with the reason why it is one thing.
LONGER = {
    "judgetool/cli/command.py": "what all commands share: kinds of words, help, refusals, and how one is made",
    "judgetool/cli/importing.py": "one command: what it is told, what it does, what it says",
    "judgetool/cli/project.py": "six commands on one project file, and the tables that they print",
    "judgetool/cli/scoring.py": "the options by which runs are looked at, and what they lead to",
    "judgetool/cli/score_files.py": "from files to one table, fast where they are plain, and what is said of them",
    "judgetool/core/scale.py": "a scale: its levels, its checks, the scales by name, and words of each",
    "judgetool/core/terms.py": "words, marks and excerpts of a text are found in one pass",
    "judgetool/formats/containers.py": "folders, zip files and books: whatever holds several files or sheets",
    "judgetool/formats/json_shapes.py": "one JSON value: its shape, and what it says where a program exported it",
    "judgetool/formats/judgment_columns.py": "judgments in columns, whose layouts are told from one another",
    "judgetool/formats/reading.py": "whatever a file is packed in, opened until its records are read",
    "judgetool/formats/records.py": "rows of files: their cells and numbers, and why one is none",
    "judgetool/formats/results.py": "results in any order to runs: what is refused, divided and ordered on the way",
    "judgetool/formats/source.py": "from the bytes of a file to decoded lines, within limits",
    "judgetool/formats/table_detection.py": "one table: where its header is, what its columns tell, and what has to be asked",
    "judgetool/formats/writers/tables.py": "rows in full, each beside those of its kind",
    "judgetool/formats/writers/values.py": "what a writer is given, what it loses, and what stands beside its file",
    "judgetool/gui/agreement/assessors.py": "rows of assessors, pairs and levels, and the words in which each is heard",
    "judgetool/gui/compare/decide.py": "one decision from its question to its stop, with all that is said on the way",
    "judgetool/gui/compare/table_view.py": "one table: its cells, its keys, and the parts of it that do not scroll",
    "judgetool/gui/dialogs/act_dialog.py": "the frame of every dialog, and the fields that all are made of",
    "judgetool/gui/dialogs/hub.py": "making and joining a hub, its standing, and a short form for each thing done there",
    "judgetool/gui/dialogs/import_file_view.py": "one file on its way into the project, from first rows to questions",
    "judgetool/gui/dialogs/import_preview.py": "what is shown and said of each kind of file",
    "judgetool/gui/dialogs/import_work.py": "each file from reading to its plan, with what was said of its columns by hand",
    "judgetool/gui/dialogs/preferences.py": "every preference of a person, keys among them",
    "judgetool/gui/dialogs/queue.py": "order, pool and people decide together what comes next",
    "judgetool/gui/dialogs/scale_editor.py": "the scale: fields of a level, and what becomes of grades that go",
    "judgetool/gui/handlers/judge.py": "one document or several, what is said and what follows it",
    "judgetool/gui/handlers/repair.py": "what may be wrong with a project’s file: found, told, asked about and mended",
    "judgetool/gui/keymap.py": "keys of a person, when they go down, and what they do wherever one is",
    "judgetool/gui/live_panel.py": "the panel and what it reads stay in step, figure by figure",
    "judgetool/gui/main_window.py": "every panel, menu and handler is placed in one place",
    "judgetool/gui/models/result_model.py": "rows are what their order and their filters leave",
    "judgetool/gui/painting.py": "what every list paints with, grades and their chips among it",
    "judgetool/gui/panels/cards.py": "a card is laid out and painted from one description of it",
    "judgetool/gui/panels/document_pane.py": "one page, what is looked for in it, and the way back to where one read",
    "judgetool/gui/panels/page_marks.py": "one page and all that is marked on it, as it is written",
    "judgetool/gui/panels/query_list.py": "a list and the rows that only it paints",
    "judgetool/gui/project_view.py": "one open project: what follows it, what is read, how fast",
    "judgetool/gui/settle.py": "a whole view: disputes, opinions, and the grade that settles",
    "judgetool/gui/theme.py": "fonts and colours are chosen together, for four themes",
    "judgetool/gui/whatif/acts.py": "what the view asks for, beside the acts that ask",
    "judgetool/gui/whatif/rules_dialog.py": "one dialog: rules, the fields of each, and what they do",
    "judgetool/gui/whatif/side.py": "a panel and the values that only it shows",
    "judgetool/gui/widgets/grade_bar.py": "a bar and the buttons that only it has",
    "judgetool/gui/widgets/keys_overlay.py": "one page of keys, shown in two places",
    "judgetool/gui/widgets/labels.py": "parts of rows are texts, and texts are such parts",
    "judgetool/gui/widgets/live_values.py": "a list of values, its columns at every width, and the words in which a mean is told",
    "judgetool/gui/widgets/painted.py": "what is painted is also said",
    "judgetool/gui/widgets/rows.py": "what every list of rows does, whatever its rows are",
    "judgetool/gui/window.py": "what handlers may use: the window's protocol and its actions",
    "judgetool/hub/connection.py": "what a member can do at a hub, and the values that are sent and read",
    "judgetool/metrics/agreement.py": "the measures of agreement, each with its record and its interval",
    "judgetool/metrics/agreement_sums.py": "sums, and the formulas that are made of them",
    "judgetool/metrics/bounds.py": "intervals of values, and how each rule is bounded",
    "judgetool/metrics/bounds_difference.py": "how the difference of two rankings is bounded, by rules and by trying",
    "judgetool/metrics/comparison.py": "runs against a baseline, and orders against one another",
    "judgetool/metrics/engine.py": "judgments and runs, and their values, kept in step with both",
    "judgetool/metrics/measure.py": "a measure and all of its names, each read and printed",
    "judgetool/metrics/measures_graded.py": "records, nearly all data",
    "judgetool/metrics/measures_rows.py": "records, nearly all data",
    "judgetool/metrics/values.py": "from the terms of a ranking to the means of a run",
    "judgetool/session/board.py": "judgments and what they add up to are renewed together",
    "judgetool/session/charts.py": "one drawing of what charts are: as values and as SVG",
    "judgetool/session/comparing/comparing.py": "one table of systems, from what is compared to each cell",
    "judgetool/session/comparing/pair_bounds.py": "how far a difference can go, and the judgments that move it most",
    "judgetool/session/comparing/query_by_query.py": "differences by query, and the rankings that make them up",
    "judgetool/session/comparing/tables.py": "each table to take along, with the command that prints it again",
    "judgetool/session/comparing/trial.py": "an order or rules that are tried, with the same values",
    "judgetool/session/comparing/verdicts.py": "one verdict: what it follows from, and its words",
    "judgetool/session/deciding.py": "a question with its draws, and what follows from them",
    "judgetool/session/effort.py": "what the log tells of judging, summed up, and as rows to take along",
    "judgetool/session/exports/exporting.py": "all that is written out, and under which names",
    "judgetool/session/finding.py": "chips, and what they let through",
    "judgetool/session/imports/judgments.py": "what becomes of each judgment, and whose counts after it",
    "judgetool/session/imports/matching.py": "ids of a file beside those of the project, known or strange",
    "judgetool/session/imports/plan.py": "what an import would do, as values and in words",
    "judgetool/session/imports/planner.py": "what one import does, from ids and texts to runs and clicks",
    "judgetool/session/jobs.py": "every job that changes the project, and what undoing one does",
    "judgetool/session/queue.py": "an order and the way through it",
    "judgetool/session/session.py": "the one door: what is read, what is written, what follows",
    "judgetool/session/whatifs/book.py": "what-ifs as they are kept, and in memory",
    "judgetool/session/team/merging.py": "one merge: what is refused, what it brings, and every word of it",
    "judgetool/session/team/agreement.py": "who agrees with whom, and what believing one or another does",
    "judgetool/storage/arrival.py": "all that a copy brings, by the same numbers and steps",
    "judgetool/storage/copies.py": "what others write, in their copies and meanwhile, and how it is called here",
    "judgetool/storage/history.py": "steps and moments, and what stood then, told from one log",
    "judgetool/storage/damage.py": "what is torn in a file, found and told, with the ways that lead on",
    "judgetool/storage/hub_lines.py": "what goes to a hub and comes from it, by one mark",
    "judgetool/storage/judgments.py": "judgments, steps and log are written together, and tell what counts",
    "judgetool/storage/material.py": "texts, runs and rankings, and which of several texts of one thing counts",
    "judgetool/storage/project_file.py": "one open file: what is looked at before, its reader and its writer",
    "judgetool/storage/rebuilding.py": "two ways to build a project anew that one recovery takes",
    "judgetool/storage/safety_log.py": "the log: its lines, who writes them, and when a backup joins them",
    "judgetool/storage/recovery.py": "what is known of a lost project, and writing it anew",
}
TEXT = {".py", ".md", ".toml", ".sql", ".css", ".qss", ".json", ".jsonl", ".csv", ".txt", ".svg"}
# Put together here, so that this file is no exception to its own rule.
MACHINE_PATHS = re.compile(
    "(?<![\\w.:/])/(?:" + "|".join(("work", "tmp", "opt", "root", "home")) + ")/"
)
WAITS = re.compile("|".join((r"time\.sl" + "eep", r"qtbot\.wa" + r"it\(", r"QTest\.qW" + "ait")))


def tracked():
    """Return the files of the project, those not yet committed as well."""
    if shutil.which("git") is None:
        pytest.skip("SKIPPED LOUDLY: there is no git on this machine")
    found = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if found.returncode:
        pytest.skip("SKIPPED LOUDLY: this is no git checkout")
    return [
        path
        for name in found.stdout.decode().split("\0")
        if name and (path := ROOT / name).is_file()
    ]


def matches(paths, pattern):
    """Return 'file: text' for each match."""
    return [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in paths
        if path.suffix in TEXT or path.parent.name == ".ci"
        for found in pattern.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]


def test_no_path_of_a_machine():
    """No file names a folder of the machine that it was written on."""
    assert matches(tracked(), MACHINE_PATHS) == []


def test_the_top_level_holds_the_layout_alone():
    """What somebody left there while trying something out is not the project's."""
    found = {path.relative_to(ROOT).parts[0] for path in tracked()}
    named = {name for name in found if not name.startswith(".")}
    layout = {"LICENSE", "README.md", "judgetool", "pyproject.toml", "resources", "tests"}
    assert named == layout


def test_tests_wait_for_facts():
    """No test waits for a time to pass."""
    tests = [path for path in tracked() if path.relative_to(ROOT).parts[0] == "tests"]
    assert matches(tests, WAITS) == []


def test_files_of_the_package_are_short():
    """No module has more than 600 lines, but for those with a reason; none more than 1000."""
    modules = [path for path in tracked() if path.relative_to(ROOT).parts[0] == "judgetool"]
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules
        if path.suffix == ".py"
    }
    long = {name for name, length in lengths.items() if length > MAX_LINES}
    assert long - set(LONGER) == set(), (
        f"more than {MAX_LINES} lines: move what belongs elsewhere, "
        "or say in LONGER of tests/docs/test_repository.py why it is one thing"
    )
    assert set(LONGER) - long == set(), "short enough by now: take them out of LONGER"
    assert max(lengths.values()) <= MOST_LINES, "no reason is good enough"


def test_packages_say_what_belongs_in_them():
    """Every package has a docstring."""
    inits = [path for path in tracked() if path.name == "__init__.py"]
    assert [path for path in inits if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_ci_is_executable():
    """The script that checks all can be started."""
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111


def test_what_is_said_to_take_long_is_there():
    """A test with another name would be tried at every change, without a word."""
    gone = []
    for each in long_tests():
        module, name = each.split("::")
        text = (ROOT / module).read_text(encoding="utf-8") if (ROOT / module).is_file() else ""
        if f"def {name.split('.')[-1]}(" not in text:
            gone.append(each)
    assert gone == [], "tests/long_tests.txt names tests that are not there: keep it anew"
