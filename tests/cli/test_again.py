"""What the compare view shows, had again by the command line that stands under it."""

import csv
import io
import json
import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.formats.output import (
    Sheet,
    as_csv,
    as_json,
    as_latex,
    as_markdown,
    as_tsv,
    without_guard,
)
from judgetool.metrics import Conventions, convention_preset, parse_measure
from judgetool.session.commands import SetValues, set_conventions
from judgetool.session.comparing.comparing import comparison_rules, comparison_work
from judgetool.session.comparing.curves import mean_charts_work
from judgetool.session.comparing.pair_bounds import pair_bounds_work
from judgetool.session.comparing.query_by_query import groups_tested, query_differences
from judgetool.session.comparing.snapshots import create_snapshot, present_systems
from judgetool.session.comparing.system_values import ProjectLook, named_systems, open_look
from judgetool.session.comparing.tables import (
    comparison_sheet,
    curves_sheet,
    difference_sheet,
    document_sheet,
    draw_charts,
    orders_sheet,
    rankings_sheet,
    stake_sheet,
    stake_work,
)
from judgetool.session.opening import open_project
from judgetool.session.whatifs.editing import create_whatif
from tests.helpers.builders import open_sample
from tests.helpers.laws import examples
from tests.helpers.program import call, must
from tests.helpers.shared import shared_data

NDCG = parse_measure("nDCG@10")


@pytest.fixture(params=["sample", "icecat-shop"], scope="module")
def session(request, tmp_path_factory):
    """A project with a what-if and a snapshot, and conventions of its own."""
    folder = tmp_path_factory.mktemp(request.param)
    session = open_sample(folder) if request.param == "sample" else icecat(folder)
    with session:
        run = session.material.runs[0]
        create_whatif(session, "tried", run.run_id)
        create_snapshot(session, "before")
        names = ["P@5", "nDCG@10", "Judged@10"]
        session.execute(SetValues({"measures": names}, "Measures"))
        session.execute(SetValues({"conventions": {"missing": "both"}}, "Conventions"))
        session.set_view("majority")
        yield session


def icecat(folder):
    """The published shop collection as a project, with four of its runs."""
    data = shared_data("data/icecat-shop")
    must("new", folder / "shop.judge")
    runs, judged = sorted((data / "runs").iterdir())[:4], data / "qrels" / "combined.qrels"
    files = ("--queries", data / "queries.jsonl", "--run", *runs, "--qrels", judged)
    must("import", folder / "shop.judge", *files)
    return open_project(folder / "shop.judge", assessor="anna")


def again(session, sheet, *more):
    """Run the command line of a table."""
    words = shlex.split(sheet.command)
    words[words.index(session.path.name)] = str(session.path)
    return must(*words[1:], *more)


def test_the_table(session):
    """Means, how far they can go, differences, intervals, p, effect: what the window shows is printed."""
    systems = named_systems(session)[:6]
    assert {each.kind for each in systems} == {"run", "what-if"}
    apart = [each for each in systems if each.kind == "what-if"]
    table = comparison_work(session, systems, alone=apart)(None, None)
    sheet = comparison_sheet(session, table)
    found = again(session, sheet, "--format", "json").json["comparisons"]
    shown = [dict(zip(sheet.head, row, strict=True)) for row in sheet.rows]
    shown = [row for row in shown if row["run"] != row["baseline"]]
    assert len(shown) == len(found) > 6
    printed = {(row["run"], row["measure"]): row for row in found}
    for row in shown:
        its = printed[row["run"], row["measure"]]
        for name in row.keys() - {"tests"}:
            value = row[name]
            is_close = isinstance(value, float)
            wanted = pytest.approx(value, rel=1e-12, abs=1e-15) if is_close else value
            assert its[name] == wanted, (row, name)


def test_the_table_of_a_page(session):
    """Its cells say which p stands in them, and no sentence explains what it lacks."""
    sheet = comparison_sheet(
        session, comparison_work(session, named_systems(session)[:3])(None, None)
    )
    page = as_markdown(sheet)
    assert "p (Holm) = " in page
    assert "p = " not in page
    explained = ("Interval of the difference: ", "Effect: ")
    assert all(any(each.startswith(word) for each in sheet.sentences) for word in explained)
    assert not any(word in page for word in explained)
    assert as_latex(sheet).count("(Holm)") == page.count("(Holm)")


