"""Every line of the log names the lines that it replaces, also those of older files."""

import gzip
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from judgetool.core.clock import new_uuid
from judgetool.session.commands import Say, set_title
from judgetool.session.imports.importing import import_readings
from judgetool.session.imports.plan import Conflicts, ImportChoices
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project
from judgetool.storage.judgments import split_uuids
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.laws import examples
from tests.session.test_importing import judgments

DATA = Path(__file__).parent / "data"


@pytest.fixture
def session(tmp_path):
    opened = make_project(tmp_path, simple_parts())
    yield opened
    opened.close()


def replaced(session, table="events"):
    """For each line of the log the places of those that it replaces."""
    rows = session.reader.execute(f"SELECT uuid, parents FROM {table} ORDER BY rowid").fetchall()  # noqa: S608 - a constant
    places = {uuid: place for place, (uuid, _) in enumerate(rows)}
    return [[places[parent] for parent in split_uuids(parents)] for _, parents in rows]


def test_a_judgment_replaces_the_one_before(session):
    """Each names the last one of its own query, document and assessor."""
    for document, grade in ((1, 2), (2, 0), (1, 3), (1, 1)):
        session.execute(Say.grade(0, document, grade))
    assert replaced(session) == [[], [], [0], [2]]


def test_undo_and_redo_name_what_they_take_back(session):
    """An undo names the judgment, a redo the undo."""
    session.execute(Say.grade(0, 1, 2))
    session.undo()
    session.redo()
    assert replaced(session) == [[], [0], [1]]


ACTS = st.lists(
    st.one_of(st.tuples(st.integers(1, 2), st.integers(0, 3)), st.integers(0, 2)), max_size=14
)


@settings(max_examples=examples(10), deadline=None)
@given(ACTS)
def test_each_line_names_the_one_before_however_often_it_is_undone(tmp_path_factory, acts):
    """Of grades, undos, redos and steps back over several, a judgment's log is one chain."""
    with make_project(tmp_path_factory.mktemp("chain"), simple_parts()) as session:
        session.execute(set_title("one"))
        first = session.undo_step.step_id
        turns = (
            lambda: session.undo(leaves=("project",)),
            session.redo,
            lambda: session.undo_to(first),
        )
        for act in acts:
            if isinstance(act, tuple):
                session.execute(Say.grade(0, *act))
            else:
                turns[act]()
        rows = session.reader.execute(
            "SELECT document_id, uuid, parents FROM events ORDER BY event_id"
        ).fetchall()
        last = {}
        for document, uuid, parents in rows:
            assert parents == last.get(document, b"")
            last[document] = uuid
    assert check_project(session.path).problems == []


def test_a_value_replaces_the_one_before(session):
    """The project's own values have uuids and parents, too."""
    n_before = len(replaced(session, "value_events"))
    session.execute(set_title("one"))
    session.execute(set_title("two"))
    session.undo()
    found = replaced(session, "value_events")[n_before:]
    assert found == [[], [n_before], [n_before + 1]]


def test_an_import_names_what_was_said_before(session):
    """Of many lines at once each names the last of its own judgment, if there is one."""
    names = [session.material.document(number).id for number in (1, 2)]
    rows = [("1", name, 3.0, assessor) for name in names for assessor in ("anna", "ben")]
    import_readings(session, [judgments(rows[:2])])
    import_readings(
        session,
        [judgments([(*row[:2], 1.0, row[3]) for row in rows])],
        choices=ImportChoices(conflicts=Conflicts.THEIRS),
    )
    assert replaced(session) == [[], [], [0], [1], [], []]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_lines_of_an_older_file_get_what_they_replaced(tmp_path, version):
    """Each line but the first of its judgment names the one before; two copies get the same."""
    content = gzip.decompress((DATA / f"schema-{version}.judge.gz").read_bytes())
    found = []
    for name in ("one", "other"):
        path = tmp_path / f"{name}.judge"
        path.write_bytes(content)
        with open_project(path, assessor="anna") as session:
            rows = session.reader.execute(
                "SELECT query_id, document_id, assessor_id, uuid, parents FROM events ORDER BY event_id"
            ).fetchall()
            values = session.reader.execute(
                "SELECT key, uuid, parents FROM value_events ORDER BY value_event_id"
            ).fetchall()
        assert check_project(path).problems == []
        found.append((rows, values))
    assert found[0] == found[1]
    for lines in found[0]:
        last = {}
        for *key, uuid, parents in lines:
            assert parents == last.get(tuple(key), b"")
            last[tuple(key)] = uuid


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(2, 200))
def test_new_uuids_are_of_version_7_and_in_order(n):
    """By their bytes they stand in the order in which they were made."""
    made = [new_uuid() for _ in range(n)]
    assert all(len(each) == 16 and each[6] >> 4 == 7 and each[8] >> 6 == 2 for each in made)
    assert len(set(made)) == n
    assert [each[:8] for each in made] == sorted(each[:8] for each in made)
