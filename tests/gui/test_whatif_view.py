"""The what-if view in the real window: dragging, keys, values before the drop."""

import json
from dataclasses import replace
from time import monotonic

import pytest
from click.testing import CliRunner
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget

from judgetool.cli.main import program
from judgetool.core.judgments import Document, Query
from judgetool.core.rankings import Move
from judgetool.gui.actions import Mode
from judgetool.gui.theme import Role, current_theme, text_width
from judgetool.gui.whatif.side import ChangeRow, WhatIfValues
from judgetool.metrics import Bounds
from judgetool.session.commands import Say, SetValues, set_measures
from judgetool.session.comparing.trial import Trial
from judgetool.session.edits import delete_run
from judgetool.session.whatifs.book import load_whatifs, whatif_book
from judgetool.session.whatifs.editing import create_whatif, delete_whatif
from tests.gui.whatif_fixtures import (
    ALT,
    LEFT,
    NONE,
    carry,
    drop,
    lift,
    make_current,
    order_of,
    press,
    shown_order,
    shown_values,
    soup_parts,
    whatif_page,
)
from tests.gui.window_fixtures import CTRL, answer_dialogs, lines_painted, opened_window
from tests.helpers.builders import Parts, make_project
from tests.helpers.fake_prompter import FakePrompter

IDS = [f"d{n}" for n in range(8)]


@pytest.fixture
def window(qtbot, tmp_path):
    with make_project(tmp_path, soup_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


@pytest.fixture
def page(window):
    return whatif_page(window)


def numbers(page):
    """Return (old, new) of nDCG@10 to four decimals."""
    old, new = shown_values(page)["nDCG@10"]
    return round(old, 4), round(new, 4)


def test_the_plot_counts_as_the_values_do(page, window):
    """DCG by rank, with unjudged documents out of the rankings, divides to what stands above it."""
    page.ranking.session.execute(
        SetValues({"conventions": {"unjudged": "left out"}}, "Conventions")
    )
    lift(page, 7)
    drop(page, 1)
    chart = page.values.plot.chart
    assert "unjudged documents taken out" in chart.x_label
    ideal, new, old = (line.y for line in chart.series)
    assert new[-1] / ideal[-1] == pytest.approx(shown_values(page)["nDCG@10"][1])
    assert old[-1] / ideal[-1] == pytest.approx(shown_values(page)["nDCG@10"][0])


# The pointer


def test_a_card_dragged_to_another_rank_is_moved_there(page):
    """Press, move and release put the document at the rank where it was let go."""
    lift(page, 7)
    drop(page, 1)
    assert order_of(page) == ["d0", "d7", *IDS[1:7]]


def test_values_follow_the_hand_before_the_drop(page):
    """While a card is in the hand the panel shows what dropping it here would give."""
    lift(page, 7)
    carry(page, 0)
    in_hand = shown_values(page)
    assert page.values.title == "If you drop it here"
    assert load_whatifs(page.ranking.session) == []
    drop(page, 0)
    assert shown_values(page) == in_hand


def test_more_that_could_still_be_found_is_not_shown_as_better(qtbot, window):
    """Of RBP’s residual a change has its sign alone, on the board and in the live values: no green arrow."""
    window.session.execute(set_measures(["RBPres", "nDCG@10"]))
    page = whatif_page(window)
    qtbot.waitUntil(lambda: "RBPres" in page.values.rows_by_name)
    # Nobody judged it.
    lift(page, 3)
    carry(page, 0)
    rows = page.values.rows_by_name
    assert rows["RBPres"].change > 0.0
    theme, picture = current_theme(), page.values.values.grab().toImage()
    height = page.values.values.row_height
    for place, name in enumerate(rows):
        inks = {
            picture.pixelColor(x, y).name()
            for x in range(picture.width())
            for y in range(place * height, (place + 1) * height)
        }
        assert theme.good.name() not in inks
        assert (theme.bad.name() in inks) is (name == "nDCG@10")
    drop(page, 0)
    window.views.show(Mode.LIST)
    live = {row.name: row.is_quality for row in window.live.values.rows.rows}
    assert live == {"RBPres": False, "nDCG@10": True}


def test_the_interval_of_the_change_is_shown_in_the_hand(page):
    """Each change has its interval before the drop, and lies in it or is exact."""
    lift(page, 7)
    carry(page, 0)
    (row,) = [row for row in page.values.values.rows if row.name == "nDCG@10"]
    assert row.bounds.low < row.bounds.high
    assert row.bounds.low - 1e-9 <= row.change <= row.bounds.high + 1e-9


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.0845, 0.0642, "−0.085 to +0.065"),
        (-0.00964, -0.0004, "−0.010 to 0"),
        (0.0004, 0.1 + 0.2, "0 to +0.300"),
        (-0.3 + 1e-17, 1e-12, "−0.300 to 0"),
        (0.013022, 0.01504, "+0.013 to +0.016"),
        (0.0643, 0.0643, "exactly +0.0643"),
    ],
)
def test_an_interval_as_it_is_shown_holds_the_change(low, high, said):
    """Its ends are rounded outwards: no change is outside of them, and a float's dust is none."""
    row = ChangeRow("AP", 0.5, 0.5 + low, low, Bounds(low, high, is_exact=True))
    assert row.interval == said
    assert low == high or f"both rankings and the pool would make the change {said}" in row.in_words


