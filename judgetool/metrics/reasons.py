"""Why a value is undefined, in plain words."""

from judgetool.core.scale import format_grade
from judgetool.metrics.block import FloatArray
from judgetool.metrics.grading import Grading
from judgetool.metrics.measure import Measure
from judgetool.metrics.run_table import OFF_SCALE


def undefined_reason(measure: Measure, judged: FloatArray, grading: Grading, status: int) -> str:
    """Return why a measure has no value for a ranking.

    Args:
        measure: the measure.
        judged: all grades of the query, none negative, any order.
        grading: how they are read.
        status: of the value, other than ``OK``.

    Returns:
        A clause without capital and full stop, such as
        ``none of its 10 judged documents is relevant``.
    """
    if not len(judged):
        return "no document of this query is judged"
    if status == OFF_SCALE:
        best, top = float(judged.max()), grading.highest_grade(measure)
        return f"grade {format_grade(best)} is above {format_grade(top)}, the highest it can read"
    if measure.spec.uses == "clicks":
        return "no clicks are known of the documents it looks at"
    if measure.spec.uses == "grade" and not measure.spec.divides_by_relevant:
        return "fewer than two different grades among the judged documents of the ranking"
    if len(judged) == 1:
        return "its one judged document is not relevant"
    return f"none of its {len(judged):,} judged documents is relevant"
