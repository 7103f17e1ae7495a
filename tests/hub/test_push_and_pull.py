"""Lines that are sent to a hub and read from it, by everybody as they may."""

import threading
from random import Random

import pytest

from judgetool.errors import HubRefusal, HubRefusedError
from judgetool.hub.connection import HubEvent, whole_steps
from tests.helpers.postgres import PROJECT, SCALE, judgment


def test_what_is_sent_comes_back_as_it_was(team):
    """Names, parents, times and bodies survive the way, NUL in an id and a body among them."""
    said = HubEvent(
        "0123456789abcdef" * 2, "judgment", "anna", "q\0☂", "d'%s\\\U0010fffe0\0", 1_700_000_000_123,
        ("00" * 16, "ff" * 16), {"grade": 0.5, "note": "a\0b ☂", "none": None},
    )  # fmt: skip
    with team.open("anna") as hub:
        assert hub.push([said], scale_hash=SCALE) == (1, 0, 1)
        page = hub.pull(0)
    assert page == ([(1, said)], 1, said.uuid, True)
    with team.open("lea") as lead:
        lead.ask([(said.query, said.document)], opinions=2)
        lead.release([said.query])
        assert lead.released() == [said.query]
        assert lead.claim(1, 1)[0][:2] == (said.query, said.document)
        assert next(lead.pull_queries([said.query]))[0] == (1, said)


def test_a_line_sent_twice_is_known(team):
    """Within one push, and in the next one."""
    first, second = judgment("anna"), judgment("anna")
    with team.open("anna") as hub:
        assert hub.push([first, first], scale_hash=SCALE) == (1, 1, 1)
        assert hub.push([second, first], scale_hash=SCALE) == (1, 1, 2)
        assert [event for _, event in hub.pull(0).rows] == [first, second]


def test_numbers_follow_the_order_of_commits(team):
    """While eight push at once, a reader who goes on from its last number misses nothing."""
    n_pushes, found = 25, []

    def send(login):
        with team.open(login) as hub:
            for _ in range(n_pushes):
                hub.push([judgment(login), judgment(login)], scale_hash=SCALE)

    logins = ("anna", "ben", "lea", "anna", "ben", "lea", "anna", "ben")
    threads = [threading.Thread(target=send, args=(login,)) for login in logins]
    with team.open("lea") as reader:
        for thread in threads:
            thread.start()
        after, total = 0, 2 * n_pushes * len(threads)
        while after < total:
            page = reader.pull(after, most=7)
            found += [seq for seq, _ in page.rows]
            after = page.last_seq
            assert reader.uuid_at(after) == (page.last_uuid or None)
    for thread in threads:
        thread.join()
    assert found == list(range(1, total + 1))


def page_by_page(hub):
    """Read all with pages of one line."""
    found, page = [], hub.pull(0, most=1)
    while True:
        found += page.rows
        if page.is_end:
            return found
        page = hub.pull(page.last_seq, most=1)


def test_assessors_read_their_own_and_what_is_released(team):
    """Others' lines of a query are read from the moment when a lead released it."""
    mine, theirs, other = judgment("anna"), judgment("ben"), judgment("ben", query="2")
    guide = HubEvent("ab" * 16, "value", "lea", None, None, 1, body={"key": "guidelines"})
    with team.open("lea") as lead, team.open("anna") as anna, team.open("rita") as rita:
        for sender, events in (("anna", [mine]), ("ben", [theirs, other])):
            with team.open(sender) as hub:
                hub.push(events, scale_hash=SCALE)
        lead.push([guide], scale_hash=SCALE)
        assert [event for _, event in anna.pull(0).rows] == [mine, guide]
        assert [event for _, event in rita.pull(0).rows] == [guide]
        assert lead.release(["1", "1"]) == 1
        news = anna.pull(4)
        assert [(event.kind, event.query) for _, event in news.rows] == [("release", "1")]
        assert anna.released() == rita.released() == ["1"]
        [lines] = anna.pull_queries(["1", "2"])
        assert [event for _, event in lines if event.kind == "judgment"] == [mine, theirs]
        assert theirs in [event for _, event in rita.pull(0).rows]
        assert all(page_by_page(hub) == hub.pull(0).rows for hub in (lead, anna, rita))
        assert [event for _, event in lead.pull(0).rows][:4] == [mine, theirs, other, guide]


def test_what_a_lead_sends_for_another_member_says_so(team):
    """A departed assessor's judgments come back; somebody without a login has no such mark."""
    with team.open("lea") as hub:
        hub.push([judgment("ben"), judgment("paper"), judgment("lea")], scale_hash=SCALE)
        assert [event.restored_by for _, event in hub.pull(0).rows] == ["lea", "", ""]


