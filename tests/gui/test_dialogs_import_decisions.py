"""What can be decided in the import preview: conflicts, grades, columns, questions."""

import zipfile

import openpyxl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Query
from judgetool.core.scale import Scale, scale_preset
from judgetool.gui.dialogs.import_dialog import FILE_KINDS, ImportDialog
from judgetool.gui.dialogs.import_work import FileState
from judgetool.gui.jobs import Jobs
from judgetool.session.commands import Say
from judgetool.session.edits import add_query
from judgetool.session.imports.plan import Conflicts
from judgetool.session.opening import create_project, open_project
from tests.gui.test_dialogs_import import import_all, texts, wait_plan
from tests.gui.window_fixtures import listening
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LEFT = Qt.MouseButton.LeftButton


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
def show(qtbot, jobs):
    def shown(session, path, prompter=None):
        dialog = ImportDialog(session, jobs, prompter or FakePrompter(), [path])
        # The end of a test asks nobody about what was chosen in it.
        qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
        dialog.show()
        wait_plan(qtbot, dialog)
        return dialog

    return shown


def choose(qtbot, dialog, combo, data):
    """Choose an entry as a person does, and wait for the plan that follows."""
    combo.setCurrentIndex(combo.findData(data))
    combo.activated.emit(combo.currentIndex())
    wait_plan(qtbot, dialog)


@pytest.fixture
def disputed(tmp_path):
    """A project where anna gave q0/d1 a 1, and a file where she gave it a 3."""
    path = tmp_path / "judgments.csv"
    path.write_text("query,document,assessor,grade\nq0,d1,anna,3\nq0,d2,anna,2\n")
    with make_project(tmp_path, simple_parts()) as opened:
        opened.assessor = "anna"
        opened.execute(Say.grade(0, opened.material.find_document("d1"), 1))
        yield opened, path


def test_conflicts_are_said_with_counts(show, disputed):
    """Judgments that the project has otherwise are counted and can be listed."""
    dialog = show(*disputed)
    finding = next(f for f in dialog.view.findings.findings if "otherwise" in f.title)
    assert finding.title == "anna has already judged 1 of these 2, 1 otherwise"
    assert finding.lines == ("line 2: query q0, document d1, anna: 1 here, 3 in the file",)
    assert dialog.view.conflicts.buttons[Conflicts.MINE].isChecked()


@pytest.mark.parametrize(
    ("choice", "grades"),
    [
        (Conflicts.MINE, {("anna", 1.0)}),
        (Conflicts.THEIRS, {("anna", 3.0)}),
        (Conflicts.BOTH, {("anna", 1.0), ("anna (judgments)", 3.0)}),
    ],
)
def test_conflicts_are_decided_in_the_preview(qtbot, show, disputed, choice, grades):
    """Keep the project's, take the file's, or keep both: what is chosen is written."""
    session, path = disputed
    dialog = show(session, path)
    qtbot.mouseClick(dialog.view.conflicts.buttons[choice], LEFT)
    wait_plan(qtbot, dialog)
    import_all(qtbot, dialog)
    said = session.opinions(0)[session.material.find_document("d1")]
    assert {(opinion.assessor, opinion.judgment.grade) for opinion in said} == grades


def test_no_choice_is_offered_without_conflicts(show, session, tmp_path):
    """Where nothing contradicts, nothing has to be decided."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n")
    dialog = show(session, path)
    assert not dialog.view.conflicts.isVisible()
    assert not dialog.view.grade_map.isVisible()


def test_a_grade_off_the_scale_is_mapped_in_the_preview(qtbot, show, session, tmp_path):
    """A grade that the scale lacks gets another one, and then comes in."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 4\n1 0 c 3\n")
    dialog = show(session, path)
    assert list(dialog.view.grade_map.choosers.fields) == ["4"]
    choose(qtbot, dialog, dialog.view.grade_map.choosers.fields["4"], 3.0)
    assert dialog.verb.text() == "Import 3 records"
    assert "Grades fit the scale 0–3" in texts(dialog)
    import_all(qtbot, dialog)
    assert sorted(o.judgment.grade for _, _, o, _ in session.iter_judgments()) == [1, 3, 3]


