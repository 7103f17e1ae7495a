"""Deciding between two runs in the window: asked, led by lot, stopped, and gone on."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from judgetool.gui.actions import Mode
from judgetool.gui.compare.decide import DecideDialog, evidence_shares, standing_texts
from judgetool.metrics import parse_measure
from judgetool.metrics.decide import DecideRules
from judgetool.session.commands import set_measures
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.deciding import (
    DecideStanding,
    ask_question,
    load_questions,
    material_work,
)
from judgetool.session.effort import list_efforts
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import set_blind_policy
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import judge_in_dispute, judge_two_runs, make_two_runs
from tests.helpers.fake_prompter import FakePrompter

QUERIES = [f"q{number:02}" for number in range(24)]


@pytest.fixture
def path(tmp_path):
    """Two runs over 24 queries; alpha finds what is good."""
    return make_two_runs(tmp_path, QUERIES)


def asked(qtbot, window, *, is_blind=False, measure="P@10", view="", is_turned=False):
    """Fill in the form as a person does, and start."""
    page = window.views.page(Mode.COMPARE)
    two = tuple(present_systems(window.session))[:: -1 if is_turned else 1]
    dialog = DecideDialog(window.session, window.jobs, two, None, is_blind=False, view=view)
    dialog.measure.setCurrentIndex(dialog.measure.findText(measure))
    dialog.blind.setChecked(is_blind)
    qtbot.waitUntil(dialog.verb.isEnabled)
    said = dialog.counts.text()
    answer, verb = dialog.answer, dialog.verb.text()
    dialog.deleteLater()
    page.decider.begin(answer)
    return page, said, verb


def test_the_form_is_as_high_as_what_it_counts(qtbot, path):
    """What can be drawn is found while it is shown; nothing has to be scrolled for it."""
    with opened_window(qtbot, path) as window:
        two = tuple(present_systems(window.session))
        dialog = DecideDialog(window.session, window.jobs, two, None, is_blind=False)
        qtbot.addWidget(dialog)
        dialog.resize_within_screen(560, 300)
        dialog.show()
        qtbot.waitUntil(dialog.verb.isEnabled)
        bar = dialog.findChild(QScrollArea).verticalScrollBar()
        qtbot.waitUntil(lambda: bar.maximum() == 0)


def test_the_form_says_the_risk_that_is_chosen(qtbot, path):
    """The sentence over the fields follows the field."""
    with opened_window(qtbot, path) as window:
        two = tuple(present_systems(window.session))
        dialog = DecideDialog(window.session, window.jobs, two, None, is_blind=False)
        qtbot.addWidget(dialog)
        assert "in at most 5 of 100 decisions" in dialog.lot.text()
        dialog.risk.selectAll()
        qtbot.keyClicks(dialog.risk, "20")
        qtbot.keyClick(dialog.risk, Qt.Key.Key_Tab)
        assert "in at most 20 of 100 decisions" in dialog.lot.text()


def judge(qtbot, window):
    """Grade the shown document as it deserves."""
    name = window.session.material.document_id(window.view.judging.document)
    press(qtbot, window, "3" if name.startswith("a") else "0")


def judged_to_the_stop(qtbot, window, page):
    """Judge until it stops; return how many judgments that took."""
    prompter, count = window.prompter, 0
    n_asked = len(prompter.asked)
    while page.decider.deciding is not None:
        judge(qtbot, window)
        count += 1
    qtbot.waitUntil(lambda: len(prompter.asked) > n_asked)
    return count


def test_keys_lead_through_what_is_drawn_to_the_stop(qtbot, path, tmp_path):
    """A grade leads to the next document of the lot; the line says how it stands; then it stops."""
    report = tmp_path / "decision.md"
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=["certain", "report"], places=[report])
        page, said, _ = asked(qtbot, window)
        assert said == (
            "120 pairs can be drawn; 240 of the 240 documents of their pool are open and count. "
            "Judgments that count: All judgments, latest counts."
        )
        assert window.views.mode is Mode.LIST
        line = window.status.message.text
        assert line.startswith("Evidence alpha 1.0 · beta 1.0 of 20 │ certainly −")
        assert "0 judged, at most 240 more" in line
        assert window.status.remark.text == "Order: drawn by lot"
        by_evidence = judged_to_the_stop(qtbot, window, page)
        assert 10 < by_evidence < 80
        # It goes on at once, by stake, to certainty.
        more = judged_to_the_stop(qtbot, window, page)
        sentences = [text for text, _ in window.prompter.asked]
        assert sentences[0].startswith("Decided: alpha is better than beta by P@10")
        assert "The difference is about +" in sentences[0]
        assert sentences[0].endswith("Judgments that count: All judgments, latest counts.")
        assert sentences[1].startswith("Certain: alpha is better than beta by P@10")
        assert [texts for _, texts in window.prompter.asked] == [
            ("Report…", "Go on to certainty", "Done"),
            ("Report…", "Done"),
        ]
        assert set(window.prompter.titles) == {"alpha or beta, by P@10"}
        assert by_evidence + more < 240
        qtbot.waitUntil(report.exists)
        assert "seed" in report.read_text(encoding="utf-8")


def test_the_form_says_what_an_attempt_came_to(qtbot, path):
    """Asked again after its stop, it is not one that merely goes on; blind, no side is named."""
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=[None])
        page, _, _ = asked(qtbot, window)
        count = judged_to_the_stop(qtbot, window, page)
        two, told = tuple(present_systems(window.session)), []
        for is_blind in (False, True):
            dialog = DecideDialog(window.session, window.jobs, two, None, is_blind=is_blind)
            qtbot.addWidget(dialog)
            dialog.measure.setCurrentIndex(dialog.measure.findText("P@10"))
            qtbot.waitUntil(dialog.verb.isEnabled)
            told.append(dialog.counts.text())
    assert all(f"Attempt 1 has stopped, {count} judged, at most" in each for each in told)
    assert "Decided: alpha is better than beta by P@10 on these queries." in told[0]
    assert "Decided: one of the two is better than the other by P@10" in told[1]


def test_compare_says_what_was_decided(qtbot, path):
    """The verdict of the compare view is the one of the stop."""
    with opened_window(qtbot, path) as window:
        window.session.execute(set_measures(["nDCG@10", "P@10"]))
        window.prompter = FakePrompter(answers=[None])
        page, _, _ = asked(qtbot, window)
        judged_to_the_stop(qtbot, window, page)
        # It shows the pair and the measure that were decided on.
        window.views.show(Mode.COMPARE)
        said = "decided by lot: alpha is better; at most 5 of 100"
        qtbot.waitUntil(lambda: said in page.differences.reason.text())


@pytest.fixture
def chosen(qtbot, path):
    """A window whose compare view shows another pair and measure than a decision will ask about."""
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=[None])
        window.session.execute(set_measures(["P@10", "nDCG@10"]))
        window.views.show(Mode.COMPARE)
        compared = window.views.page(Mode.COMPARE).compared
        compared.choose_baseline(compared.systems[1].key)
        compared.choose_system(compared.systems[0].key)
        compared.choose_measure(1)
        assert looked_at(compared) == ("alpha", "beta", "nDCG@10")
        # The form asks about alpha and beta: what is compared becomes beta, by P@10.
        yield window


def looked_at(compared):
    """Return what the compare view shows, by its names."""
    pair = compared.pair
    return pair.system.name, pair.baseline.name, str(pair.measure)


def shown_in_compare(qtbot, window):
    """Return what the compare view shows once somebody looks at it, and leave it again."""
    compared = window.views.page(Mode.COMPARE).compared
    window.views.show(Mode.COMPARE)
    qtbot.waitUntil(lambda: not compared.is_computing)
    found = looked_at(compared)
    window.views.show(Mode.LIST)
    return found


def test_who_leaves_a_decision_finds_what_they_compared(qtbot, chosen):
    """Runs, baseline and measure are again those that were chosen; meanwhile those of the decision."""
    asked(qtbot, chosen, is_turned=True)
    judge(qtbot, chosen)
    assert shown_in_compare(qtbot, chosen) == ("beta", "alpha", "P@10")
    chosen.actions_by_name.action("compare.stop_judging").trigger()
    assert shown_in_compare(qtbot, chosen) == ("alpha", "beta", "nDCG@10")


def test_left_within_the_compare_view_it_shows_what_was_chosen_at_once(qtbot, chosen):
    """Nobody has to go away and come back."""
    page, _, _ = asked(qtbot, chosen, is_turned=True)
    chosen.views.show(Mode.COMPARE)
    chosen.actions_by_name.action("compare.stop_judging").trigger()
    qtbot.waitUntil(lambda: looked_at(page.compared) == ("alpha", "beta", "nDCG@10"))


def test_what_came_of_a_decision_is_seen_once(qtbot, chosen):
    """After the stop the pair stands there to be looked at; then what was chosen before is back."""
    page, _, _ = asked(qtbot, chosen, is_turned=True)
    judged_to_the_stop(qtbot, chosen, page)
    assert shown_in_compare(qtbot, chosen) == ("beta", "alpha", "P@10")
    assert shown_in_compare(qtbot, chosen) == ("alpha", "beta", "nDCG@10")


def test_what_is_chosen_while_deciding_stays(qtbot, chosen):
    """A measure that was chosen meanwhile is not taken back with the rest."""
    page, _, _ = asked(qtbot, chosen, is_turned=True)
    chosen.session.execute(set_measures(["P@10", "nDCG@10", "P@3"]))
    chosen.views.show(Mode.COMPARE)
    page.compared.choose_measure(2)
    chosen.actions_by_name.action("compare.stop_judging").trigger()
    assert shown_in_compare(qtbot, chosen) == ("alpha", "beta", "P@3")


def test_undo_leads_back_and_the_lot_stays(qtbot, path):
    """Undo shows the document again; graded anew, the same one follows as before."""
    with opened_window(qtbot, path) as window:
        page, _, _ = asked(qtbot, window)
        judging, seen = window.view.judging, []
        for _ in range(5):
            seen.append((judging.query, judging.document))
            judge(qtbot, window)
        follows = (judging.query, judging.document)
        draws = list(page.decider.deciding.attempt.draws)
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        assert (judging.query, judging.document) == seen[-1]
        judge(qtbot, window)
        assert (judging.query, judging.document) == follows
        assert page.decider.deciding.attempt.draws == draws


def test_what_was_drawn_is_told_as_drawn(qtbot, path):
    """The log has the lot's seed and draws, in a decision that goes on, too; a list's place it has not."""
    with opened_window(qtbot, path) as window:
        asked(qtbot, window)
        for _ in range(5):
            judge(qtbot, window)
        window.actions_by_name.action("compare.stop_judging").trigger()
        judge(qtbot, window)
        asked(qtbot, window)
        judge(qtbot, window)
        (question,) = load_questions(window.session)
        records = list_efforts(window.session)
    of_lot = [*records[:5], records[6]]
    assert {(each.order, each.seed, each.position) for each in of_lot} == {
        ("drawn", question.seed, None)
    }
    assert [each.draw for each in of_lot] == [1, 1, 2, 2, 3, 4]
    assert (records[5].order, records[5].seed, records[5].draw) == ("rank", 1, None)
    assert records[5].position is not None


def test_what_was_begun_goes_on_after_a_new_opening(qtbot, path):
    """The same document is shown that the lot had given; the form says that it goes on."""
    with opened_window(qtbot, path) as window:
        _, _, verb = asked(qtbot, window)
        for _ in range(3):
            judge(qtbot, window)
        place, question = window.view.place, load_questions(window.session)
        assert verb == "Start judging"
        window.actions_by_name.action("compare.stop_judging").trigger()
        assert window.status.message.text == (
            "Not decided yet, 3 judged, at most 237 more: Ctrl+Shift+L goes on with it."
        )
    with opened_window(qtbot, path) as window:
        # It says so by itself, and one key goes on.
        said = "Not decided yet: alpha or beta, by P@10: 3 judged, at most 237 more."
        qtbot.waitUntil(lambda: window.status.message.text == said)
        press(qtbot, window, Qt.Key.Key_L, CTRL | SHIFT)
        page = window.views.page(Mode.COMPARE)
        qtbot.waitUntil(lambda: page.decider.deciding is not None)
        assert load_questions(window.session) == question
        assert window.view.place == place
        window.actions_by_name.action("compare.stop_judging").trigger()
        _, said, verb = asked(qtbot, window)
        assert verb == "Go on"
        assert said.endswith("goes on as it was drawn: 3 judged, at most 237 more.")
        assert window.view.place == place


def test_another_view_in_the_window_changes_nothing_of_a_decision(qtbot, path):
    """Going on goes by the view it was asked in, also after a new opening; Decide begins another attempt."""
    judge_in_dispute(path)
    with opened_window(qtbot, path) as window:
        window.choose_view("majority")
        page, said, _ = asked(qtbot, window)
        assert said.endswith("Judgments that count: Majority.")
        for _ in range(9):
            judge(qtbot, window)
        line = window.status.message.text.partition("│ likely")[0]
        window.choose_view("latest")
        window.actions_by_name.action("compare.stop_judging").trigger()
        press(qtbot, window, Qt.Key.Key_L, CTRL | SHIFT)
        qtbot.waitUntil(lambda: page.decider.deciding is not None)
        assert window.status.message.text.partition("│ likely")[0] == line
        window.actions_by_name.action("compare.stop_judging").trigger()
    with opened_window(qtbot, path) as window:
        assert window.session.board.view == "latest"
        press(qtbot, window, Qt.Key.Key_L, CTRL | SHIFT)
        page = window.views.page(Mode.COMPARE)
        qtbot.waitUntil(lambda: page.decider.deciding is not None)
        assert window.status.message.text.partition("│ likely")[0] == line
        window.actions_by_name.action("compare.stop_judging").trigger()
        page, said, verb = asked(qtbot, window)
        assert verb == "Start judging"
        assert "This is attempt 2: the risk" in said
        assert said.endswith("Attempt 1 goes by other judgments: Majority.")
        assert [each.number for each in load_questions(window.session)] == [1, 2]
        window.actions_by_name.action("compare.stop_judging").trigger()


def test_the_form_says_that_several_decisions_share_the_risk(qtbot, path):
    """Where another question is asked; not of the first, nor of one that goes on."""
    said_so = "Decisions in this project, with this one: 2. Divide the risk by that"
    with opened_window(qtbot, path) as window:
        for measure, is_said in (("P@10", False), ("P@10", False), ("nDCG@10", True)):
            _, said, _ = asked(qtbot, window, measure=measure)
            assert (said_so in said) is is_said
            window.actions_by_name.action("compare.stop_judging").trigger()


def test_where_nothing_can_be_written_the_key_that_goes_on_says_why(qtbot, path):
    """Deciding is judging: of a project that is only looked at it says so, and begins nothing."""
    with opened_window(qtbot, path) as window:
        asked(qtbot, window)
        judge(qtbot, window)
        window.actions_by_name.action("compare.stop_judging").trigger()
    with open_project(path, assessor="ben"), opened_window(qtbot, path) as window:
        page = window.views.page(Mode.COMPARE)
        page.decider.go_on()
        assert window.status.message.text == window.session.read_only_reason
        assert page.decider.deciding is None


def test_what_was_asked_last_is_proposed_after_a_new_opening(qtbot, path, monkeypatch):
    """Nobody has to remember runs and measure."""
    seen = []

    def is_answered(dialog):
        seen.append([field.currentText() for field in (*dialog.runs, dialog.measure)])
        dialog.deleteLater()
        return False

    monkeypatch.setattr(DecideDialog, "is_answered", is_answered)
    with opened_window(qtbot, path) as window:
        window.session.execute(set_measures(["nDCG@5", "P@5", "P@3"]))
        first, second = present_systems(window.session)
        measure = parse_measure("P@3")
        material = material_work(window.session, second, first, measure)(None, None)
        ask_question(window.session, (second, first), measure, DecideRules(), material)
    with opened_window(qtbot, path) as window:
        press(qtbot, window, Qt.Key.Key_L, CTRL)
        assert seen == [["beta", "alpha", "P@3"]]


@pytest.mark.parametrize("is_blind_before", [False, True])
def test_blind_what_others_judged_is_not_asked_for(qtbot, path, is_blind_before):
    """Known and free, though not shown: no grade overrides theirs; the line counts what was asked."""
    judge_two_runs(path)
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=[None])
        window.views.show(Mode.COMPARE)
        if is_blind_before:
            window.take_preferences({"is_blind": True})
        view = window.settings.find_view(path) or "latest"
        page, said, _ = asked(qtbot, window, is_blind=True, view=view)
        assert "144 of the 240 documents of their pool are open" in said
        judging, n_judged = window.view.judging, 0
        while page.decider.deciding is not None and n_judged < 12:
            assert f"│ {n_judged} judged, at most " in window.status.message.text
            opinions = window.session.opinions(judging.query).get(judging.document, [])
            assert [each.assessor for each in opinions] == []
            judge(qtbot, window)
            n_judged += 1
        assert n_judged > 5
        window.actions_by_name.action("compare.stop_judging").trigger()


def test_blind_the_key_that_goes_on_knows_what_others_judged(qtbot, path, monkeypatch):
    """The whole way by keys: the form that Ctrl+L opens, and going on after a new opening."""
    judge_two_runs(path)
    counted = []

    def is_answered(dialog):
        qtbot.waitUntil(dialog.verb.isEnabled)
        counted.append(dialog.counts.text())
        dialog.deleteLater()
        return True

    monkeypatch.setattr(DecideDialog, "is_answered", is_answered)
    with opened_window(qtbot, path) as window:
        window.take_preferences({"is_blind": True})
        press(qtbot, window, Qt.Key.Key_L, CTRL)
        assert "144 of the 240 documents of their pool are open" in counted[0]
        far = window.status.message.text.partition("│ ")[2]
        judge(qtbot, window)
    with opened_window(qtbot, path) as window:
        assert window.view.blindness.is_on
        press(qtbot, window, Qt.Key.Key_L, CTRL | SHIFT)
        page = window.views.page(Mode.COMPARE)
        qtbot.waitUntil(lambda: page.decider.deciding is not None)
        assert far.startswith("0 judged, at most ")
        left = int(far.rpartition("most ")[2].removesuffix(" more"))
        assert f"│ 1 judged, at most {left - 1} more" in window.status.message.text


def test_blind_names_no_side(qtbot, path):
    """Judged blind, the line has one evidence and no bounds."""
    with opened_window(qtbot, path) as window:
        # Where it is asked, blind mode cannot be switched on by its key.
        window.views.show(Mode.COMPARE)
        asked(qtbot, window, is_blind=True)
        assert window.view.blindness.is_on
        assert window.views.mode is Mode.LIST
        line = window.status.message.text
        assert line.startswith("Evidence 1.0 of 20 │ 0 judged")
        judge(qtbot, window)
        assert "certainly" not in window.status.message.text


def test_blind_the_stop_names_no_run_before_it_is_ended(qtbot, path):
    """Put off, it is as it was; gone on with, it stays blind; ended, it says which."""
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=[None, "certain", "reveal", "end"])
        page, _, _ = asked(qtbot, window, is_blind=True)
        n_judged = judged_to_the_stop(qtbot, window, page)
        # Put off: nothing is lost.
        press(qtbot, window, Qt.Key.Key_L, CTRL | SHIFT)
        qtbot.waitUntil(lambda: page.decider.deciding is not None)
        assert n_judged + judged_to_the_stop(qtbot, window, page) < 240
        qtbot.waitUntil(lambda: len(window.prompter.asked) == 4)
        first, again, blind, last = (text for text, _ in window.prompter.asked)
        assert first == again
        assert first.startswith("Decided: one of the two is better than the other by P@10")
        assert "Going on stays blind" in first
        assert blind.startswith("Certain: one of the two is better")
        assert last.startswith("Certain: alpha is better than beta by P@10")
        assert not window.view.blindness.is_on


def test_where_blindness_is_asked_for_the_stop_says_who_sees_which(qtbot, path):
    """Ending it shows nothing there: who leads sees it in Compare."""
    with open_project(path) as session:
        session.execute(set_blind_policy("all"))
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=["later"])
        page, *_ = asked(qtbot, window, is_blind=True)
        judged_to_the_stop(qtbot, window, page)
        assert "who leads it sees in Compare which one" in window.prompter.asked[0][0]


def test_whole_queries_are_drawn_for_other_measures(qtbot, path):
    """Of nDCG a query is judged to its end before another comes."""
    with opened_window(qtbot, path) as window:
        page, said, _ = asked(qtbot, window, measure="nDCG@10")
        assert said.startswith("24 queries can be drawn")
        judging, before = window.view.judging, window.view.judging.query
        while judging.query == before:
            judge(qtbot, window)
        units = page.decider.deciding.attempt.units
        assert units.is_spent[page.decider.deciding.attempt.draws[0].unit]
        window.actions_by_name.action("compare.stop_judging").trigger()


def test_the_line_is_certain_of_no_more_than_holds(qtbot, path):
    """After each grade its ends, of two decimals, hold all that the difference can still be."""
    with opened_window(qtbot, path) as window:
        page, *_ = asked(qtbot, window)
        for _ in range(8):
            judge(qtbot, window)
            standing = page.decider.deciding.standing()
            said = window.status.message.text.split("certainly ")[1].split(" │ ")[0]
            low, high = (float(end.replace("−", "-")) for end in said.split(" … "))
            assert low <= standing.low + 1e-9
            assert standing.low - low < 0.01 > high - standing.high
            assert standing.high <= high + 1e-9


def test_the_line_says_all_there_is():
    """Evidence of both, bounds, judgments, and the likely number left; less where there is less room."""
    standing = DecideStanding((3.14, 0.2), 20.0, -0.31, 0.42, (0.1, 0.02), 40, 84, 412, None)
    texts = standing_texts(standing, (30, 150), is_blind=False, names=("new", "old"))
    assert texts == (
        (
            "Evidence new 3.1 · old 0.2 of 20 │ certainly −0.31 … +0.42 │ "
            "84 judged, at most 412 more │ likely 30–150 more"
        ),
        (
            "Evidence A 3.1 · B 0.2 of 20 │ certainly −0.31 … +0.42 │ "
            "84 judged, at most 412 more │ likely 30–150 more"
        ),
        "Evidence A 3.1 · B 0.2 of 20 │ 84 judged, at most 412 more │ likely 30–150 more",
        "Evidence A 3.1 · B 0.2 of 20 │ 84 judged, at most 412 more",
        "A 3.1 · B 0.2 of 20 │ 84 judged, at most 412 more",
        "A 3.1 · B 0.2 of 20 │ ≤ 412 left",
        "A 3.1 · B 0.2 of 20",
    )
    # One grade can multiply the evidence.
    huge = standing._replace(evidence=(5.18e21, 0.2))
    assert standing_texts(huge, None, is_blind=False)[-1] == "A 5.2e+21 · B 0.2 of 20"
    # A guess of some judgments ago says no more than can be left by now.
    assert standing_texts(standing, (30, 415), is_blind=False)[0].endswith("likely 30–412 more")
    assert standing_texts(standing, (413, 415), is_blind=False)[0].endswith("likely 412 more")
    blind = standing_texts(standing, None, is_blind=True)
    assert blind[0] == "Evidence 3.1 of 20 │ 84 judged, at most 412 more"
    first, second = evidence_shares(standing, is_blind=False)
    assert (round(first, 2), second) == (0.38, 0.0)
    assert evidence_shares(standing, is_blind=True) == (first,)
