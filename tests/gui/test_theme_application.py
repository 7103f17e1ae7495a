"""The theme reaches Qt: palette, style sheet, fonts, icons; and nothing else holds colours."""

import ast
import gc
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontInfo, QIcon, QImage, QPainter, QPalette, QTextLayout
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton

from judgetool.core.number_text import format_change, format_value
from judgetool.errors import ResourceMissingError
from judgetool.gui import painting, theme
from judgetool.gui.icons import icon_pixmap, themed_icon
from judgetool.gui.theme import (
    DARK,
    LIGHT,
    Role,
    build_palette,
    build_stylesheet,
    contrast_ratio,
    current_theme,
    icon_svg,
    set_theme,
)

BOTH = pytest.mark.parametrize("shown", [LIGHT, DARK], ids=["light", "dark"])
GUI = Path(theme.__file__).parent


@pytest.fixture
def dressed(qapp):
    """The application with its fonts; light again afterwards."""
    theme.install_fonts(qapp)
    yield qapp
    theme.install_fonts(qapp)
    set_theme(qapp, LIGHT)


def test_no_colour_literal_outside_the_theme():
    """No file of the window but theme.py spells a colour."""
    spelled = re.compile(
        r"""["']#[0-9a-fA-F]{3,8}["']|QColor\(\s*\d|rgba?\(|GlobalColor\.(?!transparent)"""
    )
    guilty = [
        f"{path.relative_to(GUI)}:{number}"
        for path in sorted(GUI.rglob("*.py"))
        if path.name != "theme.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if spelled.search(line)
    ]
    assert guilty == []


def sheet_of_light():
    images = (
        ("chevron_down", "chevron_up", "chevron_right", "check", "minus", "dot", "menu_check"),
        "x",
    )
    return build_stylesheet(LIGHT.colour_names(), images=dict.fromkeys(*images))


def test_style_sheet_has_no_rules_for_views():
    """Item views are painted by their delegates and get no rule of the sheet."""
    assert not re.search(r"(?m)^\s*Q(Table|List|Tree)View", sheet_of_light())


def test_every_colour_of_the_style_sheet_is_one_of_the_theme():
    """A size that has a colour's name would stand in its place: Qt takes that for black."""
    used = re.findall(r"(?:solid|double|color:|background:)\s+([^\s;]+)", sheet_of_light())
    assert len(used) > 60
    assert set(used) <= {*LIGHT.colour_names().values(), "transparent"}


def test_style_sheet_refuses_a_token_that_is_not_there():
    """A token that no theme has is noticed, not printed into the sheet."""
    with pytest.raises(KeyError):
        build_stylesheet({}, images={})


@BOTH
def test_setting_a_theme_makes_it_current_and_sets_the_palette(dressed, shown):
    """After set_theme the palette's roles are the theme's colours."""
    set_theme(dressed, shown)
    assert current_theme() is shown
    palette = dressed.palette()
    assert palette.color(QPalette.ColorRole.Window) == shown.window
    assert palette.color(QPalette.ColorRole.Base) == shown.base
    assert palette.color(QPalette.ColorRole.Accent) == shown.accent
    assert palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text) == shown.disabled


@BOTH
@pytest.mark.parametrize("kind", [QLineEdit, QPushButton, QComboBox])
def test_borders_are_painted_strongly_enough(dressed, qtbot, shown, kind):
    """The border that Qt really paints around a control has 3:1 to the window."""
    set_theme(dressed, shown)
    widget = kind()
    qtbot.addWidget(widget)
    widget.resize(120, 28)
    image = widget.grab().toImage()
    middle = image.height() // 2
    border = max(
        contrast_ratio(image.pixelColor(x, middle).name(), shown.window.name()) for x in range(3)
    )
    assert border >= 3


def test_palette_marks_rows_without_the_keyboard_grey():
    """An inactive list's current row is grey, not violet."""
    palette = build_palette(LIGHT)
    inactive = palette.color(QPalette.ColorGroup.Inactive, QPalette.ColorRole.Highlight)
    assert inactive == LIGHT.selected_unfocused


def test_figures_are_equally_wide(dressed):
    """Ones take as much room as eights in every role, so columns do not wobble."""
    for role in Role:
        assert theme.text_width(role, "1111") == theme.text_width(role, "8888")


def test_inter_replaces_dejavu_where_installed(dressed):
    """On a machine whose interface font is DejaVu and that has Inter, Inter is used."""
    if not theme.has_family("Inter"):
        pytest.skip("SKIPPED LOUDLY: the font Inter is not installed here")
    theme.install_fonts(dressed, prefer_inter=False)
    without = QFontInfo(dressed.font()).family()
    theme.install_fonts(dressed)
    if not without.startswith("DejaVu"):
        pytest.skip("SKIPPED LOUDLY: the interface font here is not DejaVu")
    assert QFontInfo(dressed.font()).family() == "Inter"


def test_larger_fonts_make_taller_lines(dressed):
    """Four pixels more make every line taller, and lengths grow with them."""
    before = {role: theme.line_height(role) for role in Role}
    theme.install_fonts(dressed, extra_px=4)
    assert all(theme.line_height(role) > before[role] for role in Role)
    assert theme.scaled(39) > 39


def test_lines_hold_their_font(dressed):
    """No role's line is lower than its font, with DejaVu neither."""
    for prefer in (True, False):
        theme.install_fonts(dressed, prefer_inter=prefer)
        for role in Role:
            assert theme.line_height(role) >= theme.metrics(role).height()


def test_icons_take_the_ink(qapp):
    """An icon is drawn in the ink that was asked for, not in black."""
    image = icon_pixmap("plus", LIGHT.bad.name(), 32).toImage()
    inks = {
        image.pixelColor(x, y).name()
        for x in range(32)
        for y in range(32)
        if image.pixelColor(x, y).alpha() == 255
    }
    assert LIGHT.bad.name() in inks