def test_bounds_of_old_and_new_are_said_and_none_is_drawn_as_certain(qtbot, page):
    """Least and most stand in the row's words; a bar without them has no certain part."""
    lift(page, 7)
    drop(page, 0)
    qtbot.waitUntil(lambda: page.values.values.rows[0].possible is not None)
    (row,) = [row for row in page.values.values.rows if row.name == "nDCG@10"]
    for end in (row.possible.low, row.possible.high, row.before.low, row.before.high):
        assert f"{end:.4f}" in row.in_words
    press(qtbot, page, Qt.Key.Key_N)
    assert QToolTip.isVisible()
    assert f"{row.possible.high:.4f}" in QToolTip.text()
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    trial, low = page.ranking.trial, row.before.low
    column = list(map(str, trial.measures)).index("nDCG@10")
    assert trial.possible(trial.baseline_order.tolist())[column].low == low
    values = WhatIfValues()
    qtbot.addWidget(values)
    values.set_rows((row, row._replace(name="AP", possible=None)))
    known, unknown = (shown.parts[7] for shown in values.shown)
    assert (unknown.low, unknown.high) == (0.0, 0.0)
    assert known.high > 0


@pytest.mark.parametrize("width", range(260, 900, 20))
def test_an_interval_is_never_cut(qtbot, width):
    """Beside the change stands only what fits there; the rest is written under it."""
    values = WhatIfValues()
    qtbot.addWidget(values)
    row = ChangeRow("nDCG@10", 0.4, 0.5, 0.1, Bounds(-0.323, 0.418, is_exact=False))
    values.set_rows((row,))
    values.resize(width, 200)
    beside = values.places()[5]
    assert beside is None or beside.width() > text_width(Role.META, row.interval)


def test_a_narrow_list_has_intervals_too(qtbot):
    """In the smallest window an interval stands under its name, also beside a measure of a long name."""
    values = WhatIfValues()
    qtbot.addWidget(values)
    ends = {"AP": True, "nDCG(ideal='retrieved')@10": True, "INST(T=2)": False}
    bounds = {name: Bounds(0.013022, 0.01504, is_exact=each) for name, each in ends.items()}
    values.set_rows(
        tuple(ChangeRow(name, 0.4, 0.415, 0.015, each) for name, each in bounds.items())
    )
    values.resize(212, 200)
    lines = lines_painted(values.viewport())
    assert sum(line.startswith("+0.013to+0.016") for line in lines) == 2
    assert any(line.startswith("in+0.013to+0.016") for line in lines)


@pytest.mark.parametrize("steps", [0, 7, 13])
@pytest.mark.parametrize("width", [190, 240, 300])
def test_no_name_is_cut_however_large_the_text(qtbot, window, steps, width):
    """Where it has no room beside the value the name stands above it; 'P@5' and 'P@10' were 'P…' both."""
    for _ in range(steps):
        window.view_handler.step_text(1)
    values = WhatIfValues()
    qtbot.addWidget(values)
    names = ("P@10", "R@10", "nDCG@10")
    values.set_rows(
        tuple(ChangeRow(name, 0.4, 0.5, 0.1, Bounds(-0.3, 0.4, is_exact=True)) for name in names)
    )
    values.resize(width, 400)
    name, *__, value = values.places()
    assert name.width() >= max(text_width(Role.UI, each) for each in names)
    assert value is None or not name.intersects(value)


def test_the_cards_make_room_where_the_card_would_land(page):
    """The board shows the order that dropping now would make."""
    lift(page, 7)
    carry(page, 2)
    assert shown_order(page) == ["d0", "d1", "d7", *IDS[2:7]]


def test_escape_puts_a_dragged_card_back(qtbot, page):
    """Esc leaves the order and the project as they were, and a later release does nothing."""
    lift(page, 7)
    carry(page, 0)
    press(qtbot, page, Qt.Key.Key_Escape)
    QTest.mouseRelease(
        page.orders.viewport(), LEFT, NONE, page.orders.delegate.card_rect(0).center()
    )
    assert shown_order(page) == IDS
    assert load_whatifs(page.ranking.session) == []


def test_a_card_let_go_where_it_was_changes_nothing(page):
    """A drop at the own place makes neither step nor what-if."""
    lift(page, 3)
    drop(page, 3)
    assert load_whatifs(page.ranking.session) == []
    assert page.orders.carry is None
    assert shown_order(page) == IDS


def test_the_strip_names_the_keys_of_the_hand(page):
    """How a card is taken up and put back is said from the start, to readers as well."""
    said = page.strip.accessibleName()
    assert "Space: carry" in said
    assert "Esc: put back" in said


def test_a_click_makes_a_card_current(page):
    """A press without a movement only chooses the card."""
    QTest.mouseClick(page.orders.viewport(), LEFT, NONE, page.orders.delegate.card_rect(4).center())
    assert page.ranking.session.material.document_id(page.orders.current) == "d4"
    assert page.orders.carry is None


def test_a_click_on_the_imported_order_finds_the_card(page):
    """The left order leads to where the document stands on the right."""
    page.ranking.do(Move(page.ranking.orders.order[7], 1))
    QTest.mouseClick(
        page.orders.viewport(),
        LEFT,
        NONE,
        QPoint(60, page.orders.delegate.card_rect(7).center().y()),
    )
    assert page.ranking.session.material.document_id(page.orders.current) == "d7"


def test_a_pointer_at_the_edge_scrolls_the_list(qtbot, window):
    """A card held at the lower edge travels beyond what is seen."""
    window.resize(1100, 620)
    page = whatif_page(window)
    qtbot.waitUntil(lambda: page.orders.bar.maximum() > 0)
    lift(page, 0)
    height = page.orders.viewport().height()
    QTest.mouseMove(
        page.orders.viewport(), QPoint(page.orders.delegate.card_rect(0).center().x(), height - 4)
    )
    qtbot.waitUntil(lambda: page.orders.bar.value() == page.orders.bar.maximum())
    qtbot.waitUntil(lambda: page.orders.carry.place == 7)
    page.orders.put_back()


