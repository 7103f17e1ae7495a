"""Small real projects, made through the session as any import makes them."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import Level, Scale, numbered_scale, scale_preset
from judgetool.formats import JudgmentTable, Kind, Reading, RunTable
from judgetool.formats.reading import read_file
from judgetool.resources import resource_path
from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings, make_sample
from judgetool.session.opening import create_project, open_project
from judgetool.session.pool import IntArray
from judgetool.session.session import Session
from judgetool.session.whatifs.rules import Condition, Rule

Rankings = Mapping[str, Sequence[str]]
OWN_SCALE = Scale(
    "own",
    (
        Level(0, "Unfit", gain=0, p_relevant=0, key="0", code="U"),
        Level(1, "Addition", gain=1, p_relevant=0.1, key="1", code="Z"),
        Level(2, "Replacement", gain=4, p_relevant=0.4, key="2", code="E"),
        Level(3, "Hit", gain=10, p_relevant=0.9, key="3", code="T"),
    ),
    relevant_from=2,
)
"""A scale whose gains and probabilities are its own, and whose grade 1 is not relevant."""
SAMPLE_RUNS = ("full-bm25-stem", "title-bm25", "chargrams")


@dataclass(frozen=True)
class Parts:
    """What a small project holds.

    Attributes:
        queries: in order.
        documents: those with text; others become known by runs and judgments.
        runs: by name, then by query id, documents best first. Scores fall from 10 by 0.5.
        judgments: (query id, document id, assessor, grade).
        scale: name of a preset, or a scale.
    """

    queries: Sequence[Query] = ()
    documents: Sequence[Document] = ()
    runs: Mapping[str, Rankings] = field(default_factory=dict)
    judgments: Sequence[tuple[str, str, str, float]] = ()
    scale: str | Scale = "0-3"


def make_run(name: str, rankings: Rankings) -> RunTable:
    """Return a run as a reader gives it."""
    ids = list(dict.fromkeys(doc for ranked in rankings.values() for doc in ranked))
    number_of = {doc: number for number, doc in enumerate(ids)}
    kept = {query: ranked for query, ranked in rankings.items() if ranked}
    lengths = [len(ranked) for ranked in kept.values()]
    documents = [number_of[doc] for ranked in kept.values() for doc in ranked]
    scores = [10.0 - 0.5 * rank for n in lengths for rank in range(n)]
    return RunTable(
        name,
        list(kept),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        ids,
        np.array(documents, dtype=np.int32),
        np.array(scores, dtype=np.float64),
    )


def make_readings(parts: Parts) -> list[Reading]:
    """Return what readers would have made of files with these parts."""
    readings = []
    if parts.queries:
        readings.append(
            Reading("queries.jsonl", Kind.QUERIES, "queries", queries=list(parts.queries))
        )
    if parts.documents:
        readings.append(
            Reading("docs.jsonl", Kind.DOCUMENTS, "documents", documents=list(parts.documents))
        )
    for name, rankings in parts.runs.items():
        run = make_run(name, rankings)
        readings.append(Reading(f"{name}.run", Kind.RUN, "trec-run", runs=[run]))
    if parts.judgments:
        rows = parts.judgments
        table = JudgmentTable(
            query_ids=[row[0] for row in rows],
            document_ids=[row[1] for row in rows],
            grades=[row[3] for row in rows],
            assessors=[row[2] for row in rows],
            states=[None] * len(rows),
            notes=[""] * len(rows),
            lines=list(range(1, len(rows) + 1)),
        )
        readings.append(Reading("judgments.csv", Kind.JUDGMENTS, "judgments", judgments=table))
    return readings


def make_two_runs(folder: Path, queries: Sequence[str]) -> Path:
    """Make a project of the runs alpha and beta, five documents each a query, and return its path.

    Documents bear the first letter of the run that finds them: no document is in both.
    """
    runs = {
        name: {query: [f"{name[0]}{query}{place}" for place in range(5)] for query in queries}
        for name in ("alpha", "beta")
    }
    parts = Parts(queries=[Query(each, each) for each in queries], runs=runs)
    with make_project(folder, parts) as session:
        return session.path


def judge_two_runs(path: Path, *, assessor: str = "ben") -> None:
    """Let somebody judge 4 of 10 documents of each query of ``make_two_runs``, alike for both runs.

    Of the runs' pairs of documents one is known, and of two more one side each.
    """
    with open_project(path, assessor=assessor) as session:
        for query, each in enumerate(session.material.queries):
            for name in ("a{}0", "b{}0", "a{}1", "b{}2"):
                document = session.material.find_document(name.format(each.id))
                assert document is not None
                session.execute(Say.grade(query, document, 0))


def judge_in_dispute(path: Path) -> None:
    """Let three judge the first document of alpha of each query of ``make_two_runs``, the last otherwise.

    By the majority none is good, by the latest all are.
    """
    for assessor, grade in (("ben", 0.0), ("cleo", 0.0), ("dan", 3.0)):
        with open_project(path, assessor=assessor) as session:
            for query, each in enumerate(session.material.queries):
                document = session.material.find_document(f"a{each.id}0")
                assert document is not None
                session.execute(Say.grade(query, document, grade))


def make_project(
    folder: Path, parts: Parts, *, assessor: str = "anna", name: str = "small"
) -> Session:
    """Make a project file with these parts and open it; the caller closes the session."""
    path = folder / f"{name}.judge"
    scale = parts.scale if isinstance(parts.scale, Scale) else scale_preset(parts.scale)
    create_project(path, scale=scale)
    session = open_project(path, assessor=assessor)
    readings = make_readings(parts)
    if readings:
        import_readings(session, readings)
    return session


def open_made(
    folder: Path, parts: Parts, *, assessor: str = "anna", name: str = "small"
) -> Session:
    """Open what :func:`make_project` makes, from a file that is made once a process.

    Nothing was changed in it since it was opened: no backup is due. It is for who has one
    project of these parts: two of one name are copies of each other.
    """
    wanted = repr((parts, assessor, name))
    if wanted not in _made:
        made = Path(_samples().name) / f"made-{len(_made)}"
        made.mkdir()
        make_project(made, parts, assessor=assessor, name=name).close()
        _made[wanted] = made / f"{name}.judge"
    path = folder / f"{name}.judge"
    shutil.copyfile(_made[wanted], path)
    return open_project(path, assessor=assessor)


_made: dict[str, Path] = {}


def query_documents(session: Session, query: int) -> IntArray:
    """All documents of a query: its pool, its rankings, what is judged; each once."""
    material = session.material
    parts = [session.board.pool(query)]
    parts += [material.ranked_documents(run.run_id, query) for run in material.runs]
    parts.append(np.array(list(session.board.settled(query)), dtype=np.int32))
    return np.unique(np.concatenate(parts))


def simple_parts(*, n_queries: int = 3, n_documents: int = 6) -> Parts:
    """Return a project of one run 'alpha' in which every query ranks all documents."""
    queries = [
        Query(f"q{number}", f"soup number {number}", f"Need of query {number}.")
        for number in range(n_queries)
    ]
    documents = [
        Document(
            f"d{number}",
            f"Soup recipe {number}",
            f"https://recipes.example/soup-{number}",
            f"First words of document {number}. A quick soup. The end.",
            {"course": "soup", "minutes": str(10 + number)},
        )
        for number in range(n_documents)
    ]
    ranked = [document.id for document in documents]
    return Parts(queries, documents, {"alpha": {query.id: ranked for query in queries}})


def awkward_parts() -> Parts:
    """Return queries and documents that trip up careless code."""
    queries = [
        Query("plain", "soup"),
        Query("no run", "this one no run has"),
        Query("שלום", "מרק עדשים", "מרק חם לחורף"),
        Query("a\tb", "crème brûlée <b>bold</b> & café 🍮"),
        Query("zwj👩‍👩‍👧", "Abẹ́òkúta ni"),
        Query("bare"),
        Query("long", "word " * 4000),
    ]
    documents = [
        Document("long-title", "T" * 100_000, "https://x.example/" + "y" * 3000, "short soup"),
        Document("rtl", "מרק עדשים כתום", "https://x.example/מרק", "מרק עדשים טעים soup 3 ₪"),
        Document("marks", "Abẹ́òkúta", "", "Láti ìgbà tí àwọn Ẹ̀gbá ti dó sí Abẹ́òkúta " * 20),
        Document("emoji 👩‍👩‍👧", "🍮 flan 🍮", "", "🍮🍮 crème brûlée 🍮 soup 🇫🇷"),
        Document(
            "<img src=x>", "<h1>soup</h1>", "javascript:alert(1)", "<img src='file:///x'>soup"
        ),
        Document("object\ufffc", "a\u202eb\x00"[:3], "", "x\ufffcy\u2028z\u2029w soup\r\nnext"),
        Document("fields-only", "", "", "", {"name\n": "value\nwith lines", "": "no name"}),
        Document("body-only", "", "", "only a body about soup"),
        Document("no-spaces", "No spaces", "", "QUJD" * 5000),
    ]
    ranked = [document.id for document in documents] + ["no text ✓ at:all", "-"]
    runs = {
        "alpha": {query.id: ranked for query in queries if query.id not in ("no run", "long")},
        "βήτα": {"plain": ["only-beta", "rtl"], "long": ["marks"]},
    }
    judgments = [("plain", "rtl", "anna", 2.0), ("plain", "judged-only", "ben", 1.0)]
    return Parts(queries, documents, runs, judgments)


def awkward_large_parts() -> Parts:
    """Return the awkward project with 20 levels, a query of 2,000 letters and one of 5,000 results."""
    parts = awkward_parts()
    queries = [
        *parts.queries,
        Query("2,000 letters", "which soup is best for " * 87, "One that keeps warm. " * 100),
        Query("5,000 results", "soup of many"),
    ]
    documents = [
        *parts.documents,
        *(Document(f"many-{n}", f"Soup {n}", "", f"Soup {n}, hot.") for n in range(5_000)),
        Document("long-fields", "Fields", "", "", {f"field {n}": "value " * n for n in range(60)}),
    ]
    many = [f"many-{n}" for n in range(5_000)]
    alpha = {
        **parts.runs["alpha"],
        "2,000 letters": ["long-fields", "rtl", *many[:20]],
        "5,000 results": many,
    }
    runs = {**parts.runs, "alpha": alpha}
    names = [f"Level number {n} of a long scale" if n % 3 else f"L{n}" for n in range(20)]
    twenty = numbered_scale("twenty", names, definitions=["When it is so. " * n for n in range(20)])
    return Parts(queries, documents, runs, parts.judgments, scale=twenty)


def open_sample(folder: Path, *, assessor: str = "anna") -> Session:
    """Make a project of the shipped sample: queries, documents, three runs, judgments."""
    return open_project(lay_judged_sample(folder, assessor=assessor), assessor=assessor)


def lay_judged_sample(folder: Path, *, assessor: str = "anna") -> Path:
    """Lay down what :func:`open_sample` opens; return its path."""
    path = folder / "recipes.judge"
    shutil.copyfile(_sample_file(assessor), path)
    return path


@cache
def _sample_file(assessor: str) -> Path:
    """Make it once a process: most tests of the window begin with it."""
    path = Path(_samples().name) / f"{assessor}.judge"
    create_project(path, scale=scale_preset("0-3"), title="recipes")
    sample = resource_path("sample")
    runs = [sample / "runs" / f"{name}.run" for name in SAMPLE_RUNS]
    files = [sample / "queries.jsonl", sample / "documents.jsonl", *runs, sample / "judgments.csv"]
    with open_project(path, assessor=assessor) as session:
        import_readings(session, [read_file(file) for file in files])
    return path


def made_once(make: Callable[[Path], object]) -> Callable[[Path], Path]:
    """Return what lays down, at a path, a project that is made once a process.

    Args:
        make: makes it at a path, and leaves it closed.
    """

    @cache
    def made() -> Path:
        path = Path(_samples().name) / f"{make.__module__}.{make.__qualname__}.judge"
        make(path)
        return path

    def lay(path: Path) -> Path:
        shutil.copyfile(made(), path)
        return path

    return lay


lay_sample = made_once(make_sample)
"""Lays down the sample as the program opens it for somebody new."""


@cache
def _samples() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory()


def simple_rule(action, field, match, text, ranks=1, queries=""):
    """Return a rule of one condition."""
    return Rule(action, (Condition(field, match, text),), ranks, queries)
