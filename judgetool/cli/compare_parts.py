"""What else the compare view shows of a project's runs: ``judgetool compare --show``."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from judgetool.cli.options import NO_FIELD, NO_QUERY, no_such
from judgetool.cli.score_project import choose_systems
from judgetool.cli.scoring import ScoringWishes, chosen_scale, look_of, said_words
from judgetool.errors import UsageError
from judgetool.formats.sheets import SHEET_WRITERS, Sheet
from judgetool.metrics import Measure
from judgetool.metrics.comparison import check_measures
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.query_differences import (
    GroupTest,
    groups_tested,
    query_differences,
)
from judgetool.session.comparing.subsets import group_names
from judgetool.session.comparing.tables import (
    curves_sheet,
    difference_sheet,
    document_sheet,
    draw_charts,
    find_stakes,
    orders_sheet,
    rankings_sheet,
    stake_sheet,
    where_words,
)
from judgetool.session.looking import open_look
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import _


class PartWishes(NamedTuple):
    """What is asked of a part.

    Attributes:
        query_id: the query whose rankings or curves are meant; ``None`` for all.
        depth: ranks of rankings.
        stake: what the list of what to judge next is about.
        group_by: by what queries are grouped; ``""`` for none.
    """

    query_id: str | None
    depth: int
    stake: str
    group_by: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """The same, found in the project: the baseline is the first system; `where` let its queries through."""

    session: Session
    systems: Sequence[System]
    measure: Measure
    query: int | None
    wishes: PartWishes
    where: str

    @property
    def other(self) -> System:
        """What is compared with the baseline."""
        return self.systems[-1]

    @property
    def one_query(self) -> int:
        """The query.

        Raises:
            UsageError: none was named.
        """
        if self.query is None:
            raise UsageError(
                _("--show rankings and documents need --query ID: they are of one query.")
            )
        return self.query


def _rankings(asked: _Asked) -> Sheet:
    given = (asked.session, asked.systems, asked.measure)
    return rankings_sheet(*given, asked.one_query, asked.wishes.depth)


def _queries(asked: _Asked) -> Sheet:
    session, group_by, tests = asked.session, asked.wishes.group_by, list[GroupTest]()
    pair = (asked.other, asked.systems[0], asked.measure)
    if group_by:
        known = group_names(session)
        if group_by not in known:
            raise no_such(NO_FIELD, group_by, session.path.name, known)
        found = query_differences(session, *pair, group_by=group_by)
        tests = groups_tested(found, comparison_rules(session))
    return difference_sheet(session, *pair, where=asked.where, grouped=(group_by, tests))


def _curves(asked: _Asked) -> Sheet:
    given = (asked.session, asked.systems, asked.measure)
    charts = draw_charts(*given, asked.query)
    return curves_sheet(*given, charts, asked.query, where=asked.where)


def _stake(asked: _Asked) -> Sheet:
    session, measure, aim = asked.session, asked.measure, asked.wishes.stake
    found = find_stakes(session, asked.other, asked.systems[0], measure, aim)
    words = where_words(asked.where)
    return stake_sheet(session, asked.systems, measure, found, aim, words)


_PARTS: dict[str, Callable[[_Asked], Sheet]] = {
    "queries": _queries,
    "documents": lambda a: document_sheet(a.session, a.other, a.systems[0], a.measure, a.one_query),
    "stake": _stake,
    "orders": lambda a: orders_sheet(a.session, a.systems, a.measure, where=a.where),
    "curves": _curves,
    "rankings": _rankings,
}
_OF_PAIRS = ("queries", "stake", "documents")
_NEED_TWO = ("queries", "documents")


def sheet_of_part(
    part: str, wishes: ScoringWishes, baseline: str | None, asked: PartWishes
) -> Sheet:
    """Return a part of the compare view of a project.

    Args:
        part: a key of ``_PARTS``.
        wishes: project, runs, measures and how it is looked at.
        baseline: name of what the others are compared with; ``None`` for the first.
        asked: what else is asked of it.

    Raises:
        UsageError: there is no project, or not as many runs or measures as the part is of.
        InputError: the project has no such run, what-if or query.
    """
    if wishes.project is None:
        raise UsageError(
            _("--show {part} is for projects: give --project PROJECT.").format(part=part)
        )
    if wishes.as_of:
        raise UsageError(_("--as-of is for the table, not for --show: leave one of them out."))
    columns = wishes.columns
    if columns is not None and len(columns) > 1 and part != "orders":
        raise UsageError(
            _("--show {part} is by one measure; found {found}.").format(
                part=part, found=", ".join(map(str, columns))
            )
        )
    look = look_of(wishes, chosen_scale(wishes))
    if part == "orders":
        look = look.by_own_measures()
    with open_look(wishes.project, look) as session:
        systems = choose_systems(session, wishes.runs, wishes.snapshot)
        first = choose_systems(session, [baseline], wishes.snapshot) if baseline else systems[:1]
        systems = list(dict.fromkeys([*first, *systems]))
        if (part in _OF_PAIRS and len(systems) > 2) or (part in _NEED_TWO and len(systems) < 2):
            raise UsageError(
                _(
                    "--show {part} is of two: name one by --run and one by --baseline; found "
                    "{systems}."
                ).format(part=part, systems=", ".join(each.name for each in systems))
            )
        measure = (columns or session.measures)[0]
        check_measures([measure] if part in _OF_PAIRS else [])
        query = None
        if asked.query_id is not None:
            query = session.material.find_query(asked.query_id)
            if query is None:
                ids = [each.id for each in session.material.queries]
                raise no_such(NO_QUERY, asked.query_id, session.path.name, ids)
        sheet = _PARTS[part](_Asked(session, systems, measure, query, asked, wishes.where))
    # What looks at the project otherwise than the window does belongs to the command, too.
    more = shlex.join(said_words(wishes._replace(where="")))
    return replace(sheet, command=f"{sheet.command} {more}".strip())


def format_part(sheet: Sheet, layout: str) -> str:
    """Return a part as it is printed.

    Raises:
        UsageError: it cannot be printed so.
    """
    name = "tsv" if layout == "text" else layout
    if name not in SHEET_WRITERS:
        known = ", ".join(("text", *SHEET_WRITERS))
        raise UsageError(
            _("--show goes with --format {known}; found {layout}.").format(
                known=known, layout=layout
            )
        )
    return SHEET_WRITERS[name](sheet)
