"""Merging copies: in any order the same, twice as once, undone without a trace."""

import gzip
import itertools
import re
import shutil
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from judgetool.core.judgments import Document, Judgment, JudgmentChange, JudgmentKey, Query, State
from judgetool.core.rankings import Remove
from judgetool.core.scale import scale_preset
from judgetool.errors import InputError, UsageError
from judgetool.formats import ClickRow, Kind, Reading
from judgetool.formats.values import Details
from judgetool.session.commands import (
    AddDocument,
    AskOf,
    Say,
    SetScale,
    WorkCancelledError,
    WriteAsks,
    WriteQuery,
    set_title,
)
from judgetool.session.comparing.snapshots import (
    board_as_of,
    create_snapshot,
    delete_snapshot,
    last_event,
    load_snapshots,
    present_systems,
    snapshot_board,
)
from judgetool.session.comparing.system_values import Baseline, set_baseline
from judgetool.session.edits import delete_run, edit_document, rename_run
from judgetool.session.finding import Filter, matching_documents
from judgetool.session.history import load_history
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import set_guidelines
from judgetool.session.safety import check_project
from judgetool.session.team.agreement import set_counts
from judgetool.session.team.asking import list_asked_states
from judgetool.session.team.disputes import settle
from judgetool.session.team.merging import (
    describe_merge,
    merge_copies,
    preview_merge,
    write_merge,
)
from judgetool.session.whatifs.book import load_whatifs, whatif_book
from judgetool.session.whatifs.editing import add_step, create_whatif, free_name, set_rules
from judgetool.session.whatifs.rules import Condition, Rule
from judgetool.storage.copies import load_conflicting_pairs
from judgetool.storage.judgments import LogEntry, insert_step, split_uuids, write_entries
from judgetool.storage.material import load_visible_documents
from judgetool.storage.values import load_assessors, load_kinds, number_assessor
from tests.helpers.builders import Parts, make_project, make_readings, simple_parts
from tests.helpers.laws import examples

OLD = Path(__file__).parent.parent / "storage" / "data"
NAMES = ("anna", "ben")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A project in which anna has judged a little."""
    folder = tmp_path_factory.mktemp("base")
    with make_project(folder, simple_parts(n_queries=2, n_documents=4), name="base") as session:
        session.execute(Say.grade(0, 1, 1))
        session.execute(Say.grade(1, 2, 3))
    return folder / "base.judge"


@pytest.fixture
def copies(base, tmp_path):
    """Three copies of it."""
    return copied(base, tmp_path)


def copied(base, folder, names="abc"):
    paths = [folder / f"{name}.judge" for name in names]
    for path in paths:
        shutil.copy(base, path)
    return paths


def judge(path, *commands, by="anna", clock=None):
    with open_project(path, assessor=by, **({"clock": clock} if clock else {})) as session:
        for command in commands:
            session.execute(command)


def merge(path, *others, **how):
    with open_project(path, assessor="anna") as session:
        return merge_copies(session, others, **how)


def undo(path):
    with open_project(path, assessor="anna") as session:
        return session.undo()


def content(path):
    """What a project says, by ids and names."""
    with open_project(path, read_only=True) as session:
        queries = session.material.queries
        name = session.material.document_ids()
        said = {
            (queries[query].id, name[document], opinion.assessor): (opinion.judgment, at)
            for query, document, opinion, at in session.iter_judgments()
        }
        ids = {
            number: query.id
            for number, query in zip(session.material.query_ids, queries, strict=True)
        }
        pairs = load_conflicting_pairs(session.reader).tolist()
        conflicts = {(ids[query], name[each]) for query, each in pairs if query in ids}
        runs = {
            run.name: [
                [name[int(each)] for each in session.material.ranked_documents(run.run_id, query)]
                for query in range(len(queries))
            ]
            for run in session.material.runs
        }
        seen = load_visible_documents(session.reader)
        texts = [session.material.document(n) for n in sorted(name, key=name.get) if seen[n]]
        asked = sorted(list_asked_states(session))
        clicks = sorted(
            (queries[q].id, name[d], *counts) for q, d, *counts in session.material.clicks
        )
        rest = {"means": means(session, session.board), "asked": asked}
        return said, conflicts, runs, queries, texts, logical_values(session), clicks, rest


def means(session, board):
    """What each run has by a board, by what tells it in every copy of the file."""
    uuids = dict(session.reader.execute("SELECT run_id, hex(uuid) FROM runs"))
    return {
        uuids[run]: [each.value for each in board.engine.means(run)]
        for run in board.engine.run_keys
        if run in uuids
    }


def logical_values(session):
    """The project's values: runs by their uuids, and snapshots by what their judgments add up to."""
    uuids = {0: "", **dict(session.reader.execute("SELECT run_id, hex(uuid) FROM runs"))}

    def told(value):
        if isinstance(value, list):
            return [told(each) for each in value]
        if not isinstance(value, dict):
            return value
        found = {key: told(each) for key, each in value.items() if key not in ("event", "judged")}
        if "run" in found:
            found["run"] = uuids[found["run"]]
        if found.get("kind") == "run":
            found["id"] = uuids[int(found["id"])]
        return found

    found = {}
    for key, value in session.values("").items():
        name = f"run/{uuids[int(key[4:])]}" if key.startswith("run/") else key
        found[name] = told(value)
        if key.startswith("snapshot/"):
            found[name]["means"] = means(session, snapshot_board(session, key[9:]))
        if key == "baseline" and value["kind"] == "moment":
            board = board_as_of(session, value.get("event", 0), judged=value.get("judged", ""))
            found[name]["means"] = means(session, board)
    kinds = {each.name: each.kind for each in load_assessors(session.reader)}
    found["kinds"] = {name: kinds[name] for name in session.assessors}
    return found


