"""Who counts: one value of the project, which every fold of judgments follows."""

from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Said, view_rule
from judgetool.formats import read_text
from judgetool.session.commands import AskOf, Say, WriteAsks
from judgetool.session.comparing.snapshots import create_snapshot, load_snapshots, snapshot_key
from judgetool.session.finding import matching_documents, parse_filters
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.team.agreement import counting_assessors, set_counts
from judgetool.storage.values import number_assessor
from tests.helpers.laws import examples
from tests.helpers.program import must

TABLE = """query,document,assessor,grade
1,d1,ben,1
1,d2,ben,3
1,d1,gpt,3
1,d3,gpt,2
2,d4,cem,1
"""


def bring(session, table):
    return import_readings(session, [read_text(table)])


def grades(session):
    """What counts in the view, by query and document id."""
    ids = session.material.document_id
    queries = session.material.queries
    return {
        (queries[query].id, ids(document)): found.grade
        for query, settled in session.board.book.all_settled().items()
        for document, found in settled.items()
    }


def means(session):
    return [
        mean.value
        for run in session.material.runs
        for mean in session.board.engine.means(run.run_id)
    ]


@pytest.fixture
def judged(session):
    """Ben and Cem judged, and a model; anna is here."""
    session.write(lambda connection: number_assessor(connection, "gpt", kind="model"))
    bring(session, TABLE)
    return session


PEOPLES = {("1", "d1"): 1, ("1", "d2"): 3, ("2", "d4"): 1}


def test_a_model_does_not_count_until_somebody_says_so(judged):
    """What a model says is kept, and enters neither views nor progress; taken in, it does; undone, not."""
    assert grades(judged) == PEOPLES
    assert judged.board.progress(0).judged == 2
    assert counting_assessors(judged) == ["ben", "cem"]
    told = set_counts(judged, {"gpt": True})
    assert (told.values, told.title) == ({"counts"}, "Count gpt’s judgments")
    assert grades(judged) == PEOPLES | {("1", "d1"): 3, ("1", "d3"): 2}
    assert judged.board.progress(0).judged == 3
    assert set_counts(judged, {"gpt": True}) is None
    judged.undo()
    assert grades(judged) == PEOPLES
    assert judged.board.progress(0).judged == 2


def test_somebody_left_out_and_brought_back(judged):
    """Values are as if they had never judged; back, they are as before, and nothing is stored."""
    before = means(judged)
    set_counts(judged, {"ben": False})
    assert grades(judged) == {("2", "d4"): 1}
    assert means(judged) != before
    set_counts(judged, {"ben": True})
    assert (grades(judged), means(judged)) == (PEOPLES, before)
    assert judged.value("counts") is None


def test_ones_own_judgments_are_ones_own(judged):
    """The view of one's own judgments does not ask who counts."""
    query, document = 0, judged.material.find_document("d1")
    judged.execute(Say.grade(query, document, 2))
    set_counts(judged, {"anna": False})
    assert grades(judged)["1", "d1"] == 1
    judged.set_view("mine")
    assert grades(judged) == {("1", "d1"): 2}


def test_who_is_left_out_before_judging_stays_so(project_path):
    """A first judgment of somebody who was left out before they judged does not count."""
    with open_project(project_path, assessor="anna") as session:
        bring(session, TABLE)
        set_counts(session, {"ben": False})
        for _ in range(2):
            session.undo()
    with open_project(project_path, assessor="ben") as session:
        session.redo()
        session.redo()
        session.execute(Say.grade(1, session.material.find_document("d5"), 3))
        assert ("2", "d5") not in grades(session)
    with open_project(project_path) as again:
        assert ("2", "d5") not in grades(again)


def test_every_command_follows(judged, tmp_path):
    """What is scored, compared, exported, counted and agreed on is what counts."""
    path, out = judged.path, tmp_path / "out.txt"
    with_model = {name: read(path, out) for name, read in READS.items()}
    set_counts(judged, {"ben": False})
    without_ben = {name: read(path, out) for name, read in READS.items()}
    for name, found in with_model.items():
        assert found != without_ben[name], name
    set_counts(judged, {"ben": True})
    assert {name: read(path, out) for name, read in READS.items()} == with_model
    assert READS["qrels"](path, out) == [
        ["1", "0", "d1", "1"],
        ["1", "0", "d2", "3"],
        ["2", "0", "d4", "1"],
    ]


def command(*words):
    return lambda path, _out: must(*(path if word == "P" else word for word in words)).rows


def qrels(path, out):
    must("export", path, "--qrels", out)
    return [line.split() for line in out.read_text().splitlines()]


READS = {
    "score": command("score", "--project", "P", "-m", "AP", "-m", "nDCG@10"),
    "compare": command("compare", "--project", "P", "-m", "AP", "--format", "tsv"),
    "queries": command("show", "P", "--queries"),
    "summary": command("show", "P"),
    "explain": command("explain", "--project", "P", "--run", "a", "--query", "1", "-m", "AP"),
    "qrels": qrels,
}


def test_the_files_beside_say_that_somebody_is_left_out(judged, tmp_path):
    """Who reads an exported file learns that not all judgments are in it."""
    out = tmp_path / "out.txt"
    must("export", judged.path, "--qrels", out)
    said = "Judgments of 1 assessor who does not count are left out."
    assert said in (tmp_path / "out.txt.meta.json").read_text()
    set_counts(judged, {"gpt": True})
    must("export", judged.path, "--qrels", out)
    assert "left out" not in (tmp_path / "out.txt.meta.json").read_text()


