"""``judgetool score``: values of measures, from files alone or over a project."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from judgetool.cli.command import JudgetoolCommand
from judgetool.cli.options import RUNS, SCALE, VIEW, measures_option, project_option
from judgetool.cli.score_files import load_score_files
from judgetool.cli.score_formats import WRITERS, Layout, format_scores
from judgetool.cli.score_table import ScoreTable
from judgetool.core.scale import Scale, format_grade, scale_preset
from judgetool.errors import InputError, UsageError
from judgetool.metrics import (
    CONVENTION_PRESETS,
    DEFAULT_MEASURES,
    ConventionPreset,
    Conventions,
    Measure,
    convention_preset,
    parse_measures,
)
from judgetool.metrics.conventions import Unjudged
from judgetool.metrics.grading import Grading

UNJUDGED_CHOICES: dict[str, Unjudged] = {"non-relevant": "as non-relevant", "left-out": "left out"}
_UNDEFINED = {"zero": "zero", "leave-out": "leave out"}


def count_score_arguments(words: Sequence[str]) -> int:
    """Return how many files come before further values of an option: qrels and a run."""
    has_project = any(word.partition("=")[0] == "--project" for word in words)
    return 0 if has_project else 2


@click.command(
    "score",
    cls=JudgetoolCommand,
    n_arguments=count_score_arguments,
    is_further=lambda word: not Path(word).exists(),
    examples=(
        "judgetool score qrels.txt bm25.run",
        "judgetool score qrels.txt bm25.run dense.run -m nDCG@10 -m AP --format markdown",
        "judgetool score qrels.txt bm25.run -m 'P(rel=2)@5' 'nDCG(dcg=exp-log2)@10' -q",
        "judgetool score qrels.txt bm25.run --preset trec_eval -m official",
        "judgetool score --project recipes.judge --run title-bm25 --view majority",
    ),
)
@click.argument("files", nargs=-1, type=click.Path(), metavar="[QRELS RUN [RUN ...]]")
@measures_option("What to compute")
@click.option("-q", "per_query", is_flag=True, help="Print each query before the means.")
@SCALE
@click.option(
    "--queries",
    type=click.Choice(["judged", "both"]),
    help="Means over all judged queries (one that the run lacks counts as 0), or over those that "
    "are both judged and in the run.  [default: judged]",
)
@click.option(
    "--unjudged",
    type=click.Choice(list(UNJUDGED_CHOICES)),
    help="Documents that nobody judged.  [default: non-relevant]",
)
@click.option(
    "--undefined",
    type=click.Choice(list(_UNDEFINED)),
    help="Values of queries without a relevant document, in means.  [default: zero]",
)
@click.option("--weighted", is_flag=True, help="Weight means by the queries' importance.")
@click.option(
    "--preset",
    metavar="NAME",
    help=f"Conventions of a tool or campaign: {', '.join(CONVENTION_PRESETS)}.",
)
@click.option("--intervals", is_flag=True, help="Add least and greatest possible values.")
@click.option(
    "--format",
    "layout_name",
    type=click.Choice(list(WRITERS)),
    default="trec",
    show_default=True,
    help="trec is measure, query, value, separated by tabs, with the run first if there are several.",
)
@click.option(
    "--digits", type=click.IntRange(0, 17), help="Decimals; JSON has them all.  [default: 4]"
)
@click.option(
    "--explain-conventions", is_flag=True, help="Print the conventions, as lines that start with #."
)
@project_option("Score a project's runs.")
@RUNS
@VIEW
def command(  # noqa: PLR0913 - one value for each option
    files: tuple[str, ...],
    *,
    measures: tuple[str, ...],
    per_query: bool,
    scale: str | None,
    queries: str | None,
    unjudged: str | None,
    undefined: str | None,
    weighted: bool,
    preset: str | None,
    intervals: bool,
    layout_name: str,
    digits: int | None,
    explain_conventions: bool,
    project: Path | None,
    runs: tuple[str, ...],
    view: str,
) -> None:
    """Compute measures of runs, from QRELS and RUN files or over a project.

    Files are read strictly: a line that does not fit ends the command with exit code 1
    and names the line, because values from half a file would mislead. `-` is standard
    input. Runs are ordered by score, ties by document id, falling, as in trec_eval. What
    was noticed while reading goes to standard error.
    """
    check_sources(files, project, runs, needs="at least one RUN")
    chosen = convention_preset(preset) if preset else None
    conventions = _conventions(
        chosen.conventions if chosen else Conventions(),
        missing=queries,
        unjudged=UNJUDGED_CHOICES.get(unjudged or ""),
        undefined=_UNDEFINED.get(undefined or ""),
        is_weighted=weighted or None,
    )
    columns = _measures(measures, chosen)
    read_by = _scale(scale, chosen)
    if project is None:
        table = load_score_files(
            files, columns or DEFAULT_MEASURES, scale=read_by, conventions=conventions, view=view
        )
    else:
        # With the session comes SQLite, which files alone do not need.
        from judgetool.cli.score_project import load_score_project  # noqa: PLC0415 - see above

        is_chosen = chosen is not None or (queries, unjudged, undefined, weighted) != UNCHOSEN
        table = load_score_project(
            project,
            columns,
            run_names=runs,
            scale=read_by,
            conventions=conventions if is_chosen else None,
            view=view,
        )
    check_grades(table, is_asked_for=bool(measures))
    table.sentences = _sentences(table, chosen)
    tell_notes(table)
    is_trec_eval = chosen is not None and chosen.name == "trec_eval"
    layout = Layout(
        per_query=per_query,
        digits=digits if digits is not None else chosen.digits if chosen else 4,
        has_ranges=intervals,
        has_conventions=explain_conventions,
        is_trec_eval=is_trec_eval,
        has_run_id=is_trec_eval and (not measures or "official" in measures),
    )
    click.echo(format_scores(table, layout_name, layout))


# What the options say when nobody has given them: a project's own conventions hold then.
UNCHOSEN = (None, None, None, False)


def check_sources(
    files: Sequence[str], project: Path | None, runs: Sequence[str], *, needs: str
) -> None:
    """Refuse a mixture of files and project, or too few files.

    Args:
        files: as named on the command line.
        project: from --project.
        runs: from --run.
        needs: what has to be named besides QRELS, such as ``at least one RUN``.

    Raises:
        UsageError: they do not go together.
    """
    if project is not None:
        if files:
            raise UsageError(
                f"With --project no files are named; found {' '.join(files)}. "
                "Choose runs of the project with --run NAME."
            )
        return
    if runs:
        raise UsageError("--run NAME chooses runs of a project; give --project, too.")
    if len(files) < 2:
        raise UsageError(f"Expected QRELS and {needs}, or --project PROJECT.")
    if files.count("-") > 1:
        raise UsageError("Standard input (-) can be read only once.")


def _conventions(start: Conventions, **choices: str | bool | None) -> Conventions:
    """Return conventions with what was chosen by options in place of the preset's."""
    given = {name: choice for name, choice in choices.items() if choice is not None}
    if not given:
        return start
    preset = f"{start.preset}, changed" if start.preset else ""
    return replace(start, **given, preset=preset)  # type: ignore[arg-type]  # checked by the class


