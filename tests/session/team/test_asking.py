"""Asking in a project: what an assessor then sees, what comes again, undo, handing over."""

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from judgetool.core.judgments import Query, State
from judgetool.errors import CommandRefusedError, InputError
from judgetool.session.asked import OwnAsks
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import AskOf, Say, WriteAsks
from judgetool.session.finding import (
    Filter,
    QuerySearch,
    list_own_judgments,
    matching_documents,
    parse_filters,
)
from judgetool.session.opening import open_project
from judgetool.session.queue import find_next_pair, find_next_unjudged, judgments_left
from judgetool.session.team.asking import (
    Asking,
    AskWishes,
    find_standing_asks,
    hand_over,
    judging_pace,
    known_answer,
    list_asked_states,
)
from judgetool.storage.values import load_kinds
from tests.helpers.builders import Parts, make_project
from tests.helpers.laws import examples

N_QUERIES, N_DOCUMENTS = 12, 10
RUN = {f"q{q}": [f"q{q}d{d}" for d in range(N_DOCUMENTS)] for q in range(N_QUERIES)}
PARTS = Parts(queries=[Query(name) for name in RUN], runs={"run": RUN})


@pytest.fixture
def path(tmp_path):
    with make_project(tmp_path, PARTS, assessor="lead") as session:
        return session.path


def ask(path, *names, **wished):
    with open_project(path, assessor="lead") as session:
        asking = Asking(session)
        return session.execute(asking.command(asking.plan(AskWishes(names, **wished))))


def ask_plainly(path, *asks):
    """Ask just this: (query, document, assessor, is it again) by the session's numbers."""
    with open_project(path, assessor="lead") as session:
        session.execute(WriteAsks(tuple(AskOf(*each) for each in asks), "Ask"))


def judge_all(session, grade=1.0):
    """Judge what is next until there is nothing, and return the pairs in order."""
    judged, here = [], None
    while (here := find_next_pair(session, here)) is not None:
        session.execute(Say.grade(*here, grade))
        judged.append(here)
    return judged


def states(path):
    with open_project(path, read_only=True) as session:
        return {state.assessor: state[1:] for state in list_asked_states(session)}


def test_who_is_asked_has_that_alone_to_judge(path):
    """The pool of one who is asked is that, and of others the project's."""
    ask(path, "anna", "ben")
    sizes = {}
    for name in ("anna", "ben", "lead"):
        with open_project(path, assessor=name) as session:
            sizes[name] = session.board.total_progress().total, session.is_asked
    assert sizes == {"anna": (60, True), "ben": (60, True), "lead": (120, False)}


def test_one_undo_takes_an_ask_back(path):
    """Asking is one step; undone, the project's pool is there again, and redone the ask."""
    ask(path, "anna", "ben", opinions=2, share=0.5, repeat=0.1)
    before = states(path)
    with open_project(path, assessor="lead") as session:
        session.undo()
        assert list_asked_states(session) == []
        session.redo()
    assert states(path) == before == {"anna": (90, 0, 60, 9, 0), "ben": (90, 0, 60, 9, 0)}


def test_who_is_asked_cannot_take_the_ask_back(path):
    """What nobody in particular has asked is for the lead to undo; one's own judgments are one's own."""
    ask(path, "anna")
    with open_project(path, assessor="anna") as session:
        assert session.undo() is None
        pair = find_next_pair(session, None)
        session.execute(Say.grade(*pair, 1))
        assert session.undo().judgments == (pair,)
        assert session.undo() is None
    with open_project(path, assessor="lead") as session:
        assert session.undo().kind == "ask"


def test_what_others_said_does_not_answer_an_ask_and_is_not_shown(path):
    """An ask is unjudged until the assessor judges it, whatever others say; their words are hidden."""
    ask(path, "anna", "ben", opinions=2)
    with open_project(path, assessor="anna") as session:
        judge_all(session, 3.0)
    with open_project(path, assessor="ben") as session:
        session.set_view(ONLY_MINE)
        assert session.board.total_progress() == (0, 120)
        assert not any(session.opinions(query) for query in range(N_QUERIES))
        assert session.asks.progress == (0, 120)
    assert states(path)["anna"] == (120, 120, 120, 0, 0)


