"""The window in another language: longer, from right to left, with other signs in its numbers."""

import re
from collections import Counter
from contextlib import suppress

import pytest
from PySide6.QtCore import QAbstractListModel, QLocale, QModelIndex, Qt, QTranslator
from PySide6.QtGui import QAccessible, QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from judgetool.core.catalogues import read_catalogue
from judgetool.core.rankings import Replace, describe_step
from judgetool.core.scale import scale_preset
from judgetool.errors import UsageError
from judgetool.gui import painting
from judgetool.gui.actions import Mode
from judgetool.gui.app import speak_qt
from judgetool.gui.compare.dialogs import SignificanceDialog
from judgetool.gui.dialogs.finding import clock_text
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.scale_editor import ScaleEditor
from judgetool.gui.jobs import Jobs
from judgetool.gui.models.result_model import queue_text
from judgetool.gui.painting import format_count, format_value, plain_cell
from judgetool.gui.table_copy import as_sheet
from judgetool.gui.theme import install_fonts
from judgetool.gui.whatif.rules_dialog import RuleEditor, rule_of
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.small_charts import BarRows
from judgetool.gui.window_state import when_in_words
from judgetool.metrics.comparison import ComparisonRules
from judgetool.session.comparing.trial import RulesTrial
from judgetool.session.history import title_in_words
from judgetool.session.opening import create_project, open_project
from judgetool.session.queue import OrderPolicy, set_order
from judgetool.session.whatifs.book import find_whatif
from judgetool.session.whatifs.editing import create_whatif
from judgetool.session.whatifs.rules import Rule
from judgetool.settings import Settings, save_settings
from judgetool.wording import Language, local_number, speak
from tests.gui.everywhere import each_part, look_at_dialogs
from tests.gui.test_window_state import cut_across, cut_texts, still_cut_texts
from tests.gui.window_fixtures import CTRL, opened_window, press
from tests.helpers.builders import lay_judged_sample, open_sample
from tests.helpers.fake_prompter import FakePrompter

SIGNS = """
msgid ""
msgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgctxt "between thousands"
msgid ","
msgstr "."

msgctxt "before decimals"
msgid "."
msgstr ","

msgctxt "a day as Qt writes it"
msgid "d MMM"
msgstr "d. MMM"
"""


# What widgets say by themselves, and models of each cell.
_SAYING = ("text", "title", "windowTitle", "placeholderText", "toolTip")
_SAYING += ("accessibleName", "accessibleDescription")
_TOP = QModelIndex()
_ROLES = [Qt.ItemDataRole[f"{role}Role"] for role in ("Display", "ToolTip", "AccessibleText")]
# Names of keys, measures, tests, languages and formats, what programs read, and what stands in paths.
_NAMES = r"""\b(?:Alt|Backspace|Del|Down|End|Esc|Home|Ins|Return|Shift|Space|Up|AP|RBO|UTF|Holm|All|
    Python|Linux|offscreen|judgetool|trec_eval|ir_measures|html|overlap|English|Deutsch|data|postgresql|binary
    |yandex|esci|wands)\b|\b(?:over|rel):\ |'\w+'|^(?:title|id|url|body)$"""
_OF_ENGLISH = r"(?<![\w.])\d+\.(?!\d{3}\b)\d+(?![\w.])|‘[^’]*’"
_SHOWING_FILES = ("PreviewTable", "QHeaderView")
_MADE_HERE = r"^(?:Open twice|Somebody else has the project|Save a copy|Leave it as it is)"


@pytest.fixture
def spoken_there(speaks):
    """The same with the direction of its letters, which is left to right again at the end."""

    def speak_language(code):
        speaks(code)
        is_leftward = code == "xr"
        sides = Qt.LayoutDirection
        QApplication.setLayoutDirection(sides.RightToLeft if is_leftward else sides.LeftToRight)

    yield speak_language
    QApplication.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    painting.state_style.cache_clear()


