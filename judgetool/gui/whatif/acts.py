"""What the what-if view asks a person before it does it: names, runs, rules, baselines, files, documents."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QMenu

from judgetool.core import override
from judgetool.core.clock import moment_text
from judgetool.core.judgments import State
from judgetool.core.number_text import number_of
from judgetool.core.rankings import Insert, Replace
from judgetool.core.terms import one_line
from judgetool.errors import JudgetoolError
from judgetool.formats.writers import ExportChoices
from judgetool.gui.dialogs import FileKind
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    edit,
    grid_of,
    line_of,
    name_switch,
)
from judgetool.gui.dialogs.choose import ChooseDialog, NameDialog, RadioOption, TextDialog
from judgetool.gui.dialogs.framed_list import ListRow, make_step_list, walk_from
from judgetool.gui.jobs import JobHandle
from judgetool.gui.painting import format_count, judgment_style
from judgetool.gui.theme import current_theme, scaled
from judgetool.gui.whatif.orders_view import OrdersView
from judgetool.gui.whatif.ranking import WorkedRanking
from judgetool.gui.widgets.buttons import offer
from judgetool.gui.widgets.fields import NumberField, name_signs, parse_typed_number
from judgetool.gui.widgets.labels import Text
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.comparing.snapshots import load_snapshots, moments, present_systems
from judgetool.session.comparing.system_values import Baseline
from judgetool.session.exports.exporting import ExportReport, check_not_project, write_export
from judgetool.session.session import Session
from judgetool.session.systems import System, run_system
from judgetool.session.whatifs.applying import DEFAULT_K, Fusion, Method
from judgetool.session.whatifs.book import BaseRun, WhatIf, find_base
from judgetool.session.whatifs.editing import (
    Missed,
    annotate_whatif,
    copy_whatif,
    create_fused,
    create_whatif,
    delete_whatif,
    find_missing,
    free_name,
    order_by_run,
    order_fused,
    rename_whatif,
    set_fusion,
    set_rules,
)
from judgetool.wording import N_, _, in_words, local_number, pgettext

_RUN_FILE = FileKind(N_("Run (TREC)"), (".run",))
# The shorter ending last, as a longer one has it too.
_RULE_FILES = {
    FileKind(N_("Solr parameters"), (".solr.txt",)): "solr",
    FileKind(N_("Querqy rules"), (".querqy.txt",)): "querqy",
    FileKind(N_("Elasticsearch query"), (".elasticsearch.json",)): "elasticsearch",
    FileKind(N_("Rules of judgetool"), (".json",)): "json",
}
_MOST_MOMENTS = 12


class WhatIfActs(Handler):
    """Asks, and does what was answered.

    Args:
        window: the main window.
        ranking: what is worked on.
        view: where the current document is.
    """

    def __init__(self, window: AppWindow, ranking: WorkedRanking, view: OrdersView) -> None:
        super().__init__(window)
        self._ranking = ranking
        self._orders = view

    # The what-if itself

    def new(self) -> None:
        """Make a what-if of the run that is worked on."""
        session, run_id = self._session, self._ranking.run_id
        if run_id is None:
            return
        source = run_system(session, run_id).name
        name = self._ask_name(
            _("New what-if"),
            free_name(session, _("{source} what-if").format(source=source)),
            _("Make"),
        )
        if name is not None:
            self._ranking.attempt(lambda project: create_whatif(project, name, run_id))

    def copy(self) -> None:
        """Make another what-if with the same steps, rules and grades."""
        head = self._head_to(_("There is no what-if to copy yet. Move a card to begin one."))
        if head is not None:
            name = self._ask_name(_("Copy what-if"), free_name(self._session, head.name), _("Copy"))
            if name is not None:
                self._ranking.attempt(lambda project: copy_whatif(project, head.id, name))

    def _head_to(self, lack: str) -> WhatIf | None:
        """Return the what-if that is worked on, or say that there is none yet."""
        head = self._ranking.head
        if head is None:
            self._say(lack)
        return head

    def rename(self) -> None:
        """Give the what-if another name."""
        head = self._head_to(_("There is no what-if to rename yet. Move a card to begin one."))
        if head is None:
            return
        name = self._ask_name(_("Rename what-if"), head.name, _("Rename"))
        if name is not None and name != head.name:
            self._ranking.attempt(lambda project: rename_whatif(project, head.id, name))

    def note(self) -> None:
        """Write a note, which goes with the what-if wherever it is shown."""
        head = self._head_to(
            _("There is no what-if to write a note on yet. Move a card to begin one.")
        )
        if head is None:
            return
        title = _("Note on {name}, made from {origin}").format(name=head.name, origin=head.origin)
        note = self._ask(TextDialog(title, head.note, verb=_("Keep note")))
        if note is not None and note != head.note:
            self._ranking.attempt(lambda project: annotate_whatif(project, head.id, note))

    def delete(self) -> None:
        """Take the what-if out of the project; Undo brings it back whole."""
        head = self._head_to(_("There is no what-if to delete."))
        if head is None:
            return

        def act(session: Session) -> str:
            delete_whatif(session, head.id)
            return ""

        if self._ranking.attempt(act):
            self._say(_("What-if {name} is deleted.").format(name=head.name), offers_undo=True)

    def _ask_name(self, title: str, name: str, verb: str) -> str | None:
        return self._ask(NameDialog(title, name, verb=verb))

    # Orders of others

    def _ask_system(self, title: str, verb: str) -> System | None:
        subject = self._ranking.subject
        others = [each for each in present_systems(self._session) if each != subject]
        if subject is None or not others:
            self._say(
                _("There is no other run or what-if in this project. Import another run first.")
            )
            return None
        options = [
            RadioOption(each.key, each.name, _("a what-if") if each.kind == "what-if" else "")
            for each in others
        ]
        chosen = self._ask(ChooseDialog(title, options, verb=verb, current=others[0].key))
        return next((each for each in others if each.key == chosen), None)

    def take_order(self) -> None:
        """Order the query's documents as another run or what-if does."""
        other = self._ask_system(_("In the order of"), _("Reorder"))
        self._replace(other, order_by_run)

    def fuse(self) -> None:
        """Fuse the query's ranking with another's; its further documents come in."""
        title = _("Fuse with (reciprocal ranks, k = {k})").format(k=DEFAULT_K)
        self._replace(self._ask_system(title, _("Fuse")), order_fused)

    def _replace(self, other: System | None, order: Callable[..., Replace]) -> None:
        query = self._ranking.query
        if query is None or other is None:
            return
        documents = np.array(self._ranking.orders.order, dtype=np.int32)
        try:
            step = order(self._session, query, documents, other)
        except (JudgetoolError, KeyError) as problem:
            self._say(str(problem))
            return
        if not self._ranking.do(step):
            self._say(
                _("That order is the same as now: nothing was moved ({reason}).").format(
                    reason=step.reason
                )
            )

    def fuse_runs(self) -> None:
        """Make a what-if of several runs fused over all queries."""
        session, first = self._session, self._ranking.run_id
        if first is None:
            return
        names = {run.run_id: run.name for run in session.material.runs}
        if len(names) < 2:
            self._say(_("There is no other run to fuse with in this project. Import one first."))
            return
        other = next(run for run in names if run != first)
        chosen = self._ask(FuseDialog(list(names.items()), (first, other)))
        if chosen is not None:
            runs, fusion = chosen
            title = free_name(session, " + ".join(names[run] for run in runs))
            self._ranking.attempt(lambda project: create_fused(project, title, runs, fusion))

    def change_fusion(self) -> None:
        """Give a fused what-if other runs, weights or k; Undo brings back those that it had."""
        head = self._ranking.head
        if head is None or head.how != "fused":
            self._say(_("Only what-ifs of runs fused over all queries have weights and k."))
            return
        self.attempt(lambda: change_fusion(self._session, head, self._ask))

    def insert(self) -> None:
        """Put in a document that the ranking lacks, before the current one."""
        query = self._ranking.query
        if query is None or self._ranking.run_id is None:
            return
        row = self._orders.cards.row_of(self._orders.current)
        n = len(self._ranking.orders.order)
        rank = row + 1 if 0 <= row < n else n + 1
        held = self._ranking.orders.order
        given = self._ask(InsertDialog(self._session, query, held, rank=rank))
        if given is not None and self._ranking.do(Insert(*given)):
            self._orders.set_current(given[0])

    # Rules

    def rules(self) -> None:
        """Edit the rules, which hold for all queries of the what-if."""
        from judgetool.gui.whatif.rules_dialog import RulesDialog  # noqa: PLC0415 - not needed until asked for

        session, head, run_id = self._session, self._ranking.head, self._ranking.run_id
        if run_id is None:
            return
        if head is None:
            # Made when its rules are applied, so that who changes their mind leaves nothing behind.
            source = self._ranking.source_name
            head = WhatIf(
                "",
                free_name(session, _("{source} rules").format(source=source)),
                (BaseRun(run_id, source),),
            )
        measure = self._window.live.measure
        done = self._ask(RulesDialog(session, head, self._window.jobs, measure=measure))
        if done is not None:
            self._ranking.attempt(done)

    def save_rules(self) -> None:
        """Write the rules to a file, for judgetool or in the words of a search engine."""
        from judgetool.session.whatifs.rule_files import export_rules  # noqa: PLC0415 - rarely needed

        head = self._ranking.head
        if head is None or not head.rules:
            self._say(_("There is no rule to save yet. Rules… makes some."))
            return
        place = self._session.path.with_name(f"{_stem(head.name)}.json")
        title = _("Save the rules of {name}").format(name=head.name)
        kinds = tuple(reversed(_RULE_FILES))
        path = self._window.prompter.choose_place(title, place, kinds=kinds)
        if path is None:
            return
        engine = next(e for kind, e in _RULE_FILES.items() if path.name.endswith(kind.endings))
        try:
            found = export_rules(head.rules, engine)
            check_not_project(path, self._session)
            path.write_text(found.text, encoding="utf-8")
        except (JudgetoolError, OSError) as problem:
            self._window.prompter.tell(str(problem))
            return
        self._say(" ".join([_("The rules are in {name}.").format(name=path.name), *found.remarks]))

    def load_rules(self) -> None:
        """Take the rules of a file in the place of those that there are."""
        from judgetool.session.whatifs.rule_files import rules_from_json  # noqa: PLC0415 - rarely needed

        session, run_id = self._session, self._ranking.run_id
        kinds = (next(reversed(_RULE_FILES)),)
        path = self._window.prompter.choose_file(_("Rules from a file"), kinds=kinds)
        if path is None or run_id is None:
            return
        try:
            rules = rules_from_json(path.read_text(encoding="utf-8"), path.name)
        except (JudgetoolError, OSError, UnicodeError) as problem:
            self._window.prompter.tell(str(problem))
            return
        head, name = self._ranking.head, free_name(session, path.stem)
        if head is None:
            self._ranking.attempt(lambda project: create_whatif(project, name, run_id, rules=rules))
        else:
            self._ranking.attempt(
                lambda project: set_rules(project, head.id, rules, split=head.split)
            )

    # Baseline

    def against(self) -> None:
        """Choose what values are compared with."""
        found = self._baselines()
        options = [RadioOption(name, title) for name, title, __ in found]
        current = self._current_name()
        chosen = self._ask(
            ChooseDialog(
                _("Compare with"), options, verb=pgettext("verb", "Compare"), current=current
            )
        )
        if chosen is not None:
            self._ranking.compare_with({name: each for name, __, each in found}[chosen])

    def fill_against(self, menu: QMenu) -> None:
        """Offer what values can be compared with."""
        menu.clear()
        current, kind = self._current_name(), ""
        for name, title, baseline in self._baselines():
            if baseline is not None and baseline.kind != kind:
                menu.addSeparator()
                kind = baseline.kind
            choose = partial(self._ranking.compare_with, baseline)
            offer(menu, title, choose, is_on=name == current)

    def _current_name(self) -> str:
        baseline = self._ranking.baseline
        return "" if baseline is None else _name_of(baseline)

    def _baselines(self) -> list[tuple[str, str, Baseline | None]]:
        """Return name, title and baseline of all that there are; ``None``: where it came from."""
        session = self._session
        found: list[tuple[str, Baseline]] = []
        for system in present_systems(session):
            title = (
                _("What-if {name}").format(name=system.name)
                if system.kind == "what-if"
                else system.name
            )
            found.append((title, Baseline.of_system(system)))
        for snapshot in load_snapshots(session):
            of = Baseline("snapshot", snapshot.name, snapshot=snapshot.id)
            found.append((_("Snapshot {name}").format(name=snapshot.name), of))
        for each in reversed(moments(session, most=_MOST_MOMENTS)[:-1]):
            when = moment_text(each.at)
            then = Baseline("moment", when, event_id=each.event_id, at=each.at)
            found.append(
                (
                    _("Judgments of {when}, {count} judged").format(
                        when=when, count=format_count(each.n_judged)
                    ),
                    then,
                )
            )
        own = (
            "",
            _("Where it came from: {run}").format(run=self._ranking.source_name),
            None,
        )
        return [own, *((_name_of(baseline), title, baseline) for title, baseline in found)]

    # Export

    def export(self) -> None:
        """Write the what-if as a run, on the worker."""
        session, subject = self._session, self._ranking.subject
        if subject is None:
            return
        place = session.path.with_name(f"{_stem(subject.name)}.run")
        path = self._window.prompter.choose_place(
            _("Export {name} as a run").format(name=subject.name), place, kinds=(_RUN_FILE,)
        )
        if path is None:
            return
        choices = ExportChoices("trec-run", runs=(subject.name,))

        def work(handle: JobHandle) -> ExportReport:
            # With the scale beside it, so that a command values it as the window does.
            is_cancelled = handle.is_cancelled
            return write_export(session, choices, path, has_meta=True, is_cancelled=is_cancelled)

        self._window.jobs.submit(
            work,
            partial(self._say_written, subject.name, path),
            self._say_failed,
            owner=self._widget,
        )

    def _say_written(self, name: str, path: Path, report: ExportReport) -> None:
        self._say(
            number_of(
                report.n_records,
                "{name} is in {file}: {n} result.",
                "{name} is in {file}: {n} results.",
                name=name,
                file=path.name,
            )
        )

    def _say_failed(self, error: Exception) -> None:
        if not isinstance(error, JudgetoolError):
            raise error
        self._say(str(error))


