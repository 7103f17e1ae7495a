"""Lists and tables as teams have them: headers, quotes, counts, many names of columns."""

import io

import pytest

from judgetool.errors import ParseError
from judgetool.formats import Kind, Reading, read_stream, read_text
from judgetool.formats.values import ColumnsNeededError
from tests.formats.test_judgments_table import rows_of


def queries_of(text: str, kind: Kind | None = Kind.QUERIES, **wishes) -> list[tuple]:
    reading = read_text(text, kind=kind, **wishes)
    assert not reading.n_refused
    return [(query.id, query.text, query.weight) for query in reading.queries]


def judged(text: str) -> list[tuple]:
    table = read_text(text).judgments
    assert table is not None
    return list(zip(table.query_ids, table.document_ids, table.grades, strict=True))


@pytest.mark.parametrize("kind", [None, Kind.QUERIES])
@pytest.mark.parametrize(
    "text",
    [
        'query\n"soup, cold"\nbread\n',
        "Search term\nsoup, cold\nbread\n",
        '"query"\n"soup, cold"\n"bread"\n',
        'Top queries,CTR\n"soup, cold",1%\nbread,2%\n',
        "query\tnot known\nsoup, cold\tx\nbread\ty\n",
    ],
)
def test_a_header_is_no_query(text, kind):
    """One known column is a table: its header is no query, quotation marks are syntax."""
    assert queries_of(text, kind) == [("soup, cold", "soup, cold", 1), ("bread", "bread", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "query,frequency\ncold soup,17\nbread,3\n",
        "query\tcount\ncold soup\t17\nbread\t3\n",
        "keyword;search volume\ncold soup;17\nbread;3\n",
        "cold soup\t17\nbread\t3\n",
        "cold soup,17\nbread,3\n",
    ],
)
def test_counts_are_weights(text):
    """How often a query came is its weight, not its text."""
    assert queries_of(text) == [("cold soup", "cold soup", 17), ("bread", "bread", 3)]


def test_quotation_marks_around_all_lines_are_syntax():
    """A CSV of one column without a header."""
    assert queries_of('"soup, cold"\n"bread"\n') == [
        ("soup, cold", "soup, cold", 1),
        ("bread", "bread", 1),
    ]


def test_a_phrase_in_quotation_marks_stays():
    """Where only some lines are quoted, and nothing needs it, the marks belong to the query."""
    assert queries_of('cold soup\n"rye bread"\n')[1] == ('"rye bread"', '"rye bread"', 1)


def test_texts_with_commas_are_texts():
    """A comma with a blank behind it is a sentence's."""
    assert queries_of("London, England\nParis, France\n")[0][1] == "London, England"


def test_columns_without_a_header_are_asked():
    """Ids and texts between commas are no texts alone; told as a row, they are read."""
    text = "1,cold soup\n2,bread\n"
    with pytest.raises(ColumnsNeededError, match=r"columns ‘1’, ‘cold soup’.* is a row") as caught:
        read_text(text, kind=Kind.QUERIES)
    assert [question.name for question in caught.value.questions] == ["header"]
    roles = {"column 1": "query_id", "column 2": "query_text"}
    assert queries_of(text, answers={"header": "no"}, column_roles=roles) == [
        ("1", "cold soup", 1),
        ("2", "bread", 1),
    ]


def test_comments_above_a_header_are_no_header():
    """Lines that begin with '#' above a table are left out, and said."""
    text = "# exported by hand\n# 2026\nquery,document,grade\na,d1,2\n"
    reading = read_text(text, kind=Kind.JUDGMENTS)
    assert (reading.judgments.query_ids, reading.judgments.grades) == (["a"], [2.0])
    assert any("header is on line 3" in note for note in reading.notes)


def test_lines_can_be_called_texts():
    """What looks like something else is one query a line where a person says so."""
    answers = {"lines": "texts"}
    assert queries_of("1,cold soup\n2,bread\n", answers=answers)[0][1] == "1,cold soup"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("- id: 1\n  text: cold soup\n- id: 2\n  text: bread\n", "YAML"),
        ("---\nqueries:\n  - cold soup\n", "YAML"),
        ("<html><body>\n<p>cold soup</p>\n</body></html>\n", "HTML"),
        ("{“id”: “q1”, “text”: “cold soup”}\n{“id”: “q2”, “text”: “bread”}\n", "JSON with other"),
        ("{'id': 'q1', 'text': 'cold soup'}\n", "JSON with other"),
        ('::1 - - [10/Oct/2020:13:55:36 -0700] "GET /?q=soup HTTP/1.0" 200 23\n', "the access log"),
    ],
)
def test_other_languages_are_named(text, what):
    """YAML, HTML and JSON with typographic quotation marks are not taken for lists of queries."""
    with pytest.raises(ParseError, match=f"looks like {what}|HTML"):
        read_text(text, kind=Kind.QUERIES)


