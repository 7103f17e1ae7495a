"""The scale of grades: its levels, and the presets that ship with judgetool."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from judgetool.errors import InputError, UsageError, named
from judgetool.wording import N_, _, local_number, pgettext

if TYPE_CHECKING:
    from decimal import Decimal

# Letters that no action of the window needs.
LETTER_KEYS = "abcgmoptuvwyz"
LEVEL = "level of a scale"
"""The context in which names and definitions of presets are translated."""
_MOST_LEVELS = 101
_MOST_NAMED = 11
_NUMBER = r"-?(?:\d+(?:\.\d+)?|\.\d+)"
_RANGE = rf"({_NUMBER})(?:-|–|\.\.)({_NUMBER})(?:/({_NUMBER}|any))?"
_LIST = rf"{_NUMBER}(?:,{_NUMBER})+"
SCALE_FORMS = N_(
    "1-5, 0-1/0.25 (steps), 0-1/any (all between), 0,0.5,1, each with @2 for ‘relevant from 2’"
)
"""How scales beyond the presets are named, for help and sentences."""


class Level(NamedTuple):
    """One grade of a scale, with all that a person or a measure needs of it.

    Attributes:
        grade: the number that is stored in judgments and written to qrels.
        name: short, shown on the grade bar.
        definition: when to give this grade; may be empty.
        gain: what the grade is worth in CG, DCG and nDCG.
        p_relevant: probability, 0 to 1, that such a document satisfies the user
            (pFound, ``ERR(p='grade')``).
        key: the key that gives this grade, one character in lower case.
        colour: ``#rrggbb``, or ``None`` for the theme's colour of this level.
        code: a short text shown where the number would be, such as ``E`` for exact;
            ``""`` shows the grade.
        symbol: one character shown where the disc would be; ``""`` shows the disc.
    """

    grade: float
    name: str
    definition: str = ""
    gain: float = 0.0
    p_relevant: float = 0.0
    key: str = ""
    colour: str | None = None
    code: str = ""
    symbol: str = ""

    @property
    def label(self) -> str:
        """What stands for the grade on a chip: the code, or the number."""
        return self.code or format_grade(self.grade)

    @property
    def shown_name(self) -> str:
        """The name in the language that is used where a preset has it; a person's own as it is."""
        return pgettext(LEVEL, self.name)

    @property
    def titled(self) -> str:
        """Grade and name, as lists have them; the grade alone where the level is called like it.

        Examples:
            >>> Level(2, "Good").titled, Level(2, "2").titled
            ('2  Good', '2')
        """
        grade = format_grade(self.grade)
        return grade if self.shown_name == grade else f"{grade}  {self.shown_name}"

    @property
    def shown_definition(self) -> str:
        """The definition, likewise."""
        return pgettext(LEVEL, self.definition) if self.definition else ""


