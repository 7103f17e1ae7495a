"""What the handlers of actions may use of the main window, and its actions: their menus and keys.

The window imports its handlers; naming what they need here keeps the arrow one-way. Handlers
know the window, the session and the prompter; they hold no state of the project and do no
painting. An action that needs a project is closed without one: what does it need not ask.

From the table of actions come menus and keys; wherever a person's keys are shown they are asked for here.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from judgetool.core.policy import SET_BY, policy
from judgetool.core.scale import Scale
from judgetool.core.system import IS_MAC
from judgetool.errors import JudgetoolError
from judgetool.gui.actions import (
    ACTIONS,
    COLUMNS,
    GRADING_MODES,
    PAIRS,
    ActionSpec,
    Mode,
    menu_title,
)
from judgetool.gui.dialogs.act_dialog import Answering, ask
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.jobs import Jobs, Schedule
from judgetool.gui.keymap import KEY_PRESETS, STAY, Keymap, KeyWatch, letters, native, offer_letters
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.project_view import ProjectView
from judgetool.gui.views import Docks, Views
from judgetool.gui.widgets.banner import BannerText, Mood, with_keys
from judgetool.gui.widgets.buttons import BlindButton
from judgetool.gui.widgets.keys_overlay import KeyEntry, KeyGroup, KeysOverlay
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.status_line import SEGMENTS, StatusLine, TopLine
from judgetool.gui.window_state import WindowState
from judgetool.gui.workspace import Workspace
from judgetool.session.commands import SetScale, SetValues
from judgetool.session.session import Session
from judgetool.settings import Settings
from judgetool.wording import N_, _, listed

# What can begin a number on a continuous scale.
NUMBER_KEYS = tuple("0123456789.-")
_REMARK = N_("Keys never fire while you type in a field.   The row of digits works without Shift.")


_CLOSED = {
    "leads": N_("{}: closed, as only who leads the team’s hub settles."),
    "reveals": N_("{}: closed while you judge blind, as it shows what is hidden then."),
    "team": N_(
        "{}: closed until you have judged all that you are asked and open the project anew, as it "
        "shows what others said."
    ),
}
_NO_PROJECT = N_("{}: no project is open.")
_READ_ONLY = N_("{}: this project can only be read.")
_LEAVES = N_("{}: closed by this machine’s administrator.")
_ELSEWHERE = N_("{}: not in this view, but in {views}.")


def _is_laid_down(spec: ActionSpec) -> bool:
    """Whether the administrator has decided about an action."""
    laid_down = policy()
    return ("leaves" in spec.how and laid_down.is_offline) or (
        "blinds" in spec.how and laid_down.blind
    )


class GradeKeys(Protocol):
    """What the keys of grades do."""

    def grade(self, grade: float, *, stays: bool = False) -> None:
        """Give the current document a grade."""

    def type_grade(self, text: str) -> None:
        """Begin a number."""


class ActionBinder(QObject):
    """The window's actions, made from the table and bound to what does them.

    Args:
        window: gets the actions and their menus; keys work wherever the focus is,
            except in text fields, which keep what is typed. The table's paths begin at it.
        grading: does what the keys of grades say.
        keymap: the person's keys.

    Signals:
        keys_changed: actions or grades have other keys.
        switched: what this action switches on or off was done.
        refused: the key of what is closed was pressed; why it is closed.

    Attributes:
        menus: by title.
        keymap: the person's keys.
    """

    keys_changed = Signal()
    switched = Signal(QAction)
    refused = Signal(str)

    def __init__(
        self, window: QMainWindow, grading: GradeKeys, keymap: Keymap | None = None
    ) -> None:
        super().__init__(window)
        self._window = window
        self._grading = grading
        self.keymap = keymap or Keymap()
        self.menus: dict[str, QMenu] = {}
        self._actions: dict[str, QAction] = {}
        # Has the keys of what is closed, which would be silent.
        self._closed: dict[str, QAction] = {}
        self._grades: list[QAction] = []
        self._scale: Scale | None = None
        self._held: dict[str, tuple[str, ...]] = {}
        self._why: dict[str, str] = {}
        for spec in ACTIONS:
            self._make(spec)
        self._spread_keys()
        # Last: from now on the window and its menus hear of each change.
        for spec in ACTIONS:
            self._place(spec)
        self._underline_menus()

    def _make(self, spec: ActionSpec) -> None:
        remark = f" ({_(SET_BY)})" if _is_laid_down(spec) else ""
        action = QAction(f"{spec.label}{remark}".replace("&", "&&"), self._window)
        action.setObjectName(spec.name)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable("switch" in spec.how)
        # A key held down moves on through a list, but never does anything twice.
        action.setAutoRepeat("held" in spec.how)
        action.triggered.connect(lambda is_on: self._do(spec, is_on=is_on))
        # Until a project is open.
        action.setEnabled("always" in spec.how)
        self._actions[spec.name] = action
        if spec.keys and spec.how & _CLOSED.keys():
            closed = QAction(self)
            closed.setEnabled(False)
            closed.setAutoRepeat(False)
            closed.triggered.connect(lambda: self.refused.emit(closed.text()))
            self._closed[spec.name] = closed

    def _place(self, spec: ActionSpec) -> None:
        action = self._actions[spec.name]
        self._window.addAction(action)
        if spec.name in self._closed:
            self._window.addAction(self._closed[spec.name])
        menu = self._menu(spec.menu)
        if "line" in spec.how and not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(action)

    def _menu(self, title: str) -> QMenu:
        """Return a menu; it stands where its first action is."""
        if title not in self.menus:
            above, __, name = title.rpartition(" ▸ ")
            host = self._menu(above) if above else self._window.menuBar()
            self.menus[title] = host.addMenu(_(name))
            offer_letters(self.menus[title])
        return self.menus[title]

    def _underline_menus(self) -> None:
        """Underline a letter of each menu in the bar, which Alt opens it with."""
        menus = [menu for title, menu in self.menus.items() if " ▸ " not in title]
        titles = [menu.title() for menu in menus]
        for menu, title, place in zip(menus, titles, letters(titles), strict=True):
            if place is not None:
                menu.setTitle(f"{title[:place]}&{title[place:]}")

    @property
    def letters_taken(self) -> str:
        """The letters with which Alt does something: of the menus in the language, and of a person's keys."""
        keys = [QKeySequence.mnemonic(menu.title()) for menu in self.menus.values()]
        keys += [key for action in self._actions.values() for key in action.shortcuts()]
        texts = [key.toString() for key in keys]
        return "".join(text[-1] for text in texts if text[:-1] == "Alt+")

    def find_target(self, spec: ActionSpec) -> Callable[..., Any]:
        """Return what does an action, of a project while one is open.

        Raises:
            AttributeError: the table names what nothing has.
        """
        found: Callable[..., Any] = attrgetter(spec.target)(self._window)
        return found

    def _do(self, spec: ActionSpec, *, is_on: bool) -> None:
        self.find_target(spec)(*spec.given, *((is_on,) if "switch" in spec.how else ()))
        if "switch" in spec.how:
            self.switched.emit(self._actions[spec.name])

    def action(self, name: str) -> QAction:
        """Return the action of this name.

        Raises:
            KeyError: the table has none.
        """
        return self._actions[name]

    def find_by_key(self, key: str) -> QAction | None:
        """Return the action or grade that a key gives now, or ``None``."""
        wanted = QKeySequence(key)
        every = (*self._grades, *self._actions.values())
        return next((a for a in every if a.isEnabled() and wanted in a.shortcuts()), None)

    @property
    def grade_actions(self) -> tuple[QAction, ...]:
        """The actions that give a level and move on; none on a continuous scale."""
        is_typed = self._scale is None or self._scale.is_continuous
        return () if is_typed else tuple(self._grades[::2])

    def caption(self, action: QAction) -> str:
        """Return what the page of keys says of an action; ``""`` where it says the same."""
        return next((_(spec.caption) for spec in ACTIONS if spec.name == action.objectName()), "")

    def commands(self) -> list[tuple[str, str, QAction, str]]:
        """Return what is done by name: menu, name without ellipsis, action, why not now; that last.

        Where menus have two of a name, it is what the page of keys says.
        """
        titles = Counter(s.title for s in ACTIONS if s.menu)
        every = [
            (
                menu_title(s.menu),
                s.said if titles[s.title] > 1 else s.title,
                self._actions[s.name],
                self._why.get(s.name, ""),
            )
            for s in ACTIONS
            if s.menu
        ]
        known = (each for each in every if each[2].isEnabled() or each[3])
        return sorted(known, key=lambda each: not each[2].isEnabled())

    # Keys

    def set_keymap(self, keymap: Keymap) -> None:
        """Give actions and grades other keys."""
        self.keymap = keymap
        self.bind_grades(self._scale)

    def bind_grades(self, scale: Scale | None) -> None:
        """Make one action per level, with its key, and with Shift to stay on the document.

        On a continuous scale digits begin a number instead.
        """
        self._scale = scale
        is_on = bool(self._grades) and self._grades[0].isEnabled()
        for action in self._grades:
            # It goes only when the event loop runs; until then two would have the key.
            action.setShortcuts([])
            self._window.removeAction(action)
            action.deleteLater()
        self._grades = []
        if scale is not None and scale.is_continuous:
            self._bind_numbers()
        elif scale is not None:
            self._bind_levels(scale)
        for action in self._grades:
            action.setEnabled(is_on)
        self._spread_keys()
        self.keys_changed.emit()

    def _bind_levels(self, scale: Scale) -> None:
        menu = self.menus["Judge"]
        first = menu.actions()[0] if menu.actions() else None
        for level, key in zip(scale.levels, self.keymap.level_keys(scale), strict=True):
            for stays in (False, True):
                text = level.shown_name
                if stays:
                    text = _("{level}, stay").format(level=text)
                wanted = f"{STAY}{key}" if stays and key else key
                action = self._add_grade(text, wanted, partial(self._give, level.grade, stays))
                if not stays:
                    menu.insertAction(first, action) if first else menu.addAction(action)

    def _bind_numbers(self) -> None:
        for key in NUMBER_KEYS:
            self._add_grade(
                _("Type a number: {key}").format(key=key), key, partial(self._type, key)
            )

    def _add_grade(self, text: str, key: str, do: Callable[[bool], None]) -> QAction:
        action = QAction(text.replace("&", "&&"), self._window)
        action.setShortcut(QKeySequence(key))
        action.setAutoRepeat(False)
        action.triggered.connect(do)
        self._window.addAction(action)
        self._grades.append(action)
        return action

    def _spread_keys(self) -> None:
        """Give every action the keys that are left to it, and say them in its tooltip."""
        is_typed = self._scale is not None and self._scale.is_continuous
        held = self.keymap.keys_by_action(None if is_typed else self._scale)
        for spec in ACTIONS:
            keys = held[spec.name]
            if keys == self._held.get(spec.name):
                continue
            action = self._actions[spec.name]
            # Menus show the first as Qt calls it; all sentences say Enter. A Mac has signs for both.
            ordered = sorted(keys, key=lambda key: "Return" in key and not IS_MAC)
            action.setShortcuts([QKeySequence(key) for key in ordered])
            if spec.name in self._closed:
                self._closed[spec.name].setShortcuts(action.shortcuts())
            shown = f"  {native(keys[0])}" if keys else ""
            action.setToolTip(plain_tooltip(f"{spec.title}{shown}"))
        self._held = held

    def shown_key(self, name: str) -> str:
        """Return an action's first key as the person's system writes it; ``""`` for none."""
        return native(self._actions[name].shortcut().toString())

    def _give(self, grade: float, stays: bool, _checked: bool = False) -> None:
        self._grading.grade(grade, stays=stays)

    def _type(self, key: str, _checked: bool = False) -> None:
        self._grading.type_grade(key)

    # What can be done now

    def set_enabled(
        self,
        *,
        has_project: bool,
        can_judge: bool,
        mode: Mode,
        closed: Set[str],
    ) -> None:
        """Enable what makes sense now; what is one of ``closed`` (see the table) is not."""
        for spec in ACTIONS:
            # What is said of a document answers with the reason where it cannot be said.
            can_do = can_judge or "judges" not in spec.how or spec.group == "judge"
            is_on = (has_project or "always" in spec.how) and can_do
            is_here = not spec.modes or mode in spec.modes
            is_open = not closed & spec.how
            is_free = "leaves" not in spec.how or not _is_laid_down(spec)
            self._actions[spec.name].setEnabled(is_on and is_here and is_open and is_free)
            why = next((why for how, why in _CLOSED.items() if how in closed & spec.how), "")
            if spec.name in self._closed:
                self._closed[spec.name].setText(_(why).format(spec.title))
                self._closed[spec.name].setEnabled(is_on and is_here and not is_open)
            if not is_on:
                why = _NO_PROJECT if not has_project and "always" not in spec.how else _READ_ONLY
            elif not is_free:
                why = _LEAVES
            elif not is_here:
                why = _ELSEWHERE
            views = listed([_(SEGMENTS[each].text) for each in spec.modes])
            self._why[spec.name] = _(why).format(spec.title, views=views) if why else ""
        for action in self._grades:
            action.setEnabled(has_project and mode in GRADING_MODES)

    def key_groups(self, mode: Mode) -> tuple[KeyGroup, ...]:
        """Return the page of keys, one group for each task; other views' keys are dimmed."""
        groups = []
        for title in COLUMNS:
            named = [s for s in ACTIONS if s.column == title and self._actions[s.name].shortcuts()]
            entries = self._entries(named, mode)
            if title == "Grade" and self._scale is not None:
                entries[:0] = self._grade_entries(self._scale)
            if entries:
                groups.append(KeyGroup(_(title), tuple(entries)))
        return tuple(groups)

    def _entries(self, specs: Sequence[ActionSpec], mode: Mode) -> list[KeyEntry]:
        """Return a line for each action, one for those that belong together."""
        names = {spec.name for spec in specs}
        pairs = {pair[0]: pair for pair in PAIRS if names.issuperset(pair)}
        followers = {name for pair in pairs.values() for name in pair[1:]}
        entries = []
        for spec in specs:
            if spec.name in followers:
                continue
            pair = pairs.get(spec.name, (spec.name,))
            keys = " ".join(map(self.shown_key, pair))
            text = _(PAIRS[pair]) if pair in PAIRS else spec.said
            is_dimmed = bool(spec.modes) and mode not in spec.modes
            entries.append(KeyEntry(keys, text, is_dimmed=is_dimmed))
        return entries

    def _grade_entries(self, scale: Scale) -> list[KeyEntry]:
        if scale.is_continuous:
            return [KeyEntry("0 … 9", _("Type a number, Enter gives it"))]
        held = [key for key in self.keymap.level_keys(scale) if key]
        if not held:
            return []
        keys = [native(key) for key in held]
        is_run = keys[0].isdigit() and keys == [str(int(keys[0]) + n) for n in range(len(keys))]
        span = f"{keys[0]} … {keys[-1]}" if is_run or len(keys) > 4 else " ".join(keys)
        return [
            KeyEntry(span, _("Give that grade, save, move on")),
            KeyEntry(f"{native(STAY + held[0])} … {keys[-1]}", _("Grade and stay")),
        ]


