"""A likelihood from its log density alone, by quadrature."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.quadrature import gaussian_means
from sparsegp.likelihoods.support import check_real
from sparsegp.likelihoods.tilted import belief_from_density

__all__ = ["OwnDensity", "by_quadrature"]

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class OwnDensity:
    """A likelihood that integrates a user's density; made by ``by_quadrature``."""

    log_density: Callable[[Array, Array], Array]
    jump: Function | None = None
    mean: Function | None = None
    variance: Function | None = None
    check: Callable[[Array], None] = check_real

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the targets."""
        jump = None if self.jump is None else self.jump(y)
        return belief_from_density(self.log_density, y, mean, variance, jump)

    def support(self, y: Array) -> None:
        """Run the user's check of the targets."""
        self.check(y)

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y for f ~ N(mean, variance): (n,) each.

        Without ``mean`` and ``variance`` of y given f these are the moments of f.
        """
        if self.mean is None:
            return mean, variance
        mean_of, variance_of = self.mean, self.variance

        def functions(f: Array) -> tuple[Array, ...]:
            centre = mean_of(f)
            noise = np.zeros_like(f) if variance_of is None else variance_of(f)
            return centre, centre**2 + noise

        first, second = gaussian_means(functions, mean, variance)
        return first, np.maximum(second - first**2, 0.0)


def by_quadrature(
    log_density: Callable[[Array, Array], Array],
    *,
    jump: Function | None = None,
    mean: Function | None = None,
    variance: Function | None = None,
    support: Callable[[Array], None] = check_real,
) -> OwnDensity:
    """Return a likelihood that integrates a user's density.

    Parameters
    ----------
    log_density : callable
        ``log_density(y, f)`` returns log p(y | f) for arrays that broadcast against each other;
        −∞ (or NaN) where the target is impossible. A function of a module can be pickled, a
        lambda cannot.
    jump : callable, optional
        ``jump(y)`` returns the f at which the density jumps or has a kink. Without it such a
        density is integrated to about three significant figures instead of ten.
    mean, variance : callable, optional
        Moments of y given f, for predictions of y. Without them f is predicted.
    support : callable, optional
        ``support(y)`` raises a ValueError for impossible targets.

    Examples
    --------
    >>> cauchy = by_quadrature(lambda y, f: -np.log(np.pi) - np.log1p((y - f) ** 2))
    >>> belief = cauchy.moment_match(np.array([9.0]), np.array([0.0]), np.array([1.0]))
    >>> belief.q.round(3)
    array([0.228])
    """
    return OwnDensity(log_density, jump, mean, variance, support)
