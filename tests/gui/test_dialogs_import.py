"""The import dialog on real projects and real files, through keys and clicks."""

import gzip
import json
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.formats import read_text
from judgetool.formats.names import ROLES
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.import_dialog import FilesSide, ImportDialog
from judgetool.gui.dialogs.import_file_view import FindingList
from judgetool.gui.dialogs.import_preview import (
    _ROLE_TITLES,
    MAX_ROWS,
    find_findings,
    preview_rows,
    preview_text,
)
from judgetool.gui.dialogs.import_work import FileState, done_sentence
from judgetool.gui.jobs import Jobs
from judgetool.gui.widgets.labels import Text
from judgetool.resources import resource_path
from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import FileRemark
from judgetool.session.opening import create_project, open_project
from tests.gui.window_fixtures import listening
from tests.helpers.builders import Parts, open_made, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LEFT = Qt.MouseButton.LeftButton
SAMPLE = ("queries.jsonl", "documents.jsonl", "runs/chargrams.run", "judgments.csv")


@pytest.fixture
def jobs(qapp):
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def session(tmp_path):
    create_project(tmp_path / "recipes.judge", scale=scale_preset("0-3"))
    with open_project(tmp_path / "recipes.judge", assessor="anna") as opened:
        yield opened


@pytest.fixture
def sample():
    return [resource_path(f"sample/{name}") for name in SAMPLE]


@pytest.fixture
def show(qtbot, jobs):
    def shown(session, paths=(), prompter=None):
        dialog = ImportDialog(session, jobs, prompter or FakePrompter(), paths)
        # The end of a test asks nobody about what was chosen in it.
        qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
        dialog.show()
        if paths:
            wait_plan(qtbot, dialog)
        return dialog

    return shown


def wait_plan(qtbot, dialog):
    def is_settled():
        files = dialog.work.files
        return dialog.work.plan is not None or all(
            file.state is FileState.REFUSED for file in files
        )

    qtbot.waitUntil(is_settled)


def import_all(qtbot, dialog):
    qtbot.mouseClick(dialog.verb, LEFT)
    qtbot.waitUntil(lambda: dialog.answer is not None)


def write_documents(path, count):
    rows = ({"id": f"d{number}", "title": f"Soup {number}"} for number in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def refused(qtbot, tmp_path):
    """A file of which somebody writes before it is imported, and the press that is refused for it."""
    path = tmp_path / "grades.csv"
    path.write_text("query,document,grade,mark\nq0,d0,1,2\nq0,d1,1,2\n")

    def press(dialog):
        path.write_text("query,document,grade,mark\nq0,d1,1,3\n")
        with qtbot.waitSignal(dialog.work.stopped):
            qtbot.mouseClick(dialog.verb, LEFT)

    return SimpleNamespace(path=path, press=press)


def texts(dialog):
    return [finding.title for finding in dialog.view.findings.findings]


def show_buttons(dialog):
    buttons = dialog.view.findings.findChildren(QPushButton)
    return [button for button in buttons if button.isVisible()]


def test_other_findings_take_the_place_of_those_before(qtbot):
    """Of the first file's findings none stands among the second's."""
    listed = FindingList(lambda _finding: None, QWidget())
    qtbot.addWidget(listed)
    listed.set_findings((FileRemark("good", "One"), FileRemark("warn", "Two")))
    listed.set_findings((FileRemark("note", "Three"),))
    listed.show()
    titles = [each.text() for each in listed.findChildren(Text) if each.isVisible()]
    assert titles == ["Three"]


def test_the_list_of_files_keeps_its_width(qtbot, show, session, sample):
    """A wider dialog gives its room to what is said of a file."""
    dialog = show(session, sample)
    files = dialog.findChild(FilesSide)
    before = files.width(), dialog.view.width()
    dialog.resize(dialog.width() + 200, dialog.height())
    qtbot.waitUntil(lambda: dialog.view.width() > before[1])
    assert files.width() == before[0]


def test_nothing_is_written_before_the_verb(qtbot, show, session, sample):
    """The preview reads and plans; the project stays as it is, also when it is left."""
    dialog = show(session, sample)
    assert dialog.verb.text() == "Import 922 records"
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.answer is None
    session.reload()
    assert len(session.material.queries) == 0


def test_files_are_imported_as_one_step(qtbot, show, session, sample):
    """The verb imports everything; one undo takes all of it back."""
    dialog = show(session, sample)
    import_all(qtbot, dialog)
    said = "16 documents have different grades of the same time: the highest counts as the latest."
    assert dialog.answer == f"Imported 922 records from 4 files. {said}"
    assert len(session.material.queries) == 20
    assert [run.name for run in session.material.runs] == ["chargrams"]
    session.undo()
    assert len(session.material.queries) == 0


def test_the_verb_is_reached_by_ctrl_enter(qtbot, show, session, sample):
    """Ctrl+Enter is the verb, from wherever the keyboard is."""
    dialog = show(session, sample[:1])
    qtbot.waitUntil(dialog.verb.isEnabled)
    qtbot.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: dialog.answer is not None)
    assert len(session.material.queries) == 20


