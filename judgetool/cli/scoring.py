"""``judgetool score``, and what `compare` and `explain` share with it: options and their table."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from judgetool.cli.command import (
    FILE,
    Option,
    Whole,
    check_stdin,
    command,
    stacked,
    tell_all,
)
from judgetool.cli.options import (
    AS_OF,
    CLICKS,
    COUNTING,
    ENCODED,
    JUDGED_BY,
    LENGTHS,
    QUERY_LIST,
    RUNS,
    SCALE,
    SNAPSHOT,
    UNDEFINED_CHOICES,
    UNJUDGED_CHOICES,
    VIEW,
    WEIGHTED,
    WHERE,
    format_option,
    given,
    measures_option,
    project_option,
    read_query_list,
    read_scale,
)
from judgetool.cli.score_files import load_score_files, note_grades, say_no_measures
from judgetool.cli.score_table import (
    WRITERS,
    ScoreLayout,
    ScoreTable,
    assumed_sentences,
    check_grades,
    format_scores,
    tell_notes,
)
from judgetool.core.judgments import DEFAULT_VIEW
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import InputError, UsageError
from judgetool.formats.output import SIDE_ENDING
from judgetool.metrics import (
    DEFAULT_MEASURES,
    ConventionPreset,
    Conventions,
    Measure,
    convention_preset,
    parse_measures,
)
from judgetool.metrics.measure import TrecLine, trec_lines
from judgetool.wording import N_, _, stated, stated_of

if TYPE_CHECKING:
    from judgetool.formats.writers.values import SideFile
    from judgetool.session.comparing.system_values import ProjectLook


class ScoringWishes(NamedTuple):
    """What the shared options say; ``None``, ``""`` and empty where they were not given.

    Attributes:
        files: qrels and runs.
        project: in place of files.
        runs: names of runs and what-ifs of the project; empty for all runs.
        measures: by name.
        scale: a preset, a range, a list of grades or a file.
        view: rule that folds several grades of one document.
        preset: conventions of a tool.
        queries: which queries the means are over.
        unjudged: what becomes of documents that nobody judged.
        undefined: what becomes of undefined values in means.
        weighted: whether queries count by their importance.
        clicks: file with impressions and clicks.
        lengths: file with lengths of documents.
        encoding: in which the files were saved that are not UTF-8.
        level: trec_eval's -l: from which grade on documents are relevant.
        depth: trec_eval's -M: how many documents of a query are looked at.
        tells_documents: whether documents that nobody judged are told apart.
        assessor: of the project: whose judgments alone count.
        snapshot: of the project: name of the one whose runs and judgments are meant.
        where: filter of the project's queries.
        query_list: file with the ids of the queries that count.
        as_of: of the project: until when what was judged counts.
    """

    files: tuple[str, ...] = ()
    project: Path | None = None
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    scale: str | None = None
    view: str = DEFAULT_VIEW
    preset: str | None = None
    queries: str | None = None
    unjudged: str | None = None
    undefined: str | None = None
    weighted: bool = False
    clicks: str = ""
    lengths: str = ""
    encoding: str = ""
    level: int | None = None
    depth: int | None = None
    tells_documents: bool = False
    assessor: str = ""
    snapshot: str | None = None
    where: str = ""
    query_list: str = ""
    as_of: str = ""

    @property
    def tool(self) -> ConventionPreset | None:
        """The preset by its name.

        Raises:
            UsageError: there is none of this name.
        """
        return convention_preset(self.preset) if self.preset else None

    @property
    def are_conventions_chosen(self) -> bool:
        """Whether any option says what counts; otherwise the project or the file does."""
        return bool(self.preset or self.queries or self.unjudged or self.undefined or self.weighted)

    @property
    def conventions(self) -> Conventions:
        """The preset's, or trec_eval's with -c, and what the options change of them."""
        start = self.tool.conventions if self.tool else Conventions()
        chosen: dict[str, Any] = {
            "missing": self.queries,
            "unjudged": UNJUDGED_CHOICES.get(self.unjudged or ""),
            "undefined": UNDEFINED_CHOICES.get(self.undefined or ""),
            "is_weighted": self.weighted or None,
        }
        changes = given(**chosen)
        if not changes:
            return start
        return replace(start, **changes, preset=f"{start.preset}, changed" if start.preset else "")

    @property
    def is_trec_eval(self) -> bool:
        """Whether all is to be as trec_eval has it."""
        return self.tool is not None and self.tool.name == "trec_eval"

    @property
    def trec_lines(self) -> tuple[TrecLine, ...]:
        """The lines of trec_eval that were asked for; empty for another preset, or none."""
        if not self.is_trec_eval:
            return ()
        return trec_lines(self.measures or ("official",), rel=self.level)

    @property
    def columns(self) -> tuple[Measure, ...] | None:
        """The measures that were asked for, each once; ``None`` for the usual ones."""
        if self.is_trec_eval:
            parts = (part for line in self.trec_lines for part in line.parts)
            return tuple(dict.fromkeys(measure for _, measure in parts))
        has_scale = self.project is not None or self.scale is not None
        if self.measures:
            found = tuple(
                dict.fromkeys(each for name in self.measures for each in parse_measures(name))
            )
            return self.tool.rewrite_all(found, has_scale=has_scale) if self.tool else found
        if self.tool is None:
            return None
        return self.tool.default_measures(has_scale=has_scale)


LOOKING = stacked([SCALE, *COUNTING, WEIGHTED, VIEW, JUDGED_BY, WHERE, QUERY_LIST])
"""How a project is looked at: scale, conventions, whose judgments count, some of its queries."""


def scoring_options(*, is_of_one: bool = False) -> Option:
    """Return what adds the shared options to a command: scale, conventions, view, runs.

    Args:
        is_of_one: whether one query is looked at: then none says which queries count, and how.
    """
    files = [CLICKS, LENGTHS, ENCODED, SNAPSHOT, AS_OF]
    looking = stacked([SCALE, *COUNTING, VIEW, JUDGED_BY]) if is_of_one else LOOKING
    return stacked([looking, *files])


def said_words(wishes: "ScoringWishes") -> list[str]:
    """Return the words of a command line by which a project is looked at in the same way."""
    said = {
        "--scale": wishes.scale,
        "--preset": wishes.preset,
        "--queries": wishes.queries,
        "--unjudged": wishes.unjudged,
        "--undefined": wishes.undefined,
        "--where": wishes.where,
        "--query-list": wishes.query_list,
    }
    words = [word for option, text in said.items() if text for word in (option, text)]
    return [*words, *(["--weighted"] if wishes.weighted else [])]


def scoring_command(
    name: str, files: str, examples: Sequence[str]
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command over qrels and runs, or a project.

    Args:
        name: as it is called.
        files: how its files are named in its help.
        examples: of calls.
    """
    # Before further values of an option come qrels and a run.
    make = command(
        name,
        examples=examples,
        n_arguments=lambda words: 2 * all(w.partition("=")[0] != "--project" for w in words),
        is_further=lambda word: not Path(word).exists(),
    )
    argument = click.argument("files", nargs=-1, type=FILE, metavar=files)
    return lambda function: make(argument(function))


