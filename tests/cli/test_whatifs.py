"""``judgetool rules`` and ``judgetool runs``: what the window does to what-ifs and runs, by commands."""

import json
from pathlib import Path

import pytest

from judgetool.session.opening import open_project
from judgetool.session.whatifs.book import find_whatif_named, whatif_book
from judgetool.session.whatifs.editing import create_whatif
from judgetool.session.whatifs.rules import Condition, Rule
from tests.helpers.builders import open_sample
from tests.helpers.program import call, must

CURRY = Condition("title", "contains", "curry")
RULES = (Rule("boost", (CURRY,), 3), Rule("score", (CURRY,), formula="score * 2", is_on=False))


@pytest.fixture
def project(tmp_path):
    """The sample as a project, with a what-if that has two rules."""
    with open_sample(tmp_path) as session:
        run = session.material.find_run("chargrams").run_id
        create_whatif(session, "ruled", run, rules=RULES)
        return str(session.path)


def rows_of(*words):
    """What a command prints, a dict for each line."""
    header, *lines = (line.split("\t") for line in must(*words).out.splitlines())
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_rules_are_told_in_words(project):
    """A line for each, also for one that is off."""
    assert [(row["on"], row["does"]) for row in rows_of("rules", project, "ruled")] == [
        ("yes", "Up by 3 where title contains ‘curry’"),
        ("no", "Score by score * 2 where title contains ‘curry’"),
    ]


def test_rules_go_to_a_file_and_come_back(project, tmp_path):
    """What --as json prints, --from reads: into a what-if that is there, or a new one of a run."""
    path = tmp_path / "rules.json"
    path.write_text(must("rules", project, "ruled", "--as", "json").out, encoding="utf-8")
    must("rules", project, "other", "--from", str(path), "--run", "title-bm25")
    path.write_text('{"judgetool_rules": 1, "rules": []}', encoding="utf-8")
    assert "0 rules from rules.json" in must("rules", project, "ruled", "--from", str(path)).err
    with open_project(Path(project), read_only=True) as session:
        assert find_whatif_named(session, "other").rules == RULES
        assert find_whatif_named(session, "other").origin == "title-bm25"
        assert find_whatif_named(session, "ruled").rules == ()


def test_the_effect_is_that_of_the_window(project):
    """Each rule's share and all together; the means with them are those of the what-if's values."""
    rows = rows_of("rules", project, "ruled", "--effect", "--aside", "50", "--seed", "3")
    (of_all,) = [row for row in rows if (row["rule"], row["measure"]) == ("all", "nDCG@10")]
    (alone,) = [row for row in rows if row["rule"] != "all" and row["measure"] == "nDCG@10"]
    assert {**alone, "rule": "all"} == of_all
    with open_project(Path(project), read_only=True) as session:
        head = find_whatif_named(session, "ruled")
        key = whatif_book(session).engine_key(head.id)
        place = [str(each) for each in session.measures].index("nDCG@10")
        assert of_all["with"] == f"{session.board.engine.means(key)[place].value:.4f}"
    queries = [
        row
        for row in rows_of("rules", project, "ruled", "--queries")
        if row["measure"] == "nDCG@10"
    ]
    assert sum(float(row["change"]) > 0 for row in queries) == int(of_all["better"])
    assert all(float(row["least"]) <= float(row["change"]) <= float(row["most"]) for row in queries)


def test_a_change_that_shows_as_nothing_has_no_sign(tmp_path):
    """−0.000005 by ERR@10 stood there as ‘-0.0000’."""
    with open_sample(tmp_path) as session:
        run = session.material.find_run("full-bm25-stem").run_id
        rule = Rule("boost", (Condition("title", "contains", "bean"),), 10)
        create_whatif(session, "beans", run, rules=(rule,))
    rows = rows_of("rules", session.path, "beans", "--effect")
    (change,) = {row["change"] for row in rows if row["measure"] == "ERR@10"}
    assert change == "0.0000"


def test_data_lines_on_rules_are_english(project, speaks):
    """What a rule does has the words of the plain table in any language."""
    expected = must("rules", project, "ruled", "--effect").out
    speaks("xx")
    assert must("rules", project, "ruled", "--effect").out == expected


def test_what_an_engine_cannot_say_ends_with_1(project):
    """The rule is named, and nothing is printed that seems to be whole."""
    found = call("rules", project, "ruled", "--as", "solr")
    assert (found.code, found.out) == (1, "")
    assert "Rule 1, Up by 3 where title contains ‘curry’: it moves by ranks" in found.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("rules", "nothing"), 1, "There is no what-if ‘nothing’"),
        (("rules", "ruled", "--as", "json", "--effect"), 2, "Ask for one"),
        (("rules", "ruled", "--run", "chargrams"), 2, "it needs --from"),
        (("rules", "ruled", "--from", "nowhere.json"), 1, "nowhere.json cannot be read"),
        (("rules", "ruled", "--from", "-", "--run", "lsa"), 1, "There is no run ‘lsa’"),
        (("runs", "--rename", "lsa", "x", "--take-out", "bm25"), 2, "give one at a time"),
        (("runs", "--take-out", "nothing"), 1, "There is no run ‘nothing’"),
        (("runs", "--rename", "chargrams", "title-bm25"), 1, "a name that no other run has"),
        (("runs", "--rename", "chargrams", "ruled"), 1, "A what-if is called ruled already"),
    ],
)
def test_what_is_wrong_is_said(project, words, code, said):
    """In a sentence, with the exit code of its kind."""
    name, *others = words
    found = call(name, project, *others, stdin='{"judgetool_rules": 1, "rules": []}')
    assert (found.code, said in found.err) == (code, True), found.err


