"""Hyperparameters and kernel family of large exact processes."""

from dataclasses import replace

import numpy as np
import pytest

from sparsegp.kernels import RBF, Auto, Constant, Matern
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.initialise import Initialisation
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import MAX_ROWS_FOR_NOISE_CHOICE
from sparsegp.learning.neighbours import policy
from sparsegp.learning.neighbours.exact_process import learn_exact_process, settings_to_begin
from sparsegp.learning.noise.noise_models import HeteroscedasticNoise, HomoscedasticNoise
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import DTC
from sparsegp.model.exact import exact_log_evidence
from sparsegp.tables.rows import Rows

EVERY_ROW = Settings(DTC, "random", 10**6, every_row=True)
FOUND = Parameters(Constant(1.0) * RBF((1.0, 1.0)), 0.1)


@pytest.fixture(scope="module")
def rough():
    """A draw of a Matern 1/2 process."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (1_200, 2))
    K = Matern((1.0, 1.0), nu=0.5)(X, X) + 0.01 * np.eye(len(X))
    return Rows(X, np.linalg.cholesky(K) @ rng.standard_normal((len(X), 1)))


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(policy, "MIN_ROWS", 1_000)
    monkeypatch.setattr(policy, "ROWS_TO_JUDGE", 300)
    monkeypatch.setattr(policy, "BASIS_TO_JUDGE", 50)
    learning = "sparsegp.learning"
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.BATCH_ROWS", 32)
    monkeypatch.setattr(f"{learning}.hyperparameters.policy.LEARNING_NEIGHBOURS", 15)
    for room in ("hyperparameters.policy", "neighbours.families"):
        monkeypatch.setattr(f"{learning}.{room}.SEGMENTS", (20, 30, 40))


def learned(rows, template, settings=EVERY_ROW, noise=None):
    begun = Initialisation(FOUND, rows, noise or HomoscedasticNoise())
    context = FitContext(np.random.default_rng(0))
    return learn_exact_process(begun, FOUND, template, settings, context), context


def test_the_densities_of_rows_choose_the_family(rough):
    found, context = learned(rough, Auto())
    kernel = found.parameters.kernel.right
    assert isinstance(kernel, Matern) and kernel.nu < 2.0
    assert any("hyperparameters by neighbours" in e["phase"] for e in context.history.entries)
    given, _ = learned(rough, None)
    assert isinstance(given.parameters.kernel.right, RBF)  # a given kernel stays
    evidence = [
        exact_log_evidence(p.kernel, rough, p.noise_variance)
        for p in (FOUND, given.parameters, found.parameters)
    ]
    assert evidence == sorted(evidence)  # of the exact process, which was not asked


@pytest.mark.parametrize("change", [{"every_row": False}, {"optimise": False}, {"search": False}])
def test_other_fits_go_on_as_they_began(rough, change):
    assert learned(rough, None, replace(EVERY_ROW, **change))[0].parameters is FOUND


def test_few_rows_and_rows_that_differ_in_noise_keep_what_subsets_found(rough):
    assert learned(rough[:900], None)[0].parameters is FOUND
    uneven = HeteroscedasticNoise.__new__(HeteroscedasticNoise)
    assert learned(rough, None, noise=uneven)[0].parameters is FOUND


class Many:
    """So many rows that no choice of noise is made by subsets."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


@pytest.mark.parametrize(("n", "noise", "searches"), [
    (MAX_ROWS_FOR_NOISE_CHOICE + 1, None, False),
    (MAX_ROWS_FOR_NOISE_CHOICE, None, True),
    (1_000, "gaussian", False),
    (1_000, "heteroscedastic", True),
    (999, "gaussian", True),
])  # fmt: skip
def test_subsets_are_searched_once(n, noise, searches):
    settings = replace(EVERY_ROW, noise=noise)
    assert settings_to_begin(Many(n), settings, FOUND).search is searches
    assert settings_to_begin(Many(n), settings, None).search  # nothing was searched yet
