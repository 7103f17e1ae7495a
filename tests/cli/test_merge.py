"""``judgetool merge``: copies that came by mail become one, and what does not fit is refused."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from judgetool.core.rankings import Remove
from judgetool.session.commands import SetScale, set_title
from judgetool.session.comparing.snapshots import create_snapshot
from judgetool.session.edits import edit_document
from judgetool.session.finding import parse_filters, save_view
from judgetool.session.history import title_in_words
from judgetool.session.opening import open_project
from judgetool.session.whatifs.book import whatif_book
from judgetool.session.whatifs.editing import add_step, create_whatif
from judgetool.wording import Language, speak
from tests.helpers.program import call, must, sample_project


@pytest.fixture
def copies(tmp_path):
    """A project and two copies in which others judged."""
    paths = [tmp_path / f"{name}.judge" for name in ("lead", "dora", "emil")]
    sample_project(paths[0])
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    must("judge", paths[1], "--assessor", "dora", stdin=b"1\tr003\t2\n1\tr010\t0\n")
    must("judge", paths[2], "--assessor", "emil", stdin=b"1\tr003\t1\n")
    return paths


def judgments(path):
    return sorted(must("show", path, "--judgments").rows)


def test_copies_become_one(copies):
    """What each judged is there, the copies are not touched, and the project is sound."""
    lead, *others = copies
    before = [path.read_bytes() for path in others]
    done = must("merge", lead, *others)
    assert done.out.splitlines() == [
        "dora.judge: 2 judgments by dora",
        "emil.judge: 1 judgment by emil",
        f"Merged into {lead}.",
    ]
    assert {(row[1], row[2], row[3]) for row in judgments(lead) if row[2] in ("dora", "emil")} == {
        ("r003", "dora", "2"),
        ("r010", "dora", "0"),
        ("r003", "emil", "1"),
    }
    assert [path.read_bytes() for path in others] == before
    must("check", lead)


def test_the_order_does_not_matter_and_twice_is_once(copies, tmp_path):
    """Two leads merge in opposite orders; the second merge of a copy brings nothing."""
    lead, ben, cem = copies
    other = tmp_path / "other.judge"
    shutil.copy(lead, other)
    must("merge", lead, ben, cem)
    must("merge", other, cem)
    must("merge", other, ben)
    assert must("show", lead, "--judgments").out == must("show", other, "--judgments").out
    book = [must("export", path, "--format", "quepid-book-csv").out for path in (lead, other)]
    assert book[0].splitlines()[0].endswith("dora,emil")
    assert book[0] == book[1]
    with open_project(lead) as first, open_project(other) as second:
        assert first.assessors == second.assessors
    assert "All of it is in" in must("merge", lead, ben).out


def test_a_dry_run_writes_nothing(copies):
    """It says what would come, also as JSON."""
    lead, ben, _ = copies
    before = lead.read_bytes()
    assert must("merge", lead, ben, "--dry-run", "--format", "json").json["files"][0][
        "judgments"
    ] == {"dora": 2}
    assert lead.read_bytes() == before


def test_what_was_taken_back_is_named(copies):
    """A count of judgments is not one of grades that hold: what holds no more has its own line."""
    lead, dora, _ = copies
    must("judge", dora, "--assessor", "dora", stdin=b"1\tr003\t-\n")
    said = must("merge", lead, dora).out.splitlines()
    assert said[:2] == [
        "dora.judge: 2 judgments by dora",
        "1 of the judgments by dora is taken back",
    ]
    assert [row[1] for row in judgments(lead) if row[2] == "dora"] == ["r010"]
    must("judge", dora, "--assessor", "dora", stdin=b"1\tr003\t1\n")
    assert "taken back" not in must("merge", lead, dora).out


def test_a_judgment_that_both_had_and_one_undid_is_named(copies):
    """Undone in one copy it holds nowhere any more, which the merge says, also where it is only looked at."""
    lead, dora, _ = copies
    must("merge", lead, dora)
    with open_project(dora, assessor="dora") as session:
        session.undo()
    for dry in (("--dry-run",), ()):
        assert must("merge", lead, dora, *dry).out.splitlines()[:-1] == [
            "dora.judge: 1 judgment by dora",
            "1 of the judgments by dora is taken back",
        ]
    assert len([row for row in judgments(lead) if row[2] == "dora"]) == 1


def test_a_judgment_that_is_shown_again_and_was_changed_is_one(copies):
    """A merge undone, and the copy merged again after more work: each judgment of it counts once."""
    lead, dora, _ = copies
    must("merge", lead, dora)
    with open_project(lead) as session:
        session.undo()
    must("judge", dora, "--assessor", "dora", stdin=b"1\tr003\t3\n1\tr011\t1\n")
    told = must("merge", lead, dora, "--dry-run", "--format", "json").json["files"][0]
    assert told["judgments"] == {"dora": 3}
    assert must("merge", lead, dora).out.splitlines()[0] == "dora.judge: 3 judgments by dora"


def change_scale(path, *, at=3, relevant_from=None, **said):
    """Change a level's gain, name or the like in a project."""
    with open_project(path) as session:
        scale = session.scale
        levels = [x._replace(**said) if x.grade == at else x for x in scale.levels]
        start = relevant_from or scale.relevant_from
        session.execute(SetScale(replace(scale, levels=tuple(levels), relevant_from=start)))


