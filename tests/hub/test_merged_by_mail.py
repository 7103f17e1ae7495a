"""Files that know a hub are mailed and merged: a file may know a step of the lead's without its lines."""

import itertools
import json
import shutil

import pytest

from judgetool.session.commands import WorkCancelledError
from judgetool.session.opening import open_project
from judgetool.session.team.merging import write_merge
from tests.helpers.postgres import PASSWORD
from tests.helpers.program import must
from tests.session.test_merging import content, heads, sound, undo

SAID = [("q1", "r0", 3), ("q1", "r1", 1), ("q2", "r2", 2), ("q2", "r3", 0)]


class Mailed:
    """A lead's file, a copy from before its import of judgments, and logins that join the hub."""

    def __init__(self, team, folder):
        self._team, self._folder = team, folder
        self.lea, self.old = folder / "lea.judge", folder / "old.judge"
        must("hub", "join", self._url("lea"), self.lea, "--assessor", "lea")
        queries, run, said = (folder / name for name in ("queries.tsv", "run", "said.csv"))
        queries.write_text("q1\tcold soup\nq2\twarm soup\n")
        run.write_text("".join(f"q{n // 2 + 1} Q0 r{n} {n % 2 + 1} {9 - n} a\n" for n in range(4)))
        must("import", self.lea, "--queries", queries, "--run", run)
        shutil.copy(self.lea, self.old)
        lines = [f"{query},{document},{grade},olga\n" for query, document, grade in SAID]
        said.write_text("".join(["query_id,doc_id,grade,assessor\n", *lines]))
        must("import", self.lea, "--qrels", said)
        must("hub", "push", self.lea)

    def _url(self, who):
        return self._team.server.url(self._team.database, who)

    def join(self, who, name=""):
        """Make a file of all that the hub lets somebody read."""
        path = self._folder / f"{name or who}.judge"
        must("hub", "join", self._url(who), path, "--assessor", who)
        return path

    def release(self, query):
        """Let all read a query's judgments."""
        must("hub", "release", self.lea, "--query", query)

    def copy(self, name):
        """Return another copy from before the import."""
        return shutil.copy(self.old, self._folder / f"{name}.judge")


@pytest.fixture
def mailed(team, tmp_path, monkeypatch):
    (tmp_path / "passwords").write_text(f"127.0.0.1:*:*:*:{PASSWORD}\n")
    (tmp_path / "passwords").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    return Mailed(team, tmp_path)


def judged(path):
    """Return what is said: query, document, who, grade."""
    return sorted(tuple(row[:4]) for row in must("show", path, "--judgments").rows[1:])


ALL = sorted((query, document, "olga", str(grade)) for query, document, grade in SAID)


def n_lines(path):
    with open_project(path, read_only=True) as session:
        return int(session.reader.execute("SELECT count(*) FROM events").get)


def test_judgments_come_though_their_import_came_without_them(mailed):
    """First an assessor's file, then the lead's; what came is said, and comes once."""
    anna = mailed.join("anna")
    must("merge", mailed.old, anna)
    assert judged(mailed.old) == []
    assert "4 judgments by olga" in must("merge", mailed.old, mailed.lea).out
    assert judged(mailed.old) == ALL
    assert "All of it is in" in must("merge", mailed.old, mailed.lea, anna).out
    assert n_lines(mailed.old) == len(SAID)
    assert content(mailed.old) == content(mailed.lea)
    sound(mailed.old)


@pytest.mark.parametrize("order", ["together", "turned", "one by one"])
def test_a_released_part_comes_with_the_rest_in_any_order(mailed, order):
    """Of two files that know other parts of the import, and the lead's, each line is there once."""
    mailed.release("q1")
    files = [mailed.join("anna"), mailed.join("ben"), mailed.lea]
    mailed.release("q2")
    must("hub", "pull", files[1])
    if order == "one by one":
        for path in files:
            must("merge", mailed.old, path)
    else:
        must("merge", mailed.old, *(files if order == "together" else files[::-1]))
    assert content(mailed.old) == content(mailed.lea)
    assert heads(mailed.old) == heads(mailed.lea)
    sound(mailed.old)


def test_undo_of_a_merge_takes_back_the_lines_that_it_brought(mailed):
    """Not those of the same import that another merge had brought; redo, and merging again, show them."""
    mailed.release("q1")
    must("merge", mailed.old, mailed.join("anna"))
    before = content(mailed.old)
    assert judged(mailed.old) == ALL[:2]
    must("merge", mailed.old, mailed.lea)
    merged = content(mailed.old)
    undo(mailed.old)
    assert content(mailed.old) == before
    sound(mailed.old)
    must("merge", mailed.old, mailed.lea)
    assert content(mailed.old) == merged
    sound(mailed.old)


def test_what_somebody_holds_at_the_hub_is_nobodys_ask_elsewhere(mailed):
    """It has its time there; brought by mail it would be asked for ever. What they judged of it comes."""
    anna = mailed.join("anna")
    must("hub", "offer", mailed.lea, "--opinions", "2")
    assert must("hub", "claim", anna, "--take", "3").out.startswith("3 documents")
    query, document, *_ = must("hub", "claim", anna).rows[0]
    must("judge", anna, "--assessor", "anna", stdin=f"{query}\t{document}\t1\n")
    told = must("merge", mailed.old, anna, "--dry-run", "--format", "json").json["files"][0]
    assert (told["n_asks"], told["judgments"]) == (0, {"anna": 1})
    must("merge", mailed.old, anna)
    assert len(must("ask", mailed.old, "--status").rows) == 1
    assert "All of it is in" in must("merge", mailed.old, anna).out
    must("hub", "claim", anna, "--give-back")
    assert "All of it is in" in must("merge", mailed.old, anna).out
    sound(mailed.old)