def heads(path):
    """The names of the visible lines that no other names, and what each line names."""
    with open_project(path, read_only=True) as session:
        rows = session.reader.execute(
            "SELECT e.uuid, parents FROM events e JOIN steps s USING(step_id) "
            "WHERE s.state NOT IN ('pending', 'abandoned')"
        ).fetchall()
    parents = {uuid: split_uuids(joined) for uuid, joined in rows}
    named = {each for found in parents.values() for each in found}
    return parents.keys() - named, parents


def sound(path):
    assert check_project(path).problems == []


def grade_of(path, query, document, assessor="anna"):
    return content(path)[0][query, document, assessor][0].grade


def test_what_others_judged_comes_in(copies):
    """Judgments of another assessor stand beside one's own; the other copy keeps its bytes."""
    mine, theirs, _ = copies
    judge(theirs, Say.grade(0, 1, 2), Say.grade(0, 3, 0), by="ben")
    before = theirs.read_bytes()
    report = merge(mine, theirs)
    assert report.brought[0].judgments == {"ben": 2}
    assert (grade_of(mine, "q0", "d0"), grade_of(mine, "q0", "d0", "ben")) == (1, 2)
    assert theirs.read_bytes() == before
    sound(mine)


def test_judged_in_both_the_latest_counts_and_is_found(copies):
    """Of one assessor's two grades the later counts; judging it again ends that everywhere."""
    mine, theirs, _ = copies
    judge(mine, Say.grade(0, 1, 0))
    judge(theirs, Say.grade(0, 1, 3))
    assert merge(mine, theirs).conflicts == {"anna": 1}
    assert grade_of(mine, "q0", "d0") == 3
    assert content(mine)[1] == {("q0", "d0")}
    with open_project(mine, read_only=True) as session:
        assert matching_documents(session, 0, [1, 2], [Filter("conflict")]) == [1]
    judge(mine, Say.grade(0, 1, 3))
    assert content(mine)[1] == set()
    merge(theirs, mine)
    assert content(theirs)[1] == set()
    sound(mine)
    sound(theirs)


def test_said_alike_in_both_is_no_conflict(copies):
    """Equal grades are one opinion."""
    mine, theirs, _ = copies
    judge(mine, Say.grade(0, 1, 2))
    judge(theirs, Say.grade(0, 1, 2))
    assert merge(mine, theirs).conflicts == {}
    assert content(mine)[1] == set()


