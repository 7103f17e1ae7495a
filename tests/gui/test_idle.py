"""A window that nobody touches does nothing: watched on a real X display, in every view."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from judgetool.session.imports.importing import make_sample
from tests.helpers.idle_window import LOOKS
from tests.helpers.screens import NO_XVFB, has_xvfb, x_display

VIEWS = {"welcome", "list", "focus", "whatif", "compare", "agreement", "settle", "typing"}


def watched(folder, checkout, *words):
    """What windows did that nobody touched."""
    with x_display() as display:
        environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "JUDGETOOL_HOME": str(folder / "home"),
            "PYTHONPATH": str(checkout),
        }
        told = subprocess.run(
            [sys.executable, "-m", "tests.helpers.idle_window", *words],
            env=environment,
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
    if "Could not load the Qt platform plugin" in told.stderr:
        pytest.skip(f"Qt has no window on X here: {told.stderr.strip()}")
    assert told.returncode == 0, told.stderr
    return [json.loads(line) for line in told.stdout.splitlines()]


@pytest.fixture(scope="module")
def rests(tmp_path_factory, checkout):
    """What the window did in every view, size, theme and text size, nobody touching it."""
    if not has_xvfb():
        pytest.skip(NO_XVFB)

    def watch(look):
        folder = tmp_path_factory.mktemp("idle")
        make_sample(folder / "sample.judge")
        return watched(folder, checkout, folder / "sample.judge", "1", "--stop", "--look", look)

    # Side by side: they do little but wait.
    looks = [str(number) for number in range(len(LOOKS))]
    with ThreadPoolExecutor(len(looks)) as pool:
        return [row for rows in pool.map(watch, looks) for row in rows]


def test_an_untouched_window_lays_out_and_paints_nothing(rests):
    """No layout, no paint, a timer event a second and a hundredth of a core at the most."""
    busy = [row for row in rests if not row["is_quiet"]]
    assert not busy
    assert {row["view"] for row in rests} == VIEWS


def test_a_window_in_step_with_its_hub_rests_as_well(team, tmp_path, checkout, monkeypatch):
    """A lead's, which waits for news: nothing happens there, and nothing in the window."""
    if not has_xvfb():
        pytest.skip(NO_XVFB)
    from judgetool.session.team.joining import join_hub  # noqa: PLC0415 - needs psycopg
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - likewise

    path, passwords = tmp_path / "lea.judge", tmp_path / "passwords"
    join_hub(team.address("lea"), PASSWORD, path, assessor="lea")
    passwords.write_text(f"*:*:*:*:{PASSWORD}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    [row] = watched(tmp_path, checkout, path, "3", "--hub", "lea")
    assert (row["view"], row["is_quiet"]) == ("Hub: in step", True), row
