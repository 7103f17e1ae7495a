"""Reordering rankings: the actions of the What-if menu."""

from typing import TYPE_CHECKING

from judgetool.gui.modes import Mode
from judgetool.gui.project_view import ProjectView
from judgetool.gui.window import AppWindow

if TYPE_CHECKING:
    from judgetool.gui.whatif.page import WhatIfPage


class WhatIfHandler:
    """Does the actions of the What-if menu."""

    def __init__(self, window: AppWindow) -> None:
        self._window = window

    def connect_project(self, view: ProjectView) -> None:
        """Prepare the what-ifs that a project holds."""
        if view.session.values("whatif/"):
            from judgetool.gui.whatif.desk import seed_rules  # noqa: PLC0415 - not needed to start

            seed_rules(view.session, self._window.jobs)

    def make_page(self) -> "WhatIfPage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.whatif.page import WhatIfPage  # noqa: PLC0415 - not needed to start

        return WhatIfPage(self._window)

    @property
    def _page(self) -> "WhatIfPage":
        page: WhatIfPage = self._window.views.page(Mode.WHATIF)  # type: ignore[assignment]  # made by make_page
        return page

    def show(self) -> None:
        """Show the what-if view."""
        self._window.views.show(Mode.WHATIF)

    # The what-if

    def new(self) -> None:
        """Make a what-if of the run, and show it."""
        self.show()
        self._page.acts.new()

    def fuse_runs(self) -> None:
        """Make a what-if of two runs fused, and show it."""
        self.show()
        self._page.acts.fuse_runs()

    def rename(self) -> None:
        """Give the what-if another name."""
        self._page.acts.rename()

    def copy(self) -> None:
        """Make another what-if like this one."""
        self._page.acts.copy()

    def note(self) -> None:
        """Write a note on the what-if."""
        self._page.acts.note()

    def delete(self) -> None:
        """Take the what-if out of the project."""
        self._page.acts.delete()

    def rules(self) -> None:
        """Edit the what-if's boost rules."""
        self._page.acts.rules()

    def export(self) -> None:
        """Write the what-if as a run."""
        self._page.acts.export()

    def against(self) -> None:
        """Choose what values are compared with."""
        self.show()
        self._page.acts.against()

    # The order

    def up(self) -> None:
        """Move the current document one rank up."""
        self._page.move_by(-1)

    def down(self) -> None:
        """Move the current document one rank down."""
        self._page.move_by(1)

    def to_top(self) -> None:
        """Move the current document to rank 1."""
        self._page.move_to(1)

    def to_rank(self) -> None:
        """Ask to which rank the current document goes."""
        self._page.ask_rank(swaps=False)

    def swap(self) -> None:
        """Ask with which rank the current document changes places."""
        self._page.ask_rank(swaps=True)

    def pin(self) -> None:
        """Pin the current document where it stands, or let it move again."""
        self._page.toggle_pin()

    def remove(self) -> None:
        """Take the current document out."""
        self._page.remove()

    def insert(self) -> None:
        """Put in a document that the ranking lacks."""
        self._page.acts.insert()

    def clear_assumed(self) -> None:
        """Assume no grade of the current document."""
        self._page.assume(None)

    def sort_by_grade(self) -> None:
        """Order the query by grade."""
        self._page.desk.sort_by_grade()

    def take_order(self) -> None:
        """Order the query as another run does."""
        self._page.acts.take_order()

    def fuse(self) -> None:
        """Fuse the query's ranking with another run's."""
        self._page.acts.fuse()

    def undo_move(self) -> None:
        """Take back the query's last step."""
        self._page.desk.take_back()

    def start_again(self) -> None:
        """Take back everything that was done to the query."""
        self._page.desk.start_again()