def parts_of(session):
    """Return the other tables of a pair, as the window makes them."""
    first, second = present_systems(session)[:2]
    pair = (first, second)
    found = stake_work(session, second, first, NDCG, "difference")(None, None)
    yield difference_sheet(session, second, first, NDCG)
    where = f"text:{session.material.queries[3].text.split()[0]}"
    charts = mean_charts_work(session, [second, first], NDCG, where=where)(None)
    yield curves_sheet(session, pair, NDCG, charts, where=where)
    yield orders_sheet(session, present_systems(session)[:3], NDCG, where=where)
    yield document_sheet(session, second, first, NDCG, 3)
    yield stake_sheet(session, pair, NDCG, found, "difference")
    yield stake_sheet(
        session,
        pair,
        NDCG,
        stake_work(session, second, first, NDCG, "overturn")(None, None),
        "overturn",
    )
    yield curves_sheet(session, pair, NDCG, draw_charts(session, pair, NDCG, None))
    yield curves_sheet(session, pair, NDCG, draw_charts(session, pair, NDCG, 3), 3)
    yield rankings_sheet(session, pair, NDCG, 3, 10)
    past = [each for each in named_systems(session) if each.snapshot]
    yield difference_sheet(session, past[0], second, NDCG)
    yield orders_sheet(session, present_systems(session)[:3], NDCG)


def test_every_other_table(session):
    """Differences by query, stakes, curves, rankings, orders: line by line the same."""
    for sheet in parts_of(session):
        printed = again(session, sheet, "--format", "csv").out
        assert len(sheet.rows) > 1
        assert printed.replace("\r\n", "\n") == as_csv(sheet).replace("\r\n", "\n"), sheet.name


def test_groups_of_queries(tmp_path):
    """In groups: each query with its group and what tests say of it in CSV, the groups alone on a page."""
    lines = [
        {"id": str(n), "text": f"q{n}", "category": "even" if n % 2 else "odd", "weight": 1 + n}
        for n in range(6)
    ]
    queries = tmp_path / "q.jsonl"
    queries.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    for number, run in enumerate(runs):
        ranked = [f"{n} Q0 d{(n * number) % 3} 1 9 {run.stem}" for n in range(6)]
        run.write_text("\n".join(ranked), encoding="utf-8")
    judged = "".join(f"{n} 0 d0 1\n" for n in range(6))
    project = tmp_path / "p.judge"
    must("new", project)
    must("import", project, "--queries", queries, "--run", *runs)
    must("import", project, "--qrels", "-", stdin=judged.encode())
    with open_project(project) as session:
        first, second = present_systems(session)
        measure = session.measures[0]
        found = query_differences(session, second, first, measure, group_by="category")
        tests = groups_tested(found, comparison_rules(session))
        sheet = difference_sheet(session, second, first, measure, grouped=("category", tests))
        assert [row[0] for row in sheet.rows] == ["even"] * 3 + ["odd"] * 3
        # What a test says of a group stands beside each of its queries.
        listed = list(csv.DictReader(io.StringIO(as_csv(sheet))))
        for row, cells in zip(listed, sheet.rows, strict=True):
            pair = next(each.pair for each in tests if each.name == cells[0])
            assert float(row["group_difference"]) == pytest.approx(pair.difference, abs=1e-6)
            assert (row["group_p"] != "", row["group_wins"]) == (True, str(pair.wins))
        for layout, write in (("csv", as_csv), ("markdown", as_markdown), ("latex", as_latex)):
            printed = again(session, sheet, "--format", layout).out
            assert printed.splitlines() == write(sheet).splitlines()
    with open_look(project, ProjectLook(conventions=Conventions(is_weighted=True))) as session:
        bounds = pair_bounds_work(session, second, first, measure)(None, None)
    named = ("--run", "b", "--baseline", "a", "-m", str(measure))
    options = (*named, "--weighted", "--intervals", "--format", "json")
    (row,) = must("compare", "--project", project, *options).json["comparisons"]
    assert (row["min"], row["max"]) == (bounds.low, bounds.high)
    unknown = ("--show", "queries", "--by", "colour")
    told = call("compare", "--project", project, "--run", "a", "--baseline", "b", *unknown)
    assert (told.code, "There is no field of queries ‘colour’" in told.err) == (1, True)