def test_another_scale_is_refused_and_a_lead_changes_it(team):
    """Grades of a scale that is not the hub's never enter it."""
    with team.open("anna") as anna, team.open("lea") as lead:
        with pytest.raises(HubRefusedError, match="scale") as refused:
            anna.push([judgment("anna")], scale_hash="other")
        assert refused.value.why is HubRefusal.SCALE
        with pytest.raises(HubRefusedError, match="lead"):
            anna.push([], scale_hash=SCALE, becomes="other")
        lead.push([], scale_hash=SCALE, becomes="other")
        assert anna.push([judgment("anna")], scale_hash="other").n_new == 1
        assert anna.standing().scale_hash == "other"


@pytest.mark.parametrize(
    "wrong",
    [
        {"uuid": "no uuid"},
        {"query": None},
        {"parents": ("abc",)},
        {"parents": ("abcd",)},
        {"at": "now"},
        {"at": 10**30},
        {"assessor": None},
        {"kind": None},
    ],
    ids=str,
)
def test_a_line_that_is_none_is_refused_with_all_that_came_with_it(team, wrong):
    """In a sentence; what was right is not there either, and can be sent again."""
    right = judgment("lea")
    with team.open("lea") as hub:
        with pytest.raises(HubRefusedError, match="not as it has to be") as refused:
            hub.push([right, judgment("lea")._replace(**wrong)], scale_hash=SCALE)
        assert refused.value.why is HubRefusal.FORM
        assert hub.push([right], scale_hash=SCALE) == (1, 0, 1)


def test_how_things_stand(team):
    """The project, the last line, the clock and the connections are told to each member."""
    with team.open("rita") as hub, team.open("anna") as anna:
        sent = judgment("anna")
        anna.push([sent], scale_hash=SCALE)
        found = hub.standing()
        assert (found.project, found.title, found.last_seq) == (PROJECT, "Recipes", 1)
        assert found.last_uuid == hub.uuid_at(1) == sent.uuid
        assert hub.uuid_at(2) is None
        assert abs(found.ahead_ms) < 60_000
        assert 2 <= found.n_connections <= found.most_connections < 100
        assert hub.me[:3] == ("rita", "reader", "rita")
        assert [member.name for member in hub.members()] == ["rita"]


def test_what_is_new_is_told(team):
    """Waiting ends with a push, and in time without one; the first look is never missed."""
    with team.open("lea") as hub, team.open("anna") as anna:
        assert hub.wait(60)
        assert not hub.wait(0.01)
        anna.push([judgment("anna")], scale_hash=SCALE)
        assert hub.wait(60)
        assert not hub.wait(0.01)


