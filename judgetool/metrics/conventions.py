"""Conventions: what counts when the definitions leave a choice, one by one or as a tool has it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from judgetool.core.scale import Scale, scale_preset
from judgetool.errors import UsageError, named
from judgetool.metrics.measure import Measure, Params, parse_measure
from judgetool.wording import N_, _, stated, translated

Unjudged = Literal["as non-relevant", "left out"]


Undefined = Literal["zero", "leave out"]


Missing = Literal["judged", "both", "all"]


Scores = Literal["double", "single"]


CONVENTION_CHOICES: dict[str, dict[str, str]] = {
    "unjudged": {
        "as non-relevant": N_("Unjudged documents keep their rank and count as not relevant."),
        "left out": N_("Unjudged documents are taken out of the rankings first."),
    },
    "undefined": {
        "zero": N_("Where a value is undefined (no relevant document), the mean counts it as 0."),
        "leave out": N_(
            "Where a value is undefined (no relevant document), the mean leaves it out."
        ),
    },
    "missing": {
        "judged": N_("Means are over all judged queries; one that the run lacks counts as 0."),
        "both": N_("Means are over the queries that are judged and in the run."),
        "all": N_(
            "Means are over all queries judged or in the run; one without judgments or "
            "without results counts as 0."
        ),
    },
    "scores": {
        "double": N_("Scores are compared as 64-bit numbers; ties go by document id, falling."),
        "single": N_("Scores are compared as 32-bit numbers; ties go by document id, falling."),
    },
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How unjudged documents, undefined values and missing queries count.

    The default is trec_eval's with ``-c``: all judged queries, what is undefined or
    missing is 0 in means.

    Attributes:
        unjudged: documents without a grade: ``as non-relevant`` or ``left out``.
        undefined: values that are undefined: ``zero`` in means, or ``leave out``.
        missing: queries of the means: all ``judged``, ``both`` judged and in the run, or ``all``.
        is_weighted: whether means are weighted by the queries' importance.
        scores: precision in which a run's scores are compared, ``double`` or ``single``.
        preset: name of the preset that these come from, ``""`` for one's own.

    Raises:
        UsageError: a choice that there is not; the text lists the choices.
    """

    unjudged: Unjudged = "as non-relevant"
    undefined: Undefined = "zero"
    missing: Missing = "judged"
    is_weighted: bool = False
    scores: Scores = "double"
    preset: str = ""

    @property
    def leaves_out_unjudged(self) -> bool:
        """Whether rankings are looked at without what nobody judged."""
        return self.unjudged == "left out"

    def __post_init__(self) -> None:
        for name, choices in CONVENTION_CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                allowed = ", ".join(repr(choice) for choice in choices)
                raise UsageError(
                    _("{name} may be one of {allowed}, not ‘{value}’.").format(
                        name=name, allowed=allowed, value=value
                    )
                )

    def describe(self) -> tuple[str, ...]:
        """Return the conventions as sentences, one each, for panels and exports.

        Examples:
            >>> Conventions().describe()[2]
            'Means are over all judged queries; one that the run lacks counts as 0.'
        """
        sentences = [choices[getattr(self, name)] for name, choices in CONVENTION_CHOICES.items()]
        if self.is_weighted:
            sentences.append(N_("Means are weighted by the importance of the queries."))
        if self.preset:
            sentences.insert(0, stated("Conventions of the preset {name}.", name=self.preset))
        return tuple(sentences)


Rewrites = dict[str, Params]


