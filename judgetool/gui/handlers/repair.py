"""Checking a project, giving a backup back, writing anew what is lost; what comes from outside.

From outside come changes to the file, other programs, a safety log, a second start.
"""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QThread, QTimer
from PySide6.QtWidgets import QApplication

from judgetool.core.clock import utc_ms
from judgetool.core.number_text import number_of
from judgetool.core.policy import policy
from judgetool.core.system import make_private_file
from judgetool.errors import JudgetoolError, ProjectError, take_notices
from judgetool.gui.dialogs import PROJECTS, Choice
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.jobs import JobHandle
from judgetool.gui.painting import format_count
from judgetool.gui.project_view import ProjectView
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.history import title_in_words
from judgetool.session.opening import (
    PROJECT_SUFFIX,
    is_open_elsewhere,
    is_same_project,
    meeting_place,
)
from judgetool.session.session import Session
from judgetool.wording import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgetool.session.safety import Backup, Finding, Missing, Recovery


class RepairHandler(Handler):
    """Does the actions for a project that may be damaged; it need not be open, nor openable."""

    def _do_to_file(self, act: Callable[[Path], object], question: str) -> None:
        """Do something to the project that is open, else to the one that is chosen."""
        session, prompter = self._window.session, self._window.prompter
        path = session.path if session else prompter.choose_file(question, (PROJECTS,))
        if path is not None:
            act(path)

    def check(self) -> None:
        """Look at a whole project, and propose what leads on where it is not sound."""
        self._do_to_file(self.check_file, _("Check which project?"))

    def check_file(self, path: Path) -> None:
        """Look at a whole project beside the work, and say what was found."""
        from judgetool.session.safety import check_project  # noqa: PLC0415 - not needed to start

        self._say(_("Checking {name}…").format(name=path.name), stays=True)
        self._window.jobs.submit(
            lambda _handle: check_project(path), partial(self._on_checked, path), self._on_failed
        )

    def _on_checked(self, path: Path, finding: "Finding") -> None:
        self._window.status.clear_message()
        torn = torn_sentence(finding.n_torn)
        if finding.problems:
            self.offer(
                path,
                _(
                    "{name} is damaged. Nothing was changed. A new file can have all that can be read "
                    "of it, and all that its newest backup and the safety log have. Repaired in its "
                    "place, the damaged file is kept beside it, under another name.{torn}"
                ).format(name=path.name, torn=torn),
                detail="\n".join(finding.problems),
            )
        elif finding.n_missing:
            self.offer(
                path,
                number_of(
                    finding.n_missing,
                    "{name} is sound, but the safety log has {n} change of a judgment that it "
                    "lacks. A new file can have it.{torn}",
                    "{name} is sound, but the safety log has {n} changes of judgments that it "
                    "lacks. A new file can have them.{torn}",
                    name=path.name,
                    torn=torn,
                ),
                is_damaged=False,
            )
        else:
            counts = "\n".join(f"{name}: {format_count(n)}" for name, n in finding.counts.items())
            self._window.prompter.tell(
                _("{name} is sound.{torn}").format(name=path.name, torn=torn), detail=counts
            )

    def offer(
        self,
        path: Path,
        sentence: str,
        *,
        detail: str = "",
        is_damaged: bool = True,
    ) -> None:
        """Say what is wrong with a file, and do what is chosen about it.

        Args:
            path: the project.
            sentence: what is wrong.
            detail: more of it.
            is_damaged: whether another file may take its place.
        """
        in_place = (Choice("repair", _("Repair in its place")),) if is_damaged else ()
        restore = (Choice("restore", _("Restore a backup…")),) if _may_have_backup(path) else ()
        answer = self._window.prompter.ask(
            sentence,
            (*in_place, *restore, Choice("recover", _("Recover as…"))),
            detail=detail,
        )
        if answer == "restore":
            self.restore_file(path)
        elif answer == "recover":
            self.recover_file(path)
        elif answer == "repair":
            self._recover_to(path, path)

    def restore(self) -> None:
        """Give a backup of a project back under a new name."""
        self._do_to_file(self.restore_file, _("Restore a backup of which project?"))

    def restore_file(self, path: Path) -> None:
        """Let a backup be chosen, write it under a new name, and open that."""
        from judgetool.gui.dialogs.choose import ChooseDialog, RadioOption  # noqa: PLC0415 - when first asked for
        from judgetool.gui.dialogs.finding import clock_text  # noqa: PLC0415 - when first asked for
        from judgetool.session.safety import (  # noqa: PLC0415 - when first asked for
            Backup,
            Restored,
            describe_others,
            kept_sentence,
            list_project_backups,
            restore_backup,
        )

        window = self._window
        backups: list[Backup] = []
        if not self.attempt(lambda: backups.extend(list_project_backups(str(path)))):
            return
        today = _("today {time}").format(time="%H:%M:%S")
        options = [
            RadioOption(
                str(number),
                clock_text(backup.at, now_ms=utc_ms(), today=today),
                ", ".join(_describe_backup(backup)),
            )
            for number, backup in enumerate(backups, 1)
        ]
        if not options:
            others = describe_others(str(path))
            window.prompter.tell(
                " ".join(
                    (
                        _("There is no backup of {name} on this machine.").format(name=path.name),
                        *others,
                    )
                )
            )
            return
        chosen = self._ask(
            ChooseDialog(_("Restore a backup"), options, verb=_("Restore"), current="1")
        )
        target = (
            None if chosen is None else self._place(_("Restore as"), path, _("{name} restored"))
        )
        if chosen is None or target is None:
            return
        was_open = self._is_open(target)
        if was_open and not window.leave_project():
            return
        done: list[Restored] = []
        self.attempt(lambda: done.append(restore_backup(str(path), int(chosen), target)))
        if not done:
            self._reopen(target, was_open=was_open)
        elif window.try_open(target):
            kept = done[0].kept
            left = "" if kept is None else kept_sentence(target, kept)
            if path.is_file() and not target.samefile(path):
                left = _("{name} is as it was.").format(name=path.name)
            said = _("{name} is open now. {left}").format(name=target.name, left=left).rstrip()
            unsound = done[0].unsound
            self._say(f"{said} {unsound}".rstrip(), stays=kept is not None or bool(unsound))
            if done[0].n_lacking and target.resolve() != path.resolve():
                self._offer_rest(path, target, done[0].n_lacking)

    def _offer_rest(self, path: Path, restored: Path, n_lacking: int) -> None:
        """Say what a restored backup lacks of a lost project, and rebuild that where it is wanted."""
        said = number_of(
            n_lacking,
            "{name} is open now. It lacks {n} change of judgments that the safety log has of {source}. "
            "A new file can have it.",
            "{name} is open now. It lacks {n} changes of judgments that the safety log has of {source}. "
            "A new file can have them.",
            name=restored.name,
            source=path.name,
        )
        choices = (Choice("recover", _("Recover as…")),)
        if self._window.prompter.ask(said, choices, put_off=N_("Not now")) is not None:
            self.recover_file(path)

    def _is_open(self, target: Path) -> bool:
        session = self._window.session
        return session is not None and is_same_project(session, target)

    def _reopen(self, target: Path, *, was_open: bool) -> None:
        """Show again what made way for a file that then could not be written."""
        if was_open:
            self._window.try_open(target)

    def _place(self, title: str, path: Path, named: str) -> Path | None:
        name = f"{named.format(name=path.stem)}{PROJECT_SUFFIX}"
        return self._window.prompter.choose_place(title, path.with_name(name), kinds=(PROJECTS,))

    def recover(self) -> None:
        """Write a project anew from what is left of it, its backup and the safety log."""
        self._do_to_file(self.recover_file, _("Recover which project?"))

    def recover_file(self, path: Path) -> None:
        """Write a project anew under a name that is asked for, and open that."""
        target = self._place(_("Recover as"), path, _("{name} recovered"))
        if target is not None:
            self._recover_to(path, target)

    def _recover_to(self, path: Path, target: Path) -> None:
        from judgetool.session.safety import (  # noqa: PLC0415 - not needed to start
            describe_recovered,
            recover_project,
        )

        was_open = self._is_open(target)
        if was_open and not self._window.leave_project():
            return

        def fail(problem: Exception) -> None:
            self._on_failed(problem)
            self._reopen(target, was_open=was_open)

        def work(_handle: JobHandle) -> "tuple[Recovery, str]":
            done = recover_project(str(path), target)
            return done, " ".join(describe_recovered(done, target, path))

        self._say(_("Writing the recovered project…"), stays=True)
        self._window.jobs.submit(work, partial(self._on_recovered, target), fail)

    def _on_recovered(self, target: Path, done: "tuple[Recovery, str]") -> None:
        from judgetool.session.safety import kept_sentence  # noqa: PLC0415 - likewise

        self._window.status.clear_message()
        recovery, held = done
        said = recovered_sentence(recovery, held)
        if recovery.kept is not None:
            said = f"{said} {kept_sentence(target, recovery.kept)}"
        if self._window.try_open(target):
            self._say(said, stays=recovery.kept is not None)
        if recovery.lost:
            self._window.prompter.tell(
                _("{name} has all that could be read. Not all could.").format(name=target.name),
                detail="\n".join(recovery.lost),
            )

    def _on_failed(self, problem: Exception) -> None:
        self._window.status.clear_message()
        if not isinstance(problem, JudgetoolError):
            raise problem
        self._window.prompter.tell(str(problem))


