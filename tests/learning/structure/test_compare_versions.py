"""Transforms of columns and targets, judged by the density of rows given their neighbours."""

from dataclasses import replace

import numpy as np

from sparsegp.kernels import Matern
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.candidates import Candidate, Sample
from sparsegp.learning.structure.compare_versions import likeliest_version
from sparsegp.tables.transforms.curves import Logarithm, Straight
from sparsegp.tables.transforms.scaling import fit_scaling

START = Candidate(Parameters(2.0 * Matern((1.0,), nu=1.5), 0.1))


def judged(function, seed=0, n=4_000):
    """Return the table that wins where the target is a function of normal scores."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(n, 1))
    plain = (np.exp(1.5 * score) - 3.0) / 8.0
    y = function(score, plain) + 0.05 * rng.normal(size=(n, 1))
    standard = fit_scaling(y, None, "standard")
    versions = {
        "plain": (START, Sample(plain, plain, standard.apply(y), standard)),
        "scores": (START, Sample(score, score, standard.apply(y), standard)),
    }
    context = FitContext(np.random.default_rng(seed))
    return likeliest_version(versions, context), context


def test_the_table_in_which_the_function_is_smooth_wins():
    (found, parameters), context = judged(lambda score, plain: np.sin(6.0 * score))
    assert found == "scores"
    assert parameters.noise_variance < 0.05  # climbed to from .1; the truth is near .005
    assert context.history.entries[-1]["phase"] == "transforms: by neighbours"
    assert set(context.history.entries[-1]["log_density"]) == {"plain", "scores"}
    assert judged(lambda score, plain: np.sin(6.0 * plain))[0][0] == "plain"


def test_targets_are_compared_in_their_own_units():
    """A logarithm wins where it is the truth, and not for the small errors of small numbers."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (3_000, 1))
    z = np.sin(2.0 * X) + 0.3 * rng.normal(size=X.shape)
    found = {}
    for name, y in {"straight": 20.0 + z, "logarithm": np.exp(1.5 * z)}.items():
        sample = Sample(X, X, y, fit_scaling(y, None, "standard"))
        curves = {"straight": Straight(), "logarithm": Logarithm()}
        versions = {kind: (replace(START, curves=(c,)), sample) for kind, c in curves.items()}
        context = FitContext(np.random.default_rng(0))
        found[name] = likeliest_version(versions, context)[0], context.history.entries[-1]
    assert found["logarithm"][0] == "logarithm"
    # between 18 and 22 the two differ by next to nothing: without slopes by log 20 or so
    densities = found["straight"][1]["log_density"]
    assert abs(densities["logarithm"] - densities["straight"]) < 0.05


def test_a_single_version_is_not_judged():
    y = np.zeros((3, 1))
    sample = Sample(y, y, y, fit_scaling(y, None, "standard"))
    context = FitContext(np.random.default_rng(0))
    assert likeliest_version({"it": (START, sample)}, context) == ("it", START.parameters)
    assert not context.history.entries
