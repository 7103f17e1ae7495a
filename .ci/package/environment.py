"""Run first in a bundle: what judgetool starts is not to load the libraries of the bundle.

PyInstaller's starter puts them on the loader's path for the program itself, which has read it by now.
A browser, a file manager or a model's program has its own.
"""

import os

for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
    before = os.environ.pop(f"{name}_ORIG", None)
    os.environ.pop(name, None)
    if before:
        os.environ[name] = before
