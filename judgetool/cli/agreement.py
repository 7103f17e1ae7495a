"""``judgetool agreement``: how alike several assessors grade, from a project or a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import numpy as np

from judgetool import __version__
from judgetool.cli.command import (
    FILE,
    command,
    figure,
    for_pages,
    json_text,
    separated,
    tell_all,
)
from judgetool.cli.options import (
    DIGITS,
    MEASURE_OPTION,
    SCALE_OPTION,
    VIEW_OPTION,
    WHERE,
    format_option,
    read_scale,
)
from judgetool.cli.score_files import read_strictly
from judgetool.core.held_files import SQLITE_MAGIC
from judgetool.core.judgments import DEFAULT_VIEW, VIEW_RULES, check_assessor, view_rule
from judgetool.core.number_text import local_count, number_of
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import InputError, UsageError
from judgetool.metrics import parse_measures
from judgetool.metrics.agreement import (
    AGREEMENT_BY,
    AGREEMENT_ERRORS,
    AGREEMENT_WEIGHTS,
    DEFAULT_AGREEMENT,
    AgreementBy,
    AgreementErrors,
    AgreementMeasure,
    AgreementRow,
    compute_agreement,
    parse_agreement_measure,
)
from judgetool.metrics.agreement_sums import AgreementData
from judgetool.wording import _, listed

if TYPE_CHECKING:
    from judgetool.session.session import Session
    from judgetool.session.team.agreement import EffectRow
    from judgetool.session.team.sample import EstimateRow

_EFFECT_MEASURE = "nDCG@10"


class AgreementOutput(NamedTuple):
    """What is printed.

    Attributes:
        source: the file.
        rows: each with measure, scope and figures.
        columns: the names of the figures.
        facts: what JSON says besides.
    """

    source: str
    rows: "Sequence[AgreementRow | EffectRow | EstimateRow]"
    columns: tuple[str, ...]
    facts: dict[str, object]


class _Wishes(NamedTuple):
    """Whose judgments, and how they are read."""

    assessors: tuple[str, ...]
    without: tuple[str, ...]
    scale: Scale | None
    where: str = ""
    view: str = ""


def _cells(table: AgreementOutput, digits: int) -> Iterator[list[str]]:
    for row in table.rows:
        columns = table.columns if getattr(row, "has_ends", True) else table.columns[:1]
        figures = (figure(getattr(row, name), digits) for name in columns)
        yield [str(row.measure), row.scope, *figures]


def _headed(table: AgreementOutput, digits: int) -> Iterator[list[str]]:
    header = ["measure", "scope", *table.columns]
    yield header
    for cells in _cells(table, digits):
        yield [*cells, *[""] * (len(header) - len(cells))]


def _write_json(table: AgreementOutput, _digits: int) -> Iterator[str]:
    rows = [{**row._asdict(), "measure": str(row.measure)} for row in table.rows]
    known = {"judgetool": __version__, "judgments": table.source}
    yield json_text({**known, **table.facts, "rows": rows})


WRITERS = {
    "tsv": separated(_cells, n_texts=2)["tsv"],
    "csv": separated(_headed, n_texts=2)["csv"],
    "json": _write_json,
    **for_pages(_headed),
}


@command(
    "agreement",
    examples=(
        "judgetool agreement judgments.csv",
        "judgetool agreement recipes.judge -m kappa -m \"alpha(level='ordinal')\" --intervals",
        "judgetool agreement recipes.judge -m kappa --weights linear --by pair",
        "judgetool agreement recipes.judge --effect -m nDCG@10",
        "judgetool agreement recipes.judge --calibration gpt-x",
    ),
)
@click.argument("file", type=FILE, metavar="PROJECT|JUDGMENTS")
@MEASURE_OPTION(
    help="What to compute, such as kappa or alpha(level='ordinal'); may be given often. "
    f"Default: {', '.join(map(str, DEFAULT_AGREEMENT))}.",
)
@click.option(
    "--weights",
    type=click.Choice(AGREEMENT_WEIGHTS),
    help="How much two grades that differ count as agreeing, for measures that take weights and "
    "name none; of alpha the level.",
)
@click.option(
    "--by",
    type=click.Choice(AGREEMENT_BY),
    help="First a line for each query, each two assessors, or each level against the rest.",
)
@click.option("--intervals", is_flag=True, help="Add the ends of 95 % intervals.")
@click.option(
    "--errors",
    type=click.Choice(AGREEMENT_ERRORS),
    help="What the intervals are over: other queries like these, or other documents.  "
    "[default: queries]",
)
@SCALE_OPTION(
    "scale_name",
    help="Levels of the grades, as in ‘judgetool new’. Default: of a project its own, of a file "
    "the grades that occur in it, relevant from 1.",
)
@click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="NAME",
    help="Only this assessor and others named.",
)
@click.option("--without", multiple=True, metavar="NAME", help="All but this assessor.")
@WHERE
@click.option(
    "--effect",
    is_flag=True,
    help="Of a project: what believing one assessor or another does to the values of its runs; -m "
    f"names measures of runs.  [default: {_EFFECT_MEASURE}]",
)
@VIEW_OPTION(
    default="",
    help=f"Of --effect: how several grades of a document become one: {', '.join(VIEW_RULES)}.  "
    f"[default: {DEFAULT_VIEW}]",
)
@click.option(
    "--calibration",
    default="",
    metavar="NAME",
    help="Of a project: a line for each grade that this model gave, with what people gave there.",
)
@DIGITS
@format_option(
    WRITERS, "tsv is measure, scope, value, low and high, without a header.", default="tsv"
)
def agreement_command(  # noqa: PLR0913 - one value for each option
    file: str,
    *,
    measures: tuple[str, ...],
    weights: str | None,
    by: AgreementBy | None,
    intervals: bool,
    errors: AgreementErrors | None,
    scale_name: str | None,
    assessors: tuple[str, ...],
    without: tuple[str, ...],
    where: str,
    effect: bool,
    view: str,
    calibration: str,
    digits: int,
    layout: str,
) -> None:
    """Say how alike assessors grade the same documents.

    Documents that at least two assessors graded count; ‘cannot judge’ and skipped do not.
    The file is a project, or judgments in any format that names assessors. What is
    undefined is `-`; JSON says why. `--errors` alone gives intervals, too.
    """
    scale = None if scale_name is None else read_scale(scale_name)
    wishes = _Wishes(assessors, without, scale, where, view)
    if calibration:
        if effect or measures or weights or by or intervals or errors or any(wishes):
            raise UsageError(_("--calibration goes with --digits and --format alone."))
        click.echo("\n".join(_calibrated(file, calibration, layout, digits)))
        return
    if effect:
        if weights or by or intervals or errors:
            raise UsageError(_("--effect goes without --weights, --by, --intervals and --errors."))
        found = _effect(file, measures or (_EFFECT_MEASURE,), wishes)
    elif view:
        raise UsageError(_("--view goes with --effect: how alike people grade is of no view."))
    else:
        wanted = _wanted(measures, weights)
        over = errors or ("queries" if intervals else None)
        rows = compute_agreement(_load(file, wishes), wanted, by=by, errors=over)
        columns = ("value", "low", "high") if over else ("value",)
        found = AgreementOutput(file, rows, columns, {"errors": over})
    click.echo("\n".join(WRITERS[layout](found, digits)))


def _effect(file: str, names: Sequence[str], wishes: _Wishes) -> AgreementOutput:
    """Return what whom one believes does to the values of a project's runs."""
    if not _is_project(file):
        raise UsageError(
            _("--effect is for projects, which have runs; {file} is none.").format(file=file)
        )
    # With the session comes SQLite, which files alone do not need.
    from judgetool.session.board import tied_notes  # noqa: PLC0415 - see above
    from judgetool.session.opening import open_project  # noqa: PLC0415 - likewise
    from judgetool.session.systems import queries_where  # noqa: PLC0415 - likewise
    from judgetool.session.team.agreement import (  # noqa: PLC0415 - see above
        compute_effect,
        counting_assessors,
    )

    path = Path(file)
    measures = list(dict.fromkeys(each for name in names for each in parse_measures(name)))
    rule = view_rule(wishes.view or DEFAULT_VIEW)
    with open_project(path, read_only=True) as session:
        session.set_view(rule.name)
        usual = counting_assessors(session)
        chosen = _chosen(session.assessors, wishes, path.name, usual=usual)
        _check_two(file, chosen, _uncounted(session, wishes))
        among = queries_where(session, wishes.where)
        rows = compute_effect(session, chosen, measures, scale=wishes.scale, among=among)
        tied = tied_notes(session.board.n_tied, rule.name)
    tell_all([_("Judgments: {view}.").format(view=_(rule.title)), *tied, *_over_others(rows)])
    facts: dict[str, object] = {"effect": True, "view": rule.name}
    return AgreementOutput(file, rows, ("value", "least", "greatest"), facts)


