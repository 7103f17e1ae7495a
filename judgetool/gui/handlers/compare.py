"""Comparing systems: the actions of the Compare menu."""

from typing import TYPE_CHECKING

from judgetool.gui.modes import Mode
from judgetool.gui.window import AppWindow

if TYPE_CHECKING:
    from judgetool.gui.compare.page import ComparePage


class CompareHandler:
    """Does the actions of the Compare menu."""

    def __init__(self, window: AppWindow) -> None:
        self._window = window

    def make_page(self) -> "ComparePage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.compare.page import ComparePage  # noqa: PLC0415 - not needed to start

        return ComparePage(self._window)

    @property
    def _page(self) -> "ComparePage":
        page: ComparePage = self._window.views.page(Mode.COMPARE)  # type: ignore[assignment]  # made by make_page
        return page

    def show(self) -> None:
        """Show the compare view."""
        self._window.views.show(Mode.COMPARE)

    # What is compared

    def systems(self) -> None:
        """Choose runs, what-ifs and snapshots."""
        self._page.acts.choose_systems()

    def rename(self) -> None:
        """Give the current run or what-if another name."""
        self._page.acts.rename()

    def delete(self) -> None:
        """Take the current run or what-if out of the project."""
        self._page.acts.delete()

    def testing(self) -> None:
        """Choose how differences are tested."""
        self._page.acts.choose_testing()

    def baseline(self) -> None:
        """Compare with the current system from now on."""
        self._page.make_baseline()

    def beside(self) -> None:
        """Keep the current system side by side with others, or no longer."""
        self._window.status.show_message(self._page.desk.toggle_beside())

    def sort(self) -> None:
        """Order the table by the current column."""
        self._page.sort()

    # What is shown of a query

    def rankings(self) -> None:
        """Show rankings side by side."""
        self._page.show_part("rankings")

    def curves(self) -> None:
        """Show curves."""
        self._page.show_part("curves")

    def explain(self) -> None:
        """Show how a value and a difference come about."""
        self._page.show_part("explain")

    def next(self) -> None:
        """Show what to judge next."""
        self._page.show_part("next")

    def differences_first(self) -> None:
        """Show ranks first at which the rankings differ, or in order again."""
        self._page.query.differences.click()

    def all_queries(self) -> None:
        """Show curves of all queries, or of this one again."""
        self._page.query.toggle_scope()

    # Judging

    def judge(self) -> None:
        """Judge what is at stake, as soon as it is known."""
        self._page.judge_next()

    def stop_judging(self) -> None:
        """Let grades lead where they led before."""
        if Mode.COMPARE in self._window.views.modes:
            self._page.stop_judging()

    def cancel(self) -> None:
        """Stop computing intervals and significance."""
        self._page.desk.cancel()

    # Time

    def moments(self, is_on: bool) -> None:
        """Show values as of a moment, or the present."""
        self._page.past.set_shown(is_on=is_on)

    def snapshot(self) -> None:
        """Freeze rankings and judgments."""
        self._page.acts.take_snapshot()

    def snapshots(self) -> None:
        """Look through the snapshots."""
        self._page.acts.snapshots()

    # Handing on

    def agreement(self) -> None:
        """Show how alike the orders of rankings and systems are."""
        self._page.acts.agreement()

    def export_chart(self) -> None:
        """Write the chart that has the keyboard to a file."""
        self._page.acts.export_chart()

    def save_table(self) -> None:
        """Write the table to a file."""
        self._page.acts.save_table()

    def report(self) -> None:
        """Write a report."""
        self._page.acts.report()
