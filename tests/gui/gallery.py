"""Render every widget of the window to PNG, for a person to look at; not a test.

Run ``QT_QPA_PLATFORM=offscreen python -m tests.gui.gallery FOLDER [NAME ...]``.
"""

import argparse
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from judgetool.gui.theme import THEMES, install_fonts, set_theme
from tests.gui import gallery_frame, gallery_panels

PAGES = {**gallery_panels.PAGES, **gallery_frame.PAGES}


def main() -> None:
    """Write one picture per page and theme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=list(PAGES))
    parser.add_argument("--extra-px", type=float, default=0.0, help="added to the font")
    parser.add_argument("--no-inter", action="store_true", help="with the system's own font")
    parser.add_argument("--rtl", action="store_true", help="from right to left")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    if options.rtl:
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    install_fonts(app, extra_px=options.extra_px, prefer_inter=not options.no_inter)
    for theme in THEMES.values():
        set_theme(app, theme)
        for name in options.names:
            page = PAGES[name]()
            page.show()
            app.sendPostedEvents()
            page.grab().save(str(options.folder / f"{name}-{theme.name}.png"))


if __name__ == "__main__":
    main()