def test_a_query_that_is_called_a_dash_is_no_list_of_yaml():
    """Three columns of judgments: what a list of YAML would be has no number at each end."""
    reading = read_text("- d17 2\n- d2 0\n", kind=Kind.JUDGMENTS)
    assert [row.grade for row in rows_of(reading)] == [2, 0]


@pytest.mark.parametrize(
    "header",
    [
        "doc,query,relevance",
        "documentId,queryText,relevant",
        "sku,search_term,rel",
        "item_id,qid,label",
        "asin,keyword,rating",
        "url,keyword,rating",
        "product,topic,rel",
        "pid,question,gain",
        "passage_id,query_txt,is_relevant",
        "Document ID,Query ID,Relevance Label",
    ],
)
def test_many_names_of_columns_are_known(header):
    """A document, a query and a grade under the names that tools and teams give them."""
    assert judged(f"{header}\nd1,q1,2\n") == [("q1", "d1", 2)]


def test_a_document_with_keywords_is_no_pair():
    """Names that documents have, too, do not make a table of results of one of them."""
    assert read_text("doc_id,title,keywords,body\nd1,a,b,c\n").kind is Kind.DOCUMENTS


def test_an_address_may_be_the_only_id():
    """A table of queries, addresses and ranks is a run over addresses."""
    reading = read_text("query,url,rank\nsoup,https://a.example/1,1\n")
    assert reading.runs[0].document_ids == ["https://a.example/1"]


PYTERRIER = "qid,docid,docno,rank,score\nq1,17,FT911-3,0,12.5\n"


def documents_of(reading: Reading) -> list[str]:
    return reading.runs[0].document_ids


def test_of_two_ids_the_outer_one_is_taken():
    """PyTerrier's docid is a number of its own; docno names the document."""
    assert documents_of(read_text(PYTERRIER)) == ["FT911-3"]


def test_of_two_ids_the_one_that_the_project_knows_is_taken():
    """A project whose documents are called by that number gets that number, and it is said."""
    stream = io.BytesIO(PYTERRIER.encode())
    reading = read_stream(stream, known_documents=lambda ids: {"17"} & set(ids))
    assert documents_of(reading) == ["17"]
    assert any("‘docid’ is taken for the documents’ ids" in note for note in reading.notes)


def test_a_passage_is_known_by_its_own_id():
    """MS MARCO v2: the passage's id, not that of the document it is from."""
    lines = "".join(
        f'{{"pid": "p_{n}", "passage": "text {n}", "docid": "d_1"}}\n' for n in range(3)
    )
    reading = read_text(lines)
    assert [document.id for document in reading.documents] == ["p_0", "p_1", "p_2"]


@pytest.mark.parametrize("name", ["query_txt", "queryText", "search_query"])
def test_texts_of_queries_in_json_lines(name):
    """M-BEIR's query_txt and its like."""
    assert queries_of(f'{{"qid": "1", "{name}": "cold soup"}}\n', None) == [("1", "cold soup", 1)]


def test_a_segment_is_a_text():
    """MS MARCO v2.1's segments."""
    text = '{"docid": "d#1", "url": "https://a.example", "title": "t", "segment": "words"}\n'
    assert read_text(text).documents[0].body == "words"


def test_numbers_beside_grades_are_nobodys_grades():
    """Label Studio's lead_time and annotation_id are no assessors."""
    reading = read_text("query,doc_id,lead_time,annotation_id,choice\nq,r,3,4,2\n")
    table = reading.judgments
    assert table is not None
    assert (list(table.grades), list(table.assessors)) == ([2], [None])
    with pytest.raises(ColumnsNeededError):
        read_text("query,doc_id,lead_time\nq,r,3\n")


def test_million_queries_lose_their_number():
    """Million Query 2009: the number between id and text is no part of the text."""
    assert queries_of("20001:1:obama family tree\n20002:2:cold soup\n") == [
        ("20001", "obama family tree", 1),
        ("20002", "cold soup", 1),
    ]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_excels_first_line_is_no_header(first):
    """What stands between the cells, as Excel is told it, is obeyed."""
    assert judged(f"{first}\nquery_id;doc_id;grade\nq1;r1;2\n") == [("q1", "r1", 2)]


def test_headers_are_shown_as_the_file_spells_them():
    """In the file's order and spelling, as they have to be named."""
    with pytest.raises(ColumnsNeededError, match="columns ‘Zeta’, ‘Alpha’, ‘Mid Dle’"):
        read_text("Zeta,Alpha,Mid Dle\n1,2,3\n4,5,6\n", kind=Kind.JUDGMENTS)


