"""How alike rankings are, and how alike measures and views order the systems."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from PySide6.QtCore import Qt

from judgetool.core.excerpts import short_name
from judgetool.core.number_text import number_of
from judgetool.core.views import VIEW_RULES
from judgetool.gui.dialogs.act_dialog import ActDialog, combo
from judgetool.gui.dialogs.framed_list import FigureTable, Save
from judgetool.gui.fonts import Role
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.numbers import format_count, format_value
from judgetool.gui.widgets.labels import Text, plain_tooltip
from judgetool.metrics.correlation import DEFAULT_PERSISTENCE
from judgetool.session.board import ONLY_MINE
from judgetool.session.comparing.agreement import (
    DEFAULT_DEPTH,
    agree_on_measures,
    agree_on_queries,
    agree_on_views,
)
from judgetool.session.comparing.subsets import queries_where
from judgetool.session.comparing.tables import (
    agreement_figures,
    mean_agreement,
    part_command,
    where_words,
)
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import _, local_number

_JOB = "compare/agreement"
_DIGITS = 3
_MOST_NAME = 50
_NO_VIEW = ""


def _heads() -> tuple[str, ...]:
    return ("τ-b", "τ_AP", "ρ", f"RBO (p {local_number(f'{DEFAULT_PERSISTENCE:g}')})")


def _shown(figures: Iterable[float | None]) -> list[str]:
    return [format_value(value, digits=_DIGITS) for value in figures]


class _Pair(NamedTuple):
    """How alike two of a matrix are: the figures by their heads, and of how many queries."""

    figures: tuple[float | None, ...]
    remark: str = ""


def _show_matrix(
    table: FigureTable,
    names: Sequence[str],
    pairs: Mapping[tuple[int, int], _Pair],
    place: int,
    *,
    is_numbered: bool = False,
) -> None:
    """Show each against each by one figure, the others in tooltips.

    Args:
        table: where.
        names: of the rows, and of the columns.
        pairs: by the places of two, the earlier first.
        place: of the figure that is shown.
        is_numbered: whether numbers stand over the columns, as names may be long.
    """
    numbered = [
        f"{number}  {short_name(name, most=_MOST_NAME)}" for number, name in enumerate(names, 1)
    ]
    heads = list(map(str, range(1, len(names) + 1))) if is_numbered else list(names)
    rows = [[name, *["·"] * len(names)] for name in (numbered if is_numbered else names)]
    tips = {}
    for (one, other), pair in pairs.items():
        told = _shown(pair.figures)
        said = ", ".join(map(" ".join, zip(_heads(), told, strict=True)))
        for at, beside in ((one, other), (other, one)):
            rows[at][beside + 1] = told[place]
            lines = (
                _("{one} and {other}").format(one=names[at], other=names[beside]),
                said,
                pair.remark,
            )
            tips[at, beside + 1] = "\n".join(filter(None, lines))
    wide = (0,) if is_numbered else range(1, len(names) + 1)
    table.show_rows(["", *heads], rows, wide=wide)
    for (row, column), tip in tips.items():
        cell = table.item(row, column)
        if cell is not None:
            cell.setToolTip(plain_tooltip(tip))
            cell.setData(Qt.ItemDataRole.AccessibleTextRole, tip.replace("\n", ", "))


class AgreementDialog(ActDialog):
    """Matrices of how alike systems rank and measures order; a table of two views of judgments.

    Args:
        session: the project.
        systems: what is compared.
        jobs: runs what takes long.
        save: asks where, and writes a table; ``None`` where that is not offered.
        where: the queries that count, see ``queries_where``; ``""`` for all.
    """

    def __init__(
        self,
        session: Session,
        systems: Sequence[System],
        jobs: Jobs,
        save: Save | None = None,
        *,
        where: str = "",
    ) -> None:
        super().__init__(_("Orders"), verb=_("Close"), width=1000)
        self.cancel.setVisible(False)
        self._session, self._systems = session, list(systems)
        self._kept = queries_where(session, where) if where else None
        self._jobs = jobs
        self._of_rankings: dict[tuple[int, int], _Pair] = {}
        self.rankings = FigureTable(_("How alike two systems rank"), most=10, save=save)
        measures = _("How alike two measures order the systems")
        self.measures = FigureTable(measures, most=12, save=save)
        first = session.measures[0]
        self.rankings.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for table in (self.rankings, self.measures):
            table.command = part_command(
                session, self._systems, first, "orders", *where_words(where)
            )
        options = [(name, place) for place, name in enumerate(_heads())]
        self.figure = combo(options, name=_("Figure of agreement"))
        self.figure.activated.connect(lambda _place: self._fill())
        self._of_measures = agree_on_measures(session, self._systems, self._kept)
        self.views = FigureTable(_("Systems ordered under two views of judgments"), most=7)
        self.state = Text("", ink="text2")
        how = _("How alike two systems rank: mean over queries, first {depth} ranks").format(
            depth=DEFAULT_DEPTH
        )
        if where:
            self.add_text(
                _("All of it over the queries that ‘{where}’ lets through.").format(where=where)
            )
        self.add_line(Text(how, role=Role.UI_STRONG), 1, self.figure)
        self.add_text(
            _("1 is the same order, 0 no likeness, −1 the reverse; RBO goes from 0 to 1.")
        )
        self.body.addWidget(self.state)
        self.body.addWidget(self.rankings)
        self.add_head(_("How alike two measures order the systems"))
        self.body.addWidget(self.measures)
        self.few = self.add_text(
            _("At least three systems are needed: any order of two says little.")
        )
        self._fill()
        self.add_head(_("Systems ordered under two views"))
        self._add_views()
        self.body.addWidget(self.views)
        self.body.addStretch(1)
        self.first = self.rankings
        self._compare_rankings()

    def _compare_rankings(self) -> None:
        session, systems = self._session, self._systems
        wanted = list(combinations(range(len(systems)), 2))
        if not wanted:
            self.state.setText(_("There is only one system."))
            return

        def work(handle: JobHandle) -> dict[tuple[int, int], _Pair]:
            found = {}
            for done, (one, other) in enumerate(wanted):
                handle.check()
                handle.report(done, len(wanted))
                alike = agree_on_queries(session, systems[one], systems[other], kept=self._kept)
                found[one, other] = _Pair(
                    mean_agreement(alike), number_of(len(alike), "{n} query", "{n} queries")
                )
            return found

        self._jobs.submit(
            work, self._take_rankings, lambda __: None, self._tell, key=_JOB, owner=self
        )
        self._tell(0, len(wanted))

    def _tell(self, done: int, total: int) -> None:
        self.state.setText(
            _("Comparing: {done} of {total}").format(
                done=format_count(done), total=format_count(total)
            )
        )

    def _take_rankings(self, found: dict[tuple[int, int], _Pair]) -> None:
        self.state.setVisible(False)
        self._of_rankings = found
        self._fill()

    def _fill(self) -> None:
        """Show each against each, by the figure that is chosen."""
        place, found = self.figure.currentIndex(), self._of_measures
        names = [each.name for each in self._systems]
        _show_matrix(self.rankings, names, self._of_rankings, place, is_numbered=True)
        self.measures.setVisible(bool(found))
        self.few.setVisible(not found)
        named = list(dict.fromkeys(str(m) for each in found for m in (each.first, each.second)))
        pairs = {
            (named.index(str(each.first)), named.index(str(each.second))): _Pair(
                agreement_figures(each.agreement)
            )
            for each in found
        }
        _show_matrix(self.measures, named, pairs, place)

    def _add_views(self) -> None:
        views = [(_(rule.title), key) for key, rule in VIEW_RULES.items()]
        views.append((_("Only my judgments"), ONLY_MINE))
        shown = self._session.board.view
        self.first_view = combo(views, shown, name=_("First view of judgments"))
        others = [(_("Choose another view"), _NO_VIEW), *views]
        self.second_view = combo(others, _NO_VIEW, name=_("Second view of judgments"))
        self.add_line(self.first_view, self.second_view, None)
        self.views.setVisible(False)
        self.first_view.activated.connect(lambda _place: self._show_views())
        self.second_view.activated.connect(lambda _place: self._show_views())

    def _show_views(self) -> None:
        first, second = self.first_view.currentData(), self.second_view.currentData()
        present = [each for each in self._systems if not each.snapshot]
        rows = []
        if second != _NO_VIEW and len(present) > 2:
            found = agree_on_views(self._session, present, first, second, self._kept)
            rows = [[str(measure), *_shown(agreement_figures(each)), ""] for measure, each in found]
        self.views.show_rows(("", *_heads(), ""), rows)
        self.views.setVisible(bool(rows))
