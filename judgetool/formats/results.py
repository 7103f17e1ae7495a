"""Results in any order to a run: grouped by query, ordered, without duplicates."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from judgetool.core.number_text import local_count, with_point
from judgetool.errors import ParseError
from judgetool.formats.judgments import ClickCounts, CollectedJudgments
from judgetool.formats.records import (
    INFINITE_SCORE,
    find_place,
    find_score,
    is_infinite,
    iter_records,
    note_number,
    note_ties,
    readings,
)
from judgetool.formats.scan import IdCodes, IdColumn, Ints, ScannedRows
from judgetool.formats.source import TextSource
from judgetool.formats.texts import (
    ImageColumn,
    KeptDocuments,
    KeptQueries,
    take_document,
    take_query,
)
from judgetool.formats.values import (
    ARE_SWAPPED,
    SWAPPED,
    JudgmentRow,
    JudgmentTable,
    Question,
    Reading,
    RunTable,
    are_swapped,
)
from judgetool.wording import N_, NN_, _, local_number


def read_results(source: TextSource, reading: Reading) -> None:
    """Read a table of results: queries, documents, and one run for each named in it.

    Results are ordered by rank; by score where there are no ranks; else as they stand.

    Args:
        source: the file.
        reading: gets queries, documents, runs, refusals and notes.
    """
    queries = KeptQueries(reading)
    documents, images = KeptDocuments(), ImageColumn(reading)
    judgments, counts = CollectedJudgments(reading), ClickCounts(reading)
    runs: dict[str, RunRows] = {}
    scores = Scores(reading)
    has_grades, needs = False, dict[str, dict[str, None]]()
    for record in iter_records(source, reading):
        query = take_query(record)
        document_id = record.take("document_id")
        rank_text, score_text = record.take("rank"), record.take("score")
        run_name, grade_text = record.take("run"), record.take("grade").strip()
        has_grades = has_grades or record.has("grade")
        rank = find_place(rank_text) if rank_text else math.nan
        score = scores.number(score_text)
        numbers = {"rank": (rank_text, rank), "score": (score_text, score)}
        reason = _find_reason(query.id, document_id, numbers)
        if reason:
            reading.refuse(record.line, reason)
            continue
        if not queries.add(record.line, query):
            continue
        needs.setdefault(query.id, {})[record.take("need")] = None
        clicked = counts.take(record, query.id, document_id, position=rank_text)
        if clicked is not None:
            counts.add(clicked)
        documents.add(take_document(document_id, record, images))
        rows = runs.setdefault(run_name, RunRows())
        rows.add(query.id, document_id, record.line, rank, score)
        if grade_text:
            row = JudgmentRow(query.id, document_id, "", None)
            judgments.add_graded(record.line, row, grade_text)
    _keep_needs(needs, reading)
    documents.hand_over(reading)
    images.note()
    counts.hand_over()
    if has_grades:
        judgments.hand_over()
    if scores.are_known() and _are_in_place(runs.values(), reading):
        _hand_over_runs(runs, reading)


def _hand_over_runs(runs: Mapping[str, "RunRows"], reading: Reading) -> None:
    """Give the reading its runs; what rows alone brought that are refused by that is left out, too."""
    n_refused = reading.n_refused
    for run_name, run_rows in runs.items():
        run_rows.hand_over(reading, is_ranked=True, name=run_name)
    if reading.n_refused == n_refused:
        return
    pairs = {
        (query_id, run.document_ids[code])
        for run in reading.runs
        for row, query_id in enumerate(run.query_ids)
        for code in run.documents[run.offsets[row] : run.offsets[row + 1]].tolist()
    }
    queries, documents = ({pair[place] for pair in pairs} for place in (0, 1))
    reading.queries = [each for each in reading.queries if each.id in queries]
    reading.documents = [each for each in reading.documents if each.id in documents]
    reading.clicks = [row for row in reading.clicks if row[:2] in pairs]
    table = reading.judgments
    if table is not None:
        reading.judgments = JudgmentTable()
        for place, line in enumerate(table.lines):
            if (table.query_ids[place], table.document_ids[place]) in pairs:
                reading.judgments.add(table.row(place), line=line)


def _keep_needs(needs: Mapping[str, Iterable[str]], reading: Reading) -> None:
    """Give the queries what would satisfy them, and note of how many there are several.

    It stands in every row of a query's results, or in the first.
    """
    said = {query_id: [*filter(None, its)] for query_id, its in needs.items()}
    if any(said.values()):
        reading.queries[:] = [
            replace(each, description=next(iter(said[each.id]), "")) for each in reading.queries
        ]
    note_number(
        reading.notes,
        sum(len(its) > 1 for its in said.values()),
        "{n} query comes with several information needs; the first one counts.",
        "{n} queries come with several information needs; the first one counts.",
    )


_SWAP_CHOICES = {
    "swap": N_("Yes: the column of ranks holds scores, that of scores ranks"),
    "keep": N_("No: both hold what they are called"),
}


def _are_in_place(runs: Iterable["RunRows"], reading: Reading) -> bool:
    """Ask about runs whose ranks and scores seem to have changed places; return whether it is known."""
    if {"rank", "score"} & {*reading.wishes.column_roles.values()}:
        # Somebody has said which column is which.
        return True
    swapped = [each for each in runs if each.seem_swapped()]
    if not swapped:
        return True
    question = Question("ranks", f"{_(SWAPPED)} {_(ARE_SWAPPED)}", _SWAP_CHOICES, "")
    answer = reading.ask(question)
    if answer == "swap":
        for each in swapped:
            each.swap()
    return bool(answer)


SCORE_COMMA = "score_comma"
_COMMA_CHOICES = {
    "decimal": N_("Before decimals: 1,234 is between 1 and 2"),
    "thousands": N_("Between thousands: 1,234 is above 1000"),
}


def has_comma(text: str) -> bool:
    """Whether a text is a number with a comma: before decimals, or between thousands.

    Examples:
        >>> has_comma("12,5"), has_comma("1,234,567.8"), has_comma("12.5"), has_comma("a,b")
        (True, True, False, False)
    """
    return "," in text and bool(readings(text))


_POINTS_SAID = N_(
    "the score ‘{text}’ has points between thousands, so that ‘{either}’ may be above 1000, or "
    "not. Nothing was kept; write the scores without points between thousands, as 1234,5."
)


class Scores:
    """Scores as they are written: with a comma where a file's language has one.

    Args:
        reading: is asked what a comma is, where it may stand between thousands, too.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._are_thousands = reading.wishes.answers.get(SCORE_COMMA) == "thousands"
        self._first, self._is_sure = "", False
        self._grouped = self._either = ""

    def number(self, text: str) -> float | None:
        """Return a score; NaN where there is none, ``None`` if it is not a number."""
        if "," not in text:
            # Of millions of lines, few are looked at closely.
            if not self._either and text[-4:-3] == "." and "," in readings(text):
                self._either = text
            score = find_score(text) if text else math.nan
            return find_score(with_point(text, ".")) if score is None else score
        found = readings(text)
        if found:
            self._first = self._first or text
            # 0,123 and 11,2138 are no thousands.
            self._is_sure = self._is_sure or "." not in found
        if "." in text and "," in found:
            self._grouped = self._grouped or text
        return found.get("." if self._are_thousands else ",")

    def are_known(self) -> bool:
        """Ask what the commas are, if there are any; return whether that is known.

        Raises:
            ParseError: points stand between thousands in some scores, and may in others.
        """
        if not self._first:
            return True
        if self._grouped and self._either:
            said = _(_POINTS_SAID).format(text=self._grouped[:40], either=self._either[:40])
            raise ParseError(said, source=self._reading.source)
        question = Question(
            SCORE_COMMA,
            _("Scores such as ‘{score}’ have a comma: what is it?").format(score=self._first[:40]),
            _COMMA_CHOICES,
            "decimal" if self._is_sure else "",
        )
        return bool(self._reading.ask(question))


