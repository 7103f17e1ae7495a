"""Numbers as people read them: fixed decimals, a true minus, a dash for what is undefined."""

import math
import re
from collections.abc import Iterable, Sequence

from judgetool.wording import _, local_number, ngettext

MINUS = "−"
UNDEFINED = "–"
NO_CHANGE = "·"
_MOST_DIGITS = 12
_GROUPED = {
    ",": re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?"),
    ".": re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?"),
}
# Plain, no-break and narrow no-break ones, as they stand between thousands in French or Russian.
_BLANKS = re.compile(r"[+-]?[1-9][0-9]{0,2}([ \xa0\u202f])[0-9]{3}(\1[0-9]{3})*([.,][0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")


def with_point(text: str, sign: str) -> str:
    """Return a number's text with a point before decimals and nothing between thousands.

    Args:
        text: what is no number stays none.
        sign: what stands before its decimals, a comma or a point; the other between thousands, or
            blanks.

    Examples:
        >>> with_point("1.234,5", ","), with_point("1,234", "."), with_point("9.99", ",")
        ('1234.5', '1234', '')
        >>> with_point("1 299,00", ","), with_point("12 5", ",")
        ('1299.00', '12 5')
    """
    other = "." if sign == "," else ","
    if blanks := _BLANKS.fullmatch(text):
        text = text.replace(blanks[1], "")
    elif _GROUPED[other].fullmatch(text):
        text = text.replace(other, "")
    if sign == ",":
        if "." in text:
            return ""
        text = text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text
    return text


def format_value(value: float | None, *, digits: int = 4) -> str:
    """Return a value with fixed decimals; ``–`` for ``None``.

    Examples:
        >>> format_value(0.5), format_value(-1.25, digits=2), format_value(None)
        ('0.5000', '−1.25', '–')
    """
    if value is None:
        return UNDEFINED
    text = f"{value:,.{digits}f}"
    if text.startswith("-"):
        text = text[1:] if not text.strip("-0.,") else MINUS + text[1:]
    return text


def format_change(change: float | None, *, digits: int = 4) -> str:
    """Return a change with its sign; ``·`` when it shows as nothing, ``""`` for ``None``.

    Examples:
        >>> format_change(0.1), format_change(-0.0131), format_change(0.00001), format_change(None)
        ('+0.1000', '−0.0131', '·', '')
    """
    if change is None:
        return ""
    text = f"{abs(change):,.{digits}f}"
    if not text.strip("0.,"):
        return NO_CHANGE
    return ("+" if change > 0 else MINUS) + text


def signed(value: float, digits: int = 4) -> str:
    """Return a difference with its sign, and as a plain zero what shows as nothing.

    Examples:
        >>> signed(-0.25, 2), signed(0.0), signed(0.5, 1)
        ('−0.25', '0.0000', '+0.5')
    """
    text = format_change(value, digits=digits)
    return format_value(0.0, digits=digits) if text == NO_CHANGE else text


def format_estimate(value: float, error: float) -> str:
    """Return a difference and its standard error, to two digits of the error that count.

    Examples:
        >>> format_estimate(0.0134, 0.0063), format_estimate(-0.25, 0.12), format_estimate(0.5, 0.0)
        ('+0.0134 ± 0.0063', '−0.25 ± 0.12', '+0.50 ± 0.00')
    """
    # Less is what is left of adding floats.
    shows = 5e-5 < error < math.inf
    digits = max(1 - math.floor(math.log10(error)), 2) if shows else 2
    return f"{signed(value, digits)} ± {error:.{digits}f}"


def signed_ends(low: float, high: float, digits: int) -> tuple[str, str]:
    """Return the ends of a range of changes, rounded outwards: what is shown holds all of it.

    Args:
        low: its lower end; what is left of adding floats moves none.
        high: its upper end.
        digits: decimals.

    Examples:
        >>> signed_ends(-0.045, 0.065, 2), signed_ends(0.0, 0.01504, 3)
        (('−0.05', '+0.07'), ('0', '+0.016'))
    """
    near_low, near_high = (round(end * 10**digits, 6) for end in (low, high))
    ends = (math.floor(near_low), math.ceil(near_high))
    least, most = (signed(end / 10**digits, digits) if end else "0" for end in ends)
    return least, most


def signed_in_full(value: float) -> str:
    """Return a difference with its sign, with as many decimals from four on as tell it from 0.

    Examples:
        >>> signed_in_full(-0.25), signed_in_full(0.0000123), signed_in_full(1e-17)
        ('−0.2500', '+0.00001', '0.0000')
    """
    # What is left of adding floats is no difference.
    if format_change(value, digits=_MOST_DIGITS) == NO_CHANGE:
        return signed(0.0)
    digits = 4
    while format_change(value, digits=digits) == NO_CHANGE:
        digits += 1
    return signed(value, digits)


