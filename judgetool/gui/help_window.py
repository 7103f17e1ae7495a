"""The help: our own Markdown pages, a list of them, and search in the page."""

from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, Qt, QUrl
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidgetItem,
    QTextBrowser,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.errors import ResourceMissingError
from judgetool.gui.dialogs.framed_list import PieceList, list_item
from judgetool.gui.theme import Role, current_theme, font, scaled
from judgetool.gui.widgets.fields import focus_field, name_signs
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import announce, announce_later, in_column, in_line
from judgetool.resources import resource_path
from judgetool.wording import _

# In the order in which they are listed; other pages follow by name.
_FIRST = ("index", "getting-started", "assessors", "keys", "formats", "measures")
_LAST = ("changelog",)
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


@cache
def help_pages() -> dict[str, Path]:
    """Return the pages that ship, by name without ending, in the order of the list."""
    paths = {path.stem: path for path in sorted(resource_path("help").glob("*.md"))}
    middle = [name for name in paths if name not in (*_FIRST, *_LAST)]
    order = [name for name in (*_FIRST, *middle, *_LAST) if name in paths]
    return {name: paths[name] for name in order}


def page_title(text: str, name: str) -> str:
    """Return a page's first heading, or its name."""
    heading = next((line for line in text.splitlines() if line.startswith("# ")), "")
    return heading.removeprefix("# ").strip() or name.replace("-", " ").capitalize()


@cache
def page_titles() -> dict[str, str]:
    """Return what each page that ships is called, by its name."""
    pages = help_pages().items()
    return {name: page_title(path.read_text(encoding="utf-8"), name) for name, path in pages}


def find_picture(url: QUrl) -> QImage | None:
    """Return a picture that ships beside the pages; ``None`` for any other address."""
    name = url.path()
    if not url.isRelative() or not name.endswith(".png"):
        return None
    try:
        picture = QImage(str(resource_path(f"help/{name}")))
    except (ValueError, ResourceMissingError):
        return None
    if picture.isNull():
        return None
    width = scaled(620)
    is_wide = picture.width() > width
    mode = Qt.TransformationMode.SmoothTransformation
    return picture.scaledToWidth(width, mode) if is_wide else picture