def _may_have_backup(path: Path) -> bool:
    """Whether there is a backup to restore, or which of several is meant is still to be asked."""
    from judgetool.session.safety import list_project_backups  # noqa: PLC0415 - not needed to start

    try:
        return bool(list_project_backups(str(path)))
    except ProjectError:
        return False
    except JudgetoolError:
        return True


def recovered_sentence(recovery: "Recovery", held: str) -> str:
    """Return what is in a recovered file (``held`` says it), and what is still to be done."""
    from judgetool.session.safety import gap_sentence  # noqa: PLC0415 - not needed to start

    said = [_("{held} It is open now.").format(held=held)]
    if recovery.has_gap:
        said.append(gap_sentence())
    if recovery.rebuilt.imports:
        imports = map(title_in_words, recovery.rebuilt.imports)
        said.append(_("Import again: {imports}.").format(imports=", ".join(imports)))
    if recovery.rebuilt.n_lost:
        said.append(
            number_of(
                recovery.rebuilt.n_lost,
                "{n} change could not be done again.",
                "{n} changes could not be done again.",
            )
        )
    return " ".join(said)


def torn_sentence(n_torn: int) -> str:
    """Return what damaged lines of a safety log mean, ``""`` for none."""
    if not n_torn:
        return ""
    return " " + number_of(
        n_torn,
        "Its safety log, which is kept outside its folder, has {n} line that cannot be read: a power "
        "cut tore the last one, or the disk has damaged it. Recover would leave them out; the "
        "project itself does not need them.",
        "Its safety log, which is kept outside its folder, has {n} lines that cannot be read: a power "
        "cut tore the last one, or the disk has damaged it. Recover would leave them out; the "
        "project itself does not need them.",
    )


