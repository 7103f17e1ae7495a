"""What an assessor has said of a document besides its grade, in words."""

from judgetool.core.judgments import CONFIDENCES, Judgment, State

_STATES = {State.CANNOT_JUDGE: "cannot judge", State.SKIPPED: "skipped for later"}


def describe_remarks(judgment: Judgment) -> str:
    """Return state, flag and confidence on one line; ``""`` where there is only a grade.

    Examples:
        >>> describe_remarks(Judgment(State.SKIPPED, flagged=True))
        'You said: skipped for later · flagged for discussion'
    """
    said = [_STATES[judgment.state]] if judgment.state in _STATES else []
    if judgment.flagged:
        said.append("flagged for discussion")
    if judgment.confidence is not None:
        said.append(CONFIDENCES[judgment.confidence])
    return f"You said: {' · '.join(said)}" if said else ""
