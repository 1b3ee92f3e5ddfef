"""
Regression with error bars
==========================

A few hundred noisy observations of a function of one input, fitted with at most twenty basis
vectors (inducing points).
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsegp import SparseGPRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-5, 5, (600, 1))
X = X[(X[:, 0] < 1.0) | (X[:, 0] > 2.5)]  # no observations here
y = np.sin(2 * X[:, 0]) * np.exp(-0.1 * X[:, 0] ** 2) + 0.15 * rng.standard_normal(len(X))

model = SparseGPRegressor(max_basis=20, random_state=0).fit(X, y)
print(f"{model.n_basis_} of {len(X)} rows are basis vectors")
print("kernel:", model.kernel_)

# %%
# ``predict_interval`` describes the noisy target, ``predict_latent`` the noise-free function.
# Both are uncertain where there are no observations.

grid = np.linspace(-6, 6, 400)[:, None]
mean = model.predict(grid)
low, high = model.predict_interval(grid, level=0.95)
_, latent_std = model.predict_latent(grid, return_std=True)

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.plot(X[:, 0], y, ".", color="0.75", ms=3, label="rows")
ax.fill_between(grid[:, 0], low, high, alpha=0.2, label="95 % interval of the target")
half = 1.96 * latent_std
ax.fill_between(
    grid[:, 0], mean - half, mean + half, alpha=0.4, label="95 % interval of the function"
)
ax.plot(grid[:, 0], mean, label="mean")
at = model.basis_indices_
ax.plot(X[at, 0], y[at], "o", color="C3", ms=5, label="basis vectors")
ax.set(xlabel="x", ylabel="y", ylim=(-2.0, 1.4))
ax.legend(ncols=3, loc="lower center")
plt.show()
