"""Backups outside the project's folder: when, which are kept, what is said."""

import time
from contextlib import closing
from types import SimpleNamespace

import apsw
import hypothesis.strategies as st
import pytest
from hypothesis import given

from judgetool.core.system import data_folder
from judgetool.errors import InputError, ProjectDamagedError, take_notices
from judgetool.session.commands import Say
from judgetool.session.imports.importing import make_sample, sample_path
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project, list_project_backups, restore_backup
from judgetool.storage import backups as kept
from judgetool.storage import safety_log
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.program import call

DAY = 86_400_000


@pytest.fixture
def session(tmp_path):
    opened = make_project(tmp_path, simple_parts())
    yield opened
    opened.close()


def test_closing_after_a_change_leaves_a_backup(session):
    """What was judged is in the newest backup once the project is closed."""
    session.execute(Say.grade(0, session.material.find_document("d1"), 2))
    session.close()
    newest = list_project_backups(str(session.path))[0]
    assert (newest.judgments, newest.kind) == (1, "closing")
    with open_project(newest.path, read_only=True) as backup:
        assert len(backup.iter_judgments()) == 1


def test_a_closed_project_is_one_file_for_any_reader(session):
    """It leaves write-ahead mode, which would want a file beside it, and is whole by itself."""
    session.execute(Say.grade(0, session.material.find_document("d1"), 2))
    session.close()
    header = session.path.read_bytes()[:20]
    assert header.startswith(b"SQLite format 3")
    assert header[18:] == b"\x01\x01"


def test_a_backup_beside_the_work_holds_nobody_up(session):
    """While a backup is made, judgments go on; it has what stood when it began, and is sound."""
    session.execute(Say.grade(0, session.material.find_document("d1"), 1))
    keeper = session._file._keeper
    keeper.start_backup()
    for grade in (0, 1, 2, 3):
        session.execute(Say.grade(1, session.material.find_document("d2"), grade))
    keeper._worker.join()
    newest = list_project_backups(str(session.path))[0]
    assert newest.kind == "changes"
    assert check_project(newest.path).problems == []
    with open_project(newest.path, read_only=True) as backup:
        assert len(backup.iter_judgments()) >= 1


def test_many_changes_without_a_pause_are_backed_up(session, monkeypatch):
    """Where the writer never rests a judgment begins the backup; an import under way does not."""
    keeper, begun = session._file._keeper, []
    monkeypatch.setattr(safety_log, "MANY_CHANGES", 3)
    monkeypatch.setattr(safety_log, "SOON_MS", 0)
    monkeypatch.setattr(keeper, "idle", lambda: None)
    monkeypatch.setattr(keeper, "start_backup", lambda: begun.append(len(begun)))
    for number in range(4):
        insert = f"INSERT INTO meta VALUES('part {number}', '')"
        session.write(lambda connection, insert=insert: connection.execute(insert), is_bulk=True)
    assert begun == []
    session.execute(Say.grade(0, session.material.find_document("d1"), 1))
    assert begun == [0]


def test_closing_a_large_project_does_not_copy_it_again(session):
    """A backup of today and the safety log are enough; nobody waits for another at closing."""
    session.write(
        lambda connection: connection.execute(
            "INSERT INTO meta VALUES('large', hex(zeroblob(35 << 20)))"
        )
    )
    keeper = session._file._keeper
    keeper.start_backup()
    keeper._worker.join()
    session.execute(Say.grade(0, session.material.find_document("d1"), 1))
    session.close()
    assert list_project_backups(str(session.path))[0].kind == "changes"


def test_a_file_that_took_the_projects_place_is_not_backed_up(session):
    """A backup is made of the file that was opened, never of what a sync tool put there."""
    session.execute(Say.grade(0, session.material.find_document("d1"), 1))
    before = list_project_backups(str(session.path))
    content = session.path.read_bytes()
    session.path.rename(session.path.with_name("moved"))
    session.path.write_bytes(content)
    keeper = session._file._keeper
    keeper.start_backup()
    keeper._worker.join()
    session.close()
    assert list_project_backups(str(session.path)) == before


def test_looking_makes_no_backup(session):
    """Opening and closing a project without a change makes no backup."""
    session.close()
    before = list_project_backups(str(session.path))
    open_project(session.path, assessor="anna").close()
    assert list_project_backups(str(session.path)) == before