@pytest.mark.parametrize("start", ["", "query,doc_id,grade,"])
def test_a_table_of_millions_of_columns_is_refused(start):
    """With a sentence of one line, whatever its columns are called."""
    row = ",".join("1" for _ in range(3_000_000))
    with pytest.raises(ParseError, match=r"columns; up to 10,000 are read") as caught:
        read_text(f"{start}{row}\n{start}{row}\n")
    assert len(str(caught.value)) < 300


def test_an_object_of_many_names_is_refused():
    """The same holds for JSON lines."""
    many = ",".join(f'"c{n}": 1' for n in range(20_000))
    reading = read_text(f'{{"id": "a", "text": "b"}}\n{{"id": "c", {many}}}\n', kind=Kind.QUERIES)
    assert [query.id for query in reading.queries] == ["a"]
    assert "20,001 names in one object" in reading.refusals[0].reason


def test_words_that_look_like_a_run_are_queries_where_that_is_said():
    """Expanded queries may have six words, numbers among them; one tab parts id and text."""
    text = "".join(f"q{n}\tsoup cold 1 2.5 bread\n" for n in range(5))
    assert len(queries_of(text)) == 5


def test_rank_eval_requests_have_ids():
    """An id that equals its text is an id all the same."""
    request = (
        '{"requests": [{"id": "soup", "request": {"query": {"match": {"title": {"query": "soup"}}}}, '
        '"ratings": [{"_index": "r", "_id": "r1", "rating": 3}]}]}'
    )
    assert not [note for note in read_text(request).notes if "no query ids" in note]


@pytest.mark.parametrize("kind", [None, Kind.DOCUMENTS])
def test_pages_are_known_by_their_addresses(kind):
    """Where there is no other id, the address is id and address."""
    (page,) = read_text("url,title,text\nhttps://a.example/1,Soup,Blend.\n", kind=kind).documents
    assert (page.id, page.url, page.body) == (*["https://a.example/1"] * 2, "Blend.")


@pytest.mark.parametrize("kind", [None, Kind.DOCUMENTS])
def test_products_are_documents(kind):
    """A number of an article and a name."""
    (product,) = read_text("sku,name,price\n7,Ladle,3\n", kind=kind).documents
    assert (product.id, product.title, product.fields) == ("7", "Ladle", {"price": "3"})


def test_a_quoted_id_in_the_first_column_is_seen():
    """As in the others: an id that is a quotation mark stands in BEIR's files as four of them."""
    text = 'query-id\tcorpus-id\tscore\n""""\td1\t2\n'
    assert read_text(text, kind=Kind.JUDGMENTS).judgments.query_ids == ['"']


SPREADSHEET = 'query\tdocument\tgrade\n"soup, warm"\td1\t3\nplain\td3\t2\n'


def marks_of(reading: Reading) -> str:
    """Return what was answered of quotation marks; ``""`` where nothing was asked."""
    return reading.answer_to("quotes")


@pytest.mark.parametrize("more", ["", '"24"" monitor"\td2\t1\n', f'"{"a, " * 400_000}"\td4\t1\n'])
def test_a_spreadsheets_marks_are_none_of_a_cells_whatever_another_row_holds(more):
    """It writes them where a cell holds a comma; that is said, and can be answered otherwise."""
    reading = read_text(SPREADSHEET + more, kind=Kind.JUDGMENTS)
    assert reading.judgments.query_ids[:2] == ["soup, warm", "plain"]
    assert marks_of(reading) == "no"
    kept = read_text(SPREADSHEET, kind=Kind.JUDGMENTS, answers={"quotes": "yes"})
    assert kept.judgments.query_ids == ['"soup, warm"', "plain"]
    assert marks_of(kept) == "yes"
    none = read_text(SPREADSHEET.replace('"', ""), kind=Kind.JUDGMENTS, answers={"quotes": "no"})
    assert [question.name for question in none.open_questions] == []


@pytest.mark.parametrize("kind", [None, Kind.JUDGMENTS])
def test_texts_that_are_all_in_marks_are_rs(kind):
    """R writes them around all texts, those of the header among them, and none around NA."""
    text = '"query"\t"document"\t"grade"\t"note"\n"q1"\t"d1"\t3\tNA\n"q1"\t"d2"\t0\t"x"\n'
    reading = read_text(text, kind=kind)
    assert (reading.judgments.document_ids, reading.judgments.notes) == (["d1", "d2"], ["NA", "x"])
    bare = read_text('query\tdocument\tgrade\n"q1"\td1\t3\nNA\td2\t0\n', kind=Kind.JUDGMENTS)
    assert bare.judgments.query_ids == ["q1", "NA"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('id\ttext\nq1\t"rye bread"\nq2\tplain\nq3\tsoup, warm\n', "yes"),
        ('id\ttext\nq1\t"to be" or "not to be"\nq2\t24" monitor\n', ""),
        ('id\ttext\nq1\t"rye bread"\nq2\t24" monitor\n', "yes"),
        ("id\ttext\nq1\tcold soup\n", ""),
        ('q1\t"rye bread"\nq2\tplain\n', "yes"),
    ],
)
def test_marks_that_may_be_a_texts_own_are_kept(text, answer):
    """A phrase that is searched for, an inch: they stay, and where they might not be, it is asked."""
    reading = read_text(text, kind=Kind.QUERIES)
    lines = [line.split("\t")[1] for line in text.splitlines() if not line.startswith("id")]
    assert [query.text for query in reading.queries] == lines
    assert marks_of(reading) == answer


