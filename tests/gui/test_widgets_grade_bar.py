"""The grade bar: what it shows, what it says when used, and what gives when it is narrow."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from judgetool.core.scale import graded_scale, numbered_scale, scale_preset
from judgetool.gui import theme
from judgetool.gui.widgets.banner import Banner, BannerText, with_keys
from judgetool.gui.widgets.grade_bar import (
    HEIGHTS,
    CountedGrade,
    Detail,
    GradeBar,
    Lines,
    level_widths,
)
from judgetool.gui.widgets.labels import Text
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import lay_judged_sample

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bar(qapp, qtbot):
    """A wide bar on the scale 0-3, shown."""
    theme.install_fonts(qapp)
    bar = GradeBar()
    bar.set_scale(scale_preset("0-3"))
    qtbot.addWidget(bar)
    bar.resize(900, bar.sizeHint().height())
    bar.show()
    return bar


def test_click_on_a_level_says_its_grade(bar, qtbot):
    """A click on the third level says grade 2."""
    with qtbot.waitSignal(bar.level_chosen) as said:
        qtbot.mouseClick(bar.levels[2], LEFT)
    assert said.args == [2.0, "click"]


def test_space_on_a_level_says_its_grade(bar, qtbot):
    """Whoever reaches a level by Tab can give it with Space."""
    with qtbot.waitSignal(bar.level_chosen) as said:
        qtbot.keyClick(bar.levels[1], Qt.Key.Key_Space)
    assert said.args == [1.0, "key"]


@pytest.mark.parametrize("place", range(4))
def test_click_on_an_action_says_its_name(bar, qtbot, place):
    """Cannot judge, flag, skip and note say their names."""
    names = ["cannot_judge", "flag", "skip", "note"]
    with qtbot.waitSignal(bar.action_chosen) as said:
        qtbot.mouseClick(bar.actions_shown[place], LEFT)
    assert said.args == [names[place]]


def test_given_grade_is_marked_and_said(bar):
    """The level that the document has is marked, and its name for readers says so."""
    bar.set_given(2, actions={"flag"})
    assert [level.is_given for level in bar.levels] == [False, False, True, False]
    assert bar.levels[2].accessibleName() == "Relevant, grade 2, given"
    assert bar.actions_shown[1].accessibleName() == "Flag, given"


@pytest.mark.parametrize("width", [900, 330])
def test_how_sure_one_is_stands_on_the_level_as_dots(bar, width):
    """Each answer looks another way, on the level that is given alone, names beside it or under it."""
    bar.resize(width, bar.height())
    pictures = []
    for confidence in (None, 1, 2, 3):
        bar.set_given(2.0, confidence=confidence)
        pictures.append([level.grab().toImage() for level in bar.levels])
    for place in range(len(bar.levels)):
        seen = [each[place] for each in pictures]
        is_given = place == 2
        assert all((one != other) is is_given for one, other in combinations(seen, 2))


def test_a_grade_that_counts_is_not_marked_as_given(bar):
    """What one has said is lit; what counts otherwise is said, with why, and goes with it."""
    plain = bar.levels[2].toolTip()
    bar.set_given(0, counted=CountedGrade(2, "Counts by ‘Majority’: 2", "You said 0"))
    assert [level.is_given for level in bar.levels] == [True, False, False, False]
    assert bar.levels[2].accessibleName() == "Relevant, grade 2, counts here"
    why = "Counts by ‘Majority’: 2. You said 0."
    assert bar.levels[2].accessibleDescription().endswith(why)
    assert why in bar.levels[2].toolTip()
    bar.set_given(0)
    assert bar.levels[2].accessibleName() == "Relevant, grade 2"
    assert bar.levels[2].toolTip() == plain


def test_a_number_that_counts_is_not_typed(bar):
    """Where numbers are typed, the one that counts stands faintly, as what is to be typed does."""
    bar.set_scale(graded_scale("0-100", [0, 100], is_continuous=True))
    bar.set_given(None, counted=CountedGrade(57, "Counts by ‘Mean’: 57", "You have given none"))
    assert bar.entry.text() == ""
    assert bar.entry.placeholderText() == "Counts here: 57"
    assert "You have given none." in bar.entry.toolTip()
    bar.set_given(40)
    assert bar.entry.text() == "40"
    assert "Counts" not in bar.entry.placeholderText() + bar.entry.toolTip()


def test_given_grade_moves_nothing(bar):
    """Marking a grade and an action leaves every button where it was."""
    before = [button.geometry() for button in (*bar.levels, *bar.actions_shown)]
    bar.set_given(3, actions={"flag", "note"})
    assert [button.geometry() for button in (*bar.levels, *bar.actions_shown)] == before


def test_closed_bar_gives_no_grade(bar, qtbot):
    """While nothing can be saved a click says nothing."""
    bar.set_judging(is_judging=False)
    with qtbot.assertNotEmitted(bar.level_chosen):
        qtbot.mouseClick(bar.levels[0], LEFT)


def test_banner_takes_the_place_and_the_height_stays(bar, qtbot):
    """A banner hides the levels, is as high as the bar, and says which answer was taken."""
    height = bar.sizeHint().height()
    bar.show_banner(BannerText("bad", "Not saved: the disk is full.", (("retry", "Retry"),)))
    assert bar.sizeHint().height() == height
    assert not any(level.isVisible() for level in bar.levels)
    assert bar.banner.accessibleName() == "Not saved: the disk is full."
    with qtbot.waitSignal(bar.banner_chosen) as said:
        qtbot.mouseClick(bar.banner.answers[0], LEFT)
    assert said.args == ["retry"]
    bar.hide_banner()
    assert all(level.isVisible() for level in bar.levels)


def test_answers_get_letters_that_nothing_else_has():
    """Not those of menus, nor each other's; a sign that is meant as such stays one."""
    texts = ("Retry", "Check & repair…", "Rest", "🙂")
    assert [*with_keys(texts, "PEJRVWCTH")] == ["Retr&y", "Chec&k && repair…", "Re&st", "🙂"]


