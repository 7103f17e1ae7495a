"""The team's hub: how the project stands to it and who is in it, making and joining one, what is done there."""

from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.core import override
from judgetool.core.clock import utc_ms
from judgetool.core.number_text import number_of
from judgetool.core.terms import short_name
from judgetool.errors import HubRefusal, HubRefusedError, InputError, JudgetoolError
from judgetool.gui.dialogs import PROJECTS
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    combo,
    edit,
    held,
    labelled,
    line_of,
    number,
    push_button,
    text_pane,
)
from judgetool.gui.dialogs.choose import MAX_LENGTH, name_problem
from judgetool.gui.dialogs.finding import clock_text
from judgetool.gui.dialogs.framed_list import ListRow, make_step_list
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.fields import focus_field
from judgetool.gui.widgets.painted import in_column
from judgetool.session.session import Session
from judgetool.wording import N_, _, in_words, sentence_start

if TYPE_CHECKING:
    from judgetool.hub.connection import Hub, HubLook, HubMember, Role
    from judgetool.hub.making import AddedMember
    from judgetool.hub.reaching import HubAddress
    from judgetool.session.team.sync_state import SyncState

_NAME = N_("&Name under which you judge, as the hub knows it")
_ADDRESS = "postgresql://ben@db.example.org/recipes"
How = Literal["join", "link", "create"]
_ROLES = {"lead": N_("lead"), "assessor": N_("assessor"), "reader": N_("reader")}
HubAct = Literal["add", "close", "release", "offer", "take", "give_back", "create"]
"""What is done at a hub from the window."""
_HOW: dict[How, str] = {
    "join": N_("&Make a new project file of all that a hub lets me read"),
    "link": N_("&Let this project, a copy of the hub’s, belong to its hub"),
    "create": N_("Make a &hub of this project in an empty database, and lead it"),
}
_ANEW = N_("&Make the hub anew…")
_LEADS: dict[HubAct, str] = {
    "add": N_("Let somebody &in…"),
    "close": N_("Let in no m&ore…"),
    "release": N_("&Release queries…"),
    "offer": N_("Ask &everybody…"),
}
LEADING = frozenset(_LEADS)
"""What is done as a lead."""
_JUDGES: dict[HubAct, str] = {"take": N_("&Take documents…"), "give_back": N_("&Give back")}


def _password_field() -> QLineEdit:
    field = edit(hint=_("where the system’s keyring does not have it"))
    field.setEchoMode(QLineEdit.EchoMode.Password)
    return field


