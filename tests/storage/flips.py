"""Bits of a project file turned round one at a time, and what becomes of what is shown.

``python -m tests.storage.flips [N] [SEED]`` turns N bits of the bundled sample, each in a
copy of its own, and prints what came of it; it ends with 1 when something that is shown
changed and ``check`` was silent, or when anything but a sentence came.
"""

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from judgetool.errors import JudgetoolError
from judgetool.session.commands import Say, set_title
from judgetool.session.history import load_history
from judgetool.session.imports.importing import make_sample
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project

UNREADABLE = "unreadable"


def show_all(path):
    """Return all that a project shows, ``UNREADABLE`` where a sentence says that it is damaged.

    Whatever is raised that is not a sentence for people is a fault of judgetool.
    """
    try:
        with open_project(path, read_only=True) as session:
            return _show(session)
    except JudgetoolError:
        return UNREADABLE


def _show(session):
    material = session.material
    ids = material.document_ids()
    rankings = [
        (run, query, material.ranking(run.run_id, query))
        for run in material.runs
        for query in range(len(material.queries))
    ]
    return repr(
        (
            session.title,
            session.scale,
            session.measures,
            session.conventions,
            session.pool_choice,
            session.values(""),
            material.queries,
            sorted(ids.items()),
            [material.document(number) for number in sorted(ids)],
            [
                (run, query, list(r.documents), None if r.scores is None else list(r.scores))
                for run, query, r in rankings
            ],
            list(session.iter_judgments()),
            [
                (step.title, step.kind, step.at, step.assessor)
                for step in load_history(session, limit=10_000)
            ],
        )
    )


def flip(content, place, bit):
    """Return the bytes with one bit turned."""
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def try_flip(path, content, before, *, place, bit):
    """Return what one turned bit did: ``unnoticed`` is what must never be."""
    path.write_bytes(flip(content, place, bit))
    try:
        problems = check_project(path).problems
    except JudgetoolError:
        problems = ["refused"]
    shown = show_all(path)
    if shown == before:
        return "nothing shown changed, found" if problems else "nothing shown changed"
    if not problems:
        return "unnoticed"
    return "said to be damaged" if shown == UNREADABLE else "shown changed, found"


def make_used_sample(path):
    """Write the sample with some work done in it."""
    make_sample(path)
    with open_project(path, assessor="anna") as session:
        documents = sorted(session.material.document_ids())[:60]
        for place, document in enumerate(documents):
            session.execute(Say.grade(place % 20, document, float(place % 4)))
            if place % 5 == 0:
                session.execute(Say.note(place % 20, document, f"note {place}: schön"))
            if place % 7 == 0:
                session.undo()
        session.execute(Say.cannot_judge(1, documents[3], "no picture"))
        session.execute(set_title("Recipes, used"))


def main(n_flips=600, seed=20261122):
    """Turn bits and count."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.judge"
        make_used_sample(path)
        content, before = path.read_bytes(), show_all(path)
        done = Counter()
        for _ in range(n_flips):
            place, bit = chance.randrange(len(content)), chance.randrange(8)
            came = try_flip(path, content, before, place=place, bit=bit)
            done[came] += 1
            if came == "unnoticed":
                print(f"unnoticed: byte {place}, bit {bit}")
    for came, count in done.most_common():
        print(f"{count:5} {came}")
    return 1 if done["unnoticed"] else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