@pytest.mark.parametrize("code", ["xx", "xr"])
def test_another_language_is_whole_in_every_view_and_dialog(qtbot, tmp_path, spoken_there, code):
    """Two fifths longer, or in letters that run leftward: every sentence has the lines that it needs."""
    lay_judged_sample(tmp_path)
    spoken_there(code)
    wrong = {}
    with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1366, 768)) as window:
        for mode in Mode:
            window.views.show(mode)
            qtbot.waitUntil(lambda: window.jobs.is_idle)
            qtbot.waitUntil(lambda: not cut_texts(window))

        def look(title, dialog):
            if found := still_cut_texts(qtbot, dialog):
                wrong[title] = found

        look_at_dialogs(window, qtbot.waitUntil, look)
    assert wrong == {}


@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_the_head_of_compare_cuts_no_choice(qtbot, tmp_path, spoken_there, code):
    """On a small laptop all that can be chosen is read whole; buttons lose their words before."""
    lay_judged_sample(tmp_path)
    spoken_there(code)
    with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1366, 768)) as window:
        window.views.show(Mode.COMPARE)
        head = window.views.page(Mode.COMPARE).head
        choosers = (head.baseline, head.queries, head.view)
        for place in range(head.view.count()):
            head.view_chosen.emit(head.view.itemData(place))
            qtbot.waitUntil(lambda place=place: head.view.currentIndex() == place)
            qtbot.waitUntil(lambda: all(each.shown == each.currentText() for each in choosers))


def test_a_narrow_head_of_compare_cuts_sentences_at_their_end(qtbot, tmp_path, spoken_there):
    """They begin as they are read, and are whole in the tooltip and for a screen reader."""
    lay_judged_sample(tmp_path)
    spoken_there("ru")
    with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(960, 600)) as window:
        window.views.show(Mode.COMPARE)
        view = window.views.page(Mode.COMPARE).head.view
        whole = view.currentText()
        qtbot.waitUntil(lambda: view.shown != whole)
        assert view.shown.endswith("…")
        assert view.tip.startswith(whole)
        assert QAccessible.queryAccessibleInterface(view).text(QAccessible.Text.Value) == whole


def test_in_large_text_of_a_long_language_no_dialog_scrolls_sideways(qtbot, tmp_path, spoken_there):
    """At 200 % on a screen of 1280 x 800 lines break, and all that is said is whole."""
    lay_judged_sample(tmp_path)
    save_settings(Settings(extra_px=13))
    spoken_there("xx")
    wrong = {}

    def look(title, dialog):
        dialog.resize(1280, 776)
        with suppress(qtbot.TimeoutError):
            qtbot.waitUntil(lambda: not cut_across(dialog) + cut_texts(dialog), timeout=500)
        if found := cut_across(dialog) + cut_texts(dialog):
            wrong[title] = found

    try:
        with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1280, 720)) as window:
            look_at_dialogs(window, qtbot.waitUntil, look)
        assert wrong == {}
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_queries_shown_in_a_narrow_window_cover_nothing(qtbot, tmp_path, spoken_there, language):
    """In large text and longer words, too, list, document and grades stand whole beside them."""
    lay_judged_sample(tmp_path)
    save_settings(Settings(extra_px=7))
    spoken_there(language)
    try:
        with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1000, 640)) as window:
            queries, middle = window.docks.queries, window.centralWidget()
            assert queries.isHidden()
            window.actions_by_name.action("edit.filter").trigger()
            qtbot.waitUntil(queries.isVisible)
            pills = window.queries.pills.values()
            qtbot.waitUntil(lambda: all(not pill.visibleRegion().isEmpty() for pill in pills))
            assert not queries.geometry().intersects(middle.geometry())
            assert middle.width() >= middle.minimumSizeHint().width()
            assert window.docks.side.geometry().left() >= middle.geometry().right()
    finally:
        install_fonts(QApplication.instance())


