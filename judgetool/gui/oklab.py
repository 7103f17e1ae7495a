"""Colour arithmetic on ``#rrggbb``: contrast, and mixing in OKLab.

No Qt in here. Sources: WCAG 2.2 (relative luminance, contrast ratio); Björn
Ottosson, "A perceptual color space for image processing" (2020).
"""

from collections.abc import Iterable
from functools import lru_cache

Triple = tuple[float, float, float]


def parse_hex(colour: str) -> Triple:
    """Return red, green and blue, each 0 to 1, of ``#rrggbb``.

    Raises:
        ValueError: the text is not of that form.
    """
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"expected a colour like #1b1c20, found {colour!r}")
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def format_hex(rgb: Triple) -> str:
    """Return ``#rrggbb``; parts outside 0 to 1 are cut off."""
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in rgb)


def to_linear(rgb: Triple) -> Triple:
    """Return linear light from sRGB parts, 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4) for part in rgb
    )
    return red, green, blue


def from_linear(rgb: Triple) -> Triple:
    """Return sRGB parts from linear light; parts outside 0 to 1 are cut off."""
    red, green, blue = (
        12.92 * part if part <= 0.0031308 else float(1.055 * part ** (1 / 2.4) - 0.055)
        for part in (min(1.0, max(0.0, part)) for part in rgb)
    )
    return red, green, blue


def relative_luminance(colour: str) -> float:
    """Return WCAG's relative luminance, 0 (black) to 1 (white)."""
    red, green, blue = to_linear(parse_hex(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
    red, green, blue = (a + share * (b - a) for a, b in zip(low, high, strict=True))
    return format_hex((red, green, blue))


def linear_to_oklab(rgb: Triple) -> Triple:
    """Return OKLab's L, a, b of linear light."""
    red, green, blue = rgb
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def oklab_to_linear(lab: Triple) -> Triple:
    """Return linear light from OKLab; may lie outside 0 to 1."""
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )


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
    lightness, a, b = (p + share * (q - p) for p, q in zip(low, high, strict=True))
    return from_oklab((lightness, a, b))


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
            tried = from_oklab((min(1.0, max(0.0, lightness + step * way)), a, b))
            if least_contrast(tried, grounds) >= need:
                return tried
    extremes = (format_hex((0, 0, 0)), format_hex((1, 1, 1)))
    return max(extremes, key=lambda tried: least_contrast(tried, grounds))
