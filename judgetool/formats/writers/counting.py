"""How much a file holds, and what it is that is counted."""

from judgetool.formats.writers.choices import CannotJudge, ExportChoices
from judgetool.formats.writers.values import ExportMaterial, Subject, WriterFormat

NOUNS = {
    Subject.GRADES: "grade",
    Subject.JUDGMENTS: "judgment",
    Subject.RUN: "result",
    Subject.QUERIES: "query",
    Subject.DOCUMENTS: "document",
    Subject.CLICKS: "count",
    Subject.REPORT: "run",
}
"""What is counted in a file, by what it is about."""


def count_records(form: WriterFormat, material: ExportMaterial, choices: ExportChoices) -> int:
    """Return how many grades, judgments, results, queries or runs a file will hold."""
    if form.subject is Subject.GRADES:
        is_counted = choices.cannot_judge is CannotJudge.LOWEST
        return sum(is_counted or row.grade is not None for row in material.folded)
    if form.subject is Subject.JUDGMENTS:
        rows = material.judgments
        return sum(row.grade is not None or not form.has_grades_only for row in rows)
    counts = {
        Subject.QUERIES: len(material.queries),
        Subject.DOCUMENTS: material.n_documents,
        Subject.CLICKS: len(material.clicks),
        Subject.REPORT: len(material.report.rows) if material.report else 0,
        Subject.RUN: material.run.n_results if material.run else 0,
    }
    return counts[form.subject]
