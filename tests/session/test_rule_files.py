"""Rules in files: a round trip, and what can be said in the words of search engines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.errors import InputError
from judgetool.session.whatifs.rule_files import export_rules, rules_as_json, rules_from_json
from judgetool.session.whatifs.rules import Condition, Rule
from tests.helpers.builders import simple_rule

CHEAP, CASE = Condition("price", "<", "20"), Condition("title", "contains", "phone case*")
BOOSTED = Rule("score", formula="score * (1 + 0.3 * default(is_new, 1))")
GONE, LAST = Rule("remove", (CHEAP, CASE)), Rule("bottom", (Condition("brand", "equals", 'A"b'),))
ONE = Rule("collapse", by="brand")
FIRST = simple_rule("pin", "id", "equals", "p7")

_texts = st.text(min_size=1, max_size=8)
_conditions = st.one_of(
    st.builds(Condition, _texts, st.sampled_from(["contains", "equals"]), _texts),
    st.builds(Condition, _texts, st.sampled_from(["<", ">="]), st.integers(0, 99).map(str)),
)
_where = st.lists(_conditions, min_size=1, max_size=3).map(tuple)
_rules = st.one_of(
    st.builds(
        Rule,
        st.sampled_from(["pin", "boost", "demote", "bury"]),
        _where,
        st.integers(1, 99),
        st.text(max_size=5),
        is_on=st.booleans(),
    ),
    st.builds(lambda where: Rule("remove", where), _where),
    st.builds(lambda by, ranks: Rule("collapse", ranks=ranks, by=by), _texts, st.integers(1, 9)),
    st.just(BOOSTED),
)


@given(st.lists(_rules, max_size=5))
def test_rules_that_are_saved_are_read_back(rules):
    """A file of rules holds all of them, in their order, those that are off too."""
    assert rules_from_json(rules_as_json(rules).text, "rules.json") == tuple(rules)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "r.json is no file of rules: it is no JSON at line 1"),
        ("[]", "no list named ‘rules’"),
        ('{"rules": []}', "‘judgetool_rules’ is None, not 1"),
        ('{"judgetool_rules": 1, "rules": [{"action": "lift"}]}', "rule 1: A rule does one of pin"),
        ('{"judgetool_rules": 1, "rules": [{}]}', "rule 1: something is missing"),
        ('{"judgetool_rules": 1, "rules": [7]}', "rule 1: something is missing or misplaced. It"),
        (
            '{"judgetool_rules": 1, "rules": [{"action": "score", "formula": "1 +"}]}',
            "rule 1: The formula cannot be read at sign 4",
        ),
    ],
)
def test_what_is_no_file_of_rules_is_said(text, said):
    """The sentence names the file, the rule and what is amiss."""
    with pytest.raises(InputError) as problem:
        rules_from_json(text, "r.json")
    assert said in str(problem.value)


def test_elasticsearch_gets_one_request():
    """Each rule wraps the query of those before it; conditions are filters, formulas scripts."""
    found = json.loads(export_rules([GONE, BOOSTED, LAST, FIRST, ONE], "elasticsearch").text)
    assert found["collapse"] == {"field": "brand"}
    pinned = found["query"]["pinned"]
    assert pinned["ids"] == ["p7"]
    last = pinned["organic"]["function_score"]
    assert last["boost_mode"] == "multiply"
    brand = {"term": {"brand": {"value": 'A"b', "case_insensitive": True}}}
    assert last["functions"] == [{"filter": brand, "weight": 0.000001}]
    scored = last["query"]["function_score"]
    assert (scored["score_mode"], scored["boost_mode"]) == ("first", "replace")
    assert scored["functions"][0]["script_score"]["script"]["source"] == (
        "(_score * (1.0 + (0.3 * "
        "(doc['is_new'].size() == 0 ? 1.0 : (double) doc['is_new'].value))))"
    )
    gone = scored["query"]["bool"]
    assert gone["must_not"] == [
        {
            "bool": {
                "filter": [
                    {"range": {"price": {"lt": 20.0}}},
                    {"wildcard": {"title": {"value": "*phone case\\**", "case_insensitive": True}}},
                ]
            }
        }
    ]
    assert "simple_query_string" in gone["must"][0]


def test_a_formula_for_some_documents_leaves_the_others_their_score():
    """Elasticsearch takes the first function whose filter matches, else the score as it is."""
    rule = Rule("score", (CHEAP,), formula="max(score, 1, if(price > 2, 3^2, -log(4)))")
    found = json.loads(export_rules([rule], "elasticsearch").text)
    first, other = found["query"]["function_score"]["functions"]
    assert first["filter"] == {"range": {"price": {"lt": 20.0}}}
    price = "(doc['price'].size() == 0 ? 0.0 : (double) doc['price'].value)"
    assert first["script_score"]["script"]["source"] == (
        f"Math.max(Math.max(_score, 1.0), (({price} > 2.0 ? 1.0 : 0.0) != 0.0 ? "
        "Math.pow(3.0, 2.0) : (-Math.log(4.0))))"
    )
    assert other == {"script_score": {"script": {"source": "_score"}}}


def test_solr_gets_parameters():
    """Factors of the score are a boost, what is added to it is bf, conditions are queries."""
    added = Rule("score", (CASE,), formula="score + log(price)")
    found = export_rules([GONE, added, LAST, ONE], "solr").text.splitlines()
    assert found == [
        "defType=edismax",
        r"fq=*:* -(+price:[* TO 20} +title:*phone\ case\**)",
        "bf=if(exists(query($rule2)),product(2.302585092994046,log(price)),0)",
        "boost=if(exists(query($rule3)),0.000001,1)",
        "fq={!collapse field=brand nullPolicy=expand}",
        r"rule2=+title:*phone\ case\**",
        r'rule3=+brand:"A\"b"',
    ]
    (_, boost) = export_rules([BOOSTED], "solr").text.splitlines()
    assert boost == "boost=sum(1,product(0.3,def(is_new,1)))"


def test_solr_is_told_what_a_pinned_document_needs():
    """And formulas with signs that it has no word for are said in those that it has."""
    found = export_rules([FIRST], "solr")
    assert found.text.splitlines()[1:] == ["enableElevation=true", "elevateIds=p7"]
    assert "The elevation component must be set up" in found.remarks[-1]
    (_, boost) = export_rules(
        [Rule("score", formula="score * (3 - (-price) * (a != 2))")], "solr"
    ).text.splitlines()
    assert boost == "boost=sub(3,product(sub(0,price),not(eq(a,2))))"


def test_what_has_no_rule_that_is_on_is_not_written():
    """There would be nothing to say in the words of an engine; an id is said as one."""
    with pytest.raises(InputError, match="There is no rule that is on"):
        export_rules([Rule("boost", (CASE,), is_on=False)], "solr")
    gone = json.loads(
        export_rules([simple_rule("remove", "id", "equals", "x")], "elasticsearch").text
    )
    assert {"ids": {"values": ["x"]}} in gone["query"]["bool"]["must_not"]


def test_querqy_gets_rules_for_words():
    """Rules for queries with certain words become rules of theirs, filters and weights in Solr's words."""
    rules = [Rule("remove", (CHEAP,), queries="laptop bag"), Rule("bottom", (CHEAP,), queries="tv")]
    assert export_rules(rules, "querqy").text == (
        "laptop bag =>\n  FILTER: * -(+price:[* TO 20})\n\ntv =>\n  DOWN(1000): * +price:[* TO 20}\n"
    )


