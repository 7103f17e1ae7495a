"""The actions of the What-if menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import Mode

_HERE = (Mode.WHATIF,)
_MENU = "What-if"

WHATIF_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("whatif.show", "What-if view", ("Ctrl+3",), _MENU, "What-if", reveals=True),
    ActionSpec("whatif.new", "New what-if…", (), _MENU, starts_group=True, reveals=True),
    ActionSpec("whatif.fuse_runs", "New what-if of two runs fused…", (), _MENU, reveals=True),
    ActionSpec("whatif.rename", "Rename…", (), _MENU, modes=_HERE),
    ActionSpec("whatif.copy", "Copy…", (), _MENU, modes=_HERE),
    ActionSpec("whatif.note", "Note on the what-if…", (), _MENU, modes=_HERE),
    ActionSpec("whatif.delete", "Delete what-if", (), _MENU, modes=_HERE),
    ActionSpec(
        "whatif.up",
        "One rank up",
        ("Alt+Up",),
        _MENU,
        "What-if",
        modes=_HERE,
        starts_group=True,
        repeats=True,
    ),
    ActionSpec(
        "whatif.down", "One rank down", ("Alt+Down",), _MENU, "What-if", modes=_HERE, repeats=True
    ),
    ActionSpec("whatif.to_top", "To the top", ("T",), _MENU, "What-if", modes=_HERE),
    ActionSpec(
        "whatif.to_rank", "To rank…", ("M",), _MENU, "What-if", modes=_HERE, caption="To a rank"
    ),
    ActionSpec(
        "whatif.swap",
        "Swap with rank…",
        ("W",),
        _MENU,
        "What-if",
        modes=_HERE,
        caption="Swap with a rank",
    ),
    ActionSpec("whatif.pin", "Pin, or let go", ("P",), _MENU, "What-if", modes=_HERE),
    ActionSpec("whatif.remove", "Take out", ("Del",), _MENU, "What-if", modes=_HERE),
    ActionSpec(
        "whatif.insert",
        "Insert a document…",
        ("Ins",),
        _MENU,
        "What-if",
        modes=_HERE,
        caption="Insert a document",
    ),
    ActionSpec(
        "whatif.clear_assumed",
        "Assume no grade",
        ("Backspace",),
        _MENU,
        "What-if",
        modes=_HERE,
    ),
    ActionSpec(
        "whatif.sort_by_grade",
        "Sort by grade",
        ("O",),
        _MENU,
        "What-if",
        modes=_HERE,
        starts_group=True,
    ),
    ActionSpec("whatif.take_order", "Order of another run…", (), _MENU, modes=_HERE),
    ActionSpec("whatif.fuse", "Fuse with another run…", (), _MENU, modes=_HERE),
    ActionSpec("whatif.rules", "Boost rules…", (), _MENU, modes=_HERE),
    ActionSpec(
        "whatif.undo_move",
        "Undo move",
        ("U",),
        _MENU,
        "What-if",
        modes=_HERE,
        starts_group=True,
        caption="Undo the last move of this query",
    ),
    ActionSpec("whatif.start_again", "Start this query again", (), _MENU, modes=_HERE),
    ActionSpec("whatif.against", "Compare with…", (), _MENU, starts_group=True, reveals=True),
    ActionSpec("whatif.export", "Export as run…", (), _MENU, modes=_HERE),
)
