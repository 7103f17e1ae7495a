"""In which order documents are judged: the policy, as chosen and as stored."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues

OrderKind = Literal["rank", "id", "random", "interleaved", "move_to_front", "stake"]
ORDER_KINDS: tuple[OrderKind, ...] = get_args(OrderKind)
ORDER_KEY, OWN_ORDER_KEY = "order", "order/"

ORDER_TITLES: dict[OrderKind, str] = {
    "rank": "By rank",
    "id": "By document id",
    "random": "Random for each assessor",
    "interleaved": "Round robin over runs",
    "move_to_front": "Move to front",
    "stake": "By stake",
}
"""How each kind is shown."""


@dataclass(frozen=True, slots=True)
class OrderPolicy:
    """In which order an assessor sees what is to be judged.

    Attributes:
        kind: ``rank``: as the shown run ranks; ``id``: by document id; ``random``: by
            chance, for each assessor another, on every machine the same;
            ``interleaved``: runs in turn, each with its best document that is not yet
            there; ``move_to_front``: runs that keep giving relevant documents first;
            ``stake``: what could change a value most first.
        seed: of ``random``.
        unjudged_first: unjudged documents before the others, each in the order above.
        across_queries: documents of all queries in turn instead of query by query.

    Raises:
        CommandRefusedError: there is no such kind.
    """

    kind: OrderKind = "rank"
    seed: int = 1
    unjudged_first: bool = False
    across_queries: bool = False

    def __post_init__(self) -> None:
        if self.kind not in ORDER_KINDS:
            raise CommandRefusedError(
                f"There is no order {self.kind!r}. Choose one of: {', '.join(ORDER_KINDS)}."
            )

    @property
    def is_fixed(self) -> bool:
        """Whether judging leaves the order as it is."""
        return self.kind not in ("move_to_front", "stake") and not self.unjudged_first

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values, for the project file."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "OrderPolicy":
        """Build a policy from :meth:`to_dict`'s result; what is missing is default.

        Raises:
            CommandRefusedError: it is of a kind that this judgetool does not know.
        """
        return OrderPolicy(
            values.get("kind", "rank"),
            int(values.get("seed", 1)),
            bool(values.get("unjudged_first", False)),
            bool(values.get("across_queries", False)),
        )


def set_order(policy: OrderPolicy | None, *, assessor: str | None = None) -> SetValues:
    """Return the command that chooses an order.

    Args:
        policy: the order; ``None`` goes back to the project's (for an assessor) or to
            the order of ranks.
        assessor: for whom alone; ``None`` for all who have none of their own.
    """
    key = ORDER_KEY if assessor is None else OWN_ORDER_KEY + assessor
    name = ORDER_TITLES[policy.kind if policy else "rank"].lower()
    title = f"Order: {name}" if policy or assessor is None else "Order: the project's"
    whom = f" for {assessor}" if assessor is not None else ""
    return SetValues({key: policy.to_dict() if policy else None}, title + whom)
