"""TREC topics: SGML in its old style, with or without closing tags, and XML."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from judgetool.core.queries import Query
from judgetool.errors import ParseError
from judgetool.formats.columns import count_noun
from judgetool.formats.queries import KeptQueries
from judgetool.formats.readers.whole import read_whole, without_comments
from judgetool.formats.source import TextSource
from judgetool.formats.values import Reading

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TOPIC_START = re.compile(r"<(top|topic)(\s[^<>]*)?>", re.IGNORECASE)
_TOPIC_END = re.compile(r"</(top|topic)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*)(\s[^<>]*)?>")
_NUMBER_ATTRIBUTE = re.compile(r"""(?:number|id|num)\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
# The words that the tag stands for already, in TREC's topics of all years.
_LABEL = re.compile(
    r"\s*(Number|Topic|Title|Description|Narrative|Domain|Summary|Concept|Factor|Definition"
    r"|Nationality|Time)s?(\(s\))?[ \t]*(:|\r?\n)",
    re.IGNORECASE,
)
_ROLES = {
    **dict.fromkeys(("num", "number", "id", "qid", "query_id"), "id"),
    **dict.fromkeys(("title", "query", "text"), "text"),
    **dict.fromkeys(("desc", "description"), "description"),
    **dict.fromkeys(("narr", "narrative"), "narrative"),
}
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")

_EXTERNAL_TYPE = re.compile(r"<!DOCTYPE\s+[^\s>\[]+\s+(SYSTEM|PUBLIC)\b")


