"""
Skewed targets and columns
==========================

Prices and counts are skewed, and their noise grows with their size. ``transform_y="auto"`` warps
the target with the transform of highest marginal likelihood (a warped Gaussian process);
predictions are in the original units.
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsegp import SparseGPRegressor

rng = np.random.default_rng(0)
size = np.exp(rng.normal(4.5, 0.5, 1200))  # most are small, a few very large
price = np.exp(1.0 + 0.9 * np.log(size) + 0.3 * rng.standard_normal(1200))
X, y = size[:, None], price

models = {
    "standard": SparseGPRegressor(
        max_basis=30, transform_X="standard", transform_y="standard", random_state=0
    ),
    "auto": SparseGPRegressor(max_basis=30, random_state=0),
}
for name, model in models.items():
    model.fit(X[:600], y[:600])
    density = model.log_density(X[600:], y[600:]).mean()
    chosen = f"target {model.transform_y_}, column {model.transform_X_[0]}"
    print(f"{name} ({chosen}): mean log density {density:.3f}")

# %%
# The interval of the warped model widens with the price and does not reach below zero.

grid = np.linspace(size.min(), np.quantile(size, 0.995), 200)[:, None]
fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    low, high = model.predict_interval(grid, level=0.95)
    ax.plot(size[600:], price[600:], ".", color="0.6", ms=3)
    ax.plot(grid[:, 0], model.predict(grid))
    ax.fill_between(grid[:, 0], low, high, alpha=0.25)
    ax.set(xlabel="size", title=name, xlim=(0, grid.max()), ylim=(-100, 800))
axes[0].set_ylabel("price, with 95 % interval")
plt.show()
