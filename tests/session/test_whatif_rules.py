"""Rules: applied to every query of a run, before its steps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.core.rankings import Move, Remove
from judgetool.errors import InputError, UsageError
from judgetool.formats import Kind, Reading
from judgetool.metrics import RunBlock
from judgetool.session.commands import Say, SetValues, WorkCancelledError, set_measures
from judgetool.session.comparing.snapshots import create_snapshot, find_snapshot, snapshot_block
from judgetool.session.comparing.trial import RulesTrial, Trial, read_orders, rule_work
from judgetool.session.history import load_history
from judgetool.session.imports.importing import import_readings
from judgetool.session.imports.plan import ImportChoices
from judgetool.session.systems import System
from judgetool.session.whatifs.applying import Answer, Fusion, RuleMatches, apply_rules
from judgetool.session.whatifs.book import Split, engine_key_of, find_whatif, whatif_book
from judgetool.session.whatifs.editing import (
    add_step,
    assume_grade,
    create_fused,
    create_whatif,
    delete_whatif,
    set_rules,
)
from judgetool.session.whatifs.rules import Condition, Rule
from tests.helpers.builders import Parts, make_project, make_readings, make_run, simple_rule
from tests.session.whatif_projects import names, number, project, run_id  # noqa: F401 - a fixture

CURRY = Condition("title", "contains", "CURRY")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (simple_rule("pin", "id", "equals", "D5", 1), "d5 d0 d1 d2 d3 d4"),
        (simple_rule("pin", "title", "contains", "curry", 2), "d0 d1 d3 d5 d2 d4"),
        (simple_rule("boost", "id", "regex", "d[5]$", 3), "d0 d1 d5 d2 d3 d4"),
        (simple_rule("demote", "id", "equals", "d0", 2), "d1 d2 d0 d3 d4 d5"),
        (simple_rule("boost", "title", "contains", "curry", 2), "d1 d3 d0 d5 d2 d4"),
        (simple_rule("boost", "id", "regex", "d[345]", 2), "d0 d3 d4 d5 d1 d2"),
        (simple_rule("boost", "id", "regex", "d[12]", 3), "d1 d2 d0 d3 d4 d5"),
        (simple_rule("demote", "id", "regex", "d[012]", 2), "d3 d4 d0 d1 d2 d5"),
        (simple_rule("demote", "id", "regex", "d[34]", 3), "d0 d1 d2 d5 d3 d4"),
        (simple_rule("bottom", "title", "contains", "PIE"), "d1 d3 d5 d0 d2 d4"),
        (simple_rule("remove", "title", "contains", "curry"), "d0 d2 d4"),
        (simple_rule("remove", "kind", "equals", "old", queries="apple"), "d0 d1 d2 d3 d4 d5"),
        (simple_rule("remove", "no such field", "contains", "x"), "d0 d1 d2 d3 d4 d5"),
        (simple_rule("bury", "title", "contains", "pie", 3), "d1 d3 d0 d2 d4 d5"),
        (simple_rule("bury", "title", "contains", "pie", 99), "d1 d3 d5 d0 d2 d4"),
        (Rule("remove", (CURRY, Condition("id", "regex", "[0-3]"))), "d0 d2 d4 d5"),
        (Rule("remove", (CURRY,), is_on=False), "d0 d1 d2 d3 d4 d5"),
        (Rule("collapse", by="kind"), "d0"),
        (Rule("collapse", (CURRY,), 2, by="kind"), "d0 d1 d2 d3 d4"),
        (Rule("collapse", by="no such field"), "d0 d1 d2 d3 d4 d5"),
        (Rule("score", formula="rank"), "d5 d4 d3 d2 d1 d0"),
        (Rule("score", (CURRY,), formula="-rank"), "d0 d2 d4 d1 d3 d5"),
        (Rule("score", formula="if(rank > 3, rank, 0/0)"), "d5 d4 d3 d0 d1 d2"),
        (Rule("score", formula="-rank", queries="apple"), "d0 d1 d2 d3 d4 d5"),
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
    set_rules(project, whatif, [simple_rule("bottom", "title", "contains", "pie")])
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
    plain, ruled = (create_fused(project, name, runs, Fusion()) for name in ("plain", "ruled"))
    fusion = [
        project.board.engine.value(engine_key_of(project, found(plain)), 0),
        *means(plain, project),
    ]
    set_rules(project, ruled, [simple_rule("remove", "title", "contains", "curry")])
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


def matched(session, whatif, rule):
    """The documents that meet a rule's condition."""
    return rule_work(session, whatif, [rule])(None, None).by_question[rule.questions[0]].documents


