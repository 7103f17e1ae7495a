"""Looking by arrays finds what looking at each document does; so do queues and pools."""

import random

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.core.judgments import Document, Query, Span
from judgetool.session.commands import (
    Say,
)
from judgetool.session.finding import (
    FILTER_KINDS,
    Filter,
    QuerySearch,
    count_quick,
    matching_documents,
    needs_value,
)
from judgetool.session.pool import PoolPolicy, set_pool
from judgetool.session.queue import (
    OrderPolicy,
    find_next_pair,
    fixed_queue,
    freeze_unjudged,
    make_random_key,
    order_documents,
    prepare_queue,
    preview_pool,
    set_order,
)
from tests.helpers.builders import Parts, make_project, query_documents
from tests.helpers.laws import examples

N_QUERIES, N_DOCUMENTS = 14, 30
VALUES = {
    "grade": st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0]),
    "run": st.sampled_from(["alpha", "beta", "gamma", "nothing"]),
    "rank": st.tuples(st.integers(1, 4), st.integers(4, 12)),
    "text": st.sampled_from(["soup", "number 3", "nowhere"]),
    "by": st.sampled_from(["anna", "ben", "cleo", "nobody"]),
    "asked": st.sampled_from(["me", "anna", "nobody"]),
    "differs_from": st.sampled_from(["anna", "ben", "cleo", "nobody"]),
    "changed_since": st.sampled_from([0, 2_000_000_000_000, 4_000_000_000_000]),
    "confidence": st.sampled_from([1, 2, 3]),
    "category": st.sampled_from(["even", "Odd", "neither"]),
    "field": st.sampled_from(["lang=ar", "lang=YO", "lang=", "lang=fr", "nosuch=", "category=odd"]),
}


@st.composite
def any_chip(draw):
    """A chip with a value that may be met."""
    kind = draw(st.sampled_from(FILTER_KINDS))
    return Filter(kind, draw(VALUES[kind])) if needs_value(kind) else Filter(kind)


