"""The lines that trec_eval prints: their names, their order, and what they are made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judgetool.metrics import Measure, MeasureError, parse_measures, trec_name
from judgetool.metrics.names import BY_NUMBER, PRINTED, SETS, read_number

SUMMARY_ONLY = frozenset({"num_q", "gm_map", "gm_bpref", "runid"})
"""Lines that trec_eval prints for all queries together alone."""


@dataclass(frozen=True, slots=True)
class TrecLine:
    """One line of trec_eval's output.

    Attributes:
        name: as printed.
        parts: what it is made of: factor and measure of each summand; one with factor 1
            for nearly all, none for the line that names the run.
        place: where it stands among the others.
    """

    name: str
    parts: tuple[tuple[float, Measure], ...]
    place: tuple[int, float]


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
        for line in _lines_of(name.strip()):
            parts = tuple((factor, _with_level(measure, rel)) for factor, measure in line.parts)
            found.setdefault(line.name, TrecLine(line.name, parts, line.place))
    return tuple(sorted(found.values(), key=lambda line: line.place))


def _lines_of(text: str) -> list[TrecLine]:
    if text in SETS:
        return [line for name in SETS[text] for line in _lines_of(name)]
    family, _, values = text.partition(".")
    if family in _MAKERS and (values or family in _MADE_BARE):
        return _MAKERS[family](text, family, values)
    return [_plain_line(measure) for measure in parse_measures(text)]


def _by_number(text: str, family: str, values: str) -> list[TrecLine]:
    name, param, numbers = BY_NUMBER[family]
    if values:
        numbers = tuple(read_number(text, value) for value in values.split(","))
    return [
        _line(f"{family}_{number:.2f}", Measure(name, ((param, number),)), family, number)
        for number in numbers
    ]


def _set_f(text: str, family: str, values: str) -> list[TrecLine]:
    measure = Measure("SetF", (("beta", read_number(text, values)),))
    return [_line(f"{family}_{values}", measure, family, 0.0)]


def _ndcg(text: str, family: str, values: str) -> list[TrecLine]:
    return [_line(f"{family}_{values}", each, family, 0.0) for each in parse_measures(text)]


def _plain_line(measure: Measure) -> TrecLine:
    name = trec_name(measure)
    if name is None:
        return TrecLine(str(measure), ((1.0, measure),), (len(PRINTED), 0.0))
    if name in PRINTED:
        return _line(name, measure, name, 0.0)
    family, _, number = name.rpartition("_")
    return _line(name, measure, family, 0.0 if family == "ndcg" else float(number))


def _line(name: str, measure: Measure, family: str, number: float) -> TrecLine:
    return TrecLine(name, ((1.0, measure),), (PRINTED.index(family), number))


def _run_id(_text: str, family: str, _values: str) -> list[TrecLine]:
    return [TrecLine(family, (), (PRINTED.index(family), 0.0))]


def _utility(text: str, family: str, values: str) -> list[TrecLine]:
    """A weight for each: relevant and others returned, relevant and others not returned.

    trec_eval knows of no collection, so that the last counts what is outside as less than nothing.
    """
    weights = [read_number(text, value) for value in values.split(",")] if values else [1, -1, 0, 0]
    if len(weights) != 4:
        raise MeasureError(f"{text!r}: utility takes four numbers, such as 1,-1,0,0.", text=text)
    good, bad, missed, rest = weights
    parts = (
        (good - bad - missed + rest, Measure("NumRelRet")),
        (bad - rest, Measure("NumRet")),
        (missed - rest, Measure("NumRel")),
    )
    name = f"{family}_{values}" if values else family
    return [TrecLine(name, parts, (PRINTED.index(family), 0.0))]


def _mean_at_recalls(text: str, family: str, values: str) -> list[TrecLine]:
    points = [read_number(text, value) for value in values.split(",")]
    parts = tuple((1.0 / len(points), Measure("IPrec", (("recall", point),))) for point in points)
    return [TrecLine(f"{family}_{values}", parts, (PRINTED.index(family), 0.0))]


# Families whose lines are named by the numbers as they were given, or are no measure of ours.
_MAKERS: dict[str, Callable[[str, str, str], list[TrecLine]]] = {
    "runid": _run_id,
    "utility": _utility,
    "11pt_avg": _mean_at_recalls,
    "set_F": _set_f,
    "ndcg": _ndcg,
    "iprec_at_recall": _by_number,
    "Rprec_mult": _by_number,
}
_MADE_BARE = ("runid", "utility", "iprec_at_recall", "Rprec_mult")


def _with_level(measure: Measure, rel: float | None) -> Measure:
    if rel is None or not measure.has_param("rel") or measure.name == "NumRet":
        return measure
    return measure if "rel" in dict(measure.params) else measure.with_params(rel=rel)
