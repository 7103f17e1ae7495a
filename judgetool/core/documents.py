"""A document: what is judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """What is judged, as an assessor sees it.

    Attributes:
        id: opaque Unicode, kept as it came; never a number, never stripped.
        title: one line; may be empty.
        url: where it came from; shown, never followed by itself.
        body: the text; ``""`` when only the id is known.
        fields: other fields, as text by name, in the file's order.
        image: where its picture is, relative to the folder that was imported from, with
            ``/`` between names; ``""`` for none.
    """

    id: str
    title: str = ""
    url: str = ""
    body: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    image: str = ""

    @property
    def has_text(self) -> bool:
        """Whether there is more to show than the id."""
        return bool(self.title or self.body or self.fields or self.image)
