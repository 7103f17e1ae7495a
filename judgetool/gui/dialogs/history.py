"""What has been done, newest first, and what going back to a step would bring back."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from judgetool.core.judgments import Judgment, State
from judgetool.core.scale import format_grade
from judgetool.gui.blindness import Blindness
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.dialogs.step_list import (
    StepRow,
    current_row,
    fill_step_list,
    make_step_list,
)
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.number_text import format_count
from judgetool.session.aids.blindness import alias_id
from judgetool.session.safety.history import (
    HistoryRow,
    UndoneJudgment,
    UndoPreview,
    load_history,
    preview_undo_to,
)
from judgetool.session.session import Session

PAGE = 200
_MOST_SHOWN = 6
_STATES = {State.UNJUDGED: "unjudged", State.SKIPPED: "skipped", State.CANNOT_JUDGE: "cannot judge"}


def clock_text(at_ms: int, *, now_ms: int) -> str:
    """Return when something was: ``15:02:07`` today, else ``2026-11-20 15:02``."""
    moment, now = (datetime.fromtimestamp(at / 1000, UTC).astimezone() for at in (at_ms, now_ms))
    is_today = moment.date() == now.date()
    return moment.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M")


def said_text(judgment: Judgment | None) -> str:
    """Return what a judgment says in a word or two, such as ``2`` or ``cannot judge``."""
    if judgment is None:
        return "unjudged"
    if judgment.grade is not None:
        return format_grade(judgment.grade)
    return _STATES[judgment.state]


class HistoryDialog(ActDialog):
    """Steps of the project; one's own later steps can be taken back at once.

    Args:
        session: the project.
        blindness: what stays hidden from the assessor.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        blindness: Blindness | None = None,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("History", verb="Undo", width=760, parent=parent)
        self._session = session
        self._blindness = blindness or Blindness()
        self._rows: list[HistoryRow] = []
        self._preview: UndoPreview | None = None
        self._last: int | None = None
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Type to find a step")
        self.filter.setAccessibleName("Find a step")
        self.filter.setClearButtonEnabled(True)
        self.body.addWidget(self.filter)
        self.steps = make_step_list("Steps, newest first")
        frame = Framed(self.steps)
        frame.setMinimumHeight(scaled(260))
        self.body.addWidget(frame, stretch=1)
        self.more = QPushButton("Show earlier steps")
        self.more.setAutoDefault(False)
        self.add_to_foot(self.more)
        self.what = Text("", role=Role.UI_STRONG)
        self.detail = Text("", ink="text2")
        self.detail.setMinimumHeight(scaled(18) * (_MOST_SHOWN + 1))
        self.detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.body.addWidget(self.what)
        self.body.addWidget(self.detail)
        self.verb.setAutoDefault(False)
        self.first = self.steps
        self.filter.textChanged.connect(self._show)
        self.steps.currentItemChanged.connect(lambda _now, _before: self._show_preview())
        self.more.clicked.connect(self._load_more)
        self._load_more()

    def _load_more(self) -> None:
        page = load_history(self._session, limit=PAGE, before=self._last)
        is_blind = self._blindness.is_on
        hidden = {name for name in self._session.assessors if name != self._session.assessor}
        self._rows += [row for row in page if not is_blind or row.assessor not in hidden]
        self._last = page[-1].step_id if page else self._last
        self.more.setVisible(len(page) == PAGE)
        self._show()

    def _show(self) -> None:
        words = self.filter.text().casefold().split()
        rows = [self._row(row) for row in self._rows]
        shown = [
            row
            for row in rows
            if all(word in f"{row.title} {row.side}".casefold() for word in words)
        ]
        fill_step_list(self.steps, shown)
        self._show_preview()

    def _row(self, row: HistoryRow) -> StepRow:
        who = row.assessor or "the project"
        # The titles of judgments name the document: that tells as much as its id does.
        is_telling = self._blindness.has_alias_ids and row.kind == "judge"
        title = row.title.partition(" for ")[0] if is_telling else row.title
        when = clock_text(row.at, now_ms=self._session.clock())
        count = f"{format_count(row.n_judgments)} judgments · " if row.n_judgments > 1 else ""
        state = {"undone": "undone · ", "dropped": "undone · "}.get(row.state, "")
        return StepRow(row.step_id, title, f"{state}{count}{who} · {when}", bool(state))

    @property
    def _earlier(self) -> int | None:
        """The step before the chosen one, which would stay as the last; ``None`` for none."""
        row = current_row(self.steps)
        if row is None:
            return None
        return int(str(row.key)) - 1

    def _show_preview(self) -> None:
        earlier = self._earlier
        self._preview = preview_undo_to(self._session, earlier) if earlier is not None else None
        preview = self._preview
        if preview is None or not preview.steps:
            self.what.setText(
                "" if preview is None else "This step cannot be taken back from here."
            )
            self.detail.setText("")
            self.verb.setText("Undo")
            self.show_problem(
                "Choose a step of yours." if self._rows else "Nothing is done yet.", ink="text2"
            )
            return
        count = len(preview.steps)
        steps = "1 step" if count == 1 else f"{format_count(count)} steps"
        self.verb.setText(f"Undo {steps}")
        self.what.setText(f"Undoing {steps} would bring back:")
        self.detail.setText("\n".join(self._details(preview)))
        self.show_problem(
            "An import would go, with all that it brought." if preview.takes_material else "",
            ink="warn",
        )
        self.verb.setEnabled(not self._session.read_only_reason)

    def _details(self, preview: UndoPreview) -> list[str]:
        lines = [self._line(undone) for undone in preview.judgments[:_MOST_SHOWN]]
        more = len(preview.judgments) - _MOST_SHOWN
        if more > 0:
            lines.append(f"… and {format_count(more)} more judgments.")
        if preview.values:
            lines.append(f"As before: {', '.join(sorted(preview.values))}.")
        if preview.kept:
            count = format_count(len(preview.kept))
            lines.append(f"Changed since, so left alone: {count} judgments.")
        return lines

    def _line(self, undone: UndoneJudgment) -> str:
        material = self._session.material
        query = f", query {material.queries[undone.query].id}" if undone.query is not None else ""
        now, then = said_text(undone.now), said_text(undone.then)
        change = f"{now} → {then}" if now != then else f"{now}, note, flag or reason as before"
        document = undone.document_id
        if self._blindness.has_alias_ids:
            document = alias_id(self._session, undone.document)
        return f"{document}{query}: {change}"

    @property
    def answer(self) -> int | None:
        """The step that stays as the last one; ``None`` when none can be chosen."""
        return self._earlier if self._preview is not None and self._preview.steps else None

    @classmethod
    def ask(
        cls, parent: QWidget | None, session: Session, blindness: Blindness | None = None
    ) -> int | None:
        """Show the history; return the step to go back to, or ``None``."""
        dialog = cls(session, blindness, parent=parent)
        return dialog.answer if dialog.is_answered() else None
