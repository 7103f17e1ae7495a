"""The small dialogs: assessor, scale, new project, measures; through keys and clicks."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QWidget

from judgetool.core.scale import SCALE_PRESETS, numbered_scale, scale_preset
from judgetool.gui.dialogs.act_dialog import edit, held, line_of, push_button
from judgetool.gui.dialogs.by_hand import LevelDefinitions
from judgetool.gui.dialogs.choose import (
    AssessorDialog,
    Chooser,
    Choosers,
    MessageDialog,
    TextDialog,
    name_problem,
)
from judgetool.gui.dialogs.new_project import NewProjectDialog
from judgetool.gui.dialogs.project_values import MeasuresDialog, measure_names
from judgetool.gui.dialogs.scale_editor import OWN, ScaleEditor, parse_colour
from judgetool.gui.painting import scale_styles
from judgetool.gui.theme import LIGHT
from judgetool.gui.whatif.rules_dialog import ConditionLine
from judgetool.gui.widgets.fields import parse_typed_number
from judgetool.gui.widgets.flow import Scrolled, WrappedCheck, WrappedRadio
from judgetool.gui.widgets.painted import in_column
from judgetool.metrics import DEFAULT_MEASURES, parse_measure
from judgetool.session.commands import SetScale
from judgetool.session.edits import Along, MeanChange
from tests.gui.window_fixtures import listening
from tests.helpers.fake_prompter import FakePrompter

# A list of completions is a popup, which the offscreen platform lets be without a grab.
pytestmark = pytest.mark.qt_log_ignore("does not support grabbing", extend=True)

LEFT = Qt.MouseButton.LeftButton
ACCEPTED = QDialog.DialogCode.Accepted


@pytest.fixture
def show(qtbot):
    def shown(dialog):
        # A hidden one asks nothing when it is closed at the end.
        qtbot.addWidget(dialog, before_close_func=QWidget.hide)
        dialog.show()
        return dialog

    return shown


def type_into(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text) if text else qtbot.keyClick(field, Qt.Key.Key_Delete)


# Assessor


def test_a_name_is_typed_and_taken_by_enter(qtbot, show):
    """A name and Enter are all it takes."""
    dialog = show(AssessorDialog(""))
    qtbot.keyClicks(dialog.name, " anna ")
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == ACCEPTED
    assert dialog.answer == "anna"


def test_without_a_name_there_is_no_going_on(qtbot, show):
    """An empty name keeps the verb from being chosen, and says why."""
    dialog = show(AssessorDialog(""))
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert "A name is needed" in dialog.remark.text()


def test_a_known_name_is_chosen_from_the_list(qtbot, show):
    """Names that have judged are offered; the arrows choose one."""
    dialog = show(AssessorDialog("", ["anna", "ben"]))
    dialog.names.setFocus()
    qtbot.keyClick(dialog.names, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.names, Qt.Key.Key_Down)
    assert dialog.answer == "ben"


def test_a_typed_name_stays_when_the_list_of_names_gets_the_keyboard(qtbot, show):
    """Who judges under a new name and looks at the known ones judges under the new name."""
    dialog = show(AssessorDialog("", ["anna", "ben"]))
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClicks(dialog.name, "Dora")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is dialog.names
    assert dialog.answer == "Dora"


def test_enter_on_a_known_name_judges_under_it(qtbot, show):
    """Not under what was typed before."""
    dialog = show(AssessorDialog("", ["anna", "ben"]))
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClicks(dialog.name, "Dora")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Tab)
    qtbot.keyClick(dialog.names, Qt.Key.Key_Return)
    assert (dialog.result(), dialog.answer) == (ACCEPTED, "anna")


def test_a_new_name_is_said_to_be_new(qtbot, show):
    """A name that nobody has judged under is pointed out, lest it is a slip."""
    dialog = show(AssessorDialog("anna", ["anna"]))
    assert dialog.remark.text() == ""
    type_into(qtbot, dialog.name, "ana")
    assert dialog.remark.text() == "New in this project."
    assert dialog.verb.isEnabled()
    type_into(qtbot, dialog.name, "Anna")
    assert dialog.remark.text() == "New in this project: not ‘anna’."


@pytest.mark.parametrize(("is_from_here", "n_taken"), [(True, 2), (False, 2), (True, 0)])
def test_judgments_are_taken_along_only_where_they_were_given(qtbot, show, is_from_here, n_taken):
    """The box is offered for another name alone, and off; what stays is said below it."""

    def plan(name):
        return Along("Alyin", n_taken if name != "Alyin" else 0, 1, is_from_here)

    dialog = show(AssessorDialog("Alyin", ["Alyin"], plan))
    assert dialog.along.isHidden()
    type_into(qtbot, dialog.name, "Aylin")
    is_offered = is_from_here and n_taken > 0
    assert dialog.along.isHidden() is not is_offered
    assert dialog.takes_along is None
    if is_offered:
        assert dialog.along.text() == "&Take the 2 judgments that were given as Alyin along"
        assert dialog.stays.text().startswith("1 stays Alyin’s")
        dialog.along.setChecked(True)
        assert dialog.takes_along == plan("Aylin")
        type_into(qtbot, dialog.name, "Alyin")
        assert dialog.takes_along is None


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00b", "x" * 81])
def test_what_is_no_name(name):
    """Blank, broken over lines or endless names are refused in words."""
    assert name_problem(name).endswith(".")


# Scale


def row_of(dialog, grade):
    return next(row for row in dialog.rows if row.grade.text() == grade)


def test_a_preset_has_one_title(show, tmp_path):
    """Whether a project is made or its scale is edited, the same words stand for the same levels."""
    new = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    presets = show(ScaleEditor(scale_preset("0-3"))).presets
    offered = [presets.itemText(presets.findData(name)) for name in new.radios]
    assert offered == [radio.text() for radio in new.radios.values()]


@pytest.mark.parametrize("name", list(SCALE_PRESETS))
def test_a_preset_stays_as_it_is(show, name):
    """A preset that is opened and accepted comes out equal, name included."""
    assert show(ScaleEditor(SCALE_PRESETS[name])).answer == SCALE_PRESETS[name]


def test_choosing_a_preset_fills_the_table(qtbot, show):
    """Another preset replaces all levels."""
    dialog = show(ScaleEditor(scale_preset("binary")))
    dialog.presets.setFocus()
    dialog.presets.setCurrentIndex(dialog.presets.findData("esci"))
    dialog.presets.activated.emit(dialog.presets.currentIndex())
    assert dialog.answer == scale_preset("esci")


def test_a_level_can_be_named_anew(qtbot, show):
    """A level's name, gain and definition are what the fields say."""
    dialog = show(ScaleEditor(scale_preset("binary")))
    row = row_of(dialog, "1")
    type_into(qtbot, row.name, "Useful")
    type_into(qtbot, row.by_name["gain"], "2,5")
    level = dialog.answer.find_level(1)
    assert (level.name, level.gain) == ("Useful", 2.5)
    assert dialog.answer.name == "own"


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("grade", "x", "is not a number"),
        ("grade", "1", "must rise"),
        ("name", "", "needs a name"),
        ("gain", "-1", "must not be negative"),
        ("probability", "1.5", "between 0 and 1"),
        ("key", "1", "same key"),
        ("colour", "puce", "does not read like"),
    ],
)
def test_what_is_wrong_is_said_at_once(qtbot, show, field, text, words):
    """Each thing that makes no scale is said while it is typed, and the verb waits."""
    dialog = show(ScaleEditor(scale_preset("0-3")))
    type_into(qtbot, row_of(dialog, "2").by_name[field], text)
    assert words in dialog.remark.text()
    assert not dialog.verb.isEnabled()
    assert dialog.answer is None


