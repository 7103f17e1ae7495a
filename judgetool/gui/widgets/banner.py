"""Sentences with something to do: what needs an answer, and why a list is empty."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QResizeEvent, QShortcutEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QWidget

from judgetool.core import override
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import draw_focus_ring, draw_line
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.labels import Text, plain_tooltip
from judgetool.gui.widgets.painted import PaintedWidget, in_column, in_line, mirrored

Mood = Literal["good", "warn", "bad"]

_SIGN = 18
_ROUND = 6.0
_LEAST = 180
_UNDER = Qt.AlignmentFlag.AlignLeading
_ICONS = {"good": "circle-check", "warn": "triangle-alert", "bad": "circle-alert"}


def with_keys(texts: Iterable[str], taken: str) -> Iterator[str]:
    """Yield the texts of buttons, each with a letter marked that does it with Alt held down.

    Args:
        texts: what the buttons say.
        taken: letters that do something else, such as those of menus.
    """
    used = set(taken.casefold())
    for text in texts:
        place = next(
            (at for at, sign in enumerate(text.casefold()) if sign.isalpha() and sign not in used),
            None,
        )
        if place is None:
            yield text.replace("&", "&&")
        else:
            used.add(text[place].casefold())
            yield f"{text[:place].replace('&', '&&')}&{text[place:].replace('&', '&&')}"


class BannerText(NamedTuple):
    """One sentence and what can be answered.

    Attributes:
        mood: ``good``, ``warn`` or ``bad``: the ground and the sign.
        sentence: what happened, where, what was kept, what to do.
        answers: (name, text) of one or two buttons, the first the most likely; ``&`` stands before
            the letter that does it with Alt.
        escape: name of the answer that Esc gives; ``""`` for none.
    """

    mood: Mood
    sentence: str
    answers: tuple[tuple[str, str], ...] = ()
    escape: str = ""


class _Answer(QPushButton):
    """A button that its letter presses at once: what is typed next is for what it opens."""

    @override
    def event(self, event: QEvent) -> bool:
        """Let no moment pass in which it is only seen pressed."""
        if isinstance(event, QShortcutEvent) and not event.isAmbiguous():
            self.click()
            return True
        return super().event(event)


class Banner(PaintedWidget):
    """A coloured ground with a sign, one sentence and its answers at the right.

    It stands in the grade bar's place, so that nothing above it moves unless it needs more lines.
    """

    chosen = Signal(str)

    # What it asks is announced; as an alert readers would say it a second time.
    heard_as = QAccessible.Role.Grouping

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = BannerText("warn", "")
        self._sentence = Text()
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        margins = (14 + _SIGN + 16, 4, 12, 4)
        self._line = in_line(spacing=8)
        self._row = in_line(self._sentence, 1, self._line, host=self, spacing=8, margins=margins)
        self._answers: list[QPushButton] = []

    @property
    def answers(self) -> tuple[QPushButton, ...]:
        """The buttons that are shown."""
        return tuple(self._answers)

    def set_content(self, content: BannerText) -> None:
        """Say something else; the first answer takes Enter once it has the keyboard."""
        self.content = content
        self._sentence.setText(content.sentence)
        self._sentence.setToolTip(plain_tooltip(content.sentence))
        self.setAccessibleName(content.sentence)
        for old in self._answers:
            self._line.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._answers = [self._make_answer(name, text) for name, text in content.answers]
        self._arrange()
        self.update()

    def _make_answer(self, name: str, text: str) -> QPushButton:
        button = _Answer(text, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.chosen.emit(name))
        self._line.addWidget(button)
        button.show()
        return button

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put the question off by Esc, where that has an answer."""
        if not self.put_off(event):
            super().keyPressEvent(event)

    def put_off(self, event: QKeyEvent) -> bool:
        """Take Esc as the answer that it gives while the question stands; return whether it is one."""
        is_answer = event.key() == Qt.Key.Key_Escape and bool(self.content.escape)
        if is_answer and not self.isHidden():
            self.chosen.emit(self.content.escape)
            return True
        return False

    def height_at(self, width: int) -> int:
        """Return the height at which the sentence is whole."""
        margins, room = self._row.contentsMargins(), self._room_beside(width)
        ends = margins.top() + margins.bottom()
        if not self._is_narrow(width):
            return self._sentence.heightForWidth(room) + ends
        under = max(answer.sizeHint().height() for answer in self._answers) + self._row.spacing()
        whole = width - margins.left() - margins.right()
        return self._sentence.heightForWidth(whole) + under + ends

    def _room_beside(self, width: int) -> int:
        """Return how much of a width the answers leave to the sentence beside them."""
        margins, gap = self._row.contentsMargins(), self._row.spacing()
        taken = sum(answer.sizeHint().width() + gap for answer in self._answers)
        return width - margins.left() - margins.right() - taken

    def _is_narrow(self, width: int) -> bool:
        """Whether the answers stand under the sentence, which would be a column of words beside them."""
        return bool(self._answers) and self._room_beside(width) < scaled(_LEAST)

    def _arrange(self) -> None:
        way = QBoxLayout.Direction
        is_narrow = self._is_narrow(self.width())
        self._row.setDirection(way.TopToBottom if is_narrow else way.LeftToRight)
        self._row.setAlignment(self._line, _UNDER if is_narrow else Qt.AlignmentFlag(0))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have the answers beside the sentence, or under it."""
        super().resizeEvent(event)
        self._arrange()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the answers need; the sentence takes what there is."""
        return self._row.sizeHint()

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the ground and the line above it."""
        painter.fillRect(self.rect(), getattr(self.theme, f"{self.content.mood}_ground"))
        top = QRectF(0, 0, self.width(), 1)
        ink = getattr(self.theme, self.content.mood)
        draw_line(painter, top, ink)
        sign = mirrored(self, QRectF(14, (self.height() - _SIGN) // 2, _SIGN, _SIGN))
        draw_icon(painter, sign, name=_ICONS[self.content.mood], colour=ink, px=_SIGN)


class EmptyState(PaintedWidget):
    """A sentence and, where something can be done, a button.

    Where nothing can, the sentence has the keyboard itself, so that it is heard and seen where one is.

    Attributes:
        button: does it.
    """

    acted = Signal()
    heard_as = QAccessible.Role.StaticText

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = Text()
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.button = QPushButton()
        self.button.clicked.connect(self.acted)
        column = in_column(self._sentence, host=self, spacing=12, margins=(20, 24, 20, 24))
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    @property
    def sentence(self) -> str:
        """What is said."""
        return self._sentence.text()

    @property
    def has_action(self) -> bool:
        """Whether something can be done about it by :attr:`button`."""
        return not self.button.isHidden()

    def set_state(self, sentence: str, action: str = "") -> None:
        """Say another sentence; without an action there is no button."""
        self._sentence.setText(sentence)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        is_stop = bool(sentence) and not action
        self.setAccessibleName(sentence if is_stop else "")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_stop else Qt.FocusPolicy.NoFocus)

    def take_keyboard(self) -> None:
        """Give the keyboard to the button, or to the sentence where there is none."""
        (self.button if self.has_action else self).setFocus()

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint a ring around the sentence while it has the keyboard."""
        super().draw(painter, exposed)
        if self.hasFocus():
            around = QRectF(self._sentence.geometry()).adjusted(-_ROUND, -_ROUND, _ROUND, _ROUND)
            draw_focus_ring(painter, around, self.theme, radius=_ROUND)

    def act(self) -> None:
        """Press the button."""
        self.button.click()
