"""The command line as tests call it: in this process, with its own standard streams."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from judgetool.cli.main import run
from judgetool.resources import resource_path

SAMPLE = resource_path("sample")
RUNS = tuple(str(SAMPLE / "runs" / f"{name}.run") for name in ("chargrams", "full-bm25-stem", "title-bm25"))  # fmt: skip
QRELS = str(SAMPLE / "qrels.txt")


@dataclass(frozen=True)
class Outcome:
    """What a command answered: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def rows(self):
        """Lines of the output, split at tabs."""
        return [line.split("\t") for line in self.out.splitlines()]

    @property
    def json(self):
        """The output as JSON."""
        return json.loads(self.out)


def call(*arguments, stdin=b""):
    """Run one command line and return what it answered."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    source = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    with patch.multiple(sys, stdin=source, stdout=out, stderr=err):
        code = run([str(argument) for argument in arguments])
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return Outcome(code, *texts)


def must(*arguments, stdin=b""):
    """Run a command that has to succeed."""
    outcome = call(*arguments, stdin=stdin)
    assert outcome.code == 0, outcome
    return outcome


def sample_project(path: Path) -> Path:
    """Make the sample as a project, by commands."""
    must("new", path, "--scale", "0-3")
    must(
        *("import", path, "--queries", SAMPLE / "queries.jsonl"),
        *("--documents", SAMPLE / "documents.jsonl", "--run", *RUNS),
        *("--qrels", SAMPLE / "judgments.csv"),
    )
    return path
