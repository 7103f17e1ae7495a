"""Background work, through real threads."""

import gc
import threading

import pytest
import shiboken6
from PySide6.QtCore import QObject, QThread

from judgetool.errors import InputError
from judgetool.gui.jobs import Collector, JobCancelledError, Jobs


@pytest.fixture
def jobs(qapp):
    made = Jobs()
    yield made
    made.close()


class Outcome:
    """Collects what is delivered, and on which thread."""

    def __init__(self):
        self.results, self.errors, self.progress, self.threads = [], [], [], []

    def done(self, result):
        self.results.append(result)
        self.threads.append(QThread.currentThread())

    def failed(self, error):
        self.errors.append(error)
        self.threads.append(QThread.currentThread())

    def told(self, done, total):
        self.progress.append((done, total))
        self.threads.append(QThread.currentThread())


def wait_idle(qtbot, jobs):
    qtbot.waitUntil(lambda: jobs.is_idle)


def test_work_runs_elsewhere_and_is_delivered_here(qtbot, qapp, jobs):
    """Work runs on another thread, its result arrives on the GUI thread."""
    out = Outcome()
    jobs.submit(lambda handle: threading.current_thread().name, out.done)
    wait_idle(qtbot, jobs)
    assert out.results[0].startswith("judgetool-job")
    assert out.threads == [qapp.thread()]


def test_a_failure_is_delivered_as_it_is(qtbot, qapp, jobs):
    """What the work raises arrives on the GUI thread."""
    out = Outcome()

    def work(handle):
        raise InputError("no such thing")

    jobs.submit(work, out.done, out.failed)
    wait_idle(qtbot, jobs)
    assert [str(error) for error in out.errors] == ["no such thing"]
    assert out.results == []
    assert out.threads == [qapp.thread()]


def test_a_failure_nobody_takes_reaches_the_excepthook(qtbot, jobs):
    """Without on_failed an error is not silent."""

    def work(handle):
        raise ValueError("ours")

    with qtbot.captureExceptions() as caught:
        jobs.submit(work, Outcome().done)
        wait_idle(qtbot, jobs)
    assert [str(value) for _, value, _ in caught] == ["ours"]


def test_the_last_progress_always_arrives(qtbot, jobs):
    """However often the work reports, little is delivered, and the end always is."""
    out = Outcome()

    def work(handle):
        for done in range(20_001):
            handle.report(done, 20_000)

    jobs.submit(work, out.done, out.failed, out.told)
    wait_idle(qtbot, jobs)
    assert out.progress[-1] == (20_000, 20_000)
    assert len(out.progress) < 1000


def test_only_the_newest_of_a_key_is_delivered(qtbot, jobs):
    """An older job of the same key delivers nothing, even when it was running."""
    out, begun, go = Outcome(), threading.Event(), threading.Event()

    def first(handle):
        begun.set()
        go.wait(60)
        return "old"

    jobs.submit(first, out.done, out.failed, key="plan")
    assert begun.wait(60)
    jobs.submit(lambda handle: "middle", out.done, out.failed, key="plan")
    jobs.submit(lambda handle: "new", out.done, out.failed, key="plan")
    go.set()
    wait_idle(qtbot, jobs)
    assert out.results == ["new"]
    assert out.errors == []


def test_jobs_of_different_keys_do_not_disturb_each_other(qtbot, jobs):
    """Jobs of other keys, or none, are all delivered, in order."""
    out = Outcome()
    for name, key in (("a", "x"), ("b", "y"), ("c", ""), ("d", "")):
        jobs.submit(lambda handle, name=name: name, out.done, key=key)
    wait_idle(qtbot, jobs)
    assert out.results == ["a", "b", "c", "d"]


def test_work_that_asks_is_stopped_by_cancel(qtbot, jobs):
    """Work that asks as it should stops, and is told to have."""
    out, begun = Outcome(), threading.Event()

    def work(handle):
        begun.set()
        while True:
            handle.check()

    handle = jobs.submit(work, out.done, out.failed)
    assert begun.wait(60)
    handle.cancel()
    qtbot.waitUntil(lambda: bool(out.errors))
    assert isinstance(out.errors[0], JobCancelledError)


def test_a_job_cancelled_too_late_delivers_its_result(qtbot, jobs):
    """What has happened is told truly: a result that came in spite of cancel is delivered."""
    out, begun, go = Outcome(), threading.Event(), threading.Event()

    def work(handle):
        begun.set()
        go.wait(60)
        return "written"

    handle = jobs.submit(work, out.done, out.failed)
    assert begun.wait(60)
    handle.cancel()
    go.set()
    wait_idle(qtbot, jobs)
    assert out.results == ["written"]


