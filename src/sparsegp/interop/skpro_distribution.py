"""A predictive distribution behind a warp, or with heavy tails, as a distribution of skpro."""

from typing import Any

import numpy as np
import numpy.typing as npt
from skpro.distributions.base import BaseDistribution
from skpro.distributions.normal import Normal

from sparsegp.interop.policy import ENERGY_NODES
from sparsegp.model.predictive_distribution import PredictiveDistribution

__all__ = ["PredictedTarget", "as_skpro"]

Floats = npt.NDArray[np.float64]


def as_skpro(predicted: PredictiveDistribution, index: Any, columns: Any) -> BaseDistribution:
    """Return a predictive distribution of one output as a distribution of skpro."""
    if predicted.is_gaussian:
        mean, std = (np.reshape(a, (-1, 1)) for a in (predicted.mean, predicted.std))  # (n, 1)
        return Normal(mu=mean, sigma=std, index=index, columns=columns)
    return PredictedTarget(
        predicted.location,
        predicted.scale,
        predicted.transform,
        predicted.tails,
        index=index,
        columns=columns,
    )


class PredictedTarget(BaseDistribution):
    """The target z⁻¹(location + scale·u) of each row, with u normal or Student's t.

    Parameters
    ----------
    location, scale : float or ndarray (n_samples, 1)
        Of the transformed target.
    transform : Scaling or Warps
        From targets to transformed targets.
    tails : NoiseDistribution
        Of u.
    index, columns : pandas.Index, optional

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp.interop.skpro_distribution import PredictedTarget
    >>> from sparsegp.model.noise.distribution import NoiseDistribution
    >>> from sparsegp.tables.transforms.scaling import Scaling
    >>> unscaled = Scaling(np.zeros(1), np.ones(1))
    >>> float(PredictedTarget(3.0, 1.0, unscaled, NoiseDistribution(5.0)).cdf(3.0))
    0.5
    """

    _tags = {  # noqa: RUF012  (as skpro has it)
        "capabilities:approx": ["pdfnorm"],
        "capabilities:exact": ["mean", "var", "energy", "pdf", "log_pdf", "cdf", "ppf"],
        "distr:measuretype": "continuous",
        "distr:paramtype": "general",
    }

    def __init__(
        self,
        location: Any,
        scale: Any,
        transform: Any,
        tails: Any,
        index: Any = None,
        columns: Any = None,
    ) -> None:
        self.location, self.scale = location, scale
        self.transform, self.tails = transform, tails
        super().__init__(index=index, columns=columns)

    def _subset_params(self, rowidx: Any, colidx: Any, coerce_scalar: bool = False) -> Any:
        """Return the parameters of some rows; the transform is that of all."""
        arrays = {
            name: self._subset_param(value, rowidx, colidx, coerce_scalar)
            for name, value in (("location", self.location), ("scale", self.scale))
        }
        return arrays | {"transform": self.transform, "tails": self.tails}

    @property
    def _predicted(self) -> PredictiveDistribution:
        location, scale = (np.reshape(a, (-1, 1)) for a in (self.location, self.scale))
        return PredictiveDistribution(location, scale, self.transform, self.tails)

    def _shaped(self, values: Floats) -> Floats:
        """Return values (n,) in the shape of this distribution: (n, 1) or ()."""
        return np.reshape(values, self.shape)

    def _mean(self) -> Floats:
        return self._shaped(self._predicted.mean)

    def _var(self) -> Floats:
        return self._shaped(self._predicted.std**2)

    def _log_pdf(self, x: Any) -> Floats:
        return self._shaped(self._predicted.log_density(np.ravel(x)))

    def _pdf(self, x: Any) -> Floats:
        return np.exp(self._log_pdf(x))

    def _cdf(self, x: Any) -> Floats:
        return self._shaped(self._predicted.cdf(np.ravel(x)))

    def _ppf(self, p: Any) -> Floats:
        """Return the quantile of each row for a probability of its own."""
        predicted, p = self._predicted, np.reshape(p, (-1, 1))
        z = predicted.location + predicted.scale * self.tails.quantile(p)  # (n, 1)
        return self._shaped(self.transform.invert(z))

    def _energy_self(self) -> Floats:
        """Return E|Y − Y'| = 4 ∫ q(u) (u − ½) du, with q the quantile function."""
        nodes, weights = np.polynomial.legendre.leggauss(ENERGY_NODES)
        # u = ½ + ½ sin(½πt) crowds the nodes at the ends, where quantiles change fast
        u = 0.5 + 0.5 * np.sin(0.5 * np.pi * nodes)
        weights = weights * 0.25 * np.pi * np.cos(0.5 * np.pi * nodes)
        quantiles = self._predicted.quantile(u)  # (n, q)
        energy = 4.0 * quantiles @ (weights * (u - 0.5))
        return energy if self.ndim else energy[0]

    def _energy_x(self, x: Any) -> Floats:
        """Return E|Y − x|, by CRPS = E|Y − x| − ½ E|Y − Y'|."""
        crps = self._predicted.crps(np.ravel(x))
        return (crps if self.ndim else crps[0]) + 0.5 * self._energy_self()

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Return parameters for skpro's own checks."""
        from sparsegp.model.noise.distribution import NoiseDistribution  # noqa: PLC0415
        from sparsegp.tables.transforms.scaling import Scaling  # noqa: PLC0415

        one = {"transform": Scaling(np.zeros(1), np.ones(1)), "tails": NoiseDistribution(5.0)}
        rows = {"index": [0, 1, 2], "columns": ["y"]}
        return [
            {"location": 0.5, "scale": 2.0, **one},
            {"location": np.zeros((3, 1)), "scale": np.ones((3, 1)), **one, **rows},
        ]
