"""What can be compared now: the runs and what-ifs of the present."""

from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.stored import load_whatifs


def present_systems(session: Session) -> list[System]:
    """Return the runs and what-ifs of the present, first made first."""
    runs = [System("run", str(run.run_id), run.name) for run in session.material.runs]
    return [*runs, *(System("what-if", each.id, each.name) for each in load_whatifs(session))]
