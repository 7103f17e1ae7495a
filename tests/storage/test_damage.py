"""A project with damaged bytes: what can be read is shown, the rest is called damage."""

import gzip
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from judgetool.cli.main import run
from judgetool.errors import (
    ProjectBusyError,
    ProjectDamagedError,
    ProjectError,
    ReadOnlyError,
    SaveError,
    take_notices,
)
from judgetool.session.imports.importing import make_sample
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project
from judgetool.storage.damage import translated_errors
from tests.storage.flips import UNREADABLE, make_used_sample, show_all, try_flip

DATA = Path(__file__).parent / "data"
N_FLIPS = 48


@pytest.fixture(params=[1, 2, 3])
def project(tmp_path, request):
    """A project of every schema; of the present one by an upgrade."""
    path = tmp_path / "a.judge"
    source = DATA / f"schema-{min(request.param, 2)}.judge.gz"
    path.write_bytes(gzip.decompress(source.read_bytes()))
    if request.param == 3:
        open_project(path).close()
    return path


@pytest.fixture
def upgraded(tmp_path):
    path = tmp_path / "a.judge"
    path.write_bytes(gzip.decompress((DATA / "schema-2.judge.gz").read_bytes()))
    open_project(path).close()
    return path


def change_elsewhere(path, sql):
    """Change a project with another program: in another process, so that no locks mix."""
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "c.execute('PRAGMA ignore_check_constraints = ON'); c.executescript(sys.argv[2]); c.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(path), sql], check=True)


def test_a_text_that_is_none_any_more_shuts_nothing(project):
    """Query, title and run name with bytes that are no UTF-8 are shown with the rest of the file."""
    change_elsewhere(
        project,
        "UPDATE query_texts SET text = CAST(x'61FF62' AS TEXT) WHERE query_id = 1;"
        "UPDATE document_texts SET title = CAST(x'61FF62' AS TEXT);"
        "UPDATE runs SET name = CAST(x'61FF62' AS TEXT) WHERE run_id = 1;",
    )
    with open_project(project, read_only=True) as session:
        assert session.material.queries[0].text == "a�b"
        assert "a�b" in [each.title for each in session.material.documents((1, 2, 3))]
        assert session.material.runs[0].name == "a�b"
        assert session.material.queries[1].text
        assert any("damaged" in sentence for sentence in take_notices())


@pytest.mark.parametrize(
    "read",
    [
        lambda ask: ask("= 2").fetchone()[0],
        lambda ask: ask("= 2").get,
        lambda ask: list(ask("< 3"))[1][0],
    ],
    ids=["a row", "a value", "row by row"],
)
def test_texts_that_are_none_any_more_are_read_by_all_ways(upgraded, read):
    """Also after others of the same answer that can be read."""
    broken = "UPDATE document_texts SET title = CAST(x'61FF62' AS TEXT) WHERE document_id = 2"
    change_elsewhere(upgraded, broken)
    select = "SELECT title FROM document_texts WHERE document_id {} ORDER BY document_id"
    with open_project(upgraded, read_only=True) as session:
        assert read(lambda which: session.reader.execute(select.format(which))) == "a\ufffdb"


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (apsw.FullError(), SaveError, "Not saved: the disk is full."),
        (apsw.IOError("disk I/O error"), SaveError, "Not saved: the disk reports EIO"),
        (apsw.BusyError(), ProjectBusyError, "a.judge is locked by another program."),
        (apsw.ReadOnlyError(), ReadOnlyError, "a.judge cannot be changed here."),
        (apsw.CantOpenError("unable to open"), ProjectError, "a.judge cannot be opened"),
        (apsw.CorruptError("malformed"), ProjectDamagedError, "a.judge is damaged"),
    ],
)
def test_what_sqlite_says_is_told_in_words(error, kind, said):
    """The sentence names the file and what to do; other errors are not about the file."""
    with pytest.raises(kind) as found, translated_errors(Path("a.judge")):
        raise error
    assert type(found.value) is kind
    assert said in str(found.value)
    with pytest.raises(apsw.SQLError), translated_errors(Path("a.judge")):
        raise apsw.SQLError