def test_the_title_names_files_and_project(show, session, sample):
    """The dialog is titled by its act."""
    assert show(session, sample).heading.text == "Import 4 files into recipes"
    assert show(session, sample[:1]).heading.text == "Import 1 file into recipes"


def test_disputes_are_counted_and_listed(qtbot, show, session, sample):
    """Pairs that two assessors graded differently are said, and shown on demand."""
    dialog = show(session, sample)
    dialog.list.setCurrentRow(3)
    assert "16 of 98 documents with several grades are disputed" in texts(dialog)
    qtbot.waitUntil(lambda: bool(show_buttons(dialog)))
    qtbot.mouseClick(show_buttons(dialog)[0], LEFT)
    shown = next(w for w in dialog.findChildren(MessageDialog) if w.isVisible())
    assert shown.sentence.text() == "16 of 98 documents with several grades are disputed."
    shown.accept()


def test_refused_lines_are_said_with_number_and_reason(show, session, tmp_path):
    """A line that does not fit is left out and named; the others count."""
    path = tmp_path / "bad.run"
    path.write_text("1 Q0 a 1 2.5 x\n1 Q0 b 2\n1 Q0 c 3 1.5 x\n")
    dialog = show(session, [path])
    finding = dialog.view.findings.findings[0]
    assert finding.title == "1 line left out"
    assert "Line 2: expected 6 columns, found 4." in finding.text
    assert dialog.verb.text() == "Import 2 records"


def findings_of(show, session, path):
    return show(session, [path]).view.findings.findings


def test_who_made_how_many_is_counted_of_what_is_taken(show, session, tmp_path):
    """A grade off the scale is none of the judgments, nor of those that somebody made."""
    path = tmp_path / "judgments.csv"
    path.write_text(
        'query,document,assessor,grade,note\n1,a,anna,2,"one\ntwo"\n1,b,anna,9,\n1,c,anna,1,\n'
    )
    first, second, *_others = findings_of(show, session, path)
    assert (first.level, first.title) == ("note", "Every line was read, and 1 is left out")
    assert first.text == "2 judgments: 2 by anna."
    assert "(0–3). It is left out. Say here what it stands for" in second.text


def test_grades_fit_the_scale_only_where_all_are_grades(show, session, tmp_path):
    """A word that has to be mapped is said to be, and the others do not stand for it."""
    path = tmp_path / "judgments.csv"
    path.write_text("query,document,grade\n1,a,relevant\n1,b,3\n")
    titles = [finding.title for finding in findings_of(show, session, path)]
    assert "1 grade has to be mapped to the scale 0–3" in titles
    assert "Grades fit the scale 0–3" not in titles


