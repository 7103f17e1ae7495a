"""The systems of a project as the compare view names them."""

from collections.abc import Iterable
from dataclasses import replace

from judgetool.session.comparing.snapshots import find_snapshot
from judgetool.session.comparing.system_values import all_systems
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs import find_whatif
from judgetool.session.whatifs.book import whatif_book


def named_systems(session: Session) -> list[System]:
    """Return everything that can be compared, those of snapshots with the snapshot's name."""
    return [_named(session, system) for system in all_systems(session)]


def _named(session: Session, system: System) -> System:
    if not system.snapshot:
        return system
    snapshot = find_snapshot(session, system.snapshot)
    name = snapshot.name if snapshot is not None else "snapshot"
    return replace(system, name=f"{system.name} ({name})")


def remarks_of(session: Session, systems: Iterable[System]) -> dict[str, str]:
    """Return what each system is, by key, such as ``run, 20 queries``."""
    return {system.key: _remark(session, system) for system in systems}


def _remark(session: Session, system: System) -> str:
    if system.snapshot:
        snapshot = find_snapshot(session, system.snapshot)
        return f"{system.kind} of snapshot {snapshot.name}" if snapshot else "snapshot"
    if system.kind == "what-if":
        head = find_whatif(session, system.id)
        if head is None:
            return "what-if"
        of = f"what-if, {head.origin}" if head.how == "fused" else f"what-if of {head.origin}"
        n_assumed = whatif_book(session).count_assumed(system.id)
        # No other row has them: values with assumed grades beside values without.
        return of if not n_assumed else f"with {_counted_grades(n_assumed)} assumed, {of}"
    run = next((row for row in session.material.runs if str(row.run_id) == system.id), None)
    if run is None:
        return "run"
    return f"run, {run.n_queries:,} {'query' if run.n_queries == 1 else 'queries'}"


def _counted_grades(count: int) -> str:
    return f"{count:,} {'grade' if count == 1 else 'grades'}"
