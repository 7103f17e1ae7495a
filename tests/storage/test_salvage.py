"""A project with a destroyed page and no backup: what can be read is saved, the rest is named."""

import gzip
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import apsw
import pytest

from judgetool.cli.main import run
from judgetool.core.judgments import Document
from judgetool.core.system import data_folder
from judgetool.session.commands import AddDocument, Say
from judgetool.session.history import load_history
from judgetool.session.imports.importing import make_sample
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project
from judgetool.storage.connection import SCHEMA_VERSION
from judgetool.storage.rebuilding import salvage_file
from tests.storage.flips import flip, make_used_sample
from tests.storage.test_damage import swap_trees

PAGE = 4096
TREES = {"inner table": 5, "table leaf": 13, "inner index": 2, "index leaf": 10}


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("used") / "a.judge"
    make_used_sample(path)
    with open_project(path, assessor="anna") as session:
        long = " ".join(f"word{number}" for number in range(4_000))
        session.execute(AddDocument(0, Document("long", "A long one", "", long)))
    return path.read_bytes()


def tell(path):
    """What a project holds, row by row."""
    with open_project(path, read_only=True) as session:
        material = session.material
        ids = material.document_ids()
        rows = [("query", query) for query in material.queries]
        rows += [("document", material.document(number)) for number in sorted(ids)]
        rows += [
            ("ranking", run.name, query, material.ranking(run.run_id, query).documents.tolist())
            for run in material.runs
            for query in range(len(material.queries))
        ]
        rows += [
            ("judgment", query, document, opinion.assessor, opinion.judgment)
            for query, document, opinion, _ in session.iter_judgments()
        ]
    return Counter(map(repr, rows))


def recover(tmp_path, content, capsys):
    path, out = tmp_path / "a.judge", tmp_path / "b.judge"
    path.write_bytes(content)
    out.unlink(missing_ok=True)
    shutil.rmtree(data_folder(), ignore_errors=True)
    capsys.readouterr()
    code = run(["recover", str(path), str(out)])
    said = capsys.readouterr()
    return code, out, said.out + said.err


def destroyed(content, number, seed=1):
    """The file with one page of noise, counted from 0."""
    noise = random.Random(seed).randbytes(PAGE)
    return content[: number * PAGE] + noise + content[(number + 1) * PAGE :]


