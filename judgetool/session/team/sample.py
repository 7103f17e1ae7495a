"""Random samples of queries or documents that people judge, and what they and a model say of all.

A sample is kept with the project in the step that asks for it, so that an estimate always knows
what it was drawn from. It is drawn by a hash of the seed, and so the same on every machine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from judgetool.core.number_text import count_noun, local_count, number_of
from judgetool.errors import InputError, UsageError
from judgetool.metrics import (
    Conventions,
    Engine,
    Estimate,
    Measure,
    RunBlock,
    adds_by_place,
    estimate_mean,
    place_values,
)
from judgetool.metrics.terms import FloatArray, IntArray
from judgetool.session.board import settled_rows
from judgetool.session.commands import SetValues, WriteAsks
from judgetool.session.session import Session
from judgetool.session.team.asking import ASK_EACH, AskEach, Asking, AskPlan, Pair, make_hash
from judgetool.storage.judgments import load_settled
from judgetool.storage.values import load_assessors
from judgetool.wording import NN_, _, in_english

SAMPLE_KEY = "sample"


_SAMPLES: Mapping[AskEach, tuple[str, str]] = {
    "query": NN_("a sample of {n} query of {all}", "a sample of {n} queries of {all}"),
    "document": NN_("a sample of {n} document of {all}", "a sample of {n} documents of {all}"),
}
_UNDRAWN: Mapping[AskEach, tuple[str, str]] = {
    "query": NN_(
        "A sample of {wanted} cannot be drawn: {n} query to be judged; an interval needs at least two "
        "of them.",
        "A sample of {wanted} cannot be drawn: {n} queries to be judged; an interval needs at least "
        "two of them.",
    ),
    "document": NN_(
        "A sample of {wanted} cannot be drawn: {n} document to be judged; an interval needs at least "
        "two of them.",
        "A sample of {wanted} cannot be drawn: {n} documents to be judged; an interval needs at least "
        "two of them.",
    ),
}


class Sample(NamedTuple):
    """What was drawn for people to judge.

    Attributes:
        each: whether queries were drawn, each with all its documents, or single documents.
        seed: of the draw.
        chosen: id of each query, or ids of query and document; in the order of the draw.
        queries: ids of the queries that it was drawn from.
        mark: of all that was to be judged when it was drawn; tells whether that has changed.
        n_all: how many queries, or documents of queries, it was drawn from.
    """

    each: AskEach
    seed: int
    chosen: tuple[tuple[str, ...], ...]
    queries: tuple[str, ...]
    mark: str
    n_all: int

    def pairs(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return what people are to judge, of all that is to be judged."""
        chosen, n = set(self.chosen), ASK_EACH.index(self.each) + 1
        return [pair for pair in pairs if pair[:n] in chosen]

    def command(self, asking: Asking, plan: AskPlan) -> WriteAsks | SetValues:
        """Return the command that asks for it and keeps it with the project, in one step.

        Args:
            asking: of :meth:`pairs`.
            plan: who is asked; nobody where all of it was asked or judged before.
        """
        values = {SAMPLE_KEY: self.to_dict()}
        if not plan.asks:
            with in_english():
                return SetValues(values, f"Draw {self.title}")
        return replace(asking.command(plan), values=values)

    @property
    def title(self) -> str:
        """``a sample of 50 queries of 137``."""
        forms = _SAMPLES[self.each]
        return number_of(len(self.chosen), *forms, all=local_count(self.n_all))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for the project file."""
        return {
            "each": self.each,
            "seed": self.seed,
            "chosen": list(map(list, self.chosen)),
            "queries": list(self.queries),
            "mark": self.mark,
            "n_all": self.n_all,
        }


def draw_sample(pairs: Sequence[Pair], each: AskEach, n: int, seed: int) -> Sample:
    """Draw a simple random sample, without replacement.

    Args:
        pairs: all that is to be judged.
        each: whether to draw queries or documents of queries.
        n: how many.
        seed: the same seed draws the same from the same, in whatever order it stands.

    Raises:
        UsageError: fewer than two are to be drawn, or more than there are.
    """
    queries = tuple(dict.fromkeys(query for query, _ in pairs))
    units: list[tuple[str, ...]] = [(query,) for query in queries]
    units = units if each == "query" else list(pairs)
    if not 2 <= n <= len(units):
        raise UsageError(number_of(len(units), *_UNDRAWN[each], wanted=n))

    chosen = tuple(sorted(units, key=lambda unit: (make_hash(seed, *unit), unit))[:n])
    return Sample(each, seed, chosen, queries, _mark(pairs), len(units))


def _mark(pairs: Sequence[Pair]) -> str:
    return f"{make_hash(0, *(part for pair in sorted(pairs) for part in pair)):016x}"


def find_sample(session: Session) -> Sample | None:
    """Return the sample that the project keeps; ``None`` where none was drawn."""
    kept = session.value(SAMPLE_KEY)
    if not isinstance(kept, dict):
        return None
    chosen, queries = tuple(map(tuple, kept["chosen"])), tuple(kept["queries"])
    return Sample(kept["each"], kept["seed"], chosen, queries, kept["mark"], kept["n_all"])


class EstimateRow(NamedTuple):
    """An estimated mean of a run.

    Attributes:
        measure: what was computed.
        scope: ``run:NAME``, by the model and people's sample; ``run:NAME people`` by the sample alone.
        value: see :class:`~judgetool.metrics.Estimate`, as what follows.
        low: lower end.
        high: upper end.
        n: units of the sample; of documents those that can add something to the run.
        n_all: units that there are, likewise.
        reason: why something of it is missing.
    """

    measure: Measure
    scope: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_all: int
    reason: str


class ScoredBlock(NamedTuple):
    """A run whose means are estimated: its name, its key in the board's engine, its rankings."""

    name: str
    key: int
    block: RunBlock


