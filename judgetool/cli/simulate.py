"""``judgetool simulate``: what an order of judging and a way to stop would have cost, by replay."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import click
import numpy as np

from judgetool import __version__
from judgetool.cli.command import Number, Whole, json_text, separated, shown_progress
from judgetool.cli.options import MEASURE_OPTION, SCALE, SEED, format_option
from judgetool.cli.score_table import ALL, ScoreTable
from judgetool.cli.scoring import ScoringWishes, load_table, scoring_command
from judgetool.core.number_text import aligned, number_of, signed
from judgetool.errors import InputError, UsageError
from judgetool.metrics import Measure
from judgetool.metrics.decide import RISK, DecideRules
from judgetool.session.simulating import (
    BY_CHANCE,
    ORDERS,
    STOPS,
    Contest,
    OrderName,
    PairResult,
    Replay,
    ReplayPlan,
    StopName,
    contest_of,
    near_ties,
    replay,
)
from judgetool.wording import NN_, _, local_number

_MOST_REPLAYS = 100_000
# What adding floats in another order leaves.
_ROUNDING = 1e-9


class _Wishes(NamedTuple):
    """What the options say beside the plan.

    Attributes:
        n_seeds: replays of a pair.
        seed: the first of their seeds.
        least: pairs that differ less are left out; near ties differ less.
        n_near: near ties in place of the pairs; 0 for the pairs.
    """

    n_seeds: int
    seed: int
    least: float
    n_near: int


_Row = dict[str, str | float]
"""A row of the table by its columns: a pair, or all of a measure."""
_Rows = Sequence[tuple[_Row, PairResult]]
_SHOWN = {"difference": "+.4f", "share_median": ".3f", "settled_median": ".3f"}
"""How figures are shown; others as they are."""


def _row(names: tuple[str, str], result: PairResult, plan: ReplayPlan) -> _Row:
    contests = result.contests
    judgments = [each.judgments for each in result.replays]
    low, middle, high = np.percentile(judgments, (25, 50, 75)).tolist()
    verdicts = list(result.verdicts())
    of_one = len({id(each) for each in contests}) == 1
    difference = [each.difference if of_one else abs(each.difference) for each in contests]
    return {
        "run_a": names[0],
        "run_b": names[1],
        "measure": str(contests[0].measure),
        "queries": len(contests[0].queries),
        "pool": float(np.median([each.n_pool for each in contests])),
        "counting": float(np.median([each.n_counting for each in contests])),
        "difference": float(np.median(difference)),
        "order": plan.order,
        "stop": plan.stop,
        "judgments_q25": low,
        "judgments_median": middle,
        "judgments_q75": high,
        "share_median": float(np.median(result.shares())),
        "settled_median": float(np.median(result.settled())),
        **{verdict: verdicts.count(verdict) for verdict in ("right", "wrong", "tie")},
        "certain": sum(bool(each.outcome and each.outcome.is_certain) for each in result.replays),
    }


# -- printing


def _iter_cells(found: _Rows, _facts: dict[str, object]) -> Iterator[list[str]]:
    yield list(found[0][0])
    for row, _result in found:
        yield [
            format(value, _SHOWN.get(name, "g" if isinstance(value, float) else ""))
            for name, value in row.items()
        ]


def _write_table(found: _Rows, facts: dict[str, object]) -> Iterator[str]:
    heads, *rows = _iter_cells(found, facts)
    texts = [heads.index(name) for name in ("run_a", "run_b", "measure", "order", "stop")]
    yield from aligned([heads, *rows], left=texts)


def _write_json(found: _Rows, facts: dict[str, object]) -> Iterator[str]:
    rows = [
        {**row, "seeds": list(_replays(result)) if row["run_a"] != ALL else []}
        for row, result in found
    ]
    yield json_text({"judgetool": __version__, **facts, "rows": rows})


def _replays(result: PairResult) -> Iterator[dict[str, Any]]:
    columns = zip(
        result.contests,
        result.replays,
        result.shares(),
        result.settled(),
        result.verdicts(),
        strict=True,
    )
    for contest, each, share, settled, verdict in columns:
        yield {
            "seed": each.seed,
            "difference": contest.difference,
            "judgments": each.judgments,
            "share": share,
            "settled": settled,
            "verdict": verdict,
            "certain": bool(each.outcome and each.outcome.is_certain),
        }


_WRITERS: dict[str, Callable[[_Rows, dict[str, object]], Iterable[str]]] = {
    "table": _write_table,
    "tsv": separated(_iter_cells, n_texts=3)["tsv"],
    "json": _write_json,
}


# -- replaying


@scoring_command(
    "simulate",
    "QRELS RUN_A RUN_B [RUN ...]",
    (
        "judgetool simulate qrels.txt bm25.run dense.run -m P@10",
        "judgetool simulate qrels.txt bm25.run dense.run -m nDCG@10 --order stake --stop certain",
        "judgetool simulate qrels.txt a.run b.run c.run --near 200 --format json",
    ),
)
@MEASURE_OPTION(help="By which runs are compared; may be given often.  [default: P@10]")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default="decide",
    show_default=True,
    help="How it is judged: drawn as Decide does; rank by rank (depth); by chance (random); move to "
    "front (mtf); by stake either way; by what could overturn the present verdict; or whole "
    "queries drawn (queries), for any measure.",
)
@click.option(
    "--stop",
    type=click.Choice(STOPS),
    default="decided",
    show_default=True,
    help="When it ends: at evidence or certainty (orders decide and queries alone), at certainty, "
    "or when all is judged.",
)
@click.option(
    "--risk",
    type=Number(0.0, 1.0, min_open=True, max_open=True),
    default=RISK,
    show_default=True,
    metavar="R",
    help="Of naming the worse run at a stop by evidence.",
)
@click.option(
    "--tie",
    type=Number(0.0, min_open=True),
    metavar="D",
    help="A difference below it is none; without it every one is.",
)
@click.option(
    "--seeds",
    "n_seeds",
    type=Whole(1, _MOST_REPLAYS),
    default=20,
    show_default=True,
    help="Replays of each pair, with so many seeds; orders without chance are replayed once.",
)
@SEED
@click.option(
    "--least",
    type=Number(0.0),
    default=0.005,
    show_default=True,
    help="Pairs of runs whose true difference is smaller are left out.",
)
@click.option(
    "--near",
    "n_near",
    type=Whole(0, _MOST_REPLAYS),
    default=0,
    help="Replay N near ties in place of the pairs, once each: runs that change places in queries "
    "by lot, so that they differ by less than --least.",
)
@SCALE
@format_option(
    _WRITERS, "How it is printed; json has every replay and all digits.", default="table"
)
def simulate_command(  # noqa: PLR0913 - one value for each option
    *,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    order: OrderName,
    stop: StopName,
    risk: float,
    tie: float | None,
    n_seeds: int,
    seed: int | None,
    least: float,
    n_near: int,
    scale: str | None,
    layout: str,
) -> None:
    """Say what it would have cost to find out which of two runs is better.

    QRELS are taken for the truth: the pool of both runs down to the measure’s cutoff, what
    nobody judged as 0; what is judged outside of it is not known here. It is judged anew in the order that is asked for until the stop, by the
    code of the window, for every pair of the runs. The same seed gives the same figures.
    """
    plan = ReplayPlan(order, stop, DecideRules(risk, tie))
    plan.check()
    wishes = _Wishes(n_seeds, 1 if seed is None else seed, least, n_near)
    table = load_table(
        ScoringWishes(
            files=files, measures=measures or ("P@10",), scale=scale, tells_documents=True
        ),
        needs=_("at least two RUNs"),
    )
    if len(table.runs) < 2:
        raise UsageError(_("Simulating needs at least two RUNs beside QRELS; there is one."))
    if table.engine.known_facts:
        raise UsageError(_("Simulating reads grades alone; these judgments have more in them."))
    with shown_progress(_("Replaying")) as report:
        rows = list(_simulate(table, plan, wishes, report or (lambda _done, _total: None)))
    facts: dict[str, object] = {
        "judgments": table.judgments_source,
        "scale": table.scale_name,
        "order": order,
        "stop": stop,
        "risk": risk,
        "tie": tie,
        "seed": wishes.seed,
        "least": least,
        "near": n_near,
    }
    click.echo("\n".join(_WRITERS[layout](rows, facts)))


def _simulate(
    table: ScoreTable, plan: ReplayPlan, wishes: _Wishes, report: Callable[[int, int], None]
) -> Iterator[tuple[_Row, PairResult]]:
    pairs = list(combinations([(run.name, run.key) for run in table.runs], 2))
    n_all, n_done = len(pairs) * len(table.measures), 0
    for measure in table.measures:
        found: list[tuple[tuple[str, str], PairResult]] = []
        left_out: list[str] = []
        otherwise: list[Contest] = []
        for place, (first, second) in enumerate(pairs):
            contest = contest_of(table.engine, first, second, measure)
            if abs(contest.difference - contest.of_qrels) > _ROUNDING:
                otherwise.append(contest)
            result = _replay_pair(contest, plan, wishes, (place, len(pairs)))
            n_done += 1
            report(n_done, n_all)
            if result is None:
                left_out.append(_("{first} and {second}").format(first=first[0], second=second[0]))
            else:
                found.append((contest.names, result))
        _tell_otherwise(otherwise)
        _tell_left_out(left_out, measure, wishes)
        if not found:
            raise InputError(
                _("{measure}: no pair of runs is left to replay. Give a lower --least.").format(
                    measure=measure
                )
            )
        for names, result in found:
            yield _row(names, result, plan), result
        contests = [each for _names, result in found for each in result.contests]
        replays = [each for _names, result in found for each in result.replays]
        whole = PairResult(contests, replays, plan.rules)
        yield _row((ALL, ""), whole, plan), whole


def _replay_pair(
    contest: Contest, plan: ReplayPlan, wishes: _Wishes, turn: tuple[int, int]
) -> PairResult | None:
    """Return the replays of a pair, ``None`` where it is too near a tie, or none can be made of it.

    Args:
        contest: the pair.
        plan: how it is judged.
        wishes: how often.
        turn: which of how many pairs it is.
    """
    place, n_pairs = turn
    if wishes.n_near:
        n_mine = wishes.n_near // n_pairs + (place < wishes.n_near % n_pairs)
        contests = list(near_ties(contest, n_mine, wishes.least, wishes.seed + place))
        seeds = range(wishes.seed, wishes.seed + len(contests))
    elif abs(contest.difference) < wishes.least:
        contests, seeds = [], range(0)
    else:
        n_seeds = wishes.n_seeds if plan.order in BY_CHANCE else 1
        contests = [contest] * n_seeds
        seeds = range(wishes.seed, wishes.seed + n_seeds)
    replays: list[Replay] = [
        replay(each, plan, seed) for each, seed in zip(contests, seeds, strict=True)
    ]
    return PairResult(contests, replays, plan.rules) if replays else None


_NO_NEAR_TIE = NN_(
    "{measure}: {n} pair of runs left out, as no near tie can be made of them: {names}.",
    "{measure}: {n} pairs of runs left out, as no near tie can be made of them: {names}.",
)
_TOO_NEAR = NN_(
    "{measure}: {n} pair of runs left out, as they differ by less than {least}: {names}.",
    "{measure}: {n} pairs of runs left out, as they differ by less than {least}: {names}.",
)


def _tell_otherwise(contests: Sequence[Contest]) -> None:
    """Say where more than the pool is judged, so that ``compare`` has another difference."""
    if not contests:
        return
    most = max(contests, key=lambda each: abs(each.difference - each.of_qrels))
    said = number_of(
        len(contests),
        "{measure}: {n} pair of runs differs otherwise by all that is judged, {first} and {second} by "
        "{of_qrels} (here {here}). Judged here is the pool of two runs alone: what is relevant "
        "outside of it counts as not relevant.",
        "{measure}: {n} pairs of runs differ otherwise by all that is judged, {first} and {second} by "
        "{of_qrels} (here {here}). Judged here is the pool of two runs alone: what is relevant "
        "outside of it counts as not relevant.",
        measure=most.measure,
        first=most.names[0],
        second=most.names[1],
        of_qrels=local_number(signed(most.of_qrels)),
        here=local_number(signed(most.difference)),
    )
    click.echo(said, err=True)


def _tell_left_out(names: Sequence[str], measure: Measure, wishes: _Wishes) -> None:
    if not names:
        return
    given = (len(names), *(_NO_NEAR_TIE if wishes.n_near else _TOO_NEAR))
    least = local_number(f"{wishes.least:g}")
    said = number_of(*given, measure=measure, least=least, names=", ".join(names))
    click.echo(said, err=True)
