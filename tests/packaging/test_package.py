"""What packages without Python say of judgetool is true of it; that they work is tried by .ci/run --package."""

import importlib.util
import re
import struct
from xml.etree import ElementTree as ET

import click
import pytest

from judgetool.cli.main import COMMANDS, program
from judgetool.resources import resource_path
from tests.helpers.builders import open_sample

XMLNS = "{http://www.freedesktop.org/standards/shared-mime-info}"


@pytest.fixture(scope="module")
def package(checkout):
    """The folder of what packages are made by."""
    return checkout / ".ci" / "package"


@pytest.fixture(scope="module")
def papers(package):
    """The module that writes what stands beside the program."""
    pytest.importorskip("packaging")
    spec = importlib.util.spec_from_file_location("papers", package / "papers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_type_of_file_is_that_of_a_project(package, tmp_path):
    """What the desktop looks for in a file stands in a project, and in no other SQLite file."""
    with open_sample(tmp_path) as session:
        start = session.path.read_bytes()[:100]
    (of_file,) = ET.parse(package / "linux/judgetool.xml").iter(f"{XMLNS}mime-type")
    text, number = of_file.iter(f"{XMLNS}match")
    wanted = text.get("value").encode().decode("unicode_escape").encode()
    assert start[int(text.get("offset")) :].startswith(wanted)
    (found,) = struct.unpack_from(">I", start, int(number.get("offset")))
    assert found == int(number.get("value"), 16)


def test_the_menu_calls_a_command_that_there_is(package, tmp_path):
    """The line of the menu opens files of our type with a command of ours, and the icon's name is its."""
    text = (package / "linux/judgetool.desktop").read_text(encoding="utf-8")
    lines = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    name, command, *rest = lines["Exec"].split()
    assert (name, command in COMMANDS, rest) == ("judgetool", True, ["--", "%F"])
    (of_file,) = ET.parse(package / "linux/judgetool.xml").iter(f"{XMLNS}mime-type")
    assert lines["MimeType"] == f"{of_file.get('type')};"
    assert resource_path(f"icons/{lines['Icon']}.svg").is_file()


def test_the_manual_has_every_command_and_option(papers):
    """It is made from the commands; what troff would take for its own is written otherwise."""
    page = papers.man_page()
    plain = page.replace("\\fB", "").replace("\\fR", "").replace("\\-", "-")
    context = click.Context(program)
    waiting = [(f"judgetool {name}", program.get_command(context, name)) for name in COMMANDS]
    while waiting:
        path, command = waiting.pop()
        assert f'.SS "{path} ' in plain
        section = plain.partition(f'.SS "{path} ')[2].partition(".SS")[0]
        options = [o for p in command.params if isinstance(p, click.Option) for o in p.opts]
        assert [option for option in options if option not in section] == []
        inner = getattr(command, "commands", {})
        waiting += [(f"{path} {name}", each) for name, each in inner.items()]
    requests = set(re.findall(r"^\.(\w+)", page, re.MULTILINE))
    assert requests == {"TH", "SH", "SS", "PP", "TP", "nf", "fi", "br"}


def test_every_part_says_its_licence(papers):
    """All that judgetool needs, also for a hub, names its licence or brings its text."""
    parts = papers.parts()
    assert {"judgetool", "pyside6-essentials", "shiboken6", "scipy"} <= parts.keys()
    silent = [
        name
        for name, part in parts.items()
        if papers.licence_of(part) == papers.NO_NAME and not list(papers.texts_of(part))
    ]
    assert silent == []
