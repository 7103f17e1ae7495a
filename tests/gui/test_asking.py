"""Asking assessors in the real window, and being asked: lists, counts, keys, practice."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Query, State
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.finding import HistoryDialog
from judgetool.gui.dialogs.queue import AskDialog, HandOverDialog
from judgetool.gui.models.finders import ASKED_OF_ME
from judgetool.gui.widgets.banner import BannerText
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import AskOf, Say, WriteAsks
from judgetool.session.opening import open_project
from judgetool.session.team.asking import (
    Asking,
    AskPlan,
    AskWishes,
    PlannedAsk,
    list_asked_states,
    set_practice,
)
from tests.gui.window_fixtures import CTRL, banner_answers, listening, opened_window, press
from tests.helpers.builders import Parts, make_project
from tests.helpers.fake_prompter import FakePrompter

N_QUERIES, N_DOCUMENTS = 4, 6
RUN = {f"q{q}": [f"q{q}d{d}" for d in range(N_DOCUMENTS)] for q in range(N_QUERIES)}
PARTS = Parts(queries=[Query(name, f"soup {name}") for name in RUN], runs={"run": RUN})


@pytest.fixture
def project(tmp_path):
    """Four queries with six documents each, nothing judged."""
    with make_project(tmp_path, PARTS, assessor="lead") as session:
        return session.path


@pytest.fixture
def pool(project):
    with open_project(project, assessor="lead") as session:
        return [(q, int(d)) for q in range(N_QUERIES) for d in session.board.pool(q)]


def ask(project, *asks):
    with open_project(project, assessor="lead") as session:
        session.execute(WriteAsks(tuple(AskOf(*each) for each in asks), "Ask"))


def share_out(session, *names, **wished):
    asking = Asking(session)
    return session.execute(asking.command(asking.plan(AskWishes(names, **wished))))


def shown_progress(window):
    return window.status.progress.text


# The lead


@pytest.fixture
def session(project):
    with open_project(project, assessor="lead") as session:
        yield session


@pytest.fixture
def dialog(qtbot, session):
    made = AskDialog(session)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_sentence_says_what_each_would_get_while_it_is_chosen(qtbot, session, dialog):
    """Names, share and repeat at once change the sentence and the verb."""
    assert dialog.remark.text() == "Choose at least one assessor."
    assert not dialog.verb.isEnabled()
    qtbot.keyClicks(dialog.names, "anna, ben")
    dialog.share.setValue(50)
    dialog.repeat.setValue(0)
    qtbot.waitUntil(lambda: dialog.preview.text() == "anna 18 · ben 18 · both 12")
    assert dialog.verb.text() == "Ask 24 documents"
    session.execute(dialog.answer)
    assert [state.asked for state in list_asked_states(session)] == [18, 18]


def test_what_comes_again_is_told_apart(qtbot, session, dialog):
    """The sentence and ``ask --status`` count the same documents."""
    qtbot.keyClicks(dialog.names, "anna")
    dialog.share.setValue(0)
    dialog.repeat.setValue(25)
    qtbot.waitUntil(lambda: dialog.preview.text() == "anna 24 + 6 again")
    session.execute(dialog.answer)
    assert [(state.asked, state.again) for state in list_asked_states(session)] == [(24, 6)]


def test_a_name_with_a_comma_is_asked_in_quotes(qtbot, session, dialog):
    """As in CSV; a hub takes such names."""
    qtbot.keyClicks(dialog.names, 'ben, "Anna, the lead"')
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert dialog.wishes.to == ("ben", "Anna, the lead")


def test_what_both_judge_is_what_both_are_asked(session):
    """What the lead judged before is one opinion already: nobody is asked for two of it."""
    for document in range(N_DOCUMENTS):
        session.execute(Say.grade(0, int(session.board.pool(0)[document]), 2))
    asking = Asking(session)
    plan = asking.plan(AskWishes(("anna", "ben"), opinions=2))
    session.execute(asking.command(plan))
    both = {state.several for state in list_asked_states(session)}
    assert both == {plan.n_several} == {share.several for share in plan.shares()}
    assert f"both {plan.n_several}" in plan.describe()


def test_how_long_it_takes_is_said_of_each_where_they_differ(session):
    """Who is asked a sixth of it is not told the hours of the other."""
    asks = [PlannedAsk("q0", f"d{n}", "anna" if n else "ben") for n in range(6)]
    plan = AskPlan(tuple(asks), ("anna", "ben"), {}, 60_000.0)
    assert plan.describe().endswith(" · about 1 min to 5 min each")


def test_more_opinions_than_people_are_told_to_give_none(qtbot, dialog):
    """With one name nobody judges anything for the second time: said, not passed over."""
    qtbot.keyClicks(dialog.names, "anna")
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert "2 opinions need as many assessors; 1 is named" in dialog.preview.text()
    qtbot.keyClicks(dialog.names, ", ben")
    qtbot.waitUntil(lambda: dialog.preview.text().startswith("anna 1"))
    assert "opinions need" not in dialog.preview.text()


def test_people_who_are_known_are_ticked(qtbot, project):
    """Who has judged here is offered by name."""
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, 1, 2))
        dialog = AskDialog(session)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.keyClick(dialog.people["anna"], Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: dialog.plan is not None)
        assert dialog.wishes.to == ("anna",)
        assert dialog.preview.text().startswith("anna ")


def test_enter_takes_a_number_and_ctrl_enter_asks(qtbot, dialog):
    """Neither changes anything of what was shared out."""
    qtbot.keyClicks(dialog.names, "anna, ben")
    dialog.share.selectAll()
    qtbot.keyClicks(dialog.share, "100")
    qtbot.waitUntil(dialog.verb.isEnabled)
    dialog.share.setFocus()
    qtbot.keyClick(dialog.share, Qt.Key.Key_Return)
    assert not dialog.result()
    assert dialog.remark.text() == f"{dialog.verb.text()}: Ctrl+Enter."
    qtbot.keyClick(dialog.share, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.result()
    assert dialog.answer is not None


def test_enter_switches_nobody(qtbot, project):
    """On a name that is ticked by Space, Enter ticks nothing, and says how to ask."""
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, 1, 2))
        dialog = AskDialog(session)
        qtbot.addWidget(dialog)
        dialog.show()
        box = dialog.people["anna"]
        qtbot.keyClick(box, Qt.Key.Key_Space)
        qtbot.waitUntil(dialog.verb.isEnabled)
        qtbot.keyClick(box, Qt.Key.Key_Return)
        assert box.isChecked()
        assert dialog.remark.text().endswith(": Ctrl+Enter.")
        assert not dialog.result()


def test_a_name_that_nobody_can_be_asked_by_is_said(qtbot, session, dialog):
    """A hidden assessor's name is no person's."""
    qtbot.keyClicks(dialog.names, "anna (again)")
    qtbot.waitUntil(lambda: "only people are" in dialog.remark.text())
    assert dialog.answer is None


def test_the_menu_asks_and_one_undo_takes_it_back(qtbot, project, monkeypatch):
    """Through the window: asked, said below, undone."""
    with opened_window(qtbot, project, assessor="lead") as window:

        def answer(dialog):
            qtbot.keyClicks(dialog.names, "anna")
            qtbot.waitUntil(lambda: dialog.plan is not None)
            return True

        monkeypatch.setattr(AskDialog, "is_answered", answer)
        window.actions_by_name.action("queue.ask").trigger()
        assert [state.asked for state in list_asked_states(window.session)] == [24]
        assert window.status.message.text.startswith("Ask anna: 24 documents")
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: list_asked_states(window.session) == [])


def test_handing_over_says_how_much_moves(qtbot, session):
    """What the other is asked already is counted."""
    share_out(session, "anna", "ben", opinions=2, share=0.5)
    dialog = HandOverDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.verb.isEnabled()
    qtbot.keyClicks(dialog.taker, "ben")
    assert dialog.preview.text() == "18 documents; 12 of them ben is asked or has judged already."
    session.execute(dialog.answer)
    assert [(s.assessor, s.asked) for s in list_asked_states(session)] == [("ben", 24)]


def test_handing_over_says_what_comes_again(qtbot, session):
    """What is open counts it, too: nobody is to guess where it has gone."""
    share_out(session, "anna", repeat=0.25)
    dialog = HandOverDialog(session)
    qtbot.addWidget(dialog)
    assert dialog.giver.currentText() == "anna, 30 open"
    dialog.taker.setText("ben")
    assert dialog.preview.text() == "24 documents, 6 of them again."


def test_with_nothing_open_there_is_nothing_to_hand_over(qtbot, project):
    """The status line says what to do instead."""
    with opened_window(qtbot, project, assessor="lead") as window:
        window.actions_by_name.action("queue.hand_over").trigger()
        assert "Judge ▸ Ask assessors" in window.status.message.text


# Who is asked


def test_who_is_asked_sees_only_that(qtbot, project, pool):
    """Lists, count below and view are those of what is asked; others' grades count nothing."""
    ask(project, *((*pair, "anna") for pair in pool[:3]), *((*pair, "ben") for pair in pool[:3]))
    with open_project(project, assessor="ben") as session:
        session.execute(Say.grade(*pool[0], 3))
    with opened_window(qtbot, project, assessor="anna") as window:
        assert window.queries.order() == [0]
        assert window.workspace.results.documents() == [document for _, document in pool[:3]]
        assert window.queries.bar.chips == (ASKED_OF_ME,)
        assert shown_progress(window) == "0 of 3 asked"
        assert window.session.board.view == ONLY_MINE
        press(qtbot, window, "213")
        qtbot.waitUntil(lambda: shown_progress(window) == "3 of 3 asked")
        own = [window.session.own_judgment(*pair).grade for pair in pool[:3]]
        assert own == [2, 1, 3]
        assert window.session.opinions(0)[pool[0][1]][0].assessor == "anna"


