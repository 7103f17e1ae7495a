"""By which names a table's columns and a JSON object's fields are known."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from judgetool.errors import UsageError
from judgetool.formats.values import ColumnUse, Kind, Wishes
from judgetool.wording import _

FIELD = "field"
IGNORE = "ignore"
_LONGEST_NAME = 60
GRADES_OF_ASSESSOR = "grades_of_assessor"
"""The role of a column that holds one assessor's grades; its header names the assessor."""


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


QUERY_ID = _names(
    "query_id qid topic_id topicid queryid question_id query_number query_no topic_number "
    "topic_no id _id number topic"
)
QUERY_TEXT = _names(
    "text query query_text querytext query_txt query_string user_query search_query "
    "search_term search_terms searchterm search_phrase search_keyword top_queries queries "
    "title question keyword keywords key_phrase keyphrase phrase term content"
)
QUERY_KEY = _names(
    "query_id qid topic_id topicid queryid query_number query_no topic_number topic_no "
    "question_id topic"
)
QUERY_KEY_TEXT = _names(
    "query_text query querytext query_txt query_string user_query search_query "
    "search_term search_terms searchterm search_phrase search_keyword question keyword "
    "phrase term"
)
WEIGHT = _names(
    "weight count counts frequency freq query_count query_frequency impressions searches "
    "search_count search_volume volume occurrences"
)
DOCUMENT_ID = _names(
    "doc_id document_id documentid corpus_id docno doc_no pid passage_id passageid docid "
    "document doc product_id item_id sku asin object_id objectid article_id cord_uid id "
    "_id product item url uri link"
)
BEIR_DOCUMENT_ID = ("corpus_id",)
OWN_DOCUMENT_ID = _names(
    "id _id doc_id document_id documentid docno doc_no pid passage_id passageid docid "
    "product_id item_id sku asin object_id objectid article_id cord_uid doc url uri link"
)
TITLE = _names(
    "title product_title product_name document_title doc_title page_title item_title headline name"
)
URL = _names("url link uri")
BODY = _names(
    "text body description content contents passage snippet segment product_description "
    "document_text doc_text passage_text abstract desc"
)
_IMAGE = _names(
    "image image_path image_file image_url img picture photo thumbnail product_image image_link"
)
RANK = _names("rank position doc_position rank_position pos")
SCORE = _names("score _score similarity")
RUN = _names("run system run_name run_id runid system_name engine snapshot_name")
GRADE = _names(
    "grade rating judgment judgement relevance label esci_label rel relevant is_relevant "
    "relevancy relevance_grade relevance_label relevance_judgment rel_grade human_label "
    "gain choice"
)
CLICKS = _names("clicks n_clicks num_clicks click_count")
IMPRESSIONS = _names("impressions n_impressions num_impressions impression_count")
NOTE = _names("note comment explanation")
UNRATEABLE = ("unrateable",)

WEAK_NAMES = frozenset(
    _names(
        "topic keyword keywords term phrase question number item product url uri link name "
        "doc content volume"
    )
)
"""Names that other tables have, too: alone they do not tell what a table is about."""

# What is written beside grades by tools and is nobody's grade, though it is a number; or may be a
# system's score as well as a grade, but no assessor's name.
_NO_GRADES = frozenset(
    _names("index row page price length year version n votes relevance_score relevancy_score")
)
_NO_GRADE_ENDS = _names("_id _time _at _ms _count _date _index _number _length")

# Quepid's columns about the place a row came from: no part of a document or judgment.
_IGNORED = frozenset({"team_name", "case_name", "case_id", "snapshot_time"})

