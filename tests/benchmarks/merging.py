"""Merging two copies of a project in each of which another assessor judged 300,000 documents."""

import shutil
import tempfile
import time
from pathlib import Path

from judgetool.core.judgments import Judgment, JudgmentChange, JudgmentKey, Query, State
from judgetool.core.scale import scale_preset
from judgetool.session.opening import create_project, open_project
from judgetool.session.team.merging import merge_copies
from judgetool.storage.ids import number_ids
from judgetool.storage.judgments import LogEntry, insert_step, write_entries
from judgetool.storage.material import insert_query_texts
from judgetool.storage.values import number_assessor

N_QUERIES, N_EVENTS = 1_000, 300_000


def make_material(connection):
    """Give the project queries, and documents that are known by id."""
    step = insert_step(connection, kind="import", title="Texts", assessor_id=None, at=1)
    ids = [f"q{number}" for number in range(N_QUERIES)]
    numbers = number_ids(connection, "queries", ids).tolist()
    queries = [(number, Query(name, name)) for number, name in zip(numbers, ids, strict=True)]
    insert_query_texts(connection, queries, step_id=step.step_id)
    number_ids(connection, "documents", [f"d{number}" for number in range(N_EVENTS // N_QUERIES)])


def judge_all(connection, name):
    """Judge each document in a step of its own, as by keys."""
    who = number_assessor(connection, name, kind="human")
    for number in range(N_EVENTS):
        query, document = number % N_QUERIES + 1, number // N_QUERIES + 1
        at = 1_700_000_000_000 + number
        step = insert_step(connection, kind="judge", title="Grade", assessor_id=who, at=at).step_id
        said = Judgment(State.JUDGED, float(number % 4))
        change = JudgmentChange(JudgmentKey(query, document, who), None, said)
        write_entries(connection, [LogEntry(change, None, step, "key")], step_id=step, at=at)


def main():
    """Print what merging takes, and undoing it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.judge" for name in ("anna", "ben")]
        create_project(paths[0], scale=scale_preset("0-3"))
        with open_project(paths[0]) as session:
            session.write(make_material)
        shutil.copy(*paths)
        for path in paths:
            with open_project(path) as session:
                session.write(lambda connection, name=path.stem: judge_all(connection, name))
        with open_project(paths[0], assessor="anna") as session:
            began = time.perf_counter()
            report = merge_copies(session, paths[1:])
            print(f"{report.brought[0].judgments} merged in {time.perf_counter() - began:.1f} s")
            began = time.perf_counter()
            session.undo()
            print(f"undone in {time.perf_counter() - began:.1f} s")
