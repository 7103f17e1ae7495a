"""'Review mine': what the assessor said, newest first."""

import itertools

import pytest

from judgetool.session.commands import Say
from judgetool.session.finding import list_own_judgments, matching_documents, parse_filters
from judgetool.session.opening import open_project


@pytest.fixture
def judged(session):
    """Anna grades three documents of two queries, a second apart; Ben differs in one."""
    moments = itertools.count(1000, 1000)
    session.clock = lambda: next(moments)
    session.assessor = "ben"
    session.execute(Say.grade(0, doc(session, "d1"), 0))
    session.assessor = "anna"
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    session.execute(Say.grade(1, doc(session, "d4"), 1))
    session.execute(Say.grade(0, doc(session, "d2"), 1))
    return session


def doc(session, external_id):
    return session.material.find_document(external_id)


def names(session, **options):
    rows = list_own_judgments(session, **options)
    return [session.material.document_id(row.document) for row in rows]


def mine(session, text):
    """The documents of all queries of which the assessor has said what chips ask for."""
    chips = parse_filters(f"mine {text}")
    return [
        session.material.document_id(document)
        for query in range(len(session.material.queries))
        for document in matching_documents(session, query, sorted(session.opinions(query)), chips)
    ]


def test_newest_judgment_comes_first(judged):
    """Only the assessor's own, over all queries."""
    assert names(judged) == ["d2", "d4", "d1"]


def test_changed_judgment_comes_to_the_front(judged):
    """What was said again is newest; a note beside it says nothing again."""
    judged.execute(Say.note(0, doc(judged, "d1"), "look again"))
    assert names(judged) == ["d2", "d4", "d1"]
    judged.execute(Say.grade(0, doc(judged, "d1"), 2))
    assert names(judged) == ["d1", "d2", "d4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grade:1", ["d2", "d4"]),
        ("grade:0", []),
        ("disputed", ["d1"]),
        ("differs_from:ben", ["d1"]),
        ("flagged", ["d4"]),
        ("noted", []),
        ("skipped", ["d3"]),
        ("changed_since:3000", ["d3", "d4", "d2"]),
    ],
)
def test_filters_look_at_own_judgments(judged, text, expected):
    """Grade, flag, note, skip, disagreement and time."""
    judged.execute(Say.flag(1, doc(judged, "d4"), flagged=True))
    judged.execute(Say.skip(0, doc(judged, "d3")))
    assert sorted(mine(judged, text)) == sorted(expected)


def test_a_moment_narrows_the_list(judged):
    """What was said then or later."""
    assert names(judged, since=3000) == ["d2", "d4"]


def test_row_shows_what_others_say(judged):
    """With a mark where another gave another grade."""
    rows = {row.document: row for row in list_own_judgments(judged)}
    row = rows[doc(judged, "d1")]
    assert [(each.assessor, each.judgment.grade) for each in row.others] == [("ben", 0)]
    assert row.is_disputed
    assert (row.judgment.grade, row.at) == (3, 2000)
    assert not rows[doc(judged, "d2")].is_disputed


def test_who_has_not_judged_has_nothing_to_review(project_path):
    """A new assessor's list is empty."""
    with open_project(project_path, assessor="carla") as session:
        assert list_own_judgments(session) == []
