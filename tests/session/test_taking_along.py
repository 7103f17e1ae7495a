"""Judgments under a mistyped name, taken along to the right one: whose they are changes, and nothing else."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import VIEW_RULES
from judgetool.errors import CommandRefusedError, InputError, ReadOnlyError
from judgetool.session.board import COUNTS_KEY, ONLY_MINE
from judgetool.session.commands import AskOf, Say, WriteAsks
from judgetool.session.edits import plan_along, take_along
from judgetool.session.finding import list_own_judgments
from judgetool.session.history import load_history
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project, recover_project
from judgetool.session.team.agreement import set_counts
from judgetool.session.team.disputes import load_disputes, settle
from judgetool.session.team.merging import merge_copies
from judgetool.session.team.overview import overview_work
from judgetool.storage.copies import load_conflicting_pairs
from tests.helpers.builders import open_made, query_documents, simple_parts
from tests.helpers.laws import examples

FORMER, NAME = "Alyin", "Aylin"


def lay_project(folder):
    """A small project that nobody has judged in; its file."""
    with open_made(folder, simple_parts()) as session:
        return session.path


@pytest.fixture
def path(tmp_path):
    return lay_project(tmp_path)


def said_in(session):
    """All that is said, by query, document and who: what, and when."""
    return {
        (query, document, opinion.assessor): (opinion.judgment, at)
        for query, document, opinion, at in session.iter_judgments()
    }


def values_in(session):
    """The means of all runs in every view but one's own."""
    found = {}
    for view in VIEW_RULES:
        if view != ONLY_MINE:
            session.set_view(view)
            runs = session.material.runs
            found[view] = [session.board.engine.means(run.run_id) for run in runs]
    return found


def judge(path, who, *says):
    """Say something of the documents of the first query, by their places."""
    with open_project(path, assessor=who) as session:
        documents = query_documents(session, 0)
        for place, say, *given in says:
            session.execute(say(0, int(documents[place]), *given))


def judge_all_kinds(path):
    """Grades, a reason with a note, a flag, a skip, a note alone; of one document two opinions."""
    judge(path, "ben", (0, Say.grade, 1.0), (1, Say.grade, 3.0))
    judge(
        path,
        FORMER,
        (0, Say.grade, 3.0),
        (1, Say.cannot_judge, "not in my language"),
        (1, Say.note, "perhaps a recipe"),
        (2, Say.grade, 2.0),
        (2, Say.flag, True),
        (2, Say.confidence, 1),
        (3, Say.skip),
        (4, Say.note, "look again"),
    )
    judge(path, "ben", (2, Say.grade, 0.0))


def renamed(said):
    return {(q, d, NAME if who == FORMER else who): what for (q, d, who), what in said.items()}


def test_all_comes_along_but_whose_it_is(path):
    """Grade, state, note, reason, flag and time stay; Undo and Redo turn all of it at once."""
    judge_all_kinds(path)
    with open_project(path, assessor=NAME) as session:
        before, values = said_in(session), values_in(session)
        plan = plan_along(session, FORMER, NAME)
        assert (plan.n_taken, plan.n_kept, plan.is_from_here) == (5, 0, True)
        take_along(session, FORMER)
        assert said_in(session) == renamed(before)
        assert values_in(session) == values
        assert load_history(session, limit=1)[0].title == "Take 5 judgments of Alyin along"
        reasons = {row.reason: row.note for row in list_own_judgments(session) if row.reason}
        assert reasons == {"not in my language": "perhaps a recipe"}
        session.undo()
        assert (said_in(session), values_in(session)) == (before, values)
        session.redo()
        assert (said_in(session), values_in(session)) == (renamed(before), values)
    with open_project(path, assessor=NAME) as session:
        assert (said_in(session), values_in(session)) == (renamed(before), values)
    assert check_project(path).problems == []


def test_what_the_new_name_has_judged_stays(path):
    """Both judgments of one document stay where they are, and it is said how many."""
    judge(path, FORMER, (0, Say.grade, 3.0), (1, Say.grade, 2.0))
    judge(path, NAME, (1, Say.grade, 0.0))
    with open_project(path, assessor=NAME) as session:
        before = said_in(session)
        told = take_along(session, FORMER).told
        assert told == (
            "1 judgment of Alyin is under the new name now. "
            "1 stays Alyin’s: the new name has judged that document, too."
        )
        first, second = map(int, query_documents(session, 0)[:2])
        assert said_in(session) == {
            (0, first, NAME): before[0, first, FORMER],
            (0, second, FORMER): before[0, second, FORMER],
            (0, second, NAME): before[0, second, NAME],
        }
        with pytest.raises(CommandRefusedError, match="has no judgment that"):
            take_along(session, FORMER)


