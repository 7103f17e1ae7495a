"""Making files and their names durable."""

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Wait until a closed file is on the disk. Never for a file that SQLite has open."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
