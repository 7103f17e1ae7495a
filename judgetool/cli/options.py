"""Options that several commands share: how things are named on the command line, once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from judgetool.core.scale import SCALE_PRESETS
from judgetool.core.views import DEFAULT_VIEW, VIEW_RULES
from judgetool.metrics import DEFAULT_MEASURES
from judgetool.metrics.resampling import DEFAULT_DRAWS, DEFAULT_SEED

Function = TypeVar("Function", bound=Callable[..., Any])
_MOST_DRAWS = 10_000_000


class Option(Protocol):
    """A decorator that adds an option to a command's function."""

    def __call__(self, function: Function, /) -> Function:
        """Return the function with the option."""


def measures_option(what: str) -> Option:
    """Return ``-m``: measures by name, of which several may be given.

    Args:
        what: what is done with them, such as ``What to compute``.
    """
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"{what}, such as nDCG@10 or trec_eval's ndcg_cut_10; may be given often. "
        f"Default: {', '.join(map(str, DEFAULT_MEASURES))}; of a project its own.",
    )


def project_option(what: str) -> Option:
    """Return ``--project``: take runs and judgments from a project in place of files.

    Args:
        what: is done with it, such as ``Score a project's runs.``
    """
    return click.option("--project", type=click.Path(path_type=Path), metavar="PROJECT", help=what)


SCALE = click.option(
    "--scale",
    metavar="PRESET",
    help=f"How grades are read: {', '.join(SCALE_PRESETS)}. Default: TREC 0-4 (relevant from 1, "
    "gain = grade); of a project its own.",
)
RUNS = click.option(
    "--run", "runs", multiple=True, metavar="NAME", help="With --project: only this run."
)
VIEW = click.option(
    "--view",
    metavar="RULE",
    default=DEFAULT_VIEW,
    show_default=True,
    help=f"How several grades of a document become one: {', '.join(VIEW_RULES)}.",
)
DRAWS = click.option(
    "--draws",
    "n_draws",
    type=click.IntRange(1, _MOST_DRAWS),
    default=DEFAULT_DRAWS,
    show_default=True,
    metavar="N",
    help="Random draws of the randomization test; it is exact where there are no more ways.",
)
SEED = click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=DEFAULT_SEED,
    show_default=True,
    metavar="N",
    help="The same seed gives the same figures.",
)
