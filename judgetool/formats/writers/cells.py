"""Cells of tables that people open in a spreadsheet."""

from judgetool.core.formula_guard import GUARD, is_formula, is_guarded
from judgetool.errors import InputError
from judgetool.formats.columns import count_noun
from judgetool.formats.records import find_storage_problem
from judgetool.formats.writers.choices import Formulas


class SafeCells:
    """Makes cells that a spreadsheet shows and does not run.

    Numbers and times are never touched. Ids are never changed: they are kept as they
    are, or refused.

    Args:
        formulas: what was chosen.
        notes: gets what was done, once :meth:`tell` is called.
    """

    def __init__(self, formulas: Formulas, notes: list[str]) -> None:
        self._formulas = formulas
        self._notes = notes
        self._n_guarded = 0
        self._n_kept = 0

    def id(self, text: str, what: str) -> str:
        """Return an id (or a name that stands for one) as it is.

        Args:
            text: the id.
            what: ``query id``, ``document id``, ``assessor`` …, for the sentence.

        Raises:
            InputError: it looks like a formula, and such ids are to be refused; or no
                file can hold it.
        """
        _check_text(text, what)
        if is_formula(text):
            if self._formulas is Formulas.REFUSE_IDS:
                raise InputError(
                    f"The {what} {text[:80]!r} begins as a formula does, and a spreadsheet would "
                    "run it or change it. Ids are never changed: nothing was written. Choose to "
                    "keep such ids, or a format that is not for spreadsheets (JSON lines, qrels)."
                )
            self._n_kept += 1
        return text

    def text(self, text: str, what: str) -> str:
        """Return a text, with an apostrophe in front where it looks like a formula.

        Raises:
            InputError: no file can hold it.
        """
        _check_text(text, what)
        if not is_formula(text):
            return text
        if self._formulas is Formulas.KEEP_ALL:
            self._n_kept += 1
            return text
        self._n_guarded += 1
        return GUARD + text

    def own_text(self, text: str, what: str) -> str:
        """Return a text of a table that judgetool reads back as its own.

        Reading takes one guard off, so that a text that has one by itself gets another.

        Raises:
            InputError: no file can hold it.
        """
        return GUARD + text if is_guarded(text) else self.text(text, what)

    def tell(self) -> None:
        """Add what was done to the notes, if anything was."""
        if self._n_guarded:
            begins = "begins" if self._n_guarded == 1 else "begin"
            self._notes.append(
                f"{count_noun(self._n_guarded, 'text')} that {begins} as formulas do got an "
                "apostrophe in front."
            )
        if self._n_kept:
            begins = "begins" if self._n_kept == 1 else "begin"
            self._notes.append(
                f"{count_noun(self._n_kept, 'cell')} {begins} as formulas do and stay as they "
                "are: a spreadsheet may run them."
            )


def _check_text(text: str, what: str) -> None:
    problem = find_storage_problem(text)
    if problem:
        raise InputError(
            f"The {what} {text[:80]!r} cannot be written: {problem}. Nothing was written."
        )
