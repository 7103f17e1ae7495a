"""What a screen reader is told over the accessibility bus, by a window on a real X display."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judgetool.session.sample import make_sample
from tests.helpers.screens import NO_XVFB, has_xvfb, x_display

_BUS = (Path("/usr/libexec/at-spi-bus-launcher"), Path("/usr/lib/at-spi2-core/at-spi-bus-launcher"))


@pytest.fixture
def listen(tmp_path, checkout):
    """Return what makes a window on the sample, presses keys and returns what was said."""
    if not has_xvfb():
        pytest.skip(NO_XVFB)
    if shutil.which("dbus-run-session") is None or not any(path.exists() for path in _BUS):
        pytest.skip("there is no accessibility bus here (Debian: dbus-daemon, at-spi2-core)")
    make_sample(tmp_path / "sample.judge")

    def run(*keys):
        ear = [sys.executable, "-m", "tests.helpers.ear", tmp_path / "sample.judge"]
        with x_display("1366x768") as display:
            told = subprocess.run(
                ["dbus-run-session", "--", *ear, *keys],
                env={
                    **os.environ,
                    "DISPLAY": display,
                    "QT_QPA_PLATFORM": "offscreen",
                    "JUDGETOOL_HOME": str(tmp_path / "home"),
                    "PYTHONPATH": str(checkout),
                    # The bus makes its socket beneath these.
                    "XDG_RUNTIME_DIR": str(tmp_path),
                    "XDG_CACHE_HOME": str(tmp_path),
                },
                cwd=checkout,
                capture_output=True,
                text=True,
                check=False,
            )
        if "Could not load the Qt platform plugin" in told.stderr:
            pytest.skip(f"Qt has no window on X here: {told.stderr.strip()}")
        assert told.returncode == 0, told.stdout + told.stderr
        return told.stdout.splitlines()

    return run


def test_rows_are_said_where_the_keyboard_comes_and_once_after_a_grade(listen):
    """A list says its current row; a grade is heard before the row it leads to, which is said once."""
    heard = listen(
        "=Rank ",
        "slash=Filter queries",
        "Escape=Query ",
        "ctrl+1=Rank ",
        "2=Saved.",
        "slash=Filter queries",
    )
    start = heard.index("Filter queries")
    bar, queries, query, results, card, grade, end = heard[start:]
    assert (bar, queries, results, end) == ("Filter queries", "Queries", "Results", bar)
    assert query.startswith("Query ")
    assert card.startswith("Rank 5, ")
    assert grade.startswith("Grade 2 for ")
    assert "Saved. nDCG@10 " in grade
    assert "Rank 6, " in grade


def test_another_view_is_said_without_what_is_on_the_way_to_it(listen):
    """Each view says what it begins with and its name; no button that gets the keyboard in between."""
    heard = listen(
        "=Rank ",
        "ctrl+3=What-if view.",
        "ctrl+4=Compare view.",
        "ctrl+1=List view.",
        "slash=Filter queries",
    )
    start = heard.index("What-if ranking")
    passed_by = ("Filter queries", "Blind mode is off", "What-if: none yet")
    assert not any(said.startswith(passed_by) for said in heard[start:-1])
