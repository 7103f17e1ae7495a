"""Files that judgetool writes, read by the tools for which they are written."""

import pytest

from judgetool.formats import RankedResult
from tests.helpers.formats import write_qrels, write_run

pytestmark = pytest.mark.oracle
ir_measures = pytest.importorskip(
    "ir_measures", reason="SKIPPED LOUDLY: the tool 'ir_measures' is not installed"
)
pytrec_eval = pytest.importorskip(
    "pytrec_eval", reason="SKIPPED LOUDLY: the tool 'pytrec_eval' is not installed"
)

ORDER = ["007", "d9", "é", "d10", "a#b"]


def test_ir_measures_reads_our_run_in_our_order(tmp_path):
    """A run whose scores tie is read back by ir_measures in the order in which it was given."""
    path = tmp_path / "x.run"
    write_run([RankedResult("q", document, 1.0) for document in ORDER], path, tag="a name")
    read = sorted(ir_measures.read_trec_run(str(path)), key=lambda row: -row.score)
    assert [row.doc_id for row in read] == ORDER


def test_ir_measures_reads_our_qrels(tmp_path):
    """Whole grades are read back by ir_measures as they were given."""
    path = tmp_path / "x.qrels"
    write_qrels([("q", document, float(place)) for place, document in enumerate(ORDER)], path)
    read = {row.doc_id: row.relevance for row in ir_measures.read_trec_qrels(str(path))}
    assert read == {document: place for place, document in enumerate(ORDER)}


def test_pytrec_eval_reads_our_files(tmp_path):
    """pytrec_eval's own parsers take our runs and qrels."""
    write_run([RankedResult("q", document) for document in ORDER], tmp_path / "run", tag="t")
    write_qrels([("q", "d9", 2.0)], tmp_path / "qrels")
    with (tmp_path / "run").open(encoding="utf-8") as run:
        assert list(pytrec_eval.parse_run(run)["q"]) == ORDER
    with (tmp_path / "qrels").open(encoding="utf-8") as qrels:
        assert pytrec_eval.parse_qrel(qrels) == {"q": {"d9": 2}}
