"""Judgments of a file against those of the project: mapped grades, conflicts, what is new."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

from judgetool.core.judgments import Judgment, JudgmentKey, Said, State, find_latest
from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import InputError
from judgetool.formats import JudgmentTable, Reading, Refusal
from judgetool.formats.judgments import explain_clash, find_whose
from judgetool.formats.values import NO_DETAILS, Question
from judgetool.session.board import COUNTS_KEY, Counting, counts_of, does_count, find_standing
from judgetool.session.commands import SETTLED, Check
from judgetool.session.imports.plan import (
    Conflict,
    Conflicts,
    FileReport,
    ImportChoices,
    ImportPlan,
    NewJudgment,
    OffScale,
    Overruled,
)
from judgetool.storage.connection import Connection
from judgetool.storage.history import load_disputed_pairs
from judgetool.storage.judgments import (
    Stored,
    find_judgment,
    load_judged_queries,
    load_settled,
)
from judgetool.storage.values import (
    AssessorRow,
    fold_name,
    load_assessors,
    load_step_order,
    load_values,
)
from judgetool.wording import _, quoted

MODEL = "model"
_STEP_OF_IMPORT = sys.maxsize
"""Stands for the step of an import that is not written yet: none is later."""
_CHECKED_EVERY = 1_000
_NAMED = 5


def _people_question(alike: Mapping[str, str]) -> Question:
    """Return the question whether people are those whose names, which were there before, are nearly theirs."""
    pairs = ", ".join(
        _("‘{name}’ and ‘{other}’").format(name=name, other=alike[name]) for name in sorted(alike)
    )
    return Question(
        "people",
        _("Names differ by capitals or blanks alone: {pairs}. Are they the same?").format(
            pairs=pairs
        ),
        {
            "same": _("The same: the second name of each pair counts"),
            "other": _("Others: each keeps their name"),
        },
        "other",
    )


class KnownNumbers(NamedTuple):
    """The project's numbers of the ids that a file names, as far as it has any."""

    queries: Mapping[str, int]
    documents: Mapping[str, int]


class _Last(NamedTuple):
    """What was said last of a document of a query: when, and by whom which grade."""

    at: float
    grades: dict[str, float]

    @property
    def is_tied(self) -> bool:
        return len(set(self.grades.values())) > 1


_Brought = tuple[NewJudgment, FileReport]
"""What a file says of a document, and which."""


