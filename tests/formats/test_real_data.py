"""Real collections are read without a refusal."""

import pytest

from judgetool.formats import Kind, read_file
from judgetool.resources import resource_path
from tests.helpers.shared import shared_data

SAMPLE = {
    "queries.tsv": (Kind.QUERIES, 20),
    "queries.jsonl": (Kind.QUERIES, 20),
    "documents.jsonl": (Kind.DOCUMENTS, 161),
    "results.csv": (Kind.RESULTS, 168),
    "qrels.txt": (Kind.JUDGMENTS, 244),
    "judgments.csv": (Kind.JUDGMENTS, 342),
    "runs/chargrams.run": (Kind.RUN, 399),
    "runs/full-bm25-stem.run": (Kind.RUN, 287),
    "runs/title-bm25.run": (Kind.RUN, 195),
}
SHARED = {
    "icecat-shop/queries.tsv": (Kind.QUERIES, 137),
    "icecat-shop/queries.jsonl": (Kind.QUERIES, 137),
    "icecat-shop/corpus.jsonl": (Kind.DOCUMENTS, 5000),
    "icecat-shop/judgments.csv": (Kind.JUDGMENTS, 11506),
    "icecat-shop/qrels/combined.qrels": (Kind.JUDGMENTS, 4062),
    "icecat-shop/qrels/supahands.qrels": (Kind.JUDGMENTS, 3188),
    "icecat-shop/qrels/rating-party.qrels": (Kind.JUDGMENTS, 1358),
    "icecat-shop/runs/bm25-full-stem.run": (Kind.RUN, 5877),
    "icecat-shop/runs/bm25-title.run": (Kind.RUN, 4899),
    "icecat-shop/runs/lsa100.run": (Kind.RUN, 6850),
    "icecat-shop/runs/solr-edismax.run": (Kind.RUN, 1274),
    "icecat-shop/runs/solr-textvector.run": (Kind.RUN, 1350),
    "icecat-shop/runs/solr-textvector2.run": (Kind.RUN, 1350),
    "icecat-shop/runs/tfidf-chargram.run": (Kind.RUN, 6845),
    "miracl-yoruba/topics.tsv": (Kind.QUERIES, 119),
    "miracl-yoruba/corpus.jsonl": (Kind.DOCUMENTS, 3999),
    "miracl-yoruba/qrels.tsv": (Kind.JUDGMENTS, 1188),
    "miracl-yoruba/runs/bm25-exact.run": (Kind.RUN, 3570),
    "miracl-yoruba/runs/bm25-foldaccents.run": (Kind.RUN, 3570),
    "miracl-yoruba/runs/tfidf-chargram.run": (Kind.RUN, 3570),
    "trec_eval/qrels.test.with-comments": (Kind.JUDGMENTS, 3681),
    "trec_eval/results.trunc": (Kind.RUN, 584),
}


def count_of(path, kind):
    reading = read_file(path)
    assert reading.kind is kind
    assert reading.n_refused == 0
    n_results = sum(len(run.documents) for run in reading.runs)
    return n_results or len(reading.judgments or reading.queries or reading.documents)


@pytest.mark.parametrize(("name", "kind", "count"), [(n, *rest) for n, rest in SAMPLE.items()])
def test_the_sample_is_read_whole(name, kind, count):
    """Every file of the bundled sample is told by its content and read without a refusal."""
    assert count_of(resource_path(f"sample/{name}"), kind) == count


@pytest.mark.parametrize(("name", "kind", "count"), [(n, *rest) for n, rest in SHARED.items()])
def test_published_collections_are_read_whole(name, kind, count):
    """Published collections are told by their content and read without a refusal."""
    assert count_of(shared_data(f"data/{name}"), kind) == count


def test_ids_with_combining_marks_and_hashes_join():
    """All judged documents of a collection in a mixture of normal forms have their text."""
    documents = read_file(shared_data("data/miracl-yoruba/corpus.jsonl")).documents
    judgments = read_file(shared_data("data/miracl-yoruba/qrels.tsv")).judgments
    assert judgments is not None
    assert set(judgments.document_ids) <= {document.id for document in documents}