_QUERY_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_ID,
    "query_text": QUERY_TEXT,
    "description": _names("description information_need desc question"),
    "narrative": ("narrative", "background"),
    "weight": WEIGHT,
    "category": ("category", "query_class"),
}
_DOCUMENT_ROLES: Mapping[str, tuple[str, ...]] = {
    "document_id": OWN_DOCUMENT_ID,
    "title": TITLE,
    "url": URL,
    "body": BODY,
    "image": _IMAGE,
}
_RESULT_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_KEY,
    "query_text": QUERY_KEY_TEXT,
    "need": _names("information_need query_description query_desc"),
    "document_id": DOCUMENT_ID,
    "rank": RANK,
    "score": SCORE,
    "run": RUN,
    "grade": GRADE,
    "clicks": CLICKS,
    "impressions": IMPRESSIONS,
    "title": TITLE,
    "url": URL,
    "body": _names(
        "snippet text body content contents passage segment description product_description "
        "document_text doc_text passage_text abstract"
    ),
    "image": _IMAGE,
}
_CLICK_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_KEY,
    "query_text": QUERY_KEY_TEXT,
    "document_id": (*DOCUMENT_ID, *URL, "page"),
    "rank": RANK,
    "clicks": CLICKS,
    "impressions": IMPRESSIONS,
}
_JUDGMENT_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_KEY,
    "query_text": QUERY_KEY_TEXT,
    "document_id": DOCUMENT_ID,
    "grade": GRADE,
    "assessor": _names(
        "assessor judge rater annotator user_email annotator_id assessor_id judge_id rater_id "
        "worker_id worker labeler completed_by "
        "judged_by rated_by assessed_by annotated_by labeled_by labelled_by"
    ),
    "note": NOTE,
    "state": ("state", "flag"),
    "at": _names("at judged_at time timestamp"),
    "flagged": ("flagged",),
    "spent_ms": ("spent_ms",),
    "confidence": ("confidence",),
    "rationale": ("rationale",),
    "assessor_kind": ("assessor_kind",),
    "unrateable": UNRATEABLE,
    "judge_later": ("judge_later",),
}

# By which names a column may be known, the likeliest first, for each role of a kind.
_NAMES: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    Kind.QUERIES: _QUERY_ROLES,
    Kind.DOCUMENTS: _DOCUMENT_ROLES,
    Kind.RUN: _RESULT_ROLES,
    Kind.RESULTS: _RESULT_ROLES,
    Kind.JUDGMENTS: _JUDGMENT_ROLES,
    Kind.CLICKS: _CLICK_ROLES,
}

ALL_NAMES = frozenset(
    alias for roles in _NAMES.values() for aliases in roles.values() for alias in aliases
)
"""Every name by which some column of some kind of file is known."""

# Besides these; where there are no fields, other columns are left out.
_FURTHER: Mapping[Kind, tuple[str, ...]] = {
    Kind.JUDGMENTS: (GRADES_OF_ASSESSOR,),
    Kind.CLICKS: (),
}
ROLES: Mapping[Kind, tuple[str, ...]] = {
    kind: (*roles, *_FURTHER.get(kind, (FIELD,)), IGNORE) for kind, roles in _NAMES.items()
}
"""The roles that a column may have, for each kind of file."""


# Names of columns in other languages, by the English name that says the same; written without
# what parts words. In French, Spanish and Italian few and sure ones.
_TRANSLATIONS: Mapping[str, tuple[str, ...]] = {
    "id": _names("kennung ид идентификатор identifiant identificador"),
    "number": _names("nummer номер"),
    "query_id": _names("anfrageid suchanfrageid anfragennummer anfragenr idзапроса идзапроса")
    + _names("номерзапроса"),
    "query": _names("anfrage suchanfrage запрос requête requete consulta"),
    "search_term": _names("suchbegriff suchtext suchwort"),
    "query_text": _names("anfragetext textderanfrage текстзапроса"),
    "queries": _names("anfragen suchanfragen suchbegriffe запросы"),
    "document": _names("dokument документ documento"),
    "document_id": _names("dokumentid dokumentnummer dokumentnr idдокумента иддокумента")
    + _names("номердокумента"),
    "product": _names("produkt artikel товар produit producto prodotto"),
    "product_id": _names(
        "produktid produktnummer produktnr кодтовара номертовара idтовара идтовара"
    ),
    "article_id": _names("artikelid artikelnummer artikelnr artnr"),
    "sku": ("артикул",),
    "title": _names("titel überschrift заголовок название titre título titulo titolo"),
    "product_name": _names("produktname produkttitel artikelname названиетовара"),
    "description": _names("beschreibung описание"),
    "narrative": _names("erläuterung пояснение"),
    "product_description": _names("produktbeschreibung artikelbeschreibung описаниетовара"),
    "content": _names("inhalt содержание"),
    "text": _names("текст texte texto testo"),
    "url": _names("adresse webadresse адрес ссылка"),
    "image": _names("bild картинка изображение"),
    "rank": _names("rang platz ранг место rango"),
    "position": _names("позиция posición posicion posizione"),
    "score": _names("punktzahl punkte trefferwert балл баллы"),
    "grade": _names("grad оценка"),
    "rating": ("bewertung",),
    "judgment": _names("urteil beurteilung суждение"),
    "relevance": _names("relevanz релевантность pertinence relevancia rilevanza"),
    "assessor": _names("juror jurorin bewerter bewerterin gutachter gutachterin prüfer prüferin")
    + _names("assessorin асессор оценщик эксперт")
    + _names("juge évaluateur évaluatrice evaluador evaluadora juez giudice"),
    "note": _names("notiz bemerkung anmerkung kommentar заметка примечание комментарий")
    + _names("nota remarque commentaire comentario commento"),
    "at": _names("datum zeitpunkt дата fecha"),
    "time": _names("zeit uhrzeit время"),
    "state": _names("zustand состояние"),
    "run": ("прогон",),
    "system": _names("système systeme"),
    "clicks": _names("klicks клики"),
    "impressions": _names("impressionen einblendungen показы"),
    "frequency": _names("häufigkeit частота"),
    "weight": _names("gewicht вес"),
    "category": _names("kategorie категория"),
    "price": _names("preis цена"),
    "page": _names("seite страница"),
    "length": _names("länge длина"),
    "year": _names("jahr год"),
}
_ENGLISH = {word: name for name, words in _TRANSLATIONS.items() for word in words}


