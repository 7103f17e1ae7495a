"""What stands beside the document while it is judged.

Guidelines, term sets, the language in which terms of the query are found, and what is hidden
in blind judging: who must judge blind, how blind, and documents that tell nothing. Pictures of
documents: in which folders they are, and which of them are safe to be shown.
"""

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from judgetool.core.held_files import is_held
from judgetool.core.judgments import Document
from judgetool.core.policy import policy
from judgetool.core.system import (
    data_folder,
    find_inside,
    find_relative,
    image_folder,
    is_local_folder,
    make_private_file,
    make_private_folder,
)
from judgetool.core.terms import LANGUAGES, QueryTerms
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.session.queue import OrderKind, OrderPolicy, order_of
from judgetool.session.session import Session
from judgetool.storage.material import StoredImage, find_stored_image, load_image_folders
from judgetool.wording import N_, _

if TYPE_CHECKING:
    from judgetool.formats import Reading

LANGUAGE_KEY = "language"
NO_LANGUAGE = "none"


def text_language(session: Session) -> str | None:
    """Return the language by which words are stemmed: the project's own choice, or the texts'.

    Returns:
        A name of Snowball's; ``None`` where words are to be compared as they are.
    """
    chosen = session.value(LANGUAGE_KEY)
    if chosen == NO_LANGUAGE:
        return None
    return chosen if chosen in LANGUAGES else session.material.language


def set_language(language: str | None) -> SetValues:
    """Return the command that chooses the language of the texts.

    Args:
        language: a name of :data:`~judgetool.core.terms.LANGUAGES`; ``none`` compares
            whole words; ``None`` leaves it to the texts.
    """
    return SetValues({LANGUAGE_KEY: language}, f"Language {language or 'as the texts are'}")


def query_terms(session: Session, query: int) -> QueryTerms:
    """Return the terms of a query, in the language of the project's texts."""
    return QueryTerms.parse(session.material.queries[query].text, text_language(session))


TERM_SETS_KEY = "term_sets"
N_COLOURS = 4


class TermSet(NamedTuple):
    """Some words and phrases in one colour.

    Attributes:
        name: shown beside the colour.
        colour: 1 to 4, a colour of the theme.
        terms: words and phrases as they were typed.
    """

    name: str
    colour: int
    terms: tuple[str, ...]


def find_term_sets(session: Session) -> tuple[TermSet, ...]:
    """Return the project's term sets in order; none if none are written."""
    stored = session.value(TERM_SETS_KEY) or []
    return tuple(TermSet(each["name"], each["colour"], tuple(each["terms"])) for each in stored)


def set_term_sets(term_sets: Sequence[TermSet]) -> SetValues:
    """Return the command that writes all term sets; empty terms are left out.

    Raises:
        CommandRefusedError: a set has no name, a name stands twice, or a colour is none
            of 1 to 4.
    """
    names = [each.name.strip() for each in term_sets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not all(names):
        raise CommandRefusedError(_("A term set has no name. Give it one; nothing was changed."))
    if twice is not None:
        raise CommandRefusedError(
            _(
                "Two term sets are called ‘{twice}’. Rename one of them; nothing was changed."
            ).format(twice=twice)
        )
    for each in term_sets:
        if not 1 <= each.colour <= N_COLOURS:
            raise CommandRefusedError(
                _(
                    "Term set ‘{name}’ has colour {colour}; colours are 1 to {n_colours}. Nothing "
                    "was changed."
                ).format(name=each.name, colour=each.colour, n_colours=N_COLOURS)
            )
    stored = [
        {
            "name": each.name.strip(),
            "colour": each.colour,
            "terms": list(dict.fromkeys(term.strip() for term in each.terms if term.strip())),
        }
        for each in term_sets
    ]
    return SetValues({TERM_SETS_KEY: stored or None}, "Term sets")


GUIDELINES_KEY, QUERY_GUIDELINES_KEY = "guidelines", "guidelines/"


def find_guidelines(session: Session, query: int | None = None) -> str:
    """Return the guidelines as Markdown; ``""`` where none are written.

    Args:
        session: the project.
        query: number of a query; ``None`` for the project's.
    """
    return str(session.value(_key(session, query)) or "")


def set_guidelines(session: Session, text: str, *, query: int | None = None) -> SetValues:
    """Return the command that writes guidelines.

    Args:
        session: the project.
        text: Markdown; one of blanks alone takes them away.
        query: number of a query; ``None`` for the project's.
    """
    where = "" if query is None else f" of query {session.material.queries[query].id}"
    return SetValues({_key(session, query): text if text.strip() else None}, f"Guidelines{where}")


def _key(session: Session, query: int | None) -> str:
    if query is None:
        return GUIDELINES_KEY
    return QUERY_GUIDELINES_KEY + session.material.queries[query].id


BLIND_KEY = "blind"
# No letters that are taken for digits or for each other; none that make up words.
_ALPHABET = "23456789bcdfghjkmnpqrstvwxzBCDFG"
_HALF_BITS = 16
_N_ROUNDS = 4
_LENGTH = 7
_LEAST_NAME = 3
_MOST_QUERIES = 100
_MOST_RANKS = 10
_MAGICS = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM"),
    *(b"II*\0", b"MM\0*"),
)
_MAGIC_BYTES = 12


