"""What is done in the settle view: a dispute is settled, put off, given a reason."""

from typing import TYPE_CHECKING

from judgetool.core.excerpts import one_line
from judgetool.gui.dialogs.choose import TextDialog
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.modes import Mode
from judgetool.gui.numbers import format_grade
from judgetool.gui.window import AppWindow, Handler
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.gui.settle.page import SettlePage

_MOST_TITLE = 60


class SettleHandler(Handler):
    """Does the actions of the Team menu that settle disputes.

    Args:
        window: the window.
        judge: hands on the keys of grades, and asks who judges.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler) -> None:
        super().__init__(window)
        self._judge = judge
        judge.elsewhere[Mode.SETTLE] = self

    def make_page(self) -> "SettlePage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.settle.page import SettlePage  # noqa: PLC0415 - not needed to start

        return SettlePage(self._window, self.grade)

    @property
    def page(self) -> "SettlePage":
        """The view."""
        page: SettlePage = self._window.views.page(Mode.SETTLE)  # type: ignore[assignment]  # made by make_page
        return page

    # Settling

    def grade(self, grade: float) -> None:
        """Settle what is shown with a grade, and go on."""
        self._settle(grade)

    def type_grade(self, text: str) -> None:
        """Begin a number in the page's bar, on a continuous scale."""
        if self.page.dispute is not None:
            self.page.bar.entry.begin(text)

    def take_view(self) -> None:
        """Settle with what counts in the view now."""
        dispute = self.page.dispute
        if dispute is None:
            return
        if dispute.grade is None:
            self._say(_("The view has no grade for this document: give one."))
            return
        self._settle(dispute.grade)

    def cannot(self) -> None:
        """Settle that the document cannot be judged."""
        self._settle(None)

    def _settle(self, grade: float | None) -> None:
        page, dispute = self.page, self.page.dispute
        if dispute is None or self._judge.find_sayer() is None:
            return
        from judgetool.session.team.disputes import settle  # noqa: PLC0415 - not needed to start

        pair = dispute.query, dispute.document
        command = settle(*pair, grade, reason=page.reasons.get(pair) or None)
        document = self._session.material.show_document(dispute.document)
        if self.attempt(lambda: self._session.execute(command, origin="key")):
            said = _("cannot be judged") if grade is None else self._level(grade)
            title = one_line(document.title or document.id, most=_MOST_TITLE)
            self._say(
                _("Settled: {said}, {title}.").format(said=said, title=title), offers_undo=True
            )
            page.drop(pair)

    def _level(self, grade: float) -> str:
        level = self._session.scale.find_level(grade)
        text = format_grade(grade)
        return (
            f"{text} {level.shown_name}" if level is not None and level.shown_name != text else text
        )

    # Besides

    def reason(self) -> None:
        """Ask why it is settled so; kept with what comes next."""
        page = self.page
        dispute = page.dispute
        if dispute is None or self._judge.find_sayer() is None:
            return
        before = page.reasons.get((dispute.query, dispute.document), "")
        text = self._ask(TextDialog(_("Reason"), before, verb=_("Keep reason")))
        if text is not None:
            page.set_reason(text.strip())

    def names(self, is_on: bool) -> None:
        """Say whose opinion each is, or hide it."""
        self.page.show_names(are_shown=is_on)

    def later(self) -> None:
        """Put off what is shown until all others are settled."""
        self.page.put_off()

    def third(self) -> None:
        """Ask one more person, and put off what is shown until they have judged it."""
        page, dispute = self.page, self.page.dispute
        if dispute is None or self._judge.find_sayer() is None:
            return

        from judgetool.session.team.disputes import ask_third  # noqa: PLC0415 - not needed to start

        def ask() -> None:
            command = ask_third(self._session, dispute)
            self._session.execute(command)
            page.put_off()
            self._say(
                _("Asked {assessor}; it comes last.").format(assessor=command.asks[0].assessor),
                offers_undo=True,
            )

        self.attempt(ask)

    def step(self, step: int) -> None:
        """Show the next dispute (+1) or the previous one (-1)."""
        self.page.step(step)

    def in_list(self) -> None:
        """Show the document in the list of its query."""
        dispute = self.page.dispute
        if dispute is not None:
            self._window.views.show(Mode.LIST)
            self._view.judging.show_place(dispute.query, dispute.document)
