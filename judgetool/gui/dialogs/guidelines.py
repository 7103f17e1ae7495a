"""The guidelines on a sheet over the window."""

from PySide6.QtWidgets import QScrollArea, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.fonts import scaled
from judgetool.gui.panels.focus_side import NO_GUIDELINES, MarkdownText
from judgetool.session.aids.guidelines import find_guidelines
from judgetool.session.session import Session


class GuidelinesDialog(ActDialog):
    """The project's guidelines, and the query's below them."""

    def __init__(
        self, session: Session, query: int | None, *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Guidelines", verb="Back to judging", parent=parent)
        self.cancel.hide()
        parts = [find_guidelines(session)]
        if query is not None:
            parts.append(find_guidelines(session, query))
        self.text = MarkdownText()
        self.text.show_markdown("\n\n".join(part for part in parts if part) or NO_GUIDELINES)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setMinimumHeight(scaled(280))
        area.setWidget(self.text)
        # Qt gives a scrolled widget a ground of its own.
        self.text.setAutoFillBackground(False)
        area.viewport().setAutoFillBackground(False)
        self.body.addWidget(area)

    @classmethod
    def show_over(cls, parent: QWidget, session: Session, query: int | None) -> None:
        """Show the sheet over a window until it is closed."""
        cls(session, query, parent=parent).is_answered()
