"""Making, opening, importing, exporting, and the project's own values."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from judgetool.core.number_text import number_of
from judgetool.core.system import start_another
from judgetool.errors import InputError, ProjectError
from judgetool.gui.dialogs import PROJECTS, Choice
from judgetool.gui.dialogs.choose import TextDialog
from judgetool.gui.jobs import JobHandle
from judgetool.gui.widgets.painted import announce
from judgetool.gui.window import Handler
from judgetool.session.commands import (
    WorkCancelledError,
    set_conventions,
    set_measures,
    set_title,
)
from judgetool.session.history import title_in_words
from judgetool.session.loading import Meanwhile, WrittenStep
from judgetool.session.opening import PROJECT_SUFFIX, create_project, is_same_project
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.session.team.merging import AlikeName, MergeReport

T = TypeVar("T")


class ProjectHandler(Handler):
    """Does the actions of the Project menu."""

    _merging: JobHandle | None = None
    _copy: Path | None = None

    def new(self, files: Sequence[Path] = ()) -> None:
        """Make a project, open it, and import files into it."""
        from judgetool.gui.dialogs.new_project import NewProjectDialog  # noqa: PLC0415 - when first asked for

        window = self._window
        wanted = self._ask(NewProjectDialog(window.prompter))
        if wanted is None:
            return

        def make() -> None:
            create_project(wanted.path, scale=wanted.scale, title=wanted.title)

        if self.attempt(make) and window.try_open(wanted.path):
            self.import_files(files)

    def open(self) -> None:
        """Open a project file."""
        path = self._window.prompter.choose_file(_("Open a project"), (PROJECTS,))
        if path is not None:
            self._window.try_open(path)

    def sample(self) -> None:
        """Open the bundled sample as it was left; the first time, a fresh copy."""
        from judgetool.session.imports.importing import sample_path  # noqa: PLC0415 - loads all formats

        path = sample_path()
        if not path.exists():
            self._make_sample(path)
        elif self._window.try_open(path):
            self._say(
                _("The sample, as you left it. Project ▸ Start the sample afresh… begins anew.")
            )
            self.offer_tour()

    def sample_afresh(self) -> None:
        """Begin the sample anew; what was done in it is kept under another name."""
        from judgetool.session.imports.importing import sample_path, set_sample_aside  # noqa: PLC0415 - likewise

        window, path = self._window, sample_path()
        if not path.exists():
            self._make_sample(path)
            return
        start = Choice("start", _("Start afresh"))
        question = _("Start the sample afresh? The copy you worked in is kept beside it.")
        if window.prompter.ask(question, (start,), detail=str(path)) != "start":
            return
        session = window.session
        if session is not None and is_same_project(session, path) and not window.leave_project():
            return
        kept: list[Path] = []
        if self.attempt(lambda: kept.append(set_sample_aside(path))) and self._make_sample(path):
            self._say(_("The sample as you left it is {name}.").format(name=kept[0].name))

    def offer_tour(self) -> None:
        """Begin the tour on the sample, which is open, unless it has begun before."""
        if not self._window.settings.has_toured:
            self._trigger("help.tour")

    def _make_sample(self, path: Path) -> bool:
        from judgetool.session.imports.importing import make_sample  # noqa: PLC0415 - loads all formats

        is_open = self.attempt(lambda: make_sample(path)) and self._window.try_open(path)
        if is_open:
            self.offer_tour()
        return is_open

    def reopen(self, path: Path, assessor: str) -> None:
        """Open a project again, for who is to judge in it."""
        window = self._window
        window.remember_place(assessor=assessor)
        if window.leave_project(is_for_other=True) and not window.try_open(path, assessor=assessor):
            window.show_welcome()

    def locate(self, path: str) -> None:
        """Ask where a recent project has gone."""
        found = self._window.prompter.choose_file(
            _("Where is {name}?").format(name=Path(path).name), (PROJECTS,)
        )
        if found is not None and self._window.try_open(found):
            self.forget(path)

    def forget(self, path: str) -> None:
        """Take a project off the list of recent ones; the file stays."""
        self._window.change_settings(recent=self._window.settings.without_recent(path).recent)

    def take_files(self, paths: Sequence[str]) -> None:
        """Open a dropped project, each further one in its own window, or import dropped files."""
        files = [Path(path) for path in paths]
        projects = [path for path in files if path.suffix == PROJECT_SUFFIX]
        others = [path for path in files if path.suffix != PROJECT_SUFFIX]
        if projects:
            self._window.try_open(projects[0])
        for other in projects[1:]:
            start_another(["open", "--", str(other)])
        if others and self._window.session is None:
            self.new(others)
        elif others:
            self.import_files(others)

    def take_asked(self, path: str) -> None:
        """Open what is asked for from outside: here, or in its own window where one is open."""
        if self._window.session is None:
            self._window.try_open(Path(path))
        else:
            start_another(["open", "--", path])

    def import_files(self, paths: Sequence[Path] = ()) -> None:
        """Bring files into the project."""
        from judgetool.gui.dialogs.import_dialog import ImportDialog  # noqa: PLC0415 - when first asked for

        window = self._window
        if window.session is None:
            key = window.actions_by_name.shown_key
            lack = _("No project is open to import into. {new} makes one, {open} opens one.")
            lack = lack.format(new=key("project.new"), open=key("project.open"))
            self._say(lack)
            announce(self._widget, lack)
            return
        session = self._session
        if not self._can_write():
            return
        said = ImportDialog.ask(self._widget, session, window.jobs, window.prompter, paths)
        self._say(said or "", offers_undo=True)

    def merge(self) -> None:
        """Bring other copies of the project into it, once what they bring has been read.

        While that is under way, stop it.
        """
        window, session = self._window, self._session
        if self._merging is not None and not self._merging.is_dropped:
            self._stop_merge(self._merging)
            return
        if not self._can_write():
            return
        others = window.prompter.choose_files(_("Merge copies of this project"), (PROJECTS,))
        if not others:
            return
        from judgetool.session.team.merging import find_alike  # noqa: PLC0415 - when first asked for

        self._work_on_merge(
            _("Looking at what the copies bring…"),
            lambda _handle: find_alike(session, others),
            lambda alike: self._ask_who(others, alike),
        )

    def _stop_merge(self, merging: JobHandle) -> None:
        choice = Choice("stop", _("Stop merging"))
        question = _("Stop the merge? Nothing of it will count.")
        if self._window.prompter.ask(question, (choice,)) == "stop":
            merging.cancel()

    def _ask_who(self, others: list[Path], alike: "Sequence[AlikeName]") -> None:
        """Ask of people whose names are nearly the same whether they are, then what comes."""
        from judgetool.session.team.merging import preview_merge  # noqa: PLC0415 - likewise

        window, session = self._window, self._session
        renames: dict[str, str] = {}
        # Names that differ by case or blanks alone are mostly of one person.
        choices = (Choice("other", _("Two people")), Choice("same", _("One person")))
        for each in alike:
            answer = window.prompter.ask(each.question, choices)
            if answer is None:
                window.status.clear_message()
                return
            if answer == "same":
                renames[each.name] = each.known
        self._work_on_merge(
            _("Looking at what the copies bring…"),
            lambda handle: preview_merge(
                session,
                others,
                renames=renames,
                progress=handle.report,
                is_cancelled=handle.is_cancelled,
            ),
            lambda report: self._ask_merge(others, renames, report),
        )

    def _ask_merge(
        self, others: list[Path], renames: dict[str, str], report: "MergeReport"
    ) -> None:
        from judgetool.session.team.merging import describe_merge  # noqa: PLC0415 - likewise

        window = self._window
        window.status.clear_message()
        said = "\n".join(describe_merge(report))
        if report.is_nothing:
            told = _("All of it is here already.")
            window.prompter.tell(told, detail=said, title=_("Merge copies"))
            return
        detail = f"{said}\n{_('A backup is made first; one Undo takes it back.')}"
        question = number_of(
            len(others),
            "Merge {n} copy into {name}?",
            "Merge {n} copies into {name}?",
            name=self._session.path.name,
        )
        answer = window.prompter.ask(
            question, (Choice("merge", _("Merge")),), detail=detail, title=_("Merge copies")
        )
        if answer == "merge":
            self._write_merge(others, renames)

    def _write_merge(self, others: list[Path], renames: dict[str, str]) -> None:
        from judgetool.session.team.merging import write_merge  # noqa: PLC0415 - when first asked for

        session = self._session
        meanwhile = Meanwhile(session.changed)

        def work(handle: JobHandle) -> WrittenStep:
            written = write_merge(
                session,
                others,
                renames=renames,
                progress=handle.report,
                is_cancelled=handle.is_cancelled,
            )
            return session.read_after(written.outcome)

        def take(done: WrittenStep) -> None:
            self._window.status.clear_message()
            session.take_written(done, judged=meanwhile.end())
            step = done.outcome.step
            self._say(
                f"{title_in_words(step.title)}." if step is not None else "", offers_undo=True
            )

        self._work_on_merge(_("Merging… You can go on judging."), work, take, failed=meanwhile.end)

    def _work_on_merge(
        self,
        sentence: str,
        work: Callable[[JobHandle], T],
        done: Callable[[T], None],
        *,
        failed: Callable[[], object] = lambda: None,
    ) -> None:
        """Work beside the window, and say how far it is where nothing else is said."""
        status, said = self._window.status, sentence

        def say(text: str) -> None:
            nonlocal said
            if status.message.text in ("", said):
                said = text
                status.show_message(text, action="merge", action_text=_("Stop…"), stays=True)

        def take(answer: T) -> None:
            self._merging = None
            done(answer)

        def fail(problem: Exception) -> None:
            self._merging = None
            failed()
            status.clear_message()
            if isinstance(problem, WorkCancelledError):
                self._say(str(problem))
            elif isinstance(problem, (InputError, ProjectError)):
                self._window.prompter.tell(str(problem))
            else:
                raise problem

        status.clear_message()
        say(sentence)
        self._merging = self._window.jobs.submit(
            work,
            take,
            fail,
            lambda n, total: say(f"{sentence} {100 * n // max(1, total)} %"),
            owner=self._window.view,
        )

    def export_files(self) -> None:
        """Write judgments or rankings to files."""
        from judgetool.gui.dialogs.export_dialog import ExportDialog  # noqa: PLC0415 - when first asked for

        window = self._window
        said = ExportDialog.ask(self._widget, self._session, window.prompter, window.jobs)
        self._say(said or "")

    def save_copy(self) -> None:
        """Save the project under another name, too, and go on in the one that is open."""
        self._copy = self._write_copy(_("Save a copy"), self._session.path.parent)
        if self._copy is not None:
            said = _("Saved as {copy}. You go on in {project}.")
            self._window.status.show_message(
                said.format(copy=self._copy.name, project=self._session.path.name),
                action="open_copy",
                action_text=_("Open the copy"),
            )

    def open_copy(self) -> None:
        """Go on in the copy that was saved last."""
        if self._copy is not None:
            self._go_on_in(self._copy)

    def save_elsewhere(self) -> bool:
        """Save the project under another name and go on there; return whether it was done."""
        # In the folder that a cloud keeps in step a copy would be no better off.
        folder = Path.home() if self._session.place_warning else self._session.path.parent
        path = self._write_copy(_("Save elsewhere"), folder)
        # Nothing is asked of what could not be saved here: it is taken along.
        return path is not None and self._go_on_in(path, asks=False)

    def _write_copy(self, title: str, folder: Path) -> Path | None:
        """Write a copy where one chooses, at first in a folder; ``None`` where there is none."""
        session = self._session
        name = _("{name} copy").format(name=session.path.stem)
        suggested = folder / f"{name}{PROJECT_SUFFIX}"
        path = self._window.prompter.choose_place(title, suggested, kinds=(PROJECTS,))
        if path is None or not self.attempt(lambda: session.save_copy(path)):
            return None
        return path

    def _go_on_in(self, copy: Path, *, asks: bool = True) -> bool:
        left, assessor = self._session.path, self._session.assessor
        is_again = is_same_project(self._session, copy)
        if is_again:
            # The file that is open is gone, but what was kept for it under this name is still held.
            self._window.close_project()
        # Else what is open goes only when the copy is there: it may lie where none can be opened.
        if not self._window.try_open(copy, asks=asks, assessor=assessor):
            return False
        if is_again:
            self._say(_("Saved again as {copy}.").format(copy=copy.name))
            return True
        # Where only their folders tell them apart, these are said.
        names = (copy.name, left.name) if copy.name != left.name else (copy, left)
        said = _("Saved as {copy}. You go on in this copy, not in {project}.")
        self._say(said.format(copy=names[0], project=names[1]))
        return True

    def scale(self) -> None:
        """Change the scale."""
        from judgetool.gui.dialogs.scale_editor import ScaleEditor  # noqa: PLC0415 - when first asked for

        keymap = self._window.actions_by_name.keymap
        self.execute(ScaleEditor.ask_change(self._widget, self._session, keymap))

    def measures(self) -> None:
        """Choose the measures that are shown."""
        from judgetool.gui.dialogs.project_values import MeasuresDialog  # noqa: PLC0415 - when first asked for

        chosen = self._ask(MeasuresDialog(self._session.measures))
        if chosen is not None:
            self.execute(set_measures(tuple(map(str, chosen))))

    def conventions(self) -> None:
        """Choose how unjudged documents, undefined values and missing queries count."""
        from judgetool.gui.dialogs.project_values import ConventionsDialog  # noqa: PLC0415 - when first asked for

        chosen = self._ask(ConventionsDialog(self._session.conventions))
        if chosen is not None:
            self.execute(set_conventions(chosen))

    def blind(self) -> None:
        """Say who must judge blind."""
        from judgetool.gui.dialogs.project_values import BlindDialog  # noqa: PLC0415 - not needed to start

        self.change(BlindDialog(self._session))

    def safety(self) -> None:
        """Show where backups and safety log are, and whether the log is kept."""
        from judgetool.gui.dialogs.project_values import SafetyDialog  # noqa: PLC0415 - not needed to start

        keeps_log = self._window.settings.keeps_safety_log
        keeps = self._ask(SafetyDialog(self._session, keeps_log=keeps_log))
        if keeps is not None:
            self._window.change_settings(keeps_safety_log=keeps)

    def pictures(self) -> None:
        """Ask from which folders outside the project's own pictures may be shown."""
        from judgetool.session.reading_aids import (  # noqa: PLC0415 - loads all formats
            allow_folder,
            folders_elsewhere,
        )

        window, session = self._window, self._session
        folders = folders_elsewhere(session)
        if not folders:
            window.prompter.tell(
                _("The project names no folder elsewhere that is not shown already.")
            )
        for folder in folders:
            question = _("Show the pictures of this folder, which is outside the project’s own?")
            detail = f"{folder}\n{_('The project names it; whoever made the project chose it.')}"
            if window.prompter.ask(question, (Choice("show", _("Show")),), detail=detail) == "show":
                allow_folder(session.uuid, folder)
                window.workspace.results.thumbs.forget()
                window.refresh_project()

    def runs(self) -> None:
        """Show the runs, which can be renamed and taken out."""
        from judgetool.gui.dialogs.project_values import RunsDialog  # noqa: PLC0415 - rarely needed

        self._ask(RunsDialog(self._session))

    def rename(self) -> None:
        """Give the project another title."""
        title = self._ask(TextDialog(_("Title"), self._session.title, verb=_("Rename")))
        if title and title.strip():
            self.execute(set_title(" ".join(title.split())))
