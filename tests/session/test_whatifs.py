"""What-ifs: kept, undone, counted like a run, and never touching run or judgments."""

import random
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.rankings import Insert, Move, Pin, Remove, apply
from judgetool.errors import CommandRefusedError, InputError
from judgetool.formats import Kind, Reading
from judgetool.formats.writers import ExportChoices, ExportMaterial, writer_format
from judgetool.metrics import Conventions, RunBlock
from judgetool.metrics.bounds_difference import compute_difference_bounds
from judgetool.session.commands import Say, SetValues, set_conventions, set_measures
from judgetool.session.comparing.query_by_query import query_bounds
from judgetool.session.comparing.snapshots import create_snapshot
from judgetool.session.comparing.system_values import Baseline
from judgetool.session.comparing.trial import Trial
from judgetool.session.exports.exporting import find_run_source
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.systems import System, run_system
from judgetool.session.whatifs.applying import Fusion, fuse_blocks, fuse_rrf
from judgetool.session.whatifs.book import (
    engine_key_of,
    find_whatif,
    load_query_steps,
    load_whatifs,
    whatif_book,
)
from judgetool.session.whatifs.editing import (
    add_step,
    annotate_whatif,
    assume_grade,
    clear_query,
    copy_whatif,
    create_fused,
    create_whatif,
    delete_whatif,
    drop_last_step,
    find_missing,
    free_name,
    order_by_grade,
    order_by_run,
    order_fused,
    rename_whatif,
    set_fusion,
    set_rules,
)
from judgetool.session.whatifs.rules import Condition, Rule
from tests.helpers.builders import make_project, make_run, simple_parts
from tests.helpers.laws import examples
from tests.helpers.program import call
from tests.session.whatif_projects import (
    DOCUMENTS,
    compare_runs,
    names,
    number,
    project,  # noqa: F401 - a fixture
    run_id,
)


def engine_values(session, whatif_id, query):
    """The what-if's values of a query in the live engine."""
    key = engine_key_of(session, System("what-if", whatif_id, ""))
    return [value.value for value in session.board.engine.value(key, query)]


def engine_means(session, whatif_id):
    """The what-if's means in the live engine."""
    key = engine_key_of(session, System("what-if", whatif_id, ""))
    return {
        str(measure): mean.value
        for measure, mean in zip(session.measures, session.board.engine.means(key), strict=True)
    }


def trial(session, subject, query=0):
    """Trials of a ranking against itself as it stands."""
    return Trial(session, subject, query, baseline=Baseline.of_system(subject))


@pytest.fixture
def whatif(project):  # noqa: F811 - the fixture
    """A what-if of run alpha."""
    return create_whatif(project, "moved", run_id(project, "alpha"))


def test_a_snapshot_without_the_whatif_has_nothing_to_compare_with(project):  # noqa: F811 - the fixture
    """Of a what-if that was made after it: values as they are, none of before, no change."""
    before = Baseline("snapshot", "before", snapshot=create_snapshot(project, "before"))
    made = System("what-if", create_whatif(project, "later", run_id(project, "alpha")), "later")
    tried = Trial(project, made, 0, baseline=before)
    rows = tried.rows(tried.orders.imported)
    assert {(row.old, row.mean_old) for row in rows} == {(None, None)}
    assert set(tried.possible_old) == {None}
    assert any(row.new is not None for row in rows)


def test_a_new_whatif_is_its_run(project, whatif):  # noqa: F811 - the fixture
    """Before any step, rankings and values are those of the run."""
    alpha = run_id(project, "alpha")
    assert np.array_equal(
        whatif_book(project).block(whatif).documents, project.material.block(alpha).documents
    )
    run_values = [value.value for value in project.board.engine.value(alpha, 0)]
    assert engine_values(project, whatif, 0) == run_values


def test_steps_change_the_ranking_and_undo_brings_it_back(project, whatif):  # noqa: F811
    """A step moves a document; Undo, like of a judgment, takes it back, Redo does it again."""
    before = engine_values(project, whatif, 0)
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    after = engine_values(project, whatif, 0)
    assert names(project, whatif_book(project).ranking(whatif, 0))[:2] == ["d5", "d0"]
    assert after != before
    project.undo()
    assert engine_values(project, whatif, 0) == before
    project.redo()
    assert engine_values(project, whatif, 0) == after


