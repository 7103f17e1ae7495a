"""Small projects for tests of what-ifs and comparison, and judgetool's own answers about files."""

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.session.comparing.comparing import comparison_work
from judgetool.session.comparing.snapshots import present_systems
from tests.helpers.builders import Parts, make_project

DOCUMENTS = tuple(f"d{number}" for number in range(8))


def whatif_parts():
    """Three queries, three runs, half of the documents judged."""
    queries = [
        Query("q1", "spicy curry", category="curry"),
        Query("q2", "apple pie", category="sweet"),
        Query("q3", "bread", category="sweet", fields={"course": "side"}),
    ]
    documents = [
        Document(name, f"Recipe {name} {'curry' if place % 2 else 'pie'}", "", "", {"kind": "old"})
        for place, name in enumerate(DOCUMENTS)
    ]
    runs = {
        "alpha": {"q1": DOCUMENTS[:6], "q2": DOCUMENTS[2:7], "q3": DOCUMENTS[1:4]},
        "beta": {"q1": DOCUMENTS[5::-1], "q2": DOCUMENTS[6:1:-1], "q3": DOCUMENTS[4:0:-1]},
        "gamma": {"q1": DOCUMENTS[1:8], "q2": DOCUMENTS[:3]},
    }
    judgments = [
        ("q1", "d0", "anna", 3.0),
        ("q1", "d2", "anna", 0.0),
        ("q1", "d5", "anna", 2.0),
        ("q2", "d3", "anna", 1.0),
        ("q2", "d6", "anna", 3.0),
        ("q3", "d1", "anna", 2.0),
        ("q3", "d7", "anna", 3.0),
    ]
    return Parts(queries, documents, runs, judgments)


@pytest.fixture
def project(tmp_path):
    """A session of the small project."""
    with make_project(tmp_path, whatif_parts()) as session:
        yield session


def number(session, name):
    """A document's number by its id."""
    found = session.material.find_document(name)
    assert found is not None
    return found


def names(session, documents):
    """External ids of documents."""
    return [session.material.document_id(int(each)) for each in documents]


def find_system(session, name):
    """A run or what-if of the present by its name."""
    return next(each for each in present_systems(session) if each.name == name)


def compare_runs(session, systems, *wishes, progress=None, is_cancelled=None, **more):
    """The whole table of comparison, now."""
    return comparison_work(session, systems, *wishes, **more)(progress, is_cancelled)


def run_id(session, name):
    """A run's number by its name."""
    return session.material.find_run(name).run_id
