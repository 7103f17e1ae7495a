"""Buttons whose face is a line of pieces: pills, switches, heads that fold what is under them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QButtonGroup, QMenu, QSizePolicy, QToolButton, QWidget

from judgetool.core import override
from judgetool.core.policy import SET_BY, policy
from judgetool.core.terms import short_name
from judgetool.gui.icons import themed_icon
from judgetool.gui.keymap import native
from judgetool.gui.painting import (
    CENTRE,
    draw_frame,
    draw_line,
    draw_text,
    format_count,
    is_right_to_left,
    smooth,
)
from judgetool.gui.theme import Role, icon_side, line_height, scaled, text_width
from judgetool.gui.widgets.labels import (
    Align,
    CapPart,
    IconPart,
    Look,
    Piece,
    TextPart,
    paint_pieces,
    pieces_width,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import (
    RING,
    PaintedButton,
    PaintedWidget,
    fill_width,
    in_column,
    in_line,
)
from judgetool.wording import N_, _, in_words, pgettext

INSET = 12
_CHEVRON = 14
_CROSS = 7
_DISC, _ICON = 20, 15
_LONGEST_NAME = 160
_BLIND_TEXTS = {True: N_("Blind"), False: N_("Blind off")}


def offer(menu: QMenu, text: str, choose: Callable[[], object], *, is_on: bool) -> QAction:
    """Put an entry into a menu, marked where it is what holds now."""
    # An ampersand in a name is no mnemonic.
    action = menu.addAction(short_name(text, most=80).replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(is_on)
    action.triggered.connect(lambda _on=False: choose())
    return action


class FaceButton(PaintedButton):
    """A button that says what stands on its face; where that stands, and its size, follow.

    Attributes:
        inset: at both ends, in px at a 13 px font.
        least_height: of the face, likewise.
        is_compact: whether it shows a sign alone; change it by :meth:`set_compact`.
    """

    inset = 8.0
    least_height = 24.0
    is_compact = False

    def set_compact(self, *, is_compact: bool) -> None:
        """Show a sign alone, named by the tooltip, or words beside it."""
        if is_compact != self.is_compact:
            self.is_compact = is_compact
            self.face_changed()

    def pieces(self) -> Sequence[Piece]:
        """Return what stands on the face; subclasses say."""
        raise NotImplementedError

    def frame(self) -> tuple[str, str] | None:
        """Return the colours of border and ground by their names; ``None`` for neither."""
        return None

    def side(self) -> int:
        """Return the room at both ends in px, with the font as it is now."""
        return scaled(self.inset)

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        width = 2 * self.side() + pieces_width(self.pieces())
        return QSize(width, max(scaled(self.least_height), line_height(Role.UI)))

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint border and ground, and the pieces on them."""
        theme, face, frame = self.theme, self.face, self.frame()
        if frame is not None:
            border, ground = (getattr(theme, name) for name in frame)
            radius = min(self.radius, face.height() / 2)
            draw_frame(painter, face, radius=radius, border=border, ground=ground)
        inner = face.adjusted(self.side(), 0, -self.side(), 0)
        paint_pieces(painter, self.pieces(), inner, Look(theme, self.isRightToLeft()))

    def face_changed(self) -> None:
        """Have the face painted, and the button placed, anew."""
        self.updateGeometry()
        self.update()

    @property
    def is_lively(self) -> bool:
        """Whether the pointer is over it, or holds it down."""
        return self.underMouse() or self.isDown()


class _CrossPart(TextPart):
    """The cross of a pill that can be taken away."""

    @override
    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        centre = rect.center()
        with smooth(painter, QPen(look.theme.accent, 1.5)):
            for reach in (QPointF(_CROSS / 2, _CROSS / 2), QPointF(_CROSS / 2, -_CROSS / 2)):
                painter.drawLine(centre - reach, centre + reach)


