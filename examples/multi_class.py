"""
Classification with many classes
================================

Handwritten digits in ten classes. All classes share one basis and one kernel; each has its own
latent function.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sparsegp import SparseGPClassifier

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=400, random_state=0, stratify=y)

# the 64 columns are pixels in the same units, so they share one scale; basis vectors stay rows
model = SparseGPClassifier(max_basis=60, refine_basis=False, transform_X="common", random_state=0)
model.fit(X, y)
p = model.predict_proba(X_test)
label = model.classes_[np.argmax(p, axis=1)]
print(f"error: {np.mean(label != y_test):.3f} on {len(y_test)} digits")

# %%
# Probabilities are calibrated if labels with probability p are correct in a fraction p of cases.

confidence = p.max(axis=1)
for low, high in [(0.0, 0.7), (0.7, 0.9), (0.9, 1.01)]:
    here = (confidence >= low) & (confidence < high)
    accuracy = np.mean((label == y_test)[here])
    mean = confidence[here].mean()
    print(f"{here.sum():4d} digits: mean confidence {mean:.2f}, accuracy {accuracy:.2f}")

# %%
# Top: the first basis vectors, which are real digits of the training set. Bottom: the digits with
# the lowest confidence, which are indeed hard to read.

least = np.argsort(confidence)[:10]
fig, axes = plt.subplots(2, 10, figsize=(10, 2.8), layout="constrained")
for ax, row in zip(axes[0], X[model.basis_indices_[:10]], strict=True):
    ax.imshow(row.reshape(8, 8), cmap="gray_r")
for ax, i in zip(axes[1], least, strict=True):
    ax.imshow(X_test[i].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{label[i]} ({confidence[i]:.2f})\ntrue: {y_test[i]}", fontsize=8)
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("basis")
axes[1, 0].set_ylabel("uncertain")
plt.show()
