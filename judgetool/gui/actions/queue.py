"""The actions of the queue, of judging many at once and of statistics; in the Judge menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import Mode

_LIST = (Mode.LIST,)

QUEUE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "queue.select_all",
        "Select all documents",
        ("Ctrl+A",),
        "Judge",
        "Grade",
        starts_group=True,
        modes=_LIST,
        caption="Select all; a grade key then asks",
    ),
    ActionSpec(
        "queue.grade_below",
        "Grade all unjudged below…",
        ("Ctrl+Shift+B",),
        "Judge",
        "Grade",
        is_judging=True,
        modes=_LIST,
        caption="Grade all unjudged below",
    ),
    ActionSpec(
        "queue.choose", "Queue…", ("Ctrl+J",), "Judge", "Move", starts_group=True, caption="Queue"
    ),
    ActionSpec(
        "queue.statistics",
        "Statistics…",
        ("Ctrl+T",),
        "Judge",
        "Project",
        caption="Statistics",
        reveals=True,
    ),
)