# Keys


def test_alt_and_arrows_move_the_document(qtbot, page):
    """Alt+Down and Alt+Up move the current document by one rank."""
    make_current(page, "d0")
    press(qtbot, page, Qt.Key.Key_Down, ALT)
    press(qtbot, page, Qt.Key.Key_Down, ALT)
    press(qtbot, page, Qt.Key.Key_Up, ALT)
    assert order_of(page) == ["d1", "d0", *IDS[2:]]


def test_t_takes_the_document_to_the_top(qtbot, page):
    """T moves to rank 1."""
    make_current(page, "d6")
    press(qtbot, page, Qt.Key.Key_T)
    assert order_of(page)[0] == "d6"


def test_the_menus_offer_each_what_if_and_run_once(qtbot, page):
    """However often they are opened, with the one marked that is shown; another is shown when chosen."""
    make_current(page, "d6")
    press(qtbot, page, Qt.Key.Key_T)
    menus = [page.tools.whatifs.menu(), page.tools.runs.menu()]
    for menu in (*menus, *menus):
        menu.aboutToShow.emit()
    whatifs, runs = ([each for each in menu.actions() if each.isCheckable()] for menu in menus)
    assert [(each.text(), each.isChecked()) for each in whatifs] == [
        ("As imported", False),
        ("alpha what-if", True),
    ]
    assert [(each.text(), each.isChecked()) for each in runs] == [("alpha", True), ("beta", False)]
    whatifs[0].trigger()
    assert page.ranking.head is None


def test_the_order_as_imported_is_called_as_in_its_list(qtbot, page):
    """Chosen where there are what-ifs, it is not said that there is none yet."""
    tools = page.tools
    assert "no what-if yet" in tools.whatifs.text()
    page.ranking.move(page.ranking.orders.order[7], 1)
    menu = tools.whatifs.menu()
    menu.aboutToShow.emit()
    (imported,) = [each for each in menu.actions() if each.text() == "As imported"]
    imported.trigger()
    qtbot.waitUntil(lambda: "As imported" in tools.whatifs.text())


def test_a_step_says_where_a_card_came_to_stand(qtbot, page):
    """Under a pinned card the top is rank 2; and a pin is a change, no move."""
    make_current(page, "d0")
    press(qtbot, page, Qt.Key.Key_P)
    make_current(page, "d5")
    press(qtbot, page, Qt.Key.Key_T)
    assert order_of(page)[:2] == ["d0", "d5"]
    assert page.values.steps.rows[-2].text == "Soup recipe 5 to 2"
    assert page.orders.cards.names[2] == "2 changes"


def test_m_asks_for_the_rank(qtbot, page):
    """M opens a field over the card; the rank typed there is where the document goes."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_M)
    assert page.rank_field.isVisible()
    qtbot.keyClicks(page.rank_field.field, "3")
    qtbot.keyClick(page.rank_field.field, Qt.Key.Key_Return)
    assert order_of(page)[2] == "d7"
    assert not page.rank_field.isVisible()


def test_escape_leaves_the_field_without_a_move(qtbot, page):
    """Esc in the field of ranks changes nothing and gives the keyboard back."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_M)
    qtbot.keyClicks(page.rank_field.field, "3")
    qtbot.keyClick(page.rank_field.field, Qt.Key.Key_Escape)
    assert order_of(page) == IDS
    assert page.orders.hasFocus()


def test_the_board_cuts_where_the_projects_measures_cut(qtbot, window, page):
    """A line stands under each rank at which a measure cuts, and moves with the measures."""
    window.session.execute(set_measures(("nDCG@3", "P@5", "AP")))
    qtbot.waitUntil(lambda: page.orders.delegate.cutoffs == (3, 5))


def test_a_cut_is_drawn_over_the_whole_of_its_row(qtbot, window, page):
    """It is the lower edge of the last card that a measure counts, and has its rank on a tab."""
    window.session.execute(set_measures(("nDCG@3", "AP")))
    orders, ink = page.orders, current_theme().line_strong
    qtbot.waitUntil(lambda: orders.delegate.cutoffs == (3,))
    card, shown = orders.delegate.card_rect(2), orders.viewport().grab().toImage()
    has_line = [
        sum(shown.pixelColor(x, y) == ink for x in range(card.left(), card.right())) / card.width()
        for y in range(orders.delegate.card_rect(7).bottom())
    ]
    (at,) = [y for y, share in enumerate(has_line) if share > 0.5]
    assert at == card.bottom()


def test_a_click_elsewhere_leaves_the_field_without_a_move(qtbot, page):
    """Whoever clicks a card does not want the rank any more: it is not typed over that card."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_M)
    qtbot.keyClicks(page.rank_field.field, "3")
    qtbot.mouseClick(page.orders.viewport(), LEFT, pos=page.orders.delegate.card_rect(0).center())
    qtbot.waitUntil(lambda: not page.rank_field.isVisible())
    assert order_of(page) == IDS


def test_the_field_of_ranks_is_gone_where_another_project_comes(qtbot, window, page, tmp_path):
    """One opened from elsewhere takes away the card that was asked about."""
    other = tmp_path / "other"
    other.mkdir()
    with make_project(other, soup_parts()) as session:
        path = session.path
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_M)
    elsewhere = QWidget()
    qtbot.addWidget(elsewhere)
    elsewhere.show()
    elsewhere.activateWindow()
    qtbot.waitUntil(elsewhere.isActiveWindow)
    assert page.rank_field.isVisible()
    assert window.try_open(path)
    assert not page.rank_field.isVisible()


def test_w_swaps_with_the_document_of_a_rank(qtbot, page):
    """W and a rank let two documents change places."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_W)
    qtbot.keyClicks(page.rank_field.field, "1")
    qtbot.keyClick(page.rank_field.field, Qt.Key.Key_Return)
    assert order_of(page) == ["d7", *IDS[1:7], "d0"]


