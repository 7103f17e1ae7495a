"""Boost rules: applied to every query of a run, before its steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.core.reordering import Move, Remove
from judgetool.errors import UsageError
from judgetool.metrics import RunBlock
from judgetool.session.background import WorkCancelledError
from judgetool.session.comparing.trial import Trial, read_orders
from judgetool.session.imports.importing import import_readings
from judgetool.session.imports.plan import ImportChoices
from judgetool.session.systems import System
from judgetool.session.whatifs.book import engine_key_of, whatif_book
from judgetool.session.whatifs.editing import add_step, create_fused, create_whatif, set_rules
from judgetool.session.whatifs.rule_work import rule_work
from judgetool.session.whatifs.rules import Rule, RuleMatches, apply_rules
from judgetool.session.whatifs.stored import find_whatif
from tests.helpers.builders import Parts, make_project, make_readings
from tests.session.whatif_projects import names, number, project, run_id  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Rule("pin", "id", "equals", "D5", 1), "d5 d0 d1 d2 d3 d4"),
        (Rule("pin", "title", "contains", "curry", 2), "d0 d1 d3 d5 d2 d4"),
        (Rule("boost", "id", "regex", "d[5]$", 3), "d0 d1 d5 d2 d3 d4"),
        (Rule("demote", "id", "equals", "d0", 2), "d1 d2 d0 d3 d4 d5"),
        (Rule("bottom", "title", "contains", "PIE"), "d1 d3 d5 d0 d2 d4"),
        (Rule("remove", "title", "contains", "curry"), "d0 d2 d4"),
        (Rule("remove", "kind", "equals", "old", queries="apple"), "d0 d1 d2 d3 d4 d5"),
        (Rule("remove", "no such field", "contains", "x"), "d0 d1 d2 d3 d4 d5"),
    ],
)
def test_a_rule_does_what_it_says(project, rule, expected):  # noqa: F811
    """Each action moves exactly the documents that match, upper and lower case alike."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    set_rules(project, whatif, [rule])
    assert " ".join(names(project, whatif_book(project).ranking(whatif, 0))) == expected


def test_steps_come_after_rules(project):  # noqa: F811
    """A document that a rule took away can be put elsewhere by hand."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    add_step(project, whatif, 0, Move(number(project, "d4"), 1))
    set_rules(project, whatif, [Rule("bottom", "title", "contains", "pie")])
    assert names(project, whatif_book(project).ranking(whatif, 0)) == [
        "d4",
        "d1",
        "d3",
        "d5",
        "d0",
        "d2",
    ]


def test_before_of_a_fused_whatif_is_the_fusion_without_its_rules(project):  # noqa: F811
    """Beside what it was fused from, rules and steps of any query change only what comes after."""
    runs = run_id(project, "alpha"), run_id(project, "gamma")
    plain, ruled = (create_fused(project, name, *runs) for name in ("plain", "ruled"))
    fusion = [
        project.board.engine.value(engine_key_of(project, found(plain)), 0),
        *means(plain, project),
    ]
    set_rules(project, ruled, [Rule("remove", "title", "contains", "curry")])
    add_step(project, ruled, 1, Remove(number(project, "d6")))
    orders = read_orders(project, found(ruled), 0)
    trial = Trial(project, found(ruled), 0)
    rows = trial.rows(orders.order)
    assert orders.imported == tuple(whatif_book(project).ranking(plain, 0).tolist())
    assert [row.old for row in rows] == [value.value for value in fusion[0]]
    assert [row.mean_old for row in rows] == fusion[1:]
    assert any(row.mean_new != row.mean_old for row in rows)


def found(whatif):
    """A what-if as a system."""
    return System("what-if", whatif, "")


def means(whatif, session):
    """A what-if's means in the live engine."""
    engine = session.board.engine
    return [mean.value for mean in engine.means(engine_key_of(session, found(whatif)))]


