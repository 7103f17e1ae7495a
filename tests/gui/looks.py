"""How everything looks and what is said of it, in short: so that no change of either goes unseen.

    python -m tests.gui.looks SCENE           prints a line for each thing that is shown
    python -m tests.gui.looks --keep          keeps all lines in ``tests/gui/looks.txt``
    python -m tests.gui.looks SCENE --save FOLDER   saves the pictures and the words, to compare

A line has a name, a sum over the picture, and one over the words that the picture does not
show: tool tips, what a screen reader says, where the keyboard stops. Whoever changes how
something looks keeps the lines anew, and sees by the names what else has changed with it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QEventLoop,
    QModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QEnterEvent,
    QFont,
    QFontDatabase,
    QHelpEvent,
    QImage,
    QPainter,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QToolTip,
    QWidget,
)

from judgetool.gui.actions import ACTIONS, Mode
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from judgetool.gui.theme import THEMES, install_fonts, set_theme
from judgetool.gui.tour import Callout
from judgetool.gui.widgets.status_line import MESSAGE_MS, SaveLabel
from judgetool.session.whatifs.editing import create_whatif
from judgetool.settings import Settings, save_settings
from tests.gui.everywhere import ASKING, each_part, look_at_dialogs
from tests.gui.gallery import PAGES
from tests.gui.gallery_views import PLACES, go_to
from tests.helpers.builders import awkward_large_parts, make_project, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter

KEPT = Path(__file__).resolve().parent / "looks.txt"
OF_NOW = {
    "compare-moments",
    "history",
    "judgetool-0-3-0",
    "my-judgments",
    "new-project",
    "report-a-problem",
    "safety-copies",
    "something-unexpected-happened",
    "take-a-snapshot",
}
"""What shows the time, where files are or which system this is, is another each time."""
_LEFT_OUT = {
    *("project.new", "project.open", "project.sample", "project.sample_afresh", "project.close"),
    *("help.tour", "project.quit", "project.import_files", "project.export_files", "hub.show"),
    *(f"help.{page}" for page in ("start", "assessors", "leads", "what_if", "compare", "deciding")),
    *(f"help.{page}" for page in ("agreement", "settling", "measures", "formats", "changes")),
    *("help.hub", "compare.show"),
    *("view.float_live", "view.float_queries"),
    *("whatif.delete", "compare.delete", "queue.statistics", "view.contrast", *ASKING),
}
"""What leads away from the project or the window, leaves nothing to look at, tells the time, only
asks, shows a page of help, or a comparison that is still being computed."""
_TWICE = {"flow.blind", "view.theme", "whatif.pin", "whatif.remove", "agreement.counts"}
"""What done again is as it was, though no switch."""
_TIME = re.compile(r"\d\d:\d\d:\d\d")
_MOST_ROWS = 12
_LATER_MS = 1500
_FOR_EVER_MS = 10**8
_MOST_PX = 700
_MOST_STOPS = 12
_MOST_TABS = 25
_MOST_STEPS = 20
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.TextAlignmentRole,
)
Look = Callable[[str, QWidget], object]
Show = Callable[[MainWindow, Look], object]


def words_of(widget: QWidget) -> Iterator[str]:
    """Yield what a widget and those within it say beside their picture."""
    for each in (widget, *widget.findChildren(QWidget)):
        if not each.isVisibleTo(widget) or is_tip(each):
            continue
        text = each.text() if isinstance(each, QLabel | QAbstractButton | QLineEdit) else ""
        said = (each.toolTip(), each.accessibleName(), each.accessibleDescription(), text)
        size = f"{each.minimumWidth()} {each.maximumWidth()}"
        said += (each.whatsThis(),)
        yield f"{type(each).__name__} {each.focusPolicy().name} {each.isEnabled()} {size} {said}"
        if isinstance(each, QComboBox):
            yield " | ".join(each.itemText(place) for place in range(each.count()))
        if isinstance(each, QAbstractItemView) and each.model() is not None:
            yield from _words_of_rows(each)


def is_tip(widget: QWidget) -> bool:
    """Return whether a widget is a tool tip, which may or may not be there still."""
    return bool(widget.windowType() == Qt.WindowType.ToolTip)


def _words_of_rows(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    for row in range(min(model.rowCount(QModelIndex()), _MOST_ROWS)):
        for column in range(model.columnCount(QModelIndex()) if _is_table(model) else 1):
            index = model.index(row, column)
            yield " | ".join(str(model.data(index, role)) for role in _ROLES)


def _is_table(model: QAbstractItemModel) -> bool:
    # What is a list by its class has no columns for Python.
    return not isinstance(model, QAbstractListModel)


def keys_of(widget: QWidget) -> Iterator[str]:
    """Yield where the keyboard is in a window, and what can be done."""
    here = [each for each in widget.findChildren(QWidget) if each.hasFocus()]
    yield from (f"keyboard in {type(each).__name__} {each.accessibleName()}" for each in here)
    if isinstance(widget, MainWindow):
        for spec in ACTIONS:
            action = widget.actions_by_name.action(spec.name)
            keys = " ".join(each.toString() for each in action.shortcuts())
            yield f"{spec.name} {action.text()} {action.isEnabled()} {action.isChecked()} {keys}"
        yield f"copied {QApplication.clipboard().text()}"


def tips_of(widget: QWidget) -> Iterator[str]:
    """Yield the tool tips that come up at places all over a widget."""
    for each in (widget, *widget.findChildren(QWidget)):
        if not each.isVisibleTo(widget) or not each.visibleRegion().boundingRect().isValid():
            continue
        for y in range(8, min(each.height(), _MOST_PX), 22):
            for x in range(6, min(each.width(), _MOST_PX), 45):
                QToolTip.hideText()
                place = QPoint(x, y)
                at = QHelpEvent(QEvent.Type.ToolTip, place, each.mapToGlobal(place))
                if QApplication.sendEvent(each, at) and QToolTip.text():
                    yield f"{x} {y} {QToolTip.text()}"
    QToolTip.hideText()


def picture_of(widget: QWidget) -> QImage:
    """Return the picture of a widget, without the time at which was saved."""
    picture = widget.grab()
    painter = QPainter(picture)
    for each in widget.findChildren(SaveLabel):
        painter.fillRect(QRect(each.mapTo(widget, QPoint()), each.size()), QColor("black"))
    painter.end()
    return picture.toImage()


def sum_of(picture: QImage) -> int:
    """Return a sum over a picture that any pixel changes."""
    shown = picture.convertToFormat(QImage.Format.Format_RGB32)
    return crc32(bytes(shown.constBits()), shown.width())


def canary() -> int:
    """Return the sum of a picture that Qt alone draws: where it differs, so may all others."""
    picture = QImage(200, 60, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawEllipse(QRectF(3.3, 3.3, 50.1, 40.7))
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    for family, size, text in (("Inter", 13, "Ag 0123 → ✓ ▾"), (system, 15, "שלום 中 ⏎")):
        drawn = QFont(family)
        drawn.setPixelSize(size)
        painter.setFont(drawn)
        painter.drawText(QRectF(60, 2 * size - 24, 140, 30), text)
    painter.end()
    return sum_of(picture)


def show_gallery(app: QApplication, look: Look) -> None:
    """Show each widget alone, in both themes, larger, and from right to left."""
    ways = [(theme, 0, False) for theme in THEMES.values()]
    light = next(iter(THEMES.values()))
    for theme, extra_px, is_leftward in [*ways, (light, 7, False), (light, 0, True)]:
        way = Qt.LayoutDirection.RightToLeft if is_leftward else Qt.LayoutDirection.LeftToRight
        app.setLayoutDirection(way)
        install_fonts(app, extra_px=extra_px)
        set_theme(app, theme)
        for name, make in PAGES.items():
            page = make()
            page.show()
            app.sendPostedEvents()
            look(f"{theme.name} {extra_px} {way.name} {name}", page)
            if theme is light and not extra_px and not is_leftward:
                _look_at_stops(page, name, look)
            page.hide()
            page.deleteLater()


def _look_at_stops(page: QWidget, name: str, look: Look) -> None:
    """Look at each thing that can be pressed with the keyboard in it, under the pointer, and held."""
    stops = [each for each in page.findChildren(QAbstractButton) if each.isVisibleTo(page)]
    for number, stop in enumerate(stops[:_MOST_STOPS]):
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        look(f"{name} {number} keyboard", stop)
        place = QPointF(stop.rect().center())
        QApplication.sendEvent(stop, QEnterEvent(place, place, place))
        stop.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        look(f"{name} {number} pointer", stop)
        stop.setDown(True)
        look(f"{name} {number} held", stop)
        stop.setDown(False)
        stop.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
        QApplication.sendEvent(stop, QEvent(QEvent.Type.Leave))


def wait_until(is_so: Callable[[], bool]) -> None:
    """Let the window work until something is so."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if is_so() else None)
    timer.start(5)
    if not is_so():
        loop.exec()
    for _ in range(4):
        QApplication.sendPostedEvents()


