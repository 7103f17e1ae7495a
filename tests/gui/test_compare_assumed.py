"""The compare view with a what-if of which grades are assumed: nothing is tested, and it is said."""

import re
import shlex
from contextlib import contextmanager

import pytest
from PySide6.QtCore import Qt

from judgetool.session.commands import Say
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.gui.compare_fixtures import computed, key_of, opened_compare, row_named
from tests.helpers.fake_prompter import FakePrompter
from tests.helpers.program import must

RUN, DREAMT, NDCG = "chargrams", "dreamt", "nDCG@10"


@contextmanager
def opened_dreamt(qtbot, tmp_path):
    """Look at a what-if that ranks as a run does, with two assumed grades in the first query."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session = window.session
        run = session.material.find_run(RUN).run_id
        whatif = create_whatif(session, DREAMT, run)
        ranked = session.material.ranked_documents(run, 0).tolist()
        fresh = [each for each in ranked if each not in session.board.settled(0)]
        for document in fresh[:2]:
            assume_grade(session, whatif, 0, document, 3.0)
        qtbot.waitUntil(lambda: DREAMT in [each.name for each in page.compared.systems])
        qtbot.waitUntil(lambda: row_named(page, DREAMT).has_assumed)
        computed(qtbot, page)
        names = list(map(str, page.compared.table.measures))
        page.compared.choose_measure(names.index(NDCG))
        page.compared.choose_baseline(key_of(page, RUN))
        computed(qtbot, page)
        page.compared.choose_system(key_of(page, DREAMT))
        yield window, page


def test_a_ranking_with_assumed_grades_is_not_tested_against_itself(qtbot, tmp_path):
    """The verdict says the difference and why nothing is tested; no p stands beside it."""
    with opened_dreamt(qtbot, tmp_path) as (_, page):
        verdict = page.compared.verdict()
        assert verdict.head.startswith(f"{DREAMT} and {RUN} are valued by different grades")
        assert "2 of them are only assumed" in verdict.text
        assert verdict.these is None
        assert {cell.p for cell in row_named(page, DREAMT).cells if cell.pair} <= {
            cell.p for cell in row_named(page, DREAMT).cells if cell.difference == 0
        } | {None}


def test_no_bounds_are_looked_for_where_grades_are_assumed(qtbot, tmp_path):
    """What is asked for of the pair is not begun; of a pair of runs it is."""
    with opened_dreamt(qtbot, tmp_path) as (_, page):
        place = page.compared.measure
        page.compared.wish_bounds(key_of(page, DREAMT), place)
        other = next(each for each in page.compared.systems if each.name not in (RUN, DREAMT))
        with qtbot.waitSignal(page.compared.bounds_found) as found:
            page.compared.wish_bounds(other.key, place)
        assert found.args == [other.key, place]
        assert page.compared.known_bounds(key_of(page, DREAMT), place) is None


def test_rankings_say_what_is_assumed(qtbot, tmp_path):
    """An assumed grade is told from a judged one, and the share of judged ranks is the run's own."""
    with opened_dreamt(qtbot, tmp_path) as (_, page):
        page.compared.choose_query(0)
        view = page.query.rankings
        qtbot.waitUntil(lambda: len(view.content.columns) == 2)
        one, two = view.content.columns
        assert {one.system.name, two.system.name} == {RUN, DREAMT}
        shares = [each.likeness.partition(" judged")[0] for each in (one, two)]
        assert shares[0] == shares[1]
        model = view.model()
        told = [
            model.index(row, column).data(Qt.ItemDataRole.AccessibleTextRole)
            for row in range(model.rowCount())
            for column in range(2)
        ]
        assumed = [each for each in told if "grade 3, assumed: not judged" in each]
        assert len(assumed) == 2
        assert all(each.startswith(DREAMT) for each in assumed)


def test_as_of_a_moment_assumed_grades_count_as_in_the_command(qtbot, tmp_path):
    """The slider's table and the command that it saves have the same means."""
    with opened_dreamt(qtbot, tmp_path) as (window, page):
        session = window.session
        for document in session.board.pool(1).tolist()[:2]:
            before = session.clock()
            session.execute(Say.grade(1, document, 1.0))
            # Two moments are two times.
            qtbot.waitUntil(lambda before=before: session.clock() > before + 1)
        qtbot.keyClick(page.table, Qt.Key.Key_T)
        slider = page.moments.slider
        qtbot.waitUntil(lambda: slider.maximum() >= 2)
        qtbot.keyClick(slider, Qt.Key.Key_Left)
        qtbot.waitUntil(lambda: "as of" in page.notes.note.text)
        place = tmp_path / "then.md"
        window.prompter = FakePrompter(places=[place])
        page.save_table()
        (command,) = re.findall("judgetool compare [^`]*", place.read_text("utf-8"))
        words = [str(session.path) if w == session.path.name else w for w in shlex.split(command)]
        rows = must(*words[1:], "--format", "json").json["comparisons"]
        means = {(row["run"], row["measure"]): row["mean"] for row in rows}
        table = page.table.table.table
        (then,) = [row for row in table.rows if row.system.name == DREAMT]
        column = list(map(str, table.measures)).index(NDCG)
        assert then.cells[column].mean.value == pytest.approx(means[DREAMT, NDCG], abs=1e-9)
        assert any("2 assumed grades" in each for each in table.sentences)
