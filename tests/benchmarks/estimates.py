"""How often intervals from a model's grades and a sample of people's hold the value, and how wide they are.

Two collections judged by people. Models of three kinds are made by seed: each keeps what people
gave, or not, with given chances. Of every run, the value under all of people's grades is the
truth; 5,000 seeded samples of 20 or 50 queries each give an interval, and one of the sample alone.
"""

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
}
KINDS = ("good", "mediocre", "biased")


def model_grades(kind, grades, best, random):
    """Return what a model of a kind gives where people gave these grades, shape (n,).

    Good: 80 % as people, else a level beside it; so alike are two judges of the shop's to each
    other. Mediocre: 60 %, else any level. Biased: half of all a level higher than people.
    """
    draw = random.random(len(grades))
    if kind == "biased":
        return np.minimum(grades + (draw < 0.5), best)
    if kind == "good":
        beside = np.clip(grades + random.choice([-1, 1], len(grades)), 0, best)
        return np.where(draw < 0.8, grades, beside)
    return np.where(draw < 0.6, grades, random.integers(0, best + 1, len(grades)))


def load(name):
    """Return (grades by query and document, rankings by run) of a collection.

    People are taken to have judged whatever stands in the first ten ranks of a run: as 0 what no
    qrels name.
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
    return people, runs


def graded_by(kind, people, best):
    """Return what a model of a kind gives, by query and document."""
    random = np.random.default_rng(1)
    return {
        query: dict(
            zip(
                given,
                model_grades(kind, np.array(list(given.values())), best, random).tolist(),
                strict=True,
            )
        )
        for query, given in people.items()
    }


def count_held(people, model, n, random):
    """Return the shares of intervals that hold the mean, and their mean widths; model, then alone."""
    truth = people.mean()
    held, widths = np.zeros(2), np.zeros(2)
    for _ in range(N_DRAWS):
        chosen = random.choice(len(people), n, replace=False)
        sampled = np.full(len(people), np.nan)
        sampled[chosen] = people[chosen]
        for place, found in enumerate((estimate_mean(sampled, model), estimate_mean(sampled))):
            held[place] += found.low <= truth <= found.high
            widths[place] += found.high - found.low
    return held / N_DRAWS, widths / N_DRAWS


def main():
    """Print coverage and width by collection, measure, model and size of the sample."""
    print("collection     measure  model     n   coverage: mean least  width  of people alone")
    for name, (_, best) in COLLECTIONS.items():
        if not (SHARED / "data" / name).is_dir():
            print(f"{name}: left out, it is not beside the checkout")
            continue
        people, runs = load(name)
        for kind in KINDS:
            model = graded_by(kind, people, best)
            for measure in MEASURES:
                print_rows(f"{name:14} {measure:8} {kind:8}", people, model, runs, measure)


def print_rows(head, people, model, runs, measure):
    """Print a line for each size of the sample, over all runs."""
    columns = []
    for run in runs.values():
        found = [evaluate(said, run, measure) for said in (people, model)]
        places = [found[0].queries.index(query) for query in people]
        columns.append([each.values[places, 0].filled(0.0) for each in found])
    for n in SIZES:
        random = np.random.default_rng(7)
        rows = [count_held(*pair, n, random) for pair in columns]
        shares, widths = (np.array(part) for part in zip(*rows, strict=True))
        ratio = (widths[:, 0] / widths[:, 1]).mean()
        print(
            f"{head} {n:3}             {shares[:, 0].mean():.3f} {shares[:, 0].min():.3f} "
            f"{widths[:, 0].mean():.4f} {ratio:.2f} (alone: {shares[:, 1].mean():.3f} "
            f"{shares[:, 1].min():.3f})",
            flush=True,
        )
