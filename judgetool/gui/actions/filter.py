"""The actions of filters and saved views, in the Edit menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import Mode

_LIST = (Mode.LIST,)

FILTER_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "filter.documents", "Filter documents", ("Ctrl+Shift+F",), "Edit", "Move", modes=_LIST
    ),
    ActionSpec(
        "filter.unjudged",
        "Only unjudged documents",
        ("Ctrl+U",),
        "Edit",
        "Move",
        modes=_LIST,
        caption="Only unjudged documents, or all",
    ),
    ActionSpec("filter.clear", "Clear filters", ("Ctrl+Shift+U",), "Edit", "Move"),
    ActionSpec("filter.save_queries", "Save the queries' filters as a view…", (), "Edit"),
    ActionSpec("filter.save_documents", "Save the documents' filters as a view…", (), "Edit"),
    ActionSpec("filter.views", "Saved views…", ("Ctrl+Shift+V",), "Edit", "Move"),
)
