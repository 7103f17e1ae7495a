"""What holds for every dialog: its width, its buttons, its keys, its colours."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
)

from judgetool.core.scale import scale_preset
from judgetool.gui.compare.decide import DecideDialog
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.act_dialog import NARROWEST, WIDEST
from judgetool.gui.dialogs.choose import AssessorDialog, MessageDialog, WritingDialog
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.framed_list import FigureTable
from judgetool.gui.dialogs.hub import (
    AddMemberForm,
    CloseMemberForm,
    HubDialog,
    JoinDialog,
    OfferForm,
    ReleaseForm,
    TakeForm,
)
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.new_project import NewProjectDialog
from judgetool.gui.dialogs.project_values import MeasuresDialog
from judgetool.gui.dialogs.queue import AskDialog, HandOverDialog
from judgetool.gui.dialogs.scale_editor import ScaleEditor
from judgetool.gui.jobs import Jobs
from judgetool.gui.theme import DARK, LIGHT, set_theme
from judgetool.gui.whatif.acts import FuseDialog
from judgetool.gui.whatif.rules_dialog import RulesDialog
from judgetool.gui.widgets.labels import Text
from judgetool.hub.connection import HubLook, HubMember
from judgetool.hub.making import AddedMember
from judgetool.metrics import DEFAULT_MEASURES
from judgetool.session.commands import AskOf, WriteAsks
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.team.sync_state import SyncState
from judgetool.session.whatifs.book import BaseRun, WhatIf
from judgetool.session.whatifs.rules import Condition, Rule
from tests.helpers.builders import open_made, simple_parts
from tests.helpers.fake_prompter import FakePrompter


def a_whatif(session):
    """A what-if with a rule whose formula has numbers, and one with two conditions."""
    price = Condition("price", "<", "20")
    rules = (
        Rule("score", (price,), formula="score * (1 + 0.3 * is_new)"),
        Rule("bury", (price, Condition("title", "contains", "soup")), 11, is_on=False),
    )
    (run,) = session.material.runs[:1]
    return WhatIf("", "ruled", (BaseRun(run.run_id, run.name),), rules=rules)


def hand_over_dialog(session, _jobs):
    """Somebody has something open."""
    document = int(session.board.pool(0)[0])
    session.execute(WriteAsks((AskOf(0, document, "ben"),), "Ask ben"))
    return HandOverDialog(session)


def merge_message(_session, _jobs):
    """What is asked before copies are merged."""
    said = "anna.judge, copied 3 March: 1,204 judgments by anna, 30 judgments by anna (again)\n" * 3
    question = "Merge 3 copies into shop.judge?"
    return MessageDialog(question, [Choice("merge", "Merge")], detail=said)


def hub_dialog(_session, _jobs):
    """The hub was not reached any more, and asks for a password."""
    made = HubDialog(lambda _password: None)
    people = (
        HubMember("anna", "assessor", "anna", 1_700_000_000_000),
        HubMember("ben", "lead", "ben"),
    )
    problem = "The hub postgresql://ben@db.example.org/recipes does not accept this password."
    state = SyncState(34, problem=problem, password_wanted=True)
    look = HubLook(people[1], people, ("1", "2", "3"))
    made.show_standing("postgresql://ben@db.example.org/recipes", state, look, [1_700_000_000_000])
    return made


def at_no_hub(_act, _then, _owner):
    """A hub that does not answer yet."""


def added_form(_session, _jobs):
    """Somebody was let in with a login that was made."""
    made = AddMemberForm(at_no_hub)
    made.name.setText("Benedikt")
    made.take(AddedMember("Zb3-kq_tPv0uXe9w"))
    return made


MAKERS = {
    "add a member": added_form,
    "ask everybody": lambda session, jobs: OfferForm(session, at_no_hub),
    "close a member": lambda session, jobs: CloseMemberForm(
        (HubMember("anna", "assessor", "anna"),), at_no_hub
    ),
    "release": lambda session, jobs: ReleaseForm(session, 0, ("2",), at_no_hub),
    "take documents": lambda session, jobs: TakeForm(at_no_hub),
    "ask": AskDialog,
    "assessor": lambda session, jobs: AssessorDialog("anna", ["anna"]),
    "decide": lambda session, jobs: DecideDialog(
        session, jobs, (*present_systems(session), *present_systems(session)), None, is_blind=False
    ),
    "export": lambda session, jobs: ExportDialog(session, FakePrompter(), jobs),
    "fuse": lambda session, jobs: FuseDialog([(1, "one"), (2, "two"), (3, "three")], (2, 3)),
    "hand over": hand_over_dialog,
    "hub": hub_dialog,
    "join a hub": lambda session, jobs: JoinDialog(session, jobs, FakePrompter(), "anna"),
    "import": lambda session, jobs: ImportDialog(session, jobs, FakePrompter()),
    "measures": lambda session, jobs: MeasuresDialog(DEFAULT_MEASURES),
    "merge": merge_message,
    "message": lambda session, jobs: MessageDialog("So it is.", [Choice("go", "Go on")]),
    "new project": lambda session, jobs: NewProjectDialog(FakePrompter()),
    "rules": lambda session, jobs: RulesDialog(session, a_whatif(session), jobs),
    "scale": lambda session, jobs: ScaleEditor(scale_preset("0-3")),
}


@pytest.fixture(params=list(MAKERS))
def dialog(request, qtbot, tmp_path):
    session, jobs = open_made(tmp_path, simple_parts()), Jobs()
    made = MAKERS[request.param](session, jobs)
    # One in which something was typed asks nothing when it is closed at the end.
    asks = isinstance(made, WritingDialog)
    qtbot.addWidget(made, before_close_func=WritingDialog.accept if asks else None)
    with qtbot.waitActive(made):
        made.show()
    yield made
    made.close()
    jobs.close()
    session.close()


def test_width(dialog):
    """A dialog is 560 to 1040 wide at the usual font, as it wants to be."""
    assert NARROWEST <= max(dialog.minimumSizeHint().width(), dialog.minimumWidth()) <= WIDEST


def test_cancel_then_the_verb_at_the_right(dialog):
    """The last buttons of the foot are Cancel and then the verb."""
    row = dialog.foot.row
    shown = [
        widget
        for place in range(row.count())
        if isinstance(widget := row.itemAt(place).widget(), QPushButton) and widget.isVisible()
    ]
    assert shown[-1] is dialog.verb
    assert dialog.cancel in shown[-3:]


def test_no_button_says_ok(dialog):
    """Buttons say what they do."""
    texts = {button.text().replace("&", "") for button in dialog.findChildren(QAbstractButton)}
    assert not texts & {"OK", "Ok", "Yes", "No"}


def test_the_keyboard_is_somewhere_useful(dialog):
    """When a dialog appears, something in it has the keyboard, and it is not Cancel."""
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.window() is dialog
    assert focus is not dialog.cancel


def test_tab_reaches_the_verb(qtbot, dialog):
    """Tab alone goes around through all fields and comes by Cancel, then the verb."""
    reached = []
    for _ in range(80):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert dialog.cancel in reached
    if dialog.verb.isEnabled():
        assert reached[reached.index(dialog.cancel) + 1 :].count(dialog.verb) > 0


def what_fields_say(dialog):
    """Return what stands in each field of a dialog, and what is chosen and switched on in it."""
    texts = [each.text() for each in dialog.findChildren(QLineEdit)]
    texts += [each.toPlainText() for each in dialog.findChildren(QPlainTextEdit)]
    texts += [each.currentText() for each in dialog.findChildren(QComboBox)]
    return texts, [each.isChecked() for each in dialog.findChildren(QAbstractButton)]


def test_tab_alone_changes_nothing(qtbot, dialog):
    """What was typed stays as it is, whatever list the keyboard comes by."""
    if isinstance(dialog.first, QLineEdit):
        qtbot.keyClicks(dialog.first, "dora")
    before = what_fields_say(dialog)
    for _ in range(30):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert what_fields_say(dialog) == before


def test_escape_is_cancel(qtbot, dialog):
    """Esc leaves without an answer."""
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert dialog.result() == 0


def test_labels_are_plain_text(dialog):
    """No label can be made to read markup."""
    for label in dialog.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText


def test_fields_are_named_for_readers(dialog):
    """Everything that Tab reaches has a name in words."""
    focusable = [
        widget
        for widget in dialog.findChildren(QAbstractButton)
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert all(widget.accessibleName() or widget.text() for widget in focusable)


def test_colours_follow_the_theme(qapp, dialog):
    """An open dialog changes its inks with the theme."""
    texts = dialog.findChildren(Text)
    try:
        for theme in (DARK, LIGHT):
            set_theme(qapp, theme)
            dialog.grab()
            for text in texts:
                assert text.palette().color(text.foregroundRole()).lightness() == pytest.approx(
                    getattr(theme, text._ink).lightness(), abs=1
                )
    finally:
        set_theme(qapp, LIGHT)


@pytest.mark.parametrize("title", ["", "Open twice"])
def test_a_message_has_a_head_where_it_is_of_something(qtbot, title):
    """The program's name alone would stand above every question."""
    dialog = MessageDialog("All of it?", [Choice("all", "Delete all", destroys=True)], title=title)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.head.isVisible() is bool(title)


