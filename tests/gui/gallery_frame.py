"""The widgets around the work as pages of the gallery, and Qt's own controls."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QToolButton,
    QWidget,
)

from judgetool.gui.icons import themed_icon
from judgetool.gui.widgets.fields import NumberField
from judgetool.gui.widgets.keys_overlay import KeyEntry, KeyGroup, KeysOverlay
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.widgets.welcome import RecentProject, WelcomeView
from tests.gui.gallery_panels import stack


def status_lines() -> QWidget:
    """Return the status line in its states."""
    saved = StatusLine()
    saved.set_saved("14:32:07")
    saved.set_progress("240 of 269 judged", "214 an hour", "29 left, about 8 min")
    saved.set_ends(view="anna’s judgments", scale="Scale 0–3")
    lost = StatusLine()
    lost.set_not_saved("the disk is full")
    lost.set_progress("240 of 269 judged")
    lost.set_ends(view="anna’s judgments", scale="Scale 0–3")
    locked = StatusLine()
    locked.set_read_only("made by a newer judgetool")
    message = StatusLine()
    message.set_saved("15:06:40")
    message.show_message(
        "12 judgments of ‘cold soup’ were taken back.", action="redo", action_text="Redo"
    )
    nothing = StatusLine()
    nothing.set_nothing()
    nothing.set_ends(remark="Works offline. Nothing leaves this machine.")
    return stack(saved, lost, locked, message, nothing, width=1000)


def keys_overlay() -> QWidget:
    """Return the keyboard overlay over an empty window."""
    page = QWidget()
    page.resize(1440, 900)
    overlay = KeysOverlay(page)
    grade = KeyGroup(
        "Grade",
        tuple(
            KeyEntry(keys, text)
            for keys, text in (
                ("0 … 3", "Give that grade, save, move on"),
                ("Shift+0 … 3", "Grade and stay"),
                ("Del", "Back to unjudged"),
                ("X", "Cannot judge, with a reason"),
                ("S", "Skip for later"),
                ("F", "Flag for discussion"),
                ("E", "Note"),
                ("Ctrl+Z", "Undo, across queries"),
                ("Ctrl+Shift+Z", "Redo"),
            )
        ),
    )
    move = KeyGroup(
        "Move",
        tuple(
            KeyEntry(keys, text)
            for keys, text in (
                ("J K", "Next, previous document"),
                ("N", "Next unjudged, anywhere"),
                ("[ ]", "Previous, next query"),
                ("Home End", "First, last document"),
                ("/", "Filter queries"),
            )
        ),
    )
    read = KeyGroup(
        "Read",
        (
            KeyEntry("Space", "Whole text, then page down"),
            KeyEntry("Ctrl++ Ctrl+−", "Larger, smaller text"),
        ),
    )
    mark = KeyGroup("Mark", (KeyEntry("Shift+↑ Shift+↓", "Select several"),))
    view = KeyGroup("View", (KeyEntry("V", "List, focus"), KeyEntry("?", "This page")))
    whatif = KeyGroup("What-if", (KeyEntry("Alt+↑ Alt+↓", "Move up, down", is_dimmed=True),))
    overlay.set_groups(
        (grade, move, mark, read, view, whatif),
        remark="Keys never fire while you type in a field.",
    )
    overlay.open()
    return page


def welcome() -> QWidget:
    """Return the welcome view as in the picture."""
    view = WelcomeView()
    view.resize(1100, 636)
    view.set_recent(
        (
            RecentProject("a", "recipes", "Documents/judging", (240, 269), "today 14:32"),
            RecentProject("b", "icecat-shop", "Documents/judging/shop", (1864, 2740), "yesterday"),
            RecentProject("c", "miracl-yoruba pilot", "shared with ben", (512, 1190), "14 Nov"),
            RecentProject("d", "trec-covid round 1", "USB stick", None, "", is_missing=True),
            RecentProject(
                "e", "esci spring sample", "Documents/judging/archive", (3000, 3000), "2 Oct"
            ),
        )
    )
    return view


def welcome_empty() -> QWidget:
    """Return the welcome view on the first day, in the smallest window."""
    view = WelcomeView()
    view.resize(960, 540)
    view.set_recent(())
    return view


def controls() -> QWidget:
    """Return Qt's own controls as the style sheet dresses them."""
    page = QWidget()
    grid = QGridLayout(page)
    field = QLineEdit("Filter queries")
    empty = QLineEdit()
    empty.setPlaceholderText("Filter queries")
    box = QComboBox()
    box.addItems(["full-bm25-stem", "chargrams"])
    spin = NumberField(1, 1000)
    main = QPushButton("Import 1,404 records")
    main.setDefault(True)
    dead = QPushButton("Show them")
    dead.setEnabled(False)
    off = QLineEdit("not now")
    off.setEnabled(False)
    checked, half, radio = QCheckBox("Blind"), QCheckBox("Some"), QRadioButton("By rank")
    checked.setChecked(True)
    half.setTristate(True)
    half.setCheckState(Qt.CheckState.PartiallyChecked)
    radio.setChecked(True)
    tool = QToolButton()
    tool.setIcon(themed_icon("search"))
    framed = QToolButton()
    framed.setProperty("framed", True)
    framed.setText("Tools")
    text = QPlainTextEdit("line\n" * 30)
    text.setProperty("framed", True)
    text.setFixedHeight(80)
    bar = QProgressBar()
    bar.setValue(40)
    bar.setTextVisible(False)
    widgets = (
        *(field, empty, box, spin, QPushButton("Cancel"), main, dead, off),
        *(
            checked,
            QCheckBox("Off"),
            half,
            radio,
            QRadioButton("By score"),
            tool,
            framed,
            text,
            bar,
        ),
    )
    for place, widget in enumerate(widgets):
        grid.addWidget(widget, place // 3, place % 3)
    menu = QMenu(page)
    menu.addAction("Undo\tCtrl+Z")
    checkable = menu.addAction("Blind mode")
    checkable.setCheckable(True)
    checkable.setChecked(True)
    menu.addSeparator()
    menu.addMenu("Density")
    menu.addAction("Not now").setEnabled(False)
    grid.addWidget(menu, 6, 0)
    return page


PAGES = {
    "status-lines": status_lines,
    "keys-overlay": keys_overlay,
    "welcome": welcome,
    "welcome-empty": welcome_empty,
    "controls": controls,
}
