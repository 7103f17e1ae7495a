"""The export dialog on a real project."""

import json
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDialog

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import scale_preset
from judgetool.formats.writers import WRITERS, Blanks, CannotJudge, ExportOption, Fractions
from judgetool.gui.dialogs.export_dialog import PREVIEW_LINES, ExportDialog
from judgetool.gui.jobs import Jobs
from judgetool.resources import resource_path
from judgetool.session.commands import Say
from judgetool.session.opening import create_project, open_project
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.helpers.builders import OWN_SCALE, make_project, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def session(tmp_path):
    with open_sample(tmp_path) as opened:
        yield opened


@pytest.fixture
def jobs(qapp):
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def show(qtbot, jobs):
    """Shows an export; unless told not to, waits for the worker after whatever is chosen."""

    def shown(session, *places, waits=True):
        prompter = FakePrompter(places=places)
        dialog = ExportDialog(session, prompter, jobs)
        dialog.prompter = prompter
        dialog.settle = lambda: waits and qtbot.waitUntil(lambda: jobs.is_idle)
        qtbot.addWidget(dialog)
        dialog.show()
        dialog.settle()
        return dialog

    return shown


def choose(dialog, form, source=""):
    dialog.formats.setCurrentIndex(dialog.formats.findData(form))
    if source:
        place = next(
            n for n in range(dialog.sources.count()) if dialog.sources.itemData(n).name == source
        )
        dialog.sources.setCurrentIndex(place)
    dialog.settle()


def set_option(dialog, option, value):
    field = dialog.options.fields[option]
    field.setCurrentIndex(field.findData(str(value)))
    dialog.settle()


def write(qtbot, dialog):
    qtbot.mouseClick(dialog.verb, LEFT)
    dialog.settle()


def shown_lines(dialog):
    return dialog.preview.toPlainText().splitlines()


def test_qrels_are_written_and_counted(qtbot, show, session, tmp_path):
    """The sample's qrels come out as trec_eval has them, and the sentence counts the grades."""
    out = tmp_path / "out.txt"
    dialog = show(session, out)
    choose(dialog, "trec-qrels", "max")
    dialog.meta.setChecked(False)
    write(qtbot, dialog)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert dialog.answer == f"244 grades written to out.txt in {tmp_path}."
    expected = resource_path("sample/qrels.txt").read_text().splitlines()
    assert sorted(out.read_text().splitlines()) == sorted(expected)


def test_an_arrow_opens_the_list_of_formats(qtbot, show, session):
    """A reader says each there; on the closed box it would read the whole dialog before each."""
    dialog = show(session)
    before = dialog.formats.currentData()
    qtbot.keyClick(dialog.formats, Qt.Key.Key_Down)
    assert dialog.formats.view().isVisible()
    dialog.formats.hidePopup()
    assert dialog.formats.currentData() == before


def test_every_format_can_be_chosen(show, session):
    """The list holds every format that judgetool writes."""
    dialog = show(session)
    formats = dialog.formats
    names = [formats.itemData(place) for place in range(formats.count())]
    assert [name for name in names if name] == list(WRITERS)


# The sample knows nothing of clicks: there is nothing to choose.
SHOWN = [form.name for form in WRITERS.values() if not form.is_binary and form.name != "clicks-csv"]


@pytest.mark.parametrize("form", SHOWN)
def test_the_preview_is_how_the_file_begins(qtbot, show, session, tmp_path, form):
    """The first lines that are shown are the first lines that are written."""
    out = tmp_path / "out"
    dialog = show(session, out)
    choose(dialog, form)
    shown = shown_lines(dialog)
    write(qtbot, dialog)
    written = out.read_text(encoding="utf-8").splitlines()[:PREVIEW_LINES]
    assert [line[:400] for line in written] == shown


