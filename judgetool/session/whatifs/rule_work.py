"""The work of finding which documents boost rules are about, for another thread."""

from collections.abc import Callable, Sequence
from functools import partial

from judgetool.session.session import Session
from judgetool.session.whatifs.book import base_block, unique_documents, whatif_book
from judgetool.session.whatifs.rules import Rule, RuleMatches, match_documents
from judgetool.session.whatifs.stored import find_whatif
from judgetool.storage.material import iter_document_texts

Progress = Callable[[int, int], None]
IsCancelled = Callable[[], bool]


def rule_work(
    session: Session, whatif_id: str, rules: Sequence[Rule]
) -> Callable[[Progress | None, IsCancelled | None], RuleMatches]:
    """Return the work of reading the texts that rules look at; give its result to ``set_rules``.

    Call this on the session's thread, and the work ``work(progress, is_cancelled)`` on any.

    Args:
        session: the project.
        whatif_id: the what-if.
        rules: those that it is to have.

    Raises:
        InputError: the what-if or its run is no longer in the project.
    """
    head = find_whatif(session, whatif_id)
    if head is None:
        # The book says so in its own words.
        whatif_book(session).block(whatif_id)
        return lambda _progress, _is_cancelled: RuleMatches({})
    documents = unique_documents([base_block(session.material, head)])
    wanted = tuple(rules)

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> RuleMatches:
        with session.second_reader() as reader:
            return match_documents(
                wanted,
                documents,
                partial(iter_document_texts, reader),
                progress=progress,
                is_cancelled=is_cancelled,
            )

    return work