@pytest.mark.parametrize(
    ("engine", "rule", "why"),
    [
        ("elasticsearch", Rule("boost", (CHEAP,), 3), "Elasticsearch orders by scores alone"),
        ("solr", Rule("bury", (CHEAP,), 3), "Solr orders by scores alone"),
        (
            "elasticsearch",
            simple_rule("remove", "id", "contains", "x"),
            "finds ids as a whole only",
        ),
        ("solr", simple_rule("remove", "a b", "equals", "x"), "‘a b’ is no name of a field"),
        (
            "solr",
            simple_rule("remove", "a", "regex", "x"),
            "regular expressions are not those of Solr",
        ),
        (
            "elasticsearch",
            simple_rule("remove", "a", "regex", "x"),
            "regular expressions are not those of Elasticsearch",
        ),
        ("elasticsearch", Rule("score", formula="score / rank"), "asks for the rank"),
        ("solr", Rule("score", formula="score * rank"), "asks for the rank"),
        ("solr", Rule("score", formula="score * (1 + score)"), "write score * (…)"),
        ("solr", Rule("remove", (CHEAP,), queries="tv"), "parameters are for all"),
        ("querqy", Rule("remove", (CHEAP,), queries="tv/*"), "‘tv/*’ are no plain words"),
        ("solr", Rule("score", formula="price"), "write score * (…) or score + (…)"),
        ("elasticsearch", Rule("remove", (CHEAP,), queries="tv"), "holds for some queries alone"),
        ("querqy", GONE, "holds for all queries"),
        ("querqy", Rule("collapse", by="b", queries="tv"), "no ranks, formulas and groups"),
        ("solr", Rule("collapse", by="brand", ranks=2), "leaves one of each"),
        ("elasticsearch", Rule("pin", (CHEAP,)), "pins one document by its id, to rank 1"),
        ("solr", Rule("remove", (Condition("at", "<", "3.11.2026"),)), "it compares dates"),
        ("elasticsearch", Rule("bottom", (Condition("at", "<", "3.11.2026"),)), "compares dates"),
    ],
)
def test_what_cannot_be_said_is_named(engine, rule, why):
    """The rule stands in the sentence with its place and the reason; nothing is written."""
    off = Rule("boost", (CASE,), is_on=False)
    with pytest.raises(InputError) as problem:
        export_rules([off, rule], engine)
    assert f"Rule 2, {rule}: " in str(problem.value)
    assert why in str(problem.value)


def test_an_order_that_an_engine_would_change_is_refused():
    """After a rule that orders anew, the engine's score is not that of the run; groups come last."""
    for rules in ([LAST, BOOSTED], [ONE, LAST], [FIRST, LAST]):
        with pytest.raises(InputError, match="Rule"):
            export_rules(rules, "elasticsearch")
