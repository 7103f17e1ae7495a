"""A project that was lost is rebuilt from its newest backup and the safety log."""

import shutil

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

from judgetool.core.judgments import Document, Query
from judgetool.core.system import data_folder
from judgetool.errors import InputError
from judgetool.session.commands import AskOf, Say, WriteAsks, WriteDocument, set_title
from judgetool.session.edits import add_query
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project, count_missing, recover_project
from judgetool.session.team.asking import list_asked_states
from judgetool.session.team.merging import merge_copies
from judgetool.storage.backups import list_all_backups
from judgetool.storage.copies import find_conflicts
from judgetool.storage.safety_log import MANY, log_paths
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.laws import examples
from tests.helpers.program import call, must
from tests.session.test_history import BY_HAND, act, judgments_reading


@pytest.fixture
def path(tmp_path):
    """A project with a backup that has its material, and no judgments yet."""
    session = make_project(tmp_path, simple_parts())
    session.execute(set_title("Soups"))
    session.close()
    return session.path


def doc(session, name):
    return session.material.find_document(name)


def said(path):
    """Judgments by external ids, the title, and what Undo and Redo would do."""
    with open_project(path, assessor="anna", read_only=True) as session:
        material = session.material
        rows = {
            (material.queries[query].id, material.document_id(document), opinion)
            for query, document, opinion, _ in session.iter_judgments()
        }
        steps = [step and step.title for step in (session.undo_step, session.redo_step)]
        return rows, session.value("title"), steps


def lose(session):
    """Lose a project without the backup that closing would make."""
    backups = [backup.path for each in list_all_backups().values() for backup in each]
    content = session.path.parent / "kept"
    session.save_copy(content)
    session.close()
    for each in list_all_backups().values():
        for backup in each:
            if backup.path not in backups:
                backup.path.unlink()
    session.path.unlink()
    return said(content)


def test_what_is_redone_is_rebuilt_with_the_time_it_was_said(path, tmp_path):
    """The safety log knows when a judgment was said, not only when it was brought back."""
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    said_at = session.clock()
    session.undo()
    while session.clock() <= said_at:
        pass
    session.redo()
    expected = lose(session)
    recover_project(str(path), tmp_path / "new.judge")
    assert said(tmp_path / "new.judge") == expected


def test_judgments_after_the_backup_come_from_the_log(path, tmp_path):
    """What was judged since the newest backup is in the rebuilt project, and it is sound."""
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.execute(Say.grade(1, doc(session, "d2"), 3), spent_ms=1200, shown={"rank": 2})
    session.execute(set_title("Stews"))
    session.undo()
    expected = lose(session)
    done = recover_project(str(path), tmp_path / "new.judge")
    assert done.rebuilt.n_judgments == 2
    assert said(tmp_path / "new.judge") == expected
    assert check_project(tmp_path / "new.judge").problems == []


def test_recovering_twice_gives_the_same(path, tmp_path):
    """A rebuilt project has the very events of the lost one, so another recovery adds nothing."""
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.execute(WriteDocument(Document("d1", "Changed", "", "Changed body.")))
    lose(session)
    recover_project(str(path), path.with_name("first.judge"))
    shutil.copy(path.with_name("first.judge"), path)
    done = recover_project(str(path), tmp_path / "second.judge")
    assert (done.rebuilt.n_judgments, done.rebuilt.n_texts) == (0, 0)
    assert said(tmp_path / "second.judge")[0] == said(path)[0]


def test_texts_written_by_hand_come_back(path, tmp_path):
    """A query and a document that were written in the window are in the rebuilt project."""
    session = open_project(path, assessor="anna")
    add_query(session, Query("own", "my own query", "What I want."))
    session.execute(WriteDocument(Document("d1", "Changed", "", "Changed body.")))
    session.execute(Say.grade(3, doc(session, "d1"), 2))
    expected = lose(session)
    recover_project(str(path), tmp_path / "new.judge")
    assert said(tmp_path / "new.judge") == expected
    with open_project(tmp_path / "new.judge") as session:
        assert session.material.queries[3].description == "What I want."
        assert session.material.document(doc(session, "d1")).title == "Changed"