def test_without_the_chip_the_other_documents_are_listed(qtbot, project, pool):
    """They can be seen; what is left to judge stays what is asked."""
    ask(project, *((*pair, "anna") for pair in pool[:3]))
    with opened_window(qtbot, project, assessor="anna") as window:
        window.actions_by_name.action("filter.clear").trigger()
        assert len(window.queries.order()) == N_QUERIES
        assert len(window.workspace.results.documents()) == N_DOCUMENTS
        assert window.session.board.total_progress().total == 3


def test_others_see_everything(qtbot, project, pool):
    """Who is not asked has no chip and the project's pool."""
    ask(project, *((*pair, "anna") for pair in pool[:3]))
    with opened_window(qtbot, project, assessor="lead") as window:
        assert window.queries.bar.chips == ()
        assert shown_progress(window) == "0 of 24 judged"


def test_which_judgments_count_is_no_choice_while_something_is_open(qtbot, project, pool):
    """Others' grades would answer what one is asked; the status line says so."""
    ask(project, *((*pair, "anna") for pair in pool[:3]))
    with opened_window(qtbot, project, assessor="anna") as window:
        window.actions_by_name.action("judge.view").trigger()
        assert "only their own judgments count" in window.status.message.text


def test_what_comes_again_is_reached_by_keys_and_shows_nothing_of_the_first(qtbot, project, pool):
    """After the last document the first comes once more, unjudged; Undo goes back to it."""
    ask(project, *((*pair, "anna") for pair in pool[:3]), (*pool[0], "anna", True))
    with opened_window(qtbot, project, assessor="anna") as window:
        press(qtbot, window, "222")
        judging = window.view.judging
        assert (judging.query, judging.document) == pool[0]
        assert judging.own_judgment.state is State.UNJUDGED
        qtbot.waitUntil(lambda: shown_progress(window) == "3 of 4 asked")
        row = window.workspace.results.model.index(0, 0)
        said = row.data(Qt.ItemDataRole.AccessibleTextRole)
        assert "grade" not in said.lower() or "unjudged" in said.lower()
        press(qtbot, window, "1")
        qtbot.waitUntil(lambda: shown_progress(window) == "4 of 4 asked")
        assert judging.own_judgment.grade == 1
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        assert (judging.query, judging.document) == pool[0]
        assert judging.own_judgment.state is State.UNJUDGED