def test_a_negative_grade_can_be_mapped(qtbot, show, session, tmp_path):
    """Pooled documents stay unjudged unless the person gives their grade a meaning."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b -1\n")
    dialog = show(session, path)
    assert dialog.verb.text() == "Import 1 record"
    choose(qtbot, dialog, dialog.view.grade_map.choosers.fields["-1"], 0.0)
    assert dialog.verb.text() == "Import 2 records"


def test_a_wrong_numbering_is_noticed(show, tmp_path):
    """Ids that count from 1 where the project counts from 0 are pointed out as a whole."""
    with make_project(tmp_path, simple_parts()) as session:
        ids = [query.id for query in session.material.queries]
        path = tmp_path / "other.qrels"
        path.write_text("".join(f"q{int(name[1:]) + 1} 0 d1 1\n" for name in ids))
        dialog = show(session, path)
        finding = next(f for f in dialog.view.findings.findings if "query id" in f.title)
        assert finding.level == "warn"
        assert "Every query id is one higher than an id here" in finding.text


def test_nearest_ids_are_shown(show, tmp_path):
    """Ids that match nothing are listed with the nearest one."""
    with make_project(tmp_path, simple_parts()) as session:
        path = tmp_path / "other.qrels"
        path.write_text("q0 0 d1 1\nq0 0 D-2 1\n")
        dialog = show(session, path)
        finding = next(f for f in dialog.view.findings.findings if "without text" in f.title)
        assert finding.lines == ("D-2  nearest here: d2",)


def test_columns_are_shown_with_what_they_are(show, session, tmp_path):
    """Each column of a table stands under its header with the role that was found."""
    path = tmp_path / "judgments.csv"
    path.write_text("query_id,doc_id,judge,grade\n1,a,anna,2\n")
    dialog = show(session, path)
    roles = [combo.currentText() for combo in dialog.view.table.roles if combo.isVisible()]
    assert roles == ["query", "document", "assessor", "grade"]


def test_a_column_can_be_made_something_else(qtbot, show, session, tmp_path):
    """Another role for a column has the file read anew; the column that had it gives way."""
    path = tmp_path / "judgments.csv"
    path.write_text("query_id,doc_id,grade,second\n1,a,2,0\n1,b,2,1\n")
    dialog = show(session, path)
    column = next(
        combo for combo in dialog.view.table.roles if combo.accessibleName() == "Column second is"
    )
    choose(qtbot, dialog, column, "grade")
    import_all(qtbot, dialog)
    assert sorted(o.judgment.grade for _, _, o, _ in session.iter_judgments()) == [0, 1]


def test_columns_that_tell_nothing_are_assigned(qtbot, show, session, tmp_path):
    """A table with headers that nobody knows is read once its columns are named."""
    path = tmp_path / "strange.csv"
    path.write_text("eins,zwei,drei\n1,a,2\n1,b,3\n")
    dialog = show(session, path)
    assert dialog.work.files[0].subtitle == "Columns to assign"
    for place, role in enumerate(("query_id", "document_id", "grade")):
        choose(qtbot, dialog, dialog.view.table.roles[place], role)
    assert dialog.verb.text() == "Import 2 records"


def test_words_are_mapped_to_grades(qtbot, show, session, tmp_path):
    """Grades that are words come in once each has a grade of the scale."""
    path = tmp_path / "words.csv"
    path.write_text("query_id,doc_id,label\n1,a,superb\n1,b,awful\n")
    dialog = show(session, path)
    assert not dialog.verb.isEnabled()
    choose(qtbot, dialog, dialog.view.grade_map.choosers.fields["superb"], 3.0)
    choose(qtbot, dialog, dialog.view.grade_map.choosers.fields["awful"], 0.0)
    import_all(qtbot, dialog)
    assert sorted(o.judgment.grade for _, _, o, _ in session.iter_judgments()) == [0, 3]


def test_usual_grades_of_words_are_taken_by_one_click(qtbot, show, session, tmp_path):
    """For words that are known the usual grades are proposed, and taken when asked."""
    path = tmp_path / "words.csv"
    path.write_text("query_id,doc_id,label\n1,a,Highly relevant\n1,b,Not relevant\n")
    dialog = show(session, path)
    assert dialog.view.grade_map.propose.isVisible()
    assert dialog.view.grade_map.propose.toolTip() == "Highly relevant 3, Not relevant 0"
    qtbot.mouseClick(dialog.view.grade_map.propose, LEFT)
    wait_plan(qtbot, dialog)
    assert dialog.verb.text() == "Import 2 records"
    assert not dialog.view.grade_map.propose.isVisible(), "they are taken already"


def test_usual_grades_that_the_scale_lacks_are_not_proposed(qtbot, show, session, tmp_path):
    """1,5 is usually 1.5, which is no grade of the scale: it is mapped by hand."""
    path = tmp_path / "comma.csv"
    path.write_text("query;document;grade\n1;a;1,5\n1;b;3\n")
    dialog = show(session, path)
    assert dialog.view.grade_map.isVisible()
    assert not dialog.view.grade_map.propose.isVisible()
    choose(qtbot, dialog, dialog.view.grade_map.choosers.fields["1,5"], 2.0)
    assert dialog.verb.text() == "Import 2 records"


def test_words_in_qrels_are_mapped_in_the_preview(qtbot, show, session, tmp_path):
    """Qrels whose grades are words are qrels, also where no other line tells it."""
    path = tmp_path / "words.qrels"
    path.write_text("q1 0 a relevant\nq1 0 b not-relevant\n")
    dialog = show(session, path)
    assert list(dialog.view.grade_map.choosers.fields) == ["relevant", "not-relevant"]
    qtbot.mouseClick(dialog.view.grade_map.propose, LEFT)
    wait_plan(qtbot, dialog)
    import_all(qtbot, dialog)
    assert sorted(o.judgment.grade for _, _, o, _ in session.iter_judgments()) == [0, 1]


def test_an_open_question_is_answered_in_the_preview(qtbot, show, session, tmp_path):
    """What column two of qrels is gets asked; 'assessors' makes them the judges."""
    path = tmp_path / "who.qrels"
    path.write_text("1 anna a 2\n1 ben a 1\n1 anna b 0\n")
    dialog = show(session, path)
    (name, field), _whose = dialog.view.questions.fields.items()
    choice = next(
        field.itemData(place)
        for place in range(field.count())
        if "assessor" in field.itemText(place).lower()
    )
    choose(qtbot, dialog, field, choice)
    assert dialog.work.files[0].answers == {name: choice}
    import_all(qtbot, dialog)
    assert set(session.assessors) >= {"anna", "ben"}


def test_what_stands_between_thousands_of_weights_is_answered(qtbot, show, session, tmp_path):
    """1.200 searches became 1.2, and the file was ticked: now nothing is written before it is said."""
    path = tmp_path / "volumes.csv"
    path.write_text("query;volume\ncold soup;1.200\nbread;980\n")
    dialog = show(session, path)
    assert not dialog.verb.isEnabled()
    choose(qtbot, dialog, dialog.view.questions.fields["decimal_sign"], "comma")
    import_all(qtbot, dialog)
    assert 1200.0 in {query.weight for query in session.material.queries}


def test_judgments_are_said_to_be_a_models(qtbot, show, session, tmp_path):
    """They are read anew: what is no grade is 'cannot judge', and nothing of them counts."""
    path = tmp_path / "gpt.csv"
    path.write_text("query,document,grade\n1,a,2\n1,b,I think so\n")
    dialog = show(session, path)
    assert dialog.verb.text() == "Import 1 record"
    choose(qtbot, dialog, dialog.view.questions.fields["whose"], "model")
    assert dialog.verb.text() == "Import 2 records"
    assert dialog.view.grade_map.choosers.fields["I think so"].currentText() == "cannot judge"
    import_all(qtbot, dialog)
    said = {str(opinion.judgment.state) for *_, opinion, _ in session.iter_judgments()}
    assert said == {"judged", "cannot_judge"}
    assert not session.does_count("gpt")


def test_an_open_question_holds_the_whole_import(qtbot, show, session, tmp_path):
    """One file asks, another does not: nothing is imported of either, and the file that asks is named."""
    asks = tmp_path / "queries.tsv"
    asks.write_bytes("q1\tKäse aus Österreich\n".encode("cp1252"))
    dialog = show(session, asks)
    clear = tmp_path / "clear.qrels"
    clear.write_text("q1 0 a 2\n")
    dialog.add_files([clear])
    qtbot.waitUntil(lambda: dialog.work.plan is not None and len(dialog.work.plan.files) == 2)
    assert not dialog.verb.isEnabled()
    assert dialog.remark.text() == (
        "queries.tsv leaves a question open: answer it, or take the file out."
    )
    dialog.list.setCurrentRow(0)
    qtbot.waitUntil(lambda: "encoding" in dialog.view.questions.fields)
    choose(qtbot, dialog, dialog.view.questions.fields["encoding"], "cp1252")
    import_all(qtbot, dialog)
    assert dialog.answer == "Imported 2 records from 2 files."


def test_beside_an_open_question_it_is_not_said_that_nothing_was_in_a_file(session, show, tmp_path):
    """Of the lines that will be read once it is answered nothing is taken yet, but for none."""
    add_query(session, Query("q1", "cold soup"))
    path = tmp_path / "case.csv"
    path.write_text("query,docid,rating\ncold soup,d1,1\ncold soup,d2,1\ncold soup,d1,2\n")
    dialog = show(session, path)
    left_out = dialog.view.findings.findings[1]
    assert left_out.title == "1 line left out"
    assert left_out.text.endswith("that line counts. Nothing is taken yet.")


def test_an_encoding_is_proposed_with_its_words_and_chosen(qtbot, session, show, tmp_path):
    """A file that is not UTF-8 asks in the preview; the choices show what it would read."""
    path = tmp_path / "queries.tsv"
    path.write_bytes("q1\tKäse aus Österreich\n".encode("cp1252"))
    dialog = show(session, path)
    combo = dialog.view.questions.fields["encoding"]
    assert "Käse aus Österreich" in combo.itemText(combo.findData("cp1252"))
    assert [finding.title for finding in dialog.work.files[0].findings] == ["A question is open"]
    assert not dialog.verb.isEnabled()
    choose(qtbot, dialog, combo, "cp1252")
    assert dialog.view.encoding.text() == "cp1252, tab"
    import_all(qtbot, dialog)
    assert [query.text for query in session.material.queries] == ["Käse aus Österreich"]


def test_a_sheet_can_be_chosen(qtbot, session, show, tmp_path):
    """The preview names the sheets of a file, and reads the chosen one."""
    book = openpyxl.Workbook()
    book.active.append(["query", "description"])
    book.active.append(["cold soup", "eaten cold"])
    other = book.create_sheet("More")
    other.append(["query", "description"])
    other.append(["bread", "without yeast"])
    book.save(tmp_path / "queries.xlsx")
    dialog = show(session, tmp_path / "queries.xlsx")
    choose(qtbot, dialog, dialog.view.questions.fields["sheet"], "More")
    assert dialog.work.files[0].reading.queries[0].text == "bread"


def test_each_file_of_a_zip_is_listed(qtbot, session, show, tmp_path):
    """A zip file with several files gives a row for each of them."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as package:
        package.writestr("queries.tsv", "q1\tcold soup\n")
        package.writestr("qrels.txt", "q1 0 d1 2\n")
    dialog = show(session, tmp_path / "all.zip")
    assert [file.name for file in dialog.work.files] == ["queries.tsv", "qrels.txt"]
    assert dialog.list.count() == 2
    import_all(qtbot, dialog)
    assert session.material.find_query("q1") is not None


