"""Make packages of judgetool that need no Python: a folder, a .tar.xz, and on Debian a .deb.

    python .ci/package/build.py OUT [--date YYYY-MM-DD] [--level N]

makes an environment of its own below OUT, installs this checkout into it with its extra ``hub``, has
PyInstaller make a folder of it by ``judgetool.spec``, and packs that. It needs, besides Python with its
shared library: binutils, xz-utils, and the libraries of the system that judgetool names when they are
missing (README's first command installs them), with those for Wayland.

A single file that unpacks itself would unpack 350 MB at every start, or leave them somewhere; so for
systems without .deb there is an archive, to be unpacked once. It runs where glibc is as new as here.
"""

import argparse
import gzip
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import venv
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
PYINSTALLER = "pyinstaller>=6.10,<7"
# Not of patched wheels, which strip can break.
STRIPPED = ("libpython*", "python3*/lib-dynload/*.so", "zstandard/*.so", "apsw/*.so")
COMPLETIONS = {
    "bash": "bash-completion/completions/judgetool",
    "zsh": "zsh/vendor-completions/_judgetool",
    "fish": "fish/vendor_completions.d/judgetool.fish",
}
DESCRIPTION = """\
 judge search results and see what each judgment does
 judgetool is a desktop application in which people judge how relevant search
 results are, and see at once what each judgment does to the quality figures of
 the systems that produced them. It works offline on one project file, and the
 same numbers come from commands (judgetool score).
 .
 This package brings its own Python, Qt and SciPy.
"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: judgetool
Comment: All that the bundle contains, with its licences, stands in
 /usr/lib/judgetool/licences, which begins with README.txt.

Files: *
License: MIT

License: MIT
"""


def run(*words: str | Path, **how: object) -> None:
    """Run a command, or end."""
    print("+", *words, flush=True)
    subprocess.run([str(word) for word in words], check=True, **how)  # type: ignore[call-overload]


def said_by(*words: str | Path, **environment: str) -> str:
    """Return what a command prints."""
    env = {**os.environ, **environment}
    words_ = [str(word) for word in words]
    return subprocess.run(words_, check=True, capture_output=True, text=True, env=env).stdout


