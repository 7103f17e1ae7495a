"""What is chosen before a file is written, and why it is written as it is."""

from dataclasses import dataclass
from enum import StrEnum

from judgetool.core.views import DEFAULT_VIEW


class CannotJudge(StrEnum):
    """What becomes of a document of which it was only said that it cannot be judged."""

    LEAVE_OUT = "leave-out"
    LOWEST = "lowest"
    """It gets the lowest grade of the scale."""


class Fractions(StrEnum):
    """What becomes of grades such as 1.5 in formats whose tools read whole numbers."""

    REFUSE = "refuse"
    ROUND = "round"
    """To the nearest whole number; halves go up."""
    KEEP = "keep"


class Numbers(StrEnum):
    """Which number of a level is written."""

    USUAL = "usual"
    """The one that files of this format usually hold."""
    GRADES = "grades"
    GAINS = "gains"


class Formulas(StrEnum):
    """What becomes of cells that a spreadsheet could take for a formula."""

    REFUSE_IDS = "refuse-ids"
    """Texts get an apostrophe in front; an id is refused."""
    KEEP_IDS = "keep-ids"
    """Texts get an apostrophe in front; ids stay as they are, and that is said."""
    KEEP_ALL = "keep-all"
    """Everything stays as it is, and that is said."""


TITLES: dict[StrEnum, str] = {
    CannotJudge.LEAVE_OUT: "Leave out",
    CannotJudge.LOWEST: "Write the lowest grade",
    Fractions.REFUSE: "Refuse",
    Fractions.ROUND: "Round, halves up",
    Fractions.KEEP: "Keep",
    Numbers.USUAL: "As usual in this format",
    Numbers.GRADES: "Grades",
    Numbers.GAINS: "Gains",
    Formulas.REFUSE_IDS: "Guard texts, refuse ids",
    Formulas.KEEP_IDS: "Guard texts, keep ids",
    Formulas.KEEP_ALL: "Keep all as it is",
}
"""How each choice is shown."""


@dataclass(frozen=True, slots=True)
class ExportChoices:
    """Everything that decides what a written file holds.

    Attributes:
        format: a name in :data:`judgetool.formats.writers.WRITERS`.
        view: rule that folds several grades of a document.
        assessor: only what this one said, unfolded; ``""`` for all.
        runs: names of runs: the one to be written, or those of a report; empty for all.
        cannot_judge: what becomes of documents that could not be judged.
        fractions: what becomes of fractions where whole numbers are read.
        numbers: grades or gains.
        formulas: what becomes of cells that look like formulas.
        target: name of the index (Elasticsearch, RRE) or of the list (OpenSearch).
        conventions: preset by whose conventions a report's values are computed;
            ``""`` for the project's own.
        digits: decimals of a report, 0 to 17.
    """

    format: str
    view: str = DEFAULT_VIEW
    assessor: str = ""
    runs: tuple[str, ...] = ()
    cannot_judge: CannotJudge = CannotJudge.LEAVE_OUT
    fractions: Fractions = Fractions.REFUSE
    numbers: Numbers = Numbers.USUAL
    formulas: Formulas = Formulas.REFUSE_IDS
    target: str = "judgments"
    conventions: str = ""
    digits: int = 4