def test_half_a_packed_file_is_no_matter_of_one_line(show, session, tmp_path):
    """Of a file that ends too early nobody knows how much is missing."""
    path = tmp_path / "half.qrels.gz"
    lines = "".join(f"q{n} 0 d{n * 7919 % 5003} {n % 4}\n" for n in range(20_000))
    packed = gzip.compress(lines.encode())
    path.write_bytes(packed[: len(packed) // 2])
    dialog = show(session, [path])
    finding = dialog.view.findings.findings[0]
    n_read = dialog.work.files[0].reading.n_lines
    assert finding.title == f"The file ends too early: what comes after line {n_read:,} is missing"
    assert "the gzip file ends too early" in finding.text
    assert done_sentence(dialog.work.plan).endswith(
        "half.qrels.gz ends too early: the rest of it is missing."
    )


def test_every_role_of_a_column_has_a_name_in_words():
    """One without was English in every language."""
    assert {role for roles in ROLES.values() for role in roles} <= set(_ROLE_TITLES)


def test_who_does_not_discard_an_import_keeps_it(qtbot, show, session, sample):
    """Nothing was written that could be written on."""
    prompter = FakePrompter(answers=[None])
    dialog = show(session, sample, prompter)
    dialog.work.set_assessor("anna")
    dialog.reject()
    assert (prompter.put_off, dialog.isVisible()) == (["Keep it"], True)


def test_columns_that_come_late_are_shown_with_what_is_in_them(show, session, tmp_path):
    """A field that the first rows lack is imported, so it is shown, and can be made something else."""
    path = tmp_path / "queries.jsonl"
    rows: list[dict[str, str]] = [{"id": f"q{n}", "text": f"soup {n}"} for n in range(300)]
    rows[150]["narrative"] = "warm ones"
    rows[290]["colour"] = "red"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    dialog = show(session, [path])
    table = dialog.view.table
    heads = [table.horizontalHeaderItem(place).text() for place in range(table.columnCount())]
    assert heads == ["id", "text", "narrative", "colour"]
    assert [box.currentText() for box in table.roles][2:] == ["narrative", "further field"]
    shown = [row for row in dialog.work.files[0].view.rows.rows if any(row[2:])]
    assert shown == [("q150", "soup 150", "warm ones", ""), ("q290", "soup 290", "", "red")]
    assert dialog.view.extent.text() == f"{MAX_ROWS} of 300 lines"


@pytest.mark.parametrize("above", ["", "My grades\n\n"])
def test_the_header_of_a_table_is_not_counted_among_its_rows(show, session, tmp_path, above):
    """Where every line was read, that many are told."""
    path = tmp_path / "a.csv"
    path.write_text(f"{above}query_id,doc_id,grade\nq1,a,2\nq1,b,1\n")
    view = show(session, [path]).view
    assert view.extent.text() == "2 of 2 lines"
    assert view.findings.findings[0].title == "Every line was read"


def test_a_file_whose_encoding_is_asked_has_no_number_of_lines(show, session, tmp_path):
    """Nothing but its beginning was looked at: nobody knows yet how long it is."""
    path = tmp_path / "judgments.csv"
    table = "query,document,assessor,grade,note\n1,a,Jürgen,2,größer\n1,b,Zoé,3,café\n"
    path.write_bytes(table.encode("cp1252"))
    assert show(session, [path]).view.extent.text() == "its first 2 lines"


def test_a_file_of_unknown_heads_is_no_list_of_queries_before_its_encoding_is_known(
    show, session, tmp_path
):
    """Its first rows stand there to go by, and what it is about is not known yet."""
    path = tmp_path / "urteile.csv"
    path.write_bytes("Frage;Ware;Wert\nKüche;a;2\nBüro;b;3\n".encode("cp1252"))
    view = show(session, [path]).view
    assert view.kinds.currentText() == "not known"
    assert view.extent.text() == "its first 2 lines"
    assert view.table.roles[0].findData("document_id") >= 0


def test_a_file_that_cannot_be_read_is_left_out(qtbot, show, session, sample, tmp_path):
    """A file that is none of ours is said to be; the others are imported."""
    path = tmp_path / "nonsense.xyz"
    path.write_text("lorem ipsum dolor\nsit amet\n")
    dialog = show(session, [path, sample[0]])
    assert "nonsense.xyz" in dialog.view.problem.text().replace("\u200b", "")
    assert dialog.work.files[0].subtitle == "Left out"
    import_all(qtbot, dialog)
    assert len(session.material.queries) == 20


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ("query,position,sku,title,run\nq,1,a,A pan,x\n", "Results with texts"),
        ("query,position,sku,run\nq,1,a,x\n", "Results"),
    ],
)
def test_results_are_called_with_texts_where_there_are_any(show, session, tmp_path, rows, title):
    """A table of ids alone was called that, too; one record is one."""
    path = tmp_path / "alpha.csv"
    path.write_text(rows, encoding="utf-8")
    dialog = show(session, [path])
    (file,) = dialog.work.files
    assert (file.subtitle, file.spoken) == (title, f"alpha.csv, {title}, 1 record")
    assert "  1 record: " in preview_text(dialog.work.plan)


def test_a_missing_file_is_said(show, session, tmp_path):
    """A file that is not there has its sentence, and there is nothing to import."""
    dialog = show(session, [tmp_path / "gone.run"])
    assert "there is no such file" in dialog.view.problem.text()
    assert not dialog.verb.isEnabled()


