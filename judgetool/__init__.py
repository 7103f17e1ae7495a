"""judgetool: judge search results and see at once what each judgment does to the numbers."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

__version__ = "0.3.0"


def names_when_asked(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that loads its modules when first asked.

    Args:
        package: its name.
        modules: the names that each of its modules has to offer; ``.core.scale`` is one of another package.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f".{module_of[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted({*vars(sys.modules[package]), *module_of})
