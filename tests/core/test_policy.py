"""The administrator's file: read once, and on the safe side where it is broken."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core import policy as module
from judgetool.core.policy import Policy, policy
from judgetool.resources import resource_path
from tests.helpers.laws import examples

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("forbidden"),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=3,
)


def test_without_a_file_nothing_is_laid_down():
    policy.cache_clear()
    assert policy() == Policy()
    assert not policy().is_offline


def test_the_page_for_administrators_names_all_of_it(lay_down):
    """Its example is understood as it stands, and lays down every thing that can be."""
    page = resource_path("help/administrators.md").read_text(encoding="utf-8")
    example = re.search(r"```json\n(.*?)```", page, re.DOTALL)[1]
    laid_down = lay_down(example)
    assert (laid_down.amiss, laid_down.blind, laid_down.is_offline) == ("", True, True)
    assert json.loads(example).keys() == module._RULES.keys()
    assert all(f"| `{name}` |" in page for name in module._RULES)


def test_it_is_read_once(lay_down):
    """What is written while judgetool runs holds from the next start."""
    first = lay_down(blind=True)
    first.path.write_text('{"blind": false}')
    assert policy() is first
    assert (first.blind, first.notice) == (True, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "It is no JSON at line 1, column 2"),
        ("[1]", "It is no JSON object"),
        (
            '{"netwrok": "forbidden"}',
            "‘netwrok’ is none of blind, network, scale, language, projects",
        ),
        ('{"network": "no"}', "‘network’ must be ‘allowed’ or ‘forbidden’"),
        ('{"scale": "0-", "blind": true}', "‘scale’ must be a scale, such as ‘0-3’"),
        ('{"language": "German"}', "‘language’ must be a language’s code, such as ‘de’"),
        ('{"projects": "judging"}', "‘projects’ must be the whole path of a folder"),
    ],
)
def test_a_broken_file_is_said_and_nothing_leaves_the_machine(lay_down, text, said):
    """What of it can be understood holds nevertheless."""
    laid_down = lay_down(text)
    assert laid_down.is_offline
    assert said in laid_down.notice
    assert str(laid_down.path) in laid_down.notice
    assert laid_down.blind == ("blind" in text)


@settings(max_examples=examples(60))
@given(st.dictionaries(st.sampled_from([*module._RULES, "other"]), _JSON, max_size=4))
def test_the_network_is_open_only_where_all_is_understood(values):
    """Whatever stands in it: no fault, and never less safe than it was meant."""
    found = module._policy_of(module.Path("policy.json"), json.loads(json.dumps(values)))
    is_sound = all(
        name in module._RULES and module._RULES[name].holds(values[name]) for name in values
    )
    assert found.is_offline == (not is_sound or values.get("network") == "forbidden")
    assert bool(found.notice) == (not is_sound)