def test_a_document_that_cannot_be_read_says_so_in_its_place(tmp_path):
    """The others of the list are shown; to whoever reads it, it is damage."""
    path = tmp_path / "a.judge"
    make_sample(path)
    with closing(apsw.Connection(str(path))) as connection:
        select = "SELECT pageno - 1 FROM dbstat WHERE name = 'document_texts' AND pagetype = 'leaf'"
        lost = connection.execute(select).fetchone()[0]
    content = path.read_bytes()
    path.write_bytes(content[: lost * 4096] + b"\xff" * 4096 + content[(lost + 1) * 4096 :])
    with open_project(path, read_only=True) as session:
        numbers = sorted(session.material.document_ids())
        session.material.fetch(numbers)
        shown = [session.material.show_document(number) for number in numbers]
        titles = [each.title for each in shown]
        assert 0 < titles.count("Damaged") < len(titles)
        assert [each.id for each in shown] == [*session.material.document_ids().values()]


HOSTILE = {
    "ranking names no document": "UPDATE rankings SET docs = CAST(x'FFFFFF7F' || substr(docs, 5) AS BLOB)",
    "ranking names one twice": "UPDATE rankings SET docs = CAST(substr(docs, 1, 4) || substr(docs, 1, 4) || substr(docs, 9) AS BLOB)",
    "fields are no object": "UPDATE document_texts SET fields = '[1]'",
    "fields are no JSON": "UPDATE query_texts SET fields = '{\"a'",
    "scale is a number": "UPDATE project_values SET value = '3' WHERE key = 'scale'",
    "scale lacks levels": "UPDATE project_values SET value = '{\"kind\": 5}' WHERE key = 'scale'",
    "scale is no JSON": "UPDATE project_values SET value = '{' WHERE key = 'scale'",
    "measure unknown": "UPDATE project_values SET value = '[\"nonsense@x\"]' WHERE key = 'measures'",
    "measures are a number": "UPDATE project_values SET value = '7' WHERE key = 'measures'",
    "conventions unknown": "INSERT INTO project_values VALUES('conventions', '{\"x\": 1}')",
    "pool is a text": "INSERT INTO project_values VALUES('pool', '\"x\"')",
    "state unknown": "UPDATE judgments SET state = 'jvdged' WHERE state = 'judged'",
    "spans are none": "UPDATE judgments SET spans = '[[1]]'",
    "line of the log is no JSON": "DROP TRIGGER events_keep_values; UPDATE events SET after = '{'; CREATE TRIGGER events_keep_values BEFORE UPDATE ON events\nBEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END",
}


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE)
def test_wrong_values_behind_the_right_schema_are_damage(upgraded, sql, capsys):
    """No command calls them a fault of judgetool, and ``check`` says that they are there."""
    change_elsewhere(upgraded, sql)
    assert check_project(upgraded).problems
    path = str(upgraded)
    for command in (
        ["check", path],
        ["show", path],
        ["show", path, "--judgments"],
        ["score", "--project", path],
        ["export", path, "--qrels", str(upgraded.with_name("out.qrels"))],
    ):
        assert run(command) in (0, 1), command
    assert "a fault of judgetool" not in capsys.readouterr().err


SWAPPED = {
    "steps are rankings": ("steps", "rankings"),
    "judgments are an index": ("judgments", "events_step"),
}


def swap_trees(path, names):
    """Put the first pages of two trees in each other's place, as a disk may that mixes up blocks."""
    content = bytearray(path.read_bytes())
    with closing(apsw.Connection(str(path))) as connection:
        roots = [
            connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get
            for name in names
        ]
    one, other = (slice(4096 * (root - 1), 4096 * root) for root in roots)
    content[one], content[other] = content[other], content[one]
    path.write_bytes(content)


