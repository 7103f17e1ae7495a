"""The projects on the welcome page, as they are now."""

from datetime import date, datetime, timedelta
from pathlib import Path

from judgetool.gui.widgets.recent_list import RecentProject
from judgetool.settings import Settings


def recent_projects(settings: Settings) -> list[RecentProject]:
    """Return the recent projects, last open first; each is looked for on the disk."""
    rows = []
    for entry in settings.recent:
        path = Path(entry.path)
        has_counts = entry.judged is not None and entry.total is not None
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


def _short(folder: Path) -> str:
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def when_in_words(at_ms: int, *, today: date | None = None) -> str:
    """Return ``today 14:32``, ``yesterday``, ``14 Nov`` or ``14 Nov 2025``; ``""`` if unknown."""
    if at_ms <= 0:
        return ""
    moment = datetime.fromtimestamp(at_ms / 1000).astimezone()
    now = today or datetime.now().astimezone().date()
    if moment.date() == now:
        return f"today {moment:%H:%M}"
    if moment.date() == now - timedelta(days=1):
        return "yesterday"
    day = f"{moment.day} {moment:%b}"
    return day if moment.year == now.year else f"{day} {moment.year}"
