"""The checks must find every violated property, and name it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sparsegp.kernels import RBF, Kernel
from sparsegp.testing import check_kernel
from tests.oracles.kernel_examples import EXAMPLES, Triangular


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kernel_passes(name):
    example = EXAMPLES[name]
    check_kernel(example.kernel, example.inputs(12), rtol=1e-7)


# codes of levels are no coordinates: shifted, they are levels that no training row has
@pytest.mark.parametrize("name", [name for name in EXAMPLES if not name.startswith("OneHot")])
def test_every_kernel_passes_far_from_the_origin(name):
    example = EXAMPLES[name]
    check_kernel(example.kernel, example.inputs(9, seed=1) + 100.0)


def test_a_kernel_with_a_block_and_a_diagonal_passes():
    check_kernel(Triangular())


def test_the_rows_are_the_users():
    check_kernel(RBF([1.0, 2.0]), [[0, 1], [2, 3], [4, 6]])


class Broken(RBF):
    def __repr__(self):
        return "Broken()"


class WrongShape(Broken):
    def __call__(self, X, Z):
        return super().__call__(Z, X)


class WrongDiagonalShape(Broken):
    def diagonal(self, X):
        return np.ones((len(X), 1))


class WholeNumbers(Broken):
    def __call__(self, X, Z):
        return (X[:, :1] == Z[:, :1].T).astype(int)


class NotFinite(Broken):
    def __call__(self, X, Z):
        return super().__call__(X, Z) * np.nan


class Remembering(Broken):
    memory: ClassVar = {}

    def __call__(self, X, Z):
        return self.memory.setdefault((X.tobytes(), Z.tobytes()), super().__call__(X, Z))


class ReadOnlyBlock(Broken):
    def __call__(self, X, Z):
        return np.broadcast_to(1.0, (len(X), len(Z)))


class Centring(Broken):
    def __call__(self, X, Z):
        return super().__call__(X - X.mean(axis=0), Z - Z.mean(axis=0))


class Lopsided(Broken):
    def __call__(self, X, Z):
        return X[:, :1] + 0.0 * Z[:, :1].T


class WrongDiagonal(Broken):
    def diagonal(self, X):
        return 2.0 * np.ones(len(X))


class Indefinite(Broken):
    def __call__(self, X, Z):
        return 1.0 - np.abs(X[:, :1] - Z[:, :1].T) ** 3


class Mutating(Broken):
    def __call__(self, X, Z):
        if X.flags.writeable:
            X *= 1.0 + 1e-9
        return super().__call__(X, Z)


class NeedsToWrite(Broken):
    def diagonal(self, X):
        X[0] = X[0]
        return super().diagonal(X)


class TooManyNames(Broken):
    parameter_names = ("length_scale", "another")


class WrongBounds(Broken):
    bounds = np.zeros((2, 2))


class OutOfBounds(Broken):
    bounds = np.array([[1.0, 2.0]])


class NotAValue(Broken):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass
class Changeable(Kernel):
    size: float = 1.0

    def __repr__(self):
        return "Broken()"

    def __call__(self, X, Z):
        return np.full((len(X), len(Z)), self.size)

    def diagonal(self, X):
        return np.full(len(X), self.size)


@dataclass(frozen=True)
class NotHashable(Kernel):
    sizes: list

    def __repr__(self):
        return "Broken()"

    __call__ = Changeable.__call__
    diagonal = Changeable.diagonal
    size = 1.0


class SharedTheta(Broken):
    stored = np.zeros(1)

    @property
    def theta(self):
        return self.stored


class StubbornTheta(Broken):
    def with_theta(self, theta):
        return self


class ChangesType(Broken):
    def with_theta(self, theta):
        return RBF(float(np.exp(theta[0])))


class OtherBlock(Broken):
    def vjp(self, X, Z):
        K, pullback = super().vjp(X, Z)
        return 2.0 * K, pullback


class WrongThetaSlope(Broken):
    def vjp(self, X, Z):
        K, pullback = super().vjp(X, Z)
        return K, lambda K_bar: (1.00001 * pullback(K_bar.copy())[0], pullback(K_bar)[1])


class WrongInputSlope(Broken):
    def vjp(self, X, Z):
        K, pullback = super().vjp(X, Z)
        return K, lambda K_bar: (pullback(K_bar.copy())[0], 1.00001 * pullback(K_bar)[1])


class LongTheta(Broken):
    def vjp(self, X, Z):
        K, pullback = super().vjp(X, Z)
        return K, lambda K_bar: (np.zeros(2), pullback(K_bar)[1])


class SharedBuffer(Broken):
    buffers: ClassVar = {}

    def vjp(self, X, Z):
        K, _ = super().vjp(X, Z)
        kept = self.buffers.setdefault(K.shape, K.copy())

        def pullback(K_bar):
            kept[...] *= K_bar
            return np.array([kept.sum()]), np.zeros_like(Z)

        return K, pullback


class WrongDiagonalSlope(Broken):
    def pull_diagonal(self, X, d_bar):
        return np.array([d_bar.sum()])


@pytest.mark.parametrize(
    ("broken", "claim"),
    [
        (WrongShape(), "the block has shape"),
        (WrongDiagonalShape(), "the diagonal has shape"),
        (WholeNumbers(), "the block is float64"),
        (NotFinite(), "the block is finite"),
        (Remembering(), "each call returns a new block"),
        (ReadOnlyBlock(), "the block may be overwritten"),
        (Centring(), "each value depends on its two rows only"),
        (Lopsided(), r"k\(x, z\) = k\(z, x\)"),
        (WrongDiagonal(), "the diagonal is the diagonal of the block"),
        (Indefinite(), "positive semi-definite"),
        (Mutating(), "inputs are not modified"),
        (NeedsToWrite(), "inputs may be read-only"),
        (TooManyNames(), "parameter_names"),
        (WrongBounds(), "bounds have shape"),
        (OutOfBounds(), "theta lies within its bounds"),
        (NotAValue(), "kernels with the same parameters are equal"),
        (Changeable(), "a kernel is immutable"),
        (NotHashable([1.0]), "a kernel is hashable"),
        (SharedTheta(), "a kernel is immutable: theta stays"),
        (StubbornTheta(), "with_theta sets theta"),
        (ChangesType(), "with_theta keeps the type"),
        (OtherBlock(), "vjp returns the block of __call__"),
        (LongTheta(), "the pullback to theta has shape"),
        (SharedBuffer(), "vjp is not affected"),
        (WrongThetaSlope(), "the pullback is the derivative with respect to theta"),
        (WrongInputSlope(), "the pullback is the derivative with respect to Z"),
        (WrongDiagonalSlope(), "pull_diagonal is the derivative with respect to theta"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Kernel) else "",
)
def test_a_violated_property_is_named_with_the_kernel(broken, claim):
    with pytest.raises(AssertionError, match=rf"^Broken\(\): .*{claim}"):
        check_kernel(broken)


@pytest.mark.parametrize("X", [[1.0, 2.0], [[1.0, 2.0]]])
def test_rows_that_are_no_table_are_refused(X):
    with pytest.raises(ValueError, match="X must have two dimensions and two rows, got shape"):
        check_kernel(RBF(), X)


def test_what_is_no_kernel_is_refused():
    with pytest.raises(TypeError, match=r"must be a sparsegp\.kernels\.Kernel, got str"):
        check_kernel("rbf")