def _stem(name: str) -> str:
    """Return what a file of a what-if of this name may be called."""
    stem = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name)
    return stem or "what-if"


def _name_of(baseline: Baseline) -> str:
    """Return what tells a baseline from the others in a list."""
    if baseline.system is not None:
        return baseline.system.key
    return f"{baseline.kind}:{baseline.snapshot or baseline.event_id}"


# Which documents, which runs

_MOST_TITLE = 120
_SEARCH_AFTER_MS = 120
_MOST_K = 10_000
_METHODS: dict[Method, str] = {
    "ranks": N_("By ranks: the sum of weight / (k + rank)"),
    "scores": N_("By scores: the sum of weight × score, brought to 0 to 1 in each query"),
}


class InsertDialog(ActDialog):
    """Documents that the ranking lacks: judged ones first, then other runs', then by text.

    Args:
        session: the project.
        query: the query's number.
        order: what the ranking holds.
        rank: where it is to go, at first.
    """

    def __init__(self, session: Session, query: int, order: Sequence[int], *, rank: int) -> None:
        super().__init__(_("Insert a document"), verb=_("Insert"), width=680)
        self._session = session
        self._query = query
        self._held = np.array(order, dtype=np.int32)
        self.field = self.add_field(_("&Find"), edit(hint=_("Words of the title, or the id")))
        self.field.setClearButtonEnabled(True)
        name_signs(self.field)
        self.rows = make_step_list(_("Documents that this ranking lacks"))
        self.rows.itemDoubleClicked.connect(self.accept)
        self.add_list(self.rows, height=300)
        self.rank = NumberField(1, len(order) + 1)
        self.rank.setValue(rank)
        self.add_field(_("At &rank"), self.rank, line=line_of(self.rank, None))
        self.first = self.field
        walk_from(self.field, self.rows, tells=True)
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self.search)
        self.field.textEdited.connect(lambda _text: self._later.start(_SEARCH_AFTER_MS))
        self.rows.currentRowChanged.connect(self._check)
        self.search()

    def search(self) -> None:
        """Look for what is written in the field."""
        self._later.stop()
        text = self.field.text().strip()
        found = find_missing(self._session, self._query, self._held, text)
        self.rows.show_rows([self._row(missed) for missed in found])
        self._check()

    @override
    def accept(self) -> None:
        """Take the chosen document; of what was typed a moment ago, not of what was listed before."""
        if self._later.isActive():
            self.search()
        if self.answer is not None:
            super().accept()

    def _row(self, missed: Missed) -> ListRow:
        document = self._session.material.show_document(missed.document)
        title = one_line(document.title or document.id, most=_MOST_TITLE)
        state = State.UNJUDGED if missed.grade is None else State.JUDGED
        style = judgment_style(self._session.scale, state, missed.grade, current_theme())
        return ListRow(missed.document, title, why_text(missed), style=style)

    def _check(self) -> None:
        nothing = _("No document that this ranking lacks has that in its title or id.")
        if not self.field.text().strip():
            nothing = _("This ranking holds every document that is known for the query.")
        self.show_lack("" if self.answer is not None else nothing)

    @property
    def answer(self) -> tuple[int, int] | None:
        """The chosen document and its rank; ``None`` while none is chosen."""
        row = self.rows.chosen
        if row is None or not isinstance(row.key, int):
            return None
        return row.key, self.rank.value()


