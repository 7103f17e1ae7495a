"""A query: an information need with an id."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Query:
    """An information need.

    Attributes:
        id: opaque Unicode, kept as it came; never a number, never stripped.
        text: what was typed into the search box; ``""`` when only the id is known.
        description: what would satisfy the need, in a sentence.
        narrative: what counts and what does not, at length.
        weight: importance in weighted means, above 0.
        category: a group for filters and reports.
        fields: whatever else the file held, as text by name.
    """

    id: str
    text: str = ""
    description: str = ""
    narrative: str = ""
    weight: float = 1.0
    category: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
