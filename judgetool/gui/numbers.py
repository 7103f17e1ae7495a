"""Numbers as the window shows them: with the signs of the language that is used.

In files, in what is copied and in data lines they stay as :mod:`judgetool.core.number_text` writes them.
"""

import re

from judgetool.core import number_text, scale
from judgetool.wording import local_number, spoken

_NUMBER = r"[+−-]?\d[\d{thousands}]*(?:{decimal}\d+)?(?: %)?"


def format_value(value: float | None, *, digits: int = 4) -> str:
    """Return a value with fixed decimals; ``–`` for ``None``."""
    return local_number(number_text.format_value(value, digits=digits))


def format_change(change: float | None, *, digits: int = 4) -> str:
    """Return a change with its sign; ``·`` when it shows as nothing, ``""`` for ``None``."""
    return local_number(number_text.format_change(change, digits=digits))


def format_count(count: int) -> str:
    """Return a whole number with the sign between thousands."""
    return local_number(number_text.format_count(count))


def format_grade(grade: float) -> str:
    """Return a grade as it is shown: ``2``, not ``2.0``; ``0.5``."""
    return local_number(scale.format_grade(grade))


def format_p(p: float, alpha: float | None = None, *, digits: int = 0) -> str:
    """Return a p-value; see :func:`judgetool.core.number_text.format_p`."""
    return local_number(number_text.format_p(p, alpha, digits=digits))


def plain_cell(text: str) -> str:
    """Return a cell as programs read it: a number with its decimals behind a point, other text as it is."""
    language = spoken()
    if (language.thousands, language.decimal) == (",", "."):
        return text
    signs = {
        "thousands": re.escape(language.thousands),
        "decimal": re.escape(language.decimal),
    }
    if not re.fullmatch(_NUMBER.format(**signs), text):
        return text
    return text.replace(language.thousands, "").replace(language.decimal, ".")