@pytest.mark.parametrize("form", [form.name for form in WRITERS.values() if form.is_binary])
def test_a_file_that_is_no_text_is_shown_as_rows(qtbot, show, session, tmp_path, form):
    """Of Parquet and Excel the first rows are shown, and the file is written."""
    out = tmp_path / "out"
    dialog = show(session, out)
    choose(dialog, form)
    assert shown_lines(dialog)[1].split("\t")[:4] == ["1", "r003", "anna", "3"]
    write(qtbot, dialog)
    assert out.read_bytes()[:4] in (b"PAR1", b"PK\x03\x04")


def test_one_assessors_judgments(qtbot, show, session, tmp_path):
    """One assessor's grades as qrels are only theirs."""
    out = tmp_path / "ben.txt"
    dialog = show(session, out)
    choose(dialog, "trec-qrels", "ben")
    assert dialog.verb.text() == "Export 98 grades…"
    write(qtbot, dialog)
    assert len(out.read_text().splitlines()) == 98


def test_grades_that_a_what_if_assumes_are_said_not_to_be_in_its_run(qtbot, show, session):
    """Before anything is written."""
    run = session.material.runs[0].run_id
    made = create_whatif(session, "dreamt", run)
    settled = session.board.settled(0)
    ranked = session.material.ranked_documents(run, 0).tolist()
    assume_grade(session, made, 0, next(each for each in ranked if each not in settled), 3.0)
    dialog = show(session)
    choose(dialog, "trec-run", "dreamt")
    qtbot.waitUntil(lambda: "what-if assumes 1 grade, which no run holds" in dialog.notes.text())


def test_what_is_lost_is_said(qtbot, show, session):
    """The dialog says what a format cannot hold."""
    dialog = show(session)
    choose(dialog, "quepid-csv")
    assert "Query ids, weights and categories are lost" in dialog.loses.text()
    choose(dialog, "rank-eval-request")
    assert "takes 2^grade − 1 as gain" in dialog.loses.text()
    assert "weights, categories and descriptions" in dialog.loses.text()
    qtbot.waitUntil(lambda: "or by --target" in dialog.notes.text())
    choose(dialog, "judgments-jsonl")
    assert "second judgments" in dialog.loses.text()
    choose(dialog, "queries-jsonl")
    assert "what was a number, list or object stands in quotes" in dialog.loses.text()
    choose(dialog, "clicks-csv")
    assert dialog.loses.text() == "Nothing is lost."


@pytest.mark.parametrize("form", WRITERS.values(), ids=lambda form: form.name)
def test_only_choices_that_matter_are_shown(show, session, form):
    """A format shows the fields of its own options, and no others."""
    dialog = show(session)
    choose(dialog, form.name)
    shown = {option for option, field in dialog.options.fields.items() if field.isVisible()}
    assert shown == set(form.options)


def test_fractions_are_refused_until_something_is_chosen(show, session):
    """A mean that is no whole number keeps qrels from being written, in words, until one chooses."""
    dialog = show(session)
    choose(dialog, "trec-qrels", "mean")
    assert "no whole number" in dialog.remark.text()
    assert not dialog.verb.isEnabled()
    set_option(dialog, ExportOption.FRACTIONS, Fractions.ROUND)
    assert dialog.verb.isEnabled()
    assert "rounded" in dialog.notes.text()


def test_cannot_judge_as_the_lowest_grade(show, tmp_path):
    """What could not be judged is left out, or gets the lowest grade when that is chosen."""
    with make_project(tmp_path, simple_parts()) as session:
        session.execute(Say.cannot_judge(0, session.material.find_document("d1")))
        dialog = show(session)
        choose(dialog, "trec-qrels")
        assert not dialog.verb.isEnabled()
        set_option(dialog, ExportOption.CANNOT_JUDGE, CannotJudge.LOWEST)
        assert shown_lines(dialog) == ["q0 0 d1 0"]


def test_the_side_file_records_the_choices(qtbot, show, session, tmp_path):
    """Unless it is switched off, a side file says what was chosen, beside the file."""
    out = tmp_path / "out.txt"
    dialog = show(session, out)
    choose(dialog, "trec-qrels", "min")
    write(qtbot, dialog)
    said = json.loads((tmp_path / "out.txt.meta.json").read_text(encoding="utf-8"))
    assert said["choices"]["view"] == "min"
    assert "out.txt.meta.json beside it" in dialog.answer


