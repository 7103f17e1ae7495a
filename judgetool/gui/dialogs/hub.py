"""The team's hub: how the project stands to it and who is in it; making one, and joining one."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QLineEdit

from judgetool.core.clock import utc_ms
from judgetool.core.number_text import count_noun
from judgetool.core.override import override
from judgetool.errors import HubRefusal, HubRefusedError, InputError, JudgetoolError
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    edit,
    held,
    labelled,
    line_of,
    on_change,
    push_button,
)
from judgetool.gui.dialogs.choose import MAX_LENGTH, name_problem
from judgetool.gui.dialogs.framed_list import ListRow, make_step_list
from judgetool.gui.dialogs.history import clock_text
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.questions import PROJECTS, Prompter
from judgetool.session.session import Session

if TYPE_CHECKING:
    from judgetool.hub.address import HubAddress
    from judgetool.hub.events import HubLook
    from judgetool.session.team.syncing import SyncState

_NAME = "&Name under which you judge, as the hub knows it"
_ADDRESS = "postgresql://ben@db.example.org/recipes"
How = Literal["join", "link", "create"]
_HOW: dict[How, str] = {
    "join": "&Make a new project file of all that a hub lets me read",
    "link": "&Let this project, a copy of the hub’s, belong to its hub",
    "create": "Make a &hub of this project in an empty database, and lead it",
}


def _password_field() -> QLineEdit:
    field = edit(hint="where the system’s keyring does not have it")
    field.setEchoMode(QLineEdit.EchoMode.Password)
    return field


class HubDialog(ActDialog):
    """How a project stands to its hub, and who is in it; goes in step at once where asked to.

    Args:
        sync: goes in step, with a password where one was said.
    """

    def __init__(self, sync: Callable[[str | None], None]) -> None:
        super().__init__("Team hub", verb="Sync now", width=640)
        self._sync = sync
        self.cancel.setText("Close")
        self.where = self.add_head("")
        self.standing = self.add_text(ink="text")
        self.why = self.add_text(ink="warn")
        self.password = _password_field()
        self.secret = self.put(held(labelled("&Password", self.password)))
        self.people = self.add_list(make_step_list("People in the hub"), height=150)
        self.released = self.add_text()
        self.secret.hide()
        self.set_verb(self._go)
        self.first = self.verb
        self.show_standing("", None, None)

    def _go(self) -> None:
        self._sync(self.password.text() or None)
        self.password.clear()
        self.show_remark("Asked the hub…")

    def show_standing(self, url: str, state: "SyncState | None", look: "HubLook | None") -> None:
        """Show it anew.

        Args:
            url: where the hub is.
            state: how the project stands to it; ``None`` while that is not known.
            look: who is in it; ``None`` where it was not reached yet.
        """
        self.where.setText(url)
        text = state.text if state is not None else "Hub: connecting"
        me = f" You are {look.me.name}, {look.me.role}." if look is not None else ""
        self.standing.setText(f"{text.removeprefix('Hub: ').capitalize()}.{me}")
        why = [state.problem, state.notice] if state is not None else []
        self.why.setText("\n".join(filter(None, why)))
        self.why.setVisible(any(why))
        is_wanted = state is not None and state.password_wanted
        if is_wanted and self.secret.isHidden():
            self.first = self.password
            self.secret.show()
            self.password.setFocus()
        self.secret.setVisible(is_wanted)
        self.show_remark("")
        rows = [] if look is None else look.members
        now = utc_ms()
        self.people.show_rows(
            ListRow(
                member.name,
                member.name,
                f"{member.role} · "
                + (
                    f"seen {clock_text(member.seen_ms, now_ms=now)}"
                    if member.seen_ms
                    else "not seen yet"
                ),
            )
            for member in rows
        )
        self.released.setText(_released(look))

    @property
    def answer(self) -> None:
        """Nothing: all is done while it is open."""
        return


def _released(look: "HubLook | None") -> str:
    if look is None:
        return "Who is in the hub is shown once it was reached."
    whose = "All members read" if look.me.role == "lead" else "You read"
    if not look.n_released:
        return "Of no query are the judgments released to all members."
    return f"{whose} everybody’s judgments of {count_noun(look.n_released, 'released query')}."


@dataclass(frozen=True, slots=True)
class Joined:
    """What has become of joining.

    Attributes:
        url: where the hub is.
        path: the new file; ``None`` where the open project belongs to the hub now.
        assessor: who judges in it.
        password: what was typed; ``None`` for nothing.
    """

    url: str
    path: Path | None
    assessor: str
    password: str | None


class JoinDialog(ActDialog):
    """Asks for the hub and joins it beside the window.

    Args:
        session: the open project; ``None`` without one.
        jobs: does the work.
        prompter: asks where a new file is to stand.
        assessor: who judges; ``""`` while nobody is named.

    Attributes:
        answer: what was done; ``None`` while nothing was.
    """

    def __init__(
        self, session: Session | None, jobs: Jobs, prompter: Prompter, assessor: str = ""
    ) -> None:
        super().__init__("Join a team’s hub", verb="Join", width=640)
        self._session, self._jobs, self._prompter = session, jobs, prompter
        self._handle: JobHandle | None = None
        self.answer: Joined | None = None
        self.add_text(
            "A hub is a PostgreSQL database in which the files of a team meet. Everybody goes on "
            "judging in a file of their own, with or without it. Texts and judgments lie in the database as "
            "they are: who looks after the server can read them."
        )
        options: dict[How, str] = _HOW if session is not None else {"join": _HOW["join"]}
        self.how = self.add_radios(options, "join" if session is None else "link")
        for button in self.how.by_name.values():
            button.setVisible(session is not None)
        self.address = self.add_field("&Address, without a password", edit(hint=_ADDRESS))
        self.password = self.add_field("&Password", _password_field())
        self.name = edit(assessor, most=MAX_LENGTH)
        self.place = edit(hint="recipes.judge")
        self.choose = push_button("Choose…", self._choose_place)
        self.who = self.put(held(labelled(_NAME, self.name)))
        line = labelled("New &file", self.place, line=line_of(self.place, 1, self.choose))
        self.file = self.put(held(line))
        self.body.addStretch(1)
        self.first = self.address
        self.set_verb(self._go)
        on_change(self._check, self.how, self.address, self.name, self.place)
        self._check()

    def _choose_place(self) -> None:
        suggested = Path(self.place.text() or Path.home() / "recipes.judge")
        path = self._prompter.choose_place(
            "Where the file is to stand", suggested, kinds=(PROJECTS,)
        )
        if path is not None:
            self.place.setText(str(path))

    def _check(self) -> None:
        self.verb.setText("Make the hub" if self.how.current == "create" else "Join")
        self.who.setVisible(self._asks_name)
        self.file.setVisible(self.how.current == "join")
        self.show_lack(self._lack())

    def _lack(self) -> str:
        if not self.address.text().strip():
            return "Give the address that a lead or an administrator has told you."
        problem = name_problem(self._name)
        if problem or self.how.current != "join":
            return problem
        path = self._path
        if path is None:
            return "Say which file is to be made, its folder included."
        if path.exists():
            return f"{path.name} stands there already. Choose another name."
        return "" if path.parent.is_dir() else f"The folder {path.parent} does not exist."

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
        wish = _Wish(
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
            lambda n, _total: self.show_remark(f"Fetching… {count_noun(n, 'line')}"),
            owner=self,
        )

    def _set_busy(self, *, is_busy: bool) -> None:
        fields = (self.address, self.password, self.name, self.place, self.choose, self.verb)
        for part in (*fields, *self.how.by_name.values()):
            part.setEnabled(not is_busy)
        if is_busy:
            self.show_remark("Asking the hub…")

    def _finish(self, joined: Joined) -> None:
        self._handle = None
        self.answer = joined
        self.accept()

    def _fail(self, problem: Exception) -> None:
        self._handle = None
        self._set_busy(is_busy=False)
        if not isinstance(problem, JudgetoolError):
            raise problem
        self.remark.set_ink("bad")
        self.remark.setText(str(problem))
        if isinstance(problem, HubRefusedError) and problem.why is HubRefusal.PASSWORD:
            self.password.setFocus()

    @override
    def reject(self) -> None:
        """Leave; what is under way is stopped, and nothing of it stays here."""
        if self._handle is not None:
            self._handle.drop()
        super().reject()


@dataclass(frozen=True, slots=True)
class _Wish:
    how: How
    url: str
    password: str | None
    assessor: str
    path: Path | None


def _join(wish: _Wish, session: Session | None, handle: JobHandle) -> Joined:
    """Do what is wished; on the worker."""
    from judgetool.hub.address import keep_password, take_address  # noqa: PLC0415 - rarely needed
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
    return Joined(str(address), wish.path, wish.assessor, wish.password)


def _link(wish: _Wish, session: Session, address: "HubAddress") -> None:
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
                f"The hub knows the login {hub.me.login} as ‘{hub.me.name}’, and ‘{wish.assessor}’ judges "
                "here. Judge under that name (Judge ▸ Assessor…), or ask a lead for a login of your own."
            )
        link_hub(session, hub)