def means(whatif, session):
    """A what-if's means in the live engine."""
    engine = session.board.engine
    return [mean.value for mean in engine.means(engine_key_of(session, found(whatif)))]


def test_what_a_worker_found_is_used(project):  # noqa: F811
    """Matches found on another thread give the ranking without reading texts again."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    rules = [simple_rule("bottom", "title", "contains", "pie")]
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
    work = rule_work(project, whatif, [simple_rule("remove", "id", "contains", "d")])
    with pytest.raises(WorkCancelledError):
        work(None, lambda: True)
    assert find_whatif(project, whatif).rules == ()


@pytest.mark.parametrize(
    ("action", "field", "match", "text", "ranks"),
    [
        ("lift", "id", "equals", "x", 1),
        ("pin", "id", "<", "dear", 1),
        ("score", "id", "equals", "x", 1),
        ("collapse", "id", "equals", "x", 1),
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
        simple_rule(action, field, match, text, ranks)


def test_a_rule_is_about_some_documents():
    """But for a formula and for groups, which may be about all."""
    with pytest.raises(UsageError, match="needs a field to look at"):
        Rule("remove", ())


def test_rules_are_not_applied_with_the_answers_to_others():
    """They were changed while their documents were looked for."""
    block, rule = RunBlock(np.array([0, 1]), np.array([0], np.int32)), Rule("remove", (CURRY,))
    with pytest.raises(InputError, match="rules were changed"):
        apply_rules(block, [rule], RuleMatches({}), [Query("q")])


def test_a_rule_survives_the_project_file():
    """A rule as plain values is the same rule again."""
    for rule in (
        simple_rule("boost", "a", "regex", "^x", 3, "soup"),
        simple_rule("bottom", "b", "equals", "y"),
    ):
        assert Rule.from_dict(rule.to_dict()) == rule


def test_no_expression_runs_for_ever():
    """What takes a backtracking engine 2^40 steps is answered at once, and rightly."""
    is_met = Condition("title", "regex", "^(a+)+$").test()
    assert not is_met("a" * 40 + "!")
    assert is_met("A" * 40)


@pytest.mark.parametrize(
    "text", ["curry(?!.*old)", r"(cur)\1", r"\bсуп\b", "a{1,5000}", "x" * 1001, "(" * 1001]
)
def test_what_linear_time_cannot_do_is_named_and_kept(project, text):  # noqa: F811
    """The rule stays in the project as it was written, says so, and moves nothing."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    before = names(project, whatif_book(project).ranking(whatif, 0))
    set_rules(project, whatif, [simple_rule("remove", "title", "regex", text)])
    assert names(project, whatif_book(project).ranking(whatif, 0)) == before
    (kept,) = find_whatif(project, whatif).rules
    assert kept.where[0].text == text
    assert "not supported" in kept.gap


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^\w+$", "Ёлка"),
        (r"[\w-]+я", "кухня"),
        (r"\d\s\d", "٣\u00a0٤"),
        (r"[]x]", "]"),
        (r"a\Z", "A"),
        (r"^\D\S[^\W]$", "xЁz"),
    ],
)
def test_classes_are_of_all_scripts(pattern, text):
    """Letters, digits and blanks are those of every script, as people expect of ``re``."""
    assert Condition("title", "regex", pattern).test()(text)


blocks = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=8), min_size=1, max_size=4)
wanted = st.lists(st.integers(0, 20), unique=True, max_size=8)
actions = st.sampled_from(["pin", "boost", "demote", "bottom", "remove"])