@lru_cache(maxsize=1_024)
def normal_name(name: str) -> str:
    """Return a column's name for comparison, in English where it is one of another language.

    Examples:
        >>> normal_name(" Query-ID "), normal_name("Query Text"), normal_name("_id")
        ('query_id', 'query_text', '_id')
        >>> normal_name("queryText"), normal_name("documentID"), normal_name("QID")
        ('query_text', 'document_id', 'qid')
        >>> normal_name("Artikel-Nr."), normal_name("Suchanfrage"), normal_name("Код товара")
        ('article_id', 'query', 'product_id')
        >>> normal_name("Requête"), normal_name("posición")
        ('query', 'position')
    """
    spelled = spelled_name(name)
    return _ENGLISH.get(_plain(spelled), spelled)


def spelled_name(name: str) -> str:
    """Return a column's name, in its own language, as it is the same in capitals or with other blanks."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[ \-_]+", "_", parted).lower()


def _plain(name: str) -> str:
    """Return a name without what parts its words, as translations are written."""
    return re.sub(r"[ ._\-]+", "", unicodedata.normalize("NFC", name)).lower()


def is_translated(header: str) -> bool:
    """Whether a column's name is known as one of another language than English."""
    return _plain(header) in _ENGLISH


def may_be_grades(header: str) -> bool:
    """Whether a column of numbers under this header may be somebody's grades.

    Examples:
        >>> may_be_grades("anna"), may_be_grades("lead_time"), may_be_grades("Annotation ID")
        (True, False, False)
    """
    name = normal_name(header)
    return not (name in ALL_NAMES or name in _NO_GRADES or name.endswith(_NO_GRADE_ENDS))


def role_said(header: str, column_roles: Mapping[str, str]) -> str | None:
    """Return the role that a person gave a column, in its spelling or a like one."""
    said = column_roles.get(header)
    return said if said is not None or not column_roles else column_roles.get(spelled_name(header))


def without_strange_roles(wishes: Wishes) -> Wishes:
    """Return what was said of a file without roles that no column of its kind has.

    Raises:
        UsageError: there is no such kind.
    """
    if wishes.kind is None:
        return wishes
    if wishes.kind not in ROLES:
        raise UsageError(
            _("There is no kind of file ‘{kind}’. Choose one of: {kinds}.").format(
                kind=wishes.kind, kinds=", ".join(Kind)
            )
        )
    kind = Kind(wishes.kind)
    roles = {header: role for header, role in wishes.column_roles.items() if role in ROLES[kind]}
    return replace(wishes, kind=kind, column_roles=roles)


def find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the first of a table's rows that names two columns or more; ``None`` if none does.

    Rows above the header are titles: they have fewer cells than it.

    Args:
        rows: the first rows, a text for each cell.
    """
    widest = 0
    for place, row in enumerate(rows):
        n_filled = sum(bool(cell.strip()) for cell in row)
        names = {normal_name(cell) for cell in row if len(cell) < _LONGEST_NAME}
        if len(names & ALL_NAMES) > 1 and n_filled > widest:
            return place
        widest = max(widest, n_filled)
    return None


def canonical_names(headers: Iterable[str], column_roles: Mapping[str, str]) -> set[str]:
    """Return the columns' normal names, as if each had a name that fits the role it was given."""
    found = set()
    for header in headers:
        role = role_said(header, column_roles)
        if role is None:
            found.add(normal_name(header))
        elif role not in {FIELD, IGNORE, GRADES_OF_ASSESSOR}:
            # A name that means this role whatever the kind of the file.
            found.add({"query_text": "query", "body": "text"}.get(role, role))
    return found


