"""What is written by hand: queries and documents, guidelines and terms; what levels mean, to read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from judgetool.core import override
from judgetool.core.judgments import Document, Query, State
from judgetool.core.number_text import number_of
from judgetool.core.scale import Level, Scale
from judgetool.core.terms import one_line
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    ask,
    edit,
    grid_of,
    labelled,
    push_button,
    text_pane,
)
from judgetool.gui.dialogs.choose import TextDialog, WritingDialog
from judgetool.gui.dialogs.framed_list import (
    ListRow,
    chip_pieces,
    framed,
    make_step_list,
    walk_from,
)
from judgetool.gui.painting import (
    SET_MARKS,
    chip_height,
    draw_mark,
    enclosed,
    format_count,
    format_grade,
    judgment_style,
)
from judgetool.gui.panels.focus_side import NO_GUIDELINES, MarkdownText
from judgetool.gui.theme import Role, current_theme, scaled
from judgetool.gui.widgets.fields import DecimalField
from judgetool.gui.widgets.labels import Align, Look, Piece, PieceView, Text, TextPart
from judgetool.gui.widgets.painted import in_column, in_line, scroll_area
from judgetool.session.edits import document_problem, query_problem
from judgetool.session.finding import has_document_words
from judgetool.session.reading_aids import N_COLOURS, TermSet, find_guidelines
from judgetool.session.session import Session
from judgetool.wording import N_, _

SLICE = 100
MOST_SEARCHED = 100_000
MOST_WEIGHT = 1_000_000.0
MOST_FOUND = 100
_MOST_TITLE = 200
_TYPING_MS = 120
_FIELDS = N_("&Fields, a line for each: name: value")
_NO_ID = N_("Type an id that no other document has.")
_NO_QUERY = N_("Type the query, or what is needed.")


def iter_found(session: Session, typed: str) -> Iterator[list[tuple[int, Document]]]:
    """Yield documents in which all words occur, slice after slice of the project.

    Args:
        session: the project.
        typed: words; accents and case do not count. Without any nothing is found.

    Yields:
        What a slice of ``SLICE`` documents has, often nothing, so that the caller can
        stop, or let others work in between.
    """
    numbers = sorted(session.material.document_ids())
    for start in range(0, len(numbers) if typed.strip() else 0, SLICE):
        part = numbers[start : start + SLICE]
        texts = session.material.show_documents(part)
        yield [
            (number, document)
            for number, document in zip(part, texts, strict=True)
            if has_document_words(document, typed, most=MOST_SEARCHED)
        ]


def write_fields(fields: Mapping[str, str]) -> str:
    """Return a line for each field; line breaks within a value become blanks."""
    return "\n".join(f"{name}: {' '.join(value.split())}" for name, value in fields.items())


def read_fields(text: str, before: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of such lines.

    Args:
        text: a line for each field; lines of blanks do not count.
        before: the fields as they were: a value whose line is as it was stays whole, with
            its line breaks.

    Raises:
        ValueError: a line has no colon or no name, or a name stands twice; the message
            is a sentence.
    """
    fields: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if not colon or not name:
            raise ValueError(
                _("Line {number} of the fields is not ‘name: value’.").format(number=number)
            )
        if name in fields:
            raise ValueError(_("The field ‘{name}’ stands twice.").format(name=name))
        kept = before.get(name)
        is_same = kept is not None and " ".join(kept.split()) == value
        fields[name] = kept if is_same and kept is not None else value
    return fields


class DocumentForm(WritingDialog):
    """Id, title, address, text and fields of a document; a given id stays: judgments hang on it.

    Args:
        session: the project.
        before: the document as it is; its id stays. ``None`` writes a new one.
        wanted: id or title to begin a new one with.
    """

    def __init__(self, session: Session, before: Document | None, *, wanted: str = "") -> None:
        is_new = before is None
        title = _("Write a document") if is_new else _("Edit document")
        verb = _("Add to this query") if is_new else _("Keep document")
        super().__init__(title, verb=verb, width=720)
        self._session, self._is_new = session, is_new
        self._before = before or Document("", title=wanted)
        self.id = self.add_field(_("&Id"), edit(self._before.id))
        self.id.setReadOnly(not is_new)
        self.title = self.add_field(_("&Title"), edit(self._before.title))
        self.url = self.add_field(_("&Address"), edit(self._before.url))
        self.text = self.add_field(_("Te&xt"), text_pane(self._before.body, scaled(150)))
        self._shown_text = self.text.toPlainText()
        further = text_pane(write_fields(self._before.fields), scaled(70), is_fixed=True)
        self.fields = self.add_field(_(_FIELDS), further)
        self.first = self.id if is_new else self.title
        fields = (self.id, self.title, self.url, self.text, self.fields)
        self.check_by(self._find_problem, *fields, lack=_(_NO_ID))

    @property
    def answer(self) -> Document:
        """The document as it is written.

        Raises:
            ValueError: the fields cannot be read.
        """
        text = self.text.toPlainText()
        return Document(
            self.id.text(),
            self.title.text(),
            self.url.text().strip(),
            # A text pane writes line ends its own way; what nobody changed stays as it came.
            self._before.body if text == self._shown_text else text,
            read_fields(self.fields.toPlainText(), self._before.fields),
            self._before.image,
        )

    def _find_problem(self) -> str:
        document = self.answer
        if not self._is_new:
            return ""
        return document_problem(self._session, document) if document.id else _(_NO_ID)


