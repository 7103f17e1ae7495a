"""`judgetool compare`, `score`, `explain` and `report` of a what-if with assumed grades: no test, and said so."""

import html
import re

import pytest

from judgetool.session.opening import open_project
from judgetool.session.whatifs.book import load_query_steps, load_whatifs
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.helpers.builders import open_sample
from tests.helpers.program import must

RUN, DREAMT = "chargrams", "dreamt"
APART = "are valued by different grades, assumed ones among them: nothing is tested by nDCG@10."
N_QUERIES = 3


@pytest.fixture
def project(tmp_path):
    """The sample with a what-if of the same rankings as a run, and assumed grades of its own."""
    with open_sample(tmp_path) as session:
        run = session.material.find_run(RUN).run_id
        whatif = create_whatif(session, DREAMT, run)
        assume(session, run, whatif)
        return session.path


@pytest.fixture
def twice(tmp_path):
    """The same with a second what-if, of which the same is assumed."""
    with open_sample(tmp_path) as session:
        run = session.material.find_run(RUN).run_id
        for name in (DREAMT, "dreamt alike"):
            assume(session, run, create_whatif(session, name, run))
        return session.path


def assume(session, run, whatif):
    """Assume the highest grade of the first unjudged document of the first queries with one in the top."""
    n_assumed = 0
    for query in range(len(session.material.queries)):
        ranked = session.material.ranked_documents(run, query).tolist()[:10]
        fresh = [each for each in ranked if each not in session.board.settled(query)]
        if fresh and n_assumed < N_QUERIES:
            assume_grade(session, whatif, query, fresh[0], 3.0)
            n_assumed += 1


def compared(project, *systems, options=()):
    """The only row of a comparison, from JSON."""
    names = ("--run", *systems, "-m", "nDCG@10", "--format", "json", *options)
    (row,) = must("compare", "--project", project, *names).json["comparisons"]
    return row


@pytest.mark.parametrize("options", [(), ("--intervals",)])
@pytest.mark.parametrize("order", [(RUN, DREAMT), (DREAMT, RUN)])
def test_a_ranking_is_not_better_than_itself(project, order, options):
    """Assumed grades move a mean; no test, no bounds and no verdict calls that a better run."""
    row = compared(project, *order, options=options)
    assert row["difference"] != 0
    figures = ("p", "p_holm", "low", "high", "effect", *(("min", "max") if options else ()))
    assert {row[name] for name in figures} == {None}
    assert row["tests"] == 0
    assert row["verdict"]["sentence"] == f"{order[1]} and {order[0]} {APART}"
    assert row["verdict"]["these_queries"] is None
    assert row["verdict"]["other_queries"] == "not tested"


def test_it_is_said_how_many_grades_are_assumed(project):
    """Of the grades that differ all are assumed, and there is a way to a test."""
    verdict = compared(project, RUN, DREAMT)["verdict"]
    # The third is of a query that counts for the what-if alone.
    assert verdict["graded_otherwise"] == verdict["assumed"] == N_QUERIES - 1
    assert f"{N_QUERIES - 1} of them are only assumed" in verdict["text"]
    assert f"the mean of {DREAMT} is over 20, that of {RUN} over 19" in verdict["text"]
    assert "judge what is assumed, or assume it no more" in verdict["text"]


def test_what_is_assumed_alike_is_tested(twice):
    """Two of which the same is assumed are equal: their difference is 0 within its bounds."""
    row = compared(twice, DREAMT, "dreamt alike", options=("--intervals",))
    assert (row["difference"], row["min"], row["max"], row["p"]) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("command", ["score", "compare"])
def test_every_table_names_assumed_grades(project, command):
    """Who reads the figures is told that some count grades that nobody gave."""
    done = must(command, "--project", project, "--run", RUN, DREAMT, "-m", "nDCG@10")
    said = f"The figures of {DREAMT} count {N_QUERIES} assumed grades that nobody judged"
    assert said in done.err
    assert RUN not in done.err


@pytest.mark.parametrize("what", ["--effect", "--queries"])
def test_what_rules_do_names_assumed_grades(project, what):
    """They count in the means with and without the rules."""
    done = must("rules", project, DREAMT, what)
    assert f"The figures of {DREAMT} count {N_QUERIES} assumed grades that nobody" in done.err


