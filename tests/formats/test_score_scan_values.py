"""Values from scanned files are those from carefully read ones, and pytrec_eval's own."""

import gzip
import random

import numpy as np
import pytest

from judgetool.cli.score_files import load_score_files
from judgetool.metrics import Conventions, parse_measures
from tests.helpers.program import QRELS, RUNS, SAMPLE, call

MEASURES = {
    "P@10": "P_10",
    "R@100": "recall_100",
    "AP": "map",
    "RR": "recip_rank",
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
}


def _packed(path, folder):
    """Return a packed copy of a file, which only the careful reader reads."""
    copy = folder / f"{path.rpartition('/')[2]}.gz"
    copy.write_bytes(gzip.compress((SAMPLE / path).read_bytes()))
    return str(copy)


@pytest.mark.parametrize("form", ["trec", "json", "markdown"])
def test_score_prints_the_same_for_plain_and_packed_files(tmp_path, form):
    """Values, names, conventions and notes do not tell which way a file was read."""
    packed = {name: _packed(name, tmp_path) for name in (QRELS, *RUNS)}
    options = ("-q", "--intervals", "--format", form)
    plain_answer, packed_answer = (
        call("score", QRELS, *RUNS, *options),
        call("score", *packed.values(), *options),
    )
    assert plain_answer.code == packed_answer.code == 0
    for name, copy in packed.items():
        packed_answer = type(packed_answer)(
            0, packed_answer.out.replace(copy, name), packed_answer.err.replace(copy, name)
        )
    assert plain_answer == packed_answer


def test_explain_names_unjudged_documents_of_plain_files(tmp_path):
    """What the scan left out is read when it is asked for."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("q 0 a 1\n")
    run.write_text("q Q0 unheard-of 1 2.5 t\nq Q0 a 2 1.5 t\n")
    answer = call("explain", qrels, run, "--query", "q", "-m", "RR")
    assert answer.code == 0
    assert "unheard-of" in answer.out


def test_a_duplicate_in_a_plain_file_is_refused_with_its_line(tmp_path):
    """Where the scan gives no answer the careful reader's refusal is what the user sees."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("q 0 a 1\n")
    run.write_text("q Q0 x 1 2.5 t\nq Q0 a 2 1.5 t\nq Q0 x 3 1.0 t\n")
    answer = call("score", qrels, run)
    assert answer.code == 1
    assert "line 3: document ‘x’ stands in query ‘q’ on line 1 already" in answer.err


@pytest.mark.parametrize("score", ["1..25", "-1..25", "1.2.5", "..25", "1.25."])
def test_scores_with_two_dots_are_no_numbers(tmp_path, score):
    """Written alike in every line as well, where they are read many at once."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("q 0 a 1\n")
    run.write_text("".join(f"q Q0 d{rank} {rank} {score} t\n" for rank in range(1, 5)))
    answer = call("score", qrels, run)
    assert (answer.code, score in answer.err) == (1, True)


def test_a_grade_that_stands_alone_stays_in_each_view(tmp_path):
    """Quepid's rule rounds means alone."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("q 0 a 1.5\nq 0 b -1\n")
    run.write_text("q Q0 a 1 2.5 t\n")
    for view, expected in (("quepid", "1.5000"), ("mean", "1.5000")):
        answer = call("score", qrels, run, "-m", "CG@1", "--view", view)
        assert answer.rows == [["CG@1", "all", expected]]


@pytest.mark.oracle
def test_values_of_scanned_files_are_bit_identical_with_pytrec_eval(tmp_path):
    """60 queries of up to 300 results: every value has the same 64 bits."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = random.Random(5)
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    with qrels.open("w") as judged, run.open("w") as ranked:
        for query in range(60):
            documents = [f"doc-{number:05d}" for number in rng.sample(range(5_000), 400)]
            for document in rng.sample(documents, 80):
                judged.write(f"{query} 0 {document} {rng.randint(0, 3)}\n")
            # Ties among them, and no two scores that single precision would take for one.
            scores = sorted((rng.randint(1, 4_000) / 8 for _ in range(300)), reverse=True)
            for rank, score in enumerate(scores, 1):
                ranked.write(f"{query} Q0 {documents[rank]} {rank} {score:.3f} tag\n")
    with qrels.open() as judged, run.open() as ranked:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(judged), set(MEASURES.values())
        )
        theirs = evaluator.evaluate(pytrec_eval.parse_run(ranked))
    measures = [measure for name in MEASURES for measure in parse_measures(name)]
    table = load_score_files(
        [str(qrels), str(run)], measures, scale=None, conventions=Conventions(), view="latest"
    )
    ours = table.engine.values(0)
    expected = [[theirs[query][name] for name in MEASURES.values()] for query in table.query_ids]
    assert (np.asarray(ours).view(np.int64) == np.array(expected).view(np.int64)).all()
