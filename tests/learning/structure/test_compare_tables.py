"""Transforms of columns, judged by the density of rows given their neighbours."""

import numpy as np

from sparsegp.kernels import Matern
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.candidates import Candidate, Sample
from sparsegp.learning.structure.compare_tables import likeliest_table
from sparsegp.tables.transforms.scaling import fit_scaling


def judged(function, seed=0, n=4_000):
    """Return the table that wins where the target is a function of normal scores."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(n, 1))
    plain = (np.exp(1.5 * score) - 3.0) / 8.0
    y = function(score, plain) + 0.05 * rng.normal(size=(n, 1))
    standard = fit_scaling(y, None, "standard")
    tables = {
        (): Sample(plain, plain, standard.apply(y), standard),
        (0,): Sample(score, score, standard.apply(y), standard),
    }
    context = FitContext(np.random.default_rng(seed))
    candidate = Candidate(Parameters(2.0 * Matern((1.0,), nu=1.5), 0.1))
    return likeliest_table(tables, candidate, context), context


def test_the_table_in_which_the_function_is_smooth_wins():
    (found, parameters), context = judged(lambda score, plain: np.sin(6.0 * score))
    assert found == (0,)
    assert parameters.noise_variance < 0.05  # climbed to from .1; the truth is near .005
    assert context.history.entries[-1]["phase"] == "transforms: by neighbours"
    assert set(context.history.entries[-1]["log_density"]) == {
        "0 columns warped",
        "1 columns warped",
    }
    assert judged(lambda score, plain: np.sin(6.0 * plain))[0][0] == ()


def test_a_single_table_is_not_judged():
    y = np.zeros((3, 1))
    sample = Sample(y, y, y, fit_scaling(y, None, "standard"))
    context = FitContext(np.random.default_rng(0))
    candidate = Candidate(Parameters(Matern((1.0,), nu=1.5), 0.1))
    assert likeliest_table({(0,): sample}, candidate, context) == ((0,), candidate.parameters)
    assert not context.history.entries
