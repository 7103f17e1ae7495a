"""Explain: the arithmetic of a value, rank by rank, down to the last division.

An explanation is the value's own computation laid out: its rows add up to the
value that the engine shows, to 12 digits.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from judgetool.core.number_text import aligned
from judgetool.core.scale import Scale, shown_grade
from judgetool.metrics.block import meant_scale, worth_of
from judgetool.metrics.grades import PlaceArray, QueryGrades, block_of, compute_value
from judgetool.metrics.measure import Measure, parse_measure
from judgetool.metrics.terms import (
    DECIMALS,
    Column,
    FloatArray,
    Layout,
    Terms,
    Tops,
)
from judgetool.metrics.values import SparseTops, undefined_reason
from judgetool.wording import N_, _, local_number, stated, translated


class ExplainedRow(NamedTuple):
    """One document of an explanation, or one place of the ideal order alone.

    Attributes:
        rank: in the ranking, from 1; ``None`` where only the ideal order goes on.
        counted_as: rank that the measure gives it; ``None`` if it is left out.
        grade: that counts; ``None`` where none does, and where there is no document.
        is_judged: whether somebody judged it.
        cells: one number per column; ``None`` is an empty cell.
        is_assumed: whether its grade counts though nobody gave it.
    """

    rank: int | None
    counted_as: int | None
    grade: float | None
    is_judged: bool
    cells: tuple[float | None, ...]
    is_assumed: bool = False


class FootCell(NamedTuple):
    """A sum below a column.

    Attributes:
        key: of the column; empty for a divisor that is no column's sum.
        label: what it is.
        value: the number.
        decimals: to show.
    """

    key: str
    label: str
    value: float
    decimals: int


class Explanation(NamedTuple):
    """A value with its arithmetic.

    Attributes:
        measure: what is explained.
        value: as the engine computes it; ``None`` when undefined.
        reason: why it is undefined, in plain words; else empty.
        columns: after rank and grade; a narrow panel shows those that are main.
        rows: by rank, up to the cutoff or the end of the ranking; a longer ideal goes on.
        foot: sums below the columns.
        division: in numbers, such as ``5.51778 ÷ 5.82347``; else what stands for it.
        result: what it gives, as it is shown.
        above: Σ of the column that adds up, times factor.
        below: divisor; ``None`` when there is none.
        words: what stands for the division in place of numbers; empty where numbers do.
        policy: what unjudged documents count as, and how many there are; empty if none.
        notes: further sentences.
    """

    measure: Measure
    value: float | None
    reason: str
    columns: tuple[Column, ...]
    rows: tuple[ExplainedRow, ...]
    foot: tuple[FootCell, ...]
    division: str
    result: str
    above: float
    below: float | None
    words: str
    policy: str
    notes: tuple[str, ...]

    @property
    def arithmetic(self) -> str:
        """The last line, such as ``5.51778 ÷ 5.82347 = 0.9475``."""
        return _last_line(self, self.division, self.result, str)

    @property
    def relation(self) -> str:
        """What stands between the last line and its result: nothing follows from a divisor of 0."""
        return N_("counts as") if self.value is not None and self.below == 0 else "="

    @property
    def main_columns(self) -> tuple[int, ...]:
        """Places of the columns that a narrow panel shows."""
        return tuple(place for place, column in enumerate(self.columns) if column.is_main)

    def column_sum(self, key: str) -> float:
        """Return the sum of a column over all rows, empty cells as 0."""
        place = [column.key for column in self.columns].index(key)
        return sum(row.cells[place] or 0.0 for row in self.rows)


class CountedDocuments(NamedTuple):
    """The documents that a measure counts, in the order in which it counts them.

    Attributes:
        grades: all of the query.
        places: of the counted documents in the ranking, from 0, shape (m,): the first
            ranks, without unjudged documents where these are left out.
        length: documents in the whole ranking so counted.
        tops: what the measure's terms see of them.
    """

    grades: QueryGrades
    places: PlaceArray
    length: int
    tops: Tops


def find_subject(
    measure: Measure, grades: QueryGrades, scale: Scale | None, *, leave_out_unjudged: bool
) -> CountedDocuments:
    """Return the documents that count, in order."""
    block, places = block_of(grades, scale), np.arange(grades.n_retrieved)
    if measure.takes_out_unjudged(leave_out_unjudged=leave_out_unjudged):
        block, places = block.condensed, np.flatnonzero(grades.is_judged)
    worth, ranked = worth_of(measure, scale).of, grades.ranked[places]
    pool = worth(grades.judged)
    tops = Tops(
        measure,
        worth(ranked)[None, :],
        np.array([float(len(places))]),
        pool.sum()[None],
        (len(pool) - pool.sum())[None],
        judged=~np.isnan(ranked)[None, :],
        pooled=grades.is_pooled[places][None, :],
        pool=pool[None, :],
        explained=next(SparseTops(block, measure).judged_rows()),
    )
    return CountedDocuments(grades, places[: measure.cutoff], len(places), tops)


def has_explanation(measure: Measure) -> bool:
    """Return whether a measure's value adds up from rows: all but NumQ."""
    return measure.name != "NumQ"


