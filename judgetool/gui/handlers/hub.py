"""The team's hub: the open project kept in step with it beside the window, and how that stands."""

import queue
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from judgetool.core.number_text import number_of
from judgetool.core.policy import policy
from judgetool.errors import JudgetoolError, tell
from judgetool.gui.project_view import ProjectView
from judgetool.gui.window import Handler
from judgetool.session.commands import Changed
from judgetool.session.loading import Meanwhile
from judgetool.session.opening import find_hub_side
from judgetool.session.session import Session
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.gui.dialogs.hub import HubAct, HubForm, Joined
    from judgetool.hub.connection import Hub, HubLook
    from judgetool.session.team.sync_state import Synced
    from judgetool.session.team.syncing import Syncing

_Asked = tuple[Callable[["Hub"], Any], Callable[[Any], object]]
_WAKE_S = 1.0
_RECOUNT_S = 5.0
"""So often it is counted anew, while the hub is not reached, what there is to send."""
_AGAIN_S = 60.0
"""So long after the file could not be written."""
_LAST_S = 1.2
"""So long what was judged last is sent while the project is left,"""
_LEAVE_S = 1.9
"""and so long that is waited for."""


class HubKeeper(QObject):
    """Keeps an open project in step with its hub on a thread of its own, until it is stopped.

    What the thread brings is taken in on the window's. It goes on only when that is done, so that what
    was judged while it read is known. It is no job of the window's: a line that does not answer must hold up
    neither those nor the end of the program.

    Args:
        session: the project, which has a hub and may be written.
        url: where the hub is.
        parent: of the object.
        password: what somebody said when the project was joined; ``None`` where nobody did.

    Signals:
        told: it stands otherwise, or was looked at.

    Attributes:
        state: how things stand.
        look: who is in the hub; ``None`` where it was not reached yet.
    """

    told = Signal()
    _arrived = Signal()

    def __init__(
        self, session: Session, url: str, parent: QObject, password: str | None = None
    ) -> None:
        from judgetool.session.team.sync_state import SyncState  # noqa: PLC0415 - for a project with a hub

        super().__init__(parent)
        self.url = url
        self.state = SyncState(is_begun=False)
        self.look: HubLook | None = None
        self._session = session
        self._syncing: Syncing | None = None
        self._password = password
        self._is_wanted = self._is_changed = False
        self._inbox: queue.SimpleQueue[Synced | Exception | Callable[[], object] | None] = (
            queue.SimpleQueue()
        )
        self._asked: queue.SimpleQueue[_Asked] = queue.SimpleQueue()
        self._stop, self._go = threading.Event(), threading.Event()
        self._arrived.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._meanwhile = Meanwhile(session.changed)
        session.changed.connect(self._note)
        self._thread = threading.Thread(target=self._work, name="judgetool-hub", daemon=True)
        self._thread.start()

    def sync(self, password: str | None = None) -> None:
        """Go in step soon, whatever went wrong before, and look who is there.

        Args:
            password: what somebody said; kept in the keyring once it was right.
        """
        self._is_wanted = True
        if password is not None:
            self._password = password
        if self._syncing is not None:
            if password is not None:
                self._syncing.set_password(password)
            self._syncing.hurry()

    def at_hub(
        self, act: Callable[["Hub"], Any], then: Callable[[Any], object], owner: QObject
    ) -> None:
        """Do something at the hub soon, and go in step.

        Args:
            act: does it, on the keeper's thread.
            then: is given what it returns, or what was wrong, on the window's.
            owner: what is not there any more is told nothing.
        """
        self._asked.put((act, lambda found: isValid(owner) and then(found)))

    def stop(self) -> int:
        """Send what can be sent at once, and end; return how many lines are not sent."""
        self._session.changed.disconnect(self._note)
        self._meanwhile.end()
        self._stop.set()
        self._go.set()
        self._thread.join(_LEAVE_S)
        syncing = self._syncing
        return 0 if syncing is None else syncing.state.n_unsent

    def _note(self, _changed: Changed) -> None:
        self._is_changed = True
        if self._syncing is not None:
            self._syncing.note_change(monotonic())

    # On its thread

    def _work(self) -> None:
        from judgetool.session.team.syncing import Syncing  # noqa: PLC0415 - for a project with a hub

        try:
            while not self._stop.is_set():
                try:
                    syncing = self._syncing = Syncing(self._session)
                    # Not before: what is said while it is made must not be lost.
                    if self._password is not None:
                        syncing.set_password(self._password)
                    with closing(syncing):
                        self._keep(syncing)
                except JudgetoolError as problem:
                    self._post(problem)
                    self._stop.wait(_AGAIN_S)
        except Exception as problem:  # noqa: BLE001 - it is raised on the window’s thread
            # Of a project that was closed meanwhile nobody waits for anything.
            if not self._stop.is_set():
                self._post(problem)

    def _keep(self, syncing: "Syncing") -> None:
        counted = 0.0
        while not self._stop.is_set():
            while syncing.problem is not None or syncing.state.is_begun:
                if self._asked.empty():
                    break
                self._consult(syncing)
            now, before = monotonic(), syncing.state
            if syncing.is_due(now):
                done = syncing.run(now, is_cancelled=self._stop.is_set)
                self._look(syncing)
                self._post(done)
                continue
            syncing.wait(_WAKE_S, self._stop)
            if syncing.problem is not None and self._is_changed and now > counted + _RECOUNT_S:
                self._is_changed, counted = False, now
                syncing.recount()
            if syncing.state != before:
                self._post(None)
        self._send_last(syncing)

    def _consult(self, syncing: "Syncing") -> None:
        act, then = self._asked.get()
        found: Any
        try:
            found = syncing.consult(act)
        except JudgetoolError as problem:
            found = problem
        self._is_wanted = True
        syncing.hurry()
        self._post(partial(then, found))

    def _look(self, syncing: "Syncing") -> None:
        from judgetool.hub.reaching import keep_password, parse_address  # noqa: PLC0415 - likewise

        if syncing.problem is None and (self.look is None or self._is_wanted):
            self._is_wanted = False
            self.look = syncing.look() or self.look
            if self._password is not None and keep_password(
                parse_address(self.url)[0], self._password
            ):
                self._password = None

    def _send_last(self, syncing: "Syncing") -> None:
        end = monotonic() + _LAST_S
        if syncing.problem is None and self._is_changed:
            syncing.run(monotonic(), fetches=False, is_cancelled=lambda: monotonic() > end)
        if syncing.problem is not None:
            syncing.recount()

    def _post(self, what: "Synced | Exception | Callable[[], object] | None") -> None:
        self._go.clear()
        self._inbox.put(what)
        if isValid(self) and not self._stop.is_set():
            self._arrived.emit()
            self._go.wait()

    # On the window's

    def _take(self) -> None:
        while not self._inbox.empty():
            what = self._inbox.get()
            if self._stop.is_set():
                return
            judged = self._meanwhile.end()
            try:
                self._take_in(what, judged)
            finally:
                self._meanwhile = Meanwhile(self._session.changed)
                self._go.set()

    def _take_in(
        self,
        what: "Synced | Exception | Callable[[], object] | None",
        judged: set[tuple[int, int]] | None,
    ) -> None:
        syncing = self._syncing
        if callable(what):
            what()
            return
        if isinstance(what, Exception):
            if not isinstance(what, JudgetoolError):
                raise what
            self.state = type(self.state)(problem=str(what))
        elif syncing is not None:
            self.state = syncing.state
            if what is not None and what.written is not None:
                self._session.changed.disconnect(self._note)
                self._session.take_written(what.written, judged=judged)
                self._session.changed.connect(self._note)
        self.told.emit()


