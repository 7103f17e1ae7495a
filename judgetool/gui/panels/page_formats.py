"""Formats of the paragraphs, tables and letters of a page."""

from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTableFormat,
)

from judgetool.gui.fonts import Role, font, line_height
from judgetool.gui.text_marks import text_direction

_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value


def insert_paragraphs(
    cursor: QTextCursor, text: str, chars: QTextCharFormat, paragraph: QTextBlockFormat
) -> None:
    """Write one or several paragraphs at a cursor, the first into its block."""
    cursor.setBlockFormat(paragraph)
    cursor.setBlockCharFormat(chars)
    cursor.insertText(text, chars)


def field_table(first_column: int) -> QTextTableFormat:
    """Return the format of a table of names and values without any lines."""
    form = QTextTableFormat()
    form.setBorder(0)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    form.setCellPadding(0)
    form.setCellSpacing(0)
    form.setMargin(0)
    form.setColumnWidthConstraints(
        [
            QTextLength(QTextLength.Type.FixedLength, first_column),
            QTextLength(QTextLength.Type.PercentageLength, 100),
        ]
    )
    return form


def field_paragraph(text: str) -> QTextBlockFormat:
    """Return the format of a name or a value in the table of fields."""
    paragraph = block_format(Role.UI)
    paragraph.setLineHeight(line_height(Role.UI) + 2, _MINIMUM)
    paragraph.setLayoutDirection(text_direction(text))
    return paragraph


def char_format(role: Role, ink: QColor, *, grow: float = 0.0) -> QTextCharFormat:
    """Return the format of letters."""
    chars = QTextCharFormat()
    chars.setFont(font(role, grow=grow))
    chars.setForeground(QBrush(ink))
    return chars


def block_format(role: Role, *, grow: float = 0.0) -> QTextBlockFormat:
    """Return the format of a paragraph as high as its role."""
    paragraph = QTextBlockFormat()
    paragraph.setLineHeight(line_height(role, grow=grow), _MINIMUM)
    return paragraph