def is_quiet(window: MainWindow) -> bool:
    """Return whether nothing is being worked out, and nothing waits to be, in a window."""
    timers = window.findChildren(QTimer)
    waits = any(
        each.isActive() and each.isSingleShot() and each.interval() < _LATER_MS for each in timers
    )
    compared = window.compare_handler.page.compared if window.session else None
    is_computing = compared is not None and compared.is_computing
    return window.jobs.is_idle and window.schedule.is_settled and not waits and not is_computing


def show_window(window: MainWindow, look: Look) -> None:
    """Show every view with its parts, the page of keys, and the menus."""
    for title in each_part(window, wait_until):
        wait_until(lambda: is_quiet(window))
        look(title, window)
        window.setWhatsThis("\n".join(tips_of(window)))
        look(f"{title} tips", window)
        window.setWhatsThis("")
    window.views.show(Mode.LIST)
    window.overlay.open()
    look("page of keys", window)
    window.overlay.close()


def show_sizes(window: MainWindow, look: Look) -> None:
    """Show an awkward project's documents in a small window and a large one, in larger text too."""
    for extra_px, size in ((0, (960, 600)), (0, (1440, 900)), (7, (1100, 700))):
        window.change_settings(extra_px=extra_px)
        window.apply_theme()
        window.resize(*size)
        for mode in (Mode.LIST, Mode.FOCUS, Mode.WHATIF):
            window.views.show(mode)
            for name, place in PLACES.items():
                go_to(window, *place)
                wait_until(lambda: is_quiet(window))
                look(f"{size[0]} {mode} {name}", window)


