"""Files of a team and their hub say the same, whatever is cut, wiped, restored or late in between."""

import os
import shutil
from contextlib import closing
from datetime import datetime
from random import Random
from threading import Event

import pytest

from judgetool.core.judgments import Query
from judgetool.errors import HubOfflineError, HubRefusedError, InputError
from judgetool.hub.connection import HUB_SCHEMA, open_hub
from judgetool.hub.making import add_member
from judgetool.session.commands import AskOf, Say, WriteAsks, WriteQuery, set_title
from judgetool.session.comparing.snapshots import create_snapshot, load_snapshots
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.team.asking import hand_over
from judgetool.session.team.joining import (
    at_hub,
    join_hub,
    link_hub,
    list_taken,
    look_at_hub,
    plan_offer,
    sync_once,
)
from judgetool.session.team.merging import merge_copies
from judgetool.session.team.sync_state import describe_clock
from judgetool.session.team.syncing import Syncing, find_hub_mark
from judgetool.storage.migrations import create_file
from tests.helpers.builders import make_project, make_readings, simple_parts
from tests.helpers.postgres import PASSWORD, PROJECT
from tests.helpers.program import must
from tests.session.test_merging import content, heads, judge, sound


def is_long():
    """Whether there is time for many more cycles, as with ``.ci/run --long``."""
    return int(os.environ.get("JUDGETOOL_EXAMPLES", "0")) >= 1000


class Office:
    """Files of people of one team."""

    def __init__(self, team, folder):
        self.team, self.folder = team, folder
        self.lea = folder / "lea.judge"
        create_file(self.lea, uuid=PROJECT)
        with open_project(self.lea, assessor="lea") as session:
            import_readings(session, make_readings(simple_parts(n_queries=2, n_documents=4)))
        self.link(self.lea)

    def link(self, path, who="lea", team=None):
        with open_project(path, assessor=who) as session, (team or self.team).open(who) as hub:
            link_hub(session, hub)
        return self.sync(path, who)

    def join(self, who, name=None):
        path = self.folder / f"{name or who}.judge"
        join_hub(self.team.address(who), PASSWORD, path, assessor=who)
        return path

    def sync(self, path, who, **how):
        with open_project(path, assessor=who) as session:
            return sync_once(session, PASSWORD, **how)

    def psql(self, statement):
        """What an administrator does to the hub."""
        with self.team.psql("admin") as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(statement)


@pytest.fixture
def office(team, tmp_path):
    return Office(team, tmp_path)


def said(path, who=None):
    """What is said in a file, by anybody or by one."""
    return {key: value for key, value in content(path)[0].items() if who in (None, key[2])}


def test_material_reaches_all_and_judgments_the_lead(office):
    """Who joins has the queries, documents and runs; only the lead sees what others judge."""
    anna, ben = office.join("anna"), office.join("ben")
    assert content(anna) == content(office.lea)
    judge(anna, Say.grade(0, 1, 3), Say.grade(1, 2, 2), by="anna")
    judge(ben, Say.grade(0, 1, 0), by="ben")
    judge(office.lea, Say.grade(0, 2, 1), by="lea")
    assert [office.sync(anna, "anna").n_sent, office.sync(ben, "ben").n_sent] == [2, 1]
    assert office.sync(office.lea, "lea").n_received == 3
    assert said(office.lea) == said(anna) | said(ben) | said(office.lea, "lea")
    assert {key[2] for key in said(anna)} == {"anna"}
    with open_project(office.lea, assessor="lea") as session:
        assert session.undo_step.title.startswith("Grade 1")
    for path in (office.lea, anna, ben):
        sound(path)


