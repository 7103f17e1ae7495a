"""Blind mode in the window: what holds for who judges, and documents that tell nothing."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from judgetool.core.judgments import Document
from judgetool.session.queues.order import OrderKind, OrderPolicy, order_of
from judgetool.session.reading_aids import alias_id, blind_policy, is_blind_required
from judgetool.session.session import Session
from judgetool.wording import N_

HIDDEN = N_(
    "Rank, score, run, addresses, other assessors and live values are hidden. "
    "This is stored with each judgment."
)
NEUTRAL: tuple[OrderKind, ...] = ("random", "id")
"""Orders from which nobody can tell what the systems thought of a document."""


@dataclass(frozen=True, slots=True)
class Blindness:
    """How blind the assessor judges.

    Attributes:
        is_on: whether what could sway them is hidden.
        is_required: whether the project asks for it, so that it cannot be switched off.
        has_alias_ids: whether ids are hidden, too.
    """

    is_on: bool = False
    is_required: bool = False
    has_alias_ids: bool = False


def find_blindness(session: Session | None, *, is_wanted: bool) -> Blindness:
    """Return how blind the session's assessor judges.

    Args:
        session: the project; ``None`` for none.
        is_wanted: whether the person has switched it on.
    """
    if session is None:
        return Blindness()
    is_required = is_blind_required(session)
    is_on = is_required or is_wanted
    return Blindness(is_on, is_required, is_on and blind_policy(session).has_alias_ids)


def blind_order(session: Session) -> OrderPolicy:
    """Return the order in which a blind assessor sees documents: the chosen one, or by chance."""
    policy = order_of(session)
    return policy if policy.kind in NEUTRAL else replace(policy, kind="random")


def make_mask(session: Session, blindness: Blindness) -> Callable[[int, Document], Document]:
    """Return what takes from a document all that tells where it comes from.

    Without blind mode documents stay as they are.
    """
    if not blindness.is_on:
        return lambda _number, document: document
    if not blindness.has_alias_ids:
        return lambda _number, document: replace(document, url="")
    return lambda number, document: replace(document, id=alias_id(session, number), url="")
