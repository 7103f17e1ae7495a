"""Blind judging: who must judge blind, and ids that tell nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from judgetool.session.commands import SetValues
from judgetool.session.session import Session

BLIND_KEY = "blind"
# No letters that are taken for digits or for each other; none that make up words.
_ALPHABET = "23456789bcdfghjkmnpqrstvwxzBCDFG"
_HALF_BITS = 16
_N_ROUNDS = 4
_LENGTH = 7
_LEAST_NAME = 3
_MOST_QUERIES = 100
_MOST_RANKS = 10


@dataclass(frozen=True, slots=True)
class BlindPolicy:
    """Who must judge without seeing ranks, scores, runs, others' judgments and values.

    Attributes:
        required_for: ``nobody``, ``all``, or the names of those who must.
        has_alias_ids: whether ids are replaced while judging blind.
    """

    required_for: Literal["nobody", "all"] | tuple[str, ...] = "nobody"
    has_alias_ids: bool = False


def blind_policy(session: Session) -> BlindPolicy:
    """Return what the project says of blind judging; nobody must if it says nothing."""
    stored = session.value(BLIND_KEY) or {}
    who = stored.get("required_for", "nobody")
    required_for = who if who in ("nobody", "all") else tuple(who)
    return BlindPolicy(required_for, bool(stored.get("alias_ids", False)))


def is_blind_required(session: Session) -> bool:
    """Whether the session's assessor must judge blind."""
    required_for = blind_policy(session).required_for
    if isinstance(required_for, tuple):
        return session.assessor in required_for
    return required_for == "all"


def set_blind_policy(
    required_for: Literal["nobody", "all"] | Sequence[str], *, alias_ids: bool = False
) -> SetValues:
    """Return the command that says who must judge blind.

    Args:
        required_for: ``nobody``, ``all``, or names of assessors.
        alias_ids: whether ids are replaced while judging blind.
    """
    is_word = required_for in ("nobody", "all")
    who = required_for if is_word else sorted(set(required_for))
    title = f"Blind judging required for {who if is_word else ', '.join(who) or 'nobody'}"
    return SetValues({BLIND_KEY: {"required_for": who or "nobody", "alias_ids": alias_ids}}, title)


def find_telling_id(session: Session) -> str | None:
    """Return an id of a document that has the name of a run in it; ``None`` where none is seen.

    The first documents of every run are looked at, for a hundred queries.

    References:
        KiroCrew#12150: eight ids that named their system were enough to judge by.
    """
    material = session.material
    for run in material.runs:
        name = run.name.casefold()
        if len(name) < _LEAST_NAME:
            continue
        for query in range(min(len(material.queries), _MOST_QUERIES)):
            first = material.ranked_documents(run.run_id, query)[:_MOST_RANKS].tolist()
            for found in material.document_ids(first).values():
                if name in found.casefold():
                    return found
    return None


def alias_id(session: Session, document: int) -> str:
    """Return an id for a document that tells neither its own nor when it came.

    The same in all copies of the project, and never the same for two documents of it.

    Args:
        session: the project.
        document: number of the document.

    References:
        A Feistel network with a keyed hash as round function permutes the numbers
        (M. Luby, C. Rackoff, 1988): two documents cannot meet.
    """
    return make_alias(session.uuid, document)


def make_alias(uuid: str, number: int) -> str:
    """Return the alias of a document's number in the project of this id.

    Args:
        uuid: of the project.
        number: 0 to 2³² − 1.
    """
    key = uuid.encode()[:64]
    mask = (1 << _HALF_BITS) - 1
    left, right = number >> _HALF_BITS & mask, number & mask
    for turn in range(_N_ROUNDS):
        digest = blake2b(bytes([turn]) + right.to_bytes(2, "big"), key=key, digest_size=2)
        left, right = right, left ^ int.from_bytes(digest.digest(), "big")
    mixed = left << _HALF_BITS | right
    letters = [_ALPHABET[mixed >> shift & 31] for shift in range(0, 5 * _LENGTH, 5)]
    return "".join(reversed(letters))