def test_judged_on_after_a_merge_replaces_for_the_others(copies):
    """A grade given over what the other had said is no conflict when it comes back to them."""
    mine, theirs, _ = copies
    judge(theirs, Say.grade(0, 1, 3))
    merge(mine, theirs)
    judge(mine, Say.grade(0, 1, 2))
    assert merge(theirs, mine).conflicts == {}
    assert grade_of(theirs, "q0", "d0") == 2


def test_undo_brings_a_conflict_back(copies):
    """Taking back the grade that ended it, the copies differ again; taking back the merge, not."""
    mine, theirs, _ = copies
    judge(mine, Say.grade(0, 1, 0))
    before = content(mine)
    judge(theirs, Say.grade(0, 1, 3))
    merge(mine, theirs)
    merged = content(mine)
    judge(mine, Say.grade(0, 1, 2))
    undo(mine)
    assert content(mine) == merged
    undo(mine)
    assert content(mine) == before
    sound(mine)


def test_steps_that_came_are_not_undone_by_themselves(copies):
    """Undo takes back the merge, not what ben did in his copy; the history shows both."""
    mine, theirs, _ = copies
    judge(theirs, Say.grade(1, 1, 2))
    merge(mine, theirs)
    with open_project(mine, assessor="anna") as session:
        assert session.undo_step.title == "Merge of b.judge"
        titles = [row.title for row in load_history(session, limit=9)]
    assert titles[:2] == ["Grade 2 for ‘Soup recipe 0’, ‘soup number 1’", "Merge of b.judge"]


def test_what_was_undone_there_is_undone_here(copies):
    """A judgment that both had, taken back in one copy, is taken back by the merge."""
    mine, theirs, _ = copies
    assert undo(theirs).title.startswith("Grade 3")
    merge(mine, theirs)
    assert ("q1", "d1", "anna") not in content(mine)[0]
    undo(mine)
    assert grade_of(mine, "q1", "d1") == 3
    sound(mine)


def given_and_undone(path, *commands):
    judge(path, *commands)
    for _command in commands:
        undo(path)


@pytest.mark.parametrize("is_later", [False, True])
@pytest.mark.parametrize("document", [1, 2])
def test_what_was_given_and_undone_in_one_copy_is_no_opinion(copies, document, is_later):
    """Be it another grade than both had or the first: the other copy's counts, and nothing differs."""
    mine, theirs, third = copies
    if is_later:
        given_and_undone(mine, Say.grade(0, document, 0), Say.grade(0, document, 2))
    judge(theirs, Say.grade(0, document, 3))
    if not is_later:
        given_and_undone(mine, Say.grade(0, document, 0))
    before = content(mine)
    assert merge(third, mine, theirs).conflicts == {}
    assert merge(mine, theirs).conflicts == {}
    undo(mine)
    assert content(mine) == before
    merge(mine, theirs)
    assert merge(theirs, mine).conflicts == {}
    for path in copies:
        said = content(path)
        assert said[0]["q0", f"d{document - 1}", "anna"][0].grade == 3
        assert said[1] == set()
        sound(path)


def test_a_grade_of_both_that_one_undid_and_the_other_changed_differs(copies):
    """So does one that was taken back otherwise than by Undo: that is said, and the later counts."""
    mine, theirs, _ = copies
    assert undo(mine).title.startswith("Grade 3")
    judge(theirs, Say.grade(0, 2, 1), Say.grade(1, 2, 0))
    judge(mine, Say.grade(0, 2, 2), Say.clear(0, 2))
    assert merge(mine, theirs).conflicts == {"anna": 2}
    assert content(mine)[1] == {("q1", "d1"), ("q0", "d1")}
    assert grade_of(mine, "q1", "d1") == 0
    assert ("q0", "d1", "anna") not in content(mine)[0]


def test_undo_takes_back_the_grade_that_counts_beside_one_made_and_undone(copies):
    """Though the other copy's undo is later, and a third person has merged it."""
    mine, theirs, _ = copies
    judge(mine, Say.grade(1, 1, 2), by="lead")
    judge(mine, Say.grade(0, 2, 3))
    given_and_undone(theirs, Say.grade(0, 2, 1))
    with open_project(mine, assessor="lead") as session:
        merge_copies(session, [theirs])
    assert grade_of(mine, "q0", "d1") == 3
    assert undo(mine).title.startswith("Grade 3")
    assert ("q0", "d1", "anna") not in content(mine)[0]
    with open_project(mine, assessor="anna") as session:
        session.redo()
    assert grade_of(mine, "q0", "d1") == 3
    assert content(mine)[1] == set()
    sound(mine)