class HubDialog(ActDialog):
    """How a project stands to its hub, and who is in it; goes in step at once where asked to.

    Args:
        sync: goes in step, with a password where one was said.
        said: what has just been done from here, in a sentence.

    Attributes:
        acts: buttons for what one's role lets one do there, by name.
        answer: the one that was pressed.
    """

    def __init__(self, sync: Callable[[str | None], None], said: str = "") -> None:
        super().__init__(_("Team hub"), verb=_("Sync now"), width=640)
        self._sync, self._said = sync, said
        self._asked_ms: int | None = None
        self._is_asking = False
        self.cancel.setText(_("Close"))
        self.where = self.add_head("")
        self.standing = self.add_text(ink="text")
        self.why = self.add_text(ink="warn")
        self.password = _password_field()
        self.secret = self.put(held(labelled(_("&Password"), self.password)))
        self.people = self.add_list(make_step_list(_("People in the hub")), height=150)
        self.answer: HubAct | None = None
        self.acts = {
            name: push_button(_(text), partial(self._choose, name))
            for name, text in {**_LEADS, **_JUDGES, "create": _ANEW}.items()
        }
        self.anew = self.put(held(line_of(self.acts["create"], None)))
        self.leading = self.put(held(line_of(*(self.acts[name] for name in _LEADS), None)))
        self.released = self.add_text()
        self.claims = self.add_text()
        self.judging = self.put(held(line_of(*(self.acts[name] for name in _JUDGES), None)))
        self.unplaced = self.add_text(ink="warn")
        self.secret.hide()
        self.set_verb(self._go)
        self.first = self.verb

    def _choose(self, name: HubAct) -> None:
        self.answer = name
        self.accept()

    def _go(self) -> None:
        self._is_asking, self._said = True, ""
        self._sync(self.password.text() or None)
        self.password.clear()
        self.show_remark(_("Asking the hub…"))

    def show_standing(
        self, url: str, state: "SyncState", look: "HubLook | None", taken: Sequence[int] = ()
    ) -> None:
        """Show it anew.

        Args:
            url: where the hub is.
            state: how the project stands to it.
            look: who is in it; ``None`` where it was not reached yet.
            taken: of each document that one has taken to judge and not judged, until when it is theirs;
                milliseconds UTC.
        """
        self.where.setText(url)
        me = (
            " "
            + _("You are {name}, {role}.").format(name=look.me.name, role=_(_ROLES[look.me.role]))
            if look is not None
            else ""
        )
        self.standing.setText(f"{sentence_start(state.state)}.{me}")
        self.why.setText(state.why)
        self.why.setVisible(bool(state.why))
        is_wanted = state.password_wanted
        if is_wanted and self.secret.isHidden():
            self.first = self.password
            self.secret.show()
            self.password.setFocus()
        self.secret.setVisible(is_wanted)
        self._show_asked(state.asked_ms)
        self.anew.setVisible(state.is_missing)
        rows = [] if look is None else look.members
        now = utc_ms()
        self.people.show_rows(
            ListRow(
                member.name,
                member.name,
                f"{_(_ROLES[member.role])} · {_seen(member, now)}",
            )
            for member in rows
        )
        self.released.setText(_released(look))
        self.unplaced.setText("" if look is None else look.unplaced)
        self.unplaced.setVisible(bool(self.unplaced.text()))
        role = "" if look is None else look.me.role
        self.leading.setVisible(role == "lead")
        self.judging.setVisible(role in ("lead", "assessor"))
        self.claims.setVisible(role in ("lead", "assessor") or bool(taken))
        self.claims.setText(_held(taken, now))
        self.acts["give_back"].setEnabled(bool(taken))
        self.acts["close"].setEnabled(sum(not member.is_closed for member in rows) > 1)

    def _show_asked(self, asked_ms: int | None) -> None:
        """Say when the hub was asked last, so that Sync now is seen to be answered."""
        if self._is_asking and asked_ms == self._asked_ms:
            return
        self._is_asking, self._asked_ms = False, asked_ms
        asked = ""
        if asked_ms is not None:
            time = datetime.fromtimestamp(asked_ms / 1000).astimezone()
            asked = _("Asked last at {time}.").format(time=f"{time:%H:%M:%S}")
        self.show_remark(self._said or asked)


def _seen(member: "HubMember", now: int) -> str:
    if member.is_closed:
        return _("comes in no more")
    if not member.seen_ms:
        return _("not seen yet")
    # The hub notes it once a minute.
    return _("seen {time}").format(time=clock_text(member.seen_ms, now_ms=now, today="%H:%M"))


def _held(taken: Sequence[int], now: int) -> str:
    """Return what one has taken to judge, in a sentence."""
    if not taken:
        return _("You have taken nothing to judge of what everybody is asked.")
    until = clock_text(min(taken), now_ms=now)
    return number_of(
        len(taken),
        "{n} document that you took to judge; until {time} nobody else gets it, also while you are offline.",
        "{n} documents that you took to judge; until {time} nobody else gets them, also while you are offline.",
        time=until,
    )


def _released(look: "HubLook | None") -> str:
    if look is None:
        return _("Who is in the hub is shown once it was reached.")
    if not look.released:
        return _("No query is released yet: members who do not lead read their own judgments only.")
    if look.me.role == "lead":
        return number_of(
            len(look.released),
            "All members read everybody’s judgments of {n} released query.",
            "All members read everybody’s judgments of {n} released queries.",
        )
    return number_of(
        len(look.released),
        "You read everybody’s judgments of {n} released query.",
        "You read everybody’s judgments of {n} released queries.",
    )


class Joined(NamedTuple):
    """A hub that is to be joined, or was.

    Attributes:
        how: it is joined.
        url: where the hub is.
        password: what was typed; ``None`` for nothing.
        assessor: who judges in it.
        path: the new file; ``None`` where the open project belongs to the hub then.
    """

    how: How
    url: str
    password: str | None
    assessor: str
    path: Path | None


