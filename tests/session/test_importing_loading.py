"""Taking in an import that was read beside the session, while judging went on."""

from judgetool.session.commands import Judge, SetPoolDepth
from judgetool.session.importing import plan_import, write_import
from tests.session.conftest import run_reading
from tests.session.test_importing import judgments, seen


def bring(session, readings):
    """Write an import as a job does, and return what was read beside the session."""
    plan = plan_import(session, readings)
    write_import(session, plan)
    return plan, session.load_import()


def means(session):
    return [str(session.board.engine.means(run.run_id)) for run in session.material.runs]


def test_what_was_read_beside_is_what_reading_anew_gives(session):
    """Taking in a loaded import leaves the session as a full reload would."""
    readings = [run_reading("c", {"1": ["d9", "new"], "x": ["d1"]})]
    readings.append(judgments([("1", "d1", 2.0, "ben"), ("x", "d1", 1.0, "ben")]))
    plan, loaded = bring(session, readings)
    changed = session.finish_import(plan.title, loaded=loaded)
    taken, values = seen(session), means(session)
    assert changed.is_material
    session.reload()
    assert seen(session) == taken
    assert means(session) == values
    assert session.material.document(session.material.find_document("new")).id == "new"


def test_judgments_given_meanwhile_are_kept(session):
    """What is judged, and undone, between reading and taking in counts as it stands."""
    document = session.material.find_document("d1")
    other = session.material.find_document("d2")
    session.execute(Judge(0, other, 1))
    plan, loaded = bring(session, [judgments([("2", "d4", 2.0, "ben")])])
    session.execute(Judge(0, document, 3))
    session.execute(Judge(0, other, 2))
    session.undo()
    session.finish_import(plan.title, loaded=loaded, judged=[(0, document), (0, other)])
    settled = session.board.settled(0)
    assert {number: each.grade for number, each in settled.items()} == {document: 3, other: 1}
    assert session.opinions(0)[document][0].judgment.grade == 3


def test_other_settings_meanwhile_read_everything_anew(session):
    """When what the board depends on has changed, what was read beside is not used."""
    plan, loaded = bring(session, [run_reading("c", {"1": ["d9"]})])
    session.execute(SetPoolDepth(1))
    session.finish_import(plan.title, loaded=loaded)
    assert session.board is not loaded.board
    assert len(session.board.pool(0)) == 3
