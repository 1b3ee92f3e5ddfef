"""Checks of the contract of kernels, for those of this library and user-defined ones.

Derivatives are compared with fourth-order central differences of Σ_ij K̄_ij K_ij with random K̄, so
that one scalar depends on every element of the block.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import Kernel, Vector

__all__ = ["check_kernel"]

STEP = 1e-4  # of the central differences, for parameters and inputs of order one
EIGENVALUE_TOLERANCE = 1e-9  # how negative an eigenvalue may be, relative to the largest
DIFFERENCE_FLOOR = 1e-4  # smaller derivatives, relative to Σ|K̄ K|, drown in rounding


def check_kernel(
    kernel: Kernel,
    X: npt.ArrayLike | None = None,
    *,
    rtol: float = 1e-6,
    random_state: int | np.random.Generator | None = 0,
) -> None:
    """Check that a kernel has the properties that all models rely on.

    These are: shapes, symmetry, the diagonal, positive semi-definiteness; inputs are not modified
    and may be read-only; the kernel is an immutable value; theta, bounds and names agree;
    vector-Jacobian products (pullbacks) are the derivatives. A kernel that defines only
    ``__call__`` and ``diagonal`` can pass.

    Parameters
    ----------
    kernel : Kernel
        If it refers to columns by name, it must be bound to a table.
    X : array-like (n, D), optional
        Rows to check it on, at least two; by default 12 normally distributed rows with three
        columns.
    rtol : float
        Largest error, relative to the largest value compared.
    random_state : int, Generator or None
        For the default rows and the directions in which derivatives are checked.

    Raises
    ------
    AssertionError
        If a property does not hold; the message names the kernel and the property.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp.kernels import RBF, Kernel
    >>> from sparsegp.testing import check_kernel
    >>> check_kernel(2.0 * RBF([1.0, 2.0, 3.0]) + 0.5)
    >>> class Distance(Kernel):
    ...     def __call__(self, X, Z):
    ...         return np.abs(X[:, :1] - Z[:, :1].T)
    ...     def diagonal(self, X):
    ...         return np.zeros(len(X))
    ...     def __repr__(self):
    ...         return "Distance()"
    >>> check_kernel(Distance())
    Traceback (most recent call last):
        ...
    AssertionError: Distance(): the block of rows with themselves is positive semi-definite ...
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"kernel must be a sparsegp.kernels.Kernel, got {type(kernel).__name__}")
    rng = np.random.default_rng(random_state)
    rows = rng.standard_normal((12, 3)) if X is None else np.array(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] < 2:
        raise ValueError(f"X must have two dimensions and two rows, got shape {rows.shape}")
    case = _Case(kernel, rows, rows[: (len(rows) + 1) // 2].copy(), rtol, rng)
    for check in _CHECKS:
        check(case)


@dataclass(frozen=True)
class _Case:
    """A kernel and the rows it is checked on."""

    kernel: Kernel
    X: Vector  # (n, D)
    Z: Vector  # (m, D), the first rows of X
    rtol: float
    rng: np.random.Generator

    def require(self, holds: Any, claim: str, found: str = "") -> None:
        if not holds:
            raise AssertionError(f"{self.kernel!r}: {claim}" + (f" ({found})" if found else ""))

    def require_close(self, actual: Array, expected: Array, claim: str, floor: float = 0) -> None:
        """Require equal shapes, and an error small relative to the largest value or the floor."""
        actual, expected = to_numpy(actual), to_numpy(expected)
        shapes = f"shapes {actual.shape} and {expected.shape}"
        self.require(actual.shape == expected.shape, claim, shapes)
        error = float(np.max(np.abs(actual - expected), initial=0.0))
        largest = max(float(np.max(np.abs(expected), initial=0.0)), floor)
        self.require(error <= self.rtol * largest, claim, f"off by {error:.2g} of {largest:.2g}")

    def direction(self, *shape: int) -> Vector:
        """Draw a random cotangent."""
        return self.rng.standard_normal(shape)


def _block_and_diagonal_have_the_right_shape(case: _Case) -> None:
    n, m = len(case.X), len(case.Z)
    K, d = case.kernel(case.X, case.Z), case.kernel.diagonal(case.X)
    case.require(K.shape == (n, m), f"the block has shape ({n}, {m})", f"got {K.shape}")
    case.require(d.shape == (n,), f"the diagonal has shape ({n},)", f"got {d.shape}")
    for name, values in (("block", K), ("diagonal", d)):
        case.require(values.dtype == np.float64, f"the {name} is float64", f"got {values.dtype}")
        case.require(np.all(np.isfinite(values)), f"the {name} is finite")


def _block_belongs_to_the_caller(case: _Case) -> None:
    K = case.kernel(case.X, case.Z)
    case.require(K.flags.writeable, "the block may be overwritten")
    before = K.copy()
    K[...] = np.nan
    again = case.kernel(case.X, case.Z)
    case.require(
        np.array_equal(again, before), "each call returns a new block, and the same values"
    )


def _each_value_depends_on_its_two_rows_only(case: _Case) -> None:
    claim = "each value depends on its two rows only"
    K = case.kernel(case.X, case.Z)
    case.require_close(case.kernel(case.X[1:2], case.Z), K[1:2], claim)
    case.require_close(case.kernel(case.X, case.Z[:1]), K[:, :1], claim)


def _block_is_symmetric(case: _Case) -> None:
    K, K_swapped = case.kernel(case.X, case.Z), case.kernel(case.Z, case.X)
    case.require_close(K, K_swapped.T, "k(x, z) = k(z, x)")


def _diagonal_is_that_of_the_block(case: _Case) -> None:
    K, d = case.kernel(case.X, case.X), case.kernel.diagonal(case.X)
    case.require_close(d, np.diagonal(K), "the diagonal is the diagonal of the block")


def _block_is_positive_semi_definite(case: _Case) -> None:
    K = case.kernel(case.X, case.X)
    eigenvalues = np.linalg.eigvalsh(0.5 * (K + K.T))
    case.require(
        eigenvalues[0] >= -EIGENVALUE_TOLERANCE * np.max(np.abs(eigenvalues)),
        "the block of rows with themselves is positive semi-definite",
        f"eigenvalues from {eigenvalues[0]:.2g} to {eigenvalues[-1]:.2g}",
    )


def _call_all(case: _Case, X: Vector, Z: Vector) -> None:
    """Call every method that takes inputs."""
    case.kernel(X, Z)
    case.kernel.diagonal(X)
    case.kernel.pull_diagonal(X, np.ones(len(X)))
    _, pullback = case.kernel.vjp(X, Z)
    pullback(np.ones((len(X), len(Z))))


def _inputs_are_not_modified(case: _Case) -> None:
    X, Z = case.X.copy(), case.Z.copy()
    _call_all(case, X, Z)
    unchanged = np.array_equal(X, case.X) and np.array_equal(Z, case.Z)
    case.require(unchanged, "inputs are not modified")


def _inputs_may_be_read_only(case: _Case) -> None:
    X, Z = case.X.copy(), case.Z.copy()
    X.flags.writeable = Z.flags.writeable = False
    try:
        _call_all(case, X, Z)
    except ValueError as error:
        raise AssertionError(f"{case.kernel!r}: inputs may be read-only ({error})") from error


def _is_a_value(case: _Case) -> None:
    kernel, theta = case.kernel, case.kernel.theta
    same = kernel.with_theta(theta) == kernel.with_theta(theta)
    case.require(same, "kernels with the same parameters are equal")
    K = kernel(case.X, case.Z)
    copied = deepcopy(kernel)(case.X, case.Z)
    case.require(np.array_equal(copied, K), "a deep copy gives the same block")
    dataclass_parameters = getattr(kernel, "__dataclass_params__", None)
    if dataclass_parameters is not None:
        frozen = dataclass_parameters.frozen
        case.require(frozen, "a kernel is immutable: @dataclass(frozen=True)")
        _is_hashable(case)


def _is_hashable(case: _Case) -> None:
    theta = case.kernel.theta
    first, second = case.kernel.with_theta(theta), case.kernel.with_theta(theta)
    try:
        same = hash(first) == hash(second)
    except TypeError as error:
        raise AssertionError(f"{case.kernel!r}: a kernel is hashable ({error})") from error
    case.require(same, "equal kernels have equal hashes")


def _is_immutable(case: _Case) -> None:
    kernel, before, K = case.kernel, case.kernel.theta.copy(), case.kernel(case.X, case.Z)
    for given in (kernel.theta, kernel.bounds):
        if given.flags.writeable:
            given[...] = 0.5 * given + 0.1
    kernel.with_theta(before + 0.1)
    _call_all(case, case.X, case.Z)
    case.require(np.array_equal(kernel.theta, before), "a kernel is immutable: theta stays")
    same = np.array_equal(kernel(case.X, case.Z), K)
    case.require(same, "a kernel is immutable: the block stays")


def _theta_bounds_and_names_agree(case: _Case) -> None:
    theta, bounds, names = case.kernel.theta, case.kernel.bounds, case.kernel.parameter_names
    p = len(theta)
    case.require(theta.shape == (p,), "theta has one dimension", f"shape {theta.shape}")
    case.require(bounds.shape == (p, 2), f"bounds have shape ({p}, 2)", f"got {bounds.shape}")
    case.require(len(names) == p, f"there are {p} parameter_names", f"got {names}")
    case.require(len(set(names)) == p, "parameter_names are distinct", f"got {names}")
    # log and exp may round a parameter that is at its bound
    low, high = bounds[:, 0] - 1e-12, bounds[:, 1] + 1e-12
    inside = np.all(low <= theta) and np.all(theta <= high)
    case.require(inside, "theta lies within its bounds", f"theta {theta}, bounds {bounds.tolist()}")


def _with_theta_sets_theta(case: _Case) -> None:
    kernel = case.kernel
    low, high = kernel.bounds[:, 0], kernel.bounds[:, 1]
    theta = np.clip(kernel.theta + 0.1 * case.direction(len(kernel.theta)), low, high)
    moved = kernel.with_theta(theta)
    case.require_close(moved.theta, theta, "with_theta sets theta", floor=1.0)
    case.require(type(moved) is type(kernel), "with_theta keeps the type", type(moved).__name__)
    same_bounds = np.array_equal(moved.bounds, kernel.bounds)
    case.require(same_bounds, "with_theta keeps the bounds")
    case.require(moved.parameter_names == kernel.parameter_names, "with_theta keeps the names")
    back = moved.with_theta(kernel.theta)
    claim = "with_theta comes back to the same block"
    case.require_close(back(case.X, case.Z), kernel(case.X, case.Z), claim)


def _vjp_returns_the_block(case: _Case) -> None:
    K, _ = case.kernel.vjp(case.X, case.Z)
    case.require_close(K, case.kernel(case.X, case.Z), "vjp returns the block of __call__")


def _pullback_repeats(case: _Case) -> None:
    K_bar = case.direction(len(case.X), len(case.Z))
    _, pullback = case.kernel.vjp(case.X, case.Z)
    theta_bar, Z_bar = (np.array(part) for part in pullback(K_bar.copy()))
    K, again = case.kernel.vjp(case.X, case.Z)
    claim = "vjp is not affected by an earlier pullback"
    case.require_close(K, case.kernel(case.X, case.Z), claim)
    for now, before in zip(again(K_bar.copy()), (theta_bar, Z_bar), strict=True):
        case.require_close(now, before, claim)
    p, shape = len(case.kernel.theta), case.Z.shape
    case.require(theta_bar.shape == (p,), f"the pullback to theta has shape ({p},)")
    case.require(Z_bar.shape == shape, f"the pullback to Z has shape {shape}", f"{Z_bar.shape}")


def _pullback_is_the_derivative_in_theta(case: _Case) -> None:
    K_bar = case.direction(len(case.X), len(case.Z))
    K, pullback = case.kernel.vjp(case.X, case.Z)
    floor = DIFFERENCE_FLOOR * float(np.sum(np.abs(K_bar * K)))
    theta_bar, _ = pullback(K_bar.copy())

    def scalar(theta: Vector) -> float:
        return float(np.sum(K_bar * case.kernel.with_theta(theta)(case.X, case.Z)))

    expected = _differences(scalar, case.kernel.theta)
    case.require_close(
        theta_bar, expected, "the pullback is the derivative with respect to theta", floor
    )


def _pullback_is_the_derivative_in_inputs(case: _Case) -> None:
    if not case.kernel.moves_inputs:
        return
    # between rows of X: a kernel may not be differentiable where two rows coincide
    Z = 0.6 * case.Z + 0.4 * case.X[1 : len(case.Z) + 1]  # (m, D)
    unit = np.std(case.X, axis=0)  # (D,): derivatives are scaled by the units of the inputs
    unit = np.where(unit > 0.0, unit, 1.0)
    K_bar = case.direction(len(case.X), len(Z))
    K, pullback = case.kernel.vjp(case.X, Z)
    floor = DIFFERENCE_FLOOR * float(np.sum(np.abs(K_bar * K)))
    _, Z_bar = pullback(K_bar.copy())

    def scalar(shift: Vector) -> float:
        return float(np.sum(K_bar * case.kernel(case.X, Z + unit * shift)))

    expected = _differences(scalar, np.zeros_like(Z))
    case.require_close(
        Z_bar * unit, expected, "the pullback is the derivative with respect to Z", floor
    )


def _pull_diagonal_is_the_derivative(case: _Case) -> None:
    d_bar = case.direction(len(case.X))
    floor = DIFFERENCE_FLOOR * float(np.sum(np.abs(d_bar * case.kernel.diagonal(case.X))))

    def scalar(theta: Vector) -> float:
        return float(np.sum(d_bar * case.kernel.with_theta(theta).diagonal(case.X)))

    actual = case.kernel.pull_diagonal(case.X, d_bar.copy())
    expected = _differences(scalar, case.kernel.theta)
    case.require_close(
        actual, expected, "pull_diagonal is the derivative with respect to theta", floor
    )


def _differences(scalar: Callable[[Vector], float], at: Vector) -> Vector:
    """Return the gradient of a scalar function by central differences, with the shape of ``at``."""
    derivative = np.empty_like(at)
    for index in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[index] = STEP
        near = scalar(at + step) - scalar(at - step)
        far = scalar(at + 2.0 * step) - scalar(at - 2.0 * step)
        derivative[index] = (8.0 * near - far) / (12.0 * STEP)
    return derivative


_CHECKS: tuple[Callable[[_Case], None], ...] = (
    _block_and_diagonal_have_the_right_shape,
    _inputs_are_not_modified,
    _inputs_may_be_read_only,
    _block_belongs_to_the_caller,
    _each_value_depends_on_its_two_rows_only,
    _block_is_symmetric,
    _diagonal_is_that_of_the_block,
    _block_is_positive_semi_definite,
    _theta_bounds_and_names_agree,
    _is_a_value,
    _is_immutable,
    _with_theta_sets_theta,
    _vjp_returns_the_block,
    _pullback_repeats,
    _pullback_is_the_derivative_in_theta,
    _pullback_is_the_derivative_in_inputs,
    _pull_diagonal_is_the_derivative,
)
