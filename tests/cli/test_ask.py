"""``judgetool ask``: the table, that it is asked, how far people are, and what is refused."""

from pathlib import Path

import pytest

from tests.helpers.program import RUNS, SAMPLE, call, must


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "recipes.judge"
    must("new", path, "--scale", "0-3")
    must("import", path, "--queries", SAMPLE / "queries.jsonl", "--run", *RUNS)
    return path


def test_who_is_asked_how_much_is_printed_and_asked(project):
    """A line for each, and the same lines as the plan before it."""
    options = (
        "--to",
        "anna",
        "ben",
        "--opinions",
        2,
        "--share",
        0.2,
        "--repeat",
        0.05,
        "--seed",
        7,
    )
    planned = must("ask", project, *options, "--dry-run")
    assert "nothing was changed" in planned.err
    assert (
        must("ask", project, "--status").out
        == "assessor\tasked\tjudged\tseveral\tagain\tjudged again\n"
    )
    asked = must("ask", project, *options)
    assert asked.out == planned.out
    header, *rows = asked.rows
    assert header == ["assessor", "queries", "documents", "several", "again"]
    assert [row[0] for row in rows] == ["anna", "ben"]
    status = must("ask", project, "--status").rows[1:]
    assert [(row[0], row[1], row[4]) for row in status] == [
        (row[0], row[2], row[4]) for row in rows
    ]


def test_names_in_another_order_are_asked_the_same(project):
    """The order of names says nothing."""
    one = must("ask", project, "--to", "ben", "anna", "cem", "--dry-run")
    assert must("ask", project, "--to", "cem", "--to", "anna", "ben", "--dry-run").out == one.out


def test_what_is_judged_is_told_by_the_status(project):
    """Judging closes an ask."""
    must("ask", project, "--to", "anna", "--each", "document")
    query, _, document, *_ = Path(RUNS[0]).read_text().splitlines()[0].split()
    must("judge", project, "--assessor", "anna", stdin=f"{query}\t{document}\t2\n")
    assert must("ask", project, "--status").rows[1][:3] == ["anna", "269", "1"]


def test_json_has_the_same_numbers(project):
    """With names instead of columns."""
    result = must("ask", project, "--to", "anna", "--dry-run", "--format", "json")
    (row,) = result.json["rows"]
    assert row["assessor"] == "anna"
    assert row["documents"] == int(must("ask", project, "--to", "anna").rows[1][2])


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        ((), 2, "Nobody is asked. Name at least one assessor."),
        (("--to", "anna", "--opinions", 2), 2, "2 opinions need as many assessors; 1 is named."),
        (("--to", "anna", "--share", 2), 2, "2.0 is not in the range 0<=x<=1"),
        (("--to", "anna (again)"), 1, "only people are"),
        (("--to", "anna", "--status"), 2, "asks nobody"),
    ],
)
def test_what_cannot_be_asked_is_refused(project, options, code, sentence):
    """In words, with the exit code of what is wrong."""
    result = call("ask", project, *options)
    assert result.code == code
    assert sentence in result.err


def test_asking_the_same_again_changes_nothing(project):
    """All is asked already: said, with exit code 1."""
    must("ask", project, "--to", "anna")
    result = call("ask", project, "--to", "anna")
    assert result.code == 1
    assert "asked already" in result.err


@pytest.mark.parametrize("name", ["anna (again)", "settled"])
def test_names_of_what_is_no_person_are_taken_by_nobody(project, name):
    """Neither judged under, nor opened, nor asked: nothing is written."""
    line = "1\tr001\t2\n"
    for words in (("ask", project, "--to", name), ("open", project, "--assessor", name)):
        shot = ("--screenshot", project.with_name("x.png")) if words[0] == "open" else ()
        refused = call(*words, *shot)
        assert (refused.code, "only people are" in refused.err) == (1, True)
    refused = call("judge", project, "--assessor", name, stdin=line)
    assert (refused.code, refused.out) == (1, "")
    assert must("show", project, "--judgments").rows[1:] == []


def test_second_judgments_are_judged_by_the_person_alone(project):
    """Under the hidden name nothing is acknowledged, also where something is asked again."""
    must("ask", project, "--to", "anna", "--repeat", 0.1)
    query, _, document, *_ = Path(RUNS[0]).read_text().splitlines()[0].split()
    line = f"{query}\t{document}\t2\n"
    assert call("judge", project, "--assessor", "anna (again)", stdin=line).code == 1
    assert must("ask", project, "--status").rows[1][5] == "0"


def test_for_somebody_further_it_says_how_they_get_some(project):
    """With everybody asked once, one more name alone lacks nothing."""
    must("ask", project, "--to", "anna")
    assert "name them beside those asked before" in call("ask", project, "--to", "dan").err
    further = must("ask", project, "--to", "anna", "dan", "--opinions", 2)
    assert [row[0] for row in further.rows[1:] if row[2] != "0"] == ["dan"]


def test_what_somebody_is_asked_is_listed(project):
    """A line for each document with whether it is judged; what comes again is told nowhere."""
    must("ask", project, "--to", "anna", "ben", "--repeat", 0.5)
    header, *rows = must("show", project, "--asked", "anna").rows
    assert header == ["query", "document", "judged"]
    assert str(len(rows)) == must("ask", project, "--status").rows[1][1]
    query, document, _ = rows[3]
    must("judge", project, "--assessor", "anna", stdin=f"{query}\t{document}\t2\n")
    now = must("show", project, "--asked", "anna").rows[1:]
    assert [row for row in now if row[2] == "yes"] == [[query, document, "yes"]]
    assert "There is no assessor ‘dan’" in call("show", project, "--asked", "dan").err


def test_a_name_that_is_nearly_known_is_said_to_be_another(project):
    """Before it is written, too: capitals make somebody else."""
    must("ask", project, "--to", "anna")
    said = "‘Anna’ is new in this project, and another person than ‘anna’."
    assert said in must("ask", project, "--to", "Anna", "ben", "--dry-run").err
    assert "another person" not in must("ask", project, "--to", "anna", "--dry-run").err


def test_values_of_one_assessor_go_by_their_first_judgments(project):
    """While repeats are open and when they are given: as of everybody’s, and as exported."""
    must("ask", project, "--to", "anna", "--repeat", 0.05, "--seed", 7)
    asked = [row[:2] for row in must("show", project, "--asked", "anna").rows[1:]]
    score = ("score", "--project", project, "-m", "nDCG@10", "Judged@10")
    for start, part in (0, asked), (1, asked[: len(asked) // 2]):
        said = "".join(
            f"{query}\t{name}\t{at % 4}\n" for at, (query, name) in enumerate(part, start)
        )
        must("judge", project, "--assessor", "anna", stdin=said)
        assert must(*score, "--assessor", "anna").out == must(*score).out
    again, given = map(int, must("ask", project, "--status").rows[1][4:])
    assert 0 < given < again
