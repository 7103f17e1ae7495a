"""JSON in the shapes that teams and tools have: by id, as lists, as responses, as annotations."""

import json

import pytest

from judgetool.errors import ParseError
from judgetool.formats import Kind, Reading, read_file, read_text
from tests.formats.test_trec_run import rankings_of
from tests.helpers.formats import DATA


def read(*values: object, kind: Kind | None = None, **wishes) -> Reading:
    """Read values as JSON: one as the file, several as one on each line."""
    return read_text("\n".join(json.dumps(value) for value in values), kind=kind, **wishes)


def queries_of(reading: Reading) -> dict[str, str]:
    assert not reading.n_refused
    return {query.id: query.text for query in reading.queries}


def judged(reading: Reading) -> list[tuple]:
    table = reading.judgments
    assert table is not None
    return list(
        zip(table.query_ids, table.document_ids, table.grades, table.assessors, strict=True)
    )


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("kind", [None, Kind.QUERIES])
def test_a_text_for_each_id_is_a_query(indent, kind):
    """`{"q1": "cold soup"}`, on one line or on several."""
    text = json.dumps({"q1": "cold soup", "q2": "bread"}, indent=indent)
    assert queries_of(read_text(text, kind=kind)) == {"q1": "cold soup", "q2": "bread"}


def test_long_texts_for_each_id_are_documents():
    """They are taken for documents, and it can be changed."""
    reading = read({"d1": "soup " * 100, "d2": "bread " * 100})
    assert [document.id for document in reading.documents] == ["d1", "d2"]
    assert [question.name for question in reading.open_questions] == ["id_and_text"]


def test_topics_by_their_ids():
    """`{"101": {"title": ...}}`: the key is the id, the names are those of a table."""
    value = {"101": {"title": "soup", "description": "eaten cold"}, "102": {"title": "bread"}}
    reading = read(value, kind=Kind.QUERIES)
    assert queries_of(reading) == {"101": "soup", "102": "bread"}
    assert reading.queries[0].description == "eaten cold"


def test_lists_of_documents_are_asked():
    """Results or relevant documents: only a person can say; nothing is read before."""
    reading = read({"q1": ["d2", "d1"]})
    assert (reading.needs_answers, reading.is_empty) == (True, True)
    ranked = read({"q1": ["d2", "d1"]}, kind=Kind.RUN)
    assert rankings_of(ranked.runs[0]) == {"q1": [("d2", None), ("d1", None)]}
    relevant = read({"q1": ["d2", "d1"]}, answers={"lists": "relevant"})
    assert judged(relevant) == [("q1", "d2", 1, None), ("q1", "d1", 1, None)]


@pytest.mark.parametrize(
    ("value", "kind"),
    [({"q1": "cold soup"}, Kind.JUDGMENTS), ({"q1": ["d1"]}, Kind.QUERIES)],
)
def test_what_cannot_be_of_a_kind_is_refused(value, kind):
    """A text for each id holds no judgments, a list of documents for each no queries."""
    with pytest.raises(ParseError, match="it is JSON, but of no form that judgetool knows"):
        read(value, kind=kind)


def test_one_record_is_one_row():
    """An object on several lines is no unknown form."""
    text = json.dumps({"id": "d1", "title": "Gazpacho", "body": "Blend."}, indent=1)
    assert read_text(text).documents[0].title == "Gazpacho"


VESPA = {
    "root": {
        "id": "toplevel",
        "fields": {"totalCount": 1},
        "children": [{"id": "id:shop:p::d1", "relevance": 0.5, "fields": {"title": "Soup"}}],
    }
}
ALGOLIA = {
    "hits": [{"objectID": "d1", "title": "Soup", "_highlightResult": {}}],
    "nbHits": 1,
    "query": "cold soup",
}
MEILI = {
    "hits": [{"id": "d1", "title": "Soup", "_rankingScore": 0.5}],
    "query": "cold soup",
    "processingTimeMs": 1,
    "estimatedTotalHits": 1,
}
TYPESENSE = {
    "found": 1,
    "hits": [{"document": {"id": "d1", "title": "Soup"}, "text_match": 5, "highlights": []}],
    "request_params": {"q": "cold soup", "collection_name": "shop"},
}
RANK_LLM = {
    "query": {"text": "cold soup", "qid": "q1"},
    "candidates": [{"docid": "d1", "score": 0.5, "doc": {"title": "Soup", "contents": "x"}}],
}
RANK_LLM_OLD = {
    "query": "cold soup",
    "hits": [{"qid": "q1", "docid": "d1", "rank": 1, "score": 0.5, "title": "Soup"}],
}


