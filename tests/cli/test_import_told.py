"""What an import tells of what it leaves out, joins or takes otherwise than it stands."""

import json
import os
import sys

import pytest

from tests.helpers.program import call, must


def judgments(project):
    return must("show", project, "--judgments").rows[1:]


def results(project):
    """The ids of the runs' results, best first."""
    out = must("export", project, "--format", "trec-run", "--run", "run").out
    return [line.split()[2] for line in out.splitlines()]


@pytest.fixture
def beir(tmp_path):
    """A BEIR folder whose splits agree on one pair and contradict each other on another."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "soup"}\n')
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "Soup."}\n')
    for name, rows in (("dev", "q1\td1\t2\nq1\td2\t3\n"), ("test", "q1\td1\t0\nq1\td2\t3\n")):
        head = "query-id\tcorpus-id\tscore\n"
        (folder / "qrels" / f"{name}.tsv").write_text(head + rows)
    return folder


def test_splits_of_a_beir_folder_that_contradict_each_other_are_told(empty, beir):
    """As lines of one file are: the first counts, the other is refused with file and line."""
    out = must("import", empty, "--documents", beir).out
    assert (
        "line 2: qrels/test.tsv: document ‘d1’ of query ‘q1’ was judged differently on line 2 of "
        "qrels/dev.tsv; that line counts"
    ) in out
    assert "1 line repeats a judgment" in out
    assert [row[1:4:2] for row in judgments(empty)] == [["d1", "2"], ["d2", "3"]]


def test_documents_and_judgments_of_a_folder_are_counted_apart(empty, beir):
    """A judgment is no document."""
    out = must("import", empty, "--documents", beir).out
    assert "1 document and 2 judgments: 3 new, 0 changed, 0 unchanged; 1 refused" in out


def test_judgments_that_are_here_otherwise_are_not_unchanged(empty, tmp_path):
    """What the project has stays; the file's is counted as left out."""
    table = tmp_path / "t.csv"
    table.write_text("query,document,assessor,grade\n1,a,me,3\n1,b,me,1\n")
    must("judge", empty, "--assessor", "me", stdin="1\ta\t0\n1\tb\t1\n")
    out = must("import", empty, "--qrels", table).out
    assert "2 judgments: 0 new, 0 changed, 1 unchanged, 1 left out; 0 refused" in out
    report = must("import", empty, "--qrels", table, "--format", "json").json
    assert (report["n_unchanged"], report["n_left_out"]) == (1, 1)
    assert "0 left out" not in must("import", empty, "--qrels", table, "--conflicts", "theirs").out


def vespa(*children):
    return json.dumps({"root": {"id": "toplevel", "children": children}})


def hit(identifier, **fields):
    return {"id": identifier, "relevance": 0.5, "fields": fields}


def test_groups_of_vespa_are_no_results(empty):
    """They stand among the hits, and are counts."""
    group = {"id": "group:root:0", "relevance": 1.0, "children": [{"id": "grouplist:cat"}]}
    text = vespa(group, hit("id:a:b::1"), hit("id:a:b::2"))
    out = must("import", empty, "--results", "-", stdin=text).out
    assert "2 results: 2 new" in out
    assert "1 group beside the results is no result" in out


def test_ids_of_vespa_stay_as_they_stand(empty, tmp_path):
    """So that those of two namespaces are two; ids without them are joined where it is asked for."""
    run, qrels = tmp_path / "run.json", tmp_path / "a.qrels"
    run.write_text(
        vespa(hit("id:a:x::one"), hit("id:b:x::two"), hit("index:0", documentid="id:c:x::1"))
    )
    qrels.write_text("run 0 one 1\nrun 0 two 2\n")
    out = must("import", empty, "--run", run, "--qrels", qrels, "--dry-run").out
    assert "The document ids match but for what stands before the colons" in out
    must(
        *("import", empty, "--run", run, "--qrels", qrels),
        *("--answer", "document-ids=map"),
    )
    assert results(empty) == ["id:a:x::one", "id:b:x::two", "id:c:x::1"]
    assert [row[1] for row in judgments(empty)] == ["id:a:x::one", "id:b:x::two"]


SETTLED = (
    "query,document,assessor,assessor_kind,grade\nq,d,chief,settled,2\nq,d,boss,settled,3\n"
    "q,e,chief,settled,1\nq,e,boss,settled,1\n"
)


