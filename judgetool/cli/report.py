"""``judgetool report``: runs compared, with intervals and significance, as one HTML page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import FILE_PATH, PROJECT, JudgetoolCommand
from judgetool.cli.options import APART, DRAWS, SEED, check_apart
from judgetool.cli.progress import shown_progress
from judgetool.errors import InputError
from judgetool.metrics import parse_measures
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.snapshots import Snapshot, find_snapshot_named, load_snapshots
from judgetool.session.comparing.system_values import present_systems
from judgetool.session.exports.reporting import ReportChoices, write_report
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.systems import System


@click.command(
    "report",
    cls=JudgetoolCommand,
    n_arguments=lambda _words: 2,
    examples=(
        "judgetool report recipes.judge report.html",
        "judgetool report recipes.judge report.html --against title-bm25 -m nDCG@10 AP",
        "judgetool report recipes.judge march.html --snapshot march",
    ),
)
@PROJECT
@click.argument("out", type=FILE_PATH, metavar="OUT.html")
@click.option(
    "--against",
    metavar="NAME",
    help="Run or what-if that the others are compared with.  [default: the first]",
)
@click.option(
    "-m",
    "--measures",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="Some of the project's measures; the first one is drawn.  [default: all of them]",
)
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Only these runs and what-ifs.")
@click.option(
    "--snapshot", metavar="NAME", help="Report on a snapshot: its rankings and its judgments."
)
@APART
@DRAWS
@SEED
def command(  # noqa: PLR0913 - one value for each option
    project: Path,
    out: Path,
    *,
    against: str | None,
    measures: tuple[str, ...],
    runs: tuple[str, ...],
    snapshot: str | None,
    apart: tuple[str, ...],
    n_draws: int | None,
    seed: int | None,
) -> None:
    """Write a report on PROJECT to OUT.html, a page that needs no other file.

    It holds a table of runs and what-ifs with means, intervals and significance, the
    queries that changed most, curves, the conventions, and how it was made. It can be
    printed, and follows light and dark.
    """
    with open_project(project, read_only=True) as session:
        frozen = None if snapshot is None else _find_snapshot(session, snapshot)
        known = list(frozen.systems) if frozen else present_systems(session)
        chosen = tuple(dict.fromkeys(each for name in measures for each in parse_measures(name)))
        baseline = None if against is None else _find(session, known, against)
        systems = tuple(_find(session, known, name) for name in dict.fromkeys(runs)) or tuple(known)
        alone = set(check_apart(apart, [each.name for each in systems]))
        # As in the window: what nobody chose is in the table, and changes no p of others.
        unasked = [each for each in systems if not runs and each.kind == "what-if"]
        asked: dict[str, int | None] = {"n_draws": n_draws, "seed": seed}
        given: dict[str, Any] = {name: each for name, each in asked.items() if each is not None}
        choices = ReportChoices(
            systems,
            baseline,
            chosen,
            replace(comparison_rules(session), **given),
            snapshot=frozen.id if frozen else "",
            apart=tuple(each for each in systems if each.name in alone or each in unasked),
        )
        with shown_progress("Comparing") as progress:
            write_report(session, out, choices, progress=progress)


def _find_snapshot(session: Session, name: str) -> Snapshot:
    found = find_snapshot_named(session, name)
    if found is None:
        names = ", ".join(each.name for each in load_snapshots(session)) or "none"
        raise InputError(f"There is no snapshot {name!r} in {session.path.name}. It has: {names}.")
    return found


def _find(session: Session, known: list[System], name: str) -> System:
    found = next((each for each in reversed(known) if each.name == name), None)
    if found is None:
        names = ", ".join(dict.fromkeys(each.name for each in known)) or "none"
        raise InputError(
            f"There is no run or what-if {name!r} in {session.path.name}. It has: {names}."
        )
    return found
