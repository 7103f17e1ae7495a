"""TREC topics: SGML in its old style, with or without closing tags, and XML."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from judgetool.core import override
from judgetool.core.judgments import Document, Query
from judgetool.core.number_text import local_count
from judgetool.errors import ParseError
from judgetool.formats.records import note_number
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource, read_whole, without_comments
from judgetool.formats.texts import KeptQueries, SeenDocuments
from judgetool.formats.values import Reading
from judgetool.wording import _

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DOC_START = re.compile(r"<DOC(\s[^<>]*)?>", re.IGNORECASE)
_DOC_END = re.compile(r"</DOC\s*>", re.IGNORECASE)
_NAMED = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>")
_ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9_-]*(?:\s[^<>]*)?/?>")
_TITLES = ("title", "headline", "head", "hl", "ttl", "h3")
_BODIES = ("text", "body", "content", "contents")
_URLS = ("url", "dochdr_url", "link")
_MAX_DOCUMENT = MAX_TEXT_LINE_BYTES


def read_trec_documents(source: TextSource, reading: Reading) -> None:
    """Read ``<DOC>`` elements; tags inside of texts are taken out, entities resolved.

    Args:
        source: the file.
        reading: gets the documents, the refusals and the notes.
    """
    seen = SeenDocuments(reading)
    for line, text in _iter_elements(source, reading):
        document = _document_of(text)
        if not document.id:
            reading.refuse(line, _("the document has no DOCNO"))
        elif seen.is_new(line, document.id):
            reading.documents.append(document)


def _iter_elements(source: TextSource, reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield the line on which each document begins, and what stands between its tags."""
    parts: list[str] = []
    start = size = 0
    for number, line in _iter_ended(source, reading):
        opening = DOC_START.search(line)
        if opening and start:
            reading.refuse(start, _("the document has no </DOC>; it is left out"))
            start = 0
        if opening:
            parts, start, size = [], number, 0
            line = line[opening.end() :]  # noqa: PLW2901 - what stands behind the tag
        if not start:
            continue
        closing = _DOC_END.search(line)
        parts.append(line[: closing.start()] if closing else line)
        size += len(line)
        if closing or size > _MAX_DOCUMENT:
            if closing:
                yield start, "\n".join(parts)
            else:
                reading.refuse(
                    start,
                    _("the document is longer than {max_document} MiB").format(
                        max_document=_MAX_DOCUMENT >> 20
                    ),
                )
            start = 0
    if start:
        reading.refuse(start, _("the document has no </DOC>: the file is cut off; it is left out"))


