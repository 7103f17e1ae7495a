"""The views of one project: what the middle of the window shows."""

from enum import StrEnum


class Mode(StrEnum):
    """A view; its value is the name under which it is remembered."""

    LIST = "list"
    FOCUS = "focus"
    WHATIF = "whatif"
    COMPARE = "compare"
    AGREEMENT = "agreement"
    SETTLE = "settle"


JUDGING_MODES = (Mode.LIST, Mode.FOCUS)
GRADING_MODES = (*JUDGING_MODES, Mode.SETTLE)
"""The views in which the keys of grades give grades."""
TEAM_MODES = (Mode.AGREEMENT, Mode.SETTLE)
"""Views of what each of several assessors has said."""
