"""``judgetool rules`` and ``judgetool runs``: what is done to runs, and the runs themselves."""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from judgetool.cli.command import (
    FILE_OR_INPUT,
    PROJECT,
    Whole,
    command,
    print_tsv,
    shown_progress,
    table_text,
    tell_all,
)
from judgetool.cli.options import NO_WHATIF, SEED_OPTION, format_option, no_such
from judgetool.core.number_text import number_of
from judgetool.errors import InputError, UsageError, why_unreadable
from judgetool.session.comparing.trial import RulesEffect, RulesTrial, find_lacks
from judgetool.session.edits import delete_run, describe_uses, rename_run, uses_of_run
from judgetool.session.exports.exporting import find_stored_run
from judgetool.session.opening import open_project
from judgetool.session.safety import open_to_change
from judgetool.session.session import Session
from judgetool.session.whatifs.book import Split, WhatIf, find_whatif_named, load_whatifs
from judgetool.session.whatifs.editing import (
    create_whatif,
    delete_whatif,
    rename_whatif,
    set_rules,
)
from judgetool.session.whatifs.rule_files import ENGINES, export_rules, rules_from_json
from judgetool.wording import _, in_english

_DIGITS = 4
_OF_RULES = ("rule", "measure", "without", "with", "change", "better", "worse", "tuned", "aside")
_OF_QUERIES = ("query", "measure", "without", "with", "change", "least", "most", "aside")


@command(
    "runs",
    examples=(
        "judgetool runs recipes.judge",
        "judgetool runs recipes.judge --rename chargrams grams",
        "judgetool runs recipes.judge --take-out grams",
    ),
)
@PROJECT
@click.option("--rename", nargs=2, metavar="RUN NAME", help="Give a run or what-if another name.")
@click.option(
    "--take-out",
    metavar="RUN",
    help="Take a run out, and the what-ifs made from it, or a what-if alone; Undo in the window "
    "brings all back.",
)
@format_option(("tsv", "json"), "json has a list with an object for each run.", default="tsv")
def runs_command(
    project: Path, rename: tuple[str, str] | None, take_out: str | None, layout: str
) -> None:
    """Print the runs of PROJECT and what uses them; rename a run or what-if, or take one out.

    Judgments stay in any case, and so do snapshots that hold a run.
    """
    if rename is not None and take_out is not None:
        raise UsageError(_("--rename and --take-out are two changes: give one at a time."))
    is_read = rename is None and take_out is None
    opened = partial(open_project, read_only=True) if is_read else open_to_change
    with opened(project) as session:
        if rename is not None:
            tell_all([_rename(session, *rename)])
        if take_out is not None:
            tell_all([_take_out(session, take_out)])
        rows = []
        for run in session.material.runs:
            uses = uses_of_run(session, run.run_id)
            is_baseline = "yes" if uses.is_baseline else "no"
            used = (list(uses.whatifs), list(uses.snapshots), is_baseline)
            rows.append((run.name, run.n_queries, run.n_results, *used))
    header = ("name", "queries", "results", "whatifs", "snapshots", "baseline")
    click.echo(table_text(header, rows, layout))


def _rename(session: Session, before: str, name: str) -> str:
    whatif = _whatif_of(session, before)
    if whatif is not None:
        rename_whatif(session, whatif.id, name)
        return _("What-if {before} is called {name} now.").format(before=before, name=name.strip())
    rename_run(session, _run_id(session, before), name)
    return _("Run {before} is called {name} now.").format(before=before, name=name.strip())


def _take_out(session: Session, name: str) -> str:
    whatif = _whatif_of(session, name)
    if whatif is not None:
        delete_whatif(session, whatif.id)
        return _("What-if {name} is taken out.").format(name=name)
    run_id = _run_id(session, name)
    said = describe_uses(session, run_id)
    delete_run(session, run_id)
    return _("Run {take_out} is taken out. {said}").format(take_out=name, said=said)


def _run_id(session: Session, name: str) -> int:
    return find_stored_run(session, session.material, name).run_id


def _whatif_of(session: Session, name: str) -> WhatIf | None:
    """Return the what-if that a name means; a run of the same name goes first."""
    is_run = session.material.find_run(name) is not None
    return None if is_run else find_whatif_named(session, name)


