"""What each login gets who tries statements with psql, past judgetool."""

import re
from contextlib import ExitStack

import psycopg
import pytest

from judgetool.resources import resource_path
from tests.helpers.postgres import SCALE, judgment

LOGINS = ("lea", "anna", "ben", "rita", "vera")
HEADS = ("lead", "assessor", "other assessor", "reader", "stranger")
PAGE = "help/hub-administrators.md"
_LINE = '[{{"uuid": "{uuid}", "kind": "{kind}", "assessor": "{who}", "query": "1", "document": "r9", "at": 1}}]'


def _push(kind, who, number):
    events = _LINE.format(uuid=f"{number:032x}", kind=kind, who=who)
    return f"SELECT n_new FROM judgetool.push('{events}', '{SCALE}')"  # noqa: S608 - constants


# What is tried, in words and as SQL. Anna judged query 1 twice, ben queries 1 and 2 (released).
TRIED = {
    "read judgments of anna": "SELECT count(*) FROM judgetool.event WHERE assessor = 'anna' AND query = '1'",
    "read judgments of ben": "SELECT count(*) FROM judgetool.event WHERE assessor = 'ben' AND query = '1'",
    "read judgments of ben of a released query": (
        "SELECT count(*) FROM judgetool.event WHERE assessor = 'ben' AND query = '2'"
    ),
    "read them with COPY": "COPY (SELECT uuid FROM judgetool.event WHERE assessor = 'ben' AND query = '1') TO STDOUT",
    "read them by a function that tells": (
        "SELECT count(*) FROM judgetool.event WHERE assessor = 'ben' AND query = '1' AND length(body) >= 0"
    ),
    "read texts and runs": "SELECT count(*) FROM judgetool.part p JOIN judgetool.bundle b ON b.uuid = p.bundle WHERE b.is_material",
    "read labels of models": "SELECT count(*) FROM judgetool.part WHERE bundle NOT IN (SELECT uuid FROM judgetool.bundle WHERE is_material)",
    "read the project’s values": "SELECT count(*) FROM judgetool.event WHERE kind = 'value'",
    "read who is a member": "SELECT count(*) FROM judgetool.member",
    "read what others took to judge": "SELECT count(*) FROM judgetool.ask WHERE assessor = 'ben'",
    "write in anna’s name": _push("judgment", "anna", 0xA1),
    "write in ben’s name": _push("judgment", "ben", 0xA2),
    "write a settled grade": _push("settled", "lea", 0xA3),
    "write a value of the project": _push("value", "lea", 0xA4),
    "write a release as a line": _push("release", "lea", 0xA5),
    "change the scale": f"SELECT n_new FROM judgetool.push('[]', '{SCALE}', 'other')",  # noqa: S608 - constants
    "release a query": "SELECT judgetool.let_read('{1}')",
    "put a bundle": "SELECT judgetool.put_bundle(gen_random_uuid(), 'x', 0, 0, '', true)",
    "put a part of a bundle": "SELECT judgetool.put_part(gen_random_uuid(), 0, '')",
    "ask for judgments": "SELECT judgetool.ask_all('{1}', '{r7}', 1)",
    "take something to judge": "SELECT * FROM judgetool.claim(1, 72)",
    "give back what one took": "SELECT judgetool.give_back()",
    "ask nobody any more": "SELECT judgetool.ask_nobody()",
    "let somebody in no more": "SELECT judgetool.close_member('anna')",
    "make somebody a lead": "SELECT judgetool.add_member('ben', 'lead', 'ben')",
    "say that one is here": "SELECT * FROM judgetool.greet()",
    "insert past the door": (
        "INSERT INTO judgetool.event(seq, at, uuid, kind, assessor, query, document, parents, body) "
        "VALUES(999, 1, gen_random_uuid(), 'judgment', 'anna', '1', 'r9', '', '{}')"
    ),
    "change a judgment": "UPDATE judgetool.event SET body = '{}'",
    "delete a judgment": "DELETE FROM judgetool.event",
    "delete all": "TRUNCATE judgetool.event",
    "change the role": "UPDATE judgetool.member SET role = 'lead'",
    "release past the door": "INSERT INTO judgetool.release VALUES('1', 1, 'anna')",
    "change the numbering": "UPDATE judgetool.hub SET last_seq = 0",
    "drop the log": "DROP TABLE judgetool.event",
    "switch the policies off": "ALTER TABLE judgetool.event DISABLE ROW LEVEL SECURITY",
    "replace the door": "CREATE OR REPLACE FUNCTION judgetool.my_role() RETURNS text LANGUAGE sql AS $$ SELECT 'lead' $$",
    "put a table of one’s own there": "CREATE TABLE judgetool.mine(x int)",
    "number a line by hand": "SELECT judgetool.note(gen_random_uuid(), 'value', 'lea', NULL, '{}')",
    "fill what is asked by hand": "SELECT judgetool.fill_slots('{1}', '{r001}', '{anna}', '{t}')",
    "become the owner": "SET ROLE admin",
    "become the owner for the session": "SET SESSION AUTHORIZATION admin",
}