def test_p_pins_and_lets_go(qtbot, page):
    """A pinned document keeps its rank while another is moved above it; P again frees it."""
    make_current(page, "d2")
    press(qtbot, page, Qt.Key.Key_P)
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    assert order_of(page)[2] == "d2"
    make_current(page, "d2")
    press(qtbot, page, Qt.Key.Key_P)
    assert page.ranking.orders.pinned == frozenset()
    assert order_of(page)[2] == "d2"


def pin(qtbot, page, document_id):
    make_current(page, document_id)
    press(qtbot, page, Qt.Key.Key_P)


def test_a_card_dropped_on_a_pinned_one_is_put_back_with_a_word(qtbot, window, page):
    """From right below it there is nowhere to go; nothing stays in the hand, and why is said."""
    pin(qtbot, page, "d2")
    lift(page, 3)
    carry(page, 2)
    assert page.values.title == "If you drop it here"
    assert [line.text for line in page.values.steps.rows[1:-1]] == ["Soup recipe 2 pinned at 3"]
    drop(page, 2)
    assert page.orders.carry is None
    assert page.values.title == "This what-if"
    assert page.orders.cards.names[2] == "1 change"
    assert page.orders.current == page.ranking.session.material.find_document("d3")
    assert window.status.message.text == (
        "Rank 3 is held by a pinned document: Soup recipe 3 stays at rank 4. Let the pinned one go "
        "(P), or choose another rank."
    )


def test_a_card_carried_up_by_keys_passes_a_pinned_one(qtbot, page):
    """Space, Up, Space below a pinned card drops the card above that."""
    pin(qtbot, page, "d2")
    make_current(page, "d3")
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Space):
        press(qtbot, page, key)
    assert order_of(page)[:4] == ["d0", "d3", "d2", "d1"]
    assert page.orders.carry is None
    assert page.values.steps.rows[-2].text == "Soup recipe 3 to 2"


def test_alt_and_up_pass_a_pinned_card_as_alt_and_down_do(qtbot, page):
    """There and back again, the pinned one keeps its rank."""
    pin(qtbot, page, "d2")
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_Up, ALT)
    assert order_of(page)[:4] == ["d0", "d3", "d2", "d1"]
    press(qtbot, page, Qt.Key.Key_Down, ALT)
    assert order_of(page) == IDS


@pytest.mark.parametrize(("pinned", "moved", "rank"), [("d2", "d3", "3"), ("d7", "d6", "8")])
def test_m_to_a_pinned_rank_says_why_nothing_moves(qtbot, window, page, pinned, moved, rank):
    """From its neighbour, which would have to take the pinned one's place."""
    pin(qtbot, page, pinned)
    make_current(page, moved)
    press(qtbot, page, Qt.Key.Key_M)
    qtbot.keyClicks(page.rank_field.field, rank)
    qtbot.keyClick(page.rank_field.field, Qt.Key.Key_Return)
    assert order_of(page) == IDS
    assert window.status.message.text.startswith(f"Rank {rank} is held by a pinned document: Soup")


def test_delete_takes_out_and_space_brings_back(qtbot, page):
    """A document taken out is listed below; Space on it puts it back where it was."""
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_Delete)
    assert "d3" not in order_of(page)
    assert len(page.ranking.orders.gone) == 1
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_Space)
    assert order_of(page) == IDS


def test_documents_are_taken_out_one_after_the_other(qtbot, page):
    """The cursor stays at its place, on the card that is next now; it never leaps to what is gone."""
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Delete, Qt.Key.Key_Down, Qt.Key.Key_Delete):
        press(qtbot, page, key)
    press(qtbot, page, Qt.Key.Key_Delete)
    assert order_of(page) == ["d1", "d4", "d5", "d6", "d7"]


