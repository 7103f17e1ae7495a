"""``judgetool score --model``: means over all queries from a model's grades and people's sample."""

import numpy as np
import pytest

from judgetool.core.judgments import Query
from judgetool.metrics import estimate_mean, evaluate, parse_measure, place_values
from judgetool.session.opening import open_project
from judgetool.session.team.agreement import set_counts
from judgetool.session.team.asking import pool_pairs
from judgetool.session.team.sample import draw_sample, find_sample
from tests.helpers.builders import Parts, make_project
from tests.helpers.program import call, must

N_QUERIES, N_DOCUMENTS = 12, 5
MEASURES = ("nDCG@3", "P@2", "AP")


@pytest.fixture
def grades():
    """People's grades of all, and the model's: by query and document."""
    random = np.random.default_rng(4)
    people = random.integers(0, 4, (N_QUERIES, N_DOCUMENTS))
    model = np.clip(people + random.integers(-1, 2, people.shape), 0, 3)
    return [
        {
            f"q{q}": {f"d{d}": float(given[q, d]) for d in range(N_DOCUMENTS)}
            for q in range(N_QUERIES)
        }
        for given in (people, model)
    ]


@pytest.fixture
def weights():
    """What each query counts."""
    return [1.0] * N_QUERIES


@pytest.fixture
def project(tmp_path, grades, weights):
    """All judged by the model, nothing by people."""
    ranked = [f"d{d}" for d in range(N_DOCUMENTS)]
    runs = {
        "up": {f"q{q}": ranked for q in range(N_QUERIES)},
        "down": {f"q{q}": ranked[::-1] for q in range(N_QUERIES - 1)},
    }
    queries = [Query(f"q{q}", f"soup {q}", weight=weights[q]) for q in range(N_QUERIES)]
    parts = Parts(queries, runs=runs)
    with make_project(tmp_path, parts) as session:
        path = session.path
    lines = [f"{q} 0 {d} {grade:g}" for q, said in grades[1].items() for d, grade in said.items()]
    (tmp_path / "m.qrels").write_text("\n".join(lines) + "\n")
    must("import", path, "--qrels", tmp_path / "m.qrels", "--assessor", "m", "--kind", "model")
    return path


def draw(project, each, n, seed=7):
    """Ask anna for a sample, and return what she is to judge."""
    must("ask", project, "--to", "anna", "--each", each, "--sample", n, "--seed", seed)
    with open_project(project, read_only=True) as session:
        return find_sample(session).pairs(pool_pairs(session))


def judge(project, pairs, grades):
    lines = [f"{query}\t{document}\t{grades[query][document]:g}\n" for query, document in pairs]
    must("judge", project, "--assessor", "anna", stdin="".join(lines))


def score(project, *words, model="m"):
    measures = [word for name in MEASURES for word in ("-m", name)]
    return call("score", "--project", project, *measures, "--model", model, "--intervals", *words)


def ranking(run, query):
    found = [f"d{d}" for d in range(N_DOCUMENTS)]
    if run == "up":
        return found
    return found[::-1] if query != f"q{N_QUERIES - 1}" else []


def values(grades, run, measure):
    """By query, as evaluate() of plain dictionaries has them; 0 where the run lacks the query."""
    found = evaluate(
        grades,
        {query: ranked for query in grades if (ranked := ranking(run, query))},
        measure,
        scale=None,
    )
    places = [found.queries.index(query) for query in grades]
    return found.values[places, 0].filled(0.0)


def test_the_estimate_of_a_sample_of_queries(project, grades):
    """For each run and measure it is that of the values by query, and beside it people's alone."""
    pairs = draw(project, "query", 5)
    assert len(pairs) == 5 * N_DOCUMENTS
    judge(project, pairs, grades[0])
    rows = score(project, "--format", "json").json["rows"]
    chosen = {query for query, _ in pairs}
    for row in rows:
        run = row["scope"].removeprefix("run:").removesuffix(" people")
        people, model = (values(each, run, row["measure"]) for each in grades)
        sampled = np.where([query in chosen for query in grades[0]], people, np.nan)
        alone = row["scope"].endswith(" people")
        found = estimate_mean(sampled, None if alone else model)
        assert (row["value"], row["low"], row["high"]) == pytest.approx(found[:3])
        assert (row["n"], row["n_all"]) == (5, N_QUERIES)
    assert len(rows) == 2 * 2 * len(MEASURES)