@pytest.mark.parametrize("names", SWAPPED.values(), ids=SWAPPED)
@pytest.mark.parametrize(
    "command", [["show"], ["score", "--project"], ["judge", "--assessor", "anna"]]
)
def test_pages_in_each_others_place_are_damage_to_all_that_open(tmp_path, names, command, capsys):
    """No number is told, and no project without queries shown, where tables contradict each other."""
    path = tmp_path / "a.judge"
    make_used_sample(path)
    swap_trees(path, names)
    assert run([*command, str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "a.judge is damaged (its tables contradict each other" in said.err


READING = {
    "score": ["score", "-m", "AP", "--project", "a.judge"],
    "export": ["export", "a.judge", "--qrels", "-"],
    "report": ["report", "a.judge", "r.html"],
    "agreement": ["agreement", "a.judge"],
    "merge": ["merge", "whole.judge", "a.judge"],
    "judge": ["judge", "a.judge", "--assessor", "anna"],
    "import": ["import", "a.judge", "--qrels", "no.qrels"],
    "check": ["check", "a.judge"],
}


@pytest.mark.parametrize("command", READING.values(), ids=READING)
def test_a_file_cut_within_its_last_page_is_damaged_to_all_that_open(
    tmp_path, monkeypatch, command, capsys
):
    """SQLite takes such a page for a whole one, with zeros in place of what is missing."""
    monkeypatch.chdir(tmp_path)
    make_sample(Path("whole.judge"))
    content = Path("whole.judge").read_bytes()
    Path("a.judge").write_bytes(content[:-968])
    assert run(command) == 1
    said = capsys.readouterr().err
    n = f"{len(content) - 968:,} of {len(content):,}"
    assert f"its end is missing: {n} bytes are there" in said.lower()
    assert "SQLite:" not in said
    assert not Path("r.html").exists()


def test_a_page_that_only_the_log_has_is_not_missing(tmp_path):
    """A kill while the log was brought into the file leaves that short, and nothing is lost."""
    path = tmp_path / "a.judge"
    make_sample(path)
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("journal_mode", "WAL")
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute(
            "INSERT INTO meta VALUES('long', hex(zeroblob(20000))); DELETE FROM meta WHERE key = 'long'"
        )
        connection.pragma("wal_checkpoint", "PASSIVE")
    whole = path.read_bytes()
    path.write_bytes(whole[:-968])
    assert check_project(path).problems == []
    assert show_all(path) != UNREADABLE


def test_check_says_nothing_in_pythons_words(tmp_path, capsys):
    """What reading wrong values ends with is a sentence."""
    path = tmp_path / "a.judge"
    make_used_sample(path)
    swap_trees(path, SWAPPED["judgments are an index"])
    assert run(["check", str(path)]) == 1
    said = capsys.readouterr().err
    assert "Judgments could not be read to the end (what stands there is none of" in said
    assert "NoneType" not in said


def test_damage_names_what_leads_on(upgraded):
    """Whoever cannot open a file reads of check, recover, and of the newest backup."""
    change_elsewhere(upgraded, HOSTILE["scale lacks levels"])
    with pytest.raises(ProjectDamagedError) as caught:
        open_project(upgraded)
    for word in ("judgetool check", "judgetool recover", "The newest backup of it is of 2"):
        assert word in str(caught.value)


def test_check_says_nothing_in_sqlites_words_alone(tmp_path, capsys):
    """Of a page that is no page any more it is said what that is, in a line; of lost rows how many."""
    path = tmp_path / "a.judge"
    make_sample(path)
    content = path.read_bytes()
    path.write_bytes(content[:-968] + bytes(968))
    assert run(["check", str(path)]) == 1
    said = capsys.readouterr().err
    assert "Pages of the file do not hold together; in SQLite’s words: Fragmentation of " in said
    assert "The file as a whole could not be read to the end (its inner structure does not" in said
    assert "1 row of judgments refers to a row of documents that is not there." in said
    for words in ("***", "None", "malformed"):
        assert words not in said


def test_a_torn_list_of_tables_is_said_in_words_of_ours(tmp_path, capsys):
    """SQLite says of it ‘malformed database schema’ and where, in English alone."""
    path = tmp_path / "a.judge"
    make_sample(path)
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE ", b"CREATE XABLE "))
    assert run(["check", str(path)]) == 1
    said = capsys.readouterr().err
    assert "its inner structure does not hold together" in said.lower()
    assert "malformed" not in said.lower()


def test_no_turned_bit_changes_unnoticed_what_is_shown(tmp_path):
    """Whatever a bit of the file turned round changes on the screen, ``check`` finds."""
    path = tmp_path / "a.judge"
    make_used_sample(path)
    content, before = path.read_bytes(), show_all(path)
    chance = random.Random(3)
    for _ in range(N_FLIPS):
        place, bit = chance.randrange(len(content)), chance.randrange(8)
        came = try_flip(path, content, before, place=place, bit=bit)
        assert came != "unnoticed", (place, bit)