def test_a_waiting_job_is_cancelled_without_being_begun(qtbot, jobs):
    """A job that still waits never runs, and its failure says so at once."""
    out, go, ran = Outcome(), threading.Event(), []
    jobs.submit(lambda handle: go.wait(60), Outcome().done)
    waiting = jobs.submit(lambda handle: ran.append(1), out.done, out.failed)
    waiting.cancel()
    qtbot.waitUntil(lambda: bool(out.errors))
    go.set()
    wait_idle(qtbot, jobs)
    assert ran == []
    assert out.results == []


def test_a_dropped_job_delivers_nothing(qtbot, jobs):
    """After drop() neither result nor failure nor progress arrives."""
    out, begun = Outcome(), threading.Event()

    def work(handle):
        begun.set()
        while not handle.is_cancelled():
            pass
        handle.report(1, 1)
        return "x"

    handle = jobs.submit(work, out.done, out.failed, out.told)
    assert begun.wait(60)
    handle.drop()
    wait_idle(qtbot, jobs)
    assert (out.results, out.errors, out.progress) == ([], [], [])


def test_nothing_is_delivered_to_an_owner_that_is_gone(qtbot, jobs):
    """A result for a destroyed owner is thrown away."""
    out, go, owner = Outcome(), threading.Event(), QObject()
    jobs.submit(lambda handle: go.wait(60), out.done, out.failed, owner=owner)
    shiboken6.delete(owner)
    go.set()
    wait_idle(qtbot, jobs)
    assert out.results == []


def test_stopping_waits_until_nothing_runs(qtbot, jobs):
    """After stop_all() no work runs any more, nothing is delivered, and new work is taken."""
    out, begun, ended = Outcome(), threading.Event(), []

    def work(handle):
        begun.set()
        while not handle.is_cancelled():
            pass
        ended.append(1)

    jobs.submit(work, out.done, out.failed)
    assert begun.wait(60)
    jobs.stop_all()
    assert ended == [1]
    jobs.submit(lambda handle: "next", out.done)
    wait_idle(qtbot, jobs)
    assert out.results == ["next"]
    assert out.errors == []


def test_closing_stops_what_runs(qapp):
    """close() ends running and waiting work and delivers nothing."""
    out, begun = Outcome(), threading.Event()
    jobs = Jobs()

    def work(handle):
        begun.set()
        while not handle.is_cancelled():
            pass

    jobs.submit(work, out.done)
    jobs.submit(lambda handle: 1, out.done)
    assert begun.wait(60)
    jobs.close()
    qapp.sendPostedEvents()
    assert out.results == []


def test_long_lists_are_emptied_on_the_worker(qtbot, jobs):
    """What nobody needs any more is let go of elsewhere; after closing, nothing is done."""
    texts, few = [str(number) for number in range(25_000)], ["a"]
    jobs.let_go([texts, few])
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert (texts, few) == ([], [])
    jobs.close()
    jobs.let_go([texts])
    assert jobs.is_idle


def test_what_comes_after_the_close_is_dropped(qapp):
    """A timer that outlives the window by a moment starts nothing, and nobody is told of a fault."""
    made, outcome = Jobs(), Outcome()
    made.close()
    handle = made.submit(lambda _handle: 1, outcome.done, outcome.failed)
    assert handle.is_dropped
    assert made.is_idle
    assert not outcome.results
    assert not outcome.errors


@pytest.fixture
def collected():
    """The threads on which garbage was looked for, where few new objects are enough for it."""
    threads, before = [], gc.get_threshold()

    def note(phase, _info):
        if phase == "start":
            threads.append(threading.current_thread())

    gc.callbacks.append(note)
    gc.set_threshold(100, *before[1:])
    yield threads
    gc.set_threshold(*before)
    gc.callbacks.remove(note)


def test_garbage_is_looked_for_on_the_thread_of_the_window_alone(qtbot, jobs, collected):
    """A worker that makes many objects frees nothing of Qt amid what the window paints."""
    collector, out = Collector(jobs), Outcome()
    jobs.submit(lambda _handle: [[number] for number in range(10_000)], out.done)
    qtbot.waitUntil(lambda: bool(out.results and collected))
    assert set(collected) == {threading.main_thread()}
    collector.end()
    assert gc.isenabled()


def test_the_last_window_leaves_garbage_to_python_again(jobs):
    """While another one is there it is looked for on that one's thread; to end twice is nothing."""
    first, second = Collector(jobs), Collector(jobs)
    first.end()
    first.end()
    assert not gc.isenabled()
    second.end()
    assert gc.isenabled()