@pytest.mark.parametrize("options", [(), ("--settled",)])
def test_what_two_settled_differently_is_told(empty, options):
    """What is settled has one name: two who settle a pair contradict each other as one would."""
    text = SETTLED if not options else SETTLED.replace(",settled", ",")
    out = must("import", empty, "--qrels", "-", *options, stdin=text).out
    assert "2 judgments: 2 new, 0 changed, 0 unchanged; 1 refused" in out
    assert "line 3: document ‘d’ of query ‘q’ was judged differently on line 2; that line" in out
    assert "What was settled is kept as ‘settled’, not by who settled it (chief, boss)." in out
    assert judgments(empty) == [
        ["q", "d", "settled", "2", "judged"],
        ["q", "e", "settled", "1", "judged"],
    ]


def test_people_who_become_one_contradict_each_other(empty):
    """Where two of a file’s names are said to be one name here."""
    must("import", empty, "--qrels", "-", stdin="query,document,assessor,grade\nq,x,anna,1\n")
    text = "query,document,assessor,grade\nq,d,Anna,1\nq,d,ANNA,2\n"
    out = must("import", empty, "--qrels", "-", "--answer", "people=same", stdin=text).out
    assert "line 3: document ‘d’ of query ‘q’ was judged differently on line 2" in out
    assert judgments(empty)[0][2:4] == ["anna", "1"]


