"""The scale: its levels as a table of fields, what is wrong with them, what becomes of grades that go."""

from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import (
    QColorDialog,
    QGridLayout,
    QLineEdit,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import local_count, number_of
from judgetool.core.scale import (
    MOST_GRADE,
    SCALE_PRESETS,
    Level,
    Scale,
    default_keys,
    exponential_p,
    scale_problem,
    tell_below_zero,
)
from judgetool.gui.dialogs.act_dialog import (
    INSET,
    combo,
    edit,
    framed_icon_button,
    grid_of,
    held,
    line_of,
    on_change,
    push_button,
    switch,
)
from judgetool.gui.dialogs.choose import Chooser, Choosers, WritingDialog
from judgetool.gui.dialogs.framed_list import chip_pieces
from judgetool.gui.icons import themed_icon
from judgetool.gui.keymap import GRADE, Keymap, native, title_of
from judgetool.gui.painting import (
    chip_height,
    colour_complaint,
    exact_grade,
    format_change,
    format_value,
)
from judgetool.gui.theme import DARK, LIGHT, Role, current_theme, line_height, scaled
from judgetool.gui.widgets.fields import parse_typed_number
from judgetool.gui.widgets.flow import Scrolled
from judgetool.gui.widgets.labels import Piece, PieceView, Text, plain_tooltip
from judgetool.gui.widgets.painted import announce, in_column, scroll_area
from judgetool.session.commands import SetScale
from judgetool.session.edits import (
    MeanChange,
    count_assumed_grades,
    count_grades,
    preview_scale,
    propose_mapping,
)
from judgetool.session.session import Session
from judgetool.wording import N_, _, local_number, quoted

# The fields of a level


class _LevelField(NamedTuple):
    """A column of the table of levels.

    Attributes:
        head: its title.
        width: in px at a 13 px font.
        spoken: its name for readers; ``""`` uses the title.
        hint: shown while nothing is written.
        most: how many characters fit; 0 for any number.
        grows: whether it takes the room that is left over.
    """

    head: str
    width: int
    spoken: str = ""
    hint: str = ""
    most: int = 0
    grows: bool = False


_FIELDS = {
    "grade": _LevelField(N_("grade"), 52),
    "code": _LevelField(N_("code"), 52, most=4),
    "name": _LevelField(N_("name"), 120, grows=True),
    "definition": _LevelField(N_("when to give it"), 180, grows=True),
    "gain": _LevelField(N_("gain"), 56),
    "probability": _LevelField(N_("probability"), 76, spoken=N_("probability of relevance")),
    "key": _LevelField(N_("key"), 36, most=1),
    "symbol": _LevelField(N_("symbol"), 44, hint="◔", most=2),
    "colour": _LevelField(N_("colour"), 86, hint=N_("theme’s")),
}
HEADS = ("", *(field.head for field in _FIELDS.values()), "")


class Cell(NamedTuple):
    """Where a field stands among those of its level: line, column, columns taken."""

    line: int
    column: int
    across: int = 1


class Fold(NamedTuple):
    """How the fields of a level stand: each in its cell, and what columns take of room left over."""

    cells: tuple[Cell, ...]
    stretches: Mapping[int, int]
    n_lines: int


PLAIN = Fold(tuple(Cell(0, column) for column in range(len(_FIELDS) + 3)), {3: 1, 4: 2}, 1)
# In large text: what a level is called above, what it counts and how it looks below.
FOLDED = Fold(
    (
        *(Cell(0, column) for column in range(4)),
        Cell(0, 4, 3),
        *(Cell(1, column) for column in range(1, 7)),
        Cell(0, 7),
    ),
    {3: 1, 6: 2},
    2,
)
COLUMNS = range(len(PLAIN.cells))


def parse_colour(text: str) -> str | None:
    """Return a colour as ``#rrggbb``, ``""`` for none, ``None`` if it is no colour."""
    text = text.strip()
    if not text:
        return ""
    colour = QColor(text if text.startswith("#") else f"#{text}")
    return colour.name() if colour.isValid() and len(text.lstrip("#")) in (3, 6) else None


class LevelRow(QWidget):
    """The fields of one level; laid out by the editor's grid, not by itself.

    Args:
        level: what the fields show at first.
        is_used: whether judgments have this grade, so that they get another when it goes.
        parent: the editor's table.
    """

    edited = Signal()
    removed = Signal()
    left = Signal()

    def __init__(self, level: Level, *, is_used: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.origin = level.grade if is_used else None
        self.chip = PieceView(lambda: (Piece(None, scaled(40)),), chip_height, parent=parent)
        texts = {
            "grade": exact_grade(level.grade),
            "gain": exact_grade(level.gain),
            "probability": local_number(f"{level.p_relevant:.6g}"),
            "name": level.shown_name,
            "definition": level.shown_definition,
        }
        # What a preset is called is kept as it is in its file, in whatever language it is read.
        self._kept = {texts["name"]: level.name, texts["definition"]: level.definition}
        self.by_name: dict[str, QLineEdit] = {}
        for name, said in _FIELDS.items():
            text = texts[name] if name in texts else getattr(level, name) or ""
            self.by_name[name] = _field(text, said, parent)
        self.grade, self.name = self.by_name["grade"], self.by_name["name"]
        self.key, self.colour = self.by_name["key"], self.by_name["colour"]
        self.by_name["code"].setPlaceholderText(texts["grade"])
        self.picker = framed_icon_button(_("Choose a colour"), "pipette", self._pick, parent)
        self.remove = framed_icon_button(_("Remove this level"), "trash-2", parent=parent)
        self._suggested: dict[str, str] = {}
        if is_used:
            why = _(
                "Judgments have this grade; when it goes, they get another, which is asked below."
            )
            self.grade.setToolTip(why)
            self.remove.setToolTip(_("Remove this level. {why}").format(why=why))
        self._say_of_which()
        self.grade.textChanged.connect(self._say_of_which)
        for field in self.by_name.values():
            field.textChanged.connect(self.edited)
            field.editingFinished.connect(self.left)
        self.remove.clicked.connect(self.removed)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """Everything of the row, in the order of the columns."""
        return (self.chip, *self.by_name.values(), self.picker, self.remove)

    def _say_of_which(self) -> None:
        """Name each field with its level for readers, which meet the same fields in every row."""
        grade = self.grade.text().strip()
        buttons = ((self.picker, _("Choose a colour")), (self.remove, _("Remove")))
        heads = (_(said.spoken or said.head) for said in _FIELDS.values())
        for widget, part in (*zip(self.by_name.values(), heads, strict=True), *buttons):
            widget.setAccessibleName(_("{part}, level {grade}").format(part=part, grade=grade))

    def suggest(self, texts: Mapping[str, str]) -> None:
        """Write into fields, by name, what was suggested there and what nobody has changed."""
        for name, text in texts.items():
            field = self.by_name[name]
            if field.text() == self._suggested.get(name, field.text()):
                self._suggested[name] = text
                field.setText(text)

    def put_into(self, grid: QGridLayout, line: int, fold: Fold) -> None:
        """Place the row's fields on lines of the grid from one on."""
        for widget, cell in zip(self.widgets, fold.cells, strict=True):
            put_cell(grid, widget, line, cell)

    def discard(self) -> None:
        """Take the row's fields away."""
        for widget in (*self.widgets, self):
            widget.hide()
            widget.deleteLater()

    def _pick(self) -> None:
        start = QColor(self.colour.text()) if self.colour.text() else current_theme().accent
        colour = QColorDialog.getColor(start, self.picker, _("Colour of this level"))
        if colour.isValid():
            self.colour.setText(colour.name())

    def read(self) -> Level | str:
        """Return the level that the fields say, or a sentence that says what does not fit."""
        label = self.name.text().strip() or self.grade.text().strip() or _("The new level")
        numbers = {}
        said = {
            "grade": _("{label}: the grade ‘{text}’ is not a number such as 2 or 0.5."),
            "gain": _("{label}: the gain ‘{text}’ is not a number such as 2 or 0.5."),
            "probability": _("{label}: the probability ‘{text}’ is not a number such as 2 or 0.5."),
        }
        for what, sentence in said.items():
            text = self.by_name[what].text()
            number = parse_typed_number(text)
            if number is None:
                return sentence.format(label=label, text=text)
            numbers[what] = number
        colour = parse_colour(self.colour.text())
        if colour is None:
            return _("{label}: the colour ‘{text}’ does not read like #1f5fae.").format(
                label=label, text=self.colour.text()
            )
        texts = {
            name: self.by_name[name].text().strip()
            for name in ("name", "definition", "code", "symbol")
        }
        texts |= {name: self._kept.get(texts[name], texts[name]) for name in ("name", "definition")}
        return Level(
            grade=numbers["grade"],
            gain=numbers["gain"],
            p_relevant=numbers["probability"],
            key=self.key.text().strip().lower(),
            colour=colour or None,
            **texts,
        )


def put_cell(grid: QGridLayout, widget: QWidget, line: int, cell: Cell) -> None:
    """Place a widget in a cell of the lines that begin at one."""
    grid.addWidget(widget, line + cell.line, cell.column, 1, cell.across)
    if widget.maximumWidth() == widget.minimumWidth():
        # In the column of a wider one it would stand in the middle.
        grid.setAlignment(widget, Qt.AlignmentFlag.AlignLeft)


def _field(text: str, said: "_LevelField", parent: QWidget) -> QLineEdit:
    field = edit(text, hint=_(said.hint), name=_(said.spoken or said.head), most=said.most)
    field.setParent(parent)
    field.setCursorPosition(0)
    if said.grows:
        field.setMinimumWidth(scaled(said.width))
    else:
        field.setFixedWidth(scaled(said.width))
    if said.hint:
        # The hint looks like one; readers read it like a text.
        field.textChanged.connect(lambda: _say_empty(field))
        _say_empty(field)
    return field


def _say_empty(field: QLineEdit) -> None:
    field.setAccessibleDescription("" if field.text() else _("empty"))


# What becomes of judgments whose grade goes

Preview = Callable[[Scale, Mapping[float, float]], list[MeanChange]]
# More grades than these (of a continuous scale) go to the nearest level without being listed.
MOST_LISTED = 8
_MEANS_SEEN = 6


class ScaleMapping(QWidget):
    """One chooser for each grade that would be lost; hidden while none would be.

    Args:
        counts: how many judgments have each grade.
        preview: computes the means on another scale; ``None`` offers no preview.
        assumed: how many documents what-ifs assume to have each grade; ``counts`` has these, too.

    Signals:
        changed: another grade was chosen.
        grown: there is more to see.
    """

    changed, grown = Signal(), Signal()

    def __init__(
        self, counts: Mapping[float, int], preview: Preview | None, assumed: Mapping[float, int]
    ) -> None:
        super().__init__()
        self._counts = counts
        self._assumed = assumed
        self._preview = preview
        self._scale: Scale | None = None
        self._wishes: dict[float, float] = {}
        self._proposals: Mapping[float, float] = {}
        self.choosers = Choosers(self._choose)
        self.more = Text("", ink="text2")
        self.more.hide()
        self.head = Text("", role=Role.UI_STRONG)
        self.show_values = push_button(_("What happens to the values"), self._show_values)
        self.show_values.setVisible(preview is not None and any(counts.values()))
        self.values = Text("", role=Role.META, ink="text2")
        values = line_of(self.show_values, None)
        self._means = Scrolled(self.values, _("What happens to the values"))
        self._means.setMaximumHeight(_MEANS_SEEN * line_height(Role.META))
        self._means.hide()
        parts = (self.head, self.choosers, self.more, values, self._means)
        in_column(*parts, host=self, spacing=6)
        self.head.hide()

    @property
    def mapping(self) -> dict[float, float]:
        """From each grade that the scale lacks to the one that its judgments get."""
        if self._scale is None:
            return {}
        mapping = propose_mapping(self._scale, self._counts)
        for grade in mapping:
            wished = self._wishes.get(grade, self._proposals.get(grade))
            if wished is not None and self._scale.has_grade(wished):
                mapping[grade] = wished
        return mapping

    def set_scale(self, scale: Scale | None, proposals: Mapping[float, float]) -> None:
        """Ask about the grades that this scale lacks.

        Args:
            scale: ``None`` asks nothing.
            proposals: what grades become unless something else is chosen, such as the
                number that their level has now; the nearest level where there is none.
        """
        self._scale = scale
        self._proposals = proposals
        self._say_values("")
        self.show_values.setEnabled(scale is not None)
        lost = sorted(self.mapping)
        self.head.setVisible(bool(lost))
        count = sum(self._counts[grade] for grade in lost)
        n_assumed = sum(self._assumed.get(grade, 0) for grade in lost)
        self.head.setText(
            number_of(
                count,
                "{n} judgment has a grade that this scale lacks. It becomes:",
                "{n} judgments have a grade that this scale lacks. They become:",
            )
            if count
            else number_of(
                n_assumed,
                "{n} assumed grade of what-ifs is not on this scale. It becomes:",
                "{n} assumed grades of what-ifs are not on this scale. They become:",
            )
        )
        levels = scale.levels if scale is not None else ()
        options = [(f"{level.label}  {level.shown_name}", level.grade) for level in levels]
        mapping = self.mapping
        self.choosers.ask(
            self._chooser(grade, options, mapping[grade]) for grade in lost[:MOST_LISTED]
        )
        n_more = len(lost) - MOST_LISTED
        more = []
        if n_more > 0:
            many = "{n} more grades: the nearest level."
            more.append(number_of(n_more, "{n} more grade: the nearest level.", many))
        if count and n_assumed:
            many = "{n} assumed grades of what-ifs follow."
            more.append(number_of(n_assumed, "{n} assumed grade of what-ifs follows.", many))
        self.more.setText(" ".join(more))
        self.more.setVisible(bool(more))

    def _chooser(self, grade: float, options: list[tuple[str, float]], now: float) -> Chooser:
        said = exact_grade(grade)
        count, many = self._counts[grade], "Grade {said}, {n} judgments  →"
        text = number_of(count, "Grade {said}, {n} judgment  →", many, said=said)
        if not count:
            n_assumed = local_count(self._assumed[grade])
            text = _("Grade {said}, {n} assumed  →").format(said=said, n=n_assumed)
        return Chooser(grade, text, options, now, _("What grade {said} becomes").format(said=said))

    def _choose(self, grade: float, goal: float) -> None:
        self._wishes[grade] = goal
        self._say_values("")
        self.changed.emit()

    def _show_values(self) -> None:
        if self._scale is None or self._preview is None:
            return
        changes = self._preview(self._scale, self.mapping)
        moved = [change for change in changes if change.now != change.then]
        if not moved:
            self._say_values(_("No mean of the chosen measures changes."))
            return
        self._say_values("\n".join(map(_line, moved)))

    def _say_values(self, text: str) -> None:
        self.values.setText(text)
        self._means.setVisible(bool(text))
        self.grown.emit()
        self._means.verticalScrollBar().setValue(0)


def _line(change: MeanChange) -> str:
    now, then = format_value(change.now), format_value(change.then)
    moved = ""
    if change.now is not None and change.then is not None:
        moved = f"  ({format_change(change.then - change.now)})"
    return f"{change.run}, {change.measure}: {now} → {then}{moved}"


MAX_LEVELS = 36
# The table of levels needs no more of a low screen, in px.
_MOST_LEAST = 340
OWN = "own"
_TITLES = {
    "binary": N_("Relevant or not"),
    "0-3": N_("Four levels (TREC)"),
    "0-4": N_("Five levels"),
    "yandex": N_("Five levels with pFound’s probabilities"),
    "esci": N_("Shopping: exact, substitute, complement"),
    "wands": N_("Shopping: exact, partial, irrelevant"),
    OWN: N_("Own levels"),
}


def title_of_preset(name: str) -> str:
    """Return what a preset is called wherever one is chosen, in the language that is used."""
    return _(_TITLES.get(name, name))


class ScaleEditor(WritingDialog):
    """Edits a scale; what becomes of judgments whose grade would go is asked at once.

    Args:
        scale: what is edited.
        counts: how many judgments have each grade.
        preview: computes the means on another scale; ``None`` offers no preview.
        keymap: the person's keys: whose key a level takes is said.
        assumed: how many documents what-ifs assume to have each grade.

    Attributes:
        answer: the scale as the fields say, ``None`` while they make none.
    """

    def __init__(
        self,
        scale: Scale,
        counts: Mapping[float, int] | None = None,
        preview: Preview | None = None,
        keymap: Keymap | None = None,
        assumed: Mapping[float, int] | None = None,
    ) -> None:
        super().__init__(_("Scale"), verb=_("Use this scale"), width=1040)
        self._keymap = keymap or Keymap()
        self._laid_out: list[LevelRow] = []
        self._told = ""
        self._counts = dict.fromkeys(assumed or {}, 0) | dict(counts or {})
        self.answer: Scale | None = None
        self._is_filling = False
        self.rows: list[LevelRow] = []
        self._add_presets()
        self._add_table()
        self._add_relevance()
        self.lost = ScaleMapping(self._counts, preview, assumed or {})
        self.put(self.lost)
        self.lost.grown.connect(self.grow)
        self.advice = self.add_text(role=Role.META, ink="warn")
        self._fill(scale)
        self._whole_width = self.grid.minimumSize().width()
        self.first = self.rows[-1].name

    def _add_presets(self) -> None:
        options = [(title_of_preset(name), name) for name in (*SCALE_PRESETS, OWN)]
        self.presets = combo(options, choose=self._take_preset)
        for place, preset in enumerate(SCALE_PRESETS.values()):
            levels = ", ".join(level.shown_name for level in preset.levels)
            self.presets.setItemData(place, plain_tooltip(levels), Qt.ItemDataRole.ToolTipRole)
        # It replaces all levels, those written by hand among them.
        self.presets.is_steady = True
        self.add_line(_("&Start from"), self.presets, None)

    def _add_table(self) -> None:
        self._fold = PLAIN
        self.grid = grid_of(8, 6, {})
        self._table = held(self.grid)
        self.grid.setContentsMargins(0, 0, scaled(8), 0)
        self._heads = [Text(_(head), role=Role.HEAD, ink="text3", wraps=False) for head in HEADS]
        self._area = self.put(scroll_area(self._table), stretch=1)
        self._area.setMinimumHeight(min(scaled(200), _MOST_LEAST))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let each level take two lines where one is too narrow for it."""
        super().resizeEvent(event)
        bar = self._area.verticalScrollBar().sizeHint().width()
        room = self.width() - 2 * INSET - 2 * bar
        fold = PLAIN if self._whole_width <= room else FOLDED
        if fold is not self._fold:
            self._fold = fold
            self._lay_out()

    def _add_relevance(self) -> None:
        self.add = push_button(_("Add a level"), self._add_level)
        self.add.setIcon(themed_icon("plus"))
        self.relevant = combo(())
        self.relevant.currentIndexChanged.connect(self._choose_relevant)
        self.continuous = switch(_("Every number between is a grade, too"), is_on=False)
        self.continuous.setToolTip(
            _("Grades are typed; the levels above say what some of them mean.")
        )
        on_change(self._check, self.continuous)
        line = line_of(
            self.add, self.continuous, None, _("&Relevant from"), self.relevant, spacing=12
        )
        line.setContentsMargins(0, 0, INSET, 0)
        self.body.addLayout(line)

    def _fill(self, scale: Scale) -> None:
        self._is_filling = True
        for row in self.rows:
            row.discard()
        self.rows = [self._make_row(level) for level in scale.levels]
        self._name = scale.name
        self._relevant_from: float | None = scale.relevant_from
        self.continuous.setChecked(scale.is_continuous)
        self._is_filling = False
        place = self.presets.findData(scale.name)
        is_preset = SCALE_PRESETS.get(scale.name) == scale
        self.presets.setCurrentIndex(place if is_preset else self.presets.findData(OWN))
        self._lay_out()
        self._check()

    def _make_row(self, level: Level) -> LevelRow:
        row = LevelRow(level, is_used=level.grade in self._counts, parent=self._table)
        row.edited.connect(self._check)
        row.removed.connect(partial(self._remove, row))
        row.left.connect(partial(self._on_left, row))
        return row

    def _on_left(self, row: LevelRow) -> None:
        """Lay rows out in the order of grades; say what has come of what was written."""
        if row not in self.rows:
            # It was left by being taken away.
            return
        place = len(self.rows) - self.rows.index(row)
        is_moved = self._laid_out != self.rows
        self._lay_out()
        moved = _("Level {grade} is now row {place} of {count}.").format(
            grade=row.grade.text(), place=place, count=len(self.rows)
        )
        advice = self.advice.text()
        announce(self, " ".join([moved] * is_moved + [advice] * (advice != self._told)))
        self._told = advice

    def _lay_out(self) -> None:
        """Highest grade first, as on the picture of a scale."""
        fold, grid, self._laid_out = self._fold, self.grid, list(self.rows)
        for label, cell in zip(self._heads, fold.cells, strict=False):
            put_cell(grid, label, 0, cell)
        for column in COLUMNS:
            grid.setColumnStretch(column, fold.stretches.get(column, 0))
        for place, row in enumerate(reversed(self.rows), 1):
            row.put_into(grid, place * fold.n_lines, fold)
        for line in range(grid.rowCount() + 1):
            is_below = line == (len(self.rows) + 1) * fold.n_lines
            grid.setRowStretch(line, int(is_below))
        # Tab walks as the eye does, whatever the order in which rows were made.
        before: QWidget = self.presets
        for row in reversed(self.rows):
            for widget in row.widgets[1:]:
                QWidget.setTabOrder(before, widget)
                before = widget

    def _take_preset(self, name: str) -> None:
        if name != OWN:
            self._fill(SCALE_PRESETS[name])

    def _add_level(self) -> None:
        top = max((level.grade for level in self._levels() if isinstance(level, Level)), default=-1)
        grade = float(int(top) + 1)
        row = self._make_row(Level(grade, "", gain=0.0, p_relevant=0.0))
        row.suggest({name: row.by_name[name].text() for name in ("gain", "probability", "key")})
        self._suggest(row)
        row.grade.textChanged.connect(partial(self._suggest, row))
        self.rows.append(row)
        self._lay_out()
        self._check()
        row.name.setFocus()

    def _suggest(self, row: LevelRow, *_text: str) -> None:
        """Have a new level's gain, probability and key follow its grade, where nobody wrote others."""
        grade = parse_typed_number(row.grade.text())
        if grade is None or abs(grade) > MOST_GRADE:
            return
        others = [each for each in self.rows if each is not row]
        known = [level.grade for each in others if isinstance(level := each.read(), Level)]
        gain = max(0.0, grade)
        chance = exponential_p(gain, max(gain, *known, 0.0))
        key = self._free_key(grade, {each.key.text() for each in others})
        texts = {"gain": exact_grade(gain), "probability": local_number(f"{chance:.6g}")}
        row.suggest({**texts, "key": key})

    def _free_key(self, grade: float, used: Set[str]) -> str:
        """Return the digit that is the grade, else a letter that does nothing; ``""`` if none is left."""
        letters = [
            key for key in default_keys(MAX_LEVELS) if not self._holders(key) and key.isalpha()
        ]
        return next(
            (key for key in (exact_grade(grade), *letters) if len(key) == 1 and key not in used),
            "",
        )

    def _holders(self, key: str) -> list[str]:
        """Return the titles of the actions that have a key while grades are given."""
        found = self._keymap.clashes(f"{GRADE}0", key, None) if key else []
        return [title_of(name, None) for name in found]

    def _advice(self, levels: tuple[Level, ...]) -> str:
        """Return what may surprise: whose keys are taken, grades below 0, a colour that is hard to see."""
        said = []
        for level in levels:
            if holders := self._holders(level.key):
                names = _(" and ").join(quoted(title) for title in holders)
                words = _("{name}: {key} is the key of {holders}, which then lacks it.")
                said.append(
                    words.format(name=level.shown_name, key=native(level.key), holders=names)
                )
        said += tell_below_zero(levels)
        return " ".join(filter(None, (*said, _colour_advice(levels))))

    def _remove(self, row: LevelRow) -> None:
        self.rows.remove(row)
        row.discard()
        self._lay_out()
        self._check()

    @property
    @override
    def _texts(self) -> list[str]:
        """What would be lost: switch and choice besides the texts."""
        return [*super()._texts, str(self.continuous.isChecked()), self.relevant.currentText()]

    def _levels(self) -> list[Level | str]:
        return [row.read() for row in self.rows]

    def _check(self) -> None:
        """Read all fields; show chips where they make a scale, and what is wrong where not."""
        if self._is_filling:
            return
        read = self._levels()
        proposals = self._proposals(read)
        problem = next((level for level in read if isinstance(level, str)), "")
        levels = tuple(level for level in read if isinstance(level, Level))
        if not problem:
            levels = self._sort(levels)
            self._offer_relevant(levels)
            self._relevant_from = self.relevant.currentData()
            problem = self._problem(levels)
        self.answer = None if problem else self._scale(levels)
        self.lost.set_scale(self.answer, proposals)
        self._show_chips()
        self.advice.setText("" if problem else self._advice(levels))
        self.show_problem(problem)
        self.add.setEnabled(len(self.rows) < MAX_LEVELS)
        self.grow()

    def _sort(self, levels: tuple[Level, ...]) -> tuple[Level, ...]:
        """Bring levels and rows into the order of their grades; the fields stay where they are."""
        order = sorted(range(len(levels)), key=lambda place: levels[place].grade)
        self.rows = [self.rows[place] for place in order]
        return tuple(levels[place] for place in order)

    def _choose_relevant(self) -> None:
        if not self._is_filling:
            self._relevant_from = self.relevant.currentData()
            self._check()

    def _offer_relevant(self, levels: tuple[Level, ...]) -> None:
        wanted = self._relevant_from
        self._is_filling = True
        self.relevant.clear()
        for level in levels[1:]:
            self.relevant.addItem(level.titled, level.grade)
        place = self.relevant.findData(wanted)
        self.relevant.setCurrentIndex(max(0, place))
        self._is_filling = False

    def _problem(self, levels: tuple[Level, ...]) -> str:
        if any(len(level.key) > 1 for level in levels):
            return _("A key is one character.")
        relevant_from = levels[-1].grade if self._relevant_from is None else self._relevant_from
        return scale_problem(levels, relevant_from)

    def _proposals(self, read: list[Level | str]) -> dict[float, float]:
        """Return what each used grade has become, where its level only has another number."""
        return {
            row.origin: level.grade
            for row, level in zip(self.rows, read, strict=True)
            if row.origin is not None and isinstance(level, Level)
        }

    def _scale(self, levels: tuple[Level, ...]) -> Scale:
        relevant_from = float(self._relevant_from or 0)
        is_continuous = self.continuous.isChecked()
        for preset in SCALE_PRESETS.values():
            is_same = preset.levels == levels and preset.relevant_from == relevant_from
            if is_same and preset.is_continuous is is_continuous:
                return preset
        name = OWN if self._name in SCALE_PRESETS else self._name
        return Scale(name, levels, relevant_from, is_continuous)

    def _show_chips(self) -> None:
        if self.answer is not None:
            for place, row in enumerate(self.rows):
                row.chip.set_pieces(partial(chip_pieces, self.answer, place))

    @property
    def command(self) -> SetScale | None:
        """The change of the project's scale; ``None`` while the fields make none."""
        return SetScale(self.answer, self.lost.mapping) if self.answer is not None else None

    @classmethod
    def ask_change(
        cls, window: QWidget | None, session: Session, keymap: Keymap
    ) -> SetScale | None:
        """Let a project's scale be changed; ``None`` when it stays as it was."""
        preview = partial(preview_scale, session)
        counts, assumed = count_grades(session), count_assumed_grades(session)
        dialog = cls(session.scale, counts, preview, keymap, assumed)
        return dialog.command if dialog.above(window).is_answered() else None


def _colour_advice(levels: tuple[Level, ...]) -> str:
    """Return a sentence about the first colour that is hard to see, or ``""``."""
    for level in levels:
        for theme in (LIGHT, DARK):
            nearest = colour_complaint(level.colour, theme) if level.colour else None
            if nearest is not None:
                return _(
                    "{name}: {colour} is hard to see on the {theme} theme; the nearest that can be "
                    "seen well is {nearest}."
                ).format(
                    name=level.shown_name, colour=level.colour, theme=_(theme.name), nearest=nearest
                )
    return ""