def explain_value(
    measure: Measure | str,
    grades: QueryGrades,
    scale: Scale | str | None,
    *,
    leave_out_unjudged: bool = False,
) -> Explanation:
    """Return how one query's value comes about.

    Args:
        measure: any of the table, or its name.
        grades: of the query.
        scale: of the grades, or its name; ``None`` for TREC 0-4.
        leave_out_unjudged: the policy: unjudged documents are taken out of the ranking
            first (condensed list) rather than counted as not relevant.

    Returns:
        For a measure without an explanation the documents with their grades, no columns,
        and the formula as the last line.

    Examples:
        >>> from judgetool.metrics.measure import parse_measure
        >>> grades = QueryGrades(np.array([3.0, 1.0, 3.0, 0.0, 1.0]))
        >>> explain_value(parse_measure("nDCG@5"), grades, "0-3").arithmetic
        '5.51778 ÷ 5.82347 = 0.9475'
    """
    measure, scale = parse_measure(measure), meant_scale(scale)
    subject = find_subject(measure, grades, scale, leave_out_unjudged=leave_out_unjudged)
    terms = measure.spec.terms(subject.tops)
    value = compute_value(measure, grades, scale, leave_out_unjudged=leave_out_unjudged)
    judged, worth = grades.judged, worth_of(measure, scale)
    if measure.spec.uses != "clicks" and (not len(judged) or judged.max() > worth.ceiling):
        value = None
    reason = (
        ""
        if value is not None
        else undefined_reason(
            measure, judged, worth, knows_facts=measure.spec.facts in grades.facts
        )
    )
    told = _Told(terms, value)
    return Explanation(
        measure=measure,
        value=value,
        reason=reason,
        columns=told.finer,
        rows=_rows(subject, list(told.columns.values())),
        foot=told.foot,
        division=told.division if told.columns else measure.spec.formula,
        result=told.result(value),
        above=terms.factor * told.total if told.columns else 0.0,
        below=told.below,
        words=told.words,
        policy=_policy(subject),
        notes=(*_policy_of_others(subject), *told.layout.notes),
    )


_MOST_MORE = 6
_HALF, _ALIKE = 0.5 + 1e-6, 1e-9


