"""What the options of ``judgetool import`` say of files: ``NAME=VALUE`` pairs."""

import math
from collections.abc import Iterable, Mapping

from judgetool.errors import UsageError
from judgetool.formats.names import ROLES, normal_name
from judgetool.formats.values import Question, Wishes
from judgetool.session.imports.joining import JOIN, MAP_IDS

_ALL_ROLES = tuple(dict.fromkeys(role for roles in ROLES.values() for role in roles))


def parse_wishes(
    *, columns: Iterable[str], answers: Iterable[str], grades: Iterable[str]
) -> Wishes:
    """Read what a person says of the files before they are read.

    Args:
        columns: ``HEADER=ROLE``.
        answers: ``QUESTION=CHOICE``.
        grades: ``GRADE=GRADE``, the left one a number or a word.

    Raises:
        UsageError: a pair is none, a role is not known, a grade is no number.
    """
    roles = dict(_split(pair, "--column", "rating=grade") for pair in columns)
    for header, role in list(roles.items()):
        # A header in another spelling (capitals, blanks) is the same one.
        roles.setdefault(normal_name(header), role)
        if role not in _ALL_ROLES:
            raise UsageError(
                f"--column {header}={role}: there is no such role. Choose one of: "
                f"{', '.join(_ALL_ROLES)}. Nothing was imported."
            )
    said = dict(_split(pair, "--answer", "column_two=assessor") for pair in answers)
    grade_map = {grade: _checked_grade(grade, wanted) for grade, wanted in _pairs(grades)}
    return Wishes(said, roles, grade_map)


_ANSWERS_ALWAYS = {"header": ("yes", "no"), "lines": ("texts",)}
_ANY_ANSWER = ("encoding", "sheet", "member")
_ASKED_OF_SOME = (
    *("id_and_text", "third_column", "column_two", "lists", "numbers", "positions"),
    *("texts", "runs", *JOIN.values(), *MAP_IDS.values()),
)


def check_answers(answers: Mapping[str, str], asked: Iterable[Question]) -> None:
    """Refuse an answer to what is never asked, and one that is no choice.

    Args:
        answers: what was said, by the question's name.
        asked: the questions of all files; one that none of them asks is no mistake.

    Raises:
        UsageError: there is such an answer.
    """
    choices: dict[str, tuple[str, ...]] = dict(_ANSWERS_ALWAYS)
    for question in asked:
        choices[question.name] = (*choices.get(question.name, ()), *question.choices)
    for name, said in answers.items():
        if name in _ANY_ANSWER:
            continue
        if name not in choices and name not in _ASKED_OF_SOME:
            known = ", ".join((*_ANSWERS_ALWAYS, *_ANY_ANSWER, *_ASKED_OF_SOME))
            raise UsageError(
                f"--answer {name}={said}: there is no such question. Questions are {known}. "
                "Nothing was imported."
            )
        if name in choices and said not in choices[name]:
            raise UsageError(
                f"--answer {name}={said}: that is no answer to it. Choose one of "
                f"{', '.join(dict.fromkeys(choices[name]))}. Nothing was imported."
            )


def number_map(grade_map: Iterable[tuple[str, float]]) -> dict[float, float]:
    """Return the part of a map of grades whose left sides are numbers."""
    found = ((_find_number(grade), wanted) for grade, wanted in grade_map)
    return {grade: wanted for grade, wanted in found if grade is not None}


def _pairs(grades: Iterable[str]) -> Iterable[tuple[str, str]]:
    return (_split(pair, "--map-grade", "4=3") for pair in grades)


def _split(pair: str, option: str, example: str) -> tuple[str, str]:
    # A header or a word may hold the sign itself; a role or a grade never does.
    name, sign, value = pair.rpartition("=")
    if not (sign and name.strip() and value.strip()):
        raise UsageError(
            f"{option} expects a pair such as {example}, found {pair!r}. Nothing was imported."
        )
    return name.strip(), value.strip()


def _find_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _checked_grade(grade: str, wanted: str) -> float:
    number = _find_number(wanted)
    if number is None:
        raise UsageError(
            f"--map-grade {grade}={wanted}: a grade of the scale is expected on the right, such "
            "as 4=3. Nothing was imported."
        )
    return number
