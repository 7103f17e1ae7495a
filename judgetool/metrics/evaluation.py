"""Evaluate a run against judgments in one call, and its result: values, means, how they came about."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from judgetool.core.number_text import counted
from judgetool.core.rankings import score_order
from judgetool.core.scale import MOST_GAIN, MOST_GRADE, Scale, format_grade
from judgetool.errors import InputError
from judgetool.metrics.block import Grading, edges_of, grading_of, meant_scale
from judgetool.metrics.conventions import Conventions, Scores, convention_preset
from judgetool.metrics.engine import Engine, RunBlock, ValueTable
from judgetool.metrics.measure import Measure, parse_measure, parse_measures
from judgetool.metrics.rankings import SAMPLE_COLUMNS, FactTable, KeyArray, pack_facts, pack_lengths
from judgetool.metrics.terms import FactKind, FloatArray
from judgetool.metrics.values import Mean, Value

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values of one run.

    Attributes:
        measures: columns, as asked for (a preset's rewrites done).
        queries: ids of all queries, judged or in the run, in the order of evaluation.
        values: shape (n_queries, n_measures); masked where undefined or not counted.
        means: one :class:`Mean` per measure.
        conventions: what counted.
        scale_name: name of the scale by which grades were read; ``TREC 0–4`` without one.
        n_judged: queries with at least one grade.
        n_missing: judged queries that the run lacks.
        n_unjudged: queries of the run without a grade.
        engine: what computed the values, with the run under key 0.
    """

    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: ValueTable
    means: tuple[Mean, ...]
    conventions: Conventions
    scale_name: str
    n_judged: int
    n_missing: int
    n_unjudged: int
    engine: Engine = field(repr=False)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {query: row for row, query in enumerate(self.queries)}

    def _column(self, measure: Measure | str) -> int:
        wanted = parse_measure(measure)
        meant = [wanted]
        if self.conventions.preset:
            # As it was asked for, before the preset rewrote it.
            preset = convention_preset(self.conventions.preset)
            meant += [preset.rewrite(wanted, has_scale=has_scale) for has_scale in (True, False)]
        for each in meant:
            if each in self.measures:
                return self.measures.index(each)
        raise KeyError(f"{wanted} was not computed; {', '.join(map(str, self.measures))} were")

    def mean(self, measure: Measure | str) -> float | None:
        """Return a measure's mean over the counted queries (of counts the sum).

        Returns:
            ``None`` when no query is counted.

        Raises:
            KeyError: the measure was not computed.
        """
        return self.means[self._column(measure)].value

    def value(self, query: str, measure: Measure | str) -> float | None:
        """Return one value, ``None`` where it is undefined or the query is not counted.

        Raises:
            KeyError: the measure was not computed, or the query is unknown.
        """
        return self.query_values(query)[self._column(measure)].value

    def query_values(self, query: str) -> tuple[Value, ...]:
        """Return the values of one query with the reason where there is none.

        Raises:
            KeyError: the query is unknown.
        """
        return self.engine.value(0, self._rows[query])

    def per_query(self) -> dict[str, dict[str, float | None]]:
        """Return the values by query and by the measure's spelling; ``None`` where undefined."""
        names = [str(measure) for measure in self.measures]
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(self.queries, self.values.tolist(), strict=True)
        }

    def mean_values(self) -> dict[str, float | None]:
        """Return the means by the measure's spelling."""
        return {
            str(measure): mean.value
            for measure, mean in zip(self.measures, self.means, strict=True)
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return the values as a table: a row per query, a column per measure.

        What is undefined is missing (NaN in pandas' sense). pandas is loaded here.
        """
        import pandas as pd

        rows = self.per_query()
        columns = [str(measure) for measure in self.measures]
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype=float)
        return frame.rename_axis("query_id")

    def judged_grades(self) -> dict[str, list[float]]:
        """Return the grades of each judged query, rising, whatever documents they are of."""
        found = {}
        for row, query in enumerate(self.queries):
            grades = self.engine.judged_grades(row)[1]
            if len(judged := grades[grades >= 0]):
                found[query] = np.sort(judged).tolist()
        return found

    def describe(self) -> tuple[str, ...]:
        """Return how the numbers came about, a sentence each."""
        return (
            *self.conventions.describe(),
            f"Grades are read by the scale {self.scale_name}.",
            counted(self.n_judged, "#query {is|are} judged."),
            *self._exceptions(),
        )

    def _exceptions(self) -> Sequence[str]:
        found = []
        if self.n_missing:
            found.append(counted(self.n_missing, "#query {is|are} judged but absent from the run."))
        if self.n_unjudged:
            found.append(counted(self.n_unjudged, "#query {is|are} in the run but not judged."))
        return found


Qrels: TypeAlias = (
    "Mapping[str, Mapping[str, float] | Mapping[str, Mapping[str, float]]] | pd.DataFrame"
)


Run: TypeAlias = "Mapping[str, Mapping[str, float] | Sequence[str]] | pd.DataFrame"


Measures = str | Measure | Iterable[str | Measure]


class JudgedTriples(NamedTuple):
    """Judgments as arrays, in any order.

    Attributes:
        queries: query of each, int32, shape (n,).
        documents: document of each, int32, shape (n,).
        grades: grade of each, finite, shape (n,); negative means 'in the pool, not judged'.
    """

    queries: KeyArray
    documents: KeyArray
    grades: FloatArray


def evaluate(  # noqa: PLR0913 - what an evaluation depends on
    qrels: Qrels,
    run: Run,
    measures: Measures,
    *,
    scale: Scale | str | None = None,
    conventions: Conventions | str | None = None,
    weights: Mapping[str, float] | None = None,
    lengths: Mapping[str, float] | None = None,
    samples: Iterable[tuple[str, str, str, float]] = (),
) -> Evaluation:
    """Return the values and means of a run.

    Args:
        qrels: grade by query and document, as nested dictionaries or as a frame with
            columns ``query_id``, ``doc_id``, ``relevance``. A negative grade means
            'in the pool, not judged'. In place of a grade there may be grades by
            subtopic, in a frame a column ``subtopic``: measures of diversity read them,
            for all others the highest of them counts. Ids are texts: 7 is refused, and "07" is
            another than "7".
        run: score by query and document, or for each query a list of the documents in ranked
            order; or a frame with ``query_id``, ``doc_id``, ``score``. Scores are
            ordered as trec_eval does: highest first, ties by document id, falling.
        measures: one or several, as text or as values; ``"map"``, ``"P.5,10"`` will do.
        scale: how grades are read, or its name: ``0-3``, ``esci``, ``1-5@4``. ``None`` for the
            scale of a preset that has one, else for TREC's 0–4.
        conventions: what counts where definitions leave a choice, or a preset's name,
            which also decides what a bare measure name stands for.
        weights: importance by query, 1 where it is not given; used when the
            conventions say so.
        lengths: by document, for TBG (seconds) and U (characters).
        samples: for xinfAP and statAP (query, document, what, number) of the documents
            that could be sampled: their ``stratum`` or ``probability``, and their ``grade``
            if they were.

    Returns:
        Values of all queries that are judged or in the run, by id, rising. With
        neither, no query and means of ``None``.

    Raises:
        UsageError: a measure, preset or scale that there is not.
        InputError: judgments or run are given in another form, an id is no text, a score or grade
            is not a finite number (scores may be infinite; the text names query and document),
            a grade is above what a measure can read, a weight is not above 0, a document of the
            run has no length where some are given, or of a sample something else is told.

    Examples:
        >>> qrels = {"q1": {"a": 1, "b": 0, "c": 1}}
        >>> run = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}}
        >>> evaluate(qrels, run, ["P@2", "AP"]).mean_values()
        {'P@2': 0.5, 'AP': 0.5833333333333333}
    """
    chosen, rules, scale = _resolve(measures, conventions, scale)
    judged, by_subtopic = _split_subtopics(_by_query(qrels, "relevance"))
    ranked = _by_query(run, "score")
    query_ids = sorted({*judged, *ranked})
    keys: dict[str, int] = {}
    triples = _pack_judgments(query_ids, judged, keys)
    sampled = [(query, document, what, float(number)) for query, document, what, number in samples]
    for query, document, what, *_ in sampled:
        if what not in SAMPLE_COLUMNS:
            raise InputError(
                f"Query {query!r}, document {document!r}: of a sample {', '.join(SAMPLE_COLUMNS)} can "
                f"be told, not {what!r}."
            )
        keys.setdefault(document, len(keys))
    block = _pack_run(query_ids, ranked, keys, scores=rules.scores)
    places = {query: place for place, query in enumerate(query_ids)}
    facts: dict[FactKind, FactTable] = {}
    if by_subtopic:
        facts["subtopics"] = pack_facts(by_subtopic, places, keys)
    if sampled:
        facts["samples"] = pack_facts(sampled, places, keys, SAMPLE_COLUMNS)
    if lengths is not None:
        numbers = np.array([float(lengths.get(document, np.nan)) for document in keys])
        lacking = block.documents[np.isnan(numbers[block.documents])]
        if len(lacking):
            raise InputError(
                f"Document {list(keys)[int(lacking[0])]!r} of the run has no length. Give lengths of "
                "all documents of the run, or none."
            )
        facts["lengths"] = pack_lengths([block], numbers)
    shares = None
    if weights is not None:
        shares = np.array([float(weights.get(query, 1.0)) for query in query_ids])
    return evaluate_arrays(
        triples,
        block,
        chosen,
        scale=scale,
        conventions=rules,
        names=(query_ids, shares),
        facts=facts,
    )


def evaluate_arrays(  # noqa: PLR0913 - what an evaluation depends on
    judgments: JudgedTriples,
    run: RunBlock,
    measures: Measures,
    *,
    scale: Scale | str | None = None,
    conventions: Conventions | str | None = None,
    names: tuple[Sequence[str], FloatArray | None] | None = None,
    facts: Mapping[FactKind, FactTable] | None = None,
) -> Evaluation:
    """Return the values and means of a run that is packed into arrays already.

    Args:
        judgments: dense integers of queries and documents, and grades.
        run: rankings in ranked order, one for each query, empty where there is none.
        measures: as for :func:`evaluate`.
        scale: as for :func:`evaluate`.
        conventions: as for :func:`evaluate`.
        names: ids of the queries, shape (n_queries,), and their weights or ``None``.
            Without ids queries are called by their number.
        facts: what is known of documents beside their grades, by kind.

    Raises:
        InputError: a grade is above what a measure can read, or a weight is not above 0.
        ValueError: the arrays do not fit each other.
    """
    chosen, rules, scale = _resolve(measures, conventions, scale)
    n_queries = len(run.offsets) - 1
    ids, weights = names if names is not None else ([str(n) for n in range(n_queries)], None)
    _check_grades(judgments, chosen, grading_of(scale), ids)
    for query, weight in zip(ids, () if weights is None else weights.tolist(), strict=False):
        if not 0 < weight < math.inf:
            raise InputError(f"Query {query!r}: the weight is not a number above 0 but {weight:g}.")
    engine = Engine(n_queries, scale=scale, measures=chosen, conventions=rules, weights=weights)
    engine.set_judgments(judgments.queries, judgments.documents, judgments.grades)
    for kind, table in (facts or {}).items():
        engine.set_facts(kind, table)
    engine.add_run(0, run)
    judged = np.zeros(n_queries, dtype=np.bool_)
    judged[judgments.queries[judgments.grades >= 0]] = True
    found = run.lengths > 0
    return Evaluation(
        measures=chosen,
        queries=tuple(ids),
        values=engine.values(0),
        means=engine.means(0),
        conventions=rules,
        scale_name="TREC 0–4" if scale is None else scale.name,
        n_judged=int(judged.sum()),
        n_missing=int((judged & ~found).sum()),
        n_unjudged=int((found & ~judged).sum()),
        engine=engine,
    )


def _resolve(
    measures: Measures, conventions: Conventions | str | None, scale: Scale | str | None
) -> tuple[tuple[Measure, ...], Conventions, Scale | None]:
    """Return what is meant; a preset's scale where no other is said, as ``--preset`` has it."""
    said = meant_scale(scale)
    is_several = isinstance(measures, Iterable) and not isinstance(measures, str)
    parsed: list[Measure] = []
    for measure in cast("Iterable[str | Measure]", measures if is_several else [measures]):
        parsed.extend(parse_measures(measure))
    if isinstance(conventions, str):
        preset = convention_preset(conventions)
        rewritten = preset.rewrite_all(parsed, has_scale=said is not None)
        return (
            tuple(dict.fromkeys(rewritten)),
            preset.conventions,
            said or meant_scale(preset.scale),
        )
    return tuple(dict.fromkeys(parsed)), conventions or Conventions(), said