def test_bundles_arrive_whole(team, tmp_path):
    """In parts, byte by byte the same; those with others' judgments for leads only."""
    path = tmp_path / "material.judge"
    path.write_bytes(bytes(range(256)) * 10_000)
    (tmp_path / "labels").write_bytes(b"")
    with team.open("lea") as lead, team.open("anna") as anna:
        sent = lead.put_bundle(path, name="texts")
        assert lead.put_bundle(path, uuid=sent.uuid) == sent
        hidden = lead.put_bundle(tmp_path / "labels", is_material=False)
        assert lead.bundles(0) == [sent, hidden]
        assert anna.bundles(0) == [sent]
        assert anna.bundles(sent.seq) == []
        anna.fetch_bundle(sent.uuid, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == path.read_bytes()
        lead.fetch_bundle(hidden.uuid, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == b""
        with pytest.raises(HubRefusedError, match="no bundle"):
            anna.fetch_bundle(hidden.uuid, tmp_path / "not there")
        with pytest.raises(HubRefusedError, match="role assessor"):
            anna.put_bundle(path)
        with pytest.raises(HubRefusedError, match=r"What was sent is not as it has to be: .*uuid"):
            anna.fetch_bundle("no name", tmp_path / "not there")
        with team.psql("admin") as connection:
            connection.execute("ALTER TABLE judgetool.part DISABLE TRIGGER USER")
            connection.execute("DELETE FROM judgetool.part WHERE number = 0")
        with pytest.raises(HubRefusedError, match=f"bundle {sent.uuid} is damaged in the hub"):
            anna.fetch_bundle(sent.uuid, tmp_path / "not there")
    assert not list(tmp_path.glob("not there*"))


@pytest.mark.parametrize(("steps", "kept"), [("aabb", 2), ("aaaa", 4), ("aab-", 4), ("-aba", 3)])
def test_of_a_step_all_lines_are_taken_or_none(steps, kept):
    """Of the last one of a page there may be more; of what has none (-) there is no more."""
    rows = [
        (number, judgment("anna")._replace(kind="judgment", body={"step": [step, 1]}))
        if step != "-"
        else (number, judgment("anna", kind="value"))
        for number, step in enumerate(steps)
    ]
    assert whole_steps(rows) == rows[:kept]


def test_claims_are_unique(team):
    """Eight windows of two people take 40 documents for two opinions each: nobody one twice."""
    taken = []

    def take(login):
        with team.open(login) as hub:
            while claims := hub.claim(3, 72):
                taken.extend((login, claim.query, claim.document) for claim in claims)

    pairs = [("q", f"d{number}") for number in range(40)]
    with team.open("lea") as lead:
        assert lead.ask(pairs, opinions=2) == 80
        assert lead.ask(pairs, opinions=2) == 0
    threads = [threading.Thread(target=take, args=(login,)) for login in 4 * ("anna", "ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted((login, *pair) for login in ("anna", "ben") for pair in pairs)


def test_a_lease_that_ended_is_anybodys_and_a_judged_document_nobodys(team):
    """What was not judged in time is taken by another; what was judged is not asked again."""
    with team.open("lea") as lead, team.open("anna") as anna, team.open("ben") as ben:
        lead.ask([("1", "r001"), ("1", "r002")])
        assert [claim[:2] for claim in anna.claim(9, -1)] == [("1", "r001"), ("1", "r002")]
        anna.push([judgment("anna", document="r001")], scale_hash=SCALE)
        assert anna.claimed() == []
        assert [claim[:2] for claim in ben.claim(9, 72)] == [("1", "r002")]
        assert anna.claim(9, 72) == anna.claimed() == []
        assert ben.give_back() == 1
        assert [claim[:2] for claim in anna.claim(9, 72)] == [("1", "r002")]
        assert anna.claimed() == anna.claimed()


def test_what_is_judged_unasked_counts(team):
    """Who judged of their own accord, before or after, is one of a document's people; who takes it back is not."""
    pairs, unsaid = [("1", f"r{number}") for number in range(3)], {"body": {}}
    with team.open("lea") as lead, team.open("anna") as anna, team.open("ben") as ben:
        assert lead.ask(pairs, opinions=2, heard=[("1", "r0", "anna"), ("1", "r0", "ben")]) == 4
        anna.push([judgment("anna", document="r1")], scale_hash=SCALE)
        assert [claim.document for claim in anna.claim(9, 72)] == ["r2"]
        assert [claim.document for claim in ben.claim(9, 72)] == ["r1", "r2"]
        said = judgment("anna", document="r2")
        anna.push([said, judgment("anna", document="r2")._replace(**unsaid)], scale_hash=SCALE)
        assert [claim.document for claim in anna.claimed()] == ["r2"]
        anna.push([said._replace(uuid="e" * 32)], scale_hash=SCALE)
        assert [claim.document for claim in anna.claimed()] == ["r2"]
        assert anna.claim(9, 72) == []
        assert ben.give_back() == lead.ask_nobody() == 2
        assert ben.claim(9, 72) == []
        assert lead.ask(pairs, opinions=2) == 2
        assert len(ben.claim(9, 72)) == 2


def test_ids_may_be_long(team):
    """Longer than a row of PostgreSQL's indexes: such lines keep nothing behind them, and are read like others."""
    query, document = (random_text(seed) for seed in (1, 2))
    pairs = [(query, "r1"), ("1", document), (query, document), ("1", "r1")]
    lines = [judgment("anna", query=one, document=other) for one, other in pairs]
    with team.open("anna") as anna:
        assert anna.push(lines, scale_hash=SCALE).n_new == 4
    with team.open("lea") as lea, team.open("ben") as ben:
        assert [(line.query, line.document) for _, line in lea.pull(0).rows] == pairs
        assert (lea.release([query]), lea.release([query])) == (1, 0)
        assert lea.released() == [query]
        assert [line.document for page in ben.pull_queries([query]) for _, line in page][:2] == [
            "r1",
            document,
        ]
        assert len(ben.pull(0, most=2).rows) == 2
        assert lea.ask([*pairs, (query, "r2")], heard=[(query, "r1", "lea")]) == 4
        assert [claim[:2] for claim in ben.claim(2, 1)] == pairs[1:3]
        ben.push([judgment("ben", query="1", document=document)], scale_hash=SCALE)
        assert [claim[:2] for claim in ben.claimed()] == pairs[1:3]


def random_text(seed, length=6_000):
    """Return a text that hardly gets smaller when it is packed."""
    return "".join(map(chr, Random(seed).choices(range(0x3041, 0x9FA5), k=length)))


def test_what_is_asked_is_found_without_going_through_all_of_it(team, postgres):
    """Also just after much was asked, when the server has not looked at the table yet."""

    def read(hub):
        hub.connection.execute("SELECT pg_stat_force_next_flush()")
        with postgres.connect(team.database) as connection:
            return connection.execute(
                "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'ask'"
            ).fetchone()[0]

    with team.open("anna") as anna, team.open("lea") as lea:
        lea.ask([("1", f"r{number}") for number in range(6_000)])
        before = read(lea)
        lines = [judgment("anna", document=f"r{number}") for number in range(1_000)]
        anna.push(lines, scale_hash=SCALE)
        assert read(anna) - before < 100
        assert anna.claim(1, 1)[0].document == "r1000"
