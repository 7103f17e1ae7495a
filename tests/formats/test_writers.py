"""Each layout that judgetool writes: what stands in it, and what is refused."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.errors import InputError, UsageError
from judgetool.formats import JudgmentRow, Kind, RankedResult, read_text
from judgetool.formats.writers import (
    WRITERS,
    Blanks,
    CannotJudge,
    ExportChoices,
    ExportMaterial,
    FoldedRow,
    Fractions,
    Numbers,
    RunSource,
    Subject,
    writer_format,
)

COLD = Query("7", "cold soup", "Eaten cold.")
BREAD = Query("9", 'bread, "flat"')


def material(*folded, queries=(COLD, BREAD), scale="0-3", **parts):
    """What is to be written: rows of query, document id and grade."""
    rows = [FoldedRow(query, document, grade) for query, document, grade in folded]
    return ExportMaterial(queries, scale_preset(scale), folded=rows, **parts)


def written(name, what, **choices):
    """The text of a file."""
    return "".join(WRITERS[name].writer(what, ExportChoices(name, **choices)))


UNDERSCORE = {"blanks": Blanks.QUERIES}
ALL_UNDERSCORED = {"blanks": Blanks.ALL}
GRADES = material((COLD, "r1", 3.0), (COLD, "r2", 0.0), (BREAD, "r1", 1.0))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("trec-qrels", "7 0 r1 3\n7 0 r2 0\n9 0 r1 1\n"),
        ("qrels-3-columns", "7 r1 3\n7 r2 0\n9 r1 1\n"),
        ("beir-qrels", "query-id\tcorpus-id\tscore\n7\tr1\t3\n7\tr2\t0\n9\tr1\t1\n"),
        (
            "letor",
            "3 qid:7 # r1\n0 qid:7 # r2\n1 qid:9 # r1\n",
        ),
        (
            "quepid-csv",
            'query,docid,rating\ncold soup,r1,3\ncold soup,r2,0\n"bread, ""flat""",r1,1\n',
        ),
    ],
)
def test_layouts_of_lines(name, text):
    """One line for each grade, exactly as the format has it."""
    assert written(name, GRADES) == text


def test_rre_gives_documents_their_gain():
    """RRE's file has the query's text as a placeholder and a gain for each document."""
    (soup, _) = json.loads(written("rre", GRADES, target="recipes"))["queries"]
    assert soup == {
        "placeholders": {"$query": "cold soup"},
        "relevant_documents": {"r1": {"gain": 3}, "r2": {"gain": 0}},
    }


def test_rank_eval_has_a_request_for_each_query():
    """Elasticsearch's request rates documents of an index with whole numbers."""
    said = json.loads(written("rank-eval-request", GRADES, target="recipes"))
    assert [request["id"] for request in said["requests"]] == ["7", "9"]
    assert said["requests"][0]["ratings"][0] == {"_index": "recipes", "_id": "r1", "rating": 3}
    assert said["requests"][0]["template_id"] == said["templates"][0]["id"]


def test_opensearch_ratings_are_texts():
    """OpenSearch takes ratings as texts, by query text."""
    said = json.loads(written("opensearch-judgments", GRADES))
    assert said["type"] == "IMPORT_JUDGMENT"
    assert '"name": "köche"' in written("opensearch-judgments", GRADES, target="köche")
    assert said["judgmentRatings"][1] == {
        "query": 'bread, "flat"',
        "ratings": [{"docId": "r1", "rating": "1"}],
    }


@pytest.mark.parametrize(
    "name",
    [name for name, form in WRITERS.items() if ".json" in form.endings],
)
def test_json_without_grades_is_json(name):
    """A file of no grades is a whole JSON value, too."""
    assert json.loads(written(name, material()))


def test_a_query_without_ratings_is_a_row_for_quepid():
    """Quepid makes a query of a row whose other cells are empty."""
    assert written("quepid-csv", material(queries=(COLD,))).splitlines()[1] == "cold soup,,"


def test_queries_of_one_text_are_refused_where_texts_are_ids():
    """Two queries of one text would become one in Quepid: both ids are named."""
    twins = (COLD, Query("8", "cold soup"))
    with pytest.raises(InputError, match=r"‘7’ and ‘8’ have the same"):
        written("quepid-csv", material(queries=twins))


def test_what_quepids_own_import_refuses_is_said():
    """A query with both a comma and a quotation mark is written, and the trap is named."""
    what = material()
    written("quepid-csv", what)
    assert "both a comma and a quotation mark" in what.notes[0]


def test_a_book_has_a_column_for_each_assessor():
    """A cell is blank where an assessor gave no grade; what has no grade is left out and said."""
    lines = [
        JudgmentRow("7", "r1", "anna", 3.0, "judged"),
        JudgmentRow("7", "r1", "ben", 2.0, "judged"),
        JudgmentRow("7", "r2", "ben", 0.0, "judged"),
        JudgmentRow("9", "r2", "ben", None, "cannot_judge"),
    ]
    what = material(judgments=lines, assessors=("anna", "ben"))
    assert written("quepid-book-csv", what) == (
        "query,docid,anna,ben\ncold soup,r1,3,2\ncold soup,r2,,0\n"
    )
    assert any("1 judgment without a grade" in note for note in what.notes)