def test_once_in_step_nothing_is_sent_or_fetched(office):
    """Neither by who judged nor by the lead."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    for path, who in ((anna, "anna"), (office.lea, "lea")):
        office.sync(path, who)
        again = office.sync(path, who)
        assert (again.n_sent, again.n_received, again.n_files, again.written) == (0, 0, 0, None)


def test_who_makes_a_hub_does_not_fetch_what_they_sent(office):
    """The small files, and so the lines after them."""
    with open_project(office.lea, read_only=True) as session, office.team.open("lea") as hub:
        assert find_hub_mark(session).seq == hub.standing().last_seq


def test_what_is_undone_and_redone_follows(office):
    """Judgments, and texts and titles that a lead takes back."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), Say.grade(0, 1, 2), by="anna")
    judge(office.lea, set_title("Soups"), WriteQuery(Query("q0", "other")), by="lea")
    for path, who in ((anna, "anna"), (office.lea, "lea"), (anna, "anna")):
        office.sync(path, who)
    assert content(anna)[3][0].text == "other"
    for path, who in ((anna, "anna"), (office.lea, "lea")):
        with open_project(path, assessor=who) as session:
            session.undo()
        office.sync(path, who)
    office.sync(anna, "anna")
    assert said(office.lea) == said(anna)
    assert [each[0].grade for each in said(anna).values()] == [3]
    assert content(anna)[3][0].text == "soup number 0"
    with open_project(anna, assessor="anna") as session:
        session.redo()
        assert session.title == "Soups"
    office.sync(anna, "anna")
    office.sync(office.lea, "lea")
    assert [each[0].grade for each in said(office.lea).values()] == [2]
    sound(anna)
    sound(office.lea)


def test_asks_reach_who_is_asked_and_second_judgments_come_back(office):
    """Also what is judged again, hidden, under another number."""
    judge(
        office.lea,
        WriteAsks((AskOf(0, 1, "anna"), AskOf(0, 1, "anna", is_again=True)), "Ask"),
        by="lea",
    )
    office.sync(office.lea, "lea")
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    judge(anna, Say.grade(0, 1, 1), by="anna")
    office.sync(anna, "anna")
    office.sync(office.lea, "lea")
    assert said(office.lea) == said(anna)
    with open_project(office.lea, read_only=True) as session:
        kinds = session.reader.execute(
            "SELECT DISTINCT a.kind FROM judgments JOIN assessors a USING(assessor_id)"
        )
        assert set(kinds) == {("human",), ("again",)}
    sound(anna)


def test_what_is_handed_over_or_taken_back_leaves_who_was_asked(office):
    """As with mailed files: what the lead says last of asks holds in every file."""
    anna, ben = office.join("anna"), office.join("ben")
    judge(
        office.lea, WriteAsks(tuple(AskOf(0, each, "anna") for each in (1, 2, 3)), "Ask"), by="lea"
    )
    for path, who in ((office.lea, "lea"), (anna, "anna")):
        office.sync(path, who)
    judge(anna, Say.grade(0, 1, 3), by="anna")
    for path, who in ((anna, "anna"), (office.lea, "lea")):
        office.sync(path, who)

    def asked(*acts):
        with open_project(office.lea, assessor="lea") as session:
            for act in acts:
                act(session)
        found = []
        for path, who in ((office.lea, "lea"), (anna, "anna"), (ben, "ben")):
            office.sync(path, who)
            with open_project(path, assessor=who) as session:
                found.append(tuple(session.asks.progress))
        return found[1:]

    assert asked() == [(1, 3), (0, 0)]
    assert asked(lambda lea: lea.execute(hand_over(lea, "anna", "ben"))) == [(1, 1), (0, 2)]
    assert asked(Session.undo) == [(1, 3), (0, 0)]


def test_what_is_taken_is_what_one_is_asked(office):
    """On both of one's machines and offline; nobody else gets it, until one gives it back or the time is over."""
    anna, ben = office.join("anna"), office.join("ben")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")

    def at(path, who, act):
        with open_project(path, assessor=who) as session:
            return at_hub(session, PASSWORD, lambda hub: act(session, hub))

    def asked(path, who):
        with open_project(path, assessor=who) as session:
            return tuple(session.asks.progress), len(list_taken(session))

    def offer(session, hub):
        pairs, heard = plan_offer(session)
        return hub.ask(pairs, heard=heard), len(pairs)

    n_new, n_pairs = at(office.lea, "lea", offer)
    assert (n_new, n_pairs) == (7, 8)
    with pytest.raises(HubRefusedError, match="role assessor"):
        at(anna, "anna", offer)
    hers = {claim[:2] for claim in at(anna, "anna", lambda _, hub: hub.claim(3, 72))}
    his = {claim[:2] for claim in at(ben, "ben", lambda _, hub: hub.claim(9, 72))}
    assert (len(hers), len(his), hers & his) == (3, 4, set())
    assert ("q0", "d0") not in hers | his
    judge(anna, Say.grade(0, 2, 1), by="anna")
    with open_project(anna, assessor="anna") as session:
        assert session.undo_step.title.startswith("Grade 1")
        assert session.material.document_ids([2])[2] == "d1"
    n_judged = int(("q0", "d1") in hers)
    assert asked(anna, "anna") == ((n_judged, 3), 3 - n_judged)
    laptop = office.join("anna", "laptop")
    office.sync(anna, "anna")
    assert asked(laptop, "anna") == ((0, 3), 3)
    assert at(laptop, "anna", lambda _, hub: hub.give_back()) == 3 - n_judged
    office.psql("UPDATE judgetool.ask SET lease_until = now() WHERE lease_until IS NOT NULL")
    for path, who in ((anna, "anna"), (laptop, "anna"), (ben, "ben")):
        office.sync(path, who)
        assert asked(path, who)[1] == 0
    assert len(at(anna, "anna", lambda _, hub: hub.claim(9, 72))) == 8 - 1 - n_judged
    sound(anna)


