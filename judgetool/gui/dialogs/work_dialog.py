"""A dialog whose act takes its time: it goes on while the main window is used."""

from typing import TypeVar

from PySide6.QtCore import QEventLoop, Qt, Signal
from PySide6.QtWidgets import QApplication, QProgressBar, QWidget

from judgetool.core import override
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_count
from judgetool.gui.theme import scaled
from judgetool.session.session import Session
from judgetool.wording import _

D = TypeVar("D", bound="WorkDialog")


class WorkDialog(ActDialog):
    """Works in the background once its verb is chosen; Cancel then stops the work.

    Args:
        title: the act.
        session: the project that it is about.
        jobs: does the work.
        width: px at a 13 px font.

    Signals:
        ended: it was left, or what it did is done.

    Attributes:
        session: the project.
        jobs: does the work.
        working: the job that does the act, while it does.
        answer: the sentence for the status line; ``None`` while nothing was done.
        bar: how far the work is.
    """

    ended = Signal()

    def __init__(self, title: str, session: Session, jobs: Jobs, *, width: int) -> None:
        super().__init__(title, verb=title, width=width)
        self.session = session
        self.working: JobHandle | None = None
        self.jobs = jobs
        jobs.changed.connect(self._look_for_drops)
        self.answer: str | None = None
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(scaled(220))
        self.bar.hide()
        self.foot.row.insertWidget(0, self.bar)

    def _look_for_drops(self) -> None:
        # Somebody else stopped all work, as when the project is closed.
        if self.working is not None and self.working.is_dropped:
            self.working = None
            self.leave()

    def drop_work(self) -> None:
        """Let go of what was prepared: nothing will be done."""
        raise NotImplementedError

    def set_title(self, title: str) -> None:
        """Say the act with what it is about."""
        self.heading.set_text(title)
        self.setWindowTitle(title)

    def set_busy(self, *parts: QWidget, is_busy: bool) -> None:
        """Show that it works and parts cannot be used, or that it waits for an answer again."""
        self.bar.setVisible(is_busy)
        for part in (*parts, self.verb):
            part.setEnabled(not is_busy)
        self.cancel.setEnabled(True)
        if not is_busy:
            self.hold_main_window(is_held=True)

    def show_progress(self, done: int, total: int) -> None:
        """Say how far the work is."""
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)
        if self.cancel.isEnabled():
            self.show_remark(
                _("{done} of {total}").format(done=format_count(done), total=format_count(total))
            )

    def finish(self, sentence: str) -> None:
        """End with the sentence that the status line says."""
        self.working = None
        self.answer = sentence
        self.accept()

    def fit_screen(self) -> None:
        """Be as large as all that stands in it; Qt's own size is two thirds of the screen at most."""
        if not self.testAttribute(Qt.WidgetAttribute.WA_Resized):
            wished = self.sizeHint()
            self.resize_within_screen(wished.width(), wished.height())

    def hold_main_window(self, *, is_held: bool) -> None:
        """Keep the main window, or let it be used; windows take another modality only while hidden."""
        if self.isVisible() and self.isModal() is not is_held:
            self.hide()
            modality = Qt.WindowModality.WindowModal if is_held else Qt.WindowModality.NonModal
            self.setWindowModality(modality)
            # What holds the main window must be seen, also where it was put away while it worked.
            self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
            self.show()

    @override
    def reject(self) -> None:
        """Stop the work, or leave."""
        if self.working is not None:
            self.show_remark(_("Stopping …"))
            self.cancel.setEnabled(False)
            self.working.cancel()
            return
        self.leave()

    def leave(self) -> None:
        """Let go of what was prepared, and close."""
        self.drop_work()
        super().reject()

    @override
    def done(self, result: int) -> None:
        """End, and tell whoever waits for an answer."""
        super().done(result)
        self.ended.emit()

    @classmethod
    def find_open(cls: type[D], session: Session) -> D | None:
        """Return the dialog of this kind that is open for a project, brought to the front."""
        for window in QApplication.topLevelWidgets():
            if isinstance(window, cls) and window.isVisible() and window.session is session:
                window.raise_()
                window.activateWindow()
                return window
        return None

    def wait_for_answer(self, window: QWidget | None) -> str | None:
        """Show the dialog above a window until it ends; return its sentence for the status line."""
        self.above(window)
        self.fit_screen()
        loop = QEventLoop()
        self.ended.connect(loop.quit)
        self.destroyed.connect(loop.quit)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.show()
        loop.exec()
        answer = self.answer
        self.deleteLater()
        return answer
