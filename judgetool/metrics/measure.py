"""A measure as a value: name, parameters and cutoff in normal form."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from judgetool.errors import UsageError
from judgetool.metrics.measures_graded import COUNT_MEASURES, GRADED_MEASURES
from judgetool.metrics.measures_orders import ORDER_MEASURES
from judgetool.metrics.measures_readers import READER_MEASURES
from judgetool.metrics.measures_relevance import (
    PRECISION_MEASURES,
    RANKED_MEASURES,
    SET_MEASURES,
)
from judgetool.metrics.measures_trec import SAMPLE_MEASURES, SUBTOPIC_MEASURES, TREC_MEASURES
from judgetool.metrics.terms import MeasureSpec, ParamSpec, ParamValue, Rule
from judgetool.wording import _, translated

Params = tuple[tuple[str, ParamValue], ...]

GROUPS: dict[str, tuple[MeasureSpec, ...]] = {
    "Precision and recall": PRECISION_MEASURES,
    "The list as a set": SET_MEASURES,
    "Rankings, relevant or not": RANKED_MEASURES,
    "Gains and users who read downwards": GRADED_MEASURES,
    "Counts and shares": COUNT_MEASURES,
    "Agreement with the ideal order": ORDER_MEASURES,
    "Readers who go on or stop": READER_MEASURES,
    "Experiments of trec_eval": TREC_MEASURES,
    "Estimates from samples": SAMPLE_MEASURES,
    "Subtopics and diversity": SUBTOPIC_MEASURES,
}
"""The records of all measures by what they have in common, as the help has them."""

MEASURES: dict[str, MeasureSpec] = {spec.name: spec for group in GROUPS.values() for spec in group}
"""The records of all measures by name, in the order in which lists show them."""

SYNONYMS: dict[str, str] = {
    name: spec.name + bracket + rest
    for spec in MEASURES.values()
    for name, bracket, rest in (text.partition("(") for text in spec.synonyms)
}
"""Canonical spellings by other names."""


class MeasureError(UsageError):
    """A measure's name, parameter or cutoff that there is not.

    Attributes:
        text: what was written.
        suggestion: the nearest valid spelling, or ``""``.
    """

    def __init__(self, reason: str, *, text: str, suggestion: str = "") -> None:
        self.text = text
        self.suggestion = suggestion
        meant = _("Did you mean {suggestion}?").format(suggestion=suggestion)
        super().__init__(f"{reason} {meant}" if suggestion else reason)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its parameters and cutoff, in normal form.

    Two are equal exactly when they print alike: parameters are sorted, those at
    their default are left out, 2.0 is 2.

    Attributes:
        name: canonical name, a key of ``MEASURES``.
        params: name and value of each parameter that is not at its default, sorted.
        cutoff: number of ranks looked at, from 1; ``None`` for all.
        spec: the measure's record.
        values: all its parameters by name, those at their default included.
        reading: what of it decides what a grade is worth.
        rule: how grades move it.
        text: its canonical spelling, which parses back to an equal measure.

    Raises:
        MeasureError: the table has no such measure, parameter, value or cutoff.

    Examples:
        >>> str(Measure("nDCG", (("dcg", "exp-log2"), ("ideal", "judged")), 10))
        "nDCG(dcg='exp-log2')@10"
    """

    name: str
    params: Params = ()
    cutoff: int | None = None
    spec: MeasureSpec = field(init=False, compare=False, repr=False)
    values: dict[str, ParamValue] = field(init=False, compare=False, repr=False)
    reading: tuple[ParamValue, ...] = field(init=False, compare=False, repr=False)
    rule: Rule = field(init=False, compare=False, repr=False)
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        spec = MEASURES.get(self.name)
        if spec is None:
            raise unknown_measure(self.name)
        _check_cutoff(spec, self.cutoff, has_at=dict(self.params).get(spec.at) is not None)
        params = _normal_params(spec, self.params, self.cutoff)
        values = {param.name: param.default for param in spec.params} | dict(params)
        reading = (spec.uses, *map(values.get, ("rel", "dcg", "gains", "max_rel", "p")))
        is_given = spec.rule_if is not None and spec.rule_if[0] in dict(params)
        rule = spec.rule_if[1] if spec.rule_if is not None and is_given else spec.rule
        resolved = {"params": params, "spec": spec, "values": values, "reading": reading}
        text = _spell(spec, params, self.cutoff)
        for name, value in {**resolved, "rule": rule, "text": text}.items():
            object.__setattr__(self, name, value)

    def param(self, name: str) -> ParamValue:
        """Return a parameter's value, the default where it is not given.

        Raises:
            KeyError: the measure has no such parameter.
        """
        return self.values[name]

    def has_param(self, name: str) -> bool:
        """Return whether the measure knows a parameter of this name."""
        return name in self.values

    def number(self, name: str) -> float:
        """Return a numeric parameter that is set.

        Raises:
            KeyError: the measure has no such parameter.
        """
        value = self.values[name]
        assert isinstance(value, int | float)
        return float(value)

    def takes_out_unjudged(self, *, leave_out_unjudged: bool) -> bool:
        """Return whether unjudged documents are taken out of the rankings first.

        Args:
            leave_out_unjudged: whether the conventions say so, for measures that can.
        """
        is_own = self.values.get("judged_only")
        return is_own is not None and (leave_out_unjudged or is_own is True)

    def with_params(self, **changes: ParamValue) -> "Measure":
        """Return the same measure with some parameters set (``None`` sets the default)."""
        kept = {**dict(self.params), **changes}
        return Measure(self.name, tuple(kept.items()), self.cutoff)

    def with_cutoff(self, cutoff: int | None) -> "Measure":
        """Return the same measure looking at another number of ranks."""
        return Measure(self.name, self.params, cutoff)

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing.override is of 3.12
        """Return :attr:`text`."""
        return self.text