class Keyboard(QObject):
    """Keeps what shows keys in step with the person's keys, and hears the row of digits.

    Args:
        binder: the window's actions.
        overlay: the page of keys.
        workspace: prints keys in many places.
        blind: the switch of blind mode.
        key_watch: knows keys that no shortcut took.

    Signals:
        preset_chosen: another set of keys is wanted; its name.
    """

    preset_chosen = Signal(str)

    def __init__(
        self,
        binder: ActionBinder,
        overlay: KeysOverlay,
        workspace: Workspace,
        blind: BlindButton,
        key_watch: KeyWatch,
    ) -> None:
        super().__init__(binder)
        self._binder = binder
        self._overlay = overlay
        self._workspace = workspace
        self._blind = blind
        self._mode = Mode.LIST
        key_watch.take_digit = self._take_digit
        overlay.preset_chosen.connect(self._choose_preset)
        overlay.change_requested.connect(self._change)
        overlay.opening.connect(self._fill)
        binder.keys_changed.connect(self._show)

    def _choose_preset(self, name: str) -> None:
        self.preset_chosen.emit(name)
        self._binder.set_keymap(Keymap(name, self._binder.keymap.changes))

    def _change(self) -> None:
        self._overlay.close()
        self._binder.action("help.change_keys").trigger()

    def _take_digit(self, key: str) -> bool:
        action = self._binder.find_by_key(key)
        if action is not None:
            action.trigger()
        return action is not None

    def show_keys(self, mode: Mode) -> None:
        """Show the keys of a view; those of other views are dimmed."""
        self._mode = mode
        self._show()

    def _fill(self) -> None:
        titles = {name: _(preset.title) for name, preset in KEY_PRESETS.items()}
        self._overlay.set_presets(titles, self._binder.keymap.preset)
        self._overlay.set_groups(self._binder.key_groups(self._mode), remark=_(_REMARK))

    def _show(self) -> None:
        shown = self._binder.shown_key
        if not self._overlay.isHidden():
            self._fill()
        self._blind.set_key(shown("flow.blind"))
        self._workspace.set_keys(shown)
        said = {name: shown(f"judge.{name}") for name in ("skip", "flag", "note")}
        keys = {"cannot_judge": shown("judge.cannot"), **said}
        self._workspace.grade_bar.set_keymap(self._binder.keymap, keys)