def test_icon_for_a_button_differs_when_disabled(qapp):
    """A disabled button's icon has another ink."""
    icon = themed_icon("flag")
    usual = icon.pixmap(16, 16).toImage()
    dead = icon.pixmap(16, 16, icon.Mode.Disabled).toImage()
    assert usual != dead


def test_an_icon_follows_the_theme_by_itself(dressed):
    """Made once, also copied, it is drawn in the inks of whatever theme holds."""
    icon = themed_icon("plus")
    # One that were Python's would be gone, and be drawn nevertheless: of many some are seen to be.
    copies = [QIcon(icon) for _ in range(50)]
    for copied in copies:
        # A copy that is changed is a drawing of its own.
        copied.setIsMask(True)
        gc.collect(0)
    gc.collect()
    for theme_now in (LIGHT, DARK):
        set_theme(dressed, theme_now)
        for each in (icon, *copies):
            image = each.pixmap(64, 64).toImage()
            inks = {image.pixelColor(x, 32).name() for x in range(64)}
            assert theme_now.text3.name() in inks


def test_every_icon_that_is_named_is_shipped():
    """Wherever an icon is drawn by its name, its drawing is among the program's own files."""
    calls = {"draw_icon", "themed_icon", "icon_pixmap", "icon_svg", "insert_icon"}
    calls |= {"IconPart", "IconButton", "tool_button", "framed_icon_button"}
    named = set()
    for path in Path(theme.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in calls:
                given = (*node.args, *(each.value for each in node.keywords if each.arg == "name"))
                # A part's second argument is its colour.
                given = given[:1] if ast.unparse(node.func) == "IconPart" else given
                named |= {each.value for each in given if isinstance(each, ast.Constant)}
    icons = {name for name in named if isinstance(name, str) and re.fullmatch("[a-z0-9-]+", name)}
    assert len(icons) > 20
    for name in icons:
        assert icon_svg(name, "#000000").startswith(b"<svg")


def test_missing_icon_is_said_by_name():
    """An icon that is not shipped is named in the sentence."""
    with pytest.raises(ResourceMissingError, match="no-such-icon"):
        icon_svg("no-such-icon", LIGHT.text.name())


def test_changes_show_sign_arrow_and_nothing_for_none(dressed):
    """A rise, a fall and no change look different from each other without their colours."""
    pictures = []
    for change in (0.1, -0.1, 0.0, None):
        image = QImage(120, 20, QImage.Format.Format_Grayscale8)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painting.draw_change(painter, QRectF(0, 0, 118, 20), LIGHT, change=change)
        painter.end()
        pictures.append(bytes(image.constBits()))
    assert len(set(pictures)) == 4


def test_a_change_of_what_is_no_quality_is_neither_good_nor_bad(dressed):
    """Sign and number in the ink of text: no arrow, neither green nor red."""
    for change in (0.1, -0.1):
        images = []
        for is_quality in (True, False):
            image = QImage(120, 20, QImage.Format.Format_RGB32)
            image.fill(LIGHT.base)
            painter = QPainter(image)
            rect = QRectF(0, 0, 118, 20)
            painting.draw_change(painter, rect, LIGHT, change=change, is_quality=is_quality)
            painter.end()
            images.append(image)
        coloured = [
            any(
                (colour := image.pixelColor(x, y)) and colour.hsvSaturationF() > 0.5
                for x in range(120)
                for y in range(20)
            )
            for image in images
        ]
        assert coloured == [True, False]


def test_kinds_of_marks_differ_without_their_colours(dressed):
    """Query terms, rationale and own term sets have each a line of its own under the word."""
    rows = set()
    for kind in range(4):
        image = QImage(60, 20, QImage.Format.Format_RGB32)
        image.fill(LIGHT.base)
        painter = QPainter(image)
        painting.draw_mark(painter, QRectF(2, 0, 50, 20), LIGHT, kind=kind)
        painter.end()
        inked = {
            (x, y)
            for x in range(60)
            for y in (18, 19)
            if image.pixelColor(x, y) == LIGHT.mark_lines[kind]
        }
        rows.add(frozenset(inked))
    assert len(rows) == 4
    assert all(rows)


def test_a_kept_picture_has_a_dot_for_each_of_the_screen(qapp):
    """On a screen of two dots per px a picture of 30 by 10 has 60 by 20, painted in px."""
    pixmap = painting.painted_pixmap(
        30, 10, 2.0, lambda painter: painter.fillRect(15, 0, 15, 10, LIGHT.base), ground="red"
    )
    assert (pixmap.width(), pixmap.height()) == (60, 20)
    image = pixmap.toImage()
    assert [image.pixelColor(x, 19).name() for x in (29, 30, 59)] == [
        "#ff0000",
        LIGHT.base.name(),
        LIGHT.base.name(),
    ]


def test_values_use_a_true_minus_and_a_dash():
    """Minus is U+2212, undefined is a dash, and a vanishing change is a dot."""
    assert format_value(-0.5) == "−0.5000"
    assert format_value(None) == "–"
    assert format_value(-0.00001) == "0.0000"
    assert format_change(-0.00001) == "·"


@pytest.mark.parametrize("text", ["w6bk2x1n", "a->b", "<--", "=>", "0x2x4", "12:30"])
def test_signs_are_shown_as_they_are(dressed, text):
    """An id that is read off the screen is that id: no sign becomes another beside certain ones."""

    def shapes(part):
        layout = QTextLayout(part, theme.font(Role.UI))
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        return [number for run in layout.glyphRuns() for number in run.glyphIndexes()]

    assert shapes(text) == [number for sign in text for number in shapes(sign)]
