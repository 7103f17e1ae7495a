"""Chips as text, and what they let through."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from judgetool.core.judgments import Document, Query, Span
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import (
    Say,
)
from judgetool.session.edits import add_query
from judgetool.session.finding import (
    FILTER_HELP,
    FILTER_KINDS,
    Filter,
    QuerySearch,
    delete_view,
    format_filter,
    matching_documents,
    needs_value,
    parse_filters,
    save_view,
    saved_views,
)
from judgetool.session.opening import open_project
from judgetool.session.systems import queries_where
from tests.helpers.builders import Parts, make_project, query_documents


@pytest.fixture
def project(tmp_path):
    parts = Parts(
        queries=[
            Query("q", "crème brûlée", category="sweet", fields={"lang": "fr"}),
            Query("r", "Leek soup"),
        ],
        documents=[
            Document("d1", "Crème brûlée", body="With sugar."),
            Document("d2", "Abẹ́òkúta", body="Láti ìgbà tí àwọn Ẹ̀gbá"),
            Document("d3", "Plain", body="nothing", fields={"Brand": "Café Noir"}),
        ],
        runs={
            "alpha": {"q": ["d1", "d2", "d3"], "r": ["d3"]},
            "beta": {"q": ["d4", "d1"]},
        },
        judgments=[("q", "d1", "ben", 3.0), ("q", "d2", "ben", 1.0)],
    )
    with make_project(tmp_path, parts) as session:
        yield session


def doc(session, external_id):
    return session.material.find_document(external_id)


def found(session, text, query=0):
    documents = query_documents(session, query)
    ids = session.material.document_ids()
    numbers = matching_documents(session, query, documents, parse_filters(text))
    return {ids[number] for number in numbers}


def found_queries(session, text):
    queries = session.material.queries
    return [queries[number].id for number in QuerySearch(session, parse_filters(text)).find_here()]


def test_every_kind_is_explained():
    """The table of explanations has each kind just once."""
    assert set(FILTER_HELP) == set(FILTER_KINDS)


def test_no_chips_let_everything_through(project):
    """An empty filter hides nothing."""
    assert found(project, "") == {"d1", "d2", "d3", "d4"}
    assert found_queries(project, "") == ["q", "r"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unjudged", {"d3", "d4"}),
        ("judged", {"d1", "d2"}),
        ("grade:3", {"d1"}),
        ("by:ben", {"d1", "d2"}),
        ("mine", set()),
        ("run:beta", {"d1", "d4"}),
        ("run:nothing", set()),
        ("rank:1-1", {"d1", "d4"}),
        ("rank:2", {"d2", "d1"}),
        ("run:alpha rank:2-3", {"d2", "d3"}),
        ("no_text", {"d4"}),
        ("text:CREME", {"d1"}),
        ("text:'noir plain'", {"d3"}),
        ("'sugar brulee'", {"d1"}),
        ("abeokuta", {"d2"}),
        ("d4", {"d4"}),
        ("category:sweet", {"d1", "d2", "d3", "d4"}),
        ("category:sour", set()),
        ("judged run:beta", {"d1"}),
        ("-judged", {"d3", "d4"}),
        ("run:alpha -grade:3", {"d2", "d3"}),
        ("-no_text -text:creme", {"d2", "d3"}),
        ("-category:sweet", set()),
    ],
)
def test_chip_lets_through_what_it_says(project, text, expected):
    """Chips are combined by 'and'; texts are compared without accents and case."""
    assert found(project, text) == expected


def test_chips_on_what_is_said(project):
    """Flags, notes, skips, rationale, confidence and 'cannot judge' find what they name."""
    project.execute(Say.flag(0, doc(project, "d1"), flagged=True))
    project.execute(Say.note(0, doc(project, "d2"), "odd"))
    project.execute(Say.skip(0, doc(project, "d3")))
    project.execute(Say.cannot_judge(0, doc(project, "d4")))
    project.execute(Say.confidence(0, doc(project, "d1"), 1))
    project.execute(Say.spans(0, doc(project, "d2"), (Span("body", 0, 4, "Láti"),)))
    kinds = ("flagged", "noted", "skipped", "cannot_judge", "confidence:1", "has_rationale")
    expected = [{"d1"}, {"d2"}, {"d3"}, {"d4"}, {"d1"}, {"d2"}]
    assert [found(project, kind) for kind in kinds] == expected


def test_a_reason_alone_is_no_note(project):
    """Why a document cannot be judged is found as that; with a note beside it, as a note, too."""
    for name in ("d1", "d2"):
        project.execute(Say.cannot_judge(0, doc(project, name), "Another language"))
    project.execute(Say.note(0, doc(project, "d2"), "ask Kim"))
    assert found(project, "noted") == {"d2"}
    assert found(project, "mine noted") == {"d2"}
    project.execute(Say.note(0, doc(project, "d2"), ""))
    assert found(project, "noted") == set()
    assert found_queries(project, "cannot_judge noted") == []


def test_disputed_is_what_assessors_grade_differently(project):
    """Equal grades are no dispute."""
    project.execute(Say.grade(0, doc(project, "d1"), 3))
    project.execute(Say.grade(0, doc(project, "d2"), 3))
    assert found(project, "disputed") == {"d2"}
    assert found(project, "differs_from:ben") == {"d2"}
    assert found(project, "differs_from:anna") == set()


def test_mine_makes_other_chips_look_at_what_i_said(project):
    """With 'mine' or 'by' the grade is that assessor's, not the view's."""
    project.execute(Say.grade(0, doc(project, "d1"), 0))
    assert found(project, "mine grade:0") == {"d1"}
    assert found(project, "by:ben grade:3") == {"d1"}
    assert found(project, "by:ben grade:0") == set()
    project.execute(Say.flag(0, doc(project, "d3"), flagged=True))
    assert found(project, "by:ben flagged") == set()


def test_changed_since_looks_at_the_time_of_saying(project):
    """What was said at that moment or later is found."""
    project.clock = lambda: 5_000_000_000_000
    project.execute(Say.grade(0, doc(project, "d3"), 0))
    assert found(project, "changed_since:5000000000000") == {"d3"}
    assert found(project, "changed_since:5000000000001") == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unjudged", ["q", "r"]),
        ("judged", ["q"]),
        ("by:ben grade:1", ["q"]),
        ("by:ben grade:0", []),
        ("grade:1 rank:1", []),
        ("no_text", ["q"]),
        ("run:beta", ["q"]),
        ("category:sweet", ["q"]),
        ("leek", ["r"]),
        ("BRULEE", ["q"]),
        ("leek judged", []),
        ("-leek", ["q"]),
        ("-judged", ["r"]),
        ("-by:ben", ["r"]),
        ("-category:sweet leek", ["r"]),
        ("-'leek soup'", ["q"]),
        ("'-leek'", []),
        ("-", []),
        ("unjudged -no_text", ["r"]),
    ],
)
def test_query_matches_by_itself_or_by_one_document(project, text, expected):
    """Text and category look at the query; the other chips must meet in one document."""
    assert found_queries(project, text) == expected


def test_looking_over_all_queries_finds_what_looking_at_each_does(project):
    """A query is found just when one of its documents is."""
    project.execute(Say.flag(1, doc(project, "d3"), flagged=True))
    for kind in FILTER_KINDS:
        if needs_value(kind):
            continue
        by_documents = [query for query in (0, 1) if found(project, kind, query)]
        assert QuerySearch(project, [Filter(kind)]).find_here() == by_documents


@pytest.mark.parametrize("kind", sorted(set(FILTER_KINDS) - {"changed_since"}))
def test_what_is_not_to_be_met_is_left_out(project, kind):
    """A ``-`` in front lets through exactly what the condition does not, of documents and of queries."""
    project.execute(Say.flag(1, doc(project, "d3"), flagged=True))
    values = {"grade": 3.0, "rank": (1, 1), "confidence": 1, "run": "beta", "category": "sweet"}
    values["field"] = "lang=fr"
    value = values.get(kind, "ben" if kind != "text" else "leek") if needs_value(kind) else None
    chip = Filter(kind, value)
    met = QuerySearch(project, [chip]).find_here()
    assert QuerySearch(project, [chip.turned]).find_here() == [q for q in (0, 1) if q not in met]
    for query in (0, 1):
        documents = query_documents(project, query)
        some, others = (
            set(matching_documents(project, query, documents, [each]))
            for each in (chip, chip.turned)
        )
        assert some | others == set(documents)
        assert not some & others


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: text.strip()
)
VALUES = {
    "grade": st.floats(-99, 99).map(lambda value: value + 0.0),
    "run": NAMES,
    "rank": st.tuples(st.integers(1, 999), st.integers(0, 999)).map(lambda p: (p[0], p[0] + p[1])),
    "text": NAMES,
    "by": NAMES,
    "asked": NAMES,
    "differs_from": NAMES,
    "changed_since": st.integers(0, 10**14),
    "confidence": st.integers(1, 3),
    "category": NAMES,
    "field": st.tuples(NAMES.map(lambda name: name.replace("=", "-")), NAMES | st.just("")).map(
        "=".join
    ),
}
CHIPS = st.sampled_from(FILTER_KINDS).flatmap(
    lambda kind: st.builds(Filter, st.just(kind), VALUES.get(kind, st.none()), st.booleans())
)


@given(st.lists(CHIPS, max_size=5))
def test_printed_chips_read_back(chips):
    """Whatever the values hold, blanks and quotes too."""
    assert parse_filters(" ".join(map(format_filter, chips))) == tuple(chips)


@given(st.text())
def test_any_text_is_chips_or_is_refused_in_a_sentence(text):
    """Nothing that is typed leads to anything else; what is read prints and reads back."""
    try:
        chips = parse_filters(text)
    except CommandRefusedError:
        return
    assert parse_filters(" ".join(map(format_filter, chips))) == chips


@pytest.mark.parametrize(
    "text",
    [
        "grade:high",
        "grade:inf",
        "field:course",
        "rank:0-3",
        "rank:5-2",
        "confidence:9",
        "changed_since:now",
        "'open",
    ],
)
def test_chip_with_an_odd_value_is_refused(text):
    """The sentence says what was expected."""
    with pytest.raises(CommandRefusedError):
        parse_filters(text)


def test_views_are_kept_by_name(project):
    """Saved, replaced, deleted, undone; another reader of the file sees them."""
    project.execute(save_view("to do", parse_filters("unjudged rank:1-10")))
    project.execute(
        save_view("odd ones", parse_filters("flagged -text:'a b' -'field:lang=old fr'"))
    )
    with open_project(project.path, read_only=True) as other:
        assert list(saved_views(other)) == ["odd ones", "to do"]
        assert saved_views(other)["odd ones"] == (
            Filter("flagged"),
            Filter("text", "a b", is_not=True),
            Filter("field", "lang=old fr", is_not=True),
        )
    project.execute(delete_view("to do"))
    assert list(saved_views(project)) == ["odd ones"]
    project.undo()
    assert list(saved_views(project)) == ["odd ones", "to do"]


def test_view_needs_a_name_and_chips():
    """A nameless or empty view is refused."""
    with pytest.raises(CommandRefusedError, match="name"):
        save_view(" ", parse_filters("unjudged"))
    with pytest.raises(CommandRefusedError, match="no filters"):
        save_view("mine", ())


def test_categories_and_fields_are_met_whatever_their_case(project):
    """Capitals are no difference, nor is the dot of a Turkish i; accents are, and what is written just so goes first."""
    queries = [
        Query("1", "a", category="Coğrafya", fields={"lang": "TARİH"}),
        Query("2", "b", category="Cografya", fields={"lang": "tarih"}),
        Query("3", "c", category="coğrafya"),
    ]
    for query in queries:
        add_query(project, query)
    assert found_queries(project, "category:COĞRAFYA") == ["1", "3"]
    assert found_queries(project, "category:coğrafya") == ["3"]
    assert found_queries(project, "field:lang=tarıh") == ["1", "2"]
    assert found_queries(project, "-category:COĞRAFYA") == ["q", "r", "2"]
    assert found_queries(project, "category:sweet category:cografya") == ["q", "2"]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("lang=fr", ["q"]),
        ("LANG=FR", ["q"]),
        ("-lang=fr", ["r"]),
        ("field:lang=fr", ["q"]),
        ("lang=", ["r"]),
        ("lang=fr lang=", ["q", "r"]),
        ("CATEGORY=Sweet", ["q"]),
    ],
)
def test_fields_after_where(project, where, expected):
    """As in the list’s filter: a field and its content, of one field any of several."""
    kept = queries_where(project, where)
    ids = [query.id for query in project.material.queries]
    assert [each for each, is_kept in zip(ids, kept, strict=True) if is_kept] == expected
