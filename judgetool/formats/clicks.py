"""How often documents were shown for queries, and clicked: ``query,document,impressions,clicks``."""

from judgetool.formats.columns import count_noun, find_score
from judgetool.formats.queries import KeptQueries, take_query
from judgetool.formats.records import Record, iter_records
from judgetool.formats.source import TextSource
from judgetool.formats.values import ClickRow, Reading

_MOST = 2**53
"""Beyond this, counts are no exact numbers for a measure any more."""


def read_clicks(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read a table of impressions and clicks; rows of the same pair and position add up.

    Args:
        source: the file.
        reading: gets the counts, the queries' texts if there are any, refusals and notes.
        name: not used; clicks have no name.
    """
    counts = ClickCounts(reading)
    queries = KeptQueries(reading)
    for record in iter_records(source, reading):
        query = take_query(record)
        document_id = record.take("document_id")
        position = record.take("rank")
        if not query.id or not document_id:
            reading.refuse(record.line, f"the row names no {'document' if query.id else 'query'}")
            continue
        row = counts.take(record, query.id, document_id, position=position)
        if row is None or (
            query.text and query.id != query.text and not queries.add(record.line, query)
        ):
            continue
        counts.add(row)
    counts.hand_over()


class ClickCounts:
    """Counts that were read, by query, document and position.

    Args:
        reading: gets them, and the lines that do not fit.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[tuple[str, str, int], tuple[int, int]] = {}
        self._n_rows = self._n_without_place = 0

    def take(
        self, record: Record, query_id: str, document_id: str, *, position: str = ""
    ) -> ClickRow | None:
        """Take the counts out of a row; ``None`` if it has none or they do not fit.

        What does not fit is refused, with the line.
        """
        if not (record.has("clicks") and record.has("impressions")):
            return None
        texts = record.take("clicks"), record.take("impressions")
        if not any(texts):
            return None
        clicks, impressions = (_count(text or "0") for text in texts)
        if clicks is None or impressions is None:
            self._reading.refuse(
                record.line,
                f"clicks and impressions are whole numbers from 0; found '{texts[0][:30]}' and "
                f"'{texts[1][:30]}'",
            )
            return None
        if clicks > impressions:
            self._reading.refuse(
                record.line, f"{clicks:,} clicks are more than {impressions:,} impressions"
            )
            return None
        place = _count(position or "0")
        self._n_without_place += place is None
        return ClickRow(query_id, document_id, impressions, clicks, place or 0)

    def add(self, row: ClickRow) -> None:
        """Add a row's counts to those of the same query, document and position."""
        key = (row.query_id, row.document_id, row.position)
        impressions, clicks = self._found.get(key, (0, 0))
        self._found[key] = (impressions + row.impressions, clicks + row.clicks)
        self._n_rows += 1

    def hand_over(self) -> None:
        """Give the reading what was found, and say what was added up."""
        self._reading.clicks = [
            ClickRow(query, document, impressions, clicks, position)
            for (query, document, position), (impressions, clicks) in self._found.items()
        ]
        n_added = self._n_rows - len(self._found)
        if n_added:
            self._reading.notes.append(
                f"{count_noun(n_added, 'row')} of a query, document and position that stand in "
                "the file already: their impressions and clicks are added up."
            )
        if self._n_without_place:
            self._reading.notes.append(
                f"In {count_noun(self._n_without_place, 'row')} the position is no whole number "
                "(a mean, perhaps): it is left out."
            )


def _count(text: str) -> int | None:
    """Return a whole number from 0; ``None`` for all else."""
    number = find_score(text.replace(",", "").strip())
    is_count = number is not None and 0 <= number <= _MOST and float(number).is_integer()
    return int(number) if is_count and number is not None else None