@pytest.mark.parametrize(
    ("response", "query"),
    [
        (VESPA, ("text", "")),
        (ALGOLIA, ("cold soup", "cold soup")),
        (MEILI, ("cold soup", "cold soup")),
        (TYPESENSE, ("cold soup", "cold soup")),
        (RANK_LLM, ("q1", "cold soup")),
        (RANK_LLM_OLD, ("q1", "cold soup")),
    ],
    ids=["vespa", "algolia", "meilisearch", "typesense", "rank_llm", "rank_llm-old"],
)
def test_responses_of_other_engines(response, query):
    """Query, document with its title, and ranking come out of each."""
    reading = read(response)
    assert reading.format == "search-response"
    assert list(queries_of(reading).items()) == [query]
    own = "id:shop:p::d1" if response is VESPA else "d1"
    assert [(document.id, document.title) for document in reading.documents] == [(own, "Soup")]
    assert reading.runs[0].document_ids == [own]


def test_responses_on_lines():
    """rank_llm's candidates, one query on each line."""
    other = {**RANK_LLM, "query": {"text": "bread", "qid": "q2"}}
    assert queries_of(read(RANK_LLM, other)) == {"q1": "cold soup", "q2": "bread"}


def test_a_line_among_responses_that_is_none_is_refused():
    """Blank lines are not; of the file nothing is kept, and the line is named."""
    lines = ['{"hits": {"hits": [{"_id": "a"}]}}', "", '{"hits": {"hits": [{"_id": "b"}]}}']
    assert len(read_text("\n".join(lines)).runs[0].query_ids) == 2
    with pytest.raises(ParseError, match="line 3: expected a JSON object; the line ends too early"):
        read_text("\n".join([*lines[:2], lines[2][:-1]]))


def test_several_responses_in_one():
    """A multi-search: the responses name their queries."""
    other = {**ALGOLIA, "query": "bread"}
    reading = read({"results": [ALGOLIA, other]})
    assert queries_of(reading) == {"cold soup": "cold soup", "bread": "bread"}


LABEL_STUDIO = {
    "id": 1,
    "data": {"query": "soup", "doc_id": "d1", "text": "Blend."},
    "annotations": [
        {
            "completed_by": {"email": "anna@recipes.example"},
            "result": [
                {"type": "choices", "value": {"choices": ["2"]}},
                {"type": "textarea", "value": {"text": ["just it"]}},
            ],
            "lead_time": 3.5,
            "updated_at": "2026-03-01T10:15:00Z",
        },
        {"completed_by": 7, "was_cancelled": True, "result": []},
    ],
}
ARGILLA = {
    "id": "1",
    "fields": {"query": "soup", "text": "Blend."},
    "metadata": {"doc_id": "d1"},
    "responses": {
        "relevance": [{"value": "2", "user_id": "anna"}, {"value": "0", "user_id": "ben"}],
    },
}
PRODIGY = {
    "text": "Blend.",
    "meta": {"query": "soup", "doc_id": "d1"},
    "accept": ["2"],
    "answer": "accept",
    "_task_hash": 1,
    "_annotator_id": "anna",
    "_timestamp": 1_772_360_100,
}
DOCCANO = {"id": 4, "text": "Blend.", "query": "soup", "doc_id": "d1", "label": ["2"]}


def test_label_studio():
    """Choices are grades, who annotated is the assessor, a comment is a note; times are kept."""
    reading = read([LABEL_STUDIO])
    assert judged(reading) == [
        ("soup", "d1", 2, "anna@recipes.example"),
        ("soup", "d1", None, "7"),
    ]
    table = reading.judgments
    assert table is not None
    assert (table.notes[0], table.states[1]) == ("just it", "skipped")
    assert table.details[0].at == 1_772_360_100_000


def test_argilla():
    """Each response is one assessor's."""
    assert judged(read([ARGILLA])) == [("soup", "d1", 2, "anna"), ("soup", "d1", 0, "ben")]


def test_argilla_may_list_responses_by_who_gave_them():
    """A record without any has no grade, and is to be judged."""
    said = [{"user_id": "anna", "values": {"relevance": {"value": "2"}, "note": {"value": "good"}}}]
    none = {**ARGILLA, "metadata": {"doc_id": "d2"}, "responses": []}
    reading = read([{**ARGILLA, "responses": said}, none])
    assert judged(reading) == [("soup", "d1", 2, "anna"), ("soup", "d2", None, None)]
    assert reading.judgments is not None
    assert reading.judgments.notes[0] == "good"


def test_prodigy():
    """One annotation on each line, with who and when."""
    reading = read(PRODIGY, {**PRODIGY, "meta": {"query": "soup", "doc_id": "d2"}})
    assert judged(reading) == [("soup", "d1", 2, "anna"), ("soup", "d2", 2, "anna")]
    assert reading.judgments is not None
    assert reading.judgments.details[0].at == 1_772_360_100_000


