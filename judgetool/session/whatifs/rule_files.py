"""Rules in files: read back as they were written, or said in the words of a search engine.

What is written for an engine follows its documented grammar; it is not run here. A rule that
cannot be said in it is refused by name, rather than left out of what seems to be whole.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from judgetool.core.score_formulas import Expression
from judgetool.errors import InputError, JudgetoolError, why_unreadable
from judgetool.session.whatifs.rules import NUMBER_MATCHES, Condition, Rule
from judgetool.wording import N_, _

_KEY, _VERSION = "judgetool_rules", 1
# So small that nothing it is multiplied with stands above what is not.
_LEAST = 0.000001
_LN10 = "2.302585092994046"
_FIELD = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_WORDS = re.compile(r"[\w-]+(?: [\w-]+)*")
_NO_RANK = N_("its formula asks for the rank, which {engine} does not know")
_BY_RANKS = N_("it moves by ranks, and {engine} orders by scores alone: say it by a formula")


class Exported(NamedTuple):
    """Rules as an engine takes them.

    Attributes:
        text: of the file.
        remarks: what is to be known of it, as sentences.
    """

    text: str
    remarks: tuple[str, ...] = ()


class _CannotBeSaidError(Exception):
    """The engine has no words for a rule; the text says why, without its name."""


def rules_as_json(rules: Iterable[Rule]) -> Exported:
    """Return rules as a file that :func:`rules_from_json` reads."""
    values = {_KEY: _VERSION, "rules": [rule.to_dict() for rule in rules]}
    return Exported(json.dumps(values, ensure_ascii=False, indent=2) + "\n")


def rules_from_json(text: str, name: str) -> tuple[Rule, ...]:
    """Return the rules of a file.

    Args:
        text: of the file.
        name: of the file, for sentences.

    Raises:
        InputError: it is no file of rules, or one of them cannot be read; the text says which.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            _("{name} is no file of rules: {problem}.").format(
                name=name, problem=why_unreadable(problem)
            )
        ) from None
    if not isinstance(values, dict) or not isinstance(values.get("rules"), list):
        raise InputError(
            _("{name} is no file of rules: it has no list named ‘rules’.").format(name=name)
        )
    if values.get(_KEY) != _VERSION:
        raise InputError(
            _(
                "{name} is no file of rules of this version: ‘{key}’ is {found}, not {version}."
            ).format(name=name, key=_KEY, found=values.get(_KEY), version=_VERSION)
        )
    found = []
    for number, each in enumerate(values["rules"], 1):
        try:
            found.append(Rule.from_dict(each))
        except JudgetoolError as problem:
            raise InputError(
                _("{name}, rule {number}: {problem}").format(
                    name=name, number=number, problem=problem
                )
            ) from None
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            # What Python says of it is of use to nobody but the name of what is lacking.
            lacks = f" ({problem})" if isinstance(problem, KeyError) else ""
            raise InputError(
                _(
                    "{name}, rule {number}: something is missing or misplaced{lacks}. It has an "
                    "action, and what that needs: ranks, by, formula, where."
                ).format(name=name, number=number, lacks=lacks)
            ) from None
    return tuple(found)


def export_rules(rules: Sequence[Rule], engine: str) -> Exported:
    """Return rules in the words of an engine, those that are off left out.

    Args:
        rules: in their order.
        engine: one of :data:`ENGINES`.

    Raises:
        InputError: some of them cannot be said there; the text names each and says why.
    """
    title, write = ENGINES[engine]
    title = _(title)
    active = [rule for rule in rules if rule.is_on]
    if engine == "json":
        return rules_as_json(rules)
    refused = []
    for place, rule in enumerate(active):
        try:
            _check_order(rule, active[:place], active[place + 1 :])
            write([rule])
        except _CannotBeSaidError as problem:
            reason = str(problem).replace("{engine}", title)
            number = rules.index(rule) + 1
            refused.append(
                _("Rule {number}, {rule}: {reason}.").format(
                    number=number, rule=rule, reason=reason
                )
            )
    if refused:
        told = "\n".join(refused)
        raise InputError(
            _("Not all of these rules can be said in {title}:\n{told}").format(
                title=title, told=told
            )
        )
    if not active:
        raise InputError(_("There is no rule that is on."))
    return write(active)


