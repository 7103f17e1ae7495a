"""Judging in the window with real keys: what a key does, saves, shows, and takes back."""

import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, Qt

from judgetool.core.scale import numbered_scale
from judgetool.gui.actions import Mode
from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from tests.gui.window_fixtures import (
    CTRL,
    SHIFT,
    banner_answers,
    opened_window,
    press,
    shown_means,
)
from tests.helpers.builders import lay_sample, make_readings, simple_parts
from tests.helpers.program import must
from tests.helpers.shared import shared_data


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "recipes.judge"
    lay_sample(path)
    return path


@pytest.fixture
def window(qtbot, sample):
    with opened_window(qtbot, sample) as shown:
        yield shown


def command(*words):
    """Run judgetool in another process and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "judgetool", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def own_judgments(window):
    session = window.session
    return {
        (query, document): opinion.judgment
        for query, document, opinion, _ in session.iter_judgments()
        if opinion.assessor == session.assessor
    }


def go_to_unjudged(qtbot, window):
    press(qtbot, window, "n")
    judging = window.view.judging
    assert judging.document not in window.session.board.settled(judging.query)
    return judging.query, judging.document


def test_title_names_program_and_project(window):
    """The window's title holds judgetool and the project's name."""
    assert "judgetool" in window.windowTitle()
    assert "recipes" in window.windowTitle()


def test_digit_grades_saves_and_moves_on(qtbot, window, sample):
    """One key: the judgment is in the file, the values have moved, the next document is there."""
    query, document = go_to_unjudged(qtbot, window)
    press(qtbot, window, "2")
    with open_project(sample, read_only=True) as other:
        assert other.board.settled(query)[document].grade == 2
    judging = window.view.judging
    assert (judging.query, judging.document) != (query, document)
    assert judging.document not in window.session.board.settled(judging.query)


def test_shift_and_digit_stays(qtbot, window):
    """With Shift the document stays, and its grade is shown in the bar."""
    query, document = go_to_unjudged(qtbot, window)
    press(qtbot, window, "3", SHIFT)
    judging = window.view.judging
    assert (judging.query, judging.document) == (query, document)
    given = [button.grade for button in window.workspace.grade_bar.levels if button.is_given]
    assert given == [3]


def test_digit_moves_the_values(qtbot, window):
    """With the very grade the panel has the engine's values, what they changed by, and their ends."""
    board, judging = window.session.board, window.view.judging
    query, run = judging.query, judging.run_id
    document = window.session.material.ranked_documents(run, query)[0]
    judging.show_place(query, int(document))
    before = [row.value for row in window.live.values.rows.rows]
    was = board.settled(query)[document].grade if document in board.settled(query) else None
    press(qtbot, window, "0" if was == 3 else "3", SHIFT)
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    shown = [row.value for row in window.live.values.rows.rows]
    assert shown == [value.value for value in board.engine.value(run, query)]
    assert shown != before
    changes = [row.change for row in window.live.values.rows.rows]
    moved = [after - value for after, value in zip(shown, before, strict=True)]
    assert changes == pytest.approx(moved, abs=1e-12)
    ends = [
        (bounds.low, bounds.high) if measure.has_bounds else (None, None)
        for measure, bounds in zip(board.engine.measures, board.bounds(run, query), strict=True)
    ]
    assert [(row.low, row.high) for row in window.live.values.rows.rows] == ends


def test_switch_keeps_on_the_document(qtbot, window):
    """'Move on after grading' can be switched off."""
    press(qtbot, window, Qt.Key.Key_M, CTRL)
    place = go_to_unjudged(qtbot, window)
    press(qtbot, window, "1")
    assert (window.view.judging.query, window.view.judging.document) == place