def test_a_file_without_a_grade_on_the_scale_is_said(show, session, tmp_path):
    """Where every grade is refused, one line below says of which file, and why."""
    path = tmp_path / "q.txt"
    path.write_text("1 0 d1 7\n1 0 d2 9\n")
    dialog = show(session, [path])
    assert "All 2 grades of q.txt are off the scale." in dialog.remark.text()


def test_grades_off_the_scale_are_left_out_and_said(show, session, tmp_path):
    """Grades that are not on the project's scale are counted with their lines."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 4\n1 0 c 3\n")
    dialog = show(session, [path])
    assert "1 grade not on the scale 0–3" in texts(dialog)
    assert dialog.verb.text() == "Import 2 records"


def test_a_grade_off_the_scale_is_shown_with_its_own_line(show, session, tmp_path):
    """Another row, left out further below, said why of it."""
    path = tmp_path / "judgments.csv"
    path.write_text("query;document;grade\n1;a;2\n1;b;7\n1;;2\n")
    (found,) = [each for each in findings_of(show, session, path) if "not on the" in each.title]
    assert found.lines == ("Line 3: grade 7 is not on this scale (0–3).",)


def test_documents_of_results_without_text_are_said(show, session, tmp_path):
    """As they are of runs and judgments."""
    path = tmp_path / "results.csv"
    path.write_text("query,rank,doc_id,title\nsoup,1,a,Gazpacho\nsoup,2,b,\n")
    assert "1 document without text" in texts(show(session, [path]))


def test_the_kind_can_be_changed(qtbot, show, session, tmp_path):
    """What a file is about can be said by the person, and is read anew."""
    path = tmp_path / "things.csv"
    path.write_text("id,text\n1,cold soup\n2,hot soup\n")
    dialog = show(session, [path])
    before = dialog.work.files[0].reading.kind
    other = "documents" if before == "queries" else "queries"
    dialog.view.kinds.setCurrentIndex(dialog.view.kinds.findData(other))
    dialog.view.kinds.activated.emit(dialog.view.kinds.currentIndex())
    wait_plan(qtbot, dialog)
    assert dialog.work.files[0].reading.kind == other


def test_a_file_that_is_read_anew_is_shown_when_it_is_chosen(qtbot, show, session, sample):
    """Its row is gone to from another file’s while it is read: what is shown is of this one."""
    dialog = show(session, sample[:2])
    first, other = (file.name for file in dialog.work.files)
    dialog.list.setCurrentRow(0)
    kinds = dialog.view.kinds
    kinds.setCurrentIndex((kinds.currentIndex() + 1) % 2)
    kinds.activated.emit(kinds.currentIndex())
    assert dialog.work.files[0].state is FileState.READING
    dialog.list.setCurrentRow(1)
    assert dialog.view.name.text == other
    dialog.list.setCurrentRow(0)
    assert dialog.view.name.text == first
    wait_plan(qtbot, dialog)


def test_a_file_that_is_to_be_read_anew_waits(qtbot, show, session, sample):
    """Its row says so until reading has begun, and what it is once it is read."""
    dialog = show(session, sample[:1])
    kinds = dialog.view.kinds
    kinds.setCurrentIndex((kinds.currentIndex() + 1) % 2)
    kinds.activated.emit(kinds.currentIndex())
    row = dialog.list.model().index(0, 0)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole).endswith(", Waiting")
    wait_plan(qtbot, dialog)
    assert "Waiting" not in row.data(Qt.ItemDataRole.AccessibleTextRole)


def test_judgments_that_name_nobody(qtbot, show, session, tmp_path):
    """Judgments without an assessor are kept under the name that is typed."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 2\n")
    dialog = show(session, [path])
    dialog.view.assessor.setFocus()
    qtbot.keyClicks(dialog.view.assessor, "pool 2024")
    dialog.view.assessor.editingFinished.emit()
    wait_plan(qtbot, dialog)
    import_all(qtbot, dialog)
    assert session.assessors == ("pool 2024",)


def test_ctrl_enter_waits_for_what_is_still_worked_out(qtbot, show, session, tmp_path):
    """The name that was written just before counts; it is said, and nothing has to be pressed again."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 2\n")
    dialog = show(session, [path])
    qtbot.keyClicks(dialog.view.assessor, "ben")
    control = Qt.KeyboardModifier.ControlModifier
    with listening() as texts:
        qtbot.keyClick(dialog.view.assessor, Qt.Key.Key_Return, control)
        told = "The files are still being read. They are imported as soon as that is done."
        assert texts == [told]
    qtbot.waitUntil(lambda: dialog.answer is not None)
    assert session.assessors == ("ben",)


def test_judgments_that_name_nobody_by_the_file(qtbot, show, session, tmp_path):
    """Left empty, they are kept under the file's name."""
    path = tmp_path / "round1.qrels"
    path.write_text("1 0 a 1\n")
    dialog = show(session, [path])
    assert dialog.view.assessor_row.isVisible()
    import_all(qtbot, dialog)
    assert session.assessors == ("round1",)