class JudgmentPlanner:
    """Adds the judgments of files to a plan.

    Args:
        reader: a connection of the calling thread.
        plan: gets the judgments.
        scale: the project's.
        choices: what the person has decided.
        now: when what has no time counts as said, milliseconds UTC.
        check: asked now and then; may raise to stop.
    """

    def __init__(
        self,
        reader: Connection,
        plan: ImportPlan,
        *,
        scale: Scale,
        choices: ImportChoices,
        now: int,
        check: Check,
    ) -> None:
        self._reader = reader
        self._plan = plan
        self._scale = scale
        self._choices = choices
        self._now = now
        self._check = check
        known = load_assessors(reader)
        self._assessor_numbers = {row.name: row.assessor_id for row in known}
        self._kinds = {row.name: row.kind for row in known}
        self._named: dict[str, None] = {}
        # Of each file the places of its judgments in the plan.
        self._files: list[tuple[FileReport, range, KnownNumbers]] = []
        # What earlier files of the import say; one file alone never says a thing twice.
        self._said: dict[tuple[str, str, str], Stored] | None = None
        self._beside: set[tuple[str, str, str]] = set()
        self._here: dict[tuple[str, str, str], Judgment | None] = {}
        self._last: dict[tuple[str, str], _Last] = {}
        # What several files say of a document of which they disagree; where none is judged here.
        self._disagreed: dict[tuple[str, str], list[_Brought]] = {}

    def remember(self) -> None:
        """Compare each file also with those before it; needed when there are several."""
        self._said = self._said or {}

    def add(self, report: FileReport, table: JudgmentTable, numbers: KnownNumbers) -> None:
        """Plan the judgments of one file.

        Raises:
            InputError: a grade is mapped to one that the scale does not have, or a model has
                the name of somebody else.
        """
        stem = PurePath(report.reading.source).stem
        file_assessor = self._choices.assessor or stem
        kind = find_whose(report.reading).answer
        is_of_people = kind not in (MODEL, SETTLED)
        if kind == SETTLED:
            file_assessor = self._choices.assessor or self._find_settled()
            names: list[str | None] = [file_assessor] * len(table)
            _note_settlers(report, table, names, file_assessor)
            table = _renamed(report, table, names)
            table = replace(table, assessors=[None] * len(table))
        if not is_of_people:
            self._note_kind(report, {name or file_assessor for name in table.assessors}, kind)
        else:
            table = self._with_people(report, self._with_kinds(report, table, file_assessor))
            if not self._choices.assessor and None in table.assessors:
                self._plan.import_assessors.add(file_assessor)
        grade_map = self._checked_map(report.reading)
        first = len(self._plan.judgments)
        for row in range(len(table)):
            if row % _CHECKED_EVERY == 0:
                self._check()
            judgment = self._judgment_of(report, table, row, grade_map)
            if judgment is not None:
                named = table.assessors[row]
                assessor = named or file_assessor
                report.by_assessor.update([named] if named else ())
                details = table.details.get(row, NO_DETAILS)
                new = NewJudgment(
                    table.query_ids[row],
                    table.document_ids[row],
                    assessor,
                    judgment,
                    details.at,
                    details.spent_ms,
                )
                self._settle(report, table.lines[row], new, numbers)
        self._files.append((report, range(first, len(self._plan.judgments)), numbers))
        if self._said is not None or len(set(table.assessors)) > 1:
            self._note_last(report, self._plan.judgments[first:])
        _note_grades(report)

    def _note_last(self, report: FileReport, judgments: Iterable[NewJudgment]) -> None:
        """Count where several give different grades as the last ones, at the same time."""
        for new in judgments:
            kinds = (self._plan.assessor_kinds.get(new.assessor), self._kinds.get(new.assessor))
            grade = new.judgment.grade
            if grade is None or MODEL in kinds or SETTLED in kinds:
                continue
            pair, at = (new.query_id, new.document_id), self._at(new)
            last = self._last.setdefault(pair, _Last(at, {}))
            was_tied = last.is_tied
            if len(self._files) > 1 and {grade, *last.grades.values()} != {grade}:
                self._disagreed[pair] = []
            if at > last.at:
                last = self._last[pair] = _Last(at, {})
            if at == last.at:
                last.grades[new.assessor] = grade
            report.n_tied += last.is_tied - was_tied

    def _with_kinds(
        self, report: FileReport, table: JudgmentTable, file_assessor: str
    ) -> JudgmentTable:
        """Take whom a table calls a model or settled for that; what was settled has one name."""
        kinds = {
            table.assessors[row] or file_assessor: said.kind
            for row, said in table.details.items()
            if said.kind
        }
        models = {name for name, kind in kinds.items() if kind == MODEL}
        self._note_kind(report, models, MODEL)
        if SETTLED not in kinds.values():
            return table
        settled = self._find_settled()
        self._note_kind(report, {settled}, SETTLED)
        names = table.assessors
        names = [settled if kinds.get(name or file_assessor) == SETTLED else name for name in names]
        _note_settlers(report, table, names, settled)
        return _renamed(report, table, names)

    def _with_people(self, report: FileReport, table: JudgmentTable) -> JudgmentTable:
        """Give people the names they have here, or earlier in the import, where it is said that they are one."""
        here = [name for name, kind in self._kinds.items() if kind in ("human", "import")]
        known = {fold_name(name): name for name in (*here, *self._named)}
        others = {*self._kinds, *self._plan.assessor_kinds, *self._named, None}
        named = [name for name in dict.fromkeys(table.assessors) if name and name not in others]
        pairs = {name: known.setdefault(fold_name(name), name) for name in named}
        alike = {name: other for name, other in pairs.items() if name != other}
        if alike:
            question = self._choices.answered(report.reading.source, _people_question(alike))
            report.questions.append(question)
            if question.answer == "same":
                names = [alike.get(name, name) if name else None for name in table.assessors]
                table = _renamed(report, table, names)
        self._named.update(dict.fromkeys(filter(None, table.assessors)))
        return table

    def _find_settled(self) -> str:
        """Return whose judgments are what was settled, also where nothing has been yet."""
        return next((name for name, kind in self._kinds.items() if kind == SETTLED), SETTLED)

    def _note_kind(self, report: FileReport, names: set[str], kind: str) -> None:
        """Say of what kind assessors are; refuse the name of somebody of another kind."""
        for name in sorted(names):
            if self._kinds.get(name, kind) != kind:
                why = _(
                    "{name} is an assessor of the project already, and stands for nothing that was "
                    "settled. Give another name, in the file or by --assessor NAME. Nothing was imported."
                )
                if kind == MODEL:
                    why = _(
                        "{name} is an assessor of the project already, and no model. Give another "
                        "name, in the file or by --assessor NAME. Nothing was imported."
                    )
                raise InputError(why.format(name=name))
            self._plan.assessor_kinds[name] = kind
        if names and kind == MODEL:
            shown = ", ".join(sorted(names)[:_NAMED]) + " …" * (len(names) > _NAMED)
            came = number_of(
                len(names),
                "{n} assessor is a model, whose grades do not count unless you say so",
                "{n} assessors are models, whose grades do not count unless you say so",
            )
            report.notes.append(f"{came}: {shown}.")

    def _checked_map(self, reading: Reading) -> dict[float, float]:
        grade_map = self._choices.grade_map_of(reading.source)
        told = [(quoted(word), wanted) for word, wanted in reading.wishes.grade_map.items()]
        told += [(format_grade(grade), wanted) for grade, wanted in grade_map.items()]
        for grade, wanted in told:
            if not self._scale.has_grade(wanted):
                raise InputError(
                    _(
                        "Grade {grade} cannot be mapped to {wanted}: that is not on this scale ({label}). "
                        "Nothing was imported."
                    ).format(
                        grade=grade,
                        wanted=format_grade(wanted),
                        label=self._scale.label,
                    )
                )
        return grade_map

    def _judgment_of(
        self, report: FileReport, table: JudgmentTable, row: int, grade_map: Mapping[float, float]
    ) -> Judgment | None:
        """Return what a row says; ``None`` if it says nothing that can be kept."""
        grade, details = table.grades[row], table.details.get(row, NO_DETAILS)
        surrounding = (table.notes[row], details.flagged, details.confidence, details.spans)
        if grade is None:
            state = State(table.states[row] or State.UNJUDGED)
            judgment = Judgment(state, None, *surrounding)
            report.n_cannot_judge += state is State.CANNOT_JUDGE
            return None if judgment.is_blank else judgment
        wanted = grade_map.get(grade, grade)
        if wanted != grade:
            report.mapped[grade, wanted] += 1
        elif grade < 0 and not self._scale.has_grade(grade):
            report.n_pooled += 1
            return None
        elif not self._scale.has_grade(grade):
            report.off_scale[grade] += 1
            reason = _("grade {grade} is not on this scale ({label})").format(
                grade=format_grade(grade), label=self._scale.label
            )
            refusal = Refusal(table.lines[row], reason)
            place = OffScale(refusal, table.query_ids[row], table.document_ids[row])
            report.off_scale_first.setdefault(grade, place)
            report.refusals.add(refusal)
            return None
        return Judgment(State.JUDGED, wanted, *surrounding)

    def _settle(
        self, report: FileReport, line: int | None, new: NewJudgment, numbers: KnownNumbers
    ) -> None:
        """Decide what becomes of one judgment."""
        said = self._find_said(new, numbers)
        if said is None:
            self._take(report, new, is_new=True)
            return
        report.n_here += 1
        mine = said.judgment
        here = self._here.get((new.query_id, new.document_id, new.assessor), mine)
        new = new._replace(seen=said.step_id, mine=here)
        merged = _merged(mine, new.judgment)
        is_anew = self._settles_anew(new, said, numbers)
        if self._is_beside(new, mine) and not is_anew:
            new = new._replace(at=said.at, is_beside=True)
        if merged == mine and not is_anew:
            report.count(is_new=False, is_changed=False)
            key = (new.query_id, new.document_id, new.assessor)
            report.n_repeated += self._said is not None and key in self._said
        elif not _is_conflict(mine, new.judgment):
            self._take(report, new._replace(judgment=merged), is_new=False)
        else:
            report.conflicts.add(Conflict(line, new, mine))
            self._settle_conflict(report, new, merged, numbers)

    def _settles_anew(self, new: NewJudgment, said: Stored, numbers: KnownNumbers) -> bool:
        """Whether the same that was settled ends a dispute that is open again; each one once."""
        is_said = new.judgment.state is not State.UNJUDGED and self._at(new) > said.at
        if self._kinds.get(new.assessor) != SETTLED or not is_said:
            return False
        pair = numbers.queries.get(new.query_id), numbers.documents.get(new.document_id)
        is_open = pair in self._disputed
        self._disputed.discard(pair)
        return is_open

    @cached_property
    def _disputed(self) -> set[tuple[int | None, int | None]]:
        """What is disputed here, by the numbers of queries and documents."""
        counts = load_values(self._reader, prefix=COUNTS_KEY)
        left_out, final = find_standing(self._reader, counts)
        pairs = load_disputed_pairs(self._reader, left_out=left_out, final=final)
        return {(query, document) for query, document in pairs.tolist()}

    def _is_beside(self, new: NewJudgment, mine: Judgment) -> bool:
        """Whether a judgment only adds to one of the project, and says nothing else of the document."""
        key = (new.query_id, new.document_id, new.assessor)
        if self._said and key in self._said and key not in self._beside:
            return False
        theirs = new.judgment
        is_same = (theirs.state, theirs.grade) == (mine.state, mine.grade)
        return mine.state is not State.UNJUDGED and (is_same or theirs.state is State.UNJUDGED)

    def _settle_conflict(
        self, report: FileReport, new: NewJudgment, merged: Judgment, numbers: KnownNumbers
    ) -> None:
        if self._choices.conflicts is Conflicts.MINE:
            report.count(is_new=False, is_changed=False)
            report.n_left_out += 1
        elif self._choices.conflicts is Conflicts.THEIRS:
            self._take(report, new._replace(judgment=merged), is_new=False)
        else:
            self._keep_both(report, new, numbers)

    def _keep_both(self, report: FileReport, new: NewJudgment, numbers: KnownNumbers) -> None:
        """Keep a judgment under a name made of the assessor's and the file's."""
        stem = PurePath(report.reading.source).stem
        number = 1
        while True:
            tail = f" {number}" if number > 1 else ""
            other = new._replace(assessor=f"{new.assessor} ({stem}{tail})", seen=0, mine=None)
            said = self._find_said(other, numbers)
            if said is None:
                self._plan.import_assessors.add(other.assessor)
                self._take(report, other, is_new=True)
                return
            if _merged(said.judgment, new.judgment) == said.judgment:
                report.count(is_new=False, is_changed=False)
                return
            number += 1

    def _take(self, report: FileReport, new: NewJudgment, *, is_new: bool) -> None:
        key = (new.query_id, new.document_id, new.assessor)
        is_again = self._said is not None and key in self._said
        report.count(is_new=is_new, is_changed=True, is_again=is_again)
        self._plan.judgments.append(new)
        if new.is_beside:
            self._beside.add(key)
        if self._said is not None:
            self._here.setdefault(key, new.mine)
            self._said[key] = Stored(new.judgment, new.seen, new.at or 0)

    def _find_said(self, new: NewJudgment, numbers: KnownNumbers) -> Stored | None:
        """Return what the same assessor has said of the pair, in the import or the project.

        Its step is in either case the one that said it in the project; 0 for none.
        """
        if self._said:
            said = self._said.get((new.query_id, new.document_id, new.assessor))
            if said is not None:
                return said
        query = numbers.queries.get(new.query_id)
        document = numbers.documents.get(new.document_id)
        assessor = self._assessor_numbers.get(new.assessor)
        if query is None or document is None or assessor is None:
            return None
        return find_judgment(self._reader, JudgmentKey(query, document, assessor))

    def _at(self, new: NewJudgment) -> int:
        return self._now if new.at is None else new.at

    # What counts afterwards

    def note_overruled(self) -> None:
        """Note of which documents graded here a file's judgment counts instead, once all are read.

        Of those not graded here, likewise: instead of another file's. That is where the latest
        counts. Where it is by the same assessor, a conflict says it.
        """
        numbers, standing = self._find_voices()
        graded = {new.assessor for new in self._plan.judgments if new.judgment.grade is not None}
        self._plan.uncounted = sorted(each for each in graded if numbers[each] in standing.left_out)
        found = self._brought_by_query()
        if not (self._disagreed or any(found.values())):
            return
        order = load_step_order(self._reader)
        for query, brought in found.items():
            self._check()
            here: defaultdict[int, dict[int, Said | None]] = defaultdict(dict)
            for _query, document, who, grade, step, at in load_settled(self._reader, query):
                if document in brought:
                    place = order.get(step, step)
                    here[document][who] = None if grade is None else Said(grade, place, at)
            for document, said in brought.items():
                if here[document] or len(said) > 1:
                    self._note_document(here[document], said, numbers, standing)
        for said in self._disagreed.values():
            self._note_document({}, said, numbers, standing)

    def _brought_by_query(self) -> dict[int, dict[int, list[_Brought]]]:
        """Return what the files bring of queries of which anything is said here, by the numbers here.

        That of other queries of which they disagree is kept beside it.
        """
        judged = load_judged_queries(self._reader)
        found: dict[int, dict[int, list[_Brought]]] = {query: {} for query in judged}
        for report, places, numbers in self._files if found or self._disagreed else ():
            for place in places:
                if place % _CHECKED_EVERY == 0:
                    self._check()
                new = self._plan.judgments[place]
                if new.is_beside:
                    continue
                query = numbers.queries.get(new.query_id)
                document = numbers.documents.get(new.document_id)
                if query in found and document is not None:
                    found[query].setdefault(document, []).append((new, report))
                elif (pair := (new.query_id, new.document_id)) in self._disagreed:
                    self._disagreed[pair].append((new, report))
        return found

    def _find_voices(self) -> tuple[dict[str, int], Counting]:
        """Return the numbers of all assessors, those that the project lacks below 0, and who counts."""
        plan, counts = self._plan, counts_of(load_values(self._reader, prefix=COUNTS_KEY))
        numbers, left_out, final = dict(self._assessor_numbers), set(), set()
        for name in {new.assessor for new in plan.judgments}:
            numbers.setdefault(name, -len(numbers) - 1)
        for name, number in numbers.items():
            usual = "import" if name in plan.import_assessors else "human"
            kind = self._kinds.get(name) or plan.assessor_kinds.get(name, usual)
            if not does_count(AssessorRow(number, name, kind), counts):
                left_out.add(number)
            elif kind == SETTLED:
                final.add(number)
        return numbers, Counting(frozenset(left_out), frozenset(final))

    def _note_document(
        self,
        here: Mapping[int, Said | None],
        brought: Sequence[_Brought],
        numbers: Mapping[str, int],
        standing: Counting,
    ) -> None:
        """Note whether what files say of a document counts instead of what is said here."""
        after, by = dict(here), {}
        for new, report in brought:
            number, grade = numbers[new.assessor], new.judgment.grade
            after[number] = None if grade is None else Said(grade, _STEP_OF_IMPORT, self._at(new))
            by[number] = new, report
            if grade is None and new.judgment.state is not State.CANNOT_JUDGE:
                del after[number], by[number]
        counted, counted_after = (
            (here, after)
            if standing.is_plain
            else (standing.counted(here), standing.counted(after))
        )
        was, is_now = _find_latest(counted), _find_latest(counted_after)
        now_givers = [who for who, said in counted_after.items() if said == is_now]
        winner = next((who for who in now_givers if who in by), None)
        if winner is None:
            return
        new, report = by[winner]
        found = report.overruled
        if was is None and winner not in standing.final:
            # Nothing counts here: what other files of the import say may.
            others = {who: said for who, said in after.items() if who in by}
            others = {who: said for who, said in others.items() if by[who][1] is not report}
            counted, found = standing.counted(others), report.outdated
            was = _find_latest(counted)
            if was is not None and is_now is not None and was[1:] == is_now[1:]:
                # Of the same time: that is told as such.
                return
        if was is None or (is_now is not None and was.grade == is_now.grade):
            return
        givers = [who for who, said in counted.items() if said == was]
        if not set(givers).isdisjoint(now_givers):
            return
        name, giver = next(each for each in numbers.items() if each[1] in givers)
        source = by[giver][1].reading.source if found is report.outdated else ""
        found.add(Overruled(new, name, was.grade, source))
        report.n_settling += winner in standing.final


