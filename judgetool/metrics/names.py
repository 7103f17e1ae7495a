"""Names of measures: ``nDCG(dcg='exp-log2')@10`` to a value and back, trec_eval's to ours and back.

The grammar is that of ir_measures, with a closed table in place of ``eval``::

    name [ '(' key '=' literal (',' key '=' literal)* ')' ] [ '@' number ]
"""

import re
from collections.abc import Iterator

from judgetool.metrics.measure import (
    MEASURES,
    SEEK,
    SYNONYMS,
    Measure,
    MeasureError,
    nearest_name,
    plain_number,
)
from judgetool.metrics.terms import GainMap, MeasureSpec, ParamValue

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
            f"{text!r} names {len(measures)} measures; one is expected here.",
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
    named = _find_trec_measures(text.strip())
    if named is not None:
        return named
    persistence = _RANX_RBP.fullmatch(text.strip())
    return (_parse_canonical(f"RBP(p={persistence['p']})" if persistence else text),)


def _parse_canonical(text: str) -> Measure:
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise MeasureError(
            f"{text!r} does not read as a measure; one looks like P@10, nDCG(dcg='exp-log2')@10.",
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
            raise MeasureError(f"{text!r} gives {key} twice.", text=text, suggestion=spec.example)
    return Measure(name, tuple(params), cutoff)


def _resolve_name(name: str) -> tuple[str, list[tuple[str, ParamValue]]]:
    """Return the canonical name, and what a synonym fixes besides."""
    if name not in MEASURES:
        folded = {key.lower(): key for key in (*SYNONYMS, *MEASURES)}
        name = folded.get(name.lower(), name)
    if name in SYNONYMS:
        name, _, rest = SYNONYMS[name].partition("(")
        if rest:
            return name, list(_iter_params(name, MEASURES[name], rest.rstrip(")")))
    if name not in MEASURES:
        raise MeasureError(
            f"There is no measure {name!r}. {SEEK}", text=name, suggestion=nearest_name(name)
        )
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
                f"{text!r}: {body[place:].strip()!r} does not read as parameter=value.",
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
            f"{text!r}: {{{body}}} does not read as gains by grade, such as {{1: 3, 2: 9}}.",
            text=text,
        )
    return tuple((grade, gain) for grade, gain in gains)


def _parse_number(text: str, spec: MeasureSpec, literal: str) -> float:
    if not _NUMBER.fullmatch(literal):
        raise MeasureError(
            f"{text!r}: {literal!r} is not a number.", text=text, suggestion=spec.example
        )
    return plain_number(float(literal))


def _parse_cutoff(text: str, spec: MeasureSpec, literal: str) -> int:
    if not literal.isascii() or not literal.isdigit() or int(literal) < 1:
        raise MeasureError(
            f"{text!r}: the cutoff must be a whole number from 1, not {literal!r}.",
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
# Lines that are no one measure of ours.
_LINES_ALONE = ("runid", "utility", "relstring")

_LIST = re.compile(r"(?P<family>[A-Za-z0-9_]+?)[._](?P<values>[0-9.,=]+)")


def _find_trec_measures(text: str) -> tuple[Measure, ...] | None:
    """Return what trec_eval's name stands for, ``None`` when it is none of its names.

    Args:
        text: as after trec_eval's ``-m``, or as it prints: ``map``, ``P.5,10``, ``P_5``.

    Raises:
        MeasureError: the family is trec_eval's, the numbers after it are not allowed.
    """
    if text in PLAIN:
        return (PLAIN[text],)
    if text in SETS:
        names = (name for name in SETS[text] if name not in _LINES_ALONE)
        return tuple(dict.fromkeys(m for name in names for m in _find_trec_measures(name) or ()))
    if text in FAMILIES:
        name, param, numbers = FAMILIES[text]
        return tuple(_of_family(name, param, number) for number in numbers)
    parts = _LIST.fullmatch(text)
    return None if parts is None else _find_family(text, parts["family"], parts["values"])


def _of_family(name: str, param: str, number: float) -> Measure:
    return Measure(name, ((param, number),)) if param else Measure(name, (), int(number))


def _find_family(text: str, family: str, values: str) -> tuple[Measure, ...] | None:
    if family in FAMILIES:
        name, param, _ = FAMILIES[family]
        read = read_number if param else _whole_number
        return tuple(_of_family(name, param, read(text, value)) for value in values.split(","))
    if family in PLAIN and PLAIN[family].has_param("gains") and "=" in values:
        pairs = [pair.partition("=") for pair in values.split(",")]
        gains = tuple(
            (read_number(text, grade), read_number(text, gain)) for grade, _, gain in pairs
        )
        return (Measure(PLAIN[family].name, (("gains", gains),)),)
    return None


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
    for family, (name, param, _) in BY_NUMBER.items():
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
        raise MeasureError(f"{text!r}: {value!r} is not a whole number from 1.", text=text)
    return int(value)


def read_number(text: str, value: str) -> float:
    """Return a number that stands in a name.

    Raises:
        MeasureError: it is none; ``text`` is the whole name.
    """
    try:
        return float(value)
    except ValueError:
        raise MeasureError(f"{text!r}: {value!r} is not a number.", text=text) from None


DEFAULT_MEASURES: tuple[Measure, ...] = tuple(
    parse_measure(name)
    for name in (
        *("P@5", "P@10", "R@10", "AP", "RR"),
        *("nDCG@5", "nDCG@10", "ERR@10", "pFound@10", "Judged@10"),
    )
)
"""What the window shows until someone chooses otherwise."""
