"""Documents as JSON lines and tables."""

import pytest

from judgetool.core.judgments import Document
from judgetool.errors import ParseError
from judgetool.formats import Kind, Reading, read_file, read_text
from judgetool.formats.records import MAX_RECORD_LINES
from judgetool.formats.values import Refusal
from tests.helpers.formats import DATA


def read_documents(text: str) -> Reading:
    return read_text(text, source="documents", kind=Kind.DOCUMENTS)


def test_json_lines_are_read():
    """Known names have their places; other values become text, null is left out."""
    assert read_file(DATA / "documents.jsonl").documents == [
        Document(
            "r1",
            "Gazpacho",
            "https://recipes.example/gazpacho",
            "Blend and chill.",
            {"minutes": "20", "tags": '["cold","red"]', "vegan": "true"},
        ),
        Document("007", body="Only a body."),
    ]


def test_desc_of_a_product_is_its_text():
    """Where there is no other text; beside one it is a field."""
    reading = read_documents('{"sku": "p1", "name": "Torch", "desc": "Bright."}\n')
    assert reading.documents == [Document("p1", "Torch", body="Bright.")]
    reading = read_documents('{"sku": "p1", "text": "Long.", "desc": "Bright."}\n')
    assert reading.documents == [Document("p1", body="Long.", fields={"desc": "Bright."})]


def test_tables_are_read():
    """Column names count without regard to capitals; a quoted cell may hold line ends."""
    reading = read_file(DATA / "documents.csv")
    assert reading.delimiter == ";"
    assert reading.documents == [
        Document(
            "r1",
            "Gazpacho",
            "https://recipes.example/gazpacho",
            "Blend;\nchill.",
            {"Course": "soup"},
        ),
        Document("007", body="Only a body."),
    ]


def test_an_id_twice_is_refused_naming_both_lines():
    """The second document of an id is refused."""
    reading = read_documents('{"id": "a", "text": "x"}\n\n{"id": "a", "text": "y"}\n')
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (3, "document ‘a’ stands on line 1 already; that line counts")
    ]


def test_rows_of_another_width_are_refused():
    """A row has as many cells as the header; the line number is that of the row's start."""
    reading = read_documents('id,title\na,"x\ny"\nb\nc,d,e\nf,g\n')
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (4, "expected 2 columns, found 1"),
        (5, "expected 2 columns, found 3"),
    ]
    assert [document.id for document in reading.documents] == ["a", "f"]


def test_an_open_quotation_mark_spoils_one_line_only():
    """A quotation mark that is never closed does not swallow the rest of the file."""
    reading = read_documents('id,title\na,x\nb,"y\nc,z\nd,z\n')
    assert [document.id for document in reading.documents] == ["a", "c", "d"]
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (3, "a quotation mark opens here and is never closed")
    ]


def test_carriage_returns_within_rows_are_refused():
    """A CR outside quotation marks leaves it open where a row ends: each such line is refused."""
    reading = read_documents("id,title\n" + "a,b\rc\n" * 300 + "d,e\n")
    assert reading.n_refused == 300
    assert reading.documents == [Document("d", "e")]


def test_tab_tables_take_quotation_marks_as_text():
    """In a tab-separated table quotation marks are text, unless cells show them doubled."""
    assert read_documents('id\ttitle\na\t"x" and y\nb\t5" pipe\n').documents == [
        Document("a", '"x" and y'),
        Document("b", '5" pipe'),
    ]
    assert read_documents('id\ttitle\na\t"5"" pipe"\n').documents == [Document("a", '5" pipe')]


def test_long_cells_are_read():
    """A text may be far longer than the csv module's own limit."""
    text = "x" * 500_000
    assert read_documents(f"id,title,text\na,,{text}\n").documents[0].body == text


def test_each_line_of_json_may_have_names_of_its_own():
    """However many there are, all fields are kept."""
    lines = [f'{{"id":"{number}","f{number}":"x"}}\n' for number in range(300)]
    documents = read_documents("".join(lines)).documents
    assert [each.fields for each in documents] == [{f"f{number}": "x"} for number in range(300)]


