"""Formulas that score documents anew, such as ``score * (1 + 0.3*is_new)``: parsed, printed, worked out.

Nothing of a formula is ever run as code: it becomes a tree of the few things below, and each of
them is an operation on numbers. Length and depth are limited, and the work grows with the length.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from judgetool.core import override
from judgetool.core.number_text import local_count
from judgetool.core.rankings import FloatArray
from judgetool.errors import UsageError
from judgetool.wording import _, local_number

MOST_SIGNS = 1_000
# Nested so deep at most, and so many numbers, names and signs: a tree is walked part by part.
_DEEPEST = 40
_MOST_TOKENS = 250
OWN_NAMES = ("score", "rank")
"""What a formula knows of each result besides the fields of its document."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w.]*)|\[(?P<field>[^\[\]]+)\]"
    r"|(?P<sign><=|>=|==|!=|[-+*/^(),<>]))"
)
_WITH_COMMAS = re.compile(r"[1-9]\d{0,2}\.\d{3}|\d[\d.]*,\d+")
_YES_NO = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
# How tightly signs between two parts hold; ``^`` holds its right side first.
_BINDING = {
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 1),
    **dict.fromkeys("+-", 2),
    **dict.fromkeys("*/", 3),
    "^": 5,
}
_NEGATIVE = 4
_COMPARING = 1
Two = Callable[[FloatArray, FloatArray], FloatArray]
_SIGNS: dict[str, Two] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
# The fewest and the most parts of each function.
FUNCTIONS = {
    "min": (2, 20),
    "max": (2, 20),
    "log": (1, 1),
    "sqrt": (1, 1),
    "abs": (1, 1),
    "if": (3, 3),
    "default": (2, 2),
}


class Literal(NamedTuple):
    """A number as it stands in the text of a formula.

    Attributes:
        start: of its first sign.
        end: behind its last.
        value: from 0; a minus before it is not part of it.
    """

    start: int
    end: int
    value: float


