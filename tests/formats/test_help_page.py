"""The help page on formats shows each of them, and its examples are true."""

import re

import pytest

from judgetool.formats import FORMATS, Kind, read_text
from judgetool.resources import resource_path

_EXAMPLE = re.compile(
    r"^### [^\n]*\(`([a-z0-9-]+)`\)\n.*?^```text\n(.*?)^```", re.MULTILINE | re.DOTALL
)


def examples() -> dict[str, str]:
    page = resource_path("help/formats.md").read_text(encoding="utf-8")
    return dict(_EXAMPLE.findall(page))


def test_every_format_has_an_example():
    """The page has an example of each format of the registry, and of no other."""
    assert sorted(examples()) == sorted(FORMATS)


# A folder is no text; bare texts have to be called queries.
_TOLD = {"queries-list": Kind.QUERIES}


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"documents-folder", "beir-folder"}))
def test_examples_are_read_as_their_format(name):
    """Each example is told by its content and read without a refusal."""
    reading = read_text(examples()[name], kind=_TOLD.get(name))
    assert (reading.format, reading.n_refused) == (name, 0)
    assert not reading.is_empty