def _over_others(rows: "Sequence[EffectRow]") -> Iterator[str]:
    """Yield which means are over other queries than in the view: somebody judged some alone."""
    told: set[tuple[str, int, int]] = set()
    of_run, usual = "", 0
    for row in rows:
        if row.n_queries is None:
            continue
        if row.has_ends:
            of_run, usual = f"{row.scope} ", row.n_queries
        elif row.n_queries != usual:
            told.add((row.scope.removeprefix(of_run), row.n_queries, usual))
    for scope, n, usual in sorted(told):
        yield number_of(
            n,
            "{scope}: means over {n} query, in the view over {usual}.",
            "{scope}: means over {n} queries, in the view over {usual}.",
            scope=scope,
            usual=local_count(usual),
        )


def _calibrated(file: str, name: str, layout: str, digits: int) -> Iterator[str]:
    """Yield a line for each grade of a model: what people gave, how often, and their mean."""
    if not _is_project(file):
        raise UsageError(
            _("--calibration is for projects, which know models; {file} is none.").format(file=file)
        )
    # With the session comes SQLite, which files alone do not need.
    from judgetool.session.opening import open_project  # noqa: PLC0415 - see above
    from judgetool.session.team.sample import compute_calibration  # noqa: PLC0415 - likewise

    with open_project(Path(file), read_only=True) as session:
        found = compute_calibration(session, name)
    said = [*map(format_grade, found.levels), "cannot judge"]
    means = [None if np.isnan(mean) else mean for mean in found.means.tolist()]
    lines = list(zip(said, found.counts.tolist(), means, strict=True))
    if layout == "json":
        rows = [
            {"said": name, "given": dict(zip(said, counts, strict=True)), "mean": mean}
            for name, counts, mean in lines
        ]
        yield json_text({"judgetool": __version__, "judgments": file, "model": name, "rows": rows})
        return
    header = [name, *said, "mean"]
    cells = [[each, *map(str, counts), figure(mean, digits)] for each, counts, mean in lines]

    def lines_of() -> Iterator[list[str]]:
        return iter([header, *cells])

    yield from {**separated(lines_of, n_texts=1), **for_pages(lines_of)}[layout]()