def test_what_tells_people_of_a_zip_is_called_so(qtbot, session, show, tmp_path):
    """A README among its files is none of the data; the others can be imported."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as package:
        package.writestr("README.md", "# Soups\n\nGraded by us, in spring.\n")
        package.writestr("queries.tsv", "q1\tcold soup\n")
    dialog = show(session, tmp_path / "all.zip")
    assert (
        "README.md: by its name it is about the data and holds none" in dialog.work.files[0].problem
    )
    import_all(qtbot, dialog)
    assert session.material.find_query("q1") is not None


def test_the_first_line_can_be_called_a_row(qtbot, session, show, tmp_path):
    """A table without a header: said in the preview, its columns can be assigned."""
    path = tmp_path / "grades.csv"
    path.write_text("q1,d1,2\nq1,d2,0\n")
    dialog = show(session, path)
    choose(qtbot, dialog, dialog.view.questions.fields["header"], "no")
    for column, role in enumerate(("query_id", "document_id", "grade"), 1):
        dialog.work.set_role(dialog.work.files[0], f"column {column}", role)
        wait_plan(qtbot, dialog)
    assert list(dialog.work.files[0].reading.judgments.grades) == [2.0, 0.0]


def test_all_files_are_shown_first():
    """TREC's runs and qrels often have no ending: the file dialog shows them unasked."""
    assert FILE_KINDS[0].endings == ()