def test_gains_of_a_copy_are_named_every_time(copies):
    """What a copy changes of the scale is said before it is written, also where it was merged and undone."""
    lead, _, emil = copies
    change_scale(emil, gain=7.0)
    told = [
        "emil.judge: 1 judgment by emil",
        "emil.judge: theirs are later: the scale",
        "The scale changes: gain of 3: 3 → 7. With it the values of measures change.",
    ]
    before = must("score", "--project", lead, "-m", "nDCG@10").out
    for _time in range(2):
        assert must("merge", lead, emil, "--dry-run").out.splitlines()[:-1] == told
        assert must("score", "--project", lead, "-m", "nDCG@10").out == before
        assert must("merge", lead, emil).out.splitlines()[:-1] == told
        assert must("score", "--project", lead, "-m", "nDCG@10").out != before
        undo(lead)
    facts = must("merge", lead, emil, "--format", "json").json
    assert facts["scale_changes"] == ["gain of 3: 3 → 7"]


def test_a_copy_in_which_only_the_scale_is_another_says_so(copies):
    """It is not called something that was done again; what leaves values as they are does not change them."""
    lead, dora, _ = copies
    must("merge", lead, dora)
    change_scale(dora, name="Just right", definition="It is.", key="w")
    assert must("merge", lead, dora).out.splitlines()[:-1] == [
        "dora.judge: nothing but values of the project’s own",
        "dora.judge: theirs are later: the scale",
        (
            "The scale changes: name of 3: Highly relevant → Just right; definition of 3; "
            "key or look of 3."
        ),
    ]
    change_scale(dora, at=1, p_relevant=0.25, relevant_from=2)
    assert must("merge", lead, dora).out.splitlines()[2] == (
        "The scale changes: probability of 1: 0.125 → 0.25; relevant from 1 → 2. "
        "With it the values of measures change."
    )


def test_who_counts_with_a_merge_is_named(copies):
    """Before it is written and after: values and the order of systems change with it."""
    lead, _, emil = copies
    must("project", lead, "--counts", "anna=no")
    must("project", emil, "--counts", "anna=no", "--counts", "emil=no")
    told = "emil does not count from now on. With it the values of measures change."
    assert told in must("merge", lead, emil, "--dry-run").out.splitlines()
    assert told in must("merge", lead, emil).out.splitlines()
    undo(lead)
    assert must("merge", lead, emil, "--format", "json").json["counts"] == {"emil": False}


def test_who_judged_nothing_changes_no_value(copies):
    """That they count no longer is said, and nothing of values."""
    lead, _, emil = copies
    must("judge", emil, "--assessor", "nora", stdin="1\td1\t2\n")
    with open_project(emil, assessor="nora") as session:
        session.undo()
    must("project", emil, "--counts", "nora=no")
    assert "nora does not count from now on." in must("merge", lead, emil).out.splitlines()


def undo(path):
    with open_project(path) as session:
        session.undo()


