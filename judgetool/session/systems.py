"""Systems: whatever has rankings and values, as it is chosen for a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from judgetool.session.session import Session

Kind = Literal["run", "what-if"]


@dataclass(frozen=True, slots=True)
class System:
    """A run or a what-if, as it is now or as a snapshot has it.

    Attributes:
        kind: ``run`` or ``what-if``.
        id: of a run its ``RunRow.run_id`` as text, of a what-if its id.
        name: for people; two systems may have the same.
        snapshot: id of the snapshot that it is taken from, with that snapshot's
            judgments; ``""`` for the present.
    """

    kind: Kind
    id: str
    name: str
    snapshot: str = ""

    @property
    def key(self) -> str:
        """What tells it from all others of the project, such as ``run:3``."""
        here = f"{self.kind}:{self.id}"
        return f"{self.snapshot}/{here}" if self.snapshot else here

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file."""
        values = {"kind": self.kind, "id": self.id, "name": self.name}
        return {**values, "snapshot": self.snapshot} if self.snapshot else values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "System":
        """Build a system from :meth:`to_dict`'s result."""
        kind: Kind = "what-if" if values["kind"] == "what-if" else "run"
        return System(kind, str(values["id"]), str(values["name"]), values.get("snapshot", ""))


def run_system(session: Session, run_id: int) -> System:
    """Return a run as a system.

    Raises:
        KeyError: there is no run of this number.
    """
    found = next((run for run in session.material.runs if run.run_id == run_id), None)
    if found is None:
        raise KeyError(run_id)
    return System("run", str(run_id), found.name)