@given(blocks, wanted, actions, st.integers(1, 6))
def test_rules_permute_each_ranking(rankings, matching, action, ranks):
    """A rule keeps every document of a ranking, or takes exactly the matching ones away."""
    for before, after in zip(rankings, applied(rankings, matching, action, ranks), strict=True):
        kept = [doc for doc in before if action != "remove" or doc not in matching]
        assert sorted(after) == sorted(kept)
        others = [doc for doc in before if doc not in matching]
        assert [doc for doc in after if doc not in matching] == others


def applied(rankings, matching, action, ranks):
    """Return what one rule about these documents makes of rankings."""
    rule = simple_rule(action, "id", "contains", "x", ranks)
    found = Answer(np.array(sorted(matching), dtype=np.int32), np.ones(len(matching)))
    matches = RuleMatches({rule.questions[0]: found})
    lengths = [len(each) for each in rankings]
    documents = np.array([doc for each in rankings for doc in each], dtype=np.int32)
    block = RunBlock(np.cumsum([0, *lengths]), documents)
    queries = [Query(str(place)) for place in range(len(rankings))]
    after = apply_rules(block, [rule], matches, queries)
    return [after.ranking(query).tolist() for query in range(len(rankings))]


@given(blocks, wanted, st.integers(1, 9))
def test_up_and_down_pass_exactly_so_many_others(rankings, matching, ranks):
    """Each match passes as many of those that the rule is not about, whatever stands beside it."""

    def n_before(ranking, doc):
        return sum(other not in matching for other in ranking[: ranking.index(doc)])

    for action in ("boost", "demote"):
        moved = applied(rankings, matching, action, ranks)
        for before, after in zip(rankings, moved, strict=True):
            ours = [doc for doc in before if doc in matching]
            n_others = len(before) - len(ours)
            assert [doc for doc in after if doc in matching] == ours
            for doc in ours:
                was, now = n_before(before, doc), n_before(after, doc)
                if action == "boost":
                    assert was - now == min(ranks, was)
                else:
                    assert now - was == min(ranks, n_others - was)
    # One is the mirror of the other.
    turned = applied([each[::-1] for each in rankings], matching, "boost", ranks)
    assert moved == [each[::-1] for each in turned]


def test_fields_of_a_document_are_looked_at(tmp_path):
    """Own fields and the document's own parts are told apart by their names."""
    document = Document("d", "Title", "https://x.example", "Body", {"course": "Soup"})
    parts = Parts([Query("q")], [document], {"run": {"q": ("d",)}}, [])
    with make_project(tmp_path, parts) as session:
        whatif = create_whatif(session, "ruled", run_id(session, "run"))

        def is_about(rule):
            return len(matched(session, whatif, rule))

        assert is_about(simple_rule("bottom", "course", "equals", "soup"))
        assert is_about(simple_rule("bottom", "url", "contains", "X.EXAMPLE"))
        assert not is_about(simple_rule("bottom", "course", "equals", "sou"))


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
        rule = simple_rule("remove", "title", "contains", "old")
        whatif = create_whatif(session, "ruled", run_id(session, "run"))

        def left():
            matching = names(session, matched(session, whatif, rule))
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
        rule = simple_rule("bottom", "title", "regex", pattern)
        whatif = create_whatif(session, "ruled", run_id(session, "run"))
        assert " ".join(names(session, matched(session, whatif, rule))) == expected


def test_rules_on_several_fields_tell_progress_to_the_end(project):  # noqa: F811
    """Each field is read once for all rules that ask for it, and progress ends at the whole."""
    whatif = create_whatif(project, "ruled", run_id(project, "alpha"))
    rules = [
        simple_rule("bottom", "title", "contains", "pie"),
        simple_rule("boost", "title", "contains", "curry"),
        simple_rule("pin", "id", "equals", "d5"),
    ]
    told = []
    matches = rule_work(project, whatif, rules)(lambda *done: told.append(done), None)
    assert told[0] == (0, 14)
    assert told[-1] == (14, 14)
    assert matches.covers(rules)