def test_a_level_is_added_and_removed(qtbot, show):
    """A new level gets the next grade and a free key; it can be taken away again."""
    dialog = show(ScaleEditor(scale_preset("0-3")))
    qtbot.mouseClick(dialog.add, LEFT)
    assert "needs a name" in dialog.remark.text()
    qtbot.keyClicks(dialog.rows[-1].name, "Perfect")
    top = dialog.answer.levels[-1]
    assert (top.grade, top.key, top.name) == (4, "4", "Perfect")
    qtbot.mouseClick(dialog.rows[-1].remove, LEFT)
    assert dialog.answer == scale_preset("0-3")


def test_grades_that_go_get_another(qtbot, show):
    """A grade of judgments that the scale loses is asked about, the nearest proposed."""
    dialog = show(ScaleEditor(scale_preset("0-3"), {2.0: 4, 3.0: 41}))
    assert dialog.lost.choosers.fields == {}
    dialog.presets.setCurrentIndex(dialog.presets.findData("binary"))
    dialog.presets.activated.emit(dialog.presets.currentIndex())
    assert "45 judgments" in dialog.lost.head.text()
    chooser = dialog.lost.choosers.fields[2.0]
    chooser.setCurrentIndex(chooser.findData(0))
    chooser.activated.emit(chooser.currentIndex())
    assert dialog.command == SetScale(scale_preset("binary"), {2.0: 0, 3.0: 1})


