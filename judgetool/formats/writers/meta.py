"""The side file: what a file holds and how it came about, where the format has no comments."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from judgetool import __version__
from judgetool.core.scale import Scale, format_grade, scale_from_values
from judgetool.errors import InputError
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.values import ExportMaterial, Subject, WriterFormat

ENDING = ".meta.json"
_ALWAYS = {
    Subject.GRADES: ("view", "assessor"),
    Subject.JUDGMENTS: ("assessor",),
    Subject.RUN: ("runs",),
    Subject.QUERIES: (),
    Subject.DOCUMENTS: (),
    Subject.CLICKS: (),
    Subject.REPORT: ("view", "assessor", "runs"),
}


def meta_path(path: Path) -> Path:
    """Return where the side file of a written file stands: beside it."""
    return path.with_name(path.name + ENDING)


@dataclass(slots=True)
class Fingerprint:
    """Sums up what was written while it is written.

    Attributes:
        n_bytes: how many bytes.
    """

    n_bytes: int = 0
    _hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, chunk: str | bytes) -> None:
        """Take in a further piece."""
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else chunk
        self.n_bytes += len(data)
        self._hash.update(data)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all pieces, in hexadecimal."""
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True)
class Written:
    """What is known of a file once it stands.

    Attributes:
        file: its name, without folder.
        at: when it was written, ISO 8601 in UTC.
        n_records: grades, judgments, results, queries or runs in it.
        fingerprint: of its bytes.
    """

    file: str
    at: str
    n_records: int
    fingerprint: Fingerprint


def meta_text(
    form: WriterFormat,
    choices: ExportChoices,
    material: ExportMaterial,
    *,
    project: Mapping[str, str],
    written: Written,
    counting: Mapping[str, object],
) -> str:
    """Return the side file's JSON.

    Args:
        form: of the file.
        choices: by which it was written; only those that matter to the format are kept.
        material: what was written, with the notes.
        project: title, file and UUID of the project.
        written: the file.
        counting: the project's conventions as plain values.
    """
    values = {
        "judgetool": __version__,
        "project": dict(project),
        "file": written.file,
        "written_at": written.at,
        "bytes": written.fingerprint.n_bytes,
        "sha256": written.fingerprint.sha256,
        "format": {"name": form.name, "title": form.title, "lost": form.loses},
        "choices": _choices(form, choices),
        "records": written.n_records,
        "grades": _histogram(material),
        "scale": material.scale.to_dict(),
        "conventions": list(material.report.sentences) if material.report else [],
        "counting": dict(counting),
        "notes": material.notes,
    }
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


def _choices(form: WriterFormat, choices: ExportChoices) -> dict[str, object]:
    kept = {*_ALWAYS[form.subject], *(str(option) for option in form.options)}
    return {name: value for name, value in asdict(choices).items() if name in kept}


def _histogram(material: ExportMaterial) -> dict[str, int]:
    """Count the grades that count, or that were given, lowest first; '' is no grade."""
    said: Sequence[float | None] = [row.grade for row in material.folded] or [
        row.grade for row in material.judgments
    ]
    counts = Counter(said)
    in_order = sorted(counts.items(), key=lambda item: (item[0] is None, item[0] or 0.0))
    return {"" if grade is None else format_grade(grade): count for grade, count in in_order}


@dataclass(frozen=True, slots=True)
class SideFile:
    """What a side file says of how the file beside it is to be read.

    Attributes:
        name: of the side file; ``""`` where there is none.
        scale: by which its grades are read.
        conventions: what counts, as plain values.
        notes: what is to be said.
    """

    name: str = ""
    scale: Scale | None = None
    conventions: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


def read_side_file(path: Path) -> SideFile:
    """Return what stands beside a file; an empty one where nothing does.

    Args:
        path: the file that was exported.

    Raises:
        InputError: there is a side file, and it cannot be read.
    """
    beside = meta_path(path)
    if not beside.is_file():
        return SideFile()
    try:
        values = json.loads(beside.read_bytes())
        size = path.stat().st_size
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError(
            f"{beside} cannot be read ({problem}), and it says how the grades of {path.name} are "
            "meant. Say so by --scale, or move it away."
        ) from problem
    if not isinstance(values, dict) or not isinstance(values.get("scale"), dict):
        return SideFile()
    scale = scale_from_values(values["scale"], name=beside.name)
    counting = values.get("counting")
    notes = [f"Grades are read by the scale {scale.name} ({scale.label}), as {beside.name} says."]
    if values.get("bytes") != size:
        notes.append(f"{path.name} has been changed since {beside.name} was written beside it.")
    return SideFile(str(beside), scale, counting if isinstance(counting, dict) else {}, notes)