def test_a_queue_that_turns_by_itself_says_so(office):
    """What one took on another machine, and what the hub knows nothing of any more; each machine counts it alike."""
    first, second = office.join("anna"), office.join("anna", "laptop")
    with office.team.open("lea") as hub:
        hub.ask([("q0", f"d{document}") for document in range(4)])
    with open_project(second, assessor="anna") as session:
        at_hub(session, PASSWORD, lambda hub: hub.claim(3, 72))
    judge(second, Say.grade(0, 1, 3), by="anna")
    office.sync(second, "anna")
    [said] = office.sync(first, "anna").remarks
    assert said.startswith("3 documents that you took on another machine are in your queue here")
    for path in (first, second):
        with open_project(path, assessor="anna") as session:
            assert tuple(session.asks.progress) == (1, 3)
    office.psql("DELETE FROM judgetool.ask")
    [said] = office.sync(first, "anna").remarks
    assert said.startswith("2 documents that you had taken have left your queue")


def test_released_queries_are_read_by_all(office):
    """What was said before the release, and after it."""
    anna, ben = office.join("anna"), office.join("ben")
    judge(anna, Say.grade(0, 1, 3), Say.grade(1, 1, 3), by="anna")
    office.sync(anna, "anna")
    with office.team.open("lea") as hub:
        hub.release(["q0"])
    office.sync(ben, "ben")
    judge(anna, Say.grade(0, 2, 0), by="anna")
    office.sync(anna, "anna")
    office.sync(ben, "ben")
    assert {key[:2] for key in said(ben, "anna")} == {("q0", "d0"), ("q0", "d1")}


def test_the_lead_sees_what_several_files_of_one_person_say(office):
    """One person's two machines: each gets the other's judgments, of both the latest counts."""
    first, second = office.join("anna"), office.join("anna", "laptop")
    judge(first, Say.grade(0, 1, 3), by="anna")
    judge(second, Say.grade(0, 1, 0), Say.grade(0, 2, 1), by="anna")
    for path in (first, second, first):
        office.sync(path, "anna")
    office.sync(office.lea, "lea")
    assert said(first) == said(second) == said(office.lea)
    assert content(first)[1] == content(office.lea)[1] == {("q0", "d0")}


def test_a_file_rebuilt_from_its_backup_and_log_goes_on(office):
    """What it had sent is known there, what it had not is sent, what it lost comes back."""
    anna, rebuilt = office.join("anna"), office.folder / "rebuilt.judge"
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")
    judge(anna, Say.grade(0, 2, 1), by="anna")
    must("recover", anna, rebuilt)
    assert office.sync(rebuilt, "anna").n_sent == 1
    office.sync(office.lea, "lea")
    assert said(rebuilt) == said(anna) == said(office.lea)
    sound(rebuilt)


