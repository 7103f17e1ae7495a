"""Which lines of a safety log belong to one file: each line names the one before it."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from judgetool.storage.safety_lines import Line

_NODES = ("event", "many")


@dataclass(frozen=True, slots=True)
class Chain:
    """The lines that a project lacks.

    Attributes:
        lines: in the order in which they happened.
        has_gap: whether lines between them are not there.
    """

    lines: list[Line]
    has_gap: bool


def find_missing(
    lines: Sequence[Line], *, known: Container[str], project: str | None = None
) -> Chain:
    """Return the lines after what a project already holds.

    Copies of a file share its safety log. From the last line that was written for one
    of them, the chain leads back to what they have in common, also across a renaming.

    Args:
        lines: the log, oldest first.
        known: uuids of the events that the project holds, in upper-case hex.
        project: path of the file; ``None``, or one that the log does not know, for
            whichever was written last.
    """
    nodes = [line for line in lines if line["kind"] in _NODES]
    walked, has_gap = _walk_back(nodes, known, project)
    tip = _last_project(lines, project)
    reached = {line["uuid"] for line in walked}
    beside: dict[str, list[Line]] = {}
    for line in lines:
        previous = line["prev"]
        is_own = line["project"] == tip and (not previous or previous in known)
        if line["kind"] not in _NODES and (previous in reached or is_own):
            beside.setdefault(previous if previous in reached else "", []).append(line)
    ordered = beside.get("", [])
    for line in reversed(walked):
        ordered += [line, *beside.get(line["uuid"], ())]
    return Chain(ordered, has_gap)


def _walk_back(
    nodes: Sequence[Line], known: Container[str], project: str | None
) -> tuple[list[Line], bool]:
    place_of = {line["uuid"]: number for number, line in enumerate(nodes)}
    own = [number for number, line in enumerate(nodes) if line["project"] == project]
    at = own[-1] if own else len(nodes) - 1
    walked: dict[int, Line] = {}
    has_gap = False
    while at >= 0 and at not in walked and nodes[at]["uuid"] not in known:
        line = walked[at] = nodes[at]
        previous = line["prev"]
        if not previous or previous in known:
            break
        if previous in place_of:
            at = place_of[previous]
        else:
            has_gap = True
            at = _earlier(nodes, at, line["project"])
    return list(walked.values()), has_gap


def _earlier(nodes: Sequence[Line], at: int, project: str) -> int:
    """Return the last line before a gap that was written for the same file, or -1."""
    earlier = (number for number in range(at - 1, -1, -1) if nodes[number]["project"] == project)
    return next(earlier, -1)


def _last_project(lines: Sequence[Line], project: str | None) -> str | None:
    names = [line["project"] for line in lines]
    if project in names:
        return project
    return names[-1] if names else None
