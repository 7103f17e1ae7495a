"""What views and dialogs say, and what can be done there, is what was kept: no change goes unseen."""

import os

import pytest

from tests.gui.words import KEPT, SCENES, kept_of


@pytest.mark.skipif(
    "JUDGETOOL_LOOKS" not in os.environ, reason="JUDGETOOL_LOOKS=yes looks at everything anew"
)
@pytest.mark.timeout(400)
@pytest.mark.parametrize("scene", SCENES)
def test_everything_says_what_was_kept(scene):
    """Where it is meant to say something else, ``python -m tests.gui.words --keep`` keeps it anew."""
    kept = (KEPT / f"{scene}.txt").read_text(encoding="utf-8").splitlines()
    assert kept_of(scene) == kept, "if this is meant: python -m tests.gui.words --keep"