PRICES = {
    "commas tell": ("1.299", "9,99", "2.450", "15", "1.299,00"),
    "points tell": ("1,299", "9.99", "2,450", "15", "1,299.00"),
    "nothing tells": ("1.299", "9", "2.450", "15", "1299"),
    "both tell": ("1.299", "9,99", "2.450", "15.00", "1299"),
}


def shop_of(tmp_path, prices):
    """A project of one query, p1 to p5 in this order, with a price each."""
    rows = [f"p{place};Toaster;{price}" for place, price in enumerate(prices, 1)]
    (tmp_path / "prices.csv").write_text("\n".join(["SKU;Title;Price", *rows]), encoding="utf-8")
    ranked = "".join(f"q1 Q0 p{rank} {rank} {9 - rank} t\n" for rank in range(1, 6))
    (tmp_path / "run.txt").write_text(ranked, encoding="utf-8")
    project = str(tmp_path / "shop.judge")
    must("new", project)
    must(
        "import", project, "--documents", tmp_path / "prices.csv", "--results", tmp_path / "run.txt"
    )
    return project


@pytest.mark.parametrize(
    ("which", "rule", "order"),
    [
        ("commas tell", Rule("remove", (Condition("Price", "<", "20"),)), "135"),
        ("commas tell", Rule("score", formula="0 - Price"), "24153"),
        ("points tell", Rule("score", formula="0 - Price"), "24153"),
        ("nothing tells", Rule("remove", (Condition("Price", "<", "20"),)), "5"),
        ("both tell", Rule("remove", (Condition("Price", "<", "9.99"),)), "245"),
    ],
)
def test_numbers_are_read_as_their_field_writes_them(tmp_path, which, rule, order):
    """By decimal commas if other values have them; where it is in doubt, how is said."""
    project, path = shop_of(tmp_path, PRICES[which]), tmp_path / "rules.json"
    path.write_text(json.dumps({"judgetool_rules": 1, "rules": [rule.to_dict()]}), encoding="utf-8")
    said = must("rules", project, "w", "--from", path, "--run", "t").err
    is_in_doubt = which in ("nothing tells", "both tell")
    assert ("1.299 or 1299 is taken as 1.299" in said) is is_in_doubt
    assert "no number" not in said
    with open_project(Path(project), read_only=True) as session:
        ranking = whatif_book(session).ranking(find_whatif_named(session, "w").id, 0)
        ids = [session.material.document_id(each) for each in ranking]
    assert "".join(ids).replace("p", "") == order


def ruled(tmp_path, lines, rule):
    """Give documents of a file such a rule; return what is said, and which stay."""
    (tmp_path / "docs.csv").write_text("\n".join(lines), encoding="utf-8")
    ranked = "".join(f"q1 Q0 p{rank} {rank} {9 - rank} t\n" for rank in range(1, len(lines)))
    (tmp_path / "run.txt").write_text(ranked, encoding="utf-8")
    project, path = str(tmp_path / "shop.judge"), tmp_path / "rules.json"
    must("new", project)
    must("import", project, "--documents", tmp_path / "docs.csv", "--results", tmp_path / "run.txt")
    path.write_text(json.dumps({"judgetool_rules": 1, "rules": [rule.to_dict()]}), encoding="utf-8")
    said = must("rules", project, "w", "--from", path, "--run", "t").err
    with open_project(Path(project), read_only=True) as session:
        ranking = whatif_book(session).ranking(find_whatif_named(session, "w").id, 0)
        return said, [session.material.document_id(each) for each in ranking]


