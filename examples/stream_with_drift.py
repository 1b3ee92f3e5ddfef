"""
Learning from a stream with drift
=================================

Rows arrive in batches; each batch is predicted first and then learned. In the middle of the stream
the function changes (concept drift). By default the model learns from the stream how fast to
forget.
"""

import matplotlib.pyplot as plt
import numpy as np

from sparsegp import OnlineGPRegressor

rng = np.random.default_rng(0)
batches = []
for t in range(100):
    X = rng.uniform(-3, 3, (25, 1))
    shift = 0.0 if t < 50 else 1.5  # the function shifts once
    batches.append((X, np.sin(2 * X[:, 0] + shift) + 0.1 * rng.standard_normal(25)))

errors = {}
for forgetting in (None, 0.002, "auto"):
    model = OnlineGPRegressor(forgetting=forgetting, max_basis=25, n_warmup=200, random_state=0)
    errors[forgetting], memory = [], []
    for t, (X, y) in enumerate(batches):
        if t:
            errors[forgetting].append(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
        model.partial_fit(X, y)
        memory.append(model.effective_memory_)
    print(f"forgetting={forgetting!r}: the last {memory[-1]:.0f} of {model.n_seen_} rows count")

# %%
# A rate of 0.002 a row is a memory of 500 rows, or 20 batches. It costs a little accuracy while the
# function is constant, and lets the model recover after the change. A rate that is learned costs
# nothing before, and recovers sooner: the memory drops when the function shifts.

fig, (ax, below) = plt.subplots(2, figsize=(8, 5.4), layout="constrained", sharex=True)
for forgetting, error in errors.items():
    ax.plot(np.arange(1, 100), error, label=f"forgetting={forgetting!r}")
ax.axhline(0.1, color="0.5", lw=1, ls=":", label="noise level")
ax.axvline(50, color="0.5", lw=1, ls="--")
ax.set(ylabel="RMSE before learning the batch", yscale="log")
ax.legend()
below.plot(memory, color="C2")
below.set(xlabel="batch of 25 rows", ylabel="effective memory, rows")
plt.show()