def test_what_was_asked_after_the_backup_is_asked_in_the_rebuilt_project(path, tmp_path):
    """Of whom, too, where nobody of the name was known."""
    session = open_project(path, assessor="anna")
    asks = AskOf(0, doc(session, "d1"), "eve"), AskOf(1, doc(session, "d2"), "eve", is_again=True)
    session.execute(WriteAsks(asks, "Ask eve"))
    expected = sorted(list_asked_states(session))
    lose(session)
    recover_project(str(path), tmp_path / "new.judge")
    assert check_project(tmp_path / "new.judge").problems == []
    with open_project(tmp_path / "new.judge") as session:
        assert sorted(list_asked_states(session)) == expected
        assert [(each.asked, each.again) for each in expected] == [(1, 1)]


def test_a_merge_that_was_undone_after_the_backup_is_undone(path, tmp_path):
    """The log has that it was turned, the backup what it had brought."""
    other = shutil.copy(path, tmp_path / "other.judge")
    with open_project(other, assessor="eve") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 2))
    with open_project(path, assessor="anna") as session:
        merge_copies(session, [tmp_path / "other.judge"])
        session.execute(set_title("Merged"))
    session = open_project(path, assessor="anna")
    session.undo()
    session.undo()
    expected = lose(session)
    assert expected[0] == set()
    recover_project(str(path), tmp_path / "new.judge")
    assert said(tmp_path / "new.judge") == expected


def test_without_any_backup_the_log_gives_judgments_and_scale(path, tmp_path):
    """With only the safety log left, judgments and the project's values are rebuilt."""
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    expected = lose(session)
    shutil.rmtree(data_folder() / "backups")
    done = recover_project(str(path), tmp_path / "new.judge")
    assert done.base.path is None
    assert len(done.rebuilt.imports) == 1
    assert said(tmp_path / "new.judge")[0] == expected[0]


def test_an_import_after_the_backup_is_named(path, tmp_path):
    """An import that came after the newest backup is named, so that its files can be imported."""
    session = open_project(path, assessor="anna")
    import_readings(session, [judgments_reading([("q0", "d1", "ben", 2.0)])])
    session.execute(Say.grade(0, doc(session, "d2"), 1))
    lose(session)
    done = recover_project(str(path), tmp_path / "new.judge")
    assert len(done.rebuilt.imports) == 1
    assert {document for _, document, _ in said(tmp_path / "new.judge")[0]} == {"d2"}


def test_an_import_after_the_backup_that_was_undone_has_nothing_to_take_back(path, tmp_path):
    """Nothing of it is in the rebuilt project, and all else as before it."""
    session = open_project(path, assessor="anna")
    before = said(path)
    import_readings(session, [judgments_reading([("q0", "d1", "ben", 2.0)])])
    session.undo()
    lose(session)
    done = recover_project(str(path), tmp_path / "new.judge")
    assert (done.rebuilt.n_judgments, done.rebuilt.n_lost) == (0, 1)
    assert said(tmp_path / "new.judge")[:2] == before[:2]


def test_very_many_changes_at_once_are_done_again(path, tmp_path):
    """Undoing and redoing a large import is rebuilt, though its lines are only counted."""
    rows = [(f"q{n % 3}", f"x{n}", "ben", 1.0) for n in range(MANY + 1)]
    with open_project(path) as session:
        import_readings(session, [judgments_reading(rows)])
    session = open_project(path, assessor="anna")
    session.undo()
    session.redo()
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.undo()
    session.undo()
    expected = lose(session)
    done = recover_project(str(path), tmp_path / "new.judge")
    assert done.rebuilt.n_judgments == 3 * (MANY + 1) + 2
    assert said(tmp_path / "new.judge") == expected


def test_a_damaged_newest_backup_is_passed_over(path, tmp_path):
    """An unsound backup is named, and the one before it is taken with more of the log."""
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 2))
    expected = said(path)
    newest = max(b.path for each in list_all_backups().values() for b in each)
    content = newest.read_bytes()
    newest.write_bytes(content[:8192] + b"\xff" * 8192 + content[16384:])
    path.unlink()
    done = recover_project(str(path), tmp_path / "new.judge")
    assert done.unusable == (newest,)
    assert said(tmp_path / "new.judge") == expected


def test_a_file_replaced_by_an_older_one_is_brought_forward(path, tmp_path):
    """A sync tool put yesterday's file back: its own lines and those of the log make today's."""
    older = path.read_bytes()
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    expected = lose(session)
    path.write_bytes(older)
    with open_project(path, read_only=True) as again:
        assert count_missing(again).n == 1
    recover_project(str(path), tmp_path / "new.judge")
    assert said(tmp_path / "new.judge") == expected


