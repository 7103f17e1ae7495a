"""The actions of judging's flow: how sure, blind, pace, looking back; in the Judge menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import JUDGING_MODES

FLOW_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "flow.unsure",
        "Unsure of this judgment",
        ("Alt+1",),
        "Judge",
        "Grade",
        is_judging=True,
        starts_group=True,
        caption="Unsure",
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "flow.fairly_sure",
        "Fairly sure of this judgment",
        ("Alt+2",),
        "Judge",
        "Grade",
        is_judging=True,
        caption="Fairly sure",
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "flow.sure",
        "Sure of this judgment",
        ("Alt+3",),
        "Judge",
        "Grade",
        is_judging=True,
        caption="Sure; the same key again says nothing",
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "flow.review",
        "Review my judgments…",
        ("Ctrl+R",),
        "Judge",
        "Move",
        starts_group=True,
        caption="Review my judgments",
    ),
    ActionSpec(
        "flow.blind",
        "Blind mode",
        ("B",),
        "Judge",
        "View",
        is_checkable=True,
        starts_group=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec("flow.pace", "Pace, goal and breaks…", (), "Judge"),
)