_NO_NUMBER_SAID = {
    "rank": N_("the rank ‘{text}’ is not a number"),
    "score": N_("the score ‘{text}’ is not a number"),
}


def why_no_number(what: str, text: str) -> str:
    """Return why a rank or score is none, or none that counts."""
    said = _NO_NUMBER_SAID[what]
    if what == "score" and is_infinite(text):
        said = INFINITE_SCORE
    return _(said).format(text=text[:60])


def _find_reason(
    query_id: str, document_id: str, numbers: Mapping[str, tuple[str, float | None]]
) -> str | None:
    """Return why a row cannot be used, if so; ``numbers`` are texts and numbers by what they are."""
    if not query_id:
        return _("the row names no query")
    if not document_id:
        return _("the row names no document")
    for what, (text, number) in numbers.items():
        if number is None:
            return why_no_number(what, text)
    return None


# Columns of a part: numbers of different types, which numpy's own type cannot tell apart.
Column = npt.NDArray[Any]

_PART = 1 << 16
_NONE, _NO_NUMBER = np.zeros(0, np.int32), np.zeros(0)


_LACKING = {
    "rank": N_("the row has no rank, and other rows of the run have one"),
    "score": N_("the row has no score, and other rows of the run have one"),
}
_NO_SCORES = NN_(
    "{n} row without a score: no score of the run counts.",
    "{n} rows without a score: no score of the run counts.",
)
_NO_RANKS = NN_(
    "{n} row whose rank is no number: no rank of the run is compared with its scores.",
    "{n} rows whose rank is no number: no rank of the run is compared with its scores.",
)


