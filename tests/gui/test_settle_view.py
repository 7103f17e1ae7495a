"""The settle view of the real window, by keys."""

from contextlib import contextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Document, Span
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.theme import install_fonts
from judgetool.gui.widgets.labels import CapPart
from judgetool.session.commands import Say, WriteDocument
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import set_blind_policy
from judgetool.session.team.disputes import load_disputes, settle
from judgetool.session.whatifs.editing import create_whatif
from judgetool.storage.asks import load_asks
from tests.gui.looks import is_quiet
from tests.gui.window_fixtures import CTRL, SHIFT, answer_dialogs, lines_painted, opened_window
from tests.helpers.builders import made_once
from tests.helpers.fake_prompter import FakePrompter
from tests.helpers.program import must
from tests.helpers.team import judge_asked
from tests.session.test_disputes import make

TEXTS = (
    '{"id": "a", "title": "Gazpacho", "text": "A cold soup. No cooking needed."}\n'
    '{"id": "b", "title": "Pumpkin soup", "text": "Boil it for an hour."}\n'
    '{"id": "c", "title": "Rye bread", "text": "Bake it."}\n'
)
GRADES = (
    "query,document,assessor,grade,note\n"
    "q,a,anna,3,no cooking\nq,a,ben,1,\nq,b,anna,0,\nq,b,ben,2,needs a pot\nq,c,anna,0,\nq,c,ben,0,\n"
)


@made_once
def lay_soups(path):
    must("new", path)
    must("import", path, "--queries", "-", stdin='{"id": "q", "text": "cold soup"}\n')
    must("import", path, "--documents", "-", stdin=TEXTS)
    must("import", path, "--run", "-", stdin="q 0 a 1 3 x\nq 0 b 2 2 x\nq 0 c 3 1 x\n")
    must("import", path, "--run", "-", stdin="q 0 c 1 3 y\nq 0 b 2 2 y\nq 0 a 3 1 y\n")
    must("import", path, "--qrels", "-", stdin=GRADES)


@pytest.fixture
def path(tmp_path):
    """Two runs over one query, of which anna and ben graded two of three documents apart."""
    return lay_soups(tmp_path / "soups.judge")


@contextmanager
def opened_settle(qtbot, path, *, assessor="lead", shows=None):
    """Show the settle view by its key; give the window and the page once disputes are found."""
    with opened_window(qtbot, path, assessor=assessor) as window:
        qtbot.keyClick(window, Qt.Key.Key_6, CTRL)
        page = window.views.page(Mode.SETTLE)
        found(qtbot, page)
        yield window, page


def found(qtbot, page):
    """Wait until disputes were looked for."""
    qtbot.waitUntil(lambda: not page.is_searching)


