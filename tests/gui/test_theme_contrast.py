"""The contrast and colour-blind tables of the look hold for the colours that are painted."""

from itertools import combinations
from math import dist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyle

from judgetool.core.scale import Level, Scale
from judgetool.gui.models.page import PAGE_COLOURS, page_theme
from judgetool.gui.painting import (
    RATIONALE_MARK,
    SET_MARKS,
    colour_complaint,
    draw_bar,
    draw_focus_ring,
    draw_mark,
    draw_row_ground,
    painted_pixmap,
    ramp_ink,
    scale_styles,
)
from judgetool.gui.theme import (
    DARK,
    HIGH_DARK,
    HIGH_LIGHT,
    LIGHT,
    THEMES,
    Theme,
    contrast_ratio,
    format_hex,
    from_linear,
    interpolate_oklab,
    least_contrast,
    linear_to_oklab,
    nearest_passing,
    parse_hex,
    to_linear,
)

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
HIGH = pytest.mark.parametrize("theme", [HIGH_LIGHT, HIGH_DARK], ids=["light", "dark"])
ALL = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def names(colours):
    return [colour.name() for colour in colours]


def expected(theme: Theme, light: float, dark: float) -> float:
    return dark if theme.is_dark else light


TEXTS = {
    "text": (13.81, 10.28),
    "text2": (7.18, 6.84),
    "text3": (4.88, 5.05),
    "accent": (5.55, 5.77),
    "link": (5.15, 6.40),
    "good": (5.27, 6.62),
    "warn": (5.17, 6.34),
    "bad": (5.08, 5.70),
}


@BOTH
@pytest.mark.parametrize("token", TEXTS)
def test_text_inks_reach_their_contrast_on_every_ground(theme, token):
    """Every text ink has at least 4.5:1 on every ground, and exactly the table's least."""
    least = least_contrast(getattr(theme, token).name(), names(theme.grounds))
    assert least >= 4.5
    assert least == pytest.approx(expected(theme, *TEXTS[token]), abs=0.01)


@HIGH
def test_in_high_contrast_text_reaches_seven_to_one(theme):
    """Every ink of text on every ground, on marks, banners, chips, and on the main button."""
    grounds = names((*theme.grounds, theme.sunken))
    for token in TEXTS:
        assert least_contrast(getattr(theme, token).name(), grounds) >= 7, token
    chips = names(theme.chip_ground(ink) for ink in theme.ramp)
    assert least_contrast(theme.text.name(), (*names((*theme.marks, theme.find)), *chips)) >= 7
    assert contrast_ratio(theme.on_accent.name(), theme.accent.name()) >= 7
    for mood in ("good", "warn", "bad"):
        ground = getattr(theme, f"{mood}_ground").name()
        assert contrast_ratio(getattr(theme, mood).name(), ground) >= 7, mood


@HIGH
def test_in_high_contrast_borders_focus_and_grades_reach_four_and_a_half_to_one(theme):
    """Borders and the focus ring on every ground and track; grades on theirs and on their chip."""
    tracks = names((*theme.grounds, theme.sunken))
    for token in ("line_strong", "accent", "accent_hover"):
        assert least_contrast(getattr(theme, token).name(), tracks) >= 4.5, token
    for ink in theme.ramp:
        assert least_contrast(ink.name(), names((*theme.grounds, theme.chip_ground(ink)))) >= 4.5
    assert least_contrast(theme.line.name(), names(theme.grounds)) >= 3
    assert least_contrast(theme.disabled.name(), names(theme.grounds)) >= 4.5


@HIGH
@given(colour=COLOURS)
def test_in_high_contrast_a_project_s_own_colour_can_be_seen(theme, colour):
    """Whatever a level's colour is, its disc is painted in the nearest that reaches 4.5:1."""
    scale = Scale("own", (Level(0, "no", key="0"), Level(1, "yes", key="1", colour=colour)), 1)
    ink = scale_styles(scale, theme)[1].ink.name()
    assert least_contrast(ink, names(theme.grounds)) >= 4.5


