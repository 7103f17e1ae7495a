"""Export, import into an empty project, export again: the same bytes."""

from itertools import count

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import scale_preset
from judgetool.formats import FORMATS
from judgetool.formats.reading import read_file, read_text
from judgetool.formats.writers import WRITERS, ExportChoices, Subject
from judgetool.session.commands import Say
from judgetool.session.exports.exporting import write_export
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from tests.helpers.builders import Parts, make_readings

DOCUMENTS = (
    Document("007", "Gazpacho", "https://x.example/a", "Blend.\nEat “cold”.", {"kind": "soup"}),
    Document("é1", "=Soup", "", "'=1+1 is no formula"),
)
QUERIES = (
    Query("10", "cold soup", "Eaten cold.", "Gazpacho counts.", 2.5, "soup"),
    Query("9", 'bread, "flat" – pão', fields={"lang": "pt", "title": "x"}),
    Query("8", "nothing found"),
)
JUDGMENTS = (
    ("10", "007", "anna", 3.0),
    ("10", "007", "ben", 2.0),
    ("10", "é1", "anna", 0.0),
    ("9", "7", "ben", 1.0),
    ("9", "007", "anna", 0.0),
    ("8", "a#b", "anna", 2.0),
)
RUNS = {"bm25": {"10": ["007", "é1", "7"], "9": ["7", "007"]}}
# Three columns of ids and numbers could be a run as well: that is for a person to say.
ANSWERS = {"third_column": "grade"}
READ_BACK = [name for name, form in WRITERS.items() if form.read_as]
NOT_READ = [
    name
    for name, form in WRITERS.items()
    if not form.read_as and form.subject is not Subject.REPORT
]


# What no other format holds: time, effort, flag, confidence and rationale.
DETAILED = """\
{"query": "10", "document": "é1", "assessor": "anna", "grade": 0, "at": "2026-02-03T04:05:06.789Z", \
"flagged": true, "spent_ms": 4200, "confidence": 1, "rationale": [\
{"field": "body", "start": 3, "end": 9, "text": "“cold”, "}, \
{"field": "title", "start": 0, "end": 4, "text": "=Sou"}]}
{"query": "9", "document": "7", "assessor": "dora", "state": "unjudged", "flagged": true}
{"query": "9", "document": "007", "assessor": "dora", "grade": 3, "note": "- = '+ only in part"}
"""


def ticking():
    """A clock that goes on by a second and a bit whenever it is looked at."""
    moments = count(1_767_268_800_001, 1_017)
    return lambda: next(moments)


@pytest.fixture
def new(tmp_path):
    """Makes an empty project of the usual scale and opens it."""
    opened = []

    def made(name):
        path = tmp_path / name
        create_project(path, scale=scale_preset("0-3"))
        opened.append(open_project(path, assessor="carl", clock=ticking()))
        return opened[-1]

    yield made
    for session in opened:
        session.close()


@pytest.fixture
def full(new):
    """A project with awkward ids, several assessors, notes and states."""
    session = new("full.judge")
    import_readings(session, make_readings(Parts(QUERIES, DOCUMENTS, RUNS, JUDGMENTS)))
    import_readings(session, [read_text(DETAILED)])
    number = session.material.find_document
    session.execute(Say.cannot_judge(0, number("7"), "behind a login"))
    session.execute(Say.skip(1, number("a#b")))
    session.execute(Say.note(1, number("é1"), "two\nlines, “quoted”"))
    return session


@pytest.mark.parametrize("name", READ_BACK)
def test_export_import_export_gives_the_same_bytes(full, new, tmp_path, name):
    """What judgetool wrote and read again, it writes the same, byte for byte."""
    choices = ExportChoices(name)
    first = tmp_path / f"first{WRITERS[name].endings[0]}"
    second = first.with_stem("second")
    write_export(full, choices, first)
    reading = read_file(first, answers=ANSWERS)
    assert (reading.format, reading.n_refused) == (WRITERS[name].read_as, 0)
    empty = new("empty.judge")
    import_readings(empty, [reading])
    write_export(empty, choices, second)
    assert second.read_bytes() == first.read_bytes()


def test_formats_are_read_back_by_readers_that_there_are():
    """Each format names the reader that reads it back; reports are for people alone."""
    assert {WRITERS[name].read_as for name in READ_BACK} <= set(FORMATS)
    assert NOT_READ == ["lightgbm"]
