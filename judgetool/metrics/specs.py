"""What a row of the table of measures is: a measure's name, parameters and definition."""

from dataclasses import dataclass
from typing import Literal

GainMap = tuple[tuple[float, float], ...]
ParamValue = bool | int | float | str | GainMap | None

Cutoff = Literal["required", "optional", "none"]
Pooling = Literal["mean", "sum", "geometric"]


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
    """One row of the table: all that is known of a measure by its name.

    Attributes:
        name: canonical name, case matters.
        title: for people, such as ``Average precision``.
        params: what may stand in brackets, sorted by name.
        needs_cutoff: whether ``@k`` is ``required``, ``optional`` or ``none``.
        lowest: smallest possible value, ``None`` when unbounded.
        highest: largest possible value whatever the scale, ``None`` when unbounded.
        kernel: name of the function that computes it.
        divides_by_relevant: whether it is undefined for a query without relevant documents.
        pooling: how the values of queries become one: ``mean``, ``sum`` or ``geometric``.
        uses: what it takes from the scale: ``relevance``, ``gain``, ``grade``, ``p``,
            ``clicks`` (of the import) or ``nothing``.
        formula: the definition in symbols.
        help: the meaning in one or two plain sentences.
        source: paper or tool.
        example: a valid spelling.
        at: parameter that ``@`` sets; ``cutoff`` except for interpolated precision.
    """

    name: str
    title: str
    kernel: str
    formula: str
    help: str
    source: str
    example: str
    params: tuple[ParamSpec, ...] = ()
    needs_cutoff: Cutoff = "none"
    lowest: float | None = 0.0
    highest: float | None = 1.0
    divides_by_relevant: bool = False
    pooling: Pooling = "mean"
    uses: Literal["relevance", "gain", "grade", "p", "clicks", "nothing"] = "relevance"
    at: str = "cutoff"

    @property
    def has_query_values(self) -> bool:
        """Whether it means something for one query; trec_eval prints others for all only."""
        return self.pooling != "geometric" and self.name != "NumQ"

    @property
    def counts_judgments(self) -> bool:
        """Whether it says how much is judged, which an assumed grade leaves as it is."""
        return self.kernel in ("judged_share", "unjudged_share")

    def find_param(self, name: str) -> ParamSpec | None:
        """Return the parameter of this name, or ``None``."""
        return next((param for param in self.params if param.name == name), None)


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
DCG_KIND = ParamSpec(
    "dcg",
    "word",
    "log2",
    "Gain as the scale has it ('log2'), or 2^grade − 1 in its place ('exp-log2').",
    words=("log2", "exp-log2"),
)
GAINS = ParamSpec(
    "gains", "gains", None, "Gains by grade; grades that are not listed keep the scale's gain."
)
BINARY = (JUDGED_ONLY, REL)


def beta_param(text: str) -> ParamSpec:
    """Return the parameter of an F measure, explained by ``text``."""
    return ParamSpec("beta", "number", 1, text, lowest=0, is_open=True)


def persistence_param(default: float, text: str) -> ParamSpec:
    """Return a probability of going on, strictly between 0 and 1."""
    return ParamSpec("p", "number", default, text, lowest=0, highest=1, is_open=True)
