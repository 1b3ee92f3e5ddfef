"""
Categorical columns
===================

Category codes are not numbers: code 3 is not between 2 and 4. The kernel ``Categorical`` only asks
whether two codes are equal, and learns how much a difference matters.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, Categorical, Constant, OnColumns
from sparsegp.metrics import nmse

rng = np.random.default_rng(0)
names = [f"station {letter}" for letter in "ABCDEFGHIJ"]
shifts = dict(zip(names, rng.normal(0.0, 0.7, 10), strict=True))
rows = pd.DataFrame({"hour": rng.uniform(0, 24, 800), "station": rng.choice(names, 800)})
angle = rows["hour"] * np.pi / 12
load = 5 + np.sin(angle) + 0.5 * np.cos(3 * angle) + rows["station"].map(shifts)
load += 0.2 * rng.standard_normal(800)

# %%
# Strings become codes; which code a category gets does not matter.

table = rows.assign(station=rows["station"].astype("category").cat.codes)
kernel = Constant(1.0) * OnColumns(RBF(1.0), ["hour"]) * OnColumns(Categorical(1.0), ["station"])
model = SparseGPRegressor(kernel, max_basis=60, random_state=0)
model.fit(table[:200], load[:200])
numbers = SparseGPRegressor(max_basis=60, random_state=0).fit(table[:200], load[:200])
print(f"NMSE with categories: {nmse(load[200:], model.predict(table[200:])):.4f}")
print(f"NMSE with codes as numbers: {nmse(load[200:], numbers.predict(table[200:])):.4f}")

# %%
# Each of the ten stations has its own curve and about twenty rows. Where a station has no rows, the
# rows of the other stations help. Three of the stations:

hours = np.linspace(0, 24, 100)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for code, name in enumerate(names[:3]):
    here = rows["station"][:200] == name
    ax.plot(rows["hour"][:200][here], load[:200][here], ".", ms=3, color=f"C{code}")
    predicted = model.predict_distribution(pd.DataFrame({"hour": hours, "station": float(code)}))
    ax.plot(hours, predicted.mean, color=f"C{code}", label=name)
    ax.fill_between(hours, *predicted.interval(0.95), color=f"C{code}", alpha=0.15)
ax.set(xlabel="hour", ylabel="load")
ax.legend()
plt.show()