class _Told:
    """Terms of one ranking laid out.

    Attributes:
        layout: as the record has it; empty where there is none.
        columns: with their numbers, flat.
        total: the sum, with what no row holds.
        below: the divisor, ``None`` when there is none.
        more: decimals more than usual that what is shown needs to give the value.
        foot: the sums below the columns.
    """

    def __init__(self, terms: Terms, value: float | None) -> None:
        self.terms = terms
        self.layout = terms.layout() if terms.layout else Layout({}, "")
        self.columns = {column: np.ravel(cells) for column, cells in self.layout.columns.items()}
        keyed = self._keyed = {column.key: column for column in self.columns}
        adds, by = self.layout.adds, terms.by
        added = self.columns[keyed[adds]] if keyed else 0.0
        self.total = float(np.nansum(added)) + self.layout.constant
        self.below = None if by.number is None else float(np.asarray(by.number).item())
        self.more, self.foot = 0, tuple[FootCell, ...]()
        if not keyed:
            return
        if value is not None:
            while self.more < _MOST_MORE and not self._gives(value):
                self.more += 1
        # A sum has a decimal less than its terms: these, added up as they are shown, give it.
        decimals, of_terms = DECIMALS - 1 + self.more, keyed[adds].decimals
        above = of_terms if of_terms < DECIMALS else decimals
        self.foot = (FootCell(adds, self.layout.above, self.total, above),)
        if self.below is not None:
            of_terms = keyed[by.key].decimals if by.key else DECIMALS
            below = of_terms if of_terms < DECIMALS else decimals
            self.foot += (FootCell(by.key, by.words, self.below, below),)

    def _gives(self, value: float) -> bool:
        """Whether the value follows from the terms, and from the sums, as they are shown."""
        above, added = self._shown_sum(self.layout.adds, self.total, self.layout.constant)
        factor, whole, below, divisor = 1.0, self.total, 1.0, 1.0
        if self.below is not None:
            below, divisor = self._shown_sum(self.terms.by.key, self.below)
            factor = round(self.terms.factor, DECIMALS - 1 + self.more)
            whole = self.terms.factor * whole / self.below if self.below else math.nan
        if math.isnan(above) or math.isnan(below):
            return False
        if not below or not abs(whole - value) < _ALIKE:
            # It is not of this division.
            return True
        for shown in (factor * above / below, factor * added / divisor):
            # Half way between two it would read as either, unless the value itself stands there.
            least = most = shown
            if abs(shown - value) > _ALIKE:
                least, most = shown - _ALIKE, shown + _ALIKE
            if not f"{least:.4f}" == f"{value:.4f}" == f"{most:.4f}":
                return False
        return True

    def _shown_sum(self, key: str, total: float, constant: float = 0.0) -> tuple[float, float]:
        """Return a sum as it is shown, and what the cells of its column give as they are shown.

        NaN for the first: the second gives another.
        """
        decimals = DECIMALS - 1 + self.more
        shown = round(total, decimals)
        if not key or self._keyed[key].decimals < DECIMALS:
            return shown, shown
        cells = self.columns[self._keyed[key]].round(decimals + 1)
        added = float(np.nansum(cells)) + constant
        return (math.nan if abs(added - shown) > _HALF * 10.0**-decimals else shown), added

    @property
    def finer(self) -> tuple[Column, ...]:
        """The columns with the decimals that they need here."""
        if not self.more:
            return tuple(self.columns)
        finer = DECIMALS + self.more
        return tuple(
            column if column.decimals < DECIMALS else column._replace(decimals=finer)
            for column in self.columns
        )

    @property
    def words(self) -> str:
        """What stands for the sum in the last line; empty where the division does."""
        return "" if self.below is not None else self.layout.line or self.layout.above

    @property
    def division(self) -> str:
        """What gives the value: numbers, or what stands for them."""
        if self.below is None:
            return self.words
        factor, (above, below) = self.terms.factor, self.foot
        times = f"{format_operand(factor, DECIMALS - 1 + self.more)} × " if factor != 1 else ""
        return f"{times}{above.value:.{above.decimals}f} ÷ {format_foot(below)}"

    def result(self, value: float | None) -> str:
        """Return the value as it is shown."""
        if value is None:
            return "undefined"
        return f"{self.total:.0f}" if self.layout.is_count else f"{value:.4f}"


def _rows(subject: CountedDocuments, columns: list[FloatArray]) -> tuple[ExplainedRow, ...]:
    n_counted = len(subject.places)
    n_rows = max([n_counted, *map(len, columns)])
    table = np.full((n_rows, len(columns)), np.nan)
    for place, numbers in enumerate(columns):
        table[: len(numbers), place] = numbers
    numbers_or_none = table.astype(object)
    numbers_or_none[np.isnan(table)] = None
    cells = [tuple(row) for row in numbers_or_none.tolist()]
    counted_as = {int(place): index for index, place in enumerate(subject.places)}
    empty = (None,) * len(columns)
    # Documents that are left out stand where they were found, without numbers.
    last = int(subject.places[-1]) + 1 if n_counted else 0
    rows = []
    for place, grade in enumerate(subject.grades.ranked[:last].tolist()):
        index = counted_as.get(place)
        has_grade, is_assumed = not np.isnan(grade), _is_assumed(subject.grades, place)
        rows.append(
            ExplainedRow(
                rank=place + 1,
                counted_as=None if index is None else index + 1,
                grade=grade if has_grade else None,
                is_judged=has_grade and not is_assumed,
                cells=empty if index is None else cells[index],
                is_assumed=is_assumed,
            )
        )
    rows += [
        ExplainedRow(None, index + 1, None, is_judged=False, cells=cells[index])
        for index in range(n_counted, n_rows)
    ]
    return tuple(rows)