@pytest.mark.parametrize(("answer", "n_queries"), [("yes", 1), ("no", 2)])
def test_a_join_by_text_is_asked_in_the_preview(qtbot, session, show, tmp_path, answer, n_queries):
    """Queries with the text of one here wait for an answer; 'the same' adds none."""
    add_query(session, Query("7", "soup"))
    path = tmp_path / "quepid.csv"
    path.write_text("query,docid,rating\nSoup,d1,2\n")
    dialog = show(session, path)
    assert not dialog.verb.isEnabled()
    choose(qtbot, dialog, dialog.view.questions.fields["join"], answer)
    import_all(qtbot, dialog)
    assert len(session.material.queries) == n_queries
    assert [grade.judgment.grade for _, _, grade, _ in session.iter_judgments()] == [2.0]


def test_pairs_of_ids_are_taken_from_a_file(qtbot, session, jobs, tmp_path):
    """Two columns, the file's id and the project's; a file of neither is said, and changes nothing."""
    add_query(session, Query("7", "soup"))
    paths = [tmp_path / name for name in ("j.csv", "ids.csv", "other.csv")]
    for path, text in zip(
        paths,
        ("query,doc_id,assessor,grade\nA,d1,anna,2\n", "A,7\n", "A,none\n"),
        strict=True,
    ):
        path.write_text(text, encoding="utf-8")
    prompter = FakePrompter(files=[[paths[2]], [paths[1]]])
    dialog = ImportDialog(session, jobs, prompter, [paths[0]])
    qtbot.addWidget(dialog)
    dialog.show()
    wait_plan(qtbot, dialog)
    qtbot.mouseClick(dialog.side.ids, LEFT)
    assert "No query or document" in dialog.side.ids_told.text()
    qtbot.mouseClick(dialog.side.ids, LEFT)
    assert "1 query id" in dialog.side.ids_told.text()
    wait_plan(qtbot, dialog)
    import_all(qtbot, dialog)
    assert [query.id for query in session.material.queries] == ["7"]