@pytest.mark.parametrize("is_again", [True, False])
def test_what_is_undone_after_all_was_shown_is_asked_anew(qtbot, project, pool, is_again):
    """Opened once all is judged, others’ and first judgments are shown; an undo hides them again."""
    asks = [(*pair, "anna") for pair in pool[:3]]
    ask(project, *asks, *((*pool[0], "anna", True) for _ in range(is_again)))
    with opened_window(qtbot, project, assessor="anna") as window:
        press(qtbot, window, "2221" if is_again else "222")
    with opened_window(qtbot, project, assessor="anna") as window:
        assert not window.session.is_asked
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        judging = window.view.judging
        qtbot.waitUntil(lambda: shown_progress(window).startswith("2 of 3 asked") or is_again)
        qtbot.waitUntil(lambda: shown_progress(window).startswith("3 of 4 asked") or not is_again)
        assert (judging.query, judging.document) == pool[0 if is_again else 2]
        assert judging.own_judgment.state is State.UNJUDGED
        assert window.queries.bar.chips == (ASKED_OF_ME,)


def test_the_history_says_who_would_be_asked_no_more(qtbot, session):
    """Undone, an ask takes back itself: no import goes with it."""
    share_out(session, "anna", "ben")
    dialog = HistoryDialog(session)
    qtbot.addWidget(dialog)
    dialog.steps.setCurrentRow(0)
    assert dialog.detail.text() == "Asked no more: Ask anna and ben: 24 documents."
    assert "import" not in dialog.remark.text()