Answer = TypeVar("Answer")


class AppWindow(Protocol):
    """The main window as its handlers see it.

    Attributes:
        view: the open project's panels, or ``None``.
        settings: the person's preferences.
        state: where windows stood, what was looked at.
        jobs: background work.
        prompter: asks the person.
        views: which view is shown.
        docks: what stands beside it.
        key_watch: knows when keys went down, and whether somebody works.
        schedule: when what a key does not wait for is shown.
        top_line: menus, switch of views, Blind and assessor.
    """

    view: ProjectView | None
    settings: Settings
    state: WindowState
    jobs: Jobs
    prompter: Prompter
    workspace: Workspace
    queries: QueryList
    live: LivePanel
    status: StatusLine
    overlay: KeysOverlay
    views: Views
    docks: Docks
    key_watch: KeyWatch
    schedule: Schedule
    actions_by_name: ActionBinder
    top_line: TopLine
    blind_button: BlindButton

    @property
    def widget(self) -> QWidget:
        """The window itself, as the parent of dialogs."""

    @property
    def session(self) -> Session | None:
        """The open project, or ``None``."""

    @property
    def assessor(self) -> str:
        """Who judges; ``""`` while nobody is named."""

    @property
    def has_focus_side(self) -> bool:
        """Whether one document is in focus, with what helps to judge it beside it."""

    def name_assessor(self, name: str) -> None:
        """Keep who judges from now on."""

    def choose_theme(self, theme: str) -> None:
        """Keep and show another theme, by its name; ``system`` for the system's."""

    def take_preferences(self, changed: Mapping[str, Any]) -> None:
        """Keep changed preferences, and show everything by them."""

    def choose_view(self, view: str) -> None:
        """Count other judgments from now on, in this project: a rule's name, or ``mine``."""

    def change_settings(self, **values: Any) -> None:  # noqa: ANN401 - one of the settings each
        """Keep changed preferences."""

    def try_open(self, path: Path, *, asks: bool = True, assessor: str = "") -> bool:
        """Open a project, or say why it cannot be opened; return whether it is open."""

    def remember_place(self, *, assessor: str = "") -> None:
        """Keep where one stands."""

    def close_project(self) -> None:
        """Close what is open, whatever becomes of what is not saved, and show the welcome."""

    def leave_project(self, *, is_for_other: bool = False) -> bool:
        """Close what is open, unless the person wants to stay; return whether nothing is open.

        Args:
            is_for_other: whether a project is opened at once: the start page is not shown in between.
        """

    def show_welcome(self) -> None:
        """Show the start page."""

    def refresh_project(self) -> None:
        """Show anew what hangs on the project's own values: title, scale, who judges."""

    def show_docks(self) -> None:
        """Show or hide docks after the person has switched one."""

    def open_help(self, page: str) -> None:
        """Open a page of the help, by its name."""

    def close(self) -> bool:
        """End the program."""


