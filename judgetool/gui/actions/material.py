"""The actions that write queries and documents by hand, in the Project menu."""

from judgetool.gui.actions.spec import ActionSpec

MATERIAL_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "material.add_query",
        "Add a query…",
        ("Ctrl+Shift+N",),
        "Project",
        "Project",
        is_judging=True,
        starts_group=True,
        caption="Add a query",
    ),
    ActionSpec(
        "material.edit_query",
        "Edit this query…",
        ("Ctrl+Shift+E",),
        "Project",
        "Project",
        is_judging=True,
        caption="Edit this query, its need too",
    ),
    ActionSpec(
        "material.add_document",
        "Judge another document…",
        ("Ctrl+Shift+D",),
        "Project",
        "Project",
        is_judging=True,
        caption="Judge a document that no run has",
    ),
    ActionSpec("material.edit_document", "Edit this document…", (), "Project", is_judging=True),
)
