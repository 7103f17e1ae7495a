"""Documents: JSON lines, tables with a header."""

from collections.abc import Iterable

from judgetool.core.documents import Document
from judgetool.formats import names
from judgetool.formats.records import Record, iter_records
from judgetool.formats.source import TextSource
from judgetool.formats.values import Reading


def read_documents(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read documents from JSON lines or from a table with a header.

    Args:
        source: the file.
        reading: gets the documents, the refusals and the notes.
        name: not used; documents have no common name.
    """
    seen: dict[str, int] = {}
    for record in iter_records(source, reading):
        identifier = record.pop_first(names.OWN_DOCUMENT_ID)
        if not identifier:
            reading.refuse(record.line, "the document has no id")
            continue
        first = seen.setdefault(identifier, record.line)
        if first != record.line:
            reading.refuse(
                record.line,
                f"document '{identifier}' stands on line {first:,} already; that line counts",
            )
            continue
        reading.documents.append(take_document(identifier, record, names.BODY))


def take_document(identifier: str, record: Record, body_names: Iterable[str]) -> Document:
    """Make a document of what a row still holds; what has no place of its own goes to fields."""
    title = record.pop_first(names.TITLE)
    url = record.pop_first(names.URL)
    body = record.pop_first(body_names)
    return Document(identifier, title, url, body, record.values)