class BlindPolicy(NamedTuple):
    """Who must judge without seeing ranks, scores, runs, others' judgments and values.

    Attributes:
        required_for: ``nobody``, ``all``, or the names of those who must.
        has_alias_ids: whether ids are replaced while judging blind.
    """

    required_for: Literal["nobody", "all"] | tuple[str, ...] = "nobody"
    has_alias_ids: bool = False


def blind_policy(session: Session) -> BlindPolicy:
    """Return what the project says of blind judging; nobody must if it says nothing."""
    stored = session.value(BLIND_KEY) or {}
    who = stored.get("required_for", "nobody")
    required_for = who if who in ("nobody", "all") else tuple(who)
    return BlindPolicy(required_for, bool(stored.get("alias_ids", False)))


def is_blind_required(session: Session) -> bool:
    """Whether the session's assessor must judge blind: as the project or the administrator wants."""
    if policy().blind:
        return True
    required_for = blind_policy(session).required_for
    if isinstance(required_for, tuple):
        return session.assessor in required_for
    return required_for == "all"


def set_blind_policy(
    required_for: Literal["nobody", "all"] | Sequence[str], *, alias_ids: bool = False
) -> SetValues:
    """Return the command that says who must judge blind.

    Args:
        required_for: ``nobody``, ``all``, or names of assessors.
        alias_ids: whether ids are replaced while judging blind.
    """
    is_word = required_for in ("nobody", "all")
    who = required_for if is_word else sorted(set(required_for))
    title = f"Blind judging required for {who if is_word else ', '.join(who) or 'nobody'}"
    return SetValues({BLIND_KEY: {"required_for": who or "nobody", "alias_ids": alias_ids}}, title)


def find_telling_id(session: Session) -> str | None:
    """Return an id of a document that has the name of a run in it; ``None`` where none is seen.

    The first documents of every run are looked at, for a hundred queries.

    References:
        KiroCrew#12150: eight ids that named their system were enough to judge by.
    """
    material = session.material
    for run in material.runs:
        name = run.name.casefold()
        if len(name) < _LEAST_NAME:
            continue
        for query in range(min(len(material.queries), _MOST_QUERIES)):
            first = material.ranked_documents(run.run_id, query)[:_MOST_RANKS].tolist()
            for found in material.document_ids(first).values():
                if name in found.casefold():
                    return found
    return None


def alias_id(session: Session, document: int) -> str:
    """Return an id for a document that tells neither its own nor when it came.

    The same in all copies of the project, and never the same for two documents of it.

    Args:
        session: the project.
        document: number of the document.

    References:
        A Feistel network with a keyed hash as round function permutes the numbers
        (M. Luby, C. Rackoff, 1988): two documents cannot meet.
    """
    return make_alias(session.uuid, document)


