"""A report as one HTML page that needs nothing else; the PDF is the same page printed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from judgetool.core.judgments import Query
from judgetool.core.number_text import UNDEFINED, format_p, format_value, signed
from judgetool.formats.writers.values import AgreementTable
from judgetool.metrics import ComparisonRules, Measure
from judgetool.session.charts import (
    PAGE_INKS,
    PAGE_LOOK,
    Chart,
    ChartLook,
    chart_svg,
    difference_bars_svg,
    escaped,
)
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable
from judgetool.session.comparing.pair_bounds import PairBounds
from judgetool.session.comparing.query_by_query import QueryDifference
from judgetool.session.comparing.tables import find_verdict_in
from judgetool.session.comparing.these_queries import Decision
from judgetool.session.comparing.verdicts import is_near_level, significance
from judgetool.wording import in_english

_MOST_BARS = 50
_MOST_WORST = 10
# On paper: measures side by side, and drawings of a pair's bars.
_MOST_ACROSS, _PICTURES_PRINTED = 6, 2
_CURVE_SIZE = (560.0, 240.0)


class ReportDifferences(NamedTuple):
    """One system against the baseline, query by query.

    Attributes:
        title: such as ``chargrams minus full-bm25, nDCG@10``.
        rows: all queries that count for both, worst first.
        is_quality: whether more is better.
    """

    title: str
    rows: Sequence[tuple[Query, QueryDifference]]
    is_quality: bool = True


PAIR_TITLES = (
    "queries",
    "difference",
    "interval",
    "bounds",
    "p",
    "p corrected",
    "d_z",
    "won",
    "tied",
    "lost",
    "verdict",
)
"""What is said of each pair, beside run and measure."""


@dataclass(frozen=True, slots=True)
class Report:
    """All of a report.

    Attributes:
        title: of the project.
        subtitle: one line below it; may be empty.
        facts: (label, text) pairs: counts and dates.
        table: systems and measures.
        remarks: what the systems are, such as ``what-if of chargrams``, by their key.
        differences: one per system besides the baseline.
        plots: curves.
        sentences: how the figures came about, one each.
        made: how and when the page was made.
        bounds: how far each difference can still go, by system's key and measure, where
            judgments to come can change it.
        decisions: how drawing by lot stands, likewise, where somebody asked.
        command: the command line that makes the same figures; may be empty.
        agreement: between those who judged; ``None`` where no document was graded by two.
        drawn: the measure by which differences are drawn, and said in full; ``None`` for the first.
        formulas: how each measure is worked out; of others its record is shown.
    """

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    table: ComparisonTable
    remarks: Mapping[str, str]
    differences: Sequence[ReportDifferences]
    plots: Sequence[Chart]
    sentences: Sequence[str]
    made: str
    bounds: Mapping[tuple[str, Measure], PairBounds] = field(default_factory=dict)
    decisions: Mapping[tuple[str, Measure], Decision | None] = field(default_factory=dict)
    command: str = ""
    agreement: AgreementTable | None = None
    drawn: Measure | None = None
    formulas: Mapping[Measure, str] = field(default_factory=dict)


def iter_report_html(report: Report) -> Iterator[str]:
    """Yield the page; every text of the project is escaped, whatever is in it."""
    # Made first: who takes the parts one by one speaks another language between them.
    with in_english():
        parts = list(_page(report))
    yield from parts


def _page(report: Report) -> Iterator[str]:
    title = escaped(report.title)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>\n"
    )
    page = _Page(report, PAGE_LOOK, max(1, len(report.table.measures)))
    yield from page.parts()
    yield "</main>\n</body>\n</html>\n"


@in_english()
def printed_report(
    report: Report, look: ChartLook, *, n_columns: int = 1
) -> tuple[str, str, list[str]]:
    """Return the same page for paper, in the plain HTML that Qt sets.

    Args:
        report: what it says.
        look: of its drawings.
        n_columns: drawings side by side.

    Returns:
        Its style, its body, and its drawings as SVG; where the n-th stands the body has an
        image ``n:columns``, as wide as one of so many columns.
    """
    page = _Page(report, look, _MOST_ACROSS, n_pictures=_PICTURES_PRINTED)
    body = "".join(page.parts())
    pictures: list[str] = []
    while "<svg" in body:
        before, _, rest = body.partition("<svg")
        drawn, _, after = rest.partition("</svg>")
        body = f"{before}<p><img src='{len(pictures)}:{n_columns}'></p>{after}"
        pictures.append(f"<svg{drawn}</svg>")
    if n_columns > 1:
        body = _FIGURES.sub(partial(_beside, n_columns), body)
    for plain, set_ in _FOR_QT:
        body = body.replace(plain, set_)
    # A measure's name that is too wide goes on after its sign of equality.
    return _PRINT_STYLE, re.sub("=(?=[^<>]*</th>)", "=&#8203;", body), pictures


_FIGURE = re.compile(r"<figure>(.*?)</figure>", re.DOTALL)
_FIGURES = re.compile(r"(?:<figure>(?:(?!</figure>).)*</figure>\s*)+", re.DOTALL)


def _beside(n_columns: int, found: re.Match[str]) -> str:
    """Return figures that follow each other as rows of a table without lines."""
    figures = _FIGURE.findall(found[0])
    rows = (figures[at : at + n_columns] for at in range(0, len(figures), n_columns))
    cells = (
        "".join(f"<td class='figure' valign='top'>{each}</td>" for each in row) for row in rows
    )
    lines = "".join(f"<tr>{each}</tr>" for each in cells)
    return f"<table width='100%' cellspacing='0' border='0'>{lines}</table>"


def _bdi(text: str) -> str:
    """Return a text that keeps its direction to itself."""
    return f"<bdi>{escaped(text)}</bdi>"


class _Page:
    """The parts of the page, one after the other.

    Args:
        report: what it says.
        look: of its drawings.
        across: measures side by side.
        n_pictures: how many drawings the bars of a pair stand in.
    """

    def __init__(
        self, report: Report, look: ChartLook, across: int, *, n_pictures: int = 1
    ) -> None:
        self._report, self._look, self._across = report, look, across
        self._n_pictures = n_pictures

    def parts(self) -> Iterator[str]:
        """Yield the page from its title to its foot."""
        report = self._report
        yield f"<h1>{_bdi(report.title)}</h1>\n"
        if report.subtitle:
            yield f"<p class='sub'>{_bdi(report.subtitle)}</p>\n"
        yield "<dl class='facts'>\n"
        for label, text in report.facts:
            yield f"<div><dt>{escaped(label)}</dt><dd>{_bdi(text)}</dd></div>\n"
        yield "</dl>\n<h2>Runs</h2>\n"
        for first in range(0, max(1, len(report.table.measures)), self._across):
            yield from self._systems(first)
        yield self._key()
        pairs = [_Pairs(row.system.name, *_pairs(report, row)) for row in report.table.rows]
        if any(each.rows for each in pairs):
            yield from _pair_table([each for each in pairs if each.rows])
        if report.agreement is not None:
            yield from _agreement(report.agreement)
        for differences in report.differences:
            yield from self._differences(differences)
        if report.plots:
            yield from self._plots()
        yield from _conventions(report)

    @property
    def _has_share(self) -> bool:
        """Whether the judged share has a column: not beside the measure that tells of it."""
        table = self._report.table
        return f"Judged@{table.judged_depth}" not in map(str, table.measures)

    def _systems(self, first: int) -> Iterator[str]:
        """Yield the table of systems, so many measures from the first on."""
        table, end = self._report.table, first + self._across
        has_share = self._has_share and end >= len(table.measures)
        measures = table.measures[first:end]
        heads = [str(measure) for measure in measures]
        heads += [f"ranks judged, top {table.judged_depth}"] if has_share else []
        yield _table_head("runs", ["run"], heads)
        for row in table.rows:
            remark = self._report.remarks[row.system.key]
            if row.is_baseline:
                remark = f"baseline, {remark}" if row.has_assumed else "baseline"
            cells = [
                _figure(measure, cell, self._mark(row, measure, cell), table)
                for measure, cell in zip(measures, row.cells[first:end], strict=True)
            ]
            share = row.judged_share
            cells += [UNDEFINED if share is None else f"{share:.0%}"] if has_share else []
            yield (
                f"<tr><th scope='row' class='name'>{_bdi(row.system.name)}"
                f"<small>{escaped(remark)}</small></th>{_cells(cells)}</tr>\n"
            )
        yield _TABLE_END

    def _mark(self, row: ComparisonRow, measure: Measure, cell: ComparisonCell) -> str:
        bounds = self._report.bounds.get((row.system.key, measure))
        kind = significance(cell, self._report.table.rules, bounds, is_sure=cell.is_sure)
        return _MARKS[kind]

    def _key(self) -> str:
        share = ""
        if self._has_share:
            share = (
                " Ranks judged: of the first ranks of all queries together, how many are judged; "
                "what each query has counts by itself only in Judged@k."
            )
        rules, marked = self._report.table.rules, ""
        if rules is not None:
            p = f"p ({rules.correction_title})" if rules.correction_title else "p"
            marked = (
                f"◆ significant: {p} below {rules.alpha:g}; ◇ the same as judged so "
                "far: grades to come can change it. "
            )
        if any(_near(cell, rules) for row in self._report.table.rows for cell in row.cells):
            marked += (
                f"{_NEAR} p is drawn, and within two standard errors of its draws from the level: "
                "more draws may say otherwise. "
            )
        return (
            "<p class='key'>Bold and underlined: best of its column. "
            f"{marked}In brackets: from the least to "
            f"the greatest mean that the unjudged documents still allow.{share}</p>\n"
        )

    def _differences(self, found: ReportDifferences) -> Iterator[str]:
        changed = [each for each in found.rows if each[1].difference]
        n_better = sum(row.difference > 0 for _, row in changed)
        n_equal = len(found.rows) - len(changed)
        better, worse = ("better", "worse") if found.is_quality else ("more", "less")
        yield (
            f"<h2>{_bdi(found.title)}</h2>\n<p class='sub'>{n_better:,} {better}, "
            f"{len(changed) - n_better:,} {worse}, {n_equal:,} equal</p>\n"
        )
        shown = _ends(changed)
        if len(shown) < len(changed):
            yield f"<p class='sub'>Of {len(changed):,} the {len(shown)} that changed most.</p>\n"
        bars = [
            (f"{'no results: ' * row.lacks_a_side}{query.text or query.id}", row.difference)
            for query, row in shown
        ]
        most = max((abs(value) for _, value in bars), default=0.0)
        yield "<div class='pair'>\n"
        n_each = max(1, -(-len(bars) // self._n_pictures))
        for first in range(0, max(1, len(bars)), n_each):
            some = bars[first : first + n_each]
            drawn = difference_bars_svg(
                some, found.title, self._look, most=most, is_quality=found.is_quality
            )
            yield f"<figure>{drawn}</figure>\n"
        worst = [each for each in changed if each[1].difference < 0][:_MOST_WORST]
        if worst and found.is_quality:
            yield from _worst(worst)
        yield "</div>\n"

    def _plots(self) -> Iterator[str]:
        yield "<h2>Curves</h2>\n<div class='curves'>\n"
        for chart in self._report.plots:
            drawn = chart_svg(chart, *_CURVE_SIZE, self._look)
            yield f"<figure><figcaption>{_bdi(chart.title)}</figcaption>{drawn}</figure>\n"
        yield "</div>\n"


def _table_head(kind: str, names: Sequence[str], heads: Sequence[str], caption: str = "") -> str:
    """Return how a table begins: columns of names, then columns of figures."""
    left = "".join(f"<th scope='col' class='name'>{escaped(name)}</th>" for name in names)
    right = "".join(f"<th scope='col'>{escaped(head)}</th>" for head in heads)
    said = f"<h3>{caption}</h3>\n" if caption else ""
    return (
        f"<div class='wide'>{said}<table class='{kind}'>\n<thead><tr>{left}{right}</tr></thead>\n"
        "<tbody>\n"
    )


_TABLE_END = "</tbody></table></div>\n"


def _cells(cells: Sequence[str]) -> str:
    return "".join(f"<td>{cell}</td>" for cell in cells)


_MARKS = {"": "", "significant": "◆", "significant so far": "◇"}
_NEAR = "†"


def _near(cell: ComparisonCell, rules: ComparisonRules | None) -> str:
    """Return the mark of a p whose verdict more draws may change; ``""`` for others."""
    return _NEAR if is_near_level(cell, rules) else ""


def _figure(measure: Measure, cell: ComparisonCell, mark: str, table: ComparisonTable) -> str:
    if cell.mean.value is None:
        return UNDEFINED
    # Of one run alone it says nothing which is best.
    is_best = cell.is_best and len(table.rows) > 1
    digits = 0 if measure.spec.pooling == "sum" else 4
    mean = format_value(cell.mean.value, digits=digits)
    parts = [f"<b class='best'>{mean}</b>" if is_best else mean]
    if cell.interval is not None and cell.interval.width > 0:
        ends = cell.interval.low, cell.interval.high
        low, high = (format_value(end, digits=digits) for end in ends)
        parts.append(f"<small>[{_span(low, high, is_exact=cell.interval.is_exact)}]</small>")
    if cell.difference is not None:
        side = (cell.difference > 0) - (cell.difference < 0) if measure.is_quality else 0
        word, arrow = (("", ""), ("good", "▲ "), ("bad", "▼ "))[side]
        parts.append(f"<small class='{word}'>{arrow}{signed(cell.difference)}</small>")
    if cell.p is not None:
        shown = f"p {escaped(_p_text(cell.p, table.rules))}{_near(cell, table.rules)}"
        parts.append(f"<small>{f'<b>{mark} {shown}</b>' if mark else shown}</small>")
    return "".join(parts)


def _span(low: str, high: str, *, is_exact: bool) -> str:
    """Return from where to where a number lies; ``within`` where the ends are not attained."""
    return f"{'' if is_exact else 'within '}{low} to {high}"


def _p_text(p: float | None, rules: ComparisonRules | None) -> str:
    """Return a p-value as the report has it, ``""`` where there is none."""
    if p is None or rules is None:
        return ""
    # On one line, however narrow the page.
    return format_p(p, rules.alpha, digits=4).removeprefix("p ").replace(" ", "\u00a0")


class _Pairs(NamedTuple):
    """A system against the baseline.

    Attributes:
        name: the system's.
        said: all that can be said of the two by one measure; may be empty.
        rows: measure, and figures as :data:`PAIR_TITLES` has them, for each measure.
    """

    name: str
    said: str
    rows: Sequence[tuple[str, ...]]


def _pairs(report: Report, row: ComparisonRow) -> tuple[str, list[tuple[str, ...]]]:
    """Return what is said of a system by the drawn measure, else the first, and all rows of it."""
    said: dict[Measure, str] = {}
    rows = list[tuple[str, ...]]()
    for place, (measure, cell) in enumerate(zip(report.table.measures, row.cells, strict=True)):
        pair, of = cell.pair, (row.system.key, measure)
        if pair is None or pair.difference is None:
            continue
        ends, decision = report.bounds.get(of), report.decisions.get(of)
        verdict = find_verdict_in(report.table, row, place, bounds=ends, decision=decision)
        said[measure] = verdict.text if verdict else ""
        figures = (
            str(measure),
            f"{pair.n_queries:,}",
            signed(pair.difference),
            "" if pair.interval is None else _span(*map(signed, pair.interval), is_exact=True),
            ""
            if ends is None or not ends.are_known
            else _span(signed(ends.low), signed(ends.high), is_exact=ends.is_exact),
            _p_text(pair.significance.p if pair.significance else None, report.table.rules),
            _p_text(cell.p, report.table.rules) + _near(cell, report.table.rules),
            "" if pair.effect is None else signed(pair.effect, 2),
            f"{pair.wins:,}",
            f"{pair.ties:,}",
            f"{pair.losses:,}",
            verdict.kinds if verdict else "",
        )
        rows.append(figures)
    first = next(iter(said.values()), "")
    return (first if report.drawn is None else said.get(report.drawn, first)), rows


def _pair_table(pairs: Sequence[_Pairs]) -> Iterator[str]:
    across = 1 + len(PAIR_TITLES)
    yield "<h2>Differences from the baseline</h2>\n"
    yield _table_head("runs pairs", ["measure"], PAIR_TITLES)
    for place, each in enumerate(pairs):
        # Its name heads all rows of a system, for readers too: a group of rows each.
        yield "</tbody>\n<tbody>\n" if place else ""
        yield f"<tr class='of'><th scope='rowgroup' class='run' colspan='{across}'>{_bdi(each.name)}</th></tr>\n"
        if each.said:
            yield f"<tr><td class='said' colspan='{across}'>{_bdi(each.said)}</td></tr>\n"
        for measure, *figures in each.rows:
            cells = _cells([escaped(text) or UNDEFINED for text in figures])
            yield f"<tr><th scope='row' class='name'>{escaped(measure)}</th>{cells}</tr>\n"
    yield _TABLE_END
    yield (
        "<p class='key'>The sentences under a run’s name are by one measure; the column ‘verdict’ is short for "
        "those by every measure. Over the queries that count for both. Interval of the difference, p and "
        "the effect d_z, which are of other queries like these, are explained below. Bounds: from "
        "the least to the greatest difference on these queries, however the unjudged documents "
        "are graded: also those below the pool, which judged relevant change what is ideal. So more "
        "of them may matter than are left of the pool.</p>\n"
    )


def _agreement(table: AgreementTable) -> Iterator[str]:
    yield "<h2>Agreement</h2>\n"
    yield _table_head("plain", ["measure"], ["value", "interval"])
    for name, words, value, *ends in table.rows:
        low, high = map(format_value, ends)
        interval = UNDEFINED if None in ends else _span(low, high, is_exact=True)
        yield (
            f"<tr><th scope='row' class='name'>{escaped(name)}<small>{escaped(words)}</small></th>"
            f"{_cells([format_value(value), interval])}</tr>\n"
        )
    yield _TABLE_END
    yield f"<p class='key'>{escaped(' '.join(table.sentences))}</p>\n"


_Rows = Sequence[tuple[Query, QueryDifference]]
_NO_RESULTS = "<small>no results</small>"


def _ends(rows: _Rows) -> _Rows:
    """Return the queries that changed most, in their order."""
    if len(rows) <= _MOST_BARS:
        return rows
    least = sorted(abs(row.difference) for _, row in rows)[-_MOST_BARS]
    return [each for each in rows if abs(each[1].difference) >= least][:_MOST_BARS]


def _worst(rows: _Rows) -> Iterator[str]:
    # Where a text is the id, one of them is enough.
    texts = [(query.text if query.text != query.id else "", query.category) for query, _ in rows]
    kept = [place for place, cells in enumerate(zip(*texts, strict=True)) if any(cells)]
    names = ["query", *(("text", "category")[place] for place in kept)]
    yield _table_head("plain", names, ["baseline", "value", "difference"], "Worst regressions")
    for (query, row), its in zip(rows, texts, strict=True):
        further = "".join(f"<td class='name'>{_bdi(its[place])}</td>" for place in kept)
        baseline, value = map(format_value, (row.baseline, row.value))
        baseline += _NO_RESULTS if row.is_missing_in_baseline else ""
        value += _NO_RESULTS if row.is_missing else ""
        values = (baseline, value, signed(row.difference))
        head = f"<th scope='row' class='name'>{_bdi(query.id)}</th>"
        yield f"<tr>{head}{further}{_cells(values)}</tr>\n"
    yield _TABLE_END


def _conventions(report: Report) -> Iterator[str]:
    yield "<h2>How the figures came about</h2>\n<ul>\n"
    for sentence in report.sentences:
        yield f"<li>{_bdi(sentence)}</li>\n"
    yield "</ul>\n<div class='measures'>\n"
    for measure in report.table.measures:
        text = report.formulas.get(measure, f"{measure.spec.help} {measure.spec.formula}")
        yield f"<p><b>{escaped(str(measure))}</b><br>{escaped(text)}</p>\n"
    yield f"</div>\n<footer>{_bdi(report.made)}"
    if report.command:
        yield f"<br>The same figures again: <code>{_bdi(report.command)}</code>"
    yield "</footer>\n"


# What Qt would make equally wide, as names and sentences go across: in percent, the measure first.
_PAIR_WIDTHS = (12, 5, 7, 13, 16, 7, 8, 5, 4, 4, 4, 15)


def _pair_heads(*, is_wide: bool) -> str:
    """Return the heads of the pairs' columns as they are on the page, or as wide as on paper."""
    sides = ("left", *["right"] * len(PAIR_TITLES))
    kinds = (" class='name'", *[""] * len(PAIR_TITLES))
    shapes = [
        f" align='{side}' width='{width}%'" if is_wide else ""
        for side, width in zip(sides, _PAIR_WIDTHS, strict=True)
    ]
    return "".join(
        f"<th scope='col'{kind}{shape}>{title}</th>"
        for kind, shape, title in zip(kinds, shapes, ("measure", *PAIR_TITLES), strict=True)
    )


