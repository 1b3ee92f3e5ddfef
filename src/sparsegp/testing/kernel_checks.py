"""Checks that a user's kernel fulfils the interface that the models rely on.

Derivatives are compared with central differences of fourth order: of Σ_ij K̄_ij K_ij with
random K̄, so that one scalar depends on every element of the block.
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

STEP = 1e-4  # of the central differences, beside parameters and inputs of order one
BELOW_ZERO = 1e-9  # an eigenvalue may be this far below zero, relative to the largest
DIFFERENCE_FLOOR = 1e-4  # derivatives below this share of Σ|K̄ K| are rounding in a difference


def check_kernel(
    kernel: Kernel,
    X: npt.ArrayLike | None = None,
    *,
    rtol: float = 1e-6,
    random_state: int | np.random.Generator | None = 0,
) -> None:
    """Check that a kernel has the properties that every model relies on.

    Checked are shapes, symmetry, the diagonal, positive semi-definiteness, that inputs are
    not changed and may be read-only, that the kernel is an immutable value, that theta,
    bounds and names agree, and that pullbacks are derivatives. A kernel with nothing but
    ``__call__`` and ``diagonal`` can pass.

    Parameters
    ----------
    kernel : Kernel
        Bound to a table, if it names columns.
    X : array-like (n, D), optional
        Rows to check it on, at least two; by default 12 rows of three columns, normally
        distributed.
    rtol : float
        Largest error allowed, relative to the largest value compared.
    random_state : int, Generator or None
        For the default rows and for the directions in which derivatives are checked.

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
    """A kernel, and what it is checked on."""

    kernel: Kernel
    X: Vector  # (n, D)
    Z: Vector  # (m, D), the first rows of X
    rtol: float
    rng: np.random.Generator

    def demand(self, holds: Any, promise: str, found: str = "") -> None:
        if not holds:
            raise AssertionError(f"{self.kernel!r}: {promise}" + (f" ({found})" if found else ""))

    def demand_close(self, actual: Array, expected: Array, promise: str, floor: float = 0) -> None:
        """Demand equal shapes, and an error small beside the largest value or the floor."""
        actual, expected = to_numpy(actual), to_numpy(expected)
        shapes = f"shapes {actual.shape} and {expected.shape}"
        self.demand(actual.shape == expected.shape, promise, shapes)
        error = float(np.max(np.abs(actual - expected), initial=0.0))
        largest = max(float(np.max(np.abs(expected), initial=0.0)), floor)
        self.demand(error <= self.rtol * largest, promise, f"off by {error:.2g} of {largest:.2g}")

    def direction(self, *shape: int) -> Vector:
        """Draw a random derivative by K of some scalar."""
        return self.rng.standard_normal(shape)


def _block_and_diagonal_have_the_right_shape(case: _Case) -> None:
    n, m = len(case.X), len(case.Z)
    K, d = case.kernel(case.X, case.Z), case.kernel.diagonal(case.X)
    case.demand(K.shape == (n, m), f"the block has shape ({n}, {m})", f"got {K.shape}")
    case.demand(d.shape == (n,), f"the diagonal has shape ({n},)", f"got {d.shape}")
    for name, values in (("block", K), ("diagonal", d)):
        case.demand(values.dtype == np.float64, f"the {name} is float64", f"got {values.dtype}")
        case.demand(np.all(np.isfinite(values)), f"the {name} is finite")


def _block_belongs_to_the_caller(case: _Case) -> None:
    K = case.kernel(case.X, case.Z)
    case.demand(K.flags.writeable, "the block may be overwritten")
    before = K.copy()
    K[...] = np.nan
    again = case.kernel(case.X, case.Z)
    case.demand(np.array_equal(again, before), "each call returns a new block, and the same values")


def _each_value_depends_on_its_two_rows_only(case: _Case) -> None:
    promise = "each value depends on its two rows only"
    K = case.kernel(case.X, case.Z)
    case.demand_close(case.kernel(case.X[1:2], case.Z), K[1:2], promise)
    case.demand_close(case.kernel(case.X, case.Z[:1]), K[:, :1], promise)


def _block_is_symmetric(case: _Case) -> None:
    K, K_swapped = case.kernel(case.X, case.Z), case.kernel(case.Z, case.X)
    case.demand_close(K, K_swapped.T, "k(x, z) = k(z, x)")


def _diagonal_is_that_of_the_block(case: _Case) -> None:
    K, d = case.kernel(case.X, case.X), case.kernel.diagonal(case.X)
    case.demand_close(d, np.diagonal(K), "the diagonal is the diagonal of the block")


