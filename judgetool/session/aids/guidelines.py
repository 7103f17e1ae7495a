"""Guidelines: what assessors are to go by, for the project and for a query."""

from judgetool.session.commands import SetValues
from judgetool.session.session import Session

GUIDELINES_KEY, QUERY_GUIDELINES_KEY = "guidelines", "guidelines/"


def find_guidelines(session: Session, query: int | None = None) -> str:
    """Return the guidelines as Markdown; ``""`` where none are written.

    Args:
        session: the project.
        query: number of a query; ``None`` for the project's.
    """
    return str(session.value(_key(session, query)) or "")


def set_guidelines(session: Session, text: str, *, query: int | None = None) -> SetValues:
    """Return the command that writes guidelines.

    Args:
        session: the project.
        text: Markdown; one of blanks alone takes them away.
        query: number of a query; ``None`` for the project's.
    """
    where = "" if query is None else f" of query {session.material.queries[query].id}"
    return SetValues({_key(session, query): text if text.strip() else None}, f"Guidelines{where}")


def _key(session: Session, query: int | None) -> str:
    if query is None:
        return GUIDELINES_KEY
    return QUERY_GUIDELINES_KEY + session.material.queries[query].id