def test_a_long_question_is_whole(qtbot, tmp_path):
    """In a small window the bar is as high as its lines, and low again after the answer."""
    with opened_window(qtbot, lay_judged_sample(tmp_path), size=(960, 600)) as window:
        bar = window.workspace.grade_bar
        before = bar.height()
        text = "Grade 1 for 30 documents: 12 unjudged, 9 would change (3 from 2, 6 from 3). " * 3
        bar.show_banner(BannerText("warn", text, (("all", "Grade 21 documents"),)))
        sentence = bar.banner.findChild(QLabel)
        qtbot.waitUntil(lambda: sentence.height() >= sentence.heightForWidth(sentence.width()))
        qtbot.waitUntil(lambda: bar.banner.height() == bar.height() > before)
        bar.hide_banner()
        qtbot.waitUntil(lambda: bar.height() == before)


def test_banner_text_is_never_markup(bar):
    """A document's title that looks like markup is shown as it is."""
    bar.show_banner(BannerText("warn", "<img src=x> was moved."))
    labels = bar.banner.findChildren(QLabel)
    assert [label.textFormat() for label in labels] == [Qt.TextFormat.PlainText]
    assert labels[0].text() == "<img src=x> was moved."


@pytest.mark.parametrize("width", [600, 639, 700, 760])
def test_names_are_whole_on_two_lines_before_any_is_cut(bar, width):
    """Where one line has no room every name is there on two, and so are the actions' words."""
    bar.resize(width, 60)
    assert all(level.is_stacked for level in bar.levels)
    for level in bar.levels:
        needed = level.width_for(Detail.NAME, name=level.stacked_width)
        assert level.width() >= needed
    assert {action.has_text for action in bar.actions_shown} == {width >= 700}


@pytest.mark.parametrize(("width", "extra_px"), [(480, 0), (600, 4), (800, 13)])
def test_names_go_under_key_and_symbol_before_any_is_cut(bar, qapp, qtbot, width, extra_px):
    """Where there is no room beside them, whole names stand under key and symbol in the same bar."""
    theme.install_fonts(qapp, extra_px=extra_px)
    try:
        bar.resize(width, bar.sizeHint().height())
        qtbot.waitUntil(lambda: {level.lines for level in bar.levels} == {Lines.UNDER})
        for level in bar.levels:
            assert level.detail is Detail.NAME
            assert level.width() >= level.under_size.width()
            assert level.height() >= level.under_size.height()
            assert bar.rect().contains(level.geometry())
    finally:
        theme.install_fonts(qapp)


def test_names_are_worth_more_than_beginning_under_the_text(bar):
    """In focus the bar begins under the text; where names would go for that, at the edge."""
    bar.set_room("focus")
    bar.resize(700, bar.sizeHint().height())
    start = bar.levels[0].x()
    widths = range(700, 400, -5)
    for width in widths:
        bar.resize(width, bar.height())
        if bar.levels[0].x() != start:
            break
    assert bar.levels[0].x() < start
    assert {level.detail for level in bar.levels} == {Detail.NAME}


