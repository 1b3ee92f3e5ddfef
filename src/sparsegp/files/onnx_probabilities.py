"""Class probabilities from latent Gaussians as ONNX operators."""

import numpy as np

from sparsegp.files.onnx_graph import Graph
from sparsegp.likelihoods.quadrature import gauss_hermite
from sparsegp.model.classes import N_NODES

__all__ = ["output_probabilities"]


def output_probabilities(
    g: Graph, mean: str, variance: str, slope: float, n_classes: int, label_noise: float = 0.0
) -> None:
    """Add the outputs of a classifier, from functions (n, 1) for two classes or (n, C)."""
    scale = g.op("Sqrt", g.op("Add", variance, slope**-2))
    if n_classes == 2:
        second = _normal_cdf(g, g.op("Div", mean, scale))
        p = g.side_by_side((g.op("Sub", 1.0, second), second))
    else:
        p = _probability_of_largest(g, mean, scale, n_classes)
    if label_noise > 0.0:
        p = g.op("Add", g.op("Mul", p, 1.0 - label_noise), label_noise / n_classes)
    g.output("probabilities", p, ("n", n_classes), "DOUBLE")
    g.output("class_index", g.op("ArgMax", p, axis=1, keepdims=0), ("n",), "INT64")


def _normal_cdf(g: Graph, z: str) -> str:
    erf = g.op("Erf", g.cast(g.op("Mul", z, np.sqrt(0.5)), "FLOAT"))
    return g.op("Mul", g.op("Add", g.cast(erf, "DOUBLE"), 1.0), 0.5)


def _probability_of_largest(g: Graph, mean: str, scale: str, n_classes: int) -> str:
    """Return the probability that each of independent Gaussians is the largest: (n, C)."""
    nodes, weights = gauss_hermite(N_NODES)
    C, n_nodes = n_classes, len(nodes)
    own_mean, own_scale = (g.reshape(x, (-1, C, 1, 1)) for x in (mean, scale))
    steps = g.op("Mul", own_scale, g.constant(nodes.reshape(1, 1, 1, n_nodes)))
    u = g.op("Add", own_mean, steps)  # (n, C, 1, nodes)
    others_mean, others_scale = (g.reshape(x, (-1, 1, C, 1)) for x in (mean, scale))
    below = _normal_cdf(g, g.op("Div", g.op("Sub", u, others_mean), others_scale))
    itself = g.constant(np.eye(C, dtype=bool).reshape(1, C, C, 1), bool)
    below = g.op("Where", itself, 1.0, below)  # (n, C, C, nodes)
    # not every runtime multiplies along an axis in double
    log_below = g.op("ReduceSum", g.op("Log", below), g.constant([2], np.int64), keepdims=0)
    all_below = g.op("Exp", log_below)  # (n, C, nodes)
    p = g.reshape(g.op("MatMul", all_below, g.constant(weights[:, None])), (-1, C))
    p = g.op("Max", p, float(np.finfo(np.float64).tiny))
    return g.op("Div", p, g.row_sums(p, keep=True))