@pytest.fixture
def judged(team, tmp_path):
    """A hub in which there is something of each kind."""
    (tmp_path / "file").write_bytes(b"text")
    for login, events in {
        "anna": [judgment("anna"), judgment("anna", document="r002")],
        "ben": [judgment("ben"), judgment("ben", query="2")],
    }.items():
        with team.open(login) as hub:
            hub.push(events, scale_hash=SCALE)
    with team.open("lea") as hub:
        hub.push([judgment("lea", kind="value")], scale_hash=SCALE)
        hub.release(["2"])
        hub.put_bundle(tmp_path / "file")
        hub.put_bundle(tmp_path / "file", is_material=False)
        hub.ask([("1", "r001"), ("1", "r002")])
    with team.open("ben") as hub:
        hub.claim(1, 72)
    return team


def attempt(connection, statement):
    """Try a statement and take it back; return what somebody got."""
    try:
        with connection.transaction(force_rollback=True):
            if statement.startswith("COPY"):
                with connection.cursor().copy(statement) as copy:
                    return str(sum(1 for _ in copy.rows()))
            cursor = connection.execute(statement)
            row = cursor.fetchone() if cursor.description else None
            return f"{row[0]}" if statement.startswith("SELECT count") else "done"
    except psycopg.Error as problem:
        is_refused = problem.sqlstate in ("42501", "JT001", "JT002")
        return "refused" if is_refused else f"{problem.sqlstate} {problem}"


def as_table(found):
    """Return what each got as a table of a help page."""
    lines = [f"| tried with psql | {' | '.join(HEADS)} |", "| --- " * (len(HEADS) + 1) + "|"]
    kept = {what: got for what, got in found.items() if set(got) != {"refused"}}
    lines += [f"| {what} | {' | '.join(got)} |" for what, got in kept.items()]
    never = [what for what in found if what not in kept]
    return "\n".join([*lines, f"| {', '.join(never)} | {' | '.join(['refused'] * len(HEADS))} |"])


def test_each_statement_with_each_login(judged):
    """The table of the page for administrators is what each login really gets."""
    found = {}
    with ExitStack() as stack:
        connections = [stack.enter_context(judged.psql(login)) for login in LOGINS]
        for what, statement in TRIED.items():
            found[what] = [attempt(connection, statement) for connection in connections]
    table = as_table(found)
    page = resource_path(PAGE).read_text(encoding="utf-8")
    written = re.search(r"^\| tried with psql .*?(?=\n\n)", page, re.DOTALL | re.MULTILINE)
    assert written, table
    assert written[0] == table, f"the page has another table than\n{table}"


@pytest.mark.parametrize("statement", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {}"])
def test_not_even_the_owner_changes_what_is_there(judged, statement):
    """The log, bundles and releases stay as they are whoever asks; policies do not bind the owner."""
    columns = {"event": "body", "bundle": "name", "part": "number", "release": "query"}
    with judged.psql("admin") as connection:
        for table, column in columns.items():
            with pytest.raises(psycopg.Error, match="neither changed nor deleted"):
                connection.execute(statement.format(f"judgetool.{table}", column, column))


def test_a_function_of_ones_own_does_not_see_what_the_policy_hides(judged):
    """Neither by an operator in the way of the policy, nor by a table that stands in front of ours."""
    spy = "CREATE FUNCTION pg_temp.spy(text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    with judged.psql("anna") as connection:
        told = []
        connection.add_notice_handler(lambda notice: told.append(notice.message_primary))
        connection.execute(spy)
        connection.execute("SELECT count(*) FROM judgetool.event WHERE pg_temp.spy(assessor)")
        connection.execute("CREATE TEMP TABLE member(name text, role text, login text)")
        connection.execute("INSERT INTO member VALUES('anna', 'lead', 'anna')")
        connection.execute("SET search_path = pg_temp")
        assert connection.execute("SELECT judgetool.my_role()").fetchone() == ("assessor",)
    assert sorted(set(told)) == ["anna", "ben", "lea"]
    assert told.count("ben") == 1
