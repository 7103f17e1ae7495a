"""`judgetool backups` and `judgetool recover`."""

import os
import shutil
import subprocess
import sys
from contextlib import closing

import apsw
import pytest

from judgetool.core.system import data_folder
from tests.helpers.program import call, must


@pytest.fixture
def judged(empty):
    """A project with two judgments."""
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t1\n1\td2\t3\n")
    return empty


def judgments(project):
    return must("show", project, "--judgments").out


def test_backups_are_listed_newest_first(judged):
    """The list has a number, when and why each was made, and what it holds."""
    head, newest, *_ = must("backups", judged).rows
    assert head[:4] == ["number", "made (UTC)", "when", "judgments"]
    assert (newest[0], newest[2], newest[3]) == ("1", "at closing", "2")


def test_a_backup_is_given_back_under_a_new_name(judged, tmp_path):
    """The restored file says the same, and the project is as it was."""
    before = judged.read_bytes()
    out = tmp_path / "back.judge"
    told = must("backups", judged, "--restore", "1", out)
    assert str(out) in told.out
    assert judgments(out) == judgments(judged)
    assert judged.read_bytes() == before


def test_what_a_restored_backup_lacks_is_said(judged, tmp_path):
    """In place of a lost file, where the safety log has more; `recover` is named, and brings it."""
    must("backups", judged, "--restore", "1", tmp_path / "back.judge")
    for document in ("d3", "d4", "d5"):
        must("judge", judged, "--assessor", "anna", stdin=f"1\t{document}\t2\n")
    expected = judgments(judged)
    judged.unlink()
    told = must("backups", judged, "--restore", "1", judged)
    assert told.out.rstrip().endswith(f"to {judged}.")
    assert "It lacks 3 changes of judgments that the safety log has" in told.err
    assert f"judgetool recover {judged} NEW.judge" in told.err
    must("recover", judged, tmp_path / "new.judge")
    assert judgments(tmp_path / "new.judge") == expected
    told = must("backups", judged, "--restore", "1", tmp_path / "more.judge")
    assert "lacks" not in told.err


def test_a_number_that_is_not_there_is_refused(judged, tmp_path):
    """The sentence says which there are."""
    found = call("backups", judged, "--restore", "99", tmp_path / "back.judge")
    assert found.code == 1
    assert "There is no backup 99" in found.err


def test_what_is_recovered_is_told_as_what_was_lacking_is(empty, tmp_path):
    """Of an older file: `recover` counts what `check` counts, wherever it took it from."""
    older = empty.read_bytes()
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t1\n1\td2\t3\n")
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t2\n1\td3\t0\n")
    empty.write_bytes(older)
    assert "has 4 changes of judgments that it lacks" in call("check", empty).err
    told = must("recover", empty, tmp_path / "new.judge")
    assert "From the safety log: 2 changes of judgments" in told.out
    assert f"new.judge has all 4 changes of judgments that {empty.name} lacks." in told.out
    empty.unlink()
    told = must("recover", empty, tmp_path / "again.judge")
    assert "again.judge has 3 judgments." in told.out


def test_a_lost_project_is_rebuilt(judged, tmp_path):
    """The path of the lost file is enough, and the result is sound."""
    expected = judgments(judged)
    judged.unlink()
    out = tmp_path / "new.judge"
    told = must("recover", judged, out)
    assert "Began from the backup of" in told.out
    assert judgments(out) == expected
    assert must("check", out).out.endswith("is sound.\n")


def test_the_uuid_is_enough(judged, tmp_path):
    """The name of the folder among the backups stands for the project."""
    folder = must("backups", judged).rows[1][-1].split("/")[-2]
    judged.unlink()
    must("recover", folder, tmp_path / "new.judge")
    assert (tmp_path / "new.judge").exists()


def test_an_unknown_project_is_named(tmp_path):
    """Of a file that never was nothing is known, and nothing is written."""
    found = call("recover", tmp_path / "none.judge", tmp_path / "new.judge")
    assert found.code == 1
    assert "Nothing is known of" in found.err
    assert list(tmp_path.glob("*.judge")) == []


def test_commands_say_what_cannot_be_kept(empty):
    """A command that judges says, too, that backups and safety log cannot be written."""
    shutil.rmtree(data_folder(), ignore_errors=True)
    data_folder().write_text("in the way")
    judged = call("judge", empty, "--assessor", "me", stdin="1\td1\t2\n")
    assert (judged.code, judged.out) == (0, "ACK 1\n")
    assert "Backups cannot be made" in judged.err
    assert "The safety log cannot be written" in judged.err


