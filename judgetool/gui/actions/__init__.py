"""The table of actions: what can be done, in which menu, by which keys.

Menus, tooltips and the page of keys are all made from it; each menu has a module. An
action is done by the method that carries its name: ``judge.clear`` by ``clear`` of
the handler of ``judge``.
"""

from judgetool.gui.actions.compare import COMPARE_ACTIONS
from judgetool.gui.actions.edit import EDIT_ACTIONS
from judgetool.gui.actions.filter import FILTER_ACTIONS
from judgetool.gui.actions.flow import FLOW_ACTIONS
from judgetool.gui.actions.help import HELP_ACTIONS
from judgetool.gui.actions.judge import JUDGE_ACTIONS
from judgetool.gui.actions.material import MATERIAL_ACTIONS
from judgetool.gui.actions.project import PROJECT_ACTIONS
from judgetool.gui.actions.queue import QUEUE_ACTIONS
from judgetool.gui.actions.read import READ_ACTIONS
from judgetool.gui.actions.spec import ActionSpec
from judgetool.gui.actions.view import VIEW_ACTIONS
from judgetool.gui.actions.whatif import WHATIF_ACTIONS

__all__ = ["ACTIONS", "COLUMNS", "MENUS", "ActionSpec"]

MENUS = ("Project", "Edit", "Judge", "Read", "View", "What-if", "Compare", "Help")
COLUMNS = ("Grade", "Move", "Read", "View", "What-if", "Compare", "Project")
ACTIONS: tuple[ActionSpec, ...] = (
    # Quit stands last.
    *PROJECT_ACTIONS[:-1],
    *MATERIAL_ACTIONS,
    *PROJECT_ACTIONS[-1:],
    *EDIT_ACTIONS,
    *FILTER_ACTIONS,
    *JUDGE_ACTIONS,
    *QUEUE_ACTIONS,
    *FLOW_ACTIONS,
    *READ_ACTIONS,
    *VIEW_ACTIONS,
    *WHATIF_ACTIONS,
    *COMPARE_ACTIONS,
    *HELP_ACTIONS,
)
