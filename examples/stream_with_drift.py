"""
Learning from a stream with drift
=================================

Rows arrive in batches; each batch is predicted first and then learned. In the middle of the stream
the function changes (concept drift). ``forget`` lets the influence of old rows decay.
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsegp import OnlineGPRegressor

rng = np.random.default_rng(0)
batches = []
for t in range(160):
    X = rng.uniform(-3, 3, (25, 1))
    shift = 0.0 if t < 80 else 1.5  # the function shifts once
    batches.append((X, np.sin(2 * X[:, 0] + shift) + 0.1 * rng.standard_normal(25)))

errors = {}
for rate in (0.0, 0.05):
    model = OnlineGPRegressor(max_basis=25, n_warmup=200, random_state=0)
    errors[rate] = []
    for t, (X, y) in enumerate(batches):
        if t:
            errors[rate].append(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
        model.partial_fit(X, y)
        if rate:
            model.forget(rate)
    print(f"forgetting rate {rate}: {model.n_seen_} rows seen, {model.n_basis_} basis vectors")

# %%
# A rate of 0.05 per batch corresponds to a memory of about 20 batches. It costs a little accuracy
# while the function is constant, and lets the model recover after the change.

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for rate, error in errors.items():
    ax.plot(np.arange(1, 160), error, label=f"forget({rate})" if rate else "no forgetting")
ax.axhline(0.1, color="0.5", lw=1, ls=":", label="noise level")
ax.axvline(80, color="0.5", lw=1, ls="--")
ax.set(xlabel="batch of 25 rows", ylabel="RMSE before learning the batch", yscale="log")
ax.legend()
plt.show()
