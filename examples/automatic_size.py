"""
How many basis vectors are enough
=================================

Criteria that estimate prediction fall, turn, and rise again when a model begins to fit noise.
With ``stop="auto"``, the default, a fit watches them a little longer and goes back to the best
size.
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
print(f"looked at {len(path)} sizes, kept {model.n_basis_} basis vectors")

# %%
# Every prefix of the basis is a model of its own, for almost nothing: ``prefix``. The criterion has
# seen no test row; the test error says how much the last basis vectors still bought.

sizes = np.unique(np.geomspace(5, model.n_basis_, 20).astype(int))
errors = [nmse(y_test, model.prefix(m).predict(X_test)) for m in sizes]

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
m = np.arange(1, len(path) + 1)
left.plot(m, path)
left.axvline(model.n_basis_, color="C3", ls="--", label=f"kept: {model.n_basis_}")
left.set(xlabel="basis vectors", ylabel="−log evidence", ylim=(path.min() - 20, path.min() + 300))
left.legend()
right.plot(sizes, errors, "o-")
right.set(xlabel="basis vectors", ylabel="NMSE of test rows", yscale="log")
plt.show()
