"""What the domain is: values and rules, in plain Python.

Belongs here: queries, documents, runs, scales, judgments, how several judgments
of one document are folded into one grade, how a ranking is ordered.
Does not: files, SQL, Qt, numbers of measures. numpy may be used; pandas may not.

And the mark ``@override`` of Python 3.12, known to mypy today and free of cost on 3.11.
"""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import override
else:
    _Method = TypeVar("_Method")

    def override(method: _Method) -> _Method:
        """Return the method as it is; the mark is for the type checker and the reader."""
        return method


__all__ = ["override"]