def test_after_the_last_card_is_taken_out_the_one_before_it_is_current(qtbot, page):
    """At the end of the ranking there is no next card: the cursor stays in the ranking."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_Delete)
    press(qtbot, page, Qt.Key.Key_Delete)
    assert order_of(page) == IDS[:6]


def test_a_document_that_is_put_back_stays_current(qtbot, page):
    """What comes back has the cursor, at the rank that it had."""
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_Delete)
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_Space)
    assert page.orders.current == page.ranking.session.material.find_document("d3")


def test_keys_of_the_ranking_leave_what_was_taken_out_alone(qtbot, window, page):
    """It has no rank that could be pinned, asked for or swapped; Delete puts it back."""
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_Delete)
    make_current(page, "d3")
    before = window.session.undo_step
    for key in (Qt.Key.Key_P, Qt.Key.Key_M, Qt.Key.Key_W, Qt.Key.Key_T):
        press(qtbot, page, key)
    assert window.session.undo_step == before
    assert not page.rank_field.isVisible()
    press(qtbot, page, Qt.Key.Key_Delete)
    assert order_of(page) == IDS
    assert "Brought back: Soup recipe 3" in window.status.message.text


def test_a_click_on_put_back_brings_a_document_back(page):
    """The words at the end of a row that is gone put the document back."""
    make_current(page, "d3")
    page.remove()
    rect = page.orders.delegate.card_rect(7)
    QTest.mouseClick(
        page.orders.viewport(), LEFT, NONE, QPoint(rect.right() - 30, rect.center().y())
    )
    assert order_of(page) == IDS


def test_only_the_first_that_is_gone_has_the_heading_above_it(page):
    """One heading stands over all that was taken out, however many there are."""
    card, head = page.orders.rowHeight(0), page.orders.rowHeight
    for document in ("d3", "d5"):
        make_current(page, document)
        page.remove()
    assert [head(row) > card for row in range(8)] == [False] * 6 + [True, False]


def test_readers_hear_every_card_and_what_is_carried(qtbot, page):
    """Each row says rank, title and grade; the row of the keyboard goes along with the hand."""
    model = page.orders.model()

    def said(row):
        return model.data(model.index(row, 0), Qt.ItemDataRole.AccessibleTextRole)

    assert said(7) == "rank 8, Soup recipe 7, grade 3"
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_Space)
    press(qtbot, page, Qt.Key.Key_Up)
    assert page.orders.currentIndex().row() == 6
    assert said(6) == "in the hand, rank 7, was 8, Soup recipe 7, grade 3"
    press(qtbot, page, Qt.Key.Key_Escape)
    assert page.orders.currentIndex().row() == 7
    make_current(page, "d3")
    page.remove()
    assert said(7) == "taken out, was 4, Soup recipe 3, not judged"


def test_space_lifts_arrows_carry_and_space_drops(qtbot, page):
    """A card is carried by keys with the same live values as by the pointer."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_Space)
    for _ in range(7):
        press(qtbot, page, Qt.Key.Key_Up)
    in_hand = shown_values(page)
    assert shown_order(page)[0] == "d7"
    assert order_of(page) == IDS
    press(qtbot, page, Qt.Key.Key_Return)
    assert order_of(page)[0] == "d7"
    assert shown_values(page) == in_hand


def test_escape_puts_a_carried_card_back(qtbot, page):
    """Esc ends carrying by keys without a step."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_Space)
    press(qtbot, page, Qt.Key.Key_Home)
    press(qtbot, page, Qt.Key.Key_Escape)
    assert shown_order(page) == IDS


def test_alt_and_an_arrow_carry_a_card_in_the_hand(qtbot, page):
    """The keys that move a card move that in the hand; nothing is done until it is dropped."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_Space)
    press(qtbot, page, Qt.Key.Key_Up, ALT)
    assert shown_order(page)[6:] == ["d7", "d6"]
    assert order_of(page) == IDS


def test_a_card_in_the_hand_of_keys_is_put_back_where_the_keyboard_goes(qtbot, window, page):
    """Whoever turns to something else has moved nothing."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_Space)
    press(qtbot, page, Qt.Key.Key_Home)
    page.values.values.setFocus()
    assert shown_order(page) == IDS
    assert page.orders.carry is None


def test_the_pointer_is_a_hand_where_a_card_can_be_taken(page):
    """Over a card’s handle it is an open hand, else an arrow; the other button takes nothing."""
    viewport, card = page.orders.viewport(), page.orders.delegate.card_rect(2)
    middle, columns = card.center(), page.orders.delegate.columns
    QTest.mouseMove(viewport, QPoint(columns.cards + columns.handle + 4, middle.y()))
    assert viewport.cursor().shape() is Qt.CursorShape.OpenHandCursor
    QTest.mouseMove(viewport, middle)
    assert viewport.cursor().shape() is Qt.CursorShape.ArrowCursor
    QTest.mousePress(viewport, Qt.MouseButton.RightButton, NONE, middle)
    QTest.mouseMove(viewport, middle + QPoint(0, 60))
    QTest.mouseRelease(viewport, Qt.MouseButton.RightButton, NONE, middle + QPoint(0, 60))
    assert shown_order(page) == IDS


def test_a_hand_that_does_not_move_takes_no_card(page):
    """A click that trembles is a click."""
    middle = page.orders.delegate.card_rect(2).center()
    QTest.mousePress(page.orders.viewport(), LEFT, NONE, middle)
    QTest.mouseMove(page.orders.viewport(), middle + QPoint(1, 1))
    assert page.orders.carry is None


def test_the_values_are_copied_with_their_ends(page):
    """Ctrl+C in the panel copies before, after and change of each measure, each with least and most."""
    make_current(page, "d7")
    page.move_to(1)
    page.values.values.setFocus()
    QTest.keyClick(page.values.values, Qt.Key.Key_C, CTRL)
    heads, *rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert heads[:4] == ["Measure", "Before", "Least before", "Most before"]
    assert [row[0] for row in rows] == list(shown_values(page))
    name, old, *_ends, new = rows[0][:5]
    assert (float(old), float(new)) == pytest.approx(shown_values(page)[name], abs=1e-6)


def test_o_sorts_by_grade(qtbot, page):
    """O makes the best order of what the ranking holds: nDCG is as high as the steps promise."""
    best = page.values.steps.rows[-1].value
    press(qtbot, page, Qt.Key.Key_O)
    assert order_of(page)[:2] == ["d7", "d6"]
    assert numbers(page)[1] == round(best, 4)


def test_u_takes_back_the_last_move_of_the_query(qtbot, page):
    """U undoes moves of this query one by one."""
    for document in ("d6", "d7"):
        make_current(page, document)
        press(qtbot, page, Qt.Key.Key_T)
    press(qtbot, page, Qt.Key.Key_U)
    assert order_of(page) == ["d6", *IDS[:6], "d7"]


def test_undo_takes_a_move_back_and_redo_makes_it_again(qtbot, window, page):
    """Ctrl+Z and Ctrl+Y work on moves as on judgments."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    press(qtbot, page, Qt.Key.Key_Z, CTRL)
    assert order_of(page) == IDS
    press(qtbot, page, Qt.Key.Key_Y, CTRL)
    assert order_of(page)[0] == "d7"