SHOP = [("a", "10", "x"), ("b", "yes", "X "), ("c", "12.5", "y"), ("d", "free", ""), ("e", "", "")]


@pytest.fixture
def shop(tmp_path):
    """A session of one query: documents with prices and brands, scores from 10 to 8 and none."""
    documents = [
        Document(name, f"Thing {name}", "", "", {"price": price, "brand": brand})
        for name, price, brand in SHOP
    ]
    parts = Parts([Query("q")], documents, {"run": {"q": tuple("abcde")}}, [])
    flat = replace(make_run("flat", {"q": tuple("edcba")}), scores=None)
    with make_project(tmp_path, parts) as session:
        import_readings(session, [Reading("flat.run", Kind.RUN, "trec-run", runs=[flat])])
        yield session


def ruled(session, *rules, run="run"):
    """The order that rules make of a run's only query, as one text."""
    whatif = create_whatif(session, "ruled", run_id(session, run), rules=rules)
    order = "".join(names(session, whatif_book(session).ranking(whatif, 0)))
    delete_whatif(session, whatif)
    return order


@pytest.mark.parametrize(
    ("match", "text", "left"),
    [("<", "12.5", "cde"), ("<=", "12.5", "de"), (">", "10", "abde"), (">=", "10", "bde")],
)
def test_numbers_are_compared_as_numbers(shop, match, text, left):
    """What is no number meets no comparison, and yes counts as 1."""
    assert ruled(shop, Rule("remove", (Condition("price", match, text),))) == left


def test_documents_without_a_value_have_nothing_in_common(shop):
    """Of each brand the best stays, however it is written; those of none all stay."""
    assert ruled(shop, Rule("collapse", by="brand")) == "acde"


@pytest.mark.parametrize(
    ("formula", "order"),
    [
        ("score", "abcde"),
        ("score + price", "cabde"),
        ("score * default(price, 100)", "decab"),
        ("score * (1 + 0.05 * (price > 11))", "abcde"),
        ("score * (1 + 0.3 * (price > 11))", "cabde"),
    ],
)
def test_a_formula_orders_by_scores_and_fields(shop, formula, order):
    """Scores are the run's own, equal results stay as they stood."""
    assert ruled(shop, Rule("score", formula=formula)) == order


def test_a_run_without_scores_has_those_of_its_ranks(shop):
    """Where the system gave none, a score is 1 / rank."""
    assert ruled(shop, Rule("score", formula="1 / score"), run="flat") == "abcde"
    assert ruled(shop, Rule("score", formula="abs(score - 0.25)"), run="flat") == "edcab"


def test_each_rule_sees_what_those_before_have_done(shop):
    """Collapsed before or after a boost, another document of a brand stays."""
    first, one = simple_rule("pin", "id", "equals", "b"), Rule("collapse", by="brand")
    assert ruled(shop, first, one) == "bcde"
    assert ruled(shop, one, first) == "acde"


def test_rules_and_fusion_of_an_old_project_mean_what_they_did(shop):
    """A rule as version 0.2 kept it, one condition beside its action, is that rule."""
    old = {
        "action": "pin",
        "ranks": 2,
        "field": "id",
        "match": "equals",
        "text": "d",
        "queries": "",
    }
    base = {"how": "run", "runs": [{"run": run_id(shop, "run"), "name": "run"}]}
    head = {"name": "old", "base": base, "note": "", "rules": [old], "made_at": 5, "by": ""}
    shop.execute(SetValues({"whatif/0ld": head}, "Old"))
    assert find_whatif(shop, "0ld").rules == (simple_rule("pin", "id", "equals", "d", 2),)
    assert names(shop, whatif_book(shop).ranking("0ld", 0)) == list("adbce")


