"""The rows that judge predict once for each number of neighbours."""

import numpy as np
import pytest

from sparsegp.arrays import is_numpy
from sparsegp.kernels import RBF
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours import choose
from sparsegp.learning.neighbours.families import Learned
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import FITC
from sparsegp.tables.rows import Rows
from tests.array_libraries import on_device


@pytest.fixture
def rows():
    X = np.random.default_rng(0).uniform(size=(1_600, 2))
    return Rows(X, np.sin(20.0 * X[:, :1]))


def learned(length_scale):
    parameters = Parameters(RBF(length_scale), 0.01)
    return Learned(parameters, None, parameters, str(length_scale))


def test_what_climbs_were_compared_by_is_not_computed_again(rows, monkeypatch):
    asked = []
    original = choose.leave_one_out_of_neighbours

    def counted(model, positions):
        asked.append((model.basis.kernel.length_scale, model.k))
        return original(model, positions)

    monkeypatch.setattr(choose, "leave_one_out_of_neighbours", counted)
    context = FitContext(np.random.default_rng(0))
    best, judge = choose.best_of(rows, [learned(0.1), learned(3.0)], 50, 30, context)
    settings = Settings(FITC, "random", max_basis=50)
    found = choose.choose_n_neighbours(judge, best.of_subsets, settings, context)
    assert best.name == "0.1" and found.k >= 30
    assert asked[:2] == [(0.1, 30), (3.0, 30)] and (0.1, 60) in asked
    assert len(set(asked)) == len(asked)
    np.testing.assert_array_equal(judge.timed_density(30, context.budget)[0], judge.density(30))


@pytest.mark.parametrize("writeable", [True, False])
def test_rows_on_a_device_are_judged_there_if_they_can_be_written_to(rows, writeable, monkeypatch):
    monkeypatch.setattr(choose.array_api_compat, "is_writeable_array", lambda x: writeable)
    there = Rows(on_device(rows.X), on_device(rows.y))
    found = [
        choose.best_of(each, [learned(0.5)], 100, 30, FitContext(np.random.default_rng(0)))[1]
        for each in (rows, there)
    ]
    assert is_numpy(found[1].model.rows.X) != writeable
    for k in (0, 30):
        np.testing.assert_allclose(found[1].density(k), found[0].density(k), rtol=1e-6)
