"""One example of every kernel and of every way to combine them, with inputs that suit it."""

from dataclasses import dataclass

import numpy as np

from sparsegp.kernels import (
    RBF,
    Categorical,
    Constant,
    Kernel,
    Linear,
    Matern,
    OnColumns,
    OneHot,
    Periodic,
    RationalQuadratic,
)

N_COLUMNS = 3
ARD = (0.8, 1.5, 2.5)


class Triangular(Kernel):
    """A kernel as a user writes it, max(0, 1 − |x − z|/3) on the first column."""

    def __call__(self, X, Z):
        return np.maximum(0.0, 1.0 - np.abs(X[:, :1] - Z[:, :1].T) / 3.0)

    def diagonal(self, X):
        return np.ones(X.shape[0])


@dataclass(frozen=True)
class Example:
    kernel: Kernel
    coded: bool = False  # inputs are codes of categories
    n_basis: int = 4  # K_zz has full rank with that many

    def inputs(self, n, seed=0):
        """Return n different rows: (n, 3)."""
        rng = np.random.default_rng(seed)
        if self.coded:
            every_row = np.stack(np.meshgrid(*[np.arange(4.0)] * N_COLUMNS), -1).reshape(-1, 3)
            return rng.permutation(every_row)[:n]
        return rng.standard_normal((n, N_COLUMNS))


EXAMPLES = {
    "RBF": Example(RBF(1.3)),
    "RBF, one length in a list": Example(RBF([1.3])),
    "RBF, ARD": Example(RBF(ARD)),
    "Matern 1/2": Example(Matern(1.3, nu=0.5)),
    "Matern 1/2, ARD": Example(Matern(ARD, nu=0.5)),
    "Matern 3/2": Example(Matern(1.3, nu=1.5)),
    "Matern 3/2, ARD": Example(Matern(ARD, nu=1.5)),
    "Matern 5/2": Example(Matern(1.3, nu=2.5)),
    "Matern 5/2, ARD": Example(Matern(ARD, nu=2.5)),
    "RationalQuadratic": Example(RationalQuadratic(1.3, alpha=0.7)),
    "RationalQuadratic, ARD": Example(RationalQuadratic(ARD, alpha=2.0)),
    "Linear": Example(Linear(0.7), n_basis=2),
    "Linear, ARD": Example(Linear(ARD), n_basis=2),
    "Periodic": Example(Periodic(1.3, 2.2)),
    "Periodic, ARD": Example(Periodic(ARD, (2.0, 3.0, 4.0))),
    "Periodic, of scaled inputs": Example(Periodic(1.3, 4.4, input_scale=(2.0, 1.5, 3.0))),
    "Constant": Example(Constant(1.7), n_basis=1),
    "Categorical": Example(Categorical(0.9), coded=True),
    "Categorical, ARD": Example(Categorical(ARD), coded=True),
    "all fixed": Example(Constant(2.0, "fixed") * RBF(1.0, "fixed")),
    "one fixed": Example(RationalQuadratic(1.0, "fixed", 2.0) + Constant(0.5, "fixed")),
    "constant times RBF": Example(2.0 * RBF(ARD)),
    "RBF times constant": Example(RBF(ARD) * 2.0),
    "fixed constant times RBF": Example(Constant(2.0, "fixed") * RBF()),
    "sum": Example(0.5 * RBF(1.3) + Matern(ARD, nu=1.5) + 0.3),
    "product": Example(RBF(1.3) * RationalQuadratic(ARD) * Linear(0.5)),
    "sum of products": Example(2.0 * RBF() * Periodic(1.0, 3.0) + 0.5 * Linear(ARD) + 0.1),
    "product of sums": Example((RBF() + 0.5) * (Linear() + 1.0)),
    "OnColumns": Example(OnColumns(RBF((0.7, 1.2)), [2, 0])),
    "OnColumns, one": Example(OnColumns(Matern(1.2, nu=2.5), 1)),
    "OnColumns, by name": Example(
        OnColumns(RBF((0.7, 1.2)), ["c", "a"]).bind(["a", "b", "c"], N_COLUMNS)
    ),
    "sum over columns": Example(1.5 * OnColumns(RBF(), [0, 1]) + OnColumns(Linear(), [2]) + 0.2),
    "OneHot": Example(OneHot(RBF(1.1), {1: (0.0, 1.0, 2.0, 3.0)}), coded=True),
    "OneHot, ARD": Example(
        0.7
        * OneHot(
            Matern((0.8, 1.5, 2.5, 0.9, 0.6, 1.2, 1.1, 1.4, 0.7), nu=1.5),
            {0: (0, 1, 2, 3), 2: (0, 1, 2, 3)},
        ),
        coded=True,
    ),
    "own": Example(Triangular()),
    "own in a sum": Example(Triangular() + 0.5 * RBF(ARD)),
    "own in a product": Example(RBF(1.3) * Triangular()),
    "own times constant": Example(2.0 * Triangular()),
    "own on columns": Example(OnColumns(Triangular(), [1]) * Matern()),
}