def test_names_go_where_there_is_no_room_under_the_symbols(bar):
    """In little room the levels show key and disc only; their names are in the tooltips."""
    bar.resize(380, 60)
    assert {level.detail for level in bar.levels} == {Detail.SYMBOL}
    assert "Slightly relevant" in bar.levels[1].toolTip()


@pytest.mark.parametrize("width", [200, 260, 330, 420, 560, 640, 700, 838, 1200])
@pytest.mark.parametrize("preset", ["binary", "0-3", "yandex"])
def test_nothing_overlaps_at_any_width(bar, width, preset):
    """At every width all buttons are seen, inside the bar, and none covers another."""
    bar.set_scale(scale_preset(preset))
    bar.resize(width, 60)
    boxes = [button.geometry() for button in (*bar.levels, *bar.actions_shown)]
    assert all(box.right() <= width for box in boxes)
    assert [button.isVisible() for button in (*bar.levels, *bar.actions_shown)] == [True] * len(
        boxes
    )
    faces = [box.adjusted(3, 3, -3, -3) for box in boxes]
    assert not any(
        one.intersects(other) for at, one in enumerate(faces) for other in faces[at + 1 :]
    )


def test_twelve_levels_have_room(bar):
    """A scale of twelve levels, letters among its keys, fits a bar of 838 px."""
    bar.set_scale(numbered_scale("twelve", [f"Level {place}" for place in range(12)]))
    bar.resize(838, 60)
    assert bar.actions_shown[-1].geometry().right() <= 838
    assert bar.levels[10].key == "A"


@pytest.mark.parametrize("room", HEIGHTS)
def test_height_follows_the_room(bar, room):
    """Low, standard and focus are 44, 60 and 72 px at a 13 px font."""
    bar.set_room(room)
    assert bar.sizeHint().height() == theme.scaled(HEIGHTS[room])


def test_larger_font_lays_the_bar_out_anew(bar, qapp, qtbot):
    """Without being told, a shown bar gives its buttons the room of a larger font."""
    before = bar.levels[0].height()
    theme.install_fonts(qapp, extra_px=4)
    try:
        qtbot.waitUntil(lambda: bar.levels[0].height() > before)
    finally:
        theme.install_fonts(qapp)


def test_click_leaves_the_keyboard_where_it_was(qapp, qtbot):
    """A click on a level does not take the keyboard from the list."""
    page = QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    field = QLineEdit()
    bar = GradeBar()
    bar.set_scale(scale_preset("binary"))
    column.addWidget(field)
    column.addWidget(bar)
    page.show()
    page.activateWindow()
    field.setFocus()
    qtbot.mouseClick(bar.levels[0], LEFT)
    assert page.focusWidget() is field


def test_right_to_left_mirrors_the_levels(bar):
    """With a language from right to left the lowest grade stands right."""
    bar.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    bar.resize(901, 60)
    assert bar.levels[0].x() > bar.levels[3].x()


@given(
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), min_size=1, max_size=8),
    st.integers(0, 2000),
)
def test_widths_fit_the_room_and_keep_their_least(pairs, room):
    """No name gets more than it wishes or less than its least; all fit when that is possible."""
    wished = [max(pair) for pair in pairs]
    least = [min(pair) for pair in pairs]
    widths = level_widths(wished, least, room)
    assert all(low <= width <= high for low, width, high in zip(least, widths, wished, strict=True))
    assert sum(widths) <= max(room, sum(least))


@pytest.mark.parametrize(("width", "is_beside"), [(1100, True), (420, False)])
def test_a_question_is_whole_with_its_answers_beside_or_under(qtbot, width, is_beside):
    """In little room it was a column of single words beside its buttons, cut above and below."""
    banner = Banner()
    qtbot.addWidget(banner)
    sentence = (
        "‘Marek’ is new in this project. Nothing that is asked of ‘marek’ is asked of you. " * 2
    )
    answers = (("as", "Judge as ‘marek’"), ("stay", "Stay ‘Marek’"))
    banner.set_content(BannerText("warn", sentence, answers))
    banner.resize(width, banner.height_at(width))
    with qtbot.waitExposed(banner):
        banner.show()
    text = banner.findChild(Text)
    assert text.height() >= text.heightForWidth(text.width())
    tops = {each.geometry().top() for each in banner.answers}
    assert len(tops) == 1
    assert (tops.pop() < text.geometry().bottom()) is is_beside
