"""Numbers as people read them, where the window's modules look for them."""

from judgetool.core.number_text import (
    MINUS,
    NO_CHANGE,
    UNDEFINED,
    format_change,
    format_count,
    format_value,
)

__all__ = ["MINUS", "NO_CHANGE", "UNDEFINED", "format_change", "format_count", "format_value"]
