"""The faults that are drawn are faults, and anyone draws the same."""

import pytest

from tests import mutants


def test_the_same_seed_draws_the_same_faults():
    once, again = (mutants.draw(5, "0badcafe") for _ in range(2))
    assert once == again
    assert all(fault.text != (mutants.TOP / fault.path).read_text() for fault in once)


def test_a_fault_is_made_in_its_line_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "TOP", tmp_path)
    path = tmp_path / "rule.py"
    path.write_text('def is_long(text, most):\n    """Return."""\n    return len(text) > most\n')
    texts = {fault.text.splitlines()[2].strip() for fault in mutants.faults_of(path, 3)}
    assert texts == {"return (len(text) >= most)", "return None"}


@pytest.fixture(scope="module")
def imported_by():
    return mutants.importers()


def test_the_tests_that_import_a_module_come_first(imported_by):
    found = mutants.nearest_tests(mutants.Path("judgetool/core/scale.py"), imported_by)
    text = (mutants.TOP / found[0]).read_text(encoding="utf-8")
    assert "judgetool.core.scale" in text


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("gui/whatif/page", "gui/test_whatif_view"),
        ("gui/settle/opinions", "gui/test_settle_view"),
        ("gui/agreement/page", "gui/test_agreement_view"),
        ("cli/project", "cli/test_project"),
    ],
)
def test_what_only_a_window_or_a_command_imports_is_tried_by_the_tests_of_these(
    module, test, imported_by
):
    found = mutants.nearest_tests(mutants.Path(f"judgetool/{module}.py"), imported_by)
    assert mutants.Path(f"tests/{test}.py") in found[:3]