def format_operand(number: float, decimals: int) -> str:
    """Return a number as it stands in a line: with as many of these decimals as it has."""
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def _is_assumed(grades: QueryGrades, place: int) -> bool:
    return grades.assumed is not None and bool(grades.assumed[place])


def _policy(subject: CountedDocuments) -> str:
    """Return how many documents nobody judged, and what they count as; of some a grade is assumed."""
    grades = subject.grades
    n_graded, n_ranks = grades.count_judged_in_top(subject.tops.cutoff)
    n_assumed = _count_assumed(subject)
    if n_graded - n_assumed == n_ranks or subject.tops.measure.spec.counts_judgments:
        return ""
    sentence = {
        "samples": N_("{n} of {total} unjudged: estimated from those that were sampled."),
        "pool": N_(
            "{n} of {total} unjudged: those of the pool taken to be relevant as often as the judged, "
            "others as not relevant."
        ),
        "none": N_("{n} of {total} unjudged: they play no part."),
        "left out": N_("{n} of {total} unjudged: left out of the ranking."),
        "zero": N_("{n} of {total} unjudged: counted as not relevant."),
    }[_counts_as(subject)]
    if n_assumed:
        sentence = N_("{n} of {total} unjudged; of {assumed} of them a grade is assumed.")
    n_unjudged = n_ranks - n_graded + n_assumed
    return stated(sentence, n=n_unjudged, total=n_ranks, assumed=n_assumed)


def _policy_of_others(subject: CountedDocuments) -> tuple[str, ...]:
    """Return what documents count as that have no grade beside those of which one is assumed."""
    n_graded, n_ranks = subject.grades.count_judged_in_top(subject.tops.cutoff)
    if n_graded == n_ranks or not _count_assumed(subject):
        return ()
    return (
        {
            "samples": N_("The other unjudged: estimated from those that were sampled."),
            "pool": N_(
                "The other unjudged: those of the pool taken to be relevant as often as the judged, "
                "others as not relevant."
            ),
            "none": N_("The other unjudged: they play no part."),
            "left out": N_("The other unjudged: left out of the ranking."),
            "zero": N_("The other unjudged: counted as not relevant."),
        }[_counts_as(subject)],
    )


def _count_assumed(subject: CountedDocuments) -> int:
    assumed = subject.grades.assumed
    return 0 if assumed is None else int(assumed[: subject.tops.cutoff].sum())


def _counts_as(subject: CountedDocuments) -> str:
    """Return what an unjudged document counts as."""
    spec, grades = subject.tops.measure.spec, subject.grades
    if spec.facts == "samples":
        return "samples"
    is_open = grades.pooled is not None and grades.pooled & ~grades.is_judged
    if spec.sees == "pool" and np.any(is_open):
        return "pool"
    if spec.skips_unjudged:
        return "none"
    return "left out" if subject.length < subject.grades.n_retrieved else "zero"


UNJUDGED = "–"
ASSUMED = N_("A grade in brackets is assumed: nobody has judged the document.")
"""What brackets around a grade say."""


MAX_LABEL = 40