def test_a_file_moved_while_it_was_open_knows_what_it_lacks(path, tmp_path):
    """What was judged since is in SQLite's log beside the former name, and in the safety log."""
    moved = tmp_path / "moved.judge"
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.save_copy(tmp_path / "kept.judge")
    expected = said(tmp_path / "kept.judge")
    path.rename(moved)
    session.close()
    assert said(moved) != expected
    with open_project(moved, read_only=True) as again:
        assert count_missing(again) == (1, str(path), ())
    found = call("check", moved)
    assert found.code == 1
    assert f"recover {moved} NEW.judge" in found.err
    told = must("recover", moved, tmp_path / "new.judge").out
    assert f"What was judged last in {path}, where nothing stands any more, was taken" in told
    assert said(tmp_path / "new.judge") == expected


def test_copies_do_not_get_each_others_judgments(path, tmp_path):
    """Of two copies with one uuid each is rebuilt with its own judgments."""
    copy = tmp_path / "copy.judge"
    shutil.copy(path, copy)
    sessions = [open_project(each, assessor="anna") for each in (path, copy)]
    for grade, session in enumerate(sessions):
        session.execute(Say.grade(0, doc(session, "d1"), grade))
    expected = [lose(session) for session in sessions if session.path == path]
    sessions[1].close()
    recover_project(str(path), tmp_path / "new.judge")
    assert [said(tmp_path / "new.judge")] == expected


def test_copies_that_went_apart_are_merged_when_asked_for(path, tmp_path):
    """Of two copies, both lost, what was judged in either is there; neither side wins unasked."""
    copy = tmp_path / "copy.judge"
    shutil.copy(path, copy)
    for place, name, document in ((path, "anna", "d1"), (copy, "eve", "d0"), (path, "anna", "d2")):
        with open_project(place, assessor=name) as session:
            session.execute(Say.grade(0, doc(session, document), 2))
    path.unlink()
    copy.unlink()
    new = tmp_path / "new.judge"
    done = recover_project(str(path), new, takes_copies=True)
    with open_project(new, read_only=True) as session:
        ids = session.material.document_ids()
        found = {(each.assessor, ids[d]) for _, d, each, _ in session.iter_judgments()}
    assert {("anna", "d1"), ("eve", "d0"), ("anna", "d2")} <= found
    assert done.merged
    assert check_project(new).problems == []


def test_what_recovering_brings_of_a_copy_is_a_step_of_its_own(path, tmp_path):
    """The step that Undo offers then speaks of recovering, not of a merge that nobody made."""
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d0"), 3))
    put_back(path, older)
    with open_project(path, assessor="ben") as session:
        session.execute(Say.grade(1, doc(session, "d1"), 1))
    recover_project(str(path), tmp_path / "new.judge")
    _rows, _title, steps = said(tmp_path / "new.judge")
    assert steps == ["Recovered judgments", None]


def test_a_torn_last_line_is_told(path, tmp_path):
    """What a power cut tore off is left out and counted."""
    session = open_project(path, assessor="anna")
    for grade in (1, 2):
        session.execute(Say.grade(0, doc(session, "d1"), grade))
    lose(session)
    (log,) = log_paths(session.uuid)
    log.write_bytes(log.read_bytes().rstrip(b"\n")[:-9])
    done = recover_project(str(path), tmp_path / "new.judge")
    assert (done.n_torn, done.rebuilt.n_judgments) == (1, 1)


def test_nothing_is_missing_in_a_whole_project(path):
    """A project that nothing happened to lacks nothing, nor does a copy of it elsewhere."""
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 2))
        assert count_missing(session).n == 0
    shutil.copy(path, path.with_name("copy.judge"))
    with open_project(path.with_name("copy.judge")) as copy:
        assert count_missing(copy).n == 0


def test_nothing_is_written_over(path):
    """A target that exists is refused, and so is a project of which nothing is known."""
    content = path.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        recover_project(str(path), path)
    with pytest.raises(InputError, match="Nothing is known"):
        recover_project(str(path.with_name("never.judge")), path.with_name("new.judge"))
    assert path.read_bytes() == content


