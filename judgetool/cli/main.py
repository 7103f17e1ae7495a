"""``judgetool``: finds the command, runs it, and turns what happened into an exit code.

A command's module is imported only when it is called, so that ``--help`` and
``score`` do not pay for the others.
"""

import importlib
import os
import re
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from judgetool import __version__
from judgetool.cli.command import DEBUG, DebugGroup, offer_files, teach_click
from judgetool.core import override
from judgetool.core.catalogues import ENGLISH, choose_language
from judgetool.core.policy import policy
from judgetool.errors import JudgetoolError, shown_name, take_notices, tell, why_refused
from judgetool.wording import N_, _, in_english, spoken

EXIT_FINE = 0
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_BUG = 3
COMPLETE = "_JUDGETOOL_COMPLETE"
PROJECT_SUFFIX = ".judge"
EXIT_INTERRUPTED = 130
"""Stopped by Ctrl+C, as shells count it."""
_LONG_QUOTE = "(?<=[‘‚«])[^‘’‚«»]{600,}(?=[’‘»])"
"""What stands between quotes, in any language, and is longer than commands with their paths are."""
# What Python makes of bytes in the arguments that are no UTF-8.
_HALVES = "[\ud800-\udfff]"

COMMANDS: dict[str, tuple[str, str]] = {
    "open": ("open", N_("Open a project in a window.")),
    "demo": ("open", N_("Open the bundled sample in a window.")),
    "new": ("project", N_("Make an empty project.")),
    "import": ("importing", N_("Bring queries, documents, runs and judgments into a project.")),
    "merge": ("team", N_("Bring what other copies of a project hold into it.")),
    "export": ("export", N_("Write judgments and runs to files.")),
    "judge": ("judge", N_("Judge from standard input, for scripts.")),
    "runs": ("whatifs", N_("Print the runs of a project, rename one or take one out.")),
    "rules": ("whatifs", N_("Print a what-if’s rules, read them from a file, say what they do.")),
    "show": ("project", N_("Print what a project holds as a table.")),
    "score": ("scoring", N_("Compute measures from files or a project.")),
    "compare": ("compare", N_("Compare runs with a baseline, and say whether it may be chance.")),
    "simulate": ("simulate", N_("Say what it would have cost to find out which run is better.")),
    "ask": ("team", N_("Share out what is to be judged among several assessors.")),
    "hub": ("hub", N_("Keep a team’s files in step through a PostgreSQL database.")),
    "agreement": ("agreement", N_("Say how alike several assessors grade the same documents.")),
    "ask-model": ("team", N_("Have a program of yours give a model’s grades.")),
    "report": ("export", N_("Write the comparison of runs as a page (HTML or PDF) to hand on.")),
    "effort": ("judge", N_("Say how long judging took, by assessor, query or judgment.")),
    "explain": ("explain", N_("Print the arithmetic of one value, rank by rank.")),
    "measures": ("explain", N_("List the measures with their definitions.")),
    "project": ("project", N_("Say who counts in a project, or choose it.")),
    "check": ("project", N_("Say whether a project file is sound, and what is in it.")),
    "backups": ("project", N_("List the automatic backups of a project, or give one back.")),
    "recover": ("project", N_("Rebuild a lost project from its backup and the safety log.")),
}

_EXAMPLES = (
    "judgetool demo",
    "judgetool score qrels.txt bm25.run dense.run -m nDCG@10 -m AP",
    "judgetool import recipes.judge --queries queries.jsonl --run bm25.run",
)


class _CommandTable(DebugGroup):
    """The commands, each imported from its module when it is asked for."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click calls it
        """Return the commands in the order of the help."""
        return list(COMMANDS)

    @override
    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return what a word may become: a command, or else a project file that is to be opened."""
        return super().shell_complete(ctx, incomplete) or offer_files(ctx, None, incomplete)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as click calls it
        """Return a command, importing its module; ``None`` if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"judgetool.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    @override
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; a project file alone is to be opened."""
        word = args[0]
        if word not in COMMANDS and word.endswith(PROJECT_SUFFIX):
            args = ["open", *args]
        return super().resolve_command(ctx, args)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(COMMANDS[name][1])) for name in self.list_commands(ctx)])


