"""Where there is no screen, or a library is missing: sentences, not a crash of Qt."""

import os
import subprocess
import sys

import pytest

from judgetool.cli.open import find_library_problem, find_screen_problem
from judgetool.session.imports.importing import make_sample, sample_path
from judgetool.session.opening import open_project
from judgetool.settings import THEMES
from tests.helpers.program import call, must

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux may lack a screen")
NOWHERE = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@pytest.fixture
def no_screen(monkeypatch):
    """An environment like that of a server."""
    for name in NOWHERE:
        monkeypatch.delenv(name, raising=False)


@LINUX
@pytest.mark.usefixtures("no_screen")
@pytest.mark.parametrize("command", [(), ("open",), ("demo",), ("open", "a.judge", "b.judge")])
def test_without_a_screen_it_says_how_to_get_one(command):
    """No window, no abort: exit code 1 and three ways out."""
    found = call(*command)
    assert (found.code, found.out) == (1, "")
    assert all(word in found.err for word in ("DISPLAY", "xvfb-run -a judgetool", "--screenshot"))


@LINUX
def test_dead_display_is_noticed(monkeypatch):
    """A DISPLAY that does not answer is a sentence, too."""
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":4711")
    found = call("open")
    assert found.code == 1
    assert ":4711" in found.err


@pytest.mark.parametrize(
    ("environment", "has_problem"),
    [
        ({}, True),
        ({"DISPLAY": ":0"}, False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, False),
        ({"QT_QPA_PLATFORM": "offscreen"}, False),
        ({"QT_QPA_PLATFORM": "xcb"}, True),
        ({"DISPLAY": ""}, True),
    ],
)
def test_screen_is_found_in_the_environment(environment, has_problem):
    """DISPLAY, WAYLAND_DISPLAY or a platform that needs neither make a screen."""
    assert bool(find_screen_problem(environment)) is has_problem


def test_missing_libraries_are_named_with_their_packages():
    """One apt line installs all that is missing."""
    lacking = {"libGL.so.1", "libxcb-cursor.so.0"}
    sentence = find_library_problem({"DISPLAY": ":0"}, loads=lambda name: name not in lacking)
    assert "libGL.so.1 and libxcb-cursor.so.0" in sentence
    assert sentence.endswith("apt-get install -y --no-install-recommends libgl1 libxcb-cursor0")


def test_offscreen_needs_no_x_libraries():
    """Pictures are made where X's libraries are absent."""
    environment = {"QT_QPA_PLATFORM": "offscreen"}
    assert not find_library_problem(environment, loads=lambda name: "xcb" not in name)


def test_wayland_needs_its_own_libraries():
    """On a Wayland desktop X's libraries may be absent."""
    environment = {"WAYLAND_DISPLAY": "wayland-0"}
    assert not find_library_problem(environment, loads=lambda name: "xcb" not in name)
    assert "libwayland-client0" in find_library_problem(
        environment, loads=lambda name: "wayland" not in name
    )


def test_demo_is_not_put_over_an_existing_file(tmp_path):
    """What stands at the given place is left as it is."""
    target = tmp_path / "mine.judge"
    target.write_text("mine", encoding="utf-8")
    assert call("demo", target).code == 1
    assert target.read_text(encoding="utf-8") == "mine"


def picture(*arguments):
    """Make a picture of the window in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name not in NOWHERE}
    return subprocess.run(
        [sys.executable, "-m", "judgetool", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def png_size(path):
    """Return width and height of a PNG file."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def test_demo_makes_a_picture_without_a_screen(tmp_path):
    """--screenshot renders the real window in the size that was asked for."""
    found = picture(
        *("demo", tmp_path / "a.judge", "--screenshot", tmp_path / "a.png", "--size", "1100x700")
    )
    # An exception while painting is told on standard error and does not end the process.
    assert (found.returncode, found.stderr) == (0, "")
    assert png_size(tmp_path / "a.png") == (1100, 700)
    assert dict(must("show", tmp_path / "a.judge").rows)["judgments"] == "342"


@pytest.mark.parametrize("content", [None, b"", b"hello", b"SQLite format 3\0"])
def test_a_picture_of_what_cannot_be_opened_is_refused(tmp_path, content):
    """A sentence and an end: nobody could close a dialog of a window without a screen."""
    path, target = tmp_path / "a.judge", tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content)
    made = picture("open", path, "--screenshot", target)
    assert made.returncode == 1
    assert "a.judge" in made.stderr
    assert not target.exists()


@pytest.mark.parametrize("words", [("open", "--screenshot"), ("report", "{sample}")])
def test_a_qt_that_cannot_be_loaded_is_named(tmp_path, sample, words):
    """With what it lacks: a library of the system, as the loader calls it."""
    package, out = tmp_path / "PySide6", tmp_path / "out.pdf"
    package.mkdir()
    lack = "libEGL.so.1: cannot open shared object file"
    package.joinpath("__init__.py").write_text(f"raise ImportError('{lack}', name='PySide6')")
    found = subprocess.run(
        [sys.executable, "-m", "judgetool", *(word.format(sample=sample) for word in words), out],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith(f"Qt cannot be loaded: {lack}. Install judgetool again")


def test_a_picture_that_cannot_be_written_says_why(tmp_path, sample):
    """With the cause; its name may end as it likes, it is a PNG."""
    made = picture("open", sample, "--screenshot", tmp_path / "nowhere" / "a.png")
    assert made.returncode == 1
    assert "was not written: its folder does not exist" in made.stderr
    assert picture("open", sample, "--screenshot", tmp_path / "picture").returncode == 0
    assert png_size(tmp_path / "picture") == (1400, 900)


def test_themes_give_different_pictures(tmp_path, sample):
    """Each theme is a look of its own of one window."""
    for theme in THEMES[1:]:
        found = picture(
            *("open", sample, "--screenshot", tmp_path / f"{theme}.png", "--theme", theme)
        )
        assert (found.returncode, found.stderr) == (0, "")
    assert len({(tmp_path / f"{theme}.png").read_bytes() for theme in THEMES[1:]}) == 4


def test_default_demo_is_opened_as_left(tmp_path):
    """Without a place the sample stands in the data folder, and keeps what was done in it."""

    for n in ("342", "343"):
        assert picture("demo", "--screenshot", tmp_path / "a.png").returncode == 0
        assert dict(must("show", sample_path()).rows)["judgments"] == n
        must("judge", sample_path(), "--assessor", "me", stdin="1\tr001\t2\n")


def test_a_fresh_demo_keeps_the_old_one(tmp_path):
    """--fresh begins anew, and says where the copy is that was worked in."""

    make_sample(sample_path())
    must("judge", sample_path(), "--assessor", "me", stdin="1\tr001\t2\n")
    found = picture("demo", "--fresh", "--screenshot", tmp_path / "a.png")
    (kept,) = sample_path().parent.glob("recipes until *.judge")
    assert str(kept) in found.stdout
    assert [dict(must("show", path).rows)["judgments"] for path in (kept, sample_path())] == [
        "343",
        "342",
    ]


def test_default_demo_in_use_is_not_replaced(tmp_path):
    """A sample that another judgetool has open stays as it is."""

    make_sample(sample_path())
    with open_project(sample_path(), assessor="me"):
        found = picture("demo", "--fresh", "--screenshot", tmp_path / "a.png")
    assert found.returncode == 1
    assert "in use" in found.stderr
