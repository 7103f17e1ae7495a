"""The actions of the Help menu."""

from judgetool.gui.actions.spec import ActionSpec

HELP_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "help.keys", "Keys", ("?", "F1"), "Help", "View", needs_project=False, caption="This page"
    ),
    ActionSpec("help.change_keys", "Change keys…", (), "Help", needs_project=False),
    ActionSpec("help.start", "Getting started", (), "Help", needs_project=False, starts_group=True),
    ActionSpec("help.assessors", "For assessors", (), "Help", needs_project=False),
    ActionSpec("help.leads", "For leads", (), "Help", needs_project=False),
    ActionSpec("help.what_if", "What-if", (), "Help", needs_project=False),
    ActionSpec("help.compare", "Compare", (), "Help", needs_project=False),
    ActionSpec("help.measures", "Measures", (), "Help", needs_project=False),
    ActionSpec("help.formats", "File formats", (), "Help", needs_project=False),
    ActionSpec("help.changes", "What has changed", (), "Help", needs_project=False),
    ActionSpec(
        "help.report", "Report a problem…", (), "Help", needs_project=False, starts_group=True
    ),
    ActionSpec("help.about", "About judgetool", (), "Help", needs_project=False),
)
