"""Agreement of 30 assessors: 100,000 judgments over 1,000 queries, 4 levels, intervals over queries.

Then what the agreement view shows of such a project with four runs.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from judgetool.core.judgments import Query
from judgetool.metrics import AGREEMENT_MEASURES, AgreementData, compute_agreement
from judgetool.session.team.overview import overview_work
from tests.helpers.builders import Parts, make_project

SLOW = ("ICC", "tau", "rho")
WEIGHTED = (
    "kappa(weights='linear')",
    "kappa(weights='quadratic')",
    "alpha(level='ordinal')",
    "alpha(level='interval')",
    "alpha(level='ratio')",
)


def make_judgments(n_opinions):
    """Return columns of judgments: of each document so many opinions, near a true grade."""
    random = np.random.default_rng(1)
    columns = [], [], [], []
    for number in range(100_000 // n_opinions):
        grade = random.integers(0, 4)
        for who in random.choice(30, n_opinions, replace=False):
            said = float(np.clip(grade + random.integers(-1, 2), 0, 3))
            row = (f"q{number % 1000}", f"d{number}", f"a{who:02}", said)
            for column, cell in zip(columns, row, strict=True):
                column.append(cell)
    return columns


def main():
    """Print what each kind takes."""
    fast = [name for name in AGREEMENT_MEASURES if name not in SLOW]
    for n_opinions in (2, 10, 30):
        columns = make_judgments(n_opinions)
        began = time.perf_counter()
        data = AgreementData.of_columns(*columns)
        packed = time.perf_counter() - began
        print(f"\n{len(columns[0]):,} judgments, {n_opinions} a document: packed in {packed:.2f} s")
        for names in ([*fast, *WEIGHTED], *([name] for name in SLOW)):
            began = time.perf_counter()
            compute_agreement(data, names, errors="queries")
            what = names[0] if len(names) == 1 else f"{len(names)} measures"
            print(f"  {what}, with intervals: {time.perf_counter() - began:.2f} s")
    time_view()


def time_view():
    """Print what the view's figures take, on the window's thread and beside it."""
    rows = list(zip(*make_judgments(5), strict=True))
    ids = list(dict.fromkeys(query for query, *_ in rows))
    documents = {query: [] for query in ids}
    for query, document, *_ in rows:
        documents[query].append(document)
    random = np.random.default_rng(2)
    runs = {
        name: {q: random.permutation(sorted(set(found))).tolist() for q, found in documents.items()}
        for name in ("a", "b", "c", "d")
    }
    parts = Parts([Query(each, each) for each in ids], (), runs, rows)
    with (
        tempfile.TemporaryDirectory() as folder,
        make_project(Path(folder), parts) as session,
    ):
        began = time.perf_counter()
        work = overview_work(session)
        prepared = time.perf_counter()
        work(None, None)
        beside = time.perf_counter() - prepared
        print(f"\nthe agreement view: {1000 * (prepared - began):.0f} ms, beside {beside:.2f} s")
