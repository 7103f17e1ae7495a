"""How alike rankings are, and how alike measures and views order the systems."""

from collections.abc import Iterable, Sequence
from statistics import mean

from judgetool.core.excerpts import one_line
from judgetool.core.number_text import count_noun, format_count, format_value
from judgetool.core.views import VIEW_RULES
from judgetool.gui.dialogs.act_dialog import ActDialog, combo
from judgetool.gui.dialogs.framed_list import FigureTable
from judgetool.gui.fonts import Role
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.widgets.labels import Text
from judgetool.metrics.correlation import (
    DEFAULT_PERSISTENCE,
    OrderAgreement,
    RankBiasedOverlap,
    RankingAgreement,
)
from judgetool.session.board import ONLY_MINE
from judgetool.session.comparing.agreement import (
    DEFAULT_DEPTH,
    agree_on_measures,
    agree_on_queries,
    agree_on_views,
)
from judgetool.session.session import Session
from judgetool.session.systems import System

_JOB = "compare/agreement"
_HEADS = ("τ-b", "τ_AP", "ρ", f"RBO (p {DEFAULT_PERSISTENCE:g})")
_TITLES = ("", *_HEADS, "")
_DIGITS = 3
_MOST_NAME = 50
_NO_VIEW = ""


def _figures(found: RankingAgreement | OrderAgreement | None) -> tuple[float | None, ...]:
    """Return the four figures of an agreement, in the order of the heads."""
    if found is None:
        return (None,) * len(_HEADS)
    rbo = found.rbo.extrapolated if isinstance(found.rbo, RankBiasedOverlap) else found.rbo
    return (found.tau, found.tau_ap, found.rho, rbo)


def _shown(figures: Iterable[float | None]) -> list[str]:
    return [format_value(value, digits=_DIGITS) for value in figures]


def _mean_row(name: str, found: Sequence[RankingAgreement]) -> list[str]:
    """Return the mean over queries; a figure that is undefined for a query leaves it out."""
    columns = zip(*map(_figures, found), strict=True) if found else ((),) * len(_HEADS)
    known = [[value for value in column if value is not None] for column in columns]
    means = _shown(mean(values) if values else None for values in known)
    return [one_line(name, most=_MOST_NAME), *means, count_noun(len(found), "query")]


class AgreementDialog(ActDialog):
    """Three small tables: rankings against the baseline, measures, views of judgments.

    Args:
        session: the project.
        systems: what is compared.
        baseline: with what rankings are compared.
        jobs: runs what takes long.
    """

    def __init__(
        self, session: Session, systems: Sequence[System], baseline: System, jobs: Jobs
    ) -> None:
        super().__init__("Agreement of orders", verb="Close", width=940)
        self.cancel.setVisible(False)
        self._session, self._systems, self._baseline = session, list(systems), baseline
        self._jobs = jobs
        self.rankings = FigureTable("Rankings against the baseline", most=7)
        self.measures = FigureTable("Systems ordered by two measures", most=12)
        options = [(name, place) for place, name in enumerate(_HEADS)]
        self.figure = combo(options, name="Figure of agreement")
        self.figure.activated.connect(lambda _place: self._fill_measures())
        self._of_measures = agree_on_measures(session, self._systems)
        self.views = FigureTable("Systems ordered under two views of judgments", most=7)
        self.state = Text("", ink="text2")
        self.add_head(
            f"Rankings against {baseline.name}, mean over queries, first {DEFAULT_DEPTH} ranks"
        )
        self.body.addWidget(self.state)
        self.body.addWidget(self.rankings)
        title = Text("Systems ordered by two measures", role=Role.UI_STRONG)
        self.add_line(title, 1, self.figure)
        self.body.addWidget(self.measures)
        self.few = self.add_text("At least three systems are needed: any order of two says little.")
        self._fill_measures()
        self.add_head("Systems ordered under two views")
        self._add_views()
        self.body.addWidget(self.views)
        self.body.addStretch(1)
        self.first = self.rankings
        self._compare_rankings()

    def _compare_rankings(self) -> None:
        others = [each for each in self._systems if each != self._baseline]
        session, baseline = self._session, self._baseline
        if not others:
            self.state.setText("There is only one system.")
            return

        def work(handle: JobHandle) -> list[list[str]]:
            rows = []
            for place, system in enumerate(others):
                handle.check()
                handle.report(place, len(others))
                found = agree_on_queries(session, system, baseline)
                rows.append(_mean_row(system.name, found))
            return rows

        self._jobs.submit(
            work, self._show_rankings, lambda _: None, self._tell, key=_JOB, owner=self
        )
        self._tell(0, len(others))

    def _tell(self, done: int, total: int) -> None:
        self.state.setText(f"Comparing: {format_count(done)} of {format_count(total)}")

    def _show_rankings(self, rows: list[list[str]]) -> None:
        self.state.setVisible(False)
        self.rankings.show_rows(_TITLES, rows)

    def _fill_measures(self) -> None:
        """Show each measure against each, by the figure that is chosen."""
        found, place = self._of_measures, self.figure.currentIndex()
        for widget in (self.measures, self.figure):
            widget.setVisible(bool(found))
        self.few.setVisible(not found)
        names = list(dict.fromkeys(str(m) for each in found for m in (each.first, each.second)))
        rows = [[name, *["·"] * len(names)] for name in names]
        tips = {}
        for each in found:
            told, pair = _shown(_figures(each.agreement)), (str(each.first), str(each.second))
            said = ", ".join(map(" ".join, zip(_HEADS, told, strict=True)))
            row, column = map(names.index, pair)
            for at, other in ((row, column), (column, row)):
                rows[at][other + 1] = told[place]
                tips[at, other + 1] = f"{' and '.join(pair)}: {said}"
        self.measures.show_rows(["", *names], rows, wide=range(1, len(names) + 1))
        for (row, column), tip in tips.items():
            cell = self.measures.item(row, column)
            if cell is not None:
                cell.setToolTip(tip)

    def _add_views(self) -> None:
        views = [(rule.title, key) for key, rule in VIEW_RULES.items()]
        views.append(("Only my judgments", ONLY_MINE))
        shown = self._session.board.view
        self.first_view = combo(views, shown, name="First view of judgments")
        others = [("Choose another view", _NO_VIEW), *views]
        self.second_view = combo(others, _NO_VIEW, name="Second view of judgments")
        self.add_line(self.first_view, self.second_view, None)
        self.views.setVisible(False)
        self.first_view.activated.connect(lambda _place: self._show_views())
        self.second_view.activated.connect(lambda _place: self._show_views())

    def _show_views(self) -> None:
        first, second = self.first_view.currentData(), self.second_view.currentData()
        present = [each for each in self._systems if not each.snapshot]
        rows = []
        if second != _NO_VIEW and len(present) > 2:
            found = agree_on_views(self._session, present, first, second)
            rows = [[str(measure), *_shown(_figures(each)), ""] for measure, each in found]
        self.views.show_rows(_TITLES, rows)
        self.views.setVisible(bool(rows))
