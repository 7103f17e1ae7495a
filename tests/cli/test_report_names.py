"""What `judgetool report` and `export` take as names: snapshots' systems and what-ifs, as elsewhere."""

import html
import re
import shlex

import pytest

from judgetool.session.comparing.snapshots import create_snapshot, present_systems
from judgetool.session.comparing.system_values import named_systems
from judgetool.session.exports.reporting import ReportChoices, write_report
from judgetool.session.opening import open_project
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.helpers.builders import open_sample
from tests.helpers.program import call, must

RUN, THEN, TRIED = "chargrams", "chargrams (before)", "tried"


@pytest.fixture
def project(tmp_path):
    """The sample with a snapshot, and a what-if of which a grade is assumed."""
    with open_sample(tmp_path) as session:
        create_snapshot(session, "before")
        run = session.material.find_run(RUN).run_id
        whatif = create_whatif(session, TRIED, run)
        ranked = session.material.ranked_documents(run, 0).tolist()
        fresh = next(each for each in ranked if each not in session.board.settled(0))
        assume_grade(session, whatif, 0, fresh, 3.0)
        return session.path


def table_of(page):
    """The table of runs of a report."""
    text = page.read_text(encoding="utf-8")
    return text.partition("<table class='runs'>")[2].partition("</table>")[0]


def test_a_report_with_a_snapshots_row_is_made_again_by_its_own_command(project, tmp_path):
    """What stands under the page of the window gives the same table."""
    page, again = tmp_path / "page.html", tmp_path / "again.html"
    with open_project(project) as session:
        systems = tuple(each for each in named_systems(session) if each.name in (RUN, THEN))
        write_report(session, page, ReportChoices(systems, apart=systems[1:]))
    text = html.unescape(page.read_text(encoding="utf-8"))
    (command,) = re.findall("again: <code><bdi>judgetool (.*?)</bdi>", text)
    places = {project.name: str(project), "report.html": str(again)}
    must(*(places.get(word, word) for word in shlex.split(command)))
    assert table_of(again) == table_of(page)
    assert THEN in table_of(again)


def test_a_report_without_names_is_of_the_present(project, tmp_path):
    """Snapshots are in it where they are named, or where it is of one."""
    page = tmp_path / "page.html"
    must("report", project, page)
    with open_project(project) as session:
        names = [each.name for each in present_systems(session)]
    found = re.findall("class='name'><bdi>(.*?)</bdi>", table_of(page))
    assert found == names


def test_a_name_that_nothing_has_is_refused_with_those_that_there_are(project, tmp_path):
    """Snapshots' systems are among them."""
    done = call("report", project, tmp_path / "page.html", "--run", "nobody")
    assert done.code != 0
    assert "‘nobody’" in done.err
    assert THEN in done.err


@pytest.mark.parametrize("layout", ["report-markdown", "report-latex", "report-html"])
def test_a_table_for_papers_takes_a_what_if(project, tmp_path, layout):
    """Its means are those of score, and the assumed grade is named."""
    place = tmp_path / "table"
    must("export", project, "--format", layout, "--out", place, "--run", TRIED)
    scored = must("score", "--project", project, "--run", TRIED, "-m", "nDCG@10")
    (value,) = re.findall(r"nDCG@10\tall\t(\S+)", scored.out)
    said = place.read_text(encoding="utf-8")
    assert value in said
    assert f"The figures of {TRIED} count 1 assumed grade that nobody judged" in said