class Pill(FaceButton):
    """A checkable filter: a word, a count whose figures are of equal width, perhaps a cross.

    ``toggled(bool)`` says that it was switched.
    """

    inset = 10.0
    least_height = 22.0
    radius = 1000.0

    def __init__(
        self,
        text: str,
        count: int | None = None,
        *,
        has_cross: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Make a pill.

        Args:
            text: the filter's name.
            count: how many it lets through; ``None`` shows no number.
            has_cross: show × while it is active (a filter that can be taken away).
            parent: of the widget.
        """
        super().__init__(parent)
        self._count = count
        self._has_cross = has_cross
        self.setCheckable(True)
        self.setText(text)
        self._describe()

    def set_count(self, count: int | None) -> None:
        """Show another number."""
        if count != self._count:
            before = self._number
            self._count = count
            self._describe()
            # Figures are of equal width.
            if len(self._number) != len(before):
                self.updateGeometry()
            self.update()

    @override
    def frame(self) -> tuple[str, str] | None:
        """Return accent where it is on, and a stronger line under the pointer."""
        if self.isChecked():
            return "accent", "selected"
        return ("line_strong" if self.underMouse() else "line"), "base"

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return word, count and the cross's room, in the order in which the word is read."""
        is_on = self.isChecked()
        role = Role.META_STRONG if is_on else Role.META
        ink = "disabled" if not self.isEnabled() else "accent" if is_on else "text2"
        texts = [self.text()] if self._count is None else [self.text(), self._number]
        if is_right_to_left(self.text()) is self.isLeftToRight():
            texts.reverse()
        pieces = [
            # As wide as if it were on, so that choosing moves nothing.
            Piece(
                TextPart(text, role, ink, Align.LEFT),
                text_width(Role.META_STRONG, text),
                scaled(5) if place else 0,
                # Where room is lacking, count and cross are seen all the same.
                gives=text == self.text(),
            )
            for place, text in enumerate(texts)
        ]
        if self._has_cross:
            pieces.append(Piece(_CrossPart("×") if is_on else None, _CROSS, scaled(5)))
        return pieces

    @property
    def _number(self) -> str:
        return "" if self._count is None else format_count(self._count)

    def _describe(self) -> None:
        self.setAccessibleName(f"{self.text()} {self._number}".strip())


class Segment(NamedTuple):
    """One choice of a segmented switch.

    Attributes:
        name: what the signal says.
        text: what is shown.
        icon: Lucide's name.
        key: shown in the tooltip, such as ``Ctrl+1``.
    """

    name: str
    text: str
    icon: str
    key: str = ""


class _SegmentButton(FaceButton):
    inset = 10.0

    def __init__(self, segment: Segment) -> None:
        super().__init__()
        self.segment = segment
        self.setText(_(segment.text))
        self.setCheckable(True)
        # One of several, for readers; the group alone would have each be a box to tick.
        self.setAutoExclusive(True)
        self.setAccessibleName(_(segment.text))
        self.setAccessibleDescription(native(segment.key))
        self.setToolTip(plain_tooltip(f"{_(segment.text)}  {native(segment.key)}".rstrip()))

    @override
    def frame(self) -> tuple[str, str] | None:
        return ("line_strong", "raised") if self.isChecked() else None

    @override
    def side(self) -> int:
        # Icons alone stand where there is no room: what is beside them does not grow with the font.
        return round(self.inset) if self.is_compact else super().side()

    @override
    def pieces(self) -> Sequence[Piece]:
        is_on, is_open = self.isChecked(), self.isEnabled()
        ink = "text" if is_on or (self.underMouse() and is_open) else "text2"
        ink = ink if is_open else "disabled"
        sign = IconPart(self.segment.icon, ink if is_on or not is_open else "text3", _ICON)
        if self.is_compact:
            return (sign.piece(),)
        # Sized for its bold state, so that choosing moves nothing.
        width = text_width(Role.UI_STRONG, self.text())
        text = TextPart(self.text(), Role.UI_STRONG if is_on else Role.UI, ink)
        return sign.piece(), Piece(text, width, scaled(6))


class Segmented(PaintedWidget):
    """A row of choices of which one holds; arrow keys move while it has the keyboard."""

    chosen = Signal(str)

    def __init__(self, segments: tuple[Segment, ...], *, parent: QWidget | None = None) -> None:
        """Make the switch; the first choice holds.

        Args:
            segments: at least one.
            parent: of the widget.
        """
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(_("View"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, _SegmentButton] = {}
        self._row = in_line(host=self)
        for segment in segments:
            button = _SegmentButton(segment)
            self._buttons[segment.name] = button
            self._group.addButton(button)
            self._row.addWidget(button)
        self._group.buttonToggled.connect(lambda _button, _is_on: self._keep_stop())
        self._buttons[segments[0].name].setChecked(True)
        self._group.buttonClicked.connect(lambda: self.chosen.emit(self.current))

    @property
    def current(self) -> str:
        """Name of the choice that holds."""
        return next(name for name, button in self._buttons.items() if button.isChecked())

    def set_current(self, name: str) -> None:
        """Let another choice hold, without a signal.

        Raises:
            KeyError: there is no choice of this name.
        """
        self._buttons[name].setChecked(True)

    def _keep_stop(self) -> None:
        """Have Tab, and the key of panels, lead to the choice that holds, whatever has chosen it."""
        for button in self._buttons.values():
            stops = Qt.FocusPolicy.TabFocus if button.isChecked() else Qt.FocusPolicy.NoFocus
            button.setFocusPolicy(stops)

    def set_compact(self, *, is_compact: bool) -> None:
        """Show icons alone, named by their tooltips, or with their words."""
        for button in self._buttons.values():
            if button.is_compact is not is_compact:
                button.set_compact(is_compact=is_compact)
                self._row.invalidate()

    def width_of(self, *, is_compact: bool) -> int:
        """Return how wide the switch is, in px, with icons alone or with words."""
        inset = _SegmentButton.inset
        around = 2 * ((round(inset) if is_compact else scaled(inset)) + RING)
        words = [text_width(Role.UI_STRONG, each.text()) for each in self._buttons.values()]
        return sum(
            around + icon_side(_ICON) + (0 if is_compact else scaled(6) + width) for width in words
        )

    def set_available(self, name: str, *, is_available: bool) -> None:
        """Let a choice be taken, or show it as not to be had now."""
        self._buttons[name].setEnabled(is_available)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step == 0:
            super().keyPressEvent(event)
            return
        step = -step if self.isRightToLeft() else step
        names = [name for name, button in self._buttons.items() if button.isEnabled()]
        place = min(len(names) - 1, max(0, names.index(self.current) + step))
        if names[place] != self.current:
            self._buttons[names[place]].setFocus()
            self._buttons[names[place]].click()

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the ground that the choices share."""
        sunken, ground = self.theme.sunken, QRectF(self.rect()).adjusted(1, 1, -1, -1)
        draw_frame(painter, ground, radius=6 + RING - 1, border=sunken, ground=sunken)


class IconButton(QToolButton):
    """A square button with an icon alone: 26 px, larger with the text.

    Args:
        icon: Lucide's name.
        parent: of the widget.
    """

    def __init__(self, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(themed_icon(icon))
        self._fit()

    def _fit(self) -> None:
        # The icon itself is as large as the style sheet says.
        side = icon_side() + 10
        self.setFixedSize(side, side)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()


class BlindButton(FaceButton):
    """An eye, 'Blind' or 'Blind off', and the key; an accent border while it is on."""

    def __init__(self) -> None:
        super().__init__()
        self._is_on = False
        self._key = "B"
        self.set_state(is_on=False, is_required=False)

    def set_key(self, key: str) -> None:
        """Print another key on the cap; ``""`` for none."""
        self._key = key
        self.face_changed()

    def set_state(self, *, is_on: bool, is_required: bool) -> None:
        """Show whether blind mode is on, and whether the project asks for it."""
        self._is_on = is_on
        self.setText(_(_BLIND_TEXTS[is_on]))
        sentence = _("Rank, score, run, addresses, other assessors and values would be hidden.")
        if is_on:
            sentence = _("Rank, score, run, addresses, other assessors and values are hidden.")
        if is_required:
            who = _("The project requires it.")
            who = _("It is {by}.").format(by=_(SET_BY)) if policy().blind else who
            sentence = f"{who} {sentence}"
        self.setToolTip(plain_tooltip(sentence))
        self.setAccessibleName(_("Blind mode is on") if is_on else _("Blind mode is off"))
        self.face_changed()

    @property
    def words_width(self) -> int:
        """How much narrower it is when it shows the eye alone, in px."""
        return pieces_width(self._words())

    @override
    def frame(self) -> tuple[str, str] | None:
        """Return accent while it is on, else a ground under the pointer."""
        if self._is_on:
            return "accent", "selected"
        return ("line_strong", "sunken") if self.is_lively else None

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return eye, words and key; as wide on and off, so that nothing moves."""
        ink = "accent" if self._is_on else "text2"
        sign = IconPart("eye-off" if self._is_on else "eye", ink, 16)
        return (sign.piece(), *(() if self.is_compact else self._words(ink)))

    def _words(self, ink: str = "text2") -> list[Piece]:
        width = (
            max(text_width(Role.UI_STRONG, text) for text in in_words(_BLIND_TEXTS).values()) + 2
        )
        role = Role.UI_STRONG if self._is_on else Role.UI
        words = [Piece(TextPart(self.text(), role, ink), width, scaled(6))]
        return [*words, CapPart(self._key).piece(scaled(6))] if self._key else words


class _DiscPart(TextPart):
    """A letter in a disc; its ink is the disc's."""

    @override
    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        disc = QRectF(rect.left(), rect.center().y() - rect.width() / 2, rect.width(), rect.width())
        with smooth(painter, brush=getattr(look.theme, self.ink)):
            painter.drawEllipse(disc)
        ink = look.theme.text
        draw_text(painter, disc, self.text, role=self.role, colour=ink, align=CENTRE)


class AssessorBadge(FaceButton):
    """Who judges: the first letter in a disc, and the name, elided beyond 160 px."""

    inset = 6.0
    least_height = 22.0

    def __init__(self) -> None:
        super().__init__()
        self.setToolTip(_("Who judges"))

    @override
    def set_compact(self, *, is_compact: bool) -> None:
        """Show the disc alone, named by the tooltip, or the name beside it."""
        if is_compact != self.is_compact:
            name = f": {self.text()}" if is_compact else ""
            self.setToolTip(plain_tooltip(f"{_('Who judges')}{name}"))
        super().set_compact(is_compact=is_compact)

    @property
    def words_width(self) -> int:
        """How much narrower it is when it shows the disc alone, in px."""
        return pieces_width((self._name(),))

    def _name(self) -> Piece:
        name = self.text()
        width = min(text_width(Role.UI, name) + 1, scaled(_LONGEST_NAME))
        return Piece(TextPart(name), width, scaled(6))

    @override
    def frame(self) -> tuple[str, str] | None:
        """Return a ground under the pointer."""
        return ("sunken", "sunken") if self.is_lively else None

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return disc and name."""
        ground = "base" if self.underMouse() else "sunken"
        disc = Piece(_DiscPart(self.text().strip()[:1], Role.KEY, ground), scaled(_DISC))
        return (disc,) if self.is_compact else (disc, self._name())


class SectionHeader(FaceButton):
    """Chevron, title, and at the end a remark or a key cap; a click folds or unfolds.

    ``toggled(bool)`` says whether the section is open.
    """

    inset = INSET - RING

    def __init__(self, title: str, *, side: str = "", key: str = "") -> None:
        """Make a header.

        Args:
            title: what the section holds.
            side: a remark at the end, in text2.
            key: the key that opens the section, drawn as a cap at the end.
        """
        super().__init__()
        self._side = side
        self._key = key
        self.setCheckable(True)
        self.setChecked(True)
        fill_width(self)
        self.setText(title)
        self._describe()
        self.toggled.connect(self._describe)

    def set_title(self, title: str) -> None:
        """Show another title."""
        if title == self.text():
            return
        self.setText(title)
        self._describe()
        self.update()

    def set_side(self, side: str) -> None:
        """Show another remark at the end."""
        if side == self._side:
            return
        self._side = side
        self._describe()
        self.update()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(60, self.sizeHint().height())

    @override
    def face_size(self) -> QSize:
        """Return the size of the header: 34 px high at a 13 px font."""
        width = text_width(Role.UI_STRONG, self.text()) + icon_side(_CHEVRON) + 3 * INSET
        return QSize(width, scaled(34) - 2 * RING)

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return chevron, title, and at the end remark and key cap; the remark gives first."""
        shut = "chevron-right" if self.isLeftToRight() else "chevron-left"
        name = "chevron-down" if self.isChecked() else shut
        chevron = IconPart(name, "text2" if self.underMouse() else "text3", _CHEVRON)
        title = TextPart(self.text(), Role.UI_STRONG)
        pieces = [chevron.piece(), title.piece(scaled(8), gives=True)]
        side = TextPart(self._side, Role.META, "text2", Align.END)
        width = text_width(Role.META, self._side) + 1 if self._side else 0
        pieces.append(Piece(side, width, scaled(12) if width else 0, gives=True))
        if self._key:
            pieces.append(CapPart(self._key).piece(scaled(8) if self._side else 0))
        return pieces

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the ground, the separator above, and the pieces."""
        painter.fillRect(self.rect(), self.theme.panel)
        draw_line(painter, QRectF(0, 0, self.width(), 1), self.theme.line)
        super().paint_face(painter)

    def _describe(self) -> None:
        state = pgettext("state of a group", "open") if self.isChecked() else _("folded")
        parts = (part for part in (self.text(), self._side, state) if part)
        self.setAccessibleName(", ".join(parts))


class Section(QWidget):
    """A header with a body under it that the header folds away."""

    folded = Signal(bool)

    def __init__(self, header: SectionHeader, body: QWidget) -> None:
        """Join a header and a body."""
        super().__init__()
        self.header = header
        self.body = body
        in_column(header, body, 1, host=self)
        header.toggled.connect(self._fold)

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self.header.isChecked()

    def set_open(self, *, is_open: bool) -> None:
        """Show or fold the body."""
        self.header.setChecked(is_open)

    def _fold(self, is_open: bool) -> None:
        self.body.setVisible(is_open)
        policy = QSizePolicy.Policy.Preferred if is_open else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        self.folded.emit(not is_open)
