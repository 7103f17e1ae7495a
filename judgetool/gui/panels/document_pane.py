"""The document pane: tools, finding, menu of the page, one page of text, and very long texts."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QKeyEvent,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from judgetool.core import override
from judgetool.core.judgments import Document, Span
from judgetool.core.terms import NO_MARKING, Marking, QueryTerms
from judgetool.gui.actions import Mode
from judgetool.gui.jobs import IdleWork, ProjectPanel
from judgetool.gui.keymap import ENTER
from judgetool.gui.models.page import LINE_WIDTHS, PAGE_COLOURS, PageLook, page_theme
from judgetool.gui.painting import format_count
from judgetool.gui.panels.document_page import DocumentPage, Shown, count_parts, part_of
from judgetool.gui.panels.document_text import DocumentText, PagePlace
from judgetool.gui.panels.result_tools import ToolRow, tool_button
from judgetool.gui.theme import build_palette, scaled
from judgetool.gui.widgets.buttons import offer
from judgetool.gui.widgets.fields import focus_field
from judgetool.gui.widgets.labels import CountedLabel, ElidedLabel
from judgetool.gui.widgets.painted import (
    PaintedWidget,
    announce,
    fill_width,
    in_column,
    in_line,
    is_low_for_text,
)
from judgetool.session.session import Session
from judgetool.wording import N_, _, in_words, mid_sentence

LEAST_GROW, MOST_GROW = -4, 14
_READABLE = 45
# What is found is said once typing rests, and looked for again where that takes long.
_RESTS_MS, _LOOK_MS = 500, 100
# One goes back to few documents; each keeps its text.
_MOST_BOOKMARKS = 100

_WIDTHS = {
    "narrow": N_("Narrow lines"),
    "standard": N_("Standard lines"),
    "wide": N_("Wide lines"),
}


class _Bookmark(NamedTuple):
    """How far a document was read."""

    document: Document | None
    part: int | None
    place: PagePlace


class DocumentPane(PaintedWidget, ProjectPanel):
    """Shows one document as plain text, with its fields, the rationale and the note.

    Signals:
        highlight_toggled: query terms were switched on or off by the pane's button.
        zoom_changed: px that are now added to the text's size.
        colour_chosen: the page colour that was chosen in the pane's menu.
        width_chosen: the line width that was.

    Attributes:
        text: the page itself.
        page: what is shown, and how.
        find_row: for finding.
        show_all: shows the whole text in place of its passages.
        previous_part: goes back in a very long text.
        menu: size, width and colour of the page.
    """

    highlight_toggled = Signal(bool)
    zoom_changed = Signal(int)
    colour_chosen = Signal(str)
    width_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = DocumentText(self)
        self.find_row = FindRow(self)
        self.show_all = QPushButton(_("Whole text"), self)
        self.previous_part = QPushButton(_("Previous part"), self)
        self.page = DocumentPage()
        self._grow, self._mode = 0, Mode.LIST
        self._has_tools, self._is_low = True, False
        self._colour, self._width = "theme", "standard"
        self._back: QWidget | None = None
        self._bookmarks: dict[tuple[str, QueryTerms], _Bookmark] = {}
        self._part_seek, self._part_count = IdleWork(self), IdleWork(self)
        self._in_parts: list[int] = []
        # So many matches stand in none of the passages that are shown.
        self._n_hidden = 0
        # What was looked for in another document leads nowhere before it is asked for.
        self._leads = self._is_led_away = False
        # Back to where one read before finding led away; ``None`` once one went elsewhere oneself.
        self._return: Callable[[], object] | None = None
        self._counted = ("", "")
        self._to_tell = QTimer(self, singleShot=True)
        self._place = CountedLabel(self)
        self._tools = ToolRow(self)
        self._mark = tool_button("highlighter", _("Mark query terms"), self)
        self._seek = tool_button("search", _("Find in document"), self)
        self.menu = QMenu(self)
        self._widths = self._fill_menu()
        self._colours = self._add_choices(
            {
                name: _("Page: {colour}").format(colour=mid_sentence(_(colour)))
                for name, colour in PAGE_COLOURS.items()
            },
            self.colour_chosen,
        )
        self._rest = QWidget(self)
        self._rest_text = ElidedLabel("", ink="text2", parent=self._rest)
        self._arrange()
        self._mark.clicked.connect(self._on_mark_clicked)
        self._seek.clicked.connect(self.focus_find)
        self.text.zoom_wanted.connect(self.zoom)
        self.text.marks.found_changed.connect(self._count_found)
        self.find_row.field.textChanged.connect(self._on_typed)
        self._to_tell.timeout.connect(self._tell_found)
        self.find_row.stepped.connect(self._step)
        self.show_all.clicked.connect(self._show_more)
        self.previous_part.clicked.connect(lambda: self.turn_part(-1))
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._show(keeps_place=False)

    def _arrange(self) -> None:
        size = tool_button("a-large-small", _("Size, width and colour of the page"), self)
        size.setMenu(self.menu)
        self._mark.setCheckable(True)
        self._mark.setChecked(True)
        self.find_row.hide()
        self.text.verticalScrollBar().actionTriggered.connect(self._forget_return)
        self._tools.row.setSpacing(2)
        self._tools.put(self._place, 1, self._mark, self._seek, size)
        fill_width(self._rest_text)
        rest = (self._rest_text, 1, self.previous_part, self.show_all)
        # By -1 they are as far apart as the style has it.
        in_line(*rest, host=self._rest, spacing=-1, margins=(20, 6, 12, 6))
        in_column(self._tools, self.find_row, self.text, 1, self._rest, host=self)

    def _fill_menu(self) -> list[QAction]:
        for name, step in ((_("Larger"), 1), (_("Smaller"), -1), (_("Normal size"), 0)):
            self.menu.addAction(name).triggered.connect(
                lambda _on=False, step=step: self.zoom(step)
            )
        return self._add_choices(in_words(_WIDTHS), self.width_chosen)

    def _add_choices(self, texts: dict[str, str], chosen: SignalInstance) -> list[QAction]:
        """Offer one of several in the menu; what holds is said by :meth:`set_page`."""
        self.menu.addSeparator()
        group = QActionGroup(self.menu)
        for name, text in texts.items():
            action = offer(self.menu, text, partial(chosen.emit, name), is_on=False)
            action.setData(name)
            group.addAction(action)
        return group.actions()

    # What the window says

    @override
    def set_session(self, session: Session | None) -> None:
        """Show nothing of a project that is closed."""
        if session is None:
            self._part_seek.stop()
            self._part_count.stop()
            self.show_document(None, place=0, total=0)
            self._bookmarks.clear()

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        buttons = {"view.highlights": self._mark, "edit.find": self._seek}
        for action, button in {**buttons, "view.read_on": self.show_all}.items():
            key, name = find_key(action), button.accessibleName() or _("Whole text")
            button.setToolTip(f"{name} ({key})" if key else name)
        self.text.set_keys(find_key)

    def set_mode(self, mode: Mode) -> None:
        """Be the list's pane, or the focus view with its large page; the place is kept."""
        self._mode = mode
        self._show_tools()
        self._set_look()

    def _show_tools(self) -> None:
        has_tools = self._has_tools and self._mode is not Mode.FOCUS
        self._tools.setVisible(has_tools and self.find_row.isHidden())

    def set_tools(self, *, are_shown: bool) -> None:
        """Show the row over the page, or leave its room to the text: the menus have what it does."""
        self._has_tools = are_shown
        self._show_tools()

    def show_document(
        self,
        document: Document | None,
        *,
        place: int,
        total: int,
        marking: Marking = NO_MARKING,
        shown: Shown = Shown(),  # noqa: B008 - frozen
    ) -> None:
        """Show a document from its top, or from where it was left; the same one stays as it is.

        Args:
            document: ``None`` shows nothing.
            place: of the document in the list, from 1.
            total: how many documents are in the list.
            marking: what is marked in title, text and fields.
            shown: what the assessor has said of it, and its picture.
        """
        name = (
            _("Document {place} of {total}").format(
                place=format_count(place), total=format_count(total)
            )
            if document
            else ""
        )
        self._place.set_text(name, strong=format_count(place))
        left, before = self._read_so_far(), self.page.key
        is_same = self.page.set_document(document, marking, shown)
        if left is not None and not is_same:
            self._bookmarks[before] = left
            if len(self._bookmarks) > _MOST_BOOKMARKS:
                del self._bookmarks[next(iter(self._bookmarks))]
        back = None if is_same else self._bookmarks.pop(self.page.key, None)
        if back is None or not self._read_on(back):
            self._show(keeps_place=is_same)

    def _read_so_far(self) -> "_Bookmark | None":
        """Return how the document is left; ``None`` where that is as it came."""
        document, part = self.page.document, self.page.wanted_part
        if document is None or (part is None and not self.text.verticalScrollBar().value()):
            return None
        return _Bookmark(document, part, self.text.find_place()._replace(selected=()))

    def prepare(self, upcoming: list[tuple[Document, Shown, Marking]]) -> None:
        """Write the pages that may be wanted next, so that they are there in the next frame."""
        self.text.prepare([self.page.content_of(*each) for each in upcoming])

    def set_highlighted(self, is_highlighted: bool) -> None:
        """Mark query terms, or not."""
        self._mark.setChecked(is_highlighted)
        self.text.marks.set_shown(are_shown=is_highlighted)

    def set_whole(self, *, is_whole: bool) -> None:
        """Show long texts whole at once, or passages of them first."""
        self.page.prefers_whole = is_whole
        if not is_whole:
            self._show_again(None)
        elif self.is_excerpt:
            self.show_whole()

    def set_joined(self, *, is_joined: bool) -> None:
        """Join lines of a text that were broken by hand, or show them as they are."""
        self.page.joins_lines = is_joined
        self._show_again(self._part)

    @property
    def _part(self) -> int | None:
        """The part of the text that is shown, from 0; ``None`` for passages of it."""
        return None if self.is_excerpt else (self.page.part or (1, 1))[0] - 1

    def keep_place(self) -> Callable[[], object]:
        """Return what shows the same of the document again, and selects it, where it is shown anew."""
        here = _Bookmark(self.page.document, self._part, self.text.find_place())
        return lambda: self._read_on(here)

    def _read_on(self, bookmark: "_Bookmark") -> bool:
        """Show the same of a document again, at its place; return whether it is the one that is shown."""
        document, part, place = bookmark
        is_shown = document is not None and self.page.document == document
        if is_shown:
            self._show_again(part, keeps_place=False)
            self.text.go_to(place)
        return is_shown

    def set_page(self, *, colour: str, width: str) -> None:
        """Set the page's colour and the width of its lines, by their names."""
        self._colour, self._width = colour, width
        for action in (*self._colours, *self._widths):
            action.setChecked(action.data() in (colour, width))
        self._set_look()

    def zoom(self, step: int) -> None:
        """Make title and text larger by so many px, or smaller; within limits; normal by 0."""
        grow = min(MOST_GROW, max(LEAST_GROW, self._grow + step)) if step else 0
        if grow != self._grow:
            self._grow = grow
            self._set_look()
            self.zoom_changed.emit(grow)

    def focus_find(self) -> None:
        """Open the row for finding, and put the keyboard there."""
        if self.find_row.isHidden():
            self._back = QApplication.focusWidget()
            self.find_row.show()
            self._show_tools()
            self._leads = self._is_led_away = False
            self._return = self.keep_place()
            self.text.marks.find_all(self.find_row.field.text(), reveals=False)
        focus_field(self.find_row.field)

    def read_on(self) -> None:
        """Show the whole text where passages are shown, else turn a page, or to the next part."""
        if self.is_excerpt:
            self.show_whole()
        elif not (self.is_at_end and self.turn_part(1)):
            self.page_down()

    def page_down(self) -> None:
        """Turn a page of the document."""
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.value() + bar.pageStep() - scaled(24))

    def show_whole(self) -> None:
        """Show the whole text; what is read stays in view."""
        field, place = self.text.find_place().top or ("", 0)
        self._show_again(part_of(self.page.body, place) if field == "body" else 0)

    def turn_part(self, step: int) -> bool:
        """Show the next (+1) or previous (-1) part of a very long text; whether there is one."""
        part = self.page.part
        if part is None or not 1 <= part[0] + step <= part[1]:
            return False
        self._show_again(part[0] - 1 + step, keeps_place=False)
        return True

    def _show_more(self) -> None:
        if self.is_excerpt:
            self.show_whole()
        else:
            self.turn_part(1)

    @property
    def is_excerpt(self) -> bool:
        """Whether only passages of the text are shown."""
        return self.page.is_excerpt

    @property
    def is_at_end(self) -> bool:
        """Whether the end of the document is in view."""
        bar = self.text.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def select_mark(self) -> None:
        """Select the sentence of the highlight gone to last, unless something is selected."""
        if self.text.marks.mark is not None and not self.text.textCursor().hasSelection():
            self.text.select_sentence()

    def selected_spans(self) -> list[Span]:
        """Return the pieces of the document's own text that are selected."""
        found = self.page.document
        if found is None:
            return []
        values = {**found.fields, "title": found.title, "body": found.body}
        return self.text.page.spans(self.text.textCursor(), values)

    # What happens here

    def _set_look(self) -> None:
        theme = page_theme(self._colour)
        # The page paints its own ground; this is for what is selected on it.
        self.text.setPalette(build_palette(theme))
        self._is_low = is_low_for_text(self)
        is_large, columns = self._mode is Mode.FOCUS, LINE_WIDTHS[self._width]
        look = PageLook(theme, self._grow, is_large, columns, self._is_low)
        self.page.look = look
        self.text.set_look(look)
        self._fit_picture()

    def _fit_picture(self) -> None:
        """Show the document's picture as large as there is room now."""
        if self.text.page.content.picture is not None:
            self._show(keeps_place=True)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the picture the room that there is; not where only a scroll bar came or went."""
        super().resizeEvent(event)
        if is_low_for_text(self) is not self._is_low:
            self._set_look()
        elif event.size().width() != event.oldSize().width():
            self._fit_picture()

    def _show_again(self, part: int | None, *, keeps_place: bool = True) -> None:
        """Show another part of the text, or passages of it."""
        self.page.show(part)
        self._show(keeps_place=keeps_place)

    def _show(self, *, keeps_place: bool) -> None:
        page = self.page
        page.width = self.text.viewport().width()
        self.text.show_content(page.content, marking=page.marking, keeps_place=keeps_place)
        has_rest = page.is_excerpt or page.part is not None
        self._rest.setVisible(has_rest)
        if has_rest:
            self._describe_rest()

    def _describe_rest(self) -> None:
        shown, total = self.text.page.content.page, format_count(len(self.page.body))
        number, count = self.page.part or (0, 1)
        self._rest_text.shorter = ()
        self.previous_part.setVisible(number > 0)
        self.previous_part.setEnabled(number > 1)
        self.show_all.setEnabled(number < count)
        self.show_all.setText(_("Next part") if number else _("Whole text"))
        if number:
            at, last = format_count(number), format_count(count)
            self._rest_text.shorter = (_("{number} of {total}").format(number=at, total=last),)
            said = _("Part {number} of {count}").format(number=at, count=last)
            self._rest_text.set_text(said)
        elif shown is not None:
            self._rest_text.set_text(
                _("Passages: {shown} of {total} characters.").format(
                    shown=format_count(shown.n_shown), total=total
                )
            )

    def _on_mark_clicked(self, is_on: bool) -> None:
        self.set_highlighted(is_on)
        self.highlight_toggled.emit(is_on)

    def _on_typed(self, typed: str) -> None:
        self._leads = True
        self.text.marks.find_all(typed)
        self._to_tell.start(_RESTS_MS)

    def _step(self, step: int) -> None:
        """Go to the next place found, of a very long text also in its other parts; by 0 end it."""
        if not step:
            self._close_find()
            return
        self._forget_return()
        marks, part = self.text.marks, self.page.part
        is_last = marks.current == (len(marks.found) - 1 if step > 0 else 0) or not marks.found
        self._to_tell.start(0)
        if self._n_hidden:
            self._part_seek.start(self._seek_part(-1, 1))
        elif part is None or not is_last:
            marks.go_to_found(step)
        else:
            self._part_seek.start(self._seek_part(part[0] - 1, step))

    def _tell_found(self) -> None:
        """Have a reader hear which match is current of how many, and where it stands."""
        marks = self.text.marks
        if self._part_seek.is_busy or self._part_count.is_busy or not marks.has_looked:
            self._to_tell.start(_LOOK_MS)
        elif marks.current >= 0:
            words = marks.words_at(marks.found[marks.current])
            announce(self.find_row, f"{self.find_row.count_text}: {words}")
        else:
            announce(self.find_row, self.find_row.count_text)

    def _count_found(self, number: int, total: int) -> None:
        """Say which match is current, of how many also where not all of the text is shown.

        What stands in no passage is shown in the whole text.
        """
        marks, part, body = self.text.marks, self.page.part, self.page.body
        typed, has_looked, self._n_hidden = marks.typed, marks.has_looked, 0
        if typed and (part is not None or self.is_excerpt):
            if self._counted != (typed, body):
                self._counted, self._in_parts = (typed, body), []
                self._part_count.start(self._count_in_parts())
            has_looked = has_looked and len(self._in_parts) == count_parts(body)
            if part is not None:
                before = sum(self._in_parts[: part[0] - 1])
                total += before + sum(self._in_parts[part[0] :])
                number += before if number >= 0 else 0
            elif has_looked:
                lines = self.text.page.lines
                n_shown = sum(lines[each[0]].field == "body" for each in marks.found)
                self._n_hidden = max(0, sum(self._in_parts) - n_shown)
                if self._n_hidden and not total and self._leads:
                    # Once typing rests: the beginning of a word may stand where the word does not.
                    self._part_seek.start(self._seek_part(-1, 1), delay_ms=_RESTS_MS)
        self.find_row.set_count(number, total, self._n_hidden, has_looked=has_looked)
        if total or self._n_hidden:
            self._is_led_away = self._leads
        elif typed and has_looked and self._is_led_away and self._return is not None:
            # The first letters alone stood elsewhere.
            self._is_led_away = False
            self._part_seek.start(self._go_back(self._return))

    def _go_back(self, go: Callable[[], object]) -> Iterator[None]:
        go()
        yield

    def _forget_return(self, *_action: object) -> None:
        self._return = None

    def _count_in_parts(self) -> Iterator[None]:
        typed, body = self._counted
        for number in range(count_parts(body)):
            self._in_parts.append(self.page.count_found(number, typed))
            yield
        marks = self.text.marks
        self._count_found(marks.current, len(marks.found))

    def _seek_part(self, here: int, step: int) -> Iterator[None]:
        typed, body = self.text.marks.typed, self.page.body
        count = count_parts(body)
        for away in range(1, count + 1):
            if (self.text.marks.typed, self.page.body) != (typed, body):
                return
            number = (here + step * away) % count
            if self.page.count_found(number, typed):
                self._show_again(number, keeps_place=False)
                if step < 0:
                    self.text.finish()
                    self.text.marks.finish()
                    self.text.marks.go_to_found(-1)
                return
            yield

    def _close_find(self) -> None:
        self._to_tell.stop()
        self.text.marks.find_all("")
        # Hidden with the keyboard it would hand it on to whatever comes next, which readers say.
        if self._back is not None:
            self._back.setFocus()
        self._back = None
        self.find_row.hide()
        self._show_tools()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._set_look()
        elif event.type() is QEvent.Type.FontChange:
            if is_low_for_text(self) is not self._is_low:
                self._set_look()
            self.text.rewrite()

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the page's ground also beside it, where lines end before the window does."""
        painter.fillRect(self.text.geometry(), self.text.page.look.theme.base)

    @property
    def readable_width(self) -> int:
        """How wide it has to be for lines that one can read on end: of 45 characters, in px."""
        text = self.text
        return text.look.width_of(_READABLE) + text.verticalScrollBar().sizeHint().width()

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size: 332 px wide."""
        return QSize(332, 680)


class FindRow(ToolRow):
    """A field, 'n of m', and buttons for previous, next and close.

    Signals:
        stepped: +1 or -1, by a button, Enter or Shift+Enter; 0 where Esc or a button ends it.
    """

    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(_("Find in document"))
        self.field.setAccessibleName(_("Find in document"))
        self._count = ElidedLabel("", ink="text3", parent=self)
        self.row.setSpacing(4)
        self.put(self.field, 1, self._count)
        for icon, name, step in (
            ("chevron-up", _("Previous match (Shift+Enter)"), -1),
            ("chevron-down", _("Next match (Enter)"), 1),
            ("x", _("Close (Esc)"), 0),
        ):
            button = tool_button(icon, name, self)
            button.clicked.connect(lambda _on=False, step=step: self.stepped.emit(step))
            self.row.addWidget(button)

    @property
    def count_text(self) -> str:
        """What is said of the matches."""
        return self._count.text

    def set_count(
        self, number: int, total: int, n_hidden: int = 0, *, has_looked: bool = True
    ) -> None:
        """Say which match is current (from 0, -1 for none) of how many, as far as one has looked.

        Of passages it is said how many there are with those that only the whole text shows.
        """
        found = _("not found") if has_looked else _("looking…")
        if n_hidden:
            found = _("{total} in the whole text").format(total=format_count(total + n_hidden))
        elif total:
            found = _("{number} of {total}").format(
                number=format_count(number + 1), total=format_count(total)
            )
        self._count.set_text(found if self.field.text() else "")

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step and close by the keys that the field leaves."""
        if event.key() in ENTER:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(-1 if is_back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.stepped.emit(0)
        else:
            super().keyPressEvent(event)
