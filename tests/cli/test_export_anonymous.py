"""`judgetool export --anonymous`: nothing in a file tells who judged, or when."""

import csv
import io
import json
import zipfile

import pytest

from judgetool.formats.writers import WRITERS
from judgetool.formats.writers.values import Subject
from judgetool.session.commands import set_title
from judgetool.session.opening import open_project
from judgetool.storage.asks import ensure_assessor
from judgetool.storage.values import load_assessors
from tests.helpers.program import call, must

NAMES = ("Bartholomew", "Zoë Quill", "ann=1")
NOTE = "Perhaps this is for Quentin"
JUDGED = "query,document,assessor,grade,state,note,at,spent_ms\n" + "".join(
    f"{query},d{document},{name},{(document + place) % 3},judged,{NOTE},"
    f"2019-07-{10 + 3 * place - document:02}T08:15:00Z,{31_417 + document}\n"
    for query in ("1", "2")
    for document in range(3)
    for place, name in enumerate(NAMES)
)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A project that is named for the first assessor; tests only look at it."""
    path = tmp_path_factory.mktemp("judged") / "bartholomew.judge"
    must("new", path, "--title", "Soups of Bartholomew")
    must("import", path, "--qrels", "-", stdin=JUDGED)
    lines = "".join(f"{query} Q0 d{n} {n} {-n} x\n" for query in "12" for n in range(3))
    must("import", path, "--run", "-", stdin=lines)
    return path


def exported(project, *options, name="judgments-csv"):
    """Return the rows of an anonymous table."""
    options = ("--anonymous", "--formulas", "keep-ids", *options) if "csv" in name else options
    out = must("export", project, "--format", name, *options).out
    return list(csv.DictReader(io.StringIO(out)))


def texts_in(path):
    """Yield all that stands in a file: its bytes, members of an archive, columns of Parquet."""
    data = path.read_bytes()
    yield data
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield from (name.encode() for name in packed.namelist())
            yield from map(packed.read, packed.namelist())
    if data[:4] == b"PAR1":
        parquet = pytest.importorskip("pyarrow.parquet")
        table = parquet.read_table(path)
        yield f"{table.to_pylist()} {table.schema.metadata}".encode()


def spellings(text):
    """Yield how a text may stand in a file, in small letters."""
    lower = text.lower()
    yield lower.encode()
    yield lower.encode("utf-16-le")
    yield json.dumps(text).strip('"').lower().encode()
    yield lower.encode("ascii", "xmlcharrefreplace")


OF_JUDGMENTS = [
    name
    for name, form in WRITERS.items()
    if form.subject in (Subject.GRADES, Subject.JUDGMENTS, Subject.REPORT)
]


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        *((name, ()) for name in WRITERS),
        *((name, ("--assessor", NAMES[0])) for name in OF_JUDGMENTS),
    ],
)
def test_no_file_has_a_name_a_note_or_a_time(judged, tmp_path, name, whose):
    """Of every format, with its side file: neither names nor notes, nor the project's, nor times."""
    out = tmp_path / "out"
    must(
        *("export", judged, "--format", name, "--out", out, "--meta", "--anonymous", *whose),
        *(("--run", "x") if WRITERS[name].subject is Subject.RUN else ()),
    )
    named = tmp_path / "named"
    must("export", judged, "--judgments", named, "--formulas", "keep-ids")
    beside = named.with_name("named.meta.json")
    uuid = json.loads(beside.read_bytes())["project"]["uuid"]
    named.unlink()
    beside.unlink()
    secrets = (*NAMES, "Quill", NOTE, "Quentin", "2019-07", "31417", uuid)
    files = list(tmp_path.iterdir())
    assert len(files) >= 2
    for path in files:
        for data in texts_in(path):
            found = data.lower()
            for secret in secrets:
                assert not any(each in found for each in spellings(secret)), (path.name, secret)


def test_each_is_one_name_in_every_file_of_a_seed(judged):
    """A1 said in the table what one person said, and is A1 in the book, and in the file of one."""
    named = list(csv.DictReader(io.StringIO(JUDGED)))
    of_name = {
        name: {(r["query"], r["document"], r["grade"]) for r in named if r["assessor"] == name}
        for name in NAMES
    }
    rows = exported(judged)
    of_number = {
        number: {(r["query"], r["document"], r["grade"]) for r in rows if r["assessor"] == number}
        for number in ("A1", "A2", "A3")
    }
    assert sorted(map(sorted, of_number.values())) == sorted(map(sorted, of_name.values()))
    book = exported(judged, name="quepid-book-csv")
    assert list(book[0])[2:] == ["A1", "A2", "A3"]
    who = {
        number: next(n for n in NAMES if of_name[n] == of_number[number]) for number in of_number
    }
    for number, name in who.items():
        alone = exported(judged, "--assessor", name)
        assert {row["assessor"] for row in alone} == {number}


