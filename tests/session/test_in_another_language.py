"""Where the window speaks another language: what is shown follows it, what is written stays English."""

from datetime import UTC, datetime
from io import StringIO

import pytest

from judgetool.core.number_text import format_span
from judgetool.formats.writers.values import ExportChoices
from judgetool.hub.connection import HubClaim
from judgetool.metrics import ComparisonRules
from judgetool.session.commands import Say, set_measures
from judgetool.session.comparing.comparing import comparison_work, set_comparison_rules
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.tables import comparison_sheet, curves_sheet, draw_charts
from judgetool.session.exports.exporting import write_export
from judgetool.session.exports.reporting import ReportChoices, write_report
from judgetool.session.history import load_history, title_in_words
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import match_title
from judgetool.session.pool import PoolPolicy, set_pool
from judgetool.session.team.joining import describe_taken, until_line
from judgetool.session.team.sync_state import SyncState
from judgetool.session.whatifs.applying import Fusion
from judgetool.session.whatifs.book import find_whatif_named
from judgetool.session.whatifs.editing import create_fused, create_whatif, set_rules
from judgetool.wording import own_words, quoted
from tests.helpers.builders import open_sample, simple_rule


@pytest.fixture
def session(tmp_path):
    with open_sample(tmp_path) as opened:
        yield opened


def written(session, path):
    """Everything that is written of a comparison, as text."""
    systems = present_systems(session)
    measure = next(each for each in session.measures if str(each) == "nDCG@10")
    rules = ComparisonRules(n_draws=100, n_resamples=100)
    table = comparison_work(session, systems, [measure], systems[0], rules=rules)(None, None)
    sheets = [comparison_sheet(session, table)]
    for query in (None, 0):
        charts = draw_charts(session, systems, measure, query)
        sheets.append(curves_sheet(session, systems, measure, charts, query))
    write_report(session, path, ReportChoices(measures=(measure,), rules=rules))
    short = StringIO()
    write_export(session, ExportChoices("report-markdown"), short)
    return [repr(sheets), short.getvalue(), path.read_text(encoding="utf-8").partition("Made 2")[0]]


@pytest.mark.parametrize("code", ["de", "xx"])
def test_files_are_english_whatever_the_window_speaks(session, tmp_path, speaks, code):
    """Tables with their sentences, curves and the report are the same, sign by sign."""
    in_english = written(session, tmp_path / "en.html")
    speaks(code)
    assert written(session, tmp_path / f"{code}.html") == in_english


def done(session):
    """Do some of each kind, and return the titles of the steps."""
    runs = [run.run_id for run in session.material.runs]
    session.execute(Say.grade(0, 1, 2))
    session.execute(Say.grade_many(((0, 2), (1, 3)), 1))
    session.execute(set_measures(["AP"]))
    session.execute(set_pool(PoolPolicy("depth", depth=5)))
    whatif = create_whatif(session, "mine", runs[0])
    set_rules(session, whatif, [simple_rule("boost", "title", "contains", "curry", 3)])
    create_fused(session, "both", runs[:2], Fusion())
    return [row.title for row in load_history(session, limit=7)]


def test_steps_are_kept_in_english_and_read_in_any_language(session, tmp_path, speaks):
    """Whoever opens the project reads them in their own; those of another version stay as they are."""
    speaks("de")
    titles = done(session)
    assert "What-if both: fused of " in titles[0]
    assert titles[1] == "Rule added: Up by 3 where title contains ‘curry’, what-if mine"
    assert titles[3:5] == ["Pool: top 5 of all runs", "Choose measures"]
    in_words = [title_in_words(title) for title in titles]
    assert in_words[1].startswith("Regel hinzugefügt: Um 3 nach oben, wo title")
    assert in_words[3] == "Pool: die ersten 5 von allen Runs"
    assert in_words[5] == "Grad 1 für 2 Dokumente, 2 Anfragen"
    assert not set(titles) & set(in_words)
    assert title_in_words("Something that comes later") == "Something that comes later"


def test_names_of_who_is_asked_are_listed_in_the_language(speaks):
    """Between the last two stands the language’s own word."""
    speaks("de")
    assert title_in_words("Ask Anna, Ben and Cem: 286 documents").startswith("Anna, Ben und Cem ")


def test_titles_stand_in_the_quotes_of_the_language(speaks):
    """Whatever commas and apostrophes are in them."""
    kept = "Grade 1 for ‘Drum, 30000 Pages’, ‘dell’s drum’"
    speaks("de")
    assert title_in_words(kept) == "Grad 1 für ‚Drum, 30000 Pages‘, ‚dell’s drum‘"
    kept = "Rule added: Up by 3 where title contains ‘curry, and rice’ and body is ‘a’, what-if b"
    assert "wo title enthält ‚curry, and rice‘ und body ist ‚a‘, W" in title_in_words(kept)
    kept = "Rule added: Take out where Preis < 1000.50 and Ab ≥ 03.11.2026, what-if b"
    assert "wo Preis < 1000,50 und Ab ≥ 03.11.2026, W" in title_in_words(kept)
    assert (quoted("Soup"), own_words("too old")) == ("‚Soup‘", "„too old“")


def test_counts_in_sentences_have_the_signs_of_the_language(speaks):
    """Of the hub, of a file’s texts and of the queries that means are over."""
    speaks("de")
    assert SyncState(is_begun=True, n_unsent=1_200).state == "1.200 zu senden"
    assert "2.500" in match_title(IdMatch("query", 2_500, 1, 40, strange=("q",)), "a.csv")
    assert format_span([50, 1_404]) == "50 bis 1.404"


def test_what_is_told_of_runs_and_tests_has_no_english_left(session, speaks):
    """Runs that were fused are listed, and how differences are tested is said, in the language."""
    runs = [run.run_id for run in session.material.runs]
    create_fused(session, "all three", runs, Fusion())
    set_comparison_rules(session, ComparisonRules(n_draws=2_000))
    titles = [row.title for row in load_history(session, limit=2)]
    first, second, third = (run.name for run in session.material.runs)
    speaks("ru")
    said = title_in_words(titles[0])
    assert (said.endswith("000 розыгрышей, начальное число 1."), "2,000" in said) == (True, False)
    assert title_in_words(titles[1]).endswith(f"слито из {first}, {second} и {third}")


def test_weights_of_fused_runs_have_the_decimal_sign(session, speaks):
    """Where it is said what a what-if was made of."""
    runs = [run.run_id for run in session.material.runs][:2]
    create_fused(session, "both", runs, Fusion(weights=(0.5, 1.5)))
    speaks("de")
    origin = find_whatif_named(session, "both").origin
    assert ("0,5 ×" in origin, "1,5 ×" in origin) == (True, True)


def test_until_when_documents_are_taken_is_a_day_of_the_language(speaks):
    """The sentence has it as the language writes days; the data line stays as it is."""
    noon = int(datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp() * 1000)
    taken = HubClaim("1", "d1", noon)
    speaks("ru")
    assert "до 23.11.2026" in describe_taken([taken], 1)
    assert until_line(noon).startswith("2026-11-23")
