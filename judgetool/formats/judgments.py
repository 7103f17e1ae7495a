"""Judgments as readers find them: grades mapped, words counted, duplicates noticed; and clicks."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from judgetool.core.clock import iso_utc, read_date
from judgetool.core.judgments import CONFIDENCES, Span, State
from judgetool.core.number_text import local_count
from judgetool.formats.records import (
    Amounts,
    Dates,
    OddCells,
    Record,
    find_comma_grade,
    find_grade,
    find_place,
    find_score,
    find_storage_problem,
    iter_records,
    note_number,
    why_no_grade,
)
from judgetool.formats.source import TextSource
from judgetool.formats.texts import KeptQueries, take_query
from judgetool.formats.values import (
    NO_DETAILS,
    ClickRow,
    Details,
    JudgmentRow,
    JudgmentTable,
    Question,
    Reading,
)
from judgetool.wording import N_, _, quoted

_NOT_RELEVANT = ("irrelevant", "not relevant", "non relevant", "nonrelevant")
# Sets of words that go together, the lowest grade first; alternatives stand side by side.
_KNOWN: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("i", "irrelevant"), ("c", "complement"), ("s", "substitute"), ("e", "exact")),
    (("irrelevant",), ("partial",), ("exact",)),
    (
        ("irrelevant",),
        ("relevant −", "relevant -", "relevant-", "relevant_minus"),
        ("relevant +", "relevant+", "relevant_plus"),
        ("useful",),
        ("vital",),
    ),
    (
        _NOT_RELEVANT,
        ("related", "slightly relevant", "marginally relevant"),
        ("relevant", "fairly relevant"),
        ("highly relevant",),
    ),
    (
        _NOT_RELEVANT,
        ("related", "slightly relevant", "marginally relevant"),
        ("relevant", "fairly relevant", "highly relevant"),
        ("perfectly relevant", "perfect"),
    ),
    (
        _NOT_RELEVANT,
        ("partially relevant", "somewhat relevant", "relevant"),
        ("highly relevant", "very relevant"),
    ),
    (
        (*_NOT_RELEVANT, "bad", "no", "false", "n"),
        ("relevant", "good", "yes", "true", "y"),
    ),
    (("bad", "poor"), ("fair",), ("good",), ("excellent",), ("perfect",)),
    (("bad",), ("fair", "ok", "okay"), ("good",), ("perfect", "excellent")),
)


def propose_grades(
    labels: Iterable[str], level_names: Mapping[str, float] = MappingProxyType({})
) -> dict[str, float]:
    """Return the grades that words usually stand for.

    A set of words is known as a whole: "Exact" is 3 beside "Substitute" and 2 beside
    "Partial". A number with a decimal comma is proposed as that number.

    Args:
        labels: the words as the file spells them.
        level_names: grades by what the project calls them, in lower case: they come first, unless a
            known set has more of the words.

    Returns:
        Grade by word; words that belong to no known set are left out, and so are all
        where no set has more than one of them.

    Examples:
        >>> propose_grades(["E", "S", "C", "I"])
        {'E': 3.0, 'S': 2.0, 'C': 1.0, 'I': 0.0}
        >>> propose_grades(["Exact", "Partial"]), propose_grades(["0,5"])
        ({'Exact': 2.0, 'Partial': 1.0}, {'0,5': 0.5})
    """
    texts = list(labels)
    found = [(_grades_in(known, texts), len(known)) for known in _KNOWN]
    # Of several sets that fit alike: the one that tells most words apart, then the smallest.
    best = max(found, key=lambda each: (len(each[0]), len(set(each[0].values())), -each[1]))[0]
    proposal = best if len(best) > 1 or len(texts) == 1 else {}
    plain = {text: text.strip().lower() for text in texts}
    named = {text: level_names[word] for text, word in plain.items() if word in level_names}
    proposal = named if len(named) >= len(proposal) else proposal
    commas = {text: find_comma_grade(text) for text in texts}
    both = proposal | {text: grade for text, grade in commas.items() if grade is not None}
    return {text: both[text] for text in texts if text in both}


def _grades_in(known: tuple[tuple[str, ...], ...], texts: list[str]) -> dict[str, float]:
    grade_of = {word: float(grade) for grade, words in enumerate(known) for word in words}
    # "relevant-" is a grade of its own; between letters, a hyphen is a blank.
    joined = re.compile(r"[_\s]+|(?<=\w)-(?=\w)")
    plain = {text: joined.sub(" ", text.strip().lower()) for text in texts}
    return {text: grade_of[word] for text, word in plain.items() if word in grade_of}


WHOSE = Question(
    "whose",
    N_("Whose judgments are these?"),
    {
        "people": N_("People’s, or as the file says"),
        "model": N_("A model’s, which do not count"),
        "settled": N_("Known answers, which win over others’"),
    },
    "people",
)
"""What judgments are: whose they are decides whether they count, and what becomes of no grade."""


def find_whose(reading: Reading) -> Question:
    """Return the question whose judgments those of a file are, with the answer to go by."""
    return reading.wishes.answered(WHOSE)


def explain_clash(row: JudgmentRow, line: int | None, file: str = "") -> tuple[str, str]:
    """Return why a judgment is left out that is not what an earlier line says.

    Args:
        row: the judgment.
        line: the earlier one; ``None`` where a file has no lines.
        file: in which it stands, of several; ``""`` where there is one.

    Returns:
        The reason with what counts, and without, see :class:`judgetool.formats.values.Refusal`.
    """
    said = _(
        "document ‘{document}’ of query ‘{query}’ was judged differently on line "
        "{line}; that line counts"
    )
    clash = _("document ‘{document}’ of query ‘{query}’ was judged differently on line {line}")
    if line is None:
        said = _(
            "document ‘{document}’ of query ‘{query}’ was judged differently before; what "
            "came first counts"
        )
        clash = _("document ‘{document}’ of query ‘{query}’ was judged differently before")
    if file:
        said = _(
            "document ‘{document}’ of query ‘{query}’ was judged differently on line {line} of "
            "{file}; that line counts"
        )
    names = {"document": row.document_id, "query": row.query_id, "file": file}
    names["line"] = local_count(line or 0)
    return said.format(**names), clash.format(**names)


GRADE_COMMA = "grade_comma"
"""The question what a comma in grades is."""
_COMMA_CHOICES = {
    "word": N_("Not known: each is mapped by itself, or left out"),
    "decimal": N_("Before decimals: 1,5 is between 1 and 2"),
}
_MOST_NOTED = 10_000
_MAX_LABELS = 1000
_NO_LABELS = frozenset({"nan", "inf", "-inf", "infinity", "-infinity"})


class CollectedJudgments:
    """Judgments as they come in.

    Args:
        reading: gets the refusals, the words that stand for grades, and at the end
            the judgments.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._grade_map = reading.wishes.grade_map
        self._table = JudgmentTable()
        self._seen: dict[tuple[str, ...], tuple[object, int | None, str]] = {}
        self._n_repeated = self._n_unread = 0
        self.are_of_model = find_whose(reading).answer == "model"
        self._comma = reading.wishes.answers.get(GRADE_COMMA, "")
        self._levels = frozenset(() if self.are_of_model else reading.wishes.level_names.values())
        self._with_comma, self._fits = "", set[bool]()

    def grade_of(self, text: str) -> float | None:
        """Return the grade that a text stands for; a word that none is known for is counted.

        Blanks around it are no part of it.
        """
        text = text.strip()
        grade = find_grade(text)
        decimal = find_comma_grade(text)
        if decimal is not None:
            self._with_comma = self._with_comma or text
            is_level = decimal in self._levels
            if text not in self._grade_map:
                self._fits.add(is_level)
            if self._comma == "decimal" or (is_level and not self._comma):
                grade = decimal
        if grade is None and text and text.lower() not in _NO_LABELS:
            labels = self.reading.labels
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

    def refuse_grade(
        self, line: int | None, row: JudgmentRow, text: str, *, column: str = ""
    ) -> None:
        """Say that a text is no grade, and of which judgment where no line tells it.

        ``column`` is the one it stands in, where several of the line hold grades. What a model answers in place of a grade is kept as the note of 'cannot judge'.
        """
        if self.are_of_model:
            self._n_unread += 1
            note = row.note or text[:_MOST_NOTED]
            row = row._replace(grade=None, state=str(State.CANNOT_JUDGE), note=note)
            self.add(line, row)
            return
        said = why_no_grade(text)
        if not line:
            said = _("document ‘{document}’ for query ‘{query}’: {problem}").format(
                document=row.document_id, query=row.query_id, problem=said
            )
        if column:
            said = _("column ‘{column}’: {problem}").format(column=column, problem=said)
        self.reading.refuse(line, said)

    def add(self, line: int | None, row: JudgmentRow, file: str = "") -> None:
        """Keep a judgment unless the same assessor gave one before, which may agree or not.

        ``file`` is the one it stands in, where there are several. Blanks around a name are no part of it.
        """
        row = row._replace(assessor=row.assessor.strip())
        own = ((row.grade, row.state, row.note), line, file)
        first = self._seen.setdefault(row[:3], own)
        if first is own:
            self._table.add(row, line=line)
        elif first[0] == own[0]:
            self._n_repeated += 1
        else:
            reason, clash = explain_clash(row, *first[1:])
            self.reading.refuse(line, *((f"{file}: {reason}",) if file else (reason, clash)))

    def hand_over(self) -> None:
        """Give the judgments to the reading, with notes on what came twice and on words."""
        reading = self.reading
        note_number(
            reading.notes,
            self._n_repeated,
            "{n} line repeats a judgment with the same grade; each counts once.",
            "{n} lines repeat a judgment with the same grade; each counts once.",
        )
        reading.judgments = self._table
        if self._with_comma and not self.are_of_model:
            said = _("Grades such as ‘{grade}’ have a comma: what is it?")
            said = said.format(grade=self._with_comma[:40])
            # Where some are grades of the scale and others are not, only a person knows.
            likely = "" if len(self._fits) > 1 else "decimal" if True in self._fits else "word"
            reading.ask(Question(GRADE_COMMA, said, _COMMA_CHOICES, likely))
        reading.label_proposal = propose_grades(reading.labels, reading.wishes.level_names)
        note_number(
            reading.notes,
            self._n_unread,
            "{n} answer is no grade: kept as ‘cannot judge’.",
            "{n} answers are no grade: kept as ‘cannot judge’.",
        )
        unmapped = [text for text in reading.labels if text not in reading.wishes.grade_map]
        if unmapped and not self.are_of_model:
            some = ", ".join(quoted(text[:40]) for text in unmapped[:8])
            reading.notes.append(
                _(
                    "Grades that are no plain numbers ({some}) need to be told which grade each "
                    "stands for; until then they are left out."
                ).format(some=some)
            )


