"""An order of judging in a few words, for the status line."""

from collections.abc import Mapping

from judgetool.session.order_policy import OrderKind, OrderPolicy

_SHORT: Mapping[OrderKind, str] = {
    "rank": "by rank",
    "id": "by document id",
    "random": "random",
    "interleaved": "round robin over runs",
    "move_to_front": "move to front",
    "stake": "by stake",
}


def describe_order(policy: OrderPolicy) -> str:
    """Return an order as the status line says it: ``Order: random, seed 20417``.

    Returns:
        ``""`` for the usual order: by rank, query by query.
    """
    if policy.kind == "rank" and not policy.unjudged_first and not policy.across_queries:
        return ""
    parts = [_SHORT[policy.kind]]
    parts += [f"seed {policy.seed}"] * (policy.kind == "random")
    parts += ["unjudged first"] * policy.unjudged_first
    parts += ["across queries"] * policy.across_queries
    return f"Order: {', '.join(parts)}"