def test_who_has_all_lines_gets_none_of_them_again(mailed):
    """From a file in which some hang beside their import: nothing is counted, or there twice."""
    for path in (mailed.join("anna"), mailed.lea):
        must("merge", mailed.old, path)
    must("judge", mailed.old, "--assessor", "lea", stdin="q1\tr0\t1\n")
    said = must("merge", mailed.lea, mailed.old).out
    assert said.splitlines()[0] == "old.judge: 1 judgment by lea"
    assert content(mailed.lea) == content(mailed.old)
    assert n_lines(mailed.lea) == len(SAID) + 1
    sound(mailed.lea)


def test_a_file_that_has_joined_takes_them_by_mail_and_then_from_the_hub(mailed):
    """Undoing the merge leaves what the hub has sent since."""
    anna = mailed.join("anna")
    must("merge", anna, mailed.lea)
    assert judged(anna) == ALL
    mailed.release("q2")
    must("hub", "pull", anna)
    assert n_lines(anna) == len(SAID)
    undo(anna)
    assert judged(anna)[-2:] == ALL[-2:]
    sound(anna)


def test_an_import_taken_back_is_taken_back_whoever_brought_what(mailed):
    """The undoing, too, is known without its lines."""
    with open_project(mailed.lea) as session:
        session.undo()
    must("hub", "push", mailed.lea)
    must("merge", mailed.old, mailed.join("anna"))
    must("merge", mailed.old, mailed.lea)
    assert judged(mailed.old) == []
    assert heads(mailed.old) == heads(mailed.lea)
    sound(mailed.old)


def test_a_merge_of_the_rest_is_stopped_at_any_time(mailed):
    """It leaves what was said as it was; also another file brings what it had begun to bring."""
    must("merge", mailed.old, mailed.join("anna"))
    before, n_asked, reached = content(mailed.old), 0, False
    files = itertools.cycle([mailed.lea, mailed.join("admin")])
    while not reached:
        left = itertools.count(n_asked, -1)
        with open_project(mailed.old, assessor="lea") as session:
            try:
                write_merge(session, [next(files)], is_cancelled=lambda left=left: next(left) <= 0)
                reached = True
            except WorkCancelledError:
                n_asked += 1
        if not reached:
            assert content(mailed.old) == before
            sound(mailed.old)
    assert n_asked > 2
    assert content(mailed.old) == content(mailed.lea)
    assert n_lines(mailed.old) == len(SAID)
    sound(mailed.old)


@pytest.fixture
def healed(mailed, team, tmp_path):
    """A wiped hub, healed by an assessor's file: it has lines of an import of the lead's, but no texts."""
    queries, run, texts, said = (tmp_path / f"more.{n}" for n in ("tsv", "run", "jsonl", "csv"))
    queries.write_text("q9\tleek soup\n")
    run.write_text("q1 Q0 r9 1 2 b\nq9 Q0 r9 1 2 b\n")
    texts.write_text('{"id": "r9", "title": "Leek soup", "text": "With leeks."}\n')
    said.write_text("query_id,doc_id,grade,assessor\nq1,r9,2,anna\n")
    files = ("--queries", queries, "--run", run, "--documents", texts, "--qrels", said)
    must("import", mailed.lea, *files)
    must("hub", "push", mailed.lea)
    anna = mailed.join("anna")
    with team.psql("admin") as connection:
        connection.execute("SET session_replication_role = replica")
        for table in ("event", "part", "bundle"):
            connection.execute(f"DELETE FROM judgetool.{table}")  # noqa: S608 - names
        connection.execute("UPDATE judgetool.hub SET last_seq = 0")
    must("hub", "push", anna)
    return mailed


def test_texts_and_runs_follow_a_step_that_the_hub_gave_by_its_lines_alone(healed):
    """The lead's file heals the hub later: what the step brought besides judgments is not lost."""
    second = healed.join("anna", "second")
    assert n_lines(second) == 1
    must("hub", "push", healed.lea)
    must("hub", "pull", second)
    # Without judgments: of those she gets her own alone.
    assert content(second)[1:4] == content(healed.lea)[1:4]
    sound(second)


def test_mail_brings_what_the_hub_did_not(healed):
    """So does a merge of the lead's file, and a second time there is nothing to bring."""
    second = healed.join("anna", "second")
    assert "1 document" in must("merge", second, healed.lea).out
    assert content(second) == content(healed.lea)
    assert "All of it is in" in must("merge", second, healed.lea).out
    sound(second)


def test_one_merge_takes_lines_and_texts_of_a_step_from_two_files(healed):
    """From one in which they are lacking first, then from one that has them."""
    second = healed.join("anna", "second")
    must("merge", healed.old, second, healed.lea)
    assert content(healed.old) == content(healed.lea)
    sound(healed.old)


def test_parts_of_a_text_that_two_files_changed_meet_at_the_hub(mailed):
    """The lead changes a title in one file and the text in another; both files have both."""
    lea, second = mailed.lea, mailed.join("lea", "second")
    for path, said in ((lea, {"title": "New title"}), (second, {"text": "new text"})):
        source = path.with_suffix(".jsonl")
        source.write_text(json.dumps({"id": "r0", **said}) + "\n")
        must("import", path, "--documents", source)
    for path in (lea, second, lea):
        must("hub", "push", path)
        must("hub", "pull", path)
    for path in (lea, second):
        (line,) = must("export", path, "--format", "documents-jsonl").out.splitlines()
        assert json.loads(line) == {"doc_id": "r0", "title": "New title", "text": "new text"}