def read_topics_sgml(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read ``<top> <num> Number: 301 <title> ...``; closing tags may be missing or wrong.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
        name: not used; queries have no name.
    """
    _keep_sgml(without_comments(read_whole(source)), reading)


def _keep_sgml(text: str, reading: Reading) -> None:
    topics = _Topics(reading)
    starts = list(_TOPIC_START.finditer(text))
    line = last = 0
    for start, following in zip(starts, [*starts[1:], None], strict=False):
        line += text.count("\n", last, start.start())
        last = start.start()
        end = following.start() if following else len(text)
        closing = _TOPIC_END.search(text, start.end(), end)
        body = text[start.end() : closing.start() if closing else end]
        number = _NUMBER_ATTRIBUTE.search(start[2] or "")
        topics.add(line + 1, number[1].strip() if number else "", list(_iter_parts(body)))
    topics.note()


def _iter_parts(body: str) -> Iterator[tuple[str, str]]:
    """Yield tags in lower case with the text up to the next tag, without its label."""
    tags = list(_TAG.finditer(body))
    yield "", _plain(body[: tags[0].start() if tags else len(body)])
    for tag, following in zip(tags, [*tags[1:], None], strict=False):
        text = body[tag.end() : following.start() if following else len(body)]
        # Text behind a closing tag belongs to the topic as a whole.
        name = "" if tag[1] else tag[2].lower()
        yield name, _plain(_without_label(text) if name else text)


def _without_label(text: str) -> str:
    """Return a tag's text without the word that the tag stands for already."""
    label = _LABEL.match(text)
    if label is None:
        return text
    rest = text[label.end() :]
    # A word alone, without a colon, is what the topic is about: a query for 'time'.
    return rest if label[3] == ":" or rest.strip() else text


def _plain(text: str) -> str:
    """Return a text with its lines joined, paragraphs kept apart, entities resolved."""
    paragraphs = _PARAGRAPH.split(text.replace("\r\n", "\n").strip())
    return html.unescape("\n\n".join(" ".join(part.split()) for part in paragraphs))


class _Topics:
    """Topics as they come in, as queries."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._queries = KeptQueries(reading)
        self._n_textless = 0

    def add(self, line: int | None, number: str, parts: list[tuple[str, str]]) -> None:
        """Make a query of a topic's tags and their texts.

        Args:
            line: where it begins; ``None`` when not known.
            number: from an attribute; ``""`` if a tag holds it.
            parts: tag and text; ``""`` as tag for text outside of any.
        """
        known = {"id": number, "text": "", "description": "", "narrative": ""}
        fields: dict[str, str] = {}
        for tag, text in parts:
            role = _ROLES.get(tag, "")
            if not text or tag == "head":
                continue
            if role and not known[role]:
                known[role] = text
            elif tag:
                fields[tag] = f"{fields[tag]}\n{text}" if tag in fields else text
        # TREC-COVID puts the sentence into a question; some topics are text alone.
        known["description"] = known["description"] or fields.pop("question", "")
        bare = " ".join(text for tag, text in parts if not tag and text)
        known["text"] = known["text"] or ("" if fields or known["description"] else bare)
        query = Query(
            known["id"], known["text"], known["description"], known["narrative"], fields=fields
        )
        if self._queries.add(line or 0, query):
            self._n_textless += not query.text

    def note(self) -> None:
        """Say how many topics have no title."""
        if self._n_textless:
            has = "has" if self._n_textless == 1 else "have"
            self._reading.notes.append(
                f"{count_noun(self._n_textless, 'topic')} {has} no title: the text is empty, and "
                "what else there is was kept as fields."
            )


def read_topics_xml(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read ``<topics><topic number="1"><query>...``, with narrative, question, subtopics.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
        name: not used; queries have no name.

    Raises:
        ParseError: a document type definition, an entity, or no well-formed XML.
    """
    text = read_whole(source)
    try:
        root = _parsed(text, source.name)
    except ParseError:
        is_fragment = _TOPIC_START.match(text.lstrip()) and "<!DOCTYPE" not in text
        if not is_fragment:
            raise
        # Topics one after the other without a root, as Terrier allows.
        _keep_sgml(text, reading)
        return
    topics = _Topics(reading)
    found = [each for each in root.iter() if _local(each) in {"topic", "top"}]
    for each in found or [each for each in root if _local(each) == "query"]:
        attributes = {_local_name(key).lower(): value for key, value in each.attrib.items()}
        number = next(
            (attributes.pop(key) for key in ("number", "num", "id", "qid") if key in attributes), ""
        )
        topics.add(
            None,
            number.strip(),
            [("", _plain_xml(each.text)), *_iter_xml(each), *attributes.items()],
        )
    if not found and not reading.queries and not reading.n_refused:
        raise ParseError(
            f"it is XML with the root <{_local(root)}>, but no topic stands in it. Expected "
            "<topic> elements with a number and a title or query. Nothing was kept.",
            source=source.name,
        )
    topics.note()


def _harmful_type(source: str) -> ParseError:
    return ParseError(
        "its document type (<!DOCTYPE ...>) defines entities or points to another file, which "
        "judgetool does not read: such definitions can make a small file endless. Nothing was "
        "kept; delete the lines from <!DOCTYPE up to its closing > and read it again.",
        source=source,
    )


def _parsed(text: str, source: str) -> "Element":
    from xml.etree.ElementTree import ParseError as XmlParseError  # noqa: PLC0415 - loaded when needed

    from defusedxml import (  # noqa: PLC0415 - likewise
        DefusedXmlException,
        EntitiesForbidden,
        ExternalReferenceForbidden,
    )
    from defusedxml.ElementTree import fromstring  # noqa: PLC0415 - likewise

    # The text is decoded: an encoding that it names is no longer true.
    plain = re.sub(r"^\s*<\?xml[^>]*\?>", lambda found: "\n" * found[0].count("\n"), text, count=1)
    if _EXTERNAL_TYPE.search(plain):
        raise _harmful_type(source)
    try:
        # A document type that only names elements does no harm, and TREC's have one.
        root: Element = fromstring(plain, forbid_dtd=False)
    except (EntitiesForbidden, ExternalReferenceForbidden):
        raise _harmful_type(source) from None
    except (DefusedXmlException, XmlParseError, ValueError, RecursionError) as problem:
        place = getattr(problem, "position", None)
        raise ParseError(
            "this looks like XML but is not well-formed here. Expected TREC topics in XML, each "
            "tag closed. Nothing was kept.",
            source=source,
            line=place[0] if place else None,
        ) from None
    return root


def _iter_xml(topic: "Element") -> Iterator[tuple[str, str]]:
    for child in topic:
        tag = _local(child)
        text = _plain_xml("".join(child.itertext()))
        if tag == "subtopic":
            what: Mapping[str, str] = child.attrib
            kind = f" ({what['type']})" if what.get("type") else ""
            yield f"subtopic {what.get('number', '')}".strip() + kind, text
        elif tag:
            yield tag, text


def _plain_xml(text: str | None) -> str:
    """Return a text with its lines joined; entities were resolved already."""
    paragraphs = _PARAGRAPH.split((text or "").strip())
    return "\n\n".join(" ".join(part.split()) for part in paragraphs)


def _local(element: "Element") -> str:
    # Comments and processing instructions have a function in place of a name.
    tag: object = element.tag
    return _local_name(tag).lower() if isinstance(tag, str) else ""


def _local_name(name: str) -> str:
    return name.rpartition("}")[2]
