"""A new project: its title, where its file stands, and its scale."""

from collections.abc import Iterator
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QStandardPaths
from PySide6.QtWidgets import QWidget

from judgetool.core import override
from judgetool.core.judgments import State
from judgetool.core.policy import SET_BY, place_problem, policy
from judgetool.core.scale import SCALE_PRESETS, Level, Scale, parse_scale
from judgetool.gui.dialogs import PROJECTS
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    ask,
    edit,
    field_label,
    line_of,
    push_button,
)
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.dialogs.scale_editor import OWN, ScaleEditor, title_of_preset
from judgetool.gui.theme import Role, line_height, scaled, text_width
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import Piece, PieceView, SquarePart, SymbolPart, Text, TextPart
from judgetool.gui.widgets.painted import announce_later, clear_layout, in_column
from judgetool.wording import _, pgettext

SUFFIX = ".judge"
DEFAULT_PRESET = "0-3"
# What some file system or other does not take in a name.
_UNFIT = frozenset('<>:"/\\|?*')


class NewProject(NamedTuple):
    """What is to be made.

    Attributes:
        path: the file, which does not exist.
        title: for people; may be empty.
        scale: how documents are graded.
    """

    path: Path
    title: str
    scale: Scale


def _level_pieces(scale: Scale, level: Level) -> Iterator[Piece]:
    """Yield disc and name of a level."""
    yield Piece(SquarePart(SymbolPart(scale, level.grade, State.JUDGED)), scaled(14))
    width = text_width(Role.META, level.shown_name) + 1
    yield Piece(TextPart(level.shown_name, Role.META, "text2"), width, scaled(5), gives=True)


def _level_height() -> int:
    return max(line_height(Role.META), scaled(20))


class _Levels(QWidget):
    """The levels of a scale beside each other, on as many lines as their names need."""

    def __init__(self, scale: Scale) -> None:
        super().__init__()
        self._flow = FlowLayout(self, gap=scaled(12))
        self._flow.setContentsMargins(scaled(24), 0, 0, 0)
        self.show_scale(scale)

    def show_scale(self, scale: Scale) -> None:
        """Show others."""
        clear_layout(self._flow)
        for level in scale.levels:
            shown = PieceView(partial(_level_pieces, scale, level), _level_height, least=scaled(60))
            shown.setAccessibleName(level.shown_name)
            self._flow.addWidget(shown)
        names = ", ".join(level.shown_name for level in scale.levels)
        self.setAccessibleName(_("Levels: {names}").format(names=names))


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
        self._own_line: _Levels | None = None
        self.title = self.add_field(pgettext("of a project", "&Title"), edit(hint="recipes"))
        # Else the example is heard as what stands there.
        self.title.setAccessibleDescription(_("Example: {text}").format(text="recipes"))
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
        self.add_line(field_label(_("&Scale"), self.edit), None, self.edit)
        self.edit.setAccessibleName(_("Edit the scale"))
        self.presets = Radios(dict[str, str](), None, self)
        self._scales = in_column(spacing=4)
        self.radios = self.presets.by_name
        for name, scale in SCALE_PRESETS.items():
            self._add_scale(name, title_of_preset(name), scale)
        self.radios[DEFAULT_PRESET].setChecked(True)
        self.body.addLayout(self._scales)
        if policy().scale:
            self.set_own_scale(parse_scale(policy().scale))
            remark = _("{scale} is {by} for projects that need no other.")
            said = remark.format(scale=policy().scale, by=_(SET_BY))
            self.body.addWidget(Text(said, role=Role.META, ink="text3"))

    def _add_scale(self, name: str, title: str, scale: Scale) -> _Levels:
        levels, radio = _Levels(scale), self.presets.add(name, title)
        radio.setAccessibleDescription(levels.accessibleName())
        self._scales.addWidget(radio)
        self._scales.addWidget(levels)
        return levels

    @property
    def scale(self) -> Scale:
        """The chosen scale."""
        name = self.presets.current
        return self._own if name == OWN and self._own else SCALE_PRESETS[name or DEFAULT_PRESET]

    def set_own_scale(self, scale: Scale) -> None:
        """Offer and choose a scale that is none of the presets."""
        if scale.name in SCALE_PRESETS and SCALE_PRESETS[scale.name] == scale:
            self.radios[scale.name].setChecked(True)
            return
        self._own = scale
        if self._own_line is not None:
            self._own_line.show_scale(scale)
            self.radios[OWN].setAccessibleDescription(self._own_line.accessibleName())
        else:
            before = list(self.radios.values())[-1]
            self._own_line = self._add_scale(OWN, title_of_preset(OWN), scale)
            # What comes later would be reached after the foot.
            QWidget.setTabOrder(before, self.radios[OWN])
        self.middle.bring_into_view(self._own_line)
        self.radios[OWN].setChecked(True)

    def _edit_scale(self) -> None:
        edited = ask(ScaleEditor(self.scale), self)
        if edited is not None:
            self.set_own_scale(edited)
            names = ", ".join(level.shown_name for level in edited.levels)
            announce_later(self, _("Levels: {names}").format(names=names))

    def _follow_title(self, title: str) -> None:
        if not self._is_place_typed:
            name = _file_name(title or self.title.placeholderText())
            self.place.setText(str(_free(self._folder / name)))

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
    others = (path.with_name(f"{path.stem} {number}{path.suffix}") for number in count(2))
    return next(each for each in chain([path], others) if not each.exists())