def test_a_table_of_values_counts_assumed_grades(project):
    """A program reads of each run how many there are."""
    names = ("--run", RUN, DREAMT, "-m", "nDCG@10", "--format", "json")
    runs = must("score", "--project", project, *names).json["runs"]
    assert [each["assumed"] for each in runs] == [0, N_QUERIES]


def test_an_interval_takes_no_assumed_grade_for_certain(project, tmp_path):
    """Judged otherwise than was assumed, a mean stays between the ends that were said before."""
    options = ("--run", DREAMT, "-m", "nDCG@10", "P@10", "--intervals", "--format", "json")
    (told,) = must("score", "--project", project, *options).json["runs"]
    qrels = tmp_path / "judged.qrels"
    qrels.write_text(
        "".join(f"{query} 0 {document} 0\n" for query, document in assumed_in(project))
    )
    must("import", project, "--qrels", qrels)
    (judged,) = must("score", "--project", project, *options).json["runs"]
    assert judged["assumed"] == 0
    for name, mean in told["means"].items():
        assert mean["min"] <= judged["means"][name]["value"] < mean["value"] <= mean["max"]


def assumed_in(project):
    """The ids of queries and documents of which a grade is assumed."""
    with open_project(project, read_only=True) as session:
        (whatif,) = load_whatifs(session)
        for place, query in enumerate(session.material.queries):
            for document in load_query_steps(session, whatif.id, place).grades:
                yield query.id, session.material.document_id(document)


def test_an_assumed_grade_is_not_explained_as_judged(project):
    """It stands in brackets, and is counted among what nobody judged."""
    query = "--query", query_with_assumed(project)
    names = ("--project", project, *query, "-m", "nDCG@10")
    assumed = must("explain", *names, "--run", DREAMT).out
    judged = must("explain", *names, "--run", RUN).out
    assert "(3)" in assumed
    assert "A grade in brackets is assumed" in assumed
    (count,) = re.findall(r"(\d+ of \d+ unjudged)", judged)
    assert f"{count}; of 1 of them a grade is assumed" in assumed
    assert "(3)" not in judged


def query_with_assumed(project):
    """The id of the first query in which a grade is assumed: the same ranking has another value."""
    names = ("--run", RUN, DREAMT, "-m", "nDCG@10", "-q", "--format", "json")
    one, two = must("score", "--project", project, *names).json["runs"]
    return next(each for each in one["queries"] if one["queries"][each] != two["queries"][each])


def test_a_report_says_the_same(project, tmp_path):
    """No bounds that the difference is outside of, no p, no verdict, and the assumed grades."""
    page = tmp_path / "page.html"
    names = ("--run", DREAMT, "--against", RUN, "-m", "nDCG@10")
    must("report", project, page, *names)
    text = html.unescape(page.read_text(encoding="utf-8"))
    assert f"{DREAMT} and {RUN} {APART}" in text
    assert f"{N_QUERIES} assumed, what-if of {RUN}" in text
    (row,) = re.findall(r"nDCG@10</th>((?:<td>[^<]*</td>)+)</tr>", text)
    cells = re.findall(r"<td>([^<]*)</td>", row)
    # The interval, the bounds, p, p corrected and the effect.
    assert set(cells[2:7]) == {"–"}
    assert cells[-1] == "not tested"


def test_a_report_against_the_whatif_names_its_assumed_grades(project, tmp_path):
    """The baseline's assumed grades are told beside its name, too."""
    page = tmp_path / "page.html"
    must("report", project, page, "--run", RUN, "--against", DREAMT, "-m", "nDCG@10")
    text = page.read_text(encoding="utf-8")
    assert f"baseline, {N_QUERIES} assumed" in text


def test_rankings_beside_each_other_have_assumed_grades_in_brackets(project):
    """They are told from judged ones, as in the window."""
    query = query_with_assumed(project)
    names = ("--run", RUN, DREAMT, "--show", "rankings", "--query", query, "-m", "nDCG@10")
    said = must("compare", "--project", project, *names).out
    assert said.count("(3)") == 1
