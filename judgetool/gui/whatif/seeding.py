"""Reading, while nothing else happens, which documents the rules of stored what-ifs are about."""

from functools import partial

from judgetool.errors import InputError
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.session.session import Session
from judgetool.session.whatifs import RuleMatches, WhatIf, load_whatifs, rule_work, whatif_book


def seed_rules(session: Session, jobs: Jobs) -> None:
    """Have the worker read what rules look at, so that no view waits for it later.

    Over millions of results that takes seconds; a view that is opened before it is done
    reads for itself.

    Args:
        session: the project that has just been opened.
        jobs: of the window.
    """
    for head in load_whatifs(session):
        if head.rules:
            _seed(session, jobs, head)


def _seed(session: Session, jobs: Jobs, head: WhatIf) -> None:
    try:
        find = rule_work(session, head.id, head.rules)
    except InputError:
        # The view says what is wrong with it, once somebody wants to see it.
        return

    def work(handle: JobHandle) -> RuleMatches:
        return find(None, handle.is_cancelled)

    jobs.submit(work, partial(_take, session), on_failed=_leave)


def _take(session: Session, matches: RuleMatches) -> None:
    whatif_book(session).seed(matches)


def _leave(_error: Exception) -> None:
    """The project was closed meanwhile, or its view will find out what is wrong itself."""
