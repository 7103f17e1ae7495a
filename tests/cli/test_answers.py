"""Commands answer what was kept: no change of an answer goes unseen."""

import pytest

from tests.cli import answers


@pytest.mark.parametrize("name", answers.names())
def test_commands_answer_what_was_kept(name, tmp_path, monkeypatch):
    """Where it is meant to be otherwise, ``python -m tests.cli.answers --keep`` keeps it anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    answers.lay_out(tmp_path)
    kept = (answers.KEPT / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert [*answers.told_anew(name)] == kept, (
        "if this is meant: python -m tests.cli.answers --keep"
    )
