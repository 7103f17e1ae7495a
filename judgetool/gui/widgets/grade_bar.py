"""The grade bar and its buttons: one per level with its key printed on it, and what else can be said."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import Enum, IntEnum
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from judgetool.core import override
from judgetool.core.judgments import CONFIDENCES
from judgetool.core.scale import Scale
from judgetool.gui.keymap import Keymap, act_on, native
from judgetool.gui.painting import (
    GradeStyle,
    draw_confidence,
    draw_dashed_frame,
    draw_frame,
    draw_key_cap,
    draw_symbol,
    draw_text,
    key_cap_size,
    scale_styles,
    smooth,
    start_align,
)
from judgetool.gui.theme import Role, line_height, scaled, text_width
from judgetool.gui.widgets.banner import Banner, BannerText
from judgetool.gui.widgets.buttons import FaceButton
from judgetool.gui.widgets.fields import NumberEntry
from judgetool.gui.widgets.labels import (
    Align,
    CapPart,
    Look,
    Piece,
    TextPart,
    pieces_width,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import (
    RING,
    PaintedButton,
    PaintedWidget,
    fill_width,
    mirrored,
    visual,
)
from judgetool.wording import N_, _

_FACE_INSET = 8
_TIGHT_INSET = 2
_DISC = 16
_GAP = 8
_LEAST_NAME = 40
_UNDER_SPACE = 3
_DOT, _DOT_GAP = 4, 3


class Detail(IntEnum):
    """How much a level's button has room for."""

    TIGHT = -1
    KEY = 0
    SYMBOL = 1
    NAME = 2


class Lines(Enum):
    """How a level's name is set: beside its symbol on one line or two, or under key and symbol."""

    ONE = "one"
    TWO = "two"
    UNDER = "under"


_NAME_ROLES = {
    Lines.ONE: Role.UI_STRONG,
    Lines.TWO: Role.META_STRONG,
    Lines.UNDER: Role.SMALL,
}


def _key_role(detail: Detail) -> Role:
    return Role.KEY if detail is Detail.TIGHT else Role.KEY_LARGE


def _dots_width() -> int:
    """Return the width in px of the dots that tell how sure somebody is."""
    return 3 * scaled(_DOT) + 2 * scaled(_DOT_GAP)


class CountedGrade(NamedTuple):
    """The grade that counts of a document where its assessor has not given it: shown, but not as given.

    Attributes:
        grade: which, perhaps between two levels; ``None`` where it counts as one that cannot be judged.
        view: by which view it counts: ``Counts by ‘Majority’: 2``.
        said: what the assessor said instead: ``You said 0``.
    """

    grade: float | None
    view: str
    said: str

    @property
    def why(self) -> str:
        """All of it in sentences."""
        return f"{self.view}. {self.said}."