def test_a_snapshot_keeps_what_a_formula_and_a_group_saw(shop):
    """Frozen, a what-if stands as it was, though prices and brands come anew."""
    rules = [Rule("score", formula="price"), Rule("collapse", by="brand")]
    whatif = create_whatif(shop, "frozen", run_id(shop, "run"), rules=rules)
    before = names(shop, whatif_book(shop).ranking(whatif, 0))
    assert before == list("cade")
    snapshot = find_snapshot(shop, create_snapshot(shop, "then"))
    (system,) = [each for each in snapshot.systems if each.name == "frozen"]
    cheap = Document("c", "Thing c", "", "", {"price": "0", "brand": "x"})
    readings = make_readings(Parts([], [cheap], {}, []))
    import_readings(shop, readings, choices=ImportChoices(answers={"texts": "replace"}))
    kept = snapshot_block(shop, system._replace(snapshot=snapshot.id)).ranking(0)
    assert names(shop, kept) == before
    assert names(shop, whatif_book(shop).ranking(whatif, 0)) != before


def test_a_limit_says_where_its_field_is_no_number(shop):
    """What a price of words keeps from being cheap is said once; a text is looked for in any."""
    head = find_whatif(shop, create_whatif(shop, "tried", run_id(shop, "run")))
    cheap = simple_rule("boost", "price", "<", "100")
    named = simple_rule("pin", "price", "contains", "free")
    effect = RulesTrial(shop, head).work([cheap, cheap, named])(None, None)
    assert effect.lacks == (
        "price is no number in 2 of 5 documents: ‘price < 100’ is not true of them.",
    )


@pytest.mark.parametrize(
    ("formula", "is_said"),
    [
        ("score * default(price, 3)", False),
        ("default(default_price, price)", True),
        ("default(price, 3) + price", True),
    ],
)
def test_a_formula_says_no_field_counts_as_0_where_default_says_otherwise(shop, formula, is_said):
    """What stands within default everywhere counts as 0 nowhere."""
    head = find_whatif(shop, create_whatif(shop, "tried", run_id(shop, "run")))
    effect = RulesTrial(shop, head).work([Rule("score", formula=formula)])(None, None)
    assert any(lack.startswith("price is no number in 2 of 5") for lack in effect.lacks) is is_said


def test_a_rule_says_that_no_document_has_its_field(shop):
    """Once of each field, whatever is asked of it."""
    head = find_whatif(shop, create_whatif(shop, "tried", run_id(shop, "run")))
    asked = [simple_rule("pin", "price.net", match, "free") for match in ("contains", "equals")]
    effect = RulesTrial(shop, head).work([*asked, Rule("collapse", by="maker")])(None, None)
    assert effect.lacks == (
        "No document here has anything in the field price.net.",
        "No document here has anything in the field maker.",
    )


def test_a_query_without_a_value_has_none_in_the_effect(shop):
    """Its ranking changes, and nothing of it is judged: neither a value nor a change."""
    head = find_whatif(shop, create_whatif(shop, "tried", run_id(shop, "run")))
    effect = RulesTrial(shop, head).work([simple_rule("pin", "id", "equals", "d")])(None, None)
    (row,) = effect.query_changes(0)
    assert (row.old, row.new, row.change) == (None, None, None)


def test_the_effect_of_each_rule_adds_up(shop):
    """Rule by rule and query by query, what rules do is what all of them do together."""
    shop.execute(Say.grade(0, number(shop, "b"), 3.0))
    shop.execute(set_measures(("RR", "P@2")))
    head = find_whatif(shop, create_whatif(shop, "tried", run_id(shop, "run")))
    up, down = simple_rule("pin", "id", "equals", "b"), simple_rule("pin", "id", "equals", "c")
    off, gone = replace(down, is_on=False), Rule("score", formula="price")
    trial = RulesTrial(shop, head)
    effect = trial.work([up, off, down, gone])(None, None)
    assert effect.rules == (up, down, gone)
    assert [effect.share(rule).after for rule in range(3)] == [(1.0, 0.5), (0.5, 0.5), (1 / 3, 0.0)]
    assert effect.share().before == (0.5, 0.5)
    assert effect.share().n_worse == (1, 1)
    assert effect.n_about == (1, 1, 5)
    assert "price is no number in 2 of 5 documents" in effect.lacks[0]
    (row,) = effect.query_changes(0)
    assert (row.old, row.new) == (0.5, 1 / 3)
    (bounds,) = trial.interval_work(effect, [0], 0)(None, None)
    assert (bounds.low, bounds.high) == (-0.5, 0.5)