def test_no_english_is_left_in_any_view_or_dialog(qtbot, tmp_path, spoken_there):
    """Whatever is seen, heard or shown of a place under the pointer is marked, but for data."""
    lay_judged_sample(tmp_path)
    spoken_there("xx")
    bare = {}
    with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1366, 768)) as window:
        data = re.compile("|".join(map(re.escape, data_of(window.session))))

        def look(title, top):
            for place, text in texts_of(top):
                if (words := bare_words(text, data)) and not re.search(_MADE_HERE, text):
                    bare.setdefault(" ".join(words), f"{title}, {place}: {text}")

        for part in each_part(window, qtbot.waitUntil):
            look(part, window)
        look_at_dialogs(window, qtbot.waitUntil, look)
    assert bare == {}


@pytest.mark.usefixtures("spoken_by_qt")
def test_no_signs_of_english_are_left_in_any_view_or_dialog(qtbot, qapp, tmp_path, spoken_there):
    """No point before decimals and no English quotes; but in what is previewed of a file."""
    lay_judged_sample(tmp_path)
    spoken_there("de")
    speak_qt(qapp)
    found = {}

    def look(title, top):
        for place, text in texts_of(top):
            # A version of a licence is no number.
            bare = text.replace("Apache 2.0", "") if isinstance(text, str) else ""
            if place not in _SHOWING_FILES and re.search(_OF_ENGLISH, bare):
                found.setdefault(text, f"{title}, {place}")

    with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1366, 768)) as window:
        for part in each_part(window, qtbot.waitUntil):
            look(part, window)
        look_at_dialogs(window, qtbot.waitUntil, look)
    assert found == {}


def data_of(session):
    """Return what a project says of itself, the longest first: that stays as it is."""
    material = session.material
    texts = material.show_documents(list(material.document_ids()))
    found = {each.title for each in texts} | {run.name for run in material.runs}
    for query in material.queries:
        found |= {query.id, query.text, query.description, query.narrative}
    found |= {text for level in session.scale.levels for text in (level.name, level.definition)}
    found |= {said.judgment.note for _, _, said, _ in session.iter_judgments()}
    found |= {"recipes", "judgments.csv", "cuisine", "minutes", "course", "anna", "ben"}
    found |= {text.lower() for text in found}
    return sorted(filter(lambda text: len(text) > 2, found), key=len, reverse=True)


def texts_of(top):
    """Yield where something is said within a window, and what."""
    for widget in (top, *top.findChildren(QWidget)):
        if widget is not top and not widget.isVisibleTo(top):
            continue
        holds_data = isinstance(widget, QLineEdit | QTextEdit | QPlainTextEdit)
        for name in _SAYING:
            said = getattr(widget, name, None)
            if callable(said) and not (holds_data and name == "text"):
                yield f"{type(widget).__name__}.{name}", said()
        if isinstance(widget, QTabBar):
            yield from (("tab", widget.tabText(place)) for place in range(widget.count()))
        if isinstance(widget, QComboBox | QAbstractItemView) and widget.model() is not None:
            yield from ((type(widget).__name__, text) for text in cells_of(widget.model()))
    yield from (("action", action.text()) for action in top.findChildren(QAction))


def cells_of(model, parent=_TOP, most=60):
    """Yield what the heads and the first rows of a model say."""
    # PySide has no way to a list's own count of columns.
    n_columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    if not parent.isValid():
        yield from (model.headerData(at, Qt.Orientation.Horizontal) for at in range(n_columns))
    for row in range(min(model.rowCount(parent), most)):
        for column in range(n_columns):
            yield from (model.index(row, column, parent).data(role) for role in _ROLES)
        yield from cells_of(model, model.index(row, 0, parent), 20)


def bare_words(text, data):
    """Return the words of what is shown that no language has touched: all others have accents."""
    if not isinstance(text, str):
        return []
    lines = re.sub(r"<[^>]*>|&\w+;|\s+", " ", text.replace("\u200b", ""))
    plain = re.sub(r"\S*[@_(=]\S*", " ", data.sub(" ", re.sub(r"(?<=\w)- ", "-", lines)))
    words = re.findall(
        r"(?<![\w{/.·-])[A-Za-z]{2,}(?![\w}])", re.sub(_NAMES, " ", plain, flags=re.VERBOSE)
    )
    return [word for word in words if re.search("[aeiouy]", word, re.IGNORECASE)]


