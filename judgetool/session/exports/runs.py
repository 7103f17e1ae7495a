"""Under which name runs and assessors are written, and exports in which nobody is named.

Scores of a what-if fall strictly, so that nobody orders it anew.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from judgetool.core.number_text import number_of
from judgetool.core.rankings import Ranking, apply
from judgetool.errors import InputError
from judgetool.formats import JudgmentRow, RankedResult
from judgetool.formats.writers import ExportChoices, RunSource
from judgetool.metrics import RunBlock
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.whatifs.applying import match_documents
from judgetool.session.whatifs.book import base_block, ruled_block, unique_documents
from judgetool.session.whatifs.stored import (
    WhatIf,
    assumed_in,
    find_whatif_named,
    load_query_steps,
    load_whatifs,
    touched_queries,
)
from judgetool.storage.connection import Connection
from judgetool.storage.material import RunRow
from judgetool.storage.values import load_assessors, load_speakers
from judgetool.wording import _


def _block(session: Session, material: Material, head: WhatIf) -> RunBlock:
    block = base_block(material, head)
    if head.rules:
        matches = match_documents(head.rules, unique_documents([block]), material.iter_texts)
        block = ruled_block(material, head, block, matches)
    changed = {}
    for query in touched_queries(session, head.id):
        found = load_query_steps(session, head.id, query, material=material)
        if found.steps:
            changed[query] = apply(block.ranking(query), found.steps)
    return block.with_rankings(changed)


def list_run_names(session: Session) -> tuple[str, ...]:
    """Return the names of all that can be written as a run: runs first, then what-ifs."""
    runs = [run.name for run in session.material.runs]
    return (*runs, *(whatif.name for whatif in load_whatifs(session)))


def find_run_source(
    session: Session, material: Material, names: tuple[str, ...]
) -> tuple[RunSource | None, list[str]]:
    """Return what is written of the run or what-if of the first name, and what is to be said of it.

    For any thread: nothing is read but the project's values and ``material``.

    Args:
        session: the project.
        material: read by a connection of the calling thread.
        names: of runs; ``()`` is the first run of the project, if it has one.

    Returns:
        ``None`` for a project without runs; and a sentence for each rule of a what-if that
        is kept and not run, and one for the grades that it assumes.

    Raises:
        InputError: there is no run and no what-if of this name; the text lists them. Or the
            run that a what-if was made from is no longer in the project.
    """
    if not names and not material.runs:
        return None, []
    name = names[0] if names else material.runs[0].name
    head = find_whatif_named(session, name) if material.find_run(name) is None else None
    find: Callable[[int], Ranking]
    if head is None:
        run_id = find_stored_run(session, material, name).run_id
        block, find = material.block(run_id), partial(material.ranking, run_id)
    else:
        block = _block(session, material, head)
        find = partial(_scored, block)
    said = [rule.gap for rule in (head.rules if head else ()) if rule.is_on and rule.gap]
    said += _assumed_note(session, material, head) if head else []
    return RunSource(name, len(block.documents), partial(_iter_results, material, find)), said


def _assumed_note(session: Session, material: Material, head: WhatIf) -> list[str]:
    """Say how many grades a what-if assumes, which no run holds; nothing where there are none."""
    queries = touched_queries(session, head.id)
    steps = [load_query_steps(session, head.id, query, material=material) for query in queries]
    n_assumed = sum(len(each.grades) for each in steps)
    if not n_assumed:
        return []
    return [
        number_of(
            n_assumed,
            "{name} assumes {n} grade, which no run holds: where nobody gives it, this run has other "
            "values than the what-if.",
            "{name} assumes {n} grades, which no run holds: where nobody gives them, this run has "
            "other values than the what-if.",
            name=head.name,
        )
    ]


class ValuedRun(NamedTuple):
    """A run or what-if as it is valued.

    Attributes:
        block: its rankings.
        assumed: grades by query and document that count for it alone, where nobody judged.
    """

    block: RunBlock
    assumed: Mapping[int, Mapping[int, float]]


def find_valued_run(session: Session, material: Material, name: str) -> ValuedRun:
    """Return the run or what-if of a name; for any thread, as :func:`find_run_source`.

    Raises:
        InputError: there is none; the text lists them. Or the run that a what-if was made from
            is no longer in the project.
    """
    head = find_whatif_named(session, name) if material.find_run(name) is None else None
    if head is None:
        return ValuedRun(material.block(find_stored_run(session, material, name).run_id), {})
    queries = touched_queries(session, head.id)
    steps = {
        query: load_query_steps(session, head.id, query, material=material) for query in queries
    }
    return ValuedRun(_block(session, material, head), assumed_in(steps))


def _scored(block: RunBlock, query: int) -> Ranking:
    """Return a ranking of a what-if with scores that fall strictly."""
    ranked = block.ranking(query)
    return Ranking(ranked, np.arange(len(ranked), 0, -1, dtype=np.float64))


def find_stored_run(session: Session, material: Material, name: str) -> RunRow:
    """Return the run of this name.

    Raises:
        InputError: there is none; the text lists them.
    """
    run = material.find_run(name)
    if run is None:
        names = ", ".join(list_run_names(session)) or "none"
        raise InputError(
            _("There is no run ‘{name}’ in {project}. It has: {names}.").format(
                name=name, project=session.path.name, names=names
            )
        )
    return run


def _iter_results(material: Material, find: Callable[[int], Ranking]) -> Iterator[RankedResult]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        ranking = find(number)
        for place, document in enumerate(ranking.documents.tolist()):
            score = None if ranking.scores is None else float(ranking.scores[place])
            yield RankedResult(query.id, ids[document], score)


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
