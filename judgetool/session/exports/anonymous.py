"""Exports in which nobody is named: who stands as what, and what else would tell."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from judgetool.errors import InputError
from judgetool.formats import JudgmentRow
from judgetool.formats.writers import ExportChoices
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.values import load_assessors, load_speakers
from judgetool.wording import _


def anonymous_names(session: Session, reader: Connection, seed: int) -> dict[str, str]:
    """Return what assessors are called where nobody is named.

    The numbers follow from the seed, the project and the name alone: every export of the project
    with this seed has the same ones, and who does not have the project cannot try out names.

    Returns:
        ``A1``, ``A2`` … for people and imports, ``M1`` … for models, ``settled`` for what was
        settled, by name, of those who have said something. A second look of somebody has none.
    """
    spoken = load_speakers(reader)
    assessors = [each for each in load_assessors(reader) if each.assessor_id in spoken]
    found = {}
    for kinds, letter in ((("human", "import"), "A"), (("model",), "M")):
        names = [each.name for each in assessors if each.kind in kinds]
        names.sort(key=lambda name: sha256(f"{seed}\0{session.uuid}\0{name}".encode()).digest())
        found.update({name: f"{letter}{number}" for number, name in enumerate(names, 1)})
    return found | {each.name: "settled" for each in assessors if each.kind == "settled"}


def by_number(name: str) -> tuple[str, int]:
    """Return by what such names are ordered: A2 before A10."""
    return name[:1], int("0" + "".join(filter(str.isdecimal, name)))


def shown_choices(session: Session, reader: Connection, choices: ExportChoices) -> ExportChoices:
    """Return the choices as they may be told: of what is anonymous without a name.

    Raises:
        InputError: the judgments asked for are somebody's second look, which stays hidden.
    """
    if not (choices.anonymous and choices.assessor):
        return choices
    names = anonymous_names(session, reader, choices.seed)
    if choices.assessor not in names:
        raise InputError(
            _("What ‘{assessor}’ said is no part of an anonymous export.").format(
                assessor=choices.assessor
            )
        )
    return replace(choices, assessor=names[choices.assessor])


def without_names(rows: Sequence[JudgmentRow], names: Mapping[str, str]) -> list[JudgmentRow]:
    """Return judgments without what tells who made them, and when; equal times have one place."""
    known = [row for row in rows if row.assessor in names]
    times = sorted({row.details.at for row in known if row.details.at is not None})
    place_of = {at: place for place, at in enumerate(times, 1)}
    kept: dict[str, list[JudgmentRow]] = {}
    for row in known:
        details = row.details
        order = None if details.at is None else place_of[details.at]
        kept.setdefault(row.query_id, []).append(
            row._replace(
                assessor=names[row.assessor],
                note="",
                details=details._replace(at=order, spent_ms=None),
            )
        )
    return [
        row
        for some in kept.values()
        for row in sorted(some, key=lambda row: (row.document_id, by_number(row.assessor)))
    ]
