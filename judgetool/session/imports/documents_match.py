"""How the documents of the files of an import fit to the project and to each other.

Millions of ids are never gathered in one set: the project is asked by its index, and
the files share one table of who names what.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

import numpy as np

from judgetool.core.documents import Document
from judgetool.core.override import override
from judgetool.session.imports.matching import (
    MAX_NEAREST,
    MAX_STRANGE,
    IdMatch,
    StrangeIds,
    find_nearest,
    find_strange,
    match_ids,
)
from judgetool.storage.connection import Connection
from judgetool.storage.ids import CHUNK, find_id_numbers
from judgetool.storage.material import (
    load_document_ids,
    load_documents_with_text,
    load_visible_documents,
)

Check = Callable[[], None]

_NOUN = "document"
_SEVERAL = -1


def match_documents(
    reader: Connection,
    described: Mapping[str, Document],
    named: Sequence[Sequence[str]],
    *,
    check: Check,
) -> list[IdMatch | None]:
    """Compare the documents that each file names with the project's and the other files'.

    Args:
        reader: a connection of the calling thread.
        described: documents of the files, by id.
        named: distinct ids of each file.
        check: asked now and then; may raise to stop.

    Returns:
        For each file what was found; ``None`` where every document and its text is known.
    """
    here = _ProjectIds(reader, described)
    if here:
        return [
            match_ids(_NOUN, ids, here, strange=here.find_strange(ids, check), check=check)
            for ids in named
        ]
    if len(named) == 1:
        # Nothing to compare with: as many as there are, one look is enough.
        (ids,) = named
        first = tuple(ids[:MAX_STRANGE])
        return [IdMatch(_NOUN, len(ids), 0, 0, first, n_without_text=len(ids)) if ids else None]
    return _match_files(named, check)


def documents_beside(reader: Connection, described: Mapping[str, Document]) -> Set[str]:
    """Return the documents that a project has and the files describe, asked for where they are."""
    return _ProjectIds(reader, described)


class _ProjectIds(Set[str]):
    """What the project has and the files describe, asked for where it is."""

    def __init__(self, reader: Connection, described: Mapping[str, Document]) -> None:
        self._reader = reader
        self._is_visible = load_visible_documents(reader)
        self._has_text = load_documents_with_text(reader, len(self._is_visible))
        self._described = described
        numbers = find_id_numbers(reader, "documents", list(described))
        n_both = int(np.count_nonzero(self._is_visible[numbers]))
        self._count = int(np.count_nonzero(self._is_visible)) + len(described) - n_both

    @override
    def __len__(self) -> int:
        return self._count

    @override
    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not self.find_strange([name], lambda: None).count

    @override
    def __iter__(self) -> Iterator[str]:
        numbers = np.flatnonzero(self._is_visible)
        for start in range(0, len(numbers), CHUNK):
            part = numbers[start : start + CHUNK].tolist()
            for name in load_document_ids(self._reader, part).values():
                if name not in self._described:
                    yield name
        yield from self._described

    def find_strange(self, ids: Sequence[str], check: Check) -> StrangeIds:
        """Return those of some ids that are not known."""
        strange = StrangeIds()
        for start in range(0, len(ids), CHUNK):
            check()
            part = ids[start : start + CHUNK]
            numbers = find_id_numbers(self._reader, "documents", part)
            places = np.flatnonzero(~self._is_visible[numbers]).tolist()
            strange.add([part[place] for place in places if part[place] not in self._described])
            bare = np.flatnonzero(~self._has_text[numbers]).tolist()
            strange.n_without_text += sum(not self._is_described(part[place]) for place in bare)
        return strange

    def _is_described(self, name: str) -> bool:
        document = self._described.get(name)
        return document is not None and document.has_text


class _OtherIds(Set[str]):
    """What the other files of an import name.

    Args:
        owners: by id which file names it, or that several do.
        file: the one that the others are others of.
        n_own: how many ids nobody else names.
    """

    def __init__(self, owners: dict[str, int], file: int, n_own: int) -> None:
        self._owners = owners
        self._file = file
        self._count = len(owners) - n_own

    @override
    def __len__(self) -> int:
        return self._count

    @override
    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._owners.get(name, self._file) != self._file

    @override
    def __iter__(self) -> Iterator[str]:
        return (name for name, owner in self._owners.items() if owner != self._file)


def _match_files(named: Sequence[Sequence[str]], check: Check) -> list[IdMatch | None]:
    owners: dict[str, int] = {}
    for file, ids in enumerate(named):
        check()
        for name in ids:
            owners[name] = _SEVERAL if name in owners else file
    n_own = Counter(owners.values())
    others = [_OtherIds(owners, file, n_own[file]) for file in range(len(named))]
    strange = [find_strange(ids, other, check) for ids, other in zip(named, others, strict=True)]
    for ids, own in zip(named, strange, strict=True):
        own.n_without_text = len(ids)
    # One pass for all files: an id is strange to one of them only.
    nearest = find_nearest(
        [name for each in strange for name in each.first[:MAX_NEAREST]],
        owners,
        check,
        is_known=lambda name, other: owners[other] != owners[name],
    )
    return [
        match_ids(
            _NOUN,
            ids,
            other,
            strange=own,
            nearest={name: nearest[name] for name in own.first[:MAX_NEAREST] if name in nearest},
            check=check,
        )
        for ids, other, own in zip(named, others, strange, strict=True)
    ]