TRUE_WORDS = frozenset({"true", "t", "1", "yes", "y"})
_FLAGS = {
    **dict.fromkeys(TRUE_WORDS, True),
    **dict.fromkeys(("false", "f", "0", "no", "n"), False),
}
_CONFIDENCES = {
    **{str(number): number for number in CONFIDENCES},
    **{word: number for number, word in CONFIDENCES.items()},
    "low": 1,
    "medium": 2,
    "high": 3,
}
NO_PEOPLE = ("model", "settled")
"""What assessors are who are no people: a model's judgments do not count, settled ones win."""
_KINDS = {
    **{kind: kind for kind in NO_PEOPLE},
    **dict.fromkeys(("person", "people", "human", "import"), ""),
}
# The last one of the year 9999, after which no time is read.
_END_MS = 253_402_300_799_999
# SQLite's largest number; nobody looks at a document for longer.
_MOST_MS = 2**63 - 1


def find_moment(text: str) -> int | None:
    """Return a time as :func:`read_date` has it.

    Returns:
        ``None`` for what is no such time, or lies before 1970.

    Examples:
        >>> find_moment("1970-01-01T00:00:01.5Z"), find_moment("1970-01-01T01:00:01+01:00")
        (1500, 1000)
        >>> find_moment("yesterday")
    """
    found = read_date(text)
    return found if found is not None and found >= 0 else None


