"""The program as a screen reader meets it: what the accessibility bus says, and keys; nothing else.

:class:`Ear` is a small screen reader of our own: it says what gets the keyboard, what is
announced, and what changes of the thing that has the keyboard. :class:`Orca` is the real
one; what it says is what it gives to its speech. Both are told nothing of the program.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import threading
import time
import tty
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageFlag,
    MessageType,
    Properties,
    new_method_call,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import unwrap_msg

from judgetool.core import override
from tests.helpers.screens import XKeys, x_display

PATIENCE_S = int(os.environ.get("JUDGETOOL_PATIENCE", "90"))
_ACCESSIBLE, _TEXT, _VALUE, _ACTION = (
    f"org.a11y.atspi.{each}" for each in ("Accessible", "Text", "Value", "Action")
)
_ROOT = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_REGISTRY = DBusAddress(
    "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry"
)
_EVENT = "org.a11y.atspi.Event"
_LABELLED_BY = 2
# Numbers of AT-SPI's states, as in atspi-constants.h.
_STATES = {
    "checked": 4,
    "expanded": 10,
    "focusable": 11,
    "focused": 12,
    "pressed": 20,
    "selected": 23,
    "enabled": 8,
    "showing": 25,
}
_SAID_STATES = {"checked", "pressed", "expanded"}
# Roles that go without saying, as with Orca.
_UNSAID_ROLES = {"table cell", "cell", "list item", "label", "filler", "panel"}
# Of what has the keyboard these changes are said, as by Orca.
_SAID_CHANGES = {"name", "description", "value"}
_NAMED_BY_VALUE = {"table cell", "cell", "combo box"}
_LAUNCHERS = (
    Path("/usr/libexec/at-spi-bus-launcher"),
    Path("/usr/lib/at-spi2-core/at-spi-bus-launcher"),
)
JUDGETOOL = (sys.executable, "-m", "judgetool")
Place = tuple[str, str]


class NotHeardError(AssertionError):
    """Something that should have been said was not."""


@dataclass(frozen=True)
class Node:
    """Something that a reader may meet: where it is on the bus, and what is told there.

    Attributes:
        place: on the bus.
        name: its own; a label may say another.
        role: such as ``push button``.
        description: beside the name.
        states: those of ``_STATES`` that it is in.
        n_children: how many it has.
    """

    place: Place
    name: str
    role: str
    description: str
    states: frozenset[str]
    n_children: int


class Bus:
    """The accessibility bus of this D-Bus session; questions are asked in bundles."""

    def __init__(self, session_address: str) -> None:
        place = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        with open_dbus_connection(session_address, auth_timeout=PATIENCE_S) as session:
            asked = session.send_and_get_reply(new_method_call(place, "GetAddress"))
        address = unwrap_msg(asked)[0]
        self._bus: DBusConnection = open_dbus_connection(address, auth_timeout=PATIENCE_S)
        self._events: deque[Message] = deque()

    def close(self) -> None:
        """Hear nothing more."""
        self._bus.close()

    def ask(self, questions: Sequence[Message]) -> list[Any]:
        """Return the first value of each answer, ``None`` where there is nobody any more."""
        numbers = {next(self._bus.outgoing_serial): at for at, _ in enumerate(questions)}
        for number, at in numbers.items():
            self._bus.send(questions[at], serial=number)
        answers: list[Any] = [None] * len(questions)
        until = time.monotonic() + PATIENCE_S
        while numbers:
            message = self._bus.receive(timeout=max(0, until - time.monotonic()))
            at = numbers.pop(message.header.fields.get(HeaderFields.reply_serial, -1), None)
            if at is None:
                self._take(message)
            elif message.header.message_type is MessageType.method_return:
                answers[at] = message.body[0] if message.body else None
        return answers

    def _take(self, message: Message) -> None:
        if str(message.header.fields.get(HeaderFields.interface)).startswith(_EVENT):
            self._events.append(message)

    def call(self, place: Place, method: str, *given: Any, kinds: str = "", of: str = "") -> Any:
        """Return what a method of an accessible answers."""
        return self.ask([_question(place, method, *given, kinds=kinds, of=of)])[0]

    def do(self, place: Place) -> None:
        """Do what an accessible is for, and wait for nothing: it may open a window."""
        message = _question(place, "DoAction", 0, kinds="i", of=_ACTION)
        message.header.flags = MessageFlag.no_reply_expected
        self._bus.send(message)

    def read(self, places: Sequence[Place]) -> list[Node]:
        """Return what a reader learns of these; who has gone meanwhile is left out."""
        questions = [
            question
            for each in places
            for question in (
                _property(each, "Name"),
                _property(each, "Description"),
                _property(each, "ChildCount"),
                _question(each, "GetRoleName"),
                _question(each, "GetState"),
            )
        ]
        answers = iter(self.ask(questions))
        rows = zip(places, *([answers] * 5), strict=False)
        return [_node(row) for row in rows if None not in row]

    def labels(self, node: Node) -> list[str]:
        """Return the names of what labels a node."""
        relations = self.call(node.place, "GetRelationSet") or ()
        labels = [at for kind, many in relations if kind == _LABELLED_BY for at in many]
        return [
            each[1] for each in self.ask([_property(tuple(at), "Name") for at in labels]) if each
        ]

    def children(self, nodes: Sequence[Node], most: int) -> list[Place]:
        """Return the first children of each."""
        asked = [
            _question(node.place, "GetChildAtIndex", at, kinds="i")
            for node in nodes
            for at in range(min(most, node.n_children))
        ]
        return [tuple(each) for each in self.ask(asked) if each is not None]

    def tree(self, root: Place, *, most: int = 8, is_all: bool = False) -> list[Node]:
        """Return a window and what is in it, of each thing the first children only.

        Args:
            root: the window.
            most: how many children of each.
            is_all: whether what is not shown counts, too, as the items of closed menus.
        """
        found, level = [], self.read([root])
        while level:
            found += level
            below = self.read(self.children(level, most))
            level = [each for each in below if is_all or "showing" in each.states]
        return found

    def windows(self) -> list[Place]:
        """Return the windows of all programs."""
        programs = self.call(_ROOT, "GetChildren") or []
        found = self.ask([_question(tuple(each), "GetChildren") for each in programs])
        return [tuple(each) for many in found for each in many or ()]

    def written(self, node: Node) -> str:
        """Return the beginning of what is written in it, or its value."""
        told = {each.rpartition(".")[2] for each in self.call(node.place, "GetInterfaces") or ()}
        if "Value" in told:
            value = self.ask([_property(node.place, "CurrentValue", of=_VALUE)])[0]
            return f"{value[1]:g}" if value else ""
        if "Text" in told:
            return str(self.call(node.place, "GetText", 0, 120, kinds="ii", of=_TEXT) or "")
        return ""

    def listen(self) -> None:
        """Have events sent from now on."""
        self.ask([new_method_call(_REGISTRY, "RegisterEvent", "s", (each,)) for each in ("object:", "window:")])  # fmt: skip
        rules = [MatchRule(type="signal", interface=f"{_EVENT}.{each}") for each in ("Object", "Window")]  # fmt: skip
        self.ask([message_bus.AddMatch(rule) for rule in rules])

    def next_event(self, wait_s: float) -> Message | None:
        """Return the next event, ``None`` when none has come for so long."""
        until = time.monotonic() + wait_s
        while not self._events:
            try:
                self._take(self._bus.receive(timeout=max(0, until - time.monotonic())))
            except TimeoutError:
                return None
        return self._events.popleft()


def _question(place: Place, method: str, *given: Any, kinds: str = "", of: str = "") -> Message:
    service, path = place
    return new_method_call(DBusAddress(path, service, of or _ACCESSIBLE), method, kinds or None, given)  # fmt: skip


def _property(place: Place, name: str, of: str = _ACCESSIBLE) -> Message:
    service, path = place
    return Properties(DBusAddress(path, service, of)).get(name)


def _node(row: tuple[Any, ...]) -> Node:
    place, name, description, n_children, role, (low, high) = row
    states = low | high << 32
    return Node(
        place,
        name[1],
        role,
        description[1],
        frozenset(word for word, at in _STATES.items() if states >> at & 1),
        n_children[1],
    )


def _printed(text: str) -> list[str]:
    if text:
        print(text, flush=True)
    return [text] if text else []


class Reader:
    """Keys, and what is said after them; every line of both is printed.

    Args:
        desk: where it works.
    """

    def __init__(self, desk: "Desk") -> None:
        self._keys = XKeys(desk.env["DISPLAY"])

    def press(self, *keys: str) -> None:
        """Press keys, by X's names."""
        for key in keys:
            print(f"    [{key}]", flush=True)
            self._keys.press(key)

    def type(self, text: str) -> None:
        """Type a text."""
        print(f"    [types {text}]", flush=True)
        self._keys.type(text)

    def wait(self, *words: str) -> list[str]:
        """Return what is said next, up to where all of these words have occurred in it."""
        said: list[str] = []
        until = time.monotonic() + PATIENCE_S
        while not all(any(word in each for each in said) for word in words):
            left = until - time.monotonic()
            text = self._next(left) if left > 0 else None
            if text is None:
                raise NotHeardError(f"{words} was not said, but {said or 'nothing'}")
            said += _printed(text)
        for text in self._rest():
            said += _printed(text)
        return said

    def _rest(self) -> Iterator[str]:
        """Yield what else is said already."""
        return iter(())

    def _next(self, wait_s: float) -> str | None:
        """Return what is said next, ``""`` for nothing worth it, ``None`` when the time is over."""
        raise NotImplementedError


