"""Names of measures: ``nDCG(dcg='exp-log2')@10`` to a value and back, trec_eval's to ours and back.

The grammar is that of ir_measures, with a closed table in place of ``eval``::

    name [ '(' key '=' literal (',' key '=' literal)* ')' ] [ '@' number ]
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from judgetool.metrics.measure import (
    MEASURES,
    SYNONYMS,
    Measure,
    MeasureError,
    nearest_name,
    plain_number,
    unknown_measure,
)
from judgetool.metrics.terms import GainMap, MeasureSpec, ParamValue
from judgetool.wording import _

_SHAPE = re.compile(
    r"\s*(?P<name>\w[\w-]*)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>[^\s@()]+))?\s*", re.DOTALL
)
_PARAM = re.compile(
    r"\s*(?P<key>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|\{[^{}]*\}|[^\s,'\"{}]+)\s*(?:,|$)"
)
_GAIN = re.compile(r"\s*(?P<grade>[^\s,:]+)\s*:\s*(?P<gain>[^\s,:]+)\s*(?:,|$)")
# ranx writes the probability behind the name.
_RANX_RBP = re.compile(r"rbp(?P<p>\.\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def parse_measure(text: str) -> Measure:
    """Return the measure that a text names.

    Args:
        text: canonical spelling, a synonym (``MAP``), or trec_eval's name of one
            measure (``ndcg_cut_10``). Case counts only where it tells measures apart.

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
            text=text,
            suggestion=str(measures[0]),
        )
    return measures[0]


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Return the measures that a text names: one, or a family of trec_eval's.

    Raises:
        MeasureError: it names none.

    Examples:
        >>> [str(measure) for measure in parse_measures("P.5,10")]
        ['P@5', 'P@10']
    """
    lines = _trec_eval_lines(text.strip())
    # Of what trec_eval prints some lines are no measure, or several added up.
    named = dict.fromkeys(line.parts[0][1] for line in lines if line.is_measure)
    if named:
        return tuple(named)
    persistence = _RANX_RBP.fullmatch(text.strip())
    return (_parse_canonical(f"RBP(p={persistence['p']})" if persistence else text),)


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
    while place < len(body):
        found = _GAIN.match(body, place)
        if found is None:
            break
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
    "iprec_at_recall": ("IPrec", "recall", tuple(step / 10 for step in range(11))),
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
    """
    found: dict[str, TrecLine] = {}
    for name in names:
        text = name.strip()
        for line in _trec_eval_lines(text) or map(_plain_line, parse_measures(text)):
            parts = tuple((factor, _with_level(measure, rel)) for factor, measure in line.parts)
            found.setdefault(line.name, TrecLine(line.name, parts, line.place))
    return tuple(sorted(found.values(), key=lambda line: line.place))


def _trec_eval_lines(text: str) -> list[TrecLine]:
    """Return what trec_eval prints for a name of its own, none where it is none of them.

    Args:
        text: as after trec_eval's ``-m``, or as it prints: ``map``, ``P.5,10``, ``P_5``.

    Raises:
        MeasureError: the family is trec_eval's, the numbers after it are not allowed.
    """
    if text in SETS:
        return [line for name in SETS[text] for line in _trec_eval_lines(name)]
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


def trec_name(measure: Measure) -> str | None:
    """Return the name under which trec_eval prints a measure, ``None`` where it has none.

    A measure with ``rel=`` has none: trec_eval's ``-l`` changes all measures at once.

    Examples:
        >>> trec_name(parse_measure("nDCG@10"))
        'ndcg_cut_10'
    """
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
