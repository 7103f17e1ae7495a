"""Whose key is whose: presets, own changes, clashes; no window needed."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.scale import SCALE_PRESETS, numbered_scale, scale_preset
from judgetool.gui.actions import ACTIONS, JUDGING_MODES
from judgetool.gui.keymap import (
    KEY_PRESETS,
    STAY,
    Keymap,
    canonical,
    meet,
    native,
    title_of,
)
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import open_sample

SCALE = scale_preset("0-3")
KEYS = ["A", "S", "J", "2", "Ctrl+Z", "Shift+2", "F", "Num++", "Alt+1", "?"]
NAMES = [*(spec.name for spec in ACTIONS), "grade.0", "grade.2"]
RESERVED_KEYS = {
    "macOS": "Ctrl+H Ctrl+M Ctrl+Alt+H Ctrl+Alt+M Ctrl+Space Ctrl+Tab Ctrl+` Ctrl+Alt+D Ctrl+Alt+Esc "
    "Ctrl+Shift+3 Ctrl+Shift+4 Ctrl+Shift+5 Ctrl+Shift+Q Ctrl+Meta+Q Ctrl+Meta+F Ctrl+Alt+= Ctrl+Alt+- "
    "Ctrl+Alt+8 Meta+Up Meta+Down Meta+Left Meta+Right Meta+Space Meta+Tab F11",
    "Windows": "Alt+F4 Alt+Tab Alt+Esc Alt+Space Ctrl+Esc Ctrl+Shift+Esc Ctrl+Alt+Del Ctrl+Alt+Tab "
    "Shift+F10",
    "Linux": "Alt+F1 Alt+F2 Alt+F4 Alt+F7 Alt+F8 Alt+Tab Alt+Esc Alt+Space Alt+` Ctrl+Alt+Del "
    "Ctrl+Alt+Esc Ctrl+Alt+T Ctrl+Alt+L Ctrl+Alt+D Ctrl+Alt+Up Ctrl+Alt+Down Ctrl+Alt+Left "
    "Ctrl+Alt+Right Ctrl+Alt+F1 Ctrl+Alt+F7 Shift+F10",
}
"""Keys that systems and their desktops take for themselves, so that no action would hear of them."""


def changes():
    keys = st.lists(st.sampled_from(KEYS), max_size=2).map(tuple)
    return st.dictionaries(st.sampled_from(NAMES), keys, max_size=6)


@given(preset=st.sampled_from(list(KEY_PRESETS)), changed=changes())
def test_no_key_does_two_things_in_one_view(preset, changed):
    """Whatever somebody changes, a key is one grade's or one action's in any view."""
    keymap = Keymap(preset, changed)
    levels = [key for key in keymap.level_keys(SCALE) if key]
    assert len(set(levels)) == len(levels)
    graded = {*levels, *(canonical(STAY + key) for key in levels)}
    held = keymap.keys_by_action(SCALE)
    for spec in ACTIONS:
        if not spec.modes or set(spec.modes) & set(JUDGING_MODES):
            assert not graded & set(held[spec.name])
    pairs = [(a, b) for a in ACTIONS for b in ACTIONS if a.name < b.name and meet(a.modes, b.modes)]
    assert [(a.name, b.name) for a, b in pairs if set(held[a.name]) & set(held[b.name])] == []


def test_every_key_of_the_table_is_its_actions():
    """No row names a key that another has already in one of its views."""
    held = Keymap().keys_by_action(SCALE)
    lost = {
        spec.name: keys
        for spec in ACTIONS
        if (keys := {canonical(key) for key in spec.keys} - set(held[spec.name]))
    }
    assert lost == {}


@pytest.mark.parametrize("system", RESERVED_KEYS)
@pytest.mark.parametrize("preset", KEY_PRESETS)
def test_no_action_has_a_key_of_the_system(system, preset):
    """What a system or its desktop keeps for itself is nobody's key there; none loses its last one."""
    keymap = Keymap(preset, is_mac=system == "macOS")
    reserved = set(map(canonical, RESERVED_KEYS[system].split()))
    held = keymap.keys_by_action(SCALE)
    assert {name: keys for name, keys in held.items() if reserved & set(keys)} == {}
    elsewhere = Keymap(preset, is_mac=False).keys_by_action(SCALE)
    assert [name for name, keys in elsewhere.items() if keys and not held[name]] == []