def _note_settlers(
    report: FileReport, table: JudgmentTable, names: Sequence[str | None], settled: str
) -> None:
    """Say whose names are dropped where what they settled gets the one name that is for it."""
    pairs = zip(table.assessors, names, strict=True)
    dropped = dict.fromkeys(was for was, name in pairs if was and name == settled != was)
    if dropped:
        shown = ", ".join([*dropped][:_NAMED]) + " …" * (len(dropped) > _NAMED)
        report.notes.append(
            _("What was settled is kept as ‘{settled}’, not by who settled it ({names}).").format(
                settled=settled, names=shown
            )
        )


def _renamed(
    report: FileReport, table: JudgmentTable, names: Sequence[str | None]
) -> JudgmentTable:
    """Return a table by other names of its assessors; of two who become one the first row counts.

    Another that says something else is refused with its line, as where a file names one person twice.
    """
    kept, said = JudgmentTable(), dict[tuple[str | None, ...], tuple[int | None, object]]()
    for place, line in enumerate(table.lines):
        row = table.row(place)._replace(assessor=names[place] or "")
        own = (line, (row.grade, row.state, row.note))
        first = said.setdefault((row.query_id, row.document_id, row.assessor), own)
        if first is own:
            kept.add(row, line=line)
        elif first[1] != own[1]:
            refusal = Refusal(line, *explain_clash(row, first[0]))
            report.refusals.add(refusal)
            report.clashes.add(refusal)
    report.taken = replace(report.taken, judgments=kept)
    return kept


