"""TREC topics and documents: SGML of all years, XML, entities and outside files refused."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.errors import ParseError
from judgetool.formats import Kind, read_file, read_text
from judgetool.formats.source import MAX_TEXT_LINE_BYTES
from tests.helpers.formats import DATA

BOMB = """<?xml version="1.0"?>
<!DOCTYPE topics [<!ENTITY a "soup"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<topics><topic number="1"><title>&b;</title></topic></topics>
"""
OUTSIDE = """<!DOCTYPE topics SYSTEM "file:///etc/passwd">
<topics><topic number="1"><title>x</title></topic></topics>
"""


def test_sgml_topics_are_read():
    """Labels go, lines are joined, paragraphs and other tags stay, entities are resolved."""
    assert read_file(DATA / "topics.sgml").queries == [
        Query(
            "051",
            "Cold soups",
            "Soups that are eaten cold & raw.",
            "First part.\n\nSecond part.",
            fields={"dom": "Cooking"},
        ),
        Query("52", "bread", "without yeast"),
    ]


def test_xml_topics_are_read():
    """A question is the description, subtopics are fields, the declared encoding is not believed."""
    assert read_file(DATA / "topics.xml").queries == [
        Query(
            "1",
            "cold soup",
            "Which soups are eaten cold?",
            "Not ice cream.",
            fields={
                "subtopic 1 (inf)": "gazpacho",
                "subtopic 2 (nav)": "ajoblanco",
                "type": "faceted",
            },
        ),
        Query("2", "crème & bread"),
    ]


@pytest.mark.parametrize("text", [BOMB, OUTSIDE])
def test_a_harmful_dtd_is_refused_in_words(text):
    """Entities and a type that stands in another file are refused before they are looked up."""
    with pytest.raises(ParseError, match=r"document type .* delete the lines"):
        read_text(text)


def test_a_dtd_that_names_elements_only_is_no_obstacle():
    """TREC's Web track topics begin with one."""
    text = "<!DOCTYPE topics [<!ELEMENT topics (topic)*>]>\n" + OUTSIDE.split("\n", 1)[1]
    assert read_text(text).queries == [Query("1", "x")]


def test_an_entity_without_a_dtd_is_refused():
    """What an unknown entity stands for is not guessed."""
    with pytest.raises(ParseError, match="not well-formed"):
        read_text("<topics><topic number='1'><title>&who;</title></topic></topics>")


def test_broken_xml_names_the_line():
    """A tag that is not closed is said with its line; what stands there is read."""
    reading = read_text("<topics>\n<topic number='1'><title>a</title>\n</topics>\n")
    assert [query.text for query in reading.queries] == ["a"]
    assert reading.notes[0].startswith("The XML is not well-formed (line 3)")


def test_topics_without_a_root_are_read():
    """Topics one after the other make no XML document, and are read all the same."""
    text = '<topic number="1"><title>a</title></topic>\n<topic number="2"><title>b</title></topic>'
    assert [query.id for query in read_text(text).queries] == ["1", "2"]


def test_a_topic_that_is_text_alone():
    """A topic without inner tags is its text."""
    text = '<topics><topic number="1"> a patient with fever </topic></topics>'
    assert read_text(text).queries == [Query("1", "a patient with fever")]


def test_a_topic_without_a_number_is_refused():
    """An id is needed; the line is the topic's."""
    reading = read_text("<top>\n<num> 1 <title> a\n</top>\n<top>\n<title> b\n</top>\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [(4, "the query has no id")]


def test_a_topic_number_twice_is_refused():
    """The second topic of a number is refused naming the first one's line."""
    reading = read_text("<top><num>1</num><title>a</top>\n<top><num>1</num><title>b</top>\n")
    assert [r.reason for r in reading.refusals] == [
        "query ‘1’ stands on line 1 already, with another text; that line counts"
    ]


def test_documents_are_read():
    """Headline and text have their places, inner tags go, other tags are fields."""
    assert read_file(DATA / "documents.trec").documents == [
        Document(
            "FT911-3",
            "FT 14 MAY 91 / Cold soups",
            body="Gazpacho & more.\nThe end.",
            fields={"date": "910514"},
        ),
        Document("FT911-4", body="Bread."),
    ]


def test_a_cut_off_document_is_refused():
    """A document without its end is left out and named by its line; the others are read."""
    reading = read_text("<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>b</DOCNO>\n<TEXT>x")
    assert [document.id for document in reading.documents] == ["a"]
    assert [(r.line, r.reason.split(":")[0]) for r in reading.refusals] == [
        (4, "the document has no </DOC>")
    ]


def test_documents_may_begin_where_others_end():
    """As in files that were put behind each other; one without an end or a number is left out alone."""
    reading = read_text(
        "<DOC>\n<TITLE>x</TITLE>\n</DOC>\n<DOC>\n<DOCNO>a</DOCNO>\n<DOC>\n<DOCNO>b</DOCNO>\n"
        "</DOC><DOC><DOCNO>c</DOCNO></DOC> <doc><docno>d</docno></doc>\n"
    )
    assert [document.id for document in reading.documents] == ["b", "c", "d"]
    assert [(refusal.line, refusal.reason) for refusal in reading.refusals] == [
        (1, "the document has no DOCNO"),
        (4, "the document has no </DOC>; it is left out"),
    ]


def test_a_document_longer_than_any_is_refused():
    """It is left out alone, by the line on which it begins."""
    most = MAX_TEXT_LINE_BYTES >> 20
    long = f"<DOC>\n<DOCNO>a</DOCNO>\n{'x' * (1 << 20)}" + f"\n{'x' * (1 << 20)}" * most
    reading = read_text(f"{long}\n</DOC>\n<DOC>\n<DOCNO>b</DOCNO>\n</DOC>\n")
    assert [document.id for document in reading.documents] == ["b"]
    assert [(refusal.line, refusal.reason) for refusal in reading.refusals] == [
        (1, f"the document is longer than {most} MiB")
    ]


def test_a_list_of_topics_without_one_is_refused():
    """It is said what was expected."""
    with pytest.raises(ParseError, match="the root <topics>, but no topic stands in it"):
        read_text("<topics></topics>")


def test_comments_within_a_topic_are_no_fields():
    """Nor are instructions for other programs."""
    text = "<topics><topic number='1'><!-- a --><?b c?><title>soup</title></topic></topics>"
    assert read_text(text).queries == [Query("1", "soup")]


def test_a_document_number_twice_is_refused():
    """The second document of an id is refused."""
    one = "<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n"
    reading = read_text(one + one)
    assert [refusal.line for refusal in reading.refusals] == [4]


plain_texts = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12)


def test_a_title_may_be_a_word_that_labels_have():
    """A query for 'time' is no label; 'Description:' alone is one."""
    text = "<top>\n<num> Number: 7\n<title> Time\n<desc> Description:\n</top>\n"
    (query,) = read_text(text, kind=Kind.QUERIES).queries
    assert (query.id, query.text, query.description) == ("7", "Time", "")


@given(st.dictionaries(plain_texts, plain_texts, min_size=1, max_size=5), st.booleans())
def test_topics_keep_ids_and_titles(titles, is_closed):
    """Whatever letters ids and titles have, closed tags or not, they come back as they are."""
    end = ("</num>", "</title>") if is_closed else ("", "")
    text = "".join(
        f"<top>\n<num> Number: {number}{end[0]}\n<title> {title}{end[1]}\n</top>\n"
        for number, title in titles.items()
    )
    reading = read_text(text, kind=Kind.QUERIES)
    assert {query.id: query.text for query in reading.queries} == titles


def texts_of(text: str) -> dict[str, str]:
    reading = read_text(text, kind=Kind.QUERIES)
    assert not reading.n_refused
    return {query.id: query.text for query in reading.queries}


def test_tops_in_xml_are_topics():
    """`<top>` elements under a root of any name."""
    text = '<?xml version="1.0"?><xml><top><num>1</num><title>cold soup</title></top></xml>'
    assert texts_of(text) == {"1": "cold soup"}
    assert read_text(text).format == "trec-topics-xml"


def test_one_tag_that_is_never_closed_refuses_no_topic():
    """All other topics are read, and the line is said."""
    topics = "".join(
        f"<topic><num>{n}</num>\n<title>soup {n}</{'titel' if n == 7 else 'title'}></topic>\n"
        for n in range(50)
    )
    reading = read_text(f"<?xml version='1.0'?>\n<topics>\n{topics}</topics>\n")
    assert [query.text for query in reading.queries] == [f"soup {n}" for n in range(50)]
    assert any("not well-formed (line 18)" in note for note in reading.notes)


def test_content_is_the_text():
    """NTCIR's WWW topics."""
    text = "<queries><query><qid>0001</qid><content>cold soup</content></query></queries>"
    assert texts_of(text) == {"0001": "cold soup"}


def test_topics_like_documents_are_topics_where_queries_are_said():
    """`<DOC>` with `<DOCNO>`: documents, unless a person says that they are queries."""
    text = "<DOC>\n<DOCNO>1</DOCNO>\n<TITLE>cold soup</TITLE>\n</DOC>\n"
    assert texts_of(text) == {"1": "cold soup"}
    assert read_text(text).kind is Kind.DOCUMENTS


def test_long_documents_are_no_topics():
    """A collection of documents is not taken for queries, whatever is said."""
    text = f"<DOC>\n<DOCNO>1</DOCNO>\n<TEXT>{'soup ' * 1_000}</TEXT>\n</DOC>\n"
    with pytest.raises(ParseError, match="found what looks like TREC documents"):
        read_text(text, kind=Kind.QUERIES)


@pytest.mark.parametrize(
    "text",
    [
        "<topic>" * 100_000,
        "<topics>" + "<topic>" * 100_000 + "</topic>" * 100_000 + "</topics>",
        "<topic number='1'>" + "<a>" * 100_000 + "x" + "</a>" * 100_000 + "</topic>",
        "<topics><topic number='1'>" + "<a>x</a>" * 100_000 + "</topic></topics>",
        "<top><num>1" + "<a>x" * 100_000 + "</top>",
    ],
    ids=["open", "nested", "deep", "wide", "sgml"],
)
def test_nested_markup_is_soon_told(text):
    """A hundred thousand elements in each other, or beside: a reading or a sentence, at once."""
    began = time.process_time()
    with contextlib.suppress(ParseError):
        read_text(text, kind=Kind.QUERIES)
    assert time.process_time() - began < 2


def test_texts_in_one_tag_stay_apart():
    """A question and a narrative inside of one tag do not run together."""
    topic = (
        "<num>1</num><query><question>Cold?</question><narrative>It says so.</narrative></query>"
    )
    reading = read_text(f"<topics><topic>{topic}</topic></topics>")
    (query,) = reading.queries
    assert (query.id, query.description, query.narrative) == ("1", "Cold?", "It says so.")
