"""Disputes: what two who count graded differently, by what hangs on it."""

import random
from functools import partial
from itertools import combinations

import pytest

from judgetool.core.scale import scale_preset
from judgetool.errors import CommandRefusedError
from judgetool.metrics import CONVENTION_PRESETS, Conventions
from judgetool.session.commands import AskOf, Say, WriteAsks, set_conventions, set_measures
from judgetool.session.finding import Filter, matching_documents
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from judgetool.session.team.agreement import counting_assessors, set_counts
from judgetool.session.team.disputes import ask_third, load_disputes, settle
from tests.helpers.program import call, must
from tests.session.test_importing import judgments

QUERIES, DOCUMENTS, NAMES = "pqr", [f"d{number}" for number in range(8)], ("anna", "ben", "cem")


def make(path, seed):
    """A project of three runs that three assessors judged in part; some queries by weight."""
    chance = random.Random(seed)
    create_project(path, scale=scale_preset("0-3"))
    for name in ("x", "y", "z"):
        lines = [
            f"{query} 0 {document} {place + 1} {-place} {name}"
            for query in QUERIES
            for place, document in enumerate(chance.sample(DOCUMENTS, 6))
        ]
        must("import", path, "--run", "-", stdin="\n".join(lines))
    rows = [
        f"{query},{document},{name},{chance.randrange(4)}"
        for query in QUERIES
        for document in DOCUMENTS
        for name in NAMES
        if chance.random() < 0.4
    ]
    must("import", path, "--qrels", "-", stdin="\n".join(["query,document,assessor,grade", *rows]))
    return path


def means(session):
    return [session.board.engine.means(run.run_id)[0].value for run in session.material.runs]


@pytest.mark.parametrize("preset", [None, "trec_eval", "quepid"])
@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "P@2", "RR", "NumRel", "Rprec", "Bpref"])
def test_a_stake_is_what_the_values_do(tmp_path, measure, preset):
    """Each stake, and each pair of runs that turns, is what judging so shows; none is left out."""
    path = make(tmp_path / "p.judge", seed=len(measure))
    with open_project(path, assessor="lead") as session:
        session.execute(set_measures([measure]))
        if preset:
            session.execute(set_conventions(CONVENTION_PRESETS[preset].conventions))
        else:
            session.execute(set_conventions(Conventions(undefined="leave out", is_weighted=True)))
        found = load_disputes(session)
        names = [run.name for run in session.material.runs]
        assert {(each.query, each.document): dict(each.given) for each in found} == differing(
            session
        )
        for each in found:
            tried = []
            for grade in sorted(set(each.given.values())):
                session.execute(Say.grade(each.query, each.document, grade))
                tried.append(means(session))
                session.undo()
            known = [[mean for mean in run if mean is not None] for run in zip(*tried, strict=True)]
            widest = max(max(run) - min(run) for run in known if run)
            assert each.stake == pytest.approx(widest, abs=1e-11)
            turned = {
                frozenset((names[one], names[two]))
                for one, two in combinations(range(len(names)), 2)
                if turns([(run[one], run[two]) for run in tried])
            }
            assert {frozenset(turn) for turn in each.turns} == turned
        keys = [(-each.stake, -each.gap, each.query, each.document) for each in found]
        assert keys == sorted(keys)


def turns(pairs):
    apart = [round(one - two, 12) for one, two in pairs if None not in (one, two)]
    return min(apart) < 0 < max(apart)


def differing(session):
    """The documents with different grades, worked out from what is stored."""
    said = {}
    for query, document, opinion, _ in session.iter_judgments():
        number = {name: key for key, name in enumerate(session.assessors, 1)}[opinion.assessor]
        said.setdefault((query, document), {})[number] = opinion.judgment.grade
    return {pair: given for pair, given in said.items() if len(set(given.values())) > 1}