def test_agreement_is_between_those_who_count(judged):
    """Nobody who is left out is asked, unless they are named."""
    query, document = 0, judged.material.find_document("d1")
    judged.execute(Say.grade(query, document, 1))
    agree = partial(must, "agreement", judged.path, "-m", "agree", "--by", "pair")
    assert [row[1] for row in agree().rows] == ["anna|ben", "all"]
    assert [row[1] for row in agree("--assessor", "anna", "--assessor", "gpt").rows] == [
        "anna|gpt",
        "all",
    ]
    set_counts(judged, {"gpt": True})
    assert [row[1] for row in agree().rows] == ["anna|ben", "anna|gpt", "ben|gpt", "all"]


def test_the_effect_believes_who_is_named(judged):
    """A model that does not count is believed where it is named; the view is without it."""
    query, document = 0, judged.material.find_document("d1")
    judged.execute(Say.grade(query, document, 1))
    words = ("agreement", judged.path, "--effect", "-m", "CG@2")
    rows = {row[1]: row[2] for row in must(*words, "--assessor", "anna", "--assessor", "gpt").rows}
    score = must("score", "--project", judged.path, "-m", "CG@2", "--run", "a").rows[0][2]
    assert (rows["run:a"], rows["run:a without:gpt"]) == (score, score)
    assert float(rows["run:a only:gpt"]) > float(rows["run:a only:anna"]) == float(score)


def test_a_snapshot_keeps_who_counted(judged):
    """What was frozen does not change when somebody is left out later."""
    create_snapshot(judged, "then")
    snapshot = load_snapshots(judged)[0]
    system = next(each for each in snapshot.systems if each.name == "a")

    def frozen():
        board, key = snapshot_key(judged, system)
        return [mean.value for mean in board.engine.means(key)]

    before = frozen()
    set_counts(judged, {"ben": False})
    create_snapshot(judged, "later")
    assert frozen() == before
    with open_project(judged.path, read_only=True) as again:
        board, key = snapshot_key(again, system)
        assert [mean.value for mean in board.engine.means(key)] == before


WHO = st.sampled_from(["anna", "ben", "cem"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("grade"), WHO, st.sampled_from(["d1", "d2"]), st.integers(0, 3)),
        st.tuples(st.just("count"), WHO, st.booleans()),
        st.tuples(st.just("undo"), WHO),
    ),
    max_size=9,
)


@settings(max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.sampled_from(["latest", "majority", "max"]))
def test_what_is_shown_is_the_fold_of_those_who_count(tmp_path_factory, steps, view):
    """After any changes the board, and the project opened again, are what the rule makes of those who count."""
    path = tmp_path_factory.mktemp("law") / "p.judge"
    must("new", path)
    must("import", path, "--run", "-", stdin="1 0 d1 1 2 a\n1 0 d2 2 1 a\n")
    for step in steps:
        with open_project(path, assessor=step[1]) as session:
            session.set_view(view)
            take(session, step)
            shown = grades(session)
        with open_project(path, read_only=True) as again:
            again.set_view(view)
            assert grades(again) == shown == expected(again, view)


def take(session, step):
    if step[0] == "grade":
        session.execute(Say.grade(0, session.material.find_document(step[2]), step[3]))
    elif step[0] == "undo":
        if session.undo_step.kind != "import":
            session.undo()
    elif step[1] in session.assessors:
        set_counts(session, {step[1]: step[2]})


def expected(session, view):
    """The fold worked out anew from what is stored."""
    said = {}
    left_out = {name for name, counts in (session.value("counts") or {}).items() if not counts}
    for query, document, opinion, at in session.iter_judgments():
        if opinion.assessor not in left_out:
            key = session.material.queries[query].id, session.material.document_id(document)
            said.setdefault(key, []).append(Said(opinion.judgment.grade, at, at))
    return {key: view_rule(view).fold(entries) for key, entries in said.items()}


def test_flags_are_of_who_counts_and_ones_own(judged):
    """A model's flag is shown by no list and found by no chip, but by its name; counting, it is."""
    line = (
        '{"query": "1", "document": "%s", "assessor": "%s", "state": "unjudged", "flagged": true}\n'
    )
    bring(judged, line % ("d2", "gpt") + line % ("d9", "anna"))
    assert flagged(judged) == {"d9"}
    assert found_by(judged, "by:gpt flagged") == {"d2"}
    judged.execute(Say.flag(0, judged.material.find_document("d9"), flagged=False))
    assert (flagged(judged), judged.has_flag(0), judged.flagged_queries()) == (set(), False, set())
    set_counts(judged, {"gpt": True})
    assert (flagged(judged), judged.has_flag(0), judged.flagged_queries()) == ({"d2"}, True, {0})
    judged.set_view("mine")
    assert (flagged(judged), judged.has_flag(0), judged.flagged_queries()) == (set(), False, set())


def test_flags_of_others_are_hidden_where_one_is_asked(project_path):
    """Of what they are asked the assessor sees their own words alone, until it is judged."""
    with open_project(project_path, assessor="ben") as session:
        d1 = session.material.find_document("d1")
        session.execute(Say.flag(0, d1, flagged=True))
        session.execute(WriteAsks((AskOf(0, d1, "anna"),), "Ask"))
    with open_project(project_path, assessor="anna") as session:
        session.set_view("latest")
        assert (flagged(session), session.has_flag(0)) == (set(), False)
        session.execute(Say.grade(0, d1, 1))
    with open_project(project_path, assessor="anna") as session:
        session.set_view("latest")
        assert (flagged(session), session.has_flag(0)) == ({"d1"}, True)


def flagged(session):
    return found_by(session, "flagged")


def found_by(session, text):
    """The documents of the first query that chips let through."""
    documents = [session.material.find_document(f"d{number}") for number in (1, 2, 3, 9)]
    numbers = matching_documents(session, 0, np.array(documents), parse_filters(text))
    return {session.material.document_id(number) for number in numbers}