def test_what_another_scale_does_to_the_values_is_said(qtbot, show):
    """Each mean that moves stands there before and after; of none that moves that is said."""
    moved = [
        MeanChange("bm25", "nDCG@10", 0.5, 0.25),
        MeanChange("tfidf", "AP", 0.4, 0.4),
        MeanChange("tfidf", "P@5", None, 0.2),
    ]
    asked = []
    dialog = show(
        ScaleEditor(scale_preset("0-3"), {3.0: 41}, lambda *given: asked.append(given) or moved)
    )
    dialog.presets.setCurrentIndex(dialog.presets.findData("binary"))
    dialog.presets.activated.emit(dialog.presets.currentIndex())
    qtbot.mouseClick(dialog.lost.show_values, LEFT)
    assert asked == [(scale_preset("binary"), {3.0: 1})]
    assert dialog.lost.values.text().splitlines() == [
        "bm25, nDCG@10: 0.5000 → 0.2500  (−0.2500)",
        "tfidf, P@5: – → 0.2000",
    ]
    del moved[0], moved[-1]
    qtbot.mouseClick(dialog.lost.show_values, LEFT)
    assert dialog.lost.values.text() == "No mean of the chosen measures changes."


def test_what_becomes_of_grades_is_seen_without_scrolling(qtbot, show):
    """The dialog grows with it: it stood half under the edge, and its values after that."""
    moved = [MeanChange(f"run {n}", "nDCG@10", 0.5, 0.25) for n in range(3)]
    dialog = show(ScaleEditor(scale_preset("0-3"), {3.0: 41}, lambda *_given: moved))
    dialog.resize(dialog.width(), 420)
    dialog.presets.setCurrentIndex(dialog.presets.findData("binary"))
    dialog.presets.activated.emit(dialog.presets.currentIndex())
    qtbot.mouseClick(dialog.lost.show_values, LEFT)
    last = dialog.lost.values
    qtbot.waitUntil(lambda: last.visibleRegion().boundingRect().height() == last.height())
    assert dialog.middle.verticalScrollBar().maximum() == 0


def test_all_that_another_scale_does_to_the_values_can_be_read(qtbot, show):
    """More means than have room scroll, by keys too; none is left out."""
    moved = [MeanChange(f"run {n}", "nDCG@10", 0.5, 0.25) for n in range(16)]
    dialog = show(ScaleEditor(scale_preset("0-3"), {3.0: 41}, lambda *_given: moved))
    dialog.presets.setCurrentIndex(dialog.presets.findData("binary"))
    dialog.presets.activated.emit(dialog.presets.currentIndex())
    qtbot.mouseClick(dialog.lost.show_values, LEFT)
    assert len(dialog.lost.values.text().splitlines()) == 16
    area = dialog.lost.values.parentWidget().parentWidget()
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert area.accessibleName() == "What happens to the values"
    area.setFocus()
    for _ in range(20):
        qtbot.keyClick(area, Qt.Key.Key_PageDown)
    assert area.verticalScrollBar().value() == area.verticalScrollBar().maximum()


def test_a_level_with_another_number_takes_its_judgments_along(qtbot, show):
    """Who writes 5 where 3 stood is proposed that grade 3 becomes 5."""
    dialog = show(ScaleEditor(scale_preset("0-3"), {3.0: 41}))
    type_into(qtbot, row_of(dialog, "3").grade, "5")
    assert dialog.command.mapping == {3.0: 5}