def load_table(wishes: ScoringWishes, *, needs: str) -> ScoreTable:
    """Return the values that the options lead to, with sentences and notes.

    Args:
        wishes: what the options say.
        needs: what has to be named besides QRELS, such as ``at least one RUN``.

    Raises:
        UsageError: options that do not go together, or name what there is not.
        InputError: a file or project cannot be read, or a measure cannot read a grade.
    """
    check_sources(wishes, needs=needs)
    if wishes.project and wishes.clicks:
        raise UsageError(_("--clicks goes with files; a project has its own: import them."))
    for name in ("lengths", "encoding"):
        if wishes.project and getattr(wishes, name):
            raise UsageError(_("--{option} goes with files.").format(option=name))
    for name in ("where", "snapshot", "assessor", "as_of"):
        if getattr(wishes, name) and not wishes.project:
            raise UsageError(
                _("--{option} is for projects: give --project PROJECT.").format(
                    option=name.replace("_", "-")
                )
            )
    if wishes.as_of and wishes.snapshot:
        raise UsageError(_("--as-of and --snapshot are two different pasts: give one of them."))
    if wishes.level is not None and not wishes.is_trec_eval:
        raise UsageError(
            _(
                "-l belongs to --preset trec_eval. Elsewhere the grade stands with the "
                "measure, as in AP(rel={level})."
            ).format(level=f"{wishes.level:g}")
        )
    if wishes.depth is not None and wishes.project is not None:
        raise UsageError(_("-M is for files; a measure’s own cutoff does it in a project: AP@100."))
    scale = chosen_scale(wishes)
    table = _load_project(wishes, scale) if wishes.project else _load_files(wishes, scale)
    check_grades(table, is_asked_for=bool(wishes.measures))
    _note_facts(table, wishes)
    _note_names(table, wishes)
    note_grades(table, is_trec_eval=wishes.is_trec_eval)
    table.sentences = [*_sentences(table, wishes), *assumed_sentences(table)]
    return table