def test_what_is_here_already_is_not_counted(show, tmp_path, sample):
    """Files that the project has already bring nothing, and the dialog says so."""
    with open_sample(tmp_path) as session:
        dialog = show(session, [sample[0], sample[1], sample[3]])
        assert not dialog.verb.isEnabled()
        assert dialog.remark.text() == "The project has all of this already."


def test_changed_texts_are_replaced_when_chosen(qtbot, show, tmp_path):
    """A known query with another text is said with both, and is a change once that is chosen."""
    with open_made(tmp_path, simple_parts()) as session:
        path = tmp_path / "queries.tsv"
        path.write_text("q0\tanother text\nq9\tnew\n")
        dialog = show(session, [path])
        assert "1 text is here already, and otherwise" in texts(dialog)
        before = session.material.queries[0].text
        field = dialog.view.questions.fields["texts"]
        field.setCurrentIndex(field.findData("replace"))
        field.activated.emit(field.currentIndex())
        qtbot.waitUntil(lambda: "1 new, 1 changed" in texts(dialog))
        assert session.material.queries[0].text == before


def test_a_wrong_collection_is_noticed(show, tmp_path):
    """A file whose query ids mostly match nothing is pointed out."""
    with open_made(tmp_path, simple_parts()) as session:
        path = tmp_path / "other.qrels"
        path.write_text("q0 0 d1 1\n" + "".join(f"{n} 0 d1 1\n" for n in range(9)))
        dialog = show(session, [path])
        assert "Only 1 of 10 query ids in other.qrels are in this project" in texts(dialog)
        assert dialog.verb.text() == "Import 10 records anyway"


def test_documents_known_by_id_only_are_counted(show, tmp_path):
    """Documents that neither project nor files describe are counted and can be listed."""
    with open_made(tmp_path, simple_parts()) as session:
        run = tmp_path / "new.run"
        run.write_text("q0 Q0 d1 1 3 x\nq0 Q0 strange 2 2 x\nq0 Q0 here 3 1 x\n")
        documents = tmp_path / "more.jsonl"
        documents.write_text('{"id": "here", "title": "Here"}\n')
        dialog = show(session, [run, documents])
        finding = next(f for f in dialog.view.findings.findings if "without text" in f.title)
        assert finding.title == "1 document without text"
        assert finding.lines == ("strange",)


def test_documents_without_text_are_all_counted(show, tmp_path):
    """Ids that another run of the import names have no text for that."""
    with open_made(tmp_path, Parts(queries=[Query("q0")])) as session:
        first, second = tmp_path / "a.run", tmp_path / "b.run"
        first.write_text("q0 Q0 d1 1 3 a\nq0 Q0 d2 2 2 a\n")
        second.write_text("q0 Q0 d1 1 3 b\nq0 Q0 d3 2 2 b\n")
        assert "2 documents without text" in texts(show(session, [first, second]))


def test_files_are_added_by_the_button(qtbot, show, session, sample):
    """Add files… asks the prompter; a file is listed once."""
    dialog = show(session, [], FakePrompter(files=[sample[:2], sample[:1]]))
    qtbot.mouseClick(dialog.add, LEFT)
    qtbot.mouseClick(dialog.add, LEFT)
    wait_plan(qtbot, dialog)
    assert dialog.list.count() == 2
    assert dialog.verb.text() == "Import 181 records"


def test_a_folder_is_added_by_its_button(qtbot, show, session, tmp_path):
    """Who works by keys brings a BEIR dataset in without dropping it."""
    beir = tmp_path / "beir"
    beir.mkdir()
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "title": "Soup", "text": "cold"}\n')
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "soup"}\n')
    dialog = show(session, [], FakePrompter(files=[[beir]]))
    dialog.side.folder.setFocus()
    qtbot.keyClick(dialog.side.folder, Qt.Key.Key_Space)
    wait_plan(qtbot, dialog)
    assert dialog.verb.text() == "Import 2 records"