class HubHandler(Handler):
    """Shows how the open project stands to its hub, and lets a project belong to one."""

    _keeper: HubKeeper | None = None
    _remarks: tuple[str, ...] = ()
    """What was said of it already."""
    _said: tuple[str, str | None] = ("", None)
    """The hub joined last here, and the password said for it: there may be no keyring."""

    def connect_project(self, view: ProjectView) -> None:
        """Keep a project that has just been opened in step with its hub, where it has one."""
        session = view.session
        if not (session.read_only_reason or policy().is_offline):
            jobs = self._window.jobs
            jobs.submit(lambda _handle: find_hub_side(session).url, self._begin, owner=view)

    def _begin(self, url: str) -> None:
        if url and self._keeper is None:
            password = self._said[1] if url == self._said[0] else None
            self._keeper = HubKeeper(self._session, url, self._widget, password)
            self._keeper.told.connect(self._show_state)
            self._show_state()

    def stop(self) -> None:
        """Keep it in step no more, and say what is not sent: the project is being closed."""
        keeper, self._keeper, self._remarks = self._keeper, None, ()
        if keeper is None:
            return
        n_unsent = keeper.stop()
        keeper.deleteLater()
        self._window.status.set_hub()
        if n_unsent:
            tell(
                number_of(
                    n_unsent,
                    "{n} line still to be sent to the team’s hub. All of it is in the project, and is "
                    "sent when that is open and the hub is reached.",
                    "{n} lines still to be sent to the team’s hub. All of it is in the project, and is "
                    "sent when that is open and the hub is reached.",
                )
            )

    def _show_state(self) -> None:
        keeper = self._keeper
        if keeper is not None:
            state = keeper.state
            self._window.status.set_hub(state.text, state.why or keeper.url)
            fresh = [each for each in state.remarks if each not in self._remarks]
            self._remarks = state.remarks
            self._say(" ".join(fresh))

    def show(self) -> None:
        """Show how the project stands to its hub; where it has none, let it belong to one."""
        from judgetool.gui.dialogs.hub import LEADING  # noqa: PLC0415 - rarely needed

        window, session = self._window, self._window.session
        keeper = self._keeper
        if keeper is not None:
            act, said = self._show_hub(keeper), ""
            # Who lets several in, or releases, is not sent away after each.
            while act in LEADING:
                said = self._do(keeper, act)
                act = self._show_hub(keeper, said)
            if act == "create":
                self._make_anew(keeper)
            elif act is not None:
                self._do(keeper, act)
            return
        if session is not None and not self._can_write():
            return
        joined = self._ask_to_join()
        if joined is None:
            return
        if joined.path is not None:
            if joined.assessor and joined.assessor != window.assessor:
                window.name_assessor(joined.assessor)
            window.try_open(joined.path)
        elif session is not None and joined.assessor != session.assessor:
            # Opened anew under that name, it finds its hub.
            window.take_preferences({"assessor": joined.assessor})
        else:
            self._begin(joined.url)
            window.refresh_project()

    def _ask_to_join(self, lost_url: str = "") -> "Joined | None":
        from judgetool.gui.dialogs.hub import JoinDialog  # noqa: PLC0415 - rarely needed

        window = self._window
        joined = self._ask(
            JoinDialog(window.session, window.jobs, window.prompter, window.assessor, lost_url)
        )
        if joined is not None:
            self._said = (joined.url, joined.password)
        return joined

    def _make_anew(self, keeper: HubKeeper) -> None:
        joined = self._ask_to_join(keeper.url)
        if joined is None or self._keeper is not keeper:
            return
        self._keeper = None
        keeper.stop()
        keeper.deleteLater()
        self._begin(joined.url)

    def take(self) -> None:
        """Take documents to judge that nobody else of the team has."""
        if self._keeper is None:
            self._say(
                _("This project belongs to no hub. Project ▸ Team hub… makes one, or joins one.")
            )
        else:
            self._do(self._keeper, "take")

    def _show_hub(self, keeper: HubKeeper, said: str = "") -> "HubAct | None":
        from judgetool.gui.dialogs.hub import HubDialog  # noqa: PLC0415 - rarely needed
        from judgetool.session.team.joining import list_taken  # noqa: PLC0415 - loads the hub

        dialog = HubDialog(keeper.sync, said)

        def show() -> None:
            taken = [each.until_ms or 0 for each in list_taken(self._session)]
            dialog.show_standing(keeper.url, keeper.state, keeper.look, taken)

        keeper.told.connect(show)
        show()
        keeper.sync()
        try:
            return self._ask(dialog)
        finally:
            keeper.told.disconnect(show)

    def _do(self, keeper: HubKeeper, act: "HubAct") -> str:
        """Do something at the hub, and say what has become of it; return that, empty for nothing."""
        if act == "give_back":
            from judgetool.session.team.joining import describe_given  # noqa: PLC0415 - likewise

            keeper.at_hub(
                lambda hub: describe_given(hub.give_back()),
                lambda found: self._say(str(found)),
                self._widget,
            )
            return ""
        said = self._ask(self._form(keeper, act)) or ""
        self._say(said)
        return said

    def _form(self, keeper: HubKeeper, act: "HubAct") -> "HubForm":
        from judgetool.gui.dialogs import hub  # noqa: PLC0415 - rarely needed

        look, session = keeper.look, self._session
        if act == "add":
            return hub.AddMemberForm(keeper.at_hub)
        if act == "close":
            assert look is not None, "offered where it is known who is there"
            others = [each for each in look.members if each.name != look.me.name]
            members = [each for each in others if not each.is_closed]
            return hub.CloseMemberForm(members, keeper.at_hub)
        if act == "release":
            released = () if look is None else look.released
            query = self._view.judging.query
            return hub.ReleaseForm(session, query, released, keeper.at_hub)
        if act == "offer":
            return hub.OfferForm(session, keeper.at_hub)
        return hub.TakeForm(keeper.at_hub)
