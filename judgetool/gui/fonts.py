"""Which font each kind of text is set in, and how tall its lines are.

Everything is relative to the system's interface font, which is 13 px on most
desktops. Where that would be DejaVu (a bare Linux), Inter is taken when it is
installed: DejaVu runs 7.5 % wider.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication

from judgetool.settings import Settings


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
REFERENCE_PX = 13.0
# Large text is set a little tighter, as type designers do.
_DISPLAY_FROM = 22.0
_ZEROS = str.maketrans(dict.fromkeys("123456789", "0"))


P = ParamSpec("P")
T = TypeVar("T")
_KEPT: list[Callable[[], None]] = []


def kept_for_font(measure: Callable[P, T]) -> Callable[P, T]:
    """Keep what a function gives until the font or the density is another; lists ask all the time."""
    kept = lru_cache(maxsize=4096)(measure)
    _KEPT.append(kept.cache_clear)
    return cast("Callable[P, T]", kept)


def _forget_kept() -> None:
    for forget in _KEPT:
        forget()


class Role(Enum):
    """A kind of text: size in px at a 13 px interface font, line height, weight."""

    DOCUMENT_FOCUS = (18.0, 30.0, 400)
    DOCUMENT = (14.5, 23.0, 400)
    TITLE_FOCUS = (27.0, 35.0, 600)
    TITLE = (17.0, 23.0, 600)
    QUERY_FOCUS = (22.0, 29.0, 600)
    QUERY = (19.0, 25.0, 600)
    NEED = (14.0, 20.0, 400)
    DIALOG_TITLE = (16.0, 22.0, 600)
    CARD_TITLE = (13.5, 20.0, 600)
    SNIPPET = (12.5, 17.0, 400)
    UI = (13.0, 18.0, 400)
    UI_STRONG = (13.0, 18.001, 600)
    META = (12.0, 16.0, 400)
    META_STRONG = (12.0, 16.001, 600)
    HEAD = (11.0, 16.0, 500)
    SMALL = (10.5, 13.0, 500)
    KEY = (10.5, 14.0, 600)
    KEY_LARGE = (12.0, 16.0, 601)

    # Roles are looked up at every text that is painted; Enum's own hash runs Python code.
    __hash__ = object.__hash__

    @property
    def px(self) -> float:
        """Size at a 13 px interface font."""
        return float(self.value[0])

    @property
    def line(self) -> float:
        """Height of a line at a 13 px interface font."""
        return float(self.value[1])

    @property
    def weight(self) -> QFont.Weight:
        """Weight: 400, 500 or 600."""
        return QFont.Weight(int(self.value[2]) // 100 * 100)


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
    _forget_kept()
    return _Chosen.density


class _Installed:
    """The system's own font, kept because the application's is overwritten."""

    system: QFont | None = None
    base: QFont | None = None
    px: float = REFERENCE_PX


def install_fonts(app: QApplication, *, extra_px: float = 0.0, prefer_inter: bool = True) -> None:
    """Choose the interface font and give it to the application.

    Call it after the application exists and before windows are built; call it
    again to change the size. Row heights follow, since they are asked for anew.

    Args:
        app: the application.
        extra_px: added to the system's size, such as +4 for low sight.
        prefer_inter: take Inter in DejaVu's place where it is installed.
    """
    if _Installed.system is None:
        _Installed.system = QFont(app.font())
    base = QFont(_Installed.system)
    info = QFontInfo(base)
    px = float(info.pixelSize())
    if prefer_inter and info.family().startswith("DejaVu") and has_family("Inter"):
        base.setFamilies(["Inter", *base.families()])
        px = max(px, REFERENCE_PX)
    _Installed.base = base
    _Installed.px = px + extra_px
    _forget_kept()
    app.setFont(font(Role.UI))


def apply_density(app: QApplication, settings: Settings) -> None:
    """Set fonts and rows as a person prefers them; again after either has changed."""
    density = set_density(settings.density)
    install_fonts(app, extra_px=settings.extra_px + density.extra_px)


def has_family(name: str) -> bool:
    """Whether a font family is installed."""
    return name in QFontDatabase.families()


def scale() -> float:
    """Return the interface font's size divided by 13 px."""
    return _Installed.px / REFERENCE_PX


@kept_for_font
def scaled(length: float) -> int:
    """Return a length drawn for a 13 px font, in px at the font that is used."""
    return round(length * scale())


def icon_side(px: int = 16) -> int:
    """Return the side of an icon that is so many px beside usual text: half as much again at most."""
    return min(max(px, scaled(px)), px * 3 // 2)


@kept_for_font
def font(role: Role, *, grow: float = 0.0) -> QFont:
    """Return the font of a role, with figures of equal width.

    Args:
        role: what the text is.
        grow: added px, such as the document's zoom.
    """
    base = QFont(_Installed.base) if _Installed.base is not None else QFont(QApplication.font())
    # Points, not pixels, because only they may have a fraction.
    base.setPointSizeF((role.px + grow) * scale() * 72.0 / _dots_per_inch())
    base.setWeight(role.weight)
    base.setFeature(QFont.Tag("tnum"), 1)
    if role.px >= _DISPLAY_FROM:
        base.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 98.8)
    base.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return base


@kept_for_font
def metrics(role: Role, *, grow: float = 0.0) -> QFontMetrics:
    """Return the measures of a role's font."""
    return QFontMetrics(font(role, grow=grow))


@kept_for_font
def line_height(role: Role, *, grow: float = 0.0) -> int:
    """Return the height of one line of a role, at least what the font itself needs."""
    wished = round(role.line * scale() * (role.px + grow) / role.px)
    return max(wished, metrics(role, grow=grow).height())


@kept_for_font
def text_width(role: Role, text: str) -> int:
    """Return the width of a text in px; kept, since lists paint the same texts again."""
    return metrics(role).horizontalAdvance(text)


def fits(role: Role, text: str, room: float) -> bool:
    """Whether a text fits a width; short plain texts are not measured for it."""
    if text.isascii() and len(text) * _widest_ascii(role) <= room:
        return True
    return text_width(role, text) <= room + 0.5


def figures_width(role: Role, text: str) -> int:
    """Return the width of a number in px; all its figures are as wide as a zero."""
    return text_width(role, text.translate(_ZEROS))


@kept_for_font
def _widest_ascii(role: Role) -> int:
    face = metrics(role)
    return max(face.horizontalAdvance(chr(code)) for code in range(32, 127)) + 1


def _dots_per_inch() -> float:
    return QGuiApplication.primaryScreen().logicalDotsPerInchY()