@pytest.mark.parametrize(
    ("said", "at", "labels", "states"),
    [
        ({"answer": "ignore"}, None, [], ["skipped"]),
        ({"answer": "accept"}, True, ["accept"], []),
        ({"answer": "reject"}, 1e30, ["reject"], []),
        ({"answer": "accept", "label": "good"}, None, ["good"], []),
        ({"answer": "reject", "label": "good"}, None, ["not good"], []),
    ],
)
def test_an_answer_of_prodigy_may_be_all_there_is(said, at, labels, states):
    """What was accepted or rejected is a word to be mapped; a time that is none is left out."""
    task = {**PRODIGY, "accept": None, "_timestamp": at, **said}
    reading = read(task, grade_map={"accept": 1.0})
    assert list(reading.labels) == labels
    assert reading.judgments is not None
    assert [state for state in reading.judgments.states if state] == states
    assert not reading.judgments.details


def test_doccano():
    """Labels of one text each; words are grades to be mapped."""
    words = {**DOCCANO, "doc_id": "d2", "label": ["relevant"]}
    reading = read(DOCCANO, words)
    assert judged(reading) == [("soup", "d1", 2, None)]
    assert reading.labels == {"relevant": 1}


def test_a_label_of_doccano_may_stand_without_a_list():
    """Its own exports have lists; who has worked on them has the one label there is, or none."""
    bare, empty = (
        {**DOCCANO, "doc_id": each, "label": label} for each, label in (("d2", 1), ("d3", []))
    )
    assert judged(read(DOCCANO, bare, empty)) == [
        ("soup", "d1", 2, None),
        ("soup", "d2", 1, None),
        ("soup", "d3", None, None),
    ]


RANK_EVAL = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"title": "soup"}}},
            "ratings": [{"_index": "recipes", "_id": "r1", "rating": 3}],
        }
    ]
}


def test_a_console_request_is_the_json_below_it():
    """The line that a console adds is left out."""
    reading = read_text(f"POST /recipes/_rank_eval\n{json.dumps(RANK_EVAL, indent=2)}\n")
    assert judged(reading) == [("q1", "r1", 3, None)]


def test_several_console_requests_are_named():
    """The sentence says what to do."""
    one = f"POST recipes/_rank_eval\n{json.dumps(RANK_EVAL)}\n"
    with pytest.raises(ParseError, match="several requests of a console"):
        read_text(one + one)


def test_a_query_set_gives_queries_with_what_stands_beside_them():
    """OpenSearch's: the text is the id, a reference answer is a field."""
    reading = read_file(DATA / "opensearch-queries.json")
    assert [(each.id, each.text, each.fields) for each in reading.queries] == [
        ("cold soup", "cold soup", {}),
        ("leek soup", "leek soup", {"referenceAnswer": "with potatoes"}),
    ]


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ('[{"queryText": "a"}, {"queryText": "b"}]', "‘texts’ holds a list of 2, where one text"),
        ('{"queryText": "a"}', "‘texts’ holds an object, where a text"),
    ],
)
def test_a_list_is_no_text_of_a_query(held, said):
    """A whole list was taken for one query, in silence."""
    text = f'{{"name": "x", "description": "y", "texts": {held}}}'
    with pytest.raises(ParseError, match=said):
        read_text(text, kind=Kind.QUERIES, column_roles={"texts": "query_text"})


def test_of_contradicting_choices_none_is_taken():
    """All are named: which of them counts, or what both mean, is for a person to say."""
    both = {"value": {"choices": ["Relevant", "Not relevant"]}}
    task = {**LABEL_STUDIO, "annotations": [{"completed_by": 7, "result": [both]}]}
    words = {"Relevant": 2.0, "Not relevant": 0.0}
    reading = read([LABEL_STUDIO, task], grade_map=words)
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (2, "the grade ‘Relevant + Not relevant’ is not a number such as 2 or 0.5")
    ]
    told = read([task], grade_map={"Relevant + Not relevant": 1.0})
    assert told.judgments.grades == [1.0]
    for item in ({**DOCCANO, "label": ["2", "0"]}, {**PRODIGY, "accept": ["2", "0"]}):
        assert read([item]).labels == {"2 + 0": 1}


def test_tasks_are_counted_as_lines():
    """Not their annotations, of which one has none and another several."""
    nameless = {**LABEL_STUDIO, "data": {"text": "Blend."}}
    reading = read([LABEL_STUDIO, LABEL_STUDIO | {"annotations": []}, nameless])
    assert [(r.line, r.reason) for r in reading.refusals] == [(3, "the row names no query")] * 2
    assert "the tasks are counted as lines" in reading.notes[0]