@given(preset=st.sampled_from(list(KEY_PRESETS)), name=st.sampled_from(NAMES))
def test_a_key_that_clashes_with_nothing_is_really_got(preset, name):
    """A key that nobody is named for works at once for whom it is given."""
    keymap = Keymap(preset)
    key = "Ctrl+Alt+F9" if not name.startswith("grade") else "F9"
    if keymap.clashes(name, key, SCALE):
        return
    changed = keymap.with_keys(name, (key,), SCALE)
    if name.startswith("grade"):
        assert changed.level_keys(SCALE)[int(name[6:])] == key
    else:
        assert changed.keys_by_action(SCALE)[name] == (key,)


def test_shift_and_a_key_is_another_grades_alone():
    """A grade's key holds with Shift too, so two grades meet there; an action's does not."""
    keymap = Keymap().with_keys("grade.2", ("Shift+F8",), SCALE)
    assert keymap.clashes("grade.1", "F8", SCALE) == ["grade.2"]
    assert keymap.clashes("judge.skip", "F8", SCALE) == []


@pytest.mark.parametrize("preset", KEY_PRESETS)
@pytest.mark.parametrize("scale", SCALE_PRESETS.values(), ids=lambda scale: scale.name)
def test_presets_give_every_level_a_key(preset, scale):
    """Each shipped scale can be judged with each preset."""
    keys = Keymap(preset).level_keys(scale)
    assert all(keys)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("preset", KEY_PRESETS)
def test_presets_take_no_action_its_last_key(preset):
    """What has a key by digits has one with every preset, so that all is done by keys."""
    usual, held = Keymap().keys_by_action(SCALE), Keymap(preset).keys_by_action(SCALE)
    assert [name for name, keys in usual.items() if keys and not held[name]] == []


@pytest.mark.parametrize("preset", KEY_PRESETS)
def test_presets_leave_the_menus_their_letters(preset):
    """Alt and the first letter of a menu opens it with every preset."""
    held = Keymap(preset).keys_by_action(SCALE)
    menus = {f"Alt+{spec.menu[0]}" for spec in ACTIONS}
    assert [name for name, keys in held.items() if menus & set(keys)] == []


def test_the_holder_of_a_key_is_named():
    """Both kinds of clash are found: with an action, and with a grade or its Shift."""
    keymap = Keymap()
    assert keymap.clashes("judge.skip", "f", SCALE) == ["judge.flag"]
    assert keymap.clashes("judge.skip", "2", SCALE) == ["grade.2"]
    assert keymap.clashes("judge.skip", "Shift+2", SCALE) == ["grade.2"]
    assert keymap.clashes("grade.1", "S", SCALE) == ["judge.skip"]
    assert keymap.clashes("judge.skip", "S", SCALE) == []


def test_own_changes_outlive_another_preset():
    """What somebody changed by hand stays when they start from another preset."""
    changed = Keymap().with_keys("judge.flag", ("G",), SCALE)
    other = Keymap("left", changed.changes)
    assert other.keys_by_action(SCALE)["judge.flag"] == ("G",)


def test_going_back_to_the_usual_key_is_no_change():
    """A key set back by hand is not kept as a change."""
    keymap = Keymap().with_keys("judge.flag", ("G",), SCALE).with_keys("judge.flag", ("F",), SCALE)
    assert keymap.changes == {}


def test_many_levels_keep_the_keys_of_the_scale():
    """Levels beyond a preset's have the keys that the scale gives them."""
    scale = numbered_scale("twelve", [f"level {n}" for n in range(12)])
    assert Keymap("right").level_keys(scale)[:3] == ("J", "K", "L")
    assert Keymap().level_keys(scale)[9:] == ("9", "A", "B")


def test_a_taken_grade_key_can_be_given_up():
    """Taking Shift and a grade's key from it takes the grade's key."""
    keymap = Keymap().without_key("grade.2", "Shift+2", SCALE)
    assert keymap.level_keys(SCALE)[2] == ""


def test_grades_are_called_by_their_level():
    """A grade is named by its number and its level."""
    assert title_of("grade.2", SCALE) == "Grade 2, Relevant"
    assert native("Ctrl+Z") == "Ctrl+Z"


def test_a_key_is_written_in_the_language_that_is_spoken(speaks):
    """Also where it was written in another one before; what sends a line is Enter in all of them."""
    assert native("Shift+Return") == "Shift+Enter"
    speaks("xx")
    assert native("Shift+Return") not in ("Shift+Enter", "Shift+Return")


def test_every_action_is_done_by_something(qtbot, tmp_path):
    """Every row of the table leads, with a project open, to what takes what the row gives."""
    with open_sample(tmp_path) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        for spec in ACTIONS:
            target = window.actions_by_name.find_target(spec)
            assert callable(target), spec.name
            if inspect.ismethod(target):
                told = (*spec.given, *((True,) if "switch" in spec.how else ()))
                inspect.signature(target).bind(*told)