def show_dialogs(window: MainWindow, look: Look) -> None:
    """Show all that asks something, and where Tab stops in it."""

    def look_twice(name: str, dialog: QWidget) -> None:
        look(name, dialog)
        stops = (
            f"{type(each).__name__} {each.accessibleName()} {each.mapTo(dialog, QPoint())}"
            for each in stops_of(dialog)
        )
        dialog.setWhatsThis("\n".join(stops))
        look(f"{name} stops", dialog)
        dialog.setWhatsThis("")

    look_at_dialogs(window, wait_until, look_twice)


def stops_of(dialog: QWidget) -> Iterator[QWidget]:
    """Yield where Tab stops, one after the other."""
    dialog.activateWindow()
    wait_until(dialog.isActiveWindow)
    for _ in range(_MOST_TABS):
        here = QApplication.focusWidget()
        if here is None or not dialog.isAncestorOf(here):
            return
        yield here
        QTest.keyClick(here, Qt.Key.Key_Tab)


class Agreeing(FakePrompter):
    """Takes the first answer to all that is asked, and chooses no file."""

    def ask(self, text, choices, *, detail="", title="", put_off="Cancel"):
        self.asked.append((f"{title} {text} {detail}", tuple(each.text for each in choices)))
        return choices[0].name

    def choose_files(self, title, kinds=()):
        return []

    def choose_file(self, title, kinds=()):
        return None

    def choose_place(self, title, suggested, *, kinds=()):
        self.suggested.append(suggested)


def show_actions(window: MainWindow, look: Look) -> None:
    """Do all that can be done where one judges, one after the other, and look after each."""
    window.prompter = Agreeing()
    for key in "2103":
        QTest.keyClick(window.workspace.results.table, key)
        wait_until(lambda: is_quiet(window))
        look(f"list {key}", window)
    with patch.object(QDialog, "exec", lambda _dialog: 0):
        _do_all(window, look, (Mode.LIST, Mode.FOCUS, Mode.WHATIF))


def show_others(window: MainWindow, look: Look) -> None:
    """Go round by the tour, then do all that can be done in the other views."""
    window.prompter = Agreeing()
    window.actions_by_name.action("help.tour").trigger()
    callout = window.findChild(Callout)
    for step in range(_MOST_STEPS):
        wait_until(lambda: is_quiet(window))
        if not callout.isVisible():
            break
        look(f"tour {step}", window)
        callout.next.click()
    with patch.object(QDialog, "exec", lambda _dialog: 0):
        _do_all(window, look, (Mode.COMPARE, Mode.AGREEMENT, Mode.SETTLE))


