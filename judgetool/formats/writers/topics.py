"""Queries: two columns, JSON lines, and the map from ids to texts."""

import json
import re
from collections.abc import Iterator

from judgetool.core.formula_guard import ID_MAP_COLUMNS
from judgetool.core.queries import Query
from judgetool.formats.columns import count_noun
from judgetool.formats.judgments_table import csv_line
from judgetool.formats.output import format_number
from judgetool.formats.writers.cells import SafeCells
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.letor import letor_numbers
from judgetool.formats.writers.trec import tabbed_id
from judgetool.formats.writers.values import ExportMaterial

_BREAKS = re.compile(r"[\t\n\r\v\f\0]+")
_OWN = ("query_id", "text", "description", "narrative", "weight", "category")


def iter_topics(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield ``id<TAB>text`` lines; tabs and line ends in texts become blanks.

    Raises:
        InputError: an id holds a tab or a line end.
    """
    n_changed = 0
    for query in material.queries:
        text = _BREAKS.sub(" ", query.text)
        n_changed += text != query.text
        yield f"{tabbed_id(query.id, 'query')}\t{text}\n"
    if n_changed:
        what = count_noun(n_changed, "text")
        material.notes.append(f"In {what} tabs or line ends became blanks.")


def iter_topics_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield one JSON object for each query, with all that is known of it."""
    n_lost = 0
    for query in material.queries:
        fields = {name: text for name, text in query.fields.items() if name not in _OWN}
        n_lost += len(query.fields) - len(fields)
        yield json.dumps({**_own_values(query), **fields}, ensure_ascii=False) + "\n"
    if n_lost:
        verb = "was" if n_lost == 1 else "were"
        material.notes.append(
            f"{count_noun(n_lost, 'field')} {verb} left out: named as a column of judgetool's own."
        )


def _own_values(query: Query) -> dict[str, str | float | int]:
    values: dict[str, str | float | int] = {
        "query_id": query.id,
        "text": query.text,
        "description": query.description,
        "narrative": query.narrative,
        "weight": int(query.weight) if float(query.weight).is_integer() else query.weight,
        "category": query.category,
    }
    if query.fields:
        # All names are there, so that no field is taken for one of them on reading.
        return values
    usual: dict[str, object] = {"description": "", "narrative": "", "weight": 1, "category": ""}
    return {name: value for name, value in values.items() if usual.get(name) != value}


def iter_id_map(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV that says which id, which number (LETOR) and which text belong together.

    Raises:
        InputError: an id looks like a formula, and such ids are to be refused.
    """
    cells = SafeCells(choices.formulas, material.notes)
    numbers = letor_numbers(material.queries)
    yield csv_line(ID_MAP_COLUMNS)
    for query in material.queries:
        text = cells.own_text(query.text, "query text")
        number = format_number(numbers[query.id])
        yield csv_line((cells.id(query.id, "query id"), number, text))
    cells.tell()
