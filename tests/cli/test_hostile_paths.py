"""Paths at which no file can be, and links that lead nowhere."""

import pytest

from tests.helpers.program import call, must

SUFFIX = ".judge"


@pytest.fixture
def loop(tmp_path):
    """A link that leads to itself."""
    path = tmp_path / f"loop{SUFFIX}"
    path.symlink_to(path)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("show",),
        ("judge", "--assessor", "anna"),
        ("export", "--qrels", "-"),
        ("backups",),
        ("new",),
    ],
)
def test_a_link_to_itself_is_a_sentence(loop, words):
    """It is no fault of ours, and it is said what it is."""
    found = call(words[0], loop, *words[1:])
    assert (found.code, "it is a link that leads to itself" in found.err) == (1, True)


def test_a_link_to_itself_is_no_project_to_score_or_merge(loop, empty):
    """Whatever option or place it stands in."""
    assert call("score", "--project", loop).code == 1
    assert call("merge", empty, loop).code == 1


def test_a_link_to_itself_is_neither_recovered_nor_written_to(loop, empty, tmp_path):
    """Where a project was, and where one is to be."""
    assert call("recover", loop, tmp_path / "found.judge").code == 1
    assert call("recover", empty, loop).code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--qrels", "{}"),
        ("--qrels", "{}", "--no-meta"),
        ("--qrels", "{}/below"),
        ("--format", "judgments-csv", "--out", "{}"),
        ("--run", "title-bm25={}"),
    ],
)
def test_nothing_is_exported_to_a_link_to_itself(loop, sample, words):
    """It is said what stands there, of the file and of a folder above it."""
    found = call("export", sample, *(word.format(loop) for word in words))
    assert (found.code, "it is a link that leads to itself" in found.err) == (1, True)


def test_a_link_to_itself_within_a_folder_of_texts_is_refused_alone(empty, tmp_path):
    """The text beside it is read."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("soup")
    (folder / "b.txt").symlink_to(folder / "b.txt")
    found = must("import", empty, "--documents", folder)
    assert "1 document: 1 new" in found.out
    assert "‘b.txt’ is no ordinary file" in found.out


def test_new_does_not_replace_a_link_to_itself(loop):
    """The link stays."""
    call("new", loop)
    assert loop.is_symlink()


@pytest.mark.parametrize(
    "words", [("new",), ("judge", "--assessor", "anna"), ("check",), ("import", "--run", "a.run")]
)
def test_a_name_too_long_is_a_sentence(tmp_path, words):
    """No system has files of such names."""
    found = call(words[0], tmp_path / f"{'a' * 300}{SUFFIX}", *words[1:])
    assert (found.code, "its name is too long" in found.err) == (1, True)


def test_a_report_of_a_name_too_long_is_a_sentence(sample, tmp_path):
    """Nothing is computed first."""
    found = call("report", sample, tmp_path / f"{'a' * 300}.html")
    assert (found.code, "its name is too long" in found.err) == (1, True)


def test_a_name_without_room_for_a_log_beside_it_leaves_nothing(tmp_path):
    """The system takes 255 bytes, but not the longer names that SQLite needs."""
    folder = tmp_path / "here"
    folder.mkdir()
    found = call("new", folder / f"{'a' * (255 - len(SUFFIX))}{SUFFIX}")
    assert (found.code, "its name is too long" in found.err) == (1, True)
    assert not list(folder.iterdir())


def test_new_leaves_a_link_that_leads_nowhere(tmp_path):
    """A stick that is not plugged in is no empty place: the link stays, and where it leads is said."""
    link, target = tmp_path / f"a{SUFFIX}", tmp_path / "stick" / f"a{SUFFIX}"
    link.symlink_to(target)
    found = call("new", link)
    assert (found.code, f"a link to {target}" in found.err) == (1, True)
    assert link.is_symlink()


def test_a_scale_that_is_no_file_is_called_what_it_is(loop, tmp_path):
    """A folder is one, and a link that leads to itself as well: neither is a name of a scale."""
    for named, words in ((tmp_path, "is a folder"), (loop, "it is a link that leads to itself")):
        found = call("new", tmp_path / "a.judge", "--scale", named)
        assert (found.code, words in found.err) == (1, True)
        assert "There is no scale" not in found.err


def test_a_list_of_queries_that_is_none_is_told_in_a_line(sample, tmp_path):
    """Of what it names as much is quoted as a person reads."""
    (tmp_path / "ids").write_bytes(bytes(20_000))
    found = call("score", "--project", sample, "--query-list", tmp_path / "ids")
    assert (found.code, " has no query ‘" in found.err) == (1, True)
    assert len(found.err) < 500


def test_a_link_to_a_project_is_that_project(empty, tmp_path):
    """A link that leads to one is as good as it."""
    link = tmp_path / "link.judge"
    link.symlink_to(empty)
    must("check", link)


@pytest.mark.parametrize("words", [("new", "-"), ("recover", "PROJECT", "-"), ("open", "-")])
def test_a_hyphen_is_no_file(empty, tmp_path, monkeypatch, words):
    """Elsewhere it is standard input: no project is called so by mistake."""
    monkeypatch.chdir(tmp_path)
    found = call(*(empty if word == "PROJECT" else word for word in words))
    assert (found.code, "here a file is needed" in found.err) == (2, True)
    assert not (tmp_path / "-").exists()
