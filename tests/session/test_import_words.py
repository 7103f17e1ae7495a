"""What an import says in words."""

import pytest

from judgetool.core.scale import scale_preset
from judgetool.formats import read_text
from judgetool.session.imports.importing import plan_import
from judgetool.session.imports.plan import records_text
from judgetool.session.opening import create_project, open_project


@pytest.fixture
def empty(tmp_path):
    create_project(tmp_path / "a.judge", scale=scale_preset("0-3"))
    with open_project(tmp_path / "a.judge") as session:
        yield session


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,rank,doc_id,title\nq,1,a,A\nq,2,b,B\n", "2 results"),
        ("query,rank,doc_id,title,grade\nq,1,a,A,3\nq,2,b,B,\n", "2 results and 1 judgment"),
        ("query,doc_id,grade\nq,a,3\n", "1 judgment"),
        ("query_id,query\nq,soup\np,bread\n", "2 queries"),
    ],
)
def test_results_and_judgments_are_counted_apart(empty, text, said):
    """A table with ranks and grades is results and judgments, not results alone."""
    (report,) = plan_import(empty, [read_text(text, source="x.csv")]).files
    assert records_text(report) == said
