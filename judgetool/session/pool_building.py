"""From a choice of pool and the project's material to the pool itself."""

import numpy as np

from judgetool.session.material import Material
from judgetool.session.pool import NO_PAIR_ARRAYS, PairArrays, Pool
from judgetool.session.pool_policy import Pairs, PoolChoice


def build_pool(material: Material, choice: PoolChoice) -> Pool:
    """Return the pool that a choice means; queries and documents not known are left out."""
    policy = choice.policy
    extra = number_pairs(material, choice.added)
    blocks = []
    if policy.is_frozen:
        chosen = number_pairs(material, policy.pairs)
        extra = PairArrays(*(np.concatenate(both) for both in zip(chosen, extra, strict=True)))
    elif policy.runs:
        runs = [run for name in policy.runs if (run := material.find_run(name))]
        blocks = [material.block(run.run_id) for run in runs]
    else:
        blocks = list(material.blocks.values())
    return Pool(blocks, len(material.queries), policy.max_rank, extra=extra)


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
