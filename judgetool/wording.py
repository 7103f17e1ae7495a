"""The language of what is shown: every sentence for people passes through here.

Until a language is chosen (``judgetool.core.catalogues``) all of it is English, as in
tests and for whoever imports judgetool into a program of their own. Data lines of commands,
files, ids and names of measures are never translated; numbers in files never follow a language.

A sentence is translated when it is shown, never when a module is imported: tables of data
mark theirs with :func:`N_`, and who shows them calls :func:`_`.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

Key = TypeVar("Key")

_BEFORE_CONTEXT = "\x04"
_OF_NUMBERS = "0123456789.,−-"
_ENGLISH: dict[str, str] = {}


def english_form(count: int) -> int:
    """Return which form of a sentence goes with a number of things in English."""
    return int(count != 1)


@dataclass(frozen=True, slots=True)
class Language:
    """What is said in place of English.

    Attributes:
        code: such as ``de`` or ``pt_BR``.
        find: what stands for a sentence; ``None`` where nothing does.
        plurals: the forms of a sentence on a number of things, by its English singular.
        form: which of them goes with a number.
        thousands: the sign between thousands.
        decimal: that before decimals.
    """

    code: str = "en"
    find: Callable[[str], str | None] = _ENGLISH.get
    plurals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form: Callable[[int], int] = english_form
    thousands: str = ","
    decimal: str = "."


class _Spoken(threading.local):
    """What all threads speak stands in the class, what one speaks for a while in its instance."""

    now = Language()
    signs: dict[int, str] | None = None


_SPOKEN = _Spoken()


def speak(language: Language) -> None:
    """Show whatever is shown from now on in another language; what is shown already stays."""
    _Spoken.now = language
    signs = {ord(","): language.thousands, ord("."): language.decimal}
    _Spoken.signs = None if (language.thousands, language.decimal) == (",", ".") else signs


def spoken() -> Language:
    """Return the language that is used now."""
    return _SPOKEN.now


@contextmanager
def in_english() -> Iterator[None]:
    """Make what is no talk, a file or data lines: whatever this thread says meanwhile is English."""
    before = dict(vars(_SPOKEN))
    vars(_SPOKEN).update(now=Language(), signs=None)
    try:
        yield
    finally:
        vars(_SPOKEN).clear()
        vars(_SPOKEN).update(before)


def _(message: str) -> str:
    """Return a sentence in the language that is used; what it lacks in English.

    Examples:
        >>> _("Undo")
        'Undo'
    """
    return _SPOKEN.now.find(message) or message


def N_(message: str) -> str:  # noqa: N802 - gettext's name
    """Mark a sentence of a table for translation when it is shown; it stays as it is."""
    return message


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802 - as of gettext
    """Mark the two forms of what a table counts; who shows it gives them to ``number_of()``."""
    return one, many


def in_words(table: Mapping[Key, str]) -> dict[Key, str]:
    """Return a table of marked sentences in the language that is used."""
    return {key: _(text) for key, text in table.items()}


def pgettext(context: str, message: str) -> str:
    """Return a word that is several ones in other languages, of one of its meanings.

    Args:
        context: which meaning, for translators.
        message: in English.
    """
    return _SPOKEN.now.find(f"{context}{_BEFORE_CONTEXT}{message}") or message


def mid_sentence(text: str) -> str:
    """Return what stands alone as it stands within a sentence: with a small first letter.

    But in German, where it may be a noun.

    Examples:
        >>> mid_sentence("Import of a.run")
        'import of a.run'
    """
    return text if spoken().code.startswith("de") else text[:1].lower() + text[1:]


def sentence_start(text: str) -> str:
    """Return what stands within a sentence as it stands at the start of one.

    Examples:
        >>> sentence_start("fairly sure")
        'Fairly sure'
    """
    return text[:1].upper() + text[1:]


def local_number(text: str) -> str:
    """Return a number that is written as in English with the signs of the language that is used."""
    return text if _SPOKEN.signs is None else text.translate(_SPOKEN.signs)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them; ``""`` for none.

    Examples:
        >>> listed(["a", "b", "c"])
        'a, b and c'
    """
    if len(names) < 2:
        return "".join(names)
    return _("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])


def quoted(text: str) -> str:
    """Return a title or a name in the quotes of the language.

    Examples:
        >>> quoted("Soup")
        '‘Soup’'
    """
    return _("‘{title}’").format(title=text)


def own_words(text: str) -> str:
    """Return what a person wrote or typed in the quotes that the language has for it.

    Examples:
        >>> own_words("too old")
        '“too old”'
    """
    return _("“{note}”").format(note=text)


def visible(text: str) -> str:
    r"""Return a text as it stands in a sentence that turns on it: what cannot be seen as in Python.

    Examples:
        >>> visible("d 1" + chr(9))
        'd 1\\t'
    """
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


class Stated(str):
    """A sentence of English, as files and data lines have it, that can be translated.

    Made by :func:`stated` and :func:`stated_of`, shown by :func:`translated`.
    """

    def __new__(cls, one: str, many: str, count: int, values: Mapping[str, object]) -> "Stated":
        """Fill in what the sentence says, in English."""
        text = super().__new__(cls, (one if count == 1 else many).format(**values))
        text._parts = one, many, count, values
        return text

    _parts: tuple[str, str, int, Mapping[str, object]]

    def translated(self) -> str:
        """Return the sentence in the language that is used, its numbers with the signs of it."""
        one, many, count, values = self._parts
        sentence = _(one) if one == many else ngettext(one, many, count)
        filled = {
            name: translated(value) if isinstance(value, str) else value
            for name, value in values.items()
        }
        return sentence.format(**filled)


class AsIs(str):
    """A name, or another text of a person or a file, that is filled in: the same in every language."""


def stated(sentence: str, /, **values: object) -> Stated:
    """Return a sentence in English that :func:`translated` has in the language that is used.

    Args:
        sentence: with names in braces for what is filled in.
        values: by these names, numbers as they are written in English; words are translated, too, but
            for :class:`AsIs`.

    Examples:
        >>> stated("grade {grade} is above {most}", grade="2.5", most=2)
        'grade 2.5 is above 2'
    """
    return Stated(sentence, sentence, 1, values)


def stated_of(count: int, one: str, many: str, /, **values: object) -> Stated:
    """Return a sentence on a number of things, likewise; the number is ``{n}`` in it.

    Examples:
        >>> stated_of(2, "{n} row is lost.", "{n} rows are lost.")
        '2 rows are lost.'
    """
    return Stated(one, many, count, {"n": f"{count:,}", **values})


def translated(text: str) -> str:
    """Return what was marked, made by :func:`stated` or a number in English, in the language that is used."""
    if isinstance(text, Stated):
        return text.translated()
    if isinstance(text, AsIs):
        return text
    return _(text) if text.strip(_OF_NUMBERS) else local_number(text)


def ngettext(one: str, many: str, count: int) -> str:
    """Return a sentence on a number of things, in the form that goes with the number.

    Examples:
        >>> ngettext("{n} row is lost.", "{n} rows are lost.", 2).format(n=2)
        '2 rows are lost.'
    """
    forms = _SPOKEN.now.plurals.get(one)
    if forms:
        return forms[_SPOKEN.now.form(count)]
    # Marked apart, so that a language made by a function has both, too.
    return _(one if count == 1 else many)
