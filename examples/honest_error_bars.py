"""
Are the error bars honest?
==========================

A 95 % interval should hold 95 % of the targets. A sparse model as it stands often promises too
much or too little; calibration on rows that had no part in choosing the basis mends it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp import SparseGPRegressor
from sparsegp.metrics import coverage, nlpd

X, y = make_friedman1(2700, n_features=5, noise=0.05, random_state=0)
X_test, y_test = X[700:], y[700:]
X, y = X[:700], y[:700]

# %%
# Little noise, and few random basis vectors: much of what is left is not noise.

settings = {"max_basis": 40, "selection": "random", "approximation": "dtc", "random_state": 0}
levels = np.linspace(0.02, 0.99, 50)
fig, ax = plt.subplots(figsize=(4.6, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", lw=1)
for calibrate in (False, True):
    model = SparseGPRegressor(calibrate=calibrate, **settings).fit(X, y)
    mean, std = model.predict(X_test, return_std=True)
    name = f"calibrate={calibrate}"
    density, inside = nlpd(y_test, mean, std), coverage(y_test, mean, std)
    print(f"{name}: {100 * inside:.1f} % in the 95 % intervals, NLPD {density:.3f}")
    ax.plot(levels, [coverage(y_test, mean, std, level) for level in levels], label=name)
ax.set(xlabel="promised", ylabel="observed", title="Share of targets inside", aspect="equal")
ax.legend()
plt.show()