def test_texts_values_and_documents_come(copies):
    """The later text of a query counts, and the later title; new documents join the pool."""
    mine, theirs, _ = copies
    judge(mine, WriteQuery(Query("q0", "ours")), set_title("ours"))
    judge(theirs, WriteQuery(Query("q0", "theirs")), set_title("theirs"))
    judge(theirs, AddDocument(0, Document("own", "Own one")))
    report = merge(mine, theirs)
    with open_project(mine, read_only=True) as session:
        assert session.material.queries[0].text == "theirs"
        assert session.title == "theirs"
        assert session.material.find_document("own") is not None
    assert report.brought[0].later_there == ["q0"]
    assert any("theirs is later" in line for line in describe_merge(report))
    undo(mine)
    with open_project(mine, read_only=True) as session:
        assert session.material.queries[0].text == "ours"
        assert session.title == "ours"
    sound(mine)


def test_another_person_of_the_same_name_is_told_apart(copies):
    """With another name what they said stands beside one's own, and what both had stays."""
    mine, theirs, _ = copies
    judge(theirs, Say.grade(0, 1, 3))
    merge(mine, theirs, renames={"anna": "anna B"})
    assert grade_of(mine, "q0", "d0") == 1
    assert grade_of(mine, "q0", "d0", "anna B") == 3
    assert content(mine)[1] == set()
    sound(mine)


def test_what_does_not_fit_is_refused(copies, tmp_path):
    """Another project, other grades, the project itself, and a name that is nobody's."""
    mine, theirs, third = copies
    with make_project(tmp_path, simple_parts(), name="other") as session:
        other = session.path
    judge(third, SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0}))
    before = content(mine)
    with pytest.raises(InputError, match="another project"):
        merge(mine, other)
    with pytest.raises(InputError, match="the same scale"):
        merge(mine, third)
    with pytest.raises(InputError, match="itself"):
        merge(mine, mine)
    with pytest.raises(UsageError, match="dora"):
        merge(mine, theirs, renames={"dora": "x"})
    assert content(mine) == before


def test_what_another_scale_mapped_is_no_judgment_that_a_merge_brings(copies):
    """Both copies map the same way; only what was judged is counted, also after Undo of the merge."""
    mine, theirs, _ = copies
    judge(theirs, Say.grade(0, 2, 3))
    for path in (mine, theirs):
        judge(path, SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0}))
    assert merge(mine, theirs).brought[0].judgments == {"anna": 1}
    undo(mine)
    assert merge(mine, theirs).brought[0].judgments == {"anna": 1}
    assert grade_of(mine, "q0", "d1") == 1


def test_a_preview_says_the_same_and_changes_nothing(copies):
    """What a merge would bring, told before it is done; neither file is touched."""
    mine, theirs, _ = copies
    judge(mine, Say.grade(0, 1, 0))
    judge(theirs, Say.grade(0, 1, 3), Say.grade(0, 2, 3))
    before = mine.read_bytes(), theirs.read_bytes()
    with open_project(mine, read_only=True) as session:
        found = preview_merge(session, [theirs])
    assert (mine.read_bytes(), theirs.read_bytes()) == before
    assert found == merge(mine, theirs)


def judged_often(path, n=900):
    """Have ben grade in his copy, each time as a step of its own."""
    with open_project(path, assessor="ben") as session:

        def job(connection):
            who = number_assessor(connection, "ben", kind="human")
            for number in range(n):
                at = 2_000_000_000_000 + number
                step = insert_step(
                    connection, kind="judge", title="Grade", assessor_id=who, at=at
                ).step_id
                key = JudgmentKey(1 + number % 2, 1 + number % 4, who)
                change = JudgmentChange(key, None, Judgment(State.JUDGED, float(number % 3)))
                write_entries(
                    connection, [LogEntry(change, None, step, "key")], step_id=step, at=at
                )

        session.write(job)