@given(st.lists(BY_HAND, max_size=12))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_session_is_rebuilt_as_it_was(tmp_path_factory, actions):
    """After any steps, the project that is lost and rebuilt says and can undo the same."""
    folder = tmp_path_factory.mktemp("p")
    with make_project(folder, simple_parts()) as session:
        session.execute(set_title("Soups"))
    session = open_project(folder / "small.judge", assessor="anna")
    for action in actions:
        act(session, action)
    expected = lose(session)
    recover_project(str(session.path), folder / "new.judge")
    assert said(folder / "new.judge") == expected
    assert check_project(folder / "new.judge").problems == []


def test_a_copy_that_was_closed_and_deleted_is_not_missed(path, tmp_path):
    """What was judged for practice in a copy that is gone: the project itself lacks nothing."""
    copy = tmp_path / "practice.judge"
    shutil.copyfile(path, copy)
    with open_project(copy, assessor="anna") as session:
        session.execute(Say.grade(0, session.material.find_document("d1"), 2.0))
    copy.unlink()
    with open_project(path, read_only=True) as session:
        assert count_missing(session) == (0, "", ())
    assert must("check", path).code == 0


def put_back(path, older):
    """Have an older file stand at a project's path, as a program that keeps folders in step may."""
    path.write_bytes(older)


def missing(path):
    with open_project(path, read_only=True) as session:
        return count_missing(session)


def test_what_an_older_file_lacks_is_offered_whatever_is_judged_since(path, tmp_path):
    """One more grade does not hide what only the safety log has; recovering brings both."""
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        for document in ("d0", "d1", "d2"):
            session.execute(Say.grade(0, doc(session, document), 3))
    put_back(path, older)
    with open_project(path, assessor="ben") as session:
        session.execute(Say.grade(1, doc(session, "d1"), 1))
    assert missing(path).n == 3
    assert "has 3 changes of judgments that it lacks" in call("check", path).err
    new = tmp_path / "new.judge"
    assert recover_project(str(path), new).rebuilt.n_judgments == 3
    rows, _title, _steps = said(new)
    assert {(row[1], row[2].assessor) for row in rows} == {
        ("d0", "anna"),
        ("d1", "anna"),
        ("d2", "anna"),
        ("d1", "ben"),
    }
    shutil.copy(new, path)
    assert missing(path) == (0, "", ())
    assert must("check", path).out.endswith("is sound.\n")


def test_who_gives_the_recovered_file_its_old_name_is_not_told_of_the_new_one(path, tmp_path):
    """All that was judged under the other name is here; what is only in a copy is still named."""
    older, new = path.read_bytes(), tmp_path / "new.judge"
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 3))
    put_back(path, older)
    recover_project(str(path), new)
    with open_project(new, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d2"), 2))
    new.rename(path)
    told = must("recover", path, tmp_path / "third.judge")
    assert "is complete as far as is known" in told.out
    assert "new.judge" not in told.out
    put_back(path, older)
    assert f"recover {new} NEW.judge" in call("recover", path, tmp_path / "fourth.judge").out


def test_an_older_grade_that_is_recovered_overrules_no_later_one(path, tmp_path):
    """Of one document judged on both sides the later grade counts, and that they differ is told."""
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 3))
        session.execute(set_title("Before"))
    put_back(path, older)
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 1))
        session.execute(set_title("Since"))
        expected = said(path)
    new = tmp_path / "new.judge"
    recover_project(str(path), new)
    assert said(new)[:2] == expected[:2]
    with open_project(new, read_only=True) as session, session.second_reader() as reader:
        assert len(find_conflicts(reader)) == 1


def test_commands_that_judge_say_what_the_file_lacks(path, tmp_path):
    """`judge` and `import` say it each time, and do what they were asked all the same."""
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 3))
    put_back(path, older)
    said = f"has 1 change of judgments that {path.name} lacks: an older file was put"
    for _ in range(2):
        told = must("judge", path, "--assessor", "ben", stdin=b"q0\td1\t1\n")
        assert said in told.err
        assert told.out == "ACK 1\n"
    grades = tmp_path / "grades.csv"
    grades.write_text("query,document,grade\nq1,d1,2\n", encoding="utf-8")
    assert said in must("import", path, "--qrels", grades).err
    must("recover", path, tmp_path / "new.judge")
    told = must("judge", tmp_path / "new.judge", "--assessor", "ben", stdin=b"q0\td1\t1\n")
    assert "lacks" not in told.err