def texts_of(reading: Reading) -> list[str]:
    return [query.text for query in reading.queries] + [each.body for each in reading.documents]


@pytest.mark.parametrize("kind", [Kind.QUERIES, Kind.DOCUMENTS])
def test_ids_and_texts_alone_keep_their_marks_until_somebody_says_otherwise(kind):
    """As judgetool itself and TREC write them: what was exported comes back; and it is asked."""
    text = 'q1\t"soup, warm"\nq2\tplain\n'
    reading = read_text(text, kind=kind)
    assert texts_of(reading) == ['"soup, warm"', "plain"]
    assert marks_of(reading) == "yes"
    reading = read_text(text, kind=kind, answers={"quotes": "no"})
    assert texts_of(reading) == ["soup, warm", "plain"]


@pytest.mark.parametrize("kind", [None, Kind.QUERIES, Kind.JUDGMENTS])
def test_a_printed_table_is_no_judgments_of_its_row_numbers(kind):
    """Pandas prints a number before each row, and no name above the numbers."""
    printed = "  query document  grade\n0    q1       d1      3\n1    q1       d2      0\n"
    with pytest.raises(ParseError, match=r"a table that pandas or R has printed.*to_csv"):
        read_text(printed, kind=kind)


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_numbers_of_rows_for_which_the_header_has_no_name_are_left_out(delimiter):
    """As R writes tables where nothing else is said; of a delimiter at a row's end nothing comes."""
    rows = ["query document grade", "1 q1 d1 3", "2 q1 d2 0"]
    reading = read_text("".join(f"{row}\n" for row in rows).replace(" ", delimiter))
    assert reading.judgments.query_ids == ["q1", "q1"]
    assert reading.judgments.document_ids == ["d1", "d2"]
    assert "the first cell of each row is its number" in reading.notes[0]
    trailing = ["query document grade", "1 d1 3 ", "2 d2 0 "]
    reading = read_text("\n".join(trailing).replace(" ", delimiter))
    assert reading.judgments.query_ids == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "query,document,grade,note\nsoup a,r1,3,good\nsoup a,r2,1\n",
        "query,document,grade,,,\nsoup a,r1,3\nsoup a,r2,1,,\n",
        "query,document,grade\nsoup a,r1,3,,\nsoup a,r2,1\n",
    ],
    ids=["no last cell", "header", "rows"],
)
def test_empty_cells_at_the_end_of_a_row_may_be_there_or_not(text):
    """A spreadsheet leaves them out, or writes more of them than there are names."""
    reading = read_text(text)
    assert reading.judgments.grades == [3.0, 1.0]
    assert "column 4" not in [use.header for use in reading.columns]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("query,document,grade,note\nsoup a,r1,3,good\nsoup a,r2\n", 2),
        ("query,document,grade\nsoup a,r1,3\nsoup a,r2,1,x\n", 4),
        ("id,title,text\n1,Soup,Cut and chill.\nthen serve,\n", 2),
    ],
    ids=["no grade", "one more", "no text"],
)
def test_a_row_without_what_it_needs_or_with_more_than_there_are_names_is_refused(text, found):
    """It may be cut off, or its text be parted where it should not."""
    (refusal,) = read_text(text).refusals
    assert refusal.line == 3
    assert refusal.reason.endswith(f"columns, found {found}")


def test_a_column_without_a_name_is_one_where_something_stands_in_it():
    """Of the separators that end a header one may belong to a column that nobody named."""
    reading = read_text("id,text,,\n1,cold soup,,\n2,warm bread,x\n", kind=Kind.QUERIES)
    assert [each.fields for each in reading.queries] == [{}, {"column 3": "x"}]


def test_queries_that_are_numbered_are_still_qrels_below_a_short_header():
    """TREC's iteration stands behind the number, which is the query's."""
    reading = read_text("query document grade\n1 0 d1 3\n2 0 d2 1\n", kind=Kind.JUDGMENTS)
    assert reading.judgments.query_ids == ["1", "2"]
