"""Options that several commands share: how things are named on the command line, once."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import (
    FILE_PATH,
    Option,
    Whole,
    assessor_option,
    offer,
    offer_files,
)
from judgetool.core.judgments import DEFAULT_VIEW, VIEW_RULES
from judgetool.core.scale import (
    SCALE_FORMS,
    SCALE_PRESETS,
    Scale,
    parse_scale,
    scale_from_values,
)
from judgetool.errors import InputError, UsageError, why_unreadable
from judgetool.metrics import CONVENTION_PRESETS, DEFAULT_MEASURES
from judgetool.metrics.conventions import Undefined, Unjudged
from judgetool.metrics.significance import DEFAULT_SEED
from judgetool.wording import N_, Language, _, pgettext, speak

MEASURE_OPTION = partial(
    click.option, "-m", "--measure", "measures", multiple=True, metavar="MEASURE"
)
"""``-m``: measures by name, of which several may be given; what they are for is its help."""


def measures_option(what: str) -> Option:
    """Return ``-m`` for measures of runs.

    Args:
        what: what is done with them, such as ``What to compute``.
    """
    return MEASURE_OPTION(
        help=f"{what}, such as nDCG@10 or trec_eval’s ndcg_cut_10; may be given often. "
        f"Default: {', '.join(map(str, DEFAULT_MEASURES))}; of a project its own.",
    )


DIGITS = click.option(
    "--digits",
    type=Whole(0, 17),
    default=4,
    show_default=True,
    help="Decimals; JSON has them all.",
)


def format_option(layouts: Iterable[str], what: str, *, default: str = "text") -> Option:
    """Return ``--format``: one of the layouts in which a command prints.

    Args:
        layouts: their names.
        what: is to be known of them.
        default: the usual one.
    """
    choices = list(layouts)
    csv = " csv keeps ids as they are: a spreadsheet may run those that begin with = + - @."
    return click.option(
        "--format",
        "layout",
        type=click.Choice(choices),
        default=default,
        show_default=True,
        help=what + (csv if "csv" in choices else ""),
        callback=_speak_to_programs,
    )


def _speak_to_programs(_context: click.Context, _param: click.Parameter, layout: str) -> str:
    """Speak English where sentences stand among data: whoever reads it, or a page, relies on it."""
    if layout in ("json", "markdown", "latex"):
        speak(Language())
    return layout


def choice_option(name: str, choices: type[StrEnum], what: str, **how: Any) -> Option:  # noqa: ANN401 - handed on
    """Return an option that takes one of some choices, and gives it as such."""

    def chosen(_context: click.Context, _param: click.Parameter, text: str | None) -> Any:  # noqa: ANN401 - likewise
        return None if text is None else choices(text)

    named = click.Choice(list(map(str, choices)))
    return click.option(name, type=named, callback=chosen, help=what, **how)


def given(**options: Any) -> dict[str, Any]:  # noqa: ANN401 - of options
    """Return the options that somebody gave: those that are not ``None``."""
    return {name: value for name, value in options.items() if value is not None}


NO_QUERY = N_("There is no query ‘{name}’ in {where}. It has: {names}.")
NO_RUN = N_("There is no run ‘{name}’ in {where}. It has: {names}.")
NO_SYSTEM = N_("There is no run or what-if ‘{name}’ in {where}. It has: {names}.")
NO_WHATIF = N_("There is no what-if ‘{name}’ in {where}. It has: {names}.")
NO_SNAPSHOT = N_("There is no snapshot ‘{name}’ in {where}. It has: {names}.")
NO_FIELD = N_("There is no field of queries ‘{name}’ in {where}. It has: {names}.")


def no_such(sentence: str, name: str, where: str, known: Iterable[str]) -> InputError:
    """Return what to raise for a name that nothing has, with the names that there are.

    Args:
        sentence: one of those above.
        name: what was said.
        where: in which there is none.
        known: those that there are.
    """
    names = ", ".join(dict.fromkeys(known)) or pgettext("names that there are", "none")
    return InputError(_(sentence).format(name=name, where=where, names=names))


def project_option(what: str) -> Option:
    """Return ``--project``: take runs and judgments from a project in place of files.

    Args:
        what: is done with it, such as ``Score a project's runs.``
    """
    return click.option("--project", type=FILE_PATH, metavar="PROJECT", help=what)


SCALE_OPTION = partial(
    click.option,
    "--scale",
    shell_complete=offer(SCALE_PRESETS, or_files=True),
    metavar="SCALE",
)
SCALE = SCALE_OPTION(
    help=f"How grades are read: {', '.join(SCALE_PRESETS)}; {SCALE_FORMS}; or a file with a scale. "
    "Default: what stands beside QRELS (OUT.meta.json of ‘judgetool export’), else TREC 0-4 "
    "(relevant from 1, gain = grade); of a project its own.",
)
RUNS = click.option(
    "--run", "runs", multiple=True, metavar="NAME", help="With --project: only this run or what-if."
)
VIEW_OPTION = partial(click.option, "--view", shell_complete=offer(VIEW_RULES), metavar="RULE")
VIEW = VIEW_OPTION(
    default=DEFAULT_VIEW,
    show_default=True,
    help=f"How several grades of a document become one: {', '.join(VIEW_RULES)}.",
)
WHERE = click.option(
    "--where",
    default="",
    metavar="FILTER",
    help="With a project: only queries that the window’s list shows by this filter, such as "
    "'category:soups' or 'is:judged grade:3'.",
)
_FILE = partial(click.option, default="", shell_complete=offer_files, metavar="FILE")
QUERY_LIST = _FILE(
    "--query-list",
    help="Only the queries whose ids this file has, one on each line.",
)
SNAPSHOT = click.option(
    "--snapshot",
    metavar="NAME",
    help="With a project: rankings and judgments of a snapshot.",
)
AS_OF = click.option(
    "--as-of",
    default="",
    metavar="TIME",
    help="With a project: only what was judged by then, such as 2026-03-01T14:00:00Z (without Z "
    "in local time), with the rankings of now.",
)
JUDGED_BY = assessor_option("With a project: count only what this assessor said.", default="")
SEED_OPTION = partial(click.option, "--seed", type=Whole(0, 2**63 - 1))
SEED = SEED_OPTION(help=f"The same seed gives the same figures.  [default: {DEFAULT_SEED}]")


UNJUDGED_CHOICES: dict[str, Unjudged] = {"non-relevant": "as non-relevant", "left-out": "left out"}
UNDEFINED_CHOICES: dict[str, Undefined] = {"zero": "zero", "leave-out": "leave out"}

COUNTING: tuple[Option, ...] = (
    click.option(
        "--preset",
        shell_complete=offer(CONVENTION_PRESETS),
        metavar="NAME",
        help=f"Conventions of a tool or campaign: {', '.join(CONVENTION_PRESETS)}.",
    ),
    click.option(
        "--queries",
        type=click.Choice(["judged", "both"]),
        help="Means over all judged queries (one that the run lacks counts as 0), or over those "
        "that are both judged and in the run.  [default: judged]",
    ),
    click.option(
        "--unjudged",
        type=click.Choice(list(UNJUDGED_CHOICES)),
        help="Documents that nobody judged.  [default: non-relevant]",
    ),
    click.option(
        "--undefined",
        type=click.Choice(list(UNDEFINED_CHOICES)),
        help="Values of queries without a relevant document, in means.  [default: zero]",
    ),
)
CLICKS = _FILE(
    "--clicks",
    help="For CTR: a table of query, document, impressions, clicks; of a project its own.",
)
LENGTHS = _FILE(
    "--lengths",
    help="For TBG and U: document and length (seconds, characters), without a header.",
)


def check_encoding(name: str) -> None:
    """Refuse the name of an encoding that there is not; ``""`` says none.

    Raises:
        UsageError: there is none of this name.
    """
    if not name:
        return
    # Few name one.
    from judgetool.formats.source import find_encoding  # noqa: PLC0415 - see above

    try:
        find_encoding(name)
    except InputError as problem:
        raise UsageError(str(problem)) from problem


def _encoding_said(_context: click.Context, _option: click.Parameter, name: str) -> str:
    check_encoding(name)
    return name


ENCODED = click.option(
    "--encoding",
    default="",
    metavar="NAME",
    callback=_encoding_said,
    help="With files: in which encoding those were saved that are not UTF-8, such as cp1252.",
)
WEIGHTED = click.option(
    "--weighted",
    is_flag=True,
    help="Weight means by the queries’ importance: a project’s, or as OUT.meta.json beside files says.",
)


def read_scale(text: str) -> Scale:
    """Return the scale that an option names: a preset, a range, a list of grades, or a file.

    Raises:
        UsageError: there is no such scale and no such file.
        InputError: the file has no scale, cannot be read or is a folder, or its levels do not
            make one.
    """
    path = Path(text)
    if text in SCALE_PRESETS or not path.is_file():
        try:
            return parse_scale(text, more=_("Nor is there a file of this name."))
        except UsageError:
            is_lost = path.is_symlink() and not path.exists()
            if not text or not (path.is_dir() or is_lost):
                raise
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError(
            _(
                "{text} is no scale: expected JSON with ‘levels’, or a file that ‘judgetool "
                "export’ wrote beside another one ({problem})."
            ).format(text=text, problem=why_unreadable(problem))
        ) from problem
    values = values.get("scale", values) if isinstance(values, dict) else {}
    return scale_from_values(values if isinstance(values, dict) else {}, name=path.stem)


def read_query_list(name: str) -> list[str] | None:
    """Return the ids of a file, one on each line; ``None`` where no file is named.

    Raises:
        InputError: it cannot be read, or has none.
    """
    if not name:
        return None
    try:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as problem:
        raise InputError(
            _("{name} cannot be read: {problem}.").format(
                name=name, problem=why_unreadable(problem)
            )
        ) from problem
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise InputError(_("{name} names no query: expected an id on each line.").format(name=name))
    return list(dict.fromkeys(found))


def check_apart(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the names that ``--apart`` gave, each once.

    Raises:
        InputError: one of them is not compared.
    """
    for name in names:
        if name not in known:
            raise InputError(
                _("--apart names ‘{name}’, which is not compared. Compared are: {known}.").format(
                    name=name, known=", ".join(known)
                )
            )
    return list(dict.fromkeys(names))