class Ear(Reader):
    """A small screen reader of our own.

    Attributes:
        bus: what it listens to.
    """

    def __init__(self, desk: "Desk") -> None:
        super().__init__(desk)
        self.bus = Bus(desk.env["DBUS_SESSION_BUS_ADDRESS"])
        desk.at_end.append(self.bus.close)
        self.bus.listen()
        self._here: Node | None = None
        self._window: Place | None = None

    def wait_for_window(self, is_wanted: Callable[[Place], bool]) -> Place:
        """Return the next window that is wanted and becomes the active one."""
        self._window = None
        until = time.monotonic() + PATIENCE_S
        while self._window is None or not is_wanted(self._window):
            left = until - time.monotonic()
            if left <= 0 or self._next(left) is None:
                raise NotHeardError("no window came")
        return self._window

    def wait_until(self, is_so: Callable[[Node], bool], place: Place) -> None:
        """Ask of a thing until something is so."""
        until = time.monotonic() + PATIENCE_S
        while not any(map(is_so, self.bus.read([place]))):
            if time.monotonic() > until:
                raise NotHeardError("what was waited for did not come")

    @override
    def _next(self, wait_s: float) -> str | None:
        event = self.bus.next_event(wait_s)
        return None if event is None else self._hear(event)

    @override
    def _rest(self) -> Iterator[str]:
        # By the time of its answer the program has sent all that it had to say until then.
        self.bus.windows()
        while (event := self.bus.next_event(0)) is not None:
            yield self._hear(event)

    @property
    def is_focused(self) -> bool:
        """Whether what was said last of all that gets the keyboard still has it."""
        here = self.bus.read([self._here.place]) if self._here is not None else []
        return any("focused" in node.states for node in here)

    def _hear(self, event: Message) -> str:
        fields = event.header.fields
        place = (fields[HeaderFields.sender], fields[HeaderFields.path])
        kind, (detail, is_on, _, value, *_) = fields[HeaderFields.member], event.body
        if kind == "Announcement":
            return str(value[1])
        if kind == "Activate":
            self._window = place
        if kind == "Activate" or (kind == "StateChanged" and detail == "focused" and is_on):
            return self._meet(place)
        if self._here is None or place != self._here.place:
            return ""
        if kind == "StateChanged" and detail in _SAID_STATES:
            return detail if is_on else f"not {detail}"
        if kind != "PropertyChange" or detail.removeprefix("accessible-") not in _SAID_CHANGES:
            return ""
        # Orca says nothing of another name of a cell: it is said when one comes to it.
        is_cell = self._here.role in _NAMED_BY_VALUE and detail == "accessible-name"
        return "" if is_cell else str(value[1])

    def _meet(self, place: Place) -> str:
        found = self.bus.read([place])
        if not found:
            return ""
        self._here = found[0]
        return self.describe(found[0])

    def describe(self, node: Node) -> str:
        """Return what is said of a node where one comes to it."""
        written, labels = self.bus.written(node), self.bus.labels(node)
        name = ", ".join([*labels, *([] if node.name in labels else [node.name])])
        parts = [name, "" if node.role in _UNSAID_ROLES else node.role]
        parts += [written if written != node.name else "", *sorted(node.states & _SAID_STATES)]
        parts += [node.description if node.description not in node.name else ""]
        return ", ".join(part for part in parts if part)


