"""Commands speak the language that is chosen; what programs read of them is English always."""

import json
import re

import click
import pytest

from judgetool.cli.main import program
from judgetool.wording import Language, speak
from tests.helpers.program import QRELS, RUNS, call, must


@pytest.fixture
def speaks(monkeypatch):
    """Choose the language of the commands to come; English is there again at the end."""
    yield lambda code: monkeypatch.setenv("JUDGETOOL_LANGUAGE", code)
    speak(Language())


def all_commands():
    """Return the words by which each command is called."""
    found, waiting = [], [((), program)]
    while waiting:
        words, command = waiting.pop()
        found.append(words)
        if isinstance(command, click.Group):
            context = click.Context(command)
            names = command.list_commands(context)
            waiting += [((*words, name), command.get_command(context, name)) for name in names]
    return sorted(found)


def bare_words(text):
    """Return the words of a help text that have no accent where the made language has one.

    Usage, examples, names of commands and options, and their choices are as they are.
    """
    text = re.sub(r"(?s)\A.*?\n\n|\[Éxámplés·+\]:.*|\{.*?\}", "", text)
    text = re.sub(r"(?m)^  -.*?(?=  |$)|^  [a-z-]+  ", "", text)
    text = re.sub(r"défáült:\s+[^·\]]*", "", text)
    return [
        word
        for word in re.findall(r"[^\W\d_]{3,}", text)
        if re.fullmatch("[a-z]*[aceinouyz][a-z]*", word)
    ]


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_no_help_is_bare_english(speaks, words):
    """Every sentence of every command and option is marked, and so is what click says."""
    speaks("xx")
    assert bare_words(must(*words, "--help").out) == []


def test_a_refusal_is_german_and_its_data_line_is_not(speaks, empty):
    """What a program reads of ‘judge’ is the same in any language; what a person reads is theirs."""
    speaks("de")
    said = call("judge", empty, "--assessor", "me", stdin="1\ta\t2\n1\ta\tx\n")
    assert (said.code, said.out) == (1, "ACK 1\n")
    assert said.err == (
        "1 Anfrage-ID, die das Projekt nicht hatte: hinzugefügt.\n"
        "1 Dokument-ID, die das Projekt nicht hatte: hinzugefügt.\n"
        "Standardeingabe, Zeile 2: Der Grad ‚x‘ ist weder eine Zahl wie 2 noch ‚-‘. "
        "Zeile 1 ist gespeichert; diese und was folgt nicht.\n"
    )


def test_a_wrong_call_is_told_in_russian(speaks):
    """What click finds, too, with the names of options as they are."""
    speaks("ru")
    said = call("score", "--digit", "x")
    assert said.code == 2
    assert said.err == (
        "Нет опции «--digit». Может быть, '--digits'?\n"
        "«judgetool score --help» показывает, как её вызывать.\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("score", QRELS, *RUNS, "-m", "AP"),
        *(
            ("compare", QRELS, *RUNS, "-m", "AP", "--format", name)
            for name in ("json", "markdown", "tsv")
        ),
        *(("measures", "nDCG", "--format", name) for name in ("json", "markdown", "tsv")),
        ("explain", QRELS, RUNS[0], "--query", "1", "-m", "AP", "--format", "json"),
    ],
    ids=lambda words: " ".join((words[0], words[-1])),
)
def test_what_programs_read_of_files_is_english(speaks, words):
    """Tables, JSON and pages, with the sentences in them."""
    expected = must(*words).out
    speaks("xx")
    assert must(*words).out == expected


@pytest.mark.parametrize(
    "words",
    [
        *(
            ("show", "--" + what)
            for what in ("judgments", "queries", "runs", "disputes", "decisions")
        ),
        *(("show",), ("runs",), ("project",), ("effort",), ("agreement",), ("check",)),
        *(
            ("export", "--format", name)
            for name in ("judgments-csv", "trec-qrels", "queries-jsonl")
        ),
    ],
    ids=" ".join,
)
def test_what_programs_read_of_a_project_is_english(speaks, sample, words):
    """Each table of it, and each format that it is written in."""
    command = (words[0], sample, *words[1:])
    expected = must(*command).out.replace(f"{sample} is sound.\n", "")
    speaks("xx")
    said = must(*command).out
    assert said[: len(expected)] == expected


def test_a_side_file_is_english_and_what_is_said_of_it_is_not(speaks, empty, tmp_path):
    """The notes of an export stand in one language beside what is lost; at the terminal in one's own."""
    qrels, out = tmp_path / "in.csv", tmp_path / "out.txt"
    qrels.write_text("query_id,doc_id,grade\naa cell,d1,2\n", encoding="utf-8")
    must("import", empty, "--qrels", qrels)
    speaks("de")
    said = must("export", empty, "--qrels", out, "--blanks", "queries").err
    assert "1 Anfrage-ID enthält Leerzeichen" in said
    notes = json.loads((tmp_path / "out.txt.meta.json").read_text(encoding="utf-8"))["notes"]
    assert notes == ["1 query id holds blanks and was written with _ in their place."]


