"""A session by ear: ``python -m tests.by_ear [--orca] [--program FILE]``; prints what is heard, and each key in brackets.

The real program runs in a process of its own, on an X display and an accessibility bus of
its own. Somebody imports a run, judges twenty documents, takes three judgments back,
compares the runs and exports the judgments, knowing the keys of the help page and what is
said, and nothing else: no widget, no picture. With ``--orca`` the reader is Orca, and a
few keys are tried in each way of judging. With ``--program`` it is that of a package.

It ends with 0, with 1 when something was not said, and with 77 where something is missing
on this machine, which it names.
"""

import argparse
import os
import re
import signal
import sys
import tempfile
from pathlib import Path

from judgetool.resources import resource_path
from tests.helpers.ear import JUDGETOOL, Desk, Ear, NotHeardError, Orca, Reader, desk, why_deaf

N_JUDGED, N_UNDONE = 20, 3
SKIPPED = 77
_MOST_TABS = 40


def make_project(place: Desk) -> Path:
    """Make a project with queries, documents and one run, without judgments."""
    sample, folder = resource_path("sample"), place.folder
    path = folder / "ear.judge"
    place.run("new", path, "--scale", "0-3", "--title", "By ear")
    place.run(
        *("import", path, "--queries", sample / "queries.jsonl"),
        *("--documents", sample / "documents.jsonl", "--run", sample / "runs" / "title-bm25.run"),
    )
    (folder / "second.run").write_bytes((sample / "runs" / "full-bm25-stem.run").read_bytes())
    return path


def go_to(reader: Ear, words: str) -> str:
    """Press Tab until something is said that matches; return it."""
    for _ in range(_MOST_TABS):
        reader.press("Tab")
        said = reader.wait("")[-1]
        if re.search(words, said) and reader.is_focused:
            return said
    raise NotHeardError(f"Tab leads to nothing like {words}")


def import_run(reader: Ear, folder: Path) -> None:
    """Import the second run."""
    reader.press("ctrl+i")
    reader.wait("Add files")
    reader.press("space")
    reader.wait("File name")
    reader.type(f"{folder}/second.run")
    reader.press("Return")
    reader.wait("second.run")
    go_to(reader, "^Import.*push button")
    reader.press("space")
    reader.wait("Saved.")


def judge(reader: Reader) -> int:
    """Judge twenty documents by their titles; return how many were found relevant."""
    reader.press("j")
    said, n_good = " ".join(reader.wait("Rank ")), 0
    for _ in range(N_JUDGED):
        title = re.search(r"Rank \d+, (.*?), ", said)
        is_good = title is not None and "soup" in title[1].casefold()
        n_good += is_good
        reader.press("2" if is_good else "0")
        said = " ".join(reader.wait("Saved.", "Rank "))
    return n_good


def take_back(reader: Reader) -> None:
    """Undo three times."""
    for _ in range(N_UNDONE):
        reader.press("ctrl+z")
        reader.wait("Undone: ")


def compare(reader: Reader) -> None:
    """Look at both runs side by side."""
    reader.press("ctrl+4")
    reader.wait("Compare view.")
    for key in ("Right", "Right", "Left"):
        reader.press(key)
        reader.wait("")


def export(reader: Ear, folder: Path) -> None:
    """Export the judgments."""
    reader.press("ctrl+e")
    reader.wait("Export")
    go_to(reader, "^Export.*push button")
    reader.press("space")
    reader.wait("File name")
    reader.press("ctrl+a")
    reader.type(f"{folder}/out.txt")
    reader.press("Return")
    reader.wait("written to out.txt")


def whole_session(place: Desk) -> str:
    """Do everything by ear; return what came of it, in a line."""
    project = make_project(place)
    reader = Ear(place)
    place.open_window("open", project, "--assessor", "anna")
    reader.wait("Rank 1,")
    import_run(reader, place.folder)
    judge(reader)
    take_back(reader)
    compare(reader)
    export(reader, place.folder)
    grades = (place.folder / "out.txt").read_text("utf-8").splitlines()
    if len(grades) != N_JUDGED - N_UNDONE:
        raise NotHeardError(f"{len(grades)} judgments were exported")
    return f"{len(grades)} judgments exported"


def with_orca(place: Desk) -> str:
    """Try a few keys with Orca."""
    project = make_project(place)
    reader = Orca(place)
    reader.wait("Screen reader on")
    place.open_window("open", project, "--assessor", "anna")
    reader.wait("frame")
    for key, words in (
        ("j", ("Rank 2,",)),
        ("2", ("Grade 2 for ", "Saved.", "Rank 3,")),
        ("bracketright", ("Query: ", "Rank 1,")),
        ("ctrl+z", ("Undone: ",)),
        ("v", ("Focus view.",)),
        ("j", ("Rank ",)),
        ("2", ("Grade 2 for ", "Saved.", "Rank ")),
        ("bracketright", ("Query: ", "Rank ")),
        ("ctrl+3", ("What-if view.",)),
        ("alt+Down", ("was 1",)),
        ("ctrl+4", ("Runs compared",)),
    ):
        reader.press(key)
        reader.wait(*words)
    return "all keys were heard"


def main() -> int:
    """Listen, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--orca", action="store_true")
    parser.add_argument("--program", nargs=1, default=JUDGETOOL, type=os.path.abspath)
    said = parser.parse_args()
    lack = why_deaf("orca" if said.orca else "")
    if lack:
        print(f"NOT RUN: {lack}")
        return SKIPPED
    with (
        tempfile.TemporaryDirectory(prefix="judgetool-ear-") as folder,
        desk(Path(folder), program=said.program) as place,
    ):
        try:
            print(with_orca(place) if said.orca else whole_session(place))
        except NotHeardError as problem:
            print(f"{problem}\n{place.told}")
            return 1
    return 0


if __name__ == "__main__":
    # Whoever ends it ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