@BOTH
def test_the_focus_ring_is_two_pixels_wide_and_one_outside(theme, qapp):
    """Wide enough to be seen, and clear of what it is around."""
    image = QImage(60, 60, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    draw_focus_ring(painter, QRectF(10, 10, 40, 40), theme, radius=4)
    painter.end()
    inked = {x for x in range(30) if image.pixelColor(x, 30).alpha()}
    assert inked == {7, 8}
    assert image.pixelColor(7, 30).name() == theme.accent.name()


@BOTH
def test_text_on_accent_can_be_read(theme):
    """The main button's text has 6.84:1 in light, 8.37:1 in dark."""
    ratio = contrast_ratio(theme.on_accent.name(), theme.accent.name())
    assert ratio == pytest.approx(expected(theme, 6.84, 8.37), abs=0.01)


@BOTH
def test_marked_text_can_be_read(theme):
    """Text on marks and on the current match has at least the table's contrast."""
    least = least_contrast(theme.text.name(), names((*theme.marks, theme.find)))
    assert least == pytest.approx(expected(theme, 9.75, 4.84), abs=0.01)


@ALL
def test_no_two_kinds_of_marks_look_alike(theme, qapp):
    """Query terms, the rationale and four sets of one's own: another ground, and another line."""
    kinds = (0, RATIONALE_MARK, *SET_MARKS)

    def rows_of(kind):
        def paint(painter):
            draw_mark(painter, QRectF(1, 0, 38, 12), theme, kind=kind)

        image = painted_pixmap(40, 12, 1.0, paint).toImage()
        return [[image.pixelColor(x, y).name() for x in range(40)] for y in range(12)]

    drawn = [rows_of(kind) for kind in kinds]
    grounds = {rows[0][0] for rows in drawn}
    lines = {tuple(cell == rows[0][0] for row in rows for cell in row) for rows in drawn}
    assert (len(grounds), len(lines)) == (6, 6)


@BOTH
def test_moods_can_be_read_on_their_banners(theme):
    """Good, warn and bad have at least 5.33:1 (6.09:1 in dark) on their own grounds."""
    pairs = (
        (theme.good, theme.good_ground),
        (theme.warn, theme.warn_ground),
        (theme.bad, theme.bad_ground),
    )
    least = min(contrast_ratio(ink.name(), ground.name()) for ink, ground in pairs)
    assert least == pytest.approx(expected(theme, 5.33, 6.09), abs=0.01)


@BOTH
def test_digits_can_be_read_on_chips(theme):
    """The digit has at least 13.13:1 (8.22:1 in dark) on the ground of every chip."""
    grounds = names(theme.chip_ground(ink) for ink in theme.ramp)
    least = least_contrast(theme.text.name(), grounds)
    assert least == pytest.approx(expected(theme, 13.13, 8.22), abs=0.05)


@ALL
@pytest.mark.parametrize("colour", PAGE_COLOURS)
def test_every_ink_of_a_page_can_be_read_on_its_grounds(theme, colour, monkeypatch):
    """Whatever the window and the page colour: text 4.5:1 on page, marks and selection; lines 3:1."""
    monkeypatch.setattr("judgetool.gui.models.page.current_theme", lambda: theme)
    page = page_theme(colour)
    grounds = names((page.base, *page.marks, page.find, page.selected, page.selected_unfocused))
    assert least_contrast(page.text.name(), grounds) >= 4.5
    for ink in (page.text2, page.text3, page.link, page.accent):
        assert contrast_ratio(ink.name(), page.base.name()) >= 4.5
    for line in (*page.mark_lines, page.accent, page.line_strong):
        assert contrast_ratio(line.name(), page.base.name()) >= 3


def painted(paint, size=(200, 40)):
    """Return the picture of what a function paints."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(LIGHT.base)
    painter = QPainter(image)
    paint(painter)
    painter.end()
    return image


@ALL
def test_the_row_under_the_pointer_is_seen(qapp, theme):
    """All of it has a ground of its own."""
    state = QStyle.StateFlag.State_MouseOver
    image = painted(lambda p: draw_row_ground(p, QRectF(0, 0, 200, 40), theme, state=state))
    corners = {image.pixelColor(x, y).name() for x in (0, 199) for y in (0, 39)}
    assert corners == {theme.hover.name()}


@ALL
def test_the_row_with_the_keyboard_differs_from_that_without(qapp, theme):
    """Of a list's current row enough is painted otherwise, at 3:1 to what stood there before."""
    rect, flag = QRectF(0, 0, 200, 40), QStyle.StateFlag
    with_it, without = (
        painted(lambda painter, s=state: draw_row_ground(painter, rect, theme, state=s))
        for state in (flag.State_Selected | flag.State_Active, flag.State_Selected)
    )
    places = [(x, y) for x in range(200) for y in range(40)]
    changed = [
        place
        for place in places
        if contrast_ratio(with_it.pixelColor(*place).name(), without.pixelColor(*place).name()) >= 3
    ]
    # As much as a line of 1 px around the row.
    assert len(changed) >= 2 * (200 + 40)


@ALL
def test_what_the_unjudged_could_add_can_be_seen_on_the_track(qapp, theme):
    """Along all of the possible part of a bar something has 3:1 to the track."""
    rect = QRectF(0, 10, 200, 10)
    image = painted(lambda painter: draw_bar(painter, rect, theme, value=0.3, low=0.3, high=0.8))
    for x in range(65, 155):
        inks = [image.pixelColor(x, y).name() for y in range(12, 18)]
        assert max(contrast_ratio(ink, theme.sunken.name()) for ink in inks) >= 3


def test_sepia_can_be_read():
    """On the sepia page text has 12.55:1 and text2 6.90:1."""
    page = LIGHT.sepia_page.name()
    assert contrast_ratio(LIGHT.sepia_text.name(), page) == pytest.approx(12.55, abs=0.01)
    assert contrast_ratio(LIGHT.sepia_text2.name(), page) == pytest.approx(6.90, abs=0.01)


@BOTH
def test_borders_can_be_seen_on_every_ground_and_track(theme):
    """Borders of fields, buttons and key caps have at least 3:1, on sunken too."""
    grounds = names((*theme.grounds, theme.sunken))
    least = least_contrast(theme.line_strong.name(), grounds)
    assert least >= 3
    assert least == pytest.approx(expected(theme, 3.11, 3.05), abs=0.01)


@BOTH
def test_focus_ring_and_bar_can_be_seen(theme):
    """The accent has 5.38:1 (5.52:1 in dark) on the track and all grounds."""
    least = least_contrast(theme.accent.name(), names((*theme.grounds, theme.sunken)))
    assert least == pytest.approx(expected(theme, 5.38, 5.52), abs=0.01)


GRADE_INKS = {
    "light": (3.15, 3.29, 5.07, 6.34, 8.38, 11.82),
    "dark": (3.33, 4.12, 5.27, 5.51, 6.91, 8.65),
}


@BOTH
@pytest.mark.parametrize("place", range(6))
def test_grade_inks_can_be_seen_on_rows_and_their_chip(theme, place):
    """Every grade ink has at least 3:1 on rows and on the ground of its own chip."""
    ink = theme.ramp[place]
    rows = (theme.panel, theme.base, theme.hover, theme.selected, theme.selected_unfocused)
    least = least_contrast(ink.name(), names((*rows, theme.chip_ground(ink))))
    assert least >= 3
    assert least == pytest.approx(GRADE_INKS[theme.name][place], abs=0.02)


# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color
# vision deficiency" (2009), the matrices for full severity.
SIGHTS = ("normal", "protan", "deutan", "tritan")


_MACHADO: dict[str, tuple[tuple, tuple, tuple]] = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def simulate_sight(colour: str, sight: str) -> tuple:
    """Return the linear light that a colour is to one of :data:`SIGHTS`, cut to 0 to 1."""
    rgb = to_linear(parse_hex(colour))
    if sight == "normal":
        return rgb
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, rgb, strict=True))))
        for row in _MACHADO[sight]
    )
    return red, green, blue


