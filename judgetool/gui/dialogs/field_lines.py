"""Fields as lines that can be typed: ``name: value``."""

from collections.abc import Mapping


def write_fields(fields: Mapping[str, str]) -> str:
    """Return a line for each field; line breaks within a value become blanks."""
    return "\n".join(f"{name}: {' '.join(value.split())}" for name, value in fields.items())


def read_fields(text: str, before: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of such lines.

    Args:
        text: a line for each field; lines of blanks do not count.
        before: the fields as they were: a value whose line is as it was stays whole, with
            its line breaks.

    Raises:
        ValueError: a line has no colon or no name, or a name stands twice; the message
            is a sentence.
    """
    fields: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if not colon or not name:
            raise ValueError(f"Line {number} of the fields is not ‘name: value’.")
        if name in fields:
            raise ValueError(f"The field ‘{name}’ stands twice.")
        kept = before.get(name)
        is_same = kept is not None and " ".join(kept.split()) == value
        fields[name] = kept if is_same and kept is not None else value
    return fields
