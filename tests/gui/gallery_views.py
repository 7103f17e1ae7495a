"""Render the whole window, on awkward projects, in every view, to PNG; not a test.

Run ``python -m tests.gui.gallery_views FOLDER [--sizes 960x600 ...] [--themes light ...]``.
``QT_SCALE_FACTOR=2`` gives 200 %; ``--extra-px 4`` a larger interface font;
``--language xr`` all from right to left, ``xx`` longer words. A screen of another size than
800×800 is given by ``QT_QPA_PLATFORM=offscreen:configfile=FILE``.
"""

import argparse
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from judgetool.core.catalogues import choose_language
from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application, speak_qt
from judgetool.gui.main_window import MainWindow
from judgetool.settings import Settings, save_settings
from tests.gui.everywhere import each_part, look_at_dialogs
from tests.helpers.builders import (
    Parts,
    awkward_large_parts,
    make_project,
    open_sample,
    simple_parts,
)

SIZES = ("960x600", "1100x700", "1440x900", "1920x1080")
PROJECTS: dict[str, Callable[[], Parts]] = {
    "empty": Parts,
    "one": lambda: simple_parts(n_queries=1, n_documents=1),
    "awkward": awkward_large_parts,
}
# The query and document that a picture is of, by external ids.
PLACES = {
    "first": ("plain", "long-title"),
    "rtl": ("שלום", "rtl"),
    "marks": ("zwj👩\u200d👩\u200d👧", "marks"),
    "emoji": ("a\tb", "emoji 👩\u200d👩\u200d👧"),
    "letters": ("2,000 letters", "long-fields"),
    "many": ("5,000 results", "many-0"),
    "bare": ("bare", "-"),
    "no-run": ("no run", ""),
    "spaces": ("plain", "no-spaces"),
}
_SETTLES_MS = 350


def settle(for_ms: int) -> None:
    """Let the window work for so long; pictures are for people, who look later than that."""
    loop = QEventLoop()
    QTimer.singleShot(for_ms, loop.quit)
    loop.exec()


@contextmanager
def own_home(extra_px: int) -> Iterator[Path]:
    """Give a home of its own, with preferences that set the font."""
    home = Path(tempfile.mkdtemp())
    os.environ["JUDGETOOL_HOME"] = str(home / "home")
    save_settings(Settings(extra_px=extra_px))
    yield home
    shutil.rmtree(home, ignore_errors=True)


def go_to(window: MainWindow, query_id: str, document_id: str) -> None:
    """Show a document of a query."""
    material = window.session.material
    query, document = material.find_query(query_id), material.find_document(document_id)
    if query is not None:
        window.view.judging.show_query(query)
        if document is not None:
            window.view.judging.show_place(query, document)


def save_everything(window: MainWindow, folder: Path, name: str) -> None:
    """Save a picture of every view with its parts, of the help, and of all that asks something."""

    def wait(is_so: Callable[[], bool]) -> None:
        settle(_SETTLES_MS)
        while not is_so():
            settle(_SETTLES_MS)

    def save(title: str, shown: QWidget) -> None:
        settle(_SETTLES_MS)
        called = re.sub(r"\W+", "-", title).lower().strip("-")
        shown.grab().save(str(folder / f"{name}-{called}.png"))

    for title in each_part(window, wait):
        save(title, window)
    window.views.show(Mode.LIST)
    window.overlay.open()
    save("page of keys", window)
    window.overlay.close()
    look_at_dialogs(window, wait, save)
    window.actions_by_name.action("help.start").trigger()
    for shown in QApplication.topLevelWidgets():
        if shown.isVisible() and shown is not window and not shown.parent():
            save("help " + shown.windowTitle(), shown)


def save_views(window: MainWindow, folder: Path, name: str, places: dict) -> None:
    """Save a picture of each view at each place."""
    for mode in window.views.modes:
        window.views.show(Mode(mode))
        for title, place in places.items():
            go_to(window, *place)
            settle(_SETTLES_MS)
            window.grab().save(str(folder / f"{name}-{mode}-{title}.png"))
    window.views.show(Mode.LIST)
    window.overlay.open()
    settle(50)
    window.grab().save(str(folder / f"{name}-keys.png"))
    window.overlay.close()


def main() -> None:
    """Write all pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--themes", nargs="*", default=["light", "dark"])
    parser.add_argument("--projects", nargs="*", default=[*PROJECTS, "sample"])
    parser.add_argument("--places", nargs="*", default=list(PLACES))
    parser.add_argument("--extra-px", type=int, default=0)
    parser.add_argument("--language", default="", help="such as xr, from right to left")
    parser.add_argument("--everything", action="store_true", help="parts of views, and dialogs")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    options.folder.mkdir(parents=True, exist_ok=True)
    with own_home(options.extra_px) as home:
        app = make_application()
        choose_language(options.language)
        speak_qt(app)
        for project in options.projects:
            make = PROJECTS.get(project)
            with make_project(home, make(), name=project) if make else open_sample(home) as session:
                path = session.path
            for theme in options.themes:
                window = MainWindow(assessor="anna", theme=theme)
                window.apply_theme()
                window.show()
                window.try_open(path)
                places = {name: PLACES[name] for name in options.places}
                places = places if project == "awkward" else {"first": ("", "")}
                for size in options.sizes:
                    window.resize(*map(int, size.split("x")))
                    if options.everything:
                        save_everything(window, options.folder, f"{theme}-{size}")
                    else:
                        save_views(window, options.folder, f"{project}-{theme}-{size}", places)
                window.close()


if __name__ == "__main__":
    main()
