"""What there is to choose from for an export: whose judgments, or which run."""

from dataclasses import dataclass, replace

from judgetool.core.views import VIEW_RULES
from judgetool.formats.writers import ExportChoices, Subject, WriterFormat
from judgetool.session.exports.runs import list_run_names
from judgetool.session.session import Session


@dataclass(frozen=True, slots=True)
class Source:
    """Which judgments, or which run.

    Attributes:
        kind: ``view`` (a folding rule), ``assessor``, ``all`` or ``run``.
        name: of the rule, the assessor or the run; ``""`` for all.
        title: as shown.
        help: one sentence more; may be empty.
    """

    kind: str
    name: str
    title: str
    help: str = ""

    def apply_to(self, choices: ExportChoices) -> ExportChoices:
        """Return the choices with this source in them."""
        if self.kind == "view":
            return replace(choices, view=self.name)
        if self.kind == "assessor":
            return replace(choices, assessor=self.name)
        return replace(choices, runs=(self.name,)) if self.kind == "run" else choices


def sources_of(session: Session, subject: Subject) -> tuple[Source, ...]:
    """Return what there is to choose from for what a format is about; may be empty."""
    if subject is Subject.RUN:
        return tuple(Source("run", name, name) for name in list_run_names(session))
    if subject is Subject.QUERIES:
        return (Source("all", "", "All queries"),) if session.material.queries else ()
    if subject is Subject.DOCUMENTS:
        has_texts = session.material.count_documents()[1]
        return (Source("all", "", "All documents with a text"),) if has_texts else ()
    if subject is Subject.CLICKS:
        return (Source("all", "", "All clicks"),) if session.material.clicks else ()
    assessors = tuple(
        Source("assessor", name, f"{name}’s judgments", f"Only what {name} has said.")
        for name in session.assessors
    )
    if subject is Subject.JUDGMENTS:
        everyone = Source("all", "", "Everyone’s judgments", "One row for each assessor.")
        return (everyone, *assessors)
    views = tuple(Source("view", rule.name, rule.title, rule.help) for rule in VIEW_RULES.values())
    has_values = subject is not Subject.REPORT or session.material.runs
    return (*views, *assessors) if has_values else ()


def suggested_name(session: Session, form: WriterFormat, source: Source) -> str:
    """Return a file name that says what is in it."""
    stem, ending = session.path.stem, form.endings[0]
    name = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in source.name)
    if form.subject is Subject.RUN:
        return f"{name or 'run'}{ending}"
    start = stem if source.kind in ("view", "all") else f"{stem}-{name}"
    return f"{start}-{form.name}{ending}"