def _check_order(rule: Rule, before: Sequence[Rule], after: Sequence[Rule]) -> None:
    reorders = ("score", "bottom", "pin", "collapse")
    earlier = next((each for each in before if each.action in reorders), None)
    if rule.action == "score" and earlier is not None:
        raise _CannotBeSaidError(
            _(
                "what {engine} calls the score would not be that of the run any more, after: "
                "{earlier}"
            ).format(engine="{engine}", earlier=earlier)
        )
    if rule.action == "pin" and any(each.action in ("pin", "bottom", "score") for each in after):
        raise _CannotBeSaidError(
            _("what is pinned has the highest score; put it behind the others")
        )
    if rule.action == "collapse":
        if any(each.action in reorders for each in after):
            raise _CannotBeSaidError(_("{engine} collapses at the end; put it behind the others"))
        if rule.where or rule.ranks > 1:
            raise _CannotBeSaidError(_("{engine} leaves one of each, wherever it is found"))


# Elasticsearch


def _elasticsearch(rules: Sequence[Rule]) -> Exported:
    query: dict[str, Any] = {"simple_query_string": {"query": "{{query}}"}}
    request: dict[str, Any] = {}
    for rule in rules:
        if rule.queries:
            raise _CannotBeSaidError(_("it holds for some queries alone, and a request is for all"))
        if rule.action == "collapse":
            request["collapse"] = {"field": rule.by}
        elif rule.action == "pin":
            query = {"pinned": {"ids": [_pinned_id(rule)], "organic": query}}
        else:
            query = _es_wrapped(rule, query)
    text = json.dumps({"query": query, **request}, ensure_ascii=False, indent=2) + "\n"
    remarks = [_("Put your own query in the place of simple_query_string.")]
    actions = {rule.action for rule in rules}
    if any(_texts_of(rule) for rule in rules):
        remarks.append(_("Fields that texts are looked for in must be keyword or wildcard fields."))
    if "score" in actions:
        remarks.append(
            _(
                "Fields of formulas must be numbers, not yes or no. A score below 0 or one that is no "
                "number, as after 0 / 0 or sqrt(-1), ends the whole search there: max(0, …), if(…) and "
                "default(…) keep it from that. Scores have about 7 digits."
            )
        )
    if request:
        remarks.append(_("Documents without the field of collapse are one group there."))
    if "pin" in actions:
        remarks.append(_("A pinned document comes in also where the query does not find it."))
    return Exported(text, tuple(remarks))


def _es_wrapped(rule: Rule, query: dict[str, Any]) -> dict[str, Any]:
    filters = [_es_condition(each) for each in rule.where]
    found = filters[0] if len(filters) == 1 else {"bool": {"filter": filters}}
    if rule.action == "remove":
        return {"bool": {"must": [query], "must_not": [found]}}
    if rule.action == "bottom":
        functions = [{"filter": found, "weight": _LEAST}]
        return {
            "function_score": {"query": query, "functions": functions, "boost_mode": "multiply"}
        }
    formula = rule.expression
    if formula is None:
        raise _CannotBeSaidError(_(_BY_RANKS))
    script: dict[str, Any] = {"script_score": {"script": {"source": _painless(formula)}}}
    functions = [script]
    if filters:
        functions = [
            {"filter": found, **script},
            {"script_score": {"script": {"source": "_score"}}},
        ]
    how = {"score_mode": "first", "boost_mode": "replace"}
    return {"function_score": {"query": query, "functions": functions, **how}}


def _pinned_id(rule: Rule) -> str:
    condition = rule.where[0]
    if (
        rule.ranks > 1
        or len(rule.where) > 1
        or (condition.field, condition.match) != ("id", "equals")
    ):
        raise _CannotBeSaidError(_("{engine} pins one document by its id, to rank 1"))
    return condition.text


def _texts_of(rule: Rule) -> list[Condition]:
    return [each for each in rule.where if each.match not in NUMBER_MATCHES and each.field != "id"]


def _check_number(condition: Condition) -> None:
    if condition.kind_asked[1] == "date":
        raise _CannotBeSaidError(_("it compares dates, which are not written for {engine}"))