@dataclass(frozen=True, slots=True)
class ConventionPreset:
    """A whole set of conventions under one name.

    Attributes:
        name: as given on the command line.
        title: as shown in the window.
        conventions: what counts; its ``preset`` is this name.
        rewrites: parameters by measure that hold unless the measure gives its own.
        unscaled: further ones where nobody names a scale, as the tool's usual one has them.
        measures: canonical spellings of what the tool reports.
        scale: name of the scale preset that belongs to it, ``None`` for the project's
            own (from files alone: TREC 0–4).
        digits: decimals that the tool prints.
        help: plain sentences: what differs from the default.
        source: what was read or run to know.
    """

    name: str
    title: str
    conventions: Conventions
    help: str
    source: str
    rewrites: Rewrites = field(default_factory=dict)
    unscaled: Rewrites = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    scale: str | None = None
    digits: int = 4

    def rewrite(self, measure: Measure, *, has_scale: bool = True) -> Measure:
        """Return the measure as this tool understands its bare name.

        Args:
            measure: any.
            has_scale: whether somebody named a scale.

        Examples:
            >>> str(convention_preset("quepid").rewrite(parse_measure("P@10")))
            "P(over='retrieved')@10"
            >>> str(convention_preset("trec-dl").rewrite(parse_measure("AP(rel=3)")))
            'AP(rel=3)'
        """
        given = dict(measure.params)
        unscaled = () if has_scale else self.unscaled.get(measure.name, ())
        added = {
            key: value
            for key, value in (*self.rewrites.get(measure.name, ()), *unscaled)
            if key not in given and measure.has_param(key)
        }
        return measure.with_params(**added) if added else measure

    def rewrite_all(
        self, measures: Sequence[Measure], *, has_scale: bool = True
    ) -> tuple[Measure, ...]:
        """Return all measures as this tool understands them; arguments as of :meth:`rewrite`."""
        return tuple(self.rewrite(measure, has_scale=has_scale) for measure in measures)

    def default_measures(self, *, has_scale: bool = True) -> tuple[Measure, ...]:
        """Return what the tool reports, as it understands it."""
        measures = [parse_measure(text) for text in self.measures]
        return self.rewrite_all(measures, has_scale=has_scale)

    def describe(self) -> tuple[str, ...]:
        """Return the conventions and rewrites as sentences, one each."""
        rewritten = [
            f"{name} stands for {name}({', '.join(f'{key}={value!r}' for key, value in params)})."
            for name, params in self.rewrites.items()
        ]
        scale = [f"Grades are read by the scale {self.scale}."] if self.scale else []
        return (*self.conventions.describe(), *rewritten, *scale, self.help)


_EXPONENTIAL: Params = (("dcg", "exp-log2"),)


_BINARY_FROM_2: Rewrites = dict.fromkeys(
    (
        *("P", "R", "R_cap", "F1", "F", "Success", "Rprec", "SetP", "SetR", "SetF", "SetAP"),
        *("RR", "AP", "GMAP", "IPrec", "11pt", "Bpref", "GMBpref", "infAP", "RBP"),
        *("NumRel", "NumRelRet", "NumNonrelRet"),
    ),
    (("rel", 2),),
)


