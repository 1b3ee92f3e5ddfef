"""The papers' experiments state every option, and all of them go through these statements."""

import ast
import inspect
from pathlib import Path

import pytest

import sparsegp
from benchmarks.reproduce import options
from benchmarks.reproduce.options import OPTIONS, SAID, kc_options

REPRODUCE = Path(options.__file__).parent
ESTIMATORS = {estimator for estimator, _ in OPTIONS.values()}
#: Not a paper's method but this library's defaults, or nearly.
DEFAULTS = {"ours.py", "ss_ours.py", "tables.py", "usps.py"}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_parameter_of_the_constructor_is_stated(name):
    estimator, stated = OPTIONS[name]
    parameters = inspect.signature(getattr(sparsegp, estimator)).parameters
    missing, unknown = parameters.keys() - stated.keys(), stated.keys() - parameters.keys()
    assert not missing, f"state {sorted(missing)} of {estimator} in benchmarks/reproduce/options.py"
    assert not unknown, f"{estimator} no longer has {sorted(unknown)}"


@pytest.mark.parametrize("name", OPTIONS)
def test_a_function_returns_all_options_and_knows_what_is_missing(name):
    complete, (_, stated) = getattr(options, name), OPTIONS[name]
    said = {option: 1 for option, value in stated.items() if value is SAID}
    assert complete(said).keys() == stated.keys()
    with pytest.raises(TypeError, match=r"still to be said: .*kernel"):
        complete({})


def test_an_option_that_no_paper_states_is_an_error():
    with pytest.raises(TypeError, match="n_neighbours"):
        kc_options({"n_neighbours": 3})


def estimators_made(file):
    """Return the calls that make an estimator, in a file."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ESTIMATORS:
            yield node


def test_experiments_make_estimators_from_stated_options_alone():
    made = 0
    for file in sorted(REPRODUCE.glob("*.py")):
        if file.name in DEFAULTS:
            continue
        for call in estimators_made(file):
            made += 1
            only_stars = not call.args and all(word.arg is None for word in call.keywords)
            assert only_stars, f"{file.name}:{call.lineno} says options beside those of options.py"
    assert made >= 4