def test_what_a_worker_found_is_used(project):  # noqa: F811
    """Matches found on another thread give the ranking without reading texts again."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    rules = [Rule("bottom", "title", "contains", "pie")]
    told = []
    matches = rule_work(project, whatif, rules)(lambda *done: told.append(done), None)
    assert told[-1] == (7, 7)
    set_rules(project, whatif, rules, matches=matches)
    assert names(project, whatif_book(project).ranking(whatif, 0))[0] == "d1"
    project.undo()
    assert names(project, whatif_book(project).ranking(whatif, 0))[0] == "d0"


def test_cancelling_changes_nothing(project):  # noqa: F811
    """A cancelled search for matches ends with a sentence, and the rules stay as they were."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    work = rule_work(project, whatif, [Rule("remove", "id", "contains", "d")])
    with pytest.raises(WorkCancelledError):
        work(None, lambda: True)
    assert find_whatif(project, whatif).rules == ()


@pytest.mark.parametrize(
    ("action", "field", "match", "text", "ranks"),
    [
        ("lift", "id", "equals", "x", 1),
        ("pin", "id", "is", "x", 1),
        ("pin", "id", "equals", "", 1),
        ("pin", "", "equals", "x", 1),
        ("pin", "id", "equals", "x", 0),
        ("pin", "id", "regex", "(", 1),
    ],
)
def test_a_rule_that_means_nothing_is_refused(action, field, match, text, ranks):
    """Each part of a rule is checked when it is made."""
    with pytest.raises(UsageError):
        Rule(action, field, match, text, ranks)


def test_a_rule_survives_the_project_file():
    """A rule as plain values is the same rule again."""
    for rule in (Rule("boost", "a", "regex", "^x", 3, "soup"), Rule("bottom", "b", "equals", "y")):
        assert Rule.from_dict(rule.to_dict()) == rule


def test_no_expression_runs_for_ever(project):  # noqa: F811
    """What takes a backtracking engine 2^40 steps is answered at once, and rightly."""
    rule = Rule("remove", "title", "regex", "^(a+)+$")
    assert not rule.test()("a" * 40 + "!")
    assert rule.test()("A" * 40)


@pytest.mark.parametrize("text", ["curry(?!.*old)", r"(cur)\1", r"\bсуп\b", "a{1,5000}"])
def test_what_linear_time_cannot_do_is_named_and_kept(project, text):  # noqa: F811
    """The rule stays in the project as it was written, says so, and moves nothing."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    before = names(project, whatif_book(project).ranking(whatif, 0))
    set_rules(project, whatif, [Rule("remove", "title", "regex", text)])
    assert names(project, whatif_book(project).ranking(whatif, 0)) == before
    (kept,) = find_whatif(project, whatif).rules
    assert kept.text == text
    assert "not supported" in kept.gap


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^\w+$", "Ёлка"),
        (r"[\w-]+я", "кухня"),
        (r"\d\s\d", "٣\u00a0٤"),
        (r"[]x]", "]"),
        (r"a\Z", "A"),
    ],
)
def test_classes_are_of_all_scripts(pattern, text):
    """Letters, digits and blanks are those of every script, as people expect of ``re``."""
    assert Rule("remove", "title", "regex", pattern).test()(text)


blocks = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=8), min_size=1, max_size=4)
wanted = st.lists(st.integers(0, 20), unique=True, max_size=8)
actions = st.sampled_from(["pin", "boost", "demote", "bottom", "remove"])


@given(blocks, wanted, actions, st.integers(1, 6))
def test_rules_permute_each_ranking(rankings, matching, action, ranks):
    """A rule keeps every document of a ranking, or takes exactly the matching ones away."""
    rule = Rule(action, "id", "contains", "x", ranks)
    found = np.array(sorted(matching), dtype=np.int32)
    matches = RuleMatches({rule.question: found})
    lengths = [len(each) for each in rankings]
    documents = np.array([doc for each in rankings for doc in each], dtype=np.int32)
    block = RunBlock(np.cumsum([0, *lengths]), documents)
    queries = [Query(str(place)) for place in range(len(rankings))]
    after = apply_rules(block, [rule], matches, queries)
    for query, before in enumerate(rankings):
        kept = [doc for doc in before if action != "remove" or doc not in matching]
        assert sorted(after.ranking(query).tolist()) == sorted(kept)
        others = [doc for doc in before if doc not in matching]
        assert [doc for doc in after.ranking(query).tolist() if doc not in matching] == others


def test_fields_of_a_document_are_looked_at(tmp_path):
    """Own fields and the document's own parts are told apart by their names."""
    document = Document("d", "Title", "https://x.example", "Body", {"course": "Soup"})
    parts = Parts([Query("q")], [document], {"run": {"q": ("d",)}}, [])
    with make_project(tmp_path, parts) as session:
        whatif = create_whatif(session, "ruled", run_id(session, "run"))

        def is_about(rule):
            return len(rule_work(session, whatif, [rule])(None, None).by_question[rule.question])

        assert is_about(Rule("bottom", "course", "equals", "soup"))
        assert is_about(Rule("bottom", "url", "contains", "X.EXAMPLE"))
        assert not is_about(Rule("bottom", "course", "equals", "sou"))