class LevelButton(PaintedButton):
    """One level: its key, its symbol, its name; ground and border tell the grade given.

    A dashed border alone tells that this grade counts, without being the assessor's.

    Attributes:
        is_given: whether the assessor has given the document this grade.
        counts: why this grade counts that they have not given; ``""`` where it does not.
        is_keyed: whether it is a key that presses it now.
    """

    radius = 7.0

    def __init__(self, scale: Scale, place: int, *, height: int, parent: QWidget) -> None:
        """Make the button of level ``place`` (from 0).

        Args:
            scale: the project's.
            place: of the level.
            height: of the face in px.
            parent: the bar.
        """
        super().__init__(parent)
        self._scale = scale
        self._place = place
        self._height = height
        self.is_given = self.is_keyed = False
        self._confidence: int | None = None
        self.counts = ""
        self.detail = Detail.NAME
        self.lines = Lines.ONE
        level = scale.levels[place]
        self.grade = level.grade
        self.setText(level.shown_name)
        self._describe()
        self._explain()

    def set_given(self, *, is_given: bool, confidence: int | None = None, counts: str = "") -> None:
        """Show, or no longer show, that the document has this grade, and how sure it is.

        Args:
            is_given: whether the assessor has given it.
            confidence: as in ``CONFIDENCES``, shown as so many of three dots; ``None``
                where nothing was said of it.
            counts: why it counts though they have not given it; ``""`` where it does not.
        """
        confidence = confidence if is_given else None
        is_counted = counts != self.counts
        if is_counted or (is_given, confidence) != (self.is_given, self._confidence):
            self.is_given, self._confidence, self.counts = is_given, confidence, counts
            self._describe()
            if is_counted:
                self._explain()
            self.update()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press it."""
        self.is_keyed = True
        if not act_on(self, event):
            super().keyPressEvent(event)
        self.is_keyed = False

    @override
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Let Space press it."""
        self.is_keyed = True
        super().keyReleaseEvent(event)
        self.is_keyed = False

    def set_height(self, height: int) -> None:
        """Make the face as high as the bar lets it be."""
        self._height = height
        self.updateGeometry()

    @property
    def style_of_level(self) -> GradeStyle:
        """The look of this level in the theme that is shown."""
        return scale_styles(self._scale, self.theme)[self._place]

    @property
    def key(self) -> str:
        """The level's key as printed on its cap; its grade where it has none."""
        level = self._scale.levels[self._place]
        return native(level.key.upper()) or self.style_of_level.text

    def width_for(self, detail: Detail, *, name: int | None = None) -> int:
        """Return the width of the whole button with so much in it.

        Args:
            detail: what is shown.
            name: room for the name in px; ``None`` for all that it needs.
        """
        inset = _TIGHT_INSET if detail is Detail.TIGHT else scaled(_FACE_INSET)
        width = 2 * (inset + RING) + key_cap_size(self.key, role=_key_role(detail))[0]
        if detail >= Detail.SYMBOL:
            width += scaled(_GAP) + scaled(_DISC)
        if detail >= Detail.NAME:
            width += scaled(_GAP) + (self.name_width if name is None else name) + scaled(2)
        return width

    @property
    def name_width(self) -> int:
        """Room in px that the whole name needs."""
        return text_width(Role.UI_STRONG, self.text()) + 1

    @property
    def stacked_width(self) -> int:
        """Room in px that the whole name needs on two lines."""
        return max(text_width(Role.META_STRONG, part) for part in self._name_lines) + 1

    @property
    def is_stacked(self) -> bool:
        """Whether the name may be on two lines."""
        return self.lines is not Lines.ONE

    @property
    def under_size(self) -> QSize:
        """Size of the whole button with its name under key and symbol, on as many lines as it has."""
        cap, height = key_cap_size(self.key)
        names = max(text_width(Role.SMALL, part) for part in self._name_lines) + 1
        above = cap + 2 * scaled(_GAP) + scaled(_DISC) + _dots_width()
        width = max(names, above) + scaled(_FACE_INSET)
        height += self._height_of_small + 2 * _UNDER_SPACE
        return QSize(width + 2 * RING, height + 2 * RING)

    @property
    def _name_lines(self) -> tuple[str, ...]:
        """The name on two lines, divided where they get shortest; on one without a blank."""
        words = self.text().split()
        divided = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        if not divided:
            return (self.text(),)
        return min(divided, key=lambda each: max(text_width(Role.META_STRONG, p) for p in each))

    @property
    def _height_of_small(self) -> int:
        """Height in px of the name under key and symbol."""
        return line_height(Role.SMALL) * len(self._name_lines)

    @property
    def least_name(self) -> int:
        """Room in px under which an elided name says nothing."""
        return min(self.name_width, scaled(_LEAST_NAME))

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        if self.lines is Lines.UNDER:
            return QSize(self.under_size.width() - 2 * RING, self._height)
        return QSize(self.width_for(self.detail) - 2 * RING, self._height)

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the face."""
        theme, face, style = self.theme, self.face, self.style_of_level
        self._paint_ground(painter, face, style)
        self._paint_confidence(painter, face, style)
        ink = theme.text if self.isEnabled() else theme.disabled
        is_under = self.detail is Detail.NAME and self.lines is Lines.UNDER
        role = Role.KEY if is_under else _key_role(self.detail)
        width, height = key_cap_size(self.key, role=role)
        top = face.top() + round((face.height() - height) / 2)
        cap = QRectF(face.left() + scaled(_FACE_INSET), top, width, height)
        if self.detail <= Detail.KEY:
            cap.moveLeft(face.left() + round((face.width() - width) / 2))
        if is_under:
            cap.moveTo(face.left() + scaled(_FACE_INSET) / 2, top - self._height_of_small // 2)
        draw_key_cap(painter, self.mirrored(cap), theme, text=self.key, role=role, colour=ink)
        if self.detail <= Detail.KEY:
            return
        disc = scaled(_DISC)
        top = cap.top() + round((cap.height() - disc) / 2)
        square = QRectF(cap.right() + scaled(_GAP), top, disc, disc)
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        draw_symbol(painter, self.mirrored(square), style)
        painter.setOpacity(1.0)
        if is_under:
            below = QRectF(
                cap.left(), cap.bottom(), face.right() - cap.left(), self._height_of_small
            )
            self._paint_name(painter, below, ink)
        elif self.detail is Detail.NAME:
            left = square.right() + scaled(_GAP)
            room = face.right() - scaled(_FACE_INSET) - left + 1
            self._paint_name(painter, QRectF(left, face.top(), room, face.height()), ink)

    def _paint_name(self, painter: QPainter, place: QRectF, ink: QColor) -> None:
        role = _NAME_ROLES[self.lines]
        lines = self._name_lines if self.is_stacked else (self.text(),)
        height = line_height(role) if self.is_stacked else place.height()
        top = place.center().y() - height * len(lines) / 2
        for number, line in enumerate(lines):
            draw_text(
                painter,
                self.mirrored(QRectF(place.left(), top + number * height, place.width(), height)),
                line,
                role=role,
                colour=ink,
                align=start_align(self.layoutDirection()),
            )

    def _paint_confidence(self, painter: QPainter, face: QRectF, style: GradeStyle) -> None:
        """Paint three dots at a corner without name, as many of them full as one is sure."""
        if self._confidence is None:
            return
        size, width = scaled(_DOT), _dots_width()
        left, top = face.right() - scaled(_FACE_INSET) - width + 1, face.bottom() - size - scaled(3)
        if self.detail is Detail.NAME and self.lines is Lines.UNDER:
            top = face.top() + scaled(_FACE_INSET)
        place = self.mirrored(QRectF(left, top, width, size))
        draw_confidence(painter, place, style.ink, confidence=self._confidence)

    def _paint_ground(self, painter: QPainter, face: QRectF, style: GradeStyle) -> None:
        theme = self.theme
        if not self.isEnabled():
            draw_frame(painter, face, radius=self.radius, border=theme.line, ground=theme.panel)
            return
        if self.is_given:
            ground = theme.chip_ground(style.ink)
            draw_frame(painter, face, radius=self.radius, border=style.ink, ground=ground)
            with smooth(painter, QPen(style.ink, 2.0)):
                painter.drawRoundedRect(face.adjusted(1, 1, -1, -1), 6, 6)
            return
        ground = theme.sunken if self.isDown() else theme.base
        if self.underMouse() and not self.isDown():
            ground = theme.hover
        border = QColor(Qt.GlobalColor.transparent) if self.counts else theme.line_strong
        draw_frame(painter, face, radius=self.radius, border=border, ground=ground)
        if self.counts:
            draw_dashed_frame(painter, face, radius=self.radius, border=style.ink)

    def _describe(self) -> None:
        level = self._scale.levels[self._place]
        said = _("{name}, grade {grade}")
        if self.is_given:
            said = _("{name}, grade {grade}, given")
        elif self.counts:
            said = _("{name}, grade {grade}, counts here")
        said = said.format(name=level.shown_name, grade=self.style_of_level.text)
        if self._confidence is not None:
            said = f"{said}, {_(CONFIDENCES[self._confidence])}"
        self.setAccessibleName(said)

    def _explain(self) -> None:
        """Say in description and tooltip what the level means, and why it counts."""
        level = self._scale.levels[self._place]
        told = [level.shown_definition, self.counts]
        self.setAccessibleDescription(" ".join(filter(None, told)))
        named = ": ".join(filter(None, (level.shown_name, level.shown_definition)))
        tip = [f"{level.key.upper()}  {named}".strip(), self.counts]
        self.setToolTip(plain_tooltip("\n".join(filter(None, tip))))


class ActionButton(FaceButton):
    """A key cap with what the key does; without room, the cap alone."""

    radius = 4.0
    inset = 0.0

    def __init__(self, name: str, key: str, text: str, *, parent: QWidget) -> None:
        """Make the button.

        Args:
            name: what the bar's signal says.
            key: printed on the cap.
            text: what it does.
            parent: the bar.
        """
        super().__init__(parent)
        self.name, self.key = name, ""
        self.has_text = True
        self._is_lit = False
        self.setText(text)
        self.setAccessibleName(text)
        self.set_key(key)

    def set_key(self, key: str) -> None:
        """Print another key on the cap."""
        if key != self.key:
            self.key = key
            self.setToolTip(plain_tooltip(f"{self.text()}  {key}".rstrip()))
            self.setAccessibleDescription(key)
            self.face_changed()

    def set_lit(self, *, is_lit: bool) -> None:
        """Show that this holds of the document: flagged, skipped, with a note."""
        if is_lit != self._is_lit:
            self._is_lit = is_lit
            self.setAccessibleName(
                _("{text}, given").format(text=self.text()) if is_lit else self.text()
            )
            self.update()

    def width_for(self, *, has_text: bool) -> int:
        """Return the width of the whole button with or without its text."""
        width = key_cap_size(self.key)[0] + 2 * RING
        return width + (scaled(6) + self._words) * has_text

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        return QSize(pieces_width(self.pieces()), key_cap_size(self.key)[1])

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return the key, and what it does."""
        cap = CapPart(self.key, self._ink(), self._is_lit and self.isEnabled())
        words = TextPart(self.text(), Role.META, self._ink())
        return (cap.piece(), words.piece(scaled(6)))[: 1 + self.has_text]

    @property
    def _words(self) -> int:
        return text_width(Role.META, self.text()) + 1

    def _ink(self) -> str:
        if not self.isEnabled():
            return "disabled"
        if self._is_lit:
            return "accent"
        return "text" if self.underMouse() else "text2"


