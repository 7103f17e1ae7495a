"""Where the files that ship with judgetool are: sample, help, icons.

They stand in ``resources/`` of a checkout and in ``judgetool/_resources`` of an
installed wheel; an editable install reads the checkout.
"""

from functools import cache
from pathlib import Path

from judgetool.errors import ResourceMissingError

_PACKAGE_DIR = Path(__file__).resolve().parent
_IN_WHEEL = _PACKAGE_DIR / "_resources"
_IN_CHECKOUT = _PACKAGE_DIR.parent / "resources"
_CHECKOUT_MARKER = _PACKAGE_DIR.parent / "pyproject.toml"


@cache
def resources_root() -> Path:
    """Return the folder that holds the shipped files.

    Raises:
        ResourceMissingError: it is neither in the wheel nor in a checkout.
    """
    if _IN_WHEEL.is_dir():
        return _IN_WHEEL
    # Without the marker, a folder that another distribution left in
    # site-packages under the same name would be taken for ours.
    if _CHECKOUT_MARKER.is_file() and _IN_CHECKOUT.is_dir():
        return _IN_CHECKOUT
    raise ResourceMissingError(
        f"judgetool’s own files are neither in {_IN_WHEEL} nor in {_IN_CHECKOUT}. Install it again."
    )


def resource_path(relative: str) -> Path:
    """Return the path of one shipped file or folder, named with forward slashes.

    Raises:
        ValueError: ``relative`` is absolute or climbs out of the folder.
        ResourceMissingError: nothing of that name ships with judgetool.
    """
    parts = relative.split("/")
    if not relative or Path(relative).is_absolute() or ".." in parts:
        raise ValueError(f"not a path inside the resources folder: {relative!r}")
    path = resources_root().joinpath(*parts)
    if not path.exists():
        raise ResourceMissingError(
            f"judgetool’s own file {relative!r} is missing (looked at {path}). Install it again."
        )
    return path
