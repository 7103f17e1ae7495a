"""Small questions: a choice of several, a text, a name, who judges; lists to choose from; a sentence to say."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent, QTextCursor
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QPlainTextEdit, QRadioButton, QWidget

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.act_dialog import (
    INSET,
    NARROWEST,
    ActDialog,
    combo,
    edit,
    grid_of,
    push_button,
    text_pane,
)
from judgetool.gui.dialogs.framed_list import PieceList, framed
from judgetool.gui.painting import format_count
from judgetool.gui.theme import Role, font, scaled
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel, Text, plain_tooltip
from judgetool.gui.widgets.painted import clear_layout
from judgetool.session.commands import find_name_problem, find_near_name
from judgetool.session.edits import Along
from judgetool.wording import _

MAX_LENGTH = 80
_MOST_DIGITS = 9


class RadioOption(NamedTuple):
    """One of the things to choose from.

    Attributes:
        name: what is returned.
        title: what is shown.
        help: a sentence under it; ``""`` for none.
    """

    name: str
    title: str
    help: str = ""


def choose_by_key(event: QKeyEvent, buttons: Mapping[str, QRadioButton]) -> bool:
    """Choose the button of the sign that was typed; return whether there is one."""
    button = buttons.get(event.text())
    if button is not None:
        button.setChecked(True)
        button.setFocus()
    return button is not None


def is_writing(event: QKeyEvent) -> bool:
    """Whether a key that just went down writes something: no blank, and nothing with Ctrl or Alt alone."""
    control, alt = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
    held = event.modifiers() & (control | alt | Qt.KeyboardModifier.MetaModifier)
    # Some keyboards have AltGr as both.
    is_plain = not held or held == control | alt
    text = event.text()
    return is_plain and not event.isAutoRepeat() and bool(text.strip()) and text.isprintable()


class About(NamedTuple):
    """What a dialog is about.

    Attributes:
        brief: as it is shown, long names cut.
        whole: as its tooltip says it.
    """

    brief: str
    whole: str


def add_about(dialog: ActDialog, about: About | None) -> None:
    """Say at the top of a dialog, and to who listens, what it is about; ``None`` says nothing."""
    if about is not None:
        said = dialog.add_text(about.brief)
        said.setToolTip(plain_tooltip(about.whole) if about.whole != about.brief else "")
        dialog.setAccessibleDescription(about.brief)


class ChooseDialog(ActDialog):
    """Radio buttons, the current one marked; digits choose, Enter takes.

    Where another text may be written, whatever else is typed is written there.

    Args:
        title: the act.
        options: at least one.
        verb: on the main button.
        current: name of the one that holds now.
        other: label of a field for another text; ``""`` for no such field.
        about: what it is asked of; ``None`` where the title says it.
    """

    answers_by_enter = True

    def __init__(
        self,
        title: str,
        options: Sequence[RadioOption],
        *,
        verb: str,
        current: str = "",
        other: str = "",
        about: About | None = None,
    ) -> None:
        super().__init__(title, verb=verb)
        add_about(self, about)
        self.radios = self.add_radios(dict[str, str](), current)
        self.buttons = self.radios.by_name
        for number, option in enumerate(options, 1):
            digit = f"{number}  " if number <= _MOST_DIGITS else ""
            button = self.put(self.radios.add(option.name, f"{digit}{option.title}"))
            button.setChecked(option.name == current)
            if option.help:
                self.add_text(option.help).setContentsMargins(24, 0, 0, 4)
                button.setAccessibleDescription(option.help)
        self.other = QLineEdit()
        self._takes_other = bool(other)
        if other:
            self.add_field(f"&{other}", self.other)
            self.other.textEdited.connect(self._choose_other)
        self.body.addStretch(1)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by the digit before an option; write, or paste, what is no such digit."""
        buttons = dict(zip("123456789", self.buttons.values(), strict=False))
        if choose_by_key(event, buttons):
            return
        writes = is_writing(event) or event.matches(QKeySequence.StandardKey.Paste)
        if self._takes_other and writes:
            # As after Tab, what stood there gives way.
            self.other.setFocus()
            self.other.selectAll()
            QCoreApplication.sendEvent(self.other, event)
        else:
            super().keyPressEvent(event)

    def _choose_other(self) -> None:
        self.radios.setExclusive(False)
        for button in self.buttons.values():
            button.setChecked(False)
        self.radios.setExclusive(True)

    @property
    def answer(self) -> str:
        """The name of the chosen option, or the other text; ``""`` for neither."""
        chosen = self.radios.current
        return self.other.text().strip() if chosen is None else chosen


