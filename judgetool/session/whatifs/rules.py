"""Rules of a what-if: what is done to which documents of all queries of a run, in which order.

Regular expressions in them run in linear time. The engine is RE2: no pattern and no text can make
it try for ever. What it has no way to do (look-around, back references) is named and never run.
"""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import re2

from judgetool.core import override
from judgetool.core.clock import read_date
from judgetool.core.judgments import Query
from judgetool.core.score_formulas import Expression, local_limit, parse_formula, read_number
from judgetool.errors import UsageError
from judgetool.wording import N_, _

_MOST_CHARACTERS = 1000
# What Python's own expressions mean by these, which for RE2 are ASCII alone.
_CLASSES = {"w": r"\p{L}\p{M}\p{N}_", "d": r"\p{Nd}", "s": r"\s\x0b\x1c-\x1f\x85\p{Z}"}
_GAPS = (
    (re.compile(r"\(\?<?[=!]"), N_("looks ahead or behind")),
    (re.compile(r"\\[1-9]|\(\?P="), N_("refers back to a group")),
    (re.compile(r"\(\?\("), N_("asks whether a group matched")),
    (re.compile(r"\(\?>|[*+?}]\+"), N_("holds on to what it has matched")),
    (re.compile(r"\{,[0-9]"), N_("repeats from nothing on ({,n}; write {0,n})")),
)


class Pattern(NamedTuple):
    """A regular expression, upper and lower case alike.

    Attributes:
        text: as it was written.
        gap: why it is not run, as a sentence; ``""`` if it is.
        is_found_in: tells whether a text matches somewhere; never, where there is a gap.
    """

    text: str
    gap: str
    is_found_in: Callable[[str], bool]


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Pattern:
    r"""Return a regular expression, ready to be looked for.

    ``\w``, ``\d`` and ``\s`` are about the letters, digits and blanks of all scripts.

    Raises:
        UsageError: it is no regular expression; the text says why.

    Examples:
        >>> compile_pattern("^суп").is_found_in("Суп из тыквы")
        True
        >>> compile_pattern("a(?=b)").gap
        '‘a(?=b)’ looks ahead or behind, which is not supported: it is kept and not run.'
    """
    try:
        _check_spelling(text[:_MOST_CHARACTERS])
        gap = _find_gap(text)
        engine = None if gap else re2.compile(_PARTS.sub(_in_all_scripts, text), options=_options())
    except (re.error, OverflowError, RecursionError) as problem:
        if len(text) <= _MOST_CHARACTERS:
            said = _("‘{text}’ is no regular expression: {problem}.")
            raise UsageError(said.format(text=text, problem=problem)) from None
        gap, engine = _not_run(text, _("is too long")), None
    except re2.error as problem:
        reason = problem.args[0] if problem.args else ""
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        gap, engine = (
            _not_run(text, _("says what the engine does not know ({why})").format(why=said)),
            None,
        )
    if engine is None:
        return Pattern(text, gap, lambda _text: False)
    search = engine.search
    # As bytes: a half character of a broken file must not stop the search.
    return Pattern(text, "", lambda text: search(text.encode(errors="surrogatepass")) is not None)


def _check_spelling(text: str) -> None:
    with warnings.catch_warnings():
        # What may mean something else in a later Python does not matter: RE2 runs it.
        warnings.simplefilter("ignore")
        re.compile(text, re.IGNORECASE)


def _find_gap(text: str) -> str:
    plain = text.replace("\\\\", "")
    if len(text) > _MOST_CHARACTERS:
        return _not_run(text, _("is too long"))
    if re.search(r"\\[bB]", plain) and not text.isascii():
        return _not_run(text, _("asks for the edge of a word (\\b) beside letters beyond a to z"))
    found = next(
        (what for shape, what in _GAPS if shape.search(_without_escapes(plain, shape))), ""
    )
    return _not_run(text, _(found)) if found else ""


def _without_escapes(text: str, shape: re.Pattern[str]) -> str:
    """Return the text without escaped signs, unless escapes are what is looked for."""
    return text if shape.pattern.startswith("\\\\") else re.sub(r"\\.|\[[^\]]*\]", "x", text)


def _not_run(text: str, what: str) -> str:
    shown = text if len(text) <= 80 else f"{text[:80]}…"
    sentence = _("‘{text}’ {what}, which is not supported: it is kept and not run.")
    return sentence.format(text=shown, what=what)


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


# An escaped sign, or a class of signs: a bracket that stands first in one is itself.
_PARTS = re.compile(r"\\(?P<sign>.)|\[(?P<first>\^?\]?)(?P<rest>(?:\\.|[^\]\\])*)\]", re.DOTALL)
_INSIDE = re.compile(r"\\(?P<sign>.)|\[", re.DOTALL)


