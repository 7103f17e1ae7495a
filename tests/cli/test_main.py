"""The program as a whole: help, exit codes, sentences."""

import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from judgetool import __version__
from judgetool.cli.main import COMMANDS, program
from tests.helpers.program import QRELS, RUNS, call, must

CONTEXT = click.Context(program)
NAMES = program.list_commands(CONTEXT)


def test_version_is_the_packages():
    """--version prints judgetool and the package's version."""
    assert must("--version").out == f"judgetool {__version__}\n"


def test_help_lists_every_command():
    """--help names every command with a sentence."""
    text = must("--help").out
    assert all(name in text and COMMANDS[name][1] in text for name in NAMES)


def test_help_is_no_wider_than_one_reads(monkeypatch):
    """However wide the terminal is: 98 columns, as far as no example needs more."""
    monkeypatch.setenv("COLUMNS", "200")
    texts = [must(name, "--help").out.partition("\nExamples:")[0] for name in NAMES]
    assert max(len(line) for text in texts for line in text.splitlines()) == 98


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_examples(name):
    """Each command's help has a usage line, its options and at least one example."""
    text = must(name, "--help").out
    assert text.startswith(f"Usage: judgetool {name} ")
    assert f"  judgetool {name}" in text.partition("Examples:")[2]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(name):
    """No option of any command stands in the help without a word about it."""
    command = program.get_command(CONTEXT, name)
    options = [param for param in command.params if isinstance(param, click.Option)]
    assert all(option.help for option in options)


def test_a_slip_in_a_command_is_answered_with_the_nearest():
    """One letter wrong: the command that was meant is named, and the sentence ends once."""
    found = call("scroe", QRELS)
    assert found.code == 2
    assert found.err.splitlines()[0] == "There is no command ‘scroe’. Did you mean ‘score’?"


def test_a_project_file_alone_is_opened(tmp_path):
    """What a desktop calls for an associated file: the window, with that project."""
    project = tmp_path / "soups.judge"
    must("new", project)
    picture = tmp_path / "window.png"
    must(project, "--screenshot", picture, "--size", "1100x700")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_address_of_a_file_is_opened(tmp_path):
    """Desktops name files by addresses, in which blanks and letters beyond ASCII are numbers."""
    project = tmp_path / "süße Soups.judge"
    must("new", project)
    picture = tmp_path / "window.png"
    must(project.as_uri(), "--screenshot", picture, "--size", "1100x700")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "another machine" in call("open", "file://server/soups.judge").err


def test_one_picture_is_of_one_project(tmp_path):
    """Several projects each have a window of their own; one picture of them all is refused."""
    found = call("open", "a.judge", "b.judge", "--screenshot", tmp_path / "window.png")
    assert (found.code, list(tmp_path.iterdir())) == (2, [])


def test_shells_can_complete():
    """The script for bash is printed; it asks for commands, and gets them."""
    environment = {**os.environ, "_JUDGETOOL_COMPLETE": "bash_source"}
    script = run_program(environment)
    assert "_JUDGETOOL_COMPLETE=bash_complete" in script
    words = {
        "_JUDGETOOL_COMPLETE": "bash_complete",
        "COMP_WORDS": "judgetool ex",
        "COMP_CWORD": "1",
    }
    found = run_program({**os.environ, **words})
    assert found.split() == ["plain,export", "plain,explain"]