def test_a_dispute_that_was_opened_again_stays_open(path):
    """What the former name graded anew after it was settled is theirs under the right name, too."""
    judge(path, "ben", (0, Say.grade, 1.0), (1, Say.grade, 1.0))
    judge(path, FORMER, (0, Say.grade, 3.0), (1, Say.grade, 3.0))
    with open_project(path, assessor="lead") as session:
        pairs = [(0, int(document)) for document in query_documents(session, 0)[:2]]
        for pair in pairs:
            session.execute(settle(*pair, 2.0))
    judge(path, FORMER, (1, Say.grade, 0.0))
    with open_project(path, assessor=NAME) as session:
        assert [each[:2] for each in load_disputes(session)] == pairs[1:]
        take_along(session, FORMER)
        assert [each[:2] for each in load_disputes(session)] == pairs[1:]


def test_agreement_is_of_nobody_with_oneself(path):
    """A name without a judgment left is no assessor any more whom others agree with."""
    judge(path, FORMER, (0, Say.grade, 3.0), (1, Say.grade, 2.0))
    with open_project(path, assessor=NAME) as session:
        take_along(session, FORMER)
        overview = overview_work(session)(None, None)
        assert [each.name for each in overview.assessors] == [NAME]


def test_who_does_not_count_does_not_under_the_right_name(path):
    """Values stay what they are, and Undo takes that back, too."""
    judge_all_kinds(path)
    with open_project(path, assessor=NAME) as session:
        set_counts(session, {FORMER: False})
        values = values_in(session)
        take_along(session, FORMER)
        assert not session.does_count(NAME)
        assert values_in(session) == values
        session.undo()
        assert session.value(COUNTS_KEY) == {FORMER: False}


def test_what_is_refused(path):
    """An unknown name, a model’s, no name at all, and a project that is only read; nothing is changed."""
    judge_all_kinds(path)
    with open_project(path, assessor=NAME) as session:
        before = said_in(session)
        with pytest.raises(InputError, match="There is no assessor ‘nobody’"):
            take_along(session, "nobody")
        assert said_in(session) == before
    second = "Alyin (again)"
    refused = pytest.raises(CommandRefusedError, match="second judgments")
    with open_project(path, assessor=second) as session, refused:
        take_along(session, FORMER)
    with open_project(path, assessor=NAME, read_only=True) as session:
        with pytest.raises(ReadOnlyError):
            take_along(session, FORMER)
        assert said_in(session) == before


def merged(into: Path, other: Path) -> None:
    with open_project(into, assessor=NAME) as session:
        merge_copies(session, [other])


@pytest.mark.parametrize("is_taken_in", ["this copy", "the other", "both"])
def test_a_copy_with_the_old_name_is_merged(path, tmp_path, is_taken_in):
    """Nothing is lost, and nobody is in conflict with oneself, whoever took along and in both directions."""
    judge_all_kinds(path)
    other = tmp_path / "b.judge"
    shutil.copy(path, other)
    with open_project(path, assessor=NAME, read_only=True) as session:
        wanted = renamed(said_in(session))
    for each, name in ((path, "this copy"), (other, "the other")):
        if is_taken_in in (name, "both"):
            with open_project(each, assessor=NAME) as session:
                take_along(session, FORMER)
    merged(path, other)
    merged(other, path)
    for each in (path, other):
        with open_project(each, assessor=NAME, read_only=True) as session:
            assert said_in(session) == wanted
            assert not len(load_conflicting_pairs(session.reader))
        assert check_project(each).problems == []


def test_what_the_copy_has_judged_meanwhile_stays_of_the_old_name(path, tmp_path):
    """It can be taken along then; the window does not offer it, since it was given elsewhere."""
    judge(path, FORMER, (0, Say.grade, 3.0))
    other = tmp_path / "b.judge"
    shutil.copy(path, other)
    judge(other, FORMER, (1, Say.grade, 2.0))
    with open_project(path, assessor=NAME) as session:
        take_along(session, FORMER)
    merged(path, other)
    with open_project(path, assessor=NAME) as session:
        whose = sorted(who for _, _, who in said_in(session))
        assert whose == [FORMER, NAME]
        plan = plan_along(session, FORMER, NAME)
        assert (plan.n_taken, plan.is_from_here) == (1, False)
        take_along(session, FORMER)
        assert {who for _, _, who in said_in(session)} == {NAME}