def make_alias(uuid: str, number: int) -> str:
    """Return the alias of a document's number in the project of this id.

    Args:
        uuid: of the project.
        number: 0 to 2³² − 1.
    """
    key = uuid.encode()[:64]
    mask = (1 << _HALF_BITS) - 1
    left, right = number >> _HALF_BITS & mask, number & mask
    for turn in range(_N_ROUNDS):
        digest = blake2b(bytes([turn]) + right.to_bytes(2, "big"), key=key, digest_size=2)
        left, right = right, left ^ int.from_bytes(digest.digest(), "big")
    mixed = left << _HALF_BITS | right
    letters = [_ALPHABET[mixed >> shift & 31] for shift in range(0, 5 * _LENGTH, 5)]
    return "".join(reversed(letters))


MAX_IMAGE_BYTES = 50 << 20


def look_for_image(session: Session, document: int) -> tuple[Path | None, bool]:
    """Return the file of a document's picture, safe to be shown, and whether there is one that cannot be.

    Args:
        session: the project.
        document: by the project's number.

    Returns:
        ``None`` for the file where there is no picture, no such file, one outside of the folder of
        the import, one in a folder that was not allowed, one of more than 50 MB, or one that is no PNG, JPEG, GIF, WebP, BMP
        or TIFF by its first bytes. How many pixels it has is for the painter to limit.
    """
    path = _find_image_file(session, document)
    if path is None or _is_shown(path):
        return path, False
    return None, path.is_file()


def _find_image_file(session: Session, document: int) -> Path | None:
    """Return the file that a document names, in a folder that may be looked into; it may be anything."""
    if not session.material.document(document).image:
        return None
    with session.second_reader() as reader:
        stored = find_stored_image(reader, document)
    if stored is None or not stored.folder:
        return None
    folder = _known_folder(session, stored.folder)
    return None if folder is None else find_inside(folder, stored.path)


def _known_folder(session: Session, text: str) -> Path | None:
    """Return the folder that a text of the project stands for.

    One beneath the project's own folder is; it may not lead out by ``..``. Any other only
    if the person has imported from it here, or allowed it: a project that others made may
    name any place of this computer, or of another.
    """
    home = session.path.absolute().parent
    if text == ".":
        return home
    relative = find_relative(text)
    if relative is not None:
        return home / relative
    return Path(text) if is_local_folder(text) and is_allowed(session.uuid, text) else None


def folders_elsewhere(session: Session) -> list[str]:
    """Return the folders outside the project's own from which pictures are not shown yet.

    Those of other computers are never among them.
    """
    with session.second_reader() as reader:
        found = load_image_folders(reader)
    return [
        folder
        for folder in found
        if folder != "."
        and find_relative(folder) is None
        and is_local_folder(folder)
        and not is_allowed(session.uuid, folder)
    ]


def is_image(head: bytes) -> bool:
    """Return whether a file that begins so is a picture that is shown: PNG, JPEG, GIF, WebP, BMP, TIFF.

    SVG is none: it is a program that may name other files.

    Examples:
        >>> is_image(b"GIF89a......"), is_image(b"RIFF....WEBP"), is_image(b"<svg>")
        (True, True, False)
    """
    is_webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    return is_webp or head.startswith(_MAGICS)


def _is_shown(path: Path) -> bool:
    try:
        if is_held(path) or not 0 < path.stat().st_size <= MAX_IMAGE_BYTES:
            return False
        with path.open("rb") as stream:
            return is_image(stream.read(_MAGIC_BYTES))
    except OSError:
        return False