def _check_grades(
    judgments: JudgedTriples, measures: Sequence[Measure], grading: Grading, ids: Sequence[str]
) -> None:
    if not len(judgments.grades):
        return
    worst = int(np.argmax(judgments.grades))
    grade = float(judgments.grades[worst])
    for measure in measures:
        top = grading.worth(measure).ceiling
        if grade > top:
            remedy = "choose the scale that the grades belong to (--scale, or scale=)"
            if grade > MOST_GRADE:
                remedy = f"no scale goes beyond {format_grade(MOST_GRADE)}"
            elif measure.has_param("max_rel"):
                remedy += f", or give the highest grade: {measure.with_params(max_rel=grade)}"
            raise InputError(
                f"Query {ids[int(judgments.queries[worst])]!r} has a document of grade "
                f"{format_grade(grade)}; {measure} reads grades up to {format_grade(top)}. "
                f"Nothing was computed: {remedy}."
            )


def _by_query(given: object, value: Literal["relevance", "score"]) -> dict[str, Any]:
    """Return judgments or a run by query: by document a number, or numbers by subtopic; or an order."""
    # A DataFrame of pandas, which is not loaded for this.
    if hasattr(given, "itertuples"):
        given = _read_table(cast("pd.DataFrame", given), value)
    if not isinstance(given, Mapping):
        what, part = ("run", "runs[0]") if value == "score" else ("judgments", "judgments")
        kind = f"Kind.{what.upper()}"
        raise InputError(
            f"What is given as {what} is a {type(given).__name__}. Expected a dictionary by query or "
            "a DataFrame of pandas. From a file: "
            f"judgetool.formats.read_file(path, kind={kind}).{part}.by_query()."
        )
    _check_ids(given, "A query")
    return {query: _of_query(query, documents, value) for query, documents in given.items()}


