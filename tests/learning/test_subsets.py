"""First hyperparameters from nested subsets."""

import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp.data.rows import Rows
from sparsegp.kernels import RBF, Constant
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.progress import silent
from sparsegp.learning.subsets import exact_objective, first_parameters

START = Parameters(Constant(1.0) * RBF([1.0] * 5), 0.1)


def friedman(n):
    X, y = make_friedman1(n, n_features=5, noise=1.0, random_state=0)
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    return Rows(X, y[:, None])


def test_a_small_table_is_one_stage_on_all_rows():
    rows = friedman(80)
    optima = first_parameters(rows, START, np.random.default_rng(0), listener=silent)
    assert len(optima) == 1
    assert optima[0].value == exact_objective(rows)(optima[0].parameters)[0]


def test_stages_come_close_to_the_optimum_of_all_rows():
    rows = friedman(600)
    stages = ((210, 40), (400, 20), (600, 30))
    staged = first_parameters(rows, START, np.random.default_rng(0), stages=stages, listener=silent)
    whole = first_parameters(
        rows, START, np.random.default_rng(0), stages=((600, 100),), listener=silent
    )
    assert [len(staged), len(whole)] == [3, 1]
    assert staged[-1].value > whole[-1].value - 2.0


def test_a_subset_taken_for_noise_does_not_decide():
    """Few rows of a rough function look like noise; a later stage must start afresh."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 30, size=(400, 1))
    rows = Rows(X, np.sin(3 * X))
    start = Parameters(Constant(1.0) * RBF(0.5), 0.1)
    optima = first_parameters(rows, start, rng, stages=((8, 40), (400, 40)), listener=silent)
    assert optima[-1].parameters.noise_variance < 0.01