def test_a_run_is_replaced_from_the_preview(qtbot, session, show, tmp_path):
    """A name that is taken is asked about; the file's run is the one that the window then has."""
    path = tmp_path / "bm25.run"
    for document, answer in (("a", ""), ("b", "replace")):
        path.write_text(f"1 Q0 {document} 1 2 bm25\n")
        dialog = show(session, path)
        if answer:
            choose(qtbot, dialog, dialog.view.questions.fields["runs"], answer)
        import_all(qtbot, dialog)
    (run,) = session.material.runs
    ranked = session.material.ranking(run.run_id, 0).documents.tolist()
    assert (run.name, ranked) == ("bm25", [session.material.find_document("b")])


def give_keyboard(qtbot, dialog, widget):
    """Have a part of a dialog that is in front get the keys."""
    dialog.activateWindow()
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)


def focused_name(dialog):
    """Return by which name readers know what has the keyboard."""
    return dialog.focusWidget().accessibleName()


@pytest.fixture
def strange(tmp_path):
    """A table whose headers nobody knows."""
    path = tmp_path / "strange.csv"
    path.write_text("eins,zwei,drei\n1,a,2\n1,b,3\n")
    return path


def test_the_keyboard_stays_on_the_column_that_was_named(qtbot, show, session, strange):
    """Whether the table is refused, or read and laid out anew, the box that was used is there."""
    dialog = show(session, strange)
    roles = {"eins": "query_id", "zwei": "document_id", "drei": "grade"}
    for header, role in roles.items():
        name = f"Column {header} is"
        box = next(each for each in dialog.view.table.roles if each.accessibleName() == name)
        give_keyboard(qtbot, dialog, box)
        choose(qtbot, dialog, box, role)
        assert focused_name(dialog) == name
    assert dialog.verb.text() == "Import 2 records"