# Qt sets no lines that CSS makes, and no cell to the right that an attribute does not.
_FOR_QT = (
    (_pair_heads(is_wide=False), _pair_heads(is_wide=True)),
    ("<small", "<br><small"),
    ("<td>", "<td align='right'>"),
    ("<th scope='col'>", "<th scope='col' align='right'>"),
    ("<th scope='row' class='name'>", "<th scope='row' class='name' align='left'>"),
    ("<th scope='rowgroup' class='run'", "<th scope='rowgroup' class='run' align='left'"),
    ("<th scope='col' class='name'>", "<th scope='col' class='name' align='left'>"),
    ("<table class='", "<table width='100%' cellspacing='0' class='"),
    ("<figcaption>", "<h3>"),
    ("</figcaption>", "</h3>"),
    ("<dl class='facts'>", "<p>"),
    ("<div><dt>", "<b>"),
    ("</dt><dd>", "</b>: "),
    ("</dd></div>", " &nbsp; "),
    ("</table></div>", "</table><br>"),
)
_PRINT_STYLE = """\
h1 {{ font-size: 20pt; }} h2 {{ font-size: 13pt; margin-top: 22px; }}
body, td, th {{ color: {text}; }} .sub, h3 {{ color: {text2}; }} h3 {{ font-size: 10pt; font-weight: 400; }}
.key, footer, small, dt {{ color: {text3}; }} small {{ font-size: 7.5pt; font-weight: 400; }}
td, th {{ padding: 3px 5px; border-bottom: 1px solid {line}; vertical-align: top; }}
thead th {{ font-weight: 500; font-size: 8pt; }} .best {{ text-decoration: underline; }}
.pairs td, .pairs th {{ font-size: 8pt; }} .of td, .of th {{ border-bottom: none; }} .pairs .said {{ color: {text2}; }}
.figure {{ border-bottom: none; padding: 0; }}
.good {{ color: {good}; }} .bad {{ color: {bad}; }}
""".format(**PAGE_INKS)


