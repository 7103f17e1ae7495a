"""What assessors go by: guidelines to read and to write, what levels mean, their own terms."""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.core.override import override
from judgetool.core.scale import Level, Scale
from judgetool.gui.dialogs.act_dialog import ActDialog, edit, grid_of, labelled, on_change
from judgetool.gui.dialogs.choose import TextDialog
from judgetool.gui.dialogs.framed_list import chip_pieces, framed
from judgetool.gui.painting import chip_height, draw_mark, format_grade
from judgetool.gui.panels.focus_side import NO_GUIDELINES, MarkdownText
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.labels import Align, Look, Piece, PieceView, Text, TextPart
from judgetool.gui.widgets.painted import in_column, in_line, scroll_area
from judgetool.session.reading_aids import N_COLOURS, TermSet, find_guidelines
from judgetool.session.session import Session
from judgetool.wording import N_, _

_HELP = N_(
    "Markdown: # heading, **strong**, - list, 1. numbered, > quotation. Assessors see it when "
    "they first open the project, beside the document in focus, and by G."
)
_TERMS_HELP = N_(
    "Words and phrases, separated by commas. Endings, accents and case do not count. "
    "U shows all sets, each alone, none."
)


class GuidelinesDialog(ActDialog):
    """The project's guidelines, and the query's below them."""

    def __init__(self, session: Session, query: int | None) -> None:
        super().__init__(_("Guidelines"), verb=_("Back to judging"))
        self.cancel.hide()
        parts = [find_guidelines(session)]
        if query is not None:
            parts.append(find_guidelines(session, query))
        self.text = MarkdownText()
        self.text.show_markdown("\n\n".join(part for part in parts if part) or NO_GUIDELINES)
        area = self.put(scroll_area(self.text))
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setMinimumHeight(scaled(280))


class GuidelinesEditor(TextDialog):
    """A text field, and beside it how what is written in it will look.

    Args:
        title: the act.
        before: what stands so far.
    """

    def __init__(self, title: str, before: str) -> None:
        super().__init__(title, before, verb=_("Keep guidelines"), width=980)
        self.show_remark(_("Ctrl+Enter keeps it. An empty text takes the guidelines away."))
        on_change(self._show, self.field)
        self._show()

    @override
    def add_text_field(self) -> None:
        """Put the text beside its preview."""
        self.add_text(_(_HELP))
        self.field.setMinimumHeight(scaled(340))
        self.preview = MarkdownText()
        content = QWidget()
        in_column(self.preview, None, host=content, margins=(0, scaled(8), 0, 0))
        head = Text(_("Preview"), role=Role.HEAD, ink="text3")
        preview = in_column(head, framed(scroll_area(content)), 1, spacing=4)
        text = labelled(_("&Text"), self.field)
        self.body.addLayout(in_line(text, 1, preview, 1, spacing=16), stretch=1)

    def _show(self) -> None:
        self.preview.show_markdown(self.field.toPlainText())


def _meaning_of(level: Level, scale: Scale) -> str:
    counts = _("Counts as not relevant; gain {gain}.")
    if level.grade >= scale.relevant_from:
        counts = _("Counts as relevant; gain {gain}.")
    text = level.shown_definition or _("No definition is given.")
    return f"{text} {counts.format(gain=format_grade(level.gain))}"


def level_in_words(level: Level, scale: Scale) -> str:
    """Return a level's key (its label where it has none), its name, and what it means."""
    return _("{key} {name}: {meaning}").format(
        key=level.key or level.label, name=level.shown_name, meaning=_meaning_of(level, scale)
    )