# Height of the whole bar by the room that the window has for it.
HEIGHTS = {"low": 44, "standard": 60, "focus": 72}
NAMES_FROM = 640

_INSET = 12
_FOCUS_INSET = 32
_BETWEEN = 6
_ROWS_OF_ACTIONS = 2
_ACTION_PITCH = 22


class BarAction(NamedTuple):
    """A small button right of the levels.

    Attributes:
        name: what the signal says.
        key: printed on its cap.
        text: what it does.
    """

    name: str
    key: str
    text: str


DEFAULT_ACTIONS = (
    BarAction("cannot_judge", "X", N_("Cannot judge")),
    BarAction("flag", "F", N_("Flag")),
    BarAction("skip", "S", N_("Skip")),
    BarAction("note", "E", N_("Note")),
)


class _Fit(NamedTuple):
    """How much of everything there is room for; ``widths`` are of whole buttons, in px."""

    detail: Detail
    widths: Sequence[int]
    has_text: bool
    lines: Lines = Lines.ONE


def _sums(ones: Sequence[int], others: Sequence[int]) -> list[int]:
    return [one + other for one, other in zip(ones, others, strict=True)]


class GradeBar(PaintedWidget):
    """Level buttons left, small actions right of them; a banner can take its whole place.

    Clicks never take the keyboard from the list; the keys themselves belong to the
    window's actions. The height depends on :meth:`set_room` only, so nothing above moves.
    ``level_chosen`` carries a grade and by what it was given, ``key`` or ``click``,
    ``asked`` tells what a banner says, ``laid_out`` that there may be room for the hint or no longer.

    Attributes:
        levels: the level buttons, lowest grade first.
        actions_shown: the small buttons.
        banner: shown or not.
        offered: names of the answers that stand in its place now.
    """

    level_chosen = Signal(float, str)
    action_chosen = Signal(str)
    number_given = Signal(float, bool)
    banner_chosen = Signal(str)
    asked = Signal(str)
    laid_out = Signal()

    heard_as = QAccessible.Role.Grouping
    ground, edge = "panel", "top"

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        actions: tuple[BarAction, ...] = DEFAULT_ACTIONS,
    ) -> None:
        """Make the bar.

        Args:
            parent: of the widget.
            actions: down the columns of two, left to right.
        """
        super().__init__(parent)
        self._room = "standard"
        self._hint = ("", "")
        self._actions_end = 0
        # What a long sentence needs: one that is cut asks nothing.
        self._banner_height = 0
        self.offered: AbstractSet[str] = frozenset()
        self._given: float | None = None
        self._confidence: int | None = None
        self._counted: CountedGrade | None = None
        self._lit: AbstractSet[str] = frozenset()
        self._scale: Scale | None = None
        self._keymap = Keymap()
        self._is_judging = True
        self.levels: list[LevelButton] = []
        self.actions_shown = [self._make_action(action) for action in actions]
        self.entry = NumberEntry(self)
        self.entry.hide()
        self.entry.given.connect(self.number_given)
        self.banner = Banner(self)
        self.banner.hide()
        self.banner.chosen.connect(self.banner_chosen)
        fill_width(self)
        self.setAccessibleName(_("Grades"))

    def set_scale(self, scale: Scale) -> None:
        """Offer the levels of another scale; the grade given is kept where it has one."""
        self._scale = scale
        self.entry.set_scale(scale)
        self.entry.setVisible(self._has_entry and self.banner.isHidden())
        scale = scale_without_keys(scale) if self._has_entry else self._keymap.personal(scale)
        for button in self.levels:
            button.hide()
            button.deleteLater()
        height, places = self._face_height(), range(len(scale.levels))
        self.levels = [LevelButton(scale, at, height=height, parent=self) for at in places]
        for button in self.levels:
            button.clicked.connect(partial(self._give, button))
            button.setEnabled(self._is_judging)
            button.setVisible(self.banner.isHidden())
            button.stackUnder(self.actions_shown[0])
        self._mark_levels()
        self._lay_out()

    def _give(self, button: LevelButton) -> None:
        self.level_chosen.emit(button.grade, "key" if button.is_keyed else "click")

    @property
    def _has_entry(self) -> bool:
        """Whether grades are typed as numbers."""
        return self._scale is not None and self._scale.is_continuous

    def set_keymap(self, keymap: Keymap, actions: Mapping[str, str]) -> None:
        """Print a person's keys on the caps.

        Args:
            keymap: whose grades have which keys.
            actions: key of each small action by its name; ``""`` for none.
        """
        for button in self.actions_shown:
            button.set_key(actions.get(button.name, button.key))
        is_same = keymap == self._keymap
        self._keymap = keymap
        if self._scale is not None and not is_same:
            self.set_scale(self._scale)
        else:
            self._lay_out()

    def set_given(
        self,
        grade: float | None,
        *,
        actions: AbstractSet[str] = frozenset(),
        confidence: int | None = None,
        counted: CountedGrade | None = None,
    ) -> None:
        """Show what the assessor has said of the document, and what counts of it otherwise.

        Args:
            grade: theirs; ``None`` for none.
            actions: names of the small actions that hold of it (``flag``, ``note``).
            confidence: how sure the assessor is, as in ``CONFIDENCES``; ``None`` if unsaid.
            counted: the grade that counts where it is not theirs; ``None`` elsewhere.
        """
        if self._has_entry:
            self.entry.set_given(grade)
            self.entry.set_counted(*(counted.grade, counted.why) if counted else (None, ""))
        # Asked with every key, and mostly of another document that has none.
        said = grade, confidence, counted
        if said != (self._given, self._confidence, self._counted):
            self._given, self._confidence, self._counted = said
            self._mark_levels()
        if actions != self._lit:
            self._lit = actions
            for action in self.actions_shown:
                action.set_lit(is_lit=action.name in actions)

    def _mark_levels(self) -> None:
        counted = self._counted
        for button in self.levels:
            counts = counted is not None and button.grade == counted.grade
            button.set_given(
                is_given=button.grade == self._given,
                confidence=self._confidence,
                counts=counted.why if counted is not None and counts else "",
            )

    def set_judging(self, *, is_judging: bool) -> None:
        """Let grades be given, or show the bar as closed (not saved, read-only)."""
        self._is_judging = is_judging
        for button in (*self.levels, *self.actions_shown, self.entry):
            button.setEnabled(is_judging)

    def set_hint(self, first: str, second: str = "") -> None:
        """Say something small at the far end, in two lines: what follows a grade."""
        self._hint = (first, second)
        self._lay_out()
        self.update()

    def set_room(self, room: str) -> None:
        """Choose the height: ``low`` (44 px), ``standard`` (60) or ``focus`` (72)."""
        if room == self._room:
            return
        self._room = room
        for button in self.levels:
            button.set_height(self._face_height())
        self.updateGeometry()
        self._lay_out()

    def show_banner(self, content: BannerText) -> None:
        """Say in the bar's place what needs an answer."""
        self.banner.set_content(content)
        self._show_banner(is_shown=True)
        self.asked.emit(content.sentence)

    def hide_banner(self) -> None:
        """Show the levels again."""
        self._show_banner(is_shown=False)

    def _show_banner(self, *, is_shown: bool) -> None:
        for button in (*self.levels, *self.actions_shown):
            button.setVisible(not is_shown)
        self.entry.setVisible(self._has_entry and not is_shown)
        self.banner.setVisible(is_shown)
        self.offered = frozenset(dict(self.banner.content.answers)) if is_shown else frozenset()
        self._lay_out()
        self.update()

    def _make_action(self, action: BarAction) -> ActionButton:
        button = ActionButton(action.name, action.key, _(action.text), parent=self)
        button.clicked.connect(lambda: self.action_chosen.emit(action.name))
        return button

    @property
    def _inset(self) -> int:
        """Where the bar's content begins: in focus under the text."""
        return scaled(_FOCUS_INSET if self._room == "focus" else _INSET)

    def _face_height(self) -> int:
        bar = scaled(HEIGHTS[self._room])
        return min(scaled(38), bar - 2 * RING - 2)

    @property
    def _n_rows(self) -> int:
        """On how many rows the small buttons stand."""
        return 1 if self._room == "low" else _ROWS_OF_ACTIONS

    @override
    def relayout(self) -> None:
        """Lay out anew after a change of font."""
        for button in self.levels:
            button.set_height(self._face_height())
        super().relayout()
        self._lay_out()

    @override
    def sizeHint(self) -> QSize:
        """Return the height of the room or of a longer banner, and a width at which every name is whole."""
        names = sum(button.width_for(Detail.NAME) for button in self.levels)
        width = names + self._actions_width(has_text=True) + 3 * self._inset
        return QSize(width, max(scaled(HEIGHTS[self._room]), self._banner_height))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the height of the room, and a width for the keys alone."""
        keys = sum(button.width_for(Detail.KEY) for button in self.levels)
        width = keys + self._actions_width(has_text=False) + 3 * self._inset
        return QSize(min(width, 320), max(scaled(HEIGHTS[self._room]), self._banner_height))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new width."""
        super().resizeEvent(event)
        self._lay_out()

    def _columns(self) -> list[list[ActionButton]]:
        rows = self._n_rows
        return [
            self.actions_shown[at : at + rows] for at in range(0, len(self.actions_shown), rows)
        ]

    def _actions_width(self, *, has_text: bool) -> int:
        columns = self._columns()
        widths = (max(b.width_for(has_text=has_text) for b in column) for column in columns)
        return sum(widths) + scaled(8) * max(0, len(columns) - 1)

    @property
    def shows_hint(self) -> bool:
        """Whether there is room for the hint."""
        width = self._hint_width()
        end = self.width() - self._inset - width
        return bool(width) and self.banner.isHidden() and end > self._actions_end

    def _hint_width(self) -> int:
        if not any(self._hint):
            return 0
        first = text_width(Role.META, self._hint[0])
        return max(first, text_width(Role.META_STRONG, self._hint[1])) + 2

    def _lay_out(self) -> None:
        is_asking = not self.banner.isHidden()
        height = self.banner.height_at(self.width()) if is_asking else 0
        if height != self._banner_height:
            self._banner_height = height
            self.updateGeometry()
        if is_asking:
            self.banner.setGeometry(self.rect())
            return
        inset = self._inset
        fit = self._fit(self._room_from(inset))
        if fit.detail is not Detail.NAME and inset > scaled(_INSET):
            # Names are worth more than that the bar begins under the text.
            wider = self._fit(self._room_from(scaled(_INSET)))
            inset, fit = (scaled(_INSET), wider) if wider.detail is Detail.NAME else (inset, fit)
        detail, has_text = fit.detail, fit.has_text
        between = scaled(_BETWEEN) if detail > Detail.TIGHT else 2
        left = inset - RING
        height = self._face_height() + 2 * RING
        if fit.lines is Lines.UNDER:
            height = max(height, self._height_under())
        top = (self.height() - height) // 2 + 1
        for button, width in zip(self.levels, fit.widths, strict=True):
            button.detail, button.lines = detail, fit.lines
            button.set_height(height - 2 * RING)
            button.setGeometry(visual(self, QRect(left, top, width, height)))
            left += width + between - 2 * RING
        if self._has_entry:
            entry = QRect(left + scaled(_BETWEEN), 0, self.entry.width(), scaled(28))
            entry.moveTop((self.height() - entry.height()) // 2 + 1)
            self.entry.setGeometry(visual(self, entry))
            left = entry.right() + scaled(_BETWEEN)
        self._place_actions(left + scaled(_BETWEEN), has_text=has_text)
        self.laid_out.emit()

    def _room_from(self, inset: int) -> int:
        """Return the room in px for levels and actions between insets."""
        room = self.width() - 2 * inset + 2 * RING
        if self._has_entry:
            room -= self.entry.width() + 2 * scaled(_BETWEEN)
        return room

    def _height_under(self) -> int:
        """Return the height of the levels with their names under key and symbol, in px."""
        return max((button.under_size.height() for button in self.levels), default=0)

    def _fit(self, room: int) -> _Fit:
        """Return what levels show in a room.

        Names go on two lines first, which costs nobody anything; then the text of the actions
        gives; then names go under key and symbol, where the bar is high enough; then they are
        cut (the longest most), then all names go, then the symbols: two levels may differ in
        their last letter only.
        """
        gaps = (scaled(_BETWEEN) - 2 * RING) * (len(self.levels) - 1)
        wished = [button.name_width for button in self.levels]
        stacked = [button.stacked_width for button in self.levels]
        bare = [button.width_for(Detail.NAME, name=0) for button in self.levels]
        under = [button.under_size.width() for button in self.levels]
        has_height = self._height_under() <= self.height() - 2
        beside, two = (_sums(bare, each) for each in (wished, stacked))
        whole = [(beside, Lines.ONE, True), (two, Lines.TWO, True), (two, Lines.TWO, False)]
        whole += [(under, Lines.UNDER, has_text) for has_text in (True, False) if has_height]
        for widths, lines, has_text in whole:
            if sum(widths) + gaps + self._actions_width(has_text=has_text) <= room:
                return _Fit(Detail.NAME, widths, has_text=has_text, lines=lines)
        rest = room - gaps - sum(bare) - self._actions_width(has_text=False)
        least = [button.least_name for button in self.levels]
        if self.width() >= scaled(NAMES_FROM) and sum(least) <= rest:
            widths = _sums(bare, level_widths(stacked, least, rest))
            return _Fit(Detail.NAME, widths, has_text=False, lines=Lines.TWO)
        for detail in (Detail.SYMBOL, Detail.KEY):
            widths = [button.width_for(detail) for button in self.levels]
            for has_text in (True, False):
                if sum(widths) + gaps + self._actions_width(has_text=has_text) <= room:
                    return _Fit(detail, widths, has_text=has_text)
        tight = [button.width_for(Detail.TIGHT) for button in self.levels]
        return _Fit(Detail.TIGHT, tight, has_text=False)

    def _place_actions(self, left: int, *, has_text: bool) -> None:
        pitch = scaled(_ACTION_PITCH)
        for column in self._columns():
            width = max(button.width_for(has_text=has_text) for button in column)
            height = key_cap_size(column[0].key)[1] + 2 * RING
            top = (self.height() - (self._n_rows - 1) * pitch - height) // 2 + 1
            for row, button in enumerate(column):
                button.has_text = has_text
                place = QRect(left, top + row * pitch, width, height)
                button.setGeometry(visual(self, place))
                # Half a button says nothing; its key and its place in the menu stay.
                button.setVisible(place.right() <= self.width())
            left += width + scaled(8)
        self._actions_end = left

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the ground, the line above and the hint."""
        super().draw(painter, exposed)
        width = self._hint_width()
        if self.shows_hint:
            left = self.width() - self._inset - width
            self._paint_hint(painter, QRectF(left, 0, width, self.height()))

    def _paint_hint(self, painter: QPainter, rect: QRectF) -> None:
        height = line_height(Role.META)
        place = QRectF(rect.left(), rect.center().y() - height, rect.width(), height)
        look = Look(self.theme, self.isRightToLeft())
        lines = ((Role.META, "text3"), (Role.META_STRONG, "text"))
        for text, (role, ink) in zip(self._hint, lines, strict=True):
            TextPart(text, role, ink, Align.END).paint(painter, mirrored(self, place), look)
            place.translate(0, height)


def scale_without_keys(scale: Scale) -> Scale:
    """Return a scale whose levels have no keys: where numbers are typed, digits begin one."""
    return replace(scale, levels=tuple(level._replace(key="") for level in scale.levels))


def level_widths(wished: list[int], least: list[int], room: int) -> list[int]:
    """Return widths that fit the room: the widest give first, none under its least.

    Args:
        wished: what each would like.
        least: what each must have; their sum fits.
        room: for all together.
    """
    widths = list(wished)
    while sum(widths) > room:
        over = [at for at in range(len(widths)) if widths[at] > least[at]]
        if not over:
            break
        widest = max(over, key=lambda at: widths[at])
        widths[widest] -= 1
    return widths
