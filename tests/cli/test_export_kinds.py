"""Exports of judgments say who is no person, so that nobody counts elsewhere who did not here."""

import csv

import pytest

from judgetool.formats.writers import WRITERS
from judgetool.formats.writers.values import Subject
from tests.helpers.program import call, must, sample_project

TABLES = [
    name
    for name, form in WRITERS.items()
    if form.subject is Subject.JUDGMENTS and not form.has_grades_only
]


def table(*rows):
    return "query,document,assessor,grade\n" + "".join(",".join(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Two people, a model that differs from both, and what was settled; tests only look at it."""
    path = tmp_path_factory.mktemp("judged") / "a.judge"
    must("new", path)
    pairs = [(query, f"d{n}") for query in "123" for n in range(4)]
    people = [
        (q, d, who, str((int(d[1]) + int(q)) % 3)) for q, d in pairs for who in ("ann", "ben")
    ]
    people[1] = (*people[1][:3], "0")
    must("import", path, "--qrels", "-", stdin=table(*people))
    model = table(*((q, d, "gpt", "3") for q, d in pairs))
    must("import", path, "--qrels", "-", "--kind", "model", stdin=model)
    must("import", path, "--qrels", "-", "--settled", stdin=table(("1", "d0", "x", "2")))
    return path


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("options", [(), ("--anonymous",)])
def test_another_project_reads_the_same_kinds(judged, tmp_path, name, options):
    """Grades that count, agreement and the export itself are the same there; a file agrees, too."""
    if name == "judgments-parquet":
        pytest.importorskip("pyarrow")
    out, copy = tmp_path / f"a{WRITERS[name].endings[0]}", tmp_path / "b.judge"
    must("export", judged, "--format", name, *options, "--out", out)
    must("new", copy)
    must("import", copy, "--qrels", out)
    for words in (["export", "--format", "trec-qrels"], ["show", "--disputes"]):
        found = [must(words[0], path, *words[1:]).out for path in (judged, copy)]
        if not options or words[0] == "export":
            assert found[0] == found[1]
    if not options:
        again = tmp_path / f"b{out.suffix}"
        must("export", copy, "--format", name, "--out", again)
        assert again.read_bytes() == out.read_bytes()
    figures = [must("agreement", path, "-m", "agree").out for path in (judged, copy, out)]
    assert figures[0] == figures[1] == figures[2] == "agree\tall\t0.9167\n"


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".xlsx"])
def test_judgments_are_written_as_the_file_ends(judged, tmp_path, ending):
    """The same as the format of that ending writes, not CSV under another name."""
    name = {".csv": "judgments-csv", ".jsonl": "judgments-jsonl", ".xlsx": "judgments-excel"}
    out, named = tmp_path / f"a{ending.upper()}", tmp_path / f"b{ending}"
    must("export", judged, "--judgments", out)
    must("export", judged, "--format", name[ending], "--out", named)
    assert out.read_bytes() == named.read_bytes()


def test_an_ending_of_no_format_of_judgments_is_refused(judged, tmp_path):
    """The endings that there are stand in the refusal, and nothing is written."""
    found = call("export", judged, "--judgments", tmp_path / "a.tsv")
    assert found.code == 1
    assert "end in .csv, .jsonl, .parquet, .xlsx" in found.err
    assert not list(tmp_path.iterdir())


def test_the_column_is_there_only_where_somebody_is_no_person(judged, tmp_path):
    """Files of people alone are as they were."""
    out = must("export", judged, "--format", "judgments-csv", "--assessor", "ann").out
    assert "assessor_kind" not in out
    out = must("export", judged, "--format", "judgments-csv").out
    assert out.splitlines()[0].endswith(",rationale,assessor_kind")
    assert {
        (row["assessor"], row["assessor_kind"]) for row in csv.DictReader(out.splitlines())
    } == {
        ("ann", ""),
        ("ben", ""),
        ("gpt", "model"),
        ("settled", "settled"),
    }


def test_what_was_settled_is_no_person_of_a_quepid_book(judged, tmp_path):
    """A book has no kinds: a column of it would be one more rater there. That is said."""
    out = tmp_path / "book.csv"
    told = must("export", judged, "--format", "quepid-book-csv", "--out", out).err
    assert out.read_text().splitlines()[0] == "query,docid,ann,ben,gpt"
    assert "1 settled grade is left out: it is nobody’s opinion" in told
    assert "\n36 judgments to " in told
    assert must("agreement", out, "--without", "gpt").out == must("agreement", judged).out


def test_who_exports_is_told_that_second_judgments_stay(tmp_path):
    """Only where somebody was asked again; which documents it were is not said."""
    path = sample_project(tmp_path / "a.judge")
    words = ("export", path, "--format", "judgments-csv", "--out", tmp_path / "a.csv")
    assert "asked again" not in must(*words).err
    must("ask", path, "--to", "anna", "--repeat", "0.05")
    assert "second judgments are not in this file" in must(*words).err


@pytest.mark.parametrize("name", ["documents-jsonl", "documents-csv", "beir-corpus"])
def test_documents_that_have_their_id_alone_are_counted_as_such(tmp_path, name):
    """Neither the export nor the check says that they have a text; what is written is what is said."""
    path, source = tmp_path / "p.judge", tmp_path / "d.jsonl"
    source.write_text('{"id": "d1", "text": "a"}\n{"id": "d2", "lang": "en"}\n{"id": "d3"}\n')
    must("new", path, "--title", "Documents")
    must("import", path, "--documents", source)
    done = must("export", path, "--format", name, "--out", tmp_path / "out")
    assert "2 documents to" in done.out + done.err
    assert "1 document has no text and is left out" in done.out + done.err
    written = (tmp_path / "out").read_text().splitlines()
    assert len(written) - (name == "documents-csv") == 2
    assert "documents with text\t2" in must("check", path).out