_STYLE = """\
:root { color-scheme: light dark; --base: #ffffff; --panel: #f7f7f9; --text: #1b1c20;
  --text2: #474a53; --text3: #5f636d; --line: #dfe0e6; --accent: #5a43c8; --good: #0f6b4f;
  --warn: #855500; --bad: #b3301c; --link: #1f5fae; }
@media (prefers-color-scheme: dark) { :root { --base: #202126; --panel: #1a1b1f; --text: #e7e8ec;
  --text2: #bcbfc8; --text3: #a0a4af; --line: #303239; --accent: #b1a4ff; --good: #5fd0a4;
  --warn: #e3b04f; --bad: #ff9078; --link: #8fbcf5; } }
body { margin: 0; background: var(--base); color: var(--text);
  font: 15px/1.5 Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1260px; margin: 0 auto; padding: 32px 24px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 8px; }
h3 { font: inherit; } h3, .sub, .key, figcaption { color: var(--text2); margin: 0 0 8px; text-align: left; }
.key, footer { color: var(--text3); font-size: 13px; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 32px; margin: 20px 0; }
.facts dt { color: var(--text3); font-size: 13px; } .facts dd { margin: 0; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } thead th { color: var(--text3); font-weight: 500; font-size: 13px; }
th, td { padding: 6px 9px 6px 0; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; }
.name { text-align: left; } th.name { font-weight: 600; max-width: 260px; overflow-wrap: anywhere; }
td.name { max-width: 380px; min-width: 110px; overflow-wrap: anywhere; }
thead th { vertical-align: bottom; } .runs small { white-space: nowrap; }
.runs .name { position: sticky; left: 0; background: var(--base); min-width: 132px; }
.runs .name small { white-space: normal; }
.pairs .run { text-align: left; padding-top: 14px; overflow-wrap: anywhere; }
.pairs .of > * { border-bottom: 0; padding-bottom: 0; } .said { text-align: left; color: var(--text2); font-size: 13px; }
.pair { display: flex; flex-wrap: wrap; gap: 8px 40px; align-items: flex-start; }
.pair > * { min-width: 0; max-width: 100%; } .pair > .wide { flex: 1 1 420px; }
.curves { display: flex; flex-wrap: wrap; gap: 0 40px; } .curves figure { flex: 1 1 480px; max-width: 640px; min-width: 0; }
@media (max-width: 600px) { main { padding: 20px 14px; } .runs .name { min-width: 88px; max-width: 120px; } }
small { display: block; color: var(--text3); font-size: 11.5px; font-weight: 400; }
small.good { color: var(--good); } small.bad { color: var(--bad); }
small b { color: var(--text); } b.best { border-bottom: 2px solid var(--accent); }
figure { margin: 12px 0 20px; }
.measures p { margin: 0 0 6px; color: var(--text2); } .measures b { color: var(--text); }
footer { margin-top: 32px; border-top: 1px solid var(--line); padding-top: 12px; }
@media print { :root { color-scheme: light; --base: #ffffff; --panel: #ffffff; --text: #000000;
  --text2: #333333; --text3: #555555; --line: #bbbbbb; --accent: #5a43c8; --good: #0f6b4f;
  --warn: #855500; --bad: #b3301c; --link: #1f5fae; }
  main { padding: 0; } .wide { overflow: visible; } .runs { font-size: 11px; } .runs small, .runs thead th { font-size: 9px; }
  .runs th, .runs td { padding-right: 6px; } .runs .name { min-width: 80px; }
  figure svg { width: auto; max-height: 150mm; } .pair { flex-wrap: nowrap; gap: 8px 20px; }
  .pair > figure { flex: none; } .pair > .wide { flex: 1 1 0; font-size: 11px; }
  tr, .pair, .curves figure { break-inside: avoid; } h2, h3, .sub { break-after: avoid; } }
@page { size: A4 landscape; margin: 12mm; }
"""
