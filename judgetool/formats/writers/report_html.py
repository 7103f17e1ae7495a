"""A report as one HTML page that needs nothing else: no script, no file, no network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgetool.formats.writers.svg_plots import (
    Bar,
    Series,
    bar_plot,
    escaped,
    line_plot,
    signed,
)

_NOTHING = "–"
_MOST_BARS = 50
_MOST_WORST = 10
SIGNIFICANT = 0.05
"""p below this is marked."""


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """One system by one measure.

    Attributes:
        mean: ``None`` where there is none.
        low: least mean over all gradings of what is unjudged; ``None`` where not known.
        high: greatest, likewise.
        difference: from the baseline; ``None`` for the baseline itself.
        p: of the difference, corrected for the table; ``None`` likewise.
        is_best: of its column.
        digits: decimals of the mean; 0 for counts.
        is_exact: whether ``low`` and ``high`` are attained; if not, the range is wider
            than need be.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    difference: float | None = None
    p: float | None = None
    is_best: bool = False
    digits: int = 4
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class ReportSystem:
    """A row of the table of systems.

    Attributes:
        name: of the run or what-if.
        remark: what it is, such as ``what-if of chargrams``.
        is_baseline: whether the others are compared with it.
        figures: one per measure.
        judged_share: 0 to 1; ``None`` where not known.
    """

    name: str
    remark: str
    is_baseline: bool
    figures: Sequence[ReportFigure]
    judged_share: float | None


@dataclass(frozen=True, slots=True)
class ReportQuery:
    """A query of a list of differences."""

    query_id: str
    text: str
    category: str
    value: float
    baseline: float
    difference: float


@dataclass(frozen=True, slots=True)
class ReportDifferences:
    """One system against the baseline, query by query.

    Attributes:
        title: such as ``chargrams minus full-bm25, nDCG@10``.
        queries: all that count for both, worst first.
    """

    title: str
    queries: Sequence[ReportQuery]


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot of lines."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]


@dataclass(frozen=True, slots=True)
class ReportPair:
    """A run against the baseline by one measure: a row of figures as texts.

    Attributes:
        run: its name.
        measure: likewise.
        figures: in the order of :data:`PAIR_TITLES`; ``""`` where there is none.
    """

    run: str
    measure: str
    figures: Sequence[str]


PAIR_TITLES = (
    "queries",
    "difference",
    "interval",
    "p",
    "p corrected",
    "d_z",
    "won",
    "tied",
    "lost",
)
"""What is said of each pair, beside run and measure."""


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """All of a report.

    Attributes:
        title: of the project.
        subtitle: one line below it; may be empty.
        facts: (label, text) pairs: counts and dates.
        measures: (name, definition) pairs, in the order of the columns.
        systems: rows of the table.
        depth: ranks behind the judged shares.
        differences: one per system besides the baseline.
        plots: curves.
        sentences: how the figures came about, one each.
        made: how and when the page was made.
        pairs: every run against the baseline, by every measure with values of queries.
        command: the command line that makes the same figures; may be empty.
    """

    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    measures: Sequence[tuple[str, str]]
    systems: Sequence[ReportSystem]
    depth: int
    differences: Sequence[ReportDifferences]
    plots: Sequence[ReportPlot]
    sentences: Sequence[str]
    made: str
    pairs: Sequence[ReportPair] = ()
    command: str = ""


def iter_report_html(report: HtmlReport) -> Iterator[str]:
    """Yield the page; every text of the project is escaped, whatever is in it."""
    title = escaped(report.title)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_bdi(report.title)}</h1>\n"
    )
    if report.subtitle:
        yield f"<p class='sub'>{_bdi(report.subtitle)}</p>\n"
    yield from _facts(report)
    yield from _systems(report)
    if report.pairs:
        yield from _pairs(report.pairs)
    for differences in report.differences:
        yield from _differences(differences)
    yield from _plots(report.plots)
    yield from _conventions(report)
    yield "</main>\n</body>\n</html>\n"


def _bdi(text: str) -> str:
    """Return a text that keeps its direction to itself."""
    return f"<bdi>{escaped(text)}</bdi>"


def _facts(report: HtmlReport) -> Iterator[str]:
    yield "<dl class='facts'>\n"
    for label, text in report.facts:
        yield f"<div><dt>{escaped(label)}</dt><dd>{_bdi(text)}</dd></div>\n"
    yield "</dl>\n"