def test_the_history_names_documents_by_their_titles(tmp_path):
    """As in steps of judging; taking a step back says so, too."""
    with make_project(tmp_path, simple_parts()) as session:
        made = create_whatif(session, "moved", run_id(session, "alpha"))
        add_step(session, made, 0, Move(number(session, "d5"), 1))
        assert session.undo_step.title.endswith(", query q0: ‘Soup recipe 5’ to 1")
        drop_last_step(session, made, 0)
        assert session.undo_step.title.startswith("Take back: ‘Soup recipe 5’ to 1, what-if")


def test_the_last_step_can_be_dropped(project, whatif):  # noqa: F811
    """Dropping gives the step back; with none left there is nothing to drop."""
    step = Move(number(project, "d5"), 1)
    add_step(project, whatif, 0, step)
    assert drop_last_step(project, whatif, 0) == step
    assert drop_last_step(project, whatif, 0) is None
    assert load_query_steps(project, whatif, 0).is_empty


def test_a_whatif_touches_neither_run_nor_judgments(project, whatif):  # noqa: F811
    """Whatever a what-if does, the run's values and the judgments stay."""
    alpha = run_id(project, "alpha")
    before = [project.board.engine.value(alpha, query) for query in range(3)]
    judged = project.iter_judgments()
    add_step(project, whatif, 0, Remove(number(project, "d0")))
    assume_grade(project, whatif, 0, number(project, "d1"), 3.0)
    engine_values(project, whatif, 0)
    assert [project.board.engine.value(alpha, query) for query in range(3)] == before
    assert project.iter_judgments() == judged


def test_a_judgment_moves_a_whatif(project, whatif):  # noqa: F811
    """The values of a what-if follow judgments as those of a run do."""
    engine_values(project, whatif, 0)
    project.execute(Say.grade(0, number(project, "d1"), 3.0))
    alpha = run_id(project, "alpha")
    run_values = [value.value for value in project.board.engine.value(alpha, 0)]
    assert engine_values(project, whatif, 0) == run_values


def test_a_judgment_wins_over_an_assumption(project, whatif):  # noqa: F811
    """What is assumed counts while nobody judged, and again when the judgment is taken back."""
    document = number(project, "d1")
    plain = engine_values(project, whatif, 0)
    assume_grade(project, whatif, 0, document, 3.0)
    assumed = engine_values(project, whatif, 0)
    project.execute(Say.grade(0, document, 0.0))
    judged = engine_values(project, whatif, 0)
    project.execute(Say.clear(0, document))
    assert assumed != plain
    assert judged != assumed
    assert engine_values(project, whatif, 0) == assumed
    assume_grade(project, whatif, 0, document, None)
    assert engine_values(project, whatif, 0) == plain


def test_a_grade_that_the_scale_lacks_is_not_assumed(project, whatif):  # noqa: F811
    """An assumed grade is one of the scale."""
    with pytest.raises(CommandRefusedError, match="not on this scale"):
        assume_grade(project, whatif, 0, number(project, "d1"), 7.0)


def test_a_whatif_survives_closing(project, whatif, tmp_path):  # noqa: F811
    """Name, note, steps and values are there when the project is opened again."""
    add_step(project, whatif, 0, Pin(number(project, "d5"), 1))
    annotate_whatif(project, whatif, "why not")
    rename_whatif(project, whatif, "curry first")
    values = engine_values(project, whatif, 0)
    path = project.path
    project.close()
    with open_project(path, assessor="anna") as again:
        (head,) = load_whatifs(again)
        assert (head.name, head.note, head.origin, head.by) == (
            "curry first",
            "why not",
            "alpha",
            "anna",
        )
        assert engine_values(again, head.id, 0) == values


def test_a_copy_goes_its_own_way(project, whatif):  # noqa: F811
    """A what-if made from another has its steps, remembers it, and changes alone."""
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    copy = copy_whatif(project, whatif, "copy")
    clear_query(project, whatif, 0)
    assert names(project, whatif_book(project).ranking(copy, 0))[0] == "d5"
    assert names(project, whatif_book(project).ranking(whatif, 0))[0] == "d0"
    assert find_whatif(project, copy).origin == "moved"


def test_deleting_is_undone_as_a_whole(project, whatif):  # noqa: F811
    """Delete takes a what-if with all its steps; Undo brings all back."""
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    engine_values(project, whatif, 0)
    delete_whatif(project, whatif)
    assert load_whatifs(project) == []
    assert project.values("whatif/") == {}
    with pytest.raises(InputError, match="no longer in the project"):
        whatif_book(project).ranking(whatif, 0)
    project.undo()
    assert names(project, whatif_book(project).ranking(whatif, 0))[0] == "d5"