class ImagePlaces:
    """The folder of an import's pictures, and the pictures' paths in it.

    It is the folder of the file that names them; of several such files the deepest
    folder that they share. Inside the project's own folder it is kept relative to
    that, so that a project can be moved with its pictures; else as it is.

    Args:
        readings: the files of the import.
        home: the project's own folder.
    """

    def __init__(self, readings: "Sequence[Reading]", home: Path) -> None:
        folders = {
            id(reading): folder
            for reading in readings
            if any(document.image for document in reading.documents)
            and (folder := image_folder(reading.source)) is not None
        }
        self.folder = ""
        self._home = home
        self._inner: dict[int, str] = {}
        if not folders:
            return
        try:
            common = Path(os.path.commonpath(folders.values()))
        except ValueError:
            # On several drives: the first file's pictures are kept.
            common = next(iter(folders.values()))
        self.folder = _kept_folder(common, home)
        for key, folder in folders.items():
            if folder.is_relative_to(common):
                self._inner[key] = folder.relative_to(common).as_posix()

    def placed(self, document: Document, reading: "Reading") -> Document:
        """Return a document with its picture's path as it is kept."""
        inner = self._inner.get(id(reading))
        if not document.image or inner == ".":
            return document
        return replace(document, image=f"{inner}/{document.image}" if inner else "")

    def is_there(self, stored: StoredImage) -> bool:
        """Whether a picture of the project is still where the project has it."""
        return (self._home / stored.folder / stored.path).is_file()


def is_allowed(uuid: str, folder: str) -> bool:
    """Return whether the person shows pictures of a folder outside a project's own.

    Args:
        uuid: of the project.
        folder: absolute.
    """
    try:
        lines = _allowed_file().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return f"{uuid}\t{folder}" in lines


def allow_folder(uuid: str, folder: str) -> None:
    """Show pictures of a folder outside a project's own from now on, on this computer.

    Where that cannot be kept, they stay hidden.
    """
    if is_allowed(uuid, folder) or "\n" in folder:
        return
    path = _allowed_file()
    with contextlib.suppress(OSError):
        make_private_folder(path.parent)
        make_private_file(path)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f"{uuid}\t{folder}\n")


def _allowed_file() -> Path:
    return data_folder() / "picture-folders.tsv"


def _kept_folder(folder: Path, home: Path) -> str:
    folder, home = folder.resolve(), home.resolve()
    return folder.relative_to(home).as_posix() if folder.is_relative_to(home) else str(folder)


HIDDEN = N_(
    "Rank, score, run, addresses, other assessors and live values are hidden. "
    "This is stored with each judgment."
)
NEUTRAL: tuple[OrderKind, ...] = ("random", "id")
"""Orders from which nobody can tell what the systems thought of a document."""


class Blindness(NamedTuple):
    """How blind the assessor judges.

    Attributes:
        is_on: whether what could sway them is hidden.
        is_required: whether the project asks for it, so that it cannot be switched off.
        has_alias_ids: whether ids are hidden, too.
    """

    is_on: bool = False
    is_required: bool = False
    has_alias_ids: bool = False


def find_blindness(session: Session | None, *, is_wanted: bool) -> Blindness:
    """Return how blind the session's assessor judges.

    Args:
        session: the project; ``None`` for none.
        is_wanted: whether the person has switched it on.
    """
    if session is None:
        return Blindness()
    is_required = is_blind_required(session)
    is_on = is_required or is_wanted
    return Blindness(is_on, is_required, is_on and blind_policy(session).has_alias_ids)


def blind_order(session: Session) -> OrderPolicy:
    """Return the order in which a blind assessor sees documents: the chosen one, or by chance."""
    policy = order_of(session)
    return policy if policy.kind in NEUTRAL else replace(policy, kind="random")


def make_mask(session: Session, blindness: Blindness) -> Callable[[int, Document], Document] | None:
    """Return what takes from a document all that tells where it comes from.

    ``None`` without blind mode: documents stay as they are.
    """
    if not blindness.is_on:
        return None
    if not blindness.has_alias_ids:
        return lambda _number, document: replace(document, url="")
    return lambda number, document: replace(document, id=alias_id(session, number), url="")