def _systems(report: HtmlReport) -> Iterator[str]:
    heads = "".join(f"<th scope='col'>{escaped(name)}</th>" for name, _ in report.measures)
    yield (
        "<h2>Runs</h2>\n<div class='wide'><table class='runs'>\n<thead><tr><th scope='col' class='name'>run</th>"
        f"{heads}<th scope='col'>judged, top {report.depth}</th></tr></thead>\n<tbody>\n"
    )
    for system in report.systems:
        share = _NOTHING if system.judged_share is None else f"{system.judged_share:.0%}"
        remark = "baseline" if system.is_baseline else system.remark
        cells = "".join(f"<td>{_figure(figure)}</td>" for figure in system.figures)
        yield (
            f"<tr><th scope='row' class='name'>{_bdi(system.name)}"
            f"<small>{escaped(remark)}</small></th>{cells}<td>{share}</td></tr>\n"
        )
    yield (
        "</tbody></table></div>\n<p class='key'>Bold and underlined: best of its column. "
        f"◆ differs from the baseline, p below {SIGNIFICANT:g}. In brackets: from the least to the "
        "greatest mean that the unjudged documents still allow.</p>\n"
    )


def _figure(figure: ReportFigure) -> str:
    if figure.mean is None:
        return _NOTHING
    mean = f"{figure.mean:,.{figure.digits}f}"
    parts = [f"<b class='best'>{mean}</b>" if figure.is_best else mean]
    if figure.low is not None and figure.high is not None and figure.low < figure.high:
        # A digit less than the mean: ten measures stand side by side.
        low, high = (f"{end:.{min(3, figure.digits)}f}" for end in (figure.low, figure.high))
        within = "" if figure.is_exact else "within "
        parts.append(f"<small>[{within}{low} to {high}]</small>")
    if figure.difference is not None:
        word = "good" if figure.difference > 0 else "bad" if figure.difference < 0 else ""
        arrow = {"good": "▲ ", "bad": "▼ ", "": ""}[word]
        shown = signed(figure.difference, figure.digits)
        parts.append(f"<small class='{word}'>{arrow}{shown}</small>")
    if figure.p is not None:
        shown = "&lt;0.0001" if figure.p < 0.0001 else f"{figure.p:.4f}"
        is_marked = figure.p < SIGNIFICANT
        parts.append(
            f"<small><b>◆ p {shown}</b></small>" if is_marked else f"<small>p {shown}</small>"
        )
    return "".join(parts)


def _pairs(pairs: Sequence[ReportPair]) -> Iterator[str]:
    heads = "".join(f"<th scope='col'>{escaped(title)}</th>" for title in PAIR_TITLES)
    yield (
        "<h2>Differences from the baseline</h2>\n<div class='wide'><table class='runs'>\n<thead><tr>"
        f"<th scope='col' class='name'>run</th><th scope='col'>measure</th>{heads}</tr></thead>\n<tbody>\n"
    )
    for pair in pairs:
        cells = "".join(f"<td>{escaped(text) or _NOTHING}</td>" for text in pair.figures)
        yield (
            f"<tr><th scope='row' class='name'>{_bdi(pair.run)}</th><td>{escaped(pair.measure)}</td>"
            f"{cells}</tr>\n"
        )
    yield (
        "</tbody></table></div>\n<p class='key'>Over the queries that count for both. Interval of the "
        "difference, p and the effect d_z are explained below.</p>\n"
    )


def _differences(found: ReportDifferences) -> Iterator[str]:
    changed = [query for query in found.queries if query.difference]
    n_better = sum(query.difference > 0 for query in changed)
    n_equal = len(found.queries) - len(changed)
    yield (
        f"<h2>{_bdi(found.title)}</h2>\n<p class='sub'>{n_better:,} better, "
        f"{len(changed) - n_better:,} worse, {n_equal:,} equal</p>\n"
    )
    shown = _ends(changed)
    if len(shown) < len(changed):
        yield f"<p class='sub'>Of {len(changed):,} the {len(shown)} that changed most.</p>\n"
    bars = [Bar(query.text or query.query_id, query.difference) for query in shown]
    yield f"<div class='pair'>\n<figure>{bar_plot(bars, title=found.title)}</figure>\n"
    worst = [query for query in changed if query.difference < 0][:_MOST_WORST]
    if worst:
        yield from _worst(worst)
    yield "</div>\n"


