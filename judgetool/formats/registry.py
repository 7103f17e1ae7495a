"""All formats, as a table: what detection, the command line and file dialogs know of them."""

from judgetool.formats.clicks import read_clicks
from judgetool.formats.documents import read_documents
from judgetool.formats.format import Format, Layout, Reader
from judgetool.formats.judgments_table import read_judgments, write_judgments_csv
from judgetool.formats.other_formats import OTHER_FORMATS
from judgetool.formats.qrels import read_qrels, write_qrels
from judgetool.formats.queries import read_queries, read_queries_tsv
from judgetool.formats.results_table import read_results
from judgetool.formats.trec_run import read_trec_run, write_run
from judgetool.formats.values import Kind

__all__ = ["FORMATS", "Format", "Layout", "Reader", "find_format"]

_TABLE_ENDINGS = (".csv", ".tsv", ".tab", ".txt")
_JSON_ENDINGS = (".jsonl", ".ndjson", ".json")

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            "trec-run",
            Kind.RUN,
            Layout.COLUMNS,
            "TREC run",
            (".run", ".trec", ".res", ".txt"),
            read_trec_run,
            write_run,
            "query Q0 document rank score tag, separated by blanks; ordered by score.",
        ),
        Format(
            "trec-qrels",
            Kind.JUDGMENTS,
            Layout.COLUMNS,
            "TREC qrels",
            (".qrels", ".qrel", ".txt", ".tsv"),
            read_qrels,
            write_qrels,
            "query 0 document grade, separated by blanks.",
        ),
        Format(
            "queries-tsv",
            Kind.QUERIES,
            Layout.COLUMNS,
            "Queries, id and text",
            (".tsv", ".txt"),
            read_queries_tsv,
            None,
            "id, a tab, text.",
        ),
        Format(
            "queries-table",
            Kind.QUERIES,
            Layout.TABLE,
            "Queries, table",
            _TABLE_ENDINGS,
            read_queries,
            None,
            "a header such as query_id,text,description; one query a row.",
        ),
        Format(
            "queries-jsonl",
            Kind.QUERIES,
            Layout.JSON_LINES,
            "Queries, JSON lines",
            _JSON_ENDINGS,
            read_queries,
            None,
            'one object a line, such as {"id": "7", "text": "cold soup"}.',
        ),
        Format(
            "documents-table",
            Kind.DOCUMENTS,
            Layout.TABLE,
            "Documents, table",
            _TABLE_ENDINGS,
            read_documents,
            None,
            "a header such as id,title,url,text; one document a row.",
        ),
        Format(
            "documents-jsonl",
            Kind.DOCUMENTS,
            Layout.JSON_LINES,
            "Documents, JSON lines",
            _JSON_ENDINGS,
            read_documents,
            None,
            'one object a line, such as {"id": "r1", "title": "Soup", "text": "Cut …"}.',
        ),
        Format(
            "results-table",
            Kind.RESULTS,
            Layout.TABLE,
            "Ranked results with texts, table",
            _TABLE_ENDINGS,
            read_results,
            None,
            "a header such as query,rank,doc_id,score,title,url,snippet; one result a row.",
        ),
        Format(
            "results-jsonl",
            Kind.RESULTS,
            Layout.JSON_LINES,
            "Ranked results with texts, JSON lines",
            _JSON_ENDINGS,
            read_results,
            None,
            'one object a line, such as {"query": "cold soup", "rank": 1, "doc_id": "r1"}.',
        ),
        Format(
            "judgments-table",
            Kind.JUDGMENTS,
            Layout.TABLE,
            "Judgments in full, table",
            _TABLE_ENDINGS,
            read_judgments,
            write_judgments_csv,
            "a header such as query,document,assessor,grade,state,note; one judgment a row.",
        ),
        Format(
            "judgments-jsonl",
            Kind.JUDGMENTS,
            Layout.JSON_LINES,
            "Judgments in full, JSON lines",
            _JSON_ENDINGS,
            read_judgments,
            None,
            'one object a line, such as {"query_id": "7", "doc_id": "r1", "grade": 2}.',
        ),
        Format(
            "clicks-table",
            Kind.CLICKS,
            Layout.TABLE,
            "Clicks, table",
            _TABLE_ENDINGS,
            read_clicks,
            None,
            "a header such as query,document,impressions,clicks,position; one count a row.",
        ),
        Format(
            "clicks-jsonl",
            Kind.CLICKS,
            Layout.JSON_LINES,
            "Clicks, JSON lines",
            _JSON_ENDINGS,
            read_clicks,
            None,
            'one object a line, such as {"query": "7", "document": "r1", "impressions": 9, "clicks": 2}.',
        ),
        *OTHER_FORMATS,
    )
}


def find_format(kind: Kind, layout: Layout) -> Format | None:
    """Return the format of this kind and layout, if there is one."""
    return next(
        (each for each in FORMATS.values() if each.kind == kind and each.layout == layout), None
    )