@pytest.mark.parametrize("weights", [[1.0 + q % 4 for q in range(N_QUERIES)]], ids=["1 to 4"])
def test_queries_of_a_sample_count_by_their_importance(project, grades, weights):
    """The mean is of values times what the query counts, which is 1 on average."""
    pairs = draw(project, "query", 5)
    judge(project, pairs, grades[0])
    rows = score(project, "--weighted", "--run", "up", "--format", "json").json["rows"]
    row = next(row for row in rows if (row["measure"], row["scope"]) == ("AP", "run:up"))
    shares = np.array(weights) / np.mean(weights)
    people, model = (values(each, "up", "AP") * shares for each in grades)
    chosen = {query for query, _ in pairs}
    sampled = np.where([query in chosen for query in grades[0]], people, np.nan)
    found = estimate_mean(sampled, model)
    assert (row["value"], row["low"], row["high"]) == pytest.approx(found[:3])


def test_the_estimate_of_a_sample_of_documents(project, grades):
    """Of P@k each ranked document adds its own, of those that can; of others it says what to draw."""
    pairs = draw(project, "document", 20)
    judge(project, pairs, grades[0])
    outcome = score(project, "--run", "up", "--format", "json")
    by_name = {(row["measure"], row["scope"]): row for row in outcome.json["rows"]}
    added = [
        np.array(
            [
                place_values(parse_measure("P@2"), np.array(list(said.values())), None)
                for said in each.values()
            ]
        ).ravel()
        for each in grades
    ]
    every = [(query, document) for query in grades[0] for document in grades[0][query]]
    is_drawn = np.array([pair in set(pairs) for pair in every])
    is_in_reach = np.tile(np.arange(N_DOCUMENTS) < 2, N_QUERIES)
    people, model = (each[is_in_reach] * 2 for each in added)
    found = estimate_mean(np.where(is_drawn[is_in_reach], people, np.nan), model)
    row = by_name["P@2", "run:up"]
    assert (row["n"], row["n_all"]) == (np.count_nonzero(is_drawn & is_in_reach), 2 * N_QUERIES)
    assert (row["value"], row["low"], row["high"]) == pytest.approx(found[:3])
    assert by_name["nDCG@3", "run:up"]["value"] is None
    sentence = "nDCG@3 run:up: it is no sum over documents: draw a sample of queries."
    assert sentence in outcome.err.splitlines()


def test_why_nothing_can_be_estimated_of_a_measure_is_said(project, grades):
    """An estimate is of a mean to which every query counts."""
    judge(project, draw(project, "query", 5), grades[0])
    words = ("--run", "up", "-m", "GMAP", "--undefined", "leave-out", "--format", "json")
    found = score(project, *words)
    assert "GMAP run:up: it is no mean over queries." in found.err
    assert "AP run:up: queries without a relevant document are left out of its mean" in found.err
    values = {
        row["measure"]: row["value"] for row in found.json["rows"] if row["scope"] == "run:up"
    }
    assert values["GMAP"] is values["AP"] is None
    assert values["P@2"] is not None


def test_lines_are_measure_scope_value_and_ends(project, grades):
    """Beside each estimate stands that of people's sample alone; what is not there is -."""
    judge(project, draw(project, "query", 5), grades[0])
    rows = score(project, "--run", "up").rows
    assert [row[:2] for row in rows[:2]] == [["nDCG@3", "run:up"], ["nDCG@3", "run:up people"]]
    assert {len(row) for row in rows} == {5}
    low, value, high = (float(rows[0][place]) for place in (3, 2, 4))
    assert low <= value <= high


def test_without_a_sample_it_is_refused_with_the_remedy(project):
    """Queries that somebody chose say nothing of the others."""
    outcome = score(project)
    assert (outcome.code, outcome.out) == (1, "")
    assert "Draw one: ‘judgetool ask small.judge --to NAME --sample 50’." in outcome.err


def test_a_sample_that_people_have_not_judged_to_the_end_is_refused(project, grades):
    """What is missing is counted, and its first query named."""
    pairs = draw(project, "query", 5)
    judge(project, pairs[:-2], grades[0])
    outcome = score(project)
    assert outcome.code == 1
    assert outcome.err.startswith(
        "2 documents of the sample in small.judge that people have not judged"
    )
    assert f"‘{pairs[-1][0]}’" in outcome.err