def test_the_seed_numbers_them(judged):
    """The same seed gives the same file; some other another order, not that of their work."""
    first = [exported(judged, "--seed", seed) for seed in range(8)]
    assert first == [exported(judged, "--seed", seed) for seed in range(8)]
    orders = set()
    for rows in first:
        of_number = {
            r["assessor"]: r["grade"] for r in rows if (r["query"], r["document"]) == ("1", "d0")
        }
        orders.add(tuple(of_number[number] for number in ("A1", "A2", "A3")))
    assert len(orders) > 2


def test_times_are_places_in_the_order(judged):
    """The first moment is 1; moments that are equal have one place."""
    rows = exported(judged)
    assert {row["order"] for row in rows} == {str(number) for number in range(1, 10)}
    assert all("at" not in row and not row["spent_ms"] and not row["note"] for row in rows)
    said = {
        (r["query"], r["document"], r["grade"]): r["at"]
        for r in csv.DictReader(io.StringIO(JUDGED))
    }
    in_order = sorted(rows, key=lambda row: int(row["order"]))
    times = [said[row["query"], row["document"], row["grade"]] for row in in_order]
    assert times == sorted(times)


@pytest.mark.parametrize("name", ["judgments-csv", "judgments-jsonl"])
def test_an_anonymous_table_is_read_back(judged, tmp_path, name):
    """Grades come back under the new names, and nothing is said to be wrong with the order."""
    out, again = tmp_path / "out", tmp_path / "again.judge"
    must("export", judged, "--format", name, "--out", out, "--anonymous")
    must("new", again)
    found = must("import", again, "--qrels", out)
    assert "cells of the column" not in found.out + found.err
    shown = must("show", again, "--judgments").rows[1:]
    assert sorted({row[2] for row in shown}) == ["A1", "A2", "A3"]
    kept = must("show", judged, "--judgments").rows[1:]
    assert sorted((q, d, g) for q, d, _, g, *_ in shown) == sorted(
        (q, d, g) for q, d, _, g, *_ in kept
    )


def test_a_seed_alone_means_nothing(judged):
    """--seed is for --anonymous."""
    assert call("export", judged, "--judgments", "-", "--seed", "3").code == 2


def test_the_side_file_says_that_it_is_anonymous_and_not_the_seed(judged, tmp_path):
    """What was chosen stands there, but not what would let one try out names."""
    must(
        *("export", judged, "--judgments", tmp_path / "j.csv", "--anonymous", "--seed", "12"),
        *("--formulas", "keep-ids"),
    )
    said = json.loads((tmp_path / "j.csv.meta.json").read_text(encoding="utf-8"))
    assert said["choices"]["anonymous"] is True
    assert "seed" not in said["choices"]
    assert not said.keys() & {"project", "written_at"}


def test_models_are_numbered_apart_and_second_looks_stay_out(tmp_path):
    """M1 for a model, 'settled' for what was settled, and nothing of what somebody was asked again.

    With names it stays out, too: nobody may learn from a file which documents came twice.
    """
    path = tmp_path / "a.judge"
    must("new", path)
    kinds = {"anna": "human", "gpt": "model", "settled": "settled", "anna (again)": "again"}
    with open_project(path, assessor="anna") as session:
        session.execute(set_title("Soups"))

        def add(connection):
            numbers = {row.name: row.assessor_id for row in load_assessors(connection)}
            for name, kind in kinds.items():
                person = {"person_id": numbers["anna"]} if kind == "again" else {}
                numbers[name] = ensure_assessor(connection, name, kind=kind, **person)

        session.write(add)
    table = "query,document,assessor,grade\n" + "".join(f"1,d,{name},1\n" for name in kinds)
    must("import", path, "--qrels", "-", stdin=table)
    found = must("export", path, "--judgments", "-", "--anonymous")
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [row["assessor"] for row in rows] == ["A1", "M1", "settled"]
    assert "3 judgments" in found.err
    assert "again" not in must("export", path, "--judgments", "-").out
    assert "Judgments of 1 assessor who" in must("export", path, "--qrels", "-").err
    again = call("export", path, "--judgments", "-", "--anonymous", "--assessor", "anna (again)")
    assert (again.code, again.out) == (1, "")
