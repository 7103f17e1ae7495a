"""Works out what an import would do, against the present state of a project."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, TypeVar

import numpy as np

from judgetool.core.judgments import Document, Query
from judgetool.core.rankings import FloatArray
from judgetool.core.scale import Scale
from judgetool.formats import ClickRow, Kind, Question, Reading, RunTable
from judgetool.formats.records import note_number
from judgetool.session.commands import Check, unchecked
from judgetool.session.imports.judgments import JudgmentPlanner, KnownNumbers
from judgetool.session.imports.matching import (
    MAP_IDS,
    DocumentIds,
    QueryJoins,
    agreeing,
    apply_rule,
    distinct_ids,
    find_document_joins,
    is_ranked,
    join_question,
    map_question,
    match_documents,
    match_ids,
    named_ids,
    tell_lookalikes,
    tell_other_ids,
    tell_swapped,
    with_ids,
)
from judgetool.session.imports.plan import FileReport, ImportChoices, ImportPlan, TextConflict
from judgetool.session.jobs import has_content
from judgetool.session.material import WHATIF_PREFIX, numbered_name, present_runs
from judgetool.session.pool import ADDED_KEY
from judgetool.session.reading_aids import ImagePlaces
from judgetool.storage.connection import Connection
from judgetool.storage.ids import find_numbers
from judgetool.storage.material import (
    find_stored_image,
    load_clicks,
    load_document,
    load_queries,
    load_ranking,
    load_runs,
    load_text_steps,
)
from judgetool.storage.values import load_values
from judgetool.wording import N_, NN_, _, quoted

_PLAIN_WEIGHT = 1.0
_NAMES: dict[type, tuple[str, dict[str, str]]] = {
    Query: ("query", {n: n for n in ("weight", "text", "description", "narrative", "category")}),
    Document: ("document", {"title": "title", "url": "url", "body": "text", "image": "image"}),
}
"""What queries and documents are called, and their texts, by the names of their attributes."""
Text = TypeVar("Text", Query, Document)


def fill_in(mine: Text, theirs: Text, *, is_replacing: bool) -> tuple[Text, list[TextConflict]]:
    """Return a query or document as both sides know it, and where they differ.

    What is empty on a side says nothing. A query's text that only repeats the id says nothing
    beside another one, nor does the weight 1, which every query has of which nothing is said.

    Args:
        mine: of the project, or of a file before.
        theirs: of the file.
        is_replacing: whether the file's text counts where both have one.
    """
    if mine == theirs:
        return mine, []
    noun, names = _NAMES[type(mine)]
    conflicts: list[TextConflict] = []

    def one(name: str, here: str, there: str) -> str:
        if here and there and here != there:
            conflicts.append(TextConflict(noun, mine.id, name, here, there))
            return there if is_replacing else here
        return here or there

    changes: dict[str, Any] = {}
    for attribute, name in names.items():
        here, there = _said(mine, attribute), _said(theirs, attribute)
        if attribute == "text" and here and there:
            # An id in place of a text gives way to one.
            if there == theirs.id:
                there = ""
            elif here == mine.id:
                here = ""
        changes[attribute] = one(name, here, there)
    if "weight" in changes:
        changes["weight"] = float(changes["weight"] or _PLAIN_WEIGHT)
    both = dict.fromkeys([*mine.fields, *theirs.fields])
    changes["fields"] = {
        name: one(name, mine.fields.get(name, ""), theirs.fields.get(name, "")) for name in both
    }
    return replace(mine, **changes), conflicts


def _said(each: Query | Document, attribute: str) -> str:
    said = getattr(each, attribute)
    if attribute != "weight":
        return str(said)
    return "" if said == _PLAIN_WEIGHT else repr(said)


_CHUNK = 10_000
_NAMING = (Kind.RUN, Kind.JUDGMENTS, Kind.RESULTS)
"""Files that name queries and documents which others may describe."""
# Files that are about texts before those that only bring some along.
_ORDER = {Kind.QUERIES: 0, Kind.DOCUMENTS: 1}
_NO_RULE = {
    "query": N_(
        "The query ids were to be taken as those here, but how they differ from these was not found: "
        "they are kept as they are."
    ),
    "document": N_(
        "The document ids were to be taken as those here, but how they differ from these was not "
        "found: they are kept as they are."
    ),
}
_JOINED = NN_(
    "{n} id is read as the project’s, as was said of another file.",
    "{n} ids are read as the project’s, as was said of another file.",
)
_TEXTS = Question(
    "texts",
    N_("Some texts are not those that are here. Which stay?"),
    {"keep": N_("Those that are here; the file only fills in"), "replace": N_("The file’s")},
    "keep",
)


def runs_question(names: Sequence[str]) -> Question:
    """Return the question what becomes of runs whose names are here already."""
    which = ", ".join(map(quoted, names))
    here = _("Runs of these names are") if len(names) > 1 else _("A run of this name is")
    return Question(
        "runs",
        _("{here} here, with other results: {which}. Which stay?").format(here=here, which=which),
        {
            "keep": _("Both; the file’s get a number behind the name"),
            "replace": _("The file’s; what-ifs and a baseline go over to them, Undo takes it back"),
        },
        "keep",
    )


class Planner:
    """Works out one plan.

    Args:
        reader: a connection of the calling thread.
        scale: the project's scale.
        home: the project's folder.
        choices: what the person has decided.
        now: what time it is, milliseconds UTC.
        check: asked now and then; may raise to stop.
    """

    def __init__(
        self,
        reader: Connection,
        *,
        scale: Scale,
        home: Path,
        now: int,
        choices: ImportChoices | None = None,
        check: Check | None = None,
    ) -> None:
        self._reader = reader
        self._home = home
        self._images = ImagePlaces((), home)
        self._check = check or unchecked
        # Before anything of them is read.
        texts_seen = load_text_steps(reader)
        self._known_queries = {query.id: query for __, query in load_queries(reader)}
        self._project_queries = frozenset(self._known_queries)
        self._added = load_values(reader, prefix=ADDED_KEY)
        self._runs = present_runs(reader, load_runs(reader))
        whatifs = load_values(reader, prefix=WHATIF_PREFIX).values()
        # Of what-ifs alone, not of what they do to queries.
        self._whatif_names = {each["name"] for each in whatifs if "name" in each}
        self._run_names = {run.name for run in self._runs} | self._whatif_names
        self._queries: dict[str, Query] = {}
        self._query_joins = QueryJoins()
        self._joined: dict[str, dict[str, str]] = {"query": {}, "document": {}}
        self._described: dict[str, Document] = {}
        self._changed_documents: dict[str, None] = {}
        self._brought_queries: set[str] = set()
        self._clicks: dict[tuple[str, str], list[ClickRow]] = {}
        self._moved: set[str] = set()
        self._is_replacing = False
        self._plan = ImportPlan(texts_seen=texts_seen)
        self._choices = choices or ImportChoices()
        self._judgments = JudgmentPlanner(
            reader,
            self._plan,
            scale=scale,
            choices=self._choices,
            now=now,
            check=self._check,
        )

    def plan(self, readings: Sequence[Reading]) -> ImportPlan:
        """Return what importing these files together would do.

        Raises:
            InputError: a grade is mapped to one that the scale does not have.
        """
        self._images = ImagePlaces(readings, self._home)
        self._plan.image_folder = self._images.folder
        if sum(reading.judgments is not None for reading in readings) > 1:
            self._judgments.remember()
        # Texts first, whatever the order of the files: a run's bare query ids must not
        # hide the text that another file has for them.
        for reading in sorted(readings, key=lambda reading: _ORDER.get(reading.kind, len(_ORDER))):
            self._check()
            texts = self._choices.answered(reading.source, _TEXTS)
            self._is_replacing = texts.answer == "replace"
            report = FileReport(reading)
            report.notes += tell_lookalikes(reading, self._check)
            self._plan.files.append(report)
            self._take_ids(report, readings)
            if not report.is_waiting:
                self._plan_file(report)
            if report.text_conflicts:
                report.questions.append(texts)
        self._plan.queries = list(self._queries.values())
        self._plan.documents = [self._described[name] for name in self._changed_documents]
        places = {id(reading): place for place, reading in enumerate(readings)}
        self._plan.files.sort(key=lambda report: places[id(report.reading)])
        self._judgments.note_overruled()
        self._match()
        return self._plan

    def _plan_file(self, report: FileReport) -> None:
        self._plan_queries(report)
        self._plan_documents(report)
        self._plan_runs(report)
        self._plan_judgments(report)
        self._plan_pool(report.taken)
        self._plan_clicks(report)

    # Ids that stand for others

    def _take_ids(self, report: FileReport, readings: Sequence[Reading]) -> None:
        """Put the project's ids where a file has others, as far as a person said so."""
        for noun in ("query", "document"):
            pairs = self._choices.id_maps.get(noun, {})
            if pairs:
                named = self._all_named(report.taken, noun)
                self._rename(
                    report, noun, agreeing(pairs, named, is_strict=is_ranked(report.taken))
                )
            self._take_joined(report, noun)
        if report.reading.kind in _NAMING:
            beside = partial(self._known_queries_beside, report.reading, readings)
            self._map_ids(report, "query", beside)
            described = partial(DocumentIds, self._reader, self._described)
            self._map_ids(report, "document", described)
        joins = self._query_joins.find(report.taken, self._known_queries, self._check)
        self._join(report, "query", joins)
        self._join(
            report,
            "document",
            find_document_joins(self._reader, report.taken, self._described, self._check),
        )

    def _take_joined(self, report: FileReport, noun: str) -> None:
        """Take ids without a text as the answer to a file before has said what they are."""
        joined, taken = self._joined[noun], report.taken
        if joined:
            told = {each.id for each in taken.queries if each.text}
            if noun == "document":
                told = {each.id for each in taken.documents if each.has_text}
            named = named_ids(taken, noun, self._check)
            pairs = {name: joined[name] for name in named if name in joined and name not in told}
            ids = agreeing(pairs, named, is_strict=is_ranked(taken))
            self._rename(report, noun, ids)
            note_number(report.notes, len(ids), *_JOINED)

    def _all_named(self, reading: Reading, noun: str) -> Sequence[str]:
        own = reading.queries if noun == "query" else reading.documents
        texts = [each.id for each in own]
        return list(distinct_ids([texts, named_ids(reading, noun, self._check)], self._check))

    def _rename(
        self, report: FileReport, noun: str, ids: Mapping[str, str], *, without_texts: bool = False
    ) -> None:
        if ids:
            report.taken = with_ids(report.taken, noun, ids, without_texts=without_texts)
            # Two ids of one file may be one of the project.
            self._judgments.remember()

    def _map_ids(self, report: FileReport, noun: str, find: Callable[[], Set[str]]) -> None:
        """Take ids as the project writes them, where a person asked for it."""
        question = Question(MAP_IDS[noun], "", {"map": "", "keep": ""}, "keep")
        if self._choices.answered(report.reading.source, question).answer != "map":
            return
        known = find()
        named = named_ids(report.taken, noun, self._check)
        bare = _without_described(report.taken, noun, named)
        match = match_ids(noun, bare, known, check=self._check)
        if not known or match is None:
            return
        if match.rule is None:
            report.notes.append(_(_NO_RULE[noun]))
            return
        ids = apply_rule(match.rule, bare, known, self._check)
        self._rename(report, noun, agreeing(ids, named, is_strict=is_ranked(report.taken)))
        report.questions.append(map_question(match)._replace(answer="map"))

    def _join(self, report: FileReport, noun: str, ids: Mapping[str, str]) -> None:
        if not ids:
            return
        question = join_question(noun, ids, len(self._all_named(report.taken, noun)))
        question = self._choices.answered(report.reading.source, question)
        report.questions.append(question)
        if question.answer == "yes":
            # An id that the project has, too, means what it means there.
            known = self._known_queries if noun == "query" else {}
            self._joined[noun].update((name, ids[name]) for name in ids if name not in known)
            self._rename(report, noun, ids, without_texts=True)

    def _known_queries_beside(self, reading: Reading, readings: Sequence[Reading]) -> Set[str]:
        """Return the queries that a file's ids are compared with."""
        # A file's own queries are no evidence of what its other ids belong to.
        others = [each for each in readings if each is not reading]
        known = self._project_queries.union(*({q.id for q in each.queries} for each in others))
        # Files of one kind may each have their own part of the queries.
        named = [
            named_ids(each, "query", self._check)
            for each in others
            if each.kind is not reading.kind
        ]
        return known or frozenset(distinct_ids(named, self._check))

    def _parts(self, count: int) -> Iterator[slice]:
        for start in range(0, count, _CHUNK):
            self._check()
            yield slice(start, start + _CHUNK)

    def _numbers(self, table: str, ids: Sequence[str]) -> dict[str, int]:
        """Return the project's numbers of ids; in parts, to hold no other thread up."""
        found: dict[str, int] = {}
        for part in self._parts(len(ids)):
            found.update(find_numbers(self._reader, table, ids[part]))
        return found

    # Texts

    def _plan_queries(self, report: FileReport) -> None:
        is_about = report.reading.kind is Kind.QUERIES
        for theirs in report.taken.queries:
            mine = self._known_queries.get(theirs.id)
            filled = theirs
            if mine is not None:
                filled, conflicts = fill_in(mine, theirs, is_replacing=self._is_replacing)
                report.text_conflicts.add(*conflicts)
            is_changed, is_again = filled != mine, filled.id in self._brought_queries
            if is_changed:
                self._known_queries[filled.id] = self._queries[filled.id] = filled
                self._brought_queries.add(filled.id)
            report.count(
                is_new=filled.id not in self._project_queries,
                is_changed=is_changed,
                is_again=is_again,
                beside="" if is_about else "query",
            )

    def _plan_documents(self, report: FileReport) -> None:
        documents = report.taken.documents
        for part in self._parts(len(documents)):
            numbers = find_numbers(self._reader, "documents", [doc.id for doc in documents[part]])
            for document in documents[part]:
                self._plan_document(report, document, numbers.get(document.id))

    def _plan_document(self, report: FileReport, theirs: Document, number: int | None) -> None:
        is_about = report.reading.kind is Kind.DOCUMENTS
        theirs = self._images.placed(theirs, report.reading)
        mine = said = self._described.get(theirs.id)
        if mine is None and number is not None:
            mine = load_document(self._reader, number)
        filled = theirs
        if mine is not None:
            filled, conflicts = fill_in(mine, theirs, is_replacing=self._is_replacing)
            conflicts += self._keep_image(filled, theirs, number)
            report.text_conflicts.add(*conflicts)
        is_changed = filled != mine if mine is not None else is_about or has_content(theirs)
        is_changed = is_changed or filled.id in self._moved
        report.count(
            is_new=mine is None or not mine.has_text,
            is_changed=is_changed,
            is_again=filled.id in self._changed_documents,
            beside="" if is_about else "document",
        )
        report.n_repeated += is_about and said == theirs
        if is_changed:
            self._changed_documents[filled.id] = None
        self._described[filled.id] = filled

    def _keep_image(
        self, filled: Document, theirs: Document, number: int | None
    ) -> list[TextConflict]:
        """See to the folder of a document's picture, where project and file have one each."""
        if number is None or not filled.image or filled.id in self._moved:
            return []
        stored = find_stored_image(self._reader, number)
        if stored is None or not stored.path:
            return []
        is_moved = theirs.image == stored.path and stored.folder != self._images.folder
        if is_moved and (self._is_replacing or not self._images.is_there(stored)):
            self._moved.add(filled.id)
            return []
        if filled.image == stored.path:
            self._plan.kept_folders[number] = stored.folder
        if not is_moved:
            return []
        both = (f"{folder}/{stored.path}" for folder in (stored.folder, self._images.folder))
        return [TextConflict("document", filled.id, "image", *both)]

    # Runs

    def _plan_runs(self, report: FileReport) -> None:
        taken: list[str] = []
        question = self._choices.answered(report.reading.source, runs_question(()))
        for run in report.taken.runs:
            if not len(run.documents) and not len(run.query_ids):
                # Of an empty file nothing is kept, not even a run by its name.
                continue
            own_name = run.name or PurePath(report.reading.source).stem
            same = self._find_same(own_name, run)
            if same is not None:
                report.notes.append(
                    _("The run ‘{same}’ is here already, just so; it is left out.").format(
                        same=same
                    )
                )
                report.n_records += len(run.documents)
                continue
            name, here = numbered_name(own_name, self._run_names), self._find_replaceable(own_name)
            if here is not None:
                taken.append(own_name)
            if here is not None and question.answer == "replace":
                name = own_name
                self._plan.replaced[own_name] = here
                report.notes.append(
                    _("It replaces the run ‘{own_name}’ that is here.").format(own_name=own_name)
                )
            elif name != own_name:
                said = _("Another run ‘{own_name}’ exists already; this one is named ‘{name}’.")
                if here is None and own_name in self._whatif_names:
                    said = _("A what-if is called ‘{own_name}’; this run is named ‘{name}’.")
                report.notes.append(said.format(own_name=own_name, name=name))
            self._run_names.add(name)
            self._plan.runs.append((name, report.reading.source, run))
            self._add_bare_queries(run.query_ids)
            report.n_records += len(run.documents)
            report.n_new += len(run.documents)
        if taken:
            report.questions.append(runs_question(taken)._replace(answer=question.answer))

    def _find_replaceable(self, name: str) -> int | None:
        """Return the number of the project's run of this name, unless it is replaced already."""
        if name in self._plan.replaced:
            return None
        found = (run.run_id for run in self._runs if run.name == name)
        return next(found, None)

    def _find_same(self, name: str, run: RunTable) -> str | None:
        """Return the run of the project that has this name, or one made of it, and these results."""
        again = re.compile(rf"{re.escape(name)}( \([0-9]+\))?")
        for row in self._runs:
            if again.fullmatch(row.name) and row.n_results == len(run.documents):
                self._check()
                if self._has_results(row.run_id, run):
                    return row.name
        return None

    def _has_results(self, run_id: int, run: RunTable) -> bool:
        numbers = self._numbers("documents", run.document_ids)
        number_of = np.array([numbers.get(name, 0) for name in run.document_ids], dtype=np.int32)
        queries = self._numbers("queries", run.query_ids)
        for place, query_id in enumerate(run.query_ids):
            own = slice(run.offsets[place], run.offsets[place + 1])
            here = load_ranking(self._reader, run_id, queries.get(query_id, 0))
            is_same = np.array_equal(here.documents, number_of[run.documents[own]])
            scores = None if run.scores is None else run.scores[own]
            if not is_same or not _are_equal(here.scores, scores):
                return False
        return True

    def _add_bare_queries(self, query_ids: Sequence[str]) -> None:
        for query_id in query_ids:
            if query_id not in self._known_queries:
                query = Query(query_id)
                self._known_queries[query_id] = query
                self._queries[query_id] = query

    # Judgments

    def _plan_judgments(self, report: FileReport) -> None:
        table = report.taken.judgments
        if table is None:
            return
        query_ids = list(distinct_ids([table.query_ids], self._check))
        document_ids = list(distinct_ids([table.document_ids], self._check))
        numbers = KnownNumbers(
            self._numbers("queries", query_ids), self._numbers("documents", document_ids)
        )
        self._judgments.add(report, table, numbers)
        self._add_bare_queries(self._kept_ids(report, "query"))

    def _plan_pool(self, reading: Reading) -> None:
        """Add what a file says is to be judged to what is added to the pools already."""
        by_query: dict[str, list[str]] = {}
        for query_id, document_id in reading.pool:
            by_query.setdefault(query_id, []).append(document_id)
        for query_id, documents in by_query.items():
            key = ADDED_KEY + query_id
            known = self._plan.values.get(key) or self._added.get(key) or []
            after = list(dict.fromkeys([*known, *documents]))
            if after != known:
                self._plan.values[key] = after

    # Clicks

    def _plan_clicks(self, report: FileReport) -> None:
        """Take the counts of pairs of which the project does not say just the same."""
        theirs: dict[tuple[str, str], list[ClickRow]] = {}
        for row in report.taken.clicks:
            theirs.setdefault((row.query_id, row.document_id), []).append(row)
        if not theirs:
            return
        queries = self._numbers("queries", list(dict.fromkeys(query for query, __ in theirs)))
        documents = self._numbers("documents", list(dict.fromkeys(doc for __, doc in theirs)))
        mine: dict[tuple[int, int], set[tuple[int, ...]]] = {}
        for count in load_clicks(self._reader):
            mine.setdefault(count[:2], set()).add(count[2:])
        is_about = report.reading.kind is Kind.CLICKS
        for (query, document), rows in theirs.items():
            here = mine.get((queries.get(query, -1), documents.get(document, -1)))
            there = {(row.position, row.impressions, row.clicks) for row in rows}
            if is_about:
                report.count(is_new=here is None, is_changed=here != there)
            if here != there:
                self._clicks[query, document] = rows
        self._plan.clicks = [row for rows in self._clicks.values() for row in rows]
        self._add_bare_queries([query for query, __ in theirs])

    # Ids that match nothing

    def _kept_ids(self, report: FileReport, noun: str) -> Sequence[str]:
        """Return the ids that a file names, but for those of lines left out for their grade alone."""
        named, table = named_ids(report.taken, noun, self._check), report.taken.judgments
        if not report.off_scale or table is None:
            return named
        ids = table.query_ids if noun == "query" else table.document_ids
        pairs = list(zip(ids, table.grades, strict=True))
        kept = {name for name, grade in pairs if grade not in report.off_scale}
        left_out = {name for name, __ in pairs} - kept
        left_out.difference_update(*(getattr(run, f"{noun}_ids") for run in report.taken.runs))
        return [name for name in named if name not in left_out]

    def _match(self) -> None:
        taken = [report.taken for report in self._plan.files]
        for report in self._plan.files:
            if report.reading.kind is Kind.QUERIES and report.reading.columns:
                columns = (named_ids(each, "query", self._check) for each in taken)
                here = self._project_queries.union(distinct_ids(columns, self._check))
                report.notes += tell_other_ids(report.taken, here)
        reports = [
            report
            for report in self._plan.files
            if report.reading.kind in _NAMING and not report.is_waiting
        ]
        if not reports:
            return
        documents = match_documents(
            self._reader,
            self._described,
            [self._kept_ids(report, "document") for report in reports],
            are_parts=len({report.reading.kind for report in reports}) == 1,
            check=self._check,
        )
        for place, report in enumerate(reports):
            known = self._known_queries_beside(report.taken, taken)
            named = _without_described(report.taken, "query", self._kept_ids(report, "query"))
            match = match_ids("query", named, known, check=self._check)
            matches = [each for each in (match, documents[place]) if each is not None]
            if len(matches) > 1:
                described = DocumentIds(self._reader, self._described)
                matches = tell_swapped(matches, known, described)
            report.matches = tuple(matches)
            report.questions += [map_question(each) for each in report.matches if each.rule]


def _without_described(reading: Reading, noun: str, named: Sequence[str]) -> Sequence[str]:
    """Return ids without those of queries whose texts the file brings itself."""
    own = {query.id for query in reading.queries if query.text} if noun == "query" else set()
    return [name for name in named if name not in own] if own else named


def _are_equal(here: FloatArray | None, there: FloatArray | None) -> bool:
    if here is None or there is None:
        return here is there
    return bool(np.array_equal(here, there))
