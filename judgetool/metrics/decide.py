"""Decide which of two runs is better: units drawn by lot, bets on the difference, a stop at any time.

The question is which run has the higher mean of one measure on these queries, if the pool of
both were judged to the measure's cutoff. Who draws at random may stop early; who chooses may not.

* A unit is the smallest thing whose contributions add up to the mean difference: of sums
  (P, CG, DCG, RBP) a pair of documents of one query, one that counts for the first run and one
  that counts for the second; of all other measures a whole query.
* A unit is drawn in proportion to how far it can move the mean. What is known, and what was
  drawn divided by its chance, estimates the difference without a lean: E[t] = Y.
* A bet against 'Y is 0 or less' multiplies its stake by 1 - f t / least. As E[t] = Y, it is a
  supermartingale where the claim is false, and ever reaches 1 / risk with a chance of at most
  the risk (Ville 1939). Several f are bet at once, and their mean counts.

Sources: I. Waudby-Smith, A. Ramdas: Estimating means of bounded random variables by betting,
JRSS B 2024 (there without replacement, too); S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas:
Risk-limiting financial audits via weighted sampling without replacement, UAI 2023.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from judgetool.metrics.decide_units import SAME, Units
from judgetool.metrics.terms import BoolArray, FloatArray

BETS = np.array([0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97])
"""The shares of what is there that are bet, side by side."""
RISK = 0.05
FEW_QUERIES = 20
"""With so many queries or fewer, drawing whole ones saves nothing: stake to certainty is offered."""
_N_CONTINUATIONS = 60
_LEAST_DRAWS = 20

Winner = Literal[1, 0, -1]


class DecideRules(NamedTuple):
    """What is decided, and how surely.

    Attributes:
        risk: chance at most of naming the worse run, above 0 and below 1.
        tie: differences below it do not matter, above 0; ``None``: every one does.
    """

    risk: float = RISK
    tie: float | None = None


class Draw(NamedTuple):
    """One draw as it is logged, before anything of the unit is shown.

    Attributes:
        unit: its number.
        chance: with which it was drawn of those that were open.
        least: of all open ones, the least end divided by the chance.
        most: the greatest, likewise.
        known: units that came to be known since the draw before without being drawn.
    """

    unit: int
    chance: float
    least: float
    most: float
    known: tuple[int, ...] = ()


class Ending(NamedTuple):
    """What a stop says.

    Attributes:
        winner: 1: the first run is better; -1: the second; 0: no difference of the tie or more,
            or none at all.
        is_certain: whether it holds however the rest is graded; else it has the risk.
    """

    winner: Winner
    is_certain: bool


class Evidence(NamedTuple):
    """What the bets are worth after each draw, as logarithms; each begins with 0.

    Attributes:
        first: bets that the first run is better, shape (n,).
        second: that the second is.
        tie: the lesser of the bets that the difference is not down to -tie, and not up to +tie;
            minus infinity without a tie.
    """

    first: FloatArray
    second: FloatArray
    tie: FloatArray

    def first_stop(self, risk: float) -> tuple[int, Winner] | None:
        """Return the draw, from 0, at which a bet has reached 1 / risk, and what it says; or ``None``."""
        stops = [
            (int(np.argmax(reached)), winner)
            for bets, winner in ((self.first, 1), (self.second, -1), (self.tie, 0))
            if (reached := bets >= -np.log(risk) - SAME).any()
        ]
        found = min(stops, key=lambda stop: stop[0], default=None)
        return None if found is None else (found[0], found[1])  # type: ignore[return-value]


class _Looks(NamedTuple):
    """What each draw makes of the total, and the least and most that it could have; shape (n,) each."""

    low: FloatArray
    high: FloatArray
    least: FloatArray
    most: FloatArray

    def claims(self, tie: float | None) -> list[tuple[FloatArray, FloatArray]]:
        """Return for each claim 'something is above 0' what was seen of it, and the least possible.

        The first run is better, the second is; then the difference is above -tie, and below tie.
        """
        claims = [(self.low, self.least), (-self.high, -self.most)]
        if tie is not None:
            claims += [(self.low + tie, self.least + tie), (tie - self.high, tie - self.most)]
        return claims


def weigh(
    draws: Sequence[Draw], low: FloatArray, high: FloatArray, *, tie: float | None = None
) -> Evidence:
    """Return the bets after each draw, worked out anew from the log and the grades in force.

    Args:
        draws: in their order.
        low: the least that each unit can add to the mean difference, now, shape (m,).
        high: the greatest.
        tie: differences below it do not matter.
    """
    looks = _look_back(draws, low, high)
    return _evidence([_bet(*claim) for claim in looks.claims(tie)])


def _look_back(draws: Sequence[Draw], low: FloatArray, high: FloatArray) -> _Looks:
    n_draws = len(draws)
    left = np.full(len(low), n_draws)
    for at, draw in enumerate(draws):
        left[list(draw.known)] = at
        left[draw.unit] = at + 1
    # What is known before each draw.
    start_low, start_high = (
        np.cumsum(np.bincount(left, weights=ends, minlength=n_draws + 1))[:n_draws]
        for ends in (low, high)
    )
    units = np.array([draw.unit for draw in draws], dtype=np.intp)
    chances, least, most = np.array([draw[1:4] for draw in draws]).reshape(-1, 3).T
    return _Looks(
        start_low + low[units] / chances,
        start_high + high[units] / chances,
        start_low + least,
        start_high + most,
    )


def _bet(seen: FloatArray, least: FloatArray) -> FloatArray:
    """Return the logarithms of the stakes after each draw, betting that the total is above 0.

    Args:
        seen: what each draw makes of the total, at least, shape (n,).
        least: the least that it could have made of it.

    Returns:
        A row for each of BETS, shape (b, n).
    """
    can_bet = least < -SAME
    ratio = np.divide(seen, least, out=np.zeros(len(seen)), where=can_bet)
    # A grade that was changed later may lie outside of what was possible at the draw.
    logs = np.log(np.maximum(1.0 - BETS[:, None] * ratio, 1e-300))
    # Nothing below 0 was possible: what is above it is proof.
    logs[:, ~can_bet] = np.where(seen[~can_bet] > SAME, np.inf, 0.0)
    return np.cumsum(logs, axis=1)


def _log_mean(logs: FloatArray) -> FloatArray:
    """Return the logarithm of the mean stake over the bets, shape (n,)."""
    mean: FloatArray = np.logaddexp.reduce(logs, axis=0) - math.log(len(logs))
    return mean


def _evidence(logs: Sequence[FloatArray]) -> Evidence:
    means = [_log_mean(each) for each in logs]
    tied = np.minimum(*means[2:]) if len(means) > 2 else np.full(len(means[0]), -np.inf)
    return Evidence(means[0], means[1], tied)


def outcome_by_interval(interval: tuple[float, float], tie: float | None) -> Ending | None:
    """Return what is certain however the rest is graded; ``None`` while it is not."""
    low, high = interval
    if low > SAME:
        return Ending(1, is_certain=True)
    if high < -SAME:
        return Ending(-1, is_certain=True)
    margin = SAME if tie is None else tie - SAME
    return Ending(0, is_certain=True) if max(-low, high) <= margin else None


@dataclass(slots=True, eq=False)
class Attempt:
    """One attempt: units, what was drawn of them, and what follows from it.

    Attributes:
        units: with the grades in force.
        rules: what is decided.
        seed: of all draws.
        draws: as logged.
    """

    units: Units
    rules: DecideRules
    seed: int
    draws: list[Draw] = field(default_factory=list)
    _is_out: BoolArray = field(init=False)
    _weighed: tuple[tuple[int, int], Evidence] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._is_out = np.zeros(len(self.units), dtype=np.bool_)
        for draw in self.draws:
            self._is_out[[draw.unit, *draw.known]] = True

    def draw(self) -> Draw | None:
        """Draw the next unit, ``None`` when none is left."""
        drawn = self.propose()
        if drawn is not None:
            self.take(drawn)
        return drawn

    def take(self, drawn: Draw) -> None:
        """Go on from a draw that is logged."""
        self.draws.append(drawn)
        self._is_out[[drawn.unit, *drawn.known]] = True

    def propose(self) -> Draw | None:
        """Return the next draw, to be logged before it is taken and shown; ``None`` without one.

        It is the same until it is taken: it hangs on the seed and the number of draws alone.
        """
        units = self.units
        known = np.flatnonzero(units.is_spent & ~self._is_out)
        is_left = ~(self._is_out | units.is_spent)
        left = np.flatnonzero(is_left)
        if not len(left):
            return None
        low, high = units.low[left], units.high[left]
        sizes = np.maximum(-low, high)
        upto = np.cumsum(sizes)
        chances = sizes / upto[-1]
        lot = np.random.default_rng((self.seed, len(self.draws))).random() * upto[-1]
        at = min(int(np.searchsorted(upto, lot, side="right")), len(left) - 1)
        return Draw(
            int(left[at]),
            float(chances[at]),
            float((low / chances).min()),
            float((high / chances).max()),
            tuple(known.tolist()),
        )

    def next_document(self) -> int | None:
        """Return the open document to be judged next of what was drawn; ``None``: draw.

        A pair's documents come by lot, a query's by stake. What was reopened comes first.
        """
        for unit in np.flatnonzero(self._is_out & ~self.units.is_spent).tolist():
            if self.units.are_queries:
                return self.units.best_of(unit)
            documents = self.units.open_of(unit)
            lot = np.random.default_rng((self.seed, unit, 1))
            return int(documents[int(lot.integers(len(documents)))])
        return None

    def evidence(self) -> Evidence:
        """Return the bets after each draw; the last unit counts once it is judged."""
        now = len(self.draws), self.units.version
        if self._weighed is None or self._weighed[0] != now:
            found = weigh(self._judged_draws, self.units.low, self.units.high, tie=self.rules.tie)
            self._weighed = now, found
        return self._weighed[1]

    @property
    def _judged_draws(self) -> list[Draw]:
        """All draws, but for a last one whose unit is not judged yet."""
        is_half = self.draws and not self.units.is_spent[self.draws[-1].unit]
        return self.draws[:-1] if is_half else self.draws

    def estimate(self) -> tuple[float, float | None] | None:
        """Return the mean difference as the draws estimate it, and the standard error of that.

        The mean over the draws of what each makes of the total: what nobody judged is not taken
        for 0, as it is in the mean over what is judged. It never leaves what is possible still.
        ``None`` before two draws are judged. Draws that were all alike tell no error, ``None``,
        while anything else is possible still.
        """
        draws = self._judged_draws
        if len(draws) < 2:
            return None
        looks = _look_back(draws, self.units.low, self.units.high)
        middles = (looks.low + looks.high) / 2
        low, high = self.units.interval
        error = None
        if np.ptp(middles) > SAME or high - low <= SAME:
            error = min(float(middles.std(ddof=1)) / math.sqrt(len(draws)), high - low)
        return min(max(float(middles.mean()), low), high), error

    def outcome(self) -> Ending | None:
        """Return what may be said now: certain, by evidence, or ``None`` for nothing yet."""
        certain = outcome_by_interval(self.units.interval, self.rules.tie)
        if certain is not None:
            return certain
        stop = self.evidence().first_stop(self.rules.risk)
        return None if stop is None else Ending(stop[1], is_certain=False)

    @property
    def most_left(self) -> int:
        """How many judgments may still be needed at most."""
        is_wanted = self.units.is_open & ~self.units.is_spent[self.units.of]
        return int(is_wanted.sum())

    def likely_left(self) -> tuple[int, int] | None:
        """Return between how many judgments a stop will likely take: 10th and 90th percentile.

        The open units are thought to turn out as those that were drawn (a Bayesian bootstrap of
        their differences by size, with half a draw each of -1, 0 and 1 added), and are drawn and
        bet on as here. ``None`` for whole queries, before 20 draws, and where nothing is left.
        """
        prospect = self.prospect()
        return None if prospect is None else prospect.likely_left()

    def prospect(self) -> "Prospect | None":
        """Copy what :meth:`likely_left` needs, for another thread; ``None`` where it says nothing."""
        units, left = self.units, np.flatnonzero(~(self._is_out | self.units.is_spent))
        done = [draw for draw in self.draws if units.is_spent[draw.unit]]
        if units.are_queries or len(done) < _LEAST_DRAWS or not len(left):
            return None
        drawn = [draw.unit for draw in done]
        past = _look_back(done, units.low, units.high)
        n_open = np.bincount(units.of, weights=units.is_open, minlength=len(units))
        return Prospect(
            units.low[left],
            units.high[left],
            n_open[left].astype(np.float64),
            units.interval,
            np.append(units.now[drawn] / units.sizes[drawn], (-1.0, 0.0, 1.0)),
            [_bet(*claim)[:, -1:] for claim in past.claims(self.rules.tie)],
            self.rules,
            (self.seed, len(self.draws), 2),
        )


class Prospect(NamedTuple):
    """What is known of the units that may still be drawn.

    Attributes:
        low: the least that each can add, shape (m,).
        high: the greatest.
        n_open: how many judgments each takes.
        interval: least and greatest mean difference.
        seen: how those turned out that were drawn, by their size; then -1, 0 and 1.
        stakes: of each claim, what the bets are worth so far, shape (b, 1) each.
        rules: risk and tie.
        seed: of the continuations.
    """

    low: FloatArray
    high: FloatArray
    n_open: FloatArray
    interval: tuple[float, float]
    seen: FloatArray
    stakes: list[FloatArray]
    rules: DecideRules
    seed: tuple[int, int, int]

    def likely_left(self) -> tuple[int, int]:
        """Return the 10th and 90th percentile of the judgments that 60 continuations take."""
        random = np.random.default_rng(self.seed)
        counts = np.append(np.ones(len(self.seen) - 3), np.full(3, 0.5))
        needed = [
            self._continue(
                random.choice(self.seen, len(self.low), p=random.dirichlet(counts)), random
            )
            for _ in range(_N_CONTINUATIONS)
        ]
        low, high = np.percentile(needed, (10, 90)).tolist()
        return round(low), round(high)

    def _continue(self, ratios: FloatArray, random: "np.random.Generator") -> int:
        """Return after how many judgments one continuation stops, if units turn out so by size."""
        sizes = np.maximum(-self.low, self.high)
        # In the order of exponential times by size: each is drawn in proportion to it.
        order = np.argsort(random.exponential(size=len(sizes)) / sizes)
        sizes, low, high = sizes[order], self.low[order], self.high[order]
        adds = np.clip(ratios[order] * sizes, low, high)
        left = np.cumsum(sizes[::-1])[::-1]
        least = left * np.minimum.accumulate((low / sizes)[::-1])[::-1]
        most = left * np.maximum.accumulate((high / sizes)[::-1])[::-1]
        before = np.cumsum(adds) - adds
        known_low = self.interval[0] - low.sum() + before
        known_high = self.interval[1] - high.sum() + before
        drawn = adds * left / sizes
        looks = _Looks(known_low + drawn, known_high + drawn, known_low + least, known_high + most)
        claims = zip(self.stakes, looks.claims(self.rules.tie), strict=True)
        stop = _evidence([start + _bet(*claim) for start, claim in claims]).first_stop(
            self.rules.risk
        )
        certain = (self.interval[0] + np.cumsum(adds - low) > SAME) | (
            self.interval[1] + np.cumsum(adds - high) < -SAME
        )
        ends = [len(sizes) - 1 if stop is None else stop[0]]
        ends += [int(np.argmax(certain))] if certain.any() else []
        return int(np.cumsum(self.n_open[order])[min(ends)])
