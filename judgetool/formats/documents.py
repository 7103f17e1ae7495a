"""Documents: JSON lines, tables with a header."""

from judgetool.core.documents import Document
from judgetool.formats.columns import count_noun
from judgetool.formats.images import ImageColumn
from judgetool.formats.names import URL, normal_name
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
    images = ImageColumn(reading)
    for record in iter_records(source, reading):
        identifier = record.take("document_id")
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
        reading.documents.append(take_document(identifier, record, images))
    images.note()


def take_document(identifier: str, record: Record, images: ImageColumn | None = None) -> Document:
    """Make a document of what a row still holds; what has no place of its own goes to fields.

    Args:
        identifier: the document's id.
        record: the row.
        images: takes its picture; ``None`` where there are no files with pictures.
    """
    title, url, body = record.take("title"), record.take("url"), record.take("body")
    if not url and normal_name(record.roles.get("document_id", "")) in URL:
        # The address is the only id that there is, and an address all the same.
        url = identifier
    image = images.take(record) if images is not None else ""
    return Document(identifier, title, url, body, record.values, image)


class KeptDocuments:
    """Documents by id, where one may come several times; the first text of each counts.

    Attributes:
        by_id: in order of first appearance.
    """

    def __init__(self) -> None:
        self.by_id: dict[str, Document] = {}
        self._n_differing = 0

    def add(self, document: Document) -> None:
        """Keep a document unless there is one with a text of the same id."""
        first = self.by_id.get(document.id)
        if first is None or not first.has_text:
            self.by_id[document.id] = document
        elif document.has_text and document != first:
            self._n_differing += 1

    def hand_over(self, reading: Reading) -> None:
        """Give the documents to the reading, and say how many texts were left out."""
        reading.documents.extend(self.by_id.values())
        if self._n_differing:
            reading.notes.append(
                f"{count_noun(self._n_differing, 'row')} had another text for a document that "
                "came before; the first text of each counts."
            )
