"""A new project: its title, where its file stands, and its scale."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QStandardPaths

from judgetool.core.judgments import State
from judgetool.core.override import override
from judgetool.core.policy import SET_BY, place_problem, policy
from judgetool.core.scale import SCALE_PRESETS, Scale, parse_scale
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    ask,
    edit,
    grid_of,
    line_of,
    push_button,
)
from judgetool.gui.dialogs.scale_editor import ScaleEditor
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.questions import PROJECTS, Prompter
from judgetool.gui.widgets.labels import PieceView, Text
from judgetool.gui.widgets.row_parts import Piece, SquarePart, SymbolPart, TextPart
from judgetool.wording import N_, _, pgettext

SUFFIX = ".judge"
DEFAULT_PRESET = "0-3"
_TITLES = {
    "binary": N_("Relevant or not"),
    "0-3": N_("Four levels (TREC)"),
    "0-4": N_("Five levels"),
    "yandex": N_("Five levels with pFound’s probabilities"),
    "esci": N_("Shopping: exact, substitute, complement"),
    "wands": N_("Shopping: exact, partial, irrelevant"),
}
# What some file system or other does not take in a name.
_UNFIT = frozenset('<>:"/\\|?*')


@dataclass(frozen=True, slots=True)
class NewProject:
    """What is to be made.

    Attributes:
        path: the file, which does not exist.
        title: for people; may be empty.
        scale: how documents are graded.
    """

    path: Path
    title: str
    scale: Scale


def _levels(scale: Scale) -> Iterator[Piece]:
    """Yield the levels of a scale: disc and name of each."""
    disc = scaled(14)
    for place, level in enumerate(scale.levels):
        symbol = SymbolPart(scale, level.grade, State.JUDGED)
        yield Piece(SquarePart(symbol), disc, scaled(12) if place else 0)
        width = text_width(Role.META, level.shown_name) + 1
        yield Piece(TextPart(level.shown_name, Role.META, "text2"), width, scaled(5), gives=True)


def _levels_height() -> int:
    return max(line_height(Role.META), scaled(20))


def _levels_name(scale: Scale) -> str:
    return _("Levels: {names}").format(names=", ".join(level.shown_name for level in scale.levels))


class NewProjectDialog(ActDialog):
    """Asks for title, place and scale.

    Args:
        prompter: asks where the file is to stand.
        folder: where it stands unless the person says otherwise; ``None`` takes the
            documents folder.
    """

    def __init__(self, prompter: Prompter, *, folder: Path | None = None) -> None:
        super().__init__(_("New project"), verb=_("Make project"), width=820)
        self._prompter = prompter
        named = Path(policy().projects) if policy().projects else None
        self._folder = folder or named or _documents_folder()
        self._is_place_typed = False
        self._own: Scale | None = None
        self._own_line: PieceView | None = None
        self.title = self.first = self.add_field(
            pgettext("of a project", "&Title"), edit(hint="recipes")
        )
        self.place = edit()
        self.choose = push_button(_("Choose…"), self._choose_place)
        self.add_field(_("&File"), self.place, line=line_of(self.place, 1, self.choose))
        self._add_scales()
        self.body.addStretch(1)
        self.title.textChanged.connect(self._follow_title)
        self.place.textEdited.connect(self._keep_place)
        self.place.textChanged.connect(self._check)
        self._follow_title("")

    def _add_scales(self) -> None:
        self.edit = push_button(_("Edit…"), self._edit_scale)
        self.add_line(_("&Scale"), None, self.edit)
        self.edit.setAccessibleName(_("Edit the scale"))
        self.presets = Radios(dict[str, str](), None, self)
        self._grid = grid_of(16, 6, {1: 1})
        self.radios = self.presets.by_name
        for name, scale in SCALE_PRESETS.items():
            self._add_scale(name, _(_TITLES.get(name, name)), scale)
        self.radios[DEFAULT_PRESET].setChecked(True)
        self.body.addLayout(self._grid)
        if policy().scale:
            self.set_own_scale(parse_scale(policy().scale))
            remark = _("{scale} is {by} for projects that need no other.")
            said = remark.format(scale=policy().scale, by=_(SET_BY))
            self.body.addWidget(Text(said, role=Role.META, ink="text3"))

    def _add_scale(self, name: str, title: str, scale: Scale) -> PieceView:
        radio = self.presets.add(name, title)
        line = self._grid.rowCount()
        levels = PieceView(partial(_levels, scale), _levels_height, least=scaled(120))
        levels.setAccessibleName(_levels_name(scale))
        self._grid.addWidget(radio, line, 0)
        self._grid.addWidget(levels, line, 1)
        return levels

    @property
    def scale(self) -> Scale:
        """The chosen scale."""
        name = self.presets.current
        return self._own if name == "own" and self._own else SCALE_PRESETS[name or DEFAULT_PRESET]

    def set_own_scale(self, scale: Scale) -> None:
        """Offer and choose a scale that is none of the presets."""
        if scale.name in SCALE_PRESETS and SCALE_PRESETS[scale.name] == scale:
            self.radios[scale.name].setChecked(True)
            return
        self._own = scale
        if self._own_line is not None:
            self._own_line.set_pieces(partial(_levels, scale))
            self._own_line.setAccessibleName(_levels_name(scale))
        else:
            self._own_line = self._add_scale("own", _("Own levels"), scale)
        self.radios["own"].setChecked(True)

    def _edit_scale(self) -> None:
        edited = ask(ScaleEditor(self.scale), self)
        if edited is not None:
            self.set_own_scale(edited)

    def _follow_title(self, title: str) -> None:
        if not self._is_place_typed:
            name = _file_name(title or self.title.placeholderText())
            self.place.setText(str(_free(self._folder / name)))
        self._check()

    def _keep_place(self) -> None:
        self._is_place_typed = True

    def _choose_place(self) -> None:
        chosen = self._prompter.choose_place(
            _("Where the project’s file is to stand"), self._path, kinds=(PROJECTS,)
        )
        if chosen is not None:
            self._is_place_typed = True
            self.place.setText(str(chosen))

    @property
    def _path(self) -> Path:
        path = Path(self.place.text().strip()).expanduser()
        return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)

    def _check(self) -> None:
        self.show_problem(self._problem())

    def _problem(self) -> str:
        text = self.place.text().strip()
        if not text or not Path(text).name:
            return _("Say which file the project is to be.")
        path = self._path
        if not path.is_absolute():
            return _("The file needs its whole path, folder included.")
        if path.exists():
            return _("{name} stands there already. Choose another name, or open it.").format(
                name=path.name
            )
        if not path.parent.is_dir():
            return _("The folder {parent} does not exist.").format(parent=path.parent)
        return place_problem(path)

    @property
    def answer(self) -> NewProject:
        """What is to be made."""
        return NewProject(self._path, self.title.text().strip(), self.scale)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Look again whether the place is free when the window comes back."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isVisible():
            self._check()


def _documents_folder() -> Path:
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    folder = Path(place) if place else Path.home()
    return folder if folder.is_dir() else Path.home()


def _file_name(title: str) -> str:
    """Return a file name that every file system takes."""
    kept = "".join("-" if sign in _UNFIT or not sign.isprintable() else sign for sign in title)
    return (kept.strip(" .")[:80] or "project") + SUFFIX


def _free(path: Path) -> Path:
    """Return the path, or with a number where something of the name stands already."""
    candidate, number = path, 2
    while candidate.exists():
        candidate = path.with_name(f"{path.stem} {number}{path.suffix}")
        number += 1
    return candidate
