"""How often intervals from a model's grades and a sample of people's hold the value, and how wide they are.

Three collections judged by people. Models of four kinds are made, three of each by seed, which
keep what people gave, or not, with given chances; and of one collection each of three judges stands for
a model. Of every run, the value under all of people's grades is the truth; 5,000 seeded samples of
20 or 50 queries each give an interval, and one of the sample alone. The rule was chosen on
icecat-shop; the others confirm it.
"""

import csv
from functools import partial

import numpy as np

from judgetool.formats import Kind, read_file
from judgetool.metrics import estimate_mean, evaluate
from tests.helpers.shared import SHARED

MEASURES = ("nDCG@10", "P@10")
N_DRAWS = 5_000
SIZES = (20, 50)
COLLECTIONS = {
    "icecat-shop": ("qrels/combined.qrels", 3),
    "miracl-yoruba": ("qrels.tsv", 1),
    "dbpedia-entity": ("qrels.txt", 2),
}
KINDS = ("good", "good 90 %", "mediocre", "biased")
SEEDS = (1, 2, 3)
JUDGES = ("agent1", "agent2", "agent3")


def model_grades(kind, grades, best, random):
    """Return what a model of a kind gives where people gave these grades, shape (n,).

    Good: 80 % as people, else a level beside it; so alike are two judges of the shop's to each
    other. Once it was 90 %, which is easier on widths and harder on coverage: both are told.
    Mediocre: 60 %, else any level. Biased: half of all a level higher than people.
    """
    draw = random.random(len(grades))
    if kind == "biased":
        return np.minimum(grades + (draw < 0.5), best)
    if kind == "mediocre":
        return np.where(draw < 0.6, grades, random.integers(0, best + 1, len(grades)))
    beside = np.clip(grades + random.choice([-1, 1], len(grades)), 0, best)
    return np.where(draw < (0.8 if kind == "good" else 0.9), grades, beside)


def load(name):
    """Return (grades by query and document, rankings by run) of a collection.

    People are taken to have judged whatever stands in the first ten ranks of a run: as 0 what no
    qrels name. Where there are no runs, four are made: judged documents, noisily ordered.
    """
    folder = SHARED / "data" / name
    judged = read_file(folder / COLLECTIONS[name][0], kind=Kind.JUDGMENTS).judgments
    people = {}
    rows = zip(judged.query_ids, judged.document_ids, judged.grades, strict=True)
    for query, document, grade in rows:
        people.setdefault(query, {})[document] = grade or 0.0
    runs = {}
    for path in sorted((folder / "runs").glob("*.run")):
        table = read_file(path, kind=Kind.RUN).runs[0]
        ids, ends = np.array(table.document_ids)[table.documents], table.offsets[1:-1]
        parts = map(np.ndarray.tolist, np.split(ids, ends))
        ranked = runs[path.stem] = dict(zip(table.query_ids, parts, strict=True))
        for query, given in people.items():
            for document in ranked.get(query, ())[:10]:
                given.setdefault(document, 0.0)
    return people, runs or {f"made {pull}": make_run(people, pull) for pull in (0.2, 0.6, 1.2, 2.5)}


def make_run(people, pull):
    """Return a ranking for each query in which a grade pulls a document up so much against noise."""
    random = np.random.default_rng(int(pull * 10))
    run = {}
    for query, given in people.items():
        scores = pull * np.array(list(given.values())) + random.gumbel(size=len(given))
        run[query] = np.array(list(given))[np.argsort(-scores)].tolist()
    return run


def graded_by(kind, seed, people, best):
    """Return what a model of a kind gives, by query and document."""
    random = np.random.default_rng(seed)
    graded = partial(model_grades, kind, best=best, random=random)
    return {
        query: dict(zip(given, graded(np.array(list(given.values()))).tolist(), strict=True))
        for query, given in people.items()
    }


