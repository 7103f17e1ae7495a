"""`judgetool compare` and `report` where two sides are valued by different judgments: no test."""

from dataclasses import replace

import pytest

from judgetool.session.commands import Say, SetScale
from judgetool.session.comparing.comparing import open_comparison
from judgetool.session.comparing.snapshots import create_snapshot, load_snapshots, present_systems
from judgetool.session.opening import open_project
from tests.helpers.builders import make_project, open_sample, simple_parts
from tests.helpers.program import must

RUN, THEN, OTHER_THEN = "chargrams", "chargrams (before)", "title-bm25 (before)"
DIFFERENT = "are valued by different judgments: nothing is tested by P@10."


@pytest.fixture
def project(tmp_path):
    """The sample with a snapshot, and 20 more documents judged since."""
    with open_sample(tmp_path) as session:
        create_snapshot(session, "before")
        judge_more(session)
        return session.path


@pytest.fixture
def unchanged(tmp_path):
    """The sample with a snapshot whose judgments are those of the present."""
    with open_sample(tmp_path) as session:
        create_snapshot(session, "before")
        return session.path


def judge_more(session):
    """Give 20 documents that nobody judged the highest grade."""
    run = session.material.find_run(RUN).run_id
    for query in range(len(session.material.queries)):
        ranked = session.material.ranked_documents(run, query).tolist()[:10]
        fresh = [each for each in ranked if each not in session.board.settled(query)]
        for document in fresh[:4]:
            session.execute(Say.grade(query, document, 3.0))


def compared(project, *systems, measure="P@10", options=()):
    """The only row of a comparison, from JSON."""
    names = ("--run", *systems, "-m", measure, "--format", "json", *options)
    (row,) = must("compare", "--project", project, *names).json["comparisons"]
    return row


@pytest.mark.parametrize("options", [(), ("--intervals",)])
def test_a_run_is_not_better_than_itself(project, options):
    """More judgments raise a mean; no test, no interval and no verdict calls that a better run."""
    row = compared(project, RUN, THEN, options=options)
    assert row["difference"] < 0
    assert {row[name] for name in ("p", "p_holm", "low", "high", "effect")} == {None}
    assert row["tests"] == 0
    assert row["verdict"]["other_queries"] == "not tested"
    assert row["verdict"]["these_queries"] is None
    assert row["verdict"]["sentence"] == f"{THEN} and {RUN} {DIFFERENT}"


def test_it_is_said_how_the_judgments_differ_and_what_to_do(project):
    """How many grades differ, the difference, and how to have a test after all."""
    verdict = compared(project, RUN, THEN)["verdict"]
    count = verdict["graded_otherwise"]
    assert count > 0
    assert f"{count} grades are others, or on one side alone" in verdict["text"]
    assert "Mean difference −0." in verdict["text"]
    assert "compare both as of now, or both of the same snapshot" in verdict["text"]


def test_another_runs_snapshot_is_not_tested_either(project):
    """What two rankings differ by cannot be told from what the judgments differ by."""
    said = must("compare", "--project", project, "--run", RUN, OTHER_THEN, "-m", "P@10").out
    assert f"{OTHER_THEN} and {RUN} {DIFFERENT}" in said
    assert "significant" not in said.split(DIFFERENT)[0]
    assert " is better than " not in said


def test_runs_of_the_same_snapshot_are_tested(project):
    """Both sides have the judgments of its moment; a third of now enters no family of theirs."""
    alone = compared(project, THEN, OTHER_THEN)
    assert alone["p"] is not None
    names = ("--run", THEN, OTHER_THEN, RUN, "-m", "P@10", "--format", "json")
    rows = must("compare", "--project", project, *names).json["comparisons"]
    by_name = {row["run"]: row for row in rows}
    assert by_name[OTHER_THEN]["p_holm"] == alone["p_holm"]
    assert by_name[RUN]["p"] is None


def test_equal_judgments_are_tested_as_before(unchanged):
    """A snapshot whose judgments equal the present ones gives the p of the present run."""
    now = compared(unchanged, RUN, "title-bm25")
    then = compared(unchanged, RUN, OTHER_THEN)
    assert then["p"] == now["p"]
    assert then["verdict"]["graded_otherwise"] == 0