def test_a_used_grade_that_does_not_read_is_said_and_proposes_nothing(qtbot, show):
    """While its field holds no number nothing is proposed; a new level takes no judgments along."""
    dialog = show(ScaleEditor(scale_preset("0-3"), {3.0: 41}))
    type_into(qtbot, row_of(dialog, "3").grade, "")
    assert dialog.remark.text()
    assert dialog.command is None
    type_into(qtbot, dialog.rows[-1].grade, "5")
    qtbot.mouseClick(dialog.add, LEFT)
    qtbot.keyClicks(dialog.rows[-1].name, "Perfect")
    assert dialog.command.mapping == {3.0: 5}


def test_grades_that_what_ifs_assume_are_mapped_and_counted(show):
    """They follow the judgments; where only they have a grade they are asked of like judgments."""
    dialog = show(ScaleEditor(scale_preset("binary"), {3.0: 41}, assumed={3.0: 2}))
    assert dialog.lost.more.text() == "2 assumed grades of what-ifs follow."
    dialog = show(ScaleEditor(scale_preset("binary"), {1.0: 41}, assumed={2.0: 1}))
    assert dialog.lost.head.text().startswith("1 assumed grade of what-ifs is not on this scale.")
    assert dialog.command.mapping == {2.0: 1}


def test_code_and_symbol_are_part_of_a_level(qtbot, show):
    """A code stands for the number on chips, a symbol for the disc."""
    dialog = show(ScaleEditor(scale_preset("binary")))
    row = row_of(dialog, "1")
    type_into(qtbot, row.by_name["code"], "R")
    row.by_name["symbol"].setText("✓")
    level = dialog.answer.find_level(1)
    assert (level.label, level.symbol) == ("R", "✓")
    assert scale_styles(dialog.answer, LIGHT)[1].text == "R"


def test_a_scale_can_be_continuous(show):
    """With the switch every number between the levels is a grade, and nothing is lost."""
    dialog = show(ScaleEditor(scale_preset("0-3"), {0.5: 2}))
    assert dialog.lost.mapping == {0.5: 0}
    dialog.continuous.setChecked(True)
    assert dialog.answer.has_grade(2.25)
    assert dialog.lost.mapping == {}


def test_relevant_from_is_chosen_among_the_levels(show):
    """'Relevant from' offers every level but the lowest, and is part of the answer."""
    dialog = show(ScaleEditor(scale_preset("0-3")))
    assert [dialog.relevant.itemData(place) for place in range(3)] == [1, 2, 3]
    dialog.relevant.setCurrentIndex(1)
    assert dialog.answer.relevant_from == 2


def test_a_colour_that_is_hard_to_see_is_named(qtbot, show):
    """A colour below 3:1 is allowed, with the nearest that can be seen."""
    dialog = show(ScaleEditor(scale_preset("binary")))
    type_into(qtbot, row_of(dialog, "1").colour, "#ffff66")
    assert "hard to see on the light theme" in dialog.advice.text()
    assert dialog.answer.levels[1].colour == "#ffff66"


def test_levels_typed_in_any_order_are_sorted(qtbot, show):
    """A grade between others makes a scale whatever row it stands in."""
    dialog = show(ScaleEditor(scale_preset("binary")))
    qtbot.mouseClick(dialog.add, LEFT)
    row = dialog.rows[-1]
    qtbot.keyClicks(row.name, "Half")
    type_into(qtbot, row.grade, "0.5")
    assert [level.name for level in dialog.answer.levels] == ["Not relevant", "Half", "Relevant"]


@pytest.mark.parametrize(
    ("text", "number"), [("2", 2.0), ("0,5", 0.5), (" −1 ", -1.0), ("nan", None), ("", None)]
)
def test_numbers_as_people_type_them(text, number):
    """Decimal comma and true minus are read; what is no number is none."""
    assert parse_typed_number(text) == number


@pytest.mark.parametrize(
    ("text", "colour"),
    [("", ""), ("#1F5FAE", "#1f5fae"), ("1f5fae", "#1f5fae"), ("abc", "#aabbcc"), ("red", None)],
)
def test_colours_as_people_type_them(text, colour):
    """Hex with or without its sign is a colour; names are not."""
    assert parse_colour(text) == colour


# New project