def format_literal(value: ParamValue) -> str:
    """Return a parameter's value as the grammar writes it.

    Examples:
        >>> format_literal(((1, 3), (2, 0.5)))
        '{1: 3, 2: 0.5}'
    """
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{grade!r}: {gain!r}" for grade, gain in value) + "}"
    return repr(value)


def _spell(spec: MeasureSpec, params: Params, cutoff: int | None) -> str:
    at: ParamValue = cutoff
    shown = []
    for key, value in params:
        if key == spec.at:
            at = value
        else:
            shown.append(f"{key}={format_literal(value)}")
    brackets = f"({', '.join(shown)})" if shown else ""
    return f"{spec.name}{brackets}" + ("" if at is None else f"@{format_literal(at)}")


def _closest(word: str, words: Iterable[str], *, cutoff: float) -> list[str]:
    """Return the one of some words that is most like another; empty where none is."""
    from difflib import get_close_matches  # noqa: PLC0415 - for what is misspelt alone

    return get_close_matches(word, list(words), n=1, cutoff=cutoff)


def nearest_name(name: str) -> str:
    """Return the valid spelling nearest to a wrong name, or ``""`` when nothing is near."""
    known = [*MEASURES, *SYNONYMS]
    folded = {key.lower(): key for key in reversed(known)}
    close = _closest(name.lower(), folded, cutoff=0.5)
    if not close:
        return ""
    target = folded[close[0]]
    if target in SYNONYMS:
        target = SYNONYMS[target].split("(")[0]
    return MEASURES[target].example


def unknown_measure(name: str) -> MeasureError:
    """Return what to raise for a name that no measure has."""
    return MeasureError(
        _("There is no measure ‘{name}’. ‘judgetool measures’ lists all.").format(name=name),
        text=name,
        suggestion=nearest_name(name),
    )


def plain_number(number: float) -> float:
    """Return whole numbers as int, so that 2 and 2.0 print alike."""
    value = float(number)
    return int(value) if value.is_integer() else value