def _no_picture() -> QImage:
    picture = QImage(1, 1, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


class HelpPage(QTextBrowser):
    """Shows one page; loads nothing by itself, follows nothing by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.document().setDocumentMargin(scaled(24))
        self.setAccessibleName(_("Help page"))

    @override
    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return our own pictures, and something empty for everything else.

        ``None`` would make Qt open the file itself.
        """
        if kind == QTextDocument.ResourceType.ImageResource.value:
            return find_picture(QUrl(name)) or _no_picture()
        return QByteArray(b" ")

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Have a caret for readers, who follow it; without one arrows scroll."""
        flags, caret = self.textInteractionFlags(), Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.setTextInteractionFlags(flags | caret if QAccessible.isActive() else flags & ~caret)
        super().focusInEvent(event)

    @override
    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Go to the next link, and have a reader say it."""
        moved = super().focusNextPrevChild(is_next)
        cursor = self.textCursor()
        if self.hasFocus() and cursor.hasSelection() and cursor.charFormat().isAnchor():
            text = " ".join(cursor.selectedText().split())
            announce(self, _("{text}, link").format(text=text))
        return moved

    def show_markdown(self, text: str) -> None:
        """Show a page of ours."""
        self.setAccessibleName(page_title(text, _("Help page")))
        theme = current_theme()
        self.document().setDefaultFont(font(Role.DOCUMENT))
        self.document().setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        self._style_blocks(theme.sunken)
        self._style_tables(theme.line_strong)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _style_blocks(self, code_ground: QColor) -> None:
        """Set line heights and margins, and the ground of code, which Markdown leaves bare."""
        block = self.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            shape, change = block.blockFormat(), QTextBlockFormat()
            is_code = shape.hasProperty(QTextFormat.Property.BlockCodeFence)
            if is_code or shape.hasProperty(QTextFormat.Property.BlockCodeLanguage):
                change.setBackground(code_ground)
                change.setLeftMargin(float(scaled(4)))
                change.setNonBreakableLines(False)
            elif cursor.currentTable() is None:
                change.setLineHeight(130.0, _PROPORTIONAL)
                if shape.headingLevel() > 1:
                    change.setTopMargin(float(scaled(18)))
            cursor.mergeBlockFormat(change)
            block = block.next()

    def _style_tables(self, line: QColor) -> None:
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                shape = frame.format()
                shape.setBorder(1)
                shape.setBorderCollapse(True)
                shape.setBorderBrush(line)
                shape.setCellPadding(float(scaled(5)))
                shape.setCellSpacing(0)
                frame.setFormat(shape)


class HelpWindow(QWidget):
    """A window of its own with all help pages.

    Args:
        parent: the main window; it stays usable.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(_("judgetool help"))
        self.setMinimumSize(scaled(560), scaled(400))
        self.resize(scaled(900), scaled(680))
        self._name = ""
        self.list = PieceList(_("Pages"))
        self.list.setFixedWidth(scaled(200))
        self.list.viewport().setAutoFillBackground(False)
        self.page = HelpPage()
        self.search = QLineEdit()
        self.search.setPlaceholderText(_("Find in all pages"))
        self.search.setClearButtonEnabled(True)
        name_signs(self.search)
        self.search.setAccessibleName(_("Find in all pages"))
        self._texts: dict[str, str] = {}
        self.found = QLabel()
        self.found.setTextFormat(Qt.TextFormat.PlainText)
        self.address = ElidedLabel("", role=Role.META, ink="text3")
        self._lay_out()
        for title in page_titles().values():
            self.list.addItem(list_item(title, title, title))
        self._connect()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 12, 12, 8)
        top.addWidget(self.search, stretch=1)
        top.addWidget(self.found)
        side = in_line(self.list, margins=(12, 12, 0, 12))
        foot = in_line(self.address, margins=(12, 5, 12, 5))
        in_line(side, in_column(top, self.page, 1, foot), 1, host=self, spacing=8)

    def _connect(self) -> None:
        self.list.currentItemChanged.connect(self._open_item)
        self.search.textChanged.connect(self._find_first)
        self.search.returnPressed.connect(self.find_next)
        self.page.anchorClicked.connect(self._follow)
        self.page.highlighted.connect(self._show_address)
        for keys, act in (
            ("Ctrl+F", self._focus_search),
            ("/", self._focus_search),
            ("F3", self.find_next),
            ("Ctrl+W", self.close),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(act)

    def open_page(self, name: str) -> None:
        """Show a page and bring the window to the front.

        Args:
            name: of the page, without ending, such as ``keys``; perhaps with a
                heading's anchor after ``#``.

        Raises:
            ResourceMissingError: no page of this name ships with judgetool.
        """
        stem, __, anchor = name.partition("#")
        self.show_page(stem)
        if anchor:
            self._scroll_to(anchor)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_page(self, name: str) -> None:
        """Show a page without touching the window.

        Raises:
            ResourceMissingError: no page of this name ships with judgetool.
        """
        path = help_pages().get(name)
        if path is None:
            raise ResourceMissingError(
                _("The help has no page ‘{name}’. It has: {help_pages}.").format(
                    name=name, help_pages=", ".join(help_pages())
                )
            )
        self._name = name
        self.page.show_markdown(path.read_text(encoding="utf-8"))
        self.address.set_text("")
        row = list(help_pages()).index(name)
        if self.list.currentRow() != row:
            self.list.setCurrentRow(row)
        self._find_first(self.search.text())

    def _open_item(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        name = list(help_pages())[self.list.row(item)]
        if name != self._name:
            self.show_page(name)

    def _follow(self, url: QUrl) -> None:
        """Go to another page of ours; of anything else only show the address."""
        name = url.path().removesuffix(".md").rsplit("/", maxsplit=1)[-1]
        if url.isRelative() and (not url.path() or name in help_pages()):
            if url.path():
                self.show_page(name)
                # After the flood of another text, in which readers drop what is announced.
                announce_later(self, self.page.accessibleName())
            if url.fragment():
                self._scroll_to(url.fragment())
            return
        self._show_address(url)

    def _show_address(self, url: QUrl) -> None:
        self.address.set_text("" if url.isRelative() else url.toDisplayString())

    def _scroll_to(self, anchor: str) -> None:
        """Bring the heading with this anchor (GitHub's spelling) to the top."""
        block = self.page.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and heading_anchor(block.text()) == anchor:
                cursor = QTextCursor(block)
                self.page.moveCursor(QTextCursor.MoveOperation.End)
                self.page.setTextCursor(cursor)
                return
            block = block.next()

    def _focus_search(self) -> None:
        focus_field(self.search)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc empties the search field, then closes the window."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
            self.page.setFocus()
        else:
            self.close()

    def _find_first(self, text: str) -> None:
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        found = self._pages_with(text)
        for row, name in enumerate(help_pages()):
            self.list.item(row).setHidden(bool(text) and name not in found)
        self.found.setText("")
        if text and not self.page.find(text):
            others = number_of(len(found), "on {n} other page: Enter", "on {n} other pages: Enter")
            self.found.setText(others if found else _("in no page"))

    def _pages_with(self, text: str) -> list[str]:
        """Return the names of the pages that hold a text, as they are read."""
        if not text:
            return []
        if not self._texts:
            for name, path in help_pages().items():
                page = QTextDocument()
                page.setMarkdown(path.read_text(encoding="utf-8"))
                self._texts[name] = page.toPlainText().casefold()
        return [name for name, shown in self._texts.items() if text.casefold() in shown]

    def find_next(self) -> None:
        """Go to the next place where the searched text stands, on the pages in turn."""
        text = self.search.text()
        if not text or self.page.find(text):
            return
        found, names = self._pages_with(text), list(help_pages())
        here = names.index(self._name) if self._name in names else -1
        turned = [*names[here + 1 :], *names[: here + 1]]
        following = next((name for name in turned if name in found), self._name)
        if following == self._name:
            self._find_first(text)
        else:
            self.show_page(following)
            announce(self, self.page.accessibleName())

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Show the page anew in another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_name") and self._name:
            self.show_page(self._name)


def heading_anchor(text: str) -> str:
    """Return a heading's anchor as GitHub spells it.

    Examples:
        >>> heading_anchor("Read a run, twice")
        'read-a-run-twice'
    """
    kept = (sign for sign in text.lower() if sign.isalnum() or sign in " -_")
    return "".join(kept).strip().replace(" ", "-")
