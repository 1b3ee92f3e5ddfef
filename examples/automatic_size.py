"""
How many basis vectors are enough
=================================

Selection criteria that estimate the prediction error decrease as basis vectors (inducing points)
are added, and increase again once the model starts to fit noise. With ``stop="auto"``, the default,
the selection continues for a while after the minimum and then goes back to the best size.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp import SparseGPRegressor
from sparsegp.metrics import nmse

X, y = make_friedman1(1500, n_features=5, noise=1.0, random_state=0)
X_test, y_test = X[500:], y[500:]
X, y = X[:500], y[:500]

model = SparseGPRegressor(max_basis=300, selection="marginal_likelihood", random_state=0)
model.fit(X, y)
path = model.selection_path_
print(f"evaluated {len(path)} sizes, chose {model.n_basis_} basis vectors")

# %%
# ``prefix`` returns the model with the first basis vectors only, at almost no cost. The criterion
# uses training rows only; the error on test rows shows how much the last basis vectors contribute.

sizes = np.unique(np.geomspace(5, model.n_basis_, 20).astype(int))
errors = [nmse(y_test, model.prefix(m).predict(X_test)) for m in sizes]

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
m = np.arange(1, len(path) + 1)
left.plot(m, path)
left.axvline(model.n_basis_, color="C3", ls="--", label=f"chosen: {model.n_basis_}")
left.set(
    xlabel="basis vectors", ylabel="negative log evidence", ylim=(path.min() - 20, path.min() + 300)
)
left.legend()
right.plot(sizes, errors, "o-")
right.set(xlabel="basis vectors", ylabel="NMSE on test rows", yscale="log")
plt.show()
