"""Colour arithmetic on ``#rrggbb``: contrast, and mixing in OKLab.

No Qt in here. Sources: WCAG 2.2 (relative luminance, contrast ratio); Björn
Ottosson, "A perceptual color space for image processing" (2020).
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Triple = npt.NDArray[np.float64]
"""Three parts of a colour, shape (3,)."""
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_FROM_CONES, _FROM_LAB = np.linalg.inv(_TO_CONES), np.linalg.inv(_TO_LAB)
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def parse_hex(colour: str) -> Triple:
    """Return red, green and blue, each 0 to 1, of ``#rrggbb``.

    Raises:
        ValueError: the text is not of that form.
    """
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"expected a colour like #1b1c20, found {colour!r}")
    return np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])


def format_hex(rgb: Iterable[float]) -> str:
    """Return ``#rrggbb``; parts outside 0 to 1 are cut off."""
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in rgb)


def to_linear(rgb: Triple) -> Triple:
    """Return linear light from sRGB parts, 0 to 1."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def from_linear(rgb: Triple) -> Triple:
    """Return sRGB parts from linear light; parts outside 0 to 1 are cut off."""
    kept = np.clip(rgb, 0.0, 1.0)
    return np.where(kept <= 0.0031308, 12.92 * kept, 1.055 * kept ** (1 / 2.4) - 0.055)


def relative_luminance(colour: str) -> float:
    """Return WCAG's relative luminance, 0 (black) to 1 (white)."""
    return float(_LUMINANCE @ to_linear(parse_hex(colour)))


def contrast_ratio(one: str, other: str) -> float:
    """Return WCAG's contrast ratio of two colours, 1 to 21, in whichever order."""
    low, high = sorted((relative_luminance(one), relative_luminance(other)))
    return (high + 0.05) / (low + 0.05)


def least_contrast(ink: str, grounds: Iterable[str]) -> float:
    """Return the smallest contrast ratio of an ink over several grounds (at least one)."""
    return min(contrast_ratio(ink, ground) for ground in grounds)


def mix(ground: str, ink: str, share: float) -> str:
    """Return ``ground`` with ``share`` (0 to 1) of ``ink`` laid over it, in sRGB."""
    low, high = parse_hex(ground), parse_hex(ink)
    return format_hex(low + share * (high - low))


def linear_to_oklab(rgb: Triple) -> Triple:
    """Return OKLab's L, a, b of linear light."""
    lab: Triple = _TO_LAB @ np.cbrt(_TO_CONES @ rgb)
    return lab


def oklab_to_linear(lab: Triple) -> Triple:
    """Return linear light from OKLab; may lie outside 0 to 1."""
    rgb: Triple = _FROM_CONES @ (_FROM_LAB @ lab) ** 3
    return rgb


def to_oklab(colour: str) -> Triple:
    """Return OKLab's L (0 to 1), a and b of ``#rrggbb``."""
    return linear_to_oklab(to_linear(parse_hex(colour)))


def from_oklab(lab: Triple) -> str:
    """Return the nearest ``#rrggbb`` by cutting off what sRGB cannot show."""
    return format_hex(from_linear(oklab_to_linear(lab)))


def interpolate_oklab(ramp: tuple[str, ...], place: float) -> str:
    """Return the colour at ``place`` (0 to 1) of an evenly spaced ramp, mixed in OKLab.

    Args:
        ramp: at least two colours.
        place: 0 gives the first colour, 1 the last; outside is cut off.
    """
    steps = min(1.0, max(0.0, place)) * (len(ramp) - 1)
    below = min(int(steps), len(ramp) - 2)
    share = steps - below
    if share == 0:
        return ramp[below]
    low, high = to_oklab(ramp[below]), to_oklab(ramp[below + 1])
    return from_oklab(low + share * (high - low))


@lru_cache(maxsize=256)
def nearest_passing(ink: str, grounds: tuple[str, ...], need: float) -> str:
    """Return the ink itself, or the nearest by lightness with enough contrast everywhere.

    Hue and chroma are kept as far as sRGB allows.

    Args:
        ink: the wished colour.
        grounds: what it will stand on.
        need: least contrast ratio, such as 3.

    Returns:
        The first passing colour, looking darker and lighter at once in steps of
        one hundredth; black or white, whichever has more contrast, when none passes.
    """
    if least_contrast(ink, grounds) >= need:
        return ink
    lightness, a, b = to_oklab(ink)
    for step in range(1, 101):
        for way in (-0.01, 0.01):
            tried = from_oklab(np.array([min(1.0, max(0.0, lightness + step * way)), a, b]))
            if least_contrast(tried, grounds) >= need:
                return tried
    extremes = (format_hex((0, 0, 0)), format_hex((1, 1, 1)))
    return max(extremes, key=lambda tried: least_contrast(tried, grounds))
