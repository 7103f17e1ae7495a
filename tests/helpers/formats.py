"""Samples and strategies for files."""

from pathlib import Path

from hypothesis import strategies as st

from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.formats import write_text
from judgetool.formats.writers import (
    WRITERS,
    ExportChoices,
    ExportMaterial,
    FoldedRow,
    Formulas,
    Fractions,
    RunSource,
)

DATA = Path(__file__).resolve().parents[1] / "data"

_BLANKS = " \t\n\r\v\f\0"

# Ids without TREC's separators: digits, quotes, signs, combining marks, odd blanks, astral.
awkward_ids = st.text(
    st.one_of(
        st.sampled_from("01aZ\"',;#=+-@\xa0\u0301\u2028\x1c\x85\ufeff\U0001f600é"),
        st.characters(exclude_categories=("Cs",), exclude_characters=_BLANKS),
    ),
    min_size=1,
    max_size=8,
).filter(lambda text: text != "#" and not text.startswith("\ufeff"))

# Any text that a table can hold.
cell_texts = st.text(
    st.one_of(
        st.sampled_from(" ,;\t\n\r\"'#=1aé\u0301"),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=12,
)


def _write(name, out, **parts):
    """Write a format as an export does, ids as they are; return the notes."""
    choices = ExportChoices(name, fractions=Fractions.KEEP, formulas=Formulas.KEEP_IDS)
    material = ExportMaterial(parts.pop("queries", ()), scale_preset("0-3"), **parts)
    write_text(WRITERS[name].writer(material, choices), out)
    return material.notes


def write_run(rows, out, *, tag):
    """Write results as a TREC run."""
    return _write("trec-run", out, run=RunSource(tag, len(rows), lambda: iter(rows)))


def write_qrels(rows, out):
    """Write triples of query, document and grade as TREC qrels."""
    folded = [FoldedRow(Query(query), document, grade) for query, document, grade in rows]
    return _write("trec-qrels", out, folded=folded)


def write_judgments_csv(rows, out):
    """Write judgments in full."""
    return _write("judgments-csv", out, judgments=rows)