def _block_is_positive_semi_definite(case: _Case) -> None:
    K = case.kernel(case.X, case.X)
    eigenvalues = np.linalg.eigvalsh(0.5 * (K + K.T))
    case.demand(
        eigenvalues[0] >= -BELOW_ZERO * np.max(np.abs(eigenvalues)),
        "the block of rows with themselves is positive semi-definite",
        f"eigenvalues from {eigenvalues[0]:.2g} to {eigenvalues[-1]:.2g}",
    )


def _use(case: _Case, X: Vector, Z: Vector) -> None:
    """Call every method that takes inputs."""
    case.kernel(X, Z)
    case.kernel.diagonal(X)
    case.kernel.pull_diagonal(X, np.ones(len(X)))
    _, pullback = case.kernel.vjp(X, Z)
    pullback(np.ones((len(X), len(Z))))


def _inputs_are_left_alone(case: _Case) -> None:
    X, Z = case.X.copy(), case.Z.copy()
    _use(case, X, Z)
    unchanged = np.array_equal(X, case.X) and np.array_equal(Z, case.Z)
    case.demand(unchanged, "inputs are left as they were")


def _inputs_may_be_read_only(case: _Case) -> None:
    X, Z = case.X.copy(), case.Z.copy()
    X.flags.writeable = Z.flags.writeable = False
    try:
        _use(case, X, Z)
    except ValueError as error:
        raise AssertionError(f"{case.kernel!r}: inputs may be read-only ({error})") from error


def _is_a_value(case: _Case) -> None:
    kernel, theta = case.kernel, case.kernel.theta
    same = kernel.with_theta(theta) == kernel.with_theta(theta)
    case.demand(same, "kernels with the same parameters are equal")
    K = kernel(case.X, case.Z)
    copied = deepcopy(kernel)(case.X, case.Z)
    case.demand(np.array_equal(copied, K), "a deep copy gives the same block")
    dataclass_parameters = getattr(kernel, "__dataclass_params__", None)
    if dataclass_parameters is not None:
        frozen = dataclass_parameters.frozen
        case.demand(frozen, "a kernel is immutable: @dataclass(frozen=True)")
        _is_hashable(case)


def _is_hashable(case: _Case) -> None:
    theta = case.kernel.theta
    first, second = case.kernel.with_theta(theta), case.kernel.with_theta(theta)
    try:
        same = hash(first) == hash(second)
    except TypeError as error:
        raise AssertionError(f"{case.kernel!r}: a kernel is hashable ({error})") from error
    case.demand(same, "equal kernels have equal hashes")


def _is_immutable(case: _Case) -> None:
    kernel, before, K = case.kernel, case.kernel.theta.copy(), case.kernel(case.X, case.Z)
    for given in (kernel.theta, kernel.bounds):
        if given.flags.writeable:
            given[...] = 0.5 * given + 0.1
    kernel.with_theta(before + 0.1)
    _use(case, case.X, case.Z)
    case.demand(np.array_equal(kernel.theta, before), "a kernel is immutable: theta stays")
    same = np.array_equal(kernel(case.X, case.Z), K)
    case.demand(same, "a kernel is immutable: the block stays")


def _theta_bounds_and_names_agree(case: _Case) -> None:
    theta, bounds, names = case.kernel.theta, case.kernel.bounds, case.kernel.parameter_names
    p = len(theta)
    case.demand(theta.shape == (p,), "theta has one dimension", f"shape {theta.shape}")
    case.demand(bounds.shape == (p, 2), f"bounds have shape ({p}, 2)", f"got {bounds.shape}")
    case.demand(len(names) == p, f"there are {p} parameter_names", f"got {names}")
    case.demand(len(set(names)) == p, "parameter_names are different", f"got {names}")
    # log and exp may round a parameter that equals its bound
    low, high = bounds[:, 0] - 1e-12, bounds[:, 1] + 1e-12
    inside = np.all(low <= theta) and np.all(theta <= high)
    case.demand(inside, "theta lies within its bounds", f"theta {theta}, bounds {bounds.tolist()}")