def estimate_scores(
    session: Session, model: str, runs: Sequence[ScoredBlock], pairs: Sequence[Pair]
) -> list[EstimateRow]:
    """Return the means of runs over all queries, from a model's grades and people's sample.

    Measures, conventions, scale and view are those of the session's board.

    Args:
        session: the project; nothing in it is changed.
        model: whose grades stand for F.
        runs: in the board's engine.
        pairs: all that is to be judged now.

    Raises:
        InputError: there is no such model, no sample, or people have not judged all of it.
    """
    number = find_model(session, model)
    sample = _checked_sample(session, pairs)
    judged = _ModelGrades(session, number, runs)
    estimate = _by_query if sample.each == "query" else _by_place
    rows = []
    for run in runs:
        for column, measure in enumerate(session.board.engine.measures):
            why = _why_not(measure, session.board.engine.conventions, sample.each)
            found = (
                (Estimate(None, reason=why),) * 2
                if why
                else estimate(_Case(session, sample, judged, run, column, pairs))
            )
            for scope, each in zip(
                (f"run:{run.name}", f"run:{run.name} people"), found, strict=True
            ):
                rows.append(EstimateRow(measure, scope, *each))
    return rows


def describe_ungraded(session: Session, model: str, pairs: Sequence[Pair]) -> str:
    """Return of how much a model gave no grade, and as what that counts; ``""`` where it graded all.

    Args:
        session: the project.
        model: as :func:`estimate_scores` has it.
        pairs: likewise.
    """
    number, material = find_model(session, model), session.material
    graded = {
        (row.query, row.document)
        for row in settled_rows(session.reader, material.place_of)
        if row.assessor == number and row.grade is not None
    }
    numbers = material.find_documents(sorted({document for _, document in pairs}))
    n_graded = sum((material.find_query(query), numbers[name]) in graded for query, name in pairs)
    if n_graded == len(pairs):
        return ""
    told = number_of(
        len(pairs),
        "{model} graded {n_graded} of {n} document to be judged.",
        "{model} graded {n_graded} of {n} documents to be judged.",
        model=model,
        n_graded=local_count(n_graded),
    )
    others = _("In its values the others count as not relevant.")
    if session.board.engine.conventions.leaves_out_unjudged:
        others = _("In its values the others are left out of the rankings.")
    return f"{told} {others}"


def _checked_sample(session: Session, pairs: Sequence[Pair]) -> Sample:
    """Return the sample, all of which people have judged."""
    sample, name = find_sample(session), session.path.name
    if sample is None:
        raise InputError(
            _(
                "No sample was drawn in {name}, and values of queries that somebody chose say "
                "nothing of the others. Draw one: ‘judgetool ask {name} --to NAME --sample 50’."
            ).format(name=name)
        )
    if sample.each == "document" and _mark(pairs) != sample.mark:
        raise InputError(
            _(
                "What is to be judged in {name} is not what the sample was drawn from any more. "
                "Choose that again, or draw a new sample."
            ).format(name=name)
        )
    wanted = sample.pairs(pairs)
    numbers = session.material.find_documents(sorted({document for _, document in wanted}))
    lacking: dict[str, int] = {}
    for query, document in wanted:
        place = session.material.find_query(query)
        if place is None or numbers[document] not in session.board.settled(place):
            lacking[query] = lacking.get(query, 0) + 1
    if lacking:
        first = next(iter(lacking))
        raise InputError(
            number_of(
                sum(lacking.values()),
                "{n} document of the sample in {name} that people have not judged, the first of query "
                "‘{query}’. Without them the sample is none by chance: have them judged. ‘judgetool ask "
                "{name} --status’ says who is asked.",
                "{n} documents of the sample in {name} that people have not judged, the first of query "
                "‘{query}’. Without them the sample is none by chance: have them judged. ‘judgetool ask "
                "{name} --status’ says who is asked.",
                name=name,
                query=first,
            )
        )
    return sample