def test_every_command_that_changes_says_what_the_file_lacks(path, tmp_path):
    """`merge`, `ask` and what else writes; what only looks is silent."""
    older, copy = path.read_bytes(), tmp_path / "copy.judge"
    copy.write_bytes(older)
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 3))
    put_back(path, older)
    said = f"has 1 change of judgments that {path.name} lacks: an older file was put"
    for command in (
        ("merge", path, copy, "--dry-run"),
        ("merge", path, copy),
        ("ask", path, "--to", "anna"),
        ("project", path, "--counts", "anna=no"),
        ("runs", path, "--rename", "r", "s"),
    ):
        assert said in call(*command).err, command
    for command in (("project", path), ("runs", path), ("show", path, "--judgments")):
        assert said not in must(*command).err, command


def test_who_went_back_on_purpose_is_told_no_more(path, tmp_path):
    """`check --leave-out` ends it: recovering goes without, and `--copies` takes it as well."""
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 3))
    put_back(path, older)
    with open_project(path, assessor="ben") as session:
        session.execute(Say.grade(0, doc(session, "d2"), 2))
    expected = said(path)[0]
    assert must("check", path, "--leave-out").out.endswith("is sound.\n")
    assert missing(path) == (0, "", ())
    assert must("check", path).out.endswith("is sound.\n")
    path.unlink()
    told = must("recover", path, tmp_path / "new.judge")
    assert "Left out was 1 change of judgments" in told.out
    assert said(tmp_path / "new.judge")[0] == expected
    must("recover", path, tmp_path / "all.judge", "--copies")
    assert len(said(tmp_path / "all.judge")[0]) == 2


def test_very_many_changes_that_were_turned_are_not_missed_after_recovering(path, tmp_path):
    """An undo of a large import, only counted in the log, is done again under other names."""
    rows = [(f"q{n % 3}", f"x{n}", "ben", 1.0) for n in range(MANY + 1)]
    with open_project(path, assessor="anna") as session:
        import_readings(session, [judgments_reading(rows)])
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        session.undo()
    put_back(path, older)
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d1"), 2))
    assert missing(path).n == MANY + 1
    new = tmp_path / "new.judge"
    recover_project(str(path), new)
    assert len(said(new)[0]) == 1
    shutil.copy(new, path)
    assert missing(path).n == 0


def test_a_moved_file_lacks_what_it_lacks_also_when_it_was_judged_since(path, tmp_path):
    """What was judged while it was moved is named until it is brought back."""
    moved = tmp_path / "moved.judge"
    session = open_project(path, assessor="anna")
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    path.rename(moved)
    session.close()
    with open_project(moved, assessor="anna") as session:
        session.execute(Say.grade(0, doc(session, "d2"), 2))
    assert missing(moved) == (1, str(path), ())


ON_BOTH_SIDES = st.lists(BY_HAND, max_size=6)


@given(ON_BOTH_SIDES, ON_BOTH_SIDES, ON_BOTH_SIDES)
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_sides_of_any_fork_are_recovered_as_a_merge_would(
    tmp_path_factory, before, replaced, since
):
    """Whatever was done in a file and in the older one put in its place, nothing is lost."""
    folder = tmp_path_factory.mktemp("p")
    with make_project(folder, simple_parts()) as session:
        path = session.path

    def go_on(actions):
        with open_project(path, assessor="anna") as session:
            for action in actions:
                act(session, action)
        return path.read_bytes()

    older = go_on(before)
    newer = go_on(replaced)
    put_back(path, older)
    merged, new, other = (folder / f"{name}.judge" for name in ("merged", "new", "other"))
    merged.write_bytes(go_on(since))
    other.write_bytes(newer)
    with open_project(merged) as session:
        merge_copies(session, [other])
    recover_project(str(path), new)
    assert said(new)[:2] == said(merged)[:2]
    assert check_project(new).problems == []
    shutil.copy(new, path)
    assert missing(path).n == 0


def test_imports_on_both_sides_are_recovered(path, tmp_path):
    """What the log only names of an import comes from the file itself and from its backup."""
    older = path.read_bytes()
    with open_project(path, assessor="anna") as session:
        rows = [("q0", f"x{n}", "imported", 1.0) for n in range(4)]
        import_readings(session, [judgments_reading(rows)])
        session.execute(Say.grade(0, doc(session, "d1"), 3))
    put_back(path, older)
    with open_project(path, assessor="ben") as session:
        rows = [("q1", f"y{n}", "other", 2.0) for n in range(3)]
        import_readings(session, [judgments_reading(rows)])
        session.execute(Say.grade(0, doc(session, "d2"), 1))
    new = tmp_path / "new.judge"
    done = recover_project(str(path), new)
    assert (done.is_complete, done.rebuilt.imports) == (True, {})
    assert len(said(new)[0]) == 4 + 1 + 3 + 1
    assert check_project(new).problems == []