@pytest.mark.parametrize("name", ["", "  ", "alpha", "moved"])
def test_names_are_not_empty_and_not_taken(project, whatif, name):  # noqa: F811
    """A what-if has a name by which it can be told from runs and what-ifs."""
    with pytest.raises(CommandRefusedError):
        create_whatif(project, name, run_id(project, "alpha"))
    assert free_name(project, "moved") == "moved 2"


def test_the_values_equal_judgetool_score_of_the_exported_run(project, whatif, tmp_path):  # noqa: F811
    """Written as a run and scored from files, a what-if has the very same means."""
    set_rules(project, whatif, [Rule("bottom", (Condition("title", "contains", "curry"),))])
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    add_step(project, whatif, 0, Remove(number(project, "d2")))
    add_step(project, whatif, 1, Insert(number(project, "d0"), 2))
    source, _ = find_run_source(project, project.material, ("moved",))
    choices = ExportChoices("trec-run")
    material = ExportMaterial(project.material.queries, project.scale, run=source)
    run, qrels = tmp_path / "moved.run", tmp_path / "qrels.txt"
    run.write_text("".join(writer_format("trec-run").writer(material, choices)))
    exported = call("export", str(project.path), "--qrels", str(qrels))
    assert exported.code == 0, exported.err
    measures = [str(measure) for measure in project.measures]
    scored = call(
        "score", str(qrels), str(run), "-m", *measures, "--scale", "0-3", "--format", "json"
    )
    assert scored.code == 0, scored.err
    (row,) = scored.json["runs"]
    found = {name: row["means"][name]["value"] for name in measures}
    assert found == pytest.approx(engine_means(project, whatif), abs=1e-12)


def test_a_preview_tells_what_dropping_makes(project, whatif):  # noqa: F811
    """Old, new and means of a preview are the engine's before and after the step."""
    subject = System("what-if", whatif, "moved")
    step = Move(number(project, "d5"), 1)
    order = apply(whatif_book(project).ranking(whatif, 0), [step])
    before, means = engine_values(project, whatif, 0), engine_means(project, whatif)
    rows = trial(project, subject).rows(order)
    assert engine_values(project, whatif, 0) == before
    add_step(project, whatif, 0, step)
    assert [row.old for row in rows] == before
    assert [row.new for row in rows] == engine_values(project, whatif, 0)
    assert [row.mean_old for row in rows] == list(means.values())
    assert [row.mean_new for row in rows] == list(engine_means(project, whatif).values())


def test_the_interval_of_a_preview_is_that_of_the_difference(project, whatif):  # noqa: F811
    """Lined up once for many moves, intervals equal those computed from documents anew."""
    subject = System("what-if", whatif, "moved")
    tried = trial(project, subject)
    known = {document: effective.grade for document, effective in project.board.settled(0).items()}
    for steps in (
        [Move(number(project, "d5"), 1)],
        [Remove(number(project, "d0"))],
        [Insert(number(project, "d7"), 2)],
    ):
        order = apply(tried.baseline_order, steps)
        for row in tried.rows(order):
            assert (row.bounds is None) is row.measure.spec.counts_judgments
            if row.bounds is None:
                continue
            expected = compute_difference_bounds(
                row.measure,
                order,
                tried.baseline_order,
                known=known,
                scale=project.scale,
                pool=project.board.pool(0),
            )
            assert (row.bounds.low, row.bounds.high) == pytest.approx(
                (expected.low, expected.high), abs=1e-12
            )


def test_the_change_lies_in_its_interval_whatever_is_judged(project, whatif):  # noqa: F811
    """After any judgments the change is inside the interval that was shown before."""
    subject = System("what-if", whatif, "moved")
    order = apply(whatif_book(project).ranking(whatif, 0), [Move(number(project, "d5"), 1)])
    shown = trial(project, subject).rows(order)
    for name, grade in (("d1", 3.0), ("d3", 0.0), ("d4", 2.0), ("d6", 1.0), ("d7", 3.0)):
        project.execute(Say.grade(0, number(project, name), grade))
    for row, now in zip(shown, trial(project, subject).rows(order), strict=True):
        if row.bounds is None:
            # How much is judged has none.
            assert row.measure.spec.counts_judgments
            continue
        assert row.bounds.low - 1e-9 <= now.change <= row.bounds.high + 1e-9


