"""Which documents are to be judged: policies, pools from files, documents added by hand."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from judgetool.core.judgments import Document
from judgetool.errors import CommandRefusedError, InputError, ParseError
from judgetool.metrics import RunBlock
from judgetool.session.commands import Say
from judgetool.session.edits import add_document
from judgetool.session.opening import open_project
from judgetool.session.pool import POOL_KINDS, PairArrays, Pool, PoolPolicy, describe_pool, set_pool
from judgetool.session.queue import (
    add_to_pool,
    choose_pool,
    freeze_unjudged,
    preview_pool,
    read_pool_file,
)


def doc(session, external_id):
    return session.material.find_document(external_id)


def pool_ids(session, query):
    ids = session.material.document_ids()
    return [ids[number] for number in session.board.pool(query).tolist()]


def test_pool_of_depth_is_the_top_of_all_runs(session):
    """Of equal ranks the earlier run's document comes first."""
    session.execute(set_pool(PoolPolicy("depth", 2)))
    assert pool_ids(session, 0) == ["d1", "d3", "d2", "d9"]


def test_pool_of_chosen_runs_leaves_others_out(session):
    """A pool of run b has nothing that only run a found."""
    session.execute(set_pool(PoolPolicy("depth", 1, ("b",))))
    assert [pool_ids(session, query) for query in range(3)] == [["d3"], ["d4"], []]


def test_pool_of_everything_has_every_rank(session):
    """Kind 'all' knows no depth."""
    session.execute(set_pool(PoolPolicy("all", 1)))
    assert pool_ids(session, 1) == ["d4", "d1", "d5", "d6"]


def test_pool_of_unjudged_does_not_shrink_by_judging(session):
    """What was unjudged when the pool was chosen stays in it; what was judged is not in it."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.execute(choose_pool(session, PoolPolicy("unjudged", 2)))
    session.execute(Say.grade(0, doc(session, "d2"), 2))
    assert pool_ids(session, 0) == ["d3", "d2", "d9"]
    assert session.board.progress(0) == (1, 3)


def test_pool_with_nothing_left_is_refused(session):
    """An empty pool of unjudged documents is not stored; the pool stays as it was."""
    for query in range(3):
        for document in session.board.pool(query).tolist():
            session.execute(Say.grade(query, document, 1))
    with pytest.raises(CommandRefusedError, match="nothing is left"):
        choose_pool(session, PoolPolicy("unjudged", 3))


def test_pool_is_the_same_when_the_project_is_opened_again(session, project_path):
    """Policy and pairs are kept in the project."""
    session.execute(choose_pool(session, PoolPolicy("unjudged", 1, ("b",))))
    before = [pool_ids(session, query) for query in range(3)]
    with open_project(project_path, read_only=True) as other:
        assert [pool_ids(other, query) for query in range(3)] == before
        assert other.pool_choice.policy == session.pool_choice.policy


def test_choosing_a_pool_can_be_undone(session):
    """Undo brings the old pool back, and its progress."""
    before = pool_ids(session, 0), session.board.total_progress()
    session.execute(set_pool(PoolPolicy("depth", 1)))
    session.undo()
    assert (pool_ids(session, 0), session.board.total_progress()) == before


def test_old_pool_depth_is_taken_over_by_a_policy(session):
    """A pool of a depth is the top of all runs, whatever was chosen before."""
    session.execute(set_pool(PoolPolicy("all")))
    session.execute(set_pool(PoolPolicy("depth", 1)))
    assert session.pool_choice.policy == PoolPolicy("depth", 1)
    assert session.pool_choice.policy.depth == 1


def test_added_document_is_in_the_pool_under_any_policy(session):
    """A document that was added by hand stands behind the others, once."""
    number = doc(session, "d6")
    session.execute(add_to_pool(session, 0, [number]))
    session.execute(set_pool(PoolPolicy("depth", 1)))
    assert pool_ids(session, 0) == ["d1", "d3", "d6"]
    assert session.pool_choice.added == {"1": ("d6",)}


def test_preview_says_how_many_documents_a_pool_would_have(session):
    """Documents in all, and those of them that are unjudged."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    assert preview_pool(session, PoolPolicy("depth", 1)) == (3, 2)
    assert preview_pool(session, PoolPolicy("unjudged", 1)) == (2, 2)


def test_pool_file_is_read_in_its_order(session, tmp_path):
    """Tabs part ids that hold blanks; unknown documents are left out of the pool."""
    path = tmp_path / "pool.tsv"
    path.write_text("1\td9\n1\td2\n\n2 d5\n1\td2\n1\tnot known\n", encoding="utf-8")
    policy = read_pool_file(path)
    assert policy.pairs == {"1": ("d9", "d2", "not known"), "2": ("d5",)}
    session.execute(set_pool(policy))
    assert [pool_ids(session, query) for query in range(3)] == [["d9", "d2"], ["d5"], []]