def test_the_interval_of_a_rule_takes_nothing_assumed_for_certain(shop):
    """What a rule does may be nothing once the document is judged that was assumed to be relevant."""
    shop.execute(Say.grade(0, number(shop, "c"), 0.0))
    shop.execute(set_measures(("RR",)))
    whatif = create_whatif(shop, "tried", run_id(shop, "run"))
    assume_grade(shop, whatif, 0, number(shop, "b"), 3.0)
    trial = RulesTrial(shop, find_whatif(shop, whatif))
    effect = trial.work([simple_rule("pin", "id", "equals", "b")])(None, None)
    (bounds,) = trial.interval_work(effect, [0], 0)(None, None)
    (row,) = effect.query_changes(0)
    assert bounds.low < 0.0 < row.new - row.old <= bounds.high


def test_queries_kept_aside_have_figures_of_their_own(project):  # noqa: F811
    """The split is the same in whatever order queries come, and both figures are means of their part."""
    rule = simple_rule("bottom", "title", "contains", "pie")
    head = find_whatif(project, create_whatif(project, "tried", run_id(project, "alpha")))
    split = Split(34, 7)
    effect = RulesTrial(project, head).work([rule], split)(None, None)
    assert effect.is_aside.sum() == 1
    queries = project.material.queries
    assert split.aside(queries[::-1]).tolist() == effect.is_aside[::-1].tolist()
    place, share = 0, effect.share()
    changes = {row.query: row.change for row in effect.query_changes(place)}
    for part, found in ((~effect.is_aside, share.changes[0]), (effect.is_aside, share.changes[1])):
        own = [changes.get(query, 0.0) for query in np.flatnonzero(part).tolist()]
        assert found[place] == pytest.approx(sum(own) / len(own))


def test_steps_name_the_rule_that_was_changed(shop):
    """Undo and history say which rule came, went, moved or was switched off."""
    whatif = create_whatif(shop, "w", run_id(shop, "run"))
    one, two = simple_rule("pin", "id", "equals", "b"), Rule("collapse", by="brand")
    for rules, said in (
        ([one], "Rule added: Pin to rank 1 where id is ‘b’"),
        ([one, two], "Rule added: At most 1 of the same brand"),
        ([two, one], "Rules in another order"),
        ([two, replace(one, is_on=False)], "Rule off: Pin to rank 1 where id is ‘b’"),
        ([two], "Rule taken away: Pin to rank 1 where id is ‘b’ (off)"),
    ):
        set_rules(shop, whatif, rules)
        assert load_history(shop, limit=1)[0].title == f"{said}, what-if w"


def test_rules_are_steps_with_their_values(shop):
    """Before what was moved by hand stands each rule that is on, with what it makes of the value."""
    shop.execute(Say.grade(0, number(shop, "c"), 3.0))
    shop.execute(set_measures(("RR",)))
    rules = [
        simple_rule("remove", "id", "equals", "a"),
        Rule("collapse", by="brand", is_on=False),
        Rule("score", formula="price"),
    ]
    whatif = create_whatif(shop, "w", run_id(shop, "run"), rules=rules)
    add_step(shop, whatif, 0, Move(number(shop, "c"), 3))
    rows = Trial(shop, found(whatif), 0).steps(0)
    assert [(row.rule, row.value) for row in rows] == [
        (None, 1 / 3),
        (rules[0], 0.5),
        (rules[2], 1.0),
        (None, 1 / 3),
        (None, 1.0),
    ]
    assert rows[3].step is not None


def test_a_rule_of_two_whatifs_is_about_the_documents_of_each(project):  # noqa: F811
    """What was found among one run's documents is not taken for all that another run has."""
    rule = simple_rule("remove", "title", "contains", "curry")
    for run, left in (("alpha", "d0 d2 d4"), ("gamma", "d2 d4 d6")):
        whatif = create_whatif(project, f"{run} ruled", run_id(project, run), rules=[rule])
        assert " ".join(names(project, whatif_book(project).ranking(whatif, 0))) == left
