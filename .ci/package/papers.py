"""What stands beside the program in a package: man page, pictures of its icon, licences of its parts.

    python papers.py FOLDER LIBRARY...

in the environment that the program is made of. Nothing of it is written by hand: the man page is
made from the commands' help, the licences from what each installed package says of itself, and those
of each LIBRARY of the system that is in the bundle from the package that brought it; so those of copies
that a wheel has of one, NAME=LIBRARY.
"""

import gzip
import importlib.metadata
import inspect
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import click
from packaging.requirements import Requirement

from judgetool import __version__
from judgetool.cli.main import program
from judgetool.resources import resource_path

PNG_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
_LICENCE = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)
_COMMON = Path("/usr/share/common-licenses")
NO_NAME = "see its files"
_QT = """\
Qt {qt} and Qt for Python (PySide6, shiboken6) {pyside}
=======================================================

(c) The Qt Company Ltd. and other contributors. judgetool uses them under the GNU Lesser General Public
License, version 3, whose text is in LGPL-3 beside this file; it adds to the GPL, which is in GPL-3.

- They are used unchanged, as they are published on https://pypi.org/project/PySide6-Essentials/.
- Their source is on https://download.qt.io/official_releases/QtForPython/pyside6/ and
  https://download.qt.io/official_releases/qt/ under the versions above.
- They are libraries of their own, in the folder _internal/PySide6 and _internal/shiboken6: you may
  replace them by versions that you changed, as long as these have the same interface. Nothing in
  judgetool hinders that, and you may take the program apart to find out why yours does not work.
- Qt itself contains parts of others, listed with their licences on
  https://doc.qt.io/qt-6/licenses-used-in-qt.html: among them ICU, FreeType, HarfBuzz, PCRE2, libpng,
  libjpeg-turbo, zlib.

psycopg and psycopg-binary, which speak with a team's hub, are under the LGPL 3 as well, and the same
holds for them: https://pypi.org/project/psycopg/ has their source, _internal/psycopg their files.
"""


# The man page


def roff(text: str) -> str:
    """Return a text as troff takes it for itself; `what is in backquotes` is bold."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    safe = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", safe)
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in safe.splitlines())


def paragraphs(command: click.Command) -> Iterator[str]:
    """Yield the paragraphs of a command's help."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield f".PP\n{roff(' '.join(paragraph.split()))}"


def of_command(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the section of a command, and those of its own commands."""
    usage = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "{roff(f"{context.command_path} {usage}")}"'
    yield from paragraphs(command)
    for param in command.get_params(context):
        record = param.get_help_record(context)
        # The usage above has names of arguments, which have no help of their own.
        if record is not None and record[1] and "--help" not in param.opts:
            yield f".TP\n\\fB{roff(record[0])}\\fR\n{roff(record[1])}"
    examples = getattr(command, "examples", ())
    if examples:
        yield ".PP\nExamples:\n.PP\n.nf"
        yield from (f"  {roff(example)}" for example in examples)
        yield ".fi"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from of_command(inner, click.Context(inner, info_name=name, parent=context))


def man_page() -> str:
    """Return the page for section 1 of the manual."""
    context = click.Context(program, info_name="judgetool")
    summary = next(iter(inspect.cleandoc(program.help or "").splitlines())).rstrip(".")
    lines = [
        f'.TH JUDGETOOL 1 "" "judgetool {__version__}" "User Commands"',
        f".SH NAME\njudgetool \\- {roff(summary[:1].lower() + summary[1:])}",
        (
            ".SH SYNOPSIS\n\\fBjudgetool\\fR [\\fIPROJECT\\fR]...\n.br\n"
            "\\fBjudgetool\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]"
        ),
        ".SH DESCRIPTION",
        *paragraphs(program),
        ".SH COMMANDS",
    ]
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        lines += of_command(command, click.Context(command, info_name=name, parent=context))
    lines += [
        (
            ".SH ENVIRONMENT\n.TP\n\\fBJUDGETOOL_HOME\\fR\nThe folder of preferences, samples and safety "
            "copies, in place of the user's own folders."
        ),
        (
            ".TP\n\\fBJUDGETOOL_LANGUAGE\\fR, \\fBLANGUAGE\\fR, \\fBLC_ALL\\fR, "
            "\\fBLC_MESSAGES\\fR, \\fBLANG\\fR\nThe language of the window and of messages, as a "
            "code such as de; the first goes before the preferences, the others after them. Data lines and "
            "files are English always."
        ),
        ".SH SEE ALSO\nThe help in the window, \\fBHelp\\fR in its menu, has pages on all of this.",
    ]
    return "\n".join(lines) + "\n"


# Pictures


def draw_icons(folder: Path) -> None:
    """Write the icon as PNG in the sizes of desktops, as drawing, and for Windows."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import Qt  # noqa: PLC0415 - whoever wants the man page alone has no need of it
    from PySide6.QtGui import QGuiApplication, QImage, QPainter  # noqa: PLC0415 - likewise
    from PySide6.QtSvg import QSvgRenderer  # noqa: PLC0415 - likewise

    app = QGuiApplication.instance() or QGuiApplication([])
    drawing = resource_path("icons/judgetool.svg")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(drawing, folder / "judgetool.svg")
    renderer = QSvgRenderer(str(drawing))
    for size in PNG_SIZES:
        picture = QImage(size, size, QImage.Format.Format_ARGB32)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter)
        painter.end()
        picture.save(str(folder / f"judgetool-{size}.png"))
        if size == 256:
            picture.save(str(folder / "judgetool.ico"))
            # Written by Qt on macOS alone.
            picture.save(str(folder / "judgetool.icns"))
    app.quit()