def test_the_file_follows_the_title(qtbot, show, tmp_path):
    """The file's name comes from the title, with what no file system takes replaced."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    qtbot.keyClicks(dialog.title, "Soup: a/b")
    assert dialog.answer.path == tmp_path / "Soup- a-b.judge"
    assert dialog.answer.title == "Soup: a/b"


def test_a_name_that_is_taken_is_counted_on(show, tmp_path):
    """The suggested file never stands on another."""
    (tmp_path / "recipes.judge").write_text("")
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    assert dialog.answer.path == tmp_path / "recipes 2.judge"


def test_a_file_that_stands_there_is_not_taken(qtbot, show, tmp_path):
    """A path that exists keeps the verb from being chosen."""
    (tmp_path / "x.judge").write_text("")
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    type_into(qtbot, dialog.place, str(tmp_path / "x"))
    assert "stands there already" in dialog.remark.text()
    assert not dialog.verb.isEnabled()


@pytest.mark.parametrize("place", ["", "relative.judge", "{tmp}/no such folder/x.judge"])
def test_a_place_that_cannot_be(qtbot, show, tmp_path, place):
    """A missing folder or a relative path is said in words."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    type_into(qtbot, dialog.place, place.format(tmp=tmp_path))
    assert dialog.remark.text().endswith(".")
    assert not dialog.verb.isEnabled()


def test_the_place_can_be_chosen(qtbot, show, tmp_path):
    """Choose… asks the prompter, and a later title does not move the file again."""
    chosen = tmp_path / "elsewhere.judge"
    dialog = show(NewProjectDialog(FakePrompter(places=[chosen]), folder=tmp_path))
    qtbot.mouseClick(dialog.choose, LEFT)
    qtbot.keyClicks(dialog.title, "Other")
    assert dialog.answer.path == chosen


def test_a_scale_is_chosen(qtbot, show, tmp_path):
    """The scale is the chosen preset; 0-3 unless something else is chosen."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    assert dialog.answer.scale == scale_preset("0-3")
    radio = dialog.radios["yandex"]
    qtbot.mouseClick(radio, LEFT, pos=radio.rect().center() - radio.rect().center() / 2)
    assert dialog.answer.scale == scale_preset("yandex")


def test_an_own_scale_is_offered_and_chosen(show, tmp_path):
    """A scale that was edited stands among the choices, once."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    own = replace(scale_preset("binary"), name="own", relevant_from=1)
    levels = (own.levels[0]._replace(name="No"), own.levels[1])
    dialog.set_own_scale(replace(own, levels=levels))
    dialog.set_own_scale(replace(own, levels=levels))
    assert dialog.answer.scale.levels[0].name == "No"
    assert len(dialog.radios) == len(SCALE_PRESETS) + 1


def test_an_own_scale_is_seen_once_it_is_offered(qtbot, show, tmp_path):
    """On a low screen the choices scroll: to the one that has come, with its levels."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    dialog.resize(820, 420)
    dialog.set_own_scale(numbered_scale("own", "ABCDEFG"))
    radio, area = dialog.radios[OWN], dialog.findChild(Scrolled)

    def is_seen():
        top = radio.mapTo(area.viewport(), QPoint(0, 0)).y()
        return top >= 0 and top + 2 * radio.height() <= area.viewport().height()

    qtbot.waitUntil(is_seen)


def test_enter_makes_the_project(qtbot, show, tmp_path):
    """Enter in the title is the verb."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    qtbot.keyClick(dialog.title, Qt.Key.Key_Return)
    assert dialog.result() == ACCEPTED


# Measures


def names(dialog):
    return [str(measure) for measure in dialog.answer]


def test_measures_come_out_as_they_went_in(show):
    """Accepting without a change gives the same measures in the same order."""
    assert show(MeasuresDialog(DEFAULT_MEASURES)).answer == tuple(DEFAULT_MEASURES)


def test_a_measure_is_added_by_name(qtbot, show):
    """A name and Enter add a measure, and Enter does not end the dialog."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    dialog.field.setFocus()
    qtbot.keyClicks(dialog.field, "ndcg_cut_20")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert names(dialog) == ["AP", "nDCG@20"]
    assert dialog.isVisible()


def test_a_slip_is_answered_with_the_nearest_name(qtbot, show):
    """What is no measure is said, with the nearest that is."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    qtbot.keyClicks(dialog.field, "nDGC@10")
    qtbot.mouseClick(dialog.add, LEFT)
    assert "nDCG" in dialog.complaint.text()
    assert names(dialog) == ["AP"]