def test_tab_beside_the_orders_stops_at_lists_only(page):
    """What scrolls values and steps takes no keyboard: Tab would stop there and nothing would show it."""
    areas = page.values.findChildren(QScrollArea)
    assert areas
    assert {area.focusPolicy() for area in areas} == {Qt.FocusPolicy.NoFocus}


def test_a_digit_assumes_a_grade_of_an_unjudged_document(qtbot, page):
    """The assumed grade counts here, is shown as assumed, and no judgment is made."""
    n_judged = page.ranking.session.board.total_progress().judged
    make_current(page, "d3")
    press(qtbot, page, Qt.Key.Key_3)
    document = page.orders.current
    assert page.orders.cards.facts(document).assumed == 3
    assert page.ranking.mark(document).grade is None
    assert page.ranking.session.board.total_progress().judged == n_judged
    press(qtbot, page, Qt.Key.Key_Backspace)
    assert page.orders.cards.facts(document).assumed is None


def test_an_assumed_grade_counts_as_a_given_one_but_is_not_judged(qtbot, tmp_path):
    """Values, changes and means are as where it is judged; Judged@10 and intervals are not."""
    shown = {}
    for how in ("assumed", "judged"):
        (tmp_path / how).mkdir()
        with make_project(tmp_path / how, soup_parts()) as session:
            session.execute(set_measures(("nDCG@5", "AP", "Judged@10")))
            if how == "judged":
                session.execute(Say.grade(0, session.material.find_document("d3"), 3.0))
            path = session.path
        with opened_window(qtbot, path) as window:
            page = whatif_page(window)
            make_current(page, "d3")
            if how == "assumed":
                press(qtbot, page, Qt.Key.Key_3)
            press(qtbot, page, Qt.Key.Key_T)
            page.values.choose_measure("nDCG@5")
            shown[how] = (page.values.values.rows, page.values.mean.text())
    *assumed, share = shown["assumed"][0]
    *judged, share_judged = shown["judged"][0]
    for row, one in zip(assumed, judged, strict=True):
        assert (row.old, row.new) == (one.old, one.new)
        # Nobody judged it: all that it may be graded yet is in the interval.
        assert row.bounds.low < one.bounds.low
    assert shown["assumed"][1] == shown["judged"][1]
    assert (share.new, share.possible, share_judged.new) == (5 / 8, None, 6 / 8)


def test_a_judged_document_keeps_its_judgment(qtbot, window, page):
    """A digit on a judged document changes nothing and says why."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_1)
    assert page.ranking.orders.assumed == {}
    assert "judgment counts more" in window.status.message.text


# What is kept, and what it equals


def test_what_was_moved_is_there_after_reopening(qtbot, tmp_path):
    """A what-if is kept in the project and is what the view begins with next time."""
    with make_project(tmp_path, soup_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        page = whatif_page(window)
        make_current(page, "d7")
        press(qtbot, page, Qt.Key.Key_T)
    with opened_window(qtbot, path) as window:
        page = whatif_page(window)
        assert order_of(page)[0] == "d7"
        assert page.ranking.head.name == "alpha what-if"


def test_values_equal_judgetool_score_of_the_exported_run(qtbot, window, page, tmp_path):
    """The means beside the board are those that `judgetool score` gives for the exported run."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    press(qtbot, page, Qt.Key.Key_BracketRight)
    press(qtbot, page, Qt.Key.Key_O)
    run, qrels = tmp_path / "moved.run", tmp_path / "qrels.txt"
    window.prompter = FakePrompter(places=[run])
    window.actions_by_name.action("whatif.export").trigger()
    qtbot.waitUntil(run.exists)
    exported = CliRunner().invoke(
        program, ["export", str(window.session.path), "--qrels", str(qrels)]
    )
    assert exported.exit_code == 0, exported.output
    trial = page.ranking.trial
    means = {str(row.measure): row.mean_new for row in trial.rows(page.ranking.orders.order)}
    options = [option for name in means for option in ("-m", name)]
    scored = CliRunner().invoke(
        program,
        ["score", str(qrels), str(run), *options, "--scale", "0-3", "--format", "json"],
    )
    assert scored.exit_code == 0, scored.output
    (row,) = json.loads(scored.stdout)["runs"]
    assert {name: row["means"][name]["value"] for name in means} == pytest.approx(means)


def test_a_tried_order_has_the_values_that_the_whatif_gets(page):
    """What the panel shows in the hand is what the engine has after the drop."""
    document = page.ranking.orders.order[7]
    tried = page.ranking.try_step(Move(document, 2))
    shown = {str(row.measure): row.new for row in page.ranking.trial.rows(tried)}
    page.ranking.move(document, 2)
    key = whatif_book(page.ranking.session).engine_key(page.ranking.head.id)
    engine = page.ranking.session.board.engine
    kept = [value.value for value in engine.value(key, page.ranking.query)]
    assert list(shown.values()) == pytest.approx(kept)


