"""Files that are joined, packed or named in ways that would let something go unsaid."""

import zipfile

import pytest

from tests.helpers.program import call, must

MARK = "\ufeff"


@pytest.mark.parametrize("other", ["same.txt", "./same.txt", "link.txt"])
def test_two_exports_to_one_file_are_refused(sample, tmp_path, monkeypatch, other):
    """Only the last would be there: nothing is written, whatever spelling the path has."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.txt").symlink_to("same.txt")
    found = call("export", sample, "--qrels", "same.txt", "--judgments", other)
    assert (found.code, "Two things would be written" in found.err) == (2, True)
    assert not (tmp_path / "same.txt").exists()


def test_two_runs_to_one_file_are_refused(sample, tmp_path):
    """Each run needs a file of its own."""
    out = tmp_path / "o.run"
    found = call("export", sample, "--run", f"chargrams={out}", f"title-bm25={out}")
    assert (found.code, out.exists()) == (2, False)


def test_a_side_file_is_a_file_of_its_own(sample, tmp_path):
    """What stands beside the judgments is not written over by what comes next."""
    out, side = tmp_path / "j.csv", tmp_path / "j.csv.meta.json"
    assert call("export", sample, "--judgments", out, "--qrels", side).code == 2
    assert not out.exists()


def test_two_exports_may_go_to_a_device(sample):
    """Where nothing is kept, nothing is written over."""
    must("export", sample, "--qrels", "/dev/null", "--judgments", "/dev/null")


def test_a_mark_inside_a_file_makes_no_other_query(empty, tmp_path):
    """Files that were joined have it at a line's start: it is taken off, and that is said."""
    path = tmp_path / "q.txt"
    path.write_text(f"q1 0 d1 1\n{MARK}q2 0 d2 0\n", encoding="utf-8")
    found = must("import", empty, "--qrels", path)
    assert "begins with a byte order mark, which is left out (line 2)" in found.out
    assert MARK not in must("show", empty, "--judgments").out


def test_a_mark_inside_a_file_makes_no_other_query_for_score(tmp_path):
    """Judgments and run are of the same queries, and the notice is the import's."""
    qrels, run = tmp_path / "q.txt", tmp_path / "a.run"
    qrels.write_text(f"q1 0 d1 1\n{MARK}q2 0 d2 1\n", encoding="utf-8")
    run.write_text(f"q1 Q0 d1 1 9 t\n{MARK}q2 Q0 d2 1 9 t\n", encoding="utf-8")
    found = must("score", qrels, run, "-m", "AP", "-q")
    assert found.out == "AP\tq1\t1.0000\nAP\tq2\t1.0000\nAP\tall\t1.0000\n"
    assert found.err.count("byte order mark") == 2