class Orca(Reader):
    """The screen reader Orca; what it says is what it gives to its speech."""

    def __init__(self, desk: "Desk") -> None:
        super().__init__(desk)
        self._said: Queue[str] = Queue()
        # Orca gives up where the bus is not there in time.
        bus = Bus(desk.env["DBUS_SESSION_BUS_ADDRESS"])
        desk.at_end.append(bus.close)
        bus.windows()
        self._log, log = pty.openpty()
        # A log that is a terminal is written line by line.
        tty.setraw(log)
        desk.at_end.append(lambda: os.close(log))
        threading.Thread(target=self._follow, daemon=True).start()
        # It writes down what it would say to a speech that is not there: one without a sound
        # card makes it wait for ever.
        speech = desk.folder / "runtime/speech-dispatcher/speechd.conf"
        speech.parent.mkdir()
        speech.write_text("DisableAutoSpawn\n", "utf-8")
        # Not in place of another one, which may be somebody's eyes.
        desk.start("orca", f"--debug-file={os.ttyname(log)}")

    def _follow(self) -> None:
        with suppress(OSError), os.fdopen(self._log, errors="replace") as lines:
            for line in lines:
                if found := re.search(r"SPEECH OUTPUT: '(.*)'(?: ?[{\[].*)?$", line):
                    self._said.put(found[1])

    @override
    def _next(self, wait_s: float) -> str | None:
        try:
            return self._said.get(timeout=wait_s)
        except Empty:
            return None


