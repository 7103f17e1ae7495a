"""Preferences of the person: one frozen dataclass, kept as one readable JSON file.

What belongs to a project stays in the project; window geometry is the window's.
"""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from judgetool.core import override
from judgetool.core.system import SETTINGS, config_folder, sync
from judgetool.errors import InputError, why_refused
from judgetool.wording import N_, _

MAX_RECENT = 12
MAX_VIEWS = 200
THEMES = ("system", "light", "dark", "light-contrast", "dark-contrast")
PAGE_COLOURS = ("theme", "light", "dark", "sepia")
LINE_WIDTHS = ("narrow", "standard", "wide")
DENSITIES = ("compact", "standard", "roomy")
ADVANCES = ("unjudged", "queue")
SPOKEN_VALUES = ("none", "explained", "all")
KEY_PRESETS = ("digits", "right", "left", "keypad")


class RecentEntry(NamedTuple):
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
        language: of the window: ``system``, or a code such as ``de``.
        theme: one of :data:`THEMES`.
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
        spoken_values: which values that changed a screen reader is told: ``none``, the
            ``explained`` one, ``all``.
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
        has_toured: whether the tour has begun once; it then begins only when asked for.
        recent: projects, last open first, at most 12.
        views: the view of judgments last chosen, by the path of the project file.
        unknown: what a newer judgetool wrote; written back as it is.
        notice: a sentence when the file could not be used as it was, else ``""``;
            never written.

    Raises:
        InputError: a value is not one of these.
    """

    assessor: str = ""
    language: str = "system"
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
    spoken_values: str = "explained"
    shows_scores: bool = False
    highlights_terms: bool = True
    extra_px: int = 0
    document_px: int = 0
    page_colour: str = "theme"
    line_width: str = "standard"
    shows_whole: bool = False
    joins_lines: bool = True
    keeps_safety_log: bool = True
    has_toured: bool = False
    recent: tuple[RecentEntry, ...] = ()
    views: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False)
    notice: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name, expected in _CHECKS.items():
            if not expected.holds(getattr(self, name)):
                said = _("The setting {name} must be {expected}, not ‘{value}’.").format(
                    name=name, expected=expected, value=getattr(self, name)
                )
                raise InputError(said)

    def with_recent(self, entry: RecentEntry) -> "Settings":
        """Return the same with a project at the head of the recent ones."""
        others = tuple(each for each in self.recent if each.path != entry.path)
        return replace(self, recent=(entry, *others)[:MAX_RECENT])

    def without_recent(self, path: str) -> "Settings":
        """Return the same without a project among the recent ones."""
        return replace(self, recent=tuple(each for each in self.recent if each.path != path))

    def with_view(self, path: Path, view: str) -> "Settings":
        """Return the same with another view of judgments for one project file, not its copies."""
        others = {key: value for key, value in self.views.items() if key != _key_of(path)}
        kept = list(others.items())[-(MAX_VIEWS - 1) :]
        return replace(self, views={**dict(kept), _key_of(path): view})

    def find_view(self, path: Path) -> str | None:
        """Return the view of judgments last chosen for a project file, or ``None``."""
        return self.views.get(_key_of(path))


def _key_of(path: Path) -> str:
    """Return what a project file is known by; a copy of it has another."""
    return str(path.resolve())


@dataclass(frozen=True, slots=True)
class _Expected:
    words: str
    holds: Callable[[Any], bool]
    said: Mapping[str, object] = field(default_factory=dict)

    @override
    def __str__(self) -> str:
        return _(self.words).format(**self.said)


def _one_of(choices: tuple[str, ...]) -> _Expected:
    return _Expected(N_("one of {names}"), lambda v: v in choices, {"names": ", ".join(choices)})


def _whole(least: int, most: int) -> _Expected:
    said = {"least": least, "most": most}
    words = N_("a whole number from {least} to {most}")
    return _Expected(words, lambda v: _is_whole(v, least, most), said)


def _is_whole(value: Any, low: int, high: int) -> bool:  # noqa: ANN401 - whatever the file holds
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_entry(entry: RecentEntry) -> bool:
    # Whatever the file holds.
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


_YES_OR_NO = _Expected(N_("true or false"), lambda v: isinstance(v, bool))
_CHECKS: dict[str, _Expected] = {
    "assessor": _Expected(
        N_("a text on one line"), lambda v: isinstance(v, str) and v.isprintable()
    ),
    "language": _Expected(
        N_("system or a language’s code"),
        lambda v: isinstance(v, str) and v.replace("_", "").isalpha(),
    ),
    "theme": _one_of(THEMES),
    "density": _one_of(DENSITIES),
    "moves_on": _YES_OR_NO,
    "advance": _one_of(ADVANCES),
    "pause_ms": _whole(0, 1500),
    "guard_ms": _whole(0, 500),
    "goal": _whole(0, 100_000),
    "break_min": _whole(0, 480),
    "is_blind": _YES_OR_NO,
    "key_preset": _one_of(KEY_PRESETS),
    "keys": _Expected(N_("lists of keys by action"), _is_keys),
    "spoken_values": _one_of(SPOKEN_VALUES),
    "shows_scores": _YES_OR_NO,
    "highlights_terms": _YES_OR_NO,
    "extra_px": _whole(-3, 13),
    "document_px": _whole(-4, 14),
    "page_colour": _one_of(PAGE_COLOURS),
    "line_width": _one_of(LINE_WIDTHS),
    "shows_whole": _YES_OR_NO,
    "joins_lines": _YES_OR_NO,
    "keeps_safety_log": _YES_OR_NO,
    "has_toured": _YES_OR_NO,
    "recent": _Expected(
        N_("a list of projects"), lambda v: isinstance(v, tuple) and all(map(_is_entry, v))
    ),
    "views": _Expected(
        N_("names of views by project"),
        lambda v: (
            isinstance(v, Mapping)
            and all(isinstance(part, str) for pair in v.items() for part in pair)
        ),
    ),
}


def settings_path() -> Path:
    """Return where the preferences are kept; the file need not exist."""
    return config_folder() / SETTINGS


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
            notice=_(
                "Your preferences in {path} cannot be read ({strerror}). The usual ones are used."
            ).format(path=path, strerror=why_refused(problem))
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
        return _("{path} does not hold preferences of judgetool. The usual ones are used.").format(
            path=path
        )
    return _(
        "{path} does not hold preferences of judgetool. It is kept as {aside}, and the "
        "usual ones are used."
    ).format(path=path, aside=aside.name)


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
            said = _("{name} must be {expected}")
            replaced.append(said.format(name=name, expected=expected))
    notice = ""
    if replaced:
        notice = _("In {path}, {lacks}. The usual value is used there.").format(
            path=path, lacks="; ".join(replaced)
        )
    unknown = {name: value for name, value in values.items() if name not in _CHECKS}
    return Settings(**known, unknown=unknown, notice=notice)


def _parse_recent(rows: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return recent projects, leaving out what is none; other values as they are."""
    if not isinstance(rows, list):
        return rows
    names = RecentEntry._fields
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
    values["recent"] = [each._asdict() for each in settings.recent]
    values["views"] = dict(settings.views)
    values["keys"] = {name: list(keys) for name, keys in settings.keys.items()}
    text = json.dumps({**settings.unknown, **values}, ensure_ascii=True, indent=2) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, text)
    except OSError as problem:
        return _(
            "Your preferences could not be kept in {path} ({strerror}). They hold until "
            "judgetool ends."
        ).format(path=path, strerror=why_refused(problem))
    return ""


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{SETTINGS}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            sync(out.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
