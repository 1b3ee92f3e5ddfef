"""GPyTorch's SVGP on the six classification sets, for comparison with our default.

    python -m benchmarks.peers.svgp_classification [--sets NAME ...] [--partitions N]
                                                   [--n-inducing M] [--epochs E] [--out FILE]

Needs torch and gpytorch beside what ``benchmarks.datasets`` needs; sparsegp is not used. Fair
settings: inputs standardised (splice: one-hot codes), ARD-RBF with the better start of √D/2,
inducing inputs from the rows and optimised, Bernoulli likelihood with probit link, whitened
full-covariance posterior, Adam at 0.02 with batches of 256 and a cosine decay, float32, denormals
flushed.
"""

import argparse
import json
import time
from pathlib import Path

import gpytorch
import numpy as np
import torch

from benchmarks.datasets import CLASS_SETS, class_partition


class SVGP(gpytorch.models.ApproximateGP):
    """A variational Gaussian process with inducing inputs that move."""

    def __init__(self, inducing: torch.Tensor) -> None:
        distribution = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
        super().__init__(gpytorch.variational.VariationalStrategy(self, inducing, distribution))
        n_features = inducing.shape[1]
        rbf = gpytorch.kernels.RBFKernel(ard_num_dims=n_features)
        rbf.lengthscale = 0.5 * n_features**0.5
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(rbf)

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        """Return the prior at inputs."""
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def inputs(name: str, train: np.ndarray, test: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    if name == "splice":
        codes = np.arange(1, 5)
        hot = [(X[:, :, None] == codes).reshape(len(X), -1) for X in (train, test)]
        return torch.tensor(hot[0]).float(), torch.tensor(hot[1]).float()
    offset, scale = train.mean(0), train.std(0)
    scale[scale == 0.0] = 1.0
    return (
        torch.tensor((train - offset) / scale).float(),
        torch.tensor((test - offset) / scale).float(),
    )


def run(name: str, k: int, n_inducing: int, epochs: int, rate: float) -> dict[str, object]:
    train, test = class_partition(name, k)
    X, X_test = inputs(name, train.X, test.X)
    y = torch.tensor(train.y > 0).float()
    torch.manual_seed(k)
    start = time.perf_counter()
    model = SVGP(X[torch.randperm(len(X))[:n_inducing]].clone())
    likelihood = gpytorch.likelihoods.BernoulliLikelihood()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(X))
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
    model.train()
    for _ in range(epochs):
        for rows in torch.randperm(len(X)).split(256):
            optimiser.zero_grad()
            loss = -bound(model(X[rows]), y[rows])
            loss.backward()
            optimiser.step()
        decay.step()
    seconds = time.perf_counter() - start
    model.eval()
    with torch.no_grad():
        p = likelihood(model(X_test)).mean.double().numpy()
    positive = test.y > 0
    p_own = np.clip(np.where(positive, p, 1.0 - p), 1e-12, 1.0)
    return {
        "set": name,
        "partition": k,
        "error": 100.0 * float(np.mean((p > 0.5) != positive)),
        "nlp": float(-np.mean(np.log(p_own))),
        "seconds": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(CLASS_SETS))
    parser.add_argument("--partitions", type=int, default=5)
    parser.add_argument("--n-inducing", type=int, default=80)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.set_flush_denormal(True)
    records = []
    for name in options.sets:
        for k in range(options.partitions):
            records.append(run(name, k, options.n_inducing, options.epochs, options.rate))
            print(records[-1], flush=True)
            if options.out:
                options.out.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
