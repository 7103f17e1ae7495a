"""All formats that judgetool reads, as one table: a row holds whatever detection, readers, command line and file dialogs know of one."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from judgetool.errors import ParseError
from judgetool.formats.json_shapes import (
    has_any,
    is_nested_numbers,
    is_quepid_snapshot,
    is_rre,
    numbers_question,
    read_numbers_as_judgments,
    read_numbers_as_run,
    read_opensearch,
    read_opensearch_queries,
    read_quepid_book,
    read_quepid_case,
    read_quepid_snapshot,
    read_rank_eval_request,
    read_rre,
)
from judgetool.formats.judgment_columns import (
    LETOR_LINE,
    fourth_question,
    is_candidate_row,
    is_prels_row,
    is_qrels_row,
    is_ranked_row,
    is_sampled_row,
    is_short_row,
    read_candidates,
    read_four_columns,
    read_judgments,
    read_letor,
    read_prels,
    read_qrels,
    read_sampled,
    read_three_columns,
    third_question,
)
from judgetool.formats.judgments import read_clicks
from judgetool.formats.markup import read_topics_sgml, read_topics_xml, read_trec_documents
from judgetool.formats.results import read_results
from judgetool.formats.score_scan import (
    find_parted_id,
    is_run_row,
    is_swapped_run_row,
    ranks_question,
    read_trec_run,
)
from judgetool.formats.search_responses import (
    has_responses,
    object_of,
    objects_of,
    read_rank_eval_response,
    read_responses,
)
from judgetool.formats.source import TextSource
from judgetool.formats.texts import (
    COLON_LINE,
    read_documents,
    read_documents_tsv,
    read_queries,
    read_queries_colon,
    read_queries_list,
    read_queries_tsv,
    read_smart_documents,
    read_smart_queries,
)
from judgetool.formats.values import FileLayout, Kind, Question, Reading, Wishes


class Format(NamedTuple):
    """One layout of files.

    Attributes:
        name: as given on the command line and printed in JSON; reports print the title.
        kind: what such files are about.
        layout: how their lines are built.
        title: for people, in reports and file dialogs.
        endings: usual endings of the files' names, a hint only.
        reader: fills a reading from a source; of a folder, :func:`read_folder` does it.
        help: what a line holds, in a sentence.
        is_like: whether a :class:`judgetool.formats.values.LineParts` of a file without a header, or the JSON value that fills
            a file, looks like this format. The format that most lines look like counts, of equals
            the row that stands first; so lines with a flaw are taken, too, and a row stands above
            another whose lines look likewise (two cells with a tab are ``queries-tsv``).
            ``None`` where names of columns or tags tell it, or a question.
        ask: which of ``alike`` a file that looks like this is: its rows (columns of each line) or
            its value, and the wishes, to a question, answered as far as the content tells;
            ``None`` where nothing is in doubt.
        alike: other formats that look the same, by that answer.
        also: kinds that such files hold besides.
        questions: names of all that reading may ask.
    """

    name: str
    kind: Kind
    layout: FileLayout
    title: str
    endings: tuple[str, ...]
    reader: Callable[[TextSource, Reading], None]
    help: str
    is_like: Callable[[Any], bool] | None = None
    ask: Callable[[Any, Wishes], Question | None] | None = None
    alike: Mapping[str, str] = MappingProxyType({})
    also: tuple[Kind, ...] = ()
    questions: tuple[str, ...] = ()

    @property
    def kinds(self) -> set[Kind]:
        """What a file that looks like this may be about, before anything is asked."""
        return {self.kind, *self.also, *(FORMATS[name].kind for name in self.alike.values())}


_TABLE_ENDINGS = (".csv", ".tsv", ".tab", ".txt")
_JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
# What JSON objects leave open that are no rows: texts by ids, and lists of ids.
_OF_SHAPES = ("id_and_text", "lists")
_ADDRESS = re.compile(r"https?://\S+")


def _read_no_folder(source: TextSource, _reading: Reading) -> None:
    """Refuse a source that is no folder; a folder never gets here."""
    raise ParseError("expected a folder, found a file.", source=source.name)


def is_loose_run_row(row: Sequence[str]) -> bool:
    """Whether this is a result whose tag holds blanks or is missing, or whose query id holds some."""
    if find_parted_id(row):
        return True
    has_count = len(row) > 6 or (len(row) == 5 and row[1] in {"Q0", "q0", "0"})
    return has_count and is_run_row([*row[:5], "tag"])


# What names of columns or fields tell: name, kind, title, reader, what a table and what a line holds.
_NAMED = (
    (
        "queries",
        Kind.QUERIES,
        "Queries",
        read_queries,
        "a header such as query_id,text,description; one query a row.",
        'one object a line, such as {"id": "7", "text": "cold soup"}.',
    ),
    (
        "documents",
        Kind.DOCUMENTS,
        "Documents",
        read_documents,
        "a header such as id,title,url,text; one document a row.",
        'one object a line, such as {"id": "r1", "title": "Soup", "text": "Cut …"}.',
    ),
    (
        "results",
        Kind.RESULTS,
        "Ranked results with texts",
        read_results,
        "a header such as query,rank,doc_id,score,title,url,snippet; one result a row.",
        'one object a line, such as {"query": "cold soup", "rank": 1, "doc_id": "r1"}.',
    ),
    (
        "judgments",
        Kind.JUDGMENTS,
        "Judgments in full",
        read_judgments,
        "a header such as query,document,assessor,grade,state,note; one judgment a row.",
        'one object a line, such as {"query_id": "7", "doc_id": "r1", "grade": 2}.',
    ),
    (
        "clicks",
        Kind.CLICKS,
        "Clicks",
        read_clicks,
        "a header such as query,document,impressions,clicks,position; one count a row.",
        'one object a line, such as {"query": "7", "document": "r1", "impressions": 9, "clicks": 2}.',
    ),
)

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            "trec-run",
            Kind.RUN,
            FileLayout.COLUMNS,
            "TREC run",
            (".run", ".trec", ".res", ".txt"),
            read_trec_run,
            "query Q0 document rank score tag, separated by blanks; ordered by score.",
            lambda line: (
                not line.has_blank_ids
                and (
                    is_run_row(line.columns)
                    or is_loose_run_row(line.columns)
                    or is_swapped_run_row(line.columns)
                )
            ),
            ask=ranks_question,
            questions=("ranks",),
        ),
        Format(
            "letor",
            Kind.JUDGMENTS,
            FileLayout.TEXT_LINES,
            "LETOR, SVMlight, RankLib",
            (".letor", ".txt", ".dat"),
            read_letor,
            "grade qid:1 1:0.5 2:0.25 # document.",
            lambda line: bool(LETOR_LINE.fullmatch(line.text)),
        ),
        Format(
            "queries-tsv",
            Kind.QUERIES,
            FileLayout.COLUMNS,
            "Queries, id and text",
            (".tsv", ".txt"),
            read_queries_tsv,
            "id, a tab, text.",
            lambda line: len(line.cells) == 2,
            alike={"documents": "documents-tsv"},
            questions=("id_and_text",),
        ),
        Format(
            "colbert-run",
            Kind.RUN,
            FileLayout.COLUMNS,
            "Run in four columns (ColBERT)",
            (".tsv", ".txt"),
            read_four_columns,
            "query, document, rank, score.",
            lambda line: is_ranked_row(line.columns) and len(line.cells) in {1, 4},
            ask=fourth_question,
            alike={"grade": "trec-qrels"},
            questions=("fourth_column",),
        ),
        Format(
            "trec-qrels",
            Kind.JUDGMENTS,
            FileLayout.COLUMNS,
            "TREC qrels",
            (".qrels", ".qrel", ".txt", ".tsv"),
            read_qrels,
            "query 0 document grade, separated by blanks.",
            lambda line: is_qrels_row(line.columns) and not line.has_blank_ids,
            questions=("column_two",),
        ),
        Format(
            "trec-sampled-qrels",
            Kind.JUDGMENTS,
            FileLayout.COLUMNS,
            "TREC qrels with strata",
            (".qrels", ".txt"),
            read_sampled,
            "query, iteration, document, stratum, grade.",
            lambda line: is_sampled_row(line.columns) and not line.has_blank_ids,
        ),
        Format(
            "trec-prels",
            Kind.JUDGMENTS,
            FileLayout.COLUMNS,
            "TREC prels",
            (".prels", ".txt"),
            read_prels,
            "query, document, grade, method, probability.",
            lambda line: is_prels_row(line.columns) and not line.has_blank_ids,
        ),
        Format(
            "msmarco-run",
            Kind.RUN,
            FileLayout.COLUMNS,
            "Run in three columns",
            (".tsv", ".txt"),
            read_three_columns,
            "query, document, and the rank or the score (MS MARCO).",
            lambda line: is_short_row(line.columns) and len(line.cells) in {1, 3},
            ask=third_question,
            alike={"grade": "qrels-3-columns"},
            questions=("third_column",),
        ),
        Format(
            "documents-tsv",
            Kind.DOCUMENTS,
            FileLayout.COLUMNS,
            "Documents, id and text",
            (".tsv", ".txt"),
            read_documents_tsv,
            "id, a tab, text; or id, url, title, text (MS MARCO).",
            lambda line: len(line.cells) == 4 and bool(_ADDRESS.fullmatch(line.cells[1])),
        ),
        Format(
            "msmarco-candidates",
            Kind.RESULTS,
            FileLayout.COLUMNS,
            "Candidates with texts (MS MARCO top1000)",
            (".tsv", ".txt"),
            read_candidates,
            "query id, document id, query text, document text, separated by tabs.",
            lambda line: is_candidate_row(line.cells) and not is_qrels_row(line.cells),
        ),
        Format(
            "queries-colon",
            Kind.QUERIES,
            FileLayout.TEXT_LINES,
            "Queries, id:text",
            (".txt",),
            read_queries_colon,
            "id, a colon, text.",
            lambda line: len(line.cells) == 1 and bool(COLON_LINE.match(line.text)),
        ),
        Format(
            "queries-list",
            Kind.QUERIES,
            FileLayout.TEXT_LINES,
            "Queries, texts alone",
            (".txt",),
            read_queries_list,
            "one query a line; its text is its id.",
        ),
        Format(
            "qrels-3-columns",
            Kind.JUDGMENTS,
            FileLayout.COLUMNS,
            "Qrels in three columns",
            (".qrels", ".tsv", ".txt"),
            read_three_columns,
            "query, document, grade.",
        ),
        Format(
            "smart-queries",
            Kind.QUERIES,
            FileLayout.TEXT_LINES,
            "Queries of SMART collections",
            (".qry", ".txt"),
            read_smart_queries,
            ".I and the id, .W and below it the text.",
        ),
        Format(
            "smart-documents",
            Kind.DOCUMENTS,
            FileLayout.TEXT_LINES,
            "Documents of SMART collections",
            (".all", ".txt"),
            read_smart_documents,
            ".I and the id; .T, .A, .B, .W and below each its text.",
        ),
        Format(
            "trec-topics",
            Kind.QUERIES,
            FileLayout.MARKUP,
            "TREC topics, SGML",
            (".topics", ".sgml", ".txt", ".trec"),
            read_topics_sgml,
            "<top>, <num>, <title>, <desc>, <narr>; closing tags may be missing.",
        ),
        Format(
            "trec-topics-xml",
            Kind.QUERIES,
            FileLayout.MARKUP,
            "TREC topics, XML",
            (".xml",),
            read_topics_xml,
            "<topic> elements with number, title or query, description, narrative, subtopics.",
        ),
        Format(
            "trec-documents",
            Kind.DOCUMENTS,
            FileLayout.MARKUP,
            "TREC documents",
            (".trec", ".sgml", ".txt", ".xml"),
            read_trec_documents,
            "<DOC>, <DOCNO>, <TEXT> and other tags.",
        ),
        Format(
            "documents-folder",
            Kind.DOCUMENTS,
            FileLayout.FOLDER,
            "Folder of text files",
            (),
            _read_no_folder,
            "each file is a document; its name is the id.",
        ),
        Format(
            "beir-folder",
            Kind.DOCUMENTS,
            FileLayout.FOLDER,
            "BEIR folder",
            (),
            _read_no_folder,
            "corpus.jsonl, queries.jsonl and qrels/*.tsv: documents, queries and judgments at once.",
        ),
        Format(
            "quepid-book",
            Kind.JUDGMENTS,
            FileLayout.JSON_VALUE,
            "Quepid book, JSON",
            (".json",),
            read_quepid_book,
            "query_doc_pairs with the judgements of several judges.",
            lambda value: bool(objects_of(object_of(value).get("query_doc_pairs"))),
            questions=("positions",),
        ),
        Format(
            "opensearch-judgments",
            Kind.JUDGMENTS,
            FileLayout.JSON_VALUE,
            "OpenSearch judgment list",
            (".json",),
            read_opensearch,
            "judgmentRatings: queries with docId and rating.",
            lambda value: isinstance(object_of(value).get("judgmentRatings"), list),
        ),
        Format(
            "opensearch-queries",
            Kind.QUERIES,
            FileLayout.JSON_VALUE,
            "OpenSearch query set",
            (".json",),
            read_opensearch_queries,
            "querySetQueries: queries with queryText.",
            lambda value: has_any(value, "querySetQueries", "queryText"),
        ),
        Format(
            "rank-eval-request",
            Kind.JUDGMENTS,
            FileLayout.JSON_VALUE,
            "Ranking evaluation, request",
            (".json",),
            read_rank_eval_request,
            "the request of _rank_eval (Elasticsearch, OpenSearch): ratings of documents.",
            lambda value: has_any(value, "requests", "ratings"),
        ),
        Format(
            "rank-eval-response",
            Kind.RESULTS,
            FileLayout.JSON_VALUE,
            "Ranking evaluation, response",
            (".json",),
            read_rank_eval_response,
            "the response of _rank_eval: hits with their ratings.",
            lambda value: (
                "metric_score" in object_of(value)
                and bool(object_of(object_of(value).get("details")))
            ),
        ),
        Format(
            "rre",
            Kind.JUDGMENTS,
            FileLayout.JSON_VALUE,
            "Rated Ranking Evaluator",
            (".json",),
            read_rre,
            "queries with placeholders and relevant_documents, in both forms.",
            is_rre,
        ),
        Format(
            "quepid-snapshot",
            Kind.RESULTS,
            FileLayout.JSON_VALUE,
            "Quepid snapshot, JSON",
            (".json",),
            read_quepid_snapshot,
            "queries with their ratings, and under docs a ranking for each.",
            is_quepid_snapshot,
            also=(Kind.JUDGMENTS,),
        ),
        Format(
            "quepid-case",
            Kind.JUDGMENTS,
            FileLayout.JSON_VALUE,
            "Quepid case or ratings, JSON",
            (".json",),
            read_quepid_case,
            "queries with their ratings.",
            lambda value: has_any(value, "queries", "ratings") or "case_name" in object_of(value),
        ),
        Format(
            "search-response",
            Kind.RESULTS,
            FileLayout.JSON_VALUE,
            "Responses of search engines",
            (".json",),
            read_responses,
            "saved responses of Elasticsearch, OpenSearch, Solr, Vespa, Algolia, Meilisearch or Typesense, or candidates of rank_llm; several in a list or by query id.",
            has_responses,
        ),
        Format(
            "ranx-run",
            Kind.RUN,
            FileLayout.JSON_VALUE,
            "Run, JSON (BEIR, ranx, pytrec_eval)",
            (".json",),
            read_numbers_as_run,
            "one object for each query: its documents with their scores.",
            is_nested_numbers,
            ask=numbers_question,
            alike={"": "ranx-qrels", "grade": "ranx-qrels"},
            questions=("numbers",),
        ),
        Format(
            "ranx-qrels",
            Kind.JUDGMENTS,
            FileLayout.JSON_VALUE,
            "Qrels, JSON (BEIR, ranx, pytrec_eval)",
            (".json",),
            read_numbers_as_judgments,
            "one object for each query: its documents with their grades.",
        ),
        *(
            Format(
                f"{name}-table",
                kind,
                FileLayout.TABLE,
                f"{title}, table",
                _TABLE_ENDINGS,
                reader,
                table,
            )
            for name, kind, title, reader, table, _ in _NAMED
        ),
        *(
            Format(
                f"{name}-jsonl",
                kind,
                FileLayout.JSON_LINES,
                f"{title}, JSON lines",
                _JSON_ENDINGS,
                reader,
                lines,
                questions=_OF_SHAPES,
            )
            for name, kind, title, reader, _, lines in _NAMED
        ),
    )
}
"""By name; what looks alike is told by the order."""


def find_format(kind: Kind, layout: FileLayout) -> Format | None:
    """Return the format of this kind and layout, if there is one."""
    return next(
        (each for each in FORMATS.values() if each.kind == kind and each.layout == layout), None
    )
