"""
A stream that drifts
====================

Rows come in portions; each is predicted first and learned then. In the middle of the stream the
function changes. What is old fades if ``forget`` says so.
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsegp import OnlineGPRegressor

rng = np.random.default_rng(0)
portions = []
for t in range(160):
    X = rng.uniform(-3, 3, (25, 1))
    turned = 0.0 if t < 80 else 1.5  # the function moves to the side, once
    portions.append((X, np.sin(2 * X[:, 0] + turned) + 0.1 * rng.standard_normal(25)))

errors = {}
for rate in (0.0, 0.05):
    model = OnlineGPRegressor(max_basis=25, n_warmup=200, random_state=0)
    errors[rate] = []
    for t, (X, y) in enumerate(portions):
        if t:
            errors[rate].append(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
        model.partial_fit(X, y)
        if rate:
            model.forget(rate)
    print(f"forgetting {rate}: {model.n_seen_} rows seen, {model.n_basis_} basis vectors")

# %%
# A rate of 0.05 a portion is a memory of about 20 portions. It costs a little accuracy while
# nothing changes, and finds its way back when something does.

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for rate, error in errors.items():
    ax.plot(np.arange(1, 160), error, label=f"forget({rate})" if rate else "nothing is forgotten")
ax.axhline(0.1, color="0.5", lw=1, ls=":", label="the noise")
ax.axvline(80, color="0.5", lw=1, ls="--")
ax.set(xlabel="portion of 25 rows", ylabel="error before it is learned (RMSE)", yscale="log")
ax.legend()
plt.show()
