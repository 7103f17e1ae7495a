"""Languages of the window and of messages: which there are, which is chosen, and reading one.

A language is one file of gettext, ``LANG/LC_MESSAGES/judgetool.po`` among the shipped files in
``resources/locale``, or ``LANG.po`` in the folder ``locale`` beside a person's preferences, where it goes
before the shipped one. It is read as it is, so that nothing has to be compiled.
"""

import gettext
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from judgetool.core.policy import policy
from judgetool.errors import tell
from judgetool.wording import Language, _, english_form, pgettext, speak, spoken

LANGUAGE_VARIABLE = "JUDGETOOL_LANGUAGE"
"""Chooses a language whatever the preferences say, made ones for testers as well."""
ENGLISH = "en"
LONGER = "xx"
"""English with accents, in brackets, and two fifths longer: what is cut or not translated is seen."""
MIRRORED = "xr"
"""English in letters that run from right to left."""

# Compiled when a language is read: who works in English does not wait for them.
_ENTRY = r"(?m)(?:^(?!#~)[^\n]+\n?)+"
_PART = r'(?m)^(msgctxt|msgid_plural|msgid|msgstr)(?:\[\d\])?[ \t]*((?:"(?:[^"\\\n]|\\.)*"\s*)+)'
_QUOTED = r'"((?:[^"\\\n]|\\.)*)"'
_ESCAPES = {"n": "\n", "t": "\t"}
_FORMS = r"(?m)^Plural-Forms:.*plural\s*=\s*([^;\n]+)"
_NAME = r'(?m)^msgctxt "language"\s+msgid "English"\s+msgstr "([^"\n]+)"'


def choose_language(wanted: str = "") -> None:
    """Speak the language that the administrator has set, a person wants, or the environment.

    Args:
        wanted: a language's code; ``""`` asks the environment as other programs do
            (``LANGUAGE``, ``LC_ALL``, ``LC_MESSAGES``, ``LANG``).
    """
    named = policy().language or os.environ.get(LANGUAGE_VARIABLE, "")
    asked = [named] if named else [wanted] if wanted else asked_for(os.environ)
    for code in _with_general(asked):
        if code == ENGLISH:
            break
        if code in (LONGER, MIRRORED):
            return speak(Language(code, _lengthened if code == LONGER else _mirrored))
        path = _catalogue(code)
        if path is not None:
            return speak(_read_kindly(path, code))
    return speak(Language())


