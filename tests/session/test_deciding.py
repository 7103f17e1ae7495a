"""Deciding in a project: what is logged, what survives, what ends an attempt."""

import html
import shutil
import subprocess
import sys

import numpy as np
import pytest

from judgetool.core.clock import iso_utc
from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.errors import CommandRefusedError
from judgetool.metrics import parse_measure
from judgetool.metrics.decide import DecideRules
from judgetool.session.board import COUNTS_KEY
from judgetool.session.commands import Say, SetScale, SetValues, set_measures
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.deciding import (
    DECIDE_KEY,
    Deciding,
    ask_question,
    count_attempts,
    counted_otherwise_text,
    decision_page,
    decision_work,
    difference_text,
    ending_text,
    key_of_draw,
    list_decisions,
    load_questions,
    material_work,
    open_question,
    rows_of_draws,
)
from judgetool.session.edits import delete_run
from judgetool.session.exports.report_html import iter_report_html
from judgetool.session.exports.reporting import ReportChoices, report_work
from judgetool.session.opening import open_project
from judgetool.session.team.merging import describe_merge, merge_copies
from tests.helpers.builders import (
    Parts,
    judge_in_dispute,
    judge_two_runs,
    make_project,
    make_two_runs,
)
from tests.helpers.program import must

P5 = parse_measure("P@5")
N = 30
QUERIES = [f"q{number:02}" for number in range(N)]


def grade_of(document):
    """Run alpha finds what is good."""
    return 3 if document.startswith("a") else 0


@pytest.fixture
def path(tmp_path):
    """A project of two runs over thirty queries; one finds what is good, the other what is not."""
    return make_two_runs(tmp_path, QUERIES)


@pytest.fixture
def session(path):
    """The project, open."""
    with open_project(path, assessor="anna") as session:
        yield session


def begin(session, measure=P5, rules=DecideRules(), view=""):  # noqa: B008 - a value
    """Ask which of the two runs is better, or go on with what was asked."""
    first, second = present_systems(session)
    material = material_work(session, first, second, measure, view=view)(None, None)
    question = open_question(session, first, second, measure, material)
    question = question or ask_question(session, (first, second), measure, rules, material)
    deciding = Deciding(session, question, material)
    session.changed.connect(deciding.take_change)
    return deciding


def say(session, pair):
    """Grade a document as it deserves."""
    session.execute(Say.grade(*pair, grade_of(session.material.document_id(pair[1]))))


def judge(session, deciding, most=10_000):
    """Judge so many documents; return those that were asked for."""
    asked = []
    while len(asked) < most and (pair := deciding.next_pair()) is not None:
        asked.append(pair)
        say(session, pair)
    return asked


def test_the_better_run_is_named_before_all_is_judged(session):
    """It stops at evidence; nothing was asked twice; going on leads to certainty."""
    deciding = begin(session)
    asked = judge(session, deciding)
    standing = deciding.standing()
    assert (standing.ending.winner, standing.ending.is_certain) == (1, False)
    assert len(asked) == len(set(asked)) == standing.n_judged < 100
    assert standing.evidence[0] >= 20 > standing.evidence[1]
    assert "alpha is better than beta by P@5" in ending_text(deciding.question, standing.ending)
    assert "rather too far from 0" in difference_text(standing)
    deciding.to_certainty = True
    judge(session, deciding)
    assert deciding.standing().ending.is_certain
    assert "rather too far" not in difference_text(deciding.standing())
    assert deciding.next_pair() is None


def test_the_table_says_evidence_in_few_digits(path):
    """Just before all is judged one grade multiplies it; as JSON it stays a number."""
    with open_project(path, assessor="anna") as session:
        deciding = begin(session, rules=DecideRules(1e-30))
        judge(session, deciding)
        evidence = deciding.standing().evidence[0]
    header, row = must("show", path, "--decisions").rows
    shown = dict(zip(header, row, strict=True))["evidence_first"]
    (found,) = must("show", path, "--decisions", "--format", "json").json
    assert len(shown) < 12
    assert float(shown) == found["evidence_first"] == pytest.approx(evidence, rel=1e-5)


def test_draws_survive_a_new_opening(path):
    """The draw is logged before its document is shown: opened anew, the same document is asked for."""
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        judge(session, deciding, most=7)
        pair, draws = deciding.next_pair(), list(deciding.attempt.draws)
    with open_project(path, assessor="anna") as session:
        again = begin(session)
        assert again.question == deciding.question
        assert again.attempt.draws == draws
        assert again.next_pair() == pair
        assert again.standing().evidence == pytest.approx(deciding.standing().evidence)