def grade(path, *documents):
    must(
        "judge", path, "--assessor", "anna", stdin="".join(f"q0\t{each}\t1\n" for each in documents)
    )


def graded(path):
    return {row[1] for row in must("show", path, "--judgments").rows[1:]}


def test_what_was_judged_in_a_copy_that_was_put_back_is_the_file_s_own(path, tmp_path):
    """Judged on another disk and copied back over the file: recovering has it, and says all."""
    old, other, new = tmp_path / "old", tmp_path / "other.judge", tmp_path / "new.judge"
    grade(path, "d0", "d1")
    shutil.copy(path, old)
    shutil.copy(path, other)
    grade(other, "d2", "d3")
    shutil.copy(other, path)
    grade(path, "d4")
    shutil.copy(other, tmp_path / "third.judge")
    grade(tmp_path / "third.judge", "d5")
    shutil.copy(old, path)
    assert missing(path).n == 3
    told = must("recover", path, new).out
    assert "are missing" not in told
    assert graded(new) == {"d0", "d1", "d2", "d3", "d4"}


def test_what_was_imported_in_a_copy_that_was_put_back_is_missed(path, tmp_path):
    """The log has of an import how many changes it made and that it was shown; both were told there."""
    older, other = path.read_bytes(), tmp_path / "other.judge"
    shutil.copy(path, other)
    with open_project(other, assessor="anna") as session:
        rows = [("q0", f"x{n}", "imported", 1.0) for n in range(4)]
        import_readings(session, [judgments_reading(rows)])
    shutil.copy(other, path)
    grade(path, "d4")
    put_back(path, older)
    assert missing(path).n == 5
    must("recover", path, tmp_path / "new.judge")
    assert len(graded(tmp_path / "new.judge")) == 5


def test_a_file_that_was_recovered_without_some_lacks_them(path, tmp_path):
    """Where a later judgment is there and an earlier one is not, that is still named."""
    older = path.read_bytes()
    grade(path, "d0", "d1", "d2")
    put_back(path, older)
    with open_project(path, assessor="anna") as session:
        (log,) = log_paths(session.uuid)
    whole = log.read_bytes()
    lines = whole.splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if b'"document":"d0"' in line)
    log.write_bytes(b"".join(lines[:first] + lines[first + 1 :]))
    shutil.rmtree(data_folder() / "backups")
    told = call("recover", path, tmp_path / "new.judge")
    assert told.code == 1
    assert f"new.judge has 2 changes of judgments that {path.name} lacks." in told.out
    log.write_bytes(whole)
    shutil.copy(tmp_path / "new.judge", path)
    assert graded(path) == {"d1", "d2"}
    assert missing(path).n == 1


def test_what_a_recovery_brought_is_counted_once(path, tmp_path):
    """By the lines of where it was judged, and by the step that merged it: each change is one."""
    other, new, copy = tmp_path / "x" / path.name, tmp_path / "new.judge", tmp_path / "copy.judge"
    other.parent.mkdir()
    grade(path, "d0")
    older = path.read_bytes()
    grade(path, "d1", "d2", "d3")
    other.write_bytes(older)
    grade(other, "d4", "d5")
    shutil.copy(other, path)
    must("recover", path, new)
    new.replace(path)
    grade(path, "d6")
    shutil.copy(path, copy)
    grade(copy, "d7", "d8")
    must("merge", path, copy)
    put_back(path, older)
    assert missing(path).n == 8
    assert (
        f"has all 8 changes of judgments that {path.name} lacks." in must("recover", path, new).out
    )
    assert len(graded(new)) == 9


def test_a_file_that_was_renamed_lacks_also_what_was_judged_before(path, tmp_path):
    """What was judged under both names is missing in the older file, and comes back at once."""
    renamed = tmp_path / "renamed.judge"
    older = path.read_bytes()
    grade(path, "d0", "d1")
    path.rename(renamed)
    grade(renamed, "d2")
    put_back(renamed, older)
    assert missing(renamed) == (3, "", ())
    assert f"recover {renamed} NEW.judge" in call("check", renamed).err
    must("recover", renamed, tmp_path / "new.judge")
    assert graded(tmp_path / "new.judge") == {"d0", "d1", "d2"}