class Expression(NamedTuple):
    """A formula, or a part of one.

    Attributes:
        kind: ``number``, ``field``, ``score``, ``rank``, ``negative``, a sign such as ``+`` or
            ``<=``, or a function's name.
        parts: what it is made of, in their order.
        number: the value of a number, from 0.
        field: the name of a document's field.
    """

    kind: str
    parts: tuple["Expression", ...] = ()
    number: float = 0.0
    field: str = ""

    @override
    def __str__(self) -> str:
        """Return it as text that is read as the same again."""
        return _printed(self, 0)

    def walk(self) -> Iterator["Expression"]:
        """Yield it and all that it is made of."""
        yield self
        for part in self.parts:
            yield from part.walk()

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that it asks for, each once, in their order."""
        return tuple(dict.fromkeys(each.field for each in self.walk() if each.kind == "field"))

    @property
    def bare_fields(self) -> tuple[str, ...]:
        """Names of the fields for which no ``default`` stands in, at one place or more."""
        parts = (part for each in self.walk() for part in each.parts[each.kind == "default" :])
        return tuple(dict.fromkeys(each.field for each in (self, *parts) if each.kind == "field"))

    @property
    def has_score(self) -> bool:
        """Whether it asks for the score of the run."""
        return any(each.kind == "score" for each in self.walk())


def read_number(text: str) -> float | None:
    """Return the number that a field's text is; ``None`` where it is none.

    Examples:
        >>> read_number(" 12.5 "), read_number("True"), read_number("12 EUR")
        (12.5, 1.0, None)
    """
    shown = text.strip()
    if shown.casefold() in _YES_NO:
        return _YES_NO[shown.casefold()]
    try:
        value = float(shown)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def local_limit(text: str) -> str:
    """Return what a field is compared with: a number with the signs of the language that is used."""
    return text if read_number(text) is None else local_number(text)


def parse_formula(text: str) -> Expression:
    """Return a formula as a tree.

    Numbers, ``+ - * / ^``, comparisons (1 or 0), ``min max log sqrt abs if default``, ``score``,
    ``rank``, and fields by their names: ``price``, or ``[unit price]``.

    Args:
        text: at most 1,000 signs, 250 numbers, names and signs of the formula, nested at most 40 deep.

    Raises:
        UsageError: it is no formula; the text says where and why.

    Examples:
        >>> str(parse_formula("score*(1+.3*is_new)"))
        'score * (1 + 0.3 * is_new)'
    """
    return _Parser(text).parse()


def find_literals(text: str) -> list[Literal]:
    """Return the numbers in the text of a formula, in their order; none where it cannot be read."""
    try:
        parse_formula(text)
    except UsageError:
        return []
    return [
        Literal(token.start, token.end, float(token.text))
        for token in _tokens(text)
        if token.kind == "number"
    ]


def find_misreadings(text: str) -> list[str]:
    """Return what stands in a formula and is another number where commas stand before decimals.

    Examples:
        >>> find_misreadings("max(1.299, 0,5) + 0.125 + min(1, 2)"), find_misreadings("1,5")
        (['1.299', '0,5'], [])
    """
    literals = find_literals(text)
    pairs = (text[one.start : two.end] for one, two in pairwise(literals))
    found = [*(text[each.start : each.end] for each in literals), *pairs]
    return [each for each in found if _WITH_COMMAS.fullmatch(each)]


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    if len(text) > MOST_SIGNS:
        raise UsageError(
            _("A formula has at most {most_signs} signs; this one has {text}.").format(
                most_signs=local_count(MOST_SIGNS), text=local_count(len(text))
            )
        )
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            at = len(text) - len(text[place:].lstrip())
            raise _wrong(at, _("‘{text}’ has no place in a formula").format(text=text[at]))
        kind = str(match.lastgroup)
        found.append(_Token(kind, match[kind], match.start(kind), match.end(kind)))
        place = match.end()
    if len(found) > _MOST_TOKENS:
        raise UsageError(
            _(
                "A formula has at most {most_tokens} numbers, names and signs of its own; this "
                "one has {found}."
            ).format(most_tokens=_MOST_TOKENS, found=len(found))
        )
    return found


def _wrong(at: int, what: str) -> UsageError:
    return UsageError(
        _("The formula cannot be read at sign {at}: {what}.").format(at=at + 1, what=what)
    )


class _Parser:
    """Reads one formula, left to right; what stands left of a sign is known when it comes."""

    def __init__(self, text: str) -> None:
        self._tokens = [*_tokens(text), _Token("end", "", len(text), len(text))]
        self._place = 0
        self._depth = 0

    def parse(self) -> Expression:
        found = self._expression(0)
        if self._now.kind != "end":
            self._check_commas(self._place - 1)
            raise _wrong(self._now.start, _("‘{text}’ is one too many").format(text=self._now.text))
        return found

    @property
    def _now(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        token = self._now
        self._place += 1
        return token

    def _expect(self, sign: str) -> None:
        if self._now.text != sign or self._now.kind != "sign":
            self._check_commas(self._place - 1)
            sentence = (
                _("‘{sign}’ is expected, found ‘{found}’")
                if self._now.text
                else _("‘{sign}’ is expected, found the end")
            )
            raise _wrong(self._now.start, sentence.format(sign=sign, found=self._now.text))
        self._place += 1

    def _check_commas(self, first: int) -> None:
        """Refuse a comma before decimals, where commas from a sign on have no other place."""
        ahead = self._tokens[max(first, 0) : self._place + 2]
        for before, comma, after in zip(ahead, ahead[1:], ahead[2:], strict=False):
            is_one = before.kind == after.kind == "number" and comma.text == ","
            if is_one and (before.end, comma.end) == (comma.start, after.start):
                number = f"{before.text},{after.text}"
                said = _("‘{number}’ has a decimal comma, and formulas have a decimal point")
                raise _wrong(before.start, said.format(number=number))

    def _expression(self, least: int) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _wrong(
                self._now.start, _("it is nested more than {deepest} deep").format(deepest=_DEEPEST)
            )
        left = self._first()
        while self._now.kind == "sign" and (binding := _BINDING.get(self._now.text, 0)) > least:
            sign = self._take().text
            # Its right side takes what holds more tightly, of ``^`` also what holds as tightly.
            right = self._expression(binding - 1 if sign == "^" else binding)
            if binding == _COMPARING and _BINDING.get(self._now.text, 0) == _COMPARING:
                raise _wrong(self._now.start, _("of two comparisons in a row one needs brackets"))
            left = Expression(sign, (left, right))
        self._depth -= 1
        return left

    def _first(self) -> Expression:
        token = self._take()
        if token.kind == "number":
            return Expression("number", number=_finite(token))
        if token.kind == "field":
            return Expression("field", field=token.text)
        if token.kind == "name":
            return self._named(token)
        if token.text == "-":
            return Expression("negative", (self._expression(_NEGATIVE - 1),))
        if token.text == "(":
            inner = self._expression(0)
            self._expect(")")
            return inner
        self._place -= 1
        sentence = (
            _("a number, a field or ‘(’ is expected, found ‘{found}’")
            if token.text
            else _("a number, a field or ‘(’ is expected, the formula ends")
        )
        raise _wrong(token.start, sentence.format(found=token.text))

    def _named(self, token: _Token) -> Expression:
        if self._now.text != "(" or self._now.kind != "sign":
            if token.text in FUNCTIONS:
                raise _wrong(
                    token.end,
                    _("{token} needs what it is of, in brackets").format(token=token.text),
                )
            is_own = token.text in OWN_NAMES
            return Expression(token.text) if is_own else Expression("field", field=token.text)
        if token.text not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise _wrong(
                token.start,
                _("there is no {token}(…), only {known}").format(token=token.text, known=known),
            )
        self._take()
        first = self._place
        parts = [self._expression(0)]
        while self._now.text == "," and self._now.kind == "sign":
            self._take()
            parts.append(self._expression(0))
        self._expect(")")
        least, most = FUNCTIONS[token.text]
        if not least <= len(parts) <= most:
            self._check_commas(first)
            sentence = (
                _("{name}(…) takes {least} parts, found {found}")
                if least == most
                else _("{name}(…) takes {least} to {most} parts, found {found}")
            )
            found = len(parts)
            said = sentence.format(name=token.text, least=least, most=most, found=found)
            raise _wrong(token.start, said)
        if token.text == "default" and parts[0].kind != "field":
            raise _wrong(token.start, _("default(field, number) begins with a field"))
        return Expression(token.text, tuple(parts))


def _finite(token: _Token) -> float:
    value = float(token.text)
    if not math.isfinite(value):
        raise _wrong(token.start, _("{token} is too large").format(token=token.text))
    return value


def _printed(part: Expression, least: int) -> str:
    """Return a part as text, in brackets where what stands around it would tear it apart."""
    if part.kind == "number":
        return repr(part.number).removesuffix(".0")
    if part.kind == "field":
        token = _TOKEN.fullmatch(part.field)
        is_plain = token is not None and token["name"] == part.field
        is_free = part.field not in (*FUNCTIONS, *OWN_NAMES)
        return part.field if is_plain and is_free else f"[{part.field}]"
    if part.kind in FUNCTIONS:
        return f"{part.kind}({', '.join(_printed(each, 0) for each in part.parts)})"
    if part.kind == "negative":
        return _bracketed(f"-{_printed(part.parts[0], _NEGATIVE)}", least > _NEGATIVE)
    if not part.parts:
        return part.kind
    binding = _BINDING[part.kind]
    is_right = part.kind == "^"
    # A comparison beside another one is in brackets on both sides.
    tight = binding == _COMPARING or is_right
    left = _printed(part.parts[0], binding + 1 if tight else binding)
    right = _printed(part.parts[1], binding if is_right else binding + 1)
    return _bracketed(f"{left} {part.kind} {right}", least > binding)


def _bracketed(text: str, is_needed: bool) -> str:
    return f"({text})" if is_needed else text


def compute_formula(
    formula: Expression,
    *,
    fields: Callable[[str], FloatArray],
    score: FloatArray,
    rank: FloatArray,
) -> FloatArray:
    """Work a formula out for N results at once.

    Args:
        formula: of :func:`parse_formula`.
        fields: numbers of a field by its name, NaN where a document has none, shape (N,).
        score: of each result, shape (N,).
        rank: likewise, from 1.

    Returns:
        Shape (N,). A field without a number counts as 0, unless ``default`` says otherwise. NaN
        where the result is no finite number, as after a division by 0.
    """

    def work_out(part: Expression) -> FloatArray:
        if part.kind == "number":
            return np.full(len(score), part.number)
        if part.kind == "field":
            return np.nan_to_num(fields(part.field), nan=0.0)
        if part.kind in OWN_NAMES:
            return score if part.kind == "score" else rank
        if part.kind == "default":
            found = fields(part.parts[0].field)
            return np.where(np.isnan(found), work_out(part.parts[1]), found)
        return _combined(part.kind, [work_out(each) for each in part.parts])

    with np.errstate(all="ignore"):
        found = work_out(formula)
    return np.where(np.isfinite(found), found, np.nan)


def _combined(kind: str, parts: Sequence[FloatArray]) -> FloatArray:
    if kind in _SIGNS:
        both = np.asarray(_SIGNS[kind](*parts), dtype=np.float64)
        # What is no number is neither more nor less than another.
        return np.where(np.isnan(parts[0]) | np.isnan(parts[1]), np.nan, both)
    if kind == "if":
        chosen = np.where(parts[0] != 0, parts[1], parts[2])
        return np.where(np.isnan(parts[0]), np.nan, chosen)
    if kind in ("min", "max"):
        lesser_or_greater = np.minimum if kind == "min" else np.maximum
        return np.asarray(lesser_or_greater.reduce(np.vstack(parts)), dtype=np.float64)
    single = {"log": np.log, "sqrt": np.sqrt, "abs": np.abs, "negative": np.negative}
    return np.asarray(single[kind](parts[0]), dtype=np.float64)