@dataclass(frozen=True, slots=True)
class Scale:
    """An ordered set of levels, lowest grade first.

    Attributes:
        name: name of the preset it came from, or of the user's own.
        levels: at least two, grades strictly rising, keys distinct.
        relevant_from: lowest grade that counts as relevant.
        is_continuous: whether every number from the lowest to the highest level is a
            grade; gain and probability in between are interpolated linearly.

    Raises:
        InputError: the levels do not make a scale; the text says why.
    """

    name: str
    levels: tuple[Level, ...]
    relevant_from: float
    is_continuous: bool = False

    def __post_init__(self) -> None:
        problem = scale_problem(self.levels, self.relevant_from)
        if problem:
            raise InputError(problem)

    @property
    def grades(self) -> tuple[float, ...]:
        """All grades, lowest first."""
        return tuple(level.grade for level in self.levels)

    @property
    def max_grade(self) -> float:
        """The highest grade of the scale (gmax), whatever grades occur in the data."""
        return self.levels[-1].grade

    @property
    def label(self) -> str:
        """The range of the scale as shown to people, such as ``0–3`` or ``−1–3``."""
        least = format_grade(self.levels[0].grade).replace("-", "−")  # beside a dash
        return f"{least}–{format_grade(self.max_grade)}"

    @property
    def is_plain(self) -> bool:
        """Whether a tool that knows the grades alone, and counts from 1, reads them as this scale does."""
        starts_at_one = self.relevant_from == 1 or not self.is_continuous
        return starts_at_one and all(
            level.gain == level.grade and (level.grade >= 1) == (level.grade >= self.relevant_from)
            for level in self.levels
        )

    def describe(self) -> str:
        """Return levels and ‘relevant from’ in words; gains and probabilities where they are its own."""
        levels = self.levels
        named = [f"{format_grade(each.grade)} {each.shown_name}" for each in levels]
        if len(levels) > _MOST_NAMED or all(
            each.name == format_grade(each.grade) for each in levels
        ):
            named = [self.label]
        own = {
            _("gains {values}"): [(each.gain, each.grade) for each in levels],
            _("probabilities {values}"): [
                (
                    each.p_relevant,
                    exponential_p(each.grade - levels[0].grade, self.max_grade - levels[0].grade),
                )
                for each in levels
            ],
        }
        parts = [_("levels {levels}").format(levels=", ".join(named))]
        for text, values in own.items():
            if len(values) <= _MOST_NAMED and any(value != usual for value, usual in values):
                shown = ", ".join(local_number(format_grade(value)) for value, _usual in values)
                parts.append(text.format(values=shown))
        start = local_number(format_grade(self.relevant_from))
        return "; ".join([*parts, _("relevant from {grade}").format(grade=start)])

    def list_changes(self, after: "Scale") -> list[str]:
        """Return what another scale of the same grades has otherwise, in words."""
        changes = [
            _(text).format(grade=format_grade(old.grade), before=before, after=now)
            for old, new in zip(self.levels, after.levels, strict=False)
            for name, text in _CHANGED.items()
            if (before := _shown_part(old, name)) != (now := _shown_part(new, name))
        ]
        if self.relevant_from != after.relevant_from:
            start, now = (local_number(format_grade(s.relevant_from)) for s in (self, after))
            changes.append(_("relevant from {before} → {after}").format(before=start, after=now))
        return changes

    @property
    def figures(self) -> tuple[tuple[tuple[float, float, float], ...], float]:
        """All that measures read: grade, gain and probability of each level, and the lowest relevant grade."""
        levels = ((level.grade, level.gain, level.p_relevant) for level in self.levels)
        return tuple(levels), self.relevant_from

    def values_alike(self, other: "Scale") -> bool:
        """Whether another scale gives every measure the same value."""
        return self.figures == other.figures

    def find_level(self, grade: float) -> Level | None:
        """Return the level with this grade, or ``None``."""
        return next((level for level in self.levels if level.grade == grade), None)

    def has_grade(self, grade: float) -> bool:
        """Whether a judgment may have this grade."""
        if self.is_continuous:
            return self.levels[0].grade <= grade <= self.max_grade
        return grade in map(attrgetter("grade"), self.levels)

    def nearest_level(self, grade: float) -> Level:
        """Return the level whose grade is nearest; of two equally near the lower."""
        return min(self.levels, key=lambda level: abs(level.grade - grade))

    def rank_of(self, grade: float) -> int:
        """Return the level's place on the scale, 0 for the lowest.

        Raises:
            InputError: no level has this grade.
        """
        if grade in self.grades:
            return self.grades.index(grade)
        raise InputError(
            _(
                "Grade {grade} is not on this scale ({label}). Change the scale in Project ▸ Scale."
            ).format(grade=format_grade(grade), label=self.label)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain values, for the project file."""
        return {
            "name": self.name,
            "relevant_from": self.relevant_from,
            "is_continuous": self.is_continuous,
            "levels": [level._asdict() for level in self.levels],
        }

    @staticmethod
    def from_dict(values: dict[str, Any]) -> "Scale":
        """Build a scale from :meth:`to_dict`'s result.

        Raises:
            InputError: a value is missing or does not make a scale.
        """
        try:
            levels = tuple(Level(**level) for level in values["levels"])
            is_continuous = bool(values.get("is_continuous", False))
            return Scale(values["name"], levels, values["relevant_from"], is_continuous)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                _("The stored scale cannot be read: {error}.").format(error=error)
            ) from error


_CHANGED = {
    "gain": N_("gain of {grade}: {before} → {after}"),
    "p_relevant": N_("probability of {grade}: {before} → {after}"),
    "shown_name": N_("name of {grade}: {before} → {after}"),
    "shown_definition": N_("definition of {grade}"),
    "look": N_("key or look of {grade}"),
}


def _shown_part(level: Level, name: str) -> str:
    """Return an attribute of a level as people read it; ``look`` is all that is neither number nor word."""
    if name == "look":
        return f"{level.key} {level.colour} {level.code} {level.symbol}"
    part = getattr(level, name)
    return part if isinstance(part, str) else local_number(format_grade(part))


MOST_GRADE = 1000.0
"""Grades and highest grades go no further: 2 to the power of 1024 is no number any more."""

MOST_GAIN = 1e100
"""Gains go no further: their sums, and the products of two, are numbers still."""


def scale_problem(levels: Iterable[Level], relevant_from: float) -> str:
    """Return a sentence saying why these levels do not make a scale, or ``""``."""
    levels = tuple(levels)
    grades = [level.grade for level in levels]
    keys = [level.key for level in levels if level.key]
    checks = (
        (len(levels) >= 2, _("A scale needs at least two levels.")),
        (
            all(low < high for low, high in pairwise(grades)),
            _("The grades of a scale must rise from level to level, each given once."),
        ),
        (
            all(abs(grade) <= MOST_GRADE for grade in grades),
            _("The grades of a scale must lie between −1000 and 1000."),
        ),
        (
            bool(grades) and grades[0] < relevant_from <= grades[-1],
            _("‘Relevant from’ must be above the lowest grade and not above the highest."),
        ),
        (len(set(keys)) == len(keys), _("Two levels have the same key.")),
        (all(level.name.strip() for level in levels), _("Every level needs a name.")),
        (
            all(0 <= level.p_relevant <= 1 for level in levels),
            _("The probability of relevance must be between 0 and 1."),
        ),
        (not any(level.gain < 0 for level in levels), _("A gain must not be negative.")),
        (
            # So written, it refuses what is no number, too.
            all(level.gain <= MOST_GAIN for level in levels),
            _("Gains must be finite and at most {most}.").format(most=f"{MOST_GAIN:g}"),
        ),
    )
    return next((sentence for holds, sentence in checks if not holds), "")


def tell_below_zero(levels: Iterable[Level]) -> list[str]:
    """Return a sentence for each level below 0: what it says is a judgment, and to no measure a grade."""
    said = _(
        "{name}: to every measure a document with a grade below 0 is not judged; it counts as judged in the pool."
    )
    return [said.format(name=level.shown_name) for level in levels if level.grade < 0]


def plain_number(value: "float | Decimal | str") -> float:
    """Return whole numbers as int, so that 2 and 2.0 print alike."""
    number = float(value)
    return int(number) if number.is_integer() else number


def format_grade(grade: float) -> str:
    """Return a grade as it is written, with all its digits: ``2``, not ``2.0``; ``0.5``."""
    # Asked for with every grade that is painted: nothing else is called.
    return str(int(grade)) if float(grade).is_integer() else repr(float(grade))


def shown_grade(grade: float, *, decimals: int = 4) -> str:
    """Return a grade as a person reads it: one with more decimals, such as a mean, has two: ``1.33``."""
    return format_grade(grade) if round(grade, decimals) == grade else f"{grade:.2f}"


def exponential_p(grade: float, max_grade: float) -> float:
    """Return (2^grade − 1) / 2^max_grade, the probability that ERR assumes by default."""
    if max_grade > MOST_GRADE:
        return float(2.0 ** (grade - max_grade))
    return float((2.0**grade - 1.0) / 2.0**max_grade)


def default_keys(count: int) -> tuple[str, ...]:
    """Return one key per level: digits as far as they go, then letters."""
    digits = "0123456789"
    return tuple((digits + LETTER_KEYS)[:count])


def graded_scale(
    name: str,
    grades: Sequence[float],
    *,
    relevant_from: float | None = None,
    is_continuous: bool = False,
) -> Scale:
    """Build a scale of any grades; a gain is the distance from the lowest grade.

    Args:
        name: of the scale.
        grades: lowest first, at least two.
        relevant_from: lowest relevant grade; ``None`` takes the second, of a continuous
            scale the middle.
        is_continuous: whether all numbers in between are grades, too.

    Raises:
        InputError: the grades do not make a scale; the text says why.

    Examples:
        >>> scale = graded_scale("1-5", [1, 2, 3, 4, 5])
        >>> scale.relevant_from, [level.gain for level in scale.levels]
        (2, [0, 1, 2, 3, 4])
    """
    keys = (*default_keys(len(grades)), *("",) * len(grades))
    lowest, span = (grades[0], grades[-1] - grades[0]) if grades else (0, 0)
    levels = tuple(
        Level(
            grade=grade,
            name=format_grade(grade),
            gain=grade - lowest,
            p_relevant=min(1.0, max(0.0, exponential_p(grade - lowest, span))),
            key=key,
        )
        for grade, key in zip(grades, keys, strict=False)
    )
    if relevant_from is None:
        relevant_from = lowest + span / 2 if is_continuous else grades[min(1, len(grades) - 1)]
    return Scale(name, levels, relevant_from, is_continuous)


def numbered_scale(name: str, names: Iterable[str], *, definitions: Iterable[str] = ()) -> Scale:
    """Build a scale with grades 0, 1, 2, …, gain = grade and ERR's probabilities.

    Args:
        name: of the scale.
        names: of the levels, lowest first.
        definitions: when to give each grade, lowest first; may be shorter or empty.
    """
    titles, texts = tuple(names), tuple(definitions)
    scale = graded_scale(name, range(len(titles)), relevant_from=1)
    named = _with(scale, "name", titles)
    return _with(named, "definition", texts + ("",) * (len(titles) - len(texts)))


def _with(scale: Scale, attribute: str, values: Iterable[Any]) -> Scale:
    """Return a scale whose levels have other values of an attribute."""
    levels = tuple(
        level._replace(**{attribute: value})
        for level, value in zip(scale.levels, values, strict=True)
    )
    return replace(scale, levels=levels)


_GRADED_4 = (
    "Does not help with the query.",
    "On the subject, but does not answer the need.",
    "Answers the need in part, or among other things.",
    "Made for this need; answers it fully.",
)

SCALE_PRESETS: dict[str, Scale] = {
    # ROMIP 2010: a relevant document satisfies with probability 0.4.
    "binary": _with(
        numbered_scale(
            "binary",
            ("Not relevant", "Relevant"),
            definitions=("Does not help with the query.", "Helps with the query."),
        ),
        "p_relevant",
        (0.0, 0.4),
    ),
    "0-3": numbered_scale(
        "0-3",
        ("Not relevant", "Slightly relevant", "Relevant", "Highly relevant"),
        definitions=_GRADED_4,
    ),
    "0-4": numbered_scale(
        "0-4",
        ("Not relevant", "Slightly relevant", "Fairly relevant", "Relevant", "Perfect"),
        definitions=(
            "Does not help with the query.",
            "Touches the subject only.",
            "Helps a little.",
            "Answers the need.",
            "Exactly what was wanted; nothing could be better.",
        ),
    ),
    # Yandex' five levels with the probabilities used for pFound.
    "yandex": _with(
        numbered_scale(
            "yandex",
            ("Irrelevant", "Relevant −", "Relevant +", "Useful", "Vital"),
            definitions=(
                "Does not help with the query.",
                "On the subject, of little use.",
                "Helps, but others help as well.",
                "Complete and trustworthy help.",
                "The very page or thing that was asked for.",
            ),
        ),
        "p_relevant",
        (0.0, 0.07, 0.14, 0.41, 0.61),
    ),
    # Amazon's shopping queries: gains 0, 0.01, 0.1, 1 as in its ranking task.
    "esci": _with(
        numbered_scale(
            "esci",
            ("Irrelevant", "Complement", "Substitute", "Exact"),
            definitions=(
                "Not what was asked for, and of no use with it.",
                "Goes together with what was asked for.",
                "Falls short in some respect, but could stand in.",
                "Everything that the query asks for.",
            ),
        ),
        "gain",
        (0.0, 0.01, 0.1, 1.0),
    ),
    "wands": numbered_scale(
        "wands",
        ("Irrelevant", "Partial", "Exact"),
        definitions=(
            "Not what was asked for.",
            "Matches in part: the kind is right, a wish is not met.",
            "Everything that the query asks for.",
        ),
    ),
}


def parse_scale(text: str, *, more: str = "") -> Scale:
    """Return a preset, or the scale that a range or a list of grades names.

    Args:
        text: the name.
        more: a sentence for who named none, about what else was looked for.

    Raises:
        UsageError: it is neither; the text says what is understood.
        InputError: the grades do not make a scale.

    Examples:
        >>> parse_scale("0-1/0.5").grades, parse_scale("1-5@3").relevant_from
        ((0, 0.5, 1), 3)
        >>> parse_scale("0-1/any").has_grade(0.37)
        True
        >>> parse_scale("-1-3").label, parse_scale("−1–3").grades
        ('−1–3', (-1, 0, 1, 2, 3))
    """
    if text in SCALE_PRESETS:
        return SCALE_PRESETS[text]
    shape, sign, start = text.replace(" ", "").replace("−", "-").partition("@")
    grades, is_continuous = _named_grades(shape)
    has_start = re.fullmatch(_NUMBER, start) is not None
    if not grades or (sign and not has_start):
        said = _("There is no scale ‘{text}’. Choose one of: {presets}; or write {forms}.").format(
            text=text, presets=", ".join(SCALE_PRESETS), forms=_(SCALE_FORMS)
        )
        raise UsageError(f"{said} {more}".rstrip())
    return graded_scale(
        text,
        grades,
        relevant_from=plain_number(start) if has_start else None,
        is_continuous=is_continuous,
    )


def _named_grades(shape: str) -> tuple[list[float], bool]:
    """Return the grades of a range or list, and whether all between are meant, too."""
    if re.fullmatch(_LIST, shape):
        return [plain_number(part) for part in shape.split(",")][:_MOST_LEVELS], False
    found = re.fullmatch(_RANGE, shape)
    if found is None:
        return [], False
    from decimal import Decimal  # noqa: PLC0415 - few scales need it

    low, high = Decimal(found[1]), Decimal(found[2])
    if found[3] == "any":
        return [plain_number(low), plain_number(high)], True
    step = Decimal(found[3] or 1)
    if step <= 0 or not low < high or (high - low) / step > _MOST_LEVELS - 1:
        raise UsageError(
            _(
                "The scale ‘{shape}’ has no levels, or more than {most}: a range rises, "
                "such as 1-5, by steps above 0; 0-100/any takes all numbers in between."
            ).format(shape=shape, most=_MOST_LEVELS)
        )
    return [
        plain_number(low + step * place) for place in range(int((high - low) / step) + 1)
    ], False


def scale_from_values(values: Mapping[str, Any], *, name: str) -> Scale:
    """Return a scale that a person may have written: only the grades have to be there.

    Args:
        values: as of :meth:`Scale.to_dict`; what is missing is as in :func:`graded_scale`.
        name: where the values give none.

    Raises:
        InputError: they do not make a scale; the text says why.
    """
    levels = values.get("levels")
    known = set(Level._fields)
    if not isinstance(levels, list) or len(levels) < 2 or len(levels) > _MOST_LEVELS:
        raise InputError(
            _("{name}: a scale needs 2 to {most} levels, as a list ‘levels’.").format(
                name=name, most=_MOST_LEVELS
            )
        )
    for level in levels:
        if not isinstance(level, dict) or not is_number(level.get("grade")):
            raise InputError(
                _("{name}: every level of a scale needs a ‘grade’ that is a number.").format(
                    name=name
                )
            )
        strange = sorted(set(level) - known)
        if strange:
            raise InputError(
                _("{name}: a level has {strange}; known are {known}.").format(
                    name=name, strange=", ".join(strange), known=", ".join(sorted(known))
                )
            )
        colour = level.get("colour")
        if colour is not None and not re.fullmatch("#(?:[0-9a-fA-F]{3}){1,2}", str(colour)):
            raise InputError(
                _("{name}: ‘{colour}’ is no colour such as #1f5fae.").format(
                    name=name, colour=colour
                )
            )
    start = values.get("relevant_from")
    base = graded_scale(
        str(values.get("name") or name),
        [level["grade"] for level in levels],
        relevant_from=start if is_number(start) else None,
        is_continuous=bool(values.get("is_continuous", False)),
    )
    try:
        whole = tuple(own._replace(**given) for own, given in zip(base.levels, levels, strict=True))
        return replace(base, levels=whole)
    except (TypeError, AttributeError) as error:
        raise InputError(
            _("{name}: the scale cannot be read: {error}.").format(name=name, error=error)
        ) from error


def is_number(value: object) -> TypeGuard[float]:
    """Whether what JSON gave is a finite number, and neither true nor false."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def scale_preset(name: str) -> Scale:
    """Return a shipped scale: ``binary``, ``0-3``, ``0-4``, ``yandex``, ``esci``, ``wands``.

    Raises:
        UsageError: no preset has this name; the text lists them.

    Examples:
        >>> [level.p_relevant for level in scale_preset("binary").levels]
        [0.0, 0.4]
    """
    return named(
        SCALE_PRESETS, name, _("There is no scale preset ‘{name}’. Choose one of: {names}.")
    )
