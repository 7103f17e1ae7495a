"""The per-user folders of judgetool, outside every project's own folder.

``JUDGETOOL_HOME`` in the environment puts all of them below one folder, so that
anything can be tried without touching one's own preferences.
"""

import os
from pathlib import Path

from judgetool.core.system import (
    IS_MAC,
    IS_WINDOWS,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    make_private,
)

HOME_VARIABLE = "JUDGETOOL_HOME"
SETTINGS = "settings.json"
"""The preferences, in the folder for them."""


def data_folder() -> Path:
    """Return where samples, locks and the safety log live; it need not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / "data"
    import platformdirs  # noqa: PLC0415 - scores are worked out without it

    return platformdirs.user_data_path("judgetool", False)


def config_folder() -> Path:
    """Return where preferences and window layout live; it need not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / "config"
    if not (IS_WINDOWS or IS_MAC):
        # As platformdirs has it, which every command would have to load for this.
        own = os.environ.get("XDG_CONFIG_HOME", "").strip()
        return Path(own or Path.home() / ".config") / "judgetool"
    import platformdirs  # noqa: PLC0415 - see above

    return platformdirs.user_config_path("judgetool", False)


def make_private_folder(folder: Path) -> None:
    """Make a folder that nobody else may look into."""
    folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    make_private(folder, PRIVATE_FOLDER)


def make_private_file(path: Path) -> None:
    """Make an empty file that nobody else may read, or make one that is there so.

    Raises:
        OSError: it cannot be made.
    """
    path.touch(mode=PRIVATE_FILE)
    make_private(path, PRIVATE_FILE)
