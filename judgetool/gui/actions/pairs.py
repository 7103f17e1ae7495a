"""Actions that share a line on the page of keys, because they are each other's other half."""

PAIRS: dict[tuple[str, ...], str] = {
    ("edit.undo", "edit.redo"): "Undo, redo, across queries",
    ("flow.unsure", "flow.fairly_sure", "flow.sure"): "Unsure, fairly sure, sure",
    ("judge.next_document", "judge.previous_document"): "Next, previous document",
    ("judge.first_document", "judge.last_document"): "First, last document",
    ("judge.previous_query", "judge.next_query"): "Previous, next query",
    ("view.larger", "view.smaller"): "Larger, smaller text",
    ("read.next_mark", "read.previous_mark"): "Next, previous highlight",
}
"""Names of the actions in order, and what they do together."""