@pytest.mark.parametrize("words", [("recover",), ("backups", "--restore", "1")])
def test_a_folder_that_cannot_be_written_is_named(judged, tmp_path, monkeypatch, words):
    """A disk that is read-only is no fault of judgetool, nor is a folder that is not there."""
    command, *options = words
    absent = tmp_path / "absent" / "new.judge"
    told = call(command, judged, *options, absent)
    assert (told.code, told.err.splitlines()[-1]) == (
        1,
        f"There is no folder {absent.parent}. Make it, or choose another place.",
    )
    locked = tmp_path / "locked"
    locked.mkdir()
    # Root may write anywhere but on such a disk.
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, *mode: path != locked and may(path, *mode))
    told = call(command, judged, *options, locked / "new.judge")
    assert (told.code, told.err.splitlines()[-1]) == (
        1,
        f"The folder {locked} cannot be written. Choose another place.",
    )
    assert not list(locked.iterdir())


def test_a_project_that_another_one_overwrote_is_named(judged, tmp_path):
    """What was put at its path is not it: its own name among the backups rebuilds it."""
    expected = judgments(judged)
    stranger = tmp_path / "stranger.judge"
    must("new", stranger)
    shutil.copyfile(stranger, judged)
    told = call("recover", judged, tmp_path / "new.judge")
    assert told.code == 1
    assert "not complete" in told.err
    named = next(line for line in told.out.splitlines() if line.startswith("Another project"))
    uuid = named.partition(f"‘judgetool recover {judged} NEW.judge --id ")[2].split("’")[0]
    out = tmp_path / "own.judge"
    must("recover", judged, out, "--id", uuid)
    assert judgments(out) == expected


def test_backups_of_a_project_that_was_overwritten_are_named(judged, tmp_path):
    """No empty table: that there is no backup of what stands there now, and of what stood there."""
    folder = must("backups", judged).rows[1][-1].split("/")[-2]
    stranger = tmp_path / "stranger.judge"
    must("new", stranger)
    shutil.copyfile(stranger, judged)
    for made in (data_folder() / "backups").iterdir():
        if made.name != folder:
            # As if it had been made on another machine.
            shutil.rmtree(made)
    told = must("backups", judged)
    assert told.out == ""
    assert f"There is no backup of {judged} on this machine." in told.err
    assert f"Another project has stood at {judged}. It has " in told.err
    assert must("backups", folder).rows[1][-1].split("/")[-2] == folder
    assert f"‘judgetool backups {judged} --id {folder}’ lists." in told.err
    listed = must("backups", judged, "--id", folder).rows
    assert [row[-1].split("/")[-2] for row in listed[1:]] == [folder] * (len(listed) - 1)


def test_what_was_judged_where_a_project_was_moved_from_is_recovered(judged, tmp_path):
    """Its last judgments are in the log of its former place: they are taken, and that is said."""
    moved = tmp_path / "moved.judge"
    shutil.copyfile(judged, moved)
    must("judge", judged, "--assessor", "anna", stdin="1\td9\t3\n")
    judged.unlink()
    must("judge", moved, "--assessor", "anna", stdin="1\td8\t1\n")
    found = must("recover", moved, tmp_path / "r.judge").out
    assert f"What was judged last in {judged}, where nothing stands any more, was taken" in found
    assert {"d8", "d9"} <= set(judgments(tmp_path / "r.judge").split())


@pytest.fixture
def copied(judged, tmp_path):
    """Copied and judged in further: in the copy otherwise. Returns both, and the name of the two."""
    folder = must("backups", judged).rows[1][-1].split("/")[-2]
    copy = tmp_path / "copy.judge"
    shutil.copyfile(judged, copy)
    must("judge", judged, "--assessor", "anna", stdin="1\td9\t3\n")
    must("judge", copy, "--assessor", "anna", stdin="1\td1\t0\n1\td8\t0\n")
    return judged, copy, folder


def test_copies_are_never_mixed(copied, tmp_path):
    """The name that they share is not enough: each is named, with what is in it and since when."""
    judged, copy, folder = copied
    expected = judgments(judged)
    judged.write_bytes(b"")
    out = tmp_path / "new.judge"
    told = call("recover", folder, out)
    assert told.code == 1
    assert f"{judged} (3 judgments, last changed 2" in told.err
    assert f"{copy} (3 judgments, last changed 2" in told.err
    assert not out.exists()
    must("recover", judged, out, "--id", folder)
    assert judgments(out) == expected


