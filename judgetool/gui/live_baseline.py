"""The baseline's values, for the changes that the live panel shows."""

from judgetool.errors import JudgetoolError
from judgetool.session.comparing.baseline import Baseline, baseline_place, find_baseline
from judgetool.session.comparing.system_values import Place
from judgetool.session.session import Session
from judgetool.session.systems import run_system

Row = list[float | None]


class BaselineValues:
    """What the project's baseline has, at the time when it is asked.

    Args:
        session: the project.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def baseline(self) -> Baseline | None:
        """The project's baseline; ``None`` without one."""
        return find_baseline(self._session)

    @property
    def name(self) -> str:
        """What the baseline is called, for people."""
        baseline = self.baseline
        return baseline.name if baseline is not None else "no baseline yet"

    def row(self, run_id: int, query: int) -> Row:
        """Return the values that a run's values of a query are compared with."""
        place = self._place(run_id)
        if place is None:
            return [None] * len(self._session.measures)
        return [value.value for value in place.engine.value(place.key, query)]

    def means(self, run_id: int) -> Row:
        """Return the means that a run's means are compared with."""
        place = self._place(run_id)
        if place is None:
            return [None] * len(self._session.measures)
        return [mean.value for mean in place.engine.means(place.key)]

    def _place(self, run_id: int) -> Place | None:
        baseline = self.baseline
        if baseline is None:
            return None
        try:
            return baseline_place(self._session, baseline, run_system(self._session, run_id))
        except (JudgetoolError, KeyError):
            # A baseline that is gone is no baseline.
            return None