class JoinDialog(ActDialog):
    """Asks for the hub and joins it beside the window.

    Args:
        session: the open project; ``None`` without one.
        jobs: does the work.
        prompter: asks where a new file is to stand.
        assessor: who judges; ``""`` while nobody is named.
        lost_url: where the project's hub was that is to be made anew; empty for none.

    Attributes:
        answer: what was done; ``None`` while nothing was.
    """

    def __init__(
        self,
        session: Session | None,
        jobs: Jobs,
        prompter: Prompter,
        assessor: str = "",
        lost_url: str = "",
    ) -> None:
        super().__init__(_("Join a team’s hub"), verb=_("Join"), width=640)
        self._session, self._jobs, self._prompter = session, jobs, prompter
        self._handle: JobHandle | None = None
        self.answer: Joined | None = None
        self.add_text(
            _(
                "A hub is a PostgreSQL database in which the files of a team meet. Everybody goes on "
                "judging in a file of their own, with or without it. Texts and judgments lie in the database as "
                "they are: who looks after the server can read them."
            )
        )
        ways: dict[How, str] = _HOW if session is not None else {"join": _HOW["join"]}
        usual: How = "create" if lost_url else "join" if session is None else "link"
        self.how = self.add_radios(in_words(ways), usual)
        for button in self.how.by_name.values():
            button.setVisible(session is not None)
        self.address = self.add_field(_("&Address, without a password"), edit(hint=_ADDRESS))
        self.address.setText(lost_url)
        self.password = self.add_field(_("&Password"), _password_field())
        self.name = edit(assessor, most=MAX_LENGTH)
        self.place = edit(hint="~/recipes.judge")
        self.choose = push_button(_("Choose…"), self._choose_place)
        self.who = self.put(held(labelled(_(_NAME), self.name)))
        line = labelled(_("New &file"), self.place, line=line_of(self.place, 1, self.choose))
        self.file = self.put(held(line))
        self.body.addStretch(1)
        self.first = self.address
        self.set_verb(self._go)
        self.follow(self._check, self.how, self.address, self.name, self.place)

    def _choose_place(self) -> None:
        suggested = Path(self.place.text() or Path.home() / "recipes.judge")
        path = self._prompter.choose_place(
            _("Where the file is to stand"), suggested, kinds=(PROJECTS,)
        )
        if path is not None:
            self.place.setText(str(path))

    def _check(self) -> None:
        is_made = self.how.current == "create"
        self.verb.setText(_("Make the hub") if is_made else _("Join"))
        title = _("Make a team’s hub") if is_made else _("Join a team’s hub")
        self.setWindowTitle(title)
        self.heading.set_text(title)
        self.who.setVisible(self._asks_name)
        self.file.setVisible(self.how.current == "join")
        self.show_lack(self._lack())

    def _lack(self) -> str:
        if not self.address.text().strip():
            return _("Give the address that a lead or an administrator has told you.")
        problem = name_problem(self._name)
        if problem or self.how.current != "join":
            return problem
        path = self._path
        if path is None:
            return _("Say which file is to be made, its folder included.")
        if path.exists():
            return _("{name} stands there already. Choose another name.").format(name=path.name)
        return (
            ""
            if path.parent.is_dir()
            else _("The folder {parent} does not exist.").format(parent=path.parent)
        )

    @property
    def _asks_name(self) -> bool:
        return self.how.current == "join" or self._session is None or not self._session.assessor

    @property
    def _name(self) -> str:
        session = self._session
        return self.name.text().strip() if session is None or self._asks_name else session.assessor

    @property
    def _path(self) -> Path | None:
        text = self.place.text().strip()
        # Each key asks: of ‘/’ there is no name yet, of ‘~b’ no home.
        try:
            path = Path(text).expanduser()
        except RuntimeError:
            return None
        if not path.name or not path.is_absolute():
            return None
        return path if path.suffix else path.with_name(f"{path.name}.judge")

    def _go(self) -> None:
        how, path, session = self.how.current or "join", self._path, self._session
        wish = Joined(
            how,
            self.address.text().strip(),
            self.password.text() or None,
            self._name,
            path if how == "join" else None,
        )
        self._set_busy(is_busy=True)
        self._handle = self._jobs.submit(
            lambda handle: _join(wish, session, handle),
            self._finish,
            self._fail,
            lambda n, _total: self.show_remark(
                number_of(n, "Fetching… {n} line", "Fetching… {n} lines")
            ),
            owner=self,
        )

    def _set_busy(self, *, is_busy: bool) -> None:
        fields = (self.address, self.password, self.name, self.place, self.choose, self.verb)
        for part in (*fields, *self.how.by_name.values()):
            part.setEnabled(not is_busy)
        if is_busy:
            self.show_remark(_("Asking the hub…"))

    def _finish(self, joined: Joined) -> None:
        self._handle = None
        self.answer = joined
        self.accept()

    def _fail(self, problem: Exception) -> None:
        self._handle = None
        self._set_busy(is_busy=False)
        if not isinstance(problem, JudgetoolError):
            raise problem
        self.show_remark(str(problem), ink="bad")
        if isinstance(problem, HubRefusedError) and problem.why is HubRefusal.PASSWORD:
            self.password.setFocus()

    @override
    def reject(self) -> None:
        """Leave; what is under way is stopped, and nothing of it stays here."""
        if self._handle is not None:
            self._handle.drop()
        super().reject()


