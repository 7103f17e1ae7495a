"""judgetool: judge search results and see at once what each judgment does to the numbers."""

__version__ = "0.3.0"
