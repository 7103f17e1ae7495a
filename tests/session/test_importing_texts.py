"""An import fills in what is empty; it never empties, and replaces only what was chosen."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.formats import Kind, Reading, read_text
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import Conflicts, ImportChoices
from tests.helpers.laws import examples
from tests.session.conftest import run_reading
from tests.session.test_importing import judgments

REPLACE = ImportChoices(answers={"texts": "replace"}, conflicts=Conflicts.THEIRS)


def texts(queries=(), documents=(), kind=Kind.RESULTS):
    """A reading that brings texts, whatever it is about."""
    form = {Kind.QUERIES: "queries-jsonl", Kind.DOCUMENTS: "documents-jsonl"}
    found = Reading("texts.jsonl", kind, form.get(kind, "results-jsonl"))
    found.queries, found.documents = list(queries), list(documents)
    return found


def document(session, name):
    return session.material.document(session.material.find_document(name))


FULL = Query("q1", "cold soup", "served cold", "at length", 2.0, "soups", {"lang": "en"})
LONG = Document("r1", "Gazpacho", "http://a", "Long body", {"cook": "ann"})


@pytest.fixture
def filled(session):
    """A project that knows a query and a document in full."""
    import_readings(session, [texts([FULL], [LONG])])
    return session


def test_documents_at_once_are_those_one_by_one(filled):
    """With a text that was replaced, one that was taken back, none, and one that is not there."""
    import_readings(
        filled, [texts(documents=[Document("r2", "Soup"), Document("r1", "New")])], choices=REPLACE
    )
    import_readings(
        filled, [texts(documents=[Document("r3", "Bread"), Document("r2", "Pie")])], choices=REPLACE
    )
    filled.undo()
    numbers = list(filled.material.find_documents(["r3", "r1", "r2"]).values())
    found = filled.material.documents(numbers)
    assert [each.title for each in found] == ["", "New", "Soup"]
    filled.material.fetch(numbers)
    assert [filled.material.document(number) for number in numbers] == found
    with pytest.raises(KeyError):
        filled.material.documents([*numbers, 10**6])


@pytest.mark.parametrize(
    "text", ["query_id,rank,doc_id\nq1,1,r1\n", "query,doc_id,grade\nq1,r1,2\n"]
)
def test_a_file_that_knows_only_ids_takes_nothing_away(filled, text):
    """Results and judgments by ids leave texts, description, weight and fields as they are."""
    import_readings(filled, [read_text(text, source="a.csv")])
    assert filled.material.queries[-1] == FULL
    assert document(filled, "r1") == LONG


def test_a_list_of_texts_leaves_descriptions(filled):
    """A table of ids and texts wipes no description."""
    plan = import_readings(filled, [read_text("q1\tcold soup\n", source="q.tsv")])
    assert plan.is_empty
    assert filled.material.queries[-1] == FULL


def test_what_is_empty_is_filled_in(filled):
    """A field that the project lacks comes in, and the query counts as changed."""
    bare = Query("1", "soup", "", "what counts", 1.0, "", {"lang": "fr"})
    plan = import_readings(filled, [texts([bare])])
    assert plan.files[0].texts["query"].n_changed == 1
    assert filled.material.queries[0].narrative == "what counts"


def test_what_differs_stays_and_is_shown_with_both_values(filled):
    """A differing text is a conflict; the project's stays."""
    plan = import_readings(filled, [texts([Query("q1", "hot soup")])])
    [conflict] = plan.files[0].text_conflicts
    assert (conflict.field, conflict.mine, conflict.theirs) == ("text", "cold soup", "hot soup")
    assert plan.is_empty


def test_what_differs_is_replaced_when_chosen(filled):
    """'replace' takes the file's text and leaves the fields that the file does not know."""
    import_readings(filled, [texts([Query("q1", "hot soup")])], choices=REPLACE)
    assert (filled.material.queries[-1].text, filled.material.queries[-1].narrative) == (
        *("hot soup", "at length"),
    )


@pytest.mark.parametrize("is_turned", [False, True])
def test_files_of_one_command_fill_each_other_in(session, is_turned):
    """Results beside queries and documents take nothing from them, in any order."""
    files = [
        texts([FULL], kind=Kind.QUERIES),
        texts([], [LONG], kind=Kind.DOCUMENTS),
        texts([Query("q1")], [Document("r1", "Another")]),
    ]
    import_readings(session, files[::-1] if is_turned else files)
    assert session.material.queries[-1] == FULL
    assert document(session, "r1") == LONG


