"""README and help pages, and the commands that stand in them."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from judgetool.resources import resource_path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
HELP = resource_path("help")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ELLIPSIS = "…"
OPENS_A_WINDOW = re.compile(r"judgetool(?: (?:open|demo)\b.*)?")


@dataclass
class Example:
    """A command of a page, with the output that the page shows for it."""

    command: str
    output: list[str] = field(default_factory=list)

    @property
    def runnable(self):
        """The command as a test can run it: a window becomes a picture."""
        opens = OPENS_A_WINDOW.fullmatch(self.command) and "--screenshot" not in self.command
        if not opens:
            return self.command
        command = "judgetool open" if self.command == "judgetool" else self.command
        return f"{command} --screenshot window.png"


def pages():
    """README and all help pages."""
    return [README, *sorted(HELP.glob("*.md"))]


def examples(page):
    """Return the commands of a page, in order."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Example(line.removeprefix("$ ")))
            elif line and found:
                found[-1].output.append(line)
    return found
