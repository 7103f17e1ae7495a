"""The table of actions: what can be done, in which menu, by which keys.

Menus, tooltips and the page of keys are all made from it. An action is done by the
method that carries its name: ``judge.clear`` by ``clear`` of the handler of
``judge``.
"""

from dataclasses import dataclass


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

    @property
    def group(self) -> str:
        """Which handler does it."""
        return self.name.partition(".")[0]

    @property
    def method(self) -> str:
        """The handler's method that does it."""
        return self.name.partition(".")[2]


MENUS = ("Project", "Edit", "Judge", "View", "Help")

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("project.new", "New…", ("Ctrl+N",), "Project", needs_project=False),
    ActionSpec("project.open", "Open…", ("Ctrl+O",), "Project", needs_project=False),
    ActionSpec("project.sample", "Try the sample", (), "Project", needs_project=False),
    ActionSpec("project.close", "Close project", ("Ctrl+W",), "Project"),
    ActionSpec(
        "project.import_files", "Import…", ("Ctrl+I",), "Project", "Project", starts_group=True
    ),
    ActionSpec("project.export_files", "Export…", ("Ctrl+E",), "Project", "Project"),
    ActionSpec("project.save_copy", "Save a copy…", ("Ctrl+Shift+S",), "Project"),
    ActionSpec("project.scale", "Scale…", (), "Project", starts_group=True),
    ActionSpec("project.measures", "Measures…", (), "Project"),
    ActionSpec("project.conventions", "Conventions…", (), "Project"),
    ActionSpec("project.rename", "Rename…", (), "Project"),
    ActionSpec(
        "project.quit", "Quit", ("Ctrl+Q",), "Project", needs_project=False, starts_group=True
    ),
    ActionSpec("edit.undo", "Undo", ("Ctrl+Z",), "Edit", "Grade", caption="Undo, across queries"),
    ActionSpec("edit.redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Edit", "Grade"),
    ActionSpec("edit.find", "Find in document", ("Ctrl+F",), "Edit", "Read", starts_group=True),
    ActionSpec("edit.filter", "Filter queries", ("/",), "Edit", "Move"),
    ActionSpec(
        "judge.clear",
        "Back to unjudged",
        ("Del", "Backspace"),
        "Judge",
        "Grade",
        is_judging=True,
        starts_group=True,
    ),
    ActionSpec(
        "judge.cannot",
        "Cannot judge…",
        ("X",),
        "Judge",
        "Grade",
        is_judging=True,
        caption="Cannot judge, with a reason",
    ),
    ActionSpec("judge.skip", "Skip for later", ("S",), "Judge", "Grade", is_judging=True),
    ActionSpec("judge.flag", "Flag for discussion", ("F",), "Judge", "Grade", is_judging=True),
    ActionSpec("judge.note", "Note…", ("E",), "Judge", "Grade", is_judging=True, caption="Note"),
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
    ),
    ActionSpec("judge.next_document", "Next document", ("J",), "Judge", "Move"),
    ActionSpec("judge.previous_document", "Previous document", ("K",), "Judge", "Move"),
    ActionSpec("judge.first_document", "First document", ("Home",), "Judge", "Move"),
    ActionSpec("judge.last_document", "Last document", ("End",), "Judge", "Move"),
    ActionSpec("judge.previous_query", "Previous query", ("[",), "Judge", "Move"),
    ActionSpec("judge.next_query", "Next query", ("]",), "Judge", "Move"),
    ActionSpec("judge.pool_depth", "Pool depth…", (), "Judge", starts_group=True),
    ActionSpec("judge.view", "Judgments that count…", (), "Judge"),
    ActionSpec("judge.assessor", "Assessor…", (), "Judge"),
    ActionSpec("view.read_on", "Whole text, then page down", ("Space",), "View", "Read"),
    ActionSpec(
        "view.highlights",
        "Mark query terms",
        ("H",),
        "View",
        "Read",
        is_checkable=True,
        caption="Highlights on, off",
    ),
    ActionSpec("view.larger", "Larger text", ("Ctrl++", "Ctrl+="), "View", "Read"),
    ActionSpec("view.smaller", "Smaller text", ("Ctrl+-",), "View", "Read"),
    ActionSpec("view.levels", "What each level means", ("D",), "View", "Read"),
    ActionSpec("view.need", "Whole information need", ("I",), "View", "Read"),
    ActionSpec("view.next_run", "Next run", ("R",), "View", "View", starts_group=True),
    ActionSpec("view.scores", "Scores", (), "View", is_checkable=True),
    ActionSpec("view.queries", "Queries", ("Q",), "View", "View", is_checkable=True),
    ActionSpec("view.live", "Live values", ("L",), "View", "View", is_checkable=True),
    ActionSpec(
        "view.float_queries", "Queries in a window of their own", (), "View", is_checkable=True
    ),
    ActionSpec(
        "view.float_live", "Live values in a window of their own", (), "View", is_checkable=True
    ),
    ActionSpec("view.explain", "Explain the value", ("=",), "View", "View", is_checkable=True),
    ActionSpec(
        "view.theme",
        "Light or dark",
        ("Ctrl+D",),
        "View",
        "View",
        needs_project=False,
        starts_group=True,
        caption="Light, dark",
    ),
    ActionSpec(
        "view.follow_system", "Follow the system's light or dark", (), "View", needs_project=False
    ),
    ActionSpec(
        "help.keys", "Keys", ("?", "F1"), "Help", "View", needs_project=False, caption="This page"
    ),
    ActionSpec("help.start", "Getting started", (), "Help", needs_project=False, starts_group=True),
    ActionSpec("help.measures", "Measures", (), "Help", needs_project=False),
    ActionSpec("help.formats", "File formats", (), "Help", needs_project=False),
    ActionSpec("help.changes", "What has changed", (), "Help", needs_project=False),
    ActionSpec("help.about", "About judgetool", (), "Help", needs_project=False, starts_group=True),
)

COLUMNS = ("Grade", "Move", "Read", "View", "Project")