@pytest.mark.parametrize(
    ("prices", "stay", "is_in_doubt"),
    [
        (("1.299,00", "19,95", "5"), ["p2"], False),
        (("1,299.00", "19.95", "5"), ["p1", "p2", "p3"], False),
        (("1.299,00", "19.95", "5"), ["p1", "p2", "p3"], True),
        (("12", "1.300", "5"), ["p1", "p2", "p3"], True),
    ],
)
def test_a_field_that_leaves_it_open_is_read_as_the_others_tell(
    tmp_path, prices, stay, is_in_doubt
):
    """Counts such as 1.200 have no decimals beside prices such as 19,95; where all leave it open, or differ, that is said."""
    stocks = ("1.200", "999", "12.500")
    rows = [
        f"p{n};Toaster;{price};{stock}"
        for n, (price, stock) in enumerate(zip(prices, stocks, strict=True), 1)
    ]
    rule = Rule("remove", (Condition("Stock", ">", "1000"),))
    said, found = ruled(tmp_path, ["SKU;Title;Price;Stock", *rows], rule)
    assert (found, "is not clear from its values" in said) == (stay, is_in_doubt)


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_blanks_stand_between_thousands_of_a_field(tmp_path, blank):
    """As French and Russian have them."""
    prices = (f"1{blank}299,00", "9,99", f"1{blank}000{blank}000", f"12{blank}5")
    rows = [f"p{n};Toaster;{price}" for n, price in enumerate(prices, 1)]
    rule = Rule("remove", (Condition("Price", ">", "1000"),))
    assert ruled(tmp_path, ["SKU;Title;Price", *rows], rule)[1] == ["p2", "p4"]


def test_an_answer_on_decimal_signs_that_nothing_asks_for_is_not_taken_in_silence(tmp_path):
    """Rules do not read fields by it."""
    must("new", tmp_path / "shop.judge")
    rows = "SKU;Title;Stock\np1;Toaster;1.200\n"
    found = must(
        *("import", tmp_path / "shop.judge", "--documents", "-", "--answer", "decimal_sign=comma"),
        stdin=rows,
    )
    assert "Of fields of documents it says nothing" in found.err


@pytest.mark.parametrize(
    ("match", "limit", "stay"),
    [
        ("<", "03.11.2026", "2345"),
        ("<=", "2026-11-03", "45"),
        (">", "3.11.2026", "1235"),
        (">=", "2026-11-03T12:00Z", "1235"),
    ],
)
def test_dates_are_compared_where_the_limit_is_one(tmp_path, match, limit, stay):
    """German ones, too; a limit without a time is the whole day, and of what is no date it is said."""
    dates = ("02.11.2026", "2026-11-03", "2026-11-03T10:00:00Z", "2026-11-04", "soon")
    rows = [f"p{number},Toaster,{date}" for number, date in enumerate(dates, 1)]
    rule = Rule("remove", (Condition("available", match, limit),))
    said, found = ruled(tmp_path, ["SKU,Title,available", *rows], rule)
    assert "".join(found).replace("p", "") == stay
    assert "available is no date in 1 of 5 documents: ‘available" in said


def test_a_limit_with_a_decimal_comma_is_told_of_the_point(project, tmp_path):
    """In a file of rules numbers are written in one way."""
    limit = {"action": "remove", "where": [{"field": "price", "match": "<", "text": "0,5"}]}
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"judgetool_rules": 1, "rules": [limit]}), encoding="utf-8")
    found = call("rules", project, "ruled", "--from", path)
    assert "asks for a number with a decimal point, or a date; found ‘0,5’" in found.err


def test_runs_are_renamed_and_taken_out_with_what_uses_them_named(project):
    """The table says which what-ifs are made of a run; they go with it, and that is said."""
    renamed = must("runs", project, "--rename", "chargrams", "grams")
    assert "Run chargrams is called grams now." in renamed.err
    found = {row["name"]: row for row in json.loads(must("runs", project, "--format", "json").out)}
    assert (found["grams"]["whatifs"], found["grams"]["baseline"]) == (["ruled"], "no")
    gone = must("runs", project, "--take-out", "grams")
    assert "What-ifs made from it go with it: ruled." in gone.err
    left = {row["name"] for row in rows_of("runs", project)}
    assert left == {"title-bm25", "full-bm25-stem"}


def test_whatifs_are_renamed_and_taken_out(project):
    """By the same command; the run that one was made from stays."""
    renamed = must("runs", project, "--rename", "ruled", "tried")
    assert "What-if ruled is called tried now." in renamed.err
    used = {row["name"]: row["whatifs"] for row in rows_of("runs", project)}
    assert used["chargrams"] == "tried"
    gone = must("runs", project, "--take-out", "tried")
    assert "What-if tried is taken out." in gone.err
    used = {row["name"]: row["whatifs"] for row in rows_of("runs", project)}
    assert used["chargrams"] == ""


def test_names_with_commas_are_told_apart(project):
    """Where the table lists what-ifs, one that has a comma stands in quotes."""
    must("runs", project, "--rename", "ruled", "ruled, twice")
    used = {row["name"]: row["whatifs"] for row in rows_of("runs", project)}
    assert used["chargrams"] == "‘ruled, twice’"


def test_a_run_does_not_take_the_name_of_a_whatif(project, tmp_path):
    """Commands would reach the run alone by it: the run comes under another name, and it is said."""
    path = tmp_path / "new.run"
    path.write_text("1 Q0 d1 1 2 ruled\n", encoding="utf-8")
    said = must("import", project, "--run", path).out
    assert "A what-if is called ‘ruled’; this run is named ‘ruled (2)’." in said
    assert "ruled (2)" in [row["name"] for row in rows_of("runs", project)]