@pytest.fixture
def small(tmp_path):
    """One query, whose second document anna and ben graded apart by 3, and the first by 1."""
    path = tmp_path / "small.judge"
    must("new", path)
    must("import", path, "--run", "-", stdin="q 0 a 1 3 x\nq 0 b 2 2 x\nq 0 c 3 1 x\n")
    table = (
        "query,document,assessor,grade\nq,a,anna,2\nq,a,ben,3\nq,b,anna,3\nq,b,ben,0\nq,c,anna,1\n"
    )
    must("import", path, "--qrels", "-", stdin=table)
    return path


def ids(session):
    return [session.material.document_id(each.document) for each in load_disputes(session)]


def test_only_those_who_count_dispute(small):
    """Somebody who is left out makes no dispute; brought back, they do. The chip shows the same."""
    with open_project(small, assessor="lead") as session:
        assert ids(session) == ["b", "a"]
        chips = partial(matching_documents, session, 0, [0, 1, 2], [Filter("disputed")])
        assert len(chips()) == 2
        set_counts(session, {"ben": False})
        assert (ids(session), chips()) == ([], [])
        session.undo()
        assert (ids(session), len(chips())) == (["b", "a"], 2)


def test_what_was_settled_is_at_stake_again_once_somebody_differs(small):
    """Both grades given are relevant and the settled one is not: any of them would change P@1."""
    with open_project(small, assessor="lead") as session:
        session.execute(set_measures(["P@1"]))
        query, document = at(session, "a")
        assert {each.document: each.stake for each in load_disputes(session)}[document] == 0
        session.execute(settle(query, document, 0))
    with open_project(small, assessor="ben") as session:
        session.execute(Say.grade(query, document, 1))
        assert {each.document: each.stake for each in load_disputes(session)}[document] == 1


def test_without_runs_the_widest_gap_is_first(tmp_path):
    """Where nothing has a value, the gap decides, then the place."""
    path = tmp_path / "p.judge"
    must("new", path)
    table = "query,document,assessor,grade\nq,a,x,2\nq,a,y,3\nq,b,x,3\nq,b,y,0\nq,c,x,0\nq,c,y,1\n"
    must("import", path, "--qrels", "-", stdin=table)
    with open_project(path, read_only=True) as session:
        assert ids(session) == ["b", "a", "c"]
        assert {each.stake for each in load_disputes(session)} == {0.0}


def test_the_command_prints_them(small):
    """A line for each, with who gave what, what holds, what hangs on it; JSON has the same."""
    (header, first, second) = must("show", small, "--disputes").rows
    assert header == ["query", "document", "grades", "view", "stake", "gap", "turns", "measure"]
    assert first[:4] == ["q", "b", "anna=3 ben=0", "3"]
    assert second[:4] == ["q", "a", "anna=2 ben=3", "3"]
    rows = must("show", small, "--disputes", "--format", "json").json
    assert rows[0]["grades"] == {"anna": 3, "ben": 0}
    assert float(first[4]) == rows[0]["stake"] > rows[1]["stake"] == 0
    assert call("show", small, "--disputes", "--format", "csv").code == 2


def test_stakes_are_by_a_measure_of_the_project(small):
    """The first, or one by its name, however that is written; of others the command says which there are."""
    by_default = must("show", small, "--disputes").rows
    assert [row[7] for row in by_default] == ["measure", "P@5", "P@5"]
    named = must("show", small, "--disputes", "-m", "ndcg_cut_10").rows
    assert {row[7] for row in named[1:]} == {"nDCG@10"}
    assert [row[4] for row in named] != [row[4] for row in by_default]
    refused = call("show", small, "--disputes", "-m", "nDCG@7")
    assert (refused.code, "nDCG@7 is none of the project’s measures" in refused.err) == (1, True)
    assert call("show", small, "--runs", "-m", "AP").code == 2


def test_tables_are_json_too(small):
    """Numbers are numbers there, and nothing is ‘-’ or empty text."""
    rows = must("show", small, "--judgments", "--format", "json").json
    assert rows[0] == {
        "query": "q",
        "document": "a",
        "assessor": "anna",
        "grade": 2,
        "state": "judged",
    }
    assert {row["what"]: row["value"] for row in must("show", small, "--format", "json").json}[
        "judged"
    ] == 3