def format_p(p: float, alpha: float | None = None, *, digits: int = 0) -> str:
    """Return a p-value: two decimals from 0.1 on, three below, never a bare zero.

    Args:
        p: the value.
        alpha: with more decimals where fewer would show another side of it.
        digits: so many decimals in place of two and three.

    Examples:
        >>> format_p(1.0), format_p(0.0684), format_p(0.0004), format_p(0.04996, 0.05)
        ('p 1.00', 'p 0.068', 'p < 0.001', 'p 0.04996')
    """
    shown = digits or (2 if p >= 0.1 else 3)
    least = 10.0**-shown
    if p < least and (alpha is None or least <= alpha):
        return f"p < {least:.{shown}f}"
    while alpha is not None and shown < _MOST_DIGITS and (round(p, shown) < alpha) != (p < alpha):
        shown += 1
    return f"p {p:.{shown}f}"


def format_count(count: int) -> str:
    """Return a whole number with a comma between thousands.

    Examples:
        >>> format_count(1404)
        '1,404'
    """
    return f"{count:,}".replace("-", MINUS)


def local_count(count: int) -> str:
    """Return a whole number with the signs of the language that is used."""
    return local_number(format_count(count))


def aligned(rows: Sequence[Sequence[str]], *, left: Iterable[int]) -> list[str]:
    """Return the rows of a table as lines, figures at the right of their columns.

    Args:
        rows: cells, equally many in each.
        left: columns whose cells stand at the left; −1 is the last.

    Examples:
        >>> aligned([("run", "AP"), ("a", "0.5")], left=[0])
        ['run   AP', 'a    0.5']
    """
    columns = list(zip(*rows, strict=True))
    at_left = {place % len(columns) for place in left}
    padded = []
    for place, column in enumerate(columns):
        width = max(map(len, column))
        padded.append([c.ljust(width) if place in at_left else c.rjust(width) for c in column])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def format_span(counts: Iterable[int]) -> str:
    """Return from where to where counts reach, ``0`` of none, in the language that is used.

    Examples:
        >>> format_span([1404, 50, 1404]), format_span([50, 50])
        ('50 to 1,404', '50')
    """
    rising = sorted(counts) or [0]
    least, most = map(local_count, (rising[0], rising[-1]))
    return least if least == most else _("{low} to {high}").format(low=least, high=most)


def format_hours(ms: float) -> str:
    """Return a length of work in words: ``20 min``, ``5 h``.

    Examples:
        >>> format_hours(1_200_000), format_hours(18_000_000)
        ('20 min', '5 h')
    """
    minutes = max(1, round(ms / 60_000))
    if minutes < 90:
        return _("{minutes} min").format(minutes=minutes)
    return _("{hours} h").format(hours=round(minutes / 60))


def some_of(names: Sequence[str], count: int) -> str:
    """Return names one after the other, with a sign that there are more than these.

    Examples:
        >>> some_of(["B2", "B7"], 2), some_of(["B2", "B7"], 40)
        ('B2, B7', 'B2, B7, …')
    """
    return ", ".join(names) + (", …" if count > len(names) else "")


def number_of(count: int, one: str, many: str, /, **others: object) -> str:
    """Return a sentence on a number of things, in the form that goes with the number.

    Args:
        count: how many; ``{n}`` in the sentence.
        one: the sentence on one, in English.
        many: that on any other number.
        others: what else stands in braces.

    Examples:
        >>> number_of(5877, "{n} line of {name} is lost.", "{n} lines of {name} are lost.", name="a")
        '5,877 lines of a are lost.'
    """
    return ngettext(one, many, count).format(n=local_count(count), **others)


def count_noun(count: int, noun: str) -> str:
    """Return a number with its noun, for sentences.

    Examples:
        >>> count_noun(1, "column"), count_noun(5877, "line"), count_noun(3, "copy")
        ('1 column', '5,877 lines', '3 copies')
    """
    is_ies = noun[-1:] == "y" and noun[-2:-1] not in "aeiou"
    plural = f"{noun[:-1]}ies" if is_ies else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def counted(count: int, sentence: str) -> str:
    """Return a sentence on a number of things in the singular or the plural.

    Args:
        count: how many.
        sentence: ``#row`` stands for the number and its noun, ``{is|are}`` for a choice.

    Examples:
        >>> counted(1, "In #query {it|they} {is|are} lost."), counted(2, "#row {is|are} lost.")
        ('In 1 query it is lost.', '2 rows are lost.')
    """
    chosen = re.sub(r"\{(.*?)\|(.*?)\}", r"\1" if count == 1 else r"\2", sentence)
    return re.sub(r"#(\w+)", lambda found: count_noun(count, found[1]), chosen, count=1)
