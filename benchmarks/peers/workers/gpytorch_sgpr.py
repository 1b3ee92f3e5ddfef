"""GPyTorch's SGPR: an ARD-RBF, inducing inputs that begin at random rows, Adam on the bound.

float32, the library's own; if that fails, once more in float64, which is then recorded.
"""

from collections.abc import Mapping
from typing import Any

import gpytorch
import torch

from benchmarks.peers.workers.protocol import Fitted, Split, serve


class SGPR(gpytorch.models.ExactGP):
    """A collapsed sparse Gaussian process."""

    def __init__(
        self, X: torch.Tensor, y: torch.Tensor, inducing: torch.Tensor, likelihood: Any
    ) -> None:
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.rbf = gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
        kernel = gpytorch.kernels.ScaleKernel(self.rbf)
        self.covar_module = gpytorch.kernels.InducingPointKernel(kernel, inducing, likelihood)

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        """Return the prior at inputs."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Fit in float32 or, where that fails, in float64."""
    torch.set_flush_denormal(True)
    torch.set_num_threads(settings["threads"])
    try:
        return fit_in(torch.float32, split, settings, seed)
    except (gpytorch.utils.errors.NanError, gpytorch.utils.errors.NotPSDError, ArithmeticError):
        return fit_in(torch.float64, split, settings, seed)


def fit_in(dtype: torch.dtype, split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    X, y = (torch.tensor(part, dtype=dtype) for part in (split.X, split.y))
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(X), generator=generator)[: settings["n_inducing"]]
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = SGPR(X, y, X[chosen].clone(), likelihood).to(dtype)
    if settings["start"] == "sqrt_d":
        model.rbf.lengthscale = X.shape[1] ** 0.5
    bound = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimiser = torch.optim.Adam(model.parameters(), lr=settings["rate"])
    model.train()
    for _ in range(settings["steps"]):
        optimiser.zero_grad()
        loss = -bound(model(X), y)
        if not torch.isfinite(loss):
            raise ArithmeticError("the bound is not finite")
        loss.backward()
        optimiser.step()
    model.eval()
    likelihood.eval()

    def predict(X_new: Any) -> tuple[Any, Any]:
        with torch.no_grad():
            belief = likelihood(model(torch.tensor(X_new, dtype=dtype)))
            return belief.mean.double().numpy(), belief.stddev.double().numpy()

    predict(split.X[:2])  # its caches belong to the fit
    notes = {"bound": -float(loss.detach()), "dtype": str(dtype).removeprefix("torch.")}
    return Fitted(predict, notes)


if __name__ == "__main__":
    serve(fit, ("torch", "gpytorch", "linear_operator"))
