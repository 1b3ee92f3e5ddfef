"""
Neighbours of a coarse basis
============================

Fifteen basis vectors (inducing points) cannot follow a function that changes this quickly. They
take its fine structure for noise. With ``n_neighbors`` the nearest training rows correct each
prediction.
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsegp import SparseGPRegressor
from sparsegp.kernels import Matern

rng = np.random.default_rng(0)


def f(x):
    """Return a slow and a fast oscillation."""
    return np.sin(x) + 0.5 * np.sin(7 * x)


X = rng.uniform(-5, 5, (700, 1))
X = X[(X[:, 0] < 1.0) | (X[:, 0] > 2.5)]  # no observations here
y = f(X[:, 0]) + 0.1 * rng.standard_normal(len(X))

# %%
# Both models have the same options but one. The first learns its hyperparameters for fifteen basis
# vectors, the second by the densities of rows given their neighbours.

options = {"kernel": 1.0 * Matern((1.0,), nu=2.5), "max_basis": 15, "random_state": 0}
plain = {"transform_X": "standard", "transform_y": "standard"}
alone = SparseGPRegressor(n_neighbors=0, **options, **plain).fit(X, y)
corrected = SparseGPRegressor(n_neighbors=30, **options, **plain).fit(X, y)

new = rng.uniform(-5, 1, (500, 1))
for name, model in (("basis alone", alone), ("with neighbours", corrected)):
    error = np.sqrt(np.mean((model.predict(new) - f(new[:, 0])) ** 2))
    scale = model.kernel_.right.length_scale[0]
    print(f"{name}: error of the function {error:.3f}, length scale {scale:.2f}")

# %%
# Without observations nearby neighbours say little, and the error band grows as it should.

grid = np.linspace(-5, 5, 600)[:, None]
fig, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True, sharey=True, layout="constrained")
titles = ("15 basis vectors alone", "15 basis vectors and 30 neighbours")
for ax, model, title in zip(axes, (alone, corrected), titles, strict=True):
    mean, std = model.predict_latent(grid, return_std=True)
    lower, upper = model.predict_interval(grid)
    half = 1.96 * std
    ax.plot(X[:, 0], y, ".", color="0.7", ms=3, label="rows")
    ax.fill_between(grid[:, 0], lower, upper, color="C0", alpha=0.2, lw=0, label="95 % of targets")
    ax.fill_between(
        grid[:, 0], mean - half, mean + half, color="C0", alpha=0.4, lw=0, label="95 % of f"
    )
    ax.plot(grid[:, 0], f(grid[:, 0]), "--", color="0.2", lw=1, label="true function")
    ax.plot(grid[:, 0], mean, color="C0", label="mean")
    at = model.basis_indices_
    ax.plot(X[at, 0], y[at], "o", color="C3", ms=5, label="basis vectors")
    ax.set(ylabel="y", title=title, ylim=(-2.2, 3.4))
axes[1].set_xlabel("x")
axes[0].legend(ncols=3, loc="upper left", fontsize=8)
plt.show()
