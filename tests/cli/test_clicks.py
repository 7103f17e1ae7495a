"""Clicks: brought in, kept, valued as CTR, taken back."""

import pytest

from judgetool.metrics import parse_measure
from judgetool.session.commands import set_measures, unchecked
from judgetool.session.comparing.snapshots import past_values_work, present_systems
from judgetool.session.comparing.system_values import bounds_work
from judgetool.session.comparing.trial import RulesTrial
from judgetool.session.opening import open_project
from judgetool.session.whatifs.book import find_whatif
from judgetool.session.whatifs.editing import create_whatif
from tests.helpers.builders import simple_rule
from tests.helpers.program import call, must

TABLE = "query,document,impressions,clicks\nq1,a,10,5\nq1,b,10,1\nq2,a,8,2\n"
RESULTS = "query,rank,doc_id,clicks,impressions\nq1,1,a,5,10\nq1,2,b,1,10\n"


@pytest.fixture
def project(tmp_path):
    """Two queries in a run, nothing judged."""
    path = tmp_path / "p.judge"
    must("new", path)
    must("import", path, "--run", "-", stdin="q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 c 1 1 x\n")
    return path


def values(found):
    """Measure and query to value."""
    return {(row[-3], row[-2]): row[-1] for row in found.rows}


def test_columns_of_results_are_clicks(empty):
    """Clicks and impressions beside results give CTR, judged or not."""
    must("import", empty, "--results", "-", stdin=RESULTS)
    found = must("score", "--project", empty, "-m", "CTR@2", "CTR@1")
    assert found.out == "CTR@2\tall\t0.3000\nCTR@1\tall\t0.5000\n"


def test_a_table_of_clicks_is_kept(project):
    """A table comes in once, is there after reopening, and a second time changes nothing."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    assert "3 unchanged" in must("import", project, "--clicks", "-", stdin=TABLE).out
    found = values(must("score", "--project", project, "-m", "CTR@1", "AP", "-q"))
    assert found["CTR@1", "q1"] == "0.5000"
    assert ("CTR@1", "q2") not in found
    assert found["AP", "q1"] == "-"
    assert found["CTR@1", "all"] == "0.5000"


def test_later_counts_take_the_place_of_earlier_ones(project):
    """Of each pair the import that came last counts, whole; its positions add up."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    later = "query\tdocument\tposition\timpressions\tclicks\nq1\ta\t1\t3\t0\nq1\ta\t2\t1\t1\n"
    must("import", project, "--clicks", "-", stdin=later)
    found = must("score", "--project", project, "-m", "CTR@2").out
    assert found == f"CTR@2\tall\t{2 / 14:.4f}\n"


def test_undo_takes_clicks_back(project):
    """The import of clicks is one step, like any other."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    with open_project(project) as session:
        session.undo()
        assert not session.board.engine.known_facts
        session.redo()
        assert session.board.engine.known_facts == ("clicks",)
        session.undo()
    assert must("score", "--project", project, "-m", "CTR@2").out == "CTR@2\tall\t-\n"


@pytest.mark.parametrize("with_clicks", [True, False])
def test_without_clicks_there_is_no_value(tmp_path, with_clicks):
    """Nothing known of clicks is a dash and a line on standard error, never 0."""
    qrels, run, clicks = tmp_path / "q", tmp_path / "r", tmp_path / "c.csv"
    qrels.write_text("q1 0 z 1\n")
    run.write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    clicks.write_text(TABLE)
    options = ("--clicks", clicks) if with_clicks else ()
    found = must("score", qrels, run, "-m", "CTR@2", *options)
    assert found.out == f"CTR@2\tall\t{'0.3000' if with_clicks else '-'}\n"
    assert ("no clicks are known" in found.err) is not with_clicks


def test_what_is_no_count_is_refused(project):
    """A share, more clicks than impressions, a row without a document: named by line."""
    rows = "q1,a,10,0.5\nq1,b,1,2\nq1,,1,1\nq1,c,4,1\n"
    found = must("import", project, "--clicks", "-", stdin=TABLE.splitlines()[0] + "\n" + rows)
    assert "3 refused" in found.out
    assert "1 new" in found.out


def test_a_position_beside_clicks_is_no_ranking(project):
    """Such a table brings no run."""
    before = must("show", project, "--runs").out
    table = (
        "Query,Page,Clicks,Impressions,CTR,Position\ncold soup,https://x.example/a,2,9,22%,3.4\n"
    )
    found = must("import", project, "--clicks", "-", stdin=table)
    assert "1 new" in found.out
    assert must("show", project, "--runs").out == before


def test_clicks_of_a_project_stay_in_it(project):
    """--clicks is for files."""
    assert call("score", "--project", project, "--clicks", "x.csv").code == 2


def test_ctr_is_explained(project):
    """Clicks and impressions of each rank, and their division, lead to the value of score."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    options = ("--project", project, "--run", "x", "--query", "q1", "-m", "CTR@2")
    assert "6 ÷ 20 = 0.3000" in must("explain", *options).out
    found = must("explain", *options, "--format", "json").json["explanations"][0]
    assert found["value"] == 0.3