@pytest.fixture
def decimal_commas(speaks):
    """English with the signs of German."""
    speaks("en")
    speak(read_catalogue(SIGNS, "de"))


@pytest.fixture
def spoken_by_qt(qapp):
    """Whatever Qt has learnt is forgotten at the end."""
    before = QLocale()
    yield
    QLocale.setDefault(before)
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)


@pytest.mark.usefixtures("spoken_by_qt")
def test_fields_for_numbers_have_the_signs_of_the_language(qtbot, qapp, spoken_there):
    """What stands in them is read as it is written."""
    spoken_there("de")
    speak_qt(qapp)
    dialog = SignificanceDialog(ComparisonRules())
    qtbot.addWidget(dialog)
    assert (dialog.draws.text(), dialog.alpha.text()) == ("100.000", "0,050")
    dialog.alpha.lineEdit().setText("0,010")
    assert dialog.answer.alpha == 0.01


@pytest.mark.parametrize(
    ("language", "typed", "kept"),
    [
        ("de", "19,99", "19.99"),
        ("de", "1.000", "1000"),
        ("ru", "1 000,5", "1000.5"),
        ("en", "19,99", "19.99"),
        ("en", "1,000", "1000"),
        ("en", "1.000", "1.000"),
    ],
)
def test_limits_of_rules_are_typed_as_in_the_language(qtbot, spoken_there, language, typed, kept):
    """Kept with a decimal point, and shown with the signs of the language again."""
    spoken_there(language)
    editor = RuleEditor(("title", "price"))
    qtbot.addWidget(editor)
    draft = {"action": "remove", "where": [{"field": "price", "match": "<", "text": "5"}]}
    editor.show_draft(draft)
    editor.lines[0].text.setText(typed)
    assert editor.draft["where"][0]["text"] == kept
    editor.show_draft(editor.draft)
    assert editor.lines[0].text.text() == local_number(kept)
    assert editor.draft["where"][0]["text"] == kept


@pytest.mark.usefixtures("decimal_commas")
def test_a_limit_that_is_none_is_told_of_the_sign_that_the_field_takes():
    """Whoever wrote a decimal comma is not sent to the point, which parts thousands there."""
    where = [{"field": "Preis", "match": "<", "text": "1299,00 EUR"}]
    with pytest.raises(UsageError, match="a number with a decimal comma, or a date"):
        rule_of({"action": "remove", "where": where})


@pytest.mark.usefixtures("decimal_commas")
def test_formulas_keep_the_point_in_every_language(qtbot):
    """Their field says so, and so do their sliders, moved or not."""
    editor = RuleEditor(("title", "price"))
    qtbot.addWidget(editor)
    editor.show_draft({"action": "score", "formula": "score * 0.3", "where": []})
    assert "decimal point" in editor.formula.placeholderText()
    (slider,) = editor.sliders.sliders
    assert editor.sliders.findChild(Text).text() == "0.3"
    slider.setValue(120)
    assert editor.sliders.findChild(Text).text() == "0.36"


def test_numbers_of_formulas_that_look_like_others_are_pointed_at(tmp_path, speaks):
    """Where commas stand before decimals, and only there."""
    rule = Rule("score", formula="score * (rank < 1.299) + max(rank, 0,5)")
    with open_sample(tmp_path) as session:
        run = session.material.runs[0].run_id
        head = find_whatif(session, create_whatif(session, "w", run, rules=[rule]))
        assert RulesTrial(session, head).work([rule])(None, None).lacks == ()
        speaks("en")
        speak(read_catalogue(SIGNS, "de"))
        one, two = RulesTrial(session, head).work([rule])(None, None).lacks
    assert "‘1.299’ in the formula is 1,299, not 1299" in one
    assert "‘0,5’ in the formula is two numbers" in two


