"""Whatever the ids, texts and grades: what was written is read back as it was."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.errors import InputError
from judgetool.formats import read_text
from judgetool.formats.writers import (
    WRITERS,
    ExportChoices,
    ExportMaterial,
    FoldedRow,
    Formulas,
    Subject,
)
from tests.helpers.formats import awkward_ids, cell_texts
from tests.helpers.laws import examples

FORMS = [form.name for form in WRITERS.values() if form.subject is Subject.GRADES and form.read_as]
BY_TEXT = {"quepid-csv", "rre", "opensearch-judgments"}
ANSWERS = {"third_column": "grade"}


@st.composite
def materials(draw):
    """Some queries with distinct texts, and grades of documents."""
    # A file that begins with a bracket is taken for JSON.
    query_ids = awkward_ids.filter(lambda text: text[0] not in "[{")
    ids = draw(st.lists(query_ids, min_size=1, max_size=3, unique=True))
    queries = [Query(each, f"text {place} {each}") for place, each in enumerate(ids)]
    rows = []
    for query in queries:
        documents = sorted(draw(st.lists(awkward_ids, min_size=1, max_size=3, unique=True)))
        rows += [
            FoldedRow(query, document, float(draw(st.integers(0, 3)))) for document in documents
        ]
    return ExportMaterial(queries, scale_preset("0-3"), folded=rows)


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=examples(60))
@given(what=materials())
def test_grades_come_back(name, what):
    """Every format of grades gives back each query, document and grade, byte for byte."""
    choices = ExportChoices(name, formulas=Formulas.KEEP_ALL)
    if name == "letor":
        # It refuses ids with blanks of any kind.
        assume(not any(sign.isspace() for row in what.folded for sign in row.document_id))
    text = "".join(WRITERS[name].writer(what, choices))
    reading = read_text(text, source=f"x{WRITERS[name].endings[0]}", answers=ANSWERS)
    table = reading.judgments
    numbers = {query.id: str(place) for place, query in enumerate(what.queries, 1)}
    if name == "letor":
        is_plain = all(query.id.isdecimal() and query.id[0] != "0" for query in what.queries)
        shown = {query.id: query.id if is_plain else numbers[query.id] for query in what.queries}
    else:
        shown = {query.id: query.text if name in BY_TEXT else query.id for query in what.queries}
    expected = [(shown[row.query.id], row.document_id, row.grade) for row in what.folded]
    found = list(zip(table.query_ids, table.document_ids, table.grades, strict=True))
    assert (found, reading.n_refused) == (expected, 0)


@pytest.mark.parametrize(
    "document_id", ["#", "##", "#1", "#qid:1:a", "docid=", "docid=a", "docid=#"]
)
def test_a_comment_in_a_letor_file_is_the_id(document_id):
    """Also where it begins as a comment does, or as LETOR 4 names its documents."""
    query = Query("1", "text")
    rows = [FoldedRow(query, each, 1.0) for each in sorted(("a", document_id))]
    material = ExportMaterial([query], scale_preset("0-3"), folded=rows)
    text = "".join(WRITERS["letor"].writer(material, ExportChoices("letor")))
    reading = read_text(text, source="x.letor")
    assert list(reading.judgments.document_ids) == [row.document_id for row in rows]
    assert reading.n_refused == 0


@given(st.lists(st.tuples(cell_texts, cell_texts), min_size=1, max_size=4))
def test_queries_come_back_whole(texts):
    """JSON lines give back ids, texts and descriptions exactly."""
    queries = [
        Query(f"q{place}", text, description) for place, (text, description) in enumerate(texts)
    ]
    material = ExportMaterial(queries, scale_preset("0-3"))
    choices = ExportChoices("queries-jsonl")
    text = "".join(WRITERS["queries-jsonl"].writer(material, choices))
    assert read_text(text, source="queries.jsonl").queries == queries


@pytest.mark.parametrize("name", [name for name, form in WRITERS.items() if not form.is_binary])
@given(query_id=st.text(max_size=4), document_id=st.text(max_size=4))
def test_any_id_is_written_or_refused_in_words(name, query_id, document_id):
    """No id makes a writer fail otherwise than with a sentence."""
    query = Query(query_id, query_id)
    material = ExportMaterial(
        [query], scale_preset("0-3"), folded=[FoldedRow(query, document_id, 1.0)]
    )
    try:
        written = list(WRITERS[name].writer(material, ExportChoices(name)))
    except InputError as problem:
        written = [f"{problem}"]
    assert all(isinstance(chunk, str) for chunk in written)