class WritingDialog(ActDialog):
    """One in which texts are written: what was written is discarded only after a question."""

    _texts_before: list[str] | None = None

    @property
    def _texts(self) -> list[str]:
        lines = [each.text() for each in self.findChildren(QLineEdit)]
        return lines + [each.toPlainText() for each in self.findChildren(QPlainTextEdit)]

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Note what stands there before anything is written."""
        super().showEvent(event)
        if self._texts_before is None:
            self._texts_before = self._texts

    @override
    def reject(self) -> None:
        """Leave; where something was written only if the person discards it."""
        if self._texts_before in (None, self._texts) or self._is_discarded():
            super().reject()

    def _is_discarded(self) -> bool:
        discard = Choice("discard", _("Discard"), destroys=True)
        dialog = MessageDialog(_("Discard what you have written?"), [discard]).above(self)
        dialog.cancel.setText(_("Keep editing"))
        dialog.is_answered()
        return dialog.answer is not None


class TextDialog(WritingDialog):
    """A field of several lines; Ctrl+Enter takes it.

    Args:
        title: the act, also the field's label.
        before: what stands so far.
        verb: on the main button.
        width: px at a 13 px font.
        about: of what it is written; ``None`` where the title says it.
    """

    def __init__(
        self,
        title: str,
        before: str,
        *,
        verb: str,
        width: int = NARROWEST,
        about: About | None = None,
    ) -> None:
        super().__init__(title, verb=verb, width=width)
        add_about(self, about)
        self.field = text_pane(before, scaled(110))
        self.add_text_field()
        self.show_remark(_("Ctrl+Enter keeps it."))

    def add_text_field(self) -> None:
        """Put the field into the body."""
        self.add_field(f"&{self.windowTitle()}", self.field)
        self.field.moveCursor(QTextCursor.MoveOperation.End)

    @property
    def answer(self) -> str:
        """The text as it stands."""
        return self.field.toPlainText()


class NameDialog(ActDialog):
    """One field for a name.

    Args:
        title: the act.
        name: what stands in the field at first, chosen whole; with a number where it is taken.
        verb: on the main button.
        remark: what is to be known before; may be empty.
        taken: names that are others' already.
    """

    def __init__(
        self, title: str, name: str, *, verb: str, remark: str = "", taken: Collection[str] = ()
    ) -> None:
        super().__init__(title, verb=verb)
        self._taken = taken
        if remark:
            self.add_text(remark)
        free = chain([name], (f"{name} {number}" for number in count(2)))
        text = next(each for each in free if each not in taken)
        self.field = self.add_field(_("&Name"), edit(text, most=200))
        self.field.selectAll()
        self.body.addStretch(1)
        self.follow(self._check, self.field)

    def _check(self) -> None:
        if self.answer in self._taken:
            self.show_problem(_("{answer} is there already.").format(answer=self.answer))
        else:
            self.show_problem("" if self.answer else _("Give it a name."), ink="text2")

    @property
    def answer(self) -> str:
        """The name, without blanks around it."""
        return self.field.text().strip()


_MOST_HEARD = 2000


class MessageDialog(ActDialog):
    """Says what happened, and offers what can be done about it.

    Args:
        text: a sentence or two.
        choices: the main verb last; none when nothing is to be chosen.
        detail: more, shown in a field that can be copied from.
        title: of what it is about; ``""`` where the text says it.

    Attributes:
        answer: name of the chosen button; ``None`` when it was put off.
    """

    def __init__(
        self,
        text: str,
        choices: Sequence[Choice],
        *,
        detail: str = "",
        title: str = "",
    ) -> None:
        super().__init__(title or "judgetool", verb=_("Close"))
        self.answer: str | None = None
        self.head.setVisible(bool(title))
        # Who listens is told at once what those who see read before they answer.
        heard = f"{text}\n{detail}" if detail else text
        self.setAccessibleDescription(
            heard if len(heard) <= _MOST_HEARD else f"{heard[:_MOST_HEARD]} …"
        )
        self.body.setContentsMargins(INSET, INSET, INSET, INSET)
        self.sentence = self.put(Text(text, role=Role.NEED))
        if detail:
            field = self.put(text_pane(detail, scaled(120)), stretch=1)
            field.setReadOnly(True)
            field.setTabChangesFocus(False)
            field.setFont(font(Role.META))
            field.setAccessibleName(_("Details"))
            copy = partial(QGuiApplication.clipboard().setText, detail)
            self.add_to_foot(push_button(_("Copy details"), copy))
        self.first = self.verb
        if choices:
            self._add_buttons(*choices)
        else:
            self.cancel.hide()

    def _add_buttons(self, *choices: Choice) -> None:
        *others, main = choices
        for other in others:
            button = push_button(other.text, partial(self._choose, other.name))
            self.foot.row.insertWidget(self.foot.row.indexOf(self.verb), button)
        self.verb.setText(main.text)
        self.set_verb(partial(self._choose, main.name))
        if main.destroys:
            self.verb.setDefault(False)
            self.verb.setAutoDefault(False)
            self.cancel.setDefault(True)
            self.verb.setToolTip("")
            self.first = self.cancel

    def _choose(self, name: str, _is_on: bool = False) -> None:
        self.answer = name
        self.accept()


def name_problem(name: str) -> str:
    """Return a sentence saying why this cannot be an assessor's name, or ``""``."""
    if not name.strip():
        return _("A name is needed: judgments belong to whoever gave them.")
    if not name.isprintable():
        return _("The name must stand on one line, without control characters.")
    if len(name) > MAX_LENGTH:
        return _("The name has {count} characters; {most} fit.").format(
            count=format_count(len(name)), most=MAX_LENGTH
        )
    return find_name_problem(name)


