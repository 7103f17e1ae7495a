"""How the documents of a list moved against the project's baseline, as cards show it."""

from collections.abc import Mapping

from judgetool.errors import InputError
from judgetool.session.session import Session

_NOTHING: Mapping[int, str] = {}


def find_moves(session: Session, run_id: int | None, query: int) -> Mapping[int, str]:
    """Return ``↑3``, ``↓1``, ``new`` or ``gone`` by document; those that did not move have none.

    Args:
        session: the project.
        run_id: the run shown; without one nothing has moved.
        query: number of the query.

    Returns:
        Nothing where the project has no baseline, or one that is gone.
    """
    if run_id is None or session.value("baseline") is None:
        return _NOTHING
    # What it takes is loaded by the first project that has a baseline.
    from judgetool.session.comparing.baseline import (  # noqa: PLC0415 - said above
        baseline_ranking,
        find_baseline,
        movements,
    )
    from judgetool.session.systems import run_system  # noqa: PLC0415 - likewise

    baseline = find_baseline(session)
    if baseline is None:
        return _NOTHING
    try:
        before = baseline_ranking(session, baseline, run_system(session, run_id), query)
    except InputError:
        # The view in which the baseline was chosen says what has become of it.
        return _NOTHING
    if before is None:
        return _NOTHING
    found = movements(before, session.material.ranked_documents(run_id, query))
    shown = {each.document: _short(each.word) for each in (*found.present, *found.gone)}
    return {document: word for document, word in shown.items() if word}


def _short(word: str) -> str:
    direction, _, by = word.partition(" ")
    return {"up": f"↑{by}", "down": f"↓{by}", "same": ""}.get(direction, word)