def _es_condition(condition: Condition) -> dict[str, Any]:
    field, match, text = condition.question
    if match in NUMBER_MATCHES:
        _check_number(condition)
        word = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}[match]
        return {"range": {field: {word: float(text)}}}
    if match == "regex":
        raise _CannotBeSaidError(_("its regular expressions are not those of {engine}"))
    if field == "id":
        if match != "equals":
            raise _CannotBeSaidError(_("{engine} finds ids as a whole only"))
        return {"ids": {"values": [text]}}
    if match == "equals":
        return {"term": {field: {"value": text, "case_insensitive": True}}}
    escaped = re.sub(r"([*?\\])", r"\\\1", text)
    return {"wildcard": {field: {"value": f"*{escaped}*", "case_insensitive": True}}}


def _painless(part: Expression) -> str:
    if part.kind == "rank":
        raise _CannotBeSaidError(_(_NO_RANK))
    if part.kind == "number":
        return repr(part.number)
    if part.kind == "score":
        return "_score"
    if part.kind in ("field", "default"):
        return _painless_field(part)
    parts = [_painless(each) for each in part.parts]
    if part.kind in ("min", "max"):
        return reduce(lambda one, other: f"Math.{part.kind}({one}, {other})", parts)
    # What else has two parts compares them.
    form = _PAINLESS.get(part.kind, f"({{0}} {part.kind} {{1}} ? 1.0 : 0.0)")
    return form.format(*parts)


_PAINLESS = {
    **{sign: f"({{0}} {sign} {{1}})" for sign in "+-*/"},
    "negative": "(-{0})",
    "if": "({0} != 0.0 ? {1} : {2})",
    "^": "Math.pow({0}, {1})",
    **{name: f"Math.{name}({{0}})" for name in ("log", "sqrt", "abs")},
}


def _painless_field(part: Expression) -> str:
    """Return a field as a number, and what stands in its place where a document lacks it."""
    field = part.field or part.parts[0].field
    name = field.replace("\\", "\\\\").replace("'", "\\'")
    other = _painless(part.parts[1]) if part.parts else "0.0"
    return f"(doc['{name}'].size() == 0 ? {other} : (double) doc['{name}'].value)"


# Solr


def _solr(rules: Sequence[Rule]) -> Exported:
    lines, asides = ["defType=edismax"], []
    for number, rule in enumerate(rules, 1):
        if rule.queries:
            raise _CannotBeSaidError(
                _("it holds for some queries alone, and parameters are for all")
            )
        name, where = f"rule{number}", _solr_query(rule)
        if rule.action == "remove":
            lines.append(f"fq=*:* -({where})")
        elif rule.action == "collapse":
            lines.append(f"fq={{!collapse field={_solr_field(rule.by)} nullPolicy=expand}}")
        elif rule.action == "pin":
            lines += ["enableElevation=true", f"elevateIds={_pinned_id(rule)}"]
        elif rule.action == "bottom":
            lines.append(f"boost=if(exists(query(${name})),{_LEAST:f},1)")
            asides.append(f"{name}={where}")
        else:
            parameter, worth, neutral = _solr_boost(rule)
            if where:
                worth = f"if(exists(query(${name})),{worth},{neutral})"
                asides.append(f"{name}={where}")
            lines.append(f"{parameter}={worth}")
    remarks = [
        _("One parameter stands in a line, as Solr reads it after it was encoded for the URL.")
    ]
    if any(_texts_of(rule) for rule in rules):
        remarks.append(
            _("Fields that texts are looked for in must be string fields; capitals count there.")
        )
    if any(rule.action == "pin" for rule in rules):
        remarks.append(
            _(
                "The elevation component must be set up; what it pins comes in also where the query does not find it."
            )
        )
    return Exported("\n".join([*lines, *asides]) + "\n", tuple(remarks))


