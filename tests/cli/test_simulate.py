"""`judgetool simulate`: replays of what is judged already."""

import json

import pytest

from tests.helpers.program import QRELS, RUNS, call, must

COLUMNS = (
    "run_a run_b measure queries pool counting difference order stop judgments_q25 "
    "judgments_median judgments_q75 share_median settled_median right wrong tie certain"
)
TWO = (QRELS, RUNS[0], RUNS[1], "--scale", "0-3")


def rows(*arguments):
    """Run `simulate` with --format tsv and return its rows as values by column."""
    header, *found = must("simulate", *arguments, "--format", "tsv").rows
    assert " ".join(header) == COLUMNS
    return [dict(zip(header, row, strict=True)) for row in found]


def test_a_row_for_each_pair_and_a_total():
    """Three runs make three pairs; the total counts all replays."""
    *pairs, total = rows(QRELS, *RUNS, "--scale", "0-3", "--seeds", "2", "--least", "0")
    assert len(pairs) == 3
    assert (total["run_a"], total["run_b"]) == ("all", "")
    counts = ("right", "wrong", "tie")
    assert sum(int(total[each]) for each in counts) == 6
    assert all(int(pair["counting"]) <= int(pair["pool"]) for pair in pairs)


@pytest.mark.parametrize(
    "order", ["decide", "depth", "random", "mtf", "stake", "overturn", "queries"]
)
def test_every_order_ends_in_the_truth_when_it_is_certain(order):
    """Certainty names the better run in each of them."""
    pair, _ = rows(*TWO, "--order", order, "--stop", "certain", "--seeds", "2")
    n = 2 if order in ("decide", "random", "queries") else 1
    assert (int(pair["right"]), int(pair["certain"])) == (n, n)
    assert float(pair["judgments_median"]) <= int(pair["pool"])


def test_a_difference_that_is_not_that_of_the_qrels_is_said(tmp_path):
    """What is relevant outside of the pool of two runs is not known there: `compare` may have another sign."""
    relevant = [f"q1 0 far{n} 1\n" for n in range(8)] + ["q1 0 a1 1\n", "q2 0 b1 1\n"]
    (tmp_path / "qrels").write_text("".join(relevant))
    for name, texts in (
        ("a", "q1 Q0 a1 1 1 a\nq2 Q0 x 1 1 a\n"),
        ("b", "q1 Q0 x 1 1 b\nq2 Q0 b1 1 1 b\n"),
    ):
        (tmp_path / f"{name}.run").write_text(texts)
    files = [tmp_path / name for name in ("qrels", "a.run", "b.run")]
    told = must(
        "simulate", *files, "-m", "R@10", "P@1", "--least", "0", "--seeds", "1", "--format", "tsv"
    )
    assert [row[6] for row in told.rows[1:]] == ["+0.0000", "+0.0000", "+0.0000", "+0.0000"]
    (line,) = told.err.splitlines()
    assert line.startswith(
        "R@10: 1 pair of runs differs otherwise by all that is judged, a and b by −0.4444 (here 0.0000)."
    )


def test_the_same_seed_gives_the_same_lines():
    """All chance hangs on --seed."""
    one, again, other = (
        must("simulate", *TWO, "--seeds", "2", "--seed", seed).out for seed in ("1", "1", "2")
    )
    assert one == again != other


def test_json_has_every_replay():
    """Seed, judgments and verdict of each; the shares are of the pool."""
    found = json.loads(must("simulate", *TWO, "--seeds", "3", "--format", "json").out)
    row, total = found["rows"]
    assert [each["seed"] for each in row["seeds"]] == [1, 2, 3]
    assert total["seeds"] == []
    for each in row["seeds"]:
        assert each["share"] == pytest.approx(each["judgments"] / row["pool"])
        assert each["verdict"] in ("right", "wrong", "tie")
    assert " ".join(name for name in row if name != "seeds") == COLUMNS


def test_near_ties_are_made_and_replayed_once_each():
    """Runs change places in some queries until they hardly differ."""
    options = ("--near", "4", "--least", "0.02", "--format", "json")
    row, _ = json.loads(must("simulate", *TWO, *options).out)["rows"]
    assert len(row["seeds"]) == 4
    assert all(0 < abs(each["difference"]) < 0.02 for each in row["seeds"])


def test_a_tie_may_be_said():
    """With --tie a difference below it is none: nothing is wrong, and it takes no longer."""
    (pair, _), (plain, _) = rows(*TWO, "--tie", "0.9", "--seeds", "2"), rows(*TWO, "--seeds", "2")
    assert (pair["tie"], pair["wrong"]) == ("2", "0") or pair["right"] == "2"
    assert float(pair["judgments_median"]) <= float(plain["judgments_median"])


def test_evidence_needs_a_lot():
    """An order that chooses cannot stop by evidence: wrong usage, with the reason."""
    found = call("simulate", *TWO, "--order", "stake")
    assert found.code == 2
    assert "--stop certain" in found.err


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        ((QRELS, RUNS[0]), 2, "at least two RUNs"),
        ((*TWO, "--risk", "0"), 2, "--risk"),
        ((*TWO, "-m", "Judged@10"), 2, "settle"),
        ((*TWO, "--least", "2"), 1, "--least"),
    ],
)
def test_what_cannot_be_replayed_is_refused(arguments, code, reason):
    """One run, no risk, a measure that says nothing of quality, no pair left."""
    found = call("simulate", *arguments)
    assert (found.code, reason in found.err) == (code, True)
