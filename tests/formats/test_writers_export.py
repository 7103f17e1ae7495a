"""Exports from a project, from any thread: cancelled, previewed, and nothing changed."""

import threading

import pytest

from judgetool.errors import InputError
from judgetool.formats.writers import WRITERS, ExportChoices
from judgetool.metrics import Conventions
from judgetool.session.commands import set_conventions
from judgetool.session.exports.exporting import preview_export, write_export
from tests.helpers.builders import open_sample


@pytest.fixture
def session(tmp_path):
    with open_sample(tmp_path) as opened:
        yield opened


def test_cancelled_half_way_leaves_the_old_file(session, tmp_path):
    """An export that is cancelled while it writes leaves what stood there, and nothing else."""
    out = tmp_path / "out" / "a.run"
    out.parent.mkdir()
    out.write_text("old")
    told = []
    with pytest.raises(match=r"What stood there is unchanged"):
        write_export(
            session,
            ExportChoices("trec-run", runs=("chargrams",)),
            out,
            has_meta=True,
            progress=lambda done, total: told.append((done, total)),
            is_cancelled=lambda: len(told) > 3,
        )
    assert told[0][1] == 399
    assert [path.name for path in out.parent.iterdir()] == ["a.run"]
    assert out.read_text() == "old"


@pytest.mark.parametrize("name", WRITERS)
def test_another_thread_writes_the_same(session, tmp_path, name):
    """A worker writes what the session's own thread writes."""
    choices = ExportChoices(name)
    write_export(session, choices, tmp_path / "here")
    worker = threading.Thread(target=write_export, args=(session, choices, tmp_path / "there"))
    worker.start()
    worker.join()
    assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()


def test_exporting_leaves_the_view_of_the_session(session):
    """Previewing by another view changes nothing in the session."""
    before = session.board.view, session.board.total_progress()
    assert preview_export(session, ExportChoices("qrels-3-columns", view="min")).n_records == 244
    assert (session.board.view, session.board.total_progress()) == before


def test_a_preview_finds_what_would_stop_the_writing(session):
    """A grade far down that cannot be written is found before anything is written."""
    with pytest.raises(InputError, match=r"no whole number"):
        preview_export(session, ExportChoices("trec-qrels", view="mean"), n_lines=1)


def test_a_report_follows_the_projects_conventions(session):
    """Without a preset, a report has the values and the sentences of the project's conventions."""
    before = preview_export(session, ExportChoices("report-markdown"), n_lines=20).lines
    session.execute(set_conventions(Conventions(unjudged="left out")))
    after = preview_export(session, ExportChoices("report-markdown"), n_lines=20).lines
    assert any("taken out of the rankings first" in line for line in after)
    assert not any("taken out of the rankings first" in line for line in before)
    assert after[2] == before[2]
    assert after[4:7] != before[4:7]
