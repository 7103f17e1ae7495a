"""The per-user folders of judgetool, outside every project's own folder.

``JUDGETOOL_HOME`` in the environment puts all of them below one folder, so that
anything can be tried without touching one's own preferences.
"""

import contextlib
import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "JUDGETOOL_HOME"


def data_folder() -> Path:
    """Return where samples, locks and the safety log live; it need not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) / "data" if home else platformdirs.user_data_path("judgetool", False)


def config_folder() -> Path:
    """Return where preferences and window layout live; it need not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) / "config" if home else platformdirs.user_config_path("judgetool", False)


def make_private_folder(folder: Path) -> None:
    """Make a folder that nobody else may look into."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(OSError):
        folder.chmod(0o700)


def make_private_file(path: Path) -> None:
    """Make an empty file that nobody else may read, or make one that is there so.

    Raises:
        OSError: it cannot be made.
    """
    path.touch(mode=0o600)
    with contextlib.suppress(OSError):
        path.chmod(0o600)
