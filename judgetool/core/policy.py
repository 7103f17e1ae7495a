"""What the administrator of a machine lays down for everybody who uses judgetool on it.

One JSON file in the system's folder for configuration, read once; nobody can change it in
judgetool. Where it cannot be understood, that is said, and nothing leaves the machine: whoever
wrote it may have meant just that. What it may hold stands in :data:`_RULES`.
"""

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from judgetool.core.system import IS_MAC, IS_WINDOWS, XDG_FOLDER
from judgetool.errors import InputError, JudgetoolError, why_unreadable
from judgetool.wording import N_, _, sentence_start

FILE_NAME = "policy.json"
SET_BY = N_("set by your administrator")
"""How what is laid down is marked wherever a person meets it."""


class Policy(NamedTuple):
    """What is laid down.

    Attributes:
        blind: whether everybody judges blind.
        network: ``allowed``, or ``forbidden``: no hub, no address in a browser, no program that
            asks a model; nothing leaves the machine through judgetool.
        scale: of new projects for which nobody names another; ``""`` leaves it to judgetool.
        language: of the window and of messages, as a code; ``""`` leaves it to the person.
        projects: the folder in or below which new projects stand; ``""`` for any.
        path: the file; ``None`` where there is none.
        amiss: what of the file cannot be understood; ``""`` for nothing.
    """

    blind: bool = False
    network: str = "allowed"
    scale: str = ""
    language: str = ""
    projects: str = ""
    path: Path | None = None
    amiss: str = ""

    @property
    def is_offline(self) -> bool:
        """Whether nothing may leave the machine."""
        return self.network != "allowed"

    @property
    def notice(self) -> str:
        """A sentence where the file could not be used as it is, else ``""``."""
        if not self.amiss:
            return ""
        return _(
            "Nothing leaves this machine through judgetool: what your administrator has laid down in "
            "{path} cannot all be understood. {why}."
        ).format(path=self.path, why=self.amiss)


def _is_scale(value: Any) -> bool:  # noqa: ANN401 - whatever the file holds
    from judgetool.core.scale import parse_scale  # noqa: PLC0415 - most machines have no such file

    try:
        return isinstance(value, str) and bool(parse_scale(value))
    except JudgetoolError:
        return False


class _Rule(NamedTuple):
    expected: str
    holds: Callable[[Any], bool]


_RULES = {
    "blind": _Rule(N_("true or false"), lambda v: isinstance(v, bool)),
    "network": _Rule(N_("‘allowed’ or ‘forbidden’"), lambda v: v in ("allowed", "forbidden")),
    "scale": _Rule(N_("a scale, such as ‘0-3’"), _is_scale),
    "language": _Rule(
        N_("a language’s code, such as ‘de’"),
        lambda v: isinstance(v, str) and bool(re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?", v)),
    ),
    "projects": _Rule(
        N_("the whole path of a folder"), lambda v: isinstance(v, str) and Path(v).is_absolute()
    ),
}


def policy_paths() -> list[Path]:
    """Return where the file may be; the first that is there holds."""
    if IS_WINDOWS or IS_MAC:
        import platformdirs  # noqa: PLC0415 - elsewhere it need not be loaded for this

        return [platformdirs.site_config_path("judgetool", False) / FILE_NAME]
    # The usual place first: whoever is bound by the file may set XDG_CONFIG_DIRS.
    named = os.environ.get("XDG_CONFIG_DIRS", "").split(":")
    folders = dict.fromkeys([XDG_FOLDER, *(folder for folder in named if folder)])
    return [Path(folder) / "judgetool" / FILE_NAME for folder in folders]


@cache
def policy() -> Policy:
    """Return what is laid down on this machine, as it was when first asked for."""
    for path in policy_paths():
        try:
            text = path.read_text(encoding="utf-8")
            import json  # noqa: PLC0415 - most machines have no such file

            return _policy_of(path, json.loads(text))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as problem:
            return _broken(path, sentence_start(why_unreadable(problem)))
    return Policy()


def _policy_of(path: Path, values: Any) -> Policy:  # noqa: ANN401 - whatever the file holds
    if not isinstance(values, dict):
        return _broken(path, _("It is no JSON object, {{ … }}").format())
    good, amiss = {}, []
    for name, value in values.items():
        rule = _RULES.get(name)
        if rule is None:
            amiss.append(
                _("‘{name}’ is none of {names}").format(name=name, names=", ".join(_RULES))
            )
        elif rule.holds(value):
            good[name] = value
        else:
            expected = _(rule.expected)
            amiss.append(_("‘{name}’ must be {expected}").format(name=name, expected=expected))
    return _broken(path, "; ".join(amiss), **good) if amiss else Policy(**good, path=path)


def _broken(path: Path, why: str, **good: Any) -> Policy:  # noqa: ANN401 - as of the rules
    return Policy(**{**good, "network": "forbidden"}, path=path, amiss=why)


def check_network(what: str) -> None:
    """Refuse what would leave the machine where that is forbidden.

    Args:
        what: would leave it, as the beginning of a sentence.

    Raises:
        InputError: it is forbidden.
    """
    laid_down = policy()
    if laid_down.is_offline:
        sentence = _(
            "{what}: not on this machine. The network is forbidden to judgetool, {by} in {path}."
        )
        raise InputError(sentence.format(what=what, by=_(SET_BY), path=laid_down.path))


def place_problem(path: Path) -> str:
    """Return why a new project may not stand at a path; ``""`` where it may.

    judgetool's own data folder, where the sample is, may always be written.
    """
    from judgetool.core.system import data_folder  # noqa: PLC0415 - every command reads the rest

    folder = policy().projects
    if not folder:
        return ""
    place = Path(os.path.realpath(path.expanduser()))
    allowed = (Path(folder), data_folder())
    if any(place.is_relative_to(each.resolve()) for each in allowed):
        return ""
    return _("New projects stand in {folder} here, {by}.").format(folder=folder, by=_(SET_BY))


def check_place(path: Path) -> None:
    """Refuse to make a project where none may stand.

    Raises:
        InputError: it stands outside the folder that is laid down.
    """
    problem = place_problem(path)
    if problem:
        raise InputError(_("{path} was not made. {problem}").format(path=path, problem=problem))