KILLED = """
import os, sys
from pathlib import Path
from judgetool.session.opening import open_project
from tests.session.test_deciding import begin, judge
with open_project(Path(sys.argv[1]), assessor="anna") as session:
    deciding = begin(session)
    judge(session, deciding, most=5)
    print(*deciding.next_pair(), len(deciding.attempt.draws), flush=True)
    os._exit(9)
"""


def test_draws_survive_a_kill(path):
    """Who kills the program gets no other draw."""
    found = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 9, found.stderr
    *pair, n_draws = map(int, found.stdout.split())
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        assert len(deciding.attempt.draws) == n_draws
        assert deciding.next_pair() == tuple(pair)
        assert deciding.standing().n_judged == 5


def test_undo_takes_a_grade_back_and_no_draw(session):
    """The step that Undo takes back is the last grade; its document is asked for again."""
    deciding = begin(session)
    *_, last = judge(session, deciding, most=6)
    draws = len(deciding.attempt.draws)
    ahead = deciding.next_pair()
    evidence = deciding.standing().evidence
    assert session.undo().judgments == (last,)
    assert len(deciding.attempt.draws) - draws in (0, 1)
    reopened = deciding.next_pair()
    assert reopened in (last, ahead)
    assert session.redo().judgments == (last,)
    assert deciding.standing().evidence == pytest.approx(evidence)


def test_a_changed_grade_changes_the_evidence(session):
    """The draws stay; the bets are worked out anew."""
    deciding = begin(session)
    asked = judge(session, deciding, most=12)
    before, draws = deciding.standing().evidence, len(deciding.attempt.draws)
    for pair in asked:
        session.execute(Say.grade(*pair, 3 - grade_of(session.material.document_id(pair[1]))))
    after = deciding.standing().evidence
    assert len(deciding.attempt.draws) == draws
    assert before[0] > 1 > after[0]
    assert after == pytest.approx(before[::-1])


def test_what_is_skipped_is_not_asked_again(session):
    """It stays drawn; nothing else of the log changes."""
    deciding = begin(session)
    skipped = deciding.next_pair()
    session.execute(Say.skip(*skipped))
    assert skipped not in judge(session, deciding)
    assert deciding.standing().ending is not None


def test_where_all_is_skipped_or_cannot_be_shown_nothing_is_asked(session):
    """There is nothing left to draw, and nothing is decided."""
    deciding = begin(session)
    while (pair := deciding.next_pair()) is not None:
        if pair[1] % 2:
            deciding.leave_out(pair)
        else:
            session.execute(Say.skip(*pair))
    assert deciding.standing().ending is None
    assert deciding.standing().n_judged == 0


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (DecideRules(tie=0.5), "differ by less than 0.5 by P@5 on these queries"),
        (DecideRules(), "alpha and beta are equal by P@5 on these queries"),
    ],
)
def test_two_that_find_as_much_are_said_to(session, rules, said):
    """Within the difference that matters, or equal once all is judged."""
    deciding = begin(session, rules=rules)
    deciding.to_certainty = rules.tie is None
    while (pair := deciding.next_pair()) is not None:
        session.execute(Say.grade(*pair, 3))
    assert said in ending_text(deciding.question, deciding.standing().ending)


def test_draws_after_one_that_was_taken_back_do_not_count():
    """They hang on nothing; the row that begins at the first draw is the attempt's."""
    row = [3, 0.5, 0.0, 1.0, []]
    first = key_of_draw("decide/a/", 1, [*row, ""])
    last = key_of_draw("decide/a/", 3, [*row, "000002-gone"])
    kept = {first: [*row, "", []], last: [*row, "000002-gone", []]}
    assert rows_of_draws(kept, kept) == [[first]]


def test_a_question_about_a_run_that_is_gone_stays_listed(session):
    """How it stands cannot be told any more."""
    begin(session)
    delete_run(session, session.material.find_run("beta").run_id)
    assert [standing for _, standing in list_decisions(session)] == [None]


