"""GPyTorch's SVGP: an ARD-RBF, inducing inputs that move, Adam on batches with a cosine decay.

There is no decay where the setting ``decay`` is false. Targets have Gaussian noise, labels a
Bernoulli likelihood with a probit. float32.
"""

import math
from collections.abc import Mapping
from typing import Any

import gpytorch
import torch

from benchmarks.peers.workers.protocol import Fitted, Split, serve


class SVGP(gpytorch.models.ApproximateGP):
    """A variational Gaussian process, whitened, with a full covariance."""

    def __init__(self, inducing: torch.Tensor, length_scale: float | None) -> None:
        distribution = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
        super().__init__(gpytorch.variational.VariationalStrategy(self, inducing, distribution))
        rbf = gpytorch.kernels.RBFKernel(ard_num_dims=inducing.shape[1])
        if length_scale is not None:
            rbf.lengthscale = length_scale
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(rbf)

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        """Return the prior at inputs."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit(split: Split, settings: Mapping[str, Any], seed: int) -> Fitted:
    """Go through the rows for some epochs, or as many steps as are allowed."""
    torch.set_flush_denormal(True)
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(seed)
    X = torch.tensor(split.X).float()
    y = torch.tensor(split.y > 0 if split.classes else split.y).float()
    starts = {"library": None, "sqrt_d": X.shape[1] ** 0.5, "half_sqrt_d": 0.5 * X.shape[1] ** 0.5}
    chosen = torch.randperm(len(X))[: settings["n_inducing"]]
    model = SVGP(X[chosen].clone(), starts[settings["start"]])
    likelihood = (
        gpytorch.likelihoods.BernoulliLikelihood()
        if split.classes
        else gpytorch.likelihoods.GaussianLikelihood()
    )
    steps = train(model, likelihood, X, y, settings)

    def predict(X_new: Any) -> Any:
        with torch.no_grad():
            parts = [likelihood(model(part)) for part in torch.tensor(X_new).float().split(4096)]
        means = torch.cat([part.mean for part in parts]).double().numpy()
        if split.classes:
            return means
        return means, torch.cat([part.stddev for part in parts]).double().numpy()

    return Fitted(predict, {"steps": steps})


def train(
    model: SVGP, likelihood: Any, X: torch.Tensor, y: torch.Tensor, settings: Mapping[str, Any]
) -> int:
    """Return the number of steps taken."""
    batch, most = settings["batch"], settings.get("most_steps", math.inf)
    n_steps = int(min(settings["epochs"] * math.ceil(len(X) / batch), most))
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(X))
    parameters = [*model.parameters(), *likelihood.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=settings["rate"])
    decays = settings.get("decay", True)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, n_steps) if decays else None
    model.train()
    likelihood.train()
    done = 0
    while done < n_steps:
        for rows in torch.randperm(len(X)).split(batch)[: n_steps - done]:
            optimiser.zero_grad()
            loss = -bound(model(X[rows]), y[rows])
            loss.backward()
            optimiser.step()
            if decay is not None:
                decay.step()
            done += 1
    model.eval()
    likelihood.eval()
    return done


if __name__ == "__main__":
    serve(fit, ("torch", "gpytorch", "linear_operator"))