def test_one_judges_on_while_a_copy_is_merged(copies):
    """What is said meanwhile counts, and what came: no judgment waits for the end of a merge."""
    mine, theirs, _ = copies
    judged_often(theirs)
    with open_project(mine, assessor="anna") as session:
        done = []
        worker = threading.Thread(target=lambda: done.append(write_merge(session, [theirs])))
        worker.start()
        n_judged = 0
        while worker.is_alive() and n_judged < 60:
            session.execute(Say.grade(0, 1 + n_judged % 3, n_judged % 4))
            n_judged += 1
        worker.join()
        session.take_in(done[0].outcome)
        mine_now = session.own_judgment(0, 1 + (n_judged - 1) % 3).grade
        assert n_judged
        assert mine_now == (n_judged - 1) % 4
        assert done[0].report.brought[0].judgments == {"ben": 4}
    assert [grade_of(mine, f"q{n % 2}", f"d{n % 4}", "ben") for n in range(896, 900)] == [
        2,
        0,
        1,
        2,
    ]
    sound(mine)


def test_a_merge_is_stopped_at_any_time(copies):
    """It leaves what was said as it was, and merging again brings all."""
    mine, theirs, _ = copies
    judge(theirs, WriteQuery(Query("q0", "theirs")), set_title("theirs"), by="ben")
    with open_project(theirs, assessor="ben") as session:
        import_readings(session, make_readings(Parts(runs=run_of(1))))
        make_whatif(session, 1)
        take_snapshot(session, 1)
    judge(theirs, Say.grade(0, 1, 3), Say.grade(1, 2, 0))
    before, n_asked, reached = content(mine), 0, False
    while not reached:
        left = itertools.count(n_asked, -1)
        with open_project(mine, assessor="anna") as session:
            try:
                write_merge(session, [theirs], is_cancelled=lambda left=left: next(left) <= 0)
                reached = True
            except WorkCancelledError:
                n_asked += 2
        if not reached:
            assert content(mine) == before
            sound(mine)
    assert n_asked > 4
    assert content(mine)[2].keys() == {"alpha", "r1"}
    assert content(mine)[5]["title"] == "theirs"
    assert merge(mine, theirs).is_nothing
    sound(mine)


def test_a_model_is_nobody_of_the_same_name(copies):
    """A person there and a model here are not one: what to do is said, and nothing changed."""
    mine, theirs, _ = copies
    with open_project(mine, assessor="anna") as session:
        import_said(session, 1, "gpt", "model")
    judge(theirs, Say.grade(0, 1, 2), by="gpt")
    before = content(mine)
    with pytest.raises(InputError, match=r"a person in b\.judge and a model in a\.judge"):
        merge(mine, theirs)
    assert content(mine) == before
    merge(mine, theirs, renames={"gpt": "gpt B"})
    assert content(mine)[5]["kinds"]["gpt B"] == "human"


def test_what_was_changed_in_both_is_counted_where_it_is_much(copies):
    """Ours that are later are named; of many texts and queries some, and how many more."""
    mine, theirs, _ = copies
    for path, text in ((theirs, "theirs"), (mine, "ours")):
        with open_project(path, assessor="anna") as session:
            session.execute(set_title(text))
            for number in session.material.document_ids():
                whole = Document(
                    session.material.document_id(number), text, f"https://{text}", text
                )
                edit_document(session, number, whole)
    report = merge(mine, theirs)
    said = "\n".join(describe_merge(report))
    assert "b.judge: ours are later: the title" in said
    assert re.search(r"and \d+ more texts that differ", said)
    with open_project(mine, assessor="anna") as session:
        assert session.title == "ours"


def test_who_was_known_by_imports_alone_and_judges_there_is_a_person(copies):
    """In the file that takes the copy in; their imported grades stay theirs."""
    mine, theirs, _ = copies
    with open_project(mine, assessor="anna") as session:
        import_said(session, 1, None)
        (name,) = (name for name, kind in load_kinds(session.reader).items() if kind == "import")
    judge(theirs, Say.grade(0, 1, 2), by=name)
    merge(mine, theirs)
    sound(mine)
    with open_project(mine, assessor="anna") as session:
        assert load_kinds(session.reader)[name] == "human"


