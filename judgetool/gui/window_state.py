"""Where windows stood and what was looked at: geometry, docks, splitters, last place, projects.

Only this kind of thing is kept here; preferences are in :mod:`judgetool.settings`.
Everything that cannot be read is taken as not there.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from PySide6.QtCore import QByteArray, QDate, QLocale, QRect, QSettings, QSize, Qt
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget

from judgetool.core.clock import local_moment
from judgetool.core.system import config_folder, make_private_file
from judgetool.gui.widgets.welcome import RecentProject
from judgetool.settings import Settings
from judgetool.wording import _, pgettext, spoken

FILE_NAME = "window.ini"
MAX_PLACES = 100
# What was kept of guidelines that were shown before it was kept which.
_SEEN = "1"
# What a desktop puts around a window, where it has not said so yet.
_TITLE_BAR, _FRAME = 32, 2
# So long a project is still written to, by its last backup, after it was noted how far it is.
_CLOSING_MS = 60_000


class LastPlace(NamedTuple):
    """What was looked at last, by external ids, which outlive any import.

    Attributes:
        query_id: of the query.
        document_id: of the document.
        run: name of the run that was shown; ``""`` for none.
        mode: the view; ``""`` for the usual one.
        at: when that was kept, milliseconds UTC; ``""`` for unknown.
        measure: which was explained; ``""`` for unknown.
    """

    query_id: str
    document_id: str
    run: str = ""
    mode: str = ""
    at: str = ""
    measure: str = ""


def _docks_key(window: QWidget) -> str:
    """Return what docks are kept under: where they stand depends on where lines begin."""
    is_mirrored = window.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return "docks-leftward" if is_mirrored else "docks"


class WindowState:
    """The file with the windows' states.

    Args:
        path: the file; ``None`` takes the one in the configuration folder.
        version: of the window's arrangement; a state of another version is not restored.
    """

    def __init__(self, path: Path | None = None, *, version: int = 1) -> None:
        self._version = version
        place = path or config_folder() / FILE_NAME
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            make_private_file(place)
        self._file = QSettings(str(place), QSettings.Format.IniFormat)

    def save_window(self, name: str, window: QMainWindow) -> None:
        """Keep a window's geometry and its docks."""
        self._file.setValue(f"{name}/geometry", window.saveGeometry())
        self._file.setValue(f"{name}/{_docks_key(window)}", window.saveState(self._version))

    def restore_window(self, name: str, window: QMainWindow) -> bool:
        """Put a window where it was; return whether its geometry was known."""
        is_known = self._restore(f"{name}/geometry", window.restoreGeometry)
        key = f"{name}/{_docks_key(window)}"
        self._restore(key, lambda state: window.restoreState(state, self._version))
        return is_known

    @staticmethod
    def keep_on_screen(window: QWidget, *, usual: QSize | None = None) -> None:
        """Have a window stand on its screen, whole; ``usual`` is its size where none is known."""
        if window.isMaximized() or window.isFullScreen():
            return
        available = window.screen().availableGeometry()
        wanted = window.geometry()
        if usual is not None:
            wanted.setSize(usual)
            wanted.moveCenter(available.center())
        window.setGeometry(fit_on_screen(wanted, available))

    def save_splitter(self, name: str, splitter: QSplitter) -> None:
        """Keep how a splitter is divided."""
        self._file.setValue(f"{name}/{self._version}/splitter", splitter.saveState())

    def restore_splitter(self, name: str, splitter: QSplitter) -> bool:
        """Divide a splitter as it was; return whether that was known."""
        return self._restore(f"{name}/{self._version}/splitter", splitter.restoreState)

    def _restore(self, key: str, restore: Callable[[QByteArray], bool]) -> bool:
        state = self._file.value(key)
        return isinstance(state, QByteArray) and restore(state)

    def save_place(self, where: str, place: LastPlace) -> None:
        """Keep what somebody looked at last in a file; of 100, the latest."""
        places = {key: value for key, value in self._load_places().items() if key != where}
        kept = dict(list(places.items())[-(MAX_PLACES - 1) :])
        text = json.dumps({**kept, where: list(place)}, ensure_ascii=True)
        self._file.setValue("places", text)

    def find_place(self, where: str) -> LastPlace | None:
        """Return what somebody looked at last in a file, or ``None``."""
        place = self._load_places().get(where)
        return LastPlace(*place) if place is not None else None

    def _load_places(self) -> dict[str, list[str]]:
        try:
            places = json.loads(str(self._file.value("places") or "{}"))
        except (ValueError, RecursionError):
            return {}
        if not isinstance(places, dict):
            return {}
        return {key: value for key, value in places.items() if _is_place(value)}

    def note_seen(self, uuid: str, name: str, guidelines: str) -> bool:
        """Keep that an assessor knows a project's guidelines as they are; return whether that is new."""
        key = f"guidelines/{uuid}/{quote(name, safe='')}"
        now = hashlib.sha256(guidelines.encode(errors="replace")).hexdigest()[:16]
        known = str(self._file.value(key) or "")
        self._file.setValue(key, now)
        return known not in (now, _SEEN)

    def sync(self) -> bool:
        """Write now; return whether it could be written (nothing depends on it)."""
        self._file.sync()
        return self._file.status() is QSettings.Status.NoError


