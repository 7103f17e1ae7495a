"""What is shown and said looks and reads as it was kept: no change of either goes unseen."""

import os

import pytest

from tests.gui.looks import KEPT, SCENES, printed


@pytest.mark.skipif(
    "JUDGETOOL_LOOKS" not in os.environ, reason="JUDGETOOL_LOOKS=yes looks at everything anew"
)
@pytest.mark.timeout(400)
@pytest.mark.parametrize("scene", SCENES)
def test_everything_looks_as_it_was_kept(scene):
    """Where it is meant to look otherwise, ``python -m tests.gui.looks --keep`` keeps it anew."""
    kept = [line for line in KEPT.read_text().splitlines() if line.startswith(f"{scene}/")]
    shown = printed(scene)
    if kept[0] != shown[0]:
        pytest.skip("fonts or Qt of this machine draw otherwise than where the looks were kept")
    changed = {line.split()[0] for line in set(kept) ^ set(shown)}
    assert changed == set(), "if this is meant: python -m tests.gui.looks --keep"
