"""The figures of the house count what they say."""

from pathlib import Path

from tests.figures import count_code, measure_shape

TOP = Path(__file__).parents[2]


def test_neither_blanks_nor_comments_nor_docstrings_are_code():
    text = '"""A room."""\n\n# Why.\nX = """two\nlines"""\n\n\ndef f():\n    """Return."""\n    return X\n'
    assert count_code(text) == 4


def test_a_module_with_one_importer_is_found(tmp_path):
    room = tmp_path / "judgetool"
    room.mkdir()
    (tmp_path / "resources").mkdir()
    (room / "__init__.py").write_text("")
    (room / "thin.py").write_text("class Page: ...\n")
    (room / "wide.py").write_text("from judgetool.thin import Page\n\n\nclass Row: ...\n")
    (room / "other.py").write_text("import judgetool.wide\nclass Row: ...\n")
    assert measure_shape(tmp_path) == {
        "class names of two meanings": 1,
        "thin modules of one importer": 2,
        "modules that paint by hand": 0,
    }
