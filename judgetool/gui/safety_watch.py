"""What is kept of a project outside its folder: what goes wrong there, and what it knows more."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from judgetool.core.notices import take_notices
from judgetool.errors import JudgetoolError
from judgetool.gui.frame import Frame
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.number_text import format_count
from judgetool.gui.project_view import ProjectView
from judgetool.gui.prompter import PROJECTS
from judgetool.gui.widgets.banner import BannerText
from judgetool.session.opening import PROJECT_SUFFIX
from judgetool.session.session import Session

if TYPE_CHECKING:
    from judgetool.session.safety.recovery import Recovery


class SafetyWatch(QObject):
    """Tells what could not be kept, and proposes to recover what the file lacks.

    Args:
        window: the main window.
        judge: answers the banner.
    """

    def __init__(self, window: Frame, judge: JudgeHandler) -> None:
        super().__init__(window.widget)
        self._window = window
        judge.answers |= {"recover": self.recover}

    def connect_project(self, view: ProjectView) -> None:
        """Watch a project that has just been opened."""
        session = view.session
        view.judging.saved.connect(lambda _changed: self.tell())
        view.reloaded.connect(self.tell)
        self.tell()
        self._window.jobs.submit(
            lambda _handle: _count_missing(session), self._on_counted, self._drop, owner=view
        )

    def tell(self) -> None:
        """Say, once each, what could not be kept outside the project's folder."""
        sentences = take_notices()
        if sentences:
            self._window.status.show_message(" ".join(sentences))

    # What the file lacks

    @staticmethod
    def _drop(_problem: Exception) -> None:
        """Judge on: where the log cannot be read, there is nothing to propose."""

    def _on_counted(self, count: int) -> None:
        bar = self._window.workspace.grade_bar
        if not count or not bar.banner.isHidden():
            return
        changes = "1 judgment" if count == 1 else f"{format_count(count)} judgments"
        bar.show_banner(
            BannerText(
                "warn",
                f"The safety log has {changes} that this file lacks: perhaps an older copy was put "
                "in its place. Nothing is lost; a new file can have them all.",
                (("recover", "Recover as…"), ("dismiss", "Not now")),
            )
        )

    def recover(self) -> None:
        """Write a new file from backup and safety log, and open it."""
        window = self._window
        session = window.session
        if session is None:
            return
        name = f"{session.path.stem} recovered{PROJECT_SUFFIX}"
        target = window.prompter.choose_place(
            "Recover as", session.path.with_name(name), kinds=(PROJECTS,)
        )
        if target is None:
            return
        source = str(session.path)
        window.status.show_message("Writing the recovered project…", stays=True)
        window.jobs.submit(
            lambda _handle: _recover(source, target),
            partial(self._on_recovered, target),
            self._on_not_recovered,
            owner=window.view,
        )

    def _on_recovered(self, target: Path, recovery: "Recovery") -> None:
        self._window.status.clear_message()
        if self._window.try_open(target):
            self._window.status.show_message(recovered_sentence(target, recovery))

    def _on_not_recovered(self, problem: Exception) -> None:
        self._window.status.clear_message()
        if not isinstance(problem, JudgetoolError):
            raise problem
        self._window.prompter.tell(str(problem))


def _count_missing(session: Session) -> int:
    from judgetool.session.safety.recovery import count_missing  # noqa: PLC0415 - not needed to start

    return count_missing(session)


def _recover(source: str, target: Path) -> "Recovery":
    from judgetool.session.safety.recovery import recover_project  # noqa: PLC0415 - not needed to start

    return recover_project(source, target)


def recovered_sentence(target: Path, recovery: "Recovery") -> str:
    """Return what a recovery has brought, and what is still to be done."""
    count = recovery.rebuilt.n_judgments
    changes = "1 judgment" if count == 1 else f"{format_count(count)} judgments"
    said = [f"{target.name} is open now; {changes} came from the safety log."]
    if recovery.rebuilt.imports:
        said.append(f"Import again: {', '.join(recovery.rebuilt.imports)}.")
    if recovery.rebuilt.n_lost:
        said.append(f"{format_count(recovery.rebuilt.n_lost)} changes could not be done again.")
    return " ".join(said)
