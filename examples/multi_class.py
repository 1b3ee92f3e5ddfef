"""
Many classes
============

Ten handwritten digits. All classes share one basis and one kernel; each has a function of its own.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sparsegp import SparseGPClassifier

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=400, random_state=0, stratify=y)

# 64 columns in the same units, pixels: one scale for all of them; the basis stays at rows
model = SparseGPClassifier(max_basis=60, refine_basis=False, transform_X="common", random_state=0)
model.fit(X, y)
p = model.predict_proba(X_test)
label = model.classes_[np.argmax(p, axis=1)]
print(f"wrong: {np.mean(label != y_test):.3f}, of {len(y_test)} digits")

# %%
# A probability is worth something if labels of probability p are right in a share p of the cases.

sure = p.max(axis=1)
for low, high in [(0.0, 0.7), (0.7, 0.9), (0.9, 1.01)]:
    here = (sure >= low) & (sure < high)
    right = np.mean((label == y_test)[here])
    print(f"{here.sum():4d} digits, on average {sure[here].mean():.2f} sure: {right:.2f} right")

# %%
# The basis vectors are digits that somebody wrote (above), and the digits that the model is least
# sure of are hard (below).

least = np.argsort(sure)[:10]
fig, axes = plt.subplots(2, 10, figsize=(10, 2.8), layout="constrained")
for ax, row in zip(axes[0], X[model.basis_indices_[:10]], strict=True):
    ax.imshow(row.reshape(8, 8), cmap="gray_r")
for ax, i in zip(axes[1], least, strict=True):
    ax.imshow(X_test[i].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{label[i]} by {sure[i]:.2f}\nis {y_test[i]}", fontsize=8)
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("basis")
axes[1, 0].set_ylabel("unsure")
plt.show()