def test_the_history_tells_nothing_of_what_comes_again(qtbot, project, pool):
    """The step of the first judgment is not listed; that of the second is, like any other."""
    ask(project, *((*pair, "anna") for pair in pool[:2]), (*pool[0], "anna", True))
    with opened_window(qtbot, project, assessor="anna") as window:
        press(qtbot, window, "32")

        def titles():
            dialog = HistoryDialog(window.session)
            qtbot.addWidget(dialog)
            steps = [dialog.steps.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(dialog.steps.count())]  # fmt: skip
            return [step.partition(" for ")[0] for step in steps if step.startswith("Grade")]

        assert titles() == ["Grade 2"]
        press(qtbot, window, "1")
        assert titles() == ["Grade 1", "Grade 2"]


def test_what_shows_several_is_closed_to_who_is_asked(qtbot, project, pool):
    """The view of agreement would tell what others said, and how somebody agrees with themselves."""
    ask(project, *((*pair, "anna") for pair in pool[:2]))
    for name, is_open in (("anna", False), ("lead", True)):
        with opened_window(qtbot, project, assessor=name) as window:
            for action in ("agreement.show", "settle.show", "queue.hand_over", "queue.statistics"):
                assert window.actions_by_name.action(action).isEnabled() is is_open


def test_the_key_of_what_is_closed_says_why(qtbot, project, pool):
    """The view stays, and the status line says until when it is closed; not what would be seen."""
    ask(project, *((*pair, "anna") for pair in pool[:2]), (*pool[0], "anna", True))
    with opened_window(qtbot, project, assessor="anna") as window:
        for key, name in ((Qt.Key.Key_5, "Agreement view"), (Qt.Key.Key_6, "Settle view")):
            press(qtbot, window, key, CTRL)
            said = window.status.message.text
            assert said.startswith(f"{name}: closed until you have judged all that you are asked")
            assert "again" not in said
            assert window.views.mode is Mode.LIST


def test_unjudged_counts_what_is_asked_alone(qtbot, project, pool):
    """Of six documents three are asked: what others are asked is not to be judged here."""
    ask(project, *((*pair, "anna") for pair in pool[:3]))
    with opened_window(qtbot, project, assessor="anna") as window:
        pill = window.workspace.results.tools.unjudged
        assert "3 of 3 asked are unjudged" in pill.toolTip()
        press(qtbot, window, "2")
        qtbot.waitUntil(lambda: "2 of 3 asked are unjudged" in pill.toolTip())
        window.actions_by_name.action("filter.clear").trigger()
        qtbot.waitUntil(lambda: "5 of 6 listed are unjudged" in pill.toolTip())
        press(qtbot, window, "2")
        qtbot.waitUntil(lambda: "; 1 of them is in the pool, which" in pill.toolTip())