LOOK_MS = 5_000
"""So often it is looked whether the file is still there, and who else writes to it."""
_CALL_MS = 3_000
_PAUSE_MS = 20


class FileWatch(QObject):
    """Looks after the file of the open project, and answers whoever starts it again.

    Args:
        window: the main window.
        judge: says what is not saved.
        project: opens the project anew.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler, project: ProjectHandler) -> None:
        super().__init__(window.widget)
        self._window = window
        self._judge = judge
        self._project = project
        self._call: Path | None = None
        self._has_news = False
        self._folders = QFileSystemWatcher(self)
        self._folders.directoryChanged.connect(self._raise_if_called)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.look)

    def connect_project(self, view: ProjectView) -> None:
        """Watch the file of a project that has just been opened."""
        session = view.session
        self.stop()
        if session.read_only_reason:
            self._judge.show_read_only(session.read_only_reason)
        else:
            self._answer(session.path)
            self._judge.ask_who()
        session.catch_up()
        self._timer.start()

    def look(self) -> None:
        """See what has become of the file."""
        session = self._window.session
        self._raise_if_called()
        if session is None:
            return
        # Also while a dialog is open: whoever is killed then comes back to the same place.
        self._window.remember_place()
        if QApplication.activeModalWidget() is not None:
            return
        if not self._window.jobs.is_idle:
            return
        if session.is_free_again:
            self._project.reopen(session.path, session.assessor)
            self._window.status.show_message(
                _("The other window has closed: you can judge here now.")
            )
            return
        try:
            trouble = session.find_trouble()
            self._judge.show_trouble(trouble)
            if not trouble:
                # What is written into another file is no news of this one.
                self._take_in_others(session)
        except ProjectError as problem:
            self._judge.show_trouble(str(problem))

    def _take_in_others(self, session: Session) -> None:
        """Show what others have done, and say that they have: after an Undo that is offered."""
        status = self._window.status
        self._has_news |= session.catch_up()
        # The same name may judge elsewhere: what is offered would then be another step.
        is_waiting = status.is_undo_offered and session.is_own_step_next
        if self._has_news and not is_waiting:
            self._has_news = False
            status.show_message(_("Somebody else has changed this project."))

    def stop(self) -> None:
        """Look and answer no more: the project is being closed."""
        self._timer.stop()
        self._call = None
        self._has_news = False

    # A second start

    def _answer(self, path: Path) -> None:
        self._call = meeting_place(path)
        folder = self._call.parent
        if folder.is_dir() and str(folder) not in self._folders.directories():
            self._folders.addPath(str(folder))

    def _raise_if_called(self) -> None:
        if self._call is None or not self._call.exists():
            return
        with contextlib.suppress(OSError):
            # That it is gone is the answer.
            self._call.unlink()
        window = self._window.widget
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()


def raise_other_window(path: Path) -> bool:
    """Have the window that has a project open come to the front; return whether one did.

    It is called by a file beside its lock, which it takes away. A socket would do, too,
    but Qt's need libraries of the system that nothing else here does.
    """
    if not path.is_file() or not is_open_elsewhere(path):
        return False
    call = meeting_place(path)
    try:
        make_private_file(call)
        for __ in range(_CALL_MS // _PAUSE_MS):
            if not call.exists():
                return True
            QThread.msleep(_PAUSE_MS)
        call.unlink()
    except OSError:
        return False
    return False


class SafetyWatch(Handler):
    """Tells what could not be kept, proposes to recover what the file lacks, and warns of where it lies.

    Args:
        window: the main window.
        judge: asks in the banner's place, and answers it.
        repair: does what the banner proposes.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler, repair: RepairHandler) -> None:
        super().__init__(window)
        self._judge = judge
        self._repair = repair
        self._missing: Missing | None = None
        self._waiting: list[Callable[[], None]] = []
        judge.answers |= {
            "recover": self._recover,
            "leave_out": self._leave_out,
            "check": repair.check,
        }
        QTimer.singleShot(0, window.widget, lambda: self._say(policy().notice))

    def connect_project(self, view: ProjectView) -> None:
        """Watch a project that has just been opened."""
        self._waiting = []
        self._take(None)
        view.noticed.connect(self._say)
        view.reloaded.connect(self.tell)
        self.tell()
        # What is on the disk beside the project is not read before the project is seen.
        self._window.schedule.after_frame(lambda: self._look(view))

    def _look(self, view: ProjectView) -> None:
        session = view.session
        self._window.jobs.submit(
            lambda _handle: _count_missing(session),
            partial(self._on_counted, view),
            lambda _problem: self._on_counted(view, None),
            owner=view,
        )

    def _take(self, missing: "Missing | None") -> None:
        """Know what the file lacks, which a copy would lack, too; ``None``: nothing is known."""
        self._missing, self._judge.n_missing = missing, missing.n if missing else 0

    def tell(self) -> None:
        """Say, once each, what could not be kept outside the project's folder."""
        self._say(" ".join(take_notices()))

    # What the file lacks

    def _on_counted(self, view: ProjectView, missing: "Missing | None") -> None:
        """Ask what there is to ask; ``None`` where the log cannot be read, and nothing is known."""
        session = view.session
        self._take(missing)
        # A loss comes first: a copy elsewhere would be without it, too.
        self._waiting = [self._ask_missing, partial(self._judge.show_place, session.place_warning)]
        self._propose()
        on_checked = partial(self._on_checked, session)
        if session.was_checked:
            on_checked([])
        elif session.ended_uncleanly:
            self._window.jobs.submit(
                lambda _handle: _find_problems(session),
                on_checked,
                # Where it cannot be looked at, one judges on.
                lambda _problem: None,
                owner=view,
            )

    def _on_checked(self, session: Session, problems: list[str]) -> None:
        if not problems:
            said = []
            # What lacks judgments, which is asked about, is not called sound.
            if not (self._missing and self._missing.n):
                said.append(
                    _(
                        "judgetool did not end in order the last time; the file was checked and is "
                        "sound."
                    )
                )
            if session.has_unfinished:
                said.append(
                    _(
                        "An import or merge was not finished: nothing of it counts, and what it left "
                        "was taken out. Do it again."
                    )
                )
            self._say(" ".join(said), stays=session.has_unfinished)
            return
        self._ask_below(
            "warn",
            _(
                "judgetool did not end in order the last time, and the file is damaged: {problem}"
            ).format(problem=problems[0]),
            ("check", _("Check & repair…")),
            ("dismiss", _("Not now")),
        )

    def ask_later(self, _answer: str) -> None:
        """Ask once another question is answered, such as whether to judge in this folder."""
        self._window.schedule.after_frame(self._propose)

    def _propose(self) -> None:
        is_free = self._window.workspace.grade_bar.banner.isHidden()
        while self._waiting and is_free:
            self._waiting.pop(0)()
            is_free = self._window.workspace.grade_bar.banner.isHidden()

    def _ask_missing(self) -> None:
        missing = self._missing
        if missing is None or not missing.n:
            return
        why = _("perhaps an older copy was put in its place")
        if missing.moved_from:
            why = _("it was judged in {name}, where nothing stands any more").format(
                name=Path(missing.moved_from).name
            )
        self._ask_below(
            "warn",
            number_of(
                missing.n,
                "The safety log has {n} change of judgments that this file lacks: {why}. Nothing is "
                "lost; a new file can have it.",
                "The safety log has {n} changes of judgments that this file lacks: {why}. Nothing is "
                "lost; a new file can have them all.",
                why=why,
            ),
            ("recover", _("Recover as…")),
            ("leave_out", _("Leave out…")),
            ("dismiss", _("Not now")),
        )

    def _recover(self) -> None:
        session = self._window.session
        if session is not None:
            self._repair.recover_file(session.path)

    def _leave_out(self) -> None:
        """Be without it for good, as after going back to an older file on purpose."""
        from judgetool.session.safety import leave_missing  # noqa: PLC0415 - not needed to start

        session = self._window.session
        if session is None:
            return
        question = _(
            "Leave the changes of judgments out that {name} lacks, for good? They are not named "
            "again, and no Undo brings them back; the safety log keeps them."
        ).format(name=session.path.name)
        if self._window.prompter.ask(question, (Choice("leave_out", _("Leave out")),)) is None:
            self._waiting.insert(0, self._ask_missing)
        elif self.attempt(lambda: leave_missing(session)):
            self._take(None)
            self._say(_("What this file lacks is not named again. The safety log keeps it."))


def _describe_backup(backup: "Backup") -> "Iterator[str]":
    if backup.judgments is not None:
        yield number_of(backup.judgments, "{n} judgment", "{n} judgments")
    if backup.is_sound is False:
        yield _("not sound: the project was damaged already")


def _find_problems(session: Session) -> list[str]:
    from judgetool.session.safety import check_project  # noqa: PLC0415 - not needed to start

    return check_project(session.path).problems


def _count_missing(session: Session) -> "Missing":
    from judgetool.session.safety import count_missing  # noqa: PLC0415 - not needed to start

    return count_missing(session)