def asked_for(environment: Mapping[str, str]) -> list[str]:
    """Return the languages that an environment asks for, the first first; none for English.

    Examples:
        >>> asked_for({"LANG": "de_AT.UTF-8"}), asked_for({"LANG": "C.UTF-8", "LANGUAGE": "de"})
        (['de_AT'], [])
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    plain = locale.partition(".")[0].partition("@")[0]
    # Who asks for C asks for what scripts can rely on, as in all of gettext's programs.
    if plain in ("C", "POSIX"):
        return []
    listed = [each for each in environment.get("LANGUAGE", "").split(":") if each]
    return listed or [plain] * bool(plain)


def languages() -> dict[str, str]:
    """Return the languages that can be chosen: their names in themselves, by code.

    A file that does not say what its language calls itself is not ready.
    """
    found = {ENGLISH: "English"}
    for code in sorted({code for folder in _folders() for code in _codes_in(folder)}):
        path = _catalogue(code)
        named = None if path is None else re.search(_NAME, _text_of(path))
        if named:
            found[code] = named[1]
    return found


def runs_leftward() -> bool:
    """Whether the language that is used is written from right to left."""
    # Translators: answer rtl where the language is written from right to left, else ltr.
    return spoken().code == MIRRORED or pgettext("direction of writing", "ltr") == "rtl"


@lru_cache(maxsize=2)
def read_catalogue(text: str, code: str) -> Language:
    """Return the language of a .po file.

    What is marked fuzzy or left empty stays English, and so does what would fill in something that its
    sentence does not have: nobody could show it.

    Args:
        text: of the file.
        code: of the language.

    Raises:
        ValueError: the rule of its plural forms is none.
    """
    single: dict[str, str] = {}
    plurals: dict[str, tuple[str, ...]] = {}
    for entry in re.findall(_ENTRY, text):
        if "msgid" not in entry or ("#, " in entry and "fuzzy" in entry.partition("msgid")[0]):
            continue
        ids, forms = _parts(entry)
        key = "\x04".join((*ids["msgctxt"], *ids["msgid"]))
        if not all(forms) or _fields(forms) - _fields((*ids["msgid"], *ids["msgid_plural"])):
            continue
        if ids["msgid_plural"]:
            plurals[key] = tuple(forms)
            single[key] = forms[0]
        elif forms:
            single[key] = forms[0]
    rule = re.search(_FORMS, single.pop("", ""))
    form = gettext.c2py(rule[1].strip()) if rule else english_form
    thousands = single.get("between thousands\x04,", ",")
    decimal = single.get("before decimals\x04.", ".")
    return Language(code, single.get, plurals, form, thousands, decimal)


def _parts(entry: str) -> tuple[dict[str, list[str]], list[str]]:
    """Return what names an entry, and what stands for it."""
    ids: dict[str, list[str]] = {"msgctxt": [], "msgid": [], "msgid_plural": []}
    forms: list[str] = []
    for kind, quoted in re.findall(_PART, entry):
        text = "".join(re.findall(_QUOTED, quoted))
        if "\\" in text:
            text = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text)
        ids.get(kind, forms).append(text)
    return ids, forms


def _fields(texts: Iterable[str]) -> set[str]:
    """Return the names of what is filled in, such as ``name`` of ``{name}`` and of ``{name!r}``."""
    return {
        name for text in texts if "{" in text for name in re.findall(r"\{([^{}!:]*)[^{}]*\}", text)
    }


def _read_kindly(path: Path, code: str) -> Language:
    """Return a language; English, and a notice, where its file is none."""
    try:
        return read_catalogue(path.read_text(encoding="utf-8"), code)
    except (OSError, ValueError, SyntaxError) as problem:
        tell(
            _("The language {code} cannot be read from {path}: {problem}. English is used.").format(
                code=code, path=path, problem=problem
            )
        )
        return Language()


def _with_general(codes: Iterable[str]) -> Iterator[str]:
    """Give each code, and after one of a country that of its language alone."""
    for code in codes:
        plain = code.partition(".")[0].partition("@")[0].replace("-", "_")
        yield from (plain, plain.partition("_")[0])


def _folders() -> tuple[Path, Path]:
    # Looked for only where another language than English is wanted.
    from judgetool.core.system import config_folder  # noqa: PLC0415
    from judgetool.resources import resources_root  # noqa: PLC0415

    return config_folder() / "locale", resources_root() / "locale"


def _codes_in(folder: Path) -> set[str]:
    own = {path.stem for path in folder.glob("*.po")}
    return own | {path.parts[-3] for path in folder.glob("*/LC_MESSAGES/judgetool.po")}


def _catalogue(code: str) -> Path | None:
    """Return the file of a language, a person's own first."""
    places = (
        folder / name
        for folder in _folders()
        for name in (f"{code}.po", f"{code}/LC_MESSAGES/judgetool.po")
    )
    # Unlike a Path's own way, it takes what may not be looked at, or is no name, for no file.
    return next((path for path in places if os.path.isfile(path)), None)  # noqa: PTH113 - see above


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# Languages made by a function, for tests of layout and of what was left out.

_LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ACCENTED = str.maketrans("aceinouyzACEINOUYZ", "áçéîñöüÿžÁÇÉÎÑÖÜÝŽ")
_HEBREW = str.maketrans(_LATIN, "אבגדהוזחטיכלמנסעפצקרשתאבגד" * 2)
# What a program reads in a sentence: fields, marks of HTML, entities, keys of mnemonics.
_READ_BY_PROGRAMS = r"(\{[^{}]*\}|<[^<>]*>|&\w+;)"


def _changed(message: str, table: dict[int, int]) -> str:
    message = message.rpartition("\x04")[2]
    parts = re.split(_READ_BY_PROGRAMS, message)
    return "".join(part if place % 2 else part.translate(table) for place, part in enumerate(parts))


def _lengthened(message: str) -> str:
    """Return a sentence two fifths longer, with accents, in brackets.

    Examples:
        >>> _lengthened("Next document of {query}")
        '[Ñéxt döçüméñt öf {query}·········]'
    """
    if not message:
        return ""
    return f"[{_changed(message, _ACCENTED)}{'·' * max(1, len(message) * 2 // 5)}]"


def _mirrored(message: str) -> str:
    return _changed(message, _HEBREW)