# Settling


def at(session, document):
    return 0, session.material.find_document(document)


def held(session):
    """What counts in the view, by document id."""
    return {
        session.material.document_id(document): found.grade
        for document, found in session.board.settled(0).items()
    }


@pytest.mark.parametrize("view", ["latest", "majority", "mean", "max"])
def test_what_is_settled_wins_in_every_view(small, view):
    """Whatever others said, before or after; opened again, too. Opinions stay as they are."""
    with open_project(small, assessor="lead") as session:
        opinions = must("show", small, "--judgments").rows
        session.set_view(view)
        session.execute(settle(*at(session, "b"), 1))
        assert held(session)["b"] == 1
        assert must("show", small, "--judgments").rows == sorted(
            [*opinions, ["q", "b", "settled", "1", "judged"]], key=opinions_order(opinions)
        )
    with open_project(small, assessor="ben") as session:
        session.execute(Say.grade(*at(session, "b"), 3))
        session.set_view(view)
        assert held(session)["b"] == 1
        session.set_view("mine")
        assert held(session)["b"] == 3
    with open_project(small, read_only=True) as again:
        again.set_view(view)
        assert held(again)["b"] == 1


def opinions_order(rows):
    head = rows[0]
    return lambda row: (row != head, row[:3])


def test_settling_is_undone_like_a_grade(small):
    """The step is of who settled; Undo brings back what held and the dispute, Redo settles again."""
    with open_project(small, assessor="lead") as session:
        before = (held(session), means(session))
        told = session.execute(settle(*at(session, "b"), 0, reason="three say so"))
        assert told.title == "Settle: grade 0 for b, query q"
        assert ids(session) == ["a"]
        after = (held(session), means(session))
        assert after != before
        said = session.opinions(0)[at(session, "b")[1]]
        assert [each.assessor for each in said][-1] == "settled"
        assert said[-1].judgment.note == "three say so"
        session.undo()
        assert ((held(session), means(session)), ids(session)) == (before, ["b", "a"])
        session.redo()
        assert ((held(session), means(session)), ids(session)) == (after, ["a"])
    with open_project(small, assessor="ben") as session:
        assert session.undo_step.title.startswith("Import")


def test_cannot_judge_settles_too(small):
    """Then no grade holds, as where all cannot judge."""
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), None))
        assert held(session)["b"] is None
        assert ids(session) == ["a"]
        assert session.board.engine.judged_grades(0)[0].tolist() != []


def test_an_opinion_that_changes_opens_it_again(small):
    """Who had graded and grades otherwise disputes it; a note, or who comes later, does not."""
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 1))
    with open_project(small, assessor="ben") as session:
        session.execute(Say.note(*at(session, "b"), "hm"))
        assert ids(session) == ["a"]
    with open_project(small, assessor="cem") as session:
        session.execute(Say.grade(*at(session, "b"), 2))
        assert ids(session) == ["a"]
    with open_project(small, assessor="ben") as session:
        session.execute(Say.grade(*at(session, "b"), 2))
        assert sorted(ids(session)) == ["a", "b"]
        assert held(session)["b"] == 1
        session.execute(Say.grade(*at(session, "b"), 0))
        assert ids(session) == ["a"]
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 2))
        assert ids(session) == ["a"]


def test_nobody_judges_as_what_is_settled(small):
    """A person of that name is refused; where one judged before, what is settled has another name."""
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 1))
    with open_project(small, assessor="settled") as session:
        with pytest.raises(CommandRefusedError, match="under another name"):
            session.execute(Say.grade(*at(session, "a"), 1))
        assert held(session) == {"a": 3, "b": 1, "c": 1}


def test_a_person_called_settled_stays_one(small):
    """Their opinion is one among others, and what is settled is kept beside it."""
    with open_project(small, assessor="lead") as session:
        query, document = at(session, "b")
        ids = session.material.queries[query].id, session.material.document(document).id
        import_readings(session, [judgments([(*ids, 2.0, "settled")])])
        assert len(next(each for each in load_disputes(session) if each.gap == 3).given) == 3
        session.execute(settle(*at(session, "b"), 0))
        assert held(session)["b"] == 0
        assert session.assessors[-1] == "settled (2)"