def _in_all_scripts(found: re.Match[str]) -> str:
    r"""Return a part of an expression with ``\w``, ``\d``, ``\s`` and ``\Z`` in RE2's words."""
    if found["sign"]:
        return _escape(found["sign"], is_inside=False)
    members = _INSIDE.sub(lambda each: _escape(each["sign"] or "[", is_inside=True), found["rest"])
    return f"[{found['first'].replace(']', _escape(']', is_inside=True))}{members}]"


def _escape(sign: str, *, is_inside: bool) -> str:
    members = _CLASSES.get(sign.lower(), "")
    if not members:
        return r"\z" if sign == "Z" else f"\\{sign}"
    if sign.islower():
        return members if is_inside else f"[{members}]"
    # RE2 has no class without the members of another one: inside of brackets its own has to do.
    return f"\\{sign}" if is_inside else f"[^{members}]"


Action = Literal["pin", "boost", "demote", "bury", "bottom", "remove", "collapse", "score"]
Match = Literal["contains", "equals", "regex", "<", "<=", ">", ">="]
ACTIONS: tuple[Action, ...] = get_args(Action)
MATCHES: tuple[Match, ...] = get_args(Match)
NUMBER_MATCHES: tuple[Match, ...] = ("<", "<=", ">", ">=")
OWN_FIELDS = ("id", "title", "url", "body")
"""Parts of a document that every rule may look at, besides the document's own fields."""
COUNTED: tuple[Action, ...] = ("pin", "boost", "demote", "bury", "collapse")
"""Actions whose number has a meaning."""

_FOR_ALL: tuple[Action, ...] = ("collapse", "score")
Question = tuple[str, str, str]
"""What is to be known of documents: field, match and text, or ``number``, ``date`` or ``group`` for its match."""
_DONE = {
    "pin": N_("Pin to rank {ranks}"),
    "boost": N_("Up by {ranks}"),
    "demote": N_("Down by {ranks}"),
    "bury": N_("Not above rank {ranks}"),
    "bottom": N_("To the bottom"),
    "remove": N_("Take out"),
    "collapse": N_("At most {ranks} of the same {by}"),
    "score": N_("Score by {formula}"),
}
_MATCHED = {
    "contains": N_("{field} contains ‘{text}’"),
    "equals": N_("{field} is ‘{text}’"),
    "regex": N_("{field} matches ‘{text}’"),
}
_SIGNS = {"<=": "≤", ">=": "≥"}


def is_limit(text: str) -> bool:
    """Return whether fields can be compared with a text: it is a number, or a date."""
    return read_number(text) is not None or read_date(text) is not None


