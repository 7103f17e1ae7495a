"""The views of one project: what the middle of the window shows."""

from enum import StrEnum


class Mode(StrEnum):
    """A view; its value is the name under which it is remembered."""

    LIST = "list"
    FOCUS = "focus"
    WHATIF = "whatif"
    COMPARE = "compare"
    AGREEMENT = "agreement"


JUDGING_MODES = (Mode.LIST, Mode.FOCUS)