def why_text(missed: Missed) -> str:
    """Return why a document is offered, such as ``rank 3 in bm25``."""
    if missed.best_rank is None:
        return _(missed.reason)
    where = _("rank {rank} in {run}").format(rank=missed.best_rank, run=missed.run)
    return where if missed.reason == "in another run" else f"{_(missed.reason)}, {where}"


class FuseDialog(ActDialog):
    """Which runs are fused over all queries, with which weights, by ranks or by scores.

    Args:
        runs: number and name of each, at least two.
        chosen: numbers of those that are in at first.
        fusion: how they are fused at first.
        verb: what is done with the answer.
    """

    def __init__(
        self,
        runs: Sequence[tuple[int, str]],
        chosen: Sequence[int],
        fusion: Fusion = Fusion(),  # noqa: B008 - frozen
        *,
        verb: str = "",
    ) -> None:
        super().__init__(_("Fuse runs over all queries"), verb=verb or _("Fuse"))
        self._runs = [run for run, _name in runs]
        self._now = now = fusion
        given = dict(zip(chosen, now.weights or (1.0,) * len(chosen), strict=True))
        self.switches: list[QCheckBox] = []
        self.weights = []
        grid = grid_of(12, 6, {0: 1})
        grid.addWidget(Text(_("Run"), ink="text3", wraps=False), 0, 0)
        grid.addWidget(Text(_("Weight"), ink="text3", wraps=False), 0, 1)
        for row, (run, name) in enumerate(runs, 1):
            box = name_switch(name, is_on=run in given)
            weight = edit(
                local_number(f"{given.get(run, 1.0):g}"),
                name=_("Weight of {name}").format(name=name),
                most=12,
            )
            weight.setFixedWidth(scaled(90))
            weight.setEnabled(box.isChecked())
            box.toggled.connect(weight.setEnabled)
            grid.addWidget(box, row, 0)
            grid.addWidget(weight, row, 1)
            self.switches.append(box)
            self.weights.append(weight)
        self.body.addLayout(grid)
        self.method: Radios[Method] = self.add_radios(in_words(_METHODS), now.method)
        self.k = NumberField(0, _MOST_K)
        self.k.setValue(now.k)
        self.k.setEnabled(now.method == "ranks")
        self.add_field(
            _("&k, how little the first ranks count more"), self.k, line=line_of(self.k, None)
        )
        self.add_text(
            _(
                "A document that a run lacks gets nothing from it. Of equal sums the one with the higher "
                "document id comes first, as trec_eval has it, in whatever order the runs are chosen."
            )
        )
        self.body.addStretch(1)
        self.first = self.switches[0]
        self.method.changed.connect(self._show_k)
        self.check_by(self._problem, *self.switches, *self.weights, self.method)

    def _show_k(self) -> None:
        self.k.setEnabled(self.method.current == "ranks")

    def _problem(self) -> str:
        runs, fusion = self.answer
        if len(runs) < 2:
            return _("Choose two runs or more.")
        if len(fusion.weights) < len(runs) or min(fusion.weights) < 0 or not any(fusion.weights):
            return _("Weights are numbers from 0, not all of them 0.")
        return ""

    @property
    def answer(self) -> tuple[list[int], Fusion]:
        """The runs and how they are fused; fewer weights than runs where one is no number."""
        chosen = [place for place, box in enumerate(self.switches) if box.isChecked()]
        given = [parse_typed_number(self.weights[place].text()) for place in chosen]
        weights = tuple(weight for weight in given if weight is not None)
        return [self._runs[place] for place in chosen], self._now._replace(
            method=self.method.current or "ranks", k=self.k.value(), weights=weights
        )


def change_fusion(
    session: Session, head: WhatIf, ask: Callable[[FuseDialog], tuple[list[int], Fusion] | None]
) -> None:
    """Ask for other runs, weights and k of a fused what-if, as they are at first, and fuse by them.

    Args:
        session: the project.
        head: of the what-if.
        ask: shows a dialog, and gives its answer, or ``None``.

    Raises:
        JudgetoolError: a run is no longer in the project, or it cannot be written.
    """
    runs = [(run.run_id, run.name) for run in session.material.runs]
    bases = [find_base(session.material, base, head.name) for base in head.bases]
    chosen = ask(FuseDialog(runs, bases, head.fusion, verb=pgettext("verb", "Change")))
    if chosen is not None:
        set_fusion(session, head.id, *chosen)
