"""Where the reference data published by others lies, when it lies beside the checkout."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


def shared_data(relative: str) -> Path:
    """Return a file or folder of the reference data, or skip the test and say so."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"SKIPPED LOUDLY: the reference data {relative!r} is not beside the checkout")
    return path
