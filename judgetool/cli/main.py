"""``judgetool``: finds the command, runs it, and turns what happened into an exit code.

A command's module is imported only when it is called, so that ``--help`` and
``score`` do not pay for the others.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

from judgetool import __version__
from judgetool.cli.command import DebugGroup
from judgetool.core.notices import take_notices
from judgetool.core.override import override
from judgetool.errors import JudgetoolError, shown_name

EXIT_FINE = 0
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_BUG = 3
COMPLETE = "_JUDGETOOL_COMPLETE"
PROJECT_SUFFIX = ".judge"
EXIT_INTERRUPTED = 130
"""Stopped by Ctrl+C, as shells count it."""

COMMANDS: dict[str, tuple[str, str]] = {
    "open": ("open", "Open a project in a window."),
    "demo": ("open", "Open the bundled sample in a window."),
    "new": ("project", "Make an empty project."),
    "import": ("importing", "Bring queries, documents, runs and judgments into a project."),
    "merge": ("merging", "Bring what other copies of a project hold into it."),
    "export": ("export", "Write judgments and runs to files."),
    "judge": ("judge", "Judge from standard input, for scripts."),
    "runs": ("whatifs", "Print the runs of a project, rename one or take one out."),
    "rules": ("whatifs", "Print a what-if's rules, read them from a file, say what they do."),
    "show": ("project", "Print what a project holds as a table."),
    "score": ("scoring", "Compute measures from files or a project."),
    "compare": ("compare", "Compare runs with a baseline, and say whether it may be chance."),
    "simulate": ("simulate", "Say what it would have cost to find out which run is better."),
    "ask": ("ask", "Share out what is to be judged among several assessors."),
    "hub": ("hub", "Keep a team's files in step through a PostgreSQL database."),
    "agreement": ("agreement", "Say how alike several assessors grade the same documents."),
    "ask-model": ("ask_model", "Have a program of yours give a model's grades."),
    "report": ("report", "Write the comparison of runs as a page (HTML or PDF) to hand on."),
    "effort": ("judge", "Say how long judging took, by assessor, query or judgment."),
    "explain": ("explain", "Print the arithmetic of one value, rank by rank."),
    "measures": ("explain", "List the measures with their definitions."),
    "project": ("project", "Say who counts in a project, or choose it."),
    "check": ("project", "Say whether a project file is sound, and what is in it."),
    "backups": ("project", "List the automatic backups of a project, or give one back."),
    "recover": ("project", "Rebuild a lost project from its backup and the safety log."),
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
        elif word not in COMMANDS and not word.startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - for what is misspelt alone

            near = get_close_matches(word, COMMANDS, n=1)
            hint = f" Did you mean ‘{near[0]}’?" if near else ""
            ctx.fail(f"There is no command ‘{word}’.{hint}")
        return super().resolve_command(ctx, args)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


@click.command(
    "judgetool",
    cls=_CommandTable,
    examples=_EXAMPLES,
    invoke_without_command=True,
    no_args_is_help=False,
)
@click.version_option(__version__, "--version", message="judgetool %(version)s")
@click.pass_context
def program(context: click.Context) -> int | None:
    """Judge search results and see at once what each judgment does to the numbers.

    Without a command, judgetool opens its window.

    Exit codes: 0 fine, 1 what was given does not fit, 2 wrong usage, 3 a fault of
    judgetool. `--debug` shows where in the program something happened.
    """
    if context.invoked_subcommand is not None:
        return None
    command = program.get_command(context, "open")
    assert command is not None
    answer = command.invoke(command.make_context("open", [], parent=context))
    assert isinstance(answer, int)
    return answer


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0, 1, 2 or 3.

    Args:
        arguments: without the program's name. ``--debug`` may stand anywhere.
    """
    _use_utf8()
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete  # noqa: PLC0415 - for shells alone

        return shell_complete(program, {}, "judgetool", COMPLETE, os.environ[COMPLETE])
    is_debug = "--debug" in arguments
    take_notices()
    try:
        code = _run_quietly([word for word in arguments if word != "--debug"])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough, as ``head`` has.
        _discard_output()
        return EXIT_FINE
    except Exception as error:  # noqa: BLE001 - the last place where anything can be told
        return _report(error, is_debug=is_debug)
    finally:
        for sentence in take_notices():
            _tell(sentence)
    return code


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


def _report(error: Exception, *, is_debug: bool) -> int:
    """Say in a sentence what happened and return the exit code for it."""
    if is_debug:
        import traceback  # noqa: PLC0415 - few ask for it

        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, click.UsageError):
        _tell(_usage_sentence(error))
        return EXIT_USAGE
    if isinstance(error, JudgetoolError):
        _tell(str(error))
        return error.exit_code
    if isinstance(error, OSError) and error.filename is None:
        _tell(f"The output cannot be written: {error.strerror or error}.")
        _discard_output()
        return EXIT_INPUT
    _tell(
        f"This is a fault of judgetool, not of your files ({type(error).__name__}: {error}). "
        "What was saved before stays saved."
        + ("" if is_debug else " Run the same command with --debug and report what it prints.")
    )
    return EXIT_BUG


def _usage_sentence(error: click.UsageError) -> str:
    """Return what click found, in our words, and where to read on."""
    message = error.format_message()
    if isinstance(error, click.BadParameter):
        message = message.removeprefix("Invalid value for ").removeprefix("Invalid value: ")
    path = error.ctx.command_path if error.ctx else "judgetool"
    end = "" if message.endswith("?") else "."
    return f"{message.rstrip('.')}{end}\n‘{path} --help’ shows how it is called."


def _tell(sentence: str) -> None:
    lines = map(shown_name, sentence.split("\n"))
    print(*lines, sep="\n", file=sys.stderr)


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
