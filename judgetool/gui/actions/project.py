"""The actions of the Project menu."""

from judgetool.gui.actions.spec import ActionSpec

PROJECT_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("project.new", "New…", ("Ctrl+N",), "Project", needs_project=False),
    ActionSpec("project.open", "Open…", ("Ctrl+O",), "Project", needs_project=False),
    ActionSpec("project.sample", "Try the sample", (), "Project", needs_project=False),
    ActionSpec(
        "project.sample_afresh", "Start the sample afresh…", (), "Project", needs_project=False
    ),
    ActionSpec("project.close", "Close project", ("Ctrl+W",), "Project"),
    ActionSpec(
        "project.import_files", "Import…", ("Ctrl+I",), "Project", "Project", starts_group=True
    ),
    ActionSpec("project.export_files", "Export…", ("Ctrl+E",), "Project", "Project"),
    ActionSpec("project.save_copy", "Save a copy…", ("Ctrl+Shift+S",), "Project"),
    ActionSpec("project.scale", "Scale…", (), "Project", starts_group=True),
    ActionSpec("project.measures", "Measures…", (), "Project"),
    ActionSpec("project.conventions", "Conventions…", (), "Project"),
    ActionSpec("project.blind", "Who must judge blind…", (), "Project"),
    ActionSpec("project.rename", "Rename…", (), "Project"),
    ActionSpec("project.pictures", "Pictures elsewhere…", (), "Project"),
    ActionSpec("project.safety", "Safety copies…", (), "Project", starts_group=True),
    ActionSpec("repair.check", "Check & repair…", (), "Project", needs_project=False),
    ActionSpec("repair.restore", "Restore a backup…", (), "Project", needs_project=False),
    ActionSpec("repair.recover", "Recover…", (), "Project", needs_project=False),
    ActionSpec(
        "project.quit", "Quit", ("Ctrl+Q",), "Project", needs_project=False, starts_group=True
    ),
)