def make_parts(chance):
    """Three runs over fourteen queries, some empty; two further assessors."""
    names = [f"d{number:02}" for number in range(N_DOCUMENTS)]
    queries = [
        Query(
            f"q{number}",
            f"soup number {number}",
            category=("even", "odd")[number % 2],
            fields={"lang": ("ar", "yo")[number // 2 % 2]} if number % 5 else {},
        )
        for number in range(N_QUERIES)
    ]
    runs = {
        name: {
            query.id: chance.sample(names, chance.choice([0, 2, 5, 12])) for query in queries[:12]
        }
        for name in ("alpha", "beta", "gamma")
    }
    runs["gamma"] = {"q3": names[:4]}
    judged = {
        (
            chance.choice(queries).id,
            chance.choice([*names, "x1", "x2"]),
            chance.choice(["ben", "cleo"]),
        )
        for _ in range(70)
    }
    documents = [Document(name, f"Title {name}") for name in names[:20]]
    judgments = [(*key, float(chance.randrange(4))) for key in sorted(judged)]
    return Parts(queries, documents, runs, judgments)


def say_things(session, chance):
    """Say something of every kind, of documents in runs and elsewhere, at two times."""
    numbers = [*range(1, N_DOCUMENTS + 3)]
    kinds = [
        lambda q, d: Say.grade(q, d, chance.randrange(4)),
        lambda q, d: Say.flag(q, d, flagged=True),
        lambda q, d: Say.note(q, d, "odd"),
        Say.skip,
        Say.cannot_judge,
        lambda q, d: Say.confidence(q, d, chance.choice([1, 2, 3])),
        lambda q, d: Say.spans(q, d, (Span("title", 0, 5, "Title"),)),
    ]
    for number in range(80):
        at = 3_000_000_000_000 if number < 40 else 5_000_000_000_000
        session.clock = lambda at=at: at
        make = chance.choice(kinds)
        session.execute(make(chance.randrange(N_QUERIES), chance.choice(numbers)))
    # One query with nothing left.
    for document in query_documents(session, 3).tolist():
        session.execute(Say.grade(3, document, 1))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    chance = random.Random(11)
    with make_project(tmp_path_factory.mktemp("search"), make_parts(chance)) as session:
        say_things(session, chance)
        yield session


def said_plainly(said, chip):
    """Return whether what one assessor says meets a chip."""
    judgment, value = said.judgment, chip.value
    return {
        "flagged": judgment.flagged,
        "noted": bool(judgment.note),
        "cannot_judge": judgment.state == "cannot_judge",
        "skipped": judgment.state == "skipped",
        "has_rationale": bool(judgment.spans),
        "confidence": judgment.confidence == value,
        "changed_since": chip.kind == "changed_since" and said.at >= value,
        "grade": judgment.grade == value,
        "judged": judgment.state == "judged",
        "by": said.assessor == value,
    }[chip.kind]


def ranked_plainly(session, query, document, chip, chips):
    """Return whether a run has a document of a query, within the ranks of a chip."""
    named = next((each.value for each in chips if each.kind == "run"), None)
    name = chip.value if chip.kind == "run" else named
    low, high = chip.value if chip.kind == "rank" else (1, None)
    ranked = [
        session.material.ranked_documents(run.run_id, query).tolist()[low - 1 : high]
        for run in session.material.runs
        if name in (None, run.name)
    ]
    return any(document in documents for documents in ranked)


def met_plainly(session, query, document, chip, chips):
    """Return whether a document of a query meets a chip that is not on single judgments."""
    said = {
        each.assessor: each.judgment.grade for each in session.opinions(query).get(document, ())
    }
    settled = session.board.settled(query).get(document)
    if chip.kind == "differs_from":
        said = {name: said.get(name) for name in (session.assessor, chip.value)}
    return {
        "unjudged": lambda: settled is None,
        "judged": lambda: settled is not None and settled.grade is not None,
        "grade": lambda: settled is not None and settled.grade == chip.value,
        "disputed": lambda: len({*said.values()} - {None}) > 1,
        "conflict": lambda: False,
        "differs_from": lambda: len({*said.values()} - {None}) > 1,
        "asked": lambda: False,
        "no_text": lambda: not session.material.document(document).has_text,
        "run": lambda: ranked_plainly(session, query, document, chip, chips),
        "rank": lambda: ranked_plainly(session, query, document, chip, chips),
    }[chip.kind]()


def let_through_plainly(session, query, document, filters):
    """Return whether every chip lets a document of a query through, one thing at a time."""
    mine = Filter("by", session.assessor)
    chips = [mine if chip.kind == "mine" else chip for chip in filters]
    is_of_one = any(chip.kind == "by" for chip in chips)
    kinds = {"flagged", "noted", "cannot_judge", "skipped", "has_rationale"}
    kinds |= {"confidence", "changed_since", "by", *(("grade", "judged") if is_of_one else ())}
    on_said = [chip for chip in chips if chip.kind in kinds]
    said = session.opinions(query).get(document, ())
    if is_of_one:
        is_said = any(all(said_plainly(each, chip) for chip in on_said) for each in said)
    else:
        is_said = all(any(said_plainly(each, chip) for each in said) for chip in on_said)
    rest = [chip for chip in chips if chip.kind not in kinds]
    return is_said and all(met_plainly(session, query, document, chip, chips) for chip in rest)


def fields_plainly(filters):
    """Return which contents are let through, in small letters, by the name of the field."""
    fields = {}
    for chip in filters:
        if chip.kind in ("category", "field"):
            text = f"category={chip.value}" if chip.kind == "category" else chip.value
            name, _, content = text.partition("=")
            fields.setdefault(name, set()).add(content.lower())
    return fields


def plainly(session, filters):
    """Return the queries that match by asking each of their documents."""
    of_query = [chip for chip in filters if chip.kind == "text"]
    fields = fields_plainly(filters)
    rest = [chip for chip in filters if chip.kind not in ("text", "category", "field")]
    said = {chip.kind for chip in rest} - {"unjudged", "run", "rank", "no_text"}
    found = []
    for number, query in enumerate(session.material.queries):
        words = f"{query.id} {query.text}"
        has = {"category": query.category, **query.fields}
        is_met = all(all(word in words for word in chip.value.split()) for chip in of_query)
        is_met = is_met and all(has.get(name, "") in contents for name, contents in fields.items())
        documents = set(query_documents(session, number).tolist())
        if said:
            documents |= set(session.opinions(number))
        plain = [
            each for each in sorted(documents) if let_through_plainly(session, number, each, rest)
        ]
        assert matching_documents(session, number, sorted(documents), rest) == plain
        if is_met and (not rest or plain):
            found.append(number)
    return found


@given(st.lists(any_chip(), max_size=4))
@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_search_over_all_finds_what_each_document_says(project, filters):
    """Any chips together: the arrays and SQL find the queries that the documents make match."""
    assert QuerySearch(project, filters).find_here() == plainly(project, filters)


@given(st.lists(any_chip(), max_size=3), st.integers(1, 60))
@settings(max_examples=examples(100))
def test_search_in_small_parts_finds_the_same(project, filters, at_once):
    """However few results are held at a time, the same queries are found."""
    search = QuerySearch(project, filters)
    assert search.find(project.reader, at_once=at_once) == plainly(project, filters)


@pytest.mark.parametrize("kind", [kind for kind in FILTER_KINDS if not needs_value(kind)])
def test_search_on_another_connection_finds_the_same(project, kind):
    """A search made on the session's thread is good with a second reader."""
    search = QuerySearch(project, [Filter(kind)])
    assert search.find_beside() == plainly(project, [Filter(kind)])


def test_search_stops_when_it_is_told_to(project):
    """What the check raises comes out."""

    def check():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        QuerySearch(project, [Filter("no_text")]).find(project.reader, check)


def test_quick_counts_are_the_counts(project):
    """What is counted while a window waits is what is counted otherwise."""
    for kind in (kind for kind in FILTER_KINDS if not needs_value(kind)):
        chips = [Filter(kind)]
        assert count_quick(project, chips) == len(QuerySearch(project, chips).find_here())


def test_quick_counts_are_of_all_chips_together(project):
    """One document has to meet them all, as in the list."""
    chips = [Filter("judged"), Filter("flagged")]
    assert count_quick(project, chips) == len(QuerySearch(project, chips).find_here())


def test_search_follows_judgments(tmp_path):
    """What is kept of the settled pairs is given up with each judgment."""
    parts = Parts([Query("q", "soup")], runs={"alpha": {"q": ["d1", "d2"]}})
    with make_project(tmp_path, parts) as session:
        found = []
        for document in (1, 2):
            found.append(QuerySearch(session, [Filter("unjudged")]).find_here())
            session.execute(Say.grade(0, document, 1))
        found.append(QuerySearch(session, [Filter("unjudged")]).find_here())
        session.undo()
        found.append(QuerySearch(session, [Filter("unjudged")]).find_here())
        assert found == [[0], [0], [], [0]]


@pytest.mark.parametrize("kind", ["rank", "id", "interleaved"])
def test_queue_over_all_takes_each_querys_queue_in_turn(project, kind):
    """Built at once, the queue is that of the single queries, one document of each in turn."""
    policy = OrderPolicy(kind, 1, across_queries=True)
    rows = [
        (place, query, document)
        for query in range(N_QUERIES)
        for place, document in enumerate(order_documents(project, query, policy).tolist())
    ]
    plain = [(query, document) for _, query, document in sorted(rows)]
    assert list(fixed_queue(project, policy).iter_from(0)) == plain


@pytest.mark.parametrize("kind", ["id", "random"])
def test_queue_of_a_query_is_sorted_by_its_keys(project, kind):
    """By id, or by the random key of each document."""
    ids = project.material.document_ids()
    for number, query in enumerate(project.material.queries):
        key = make_random_key(5, project.assessor, query.id) if kind == "random" else str
        plain = sorted(
            project.board.pool(number).tolist(), key=lambda each, key=key: key(ids[each])
        )
        assert order_documents(project, number, OrderPolicy(kind, 5)).tolist() == plain


def test_random_queue_over_all_is_sorted_by_its_keys(project):
    """Built at once, pairs stand in the order of their random keys."""
    policy = OrderPolicy("random", 5, across_queries=True)
    ids = project.material.document_ids()

    def key(pair):
        name = project.material.queries[pair[0]].id
        return make_random_key(5, project.assessor, name)(ids[pair[1]])

    queries, documents = project.board.whole_pool.pairs()
    pairs = zip(queries.tolist(), documents.tolist(), strict=True)
    assert list(fixed_queue(project, policy).iter_from(0)) == sorted(pairs, key=key)


@pytest.mark.parametrize("depth", [1, 5, 100])
def test_frozen_pool_has_what_is_unjudged(project, depth):
    """The pairs that a pool of the unjudged fixes are those of the top that nobody settled."""
    project.execute(set_pool(PoolPolicy("depth", depth, ("alpha", "beta"))))
    ids, queries = project.material.document_ids(), project.material.queries
    plain = {
        queries[query].id: tuple(ids[document] for document in open_documents)
        for query in range(N_QUERIES)
        for settled in (project.board.settled(query),)
        for open_documents in (
            [each for each in project.board.pool(query).tolist() if each not in settled],
        )
        if open_documents
    }
    project.undo()
    policy = PoolPolicy("unjudged", depth, ("alpha", "beta"))
    assert freeze_unjudged(project, policy).pairs == plain
    n_open = sum(map(len, plain.values()))
    assert preview_pool(project, policy) == (n_open, n_open)


def test_queue_prepared_beside_is_used(tmp_path):
    """What was built with another connection is the queue, until the pool is another."""
    chance = random.Random(3)
    with make_project(tmp_path, make_parts(chance)) as session:
        policy = OrderPolicy("random", 1, across_queries=True)
        session.execute(set_order(policy))
        pending = prepare_queue(session)
        queue = pending.build()
        assert pending.keep(queue)
        assert fixed_queue(session) is queue
        assert prepare_queue(session) is None
        first = next(
            pair for pair in queue.iter_from(0) if pair[1] not in session.board.settled(pair[0])
        )
        assert find_next_pair(session, None) == first
        session.execute(set_pool(PoolPolicy("depth", 1)))
        assert not pending.keep(queue)
        assert len(fixed_queue(session)) == len(session.board.whole_pool.pairs()[0])