def test_a_lead_can_ask_themselves_while_the_project_is_open(qtbot, project):
    """From then on the window is that of who is asked; Undo brings the lead's back."""
    with opened_window(qtbot, project, assessor="lead") as window:
        share_out(window.session, "lead", "ben")
        qtbot.waitUntil(lambda: shown_progress(window) == "0 of 12 asked")
        assert window.queries.bar.chips == (ASKED_OF_ME,)
        assert window.session.board.view == ONLY_MINE
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: shown_progress(window) == "0 of 24 judged")


# Practice


@pytest.fixture
def known(project, pool):
    """The first document's answer is known, with its reason; two are asked."""
    ask(project, *((*pair, "anna") for pair in pool[:2]))
    with open_project(project, assessor="lead") as session:
        session.execute(set_practice(is_on=True))
        for said in (Say.grade(*pool[0], 3), Say.note(*pool[0], "no cooking needed")):
            session.execute(said._replace(is_settling=True))


def test_in_practice_the_known_answer_stands_below_until_a_key(qtbot, project, pool, known):
    """The grade is saved; the document stays until any key, which does nothing else."""
    with opened_window(qtbot, project, assessor="anna") as window:
        bar, judging = window.workspace.grade_bar, window.view.judging
        press(qtbot, window, "1")
        assert bar.banner.content.sentence == (
            "You: 1 Slightly relevant. Known: 3 Highly relevant. “no cooking needed”"
        )
        assert (judging.query, judging.document) == pool[0]
        qtbot.keyClick(bar.banner.answers[0], "2")
        assert bar.banner.isHidden()
        assert (judging.query, judging.document) == pool[1]
        assert [window.session.own_judgment(*pair).grade for pair in pool[:2]] == [1, None]
        press(qtbot, window, "2")
        assert "Known" not in bar.banner.content.sentence or bar.banner.isHidden()


@pytest.mark.parametrize("key", ["2", "s", "f"])
def test_a_key_for_a_document_only_goes_on_from_a_known_answer(qtbot, project, pool, known, key):
    """It comes to the list where a digit is read by its place, and says nothing of either document."""
    with opened_window(qtbot, project, assessor="anna") as window:
        press(qtbot, window, f"1{key}")
        said = [window.session.own_judgment(*pair) for pair in pool[:2]]
        assert [(each.grade, each.state, each.flagged) for each in said] == [
            (1, State.JUDGED, False),
            (None, State.UNJUDGED, False),
        ]
        assert window.view.judging.document == pool[1][1]


def test_what_cannot_be_judged_is_known_in_words_and_goes_with_its_document(
    qtbot, project, pool, known
):
    """It stays while Ctrl or a held key is pressed, and goes where another document is shown."""
    with opened_window(qtbot, project, assessor="anna") as window:
        bar, judging = window.workspace.grade_bar, window.view.judging
        window.session.execute(Say.cannot_judge(*pool[0], "empty"))
        said = "You: cannot judge. Known: 3 Highly relevant."
        qtbot.waitUntil(lambda: bar.banner.content.sentence.startswith(said))
        (go_on,) = bar.banner.answers
        qtbot.keyClick(go_on, Qt.Key.Key_Control)
        held = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_2, Qt.KeyboardModifier.NoModifier, "2", True
        )
        QApplication.sendEvent(go_on, held)
        assert not bar.banner.isHidden()
        judging.show_place(*pool[1])
        assert bar.banner.isHidden()
        assert window.session.own_judgment(*pool[1]).grade is None


def test_without_practice_nothing_is_told(qtbot, project, pool, known):
    """Switched off in the menu, a grade leads on at once."""
    with opened_window(qtbot, project, assessor="anna") as window:
        window.actions_by_name.action("flow.practice").trigger()
        press(qtbot, window, "1")
        assert window.workspace.grade_bar.banner.isHidden()
        assert window.view.judging.document == pool[1][1]


# Names


