"""The help page on formats has all that are written, and its example is true."""

import re

from judgetool.formats import read_text
from judgetool.formats.judgment_columns import COLUMNS
from judgetool.formats.writers import WRITERS
from judgetool.resources import resource_path


def section():
    page = resource_path("help/formats.md").read_text(encoding="utf-8")
    return page.split("\n## What is written\n")[1].split("\n## ")[0]


def test_every_written_format_is_on_the_page():
    """The table of the page has each format that is written, and no other."""
    rows = [line.split("|")[1] for line in section().splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row)]
    assert sorted(named) == sorted(WRITERS)


def test_the_example_is_read():
    """The example of judgments in full has all columns and is read without a refusal."""
    example = re.search(r"```text\n(.*?)```", section(), re.DOTALL).group(1)
    assert example.splitlines()[0].split(",") == list(COLUMNS)
    assert read_text(example, source="x.csv").n_refused == 0
