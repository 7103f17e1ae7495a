"""The steps of a query with the value after each of them."""

from dataclasses import dataclass

from judgetool.core.rankings import IntArray
from judgetool.core.reordering import Replace, Step, apply
from judgetool.metrics import Measure
from judgetool.session.session import Session
from judgetool.session.whatifs.book import whatif_book
from judgetool.session.whatifs.orders import order_by_grade


@dataclass(frozen=True, slots=True)
class StepRow:
    """The value of one measure after a step.

    Attributes:
        step: what was done; ``None`` for the ranking before any step.
        value: after it; ``None`` where it is undefined.
        change: against the row before; ``None`` for the first.
        documents: the ranking after it.
    """

    step: Step | None
    value: float | None
    change: float | None
    documents: IntArray


def steps_table(session: Session, whatif_id: str, query: int, measure: Measure) -> list[StepRow]:
    """Return the ranking before any step, after each, and the best possible order last.

    Args:
        session: the project.
        whatif_id: the what-if.
        query: the query's number.
        measure: one of the chosen measures.

    Raises:
        ValueError: the measure is not among the chosen ones.
        InputError: there is no such what-if, or its run is gone.
    """
    book = whatif_book(session)
    key, engine = book.engine_key(whatif_id), session.board.engine
    column = engine.measures.index(measure)
    done = book.steps(whatif_id, query)
    start = book.start(whatif_id, query)
    orders: list[tuple[Step | None, IntArray]] = [(None, start)]
    orders += [
        (step, apply(start, done.steps[: place + 1])) for place, step in enumerate(done.steps)
    ]
    best = order_by_grade(session, query, orders[-1][1], assumed=dict(done.grades))
    ideal = Replace(best.order, "best possible order")
    orders.append((ideal, apply(orders[-1][1], (ideal,))))
    rows: list[StepRow] = []
    for step, documents in orders:
        value = engine.try_ranking(key, query, documents)[0][column]
        change = (value or 0.0) - (rows[-1].value or 0.0) if rows else None
        rows.append(StepRow(step, value, change, documents))
    return rows
