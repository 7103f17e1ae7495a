"""External ids and their numbers, many at once: exact, dense, and the same without arrays."""

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.storage import ids as id_module
from judgetool.storage.ids import find_id_numbers, find_numbers, number_ids
from tests.helpers.laws import examples

external_ids = st.lists(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5), unique=True
)


@pytest.fixture(params=[True, False], ids=["arrays", "rows"])
def has_arrays(request, monkeypatch):
    """Both ways: SQLite with arrays, and a build of it that has none."""
    if request.param and not id_module.HAS_CARRAY:
        pytest.skip("this SQLite has no arrays")
    monkeypatch.setattr(id_module, "HAS_CARRAY", request.param)
    return request.param


def empty_table():
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE TABLE documents(document_id INTEGER PRIMARY KEY, "
        "external_id TEXT NOT NULL UNIQUE) STRICT"
    )
    return connection


@settings(max_examples=examples(50))
@given(parts=st.lists(external_ids, min_size=1, max_size=4), are_likely_new=st.booleans())
@pytest.mark.usefixtures("has_arrays")
def test_every_id_has_one_number_for_good(parts, are_likely_new):
    """Ids get numbers from 1 without gaps, keep them, and stay exact: blanks, NUL and all."""
    connection = empty_table()
    known = {}
    for names in parts:
        numbers = number_ids(connection, "documents", names).tolist()
        for name, number in zip(names, numbers, strict=True):
            assert known.setdefault(name, number) == number
    assert sorted(known.values()) == list(range(1, len(known) + 1))
    assert dict(connection.execute("SELECT external_id, document_id FROM documents")) == known
    again = list(known)
    numbers = number_ids(connection, "documents", again, are_likely_new=are_likely_new)
    assert numbers.tolist() == list(known.values())


@pytest.mark.usefixtures("has_arrays")
def test_new_ids_are_numbered_without_looking_first():
    """Where the table was empty, ids are appended; one that came meanwhile keeps its number."""
    connection = empty_table()
    number_ids(connection, "documents", ["b"])
    assert number_ids(connection, "documents", ["a", "b", "c"], are_likely_new=True)[1] == 1
    assert find_numbers(connection, "documents", ["b", "zz"]) == {"b": 1}


@pytest.mark.usefixtures("has_arrays")
def test_an_unknown_id_has_no_number():
    """Looking adds nothing: what is not known is 0, in the order asked for."""
    connection = empty_table()
    number_ids(connection, "documents", ["x", "007"])
    assert find_id_numbers(connection, "documents", ["7", "007", "X", "x"]).tolist() == [0, 2, 0, 1]
    assert find_id_numbers(connection, "documents", []).tolist() == []
