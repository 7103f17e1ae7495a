"""Numbers from rankings and judgments: one engine for window, commands and scripts.

Belongs here: names of measures, what they compute, conventions, bounds, explanations,
comparisons. Does not: files, the project, Qt, SQL. Only numpy is loaded; pandas and
SciPy are where a function needs them.

    >>> from judgetool.metrics import evaluate, parse_measure
    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    >>> evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "RR").mean("RR")
    0.5
"""

from typing import TYPE_CHECKING

from judgetool import names_when_asked

if TYPE_CHECKING:
    from judgetool.core.scale import Level, Scale, scale_preset
    from judgetool.errors import InputError, UsageError
    from judgetool.metrics.agreement import (
        AGREEMENT_MEASURES,
        DEFAULT_AGREEMENT,
        AgreementMeasure,
        AgreementRow,
        compute_agreement,
        parse_agreement_measure,
    )
    from judgetool.metrics.agreement_sums import AgreementData
    from judgetool.metrics.bounds import Bounds, compute_bounds
    from judgetool.metrics.bounds_difference import compute_difference_bounds
    from judgetool.metrics.comparison import (
        Comparison,
        ComparisonRules,
        compare_evaluations,
        compare_pair,
        compare_rankings,
        compare_runs,
        compute_rbo,
        compute_rho,
        compute_tau,
        compute_tau_ap,
    )
    from judgetool.metrics.conventions import (
        CONVENTION_PRESETS,
        ConventionPreset,
        Conventions,
        convention_preset,
    )
    from judgetool.metrics.decide_units import Estimate, adds_by_place, estimate_mean, place_values
    from judgetool.metrics.engine import Engine, RunBlock
    from judgetool.metrics.evaluation import Evaluation, JudgedTriples, evaluate, evaluate_arrays
    from judgetool.metrics.explain import Explanation, explain_value
    from judgetool.metrics.grades import QueryGrades
    from judgetool.metrics.measure import (
        DEFAULT_MEASURES,
        MEASURES,
        Measure,
        MeasureError,
        parse_measure,
        parse_measures,
        trec_name,
    )
    from judgetool.metrics.stakes import compute_stakes
    from judgetool.metrics.terms import MeasureSpec, ParamSpec
    from judgetool.metrics.values import Mean, Value

__all__ = [
    "AGREEMENT_MEASURES",
    "CONVENTION_PRESETS",
    "DEFAULT_AGREEMENT",
    "DEFAULT_MEASURES",
    "MEASURES",
    "AgreementData",
    "AgreementMeasure",
    "AgreementRow",
    "Bounds",
    "Comparison",
    "ComparisonRules",
    "ConventionPreset",
    "Conventions",
    "Engine",
    "Estimate",
    "Evaluation",
    "Explanation",
    "InputError",
    "JudgedTriples",
    "Level",
    "Mean",
    "Measure",
    "MeasureError",
    "MeasureSpec",
    "ParamSpec",
    "QueryGrades",
    "RunBlock",
    "Scale",
    "UsageError",
    "Value",
    "adds_by_place",
    "compare_evaluations",
    "compare_pair",
    "compare_rankings",
    "compare_runs",
    "compute_agreement",
    "compute_bounds",
    "compute_difference_bounds",
    "compute_rbo",
    "compute_rho",
    "compute_stakes",
    "compute_tau",
    "compute_tau_ap",
    "convention_preset",
    "estimate_mean",
    "evaluate",
    "evaluate_arrays",
    "explain_value",
    "parse_agreement_measure",
    "parse_measure",
    "parse_measures",
    "place_values",
    "scale_preset",
    "trec_name",
]

# Loaded when first asked for: a command's --help must not wait for numpy.
_MODULES = {
    ".core.scale": ("Level", "Scale", "scale_preset"),
    ".errors": ("InputError", "UsageError"),
    "agreement": (
        "AGREEMENT_MEASURES",
        "DEFAULT_AGREEMENT",
        "AgreementMeasure",
        "AgreementRow",
        "compute_agreement",
        "parse_agreement_measure",
    ),
    "agreement_sums": ("AgreementData",),
    "bounds": ("Bounds", "compute_bounds"),
    "bounds_difference": ("compute_difference_bounds",),
    "comparison": (
        "Comparison",
        "ComparisonRules",
        "compare_evaluations",
        "compare_pair",
        "compare_rankings",
        "compare_runs",
        "compute_rbo",
        "compute_rho",
        "compute_tau",
        "compute_tau_ap",
    ),
    "conventions": (
        "CONVENTION_PRESETS",
        "ConventionPreset",
        "Conventions",
        "convention_preset",
    ),
    "decide_units": ("Estimate", "adds_by_place", "estimate_mean", "place_values"),
    "engine": ("Engine", "RunBlock"),
    "evaluation": ("Evaluation", "JudgedTriples", "evaluate", "evaluate_arrays"),
    "explain": ("Explanation", "explain_value"),
    "measure": (
        "DEFAULT_MEASURES",
        "MEASURES",
        "Measure",
        "MeasureError",
        "parse_measure",
        "parse_measures",
        "trec_name",
    ),
    "grades": ("QueryGrades",),
    "terms": ("MeasureSpec", "ParamSpec"),
    "stakes": ("compute_stakes",),
    "values": ("Mean", "Value"),
}
__getattr__, __dir__ = names_when_asked(__name__, _MODULES)
