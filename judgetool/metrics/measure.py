"""A measure as a value: name, parameters and cutoff in normal form; and how it is written.

A name such as ``nDCG(dcg='exp-log2')@10`` is read and printed, and trec_eval's names become ours
and ours trec_eval's. The grammar is that of ir_measures, with a closed table in place of ``eval``::

    name [ '(' key '=' literal (',' key '=' literal)* ')' ] [ '@' number ]
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from judgetool.core.scale import MOST_GAIN, plain_number
from judgetool.errors import UsageError
from judgetool.metrics.measures_graded import COUNT_MEASURES, GRADED_MEASURES, READER_MEASURES
from judgetool.metrics.measures_relevance import (
    ELEVEN_POINTS,
    PRECISION_MEASURES,
    RANKED_MEASURES,
    SET_MEASURES,
    terms_by_row,
)
from judgetool.metrics.measures_rows import (
    ORDER_MEASURES,
    SAMPLE_MEASURES,
    SUBTOPIC_MEASURES,
    TREC_MEASURES,
)
from judgetool.metrics.terms import GainMap, MeasureSpec, ParamSpec, ParamValue, Rule
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


# What a rule reads besides the terms.
_PARAM_OF_RULE: dict[Rule, str] = {"ratio": "ideal", "r_precision": "mult"}


def register_measures(groups: Iterable[Iterable[MeasureSpec]]) -> dict[str, MeasureSpec]:
    """Return records by name.

    Raises:
        LookupError: the rule of one does not fit what it is made of.
    """
    specs = [spec for group in groups for spec in group]
    for spec in specs:
        for rule in (spec.rule, *(spec.rule_if or ())[1:]):
            if problem := _find_misfit(spec, rule):
                raise LookupError(f"{spec.name}: {problem}; see MeasureSpec in metrics/terms.py.")
    return {spec.name: spec for spec in specs}


def _find_misfit(spec: MeasureSpec, rule: Rule) -> str:
    param = _PARAM_OF_RULE.get(rule)
    if param and spec.find_param(param) is None:
        return f"the rule {rule} needs the parameter {param}"
    is_by_row = getattr(spec.terms, "func", None) is terms_by_row
    if is_by_row and rule not in ("wide", "present"):
        return f"terms made by_row have the rule wide, not {rule}"
    return ""


MEASURES = register_measures(GROUPS.values())
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
        has_bounds: whether gradings of the unjudged bound it: not what counts how much is judged.
        is_quality: whether more of it is better: no best run, no test and no verdict goes by others.
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
    has_bounds: bool = field(init=False, compare=False, repr=False)
    is_quality: bool = field(init=False, compare=False, repr=False)
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        spec = MEASURES.get(self.name)
        if spec is None:
            raise unknown_measure(self.name)
        _check_cutoff(spec, self.cutoff, has_at=dict(self.params).get(spec.at) is not None)
        params = _normal_params(spec, self.params, self.cutoff)
        values = spec.defaults | dict(params)
        reading = (spec.uses, *map(values.get, ("rel", "dcg", "gains", "max_rel", "p")))
        param, if_given = spec.rule_if or ("", spec.rule)
        rule = if_given if param in dict(params) else spec.rule
        resolved: dict[str, object] = {
            "params": params,
            "spec": spec,
            "values": values,
            "reading": reading,
        }
        # What counts the judged moves with every judgment, whatever that says.
        has_bounds = rule != "present" or spec.sees == "useful"
        is_quality = spec.is_quality or rule != spec.rule
        resolved |= {"rule": rule, "has_bounds": has_bounds, "is_quality": is_quality}
        text = _spell(spec, params, self.cutoff)
        for name, value in {**resolved, "text": text}.items():
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

    @property
    def is_undefined_by_ranking(self) -> bool:
        """Whether one ranking of a query may have no value where another has one."""
        if self.values.get("ideal") in ("length", "retrieved"):
            return True
        return self.spec.uses == "grade" and not self.spec.divides_by_relevant

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
    # Of three letters two have to be right: ‘F’ is no slip of ‘foo’.
    close = _closest(name.lower(), folded, cutoff=0.66)
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


def _check_cutoff(spec: MeasureSpec, cutoff: int | None, *, has_at: bool) -> None:
    said = ""
    if cutoff is None:
        if spec.needs_cutoff == "required" and not has_at:
            said = _("{name} needs a cutoff after @.")
            if spec.at != "cutoff":
                said = _("{name} needs a recall after @.")
    elif spec.needs_cutoff == "none" or spec.at != "cutoff":
        said = _("{name} takes no cutoff.")
    elif type(cutoff) is not int or cutoff < 1:
        said = _("The cutoff of {name} must be a whole number from 1, not ‘{part}’.")
    if said:
        sentence = said.format(name=spec.name, part=cutoff)
        raise MeasureError(sentence, text=spec.name, suggestion=spec.example)


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
    return tuple(sorted((key, v) for key, v in normal.items() if v != spec.defaults[key]))


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
        _check_gains(spec, param, gains)
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


def _check_gains(spec: MeasureSpec, param: ParamSpec, gains: Mapping[float, float]) -> None:
    """Refuse gains whose sums would be no numbers."""
    if all(math.isfinite(grade) and gain <= MOST_GAIN for grade, gain in gains.items()):
        return
    raise MeasureError(
        _("{name}: {param} must be finite and at most {most}.").format(
            name=spec.name, param=param.name, most=f"{MOST_GAIN:g}"
        ),
        text=spec.name,
        suggestion=_spelling(spec, param, None, ""),
    )


def _is_in_range(param: ParamSpec, value: float) -> bool:
    high = math.inf if param.highest is None else param.highest
    if isinstance(value, bool) or not math.isfinite(value):
        return False
    return param.lowest < value < high if param.is_open else param.lowest <= value <= high


# Names, ours and trec_eval’s

_SHAPE = re.compile(
    r"\s*(?P<name>\w[\w-]*)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>[^\s@()]+))?\s*", re.DOTALL
)
_PARAM = re.compile(
    r"\s*(?P<key>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|\{[^{}]*\}|[^\s,'\"{}]+)\s*(?:,|$)"
)
_GAIN = re.compile(r"\s*(?P<grade>[^\s,:]+)\s*:\s*(?P<gain>[^\s,:]+)\s*(?:,|$)")
# Without a cutoff ranx means the whole list.
_RANX_WHOLE = {"precision": "SetP", "f1": "SetF"}
# It writes the probability behind the name.
_RANX_RBP = re.compile(r"rbp(?P<p>\.\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def parse_measure(text: str | Measure) -> Measure:
    """Return the measure that a text names.

    Args:
        text: canonical spelling, a synonym (``MAP``), or trec_eval's name of one
            measure (``ndcg_cut_10``). Case counts only where it tells measures apart. A measure is
            returned as it is, and one of ir_measures is taken by its name.

    Raises:
        MeasureError: no measure, or several, are named so.

    Examples:
        >>> str(parse_measure("ndcg_cut_10"))
        'nDCG@10'
        >>> parse_measure("P(rel=2.0)@5") == parse_measure("P( rel = 2 ) @ 5")
        True
    """
    measures = parse_measures(text)
    if len(measures) != 1:
        raise MeasureError(
            _("‘{text}’ names {n} measures; one is expected here.").format(
                text=text, n=len(measures)
            ),
            text=str(text),
            suggestion=str(measures[0]),
        )
    return measures[0]


def parse_measures(text: str | Measure) -> tuple[Measure, ...]:
    """Return the measures that a text names, see :func:`parse_measure`: one, or a family of trec_eval's.

    Raises:
        MeasureError: it names none.

    Examples:
        >>> [str(measure) for measure in parse_measures("P.5,10")]
        ['P@5', 'P@10']
    """
    if isinstance(text, Measure):
        return (text,)
    text = str(text)
    lines = _trec_eval_lines(text.strip())
    # Of what trec_eval prints some lines are no measure, or several added up.
    named = dict.fromkeys(line.parts[0][1] for line in lines if line.is_measure)
    if named:
        return tuple(named)
    persistence = _RANX_RBP.fullmatch(text.strip())
    text = _RANX_WHOLE.get(text.strip(), text)
    return (_parse_canonical(f"RBP(p={persistence['p']})" if persistence else text),)


def find_specs(text: str) -> tuple[MeasureSpec, ...]:
    """Return the records of what a text names, which may lack a cutoff that it needs.

    Raises:
        MeasureError: it names no measure.

    Examples:
        >>> [spec.name for spec in (*find_specs("map"), *find_specs("Recall"))]
        ['AP', 'R']
    """
    if text in MEASURES:
        return (MEASURES[text],)
    try:
        names = dict.fromkeys(measure.name for measure in parse_measures(text))
    except MeasureError:
        if not text.strip().replace("_", "").replace("-", "").isalnum():
            raise
        names = dict.fromkeys([_resolve_name(text.strip())[0]])
    return tuple(MEASURES[name] for name in names)


def name_no_measures(texts: Iterable[str]) -> list[str]:
    """Return the lines that trec_eval prints for some names and that are no measure; runid aside.

    Examples:
        >>> name_no_measures(["all_trec", "map"])
        ['relstring', 'utility']
    """
    lines = [line for text in texts for line in _trec_eval_lines(text.strip())]
    known = dict.fromkeys(line.name for line in lines if not line.is_measure)
    return [name for name in known if name != "runid"]


def _parse_canonical(text: str) -> Measure:
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise MeasureError(
            _(
                "‘{text}’ does not read as a measure; one looks like P@10, nDCG(dcg='exp-log2')@10."
            ).format(text=text),
            text=text,
            suggestion=nearest_name(text.split("@", maxsplit=1)[0].split("(", maxsplit=1)[0]),
        )
    name, fixed = _resolve_name(shape["name"])
    spec = MEASURES[name]
    params = [*fixed, *_iter_params(text, spec, shape["params"])]
    cutoff = None
    if shape["at"] is not None:
        if spec.at == "cutoff":
            cutoff = _parse_cutoff(text, spec, shape["at"])
        else:
            params.append((spec.at, _parse_number(text, spec, shape["at"])))
    seen = [key for key, _ in params]
    for key in seen:
        if seen.count(key) > 1:
            raise MeasureError(
                _("‘{text}’ gives {key} twice.").format(text=text, key=key),
                text=text,
                suggestion=spec.example,
            )
    return Measure(name, tuple(params), cutoff)


def _resolve_name(name: str) -> tuple[str, list[tuple[str, ParamValue]]]:
    """Return the canonical name, and what a synonym fixes besides."""
    if name not in MEASURES:
        folded = {key.lower(): key for key in (*SYNONYMS, *MEASURES)}
        name = folded.get(name.lower(), name)
    if name in SYNONYMS:
        name, __, rest = SYNONYMS[name].partition("(")
        if rest:
            return name, list(_iter_params(name, MEASURES[name], rest.rstrip(")")))
    if name not in MEASURES:
        raise unknown_measure(name)
    return name, []


def _iter_params(
    text: str, spec: MeasureSpec, params: str | None
) -> Iterator[tuple[str, ParamValue]]:
    place = 0
    body = (params or "").strip()
    while place < len(body):
        found = _PARAM.match(body, place)
        if found is None:
            raise MeasureError(
                _("‘{text}’: ‘{part}’ does not read as parameter=value.").format(
                    text=text, part=body[place:].strip()
                ),
                text=text,
                suggestion=spec.example,
            )
        yield found["key"], _parse_literal(text, spec, found["value"])
        place = found.end()


def _parse_literal(text: str, spec: MeasureSpec, literal: str) -> ParamValue:
    if literal[0] in "'\"":
        return literal[1:-1]
    if literal in ("True", "False"):
        return literal == "True"
    if literal[0] == "{":
        return _parse_gains(text, spec, literal[1:-1].strip())
    if literal == "None":
        return None
    if _NUMBER.fullmatch(literal):
        return _parse_number(text, spec, literal)
    return literal  # a word without quotes; the table decides whether it is allowed


def _parse_gains(text: str, spec: MeasureSpec, body: str) -> GainMap:
    gains = []
    place = 0
    while place < len(body) and (found := _GAIN.match(body, place)):
        gains.append(tuple(_parse_number(text, spec, found[key]) for key in ("grade", "gain")))
        place = found.end()
    if place < len(body) or not gains:
        raise MeasureError(
            _("‘{text}’: {part} does not read as gains by grade, such as {example}.").format(
                text=text, part=f"{{{body}}}", example="{1: 3, 2: 9}"
            ),
            text=text,
        )
    return tuple((grade, gain) for grade, gain in gains)


def _parse_number(text: str, spec: MeasureSpec, literal: str) -> float:
    if not _NUMBER.fullmatch(literal):
        raise MeasureError(
            _("‘{text}’: ‘{part}’ is not a number.").format(text=text, part=literal),
            text=text,
            suggestion=spec.example,
        )
    return plain_number(float(literal))


def _parse_cutoff(text: str, spec: MeasureSpec, literal: str) -> int:
    if not literal.isascii() or not literal.isdigit() or int(literal) < 1:
        raise MeasureError(
            _("‘{text}’: the cutoff must be a whole number from 1, not ‘{part}’.").format(
                text=text, part=literal
            ),
            text=text,
            suggestion=spec.example,
        )
    return int(literal)


CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

# One measure each, without parameters of their own.
PLAIN: dict[str, Measure] = {
    **{spec.trec: Measure(spec.name) for spec in MEASURES.values() if spec.trec},
    "set_relative_P": Measure("SetP", (("relative", True),)),
}

# Families by a number that is a parameter: our name, parameter, numbers of the bare name.
BY_NUMBER: dict[str, tuple[str, str, tuple[float, ...]]] = {
    "iprec_at_recall": ("IPrec", "recall", ELEVEN_POINTS),
    "Rprec_mult": ("Rprec", "mult", tuple(step / 5 for step in range(1, 11))),
    "set_F": ("SetF", "beta", (1,)),
}

# All families: our name, parameter (empty for the cutoff), numbers of the bare name.
FAMILIES: dict[str, tuple[str, str, tuple[float, ...]]] = BY_NUMBER | {
    spec.trec_cut: (spec.name, "", (1, 5, 10) if spec.trec_cut == "success" else CUTOFFS)
    for spec in MEASURES.values()
    if spec.trec_cut
}

# What all_trec prints, in trec_eval's order (9.0.8, measures.c), whatever order was asked for.
PRINTED = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *(
        "recip_rank",
        "iprec_at_recall",
        "P",
        "relstring",
        "recall",
        "infAP",
        "gm_bpref",
        "Rprec_mult",
    ),
    *(
        "utility",
        "11pt_avg",
        "binG",
        "G",
        "ndcg",
        "ndcg_rel",
        "Rndcg",
        "ndcg_cut",
        "map_cut",
        "relative_P",
        "success",
        "set_P",
    ),
    *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)
# Sets of measures that `-m` takes by one name; "official" is trec_eval's default.
SETS: dict[str, tuple[str, ...]] = {
    "official": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec"),
        *("bpref", "recip_rank", "iprec_at_recall", "P"),
    ),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P"),
        *("set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": PRINTED,
}
_LIST = re.compile(r"(?P<family>[A-Za-z0-9_]+?)[._](?P<values>[0-9.,=]+)")


class TrecLine(NamedTuple):
    """One line of trec_eval's output.

    Attributes:
        name: as printed.
        parts: what it is made of: factor and measure of each summand; one with factor 1
            for nearly all, none for the lines that name the run or print grades.
        place: where it stands among the others.
    """

    name: str
    parts: tuple[tuple[float, Measure], ...]
    place: tuple[int, float]

    @property
    def is_measure(self) -> bool:
        """Whether it is one measure as it is."""
        return len(self.parts) == 1 and self.parts[0][0] == 1


def trec_lines(names: Sequence[str], *, rel: float | None = None) -> tuple[TrecLine, ...]:
    """Return the lines that trec_eval prints, each once and in its order.

    Args:
        names: as after ``-m``: trec_eval's names, its families with their numbers, its
            sets, or ours; what trec_eval does not have comes last, as given.
        rel: trec_eval's ``-l``: from which grade on documents are relevant.

    Raises:
        MeasureError: a name that neither has, or numbers that are not allowed.

    Examples:
        >>> [line.name for line in trec_lines(["P.10,5", "map"])]
        ['map', 'P_5', 'P_10']
        >>> [line.name for line in trec_lines(["P", "P.7", "P.8"])]
        ['P_7']
    """
    found: dict[str, TrecLine] = {}
    texts = [name.strip() for name in names]
    given = _first_numbers(texts)
    for each in texts:
        text = given.get(each.partition(".")[0], each)
        for line in _trec_eval_lines(text, given) or map(_plain_line, parse_measures(text)):
            parts = tuple((factor, _with_level(measure, rel)) for factor, measure in line.parts)
            found.setdefault(line.name, TrecLine(line.name, parts, line.place))
    return tuple(sorted(found.values(), key=lambda line: line.place))


def _first_numbers(texts: Sequence[str]) -> dict[str, str]:
    """Return the names that have numbers, by family: trec_eval takes those that are given first.

    They replace its usual ones, also where a set or the bare name asks for the family
    (meas_init.c), and what is given of it later is not looked at.
    """
    given: dict[str, str] = {}
    for text in texts:
        family, _dot, values = text.partition(".")
        if values and family in _MAKERS:
            given.setdefault(family, text)
    return given


def _trec_eval_lines(text: str, given: Mapping[str, str] | None = None) -> list[TrecLine]:
    """Return what trec_eval prints for a name of its own, none where it is none of them.

    Args:
        text: as after trec_eval's ``-m``, or as it prints: ``map``, ``P.5,10``, ``P_5``.
        given: names with numbers by family, in place of the families of a set.

    Raises:
        MeasureError: the family is trec_eval's, the numbers after it are not allowed.
    """
    if text in SETS:
        names = ((given or {}).get(name, name) for name in SETS[text])
        return [line for name in names for line in _trec_eval_lines(name)]
    if text in PLAIN:
        return [_line(text, PLAIN[text], text)]
    family, dot, values = text.partition(".")
    if dot and not values:
        return []
    parts = _LIST.fullmatch(text)
    if family not in _MAKERS and parts:
        family, values = parts["family"], parts["values"]
    return _MAKERS[family](text, family, values) if family in _MAKERS else []


def _gains_line(text: str, family: str, values: str) -> list[TrecLine]:
    if "=" not in values:
        return []
    pairs = [pair.partition("=") for pair in values.split(",")]
    gains = tuple((read_number(text, grade), read_number(text, gain)) for grade, _, gain in pairs)
    return [_line(f"{family}_{values}", PLAIN[family].with_params(gains=gains), family)]


def _family_lines(text: str, family: str, values: str) -> list[TrecLine]:
    name, param, numbers = FAMILIES[family]
    shown = values.split(",") if values else map(str, numbers)
    lines = []
    for each in shown:
        number = read_number(text, each) if param else _whole_number(text, each)
        measure = Measure(name, ((param, number),)) if param else Measure(name, (), int(number))
        # The numbers of F are printed as they were given.
        told = each if family == "set_F" else f"{number:.2f}" if param else number
        lines.append(_line(f"{family}_{told}", measure, family, number))
    return lines


def _line(name: str, measure: Measure, family: str, number: float = 0.0) -> TrecLine:
    place = PRINTED.index(family) if family in PRINTED else len(PRINTED)
    return TrecLine(name, ((1.0, measure),), (place, number))


def _plain_line(measure: Measure) -> TrecLine:
    name = trec_name(measure)
    if name is None:
        return _line(str(measure), measure, "")
    family, __, number = name.rpartition("_")
    if name in PRINTED or family not in PRINTED:
        return _line(name, measure, name)
    return _line(name, measure, family, 0.0 if "=" in number else float(number))


def _with_level(measure: Measure, rel: float | None) -> Measure:
    if rel is None or not measure.has_param("rel") or measure.name == "NumRet":
        return measure
    return measure if "rel" in dict(measure.params) else measure.with_params(rel=rel)


def _other_line(
    family: str, values: str, parts: tuple[tuple[float, Measure], ...] = (), number: float = 0.0
) -> list[TrecLine]:
    name = f"{family}_{values}" if values else family
    return [TrecLine(name, parts, (PRINTED.index(family), number))]


def _grades_line(text: str, family: str, values: str) -> list[TrecLine]:
    """The grades of the first documents of each query, ten or as many as asked for."""
    return _other_line(family, values, number=read_number(text, values or "10"))


def _utility(text: str, family: str, values: str) -> list[TrecLine]:
    """A weight for each: relevant and others returned, relevant and others not returned.

    trec_eval knows of no collection, so that the last counts what is outside as less than nothing.
    """
    weights = [read_number(text, value) for value in (values or "1,-1,0,0").split(",")]
    if len(weights) != 4:
        raise MeasureError(
            _("‘{text}’: utility takes four numbers, such as 1,-1,0,0.").format(text=text),
            text=text,
        )
    good, bad, missed, rest = weights
    parts = (
        (good - bad - missed + rest, Measure("NumRelRet")),
        (bad - rest, Measure("NumRet")),
        (missed - rest, Measure("NumRel")),
    )
    return _other_line(family, values, parts)


def _mean_at_recalls(text: str, family: str, values: str) -> list[TrecLine]:
    points = [read_number(text, value) for value in values.split(",")]
    parts = tuple((1.0 / len(points), Measure("IPrec", (("recall", point),))) for point in points)
    return _other_line(family, values, parts)


# By family; the last are no measure of ours, or several.
_MAKERS: dict[str, Callable[[str, str, str], list[TrecLine]]] = {
    **dict.fromkeys(
        (name for name, plain in PLAIN.items() if plain.has_param("gains")), _gains_line
    ),
    **dict.fromkeys(FAMILIES, _family_lines),
    "runid": lambda _text, family, _values: _other_line(family, ""),
    "relstring": _grades_line,
    "utility": _utility,
    "11pt_avg": _mean_at_recalls,
}


def trec_name(measure: Measure | str) -> str | None:
    """Return the name under which trec_eval prints a measure, ``None`` where it has none.

    A measure with ``rel=`` has none: trec_eval's ``-l`` changes all measures at once.

    Examples:
        >>> trec_name(parse_measure("nDCG@10"))
        'ndcg_cut_10'
    """
    measure = parse_measure(measure)
    for name, plain in PLAIN.items():
        if measure == plain:
            return name
    params, cut = dict(measure.params), measure.spec.trec_cut
    if measure.cutoff is not None and not params:
        return f"{cut}_{measure.cutoff}" if cut else None
    if measure.spec.trec and measure.cutoff is None and set(params) == {"gains"}:
        gains = params["gains"]
        assert isinstance(gains, tuple)
        return f"{measure.spec.trec}_" + ",".join(f"{grade:g}={gain:g}" for grade, gain in gains)
    for family, (name, param, __) in BY_NUMBER.items():
        if name == measure.name and set(params) <= {param}:
            number = measure.number(param)
            shown = repr(plain_number(number)) if family == "set_F" else f"{number:.2f}"
            return f"{family}_{shown}"
    return None


def trec_names(spec: MeasureSpec) -> list[str]:
    """Return all of trec_eval's names for a measure; k stands for a cutoff, x for another number.

    Examples:
        >>> trec_names(MEASURES["Rprec"])
        ['Rprec', 'Rprec_mult_x']
    """
    plain = [name for name, measure in PLAIN.items() if measure.name == spec.name]
    cut = [f"{spec.trec_cut}_k"] if spec.trec_cut else []
    return [*plain, *cut, *(f"{each}_x" for each, its in BY_NUMBER.items() if its[0] == spec.name)]


def _whole_number(text: str, value: str) -> int:
    if not value.isdigit() or int(value) < 1:
        raise MeasureError(
            _("‘{text}’: ‘{part}’ is not a whole number from 1.").format(text=text, part=value),
            text=text,
        )
    return int(value)


def read_number(text: str, value: str) -> float:
    """Return a number that stands in a name.

    Raises:
        MeasureError: it is none; ``text`` is the whole name.
    """
    try:
        return float(value)
    except ValueError:
        raise MeasureError(
            _("‘{text}’: ‘{part}’ is not a number.").format(text=text, part=value),
            text=text,
        ) from None


DEFAULT_MEASURES: tuple[Measure, ...] = tuple(
    parse_measure(name)
    for name in (
        *("P@5", "P@10", "R@10", "AP", "RR"),
        *("nDCG@5", "nDCG@10", "ERR@10", "pFound@10", "Judged@10"),
    )
)
"""What the window shows until someone chooses otherwise."""