def test_files_are_added_by_dropping(qtbot, show, session, sample):
    """Files that are dropped on the dialog are read."""
    dialog = show(session)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in sample[:2]])
    drop = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        LEFT,
        Qt.KeyboardModifier.NoModifier,
    )
    dialog.dropEvent(drop)
    wait_plan(qtbot, dialog)
    assert dialog.list.count() == 2


def test_a_file_is_taken_out_by_del(qtbot, show, session, sample):
    """Del in the list leaves the current file out."""
    dialog = show(session, sample[:2])
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    wait_plan(qtbot, dialog)
    assert dialog.verb.text() == "Import 161 records"


def test_the_report_is_copied(qtbot, show, session, sample):
    """Copy report puts what was found of every file on the clipboard."""
    dialog = show(session, sample)
    qtbot.mouseClick(dialog.copy, LEFT)
    text = QGuiApplication.clipboard().text()
    assert text.count("records:") == 4
    assert "judgments.csv" in text


def test_cancel_while_writing_leaves_nothing_behind(qtbot, show, session, tmp_path):
    """Cancel half way keeps nothing, says so, and the import can be begun again."""
    dialog = show(session, [write_documents(tmp_path / "documents.jsonl", 6000)])
    dialog.work.progressed.connect(lambda done, total: dialog.reject())
    with qtbot.waitSignal(dialog.work.stopped):
        qtbot.mouseClick(dialog.verb, LEFT)
    assert dialog.isVisible()
    assert "Nothing of it was kept" in dialog.remark.text()
    assert session.undo_step is None
    assert dialog.verb.isEnabled()


def test_the_dialog_ends_when_all_work_is_stopped(qtbot, show, session, jobs, tmp_path):
    """Closing the project while an import is written leaves neither the dialog nor a step."""
    dialog = show(session, [write_documents(tmp_path / "documents.jsonl", 6000)])
    qtbot.mouseClick(dialog.verb, LEFT)
    assert dialog.working is not None
    jobs.stop_all()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert dialog.answer is None
    assert not dialog.work.is_writing
    session.reload()
    assert session.undo_step is None


def test_judging_goes_on_while_an_import_is_written(qtbot, show, tmp_path):
    """A judgment given during the import is saved at once and survives it."""
    with open_made(tmp_path, simple_parts()) as session:
        dialog = show(session, [write_documents(tmp_path / "documents.jsonl", 6000)])
        document = session.material.find_document("d1")
        judged = []

        def judge():
            judged.append(dialog.work.is_writing)
            session.execute(Say.grade(0, document, 3))

        QTimer.singleShot(0, judge)
        import_all(qtbot, dialog)
        assert judged == [True]
        assert session.board.settled(0)[document].grade == 3
        assert session.material.find_document("d5999") is not None


def test_the_main_window_is_free_while_writing(qtbot, jobs, session, tmp_path):
    """The preview holds the main window; once it writes, the main window can be used."""
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    path = write_documents(tmp_path / "documents.jsonl", 3000)
    dialog = ImportDialog(session, jobs, FakePrompter(), [path]).above(window)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.show()
    wait_plan(qtbot, dialog)
    assert dialog.isModal()
    modal = []
    dialog.work.progressed.connect(lambda done, total: modal.append(dialog.isModal()))
    import_all(qtbot, dialog)
    assert modal
    assert not any(modal)


def test_the_main_window_is_held_again_after_a_refusal(qtbot, show, session, refused):
    """What waits for an answer again lets no key through to what stands behind it."""
    dialog = show(session, [refused.path])
    dialog.hide()
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.show()
    refused.press(dialog)
    assert dialog.isModal()


def test_a_file_that_has_changed_is_read_anew_when_it_is_chosen_again(
    qtbot, show, session, refused
):
    """It need not be taken out before: what was said of its columns holds for it still."""
    dialog = show(session, [refused.path], FakePrompter(files=[[refused.path]]))
    dialog.work.set_role(dialog.work.files[0], "mark", "grade")
    wait_plan(qtbot, dialog)
    refused.press(dialog)
    assert dialog.remark.text().endswith("choose the file again, and it is read anew.")
    qtbot.mouseClick(dialog.add, LEFT)
    wait_plan(qtbot, dialog)
    assert dialog.list.count() == 1
    import_all(qtbot, dialog)
    assert [said.judgment.grade for *_, said, _at in session.iter_judgments()] == [3]


