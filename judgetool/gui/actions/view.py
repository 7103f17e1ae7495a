"""The actions of the View menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import JUDGING_MODES

VIEW_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("view.list", "List", ("Ctrl+1",), "View", "View"),
    ActionSpec("view.focus", "Focus on one document", ("Ctrl+2",), "View", "View"),
    ActionSpec("view.list_or_focus", "List or focus", ("V",), "View", "View", modes=JUDGING_MODES),
    ActionSpec(
        "view.next_run", "Next run", ("R",), "View", "View", starts_group=True, reveals=True
    ),
    ActionSpec("view.scores", "Scores", (), "View", is_checkable=True, reveals=True),
    ActionSpec("view.queries", "Queries", ("Q",), "View", "View", is_checkable=True),
    ActionSpec("view.live", "Live values", ("L",), "View", "View", is_checkable=True, reveals=True),
    ActionSpec(
        "view.float_queries", "Queries in a window of their own", (), "View", is_checkable=True
    ),
    ActionSpec(
        "view.float_live",
        "Live values in a window of their own",
        (),
        "View",
        is_checkable=True,
        reveals=True,
    ),
    ActionSpec(
        "view.explain",
        "Explain the value",
        ("=",),
        "View",
        "View",
        is_checkable=True,
        reveals=True,
    ),
    ActionSpec(
        "view.theme",
        "Light or dark",
        ("Ctrl+D",),
        "View",
        "View",
        needs_project=False,
        starts_group=True,
        caption="Light, dark",
    ),
    ActionSpec(
        "view.text_larger",
        "Larger text everywhere",
        ("Ctrl+Alt+=", "Ctrl+Alt++"),
        "View",
        "View",
        needs_project=False,
        starts_group=True,
    ),
    ActionSpec(
        "view.text_smaller",
        "Smaller text everywhere",
        ("Ctrl+Alt+-",),
        "View",
        "View",
        needs_project=False,
    ),
    ActionSpec(
        "view.text_normal",
        "Normal size of text everywhere",
        ("Ctrl+Alt+0",),
        "View",
        "View",
        needs_project=False,
    ),
    ActionSpec("view.compact", "Compact rows", (), "View", is_checkable=True, starts_group=True),
    ActionSpec("view.standard", "Standard rows", (), "View", is_checkable=True),
    ActionSpec("view.roomy", "Roomy rows", (), "View", is_checkable=True),
    ActionSpec(
        "view.follow_system", "Follow the system's light or dark", (), "View", needs_project=False
    ),
)
