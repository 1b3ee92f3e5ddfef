"""Model files: saving, loading and exporting fitted models.

``load`` returns the estimator; ``NumpyPredictor`` predicts from the same file with NumPy alone;
``to_onnx`` exports a graph for other run times.
"""

from sparsegp.files.model_file import info, load, save
from sparsegp.files.numpy_predictor import NumpyPredictor
from sparsegp.files.onnx_export import to_onnx

__all__ = ["NumpyPredictor", "info", "load", "save", "to_onnx"]
