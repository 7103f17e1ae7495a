"""Names of measures: ``nDCG(dcg='exp-log2')@10`` to a value and back.

The grammar is that of ir_measures, with a closed table in place of ``eval``::

    name [ '(' key '=' literal (',' key '=' literal)* ')' ] [ '@' number ]

trec_eval's names are understood as well (:mod:`judgetool.metrics.trec_names`).
"""

import re
from collections.abc import Iterator

from judgetool.metrics.measure import (
    SEEK,
    SYNONYMS,
    Measure,
    MeasureError,
    format_literal,
    nearest_name,
    plain_number,
)
from judgetool.metrics.registry import MEASURES
from judgetool.metrics.specs import GainMap, MeasureSpec, ParamValue
from judgetool.metrics.trec_names import find_trec_measures, find_trec_name

__all__ = [
    "Measure",
    "MeasureError",
    "format_literal",
    "nearest_name",
    "parse_measure",
    "parse_measures",
    "trec_name",
]

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
    named = find_trec_measures(text.strip())
    if named is not None:
        return named
    persistence = _RANX_RBP.fullmatch(text.strip())
    return (_parse_canonical(f"RBP(p={persistence['p']})" if persistence else text),)


def trec_name(measure: Measure) -> str | None:
    """Return trec_eval's name of a measure, ``None`` where trec_eval has none.

    Examples:
        >>> trec_name(parse_measure("nDCG@10"))
        'ndcg_cut_10'
    """
    return find_trec_name(measure)


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
