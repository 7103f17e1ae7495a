"""What is shown follows a language: of one file, of the environment, of a person's preference."""

from threading import Thread

import numpy as np
import pytest

from judgetool.core.catalogues import asked_for, choose_language, languages, runs_leftward
from judgetool.core.number_text import number_of
from judgetool.core.scale import numbered_scale, scale_preset
from judgetool.gui.actions import ACTIONS
from judgetool.metrics.explain import explain_value
from judgetool.metrics.grades import QueryGrades
from judgetool.metrics.measure import parse_measure
from judgetool.wording import Language, _, in_english, pgettext, speak, spoken, translated

POLISH = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

#. what it is called in itself
msgctxt "language"
msgid "English"
msgstr "Polski"

msgid "Undo"
msgstr "Cofnij"

#, fuzzy
msgid "Redo"
msgstr "Nie"

msgid "List"
msgstr ""

msgctxt "verb"
msgid "Grade"
msgstr ""
"Oceń "
"„to”\\n"

#: somewhere.py
#, python-brace-format
msgid "{n} line of {name}"
msgid_plural "{n} lines of {name}"
msgstr[0] "{n} wiersz z {name}"
msgstr[1] "{n} wiersze z {name}"
msgstr[2] "{n} wierszy z {name}"

msgid "Open {name}"
msgstr "Otwórz {plik}"

#~ msgid "Gone"
#~ msgstr "Nie ma"
"""


@pytest.fixture(autouse=True)
def english_again():
    """Whatever a test speaks, the next one finds English."""
    yield
    speak(Language())


@pytest.fixture
def polish(tmp_path, monkeypatch):
    """A language that a person dropped beside their preferences, as one file."""
    monkeypatch.setenv("JUDGETOOL_HOME", str(tmp_path))
    monkeypatch.delenv("JUDGETOOL_LANGUAGE")
    folder = tmp_path / "config" / "locale"
    folder.mkdir(parents=True)
    (folder / "pl.po").write_text(POLISH, encoding="utf-8")


def test_another_language_is_one_file(polish):
    """It can be chosen by its own name; what it lacks, has as fuzzy or cannot fill in stays English."""
    assert languages()["pl"] == "Polski"
    choose_language("pl_PL")
    assert [_(said) for said in ("Undo", "Redo", "List", "Open {name}", "Gone", "")] == [
        "Cofnij",
        *("Redo", "List", "Open {name}", "Gone", ""),
    ]
    assert pgettext("verb", "Grade") == "Oceń „to”\n"
    assert next(spec for spec in ACTIONS if spec.name == "edit.undo").label == "Cofnij"


def test_what_is_written_in_english_leaves_other_threads_alone(polish):
    """A file is made while the window goes on in its language; it speaks it again afterwards."""
    choose_language("pl")
    heard = []
    with in_english():
        heard.append(_("Undo"))
        other = Thread(target=lambda: heard.append(_("Undo")))
        other.start()
        other.join()
    assert [*heard, _("Undo")] == ["Undo", "Cofnij", "Cofnij"]


def test_three_forms_of_a_number(polish):
    """A language has as many forms as it needs; English has its two beside it."""
    sentence = ("{n} line of {name}", "{n} lines of {name}")
    in_english = [number_of(n, *sentence, name="a") for n in (1, 3, 1405)]
    choose_language("pl")
    assert in_english == ["1 line of a", "3 lines of a", "1,405 lines of a"]
    assert [number_of(n, *sentence, name="a").split()[1] for n in (1, 3, 5, 22)] == [
        "wiersz",
        "wiersze",
        "wierszy",
        "wiersze",
    ]


def test_a_file_that_does_not_name_its_language_is_not_offered(polish, tmp_path):
    """It is not ready; who asks for it has what it has, and the rest in English."""
    path = tmp_path / "config" / "locale" / "cs.po"
    path.write_text('msgid "Undo"\nmsgstr "Zpět"\n\nmsgid "Redo"\n', encoding="utf-8")
    assert "cs" not in languages()
    choose_language("cs")
    assert (_("Undo"), _("Redo")) == ("Zpět", "Redo")


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({}, []),
        ({"LANG": "C.UTF-8", "LANGUAGE": "de"}, []),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "POSIX"}, []),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "de_AT:ru"}, ["de_AT", "ru"]),
        ({"LANG": "de_DE.UTF-8@euro", "LC_MESSAGES": "ru_RU"}, ["ru_RU"]),
    ],
)
def test_the_environment_asks_as_of_other_programs(environment, asked):
    """LC_ALL goes before LC_MESSAGES before LANG; C is what scripts rely on."""
    assert asked_for(environment) == asked


def test_a_broken_file_leaves_english(polish, tmp_path):
    """A rule of forms that is none is told, and English is spoken."""
    path = tmp_path / "config" / "locale" / "pl.po"
    path.write_text(POLISH.replace("plural=(n==1", "plural=(import os"), encoding="utf-8")
    choose_language("pl")
    assert spoken().code == "en"


def test_what_measures_say_is_english_until_it_is_shown(monkeypatch):
    """Data lines and JSON have it as it is; a window has the sentence and the signs of its language."""
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "de")
    choose_language()
    grades = QueryGrades(np.array([3.0, np.nan, 1.0]))
    explained = explain_value(parse_measure("RBP"), grades, scale_preset("0-3"))
    (note,) = explained.notes
    assert note == "Unjudged documents among these ranks could add 0.1600."
    assert translated(note) == "Unbeurteilte Dokumente auf diesen Rängen könnten 0,1600 hinzufügen."
    assert (
        translated(parse_measure("RBP").spec.find_param("p").allowed)
        == "eine Zahl zwischen 0 und 1"
    )


def test_levels_of_presets_are_shown_in_the_language_and_kept_as_they_are(monkeypatch):
    """A person's own level stays what it is called."""
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "ru")
    choose_language()
    level = scale_preset("0-3").levels[3]
    assert (level.name, level.shown_name) == ("Highly relevant", "Очень релевантный")
    assert numbered_scale("own", ("Bad", "Undo")).levels[1].shown_name == "Undo"


def test_made_languages(monkeypatch):
    """One is two fifths longer, one runs leftward; neither touches what a program reads."""
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "xx")
    choose_language()
    longer = _("Give <b>{name}</b> to everybody &amp; all")
    assert longer.startswith("[Gîvé <b>{name}</b> tö")
    assert len(longer) >= 1.4 * len("Give <b>{name}</b> to everybody &amp; all")
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "xr")
    choose_language()
    assert runs_leftward()
    assert "{name}" in _("Give {name}")
    assert not {"G", "i", "v"} & set(_("Give {name}").replace("{name}", ""))