_PRESETS = (
    ConventionPreset(
        "trec_eval",
        "trec_eval 9.0.8",
        Conventions(missing="both", preset="trec_eval"),
        N_("Queries that the run lacks are left out, as trec_eval does without -c."),
        "trec_eval 9.0.8, m_*.c",
        measures=("NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "GMAP", "Rprec", "Bpref", "RR"),
    ),
    ConventionPreset(
        "gdeval",
        "gdeval (TREC Web)",
        Conventions(missing="both", preset="gdeval"),
        N_("Gain 2^grade − 1 in nDCG; ERR with gmax 4; five decimals."),
        "gdeval.pl 1.2a",
        rewrites={"nDCG": _EXPONENTIAL, "DCG": _EXPONENTIAL, "ERR": (("max_rel", 4),)},
        measures=("nDCG@20", "ERR@20"),
        digits=5,
    ),
    ConventionPreset(
        "quepid",
        "Quepid",
        Conventions(missing="all", preset="quepid"),
        N_(
            "Precision by the documents returned; the ideal of nDCG is not cut at k; a query that "
            "nobody judged counts as 0. ERR takes the highest grade from the scale: from 0–3 where "
            "none is named."
        ),
        "Quepid 8.6.0, db/scorers",
        rewrites={
            "P": (("over", "retrieved"),),
            "DCG": _EXPONENTIAL,
            "nDCG": (*_EXPONENTIAL, ("ideal", "uncut")),
        },
        unscaled={"ERR": (("max_rel", 3),)},
        measures=("P@10", "AP@10", "RR@10", "CG@10", "DCG@10", "nDCG@10", "ERR@10"),
        digits=2,
    ),
    ConventionPreset(
        "elasticsearch",
        "Elasticsearch rank_eval",
        Conventions(missing="judged", preset="elasticsearch"),
        N_("Precision by the documents returned; the ideal of nDCG is as long as the ranking."),
        "Elasticsearch modules/rank-eval",
        rewrites={
            "P": (("over", "retrieved"),),
            "DCG": _EXPONENTIAL,
            "nDCG": (*_EXPONENTIAL, ("ideal", "length")),
        },
        measures=("P@10", "R@10", "RR@10", "DCG@10", "nDCG@10", "ERR@10"),
    ),
    ConventionPreset(
        "beir",
        "BEIR",
        Conventions(missing="both", scores="single", preset="beir"),
        N_("As pytrec_eval, five decimals; queries that the run lacks are left out."),
        "BEIR, beir/retrieval/evaluation.py",
        measures=("nDCG@10", "AP@100", "R@100", "P@10", "RR@10", "R_cap@100"),
        digits=5,
    ),
    ConventionPreset(
        "msmarco",
        "MS MARCO",
        Conventions(missing="judged", preset="msmarco"),
        N_("Its own measure is RR of the first ten ranks; every judged query counts."),
        "msmarco_passage_eval.py",
        measures=("RR@10",),
        digits=16,
    ),
    ConventionPreset(
        "trec-dl",
        N_("TREC DL (relevant from 2)"),
        Conventions(missing="judged", preset="trec-dl"),
        N_("Binary measures count grades from 2; nDCG takes all grades."),
        "TREC Deep Learning tracks, 2019 to 2023",
        rewrites=_BINARY_FROM_2,
        measures=("nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000"),
        scale="0-3",
    ),
    ConventionPreset(
        "yandex",
        "Yandex / ROMIP (pFound)",
        Conventions(missing="judged", preset="yandex"),
        N_("pFound with pBreak 0.15 and the five probabilities 0.61, 0.41, 0.14, 0.07, 0."),
        "Gulin and others, ROMIP 2009",
        measures=("pFound@10", "pFound"),
        scale="yandex",
    ),
    ConventionPreset(
        "esci",
        N_("ESCI (shopping queries)"),
        Conventions(missing="judged", preset="esci"),
        N_("nDCG over the whole list with gains 1, 0.1, 0.01 and 0."),
        "Reddy and others 2022, Shopping Queries Dataset, task 1",
        measures=("nDCG",),
        scale="esci",
    ),
)


CONVENTION_PRESETS: dict[str, ConventionPreset] = {preset.name: preset for preset in _PRESETS}


def convention_preset(name: str) -> ConventionPreset:
    """Return a preset: ``trec_eval``, ``gdeval``, ``quepid``, ``elasticsearch`` and others.

    Raises:
        UsageError: no preset has this name; the text lists them.
    """
    return named(
        CONVENTION_PRESETS, name, _("There is no preset ‘{name}’. Choose one of: {names}.")
    )


class NamedConventions(NamedTuple):
    """What conventions are called wherever they are named.

    Attributes:
        name: in a word, with a mark where the tool of that name can print other numbers.
        title: with more room.
        differs: why it can, in sentences; ``""`` where it prints these numbers.
    """

    name: str
    title: str
    differs: str


def name_conventions(
    conventions: Conventions, scale: Scale, *, is_weighted: bool
) -> NamedConventions:
    """Return what conventions are called; a tool's plain name where its own numbers are these.

    Args:
        conventions: a preset's, or the project's own, which are as trec_eval's unless they
            say otherwise.
        scale: by which grades are read here.
        is_weighted: whether means are weighted, by weights that are not all the same.

    Examples:
        >>> own = Conventions(is_weighted=True)
        >>> name_conventions(own, scale_preset("0-3"), is_weighted=False)
        NamedConventions(name='trec_eval -c', title='trec_eval -c', differs='')
        >>> name_conventions(own, scale_preset("0-3"), is_weighted=True)[:2]
        ('trec_eval*', 'own conventions')
    """
    tool, title, usual = _most_like(conventions)
    counted = replace(conventions, is_weighted=is_weighted)
    own = [each for each in counted.describe() if each not in usual.conventions.describe()]
    has_own_scale = not scale.is_plain and not (
        usual.scale and scale.values_alike(scale_preset(usual.scale))
    )
    if not own and not has_own_scale:
        # A preset’s title is longer than its name; own conventions have none but the title.
        return NamedConventions(tool if conventions.preset else title, title, "")
    described = scale.describe() if has_own_scale else ""
    if not own:
        return NamedConventions(
            f"{tool}*",
            _("{title}, own scale").format(title=title),
            _(
                "The conventions are {title}’s, but it takes another scale for granted and can print other "
                "numbers. This project’s: {scale}."
            ).format(title=title, scale=described),
        )
    said = [translated(each) for each in own]
    if described:
        said.append(_("The scale: {scale}.").format(scale=described))
    return NamedConventions(
        f"{tool}*",
        _("own conventions"),
        _("{title} counts otherwise and can print other numbers. Here: {said}").format(
            title=title, said=" ".join(said)
        ),
    )


def _most_like(conventions: Conventions) -> tuple[str, str, ConventionPreset]:
    """Return the tool that conventions are named after, its title, and how it counts."""
    preset = CONVENTION_PRESETS.get(conventions.preset)
    if preset is not None:
        return preset.name, _(preset.title), preset
    plain = CONVENTION_PRESETS["trec_eval"]
    if conventions.missing == "both":
        return plain.name, plain.name, replace(plain, conventions=Conventions(missing="both"))
    return plain.name, f"{plain.name} -c", replace(plain, conventions=Conventions())