def test_runs_of_a_name_are_told_apart_unless_they_are_the_same(copies):
    """Both copies import a run of the name: equal ones are one, of others the later gets a number."""
    mine, theirs, third = copies
    rankings = {"q0": ["d1", "d0"]}
    for path, ranking in ((mine, rankings), (theirs, rankings), (third, {"q0": ["d0", "d1"]})):
        with open_project(path, assessor="anna") as session:
            import_readings(session, make_readings(Parts(runs={"late": ranking})))
    before = content(mine)[2]
    merge(mine, theirs)
    assert content(mine)[2] == before
    merge(mine, third)
    found = content(mine)[2]
    assert found == {**before, "late (2)": [[*reversed(before["late"][0])], []]}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_copies_made_by_an_older_judgetool_are_merged(tmp_path, version):
    """Two copies that an older version wrote, of which only one has been opened since."""
    paths = [tmp_path / f"{name}.judge" for name in "ab"]
    for path in paths:
        path.write_bytes(gzip.decompress((OLD / f"schema-{version}.judge.gz").read_bytes()))
    old = paths[1].read_bytes()
    judge(paths[0], Say.grade(0, 1, 1))
    before = content(paths[0])
    assert merge(*paths).is_nothing
    assert content(paths[0]) == before
    assert paths[1].read_bytes() == old
    judge(paths[1], Say.grade(0, 2, 3), by="cem")
    merge(*paths)
    sound(paths[0])


# Laws, over histories of three copies