def test_a_message_shows_all_its_lines(qtbot, monkeypatch):
    """A sentence that wraps at the dialog's width makes it higher: none of it is to be scrolled to."""
    hidden = []

    def look(dialog):
        dialog.show()
        qtbot.waitExposed(dialog)
        hidden.append(max(bar.maximum() for bar in dialog.findChildren(QScrollBar)))
        dialog.hide()
        return 0

    monkeypatch.setattr(QDialog, "exec", look)
    for n_letters in range(60, 100, 4):
        text = f"{'judge ' * 30}\n\n{'i' * (n_letters // 2)} {'m' * (n_letters // 2)}"
        MessageDialog(text, [Choice("go", "Go on")]).is_answered()
    assert set(hidden) == {0}


def test_figures_are_as_high_as_so_many_rows(qtbot):
    """More of them scroll; without a number of rows a table takes what room there is."""
    few, any_number = FigureTable("few", most=3), FigureTable("any")
    for table in (few, any_number):
        qtbot.addWidget(table)
        table.show_rows(("name", "n"), [(f"row {n}", str(n)) for n in range(9)])
    row = few.rowHeight(0)
    assert 3 * row < few.maximumHeight() == few.minimumHeight() < 6 * row
    assert any_number.maximumHeight() > 100 * row