def colour_distance(one: str, other: str, *, sight: str = "normal") -> float:
    """Return ΔE(OKLab) × 100 of two colours as one of :data:`SIGHTS` sees them."""
    return 100 * dist(
        linear_to_oklab(simulate_sight(one, sight)), linear_to_oklab(simulate_sight(other, sight))
    )


DISTANCES = {
    "light": {2: 33.1, 3: 12.0, 4: 13.4, 5: 7.6, 6: 6.6},
    "dark": {2: 33.6, 3: 13.5, 4: 14.1, 5: 8.6, 6: 7.6},
    "light-contrast": {2: 29.7, 3: 13.4, 4: 12.9, 5: 7.6, 6: 6.6},
    "dark-contrast": {2: 34.0, 3: 15.6, 4: 17.4, 5: 9.8, 6: 8.6},
}


@ALL
@pytest.mark.parametrize("count", range(2, 7))
def test_levels_stay_apart_for_every_sight(theme, count):
    """The closest two levels of a scale are as far apart as the table says, for all sights."""
    inks = [ramp_ink(theme, place, count).name() for place in range(count)]
    least = min(
        colour_distance(one, other, sight=sight)
        for one, other in combinations(inks, 2)
        for sight in SIGHTS
    )
    assert least == pytest.approx(DISTANCES[theme.name][count], abs=0.1)