def recent_projects(settings: Settings) -> list[RecentProject]:
    """Return the recent projects, last open first; each is looked for on the disk."""
    rows = []
    for entry in settings.recent:
        path = Path(entry.path)
        has_counts = entry.judged is not None and entry.total is not None
        # A killed program could not say how far it came, and others may have written since.
        has_counts = has_counts and not _is_written_since(path, entry.at)
        rows.append(
            RecentProject(
                entry.path,
                entry.title or path.stem,
                _short(path if entry.title not in ("", path.stem) else path.parent),
                (entry.judged or 0, entry.total or 0) if has_counts else None,
                when_in_words(entry.at),
                is_missing=not path.is_file(),
            )
        )
    return rows


def _is_written_since(path: Path, at_ms: int) -> bool:
    """Whether a project, or its log, was written to after a time by more than closing it takes."""
    for each in (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            if each.stat().st_mtime * 1000 > at_ms + _CLOSING_MS:
                return True
    return False


def _short(folder: Path) -> str:
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def when_in_words(at_ms: int) -> str:
    """Return ``today 14:32``, ``yesterday``, ``14 Nov`` or ``14 Nov 2025``; ``""`` if unknown."""
    moment = local_moment(at_ms) if at_ms > 0 else None
    if moment is None:
        return ""
    now = datetime.now().astimezone().date()
    if moment.date() == now:
        return _("today {time}").format(time=f"{moment:%H:%M}")
    if moment.date() == now - timedelta(days=1):
        return _("yesterday")
    # Not Python's: its month follows the locale of the process, which is left alone.
    on = QDate(moment.year, moment.month, moment.day)
    day = QLocale(spoken().code).toString(on, pgettext("a day as Qt writes it", "d MMM"))
    return day if moment.year == now.year else f"{day} {moment.year}"


def fit_on_screen(wanted: QRect, available: QRect) -> QRect:
    """Return where a window stands that shall be seen whole, with its title bar.

    Args:
        wanted: of the window without its frame.
        available: of the screen, without panels of the desktop.
    """
    most = available.adjusted(_FRAME, _TITLE_BAR, -_FRAME, -_FRAME)
    size = wanted.size().boundedTo(most.size())
    left = min(max(wanted.left(), most.left()), most.right() + 1 - size.width())
    top = min(max(wanted.top(), most.top()), most.bottom() + 1 - size.height())
    return QRect(left, top, size.width(), size.height())


def _is_place(value: object) -> bool:
    return (
        isinstance(value, list)
        and 2 <= len(value) <= len(LastPlace._fields)
        and all(isinstance(part, str) for part in value)
    )
