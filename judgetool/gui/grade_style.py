"""How a grade looks: ink, chip ground, symbol and digit, from a scale and a theme."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from PySide6.QtGui import QColor

from judgetool.core.judgments import State
from judgetool.core.scale import Level, Scale, format_grade
from judgetool.gui.number_text import UNDEFINED
from judgetool.gui.oklab import interpolate_oklab, least_contrast, nearest_passing
from judgetool.gui.theme import Theme

MOST_DISCS = 6
NEEDED_CONTRAST = 3.0

# Which of the six inks a scale of so many levels takes, lowest level first.
_RAMP_PLACES: dict[int, tuple[int, ...]] = {
    2: (0, 5),
    3: (0, 2, 5),
    4: (0, 1, 3, 5),
    5: (0, 1, 2, 4, 5),
    6: (0, 1, 2, 3, 4, 5),
}


class Symbol(Enum):
    """What stands left of the digit."""

    DISC = "disc"
    SIGN = "sign"
    BAR = "bar"
    UNJUDGED = "unjudged"
    CANNOT_JUDGE = "cannot_judge"
    SKIPPED = "skipped"


@dataclass(frozen=True, eq=False, slots=True)
class GradeStyle:
    """The look of one level, of a grade between levels, or of a document without a grade.

    Attributes:
        text: the grade as shown, or ``–``.
        name: the level's name, or the state in words; for tooltips and readers.
        key: the key that gives it, or ``""``.
        ink: colour of symbol, bars and lines.
        ground: of the chip; ``None`` where a chip has none (no grade).
        symbol: see :class:`Symbol`.
        fraction: how much of disc or bar is filled, 0 to 1.
        grade: the number, or ``None``.
        sign: the scale's own character in place of a disc, of ``Symbol.SIGN``.
    """

    text: str
    name: str
    key: str
    ink: QColor
    ground: QColor | None
    symbol: Symbol
    fraction: float
    grade: float | None = None
    sign: str = ""


@lru_cache(maxsize=64)
def scale_styles(scale: Scale, theme: Theme) -> tuple[GradeStyle, ...]:
    """Return the look of every level of a scale, lowest grade first."""
    return tuple(
        _level_style(scale, level, place, theme=theme) for place, level in enumerate(scale.levels)
    )


def widest_styles(scale: Scale, theme: Theme) -> tuple[GradeStyle, ...]:
    """Return looks of which one is as wide as any grade's: levels, and two decimals between."""
    styles = scale_styles(scale, theme)
    if not scale.is_continuous:
        return styles
    ends = (scale.levels[0].grade, scale.max_grade)
    return (*styles, *(grade_style(scale, round(end) + 0.44, theme) for end in ends))


def grade_style(scale: Scale, grade: float, theme: Theme) -> GradeStyle:
    """Return the look of one grade, also of one between the levels or off the scale.

    Args:
        scale: the project's.
        grade: any number; what is outside the scale is drawn as its nearest end.
        theme: the colours.
    """
    for level, style in zip(scale.levels, scale_styles(scale, theme), strict=True):
        if level.grade == grade:
            return style
    return _between_style(scale, grade, theme)


@lru_cache(maxsize=16)
def state_style(state: State, theme: Theme) -> GradeStyle:
    """Return the look of a document without a grade.

    Raises:
        ValueError: ``state`` is ``JUDGED``; its look needs the grade.
    """
    names = {
        State.UNJUDGED: (Symbol.UNJUDGED, "not judged"),
        State.CANNOT_JUDGE: (Symbol.CANNOT_JUDGE, "cannot be judged"),
        State.SKIPPED: (Symbol.SKIPPED, "skipped"),
    }
    if state not in names:
        raise ValueError("a judged document's look needs its grade: grade_style()")
    symbol, name = names[state]
    return GradeStyle(UNDEFINED, name, "", theme.text3, None, symbol, 0.0)


def judgment_style(scale: Scale, state: State, grade: float | None, theme: Theme) -> GradeStyle:
    """Return the look of a judgment: of its grade when it has one, else of its state."""
    if grade is None:
        return state_style(state, theme)
    return grade_style(scale, grade, theme)


def ramp_ink(theme: Theme, place: int, count: int) -> QColor:
    """Return the ink of level ``place`` (from 0) of a scale with ``count`` levels."""
    if count in _RAMP_PLACES:
        return theme.ramp[_RAMP_PLACES[count][place]]
    return _ramp_between(theme, place / max(1, count - 1))


def colour_complaint(colour: str, theme: Theme) -> str | None:
    """Return the nearest colour that can be seen on rows, or ``None`` when this one can.

    Args:
        colour: ``#rrggbb`` that a project wants for a level.
        theme: whose ``base`` and ``selected`` it must stand out from by 3:1.
    """
    grounds = (theme.base.name(), theme.selected.name())
    if least_contrast(colour, grounds) >= NEEDED_CONTRAST:
        return None
    return nearest_passing(colour, grounds, NEEDED_CONTRAST)


def _ramp_between(theme: Theme, share: float) -> QColor:
    return QColor(interpolate_oklab(tuple(ink.name() for ink in theme.ramp), share))


def _level_symbol(scale: Scale, level: Level) -> Symbol:
    if level.symbol:
        return Symbol.SIGN
    has_discs = len(scale.levels) <= MOST_DISCS and not scale.is_continuous
    return Symbol.DISC if has_discs else Symbol.BAR


def _fraction(scale: Scale, level: Level, place: int) -> float:
    """Return how full disc or bar is: by place, on a continuous scale by the number."""
    if not scale.is_continuous:
        return place / (len(scale.levels) - 1)
    lowest = scale.levels[0].grade
    return (level.grade - lowest) / (scale.max_grade - lowest)


def _level_style(scale: Scale, level: Level, place: int, *, theme: Theme) -> GradeStyle:
    count = len(scale.levels)
    ink = QColor(level.colour) if level.colour else ramp_ink(theme, place, count)
    return GradeStyle(
        text=level.label,
        name=level.name,
        key=level.key,
        ink=ink,
        ground=theme.chip_ground(ink),
        symbol=_level_symbol(scale, level),
        fraction=_fraction(scale, level, place),
        grade=level.grade,
        sign=level.symbol,
    )


@lru_cache(maxsize=512)
def _between_style(scale: Scale, grade: float, theme: Theme) -> GradeStyle:
    lowest, highest = scale.levels[0].grade, scale.max_grade
    share = min(1.0, max(0.0, (grade - lowest) / (highest - lowest)))
    ink = _ramp_between(theme, share)
    text = format_grade(grade)
    return GradeStyle(
        text, f"grade {text}", "", ink, theme.chip_ground(ink), Symbol.BAR, share, grade
    )
