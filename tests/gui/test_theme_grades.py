"""A scale and a theme decide how each grade looks."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from judgetool.core.judgments import State
from judgetool.core.scale import Level, Scale, numbered_scale, parse_scale, scale_preset
from judgetool.gui import theme
from judgetool.gui.painting import (
    Symbol,
    chip_height,
    chip_width,
    draw_chip,
    draw_chip_cached,
    draw_symbol,
    grade_style,
    judgment_style,
    scale_styles,
    state_style,
    widest_styles,
)
from judgetool.gui.theme import DARK, LIGHT


def painted(draw, *, size=(60, 24), ratio=1.0) -> QImage:
    image = QImage(round(size[0] * ratio), round(size[1] * ratio), QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(LIGHT.base)
    painter = QPainter(image)
    draw(painter)
    painter.end()
    return image


def ink_share(style) -> float:
    """How much of a symbol's square is covered."""
    image = painted(lambda p: draw_symbol(p, QRectF(0, 0, 32, 32), style), size=(32, 32))
    ground = LIGHT.base.name()
    covered = sum(image.pixelColor(x, y).name() != ground for x in range(32) for y in range(32))
    return covered / 1024


@pytest.mark.parametrize("preset", ["binary", "wands", "0-3", "0-4", "yandex", "esci"])
def test_discs_fill_from_empty_to_full(preset):
    """The lowest level's disc is empty, the highest full, in equal steps."""
    styles = scale_styles(scale_preset(preset), LIGHT)
    top = len(styles) - 1
    assert [style.fraction for style in styles] == [place / top for place in range(top + 1)]
    assert all(style.symbol is Symbol.DISC for style in styles)


def test_higher_grades_have_more_ink(qapp):
    """From level to level more of the disc is covered."""
    shares = [ink_share(style) for style in scale_styles(scale_preset("0-4"), LIGHT)]
    assert shares == sorted(shares)
    assert len(set(shares)) == 5


def test_grades_differ_without_colour(qapp):
    """Discs of a scale and the signs of the states differ in shape, not only in colour."""
    styles = [*scale_styles(scale_preset("0-4"), LIGHT)]
    styles += [state_style(state, LIGHT) for state in State if state is not State.JUDGED]
    pictures = set()
    for style in styles:
        image = painted(lambda p, s=style: draw_symbol(p, QRectF(0, 0, 16, 16), s), size=(16, 16))
        ground = LIGHT.base.name()
        pictures.add(
            tuple(image.pixelColor(x, y).name() == ground for x in range(16) for y in range(16))
        )
    assert len(pictures) == len(styles)


def test_more_than_six_levels_get_bars():
    """Seven discs cannot be told apart: such scales show a filled bar beside the number."""
    styles = scale_styles(numbered_scale("seven", "abcdefg"), LIGHT)
    assert {style.symbol for style in styles} == {Symbol.BAR}
    assert len({style.ink.name() for style in styles}) == 7


def test_project_colour_wins_over_the_ramp():
    """A level with a colour of its own is drawn in it, in both themes."""
    mine = DARK.accent.name()
    levels = (Level(0, "no", key="0"), Level(1, "yes", key="1", colour=mine))
    scale = Scale("own", levels, 1)
    assert [scale_styles(scale, theme)[1].ink.name() for theme in (LIGHT, DARK)] == [mine, mine]


@given(st.floats(-10, 10, allow_nan=False))
def test_any_number_has_a_look(grade):
    """Grades between the levels or off the scale get a bar no fuller than full."""
    style = grade_style(scale_preset("0-3"), grade, LIGHT)
    assert 0 <= style.fraction <= 1
    assert style.symbol is (Symbol.DISC if grade in (0, 1, 2, 3) else Symbol.BAR)


@pytest.mark.parametrize("preset", ["0-3", "esci", "0-1/any"])
@pytest.mark.parametrize(("grade", "shown"), [(1 / 3, "0.33"), (0.5, "0.5"), (0.999, "1.00")])
def test_a_mean_is_read_in_a_chip(qapp, grade, shown, preset):
    """With two decimals, and its last digit in sight, where chips are as wide as levels need."""
    scale = parse_scale(preset)
    style = grade_style(scale, grade, LIGHT)
    assert (style.text, style.name) == (shown, f"grade {shown}")
    place = QRectF(0, 0, chip_width(widest_styles(scale, LIGHT)), chip_height())
    one, other = (
        painted(lambda p, look=look: draw_chip(p, place, LIGHT, look))
        for look in (style, replace(style, text=f"{shown[:-1]}9"))
    )
    assert one != other


def test_a_judgment_without_grade_shows_its_state():
    """Without a grade the state decides; with one the grade."""
    scale = scale_preset("0-3")
    assert judgment_style(scale, State.SKIPPED, None, LIGHT).symbol is Symbol.SKIPPED
    assert judgment_style(scale, State.JUDGED, 2, LIGHT).text == "2"


def test_judged_alone_has_no_look():
    """Asking for the look of 'judged' without a grade is refused."""
    with pytest.raises(ValueError, match="grade"):
        state_style(State.JUDGED, LIGHT)


def test_chips_of_a_scale_are_equally_wide(qapp):
    """One width fits every level of a scale, also one with two digits."""
    theme.install_fonts(qapp)
    wide = numbered_scale("eleven", [str(place) for place in range(11)])
    narrow = chip_width(scale_styles(scale_preset("0-3"), LIGHT))
    assert chip_width(scale_styles(wide, LIGHT)) > narrow
    assert chip_height() == 20


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_kept_chips_are_as_sharp_as_painted_ones(qapp, ratio):
    """At every device pixel ratio the kept pixmap shows what painting anew would."""
    style = scale_styles(scale_preset("0-3"), LIGHT)[2]
    where = QRectF(0, 0, 40, 20)
    anew = painted(lambda p: draw_chip(p, where, LIGHT, style), ratio=ratio)
    kept = painted(lambda p: draw_chip_cached(p, where, LIGHT, style), ratio=ratio)
    assert anew.size() == kept.size()
    worst = max(
        abs(anew.pixelColor(x, y).lightness() - kept.pixelColor(x, y).lightness())
        for x in range(anew.width())
        for y in range(anew.height())
    )
    assert worst < 40


def test_painting_leaves_the_painter_as_it_was(qapp):
    """Pen, brush and hints are the same after a chip was drawn."""
    style = scale_styles(scale_preset("0-3"), LIGHT)[1]

    def draw(painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.DashLine)
        before = (painter.pen(), painter.brush(), painter.renderHints())
        draw_chip(painter, QRectF(0, 0, 40, 20), LIGHT, style)
        assert (painter.pen(), painter.brush(), painter.renderHints()) == before

    painted(draw)