def _check_cutoff(spec: MeasureSpec, cutoff: int | None, *, has_at: bool) -> None:
    if cutoff is None:
        if spec.needs_cutoff == "required" and not has_at:
            needs = _("{name} needs a cutoff after @.")
            if spec.at != "cutoff":
                needs = _("{name} needs a recall after @.")
            raise MeasureError(
                needs.format(name=spec.name), text=spec.name, suggestion=spec.example
            )
    elif spec.needs_cutoff == "none" or spec.at != "cutoff":
        raise MeasureError(
            _("{name} takes no cutoff.").format(name=spec.name),
            text=spec.name,
            suggestion=spec.example,
        )
    elif type(cutoff) is not int or cutoff < 1:
        raise MeasureError(
            _("The cutoff of {name} must be a whole number from 1, not ‘{part}’.").format(
                name=spec.name, part=cutoff
            ),
            text=spec.name,
            suggestion=spec.example,
        )


def _normal_params(
    spec: MeasureSpec, params: Iterable[tuple[str, ParamValue]], cutoff: int | None
) -> Params:
    normal: dict[str, ParamValue] = {}
    for key, value in params:
        param = spec.find_param(key)
        if param is None:
            raise _unknown_param(spec, key, cutoff)
        if value is not None:
            normal[key] = _normal_value(spec, param, value, cutoff)
    defaults = {param.name: param.default for param in spec.params}
    return tuple(sorted((key, v) for key, v in normal.items() if v != defaults[key]))


def _unknown_param(spec: MeasureSpec, key: str, cutoff: int | None) -> MeasureError:
    names = [param.name for param in spec.params if param.name != spec.at]
    sentence = _("{name} has no parameter ‘{part}’. It has none.")
    if names:
        sentence = _("{name} has no parameter ‘{part}’. It has {names}.")
    close = _closest(key, names, cutoff=0.5)
    param = spec.find_param(close[0]) if close else None
    return MeasureError(
        sentence.format(name=spec.name, part=key, names=", ".join(names)),
        text=spec.name,
        suggestion=_spelling(spec, param, cutoff, ""),
    )


def _spelling(spec: MeasureSpec, param: ParamSpec | None, cutoff: int | None, word: str) -> str:
    """Return a valid spelling that shows a parameter, near what was written."""
    if param is None:
        return spec.example
    shown: ParamValue = word
    if not word:
        number = 2 if param.default is None else param.default
        by_kind: dict[str, ParamValue] = {"flag": True, "gains": ((1, 3), (2, 9)), "number": number}
        shown = param.words[-1] if param.kind == "word" else by_kind[param.kind]
    at = "" if cutoff is None else f"@{cutoff}"
    if not at and spec.needs_cutoff == "required":
        at = "@" + spec.example.partition("@")[2]
    return f"{spec.name}({param.name}={format_literal(shown)}){at}"


def _normal_value(
    spec: MeasureSpec, param: ParamSpec, value: ParamValue, cutoff: int | None
) -> ParamValue:
    if param.kind == "flag" and isinstance(value, bool):
        return value
    if isinstance(value, str) and value in param.words:
        return value
    if param.kind == "number" and isinstance(value, int | float) and _is_in_range(param, value):
        return plain_number(value)
    if param.kind == "gains" and isinstance(value, tuple) and value:
        gains = {plain_number(grade): plain_number(gain) for grade, gain in value}
        if len(gains) == len(value) and min(gains.values()) >= 0:
            return tuple(sorted(gains.items()))
    close: list[str] = []
    if isinstance(value, str):
        close = _closest(value, param.words, cutoff=0.3)
    at_is_wrong = param.name == spec.at
    raise MeasureError(
        _("{name}: {param} may be {allowed}, not {part}.").format(
            name=spec.name,
            param=param.name,
            allowed=translated(param.allowed),
            part=format_literal(value),
        ),
        text=spec.name,
        suggestion=_spelling(spec, None if at_is_wrong else param, cutoff, "".join(close)),
    )


def _is_in_range(param: ParamSpec, value: float) -> bool:
    low = -math.inf if param.lowest is None else param.lowest
    high = math.inf if param.highest is None else param.highest
    if isinstance(value, bool) or not math.isfinite(value):
        return False
    return low < value < high if param.is_open else low <= value <= high
