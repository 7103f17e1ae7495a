"""Intervals of agreement end where the measure does."""

import pytest

from judgetool.metrics.agreement import AGREEMENT_MEASURES, compute_agreement
from judgetool.metrics.agreement_sums import AgreementData

GRADES = {"a": (1, 1), "b": (1, 0), "c": (0, 1), "d": (3, 0)}


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("errors", ["queries", "documents"])
def test_no_interval_ends_beyond_what_can_be(n, errors):
    """Shares from 0, coefficients from −1, BP from its own least, all up to 1; the value is inside."""
    rows = [
        ("q", document, who, grade)
        for document in list(GRADES)[:n]
        for who, grade in zip(("anna", "ben"), GRADES[document], strict=True)
    ]
    data = AgreementData.of_columns(*zip(*rows, strict=True), levels=(0, 1, 2, 3))
    names = [*AGREEMENT_MEASURES, "kappa(weights='linear')", "alpha(level='ordinal')"]
    found = {str(row.measure): row for row in compute_agreement(data, names, errors=errors)}
    assert found["overlap"].low == 0
    assert found["positive"].low == 0
    leasts = {"BP": -1 / 3, **dict.fromkeys(("agree", "positive", "negative", "overlap"), 0)}
    for name, row in found.items():
        if row.low is not None and name not in ("AC2", "ICC"):
            assert leasts.get(name, -1) <= row.low <= row.value <= row.high <= 1, row