@pytest.mark.parametrize("lost", ["all", "some"])
def test_a_hub_that_lost_lines_is_healed_by_the_files(office, lost):
    """Restored from an older backup, or wiped; also what a departed assessor had said comes back."""
    anna, ben = office.join("anna"), office.join("ben")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")
    with office.team.open("lea") as hub:
        kept = hub.standing().last_seq if lost == "some" else 0
    judge(anna, Say.grade(0, 2, 2), by="anna")
    judge(ben, Say.grade(0, 1, 0), by="ben")
    judge(office.lea, Say.grade(0, 1, 1), by="lea")
    for path, who in ((anna, "anna"), (ben, "ben"), (office.lea, "lea")):
        office.sync(path, who)
    before = content(office.lea)
    for table in ("event", "bundle"):
        office.psql(f"DELETE FROM judgetool.{table} WHERE seq > {kept:d}")  # noqa: S608 - numbers
    office.psql(
        "DELETE FROM judgetool.part WHERE bundle NOT IN (SELECT uuid FROM judgetool.bundle)"
    )
    office.psql(f"UPDATE judgetool.hub SET last_seq = {kept:d}")  # noqa: S608 - likewise
    # Ben has left, with his file; anna judges on.
    judge(anna, Say.grade(1, 3, 2), by="anna")
    assert "another than before" in " ".join(office.sync(anna, "anna").remarks)
    assert "Ask everybody" in " ".join(office.sync(office.lea, "lea").remarks)
    office.sync(office.lea, "lea")
    everything = office.folder / "new.judge"
    join_hub(office.team.address("lea"), PASSWORD, everything, assessor="lea")
    assert said(everything) == said(office.lea) == before[0] | said(anna)
    assert content(everything) == content(office.lea)
    with office.team.open("lea") as hub:
        restored = {line.assessor for _, line in hub.pull(0).rows if line.restored_by}
        lines = [line.uuid for _, line in hub.pull(0).rows]
    assert "ben" in restored
    assert len(lines) == len(set(lines))
    sound(office.lea)
    sound(everything)


def test_what_a_mailed_copy_brought_is_sent_by_the_lead(office):
    """Its judgments are the sender's, and known when they send them themselves; undone, they stay there."""
    ben = office.join("ben")
    judge(ben, Say.grade(0, 1, 3), Say.grade(0, 2, 2), by="ben")
    with open_project(ben, assessor="ben") as session:
        session.undo()
    with open_project(office.lea, assessor="lea") as session:
        merge_copies(session, [ben])
    assert office.sync(office.lea, "lea").n_sent == 3
    assert office.sync(ben, "ben").n_sent == 0
    assert said(office.lea) == said(ben)
    other = office.folder / "other.judge"
    join_hub(office.team.address("lea"), PASSWORD, other, assessor="lea")
    assert content(other) == content(office.lea)


def test_what_an_undone_merge_hides_of_the_hub_is_said(office):
    """A lead undoes a merge that the hub has: that is not in step, until it is done again or judged anew."""
    ben = office.join("ben")
    for document in (1, 2):
        judge(ben, Say.grade(0, document, 3), Say.grade(0, document, 2), by="ben")

    def stands():
        with open_project(office.lea, assessor="lea") as session:
            syncing = Syncing(session, PASSWORD)
            done = syncing.run(0)
            session.take_written(done.written) if done.written else None
            syncing.close()
            return syncing.state

    with open_project(office.lea, assessor="lea") as session:
        merge_copies(session, [ben])
    assert stands().text == "Hub: in step"
    with open_project(office.lea, assessor="lea") as session:
        session.undo()
    assert stands().text == "Hub: 2 hidden here"
    assert "Redo the merge, or merge that copy again" in stands().why
    with open_project(office.lea, read_only=True) as session:
        assert look_at_hub(session, PASSWORD).facts["hidden_here"] == 2
    judge(ben, Say.grade(0, 1, 1), by="ben")
    office.sync(ben, "ben")
    assert stands().text == "Hub: 1 hidden here"
    with open_project(office.lea, assessor="lea") as session:
        merge_copies(session, [ben])
    assert stands().text == "Hub: in step"
    assert said(office.lea) == said(ben)


def test_a_scripted_week_ends_alike(office):
    """Whoever judged, undid, merged and went in step when: the files say what merging them all says."""
    random = Random(7)
    people = {"lea": office.lea, "anna": office.join("anna"), "ben": office.join("ben")}
    for _ in range(30 if is_long() else 6):
        for who, path in people.items():
            with open_project(path, assessor=who) as session:
                for _ in range(random.randrange(4)):
                    query, document = random.randrange(2), random.randrange(1, 5)
                    session.execute(Say.grade(query, document, random.randrange(4)))
                for _ in range(random.randrange(3)):
                    random.choice((session.undo, session.redo))()
                if random.random() < 0.5:
                    sync_once(session, PASSWORD)
    for who in ("lea", "anna", "ben", "lea"):
        office.sync(people[who], who)
    merged = office.folder / "merged.judge"
    shutil.copy(people["anna"], merged)
    with open_project(merged, assessor="anna") as session:
        merge_copies(session, [people["ben"], people["lea"]])
    assert heads(merged) == heads(office.lea)
    assert content(merged)[:2] == content(office.lea)[:2]
    assert said(office.lea, "anna") == said(people["anna"])
    for path in people.values():
        sound(path)