@pytest.mark.parametrize("name", ["rre", "rank-eval-request"])
def test_the_name_of_an_index_is_told_as_it_stands_in_the_file(speaks, sample, tmp_path, name):
    """Also where it is a word that the language has another one for."""
    speaks("de")
    said = must("export", sample, "--format", name, "--out", tmp_path / "out.json").err
    assert "Der Index heißt darin ‚judgments‘" in said


def test_a_comparison_is_read_in_ones_language(speaks):
    """Headings, ranges and how the figures came about, at a terminal; names of runs stay."""
    speaks("xx")
    words = ("compare", QRELS, *RUNS, "-m", "AP", "nDCG@10", "--intervals", "--apart", "chargrams")
    names = {"chargrams", "full", "stem", "title"}
    assert set(bare_words("\n\n" + must(*words, "--tie-margin", 0.1).out)) <= names


@pytest.mark.parametrize("measure", ["nDCG@10", "ERR@5", "AP"])
def test_an_explanation_is_read_in_ones_language(speaks, measure):
    """Heads, sums, what became of unjudged documents and the last line; ids of documents stay."""
    words = ("explain", QRELS, RUNS[0], "--query", "1", "-m", measure, "--unjudged", "left-out")
    documents = {line.split()[-1] for line in must(*words).out.splitlines() if line[:4].isspace()}
    speaks("xx")
    assert set(bare_words("\n\n" + must(*words).out)) <= {measure, "k", "R", "DCG", *documents}


def test_numbers_of_an_explanation_have_the_signs_of_the_language(speaks):
    """In German the division has commas, as the table above it has."""
    speaks("de")
    said = must("explain", QRELS, RUNS[0], "--query", "1", "-m", "nDCG@10").out
    assert re.search(r"\d,\d", said)
    assert not re.search(r"\d\.\d", said)


def test_figures_have_the_signs_of_the_sentences_under_them(speaks):
    """In German a table says −0,3315 as its sentence does, with the same minus; programs read -0.3315."""
    speaks("de")
    words = ("compare", QRELS, *RUNS, "-m", "AP")
    said = must(*words).out
    assert said.count("−0,3315") == 2
    assert "0.3315" not in said
    assert "-0.3315" in must(*words, "--format", "tsv").out


def test_conventions_among_lines_of_data_are_english(speaks):
    """The lines that begin with # stand among what programs read."""
    words = ("score", QRELS, RUNS[0], "-m", "AP", "--explain-conventions")
    expected = must(*words).out
    speaks("xx")
    assert must(*words).out == expected


def test_the_meaning_of_a_measure_is_read_in_ones_language(speaks):
    """With what its parameters may be, in a column of its own."""
    speaks("de")
    lines = must("measures", "RBP").out.splitlines()
    assert "  Bereich       0 bis 1" in lines
    assert "Erlaubt: eine Zahl" in " ".join(lines)
    start = lines.index(next(line for line in lines if line.startswith("  Bedeutung")))
    assert lines[start + 1].index("Wahrscheinlichkeit") == lines[start].index("Relevanter")


def test_an_import_tells_programs_in_english(speaks, empty, tmp_path):
    """Notes and refusals stand in the JSON of its report."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 2\n1 0 b\n2 0 c 9\n", encoding="utf-8")
    words = ("import", empty, "--qrels", path, "--dry-run", "--format", "json")
    expected = call(*words).out
    assert '"refusals": [' in expected
    speaks("xx")
    assert call(*words).out == expected


def test_commands_speak_as_the_window_does(speaks, monkeypatch, own_home):
    """The variable goes before the preference, and that before the machine's language."""
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    for name in ("JUDGETOOL_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    settings = own_home / "judgetool" / "config" / "settings.json"
    settings.parent.mkdir(parents=True)
    heard = []
    for kept in ("system", "de"):
        settings.write_text(json.dumps({"language": kept}), encoding="utf-8")
        heard.append(call("nosuch").err.split()[0])
    monkeypatch.setenv("LC_ALL", "C")
    heard.append(call("nosuch").err.split()[0])
    speaks("ru")
    heard.append(call("nosuch").err.split()[0])
    assert heard == ["Команды", "Es", "There", "Команды"]
    # What is no code, even no name of a file, is passed over.
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    monkeypatch.setenv("LANGUAGE", f"{'a' * 300}:../de:tlh:de")
    monkeypatch.delenv("JUDGETOOL_LANGUAGE")
    settings.unlink()
    assert call("nosuch").err.split()[0] == "Es"


def test_encodings_are_named_in_the_language(speaks, empty, tmp_path):
    """While it is asked in which one a file was saved."""
    (tmp_path / "queries.tsv").write_bytes("q1\tKäse\n".encode("cp1252"))
    speaks("de")
    said = call("import", empty, "--queries", tmp_path / "queries.tsv")
    assert "Westeuropäisch (Windows-1252): q1" in " ".join((said.out + said.err).split())