def test_asking_again_adds_what_is_lacking(path):
    """The same again asks nothing; a further opinion is asked of who has not given one."""
    ask(path, "anna", "ben")
    with pytest.raises(CommandRefusedError, match="asked already"):
        ask(path, "anna", "ben")
    ask(path, "anna", "ben", opinions=2)
    assert states(path) == {"anna": (120, 0, 120, 0, 0), "ben": (120, 0, 120, 0, 0)}


def test_what_a_person_has_judged_already_is_an_opinion(path):
    """Nobody is asked a document that a person has judged of their own accord, unless by a second."""
    with open_project(path, assessor="cem") as session:
        for document in session.board.pool(0).tolist():
            session.execute(Say.grade(0, document, 2))
    ask(path, "anna")
    assert states(path)["anna"][0] == 110


def test_known_answers_are_asked_like_others_and_not_shown(path):
    """What is settled is nobody's opinion: it is asked, and unjudged until it is judged."""
    with open_project(path, assessor="lead") as session:
        pair = (0, int(session.board.pool(0)[0]))
        session.execute(Say.grade(*pair, 3)._replace(is_settling=True))
    ask(path, "anna")
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        assert session.board.total_progress() == (0, 120)
        assert not session.opinions(0)
        assert known_answer(session, *pair).grade == 3


# What comes again


def again_project(path, n_asked, n_again):
    with open_project(path, assessor="lead") as session:
        pool = [(q, int(d)) for q in range(N_QUERIES) for d in session.board.pool(q)][:n_asked]
    ask_plainly(path, *((*pair, "anna") for pair in pool))
    ask_plainly(path, *((*pair, "anna", True) for pair in pool[:n_again]))
    return pool


def test_a_document_comes_again_a_hundred_judgments_later_as_if_for_the_first_time(path):
    """Until then it is judged; then nothing is said of it, on any list, and its grade is gone."""
    pool = again_project(path, 110, 1)
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        for pair in pool[:100]:
            session.execute(Say.grade(*pair, 2))
        assert session.own_judgment(*pool[0]).grade == 2
        changed = session.execute(Say.grade(*pool[100], 2))
        assert changed.opened == (pool[0],)
        assert session.own_judgment(*pool[0]).state is State.UNJUDGED
        assert pool[0][1] not in session.board.settled(0)
        assert pool[0] not in [(row.query, row.document) for row in list_own_judgments(session)]
        assert matching_documents(session, 0, [pool[0][1]], parse_filters("mine")) == []
        assert session.asks.progress == (101, 111)
        session.execute(Say.grade(*pool[0], 1))
        assert session.own_judgment(*pool[0]).grade == 1
        assert session.board.settled(0)[pool[0][1]].grade == 1
        assert session.asks.progress == (102, 111)


def test_with_fewer_left_what_comes_again_comes_last(path):
    """Where there are no hundred, it comes when nothing else is left; then everything is done."""
    pool = again_project(path, 20, 2)
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        judged = judge_all(session)
        assert sorted(judged[:20]) == pool
        assert sorted(judged[20:]) == pool[:2]
        assert session.asks.progress == (22, 22)
    assert states(path)["anna"] == (20, 20, 0, 2, 2)


def test_the_first_judgment_stays_as_it_was(path):
    """Both are kept; what counts where several are folded is the first."""
    pool = again_project(path, 3, 1)
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        judge_all(session, 3.0)
        session.execute(Say.grade(*pool[0], 0))
    with open_project(path, read_only=True) as session:
        assert session.board.settled(0)[pool[0][1]].grade == 3
        assert session.assessors == ("lead", "anna")
        assert [o.judgment.grade for o in session.opinions(0)[pool[0][1]]] == [3]


def test_means_go_by_the_first_judgment_while_something_is_open(path):
    """Neither asking again nor the second judgment changes a value; undo of it neither."""
    pool = again_project(path, 3, 2)
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        for (query, document), grade in zip(pool, (3, 2, 1), strict=True):
            session.execute(Say.grade(query, document, grade))
        values = [means_of(session)]
        session.execute(Say.grade(*pool[0], 0))
        values.append(means_of(session))
        session.undo()
        values.append(means_of(session))
    with open_project(path, read_only=True) as session:
        assert values == [means_of(session)] * 3


def means_of(session):
    """Return the means of the first run, and what is left to a Judged@10 of 1."""
    means = session.board.engine.means(session.material.runs[0].run_id)
    return [each.value for each in means], judgments_left(session)