@click.command(
    "judgetool",
    cls=_CommandTable,
    examples=_EXAMPLES,
    invoke_without_command=True,
    no_args_is_help=False,
)
@click.version_option(__version__, "--version", message="judgetool %(version)s")
@click.pass_context
def program(context: click.Context) -> object:
    """Judge search results and see at once what each judgment does to the numbers.

    Without a command, judgetool opens its window.

    Exit codes: 0 fine, 1 what was given does not fit, 2 wrong usage, 3 a fault of
    judgetool. `--debug` shows where in the program something happened.
    """
    if context.invoked_subcommand is not None:
        return None
    command = program.get_command(context, "open")
    assert command is not None
    return command.invoke(command.make_context("open", [], parent=context))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0, 1, 2 or 3.

    Args:
        arguments: without the program's name. ``--debug`` may stand anywhere.
    """
    _fill_closed_streams()
    _use_utf8()
    take_notices()
    choose_language(_kept_language())
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete  # noqa: PLC0415 - for shells alone

        return shell_complete(program, {}, "judgetool", COMPLETE, os.environ[COMPLETE])
    is_debug = DEBUG in arguments
    if spoken().code != ENGLISH:
        teach_click()
    tell(policy().notice)
    try:
        code = _run_quietly([word for word in arguments if word != DEBUG])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough, as ``head`` has.
        _discard_output()
        return EXIT_FINE
    except Exception as error:  # noqa: BLE001 - the last place where anything can be told
        code = _report(error, arguments, is_debug=is_debug)
        try:
            sys.stdout.flush()
        except OSError:
            _discard_output()
        return code
    finally:
        for sentence in take_notices():
            _tell(sentence)
    return code


def _kept_language() -> str:
    """Return the language of the person's preferences, of which no more is read; ``""`` for none.

    Who says ``LC_ALL=C`` asks for what scripts rely on, whatever the person prefers.
    """
    if os.environ.get("LC_ALL", "").partition(".")[0] in ("C", "POSIX"):
        return ""
    import json  # noqa: PLC0415 - scores are read with it, too

    from judgetool.core.system import SETTINGS, config_folder  # noqa: PLC0415 - completion needs none

    try:
        values = json.loads((config_folder() / SETTINGS).read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    kept = values.get("language") if isinstance(values, dict) else None
    return kept if isinstance(kept, str) and kept != "system" else ""


def _run_quietly(arguments: list[str]) -> int:
    # Not click's own main(): it would answer a closed pipe by itself, and with 1.
    try:
        with program.make_context("judgetool", arguments) as context:
            answer = program.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    return answer if isinstance(answer, int) else EXIT_FINE


def _report(error: Exception, arguments: Sequence[str], *, is_debug: bool) -> int:
    """Say in a sentence what happened and return the exit code for it."""
    if isinstance(error, OverflowError):
        error = _find_clock_problem() or error
    if is_debug:
        import traceback  # noqa: PLC0415 - few ask for it

        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _tell(error.format_message())
        return EXIT_USAGE
    if isinstance(error, click.UsageError):
        _tell(_usage_sentence(error))
        return EXIT_USAGE
    if isinstance(error, JudgetoolError):
        _tell(str(error))
        return error.exit_code
    odd = next((each for each in arguments if re.search(_HALVES, each)), None)
    if isinstance(error, UnicodeEncodeError) and odd is not None:
        _tell(_explain_bytes(odd))
        return EXIT_INPUT
    if isinstance(error, OSError) and error.filename is None:
        said = _("The output cannot be written: {problem}.").format(problem=why_refused(error))
        notes = getattr(error, "__notes__", [])
        _tell("\n".join([f"{said} {_('What it was to say:')}", *notes] if notes else [said]))
        _discard_output()
        return EXIT_INPUT
    _tell(
        _(
            "This is a fault of judgetool, not of your files ({kind}: {error}). What was "
            "saved before stays saved."
        ).format(kind=type(error).__name__, error=error)
        + (
            ""
            if is_debug
            else " " + _("Run the same command with --debug and report what it prints.")
        )
    )
    return EXIT_BUG


def _explain_bytes(odd: str) -> str:
    """Return what is wrong with an argument that is not all UTF-8, and what to do."""
    shown = os.fsencode(odd).decode("utf-8", errors="backslashreplace")
    said = _(
        "What was given is not all UTF-8 text, as names and texts in a project are: ‘{shown}’."
    ).format(shown=shown_name(shown))
    if not os.path.lexists(odd):
        return said
    advice = _(
        "Rename the file, or give it as standard input: ‘-’ in place of its name, and < FILE."
    )
    return f"{said} {advice}"


def _find_clock_problem() -> JudgetoolError | None:
    """Return what is wrong with the computer's clock: parts of Python's own fail where it is."""
    from judgetool.core.clock import utc_ns  # noqa: PLC0415 - for a clock that is wrong alone

    try:
        utc_ns()
    except JudgetoolError as problem:
        return problem
    return None


def _usage_sentence(error: click.UsageError) -> str:
    """Return what click found, in our words, and where to read on."""
    message = error.format_message()
    if type(error) is click.BadParameter:
        with in_english():
            message = error.format_message()
        message = message.removeprefix("Invalid value for ").removeprefix("Invalid value: ")
    path = error.ctx.command_path if error.ctx else "judgetool"
    end = "" if message.endswith("?") else "."
    how = _("‘{path} --help’ shows how it is called.").format(path=path)
    return f"{message.rstrip('.')}{end}\n{how}"


def _tell(sentence: str) -> None:
    said = re.sub(_LONG_QUOTE, lambda found: f"{found[0][:40]}…{found[0][-40:]}", sentence)
    lines = map(shown_name, said.split("\n"))
    print(*lines, sep="\n", file=sys.stderr)


def _fill_closed_streams() -> None:
    """Let nothing be read from, and nothing come of, what the caller has closed, as services do.

    Where standard error is left, writing to standard output fails as it would for other programs.
    """
    if sys.stdout is None and sys.stderr is not None:
        unwritable = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = os.fdopen(unwritable, "w", encoding="utf-8")
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - open until the end
            setattr(sys, name, nothing)


def _use_utf8() -> None:
    """Write UTF-8 whatever the locale: ids are kept byte for byte."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")


def _discard_output() -> None:
    """Keep Python from complaining about the closed pipe when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