@pytest.mark.parametrize("n_files", [1, 2])
def test_people_of_one_import_whose_names_are_nearly_one_are_asked_about(empty, tmp_path, n_files):
    """As those of two imports are, in one file and in several; the name that came first counts."""
    rows = ["q,d,Anna,1\n", "q,e,anna,2\n"]
    texts = ["".join(rows)] if n_files == 1 else rows
    paths = [tmp_path / f"{place}.csv" for place in range(n_files)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(f"query,document,assessor,grade\n{text}")
    said = must("import", empty, "--qrels", *paths, "--dry-run").out
    assert "Names differ by capitals or blanks alone: ‘anna’ and ‘Anna’" in said
    must("import", empty, "--qrels", *paths, "--answer", "people=same")
    assert [row[2] for row in judgments(empty)] == ["Anna", "Anna"]


CLICKS = "query,document,position,impressions,clicks\nq,a,0,10,5\nq,b,1,9,1\nq,c,,9,1\n"


def exported_clicks(project):
    return must("export", project, "--format", "clicks-csv").out.splitlines()[1:]


def test_positions_from_0_are_taken_as_such(empty, tmp_path):
    """The top position is one: all of the file count one higher, and that is said."""
    out = must("import", empty, "--clicks", "-", stdin=CLICKS).out
    assert "Some positions are 0. What does that say? (taken as first" in out
    assert exported_clicks(empty) == ["q,a,1,10,5", "q,b,2,9,1", "q,c,,9,1"]
    must("export", empty, "--format", "clicks-csv", "--out", tmp_path / "c.csv")
    again = must("import", empty, "--clicks", tmp_path / "c.csv").out
    assert "3 unchanged" in again
    assert "positions are 0" not in again


def test_positions_0_may_say_nothing(empty):
    """Where it is said, or no other position stands in the file."""
    must("import", empty, "--clicks", "-", "--answer", "position_zero=unknown", stdin=CLICKS)
    assert exported_clicks(empty) == ["q,a,,10,5", "q,b,1,9,1", "q,c,,9,1"]
    zeros = CLICKS.replace(",1,9", ",0,9")
    out = must("import", empty, "--clicks", "-", stdin=zeros).out
    assert "(taken as unknown" in out


@pytest.mark.parametrize("text", ["queries:\n  - cold soup\n", "- cold soup\n- leek soup\n"])
def test_lists_in_yaml_are_no_queries(empty, text):
    """Nor are their keys; who means the lines as they stand says so."""
    found = call("import", empty, "--queries", "-", stdin=text)
    assert (found.code, "this looks like YAML" in found.err) == (1, True)
    must("import", empty, "--queries", "-", "--answer", "lines=texts", stdin=text)


@pytest.mark.parametrize(
    ("sign", "told"),
    [
        (" ", "‘…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ’ (a blank at an end)"),
        ("\u200b", "\\u200b’ (U+200B)"),
    ],
)
def test_of_a_long_id_that_place_is_told_that_is_not_seen(empty, sign, told):
    """The beginning of it would be as any other's."""
    table = f'query,document,grade\nq,"{"x" * 200}{sign}",1\n'
    out = must("import", empty, "--qrels", "-", stdin=table).out
    assert "1 id holds a character that is not seen: ‘…xxx" in out
    assert f"{told}." in out


def test_blanks_in_ids_that_nobody_sees_are_told(empty):
    """At an end, and those that are no plain blank; what shows such ids quotes them."""
    table = 'query,document,grade\nq 1,"d1 ",1\nq 1,d1,0\nq 1,d1\xa0,2\nq 1,"d\n1",3\n'
    out = must("import", empty, "--qrels", "-", stdin=table).out
    assert "3 ids hold characters that are not seen, such as ‘d1 ’ (a blank at an end)." in out
    ids = {row[1] for row in judgments(empty)}
    assert ids == {"d1", '"d1 "', '"d1\\u00a0"', '"d\\n1"'}
    assert {json.loads(each) for each in ids - {"d1"}} == {"d1 ", "d1\xa0", "d\n1"}


def test_parts_of_one_kind_need_not_know_each_other(empty, tmp_path):
    """Two files of judgments with a query each, into a project that has none."""
    files = [tmp_path / "a1.qrels", tmp_path / "a2.qrels"]
    for number, path in enumerate(files):
        path.write_text("".join(f"q{number} 0 {number}d{rank} 1\n" for rank in range(20)))
    out = must("import", empty, "--qrels", *files).out
    assert "is in this project" not in out
    assert "another collection" not in out
    assert out.count("20 documents without text") == 2


HITS = {"hits": {"hits": [{"_id": "d1", "_score": 1}]}}


@pytest.mark.parametrize("empty_one", [{}, None])
def test_an_empty_response_is_refused_by_itself(empty, empty_one):
    """The other queries of the file are taken."""
    text = json.dumps({"a": HITS, "b": empty_one})
    out = must("import", empty, "--run", "-", stdin=text).out
    assert "whole file: the response to query ‘b’ is empty" in out
    assert "1 result: 1 new" in out
    out = must("import", empty, "--run", "-", stdin=json.dumps([HITS, empty_one, HITS])).out
    assert "whole file: response 2 is empty" in out
    assert [row[0] for row in must("show", empty, "--queries").rows[1:]] == ["1", "3", "a"]


STRANGERS = {
    "events": (
        {"action_name": "click", "query_id": "u", "event_attributes": {"position": {"ordinal": 1}}},
        "count how often each document was shown",
    ),
    "queries": (
        {"query_id": "u", "user_query": "soup", "query_response_hit_ids": ["d1"]},
        "read the file as queries",
    ),
    "grouped": (
        {"responseHeader": {"status": 0}, "grouped": {"cat": {"matches": 3, "groups": []}}},
        "search without groups",
    ),
}


@pytest.mark.parametrize(("value", "advice"), STRANGERS.values(), ids=STRANGERS)
def test_what_no_role_of_a_column_mends_is_called_what_it_is(empty, value, advice):
    """Not by its columns: nobody could say what they are."""
    found = call("import", empty, "--run", "-", stdin=json.dumps(value))
    assert (found.code, advice in found.err, "ROLE" in found.err) == (1, True, False)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_name_that_is_no_utf8_is_named(empty, tmp_path):
    """With what to do, and what says so works."""
    path = os.fsencode(tmp_path) + b"/latin\xe9.qrels"
    with open(path, "wb") as out:  # noqa: PTH123 - a path of bytes
        out.write(b"q 0 d 1\n")
    found = call("import", empty, "--qrels", os.fsdecode(path))
    assert found.code == 1
    assert "latin\\xe9.qrels’. Rename the file, or give it as standard input" in found.err


def test_a_lone_carriage_return_in_a_table_is_named(empty):
    """As in qrels: the line ends mean one row there, or two."""
    text = "query,document,grade\r\nq1,d1,1\nq1,d2,2\rq1,d3,0\nq2,d1,1\n"
    out = must("import", empty, "--qrels", "-", stdin=text).out
    assert "line 3: a carriage return stands in the middle of the line" in out
    assert len(judgments(empty)) == 2


def test_blanks_around_a_grade_are_no_part_of_it(empty):
    """As spreadsheets leave them behind a comma."""
    text = "query, document, grade\nq,a, 2\nq,b,1 \nq,c,\t3\n"
    must("import", empty, "--qrels", "-", "--strict", stdin=text)
    assert [row[3] for row in judgments(empty)] == ["2", "1", "3"]


def test_a_decimal_comma_in_grades_is_said_once(empty, tmp_path):
    """Not of each grade: all are grades of the scale, and taken as such."""
    text = "query;document;grade\nq;a;0,5\nq;b;0,25\nq;c;1\n"
    must("new", tmp_path / "p.judge", "--scale", "0,0.25,0.5,1")
    out = must("import", tmp_path / "p.judge", "--qrels", "-", "--strict", stdin=text).out
    assert "Grades such as ‘0,5’ have a comma: what is it? (taken as decimal" in out
    assert [row[3] for row in judgments(tmp_path / "p.judge")] == ["0.5", "0.25", "1"]


def test_a_decimal_comma_is_asked_about_where_some_are_no_grades_of_the_scale(empty):
    """2,0 is a grade and 1,5 is none: nobody is left out without a word, or taken for another."""
    text = "query;document;grade\nq;a;2,0\nq;b;1,5\n"
    found = call("import", empty, "--qrels", "-", stdin=text)
    assert (found.code, "--answer grade_comma=CHOICE" in found.err) == (1, True)
    must("import", empty, "--qrels", "-", "--map-grade", "1,5=1", stdin=text)
    assert [row[3] for row in judgments(empty)] == ["2", "1"]


@pytest.mark.parametrize(("order", "at"), [("day", "2026-02-04"), ("month", "2026-04-02")])
def test_what_stands_first_in_dates_is_asked_where_none_tells_it(empty, order, at):
    """By when it was given a grade is the latest: nothing is written before somebody says it."""
    text = "query;document;grade;assessor;at\nq;a;2;anna;04/02/2026\n"
    asked = call("import", empty, "--qrels", "-", stdin=text)
    assert (asked.code, "--answer date_order=CHOICE, one of day" in asked.err) == (1, True)
    assert "left out" not in asked.out.replace("these dates are left out", "")
    assert "count as made now" not in asked.out.replace("the judgments count as made now", "")
    must("import", empty, "--qrels", "-", "--answer", f"date_order={order}", stdin=text)
    assert f",{at}T" in must("export", empty, "--format", "judgments-csv").out


def test_the_date_that_tells_what_stands_first_is_said(empty):
    """Nobody is asked what another date of the column answers."""
    text = "query;document;grade;at\nq;a;2;04/02/2026\nq;b;2;27/02/2026\n"
    out = must("import", empty, "--qrels", "-", stdin=text).out
    assert "can be read in two ways; ‘27/02/2026’ tells what stands first. (taken as day" in out


def test_times_that_are_not_understood_are_said_to_be_those_of_the_import(empty):
    """They make a grade the latest, over others that have a time."""
    text = "query;document;grade;assessor;at\nq;a;2;anna;soon\nq;b;2;anna;2026-02-03\n"
    out = must("import", empty, "--qrels", "-", stdin=text).out
    assert "1 time of judging is not understood. These judgments count as made now" in out


def test_dates_that_can_be_read_in_two_ways_hinder_no_score(tmp_path):
    """Without their times grades are scored as they were."""
    (tmp_path / "j.csv").write_text("query;document;grade;assessor;at\nq;a;1;anna;04/02/2026\n")
    (tmp_path / "a.run").write_text("q Q0 a 1 2.5 a\n")
    found = must("score", tmp_path / "j.csv", tmp_path / "a.run", "-m", "AP")
    assert found.out.split() == ["AP", "all", "1.0000"]
    assert "Not known: these dates are left out" in found.err


@pytest.mark.parametrize("title", ["", "Soup"])
def test_a_row_that_is_refused_brings_nothing(empty, title):
    """A result without a rank brought its document, its query and its grade all the same."""
    head = "query,rank,doc_id,score,title,grade\n"
    rows = f"q1,1,a,9,{title},1\nq1,,b,8,{title},2\nq2,2,c,7,,\nq3,,d,6,{title},3\n"
    must("import", empty, "--results", "-", stdin=head + rows)
    counts = dict(line.split("\t") for line in must("check", empty).out.splitlines()[:7])
    assert [counts[each] for each in ("queries", "documents", "judgments")] == ["2", "2", "1"]


BY_TEXT = {
    "--qrels": "query,docid,rating\ncold soup,d1,3\nsoup,d2,1\n",
    "--clicks": "query,docid,impressions,clicks\ncold soup,d1,9,3\nsoup,d2,8,1\n",
}


@pytest.mark.parametrize(("option", "table"), BY_TEXT.items())
def test_texts_that_are_ids_are_texts_all_the_same(empty, option, table):
    """Quepid's queries were ids alone, and were never asked about with those of another file."""
    must("import", empty, option, "-", stdin=table)
    queries = "query_id,query\nq1,cold soup\nq2,soup\n"
    found = call("import", empty, "--queries", "-", stdin=queries)
    assert "2 of 2 queries in the file have the text of queries here" in found.out


def test_ids_of_queries_are_no_texts(empty):
    """Of one word each, they are taken for ids, and said to lack a text."""
    out = must("import", empty, "--qrels", "-", stdin="query,docid,rating\nq1,d1,3\n").out
    assert "1 query without text" in out


def test_an_id_in_place_of_a_text_gives_way_to_one(empty):
    """Results call the query by its id; the file of queries says what it reads like."""
    must("import", empty, "--results", "-", stdin="query,doc_id,rank\nq1,d1,1\n")
    must("import", empty, "--queries", "-", stdin="id,text\nq1,cold soup\n")
    assert "cold soup" in must("export", empty, "--format", "queries-tsv").out


@pytest.mark.parametrize("option", ["--run", "--results"])
@pytest.mark.parametrize("form", ["judgments-csv", "judgments-jsonl"])
def test_judgments_are_no_results(empty, tmp_path, option, form):
    """The order of judgments was taken for a ranking, and their grades for those of the file."""
    must("import", empty, "--qrels", "-", "--assessor", "lea", stdin="q1 0 d1 1\nq1 0 d2 0\n")
    path = tmp_path / "j"
    must("export", empty, "--format", form, "--out", path)
    said = call("import", empty, option, path).err
    assert "these are judgments, by the columns ‘assessor’, ‘state’, " in said
    assert f"--qrels {path} reads it" in said


@pytest.mark.parametrize(
    "table",
    [
        "query,document,grade\nq,a,1\nq,b,2\n",
        "query,document,rank,assessor,grade\nq,a,1,lea,1\nq,b,2,lea,2\n",
        "query,document,title,assessor,grade\nq,a,A,lea,1\nq,b,B,lea,2\n",
    ],
)
def test_results_may_be_graded(empty, table):
    """Beside ranks or texts, or alone, a grade is one of a result."""
    out = must("import", empty, "--results", "-", stdin=table).out
    assert "2 results and 2 judgments: 4 new" in out


BARE = "query,docid,rating\nq,a,1\nq,b,2\n"


def test_grades_alone_are_no_run(empty, tmp_path):
    """A run was made up of the order of judgments."""
    (tmp_path / "ben.csv").write_text(BARE)
    found = call("import", empty, "--run", tmp_path / "ben.csv")
    assert (found.code, "these look like judgments" in found.err) == (1, True)
    assert f"--qrels {tmp_path / 'ben.csv'} reads it" in found.err


def test_the_order_of_grades_as_results_is_warned_of(empty):
    """It may be that of a ranking, if somebody says that they are results; texts tell that they are."""
    warning = "These look like judgments: the order of the rows is taken for a ranking."
    assert warning in must("import", empty, "--results", "-", stdin=BARE).out
    titled = "query,docid,title,rating\nr,a,A,1\nr,b,B,2\n"
    assert warning not in must("import", empty, "--results", "-", stdin=titled).out


def test_the_column_of_the_ids_is_named_as_window_and_command_do(empty, tmp_path):
    """The advice named a role that the window does not have."""
    must(
        "import",
        empty,
        "--qrels",
        "-",
        stdin=BARE.replace("q,", "aa battery,", 1).replace("q,", "head set,"),
    )
    table = "query_id,query text\nq003,aa battery\nq006,head set\n"
    out = call("import", empty, "--queries", "-", stdin=table).out
    assert "choose ‘query’ for it (in a command, --column 'query text=query_id')." in out


def test_ids_that_are_the_same_are_so_in_the_other_files(empty, tmp_path):
    """What was said of the queries was forgotten by the run that names them."""
    must("import", empty, "--qrels", "-", stdin="query,docid,rating\naa battery,a,1\n")
    (tmp_path / "ids.csv").write_text("query_id,text\nq003,aa battery\n")
    (tmp_path / "a.run").write_text("q003 Q0 a 1 2 bm25\n")
    files = ("--queries", tmp_path / "ids.csv", "--run", tmp_path / "a.run")
    out = must("import", empty, *files, "--answer", "join=yes").out
    assert "1 id is read as the project’s, as was said of another file." in out
    assert dict(must("show", empty).rows)["queries"] == "1"


def test_what_another_file_of_the_import_has_is_said(empty, tmp_path):
    """The project had nothing of it."""
    for name in "ab":
        (tmp_path / name).write_text("query,document,assessor,grade\nq,d,lea,2\n")
    out = must("import", empty, "--qrels", tmp_path / "a", "--qrels", tmp_path / "b").out
    assert "1 of the unchanged is in another file of this import, too" in out


def test_judgments_that_are_said_to_be_results_are(empty):
    """Where the columns of judging are said to be fields."""
    table = "query,document,assessor,grade\nq,a,lea,1\n"
    assert call("import", empty, "--results", "-", stdin=table).code == 1
    words = ("import", empty, "--results", "-", "--column", "assessor=field")
    assert "1 result and 1 judgment: 2 new" in must(*words, stdin=table).out
