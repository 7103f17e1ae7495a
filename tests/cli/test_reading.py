"""Commands that only read a project leave it and its folder as they are."""

import gzip
from pathlib import Path

import pytest

from tests.helpers.program import call

# Whoever opened it to write would bring it up to date.
OLD = Path(__file__).parents[1] / "storage" / "data" / "schema-3.judge.gz"


@pytest.mark.parametrize(
    "command",
    [
        "score --project",
        "compare --project",
        "explain -m P@5 --query q1 --run one --project",
        "agreement",
        "agreement --effect",
        "show",
        "show --disputes",
        "project",
        "effort",
        "runs",
        "backups",
        "export --qrels -",
        "check",
    ],
)
def test_what_only_reads_changes_no_file(tmp_path, command):
    path = tmp_path / "old.judge"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    before = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    found = call(*command.split(), path)
    assert found.code == 0, found.err
    after = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    assert after == before
