"""Query weights near the largest number that there is."""

import json

from tests.helpers.program import must


def test_the_weighted_mean_of_very_heavy_queries_has_a_value(empty, tmp_path):
    """Their sum is beyond what a double holds, their mean is not; no library complains."""
    queries, run, qrels = (tmp_path / name for name in ("q.jsonl", "a.run", "q.txt"))
    weights = {"q1": 1e308, "q2": 1e308, "q3": 1e307}
    rows = [json.dumps({"id": each, "text": each, "weight": weights[each]}) for each in weights]
    queries.write_text("\n".join(rows), encoding="utf-8")
    run.write_text("".join(f"{each} Q0 d1 1 2 t\n" for each in weights), encoding="utf-8")
    qrels.write_text("q1 0 d1 1\nq2 0 d1 0\nq2 0 d2 1\nq3 0 d1 1\n", encoding="utf-8")
    must("import", empty, "--queries", queries, "--run", run, "--qrels", qrels)
    found = must("score", "--project", empty, "--weighted", "-m", "P@1")
    assert (found.out, found.err) == ("P@1\tall\t0.5238\n", "")


def test_weights_that_do_not_count_are_said_to(empty, tmp_path):
    """They are imported and shown: whoever reads a mean learns that it is not by them."""
    rows = [
        json.dumps({"id": each, "text": each, "weight": n}) for n, each in ((1, "q1"), (5, "q2"))
    ]
    must("import", empty, "--queries", "-", stdin="\n".join(rows))
    must("import", empty, "--run", "-", stdin="q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n")
    must("import", empty, "--run", "-", stdin="q1 Q0 d2 1 2 u\nq2 Q0 d1 1 2 u\n")
    must("import", empty, "--qrels", "-", stdin="q1 0 d1 1\nq2 0 d1 1\n")
    said = "Queries have weights, and count alike all the same: means are not weighted."
    words = ("compare", "--project", empty, "-m", "P@1")
    assert said in must(*words).out
    assert said not in must(*words, "--weighted").out
    must("report", empty, tmp_path / "r.html")
    assert said in (tmp_path / "r.html").read_text(encoding="utf-8")