def test_copies_are_merged_where_all_are_wanted(copied, tmp_path):
    """With --copies their common name is enough."""
    _judged, _copy, folder = copied
    out = tmp_path / "new.judge"
    must("recover", folder, out, "--copies")
    assert {"d8", "d9"} <= set(judgments(out).split())


def test_several_projects_of_one_path_are_told_apart(judged, tmp_path):
    """Each with how much was judged in it, and --id takes one of them."""
    expected = judgments(judged)
    folder = must("backups", judged).rows[1][-1].split("/")[-2]
    judged.unlink()
    must("new", judged, "--scale", "0-3")
    must(
        "judge",
        judged,
        "--assessor",
        "ben",
        stdin="1\td1\t2\n",
    )
    judged.unlink()
    out = tmp_path / "new.judge"
    told = call("recover", judged, out)
    assert told.code == 1
    assert f"{folder} (2 judgments, last changed 2" in told.err
    must("recover", judged, out, "--id", folder)
    assert judgments(out) == expected


def test_of_several_projects_of_one_path_each_is_named_with_its_backups(judged):
    """The commands that `check` names for a deleted file are the ones that rebuild them."""
    first = must("backups", judged).rows[1][-1].split("/")[-2]
    expected = judgments(judged)
    judged.unlink()
    must("new", judged)
    second = must("backups", judged).rows[1][-1].split("/")[-2]
    judged.unlink()
    told = call("check", judged).err
    assert "Several projects have stood there, each with its --id." in told
    assert f"‘judgetool recover {judged} {judged} --id {second}’" in told
    assert f"‘judgetool recover {judged} {judged} --id {first}’" in told
    must("recover", judged, judged, "--id", first)
    assert judgments(judged) == expected


def test_an_id_that_never_stood_there_is_refused(judged, tmp_path):
    """Nothing is written then."""
    told = call("recover", judged, tmp_path / "new.judge", "--id", "nobody")
    assert told.code == 1
    assert "No backup or safety log is known of a project nobody" in told.err


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("words", [("recover",), ("backups",)])
def test_a_database_of_another_program_is_called_that(tmp_path, words, version):
    """As by `check`: nobody is sent to update judgetool, and nothing is rebuilt from it."""
    path, out = tmp_path / "other.db", tmp_path / "new.judge"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE t(a)")
        connection.pragma("user_version", version)
    found = call(*words, path, *([out] if words[0] == "recover" else []))
    assert found.code == 1
    assert "is a SQLite file of another program, not a judgetool project" in found.err
    assert not out.exists()


def test_of_many_copies_few_are_named(judged, tmp_path):
    """Three paths and the number of the others, not a line of them all."""
    for number in range(6):
        copy = tmp_path / f"copy{number}.judge"
        shutil.copy(judged, copy)
        must("judge", copy, "--assessor", "ben", stdin="1\td1\t2\n")
    told = must("recover", judged, tmp_path / "new.judge").out
    (line,) = [line for line in told.splitlines() if "other copies" in line]
    assert "copy2.judge and 3 others. --copies takes them" in line
    assert "copy3" not in line


def run_without_rights(*words, stdin=""):
    """Run a command as who may not enter what others have closed, though this may be root."""
    bound = ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    prefix = [] if os.geteuid() else ["setpriv", *bound, "--"]
    program = [*prefix, sys.executable, "-m", "judgetool", *map(str, words)]
    return subprocess.run(program, input=stdin, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name == "nt" or not shutil.which("setpriv"), reason="needs setpriv")
@pytest.mark.parametrize("name", ["", "backups"])
def test_a_data_folder_that_may_not_be_entered_stops_nobody(judged, tmp_path, name):
    """As one made by `sudo judgetool`: judging goes on and says so; recovering names the folder."""
    must("import", judged, "--qrels", write_grades(tmp_path))
    shut = data_folder() / name
    shut.chmod(0)
    try:
        told = run_without_rights("judge", judged, "--assessor", "ben", stdin="1\td1\t2\n")
        assert (told.returncode, told.stdout) == (0, "ACK 1\n")
        assert "Backups cannot be made in" in told.stderr
        assert run_without_rights("new", tmp_path / "new.judge").returncode == 0
        assert run_without_rights("check", judged).returncode == 0
        for words in (["backups", judged], ["recover", judged, tmp_path / "ok.judge"]):
            told = run_without_rights(*words)
            assert told.returncode == 1
            assert "cannot be read (you have no right to it)" in told.stderr
        assert not (tmp_path / "ok.judge").exists()
    finally:
        shut.chmod(0o700)


def write_grades(folder):
    path = folder / "grades.csv"
    path.write_text("query,document,grade\n1,d1,1\n", encoding="utf-8")
    return path
