"""Preferences: what is kept, and what becomes of a file that does not fit."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.system import HOME_VARIABLE
from judgetool.errors import InputError
from judgetool.settings import (
    MAX_RECENT,
    THEMES,
    RecentEntry,
    Settings,
    load_settings,
    save_settings,
    settings_path,
)


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


def write_file(text: str) -> None:
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold():
    """Without a file everything is as usual, and nothing is said."""
    settings = load_settings()
    assert settings == Settings()
    assert settings.notice == ""


def test_round_trip():
    """What is saved is what is loaded."""
    settings = Settings(
        assessor="Zoë",
        theme="dark",
        density="roomy",
        moves_on=False,
        spoken_values="all",
        shows_scores=True,
        extra_px=4,
        recent=(RecentEntry("/x/a.judge", 3, 10, 1_700_000_000_000), RecentEntry("/x/b.judge")),
        views={"uuid-1": "median"},
    )
    assert save_settings(settings) == ""
    assert load_settings() == settings


@given(
    st.builds(
        Settings,
        assessor=st.text().filter(str.isprintable),
        theme=st.sampled_from(THEMES),
        extra_px=st.integers(-2, 12),
        views=st.dictionaries(st.text(), st.text(), max_size=4),
        recent=st.lists(
            st.builds(
                RecentEntry,
                path=st.text(min_size=1),
                judged=st.none() | st.integers(0, 10**6),
                total=st.none() | st.integers(0, 10**6),
                at=st.integers(0, 2**50),
            ),
            max_size=MAX_RECENT,
        ).map(tuple),
    )
)
def test_any_settings_survive(settings):
    """Whatever may be set comes back, half surrogates and control characters included."""
    assert save_settings(settings) == ""
    assert load_settings() == settings


def test_the_file_is_readable_json():
    """The file is JSON that a person can read and edit."""
    save_settings(Settings(assessor="anna"))
    text = settings_path().read_text(encoding="utf-8")
    assert json.loads(text)["assessor"] == "anna"
    assert text.count("\n") > 5


def test_unknown_keys_are_kept():
    """What a newer judgetool wrote is still there after this one has saved."""
    write_file('{"assessor": "anna", "holograms": {"on": true}}')
    save_settings(replace(load_settings(), theme="dark"))
    assert json.loads(settings_path().read_text())["holograms"] == {"on": True}


@pytest.mark.parametrize("text", ["{ not json", "[1, 2]", "", "\x00", "[" * 100_000])
def test_a_broken_file_is_put_aside(text):
    """A file that is no preferences is kept under another name, said, and replaced."""
    write_file(text)
    settings = load_settings()
    assert settings == Settings()
    assert "settings.broken.json" in settings.notice
    assert settings_path().with_name("settings.broken.json").read_text() == text
    assert not settings_path().exists()


def test_bytes_that_are_no_text_are_put_aside():
    """A file that is no UTF-8 is put aside as well."""
    write_file("")
    settings_path().write_bytes(b"\xff\xfe\x00x")
    assert "settings.broken.json" in load_settings().notice


def test_a_wrong_value_gives_way_to_its_default():
    """One value that does not fit is said and replaced; the others hold."""
    write_file('{"theme": "pink", "assessor": "anna", "extra_px": true}')
    settings = load_settings()
    assert (settings.theme, settings.assessor, settings.extra_px) == ("system", "anna", 0)
    assert "theme" in settings.notice
    assert "extra_px" in settings.notice


@pytest.mark.parametrize(
    "values", ['{"keys": ["F"]}', '{"keys": {"judge.next": 7}}', '{"recent": 7}']
)
def test_lists_that_are_none_give_way_to_the_usual_ones(values):
    """As any value that does not fit: it is said what was expected."""
    write_file(values)
    settings = load_settings()
    assert (settings.keys, settings.recent) == (Settings().keys, ())
    assert "must be" in settings.notice


def test_a_wrong_recent_project_is_left_out():
    """Rows that are no project are left out of the recent ones."""
    write_file(
        '{"recent": [{"path": "/a"}, 7, {"path": 3}, {"judged": 1}, {"path": "/b", "at": null}]}'
    )
    assert load_settings().recent == (RecentEntry("/a"),)


def test_a_wrong_value_is_refused_in_the_program():
    """Settings that are not allowed cannot be made."""
    with pytest.raises(InputError, match="theme must be one of"):
        Settings(theme="pink")


def test_an_unwritable_home_is_said_and_stops_nothing(tmp_path, monkeypatch):
    """Where nothing can be written, saving returns a sentence and loading the defaults."""
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv(HOME_VARIABLE, str(blocker))
    assert "could not be kept" in save_settings(Settings())
    assert load_settings().assessor == ""


def test_saving_leaves_no_other_file():
    """The folder holds the preferences and nothing else."""
    save_settings(Settings())
    save_settings(Settings(theme="dark"))
    assert list(settings_path().parent.iterdir()) == [settings_path()]


def test_a_project_opened_again_moves_to_the_head():
    """A recent project is listed once, last opened first, at most twelve."""
    settings = Settings()
    for number in [*range(MAX_RECENT + 3), 5]:
        settings = settings.with_recent(RecentEntry(f"/{number}.judge", at=number))
    paths = [entry.path for entry in settings.recent]
    assert paths[0] == "/5.judge"
    assert len(paths) == len(set(paths)) == MAX_RECENT
    assert "/5.judge" not in [e.path for e in settings.without_recent("/5.judge").recent]


def test_the_last_view_is_kept_for_each_project():
    """Each project file has a view of its own."""
    a, b = Path("a"), Path("b")
    settings = Settings().with_view(a, "median").with_view(b, "mean").with_view(a, "max")
    assert [settings.find_view(each) for each in (a, b, Path("c"))] == ["max", "mean", None]
    assert settings.find_view(Path("x") / ".." / "a") == "max"
