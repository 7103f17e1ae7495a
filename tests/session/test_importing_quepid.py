"""Quepid's files in a project: judgeable at once, nothing of what they say lost."""

import pytest

from judgetool.core.scale import scale_preset
from judgetool.formats import read_file
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from judgetool.session.queue import list_documents
from tests.helpers.formats import DATA


@pytest.fixture
def empty(tmp_path):
    """An empty project."""
    create_project(tmp_path / "q.judge", scale=scale_preset("0-3"))
    with open_project(tmp_path / "q.judge", assessor="me") as session:
        yield session


def bring(session, name, **said):
    return import_readings(session, [read_file(DATA / name, **said)])


def shown(session, query=0):
    """The documents that the list shows of a query without a run."""
    documents, _ = list_documents(session, None, query)
    return [session.material.document_id(number) for number in documents.tolist()]


def test_a_case_can_be_judged_without_a_run(empty):
    """What is rated is listed, is the pool, and counts as progress."""
    bring(empty, "quepid-case.json")
    assert shown(empty) == ["r1"]
    assert empty.board.total_progress() == (1, 1)
    assert {o.assessor for _, _, o, _ in empty.iter_judgments()} == {"anna@recipes.example"}


def test_the_open_pairs_of_a_book_are_to_be_judged(empty, tmp_path):
    """Pairs that nobody judged are in the pool, also after reopening, and Undo takes them out."""
    path = tmp_path / "book.json"
    path.write_text(
        '{"query_doc_pairs": [{"query_text": "a", "doc_id": "x", "judgements": [{"rating": 1}]},'
        '{"query_text": "a", "doc_id": "new", "position": 1}]}'
    )
    import_readings(empty, [read_file(path)])
    assert shown(empty) == ["new", "x"]
    assert empty.board.total_progress() == (1, 2)
    empty.close()
    with open_project(tmp_path / "q.judge") as again:
        assert again.board.total_progress() == (1, 2)
        again.undo()
        assert not again.material.queries
        again.redo()
        assert again.board.total_progress() == (1, 2)


def test_a_book_imported_again_changes_nothing(empty):
    """What is in the pool already is not written again."""
    bring(empty, "quepid-book.json")
    assert bring(empty, "quepid-book.json").is_empty


def test_a_snapshot_brings_a_run_and_its_ratings(empty):
    """The snapshot's ranking can be shown; what is rated beyond it is listed too."""
    bring(empty, "quepid-snapshot.json")
    (run,) = empty.material.runs
    documents, n_ranked = list_documents(empty, run.run_id, 0)
    ids = [empty.material.document_id(number) for number in documents.tolist()]
    assert (run.name, ids, n_ranked) == ("Before synonyms", ["r2", "r1", "r9"], 2)