def test_marks_at_the_start_of_json_lines_are_taken_off(empty, tmp_path):
    """Each file that was joined began with one."""
    path = tmp_path / "q.jsonl"
    lines = [f'{MARK}{{"id": "{each}", "text": "soup {each}"}}' for each in ("q1", "q2")]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert "(line 2)" in must("import", empty, "--queries", path).out


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x.txt", "its name may lead out of it"),
        ("/abs.txt", "its name may lead out of it"),
        ("sub/../a.txt", "its name may lead out of it"),
        ("c:\\x\\b.txt", "its name may lead out of it"),
        (".x.txt", "it is hidden"),
        ("a\nb.txt", "its name is no plain text"),
    ],
)
def test_what_is_left_out_of_a_zip_file_is_named(empty, tmp_path, name, why):
    """Nothing of it goes missing in silence."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("ok.txt", "q1 0 d1 1\n")
        package.writestr(name, "q2 0 d1 1\n")
    shown = name.replace("\n", "\\n")
    assert (
        f"‘{shown}’ in the zip file is left out: {why}."
        in must("import", empty, "--qrels", path).out
    )


def test_what_is_left_out_of_a_zip_file_of_several_is_said_once(empty, tmp_path):
    """With the first file that is read of it."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as package:
        for name in ("a.txt", ".b.txt", "c.txt", "__MACOSX/._a.txt", ".DS_Store"):
            package.writestr(name, f"q{name[0]} 0 d1 1\n")
    assert must("import", empty, "--qrels", path).out.count("is left out") == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice_in_a_zip_file_is_said(empty, tmp_path):
    """The last one is read, as unpacking leaves it."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("a.txt", "q1 0 d1 1\n")
        package.writestr("a.txt", "q2 0 d1 1\n")
    found = must("import", empty, "--qrels", path).out
    assert "‘a.txt’ stands in the zip file several times: only the last one is read." in found


def written(path, text):
    """Write a file and return where it is."""
    path.write_text(text, encoding="utf-8")
    return path


_SWAPPED = {
    "a.run": "q1 Q0 d1 12.5 1 t\nq1 Q0 d2 11.5 2 t\nq1 Q0 d3 10 3 t\n",
    "a.csv": "query_id,doc_id,rank,score,run\nq1,d1,12.5,1,t\nq1,d2,11.5,2,t\nq1,d3,10,3,t\n",
}


@pytest.fixture(params=_SWAPPED)
def swapped(request, tmp_path):
    """A run whose ranks and scores seem to have changed places, in columns and in a table."""
    return written(tmp_path / request.param, _SWAPPED[request.param])


def test_it_is_asked_whether_ranks_and_scores_have_changed_places(empty, swapped):
    """The order would be reversed without a word."""
    refused = call("import", empty, "--run", swapped)
    assert refused.code == 1
    assert "--answer ranks=CHOICE, one of swap, keep" in refused.err


@pytest.mark.parametrize(("answer", "first"), [("swap", "d1"), ("keep", "d3")])
def test_ranks_and_scores_are_read_as_it_is_answered(empty, tmp_path, swapped, answer, first):
    """The best result is the first line’s, or the last one’s."""
    must("import", empty, "--run", swapped, "--answer", f"ranks={answer}")
    out = tmp_path / "out.run"
    must("export", empty, "--run", f"t={out}")
    assert out.read_text(encoding="utf-8").split()[2] == first


def test_ranks_in_a_column_that_somebody_named_are_taken_at_their_word(empty, tmp_path):
    """Who says which column is the rank is asked no more."""
    path, out = written(tmp_path / "a.csv", _SWAPPED["a.csv"]), tmp_path / "out.run"
    must("import", empty, "--run", path, "--column", "rank=score", "--column", "score=rank")
    must("export", empty, "--run", f"t={out}")
    assert out.read_text(encoding="utf-8").split()[2:5] == ["d1", "1", "12.5"]


def test_no_value_is_counted_of_ranks_and_scores_that_have_changed_places(tmp_path, swapped):
    """Whoever asks for numbers gets none of a reversed order."""
    qrels = written(tmp_path / "a.qrels", "q1 0 d1 1\n")
    found = call("score", qrels, swapped, "-m", "AP")
    assert (found.code, found.out) == (1, "")
    assert "Have ranks and scores changed places?" in found.err


@pytest.mark.parametrize(
    "rows",
    [
        ["d1 3 1", "d2 2 2", "d3 1 3"],
        ["d1 0 1", "d2 0 2"],
        ["d1 1 12.5", "d2 2 11"],
        ["d1 5 1"],
    ],
)
def test_ranks_in_their_place_are_not_asked_about(empty, tmp_path, rows):
    """Whichever way a file is ordered, and where its ranks say nothing."""
    path = written(tmp_path / "a.run", "".join(f"q1 Q0 {row} t\n" for row in rows))
    assert "changed places" not in must("import", empty, "--run", path).out


def test_ranks_that_are_no_whole_numbers_are_asked_about(empty, tmp_path):
    """Where it is not clear, they are read as they stand, and it can be answered."""
    path = written(tmp_path / "a.run", "q1 Q0 d1 12.5 7 t\nq1 Q0 d2 11.5 5 t\n")
    found = must("import", empty, "--run", path).out
    assert "Have ranks and scores changed places? (taken as keep; --answer ranks=CHOICE" in found
    assert "2 ranks are no whole numbers (12.5 on line 1)." in found


def test_a_rank_that_is_no_number_leaves_the_others_compared_with_nothing(empty, tmp_path):
    """That no contradiction can be found is said."""
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1 t\nq1 Q0 d2 - 2 t\nq1 Q0 d3 3 3 t\n", encoding="utf-8")
    assert "1 row whose rank is no number" in must("import", empty, "--run", path).out


def test_fractional_ranks_that_contradict_the_scores_are_said(empty, tmp_path):
    """They are compared as numbers."""
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1.5 1 t\nq1 Q0 d2 2.5 2 t\n", encoding="utf-8")
    assert "ranks contradict its scores" in must("import", empty, "--run", path).out


def test_a_file_of_comments_is_not_called_empty(empty, tmp_path):
    """It has lines."""
    path = tmp_path / "a.qrels"
    path.write_text("# nobody has judged yet\n", encoding="utf-8")
    found = call("import", empty, "--qrels", path).out
    assert "There are only blank lines and comments in it." in found


@pytest.mark.parametrize("text", ["[]", "null", " [] \n"])
def test_a_json_value_without_anything_in_it_is_no_query(empty, tmp_path, text):
    """It is refused as an empty object is."""
    path = tmp_path / "q.json"
    path.write_text(text, encoding="utf-8")
    found = call("import", empty, "--queries", path)
    assert (found.code, "it is JSON, but of no form" in found.err) == (1, True)


@pytest.mark.parametrize(
    "text",
    [
        '<topics>\n<topic number="1">\n<title>soup</title></topic>\n<topic number="2">\n<title>br',
        "<top>\n<num> 1\n<title> soup\n</top>\n<top>\n<num> 2\n<title> br",
        '<topics>\n<topic number="1">\n<title>soup</title></topic>\n<topic number="2">\n<title>br</to',
    ],
)
def test_a_cut_topic_is_left_out(empty, tmp_path, text):
    """Half a query is another query."""
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    assert "the file is cut off; it is left out" in must("import", empty, "--queries", path).out
    assert [row[0] for row in must("show", empty, "--queries").rows[1:]] == ["1"]


def test_the_end_of_xml_that_is_missing_is_said(empty, tmp_path):
    """Where it was cut between two topics, nothing else tells."""
    path = tmp_path / "topics.xml"
    path.write_text('<topics>\n<topic number="1"><title>a</title></topic>\n', encoding="utf-8")
    found = must("import", empty, "--queries", path).out
    assert "The XML ends too early (line 2): topics may be missing." in found


def test_topics_in_xml_are_refused_with_their_lines(empty, tmp_path):
    """The line of the one that counts is named, too."""
    path = tmp_path / "topics.xml"
    topic = '<topic number="1">\n<title>{}</title></topic>\n'
    path.write_text(f"<topics>\n{topic.format('a')}{topic.format('b')}</topics>", encoding="utf-8")
    found = must("import", empty, "--queries", path).out
    assert "line 4: query ‘1’ stands on line 2 already" in found


@pytest.mark.parametrize("form", ["[{}, {}, {}]", "{}\n{}\n{}"])
def test_ids_that_are_numbers_stay_as_they_stand(empty, tmp_path, form):
    """Neither their exponents nor their zeros are worked out."""
    path = tmp_path / "q.json"
    ids = ("1e400", "1e3", "1.50")
    rows = [f'{{"id": {each}, "text": "soup {each}"}}' for each in ids]
    path.write_text(form.format(*rows), encoding="utf-8")
    must("import", empty, "--queries", path)
    assert {row[0] for row in must("show", empty, "--queries").rows[1:]} == set(ids)


def test_a_row_with_another_text_of_its_query_says_so(empty, tmp_path):
    """That the query stands above already is no reason to refuse a result of it."""
    path = tmp_path / "r.csv"
    path.write_text("query_id,query,document,rank\n1,soup,d1,1\n1,bread,d2,2\n", encoding="utf-8")
    found = must("import", empty, "--results", path).out
    assert "query ‘1’ stands on line 2 already, with another text" in found


def test_a_zip_of_lengths_that_is_cut_is_called_damaged(tmp_path):
    """In place of a question after its encoding."""
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as package:
        package.writestr("lengths.txt", "d1 250\n")
    path = tmp_path / "cut.zip"
    path.write_bytes(whole.read_bytes()[:60])
    qrels = written(tmp_path / "a.qrels", "q1 0 d1 1\n")
    scored = written(tmp_path / "a.run", "q1 Q0 d1 1 2 t\n")
    found = call("score", qrels, scored, "-m", "TBG", "--lengths", path)
    assert (found.code, "it begins like a zip file but is damaged" in found.err) == (1, True)
    assert call("score", qrels, scored, "-m", "TBG", "--lengths", whole).code == 0