# What is chosen


def test_cannot_judge_is_left_out_or_lowest():
    """Documents that count as ‘cannot judge’ are left out, or get the lowest grade; either is said."""
    what = material((COLD, "r1", None), (COLD, "r2", 1.0))
    assert written("qrels-3-columns", what) == "7 r2 1\n"
    assert written("qrels-3-columns", what, cannot_judge=CannotJudge.LOWEST) == "7 r1 0\n7 r2 1\n"
    assert what.notes == [
        "1 document that counts as ‘cannot judge’ is left out.",
        "1 document that counts as ‘cannot judge’ is written as 0, the lowest grade.",
    ]


WHOLE = ("trec-qrels", "qrels-3-columns", "beir-qrels", "rre", "rank-eval-request")


@pytest.mark.parametrize("name", WHOLE)
def test_fractions_are_refused_in_words(name):
    """Where tools read whole numbers, a fraction is refused, and the first one is named."""
    with pytest.raises(
        InputError, match=r"1 number is no whole number, such as 1\.5 of document ‘r2’"
    ):
        written(name, material((COLD, "r1", 2.0), (COLD, "r2", 1.5)))


@pytest.mark.parametrize(("choice", "grade"), [(Fractions.ROUND, "2"), (Fractions.KEEP, "1.5")])
def test_fractions_are_rounded_or_kept_when_chosen(choice, grade):
    """Rounding goes to the nearest whole number, halves up; both choices are said."""
    what = material((COLD, "r1", 1.5))
    assert written("qrels-3-columns", what, fractions=choice) == f"7 r1 {grade}\n"
    assert len(what.notes) == 1


def test_formats_of_any_number_take_fractions():
    """Quepid, LETOR and OpenSearch read fractions: nothing is chosen or said."""
    what = material((COLD, "r1", 0.5), queries=(COLD,))
    assert "cold soup,r1,0.5" in written("quepid-csv", what)
    assert '"rating": "0.5"' in written("opensearch-judgments", what)
    assert what.notes == []


def test_letor_holds_gains_and_others_when_asked():
    """LETOR files hold gains as a rule, qrels when gains are asked for."""
    what = material((COLD, "r1", 2.0), scale="esci")
    assert "0.1 qid:7 # r1" in written("letor", what)
    assert "2 qid:7 # r1" in written("letor", what, numbers=Numbers.GRADES)
    kept = {"numbers": Numbers.GAINS, "fractions": Fractions.KEEP}
    assert written("qrels-3-columns", what, **kept) == "7 r1 0.1\n"


def test_a_grade_off_the_scale_has_no_gain():
    """A folded grade between two levels has no gain: it is refused in words."""
    with pytest.raises(InputError, match=r"no grade of the scale"):
        written("letor", material((COLD, "r1", 1.5)))


def test_letor_counts_queries_whose_ids_are_no_numbers():
    """Ids that are no numbers are counted from 1, which is said; the id map tells which is which."""
    queries = (Query("a", "soup"), Query("007", "bread"))
    what = material((queries[1], "r1", 1.0), queries=queries)
    assert written("letor", what) == "1 qid:2 # r1\n"
    assert any("id map" in note for note in what.notes)
    assert written("id-map", what) == "query_id,number,text\na,1,soup\n007,2,bread\n"


# Ids


@pytest.mark.parametrize("name", ["trec-qrels", "qrels-3-columns", "letor"])
def test_ids_with_blanks_are_refused_between_blanks(name):
    """An id with a blank cannot stand where blanks separate columns."""
    with pytest.raises(InputError, match=r"holds a blank"):
        written(name, material((COLD, "a b", 1.0)))


def test_query_ids_become_one_by_underscores_is_refused():
    """Also where only one of the two is judged: qrels and runs of a project must agree."""
    queries = (Query("red tent"), Query("red_tent"))
    with pytest.raises(InputError, match=r"would become one"):
        written("trec-qrels", material((queries[0], "a", 1.0), queries=queries), **UNDERSCORE)


def test_only_blanks_of_queries_become_underscores():
    """A document's id is what the systems return: it is refused unless that is asked for, too."""
    with pytest.raises(InputError, match=r"document id ‘a b’ holds a blank"):
        written("trec-qrels", material((COLD, "a b", 1.0)), **UNDERSCORE)


def test_blanks_of_documents_become_underscores_where_that_is_asked_for():
    """In judgments and in runs, and it is counted."""
    what = material((COLD, "a b", 1.0), (COLD, "c", 0.0))
    what = replace(what, document_ids=lambda: ("a b", "c"))
    assert written("trec-qrels", what, **ALL_UNDERSCORED) == "7 0 a_b 1\n7 0 c 0\n"
    assert what.notes == ["1 document id holds blanks and was written with _ in their place."]
    what = replace(run_material(("7", "a b", 2.5), ("7", "c", 1.0)), document_ids=what.document_ids)
    assert written("trec-run", what, **ALL_UNDERSCORED).startswith("7 Q0 a_b 1 2.5 bm25\n7 Q0 c 2")