def test_what_is_judged_elsewhere_is_known(session):
    """It is not drawn, and narrows what is certain."""
    deciding = begin(session)
    judge(session, deciding, most=4)
    width = np.ptp(deciding.standing()[2:4])
    free = [each for each in deciding.pairs if each[1] not in session.board.settled(each[0])]
    others = [each for each in free if each[0] == free[0][0]]
    for pair in others:
        say(session, pair)
    assert np.ptp(deciding.standing()[2:4]) < width
    assert not set(judge(session, deciding)) & set(others)


def test_the_view_belongs_to_the_question(path):
    """What the window shows meanwhile changes nothing, and who asks by another view asks anew."""
    judge_in_dispute(path)
    with open_project(path, assessor="anna") as session:
        session.set_view("majority")
        deciding = begin(session)
        judge(session, deciding, most=8)
        drawn, before = list(deciding.attempt.draws), deciding.standing()
        session.set_view("latest")
        ((question, found),) = list_decisions(session)
        assert (question.view, found.standing()) == ("majority", before)
        assert "Judgments that count: Majority\n" in decision_page(found)
        # By the latest it would stand otherwise: that is another question.
        material = material_work(session, *present_systems(session), P5)(None, None)
        other = Deciding(session, question, material).standing()
        assert other.low > before.low + 0.1
        assert decision_work(session, *present_systems(session), P5) is None
        again = begin(session)
        assert (again.question.view, again.question.number) == ("latest", 2)
        assert again.attempt.draws == []
        session.set_view("majority")
        assert found.standing() == before
        assert [each.view for each in load_questions(session)] == ["majority", "latest"]
        assert found.attempt.draws == drawn


def test_commands_tell_of_a_decision_by_its_view(path):
    """``show`` goes by the view that it was asked in and names it; ``compare`` says where it goes by another."""
    judge_in_dispute(path)
    with open_project(path, assessor="anna") as session:
        session.execute(set_measures(["P@5"]))
        deciding = begin(session, view="majority")
        judge(session, deciding, most=8)
        now = deciding.standing()
    (row,) = must("show", path, "--decisions", "--format", "json").json
    assert (row["view"], row["verdict"]) == ("majority", "open")
    assert row["evidence_first"] == pytest.approx(now.evidence[0], abs=1e-6)
    assert (row["min"], row["max"]) == pytest.approx((now.low, now.high), abs=1e-6)
    wished = ("compare", "--project", path, "--baseline", "beta")
    by_majority, by_latest = must(*wished, "--view", "majority"), must(*wished)
    assert "Not decided yet between alpha and beta by P@5 on these queries." in by_majority.out
    assert "goes by other judgments" not in by_majority.err
    assert "decided" not in by_latest.out
    assert (
        "Deciding between alpha and beta by P@5 goes by other judgments than count here: Majority."
    ) in by_latest.err
    # Of some of the queries nothing was decided.
    assert "Deciding" not in must(*wished, "--where", "grade:3").err


def test_a_decision_on_another_scale_has_ended(path):
    """``show`` names it and has no figures, whatever was drawn."""
    judge_two_runs(path)
    with open_project(path, assessor="anna") as session:
        begin(session)
        session.execute(SetScale(scale_preset("0-4")))
    (row,) = must("show", path, "--decisions", "--format", "json").json
    assert (row["first"], row["evidence_first"], row["draws"]) == ("alpha", None, None)
    assert row["verdict"] == "ended: runs, measure or scale are others now"


def test_ones_own_view_means_who_asked(path):
    """Whoever looks: the grades of the one who asked count, and only they go on with it."""
    judge_in_dispute(path)
    with open_project(path, assessor="anna") as session:
        session.set_view("mine")
        deciding = begin(session)
        judge(session, deciding, most=8)
        now = deciding.standing()
    with open_project(path, assessor="dan") as session:
        session.set_view("mine")
        ((question, found),) = list_decisions(session)
        assert (question.own, found.standing()) == ("anna", now)
        assert "Judgments that count: Only anna’s judgments\n" in decision_page(found)
        assert begin(session).question.number == 2
    first, second = must("show", path, "--decisions", "--format", "json").json
    assert (first["view"], second["view"]) == ("only anna", "only dan")
    assert first["evidence_first"] == pytest.approx(now.evidence[0], abs=1e-6)


def test_a_question_without_a_view_is_of_the_default_one(session):
    """It was asked by an earlier build."""
    question = begin(session, view="majority").question
    kept = session.value(f"{DECIDE_KEY}{question.id}")
    del kept["view"]
    session.execute(SetValues({f"{DECIDE_KEY}{question.id}": kept}, "As it was"))
    (again,) = load_questions(session)
    assert again.view == "latest"