# Licences


def parts() -> dict[str, importlib.metadata.Distribution]:
    """Return judgetool, its extra ``hub``, and all that they need, by name."""
    found: dict[str, importlib.metadata.Distribution] = {}
    wanted = [("judgetool", "hub")]
    while wanted:
        name, extra = wanted.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        part = importlib.metadata.distribution(name)
        if key in found and not extra:
            continue
        found[key] = part
        for line in part.requires or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                wanted += [(need.name, each) for each in need.extras or {""}]
    return dict(sorted(found.items()))


def licence_of(part: importlib.metadata.Distribution) -> str:
    """Return how a package calls its licence."""
    said = part.metadata
    classified = [
        line.rpartition(" :: ")[2]
        for line in said.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    short = (said.get("License") or "").strip()
    named = said.get("License-Expression") or ", ".join(classified) or short
    return named if named and "\n" not in named else NO_NAME


def texts_of(part: importlib.metadata.Distribution) -> Iterator[importlib.metadata.PackagePath]:
    """Yield the files of a package that are texts of its licence, or go with it."""
    for file in part.files or ():
        if ".dist-info" in file.parts[0] and _LICENCE.search("/".join(file.parts[1:])):
            yield file


def copy_licences(folder: Path, libraries: list[str]) -> None:
    """Write a list of all parts, and the texts of their licences beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, part in parts().items():
        rows.append(f"{name} {part.version}: {licence_of(part)}")
        for file in texts_of(part):
            target = folder / name / "-".join(file.parts[1:])
            target.parent.mkdir(exist_ok=True)
            shutil.copy(file.locate(), target)
    rows.append(f"Python {sys.version.split()[0]}: PSF-2.0, see python/LICENSE.txt")
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    debian = Path("/usr/share/doc") / f"python3.{sys.version_info[1]}" / "copyright"
    (folder / "python").mkdir(exist_ok=True)
    shutil.copy(python if python.is_file() else debian, folder / "python" / "LICENSE.txt")
    starter = importlib.metadata.distribution("pyinstaller")
    rows.append(
        f"PyInstaller's starter {starter.version}: GPL-2.0-or-later with an exception for programs made by it"
    )
    rows += of_system(folder, libraries)
    versions = {"qt": importlib.metadata.version("PySide6-Essentials")}
    qt = _QT.format(qt=versions["qt"], pyside=versions["qt"])
    head = f"judgetool {__version__} is under the MIT licence. It contains:\n\n"
    text = head + "\n".join(f"- {row}" for row in rows)
    (folder / "README.txt").write_text(f"{text}\n\n\n{qt}", encoding="utf-8")
    for name in ("LGPL-3", "GPL-3"):
        if (_COMMON / name).is_file():
            shutil.copy(_COMMON / name, folder / name)
        elif not sys.platform.startswith("linux"):
            print(f"Put the text of {name} into {folder}: it is not on this system.")
        else:
            raise SystemExit(
                f"{_COMMON / name} is wanted: the licence asks that its text goes along."
            )


def of_system(folder: Path, libraries: list[str]) -> Iterator[str]:
    """Yield a line for each package of the system that a library of the bundle is from, or a copy of."""
    packages: dict[str, list[str]] = {}
    for name, _is, library in (each.rpartition("=") for each in libraries):
        # Where /lib is a link to /usr/lib, a package may name either.
        other = library.removeprefix("/usr") if library.startswith("/usr/lib") else f"/usr{library}"
        owners = (
            subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=False)
            for path in (library, other)
        )
        owner = next((said.stdout.partition(":")[0] for said in owners if not said.returncode), "")
        if owner:
            packages.setdefault(owner, []).append(name or Path(library).name)
    for owner, files in sorted(packages.items()):
        notice = Path("/usr/share/doc") / owner / "copyright"
        if notice.is_file():
            (folder / "system").mkdir(exist_ok=True)
            shutil.copy(notice, folder / "system" / f"{owner}.txt")
        yield f"{', '.join(sorted(files))}: as Debian's {owner}, see system/{owner}.txt"


def main() -> None:
    """Write all of it below a folder."""
    folder = Path(sys.argv[1])
    manual = folder / "man" / "judgetool.1.gz"
    manual.parent.mkdir(parents=True, exist_ok=True)
    # Without a time, so that the same program has the same page.
    manual.write_bytes(gzip.compress(man_page().encode(), mtime=0))
    draw_icons(folder / "icons")
    copy_licences(folder / "licences", sys.argv[2:])


if __name__ == "__main__":
    main()