def test_steps_list_every_move_with_its_value(qtbot, page):
    """The list begins with the run, has a line for each step, and ends with the best order."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    lines = page.values.steps.rows
    assert [line.text for line in lines] == ["alpha", "Soup recipe 7 to 1", "Best possible order"]
    assert lines[1].value == pytest.approx(shown_values(page)["nDCG@10"][1])
    assert lines[1].change == pytest.approx(lines[1].value - lines[0].value)


def test_a_step_with_a_long_title_says_what_was_done(qtbot, tmp_path):
    """The title is cut, and not the rank behind it."""
    parts = soup_parts()
    parts.documents[7] = replace(parts.documents[7], title="A very long title of a soup " * 12)
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        page = whatif_page(window)
        make_current(page, "d7")
        press(qtbot, page, Qt.Key.Key_T)
        assert any("…to1" in line for line in lines_painted(page.values.steps))


def test_a_swap_of_two_long_titles_says_what_was_done(qtbot, tmp_path):
    """Both titles are cut, and not the word behind them."""
    parts = soup_parts()
    for place in (3, 7):
        title = f"A very long title of soup {place} " * 12
        parts.documents[place] = replace(parts.documents[place], title=title)
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        page = whatif_page(window)
        make_current(page, "d7")
        press(qtbot, page, Qt.Key.Key_W)
        qtbot.keyClicks(page.rank_field.field, "4")
        qtbot.keyClick(page.rank_field.field, Qt.Key.Key_Return)
        assert any("…swapped" in line for line in lines_painted(page.values.steps))
        window.resize(900, 700)
        qtbot.waitUntil(lambda: page.values.steps.width() < 300)
        assert any("…swapped" in line for line in lines_painted(page.values.steps))


def test_the_last_step_is_in_sight_in_a_low_window(qtbot, tmp_path):
    """However many measures stand above them, the step just made and the best order are seen."""
    make_project(tmp_path, soup_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge", size=(1366, 700)) as window:
        names = ("P@5", "P@10", "R@10", "AP", "RR", "nDCG@5", "nDCG@10", "ERR@10", "RBP", "DCG")
        window.session.execute(set_measures([*names, "Judged@10"]))
        page = whatif_page(window)
        for name in ("d7", "d6", "d5", "d4", "d3", "d2"):
            make_current(page, name)
            press(qtbot, page, Qt.Key.Key_T)
        qtbot.waitUntil(lambda: len(page.values.steps.rows) == 8)
        steps, area = page.values.steps, page.values.findChild(QScrollArea)
        seen = area.viewport().rect()
        for place in (6, 7):
            line = steps.visualRect(steps.model().index(place, 0))
            assert steps.viewport().rect().contains(line)
            assert seen.contains(steps.viewport().mapTo(area.viewport(), line.bottomLeft()))


def test_the_mean_says_what_this_query_alone_does(qtbot, page):
    """The mean is that of the run with this one ranking replaced."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    text = page.values.mean.text()
    assert "from this one query alone" in text
    assert text.startswith("nDCG@10 ")


def test_a_judgment_made_meanwhile_moves_the_numbers(qtbot, window, page):
    """What is judged in the list counts in the what-if at once."""
    session, query = page.ranking.session, page.ranking.query
    before = shown_values(page)["nDCG@10"]
    session.execute(Say.grade(query, page.ranking.orders.order[3], 3))
    assert shown_values(page)["nDCG@10"] != before


def test_another_query_is_shown_with_the_same_whatif(qtbot, page):
    """Moves stay with their query; the what-if stays current."""
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    press(qtbot, page, Qt.Key.Key_BracketRight)
    assert order_of(page) == IDS
    assert page.ranking.head is not None
    press(qtbot, page, Qt.Key.Key_BracketLeft)
    assert order_of(page)[0] == "d7"


def test_another_run_is_shown_as_imported(window, page):
    """The run chosen in the list is what a new what-if starts from."""
    beta = window.session.material.runs[1].run_id
    window.view.judging.show_run(beta)
    assert page.ranking.head is None
    assert order_of(page)[0] == "d8"


def test_keys_of_judging_do_nothing_here(qtbot, window, page):
    """In this view no key judges a document that nobody sees."""
    n_events = window.session.undo_step
    for key in (Qt.Key.Key_S, Qt.Key.Key_F, Qt.Key.Key_X):
        press(qtbot, page, key)
    assert window.session.undo_step == n_events


def test_blind_mode_closes_the_view(window, page):
    """Ranks and values would sway a blind assessor: the view cannot be opened."""
    window.views.show(Mode.LIST)
    window.actions_by_name.action("flow.blind").trigger()
    assert not window.actions_by_name.action("whatif.show").isEnabled()
    window.views.show(Mode.WHATIF)
    assert window.views.mode is Mode.LIST


# Sizes and scripts


def shown_project(tmp_path, rankings, documents=()):
    """Return the path of a project whose run has this ranking of its first query, and none else."""
    queries = [Query("q", "soup"), Query("lacks", "stew")]
    judgments = [("q", "d0", "anna", 2.0), ("lacks", "d1", "anna", 1.0)]
    parts = Parts(queries, documents, {"alpha": {"q": rankings}}, judgments)
    with make_project(tmp_path, parts) as session:
        return session.path


def test_a_query_that_the_run_lacks_takes_documents(qtbot, tmp_path):
    """With an empty ranking the view says so, and a document can be put in."""
    with opened_window(qtbot, shown_project(tmp_path, ["d0", "d1"])) as window:
        window.view.judging.show_query(1)
        page = whatif_page(window)
        assert order_of(page) == []
        document = page.ranking.session.material.find_document("d1")
        page._bring_back(document)
        assert order_of(page) == ["d1"]