def test_what_others_judged_is_known_where_ones_own_alone_are_shown(path):
    """A lot that is drawn unseen (blind) knows what the project's view counts: nothing is asked twice."""
    judge_two_runs(path)
    with open_project(path, assessor="anna") as session:
        by_others = {
            (query, document) for query in range(N) for document in session.board.settled(query)
        }
        session.set_view("mine")
        deciding = begin(session, view="latest")
        assert not set(judge(session, deciding)) & by_others
        blind = deciding.standing()
        session.set_view("latest")
        # Who looks at it later finds the same evidence.
        assert begin(session).standing() == blind


def test_judged_for_it_is_what_it_asked_for(path):
    """What was known when it was drawn cost nothing, and counts as nothing; also opened anew."""
    judge_two_runs(path)
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        for n_judged in range(8):
            assert deciding.standing().n_judged == n_judged
            judge(session, deciding, most=1)
        deciding.next_pair()
        assert begin(session).standing().n_judged == 8
    (row,) = must("show", path, "--decisions", "--format", "json").json
    assert row["judged"] == 8


def test_what_comes_by_stake_is_judged_for_it(path):
    """Where nothing is drawn, too; skipped is not judged."""
    judge_two_runs(path)
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        deciding.to_certainty = True
        judge(session, deciding, most=5)
        session.execute(Say.skip(*deciding.next_pair()))
        assert deciding.attempt.draws == []
        assert deciding.standing().n_judged == 5
        assert begin(session).standing().n_judged == 5


def test_who_does_not_count_is_asked_once(session):
    """Their grade moves nothing: the document stays open in the count, and another comes."""
    deciding = begin(session)
    first = deciding.next_pair()
    say(session, first)
    session.execute(SetValues({COUNTS_KEY: {"anna": False}}, "Who counts"))
    deciding = begin(session)
    assert deciding.next_pair() != first
    assert deciding.standing().n_judged == 0


def test_another_scale_ends_the_attempt(session):
    """What was drawn holds for runs, measure and scale as they were: the next is attempt 2."""
    deciding = begin(session)
    judge(session, deciding, most=4)
    assert begin(session).question == deciding.question
    session.execute(SetScale(scale_preset("0-4"), {}))
    second = begin(session)
    assert second.question.number == 2
    assert second.attempt.draws == []
    assert count_attempts(session, *present_systems(session), P5) == 2
    assert [each is None for _, each in list_decisions(session)] == [True, False]
    session.set_view("majority")
    assert counted_otherwise_text(session, *present_systems(session), P5) == (
        "Deciding between alpha and beta by P@5 goes by other judgments than count here: All "
        "judgments, latest counts."
    )
    session.execute(SetScale(scale_preset("0-3"), {}))
    session.execute(SetScale(scale_preset("yandex"), {}))
    assert counted_otherwise_text(session, *present_systems(session), P5) == ""
    judge(session, second)
    assert "10 of 100, over 2 attempts" in decision_page(second)


def test_what_was_decided_is_found_for_whoever_asks(session):
    """In either order; nothing before it is decided, of another measure, or on another scale."""
    first, second = present_systems(session)
    deciding = begin(session)

    def decided(*pair, measure=P5):
        work = decision_work(session, *pair, measure)
        return work and work(None, None)()

    assert decided(first, second).side is None
    judge(session, deciding)
    now = deciding.standing()
    for side, pair in ((1, (first, second)), (-1, (second, first))):
        found = decided(*pair)
        assert (found.side, found.risk, found.n_queries) == (side, 0.05, N)
        assert sorted(side * end for end in found.reach) == pytest.approx([now.low, now.high])
        assert found.evidence[::side] == now.evidence
        material = material_work(session, *pair, P5)(None, None)
        assert open_question(session, *pair, P5, material) == deciding.question
    assert decided(first, second, measure=parse_measure("P@4")) is None
    session.execute(SetScale(scale_preset("0-4"), {}))
    assert decided(first, second) is None


def test_another_measure_is_another_question(session):
    """Of a measure that is no sum whole queries are drawn."""
    deciding = begin(session, parse_measure("nDCG@5"))
    assert deciding.attempt.units.are_queries
    judge(session, deciding)
    assert deciding.standing().ending.winner == 1
    assert begin(session).question.number == 1
    assert len(load_questions(session)) == 2