@pytest.fixture
def half_judged(tmp_path):
    """Two runs, a snapshot with one query judged, and a second query judged since."""
    parts = simple_parts()
    ranked = list(parts.runs["alpha"]["q0"])
    parts.runs["beta"] = {each.id: ranked[::-1] for each in parts.queries}
    with make_project(tmp_path, parts) as session:
        session.execute(Say.grade(0, session.material.find_document("d0"), 1.0))
        create_snapshot(session, "before")
        session.execute(Say.grade(1, session.material.find_document("d1"), 1.0))
        return session.path


@pytest.mark.parametrize("run", ["alpha", "beta"])
def test_a_snapshot_of_fewer_queries_is_compared_on_these(half_judged, run):
    """Grades of queries that the difference is not of are no reason for it."""
    row = compared(half_judged, "alpha", f"{run} (before)", measure="nDCG@10")
    assert row["queries"] == 1
    assert row["difference"] == pytest.approx(row["mean"] - row["baseline_mean"])
    assert row["verdict"]["graded_otherwise"] == 0
    over = f"that counts for both; the mean of {run} (before) is over 1, that of alpha over 2."
    assert over in row["verdict"]["text"]


def test_means_over_other_queries_are_never_the_best(half_judged):
    """One that is over an easier half would win by that alone."""
    with open_project(half_judged, read_only=True) as session:
        now, then = present_systems(session), load_snapshots(session)[0].systems
        table = open_comparison(session, [*now, *then], None, now[0])
        best = {row.system.key for row in table.rows for cell in row.cells if cell.is_best}
        assert best
        assert best <= {each.key for each in now}


def test_means_of_other_judgments_are_never_the_best(tmp_path):
    """A run of before, when some of its documents were not judged, is none of the best now."""
    with open_sample(tmp_path) as session:
        create_snapshot(session, "before")
        session.execute(Say.grade(0, fresh_document(session), 0.0))
        now, then = present_systems(session), load_snapshots(session)[0].systems
        table = open_comparison(session, [*now, *then], None, now[0])
        best = {row.system.key for row in table.rows for cell in row.cells if cell.is_best}
        assert best <= {each.key for each in now}
        alone = open_comparison(session, [now[0], then[0]], None, now[0])
        assert not any(cell.is_best for row in alone.rows for cell in row.cells)


def test_a_grade_given_and_taken_back_is_no_difference(tmp_path):
    """What counts is the grades, not what was said meanwhile."""
    with open_sample(tmp_path) as session:
        create_snapshot(session, "before")
        session.execute(Say.grade(0, fresh_document(session), 3.0))
        session.undo()
        session.execute(Say.note(0, next(iter(session.board.settled(0))), "seen again"))
    assert compared(session.path, RUN, OTHER_THEN)["p"] is not None


def fresh_document(session):
    """A document of the first query that nobody judged."""
    ranked = session.material.ranked_documents(session.material.find_run(RUN).run_id, 0).tolist()
    return next(each for each in ranked if each not in session.board.settled(0))


def test_another_scale_is_other_judgments(tmp_path):
    """The same grades count otherwise when fewer of them are relevant."""
    with open_sample(tmp_path) as session:
        create_snapshot(session, "before")
        session.execute(SetScale(replace(session.scale, relevant_from=3.0)))
    verdict = compared(session.path, RUN, THEN)["verdict"]
    assert verdict["other_queries"] == "not tested"
    assert verdict["has_other_scale"]
    assert "grades are read by another scale" in verdict["text"]


def test_what_reads_no_judgments_is_not_said_to_be_valued_otherwise(project):
    """How much a run retrieves depends on no judgment: its difference has an interval."""
    found = compared(project, RUN, THEN, measure="NumRet")
    assert (found["low"], found["high"]) == (0.0, 0.0)
    assert found["verdict"]["text"].startswith("Not tested: it counts documents")


def test_the_list_of_queries_says_so(project):
    """What is shown query by query has the differences, and why nothing is tested."""
    names = ("--run", THEN, "--baseline", RUN, "-m", "P@10", "--show", "queries")
    found = must("compare", "--project", project, *names, "--format", "json").json
    assert "valued by different judgments: nothing is tested" in " ".join(found["sentences"])


def test_a_snapshot_says_its_own_view(project):
    """Its values are by the view of its moment, whatever is asked for now."""
    asked = (
        "score",
        "--project",
        project,
        "--snapshot",
        "before",
        "-m",
        "P@10",
        "--format",
        "json",
    )
    assert must(*asked, "--view", "majority").json["view"] == "latest"
