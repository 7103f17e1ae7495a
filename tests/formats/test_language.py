"""What is said of files of others follows the language: refusals, notes, questions and their choices."""

import re
import shutil

import pytest

from judgetool.errors import InputError, ParseError
from judgetool.formats import Kind, read_file, read_text
from judgetool.formats.values import raise_first_refusal
from judgetool.wording import _
from tests.formats.test_detection import SAMPLES
from tests.helpers.formats import DATA


def said_of(path, kind):
    """Return all that is said of a file that is read as a kind."""
    try:
        reading = read_file(path, kind=kind)
        asked = [
            _(text)  # as whoever asks it does
            for each in reading.open_questions
            for text in (each.text, *filter(None, each.choices.values()))
        ]
        said = [*asked, *reading.notes, *(refusal.reason for refusal in reading.refusals)]
        raise_first_refusal(reading)
    except InputError as problem:
        return [str(problem)]
    return said


@pytest.mark.parametrize("sample", SAMPLES)
def test_no_sentence_on_a_file_is_bare_english(speaks, tmp_path, sample):
    """Read as any kind, and cut off with what is no text behind it; what stands in quotes is the file's."""
    speaks("xx")
    cut = tmp_path / "download"
    if (DATA / sample).is_file():
        data = (DATA / sample).read_bytes()
        cut.write_bytes(data[: len(data) * 2 // 3] + b"\nno\0text\nbroken\n")
    else:
        shutil.copytree(DATA / sample, cut)
    texts = [
        text
        for path in (DATA / sample, cut)
        for kind in (None, *Kind)
        for text in said_of(path, kind)
    ]
    plain = [
        re.sub(r"'[^']*'|\S*download\S*|\S*" + re.escape(sample) + r"\S*|\([^·]*?\)", "", text)
        for text in texts
    ]
    bare = [text for text in plain if text and "·" not in text]
    assert bare == []


def test_every_format_is_named_in_the_language(speaks):
    """A refusal says what was expected and what was found by the words that the window has, too."""
    speaks("de")
    with pytest.raises(ParseError) as refused:
        read_text("1 0 a 2\n1 0 b 1\n", kind=Kind.RUN)
    assert str(refused.value) == (
        "text, Zeile 1: erwartet wird TREC-Run (query Q0 document rank score tag, durch Leerzeichen "
        "getrennt; nach Score geordnet), gefunden, was nach TREC-Qrels aussieht. Nichts wurde behalten."
    )
