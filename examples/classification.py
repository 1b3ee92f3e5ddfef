"""
Classification with two classes
===============================

A classifier with probabilities that express uncertainty: near the decision boundary, where the
classes overlap, and far from all training rows, where they return to one half.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from sparsegp import SparseGPClassifier

X, y = make_moons(600, noise=0.25, random_state=0)
model = SparseGPClassifier(max_basis=20, random_state=0).fit(X[:400], y[:400])
print(f"accuracy on new rows: {model.score(X[400:], y[400:]):.3f}")
print("probabilities of three new rows:", model.predict_proba(X[400:403])[:, 1].round(2))

# %%
# The basis vectors (inducing points) were selected from the rows, and their inputs were then
# optimised by the gradient of the marginal likelihood. With ``refine_basis=False`` they stay rows.

side = np.linspace(-2.5, 3.5, 150), np.linspace(-2, 2.5, 150)
grid = np.stack(np.meshgrid(*side), axis=-1)  # (150, 150, 2)
p = model.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(150, 150)

fig, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
shades = ax.contourf(*side, p, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.7)
ax.contour(*side, p, levels=[0.5], colors="k", linewidths=1)
ax.scatter(*X[:400].T, c=np.where(y[:400], "C3", "C0"), s=12, edgecolor="w", linewidth=0.5)
ax.scatter(*model.basis_vectors_.T, marker="+", c="k", s=60, label="basis vectors")
ax.legend(loc="upper right")
fig.colorbar(shades, label="probability of class 1")
plt.show()
