"""What assessors said of a disputed document, as A, B, …: in a list, and marked in its text."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QPainter, QResizeEvent

from judgetool.core.judgments import CONFIDENCES, Judgment, State
from judgetool.core.number_text import number_of
from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.core.terms import one_line
from judgetool.gui.painting import chip_height, chip_width, judgment_style
from judgetool.gui.panels.cards import split_line
from judgetool.gui.theme import Role, current_theme, fits, line_height, metrics, scaled, text_width
from judgetool.gui.widgets.labels import ChipPart, Look, Places, Row, TextPart
from judgetool.gui.widgets.rows import RowView
from judgetool.session.session import Session
from judgetool.session.team.disputes import Dispute
from judgetool.wording import _

_INSET, _GAP = 20, 12
_MOST_NOTE, _MOST_LINES = 900, 6


class OpinionRow(NamedTuple):
    """What one assessor said of the document, under a letter.

    Attributes:
        letter: ``A`` for the first; which is whose is drawn anew for each document.
        name: the assessor's; ``""`` while names are hidden.
        judgment: what was said.
        scale: whose levels are named.
    """

    letter: str
    name: str
    judgment: Judgment
    scale: Scale


def opinion_rows(session: Session, dispute: Dispute, *, has_names: bool) -> list[OpinionRow]:
    """Return what those who count said, in an order that tells nobody whose opinion is whose."""
    said = session.opinions(dispute.query).get(dispute.document, [])
    # Who counts is asked by name: second judgments, which do not count, go by the person's.
    settled = {session.assessor_name(number) for number in session.standing.final}
    heard = [
        each
        for each in said
        if session.does_count(each.assessor)
        and each.assessor not in settled
        and each.judgment.state in (State.JUDGED, State.CANNOT_JUDGE)
    ]
    pair = f"{dispute.query}/{dispute.document}/"
    heard.sort(key=lambda each: blake2b((pair + each.assessor).encode()).digest())
    return [
        OpinionRow(_letter(place), each.assessor if has_names else "", each.judgment, session.scale)
        for place, each in enumerate(heard)
    ]


def _letter(place: int) -> str:
    return (
        chr(ord("A") + place)
        if place < 26
        else f"{chr(ord('A') + place // 26 - 1)}{chr(ord('A') + place % 26)}"
    )


class _NotePart(NamedTuple):
    """What else was said, on as many lines as it takes; the last one is elided."""

    text: str

    def lines(self, room: float) -> list[str]:
        """Return the lines that it takes in a room, in px."""
        rest, lines = self.text, list[str]()
        while len(lines) + 1 < _MOST_LINES and not fits(Role.UI, rest, room):
            line, rest = split_line(rest, role=Role.UI, room=room)
            lines.append(line)
        return [*lines, rest]

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Write the lines; the first stands where all else of the row does."""
        height = line_height(Role.UI)
        top = rect.top() + (rect.height() - height) / 2
        for at, line in enumerate(self.lines(rect.width())):
            place = QRectF(rect.left(), top + at * height, rect.width(), height)
            TextPart(line, ink="text2").paint(painter, place, look)


class OpinionList(RowView[OpinionRow]):
    """A row for each opinion, as high as its note."""

    def __init__(self) -> None:
        super().__init__(
            _("What assessors said"),
            opinion_row,
            opinion_places,
            height=opinion_height,
        )

    def heights(self) -> list[int]:
        """Return how high each row is to be, in px."""
        room = place.width() if self.rows and (place := self.places()[-1]) is not None else 0.0
        notes = [part for row in self.shown for part in row.parts if isinstance(part, _NotePart)]
        more = (len(note.lines(room)) - 1 if room else 0 for note in notes)
        return [opinion_height() + each * line_height(Role.UI) for each in more]

    def _fit_rows(self) -> None:
        for row, height in enumerate(self.heights()):
            self.verticalHeader().resizeSection(row, height)

    @override
    def set_rows(self, values: Sequence[OpinionRow]) -> None:
        """Show other opinions."""
        super().set_rows(values)
        self._fit_rows()

    @override
    def whole_height(self, *, most: int | None = None) -> int:
        """Return the height that shows the rows, at most so many of these."""
        return sum(self.heights()[:most])

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break notes for the new width."""
        super().resizeEvent(event)
        self._fit_rows()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Break notes for another font; chips have the inks of the theme in them."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()
        if event.type() is QEvent.Type.FontChange:
            self._fit_rows()


def opinion_height() -> int:
    """Return the height of a row of one line: 30 px at a 13 px font."""
    return max(scaled(30), chip_height() + scaled(8), round(metrics(Role.UI).height() * 1.3))


def opinion_row(opinion: OpinionRow) -> Row:
    """Return an opinion as it stands in the list and as it is heard."""
    judgment = opinion.judgment
    style = judgment_style(opinion.scale, judgment.state, judgment.grade, current_theme())
    sure = CONFIDENCES.get(judgment.confidence or 0, "")
    marked = (
        number_of(len(judgment.spans), "{n} passage marked", "{n} passages marked")
        if judgment.spans
        else ""
    )
    note = f"“{one_line(judgment.note, most=_MOST_NOTE)}”" if judgment.note else ""
    parts = (
        # No key: those stand on caps, and A and B do other things here.
        TextPart(opinion.letter, Role.UI_STRONG, "text2"),
        ChipPart(style),
        TextPart(style.name, Role.UI_STRONG),
        TextPart(opinion.name),
        _NotePart("   ".join(filter(None, (sure, marked, note)))),
    )
    grade = f"{style.text} {style.name}" if judgment.grade is not None else style.name
    who = f"{opinion.letter}, {opinion.name}" if opinion.name else opinion.letter
    said = ", ".join(filter(None, (f"{who}: {grade}", sure, marked, judgment.note)))
    return Row(opinion.letter, parts, said, tip=judgment.note)


def opinion_places(width: int, rows: Sequence[Row]) -> Places:
    """Return where the parts of all rows stand: letter, chip, level, name, what else was said."""
    height, left = opinion_height(), scaled(_INSET)
    parts = [part for row in rows for part in row.parts]
    chip = chip_width([part.style for part in parts if isinstance(part, ChipPart)])
    room, gap = width - 2 * scaled(_INSET), scaled(_GAP)
    letter = _widest(rows, 0)
    level = min(_widest(rows, 2), room // 4)
    name = min(_widest(rows, 3), room // 4)
    places = []
    for part in (letter, chip, level, name):
        places.append(QRectF(left, 0, part, height))
        left += part + (gap if part else 0)
    return (*places, QRectF(left, 0, max(0, width - scaled(_INSET) - left), height))


def _widest(rows: Sequence[Row], place: int) -> int:
    texts = [part for row in rows if isinstance(part := row.parts[place], TextPart)]
    return max((text_width(part.role, part.text) + 2 for part in texts if part.text), default=0)