def test_undo_goes_back_to_what_came_again(path):
    """Undo takes the second judgment back, and nothing else; then it is open once more."""
    pool = again_project(path, 3, 1)
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        for pair in pool:
            session.execute(Say.grade(*pair, 3))
        session.execute(Say.grade(*pool[0], 1))
        changed = session.undo()
        assert changed.judgments == (pool[0],)
        assert session.own_judgment(*pool[0]).state is State.UNJUDGED
        assert session.board.total_progress() == (2, 3)
        session.redo()
        assert session.own_judgment(*pool[0]).grade == 1


def test_undo_of_what_let_it_come_shows_the_first_judgment(path):
    """Where something else is left again, what was to come last has not come."""
    pool = again_project(path, 3, 1)
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        for pair in pool:
            session.execute(Say.grade(*pair, 3))
        assert session.undo().opened == (pool[0],)
        assert session.own_judgment(*pool[0]).grade == 3
        assert session.board.settled(0)[pool[0][1]].grade == 3


def test_what_came_again_is_there_after_opening(path):
    """Closed and opened, the same is open and the same is hidden."""
    pool = again_project(path, 3, 1)
    with open_project(path, assessor="anna") as session:
        for pair in pool:
            session.execute(Say.grade(*pair, 3))
    with open_project(path, assessor="anna") as session:
        session.set_view(ONLY_MINE)
        assert session.own_judgment(*pool[0]).state is State.UNJUDGED
        assert find_next_unjudged(session, 0, session.board.pool(0).tolist(), after=-1) is not None
        assert session.is_asked


def test_notes_and_skips_of_what_comes_again_are_its_own(path):
    """The first judgment's note is neither shown nor changed."""
    pool = again_project(path, 2, 1)
    with open_project(path, assessor="anna") as session:
        session.execute(Say.note(*pool[0], "first"))
        for pair in pool:
            session.execute(Say.grade(*pair, 3))
        session.execute(Say.note(*pool[0], "second"))
        session.execute(Say.skip(*pool[0]))
        assert session.own_judgment(*pool[0]).note == "second"
        assert session.own_judgment(*pool[0]).state is State.SKIPPED
    with open_project(path, read_only=True) as session:
        (said,) = session.opinions(0)[pool[0][1]]
        assert (said.judgment.grade, said.judgment.note) == (3, "first")


# A law: what is kept up to date with every judgment is what is read anew

OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(["grade", "grade", "grade", "skip", "clear"]), st.integers(0, 7)),
    st.tuples(st.sampled_from(["undo", "redo", "bulk"]), st.integers(0, 7)),
)