def _with_theta_sets_theta(case: _Case) -> None:
    kernel = case.kernel
    low, high = kernel.bounds[:, 0], kernel.bounds[:, 1]
    theta = np.clip(kernel.theta + 0.1 * case.direction(len(kernel.theta)), low, high)
    moved = kernel.with_theta(theta)
    case.demand_close(moved.theta, theta, "with_theta sets theta", floor=1.0)
    case.demand(type(moved) is type(kernel), "with_theta keeps the type", type(moved).__name__)
    same_bounds = np.array_equal(moved.bounds, kernel.bounds)
    case.demand(same_bounds, "with_theta keeps the bounds")
    case.demand(moved.parameter_names == kernel.parameter_names, "with_theta keeps the names")
    back = moved.with_theta(kernel.theta)
    promise = "with_theta comes back to the same block"
    case.demand_close(back(case.X, case.Z), kernel(case.X, case.Z), promise)


def _vjp_gives_the_block(case: _Case) -> None:
    K, _ = case.kernel.vjp(case.X, case.Z)
    case.demand_close(K, case.kernel(case.X, case.Z), "vjp gives the block of the call")


def _pullback_repeats(case: _Case) -> None:
    K_bar = case.direction(len(case.X), len(case.Z))
    _, pullback = case.kernel.vjp(case.X, case.Z)
    theta_bar, Z_bar = (np.array(part) for part in pullback(K_bar.copy()))
    K, again = case.kernel.vjp(case.X, case.Z)
    promise = "a fresh vjp is not disturbed by an earlier pullback"
    case.demand_close(K, case.kernel(case.X, case.Z), promise)
    for now, before in zip(again(K_bar.copy()), (theta_bar, Z_bar), strict=True):
        case.demand_close(now, before, promise)
    p, shape = len(case.kernel.theta), case.Z.shape
    case.demand(theta_bar.shape == (p,), f"the pullback by theta has shape ({p},)")
    case.demand(Z_bar.shape == shape, f"the pullback by Z has shape {shape}", f"{Z_bar.shape}")


def _pullback_is_the_derivative_by_theta(case: _Case) -> None:
    K_bar = case.direction(len(case.X), len(case.Z))
    K, pullback = case.kernel.vjp(case.X, case.Z)
    floor = DIFFERENCE_FLOOR * float(np.sum(np.abs(K_bar * K)))
    theta_bar, _ = pullback(K_bar.copy())

    def scalar(theta: Vector) -> float:
        return float(np.sum(K_bar * case.kernel.with_theta(theta)(case.X, case.Z)))

    expected = _differences(scalar, case.kernel.theta)
    case.demand_close(theta_bar, expected, "the pullback is the derivative by theta", floor)


def _pullback_is_the_derivative_by_inputs(case: _Case) -> None:
    if not case.kernel.moves_inputs:
        return
    # between rows of X: a kernel may have a kink where two rows meet
    Z = 0.6 * case.Z + 0.4 * case.X[1 : len(case.Z) + 1]  # (m, D)
    unit = np.std(case.X, axis=0)  # (D,): derivatives are compared in units of the inputs
    unit = np.where(unit > 0.0, unit, 1.0)
    K_bar = case.direction(len(case.X), len(Z))
    K, pullback = case.kernel.vjp(case.X, Z)
    floor = DIFFERENCE_FLOOR * float(np.sum(np.abs(K_bar * K)))
    _, Z_bar = pullback(K_bar.copy())

    def scalar(shift: Vector) -> float:
        return float(np.sum(K_bar * case.kernel(case.X, Z + unit * shift)))

    expected = _differences(scalar, np.zeros_like(Z))
    case.demand_close(Z_bar * unit, expected, "the pullback is the derivative by Z", floor)


def _pull_diagonal_is_the_derivative(case: _Case) -> None:
    d_bar = case.direction(len(case.X))
    floor = DIFFERENCE_FLOOR * float(np.sum(np.abs(d_bar * case.kernel.diagonal(case.X))))

    def scalar(theta: Vector) -> float:
        return float(np.sum(d_bar * case.kernel.with_theta(theta).diagonal(case.X)))

    actual = case.kernel.pull_diagonal(case.X, d_bar.copy())
    expected = _differences(scalar, case.kernel.theta)
    case.demand_close(actual, expected, "pull_diagonal is the derivative by theta", floor)


def _differences(scalar: Callable[[Vector], float], at: Vector) -> Vector:
    """Return the derivatives of a scalar function by central differences: the shape of at."""
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
    _inputs_are_left_alone,
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
    _vjp_gives_the_block,
    _pullback_repeats,
    _pullback_is_the_derivative_by_theta,
    _pullback_is_the_derivative_by_inputs,
    _pull_diagonal_is_the_derivative,
)
