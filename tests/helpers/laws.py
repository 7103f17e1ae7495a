"""How often a law is tried: little at every change, much in ``.ci/run --long``."""

import os

EXAMPLES = int(os.environ.get("JUDGETOOL_EXAMPLES", "30"))
"""Examples of a law that says nothing else. Each run draws others."""
_FEWEST = 10


def examples(n: int, *, fewest: int = _FEWEST) -> int:
    """Return how often a law is tried that wants ``n`` examples where others have a hundred.

    Args:
        n: that many.
        fewest: not less than so many, also where others have few: where one call tries much.
    """
    return max(fewest, n * EXAMPLES // 100)