def test_how_much_a_model_left_ungraded_is_said(project, grades):
    """Beside the values, in which that counts as what is unjudged does; nothing where it graded all."""
    judge(project, draw(project, "query", 5), grades[0])
    assert "graded" not in score(project).err
    told = "lazy graded 1 of 60 documents to be judged. In its values the others "
    must(
        "import",
        project,
        "--qrels",
        "-",
        "--assessor",
        "lazy",
        "--kind",
        "model",
        stdin="q0 0 d0 2\n",
    )
    assert score(project, model="lazy").err.splitlines()[0] == f"{told}count as not relevant."
    found = score(project, "--unjudged", "left-out", model="lazy")
    assert found.err.splitlines()[0] == f"{told}are left out of the rankings."


def test_a_model_that_counts_is_refused(project, grades):
    """The values there are not people's alone."""
    judge(project, draw(project, "query", 5), grades[0])
    with open_project(project, assessor="lead") as session:
        set_counts(session, {"m": True})
    outcome = score(project)
    assert outcome.code == 1
    assert outcome.err.startswith("m counts in small.judge")


def test_who_is_no_model_is_refused_by_name(project, grades):
    """The models that there are are named."""
    judge(project, draw(project, "query", 5), grades[0])
    outcome = score(project, model="anna")
    assert (outcome.code, outcome.err) == (
        1,
        "There is no model ‘anna’ in small.judge. Models are: m.\n",
    )


def test_a_model_goes_with_a_project(tmp_path):
    """Files keep no sample."""
    (tmp_path / "q").write_text("1 0 d 1\n")
    outcome = call("score", tmp_path / "q", tmp_path / "q", "--model", "m")
    assert outcome.code == 2
    assert outcome.err.startswith("--model is for projects")


def test_documents_drawn_from_another_pool_are_no_sample_any_more(project, grades):
    """A run that came later brings documents that could not be drawn."""
    judge(project, draw(project, "document", 20), grades[0])
    path = project.with_name("new.run")
    path.write_text("q0 Q0 other 1 1.0 new\n")
    must("import", project, "--run", path)
    outcome = score(project)
    assert outcome.code == 1
    assert outcome.err.startswith(
        "What is to be judged in small.judge is not what the sample was drawn"
    )


@pytest.mark.parametrize("each", ["query", "document"])
def test_a_sample_is_the_same_wherever_it_is_drawn(project, each):
    """By a seed, whatever the order; another seed draws another; more of the same seed holds it."""
    with open_project(project, read_only=True) as session:
        pairs = pool_pairs(session)
    sample = draw_sample(pairs, each, 6, 7)
    assert draw_sample(pairs[::-1], each, 6, 7).chosen == sample.chosen
    assert set(draw_sample(pairs, each, 6, 8).chosen) != set(sample.chosen)
    assert draw_sample(pairs, each, 9, 7).chosen[:6] == sample.chosen


def test_asking_for_a_sample_is_one_step(project):
    """Who is asked what, and what was drawn; Undo takes both back, a dry run leaves both as they are."""
    words = ("ask", project, "--to", "anna", "--sample", 4, "--seed", 7)
    found = must(*words, "--dry-run")
    assert found.err == (
        "A sample of 4 queries of 12, 20 documents asked anew, would be drawn; nothing was changed.\n"
    )
    with open_project(project, read_only=True) as session:
        assert find_sample(session) is None
    assert must(*words).rows[1] == ["anna", "4", "20", "0", "0"]
    with open_project(project, assessor="lead") as session:
        assert find_sample(session).n_all == N_QUERIES
        session.undo()
        assert find_sample(session) is None
    assert must("ask", project, "--status").rows[1:] == []


def test_a_sample_that_was_judged_before_is_drawn_without_asking(project, grades):
    """Nobody is asked for what they have judged."""
    judge(
        project,
        [(query, document) for query in grades[0] for document in grades[0][query]],
        grades[0],
    )
    draw(project, "query", 4)
    assert score(project).code == 0


@pytest.mark.parametrize("n", [13, 1])
def test_too_few_and_too_many_are_no_sample(project, n):
    """Two at least, and not more than there are."""
    assert call("ask", project, "--to", "anna", "--sample", n).code == 2


def test_each_unit_is_drawn_as_often_as_any_other():
    """Of 3 of 10 over 2,000 seeds: about 600 times each."""
    pairs = [(f"q{n}", "d") for n in range(10)]
    drawn = [
        name for seed in range(2_000) for (name,) in draw_sample(pairs, "query", 3, seed).chosen
    ]
    counts = [drawn.count(f"q{n}") for n in range(10)]
    # Five standard deviations of a count.
    assert max(abs(count - 600) for count in counts) < 5 * np.sqrt(2_000 * 0.3 * 0.7)