def test_what_is_settled_is_apart_from_agreement(small):
    """It is nobody's opinion; where it is left out by hand it settles nothing."""
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 1))
        assert "settled" not in counting_assessors(session)
        set_counts(session, {"settled": False})
        assert held(session)["b"] == 3
        assert ids(session) == ["b", "a"]


def test_settled_grades_are_exported_and_scored(small, tmp_path):
    """What leaves the project is what holds."""
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 0))
        session.execute(settle(*at(session, "a"), 1))
    out = tmp_path / "out.txt"
    must("export", small, "--qrels", out)
    assert [line.split()[2:] for line in out.read_text().splitlines()] == [
        ["a", "1"],
        ["b", "0"],
        ["c", "1"],
    ]
    assert must("score", "--project", small, "-m", "CG@2").rows[-1][-1] == "1.0000"
    must("check", small)


def test_a_third_is_who_has_least_to_do(small):
    """Not who judged or settles, nor who is asked already; where nobody is left that is said."""
    with open_project(small, assessor="lead") as session:
        (dispute, other) = load_disputes(session)
        with pytest.raises(CommandRefusedError, match="Everybody who judges in this project"):
            ask_third(session, dispute)
    for name in ("cem", "dan"):
        with open_project(small, assessor=name) as session:
            session.execute(Say.grade(*at(session, "c"), 1))
    with open_project(small, assessor="lead") as session:
        asked = []
        for each in (dispute, other, dispute):
            command = ask_third(session, each)
            session.execute(command)
            asked.append(command.asks[0].assessor)
        assert sorted(asked[:2]) == ["cem", "dan"] == sorted({asked[0], asked[2]})


def test_a_third_is_no_name_in_a_table(small, tmp_path):
    """Whose grades were imported may never open the project; once they are asked by name, they are one."""
    table = tmp_path / "eva.csv"
    table.write_text("query_id,doc_id,assessor,grade\nq,c,eva,1\n")
    must("import", small, "--qrels", table)
    with open_project(small, assessor="lead") as session:
        (dispute, other) = load_disputes(session)
        assert "eva" in session.assessors
        with pytest.raises(CommandRefusedError, match="Everybody who judges in this project"):
            ask_third(session, dispute)
        session.execute(WriteAsks((AskOf(*at(session, "c"), "eva"),), "Ask eva"))
        assert ask_third(session, other).asks[0].assessor == "eva"


def test_what_is_settled_is_recovered(small, tmp_path):
    """From backup and safety log, as what it is; so is who counts."""
    with open_project(small, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 1, reason="so it is"))
        set_counts(session, {"ben": False})
        before = held(session)
    small.unlink()
    must("recover", small, tmp_path / "new.judge")
    with open_project(tmp_path / "new.judge", read_only=True) as again:
        assert (held(again), len(again.standing.final)) == (before, 1)
        assert again.value("counts") == {"ben": False}
    assert must("check", tmp_path / "new.judge").out.endswith("is sound.\n")


def open_again(path):
    """Settle the document that two graded apart by 3, and have one of them change their mind."""
    with open_project(path, assessor="lead") as session:
        session.execute(settle(*at(session, "b"), 1, reason="so it is"))
    with open_project(path, assessor="ben") as session:
        session.execute(Say.grade(*at(session, "b"), 2))
        assert "b" in ids(session)


def test_the_same_outcome_imported_again_settles_what_is_open_again(small):
    """It is later than what opened it; once more there is nothing to write."""
    open_again(small)
    outcome = ("import", small, "--qrels", "-", "--settled")
    table = "query,document,grade\nq,b,1\n"
    assert "0 new, 1 changed." in must(*outcome, stdin=table).out
    with open_project(small, read_only=True) as session:
        assert ids(session) == ["a"]
    assert "nothing was written" in must(*outcome, stdin=table).out