def test_ask_returns_the_sentence(qtbot, jobs, session, sample):
    """ask() waits and returns what the status line is to say."""

    def press():
        dialog = next(w for w in qtbot_windows() if isinstance(w, ImportDialog))
        if dialog.work.plan is None:
            dialog.work.planned.connect(lambda: QTimer.singleShot(0, press_verb))
        else:
            press_verb()

    def press_verb():
        dialog = next(w for w in qtbot_windows() if isinstance(w, ImportDialog))
        if dialog.verb.isEnabled():
            qtbot.mouseClick(dialog.verb, LEFT)

    def qtbot_windows():
        return QGuiApplication.instance().topLevelWidgets()

    QTimer.singleShot(0, press)
    answer = ImportDialog.ask(None, session, jobs, FakePrompter(), sample[:1])
    assert answer == "Imported 20 records from 1 file."


def test_ask_stands_above_the_window_that_asks(qtbot, jobs, session):
    """It is the window's: it goes with it, and stays in front of it."""
    window, parents = QWidget(), []
    qtbot.addWidget(window)
    window.show()

    def look():
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ImportDialog))
        parents.append(dialog.parentWidget())
        dialog.reject()

    QTimer.singleShot(0, look)
    assert ImportDialog.ask(window, session, jobs, FakePrompter(), []) is None
    assert parents == [window]


def test_a_second_import_brings_the_first_to_the_front(qtbot, show, jobs, session, sample):
    """While an import is open, asking again adds the files to it and opens no other."""
    dialog = show(session, sample[:1])
    assert ImportDialog.ask(None, session, jobs, FakePrompter(), sample[1:2]) is None
    wait_plan(qtbot, dialog)
    assert dialog.list.count() == 2


def test_the_dialog_goes_with_the_project(qtbot, show, jobs, session, tmp_path):
    """When all work is stopped because the project closes, the dialog ends by itself."""
    dialog = show(session, [write_documents(tmp_path / "documents.jsonl", 6000)])
    with qtbot.waitSignal(dialog.ended):
        qtbot.mouseClick(dialog.verb, LEFT)
        jobs.stop_all()
    assert dialog.answer is None
    session.reload()
    assert session.undo_step is None


def test_a_project_that_cannot_be_changed(show, session, sample, tmp_path):
    """A read-only project says why nothing can be imported."""
    session.close()
    with open_project(tmp_path / "recipes.judge", read_only=True) as looking:
        dialog = show(looking, sample[:1])
        assert not dialog.verb.isEnabled()
        assert "looking only" in dialog.remark.text()


def test_the_preview_shows_the_first_of_each_kind():
    """The rows of a preview show every grade and a note, not only the first eight lines."""
    lines = ["query,document,assessor,grade,note"]
    lines += [f"1,d{n},anna,0," for n in range(50)] + ["1,e,ben,3,why not"]
    rows = preview_rows(read_text("\n".join(lines) + "\n", source="x.csv"))
    assert len(rows.rows) == MAX_ROWS
    assert rows.total == 51
    assert rows.rows[-1][-1] == "why not"


def test_long_cells_are_cut_for_the_preview():
    """A text of a megabyte is never handed to the painter."""
    text = json.dumps({"id": "1", "title": "x" * 1_000_000}) + "\n"
    rows = preview_rows(read_text(text, source="d.jsonl"))
    assert max(len(cell) for row in rows.rows for cell in row) <= 200


def test_endless_names_do_not_widen_the_preview(show, session, tmp_path):
    """A file name and an id without blanks, however long, fit into the dialog."""
    path = tmp_path / ("long" * 50 + ".qrels")
    path.write_text("q 0 " + "d" * 500 + " 1\nq 0 " + "d" * 500 + " 2\n")
    dialog = show(session, [path])
    dialog.resize(1040, 720)
    dialog.grab()
    assert dialog.view.table.width() < dialog.width() - dialog.side.width()
    assert dialog.view.leave_out.mapTo(dialog, dialog.view.leave_out.rect().topRight()).x() < (
        dialog.width()
    )


def test_sentences_say_what_was_left_out(session):
    """After an import the status line counts what was left out."""
    reading = read_text("1 0 a 1\n1 0 b\n", source="q.qrels")
    plan = plan_import(session, [reading])
    assert done_sentence(plan) == "Imported 1 record from 1 file. 1 line left out."
    assert "Line 2: expected 4 columns" in preview_text(plan)
    findings = find_findings(plan.files[0], session.scale)
    assert findings[0].level == "warn"


