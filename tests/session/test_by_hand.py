"""Queries and documents written by hand."""

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import Say
from judgetool.session.edits import (
    add_document,
    add_query,
    ask_oneself,
    document_problem,
    edit_document,
    edit_query,
)


def doc(session, external_id):
    return session.material.find_document(external_id)


def has_in_pool(session, query, external_id):
    return doc(session, external_id) in session.board.pool(query).tolist()


def test_new_query_stands_last(session):
    """It has the texts that were typed, and an empty pool."""
    changed = add_query(session, Query("4", "leeks", "What to cook.", "Not wild ones."))
    assert changed.is_material
    assert session.material.queries[-1] == Query("4", "leeks", "What to cook.", "Not wild ones.")
    assert session.board.progress(3).is_done


def test_new_query_can_be_undone_and_done_again(session):
    """One step for Undo and Redo."""
    add_query(session, Query("4", "leeks"))
    session.undo()
    assert session.material.find_query("4") is None
    session.redo()
    assert session.material.find_query("4") == 3


def test_query_that_was_undone_can_be_added_again(session):
    """The id is free again."""
    add_query(session, Query("4", "leeks"))
    session.undo()
    add_query(session, Query("4", "onions"))
    assert session.material.queries[3].text == "onions"


@pytest.mark.parametrize(
    ("query", "part"),
    [
        (Query("", "text"), "no id"),
        (Query(" ", "text"), "no id"),
        (Query("2", "other"), "already .‘bread’."),
        (Query("5", "half \ud800"), "half a character"),
        (Query("5", "x", weight=0), "weight"),
    ],
)
def test_query_that_cannot_be_added_is_refused(session, query, part):
    """Empty ids, duplicates and texts that no file holds are named; nothing is written."""
    before = session.undo_step
    with pytest.raises(CommandRefusedError, match=part):
        add_query(session, query)
    assert session.undo_step == before


def test_who_is_asked_adds_a_document_to_what_they_are_asked(session):
    """A new one with its text is added before; asked already, nothing is written."""
    new = Document("own", "My own soup")
    ask_oneself(session, 0, new)
    assert (0, doc(session, "own")) in session.asks
    assert session.material.document(doc(session, "own")).title == "My own soup"
    last = session.undo_step
    assert ask_oneself(session, 0, Document("own")) is None
    assert session.undo_step == last


def test_ids_that_differ_in_blanks_are_different(session):
    """An id is kept just as it is typed."""
    add_query(session, Query("2 ", "other"))
    assert [query.id for query in session.material.queries] == ["1", "2", "3", "2 "]


def test_edited_query_keeps_its_place_and_judgments(session):
    """Only the texts change, and Undo brings the old ones back."""
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    edit_query(session, 0, Query("whatever", "broth", "What to cook."))
    assert session.material.queries[0] == Query("1", "broth", "What to cook.")
    assert session.board.settled(0)[doc(session, "d1")].grade == 3
    session.undo()
    assert session.material.queries[0].text == "soup"


def test_unchanged_query_is_no_step(session):
    """Nothing is written when nothing is different."""
    assert edit_query(session, 0, session.material.queries[0]) is None


def test_new_document_is_in_the_pool_and_can_be_judged(session):
    """A document that no run ranks is written, pooled and judged."""
    add_document(session, 2, Document("new", "A title", body="text"))
    assert has_in_pool(session, 2, "new")
    assert session.material.document(doc(session, "new")).title == "A title"
    session.execute(Say.grade(2, doc(session, "new"), 2))
    assert session.board.progress(2) == (1, 1)


def test_new_document_is_one_step(session):
    """One Undo takes text and pool back, one Redo brings both."""
    add_document(session, 2, Document("new", "A title"))
    session.undo()
    assert not has_in_pool(session, 2, "new")
    assert not session.material.document(doc(session, "new")).has_text
    session.redo()
    assert has_in_pool(session, 2, "new")
    assert session.material.document(doc(session, "new")).title == "A title"


def test_known_document_is_added_by_its_id(session):
    """Its text stays as it is; once in the pool, nothing more happens."""
    add_document(session, 0, Document("new", "A title"))
    add_document(session, 2, Document("new"))
    assert has_in_pool(session, 2, "new")
    assert session.material.document(doc(session, "new")).title == "A title"
    assert add_document(session, 2, Document("new")) is None


def test_document_without_text_can_be_added(session):
    """An id alone will do: perhaps it is looked at elsewhere."""
    add_document(session, 2, Document("bare"))
    assert has_in_pool(session, 2, "bare")
    assert not session.material.document(doc(session, "bare")).has_text


def test_document_known_by_id_gets_its_text(session):
    """A run's document that had no text may be written by hand."""
    add_document(session, 2, Document("d6", "Now with a title"))
    assert session.material.document(doc(session, "d6")).title == "Now with a title"


def test_document_with_another_text_is_a_duplicate(session):
    """The sentence names the document that has the id; nothing is written."""
    add_document(session, 2, Document("new", "A title"))
    with pytest.raises(CommandRefusedError, match="‘A title’"):
        add_document(session, 0, Document("new", "Another title"))
    assert not has_in_pool(session, 0, "new")
    assert document_problem(session, Document("new", "A title")) == ""


def test_document_needs_an_id(session):
    """An empty id is refused."""
    with pytest.raises(CommandRefusedError, match="no id"):
        add_document(session, 0, Document("", "A title"))


def test_two_documents_added_to_one_query_are_both_there(session):
    """The second does not push the first out of the pool."""
    add_document(session, 2, Document("one", "One"))
    add_document(session, 2, Document("two", "Two"))
    assert has_in_pool(session, 2, "one")
    assert has_in_pool(session, 2, "two")


def test_edited_document_keeps_its_judgments(session):
    """Only the texts change."""
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    edit_document(session, doc(session, "d1"), Document("d1", "Title", body="text"))
    assert session.material.document(doc(session, "d1")).title == "Title"
    assert session.board.settled(0)[doc(session, "d1")].grade == 3
    assert edit_document(session, doc(session, "d1"), Document("d1", "Title", body="text")) is None
