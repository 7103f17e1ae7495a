"""What the administrator lays down holds for the commands: refused in a sentence, with exit code 1."""

import sys

import pytest

from judgetool.wording import Language, speak
from tests.helpers.program import call, must


def test_no_command_reaches_a_hub(lay_down, empty):
    """Neither to make one nor to join or fill it; the sentence names the file."""
    path = lay_down(network="forbidden").path
    url = "postgresql://lea@127.0.0.1:9/recipes"
    for words in (
        ("create", url, empty, "--assessor", "Lea"),
        ("join", url, empty.with_name("other.judge"), "--assessor", "Lea"),
        ("upgrade", url),
    ):
        outcome = call("hub", *words)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err == (
            "The team’s hub: not on this machine. The network is forbidden to judgetool, set by your "
            f"administrator in {path}.\n"
        )


def test_no_program_that_asks_a_model_is_started(lay_down, tmp_path, sample):
    """It could send anything anywhere."""
    lay_down(network="forbidden")
    began, project = tmp_path / "began", tmp_path / "mine.judge"
    project.write_bytes(sample.read_bytes())
    command = f'{sys.executable} -c \'open("{began}", "w")\''
    outcome = call("ask-model", project, "--assessor", "m", "--command", command)
    assert outcome.code == 1
    assert outcome.err.startswith("Asking a model’s program: not on this machine.")
    assert not began.exists()


def test_a_broken_file_is_said_by_what_it_refuses_and_by_what_reads_it(lay_down, tmp_path):
    """Judging goes on; nothing leaves the machine."""
    lay_down("{")
    outcome = call("hub", "upgrade", "postgresql://lea@127.0.0.1:9/recipes")
    assert outcome.code == 1
    first, second = outcome.err.splitlines()
    assert first.startswith("The team’s hub: not on this machine. ")
    assert second.startswith("Nothing leaves this machine through judgetool: what your admin")
    lay_down("{")
    made = must("new", tmp_path / "new.judge")
    assert "Nothing leaves this machine through judgetool: " in made.err


def test_new_projects_have_the_scale_that_is_laid_down(lay_down, tmp_path):
    """Unless another is named."""
    lay_down(scale="1-5@4")
    made = must("new", tmp_path / "a.judge")
    assert made.out.startswith(f"Made {tmp_path / 'a.judge'} with the scale 1-5@4 (1–5).")
    assert "with the scale 0-3" in must("new", tmp_path / "b.judge", "--scale", "0-3").out


@pytest.mark.parametrize("place", ["elsewhere.judge", "lab/../elsewhere.judge", "laboratory.judge"])
def test_new_projects_stand_in_the_folder_that_is_laid_down(lay_down, tmp_path, place):
    """In it or below it, by whatever name; nothing is made elsewhere."""
    folder = tmp_path / "lab"
    (folder / "autumn").mkdir(parents=True)
    lay_down(projects=str(folder))
    outcome = call("new", tmp_path / place)
    assert outcome.code == 1
    assert outcome.err == (
        f"{tmp_path / place} was not made. New projects stand in {folder} here, set by your "
        "administrator.\n"
    )
    must("new", folder / "autumn" / "good.judge")
    assert [each.name for each in tmp_path.rglob("*.judge")] == ["good.judge"]


def test_messages_are_in_the_language_that_is_laid_down(lay_down, tmp_path, monkeypatch):
    """Whatever the environment asks for; data lines stay as they are."""
    folder = tmp_path / "home" / "config" / "locale"
    folder.mkdir(parents=True)
    monkeypatch.setenv("JUDGETOOL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("JUDGETOOL_LANGUAGE", "en")
    told = 'msgid "{path} was not made. {problem}"\nmsgstr "{path} blieb ungemacht. {problem}"\n'
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    (folder / "de.po").write_text(head + told, encoding="utf-8")
    lay_down(language="de", projects=str(tmp_path / "lab"))
    assert " blieb ungemacht. " in call("new", tmp_path / "a.judge").err
    speak(Language())
