"""
Saving and exporting models
===========================

A model is saved to one file with arrays and JSON, without pickle. It can be loaded by
``sparsegp.load``, or by a single Python file that only needs NumPy. A model can also be exported as
an ONNX graph for other languages.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
from sklearn.datasets import make_friedman1

import sparsegp
from sparsegp import SparseGPRegressor
from sparsegp.files import NumpyPredictor, info, to_onnx

X, y = make_friedman1(600, n_features=5, noise=1.0, random_state=0)
new = X[500:]
model = SparseGPRegressor(max_basis=100, random_state=0).fit(X[:500], y[:500])
mean, std = model.predict(new, return_std=True)

folder = Path(tempfile.mkdtemp())
model.save(folder / "model.safetensors")
print(info(folder / "model.safetensors")["kernel"])

# %%
# ``load`` returns the same estimator, bit for bit.

again = sparsegp.load(folder / "model.safetensors")
mean_again, std_again = again.predict(new, return_std=True)
print("identical:", np.array_equal(mean_again, mean) and np.array_equal(std_again, std))

# %%
# With NumPy alone: copy ``sparsegp/files/numpy_predictor.py`` next to the model file.

mean_numpy, std_numpy = NumpyPredictor(folder / "model.safetensors").predict(new, return_std=True)
print("NumPy, largest difference:", np.abs(mean_numpy - mean).max())

# %%
# As an ONNX graph, here in onnxruntime.

to_onnx(model, folder / "model.onnx")
session = onnxruntime.InferenceSession(folder / "model.onnx")
mean_onnx, std_onnx = session.run(["mean", "std"], {"X": new})
print("ONNX, largest difference:", np.abs(mean_onnx - mean).max())

# %%
# The size of the file depends on the number m of basis vectors: about m² numbers with standard
# deviations, a small multiple of m without.

sizes = [10, 20, 40, 70, 100]
bytes_ = {True: [], False: []}
for m in sizes:
    for variance in (True, False):
        path = folder / f"{m}.safetensors"
        model.prefix(m).save(path, variance=variance)
        bytes_[variance].append(path.stat().st_size / 1000)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(sizes, bytes_[True], "o-", label="mean and standard deviation")
ax.plot(sizes, bytes_[False], "o-", label="variance=False: mean only")
ax.set(xlabel="basis vectors", ylabel="file size in kB", ylim=(0, None))
ax.legend()
plt.show()