_LACKING = {
    "clicks": N_("{names}: no clicks are known, so there is no value. Give them by --clicks FILE."),
    "subtopics": N_(
        "{names}: no subtopics are known, so each query counts as one. Give qrels that have them "
        "in column two."
    ),
    "samples": N_(
        "{names}: nothing is known of how documents were sampled, so there is no value. Score "
        "prels, or qrels with strata."
    ),
    "lengths": N_(
        "{names}: no lengths are known, so there is no value. Score files, with --lengths FILE."
    ),
}
_LACKING_IN_PROJECT = {
    "clicks": N_(
        "{names}: no clicks are known, so there is no value. Give them by ‘judgetool import "
        "--clicks’."
    ),
    "subtopics": N_(
        "{names}: no subtopics are known, so each query counts as one. A project has none: score "
        "qrels that have them in column two."
    ),
}


def _note_facts(table: ScoreTable, wishes: ScoringWishes) -> None:
    """Say what becomes of measures of which nothing is known that they read beside grades."""
    lacking: dict[str, list[str]] = {}
    for measure in table.measures:
        kind = measure.spec.facts
        if kind and kind not in table.engine.known_facts:
            lacking.setdefault(kind, []).append(str(measure))
    words = _LACKING | (_LACKING_IN_PROJECT if wishes.project else {})
    table.notes += [
        _(words[kind]).format(names=", ".join(names)) for kind, names in lacking.items()
    ]


def _note_names(table: ScoreTable, wishes: ScoringWishes) -> None:
    """Say of names what somebody who comes from another tool may read otherwise."""
    if not wishes.is_trec_eval:
        if "recall" in wishes.measures:
            said = _(
                "‘recall’ is trec_eval’s: R@5, R@10 and so on. Of the whole list, as in ranx, it is SetR."
            )
            table.notes.append(said)
        table.notes += say_no_measures(wishes.measures)
        return
    printed = {line.name for line in wishes.trec_lines}
    for name in dict.fromkeys(wishes.measures):
        if "." in name and not {line.name for line in trec_lines([name])} <= printed:
            said = _(
                "{name} is not printed as it is: of each family trec_eval takes the numbers given first."
            )
            table.notes.append(said.format(name=name))


def chosen_scale(wishes: ScoringWishes) -> Scale | None:
    """Return the scale that --scale names, or the preset; ``None`` for the source's own."""
    if wishes.scale is not None:
        return read_scale(wishes.scale)
    name = wishes.tool.scale if wishes.tool else None
    return read_scale(name) if name else None


_NO_WEIGHTS = N_(
    "--weighted is for projects, and for files beside which ‘judgetool export’ has written how important "
    "queries are (OUT.meta.json)."
)


def _load_files(wishes: ScoringWishes, scale: Scale | None) -> ScoreTable:
    files = [name for name in wishes.files if not _is_side_file(name, wishes.files)]
    beside = [name + SIDE_ENDING for name in files if Path(name + SIDE_ENDING).is_file()]
    side = None if wishes.preset else _find_side_file(beside)
    conventions = wishes.conventions
    if side and side.conventions and not wishes.are_conventions_chosen:
        conventions = _stored_conventions(side)
    weights = side.weights if side else None
    if wishes.weighted and weights is None:
        raise UsageError(_(_NO_WEIGHTS))
    table = load_score_files(
        files,
        wishes.columns or DEFAULT_MEASURES,
        scale=scale or (side.scale if side else None),
        conventions=conventions,
        weights=weights,
        view=wishes.view,
        clicks=wishes.clicks,
        lengths=wishes.lengths,
        encoding=wishes.encoding,
        depth=wishes.depth,
        tells_documents=wishes.tells_documents,
        only=read_query_list(wishes.query_list),
    )
    if side and scale is None:
        table.notes += side.notes
    if beside and wishes.preset and scale is None:
        said = _(
            "{beside} is not read with --preset: grades are worth what {tool} takes them for. "
            "--scale {beside} reads them by the scale there."
        )
        table.notes.append(said.format(beside=beside[0], tool=wishes.preset))
    if side and table.engine.has_weighted_means:
        said = _("How important queries are is read from {beside}.")
        table.notes.append(said.format(beside=Path(side.name).name))
    return table