def test_levels_are_edited_in_the_language_and_kept_as_they_are(qtbot, spoken_there):
    """Only what is written anew is kept as it is written."""
    spoken_there("de")
    scale = scale_preset("0-3")
    editor = ScaleEditor(scale)
    qtbot.addWidget(editor)
    assert [row.name.text() for row in editor.rows[:2]] == ["Nicht relevant", "Etwas relevant"]
    assert editor.answer == scale
    editor.rows[3].name.setText("Genau richtig")
    assert [level.name for level in editor.answer.levels[2:]] == ["Relevant", "Genau richtig"]


def test_numbers_have_the_signs_of_the_language(qapp):
    """In the window; what is copied can be read by programs."""
    speak(read_catalogue(SIGNS, "de"))
    try:
        assert (format_value(1404.5), format_count(1404)) == ("1.404,5000", "1.404")
        assert list(map(plain_cell, ("1.404,5", "−0,25", "nDCG@10", "3,4,5"))) == [
            *("1404.5", "−0.25", "nDCG@10", "3,4,5")
        ]
        assert as_sheet([["a"], ["0,6136"]]).rows == [["0.6136"]]
        assert when_in_words(1_700_000_000_000) == "14. Nov. 2023"
    finally:
        speak(Language())


def test_a_day_in_figures_is_written_as_in_the_language(spoken_there):
    """In the history and wherever else a moment of another day stands."""
    spoken_there("de")
    half_1970 = 200 * 24 * 3_600_000
    assert clock_text(half_1970, now_ms=10**12).startswith(("19.07.1970 ", "20.07.1970 "))


def test_a_day_beyond_the_calendar_is_written_all_the_same():
    """In the history of a project whose judgments a wrong clock has dated, or one wrong number."""
    assert clock_text(10**15, now_ms=10**12) == "+33658-09-27T01:46:40.000Z"
    assert clock_text(-(10**14), now_ms=10**12) == "-1199-02-15T14:13:20.000Z"


def test_the_choice_of_orders_names_that_of_the_queue(tmp_path, spoken_there):
    """Without the word that stands before it in the status line, in any language."""
    with open_sample(tmp_path) as session:
        session.execute(set_order(OrderPolicy("random", seed=5)))
        spoken_there("de")
        assert queue_text(session) == "Reihe: zufällig, Startwert 5"


def test_why_an_order_was_taken_is_said_in_the_language(spoken_there):
    """Projects keep it in English."""
    spoken_there("ru")
    said = describe_step(Replace((1,), "fused with beta (RRF, k = 60)"), str)
    assert title_in_words(said) != said
    assert "beta" in title_in_words(said)


@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_no_letter_of_a_dialog_is_underlined_twice(qtbot, tmp_path, spoken_there, code):
    """Alt and a letter leads to one thing on each page, not to two in turn."""
    lay_judged_sample(tmp_path)
    spoken_there(code)
    wrong = {}
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as window:

        def look(title, dialog):
            letters = Counter(underlined(dialog))
            if twice := [letter for letter, count in letters.items() if count > 1]:
                wrong[title] = twice

        look_at_dialogs(window, qtbot.waitUntil, look)
    assert wrong == {}


@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_every_entry_of_a_menu_has_a_letter_of_its_own(qtbot, tmp_path, spoken_there, code):
    """In the bar, too: Alt and a letter opens one menu, and a letter there does one thing."""
    lay_judged_sample(tmp_path)
    spoken_there(code)
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as window:
        bar = [action.text() for action in window.menuBar().actions()]
        assert_letters(bar)
        for menu in window.actions_by_name.menus.values():
            menu.aboutToShow.emit()
            assert_letters([each.text() for each in menu.actions() if not each.isSeparator()])
            menu.aboutToHide.emit()


