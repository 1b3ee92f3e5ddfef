"""Two classes by definitions: dense matrices, no update, and small problems to try them on.

Several columns of labels are a list of such problems on the same rows: what they say adds up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from numpy.linalg import inv
from scipy.special import log_ndtr

from sparsegp.kernels import RBF, Kernel, Linear, Matern
from sparsegp.likelihoods import Probit, site_of
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.active_set import ActiveSet, select_active_set

# rough enough that K of all rows can be inverted
KERNELS = (0.8 * Matern(1.0, nu=0.5), 2.0 * Matern([0.7, 1.5], nu=1.5), 1.5 * Matern(0.5, nu=1.5))

PROBIT = Probit(1.3, 0.2)


@dataclass(frozen=True)
class Problem:
    kernel: Kernel
    X: np.ndarray  # (n, 2)
    y: np.ndarray  # (n,), ±1
    weight: np.ndarray | None  # (n,)
    likelihood: Probit
    seed: int

    @property
    def count(self) -> np.ndarray:
        return np.ones(len(self.y)) if self.weight is None else self.weight


def make_problem(
    seed: int,
    n: int = 30,
    kernel: Kernel = KERNELS[0],
    *,
    weighted: bool = False,
    likelihood: Probit = PROBIT,
) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(n) > 0.0, 1.0, -1.0)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    return Problem(kernel, X, y, weight, likelihood, seed)


problems = st.builds(
    make_problem,
    seed=st.integers(0, 10**6),
    n=st.integers(8, 25),
    kernel=st.sampled_from(KERNELS),
    weighted=st.booleans(),
    likelihood=st.sampled_from([Probit(), Probit(2.5, -0.4), Probit(0.4, 1.0)]),
)


def make_columns(seed: int, n_columns: int = 3, **options) -> list[Problem]:
    """Draw one class against the rest for each of some classes; every class has a row."""
    one = make_problem(seed, **options)
    rng = np.random.default_rng(seed + 1)
    angle = np.arctan2(one.X[:, 1], one.X[:, 0]) + 0.3 * rng.standard_normal(len(one.y))
    classes = np.floor(n_columns * (angle / (2.0 * np.pi) % 1.0)).astype(int)
    classes[:n_columns] = np.arange(n_columns)
    slope, bias = one.likelihood.slope, one.likelihood.bias
    return [
        replace(
            one,
            y=np.where(classes == c, 1.0, -1.0),
            likelihood=Probit(slope, bias - 0.3 * c),
        )
        for c in range(n_columns)
    ]


columns = st.builds(
    make_columns,
    seed=st.integers(0, 10**6),
    n=st.integers(8, 25),
    kernel=st.sampled_from(KERNELS),
    weighted=st.booleans(),
    likelihood=st.sampled_from([Probit(), Probit(2.5, -0.4), Probit(0.4, 1.0)]),
)


def select_columns(problems: Sequence[Problem], **options) -> ActiveSet:
    """Choose an active set of several columns of labels."""
    one = problems[0]
    return select_active_set(
        one.kernel,
        one.X,
        np.stack([p.y for p in problems], axis=1),
        [p.likelihood for p in problems],
        weight=one.weight,
        **options,
    )


@dataclass(frozen=True)
class OneColumn:
    """An active set of two classes, without the axis of columns."""

    indices: np.ndarray
    sites: Sites
    path: np.ndarray
    full_path: np.ndarray
    mean: np.ndarray  # (n,)
    variance: np.ndarray  # (n,)

    @classmethod
    def of(cls, chosen: ActiveSet) -> "OneColumn":
        assert chosen.mean.shape[1] == chosen.variance.shape[1] == 1
        (sites,) = chosen.sites
        paths = chosen.path, chosen.full_path
        return cls(chosen.indices, sites, *paths, chosen.mean[:, 0], chosen.variance[:, 0])


def select(problem: Problem, **options) -> OneColumn:
    """Choose an active set of two classes."""
    return OneColumn.of(select_columns([problem], **options))


SMOOTH_KERNELS = (
    1.5 * RBF(0.7),
    2.0 * Matern([0.8, 1.4], nu=1.5),
    Matern(1.2, nu=2.5) + 0.3 * Linear() + 0.1,
)


def posterior(
    kernel: Kernel, X: np.ndarray, indices: np.ndarray, sites: Sites
) -> tuple[np.ndarray, np.ndarray]:
    """Return f̂ = A b (n,) and A = (K⁻¹ + Π)⁻¹ (n, n) (SS eq. 1)."""
    precision, shift = np.zeros(len(X)), np.zeros(len(X))
    np.add.at(precision, indices, sites.precision)
    np.add.at(shift, indices, sites.shift)
    A = inv(inv(kernel(X, X)) + np.diag(precision))
    return A @ shift, A


def matched(problem: Problem, mean: np.ndarray, A: np.ndarray, j: int) -> tuple[float, float]:
    """Return precision and shift of the site of row j (SS eq. 2), counted by its weight."""
    at = problem.y[[j]], mean[[j]], A[[j], j]
    w, shift = site_of(problem.likelihood.moment_match(*at), *at[1:])
    return float(problem.count[j] * w[0]), float(problem.count[j] * shift[0])


def include(
    mean: np.ndarray, A: np.ndarray, j: int, precision: float, shift: float
) -> tuple[np.ndarray, np.ndarray]:
    """Multiply N(mean, A) by one more site."""
    inverse = inv(A)
    site = np.zeros_like(A)
    site[j, j] = precision
    new = inv(inverse + site)
    return new @ (inverse @ mean + shift * (np.arange(len(A)) == j)), new


def loss(problem: Problem, mean: np.ndarray, variance: np.ndarray, over: np.ndarray) -> float:
    """Return the mean of −log Φ(z) over some rows, written out by weight (SS eqs. 4 and 5)."""
    rows = np.repeat(over, problem.count[over].astype(int))
    spread = np.sqrt(problem.likelihood.slope**-2 + variance[rows])
    z = problem.y[rows] * (mean[rows] + problem.likelihood.bias) / spread
    return float(-np.mean(log_ndtr(z)))
