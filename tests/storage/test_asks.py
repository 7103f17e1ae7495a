"""What assessors are asked to judge: it hangs on steps, and judging writes nothing to it."""

import pytest

from judgetool.cli.main import run
from judgetool.errors import InputError
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from judgetool.storage.asks import Ask, ensure_assessor, insert_asks, load_asks
from judgetool.storage.judgments import insert_step, set_step_state
from judgetool.storage.values import load_assessors
from tests.helpers.builders import make_project, simple_parts


@pytest.fixture
def session(tmp_path):
    opened = make_project(tmp_path, simple_parts())
    yield opened
    opened.close()


def ask(session, *asks, name="anna", at=1):
    """Ask somebody, as a step of nobody; return their number and the step's."""

    def job(connection):
        who = ensure_assessor(connection, name, kind="human")
        step = insert_step(connection, kind="ask", title="Ask", assessor_id=None, at=at)
        rows = [Ask(query, document, who, is_open) for query, document, is_open in asks]
        insert_asks(connection, rows, step_id=step.step_id)
        return who, step.step_id

    return session.write(job)


def still_asked(session, who):
    """What somebody is asked and has not judged, by numbers of query and document."""
    asks = load_asks(session.reader, who)
    return [(each.query_id, each.document_id) for each in asks if not each.is_judged]


def number(session, place):
    return session.material.query_ids[place]


def test_an_ask_is_open_until_it_is_judged_and_again_after_undo(session):
    """Whether it is answered the judgments tell."""
    query = number(session, 0)
    who, _ = ask(session, (query, 1, True), (query, 2, True))
    assert still_asked(session, who) == [(query, 1), (query, 2)]
    session.execute(Say.grade(0, 1, 2))
    assert still_asked(session, who) == [(query, 2)]
    assert [each.is_judged for each in load_asks(session.reader, who)] == [True, False]
    session.undo()
    assert still_asked(session, who) == [(query, 1), (query, 2)]


def test_a_skipped_document_is_still_asked_for(session):
    """Putting off is no answer; that it cannot be judged is one."""
    query = number(session, 0)
    who, _ = ask(session, (query, 1, True), (query, 2, True))
    session.execute(Say.skip(0, 1))
    session.execute(Say.cannot_judge(0, 2))
    assert still_asked(session, who) == [(query, 1)]


def test_a_later_step_takes_an_ask_back(session):
    """So asks are handed over; undoing that step asks again."""
    query = number(session, 0)
    who, _ = ask(session, (query, 1, True), at=1)
    _, step = ask(session, (query, 1, False), at=2)
    assert still_asked(session, who) == []
    session.write(lambda connection: set_step_state(connection, step, "undone"))
    assert still_asked(session, who) == [(query, 1)]


def test_asks_of_a_step_that_was_undone_are_not_there(session):
    """They hang on their step, as texts do."""
    who, step = ask(session, (number(session, 0), 1, True))
    session.write(lambda connection: set_step_state(connection, step, "undone"))
    assert still_asked(session, who) == []


def test_the_safety_log_brings_asks_back(session, tmp_path):
    """A file put back by an older one gets them again, and the judgments with what they replaced."""
    old = tmp_path / "old.judge"
    session.save_copy(old)
    query, path = number(session, 1), session.path
    who, _ = ask(session, (query, 3, True), (query, 4, True))
    session.execute(Say.grade(1, 3, 2))
    session.execute(Say.grade(1, 3, 1))
    session.undo()
    select = "SELECT uuid, parents FROM events ORDER BY event_id"
    lines = session.reader.execute(select).fetchall()
    session.close()
    path.write_bytes(old.read_bytes())
    assert run(["recover", str(path), str(tmp_path / "new.judge")]) == 0
    with open_project(tmp_path / "new.judge", assessor="anna") as again:
        assert still_asked(again, who) == [(query, 4)]
        assert again.reader.execute(select).fetchall() == lines


def test_kinds_of_assessors_are_told_apart(session):
    """Second judgments are an assessor of their own that points to the person."""

    def job(connection):
        person = ensure_assessor(connection, "anna", kind="human")
        ensure_assessor(connection, "anna (again)", kind="again", person_id=person)
        ensure_assessor(connection, "settled", kind="settled")
        with pytest.raises(InputError):
            ensure_assessor(connection, "settled", kind="model")

    session.write(job)
    found = {row.name: (row.kind, row.person_id) for row in load_assessors(session.reader)}
    assert found == {
        "anna": ("human", None),
        "anna (again)": ("again", 1),
        "settled": ("settled", None),
    }