def _of_query(query: str, documents: Any, value: str) -> Mapping[str, Any] | Sequence[str]:  # noqa: ANN401 - as given
    found: Mapping[str, Any] | Sequence[str]
    if hasattr(documents, "items"):
        # A Series of pandas, too, in which an id may stand twice.
        found = documents if isinstance(documents, Mapping) else dict(documents.items())
        if len(found) < len(documents):
            raise InputError(f"A document stands twice for query {query!r}.")
    elif value != "score":
        raise InputError(
            f"Query {query!r}: the judgments are a {type(documents).__name__}. Expected a dictionary of "
            "grades by document."
        )
    elif isinstance(documents, str) or not isinstance(documents, Sequence | np.ndarray):
        raise InputError(
            f"Query {query!r}: the ranking is a {type(documents).__name__}. Expected a list of document "
            "ids, best first, or a dictionary of scores by document."
        )
    else:
        found = cast("Sequence[str]", documents)
    _check_ids(found, f"Query {query!r}: a document")
    return found


def _check_ids(ids: Iterable[object], whose: str) -> None:
    """Refuse ids that are no texts: 7 would not be found as "7", and was "007" perhaps."""
    if all(issubclass(kind, str) for kind in {*map(type, ids)}):
        return
    strange = next(each for each in ids if not isinstance(each, str))
    raise InputError(
        f"{whose} is called {strange!r}, which is no text. Expected ids as texts, such as '11': read "
        "a table with dtype=str for its ids, and give scores in a dictionary by document."
    )