def _check_two(file: str, names: Sequence[str], uncounted: Sequence[str] = ()) -> None:
    if len(names) < 2 and uncounted:
        said = _(
            "{file}: agreement needs two assessors who graded something and count. Who graded and does "
            "not count: {names}. Let them count with ‘judgetool project --counts’, or name whose "
            "grades are meant with --assessor."
        )
        raise InputError(said.format(file=file, names=listed(uncounted)))
    if len(names) < 2:
        there = (
            _(
                "{file}: agreement needs two assessors who graded something; there is one: {name}. "
                "Add judgments of another."
            )
            if names
            else _(
                "{file}: agreement needs two assessors who graded something; there is none. "
                "Add judgments of another."
            )
        )
        raise InputError(there.format(file=file, name="".join(names)))


def _wanted(names: Sequence[str], weights: str | None) -> list[AgreementMeasure]:
    """Return the measures, each once, with the weights that were asked for."""
    measures = [parse_agreement_measure(name) for name in names] or list(DEFAULT_AGREEMENT)
    weighted = measures if weights is None else [each.with_weights(weights) for each in measures]
    return list(dict.fromkeys(weighted))


def _load(file: str, wishes: _Wishes) -> AgreementData:
    if _is_project(file):
        return _load_project(Path(file), wishes)
    data = _load_table(file, wishes)
    _check_two(file, data.names)
    return data