class AssessorDialog(ActDialog):
    """Asks who judges; names known from the project are offered.

    Args:
        current: the name so far, ``""`` when nobody is named.
        known: names of all who have judged in the project or are asked to.
        plan: returns what taking the judgments of the name so far along to another would do;
            ``None`` where nothing can be.
    """

    def __init__(
        self,
        current: str,
        known: Sequence[str] = (),
        plan: Callable[[str], Along] | None = None,
    ) -> None:
        super().__init__(_("Who judges?"), verb=_("Judge under this name"))
        self._known, self._plan = set(known), plan
        self._along: Along | None = None
        self.add_text(
            _(
                "Each judgment is kept with the name of who gave it, so that several people can "
                "judge the same documents."
            )
        )
        self.name = self.add_field(_("&Name"), edit(current, most=MAX_LENGTH))
        self.name.selectAll()
        self.names = PieceList(_("In this project"))
        self.names.addItems(list(known))
        if known:
            self.add_field(_("&In this project"), framed(self.names))
            self.names.setFixedHeight(min(len(known), 6) * scaled(28) + 8)
            self.names.setCurrentRow(list(known).index(current) if current in known else -1)
            self.names.taken.connect(self._take)
            self.names.itemActivated.connect(self.accept)
        self.along = self.add_switch("", is_on=False)
        self.stays = self.add_text("")
        self.body.addStretch(1)
        self.follow(self._check, self.name)

    @property
    def takes_along(self) -> Along | None:
        """What the judgments of the name so far would come along with; ``None`` where they are to stay."""
        return self._along if self.along.isChecked() else None

    def _offer_along(self, name: str) -> None:
        """Offer to take along what was judged under the name so far, where that was done here."""
        self._along = self._plan(name) if self._plan is not None and name else None
        found = self._along
        is_offered = found is not None and found.is_from_here and found.n_taken > 0
        self.along.setVisible(is_offered)
        self.stays.setVisible(is_offered and bool(found and found.left))
        if not is_offered or found is None:
            self.along.setChecked(False)
            return
        self.along.setText(
            number_of(
                found.n_taken,
                "&Take the {n} judgment that was given as {former} along",
                "&Take the {n} judgments that were given as {former} along",
                former=found.former.replace("&", "&&"),
            )
        )
        self.stays.setText(found.left)
        self.grow()

    def _take(self, item: QListWidgetItem) -> None:
        self.name.setText(item.text())

    def _check(self) -> None:
        name = self.name.text()
        self.show_problem(name_problem(name), ink="bad" if name.strip() else "text2")
        if self.verb.isEnabled() and self._known:
            near = find_near_name(name.strip(), self._known)
            new = (
                _("New in this project: not ‘{near}’.").format(near=near)
                if near
                else _("New in this project.")
            )
            self.show_remark("" if name.strip() in self._known else new)
        self._offer_along(name.strip() if self.verb.isEnabled() else "")

    @property
    def answer(self) -> str:
        """The name, without blanks around it."""
        return self.name.text().strip()