def _do_all(window: MainWindow, look: Look, modes: Iterable[Mode]) -> None:
    prompter = window.prompter
    for mode in modes:
        for spec in ACTIONS:
            is_of_view = mode in spec.modes or (not spec.modes and mode is Mode.LIST)
            if not is_of_view or spec.name in _LEFT_OUT:
                continue
            if window.views.mode is not mode:
                window.views.show(mode)
                wait_until(lambda: is_quiet(window))
            for time in ("", " again") if spec.name in _TWICE or "switch" in spec.how else ("",):
                window.actions_by_name.action(spec.name).trigger()
                wait_until(lambda: is_quiet(window))
                window.setWhatsThis(
                    f"{prompter.asked} {prompter.told} {[each.name for each in prompter.suggested]}"
                )
                look(f"{mode} {spec.name}{time}", window)


PARTS_OF = {
    "sizes": awkward_large_parts,
    "awkward": awkward_large_parts,
    "bare": partial(simple_parts, n_queries=2, n_documents=3),
}
"""What projects hold that are not the sample: in the bare one nobody has judged, or said who judges."""


def look_at(
    scene: str, look: Look, *, show: Show | None = None, size: tuple[int, int] = (1100, 700)
) -> None:
    """Show a scene's things one after the other, as ``SCENES`` does or otherwise."""
    save_settings(Settings())
    app = make_application()
    app.setCursorFlashTime(0)
    QCursor.setPos(0, 0)
    if scene == "gallery":
        show_gallery(app, look)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = PARTS_OF[scene]() if scene in PARTS_OF else None
        with make_project(folder, parts) if parts else open_sample(folder) as session:
            path = session.path
            if scene == "actions":
                create_whatif(session, "tried", session.material.runs[0].run_id)
        window = MainWindow(assessor="" if scene == "bare" else "anna", theme="light")
        window.prompter = FakePrompter()
        # What is said for a time stays: how long all this takes is another each time.
        for timer in window.findChildren(QTimer):
            if timer.interval() == MESSAGE_MS:
                timer.setInterval(_FOR_EVER_MS)
        window.apply_theme()
        window.resize(*size)
        window.show()
        window.try_open(path)
        wait_until(lambda: is_quiet(window))
        (show or SCENES[scene])(window, look)
        window.close()


SCENES = {
    "gallery": show_gallery,
    "window": show_window,
    "dialogs": show_dialogs,
    "actions": show_actions,
    "others": show_others,
    "sizes": show_sizes,
}


def lines_of(scene: str, save: Path | None = None) -> list[str]:
    """Return the lines of a scene; saves what they are made of where a folder is given."""
    lines: list[str] = []

    def look(name: str, widget: QWidget) -> None:
        called = re.sub(r"\W+", "-", name).lower().strip("-")
        picture = picture_of(widget)
        words = _TIME.sub("", "\n".join([*words_of(widget), *keys_of(widget)]))
        if save is not None:
            picture.save(str(save / f"{called}.png"))
            (save / f"{called}.txt").write_text(words, encoding="utf-8")
        sums = [f"{sum_of(picture):08x}", f"{crc32(words.encode()):08x}"]
        if called.removesuffix("-tips").removesuffix("-stops") in OF_NOW:
            sums = ["-", "-"]
        lines.append(" ".join([f"{scene}/{called}", *sums]))

    look_at(scene, look)
    return [f"{scene}/canary {canary():08x}", *lines]


def printed(scene: str, *, by: str = "tests.gui.looks") -> list[str]:
    """Return the lines of a scene as a process of its own prints them: nothing was shown before.

    Args:
        scene: its name.
        by: the module that prints it.
    """
    command = [sys.executable, "-m", by, scene]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=KEPT.parents[2])
    return told.stdout.splitlines()


def print_lines(lines: Callable[[], list[str]]) -> None:
    """Print what a scene comes to, without a screen and in a home of its own."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"JUDGETOOL_HOME": home, "JUDGETOOL_LANGUAGE": "en"}
        sys.stdout.write("\n".join(lines()) + "\n")


def main() -> None:
    """Print, save or keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene", nargs="?", choices=[*SCENES], default="gallery")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    if given.keep:
        lines = [line for scene in SCENES for line in printed(scene)]
        KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    print_lines(partial(lines_of, given.scene, given.save))


if __name__ == "__main__":
    main()
