"""What each level of the scale means: a sheet that the next key takes away."""

from PySide6.QtWidgets import QGridLayout, QWidget

from judgetool.core.scale import Scale, format_grade
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.dialogs.scale_rows import ChipView
from judgetool.gui.fonts import Role
from judgetool.gui.grade_style import scale_styles
from judgetool.gui.theme import current_theme


class LevelDefinitions(ActDialog):
    """The levels, highest first: chip, name, definition."""

    def __init__(self, scale: Scale, *, parent: QWidget | None = None) -> None:
        super().__init__("What each level means", verb="Back to judging", parent=parent)
        self.cancel.hide()
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(14)
        grid.setColumnStretch(2, 1)
        styles = scale_styles(scale, current_theme())
        for line, (level, style) in enumerate(
            zip(reversed(scale.levels), reversed(styles), strict=True)
        ):
            chip = ChipView()
            chip.set_style(style)
            relevant = "relevant" if level.grade >= scale.relevant_from else "not relevant"
            grid.addWidget(chip, line, 0)
            grid.addWidget(Text(level.name, role=Role.UI_STRONG), line, 1)
            text = level.definition or "No definition is given."
            grid.addWidget(
                Text(f"{text} Counts as {relevant}; gain {format_grade(level.gain)}.", ink="text2"),
                line,
                2,
            )
        self.body.addLayout(grid)
        self.body.addStretch(1)

    @classmethod
    def show_over(cls, parent: QWidget, scale: Scale) -> None:
        """Show the sheet over a window until it is closed."""
        cls(scale, parent=parent).is_answered()