@settings(max_examples=examples(15))
@given(st.lists(OPERATIONS, max_size=25), st.integers(0, 3))
def test_what_is_asked_is_known_as_if_read_anew(operations, later):
    """After any judging, skipping, taking back, undoing and redoing."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("judgetool.session.asked.AGAIN_AFTER", later)
        with make_project(Path(folder), PARTS, assessor="lead") as session:
            path = session.path
        pool = again_project(path, 6, 3)
        with open_project(path, assessor="lead") as session:
            pool += [(q, int(d)) for q in (1, 2) for d in session.board.pool(q)][:2]
        with open_project(path, assessor="anna", clock=count().__next__) as session:
            session.set_view(ONLY_MINE)
            for name, place in operations:
                do_something(session, name, pool, place)
                fresh = OwnAsks(session.assessor_id, session.material.place_of)
                fresh.read(session.reader)
                assert session.asks.voices == fresh.voices
                assert session.asks.progress == fresh.progress
                for query, document in pool:
                    own = session.own_judgment(query, document)
                    settled = session.board.settled(query).get(document)
                    assert own.grade == (settled.grade if settled else None)


def do_something(session, name, pool, place):
    if name == "bulk":
        session.execute(Say.grade_many(tuple(pool[place:][:3]), 2))
    elif name == "grade":
        session.execute(Say.grade(*pool[place], place % 4))
    elif name in ("skip", "clear"):
        session.execute(getattr(Say, name)(*pool[place]))
    else:
        getattr(session, name)()


# Filters


def test_the_chip_lets_through_what_is_asked(path):
    """asked:me is the assessor's, asked:NAME anybody's; queries are those with something asked."""
    pool = again_project(path, 15, 0)
    every = [document for query, document in pool if query == 1]
    with open_project(path, assessor="anna") as session:
        listed = session.board.top_pool(10).documents(1).tolist()
        assert matching_documents(session, 1, listed, [Filter("asked", "me")]) == every
        assert QuerySearch(session, [Filter("asked", "me")]).find_here() == [0, 1]
    with open_project(path, assessor="ben") as session:
        assert matching_documents(session, 1, listed, parse_filters("asked:anna")) == every
        assert matching_documents(session, 1, listed, parse_filters("asked:me")) == []


# Handing over


def test_what_is_open_is_handed_over_and_what_is_judged_stays(path):
    """One step; Undo gives it back."""
    ask(path, "anna", "ben")
    with open_project(path, assessor="anna") as session:
        pair = find_next_pair(session, None)
        session.execute(Say.grade(*pair, 1))
    with open_project(path, assessor="lead") as session:
        command = hand_over(session, "anna", "cem")
        assert command.title == "Hand 59 documents over from anna to cem"
        session.execute(command)
    assert states(path) == {
        "anna": (1, 1, 0, 0, 0),
        "ben": (60, 0, 0, 0, 0),
        "cem": (59, 0, 0, 0, 0),
    }
    with open_project(path, assessor="lead") as session:
        session.undo()
    assert states(path)["anna"] == (60, 1, 0, 0, 0)
    assert "cem" not in states(path)


def test_nobody_gets_handed_what_they_are_asked_already(path):
    """A second opinion by the same person would be none."""
    ask(path, "anna", "ben", opinions=2)
    with open_project(path, assessor="lead") as session:
        session.execute(hand_over(session, "anna", "ben"))
    assert states(path) == {"ben": (120, 0, 0, 0, 0)}


def test_what_cannot_be_handed_over_is_said(path):
    """Nothing open, or nobody else."""
    ask(path, "anna")
    with open_project(path, assessor="lead") as session:
        with pytest.raises(CommandRefusedError, match="Nothing that ben is asked is open"):
            hand_over(session, "ben", "anna")
        with pytest.raises(CommandRefusedError, match="somebody else"):
            hand_over(session, "anna", "anna")
    ask_plainly(path, (0, 1, "anna", True))
    with open_project(path, assessor="lead") as session:
        kinds = load_kinds(session.reader).items()
        second = next(name for name, kind in kinds if kind == "again")
        with pytest.raises(CommandRefusedError, match="is nobody who can judge or be asked"):
            hand_over(session, "anna", second)


def test_what_stands_of_an_ask_is_told_by_whom(path):
    """What comes again beside what was asked, each by the name of who is asked."""
    ask_plainly(path, (0, 1, "anna"), (0, 2, "ben"), (0, 2, "ben", True))
    with open_project(path, assessor="lead") as session:
        standing = find_standing_asks(session)
    assert {who: len(pairs) for who, pairs in standing.asked.items()} == {"anna": 1, "ben": 1}
    assert standing.again == {"ben": standing.asked["ben"]}


def test_an_ask_of_many_is_called_by_their_number(path):
    """A line of the history has no room for all of their names."""
    names = [f"n{number}" for number in range(9)]
    ask(path, *names)
    with open_project(path, assessor="lead") as session:
        assert session.undo_step.title == f"Ask {len(names)} assessors: 120 documents"


def test_without_documents_nothing_can_be_asked(tmp_path):
    """An empty pool is said, with what to do."""
    with (
        make_project(tmp_path, Parts(queries=[Query("q")]), assessor="lead") as session,
        pytest.raises(InputError, match="Nothing is to be judged"),
    ):
        Asking(session).plan(AskWishes(("anna",)))


def test_the_pace_is_known_after_twenty_judgments(path):
    """Before, nothing is said of hours."""
    with open_project(path, assessor="lead") as session:
        pairs = [(q, int(d)) for q in range(3) for d in session.board.pool(q)]
        for number, pair in enumerate(pairs):
            assert (judging_pace(session) is None) == (number < 20)
            session.execute(Say.grade(*pair, 1), origin="key", spent_ms=30_000)
        assert judging_pace(session) == 30_000
        described = Asking(session).plan(AskWishes(("anna", "ben"))).describe()
        assert described == "anna 50 · ben 40 · about 20 min to 25 min each"
