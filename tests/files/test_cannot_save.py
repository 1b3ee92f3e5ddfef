"""What has no place in a file is named before anything is written."""

import numpy as np
import pytest

from sparsegp import OnlineGPRegressor, SparseGPRegressor
from sparsegp.exceptions import CannotSaveError, SparseGPError
from sparsegp.files import save
from sparsegp.kernels import RBF
from sparsegp.likelihoods import Gaussian, by_quadrature
from tests.files.models import X, Y, fitted
from tests.oracles.kernel_examples import Triangular


class LongerRBF(RBF):
    """A user's subclass may do anything."""


class OwnLikelihood:
    def moment_match(self, y, mean, variance):
        return Gaussian(0.1).moment_match(y, mean, variance)


class OwnRegressor(SparseGPRegressor):
    pass


def short(kind=SparseGPRegressor, **options):
    return kind(max_basis=4, optimizer=None, random_state=0).set_params(**options).fit(X, Y)


def refuses(model, path, words, **options):
    path.write_bytes(b"old")
    with pytest.raises(CannotSaveError, match=words) as caught:
        model.save(path, **options)
    assert isinstance(caught.value, SparseGPError)
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_kernels_of_ones_own(tmp_path):
    model = short(kernel=RBF() + 2.0 * Triangular())
    refuses(model, tmp_path / "model", r"kernel\.right\.right.*Triangular.*user-defined")
    refuses(short(kernel=LongerRBF()), tmp_path / "model", "kernel=LongerRBF")


def test_likelihoods_of_ones_own(tmp_path):
    for likelihood, words in (
        (OwnLikelihood(), "likelihood=.*OwnLikelihood.*user-defined"),
        (by_quadrature(lambda y, f: -((y - f) ** 2)), "likelihood=OwnDensity.*no code"),
    ):
        model = short(OnlineGPRegressor, likelihood=likelihood)
        refuses(model, tmp_path / "model", words)


def test_other_things(tmp_path):
    model = short()
    model.favourite = object()
    refuses(model, tmp_path / "model", "favourite")
    refuses(short(OwnRegressor), tmp_path / "model", "OwnRegressor")
    model = short(random_state=np.random.RandomState(np.random.PCG64(1)))
    refuses(model, tmp_path / "model", "random_state of PCG64")


def test_means_of_what_needs_variances(tmp_path):
    for name, words in (("two classes", "probabilities"), ("stream", "further updates")):
        refuses(fitted(name), tmp_path / "model", words, variance=False)


def test_notes_that_json_cannot_hold(tmp_path):
    for notes in ({"x": object()}, [float("nan")]):
        with pytest.raises(CannotSaveError, match="JSON"):
            save(fitted("default"), tmp_path / "model", notes=notes)
    assert not list(tmp_path.iterdir())
