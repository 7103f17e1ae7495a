"""``python tests/messages.py``: brings the catalogues of ``resources/locale`` up to date.

What is marked is found by the syntax tree, because Babel's own extraction passes over what stands within an f-string
(Python 3.11); what stands in tables of text is asked of who reads the table. A translation whose sentence has
changed is dropped, nothing is guessed.
"""

import ast
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import click
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from judgetool.core.scale import LEVEL, SCALE_PRESETS
from judgetool.core.terms import LANGUAGES
from judgetool.formats import FORMATS
from judgetool.formats.writers import WRITERS
from judgetool.metrics import MEASURES

ROOT = Path(__file__).parents[1]
LOCALE = ROOT / "resources" / "locale"
TEMPLATE = LOCALE / "judgetool.pot"
# Not when: a date would be another one in each commit.
PLACES = {
    **dict.fromkeys(("_", "N_", "stated"), (0,)),
    **dict.fromkeys(("ngettext", "NN_", "pgettext"), (0, 1)),
    **dict.fromkeys(("number_of", "stated_of"), (1, 2)),
    **dict.fromkeys(("note_number", "state_number"), (2, 3)),
}
"""Where the texts stand among the arguments of what marks them."""
_HINT = "# Translators:"
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)
# What a catalogue says of its language.
_OF_THE_LANGUAGE = (
    ("language", "English", "what the language calls itself"),
    (
        "between thousands",
        ",",
        "1,404: the sign between thousands; a no-break space where it is one",
    ),
    ("before decimals", ".", "0.5: the sign before decimals"),
)


def tables() -> Iterator[tuple[str, str, str | None]]:
    """Yield what is shown of tables of text: where it stands, the text, and its context."""
    yield from ((*each, None) for each in _of_the_window())
    for scale in SCALE_PRESETS.values():
        for level in scale.levels:
            yield "judgetool/core/scale.py", level.name, LEVEL
            yield "judgetool/core/scale.py", level.definition, LEVEL
    for name in LANGUAGES:
        yield "judgetool/core/terms.py", name.capitalize(), None
    for spec in MEASURES.values():
        words = (spec.title, spec.help, *(param.help for param in spec.params))
        yield from (("judgetool/metrics", text, None) for text in words)


def _of_the_window() -> Iterator[tuple[str, str]]:
    from judgetool.gui.actions import ACTIONS, COLUMNS  # noqa: PLC0415 - Qt is not needed to read
    from judgetool.gui.dialogs.preferences import read_table  # noqa: PLC0415

    place = "judgetool/gui/actions.py"
    for spec in ACTIONS:
        yield from ((place, text) for text in (*spec.menu.split(" ▸ "), spec.text, spec.caption))
    yield from ((place, title) for title in COLUMNS)
    yield from commands()
    for place, table in (("registry", FORMATS), ("writers/__init__", WRITERS)):
        for row in table.values():
            said = (getattr(row, name, "") for name in ("title", "help", "carries", "loses"))
            yield from ((f"judgetool/formats/{place}.py", text) for text in said)
    place = "judgetool/gui/dialogs/preferences.py"
    for page, rows in read_table().items():
        yield place, page
        for row in rows:
            yield from ((place, text) for text in (row.label, row.unit, row.least, row.remark))


def commands() -> Iterator[tuple[str, str]]:
    """Yield what ``--help`` says of every command and option: its module, and a paragraph."""
    from judgetool.cli.command import help_paragraphs  # noqa: PLC0415 - Qt is not needed to read
    from judgetool.cli.main import program  # noqa: PLC0415 - likewise

    waiting = [program]
    while waiting:
        command = waiting.pop()
        place = f"{command.callback.__module__.replace('.', '/')}.py"
        texts = [*help_paragraphs(command.help), *(getattr(p, "help", "") for p in command.params)]
        yield from ((place, text) for text in texts if text)
        if isinstance(command, click.Group):
            context = click.Context(command)
            waiting += [
                command.get_command(context, name) for name in command.list_commands(context)
            ]


def marked(path: Path) -> Iterator[tuple[str | tuple[str, str], str | None, list[str]]]:
    """Yield what a module marks: the text or both its forms, its context, and hints above it."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for call in ast.walk(ast.parse(source)):
        places = PLACES.get(getattr(call.func, "id", "")) if isinstance(call, ast.Call) else None
        if places is None or len(call.args) <= max(places):
            continue
        texts = [getattr(call.args[place], "value", None) for place in places]
        if not all(isinstance(text, str) and text for text in texts):
            continue
        hints = []
        while (above := lines[call.lineno - 2 - len(hints)].strip()).startswith(_HINT):
            hints.append(above.removeprefix(_HINT).strip())
        if call.func.id == "pgettext":
            yield texts[1], texts[0], hints
        else:
            yield texts[0] if len(texts) == 1 else tuple(texts), None, hints


def extracted() -> Catalog:
    """Return all that can be translated, without translations."""
    catalog = Catalog(
        header_comment="# What judgetool shows; made by tests/messages.py.",
        project="judgetool",
        charset="utf-8",
        creation_date=_WHEN,
        fuzzy=False,
    )
    for context, text, hint in _OF_THE_LANGUAGE:
        catalog.add(text, context=context, auto_comments=[hint])
    for path in sorted((ROOT / "judgetool").rglob("*.py")):
        place = [(str(path.relative_to(ROOT)), None)]
        for text, context, hints in marked(path):
            catalog.add(text, locations=place, auto_comments=hints, context=context)
    for place, text, context in tables():
        if text:
            catalog.add(text, locations=[(place, None)], context=context)
    for message in catalog:
        # Only braces are filled in; a % is one.
        message.flags.discard("python-format")
    return catalog


def written(catalog: Catalog) -> str:
    """Return a catalogue as text."""
    out = BytesIO()
    write_po(out, catalog, width=100, include_lineno=False, ignore_obsolete=True)
    return out.getvalue().decode("utf-8")


def catalogues() -> list[Path]:
    """Return the files of the languages."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/judgetool.po"))


def read(path: Path) -> Catalog:
    """Return a catalogue of a file."""
    with path.open("rb") as file:
        return read_po(file, locale=None if path == TEMPLATE else path.parts[-3])


def main() -> int:
    """Write the template, and each language with what is new in it."""
    template = extracted()
    TEMPLATE.write_text(written(template), encoding="utf-8")
    for path in catalogues():
        catalog = read(path)
        catalog.update(template, no_fuzzy_matching=True, update_header_comment=False)
        catalog.fuzzy = False
        path.write_text(written(catalog), encoding="utf-8")
        done = sum(
            bool(message.id and message.string and all(message.string)) for message in catalog
        )
        sys.stdout.write(f"{path.parts[-3]}: {done:,} of {len(catalog):,} sentences\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
