"""What the live panel shows with a key's own frame, and what follows with the next one."""

import pytest
from PySide6.QtCore import Qt

from judgetool.metrics import Conventions
from judgetool.resources import resource_path
from judgetool.session.commands import set_conventions, set_measures
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import Parts, lay_judged_sample, lay_sample, make_project
from tests.helpers.program import must


@pytest.fixture
def window(qtbot, tmp_path):
    path = tmp_path / "recipes.judge"
    lay_sample(path)
    with opened_window(qtbot, path) as shown:
        qtbot.waitUntil(lambda: shown.schedule.is_settled)
        yield shown


def shown_intervals(window):
    return [(row.low, row.high) for row in window.live.values.rows.rows]


def true_intervals(window):
    judging = window.view.judging
    board = window.session.board
    bounds = board.bounds(judging.run_id, judging.query)
    return [
        (bound.low, bound.high) if measure.has_bounds else (None, None)
        for measure, bound in zip(board.engine.measures, bounds, strict=True)
    ]


def test_values_answer_before_anything_is_painted(qtbot, window):
    """When a grading key returns, the panel holds the value that the engine has."""
    press(qtbot, window, "n")
    press(qtbot, window, Qt.Key.Key_3)
    judging = window.view.judging
    values = window.session.board.engine.value(judging.run_id, judging.query)
    assert [row.value for row in window.live.values.rows.rows] == [v.value for v in values]


def test_the_first_frame_after_a_judgment_has_its_values(qtbot, window):
    """Nobody sees the values of before once more."""
    press(qtbot, window, "n")
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    press(qtbot, window, Qt.Key.Key_3)
    window.schedule.begin_frame()
    judging = window.view.judging
    values = window.session.board.engine.value(judging.run_id, judging.query)
    assert [row.value for row in window.live.shown_values.rows.rows] == [v.value for v in values]