def test_a_difference_by_clicks_does_not_wait_for_judgments(empty):
    """It is significant, not as judged so far: no grade can change it."""
    queries = range(12)
    for name, first, second in (("one", "a", "b"), ("two", "b", "a")):
        lines = [f"q{q} Q0 {first} 1 2 {name}\nq{q} Q0 {second} 2 1 {name}\n" for q in queries]
        must("import", empty, "--run", "-", stdin="".join(lines))
    counts = [f"q{q},a,10,{5 + q % 3}\nq{q},b,10,1\n" for q in queries]
    must("import", empty, "--clicks", "-", stdin=TABLE.splitlines()[0] + "\n" + "".join(counts))
    said = must("compare", "--project", empty, "-m", "CTR@1").out
    assert "by CTR@1: significant for queries like these." in said
    assert "so far" not in said


def test_what_was_clicked_is_certain(project):
    """The interval of CTR is its value, exactly, whatever is unjudged; in the window's table too."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    row = must("score", "--project", project, "-m", "CTR@2", "--intervals").rows[-1]
    assert row[2:] == [row[2], row[2], row[2], "exact"]
    with open_project(project, read_only=True) as session:
        session.board.engine.set_measures([parse_measure("CTR@2")])
        run = session.material.runs[0].run_id
        (mean,) = session.board.engine.means(run)
        table = bounds_work(session.board, run, session.material.block(run))(unchecked)
        (bounds,) = table.means(session.board.mean_weights)
        assert (bounds.low, bounds.high, bounds.is_exact) == (mean.value, mean.value, True)
        (of_query,) = session.board.bounds(run, 0)
        assert (of_query.width, of_query.is_exact) == (0.0, True)


def test_compare_takes_the_queries_of_which_clicks_are_known(project):
    """Nothing is judged, and CTR is compared as `score` means it; the difference is certain."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    must("import", project, "--run", "-", stdin="q1 Q0 b 1 2 y\nq1 Q0 a 2 1 y\n")
    wished = ("--project", project, "-m", "CTR@1")
    means = {row[0]: row[-1] for row in must("score", *wished).rows}
    header, row = must("compare", *wished, "--intervals", "--format", "tsv").rows
    found = dict(zip(header, row, strict=True))
    assert (found["mean"], found["baseline_mean"]) == (means["y"], means["x"])
    assert (found["min"], found["max"], found["bounds"]) == ("-0.4000", "-0.4000", "exact")


def test_rules_on_trial_and_values_over_time_know_clicks(project):
    """What a rule would do to CTR is told beforehand, and what it was at each moment."""
    must("import", project, "--clicks", "-", stdin=TABLE)
    must("import", project, "--qrels", "-", stdin="q1 0 a 1\n")
    measure = parse_measure("CTR@1")
    with open_project(project) as session:
        session.execute(set_measures([measure.text]))
        system = present_systems(session)[0]
        whatif = find_whatif(session, create_whatif(session, "tried", int(system.id)))
        rule = simple_rule("pin", "id", "equals", "b", 1)
        share = RulesTrial(session, whatif).work([rule])(None, None).share()
        assert share.after == (0.1,)
        assert share.n_worse == (1,)
        past = past_values_work(session, system, measure)(session.reader, None)
        assert past[-1].value == 0.5


