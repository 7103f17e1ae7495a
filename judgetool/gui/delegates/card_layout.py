"""The texts of one card, laid out for one width."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from judgetool.core.excerpts import Excerpt, choose_excerpt
from judgetool.core.terms import QueryTerms
from judgetool.gui.delegates.card_geometry import (
    CardColumns,
    card_top,
    snippet_height,
    title_height,
)
from judgetool.gui.delegates.marked_line import MarkedLine, break_lines
from judgetool.gui.fonts import Role, current_density, metrics, scaled, text_width
from judgetool.gui.models.card_texts import CardText
from judgetool.gui.theme import Theme

_GAP = 8
_LEAST_URL = 48
_SAMPLE = 120
_RAGGED = 40
NO_TEXT = "Only the id of this document is known."


class CardLayout:
    """Title, address and two snippet lines of a document, elided and measured once.

    Args:
        text: of the document.
        terms: of the query.
        columns: where the texts stand.
        aside: what stands beside the title in place of the address, always whole.
    """

    def __init__(
        self, text: CardText, terms: QueryTerms, columns: CardColumns, *, aside: str = ""
    ) -> None:
        room = columns.title_right - columns.text
        self._room = room
        self._has_text = text.has_text
        kept = text_width(Role.META, aside) + scaled(_GAP) if aside else 0
        self._kept_left = kept
        self.title = MarkedLine(
            text.title, text.title_spans, role=Role.CARD_TITLE, room=max(1, room - kept)
        )
        left = room - self.title.width - scaled(_GAP)
        self.beside = None
        if aside:
            self.beside = MarkedLine(aside, role=Role.META, room=max(left, kept))
        elif text.url and left >= scaled(_LEAST_URL):
            towards = Qt.LayoutDirection.LeftToRight
            self.beside = MarkedLine(text.url, role=Role.META, room=left, direction=towards)
        room = columns.text_right - columns.text
        excerpt = Excerpt(NO_TEXT)
        if text.has_text:
            excerpt = choose_excerpt(text.body, terms, length=_fitting_length(text.body, room))
        self.lines = break_lines(excerpt.text, excerpt.spans, role=Role.SNIPPET, room=room)

    def draw(
        self,
        painter: QPainter,
        place: QRectF,
        theme: Theme,
        *,
        is_highlighted: bool,
        title_shift: float = 0.0,
    ) -> None:
        """Paint the texts.

        Args:
            painter: any.
            place: the card's text column, from the card's top; as wide as the snippet.
            theme: the colours.
            is_highlighted: whether query terms are marked.
            title_shift: how far right the title's room begins, where the score is left of it.
        """
        marks = theme if is_highlighted else None
        face = metrics(Role.CARD_TITLE)
        middle = place.top() + card_top() + title_height() / 2
        baseline = round(middle + (face.ascent() - face.descent()) / 2)
        left, title = place.left() + title_shift, self.title
        ink = theme.text if self._has_text else theme.text2
        is_rtl = title.is_right_to_left
        shift = self._kept_left if is_rtl else 0
        title.draw(painter, left + shift, baseline, colour=ink, theme=marks)
        if self.beside is not None:
            at = left + title.width + scaled(_GAP)
            if is_rtl:
                at = left + self._room - title.width - scaled(_GAP) - self.beside.width
            self.beside.draw(painter, at, baseline, colour=theme.text3)
        top = place.top() + card_top() + title_height()
        face = metrics(Role.SNIPPET)
        for line in self.lines:
            middle = top + snippet_height() / 2
            baseline = round(middle + (face.ascent() - face.descent()) / 2)
            colour = theme.text2 if self._has_text else theme.text3
            line.draw(painter, place.left(), baseline, colour=colour, theme=marks)
            top += snippet_height()


def _fitting_length(text: str, room: float) -> int:
    """Return about how many characters of a text fit on a card's lines."""
    sample = text[:_SAMPLE]
    width = text_width(Role.SNIPPET, sample) / max(1, len(sample))
    # All lines but the last end at a word, so some of their room stays empty.
    n_lines = current_density().snippet_lines
    used = n_lines * room - (n_lines - 1) * scaled(_RAGGED)
    return max(20, int(used / max(1.0, width)))