def key(qtbot, window, name, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key where the keyboard is."""
    qtbot.keyClick(window.focusWidget(), name, modifier)


def held(window):
    """What counts in the view, by document id."""
    session = window.session
    return {
        session.material.document_id(document): found.grade
        for document, found in session.board.settled(0).items()
    }


def heard(page):
    return [str(row.said) for row in page.opinions.shown]


def test_the_first_opinion_is_chosen_where_the_keyboard_comes(qtbot, path):
    """A row has the frame that says where one is."""
    with opened_settle(qtbot, path) as (_, page):
        assert page.opinions.hasFocus()
        assert page.opinions.currentIndex().row() == 0


def test_that_nothing_is_disputed_has_the_keyboard_and_is_heard(qtbot, path):
    """Where there is nothing to do, the sentence itself is what one comes to."""
    with opened_settle(qtbot, path) as (window, page):
        for name in (Qt.Key.Key_1, Qt.Key.Key_1):
            key(qtbot, window, name)
        qtbot.waitUntil(page.empty.hasFocus)
        heard = QAccessible.queryAccessibleInterface(page.empty)
        assert heard.text(QAccessible.Text.Name).startswith("Nothing is disputed")
        key(qtbot, window, Qt.Key.Key_1, CTRL)
        key(qtbot, window, Qt.Key.Key_6, CTRL)
        found(qtbot, page)
        assert page.empty.hasFocus()


def test_large_text_keeps_what_return_does(qtbot, path):
    """Where the bar has no room for it, it stands above the question."""
    with opened_settle(qtbot, path) as (window, page):
        assert "the view’s" not in page.place.text()
        window.resize(1366, 740)
        for _ in range(13):
            window.view_handler.step_text(1)
        try:
            key(qtbot, window, Qt.Key.Key_J)
            assert page.bar.shows_hint is ("Enter: the view’s " not in page.place.text())
            assert not page.bar.shows_hint
        finally:
            window.view_handler.step_text(0)
        window.resize(1440, 900)
        qtbot.waitUntil(lambda: "the view’s" not in page.place.text())


def test_a_grade_settles_and_leads_to_the_next(qtbot, path):
    """The key of a grade holds from then on; the next dispute is shown; at the end it is said."""
    with opened_settle(qtbot, path) as (window, page):
        assert page.place.text().startswith("1 of 2 · stake ")
        assert page.question.text() == "cold soup"
        first = window.session.material.document_id(page.dispute.document)
        key(qtbot, window, "2")
        assert held(window)[first] == 2
        assert page.place.text().startswith("1 of 1 · stake ")
        assert "Settled: 2 Relevant" in window.status.message.text
        found(qtbot, page)
        second = window.session.material.document_id(page.dispute.document)
        assert {first, second} == {"a", "b"}
        key(qtbot, window, "0")
        found(qtbot, page)
        assert held(window) == {first: 2, second: 0, "c": 0}
        assert page.dispute is None
        assert "Nothing is disputed" in page.empty.sentence


def test_who_is_asked_again_is_heard_once(qtbot, path):
    """Second judgments do not count; what the same people said first stands there all the same."""
    must(
        "ask",
        path,
        "--to",
        "anna",
        "ben",
        "cem",
        "dora",
        "--opinions",
        "4",
        "--repeat",
        "1",
        "--seed",
        "7",
    )
    for who in ("cem", "dora"):
        with open_project(path, assessor=who) as session:
            judge_asked(session, lambda _query, _document, turn, who=who: turn + (who == "cem"))
    with opened_settle(qtbot, path) as (window, page):
        assert len(page.opinions.shown) == 4
        key(qtbot, window, Qt.Key.Key_A)
        for name in ("anna", "ben", "cem", "dora"):
            assert sum(name in said for said in heard(page)) == 1


def test_who_has_judged_all_that_was_asked_settles_with_everybody_in_sight(qtbot, path):
    """Opened anew, all is shown: what others said, and their own first judgment, which counts."""
    names = "anna", "ben", "cem", "dora"
    must("ask", path, "--to", *names, "--opinions", "4", "--repeat", "1")
    with open_project(path, assessor="cem") as session:
        judge_asked(session, lambda _query, _document, turn: 1 + turn)
    with opened_settle(qtbot, path, assessor="cem") as (window, page):
        key(qtbot, window, Qt.Key.Key_A)
        shown = {row.name: row.judgment.grade for row in page.opinions.rows}
        assert shown.keys() == {"anna", "ben", "cem"}
        assert shown["cem"] == 1
        assert window.session.own_judgment(*page.dispute[:2]).grade == 1


def test_the_first_has_the_highest_stake(qtbot, path):
    """What stands there is what the command lists first, with what turns."""
    rows = must("show", path, "--disputes").rows
    with opened_settle(qtbot, path) as (window, page):
        ids = [window.session.material.document_id(each.document) for each in page.disputes]
        assert window.live.measure != "P@5" == rows[1][7]
        window.live.choose_measure("P@5")
        found(qtbot, page)
        assert ids == [row[1] for row in rows[1:]]
        assert f"stake {float(rows[1][4]):.4f} P@5" in page.place.text()
        turned = rows[1][6]
        assert (f"turns {turned}" in page.place.text()) == bool(turned)


def test_stakes_are_by_the_measure_that_is_explained(qtbot, path):
    """Another one chosen beside the list counts here, too; the command has the same by its name."""
    with opened_settle(qtbot, path) as (window, page):
        for name in ("nDCG@10", "RR"):
            window.live.choose_measure(name)
            found(qtbot, page)
            (_, row, *_) = must("show", path, "--disputes", "--measure", name).rows
            assert f"stake {float(row[4]):.4f} {name}" in page.place.text()


def test_a_grade_that_came_of_a_tie_is_called_that(qtbot, path):
    """What the view has is the highest of what one file gave: it is said, until one says it later."""
    said = "graded at the same time: the view has the highest"
    with opened_settle(qtbot, path) as (window, page):
        assert said in page.place.text()
        assert said in page.describe()
        window.choose_view("majority")
        found(qtbot, page)
        assert said not in page.place.text()
        voted = "as many gave another at the same time: the view has the highest of these"
        assert voted in page.place.text()
        window.choose_view("latest")
        found(qtbot, page)
        window.session.execute(Say.grade(*page.dispute[:2], 1))
        found(qtbot, page)
        assert said not in page.place.text()


def test_enter_takes_what_the_view_has(qtbot, path):
    """The bar shows it, the hint says it, Enter settles with it."""
    with opened_settle(qtbot, path) as (window, page):
        dispute = page.dispute
        assert not any(button.is_given for button in page.bar.levels)
        (counts,) = [button for button in page.bar.levels if button.counts]
        assert counts.grade == dispute.grade
        assert counts.counts == "Counts by ‘All judgments, latest counts’: 2. It is disputed."
        key(qtbot, window, Qt.Key.Key_Return)
        settled = window.session.board.settled(0)[dispute.document]
        assert settled.grade == dispute.grade
        assert [window.session.assessor_name(each) for each in settled.assessors] == ["settled"]


def test_a_mean_that_is_no_grade_of_the_scale_is_not_offered(qtbot, path):
    """Neither the bar nor Enter settles with it: a level is asked for."""
    with opened_settle(qtbot, path) as (window, page):
        assert "Enter: the view’s 2" in page.describe()
        window.session.execute(Say.grade(*page.dispute[:2], 2))
        window.choose_view("mean")
        found(qtbot, page)
        assert page.dispute.grade == 4 / 3
        assert "the view’s" not in page.describe()
        key(qtbot, window, Qt.Key.Key_Return)
        assert window.status.message.text == (
            "The view has no grade of the scale for this document: give one."
        )
        assert page.dispute.grade == 4 / 3


def test_a_long_title_that_is_settled_is_seen_to_be_cut(qtbot, path):
    """The status line says all of it where there is room, else its beginning with …."""
    title = "Gazpacho of ripe tomatoes, cucumbers and peppers, with bread and much olive oil"
    with open_project(path, assessor="lead") as session:
        session.execute(WriteDocument(Document("a", title)))
        session.execute(WriteDocument(Document("b", title)))
    with opened_settle(qtbot, path) as (window, _page):
        key(qtbot, window, "2")
        message = window.status.message
        assert message.text == f"Settled: 2 Relevant, {title}."
        cut = "Gazpacho of ripe tomatoes, cucumbers and peppers, with bread…"
        assert message.shorter == (f"Settled: 2 Relevant, {cut}.",)


def test_opinions_are_letters_until_names_are_asked_for(qtbot, path):
    """Grade, note and letter are seen and heard; A shows who it was, A hides it again."""
    with opened_settle(qtbot, path) as (window, page):
        assert not any("anna" in text or "ben" in text for text in heard(page))
        assert sorted(text[0] for text in heard(page)) == ["A", "B"]
        assert any("no cooking" in text or "needs a pot" in text for text in heard(page))
        key(qtbot, window, "a")
        assert {"anna", "ben"} == {row.name for row in page.opinions.rows}
        assert all("anna" in text or "ben" in text for text in heard(page))
        key(qtbot, window, "a")
        assert not any("anna" in text or "ben" in text for text in heard(page))


def test_an_opinion_whose_level_has_no_name_says_its_grade_once(qtbot, tmp_path):
    """On a scale of numbers alone."""
    path = tmp_path / "numbers.judge"
    must("new", path, "--scale", "0-2")
    must(
        "import",
        path,
        "--qrels",
        "-",
        stdin="query,document,assessor,grade\nq,a,anna,2\nq,a,ben,0\n",
    )
    with opened_settle(qtbot, path) as (_, page):
        assert sorted(text[3:] for text in heard(page)) == ["0", "2"]


def test_names_are_shown_of_one_dispute(qtbot, path):
    """The next dispute is looked at without them, until A is pressed there."""
    with opened_settle(qtbot, path) as (window, page):
        switch = window.actions_by_name.action("settle.names")
        key(qtbot, window, "a")
        assert switch.isChecked()
        key(qtbot, window, "j")
        assert not any("anna" in text or "ben" in text for text in heard(page))
        assert not switch.isChecked()
        key(qtbot, window, "a")
        assert any("anna" in text for text in heard(page))


def test_the_letters_of_opinions_do_not_look_like_keys(qtbot, path):
    """A and B are keys that do something else: only what a key does stands on a cap."""
    with opened_settle(qtbot, path) as (_window, page):
        assert [row.parts[0].text for row in page.opinions.shown] == ["A", "B"]
        assert not any(
            isinstance(part, CapPart) for row in page.opinions.shown for part in row.parts
        )


def test_every_line_of_a_note_from_right_to_left_runs_that_way(qtbot, path):
    """Also one that begins with a Latin word: what follows it stands at its left."""
    word = "سلمى"
    with open_project(path, assessor="ben") as session:
        note = f"{word} " * 30 + "soup 26 " * 30 + word
        session.execute(Say.note(0, session.material.find_document("b"), note))
    with opened_settle(qtbot, path) as (window, page):
        while not any(note[:20] in text for text in heard(page)):
            key(qtbot, window, "j")
        lines = lines_painted(page.opinions.viewport())
        assert any(line.startswith(f"”{word}soup26") for line in lines)


def test_a_long_note_is_read_whole(qtbot, path):
    """Its row grows by lines as the window gets narrower; the other one stays as it is."""
    note = "Needs a pot, a sieve, an hour and somebody who stirs it all the time. " * 6
    with open_project(path, assessor="ben") as session:
        session.execute(Say.note(0, session.material.find_document("b"), note))
    with opened_settle(qtbot, path) as (window, page):
        while not any(note[:20] in text for text in heard(page)):
            key(qtbot, window, "j")
        (place,) = (at for at, text in enumerate(heard(page)) if note[:20] in text)
        one = page.opinions.row_height
        wide = page.opinions.rowHeight(place)
        assert page.opinions.rowHeight(1 - place) == one
        window.resize(1000, 700)
        qtbot.waitUntil(lambda: page.opinions.rowHeight(place) > wide > one - 1)
        assert page.opinions.height() >= page.opinions.whole_height() > 2 * one


def test_opinions_follow_the_theme(qtbot, path):
    """Light or dark while they are shown: chips have other inks, as if the view was opened so."""
    with opened_settle(qtbot, path) as (window, page):
        light = [row.parts[1].style.ink for row in page.opinions.shown]
        key(qtbot, window, Qt.Key.Key_D, CTRL)
        qtbot.waitUntil(lambda: [row.parts[1].style.ink for row in page.opinions.shown] != light)
        key(qtbot, window, Qt.Key.Key_D, CTRL)
        qtbot.waitUntil(lambda: [row.parts[1].style.ink for row in page.opinions.shown] == light)


def test_undo_of_an_import_asks_where_it_is_seen(qtbot, path):
    """This view has no grade bar to ask in: a message asks, and without an answer nothing goes."""
    with opened_settle(qtbot, path) as (window, page):
        window.prompter = FakePrompter(answers=[None])
        key(qtbot, window, Qt.Key.Key_Z, CTRL)
        ((asked, choices),) = window.prompter.asked
        assert asked.startswith("The next thing to undo is the import")
        assert choices == ("Undo the import",)
        assert len(page.disputes) == 2


def test_undo_brings_the_dispute_back(qtbot, path):
    """It is shown again, wherever one was; opinions never changed. Redo settles it."""
    before = must("show", path, "--judgments").rows
    with opened_settle(qtbot, path) as (window, page):
        pair, grades = page.dispute[:2], held(window)
        key(qtbot, window, "3")
        found(qtbot, page)
        key(qtbot, window, Qt.Key.Key_Z, CTRL)
        found(qtbot, page)
        assert (page.dispute[:2], held(window)) == (pair, grades)
        assert page.place.text().startswith("1 of 2 ")
    assert must("show", path, "--judgments").rows == before


def test_undo_brings_the_reason_back_that_was_written(qtbot, path):
    """It is shown again, until Redo settles with it; the next dispute has none."""
    with opened_settle(qtbot, path) as (window, page):
        page.set_reason("the guidelines say so")
        key(qtbot, window, "1")
        assert page.reason_kept == ""
        key(qtbot, window, Qt.Key.Key_Z, CTRL)
        found(qtbot, page)
        assert page.reason.text() == "Reason: the guidelines say so"
        key(qtbot, window, Qt.Key.Key_Z, CTRL | SHIFT)
        found(qtbot, page)
        assert not page.reason.isVisible()


@pytest.fixture
def pressed(qtbot, monkeypatch):
    """Return a function that presses keys in the next dialog, until it is left."""

    def press_keys(*keys):
        def is_answered(dialog):
            dialog.open()
            for each in keys:
                qtbot.keyClick(dialog.focusWidget() or dialog.first, each)
            is_taken = dialog.result() == dialog.DialogCode.Accepted
            dialog.hide()
            return is_taken

        monkeypatch.setattr(ActDialog, "is_answered", is_answered)

    return press_keys


@pytest.mark.parametrize(
    ("keys", "why"), [("2", "Another language"), ("cut at 2", "cut at 2")], ids=["digit", "words"]
)
def test_x_settles_that_it_cannot_be_judged(qtbot, path, pressed, keys, why):
    """It asks why, as where one judges; no grade holds then, and the reason is kept."""
    with opened_settle(qtbot, path) as (window, page):
        query, number = page.dispute[:2]
        document = window.session.material.document_id(number)
        pressed(*keys, Qt.Key.Key_Return)
        key(qtbot, window, "x")
        assert held(window)[document] is None
        assert len(page.disputes) == 1
        said = window.session.opinions(query)[number][-1]
        assert (said.assessor, said.judgment.note) == ("settled", why)


def test_x_pressed_by_mistake_settles_nothing(qtbot, path, pressed):
    """Esc in its question leaves the dispute as it was."""
    with opened_settle(qtbot, path) as (window, page):
        before = held(window)
        pressed(Qt.Key.Key_Escape)
        key(qtbot, window, "x")
        assert held(window) == before
        assert len(page.disputes) == 2


def test_a_reason_goes_with_what_is_settled(qtbot, path):
    """Written before, shown above the grades, kept as the note of what holds."""
    with opened_settle(qtbot, path) as (window, page):
        query, document = page.dispute[:2]
        page.set_reason("the guidelines say so")
        assert page.reason.text() == "Reason: the guidelines say so"
        key(qtbot, window, "1")
        said = window.session.opinions(query)[document][-1]
        assert (said.assessor, said.judgment.note) == ("settled", "the guidelines say so")
        assert not page.reason.isVisible()


@pytest.fixture
def open_again(path):
    """The first dispute settled as 1, with a reason; then one of the two gave another grade."""
    with open_project(path, assessor="lead") as session:
        query, document = load_disputes(session)[0][:2]
        session.execute(settle(query, document, 1, reason="too long"))
    with open_project(path, assessor="ben") as session:
        session.execute(Say.grade(query, document, 3))
        session.execute(Say.grade(query, document, 1))
    return query, document


@pytest.mark.parametrize("pressed_key", ["1", Qt.Key.Key_Return], ids=["digit", "Enter"])
def test_the_same_grade_settles_what_is_open_again(qtbot, path, open_again, pressed_key):
    """It is said anew: the dispute is over for good, and Undo opens it again."""
    with opened_settle(qtbot, path) as (window, page):
        while page.dispute[:2] != open_again:
            key(qtbot, window, "j")
        key(qtbot, window, pressed_key)
        found(qtbot, page)
        assert len(load_disputes(window.session)) == 1
        assert window.status.message_action.text() == "Undo"
        key(qtbot, window, Qt.Key.Key_Z, CTRL)
        found(qtbot, page)
        assert len(load_disputes(window.session)) == 2
    must("check", path)


def test_what_is_open_again_says_how_and_why_it_was_settled(qtbot, path, open_again):
    """In the line above the question."""
    with opened_settle(qtbot, path) as (window, page):
        while page.dispute[:2] != open_again:
            key(qtbot, window, "j")
        assert "settled as 1 before (“too long”); somebody has given another grade since" in (
            page.place.text()
        )


def test_undo_is_not_offered_where_nothing_was_written(qtbot, path):
    """What another has settled so meanwhile: Undo would take back something else."""
    with opened_settle(qtbot, path) as (window, page):
        window.session.execute(settle(*page.dispute[:2], 1))
        key(qtbot, window, "1")
        said, offered = window.status.message.text, window.status.message_action.text()
        assert (said, offered) == ("It is so already: nothing was written.", "")


def test_after_each_grade_the_highest_stake_that_is_open_comes_next(qtbot, tmp_path):
    """A grade makes other stakes of its query: what is shown is first at once, and once they were looked for."""
    path = make(tmp_path / "three.judge", seed=15)
    with opened_settle(qtbot, path) as (window, page):
        window.live.choose_measure("nDCG@5")
        # What a what-if has of its own stands beside the runs, and counts for no stake.
        create_whatif(window.session, "tried", window.session.material.runs[0].run_id)
        for mode in (Mode.COMPARE, Mode.SETTLE):
            window.views.show(mode)
            qtbot.waitUntil(lambda: is_quiet(window))
        while page.dispute is not None:
            key(qtbot, window, "0")
            at_once = page.dispute and page.dispute[:2]
            found(qtbot, page)
            first = load_disputes(window.session, "nDCG@5")[:1]
            assert ([page.dispute] if page.dispute else []) == first
            assert at_once == (first[0][:2] if first else None)


def test_what_was_walked_past_comes_again_once_all_others_did(qtbot, tmp_path):
    """J leaves the first open; a grade leads on to what was not seen, and only at the end back to it."""
    path = make(tmp_path / "three.judge", seed=15)
    with opened_settle(qtbot, path) as (window, page):
        passed, n_open = page.dispute[:2], len(page.disputes)
        key(qtbot, window, "j")
        for _ in range(n_open - 1):
            assert page.dispute[:2] != passed
            key(qtbot, window, "0")
            found(qtbot, page)
        assert [each[:2] for each in page.disputes] == [page.dispute[:2]] == [passed]


def test_later_comes_after_all_others(qtbot, path):
    """S shows the next one, and what was put off stands last, also when others are settled."""
    with opened_settle(qtbot, path) as (window, page):
        first, second = (each[:2] for each in page.disputes)
        key(qtbot, window, "s")
        assert [each[:2] for each in page.disputes] == [second, first]
        assert page.dispute[:2] == second
        key(qtbot, window, "1")
        found(qtbot, page)
        assert page.dispute[:2] == first


def test_j_and_k_go_through_them(qtbot, path):
    """Forth and back, not beyond the ends; nothing is settled by it."""
    with opened_settle(qtbot, path) as (window, page):
        pairs = [each[:2] for each in page.disputes]
        shown = []
        for letter in "jjkk":
            key(qtbot, window, letter)
            shown.append(page.dispute[:2])
        assert shown == [pairs[1], pairs[1], pairs[0], pairs[0]]
        assert len(page.disputes) == 2


def test_what_each_marked_has_their_letter(qtbot, path):
    """Passages of all are marked in the text, each under the letter of whose it is, in no one's words."""
    with open_project(path, assessor="anna") as session:
        document = session.material.find_document("a")
        session.execute(Say.spans(0, document, (Span("body", 13, 30, "No cooking needed"),)))
    with open_project(path, assessor="ben") as session:
        session.execute(Say.spans(0, document, (Span("body", 2, 11, "cold soup"),)))
    with opened_settle(qtbot, path) as (window, page):
        while page.dispute.document != document:
            key(qtbot, window, "j")
        content = page.document.text.page.content
        letters = dict(zip((span.text for span in content.spans), content.letters, strict=True))
        whose = {row.letter: row.judgment.grade for row in page.opinions.rows}
        assert {text: whose[letter] for text, letter in letters.items()} == {
            "No cooking needed": 3,
            "cold soup": 1,
        }
        shown = page.document.text.page.toPlainText()
        assert "Rationale" not in shown
        assert "No note" not in shown


def test_the_next_dispute_hides_who_said_it_for_good(qtbot, path):
    """Coming back it is not shown until it is asked for again."""
    with opened_settle(qtbot, path) as (window, page):
        for name, shown in (("a", True), ("j", False), ("k", False)):
            key(qtbot, window, name)
            assert any(row.name for row in page.opinions.rows) is shown


def test_a_third_person_is_asked(qtbot, path):
    """Who has not judged it and has least to do; not who settles. It comes last; with Undo it is first again."""
    with open_project(path, assessor="cem") as session:
        session.execute(Say.grade(0, session.material.find_document("c"), 0))
    with opened_settle(qtbot, path) as (window, page):
        _, document = page.dispute[:2]
        key(qtbot, window, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert "Asked cem" in window.status.message.text
        found(qtbot, page)
        assert page.dispute.document != document
        assert page.disputes[-1].document == document
        (ask,) = load_asks(window.session.reader)
        assert window.session.assessor_name(ask.assessor_id) == "cem"
        assert (ask.document_id, ask.is_judged) == (document, False)
        key(qtbot, window, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: load_asks(window.session.reader) == [])
        qtbot.waitUntil(lambda: bool(page.disputes) and page.disputes[0].document == document)
        assert page.dispute.document == document
        key(qtbot, window, Qt.Key.Key_Z, CTRL | SHIFT)
        qtbot.waitUntil(lambda: bool(page.disputes) and page.disputes[-1].document == document)
        assert load_asks(window.session.reader) != []
        assert page.dispute.document != document


def test_who_is_asked_is_said_where_it_comes_again(qtbot, path):
    """It stands with the dispute until they have judged."""
    with open_project(path, assessor="cem") as session:
        session.execute(Say.grade(0, session.material.find_document("c"), 0))
    with opened_settle(qtbot, path) as (window, page):
        key(qtbot, window, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        found(qtbot, page)
        key(qtbot, window, Qt.Key.Key_J)
        assert "cem is asked" in page.place.text().split(" · ")
        _, document = page.dispute[:2]
    with open_project(path, assessor="cem") as session:
        session.execute(Say.grade(0, document, 0))
    with opened_settle(qtbot, path) as (window, page):
        assert "asked" not in page.place.text()


@pytest.mark.parametrize("steps", [0, 12])
def test_many_opinions_leave_room_for_the_document(qtbot, path, steps):
    """On a small screen in large text, too: lines of it, and two opinions at least, are seen."""
    lines = [f"q,a,who{n},{n % 4}" for n in range(9)]
    must("import", path, "--qrels", "-", stdin="\n".join(["query,document,assessor,grade", *lines]))
    large = CTRL | Qt.KeyboardModifier.AltModifier
    try:
        with opened_settle(qtbot, path) as (window, page):
            window.resize(1280, 720)
            while page.dispute.document != window.session.material.find_document("a"):
                key(qtbot, window, "j")
            for _ in range(steps):
                key(qtbot, window, Qt.Key.Key_Equal, large)
            height = page.opinions.row_height
            qtbot.waitUntil(lambda: page.opinions.height() >= 2 * page.opinions.row_height)
            assert len(page.opinions.rows) == 11
            qtbot.waitUntil(lambda: page.opinions.height() <= page.widget.height() / 3)
            qtbot.waitUntil(lambda: page.document.text.height() > 2 * height)
    finally:
        install_fonts(QApplication.instance())


def test_o_shows_it_in_the_list(qtbot, path):
    """Where it stands among the others, and all that can be done there."""
    with opened_settle(qtbot, path) as (window, page):
        pair = page.dispute[:2]
        key(qtbot, window, "o")
        assert window.views.mode is Mode.LIST
        assert (window.view.judging.query, window.view.judging.document) == pair


def test_grade_keys_elsewhere_are_opinions(qtbot, path):
    """Back in the list a grade is one's own judgment, and settles nothing."""
    with opened_settle(qtbot, path) as (window, _page):
        key(qtbot, window, "o")
        document = window.view.judging.document
        qtbot.keyClick(window.workspace.results.table, "3")
        assert window.session.own_judgment(0, document).grade == 3
        assert not window.session.standing.final


def test_what_changes_meanwhile_is_followed(qtbot, path):
    """A dispute that is settled by agreement in the list is gone when one comes back."""
    with opened_settle(qtbot, path, assessor="ben") as (window, page):
        key(qtbot, window, "o")
        document = window.view.judging.document
        same = next(
            each.judgment.grade
            for each in window.session.opinions(0)[document]
            if each.assessor == "anna"
        )
        qtbot.keyClick(window.workspace.results.table, f"{same:.0f}")
        qtbot.keyClick(window, Qt.Key.Key_6, CTRL)
        found(qtbot, page)
        assert [each.document for each in page.disputes] != [document]
        assert len(page.disputes) == 1


def test_the_blind_do_not_settle(qtbot, path):
    """The view is closed to them, by key and by name."""
    with open_project(path, assessor="lead") as session:
        session.execute(set_blind_policy(("lead",)))
    with opened_window(qtbot, path, assessor="lead") as window:
        qtbot.keyClick(window, Qt.Key.Key_6, CTRL)
        assert window.views.mode is Mode.LIST
        assert window.status.message.text.startswith("Settle view: closed while you judge blind")
        window.views.show(Mode.SETTLE)
        assert "Blind mode hides" in window.views.page(Mode.SETTLE).empty.sentence


def test_b_in_the_settle_view_is_blind_mode(qtbot, path):
    """As the switch above says: nothing of others is shown any more, and the list is."""
    with opened_settle(qtbot, path) as (window, _page):
        key(qtbot, window, "b")
        assert window.flow_handler.blindness.is_on
        assert window.views.mode is Mode.LIST


def test_one_assessor_disputes_nothing(qtbot, tmp_path):
    """It is said what to do."""
    path = tmp_path / "p.judge"
    must("new", path)
    must("import", path, "--qrels", "-", stdin="q 0 a 1\n")
    with opened_settle(qtbot, path) as (_window, page):
        assert "One assessor alone disputes nothing" in page.empty.sentence
        assert page.empty.button.text() == "Import…"


def test_a_project_that_cannot_be_written_is_not_settled(qtbot, path):
    """Why is said, as for a grade in the list; disputes can be looked at."""
    with open_project(path, assessor="lead"), opened_settle(qtbot, path) as (window, page):
        key(qtbot, window, "2")
        assert window.status.message.text.startswith("Not judged. Another judgetool ")
        assert len(page.disputes) == 2
        assert not any(button.isEnabled() for button in page.bar.levels)


def test_settling_is_heard(qtbot, path, monkeypatch):
    """What was settled first, then the next dispute with its opinions."""
    said = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible,
        "updateAccessibility",
        lambda event: said.append(getattr(event, "message", lambda: "")()),
    )
    with opened_settle(qtbot, path) as (window, page):
        key(qtbot, window, "2")
        qtbot.waitUntil(lambda: any("1 of 1" in text for text in said))
        (told,) = [text for text in said if "1 of 1" in text]
        assert told.index("Settled: 2 Relevant") < told.index("1 of 1")
        assert all(row in told for row in heard(page))


def test_a_number_settles_on_a_continuous_scale(qtbot, tmp_path):
    """Digits begin it in the view's own bar, Enter gives it."""
    path = tmp_path / "p.judge"
    must("new", path, "--scale", "0-100/any")
    must(
        "import", path, "--qrels", "-", stdin="query,document,assessor,grade\nq,a,x,10\nq,a,y,90\n"
    )
    with opened_settle(qtbot, path) as (window, _page):
        key(qtbot, window, "5")
        for name in ("0", Qt.Key.Key_Return):
            key(qtbot, window, name)
        assert held(window) == {"a": 50}


def test_what_was_settled_is_nobody_who_could_judge(qtbot, path, open_again, monkeypatch):
    """Neither a name to judge under nor one of whom blind mode could be required."""
    opened = answer_dialogs(monkeypatch, lambda _dialog: None)
    with opened_window(qtbot, path, assessor="ben") as window:
        for name in ("judge.assessor", "project.blind"):
            window.actions_by_name.action(name).trigger()
    who, blind = opened
    offered = [who.names.item(row).text() for row in range(who.names.count())]
    assert "settled" not in offered
    assert "anna" in offered
    assert "settled" not in blind.names.placeholderText()