class QueryForm(WritingDialog):
    """All that a query consists of.

    Args:
        session: the project.
        number: of the query that is changed; ``None`` writes a new one.
    """

    def __init__(self, session: Session, number: int | None) -> None:
        is_new = number is None
        title, verb = (
            (_("Add a query"), _("Add query")) if is_new else (_("Edit query"), _("Keep query"))
        )
        super().__init__(title, verb=verb, width=720)
        self._session, self._is_new = session, is_new
        before = Query(next_id(session)) if number is None else session.material.queries[number]
        self._before = before
        self.id, self.category = edit(before.id), edit(before.category)
        self.id.setReadOnly(not is_new)
        self.weight = DecimalField(0.001, MOST_WEIGHT, digits=3)
        self.weight.setValue(before.weight)
        self.add_line(
            _("&Id"),
            self.id,
            2,
            _("&Category"),
            self.category,
            2,
            _("&Weight in means"),
            self.weight,
        )
        self.text = self.add_field(
            _("&Query, as it is typed into the search box"), edit(before.text)
        )
        self.description = self.add_field(
            _("&Description: what would satisfy the need"), _lines(before.description, 3)
        )
        self.narrative = self.add_field(
            _("&Narrative: what counts and what does not"), _lines(before.narrative, 5, grows=True)
        )
        self.fields = self.add_field(_(_FIELDS), _lines(write_fields(before.fields), 3))
        self.first = self.text
        texts = (self.description, self.narrative, self.fields)
        fields = (self.id, self.text, self.category, *texts)
        self.check_by(self._find_problem, *fields, lack=_(_NO_QUERY))

    @property
    def answer(self) -> Query:
        """The query as it is written.

        Raises:
            ValueError: the fields cannot be read.
        """
        is_same_weight = abs(self.weight.value() - self._before.weight) < 0.0005
        return Query(
            self.id.text(),
            self.text.text(),
            self.description.toPlainText().strip(),
            self.narrative.toPlainText().strip(),
            self._before.weight if is_same_weight else self.weight.value(),
            self.category.text().strip(),
            read_fields(self.fields.toPlainText(), self._before.fields),
        )

    def _find_problem(self) -> str:
        query = self.answer
        if not self._is_new:
            return ""
        if not query.text.strip() and not query.description.strip():
            return _(_NO_QUERY)
        return query_problem(self._session, query)


def next_id(session: Session) -> str:
    """Return an id for one more query: the number after the greatest, or after the count."""
    ids = [query.id for query in session.material.queries]
    numbers = [int(each) for each in ids if each.isascii() and each.isdigit() and len(each) < 10]
    free = map(str, count(max(numbers, default=len(ids)) + 1))
    return next(number for number in free if number not in ids)


def _lines(text: str, rows: int, *, grows: bool = False) -> QPlainTextEdit:
    return text_pane(text, scaled(20) * rows + 14, is_fixed=not grows)