# Qt's own hand for tests warns of each letter that is no Latin one.
@pytest.mark.qt_log_ignore("keyToAscii", extend=True)
@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_alt_and_the_letter_answers_the_bar_at_once(qtbot, tmp_path, spoken_there, code):
    """No menu has that letter, whatever the language; what is typed next goes to what the answer opens."""
    path = lay_judged_sample(tmp_path)
    spoken_there(code)
    with opened_window(qtbot, path) as window:
        bar, handler = window.workspace.grade_bar, window.judge_handler
        menus = [action.text() for action in window.menuBar().actions()]

        def answer(place):
            answers = [each.text() for each in bar.banner.answers]
            assert_letters([*menus, *answers])
            QTest.keySequence(window, QKeySequence.mnemonic(answers[place]))

        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        answer(1)
        assert bar.banner.isHidden()
        window.prompter = FakePrompter(places=[tmp_path / "copy.judge"])
        handler.show_place("A folder that is kept in step.")
        answer(0)
        assert window.session.path == tmp_path / "copy.judge"


def test_names_of_copies_are_proposed_in_the_language(qtbot, tmp_path, speaks):
    """In the same folder, with the language's word behind the name."""
    path = lay_judged_sample(tmp_path)
    speaks("en")
    speak(read_catalogue(f'{SIGNS}\nmsgid "{{name}} copy"\nmsgstr "{{name}} Kopie"\n', "de"))
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(places=[None])
        window.project_handler.save_copy()
        assert window.prompter.suggested == [path.with_name(f"{path.stem} Kopie.judge")]


def assert_letters(entries):
    """Say which entries have the letter of another, or none though there are letters enough."""
    keys = [QKeySequence.mnemonic(text).toString() for text in entries]
    given = [key for key in keys if key]
    assert len(given) == len(set(given)), entries
    there = {sign.lower() for text in entries for sign in text if sign.isalnum()}
    assert len(given) == min(len(entries), len(there)), entries


@pytest.mark.usefixtures("spoken_by_qt")
def test_menus_call_enter_as_all_sentences_do(qtbot, qapp, tmp_path, spoken_there):
    """Qt's German has Return, which is on no German keyboard."""
    lay_judged_sample(tmp_path)
    spoken_there("de")
    speak_qt(qapp)
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as window:
        every = (window.actions_by_name.action(f"settle.{name}") for name in ("take_view", "third"))
        shown = [each.shortcut().toString(QKeySequence.SequenceFormat.NativeText) for each in every]
    assert shown == ["Enter", "Umschalt+Enter"]


def test_counts_of_an_import_have_the_signs_of_the_language(qtbot, tmp_path, spoken_there):
    """In the list of files, beside each grade and above what is previewed."""
    rows = (f"q1 0 d{number} {number % 2}\n" for number in range(2_400))
    (tmp_path / "many.qrels").write_text("".join(rows))
    create_project(tmp_path / "a.judge", scale=scale_preset("0-3"))
    spoken_there("de")
    jobs = Jobs()
    with open_project(tmp_path / "a.judge", assessor="anna") as session:
        dialog = ImportDialog(session, jobs, FakePrompter(), [tmp_path / "many.qrels"])
        qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
        dialog.show()
        qtbot.waitUntil(lambda: dialog.work.plan is not None)
        dialog.grab()
        said = [text for _, text in texts_of(dialog) if isinstance(text, str)]
        said += [bar.text for each in dialog.findChildren(BarRows) for bar in each.rows]
        said += [file.count for file in dialog.work.files]
    jobs.close()
    assert [text for text in said if re.search(r"\d,\d{3}\b", text)] == []
    assert {"1.200", "2.400"} <= set(said)


def underlined(dialog):
    """Yield the keys of the letters that are underlined in what can be used of a dialog now."""
    for each in dialog.findChildren(QWidget):
        is_label = isinstance(each, QLabel) and each.buddy() is not None
        if (
            each.isVisible()
            and each.isEnabled()
            and (is_label or isinstance(each, QAbstractButton))
        ):
            key = QKeySequence.mnemonic(each.text())
            if not key.isEmpty():
                yield key.toString()
