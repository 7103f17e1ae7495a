"""A filter's field with what it completes, its ‘+’ menu of conditions and saved views, and chips."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QCompleter,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.excerpts import one_line
from judgetool.core.number_text import format_count
from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.models.typed_filters import (
    REVEALING,
    TITLES,
    describe_chip,
    find_chip,
    known_values,
    read_typed,
    type_chip,
    visible_chips,
    with_chip,
)
from judgetool.gui.painting import draw_row_ground, draw_text
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.chips import ChipRow, ChipText
from judgetool.gui.widgets.labels import KeyCap
from judgetool.session.finding.filters import (
    FILTER_HELP,
    Filter,
    FilterKind,
    format_filter,
    saved_views,
)
from judgetool.session.finding.matching import count_quick, matching_documents
from judgetool.session.finding.query_search import TEXT_KINDS
from judgetool.session.session import Session

_PLAIN: tuple[FilterKind, ...] = (
    "unjudged",
    "judged",
    "skipped",
    "cannot_judge",
    "flagged",
    "noted",
    "has_rationale",
    "disputed",
    "mine",
    "no_text",
)
_WITH_VALUES: tuple[FilterKind, ...] = (
    "grade",
    "run",
    "confidence",
    "by",
    "differs_from",
    "category",
)
_RANKS = (1, 3, 5, 10, 20, 100)
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
        self.field = FilterField(hint, key, self)
        self.add = QToolButton(self)
        self.menu = QMenu(self)
        self.row = ChipRow(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(delay_ms)
        self._rest.timeout.connect(self._take_words)
        self._arrange(scaled(margin))
        self.field.textChanged.connect(self._on_typed)
        self.field.left.connect(self.left)
        self.field.taken.connect(self._on_taken)
        self.row.removed.connect(self._remove)
        self.row.save_asked.connect(self.save_asked)

    def _arrange(self, margin: int) -> None:
        self.add.setMenu(self.menu)
        self.add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add.setFixedSize(26, 26)
        self.add.setIconSize(icon_size())
        self.add.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.add.setToolTip("Add a filter")
        self.add.setAccessibleName("Add a filter")
        line = QHBoxLayout()
        line.setContentsMargins(INSET, 0, INSET - 4, 0)
        line.setSpacing(4)
        line.addWidget(self.field, stretch=1)
        line.addWidget(self.add)
        chips = QVBoxLayout()
        chips.setContentsMargins(INSET - 3, 0, INSET - 3, 0)
        chips.addWidget(self.row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, margin, 0, margin)
        column.setSpacing(scaled(4))
        column.addLayout(line)
        column.addLayout(chips)
        self.add.setIcon(themed_icon("plus"))

    def show_field(self, *, is_shown: bool) -> None:
        """Show the field and its menu, or the chips alone."""
        self.field.setVisible(is_shown)
        self.add.setVisible(is_shown)

    # What the panel says

    @property
    def is_active(self) -> bool:
        """Whether anything is left out by it."""
        return bool(self.chips or self.words)

    def set_session(self, session: Session | None, completions: Sequence[str]) -> None:
        """Follow another project; without one nothing is filtered."""
        self._session = session
        self.field.set_completions(completions)
        if session is None:
            self.clear()

    def add_chip(self, chip: Filter) -> None:
        """Filter by one condition more; one of the same kind with a value gives way."""
        self.set_chips(with_chip(self.chips, chip))

    def toggle_chip(self, chip: Filter) -> None:
        """Filter by a condition, or no longer."""
        if chip in self.chips:
            self.set_chips([other for other in self.chips if other != chip])
        else:
            self.add_chip(chip)

    def set_chips(self, chips: Sequence[Filter]) -> None:
        """Filter by these conditions."""
        if tuple(chips) != self.chips:
            self.chips = tuple(chips)
            self.show_counts([None] * len(self.chips))
            self.changed.emit()

    def clear(self) -> None:
        """Filter by nothing."""
        was_active = self.is_active
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self.field.textChanged.emit("")
        self._rest.stop()
        self.chips, self.words = (), ""
        self.show_counts([])
        if was_active:
            self.changed.emit()

    def show_counts(self, counts: Sequence[int | None]) -> None:
        """Show how many each condition lets through."""
        scale = self._session.scale if self._session is not None else None
        texts = [
            ChipText(
                describe_chip(chip, scale, among=self.chips),
                count,
                FILTER_HELP[chip.kind].partition(":")[0],
            )
            for chip, count in zip(self.chips, counts, strict=True)
        ]
        self.row.set_chips(texts)

    # What the person does

    def _remove(self, place: int) -> None:
        self.set_chips([chip for at, chip in enumerate(self.chips) if at != place])

    def _on_typed(self, text: str) -> None:
        if text.endswith(" ") and find_chip(text.rsplit(maxsplit=1)[-1] if text.split() else ""):
            self._take_conditions()
        elif self._rest.interval():
            self._rest.start()
        else:
            self._take_words()

    def _take_conditions(self) -> bool:
        """Make chips of the conditions in the field; return whether there were any."""
        typed = read_typed(self.field.text())
        if not typed.chips:
            return False
        self.field.setText(f"{typed.words} " if typed.words else "")
        chips = [chip for chip in self.chips if chip not in typed.chips]
        self.set_chips([*chips, *typed.chips])
        return True

    def _take_words(self) -> None:
        words = read_typed(self.field.text()).words
        if words != self.words:
            self.words = words
            self.changed.emit()

    def _on_taken(self) -> None:
        if self._rest.isActive():
            self._rest.stop()
            self._take_words()
        if not self._take_conditions():
            self.taken.emit()


class FilterField(QLineEdit):
    """Typing filters at once; Esc clears and leaves, Enter or Down takes the first.

    Signals:
        left: Esc was pressed; the field is empty now.
        taken: Enter or Down was pressed.
    """

    left = Signal()
    taken = Signal()

    def __init__(self, hint: str, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._cap = KeyCap(key, parent=self)
        self._cap.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._cap.setVisible(bool(key))
        self._has_cap = bool(key)
        self._glass.setIcon(themed_icon("search"))
        self.textChanged.connect(lambda text: self._cap.setVisible(self._has_cap and not text))
        self._known = QStringListModel(self)
        self._words = WordCompleter(self._known, self)
        self.setCompleter(self._words)

    def set_completions(self, texts: Sequence[str]) -> None:
        """Offer these words while they are typed."""
        self._known.setStringList(list(texts))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the key cap at the end of the field."""
        super().resizeEvent(event)
        self._place_cap()

    def _place_cap(self) -> None:
        size = self._cap.sizeHint()
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        left = self.width() - size.width() - _INSET if is_left else _INSET
        room = size.width() + 2 if self._has_cap else 0
        self.setTextMargins(0 if is_left else room, 0, room if is_left else 0, 0)
        self._cap.setGeometry(
            left, (self.height() - size.height()) // 2, size.width(), size.height()
        )

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave or take on the keys that do; type everything else."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        is_escape = event.key() == Qt.Key.Key_Escape
        if self._words.is_open and (is_escape or (is_enter and self._words.has_choice)):
            # The list of words takes it.
            event.ignore()
        elif is_escape:
            self.clear()
            self.left.emit()
        elif is_enter or event.key() == Qt.Key.Key_Down:
            self._words.close()
            self.taken.emit()
        else:
            super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() is QEvent.Type.FontChange:
            self._place_cap()
        super().changeEvent(event)