def test_judgments_that_differ_on_both_sides_are_told(path, tmp_path):
    """Judged otherwise before and since: that it is so, and what finds it."""
    older = path.read_bytes()
    grade(path, "d0", "d1")
    put_back(path, older)
    must("judge", path, "--assessor", "anna", stdin="q0\td0\t2\nq0\td1\t1\n")
    told = must("recover", path, tmp_path / "new.judge").out
    assert "1 judgment differs between what was in the file and what was recovered" in told
    assert "is:conflict" in told


def test_a_copy_in_which_nobody_judged_is_not_asked_for(path, tmp_path):
    """All that was merged in it was judged elsewhere: nobody is sent to look where it stood."""
    copy, merged = tmp_path / "copy.judge", tmp_path / "merged.judge"
    shutil.copy(path, copy)
    grade(path, "d0")
    grade(copy, "d1")
    must("recover", path, merged, "--copies")
    merged.unlink()
    told = must("recover", path, tmp_path / "new.judge").out
    assert f"other copies: {copy}. --copies" in told
    assert "nothing stands at" not in told
    assert "is complete as far as is known" in told


PLACES = st.integers(0, 2)
COPYING = st.tuples(
    st.sampled_from(("judge", "judge", "copy", "keep", "put_back", "put_back", "merge", "recover")),
    PLACES,
    PLACES,
)


class Files:
    """Copies of a project, and what is known of each: what it held while it was judged, and at merges."""

    def __init__(self, path):
        self.paths = [path, path.with_name("b.judge"), path.with_name("c.judge")]
        for each in self.paths[1:]:
            shutil.copy(path, each)
        self.kept = [path.read_bytes()]
        self.held, self.backed_up = ([set() for _ in self.paths] for _ in range(2))

    def judge(self, at, number, _other):
        grade(self.paths[number], f"d{at}")
        self.held[number] |= graded(self.paths[number])

    def copy(self, _at, number, other):
        if number != other:
            shutil.copy(self.paths[number], self.paths[other])

    def keep(self, _at, number, _other):
        self.kept.append(self.paths[number].read_bytes())

    def put_back(self, _at, number, other):
        self.paths[number].write_bytes(self.kept[-1 - other % len(self.kept)])

    def merge(self, _at, number, other):
        path, before = self.paths[number], graded(self.paths[number])
        if number != other:
            must("merge", path, self.paths[other])
            self.backed_up[number] |= graded(path)
            self.held[number] |= graded(path) if graded(path) != before else set()

    def recover(self, at, number, _other):
        path, held, new = (
            self.paths[number],
            self.held[number],
            self.paths[0].with_name(f"{at}.judge"),
        )
        lacking, counted = held - graded(path), missing(path)
        assert counted.n <= len(lacking)
        assert counted.n == len(lacking) or counted.left_out
        told = call("recover", path, new)
        assert graded(new) <= held | self.backed_up[number] | graded(path)
        if told.code == 0 or " has all " in told.out:
            assert held <= graded(new)
        new.replace(path)


COPIED_BACK = [("copy", 0, 1), ("judge", 1, 0), ("copy", 1, 0)]


@given(st.lists(COPYING, min_size=8, max_size=24))
@example([("judge", 0, 0), ("keep", 0, 0), *COPIED_BACK, ("judge", 0, 0), ("put_back", 0, 0)])
@example(
    [
        *[("judge", 0, 0), ("keep", 0, 0), ("judge", 0, 0), ("put_back", 0, 0)],
        *[*COPIED_BACK, ("recover", 0, 0), ("judge", 0, 0), ("put_back", 0, 0)],
    ]
)
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_called_complete_while_something_of_a_file_is_missing(tmp_path_factory, acts):
    """However files are copied over each other, what was in one while it was judged comes back, or is named."""
    with make_project(tmp_path_factory.mktemp("p"), simple_parts()) as session:
        files = Files(session.path)
    for at, (name, number, other) in enumerate(acts):
        getattr(files, name)(at, number, other)
    for number in range(len(files.paths)):
        files.recover(f"last{number}", number, 0)