def _find_side_file(beside: Sequence[str]) -> "SideFile | None":
    """Return what stands beside the judgments, else beside the first run that has such a file."""
    if not beside:
        return None
    # With it come all writers, which files alone do not need.
    from judgetool.formats.writers.values import read_side_file  # noqa: PLC0415 - see above

    found = (read_side_file(Path(name.removesuffix(SIDE_ENDING))) for name in beside)
    return next((side for side in found if side.scale is not None), None)


def _is_side_file(name: str, names: Sequence[str]) -> bool:
    """Whether a file is only what was written beside another one that is named, too."""
    return name.endswith(SIDE_ENDING) and name.removesuffix(SIDE_ENDING) in names


def _stored_conventions(side: "SideFile") -> Conventions:
    try:
        return Conventions(**side.conventions)
    except (TypeError, UsageError) as problem:
        raise InputError(
            _(
                "{side} names conventions that this judgetool does not know ({problem}). Say "
                "what counts by --preset, --queries, --unjudged or --undefined, or move the "
                "side file away."
            ).format(side=side.name, problem=problem)
        ) from problem


def _load_project(wishes: ScoringWishes, scale: Scale | None) -> ScoreTable:
    # With the session comes SQLite, which files alone do not need.
    from judgetool.cli.score_project import load_score_project  # noqa: PLC0415 - see above

    assert wishes.project is not None
    return load_score_project(
        wishes.project, look_of(wishes, scale), run_names=wishes.runs, snapshot=wishes.snapshot
    )


def look_of(wishes: ScoringWishes, scale: Scale | None) -> "ProjectLook":
    """Return how the options have a project looked at.

    Args:
        wishes: what they say.
        scale: what --scale or --preset names.
    """
    from judgetool.session.comparing.system_values import ProjectLook  # noqa: PLC0415 - files alone do not need it

    return ProjectLook(
        wishes.columns,
        scale,
        wishes.conventions if wishes.are_conventions_chosen else None,
        wishes.view,
        wishes.assessor,
        wishes.where,
        read_query_list(wishes.query_list),
        wishes.as_of,
    )


def check_sources(wishes: ScoringWishes, *, needs: str) -> None:
    """Refuse a mixture of files and project, or too few files.

    Args:
        wishes: which of them the options name.
        needs: what has to be named besides QRELS, such as ``at least one RUN``.

    Raises:
        UsageError: they do not go together.
    """
    files = wishes.files
    if wishes.project is not None:
        if files:
            raise UsageError(
                _(
                    "With --project no files are named; found {files}. Choose runs of the project "
                    "with --run NAME."
                ).format(files=" ".join(files))
            )
        return
    if wishes.runs:
        raise UsageError(_("--run NAME chooses runs of a project; give --project, too."))
    named = next((name for name in files if name.endswith(".judge")), None)
    if named:
        raise UsageError(
            _("{named} is a project: give it as --project {named}, and no files beside.").format(
                named=named
            )
        )
    if len(files) < 2:
        raise UsageError(_("Expected QRELS and {needs}, or --project PROJECT.").format(needs=needs))
    check_stdin(files)


def _sentences(table: ScoreTable, wishes: ScoringWishes) -> list[str]:
    # They stand among data, in English as these.
    by_scale = f"Grades are read by the scale {table.scale_name}."
    sentences, preset = list(table.engine.describe_conventions()), wishes.tool
    if preset:
        sentences += [
            each for each in preset.describe() if each not in preset.conventions.describe()
        ]
    if wishes.depth is not None:
        sentences.append(
            stated_of(
                wishes.depth,
                "Only the first document of each query is looked at.",
                "Only the first {n} documents of each query are looked at.",
            )
        )
    if wishes.level is not None:
        level = format_grade(wishes.level)
        sentences.append(stated("Relevant from grade {level}.", level=level))
    whose = [table.whose] if table.whose else []
    return [*whose, *sentences, *([] if by_scale in sentences else [by_scale])]


