"""A line between windows and the hub that breaks: at a moment that a test names, or by chance."""

import random
import socket
import threading
from contextlib import suppress


class Proxy:
    """Stands between a window and the hub; cuts when it is told to.

    Args:
        port: of the server.
        seed: of the chance by which it cuts, delays and halves what goes through besides; ``None`` for no such chance.

    Attributes:
        port: where it listens itself.
    """

    def __init__(self, port, seed=None):
        self._random = None if seed is None else random.Random(seed)
        self._target = ("127.0.0.1", port)
        self._is_cut = False
        self._open = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Break all connections, and let none come about."""
        self._is_cut = True
        for each in self._open:
            _hang_up(each)

    def mend(self):
        """Let connections come about again."""
        self._is_cut = False

    def _accept(self):
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                dice = None if self._random is None else random.Random(self._random.random())
                self._open.append(near)
                if self._is_cut:
                    near.close()
                else:
                    threading.Thread(target=self._carry, args=(near, dice), daemon=True).start()

    def _carry(self, near, dice):
        with near, socket.create_connection(self._target) as far:
            # Of the answers to logging in some 1,000 bytes; what is pushed and pulled is more.
            left = [int(2 ** dice.uniform(6, 17)) if dice else float("inf")]
            other = dice and random.Random(dice.random())
            back = threading.Thread(target=self._pump, args=(far, near, left, other), daemon=True)
            back.start()
            self._pump(near, far, left, dice)
            back.join()

    def _pump(self, source, target, left, dice):
        with suppress(OSError):
            while data := source.recv(65_536):
                if dice and dice.random() < 0.1:
                    threading.Event().wait(dice.random() / 50)
                left[0] -= len(data)
                if left[0] < 0:
                    # Half of it arrives.
                    target.sendall(data[: len(data) // 2])
                    break
                target.sendall(data)
        for each in (source, target):
            _hang_up(each)

    def close(self):
        """Take no more connections."""
        self._listener.close()


def _hang_up(line):
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
