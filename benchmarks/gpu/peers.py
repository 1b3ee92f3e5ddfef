"""GPyTorch on the same rows and device: collapsed (SGPR) and by batches (SVGP)."""

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["gpytorch_exact", "gpytorch_sgpr", "gpytorch_svgp"]

Timed = Callable[[Callable[[], Any]], tuple[float, Any]]


def gpytorch_sgpr(
    X: torch.Tensor,
    y: torch.Tensor,
    X_new: torch.Tensor,
    y_new: torch.Tensor,
    *,
    m: int,
    n_steps: int,
    timed: Timed,
    dtype: torch.dtype,
) -> dict[str, float]:
    """Fit SGPR with ARD by Adam, learning rate 0.1; inducing points begin at random rows.

    In float32 its predictive variances may be negative, and are then set to 10⁻⁶.
    """
    import gpytorch

    X, y, X_new, y_new = (part.to(dtype) for part in (X, y, X_new, y_new))
    chosen = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))[:m]

    class Model(gpytorch.models.ExactGP):
        def __init__(self, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            rbf = gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
            self.covar_module = gpytorch.kernels.InducingPointKernel(
                gpytorch.kernels.ScaleKernel(rbf), X[chosen].clone(), likelihood
            )

        def forward(self, x: torch.Tensor) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(likelihood).to(X)
    bound = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)

    def fit() -> None:
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        for _ in range(n_steps):
            optimiser.zero_grad()
            loss = -bound(model(X), y)
            loss.backward()
            optimiser.step()

    return _trained(model, likelihood, fit, X_new, y_new, timed)


def gpytorch_exact(
    X: torch.Tensor,
    y: torch.Tensor,
    X_new: torch.Tensor,
    y_new: torch.Tensor,
    *,
    n_steps: int,
    timed: Timed,
) -> dict[str, float]:
    """Fit the exact process with ARD by Adam, learning rate 0.1, by Cholesky factors in float64."""
    import gpytorch

    class Model(gpytorch.models.ExactGP):
        def __init__(self, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            rbf = gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(rbf)

        def forward(self, x: torch.Tensor) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(likelihood).to(X)
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)

    def fit() -> None:
        optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
        for _ in range(n_steps):
            optimiser.zero_grad()
            loss = -evidence(model(X), y)
            loss.backward()
            optimiser.step()

    with gpytorch.settings.max_cholesky_size(len(X) + 1):
        return _trained(model, likelihood, fit, X_new, y_new, timed)


def gpytorch_svgp(
    X: torch.Tensor,
    y: torch.Tensor,
    X_new: torch.Tensor,
    y_new: torch.Tensor,
    *,
    m: int,
    timed: Timed,
    n_epochs: int = 3,
    batch: int = 1024,
) -> dict[str, float]:
    """Fit SVGP with ARD by Adam, learning rate 0.01."""
    import gpytorch

    X, y, X_new, y_new = (part.float() for part in (X, y, X_new, y_new))
    chosen = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))[:m]
    variational = gpytorch.variational

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self) -> None:
            strategy = variational.VariationalStrategy(
                self,
                X[chosen].clone(),
                variational.CholeskyVariationalDistribution(m),
                learn_inducing_locations=True,
            )
            super().__init__(strategy)
            self.mean_module = gpytorch.means.ConstantMean()
            rbf = gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(rbf)

        def forward(self, x: torch.Tensor) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    model = Model().to(X.device)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().to(X.device)
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(X))

    def fit() -> None:
        parameters = [*model.parameters(), *likelihood.parameters()]
        optimiser = torch.optim.Adam(parameters, lr=0.01)
        for epoch in range(n_epochs):
            order = torch.randperm(len(X), generator=torch.Generator().manual_seed(epoch))
            for rows in order.to(X.device).split(batch):
                optimiser.zero_grad()
                loss = -bound(model(X[rows]), y[rows])
                loss.backward()
                optimiser.step()

    return _trained(model, likelihood, fit, X_new, y_new, timed)


def _trained(
    model: Any,
    likelihood: Any,
    fit: Callable[[], None],
    X_new: torch.Tensor,
    y_new: torch.Tensor,
    timed: Timed,
) -> dict[str, float]:
    model.train()
    likelihood.train()
    seconds, _ = timed(fit)
    model.eval()
    likelihood.eval()
    with torch.no_grad():
        belief = likelihood(model(X_new))
        normal = torch.distributions.Normal(belief.mean, belief.stddev)
        return {
            "seconds": seconds,
            "rmse": float(torch.sqrt(torch.mean((belief.mean - y_new) ** 2))),
            "nlpd": float(-torch.mean(normal.log_prob(y_new))),
        }