def _read_table(frame: "pd.DataFrame", value: str) -> dict[str, dict[str, Any]]:
    """Return a frame's numbers by query and document; of grades by subtopic these."""
    if value == "score" or "subtopic" not in frame.columns:
        return _read_frame(frame, value)
    nested: dict[str, dict[str, dict[str, float]]] = {}
    for subtopic, rows in frame.groupby("subtopic"):
        for query, documents in _read_frame(rows, value).items():
            for document, grade in documents.items():
                nested.setdefault(query, {}).setdefault(document, {})[str(subtopic)] = grade
    return nested


def _split_subtopics(
    judged: Mapping[str, Mapping[str, Any]],
) -> tuple[Mapping[str, Mapping[str, float]], list[tuple[str, str, str, float]]]:
    """Return one grade for each document, the highest, and all grades by subtopic."""
    found = [
        (query, document, str(subtopic), _number(grade, "grade", query, document))
        for query, documents in judged.items()
        for document, grades in documents.items()
        if isinstance(grades, Mapping)
        for subtopic, grade in grades.items()
    ]
    if not found:
        return judged, []
    single = {
        query: {
            document: max(grades.values()) if isinstance(grades, Mapping) else grades
            for document, grades in documents.items()
        }
        for query, documents in judged.items()
    }
    return single, found