class Chooser(NamedTuple):
    """A list to choose from, asked for by its words.

    Attributes:
        key: what it is known by.
        text: what is asked.
        options: what is shown and what it stands for.
        current: what the one chosen now stands for.
        name: for readers.
        is_open: whether nobody has answered yet.
    """

    key: Any
    text: str
    options: Sequence[tuple[str, object]]
    current: object
    name: str
    is_open: bool = False


class Choosers(QWidget):
    """Lists to choose from under each other, as they are asked for; hidden without any.

    Args:
        choose: gets a key, and what the person chooses.
        is_beside: whether a list stands beside its words or under them.
        width: of the lists, in px at a 13 px font; 0 for what they need.

    Attributes:
        fields: by their keys.
    """

    def __init__(
        self, choose: Callable[[Any, Any], object], *, is_beside: bool = True, width: int = 0
    ) -> None:
        super().__init__()
        self._choose, self._is_beside, self._width = choose, is_beside, width
        self._asked: list[Chooser] = []
        self.fields: dict[Any, NamedCombo] = {}
        self._grid = grid_of(10, 4, {2: 1})
        self._grid.setContentsMargins(0, 0, 0, 0)
        self.setLayout(self._grid)
        self.hide()

    def ask(self, asked: Iterable[Chooser]) -> None:
        """Ask for others; where they are the same as before, nothing changes."""
        before, self._asked = self._asked, list(asked)
        if self._asked == before:
            return
        held = next((key for key, field in self.fields.items() if field.hasFocus()), None)
        clear_layout(self._grid)
        self.fields = {}
        stop = stop_before(self)
        for row, each in enumerate(self._asked):
            choose = partial(self._choose, each.key)
            field = combo(each.options, each.current, name=each.name, choose=choose)
            if self._width:
                field.setFixedWidth(scaled(self._width))
            self.fields[each.key] = field
            role = Role.UI_STRONG if each.is_open else Role.UI
            if self._is_beside:
                self._grid.addWidget(ElidedLabel(each.text, role=role), row, 0)
                self._grid.addWidget(field, row, 1)
            else:
                self._grid.addWidget(Text(each.text, role=role), 2 * row, 0, 1, 3)
                self._grid.addWidget(field, 2 * row + 1, 0)
            # Where they are seen, not behind all that was there before.
            QWidget.setTabOrder(stop, field)
            stop = field
        self.setVisible(bool(self._asked))
        if held in self.fields:
            # Who chooses by arrows goes on choosing here, and changes nothing else.
            self.fields[held].show()
            self.fields[held].setFocus()


def stop_before(widget: QWidget) -> QWidget:
    """Return what Tab stops at before a widget; the widget itself where nothing is."""
    before: QWidget | None = widget.previousInFocusChain()
    while before not in (widget, None) and not before.focusPolicy() & Qt.FocusPolicy.TabFocus:
        before = before.previousInFocusChain()
    return before or widget