def test_an_empty_cell_is_no_count(project):
    """Nothing is said of how often that was: the row is left out, and named."""
    rows = "q1,a,10,\nq1,b,,3\nq1,c,,\nq1,d,4,1\n"
    found = must("import", project, "--clicks", "-", stdin=TABLE.splitlines()[0] + "\n" + rows)
    assert "1 clicked pair: 1 new, 0 changed, 0 unchanged; 3 refused" in found.out
    for line, lacks in ((2, "clicks"), (3, "impressions"), (4, "clicks")):
        assert f"line {line}: the row has no {lacks}\n" in found.out


def test_a_decimal_comma_makes_no_count_ten_times_as_large(tmp_path):
    """As a spreadsheet in German writes whole numbers that were made of decimals."""
    (tmp_path / "c.csv").write_text("query;document;impressions;clicks\nq;a;100;3,0\n")
    (tmp_path / "q.txt").write_text("q 0 a 1\n")
    (tmp_path / "r.run").write_text("q Q0 a 1 1 t\n")
    files = (tmp_path / "q.txt", tmp_path / "r.run")
    found = must("score", *files, "-m", "CTR@1", "--clicks", tmp_path / "c.csv")
    assert found.out == "CTR@1\tall\t0.0300\n"


def test_a_count_with_decimals_is_refused(project):
    """1,5 is no 15, and 1,2,3 no 123."""
    text = "query;document;impressions;clicks\nq1;a;10;1,5\nq1;b;1,2,3;1\nq2;a;8;2\n"
    found = must("import", project, "--clicks", "-", stdin=text).out
    assert "line 2: clicks and impressions are whole numbers from 0; found ‘1,5’ and ‘10’" in found
    assert "1 clicked pair: 1 new, 0 changed, 0 unchanged; 2 refused" in found


def test_a_decimal_comma_in_a_position_makes_it_no_other(project):
    """The first place is not the tenth."""
    text = "query;document;position;impressions;clicks\nq1;a;1,0;10;5\n"
    must("import", project, "--clicks", "-", stdin=text)
    assert "q1,a,1,10,5" in must("export", project, "--format", "clicks-csv").out.splitlines()


@pytest.mark.parametrize(
    ("sign", "shown", "count"),
    [("point", "1,200", 1200), ("comma", "1,000", 1), ("comma", "1.200", 1200)],
)
def test_what_stands_between_thousands_is_asked(project, sign, shown, count):
    """1,200 may be 1.2, and 1,000 one: nothing is written before somebody says it."""
    text = f"query;document;impressions;clicks\nq1;a;{shown};1\n"
    asked = call("import", project, "--clicks", "-", stdin=text)
    assert (asked.code, "--answer decimal_sign=CHOICE, one of comma, point" in asked.err) == (
        1,
        True,
    )
    must("import", project, "--clicks", "-", "--answer", f"decimal_sign={sign}", stdin=text)
    exported = must("export", project, "--format", "clicks-csv").out.splitlines()
    assert f"q1,a,,{count},1" in exported


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_blanks_stand_between_thousands_of_counts(project, blank):
    """Whichever a program writes there."""
    text = f"query;document;impressions;clicks\nq1;a;1{blank}200;1\n"
    must("import", project, "--clicks", "-", stdin=text)
    assert "q1,a,,1200,1" in must("export", project, "--format", "clicks-csv").out.splitlines()


def test_a_count_that_is_plain_tells_the_others(project):
    """Who writes 1.200.000 means thousands by 1.200, too."""
    text = "query;document;impressions;clicks\nq1;a;1.200;1.000\nq1;b;1.200.000;1\n"
    must("import", project, "--clicks", "-", stdin=text)
    exported = must("export", project, "--format", "clicks-csv").out.splitlines()
    assert {"q1,a,,1200,1000", "q1,b,,1200000,1"} <= {*exported}
