"""Regular expressions that people write, or that come with a project: they run in linear time.

The engine is RE2: no pattern and no text can make it try for ever. What it has no way to do
(look-around, back references) is named and never run.
"""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import re2

from judgetool.errors import UsageError
from judgetool.wording import N_, _

_MOST_CHARACTERS = 1000
# What Python's own expressions mean by these, which for RE2 are ASCII alone.
_CLASSES = {"w": r"\p{L}\p{M}\p{N}_", "d": r"\p{Nd}", "s": r"\s\x0b\x1c-\x1f\x85\p{Z}"}
_GAPS = (
    (re.compile(r"\(\?<?[=!]"), N_("looks ahead or behind")),
    (re.compile(r"\\[1-9]|\(\?P="), N_("refers back to a group")),
    (re.compile(r"\(\?\("), N_("asks whether a group matched")),
    (re.compile(r"\(\?>|[*+?}]\+"), N_("holds on to what it has matched")),
    (re.compile(r"\{,[0-9]"), N_("repeats from nothing on ({,n}; write {0,n})")),
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, upper and lower case alike.

    Attributes:
        text: as it was written.
        gap: why it is not run, as a sentence; ``""`` if it is.
        is_found_in: tells whether a text matches somewhere; never, where there is a gap.
    """

    text: str
    gap: str
    is_found_in: Callable[[str], bool]


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Pattern:
    r"""Return a regular expression, ready to be looked for.

    ``\w``, ``\d`` and ``\s`` are about the letters, digits and blanks of all scripts.

    Raises:
        UsageError: it is no regular expression; the text says why.

    Examples:
        >>> compile_pattern("^суп").is_found_in("Суп из тыквы")
        True
        >>> compile_pattern("a(?=b)").gap
        '‘a(?=b)’ looks ahead or behind, which is not supported: it is kept and not run.'
    """
    try:
        _check_spelling(text[:_MOST_CHARACTERS])
        gap = _find_gap(text)
        engine = None if gap else re2.compile(_in_all_scripts(text), options=_options())
    except (re.error, OverflowError, RecursionError) as problem:
        if len(text) <= _MOST_CHARACTERS:
            said = _("‘{text}’ is no regular expression: {problem}.")
            raise UsageError(said.format(text=text, problem=problem)) from None
        gap, engine = _not_run(text, _("is too long")), None
    except re2.error as problem:
        reason = problem.args[0] if problem.args else ""
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        gap, engine = (
            _not_run(text, _("says what the engine does not know ({why})").format(why=said)),
            None,
        )
    if engine is None:
        return Pattern(text, gap, lambda _text: False)
    search = engine.search
    # As bytes: a half character of a broken file must not stop the search.
    return Pattern(text, "", lambda text: search(text.encode(errors="surrogatepass")) is not None)


def _check_spelling(text: str) -> None:
    with warnings.catch_warnings():
        # What may mean something else in a later Python does not matter: RE2 runs it.
        warnings.simplefilter("ignore")
        re.compile(text, re.IGNORECASE)


def _find_gap(text: str) -> str:
    plain = text.replace("\\\\", "")
    if len(text) > _MOST_CHARACTERS:
        return _not_run(text, _("is too long"))
    if re.search(r"\\[bB]", plain) and not text.isascii():
        return _not_run(text, _("asks for the edge of a word (\\b) beside letters beyond a to z"))
    found = next(
        (what for shape, what in _GAPS if shape.search(_without_escapes(plain, shape))), ""
    )
    return _not_run(text, _(found)) if found else ""


def _without_escapes(text: str, shape: re.Pattern[str]) -> str:
    """Return the text without escaped signs, unless escapes are what is looked for."""
    return text if shape.pattern.startswith("\\\\") else re.sub(r"\\.|\[[^\]]*\]", "x", text)


def _not_run(text: str, what: str) -> str:
    shown = text if len(text) <= 80 else f"{text[:80]}…"
    sentence = _("‘{text}’ {what}, which is not supported: it is kept and not run.")
    return sentence.format(text=shown, what=what)


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


def _in_all_scripts(text: str) -> str:
    r"""Return an expression with ``\w``, ``\d``, ``\s`` and ``\Z`` in RE2's words."""
    parts: list[str] = []
    is_inside = False
    place = 0
    while place < len(text):
        sign = text[place]
        if sign == "\\" and place + 1 < len(text):
            parts.append(_escape(text[place + 1], is_inside=is_inside))
            place += 2
            continue
        if sign == "[" and not is_inside:
            is_inside = True
            # A bracket that stands first is itself.
            first = re.compile(r"\^?\]?").match(text, place + 1)
            rest = first.group() if first else ""
            parts.append(sign + rest.replace("]", "\\]"))
            place += 1 + len(rest)
            continue
        is_inside = is_inside and sign != "]"
        parts.append("\\[" if sign == "[" else sign)
        place += 1
    return "".join(parts)


def _escape(sign: str, *, is_inside: bool) -> str:
    members = _CLASSES.get(sign.lower(), "")
    if not members:
        return r"\z" if sign == "Z" else f"\\{sign}"
    if sign.islower():
        return members if is_inside else f"[{members}]"
    # RE2 has no class without the members of another one: inside of brackets its own has to do.
    return f"\\{sign}" if is_inside else f"[^{members}]"