def moment_text(moment: int | None) -> str:
    """Return a time as it is written; ``""`` when it is not known, or none that is read back."""
    return iso_utc(moment) if moment is not None and 0 <= moment < _END_MS else ""


def spans_values(spans: Iterable[Span]) -> list[dict[str, str | int]]:
    """Return pieces of text as the objects of a JSON list."""
    return [span._asdict() for span in spans]


def spans_text(spans: Iterable[Span]) -> str:
    """Return pieces of text as a JSON list in one line; ``""`` where there are none."""
    values = spans_values(spans)
    return json.dumps(values, ensure_ascii=False) if values else ""


def find_spans(text: str) -> tuple[Span, ...] | None:
    """Return the pieces of text that a JSON list names; ``None`` if it is no such list.

    Examples:
        >>> find_spans('[{"field": "title", "start": 0, "end": 4, "text": "Soup"}]')
        (Span(field='title', start=0, end=4, text='Soup'),)
        >>> find_spans("a soup")
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list):
        return None
    spans = [_find_span(value) for value in values]
    return None if None in spans else tuple(span for span in spans if span is not None)


def _find_span(value: object) -> Span | None:
    if not isinstance(value, dict):
        return None
    field, start, end, text = (value.get(name) for name in Span._fields)
    if (
        not isinstance(field, str)
        or not isinstance(text, str)
        or find_storage_problem(field + text)
    ):
        return None
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= _MOST_MS:
        return None
    return Span(field, start, end, text)


# For each column its parser, and what it should hold, for a sentence on one that holds otherwise.
_PARSERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "at": (find_moment, N_("a time such as 2026-03-01T10:15:00Z")),
    "spent_ms": (lambda text: _whole(find_score(text)), N_("a number of milliseconds")),
    "flagged": (lambda text: _FLAGS.get(text.lower()), N_("yes or no")),
    "confidence": (lambda text: _CONFIDENCES.get(text.removesuffix(".0").lower()), "1, 2 or 3"),
    "rationale": (find_spans, N_("a JSON list of pieces of text")),
    "assessor_kind": (
        lambda text: _KINDS.get(text.lower()),
        N_("model, settled or nothing for people"),
    ),
}


class DetailTaker:
    """Takes the details out of a table's rows, and counts what it cannot understand.

    Args:
        reading: gets a note for each column with such cells.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading, self._odd, self._dates = reading, OddCells(reading), Dates(reading)

    def take(self, record: Record) -> Details:
        """Take a row's details; a cell that cannot be understood counts as empty."""
        texts = {role: record.take(role).strip() for role in _PARSERS}
        if self._dates.take(record.line, texts["at"]):
            texts["at"] = ""
        if not any(texts.values()):
            return NO_DETAILS
        found = {role: _PARSERS[role][0](text) if text else None for role, text in texts.items()}
        for role, text in texts.items():
            if text and found[role] is None:
                self._odd.add(role, record.line, text)
        return Details(
            found["at"],
            found["spent_ms"],
            bool(found["flagged"]),
            found["confidence"],
            found["rationale"] or (),
            found["assessor_kind"] or "",
        )

    def note(self) -> None:
        """Say what was not understood; the judgments, handed over before, are kept and get their dates."""
        moments = self._dates.settle(self._odd)
        table = self._reading.judgments or JudgmentTable()
        for place, line in enumerate(table.lines if moments else ()):
            if line in moments:
                said = table.details.get(place, NO_DETAILS)
                table.details[place] = said._replace(at=moments[line])
        self._odd.note({role: _(expected) for role, (_parse, expected) in _PARSERS.items()})