@ALL
@pytest.mark.parametrize("count", range(2, 12))
def test_higher_levels_have_more_contrast_to_the_page(theme, count):
    """Prominence is relevance: from level to level the contrast to the page rises."""
    page = theme.base.name()
    ratios = [contrast_ratio(ramp_ink(theme, place, count).name(), page) for place in range(count)]
    assert ratios == sorted(ratios)
    assert len(set(ratios)) == count


@BOTH
def test_faint_project_colours_are_named_with_one_that_passes(theme):
    """A colour that cannot be seen on rows gets a neighbour with at least 3:1."""
    better = colour_complaint(theme.hover.name(), theme)
    assert better is not None
    assert least_contrast(better, names((theme.base, theme.selected))) >= 3


@BOTH
def test_visible_project_colours_are_left_alone(theme):
    """The theme's own accent needs no other colour."""
    assert colour_complaint(theme.accent.name(), theme) is None


def test_light_that_a_screen_cannot_show_is_cut_off():
    """More than all and less than none are all and none."""
    assert from_linear(np.array([1.5, -0.5, 1.0])) == pytest.approx([1.0, 0.0, 1.0])


@given(COLOURS)
def test_hex_survives_a_round_trip(colour):
    """Reading and writing a colour changes nothing."""
    assert format_hex(parse_hex(colour)) == colour


@given(COLOURS, COLOURS)
def test_contrast_does_not_depend_on_the_order(one, other):
    """Ink on ground and ground on ink have the same contrast, between 1 and 21."""
    ratio = contrast_ratio(one, other)
    assert ratio == contrast_ratio(other, one)
    assert 1 <= ratio <= 21


@given(COLOURS, COLOURS, st.floats(0, 1))
def test_interpolation_ends_at_its_ends(one, other, share):
    """A ramp begins with its first and ends with its last colour; between, all is a colour."""
    assert interpolate_oklab((one, other), 0) == one
    assert interpolate_oklab((one, other), 1) == other
    assert len(interpolate_oklab((one, other), share)) == 7


@given(COLOURS)
def test_nearest_passing_passes(colour):
    """Whatever the wish, the answer has 3:1 on white."""
    white = LIGHT.base.name()
    assert contrast_ratio(nearest_passing(colour, (white,), 3.0), white) >= 3
