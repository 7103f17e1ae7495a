"""trec_eval's names of measures, to ours and back."""

import re

from judgetool.metrics.measure import Measure, MeasureError

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

# One measure each, without parameters of their own.
PLAIN: dict[str, Measure] = {
    "num_q": Measure("NumQ"),
    "num_ret": Measure("NumRet"),
    "num_rel": Measure("NumRel"),
    "num_rel_ret": Measure("NumRelRet"),
    "map": Measure("AP"),
    "gm_map": Measure("GMAP"),
    "Rprec": Measure("Rprec"),
    "bpref": Measure("Bpref"),
    "recip_rank": Measure("RR"),
    "infAP": Measure("infAP"),
    "gm_bpref": Measure("GMBpref"),
    "11pt_avg": Measure("11pt"),
    "ndcg": Measure("nDCG"),
    "dcg": Measure("DCG"),
    "set_P": Measure("SetP"),
    "set_relative_P": Measure("SetP", (("relative", True),)),
    "set_recall": Measure("SetR"),
    "set_map": Measure("SetAP"),
    "set_F": Measure("SetF"),
    "num_nonrel_judged_ret": Measure("NumNonrelRet"),
}

# Families by cutoff, and the cutoffs that the bare name stands for.
BY_CUTOFF: dict[str, tuple[str, tuple[int, ...]]] = {
    "P": ("P", CUTOFFS),
    "recall": ("R", CUTOFFS),
    "ndcg_cut": ("nDCG", CUTOFFS),
    "map_cut": ("AP", CUTOFFS),
    "relative_P": ("R_cap", CUTOFFS),
    "success": ("Success", (1, 5, 10)),
}

# Families by a number that is a parameter: our name, parameter, numbers of the bare name.
BY_NUMBER: dict[str, tuple[str, str, tuple[float, ...]]] = {
    "iprec_at_recall": ("IPrec", "recall", tuple(step / 10 for step in range(11))),
    "Rprec_mult": ("Rprec", "mult", tuple(step / 5 for step in range(1, 11))),
    "set_F": ("SetF", "beta", (1,)),
}

# What all_trec prints, in trec_eval's order (9.0.8, measures.c), whatever order was asked for.
PRINTED = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult"),
    *("utility", "11pt_avg", "ndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P"),
    *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)
NOT_OURS = ("relstring", "binG", "G", "ndcg_rel", "Rndcg")
"""Those of all_trec that judgetool has not."""

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
_LINES_ALONE = ("runid", "utility")

_LIST = re.compile(r"(?P<family>[A-Za-z0-9_]+?)[._](?P<values>[0-9.,=]+)")


def find_trec_measures(text: str) -> tuple[Measure, ...] | None:
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
        return tuple(dict.fromkeys(m for name in names for m in find_trec_measures(name) or ()))
    if text in BY_CUTOFF:
        name, cutoffs = BY_CUTOFF[text]
        return tuple(Measure(name, (), cutoff) for cutoff in cutoffs)
    if text in BY_NUMBER:
        name, param, numbers = BY_NUMBER[text]
        return tuple(Measure(name, ((param, number),)) for number in numbers)
    parts = _LIST.fullmatch(text)
    return None if parts is None else _find_family(text, parts["family"], parts["values"])


def _find_family(text: str, family: str, values: str) -> tuple[Measure, ...] | None:
    if family in BY_CUTOFF:
        name = BY_CUTOFF[family][0]
        cutoffs = [_whole_number(text, value) for value in values.split(",")]
        return tuple(Measure(name, (), cutoff) for cutoff in cutoffs)
    if family in BY_NUMBER:
        name, param, _ = BY_NUMBER[family]
        numbers = [read_number(text, value) for value in values.split(",")]
        return tuple(Measure(name, ((param, number),)) for number in numbers)
    if family == "ndcg" and "=" in values:
        pairs = [pair.partition("=") for pair in values.split(",")]
        gains = tuple(
            (read_number(text, grade), read_number(text, gain)) for grade, _, gain in pairs
        )
        return (Measure("nDCG", (("gains", gains),)),)
    return None


def find_trec_name(measure: Measure) -> str | None:
    """Return the name under which trec_eval prints a measure, ``None`` where it has none.

    A measure with ``rel=`` has none: trec_eval's ``-l`` changes all measures at once.
    """
    for name, plain in PLAIN.items():
        if measure == plain:
            return name
    params = dict(measure.params)
    if measure.cutoff is not None and not params:
        return next(
            (
                f"{family}_{measure.cutoff}"
                for family, (n, _) in BY_CUTOFF.items()
                if n == measure.name
            ),
            None,
        )
    if measure.name == "nDCG" and measure.cutoff is None and set(params) == {"gains"}:
        gains = params["gains"]
        assert isinstance(gains, tuple)
        return "ndcg_" + ",".join(f"{grade:g}={gain:g}" for grade, gain in gains)
    return _find_numbered_name(measure)


def _find_numbered_name(measure: Measure) -> str | None:
    for family, (name, param, _) in BY_NUMBER.items():
        if name == measure.name and {key for key, _ in measure.params} <= {param}:
            number = measure.param(param)
            assert isinstance(number, int | float)
            return f"{family}_{number:g}" if family == "set_F" else f"{family}_{number:.2f}"
    return None


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