@dataclass(frozen=True, slots=True)
class Condition:
    """What is true of some documents; upper and lower case are one.

    Attributes:
        field: ``id``, ``title``, ``url``, ``body`` or the name of a document's own field.
        match: whether that ``contains`` the text, ``equals`` it, or a ``regex`` is found in it
            (in linear time; one that needs more is kept and matches nothing, see :attr:`gap`);
            or whether it is a number and ``<``, ``<=``, ``>`` or ``>=`` the text; a date, where
            that is one.
        text: what is looked for, not empty.

    Raises:
        UsageError: one of them is not what it may be; the text says which.
    """

    field: str
    match: Match
    text: str

    def __post_init__(self) -> None:
        if self.match not in MATCHES:
            raise UsageError(
                _("A field {known} a text; found ‘{match}’.").format(
                    known=", ".join(MATCHES), match=self.match
                )
            )
        if not self.text or not self.field:
            raise UsageError(_("A rule needs a field to look at and a text to look for."))
        if self.match == "regex":
            compile_pattern(self.text)
        if self.match in NUMBER_MATCHES and not is_limit(self.text):
            said = (
                _(
                    "‘{field} {match} …’ asks for a number with a decimal point, or a date; found ‘{text}’."
                )
                if "," in self.text
                else _("‘{field} {match} …’ asks for a number or a date; found ‘{text}’.")
            )
            raise UsageError(said.format(field=self.field, match=self.match, text=self.text))

    @property
    def gap(self) -> str:
        """Why the condition is kept but never met, as a sentence; ``""`` if it is looked at."""
        return compile_pattern(self.text).gap if self.match == "regex" else ""

    def test(self) -> Callable[[str], bool]:
        """Return what tells whether a text of the field meets it, which is no limit of numbers."""
        wanted = self.text.casefold()
        if self.match == "regex":
            return compile_pattern(self.text).is_found_in
        if self.match == "equals":
            return lambda found: found.casefold() == wanted
        return lambda found: wanted in found.casefold()

    @property
    def question(self) -> Question:
        """What is to be known of documents: conditions that ask the same share the answer."""
        return (self.field, self.match, self.text)

    @property
    def kind_asked(self) -> Question:
        """The question for what a limit compares: numbers of its field, or dates."""
        return (self.field, "date" if read_number(self.text) is None else "number", "")

    @override
    def __str__(self) -> str:
        """Return it in words, such as ``title contains ‘curry’``."""
        if self.match in NUMBER_MATCHES:
            return f"{self.field} {_SIGNS.get(self.match, self.match)} {local_limit(self.text)}"
        return _(_MATCHED[self.match]).format(field=self.field, text=self.text)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        action: ``pin`` documents to the ranks from ``ranks`` on, ``boost`` or ``demote`` each past
            ``ranks`` of those that it is not about, or as many as there are, ``bury`` them so that none is above rank ``ranks``, take them to the
            ``bottom``, or ``remove`` them; ``collapse`` to the first ``ranks`` of those with the
            same field ``by``; or ``score`` them by ``formula`` and order all anew.
        where: documents that it is about: those of which all of this is true. ``collapse`` and
            ``score`` without any are about all.
        ranks: from 1; of those that do not count without meaning.
        queries: the rule holds for queries whose text contains this; ``""`` for all.
        by: of collapse.
        formula: of score; what it is not about keeps its score.
        is_on: whether it is applied.

    Raises:
        UsageError: one of them is not what it may be; the text says which.
    """

    action: Action
    where: tuple[Condition, ...] = ()
    ranks: int = 1
    queries: str = ""
    by: str = ""
    formula: str = ""
    is_on: bool = True

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise UsageError(
                _("A rule does one of {known}; found ‘{action}’.").format(
                    known=", ".join(ACTIONS), action=self.action
                )
            )
        if not self.where and self.action not in _FOR_ALL:
            raise UsageError(_("A rule needs a field to look at and a text to look for."))
        if self.ranks < 1:
            raise UsageError(
                _("Ranks of a rule count from 1; found {ranks}.").format(ranks=self.ranks)
            )
        if self.action == "collapse" and not self.by:
            raise UsageError(_("‘At most … of the same’ needs a field."))
        if self.action == "score":
            parse_formula(self.formula)

    @property
    def gap(self) -> str:
        """Why the rule is kept but not run, as a sentence; ``""`` if it is run."""
        return next((each.gap for each in self.where if each.gap), "")

    @property
    def expression(self) -> Expression | None:
        """The formula, read; ``None`` where there is none."""
        return parse_formula(self.formula) if self.action == "score" else None

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is to be known of documents to apply it; nothing of a rule that is off."""
        if not self.is_on:
            return ()
        asked = [each.question for each in self.where]
        asked += [each.kind_asked for each in self.where if each.match in NUMBER_MATCHES]
        if self.action == "collapse":
            asked.append((self.by, "group", ""))
        if self.expression is not None:
            asked += [(field, "number", "") for field in self.expression.fields]
        return tuple(asked)

    @property
    def asks_for_score(self) -> bool:
        """Whether it looks at the scores of the run."""
        return self.is_on and self.action == "score"

    def holds_for(self, query: Query) -> bool:
        """Return whether the rule holds for a query."""
        return self.queries.casefold() in query.text.casefold()

    @override
    def __str__(self) -> str:
        """Return it in words, such as ``Up by 3 where title contains ‘curry’``."""
        text = _(_DONE[self.action]).format(ranks=self.ranks, by=self.by, formula=self.formula)
        if self.where:
            text = _("{rule} where {conditions}").format(
                rule=text, conditions=_(" and ").join(map(str, self.where))
            )
        if self.queries:
            text = _("{rule}, in queries with ‘{text}’").format(rule=text, text=self.queries)
        return text if self.is_on else _("{rule} (off)").format(rule=text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file, and for a file of rules."""
        values: dict[str, Any] = {"action": self.action}
        if self.action in COUNTED:
            values["ranks"] = self.ranks
        values |= {
            name: text for name in ("by", "formula", "queries") if (text := getattr(self, name))
        }
        if self.where:
            names = ("field", "match", "text")
            values["where"] = [dict(zip(names, each.question, strict=True)) for each in self.where]
        return values if self.is_on else {**values, "off": True}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Rule":
        """Build a rule from :meth:`to_dict`'s result, or from what versions before 0.3 have kept.

        Raises:
            UsageError: a later version wrote a rule that this one does not know.
        """
        # One condition stood beside the action then.
        where = values.get("where", [values] if "field" in values else [])
        return Rule(
            values["action"],
            tuple(
                Condition(str(each["field"]), each["match"], str(each["text"])) for each in where
            ),
            int(values.get("ranks", 1)),
            str(values.get("queries", "")),
            str(values.get("by", "")),
            str(values.get("formula", "")),
            is_on=not values.get("off", False),
        )
