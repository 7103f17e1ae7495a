"""Term sets: words that an assessor wants to see in colours of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.session.session import Session

TERM_SETS_KEY = "term_sets"
N_COLOURS = 4


@dataclass(frozen=True, slots=True)
class TermSet:
    """Some words and phrases in one colour.

    Attributes:
        name: shown beside the colour.
        colour: 1 to 4, a colour of the theme.
        terms: words and phrases as they were typed.
    """

    name: str
    colour: int
    terms: tuple[str, ...]


def find_term_sets(session: Session) -> tuple[TermSet, ...]:
    """Return the project's term sets in order; none if none are written."""
    stored = session.value(TERM_SETS_KEY) or []
    return tuple(TermSet(each["name"], each["colour"], tuple(each["terms"])) for each in stored)


def set_term_sets(term_sets: Sequence[TermSet]) -> SetValues:
    """Return the command that writes all term sets; empty terms are left out.

    Raises:
        CommandRefusedError: a set has no name, a name stands twice, or a colour is none
            of 1 to 4.
    """
    names = [each.name.strip() for each in term_sets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not all(names):
        raise CommandRefusedError("A term set has no name. Give it one; nothing was changed.")
    if twice is not None:
        raise CommandRefusedError(
            f"Two term sets are called ‘{twice}’. Rename one of them; nothing was changed."
        )
    for each in term_sets:
        if not 1 <= each.colour <= N_COLOURS:
            raise CommandRefusedError(
                f"Term set ‘{each.name}’ has colour {each.colour}; colours are 1 to {N_COLOURS}. "
                "Nothing was changed."
            )
    stored = [
        {
            "name": each.name.strip(),
            "colour": each.colour,
            "terms": list(dict.fromkeys(term.strip() for term in each.terms if term.strip())),
        }
        for each in term_sets
    ]
    return SetValues({TERM_SETS_KEY: stored or None}, "Term sets")