def _why_not(measure: Measure, conventions: Conventions, each: AskEach) -> str:
    """Return why nothing can be estimated of a measure; ``""`` where it can."""
    if not measure.spec.has_query_values or measure.spec.pooling != "mean":
        return "it is no mean over queries"
    if conventions.undefined != "zero" and measure.spec.divides_by_relevant:
        return "queries without a relevant document are left out of its mean; count them as 0"
    is_condensed = measure.takes_out_unjudged(leave_out_unjudged=conventions.unjudged == "left out")
    if each == "document" and (is_condensed or not adds_by_place(measure)):
        return "it is no sum over documents: draw a sample of queries"
    return ""


class _ModelGrades:
    """What a model says: an engine with its grades alone, and these by query and document."""

    def __init__(self, session: Session, number: int, runs: Sequence[ScoredBlock]) -> None:
        rows = [
            (row.query, row.document, row.grade)
            for row in settled_rows(session.reader, session.material.place_of)
            if row.assessor == number and row.grade is not None
        ]
        self.grades: dict[int, dict[int, float]] = {}
        for query, document, grade in rows:
            self.grades.setdefault(query, {})[document] = grade
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
        self.engine: Engine = session.board.new_engine()
        self.engine.set_judgments(
            columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2].copy()
        )
        for run in runs:
            self.engine.add_run(run.key, run.block)


class _Case(NamedTuple):
    """A run and the place of a measure, with all that an estimate is made of."""

    session: Session
    sample: Sample
    judged: _ModelGrades
    run: ScoredBlock
    column: int
    pairs: Sequence[Pair]

    @property
    def engine(self) -> Engine:
        """The engine with people's grades."""
        return self.session.board.engine

    def counted_queries(self) -> list[int]:
        """Return the numbers of the queries that means are over; those in the run, if so agreed."""
        places = [self.session.material.find_query(name) for name in self.sample.queries]
        is_in = self.run.block.lengths > 0
        needs_run = self.engine.conventions.missing == "both"
        return [place for place in places if place is not None and (is_in[place] or not needs_run)]

    def shares(self, queries: Sequence[int]) -> FloatArray:
        """Return what each query counts, 1 on average, shape (n,)."""
        weights = self.engine.mean_weights[queries]
        shares: FloatArray = weights * (len(queries) / weights.sum())
        return shares


Both = tuple[Estimate, Estimate]


def _estimates(people: FloatArray, model: FloatArray) -> Both:
    return estimate_mean(people, model), estimate_mean(people)


def _by_query(case: _Case) -> Both:
    """Estimate from a sample of queries: F and Y are values of queries."""
    queries = case.counted_queries()
    shares = case.shares(queries)
    chosen = set(case.sample.chosen)
    names = case.session.material.queries
    is_chosen = np.array([(names[query].id,) in chosen for query in queries], dtype=bool)
    people, model = (
        engine.counted_values(case.run.key)[queries, case.column].filled(0.0) * shares
        for engine in (case.engine, case.judged.engine)
    )
    return _estimates(np.where(is_chosen, people, np.nan), model)


def _by_place(case: _Case) -> Both:
    """Estimate from a sample of documents: F and Y are what a document adds to the mean, times N.

    N counts those that can add something to the run, whatever their grade. Of the others nothing is
    uncertain, and what was drawn of the N is a random sample of them, too.
    """
    queries = case.counted_queries()
    shares = dict(zip(queries, case.shares(queries).tolist(), strict=True))
    added = _Added(case)
    found = list(added.rows(queries))
    if added.n_outside:
        n = count_noun(added.n_outside, "document")
        why = f"{n} that it looks at are not of what the sample was drawn from"
        return (Estimate(None, reason=why),) * 2
    n_all = len(found)
    scale = np.array([shares[query] for query, *_ in found]) * (n_all / max(len(queries), 1))
    columns = np.array([row[1:] for row in found], dtype=np.float64).reshape(-1, 2).T
    return _estimates(columns[0] * scale, columns[1] * scale)