def test_a_run_is_not_compared_with_itself(session):
    """Nothing is asked then."""
    first, second = present_systems(session)
    material = material_work(session, first, second, P5)(None, None)
    with pytest.raises(CommandRefusedError, match="two different"):
        ask_question(session, (first, first), P5, DecideRules(), material)


def test_the_report_says_of_what_it_speaks(session):
    """Seed, risk, draws, share of the pool, and what it does not hold for."""
    deciding = begin(session)
    assert "Not decided yet." in decision_page(deciding)
    judge(session, deciding)
    said = decision_page(deciding)
    assert f"seed {deciding.question.seed}, attempt 1" in said
    assert "of the 300 documents" in said
    assert "wrong in at most 5 of 100." in said


def test_the_report_says_who_judged_and_whether_blind(session):
    """A condition of the risk: the grades did not depend on the evidence."""
    deciding = begin(session)
    said = decision_page(deciding)
    assert "- Judged by: nobody here, by key or mouse; whether blind is not known\n" in said
    for is_blind in (True, True, False, None):
        query, document = deciding.next_pair()
        shown = {} if is_blind is None else {"blind": is_blind}
        session.execute(Say.grade(query, document, 1.0), origin="key", shown=shown)
    said = decision_page(deciding)
    assert "- Judged by: anna, 4 documents, 2 of them blind (1 not known)\n" in said


def test_the_report_names_project_time_and_scale(session):
    """Who finds the page later knows of which project it was, when, and by which scale."""
    said = decision_page(begin(session))
    assert f"Project: {session.title}, {iso_utc(session.clock())[:10]}" in said
    assert "Scale 0-3: levels 0 Not relevant, 1 Slightly relevant, " in said
    assert "; relevant from 1\n" in said


def test_show_lists_what_was_asked(path):
    """A line for each question, with its figures and verdict."""
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        judge(session, deciding)
        begin(session, parse_measure("nDCG@5"))
    first, second = must("show", path, "--decisions", "--format", "json").json
    assert first["verdict"] == ending_text(deciding.question, deciding.standing().ending)
    assert first["draws"] == len(deciding.attempt.draws)
    assert (second["measure"], second["verdict"]) == ("nDCG@5", "open")


def test_draws_that_are_all_alike_tell_no_error(path):
    """A standard error of 0 would claim to know; the command has none, and the window says why."""
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        judge(session, deciding, most=4)
        now = deciding.standing()
        assert now.estimate[1] is None
        assert now.low < 0 < now.high
        assert "(all draws were alike: they tell no error)" in difference_text(now)
        # What is below 0 by little is not certain to be 0 or above.
        assert "certainly −0.00003 to +" in difference_text(now._replace(low=-3e-5))
        assert "±" not in difference_text(now)
    (row,) = must("show", path, "--decisions", "--format", "json").json
    assert row["estimate"] == pytest.approx(now.estimate[0], abs=1e-6)
    assert row["error"] is None


def test_an_error_is_told_of_draws_that_differ(session):
    """Where not every document of a run is as good, the spread of the draws is the error."""
    deciding = begin(session)
    judge(session, deciding, most=4)
    query, document = deciding.next_pair()
    deserved = grade_of(session.material.document_id(document))
    session.execute(Say.grade(query, document, 3.0 - deserved))
    judge(session, deciding, most=4)
    _, error = deciding.standing().estimate
    assert error > 0
    assert "(standard error)" in difference_text(deciding.standing())


