"""Another scale of a lead reaches what everybody judged, whenever it was judged, sent or fetched."""

import pytest

from judgetool.core.scale import scale_preset
from judgetool.session.commands import Say, SetScale
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.team.syncing import Syncing
from tests.helpers.postgres import PASSWORD
from tests.hub.test_syncing import Office, said
from tests.session.test_merging import judge, sound


@pytest.fixture
def office(team, tmp_path):
    return Office(team, tmp_path)


def test_a_scale_that_a_lead_changes_reaches_what_was_not_sent(office):
    """What was sent is brought to it by the lead's file, what was not by one's own; then all goes on."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), Say.grade(0, 2, 2), by="anna")
    office.sync(anna, "anna")
    office.sync(office.lea, "lea")
    judge(anna, Say.grade(0, 2, 3), Say.grade(1, 1, 2), Say.grade(1, 2, 0), by="anna")
    judge(office.lea, SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0}), by="lea")
    office.sync(office.lea, "lea")
    office.sync(anna, "anna")
    office.sync(office.lea, "lea")
    assert {key[:2]: each.grade for key, (each, _) in said(anna).items()} == {
        ("q0", "d0"): 1, ("q0", "d1"): 1, ("q1", "d0"): 1, ("q1", "d1"): 0,
    }  # fmt: skip
    assert said(office.lea) == said(anna)
    judge(anna, Say.grade(1, 3, 1), by="anna")
    assert office.sync(anna, "anna").n_sent == 1
    sound(anna)
    sound(office.lea)


def grades_of(path, who):
    return [each.grade for _, (each, _) in sorted(said(path, who).items())]


def test_a_scale_that_a_lead_takes_back_is_taken_back_everywhere(office):
    """What a change of scale made of judgments goes with it, whoever made it of them; what was said since stays."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")
    office.sync(office.lea, "lea")
    judge(anna, Say.grade(0, 2, 2), Say.grade(1, 1, 3), by="anna")

    def lead(*acts):
        with open_project(office.lea, assessor="lea") as session:
            for act in acts:
                act(session)
        for path, who in ((office.lea, "lea"), (anna, "anna"), (office.lea, "lea")):
            office.sync(path, who)
        assert said(anna) == said(office.lea)
        return grades_of(anna, "anna")

    binary = scale_preset("binary")
    strict, wide = {2.0: 0.0, 3.0: 1.0}, {2.0: 1.0, 3.0: 1.0}
    # Taken back before anna has seen it: nothing becomes of what she has not sent.
    assert lead(lambda lea: lea.execute(SetScale(binary, strict)), Session.undo) == [3, 2, 3]
    judge(anna, Say.grade(0, 3, 2), Say.grade(0, 4, 3), by="anna")
    assert lead(lambda lea: lea.execute(SetScale(binary, wide))) == [1, 1, 1, 1, 1]
    judge(anna, Say.grade(0, 4, 0), by="anna")
    assert lead(Session.undo) == [3, 2, 2, 0, 3]
    assert lead(Session.redo) == [1, 1, 1, 0, 1]
    # Another one in its place, before anna looks.
    assert lead(Session.undo, lambda lea: lea.execute(SetScale(binary, strict))) == [1, 0, 0, 0, 1]
    with open_project(anna, assessor="anna") as session:
        assert session.redo_step is None
        assert session.undo_step.title.startswith("Grade 0")
    sound(anna)
    sound(office.lea)


@pytest.mark.parametrize("is_sent", [True, False])
def test_a_scale_that_is_done_again_reaches_what_was_judged_since(office, is_sent):
    """What was said while it was taken back, whether the hub knew it already or not, is brought to it, too."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")

    def lead(act):
        with open_project(office.lea, assessor="lea") as session:
            act(session)
        for path, who in ((office.lea, "lea"), (anna, "anna"), (office.lea, "lea")):
            office.sync(path, who)

    office.sync(office.lea, "lea")
    lead(lambda lea: lea.execute(SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0})))
    lead(Session.undo)
    judge(anna, Say.grade(0, 2, 2), Say.grade(1, 1, 3), by="anna")
    if is_sent:
        office.sync(anna, "anna")
    lead(Session.redo)
    office.sync(anna, "anna")
    assert grades_of(anna, "anna") == [1, 1, 1]
    lead(Session.undo)
    office.sync(anna, "anna")
    assert grades_of(anna, "anna") == [3, 2, 3]
    assert said(anna) == said(office.lea)
    sound(anna)
    sound(office.lea)


def test_what_a_lead_had_not_seen_is_brought_to_their_scale(office):
    """Sent before the scale was changed at the hub, fetched after it was changed in the lead's file."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")
    judge(office.lea, SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0}), by="lea")
    for path, who in ((office.lea, "lea"), (anna, "anna")):
        office.sync(path, who)
    assert grades_of(office.lea, "anna") == grades_of(anna, "anna") == [1]
    sound(office.lea)


def test_a_scale_that_is_taken_back_is_so_with_the_next_round(office):
    """While the lead's window stays open, too, and nothing comes from anybody."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    office.sync(anna, "anna")
    with open_project(office.lea, assessor="lea") as session:
        session.execute(SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0}))
        syncing = Syncing(session, PASSWORD)
        syncing.run(0.0)
        assert grades_of(office.lea, "anna") == [1]
        session.undo()
        syncing.run(0.0)
        syncing.close()
    assert grades_of(office.lea, "anna") == [3]


def test_healing_a_hub_maps_nothing_twice(office):
    """What was said in a scale of later stays, though the same judgment had been sent before it."""
    anna = office.join("anna")
    judge(anna, Say.grade(0, 1, 3), by="anna")
    plain, wide = scale_preset("0-3"), {2.0: 1.0, 3.0: 1.0}
    for scale, mapping in ((scale_preset("binary"), wide), (plain, {})):
        for path, who in ((anna, "anna"), (office.lea, "lea")):
            office.sync(path, who)
        judge(office.lea, SetScale(scale, mapping), by="lea")
        for path, who in ((office.lea, "lea"), (anna, "anna")):
            office.sync(path, who)
    assert grades_of(anna, "anna") == [1]
    judge(anna, Say.grade(0, 1, 3), Say.grade(0, 2, 2), by="anna")
    office.sync(anna, "anna")
    for table in ("event", "bundle", "part"):
        office.psql(f"DELETE FROM judgetool.{table}")  # noqa: S608 - names
    office.psql("UPDATE judgetool.hub SET last_seq = 0")
    assert office.sync(anna, "anna").remarks
    for path, who in ((office.lea, "lea"), (anna, "anna"), (office.lea, "lea")):
        office.sync(path, who)
    assert grades_of(office.lea, "anna") == grades_of(anna, "anna") == [3, 2]
    sound(anna)


def test_another_scale_of_an_assessors_own_stays_there(office):
    """The hub takes nothing in grades that are not its own; nothing is lost, and it is said."""
    anna = office.join("anna")
    judge(anna, SetScale(scale_preset("binary"), {}), Say.grade(0, 1, 1), by="anna")
    with open_project(anna, assessor="anna") as session:
        syncing = Syncing(session, PASSWORD)
        assert syncing.run(0.0).n_sent == 0
        syncing.close()
        assert "another scale" in syncing.state.problem
        assert syncing.state.text == "Hub: 1 to send, not in step"
