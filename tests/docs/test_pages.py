"""What the pages must name: commands, options, measures, formats, keys, exit codes."""

import re
import tomllib

import click
import pytest

from judgetool import __version__
from judgetool.cli import main
from judgetool.core.judgments import VIEW_RULES
from judgetool.core.scale import SCALE_PRESETS
from judgetool.formats import FORMATS
from judgetool.gui.actions import ACTIONS
from judgetool.metrics import CONVENTION_PRESETS, MEASURES
from tests.docs.pages import HELP, README, ROOT, pages

CONTEXT = click.Context(main.program)
COMMANDS = main.program.list_commands(CONTEXT)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)")


def text(name):
    """Return a help page's text."""
    return (HELP / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_command_line_page_has_every_command_with_its_options(name):
    """Each command has a section that names all its options."""
    sections = re.split(r"^## ", text("command-line"), flags=re.MULTILINE)
    (section,) = [each for each in sections if each.startswith(f"judgetool {name}\n")]
    command = main.program.get_command(CONTEXT, name)
    commands = [command, *getattr(command, "commands", {}).values()]
    unnamed = [each.name for each in commands[1:] if f"{name} {each.name}" not in section]
    assert unnamed == [], f"the section of {name} in command-line.md does not name these commands"
    options = [
        option
        for each in commands
        for param in each.params
        if isinstance(param, click.Option)
        for option in param.opts
    ]
    unnamed = [option for option in options if option not in section]
    assert unnamed == [], f"the section of {name} in command-line.md does not name these options"


def test_command_line_page_has_every_exit_code():
    """All exit codes are explained."""
    codes = (main.EXIT_FINE, main.EXIT_INPUT, main.EXIT_USAGE, main.EXIT_BUG)
    assert all(f"| {code} |" in text("command-line") for code in codes)


@pytest.mark.parametrize("names", [SCALE_PRESETS, VIEW_RULES, CONVENTION_PRESETS])
def test_command_line_page_has_every_preset_and_view(names):
    """Scales, views and presets of conventions are listed by name."""
    unnamed = [name for name in names if f"`{name}`" not in text("command-line")]
    assert unnamed == [], "command-line.md does not name these"


def test_measures_page_has_every_measure():
    """Each measure of the table has its place."""
    unnamed = [name for name in MEASURES if f"`{name}" not in text("measures")]
    assert unnamed == [], (
        "measures.md lacks these: judgetool measures NAME --format markdown prints a section"
    )


def test_formats_page_has_every_format():
    """Each format has its place."""
    unnamed = [name for name in FORMATS if f"`{name}`" not in text("formats")]
    assert unnamed == [], "formats.md lacks a section, with an example, of these"


def test_keys_page_has_every_key():
    """Each action with a key is on the page of keys, with that key."""
    page = text("keys")
    lacking = [
        (action.name, key)
        for action in ACTIONS
        for key in action.keys
        if f"`{key.replace('Return', 'Enter')}`" not in page
        or (action.caption or action.text).rstrip("…") not in page
    ]
    assert lacking == [], "keys.md does not name these actions with these keys"


@pytest.mark.parametrize("page", sorted(path.stem for path in HELP.glob("*.md")))
def test_pages_have_printed_apostrophes(page):
    """As in the window: only code, and what is typed, has those of a typewriter."""
    prose = re.sub(r"(?ms)^\s*```.*?^\s*```|`[^`]*`", "", text(page))
    typed = re.findall(r"\w+'(?:s|t|re|ve|ll)\b.{20}", prose)
    assert typed == [], f"{page}.md has these with ' in place of ’"


def test_changelog_has_this_version():
    """The version of the package has a section in the changelog."""
    assert f"## {__version__}" in text("changelog")


def test_readme_is_short():
    """The README stays below 250 lines."""
    assert len(README.read_text(encoding="utf-8").splitlines()) < 250


def test_names_of_the_recipes_and_walks_are_there():
    """Files, functions, classes and methods that README and Contributing send one to exist."""
    readme = README.read_text(encoding="utf-8")
    walks = readme[readme.index("## Three walks") : readme.index("## To change something")]
    page = text("contributing")
    part = walks + page[page.index("## To change something") : page.index("## Checks")]
    spans = set(re.findall(r"`([^`\n]+)`", part))
    paths = {each for each in spans if re.fullmatch(r"[\w*/.]*/[\w*/.]*", each)}
    assert len(paths) > 20
    places = (ROOT, ROOT / "judgetool")
    gone = [each for each in paths if not any(any(at.glob(each)) for at in places)]
    assert gone == [], "README.md or contributing.md names these files, which are not there"
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "judgetool").rglob("*.py")]
    calls = {each for each in spans if re.fullmatch(r"\w+\(\)|[A-Z]\w+\.\w+", each)}
    assert len(calls) > 15
    gone = [each for each in calls if not any(_defines(each, source) for source in sources)]
    assert gone == [], "README.md or contributing.md names these, which nothing defines"


def _defines(name, source):
    """Return whether a module defines a function, or a class with such a method."""
    owner, dot, method = name.removesuffix("()").rpartition(".")
    if not dot:
        return re.search(rf"^def {method}\b", source, re.MULTILINE) is not None
    head = rf"^class {owner}\b(?:(?!^class ).)*?^    def {method}\b"
    return re.search(head, source, re.MULTILINE | re.DOTALL) is not None


def test_readme_maps_every_package():
    """Each package and top module of judgetool has its line in the map."""
    parts = [
        path.stem
        for path in sorted((ROOT / "judgetool").iterdir())
        if (path.is_dir() and (path / "__init__.py").exists())
        or (path.suffix == ".py" and not path.stem.startswith("_"))
    ]
    readme = README.read_text(encoding="utf-8")
    unnamed = [part for part in parts if f"`{part}`" not in readme]
    assert unnamed == [], "the map of the code in README.md lacks these"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links_lead_to_files(page):
    """Every local link and picture of a page is there."""
    found = LINK.findall(page.read_text(encoding="utf-8"))
    local = [link for link in found if "://" not in link]
    gone = [link for link in local if not (page.parent / link).exists()]
    assert gone == [], f"{page.name} links to these, which are not there"


def test_index_and_site_name_every_page():
    """Whoever adds a page names it for readers of the program, and of the site."""
    site = tomllib.loads((ROOT / ".ci" / "site" / "zensical.toml").read_text(encoding="utf-8"))
    placed = [page for part in site["project"]["nav"] for pages in part.values() for page in pages]
    names = sorted(page.name for page in HELP.glob("*.md"))
    on_site = sorted(page for page in placed if not page.startswith("api-"))
    assert on_site == names, "nav of .ci/site/zensical.toml names other pages than there are"
    unnamed = [name for name in names if f"]({name})" not in text("index")]
    assert unnamed == ["index.md"], "index.md does not link to these, itself apart"
