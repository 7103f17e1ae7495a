"""Values as of a moment: the slider's moments, and the table at the one it stands at."""

from PySide6.QtCore import QObject, Signal

from judgetool.gui.compare.desk import CompareDesk
from judgetool.gui.compare.moment_row import MomentRow
from judgetool.gui.window import AppWindow
from judgetool.session.comparing.as_of import as_of_work, moments_work
from judgetool.session.comparing.comparing import ComparisonTable
from judgetool.session.comparing.snapshots import Moment

_JOB = "compare/moment"


class PastValues(QObject):
    """Shows the slider, and works out tables of the past in the background.

    Args:
        frame: the window.
        desk: what is compared.
        row: the slider.

    Signals:
        table_found: a :class:`ComparisonTable` as of the moment of the slider.
        present_wanted: the present is to be shown again.
        resized: the slider came or went.
    """

    table_found = Signal(object)
    present_wanted = Signal()
    resized = Signal()

    def __init__(self, frame: AppWindow, desk: CompareDesk, row: MomentRow) -> None:
        super().__init__(row)
        self._frame, self._desk, self._row = frame, desk, row
        self._action = frame.actions_by_name.action("compare.moments")
        row.moment_chosen.connect(self._show_moment)
        row.closed.connect(self._action.trigger)

    def set_shown(self, *, is_on: bool) -> None:
        """Show the slider over the log, or the present again."""
        desk = self._desk
        session, measure = desk.session, desk.chosen_measure
        present = [each for each in desk.systems if not each.snapshot]
        if session is None or measure is None or not (is_on and present):
            self.hide()
            self.present_wanted.emit()
            return
        self._row.setVisible(True)
        self._row.set_moments([])
        work = moments_work(session, present[0], measure)
        self._frame.jobs.submit(
            lambda handle: work(handle.is_cancelled),
            self._row.set_moments,
            key=f"{_JOB}/list",
            owner=self,
        )
        self.show_switch()
        self.resized.emit()
        self._row.slider.setFocus()

    def hide(self) -> None:
        """Show no slider."""
        self._row.setVisible(False)
        self.show_switch()
        self.resized.emit()

    def show_switch(self) -> None:
        """Set the switch in the menu to what holds."""
        self._action.setChecked(not self._row.isHidden())

    def _show_moment(self, moment: Moment | None) -> None:
        session, baseline = self._desk.session, self._desk.baseline
        if session is None or baseline is None:
            return
        if moment is None:
            self.present_wanted.emit()
            return
        present = [each for each in self._desk.systems if not each.snapshot]
        start = baseline if baseline in present else present[0]
        work = as_of_work(session, present, start, moment.event_id)
        self._frame.jobs.submit(lambda _handle: work(), self._take, key=_JOB, owner=self)

    def _take(self, table: ComparisonTable) -> None:
        if not self._row.isHidden() and self._row.moment is not None:
            self.table_found.emit(table)