def format_explanation(
    explanation: Explanation, documents: Sequence[str] = (), *, is_wide: bool = False
) -> str:
    """Return an explanation as lines of text in the language, without a newline at the end.

    Args:
        explanation: what to show.
        documents: ids by rank, shown in the last column; may be empty.
        is_wide: whether to show all columns rather than the main ones.
    """
    shown = [place for place, column in enumerate(explanation.columns) if is_wide or column.is_main]
    is_condensed = any(row.counted_as != row.rank for row in explanation.rows if row.rank)
    table = [_heads(explanation, shown, is_condensed=is_condensed, has_documents=bool(documents))]
    for row in explanation.rows:
        cells = _row_cells(explanation, row, shown)
        if is_condensed:
            cells.insert(1, UNJUDGED if row.counted_as is None else str(row.counted_as))
        if documents:
            cells.append(_label(row, documents))
        table.append(cells)
    lines = [str(explanation.measure), "", *aligned(table, left=[-1] if documents else []), ""]
    foot = ((translated(cell.label), local_number(format_foot(cell))) for cell in explanation.foot)
    lines += [f"{label}: {value}" for label, value in foot]
    if any(row.is_assumed for row in explanation.rows):
        lines.append(_(ASSUMED))
    lines += [translated(note) for note in (explanation.policy, *explanation.notes) if note]
    if explanation.reason:
        lines.append(_("Undefined: {reason}.").format(reason=translated(explanation.reason)))
    words = explanation.words
    division = translated(words) if words else local_number(explanation.division)
    result = local_number(explanation.result)
    return "\n".join([*lines, _last_line(explanation, division, result, _)])


def _last_line(
    explanation: Explanation, division: str, result: str, say: Callable[[str], str]
) -> str:
    if not explanation.columns:
        return f"{division}; here {result}"
    if explanation.value is not None:
        return f"{division} {say(explanation.relation)} {result}"
    # What could be divided has no value because its ranking or query allows none.
    is_division = bool(explanation.below)
    untaken = N_("{line} is not taken: the value is undefined")
    return say(untaken if is_division else N_("{line} is undefined")).format(line=division)


def explanation_to_dict(explanation: Explanation, documents: Sequence[str] = ()) -> dict[str, Any]:
    """Return an explanation as plain values for JSON; numbers are not rounded.

    Args:
        explanation: what to write.
        documents: ids by rank; may be empty.
    """
    return {
        "measure": str(explanation.measure),
        "value": explanation.value,
        "undefined_because": explanation.reason or None,
        "unjudged": explanation.policy or None,
        "rows": [_row_dict(explanation, row, documents) for row in explanation.rows],
        "sums": {cell.label: cell.value for cell in explanation.foot},
        "above": explanation.above,
        "below": explanation.below,
        "arithmetic": explanation.arithmetic,
        "notes": list(explanation.notes),
    }


def format_cell(number: float | None, column: Column) -> str:
    """Return one cell as shown: counts whole, others with the column's decimals."""
    return "" if number is None else f"{number:.{column.decimals}f}"


def format_foot(cell: FootCell) -> str:
    """Return a sum of the foot; a divisor that is no column's sum with the decimals that it has."""
    if not cell.key:
        return format_operand(cell.value, cell.decimals)
    return f"{cell.value:.{cell.decimals}f}"


def _row_dict(
    explanation: Explanation, row: ExplainedRow, documents: Sequence[str]
) -> dict[str, Any]:
    values: dict[str, Any] = {"rank": row.rank, "counted_as": row.counted_as}
    if row.rank is not None and row.rank <= len(documents):
        values["document"] = documents[row.rank - 1]
    values |= {"grade": row.grade, "is_judged": row.is_judged, "is_assumed": row.is_assumed}
    cells = zip(explanation.columns, row.cells, strict=True)
    return values | {column.key: cell for column, cell in cells if cell is not None}


def _heads(
    explanation: Explanation, shown: list[int], *, is_condensed: bool, has_documents: bool
) -> list[str]:
    heads = [_("rank"), *([_("as")] if is_condensed else []), _("grade")]
    heads += [_(explanation.columns[place].head) for place in shown]
    return heads + ([_("document")] if has_documents else [])


def _row_cells(explanation: Explanation, row: ExplainedRow, shown: list[int]) -> list[str]:
    grade = UNJUDGED if row.grade is None else shown_grade(row.grade)
    grade = f"({grade})" if row.is_assumed else grade
    rank = str(row.counted_as) if row.rank is None else str(row.rank)
    if row.rank is None:
        grade = ""
    cells = [format_cell(row.cells[place], explanation.columns[place]) for place in shown]
    return [rank, *map(local_number, (grade, *cells))]


def _label(row: ExplainedRow, documents: Sequence[str]) -> str:
    if row.rank is None:
        return _("(ideal only)")
    name = documents[row.rank - 1] if row.rank <= len(documents) else ""
    return name if len(name) <= MAX_LABEL else f"{name[: MAX_LABEL - 1]}…"