def test_document_ids_that_become_one_by_underscores_are_refused():
    """Also where only one of the two is judged: qrels and runs of a project must agree."""
    what = replace(material((COLD, "a b", 1.0)), document_ids=lambda: ("a b", "a_b"))
    with pytest.raises(InputError, match=r"‘a b’ and ‘a_b’ would become one"):
        written("trec-qrels", what, **ALL_UNDERSCORED)


def test_ids_with_blanks_stand_between_tabs():
    """BEIR's tabs let an id hold a blank; a tab is refused."""
    assert "7\ta b\t1\n" in written("beir-qrels", material((COLD, "a b", 1.0)))
    with pytest.raises(InputError, match=r"holds a tab"):
        written("beir-qrels", material((COLD, "a\tb", 1.0)))


# Runs and queries


def run_material(*rows, name="bm25"):
    source = RunSource(name, len(rows), lambda: iter([RankedResult(*row) for row in rows]))
    return material(run=source)


def test_scores_of_a_run_fall_strictly():
    """Scores stay where they fall; where they tie, n, n − 1, … 1 stand instead, and that is said."""
    what = run_material(("7", "a", 2.5), ("7", "b", 1.0), ("9", "a", 1.0), ("9", "b", 1.0))
    assert written("trec-run", what) == (
        "7 Q0 a 1 2.5 bm25\n7 Q0 b 2 1 bm25\n9 Q0 a 1 2 bm25\n9 Q0 b 2 1 bm25\n"
    )
    assert "In 1 query its scores tie" in what.notes[0]


@pytest.mark.parametrize("form", ["results-csv", "results-jsonl"])
def test_an_infinite_score_is_left_out_of_results(form):
    """JSON has no infinity, and no line with it would be read: the rank stays, and that is said."""
    what = run_material(("7", "a", math.inf), ("7", "b", 1.0), ("7", "c", -math.inf))
    text = written(form, what)
    assert "inf" not in text.lower()
    assert what.notes == ["2 scores are infinite and were left out; their ranks are kept."]
    (run,) = read_text(text, source="a", kind=Kind.RESULTS).runs
    assert run.document_ids == ["a", "b", "c"]


def test_an_infinite_score_is_replaced_in_a_run():
    """A TREC run can leave out no score: n, n − 1, … 1 stand instead."""
    what = run_material(("7", "a", math.inf), ("7", "b", 1.0))
    assert written("trec-run", what) == "7 Q0 a 1 2 bm25\n7 Q0 b 2 1 bm25\n"


@given(st.lists(st.floats(allow_nan=False, width=32), min_size=1, max_size=8))
def test_scores_always_fall_strictly(scores):
    """Whatever the scores, those that are written fall from line to line."""
    rows = [("7", f"d{place}", score) for place, score in enumerate(scores)]
    lines = written("trec-run", run_material(*rows)).splitlines()
    values = [float(line.split()[4]) for line in lines]
    assert values == sorted(set(values), reverse=True)
    assert [line.split()[2] for line in lines] == [row[1] for row in rows]


def test_topics_are_an_id_a_tab_and_the_text():
    """Tabs and line ends in texts become blanks, which is said; an id with a tab is refused."""
    what = material(queries=(COLD, Query("8", "two\r\nlines\tand")))
    assert written("queries-tsv", what) == "7\tcold soup\n8\ttwo lines and\n"
    assert what.notes == ["In 1 text tabs or line ends became blanks."]
    with pytest.raises(InputError, match=r"holds a tab"):
        written("queries-tsv", material(queries=(Query("a\tb", "x"),)))


def test_topics_as_json_hold_everything():
    """JSON lines have all that is known of a query, and nothing that is as usual."""
    full = Query("8", "b", "d", "n", 2.5, "c", {"lang": "en"})
    lines = written("queries-jsonl", material(queries=(COLD, full))).splitlines()
    assert json.loads(lines[0]) == {
        "query_id": "7",
        "text": "cold soup",
        "description": "Eaten cold.",
    }
    assert json.loads(lines[1])["lang"] == "en"
    assert json.loads(lines[1])["weight"] == 2.5


# The table of formats


def test_a_format_that_there_is_not_is_told_which_there_are():
    """An unknown name is refused with the names of all formats."""
    with pytest.raises(UsageError, match=r"trec-qrels, qrels-3-columns"):
        writer_format("word")


def test_every_format_says_what_it_carries_and_loses():
    """Sentences end as sentences, endings begin with a dot, names are keys."""
    for name, form in WRITERS.items():
        assert form.name == name
        assert form.carries.endswith(".")
        assert not form.loses or form.loses.endswith(".")
        assert all(ending.startswith(".") for ending in form.endings)
    assert {form.subject for form in WRITERS.values()} == set(Subject)