@command(
    "rules",
    examples=(
        'judgetool rules shop.judge "bm25 rules"',
        'judgetool rules shop.judge "bm25 rules" --as json > rules.json',
        'judgetool rules shop.judge "new arrivals" --from rules.json --run bm25',
        'judgetool rules shop.judge "bm25 rules" --effect --aside 50 --seed 1',
        'judgetool rules shop.judge "bm25 rules" --as elasticsearch',
    ),
)
@PROJECT
@click.argument("whatif")
@click.option(
    "--as",
    "engine",
    type=click.Choice(list(ENGINES)),
    help="Print them as a file that --from reads (json), or in the words of a search engine; a rule "
    "that has none there is named, and nothing is printed.",
)
@click.option(
    "--from",
    "source",
    type=FILE_OR_INPUT,
    metavar="FILE",
    help="Give it the rules of a file (- for standard input) instead.",
)
@click.option(
    "--run", metavar="RUN", help="With --from: make the what-if of this run if there is none."
)
@click.option(
    "--effect", "what", flag_value="rules", help="A line for each rule and measure: what it adds."
)
@click.option(
    "--queries",
    "what",
    flag_value="queries",
    help="A line for each query whose ranking they change and each measure, with how far the change "
    "may go.",
)
@click.option("--aside", type=Whole(1, 99), help="With --effect: percent of queries kept aside.")
@SEED_OPTION(default=1, show_default=True, help="Draws them.")
def rules_command(  # noqa: PLR0913 - an option each
    project: Path,
    whatif: str,
    engine: str | None,
    source: Path | None,
    *,
    run: str | None,
    what: str | None,
    aside: int | None,
    seed: int,
) -> None:
    """Print the rules of a what-if of PROJECT, read them from a file, or say what they do.

    Without an option it prints a line for each rule.
    """
    if (engine is not None) + (what is not None) > 1:
        raise UsageError(_("--as prints rules, --effect and --queries what they do. Ask for one."))
    if run is not None and source is None:
        raise UsageError(_("--run says of which run --from makes a what-if: it needs --from."))
    opened = open_to_change if source is not None else partial(open_project, read_only=True)
    with opened(project) as session:
        if source is not None:
            _take(session, whatif, source, run)
        head = _head(session, whatif)
        if engine is not None:
            found = export_rules(head.rules, engine)
            click.echo(found.text, nl=False)
            tell_all(found.remarks)
        elif what is None:
            with in_english():
                rows = [
                    (str(number), "yes" if rule.is_on else "no", str(rule).removesuffix(" (off)"))
                    for number, rule in enumerate(head.rules, 1)
                ]
            print_tsv(("rule", "on", "does"), rows)
        else:
            _print_effect(session, head, what, Split(aside, seed) if aside else head.split)


def _head(session: Session, name: str) -> WhatIf:
    head = find_whatif_named(session, name)
    if head is None:
        names = [each.name for each in load_whatifs(session)]
        raise no_such(NO_WHATIF, name, session.path.name, names)
    return head


def _take(session: Session, whatif: str, source: Path, run: str | None) -> None:
    try:
        text = sys.stdin.read() if str(source) == "-" else source.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as problem:
        raise InputError(
            _("{source} cannot be read: {problem}.").format(
                source=source, problem=why_unreadable(problem)
            )
        ) from None
    name = _("standard input") if str(source) == "-" else source.name
    rules = rules_from_json(text, name)
    run_id = None if run is None else _run_id(session, run)
    head = find_whatif_named(session, whatif)
    if head is not None:
        set_rules(session, head.id, rules, split=head.split)
    elif run_id is not None:
        create_whatif(session, whatif, run_id, rules=rules)
    else:
        raise InputError(
            _("There is no what-if ‘{whatif}’ yet: --run says of which run to make it.").format(
                whatif=whatif
            )
        )
    tell_all(
        [
            number_of(
                len(rules),
                "{n} rule from {source} for what-if {whatif}.",
                "{n} rules from {source} for what-if {whatif}.",
                source=name,
                whatif=whatif,
            ),
            *find_lacks(session, _head(session, whatif)),
        ]
    )


def _print_effect(session: Session, head: WhatIf, what: str, split: Split | None) -> None:
    trial = RulesTrial(session, head)
    work = trial.work(head.rules, split)
    with shown_progress(_("Looking at the documents")) as progress:
        effect = work(progress, None)
    tell_all([*[rule.gap for rule in effect.rules if rule.gap], *effect.lacks])
    with in_english():
        if what == "queries":
            print_tsv(_OF_QUERIES, _query_rows(session, trial, effect))
        else:
            print_tsv(_OF_RULES, _rule_rows(session, effect))


def _rule_rows(session: Session, effect: RulesEffect) -> Iterator[Sequence[str]]:
    places: list[int | None] = [*range(len(effect.rules)), None]
    for rule in places:
        share = effect.share(rule)
        named = "all" if rule is None else str(effect.rules[rule])
        for place, measure in enumerate(session.measures):
            old, new = share.before[place], share.after[place]
            change = None if old is None or new is None else new - old
            numbers = [_number(each) for each in (old, new, change)]
            counts = [str(share.n_better[place]), str(share.n_worse[place])]
            parts = [_number(part[place]) for part in share.changes]
            yield [named, str(measure), *numbers, *counts, *parts]


def _query_rows(
    session: Session, trial: RulesTrial, effect: RulesEffect
) -> Iterator[Sequence[str]]:
    for place, measure in enumerate(session.measures):
        found = effect.query_changes(place)
        bounds = trial.interval_work(effect, [each.query for each in found], place)(None, None)
        for each, ends in zip(found, bounds, strict=True):
            numbers = (each.old, each.new, each.change, ends.low, ends.high)
            query = session.material.queries[each.query].id
            yield [
                query,
                str(measure),
                *map(_number, numbers),
                "yes" if each.is_aside else "no",
            ]


def _number(value: float | None) -> str:
    # Adding 0.0 after rounding leaves no "-0.0000".
    return "" if value is None else f"{round(value, _DIGITS) + 0.0:.{_DIGITS}f}"