@pytest.mark.parametrize("wanted", ["Dorothea", "emil", "dora"])
def test_a_name_mistyped_in_a_merge_is_another_one_once_that_is_undone(copies, wanted):
    """What was hidden comes by the name of the merge that shows it, be it new, known or its own."""
    lead, dora, emil = copies
    must("merge", lead, emil)
    must("merge", lead, dora, "--rename", "dora=doraa")
    undo(lead)
    renames = () if wanted == "dora" else ("--rename", f"dora={wanted}")
    if wanted == "emil":
        must("judge", dora, "--assessor", "dora", stdin=b"1\tr010\t3\n")
    told = must("merge", lead, dora, *renames).out.splitlines()
    assert told[0] == f"dora.judge: 2 judgments by {wanted}"
    said = {tuple(row[1:4]) for row in judgments(lead)}
    assert (("r010", wanted, "3") if wanted == "emil" else ("r010", wanted, "0")) in said
    assert not any(name == "doraa" for _, name, _ in said)
    must("check", lead)
    assert "All of it is in" in must("merge", lead, dora, *renames).out
    undo(lead)
    assert {tuple(row[1:4]) for row in judgments(lead)} < said


def test_a_new_name_that_comes_too_late_is_said(copies):
    """What is in view by another name stays, and the way to change that is told."""
    lead, dora, _ = copies
    must("merge", lead, dora, "--rename", "dora=doraa")
    assert must("merge", lead, dora, "--rename", "dora=doraa").out.splitlines() == [
        "dora.judge: nothing new",
        f"All of it is in {lead} already.",
    ]
    assert must("merge", lead, dora, "--rename", "dora=Dorothea").out.splitlines() == [
        "dora.judge: nothing new",
        (
            "dora.judge: 2 judgments by dora are here as doraa’s since an earlier merge, and stay so. "
            "To give them another name, undo that merge first, then merge again"
        ),
        f"All of it is in {lead} already.",
    ]
    must("judge", dora, "--assessor", "dora", stdin=b"1\tr011\t3\n")
    told = must("merge", lead, dora, "--rename", "dora=Dorothea", "--dry-run").out.splitlines()
    assert told[0] == "dora.judge: 1 judgment by Dorothea"
    assert "2 judgments by dora are here as doraa’s" in told[1]


def test_names_that_differ_by_capitals_or_blanks_are_asked_about(copies):
    """Nobody is joined, or told apart, silently; merging again asks no more."""
    lead, dora, _ = copies
    must("judge", lead, "--assessor", "Dora ", stdin=b"1\tr010\t1\n")
    asked = call("merge", lead, dora)
    assert asked.code == 1
    assert "--answer 'dora=same'" in asked.err
    must("merge", lead, dora, "--answer", "dora=same")
    assert {row[2] for row in judgments(lead)} >= {'"Dora "'}
    assert "dora" not in {row[2] for row in judgments(lead)}
    assert call("merge", lead, dora, "--answer", "dora=maybe").code == 2


def test_an_import_asks_about_names_that_differ_by_capitals_or_blanks(copies, tmp_path):
    """They are told apart until it is said that they are one."""
    lead, *_ = copies
    file = tmp_path / "said.csv"
    file.write_text("query_id,doc_id,grade,assessor\n1,r004,1,ANNA\n")
    must("judge", lead, "--assessor", "anna", stdin=b"1\tr003\t2\n")
    asked = must("import", lead, "--qrels", file, "--dry-run")
    assert "--answer people=CHOICE" in asked.out
    must("import", lead, "--qrels", file, "--answer", "people=same")
    assert {row[2] for row in judgments(lead) if row[1] == "r004"} >= {"anna"}
    assert "ANNA" not in {row[2] for row in judgments(lead)}


def test_what_cannot_be_merged(copies, tmp_path):
    """Another project and a missing file are wrong input, a rename without a name wrong usage."""
    lead, ben, _ = copies
    other = tmp_path / "apart.judge"
    must("new", other)
    assert call("merge", lead, other).code == 1
    assert call("merge", lead, tmp_path / "none.judge").code == 1
    assert call("merge", lead, ben, "--rename", "dora").code == 2
    assert call("merge", lead, ben, "--rename", "zoe=x").code == 2