def refuse_result(reading: Reading, query_id: str, rank: int, problem: str) -> None:
    """Say what is wrong with a result of a file without lines, see :meth:`RunRows.add_next`."""
    said = _("result {rank} of query ‘{query}’ {problem}")
    reading.refuse(None, said.format(rank=local_count(rank), query=query_id, problem=problem))


class RunRows:
    """One run's results as they come in, as columns: part by part, each of them many rows."""

    def __init__(self) -> None:
        self._queries, self._documents = Codes(), IdColumn()
        self._rows: list[tuple[str, str, int, float | None, float | None]] = []
        self._ranked: set[tuple[str, str]] = set()
        self._parts: list[tuple[Column, ...]] = []

    def add(
        self, query_id: str, document_id: str, line: int, rank: float | None, score: float | None
    ) -> None:
        """Take a result; NaN or ``None`` stands for a rank or score that is missing."""
        self._rows.append((query_id, document_id, line, rank, score))
        if len(self._rows) == _PART:
            self._close_part()

    def add_next(self, query_id: str, document_id: str, score: float = math.nan) -> str:
        """Take the next result of a query's ranking, of a file without lines.

        Returns:
            What is wrong with it, if so: then it was not taken.
        """
        if not document_id:
            return _("has no id")
        if math.isinf(score):
            return _("has an infinite score: a score must be a finite number")
        if (query_id, document_id) in self._ranked:
            return _("is document ‘{document_id}’ again").format(document_id=document_id)
        self._ranked.add((query_id, document_id))
        place = len(self._ranked)
        self.add(query_id, document_id, place, place, score)
        return ""

    def add_scanned(self, rows: ScannedRows, first: int) -> None:
        """Take the results of lines that were scanned, the first of them with this number."""
        self._close_part()
        codes = np.array([self._queries[query] for query in rows.queries], np.int32)
        self._documents.add_words(rows.documents)
        lines = np.arange(first, first + len(rows.scores), dtype=np.int32)
        queries = np.repeat(codes, rows.query_lengths)
        self._parts.append((queries, lines, rows.ranks, rows.scores))

    def _close_part(self) -> None:
        if not self._rows:
            return
        queries, documents, lines, *numbers = zip(*self._rows, strict=True)
        self._rows.clear()
        codes = np.fromiter(map(self._queries.__getitem__, queries), np.int32, len(queries))
        self._documents.add_texts(documents)
        ranks, scores = (np.array(each, np.float64) for each in numbers)
        self._parts.append((codes, np.array(lines, np.int32), ranks, scores))

    def seem_swapped(self) -> bool:
        """Return whether the ranks look like scores, and the scores like ranks."""
        self._close_part()
        names = list(self._queries)
        return are_swapped(
            (names[query], rank, score)
            for queries, _lines, ranks, scores in self._parts
            for query, rank, score in zip(queries, ranks, scores, strict=True)
        )

    def swap(self) -> None:
        """Take the ranks for scores, and the scores for ranks."""
        self._parts = [(queries, lines, *numbers[::-1]) for queries, lines, *numbers in self._parts]

    def hand_over(
        self,
        reading: Reading,
        *,
        is_ranked: bool,
        name: str = "",
        tags: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Give the reading the run; a result without the number that orders the others is refused.

        Args:
            reading: gets it.
            is_ranked: see :func:`build_run`.
            name: its own.
            tags: by which tag the file calls each result: of how many that follow one another which.
                Several runs in one file are divided by them.
        """
        self._close_part()
        columns = list(zip(*self._parts, strict=True)) or [(_NONE,), (_NONE,), *[(_NO_NUMBER,)] * 2]
        # Column by column, so that no more than one of them is ever there twice.
        self._parts.clear()
        documents, document_ids = self._documents.number()
        queries, lines, *numbers = (_joined(columns, at) for at in range(len(columns)))
        # Of no results there are numbers as of any others.
        ranks, scores = (None if len(each) and np.isnan(each).all() else each for each in numbers)
        results = Results(
            list(self._queries), document_ids, queries, documents, lines, scores, ranks
        )
        if is_ranked:
            results = _refuse_placeless(results, reading)
            results.scores = _without_gaps(results.scores, reading, _NO_SCORES)
        else:
            results.ranks = _without_gaps(results.ranks, reading, _NO_RANKS)
        _note_fractions(reading, results.ranks, results.lines)
        for own, its in _by_tag(results, tags, reading).items():
            reading.runs.append(build_run(its, reading, name=name or own, is_ranked=is_ranked))


def _refuse_placeless(results: "Results", reading: Reading) -> "Results":
    """Refuse results without a rank where others have one; where none has, those without a score."""
    what = "score" if results.ranks is None else "rank"
    column = results.scores if results.ranks is None else results.ranks
    if column is None or not (is_missing := np.isnan(column)).any():
        return results
    for line in results.lines[is_missing].tolist():
        reading.refuse(line, _(_LACKING[what]))
    kept = results.taken(np.flatnonzero(~is_missing))
    # Whoever names a document brings it.
    used, documents = np.unique(kept.documents, return_inverse=True)
    ids = [kept.document_ids[code] for code in used.tolist()]
    return replace(kept, document_ids=ids, documents=documents.astype(kept.documents.dtype))


def _without_gaps(column: Column | None, reading: Reading, said: tuple[str, str]) -> Column | None:
    """Return numbers that order nothing; ``None`` if one is missing, which is said."""
    n_missing = 0 if column is None else int(np.isnan(column).sum())
    note_number(reading.notes, n_missing, *said)
    return None if n_missing else column


_TAGS_APART = NN_(
    "The file has {n} tag ({some}), and each is read as a run of its own.",
    "The file has {n} tags ({some}), and each is read as a run of its own.",
)
_TAGS_TOGETHER = NN_(
    "The file has {n} tag ({some}) and is read as one run.",
    "The file has {n} tags ({some}) and is read as one run.",
)


def _by_tag(
    results: "Results", tags: Sequence[tuple[str, int]], reading: Reading
) -> dict[str, "Results"]:
    """Return the runs of a file by their tags; all of it by its commonest tag where it holds one run.

    There are several where one query has a document or a rank under two tags: a single ranking may
    say by its tags where each result came from.
    """
    counts = Counter[str]()
    for tag, count in tags:
        counts[tag] += count
    names = [tag for tag, _count in counts.most_common() if tag]
    if len(names) > 1:
        numbers = {tag: number for number, tag in enumerate(counts)}
        codes = np.repeat([numbers[tag] for tag, _count in tags], [count for _tag, count in tags])
        columns = [each for each in (results.documents, results.ranks) if each is not None]
        are_apart = "" not in counts and any(
            _has_several(results.queries, column, codes) for column in columns
        )
        said = _TAGS_APART if are_apart else _TAGS_TOGETHER
        note_number(reading.notes, len(names), *said, some=", ".join(names[:5]))
        if are_apart:
            return {tag: results.taken(np.flatnonzero(codes == at)) for tag, at in numbers.items()}
    return {reading.run_name or "".join(names[:1]): results}


def _has_several(queries: Column, column: Column, codes: Column) -> bool:
    """Whether a value stands in the same query under several codes."""
    order = np.lexsort((codes, column, queries))
    steps = [np.diff(each[order]) for each in (queries, column, codes)]
    return bool(((steps[0] == 0) & (steps[1] == 0) & (steps[2] != 0)).any())


def _note_fractions(reading: Reading, ranks: Column | None, lines: Column) -> None:
    """Say that ranks are no whole numbers."""
    if ranks is None or ranks.dtype.kind != "f":
        return
    places = np.flatnonzero(ranks % 1)
    if len(places):
        note_number(
            reading.notes,
            len(places),
            "{n} rank is no whole number ({rank} on line {line}).",
            "{n} ranks are no whole numbers ({rank} on line {line}).",
            rank=local_number(f"{ranks[places[0]]:.15g}"),
            line=local_count(int(lines[places[0]])),
        )


def _note_shared(reading: Reading, results: "Results", order: Ints) -> None:
    """Say of how many queries several results have the same rank, and which in the first of them."""
    assert results.ranks is not None
    queries, ranks = results.queries[order], results.ranks[order]
    is_shared = ranks[1:] == ranks[:-1]
    places = np.flatnonzero(is_shared & (queries[1:] == queries[:-1]))
    if len(places):
        note_number(
            reading.notes,
            _count_queries(queries, is_shared),
            "In {n} query several results have the same rank (rank {rank} of query ‘{query}’): these "
            "stand in the order of the file.",
            "In {n} queries several results have the same rank (rank {rank} of query ‘{query}’): "
            "these stand in the order of the file.",
            rank=local_number(f"{ranks[places[0]]:.15g}"),
            query=results.query_ids[queries[places[0]]],
        )


def _joined(columns: list[tuple[Column, ...]], place: int) -> Column:
    """Join a column's parts and let go of them."""
    parts, columns[place] = columns[place], ()
    return np.concatenate(parts)


class Codes(defaultdict[str, int]):
    """Small integers for texts, in order of first appearance."""

    def __init__(self) -> None:
        # Counting in C: millions of new ids would cost seconds in a method of ours.
        super().__init__(itertools.count().__next__)


@dataclass(slots=True)
class Results:
    """Results as columns, in the order of the file.

    Attributes:
        query_ids: the queries' ids by code.
        document_ids: the documents' ids by code, distinct.
        queries: code of the query, shape (n,).
        documents: code of the document, shape (n,).
        lines: line number, shape (n,).
        scores: float64; ``None`` if the file gave none.
        ranks: as written, for comparison or as the order; ``None`` if there are none.
    """

    query_ids: Sequence[str]
    document_ids: list[str]
    queries: IdCodes
    documents: IdCodes
    lines: IdCodes
    scores: Column | None
    ranks: Column | None

    def taken(self, places: Ints) -> "Results":
        """Return the results at these places, in their order."""
        return replace(
            self,
            queries=self.queries[places],
            documents=self.documents[places],
            lines=self.lines[places],
            scores=None if self.scores is None else self.scores[places],
            ranks=None if self.ranks is None else self.ranks[places],
        )


_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_ENDINGS = (
    *(".run", ".txt", ".trec", ".res", ".tsv", ".tab", ".csv", ".jsonl", ".ndjson", ".json"),
    *(".xlsx", ".xls", ".ods", ".parquet"),
)


def name_from(source: str) -> str:
    """Return a run's name from its file's: no folder, no endings such as ``.run.gz``.

    Examples:
        >>> name_from("runs/bm25.v2.run.gz"), name_from("-")
        ('bm25.v2', '-')
    """
    stem = Path(source).name or source
    for ending in (*_PACKED, *_ENDINGS):
        stem = stem.removesuffix(ending) or stem
    return stem


def build_run(results: Results, reading: Reading, *, name: str, is_ranked: bool) -> RunTable:
    """Group and order results; refuse duplicates and say what was decided.

    Args:
        results: at least their columns; may be empty.
        reading: gets the refusals and notes.
        name: the run's name; ``""`` takes what was said, or the file's.
        is_ranked: order by the rank, else as the file stands (a table's way);
            otherwise by score as TREC does.
    """
    name = name or reading.run_name or name_from(reading.source)
    results = _without_duplicates(_grouped(results), reading)
    offsets = _offsets(results)
    order = _rank_order(results, reading) if is_ranked else _trec_order(results, reading)
    if order is not None:
        results = results.taken(order)
    query_ids = list(results.query_ids)
    present = np.flatnonzero(np.diff(offsets))
    if len(present) < len(query_ids):
        query_ids = [query_ids[code] for code in present]
        offsets = np.concatenate([offsets[present], offsets[-1:]])
    return RunTable(
        name, query_ids, offsets, results.document_ids, results.documents, results.scores
    )


def _grouped(results: Results) -> Results:
    """Bring together a query's results where the file has them in several places."""
    if (results.queries[1:] >= results.queries[:-1]).all():
        return results
    return results.taken(np.argsort(results.queries, kind="stable"))


def _offsets(results: Results) -> Ints:
    """Return where each query's results begin, and where the last one's end."""
    codes = np.arange(len(results.query_ids) + 1, dtype=np.int32)
    return np.searchsorted(results.queries, codes).astype(np.int64)


def _without_duplicates(results: Results, reading: Reading) -> Results:
    """Refuse a document's second result for a query; the first one counts."""
    pairs = results.queries.astype(np.int64) * len(results.document_ids) + results.documents
    ordered = np.sort(pairs)
    if (ordered[1:] != ordered[:-1]).all():
        return results
    by_pair = np.argsort(pairs, kind="stable")
    is_repeat = np.concatenate([[False], np.diff(pairs[by_pair]) == 0])
    firsts = by_pair[np.maximum.accumulate(np.where(is_repeat, 0, np.arange(len(by_pair))))]
    repeats = zip(by_pair[is_repeat].tolist(), firsts[is_repeat].tolist(), strict=True)
    for place, first in sorted(repeats):
        document = results.document_ids[results.documents[place]]
        query = results.query_ids[results.queries[place]]
        lines = local_count(int(results.lines[first]))
        clash = _("document ‘{document}’ stands in query ‘{query}’ on line {lines} already")
        said = _(
            "document ‘{document}’ stands in query ‘{query}’ on line {lines} already; that "
            "line counts"
        )
        clash, reason = (
            each.format(document=document, query=query, lines=lines) for each in (clash, said)
        )
        reading.refuse(int(results.lines[place]), reason, clash)
    return results.taken(np.sort(by_pair[~is_repeat]))


def _trec_order(results: Results, reading: Reading) -> Ints | None:
    """Return the order by score; ``None`` if the file has it already."""
    queries, scores, ranks = results.queries, results.scores, results.ranks
    assert scores is not None
    is_falling = scores[1:] < scores[:-1]
    if ranks is not None:
        # Equal scores allow any rank.
        doubtful = _places_of_queries(queries, ~(is_falling & (ranks[1:] >= ranks[:-1])))
        by_score = doubtful[
            np.lexsort((ranks[doubtful], -(scores[doubtful] + 0.0), queries[doubtful]))
        ]
        rises = ranks[by_score][1:] < ranks[by_score][:-1]
        note_number(
            reading.notes,
            _count_queries(queries[by_score], rises),
            "{n} query’s ranks contradict its scores; the scores count.",
            "{n} queries’ ranks contradict their scores; the scores count.",
        )
    places = _places_of_queries(queries, ~is_falling)
    if not len(places):
        return None
    # The documents' codes are their ids' places by their bytes.
    keys = -results.documents[places], -(scores[places] + 0.0), queries[places]
    order = np.arange(len(scores))
    order[places] = places[np.lexsort(keys)]
    is_tie = scores[order][1:] == scores[order][:-1]
    is_tie &= queries[1:] == queries[:-1]
    n_tied = int((np.append(is_tie, False) | np.append(False, is_tie)).sum())
    note_ties(reading.notes, n_tied, _count_queries(queries, is_tie))
    return order


def _places_of_queries(queries: Column, is_so: Column) -> Ints:
    """Return the places of all results of the queries of which some result and the next are so.

    Args:
        queries: grouped, shape (n,).
        is_so: of each result but the last, shape (n - 1,).
    """
    has_some = np.zeros(int(queries.max(initial=-1)) + 1, np.bool_)
    has_some[queries[1:][is_so & (queries[1:] == queries[:-1])]] = True
    return np.flatnonzero(has_some[queries])


def _count_queries(queries: Column, is_so: Column) -> int:
    """Return of how many queries some result and the next are so; see above."""
    return len(np.unique(queries[1:][is_so & (queries[1:] == queries[:-1])]))


def _rank_order(results: Results, reading: Reading) -> Ints | None:
    """Return the order by rank, or by score where there is none; ``None``: as it stands."""
    if results.ranks is None and results.scores is None:
        return None
    if results.ranks is None:
        return _trec_order(results, reading)
    order = np.lexsort((results.ranks, results.queries))
    _note_shared(reading, results, order)
    if results.scores is not None:
        queries, scores = results.queries[order], results.scores[order]
        count = _count_queries(queries, scores[1:] > scores[:-1])
        note_number(
            reading.notes,
            count,
            "In {n} query ranks and scores disagree; the ranks count.",
            "In {n} queries ranks and scores disagree; the ranks count.",
        )
    return order