def test_nearly_a_known_name_is_asked_about(qtbot, project, pool):
    """Who opens a copy as ‘Ben’ is told that ‘ben’ is asked, and becomes ben by the first answer."""
    ask(project, *((*pair, "ben") for pair in pool[:2]))
    with opened_window(qtbot, project, assessor="Ben") as window:
        banner = window.workspace.grade_bar.banner
        assert banner.isVisible()
        assert banner.accessibleName().startswith(
            "‘Ben’ is new in this project. ‘ben’, who is in it,"
        )
        banner_answers(window)["Judge as ‘ben’"].click()
        assert window.session.assessor == "ben"
        assert not window.workspace.grade_bar.banner.isVisible()
        assert shown_progress(window).startswith("0 of 2 asked")


def test_nothing_is_taken_until_it_is_answered_who_judges(qtbot, project, pool):
    """Keys lead to the question and say it; grade, flag and skip come with the answer, not before."""
    ask(project, *((*pair, "ben") for pair in pool[:2]))
    with listening() as heard, opened_window(qtbot, project, assessor="Ben") as window:
        grade_bar, shown = window.workspace.grade_bar, window.view.judging.document
        for key in "1fs":
            heard.clear()
            press(qtbot, window, key)
            assert banner_answers(window)["Judge as ‘ben’"].hasFocus()
            qtbot.waitUntil(lambda: any("‘Ben’ is new in this project." in each for each in heard))
            assert any("Not taken: first answer who judges." in each for each in heard)
        assert window.view.judging.document == shown
        assert "Ben" not in window.session.assessors
        banner_answers(window)["Stay ‘Ben’"].click()
        assert grade_bar.banner.isHidden()
        press(qtbot, window, "1")
        assert window.session.own_judgment(*pool[0]).grade == 1


def test_who_judges_is_asked_again_where_something_else_took_its_place(qtbot, project, pool):
    """What else is said in the grade bar's place does not answer it."""
    ask(project, *((*pair, "ben") for pair in pool[:2]))
    with opened_window(qtbot, project, assessor="Ben") as window:
        window.workspace.grade_bar.show_banner(BannerText("warn", "The disk is far away."))
        press(qtbot, window, "1")
        assert "Ben" not in window.session.assessors
        banner_answers(window)["Judge as ‘ben’"].click()
        assert window.session.assessor == "ben"


def test_who_judges_is_asked_in_a_message_where_one_settles(qtbot, project, pool):
    """There is no grade bar in whose place it could stand; put off, nothing is settled."""
    for name, grade in (("anna", 1), ("ben", 2)):
        with open_project(project, assessor=name) as session:
            session.execute(Say.grade(*pool[0], grade))
    with opened_window(qtbot, project, assessor="Ben") as window:
        window.views.show(Mode.SETTLE)
        page = window.views.page(Mode.SETTLE)
        qtbot.waitUntil(lambda: page.dispute is not None and window.jobs.is_idle)
        window.prompter = FakePrompter(answers=[None, "stay_new"])
        press(qtbot, window, "1")
        assert page.dispute is not None
        press(qtbot, window, "1")
        qtbot.waitUntil(lambda: page.dispute is None)
        assert window.prompter.asked[0][1] == ("Judge as ‘ben’", "Stay ‘Ben’")


def test_a_reader_that_comes_a_moment_later_is_told_what_is_asked(qtbot, project, pool):
    """The desktop tells the program of its reader after the project it starts with is open."""
    ask(project, *((*pair, "ben") for pair in pool[:2]))
    QAccessible.setActive(False)
    with opened_window(qtbot, project, assessor="Ben") as window:
        assert window.workspace.grade_bar.banner.isVisible()
        with listening() as heard:
            qtbot.waitUntil(lambda: any("‘Ben’ is new in this project." in each for each in heard))


def test_that_all_is_judged_goes_with_an_undo(qtbot, project, pool):
    """What was finished is open again: the bar of grades is back, and no longer says that all is judged."""
    ask(project, *((*pair, "anna") for pair in pool[:2]))
    with opened_window(qtbot, project, assessor="anna") as window:
        press(qtbot, window, "32")
        banner = window.workspace.grade_bar.banner
        qtbot.waitUntil(banner.isVisible)
        assert banner.accessibleName().startswith("Everything that you are asked is judged.")
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: not banner.isVisible())
        press(qtbot, window, "1")
        qtbot.waitUntil(banner.isVisible)
