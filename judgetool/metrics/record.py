"""What a measure's record is: its name, parameters, definition as terms, and how grades move it.

A record is the one place where a measure is written down. The engine adds its terms
up, intervals and stakes evaluate them for other grades, explanations lay them out.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from judgetool.metrics.terms import Terms, Tops

GainMap = tuple[tuple[float, float], ...]
ParamValue = bool | int | float | str | GainMap | None

Cutoff = Literal["required", "optional", "none"]
Pooling = Literal["mean", "sum", "geometric"]
Rule = Literal[
    "linear",
    "first",
    "shared",
    "squared",
    "reader",
    "precision",
    "r_precision",
    "placed",
    "ratio",
    "number",
    "present",
    "wide",
]


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """One parameter of a measure.

    Attributes:
        name: as written in ``Name(param=value)``.
        kind: ``number``, ``flag`` (True or False), ``word`` or ``gains`` (``{grade: gain}``).
        default: what counts when it is not given; ``None`` stands for 'as the scale says'.
        words: allowed words; a ``number`` may allow some, too.
        lowest: smallest allowed number, ``None`` for no bound.
        highest: largest allowed number, ``None`` for no bound.
        is_open: whether the two ends themselves are not allowed.
        help: one plain sentence.
    """

    name: str
    kind: Literal["number", "flag", "word", "gains"]
    default: ParamValue
    help: str
    words: tuple[str, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    is_open: bool = False

    @property
    def allowed(self) -> str:
        """What may be written, in words: ``'log2' or 'exp-log2'``, ``a number from 0 to 1``."""
        words = [repr(word) for word in self.words]
        if self.kind == "flag":
            words = ["True", "False"]
        elif self.kind == "gains":
            words = ["gains by grade such as {1: 3, 2: 9}"]
        elif self.kind == "number":
            words = [*words, self._range()]
        return " or ".join(words)

    def _range(self) -> str:
        if self.lowest is not None and self.highest is not None:
            between = "between {:g} and {:g}" if self.is_open else "from {:g} to {:g}"
            return "a number " + between.format(self.lowest, self.highest)
        if self.lowest is not None:
            return f"a number {'above' if self.is_open else 'from'} {self.lowest:g}"
        return "a number"


@dataclass(frozen=True, slots=True)
class MeasureSpec:
    """The record of a measure: all that is known of it by its name.

    Attributes:
        name: canonical name, case matters.
        title: for people, such as ``Average precision``.
        formula: the definition in symbols.
        help: the meaning in one or two plain sentences.
        source: paper or tool.
        example: a valid spelling.
        terms: the definition: what each document adds, and what divides the sum.
        rule: how grades move the value, from which intervals and stakes follow:

            * ``linear``: each document adds by its own worth and rank alone;
            * ``first``: the first relevant document decides, the sooner the better;
            * ``shared``: relevant documents found by a divisor that R alone moves;
              ``squared``: the same of their square;
            * ``reader``: a reader goes down and may stop at each document;
            * ``placed``: for a given R, the higher relevant documents stand the greater;
              ``precision`` and ``r_precision`` are AP and Rprec, of which more is known;
            * ``ratio``: a linear sum by that of the ideal order;
            * ``number``: R itself;
            * ``present``: no grading changes it: it states what is;
            * ``wide``: nobody has worked it out: the whole range, and it is called so.
        rule_if: a parameter, and the rule where it is given.
        params: what may stand in brackets, sorted by name.
        needs_cutoff: whether ``@k`` is ``required``, ``optional`` or ``none``.
        lowest: smallest possible value.
        highest: largest possible value whatever the scale, ``None`` when unbounded.
        divides_by_relevant: whether it is undefined for a query without relevant documents.
        pooling: how the values of queries become one: ``mean``, ``sum`` or ``geometric``.
        uses: what it takes from the scale: ``relevance``, ``gain``, ``grade``, ``p``,
            ``clicks`` (of the import) or ``nothing``.
        sees: which documents play a part: those ``useful`` (worth more than 0), all
            ``judged``, or all of the ``pool``. Where it is more than the useful ones, a
            document judged not relevant is another thing than one that nobody judged.
        skips_unjudged: whether it goes by the judged documents as if there were no others.
        counts_judgments: whether it says how much is judged, which an assumed grade
            leaves as it is.
        at: parameter that ``@`` sets; ``cutoff`` except for interpolated precision.
        trec: trec_eval's name of it without parameters; empty for none.
        trec_cut: trec_eval's name of it with a cutoff, without the number.
        synonyms: other names that mean it, of ranx and others.
    """

    name: str
    title: str
    formula: str
    help: str
    source: str
    example: str
    terms: Callable[[Tops], Terms]
    rule: Rule
    rule_if: tuple[str, Rule] | None = None
    params: tuple[ParamSpec, ...] = ()
    needs_cutoff: Cutoff = "none"
    lowest: float = 0.0
    highest: float | None = 1.0
    divides_by_relevant: bool = False
    pooling: Pooling = "mean"
    uses: Literal["relevance", "gain", "grade", "p", "clicks", "nothing"] = "relevance"
    sees: Literal["useful", "judged", "pool"] = "useful"
    skips_unjudged: bool = False
    counts_judgments: bool = False
    at: str = "cutoff"
    trec: str = ""
    trec_cut: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def has_query_values(self) -> bool:
        """Whether it means something for one query; trec_eval prints others for all only."""
        return self.pooling != "geometric" and self.name != "NumQ"

    def find_param(self, name: str) -> ParamSpec | None:
        """Return the parameter of this name, or ``None``."""
        return next((param for param in self.params if param.name == name), None)

    def geometric(self, name: str, help_text: str, source: str, trec: str) -> "MeasureSpec":
        """Return the same measure whose mean over queries is geometric."""
        return replace(
            self,
            name=name,
            title=f"Geometric mean {self.title.lower()}",
            formula=f"per query {self.name}; over queries exp(mean(log(max({self.name}, 0.00001))))",
            help=help_text,
            source=source,
            example=name,
            needs_cutoff="none",
            params=tuple(param for param in self.params if param.name != "norm"),
            pooling="geometric",
            trec=trec,
            trec_cut="",
            synonyms=(),
        )


TREC_EVAL = "trec_eval 9.0.8"

REL = ParamSpec(
    "rel",
    "number",
    None,
    "Lowest grade that counts as relevant; without it, the scale's.",
    lowest=0,
)
JUDGED_ONLY = ParamSpec(
    "judged_only", "flag", False, "Take unjudged documents out of the ranking first."
)
BINARY = (JUDGED_ONLY, REL)


def persistence_param(default: float, text: str) -> ParamSpec:
    """Return a probability of going on, strictly between 0 and 1."""
    return ParamSpec("p", "number", default, text, lowest=0, highest=1, is_open=True)