class LevelDefinitions(ActDialog):
    """What each level of the scale means, highest first: chip, name, definition."""

    def __init__(self, scale: Scale) -> None:
        super().__init__(_("What each level means"), verb=_("Back to judging"))
        self.cancel.hide()
        grid = grid_of(14, 14, {2: 1})
        # However long a level's name is, its meaning can be read.
        grid.setColumnMinimumWidth(2, scaled(240))
        for place, level in enumerate(scale.levels):
            line = len(scale.levels) - place
            chip = PieceView(partial(chip_pieces, scale, place), chip_height)
            meaning = Text(_meaning_of(level, scale), ink="text2")
            # A reader that comes to the text alone hears what it is about.
            meaning.setAccessibleName(level_in_words(level, scale))
            grid.addWidget(chip, line, 0)
            grid.addWidget(Text(level.shown_name, role=Role.UI_STRONG), line, 1)
            grid.addWidget(meaning, line, 2)
        self.body.addLayout(grid)
        self.body.addStretch(1)


class TermSetsDialog(ActDialog):
    """A row for each colour: sample, name, terms.

    Args:
        before: the sets as they are.
    """

    def __init__(self, before: Sequence[TermSet]) -> None:
        super().__init__(_("Term sets"), verb=_("Keep term sets"), width=680)
        self.add_text(_(_TERMS_HELP))
        grid = grid_of(10, 8, {1: 1, 2: 3})
        self.body.addLayout(grid)
        for column, title in ((1, _("Name")), (2, _("Terms"))):
            grid.addWidget(Text(title, role=Role.HEAD, ink="text3"), 0, column)
        self.names: list[QLineEdit] = []
        self.terms: list[QLineEdit] = []
        for number, term_set in enumerate(_rows(before)):
            name = edit(
                term_set.name, name=_("Name of term set {number}").format(number=number + 1)
            )
            terms = edit(
                ", ".join(term_set.terms),
                hint="" if number else _("low fat, vegan"),
                name=_("Terms of term set {number}").format(number=number + 1),
            )
            for column, widget in enumerate((_sample(term_set.colour), name, terms)):
                grid.addWidget(widget, number + 1, column)
            self.names.append(name)
            self.terms.append(terms)
        self._colours = [each.colour for each in _rows(before)]
        self.first = self.terms[0]
        self.check_by(self._find_problem, *self.names, *self.terms)

    @property
    def answer(self) -> tuple[TermSet, ...]:
        """The sets as they are written; a row without terms is none."""
        rows = zip(self._colours, self.names, self.terms, strict=True)
        return tuple(
            TermSet(
                name.text().strip() or _("Set {number}").format(number=number),
                colour,
                _split(terms.text()),
            )
            for number, (colour, name, terms) in enumerate(rows, start=1)
            if _split(terms.text())
        )

    def _find_problem(self) -> str:
        names = [each.name for each in self.answer]
        twice = next((name for name in names if names.count(name) > 1), "")
        return _("Two sets are called ‘{twice}’. Rename one.").format(twice=twice) if twice else ""


class _TermPart(NamedTuple):
    """A word marked in one of the four colours, 1 to 4."""

    colour: int

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the mark with a word on it."""
        place = rect.adjusted(4, 3, -4, -3)
        draw_mark(painter, place, look.theme, kind=self.colour - 1)
        TextPart(_("term"), Role.META, align=Align.CENTRE).paint(painter, place, look)


def _sample(colour: int) -> PieceView:
    sample = PieceView(lambda: (Piece(_TermPart(colour), scaled(44)),), lambda: scaled(24))
    sample.setAccessibleName(_("Colour {colour}").format(colour=colour))
    return sample


def _rows(before: Sequence[TermSet]) -> list[TermSet]:
    """Return four rows: the sets that there are, and empty ones in the colours left."""
    rows = list(before[:N_COLOURS])
    # The query's own terms have the first colour: it is proposed last.
    left = [n for n in (2, 3, 4, 1) if n not in {each.colour for each in rows}]
    return [*rows, *(TermSet("", colour, ()) for colour in left)][:N_COLOURS]


def _split(text: str) -> tuple[str, ...]:
    parts = (part.strip(' \t"“”') for part in re.split(r"[,;，、؛،\n]", text))
    return tuple(dict.fromkeys(part for part in parts if part))
