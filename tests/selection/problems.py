"""Small random problems for the tests of selection."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from sparsegp.kernels import RBF
from sparsegp.kernels.base import Kernel
from sparsegp.selection import CRITERIA, Selection, select_basis
from sparsegp.tables.rows import Rows

GUIDED = tuple(name for name in CRITERIA if name != "random")
WITHOUT_TARGETS = tuple(name for name in GUIDED if name != "information_gain")


@dataclass(frozen=True)
class Problem:
    kernel: Kernel
    rows: Rows
    variance: float
    seed: int

    def select(
        self, criterion: str, max_basis: int, *, candidates: np.ndarray | None = None, **options
    ) -> Selection:
        everything = len(self.rows) if candidates is None else len(candidates)
        given = {"n_fresh": 0, "cache_size": everything, "stop": False} | options
        return select_basis(
            criterion,
            self.kernel,
            self.rows,
            candidates,
            self.variance,
            max_basis=max_basis,
            rng=np.random.default_rng(self.seed),
            **given,
        )


def make_problem(
    seed: int, n: int = 40, n_outputs: int = 1, *, weighted: bool = False, noise: float = 0.1
) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    slopes = rng.standard_normal((2, n_outputs))
    y = np.sin(2.0 * X @ slopes) + np.sqrt(noise) * rng.standard_normal((n, n_outputs))
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    kernel = rng.uniform(0.5, 2.0) * RBF([0.6, 0.9])
    return Problem(kernel, Rows(X, y, weight), noise, seed)


problems = st.builds(
    make_problem,
    seed=st.integers(0, 10**6),
    n=st.integers(8, 60),
    n_outputs=st.integers(1, 2),
    weighted=st.booleans(),
    noise=st.sampled_from([0.03, 0.1, 0.5]),
)