def test_undo_goes_back_to_where_it_was(qtbot, window):
    """Undo takes the judgment back and shows its document, also across queries."""
    before = own_judgments(window)
    query, document = go_to_unjudged(qtbot, window)
    press(qtbot, window, "2")
    press(qtbot, window, "]]")
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert own_judgments(window) == before
    assert (window.view.judging.query, window.view.judging.document) == (query, document)
    press(qtbot, window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert own_judgments(window)[query, document].grade == 2


def test_delete_clears_and_undo_brings_it_back(qtbot, window):
    """Backspace and Delete take a judgment back; nothing is lost by them."""
    query, document = go_to_unjudged(qtbot, window)
    press(qtbot, window, "2", SHIFT)
    press(qtbot, window, Qt.Key.Key_Backspace)
    assert (query, document) not in own_judgments(window)
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert own_judgments(window)[query, document].grade == 2


def test_others_judgments_cannot_be_cleared(qtbot, sample):
    """Delete on somebody else's judgment says whose it is and changes nothing."""
    with opened_window(qtbot, sample, assessor="carla") as window:
        window.view.judging.show_query(1)
        press(qtbot, window, Qt.Key.Key_Home)
        press(qtbot, window, Qt.Key.Key_Delete)
        assert "anna" in window.status.message.text
        assert own_judgments(window) == {}


def test_keys_do_not_fire_while_typing(qtbot, window):
    """Digits and letters typed into the filter go into the filter and judge nothing."""
    before = own_judgments(window)
    press(qtbot, window, "/")
    field = window.focusWidget()
    qtbot.keyClicks(field, "2nxs")
    assert field.text() == "2nxs"
    assert own_judgments(window) == before


def test_undoing_an_import_asks_first(qtbot, window):
    """Undo never makes the project vanish by one key too many; Alt and a letter answer."""
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert len(window.session.material.queries) == 20
    assert "import" in window.workspace.grade_bar.banner.content.sentence
    assert banner_answers(window).keys() == {"Undo the import", "Keep it"}
    press(qtbot, window, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    assert window.workspace.grade_bar.banner.isHidden()
    # A judgment is taken back at once; what is below it is the import again.
    press(qtbot, window, "1")
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert window.workspace.grade_bar.banner.isHidden()
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    press(qtbot, window, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: len(window.session.material.queries) == 0)
    press(qtbot, window, Qt.Key.Key_Z, CTRL | SHIFT)
    qtbot.waitUntil(lambda: len(window.session.material.queries) == 20)


@pytest.mark.parametrize("key", ["redo", "grade"])
def test_a_question_about_an_import_goes_with_the_next_step(qtbot, window, key):
    """Once another step is the next to undo, nothing offers to undo the import, and grades are seen."""
    press(qtbot, window, "1")
    for _ in range(2):
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert "Undo the import" in banner_answers(window)
    press(qtbot, window, *{"redo": (Qt.Key.Key_Y, CTRL), "grade": ("2",)}[key])
    assert window.workspace.grade_bar.banner.isHidden()


def test_movement_keys(qtbot, window):
    """J and K, Home and End, [ and ] move; arrows move in the list."""
    judging = window.view.judging
    press(qtbot, window, Qt.Key.Key_Home)
    press(qtbot, window, "jj")
    press(qtbot, window, Qt.Key.Key_Down)
    press(qtbot, window, "k")
    assert window.workspace.results.current_place() == 2
    press(qtbot, window, Qt.Key.Key_End)
    assert window.workspace.results.current_place() == len(window.workspace.results.documents()) - 1
    first = judging.query
    press(qtbot, window, "]")
    assert judging.query != first
    press(qtbot, window, "[")
    assert judging.query == first


def test_failed_save_keeps_everything_and_can_be_retried(qtbot, window, sample):
    """When the file is gone the judgment is not told as saved, nothing moves, Retry saves it."""
    query, document = go_to_unjudged(qtbot, window)
    aside = sample.with_name("aside")
    sample.rename(aside)
    press(qtbot, window, "2")
    assert "Not saved" in window.status.save.text or "moved" in window.status.save.text
    assert (window.view.judging.query, window.view.judging.document) == (query, document)
    assert (query, document) not in own_judgments_in_memory(window)
    aside.rename(sample)
    qtbot.mouseClick(banner_answers(window)["Retry"], Qt.MouseButton.LeftButton)
    with open_project(sample, read_only=True) as other:
        assert other.board.settled(query)[document].grade == 2
    assert window.status.save.text.startswith("Saved")


def test_views_change_while_the_file_is_gone(qtbot, window, sample):
    """What only a hub's file closes is not asked of one that cannot be read: no error, another view."""
    aside = sample.with_name("aside")
    sample.rename(aside)
    window.views.show(Mode.COMPARE)
    assert window.views.mode is Mode.COMPARE
    aside.rename(sample)


def own_judgments_in_memory(window):
    board = window.session.board
    return {(q, d) for q in range(len(window.session.material.queries)) for d in board.settled(q)}


def test_second_window_reads_only(qtbot, window, sample):
    """A project that is open elsewhere can be looked at, and says why not judged."""
    with opened_window(qtbot, sample, assessor="ben") as second:
        press(qtbot, second, "2")
        assert "Read-only" in second.status.save.text
        assert not second.workspace.grade_bar.levels[0].isEnabled()


def test_last_place_comes_back(qtbot, sample):
    """Closing and opening again shows the query and document where one stopped."""
    with opened_window(qtbot, sample) as window:
        press(qtbot, window, "]]]jj")
        place = window.view.place
    with opened_window(qtbot, sample) as again:
        assert again.view.place == place


def test_icecat_session_from_import_to_export(qtbot, tmp_path):
    """Fifty documents, fifty keys; the panel equals ``judgetool score``; undo-all; reopening."""
    data = shared_data("data/icecat-shop")
    path = tmp_path / "shop.judge"
    run = data / "runs" / "bm25-title.run"
    must("new", path, "--scale", "0-3")
    must(
        *("import", path, "--queries", data / "queries.tsv", "--documents", data / "corpus.jsonl"),
        *[word for found in sorted((data / "runs").iterdir()) for word in ("--run", found)],
    )
    qrels = tmp_path / "out.qrels"
    start = command("show", path, "--judgments")
    with opened_window(qtbot, path) as window:
        shop_run = window.session.material.find_run("bm25-title").run_id
        window.view.judging.show_run(shop_run)
        names = [word for name in shown_means(window) for word in ("-m", name)]
        for count in range(1, 51):
            press(qtbot, window, str(count % 4))
            assert len(own_judgments(window)) == count
            if count % 5 == 0:
                command("export", path, "--qrels", qrels)
                printed = must("score", qrels, run, "--scale", "0-3", *names).out
                rows = [line.split("\t") for line in printed.splitlines()]
                assert {name: value for name, _, value in rows} == shown_means(window)
        end = command("show", path, "--judgments")
    with opened_window(qtbot, path) as window:
        assert command("show", path, "--judgments") == end
        for _ in range(50):
            press(qtbot, window, Qt.Key.Key_Z, CTRL)
        assert own_judgments(window) == {}
    assert command("show", path, "--judgments") == start


def test_ctrl_q_closes_the_window(qtbot, sample):
    """Ctrl+Q ends, and the project at rest is one file."""
    with opened_window(qtbot, sample) as window:
        window.session.execute(Say.grade(19, window.view.judging.document, 1))
        press(qtbot, window, Qt.Key.Key_Q, CTRL)
        assert not window.isVisible()
    assert [path.name for path in sample.parent.iterdir()] == ["recipes.judge"]


def test_scale_of_twelve_levels_is_judged_by_digits_and_letters(qtbot, tmp_path):
    """Scales with more than ten levels go on with letters that nothing else needs."""
    path = tmp_path / "twelve.judge"
    create_project(path, scale=numbered_scale("twelve", [f"Level {n}" for n in range(12)]))
    with open_project(path) as session:
        import_readings(session, make_readings(simple_parts()))
    with opened_window(qtbot, path) as window:
        query, document = window.view.judging.query, window.view.judging.document
        press(qtbot, window, "b")
        assert own_judgments(window)[query, document].grade == 11


def test_key_of_a_level_wins_over_an_action(qtbot, tmp_path):
    """A level may have any key; the action that had it is without it while the scale lasts."""
    path = tmp_path / "own.judge"
    scale = numbered_scale("own", ("No", "Yes"))
    levels = (scale.levels[0]._replace(key="n"), scale.levels[1]._replace(key="j"))
    create_project(path, scale=replace(scale, levels=levels))
    with open_project(path) as session:
        import_readings(session, make_readings(simple_parts()))
    with opened_window(qtbot, path) as window:
        press(qtbot, window, "j")
        assert [judgment.grade for judgment in own_judgments(window).values()] == [1]


def test_q_shows_queries_that_there_was_no_room_for(qtbot, sample):
    """Folded in a narrow window they came with the second press; the first did nothing that was seen."""
    with opened_window(qtbot, sample, size=(700, 600)) as window:
        assert window.docks.queries.isHidden()
        press(qtbot, window, "q")
        qtbot.waitUntil(window.docks.queries.isVisible)
        press(qtbot, window, "q")
        qtbot.waitUntil(window.docks.queries.isHidden)


def test_docks_keep_the_width_that_they_were_given(qtbot, sample):
    """Making the window larger or smaller leaves the width of the queries as it was set."""
    with opened_window(qtbot, sample) as window:
        window.resizeDocks([window.docks.queries], [330], Qt.Orientation.Horizontal)
        qtbot.waitUntil(lambda: window.docks.queries.width() == 330)
        window.resize(1500, 950)
        qtbot.waitUntil(lambda: window.width() == 1500)
        assert window.docks.queries.width() == 330


class _Painted(QObject):
    """Notes what the save label says whenever it is painted, and then lets the disk go on."""

    def __init__(self, label, gate):
        super().__init__(label)
        self.texts, self._label, self._gate = [], label, gate
        label.installEventFilter(self)

    def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
        if event.type() is QEvent.Type.Paint:
            self.texts.append(self._label.text)
            if self._label.text == "Saving…":
                self._gate.set()
        return False


def test_a_slow_disk_is_shown_while_the_window_waits(qtbot, window):
    """While a grade waits for the disk the window has painted 'Saving…'; then it is saved."""
    window.session.write(lambda _connection: None)
    gate, is_held = threading.Event(), threading.Event()

    def hold(_connection):
        is_held.set()
        gate.wait(60)

    slow = threading.Thread(target=window.session.write, args=(hold,))
    slow.start()
    is_held.wait(60)
    painted = _Painted(window.status.save, gate)
    press(qtbot, window, "2")
    slow.join()
    assert "Saving…" in painted.texts
    assert window.status.save.text.startswith("Saved ")
