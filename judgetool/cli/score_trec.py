"""The order in which trec_eval prints its measures, whatever order they were asked for in."""

from collections.abc import Sequence

from judgetool.metrics import Measure, trec_name

# trec_eval 9.0.8, m_all_trec.c.
_FAMILIES = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult"),
    *("11pt_avg", "ndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P"),
    *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)
SUMMARY_ONLY = frozenset({"NumQ", "GMAP", "GMBpref"})
"""Measures that trec_eval prints for all queries together alone."""


def trec_columns(measures: Sequence[Measure]) -> list[int]:
    """Return the columns in trec_eval's order; what it does not have comes last, as given.

    Examples:
        >>> from judgetool.metrics import parse_measure
        >>> trec_columns([parse_measure(name) for name in ("P@10", "P@5", "ERR@5", "AP")])
        [3, 1, 0, 2]
    """
    return sorted(range(len(measures)), key=lambda column: (*_place(measures[column]), column))


def _place(measure: Measure) -> tuple[int, float]:
    name = trec_name(measure)
    if name is None:
        return len(_FAMILIES), 0.0
    if name in _FAMILIES:
        return _FAMILIES.index(name), 0.0
    family, _, number = name.rpartition("_")
    if family in _FAMILIES:
        is_number = number.replace(".", "", 1).isdigit()
        return _FAMILIES.index(family), float(number) if is_number else 0.0
    return len(_FAMILIES), 0.0
