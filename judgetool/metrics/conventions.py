"""Conventions: what counts when the definitions leave a choice."""

from dataclasses import dataclass
from typing import Literal

from judgetool.errors import UsageError

Unjudged = Literal["as non-relevant", "left out"]
Undefined = Literal["zero", "leave out"]
Missing = Literal["judged", "both", "all"]
Scores = Literal["double", "single"]

CONVENTION_CHOICES: dict[str, dict[str, str]] = {
    "unjudged": {
        "as non-relevant": "Unjudged documents keep their rank and count as not relevant.",
        "left out": "Unjudged documents are taken out of the rankings first.",
    },
    "undefined": {
        "zero": "Where a value is undefined (no relevant document), the mean counts it as 0.",
        "leave out": "Where a value is undefined (no relevant document), the mean leaves it out.",
    },
    "missing": {
        "judged": "Means are over all judged queries; one that the run lacks counts as 0.",
        "both": "Means are over the queries that are judged and in the run.",
        "all": "Means are over all queries judged or in the run; one without judgments or "
        "without results counts as 0.",
    },
    "scores": {
        "double": "Scores are compared as 64-bit numbers; ties go by document id, falling.",
        "single": "Scores are compared as 32-bit numbers; ties go by document id, falling.",
    },
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How unjudged documents, undefined values and missing queries count.

    The default is trec_eval's with ``-c``: all judged queries, what is undefined or
    missing is 0 in means.

    Attributes:
        unjudged: documents without a grade: ``as non-relevant`` or ``left out``.
        undefined: values that are undefined: ``zero`` in means, or ``leave out``.
        missing: queries of the means: all ``judged``, ``both`` judged and in the run, or ``all``.
        is_weighted: whether means are weighted by the queries' importance.
        scores: precision in which a run's scores are compared, ``double`` or ``single``.
        preset: name of the preset that these come from, ``""`` for one's own.

    Raises:
        UsageError: a choice that there is not; the text lists the choices.
    """

    unjudged: Unjudged = "as non-relevant"
    undefined: Undefined = "zero"
    missing: Missing = "judged"
    is_weighted: bool = False
    scores: Scores = "double"
    preset: str = ""

    def __post_init__(self) -> None:
        for name, choices in CONVENTION_CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                allowed = ", ".join(repr(choice) for choice in choices)
                raise UsageError(f"{name} may be one of {allowed}, not {value!r}.")

    def describe(self) -> tuple[str, ...]:
        """Return the conventions as sentences, one each, for panels and exports.

        Examples:
            >>> Conventions().describe()[2]
            'Means are over all judged queries; one that the run lacks counts as 0.'
        """
        sentences = [choices[getattr(self, name)] for name, choices in CONVENTION_CHOICES.items()]
        if self.is_weighted:
            sentences.append("Means are weighted by the importance of the queries.")
        if self.preset:
            sentences.insert(0, f"Conventions of the preset {self.preset}.")
        return tuple(sentences)