def test_the_keyboard_is_where_it_is_seen(qtbot, show, session, sample):
    """Without files the button that adds some has it, then their list."""
    dialog = show(session)
    assert dialog.focusWidget() is dialog.add
    dialog.add_files(sample)
    assert dialog.focusWidget() is dialog.list
    wait_plan(qtbot, dialog)


def test_different_grades_of_one_time_are_said_before_and_after(session):
    """The preview says what counts of them and what to choose instead, the sentence afterwards that."""
    rows = "".join(
        f"1,{doc},{who},{grade}\n" for doc in "ab" for who, grade in (("x", 0), ("y", 2))
    )
    reading = read_text("query,document,assessor,grade\n" + rows, source="t.csv")
    plan = plan_import(session, [reading])
    findings = {each.title: each for each in find_findings(plan.files[0], session.scale)}
    told = findings["2 documents have different grades by several assessors at the same time"]
    assert told.level == "warn"
    assert (
        "Majority the one that most gave, and the highest where as many gave another" in told.text
    )
    assert "Judge ▸ Judgments that count…" in told.text
    assert done_sentence(plan).endswith(
        " 2 documents have different grades of the same time: the highest counts as the latest."
    )


def test_grades_here_that_no_longer_count_are_said_before_and_after(session):
    """The preview names the documents, who says what, and how theirs count again."""
    import_readings(
        session, [read_text('{"query": "1", "document": "a", "assessor": "x", "grade": 0}')]
    )
    reading = read_text("query,document,assessor,grade\n1,a,y,2\n1,b,y,2\n", source="t.csv")
    plan = plan_import(session, [reading])
    findings = {each.title: each for each in find_findings(plan.files[0], session.scale)}
    told = findings["1 document graded here: the file’s judgment counts instead"]
    assert told.level == "warn"
    assert told.lines == ("query 1, document a: 0 here by x, 2 in the file by y",)
    assert "Judge ▸ Judgments that count…" in told.text
    assert told.lines[0] in preview_text(plan)
    assert done_sentence(plan).endswith(" Of 1 document graded here another judgment counts now.")


def test_what_cannot_be_judged_is_no_grade_of_a_dispute(session):
    """Disputed are documents with two grades or more; they are what it is a share of."""
    rows = ("a,x,0", "a,y,2", "b,x,1", "b,y,1", "c,x,1", "c,y,cannot judge", "d,x,1")
    text = "query,document,assessor,grade\n" + "".join(f"1,{row}\n" for row in rows)
    plan = plan_import(session, [read_text(text, source="t.csv")])
    titles = [each.title for each in find_findings(plan.files[0], session.scale)]
    assert "1 of 2 documents with several grades are disputed" in titles


def test_a_further_file_is_chosen_and_what_was_read_of_it_is_said(qtbot, show, session, sample):
    """Not what was found in the first one."""
    prompter = FakePrompter(files=[[sample[2]]])
    dialog = show(session, sample[:1], prompter)
    with listening() as said:
        dialog.add.setFocus()
        qtbot.keyClick(dialog.add, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: bool(said))
    assert dialog.view.name.text == "chargrams.run"
    assert dialog.focusWidget() is dialog.list
    (told,) = said
    assert told.startswith("chargrams.run, Run, 399 records. Every line was read. ")
    assert "queries.jsonl" not in told


def test_what_was_left_out_of_a_further_file_is_said(qtbot, show, session, sample, tmp_path):
    """Why, too, where it is all of it."""
    broken = tmp_path / "notes.bin"
    broken.write_bytes(bytes(range(256)))
    dialog = show(session, sample[:1], FakePrompter(files=[[broken]]))
    with listening() as said:
        qtbot.keyClick(dialog.add, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: bool(said))
    assert said == [f"notes.bin, Left out. {dialog.work.files[1].problem}"]


def test_what_was_judged_after_the_preview_stays_and_is_said(qtbot, show, tmp_path):
    """A grade that came between the preview and the import is not overwritten by the file's."""
    with open_made(tmp_path, simple_parts()) as session:
        path = tmp_path / "race.csv"
        path.write_text("query,document,assessor,grade\nq0,d1,anna,1\nq0,d2,anna,1\n")
        dialog = show(session, [path])
        assert "2" in dialog.verb.text()
        document = session.material.find_document("d1")
        session.execute(Say.grade(0, document, 3))
        import_all(qtbot, dialog)
        assert dialog.answer == (
            "Imported 1 record from 1 file. 1 judgment was given meanwhile, and stays; the file’s "
            "is left out."
        )
        assert session.own_judgment(0, document).grade == 3