def assign_roles(
    headers: Sequence[str], kind: Kind, column_roles: Mapping[str, str]
) -> dict[str, str]:
    """Return the header that has each role: what was said first, then what names tell.

    Args:
        headers: as the file spells them, distinct.
        kind: what the file is about.
        column_roles: roles by header, said by a person.

    Returns:
        Header by role; ``field``, ``ignore`` and columns of one assessor are left out.
    """
    said = {header: role_said(header, column_roles) for header in headers}
    spellings = {
        normal_name(header): header for header in reversed(headers) if said[header] is None
    }
    roles = {role: header for header, role in reversed(said.items()) if role is not None}
    for left_over in (FIELD, IGNORE, GRADES_OF_ASSESSOR):
        roles.pop(left_over, None)
    taken = set(roles.values())
    for role, aliases in _NAMES[kind].items():
        if role in roles:
            continue
        names = (spellings.get(alias) for alias in aliases)
        found = next((name for name in names if name and name not in taken), None)
        if found:
            roles[role] = found
            taken.add(found)
    # A topic is an id beside a text, and a text where there is none.
    is_topic = normal_name(roles.get("query_id", "")) == "topic"
    if kind is Kind.QUERIES and "query_text" not in roles and is_topic:
        roles["query_text"] = roles.pop("query_id")
    # Where nobody judged, a date may be the document's own.
    if kind is Kind.JUDGMENTS and "at" not in roles and "assessor" in roles:
        roles |= {"at": spellings["date"]} if "date" in spellings else {}
    # BEIR's qrels call the grade a score; elsewhere a score is a system's.
    if kind is Kind.JUDGMENTS and "grade" not in roles and "corpus_id" in spellings:
        roles |= {"grade": spellings["score"]} if "score" in spellings else {}
    return roles


_NEEDED = frozenset(_names("query_id document_id grade rank score run clicks impressions"))


def count_needed(headers: Sequence[str], kind: Kind, column_roles: Mapping[str, str]) -> int:
    """Return how many cells a row has at least: those up to the last one without which it is none.

    Others may be missing at its end, as if they were empty: a note, a title beside a text.
    """
    roles = assign_roles(headers, kind, column_roles)
    needed = {*_NEEDED}
    if kind is Kind.QUERIES or "query_id" not in roles:
        needed.add("query_text")
    if kind is Kind.DOCUMENTS:
        # Else a line of a text that no quotation marks hold together would be a document.
        needed.add("body" if "body" in roles else "title")
    places = [headers.index(header) for role, header in roles.items() if role in needed]
    return max(places, default=len(headers) - 1) + 1


def left_over(kind: Kind | None) -> str:
    """Return what a column is whose role another one has: a further field, where the kind has such."""
    return FIELD if kind is not None and FIELD in ROLES[kind] else IGNORE


def is_ignored(header: str, column_roles: Mapping[str, str]) -> bool:
    """Whether a column is to be left out: a person said so, or nobody needs it."""
    role = role_said(header, column_roles)
    return role == IGNORE or (role is None and normal_name(header) in _IGNORED)


QUERY_TEXT_ROLE = "query_text"


def with_ids_named(
    uses: Sequence[ColumnUse], rows: Sequence[Sequence[str]], kind: Kind
) -> list[ColumnUse]:
    """Return the uses with the queries' ids called that where their texts are taken for such.

    A text is a query's id where there is no other; one word each are ids rather than texts.

    Args:
        uses: of each column.
        rows: the first rows, a text for each column.
        kind: what the file is about.
    """
    roles = [use.role for use in uses]
    if kind is Kind.QUERIES or "query_id" in roles or QUERY_TEXT_ROLE not in roles:
        return list(uses)
    place = roles.index(QUERY_TEXT_ROLE)
    if any(len(row[place].split()) > 1 for row in rows):
        return list(uses)
    return [*uses[:place], ColumnUse(uses[place].header, "query_id"), *uses[place + 1 :]]


def column_uses(
    headers: Sequence[str], kind: Kind, column_roles: Mapping[str, str]
) -> list[ColumnUse]:
    """Return what each column is taken for."""
    role_of = {header: role for role, header in assign_roles(headers, kind, column_roles).items()}
    others = left_over(kind)
    uses = []
    for header in headers:
        said = role_said(header, column_roles)
        other = IGNORE if is_ignored(header, column_roles) else said or others
        uses.append(ColumnUse(header, role_of.get(header, other)))
    return uses
