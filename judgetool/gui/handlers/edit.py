"""Undo, redo, finding, filtering, views kept under a name; queries and documents written by hand."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Document, Query
from judgetool.errors import ProjectError
from judgetool.gui.actions import JUDGING_MODES
from judgetool.gui.dialogs import Choice
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.view import ViewHandler
from judgetool.gui.help_window import page_titles
from judgetool.gui.keymap import native
from judgetool.gui.models.query_model import QueryChoice
from judgetool.gui.panels.filter_bar import FilterBar
from judgetool.gui.project_view import ProjectView
from judgetool.gui.table_copy import Table, copy_table
from judgetool.gui.widgets.painted import EventWatch
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.commands import Changed, Origin
from judgetool.session.edits import (
    add_document,
    add_query,
    ask_oneself,
    edit_document,
    edit_query,
)
from judgetool.session.finding import Filter, save_view, saved_views
from judgetool.session.history import title_in_words
from judgetool.session.jobs import MATERIAL_KINDS
from judgetool.session.loading import Meanwhile, WrittenStep
from judgetool.session.opening import find_hub_side
from judgetool.session.queue import find_query_with
from judgetool.session.session import Session
from judgetool.wording import N_, _, mid_sentence

if TYPE_CHECKING:
    from judgetool.gui.dialogs.finding import Goal

_DOING = {
    "undo": N_("Undoing the {title}… You can go on judging."),
    "redo": N_("Doing again the {title}… You can go on judging."),
}
# What is done in a dialog, by the action that opens it.
_WITHIN = {"hub.show": N_("Sync now"), "judge.assessor": N_("Correct my name, rename")}
_VERBS = {"import": N_("Undo the import"), "merge": N_("Undo the merge")}
_GOES = N_("The next thing to undo is the {title}: all that it brought would go.")
_STAYS = N_(
    "The next thing to undo is the {title}: what it brought would go here, not from the team’s hub."
)
STILL_BUSY = N_("The last undo of an import still runs; undo and redo wait for it.")


class EditHandler(Handler):
    """Does the actions of the Edit menu."""

    def __init__(self, window: AppWindow, view: ViewHandler, judge: JudgeHandler) -> None:
        super().__init__(window)
        self._shown = view
        self._imports = UndoImport(window)
        self._asked_about: int | None = None
        judge.answers |= {"undo_import": self._undo_import}

    def _on_changed(self, _changed: Changed) -> None:
        """Ask no longer about a step once another is the next to undo."""
        step = self._session.undo_step
        is_asked = "undo_import" in self._window.workspace.grade_bar.offered
        if not is_asked or step is None or step.step_id != self._asked_about:
            self._session.changed.disconnect(self._on_changed)
            self._withdraw("undo_import")

    def _is_free(self) -> bool:
        """Whether nothing is being taken back already; says so."""
        if self._imports.is_busy:
            self._say(_(STILL_BUSY))
        return not self._imports.is_busy

    def undo(self) -> None:
        """Take back the last step; an import or a merge only after a second word."""
        if not self._is_free():
            return
        if self._session.has_written:
            # As a rule it is a judgment: the writer sees that itself, and sooner.
            self._view.judging.undo(self._take_back)
        else:
            self._undo_known()

    def _take_back(self, session: Session) -> Changed | None:
        changed = session.undo(leaves=MATERIAL_KINDS)
        if changed is None:
            self._undo_known()
        return changed

    def _undo_known(self) -> None:
        step = self._session.undo_step
        if step is None:
            self._say(_("There is nothing to undo."))
        elif step.kind in _VERBS:
            title = mid_sentence(title_in_words(step.title))
            # What the hub was sent of a merge it keeps; the undo of an import reaches it.
            stays = step.kind == "merge" and find_hub_side(self._session).url
            self._ask_about(
                step.step_id, _(_STAYS if stays else _GOES).format(title=title), step.kind
            )
        elif step.kind in MATERIAL_KINDS:
            self._imports.begin("undo")
        else:
            self._view.judging.undo()

    def _ask_about(self, step_id: int, sentence: str, kind: str) -> None:
        """Ask before an import or a merge goes: one key too many must not make the project vanish."""
        self._asked_about = step_id
        answer = ("undo_import", _(_VERBS[kind]))
        if self._window.views.mode in JUDGING_MODES:
            self._ask_below("warn", sentence, answer, ("dismiss", _("Keep it")))
            self._session.changed.disconnect(self._on_changed)
            self._session.changed.connect(self._on_changed)
        elif self._window.prompter.ask(sentence, (Choice(*answer, destroys=True),)) is not None:
            # Where nothing is judged there is no grade bar, in whose place it would be asked.
            self._undo_import()

    def _undo_import(self) -> None:
        step = self._session.undo_step
        if step is not None and step.step_id == self._asked_about:
            self._imports.begin("undo")
        else:
            self._say(_("That is not the last step any more; Undo goes one step at a time."))

    def redo(self) -> None:
        """Do again what was undone last."""
        if not self._is_free():
            return
        step = self._session.redo_step
        if step is None:
            self._say(_("There is nothing to redo."))
        elif step.kind in MATERIAL_KINDS:
            self._imports.begin("redo")
        else:
            self._view.judging.redo()

    def history(self) -> None:
        """Show what was done, and go back to a step of it."""
        from judgetool.gui.dialogs.finding import HistoryDialog  # noqa: PLC0415 - not needed to start

        view = self._view
        if self._is_free():
            step = self._ask(HistoryDialog(view.session, view.blindness))
            if step is not None:
                view.judging.undo_to(step)

    # Copying

    def copy_values(self) -> None:
        """Put the live values on the clipboard, as a table."""
        self._copy(
            self._window.live.as_table(),
            _("Copied: the values as a table, for spreadsheets and for texts."),
        )

    def copy_explanation(self) -> None:
        """Put the explanation of the chosen value on the clipboard, as a table."""
        self._copy(
            self._window.live.explain_table.as_table(),
            _("Copied: the explanation as a table, for spreadsheets and for texts."),
        )

    def _copy(self, table: Table, said: str) -> None:
        copy_table(table)
        self._say(said)

    # Going to something by its name

    def go_to(self) -> None:
        """Go to a query, or to a document that is listed or, by its id, of any query."""
        from judgetool.gui.dialogs.finding import Goal, GoToDialog  # noqa: PLC0415 - not needed to start

        view, session, judging = self._view, self._session, self._view.judging
        goals = [
            Goal(
                query.text or query.id,
                _("query {id}").format(id=query.id),
                partial(judging.show_query, number),
                query.id,
            )
            for number, query in enumerate(session.material.queries)
        ]
        if judging.query is not None:
            goals += self._documents(view, judging.query)

        def search(typed: str) -> list[Goal]:
            document = session.material.find_document(typed)
            query = None if document is None else find_query_with(session, document, judging.run_id)
            if document is None or query is None or view.blindness.has_alias_ids:
                return []
            title = session.material.document(document).title or typed
            return [
                Goal(
                    title,
                    _("document {typed}").format(typed=typed),
                    partial(judging.show_place, query, document),
                )
            ]

        hint = _("Text or id of a query, title or id of a document")
        lack = _(
            "No query is called so, and no document that is listed here. One of another query is "
            "found by its whole id."
        )
        dialog = GoToDialog(_("Go to query or document"), hint, goals, search=search, lack=lack)
        goal = self._ask(dialog)
        if goal is not None:
            goal.go()

    def _documents(self, view: ProjectView, query: int) -> "list[Goal]":
        from judgetool.gui.dialogs.finding import Goal  # noqa: PLC0415 - not needed to start

        listed = self._window.workspace.results.documents()
        goals = []
        for number, found in zip(listed, view.session.material.documents(listed), strict=True):
            document = view.mask(number, found)
            go = partial(view.judging.show_place, query, number)
            side = _("document {id}").format(id=document.id)
            goals.append(Goal(document.title or document.id, side, go, document.id))
        return goals

    def command(self) -> None:
        """Do something by its name."""
        from judgetool.gui.dialogs.finding import Goal, GoToDialog  # noqa: PLC0415 - not needed to start

        binder = self._window.actions_by_name
        goals = []
        for menu, text, action, why in binder.commands():
            key = _("not now") if why else native(action.shortcut().toString())
            side = f"{menu}  {key}".rstrip()
            go = partial(self._say, why) if why else action.trigger
            within = _WITHIN.get(action.objectName())
            within = _(within) if within else ""
            goals.append(Goal(text, side, go, f"{binder.caption(action)} {within}"))
        named = {goal.title for goal in goals}
        for page, title in page_titles().items():
            if title not in named:
                go = partial(self._window.open_help, page)
                goals.append(Goal(title, _("Help"), go))
        hint = _("What you want to do")
        goal = self._ask(GoToDialog(_("Find a command"), hint, goals, verb=_("Do it")))
        if goal is not None:
            goal.go()

    def filter(self) -> None:
        """Go to the filter of the queries, showing them if they are folded."""
        self._shown.reveal_queries()
        self._window.queries.focus_filter()


_NO_FILTER = N_("There is no filter.")
_CLEARED = N_("Filters cleared: every query and document is listed.")


class FilterHandler(Handler):
    """Does the actions of filters."""

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        self._is_for_queries = True
        for bar in (self._queries, self._documents):
            bar.save_asked.connect(lambda saved=bar: self._save(saved))
            bar.changed.connect(self._forget_none)

    def _forget_none(self) -> None:
        """Say no longer that there is no filter."""
        status = self._window.status
        if status.message.text in (_(_NO_FILTER), _(_CLEARED)):
            status.clear_message()

    @property
    def _queries(self) -> FilterBar:
        return self._window.queries.bar

    @property
    def _documents(self) -> FilterBar:
        return self._window.workspace.results.bar

    def clear(self) -> None:
        """Take all filters away, of queries and of documents."""
        is_active = self._queries.is_active or self._documents.is_active
        results = self._window.workspace.results
        is_active |= self._window.queries.model.choice is not QueryChoice.ALL
        if not is_active and not results.model.only_open:
            self._say(_(_NO_FILTER))
            return
        held = QApplication.focusWidget()
        self._window.queries.show_all()
        results.show_all()
        if held is self._queries.field:
            self._window.queries.table.setFocus()
        elif held is self._documents.field:
            results.table.setFocus()
        self._say(_(_CLEARED))

    def save(self, which: str) -> None:
        """Keep the filters of the queries or of the documents under a name."""
        self._save(self._queries if which == "queries" else self._documents)

    def _save(self, bar: FilterBar) -> None:
        from judgetool.gui.dialogs.finding import ViewNameDialog  # noqa: PLC0415 - rarely needed

        words = [Filter("text", bar.words)] if bar.words else []
        chips = (*bar.chips, *words)
        if not chips:
            self._say(_("There is no filter to keep. Choose one by ‘+’ first."))
            return
        name = self._ask(ViewNameDialog(chips, self._session))
        if name is None:
            return
        said = _("View ‘{name}’ is kept in the project; ‘+’ beside either list offers it.")
        if self._carry_out(
            lambda: self._session.execute(save_view(name, chips)), said.format(name=name)
        ):
            self._is_for_queries = bar is self._queries

    def views(self) -> None:
        """Choose a saved view for queries or documents, or delete some."""
        from judgetool.gui.dialogs.finding import SavedViewsDialog  # noqa: PLC0415 - rarely needed

        if not saved_views(self._session):
            self._say(
                _(
                    "No view is saved yet. Choose two filters; ‘Save as view’ then stands beside them."
                )
            )
            return
        dialog = SavedViewsDialog(
            self._session,
            self.execute,
            is_for_queries=self._is_for_queries,
        )
        chosen = self._ask(dialog)
        if chosen is not None:
            self._is_for_queries = chosen.is_for_queries
            (self._queries if chosen.is_for_queries else self._documents).set_chips(chosen.chips)


class UndoImport(Handler):
    """Takes back, or does again, an import or other material on the worker: all is read anew after it.

    What is judged while the project is read anew is taken in afterwards.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        self._busy_with: ProjectView | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a step of the open project is being taken back or done again."""
        return self._busy_with is not None and self._busy_with is self._window.view

    def begin(self, origin: Origin) -> None:
        """Take back, or do again, the step that is next; nobody waits."""
        view, session = self._view, self._session
        if self.is_busy:
            return
        self._busy_with = view
        meanwhile = Meanwhile(session.changed)
        step = session.undo_step if origin == "undo" else session.redo_step
        title = mid_sentence(title_in_words(step.title)) if step is not None else _("import")
        self._say(_(_DOING[origin]).format(title=title), stays=True)

        def take(done: WrittenStep) -> None:
            self._busy_with = None
            judged = meanwhile.end()
            self._window.status.clear_message()
            session.take_written(done, origin, judged=judged)

        def fail(problem: Exception) -> None:
            self._busy_with = None
            meanwhile.end()
            self._window.status.clear_message()
            if not isinstance(problem, ProjectError):
                raise problem
            view.judging.not_saved.emit(str(problem), lambda _judging: self.begin(origin))

        turned = session.undo_beside(origin)
        self._window.jobs.submit(lambda _handle: turned(), take, fail, owner=view)


class MaterialHandler(Handler):
    """Does the actions that write queries and documents."""

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        EventWatch(window.workspace.header, self._edit_by_click, QEvent.Type.MouseButtonDblClick)

    @property
    def _query(self) -> int | None:
        return self._view.judging.query

    def add_query(self) -> None:
        """Write a query, and go to it."""
        from judgetool.gui.dialogs.by_hand import QueryForm  # noqa: PLC0415 - rarely needed

        query = self._ask(QueryForm(self._session, None))
        if query is not None:
            self.take_query(query)

    def take_query(self, query: Query) -> None:
        """Add a query that was written, and go to it."""
        session = self._session
        said = _("Query ‘{text}’ was added. Ctrl+Shift+D adds documents to judge.").format(
            text=query.text or query.id
        )
        if self._carry_out(lambda: add_query(session, query), said):
            number = session.material.find_query(query.id)
            assert number is not None
            self._view.judging.show_query(number)

    def edit_query(self) -> None:
        """Change the texts of the query that is shown."""
        from judgetool.gui.dialogs.by_hand import QueryForm  # noqa: PLC0415 - rarely needed

        if self._query is not None:
            query = self._ask(QueryForm(self._session, self._query))
            if query is not None:
                self.take_edited_query(query)

    def _edit_by_click(self, _event: QEvent) -> bool:
        """Let two clicks on the query or its need edit it."""
        if self._window.actions_by_name.action("material.edit_query").isEnabled():
            self.edit_query()
        return True

    def take_edited_query(self, query: Query) -> None:
        """Give the query that is shown the texts that were written."""
        session, number = self._session, self._query
        assert number is not None
        said = _("Query {id} was changed; its judgments stay.").format(id=query.id)
        self._carry_out(lambda: edit_query(session, number, query), said)

    def add_document(self) -> None:
        """Find or write a document that the query's runs lack, and go to it."""
        from judgetool.gui.dialogs.by_hand import AddDocumentDialog  # noqa: PLC0415 - rarely needed

        if self._query is not None:
            dialog = AddDocumentDialog(self._session, self._query)
            document = self._ask(dialog)
            dialog.stop()
            if document is not None:
                self.take_document(document)

    def take_document(self, document: Document) -> None:
        """Put a document into the pool of the query that is shown, and go to it.

        Args:
            document: with its id alone where the project knows it.
        """
        session, query = self._session, self._query
        assert query is not None
        query_id = session.material.queries[query].id
        known = session.material.find_document(document.id)
        title = document.title or (session.material.document(known).title if known else "")
        said = _("‘{title}’ is to be judged for this query, too.")
        if session.is_asked:
            said = _("‘{title}’ is to be judged for this query, too, and is asked of you.")
        said = said.format(title=title or document.id)
        add = ask_oneself if session.is_asked else add_document
        if self._carry_out(lambda: add(session, query, document), said):
            place = session.material.find_query(query_id)
            number = session.material.find_document(document.id)
            assert place is not None
            assert number is not None
            self._view.judging.show_place(place, number)

    def edit_document(self) -> None:
        """Change the texts of the document that is shown."""
        from judgetool.gui.dialogs.by_hand import DocumentForm  # noqa: PLC0415 - rarely needed

        session, number = self._session, self._view.judging.document
        if number is not None:
            before = session.material.document(number)
            document = self._ask(DocumentForm(session, before))
            if document is not None:
                self.take_edited_document(document)

    def take_edited_document(self, document: Document) -> None:
        """Give the document that is shown the texts that were written."""
        session, number = self._session, self._view.judging.document
        assert number is not None
        said = _("Document {id} was changed; its judgments stay.").format(id=document.id)
        self._carry_out(lambda: edit_document(session, number, document), said)
