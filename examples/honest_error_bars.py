"""
Calibration of error bars
=========================

A 95 % interval should contain 95 % of the targets. The intervals of sparse approximations are often
too narrow or too wide. ``calibrate=True``, the default, corrects them on training rows that were
not used to select the basis.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp import SparseGPRegressor
from sparsegp.metrics import interval_coverage, nlpd

X, y = make_friedman1(2700, n_features=5, noise=0.05, random_state=0)
X_test, y_test = X[700:], y[700:]
X, y = X[:700], y[:700]

# %%
# With little noise and few random basis vectors, most of the residual is not noise. Target and
# noise are kept Gaussian here, so that calibration alone makes the difference.

basis = {"max_basis": 40, "selection": "random", "approximation": "dtc", "random_state": 0}
gaussian = {"kernel": None, "transform_y": "standard", "noise": "gaussian"}
settings = basis | gaussian
levels = np.linspace(0.02, 0.99, 50)
fig, ax = plt.subplots(figsize=(4.6, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", lw=1)
for calibrate in (False, True):
    model = SparseGPRegressor(calibrate=calibrate, **settings).fit(X, y)
    predicted = model.predict_distribution(X_test)
    name = f"calibrate={calibrate}"
    inside, loss = interval_coverage(predicted, y_test), nlpd(predicted, y_test)
    print(f"{name}: 95 % intervals contain {100 * inside:.1f} % of the targets, NLPD {loss:.3f}")
    observed = [interval_coverage(predicted, y_test, level=level) for level in levels]
    ax.plot(levels, observed, label=name)
ax.set(xlabel="nominal", ylabel="observed", title="Coverage of intervals", aspect="equal")
ax.legend()
plt.show()
