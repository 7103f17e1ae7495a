"""What a cancelled or killed import has brought is nowhere to be seen."""

import pytest

from judgetool.session.commands import WorkCancelledError
from judgetool.session.imports.importing import (
    import_readings,
    plan_import,
    write_import,
)
from judgetool.session.opening import open_project
from tests.session.conftest import run_reading
from tests.session.test_importing import judgments


def cancel_at_the_end(session, readings):
    """Write an import and cancel it when nearly all of it is written."""
    plan = plan_import(session, readings)
    told = []
    total = sum(report.n_records for report in plan.files)

    def is_cancelled():
        return bool(told) and told[-1] >= total

    with pytest.raises(WorkCancelledError):
        write_import(
            session, plan, progress=lambda done, _: told.append(done), is_cancelled=is_cancelled
        )


def files():
    return [
        run_reading("c", {"1": ["only-here", "d1"], "x": ["also-here"]}),
        judgments([("1", "d1", 2.0, "ben"), ("1", "judged-here", 1.0, "ben")]),
    ]


def test_documents_of_a_cancelled_import_are_not_counted(session):
    """Its ids stay in the file's table, but the project does not speak of them."""
    before = session.material.count_documents()
    cancel_at_the_end(session, files())
    assert session.material.count_documents() == before


def test_assessors_of_a_cancelled_import_are_not_named(session, project_path):
    """Who was only named by it is not among those who have judged, now or after reopening."""
    cancel_at_the_end(session, files())
    session.reload()
    assert session.assessors == ()
    session.close()
    with open_project(project_path) as again:
        assert again.assessors == ()


def test_ids_of_a_cancelled_import_match_nothing(session):
    """The next preview says that these ids are new here, as the first one did."""
    cancel_at_the_end(session, files())
    plan = plan_import(session, files())
    strange = {match.noun: match.strange for match in plan.files[0].matches}
    assert strange["document"] == ("only-here", "also-here")


def test_what_was_cancelled_can_be_imported_after_all(session):
    """The second try counts as if the first had not been, and its ids keep their numbers."""
    cancel_at_the_end(session, files())
    number = session.material.find_document("only-here")
    known, _ = session.material.count_documents()
    import_readings(session, files())
    assert session.material.find_document("only-here") == number
    assert session.material.count_documents()[0] == known + 3
    assert session.assessors == ("ben",)


def test_undoing_an_import_takes_its_documents_out_of_the_count(session):
    """Documents are counted as long as a run, a text or a judgment speaks of them."""
    before = session.material.count_documents()
    import_readings(session, files())
    session.undo()
    assert session.material.count_documents() == before
    session.redo()
    assert session.material.count_documents()[0] == before[0] + 3