def _read_frame(frame: "pd.DataFrame", value: str) -> dict[str, dict[str, Any]]:
    lacking = [name for name in ("query_id", "doc_id", value) if name not in frame.columns]
    if lacking:
        raise InputError(
            f"The table lacks the column {lacking[0]!r}; it has "
            f"{', '.join(map(str, frame.columns))}. Expected query_id, doc_id and {value}."
        )
    nested: dict[str, dict[str, Any]] = {}
    columns: Iterable[tuple[Any, Any, Any]] = zip(
        frame["query_id"].tolist(), frame["doc_id"].tolist(), frame[value].tolist(), strict=True
    )
    for query, document, number in columns:
        documents = nested.setdefault(query, {})
        if document in documents:
            raise InputError(
                f"Document {document!r} stands twice for query {query!r} in the table. "
                "Keep one row of the two."
            )
        documents[document] = number
    return nested


def _number(value: object, what: Literal["grade", "score"], query: str, document: str) -> float:
    """Return a grade or score as a number.

    Raises:
        InputError: it is none, or an infinite grade.
    """
    try:
        number = float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if what == "grade" and not math.isfinite(number):
        raise InputError(
            f"Query {query!r}, document {document!r}: the grade is not a finite number but {value!r}. "
            "Leave unjudged documents out."
        )
    if math.isnan(number):
        raise InputError(
            f"Query {query!r}, document {document!r}: the score is not a number but {value!r}."
        )
    return number


def _pack_judgments(
    query_ids: Sequence[str], judged: Mapping[str, Mapping[str, float]], keys: dict[str, int]
) -> JudgedTriples:
    counts = [len(judged.get(query, ())) for query in query_ids]
    documents: list[int] = []
    grades: list[float] = []
    for query in query_ids:
        for document, grade in judged.get(query, {}).items():
            documents.append(keys.setdefault(document, len(keys)))
            grades.append(_number(grade, "grade", query, document))
    if max(grades, default=0.0) > MOST_GAIN:
        raise InputError(f"A grade is above {MOST_GAIN:g}: sums of such are no numbers.")
    return JudgedTriples(
        np.repeat(np.arange(len(query_ids), dtype=np.int32), counts),
        np.array(documents, dtype=np.int32),
        np.array(grades, dtype=np.float64),
    )


def _pack_run(
    query_ids: Sequence[str],
    ranked: Mapping[str, Mapping[str, float] | Sequence[str]],
    keys: dict[str, int],
    *,
    scores: Scores,
) -> RunBlock:
    lengths: list[int] = []
    documents: list[int] = []
    for query in query_ids:
        ordered = _order(query, ranked.get(query, ()), scores)
        lengths.append(len(ordered))
        documents.extend(keys.setdefault(document, len(keys)) for document in ordered)
    return RunBlock(edges_of(lengths), np.array(documents, dtype=np.int32))


def _order(query: str, ranking: Mapping[str, float] | Sequence[str], scores: Scores) -> list[str]:
    if not isinstance(ranking, Mapping):
        if len(set(ranking)) != len(ranking):
            raise InputError(f"A document stands twice in the ranking of query {query!r}.")
        return list(ranking)
    ids = list(ranking)
    numbers = np.array([_number(ranking[each], "score", query, each) for each in ids])
    if scores == "single":
        numbers = numbers.astype(np.float32).astype(np.float64)
    return [ids[place] for place in score_order(numbers, ids).tolist()]