def iter_models(name, people):
    """Yield a kind and its models, each with grades by query and document."""
    best = COLLECTIONS[name][1]
    for kind in KINDS:
        yield kind, [graded_by(kind, seed, people, best) for seed in SEEDS]
    if name == "icecat-shop":
        said = {judge: {query: {} for query in people} for judge in JUDGES}
        with (SHARED / "data" / name / "judgments.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["judge"] in said:
                    said[row["judge"]][row["query_id"]][row["doc_id"]] = float(row["grade"])
        yield "a judge", list(said.values())


def count_held(people, model, n):
    """Return the share of intervals that hold the mean, and their mean width.

    Args:
        people: of each unit, NaN for those that add nothing to the run, shape (N,).
        model: likewise; ``None`` for samples alone.
        n: units that are drawn, the same ones at every call.
    """
    random = np.random.default_rng(7)
    adds = ~np.isnan(people)
    truth, held, width = people[adds].mean(), 0, 0.0
    for _ in range(N_DRAWS):
        chosen = random.choice(len(people), n, replace=False)
        sampled = np.full(len(people), np.nan)
        sampled[chosen] = people[chosen]
        found = estimate_mean(sampled[adds], None if model is None else model[adds])
        if found.low is not None:
            held += found.low <= truth <= found.high
            width += found.high - found.low
    return held / N_DRAWS, width / N_DRAWS


def by_query(measure, run, graded, queries):
    """Return the values of queries, shape (N,)."""
    found = evaluate(graded, run, measure)
    places = [found.queries.index(query) for query in queries]
    return found.values[places, 0].filled(0.0)


def by_document(run, graded, pairs):
    """Return what each document adds to the mean of P@10, times how many can, NaN of others, shape (N,)."""
    top = {(query, document) for query in run for document in run[query][:10]} & {*pairs}
    scale = len(top) / len({query for query, _ in pairs}) / 10
    adds = [
        scale * (graded[pair[0]].get(pair[1], 0.0) >= 1) if pair in top else np.nan
        for pair in pairs
    ]
    return np.array(adds)


def main():
    """Print coverage and width by collection, measure, size of the sample and model."""
    print(
        "coverage in the mean over runs and models, the least of one; mean width, as a share of the sample's alone"
    )
    for name in COLLECTIONS:
        if not (SHARED / "data" / name).is_dir():
            print(f"{name}: left out, it is not beside the checkout")
            continue
        people, runs = load(name)
        models = list(iter_models(name, people))
        for measure in MEASURES:
            look = [partial(by_query, measure, run, queries=list(people)) for run in runs.values()]
            print_rows(f"{name:14} {measure:8}", SIZES, look, people, models)
        ranked = {(q, d) for run in runs.values() for q in run if q in people for d in run[q][:10]}
        look = [partial(by_document, run, pairs=sorted(ranked)) for run in runs.values()]
        print_rows(f"{name:14} P@10 documents", (100, 200), look, people, models[:1])


def print_rows(head, sizes, look, people, models):
    """Print a line for people's sample alone, and one for each kind of model.

    Args:
        head: begins each line.
        sizes: of samples.
        look: for each run, a function of grades that gives the units' values.
        people: their grades.
        models: kinds and grades.
    """
    truths = [units(people) for units in look]
    for n in sizes:
        alone = [count_held(truth, None, n) for truth in truths]
        print_row(f"{head} {n:3} sample alone", alone, [width for _, width in alone])
        for kind, graded in models:
            found = [
                count_held(truth, units(each), n)
                for each in graded
                for truth, units in zip(truths, look, strict=True)
            ]
            print_row(f"{head} {n:3} {kind:12}", found, [width for _, width in alone] * len(graded))


def print_row(head, found, alone):
    """Print mean and least coverage, mean width, and that as a share of others."""
    held, widths = np.array(found).T
    ratio = (widths / np.array(alone)).mean()
    print(
        f"{head}  {held.mean():.3f} {held.min():.3f}  {widths.mean():.4f} {ratio:.2f}", flush=True
    )