def test_pool_file_with_odd_lines_is_refused_by_line_number(tmp_path):
    """The first line that does not fit is named, and how many are like it."""
    path = tmp_path / "pool.tsv"
    path.write_text("1\td1\nonly\n1 2 3\n", encoding="utf-8")
    with pytest.raises(ParseError, match=r"line 2: expected .* found 1 column; 2 lines"):
        read_pool_file(path)


def test_a_pool_file_that_is_no_text_is_refused_by_line_number(tmp_path):
    """What no text holds is named like lines that do not fit."""
    path = tmp_path / "pool.tsv"
    path.write_bytes(b"1\td1\n1\td\x002\n")
    with pytest.raises(ParseError, match="line 2: a NUL byte stands at position 4"):
        read_pool_file(path)


def test_who_is_blind_is_told_how_many_runs_make_the_pool():
    """Their names would say whose results are judged."""
    policy = PoolPolicy("depth", 10, ("dense", "bm25"))
    assert describe_pool(policy) == "top 10 of dense, bm25"
    assert describe_pool(policy, is_blind=True) == "top 10 of 2 runs"


def test_empty_pool_file_is_refused(tmp_path):
    """A file without pairs is no pool."""
    path = tmp_path / "pool.tsv"
    path.write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="no lines"):
        read_pool_file(path)


def test_missing_pool_file_is_named(tmp_path):
    """A file that is not there is told in a sentence."""
    with pytest.raises(InputError, match=r"gone\.tsv cannot be read"):
        read_pool_file(tmp_path / "gone.tsv")


def test_unjudged_needs_its_documents(session):
    """A policy that was not frozen cannot be stored."""
    with pytest.raises(CommandRefusedError):
        set_pool(PoolPolicy("unjudged", 2))
    assert freeze_unjudged(session, PoolPolicy("unjudged", 2)).pairs


@pytest.mark.parametrize(("kind", "depth"), [("deep", 1), ("depth", 0)])
def test_policy_that_makes_no_sense_is_refused(kind, depth):
    """An unknown kind and a depth below 1 are told in a sentence."""
    with pytest.raises(CommandRefusedError):
        PoolPolicy(kind, depth)


IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@given(
    kind=st.sampled_from(POOL_KINDS),
    depth=st.integers(1, 99),
    runs=st.lists(IDS, max_size=3).map(tuple),
    pairs=st.dictionaries(IDS, st.lists(IDS, min_size=1, max_size=3).map(tuple), max_size=3),
)
def test_stored_policy_reads_back(kind, depth, runs, pairs):
    """What is stored of a policy makes the same policy again, and can be described."""
    policy = PoolPolicy(kind, depth, runs, pairs if kind in ("unjudged", "file") else {})
    stored = PoolPolicy.from_dict(policy.to_dict())
    assert stored.to_dict() == policy.to_dict()
    assert describe_pool(stored)


RANKINGS = st.lists(
    st.lists(st.lists(st.integers(0, 8), unique=True, max_size=6), min_size=3, max_size=3),
    max_size=3,
)
EXTRA = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12)), max_size=6)


def make_block(run):
    offsets = np.cumsum([0, *map(len, run)])
    return RunBlock(offsets, np.array([each for ranked in run for each in ranked], dtype=np.int32))


@given(runs=RANKINGS, depth=st.none() | st.integers(1, 6), extra=EXTRA)
def test_pool_is_what_a_plain_loop_finds(runs, depth, extra):
    """Rank by rank, run by run, each document once; further pairs behind, in their order."""
    blocks = list(map(make_block, runs))
    columns = np.array(extra, dtype=np.int64).reshape(-1, 2).T
    pool = Pool(blocks, 3, depth, extra=PairArrays(columns[0], columns[1]))
    for query in range(3):
        wanted = [
            run[query][rank]
            for rank in range(6 if depth is None else depth)
            for run in runs
            if rank < len(run[query])
        ]
        wanted += [document for number, document in extra if number == query]
        assert pool.documents(query).tolist() == list(dict.fromkeys(wanted))


@given(runs=RANKINGS, settled=st.dictionaries(st.integers(0, 2), st.sets(st.integers(0, 9))))
def test_progress_counts_settled_members(runs, settled):
    """Settled documents outside a pool do not count."""
    pool = Pool(list(map(make_block, runs)), 3, None)
    pool.count_settled(settled)
    members = [set(pool.documents(query).tolist()) for query in range(3)]
    judged = [len(members[query] & settled.get(query, set())) for query in range(3)]
    assert [pool.progress(query).judged for query in range(3)] == judged
    assert pool.total_progress() == (sum(judged), sum(map(len, members)))
    assert pool.count_open_queries() == sum(
        done < len(those) for done, those in zip(judged, members, strict=True)
    )


def test_document_known_by_id_alone_can_be_added(session):
    """A document without text that no run ranks for the query can be judged there."""
    add_document(session, 2, Document("d5"))
    assert pool_ids(session, 2) == ["d5"]