def _ends(queries: Sequence[ReportQuery]) -> list[ReportQuery]:
    """Return the queries that changed most, in their order."""
    if len(queries) <= _MOST_BARS:
        return list(queries)
    by_size = sorted(queries, key=lambda query: -abs(query.difference))
    least = abs(by_size[_MOST_BARS - 1].difference)
    return [query for query in queries if abs(query.difference) >= least][:_MOST_BARS]


def _worst(queries: Sequence[ReportQuery]) -> Iterator[str]:
    has_categories = any(query.category for query in queries)
    category = "<th scope='col' class='name'>category</th>" if has_categories else ""
    yield (
        "<div class='wide'><table class='plain'><caption>Worst regressions</caption>\n<thead><tr>"
        "<th scope='col' class='name'>query</th><th scope='col' class='name'>text</th>"
        f"{category}<th scope='col'>baseline</th><th scope='col'>value</th>"
        "<th scope='col'>difference</th></tr></thead>\n<tbody>\n"
    )
    for query in queries:
        category = f"<td class='name'>{_bdi(query.category)}</td>" if has_categories else ""
        yield (
            f"<tr><th scope='row' class='name'>{_bdi(query.query_id)}</th>"
            f"<td class='name'>{_bdi(query.text)}</td>{category}"
            f"<td>{query.baseline:.4f}</td><td>{query.value:.4f}</td>"
            f"<td>{signed(query.difference)}</td></tr>\n"
        )
    yield "</tbody></table></div>\n"


def _plots(plots: Sequence[ReportPlot]) -> Iterator[str]:
    if plots:
        yield "<h2>Curves</h2>\n<div class='curves'>\n"
    for plot in plots:
        drawn = line_plot(plot.series, title=plot.title, x_label=plot.x_label, y_label=plot.y_label)
        yield f"<figure><figcaption>{_bdi(plot.title)}</figcaption>{drawn}</figure>\n"
    if plots:
        yield "</div>\n"


def _conventions(report: HtmlReport) -> Iterator[str]:
    yield "<h2>How the figures came about</h2>\n<ul>\n"
    for sentence in report.sentences:
        yield f"<li>{_bdi(sentence)}</li>\n"
    yield "</ul>\n<dl class='measures'>\n"
    for name, text in report.measures:
        yield f"<div><dt>{escaped(name)}</dt><dd>{escaped(text)}</dd></div>\n"
    yield f"</dl>\n<footer>{_bdi(report.made)}"
    if report.command:
        yield f"<br>The same figures again: <code>{_bdi(report.command)}</code>"
    yield "</footer>\n"


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
.sub, .key, caption, figcaption { color: var(--text2); margin: 0 0 8px; text-align: left; }
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
.pair { display: flex; flex-wrap: wrap; gap: 8px 40px; align-items: flex-start; }
.pair > * { min-width: 0; max-width: 100%; } .pair > .wide { flex: 1 1 420px; }
.curves { display: flex; flex-wrap: wrap; gap: 0 40px; } .curves figure { flex: 1 1 480px; max-width: 640px; min-width: 0; }
@media (max-width: 600px) { main { padding: 20px 14px; } .runs .name { min-width: 88px; max-width: 120px; } }
small { display: block; color: var(--text3); font-size: 11.5px; font-weight: 400; }
small.good { color: var(--good); } small.bad { color: var(--bad); }
small b { color: var(--text); } b.best { border-bottom: 2px solid var(--accent); }
figure { margin: 12px 0 20px; }
.measures div { margin: 0 0 6px; } .measures dt { font-weight: 600; } .measures dd { margin: 0; color: var(--text2); }
footer { margin-top: 32px; border-top: 1px solid var(--line); padding-top: 12px; }
@media print { :root { color-scheme: light; --base: #ffffff; --panel: #ffffff; --text: #000000;
  --text2: #333333; --text3: #555555; --line: #bbbbbb; --accent: #5a43c8; --good: #0f6b4f;
  --warn: #855500; --bad: #b3301c; --link: #1f5fae; }
  main { padding: 0; } .wide { overflow: visible; } .runs { font-size: 11px; } .runs small, .runs thead th { font-size: 9px; }
  .runs th, .runs td { padding-right: 6px; } .runs .name { min-width: 80px; }
  figure svg { width: auto; max-height: 150mm; } .pair { flex-wrap: nowrap; gap: 8px 20px; }
  .pair > figure { flex: none; } .pair > .wide { flex: 1 1 0; font-size: 11px; }
  tr, .pair, .curves figure { break-inside: avoid; } h2, caption, .sub { break-after: avoid; } }
@page { size: A4 landscape; margin: 12mm; }
"""
