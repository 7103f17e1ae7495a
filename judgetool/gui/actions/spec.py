"""What the table says of one action."""

from dataclasses import dataclass

from judgetool.gui.modes import Mode


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing that can be done.

    Attributes:
        name: ``group.what``; also names the method that does it.
        text: for menus, without the key.
        keys: key sequences in Qt's portable spelling; the first is shown.
        menu: title of the menu it stands in; ``""`` for none.
        column: title of the column on the page of keys; ``""`` leaves it out.
        needs_project: whether it makes sense only with a project open.
        is_judging: whether it changes judgments, so that a read-only project lacks it.
        is_checkable: whether it is a switch.
        starts_group: whether a line stands above it in its menu.
        caption: shorter text for the page of keys; ``""`` uses ``text``.
        modes: the views in which it can be done; ``()`` is all of them.
        repeats: whether a key held down does it again and again.
        reveals: whether it shows what blind mode hides, so that it is closed there.
    """

    name: str
    text: str
    keys: tuple[str, ...] = ()
    menu: str = ""
    column: str = ""
    needs_project: bool = True
    is_judging: bool = False
    is_checkable: bool = False
    starts_group: bool = False
    caption: str = ""
    modes: tuple[Mode, ...] = ()
    repeats: bool = False
    reveals: bool = False

    @property
    def group(self) -> str:
        """Which handler does it."""
        return self.name.partition(".")[0]

    @property
    def method(self) -> str:
        """The handler's method that does it."""
        return self.name.partition(".")[2]
