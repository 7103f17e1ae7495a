"""What the Agreement page says of a project, against plain counting; what it says of the runs, against the runs."""

import math
import random
from collections import Counter, defaultdict
from dataclasses import replace
from statistics import fmean

import pytest

from judgetool.core.judgments import VIEW_RULES, Query
from judgetool.metrics import AgreementData, Conventions, compute_agreement
from judgetool.session.board import Counting, SettledRow
from judgetool.session.commands import AskOf, Say, WriteAsks, set_conventions, set_measures
from judgetool.session.opening import open_project
from judgetool.session.systems import queries_where
from judgetool.session.team.agreement import (
    REPORTED_AGREEMENT,
    compute_effect,
    counting_assessors,
    set_counts,
)
from judgetool.session.team.disputes import disputes_work, fold_sayings
from judgetool.session.team.overview import (
    confusion_of,
    drift_of,
    overview_work,
    scope_rows,
)
from tests.helpers.builders import Parts, make_project
from tests.helpers.program import must

NAMES = ("anna", "ben", "cem", "dan")
KAPPA = "kappa(weights='linear')"


def make_judged(seed, *, n_queries=5, n_documents=8, share=0.6):
    """Judgments near a true grade, with gaps; dan is apart in one query alone."""
    draw = random.Random(seed)
    rows = []
    for query in range(n_queries):
        for document in range(n_documents):
            true = draw.randrange(4)
            for who in NAMES:
                if (who == "dan" and query) or draw.random() > share:
                    continue
                grade = min(3, max(0, true + draw.choice((-1, 0, 0, 1))))
                rows.append((f"q{query}", f"d{document}", who, float(grade)))
    return rows


def parts_of(rows, seed):
    draw = random.Random(seed)
    queries = sorted({row[0] for row in rows})
    documents = [f"d{n}" for n in range(10)]
    runs = {name: {q: draw.sample(documents, 7) for q in queries} for name in ("a", "b", "c")}
    return Parts([Query(each, each) for each in queries], (), runs, rows)


@pytest.fixture(params=[1, 2, 3])
def judged(request, tmp_path):
    """A project of four assessors and its judgments."""
    rows = make_judged(request.param)
    with make_project(tmp_path, parts_of(rows, request.param)) as session:
        yield session, rows


def look(session):
    return overview_work(session)(None, None)


def beside(rows, who, counting=NAMES):
    """Own grade and all grades of the others, of each document that others graded, by query."""
    others = defaultdict(list)
    for query, document, name, grade in rows:
        if name != who and name in counting:
            others[query, document].append(grade)
    found = defaultdict(list)
    for query, document, name, grade in rows:
        if name == who and others[query, document]:
            found[query].append((grade, others[query, document]))
    return found


def kappa_with(documents):
    """Schouten's κ of one with the others, linear weights, by its definition: each document weighs 1."""
    pairs = [(own, each, 1 / len(others)) for own, others in documents for each in others]
    n = len(documents)
    agreed = sum(w * (1 - abs(a - b) / 3) for a, b, w in pairs) / n
    chance = sum(w * (1 - abs(own - b) / 3) for own, _ in documents for _, b, w in pairs) / n**2
    return (agreed - chance) / (1 - chance)