def _find_latest(counted: Mapping[int, Said | None]) -> Said | None:
    graded = [said for said in counted.values() if said is not None]
    return find_latest(graded) if len(graded) > 1 else next(iter(graded), None)


def _is_conflict(mine: Judgment, theirs: Judgment) -> bool:
    """Whether two judgments contradict: in grade or state, or in what both say besides."""
    is_open = State.UNJUDGED in (mine.state, theirs.state)
    if not is_open and (mine.state, mine.grade) != (theirs.state, theirs.grade):
        return True
    both = (
        (mine.note, theirs.note),
        (mine.confidence, theirs.confidence),
        (mine.spans, theirs.spans),
    )
    return any(here and there and here != there for here, there in both)


def _merged(mine: Judgment, theirs: Judgment) -> Judgment:
    """Return theirs with what only mine says: a file often has no notes, flags or reasons."""
    is_same = (mine.state, mine.grade) == (theirs.state, theirs.grade)
    is_about_both = is_same or State.UNJUDGED in (mine.state, theirs.state)
    # How sure somebody was of another grade, and by which words, goes with that grade.
    other = mine if is_about_both else Judgment()
    said = mine if theirs.state is State.UNJUDGED else theirs
    return Judgment(
        said.state,
        said.grade,
        theirs.note or mine.note,
        mine.flagged or theirs.flagged,
        theirs.confidence or other.confidence,
        theirs.spans or other.spans,
    )


def _note_grades(report: FileReport) -> None:
    for (grade, wanted), count in sorted(report.mapped.items()):
        taken = _("Grade {grade} is taken as {wanted}").format(
            grade=format_grade(grade), wanted=format_grade(wanted)
        )
        report.notes.append(
            number_of(count, "{taken}: {n} judgment.", "{taken}: {n} judgments.", taken=taken)
        )
    if report.n_pooled:
        report.notes.append(
            number_of(
                report.n_pooled,
                "{n} line has a negative grade: pooled, not judged. It stays unjudged.",
                "{n} lines have a negative grade: pooled, not judged. They stay unjudged.",
            )
        )