class Handler:
    """Does the actions of a group.

    Args:
        window: the main window.
    """

    def __init__(self, window: AppWindow) -> None:
        self._window = window

    @property
    def _widget(self) -> QWidget:
        """The window as the parent of dialogs."""
        return self._window.widget

    @property
    def _view(self) -> ProjectView:
        """The open project's panels."""
        view = self._window.view
        assert view is not None, "what needs a project is not offered without one"
        return view

    @property
    def _session(self) -> Session:
        """The open project."""
        return self._view.session

    def _can_write(self) -> bool:
        """Whether the project can be changed; if not, it is said why."""
        self._say(self._session.read_only_reason)
        return not self._session.read_only_reason

    def _trigger(self, action: str) -> None:
        """Do what another action does, by its name, as if it were chosen."""
        self._window.actions_by_name.action(action).trigger()

    def _ask(self, dialog: Answering[Answer]) -> Answer | None:
        """Show a dialog and wait; return its answer, ``None`` where its verb was not chosen."""
        return ask(dialog, self._widget)

    def attempt(self, act: Callable[[], object]) -> bool:
        """Do something, or say why it cannot be done; return whether it was."""
        try:
            act()
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
            return False
        return True

    def _carry_out(
        self, act: Callable[[], object], said: str, *, shorter: Sequence[str] = ()
    ) -> bool:
        """Change the project and say so with Undo beside it, or say why it cannot be changed.

        Where ``act`` returns ``None`` nothing was written: Undo would take back something else.

        Returns:
            Whether it is so now.
        """
        done: list[object] = []
        if not self.attempt(lambda: done.append(act())):
            return False
        is_written = done != [None]
        said = said if is_written else _("It is so already: nothing was written.")
        self._say(said, offers_undo=is_written, shorter=shorter if is_written else ())
        return True

    def execute(self, command: SetScale | SetValues | None) -> None:
        """Change one of the project's own values, or say why it cannot be; nothing for ``None``."""
        if command is not None:
            self.attempt(lambda: self._session.execute(command))

    def change(self, dialog: Answering[SetValues | None]) -> None:
        """Let a dialog be answered with a change of the project's own values, and make it."""
        # The answer itself may say why it cannot be.
        self.attempt(lambda: self.execute(self._ask(dialog)))

    def _say(
        self,
        sentence: str,
        *,
        offers_undo: bool = False,
        stays: bool = False,
        shorter: Sequence[str] = (),
    ) -> None:
        """Say something in the status line, perhaps with Undo beside it; ``""`` says nothing.

        Args:
            sentence: what is said.
            offers_undo: whether Undo stands beside it.
            stays: whether it is said until something else is.
            shorter: what is shown where there is no room for all of it.
        """
        if sentence:
            self._window.status.show_message(
                sentence,
                action="undo" if offers_undo else "",
                action_text=_("Undo") if offers_undo else "",
                stays=stays,
                shorter=shorter,
            )

    def _withdraw(self, answer: str) -> None:
        """Ask no longer, in the grade bar's place, what may be answered so; the grades are back."""
        bar, held = self._window.workspace.grade_bar, QApplication.focusWidget()
        if answer in bar.offered:
            bar.hide_banner()
            if held in bar.banner.answers:
                self._window.workspace.take_keyboard()

    def _ask_below(
        self, mood: Mood, sentence: str, *answers: tuple[str, str], escape: str = ""
    ) -> None:
        """Say something that wants an answer in the grade bar's place; Alt and a letter answers."""
        taken = self._window.actions_by_name.letters_taken
        texts = with_keys([text for __, text in answers], taken)
        marked = tuple((name, text) for (name, __), text in zip(answers, texts, strict=True))
        self._window.workspace.grade_bar.show_banner(BannerText(mood, sentence, marked, escape))