def test_copies_are_listed_in_the_language_spoken(copies, monkeypatch):
    """In what is refused, and in what the step is called, which the file has without a word of one."""
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "de")
    try:
        refused = call("merge", *copies, "--rename", "zoe=x")
        must("merge", *copies)
        with open_project(copies[0]) as session:
            title = title_in_words(session.undo_step.title)
    finally:
        speak(Language())
    assert "dora.judge und emil.judge" in refused.err
    assert "dora.judge, emil.judge" in title


def test_values_are_named_as_people_name_them(copies):
    """What-ifs with their queries, snapshots and the rest: by name; of many the number."""
    lead, dora, emil = copies
    with open_project(dora, assessor="dora") as session:
        made = create_whatif(session, "lift soups", session.material.runs[0].run_id)
        for query in (0, 1):
            first = whatif_book(session).ranking(made, query)[0]
            add_step(session, made, query, Remove(int(first)))
        create_snapshot(session, "march")
        session.execute(save_view("odd ones", parse_filters("flagged judged")))
    with open_project(emil, assessor="emil") as session:
        for number in range(7):
            create_snapshot(session, f"s{number}")
    said = must("merge", lead, dora, emil, "--dry-run").out
    assert must("merge", lead, dora, emil).out.splitlines()[:-1] == said.splitlines()[:-1]
    assert (
        "dora.judge: theirs are later: snapshot ‘march’, view ‘odd ones’, what-if ‘lift soups’ "
        "(queries 1, 2)" in said
    )
    assert "emil.judge: theirs are later: 7 snapshots" in said


def bring(path, kind, *things):
    """Import queries or documents, the file's texts in place of those that are there."""
    source = path.with_suffix(f".{kind}.jsonl")
    source.write_text("".join(json.dumps(each) + "\n" for each in things))
    must("import", path, f"--{kind}", source, "--answer", "texts=replace")


@pytest.fixture
def texts(tmp_path):
    """Three copies of a project with a query and a document, and a fourth that none has changed."""
    paths = [tmp_path / f"{name}.judge" for name in ("lead", "anna", "ben", "cem")]
    must("new", paths[0], "--title", "Texts")
    bring(paths[0], "documents", {"id": "p1", "title": "Old title", "text": "old", "lang": "en"})
    bring(paths[0], "queries", {"id": "1", "text": "old query", "description": "old description"})
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    return paths


def title(path, text):
    with open_project(path) as session:
        session.execute(set_title(text))


def all_texts(path):
    """All documents and queries as a project writes them, in the order of their ids."""
    kinds = ("documents-jsonl", "queries-jsonl")
    lines = [must("export", path, "--format", kind).out.splitlines() for kind in kinds]
    return [[*map(json.loads, sorted(each))] for each in lines]


def test_what_copies_changed_of_a_text_all_counts(texts):
    """One the title, one the text, one an own field; a document new in two copies has what both say."""
    lead, anna, ben, cem = texts
    bring(anna, "documents", {"id": "p1", "title": "Anna title"}, {"id": "new", "title": "T"})
    bring(anna, "queries", {"id": "1", "text": "anna query"})
    bring(ben, "documents", {"id": "p1", "text": "Ben text"}, {"id": "new", "text": "B"})
    bring(ben, "queries", {"id": "1", "description": "ben description"})
    bring(cem, "documents", {"id": "p1", "lang": "de"})
    other = shutil.copy(lead, lead.with_name("other.judge"))
    said = must("merge", lead, anna, ben, cem, "--dry-run", "--format", "json").json
    assert said["texts"] == []
    assert "differs" not in must("merge", lead, anna, ben, cem).out
    for copy in (cem, ben, anna):
        must("merge", other, copy)
    assert all_texts(lead) == [
        [
            {"doc_id": "new", "title": "T", "text": "B"},
            {"doc_id": "p1", "title": "Anna title", "text": "Ben text", "lang": "de"},
        ],
        [{"query_id": "1", "text": "anna query", "description": "ben description"}],
    ]
    assert all_texts(other) == all_texts(lead)
    with open_project(lead, read_only=True) as session:
        assert session.material.queries[0].text == "anna query"
        number = session.material.find_document("p1")
        (found,) = session.material.iter_texts(np.array([number]), "title")
        assert found.texts == {number: "Anna title"}
    must("check", lead)


