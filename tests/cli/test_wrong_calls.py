"""What is said of a wrong call or of a file that cannot be used: in every language, and in that language."""

import gzip
import os
import re
import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete

from judgetool.cli.main import program
from judgetool.formats.writers import WRITERS
from judgetool.wording import Language, speak
from tests.cli.test_language import all_commands
from tests.helpers.program import QRELS, RUNS, call, must

LANGUAGES = ("en", "de", "ru")
# What Python, click, the system, SQLite and JSON say by themselves.
OF_OTHERS = re.compile(
    r"Errno|No such file|Is a directory|Not a directory|codec|Expecting|malformed|integer|float"
)


_TEXTS = {
    "blank.txt": "\n \n",
    "ids.txt": "nosuch\n",
    "facets.qrels": "1 1 a 1\n1 2 a 1\n2 1 b 1\n",
    "deep.json": "[" * 100_000,
    "digits.json": "1" * 5000,
    "list.json": "[1]",
    "text.json": '{"levels": [{"grade": 0}, {"grade": "x"}]}',
    "shade.json": '{"levels": [{"grade": 0, "shade": 1}, {"grade": 1}]}',
}


@pytest.fixture(params=LANGUAGES)
def language(request, monkeypatch):
    """Each language in turn; English is there again at the end."""
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", request.param)
    yield request.param
    speak(Language())


@pytest.fixture
def german(monkeypatch):
    """German; English is there again at the end."""
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "de")
    yield
    speak(Language())