def test_the_keyboard_stays_where_a_table_is_read_as_something_else(qtbot, show, session, strange):
    """*Read as* keeps it, whatever comes of it."""
    dialog = show(session, strange)
    give_keyboard(qtbot, dialog, dialog.view.kinds)
    for kind in ("results", "documents"):
        choose(qtbot, dialog, dialog.view.kinds, kind)
        assert dialog.focusWidget() is dialog.view.kinds


def test_the_table_stays_in_place_while_it_is_read_anew(show, session, strange):
    """Nothing moves away under the pointer between a choice and what comes of it."""
    dialog = show(session, strange)
    dialog.work.set_role(dialog.work.files[0], "eins", "query_id")
    assert dialog.work.files[0].state is FileState.READING
    assert dialog.view.table.isVisible()


def test_leaving_after_a_choice_is_asked_about(qtbot, show, session, strange):
    """Esc, or the window's cross, throws away what was chosen by hand only where somebody says so."""
    prompter = FakePrompter(answers=[None, None, "discard"])
    dialog = show(session, strange, prompter)
    choose(qtbot, dialog, dialog.view.table.roles[0], "query_id")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    dialog.close()
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_leaving_without_a_choice_asks_nothing(qtbot, show, session, strange):
    """What was only looked at is left at once."""
    dialog = show(session, strange)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_files_with_columns_to_name_hold_the_whole_import(qtbot, show, session, strange, tmp_path):
    """As a command refuses them, the foot says what is open, and nothing is written before."""
    dialog = show(session, strange)
    clear = tmp_path / "clear.qrels"
    clear.write_text("q1 0 a 2\n")
    dialog.add_files([clear])
    qtbot.waitUntil(lambda: dialog.work.plan is not None)
    assert not dialog.verb.isEnabled()
    assert dialog.remark.text() == ("strange.csv: say what its columns are, or take the file out.")


def test_the_foot_says_which_file_is_left_out(qtbot, show, session, tmp_path):
    """A file that nothing can be made of is named where the import is begun."""
    clear = tmp_path / "clear.qrels"
    clear.write_text("q1 0 a 2\n")
    dialog = show(session, clear)
    bad = tmp_path / "picture.png"
    bad.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    dialog.add_files([bad])
    qtbot.waitUntil(lambda: dialog.work.plan is not None)
    assert dialog.verb.isEnabled()
    assert dialog.remark.text().startswith("picture.png is left out: nothing of it can be used.")


def roles_of(dialog):
    """Return what each column is taken for, as the boxes say it."""
    return [box.currentData() for box in dialog.view.table.roles]


def test_a_wrong_column_can_be_made_another(qtbot, show, session, tmp_path):
    """What fits no row is said, and the boxes stay with what was chosen."""
    path = tmp_path / "strange.csv"
    path.write_text("eins,zwei,drei,vier\n1,a,high,2\n1,b,low,3\n")
    dialog = show(session, path)
    said = ("query_id", "document_id", "score")
    for place, role in enumerate(said):
        choose(qtbot, dialog, dialog.view.table.roles[place], role)
    assert "‘high’ is not a number" in dialog.view.problem.text()
    assert roles_of(dialog)[:3] == list(said)
    choose(qtbot, dialog, dialog.view.table.roles[2], "ignore")
    choose(qtbot, dialog, dialog.view.table.roles[3], "grade")
    assert dialog.verb.text() == "Import 2 records"