def run_program(environment):
    done = subprocess.run(
        [sys.executable, "-m", "judgetool"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_unknown_command_is_a_wrong_usage():
    """A command that there is not ends with 2 and says where to read on."""
    found = call("judgee")
    assert found.code == 2
    assert "judgee" in found.err
    assert "judgetool --help" in found.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--format", "xml", QRELS, RUNS[0]),
        ("score", QRELS),
        ("score", "--nonsense"),
        ("score", QRELS, RUNS[0], "-m", "nDGC@10"),
        ("score", QRELS, RUNS[0], "--scale", "9-0"),
        ("judge", "a.judge"),
        ("export", "a.judge"),
        ("import", "a.judge"),
        ("open", "--size", "big"),
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(arguments):
    """What is called the wrong way ends with 2, says nothing on standard output."""
    found = call(*arguments)
    assert (found.code, found.out) == (2, "")
    assert found.err.strip()


@pytest.mark.parametrize("word", ["error", "invalid", "failed", "please", "!"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--format", "xml", QRELS, RUNS[0]),
        ("score", QRELS),
        ("show", "nowhere.judge"),
        ("nonsense",),
    ],
    ids=" ".join,
)
def test_sentences_blame_nobody(arguments, word):
    """What is said when something does not fit avoids words that blame or alarm."""
    assert word not in call(*arguments).err.lower()


def test_a_fault_of_ours_ends_with_3(monkeypatch):
    """What nobody foresaw is called a fault of judgetool and ends with 3."""
    monkeypatch.setattr("judgetool.cli.explain._lines", lambda _spec: 1 / 0)
    found = call("measures")
    assert found.code == 3
    assert "fault of judgetool" in found.err
    assert "Traceback" not in found.err


def test_debug_shows_where_it_happened(monkeypatch):
    """--debug adds the traceback, wherever it stands on the line."""
    monkeypatch.setattr("judgetool.cli.explain._lines", lambda _spec: 1 / 0)
    assert "Traceback" in call("measures", "--debug").err
    assert "Traceback" in call("--debug", "measures").err


@pytest.fixture(params=["before 1970", "after 2261"])
def wrong_clock(request, monkeypatch):
    """The computer's clock, set to a time that cannot be written down."""

    def tell():
        if request.param == "before 1970":
            return -315_000_000 * 10**9
        raise OverflowError("timestamp too large to convert to C _PyTime_t")

    monkeypatch.setattr(time, "time_ns", tell)


@pytest.mark.parametrize(
    "words",
    [("new", "x.judge"), ("judge", "{empty}", "--assessor", "me"), ("demo", "--screenshot", "x")],
    ids=" ".join,
)
def test_a_wrong_clock_is_named(tmp_path, empty, wrong_clock, words, monkeypatch):
    """No command that needs the time calls a clock far out a fault of its own."""
    monkeypatch.chdir(tmp_path)
    found = call(*(word.format(empty=empty) for word in words), stdin="q\td\t1\n")
    assert found.code == 1
    assert "The clock of this computer" in found.err
    assert "fault" not in found.err


def test_closed_pipe_ends_quietly(sample):
    """When the reader of the output has gone, the command ends without a word."""
    command = [sys.executable, "-m", "judgetool", "show", str(sample), "--judgments"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait() == 0
    assert errors == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new", "{folder}/new.judge"), "Made {folder}/new.judge with the scale 0-3"),
        (("import", "{empty}", "--qrels", "-"), "Written to {empty}: 1 new"),
        (("judge", "{empty}", "--assessor", "me"), "Lines 1 to 1 are saved"),
        (("project", "{empty}", "--counts", "anna=no"), "anna\\tperson\\tno"),
        (("ask", "{empty}", "--to", "bo"), "1 document asked."),
        (("backups", "{empty}", "--restore", "1", "{folder}/x.judge"), "Wrote the backup of"),
        (("recover", "{empty}", "{folder}/x.judge"), "x.judge is complete as far as is known"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_was_done_is_said_though_the_output_cannot_be_written(tmp_path, empty, words, said):
    """On a full disk a command that changes something says the cause, and what it did all the same."""
    must("judge", empty, "--assessor", "anna", stdin="q\td\t1\n")
    must("import", empty, "--run", "-", stdin="q 0 e 1 1 run\n")
    given = {"folder": tmp_path, "empty": empty}
    command = [sys.executable, "-m", "judgetool", *(word.format(**given) for word in words)]
    qrels = "q 0 e 1\n" if words[0] == "import" else "q\te\t1\n"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, input=qrels, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "cannot be written: the disk is full." in done.stderr
    assert said.format(**given) in done.stderr


def test_module_and_script_are_one():
    """`python -m judgetool` is the same program."""
    found = subprocess.run(
        [sys.executable, "-m", "judgetool", "--version"], capture_output=True, text=True, check=True
    )
    assert found.stdout == f"judgetool {__version__}\n"
