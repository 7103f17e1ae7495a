"""A day of several people: what each of them says, by a rule and no clock, and what is there in the end."""

import json
import os
import zlib
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from judgetool.session.opening import open_project
from judgetool.session.team.disputes import load_disputes, settle
from tests.helpers.program import QRELS, SAMPLE, must
from tests.helpers.program import RUNS as SAMPLE_RUNS
from tests.helpers.team import judge_asked

PEOPLE = ("anna", "ben", "cem")
RUNS = ("bm25-title", "solr-edismax", "tfidf-chargram")
ASKED = ("--opinions", "2", "--share", "0.2", "--repeat", "0.05")


def is_long():
    """Whether there is time to live through a day twice, as with ``.ci/run --long``."""
    return int(os.environ.get("JUDGETOOL_EXAMPLES", "0")) >= 1000


@dataclass(frozen=True)
class DayFiles:
    """What the day begins with.

    Attributes:
        queries: the first ones of the shop.
        documents: its products.
        runs: three of its runs over these queries.
        known: a table of some answers that are known.
        truth: what the collection's own judges say in the end, by query and document.
        known_pairs: whose answers are known.
    """

    queries: Path
    documents: Path
    runs: tuple[Path, ...]
    known: Path
    truth: dict[tuple[str, str], int]
    known_pairs: frozenset[tuple[str, str]]


def write_files(folder: Path, data: Path, *, n_queries: int, n_known: int, depth: int = 0):
    """Write the day's files; with a depth runs end there, and only their documents are in it."""
    queries = (data / "queries.tsv").read_text(encoding="utf-8").splitlines()[:n_queries]
    ids = {line.split("\t")[0] for line in queries}
    _write(folder / "queries.tsv", queries)
    pool: dict[tuple[str, str], None] = {}
    for name in RUNS:
        lines = _lines_of(data / "runs" / f"{name}.run", ids)
        kept = [line for line in lines if not depth or int(line.split()[3]) <= depth]
        _write(folder / f"{name}.run", kept)
        parts = (line.split() for line in lines)
        pool |= dict.fromkeys((each[0], each[2]) for each in parts if int(each[3]) <= (depth or 10))
    truth = read_truth(data / "qrels" / "combined.qrels")
    pairs = _write_known(folder / "known.tsv", truth, pool.keys(), n_known)
    documents = data / "corpus.jsonl"
    if depth:
        wanted = {document for _, document in pool}
        lines = documents.read_text(encoding="utf-8").splitlines()
        documents = folder / "documents.jsonl"
        _write(documents, [line for line in lines if json.loads(line)["_id"] in wanted])
    return DayFiles(
        folder / "queries.tsv",
        documents,
        tuple(folder / f"{name}.run" for name in RUNS),
        folder / "known.tsv",
        truth,
        frozenset(pairs),
    )


def write_sample(folder: Path, *, n_queries: int, n_known: int, depth: int):
    """Write the files of a day over the first queries of the bundled sample, its runs ending at a depth."""
    queries = (SAMPLE / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:n_queries]
    _write(folder / "queries.jsonl", queries)
    ids = {json.loads(line)["id"] for line in queries}
    runs, pool = [], set()
    for path in map(Path, SAMPLE_RUNS):
        kept = [line for line in _lines_of(path, ids) if int(line.split()[3]) <= depth]
        runs.append(folder / path.name)
        _write(runs[-1], kept)
        pool |= {tuple(line.split()[:3:2]) for line in kept}
    truth = read_truth(QRELS)
    pairs = _write_known(folder / "known.tsv", truth, pool, n_known)
    documents = SAMPLE / "documents.jsonl"
    names = folder / "queries.jsonl", documents, tuple(runs), folder / "known.tsv"
    return DayFiles(*names, truth, frozenset(pairs))


def read_truth(path) -> dict[tuple[str, str], int]:
    """Read what is known, by query and document, of a file in the format of TREC."""
    rows = map(str.split, Path(path).read_text(encoding="utf-8").splitlines())
    return {(query, document): int(grade) for query, _, document, grade in rows}


def _write_known(path: Path, truth, pool, n_known: int) -> list[tuple[str, str]]:
    pairs = sorted(pool & truth.keys())
    pairs = pairs[:: max(1, len(pairs) // n_known)]
    table = ["query\tdocument\tgrade", *(f"{q}\t{d}\t{truth[q, d]}" for q, d in pairs)]
    _write(path, table)
    return pairs


def _lines_of(path: Path, ids: set[str]) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.split()[0] in ids]


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def make_project(path: Path, files: DayFiles) -> Path:
    """Make the lead's project by commands: queries, documents, runs, and the answers that are known."""
    must("new", path, "--scale", "0-3", "--title", "Shop")
    runs = [word for each in files.runs for word in ("--run", each)]
    must("import", path, "--queries", files.queries, "--documents", files.documents, *runs)
    must("import", path, "--qrels", files.known, "--settled", "--assessor", "settled")
    return path


def grade_of(who, query, document, known, turn):
    """Return what somebody says: mostly what is known, ben milder, cem now and then otherwise; no clock, no chance."""
    drawn = zlib.crc32(f"{who} {query} {document} {turn}".encode()) % 100
    grade = known.get((query, document), 0)
    if who == "ben" and drawn < 40:
        grade += 1
    elif who == "cem" and drawn < 15:
        grade -= 1
    elif drawn < 5:
        grade += 2
    return float(min(3, max(0, grade)))


def judge_apart(path, who, known, start):
    """Judge all that somebody is asked, in their copy; return the pairs in the order in which they came."""
    clock = count(start, 15_000)
    with open_project(path, assessor=who, clock=lambda: next(clock)) as session:
        came = judge_asked(session, lambda *named: grade_of(who, *named[:2], known, named[2]))
    return [(query, document) for query, document, _ in came]


def content(path):
    """What a file says: judgments, asks, agreement, disputes, and what is exported."""
    measures = ("-m", "kappa(weights='linear')", "-m", "overlap", "--intervals")
    qrels = path.with_suffix(".qrels")
    must("export", path, "--qrels", qrels, "--no-meta")
    return {
        "judgments": must("show", path, "--judgments").out,
        "asks": must("ask", path, "--status").out,
        "agreement": must("agreement", path, "--by", "pair", *measures).out,
        "effect": must("agreement", path, "--effect", "-m", "nDCG@10").out,
        "disputes": must("show", path, "--disputes").out,
        "qrels": qrels.read_text(encoding="utf-8"),
        "values": must("score", "--project", path, "-m", "nDCG@10", "-q").out,
    }


def settle_by_call(path, n, reason):
    """Settle as the lead's window does, the first with a reason.

    What has the highest stake then comes first. Stakes are by the measure that a window explains
    at first.
    """
    with open_project(path, assessor="lead") as session:
        for number in range(n):
            query, document = load_disputes(session, "nDCG@10")[0][:2]
            session.execute(settle(query, document, 2.0, reason=None if number else reason))
