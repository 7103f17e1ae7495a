"""A prompter that answers from a script and remembers what it was asked."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from judgetool.gui.dialogs import ALL_FILES, Choice, FileKind


class FakePrompter:
    """Answers questions in the order of a script.

    Args:
        files: one list of paths for each time files are to be chosen.
        places: one path, or ``None`` for Cancel, for each time a place is to be chosen.
        answers: one choice's name, or ``None``, for each question.

    Attributes:
        told: every sentence that needed no answer.
        asked: every question, with the texts of its choices.
        titles: what each question or sentence was about.
        details: what stood below it.
        suggested: every place that was suggested for saving.
        put_off: what stood on the button of each question that answers nothing.
    """

    def __init__(
        self,
        *,
        files: Iterable[Sequence[Path]] = (),
        places: Iterable[Path | None] = (),
        answers: Iterable[str | None] = (),
    ) -> None:
        self._files = list(files)
        self._places = list(places)
        self._answers = list(answers)
        self.told: list[str] = []
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.titles: list[str] = []
        self.details: list[str] = []
        self.suggested: list[Path] = []
        self.put_off: list[str] = []

    def choose_files(self, title: str, kinds: Sequence[FileKind] = (ALL_FILES,)) -> list[Path]:
        return list(self._files.pop(0))

    def choose_file(self, title: str, kinds: Sequence[FileKind] = (ALL_FILES,)) -> Path | None:
        return next(iter(self._files.pop(0)), None)

    def choose_folder(self, title: str) -> list[Path]:
        return self.choose_files(title)

    def choose_place(
        self, title: str, suggested: Path, *, kinds: Sequence[FileKind] = (ALL_FILES,)
    ) -> Path | None:
        self.suggested.append(suggested)
        return self._places.pop(0)

    def ask(
        self,
        text: str,
        choices: Sequence[Choice],
        *,
        detail: str = "",
        title: str = "",
        put_off: str = "Cancel",
    ) -> str | None:
        self.titles.append(title)
        self.details.append(detail)
        self.put_off.append(put_off)
        self.asked.append((text, tuple(choice.text for choice in choices)))
        answer = self._answers.pop(0)
        assert answer is None or answer in {choice.name for choice in choices}
        return answer

    def tell(self, text: str, *, detail: str = "", title: str = "") -> None:
        self.titles.append(title)
        self.told.append(text)
        self.details.append(detail)