@pytest.mark.parametrize("seed", range(examples(40)))
def test_what_is_assumed_is_open_in_every_interval(project, whatif, seed):  # noqa: F811
    """Values, changes and means lie in their intervals, whatever all that nobody judged is graded."""
    chance = random.Random(seed)
    project.execute(set_measures(("nDCG@3", "AP", "SetP", "R@3", "RR", "ERR@3", "Bpref", "infAP")))
    if seed % 2:
        project.execute(set_conventions(Conventions(unjudged="left out")))
    documents = [number(project, each) for each in DOCUMENTS]
    fresh = [each for each in documents if each not in project.board.settled(0)]
    assumed = chance.sample(fresh, 2)
    for document in assumed:
        assume_grade(project, whatif, 0, document, float(chance.randint(0, 3)))
    if seed % 3 == 0:
        add_step(project, whatif, 0, Remove(assumed[0]))
    ranking = whatif_book(project).ranking(whatif, 0).tolist()
    add_step(project, whatif, 0, Move(ranking[-1], 1))
    subject = System("what-if", whatif, "moved")
    told = intervals_and_values(project, subject)
    for query, document in product(range(3), documents):
        if document not in project.board.settled(query):
            project.execute(Say.grade(query, document, float(chance.randint(0, 3))))
    judged = intervals_and_values(project, subject)
    for what, (interval, value) in told.items():
        for each in (value, judged[what][1]):
            assert interval.low - 1e-9 <= each <= interval.high + 1e-9, what


def intervals_and_values(session, subject):
    """Each interval that is said of a what-if, and the value that it is of."""
    tried = Trial(session, subject, 0)
    order = whatif_book(session).ranking(subject.id, 0).tolist()
    rows, alpha = tried.rows(order), run_system(session, run_id(session, "alpha"))
    found = {}
    for row, possible in zip(rows, tried.possible(order), strict=True):
        found["change", row.measure] = row.bounds, row.change
        found["value", row.measure] = possible, row.new or 0.0
        bounds = query_bounds(session, subject, alpha, row.measure, 0)
        found["in Compare", row.measure] = bounds.value, row.new or 0.0
    table = compare_runs(session, [subject], baseline=alpha)
    for measure, cell in zip(table.measures, table.rows[-1].cells, strict=True):
        found["mean", measure] = cell.interval, cell.mean.value
    return {what: each for what, each in found.items() if each[0] is not None}


def test_a_preview_of_a_run_works_without_a_whatif(project):  # noqa: F811
    """The first card can be taken up from the run itself."""
    subject = run_system(project, run_id(project, "alpha"))
    tried = trial(project, subject)
    assert all(row.change == 0 for row in tried.rows(tried.baseline_order))


def test_the_ideal_is_the_best_order(project, whatif):  # noqa: F811
    """Sorted by grade, nDCG of a ranking that holds all judged documents is 1."""
    project.execute(set_measures(("nDCG@10",)))
    order = order_by_grade(project, 0, whatif_book(project).ranking(whatif, 0))
    add_step(project, whatif, 0, order)
    assert engine_values(project, whatif, 0) == [1.0]


def test_another_runs_order_is_taken_for_what_both_hold(project, whatif):  # noqa: F811
    """Documents that the other run lacks follow as they stood."""
    gamma = run_system(project, run_id(project, "gamma"))
    step = order_by_run(project, 1, whatif_book(project).ranking(whatif, 1), gamma)
    assert names(project, step.order) == ["d2", "d3", "d4", "d5", "d6"]


def test_fusing_adds_what_the_other_run_has(project, whatif):  # noqa: F811
    """A fused order holds the documents of both, by reciprocal ranks."""
    gamma = run_system(project, run_id(project, "gamma"))
    step = order_fused(project, 0, whatif_book(project).ranking(whatif, 0), gamma)
    add_step(project, whatif, 0, step)
    held = set(names(project, whatif_book(project).ranking(whatif, 0)))
    assert held == {f"d{place}" for place in range(8)}


def test_fusion_follows_the_formula():
    """Scores are Σ 1/(k + rank); ties go by the best rank, then by number."""
    rankings = [np.array([1, 2, 3, 4]), np.array([3, 5, 1])]
    scores = dict.fromkeys(range(1, 6), 0.0)
    for ranking in rankings:
        for rank, document in enumerate(ranking.tolist(), 1):
            scores[document] += 1 / (60 + rank)
    expected = sorted(scores, key=lambda doc: (-round(scores[doc], 14), doc))
    assert fuse_rrf(rankings).tolist() == expected


