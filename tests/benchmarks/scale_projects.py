"""Large projects for benchmarks, made once from seeded data and kept in the temporary folder."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.helpers.shared import SHARED

FOLDER = Path(tempfile.gettempdir()) / "judgetool-benchmarks"
GENERATOR = SHARED / "tools" / "make_scale_data.py"


def scale_data(name: str) -> Path | None:
    """Return the folder of a data set (``msmarco``, ``pool``); ``None`` without its generator."""
    folder = FOLDER / "data" / name
    if not (folder / "expected.json").exists():
        if not GENERATOR.exists():
            print(f"The generator of {name} data is not beside the checkout: left out.")
            return None
        subprocess.run(
            [sys.executable, str(GENERATOR), str(FOLDER / "data"), "--set", name], check=True
        )
    return folder


def scale_project(name: str) -> Path | None:
    """Return a project made of a data set, importing it if it is not there yet."""
    project = FOLDER / f"{name}.judge"
    if project.exists():
        return project
    folder = scale_data(name)
    if folder is None:
        return None
    runs = sorted(folder.glob("run.trec")) or sorted((folder / "runs").iterdir())
    queries = next(p for p in (folder / "queries.tsv", folder / "topics.tsv") if p.exists())
    qrels = next(p for p in (folder / "qrels.tsv", folder / "qrels.txt") if p.exists())
    scale = "binary" if name == "msmarco" else "0-3"
    unfinished = project.with_suffix(".making.judge")
    unfinished.unlink(missing_ok=True)
    command = [sys.executable, "-m", "judgetool"]
    subprocess.run([*command, "new", str(unfinished), "--scale", scale], check=True)
    files = ["--queries", str(queries), "--qrels", str(qrels)]
    for run in runs:
        files += ["--run", str(run)]
    subprocess.run([*command, "import", str(unfinished), *files], check=True)
    unfinished.rename(project)
    return project