_INTERVALS = N_("Intervals of means are of the queries that count now.")


@scoring_command(
    "score",
    "[QRELS RUN [RUN ...]]",
    (
        "judgetool score qrels.txt bm25.run",
        "judgetool score qrels.txt bm25.run dense.run -m nDCG@10 -m AP --format markdown",
        "judgetool score qrels.txt bm25.run -m 'P(rel=2)@5' 'nDCG(dcg=exp-log2)@10' -q",
        "judgetool score qrels.txt bm25.run --preset trec_eval -m official",
        "judgetool score --project recipes.judge --run title-bm25 --view majority",
    ),
)
@measures_option("What to compute")
@click.option("-q", "per_query", is_flag=True, help="Print each query before the means.")
@scoring_options()
@click.option(
    "-l",
    "level",
    type=Whole(0),
    metavar="GRADE",
    help="With --preset trec_eval: documents are relevant from this grade on.",
)
@click.option(
    "-M",
    "depth",
    type=Whole(1),
    help="Look at the first N documents of each query alone.",
)
@click.option(
    "--model",
    default="",
    metavar="NAME",
    help="With --project: estimate means over all queries from a model’s grades and the sample that "
    "people have judged (‘judgetool ask --sample’).",
)
@click.option(
    "--intervals",
    is_flag=True,
    help="Add least and greatest possible values; with --model, 95 % intervals.",
)
@format_option(
    WRITERS,
    default="trec",
    what="trec is measure, query, value, separated by tabs, with the run first if there are several.",
)
@click.option("--digits", type=Whole(0, 17), help="Decimals; JSON has them all.  [default: 4]")
@click.option(
    "--explain-conventions", is_flag=True, help="Print the conventions, as lines that start with #."
)
@project_option("Score a project’s runs.")
@RUNS
def score_command(
    *,
    per_query: bool,
    model: str,
    intervals: bool,
    layout: str,
    digits: int | None,
    explain_conventions: bool,
    **wished: Any,  # noqa: ANN401 - the fields of ScoringWishes
) -> None:
    """Compute measures of runs, from QRELS and RUN files or over a project.

    Files are read strictly: a line that does not fit ends the command with exit code 1
    and names the line, because values from half a file would mislead. `-` is standard
    input. Runs are ordered by score, ties by document id, falling, as in trec_eval. What
    was noticed while reading goes to standard error.
    """
    wishes = ScoringWishes(**wished)
    if model:
        if per_query or explain_conventions:
            raise UsageError(_("--model goes without -q and --explain-conventions."))
        _print_estimates(wishes, model, layout, 4 if digits is None else digits, has_ends=intervals)
        return
    table = load_table(wishes, needs=_("at least one RUN"))
    tell_notes(table)
    if intervals:
        table.sentences = [*table.sentences, _INTERVALS]
    tool = wishes.tool
    form = ScoreLayout(
        per_query=per_query,
        digits=digits if digits is not None else tool.digits if tool else 4,
        has_ranges=intervals,
        has_conventions=explain_conventions,
        trec=wishes.trec_lines,
    )
    click.echo(format_scores(table, layout, form))


def _print_estimates(
    wishes: ScoringWishes, model: str, layout: str, digits: int, *, has_ends: bool
) -> None:
    """Print means over all queries by a model and a sample of people's, and by the sample alone."""
    if wishes.project is None:
        raise UsageError(
            _("--model is for projects: they keep the sample. Give --project PROJECT.")
        )
    check_sources(wishes, needs="")
    # With the session comes SQLite, which files alone do not need.
    from judgetool.cli.agreement import WRITERS as ESTIMATE_WRITERS  # noqa: PLC0415 - see above
    from judgetool.cli.score_project import score_by_model  # noqa: PLC0415 - likewise

    look = look_of(wishes, chosen_scale(wishes))
    found, notes = score_by_model(wishes.project, model, look, wishes.runs)
    tell_all(notes)
    found = found if has_ends else found._replace(columns=found.columns[:1])
    click.echo("\n".join(ESTIMATE_WRITERS["tsv" if layout == "trec" else layout](found, digits)))
