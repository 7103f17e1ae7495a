"""Files to values, against other tools in the same run; and values from loaded arrays.

Whole processes: six measures with each query's values, output thrown away. Shares are
medians of the rounds' own shares, since a busy machine slows neighbours alike.
"""

import importlib
import importlib.util
import os
import platform
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from judgetool.formats import Kind, RunTable, read_file
from judgetool.metrics import Engine, RunBlock, parse_measure
from judgetool.resources import resource_path
from tests.benchmarks.processes import print_taken, run_rounds
from tests.benchmarks.scale_projects import scale_data

OURS = "judgetool score"
MEASURES = ("P@10", "R@100", "AP", "RR", "nDCG@10", "nDCG")
TREC_NAMES = ("P.10", "recall.100", "map", "recip_rank", "ndcg_cut.10", "ndcg")
RANX_NAMES = ("precision@10", "recall@100", "map", "mrr", "ndcg@10", "ndcg")

_PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as lines:
    qrels = pytrec_eval.parse_qrel(lines)
for name in sys.argv[2:-1]:
    with open(name) as lines:
        run = pytrec_eval.parse_run(lines)
    pytrec_eval.RelevanceEvaluator(qrels, sys.argv[-1].split()).evaluate(run)
"""
_RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
for name in sys.argv[2:-1]:
    run = Run.from_file(name, kind="trec")
    evaluate(qrels, run, sys.argv[-1].split(), make_comparable=True)
"""


def commands(qrels: Path, runs: Sequence[Path]) -> dict[str, list[str]]:
    """Return our command and those of the other tools that are here, for the same values.

    Tools that take one run are called for each of several by a shell.
    """
    files = [str(qrels), *map(str, runs)]
    measures = [word for name in MEASURES for word in ("-m", name)]
    found = {OURS: [sys.executable, "-m", "judgetool", "score", *files, *measures, "-q"]}
    if has("ir_measures"):
        call = [sys.executable, "-m", "ir_measures", "-q"]
        found["ir_measures"] = _for_each(call, files, MEASURES)
    if has("pytrec_eval"):
        names = " ".join(TREC_NAMES)
        found["pytrec_eval, parse and evaluate"] = [
            *(sys.executable, "-c", _PYTREC_EVAL, *files, names)
        ]
    if has("ranx"):
        found["ranx"] = [sys.executable, "-c", _RANX, *files, " ".join(RANX_NAMES)]
    if trec_eval := shutil.which("trec_eval"):
        options = [word for name in TREC_NAMES for word in ("-m", name)]
        found["trec_eval"] = _for_each([trec_eval, "-q", *options], files, ())
    return found


def has(module: str) -> bool:
    """Whether a tool is installed, saying so if it is not."""
    is_there = importlib.util.find_spec(module) is not None
    if not is_there:
        print(f"  {module} is not installed: left out.")
    return is_there


def _for_each(call: list[str], files: Sequence[str], rest: Sequence[str]) -> list[str]:
    qrels, *runs = files
    if len(runs) == 1:
        return [*call, qrels, runs[0], *rest]
    start = " ".join(f"'{word}'" for word in (*call, qrels))
    end = " ".join(f"'{word}'" for word in rest)
    loop = f'set -e; for run in "$@"; do {start} "$run" {end}; done'
    return ["sh", "-c", loop, "sh", *runs]


def show_processes(title: str, qrels: Path, runs: Sequence[Path], *, n_rounds: int) -> None:
    """Print what whole processes take."""
    print(f"\n{title}: whole processes, {n_rounds} rounds")
    print_taken(run_rounds(commands(qrels, runs), n_rounds=n_rounds), ours=OURS)