def test_the_later_of_two_changes_of_one_part_counts_and_both_are_said(texts):
    """In words and as JSON, also where neither copy was here before."""
    lead, anna, ben, _ = texts
    other = shutil.copy(lead, lead.with_name("other.judge"))
    bring(anna, "documents", {"id": "p1", "title": "Anna title", "text": "Anna text"})
    bring(anna, "queries", {"id": "1", "text": "anna query"})
    bring(ben, "documents", {"id": "p1", "title": "Ben title"})
    bring(ben, "queries", {"id": "1", "text": "ben query"})
    told = must("merge", lead, anna, ben, "--dry-run", "--format", "json").json["texts"]
    assert told == [
        {
            "noun": noun,
            "id": name,
            "part": part,
            "kept": f"Ben {part}" if noun == "document" else "ben query",
            "kept_from": "ben.judge",
            "lost": f"Anna {part}" if noun == "document" else "anna query",
            "lost_from": "anna.judge",
        }
        for noun, name, part in (("document", "p1", "title"), ("query", "1", "text"))
    ]
    must("merge", lead, anna, ben)
    must("merge", other, ben)
    assert must("merge", other, anna).out.splitlines() == [
        "anna.judge: 1 query’s text or weight, 1 document’s text",
        "anna.judge: 1 query’s text differs: ours is later",
        "anna.judge: 1 document’s text differs: ours is later",
        "document p1, title: ‘Ben title’ here counts, as it is later, and not ‘Anna title’ in anna.judge",
        "query 1, text: ‘ben query’ here counts, as it is later, and not ‘anna query’ in anna.judge",
        f"Merged into {other}.",
    ]
    assert all_texts(lead)[0][0] == {
        "doc_id": "p1",
        "title": "Ben title",
        "text": "Anna text",
        "lang": "en",
    }
    assert all_texts(other) == all_texts(lead)


def test_a_weight_that_a_copy_changes_is_no_new_query(texts):
    """It changes weighted means: which query weighs what is said before it is written."""
    lead, anna, *_ = texts
    bring(anna, "queries", {"id": "1", "weight": 5})
    named = "Weights of queries change: 1: 1 → 5. Weighted means change with them."
    told = ["anna.judge: 1 query’s text or weight", named]
    assert must("merge", lead, anna, "--dry-run").out.splitlines()[:-1] == told
    assert must("merge", lead, anna).out.splitlines()[:-1] == told
    undo(lead)
    again = must("merge", lead, anna, "--format", "json").json
    assert again["weight_changes"] == ["1: 1 → 5"]


def test_the_same_query_brought_into_copies_is_no_other_text(tmp_path):
    """Of a query that two copies know from judgments nothing differs."""
    lead, *others = (tmp_path / f"{name}.judge" for name in ("lead", "anna", "ben"))
    must("new", lead, "--scale", "binary")
    for path in others:
        shutil.copy(lead, path)
        must("import", path, "--qrels", "-", "--assessor", path.stem, stdin=b"q1 0 d1 1\n")
    told = must("merge", lead, *others).out.splitlines()
    assert told[:-1] == [
        "anna.judge: 1 judgment by anna, 1 query",
        "ben.judge: 1 judgment by ben",
    ]


def test_only_what_a_file_still_has_otherwise_is_named(texts):
    """Who has merged a copy has its texts and values: merged into it, nothing differs any more."""
    lead, anna, ben, cem = texts
    bring(anna, "documents", {"id": "p1", "title": "Anna title", "lang": "yo"})
    bring(anna, "queries", {"id": "1", "text": "anna query"})
    title(anna, "Anna project")
    bring(ben, "documents", {"id": "p1", "title": "Ben title", "lang": "en-GB"})
    bring(ben, "queries", {"id": "1", "text": "ben query"})
    title(ben, "Ben project")
    must("merge", anna, ben)
    for dry in (("--dry-run",), ()):
        assert must("merge", ben, anna, *dry).out.splitlines()[:-1] == [
            "anna.judge: 1 query’s text or weight, 1 document’s text"
        ]
    assert all_texts(ben) == all_texts(anna)
    must("merge", lead, anna)
    assert "differ" not in must("merge", cem, lead, ben).out


