"""Which language a project's texts are in, and the terms of its queries in that language."""

from weakref import WeakKeyDictionary

from judgetool.core.language import LANGUAGES, detect_language
from judgetool.core.terms import QueryTerms
from judgetool.session.commands import SetValues
from judgetool.session.material import Material
from judgetool.session.session import Session

LANGUAGE_KEY = "language"
NO_LANGUAGE = "none"
_MOST_LOOKED_AT = 40

_DETECTED: WeakKeyDictionary[Material, str] = WeakKeyDictionary()


def text_language(session: Session) -> str | None:
    """Return the language by which words are stemmed: the project's own choice, or the texts'.

    Returns:
        A name of Snowball's; ``None`` where words are to be compared as they are.
    """
    chosen = session.value(LANGUAGE_KEY)
    if chosen == NO_LANGUAGE:
        return None
    return chosen if chosen in LANGUAGES else detected_language(session)


def detected_language(session: Session) -> str:
    """Return the language of the project's texts, told by some of them."""
    material = session.material
    if material not in _DETECTED:
        _DETECTED[material] = detect_language(_some_texts(material))
    return _DETECTED[material]


def _some_texts(material: Material) -> list[str]:
    if not material.runs:
        return [query.text for query in material.queries[:_MOST_LOOKED_AT]]
    ranked = material.block(material.runs[0].run_id).documents
    step = max(1, len(ranked) // _MOST_LOOKED_AT)
    documents = material.documents(ranked[::step][:_MOST_LOOKED_AT])
    return [f"{document.title} {document.body[:4000]}" for document in documents]


def set_language(language: str | None) -> SetValues:
    """Return the command that chooses the language of the texts.

    Args:
        language: a name of :data:`~judgetool.core.language.LANGUAGES`; ``none`` compares
            whole words; ``None`` leaves it to the texts.
    """
    return SetValues({LANGUAGE_KEY: language}, f"Language {language or 'as the texts are'}")


def query_terms(session: Session, query: int) -> QueryTerms:
    """Return the terms of a query, in the language of the project's texts."""
    return QueryTerms.parse(session.material.queries[query].text, text_language(session))
