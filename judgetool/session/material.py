"""Queries, documents and runs of an open project."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain, count

from judgetool.core.judgments import Document, Query
from judgetool.core.rankings import EMPTY_RANKING, FloatArray, Ranking
from judgetool.core.terms import detect_language, one_line
from judgetool.errors import ProjectError, tell
from judgetool.metrics import RunBlock
from judgetool.session.pool import IntArray
from judgetool.storage import material as stored_material
from judgetool.storage.connection import Connection
from judgetool.storage.ids import find_numbers, load_packed_run, load_packed_scores
from judgetool.storage.material import DocumentTexts, RunRow, load_material
from judgetool.storage.values import load_values
from judgetool.wording import N_, _

RUN_PREFIX = "run/"
WHATIF_PREFIX = "whatif/"
"""Before the number of a run, in the key of what the project says of it besides."""
BASELINE_KEY = "baseline"
"""Of what values are compared with."""


def is_run_key(key: str) -> bool:
    """Whether a value of the project says something of a run."""
    return key.startswith(RUN_PREFIX)


def present_runs(reader: Connection, runs: Iterable[RunRow]) -> list[RunRow]:
    """Return the runs that were not taken out, by the names that they have now."""
    values = load_values(reader, prefix=RUN_PREFIX)
    named = [(run, values.get(f"{RUN_PREFIX}{run.run_id}", {})) for run in runs]
    present = [
        run._replace(name=said.get("name", run.name))
        for run, said in named
        if not said.get("is_deleted")
    ]
    return (
        present
        if len({run.name for run in present}) == len(present)
        else _told_apart(reader, present)
    )


def _told_apart(reader: Connection, runs: list[RunRow]) -> list[RunRow]:
    """Return runs of merged copies: equal ones of a name are one, others get a number."""
    kept: list[RunRow] = []
    alike: dict[str, list[int]] = {}
    names = {run.name for run in runs}
    for run in runs:
        others = alike.setdefault(run.name, [])
        if any(stored_material.are_same_rankings(reader, each, run.run_id) for each in others):
            continue
        name = numbered_name(run.name, names) if others else run.name
        names.add(name)
        others.append(run.run_id)
        kept.append(run._replace(name=name))
    return kept


def numbered_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken: the one that is wanted, or with a number behind it."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


# What documents are called that were read last: who judges one has just seen it.
_MOST_NAMES = 100
# So many texts tell their language.
_MOST_LOOKED_AT = 40
# So much of a title tells one from the others in a sentence.
_MOST = 60

_UNREADABLE = N_(
    "This document cannot be read: the project file is damaged there. Project ▸ Check & repair… "
    "says what is, and what leads on."
)


def name_document(connection: Connection, document: int) -> str:
    """Return what a document is called in a sentence: its title in quotes, or its id."""
    title = _brief(stored_material.load_document_title(connection, document))
    return _quoted(title) or stored_material.load_document_id(connection, document)


def _name_query(queries: Sequence[Query], query: int) -> str:
    return _quoted(_brief(queries[query].text)) or f"query {queries[query].id}"


def _quoted(title: str) -> str:
    return f"‘{title}’" if title else ""


class Material:
    """What is visible of the project's queries, documents and runs.

    Queries are known by their place in ``queries`` (0, 1, …), documents by the
    project's numbers, runs by ``RunRow.run_id``.

    Attributes:
        queries: in the project's order.
        query_ids: the queries' numbers in the file, likewise.
        place_of: from number in the file to place.
        runs: first imported first.
        names: what documents that were read lately are called in a sentence, by number.
        name_query: returns what a query is called in one: its text in quotes, or its id.
    """

    def __init__(self, reader: Connection) -> None:
        self._reader = reader
        self._fetched: Mapping[int, Document] = {}
        self.names: dict[int, str] = {}
        loaded = load_material(reader)
        self._take_queries(loaded.queries)
        self.query_ids = loaded.query_ids
        self.place_of = loaded.place_of
        self.runs: Sequence[RunRow] = present_runs(reader, loaded.runs)
        self._counts = stored_material.load_pair_counts(reader)
        visible = {run.run_id for run in self.runs}
        # Snapshots may still hold a run that was taken out.
        self._every_block = {run.run_id: self._load_block(run.run_id) for run in loaded.runs}
        self._blocks = {key: self._every_block[key] for key in visible}

    def keep_only(self, places: Sequence[int]) -> None:
        """Hold some of the queries alone, in the order given; nobody may have numbered them yet."""
        self._take_queries([self.queries[place] for place in places])
        self.query_ids = tuple(self.query_ids[place] for place in places)
        self.place_of = {number: place for place, number in enumerate(self.query_ids)}
        self._every_block = {key: each.only(places) for key, each in self._every_block.items()}
        self._blocks = {key: self._every_block[key] for key in self._blocks}

    def _take_queries(self, queries: Sequence[Query]) -> None:
        self.queries: Sequence[Query] = queries
        self._place_of_id = {query.id: place for place, query in enumerate(queries)}
        # Asked for with every grade of a query.
        self.name_query = lru_cache(maxsize=_MOST_NAMES)(partial(_name_query, queries))

    def use_reader(self, reader: Connection) -> None:
        """Read from another connection from now on: the one it was loaded by is closed."""
        self._reader = reader

    def _load_block(self, run_id: int) -> RunBlock:
        packed = load_packed_run(self._reader, run_id, self.place_of)
        return RunBlock(packed.offsets, packed.documents)

    @property
    def clicks(self) -> Sequence[tuple[int, int, int, int]]:
        """Query, document, impressions and clicks of every pair that has any, by number."""
        places = self.place_of
        return [(places[row[0]], *row[1:]) for row in self._counts if row.query_id in places]

    @property
    def blocks(self) -> Mapping[int, RunBlock]:
        """All rankings by run."""
        return self._blocks

    def kept_block(self, run_id: int) -> RunBlock | None:
        """Return all rankings of a run, even of one taken out since; ``None`` for no run."""
        return self._every_block.get(run_id)

    def find_query(self, query_id: str) -> int | None:
        """Return the number of the query with this external id, or ``None``."""
        return self._place_of_id.get(query_id)

    def find_run(self, name: str) -> RunRow | None:
        """Return the run of this name (the last imported of several), or ``None``."""
        return next((run for run in reversed(self.runs) if run.name == name), None)

    def ranking(self, run_id: int, query: int) -> Ranking:
        """Return one ranking with its scores; empty when the run has none for the query."""
        if run_id not in self._blocks:
            return EMPTY_RANKING
        return stored_material.load_ranking(self._reader, run_id, self.query_ids[query])

    def ranked_documents(self, run_id: int, query: int) -> IntArray:
        """Return one ranking's documents, best first, from memory."""
        block = self._blocks[run_id]
        ranked: IntArray = block.documents[block.offsets[query] : block.offsets[query + 1]]
        return ranked

    def block(self, run_id: int) -> RunBlock:
        """Return all rankings of a run."""
        return self._blocks[run_id]

    def scores(self, run_id: int) -> FloatArray:
        """Return the scores of all results of a run, as its block has them; NaN where it has none."""
        return load_packed_scores(self._reader, run_id, self.place_of)

    def document(self, document: int) -> Document:
        """Return a document; without text it has only its id."""
        found = self._fetched.get(document)
        if found is None:
            found = stored_material.load_document(self._reader, document)
        self.names[document] = _quoted(_brief(found.title)) or found.id
        if len(self.names) > _MOST_NAMES:
            del self.names[next(iter(self.names))]
        return found

    def fetch(self, documents: Sequence[int]) -> None:
        """Read some documents at once that are asked for one by one next: that is much sooner."""
        try:
            self._fetched = dict(zip(documents, self.documents(documents), strict=True))
        except (ProjectError, KeyError):
            # Asked for one by one, each says what is wrong with it.
            self._fetched = {}

    def documents(self, documents: Sequence[int] | IntArray) -> list[Document]:
        """Return documents in the order asked for."""
        return stored_material.load_documents(self._reader, documents)

    def show_document(self, document: int) -> Document:
        """Return a document for the screen: one that cannot be read says so in its place."""
        try:
            return self.document(document)
        except (ProjectError, KeyError) as problem:
            tell(str(problem) if isinstance(problem, ProjectError) else _(_UNREADABLE))
        try:
            name = self.document_id(document)
        except (ProjectError, KeyError):
            name = f"document {document}"
        return Document(name, _("Damaged"), body=_(_UNREADABLE))

    def show_documents(self, documents: Sequence[int] | IntArray) -> list[Document]:
        """Return documents for the screen in the order asked for; see :meth:`show_document`."""
        return [self.show_document(int(number)) for number in documents]

    def iter_texts(self, documents: IntArray, field: str) -> Iterator[DocumentTexts]:
        """Yield one part of very many documents; see ``storage.material.iter_document_texts``."""
        return stored_material.iter_document_texts(self._reader, documents, field)

    def document_id(self, document: int) -> str:
        """Return a document's external id."""
        return stored_material.load_document_id(self._reader, document)

    def name_document(self, document: int) -> str:
        """Return what a document is called in a sentence; see :func:`name_document`."""
        return name_document(self._reader, document)

    @cached_property
    def language(self) -> str | None:
        """The language of the project's texts, told by some of them; see ``detect_language``."""
        if not self.runs:
            return detect_language([query.text for query in self.queries[:_MOST_LOOKED_AT]])
        ranked = self.block(self.runs[0].run_id).documents
        step = max(1, len(ranked) // _MOST_LOOKED_AT)
        some = self.documents(ranked[::step][:_MOST_LOOKED_AT])
        return detect_language([f"{each.title} {each.body[:4000]}" for each in some])

    def document_ids(self, documents: Sequence[int] | None = None) -> Mapping[int, str]:
        """Return external ids by number, of some documents or of all."""
        return stored_material.load_document_ids(self._reader, documents)

    def find_document(self, external_id: str) -> int | None:
        """Return a document's number, or ``None``."""
        return stored_material.find_document(self._reader, external_id)

    def find_documents(self, external_ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those documents that are known, by external id."""
        return find_numbers(self._reader, "documents", external_ids)

    def count_documents(self) -> tuple[int, int]:
        """Return how many documents are known, and of how many files of documents told."""
        return stored_material.count_documents(self._reader)

    def count_texts(self) -> int:
        """Return how many documents have more to show than their id; each is looked at."""
        return stored_material.count_texts(self._reader)


@lru_cache(maxsize=1_024)
def _brief(text: str) -> str:
    """Return a text on one line, its end marked where it is cut."""
    found = one_line(text, most=4 * _MOST)
    return found if len(found) <= _MOST else f"{found[: _MOST - 1].rstrip()}…"
