"""The handlers of filters, queue, judging many and material by hand, as the table names them."""

from judgetool.gui.first_guidelines import GuidelinesOnce
from judgetool.gui.frame import Frame
from judgetool.gui.handlers.filter import FilterHandler
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.material import MaterialHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.handlers.queue import QueueHandler


def make_judging_aids(
    window: Frame, project: ProjectHandler, judge: JudgeHandler
) -> dict[str, object]:
    """Return the handlers by group.

    Args:
        window: the main window, its panels made.
        project: changes the project's own values.
        judge: gives grades and answers banners.
    """
    GuidelinesOnce(window)
    return {
        "filter": FilterHandler(window, project),
        "queue": QueueHandler(window, project, judge),
        "material": MaterialHandler(window, project),
    }