def test_intervals_are_those_of_now_once_settled(qtbot, window):
    """After a judgment the intervals are soon those that the board works out."""
    press(qtbot, window, "n")
    press(qtbot, window, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    assert shown_intervals(window) == true_intervals(window)


def test_an_interval_is_at_most_one_frame_behind(qtbot, window):
    """With a key before every frame, the frame after a judgment's own has its intervals."""
    press(qtbot, window, "n")
    window.schedule.begin_frame()
    window.schedule.begin_frame()
    assert window.schedule.is_settled
    press(qtbot, window, Qt.Key.Key_3)
    window.schedule.begin_frame()
    press(qtbot, window, Qt.Key.Key_2)
    window.schedule.begin_frame()
    assert window.schedule.is_settled
    assert shown_intervals(window) == true_intervals(window)


def test_a_value_is_never_outside_its_interval(qtbot, window):
    """Also before the new interval is known the bar's range holds the value."""
    press(qtbot, window, "n")
    for key in (Qt.Key.Key_3, Qt.Key.Key_0, Qt.Key.Key_Z, Qt.Key.Key_2):
        press(qtbot, window, key)
        for row in window.live.values.rows.rows:
            # What counts the judged has none.
            assert (row.low is None) == (row.name == "Judged@10")
            if row.low is not None:
                assert row.value is None or row.low <= row.value <= row.high
                assert row.mean is None or row.mean_low <= row.mean <= row.mean_high


def test_hidden_panel_catches_up_when_shown(qtbot, window):
    """A panel that was hidden during a judgment has its intervals once it is seen again."""
    window.live.hide()
    press(qtbot, window, "n")
    press(qtbot, window, Qt.Key.Key_3)
    window.live.show()
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    assert shown_intervals(window) == true_intervals(window)


@pytest.mark.parametrize("undefined", ["zero", "leave out"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_bars_of_means_are_certain_where_everything_is_judged(
    qtbot, tmp_path, undefined, is_weighted
):
    """Means, sums, geometric means, queries left out: nothing is open, so the bar is a point."""
    qrels, run, queries = (tmp_path / name for name in ("qrels", "run", "queries.jsonl"))
    qrels.write_text("1 0 a 0\n2 0 a 1\n2 0 b 0\n3 0 a 0\n3 0 b 1\n")
    run.write_text("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n3 Q0 a 1 2 t\n3 Q0 b 2 1 t\n")
    queries.write_text('{"id": "1", "text": "x"}\n{"id": "2", "text": "y", "weight": 3}\n')
    path = tmp_path / "p.judge"
    must("new", path, "--scale", "binary")
    must("import", path, "--queries", queries, "--qrels", qrels, "--run", run)
    with opened_window(qtbot, path) as window:
        chosen = Conventions(undefined=undefined, is_weighted=is_weighted)
        window.session.execute(set_conventions(chosen))
        window.session.execute(set_measures(("AP", "GMAP", "NumRelRet", "P@1", "Bpref", "RBO")))
        rows = window.live.values.rows
        qtbot.waitUntil(lambda: window.jobs.is_idle and window.schedule.is_settled)
        qtbot.waitUntil(lambda: len(rows.rows) == 6 and rows.rows[0].mean_low is not None)
        for row in rows.rows:
            ends = (row.mean_low, row.mean_high)
            assert ends == pytest.approx((row.mean, row.mean), abs=1e-12), row.name


def test_a_run_without_results_for_judged_queries_is_said_under_the_values(qtbot, tmp_path):
    """Of the query in view and of the means, as `judgetool score` says it; no other run has a remark."""
    runs = {"alpha": {"q": ["x"]}, "beta": {"p": ["y"], "q": ["z"]}}
    judged = [("p", "y", "anna", 2.0), ("q", "x", "anna", 1.0)]
    with make_project(tmp_path, Parts(runs=runs, judgments=judged)) as session:
        path, first = session.path, session.material.find_query("p")
    with opened_window(qtbot, path) as window:
        alpha, beta = (run.run_id for run in window.session.material.runs)
        judging, values = window.view.judging, window.live.values
        judging.show_run(alpha)
        judging.show_query(first)
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        of_means = "alpha: 1 of 2 judged queries has no results; it counts as 0."
        assert values.remark == f"This run has no results for this query. {of_means}"
        assert window.live.values.rows.rows[0].judged == "no results"
        judging.show_query(1 - first)
        assert window.live.values.remark == of_means
        judging.show_run(beta)
        assert window.live.values.remark == ""


@pytest.mark.parametrize(("height", "asks"), [(768, False), (745, True)])
def test_on_a_low_screen_the_explanation_has_ranks_and_values_end_at_a_row(
    qtbot, tmp_path, height, asks
):
    """Also where a remark stands under the values: six ranks are seen, and no value is cut."""
    path = lay_judged_sample(tmp_path)
    lines = (resource_path("sample") / "runs" / "chargrams.run").read_text(encoding="utf-8")
    some = [line for line in lines.splitlines() if not line.startswith("1 ")]
    must("import", path, "--run", "-", stdin="\n".join([*some, ""]).replace("chargrams", "short"))
    with opened_window(qtbot, path, size=(1366, height)) as window:
        run = next(each for each in window.session.material.runs if each.name == "short")
        window.view.judging.show_run(run.run_id)
        qtbot.waitUntil(lambda: "has no results" in window.live.shown_values.remark)
        if asks:
            press(qtbot, window, "=")
        ranks = window.live.explain_table.ranks
        qtbot.waitUntil(lambda: ranks.isVisible() and len(ranks.rows) == 10)
        qtbot.waitUntil(lambda: ranks.viewport().height() >= 6 * ranks.row_height)
        values = window.live.shown_values.rows
        assert values.viewport().height() % values.row_height == 0
        assert values.visualRect(values.currentIndex()).bottom() <= values.viewport().height()
