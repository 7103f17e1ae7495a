"""The rows of the chart of differences: queries, worst first, under heads where grouped."""

from collections import defaultdict
from typing import NamedTuple

from judgetool.session.comparing.comparing import QueryDifferences
from judgetool.session.session import Session


class DifferenceRow(NamedTuple):
    """One query or document, or the head of a group.

    Attributes:
        number: of the query or document; ``None`` for a head.
        label: the query's id, or the document's ranks; ``""`` for a head.
        text: of the query, the document's title, or the group's name.
        difference: of the query, or the group's mean.
        remark: of a head, such as ``3 better, 1 worse``; ``""`` for a query.
    """

    number: int | None
    label: str
    text: str
    difference: float
    remark: str = ""


def difference_rows(
    session: Session, found: QueryDifferences, *, group_by: str = ""
) -> list[DifferenceRow]:
    """Return what the chart shows; equal queries are left out.

    Args:
        session: the project.
        found: with groups where ``group_by`` is given.
        group_by: as it was asked for.
    """
    queries = session.material.queries
    rows = [
        DifferenceRow(row.query, queries[row.query].id, queries[row.query].text, row.difference)
        for row in found.rows
        if row.difference
    ]
    if not group_by:
        return rows
    by_group: defaultdict[str, list[DifferenceRow]] = defaultdict(list)
    for row in rows:
        query = queries[row.number or 0]
        is_category = group_by == "category"
        by_group[query.category if is_category else query.fields.get(group_by, "")].append(row)
    grouped = []
    for group in found.groups:
        remark = f"{group.n_better} better, {group.n_worse} worse of {group.n_queries}"
        name = group.name or f"no {group_by}"
        grouped.append(DifferenceRow(None, "", name, group.mean, remark))
        grouped += by_group[group.name]
    return grouped