def median_ms(action: Callable[[], object], *, n_rounds: int) -> float:
    """Return the median of an action's milliseconds, after a first time that is not counted."""
    action()
    times = []
    for _ in range(n_rounds):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def load_arrays(qrels: Path, runs: Sequence[Path]):
    """Return judgments and runs as the engine takes them, and how many queries there are."""
    table = read_file(qrels, kind=Kind.JUDGMENTS).judgments
    tables = [read_file(path, kind=Kind.RUN).runs[0] for path in runs]
    queries = {query: n for n, query in enumerate(dict.fromkeys(table.query_ids))}
    documents: dict[str, int] = {}
    for each in [table.document_ids, *(run.document_ids for run in tables)]:
        for document in each:
            documents.setdefault(document, len(documents))
    triples = (
        np.array([queries[query] for query in table.query_ids], np.int32),
        np.array([documents[document] for document in table.document_ids], np.int32),
        np.array(table.grades, np.float64),
    )
    return triples, [_as_block(run, queries, documents) for run in tables], len(queries)


def _as_block(run: RunTable, queries: dict[str, int], documents: dict[str, int]) -> RunBlock:
    numbers = np.array([documents[document] for document in run.document_ids], np.int32)
    rows = {queries[query]: row for row, query in enumerate(run.query_ids) if query in queries}
    parts = [
        numbers[run.documents[run.offsets[rows[n]] : run.offsets[rows[n] + 1]]]
        if n in rows
        else np.zeros(0, np.int32)
        for n in range(len(queries))
    ]
    lengths = [len(part) for part in parts]
    return RunBlock(np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(parts))


def show_loaded(title: str, qrels: Path, runs: Sequence[Path], *, peer: bool) -> None:
    """Print what it takes from loaded arrays to the values of seven measures by query."""
    triples, blocks, n_queries = load_arrays(qrels, runs)
    engine = Engine(n_queries, scale=None, measures=[*map(parse_measure, (*MEASURES, "ERR@20"))])
    engine.set_judgments(*triples)

    def compute() -> None:
        for key, block in enumerate(blocks):
            engine.add_run(key, block)

    ours = median_ms(compute, n_rounds=9)
    print(f"\n{title}: loaded arrays to per-query values, seven measures: {ours:.1f} ms")
    if peer and has("pytrec_eval"):
        theirs = _pytrec_eval_ms(qrels, runs)
        print(f"  pytrec_eval, loaded dictionaries, six measures: {theirs:.1f} ms")
        print(f"  ours / pytrec_eval: {ours / theirs:.3f}", flush=True)


def _pytrec_eval_ms(qrels: Path, runs: Sequence[Path]) -> float:
    pytrec_eval = importlib.import_module("pytrec_eval")
    with qrels.open() as lines:
        judged = pytrec_eval.parse_qrel(lines)
    loaded = []
    for path in runs:
        with path.open() as lines:
            loaded.append(pytrec_eval.parse_run(lines))
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(TREC_NAMES))
    return median_ms(lambda: [evaluator.evaluate(run) for run in loaded], n_rounds=5)


def main() -> None:
    """Print everything."""
    print(f"{platform.platform()}, Python {platform.python_version()}, numpy {np.__version__},")
    print(f"{os.cpu_count()} cores; ours / is our share of the other's seconds")
    sample = resource_path("sample")
    sample_runs = sorted((sample / "runs").iterdir())
    one, all_of = "sample, 1 run of 20 queries", f"sample, {len(sample_runs)} runs of 20 queries"
    show_processes(one, sample / "qrels.txt", sample_runs[:1], n_rounds=9)
    show_processes(all_of, sample / "qrels.txt", sample_runs, n_rounds=9)
    if pool := scale_data("pool"):
        runs = sorted((pool / "runs").iterdir())
        show_processes("pool, 1 run of 50,000 lines", pool / "qrels.txt", runs[:1], n_rounds=9)
        show_processes(f"pool, {len(runs)} runs", pool / "qrels.txt", runs, n_rounds=5)
        show_loaded(f"pool, {len(runs)} runs", pool / "qrels.txt", runs, peer=True)
    if large := scale_data("msmarco"):
        qrels, run = large / "qrels.tsv", large / "run.trec"
        show_processes("msmarco, 6,980,000 lines", qrels, [run], n_rounds=3)
        show_loaded("msmarco, 6,980 x 1,000", qrels, [run], peer=False)
