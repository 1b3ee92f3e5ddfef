"""Model files: saving, loading, and what else can be done with a fitted model.

``load`` gives the estimator back; ``NumpyPredictor`` reads the same file with NumPy alone;
``to_onnx`` writes a graph for other run times.
"""

from sparsegp.files.model_file import info, load, save
from sparsegp.files.numpy_predictor import NumpyPredictor
from sparsegp.files.onnx_export import to_onnx

__all__ = ["NumpyPredictor", "info", "load", "save", "to_onnx"]