def test_a_part_of_the_queries_is_as_if_there_were_no_others(tmp_path):
    """--where and --query-list give the figures of those queries, from a project and from files."""
    with open_sample(tmp_path) as session:
        path, queries = session.path, session.material.queries
        few = [query.id for query in queries if "dessert" in query.text or "quick" in query.text]
    listed = tmp_path / "few.txt"
    listed.write_text("\n".join(few), encoding="utf-8")
    assert 1 < len(few) < len(queries)
    project = ("--project", path, "-m", "nDCG@10", "AP")
    lines = must("score", *project, "-q", "--format", "tsv", "--digits", "12").rows
    kept = [row for row in lines[1:] if row[1] in few]
    narrowed = must(
        "score", *project, "-q", "--query-list", listed, "--format", "tsv", "--digits", "12"
    )
    assert [row for row in narrowed.rows[1:] if row[1] != "all"] == kept
    for run in {row[0] for row in kept}:
        values = [float(row[2]) for row in kept if row[0] == run]
        (mean,) = [row[2] for row in narrowed.rows if row[:2] == [run, "all"]]
        assert float(mean) == pytest.approx(sum(values) / len(values))
    found = must("compare", *project, "--where", "text:dessert", "--format", "json").json
    assert all(row["queries"] < len(queries) for row in found["comparisons"])
    must("export", path, "--qrels", tmp_path / "q", "--run", f"chargrams={tmp_path / 'r'}")
    files = must("score", tmp_path / "q", tmp_path / "r", "-m", "AP", "--query-list", listed)
    of_project = must(
        "score", *project[:2], "--run", "chargrams", "-m", "AP", "--query-list", listed
    )
    assert files.out == of_project.out


@pytest.mark.parametrize("preset", ["gdeval", "quepid"])
def test_parts_are_of_the_preset_that_the_project_keeps(tmp_path, preset):
    """A measure that is asked for is the preset's own there, as in the table and in ``explain``."""
    with open_sample(tmp_path) as session:
        path, names = session.path, [run.name for run in session.material.runs[:2]]
        session.execute(set_conventions(convention_preset(preset).conventions))
        query = session.material.queries[0].id
    asked = ("--project", path, "-m", "nDCG@10")
    pair = ("--baseline", names[0], "--run", names[1])
    for part in ("queries", "documents", "rankings", "curves", "stake"):
        of = ("--query", query) if part in ("documents", "rankings", "curves") else ()
        said = must("compare", *asked, *pair, "--show", part, *of, "--preset", preset)
        assert must("compare", *asked, *pair, "--show", part, *of).rows == said.rows


def test_one_query_is_one(tmp_path):
    """It said ‘over 1 queries’."""
    with open_sample(tmp_path) as session:
        path = session.path
    only = ("--where", "'gluten free chocolate dessert'", "-m", "P@5")
    said = must("compare", "--project", path, *only, "--format", "text").out
    assert "P@5 over 1 query, against" in said


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--where", "text:zebra"), 1, "No query of recipes.judge is let through"),
        (("--where", "grade:x"), 1, "does not say what to look for"),
        (("--where", "is:odd"), 1, "There is no condition ‘is:odd’. There are is:unjudged, "),
        (("--where", "disputed"), 1, "looked for as a word; the condition is ‘is:disputed’."),
        (("--assessor", "nobody"), 1, "There is no assessor ‘nobody’"),
        (("--snapshot", "never"), 1, "There is no snapshot ‘never’"),
        (("--query-list", "nowhere.txt"), 1, "nowhere.txt cannot be read"),
    ],
)
def test_what_is_not_there_is_named(tmp_path, words, code, sentence):
    """Each answer names what was looked for."""
    with open_sample(tmp_path) as session:
        path = session.path
    found = call("score", "--project", path, *words)
    assert (found.code, sentence in found.err) == (code, True), found.err


