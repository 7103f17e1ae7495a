"""What judgetool writes: the formats as a table, and the choices that go with them.

Belongs here: from values to the chunks of a file. Does not: where files stand, the project.
"""

from functools import partial

from judgetool.errors import named
from judgetool.formats.writers.grades import (
    iter_beir_qrels,
    iter_letor,
    iter_lightgbm,
    iter_lightgbm_groups,
    iter_lightgbm_ids,
    iter_opensearch,
    iter_qrels,
    iter_rank_eval,
    iter_rre,
    iter_run,
)
from judgetool.formats.writers.tables import (
    iter_beir_corpus,
    iter_beir_queries,
    iter_book,
    iter_case,
    iter_clicks_csv,
    iter_documents_csv,
    iter_documents_jsonl,
    iter_excel,
    iter_html,
    iter_id_map,
    iter_judgments_csv,
    iter_judgments_jsonl,
    iter_latex,
    iter_markdown,
    iter_parquet,
    iter_results_csv,
    iter_results_jsonl,
    iter_topics,
    iter_topics_jsonl,
)
from judgetool.formats.writers.values import (
    Blanks,
    CannotJudge,
    ExportChoices,
    ExportMaterial,
    ExportOption,
    FoldedRow,
    Formulas,
    Fractions,
    Numbers,
    ReportRow,
    ReportTable,
    RunSource,
    Subject,
    WriterFormat,
    elasticsearch_otherwise,
)
from judgetool.wording import _

__all__ = [
    "WRITERS",
    "Blanks",
    "CannotJudge",
    "ExportChoices",
    "ExportMaterial",
    "ExportOption",
    "FoldedRow",
    "Formulas",
    "Fractions",
    "Numbers",
    "ReportRow",
    "ReportTable",
    "RunSource",
    "Subject",
    "WriterFormat",
    "writer_format",
]

_ONE_GRADE = (
    "Who judged, when, why and how surely is lost, as are flags; grades of several become one."
)
_BY_TEXT = (
    f"Query ids, weights and categories are lost (queries are known by their text). {_ONE_GRADE}"
)
_STAYS = (
    "What people are asked, second judgments of who was asked again, and whom views leave out are "
    "not in it; ‘judgetool merge’ brings these."
)
_TEXTS = (
    "Further fields are texts, as the project keeps them: what was a number, list or object stands "
    "in quotes, and a null is gone."
)
_WHOLE = frozenset({ExportOption.CANNOT_JUDGE, ExportOption.FRACTIONS, ExportOption.NUMBERS})
_ANY_NUMBER = frozenset({ExportOption.CANNOT_JUDGE, ExportOption.NUMBERS})
_BLANKS = frozenset({ExportOption.BLANKS})
_FORMULAS = frozenset({ExportOption.FORMULAS})
_REPORT = frozenset({ExportOption.CONVENTIONS, ExportOption.DIGITS})