@pytest.mark.parametrize("is_turned", [False, True])
def test_what_one_file_makes_and_another_fills_in_is_counted_once(session, is_turned):
    """Of the import two queries and a document are new, and none of them changes; each file tells its part."""
    files = [
        texts([Query("q1", "cold soup"), Query("q2")], [Document("r1", "Gazpacho")]),
        texts([Query("q1", "", "served cold")], [Document("r1", "", "http://a", "Long body")]),
    ]
    plan = plan_import(session, files[::-1] if is_turned else files)
    first, second = plan.files
    assert (first.n_all_new, first.n_all_changed) == ((2, 0) if is_turned else (3, 0))
    assert (second.n_all_new, second.n_all_changed) == ((1, 2) if is_turned else (0, 2))
    assert (plan.n_new, plan.n_changed) == (3, 0)


def test_what_two_files_change_is_counted_once(filled):
    """A text of the project that both files replace changes once."""
    files = [texts([Query("q1", "soup")]), texts([Query("q1", "stew")])]
    plan = plan_import(filled, files, choices=REPLACE)
    assert (plan.n_new, plan.n_changed) == (0, 1)


def test_a_query_that_a_run_names_first_is_new(session):
    """The text that another file has for it makes no change of what the project has."""
    named = run_reading("c", {"q9": ["d1"]})
    plan = plan_import(session, [named, texts([Query("q9", "soup")])])
    assert (plan.n_new, plan.n_changed) == (2, 0)


def test_a_judgment_of_two_files_is_counted_once(session):
    """The second file's counts, where one said so, and there is one new judgment."""
    files = [
        judgments([("1", "d1", 2.0, "anna")], source="a"),
        judgments([("1", "d1", 1.0, "anna")], source="b"),
    ]
    plan = plan_import(session, files, choices=REPLACE)
    assert (plan.n_new, plan.n_changed) == (1, 0)


@pytest.mark.parametrize("conflicts", list(Conflicts))
def test_a_note_is_never_lost(session, conflicts):
    """A judgment that is replaced by another grade without a note keeps its note."""
    first = judgments([("1", "d1", 1.0, "ben")])
    first.judgments.notes[0] = "why"
    import_readings(session, [first])
    other = judgments([("1", "d1", 2.0, "ben")])
    import_readings(session, [other], choices=ImportChoices(conflicts=conflicts))
    said = {o.assessor: o.judgment for _, _, o, _ in session.iter_judgments()}
    assert said["ben"].note == "why"


WORDS = st.sampled_from(["", "a", "b"])
FIELDS = st.dictionaries(st.sampled_from(["x", "y"]), WORDS, max_size=2)
IDS = st.sampled_from(["1", "q7", "q8"])
QUERIES = st.lists(
    st.builds(Query, IDS, WORDS, WORDS, WORDS, st.sampled_from([1.0, 2.0]), WORDS, FIELDS),
    unique_by=lambda query: query.id,
)
DOCUMENTS = st.lists(
    st.builds(Document, st.sampled_from(["d1", "d7"]), WORDS, WORDS, WORDS, FIELDS),
    unique_by=lambda one: one.id,
)
FILES = st.builds(texts, QUERIES, DOCUMENTS, st.sampled_from([*Kind]))
NOTED = st.builds(
    lambda grade, note: (grade, note), st.sampled_from([0.0, 1.0, 2.0]), st.sampled_from(["", "n"])
)


def known(session):
    """Every field of every query, document and judgment that says something."""
    found = set()
    for query in session.material.queries:
        values = (query.text, query.description, query.narrative, query.category)
        found |= {(query.id, place) for place, value in enumerate(values) if value}
        found |= {(query.id, "weight")} if query.weight != 1 else set()
        found |= {(query.id, name) for name, value in query.fields.items() if value}
    for number in session.material.find_documents(["d1", "d7"]).values():
        one = session.material.document(number)
        values = (one.title, one.url, one.body, one.image)
        found |= {(one.id, place) for place, value in enumerate(values) if value}
        found |= {(one.id, name) for name, value in one.fields.items() if value}
    return found | {
        (q, d, o.assessor) for q, d, o, _ in session.iter_judgments() if o.judgment.note
    }


@given(st.lists(FILES, min_size=1, max_size=3), NOTED, st.sampled_from([ImportChoices(), REPLACE]))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_import_empties_anything(session, files, noted, choices):
    """For any project and any files: what says something says something afterwards."""
    grade, note = noted
    said = judgments([("1", "d1", grade, "ben")])
    said.judgments.notes[0] = note
    before = known(session)
    import_readings(session, [*files, said], choices=choices)
    assert before <= known(session)
