"""Queries and documents that are written in the window rather than imported."""

from dataclasses import replace

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import AddDocument, Changed, WriteDocument, WriteQuery
from judgetool.session.jobs import has_content
from judgetool.session.queues.pool_choice import add_to_pool, is_in_pool
from judgetool.session.session import Session


def add_query(session: Session, query: Query, *, origin: str = "command") -> Changed | None:
    """Add a query; one step, one undo.

    Args:
        session: the project.
        query: with an id that no other query has.
        origin: ``key``, ``click``, ``command``.

    Raises:
        CommandRefusedError: the id is empty or taken, or a text cannot be kept.
    """
    problem = query_problem(session, query)
    if problem:
        raise CommandRefusedError(problem)
    return session.execute(WriteQuery(query), origin=origin)


def edit_query(
    session: Session, number: int, query: Query, *, origin: str = "command"
) -> Changed | None:
    """Change a query's texts; its id stays.

    Args:
        session: the project.
        number: of the query.
        query: the new texts; its id plays no part.
        origin: ``key``, ``click``, ``command``.

    Returns:
        What listeners were told; ``None`` when nothing is different.

    Raises:
        CommandRefusedError: a text cannot be kept, or the weight is not above 0.
    """
    known = session.material.queries[number]
    changed = replace(query, id=known.id)
    if changed == known:
        return None
    problem = _text_problem(changed)
    if problem:
        raise CommandRefusedError(problem)
    return session.execute(WriteQuery(changed), origin=origin)


def add_document(
    session: Session, query: int, document: Document, *, origin: str = "command"
) -> Changed | None:
    """Put a document into a query's pool, so that it can be judged; one step, one undo.

    Args:
        session: the project.
        query: number of the query.
        document: a new one with its text, or the id alone of one that the project
            knows or is to know.
        origin: ``key``, ``click``, ``command``.

    Returns:
        What listeners were told; ``None`` when it stands in the pool already.

    Raises:
        CommandRefusedError: the id is empty; there is a document with this id and
            another text; or a text cannot be kept.
    """
    problem = document_problem(session, document)
    if problem:
        raise CommandRefusedError(problem)
    number = session.material.find_document(document.id)
    if number is None or has_content(document):
        return session.execute(AddDocument(query, document), origin=origin)
    if is_in_pool(session, query, number):
        return None
    return session.execute(add_to_pool(session, query, [number]), origin=origin)


def edit_document(
    session: Session, number: int, document: Document, *, origin: str = "command"
) -> Changed | None:
    """Change a document's texts; its id stays, and judgments of it stay.

    Args:
        session: the project.
        number: of the document.
        document: the new texts; its id plays no part.
        origin: ``key``, ``click``, ``command``.

    Raises:
        CommandRefusedError: a text cannot be kept.
    """
    known = session.material.document(number)
    changed = replace(document, id=known.id)
    if changed == known:
        return None
    problem = _text_problem(changed)
    if problem:
        raise CommandRefusedError(problem)
    return session.execute(WriteDocument(changed), origin=origin)


def query_problem(session: Session, query: Query) -> str:
    """Return a sentence saying why a query cannot be added, or ``""``; for dialogs."""
    problem = _id_problem(query.id, "query") or _text_problem(query)
    taken = session.material.find_query(query.id)
    if problem or taken is None:
        return problem
    text = session.material.queries[taken].text
    called = f" (‘{_shortened(text)}’)" if text else ""
    return (
        f"There is a query with the id ‘{query.id}’ already{called}. "
        "Choose another id, or edit that query; nothing was changed."
    )


def document_problem(session: Session, document: Document) -> str:
    """Return a sentence saying why a document cannot be added, or ``""``; for dialogs."""
    problem = _id_problem(document.id, "document") or _text_problem(document)
    number = session.material.find_document(document.id)
    if problem or number is None or not has_content(document):
        return problem
    known = session.material.document(number)
    if not has_content(known) or known == document:
        return ""
    called = f" (‘{_shortened(known.title)}’)" if known.title else ""
    return (
        f"There is a document with the id ‘{document.id}’ already{called}, and its text is "
        "another. Choose another id, or leave all but the id empty to judge that document; "
        "nothing was changed."
    )


def _id_problem(identifier: str, what: str) -> str:
    if not identifier.strip():
        return f"The {what} has no id. Type one; ids are kept just as they are typed."
    return ""


def _text_problem(thing: Query | Document) -> str:
    # All formats come with it, and a window must not wait for them to start.
    from judgetool.formats.records import find_storage_problem  # noqa: PLC0415 - said above

    texts = [thing.id, *thing.fields.keys(), *thing.fields.values()]
    if isinstance(thing, Query):
        texts += [thing.text, thing.description, thing.narrative, thing.category]
        if not thing.weight > 0:
            return f"The weight of a query must be above 0; {thing.weight:g} is not."
    else:
        texts += [thing.title, thing.url, thing.body]
    for text in texts:
        problem = find_storage_problem(text)
        if problem:
            return f"The text ‘{_shortened(text)!r}’ cannot be kept: {problem}."
    return ""


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
