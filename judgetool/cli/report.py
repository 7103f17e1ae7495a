"""``judgetool report``: runs compared, as one page: HTML or PDF.

A PDF is set by Qt, which is loaded for it alone, and needs no screen.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import FILE_PATH, PROJECT, command
from judgetool.cli.open import OFFSCREEN, PLATFORM_VARIABLE, check_screen, qt_lack
from judgetool.cli.options import APART, DRAWS, NO_SYSTEM, SEED, check_apart, given, no_such
from judgetool.cli.score_project import find_frozen
from judgetool.cli.scoring import (
    LOOKING,
    ScoringWishes,
    chosen_scale,
    look_of,
    said_words,
)
from judgetool.cli.tables import shown_progress
from judgetool.errors import UsageError
from judgetool.formats import write_atomically
from judgetool.metrics import Measure, parse_measures
from judgetool.session.background import Progress
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.exports.exporting import check_place
from judgetool.session.exports.reporting import ReportChoices, report_work, write_report
from judgetool.session.looking import open_look
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import _


@command(
    "report",
    n_arguments=lambda _words: 2,
    examples=(
        "judgetool report recipes.judge report.html",
        "judgetool report recipes.judge report.html --against title-bm25 -m nDCG@10 AP",
        "judgetool report recipes.judge report.pdf --run title-bm25 chargrams",
        "judgetool report recipes.judge march.html --snapshot march",
        "judgetool report recipes.judge soups.html --where category:soups",
    ),
)
@PROJECT
@click.argument("out", type=FILE_PATH, metavar="OUT.html|OUT.pdf")
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
    help="Some of the project's measures.  [default: all of them]",
)
@click.option(
    "--drawn",
    metavar="MEASURE",
    help="The measure whose differences and curve are drawn.  [default: the first]",
)
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Only these runs and what-ifs.")
@click.option(
    "--snapshot", metavar="NAME", help="Report on a snapshot: its rankings and its judgments."
)
@APART
@DRAWS
@SEED
@LOOKING
@click.option(
    "--anonymous",
    is_flag=True,
    help="Without title and file of the project, the time, and the name of whose judgments alone count.",
)
def report_command(  # noqa: PLR0913 - one value for each option
    project: Path,
    out: Path,
    *,
    against: str | None,
    measures: tuple[str, ...],
    drawn: str | None,
    runs: tuple[str, ...],
    snapshot: str | None,
    apart: tuple[str, ...],
    n_draws: int | None,
    seed: int | None,
    anonymous: bool,
    **wished: Any,  # noqa: ANN401 - further fields of ScoringWishes
) -> None:
    """Write a report on PROJECT: OUT.html needs no other file, OUT.pdf is the same on A4 pages.

    It holds a table of runs and what-ifs with means, intervals and significance, the
    queries that changed most, curves, the conventions, and how it was made. The page can
    be printed, and follows light and dark; a PDF has its fonts in it.
    """
    is_pdf = out.suffix.lower() == ".pdf"
    if is_pdf:
        check_screen(is_offscreen=True)
    asked = ScoringWishes(project=project, **wished)
    # The report says itself of which queries it is.
    wishes = asked._replace(where="")
    with open_look(project, look_of(wishes, chosen_scale(wishes))) as session:
        frozen = None if snapshot is None else find_frozen(session, snapshot)
        known = list(frozen.systems) if frozen else present_systems(session)
        chosen = tuple(dict.fromkeys(each for name in measures for each in parse_measures(name)))
        chosen = wishes.tool.rewrite_all(chosen) if wishes.tool else chosen
        baseline = None if against is None else _find(session, known, against)
        systems = tuple(_find(session, known, name) for name in dict.fromkeys(runs)) or tuple(known)
        alone = set(check_apart(apart, [each.name for each in systems]))
        # As in the window: what nobody chose is in the table, and changes no p of others.
        unasked = [each for each in systems if not runs and each.kind == "what-if"]
        choices = ReportChoices(
            systems,
            baseline,
            chosen,
            _one_measure(drawn),
            replace(comparison_rules(session), **given(n_draws=n_draws, seed=seed)),
            snapshot=frozen.id if frozen else "",
            apart=tuple(each for each in systems if each.name in alone or each in unasked),
            anonymous=anonymous,
            again=tuple(said_words(wishes)),
            where=asked.where,
        )
        with shown_progress(_("Comparing")) as progress:
            write = _write_pdf if is_pdf else write_report
            write(session, out, choices, progress=progress)


def _write_pdf(
    session: Session, path: Path, choices: ReportChoices, *, progress: Progress | None
) -> None:
    """Write a report as PDF; errors as of :func:`write_report`, and without Qt.

    Raises:
        EnvironmentLackError: Qt, or a library that it needs, is not there.
    """
    check_place(path, session)
    os.environ[PLATFORM_VARIABLE] = OFFSCREEN
    try:
        from judgetool.gui.report_pdf import pdf_of_report  # noqa: PLC0415 - no page needs Qt
    except ImportError as error:
        raise qt_lack(error) from error
    report = report_work(session, choices)(progress, None)
    write_atomically(path, [pdf_of_report(report)])


def _one_measure(name: str | None) -> Measure | None:
    found = parse_measures(name) if name is not None else ()
    if len(found) > 1:
        raise UsageError(
            _("--drawn {name}: expected one measure, found {found}.").format(
                name=name, found=len(found)
            )
        )
    return next(iter(found), None)


def _find(session: Session, known: list[System], name: str) -> System:
    found = next((each for each in reversed(known) if each.name == name), None)
    if found is None:
        names = [each.name for each in known]
        raise no_such(NO_SYSTEM, name, session.path.name, names)
    return found