@pytest.fixture
def files(tmp_path, sample, monkeypatch):
    """Stand in a folder with files that cannot be used."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.txt").write_bytes("dé1 5\n".encode("latin-1"))
    (tmp_path / "cut.json").write_text('{"rules": [', encoding="utf-8")
    for name, text in _TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    must("new", "empty.judge")
    (tmp_path / "sample.judge").write_bytes(sample.read_bytes())
    whole = sample.read_bytes()
    (tmp_path / "damaged.judge").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"1 0 a 2\n" * 99)[:30])
    return tmp_path


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_a_help_has_no_words_of_click(language, words):
    """Kinds of values have a letter, and what stands for options and commands is in the language."""
    said = must(*words, "--help").out
    assert re.findall("INTEGER|FLOAT|RANGE|TEXT", said) == []
    assert ("[OPTIONS]" in said) == (language == "en")
    assert ("[ARGS]" in said) == (language == "en" and isinstance(find(words), click.Group))


def find(words):
    """Return a command by the words by which it is called."""
    command = program
    for word in words:
        command = command.get_command(click.Context(command), word)
    return command


def test_what_a_command_is_for_is_not_cut_short(language):
    """In the list of a group each stands with all of its sentence."""
    rows = re.findall(r"(?m)^  [a-z]+ .*", must("hub", "--help").out)
    assert [row for row in rows if row.endswith(("...", "…"))] == []


def test_names_are_not_broken_at_their_hyphens(language):
    """Whoever copies the name of a format from the help has all of it."""
    words = must("export", "--help").out.replace(",", " ").replace(".", " ").split()
    assert [name for name in WRITERS if name not in words] == []


@pytest.mark.parametrize(
    ("call_words", "code"),
    [
        (("score", QRELS, RUNS[0], "--digits", "x"), 2),
        (("score", QRELS, RUNS[0], "-l", "x"), 2),
        (("backups", "sample.judge", "--restore", "x", "y"), 2),
        (("score", "--project", "sample.judge", "--query-list", "nosuch.txt"), 1),
        (("score", "--project", "sample.judge", "--query-list", "folder"), 1),
        (("score", "--project", "sample.judge", "--query-list", "latin.txt"), 1),
        (("score", QRELS, RUNS[0], "-m", "TBG", "--lengths", "nosuch.txt"), 1),
        (("score", QRELS, RUNS[0], "-m", "TBG", "--lengths", "folder"), 1),
        (("score", QRELS, RUNS[0], "--scale", "cut.json"), 1),
        (("score", QRELS, RUNS[0], "--scale", "deep.json"), 1),
        (("score", "--project", "sample.judge", "--query-list", "blank.txt"), 1),
        (("score", QRELS, RUNS[0], "--query-list", "ids.txt"), 1),
        (("score", "--project", "empty.judge"), 1),
        (("simulate", "facets.qrels", RUNS[0], RUNS[1], "-m", "alpha_nDCG@10"), 2),
        (("rules", "sample.judge", "w", "--from", "deep.json", "--run", "chargrams"), 1),
        (("rules", "sample.judge", "w", "--from", "digits.json", "--run", "chargrams"), 1),
        (("new", "new.judge", "--scale", "digits.json"), 1),
        (("new", "new.judge", "--scale", "list.json"), 1),
        (("new", "new.judge", "--scale", "text.json"), 1),
        (("new", "new.judge", "--scale", "shade.json"), 1),
        (("import", "sample.judge", "--qrels", QRELS, "--id-map", "nosuch.txt"), 1),
        (("import", "sample.judge", "--qrels", "packed.gz", "--strict"), 1),
        (("rules", "sample.judge", "w", "--from", "cut.json", "--run", "chargrams"), 1),
        (("rules", "sample.judge", "w", "--from", "folder", "--run", "chargrams"), 1),
        (("ask-model", "sample.judge", "--assessor", "m", "--command", "nosuchprogram"), 1),
        (("export", "sample.judge", "--beir", "cut.json"), 1),
        (("show", "damaged.judge"), 1),
        (("recover", "damaged.judge", "folder"), 1),
        (("agreement", "sample.judge", "-m", "nosuch"), 2),
    ],
    ids=lambda words: " ".join(map(str, words)) if isinstance(words, tuple) else "",
)
def test_a_refusal_is_a_sentence_of_ours(files, monkeypatch, call_words, code):
    """It ends with its code, has no words of system or library in it, and is another in each language."""
    said = set()
    for each in LANGUAGES:
        monkeypatch.setenv("JUDGETOOL_LANGUAGE", each)
        found = call(*call_words)
        assert found.code == code
        assert OF_OTHERS.findall(found.err) == []
        said.add(found.err.splitlines()[0])
    speak(Language())
    assert len(said) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("score", "a", "b", "--weighted=3"), "‘judgetool score --help’ shows how it is called."),
        (("hub", "claim", "p", "--nosuch"), "‘judgetool hub claim --help’ shows how it is called."),
        (("import", "p.judge", "--qrels"), "Option '--qrels' requires an argument."),
        (("score", "a", "b", "-m"), "Option '--measure' requires an argument."),
        (("hub", "clam"), "There is no command ‘clam’. Did you mean ‘claim’?"),
        (("new", ""), "'PROJECT': the name of a file is expected, and this is empty."),
        (("show", "p", "--runs", "--queries"), "--runs and --queries are two tables."),
        (("show", "p", "--runs", "--asked", "me"), "--runs and --asked are two tables."),
        (("score", "a", "b", "--digits", "99"), "'--digits': 99 is not in the range 0<=x<=17."),
        (("score", "a", "b", "--as-of", "2026-01-01"), "--as-of is for projects"),
        (("score", "--project", "p", "--as-of", "x", "--snapshot", "y"), "two different pasts"),
        (("score", "--project", "p", "-M", "10"), "-M is for files"),
        (("score", "--project", "p", "--model", "m", "-q"), "--model goes without -q"),
        (("agreement", QRELS, "--calibration", "m"), "--calibration is for projects"),
        (("agreement", QRELS, "--where", "x"), "--where is for projects"),
        (("explain", QRELS, "--query", "1", "-m", "AP"), "Expected QRELS and one RUN"),
        (
            ("explain", "--project", "p", "--query", "1", "-m", "AP"),
            "with --run NAME, and no files",
        ),
        (("export", "{sample}", "--out", "x"), "--out goes with --format"),
        (
            ("compare", "--project", "{sample}", "--show", "orders", "--format", "trec"),
            "--show goes with --format text,",
        ),
        (("hub", "release", "p", "--query", "1", "--where", ""), "Either --query or --where."),
        (
            ("compare", "--project", "p", "--show", "queries", "--as-of", "2026-01-01"),
            "--as-of is for the table",
        ),
        (
            ("score", QRELS, RUNS[0], "--preset", "trec_eval", "-m", "utility", "--format", "tsv"),
            "utility can be printed by --format trec alone.",
        ),
        (
            ("score", QRELS, RUNS[0], "--preset", "trec_eval", "-m", "runid", "--format", "tsv"),
            "runid can be printed by --format trec alone.",
        ),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_a_wrong_call_is_told_what_it_lacks(sample, words, said):
    """With the command that was called, not the program."""
    found = call(*(word.format(sample=sample) for word in words))
    assert found.code == 2
    assert said in found.err


def test_behind_two_hyphens_all_are_files():
    """Also what is called as an option is."""
    assert call("score", QRELS, "--", "-m").err.startswith("-m cannot be read")


def test_a_group_alone_shows_its_help():
    """All of it and nothing after it: the examples end as they are to be typed."""
    said = call("hub")
    assert (said.code, said.out) == (2, "")
    assert said.err == must("hub", "--help").out


def test_a_grade_has_no_range_in_the_help():
    """A number without ends names none."""
    assert "-l GRADE" in must("score", "--help").out
    assert "None" not in must("score", "--help").out


def test_standard_input_is_called_so(files):
    """Not by the sign that stands for it."""
    said = call("score", "-", RUNS[0])
    assert said.err.startswith("standard input has no judgments")
    words = ("rules", "sample.judge", "w", "--from", "-", "--run", "chargrams")
    assert call(*words, stdin="{").err.startswith("standard input is no file of rules")


def test_bytes_that_are_no_text_are_no_fault_of_ours(files):
    """A name in another encoding than UTF-8 is refused, and nothing is written."""
    said = call("import", "sample.judge", "--qrels", QRELS, "--assessor", "n\udce4")
    assert said.code == 1
    assert said.err.startswith("What was given is not all UTF-8 text")


def test_a_project_without_anything_says_so(german, empty, tmp_path):
    """What lacks is named, in the language also where the page that was asked for is English."""
    assert call("agreement", empty).err == (
        "empty.judge hat noch keine Anfragen. Importieren Sie zuerst welche.\n"
    )
    said = call("report", empty, tmp_path / "page.html")
    assert said.code == 1
    assert said.err.startswith("empty.judge hat keinen Run")


def test_shells_complete_in_the_language():
    """The words beside commands and options are in it, and ‘--debug’ is among the options."""
    assert "Ein leeres Projekt unter PROJECT anlegen" in completed("de", "n")
    assert "--debug" in completed("de", "--d")


def completed(code, word):
    wanted = {
        "_JUDGETOOL_COMPLETE": "zsh_complete",
        "COMP_WORDS": f"judgetool {word}",
        "COMP_CWORD": "1",
        "JUDGETOOL_LANGUAGE": code,
    }
    done = subprocess.run(
        [sys.executable, "-m", "judgetool"],
        env={**os.environ, **wanted},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("score", "--view", "m"), {"majority", "median", "mean", "min", "max"}),
        (("score", "--preset", "q"), {"quepid"}),
        (("export", "--format", "quepid-b"), {"quepid-book-csv"}),
        (("new", "--scale", "y"), {"yandex"}),
        (("measures", "nD"), {"nDCG"}),
        (("hub", "add", "url", "ben", "--role", "l"), {"lead"}),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_shells_complete_what_an_option_takes(words, wanted):
    """The names that there are, also where more may be written."""
    assert wanted <= {item.value for item in completion(words)}


@pytest.mark.parametrize(
    ("words", "offered"), [(("clam", ""), "hub"), (("hub", "clam", ""), "claim")]
)
def test_shells_complete_after_a_misspelt_command_without_a_traceback(words, offered):
    """What there is is offered."""
    assert offered in {item.value for item in completion(words)}


@pytest.mark.parametrize(
    "words",
    [
        ("recipes",),
        ("score", "q"),
        ("score", "--scale", "own"),
        ("score", "--query-list", "q"),
        ("export", "--qrels", "q"),
        ("effort", "--csv", "q"),
        ("backups", "q"),
        ("recover", "q"),
    ],
    ids=" ".join,
)
def test_shells_complete_files(words):
    """Where one is expected; and of judgetool itself, which opens a project."""
    assert [item.type for item in completion(words)] == ["file"]


def completion(words):
    """Return what a shell is offered for the last of some words."""
    return ShellComplete(program, {}, "judgetool", "").get_completions(list(words[:-1]), words[-1])


def test_closed_streams_are_no_fault_of_ours(sample):
    """Services close them: nothing can be read, what is asked is done, and that what is printed is lost is said."""
    shell = f"{sys.executable} -m judgetool"
    run = lambda line: subprocess.run(line, shell=True, capture_output=True, check=False)  # noqa: E731
    for words in (f"show {sample}", f"score {QRELS} {RUNS[0]} -m AP"):
        lost = run(f"{shell} {words} >&-")
        assert lost.returncode == 1
        assert lost.stderr.decode().splitlines()[-1].startswith("The output cannot be written:")
        assert run(f"{shell} {words} >&- 2>&-").returncode == 0
    project = sample.with_name("judged.judge")
    assert run(f"{shell} new {project} >&-").returncode == 1
    lost = run(f"printf '1\\ta\\t1\\n' | {shell} judge {project} --assessor me >&-")
    assert (lost.returncode, b"Lines 1 to 1 are saved" in lost.stderr) == (1, True)
    assert b"Exception" not in lost.stderr
    assert ["1", "a", "me", "1", "judged"] in must("show", project, "--judgments").rows
    done = run(f"{shell} score - {RUNS[0]} <&-")
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "standard input has no judgments; expected qrels. Nothing was scored.\n",
    )


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_shells_complete_every_option(words):
    """What the help names a shell offers."""
    command = find(words)
    offered = {item.value for item in command.shell_complete(click.Context(command), "--")}
    named = set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", must(*words, "--help").out))
    assert named - offered == set()


def test_an_option_of_one_value_is_not_given_twice(tmp_path):
    """The last one was taken, and the file of the first never written."""
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    words = [word for file in files for word in ("--judgments", file)]
    found = call("export", tmp_path / "none.judge", *words)
    assert (found.code, found.err.splitlines()[0]) == (
        2,
        "‘--judgments’ is given more than once; it takes one value.",
    )
    assert not any(file.exists() for file in files)
