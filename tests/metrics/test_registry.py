"""The table of measures is complete and agrees with itself and the help."""

import subprocess
import sys

import numpy as np
import pytest

import judgetool.metrics
from judgetool.metrics import DEFAULT_MEASURES, MEASURES, parse_measure
from judgetool.metrics.explain import explain_value, has_explanation
from judgetool.metrics.grades import QueryGrades
from judgetool.metrics.measure import GROUPS
from judgetool.resources import resource_path
from tests.helpers.program import must

SPECS = pytest.mark.parametrize("spec", MEASURES.values(), ids=MEASURES)


@SPECS
def test_every_measure_is_described(spec):
    """Title, formula, plain sentence and source are there, for parameters as well."""
    assert spec.title
    assert spec.formula
    assert spec.help.endswith(".")
    assert spec.source
    assert all(param.help.endswith(".") for param in spec.params)


@SPECS
def test_examples_are_canonical(spec):
    """The example is the canonical spelling of the measure."""
    measure = parse_measure(spec.example)
    assert measure.spec is spec
    assert str(measure) == spec.example


@SPECS
def test_an_explanation_is_offered_for_whatever_adds_up(spec):
    """The terms of one ranking are laid out for every measure but NumQ."""
    grades = QueryGrades(np.array([2.0, np.nan, 0.0, 1.0]), np.array([1.0]))
    found = explain_value(parse_measure(spec.example), grades, None)
    assert bool(found.columns) == has_explanation(found.measure) == (spec.name != "NumQ")


@SPECS
def test_defaults_are_allowed_values(spec):
    """A parameter's default is None or a value that may be written."""
    for param in spec.params:
        if param.kind == "word":
            assert param.default in param.words


@SPECS
def test_every_measure_is_in_the_help(spec):
    """The shipped help has what ‘judgetool measures NAME --format markdown’ prints."""
    text = resource_path("help/measures.md").read_text(encoding="utf-8")
    section = must("measures", spec.name, "--format", "markdown").out
    assert section in text
    for part in (spec.title, spec.formula, spec.help, spec.source, f"`{spec.example}`", "Range"):
        assert part in section, part
    assert all(f"`{param.name}=`" in section for param in spec.params if param.name != spec.at)


def test_the_help_has_no_other_measure():
    """Each heading of the help's third level is a measure of the table, below its group's."""
    lines = resource_path("help/measures.md").read_text(encoding="utf-8").splitlines()
    named = [line[4:].partition(":")[0] for line in lines if line.startswith("### ")]
    assert named == list(MEASURES)
    heads = [line[3:] for line in lines if line.startswith("## ")]
    assert heads[2:-1] == list(GROUPS)


@SPECS
def test_every_measure_says_what_its_interval_is(spec):
    """Where the ends are not attained, or there is none, help says so."""
    section = must("measures", spec.name, "--format", "markdown").out
    assert ("- Interval: " in section) is (spec.rule in ("wide", "present"))


def test_the_window_starts_with_ten_measures():
    """The default set is the one that the panel shows until someone chooses."""
    assert " ".join(map(str, DEFAULT_MEASURES)) == (
        "P@5 P@10 R@10 AP RR nDCG@5 nDCG@10 ERR@10 pFound@10 Judged@10"
    )


def test_the_package_offers_what_it_names():
    """Every public name exists, and the list of them is sorted."""
    names = judgetool.metrics.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert all(hasattr(judgetool.metrics, name) for name in names)
    assert set(names) <= set(dir(judgetool.metrics))


def test_importing_the_package_loads_neither_qt_nor_pandas():
    """A script that evaluates dictionaries loads numpy and nothing heavier."""
    script = (
        "import sys; from judgetool.metrics import evaluate; "
        "evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'nDCG@10'); "
        "heavy = {'pandas', 'scipy', 'PySide6', 'apsw', 'sqlite3'} & set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