def _measures(names: Sequence[str], preset: ConventionPreset | None) -> tuple[Measure, ...] | None:
    """Return the columns that were asked for, each once; ``None`` for the default ones."""
    if names:
        found = tuple(dict.fromkeys(each for name in names for each in parse_measures(name)))
        return preset.rewrite_all(found) if preset else found
    if preset is None:
        return None
    if preset.name == "trec_eval":
        return parse_measures("official")
    return preset.default_measures()


def _scale(name: str | None, preset: ConventionPreset | None) -> Scale | None:
    if name is None:
        name = preset.scale if preset else None
    return scale_preset(name) if name else None


def check_grades(table: ScoreTable, *, is_asked_for: bool) -> None:
    """Refuse measures that cannot read a grade; of the default ones leave them out and say so.

    Raises:
        InputError: a measure that was asked for cannot read a grade above the scale.
    """
    grading = Grading(table.engine.scale)
    highest = table.highest_grade
    lost = [measure for measure in table.measures if grading.highest_grade(measure) < highest]
    if not lost:
        return
    names = ", ".join(map(str, lost))
    ceiling = format_grade(min(grading.highest_grade(measure) for measure in lost))
    sentence = (
        f"{table.judgments_source} has grade {format_grade(highest)}, and {names} can read grades "
        f"up to {ceiling} on the scale {table.scale_name}. Name the scale of these grades with "
        f"--scale, or give ERR its highest grade: ERR(max_rel={format_grade(highest)})."
    )
    if is_asked_for:
        raise InputError(sentence)
    table.engine.set_measures([each for each in table.measures if each not in lost])
    table.notes.append(f"{sentence} Left out here.")


def _sentences(table: ScoreTable, preset: ConventionPreset | None) -> list[str]:
    by_scale = f"Grades are read by the scale {table.scale_name}."
    sentences = list(table.engine.conventions.describe())
    if preset:
        sentences += [
            each for each in preset.describe() if each not in preset.conventions.describe()
        ]
    return [*sentences, *([] if by_scale in sentences else [by_scale])]


def tell_notes(table: ScoreTable) -> None:
    """Say on standard error what was noticed, and which queries the means treat specially."""
    notes = [*table.notes]
    for run in table.runs:
        means = table.means(run)
        n_missing = means[0].n_missing if means else 0
        if n_missing:
            n_judged = int(table.is_judged.sum())
            counts = "are left out" if table.engine.conventions.missing == "both" else "count as 0"
            notes.append(
                f"{run.name}: {n_missing:,} of {n_judged:,} judged queries have no results; "
                f"they {counts}."
            )
    for note in notes:
        click.echo(note, err=True)
