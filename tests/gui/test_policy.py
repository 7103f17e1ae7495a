"""What the administrator lays down is seen in the window, and cannot be changed there."""

from judgetool.gui.dialogs.new_project import NewProjectDialog
from judgetool.gui.dialogs.preferences import PreferencesDialog
from judgetool.settings import load_settings
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import lay_sample
from tests.helpers.fake_prompter import FakePrompter

MARK = " (set by your administrator)"


def text_of(window, name):
    return window.actions_by_name.action(name).text()


def test_everybody_judges_blind_where_that_is_laid_down(qtbot, tmp_path, lay_down):
    """The key says who has set it; the preferences and the menu do, and keep what was preferred."""
    lay_sample(tmp_path / "recipes.judge")
    lay_down(blind=True, language="de")
    with opened_window(qtbot, tmp_path / "recipes.judge") as window:
        assert window.flow_handler.blindness.is_on
        assert not window.live.isVisible()
        press(qtbot, window, "b")
        assert window.flow_handler.blindness.is_on
        assert window.status.message.text == "Blind mode is set by your administrator."
        assert text_of(window, "flow.blind") == f"Blind mode{MARK}"
        assert "set by your administrator" in window.blind_button.toolTip()
        dialog = PreferencesDialog(window.settings)
        qtbot.addWidget(dialog)
        field = dialog.fields["is_blind"]
        assert (field.isEnabled(), field.isChecked(), "is_blind" in dialog.chosen) == (
            False,
            True,
            False,
        )
        assert not load_settings().is_blind
        assert not dialog.fields["language"].isEnabled()


def test_nothing_leaves_the_window_where_the_network_is_forbidden(qtbot, tmp_path, lay_down):
    """No hub is offered, no address opened; a copy of the address stays on the machine."""
    lay_sample(tmp_path / "recipes.judge")
    lay_down(network="forbidden")
    with opened_window(qtbot, tmp_path / "recipes.judge") as window:
        hub = window.actions_by_name.action("hub.show")
        assert (hub.isEnabled(), hub.text()) == (False, f"Team hub…{MARK}")
        window.prompter = FakePrompter(answers=[None])
        window.actions_by_name.action("read.address").trigger()
        assert window.prompter.asked == [("Copy this address?", ("Copy it",))]
        lines = window.context_menus._copies()
        assert (f"Open address…{MARK}", False) in [line[:2] for line in lines if line]


def test_a_broken_file_is_said_when_the_window_opens(qtbot, lay_down):
    """And the hub is closed."""
    lay_down("{")
    with opened_window(qtbot) as window:
        said = window.status.message.text
        assert said.startswith("Nothing leaves this machine through judgetool: ")
        assert not window.actions_by_name.action("hub.show").isEnabled()


def test_a_new_project_begins_with_scale_and_folder_that_are_laid_down(qtbot, tmp_path, lay_down):
    """Another scale can be chosen; another folder is refused below the fields."""
    folder = tmp_path / "lab"
    folder.mkdir()
    lay_down(scale="0-4", projects=str(folder))
    dialog = NewProjectDialog(FakePrompter())
    qtbot.addWidget(dialog)
    assert dialog.scale.name == "0-4"
    assert dialog.answer.path.parent == folder
    assert dialog.verb.isEnabled()
    dialog.place.setText(str(tmp_path / "elsewhere.judge"))
    assert not dialog.verb.isEnabled()
    assert "set by your administrator" in dialog.remark.text()
