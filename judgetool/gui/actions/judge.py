"""The actions of the Judge menu."""

from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.modes import JUDGING_MODES

JUDGE_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "judge.clear",
        "Back to unjudged",
        ("Del", "Backspace"),
        "Judge",
        "Grade",
        is_judging=True,
        starts_group=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.cannot",
        "Cannot judge…",
        ("X",),
        "Judge",
        "Grade",
        is_judging=True,
        caption="Cannot judge, with a reason",
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.skip",
        "Skip for later",
        ("S",),
        "Judge",
        "Grade",
        is_judging=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.flag",
        "Flag for discussion",
        ("F",),
        "Judge",
        "Grade",
        is_judging=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.note",
        "Note…",
        ("E",),
        "Judge",
        "Grade",
        is_judging=True,
        caption="Note",
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.advance",
        "Move on after grading",
        ("Ctrl+M",),
        "Judge",
        "Grade",
        is_checkable=True,
        starts_group=True,
        caption="Move on after grading: on, off",
    ),
    ActionSpec(
        "judge.next_unjudged",
        "Next unjudged, anywhere",
        ("N",),
        "Judge",
        "Move",
        starts_group=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.next_document",
        "Next document",
        ("J",),
        "Judge",
        "Move",
        repeats=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.previous_document",
        "Previous document",
        ("K",),
        "Judge",
        "Move",
        repeats=True,
        modes=JUDGING_MODES,
    ),
    ActionSpec(
        "judge.first_document", "First document", ("Home",), "Judge", "Move", modes=JUDGING_MODES
    ),
    ActionSpec(
        "judge.last_document", "Last document", ("End",), "Judge", "Move", modes=JUDGING_MODES
    ),
    ActionSpec("judge.previous_query", "Previous query", ("[",), "Judge", "Move"),
    ActionSpec("judge.next_query", "Next query", ("]",), "Judge", "Move"),
    ActionSpec("judge.view", "Judgments that count…", (), "Judge", starts_group=True, reveals=True),
    ActionSpec("judge.assessor", "Assessor…", (), "Judge"),
)