def test_a_mark_that_is_not_closed_soon_spoils_one_line_only():
    """However long the file goes on."""
    reading = read_documents('id,title\n"a,x\n' + "b,y\n" * MAX_RECORD_LINES + 'c,"z"\n')
    assert reading.refusals[0] == Refusal(2, "a quotation mark opens here and is never closed")
    assert [document.id for document in reading.documents] == ["b", "c"]


def test_a_table_of_marks_that_are_never_closed_is_refused():
    """Each would have the rest of the file looked at again."""
    with pytest.raises(ParseError, match="more than 100 quotation marks are never closed"):
        read_documents("id,title\n" + 'a","\n' * 150)


@pytest.mark.parametrize(
    "text", ["a\tsoup\na\tbread\n", ".I a\n.W\nsoup\n.I a\n.W\nbread\n"], ids=["tsv", "smart"]
)
def test_of_documents_of_one_id_the_first_counts(text):
    """Without a header, too."""
    reading = read_documents(text)
    assert reading.documents == [Document("a", body="soup")]
    (refusal,) = reading.refusals
    assert refusal.reason == "document ‘a’ stands on line 1 already; that line counts"


def test_an_id_and_a_text_need_no_header():
    """``id<TAB>text`` is a document where documents are asked for; other lines are refused."""
    reading = read_documents("a\tsome text\nb\n")
    assert reading.documents == [Document("a", body="some text")]
    assert [refusal.line for refusal in reading.refusals] == [2]


def test_a_table_without_known_names_is_refused():
    """Documents need names for their columns; the sentence says so."""
    with pytest.raises(ParseError, match=r"expected documents: an id"):
        read_documents("alpha,beta\n1,2\n3,4\n")


def test_smart_documents_are_told_by_their_tags():
    """Title, author, source and text have their places; references are no text."""
    first, second = read_file(DATA / "documents.smart").documents
    assert (first.id, first.title, first.body) == (
        *("1", "Gazpacho and its relatives", "Blend and chill."),
    )
    assert first.fields == {"author": "Anna Cook", "source": "Journal of Soups 3"}
    assert (second.body, second.fields) == ("Soak the bread.", {})


LOOSE = (
    "text follows the quotation mark that closes a cell (a quotation mark inside a quoted cell is "
    'written twice: "24"" monitor")'
)


def test_a_loose_quotation_mark_is_refused():
    """In a quoted cell it is doubled: where one is not, nobody guesses which marks are syntax."""
    text = 'id,title\na,"bad "quote" here"\nb,"good ""quote"" here"\nc,24" monitor\n"d" ,x\n'
    reading = read_documents(text)
    assert [(r.line, r.reason) for r in reading.refusals] == [(2, LOOSE), (5, LOOSE)]
    assert reading.documents == [Document("b", 'good "quote" here'), Document("c", '24" monitor')]


def test_an_open_quotation_mark_that_another_line_closes_spoils_one_line_only():
    """What stands between is no cell of several lines."""
    reading = read_documents('id,title\na,"x\nb,y\nc,"z"\nd,z\n')
    assert [(r.line, r.reason) for r in reading.refusals] == [(2, LOOSE)]
    assert [document.id for document in reading.documents] == ["b", "c", "d"]


def test_the_rest_of_a_spoiled_cell_is_no_row():
    """Of a cell of several lines, the line with the loose mark may have as many cells as a row."""
    reading = read_documents('id,title\na,"first\nthe "second" line, too"\nb,y\n')
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (2, LOOSE),
        (3, "it may belong to the row of line 2, whose quotation marks do not fit"),
    ]
    assert [document.id for document in reading.documents] == ["b"]


def test_many_loose_quotation_marks_are_all_counted():
    """Each costs its row, not the file."""
    reading = read_documents("id,title\n" + 'a,"x\ny" z"\n' * 300 + "b,y\n")
    assert (reading.n_refused, [document.id for document in reading.documents]) == (600, ["b"])


def test_no_row_stands_in_for_a_header_that_does_not_fit():
    """The columns would be called by the first row’s cells."""
    with pytest.raises(ParseError, match="The header names the columns") as caught:
        read_documents('id,title,"te"xt"\na,b,c\nd,e,f\n')
    assert caught.value.line == 1
