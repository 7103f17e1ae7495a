"""Why there is nothing that the assessor could take back from a document."""

from judgetool.session.session import Session


def nothing_to_clear(session: Session, query: int, document: int) -> str:
    """Return a sentence for a document of which the assessor has said nothing.

    Args:
        session: the project.
        query: number of the query.
        document: number of the document.
    """
    effective = session.board.settled(query).get(document)
    if effective is None:
        return "This document is unjudged already."
    names = ", ".join(session.assessor_name(number) for number in effective.assessors)
    return f"This judgment is by {names}; only your own can be taken back."
