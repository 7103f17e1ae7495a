"""From a choice of pool and the project's material to the pool itself."""

from collections.abc import Callable, Sequence

import numpy as np

from judgetool.session.material import Material
from judgetool.session.pool import NO_PAIR_ARRAYS, PairArrays, Pool
from judgetool.session.pool_policy import Pairs, PoolChoice


def build_pool(
    material: Material, choice: PoolChoice, heard: Callable[[int], Sequence[int]]
) -> Pool:
    """Return the pool that a choice means; queries and documents not known are left out.

    What was judged of a query for which no run has found anything is its pool: without
    runs, too, judgments can be looked at, and given by others.

    Args:
        material: the project's.
        choice: what is to be judged.
        heard: gives the documents of a query that anybody has judged.
    """
    policy = choice.policy
    extra = number_pairs(material, choice.added)
    if not policy.is_frozen:
        extra = _joined(extra, _pairs_without_run(material, heard))
    blocks = []
    if policy.is_frozen:
        chosen = number_pairs(material, policy.pairs)
        extra = _joined(chosen, extra)
    elif policy.runs:
        runs = [run for name in policy.runs if (run := material.find_run(name))]
        blocks = [material.block(run.run_id) for run in runs]
    else:
        blocks = list(material.blocks.values())
    return Pool(blocks, len(material.queries), policy.max_rank, extra=extra)


def _joined(first: PairArrays, second: PairArrays) -> PairArrays:
    return PairArrays(*(np.concatenate(both) for both in zip(first, second, strict=True)))


def _pairs_without_run(material: Material, heard: Callable[[int], Sequence[int]]) -> PairArrays:
    n_found = np.zeros(len(material.queries), dtype=np.int64)
    for block in material.blocks.values():
        n_found += block.lengths
    rows = [
        (query, document)
        for query in np.flatnonzero(n_found == 0).tolist()
        for document in heard(query)
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return PairArrays(columns[0], columns[1])


def number_pairs(material: Material, pairs: Pairs) -> PairArrays:
    """Return the project's numbers of pairs of ids, in their order."""
    if not pairs:
        return NO_PAIR_ARRAYS
    wanted = sorted({name for documents in pairs.values() for name in documents})
    numbers = material.find_documents(wanted)
    rows = [
        (query, numbers[name])
        for query_id, documents in pairs.items()
        if (query := material.find_query(query_id)) is not None
        for name in documents
        if name in numbers
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return PairArrays(columns[0], columns[1])
