"""How everything looks: the fonts, the four themes with every colour, and how they reach Qt.

Nothing else in the program holds a colour literal. Widgets and delegates ask
:func:`current_theme` while they paint, and again on ``QEvent.Type.PaletteChange``.

Fonts are relative to the system's interface font, which is 13 px on most desktops. Where that would
be DejaVu (a bare Linux), Inter is taken when it is installed: DejaVu runs 7.5 % wider.

Sources of the arithmetic on colours: WCAG 2.2 (relative luminance, contrast ratio); Björn Ottosson,
"A perceptual color space for image processing" (2020).
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache, lru_cache
from pathlib import Path
from string import Template
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetrics,
    QGuiApplication,
    QPalette,
)
from PySide6.QtWidgets import QApplication

from judgetool.core.system import data_folder, make_private_folder
from judgetool.errors import ResourceMissingError
from judgetool.resources import resource_path
from judgetool.settings import Settings

_SHEET = Template("""
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: $base; color: $text; border: 1px solid $line_strong; border-radius: 6px;
    padding: 3px 8px; min-height: ${text_line}px;
    selection-background-color: $accent; selection-color: $on_accent;
}
QPlainTextEdit, QTextEdit { selection-background-color: $accent; selection-color: $on_accent; }
QAbstractScrollArea[framed="true"] {
    background: $base; border: 1px solid $line_strong; border-radius: 6px; padding: 3px;
}
QAbstractItemView[framed="true"]:focus { border: 2px solid $accent; padding: 2px; }
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
QComboBox::drop-down { border: 0; width: ${drop}px; subcontrol-position: center right; }
QComboBox::down-arrow {
    image: url("$image_chevron_down"); width: ${box}px; height: ${box}px;
}
QComboBox QAbstractItemView {
    background: $raised; border: 1px solid $line_strong; padding: 4px; outline: 0;
    selection-background-color: $selected; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: ${row}px; padding: 0 6px; }
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::down-button {
    border: 0; width: 18px; background: transparent;
}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
    image: url("$image_chevron_up"); width: ${small}px; height: ${small}px;
}
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
    image: url("$image_chevron_down"); width: ${small}px; height: ${small}px;
}
QPushButton {
    background: $base; color: $text; border: 1px solid $line_strong; border-radius: 6px;
    padding: 3px 12px; min-height: ${text_line}px; font-weight: 500;
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
    border: 3px double $on_accent; padding: 1px 10px;
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
QToolButton#qt_menubar_ext_button { padding: 0px; }
QToolButton, QPushButton, QComboBox { icon-size: ${icon}px; }
QCheckBox, QRadioButton { spacing: 8px; color: $text; }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QCheckBox::indicator, QRadioButton::indicator {
    width: ${box}px; height: ${box}px; background: $base; border: 1px solid $line_strong;
    margin: 1px;
}
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: ${round}px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { background: $hover; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid $accent; margin: 0; }
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
QMenuBar::item { background: transparent; padding: 6px ${menu_side}px; border-radius: 6px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $sunken; }
QMenuBar::item:disabled { color: $disabled; }
QMenu { background: $raised; color: $text; border: 1px solid $line_strong; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 28px; border-radius: 5px; min-height: ${text_line}px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu::indicator { width: ${box}px; height: ${box}px; left: 8px; }
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
QAbstractScrollArea::corner { background: transparent; border: none; }
QHeaderView { background: $panel; border: 0; }
QHeaderView::section {
    background: $panel; color: $text3; border: 0; border-bottom: 1px solid $line;
    padding: 4px 8px;
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
QSlider { min-height: ${knob_slider}px; }
QSlider::groove:horizontal, QSlider::sub-page:horizontal {
    background: $sunken; height: 4px; border-radius: 2px; margin: 0 ${knob_focus}px;
}
QSlider::sub-page:horizontal { background: $accent; margin: 0 ${knob}px 0 ${knob_focus}px; }
QSlider::handle:horizontal {
    background: $base; border: 1px solid $accent; border-radius: ${knob}px;
    width: ${knob_width}px; margin: -${knob_over}px -${knob}px;
}
QSlider::handle:horizontal:focus {
    border: 3px solid $accent; border-radius: ${knob_focus}px; margin: -${knob}px -${knob_focus}px;
}
QSlider::handle:horizontal:disabled { border-color: $disabled; }
QStatusBar { background: $window; border: 0; }
QStatusBar::item { border: 0; }
QDialog { background: $raised; }
QLabel[ink="text2"] { color: $text2; }
QTabBar::tab { background: transparent; color: $text2; padding: 6px 12px; border: 0; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { border: 2px solid $accent; border-radius: 6px; padding: 4px 10px 6px 10px; }
QTabWidget::pane { border: 0; border-top: 1px solid $line; }
""")


@dataclass(frozen=True, eq=False, slots=True)
class Theme:
    """All colours of one appearance. The ``QColor`` values are shared: copy before changing one.

    Attributes:
        name: ``light``, ``dark``, ``light-contrast`` or ``dark-contrast``.
        window: top line, status line.
        panel: docks, grade bar.
        base: lists, cards, document, fields.
        raised: menus, dialogs, tooltips.
        hover: row under the pointer.
        selected: current row.
        selected_unfocused: current row of a list without the keyboard.
        sunken: tracks, segmented switch.
        text: primary ink; ``text2`` secondary, ``text3`` labels.
        disabled: ink of what is disabled only.
        line: separators; decoration, never the only boundary.
        line_strong: borders of fields, buttons, key caps.
        accent: focus, selection, progress, main button; ``accent_hover`` under the pointer.
        on_accent: text on accent.
        good: change for the better; ``warn`` doubtful; ``bad`` worse; each with its ground.
        link: addresses, rationale.
        marks: grounds of query terms, rationales and own term sets, six of them.
        mark_lines: the 1 px lines under the marks.
        find: ground of the current match.
        ramp: the six grade inks, lowest level first.
        chip_share: how much of its ink a chip's ground takes, 0 to 1.
        scrim: what lies over the window under the keyboard overlay, with its alpha.
        sepia_page: a page colour of the document, with its text, text2 and line.
    """

    name: str
    window: QColor
    panel: QColor
    base: QColor
    raised: QColor
    hover: QColor
    selected: QColor
    selected_unfocused: QColor
    sunken: QColor
    text: QColor
    text2: QColor
    text3: QColor
    disabled: QColor
    line: QColor
    line_strong: QColor
    accent: QColor
    accent_hover: QColor
    on_accent: QColor
    good: QColor
    warn: QColor
    bad: QColor
    good_ground: QColor
    warn_ground: QColor
    bad_ground: QColor
    link: QColor
    marks: tuple[QColor, ...]
    mark_lines: tuple[QColor, ...]
    find: QColor
    ramp: tuple[QColor, ...]
    chip_share: float
    scrim: QColor
    sepia_page: QColor
    sepia_text: QColor
    sepia_text2: QColor
    sepia_line: QColor

    @property
    def is_dark(self) -> bool:
        """Whether text is light on dark."""
        return self.name.startswith("dark")

    @property
    def is_high(self) -> bool:
        """Whether it is of high contrast: text 7:1, borders, focus and grades 4.5:1."""
        return self.name.endswith("-contrast")

    @property
    def grounds(self) -> tuple[QColor, ...]:
        """Every ground that text and grade inks may stand on."""
        return (
            self.window,
            self.panel,
            self.base,
            self.raised,
            self.hover,
            self.selected,
            self.selected_unfocused,
        )

    @property
    def bar_possible(self) -> QColor:
        """The light part of a bar: what the unjudged could still add."""
        return mixed(self.sunken, self.accent, 0.38)

    def chip_ground(self, ink: QColor) -> QColor:
        """Return the ground of a chip whose disc has this ink."""
        return mixed(self.base, ink, self.chip_share)

    def colour_names(self) -> dict[str, str]:
        """Return every single colour by its token's name, as ``#rrggbb``."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value.name() for name, value in values if isinstance(value, QColor)}


_COLOURS = """
window              #eeeef1   #151619   #ececf0   #000000
panel               #f7f7f9   #1a1b1f   #f6f6f9   #08090b
base                #ffffff   #202126   #ffffff   #0d0e11
raised              #ffffff   #2a2b31   #ffffff   #16171b
hover               #f1f1f5   #292a30   #eeeef4   #1d1f24
selected            #ebe8fb   #332f52   #eeebff   #231d45
selected_unfocused  #e7e7ec   #303138   #ececf0   #22242a
sunken              #e3e4e9   #34363e   #e0e1e8   #2a2d34
text                #1b1c20   #e7e8ec   #000000   #ffffff
text2               #474a53   #bcbfc8   #31333a   #d4d7df
text3               #5f636d   #a0a4af   #42454d   #bcbfc8
disabled            #9a9da6   #666a74   #61646e   #90949e
line                #dfe0e6   #303239   #767a85   #767b88
line_strong         #7c808b   #7b808c   #5a5d67   #989da9
accent              #5a43c8   #b1a4ff   #462ba8   #c1b5ff
accent_hover        #4b36b0   #c4baff   #381e91   #d4cbff
on_accent           #ffffff   #17131f   #ffffff   #0d0a14
good                #0f6b4f   #5fd0a4   #004f36   #67d1a7
warn                #855500   #e3b04f   #673b00   #e6b55b
bad                 #b3301c   #ff9078   #8e0c00   #ffa78f
good_ground         #e2f3ec   #1d3a30   #e6f6ef   #0c2a1d
warn_ground         #fbf0d9   #3d321b   #fdf4de   #2b230d
bad_ground          #fbe9e5   #45271f   #fdeeea   #331912
link                #1f5fae   #8fbcf5   #00448c   #96c1f7
marks #fdf0c2,#cfeedd,#cfe6fb,#f7d9ea,#e4dcfa,#fbdccd #463a17,#1f4c38,#1f4565,#572a47,#3d3169,#5a3020
    #fdf0c2,#cfeedd,#cfe6fb,#f7d9ea,#e4dcfa,#fbdccd #463a17,#1f4c38,#1f4565,#572a47,#3d3169,#5a3020
mark_lines #b98a14,#2f8f66,#3a7fc0,#b5568c,#7a5fc4,#bf6238 #c49a35,#4fae86,#5b9bd6,#cf7fae,#a68fe6,#e08f66
    #7d5a00,#1a6844,#1f5f9f,#8f3068,#4f3796,#8a3d16 #c49a35,#4fae86,#5b9bd6,#cf7fae,#a68fe6,#e08f66
find                #f7b955   #8a5a00   #f7b955   #6b4500
ramp #7e818e,#b0701f,#606500,#005a6e,#103f76,#1f1b5c #80838f,#c9852c,#a5b478,#3fbfe0,#a3d3f5,#e3efff
    #686a76,#9b5400,#444a18,#064955,#002b66,#0f1149 #8b8e9a,#f79e00,#d4b98e,#81caff,#afe0de,#f1ffff
scrim               #73000000 #99000000 #99000000 #b3000000
sepia_page          #f6eedd   #f6eedd   #f6eedd   #f6eedd
sepia_text          #31281b   #31281b   #1d170d   #1d170d
sepia_text2         #5c4f3b   #5c4f3b   #453a29   #453a29
sepia_line          #e3d6bb   #e3d6bb   #7d6f55   #7d6f55
"""
"""Each token's colour in :data:`THEMES`, in their order; of several, with commas between."""


def _theme(name: str, column: int, *, chip_share: float) -> Theme:
    found: dict[str, Any] = {}
    for row in _COLOURS.replace("\n   ", "").strip().splitlines():
        token, *texts = row.split()
        colours = tuple(map(QColor, texts[column].split(",")))
        found[token] = colours if len(colours) > 1 else colours[0]
    return Theme(name=name, chip_share=chip_share, **found)


LIGHT = _theme("light", 0, chip_share=0.13)
DARK = _theme("dark", 1, chip_share=0.16)
HIGH_LIGHT = _theme("light-contrast", 2, chip_share=0.08)
HIGH_DARK = _theme("dark-contrast", 3, chip_share=0.1)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, HIGH_LIGHT, HIGH_DARK)}
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" '
    'fill="none" stroke="{colour}" stroke-width="{stroke:g}" stroke-linecap="round" '
    'stroke-linejoin="round">{drawing}</svg>'
)


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
    knob = line // 3
    knobs = {"": 0, "_over": -2, "_focus": 2, "_width": knob - 2, "_slider": knob + 8}
    # With large text menus stand closer: the switch of views has its room beside them.
    sizes = {"text_line": line, "row": line + 6, "menu_side": 9 if line <= 24 else 4}
    box, small = icon_side(14), icon_side(11)
    sizes |= {"icon": icon_side(), "box": box, "round": box // 2 + 1, "small": small}
    sizes["drop"] = box + 8
    sizes |= {f"knob{key}": knob + px for key, px in knobs.items()}
    return _SHEET.substitute(colours, **sizes, **paths)


@cache
def _mixed(ground: str, ink: str, share: float) -> QColor:
    low, high = parse_hex(ground), parse_hex(ink)
    return QColor(format_hex(low + share * (high - low)))


def mixed(ground: QColor, ink: QColor, share: float) -> QColor:
    """Return ``ground`` with ``share`` (0 to 1) of ``ink`` laid over it, in sRGB; kept, so cheap to ask."""
    return _mixed(ground.name(), ink.name(), share)


class _Applied:
    """What the process shows now, and the folder of images that its style sheet may name."""

    theme: Theme = LIGHT
    looks: tuple[object, ...] = ()
    """All that the last palette and style sheet were made of."""
    folder: "tempfile.TemporaryDirectory[str] | None" = None


def current_theme() -> Theme:
    """Return the theme that is shown now; light before :func:`set_theme` was called."""
    return _Applied.theme


def theme_of(*, is_dark: bool, is_high: bool) -> Theme:
    """Return the light or dark theme, of high contrast or not."""
    return THEMES[f"{'dark' if is_dark else 'light'}{'-contrast' * is_high}"]


def system_theme() -> Theme:
    """Return the theme that the desktop asks for; light, and as usual, where it does not say."""
    hints = QGuiApplication.styleHints()
    told = _contrast_hints()
    is_high = told is not None and told.contrastPreference() is Qt.ContrastPreference.HighContrast
    return theme_of(is_dark=hints.colorScheme() is Qt.ColorScheme.Dark, is_high=is_high)


def _contrast_hints() -> Any:  # noqa: ANN401 - Qt's, or nothing
    """Return what tells the contrast that the desktop asks for; Qt has it from 6.10 on."""
    hints = QGuiApplication.styleHints()
    return hints.accessibility() if hasattr(hints, "accessibility") else None


def follow_system(do: Callable[[], object]) -> None:
    """Do something whenever the desktop asks for another theme."""
    hints, told = QGuiApplication.styleHints(), _contrast_hints()
    hints.colorSchemeChanged.connect(do)
    if told is not None:
        told.contrastPreferenceChanged.connect(do)


def set_theme(app: QApplication, theme: Theme) -> None:
    """Show the whole application in a theme: Fusion, its palette and the style sheet.

    Every widget gets ``QEvent.Type.PaletteChange``. Calling it again with another
    theme switches at once; with the same theme, after another font was chosen, controls
    follow the font. Where nothing would look otherwise nothing is done: each widget there is
    would be dressed anew.

    Args:
        app: the application.
        theme: one of :data:`THEMES`.
    """
    _Applied.theme = theme
    line = line_height(Role.UI)
    looks = (app, theme, line, app.font().toString())
    if looks == _Applied.looks:
        return
    before, _Applied.looks = _Applied.looks, looks
    own = Qt.WidgetAttribute.WA_SetFont
    fonts = [(widget, widget.font()) for widget in app.allWidgets() if widget.testAttribute(own)]
    # Style, palette and sheet dress every widget each: where only the font is another, one is enough.
    if before[:1] != looks[:1]:
        app.setStyle("fusion")
    if before[:2] != looks[:2]:
        app.setPalette(build_palette(theme))
    images = _write_images(theme)
    app.setStyleSheet(build_stylesheet(theme.colour_names(), images=images, line=line))
    # Qt gives widgets the fonts again that they had at their first style sheet.
    for widget, chosen in fonts:
        if widget.font() != chosen:
            widget.setFont(chosen)


def build_palette(theme: Theme) -> QPalette:
    """Return Qt's palette for a theme."""
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.Base: theme.base,
        role.AlternateBase: theme.panel,
        role.Button: theme.base,
        role.Text: theme.text,
        role.WindowText: theme.text,
        role.ButtonText: theme.text,
        role.BrightText: theme.on_accent,
        role.PlaceholderText: theme.text3,
        role.Highlight: theme.selected,
        role.HighlightedText: theme.text,
        role.Link: theme.link,
        role.LinkVisited: theme.link,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Accent: theme.accent,
        role.Light: theme.line,
        role.Midlight: theme.hover,
        role.Mid: theme.line_strong,
        role.Dark: theme.line_strong,
        role.Shadow: theme.line_strong,
    }
    palette = QPalette()
    for where, colour in colours.items():
        palette.setColor(where, colour)
    for where in (role.Text, role.WindowText, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, theme.disabled)
    palette.setColor(
        QPalette.ColorGroup.Inactive, QPalette.ColorRole.Highlight, theme.selected_unfocused
    )
    return palette


def _write_images(theme: Theme) -> dict[str, str]:
    """Write the few images that a style sheet can only take from files; return their paths."""
    wanted = {
        "chevron_down": ("chevron-down", theme.text3),
        "chevron_up": ("chevron-up", theme.text3),
        "chevron_right": ("chevron-right", theme.text3),
        "check": ("check", theme.on_accent),
        "minus": ("minus", theme.on_accent),
        "dot": ("circle-small", theme.on_accent),
        "menu_check": ("check", theme.accent),
    }
    contents = {
        f"{theme.name}-{key}.svg": icon_svg(icon, colour.name(), stroke=2.25)
        for key, (icon, colour) in wanted.items()
    }
    folder = _image_folder(contents)
    return {key: f"{folder}/{theme.name}-{key}.svg" for key in wanted}


def _image_folder(contents: dict[str, bytes]) -> str:
    """Return a folder with these files: always the same one, so that nothing is left behind."""
    folder = data_folder() / "style"
    try:
        make_private_folder(folder)
        for name, content in contents.items():
            if not (folder / name).is_file() or (folder / name).read_bytes() != content:
                (folder / name).write_bytes(content)
    except OSError:
        # A home that cannot be written: one of this process, taken away at its end.
        _Applied.folder = _Applied.folder or tempfile.TemporaryDirectory(prefix="judgetool-")
        folder = Path(_Applied.folder.name)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    return folder.as_posix()


@cache
def _drawings() -> dict[str, str]:
    found: dict[str, str] = json.loads(resource_path("icons/lucide.json").read_text("utf-8"))
    return found


def icon_svg(name: str, colour: str, *, stroke: float = 1.8) -> bytes:
    """Return an icon as SVG, drawn in one ink.

    Args:
        name: Lucide's name, such as ``flag`` or ``chevron-down``; ``resources/icons`` has
            those that are used.
        colour: ``#rrggbb``.
        stroke: width of the lines on Lucide's grid of 24.

    Raises:
        ResourceMissingError: the icon, or all of them, are missing.
    """
    drawing = _drawings().get(name)
    if drawing is None:
        raise ResourceMissingError(f"There is no icon {name!r} in icons/lucide.json.")
    return _SVG.format(colour=colour, stroke=stroke, drawing=drawing).encode()


class Density(NamedTuple):
    """Heights in px at a 13 px interface font.

    Attributes:
        row: of a query's row.
        card_top: above a card's title.
        card_bottom: below its last line.
        snippet_lines: how many lines of a document's text a card shows.
        extra_px: added to the interface font.
    """

    row: float
    card_top: float
    card_bottom: float
    snippet_lines: int
    extra_px: int = 0


DENSITIES: Mapping[str, Density] = {
    "compact": Density(24, 5, 6, 1),
    "standard": Density(28, 7, 5, 2),
    "roomy": Density(31.6, 13, 11, 2, extra_px=1),
}
REFERENCE_PX = 13.0
# Large text is set a little tighter, as type designers do.
_DISPLAY_FROM = 22.0
_ZEROS = str.maketrans(dict.fromkeys("123456789", "0"))


P = ParamSpec("P")
T = TypeVar("T")
_KEPT: list[Callable[[], None]] = []


def kept_for_font(measure: Callable[P, T]) -> Callable[P, T]:
    """Keep what a function gives until the font or the density is another; lists ask all the time."""
    kept = lru_cache(maxsize=4096)(measure)
    _KEPT.append(kept.cache_clear)
    return cast("Callable[P, T]", kept)


def _forget_kept() -> None:
    for forget in _KEPT:
        forget()


class Role(Enum):
    """A kind of text: size in px at a 13 px interface font, line height, weight."""

    DOCUMENT_FOCUS = (18.0, 30.0, 400)
    DOCUMENT = (14.5, 23.0, 400)
    TITLE_FOCUS = (27.0, 35.0, 600)
    TITLE = (17.0, 23.0, 600)
    QUERY_FOCUS = (22.0, 29.0, 600)
    QUERY = (19.0, 25.0, 600)
    NEED = (14.0, 20.0, 400)
    DIALOG_TITLE = (16.0, 22.0, 600)
    CARD_TITLE = (13.5, 20.0, 600)
    SNIPPET = (12.5, 17.0, 400)
    UI = (13.0, 18.0, 400)
    UI_STRONG = (13.0, 18.001, 600)
    META = (12.0, 16.0, 400)
    META_STRONG = (12.0, 16.001, 600)
    HEAD = (11.0, 16.0, 500)
    SMALL = (10.5, 13.0, 500)
    KEY = (10.5, 14.0, 600)
    KEY_LARGE = (12.0, 16.0, 601)

    # Roles are looked up at every text that is painted; Enum's own hash runs Python code.
    __hash__ = object.__hash__

    @property
    def px(self) -> float:
        """Size at a 13 px interface font."""
        return float(self.value[0])

    @property
    def line(self) -> float:
        """Height of a line at a 13 px interface font."""
        return float(self.value[1])

    @property
    def weight(self) -> QFont.Weight:
        """Weight: 400, 500 or 600."""
        return QFont.Weight(int(self.value[2]) // 100 * 100)


class _Chosen:
    """What the person has chosen; every list asks when it lays out its rows."""

    density = DENSITIES["standard"]


def current_density() -> Density:
    """Return what holds now."""
    return _Chosen.density


def set_density(name: str) -> Density:
    """Choose a density by its name; lists that are there already must lay out anew.

    Raises:
        KeyError: there is none of this name.
    """
    _Chosen.density = DENSITIES[name]
    _forget_kept()
    return _Chosen.density


class _Installed:
    """The system's own font, kept because the application's is overwritten."""

    system: QFont | None = None
    base: QFont | None = None
    px: float = REFERENCE_PX


def install_fonts(app: QApplication, *, extra_px: float = 0.0, prefer_inter: bool = True) -> None:
    """Choose the interface font and give it to the application.

    Call it after the application exists and before windows are built; call it
    again to change the size. Row heights follow, since they are asked for anew.

    Args:
        app: the application.
        extra_px: added to the system's size, such as +4 for low sight.
        prefer_inter: take Inter in DejaVu's place where it is installed.
    """
    if _Installed.system is None:
        _Installed.system = QFont(app.font())
    base = QFont(_Installed.system)
    info = QFontInfo(base)
    px = float(info.pixelSize())
    if prefer_inter and info.family().startswith("DejaVu") and has_family("Inter"):
        base.setFamilies(["Inter", *base.families()])
        px = max(px, REFERENCE_PX)
    _Installed.base = base
    _Installed.px = px + extra_px
    _forget_kept()
    app.setFont(font(Role.UI))


def apply_density(app: QApplication, settings: Settings) -> None:
    """Set fonts and rows as a person prefers them; again after either has changed."""
    density = set_density(settings.density)
    install_fonts(app, extra_px=settings.extra_px + density.extra_px)


def has_family(name: str) -> bool:
    """Whether a font family is installed."""
    return name in QFontDatabase.families()


def scale() -> float:
    """Return the interface font's size divided by 13 px."""
    return _Installed.px / REFERENCE_PX


@kept_for_font
def scaled(length: float) -> int:
    """Return a length drawn for a 13 px font, in px at the font that is used."""
    return round(length * scale())


def icon_side(px: int = 16) -> int:
    """Return the side of an icon that is so many px beside usual text: half as much again at most."""
    return min(max(px, scaled(px)), px * 3 // 2)


@kept_for_font
def font(role: Role, *, grow: float = 0.0) -> QFont:
    """Return the font of a role, with figures of equal width, and each sign as it is.

    Some fonts show others in the midst of certain ones, ``2×4`` for ``2x4`` and an arrow for ``->``:
    an id that is read off the screen would be another.

    Args:
        role: what the text is.
        grow: added px, such as the document's zoom.
    """
    base = QFont(_Installed.base) if _Installed.base is not None else QFont(QApplication.font())
    # Points, not pixels, because only they may have a fraction.
    base.setPointSizeF((role.px + grow) * scale() * 72.0 / _dots_per_inch())
    base.setWeight(role.weight)
    base.setFeature(QFont.Tag("tnum"), 1)
    base.setFeature(QFont.Tag("calt"), 0)
    if role.px >= _DISPLAY_FROM:
        base.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 98.8)
    base.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return base


@kept_for_font
def metrics(role: Role, *, grow: float = 0.0) -> QFontMetrics:
    """Return the measures of a role's font."""
    return QFontMetrics(font(role, grow=grow))


@kept_for_font
def line_height(role: Role, *, grow: float = 0.0) -> int:
    """Return the height of one line of a role, at least what the font itself needs."""
    wished = round(role.line * scale() * (role.px + grow) / role.px)
    return max(wished, metrics(role, grow=grow).height())


@kept_for_font
def text_width(role: Role, text: str) -> int:
    """Return the width of a text in px; kept, since lists paint the same texts again."""
    return metrics(role).horizontalAdvance(text)


def fits(role: Role, text: str, room: float) -> bool:
    """Whether a text fits a width; short plain texts are not measured for it."""
    if text.isascii() and len(text) * _widest_ascii(role) <= room:
        return True
    return text_width(role, text) <= room + 0.5


def figures_width(role: Role, text: str) -> int:
    """Return the width of a number in px; all its figures are as wide as a zero."""
    return text_width(role, text.translate(_ZEROS))


@kept_for_font
def _widest_ascii(role: Role) -> int:
    face = metrics(role)
    return max(face.horizontalAdvance(chr(code)) for code in range(32, 127)) + 1


def _dots_per_inch() -> float:
    return QGuiApplication.primaryScreen().logicalDotsPerInchY()


Triple = npt.NDArray[np.float64]
"""Three parts of a colour, shape (3,)."""
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_FROM_CONES, _FROM_LAB = np.linalg.inv(_TO_CONES), np.linalg.inv(_TO_LAB)
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def parse_hex(colour: str) -> Triple:
    """Return red, green and blue, each 0 to 1, of ``#rrggbb``."""
    return np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])


