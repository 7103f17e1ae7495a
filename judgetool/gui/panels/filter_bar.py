"""A filter's field with what it completes, its ‘+’ menu of conditions and saved views, and chips.

A chip is a condition that can be taken away, with how many it lets through.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QLineEdit,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from judgetool.core import override
from judgetool.core.terms import one_line
from judgetool.gui.icons import themed_icon
from judgetool.gui.keymap import ENTER
from judgetool.gui.models.finders import (
    ASKED_OF_ME,
    REVEALING,
    TITLES,
    Typed,
    completions,
    describe_chip,
    fields_of,
    find_chip,
    known_values,
    read_typed,
    type_chip,
    visible_chips,
    with_chip,
)
from judgetool.gui.painting import draw_row_ground, draw_text, format_count
from judgetool.gui.panels.result_tools import tool_button
from judgetool.gui.theme import Role, current_theme, font, scaled, text_width
from judgetool.gui.widgets.buttons import Pill, offer
from judgetool.gui.widgets.fields import name_signs
from judgetool.gui.widgets.flow import FlowLayout, Scrolled
from judgetool.gui.widgets.labels import KeyCap, plain_tooltip
from judgetool.gui.widgets.painted import RING, in_column, in_line
from judgetool.session.finding import (
    FILTER_HELP,
    TEXT_KINDS,
    Filter,
    FilterKind,
    count_quick,
    follow_runs,
    is_known_id,
    matching_documents,
    saved_views,
)
from judgetool.session.session import Session
from judgetool.session.systems import group_names
from judgetool.wording import _

_WIDEST = 170
_LEAST = 60


class ChipText(NamedTuple):
    """What a chip shows.

    Attributes:
        text: in words.
        n_met: how many it lets through; ``None`` shows no number.
        help: a sentence for the tooltip.
    """

    text: str
    n_met: int | None = None
    help: str = ""


class ChipRow(QWidget):
    """Active pills with a cross; after two there is ‘Save as view’.

    Signals:
        removed: place of the chip that was clicked.
        save_asked: the chips are to be kept under a name.
    """

    removed = Signal(int)
    save_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.pills: list[Pill] = []
        self._texts: list[str] = []
        self.save = QToolButton(self)
        self.save.hide()
        self.save.setText(_("Save as view"))
        self.save.setFont(font(Role.META))
        self.save.setToolTip(_("Keep these filters under a name, in the project"))
        self.save.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.save.clicked.connect(self.save_asked)
        self._flow = FlowLayout(self, gap=scaled(6) - 2 * RING)
        self._flow.setContentsMargins(0, 0, 0, 0)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return room for little: a chip is shortened by whoever has a narrow list."""
        return QSize(
            min(_LEAST, super().minimumSizeHint().width()), super().minimumSizeHint().height()
        )

    def set_chips(self, chips: Sequence[ChipText]) -> None:
        """Show other chips."""
        self.save.setFont(font(Role.META))
        texts = [chip.text for chip in chips]
        if texts == self._texts:
            self._set_counts([chip.n_met for chip in chips])
            return
        self._texts = texts
        while self._flow.count():
            self._flow.takeAt(0)
        for old in self.pills:
            old.hide()
            old.deleteLater()
        self.pills = [self._make(place, chip) for place, chip in enumerate(chips)]
        for pill in self.pills:
            self._flow.addWidget(pill)
            pill.show()
        self.save.setVisible(len(chips) >= 2)
        self._flow.addWidget(self.save)
        self.updateGeometry()

    def _make(self, place: int, chip: ChipText) -> Pill:
        pill = Pill(_shortened(chip.text), chip.n_met, has_cross=True, parent=self)
        pill.setChecked(True)
        pill.setToolTip(plain_tooltip("\n".join(filter(None, (chip.text, chip.help)))))
        pill.setAccessibleDescription(_("Press to take this filter away"))
        pill.clicked.connect(lambda: self.removed.emit(place))
        return pill

    def _set_counts(self, counts: Sequence[int | None]) -> None:
        for pill, count in zip(self.pills, counts, strict=True):
            pill.set_count(count)
            # A click has switched it off; whether it goes is not the pill's to say.
            pill.setChecked(True)


def _shortened(text: str) -> str:
    """Return a text that leaves a chip narrower than the list of queries."""
    if text_width(Role.META_STRONG, text) <= scaled(_WIDEST):
        return text
    while text and text_width(Role.META_STRONG, text + "…") > scaled(_WIDEST):
        text = text[:-1]
    return text.rstrip() + "…"