FIELDS = ("id", "title", "url", "body", "kind", "no such field")


@pytest.mark.parametrize("field", FIELDS)
def test_texts_read_in_bulk_are_those_of_the_documents(project, field):  # noqa: F811
    """Many texts read at once are what each document has; what has none is left out."""
    numbers = np.array(sorted(project.material.document_ids()), dtype=np.int32)
    for wanted in (numbers, numbers[::3], numbers[[0, -1]], numbers[:0]):
        found = {}
        for part in project.material.iter_texts(wanted, field):
            found |= part.texts
        expected = {}
        for each, document in zip(
            wanted.tolist(), project.material.documents(wanted.tolist()), strict=True
        ):
            text = getattr(document, field, None) if field in FIELDS[:4] else None
            if text is None:
                text = document.fields.get(field)
            if text is not None:
                expected[each] = text
        assert {key: text for key, text in found.items() if text} == {
            key: text for key, text in expected.items() if text
        }


def test_the_text_imported_last_is_the_one_that_rules_read(tmp_path):
    """A second import of a document's title is what rules look at; undone, the first is again."""
    parts = Parts(
        [Query("q")],
        [Document("a", "Old title"), Document("b", "Old title")],
        {"run": {"q": ("a", "b", "c")}},
        [],
    )
    with make_project(tmp_path, parts) as session:
        rule = Rule("remove", "title", "contains", "old")
        whatif = create_whatif(session, "ruled", run_id(session, "run"))

        def left():
            matches = rule_work(session, whatif, [rule])(None, None)
            matching = names(session, matches.by_question[rule.question])
            return [name for name in "abc" if name not in matching]

        assert left() == ["c"]
        readings = make_readings(Parts([], [Document("a", "New title")], {}, []))
        import_readings(session, readings, choices=ImportChoices(answers={"texts": "replace"}))
        assert left() == ["a", "c"]
        session.undo()
        assert left() == ["c"]


@pytest.mark.parametrize(("pattern", "expected"), [("^$", "c"), (".*", "a b c"), ("x", "")])
def test_a_document_without_text_is_as_if_it_were_empty(tmp_path, pattern, expected):
    """A regular expression that matches nothing at all is about documents without text, too."""
    parts = Parts(
        [Query("q")],
        [Document("a", "Soup"), Document("b", "Bread")],
        {"run": {"q": ("a", "b", "c")}},
        [],
    )
    with make_project(tmp_path, parts) as session:
        rule = Rule("bottom", "title", "regex", pattern)
        whatif = create_whatif(session, "ruled", run_id(session, "run"))
        found = rule_work(session, whatif, [rule])(None, None).by_question[rule.question]
        assert " ".join(names(session, found)) == expected


def test_rules_on_several_fields_tell_progress_to_the_end(project):  # noqa: F811
    """Each field is read once for all rules that ask for it, and progress ends at the whole."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    rules = [
        Rule("bottom", "title", "contains", "pie"),
        Rule("boost", "title", "contains", "curry"),
        Rule("pin", "id", "equals", "d5"),
    ]
    told = []
    matches = rule_work(project, whatif, rules)(lambda *done: told.append(done), None)
    assert told[0] == (0, 14)
    assert told[-1] == (14, 14)
    assert matches.covers(rules)