class AddDocumentDialog(ActDialog):
    """Looks for a document while one types; one that the project lacks can be written.

    Args:
        session: the project.
        query: number of the query that it is to be judged for.
    """

    def __init__(self, session: Session, query: int) -> None:
        super().__init__(_("Judge another document"), verb=_("Judge it"), width=760)
        self._session = session
        self._pool = set(session.board.pool(query).tolist())
        self._settled = session.board.settled(query)
        self._found: list[tuple[int, Document]] = []
        self._looking: Iterator[list[tuple[int, Document]]] | None = None
        self.written: Document | None = None
        self.field = self.add_field(_("&Look for"), edit(hint=_("Words of its id, title or text")))
        self.rows = self.add_list(make_step_list(_("Documents found")), height=300)
        walk_from(self.field, self.rows, tells=True)
        self.write = self.add_to_foot(push_button(_("Write a new one…"), self._write))
        self._rest = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._rest.timeout.connect(self._look)
        self._work = QTimer(self, interval=0)
        self._work.timeout.connect(self._look_on)
        self.field.textChanged.connect(lambda _text: self._rest.start())
        self.rows.itemActivated.connect(self.accept)
        self._show()

    @property
    def is_looking(self) -> bool:
        """Whether documents are still being looked through."""
        return self._rest.isActive() or self._work.isActive()

    def _look(self) -> None:
        self._found = []
        self._looking = iter_found(self._session, self.field.text())
        self._work.start()
        self._show()

    def _look_on(self) -> None:
        found = next(self._looking, None) if self._looking is not None else None
        if found is None or len(self._found) >= MOST_FOUND:
            self._work.stop()
            self._looking = None
            self._show()
        elif found:
            self._found += found
            self._show()

    def _show(self) -> None:
        kept = self.rows.currentRow()
        self.rows.show_rows([self._row(*each) for each in self._found[:MOST_FOUND]])
        if 0 <= kept < self.rows.count():
            self.rows.setCurrentRow(kept)
        if self._found:
            said = _("The first {count} found.")
            if len(self._found) < MOST_FOUND:
                said = _("{count} found.")
            n_found = min(len(self._found), MOST_FOUND)
            self.show_lack("", remark=said.format(count=format_count(n_found)))
        elif self.is_looking:
            self.show_lack(_("Looking…"))
        elif self.field.text().strip():
            self.show_lack(_("No document of this project is like that."))
        else:
            total, __ = self._session.material.count_documents()
            self.show_lack(number_of(total, "{n} document is known.", "{n} documents are known."))

    def _row(self, number: int, document: Document) -> ListRow:
        effective = self._settled.get(number)
        style = None
        if effective is not None:
            state = State.CANNOT_JUDGE if effective.grade is None else State.JUDGED
            scale = self._session.scale
            style = judgment_style(scale, state, effective.grade, current_theme())
        side = one_line(document.id, most=60)
        if number in self._pool:
            side = f"{side} · {_('in the pool')}"
        title = one_line(document.title or document.body or document.id, most=_MOST_TITLE)
        return ListRow(number, title, side, style=style)

    def _write(self) -> None:
        wanted = self.field.text().strip()
        self.written = ask(DocumentForm(self._session, None, wanted=wanted), self)
        if self.written is not None:
            self.accept()

    @property
    def answer(self) -> Document | None:
        """What is to be judged, by its id alone if it is known; ``None`` for nothing found."""
        if self.written is not None:
            return self.written
        row = self.rows.chosen
        if row is None:
            return None
        return Document(self._session.material.document_id(row.key))

    def stop(self) -> None:
        """Look no further."""
        self._rest.stop()
        self._work.stop()
        self._looking = None


# What assessors go by

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
        self.text.show_markdown("\n\n".join(part for part in parts if part) or _(NO_GUIDELINES))
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
        self.follow(self._show, self.field)

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
    return f"{enclosed(text)} {counts.format(gain=format_grade(level.gain))}"


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
            grid.addWidget(Text(level.shown_name, role=Role.UI_STRONG, is_quoted=True), line, 1)
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
        draw_mark(painter, place, look.theme, kind=SET_MARKS[self.colour - 1])
        TextPart(_("term"), Role.META, align=Align.CENTRE).paint(painter, place, look)


def _sample(colour: int) -> PieceView:
    sample = PieceView(lambda: (Piece(_TermPart(colour), scaled(44)),), lambda: scaled(24))
    sample.setAccessibleName(_("Colour {colour}").format(colour=colour))
    return sample


def _rows(before: Sequence[TermSet]) -> list[TermSet]:
    """Return four rows: the sets that there are, and empty ones in the colours left."""
    rows = list(before[:N_COLOURS])
    left = [n for n in range(1, N_COLOURS + 1) if n not in {each.colour for each in rows}]
    return [*rows, *(TermSet("", colour, ()) for colour in left)][:N_COLOURS]


def _split(text: str) -> tuple[str, ...]:
    parts = (part.strip(' \t"“”') for part in re.split(r"[,;，、؛،\n]", text))
    return tuple(dict.fromkeys(part for part in parts if part))