def test_backups_are_for_their_owner_only(session):
    """Neither the folder nor a file in it can be read by others."""
    session.close()
    for path in (data_folder() / "backups").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_samples_are_not_kept():
    """The bundled sample leaves neither a backup nor a safety log."""
    make_sample(sample_path())
    with open_project(sample_path(), assessor="anna") as session:
        session.execute(Say.grade(0, session.material.find_document("r001"), 2))
    assert not (data_folder() / "backups").exists()
    assert not (data_folder() / "safety").exists()


def test_restoring_never_writes_over_anything(session, tmp_path):
    """A backup is given back under a new name only."""
    session.close()
    content = session.path.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        restore_backup(str(session.path), 1, session.path)
    assert session.path.read_bytes() == content
    restore_backup(str(session.path), 1, tmp_path / "again.judge")
    with open_project(tmp_path / "again.judge") as again:
        assert len(again.material.queries) == 3


def test_an_unsound_backup_is_not_given_back(session, tmp_path):
    """A damaged backup is refused in words, and nothing stands under the new name."""
    session.close()
    path = list_project_backups(str(session.path))[0].path
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * 8192 + content[16384:])
    with pytest.raises(ProjectDamagedError):
        restore_backup(str(session.path), 1, tmp_path / "again.judge")
    assert not (tmp_path / "again.judge").exists()


def test_no_room_is_said_once_and_judging_goes_on(tmp_path, own_home):
    """Where backups cannot be written, judgments are saved and one sentence says so."""
    data_folder().mkdir(parents=True)
    (data_folder() / "backups").write_text("in the way", encoding="utf-8")
    session = make_project(tmp_path, simple_parts())
    session.execute(Say.grade(0, session.material.find_document("d1"), 2))
    session.close()
    (sentence,) = take_notices()
    assert sentence.startswith("Backups cannot be made in")
    assert take_notices() == []
    with open_project(session.path) as again:
        assert len(again.iter_judgments()) == 1


def test_backups_of_copies_are_told_apart(session, tmp_path):
    """A copy has the project's uuid, and its own backups."""
    copy = tmp_path / "copy.judge"
    session.save_copy(copy)
    session.close()
    with open_project(copy, assessor="ben") as other:
        other.execute(Say.grade(0, other.material.find_document("d1"), 1))
    assert {backup.origin for backup in list_project_backups(str(copy))} == {str(copy)}
    assert str(copy) not in {b.origin for b in list_project_backups(str(session.path))}


def made(at, *, kind="closing", n_bytes=1):
    return kept.Backup(kept.backup_root() / str(at), "x.judge", at, kind, n_bytes)


@given(st.lists(st.integers(0, 40 * DAY), unique=True, max_size=60))
def test_the_last_ones_and_one_a_day_are_kept(moments):
    """The last five stay, and of each of fourteen days its last one; none besides."""
    backups = [made(at) for at in sorted(moments, reverse=True)]
    chosen = kept.choose_kept(backups)
    last_of_day = {}
    for backup in backups:
        last_of_day.setdefault(backup.at // DAY, backup)
    expected = {*backups[:5], *list(last_of_day.values())[:14]}
    assert set(chosen) == expected


@given(st.lists(st.integers(1, kept.BUDGET_BYTES), min_size=1, max_size=20))
def test_the_budget_holds_but_for_the_newest(sizes):
    """Kept backups stay within the budget; the newest one is kept whatever its size."""
    backups = [made(DAY * (50 - n), n_bytes=size) for n, size in enumerate(sizes)]
    chosen = kept.choose_kept(backups)
    assert chosen[0] == backups[0]
    assert sum(b.n_bytes for b in chosen) <= max(kept.BUDGET_BYTES, backups[0].n_bytes)


def test_the_one_that_holds_most_is_kept():
    """Where a project was put back to an older state, what it held before stays among the backups."""
    most = kept.Backup(kept.backup_root() / "most", "x.judge", 0, "closing", 1, 90, 900)
    later = [made(DAY * n) for n in range(40, 0, -1)]
    assert most in kept.choose_kept([*later, most])


@pytest.fixture
def clock(monkeypatch):
    """The computer's clock: ``clock.days`` ahead of what it is."""
    found = SimpleNamespace(days=0)
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + found.days * DAY * 1_000_000)
    return found