def test_what_does_not_fit_is_refused(office, tmp_path):
    """Another project's file, and a name that the hub does not know the login by."""
    with make_project(tmp_path, simple_parts(), name="other") as session:
        with office.team.open("lea") as hub, pytest.raises(HubRefusedError, match="another one"):
            link_hub(session, hub)
        with pytest.raises(InputError, match="belongs to no hub"):
            sync_once(session, PASSWORD)
    with pytest.raises(InputError, match="‘anna’"):
        join_hub(office.team.address("anna"), PASSWORD, tmp_path / "x.judge", assessor="ben")
    assert not (tmp_path / "x.judge").exists()


def test_offline_is_said_and_tried_again_later(office):
    """What is judged meanwhile waits; the pauses between tries grow; a change is sent after two seconds."""
    anna = office.join("anna")
    asked = []

    def refuse(address, password):
        asked.append(address)
        if is_offline:
            raise HubOfflineError("not reached")
        return open_hub(address, password)

    is_offline = True
    judge(anna, Say.grade(0, 1, 3), Say.grade(0, 2, 3), by="anna")
    noon = int(datetime(2026, 3, 2, 14, 2).astimezone().timestamp() * 1000)
    with open_project(anna, assessor="anna", clock=lambda: noon) as session:
        syncing = Syncing(session, PASSWORD, open_hub=refuse)
        tries = [now for now in range(60) if syncing.is_due(now) and syncing.run(now)]
        assert syncing.state.text == "Hub: 2 to send, offline since 14:02"
        assert syncing.state.why.startswith("not reached It is asked again by itself within")
        is_offline = False
        assert tries == [0, 5, 15, 35]
        assert len(asked) == 4
        # No pause grows beyond half a minute.
        assert syncing.is_due(65)
        assert syncing.run(75).n_sent == 2
        assert syncing.state.why == ""
        assert syncing.state.text == "Hub: in step"
        syncing.note_change(80)
        assert not syncing.is_due(81.9)
        for second in range(81, 90):
            syncing.note_change(second)
        assert not syncing.is_due(89.9)
        assert syncing.is_due(90)
        syncing.run(90)
        assert not syncing.is_due(149)
        assert syncing.is_due(150)
        syncing.close()


def test_what_is_wished_for_during_a_run_is_not_forgotten(office):
    """Asked to hurry, or a judgment made, while the hub is asked or does not answer."""
    anna = office.join("anna")
    during = []

    def ask(address, password):
        for act in during:
            act()
        if during:
            raise HubOfflineError("not reached")
        return open_hub(address, password)

    with (
        open_project(anna, assessor="anna") as session,
        closing(Syncing(session, PASSWORD, open_hub=ask)) as syncing,
    ):
        syncing.run(0.0)
        syncing.close()
        during[:] = [syncing.hurry]
        syncing.run(1.0)
        assert syncing.is_due(1.1)
        during[:] = [lambda: syncing.note_change(2.0)]
        syncing.run(1.1)
        assert not syncing.is_due(4.0)
        assert syncing.is_due(12.0)


def test_a_snapshot_reaches_leads_alone(office):
    """It holds what everybody had judged by then; a title, set later, reaches all."""
    ben = office.join("ben")
    judge(ben, Say.grade(0, 1, 3), by="ben")
    office.sync(ben, "ben")
    office.sync(office.lea, "lea")
    with open_project(office.lea, assessor="lea") as session:
        create_snapshot(session, "before")
        session.execute(set_title("Soups"))
    office.sync(office.lea, "lea")
    for who, n_snapshots in (("anna", 0), ("rita", 0), ("admin", 1)):
        with open_project(office.join(who), assessor=who) as session:
            assert (session.title, len(load_snapshots(session))) == ("Soups", n_snapshots)
    with office.team.open("anna") as hub, office.team.open("admin") as lead:
        assert len(hub.bundles(0)) == len(lead.bundles(0)) - 1