@dataclass(frozen=True, slots=True)
class FilterTarget:
    """What a menu's conditions are for.

    Attributes:
        session: the project.
        query: whose documents are filtered; ``None`` filters queries.
        chips: what holds already.
        is_blind: whether conditions that tell of runs and others are left out.
        add: adds a condition, or takes it away.
        apply: takes all conditions of a saved view.
        documents: those listed of the query, before the chips.
    """

    session: Session
    query: int | None
    chips: Sequence[Filter]
    is_blind: bool
    add: Callable[[Filter], None]
    apply: Callable[[Sequence[Filter]], None]
    documents: Sequence[int] = ()


def fill_filter_menu(menu: QMenu, target: FilterTarget) -> None:
    """Fill a menu that is about to open."""
    menu.clear()
    counts = count_conditions(target)
    for kind in _PLAIN:
        if not (target.is_blind and kind in REVEALING):
            _add(menu, target, Filter(kind), counts)
    menu.addSeparator()
    for kind in _WITH_VALUES:
        chips = [] if target.is_blind and kind in REVEALING else known_values(target.session, kind)
        if kind == "category" and target.query is not None:
            chips = []
        if chips:
            _add_all(menu.addMenu(TITLES[kind]), target, chips, counts)
    if not target.is_blind:
        ranks = [Filter("rank", (1, last)) for last in _RANKS]
        _add_all(menu.addMenu(TITLES["rank"]), target, ranks, counts)
    _add_views(menu, target)