# Clicks, from which judgments can be made

CLICK_ZERO = "position_zero"
"""The question what the position 0 of a click says."""
_NO_PLACE = -1
_MOST = 2**53
"""Beyond this, counts are no exact numbers for a measure any more."""


def read_clicks(source: TextSource, reading: Reading) -> None:
    """Read a table of impressions and clicks; rows of the same pair and position add up.

    Args:
        source: the file.
        reading: gets the counts, the queries' texts if there are any, refusals and notes.
    """
    counts = ClickCounts(reading)
    queries = KeptQueries(reading)
    for record in iter_records(source, reading):
        query = take_query(record)
        document_id = record.take("document_id")
        position = record.take("rank")
        if not query.id or not document_id:
            said = _("the row names no document") if query.id else _("the row names no query")
            reading.refuse(record.line, said)
            continue
        row = counts.take(record, query.id, document_id, position=position, is_needed=True)
        if row is None or (query.text and not queries.add(record.line, query)):
            continue
        counts.add(row)
    queries.drop_ids()
    counts.hand_over()


class ClickCounts:
    """Counts that were read, by query, document and position.

    Args:
        reading: gets them, and the lines that do not fit.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._impressions: Counter[tuple[str, str, int]] = Counter()
        self._clicks: Counter[tuple[str, str, int]] = Counter()
        self._numbers = Amounts(reading, are_whole=True)
        self._n_rows = self._n_without_place = 0

    def take(
        self,
        record: Record,
        query_id: str,
        document_id: str,
        *,
        position: str = "",
        is_needed: bool = False,
    ) -> ClickRow | None:
        """Take the counts out of a row; ``None`` if it has none or they do not fit.

        What does not fit is refused, with the line; so is a row without counts where they are needed.
        """
        if not (is_needed or (record.has("clicks") and record.has("impressions"))):
            return None
        texts = record.take("clicks"), record.take("impressions")
        if not (is_needed or any(texts)):
            return None
        if not all(texts):
            # Nothing is said of how often that was: it is no 0.
            lacks = _("the row has no impressions") if texts[0] else _("the row has no clicks")
            self._reading.refuse(record.line, lacks)
            return None
        clicks, impressions = (_whole(self._numbers.number(text.strip())) for text in texts)
        if clicks is None or impressions is None:
            self._reading.refuse(
                record.line,
                _(
                    "clicks and impressions are whole numbers from 0; found ‘{clicks}’ and "
                    "‘{impressions}’"
                ).format(clicks=texts[0][:30], impressions=texts[1][:30]),
            )
            return None
        if clicks > impressions:
            self._reading.refuse(
                record.line,
                _("{clicks} clicks are more than {impressions} impressions").format(
                    clicks=local_count(clicks), impressions=local_count(impressions)
                ),
            )
            return None
        place = _whole(find_place(position.strip())) if position else _NO_PLACE
        self._n_without_place += place is None
        return ClickRow(
            query_id, document_id, impressions, clicks, _NO_PLACE if place is None else place
        )

    def add(self, row: ClickRow) -> None:
        """Add a row's counts to those of the same query, document and position."""
        key = (row.query_id, row.document_id, row.position)
        self._impressions[key] += row.impressions
        self._clicks[key] += row.clicks
        self._n_rows += 1

    def hand_over(self) -> None:
        """Give the reading what was found, and say what was added up."""
        if not self._numbers.are_known():
            return
        by = self._find_shift()
        self._reading.clicks = [
            ClickRow(query, document, n, self._clicks[query, document, place], max(0, place + by))
            for (query, document, place), n in self._impressions.items()
        ]
        n_added = self._n_rows - len(self._impressions)
        note_number(
            self._reading.notes,
            n_added,
            "{n} row of a query, document and position that stand in the file already: "
            "their impressions and clicks are added up.",
            "{n} rows of a query, document and position that stand in the file already: "
            "their impressions and clicks are added up.",
        )
        note_number(
            self._reading.notes,
            self._n_without_place,
            "In {n} row the position is no whole number (a mean, perhaps): it is left out.",
            "In {n} rows the position is no whole number (a mean, perhaps): it is left out.",
        )

    def _find_shift(self) -> int:
        """Return what is to be added to positions: 1 where the file counts them from 0."""
        places = {place for __, __, place in self._impressions}
        if 0 not in places:
            return 0
        # A file that says 0 of all of them may have nothing to say.
        likely = "first" if places - {0, _NO_PLACE} else "unknown"
        question = Question(
            CLICK_ZERO,
            _("Some positions are 0. What does that say?"),
            {
                "first": _("The top one: the file counts from 0, here they count from 1"),
                "unknown": _("Not known: the file counts from 1"),
            },
            likely,
        )
        return int(self._reading.ask(question) == "first")


def _whole(number: float | None) -> int | None:
    """Return a whole number from 0; ``None`` for all else."""
    is_count = number is not None and 0 <= number <= _MOST and number.is_integer()
    return int(number) if is_count and number is not None else None
