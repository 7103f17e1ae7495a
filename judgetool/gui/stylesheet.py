"""The one style sheet: Fusion's own borders are too faint, everything else is palette.

It names colours only by the theme's tokens (``$line_strong``) and images by key
(``$image_check``). Item views get no rules: their delegates paint.
"""

from collections.abc import Mapping
from string import Template

_SHEET = Template("""
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: $base; color: $text; border: 1px solid $line_strong; border-radius: 6px;
    padding: 3px 8px; min-height: ${line}px;
    selection-background-color: $accent; selection-color: $on_accent;
}
QPlainTextEdit, QTextEdit { selection-background-color: $accent; selection-color: $on_accent; }
QPlainTextEdit[framed="true"], QTextEdit[framed="true"] {
    background: $base; border: 1px solid $line_strong; border-radius: 6px; padding: 3px;
}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus,
QPlainTextEdit[framed="true"]:focus, QTextEdit[framed="true"]:focus {
    border: 2px solid $accent; padding: 2px 7px;
}
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    color: $disabled; background: $panel;
}
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit, QComboBox QLineEdit {
    border: 0; padding: 0; background: transparent; min-height: 0;
}
QSpinBox, QDoubleSpinBox { padding: 3px 20px 3px 0; }
QSpinBox:focus, QDoubleSpinBox:focus { padding: 2px 19px 2px 0; }
QComboBox { padding-right: 2px; combobox-popup: 0; }
QComboBox:focus { padding-right: 1px; }
QComboBox::drop-down { border: 0; width: 22px; subcontrol-position: center right; }
QComboBox::down-arrow { image: url("$image_chevron_down"); width: 14px; height: 14px; }
QComboBox QAbstractItemView {
    background: $raised; border: 1px solid $line_strong; padding: 4px; outline: 0;
    selection-background-color: $selected; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: ${row}px; padding: 0 6px; }
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::down-button {
    border: 0; width: 18px; background: transparent;
}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
    image: url("$image_chevron_up"); width: 11px; height: 11px;
}
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
    image: url("$image_chevron_down"); width: 11px; height: 11px;
}
QPushButton {
    background: $base; color: $text; border: 1px solid $line_strong; border-radius: 6px;
    padding: 3px 12px; min-height: ${line}px; font-weight: 500;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $sunken; }
QPushButton:focus { border: 2px solid $accent; padding: 2px 11px; }
QPushButton:disabled { color: $disabled; background: $panel; border-color: $line; }
QPushButton:default, QPushButton[main="true"] {
    background: $accent; color: $on_accent; border: 1px solid $accent;
}
QPushButton:default:hover, QPushButton[main="true"]:hover {
    background: $accent_hover; border-color: $accent_hover;
}
QPushButton:default:focus, QPushButton[main="true"]:focus {
    border: 2px solid $text; padding: 2px 11px;
}
QPushButton:default:disabled, QPushButton[main="true"]:disabled {
    background: $sunken; color: $disabled; border-color: $line;
}
QPushButton:flat { background: transparent; border-color: transparent; font-weight: 400; }
QPushButton:flat:hover { background: $sunken; }
QPushButton:flat:focus { border-color: $accent; }
QToolButton {
    background: transparent; color: $text2; border: 1px solid transparent; border-radius: 6px;
    padding: 3px;
}
QToolButton:hover { background: $hover; color: $text; }
QToolButton:pressed, QToolButton:checked { background: $sunken; color: $text; }
QToolButton:focus { border: 2px solid $accent; padding: 2px; }
QToolButton:disabled { color: $disabled; }
QToolButton[framed="true"] { background: $base; border: 1px solid $line_strong; }
QToolButton[framed="true"]:focus { border: 2px solid $accent; }
QToolButton::menu-indicator { image: none; }
QCheckBox, QRadioButton { spacing: 8px; color: $text; }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QCheckBox::indicator, QRadioButton::indicator {
    width: 14px; height: 14px; background: $base; border: 1px solid $line_strong;
}
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { background: $hover; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid $accent; }
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: url("$image_check");
}
QCheckBox::indicator:indeterminate {
    background: $accent; border-color: $accent; image: url("$image_minus");
}
QRadioButton::indicator:checked {
    background: $accent; border-color: $accent; image: url("$image_dot");
}
QCheckBox::indicator:checked:focus, QRadioButton::indicator:checked:focus {
    border: 2px solid $text;
}
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $line; }
QMenuBar {
    background: $window; color: $text; padding: 5px 3px; border: 0;
    border-bottom: 1px solid $line;
}
QMenuBar::item { background: transparent; padding: 6px 9px; border-radius: 6px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $sunken; }
QMenuBar::item:disabled { color: $disabled; }
QMenu { background: $raised; color: $text; border: 1px solid $line_strong; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 28px; border-radius: 5px; min-height: ${line}px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu::indicator { width: 14px; height: 14px; left: 8px; }
QMenu::indicator:checked { image: url("$image_menu_check"); }
QMenu::right-arrow { image: url("$image_chevron_right"); width: 12px; height: 12px; right: 8px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line_strong; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QHeaderView { background: $panel; border: 0; }
QHeaderView::section {
    background: $panel; color: $text3; border: 0; border-bottom: 1px solid $line;
    padding: 4px 8px; font-weight: 500;
}
QHeaderView::section:hover { color: $text; }
QToolTip {
    background: $raised; color: $text; border: 1px solid $line_strong; padding: 4px 6px;
}
QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $accent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QDockWidget { color: $text; font-weight: 600; }
QDockWidget::title { background: $panel; padding: 8px 12px; border: 0; }
QProgressBar {
    background: $sunken; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px;
}
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QStatusBar { background: $window; border: 0; }
QStatusBar::item { border: 0; }
QDialog { background: $raised; }
QTabBar::tab { background: transparent; color: $text2; padding: 6px 12px; border: 0; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabWidget::pane { border: 0; border-top: 1px solid $line; }
""")


def build_stylesheet(
    colours: Mapping[str, str], *, images: Mapping[str, str], line: int = 18
) -> str:
    """Return the style sheet of a theme.

    Args:
        colours: every token's name with its ``#rrggbb``.
        images: key of each image with the path of its file.
        line: height of a line of the interface font, in px: controls are no lower.

    Raises:
        KeyError: the sheet names a token or image that is not given.
    """
    paths = {f"image_{key}": path for key, path in images.items()}
    return _SHEET.substitute(colours, line=line, row=line + 6, **paths)
