"""The runs of a project: what they hold and what uses them; renamed and taken out."""

from collections.abc import Callable
from functools import partial

from judgetool.core.excerpts import short_name
from judgetool.core.number_text import number_of
from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import ActDialog, edit, line_of, push_button
from judgetool.gui.dialogs.framed_list import ListRow, make_step_list
from judgetool.session.runs import delete_run, describe_uses, rename_run, uses_of_run
from judgetool.session.session import Session
from judgetool.wording import _

_MOST_NAME = 200


class RunsDialog(ActDialog):
    """A list of runs; each change is a step of the project, which Undo takes back.

    Args:
        session: the project.

    Attributes:
        rows: the runs.
        field: the name of the chosen one.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(_("Runs"), verb=_("Close"), width=700)
        self._session = session
        self.cancel.hide()
        self.rows = make_step_list(_("Runs of this project"))
        self.add_list(self.rows, height=200)
        self.field = edit(most=_MOST_NAME)
        self.rename = push_button(_("Rename"), self._rename)
        self.add_field(_("&Name"), self.field, line=line_of(self.field, 1, self.rename))
        self.uses = self.add_text()
        self.take_out = push_button(_("Take out of the project"), self._take_out)
        self.add_line(self.take_out, None)
        self.body.addStretch(1)
        self.first = self.rows
        self.rows.currentRowChanged.connect(lambda _row: self._show_run())
        self.field.textChanged.connect(lambda _text: self._check())
        self._show(0)

    def _show(self, place: int) -> None:
        runs = self._session.material.runs
        rows = []
        for run in runs:
            uses = uses_of_run(self._session, run.run_id)
            parts = [
                number_of(run.n_queries, "{n} query", "{n} queries"),
                number_of(run.n_results, "{n} result", "{n} results"),
            ]
            parts += (
                [number_of(len(uses.whatifs), "{n} what-if", "{n} what-ifs")]
                if uses.whatifs
                else []
            )
            parts += [_("baseline")] if uses.is_baseline else []
            name = short_name(run.name, most=_MOST_NAME)
            rows.append(ListRow(run.run_id, name, ", ".join(parts), is_name=True))
        kept = runs[min(place, len(runs) - 1)].run_id if runs else None
        self.rows.show_rows(rows, kept=kept)
        self._show_run()

    @property
    def _run_id(self) -> int | None:
        row = self.rows.chosen
        return None if row is None else int(row.key)

    def _show_run(self) -> None:
        run_id = self._run_id
        names = {run.run_id: run.name for run in self._session.material.runs}
        self.field.setText("" if run_id is None else names[run_id])
        no_run = _("There is no run in this project. Project ▸ Import… brings one.")
        self.uses.setText(no_run if run_id is None else describe_uses(self._session, run_id))
        self._check()

    def _check(self) -> None:
        reason, run_id, name = (
            self._session.read_only_reason,
            self._run_id,
            self.field.text().strip(),
        )
        taken = {run.name: run.run_id for run in self._session.material.runs}
        is_other = taken.get(name) not in (None, run_id)
        self.show_remark(
            reason or (_("Another run is called {name}.").format(name=name) if is_other else "")
        )
        can_change = run_id is not None and not reason
        self.field.setEnabled(can_change)
        self.take_out.setEnabled(can_change)
        self.rename.setEnabled(can_change and bool(name) and name not in taken)

    def _rename(self) -> None:
        run_id = self._run_id
        if run_id is not None:
            self._attempt(partial(rename_run, self._session, run_id, self.field.text()))

    def _take_out(self) -> None:
        run_id = self._run_id
        if run_id is not None:
            self._attempt(partial(delete_run, self._session, run_id))

    def _attempt(self, act: Callable[[], object]) -> None:
        place = self.rows.currentRow()
        try:
            act()
        except JudgetoolError as problem:
            self.show_remark(str(problem))
            return
        self._show(place)

    @property
    def answer(self) -> None:
        """Nothing: all has been done."""
