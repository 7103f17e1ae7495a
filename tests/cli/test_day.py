"""A day of several people: asked, judged apart in copies, merged, read, settled, handed on; twice the same."""

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from judgetool.session.opening import open_project
from judgetool.session.team.agreement import set_counts
from judgetool.session.team.disputes import load_disputes, settle
from tests.helpers.day import ASKED, PEOPLE, RUNS, content, judge_apart, make_project, write_files
from tests.helpers.program import must
from tests.helpers.shared import shared_data

N_QUERIES, N_KNOWN, N_SETTLED = 30, 8, 10
MORNING = 1_780_300_000_000
HOUR = 3_600_000


@dataclass
class Day:
    """What came of a day.

    Attributes:
        lead: the lead's file.
        came: by person, what they judged, in order.
        known: answers that were known.
        shares: the table of who is asked what.
        orders: content before settling, of each order of merging.
        settled: content after it.
        stakes: of the disputes that were settled, in order.
    """

    lead: Path
    came: dict
    known: set
    shares: str
    orders: list
    settled: dict
    stakes: list


def live(folder, data):
    """Live through the day in a folder."""
    files = write_files(folder, data, n_queries=N_QUERIES, n_known=N_KNOWN)
    lead = make_project(folder / "shop.judge", files)
    shares = must("ask", lead, "--to", *PEOPLE, *ASKED, "--seed", "7").out
    copies, came = [], {}
    for place, who in enumerate(PEOPLE):
        copies.append(folder / f"{who}.judge")
        shutil.copy(lead, copies[-1])
        came[who] = judge_apart(copies[-1], who, files.truth, MORNING + place * HOUR // 7)
    other = folder / "other.judge"
    shutil.copy(lead, other)
    must("merge", lead, *copies)
    for copy in reversed(copies):
        must("merge", other, copy)
    orders = [content(lead), content(other)]
    stakes = []
    with open_project(lead, assessor="lead") as session:
        for dispute in load_disputes(session)[:N_SETTLED]:
            stakes.append(dispute.stake)
            session.execute(settle(dispute.query, dispute.document, 2.0, reason="as agreed"))
    return Day(lead, came, files.known_pairs, shares, orders, content(lead), stakes)


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """The same day twice."""
    data = shared_data("data/icecat-shop")
    return [live(tmp_path_factory.mktemp("day"), data) for _ in range(2)]


@pytest.fixture
def day(days):
    return days[0]


def test_twice_it_is_the_same(days):
    """Shares, what was judged and in which order, figures, disputes and what is exported."""
    one, two = days
    assert one.shares == two.shares
    assert one.came == two.came
    assert one.orders == two.orders
    assert (one.settled, one.stakes) == (two.settled, two.stakes)


def test_both_orders_of_merging_are_equal(day):
    """Anna's, Ben's and Cem's in one step, or one after the other from the last to the first."""
    for name, text in day.orders[0].items():
        assert text == day.orders[1][name], name


def test_each_document_is_asked_once_a_fifth_of_queries_twice(day):
    """Of the queries' documents each is judged by one, of a fifth of the queries by two; some by one twice."""
    people = Counter(pair for pairs in day.came.values() for pair in set(pairs))
    assert set(people.values()) == {1, 2}
    twice = {query for (query, _), number in people.items() if number == 2}
    assert len(twice) == round(N_QUERIES * 0.2)
    for pairs in day.came.values():
        again = sum(number == 2 for number in Counter(pairs).values())
        assert again == pytest.approx(len(set(pairs)) * 0.05, abs=1)
    assert day.known <= set(people)


def test_a_second_look_comes_late_and_is_in_no_table(day):
    """A hundred judgments lie between, unless fewer were left; what is shown has each once for each person."""
    for pairs in day.came.values():
        for pair in {pair for pair, number in Counter(pairs).items() if number == 2}:
            first, second = (place for place, each in enumerate(pairs) if each == pair)
            assert second - first > 100 or second >= len(set(pairs))
    rows = [tuple(row.split("\t")[:3]) for row in day.settled["judgments"].splitlines()]
    written = must("export", day.lead, "--format", "judgments-jsonl").out.splitlines()
    keys = [
        (each["query"], each["document"], each["assessor"]) for each in map(json.loads, written)
    ]
    assert len(keys) == len(set(keys))
    assert {who for _, _, who in keys} == {*PEOPLE, "settled"}
    assert set(keys) <= set(rows)


def test_the_highest_stakes_are_settled_first(day):
    """Each settled document leaves the disputes, holds in the view, and opinions stay as they were."""
    before, after = (each["disputes"].splitlines()[1:] for each in (day.orders[0], day.settled))
    assert day.stakes == sorted(day.stakes, reverse=True)
    assert len(before) - len(after) == len(day.stakes) == N_SETTLED
    settled = [tuple(row.split("\t")[:2]) for row in before[:N_SETTLED]]
    grades = [line.split() for line in day.settled["qrels"].splitlines()]
    of_pair = {(query, document): grade for query, _, document, grade in grades}
    assert [of_pair[pair] for pair in settled] == ["2"] * N_SETTLED
    opinions = [row for row in day.orders[0]["judgments"].splitlines() if "settled" not in row]
    kept = [row for row in day.settled["judgments"].splitlines() if "settled" not in row]
    assert opinions == kept


def test_agreement_and_effect_are_read(day):
    """Each two of them met, by κ above chance; a run's value lies between what believing them gives."""
    rows = [row.split("\t") for row in day.settled["agreement"].splitlines()]
    pairs = {row[1] for row in rows} - {"all"}
    assert pairs == {"anna|ben", "anna|cem", "ben|cem"}
    assert all(float(row[2]) > 0.3 for row in rows if row[1] == "all")
    means = {
        row[0]: row[3]
        for row in (line.split("\t") for line in day.settled["values"].splitlines())
        if row[2] == "all"
    }
    found = [row.split("\t") for row in day.settled["effect"].splitlines()]
    runs = {
        scope: figures for _, scope, *figures in found if scope in [f"run:{name}" for name in RUNS]
    }
    assert {scope.removeprefix("run:"): figures[0] for scope, figures in runs.items()} == means
    assert all(float(least) < float(greatest) for _, least, greatest in runs.values())


def test_somebody_is_taken_out_and_back(day):
    """Without Ben agreement has one pair, and values are others; back, all is as it was."""
    with open_project(day.lead, assessor="lead") as session:
        set_counts(session, {"ben": False})
    without = content(day.lead)
    with open_project(day.lead, assessor="lead") as session:
        session.undo()
    assert "ben" not in without["agreement"]
    assert without["values"] != day.settled["values"]
    assert content(day.lead) == day.settled


def test_it_is_handed_on_without_names(day, tmp_path):
    """The anonymous table has three people and what was settled, and says beside it how alike they are."""
    out = tmp_path / "all.jsonl"
    must("export", day.lead, "--format", "judgments-jsonl", "--out", out, "--anonymous", "--meta")
    rows = list(map(json.loads, out.read_text(encoding="utf-8").splitlines()))
    assert {row["assessor"] for row in rows} == {"A1", "A2", "A3", "settled"}
    beside = out.with_name("all.jsonl.meta.json").read_text(encoding="utf-8")
    assert json.loads(beside)["agreement"]["assessors"] == 3
    assert not any(who in out.read_text(encoding="utf-8") + beside for who in PEOPLE)
