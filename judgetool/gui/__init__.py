"""The window: the only package that imports PySide6."""

from judgetool.gui.guard import install_guard

install_guard()
