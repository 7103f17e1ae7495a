"""The export dialog on a real project."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

from judgetool.core.scale import scale_preset
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.export_preview import PREVIEW_LINES, ExportKind
from judgetool.resources import resource_path
from judgetool.session.opening import create_project, open_project
from tests.helpers.builders import make_project, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def session(tmp_path):
    with open_sample(tmp_path) as opened:
        yield opened


@pytest.fixture
def show(qtbot):
    def shown(session, *places):
        prompter = FakePrompter(places=places)
        dialog = ExportDialog(session, prompter)
        dialog.prompter = prompter
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return shown


def choose(dialog, kind, source=""):
    dialog.radios[kind].click()
    if source:
        place = next(
            n for n in range(dialog.sources.count()) if dialog.sources.itemData(n).name == source
        )
        dialog.sources.setCurrentIndex(place)


def test_qrels_are_written_and_counted(qtbot, show, session, tmp_path):
    """The sample's qrels come out as trec_eval has them, and the sentence counts the lines."""
    out = tmp_path / "out.txt"
    dialog = show(session, out)
    choose(dialog, ExportKind.QRELS, "max")
    qtbot.mouseClick(dialog.verb, LEFT)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert dialog.answer == f"244 lines written to out.txt in {tmp_path}."
    expected = resource_path("sample/qrels.txt").read_text().splitlines()
    assert sorted(out.read_text().splitlines()) == sorted(expected)


@pytest.mark.parametrize("kind", list(ExportKind))
def test_the_preview_is_how_the_file_begins(qtbot, show, session, tmp_path, kind):
    """The first lines that are shown are the first lines that are written."""
    out = tmp_path / "out"
    dialog = show(session, out)
    choose(dialog, kind)
    shown = dialog.preview.toPlainText().splitlines()
    qtbot.mouseClick(dialog.verb, LEFT)
    assert shown == out.read_text(encoding="utf-8").splitlines()[:PREVIEW_LINES]


def test_one_assessors_judgments(qtbot, show, session, tmp_path):
    """One assessor's grades as qrels are only theirs."""
    out = tmp_path / "ben.txt"
    dialog = show(session, out)
    choose(dialog, ExportKind.QRELS, "ben")
    assert dialog.verb.text() == "Export 98 lines…"
    qtbot.mouseClick(dialog.verb, LEFT)
    assert len(out.read_text().splitlines()) == 98


def test_another_view_leaves_the_window_as_it_was(show, session):
    """Previewing another view does not change which judgments count in the window."""
    before = session.board.view, session.board.total_progress()
    choose(show(session), ExportKind.QRELS, "min")
    assert (session.board.view, session.board.total_progress()) == before


def test_a_file_name_is_suggested(qtbot, show, session, tmp_path):
    """The suggested name says what is in the file, beside the project."""
    dialog = show(session, None, None)
    choose(dialog, ExportKind.QRELS, "ben")
    qtbot.mouseClick(dialog.verb, LEFT)
    choose(dialog, ExportKind.RUN, "chargrams")
    qtbot.mouseClick(dialog.verb, LEFT)
    names = [place.name for place in dialog.prompter.suggested]
    assert names == ["recipes-ben-qrels.txt", "chargrams.run"]
    assert dialog.answer is None


def test_the_project_is_never_overwritten(qtbot, show, session):
    """The open project cannot be chosen as the target."""
    before = session.path.read_bytes()
    dialog = show(session, session.path)
    qtbot.mouseClick(dialog.verb, LEFT)
    assert "is the open project" in dialog.prompter.told[0]
    assert session.path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_said(qtbot, show, session, tmp_path):
    """A missing folder is said in the writer's own sentence, and the dialog stays."""
    dialog = show(session, tmp_path / "no" / "x.txt")
    qtbot.mouseClick(dialog.verb, LEFT)
    assert "its folder does not exist" in dialog.prompter.told[0]
    assert dialog.isVisible()


def test_an_id_that_a_format_cannot_carry_is_said(show, tmp_path):
    """An id with a blank cannot stand in qrels: the foot says so and the verb waits."""
    parts = simple_parts()
    parts = type(parts)(
        parts.queries, parts.documents, parts.runs, [("q0", "with blank", "anna", 1.0)]
    )
    with make_project(tmp_path, parts) as session:
        dialog = show(session)
        assert "holds a blank" in dialog.remark.text()
        assert not dialog.verb.isEnabled()
        choose(dialog, ExportKind.JUDGMENTS)
        assert dialog.verb.isEnabled()


def test_an_empty_project_has_nothing_to_export(show, tmp_path):
    """Without judgments and runs there is nothing to export, in words."""
    create_project(tmp_path / "e.judge", scale=scale_preset("binary"))
    with open_project(tmp_path / "e.judge") as session:
        dialog = show(session)
        assert not dialog.verb.isEnabled()
        assert "nothing of this kind" in dialog.remark.text()
        assert not dialog.radios[ExportKind.RUN].isEnabled()
