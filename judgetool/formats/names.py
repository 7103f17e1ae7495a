"""By which names a table's columns and a JSON object's fields are known."""

import re
from collections.abc import Iterable, Mapping, Sequence

from judgetool.formats.values import ColumnUse, Kind

FIELD = "field"
IGNORE = "ignore"
GRADES_OF_ASSESSOR = "grades_of_assessor"
"""The role of a column that holds one assessor's grades; its header names the assessor."""

QUERY_ID = ("query_id", "qid", "topic_id", "question_id", "id", "_id")
QUERY_TEXT = ("text", "query", "query_text", "querytext", "title", "question")
QUERY_KEY = ("query_id", "qid", "topic_id", "queryid")
QUERY_KEY_TEXT = ("query_text", "query", "querytext")
DESCRIPTION = ("description", "information_need", "desc", "question")
DOCUMENT_ID = (
    *("doc_id", "docid", "document_id", "corpus_id", "docno", "document", "product_id"),
    *("id", "_id"),
)
BEIR_DOCUMENT_ID = ("corpus_id",)
OWN_DOCUMENT_ID = ("id", "_id", "doc_id", "docid", "document_id", "docno", "product_id")
TITLE = ("title", "product_title", "product_name")
URL = ("url", "link")
IMAGE = (
    *("image", "image_path", "image_file", "image_url", "img", "picture", "photo", "thumbnail"),
    *("product_image", "image_link"),
)
BODY = (
    *("text", "body", "description", "content", "contents", "passage", "snippet"),
    "product_description",
)
RESULT_BODY = (
    *("snippet", "text", "body", "content", "contents", "passage", "description"),
    "product_description",
)
RANK = ("rank", "position", "doc_position")
SCORE = ("score",)
RUN = ("run", "system", "run_name", "snapshot_name")
GRADE = ("grade", "rating", "judgment", "judgement", "relevance", "label", "esci_label")
ASSESSOR = ("assessor", "judge", "rater", "annotator", "user_email")
NOTE = ("note", "comment", "explanation")
STATE = ("state", "flag")
AT = ("at", "judged_at", "time", "timestamp")
FLAGGED = ("flagged",)
SPENT_MS = ("spent_ms",)
CONFIDENCE = ("confidence",)
RATIONALE = ("rationale",)
UNRATEABLE = ("unrateable",)
JUDGE_LATER = ("judge_later",)

# Quepid's columns about the place a row came from: no part of a document or judgment.
_IGNORED = frozenset({"team_name", "case_name", "case_id", "snapshot_time"})

_QUERY_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_ID,
    "query_text": QUERY_TEXT,
    "description": DESCRIPTION,
    "narrative": ("narrative", "background"),
    "weight": ("weight",),
    "category": ("category", "query_class"),
}
_DOCUMENT_ROLES: Mapping[str, tuple[str, ...]] = {
    "document_id": OWN_DOCUMENT_ID,
    "title": TITLE,
    "url": URL,
    "body": BODY,
    "image": IMAGE,
}
_RESULT_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_KEY,
    "query_text": QUERY_KEY_TEXT,
    "document_id": DOCUMENT_ID,
    "rank": RANK,
    "score": SCORE,
    "run": RUN,
    "grade": GRADE,
    "title": TITLE,
    "url": URL,
    "body": RESULT_BODY,
    "image": IMAGE,
}
_JUDGMENT_ROLES: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_KEY,
    "query_text": QUERY_KEY_TEXT,
    "document_id": DOCUMENT_ID,
    "grade": GRADE,
    "assessor": ASSESSOR,
    "note": NOTE,
    "state": STATE,
    "at": AT,
    "flagged": FLAGGED,
    "spent_ms": SPENT_MS,
    "confidence": CONFIDENCE,
    "rationale": RATIONALE,
    "unrateable": UNRATEABLE,
    "judge_later": JUDGE_LATER,
}

# By which names a column may be known, the likeliest first, for each role of a kind.
_NAMES: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    Kind.QUERIES: _QUERY_ROLES,
    Kind.DOCUMENTS: _DOCUMENT_ROLES,
    Kind.RUN: _RESULT_ROLES,
    Kind.RESULTS: _RESULT_ROLES,
    Kind.JUDGMENTS: _JUDGMENT_ROLES,
}

ALL_NAMES = frozenset(
    alias for roles in _NAMES.values() for aliases in roles.values() for alias in aliases
)
"""Every name by which some column of some kind of file is known."""

ROLES: Mapping[Kind, tuple[str, ...]] = {
    Kind.QUERIES: (*_QUERY_ROLES, FIELD, IGNORE),
    Kind.DOCUMENTS: (*_DOCUMENT_ROLES, FIELD, IGNORE),
    Kind.RUN: (*_RESULT_ROLES, FIELD, IGNORE),
    Kind.RESULTS: (*_RESULT_ROLES, FIELD, IGNORE),
    Kind.JUDGMENTS: (*_JUDGMENT_ROLES, GRADES_OF_ASSESSOR, IGNORE),
}
"""The roles that a column may have, for each kind of file."""


def normal_name(name: str) -> str:
    """Return a column's name for comparison.

    Examples:
        >>> normal_name(" Query-ID "), normal_name("Query Text"), normal_name("_id")
        ('query_id', 'query_text', '_id')
    """
    return re.sub(r"[ \-]+", "_", name.strip().lower())


def canonical_names(headers: Iterable[str], column_roles: Mapping[str, str]) -> set[str]:
    """Return the columns' normal names, as if each had a name that fits the role it was given."""
    found = set()
    for header in headers:
        role = column_roles.get(header)
        if role is None:
            found.add(normal_name(header))
        elif role not in {FIELD, IGNORE, GRADES_OF_ASSESSOR}:
            found.add(_canonical(role))
    return found


def _canonical(role: str) -> str:
    """Return a name that means this role whatever the kind of the file."""
    special = {"query_text": "query", "body": "text"}
    return special.get(role, role)


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
    spellings = {
        normal_name(header): header for header in reversed(headers) if header not in column_roles
    }
    roles = {column_roles[header]: header for header in reversed(headers) if header in column_roles}
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
    # BEIR's qrels call the grade a score; elsewhere a score is a system's.
    if kind is Kind.JUDGMENTS and "grade" not in roles and "corpus_id" in spellings:
        roles |= {"grade": spellings["score"]} if "score" in spellings else {}
    return roles


def is_ignored(header: str, column_roles: Mapping[str, str]) -> bool:
    """Whether a column is to be left out: a person said so, or nobody needs it."""
    role = column_roles.get(header)
    return role == IGNORE or (role is None and normal_name(header) in _IGNORED)


def column_uses(
    headers: Sequence[str], kind: Kind, column_roles: Mapping[str, str]
) -> list[ColumnUse]:
    """Return what each column is taken for."""
    role_of = {header: role for role, header in assign_roles(headers, kind, column_roles).items()}
    others = IGNORE if kind is Kind.JUDGMENTS else FIELD
    uses = []
    for header in headers:
        other = IGNORE if is_ignored(header, column_roles) else column_roles.get(header, others)
        uses.append(ColumnUse(header, role_of.get(header, other)))
    return uses