def kappa_of(pairs):
    """Cohen's κ with linear weights, by its definition."""
    agreed = fmean(1 - abs(a - b) / 3 for a, b in pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    n = len(pairs) ** 2
    chance = sum(first[a] * second[b] * (1 - abs(a - b) / 3) / n for a in first for b in second)
    return (agreed - chance) / (1 - chance)


def assert_alike(rows, expected):
    assert [(row.scope, row.reason) for row in rows] == [(r.scope, r.reason) for r in expected]
    for row, other in zip(rows, expected, strict=True):
        for figure, wanted in zip(row[2:5], other[2:5], strict=True):
            assert figure == (None if wanted is None else pytest.approx(wanted)), row


def test_figures_are_those_of_agreement(judged):
    """The head says what ‘judgetool agreement’ says, over the documents that two graded."""
    session, rows = judged
    found = look(session)
    data = AgreementData.of_columns(*zip(*rows, strict=True), levels=session.scale.grades)
    expected = compute_agreement(data, REPORTED_AGREEMENT, errors="queries")
    assert_alike(found.figures, expected)
    times = Counter(row[:2] for row in rows)
    twice = [pair for pair, n in times.items() if n > 1]
    assert (found.n_documents, found.n_queries) == (len(twice), len({q for q, _ in twice}))


@pytest.mark.parametrize("who", NAMES)
def test_one_against_the_others(judged, who):
    """Counts of grades, κ with the others, and how much higher than their mean, by plain counting."""
    session, rows = judged
    facts = look(session).find(who)
    own = [row[3] for row in rows if row[2] == who]
    assert facts.n_judged == len(own)
    assert facts.n_graded == tuple(own.count(grade) for grade in session.scale.grades)
    documents = [each for some in beside(rows, who).values() for each in some]
    assert facts.others.value == pytest.approx(kappa_with(documents))
    apart = [own - fmean(others) for own, others in documents]
    assert facts.gives.value == pytest.approx(fmean(apart))
    assert facts.gives.n == len(documents)


@pytest.mark.parametrize("view", VIEW_RULES)
def test_one_against_the_others_is_the_same_in_every_view(judged, view):
    """What counts of several grades makes nobody strict: neither figure hangs on the view."""
    session, _ = judged
    usual = {each.name: each[5:10] for each in look(session).assessors}
    session.set_view(view)
    assert {each.name: each[5:10] for each in look(session).assessors} == usual


def test_who_grades_as_all_do_is_not_called_strict(tmp_path):
    """Three who take turns at being one lower than the rest: everybody gives as much as the others."""
    rows = [
        (f"q{n}", "d", who, 1.0 if place == n % 3 else 2.0)
        for n in range(9)
        for place, who in enumerate(("anna", "ben", "cem"))
    ]
    with make_project(tmp_path, parts_of(rows, 1)) as session:
        found = look(session).assessors
    assert [each.gives.value for each in found] == pytest.approx([0.0, 0.0, 0.0])
    assert [each.gives.sign for each in found] == [0, 0, 0]


def test_gives_has_the_interval_of_the_jackknife(judged):
    """Leaving out a query at a time, with Student's t."""
    session, rows = judged
    facts = look(session).find("ben")
    by_query = beside(rows, "ben")
    left = [
        fmean(a - fmean(b) for other in by_query if other != query for a, b in by_query[other])
        for query in by_query
    ]
    n = len(left)
    error = math.sqrt((n - 1) / n * sum((each - fmean(left)) ** 2 for each in left))
    student = {3: 4.302652729911275, 4: 3.182446305284263, 5: 2.7764451051977987}[n]
    assert facts.gives.low == pytest.approx(facts.gives.value - student * error)
    assert facts.gives.high == pytest.approx(facts.gives.value + student * error)
    expected = (facts.gives.low > 0) - (facts.gives.high < 0)
    assert facts.gives.sign == expected


def means_of(session):
    return {
        run.name: session.board.engine.means(run.run_id)[0].value for run in session.material.runs
    }


def leaders(means):
    names = sorted(means)
    return [
        math.copysign(1, round(means[a] - means[b], 12)) if round(means[a] - means[b], 12) else 0
        for place, a in enumerate(names)
        for b in names[place + 1 :]
    ]


@pytest.mark.parametrize("who", NAMES)
@pytest.mark.parametrize("view", ["latest", "median", "mean"])
def test_what_leaving_out_does_is_what_it_does(judged, who, view):
    """The change of a mean, and the pairs that turn, are those seen when one does not count."""
    session, _ = judged
    session.set_view(view)
    before, told = means_of(session), look(session).find(who).influence
    set_counts(session, {who: False})
    after = means_of(session)
    change = {run: after[run] - before[run] for run in before}
    assert told.change == pytest.approx(change[told.run])
    assert abs(told.change) == pytest.approx(max(map(abs, change.values())))
    pairs = list(zip(leaders(before), leaders(after), strict=True))
    turned = sum(a * b < 0 for a, b in pairs)
    assert (told.n_turned, told.is_same) == (turned, all(a == b for a, b in pairs))


@pytest.mark.parametrize("missing", ["judged", "both"])
def test_a_pair_of_which_one_run_has_no_mean_then_does_not_turn(tmp_path, missing):
    """Of three runs one found nothing in the query that is left: of the others P@1 is 1 and 0, as before."""
    runs = {"a": {"p": ["x"], "q": ["x"]}, "b": {"p": ["y"], "q": ["x"]}, "c": {"q": ["x"]}}
    rows = [("p", "x", "anna", 1.0), ("p", "y", "anna", 0.0), ("q", "x", "ben", 1.0)]
    with make_project(tmp_path, Parts(runs=runs, judgments=rows)) as session:
        session.execute(set_measures(("P@1",)))
        session.execute(set_conventions(Conventions(missing=missing)))
        before, told = means_of(session), look(session).find("ben").influence
        set_counts(session, {"ben": False})
        after, alone = means_of(session), look(session).find("anna").influence
    assert (before["a"], before["b"], after["a"], after["b"]) == (1, 1 / 2, 1, 0)
    # Where a query that the run lacks counts as 0, b and c, which had 1 ÷ 2 both, have 0 both.
    assert (before["c"], after["c"]) == ((1, None) if missing == "both" else (1 / 2, 0))
    assert told.n_turned == 0
    assert (alone.change, alone.n_turned, alone.has_mean) == (None, None, False)


def test_what_counting_again_does_is_what_it_does(judged):
    """Of one who does not count it says what counting them would change."""
    session, rows = judged
    set_counts(session, {"cem": False})
    before, found = means_of(session), look(session)
    told = found.find("cem")
    assert not told.counts
    by_query = beside(rows, "cem", ("anna", "ben", "dan"))
    documents = [each for some in by_query.values() for each in some]
    assert told.others.value == pytest.approx(kappa_with(documents))
    assert "cem" not in found.judged.names
    set_counts(session, {"cem": True})
    assert told.influence.change == pytest.approx(
        means_of(session)[told.influence.run] - before[told.influence.run]
    )


def test_order_is_as_sure_as_the_effect_says(judged):
    """Pairs of runs of which either may lead are those whose least and greatest difference say so."""
    session, _ = judged
    found = look(session).order
    measure = session.measures[0]
    rows = compute_effect(session, counting_assessors(session), [measure], scale=None)
    ends = [
        (round(row.least, 12), round(row.greatest, 12))
        for row in rows
        if row.scope.startswith("diff:")
    ]
    assert found.measure == str(measure)
    assert found.n_pairs == len(ends) == 3
    assert found.n_open == sum(not (low > 0 or high < 0) for low, high in ends)


def test_two_runs_of_the_same_rankings_are_certain(tmp_path):
    """They are equal whoever is believed: such a pair is none of which either may lead."""
    rows = make_judged(1)
    parts = parts_of(rows, 1)
    with make_project(tmp_path, parts) as session:
        alone = look(session).order
    runs = {**parts.runs, "same": parts.runs["a"]}
    with make_project(tmp_path, replace(parts, runs=runs), name="twice") as session:
        order = look(session).order
        rows = compute_effect(
            session, counting_assessors(session), session.measures[:1], scale=None
        )
    ends = {row.scope: (row.least, row.greatest) for row in rows if row.scope.startswith("diff:")}
    assert ends["diff:a|same"] == (0, 0)
    assert (alone.n_pairs, order.n_pairs) == (3, 6)
    of_a = [ends[f"diff:a|{name}"] for name in "bc"]
    assert order.n_open == alone.n_open + sum(not (low > 0 or high < 0) for low, high in of_a)


@pytest.mark.parametrize("view", ["latest", "majority", "median", "mean"])
def test_the_command_says_of_each_view_what_the_page_does(judged, view):
    """Change, turns and queries of who is left out, and how sure the order is: by the same view."""
    session, _ = judged
    session.set_view(view)
    found = look(session)
    printed = must(
        *("agreement", session.path, "--effect", "--view", view, "--format", "json"),
        *("-m", str(session.measures[0])),
    ).json
    assert printed["view"] == view
    values = {row["scope"]: row for row in printed["rows"]}
    for facts in found.assessors:
        told, without = facts.influence, f"without:{facts.name}"
        assert values[f"{without} run:{told.run}"]["value"] == pytest.approx(told.change)
        assert values[without]["value"] == told.n_turned
        assert values[f"run:{told.run} {without}"]["n_queries"] == told.n_queries
        assert values[f"run:{told.run}"]["n_queries"] == told.n_usual
    apart = [row for scope, row in values.items() if scope.startswith("diff:")]
    n_open = sum(not (row["least"] > 1e-12 or row["greatest"] < -1e-12) for row in apart)
    assert found.order.n_open == n_open


def test_confusion_counts_and_names_its_documents(judged):
    """Each cell has the documents to which the assessor and one of the others gave these grades."""
    session, rows = judged
    found = look(session)
    confusion = confusion_of(found, found.find("anna").number)
    documents = [each for some in beside(rows, "anna").values() for each in some]
    expected = Counter((own, each) for own, others in documents for each in {*others})
    for row, own in enumerate(confusion.levels):
        for column, others in enumerate(confusion.levels):
            assert confusion.counts[row, column] == expected[own, others]
            pairs = confusion.at(row, column)
            assert len(pairs) == expected[own, others]
            for query, document in pairs:
                said = session.opinions(query)[document]
                assert own in [each.judgment.grade for each in said if each.assessor == "anna"]


def test_scopes_are_those_of_agreement(judged):
    """By pair, query and level: the same rows."""
    session, rows = judged
    data = AgreementData.of_columns(*zip(*rows, strict=True), levels=session.scale.grades)
    found = look(session)
    for by in ("pair", "query", "level"):
        errors = None if by == "query" else "queries"
        expected = compute_agreement(data, REPORTED_AGREEMENT, by=by, errors=errors)
        told = scope_rows(found, by)
        assert_alike(told, expected)


def test_drift_goes_by_blocks_in_the_order_of_judging(tmp_path):
    """Blocks of 50 in the order in which they were judged; what is left over goes with the last."""
    random_grades = random.Random(4)
    # anna judges last things first: her order is not the project's.
    rows = []
    for number in range(130):
        place = SettledRow(number // 10, number, 0, 0.0, 0)
        theirs = float(random_grades.randrange(4))
        own = theirs if number < 65 else float(random_grades.randrange(4))
        rows.append(place._replace(assessor=1, grade=own, step=500 - number))
        rows.append(place._replace(assessor=2, grade=theirs, step=1))
    with make_project(tmp_path, Parts([Query("q", "q")])) as session:
        empty = look(session)
    sayings = fold_sayings(rows, VIEW_RULES["latest"], Counting())
    found = drift_of(empty._replace(sayings=sayings), 1)
    assert [block.last for block in found.blocks] == [50, 130]
    assert (found.size, found.is_even) == (50, True)
    said = [(a.grade, b.grade) for a, b in zip(rows[::2], rows[1::2], strict=True)][::-1]
    for block, part in zip(found.blocks, (said[:50], said[50:]), strict=True):
        assert block.row.value == pytest.approx(kappa_of(part))


@pytest.mark.parametrize(
    ("times", "ends"),
    [
        ([0] * 130, [130]),
        ([*[0] * 70, *range(1, 61)], [70, 130]),
        ([*range(30), *[30] * 100], [130]),
        ([number // 3 for number in range(130)], [51, 130]),
        (list(range(130)), [50, 130]),
    ],
    ids=[
        "no times",
        "an import, then by hand",
        "an import at the end",
        "three at once",
        "all apart",
    ],
)
def test_no_block_of_the_drift_ends_between_judgments_of_one_time(tmp_path, times, ends):
    """Nothing says which of those that an import without times brought was made first."""
    rows = [
        SettledRow(number // 10, number, who, float(number % (2 + who)), 1, at)
        for number, at in enumerate(times)
        for who in (1, 2)
    ]
    with make_project(tmp_path, Parts([Query("q", "q")])) as session:
        empty = look(session)
    sayings = fold_sayings(rows, VIEW_RULES["latest"], Counting())
    found = drift_of(empty._replace(sayings=sayings), 1)
    assert [block.last for block in found.blocks] == ends
    assert found.n_judgments == 130
    assert found.is_even == (ends[0] == 50)


def test_settled_is_no_opinion_and_tells_who_was_right():
    """What is settled counts, is nobody's other opinion, and stays when one is left out."""
    rows = [
        SettledRow(0, 1, 1, 3.0, 1),
        SettledRow(0, 1, 2, 0.0, 2),
        SettledRow(0, 1, 9, 2.0, 3),
        SettledRow(0, 2, 1, 1.0, 4),
        SettledRow(0, 2, 2, 2.0, 5),
    ]
    found = fold_sayings(rows, VIEW_RULES["latest"], Counting(final=frozenset({9})))
    assert found.view.tolist() == [2.0, 2.0]
    assert found.settled[0] == 2.0
    assert (found.voices[1].rows.tolist(), found.voices[1].others.tolist()) == ([0, 1], [0.0, 2.0])
    assert found.voices[2].changed.tolist() == [2.0, 1.0]
    assert found.voices[9].changed.tolist() == [0.0]


def pairs_of(session, who):
    return [row[:2] for row in session.iter_judgments() if row[2].assessor == who]


@pytest.mark.parametrize("who", ["anna", "ben"])
def test_known_answers_and_what_is_settled_stays_settled(tmp_path, who):
    """Who settled is no row; right is who said as it was settled; settled grades stay in the view."""
    rows = make_judged(3)
    with make_project(tmp_path, parts_of(rows, 3), assessor="lead") as session:
        settled = dict.fromkeys(pairs_of(session, who)[:6], 2.0)
        for pair, grade in settled.items():
            session.execute(Say.grade(*pair, grade)._replace(is_settling=True))
        ids = session.material.document_ids([document for _, document in settled])
        given = {(q, d): grade for q, d, name, grade in rows if name == who}
        found = look(session)
        facts = found.find(who)
        assert [each.name for each in found.assessors] == list(dict.fromkeys(r[2] for r in rows))
        named = [(session.material.queries[q].id, ids[d]) for q, d in settled]
        assert (facts.n_known, facts.n_right) == (6, sum(given[pair] == 2.0 for pair in named))
        before = means_of(session)
        set_counts(session, {who: False})
        told = facts.influence
        assert told.change == pytest.approx(means_of(session)[told.run] - before[told.run])


def test_disputed_are_the_disputes(judged):
    """As many as there are to settle."""
    session, _ = judged
    with session.second_reader() as reader:
        disputes = disputes_work(session)(reader, None)
    assert look(session).n_disputed == len(disputes) > 0


def test_itself_is_of_what_was_asked_again(tmp_path):
    """κ of the first and second judgment of a person, and of how many documents."""
    rows = [row for row in make_judged(1) if row[2] != "anna"]
    with make_project(tmp_path, parts_of(rows, 1), assessor="lead") as session:
        path, pairs = session.path, pairs_of(session, "ben")[:8]
        asks = [AskOf(*pair, "anna", again) for pair in pairs for again in (False, True)]
        session.execute(WriteAsks(tuple(asks), "Ask"))
    draw = random.Random(2)
    first, second = ([float(draw.randrange(4)) for _ in pairs] for _ in range(2))
    with open_project(path, assessor="anna") as session:
        for grades in (first, second):
            for pair, grade in zip(pairs, grades, strict=True):
                session.execute(Say.grade(*pair, grade))
    with open_project(path, assessor="lead") as session:
        facts = look(session).find("anna")
        assert "again" not in " ".join(each.name for each in look(session).assessors)
    assert facts.n_judged == facts.n_again == 8
    assert facts.itself.value == pytest.approx(kappa_of(list(zip(first, second, strict=True))))


def test_second_judgments_are_nobodys_opinion():
    """They are left out of every fold, and set beside the person's first ones."""
    rows = [
        SettledRow(0, 1, 1, 3.0, 1),
        SettledRow(0, 1, 2, 1.0, 2),
        SettledRow(0, 1, 7, 0.0, 9),
        SettledRow(0, 2, 1, 2.0, 3),
        SettledRow(0, 2, 7, 2.0, 9),
        SettledRow(0, 3, 7, 2.0, 9),
    ]
    found = fold_sayings(rows, VIEW_RULES["latest"], Counting(left_out=frozenset({7})), [7])
    assert found.voices[2].others.tolist() == [3.0]
    assert found.view[:2].tolist() == [1.0, 2.0]
    twice = found.between(1, 7, (0.0, 1.0, 2.0, 3.0))
    assert twice.levels[twice.grades].reshape(-1, 2).tolist() == [[3.0, 0.0], [2.0, 2.0]]


def test_one_assessor_alone(tmp_path):
    """There are no figures, no order, and nothing against anybody; what was judged is told."""
    rows = [("q0", f"d{n}", "anna", 1.0) for n in range(3)]
    with make_project(tmp_path, parts_of(rows, 1)) as session:
        found = look(session)
    assert {row.value for row in found.figures} == {None}
    assert (found.n_documents, found.order, found.n_disputed) == (0, None, 0)
    facts = found.find("anna")
    assert (facts.n_judged, facts.n_graded) == (3, (0, 3, 0, 0))
    assert (facts.others.value, facts.gives.value) == (None, None)
    assert drift_of(found, facts.number).blocks == ()
    assert confusion_of(found, facts.number).counts.sum() == 0


def test_of_some_queries_it_is_what_a_project_of_these_alone_says(tmp_path):
    """Figures, rows of people, order of runs and what leaving somebody out does; disputes stay those of all."""
    rows = make_judged(7, n_queries=8)
    kinds = {f"q{n}": "soups" if n % 2 else "bread" for n in range(8)}
    parts = parts_of(rows, 7)
    parts = replace(parts, queries=[Query(q, q, category=kinds[q]) for q in sorted(kinds)])
    soups = [each for each in parts.queries if each.category == "soups"]
    ids = {each.id for each in soups}
    runs = {name: {q: run[q] for q in ids} for name, run in parts.runs.items()}
    few = Parts(soups, (), runs, [row for row in rows if row[0] in ids])
    with make_project(tmp_path, parts, name="all") as session:
        found = overview_work(session, "category:soups")(None, None)
        assert found.n_disputed == look(session).n_disputed
        names = counting_assessors(session)
        among = queries_where(session, "category:soups")
        effect = compute_effect(session, names, session.measures[:1], scale=None, among=among)
    with make_project(tmp_path, few, name="few") as session:
        alone = look(session)
        names = counting_assessors(session)
        expected = compute_effect(session, names, session.measures[:1], scale=None)
    assert_alike(found.figures, alone.figures)
    assert found.order == alone.order
    people = {each.name: each for each in alone.assessors}
    for each in found.assessors:
        if each.name != "dan":
            other = people[each.name]
            assert each.influence == other.influence._replace(
                change=pytest.approx(other.influence.change)
            )
            assert each[3:6] == other[3:6]
            assert each.others.value == pytest.approx(other.others.value)
            assert each.gives.value == pytest.approx(other.gives.value)
    figures = {row.scope: row[2:5] for row in effect if row.scope != "orders"}
    wanted = {row.scope: row[2:5] for row in expected if row.scope != "orders"}
    assert figures.keys() == wanted.keys()
    for scope, found_there in figures.items():
        for figure, other in zip(found_there, wanted[scope], strict=True):
            assert figure == (None if other is None else pytest.approx(other)), scope
