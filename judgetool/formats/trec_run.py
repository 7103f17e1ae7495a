"""TREC runs: ``query Q0 document rank score tag``, separated by blanks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO

import numpy as np

from judgetool.core.rankings import score_order
from judgetool.errors import InputError
from judgetool.formats.columns import count_noun
from judgetool.formats.output import (
    RESULTS_INSTEAD,
    SEPARATORS,
    checked_trec_id,
    format_number,
    write_text,
)
from judgetool.formats.run_collect import CollectedResults
from judgetool.formats.run_order import build_run
from judgetool.formats.scan_words import keep_freed_memory
from judgetool.formats.source import TextSource
from judgetool.formats.values import Reading, RunRow


def read_trec_run(source: TextSource, reading: Reading, *, name: str | None = None) -> None:
    """Read a run; the tag may hold blanks or be missing throughout.

    Args:
        source: the file.
        reading: gets the run, the refusals and the notes.
        name: the run's name; ``None`` takes the tag, or the file's name.
    """
    keep_freed_memory()
    collected = CollectedResults(reading)
    collected.add_all(source)
    if len(collected.tags) > 1:
        some = ", ".join(tag for tag, _ in collected.tags.most_common(5))
        reading.notes.append(
            f"The file has {count_noun(len(collected.tags), 'tag')} ({some}) and is read as one run."
        )
    tag = next((tag for tag, _ in collected.tags.most_common(1)), None)
    run = build_run(
        collected.results(), reading, name=name or tag or name_from(source.name), is_ranked=False
    )
    reading.runs.append(run)


_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def name_from(source: str) -> str:
    """Return a run's name from its file's: no folder, no endings such as ``.run.gz``.

    Examples:
        >>> name_from("runs/bm25.v2.run.gz"), name_from("-")
        ('bm25.v2', '-')
    """
    stem = Path(source).name or source
    for ending in (*_PACKED, ".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".jsonl"):
        stem = stem.removesuffix(ending) or stem
    return stem


def write_run(rows: Iterable[RunRow], out: TextIO | Path, *, tag: str) -> list[str]:
    """Write ``query Q0 document rank score tag``, scores strictly falling.

    Where a query's scores would be read back in another order (they tie, rise or
    are missing), n, n - 1, ... 1 stand in their place.

    Args:
        rows: a query's rows together, best first.
        out: an open text stream, or a path that is replaced as a whole.
        tag: the run's name; blanks in it are written as ``_``.

    Returns:
        Notes about what was replaced, scores or blanks; empty if nothing was.

    Raises:
        InputError: an id that the format cannot carry, or a query or document
            that comes twice; or the file could not be written.
    """
    notes = []
    # Several tools want just six columns, and a # line with more would be a comment.
    written_tag = SEPARATORS.sub("_", tag) or "_"
    if written_tag != tag:
        notes.append(f"The run's name '{tag}' was written as '{written_tag}'.")
    replaced: list[str] = []
    write_text(run_lines(rows, written_tag, replaced), out)
    if replaced:
        those = "its scores" if len(replaced) == 1 else "their scores"
        notes.append(
            f"In {count_noun(len(replaced), 'query')} {those} tie, rise or are missing: "
            "n, n − 1, … 1 were written instead, so that every tool reads the same order."
        )
    return notes


def run_lines(rows: Iterable[RunRow], tag: str, replaced: list[str]) -> Iterator[str]:
    """Yield the lines of a run, query by query.

    Args:
        rows: a query's rows stand together, best first.
        tag: the last column.
        replaced: gets the queries whose scores were written as n, n − 1, … 1.
    """
    seen: set[str] = set()
    for query_id, group in groupby(rows, key=lambda row: row.query_id):
        checked_trec_id(query_id, "query", starts_line=True, instead=RESULTS_INSTEAD)
        its = list(group)
        documents = [
            checked_trec_id(row.document_id, "document", instead=RESULTS_INSTEAD) for row in its
        ]
        if query_id in seen or len(set(documents)) < len(documents):
            raise InputError(
                f"Query '{query_id}' comes twice, or has a document twice. Nothing was written."
            )
        seen.add(query_id)
        scores = _falling_scores(its)
        if scores is None:
            replaced.append(query_id)
            scores = [str(place) for place in range(len(its), 0, -1)]
        yield "".join(
            f"{query_id} Q0 {document} {rank} {score} {tag}\n"
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
        )


def _falling_scores(rows: Sequence[RunRow]) -> list[str] | None:
    """Return the scores as text; ``None`` if they do not fall strictly."""
    scores = [row.score for row in rows if row.score is not None]
    if len(scores) < len(rows):
        return None
    texts = [format_number(score) for score in scores]
    values = np.array(scores)
    order = score_order(values, [row.document_id for row in rows])
    has_ties = bool((values[1:] == values[:-1]).any())
    is_same = bool((order == np.arange(len(rows))).all())
    return texts if is_same and not has_ties else None