def _add_all(
    menu: QMenu, target: FilterTarget, chips: Sequence[Filter], counts: Mapping[str, int]
) -> None:
    for chip in chips:
        _add(menu, target, chip, counts)


def _add(menu: QMenu, target: FilterTarget, chip: Filter, counts: Mapping[str, int]) -> None:
    text = describe_chip(chip, target.session.scale, among=target.chips)
    text = one_line(text, most=_MOST_NAME)
    action = QAction(text.replace("&", "&&"), menu)
    count = counts.get(format_filter(chip))
    if count is not None:
        # After a tab Qt sets the rest at the right, as it does keys.
        action.setText(f"{action.text()}\t{format_count(count)}")
    action.setCheckable(True)
    action.setChecked(chip in target.chips)
    action.setObjectName(type_chip(chip))
    action.triggered.connect(lambda: target.add(chip))
    menu.addAction(action)


def _add_views(menu: QMenu, target: FilterTarget) -> None:
    views = saved_views(target.session)
    if not views:
        return
    menu.addSeparator()
    for name, chips in views.items():
        action = QAction(one_line(name, most=_MOST_NAME).replace("&", "&&"), menu)
        action.setObjectName(f"view:{name}")
        action.setCheckable(True)
        action.setChecked(tuple(chips) == tuple(target.chips))
        action.triggered.connect(lambda _on=False, taken=chips: target.apply(taken))
        menu.addAction(action)


def count_conditions(target: FilterTarget) -> dict[str, int]:
    """Return how many documents or queries would be listed with each simple condition besides.

    Of queries those are left out that would take too long.
    """
    session = target.session
    hidden = REVEALING if target.is_blind else frozenset()
    chips = [Filter(kind) for kind in _PLAIN]
    chips += [chip for kind in _WITH_VALUES for chip in known_values(session, kind)]
    chips = [chip for chip in chips if chip.kind not in hidden]
    query = target.query
    if query is None:
        chips = [chip for chip in chips if chip.value is None]
        counts = {chip: count_quick(session, with_chip(target.chips, chip)) for chip in chips}
        return {format_filter(chip): count for chip, count in counts.items() if count is not None}
    held = visible_chips(target.chips, is_blind=target.is_blind)
    held = tuple(chip for chip in held if chip.kind not in TEXT_KINDS)
    counted = {
        chip: matching_documents(session, query, target.documents, with_chip(held, chip))
        for chip in chips
        if chip.kind != "category"
    }
    return {format_filter(chip): len(found) for chip, found in counted.items()}


def count_chips(session: Session, chips: Sequence[Filter]) -> list[int | None]:
    """Return how many queries the chips let through together, for each; none if that takes long."""
    return [count_quick(session, chips)] * len(chips)


class WordCompleter(QCompleter):
    """Completes the last word of a line rather than the line."""

    def __init__(self, words: QStringListModel, parent: QWidget) -> None:
        super().__init__(words, parent)
        self._before = ""
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(8)
        popup = self.popup()
        if popup is not None:
            popup.setItemDelegate(_OfferedRows(popup))
            popup.setAccessibleName("Filters to choose from")

    @property
    def is_open(self) -> bool:
        """Whether words are offered now."""
        popup = self.popup()
        return popup is not None and popup.isVisible()

    @property
    def has_choice(self) -> bool:
        """Whether one of the words offered is chosen."""
        popup = self.popup()
        return popup is not None and popup.currentIndex().isValid()

    def close(self) -> None:
        """Offer nothing."""
        popup = self.popup()
        if popup is not None:
            popup.hide()

    @override
    def splitPath(self, path: str) -> list[str]:
        """Return the word that is being typed; nothing is offered for a letter alone."""
        self._before, _, word = path.rpartition(" ")
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
