"""A part of short range is looked for in the noise, by a score test, and only there."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF, Constant
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.candidates import Candidate, Sample
from sparsegp.learning.structure.short_range import short_range_in_noise
from sparsegp.model.exact import exact_log_evidence
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import fit_scaling
from tests.property_settings import cases

NOISE = 0.09


def drawn(seed, short, n=300, n_columns=1):
    """Return a long-range function, with a part of short range, and noise of the same variance."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, n_columns))
    K = RBF(2.0)(X, X)
    if short:
        K = K + NOISE * RBF(0.03)(X, X)
    y = np.linalg.cholesky(K + NOISE * np.eye(n)) @ rng.standard_normal((n, 1))
    return Sample(X, X, y, fit_scaling(y, None, "none"))


def start(noise=2.0 * NOISE, bounds=(1e-6, 1e2)):
    return Candidate(Parameters(Constant(1.0) * RBF(2.0), noise, bounds))


def changed(candidate, change):
    parameters = candidate.parameters
    return replace(candidate, parameters=replace(parameters, kernel=change(parameters.kernel)))


@cases(5)
@given(st.integers(0, 10_000))
def test_what_is_there_is_found_and_is_likelier_at_once(seed):
    sample = drawn(seed, short=True)
    found = short_range_in_noise(start(), sample, changed)
    assert found is not None
    scale = found.parameters.kernel.right.right.length_scale
    assert 0.006 <= scale <= 0.2
    rows = Rows(sample.unwarped, sample.y)
    before, after = (
        exact_log_evidence(each.parameters.kernel, rows, each.parameters.noise_variance)
        for each in (start(), found)
    )
    assert after > before + 3.0


@cases(5)
@given(st.integers(0, 10_000), st.integers(1, 8))
def test_pure_noise_hides_nothing(seed, n_columns):
    sample = drawn(seed, short=False, n_columns=n_columns)
    assert short_range_in_noise(start(NOISE), sample, changed) is None


def test_a_given_noise_stays():
    assert short_range_in_noise(start(bounds="fixed"), drawn(0, short=True), changed) is None


def test_two_close_rows_are_no_evidence():
    """With eight columns hardly any rows are close: a score of a few pairs is not normal."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (100, 8))
    X[1] = X[0]
    y = rng.standard_normal((100, 1)) * NOISE**0.5
    y[:2] = 10.0
    sample = Sample(X, X, y, fit_scaling(y, None, "none"))
    assert short_range_in_noise(start(NOISE), sample, changed) is None
