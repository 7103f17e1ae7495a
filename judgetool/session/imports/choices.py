"""What a person decides about an import before it is written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from judgetool.formats.values import Question, Wishes


class Conflicts(StrEnum):
    """Which judgment stays when an assessor has judged a pair here and otherwise in a file."""

    MINE = "mine"
    """The project's."""
    THEIRS = "theirs"
    """The file's."""
    BOTH = "both"
    """Both: the file's under another assessor's name, as a dispute."""


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """Decisions about one import.

    Attributes:
        assessor: whose judgments those are that name nobody; ``""`` names them by
            their file.
        conflicts: which judgment stays where file and project differ.
        grade_map: grades of the files, and the grades of the scale they stand for.
        file_grade_maps: likewise for single files, by their source; these go first.
        answers: to questions that the files leave open beside this project, by name.
        file_answers: likewise for single files, by their source; these go first.
        id_maps: by ``query`` and ``document``, ids of the files and those of the project
            that they stand for.
    """

    assessor: str = ""
    conflicts: Conflicts = Conflicts.MINE
    grade_map: Mapping[float, float] = field(default_factory=dict)
    file_grade_maps: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    file_answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    id_maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def grade_map_of(self, source: str) -> dict[float, float]:
        """Return what the grades of one file stand for; empty: what they are."""
        return {**self.grade_map, **self.file_grade_maps.get(source, {})}

    def answered(self, source: str, question: Question) -> Question:
        """Return a question about a file with what was said, if that is one of its choices."""
        said = {**self.answers, **self.file_answers.get(source, {})}
        return Wishes(said).answered(question)