def test_the_worker_previews_and_writes(qtbot, show, session, jobs, tmp_path):
    """With background work the window is not held up: preview and file come from the worker."""
    out = tmp_path / "out.run"
    dialog = show(session, out, waits=False)
    choose(dialog, "trec-run", "chargrams")
    assert not dialog.verb.isEnabled()
    qtbot.waitUntil(dialog.verb.isEnabled)
    with qtbot.waitSignal(dialog.ended):
        qtbot.mouseClick(dialog.verb, LEFT)
    assert len(out.read_text().splitlines()) == 399


def test_cancel_leaves_what_stood_there(qtbot, show, session, jobs, tmp_path):
    """Cancel while it is written: the old file stands, and the dialog stays to try again."""
    out = tmp_path / "out.run"
    out.write_text("old")
    dialog = show(session, out, waits=False)
    choose(dialog, "trec-run", "chargrams")
    qtbot.waitUntil(dialog.verb.isEnabled)
    go = threading.Event()
    jobs.submit(lambda handle: go.wait(), lambda result: None)
    qtbot.mouseClick(dialog.verb, LEFT)
    parts = (dialog.formats, dialog.sources, dialog.options, dialog.who, dialog.verb)
    usable = [part for part in parts if part.isEnabled()]
    qtbot.mouseClick(dialog.cancel, LEFT)
    go.set()
    assert usable == []
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert out.read_text() == "old"
    assert dialog.isVisible()
    assert dialog.verb.isEnabled()


def test_only_the_last_preview_is_shown(qtbot, show, session, jobs):
    """Choosing fast shows the last choice, not what was asked for before."""
    dialog = show(session, waits=False)
    for form in ("trec-run", "letor", "qrels-3-columns"):
        choose(dialog, form)
    qtbot.waitUntil(dialog.verb.isEnabled)
    assert shown_lines(dialog)[0] == "1 r003 3"


def test_another_view_leaves_the_window_as_it_was(show, session):
    """Previewing another view does not change which judgments count in the window."""
    before = session.board.view, session.board.total_progress()
    choose(show(session), "trec-qrels", "min")
    assert (session.board.view, session.board.total_progress()) == before


def test_a_file_name_is_suggested(qtbot, show, session, tmp_path):
    """The suggested name says what is in the file, beside the project."""
    dialog = show(session, None, None)
    choose(dialog, "trec-qrels", "ben")
    write(qtbot, dialog)
    choose(dialog, "trec-run", "chargrams")
    write(qtbot, dialog)
    names = [place.name for place in dialog.prompter.suggested]
    assert names == ["recipes-ben-trec-qrels.qrels", "chargrams.run"]
    assert dialog.answer is None


def test_the_project_is_never_overwritten(qtbot, show, session):
    """The open project cannot be chosen as the target."""
    before = session.path.read_bytes()
    dialog = show(session, session.path)
    write(qtbot, dialog)
    assert "is the open project" in dialog.prompter.told[0]
    assert session.path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_said(qtbot, show, session, tmp_path):
    """A missing folder is said in the writer's own sentence, and the dialog stays."""
    dialog = show(session, tmp_path / "no" / "x.txt")
    write(qtbot, dialog)
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
        said = dialog.remark.text()
        assert "(Blanks in ids), or choose the format ‘Judgments in full, CSV’." in said
        assert "--" not in said
        assert not dialog.verb.isEnabled()
        choose(dialog, "judgments-jsonl")
        assert dialog.verb.isEnabled()


def test_an_id_like_a_formula_is_said_in_the_windows_words(show, tmp_path):
    """The sentence names the choice that stands below it, not an option of a command."""
    parts = simple_parts()
    judged = [("q0", "=1", "anna", 1.0)]
    with make_project(tmp_path, type(parts)(parts.queries, [], {}, judged)) as session:
        dialog = show(session)
        choose(dialog, "judgments-csv")
        said = dialog.remark.text()
        assert "Choose to keep such ids (Cells like formulas)" in said
        assert "--" not in said