WRITERS: dict[str, WriterFormat] = {
    each.name: each
    for each in (
        WriterFormat(
            "trec-qrels",
            "TREC qrels, 4 columns",
            Subject.GRADES,
            (".qrels", ".txt", ".qrel"),
            "query 0 document grade, as trec_eval, ir_measures and most tools read.",
            f"{_ONE_GRADE} Ids with blanks have _ in their place, or are refused.",
            partial(iter_qrels, between=" 0 "),
            _WHOLE | _BLANKS,
            "trec-qrels",
            relevance="trec_eval -l {number}",
        ),
        WriterFormat(
            "qrels-3-columns",
            "Qrels, 3 columns",
            Subject.GRADES,
            (".qrels", ".txt"),
            "query document grade, separated by blanks.",
            f"{_ONE_GRADE} Ids with blanks have _ in their place, or are refused.",
            partial(iter_qrels, between=" "),
            _WHOLE | _BLANKS,
            read_as="qrels-3-columns",
            relevance="",
        ),
        WriterFormat(
            "beir-qrels",
            "BEIR qrels, with header",
            Subject.GRADES,
            (".tsv",),
            "query-id, corpus-id and score between tabs, as BEIR and MTEB load.",
            f"{_ONE_GRADE} Ids with tabs cannot be written.",
            iter_beir_qrels,
            _WHOLE,
            "judgments-table",
            relevance="pytrec_eval, relevance_level={number}",
        ),
        WriterFormat(
            "letor",
            "LETOR judgment list",
            Subject.GRADES,
            (".txt", ".letor"),
            "gain qid:number # document, as RankLib, XGBoost and scikit-learn read; no features.",
            "Query texts are lost, and query ids that are no numbers are counted instead (the id "
            f"map has both). {_ONE_GRADE}",
            iter_letor,
            _ANY_NUMBER,
            read_as="letor",
        ),
        WriterFormat(
            "lightgbm",
            "LETOR for LightGBM",
            Subject.GRADES,
            (".txt", ".train"),
            "gain 1:0, and beside it OUT.query with the rows of each query and OUT.ids; no features.",
            f"Ids stand in OUT.ids alone. {_ONE_GRADE}",
            iter_lightgbm,
            _ANY_NUMBER,
            beside={".query": iter_lightgbm_groups, ".ids": iter_lightgbm_ids},
        ),
        WriterFormat(
            "quepid-csv",
            "Quepid case ratings",
            Subject.GRADES,
            (".csv",),
            "query,docid,rating, as Quepid imports; queries without ratings are in it.",
            _BY_TEXT,
            iter_case,
            _ANY_NUMBER | _FORMULAS,
            read_as="judgments-table",
            relevance="",
        ),
        WriterFormat(
            "rre",
            "RRE ratings",
            Subject.GRADES,
            (".json",),
            "The Rated Ranking Evaluator’s JSON, documents with their gain.",
            _BY_TEXT,
            iter_rre,
            _WHOLE | {ExportOption.TARGET},
            read_as="rre",
            relevance="",
        ),
        WriterFormat(
            "rank-eval-request",
            "Elasticsearch rank_eval request",
            Subject.GRADES,
            (".json",),
            "A request for _rank_eval with nDCG@10; put your own search into its template.",
            f"Queries without grades are lost, as are weights, categories and descriptions. {_ONE_GRADE}",
            iter_rank_eval,
            _WHOLE | {ExportOption.TARGET},
            read_as="rank-eval-request",
            relevance='"relevant_rating_threshold": {number} (precision, recall, '
            "mean_reciprocal_rank)",  # dcg, which the request has, knows no threshold
            tells_otherwise=elasticsearch_otherwise,
        ),
        WriterFormat(
            "opensearch-judgments",
            "OpenSearch judgment list",
            Subject.GRADES,
            (".json",),
            "What the Search Relevance Workbench takes as imported judgments.",
            _BY_TEXT,
            iter_opensearch,
            _ANY_NUMBER | {ExportOption.TARGET},
            read_as="opensearch-judgments",
            relevance="",
        ),
        WriterFormat(
            "judgments-csv",
            "Judgments in full, CSV",
            Subject.JUDGMENTS,
            (".csv",),
            "Everything that was said: grade, state, note, time, effort, flag, confidence, rationale.",
            _STAYS,
            iter_judgments_csv,
            _FORMULAS,
            "judgments-table",
        ),
        WriterFormat(
            "judgments-jsonl",
            "Judgments in full, JSON lines",
            Subject.JUDGMENTS,
            (".jsonl",),
            "Everything that was said, one object a line.",
            _STAYS,
            iter_judgments_jsonl,
            read_as="judgments-jsonl",
        ),
        WriterFormat(
            "judgments-parquet",
            "Judgments in full, Parquet",
            Subject.JUDGMENTS,
            (".parquet",),
            "Everything that was said, in typed columns, as pandas, polars and DuckDB read.",
            _STAYS,
            iter_parquet,
            is_binary=True,
            read_as="judgments-table",
        ),
        WriterFormat(
            "judgments-excel",
            "Judgments in full, Excel",
            Subject.JUDGMENTS,
            (".xlsx",),
            "Everything that was said, ids and texts as text cells, never as formulas.",
            "Control characters and texts above 32,767 characters cannot be written. Line ends in notes "
            "are LF, also where they were CR LF.",
            iter_excel,
            is_binary=True,
            read_as="judgments-table",
        ),
        WriterFormat(
            "quepid-book-csv",
            "Quepid book, a column for each assessor",
            Subject.JUDGMENTS,
            (".csv",),
            "Query, docid and each assessor’s grade.",
            "Query ids, notes, times, flags, confidence, rationales, who is a model, what was settled, "
            "and what was skipped or could not be judged are lost.",
            iter_book,
            _FORMULAS,
            has_grades_only=True,
            read_as="judgments-table",
            relevance="",
        ),
        WriterFormat(
            "trec-run",
            "TREC run",
            Subject.RUN,
            (".run", ".txt", ".trec"),
            "query Q0 document rank score tag, scores falling strictly, as every tool reads.",
            "Scores that tie are replaced. Ids with blanks have _ in their place, or are refused.",
            iter_run,
            _BLANKS,
            read_as="trec-run",
        ),
        WriterFormat(
            "results-csv",
            "Results with texts, CSV",
            Subject.RUN,
            (".csv",),
            "Query, rank, document and score of a run, with the texts of both; ids may hold blanks.",
            "Further fields of queries and documents, and pictures, are lost.",
            iter_results_csv,
            _FORMULAS,
            read_as="results-table",
        ),
        WriterFormat(
            "results-jsonl",
            "Results with texts, JSON lines",
            Subject.RUN,
            (".jsonl",),
            "Query, rank, document and score of a run, with texts and fields, one object a line.",
            f"Further fields of queries, and pictures, are lost. {_TEXTS}",
            iter_results_jsonl,
            read_as="results-jsonl",
        ),
        WriterFormat(
            "documents-csv",
            "Documents, CSV",
            Subject.DOCUMENTS,
            (".csv",),
            "Id, title, address and text of all documents that have a text.",
            "Further fields and pictures are lost.",
            iter_documents_csv,
            _FORMULAS,
            read_as="documents-table",
        ),
        WriterFormat(
            "documents-jsonl",
            "Documents in full, JSON lines",
            Subject.DOCUMENTS,
            (".jsonl",),
            "Id, title, address, text and further fields of all documents that have a text.",
            f"Pictures are lost. {_TEXTS}",
            iter_documents_jsonl,
            read_as="documents-jsonl",
        ),
        WriterFormat(
            "beir-corpus",
            "BEIR corpus.jsonl",
            Subject.DOCUMENTS,
            (".jsonl",),
            "_id, title, text and metadata of all documents that have a text, as BEIR loads.",
            f"Pictures are lost. {_TEXTS}",
            iter_beir_corpus,
            read_as="documents-jsonl",
        ),
        WriterFormat(
            "beir-queries",
            "BEIR queries.jsonl",
            Subject.QUERIES,
            (".jsonl",),
            "_id, text and metadata of all queries, as BEIR loads; weight and category stand in the metadata.",
            _TEXTS,
            iter_beir_queries,
            read_as="queries-jsonl",
        ),
        WriterFormat(
            "clicks-csv",
            "Clicks, CSV",
            Subject.CLICKS,
            (".csv",),
            "How often each document was shown for a query, and clicked.",
            "",
            iter_clicks_csv,
            _FORMULAS,
            read_as="clicks-table",
        ),
        WriterFormat(
            "queries-tsv",
            "Queries, an id, a tab and the text",
            Subject.QUERIES,
            (".tsv", ".txt"),
            "Id and text, as Anserini, PyTerrier and MS MARCO have them.",
            "Descriptions, narratives, weights, categories and fields are lost.",
            iter_topics,
            read_as="queries-tsv",
        ),
        WriterFormat(
            "queries-jsonl",
            "Queries in full, JSON lines",
            Subject.QUERIES,
            (".jsonl",),
            "All that is known of each query, one object a line.",
            _TEXTS,
            iter_topics_jsonl,
            read_as="queries-jsonl",
        ),
        WriterFormat(
            "id-map",
            "Id map of the queries",
            Subject.QUERIES,
            (".csv",),
            "Which id, which LETOR number and which text belong together.",
            "Descriptions, narratives, weights, categories and fields are lost.",
            iter_id_map,
            _FORMULAS,
            "queries-table",
        ),
        WriterFormat(
            "report-markdown",
            "Report, Markdown table",
            Subject.REPORT,
            (".md",),
            "The runs by the project’s measures, with the conventions.",
            "Only means are in it; the values of single queries are not.",
            iter_markdown,
            _REPORT,
        ),
        WriterFormat(
            "report-html",
            "Report, HTML page",
            Subject.REPORT,
            (".html",),
            "The runs by the project’s measures, with the conventions; opens in any browser.",
            "Only means are in it; the values of single queries are not.",
            iter_html,
            _REPORT,
        ),
        WriterFormat(
            "report-latex",
            "Report, LaTeX table",
            Subject.REPORT,
            (".tex",),
            "The runs by the project’s measures, for a paper (needs booktabs).",
            "Only means are in it; the values of single queries are not.",
            iter_latex,
            _REPORT,
        ),
    )
}
"""All formats that judgetool writes, by name."""


def writer_format(name: str) -> WriterFormat:
    """Return the format of this name.

    Raises:
        UsageError: there is none; the text lists them.
    """
    return named(WRITERS, name, _("There is no format ‘{name}’ to write. Choose one of: {names}."))
