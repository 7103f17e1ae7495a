"""Preferences of the person: one frozen dataclass, kept as one readable JSON file.

What belongs to a project stays in the project; window geometry is the window's.
"""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from judgetool.core.folders import config_folder
from judgetool.errors import InputError

FILE_NAME = "settings.json"
MAX_RECENT = 12
MAX_VIEWS = 200
THEMES = ("system", "light", "dark")
PAGE_COLOURS = ("theme", "light", "dark", "sepia")
LINE_WIDTHS = ("narrow", "standard", "wide")
DENSITIES = ("compact", "standard", "roomy")
ADVANCES = ("unjudged", "queue")
KEY_PRESETS = ("digits", "right", "left", "keypad")


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """A project that was open before.

    Attributes:
        path: the project file, absolute.
        judged: documents judged when it was last seen; ``None`` when not known.
        total: documents to be judged; ``None`` when not known.
        at: when it was last open, milliseconds UTC; 0 when not known.
        title: of the project, when it was last seen; ``""`` when not known.
    """

    path: str
    judged: int | None = None
    total: int | None = None
    at: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person prefers.

    Attributes:
        assessor: the name under which they judge; ``""`` until it is asked.
        theme: ``system``, ``light`` or ``dark``.
        density: ``compact``, ``standard`` or ``roomy``.
        moves_on: whether a grade leads to the next document.
        advance: to which: the next ``unjudged`` one, or the next of the ``queue``.
        pause_ms: how long a grade is seen before it moves on, 0 to 1,500.
        guard_ms: a grading key so soon after the one before is not taken, 0 to 500;
            up to 50 only the same key.
        goal: judgments wanted in a day, 0 for none.
        break_min: minutes of judging after which a break is proposed, 0 for never.
        is_blind: whether rank, score, run, ids, others and values are hidden.
        key_preset: the set of keys that own ones change.
        keys: keys of the person's own, by the action's name.
        shows_scores: whether result cards show the system's scores.
        highlights_terms: whether query terms are marked.
        extra_px: added to the interface font, -3 to 13 px: of 13 px, 77 to 200 %.
        document_px: added to the document's text, -4 to 14 px.
        page_colour: of the document: ``theme``, ``light``, ``dark`` or ``sepia``.
        line_width: of the document: ``narrow``, ``standard`` or ``wide``.
        shows_whole: whether long texts are shown whole at once, not passages first.
        joins_lines: whether lines of a text that were broken by hand are joined.
        keeps_safety_log: whether each judgment is also written to a log in the user's
            data folder, from which a lost project can be rebuilt.
        recent: projects, last open first, at most 12.
        views: the view of judgments last chosen, by project uuid.
        unknown: what a newer judgetool wrote; written back as it is.
        notice: a sentence when the file could not be used as it was, else ``""``;
            never written.

    Raises:
        InputError: a value is not one of these.
    """

    assessor: str = ""
    theme: str = "system"
    density: str = "standard"
    moves_on: bool = True
    advance: str = "unjudged"
    pause_ms: int = 0
    guard_ms: int = 35
    goal: int = 0
    break_min: int = 0
    is_blind: bool = False
    key_preset: str = "digits"
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shows_scores: bool = False
    highlights_terms: bool = True
    extra_px: int = 0
    document_px: int = 0
    page_colour: str = "theme"
    line_width: str = "standard"
    shows_whole: bool = False
    joins_lines: bool = True
    keeps_safety_log: bool = True
    recent: tuple[RecentEntry, ...] = ()
    views: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False)
    notice: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name, expected in _CHECKS.items():
            if not expected.holds(getattr(self, name)):
                raise InputError(
                    f"The setting {name} must be {expected.words}, not {getattr(self, name)!r}."
                )

    def with_recent(self, entry: RecentEntry) -> "Settings":
        """Return the same with a project at the head of the recent ones."""
        others = tuple(each for each in self.recent if each.path != entry.path)
        return replace(self, recent=(entry, *others)[:MAX_RECENT])

    def without_recent(self, path: str) -> "Settings":
        """Return the same without a project among the recent ones."""
        return replace(self, recent=tuple(each for each in self.recent if each.path != path))

    def with_view(self, uuid: str, view: str) -> "Settings":
        """Return the same with another view of judgments for a project."""
        others = {key: value for key, value in self.views.items() if key != uuid}
        kept = list(others.items())[-(MAX_VIEWS - 1) :]
        return replace(self, views={**dict(kept), uuid: view})


@dataclass(frozen=True, slots=True)
class _Expected:
    words: str
    holds: Callable[[Any], bool]


def _is_whole(value: Any, low: int, high: int) -> bool:  # noqa: ANN401 - whatever the file holds
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_flag(value: Any) -> bool:  # noqa: ANN401 - whatever the file holds
    return isinstance(value, bool)


def _is_entry(entry: Any) -> bool:  # noqa: ANN401 - whatever the file holds
    if not isinstance(entry, RecentEntry):
        return False
    path: Any = entry.path
    title: Any = entry.title
    counts = (value for value in (entry.judged, entry.total) if value is not None)
    return (
        isinstance(path, str)
        and path != ""
        and isinstance(title, str)
        and all(_is_whole(value, 0, 2**62) for value in (entry.at, *counts))
    )


def _is_keys(value: Any) -> bool:  # noqa: ANN401 - whatever the file holds
    if not isinstance(value, Mapping):
        return False
    parts = (part for name, keys in value.items() for part in (name, *keys))
    return all(isinstance(keys, tuple) for keys in value.values()) and all(
        isinstance(part, str) for part in parts
    )


_YES_OR_NO = _Expected("true or false", _is_flag)
_CHECKS: dict[str, _Expected] = {
    "assessor": _Expected("a text on one line", lambda v: isinstance(v, str) and v.isprintable()),
    "theme": _Expected("one of " + ", ".join(THEMES), lambda v: v in THEMES),
    "density": _Expected("one of " + ", ".join(DENSITIES), lambda v: v in DENSITIES),
    "moves_on": _YES_OR_NO,
    "advance": _Expected("one of " + ", ".join(ADVANCES), lambda v: v in ADVANCES),
    "pause_ms": _Expected("a whole number from 0 to 1500", lambda v: _is_whole(v, 0, 1500)),
    "guard_ms": _Expected("a whole number from 0 to 500", lambda v: _is_whole(v, 0, 500)),
    "goal": _Expected("a whole number from 0 to 100000", lambda v: _is_whole(v, 0, 100_000)),
    "break_min": _Expected("a whole number from 0 to 480", lambda v: _is_whole(v, 0, 480)),
    "is_blind": _YES_OR_NO,
    "key_preset": _Expected("one of " + ", ".join(KEY_PRESETS), lambda v: v in KEY_PRESETS),
    "keys": _Expected("lists of keys by action", _is_keys),
    "shows_scores": _YES_OR_NO,
    "highlights_terms": _YES_OR_NO,
    "extra_px": _Expected("a whole number from -3 to 13", lambda v: _is_whole(v, -3, 13)),
    "document_px": _Expected("a whole number from -4 to 14", lambda v: _is_whole(v, -4, 14)),
    "page_colour": _Expected("one of " + ", ".join(PAGE_COLOURS), lambda v: v in PAGE_COLOURS),
    "line_width": _Expected("one of " + ", ".join(LINE_WIDTHS), lambda v: v in LINE_WIDTHS),
    "shows_whole": _YES_OR_NO,
    "joins_lines": _YES_OR_NO,
    "keeps_safety_log": _YES_OR_NO,
    "recent": _Expected(
        "a list of projects", lambda v: isinstance(v, tuple) and all(map(_is_entry, v))
    ),
    "views": _Expected(
        "names of views by project",
        lambda v: (
            isinstance(v, Mapping)
            and all(isinstance(part, str) for pair in v.items() for part in pair)
        ),
    ),
}


def settings_path() -> Path:
    """Return where the preferences are kept; the file need not exist."""
    return config_folder() / FILE_NAME


def load_settings() -> Settings:
    """Read the preferences; it never stops the start.

    Returns:
        What the file holds; the defaults where there is none. A file that cannot be
        understood is put aside, a value that does not fit is replaced by its default,
        and ``notice`` says so.
    """
    path = settings_path()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except UnicodeDecodeError:
        return Settings(notice=_put_aside(path))
    except OSError as problem:
        return Settings(
            notice=f"Your preferences in {path} cannot be read ({problem.strerror}). "
            "The usual ones are used."
        )
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        return Settings(notice=_put_aside(path))
    return _settings_from(values, path)


def _put_aside(path: Path) -> str:
    """Rename a file that cannot be understood; return the sentence that says so."""
    aside = path.with_name(f"{path.stem}.broken{path.suffix}")
    try:
        path.replace(aside)
    except OSError:
        return f"{path} does not hold preferences of judgetool. The usual ones are used."
    return (
        f"{path} does not hold preferences of judgetool. It is kept as {aside.name}, "
        "and the usual ones are used."
    )


def _settings_from(values: dict[str, Any], path: Path) -> Settings:
    known: dict[str, Any] = {}
    replaced = []
    for name, expected in _CHECKS.items():
        if name not in values:
            continue
        value = _PARSERS.get(name, lambda found: found)(values[name])
        if expected.holds(value):
            known[name] = value
        else:
            replaced.append(f"{name} must be {expected.words}")
    notice = ""
    if replaced:
        notice = f"In {path}, {'; '.join(replaced)}. The usual value is used there."
    unknown = {name: value for name, value in values.items() if name not in _CHECKS}
    return Settings(**known, unknown=unknown, notice=notice)


def _parse_recent(rows: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return recent projects, leaving out what is none; other values as they are."""
    if not isinstance(rows, list):
        return rows
    names = [each.name for each in fields(RecentEntry)]
    entries = (
        RecentEntry(**{name: row[name] for name in names if name in row})
        for row in rows
        if isinstance(row, dict) and "path" in row
    )
    return tuple(entry for entry in entries if _is_entry(entry))[:MAX_RECENT]


def _parse_keys(values: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return lists of keys as tuples; other values as they are."""
    if not isinstance(values, dict) or not all(isinstance(v, list) for v in values.values()):
        return values
    return {name: tuple(keys) for name, keys in values.items()}


_PARSERS: dict[str, Callable[[Any], Any]] = {"recent": _parse_recent, "keys": _parse_keys}


def save_settings(settings: Settings) -> str:
    """Write the preferences, whole or not at all.

    Returns:
        ``""`` when they are kept; else a sentence: the program goes on without.
    """
    path = settings_path()
    values: dict[str, Any] = {name: getattr(settings, name) for name in _CHECKS}
    values["recent"] = [
        {part.name: getattr(entry, part.name) for part in fields(RecentEntry)}
        for entry in settings.recent
    ]
    values["views"] = dict(settings.views)
    values["keys"] = {name: list(keys) for name, keys in settings.keys.items()}
    text = json.dumps({**settings.unknown, **values}, ensure_ascii=True, indent=2) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, text)
    except OSError as problem:
        return (
            f"Your preferences could not be kept in {path} ({problem.strerror or problem}). "
            "They hold until judgetool ends."
        )
    return ""


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{FILE_NAME}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
