"""The table of measures: every name, its parameters, its range, its definition.

A table of data: the grammar, the engine, the help, the picker in the window and
``judgetool measures`` all read it. How a value is computed is in ``kernels``,
found by the name that a row gives.
"""

from judgetool.metrics.specs import MeasureSpec, ParamSpec, ParamValue
from judgetool.metrics.specs_binary import BINARY_SPECS
from judgetool.metrics.specs_graded import GRADED_SPECS

MEASURES: dict[str, MeasureSpec] = {spec.name: spec for spec in (*BINARY_SPECS, *GRADED_SPECS)}

__all__ = ["MEASURES", "MeasureSpec", "ParamSpec", "ParamValue"]
