"""What the engine answers with: one value, one mean."""

from typing import NamedTuple


class Value(NamedTuple):
    """A measure's value for one ranking.

    Attributes:
        value: the number, ``None`` when it is undefined or not counted.
        reason: why it is undefined, or why it is 0 by convention, in plain words
            (without a full stop); ``""`` for an ordinary value.
    """

    value: float | None
    reason: str = ""


class Mean(NamedTuple):
    """A measure over the queries of a run: the mean, or for counts the sum.

    Attributes:
        value: the number, ``None`` when there is no query to take it over.
        n_queries: queries that it is taken over.
        n_undefined: queries of the run's means whose own value is undefined.
        n_missing: judged queries for which the run has no documents.
    """

    value: float | None
    n_queries: int
    n_undefined: int
    n_missing: int