PLAIN = (
    "undo",
    "redo",
    "title",
    "text",
    "own",
    "run",
    "rename",
    "delete",
    "clicks",
    "said",
    "model",
)
PLAIN += ("asks", "snapshot", "drop", "whatif", "steps", "rules", "baseline", "moment", "counts")
PLAIN += ("guidelines", "levels", "settle")
moves = st.one_of(
    st.tuples(
        st.just("grade"),
        st.sampled_from(NAMES),
        st.integers(0, 1),
        st.integers(1, 2),
        st.integers(0, 3),
    ),
    st.tuples(st.sampled_from(PLAIN), st.sampled_from(NAMES), st.integers(0, 3)),
    st.tuples(st.just("merge"), st.integers(0, 2)),
)
histories = st.lists(st.tuples(st.integers(0, 2), moves), min_size=1, max_size=14)
lawful = settings(
    max_examples=examples(12),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def run_of(number):
    """A run that ranks what the others do not, by its number."""
    return {f"r{number % 2}": {"q0": ["d1", f"x{number}"], "q1": [f"d{1 + number}", "d0"]}}


def import_said(session, number, by, kind=""):
    readings = make_readings(Parts(judgments=[("q0", f"d{number}", by, number)]))
    readings[0].judgments.details[0] = Details(kind=kind)
    import_readings(session, readings)


def a_run(session, number):
    runs = session.material.runs
    return runs[number % len(runs)] if runs else None


def rename_some_run(session, number):
    if run := a_run(session, number):
        rename_run(session, run.run_id, free_run_name(session, f"n{number}"))


def free_run_name(session, name):
    taken = {run.name for run in session.material.runs}
    return next(each for each in (name, *(f"{name}-{n}" for n in range(9))) if each not in taken)


def make_whatif(session, number):
    if run := a_run(session, number):
        create_whatif(session, free_name(session, f"w{number}"), run.run_id)


def move_card(session, number):
    for head in load_whatifs(session)[:1]:
        documents = whatif_book(session).ranking(head.id, 0)
        if len(documents):
            add_step(session, head.id, 0, Remove(int(documents[number % len(documents)])))


def write_rules(session, number):
    for head in load_whatifs(session)[-1:]:
        set_rules(
            session, head.id, (Rule("bottom", (Condition("title", "contains", str(number)),)),)
        )


def choose_baseline(session, number):
    systems = present_systems(session)
    snapshots = load_snapshots(session)
    systems += [each for snapshot in snapshots for each in snapshot.systems]
    if systems:
        set_baseline(session, Baseline.of_system(systems[number % len(systems)]))


def choose_moment(session, _number):
    event = last_event(session)
    set_baseline(session, Baseline("moment", "then", event_id=event, at=session.clock()))


def take_snapshot(session, number):
    if not any(each.name == f"s{number}" for each in load_snapshots(session)):
        create_snapshot(session, f"s{number}")


def drop_snapshot(session, _number):
    for snapshot in load_snapshots(session)[:1]:
        delete_snapshot(session, snapshot.id)


def import_clicks(session, number):
    rows = [ClickRow("q0", f"d{number % 2}", 9 + number, number)]
    import_readings(session, [Reading("clicks.csv", Kind.CLICKS, "clicks", clicks=rows)])


def name_levels(session, number):
    plain = scale_preset("0-3")
    levels = (plain.levels[0]._replace(name=f"none {number}"), *plain.levels[1:])
    session.execute(SetScale(replace(plain, levels=levels), {}))


def ask_for(session, number):
    asks = (AskOf(0, 1 + number // 2, NAMES[number % 2], is_open=number > 0),)
    session.execute(WriteAsks(asks, "Ask"))


ACTS = {
    "undo": lambda session, _number: session.undo(),
    "redo": lambda session, _number: session.redo(),
    "title": lambda session, n: session.execute(set_title(f"t{n}")),
    "text": lambda session, n: session.execute(WriteQuery(Query("q0", f"text {n}"))),
    "own": lambda session, n: session.execute(AddDocument(0, Document(f"own{n}"))),
    "run": lambda session, n: import_readings(session, make_readings(Parts(runs=run_of(n)))),
    "rename": rename_some_run,
    "delete": lambda session, n: (run := a_run(session, n)) and delete_run(session, run.run_id),
    "clicks": import_clicks,
    "said": lambda session, n: import_said(session, n, ("anna", "cem")[n % 2]),
    "model": lambda session, n: import_said(session, n, "gpt", "model"),
    "asks": ask_for,
    "snapshot": take_snapshot,
    "drop": drop_snapshot,
    "whatif": make_whatif,
    "steps": move_card,
    "rules": write_rules,
    "baseline": choose_baseline,
    "moment": choose_moment,
    "counts": lambda session, n: set_counts(session, {session.assessors[0]: n > 1}),
    "guidelines": lambda session, n: session.execute(set_guidelines(session, f"g{n}")),
    "levels": name_levels,
    "settle": lambda session, n: session.execute(settle(0, 1, float(n))),
}


def play(paths, history, skews=(0, 0, 0)):
    """Have things done in copies, whose clocks differ."""
    ticks = itertools.count(2_000_000_000_000, 10)
    for place, move in history:
        path, kind = paths[place], move[0]
        if kind == "merge":
            if move[1] != place:
                merge(path, paths[move[1]])
            continue
        with open_project(
            path, assessor=move[1], clock=lambda skew=skews[place]: next(ticks) + skew
        ) as session:
            n_queries = len(session.material.queries)
            if not n_queries and kind not in ("undo", "redo"):
                continue
            if kind == "grade":
                # Undo may have taken back the import that brought it.
                if move[2] < n_queries:
                    session.execute(Say.grade(move[2], move[3], move[4]))
            else:
                ACTS[kind](session, move[2])


@lawful
@given(histories, st.tuples(*[st.integers(-45, 45)] * 3))
def test_any_order_of_merging_gives_the_same(base, tmp_path_factory, history, skews):
    """Commutative, associative, idempotent; and what came out is what its log says."""
    folder = tmp_path_factory.mktemp("laws")
    a, b, c = copied(base, folder)
    play((a, b, c), history, skews)
    ab, ba, bc = folder / "ab.judge", folder / "ba.judge", folder / "bc.judge"
    for path, of in ((ab, a), (ba, b), (bc, b)):
        shutil.copy(of, path)
    merge(ab, b)
    merge(ba, a)
    assert content(ab) == content(ba)
    once = content(ab)
    assert merge(ab, b).is_nothing
    assert content(ab) == once
    merge(bc, c)
    merge(ab, c)
    merge(ba, bc)
    assert content(ab) == content(ba)
    for path in (ab, ba, bc):
        sound(path)


@lawful
@given(histories, st.tuples(*[st.integers(-45, 45)] * 3))
def test_undoing_a_merge_hides_it_and_merging_again_shows_it(
    base, tmp_path_factory, history, skews
):
    """Merge and undo is as before; redo, and merging again, are as merged; no head is lost."""
    folder = tmp_path_factory.mktemp("laws")
    a, b, c = copied(base, folder)
    play((a, b, c), history, skews)
    before, known = content(a), heads(a)[0] | heads(b)[0]
    if merge(a, b).is_nothing:
        return
    merged = content(a)
    now, parents = heads(a)
    reached, waiting = set(), list(now)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += parents.get(name, ())
    assert known <= reached
    undo(a)
    assert content(a) == before
    sound(a)
    with open_project(a, assessor="anna") as session:
        session.redo()
    assert content(a) == merged
    undo(a)
    merge(a, b)
    assert content(a) == merged
    sound(a)


def test_what_two_of_the_copies_have_is_brought_once(base, tmp_path):
    """Asked, imported and written after one's own copy was made, and before theirs were: at once as one by one."""
    (theirs,) = copied(base, tmp_path, "t")
    with open_project(theirs, assessor="lead") as session:
        for name in ("text", "own", "run", "clicks", "said", "asks", "title", "settle"):
            ACTS[name](session, 1)
    anna, ben = copied(theirs, tmp_path, ("anna", "ben"))
    for path, who in ((anna, "anna"), (ben, "ben")):
        judge(path, Say.grade(0, 2, 3), by=who)
    once, twice = copied(base, tmp_path, ("once", "twice"))
    merge(once, anna, ben)
    merge(twice, ben)
    merge(twice, anna)
    assert content(once) == content(twice)
    sound(once)


FIELDS = ("title", "body", "lang")
rewrites = st.tuples(st.sampled_from(FIELDS), st.sampled_from(("", "x", "y", "z")))
writings = st.lists(
    st.tuples(st.integers(0, 2), st.one_of(rewrites, st.integers(0, 2), st.just("undo"))),
    max_size=10,
)


def rewrite(session, field, text):
    """Change one field of a document, the others as they are."""
    document = session.material.document(1)
    own = {**document.fields, "lang": text} if field == "lang" else document.fields
    texts = {"fields": own} if field == "lang" else {field: text}
    edit_document(session, 1, replace(document, **texts))


def texts_of(path):
    """The fields of a document, as files of texts call them."""
    with open_project(path, read_only=True) as session:
        document = session.material.document(1)
    return {
        "title": document.title,
        "text": document.body,
        "lang": document.fields.get("lang"),
    }


@lawful
@given(writings, st.tuples(*[st.integers(-45, 45)] * 3))
def test_a_merge_names_the_texts_that_differ_and_no_others(base, tmp_path_factory, history, skews):
    """Each as it is in its file; merged the other way, too, all are equal, and nothing of it is named."""
    folder = tmp_path_factory.mktemp("texts")
    paths = copied(base, folder)
    ticks = itertools.count(2_000_000_000_000, 10)
    for place, act in history:
        if isinstance(act, int):
            merge_texts(paths[place], paths[act])
            continue
        clock = partial(tick, ticks, skews[place])
        with open_project(paths[place], assessor="anna", clock=clock) as session:
            session.undo() if act == "undo" else rewrite(session, *act)
    a, b, c = paths
    merge_texts(a, b, c)
    for path in (b, c):
        told = merge_texts(path, a)
        assert all(each.lost_from == "" for each in told)
        assert texts_of(path) == texts_of(a)
        assert merge_texts(a, path) == ()
        assert merge_texts(path, a) == ()


def tick(ticks, skew):
    return next(ticks) + skew


def merge_texts(path, *others):
    """Merge copies, and look at what is said of texts."""
    if path in others:
        return ()
    files = {"": texts_of(path), **{each.name: texts_of(each) for each in others}}
    told = merge(path, *others).texts
    now = texts_of(path)
    for each in told:
        assert each.kept == now[each.part] == files[each.kept_from][each.part]
        assert each.lost == files[each.lost_from][each.part] != each.kept
    return told