def test_a_lead_hears_of_news_and_an_assessor_does_not(office):
    """The lead's file looks as soon as the hub tells; others look each minute."""
    anna, stop = office.join("anna"), Event()
    with open_project(office.lea, assessor="lea") as session:
        with closing(Syncing(session, PASSWORD)) as syncing:
            syncing.run(0.0)
            # The first look is never missed.
            syncing.wait(60.0, stop)
            syncing.run(1.0)
            syncing.wait(0.01, stop)
            assert not syncing.is_due(2.0)
            judge(anna, Say.grade(0, 1, 3), by="anna")
            office.sync(anna, "anna")
            syncing.wait(60.0, stop)
            assert syncing.is_due(2.0)
            done = syncing.run(2.0)
        session.take_written(done.written)
        assert done.written.loaded is None
        assert [each.assessor for each in session.opinions(0)[1]] == ["anna"]


def test_what_is_judged_while_lines_arrive_stays(office):
    """Lines of one's other machine are written; before the window takes them in, one judges on."""
    first, second = office.join("anna"), office.join("anna", "laptop")
    judge(second, Say.grade(0, 1, 0), Say.grade(0, 2, 1), by="anna")
    office.sync(second, "anna")
    with open_project(first, assessor="anna") as session:
        with closing(Syncing(session, PASSWORD)) as syncing:
            done = syncing.run(0.0)
        session.execute(Say.grade(0, 1, 3))
        session.take_written(done.written)
        assert [session.own_judgment(0, document).grade for document in (1, 2)] == [3, 1]
        assert session.board.settled(0)[1].grade == 3


def test_before_the_first_sending_it_is_known_what_waits(office):
    """A copy that was let belong to the hub, and not in step since; also once it was rebuilt."""
    copy, rebuilt = office.folder / "copy.judge", office.folder / "rebuilt.judge"
    shutil.copy(office.lea, copy)
    judge(copy, Say.grade(0, 1, 3), Say.grade(0, 2, 3), by="anna")
    with open_project(copy, assessor="anna") as session, office.team.open("anna") as hub:
        link_hub(session, hub)
        assert look_at_hub(session, PASSWORD).facts["to_send"] == 2
    must("recover", copy, rebuilt)
    with open_project(rebuilt, assessor="anna") as session:
        syncing = Syncing(session, PASSWORD)
        syncing.recount()
        assert syncing.state.n_unsent == 2


def test_a_lead_sees_who_was_there_however_they_came(office):
    """Also who has joined by command and sent nothing yet."""
    office.join("anna")
    with office.team.open("lea") as hub:
        seen = {member.name: member.seen_ms for member in hub.members()}
    assert seen["anna"]
    assert not seen["ben"]


def test_who_becomes_a_lead_reads_what_was_hidden(office):
    """Lines of others that came before, too."""
    anna, ben = office.join("anna"), office.join("ben")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")
    office.sync(ben, "ben")
    with office.team.open("lea") as hub:
        add_member(hub, "ben", "lead")
    assert not said(ben)
    office.sync(ben, "ben")
    assert said(ben) == said(anna)


def test_a_hub_of_a_newer_judgetool_and_a_wrong_clock_are_said(office):
    """The first stops the exchange until judgetool is updated, the second does not."""
    anna = office.join("anna")
    office.psql("UPDATE judgetool.hub SET schema = 99")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    with (
        open_project(anna, assessor="anna") as session,
        closing(Syncing(session, PASSWORD)) as syncing,
    ):
        syncing.run(0.0)
        assert "Update judgetool" in syncing.state.problem
        assert syncing.state.text == "Hub: 1 to send, not in step"
        assert not syncing.is_due(299.0)
        office.psql(f"UPDATE judgetool.hub SET schema = {HUB_SCHEMA:d}")  # noqa: S608 - a number
        assert syncing.run(300.0).n_sent == 1
        # Also while it is connected.
        office.psql("UPDATE judgetool.hub SET schema = 99")
        syncing.run(301.0)
        assert "Update judgetool" in syncing.state.problem
        office.psql(f"UPDATE judgetool.hub SET schema = {HUB_SCHEMA:d}")  # noqa: S608 - a number
    with office.team.open("anna") as hub:
        standing = hub.standing()
    assert describe_clock(standing) == ""
    assert "2 minutes behind" in describe_clock(standing._replace(ahead_ms=120_000))
    assert "1 minute ahead of" in describe_clock(standing._replace(ahead_ms=-61_000))
