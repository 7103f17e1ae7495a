"""The actions of the Compare menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import JUDGING_MODES, Mode

_HERE = (Mode.COMPARE,)
_MENU = "Compare"

COMPARE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("compare.show", "Compare view", ("Ctrl+4",), _MENU, "Compare", reveals=True),
    ActionSpec(
        "compare.systems",
        "Systems…",
        ("Y",),
        _MENU,
        "Compare",
        modes=_HERE,
        starts_group=True,
        caption="Choose runs, what-ifs, snapshots",
    ),
    ActionSpec("compare.baseline", "Make it the baseline", ("B",), _MENU, "Compare", modes=_HERE),
    ActionSpec(
        "compare.beside", "Keep it side by side, or not", ("A",), _MENU, "Compare", modes=_HERE
    ),
    ActionSpec(
        "compare.rename", "Rename it…", ("F2",), _MENU, "Compare", modes=_HERE, caption="Rename"
    ),
    ActionSpec(
        "compare.delete",
        "Take it out of the project…",
        ("Del",),
        _MENU,
        "Compare",
        modes=_HERE,
        caption="Take it out of the project",
    ),
    ActionSpec(
        "compare.testing",
        "How differences are tested…",
        ("Shift+T",),
        _MENU,
        "Compare",
        modes=_HERE,
        caption="Test, correction, family",
    ),
    ActionSpec("compare.sort", "Order by this column", ("O",), _MENU, "Compare", modes=_HERE),
    ActionSpec(
        "compare.rankings",
        "Rankings side by side",
        ("K",),
        _MENU,
        "Compare",
        modes=_HERE,
        starts_group=True,
    ),
    ActionSpec("compare.curves", "Curves", ("C",), _MENU, "Compare", modes=_HERE),
    ActionSpec(
        "compare.explain", "Explain value and difference", ("X",), _MENU, "Compare", modes=_HERE
    ),
    ActionSpec("compare.next", "What to judge next", ("W",), _MENU, "Compare", modes=_HERE),
    ActionSpec(
        "compare.differences_first", "Differences first", ("F",), _MENU, "Compare", modes=_HERE
    ),
    ActionSpec(
        "compare.all_queries",
        "Curves of this query, or of all",
        ("U",),
        _MENU,
        "Compare",
        modes=_HERE,
    ),
    ActionSpec(
        "compare.judge",
        "Judge what is at stake",
        ("J",),
        _MENU,
        "Compare",
        is_judging=True,
        modes=_HERE,
        starts_group=True,
    ),
    ActionSpec(
        "compare.stop_judging",
        "Judge as before again",
        (),
        _MENU,
        modes=(*JUDGING_MODES, Mode.COMPARE),
    ),
    ActionSpec("compare.cancel", "Stop computing", (), _MENU, modes=_HERE),
    ActionSpec(
        "compare.moments",
        "Values as of a moment",
        ("T",),
        _MENU,
        "Compare",
        is_checkable=True,
        modes=_HERE,
        starts_group=True,
    ),
    ActionSpec(
        "compare.snapshot",
        "Snapshot…",
        ("P",),
        _MENU,
        "Compare",
        modes=_HERE,
        caption="Take a snapshot",
    ),
    ActionSpec(
        "compare.snapshots",
        "Snapshots…",
        ("Shift+P",),
        _MENU,
        "Compare",
        modes=_HERE,
        caption="Compare or delete snapshots",
    ),
    ActionSpec(
        "compare.agreement",
        "Agreement of orders…",
        ("M",),
        _MENU,
        "Compare",
        modes=_HERE,
        caption="Agreement of orders",
    ),
    ActionSpec(
        "compare.export_chart",
        "Export chart…",
        ("Shift+C",),
        _MENU,
        "Compare",
        modes=_HERE,
        starts_group=True,
        caption="Export the chart",
    ),
    ActionSpec(
        "compare.save_table",
        "Save table…",
        ("Shift+S",),
        _MENU,
        "Compare",
        modes=_HERE,
        caption="Save the table",
    ),
    ActionSpec(
        "compare.report",
        "Report…",
        ("Ctrl+Shift+R",),
        _MENU,
        "Compare",
        caption="Report",
        reveals=True,
    ),
)