def names_of(documents):
    """Ids whose order is not that of the numbers."""
    return {document: str(document * 7 % 13) for document in documents}


@given(
    rankings=st.lists(
        st.lists(st.integers(0, 12), unique=True, max_size=8).map(np.array), min_size=2, max_size=4
    ),
    method=st.sampled_from(["ranks", "scores"]),
    chance=st.randoms(use_true_random=False),
)
def test_fusion_does_not_depend_on_the_order_of_the_runs(rankings, method, chance):
    """A with B is B with A, with weights and ties too; equal sums stand as trec_eval has them."""
    runs = [
        (
            RunBlock(np.array([0, len(each)]), each.astype(np.int32)),
            place + 1.0,
            np.sqrt(each + 1.0),
        )
        for place, each in enumerate(rankings)
    ]

    def fuse(runs):
        blocks, weights, scores = zip(*runs, strict=True)
        fusion = Fusion(method, 10, weights)
        return fuse_blocks(blocks, fusion, scores=scores, names=names_of)

    fused = fuse(runs)
    chance.shuffle(runs)
    turned = fuse(runs)
    assert fused.block.documents.tolist() == turned.block.documents.tolist()
    order = [names_of([each])[each] for each in fused.block.documents.tolist()]
    rows = list(zip((-fused.scores).tolist(), order, strict=True))
    assert all(a[0] < b[0] or (a[0] == b[0] and a[1] > b[1]) for a, b in pairwise(rows))


def test_old_fusions_keep_their_order(project):  # noqa: F811
    """A what-if fused before ties went by id opens with the order that it had."""
    one, two = run_id(project, "alpha"), run_id(project, "gamma")
    runs = [{"run": one, "name": "alpha"}, {"run": two, "name": "gamma"}]
    rule = {"action": "demote", "ranks": 1, "field": "title", "match": "contains", "text": "curry"}
    head = {
        "name": "old",
        "base": {"how": "fused", "runs": runs, "k": 60},
        "note": "",
        "rules": [rule],
    }
    project.execute(SetValues({"whatif/0ld": head}, "Old what-if"))
    fused = fuse_rrf([project.material.ranked_documents(each, 1) for each in (one, two)])
    assert names(project, fused) == ["d2", "d0", "d1", "d3", "d4", "d5", "d6"]
    assert whatif_book(project).base("0ld").ranking(1).tolist() == fused.tolist()
    assert names(project, whatif_book(project).ranking("0ld", 1)) == [
        "d2",
        "d0",
        "d4",
        "d1",
        "d3",
        "d6",
        "d5",
    ]


def test_scores_are_fused_where_each_run_has_them(project):  # noqa: F811
    """The sum of each run's scores between 0 and 1; a formula sees it. A run without is refused by name."""
    runs = [run_id(project, name) for name in ("alpha", "gamma")]
    fused = create_fused(project, "both", runs, Fusion("scores"))
    assert find_whatif(project, fused).made_of == "fused of alpha + gamma, by scores"
    before = names(project, whatif_book(project).ranking(fused, 1))
    assert before == ["d2", "d0", "d3", "d4", "d1", "d5", "d6"]
    set_rules(project, fused, [Rule("score", formula="-score")])
    assert set(names(project, whatif_book(project).ranking(fused, 1))[-2:]) == {"d2", "d0"}
    flat = replace(make_run("flat", {"q1": ["d1"]}), scores=None)
    import_readings(project, [Reading("flat.run", Kind.RUN, "trec-run", runs=[flat])])
    lacking = create_fused(project, "lacks", [runs[0], run_id(project, "flat")], Fusion("scores"))
    with pytest.raises(InputError, match="run flat has results without a score"):
        whatif_book(project).ranking(lacking, 0)


@pytest.mark.parametrize("fusion", [Fusion(k=-1), Fusion(weights=(1.0,))])
def test_a_fusion_that_means_nothing_is_refused(project, fusion):  # noqa: F811
    """Ranks are below a k from 0, and each run has its weight."""
    blocks = [project.material.block(run_id(project, name)) for name in ("alpha", "beta")]
    with pytest.raises(ValueError, match="a k from 0 and a weight for each run"):
        fuse_blocks(blocks, fusion)


