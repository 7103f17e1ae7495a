"""What-ifs: named reorderings of a run, kept in the project, that touch neither run nor judgments.

A what-if starts from a run (or several, fused), applies its boost rules to every query,
and then each query's steps. Its values live in the session's engine beside the runs'.
"""

from judgetool.core.rankings import IntArray
from judgetool.metrics import RunBlock
from judgetool.session.session import Session
from judgetool.session.whatifs.book import (
    DEFAULT_K,
    WhatIfBook,
    engine_key_of,
    engine_of,
    fuse_rrf,
    whatif_book,
)
from judgetool.session.whatifs.editing import (
    add_step,
    annotate_whatif,
    assume_grade,
    clear_query,
    copy_whatif,
    create_fused,
    create_whatif,
    delete_whatif,
    drop_last_step,
    free_name,
    rename_whatif,
    set_rules,
)
from judgetool.session.whatifs.orders import (
    Missed,
    StepValue,
    find_missing,
    order_by_grade,
    order_by_run,
    order_fused,
    ranking_of_system,
    steps_table,
)
from judgetool.session.whatifs.rule_work import rule_work
from judgetool.session.whatifs.rules import (
    ACTIONS,
    MATCHES,
    OWN_FIELDS,
    Rule,
    RuleMatches,
    RulesCancelledError,
)
from judgetool.session.whatifs.stored import (
    PREFIX,
    QuerySteps,
    WhatIf,
    find_whatif,
    find_whatif_named,
    load_query_steps,
    load_whatifs,
    touched_queries,
)

__all__ = [
    "ACTIONS",
    "DEFAULT_K",
    "MATCHES",
    "OWN_FIELDS",
    "PREFIX",
    "Missed",
    "QuerySteps",
    "Rule",
    "RuleMatches",
    "RulesCancelledError",
    "StepValue",
    "WhatIf",
    "WhatIfBook",
    "add_step",
    "annotate_whatif",
    "assume_grade",
    "block_of",
    "clear_query",
    "copy_whatif",
    "create_fused",
    "create_whatif",
    "delete_whatif",
    "drop_last_step",
    "engine_key_of",
    "engine_of",
    "find_missing",
    "find_whatif",
    "find_whatif_named",
    "free_name",
    "fuse_rrf",
    "load_query_steps",
    "load_whatifs",
    "order_by_grade",
    "order_by_run",
    "order_fused",
    "ranking_of",
    "ranking_of_system",
    "rename_whatif",
    "rule_work",
    "set_rules",
    "steps_table",
    "touched_queries",
    "whatif_book",
]


def ranking_of(session: Session, whatif_id: str, query: int) -> IntArray:
    """Return a what-if's ranking of a query, best first, int32.

    Raises:
        InputError: there is no such what-if, or its run is gone.
    """
    return whatif_book(session).ranking(whatif_id, query)


def block_of(session: Session, whatif_id: str) -> RunBlock:
    """Return all rankings of a what-if.

    Raises:
        InputError: there is no such what-if, or its run is gone.
    """
    return whatif_book(session).block(whatif_id)
