"""The parts of the welcome view: ways to begin, where files can be dropped, the name."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import (
    TURN,
    TWELVE_O_CLOCK,
    draw_frame,
    draw_key_cap,
    draw_text,
    key_cap_size,
    smooth,
    start_align,
)
from judgetool.gui.widgets.painted import RING, PaintedButton, PaintedWidget, mirrored

DROP_TITLE = "Or drop files here"
DROP_TEXT = (
    "Queries, documents, runs, judgments: TREC, CSV, JSON lines, Quepid and more. "
    "You see what was read before anything is kept."
)


class StartButton(PaintedButton):
    """A way to begin: icon, what it does, what comes of it, its key."""

    radius = 6.0

    def __init__(self, title: str, text: str, *, icon: str, key: str, parent: QWidget) -> None:
        """Make the button.

        Args:
            title: what it does.
            text: what comes of it.
            icon: Lucide's name.
            key: printed at the end.
            parent: of the widget.
        """
        super().__init__(parent)
        self._detail = text
        self._icon = icon
        self._key = key
        self.setText(title)
        self.setAccessibleName(f"{title} {text}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        needed = line_height(Role.UI_STRONG) + line_height(Role.META) + 14
        around = scaled(49) + 8 + key_cap_size(self._key)[0] + scaled(15) + 2
        words = max(text_width(Role.META, self._detail), text_width(Role.UI_STRONG, self.text()))
        return QSize(around + words, max(scaled(60), needed))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(120, self.sizeHint().height())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the face."""
        theme, face = self.theme, self.face
        ground = theme.sunken if self.isDown() else theme.hover if self.underMouse() else theme.base
        draw_frame(painter, face, radius=self.radius, border=theme.line_strong, ground=ground)
        square = QRectF(face.left() + scaled(15), face.center().y() - 10, 20, 20)
        draw_icon(painter, self.mirrored(square), name=self._icon, colour=theme.text3, px=20)
        width, height = key_cap_size(self._key)
        left = face.right() - scaled(15) - width
        cap = QRectF(left, face.top() + (face.height() - height) // 2, width, height)
        draw_key_cap(painter, self.mirrored(cap), theme, text=self._key)
        left = face.left() + scaled(49)
        upper, lower = line_height(Role.UI_STRONG), line_height(Role.META)
        top = face.top() + (face.height() - upper - lower) // 2
        lines = (
            (QRectF(left, top, cap.left() - left - 8, upper), self.text(), Role.UI_STRONG),
            (QRectF(left, top + upper, cap.left() - left - 8, lower), self._detail, Role.META),
        )
        for place, text, role in lines:
            ink = theme.text if role is Role.UI_STRONG else theme.text2
            align = start_align(self.layoutDirection())
            draw_text(painter, self.mirrored(place), text, role=role, colour=ink, align=align)


class DropZone(PaintedWidget):
    """Says that files can be dropped, and shows when they are held over the view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_over = False
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(f"{DROP_TITLE}. {DROP_TEXT}")

    def set_over(self, *, is_over: bool) -> None:
        """Show that files are held over the view."""
        self._is_over = is_over
        self.update()

    @override
    def hasHeightForWidth(self) -> bool:
        """Whether the height follows from the width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Return the height at a width."""
        return line_height(Role.UI_STRONG) + self._text_height(width) + 2 * scaled(14) + 4

    def _text_height(self, width: int) -> int:
        face = QFontMetrics(font(Role.META))
        box = face.boundingRect(
            0, 0, width - 2 * scaled(20), 1000, int(Qt.TextFlag.TextWordWrap), DROP_TEXT
        )
        lines = round(box.height() / max(1, face.lineSpacing()))
        return lines * scaled(18)

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(scaled(300), self.heightForWidth(max(self.width(), scaled(300))))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        theme = self.theme
        frame = QRectF(self.rect()).adjusted(RING + 0.5, 0.5, -RING - 0.5, -0.5)
        with smooth(painter):
            colour = theme.accent if self._is_over else theme.line_strong
            pen = QPen(colour, 2.0 if self._is_over else 1.0)
            pen.setDashPattern([3, 2])
            painter.setPen(pen)
            painter.setBrush(theme.selected if self._is_over else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, 6, 6)
        top = float(scaled(14))
        inner = QRectF(scaled(20), top, self.width() - 2 * scaled(20), 0)
        inner.setHeight(line_height(Role.UI_STRONG))
        align = start_align(self.layoutDirection())
        place = mirrored(self, inner)
        draw_text(painter, place, DROP_TITLE, role=Role.UI_STRONG, colour=theme.text, align=align)
        self._paint_text(painter, inner)

    def _paint_text(self, painter: QPainter, above: QRectF) -> None:
        """Write the sentence word by word, so that its lines are 18 px apart."""
        face = QFontMetrics(font(Role.META))
        line, lines = "", []
        for word in DROP_TEXT.split():
            longer = f"{line} {word}".strip()
            if line and face.horizontalAdvance(longer) > above.width():
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
        top = above.bottom() + 1
        for text in lines:
            place = mirrored(self, QRectF(above.left(), top, above.width(), scaled(18)))
            align = start_align(self.layoutDirection())
            draw_text(painter, place, text, role=Role.META, colour=self.theme.text2, align=align)
            top += scaled(18)


class Brand(PaintedWidget):
    """The mark, the name, and what it is for."""

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(
            scaled(400), line_height(Role.TITLE_FOCUS) + scaled(6) + line_height(Role.NEED)
        )

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        theme = self.theme
        height = line_height(Role.TITLE_FOCUS)
        mark = mirrored(self, QRectF(1, (height - 32) / 2, 32, 32))
        with smooth(painter):
            painter.setPen(QPen(theme.accent, 3.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = mark.adjusted(1.5, 1.5, -1.5, -1.5)
            painter.drawEllipse(ring)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent)
            painter.drawPie(ring, TWELVE_O_CLOCK, -round(TURN * 2 / 3))
        align = start_align(self.layoutDirection())
        name = QRectF(scaled(46), 0, self.width() - scaled(46), height)
        draw_text(
            painter,
            mirrored(self, name),
            "judgetool",
            role=Role.TITLE_FOCUS,
            colour=theme.text,
            align=align,
        )
        below = QRectF(0, height + scaled(6), self.width(), line_height(Role.NEED))
        text = "Judge search results. See at once what each judgment does to the numbers."
        draw_text(
            painter,
            mirrored(self, below),
            text,
            role=Role.NEED,
            colour=theme.text2,
            align=align,
        )
