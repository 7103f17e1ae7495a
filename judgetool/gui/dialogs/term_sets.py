"""An assessor's own terms: up to four sets of words and phrases, each in its colour."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.painting import CENTRE, draw_mark, draw_text
from judgetool.gui.widgets.painted import PaintedWidget
from judgetool.session.aids.term_sets import N_COLOURS, TermSet

_HELP = (
    "Words and phrases, separated by commas. Endings, accents and case do not count. "
    "U shows all sets, each alone, none."
)


class TermSetsDialog(ActDialog):
    """A row for each colour: sample, name, terms.

    Args:
        before: the sets as they are.
        parent: the window it belongs to.
    """

    def __init__(self, before: Sequence[TermSet], *, parent: QWidget | None = None) -> None:
        super().__init__("Term sets", verb="Keep term sets", width=680, parent=parent)
        self.body.addWidget(Text(_HELP, ink="text2"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 3)
        self.body.addLayout(grid)
        for column, title in ((1, "Name"), (2, "Terms")):
            grid.addWidget(Text(title, role=Role.HEAD, ink="text3"), 0, column)
        self.names: list[QLineEdit] = []
        self.terms: list[QLineEdit] = []
        for number, term_set in enumerate(_rows(before)):
            name, terms = QLineEdit(term_set.name), QLineEdit(", ".join(term_set.terms))
            name.setAccessibleName(f"Name of term set {number + 1}")
            terms.setAccessibleName(f"Terms of term set {number + 1}")
            terms.setPlaceholderText("low fat, vegan" if not number else "")
            for column, widget in enumerate((ColourSample(term_set.colour), name, terms)):
                grid.addWidget(widget, number + 1, column)
            name.textChanged.connect(self._check)
            terms.textChanged.connect(self._check)
            self.names.append(name)
            self.terms.append(terms)
        self._colours = [each.colour for each in _rows(before)]
        self.first = self.terms[0]
        self._check()

    @property
    def term_sets(self) -> tuple[TermSet, ...]:
        """The sets as they are written; a row without terms is none."""
        rows = zip(self._colours, self.names, self.terms, strict=True)
        return tuple(
            TermSet(name.text().strip() or f"Set {number}", colour, _split(terms.text()))
            for number, (colour, name, terms) in enumerate(rows, start=1)
            if _split(terms.text())
        )

    def _check(self) -> None:
        names = [each.name for each in self.term_sets]
        twice = next((name for name in names if names.count(name) > 1), "")
        self.show_problem(f"Two sets are called ‘{twice}’. Rename one." if twice else "")

    @classmethod
    def ask(cls, parent: QWidget | None, before: Sequence[TermSet]) -> tuple[TermSet, ...] | None:
        """Let term sets be written; ``None`` when they were left as they are."""
        dialog = cls(before, parent=parent)
        return dialog.term_sets if dialog.is_answered() else None


class ColourSample(PaintedWidget):
    """A word marked in one of the four colours.

    Args:
        colour: 1 to 4.
    """

    def __init__(self, colour: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colour = colour
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Colour {colour}")

    @override
    def sizeHint(self) -> QSize:
        """Return the one size that it has."""
        return QSize(scaled(44), scaled(24))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the mark with a word on it."""
        painter = QPainter(self)
        place = QRectF(self.rect()).adjusted(4, 3, -4, -3)
        draw_mark(painter, place, self.theme, kind=self._colour - 1)
        draw_text(painter, place, "term", role=Role.META, colour=self.theme.text, align=CENTRE)
        painter.end()


def _rows(before: Sequence[TermSet]) -> list[TermSet]:
    """Return four rows: the sets that there are, and empty ones in the colours left."""
    rows = list(before[:N_COLOURS])
    # The query's own terms have the first colour: it is proposed last.
    left = [n for n in (2, 3, 4, 1) if n not in {each.colour for each in rows}]
    return [*rows, *(TermSet("", colour, ()) for colour in left)][:N_COLOURS]


def _split(text: str) -> tuple[str, ...]:
    parts = (part.strip(' \t"“”') for part in re.split(r"[,;，、؛،\n]", text))
    return tuple(dict.fromkeys(part for part in parts if part))
