"""Make the pictures of the help from the sample, in full colour; not a test.

Run ``python -m tests.gui.gallery_help FOLDER``; those that are right are put into
``resources/help/images`` (``convert -define png:compression-filter=1 -define png:compression-level=9
-define png:color-type=2 -strip`` makes them smaller). The picture of the statistics needs two people's work: it is not made here.
"""

import argparse
import os
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from tests.gui.gallery_views import own_home, settle
from tests.gui.whatif_fixtures import carry, drop, lift
from tests.helpers.builders import open_sample

RICE, CURRY, SOUP = "what to do with leftover rice", "spicy vegetarian curry", "cold soup"
_SETTLES_MS = 600


def save(widget: QWidget, path: Path) -> None:
    """Save a picture of a widget, as small as it can be without a palette."""
    settle(_SETTLES_MS)
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    image.save(str(path), "PNG", 0)


def show_query(window: MainWindow, text: str) -> None:
    """Show a query of the sample by its text."""
    queries = window.session.material.queries
    window.view.judging.show_query(next(n for n, each in enumerate(queries) if each.text == text))


def save_judging(window: MainWindow, folder: Path) -> None:
    """Save list and focus, a rationale kept, as somebody sees them who judges."""
    show_query(window, SOUP)
    window.resize(1440, 900)
    settle(_SETTLES_MS)
    QTest.keyClicks(window.workspace.results.table, "2")
    save(window, folder / "main-light.png")
    window.resize(1280, 800)
    show_query(window, RICE)
    settle(_SETTLES_MS)
    window.view.judging.show_place(*_first_place(window))
    settle(_SETTLES_MS)
    for name in ("read.sentence", "read.sentence", "read.rationale"):
        window.actions_by_name.action(name).trigger()
    cursor = window.workspace.document.text.textCursor()
    cursor.clearSelection()
    window.workspace.document.text.setTextCursor(cursor)
    save(window, folder / "assessors-list.png")
    window.views.show(Mode.FOCUS)
    save(window, folder / "assessors-focus.png")


def _first_place(window: MainWindow) -> tuple[int, int]:
    return window.view.judging.query, window.workspace.results.documents()[0]


def save_whatif(window: MainWindow, folder: Path) -> None:
    """Save the what-if view with a card in the hand."""
    window.views.show(Mode.WHATIF)
    show_query(window, CURRY)
    window.resize(1280, 760)
    settle(_SETTLES_MS)
    page = window.views.page(Mode.WHATIF)
    page.ranking.choose_run(window.session.material.runs[-1].run_id)
    settle(_SETTLES_MS)
    lift(page, 3)
    drop(page, 0)
    settle(_SETTLES_MS)
    lift(page, 6)
    carry(page, 1)
    save(window, folder / "what-if-light.png")
    drop(page, 1)


def save_compare(window: MainWindow, folder: Path) -> None:
    """Save the compare view once everything is computed."""
    window.views.show(Mode.COMPARE)
    window.resize(1440, 900)
    page = window.views.page(Mode.COMPARE)
    settle(_SETTLES_MS)
    while page.compared.is_computing or not window.jobs.is_idle:
        settle(_SETTLES_MS)
    save(window, folder / "compare-light.png")


def save_settle(window: MainWindow, folder: Path) -> None:
    """Save the settle view with the first dispute of the sample."""
    window.views.show(Mode.SETTLE)
    window.resize(1280, 760)
    page = window.views.page(Mode.SETTLE)
    settle(_SETTLES_MS)
    while page.is_searching or not window.jobs.is_idle:
        settle(_SETTLES_MS)
    save(window, folder / "settle-light.png")


def save_queue(window: MainWindow, folder: Path) -> None:
    """Save the dialog of the queue."""
    from judgetool.gui.dialogs.queue import QueueDialog  # noqa: PLC0415 - after the application

    dialog = QueueDialog(window.session, window.prompter)
    dialog.order.setCurrentText("Random for each assessor")
    dialog.show()
    save(dialog, folder / "leads-queue.png")
    dialog.reject()


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder.mkdir(parents=True, exist_ok=True)
    with own_home(0) as home:
        make_application()
        with open_sample(home) as session:
            path = session.path
        window = MainWindow(assessor="anna", theme="light")
        window.apply_theme()
        window.show()
        window.try_open(path)
        for make in (save_judging, save_whatif, save_compare, save_settle, save_queue):
            make(window, folder)
        window.close()


if __name__ == "__main__":
    main()
