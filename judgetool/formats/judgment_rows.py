"""Judgments as readers find them: grades mapped, words counted, duplicates noticed."""

import re
from math import isfinite

from judgetool.formats.columns import count_noun
from judgetool.formats.labels import propose_grades
from judgetool.formats.values import JudgmentRow, JudgmentTable, Reading

_GRADE = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_MAX_LABELS = 1000
_NO_LABELS = frozenset({"nan", "inf", "-inf", "infinity", "-infinity"})


def find_grade(text: str) -> float | None:
    """Return the grade that a text means; ``None`` if it is not a plain number.

    Examples:
        >>> find_grade("-2"), find_grade("0.5"), find_grade("1e3")
        (-2.0, 0.5, None)
        >>> find_grade("9" * 400)
    """
    grade = float(text) if _GRADE.fullmatch(text) else None
    # More digits than a number has room for would be infinite.
    return grade if grade is None or isfinite(grade) else None


class SeenGrades:
    """What was judged on which line, to notice what comes twice."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._seen: dict[tuple[str | None, ...], tuple[int | None, object]] = {}
        self._n_repeated = 0

    def has(self, line: int | None, key: tuple[str | None, ...], said: object) -> bool:
        """Return whether this was judged before; refuse the line if it was judged otherwise."""
        own = (line, said)
        first = self._seen.setdefault(key, own)
        if first is own:
            return False
        if first[1] == said:
            self._n_repeated += 1
        else:
            place = "before" if first[0] is None else f"on line {first[0]:,}"
            counts = "what came first" if first[0] is None else "that line"
            self._reading.refuse(
                line,
                f"document '{key[1]}' of query '{key[0]}' was judged differently {place}; "
                f"{counts} counts",
            )
        return True

    def note(self) -> None:
        """Say how many judgments came twice and agreed."""
        if self._n_repeated:
            verb = "repeats" if self._n_repeated == 1 else "repeat"
            self._reading.notes.append(
                f"{count_noun(self._n_repeated, 'line')} {verb} a judgment with the same grade; "
                "each counts once."
            )


class CollectedJudgments:
    """Judgments as they come in.

    Args:
        reading: gets the refusals, the words that stand for grades, and at the end
            the judgments.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._grade_map = reading.wishes.grade_map
        self._table = JudgmentTable()
        self._seen = SeenGrades(reading)

    def grade_of(self, text: str) -> float | None:
        """Return the grade that a text stands for; a word that none is known for is counted."""
        grade = find_grade(text)
        if grade is None and text and text.lower() not in _NO_LABELS:
            labels = self._reading.labels
            if text in labels or len(labels) < _MAX_LABELS:
                labels[text] = labels.get(text, 0) + 1
        return self._grade_map.get(text, grade)

    def add_graded(self, line: int | None, row: JudgmentRow, grade_text: str) -> None:
        """Keep a judgment whose grade is still a text; refuse it if that is no grade."""
        grade = self.grade_of(grade_text)
        if grade is None:
            self.refuse_grade(line, row, grade_text)
        else:
            self.add(line, row._replace(grade=grade))

    def refuse_grade(self, line: int | None, row: JudgmentRow, text: str) -> None:
        """Say that a text is no grade, and of which judgment where no line tells it."""
        of = "" if line else f" of document '{row.document_id}' for query '{row.query_id}'"
        self._reading.refuse(line, f"the grade '{text[:60]}'{of} is not a number such as 2 or 0.5")

    def refuse(self, line: int | None, reason: str) -> None:
        """Leave a row out."""
        self._reading.refuse(line, reason)

    def add(self, line: int | None, row: JudgmentRow) -> None:
        """Keep a judgment unless the same assessor gave one before."""
        key = (row.query_id, row.document_id, row.assessor or None)
        if not self._seen.has(line, key, (row.grade, row.state, row.note)):
            self._table.add(row, line=line)

    def hand_over(self) -> None:
        """Give the judgments to the reading, with notes on what came twice and on words."""
        self._seen.note()
        reading = self._reading
        reading.judgments = self._table
        reading.label_proposal = propose_grades(reading.labels)
        unmapped = [text for text in reading.labels if text not in reading.wishes.grade_map]
        if unmapped:
            some = ", ".join(f"'{text[:40]}'" for text in unmapped[:8])
            reading.notes.append(
                f"Grades that are no plain numbers ({some}) need to be told which grade each "
                "stands for; until then their rows are left out."
            )
