"""Sites of all rows start from those that a search has found for some."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.classes.projected import project
from sparsegp.learning.classes.search_result import SearchResult
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import join_parameters
from sparsegp.learning.hyperparameters.site_hyperparameters import posteriors_of
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.rows import Rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, :1] + 0.5 * RNG.normal(size=(60, 1)) > 0.0, 1.0, -1.0)
ROWS = Rows(X, Y)
PARAMETERS = ClassParameters(RBF(), 2.0, (0.1,))
SEEN = np.array([3, 4, 10, 22, 23, 24, 40, 51, 52, 59])


def result(sites: Sites | None) -> SearchResult:
    return SearchResult(join_parameters(PARAMETERS, X[:7], moves=False), SEEN, sites)


@pytest.mark.parametrize("n", [5, 10, 30, 60])
def test_sites_go_to_their_rows(n):
    of_seen = Sites(np.arange(1.0, 11.0)[:, None], -np.arange(1.0, 11.0)[:, None])
    rows, start = result(of_seen).of_rows(ROWS, n, np.random.default_rng(1))
    assert len(rows) == len(start) == max(n, len(SEEN))
    known = {tuple(X[position]): float(i + 1) for i, position in enumerate(SEEN)}
    for x, w, tau in zip(rows.X, start.precision[:, 0], start.shift[:, 0], strict=True):
        assert (w, tau) == (known.get(tuple(x), 0.0), -known.get(tuple(x), 0.0))
    assert {tuple(x) for x in rows.X} >= set(known)


def test_without_a_search_there_is_nothing_to_start_from():
    rows, start = SearchResult(result(None).joint).of_rows(ROWS, 20, np.random.default_rng(1))
    assert len(rows) == 20
    assert start is None


@pytest.mark.parametrize("inference", ["ep", "variational"])
def test_without_time_for_a_sweep_the_posterior_is_that_of_the_search(inference):
    found = posteriors_of(ROWS.take(SEEN), X[:7], PARAMETERS, SCHEMES[inference], 1e-8)
    rows, start = result(found.sites).of_rows(ROWS, 60, np.random.default_rng(1))
    ended, _ = project(rows, X[:7], PARAMETERS, inference, start, lambda: False)
    mean, variance = ended[0].mean_and_variance(X)
    expected = found.posteriors[0].mean_and_variance(X)
    np.testing.assert_allclose(mean, expected[0], atol=1e-6)
    np.testing.assert_allclose(variance, expected[1], atol=1e-6)


@pytest.mark.parametrize("inference", ["ep", "variational"])
def test_with_time_it_does_not_matter_where_sites_start(inference):
    some = posteriors_of(ROWS.take(SEEN), X[:7], PARAMETERS, SCHEMES[inference], 1e-8)
    rows, start = result(some.sites).of_rows(ROWS, 60, np.random.default_rng(1))
    warm, cold = (
        project(rows, X[:7], PARAMETERS, inference, begin)[0][0].mean_and_variance(X)
        for begin in (start, None)
    )
    np.testing.assert_allclose(warm[0], cold[0], atol=1e-4)
    np.testing.assert_allclose(warm[1], cold[1], atol=1e-4)