def _is_project(file: str) -> bool:
    if file == "-":
        return False
    if file.endswith(".judge"):
        return True
    try:
        with Path(file).open("rb") as stream:
            return stream.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError:
        # Whoever reads it says what is the matter.
        return False


def _load_project(path: Path, wishes: _Wishes) -> AgreementData:
    # With the session comes SQLite, which files alone do not need.
    from judgetool.session.opening import open_project  # noqa: PLC0415 - likewise
    from judgetool.session.systems import queries_where  # noqa: PLC0415 - likewise
    from judgetool.session.team.agreement import (  # noqa: PLC0415 - see above
        agreement_data,
        counting_assessors,
    )

    with open_project(path, read_only=True) as session:
        counting = counting_assessors(session)
        names = _chosen(session.assessors, wishes, path.name, usual=counting)
        scale = wishes.scale or session.scale
        among = queries_where(session, wishes.where)
        data = agreement_data(session, names, scale, among=among)
        _check_grades(data, scale, str(path))
        _check_two(str(path), data.names, _uncounted(session, wishes))
    return data


def _uncounted(session: "Session", wishes: _Wishes) -> list[str]:
    """Return who is not asked as they do not count; nobody where assessors are named."""
    from judgetool.session.board import uncounted_judges  # noqa: PLC0415 - see above

    judges = uncounted_judges(session.board.book, session.reader)
    return [] if wishes.assessors else [each for each in judges if each not in wishes.without]


def _load_table(file: str, wishes: _Wishes) -> AgreementData:
    if wishes.where:
        raise UsageError(
            _("--where is for projects, which know queries; {file} is none.").format(file=file)
        )
    judged = read_strictly(file, "judgments").judgments
    assert judged is not None
    scale = wishes.scale
    rows = [
        (query, document, name, grade)
        for query, document, name, grade in zip(
            judged.query_ids, judged.document_ids, judged.assessors, judged.grades, strict=True
        )
        # Below 0 stands what is in the pool and was not judged, unless the scale has such grades.
        if name and grade is not None and (grade >= 0 or (scale and scale.has_grade(grade)))
    ]
    if not any(judged.assessors):
        raise InputError(
            _(
                "{file} names no assessors; agreement needs to know who gave each grade. Give "
                "a table with a column ‘assessor’, or a project."
            ).format(file=file)
        )
    n_nobody = sum(not name for name in judged.assessors)
    if n_nobody:
        left_out = number_of(
            n_nobody,
            "{file}: {n} judgment that nobody is named for: left out.",
            "{file}: {n} judgments that nobody is named for: left out.",
            file=file,
        )
        tell_all([left_out])
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    data = AgreementData.of_columns(
        *columns,
        levels=scale.grades if scale else (),
        relevant_from=scale.relevant_from if scale else 1.0,
    )
    if scale:
        _check_grades(data, scale, file)
    known = list(dict.fromkeys(name for name in judged.assessors if name))
    # As in a project: models do not count unless they are named, and what is settled is apart.
    apart = {judged.assessors[row] for row, said in judged.details.items() if said.kind}
    usual = [name for name in known if name not in apart]
    return data.of_assessors(_chosen(known, wishes, file, usual=usual))


def _chosen(
    known: Sequence[str], wishes: _Wishes, where: str, *, usual: Sequence[str]
) -> list[str]:
    """Return whose judgments count: those who are named, else the usual ones.

    Raises:
        InputError: one of the names is not known.
    """
    for name in (*wishes.assessors, *wishes.without):
        check_assessor(name, known, where)
    chosen = wishes.assessors or usual
    return [name for name in dict.fromkeys(chosen) if name not in wishes.without]


def _check_grades(data: AgreementData, scale: Scale, where: str) -> None:
    """Refuse grades that the scale does not have."""
    strange = [grade for grade in data.levels.tolist() if not scale.has_grade(grade)]
    if strange:
        raise InputError(
            _(
                "{where}: grade {grade} is not on the scale {scale} ({label}). Name the "
                "scale of these grades with --scale."
            ).format(
                where=where, grade=format_grade(strange[0]), scale=scale.name, label=scale.label
            )
        )