def test_a_measure_is_shown_once(qtbot, show):
    """Adding what is shown already adds nothing."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    qtbot.keyClicks(dialog.field, "MAP")
    qtbot.mouseClick(dialog.add, LEFT)
    assert names(dialog) == ["AP"]
    assert "already" in dialog.complaint.text()


def type_a_measure(qtbot, dialog, text):
    """Type a name, so that names are offered under it."""
    dialog.activateWindow()
    type_into(qtbot, dialog.field, text)
    qtbot.waitUntil(dialog.field.offers.shown.isVisible)


def click_through(dialog, button):
    """Click where a button is, as the system tells the window of it: what is open above takes it first."""
    at = button.mapTo(dialog, button.rect().center())
    QTest.mouseClick(dialog.windowHandle(), LEFT, Qt.KeyboardModifier.NoModifier, at)


def test_the_first_click_on_add_adds_what_is_typed(qtbot, show):
    """It is not lost to the names that are offered."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    type_a_measure(qtbot, dialog, "DCG@10")
    click_through(dialog, dialog.add)
    qtbot.waitUntil(lambda: names(dialog) == ["AP", "DCG@10"])
    assert not dialog.field.offers.shown.isVisible()
    assert dialog.field.text() == ""


def test_enter_closes_the_names_that_are_offered(qtbot, show):
    """Also where nothing is added: what is said of it stands under them."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    type_a_measure(qtbot, dialog, "DC")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert not dialog.field.offers.shown.isVisible()
    assert "DC" in dialog.complaint.text()


def test_ctrl_enter_in_the_field_shows_the_measures(qtbot, show):
    """Right after Enter added one, and while names are offered, to which keys go first."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    type_a_measure(qtbot, dialog, "DCG@10")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (dialog.result(), names(dialog)) == (ACCEPTED, ["AP", "DCG@10"])
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    type_a_measure(qtbot, dialog, "DCG@10")
    offers = dialog.field.offers.shown
    qtbot.keyClick(offers, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (dialog.result(), names(dialog)) == (ACCEPTED, ["AP", "DCG@10"])


@pytest.mark.parametrize("start", [["AP"], []])
def test_the_verb_shows_what_is_still_only_typed(qtbot, show, start):
    """What stands in the field is shown, too, also where it is the only one."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    if not start:
        qtbot.mouseClick(dialog.remove, LEFT)
    type_a_measure(qtbot, dialog, "DCG@10")
    click_through(dialog, dialog.verb)
    qtbot.waitUntil(lambda: dialog.result() == ACCEPTED)
    assert names(dialog) == [*start, "DCG@10"]


def test_the_verb_keeps_what_is_typed_and_is_no_measure(qtbot, show):
    """The dialog says what is wrong with it, and stays open; without it, it closes."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    qtbot.keyClicks(dialog.field, "nDGC@10")
    qtbot.mouseClick(dialog.verb, LEFT)
    assert dialog.isVisible()
    assert "nDCG" in dialog.complaint.text()
    assert dialog.field.selectedText() == "nDGC@10"
    dialog.field.clear()
    qtbot.mouseClick(dialog.verb, LEFT)
    assert dialog.result() == ACCEPTED
    assert names(dialog) == ["AP"]


def test_the_verb_takes_what_is_typed_and_shown_already(qtbot, show):
    """Nothing is lost with it."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    qtbot.keyClicks(dialog.field, "MAP")
    qtbot.mouseClick(dialog.verb, LEFT)
    assert dialog.result() == ACCEPTED
    assert names(dialog) == ["AP"]


def test_measures_are_moved_and_removed_by_keys(qtbot, show):
    """Alt with the arrows moves, Del removes."""
    dialog = show(MeasuresDialog([parse_measure(name) for name in ("AP", "RR", "P@5")]))
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert names(dialog) == ["RR", "AP", "P@5"]
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    assert names(dialog) == ["RR", "P@5"]


def test_one_measure_must_stay(qtbot, show):
    """Without any measure the verb waits."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    qtbot.mouseClick(dialog.remove, LEFT)
    assert not dialog.verb.isEnabled()
    assert "At least one" in dialog.remark.text()


def test_the_definition_stands_beside(qtbot, show):
    """The current measure's formula and help are shown, and those of what is typed."""
    dialog = show(MeasuresDialog([parse_measure("AP")]))
    spec = parse_measure("AP").spec
    assert dialog.help_formula.text() == spec.formula
    qtbot.keyClicks(dialog.field, "nDCG@10")
    assert dialog.help_text.text() == parse_measure("nDCG@10").spec.help


def test_every_completion_is_a_measure():
    """All spellings that are offered parse, and every measure is among them."""
    offered = [parse_measure(name) for name in measure_names()]
    assert len({measure.name for measure in offered}) >= 10
    assert [str(measure) for measure in offered] == measure_names()


# Long names


def test_a_long_name_of_a_level_leaves_its_meaning_room(show):
    """The definition has a readable width beside a name of sixty letters."""
    dialog = show(LevelDefinitions(numbered_scale("long", ["n" * 60, "m" * 60])))
    said = [each for each in dialog.findChildren(QLabel) if "Counts as" in each.text()]
    assert [each.width() >= 240 for each in said] == [True, True]


def test_a_long_name_of_a_field_leaves_the_rule_its_text(show):
    """What is looked for can be read while it is written."""
    given = {"field": "f" * 60, "match": "regex", "text": ""}
    row = ConditionLine(["f" * 60, "title"], "where", given)
    row.resize(600, 40)
    assert show(row).text.width() >= 90


def test_a_long_grade_of_a_file_leaves_its_choice_whole(show):
    """The list beside it ends within the window."""
    asked = Choosers(lambda _key, _value: None, width=150)
    asked.ask([Chooser("k", "w" * 60, [("left out", None)], None, "Grade of the file")])
    asked.resize(300, 60)
    assert show(asked).fields["k"].geometry().right() <= 300


def test_who_answers_by_arrows_goes_on_answering(qtbot):
    """Asked anew with the answer, the list keeps the keyboard; Tab comes by where it is seen."""
    options = [("people", "people"), ("a model", "model"), ("settled", "settled")]

    def asked_with(answer):
        return [Chooser("whose", "Whose?", options, answer, "Whose")]

    asked = Choosers(lambda _key, answer: asked.ask(asked_with(answer)))
    host, above, below = QWidget(), QLineEdit(), QLineEdit()
    in_column(above, asked, below, host=host)
    qtbot.addWidget(host)
    asked.ask(asked_with("people"))
    with qtbot.waitActive(host):
        host.show()
    above.setFocus()
    qtbot.keyClick(above, Qt.Key.Key_Tab)
    for _ in range(2):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    assert QApplication.focusWidget() is asked.fields["whose"]
    assert asked.fields["whose"].currentData() == "settled"
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert below.hasFocus()


# What breaks where width is lacking


@pytest.fixture
def line(qtbot):
    """A label with its field, room, a button, and a field that takes what is left."""
    shown = held(line_of("&From", edit(), None, push_button("A button with many words"), edit(), 1))
    qtbot.addWidget(shown)
    shown.show()
    return shown


def tops_of(shown):
    """Return the middle of each part from above, in the order in which they were put."""
    kinds = (QLabel, QLineEdit, QPushButton)
    parts = [each for each in shown.findChildren(QWidget) if isinstance(each, kinds)]
    return [part.geometry().center().y() for part in parts]


def test_a_line_that_has_room_stays_one(line):
    """Labels, fields and buttons stand beside each other, the last field up to the end."""
    line.resize(1200, line.heightForWidth(1200))
    assert max(tops_of(line)) - min(tops_of(line)) <= 1
    assert line.findChildren(QLineEdit)[-1].geometry().right() == 1199


def test_a_line_that_lacks_room_breaks_and_a_label_stays_with_its_field(line):
    """What follows goes onto further lines, each as wide as it wishes, and the line says how high."""
    line.resize(260, line.heightForWidth(260))
    label, field = line.findChild(QLabel), line.findChildren(QLineEdit)[0]
    button, last = line.findChild(QPushButton), line.findChildren(QLineEdit)[-1]
    assert abs(label.geometry().center().y() - field.geometry().center().y()) <= 1
    assert field.geometry().bottom() < button.y() < last.y()
    assert last.geometry().bottom() < line.height()
    assert button.width() >= button.sizeHint().width()


@pytest.mark.parametrize("kind", [WrappedCheck, WrappedRadio])
def test_a_box_says_its_words_on_as_many_lines_as_they_need(qtbot, kind):
    """A narrow one is higher, a click on any of its lines counts, and its longest word fits."""
    box = kind("Queries that no run has &ranked count as nought in every mean of the table")
    qtbot.addWidget(box)
    box.show()
    wide = box.sizeHint()
    narrow = wide.width() // 3
    assert box.heightForWidth(wide.width()) == wide.height()
    assert box.heightForWidth(narrow) > 2 * wide.height()
    assert box.minimumSizeHint().width() < narrow
    box.resize(narrow, box.heightForWidth(narrow))
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(narrow // 2, box.height() - 4))
    assert box.isChecked()


def test_a_level_of_a_scale_takes_two_lines_where_one_is_too_narrow(qtbot, show):
    """Its name is above, its gain below; where there is room again it has one line."""
    dialog = show(ScaleEditor(scale_preset("0-3")))
    name, gain = dialog.rows[-1].name, dialog.rows[-1].by_name["gain"]
    for width, is_below in ((1040, False), (640, True), (1040, False)):
        dialog.resize(width, 600)
        qtbot.waitUntil(lambda wanted=is_below: (gain.y() > name.geometry().bottom()) is wanted)


# Texts that are written


def test_esc_asks_before_it_discards_what_was_written(hands, show):
    """Whoever goes on writing finds the text as it was."""
    dialog = show(TextDialog("Note", "", verb="Keep note"))
    hands.window = dialog
    hands.see(dialog.field.hasFocus)
    hands.type("It names another dish.")
    hands.answers = [(MessageDialog, lambda _asked: hands.press(Qt.Key.Key_Escape))]
    hands.press(Qt.Key.Key_Escape)
    assert dialog.isVisible()
    hands.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (dialog.result(), dialog.answer) == (ACCEPTED, "It names another dish.")


def test_what_was_written_is_discarded_where_somebody_says_so(hands, show):
    """By the button of the question."""
    dialog = show(TextDialog("Note", "as it was", verb="Keep note"))
    hands.window = dialog
    hands.see(dialog.field.hasFocus)
    hands.type("changed", over=True)

    def discard(asked):
        hands.walk_to(asked.verb)
        hands.press(Qt.Key.Key_Return)

    hands.answers = [(MessageDialog, discard)]
    hands.press(Qt.Key.Key_Escape)
    assert not hands.answers
    assert not dialog.isVisible()
    assert not dialog.result()


def test_esc_asks_nothing_where_nothing_was_written(hands, show):
    """The text stands as it stood."""
    dialog = show(TextDialog("Note", "as it was", verb="Keep note"))
    hands.window = dialog
    hands.see(dialog.field.hasFocus)
    hands.press(Qt.Key.Key_Escape)
    assert not dialog.isVisible()


# What a reader is told of scales


def test_a_scale_is_heard_with_its_levels(show, tmp_path):
    """As they are painted below it; and the example in a field is called one."""
    dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
    said = [
        QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Description)
        for widget in (dialog.radios["0-3"], dialog.title)
    ]
    levels = "Not relevant, Slightly relevant, Relevant, Highly relevant"
    assert said == [f"Levels: {levels}", "Example: recipes"]


def test_what_a_level_means_begins_with_its_key_and_name(show):
    """Also where a reader comes to the text alone."""
    dialog = show(LevelDefinitions(scale_preset("0-3")))
    heard = [each.accessibleName() for each in dialog.findChildren(QLabel)]
    assert (
        "3 Highly relevant: Made for this need; answers it fully. Counts as relevant; gain 3."
        in heard
    )


def test_another_scale_is_said_once_the_dialog_is_back(qtbot, hands, show, tmp_path):
    """‘Use this scale’ closes its window: nothing else tells that it is used."""
    with listening() as said:
        dialog = show(NewProjectDialog(FakePrompter(), folder=tmp_path))
        hands.answers = [(ScaleEditor, lambda editor: editor.accept())]
        dialog.edit.click()
        qtbot.waitUntil(lambda: any(each.startswith("Levels: Not relevant, ") for each in said))