@pytest.fixture
def judged_daily(session, clock):
    """Judges on that many days in turn, one document more each day; returns the project's path."""
    session.close()

    def judge(n_days):
        for _ in range(n_days):
            with open_project(session.path, assessor="anna") as opened:
                n_said = len(opened.iter_judgments())
                opened.execute(Say.grade(n_said % 2, n_said // 2 % 3 + 1, float(n_said % 2)))
                opened.execute(Say.note(0, 1, f"{clock.days}"))
            clock.days += 1
        return session.path

    return judge


def damage_text(path):
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE query_texts SET text = text || '!' WHERE query_id = 1")


def said_in(path):
    with open_project(path, read_only=True) as session:
        return list(session.iter_judgments())


def sound_backups(path):
    return [
        each.path
        for each in list_project_backups(str(path))
        if not check_project(each.path).problems
    ]


def test_backups_of_a_damaged_project_push_out_no_sound_one(judged_daily):
    """However long a project with a wrong checksum is judged in, what was sound before stays."""
    path = judged_daily(3)
    before = sound_backups(path)
    damage_text(path)
    judged_daily(7)
    assert len(before) >= 3
    assert sound_backups(path) == before


def test_the_newest_backup_of_a_damaged_project_is_there(judged_daily):
    """What was judged in it since is in a backup, too, which is not called sound."""
    path = judged_daily(2)
    damage_text(path)
    judged_daily(3)
    newest = list_project_backups(str(path))[0]
    assert said_in(newest.path) == said_in(path)
    assert newest.is_sound is False


def test_whoever_judges_in_a_damaged_project_is_told(judged_daily):
    """The backup's look at the checksums says what is wrong, at closing at the latest."""
    path = judged_daily(1)
    assert take_notices() == []
    damage_text(path)
    judged_daily(1)
    (sentence,) = take_notices()
    assert sentence.startswith(f"{path.name} is damaged: The text of query 1")


def test_an_unsound_backup_that_is_written_is_not_passed_off(judged_daily, tmp_path):
    """It is given back, as it may hold most, and it is said what it is."""
    path = judged_daily(1)
    damage_text(path)
    judged_daily(1)
    assert "not sound" in restore_backup(str(path), 1, tmp_path / "one.judge").unsound
    assert restore_backup(str(path), 2, tmp_path / "two.judge").unsound == ""
    told = call("backups", path, "--restore", "1", tmp_path / "three.judge")
    assert (told.code, "three.judge is not sound, as the backup is not" in told.err) == (1, True)


def test_backups_that_are_not_kept_leave_the_disk(judged_daily):
    """After 17 days there are 14 files and what is known of each, and nothing of those before."""
    path = judged_daily(17)
    kept_ones = [each.path for each in list_project_backups(str(path))]
    there = [each.stem for each in kept_ones[0].parent.iterdir()]
    assert len(kept_ones) == 14
    assert sorted(there) == sorted(2 * [each.stem for each in kept_ones])


@pytest.mark.parametrize("days", [-2_000, 2_000], ids=["back", "ahead"])
def test_a_clock_that_was_wrong_costs_no_backup(judged_daily, clock, days):
    """Newest is what was made last, whatever the clock says: it stays, and stands first."""
    judged_daily(16)
    for change in (days, -days):
        clock.days += change
        path = judged_daily(16)
        newest = list_project_backups(str(path))[0].path
        assert said_in(newest) == said_in(path)


def test_a_clock_set_back_puts_no_backup_off(judged_daily, clock):
    """Beside the work one is due ten minutes after the first change, not when the clock is there again."""
    clock.days = 1_000
    path = judged_daily(1)
    clock.days = 0
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, 1, 1.0))
        keeper = session._file._keeper
        assert 0 < keeper.wait_seconds() <= safety_log.EVERY_MS / 1000
        clock.days = 1
        assert keeper.wait_seconds() == 0


def test_a_hostile_uuid_stays_below_the_backups(tmp_path):
    """A file whose uuid is a path does not lead out of the folder of backups."""
    assert "/" not in kept.safe_name("../../etc")
    assert kept.safe_name("..") != ".."
    assert kept.safe_name("ab-12") == "ab-12"
