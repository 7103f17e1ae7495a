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
    ActionSpec("edit.find", "Find in document", ("Ctrl+F",), "Edit", "Read", starts_group=True),
    ActionSpec("edit.filter", "Filter queries", ("/",), "Edit", "Move"),
)
