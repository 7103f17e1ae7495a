"""A few lines of Markdown in a side panel, as high as they need."""

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QImage, QPalette, QResizeEvent, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, line_height, scaled
from judgetool.gui.panels.written_page import harmless_resource
from judgetool.gui.theme import current_theme

INDENT = 16
_MOST_TEXT = 20_000
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value


class MarkdownText(QTextBrowser):
    """Text that wraps and is never cut; follows no address and loads nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._is_markdown = "", False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)

    def show_markdown(self, text: str) -> None:
        """Show a text as Markdown."""
        self._show(text, is_markdown=True)

    def show_plain(self, text: str) -> None:
        """Show a text as it is."""
        self._show(text, is_markdown=False)

    def _show(self, text: str, *, is_markdown: bool) -> None:
        if (text, is_markdown) != (self._text, self._is_markdown):
            self._text, self._is_markdown = text, is_markdown
            self.setAccessibleName(text[:500])
            self._write()

    def _write(self) -> None:
        document = self.document()
        document.setDefaultFont(font(Role.UI))
        document.setDocumentMargin(0)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, current_theme().text2)
        self.setPalette(palette)
        if self._is_markdown:
            self.setMarkdown(self._text[:_MOST_TEXT])
        else:
            self.setPlainText(self._text[:_MOST_TEXT])
        self._set_lines()
        self._fit()

    def _set_lines(self) -> None:
        block = self.document().begin()
        while block.isValid():
            cursor, change = QTextCursor(block), QTextBlockFormat()
            change.setLineHeight(line_height(Role.UI) + scaled(2), _MINIMUM)
            change.setTopMargin(0 if not block.blockNumber() else scaled(6))
            change.setBottomMargin(0)
            if block.blockFormat().headingLevel():
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                chars = cursor.charFormat()
                chars.setFont(font(Role.UI_STRONG))
                cursor.setCharFormat(chars)
            cursor.mergeBlockFormat(change)
            block = block.next()

    def _fit(self) -> None:
        """Be as high as the text is at this width."""
        room = max(40, self.width() - 2 * scaled(INDENT))
        self.document().setTextWidth(room)
        self.setViewportMargins(scaled(INDENT), 0, scaled(INDENT), 0)
        self.setFixedHeight(round(self.document().size().height()) + scaled(14))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._write()

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> QImage | QByteArray:
        """Return something harmless, so that Qt opens no file by itself."""
        return harmless_resource(kind)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width."""
        return QSize(scaled(80), 0)
