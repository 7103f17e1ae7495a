"""Which documents are to be judged: the policy, as chosen and as stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from judgetool.core.number_text import number_of
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.wording import NN_, _, in_english

PoolKind = Literal["depth", "all", "unjudged", "file", "asked"]
POOL_KINDS: tuple[PoolKind, ...] = get_args(PoolKind)
POOL_KEY, DEPTH_KEY, ADDED_KEY = "pool", "pool_depth", "pool/added/"
DEFAULT_POOL_DEPTH = 10

Pairs = Mapping[str, Sequence[str]]
"""Document ids by query id, in the order in which they are to be judged."""

NO_PAIRS: Pairs = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PoolPolicy:
    """Which documents of each query are to be judged.

    Attributes:
        kind: ``depth``: the first ranks of the chosen runs; ``all``: every rank of
            them; ``unjudged``: what was unjudged in their first ranks when this was
            chosen; ``file``: the pairs of a file; ``asked``: what the assessor is asked, which
            is never stored.
        depth: ranks of each run that count, at least 1; ``all`` and ``file`` ignore it.
        runs: names of the chosen runs; ``()`` is all of them, those to come included.
        pairs: of ``unjudged``, ``file`` and ``asked`` the documents themselves: judging must not
            make a pool smaller. Of the others empty.

    Raises:
        CommandRefusedError: there is no such kind, or the depth is below 1.
    """

    kind: PoolKind = "depth"
    depth: int = DEFAULT_POOL_DEPTH
    runs: tuple[str, ...] = ()
    pairs: Pairs = field(default_factory=lambda: NO_PAIRS)

    def __post_init__(self) -> None:
        if self.kind not in POOL_KINDS:
            raise CommandRefusedError(
                _("There is no pool ‘{kind}’. Choose one of: {known}.").format(
                    kind=self.kind, known=", ".join(POOL_KINDS)
                )
            )
        if self.depth < 1:
            raise CommandRefusedError(
                _("A pool depth of {depth} leaves nothing to judge. Choose 1 or more.").format(
                    depth=self.depth
                )
            )

    @property
    def is_frozen(self) -> bool:
        """Whether the documents were fixed when the pool was chosen."""
        return self.kind in ("unjudged", "file", "asked")

    @property
    def max_rank(self) -> int | None:
        """The deepest rank that counts; ``None`` for all of them."""
        return None if self.kind == "all" else self.depth

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values, for the project file."""
        values: dict[str, Any] = {"kind": self.kind, "depth": self.depth, "runs": list(self.runs)}
        if self.is_frozen:
            values["pairs"] = {query: list(documents) for query, documents in self.pairs.items()}
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "PoolPolicy":
        """Build a policy from :meth:`to_dict`'s result.

        Raises:
            CommandRefusedError: it is of a kind that this judgetool does not know.
        """
        return PoolPolicy(
            values.get("kind", "depth"),
            int(values.get("depth", DEFAULT_POOL_DEPTH)),
            tuple(values.get("runs", ())),
            values.get("pairs", NO_PAIRS),
        )


@dataclass(frozen=True, slots=True)
class PoolChoice:
    """A policy, and what was added to the pools by hand.

    Attributes:
        policy: see :class:`PoolPolicy`.
        added: further documents, whatever the policy says.
    """

    policy: PoolPolicy = field(default_factory=PoolPolicy)
    added: Pairs = field(default_factory=lambda: NO_PAIRS)


def find_pool_choice(values: Mapping[str, Any]) -> PoolChoice:
    """Return what a project's own values say of its pools; the top ten if nothing.

    Args:
        values: all of the project's own values, by key.
    """
    stored = values.get(POOL_KEY)
    if stored:
        policy = PoolPolicy.from_dict(stored)
    else:
        policy = PoolPolicy("depth", int(values.get(DEPTH_KEY, DEFAULT_POOL_DEPTH)))
    added = {
        key.removeprefix(ADDED_KEY): tuple(documents)
        for key, documents in sorted(values.items())
        if key.startswith(ADDED_KEY)
    }
    return PoolChoice(policy, added)


def is_pool_key(key: str) -> bool:
    """Whether pools depend on the project's value of this key."""
    return key in (POOL_KEY, DEPTH_KEY) or key.startswith(ADDED_KEY)


_COUNTED: dict[PoolKind, tuple[str, str]] = {
    "unjudged": NN_(
        "{n} document unjudged in the top {depth} of {runs}",
        "{n} documents unjudged in the top {depth} of {runs}",
    ),
    "file": NN_("{n} document from a file", "{n} documents from a file"),
    "asked": NN_(
        "{n} document that you are asked to judge", "{n} documents that you are asked to judge"
    ),
}


def set_pool(policy: PoolPolicy) -> SetValues:
    """Return the command that chooses a pool.

    Args:
        policy: one of kind ``unjudged`` must have its pairs:
            :func:`judgetool.session.queues.pool_choice.choose_pool` finds them.

    Raises:
        CommandRefusedError: it lacks its pairs.
    """
    if policy.is_frozen and not policy.pairs:
        raise CommandRefusedError(
            _(
                "This pool would have no documents: nothing is left to judge there. The pool "
                "stays as it was."
            )
        )
    with in_english():
        title = f"Pool: {describe_pool(policy)}"
    return SetValues({POOL_KEY: policy.to_dict()}, title)


def describe_pool(policy: PoolPolicy) -> str:
    """Return a policy in a few words: ``top 10 of all runs``."""
    runs = ", ".join(policy.runs) if policy.runs else _("all runs")
    texts: dict[PoolKind, str] = {
        "depth": _("top {depth} of {runs}"),
        "all": _("everything in {runs}"),
    }
    if policy.kind in texts:
        return texts[policy.kind].format(depth=policy.depth, runs=runs)
    count = sum(map(len, policy.pairs.values()))
    return number_of(count, *_COUNTED[policy.kind], depth=policy.depth, runs=runs)