class Build:
    """One build, below a folder."""

    def __init__(self, out: Path, *, date: str, level: int) -> None:
        self.out = out
        self.date = date
        self.level = level
        scripts = "Scripts" if sys.platform == "win32" else "bin"
        self.python = out / "venv" / scripts / "python"
        self.folder = out / "dist" / "judgetool"
        self.papers = out / "papers"
        self.version = ""

    def install(self) -> None:
        """Install this checkout and what makes bundles into an environment of its own."""
        if not self.python.exists():
            venv.create(self.out / "venv", with_pip=True)
        run(self.python, "-m", "pip", "install", "--quiet", f"{CHECKOUT}[hub]", PYINSTALLER)
        # Also where the version is the same as before.
        again = ("--no-deps", "--force-reinstall", str(CHECKOUT))
        run(self.python, "-m", "pip", "install", "--quiet", *again)
        self.version = said_by(self.python, "-m", "judgetool", "--version").split()[1]

    def bundle(self) -> None:
        """Make the folder, with the licences of what is in it."""
        if sys.platform != "linux":
            # Windows and macOS want the icon in the program.
            self.write_papers([])
            shutil.copytree(self.papers / "icons", self.out / "icons", dirs_exist_ok=True)
        places = ("--workpath", self.out / "work", "--distpath", self.out / "dist")
        run(self.python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", *places,
            HERE / "judgetool.spec", cwd=self.out)  # fmt: skip
        if sys.platform == "linux":
            write(self.folder / "qt.conf", "[Paths]\nPrefix = _internal/PySide6/Qt\n")
            for pattern in STRIPPED:
                for file in (self.folder / "_internal").glob(pattern):
                    run("strip", "--strip-unneeded", file)
        self.write_papers(self.of_system())
        shutil.copytree(self.papers / "licences", self.folder / "licences", dirs_exist_ok=True)
        shutil.copy(CHECKOUT / "LICENSE", self.folder / "licences" / "LICENSE")

    def write_papers(self, libraries: Sequence[str]) -> None:
        """Write man page, pictures and licences."""
        run(self.python, HERE / "papers.py", self.papers, *libraries)

    def of_system(self) -> list[str]:
        """Return the system's libraries that are in the folder, and those that a wheel has a copy of.

        The latter as ``NAME=LIBRARY``: their wheel says nothing of their licences, the system does.
        """
        cache = said_by("/sbin/ldconfig", "-p") if sys.platform == "linux" else ""
        places = {line.split()[0]: line.split()[-1] for line in cache.splitlines() if "=>" in line}
        own = {
            file.name for file in (self.folder / "_internal").glob("*.so*") if not file.is_symlink()
        }
        # Python's own library is not the system's where Python is not.
        found = (name for name in own if name in places and not name.startswith("libpython"))
        copies = (self.folder / "_internal/psycopg_binary.libs").glob("*.so*")
        stems = {file.name: file.name.partition(".so")[0].rpartition("-")[0] for file in copies}
        known = (
            f"{file}={os.path.realpath(place)}"
            for file, stem in stems.items()
            for name, place in places.items()
            if re.fullmatch(rf"{stem}(-[0-9.]+)?\.so\.[0-9]+", name)
        )
        return sorted([*(os.path.realpath(places[name]) for name in found), *known])

    # Files of a desktop on Linux

    def write_share(self, share: Path) -> None:
        """Write what stands in ``share`` beside a program: icon, type of file, manual, completions."""
        icons = self.papers / "icons"
        for picture in icons.glob("judgetool-*.png"):
            size = picture.stem.rpartition("-")[2]
            put(picture, share / f"icons/hicolor/{size}x{size}/apps/judgetool.png")
        put(icons / "judgetool.svg", share / "icons/hicolor/scalable/apps/judgetool.svg")
        put(HERE / "linux/judgetool.desktop", share / "applications/judgetool.desktop")
        put(HERE / "linux/judgetool.xml", share / "mime/packages/judgetool.xml")
        put(self.papers / "man/judgetool.1.gz", share / "man/man1/judgetool.1.gz")
        about = (HERE / "linux/judgetool.metainfo.xml").read_text(encoding="utf-8")
        about = about.replace("@VERSION@", self.version).replace("@DATE@", self.date)
        write(share / "metainfo/judgetool.metainfo.xml", about)
        for shell, place in COMPLETIONS.items():
            script = said_by(self.folder / "judgetool", _JUDGETOOL_COMPLETE=f"{shell}_source")
            write(share / place, script)

    def archive(self) -> Path:
        """Make the .tar.xz: the folder, and a script that tells one's desktop of it."""
        name = f"judgetool-{self.version}-linux-{platform.machine()}"
        top = self.out / "tar" / name
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(self.folder, top, symlinks=True)
        self.write_share(top / "share")
        put(HERE / "linux/install", top / "install", mode=0o755)
        target = self.out / f"{name}.tar.xz"
        threads = {**os.environ, "XZ_OPT": f"-{self.level} -T0"}
        run(
            "tar",
            "-C",
            top.parent,
            "--owner=0",
            "--group=0",
            "--sort=name",
            "-cJf",
            target,
            name,
            env=threads,
        )
        return target

    def deb(self) -> Path:
        """Make the .deb."""
        architecture = said_by("dpkg", "--print-architecture").strip()
        root = self.out / "deb"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(self.folder, root / "usr/lib/judgetool", symlinks=True)
        (root / "usr/bin").mkdir(parents=True)
        (root / "usr/bin/judgetool").symlink_to("../lib/judgetool/judgetool")
        self.write_share(root / "usr/share")
        licence = (CHECKOUT / "LICENSE").read_text(encoding="utf-8")
        line_of_us = next(line for line in licence.splitlines() if line.startswith("Copyright"))
        holder = line_of_us.partition(")")[2].strip()
        body = "".join(f" {line or '.'}\n" for line in licence.splitlines())
        copyright_ = COPYRIGHT.replace("Files: *\n", f"Files: *\nCopyright: {holder}\n")
        write(root / "usr/share/doc/judgetool/copyright", copyright_ + body)
        changes = (CHECKOUT / "resources/help/changelog.md").read_bytes()
        place = root / "usr/share/doc/judgetool/changelog.gz"
        place.write_bytes(gzip.compress(changes, mtime=0))
        kib = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file()) // 1024
        write(
            root / "DEBIAN/control",
            f"Package: judgetool\nVersion: {self.version}\nArchitecture: {architecture}\n"
            # Policy wants somebody to write to; there is no address that could be named.
            f"Maintainer: {holder.lstrip('0123456789 ') or 'judgetool'} <root@localhost>\n"
            f"Installed-Size: {kib}\nSection: science\nPriority: optional\n"
            f"Depends: {', '.join(self.needed_packages())}\n"
            "Recommends: fonts-inter, shared-mime-info, desktop-file-utils, xdg-utils\n"
            f"Description:{DESCRIPTION}",
        )
        for path in root.rglob("*"):
            if not path.is_symlink():
                is_program = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
                path.chmod(0o755 if is_program else 0o644)
        target = self.out / f"judgetool_{self.version}_{architecture}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", f"-z{self.level}", "--build", root, target)
        return target

    def needed_packages(self) -> list[str]:
        """Return the packages whose libraries are not in the folder, as dpkg wants them.

        They are those that judgetool itself names where one is missing. A newer Debian calls some
        of them NAMEt64.
        """
        ask = "from judgetool.cli.open import desktop_libraries as d; print(*d().values())"
        named = dict.fromkeys(said_by(self.python, "-c", ask).split())
        glibc = platform.libc_ver()[1]
        others = (f"{name}t64 | {name}" if name == "libglib2.0-0" else name for name in named)
        return [f"libc6 (>= {glibc})", "libstdc++6", "libgcc-s1", *others]


def put(source: Path, target: Path, *, mode: int = 0o644) -> None:
    """Copy a file to where its folder need not be yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    target.chmod(mode)


def write(target: Path, text: str) -> None:
    """Write a file to where its folder need not be yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def megabytes(path: Path) -> str:
    """Return how large a file or folder is, in words."""
    files = (
        [path]
        if path.is_file()
        else [f for f in path.rglob("*") if not f.is_symlink() and f.is_file()]
    )
    return f"{path.name}: {sum(file.stat().st_size for file in files) / 1e6:.1f} MB"


def main() -> None:
    """Make whatever this system has packages of, and print how large each is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--date", default=datetime.now(UTC).date().isoformat(), help="of the release"
    )
    parser.add_argument("--level", type=int, default=6, help="of xz, from 1, quick, to 9, small")
    said = parser.parse_args()
    build = Build(said.out.resolve(), date=said.date, level=said.level)
    build.out.mkdir(parents=True, exist_ok=True)
    build.install()
    build.bundle()
    made = [build.folder]
    if sys.platform == "linux":
        if shutil.which("dpkg-deb"):
            made.append(build.deb())
        made.append(build.archive())
    for path in made:
        print(megabytes(path))


if __name__ == "__main__":
    main()
