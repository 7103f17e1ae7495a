"""Taking in an import that was read beside the session, while judging went on."""

from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings, plan_import, write_import
from judgetool.session.loading import Meanwhile
from judgetool.session.pool import PoolPolicy, set_pool
from tests.session.conftest import run_reading
from tests.session.test_importing import judgments, seen


def bring(session, readings):
    """Write an import as a job does, and return what was read beside the session."""
    return session.read_after(write_import(session, plan_import(session, readings)))


def means(session):
    return [str(session.board.engine.means(run.run_id)) for run in session.material.runs]


def test_what_was_read_beside_is_what_reading_anew_gives(session):
    """Taking in a loaded import leaves the session as a full reload would."""
    readings = [run_reading("c", {"1": ["d9", "new"], "x": ["d1"]})]
    readings.append(judgments([("1", "d1", 2.0, "ben"), ("x", "d1", 1.0, "ben")]))
    written = bring(session, readings)
    changed = session.take_written(written)
    taken, values = seen(session), means(session)
    assert changed.is_material
    session.reload()
    assert seen(session) == taken
    assert means(session) == values
    assert session.material.document(session.material.find_document("new")).id == "new"


def test_whoever_listens_is_told_of_an_import(session):
    """What was imported beside the session is announced once, as what it is."""
    told = []
    session.changed.connect(told.append)
    written = bring(session, [run_reading("c", {"1": ["d9", "new"]})])
    changed = session.take_written(written)
    assert told == [changed]
    assert (changed.origin, changed.title, changed.is_material) == ("do", "Import of c.run", True)


def test_judgments_given_meanwhile_are_kept(session):
    """What is judged, and undone, between reading and taking in counts as it stands."""
    document = session.material.find_document("d1")
    other = session.material.find_document("d2")
    session.execute(Say.grade(0, other, 1))
    written = bring(session, [judgments([("2", "d4", 2.0, "ben")])])
    session.execute(Say.grade(0, document, 3))
    session.execute(Say.grade(0, other, 2))
    session.undo()
    session.take_written(written, judged=[(0, document), (0, other)])
    settled = session.board.settled(0)
    assert {number: each.grade for number, each in settled.items()} == {document: 3, other: 1}
    assert session.opinions(0)[document][0].judgment.grade == 3


def test_other_settings_meanwhile_read_everything_anew(session):
    """When what the board depends on has changed, what was read beside is not used."""
    written = bring(session, [run_reading("c", {"1": ["d9"]})])
    session.execute(set_pool(PoolPolicy("depth", 1)))
    session.take_written(written)
    assert session.board is not written.loaded.board
    assert len(session.board.pool(0)) == 3


def test_undo_beside_the_session_gives_what_undo_gives(session):
    """The project that was read beside an undone import is that of a full reload."""
    before = seen(session)
    import_readings(session, [run_reading("c", {"1": ["d9", "new"], "x": ["d1"]})])
    after = seen(session)
    done = session.undo_beside("undo")()
    assert done.outcome.step.kind == "import"
    session.take_written(done, "undo")
    assert session.board is done.loaded.board
    assert seen(session) == before
    session.take_written(session.undo_beside("redo")(), "redo")
    assert seen(session) == after


def test_what_is_judged_after_undo_began_is_not_what_it_takes_back(session):
    """A grade given before the undo of an import is worked on stays; the import goes."""
    import_readings(session, [run_reading("c", {"1": ["d9", "new"]})])
    meanwhile, finish = Meanwhile(session.changed), session.undo_beside("undo")
    session.execute(Say.grade(0, session.material.find_document("d1"), 2))
    session.take_written(finish(), "undo", judged=meanwhile.end())
    assert "c" not in [run.name for run in session.material.runs]
    assert [opinion.judgment.grade for _, _, opinion, _ in session.iter_judgments()] == [2]


def test_undo_of_a_judgment_needs_no_reading(session):
    """A step that changes no material is written, and nothing is read anew."""
    session.execute(Say.grade(0, session.material.find_document("d1"), 2))
    done = session.undo_beside("undo")()
    assert done.outcome.entries
    assert done.loaded is None


def test_nothing_to_undo_is_an_answer(session):
    """When there is nothing to redo, that is said, and nothing is read."""
    done = session.undo_beside("redo")()
    assert done.outcome.step is None
    assert done.loaded is None


def test_meanwhile_notes_what_is_judged(session):
    """Pairs judged from then on are collected until the end; other changes spoil them."""
    document = session.material.find_document("d1")
    meanwhile = Meanwhile(session.changed)
    session.execute(Say.grade(0, document, 2))
    assert meanwhile.end() == {(0, document)}
    spoilt = Meanwhile(session.changed)
    session.execute(set_pool(PoolPolicy("depth", 2)))
    assert spoilt.end() is None
