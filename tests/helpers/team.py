"""What people do who are asked: each judges all of it in their copy."""

from judgetool.core.judgments import State
from judgetool.session.commands import Say


def judge_asked(session, say):
    """Judge what the session's assessor is asked, until nothing is left.

    Args:
        session: opened under the assessor's name.
        say: gives the grade of (query id, document id, how often they have judged it before).

    Returns:
        (query id, document id, grade) in the order in which they came; what comes again is in it twice.
    """
    queries, ids = session.material.queries, session.material.document_id
    came, times = [], {}
    while not session.asks.progress.is_done:
        left = [
            pair
            for pair in session.asks.pairs
            if session.own_judgment(*pair).state is State.UNJUDGED
        ]
        assert left
        for query, document in left:
            pair = queries[query].id, ids(document)
            grade = say(*pair, times.get(pair, 0))
            times[pair] = times.get(pair, 0) + 1
            session.execute(Say.grade(query, document, float(grade)))
            came.append((*pair, grade))
    return came