def _iter_ended(source: TextSource, reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield lines by number, in parts where a document ends in one: another may begin behind it."""
    for number, line in source.lines(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        place = 0
        for end in _DOC_END.finditer(line):
            yield number, line[place : end.end()]
            place = end.end()
        yield number, line[place:]


def _document_of(text: str) -> Document:
    found: dict[str, list[str]] = {}
    for key, content in _iter_outer_tags(text):
        plain = _without_tags(content)
        if plain:
            found.setdefault(key, []).append(plain)
    values = {key: "\n".join(texts) for key, texts in found.items()}
    identifier = values.pop("docno", "") or values.pop("docid", "")
    title, body, url = (_take(values, tags) for tags in (_TITLES, _BODIES, _URLS))
    return Document(identifier, title, url, body, values)


def _iter_outer_tags(text: str) -> Iterator[tuple[str, str]]:
    """Yield tag, in lower case, and content of each element that stands in no other."""
    tags = [(found[1], found[2].lower(), found) for found in _NAMED.finditer(text)]
    closings: dict[str, list[int]] = {}
    for place, (slash, tag, _rest) in enumerate(tags):
        if slash:
            closings.setdefault(tag, []).append(place)
    place = 0
    while place < len(tags):
        slash, tag, found = tags[place]
        its_closings = closings.get(tag, [])
        following = bisect_right(its_closings, place)
        if not slash and following < len(its_closings):
            place = its_closings[following]
            yield tag, text[found.end() : tags[place][2].start()]
        place += 1


def _take(values: dict[str, str], tags: tuple[str, ...]) -> str:
    return next((values.pop(tag) for tag in tags if tag in values), "")


def _without_tags(text: str) -> str:
    """Return a text without tags; blank lines at its ends go, lines stay."""
    return html.unescape(_ANY_TAG.sub("", text)).strip()


# By which tags topics begin, the likeliest first: some write them like documents.
_STARTS = tuple(
    re.compile(rf"<({tags})(\s[^<>]*)?>", re.IGNORECASE) for tags in ("top|topic", "query", "doc")
)
_ENDS = re.compile(r"</(top|topic|query|doc)\s*>", re.IGNORECASE)
_MAX_DEPTH = 100
_UNDEFINED_ENTITY = 11  # as expat numbers it
_ENDS_EARLY = (3, 5, 6)  # likewise: elements, a token or a character without their ends
_NUMBER_ATTRIBUTE = re.compile(r"""(?:number|id|num)\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
# The words that the tag stands for already, in TREC's topics of all years.
_LABEL = re.compile(
    r"\s*(Number|Topic|Title|Description|Narrative|Domain|Summary|Concept|Factor|Definition"
    r"|Nationality|Time)s?(\(s\))?[ \t]*(:|\r?\n)",
    re.IGNORECASE,
)
_ROLES = {
    **dict.fromkeys(("num", "number", "id", "qid", "query_id", "docno"), "id"),
    **dict.fromkeys(("title", "query", "text", "content"), "text"),
    **dict.fromkeys(("desc", "description"), "description"),
    **dict.fromkeys(("narr", "narrative"), "narrative"),
}
# Texts of their own, also where they stand in a tag with others.
_NESTED = {"question", *(tag for tag, role in _ROLES.items() if role != "id")}
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")

_EXTERNAL_TYPE = re.compile(r"<!DOCTYPE\s+[^\s>\[]+\s+(SYSTEM|PUBLIC)\b")


def read_topics_sgml(source: TextSource, reading: Reading) -> None:
    """Read ``<top> <num> Number: 301 <title> ...``; closing tags may be missing or wrong.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
    """
    _keep_sgml(without_comments(read_whole(source)), reading)


def _keep_sgml(text: str, reading: Reading, *, is_cut: bool = False) -> None:
    """Keep the topics of a text; a last one of which the end is missing is refused.

    Args:
        text: without comments.
        reading: gets the queries, the refusals and the notes.
        is_cut: whether the text is known to end too early.
    """
    topics = _Topics(reading)
    firsts = [found for tag in _STARTS if (found := tag.search(text))]
    first = min(firsts, key=lambda found: found.start(), default=None)
    starts = list(first.re.finditer(text)) if first else []
    line = last = 0
    # Old topics have no closing tags: one that lacks its own is cut where others have theirs.
    has_closing = is_cut
    for start, following in zip(starts, [*starts[1:], None], strict=False):
        line += text.count("\n", last, start.start())
        last = start.start()
        end = following.start() if following else len(text)
        closing = _closing_of(start[1], text, start.end(), end)
        if not closing and not following and has_closing:
            said = _("the topic has no </{tag}>: the file is cut off; it is left out")
            reading.refuse(line + 1, said.format(tag=start[1]))
            break
        has_closing = is_cut or closing is not None
        body = text[start.end() : closing.start() if closing else end]
        number = _NUMBER_ATTRIBUTE.search(start[2] or "")
        topics.add(line + 1, number[1].strip() if number else "", list(_iter_parts(body)))
    topics.note()


def _closing_of(tag: str, text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the closing tag of a topic: of top or topic either will do."""
    its = {"top", "topic"} if tag.lower() in {"top", "topic"} else {tag.lower()}
    found = (each for each in _ENDS.finditer(text, start, end) if each[1].lower() in its)
    return next(found, None)


def _iter_parts(body: str) -> Iterator[tuple[str, str]]:
    """Yield tags in lower case with the text up to the next tag, without its label."""
    tags = list(_NAMED.finditer(body))
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
    return html.unescape(_plain_xml(text.replace("\r\n", "\n")))


class _Topics:
    """Topics as they come in, as queries."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._queries = KeptQueries(reading)
        self._n_textless = 0

    def add(self, line: int, number: str, parts: list[tuple[str, str]]) -> None:
        """Make a query of a topic's tags and their texts.

        Args:
            line: where it begins.
            number: from an attribute; ``""`` if a tag holds it.
            parts: tag and text; ``""`` as tag for text outside of any.
        """
        known = {"id": number, "text": "", "description": "", "narrative": ""}
        further: dict[str, list[str]] = {}
        for tag, text in parts:
            role = _ROLES.get(tag, "")
            if not text or tag == "head":
                continue
            if role and not known[role]:
                known[role] = text
            elif tag:
                further.setdefault(tag, []).append(text)
        fields = {tag: "\n".join(texts) for tag, texts in further.items()}
        # TREC-COVID puts the sentence into a question; some topics are text alone.
        known["description"] = known["description"] or fields.pop("question", "")
        bare = " ".join(text for tag, text in parts if not tag and text)
        known["text"] = known["text"] or ("" if fields or known["description"] else bare)
        query = Query(
            known["id"], known["text"], known["description"], known["narrative"], fields=fields
        )
        if self._queries.add(line, query):
            self._n_textless += not query.text

    def note(self) -> None:
        """Say how many topics have no title."""
        note_number(
            self._reading.notes,
            self._n_textless,
            "{n} topic has no title: the text is empty, and what else there is was kept as fields.",
            "{n} topics have no title: the text is empty, and what else there is was kept "
            "as fields.",
        )


def read_topics_xml(source: TextSource, reading: Reading) -> None:
    """Read ``<topics><topic number="1"><query>...``, with narrative, question, subtopics.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.

    Raises:
        ParseError: a document type definition, an entity, or no well-formed XML.
    """
    text = read_whole(source)
    try:
        root, lines = _parsed(text, source.name)
    except _NotWellFormedError as problem:
        if not any(tag.search(text) for tag in _STARTS[:2]):
            raise
        # Topics without a root, as Terrier allows; or a tag somewhere that is never closed.
        has_root = not _STARTS[0].match(text.lstrip())
        is_cut = has_root and problem.is_cut
        if has_root:
            said = (
                _("The XML ends too early (line {line}): topics may be missing.")
                if is_cut
                else _(
                    "The XML is not well-formed (line {line}): its tags were read one by one, as "
                    "those of old topics are."
                )
            )
            reading.notes.append(said.format(line=local_count(problem.line or 1)))
        _keep_sgml(without_comments(text), reading, is_cut=is_cut)
        return
    topics = _Topics(reading)
    found = list(_iter_outermost(root))
    for each in found or [each for each in root if _local(each) == "query"]:
        attributes = {_local_name(key).lower(): value for key, value in each.attrib.items()}
        number = next(
            (attributes.pop(key) for key in ("number", "num", "id", "qid") if key in attributes), ""
        )
        topics.add(
            lines[id(each)],
            number.strip(),
            [("", _plain_xml(each.text)), *_iter_xml(each), *attributes.items()],
        )
    if not found and not reading.queries and not reading.n_refused:
        raise ParseError(
            _(
                "it is XML with the root <{root}>, but no topic stands in it. Expected <topic> "
                "elements with a number and a title or query. Nothing was kept."
            ).format(root=_local(root)),
            source=source.name,
        )
    topics.note()


def _iter_outermost(root: "Element") -> Iterator["Element"]:
    """Yield the topics that stand in no other; what is nested in one belongs to it."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if _local(element) in {"topic", "top"}:
            yield element
        else:
            waiting.extend(reversed(element))


class _NotWellFormedError(ParseError):
    """XML of which some tag is not as it should be.

    Attributes:
        is_cut: whether nothing else is wrong but that the end is missing.
    """

    is_cut = False


class _TooDeepError(Exception):
    """Elements in elements in elements, deeper than any topic."""


def _harmful_type(source: str) -> ParseError:
    return ParseError(
        _(
            "its document type (<!DOCTYPE ...>) defines entities or points to another "
            "file, which judgetool does not read: such definitions can make a small file "
            "endless. Nothing was kept; delete the lines from <!DOCTYPE up to its closing "
            "> and read it again."
        ),
        source=source,
    )


def _parsed(text: str, source: str) -> tuple["Element", dict[int, int]]:
    """Return a text's root, and on which line each element begins, by the element's ``id``.

    Raises:
        ParseError: it has a type or entities that are not read, or is nested too deeply.
        _NotWellFormedError: it is no XML.
    """
    from xml.etree.ElementTree import ParseError as XmlParseError  # noqa: PLC0415 - loaded when needed

    from defusedxml import (  # noqa: PLC0415 - likewise
        DefusedXmlException,
        EntitiesForbidden,
        ExternalReferenceForbidden,
    )
    from defusedxml.ElementTree import DefusedXMLParser  # noqa: PLC0415 - likewise

    # The text is decoded: an encoding that it names is no longer true.
    plain = re.sub(r"^\s*<\?xml[^>]*\?>", lambda found: "\n" * found[0].count("\n"), text, count=1)
    if _EXTERNAL_TYPE.search(plain):
        raise _harmful_type(source)
    try:
        # A document type that only names elements does no harm, and TREC's have one.
        lines: dict[int, int] = {}
        parser = DefusedXMLParser(
            target=_shallow_builder(lines, lambda: parser.parser.CurrentLineNumber),
            forbid_dtd=False,
        )
        parser.feed(plain)
        root: Element = parser.close()
    except (EntitiesForbidden, ExternalReferenceForbidden):
        raise _harmful_type(source) from None
    except _TooDeepError:
        raise ParseError(
            _(
                "its elements stand in each other more than {max_depth} deep, which topics do "
                "not. Nothing was kept."
            ).format(max_depth=_MAX_DEPTH),
            source=source,
        ) from None
    except (DefusedXmlException, XmlParseError, ValueError, RecursionError) as problem:
        place = getattr(problem, "position", None)
        # What an unknown entity stands for is not guessed, whoever reads it.
        code = getattr(problem, "code", None)
        failure = (ParseError if code == _UNDEFINED_ENTITY else _NotWellFormedError)(
            _(
                "this looks like XML but is not well-formed here. Expected TREC topics in XML, "
                "each tag closed. Nothing was kept."
            ),
            source=source,
            line=place[0] if place else None,
        )
        if isinstance(failure, _NotWellFormedError):
            failure.is_cut = code in _ENDS_EARLY
        raise failure from None
    return root, lines


def _shallow_builder(lines: dict[int, int], line: Callable[[], int]) -> Any:  # noqa: ANN401 - a class that is known only once it is loaded
    """Return what builds a tree of elements, and stops where they are nested too deeply.

    Args:
        lines: gets on which line each element begins, by its ``id``.
        line: says where the parser is.
    """
    from xml.etree.ElementTree import TreeBuilder  # noqa: PLC0415 - loaded when needed

    class Builder(TreeBuilder):
        depth = 0

        @override
        def start(self, tag: Any, attrs: Any, /) -> Any:  # noqa: ANN401 - as of the base
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise _TooDeepError
            # What is returned no parser asks for.
            lines[id(super().start(tag, attrs))] = line()

        @override
        def end(self, tag: Any, /) -> Any:  # noqa: ANN401 - likewise
            self.depth -= 1
            super().end(tag)

    return Builder()


def _iter_xml(topic: "Element") -> Iterator[tuple[str, str]]:
    for child in topic:
        tag = _local(child)
        text = _plain_xml("".join(child.itertext()))
        if tag == "subtopic":
            what: Mapping[str, str] = child.attrib
            kind = f" ({what['type']})" if what.get("type") else ""
            yield f"subtopic {what.get('number', '')}".strip() + kind, text
        elif any(_local(each) in _NESTED for each in child):
            yield tag, _plain_xml(child.text)
            yield from _iter_xml(child)
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