FOUND_NULL = "expected a JSON object in braces, found null"
QUERIES = '{"id": "q1", "text": "a"}, {"id": "q2", "text": "b"}'


@pytest.mark.parametrize("kind", [None, Kind.QUERIES])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"[null, {QUERIES}]", 1),
        (f"[{QUERIES}, null]", 3),
        (f"[\n null,\n {QUERIES}\n]", 1),
        (f'{{"queries": [null, {QUERIES}]}}', 1),
        ("null\n" + QUERIES.replace("}, {", "}\n{"), 1),
    ],
)
def test_what_is_null_is_named_and_the_others_are_read(text, line, kind):
    """Wherever it stands among objects, first or last; it tells nothing of what these are."""
    reading = read_text(text, kind=kind)
    assert [(query.id, query.text) for query in reading.queries] == [("q1", "a"), ("q2", "b")]
    assert [tuple(refusal)[:2] for refusal in reading.refusals] == [(line, FOUND_NULL)]


@pytest.mark.parametrize("text", ["[null, null]", "[1, 2, 3]", '[1, {"id": "q1", "text": "a"}]'])
@pytest.mark.parametrize("kind", [None, Kind.QUERIES, Kind.JUDGMENTS])
def test_json_of_another_form_is_called_json(text, kind):
    """It is no list of ids and texts, and nothing in columns."""
    with pytest.raises(ParseError, match="it is JSON, but of no form that judgetool knows"):
        read_text(text, kind=kind)


@pytest.mark.parametrize("kind", [None, Kind.JUDGMENTS])
def test_a_grade_that_is_null_is_named_and_the_others_are_read(kind):
    """As BEIR and ranx write grades, by query and document."""
    reading = read_text('{"q1": {"d1": 3, "d2": null}, "q2": {"d1": 1}, "q3": null}', kind=kind)
    assert reading.judgments.grades == [3, 1]
    assert [refusal.reason for refusal in reading.refusals] == [
        "document ‘d2’ of query ‘q1’ has null in place of a number",
        "query ‘q3’ has null in place of its documents",
    ]


def test_a_score_that_is_no_number_is_named_and_the_others_are_read():
    """As in a run; where all objects have the same names, they are rows, and no ranking."""
    reading = read_text('{"q1": {"d1": 12.5, "d2": "x", "d3": null}, "q2": {"d9": 1.5}}')
    assert [run.document_ids for run in reading.runs] == [["d1", "d9"]]
    assert [each.reason.partition(" of ")[0] for each in reading.refusals] == [
        *("document ‘d2’", "document ‘d3’"),
    ]
    with pytest.raises(ParseError, match="found the columns"):
        read_text('{"a": {"price": 3, "colour": "red"}, "b": {"price": 4, "colour": "blue"}}')


def test_a_task_that_is_null_is_named():
    """Among those of an annotation tool; the others keep their numbers."""
    task = '{"data": {"query": "a", "document": "d"}, "annotations": [{"result": [{"value": {"rating": 3}}]}]}'
    reading = read_text(f"[null, {task}]")
    assert (reading.judgments.grades, reading.judgments.lines) == ([3], [2])
    assert [tuple(refusal)[:2] for refusal in reading.refusals] == [(1, FOUND_NULL)]


def test_columns_by_their_names_are_a_table():
    """As pandas writes JSON where nothing else is said: each name holds its cells by number."""
    text = '{"query": {"0": "q1", "1": "q1"}, "document": {"0": "d1", "1": "d2"}, "grade": {"0": 3, "1": 0}}'
    table = read_text(text).judgments
    assert list(zip(table.query_ids, table.document_ids, table.grades, strict=True)) == [
        *(("q1", "d1", 3), ("q1", "d2", 0)),
    ]


@pytest.mark.parametrize("kind", [None, Kind.DOCUMENTS])
def test_documents_of_a_dump_have_their_fields(kind):
    """Elasticdump writes them under _source; what the index says beside them is none of theirs."""
    first = {"_index": "r", "_id": "d1", "_score": 1, "_source": {"title": "A", "tags": ["a", "b"]}}
    second = {"_index": "r", "_id": "d2", "_source": {"id": "7", "title": "B"}}
    documents = read(first, second, kind=kind).documents
    assert [(each.id, each.title) for each in documents] == [("d1", "A"), ("d2", "B")]
    assert [each.fields for each in documents] == [{"tags": '["a","b"]'}, {"_source.id": "7"}]


def test_a_response_that_found_nothing_is_named():
    """Its query is kept: what has no results counts."""
    reading = read({"took": 1, "hits": {"total": {"value": 0}, "hits": []}}, kind=Kind.RESULTS)
    assert len(reading.queries) == 1
    assert reading.notes[-1].startswith("1 response has no results (‘")