class Desk:
    """A display, a D-Bus session and a home, in which programs are started.

    Attributes:
        env: environment of what is started.
        folder: of the files.
        program: the words that judgetool is called by.
        at_end: what is done when all programs have ended.
    """

    def __init__(
        self, env: dict[str, str], folder: Path, program: Sequence[str | Path] = JUDGETOOL
    ) -> None:
        self.env = env
        self.program = program
        self.folder = folder
        self.at_end: list[Callable[[], None]] = []
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str | Path) -> None:
        """Start a program; what it prints goes to a file of its name."""
        told = (self.folder / f"{len(self._started)}.log").open("wb")
        self._started.append(
            subprocess.Popen(command, env=self.env, cwd=self.folder, stdout=told, stderr=told)
        )
        told.close()

    def run(self, *arguments: str | Path) -> None:
        """Run one of judgetool's commands to its end."""
        command = [*self.program, *arguments]
        subprocess.run(command, env=self.env, check=True, stdout=subprocess.DEVNULL)

    def open_window(self, *arguments: str | Path) -> None:
        """Start the real program."""
        self.start(*self.program, *arguments)

    def clear(self) -> None:
        """End what was started, the last first."""
        for each in reversed(self._started):
            each.kill()
            each.wait()
        for end in self.at_end:
            end()

    @property
    def told(self) -> str:
        """What the programs have printed."""
        return "".join(each.read_text("utf-8", "replace") for each in self.folder.glob("*.log"))


def why_deaf(reader: str = "") -> str:
    """Return what is missing here to listen, ``""`` when all is there."""
    needed = ("Xvfb", "openbox", "dbus-daemon", *([reader] if reader else []))
    lacks = [name for name in needed if shutil.which(name) is None]
    lacks += [] if any(each.exists() for each in _LAUNCHERS) else ["at-spi-bus-launcher"]
    if reader and not lacks and _is_running(reader):
        return f"{reader} is running already, and may be somebody's eyes"
    packages = ", ".join(
        ["xvfb, openbox, dbus-daemon, at-spi2-core", *([reader] if reader else [])]
    )
    return f"{' and '.join(lacks)} is not on this machine (Debian: {packages})" if lacks else ""


def _is_running(name: str) -> bool:
    for each in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            if each.read_text("utf-8").strip() == name:
                return True
    return False


@contextmanager
def desk(
    folder: Path, size: str = "1366x768", *, program: Sequence[str | Path] = JUDGETOOL
) -> Iterator[Desk]:
    """Make a place where the program can be heard."""
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    # Who answers at once to what was heard may be quicker than keys that bounce.
    settings = folder / "home" / "config" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"guard_ms": 0}', "utf-8")
    with x_display(size) as display:
        env = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "JUDGETOOL_HOME": str(folder / "home"),
            "HOME": str(folder),
            # The bus makes its socket beneath these.
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_CACHE_HOME": str(runtime),
            "XDG_CONFIG_HOME": str(runtime),
            "XDG_DATA_HOME": str(runtime),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        }
        command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
        session = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        env["DBUS_SESSION_BUS_ADDRESS"] = session.stdout.readline().strip()
        made = Desk(env, folder, program)
        # Without a window manager the keyboard would not come back from a dialog.
        made.start("openbox", "--sm-disable")
        try:
            yield made
        finally:
            made.clear()
            session.terminate()
            session.communicate()