def pages_of(content, kind):
    return [n for n in range(1, len(content) // PAGE) if content[n * PAGE] == kind]


@pytest.mark.parametrize("kind", TREES.values(), ids=TREES)
def test_rows_outside_a_destroyed_page_are_saved(tmp_path, content, kind, capsys):
    """Whatever page of a tree is destroyed, all but its own rows are in the new file, which is sound."""
    (tmp_path / "whole.judge").write_bytes(content)
    before = tell(tmp_path / "whole.judge")
    pages = pages_of(content, kind)
    for number in random.Random(kind).sample(pages, k=min(5, len(pages))):
        code, out, said = recover(tmp_path, destroyed(content, number), capsys)
        assert code == ("not complete" in said), said
        assert check_project(out).problems == []
        lost = before - tell(out)
        if kind in (TREES["inner table"], TREES["inner index"]):
            assert not lost, number
        assert sum(lost.values()) <= content[number * PAGE + 4] + 1, number
        if lost:
            assert "not complete" in said


@pytest.fixture(scope="module")
def content_of_all(content, tmp_path_factory):
    """A project with rows in all tables: also clicked, asked, and merged with a copy."""
    folder = tmp_path_factory.mktemp("all")
    path, copy, clicks = (folder / name for name in ("a.judge", "copy.judge", "clicks.csv"))
    path.write_bytes(content)
    clicks.write_text("query,document,impressions,clicks\n1,long,9,3\n1,r001,9,1\n")
    assert run(["import", str(path), "--clicks", str(clicks)]) == 0
    assert run(["ask", str(path), "--to", "anna", "ben", "--repeat", "0.1"]) == 0
    shutil.copyfile(path, copy)
    for each, name in ((path, "anna"), (copy, "eve"), (copy, "anna")):
        with open_project(each, assessor=name) as session:
            session.execute(Say.grade(2, 5, float(each == path)))
    assert run(["merge", str(path), str(copy)]) == 0
    return path.read_bytes()


OTHER = {"INTEGER": "coalesce({0}, 0) + 1", "REAL": "coalesce({0}, 0) + 1", "TEXT": "'{{}}'"}
"""Something else of the kind of a column, by that."""


def change_a_row(path, table, column, kind):
    """Have something else stand in a table’s first row, whatever the file’s rules say."""
    other = OTHER.get(kind, "x'00'").format(column)
    with closing(apsw.Connection(str(path))) as connection, connection:
        connection.pragma("ignore_check_constraints", 1)
        rules = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        triggers = dict(rules.fetchall())
        for name in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        info = connection.execute(f"PRAGMA table_info({table})").fetchall()
        keys = ", ".join(row[1] for row in info if row[5])
        connection.execute(
            f"UPDATE {table} SET {column} = {other} "  # noqa: S608 - names of our schema
            f"WHERE ({keys}) = (SELECT {keys} FROM {table} LIMIT 1)"
        )
        for sql in triggers.values():
            connection.execute(sql)


def columns_of(path, table):
    with closing(apsw.Connection(str(path))) as connection:
        return [row[1:3] for row in connection.execute(f"PRAGMA table_info({table})").fetchall()]


def rows_of(path, table):
    with closing(apsw.Connection(str(path))) as connection:
        select = f"SELECT * FROM {table}"  # noqa: S608 - names of our schema
        return connection.execute(select).fetchall()


JUDGMENT_COLUMNS = {
    **dict.fromkeys(("query_id", "document_id", "assessor_id"), "INTEGER"),
    **dict.fromkeys(("state", "note", "spans"), "TEXT"),
    **dict.fromkeys(("flagged", "step_id", "at", "confidence"), "INTEGER"),
    "grade": "REAL",
}


@pytest.mark.parametrize("column", JUDGMENT_COLUMNS)
def test_a_judgment_is_again_what_the_log_says(tmp_path, content_of_all, column, capsys):
    """Whatever of its row is wrong: it stands in the log as well, when it was said, too."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content_of_all)
    before = rows_of(path, "judgments")
    change_a_row(path, "judgments", column, JUDGMENT_COLUMNS[column])
    _, out, said = recover(tmp_path, path.read_bytes(), capsys)
    assert check_project(out).problems == [], said
    assert rows_of(out, "judgments") == before


TABLES = [
    *("meta", "steps", "step_events", "project_values", "value_events", "assessors", "events"),
    *("queries", "query_texts", "documents", "document_texts", "runs", "rankings", "clicks"),
    *("asks", "arrivals", "conflicts", "row_counts"),
]


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_is_another_keeps_no_project_from_being_saved(
    tmp_path, content_of_all, table, capsys
):
    """Whatever column of it: what comes out is sound."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content_of_all)
    assert rows_of(path, table)
    for column, kind in columns_of(path, table):
        path.write_bytes(content_of_all)
        with suppress(apsw.ConstraintError):
            change_a_row(path, table, column, kind)
        code, out, said = recover(tmp_path, path.read_bytes(), capsys)
        assert code == ("not complete" in said), said
        assert check_project(out).problems == [], (column, said)


def test_whatever_byte_is_another_a_sound_project_comes_out(tmp_path, content_of_all, capsys):
    """Of bytes anywhere behind the first page’s head, one at a time."""
    chance = random.Random(105)
    for _ in range(100):
        place, bit = chance.randrange(100, len(content_of_all)), chance.randrange(8)
        code, out, said = recover(tmp_path, flip(content_of_all, place, bit), capsys)
        assert code == ("not complete" in said), (place, bit, said)
        assert check_project(out).problems == [], (place, bit, said)


def test_a_value_that_is_another_is_again_what_the_log_says(tmp_path, content, capsys):
    """Also where what stands there is JSON, and would be a scale that nothing can read."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content)
    before = rows_of(path, "project_values")
    with closing(apsw.Connection(str(path))) as connection:
        change = "UPDATE project_values SET value = replace(value, 'p_relevant', 'p_relewant')"
        connection.execute(change)
    code, out, said = recover(tmp_path, path.read_bytes(), capsys)
    assert (code, check_project(out).problems) == (0, []), said
    assert rows_of(out, "project_values") == before


@pytest.mark.parametrize("rule", ["CREATE TABLE steps", "event log is append-only"])
def test_rules_of_the_file_that_are_others_are_not_taken(tmp_path, content, rule, capsys):
    """A byte in what the file says of its tables makes no file that nobody may open."""
    (tmp_path / "whole.judge").write_bytes(content)
    before = tell(tmp_path / "whole.judge")
    changed = content.replace(rule.encode(), rule[:-1].encode() + b"z")
    code, out, said = recover(tmp_path, changed, capsys)
    assert (code == 1) == ("not complete" in said), said
    assert check_project(out).problems == []
    assert tell(out) == before


def test_what_refers_to_a_number_that_nothing_can_have_is_lost(tmp_path, content_of_all, capsys):
    """A document below the first would be one that no project can show."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content_of_all)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE clicks SET document_id = -5 WHERE clicks = 3")
    code, out, said = recover(tmp_path, path.read_bytes(), capsys)
    assert (code, check_project(out).problems) == (1, []), said
    assert "The clicks of query 1 on document -5 is lost" in said
    assert not any("lost-document" in row for row in tell(out))


def test_pages_of_another_index_are_no_names_of_rows(tmp_path, content, capsys):
    """The second tree of a table’s keys may be replaced by one of fewer columns."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content)
    swap_trees(path, ("sqlite_autoindex_rankings_1", "step_events_step"))
    _, out, said = recover(tmp_path, path.read_bytes(), capsys)
    assert check_project(out).problems == [], said


def pages_named(path, *names):
    """The pages of trees by their names, counted from 0."""
    select = "SELECT pageno - 1 FROM dbstat WHERE name IN (?, ?)"
    with closing(apsw.Connection(str(path))) as connection:
        return [number for (number,) in connection.execute(select, (names * 2)[:2]).fetchall()]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("queries", "sqlite_autoindex_queries_1"), "The name of query 1 is lost."),
        (("assessors",), "The name of assessor 1 is lost."),
        (("rankings",), "The ranking of run 1 for query 1 is lost: its page cannot be read."),
        (("value_events",), "Some rows of the table ‘value_events’ may be lost"),
        (("events",), "Some rows of the table ‘events’ may be lost"),
    ],
)
def test_a_table_that_is_lost_as_a_whole_takes_nothing_else_with_it(
    tmp_path, content, names, told, capsys
):
    """What hangs on it stands under a number in its place; values and judgments stay as they are."""
    whole = tmp_path / "whole.judge"
    whole.write_bytes(content)
    damaged = content
    for number in pages_named(whole, *names):
        damaged = destroyed(damaged, number)
    code, out, said = recover(tmp_path, damaged, capsys)
    assert (code, told in said) == (1, True), said
    assert check_project(out).problems == []
    before, after = (Counter(row.split("(")[1][:11] for row in tell(each)) for each in (whole, out))
    assert after == before
    with open_project(whole, read_only=True) as one, open_project(out, read_only=True) as other:
        assert (other.measures, other.title) == (one.measures, one.title)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_damaged_file_of_an_older_judgetool_is_saved_as_one_of_this(tmp_path, version, capsys):
    """Of before rows had checksums, too: whatever leaf is destroyed, the rest is there."""
    source = Path(__file__).parent / "data" / f"schema-{version}.judge.gz"
    content = gzip.decompress(source.read_bytes())
    for number in pages_of(content, TREES["table leaf"])[:6]:
        _, out, said = recover(tmp_path, destroyed(content, number), capsys)
        assert out.exists(), said
        assert check_project(out).problems == []
        assert check_project(out).counts["schema"] == SCHEMA_VERSION


def test_what_has_no_room_leaves_nothing_half_written(tmp_path, content):
    """Where the new file does not fit, that is said, and the damaged one stands alone as before."""
    path = tmp_path / "a.judge"
    path.write_bytes(destroyed(content, pages_of(content, TREES["table leaf"])[0]))
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from judgetool.cli.main import run\n"
        f"sys.exit(run(['recover', {str(path)!r}, {str(tmp_path / 'b.judge')!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "the disk is full" in done.stderr) == (1, True)
    assert [each.name for each in tmp_path.iterdir()] == ["a.judge"]


def test_recover_that_is_asked_to_end_leaves_nothing_half_written(tmp_path, content):
    """By SIGTERM, however near to its end: what it had written by then goes."""
    path = tmp_path / "a.judge"
    path.write_bytes(destroyed(content, pages_of(content, TREES["table leaf"])[0]))
    script = (
        "import os, signal, sys\n"
        "def end(event, given):\n"
        "    if event == 'os.rename' and str(given[0]).endswith('.part'):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.addaudithook(end)\n"
        f"sys.argv[1:] = ['recover', {str(path)!r}, {str(tmp_path / 'b.judge')!r}]\n"
        "from judgetool.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 143, done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["a.judge"]


@pytest.fixture(scope="module")
def torn(content, tmp_path_factory):
    """Files with a wrong bit in a line of the log each, in what it says."""
    path = tmp_path_factory.mktemp("log") / "a.judge"
    path.write_bytes(content)
    with closing(apsw.Connection(str(path))) as connection:
        uuids = [uuid for (uuid,) in connection.execute("SELECT uuid FROM events").fetchall()]
    made = []
    for uuid in random.Random(7).sample(uuids, k=6):
        changed = content
        # What stood there before lies about in the file, too.
        for line in re.finditer(re.escape(uuid) + rb'.{0,99}?"grade": ', content, re.DOTALL):
            changed = flip(changed, line.end() - 5, 1)
        made.append(changed)
    return made


def test_a_judgment_stays_whose_line_of_the_log_is_torn(tmp_path, content, torn, capsys):
    """It stands in the file twice: what the log lost is taken from where it can be read, and named."""
    (tmp_path / "whole.judge").write_bytes(content)
    before = judgments_of(tmp_path / "whole.judge")
    for each in torn:
        code, out, said = recover(tmp_path, each, capsys)
        assert code == ("not complete" in said), said
        assert judgments_of(out) == before


def test_a_recovery_of_a_torn_log_is_not_called_complete(tmp_path, torn, capsys):
    """A line that does not fit its checksum is named as lost."""
    for each in torn:
        said = recover(tmp_path, each, capsys)[2]
        assert "Log line " in said
        assert "not complete" in said


def test_a_judgment_that_was_taken_back_stays_so(tmp_path, content, capsys):
    """Where the line that took it back is torn, the line before it does not bring it up again."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content)
    with open_project(path, assessor="anna") as session:
        query, document, *_ = next(
            row for row in session.iter_judgments() if row[2].assessor == "anna"
        )
        session.execute(Say.clear(query, document))
    before, torn = judgments_of(path), path.read_bytes()
    with closing(apsw.Connection(str(path))) as connection:
        uuid = connection.execute("SELECT uuid FROM events ORDER BY event_id DESC LIMIT 1").get
    for found in re.finditer(re.escape(uuid), torn):
        torn = flip(torn, found.start(), 1)
    code, out, said = recover(tmp_path, torn, capsys)
    assert code == ("not complete" in said), said
    assert judgments_of(out) == before


def judgments_of(path):
    """What a file says of each document, by query and assessor."""
    with open_project(path, read_only=True) as session:
        return {
            (query, document, opinion.assessor): opinion.judgment
            for query, document, opinion, _ in session.iter_judgments()
        }


def leaf_of_the_log(content):
    """Where the page begins that holds the middle one of the lines of the log."""
    lines = [found.start() for found in re.finditer(rb'import{"grade": ', content)]
    pages = Counter(place // PAGE for place in lines if content[place // PAGE * PAGE] == 13)
    return sorted(pages)[len(pages) // 2] * PAGE


LOST_LINES = {
    "no rows counted": lambda content, at: content[: at + 3] + b"\0\0" + content[at + 5 :],
    "two in each other's place": lambda content, at: (
        content[: at + 8]
        + content[at + 10 : at + 12]
        + content[at + 8 : at + 10]
        + content[at + 12 :]
    ),
}


@pytest.mark.parametrize("damage", LOST_LINES.values(), ids=LOST_LINES)
def test_a_page_of_the_log_that_tells_less_than_it_had_is_told(tmp_path, content, damage, capsys):
    """Its judgments stay, and what is written is not called complete."""
    (tmp_path / "whole.judge").write_bytes(content)
    before = judgments_of(tmp_path / "whole.judge")
    code, out, said = recover(tmp_path, damage(content, leaf_of_the_log(content)), capsys)
    assert code == ("not complete" in said), said
    assert judgments_of(out) == before
    assert "not complete" in said


def test_judgments_taken_from_the_log_count_as_before(tmp_path, capsys):
    """What an import brought stays its, with its time: of two of one moment the same one counts."""
    path, out = tmp_path / "whole.judge", tmp_path / "rec.judge"
    make_sample(path)
    exported = exported_by_views(path, capsys)
    (cut := tmp_path / "a.judge").write_bytes(path.read_bytes()[:-968])
    assert run(["recover", str(cut), str(out)]) == 0
    assert "is complete as far as is known" in capsys.readouterr().out
    assert exported_by_views(out, capsys) == exported


def exported_by_views(path, capsys):
    capsys.readouterr()
    for view in ("latest", "majority", "median"):
        assert run(["export", str(path), "--qrels", "-", "--view", view]) == 0
    with open_project(path, read_only=True) as session:
        steps = [(step.title, step.n_judgments) for step in load_history(session, limit=99)]
    return capsys.readouterr().out, steps


def test_a_text_whose_pages_are_cut_is_named(tmp_path, content, capsys):
    """Of a long text that runs through the destroyed page the readable part is kept, and it is said."""
    place = content.index(b"word3000 word3001")
    code, out, said = recover(tmp_path, destroyed(content, place // PAGE), capsys)
    assert code == ("not complete" in said), said
    assert "of body" in said
    with open_project(out, read_only=True) as session:
        found = session.material.find_document("long")
        assert session.material.document(found).body.startswith("word0 word1 word2 ")


def test_a_text_that_is_not_as_it_was_written_is_named_by_whose_it_is(tmp_path, content, capsys):
    """By the id of its document, with what is there taken as it is."""
    changed = content.replace(b"word10 word11", b"word10 Word11")
    _, _, said = recover(tmp_path, destroyed(changed, pages_of(content, 10)[0]), capsys)
    assert "The text of document long is not as it was written; it was taken as it is." in said


def test_without_the_first_page_nothing_can_be_read_and_it_is_said(tmp_path, content, capsys):
    """The first page tells where everything is."""
    code, out, said = recover(tmp_path, destroyed(content, 0), capsys)
    assert code == 1
    assert "first page is destroyed" in said
    assert "There is no backup of it on this machine" in said
    assert not out.exists()


def test_check_of_a_cut_file_says_what_is_readable(tmp_path, content, capsys):
    """Counts of what is left, and the way to save it."""
    path = tmp_path / "a.judge"
    path.write_bytes(content[: len(content) // 2])
    assert run(["check", str(path)]) == 1
    said = capsys.readouterr()
    assert "What can be read, page by page:\nwhat\tcount\nqueries\t20\n" in said.out
    assert f"judgetool recover {path}" in said.err
    assert "judgetool check" not in said.err


def test_check_of_a_file_twice_over_tells_of_the_second(tmp_path, content, capsys):
    """What stands behind the last page is read by nobody: a recovered file is without it."""
    path, out = tmp_path / "a.judge", tmp_path / "b.judge"
    path.write_bytes(content * 2)
    assert run(["check", str(path)]) == 0
    assert f"has {len(content):,} bytes that nothing reads" in capsys.readouterr().err
    assert run(["recover", str(path), str(out)]) == 0
    assert run(["check", str(out)]) == 0
    assert "nothing reads" not in capsys.readouterr().err


def test_check_tells_what_the_safety_log_has_more(tmp_path, content, capsys):
    """A sound file that lost its newest judgments is not just called sound."""
    path = tmp_path / "a.judge"
    path.write_bytes(content)
    with open_project(path, assessor="ben") as session:
        for document in range(1, 4):
            session.execute(Say.grade(2, document, 1.0))
    path.write_bytes(content)
    assert run(["check", str(path)]) == 1
    assert "the safety log has 3 changes of judgments" in capsys.readouterr().err


def test_a_log_that_begins_late_is_not_called_complete(tmp_path, content, capsys):
    """Without file and backup, three judgments of a log are not the project."""
    path, out = tmp_path / "a.judge", tmp_path / "b.judge"
    path.write_bytes(content)
    with open_project(path, assessor="ben") as session:
        for document in range(1, 4):
            session.execute(Say.grade(2, document, 1.0))
    path.unlink()
    shutil.rmtree(data_folder() / "backups")
    assert run(["recover", str(path), str(out)]) == 1
    said = capsys.readouterr()
    assert "not complete" in said.err
    assert "is complete" not in said.out


def test_backups_of_a_copy_are_taken_only_when_asked_for(tmp_path, content, capsys):
    """Copies share an identity; what was judged in one is not mixed into the other unasked."""
    path, copy, out = (tmp_path / name for name in ("a.judge", "copy.judge", "b.judge"))
    copy.write_bytes(content)
    with open_project(copy, assessor="eve") as session:
        session.execute(Say.grade(2, 1, 1.0))
    path.write_bytes(destroyed(content, pages_of(content, 13)[3]))
    assert run(["recover", str(path), str(out)]) == 0
    assert str(copy) in capsys.readouterr().out
    with open_project(out, read_only=True) as session:
        assert "eve" not in session.assessors
    out.unlink()
    assert run(["recover", str(path), str(out), "--copies"]) == 0
    with open_project(out, read_only=True) as session:
        assert "eve" in session.assessors


@pytest.mark.parametrize("n_bytes", [16, 20, 100, 512, PAGE - 1])
def test_a_file_cut_within_its_first_page_is_damaged(tmp_path, content, n_bytes, capsys):
    """Of a file with hardly a beginning, check and recover say so; neither is a fault of judgetool."""
    code, out, said = recover(tmp_path, content[:n_bytes], capsys)
    assert (code, out.exists()) == (1, False)
    assert "first page is destroyed" in said
    assert run(["check", str(tmp_path / "a.judge")]) == 1
    said = capsys.readouterr()
    assert "fault of judgetool" not in said.err
    # What recovering could not do is not promised, and the check does not point to itself.
    assert "‘judgetool" not in said.err
    assert "what\tcount" not in said.out
    assert n_bytes < 100 or "Nothing of it can be read" in said.err


@pytest.mark.parametrize(
    "text", ["hello world\n", "line of a text\n" * 9_000], ids=["short", "long"]
)
def test_a_text_file_is_no_damaged_project(tmp_path, text, capsys):
    """Recover says what it is, and does not name itself as the way out."""
    code, out, said = recover(tmp_path, text.encode(), capsys)
    assert (code, out.exists()) == (1, False)
    assert "is not a judgetool project" in said
    assert "judgetool recover" not in said


def test_recover_does_not_call_sound_what_check_does_not(tmp_path, content, capsys):
    """Of a file whose last, free pages are cut off all is saved; it is damaged all the same."""
    path = tmp_path / "whole.judge"
    path.write_bytes(content)
    qrels = tmp_path / "q.qrels"
    qrels.write_text("".join(f"{n % 50} 0 d{n} {n % 3}\n" for n in range(5_000)))
    assert run(["import", str(path), "--qrels", str(qrels)]) == 0
    before = tell(path)
    for n_bytes in (100, PAGE, 5 * PAGE):
        cut = path.read_bytes()[:-n_bytes]
        (tmp_path / "a.judge").write_bytes(cut)
        assert run(["check", str(tmp_path / "a.judge")]) == 1
        code, out, said = recover(tmp_path, cut, capsys)
        assert code == ("not complete" in said), said
        assert "itself, which is sound" not in said
        assert "which is damaged. Nothing that it held is known to be missing." in said
        assert tell(out) == before


def test_clicks_of_a_lost_step_keep_their_place(tmp_path, content):
    """Whatever refers to a lost row gets something to refer to: what is written is sound."""
    path, target = tmp_path / "a.judge", tmp_path / "b.judge"
    path.write_bytes(content)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("INSERT INTO clicks VALUES(9999, 1, 1, 0, 5, 2, NULL)")
    salvage_file(path, target)
    assert check_project(target).problems == []
    with closing(apsw.Connection(str(target))) as connection:
        found = connection.execute(
            "SELECT impressions, clicks FROM clicks JOIN steps USING(step_id)"
        )
        assert found.fetchall() == [(5, 2)]