_PLAIN: tuple[FilterKind, ...] = (
    "unjudged",
    "judged",
    "skipped",
    "cannot_judge",
    "flagged",
    "noted",
    "has_rationale",
    "disputed",
    "conflict",
    "mine",
    "no_text",
)
_WITH_VALUES: tuple[FilterKind, ...] = (
    "grade",
    "run",
    "confidence",
    "by",
    "asked",
    "differs_from",
    "category",
    "rank",
)
_RANKS = [Filter("rank", (1, last)) for last in (1, 3, 5, 10, 20, 100)]
_MOST_NAME = 60
_INSET = 7
_LEAST_TYPED = 2
INSET = 12


class FilterBar(QWidget):
    """Words and conditions that a list is filtered by.

    A condition that is typed becomes a chip with the blank after it, or with Enter.

    Args:
        hint: what the field says while it is empty.
        key: the key that leads to it.
        delay_ms: how long typing must rest before words count; conditions count at once.
        margin: px above and below.
        parent: of the bar.

    Signals:
        changed: words or conditions are others.
        left: Esc was pressed in the field, which is empty now.
        taken: Enter or Down was pressed, and no condition was typed.
        save_asked: the conditions are to be kept under a name.

    Attributes:
        chips: the conditions that hold, in the order chosen.
        words: what is looked for in texts.
        field: where both are typed.
        menu: of conditions; whoever knows them fills it when it opens.
    """

    changed = Signal()
    left = Signal()
    taken = Signal()
    save_asked = Signal()

    def __init__(
        self,
        hint: str,
        key: str,
        *,
        delay_ms: int = 0,
        margin: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.chips: tuple[Filter, ...] = ()
        self.words = ""
        self._session: Session | None = None
        self._runs: dict[int, str] = {}
        self._is_blind = False
        self.field = FilterField(hint, key)
        self.add = tool_button("plus", _("Add a filter"), self)
        self.menu = QMenu(self)
        self.add.setMenu(self.menu)
        self.row = ChipRow()
        # Where a low window has no room for all lines of chips, they scroll.
        self._lines = Scrolled(self.row)
        self._rest = QTimer(self, singleShot=True, interval=delay_ms)
        self._rest.timeout.connect(self._take_words)
        self._lines.hide()
        self._arrange(scaled(margin))
        self.field.textChanged.connect(self._on_typed)
        self.field.left.connect(self._on_left)
        self.field.taken.connect(self._on_taken)
        self.row.removed.connect(self._remove)
        self.row.save_asked.connect(self.save_asked)

    def _arrange(self, margin: int) -> None:
        line = in_line(self.field, 1, self.add, spacing=4, margins=(INSET, 0, INSET - 4, 0))
        chips = in_column(self._lines, margins=(INSET - 3, 0, INSET - 3, 0))
        in_column(line, chips, host=self, spacing=scaled(4), margins=(0, margin, 0, margin))

    # What the panel says

    @property
    def is_active(self) -> bool:
        """Whether anything is left out by it."""
        return bool(self.chips or self.words)

    def set_session(self, session: Session | None) -> None:
        """Follow another project; without one nothing is filtered."""
        self._session = session
        self._offer_words()
        if session is None:
            self.clear()
        runs = {} if session is None else {run.run_id: run.name for run in session.material.runs}
        self.set_chips(follow_runs(self.chips, self._runs, runs))
        self._runs = runs

    def set_blind(self, *, is_blind: bool) -> None:
        """Leave out conditions that tell of runs, ranks and others, or offer them again."""
        self._is_blind = is_blind
        if is_blind:
            self.set_chips([chip for chip in self.chips if chip.kind not in REVEALING])
        self._offer_words()

    def _offer_words(self) -> None:
        self.field.set_completions(completions(self._session, is_blind=self._is_blind))

    def add_chip(self, chip: Filter) -> None:
        """Filter by one condition more; one of the same kind with a value gives way."""
        self.set_chips(with_chip(self.chips, chip))

    def toggle_chip(self, chip: Filter) -> None:
        """Filter by a condition, or no longer."""
        others = [other for other in self.chips if other != chip]
        self.set_chips(others if chip in self.chips else with_chip(others, chip))

    def set_chips(self, chips: Sequence[Filter]) -> None:
        """Filter by these conditions."""
        if tuple(chips) != self.chips:
            has_more = len(chips) > len(self.chips)
            self.chips = tuple(chips)
            self.show_counts([None] * len(self.chips))
            if has_more:
                self._lines.bring_into_view(self.row.pills[-1])
            self.changed.emit()

    def clear(self) -> None:
        """Filter by nothing."""
        was_active = self.is_active
        self.chips, self.words = (), ""
        self.field.clear()
        self._rest.stop()
        self.show_counts([])
        if was_active:
            self.changed.emit()

    def keep(self) -> Callable[[], None]:
        """Return what filters by the same again, once the same project is opened anew."""
        # What one is asked is filtered by whoever judges now.
        chips = [chip for chip in self.chips if chip != ASKED_OF_ME]
        text = self.field.text()

        def go_on() -> None:
            self.field.setText(text)
            self._end_rest()
            self.set_chips([*self.chips, *(chip for chip in chips if chip not in self.chips)])

        return go_on

    def show_counts(self, counts: Sequence[int | None]) -> None:
        """Show how many each condition lets through."""
        scale = self._session.scale if self._session is not None else None
        texts = [
            ChipText(
                describe_chip(chip, scale, among=self.chips),
                count,
                _(FILTER_HELP[chip.kind]).partition(":")[0],
            )
            for chip, count in zip(self.chips, counts, strict=True)
        ]
        self.row.set_chips(texts)
        self._lines.setVisible(bool(texts))

    # The menu

    def fill_menu(self, query: int | None, documents: Sequence[int] = ()) -> None:
        """Fill the menu, which is about to open, with conditions and views kept under a name.

        Args:
            query: whose documents are filtered; ``None`` filters queries.
            documents: those listed of the query, before the chips.
        """
        session = self._session
        self.menu.clear()
        assert session is not None
        hidden = {*(REVEALING if self._is_blind else ()), *(() if query is None else ("category",))}
        held = visible_chips(self.chips, is_blind=self._is_blind)
        count = partial(_count, session, query, documents, self.chips if query is None else held)
        for kind in _PLAIN:
            if kind not in hidden:
                self._offer_chip(self.menu, Filter(kind), count)
        self.menu.addSeparator()
        menus: list[tuple[str, Sequence[Filter]]] = [
            (_(TITLES[kind]), _RANKS if kind == "rank" else known_values(session, kind))
            for kind in _WITH_VALUES
            if kind not in hidden
        ]
        menus += fields_of(session).items() if query is None else ()
        for title, chips in menus:
            if chips:
                menu = self.menu.addMenu(one_line(title, most=_MOST_NAME).replace("&", "&&"))
                for chip in chips:
                    self._offer_chip(menu, chip, count)
        views = saved_views(session)
        if views:
            self.menu.addSeparator()
        for name, view in views.items():
            text, take = one_line(name, most=_MOST_NAME), partial(self.set_chips, view)
            action = offer(self.menu, text, take, is_on=view == self.chips)
            action.setObjectName(f"view:{name}")

    def _offer_chip(self, menu: QMenu, chip: Filter, count: Callable[[Filter], int | None]) -> None:
        scale = self._session.scale if self._session is not None else None
        text = one_line(describe_chip(chip, scale, among=self.chips), most=_MOST_NAME)
        toggle = partial(self.toggle_chip, chip)
        action = offer(menu, text, toggle, is_on=chip in self.chips)
        action.setObjectName(type_chip(chip))
        n_met = count(chip)
        if n_met is not None:
            # After a tab Qt sets the rest at the right, as it does keys.
            action.setText(f"{action.text()}\t{format_count(n_met)}")

    # What the person does

    def _remove(self, place: int) -> None:
        self.set_chips([chip for at, chip in enumerate(self.chips) if at != place])

    def _on_typed(self, text: str) -> None:
        last = ["", *text.split()][-1]
        if text.endswith(" ") and find_chip(last, self._names()) and self._read().chips:
            self._take_conditions()
        elif self._rest.interval():
            self._rest.start()
        else:
            self._take_words()

    def _take_conditions(self) -> bool:
        """Make chips of the conditions in the field; return whether there were any."""
        typed = self._read()
        if not typed.chips:
            return False
        self.field.setText(f"{typed.words} " if typed.words else "")
        chips = [chip for chip in self.chips if chip not in typed.chips]
        self.set_chips([*chips, *typed.chips])
        return True

    def _read(self) -> Typed:
        session = self._session
        return read_typed(
            self.field.text(),
            lambda word: session is not None and word[0] == "-" and is_known_id(session, word),
            self._names(),
        )

    def _names(self) -> list[str]:
        """Return by what queries can be grouped, which ``lang=ar`` asks for."""
        if self._session is None or "=" not in self.field.text():
            return []
        return group_names(self._session)

    def _take_words(self) -> None:
        words = self._read().words
        if words != self.words:
            self.words = words
            self.changed.emit()

    def _end_rest(self) -> None:
        """Take words now that would count once typing has rested."""
        if self._rest.isActive():
            self._rest.stop()
            self._take_words()

    def _on_left(self) -> None:
        self._end_rest()
        self.left.emit()

    def _on_taken(self) -> None:
        self._end_rest()
        if not self._take_conditions():
            self.taken.emit()


class FilterField(QLineEdit):
    """Typing filters at once; Esc clears and leaves, Enter or Down takes the first.

    Signals:
        left: Esc was pressed; the field is empty now.
        taken: Enter or Down was pressed.

    Attributes:
        is_stepped: whether it was Down that took last.
    """

    left = Signal()
    taken = Signal()

    def __init__(self, hint: str, key: str) -> None:
        super().__init__()
        self.is_stepped = False
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.addAction(themed_icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        name_signs(self)
        self._cap = KeyCap(key)
        self._cap.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._cap.setHidden(not key)
        row = in_line(host=self, margins=(_INSET, 0, _INSET, 0))
        row.addStretch(1)
        row.addWidget(self._cap)
        self._keep_room()
        self.textChanged.connect(lambda text: self._cap.setVisible(bool(key) and not text))
        self._known = QStringListModel(self)
        self._words = WordCompleter(self._known, self)
        self.setCompleter(self._words)

    def set_completions(self, texts: Sequence[str]) -> None:
        """Offer these words while they are typed."""
        self._known.setStringList(list(texts))

    def _keep_room(self) -> None:
        """Let what is typed end before the key cap."""
        room = self._cap.sizeHint().width() + 2 if self._cap.text else 0
        is_left = self.isLeftToRight()
        self.setTextMargins(0 if is_left else room, 0, room if is_left else 0, 0)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave or take on the keys that do; type everything else."""
        is_enter, is_escape = event.key() in ENTER, event.key() == Qt.Key.Key_Escape
        offered = self._words.offered
        has_choice = offered.currentIndex().isValid()
        if offered.isVisible() and (is_escape or (is_enter and has_choice)):
            # The list of words takes it.
            event.ignore()
        elif is_escape:
            self.clear()
            self.left.emit()
        elif is_enter or event.key() == Qt.Key.Key_Down:
            offered.hide()
            self.is_stepped = not is_enter
            self.taken.emit()
        else:
            super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow font and direction."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange):
            self._keep_room()
        super().changeEvent(event)


def _count(
    session: Session,
    query: int | None,
    documents: Sequence[int],
    held: Sequence[Filter],
    chip: Filter,
) -> int | None:
    """Return how many documents or queries would be listed with a condition besides.

    ``None`` for queries where that would take too long, and for ranks.
    """
    if query is None:
        return None if chip.value is not None else count_quick(session, with_chip(held, chip))
    if chip.kind == "rank":
        return None
    held = [other for other in held if other.kind not in TEXT_KINDS]
    return len(matching_documents(session, query, documents, with_chip(held, chip)))


class WordCompleter(QCompleter):
    """Completes the last word of a line rather than the line."""

    def __init__(self, words: QStringListModel, parent: QWidget) -> None:
        super().__init__(words, parent)
        self._before = ""
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(8)
        self.offered.setItemDelegate(_OfferedRows(self.offered))
        self.offered.setAccessibleName(_("Filters to choose from"))

    @property
    def offered(self) -> QAbstractItemView:
        """The list of words that are offered now."""
        return self.popup()  # type: ignore[return-value]  # Qt makes one where there is none

    @override
    def splitPath(self, path: str) -> list[str]:
        """Return the word that is being typed; nothing is offered for a letter alone."""
        self._before, __, word = path.rpartition(" ")
        # No word begins so: nothing is offered.
        return [word if len(word) >= _LEAST_TYPED else "\0"]

    @override
    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return the line with the word completed."""
        word = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        return f"{self._before} {word} ".lstrip()


class _OfferedRows(QStyledItemDelegate):
    """Rows as those of the lists, on the ground that their state asks for."""

    @override
    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, scaled(26))

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, rect = current_theme(), QRectF(option.rect)
        painter.save()
        draw_row_ground(painter, rect, theme, state=option.state)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        inner = rect.adjusted(scaled(10), 0, -scaled(6), 0)
        draw_text(painter, inner, text, role=Role.UI, colour=theme.text)
        painter.restore()