class _Added:
    """What each document that is to be judged adds to its query's value, by people and by the model."""

    def __init__(self, case: _Case) -> None:
        self._case = case
        self._measure = case.engine.measures[case.column]
        self._best = max((case.engine.scale or case.session.scale).grades)
        self.n_outside = 0

    def rows(self, queries: Sequence[int]) -> Iterator[tuple[int, float, float]]:
        """Yield (query, by people or NaN where they were not asked, by the model), a document each.

        Documents that cannot add anything, as they stand too low or are not ranked, are left out.
        """
        case, material = self._case, self._case.session.material
        numbers = material.find_documents(sorted({document for _, document in case.pairs}))
        chosen = set(case.sample.chosen)
        is_asked: dict[int, dict[int, bool]] = {query: {} for query in queries}
        for pair in case.pairs:
            query = material.find_query(pair[0])
            if query in is_asked:
                is_asked[query][numbers[pair[1]]] = pair in chosen
        for query, asked in is_asked.items():
            settled = case.session.board.settled(query)
            people = {doc: found.grade for doc, found in settled.items()}
            by_people = self._of_query(query, people.get)
            by_model = self._of_query(query, case.judged.grades.get(query, {}).get)
            can_add = self._of_query(query, lambda _document: self._best)
            self.n_outside += sum(adds > 0 and doc not in asked for doc, adds in can_add.items())
            for document, is_drawn in asked.items():
                if can_add.get(document, 0.0) > 0:
                    said = by_people[document] if is_drawn else np.nan
                    yield query, said, by_model[document]

    def _of_query(self, query: int, grade_of: Callable[[int], float | None]) -> Mapping[int, float]:
        ranking = self._case.run.block.ranking(query).tolist()
        given = [grade_of(document) for document in ranking]
        grades = np.array([np.nan if grade is None else grade for grade in given])
        adds = place_values(self._measure, grades, self._case.engine.scale)
        return dict(zip(ranking, adds.tolist(), strict=True))


class Calibration(NamedTuple):
    """How often people gave each grade where an assessor gave each; 'cannot judge' stands last.

    Attributes:
        assessor: the model's name.
        levels: grades of the scale, rising, shape (q,); of others the nearest counts, of two as
            near the lower.
        counts: documents by what the model said (rows) and what counts of the others, shape
            (q + 1, q + 1).
        means: mean grade of the others by what the model said, NaN without one, shape (q + 1,).
    """

    assessor: str
    levels: tuple[float, ...]
    counts: IntArray
    means: FloatArray


def compute_calibration(session: Session, assessor: str) -> Calibration:
    """Return what counts in the view where a model gave each grade; zeros where nobody else judged.

    Args:
        session: the project.
        assessor: of kind model, one that does not count.

    Raises:
        InputError: there is no such model, or its grades are among those that count.
    """
    number = find_model(session, assessor)
    levels = np.array(session.scale.grades, np.float64)
    rows, columns, grades = [], [], []
    place_of = session.material.place_of
    for query, document, who, grade, *__ in load_settled(session.reader):
        if who != number or query not in place_of:
            continue
        found = session.board.settled(place_of[query]).get(document)
        if found is not None:
            rows.append(_place(levels, grade))
            columns.append(_place(levels, found.grade))
            grades.append(np.nan if found.grade is None else found.grade)
    counts = np.zeros((len(levels) + 1, len(levels) + 1), np.int64)
    np.add.at(counts, (rows, columns), 1)
    said, given = np.array(rows, np.int64), np.array(grades, np.float64)
    means = [given[(said == row) & ~np.isnan(given)] for row in range(len(levels) + 1)]
    of_rows = np.array([each.mean() if len(each) else np.nan for each in means])
    return Calibration(assessor, tuple(session.scale.grades), counts, of_rows)


def _place(levels: FloatArray, grade: float | None) -> int:
    return len(levels) if grade is None else int(np.abs(levels - grade).argmin())


def find_model(session: Session, name: str) -> int:
    """Return the number of a model that does not count.

    Raises:
        InputError: there is none of this name, or it counts.
    """
    known = {row.name: row for row in load_assessors(session.reader)}
    models = [row.name for row in known.values() if row.kind == "model"]
    if name not in models:
        there = (
            _("Models are: {models}.").format(models=", ".join(models))
            if models
            else _("There is none yet.")
        )
        raise InputError(
            _("There is no model ‘{name}’ in {project}. {there}").format(
                name=name, project=session.path.name, there=there
            )
        )
    if session.does_count(name):
        raise InputError(
            _(
                "{name} counts in {project}, so that what counts there is not people’s alone. "
                "Have it not count first."
            ).format(name=name, project=session.path.name)
        )
    return known[name].assessor_id
