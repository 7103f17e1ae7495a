"""What all commands share: options of several values, examples in the help, tables, progress."""

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Protocol, TextIO, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from judgetool.core import override
from judgetool.core.held_files import refuse_hopeless
from judgetool.core.scale import format_grade
from judgetool.errors import UsageError
from judgetool.formats import output
from judgetool.formats.output import csv_line
from judgetool.wording import N_, NN_, _, ngettext, spoken


class _File(click.Path):
    """A file's name; whether it may be read is found out by reading it, and said in our own words."""

    @override
    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click calls it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - likewise
        """Return the name, or the path of it; an empty one would be the folder one stands in."""
        if value == "":
            self.fail(_("the name of a file is expected, and this is empty"), param, ctx)
        if value == "-" and not self.allow_dash:
            self.fail(
                _(
                    "‘-’ is standard input and output, and here a file is needed; ./- is one of "
                    "this name"
                ),
                param,
                ctx,
            )
        found = super().convert(value, param, ctx)
        if isinstance(found, Path):
            refuse_hopeless(found)
        return found


if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:
    # Before click 8.4 it takes no argument.
    _ParamType = click.ParamType


class _Counted(_ParamType):
    """What one letter stands for in the help, and what is refused in our own words."""

    letter: ClassVar[str]
    refusal: ClassVar[str]
    number: ClassVar[type[int] | type[float]]

    @override
    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - as click calls it
        """Return what stands for it in the help."""
        return self.letter

    @override
    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click calls it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - a whole number or any
        """Return the number, within the ends that it has."""
        try:
            number = self.number(value)
        except ValueError:
            self.fail(_(self.refusal).format(value=value), param, ctx)
        return self.number(super().convert(number, param, ctx))


class Whole(_Counted, click.IntRange):
    """A whole number."""

    letter, refusal, number = "N", N_("‘{value}’ is no whole number."), int


class Number(_Counted, click.FloatRange):
    """A number."""

    letter, refusal, number = "X", N_("‘{value}’ is no number."), float

    @override
    def _describe_range(self) -> str:
        # Without ends it has none to name.
        return "" if self.min is self.max is None else super()._describe_range()


FILE = _File(readable=False, allow_dash=True)
FILE_NAME = _File(readable=False)
FILE_PATH = _File(readable=False, path_type=Path)
FILE_OR_INPUT = _File(readable=False, path_type=Path, allow_dash=True)
PROJECT = click.argument("project", type=FILE_PATH)
"""The project file, checked by whoever opens it, in our own words."""


Offer = Callable[[click.Context, click.Parameter | None, str], list[CompletionItem]]


def offer_files(
    _context: click.Context, _param: click.Parameter | None, word: str
) -> list[CompletionItem]:
    """Let a shell complete a word as the name of a file."""
    return [CompletionItem(word, type="file")]


def offer(names: Iterable[str], *, or_files: bool = False) -> Offer:
    """Return what lets a shell complete a word as one of some names.

    Args:
        names: in their order.
        or_files: whether it may be the name of a file where none of them begins so.
    """
    known = tuple(names)

    def complete(
        context: click.Context, param: click.Parameter | None, word: str
    ) -> list[CompletionItem]:
        found = [CompletionItem(name) for name in known if name.startswith(word)]
        return found or (offer_files(context, param, word) if or_files else [])

    return complete