def test_a_text_that_another_copy_took_from_here_is_not_named_as_its_own(texts):
    """Of three files each is named with what it has now, not with what it once had."""
    lead, anna, ben, _ = texts
    bring(anna, "documents", {"id": "p1", "title": "Anna title"})
    bring(ben, "documents", {"id": "p1", "title": "Ben title"})
    must("merge", anna, ben)
    bring(lead, "documents", {"id": "p1", "title": "Lead title"})
    told = must("merge", lead, anna, "--dry-run", "--format", "json").json["texts"]
    assert [(each["lost"], each["lost_from"]) for each in told] == [("Ben title", "anna.judge")]
    told = must("merge", anna, lead, "--format", "json").json["texts"]
    assert [(each["kept"], each["lost"], each["lost_from"]) for each in told] == [
        ("Lead title", "Ben title", "")
    ]


def test_texts_that_differ_are_named_again_where_the_merge_was_undone(texts):
    """Merging again says of them what it said the first time."""
    lead, anna, *_ = texts
    bring(anna, "documents", {"id": "p1", "title": "Anna title"})
    bring(lead, "documents", {"id": "p1", "title": "Lead title"})
    told = must("merge", lead, anna, "--format", "json").json["texts"]
    assert len(told) == 1
    with open_project(lead) as session:
        session.undo()
    assert must("merge", lead, anna, "--dry-run", "--format", "json").json["texts"] == told


def test_a_text_that_was_set_back_stays_set_back(texts):
    """Who saw a change and took the old text again has said something: it is not what nobody touched."""
    lead, anna, ben, _ = texts
    bring(anna, "documents", {"id": "p1", "title": "Anna title"})
    must("merge", lead, anna)
    bring(lead, "documents", {"id": "p1", "title": "Old title"})
    bring(ben, "documents", {"id": "p1", "text": "Ben text"})
    assert "differs" not in must("merge", ben, lead).out
    assert "differs" not in must("merge", anna, ben).out
    for path in (ben, anna):
        assert all_texts(path)[0][0]["title"] == "Old title"
        assert all_texts(path)[0][0]["text"] == "Ben text"


def test_undo_of_a_merge_gives_texts_back_as_they_were(texts):
    """And redo brings them again; what is written afterwards stands upon all of it."""
    lead, anna, ben, _ = texts
    bring(anna, "documents", {"id": "p1", "title": "Anna title"})
    bring(lead, "documents", {"id": "p1", "text": "Lead text"})
    before = all_texts(lead)
    must("merge", lead, anna)
    merged = all_texts(lead)
    assert merged[0][0]["title"] == "Anna title"
    with open_project(lead) as session:
        session.undo()
        assert session.material.document(1).title == "Old title"
    assert all_texts(lead) == before
    with open_project(lead) as session:
        session.redo()
        document = session.material.document(1)
        assert (document.title, document.body) == ("Anna title", "Lead text")
        edit_document(session, 1, replace(document, title=""))
    must("merge", ben, lead)
    assert all_texts(ben)[0][0] == {"doc_id": "p1", "text": "Lead text", "lang": "en"}


def test_a_note_that_is_imported_decides_no_merge(copies):
    """Of one person's grades in two copies the later counts, also where a note came to the earlier one."""
    lead, dora, other = copies
    must("judge", other, "--assessor", "dora", stdin=b"1\tr003\t3\n")
    notes = dora.with_suffix(".csv")
    notes.write_text("query_id,doc_id,assessor,grade,note\n1,r003,dora,2,hello\n")
    must("import", dora, "--qrels", notes)
    second = shutil.copy(lead, lead.with_name("second.judge"))
    must("merge", lead, dora, other)
    must("merge", second, other)
    must("merge", second, dora)
    for path in (lead, second):
        assert ["1", "r003", "dora", "3", "judged"] in judgments(path)
        must("check", path)
