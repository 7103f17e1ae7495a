"""What is done at a team's hub from the window: people, released queries, documents that are taken."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.core.number_text import number_of
from judgetool.core.override import override
from judgetool.core.terms import short_name
from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    combo,
    edit,
    held,
    labelled,
    number,
    on_change,
    push_button,
    text_pane,
)
from judgetool.gui.dialogs.choose import MAX_LENGTH, name_problem
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.fields import focus_field
from judgetool.gui.widgets.painted import in_column
from judgetool.session.session import Session
from judgetool.wording import N_, _

if TYPE_CHECKING:
    from judgetool.hub.connection import Hub, HubMember, Role
    from judgetool.hub.making import AddedMember

AtHub = Callable[[Callable[["Hub"], Any], Callable[[Any], object], QObject], None]
"""Does something at the hub beside the window; gives what came of it, or what is wrong, to a second
function for as long as there is its owner."""
_ROLES: dict["Role", str] = {
    "assessor": N_("&Assessor: judges, and reads what is released"),
    "lead": N_("&Lead: reads and writes all, and lets others in"),
    "reader": N_("&Reader: reads what is released"),
}


class HubForm(ActDialog):
    """A form whose verb does something at the hub, and which stays where that is refused.

    Args:
        title: the act.
        verb: on the main button.
        at_hub: does it.

    Attributes:
        answer: what has become of it, in a sentence.
    """

    def __init__(self, title: str, *, verb: str, at_hub: AtHub) -> None:
        super().__init__(title, verb=verb)
        self._at_hub = at_hub
        self.answer = ""

    def ask_hub(self, act: Callable[["Hub"], Any]) -> None:
        """Do something at the hub; :meth:`take` is given what comes of it."""
        self.verb.setEnabled(False)
        self.show_remark(_("Asking the hub…"))
        self._at_hub(act, self._heard, self)

    def _heard(self, found: Any) -> None:  # noqa: ANN401 - what the act returns
        self.verb.setEnabled(True)
        self.show_remark("")
        if isinstance(found, JudgetoolError):
            self.remark.set_ink("bad")
            self.remark.setText(str(found))
        else:
            self.take(found)

    def take(self, found: Any) -> None:  # noqa: ANN401 - likewise
        """End with a sentence."""
        self.answer = str(found)
        self.accept()


class AddMemberForm(HubForm):
    """Lets somebody in, or gives somebody another role; shows a new login's password once.

    Args:
        at_hub: does it.
    """

    def __init__(self, at_hub: AtHub) -> None:
        super().__init__(_("Let somebody in"), verb=_("Let in"), at_hub=at_hub)
        self.add_text(
            _(
                "Under the name by which they judge. Whoever is in the hub already gets the role that is chosen."
            )
        )
        self.name = self.first = edit(most=MAX_LENGTH)
        self.role = Radios({role: _(text) for role, text in _ROLES.items()}, "assessor", self)
        self.login = edit()
        name = labelled(_("&Name"), self.name)
        login = labelled(_("L&ogin at the server, where it is another"), self.login)
        roles = self.role.by_name.values()
        self.asked = self.put(held(in_column(name, *roles, login, spacing=12)))
        self.password = QLineEdit()
        self.password.setReadOnly(True)
        self.secret = self.put(
            held(labelled(_("&Password, shown this once and kept nowhere"), self.password))
        )
        self.outcome = self.add_text(ink="text")
        self.sql = self.put(text_pane("", scaled(64), is_fixed=True))
        self.sql.setReadOnly(True)
        self.sql.setAccessibleName(_("What an administrator runs"))
        for part in (self.outcome, self.secret, self.sql):
            part.hide()
        self.body.addStretch(1)
        self.set_verb(self._go)
        on_change(self._check, self.name)
        self._check()

    def _check(self) -> None:
        name = self.name.text()
        self.show_problem(name_problem(name), ink="bad" if name.strip() else "text2")

    def _go(self) -> None:
        name, role, login = self.name.text().strip(), self.role.current, self.login.text().strip()
        assert role is not None, "one is chosen from the beginning"

        def act(hub: "Hub") -> "AddedMember":
            from judgetool.hub.making import add_member  # noqa: PLC0415 - rarely needed

            return add_member(hub, name, role, login=login)

        self.ask_hub(act)

    @override
    def take(self, found: "AddedMember") -> None:
        """Show the password, or what an administrator is to do; end where there is neither."""
        from judgetool.session.team.joining import (  # noqa: PLC0415 - loads the hub
            describe_added,
            describe_lacking,
        )

        name, login = self.name.text().strip(), self.login.text().strip()
        if found.for_administrator:
            self.sql.setPlainText(found.for_administrator)
            self._show_outcome(describe_lacking(name, login), self.sql)
            return
        added = describe_added(name, str(self.role.current), login)
        self.answer = " ".join((added, *found.remarks))
        if not found.password:
            self.accept()
            return
        self.password.setText(found.password)
        self._show_outcome(f"{self.answer} {_('Hand the password over now.')}", self.secret)
        self.first = self.password
        focus_field(self.password)

    def _show_outcome(self, text: str, part: QWidget) -> None:
        # Where the fields were there is room for it.
        self.asked.hide()
        part.show()
        self.outcome.setText(text)
        self.outcome.show()
        self.verb.setText(_("Copy"))
        self.set_verb(self._copy)
        self.cancel.setText(_("Close"))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.password.text() or self.sql.toPlainText())


class CloseMemberForm(HubForm):
    """Lets somebody in no more.

    Args:
        members: of whom one is chosen; at least one.
        at_hub: does it.
    """

    def __init__(self, members: Sequence["HubMember"], at_hub: AtHub) -> None:
        super().__init__(_("Let somebody in no more"), verb=_("Let in no more"), at_hub=at_hub)
        options = [(member.name, member.name) for member in members]
        self.who = self.first = self.add_field(_("&Who"), combo(options))
        self.add_text(
            _(
                "What they judged stays, and what they had taken to judge is anybody’s. Their login is the "
                "server’s: an administrator ends it. Let somebody in… lets them in again."
            )
        )
        self.body.addStretch(1)
        self.set_verb(self._go)

    def _go(self) -> None:
        name = self.who.currentData()

        def act(hub: "Hub") -> str:
            from judgetool.hub.making import close_member  # noqa: PLC0415 - rarely needed
            from judgetool.session.team.joining import describe_closed  # noqa: PLC0415 - loads the hub

            close_member(hub, name)
            return describe_closed(name)

        self.ask_hub(act)


class ReleaseForm(HubForm):
    """Lets all members read everybody's judgments of some queries.

    Args:
        session: the project.
        query: place of the one that is shown; ``None`` for none.
        released: ids of those that are released.
        at_hub: does it.
    """

    def __init__(
        self, session: Session, query: int | None, released: Sequence[str], at_hub: AtHub
    ) -> None:
        super().__init__(_("Release queries"), verb=_("Release"), at_hub=at_hub)
        self._session, self._query, self._released = session, query, frozenset(released)
        self.add_text(
            _(
                "All members, readers too, may then read what everybody judged of these queries, and what is judged "
                "of them later. It is not taken back."
            )
        )
        options = {"where": _("&Those that this lets through"), "all": _("&All")}
        if query is not None:
            shown = short_name(session.material.queries[query].text, most=60).replace("&", "&&")
            options = {"one": _("This &one: {query}").format(query=shown), **options}
        self.which = self.add_radios(options, next(iter(options)))
        self.where = self.add_field(
            _("Field=content, words, or a filter of the query list"), edit(hint="category=soups")
        )
        self.body.addStretch(1)
        self.first = next(iter(self.which.by_name.values()))
        self.set_verb(self._go)
        self.where.textEdited.connect(lambda _text: self.which.by_name["where"].setChecked(True))
        on_change(self._check, self.which, self.where)
        self._check()

    def _check(self) -> None:
        try:
            wanted = self._wanted()
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            return
        if not wanted:
            self.show_lack(_("Say which queries."))
            return
        known = len(self._released.intersection(wanted))
        if known == len(wanted):
            self.show_lack(_("All of these are released already."))
            return
        rest = number_of(
            known, "{n} of them is released already.", "{n} of them are released already."
        )
        said = number_of(len(wanted), "{n} query.", "{n} queries.")
        self.show_lack("", remark=f"{said} {rest}" if known else said)

    def _wanted(self) -> list[str]:
        from judgetool.session.team.joining import find_queries  # noqa: PLC0415 - loads the hub

        if self.which.current == "one" and self._query is not None:
            return [self._session.material.queries[self._query].id]
        if self.which.current == "where" and not self.where.text().strip():
            return []
        return find_queries(
            self._session, self.where.text().strip() if self.which.current == "where" else ""
        )

    def _go(self) -> None:
        from judgetool.session.team.joining import describe_released  # noqa: PLC0415 - loads the hub

        wanted = self._wanted()
        self.ask_hub(lambda hub: describe_released(hub.release(wanted), len(wanted)))


class OfferForm(HubForm):
    """Asks whoever comes to judge what is to be judged.

    Args:
        session: the project.
        at_hub: does it.
    """

    def __init__(self, session: Session, at_hub: AtHub) -> None:
        from judgetool.session.team.joining import describe_offer, plan_offer  # noqa: PLC0415 - loads the hub

        super().__init__(_("Ask everybody"), verb=_("Ask"), at_hub=at_hub)
        offer = plan_offer(session)
        self.add_text(
            number_of(
                len(offer.pairs),
                "Assessors then take the {n} document that is to be judged, and nobody gets what somebody else has "
                "taken. Who has judged one, or is asked by name, counts as one of its people.",
                "Assessors then take some of the {n} documents that are to be judged, a few at a time, and nobody gets "
                "what somebody else has taken. Who has judged one, or is asked by name, counts as one of its people.",
            )
        )
        self.opinions = self.first = self.add_field(
            _("&People for each document"), number(1, 9, 1, width=64)
        )
        self.back = self.add_to_foot(push_button(_("Ask nobody any more"), self._take_back))
        self.body.addStretch(1)
        if not offer.pairs:
            self.show_problem(_("Nothing is to be judged: no run has documents yet."))

        def ask() -> None:
            most = self.opinions.value()
            self.ask_hub(
                lambda hub: describe_offer(
                    hub.ask(offer.pairs, opinions=most, heard=offer.heard), len(offer.pairs)
                )
            )

        self.set_verb(ask)

    def _take_back(self) -> None:
        from judgetool.session.team.joining import describe_unasked  # noqa: PLC0415 - loads the hub

        self.ask_hub(lambda hub: describe_unasked(hub.ask_nobody()))


class TakeForm(HubForm):
    """Takes documents to judge that nobody else has.

    Args:
        at_hub: does it.
    """

    def __init__(self, at_hub: AtHub) -> None:
        from judgetool.session.team.joining import (  # noqa: PLC0415 - loads the hub
            HOURS,
            MOST_TAKEN,
            TAKEN,
            describe_taken,
        )

        super().__init__(_("Take documents to judge"), verb=_("Take"), at_hub=at_hub)
        self.add_text(
            _(
                "Of what everybody is asked to judge you get what nobody else has. It is your queue then, also without a "
                "connection, until the time is over: then others may take what you have not judged."
            )
        )
        self.number = number(1, MOST_TAKEN, TAKEN, width=84)
        self.hours = number(1, 8784, HOURS, unit=" h", width=96)
        self.first = self.number
        self.add_line(_("&Documents"), self.number, _("&for"), self.hours, None)
        self.body.addStretch(1)

        def take() -> None:
            wanted, hours = self.number.value(), self.hours.value()
            self.ask_hub(lambda hub: describe_taken(hub.claim(wanted, hours), wanted))

        self.set_verb(take)