def test_the_kind_that_was_found_stays_where_a_column_is_named(qtbot, show, session, tmp_path):
    """A table of ids became one that is not known as soon as its texts were said to be the ids."""
    add_query(session, Query("aa battery", "aa battery"))
    add_query(session, Query("mouse pad", "mouse pad"))
    path = tmp_path / "ids.csv"
    path.write_text("query_id,text\nq003,aa battery\nq006,mouse pad\n")
    dialog = show(session, path)
    choose(qtbot, dialog, dialog.view.table.roles[1], "query_id")
    assert dialog.view.kinds.currentData() == "queries"
    assert roles_of(dialog) == ["field", "query_id"]
    assert dialog.view.taken.text() == (
        "Column query_id is a further field now: text is taken as ‘query’ in its place."
    )
    import_all(qtbot, dialog)
    assert [each.fields for each in session.material.queries] == [
        {"query_id": "q003"},
        {"query_id": "q006"},
    ]


def test_cells_with_errors_are_warned_of(show, session, tmp_path):
    """Grades whose look-up failed hid behind green checks."""
    book = openpyxl.Workbook()
    for row in (["query_id", "doc_id", "grade"], ["q1", "d1", 2], ["q1", "d2", "#N/A"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    dialog = show(session, tmp_path / "a.xlsx")
    warned = {
        each.title: each.text for each in dialog.view.findings.findings if each.level == "warn"
    }
    assert list(warned) == ["Cells hold errors"]
    assert "(C3: #N/A)" in warned["Cells hold errors"]
    assert dialog.work.files[0].subtitle == "Cells hold errors"


def test_what_another_file_brings_is_not_said_to_be_here(qtbot, show, session, tmp_path):
    """Of two files with the same judgments, the project had neither."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("query,document,assessor,grade\nq1,d1,lea,2\n")
    dialog = show(session, tmp_path / "a.csv")
    dialog.add_files([tmp_path / "b.csv"])
    wait_plan(qtbot, dialog)
    said = {each.title: each.text for each in dialog.work.files[1].findings}
    assert said["Nothing of it is new"] == (
        "The project, or another file of this import, has all of it."
    )


@pytest.fixture
def german(tmp_path):
    """A table of judgments with headers that are known."""
    path = tmp_path / "noten.csv"
    path.write_text("frage;dokument;wer;note;bemerkung\nq1;a;anna;2;gut\nq1;b;bert;1;naja\n")
    return path


@pytest.mark.parametrize("keys", [[Qt.Key.Key_Home, *[Qt.Key.Key_Down] * 12], [*"query"]])
def test_going_through_the_roles_of_a_column_changes_no_other(qtbot, show, session, german, keys):
    """Arrows and letters move in the list of roles; Esc leaves all as it was."""
    dialog = show(session, german)
    choose(qtbot, dialog, dialog.view.table.roles[1], "document_id")
    before = roles_of(dialog)
    box = dialog.view.table.roles[2]
    give_keyboard(qtbot, dialog, box)
    for key in keys:
        qtbot.keyClick(QApplication.focusWidget(), key)
    qtbot.keyClick(box.view(), Qt.Key.Key_Escape)
    wait_plan(qtbot, dialog)
    assert roles_of(dialog) == before


def test_a_role_is_chosen_by_its_name(qtbot, show, session, german):
    """All its letters go to one list."""
    dialog = show(session, german)
    box = dialog.view.table.roles[4]
    give_keyboard(qtbot, dialog, box)
    for letter in "query t":
        qtbot.keyClick(QApplication.focusWidget(), letter)
    qtbot.keyClick(box.view(), Qt.Key.Key_Return)
    wait_plan(qtbot, dialog)
    assert roles_of(dialog)[4] == "query_text"


def test_which_column_loses_its_role_is_shown_and_said(qtbot, show, session, german):
    """The one that had it is left out."""
    dialog = show(session, german)
    choose(qtbot, dialog, dialog.view.table.roles[1], "document_id")
    with listening() as said:
        choose(qtbot, dialog, dialog.view.table.roles[2], "document_id")
        qtbot.waitUntil(lambda: bool(said))
    (told,) = said
    assert told == "Column dokument is left out now: wer is taken as ‘document’ in its place."
    assert dialog.view.taken.isVisible()
    assert dialog.view.taken.text() == told


def test_a_role_that_was_taken_is_given_back(qtbot, show, session, german):
    """Who chose a wrong role and corrects it has not lost the column that was in that role."""
    dialog = show(session, german)
    choose(qtbot, dialog, dialog.view.table.roles[1], "document_id")
    choose(qtbot, dialog, dialog.view.table.roles[2], "document_id")
    choose(qtbot, dialog, dialog.view.table.roles[2], "assessor")
    assert roles_of(dialog)[1:3] == ["document_id", "assessor"]


def test_what_says_nothing_of_a_column_is_offered_last(show, session, strange):
    """Below *left out* stands no role that would be overlooked there."""
    box = show(session, strange).view.table.roles[0]
    assert box.itemData(box.count() - 1) == "ignore"


def test_a_grade_may_be_named_before_the_query(qtbot, show, session, strange):
    """Columns are named in any order; what was named stays."""
    dialog = show(session, strange)
    choose(qtbot, dialog, dialog.view.table.roles[2], "grade")
    assert roles_of(dialog)[2] == "grade"
    choose(qtbot, dialog, dialog.view.table.roles[0], "query_text")
    choose(qtbot, dialog, dialog.view.table.roles[1], "document_id")
    assert dialog.verb.text() == "Import 3 records"


def test_a_sheet_is_chosen_where_no_header_is_known(qtbot, session, show, tmp_path):
    """The sheets are offered before any column is named."""
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    for row in (["as of", "today"], ["not", "done"]):
        book.active.append(row)
    other = book.create_sheet("Grades")
    for row in (["eins", "zwei", "drei"], ["1", "a", "2"]):
        other.append(row)
    book.save(tmp_path / "grades.xlsx")
    dialog = show(session, tmp_path / "grades.xlsx")
    choose(qtbot, dialog, dialog.view.questions.fields["sheet"], "Grades")
    assert dialog.view.table.roles[2].accessibleName() == "Column drei is"


def test_words_that_are_the_names_of_levels_are_taken_by_one_click(qtbot, jobs, tmp_path):
    """A project's own words mean its own grades."""
    levels = zip(scale_preset("binary").levels, ("Unsinn", "Treffer"), strict=True)
    scale = Scale("own", tuple(level._replace(name=name) for level, name in levels), 1.0)
    create_project(tmp_path / "named.judge", scale=scale)
    path = tmp_path / "words.csv"
    path.write_text("query_id,doc_id,label\n1,a,Treffer\n1,b,Unsinn\n")
    with open_project(tmp_path / "named.judge", assessor="anna") as opened:
        dialog = ImportDialog(opened, jobs, FakePrompter(), [path])
        qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
        dialog.show()
        wait_plan(qtbot, dialog)
        qtbot.mouseClick(dialog.view.grade_map.propose, LEFT)
        wait_plan(qtbot, dialog)
        assert dialog.verb.text() == "Import 2 records"


def test_pairs_of_ids_may_be_of_queries_of_the_same_import(qtbot, session, jobs, tmp_path):
    """The project need not have them before; a header is not counted among them."""
    (tmp_path / "queries.tsv").write_text("q006\tcold soup\n")
    (tmp_path / "j.csv").write_text("query,doc_id,assessor,grade\n1,d1,anna,2\n")
    (tmp_path / "ids.csv").write_text("old,new\n1,q006\n")
    prompter = FakePrompter(files=[[tmp_path / "ids.csv"]])
    dialog = ImportDialog(session, jobs, prompter, [tmp_path / "queries.tsv", tmp_path / "j.csv"])
    qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
    dialog.show()
    wait_plan(qtbot, dialog)
    qtbot.mouseClick(dialog.side.ids, LEFT)
    assert "1 query id" in dialog.side.ids_told.text()