def test_one_document_cannot_be_moved(qtbot, tmp_path):
    """A ranking of one takes every key without a step."""
    with opened_window(qtbot, shown_project(tmp_path, ["d0"])) as window:
        window.view.judging.show_query(0)
        page = whatif_page(window)
        for key in (Qt.Key.Key_T, Qt.Key.Key_O, Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Space):
            press(qtbot, page, key)
        assert load_whatifs(window.session) == []


def test_titles_from_right_to_left_are_shown_and_moved(qtbot, tmp_path):
    """Hebrew titles are painted and carried like others."""
    documents = [Document("a", "מרק עדשים כתום", "", "מרק עדשים soup 3"), Document("b", "Stew")]
    with opened_window(qtbot, shown_project(tmp_path, ["a", "b"], documents)) as window:
        window.view.judging.show_query(0)
        page = whatif_page(window)
        lift(page, 1)
        drop(page, 0)
        assert order_of(page) == ["b", "a"]
        assert not page.orders.grab().isNull()


def test_five_thousand_documents_are_moved_from_end_to_top(qtbot, tmp_path):
    """A long ranking is shown and reordered."""
    ranked = [f"d{n}" for n in range(5_000)]
    with opened_window(qtbot, shown_project(tmp_path, ranked)) as window:
        window.view.judging.show_query(0)
        page = whatif_page(window)
        press(qtbot, page, Qt.Key.Key_End)
        press(qtbot, page, Qt.Key.Key_T)
        assert order_of(page)[:2] == ["d4999", "d0"]
        assert isinstance(page.ranking.trial, Trial)


def test_a_move_says_what_it_does_to_the_value(qtbot, window):
    """A reader hears the chosen measure before and after, in the hand and when it is moved."""
    page, told = whatif_page(window), []
    page.told.connect(told.append)
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: bool(told))
    assert told[-1].startswith(f"{window.live.measure}: ")
    assert " to " in told[-1]


def test_a_later_move_is_told_by_itself_and_then_against_the_baseline(qtbot, window):
    """What it has done to the value of before it: a loss is no gain because the first move was one."""
    page, told = whatif_page(window), []
    page.told.connect(told.append)
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    (base, first), name = shown_values(page)["nDCG@10"], window.live.measure
    make_current(page, "d0")
    press(qtbot, page, Qt.Key.Key_T)
    second = shown_values(page)["nDCG@10"][1]
    assert second < first
    assert base < second
    moved = f"{name}: {first:.4f} to {second:.4f}, change \u2212{first - second:.4f}"
    assert told[-1] == f"{moved}; +{second - base:.4f} against {page.ranking.against}."


def test_the_values_of_another_query_are_no_change(qtbot, window):
    """Neither where one goes on from here, nor where the view is shown again with another query."""
    page, told = whatif_page(window), []
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    before = shown_values(page)
    page.told.connect(told.append)
    press(qtbot, page, Qt.Key.Key_BracketRight)
    assert shown_values(page) != before
    window.views.show(Mode.LIST)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_BracketLeft)
    window.views.show(Mode.WHATIF)
    assert shown_values(page) == before
    assert told == []


@pytest.mark.parametrize("is_heard", [False, True])
def test_a_tooltip_that_a_key_has_shown_says_what_holds_now(qtbot, page, is_heard):
    """N shows every number of the value; the next move makes others of them."""
    before = QAccessible.isActive()
    QAccessible.setActive(is_heard)
    press(qtbot, page, Qt.Key.Key_N)
    assert QToolTip.text() == tip_of(page)
    shown = QToolTip.text()
    make_current(page, "d7")
    press(qtbot, page, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: tip_of(page) != shown)
    qtbot.waitUntil(lambda: QToolTip.text() == tip_of(page))
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    QAccessible.setActive(before)


def test_what_a_key_has_shown_goes_with_its_query_and_by_escape(qtbot, page):
    """Esc closes it alone and leaves the card in the hand; of another query it would tell nothing."""
    press(qtbot, page, Qt.Key.Key_N)
    assert QToolTip.isVisible()
    begun = monotonic()
    press(qtbot, page, Qt.Key.Key_BracketRight)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    # By itself it goes after a minute.
    assert monotonic() - begun < 30
    press(qtbot, page, Qt.Key.Key_BracketLeft)
    lift(page, 7)
    carry(page, 2)
    press(qtbot, page, Qt.Key.Key_N)
    assert QToolTip.isVisible()
    press(qtbot, page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    assert page.orders.carry is not None


def tip_of(page):
    """Return what the tooltip of the chosen value says now."""
    return page.values.values.currentIndex().data(Qt.ItemDataRole.ToolTipRole)


def test_a_what_if_that_was_deleted_elsewhere_is_left(qtbot, window):
    """Who comes back after it was deleted in Compare works on the run again."""
    session = window.session
    whatif = create_whatif(session, "tried", session.material.runs[0].run_id)
    page = whatif_page(window)
    page.ranking.choose_whatif(whatif)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    window.views.show(Mode.LIST)
    delete_whatif(session, whatif)
    window.live.choose_measure("P@5")
    page = whatif_page(window)
    assert page.ranking.head is None
    assert order_of(page) == IDS


def test_without_a_run_any_more_no_what_if_is_made(window, page, monkeypatch):
    """All were taken out while one was worked on, and no query is shown."""
    asked = answer_dialogs(monkeypatch, lambda _dialog: None)
    window.views.show(Mode.LIST)
    for run in window.session.material.runs:
        delete_run(window.session, run.run_id)
    page.ranking.show_query(None)
    page.acts.new()
    assert asked == []
    assert load_whatifs(window.session) == []