def assessor_option(what: str, **how: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - handed on to click
    """Return ``--assessor``, which takes any name but a blank one.

    Args:
        what: what the name is for.
        how: as click's.
    """
    return click.option("--assessor", metavar="NAME", help=what, callback=_check_name, **how)


def _check_name(context: click.Context, param: click.Parameter, name: str | None) -> str | None:
    is_said = context.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
    if is_said and not (name or "").strip():
        raise UsageError(_("--assessor needs a name: it is empty."))
    return name


Function = TypeVar("Function", bound=Callable[..., Any])


class Option(Protocol):
    """A decorator that adds an option to a command's function."""

    def __call__(self, function: Function, /) -> Function:
        """Return the function with the option."""


def stacked(options: Sequence[Option]) -> Option:
    """Return what adds several options to a command, in their order."""

    def add(function: Function, /) -> Function:
        return reduce(lambda found, option: option(found), reversed(options), function)

    return add


FurtherValue = Callable[[str], bool]


def command(name: str, **how: Any) -> Callable[[Callable[..., Any]], click.Command]:  # noqa: ANN401 - handed on
    """Return a decorator that makes a function one of judgetool's commands.

    Args:
        name: as it is called.
        how: as of :class:`JudgetoolCommand`.
    """
    return click.command(name, cls=JudgetoolCommand, **how)


def check_stdin(names: Sequence[str]) -> None:
    """Refuse to read standard input twice.

    Raises:
        UsageError: more than one file is ``-``.
    """
    if names.count("-") > 1:
        raise UsageError(_("Standard input (-) can be read only once."))


def tell_all(sentences: Iterable[str]) -> None:
    """Print sentences on standard error."""
    for sentence in sentences:
        click.echo(sentence, err=True)


def help_paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a help text, each on a line: what is translated."""
    return [" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip()]


def _paragraphs(text: str | None) -> str:
    return "\n\n".join(map(_, help_paragraphs(text)))


def _in_language(command: "ExamplesMixin", ctx: click.Context) -> "ExamplesMixin":
    """Return a command, to be shown, whose help and options' help are translated."""
    shown = copy(command)
    shown.help = _paragraphs(command.help)
    shown.params = [*map(copy, command.get_params(ctx))]
    shown.options_metavar = _("[OPTIONS]")
    if isinstance(shown, click.Group):
        shown.subcommand_metavar = _(shown.subcommand_metavar)
    # The option --help is among them already.
    shown.add_help_option = False
    for param in shown.params:
        if isinstance(param, click.Option) and param.help:
            param.help = _(param.help)
    return shown


DEBUG = "--debug"
_DEBUG_OPTION = click.Option(
    [DEBUG],
    is_flag=True,
    expose_value=False,
    help=N_("Show the traceback of whatever goes wrong (it may stand anywhere)."),
)
_WHOLE_SENTENCE = 1000
# No character of any text: stands for a hyphen while lines are broken.
_KEPT = "\ue000"
_OF_CLICK = (
    *(N_("Usage:"), N_("default: {default}"), N_("required"), N_("Options"), N_("Commands")),
    *(N_("Show this message and exit."), N_("Show the version and exit.")),
    *(N_("Missing argument"), N_("Missing option"), N_("Missing command.")),
    N_("No such option {name!r}."),
    *(N_("Option {name!r} does not take a value."), N_("Choose from:\n\t{choices}")),
    N_("{value} is not in the range {range}."),
    *(N_("[OPTIONS]"), N_("COMMAND [ARGS]..."), N_("[COMMAND] [ARGS]...")),
    NN_("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    NN_("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    NN_("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    NN_("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    NN_(
        "{len_type} values are required, but {len_value} was given.",
        "{len_type} values are required, but {len_value} were given.",
    ),
)
"""What click says by itself; in another of its versions some of it may be other words, in English."""


def teach_click() -> None:
    """Have click say what it says in the language that is used."""
    for name in ("core", "exceptions", "formatting", "parser", "types"):
        vars(sys.modules[f"click.{name}"]).update(_=_, ngettext=ngettext)


class _Formatter(click.HelpFormatter):
    """Breaks no line at a hyphen: who copies ``judgments-csv`` needs it whole."""

    @override
    def write_text(self, text: str) -> None:
        """Write a text, wrapped."""
        super().write_text(text.replace("-", _KEPT))

    @override
    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write terms and what is said of each, wrapped, in two columns."""
        kept = [(term, said.replace("-", _KEPT)) for term, said in rows]
        super().write_dl(kept, col_max, col_spacing)

    @override
    def getvalue(self) -> str:
        """Return what was written."""
        return super().getvalue().replace(_KEPT, "-")


class _Context(click.Context):
    formatter_class = _Formatter


def _refuse_twice(command: click.Command, ctx: click.Context, args: Sequence[str]) -> None:
    """Raise a usage error where an option of one value has several: click takes the last of them.

    One of a list may be chosen anew, behind a command that was copied: ``--format``.
    """
    given = command.make_parser(ctx).parse_args(list(args))[2]
    for param in given:
        is_one = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
        if is_one and not isinstance(param.type, click.Choice) and given.count(param) > 1:
            ctx.fail(
                _("‘{option}’ is given more than once; it takes one value.").format(
                    option=param.opts[0]
                )
            )


class ExamplesMixin(click.Command):
    """Adds a section with examples to the help."""

    context_class = _Context

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.context_settings.setdefault("max_content_width", 100)

    @override
    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, in the language that is used."""
        shown = self if spoken().code == "en" else _in_language(self, ctx)
        super(ExamplesMixin, shown).format_help(ctx, formatter)

    @override
    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - as click calls it
        """Return the first sentence of the help, for lists of commands; they wrap it."""
        shown = copy(self)
        shown.help = _paragraphs(self.help)
        return super(ExamplesMixin, shown).get_short_help_str(_WHOLE_SENTENCE)

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of a call; what is wrong with them names the command that was called."""
        try:
            _refuse_twice(self, ctx, args)
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            problem.ctx = problem.ctx or ctx
            raise

    @override
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as click calls it
        """Write the examples as they are, unwrapped."""
        if self.examples:
            with formatter.section(_("Examples")):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class DebugGroup(ExamplesMixin, click.Group):
    """A group whose help names ``--debug``, which may stand anywhere."""

    command_class = ExamplesMixin

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; of one that there is not, name the nearest."""
        word, names = args[0], self.list_commands(ctx)
        # A shell that completes what follows is told nothing.
        if word not in names and not word.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches  # noqa: PLC0415 - for what is misspelt alone

            near = get_close_matches(word, names, n=1)
            said = [_("There is no command ‘{word}’.").format(word=word)]
            said += [_("Did you mean ‘{word}’?").format(word=each) for each in near]
            ctx.fail(" ".join(said))
        return super().resolve_command(ctx, args)

    @override
    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, ``--debug`` last, which is taken out of a call before it is parsed."""
        found = super().get_params(ctx)
        is_there = any(param.name == _DEBUG_OPTION.name for param in found)
        return found if is_there else [*found, _DEBUG_OPTION]


class JudgetoolCommand(ExamplesMixin):
    """A command whose repeatable options take several values at once.

    ``--run a --run b`` and ``--run a b`` are the same. A further value is taken as
    one only once the command has its arguments, so ``--run a PROJECT`` works too.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - handed on to click
        n_arguments: Callable[[Sequence[str]], int] = lambda _words: 1,
        is_further: FurtherValue = lambda _word: True,
        **kwargs: Any,  # noqa: ANN401 - handed on to click
    ) -> None:
        """Make the command.

        Args:
            args: as click's.
            n_arguments: how many arguments come before any further value.
            is_further: whether a word may be a further value of an option.
            kwargs: as click's, and ``examples``.
        """
        super().__init__(*args, **kwargs)
        self._n_arguments = n_arguments
        self._is_further = is_further

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Spell every value out with its option, then let click parse."""
        return super().parse_args(ctx, self._spelt_out(args))

    def _spelt_out(self, words: Sequence[str]) -> list[str]:
        # By its long name: looking for a short one among these, click loads what finds misspelt ones.
        options = {
            name: (max(param.opts, key=len), not (param.is_flag or param.count), param.multiple)
            for param in self.params
            if isinstance(param, click.Option)
            for name in param.opts
        }
        wanted = self._n_arguments(words)
        spelt: list[str] = []
        n_found = 0
        open_option = ""
        rest = iter(words)
        for word in rest:
            if word == "--":
                return [*spelt, word, *rest]
            if word.startswith("-") and word != "-":
                name, takes_value, is_multiple = options.get(word, (word, False, False))
                open_option = name if takes_value and is_multiple else ""
                # Without a value it is left as it is: click says what is missing.
                spelt += [name, *islice(rest, int(takes_value))]
            elif open_option and n_found >= wanted and self._is_further(word):
                spelt.extend((open_option, word))
            else:
                n_found += 1
                spelt.append(word)
        return spelt


Given = ParamSpec("Given")
# What would break a line or a column, move the cursor (C0, DEL, C1, line separators), or turn text around.
_CONTROLS = "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
# What takes no room; not what joins letters or tells their direction, which texts of some languages need.
_WITHOUT_ROOM = "[\xad\u034f\u180e\u200b\u2060-\u2064\ufeff]"


def tsv_cell(text: str) -> str:
    r"""Return a text as one cell: as it is, or quoted as in JSON where that would break the table.

    A text that looks quoted already, or has blanks at an end or signs that nobody sees, is quoted, so
    that no two texts print alike.

    Examples:
        >>> print(tsv_cell("r001"), tsv_cell("a\tb"), tsv_cell('"x"'), tsv_cell("é "))
        r001 "a\tb" "\"x\"" "é "
        >>> print(tsv_cell("é\N{NO-BREAK SPACE}"))
        "é\u00a0"
    """
    if re.search(_CONTROLS, text):
        return json.dumps(text)
    is_quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    if not (is_quoted or text != text.strip() or re.search(_WITHOUT_ROOM, text)):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in quoted)


def tsv_line(cells: Iterable[str]) -> str:
    """Return a line of a table without its end."""
    return "\t".join(map(tsv_cell, cells))


NOTHING = "-"
"""Stands where a table has no value."""


def figure(value: float | None, digits: int) -> str:
    """Return a figure as text, whole numbers as they are."""
    if value is None:
        return NOTHING
    # Adding 0.0 after rounding leaves no "-0.0000".
    return str(value) if isinstance(value, int) else f"{round(value, digits) + 0.0:.{digits}f}"


def separated(
    cells_of: Callable[Given, Iterator[list[str]]], *, n_texts: int
) -> dict[str, Callable[Given, Iterator[str]]]:
    """Return what writes a table as ``tsv``, and as ``csv``.

    Ids stay as they are, also those that a spreadsheet would run: what is printed goes to programs,
    which join it with other files by them. ``--help`` says so.

    Args:
        cells_of: gives the lines' cells.
        n_texts: how many of them are names and ids; the rest are figures. In CSV one that there
            is none of is an empty cell, as spreadsheets and the window's tables have it.
    """

    def tsv(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
        return map(tsv_line, cells_of(*given, **named))

    def csv(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
        for cells in cells_of(*given, **named):
            figures = ["" if figure == NOTHING else figure for figure in cells[n_texts:]]
            yield csv_line([*cells[:n_texts], *figures], end="")

    return {"tsv": tsv, "csv": csv}


def json_text(values: object) -> str:
    """Return values as indented JSON, ids readable; NaN is a fault, as JSON has none."""
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; numbers stand at the right."""
    cells = (map(markdown_cell, row) for row in rows)
    yield from output.markdown_table(header, cells).splitlines()


def markdown_cell(text: str) -> str:
    """Return a text as it stands in a cell of a Markdown table."""
    return output.markdown(tsv_cell(text))


def latex_rows(
    header: Sequence[str], rows: Sequence[Sequence[str]], sentences: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the lines of a table for the LaTeX package booktabs, sentences in its caption."""
    cells = (map(output.latex, map(tsv_cell, row)) for row in rows)
    yield from output.latex_table(header, cells, sentences).splitlines()


def for_pages(
    cells_of: Callable[Given, Iterator[list[str]]],
) -> dict[str, Callable[Given, Iterator[str]]]:
    """Return what writes a table as ``markdown`` and as ``latex``; the first of its lines is its head."""

    def written(
        write: Callable[[list[str], list[list[str]]], Iterator[str]],
    ) -> Callable[Given, Iterator[str]]:
        def lines(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
            header, *rows = cells_of(*given, **named)
            return write(header, rows)

        return lines

    return {"markdown": written(markdown_table), "latex": written(latex_rows)}


def table_text(header: Sequence[str], rows: Iterable[Sequence[object]], layout: str = "tsv") -> str:
    """Return a table: with a header and a line for each row, or as ``json`` an object for each."""
    if layout == "json":
        return json_text([dict(zip(header, row, strict=True)) for row in rows])
    return "\n".join(["\t".join(header), *(tsv_line(map(_shown, row)) for row in rows)])


_MOST_IN_FULL = 1e16
"""From here on a float has fewer digits that count than stand before its point."""


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={_shown(each)}" for name, each in value.items())
    if isinstance(value, list):
        # A name may have a comma in it.
        return ", ".join(f"‘{each}’" if "," in str(each) else str(each) for each in value)
    if isinstance(value, float) and abs(value) < _MOST_IN_FULL:
        return format_grade(value)
    return "" if value is None else str(value)


def print_tsv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a header and rows, one line each."""
    click.echo(table_text(header, rows))


def target_of(out: str) -> TextIO | Path:
    """Return where is written to: ``-`` is standard output."""
    return sys.stdout if out == "-" else Path(out)


def tell_result(text: str) -> None:
    """Print what came of a command that changes something.

    Raises:
        OSError: standard output cannot be written. The text is among its notes, for whoever reads
            what went wrong: the work itself is done by now.
    """
    try:
        click.echo(text)
    except OSError as problem:
        problem.add_note(text)
        raise


Report = Callable[[int, int], None]


@contextlib.contextmanager
def shown_progress(title: str) -> Iterator[Report | None]:
    """Show a bar on standard error while the block runs, if that is a terminal.

    Args:
        title: what is being done, such as ``Reading bm25.run``.

    Yields:
        What to call with how much of how much is done; ``None`` without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label=title, file=sys.stderr) as bar:

        def report(done: int, total: int) -> None:
            bar.length = max(1, total)
            bar.update(done - bar.pos)

        yield report
    # What follows takes the bar's place.
    click.echo("\x1b[1A\x1b[2K", nl=False, err=True)
