"""How much room rows and cards take: compact, standard or roomy."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Density:
    """Heights in px at a 13 px interface font.

    Attributes:
        row: of a query's row.
        card_top: above a card's title.
        card_bottom: below its last line.
        snippet_lines: how many lines of a document's text a card shows.
        extra_px: added to the interface font.
    """

    row: float
    card_top: float
    card_bottom: float
    snippet_lines: int
    extra_px: int = 0


DENSITIES: Mapping[str, Density] = {
    "compact": Density(24, 5, 6, 1),
    "standard": Density(28, 7, 5, 2),
    "roomy": Density(31.6, 13, 11, 2, extra_px=1),
}


class _Chosen:
    """What the person has chosen; every list asks when it lays out its rows."""

    density = DENSITIES["standard"]


def current_density() -> Density:
    """Return what holds now."""
    return _Chosen.density


def set_density(name: str) -> Density:
    """Choose a density by its name; lists that are there already must lay out anew.

    Raises:
        KeyError: there is none of this name.
    """
    _Chosen.density = DENSITIES[name]
    return _Chosen.density
