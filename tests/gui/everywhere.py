"""Every view with its parts, and all that asks something, one after another: for tests and pictures."""

from collections.abc import Callable, Iterable, Iterator
from unittest.mock import patch

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget
from shiboken6 import isValid

from judgetool.gui.actions import ACTIONS, Mode
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.finding import SavedViewsDialog, ViewNameDialog
from judgetool.gui.dialogs.hub import HubDialog
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.work_dialog import WorkDialog
from judgetool.gui.error_report import ErrorReport
from judgetool.gui.main_window import MainWindow
from judgetool.resources import resource_path
from judgetool.session.finding import Filter

PARTS = {
    Mode.COMPARE: (
        "compare.rankings",
        "compare.curves",
        "compare.explain",
        "compare.next",
        "compare.moments",
    ),
    Mode.AGREEMENT: (
        "agreement.confusion",
        "agreement.drift",
        "agreement.documents",
        "agreement.pairs",
        "agreement.queries",
        "agreement.levels",
    ),
}
"""Views in which more than one thing can be shown, and the actions that show it."""

ASKING = (
    "project.new",
    "project.scale",
    "project.measures",
    "project.conventions",
    "project.blind",
    "project.runs",
    "project.rename",
    "project.safety",
    "hub.show",
    "material.add_query",
    "material.edit_query",
    "material.add_document",
    "material.edit_document",
    "edit.history",
    "edit.go_to",
    "edit.command",
    "view.preferences",
    "judge.view",
    "judge.assessor",
    "judge.cannot",
    "judge.note",
    "queue.choose",
    "queue.ask",
    "queue.statistics",
    "queue.grade_below",
    "flow.review",
    "flow.pace",
    "read.term_sets",
    "read.language",
    "read.write_guidelines",
    "view.levels",
    "help.change_keys",
    "help.report",
    "help.about",
    "whatif.new",
    "whatif.fuse_runs",
    "whatif.rules",
    "whatif.insert",
    "compare.systems",
    "compare.measures",
    "compare.queries",
    "compare.testing",
    "compare.agreement",
    "compare.decide",
    "compare.snapshot",
    "compare.snapshots",
    "compare.report",
    "agreement.choose_queries",
    "settle.reason",
)
"""The actions that ask something; :func:`built` makes the rest."""

Wait = Callable[[Callable[[], bool]], object]


def each_part(
    window: MainWindow, wait: Wait, *, modes: Iterable[Mode] = tuple(Mode)
) -> Iterator[str]:
    """Show every view, and each part of it; give what is shown, once it is."""
    for mode in modes:
        window.views.show(mode)
        wait(lambda: window.jobs.is_idle)
        for part in PARTS.get(mode, ("",)):
            if part:
                window.actions_by_name.action(part).trigger()
            wait(lambda: window.jobs.is_idle)
            yield f"{mode} {part.rpartition('.')[2]}".strip()


def look_at_dialogs(
    window: MainWindow,
    wait: Wait,
    look: Callable[[str, QDialog], object],
    *,
    is_bare: bool = False,
) -> None:
    """Open all that asks something, on the sample, and look at each page.

    On a bare project what cannot be done is passed over, and so is what only says why.
    """
    titles: list[str] = []

    def seen(dialog: QDialog) -> int:
        if isinstance(dialog, WorkDialog):
            dialog.fit_screen()
        dialog.show()
        # What is counted beside a dialog changes its sentences, and with them its lines.
        wait(lambda: window.jobs.is_idle)
        for _ in range(4):
            QCoreApplication.sendPostedEvents()
        titles.append(dialog.windowTitle())
        pages = dialog.findChild(QTabWidget)
        for place in range(pages.count() if pages else 1):
            if pages:
                pages.setCurrentIndex(place)
                QCoreApplication.sendPostedEvents()
            look(f"{dialog.windowTitle()} {place + 1}" if pages else dialog.windowTitle(), dialog)
        dialog.reject()
        return 0

    with patch.object(QDialog, "exec", seen):
        for name, action in asking(window, wait, is_bare=is_bare):
            n_before = len(titles)
            action.trigger()
            for shown in QApplication.topLevelWidgets():
                if isValid(shown) and isinstance(shown, ActDialog) and shown.isVisible():
                    seen(shown)
            assert is_bare or len(titles) > n_before, name
        for dialog in built(window):
            wait(lambda: window.jobs.is_idle)
            seen(dialog)


def asking(window: MainWindow, wait: Wait, *, is_bare: bool) -> Iterator[tuple[str, QAction]]:
    """Give each action that asks something in a view where it can be."""
    for name in ASKING:
        spec = next(spec for spec in ACTIONS if spec.name == name)
        window.views.show(spec.modes[0] if spec.modes else Mode.LIST)
        wait(lambda: window.jobs.is_idle)
        action = window.actions_by_name.action(name)
        if not is_bare:
            wait(action.isEnabled)
        if action.isEnabled():
            yield name, action


def built(window: MainWindow) -> Iterator[QDialog]:
    """Make those that no action shows, or that work while they are shown."""
    assert window.session is not None
    runs = [resource_path(f"sample/{name}") for name in ("runs/chargrams.run", "judgments.csv")]
    yield ImportDialog(window.session, window.jobs, window.prompter, runs).above(window)
    yield ExportDialog(window.session, window.prompter, window.jobs).above(window)
    yield HubDialog(print).above(window)
    yield ViewNameDialog((Filter("mine"),), window.session).above(window)
    yield SavedViewsDialog(window.session, print).above(window)
    message = "Somebody else has the project open. What is judged here comes to nobody else."
    answers = [Choice("copy", "Save a copy…"), Choice("leave", "Leave it as it is", destroys=True)]
    detail = "It was opened today, 14:32."
    yield MessageDialog(message, answers, detail=detail, title="Open twice").above(window)
    yield ErrorReport("Traceback: none.", parent=window)
