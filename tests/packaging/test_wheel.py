"""The wheel holds what it must, and works where the checkout is not."""

import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from judgetool import __version__

pytestmark = pytest.mark.packaging

LOOK = """
import judgetool, sys
from judgetool.resources import resource_path, resources_root
from judgetool.cli.main import run
print(judgetool.__file__)
print(resources_root())
assert resource_path("help/getting-started.md").read_text(encoding="utf-8").startswith("# ")
sample = resource_path("sample")
sys.exit(run(["score", str(sample / "qrels.txt"), str(sample / "runs/chargrams.run"), "-m", "AP"]))
"""


def build(target, folder, root):
    """Build a wheel or sdist into a folder and return its path."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=root,
        check=True,
        capture_output=True,
    )
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, checkout):
    """The wheel of this checkout."""
    pytest.importorskip("hatchling")
    return build("wheel", tmp_path_factory.mktemp("wheel"), checkout)


@pytest.fixture(scope="module")
def installed(tmp_path_factory, wheel):
    """The wheel's content in a folder of its own."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*command, str(target), str(wheel)], check=True, capture_output=True)
    return target


def shipped(checkout):
    """Return the resource files that git knows or would take."""
    if shutil.which("git") is None:
        pytest.skip("SKIPPED LOUDLY: there is no git on this machine")
    found = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "resources"],
        cwd=checkout,
        capture_output=True,
        check=False,
    )
    if found.returncode:
        pytest.skip("SKIPPED LOUDLY: this is no git checkout")
    names = [name for name in found.stdout.decode().split("\0") if name]
    return {name.removeprefix("resources/") for name in names if (checkout / name).is_file()}


def test_wheel_has_every_resource_and_no_other(wheel, checkout):
    """What git has in resources/ is in the wheel, no more and no less."""
    with zipfile.ZipFile(wheel) as archive:
        start = "judgetool/_resources/"
        names = {name.removeprefix(start) for name in archive.namelist() if name.startswith(start)}
    assert names == shipped(checkout)


def test_wheel_has_sql_and_types(wheel):
    """Schemas and the mark of typed packages are not forgotten."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"judgetool/storage/schema/0001.sql", "judgetool/py.typed"} <= names


def test_wheel_names_the_version(wheel):
    """The file's name carries the package's version."""
    assert wheel.name.startswith(f"judgetool-{__version__}-")


def test_no_python_among_the_resources(checkout):
    """A .py file under resources/ would break editable installs."""
    assert not [name for name in shipped(checkout) if name.endswith(".py")]


def test_installed_wheel_works_elsewhere(installed, tmp_path):
    """From another folder the installed package finds its own resources and scores its sample."""
    found = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "JUDGETOOL_HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    module, root, score = found.stdout.splitlines()
    assert module.startswith(str(installed))
    assert root.startswith(str(installed))
    assert score.startswith("AP\tall\t")


def test_sdist_can_be_tested(tmp_path, checkout):
    """The source distribution has package, resources, tests and README."""

    with tarfile.open(build("sdist", tmp_path, checkout)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "judgetool/__main__.py",
        "resources/sample/qrels.txt",
        "tests/conftest.py",
        "README.md",
    }
    assert wanted <= names