def test_what_is_gone_is_named(project, whatif):  # noqa: F811
    """A run or a what-if that was taken out meanwhile changes nothing and is no fault."""
    alpha, beta = (run_id(project, name) for name in ("alpha", "beta"))
    fused = create_fused(project, "both", [alpha, beta], Fusion())
    before, last = project.values("whatif/"), project.undo_step
    set_fusion(project, fused, [alpha, beta], Fusion())
    clear_query(project, whatif, 0)
    assert project.undo_step == last
    with pytest.raises(CommandRefusedError, match="two runs or more"):
        set_fusion(project, fused, [alpha, alpha], Fusion())
    with pytest.raises(CommandRefusedError, match="run is no longer"):
        set_fusion(project, fused, [alpha, 99], Fusion())
    with pytest.raises(CommandRefusedError, match="what-if is no longer"):
        set_fusion(project, "nope", [alpha, beta], Fusion())
    shown = whatif_book(project).ranking(whatif, 0)
    by_other = order_by_run(project, 0, shown, System("what-if", fused, "both"))
    assert set(by_other.order) == set(shown.tolist())
    with pytest.raises(InputError, match="Run lost is no longer"):
        order_by_run(project, 0, shown, System("run", "99", "lost"))
    head = {**before[f"whatif/{whatif}"], "name": "orphan"}
    head["base"] = {**head["base"], "runs": [{"run": 99, "name": "lost"}]}
    project.execute(SetValues({"whatif/0ld": head}, "Of another copy"))
    with pytest.raises(InputError, match="orphan was made from run lost"):
        whatif_book(project).ranking("0ld", 0)


def test_what_a_fused_whatif_was_made_from_goes_with_it(project):  # noqa: F811
    """It has values of its own, of which no run has the rankings."""
    keys = set(project.board.engine.run_keys)
    runs = [run_id(project, name) for name in ("alpha", "beta")]
    fused = System("what-if", create_fused(project, "both", runs, Fusion()), "both")
    Trial(project, fused, 0)
    assert len(keys ^ set(project.board.engine.run_keys)) == 2
    delete_whatif(project, fused.id)
    assert set(project.board.engine.run_keys) == keys


def test_a_fused_whatif_covers_all_queries(project):  # noqa: F811
    """Two runs fused as a what-if: each query's ranking is the fusion of theirs."""
    one, two = run_id(project, "alpha"), run_id(project, "gamma")
    fused = create_fused(project, "both", [one, two], Fusion())
    for query in range(3):
        rankings = [project.material.ranked_documents(each, query) for each in (one, two)]
        expected = fuse_rrf(rankings, names=project.material.document_ids)
        assert whatif_book(project).ranking(fused, query).tolist() == expected.tolist()
    assert find_whatif(project, fused).origin == "fused of alpha and gamma"


def test_missed_documents_come_with_their_reason(project, whatif):  # noqa: F811
    """Judged relevant ones first, then those of other runs, then what the text finds."""
    missed = find_missing(project, 2, whatif_book(project).ranking(whatif, 2), "recipe")
    reasons = [(names(project, [row.document])[0], row.reason) for row in missed]
    assert reasons[:2] == [("d7", "judged relevant"), ("d4", "in another run")]
    assert {reason for _, reason in reasons[2:]} == {"found by its text"}
    assert len(reasons) == 5


def test_steps_are_listed_with_their_values(project, whatif):  # noqa: F811
    """The table begins with the run, has a row per step, and ends with the best order."""
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    place = len(project.measures) - 2
    rows = Trial(project, System("what-if", whatif, ""), 0).steps(place)
    assert [row.step is None for row in rows] == [True, False, False]
    assert rows[1].value == engine_values(project, whatif, 0)[-2]
    assert rows[2].value >= rows[1].value


def test_measures_chosen_later_are_computed_for_whatifs(project, whatif):  # noqa: F811
    """Choosing other measures keeps what-ifs in step."""
    engine_values(project, whatif, 0)
    project.execute(set_measures(("P@1", "RR")))
    assert engine_values(project, whatif, 0) == [1.0, 1.0]


def test_a_listener_that_is_told_first_sees_the_step(project, whatif):  # noqa: F811
    """Rankings are up to date within the very signal that tells of a step, in any order."""
    seen = []
    engine_values(project, whatif, 0)
    project.changed._listeners.insert(
        0, lambda _changed: seen.append(names(project, whatif_book(project).ranking(whatif, 0))[0])
    )
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    project.undo()
    assert seen == ["d5", "d0"]
