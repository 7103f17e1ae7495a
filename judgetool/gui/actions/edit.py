"""The actions of the Edit menu."""

from judgetool.gui.actions.spec import ActionSpec

EDIT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "edit.undo",
        "Undo",
        ("Ctrl+Z",),
        "Edit",
        "Grade",
        caption="Undo, across queries",
        repeats=True,
    ),
    ActionSpec("edit.redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Edit", "Grade", repeats=True),
    ActionSpec("edit.history", "History…", ("Ctrl+H",), "Edit", "Grade", caption="History"),
    ActionSpec(
        "edit.go_to",
        "Go to query or document…",
        ("Ctrl+G",),
        "Edit",
        "Move",
        starts_group=True,
        caption="Go to query or document",
    ),
    ActionSpec(
        "edit.command",
        "Find a command…",
        ("Ctrl+P",),
        "Edit",
        "Move",
        needs_project=False,
        caption="Find a command by name",
    ),
    ActionSpec("edit.copy_values", "Copy the live values as a table", (), "Edit", reveals=True),
    ActionSpec(
        "edit.copy_explanation", "Copy the explanation as a table", (), "Edit", reveals=True
    ),
    ActionSpec("edit.find", "Find in document", ("Ctrl+F",), "Edit", "Read", starts_group=True),
    ActionSpec("edit.filter", "Filter queries", ("/",), "Edit", "Move"),
    ActionSpec(
        "view.preferences",
        "Preferences…",
        ("Ctrl+,",),
        "Edit",
        "View",
        needs_project=False,
        starts_group=True,
        caption="Preferences",
    ),
)