def test_query_ids_with_blanks_can_be_written_with_underscores(show, tmp_path):
    """The choice stands beside the others, and the first lines follow it."""
    parts = simple_parts()
    query = Query("red tent", "red tent")
    parts = type(parts)([query], parts.documents, {}, [("red tent", "d0", "anna", 1.0)])
    with make_project(tmp_path, parts) as session:
        dialog = show(session)
        assert not dialog.verb.isEnabled()
        set_option(dialog, ExportOption.BLANKS, Blanks.QUERIES)
        assert dialog.preview.toPlainText().startswith("red_tent 0 d0 1")
        assert dialog.verb.isEnabled()


def test_document_ids_with_blanks_are_written_where_that_is_asked_for(show, tmp_path):
    """One such document stopped the export of the whole project."""
    parts = simple_parts()
    documents = [Document("doc 7", "Seven")]
    parts = type(parts)(parts.queries, documents, {}, [("q0", "doc 7", "anna", 1.0)])
    with make_project(tmp_path, parts) as session:
        dialog = show(session)
        assert "holds a blank" in dialog.remark.text()
        set_option(dialog, ExportOption.BLANKS, Blanks.ALL)
        assert dialog.preview.toPlainText().startswith("q0 0 doc_7 1")
        assert dialog.verb.isEnabled()


def test_an_empty_project_has_nothing_to_export(show, tmp_path):
    """Without judgments and runs there is nothing to export, in words."""
    create_project(tmp_path / "e.judge", scale=scale_preset("binary"))
    with open_project(tmp_path / "e.judge") as session:
        dialog = show(session)
        assert not dialog.verb.isEnabled()
        assert "nothing of this kind" in dialog.remark.text()


def test_an_anonymous_export_shows_numbers_for_names(qtbot, show, session, tmp_path):
    """The switch changes the first lines, the seed the numbers, and the file's name tells nobody's."""
    out = tmp_path / "out.csv"
    dialog = show(session, out)
    choose(dialog, "judgments-csv", "ben")
    assert ",ben," in dialog.preview.toPlainText()
    assert not dialog.seed.isEnabled()
    qtbot.mouseClick(dialog.anonymous, LEFT, pos=QPoint(8, dialog.anonymous.height() // 2))
    dialog.settle()
    assert "ben" not in dialog.preview.toPlainText()
    assert dialog.loses.text().endswith("Names, notes, times and durations are left out.")
    seen = set()
    for seed in range(8):
        dialog.seed.setValue(seed)
        dialog.settle()
        seen.add(shown_lines(dialog)[1].split(",")[2])
    assert seen == {"A1", "A2"}
    write(qtbot, dialog)
    assert dialog.prompter.suggested[0].name == "anonymous-judgments-csv.csv"
    assert b"ben" not in out.read_bytes() + out.with_name("out.csv.meta.json").read_bytes()


def test_what_names_nobody_has_no_switch_for_it(show, session):
    """Runs and documents say of nobody who judged."""
    dialog = show(session)
    choose(dialog, "judgments-jsonl")
    assert dialog.anonymous.isVisible()
    choose(dialog, "trec-run")
    assert not dialog.anonymous.isVisible()


def test_what_is_lost_of_the_scale_is_shown(show, tmp_path):
    """With gains of its own the dialog says that trec_eval would count otherwise, and what helps."""
    with make_project(tmp_path, replace(simple_parts(), scale=OWN_SCALE)) as session:
        session.execute(Say.grade(0, 1, 3))
        dialog = show(session)
        choose(dialog, "trec-qrels")
        assert "‘relevant from 2’ are lost, too" in dialog.loses.text()
        assert "trec_eval -l 2" in dialog.loses.text()
        choose(dialog, "judgments-csv")
        assert "relevant from" not in dialog.loses.text()
