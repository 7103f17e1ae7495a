"""The drawings of the Lucide icons, from the package of that name, in a wished ink."""

from functools import cache
from importlib.resources import files
from io import BytesIO
from zipfile import ZipFile

from judgetool.errors import ResourceMissingError


@cache
def _archive() -> ZipFile:
    try:
        data = (files("lucide") / "lucide.zip").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise ResourceMissingError(
            "The icons are missing: the package ‘lucide’ is not whole. Install judgetool again."
        ) from error
    return ZipFile(BytesIO(data))


@cache
def _drawing(name: str) -> str:
    try:
        return _archive().read(f"{name}.svg").decode()
    except KeyError:
        raise ResourceMissingError(
            f"There is no icon {name!r} in the installed package ‘lucide’. Install judgetool again."
        ) from None


def icon_svg(name: str, colour: str, *, stroke: float = 1.8) -> bytes:
    """Return an icon as SVG, drawn in one ink.

    Args:
        name: Lucide's name, such as ``flag`` or ``chevron-down``.
        colour: ``#rrggbb``; QtSvg would draw Lucide's ``currentColor`` black.
        stroke: width of the lines on Lucide's grid of 24.

    Raises:
        ResourceMissingError: the package or the icon is missing.
    """
    drawing = _drawing(name).replace("currentColor", colour)
    return drawing.replace('stroke-width="2"', f'stroke-width="{stroke:g}"').encode()