def test_a_person_and_a_snapshot(tmp_path):
    """--assessor counts what one said alone, --snapshot what stood when it was taken."""
    with open_sample(tmp_path) as session:
        path = session.path
        create_snapshot(session, "before")
        session.set_view("mine")
        mine = comparison_work(session, present_systems(session))(None, None)
        sheet = comparison_sheet(session, mine)
        assert "--assessor anna" in sheet.command
        printed = again(session, sheet, "--format", "json").json["comparisons"]
        assert printed[0]["mean"] == mine.rows[1].cells[0].mean.value
    before = must("score", "--project", path, "-m", "AP").out
    must("judge", path, "--assessor", "anna", stdin=b"1\tr050\t3\n2\tr050\t3\n")
    assert must("score", "--project", path, "-m", "AP").out != before
    assert must("score", "--project", path, "-m", "AP", "--snapshot", "before").out == before
    explained = ("explain", "--project", path, "--run", "chargrams", "--query", "1", "-m", "AP")
    assert must(*explained, "--snapshot", "before").out != must(*explained).out


@pytest.mark.parametrize(
    "words",
    [
        ["--unjudged", "left-out"],
        ["--preset", "gdeval"],
        ["--preset", "quepid"],
        ["--preset", "elasticsearch"],
    ],
)
def test_the_curves_of_a_query_end_at_what_is_explained(tmp_path, words):
    """Whatever counts: at the table’s k the curve has the value, and DCG by the ideal is that."""
    with open_sample(tmp_path) as session:
        path = session.path
    for query in ("5", "17"):
        asked = ("--project", path, *words, "-m", "nDCG@10", "--query", query)
        said = must("compare", *asked, "--show", "curves", "--format", "json").json
        explained = must("explain", *asked, "--run", "title-bm25", "--format", "json").json
        (value,) = (each["value"] for each in explained["explanations"])
        points = {
            (row["chart"].split(";")[0], row["series"], row["x"]): row["y"] for row in said["rows"]
        }
        assert points["nDCG against k", "title-bm25", 10] == pytest.approx(value, rel=1e-5)
        curves = {name for chart, name, _ in points if chart == "DCG against ideal"}
        best = next(each for each in ("ideal", "ideal, title-bm25") if each in curves)
        last = max(x for chart, name, x in points if name == best and x <= 10)
        own, ideal = (points["DCG against ideal", name, last] for name in ("title-bm25", best))
        assert own / ideal == pytest.approx(value, rel=1e-5)


# Any text, and figures as measures have them.
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
FIGURES = st.one_of(
    st.none(), st.integers(-(10**6), 10**6), st.floats(-10, 10).map(lambda x: round(x, 6))
)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.tuples(TEXTS, FIGURES, FIGURES), max_size=6), TEXTS)
def test_printed_tables_read_back(rows, command):
    """CSV and TSV give the same cells, with a guard before formulas; Markdown and LaTeX keep their columns."""
    sheet = Sheet("t", ("name", "a", "b"), rows, ("Said.",), command)
    read = list(csv.reader(io.StringIO(as_csv(sheet), newline="")))
    for given_row, row in zip(rows, read[1:], strict=False):
        plain = " ".join(given_row[0].split("\t")) if "\t" not in given_row[0] else None
        if plain is not None and plain.isprintable():
            assert without_guard(row[0]) == without_guard(plain)
        for value, text in zip(given_row[1:], row[1:], strict=True):
            assert (None if text == "" else float(text)) == value
    lines = as_tsv(sheet).splitlines()
    assert all(line.count("\t") == 2 for line in lines)
    assert json.loads(as_json(sheet))["rows"] == [
        dict(zip(sheet.head, row, strict=True)) for row in rows
    ]
    page = as_markdown(sheet).split("\n")
    assert all(line.replace("\\|", "").count("|") == 4 for line in page[: 2 + len(rows)])
    latex = as_latex(sheet).split("\n")
    body = latex[latex.index("\\midrule") + 1 : latex.index("\\bottomrule")]
    assert len(body) == len(rows)
    assert all(line.replace("\\&", "").count(" & ") >= 2 and line.endswith("\\\\") for line in body)
