"""Renaming runs and taking them out of the project, as steps that Undo takes back.

A run's rankings never change and stay in the file: what is kept is a value
``run/<number>`` with its other name, or that it is gone. Snapshots that hold a run go on
doing so.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.session.comparing.baseline import KEY as BASELINE_KEY
from judgetool.session.comparing.snapshots import load_snapshots
from judgetool.session.material import RUN_PREFIX
from judgetool.session.session import Session
from judgetool.session.whatifs.stored import WhatIf, load_whatifs, query_key
from judgetool.wording import _


class RunUses(NamedTuple):
    """What depends on a run.

    Attributes:
        whatifs: names of what-ifs that were made from it; they go with it.
        snapshots: names of snapshots that hold it; they stay as they are.
        is_baseline: whether values are compared with it.
    """

    whatifs: tuple[str, ...]
    snapshots: tuple[str, ...]
    is_baseline: bool


def uses_of_run(session: Session, run_id: int) -> RunUses:
    """Return what depends on a run."""
    held = [
        snapshot.name
        for snapshot in load_snapshots(session)
        if any(each.kind == "run" and each.id == str(run_id) for each in snapshot.systems)
    ]
    whatifs = tuple(each.name for each in _made_from(session, run_id))
    return RunUses(whatifs, tuple(held), _baseline_run(session) == str(run_id))


def describe_uses(session: Session, run_id: int) -> str:
    """Return what goes and what stays when a run is taken out, for people."""
    uses = uses_of_run(session, run_id)
    parts = [_("Judgments stay, and Undo brings the run back.")]
    if uses.whatifs:
        parts.append(
            _("What-ifs made from it go with it: {names}.").format(names=", ".join(uses.whatifs))
        )
    if uses.snapshots:
        parts.append(
            _("Snapshots that hold it stay: {names}.").format(names=", ".join(uses.snapshots))
        )
    if uses.is_baseline:
        parts.append(_("It is the baseline; there is none then."))
    return " ".join(parts)


def rename_run(session: Session, run_id: int, name: str) -> None:
    """Give a run another name, in what was made from it too.

    Raises:
        CommandRefusedError: the name is empty or another run's, or there is no such run.
        ReadOnlyError: the project cannot be written.
    """
    name, before = name.strip(), _name_of(session, run_id)
    if name == before:
        return
    if not name or any(run.name == name for run in session.material.runs):
        raise CommandRefusedError(_("A run needs a name that no other run has."))
    values: dict[str, Any] = {f"{RUN_PREFIX}{run_id}": {"name": name}}
    for head in _made_from(session, run_id):
        bases = tuple(
            replace(base, name=name) if base.run_id == run_id else base for base in head.bases
        )
        values[head.key] = replace(head, bases=bases).to_dict()
    if _baseline_run(session) == str(run_id):
        baseline = session.value(BASELINE_KEY)
        system = {**baseline["system"], "name": name}
        values[BASELINE_KEY] = {**baseline, "name": name, "system": system}
    session.execute(SetValues(values, f"Rename run {before} to {name}"))


def delete_run(session: Session, run_id: int) -> None:
    """Take a run out of the project, and the what-ifs made from it; Undo brings all back.

    Judgments stay, and so do snapshots that hold it.

    Raises:
        CommandRefusedError: there is no such run.
        ReadOnlyError: the project cannot be written.
    """
    name = _name_of(session, run_id)
    values: dict[str, Any] = {f"{RUN_PREFIX}{run_id}": {"name": name, "is_deleted": True}}
    for head in _made_from(session, run_id):
        keys = [head.key, *session.values(query_key(head.id, ""))]
        values |= dict.fromkeys(keys)
    if _baseline_run(session) == str(run_id):
        values[BASELINE_KEY] = None
    session.execute(SetValues(values, f"Delete run {name}"))


def _name_of(session: Session, run_id: int) -> str:
    for run in session.material.runs:
        if run.run_id == run_id:
            return run.name
    raise CommandRefusedError(_("This run is no longer in the project."))


def _made_from(session: Session, run_id: int) -> list[WhatIf]:
    return [
        each for each in load_whatifs(session) if any(base.run_id == run_id for base in each.bases)
    ]


def _baseline_run(session: Session) -> str:
    """Return the number of the run that is the baseline, as text; empty for none."""
    baseline = session.value(BASELINE_KEY)
    system = baseline.get("system") if isinstance(baseline, Mapping) else None
    if not system or system.get("kind") != "run" or system.get("snapshot"):
        return ""
    return str(system.get("id"))
