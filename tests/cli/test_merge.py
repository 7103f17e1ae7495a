"""``judgetool merge``: copies that came by mail become one, and what does not fit is refused."""

import shutil
from dataclasses import replace

import pytest

from judgetool.core.rankings import Remove
from judgetool.session.commands import SetScale
from judgetool.session.comparing.snapshots import create_snapshot
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
    assert judgments(lead) == judgments(other)
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