def _join(wish: Joined, session: Session | None, handle: JobHandle) -> Joined:
    """Do what is wished; on the worker."""
    from judgetool.hub.reaching import keep_password, take_address  # noqa: PLC0415 - rarely needed
    from judgetool.session.team.joining import join_hub  # noqa: PLC0415 - likewise

    address = take_address(wish.url)[0]
    if wish.path is not None:

        def progress(n: int, total: int) -> None:
            handle.check()
            handle.report(n, total)

        join_hub(address, wish.password, wish.path, assessor=wish.assessor, progress=progress)
        if handle.is_cancelled():
            wish.path.unlink(missing_ok=True)
    else:
        assert session is not None, "asked for where a project is open"
        _link(wish, session, address)
    if wish.password is not None:
        keep_password(address, wish.password)
    return wish._replace(url=str(address))


def _link(wish: Joined, session: Session, address: "HubAddress") -> None:
    from judgetool.hub.connection import open_hub  # noqa: PLC0415 - rarely needed
    from judgetool.hub.making import create_hub  # noqa: PLC0415 - likewise
    from judgetool.session.team.joining import link_hub  # noqa: PLC0415 - likewise
    from judgetool.session.team.syncing import hash_scale  # noqa: PLC0415 - likewise

    if wish.how == "create":
        hub = create_hub(
            address,
            wish.password,
            project=session.uuid,
            title=session.title,
            scale_hash=hash_scale(session.scale),
            name=wish.assessor,
        )
    else:
        hub = open_hub(address, wish.password)
    with closing(hub):
        if hub.me.role != "reader" and hub.me.name != wish.assessor:
            raise InputError(
                _(
                    "The hub knows the login {login} as ‘{name}’, and ‘{assessor}’ judges here. Judge "
                    "under that name (Judge ▸ Assessor…), or ask a lead for a login of your own."
                ).format(login=hub.me.login, name=hub.me.name, assessor=wish.assessor)
            )
        link_hub(session, hub)


# What is done there

AtHub = Callable[[Callable[["Hub"], Any], Callable[[Any], object], QObject], None]
"""Does something at the hub beside the window; gives what came of it, or what is wrong, to a second
function for as long as there is its owner."""
_ROLES_GIVEN: dict["Role", str] = {
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
        if isinstance(found, JudgetoolError):
            self.show_remark(str(found), ink="bad")
        else:
            self.show_remark("")
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
        self.name = edit(most=MAX_LENGTH)
        self.role = Radios({role: _(text) for role, text in _ROLES_GIVEN.items()}, "assessor", self)
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
        self.follow(self._check, self.name)

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
        self.who = self.add_field(_("&Who"), combo(options))
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
        self.set_verb(self._go)
        self.where.textEdited.connect(lambda _text: self.which.by_name["where"].setChecked(True))
        self.follow(self._check, self.which, self.where)

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
        self.opinions = self.add_field(_("&People for each document"), number(1, 9, 1, width=64))
        self.add_to_foot(push_button(_("Ask nobody any more"), self._take_back))
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
        self.add_line(_("&Documents"), self.number, _("&for"), self.hours, None)
        self.body.addStretch(1)

        def take() -> None:
            wanted, hours = self.number.value(), self.hours.value()
            self.ask_hub(lambda hub: describe_taken(hub.claim(wanted, hours), wanted))

        self.set_verb(take)