def format_hex(rgb: Iterable[float]) -> str:
    """Return ``#rrggbb``; parts outside 0 to 1 are cut off."""
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in rgb)


def to_linear(rgb: Triple) -> Triple:
    """Return linear light from sRGB parts, 0 to 1."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def from_linear(rgb: Triple) -> Triple:
    """Return sRGB parts from linear light; parts outside 0 to 1 are cut off."""
    kept = np.clip(rgb, 0.0, 1.0)
    return np.where(kept <= 0.0031308, 12.92 * kept, 1.055 * kept ** (1 / 2.4) - 0.055)


def contrast_ratio(one: str, other: str) -> float:
    """Return WCAG's contrast ratio of two colours, 1 to 21, in whichever order."""
    # Of WCAG's relative luminances, 0 (black) to 1 (white).
    low, high = sorted(float(_LUMINANCE @ to_linear(parse_hex(each))) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def least_contrast(ink: str, grounds: Iterable[str]) -> float:
    """Return the smallest contrast ratio of an ink over several grounds (at least one)."""
    return min(contrast_ratio(ink, ground) for ground in grounds)


def linear_to_oklab(rgb: Triple) -> Triple:
    """Return OKLab's L, a, b of linear light."""
    lab: Triple = _TO_LAB @ np.cbrt(_TO_CONES @ rgb)
    return lab


def to_oklab(colour: str) -> Triple:
    """Return OKLab's L (0 to 1), a and b of ``#rrggbb``."""
    return linear_to_oklab(to_linear(parse_hex(colour)))


def from_oklab(lab: Triple) -> str:
    """Return the nearest ``#rrggbb`` by cutting off what sRGB cannot show."""
    return format_hex(from_linear(_FROM_CONES @ (_FROM_LAB @ lab) ** 3))


def interpolate_oklab(ramp: tuple[str, ...], place: float) -> str:
    """Return the colour at ``place`` (0 to 1) of an evenly spaced ramp, mixed in OKLab.

    Args:
        ramp: at least two colours.
        place: 0 gives the first colour, 1 the last; outside is cut off.
    """
    steps = min(1.0, max(0.0, place)) * (len(ramp) - 1)
    below = min(int(steps), len(ramp) - 2)
    share = steps - below
    if share == 0:
        return ramp[below]
    low, high = to_oklab(ramp[below]), to_oklab(ramp[below + 1])
    return from_oklab(low + share * (high - low))


@lru_cache(maxsize=256)
def nearest_passing(ink: str, grounds: tuple[str, ...], need: float) -> str:
    """Return the ink itself, or the nearest by lightness with enough contrast everywhere.

    Hue and chroma are kept as far as sRGB allows.

    Args:
        ink: the wished colour.
        grounds: what it will stand on.
        need: least contrast ratio, such as 3.

    Returns:
        The first passing colour, looking darker and lighter at once in steps of
        one hundredth; on the grounds of a theme black or white passes.
    """
    if least_contrast(ink, grounds) >= need:
        return ink
    lightness, a, b = to_oklab(ink)
    steps = (step * way for step in range(1, 101) for way in (-0.01, 0.01))
    tried = (from_oklab(np.array([min(1.0, max(0.0, lightness + by)), a, b])) for by in steps)
    return next(each for each in tried if least_contrast(each, grounds) >= need)
