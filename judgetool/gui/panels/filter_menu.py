"""The menu of filters: conditions with how many each lets through, and the saved views."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from judgetool.core.excerpts import one_line
from judgetool.gui.models.typed_filters import (
    REVEALING,
    TITLES,
    describe_chip,
    known_values,
    type_chip,
    visible_chips,
    with_chip,
)
from judgetool.gui.number_text import format_count
from judgetool.session.finding.filters import Filter, FilterKind, format_filter, saved_views
from judgetool.session.finding.matching import count_quick, matching_documents
from judgetool.session.finding.text_chips import TEXT_KINDS
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