def _solr_boost(rule: Rule) -> tuple[str, str, str]:
    """Return the parameter of a formula, its function, and what changes nothing."""
    formula = rule.expression
    if formula is None:
        raise _CannotBeSaidError(_(_BY_RANKS))
    if formula.kind in ("*", "+"):
        left, right = formula.parts
        factor = right if left.kind == "score" else left
        if "score" in (left.kind, right.kind) and not factor.has_score:
            parameter, neutral = ("boost", "1") if formula.kind == "*" else ("bf", "0")
            return parameter, _solr_function(factor), neutral
    raise _CannotBeSaidError(
        _("edismax multiplies the score or adds to it: write score * (…) or score + (…)")
    )


def _solr_field(name: str) -> str:
    if not _FIELD.fullmatch(name):
        raise _CannotBeSaidError(
            _("‘{name}’ is no name of a field in {engine}").format(name=name, engine="{engine}")
        )
    return name


def _solr_query(rule: Rule) -> str:
    return " ".join(f"+{_solr_condition(each)}" for each in rule.where)


def _solr_condition(condition: Condition) -> str:
    field, match, text = condition.question
    name = _solr_field(field)
    if match == "regex":
        raise _CannotBeSaidError(_("its regular expressions are not those of {engine}"))
    if match in NUMBER_MATCHES:
        _check_number(condition)
        number = f"{float(text):.17g}"
        ends = {"<": "[* TO {}}}", "<=": "[* TO {}]", ">": "{{{} TO *]", ">=": "[{} TO *]"}
        return f"{name}:{ends[match].format(number)}"
    if match == "equals":
        quoted = re.sub(r'(["\\])', r"\\\1", text)
        return f'{name}:"{quoted}"'
    escaped = re.sub(r'([-+&|!(){}\[\]^"~*?:/\\\s])', r"\\\1", text)
    return f"{name}:*{escaped}*"


def _solr_function(part: Expression) -> str:
    if part.kind == "rank":
        raise _CannotBeSaidError(_(_NO_RANK))
    if part.kind == "number":
        return repr(part.number).removesuffix(".0")
    if part.kind == "field":
        return _solr_field(part.field)
    parts = [_solr_function(each) for each in part.parts]
    together = ",".join(parts)
    if part.kind == "log":
        # Theirs is to the base of 10.
        return f"product({_LN10},log({together}))"
    if part.kind == "negative":
        return f"sub(0,{together})"
    if part.kind == "!=":
        return f"not(eq({together}))"
    return f"{_SOLR_NAMES.get(part.kind, part.kind)}({together})"


_SOLR_NAMES = {
    "+": "sum",
    "-": "sub",
    "*": "product",
    "/": "div",
    "^": "pow",
    "<": "lt",
    "<=": "lte",
    ">": "gt",
    ">=": "gte",
    "==": "eq",
    "default": "def",
}


# Querqy


def _querqy(rules: Sequence[Rule]) -> Exported:
    blocks, remarks = [], []
    for rule in rules:
        if not rule.queries:
            raise _CannotBeSaidError(
                _("it holds for all queries, and a rule of {engine} begins with words")
            )
        if not _WORDS.fullmatch(rule.queries):
            raise _CannotBeSaidError(
                _("‘{queries}’ are no plain words for the query to have").format(
                    queries=rule.queries
                )
            )
        if rule.action not in ("remove", "bottom"):
            raise _CannotBeSaidError(
                _(
                    "{engine} takes documents out or weights them; it knows no ranks, formulas and "
                    "groups"
                )
            )
        where = _solr_query(rule)
        act = f"FILTER: * -({where})" if rule.action == "remove" else f"DOWN(1000): * {where}"
        blocks.append(f"{rule.queries} =>\n  {act}\n")
    remarks.append(
        _("The words are looked for as whole words; judgetool finds them within words, too.")
    )
    remarks.append(_("What stands behind * is in Solr’s words."))
    if any(rule.action == "bottom" for rule in rules):
        remarks.append(
            _("DOWN(1000) weights down; whether all of them come last depends on the scores.")
        )
    return Exported("\n".join(blocks), tuple(remarks))


ENGINES: dict[str, tuple[str, Callable[[Sequence[Rule]], Exported]]] = {
    "json": (N_("a file of judgetool"), rules_as_json),
    "elasticsearch": ("Elasticsearch", _elasticsearch),
    "solr": ("Solr", _solr),
    "querqy": ("Querqy", _querqy),
}
"""What rules are written for: its name for people, and what writes them."""
