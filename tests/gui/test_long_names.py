"""Names of 120 characters: dialogs stay as wide as they are, and what differs at the end is told apart."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QDialog, QScrollArea, QToolTip

from judgetool.gui.actions import Mode
from judgetool.gui.compare.acts import AgreementDialog
from judgetool.gui.compare.decide import DecideDialog
from judgetool.gui.compare.dialogs import SnapshotsDialog, SystemsDialog, WriteReportDialog
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.project_values import RunsDialog
from judgetool.gui.dialogs.queue import QueueDialog
from judgetool.gui.theme import install_fonts
from judgetool.gui.whatif.acts import FuseDialog
from judgetool.gui.widgets.fields import ElidedCombo
from judgetool.gui.widgets.flow import Scrolled
from judgetool.session.comparing.snapshots import create_snapshot, present_systems
from judgetool.session.edits import rename_run
from judgetool.session.whatifs.editing import create_whatif
from judgetool.settings import Settings, save_settings
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import make_project, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LONG = ("bm25_title^3_with_reranking_by_cross_encoder_of_november_" * 3)[:118]


def runs_of(session):
    return [(run.run_id, run.name) for run in session.material.runs]


DIALOGS = {
    "decide": lambda window, session: DecideDialog(
        session, window.jobs, tuple(present_systems(session)[:2]), None, is_blind=False
    ),
    "fuse": lambda window, session: FuseDialog(runs_of(session), [runs_of(session)[0][0]]),
    "systems": lambda window, session: SystemsDialog(
        session, present_systems(session), is_together=False
    ),
    "report": WriteReportDialog,
    "export": lambda window, session: ExportDialog(session, FakePrompter(), window.jobs),
    "runs": lambda window, session: RunsDialog(session),
    "snapshots": lambda window, session: SnapshotsDialog(session),
    "queue": lambda window, session: QueueDialog(session, FakePrompter()),
}


def named(session, name):
    """Give every run, a what-if and a snapshot a name that begins so."""
    for run_id, _ in runs_of(session):
        rename_run(session, run_id, f"{name}{run_id:02}")
    create_whatif(session, f"{name}_w", runs_of(session)[0][0])
    create_snapshot(session, f"{name}_s")


def shown(monkeypatch, dialog, wait):
    """Show a dialog as it is when it asks; return its width, and what scrolls sideways in it."""
    found = []

    def look(self):
        self.show()
        wait()
        bars = [area.horizontalScrollBar() for area in self.findChildren(QScrollArea)]
        found.append((self.width(), sum(bar.maximum() for bar in bars if bar.isVisible())))
        self.reject()
        return 0

    with monkeypatch.context() as patched:
        patched.setattr(QDialog, "exec", look)
        dialog.is_answered()
    return found[0]


@pytest.mark.parametrize("name", list(DIALOGS))
def test_a_long_name_makes_no_dialog_wider(qtbot, tmp_path, monkeypatch, name):
    """It is as wide as with short names, and nothing in it scrolls sideways."""
    widths = []
    for given in ("a", LONG):
        folder = tmp_path / given[:1]
        folder.mkdir()
        with make_project(folder, simple_parts()) as session:
            named(session, given)
            path = session.path
        with opened_window(qtbot, path, size=(1366, 768)) as window:
            dialog = DIALOGS[name](window, window.session)
            idle = lambda: qtbot.waitUntil(lambda: window.jobs.is_idle)  # noqa: E731
            widths.append(shown(monkeypatch, dialog, idle))
    assert widths == [widths[0], (widths[0][0], 0)]


def test_orders_have_names_whole_where_there_is_room(tmp_path, qtbot):
    """A name of sixty signs stands there to its end, beside figures of the other systems."""
    with make_project(tmp_path, simple_parts()) as session:
        named(session, LONG[:56])
        with opened_window(qtbot, session.path, size=(1366, 768)) as window:
            systems = present_systems(session)
            dialog = AgreementDialog(session, systems, window.jobs)
            qtbot.addWidget(dialog)
            dialog.resize(780, 600)
            dialog.show()
            table = dialog.rankings
            qtbot.waitUntil(lambda: table.columnWidth(0) >= table.sizeHintForColumn(0))
            shown = [table.item(row, 0).text() for row in range(table.rowCount())]
    assert shown == [f"{place}  {each.name}" for place, each in enumerate(systems, 1)]


def test_a_what_if_has_its_name_whole_where_there_is_room(tmp_path, qtbot):
    """So has its run; the buttons beside lose their words before."""
    whatif, run = "the first ten as the other run has them", "full-bm25-stem"
    with open_sample(tmp_path) as session:
        first = runs_of(session)[0][0]
        rename_run(session, first, run)
        create_whatif(session, whatif, first)
        path = session.path
    with opened_window(qtbot, path, size=(1366, 768)) as window:
        window.views.show(Mode.WHATIF)
        tools = window.views.page(Mode.WHATIF).tools
        qtbot.waitUntil(lambda: whatif in tools.whatifs.text())
        assert run in tools.runs.text()
        qtbot.waitUntil(lambda: tools.whatifs.width() >= tools.whatifs.sizeHint().width())


@pytest.fixture
def large_text():
    """All text at 200 %."""
    save_settings(Settings(extra_px=13))
    yield
    install_fonts(QApplication.instance())


def test_in_large_text_a_what_if_has_its_name_whole(tmp_path, qtbot, large_text):
    """Buttons that have no room are in the menu; a name is not cut for them."""
    with open_sample(tmp_path) as session:
        create_whatif(session, "title-bm25 reordered", runs_of(session)[0][0])
        path = session.path
    with opened_window(qtbot, path, size=(1366, 768)) as window:
        window.views.show(Mode.WHATIF)
        tools = window.views.page(Mode.WHATIF).tools
        qtbot.waitUntil(lambda: "title-bm25 reordered" in tools.whatifs.text())
        for each in (tools.whatifs, tools.runs):
            qtbot.waitUntil(lambda each=each: each.width() >= each.sizeHint().width())


@pytest.mark.parametrize(
    "name", ["edit.command", "edit.go_to", "help.change_keys", "whatif.insert"]
)
def test_in_large_text_a_list_leaves_room_for_what_is_below(
    tmp_path, qtbot, monkeypatch, large_text, name
):
    """On a low screen a list is lower, and scrolls alone: its dialog does not besides."""
    with open_sample(tmp_path) as session:
        create_whatif(session, "one", runs_of(session)[0][0])
        path = session.path
    found = []

    def look(dialog):
        dialog.show()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        found.extend(each.verticalScrollBar().maximum() for each in dialog.findChildren(Scrolled))
        dialog.reject()
        return 0

    with opened_window(qtbot, path, size=(1366, 768)) as window:
        window.views.show(Mode.WHATIF)
        qtbot.waitUntil(window.actions_by_name.action(name).isEnabled)
        with monkeypatch.context() as patched:
            patched.setattr(QDialog, "exec", look)
            window.actions_by_name.action(name).trigger()
    assert found == [0]


def test_what_a_what_if_is_made_of_is_named_whole(tmp_path, qtbot):
    """A name of usual length loses no letter for the words in front of it, in German neither."""
    run = "live_ranking_export_of_the_shop"
    with open_sample(tmp_path) as session:
        first = runs_of(session)[0][0]
        rename_run(session, first, run)
        create_whatif(session, "mine", first)
        dialog = SystemsDialog(session, present_systems(session), is_together=False)
        qtbot.addWidget(dialog)
        texts = [box.text() for box in dialog.checks.boxes.values()]
    assert f"mine,  what-if of {run}" in texts


def test_runs_of_a_snapshot_are_told_apart(tmp_path, qtbot):
    """Under the heading of the snapshot each has its own name, to its end."""
    with make_project(tmp_path, simple_parts()) as session:
        named(session, LONG)
        ends = [name[-2:] for _, name in runs_of(session)]
        dialog = SystemsDialog(session, present_systems(session), is_together=False)
        qtbot.addWidget(dialog)
        texts = [box.text().partition(",")[0] for box in dialog.checks.boxes.values()]
    assert [text[-2:] for text in texts] == [*ends, "_w", *ends, "_w"]


@pytest.fixture
def box(qtbot):
    chosen = ElidedCombo()
    qtbot.addWidget(chosen)
    chosen.addItems([f"{LONG}01", f"{LONG}02", "short"])
    chosen.resize(300, 30)
    chosen.show()
    return chosen


def tooltip_of(widget):
    """Return what the tooltip over a widget says."""
    at = QPoint(9, 9)
    event = QHelpEvent(QEvent.Type.ToolTip, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    said = QToolTip.text()
    QToolTip.hideText()
    return said


def test_a_box_shows_both_ends_of_a_name(box):
    """Many names differ at their ends alone: the middle is what gives way."""
    box.setCurrentIndex(1)
    assert box.shown.startswith("bm25")
    assert box.shown.endswith("02")
    assert box.width() == 300


def test_the_tooltip_of_a_box_has_the_name_whole(box):
    """Before what the box is for; a name that is seen whole is not repeated."""
    box.setToolTip("Run")
    assert tooltip_of(box).replace("\u200b\n", "").startswith(f"{LONG}01")
    box.setCurrentIndex(2)
    assert tooltip_of(box) == "Run"


def test_runs_to_fuse_are_told_apart(qtbot):
    """Each has the end of its name beside its box, and the whole in the tooltip."""
    runs = [(number, f"{LONG}{number:02}") for number in range(3)]
    dialog = FuseDialog(runs, [0, 1])
    qtbot.addWidget(dialog)
    assert [each.text()[-2:] for each in dialog.switches] == ["00", "01", "02"]
    assert [each.toolTip().replace("\u200b\n", "") for each in dialog.switches] == [
        n for _, n in runs
    ]


def test_the_list_of_a_box_elides_in_the_middle_too(box):
    """A name that is wider than the screen still shows its end."""
    box.showPopup()
    assert box.view().textElideMode() is Qt.TextElideMode.ElideMiddle
    box.hidePopup()