def test_it_is_recovered(path, tmp_path):
    """The safety log has it: a project that is lost comes back with the right name."""
    judge_all_kinds(path)
    with open_project(path, assessor=NAME) as session:
        take_along(session, FORMER)
        wanted = said_in(session)
    path.unlink()
    found = tmp_path / "found.judge"
    assert recover_project(str(path), found).is_complete
    with open_project(found, assessor=NAME) as session:
        assert said_in(session) == wanted
        session.undo()
        assert {who for _, _, who in said_in(session)} == {FORMER, "ben"}
    assert check_project(found).problems == []


says = st.tuples(
    st.sampled_from([FORMER, NAME, "ben"]),
    st.integers(0, 5),
    st.sampled_from(["grade", "cannot", "flag", "note", "skip", "clear"]),
    st.sampled_from([0.0, 1.0, 2.0, 3.0]),
)


def command(kind, document, grade):
    return {
        "grade": lambda: Say.grade(0, document, grade),
        "cannot": lambda: Say.cannot_judge(0, document, "why" if grade > 1 else ""),
        "flag": lambda: Say.flag(0, document, grade > 1),
        "note": lambda: Say.note(0, document, "a note" * (grade > 1)),
        "skip": lambda: Say.skip(0, document),
        "clear": lambda: Say.clear(0, document),
    }[kind]()


@given(said=st.lists(says, max_size=25))
@settings(max_examples=examples(60))
def test_taken_along_and_undone_is_as_before(said):
    """Values are those of before while no name has judged what the other did, and whose nothing else is."""
    with TemporaryDirectory() as folder:
        path = lay_project(Path(folder))
        for who, place, kind, grade in said:
            with open_project(path, assessor=who) as session:
                document = int(query_documents(session, 0)[place])
                session.execute(command(kind, document, grade))
        with open_project(path, assessor=NAME) as session:
            before, values = said_in(session), values_in(session)
            own = {key[:2] for key in before if key[2] == NAME}
            wanted = {
                (q, d, NAME if who == FORMER and (q, d) not in own else who): what
                for (q, d, who), what in before.items()
            }
            if wanted == before:
                return
            take_along(session, FORMER)
            assert said_in(session) == wanted
            assert values_in(session) == values
            session.reload()
            assert (said_in(session), values_in(session)) == (wanted, values)
            session.undo()
            assert (said_in(session), values_in(session)) == (before, values)
            session.redo()
            assert (said_in(session), values_in(session)) == (wanted, values)
        assert check_project(path).problems == []


def test_what_stays_asked_of_the_old_name_is_said(path):
    """Asks and second judgments do not come along; that stands in the plan and in what was done."""
    with open_project(path, assessor="lead") as session:
        pair = 0, int(query_documents(session, 0)[0])
        session.execute(
            WriteAsks((AskOf(*pair, FORMER), AskOf(*pair, FORMER, is_again=True)), "Ask")
        )
    judge(path, FORMER, (0, Say.grade, 3.0))
    said = "1 document stays asked of Alyin, and what Alyin judged a second time stays there."
    with open_project(path, assessor=NAME) as session:
        assert plan_along(session, FORMER, NAME).left == said
        assert take_along(session, FORMER).told.endswith(f"under the new name now. {said}")


def test_what_one_is_asked_is_judged_with_it(path):
    """What was judged under the mistyped name is done under the right one, and open again after Undo."""
    judge(path, FORMER, (0, Say.grade, 3.0))
    with open_project(path, assessor="lead") as session:
        pairs = [(0, int(document)) for document in query_documents(session, 0)[:2]]
        session.execute(WriteAsks(tuple(AskOf(*pair, NAME) for pair in pairs), "Ask Aylin"))
    with open_project(path, assessor=NAME) as session:
        assert session.asks.list_firsts() == [(pairs[0], False), (pairs[1], False)]
        take_along(session, FORMER)
        for _ in "now", "anew":
            assert sorted(session.asks.list_firsts()) == [(pairs[0], True), (pairs[1], False)]
            assert session.own_judgment(*pairs[0]).grade == 3.0
            session.reload()
        session.undo()
        for _ in "now", "anew":
            assert sorted(session.asks.list_firsts()) == [(pairs[0], False), (pairs[1], False)]
            session.reload()