def test_the_verdict_of_command_and_report_says_what_was_decided(session, path):
    """Decided by lot, with its risk, on the queries and in the pool that it was decided on."""
    session.execute(set_measures(["P@5"]))
    deciding, (alpha, beta) = begin(session), present_systems(session)
    without = ("compare", "--project", path, "--baseline", "alpha", "--format", "json")
    wished = (*without[:-2], "--intervals", "--format")
    judge(session, deciding, most=4)
    (row,) = must(*wished, "json").json["comparisons"]
    now = deciding.standing()
    # The line's bounds, of beta minus alpha; nothing is said of a side before the stop.
    assert (row["min"], row["max"]) == pytest.approx((-now.high, -now.low))
    assert row["verdict"]["sentence"].startswith("Not decided yet between beta and alpha by P@5")
    # Of a sum each document that is left can change the difference: their number is no upper bound.
    left = f"owever the {now.n_left} unjudged documents of their pool that matter are graded"
    assert row["verdict"]["text"].count(left) == 2
    assert must(*without).json["comparisons"][0]["verdict"] == row["verdict"]
    judge(session, deciding)
    (row,) = must(*wished, "json").json["comparisons"]
    now = deciding.standing()
    assert (row["min"], row["max"]) == pytest.approx((-now.high, -now.low))
    assert row["verdict"]["these_queries"] == "decided"
    said = "alpha is better than beta by P@5: decided on these queries"
    assert row["verdict"]["sentence"].startswith(said)
    assert "at most 5 of 100 such decisions are wrong" in row["verdict"]["text"]
    about, error = now.estimate
    assert error is None
    said = f"the mean difference is about −{about:.2f} (all draws were alike: they tell no error)"
    assert said in row["verdict"]["text"]
    # How it stands is said without intervals, too; their columns are not.
    (alone,) = must(*without).json["comparisons"]
    assert alone["verdict"] == row["verdict"]
    assert "min" not in alone
    report = report_work(session, ReportChoices((alpha, beta), alpha))(None, None)
    assert row["verdict"]["text"] in html.unescape("".join(iter_report_html(report)))


def go_on(path, most, *, aside=0):
    """Judge so many more in a copy, after some that nobody drew; return the draws."""
    with open_project(path, assessor="anna") as session:
        deciding = begin(session)
        free = [each for each in deciding.pairs if each[1] not in session.board.settled(each[0])]
        for pair in free[-aside:] if aside else ():
            say(session, pair)
        judge(session, deciding, most=most)
        return list(deciding.attempt.draws)


def merged(path, other):
    """Merge another copy; return the attempt as it goes on, and its draws."""
    with open_project(path, assessor="anna") as session:
        report = merge_copies(session, [other])
        assert DECIDE_KEY not in " ".join(describe_merge(report))
        deciding = begin(session)
        return deciding.question, list(deciding.attempt.draws)


def test_copies_that_draw_the_same_are_one(path, tmp_path):
    """What both have drawn is one row of draws: the lot hangs on seed and draws alone."""
    go_on(path, 5)
    other = shutil.copy(path, tmp_path / "other.judge")
    fewer, more = go_on(path, 4), go_on(other, 9)
    question, draws = merged(path, other)
    assert draws == more
    assert draws[: len(fewer)] == fewer
    assert (question.number, question.n_apart) == (1, 0)


def test_of_copies_that_part_the_longer_row_counts(path, tmp_path):
    """In either order of merging the same; the other is said, and is an attempt more."""
    go_on(path, 5)
    other = shutil.copy(path, tmp_path / "other.judge")
    shorter, longer = go_on(path, 4, aside=20), go_on(other, 9)
    here = shutil.copy(path, tmp_path / "here.judge")
    question, draws = merged(here, other)
    assert draws == longer
    assert len({draw.unit for draw in draws}) == len(draws)
    assert question.number == 2
    n_parted = sum(one != two for one, two in zip(shorter, longer, strict=False))
    assert question.n_apart == n_parted > 0
    assert merged(other, path) == (question, draws)
    with open_project(here, assessor="anna") as session:
        deciding = begin(session)
        assert deciding.next_pair() is None or len(deciding.attempt.draws) >= len(longer)
        assert "the longer row of draws counts" in decision_page(deciding)


def test_an_attempt_is_told_by_ids(path, tmp_path):
    """With other numbers of queries and documents it is the same question, and the same draws."""
    runs = {
        name: {each: [f"{name[0]}{each}{place}" for place in range(5)] for each in QUERIES}
        for name in ("beta", "alpha")
    }
    parts = Parts(queries=[Query(each, each) for each in reversed(QUERIES)], runs=runs)
    with (
        open_project(path, assessor="anna") as one,
        make_project(tmp_path, parts, name="two") as two,
    ):
        found = []
        for session in (one, two):
            alpha, beta = sorted(present_systems(session), key=lambda each: each.name)
            material = material_work(session, alpha, beta, P5)(None, None)
            units = zip(material.documents.tolist(), material.units.of.tolist(), strict=True)
            named = [(session.material.document_id(number), unit) for number, unit in units]
            found.append((material.digest, named))
        assert found[0] == found[1]
