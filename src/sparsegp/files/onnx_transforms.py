"""Transforms of columns and target as ONNX operators.

onnxruntime has few of the functions that target warps use in float64: here they are written as
sums and quotients of exponentials and logarithms.
"""

from math import lgamma, log, pi, sqrt
from typing import Any

import numpy as np

from sparsegp.exceptions import CannotSaveError
from sparsegp.files.onnx_graph import Graph
from sparsegp.files.policy import POWER_AS_LOG
from sparsegp.model.noise.distribution import (
    FURTHEST_ARCSINH,
    FURTHEST_NORMAL,
    PARTS,
    NoiseDistribution,
)
from sparsegp.model.warped import N_PARTS
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.curves import Curve, Logarithm, SinhArcsinh, Straight, YeoJohnson
from sparsegp.tables.transforms.quantiles import QuantileMap
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Tail, Warp

__all__ = ["transformed_columns", "warped_moments"]


def transformed_columns(g: Graph, transform: Scaling | Columns, X: str) -> str:
    """Return the table (n, D) as the kernel sees it."""
    if isinstance(transform, Scaling):
        offset, scale = g.constant(transform.offset), g.constant(transform.scale)
        return g.op("Div", g.op("Sub", X, offset), scale)
    if not isinstance(transform, Columns):
        raise CannotSaveError(f"to_onnx has no operators for the transform {transform!r}")
    scaled = transformed_columns(g, transform.scaling, X)
    singles = [g.columns(scaled, [column]) for column in range(len(transform.maps))]
    columns = [
        column if quantile_map is None else _normal_scores(g, quantile_map, column)
        for quantile_map, column in zip(transform.maps, singles, strict=True)
    ]
    return g.side_by_side(columns)


def _normal_scores(g: Graph, quantile_map: QuantileMap, x: str) -> str:
    """Return the normal scores of a column (n, 1): the sum over the linear pieces."""
    knots, scores = quantile_map.knots, quantile_map.scores
    start = np.concatenate((knots[:1], knots))  # (k + 1,), of the pieces; the first goes down
    lowest = np.concatenate(([-np.inf], np.zeros(len(knots))))
    highest = np.concatenate(([0.0], np.diff(knots), [np.inf]))
    inner = np.diff(scores) / np.diff(knots)
    slopes = np.concatenate(([quantile_map.low_slope], inner, [quantile_map.high_slope]))
    along = g.op("Max", g.op("Sub", x, g.constant(start[None, :])), g.constant(lowest[None, :]))
    along = g.op("Min", along, g.constant(highest[None, :]))  # (n, k + 1)
    return g.op("Add", g.op("MatMul", along, g.constant(slopes[:, None])), float(scores[0]))


def warped_moments(
    g: Graph, warp: Warp, mean: str, scale: str, tails: NoiseDistribution
) -> tuple[str, str]:
    """Return mean and deviation of y from those of z, (n, 1) each; see ``model.warped``."""
    nodes, weights = (a[None, None, :] for a in np.polynomial.legendre.leggauss(tails.n_nodes))
    ends = np.concatenate(([-np.inf], warp.marks(N_PARTS), [np.inf]))
    bounds, n_parts = _integration_bounds(
        g, g.op("Div", g.op("Sub", g.constant(ends[None, :]), mean), scale), len(ends), tails
    )
    low, high = (
        g.reshape(g.columns(bounds, range(first, first + n_parts)), (-1, n_parts, 1))
        for first in (0, 1)
    )
    half = g.op("Mul", g.op("Sub", high, low), 0.5)
    centre = g.op("Mul", g.op("Add", high, low), 0.5)
    x = g.op("Add", centre, g.op("Mul", half, g.constant(nodes)))  # (n, parts, nodes)
    u, density = _density(g, x, tails)
    mean, scale = (g.reshape(x, (-1, 1, 1)) for x in (mean, scale))
    median = _inverse(g, warp, mean)
    y = g.op("Sub", _inverse(g, warp, g.op("Add", mean, g.op("Mul", scale, u))), median)
    weight = g.op("Mul", g.op("Mul", half, g.constant(weights)), density)
    first = _total(g, g.op("Mul", weight, y))  # (n, 1)
    second = _total(g, g.op("Mul", g.op("Mul", weight, y), y))
    variance = g.op("Max", g.op("Sub", second, g.op("Mul", first, first)), 0.0)
    return g.op("Add", g.reshape(median, (-1, 1)), first), g.op("Sqrt", variance)


def _integration_bounds(g: Graph, u: str, count: int, tails: NoiseDistribution) -> tuple[str, int]:
    """Return the ends of the integration intervals and the number of intervals.

    See ``NoiseDistribution.parts``.
    """
    if tails.df is None:
        return g.op("Clip", u, -FURTHEST_NORMAL, FURTHEST_NORMAL), count - 1
    furthest = float(np.sinh(FURTHEST_ARCSINH))
    own = np.concatenate((-PARTS, [0.0], PARTS))
    zeros = g.op("Mul", g.columns(u, [count // 2]), 0.0)  # (n, 1)
    x = g.op(
        "Concat",
        _arcsinh(g, g.op("Clip", u, -furthest, furthest)),
        g.op("Add", g.constant(own[None, :]), zeros),
        axis=1,
    )
    return g.sorted(x, count + len(own)), count + len(own) - 1


def _density(g: Graph, x: str, tails: NoiseDistribution) -> tuple[str, str]:
    """Return u and its density with respect to x; see ``NoiseDistribution.at``."""
    if tails.df is None:
        density = g.op("Exp", g.op("Mul", g.op("Mul", x, x), -0.5))
        return x, g.op("Mul", density, 1.0 / sqrt(2.0 * pi))
    u, df = _sinh(g, x), tails.df
    constant = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * log(pi * df)
    inside = g.op("Log", g.op("Add", g.op("Div", g.op("Mul", u, u), df), 1.0))
    exponent = g.op("Add", g.op("Mul", inside, -0.5 * (df + 1.0)), constant)
    cosh = g.op("Mul", g.op("Add", g.op("Exp", x), g.op("Exp", g.op("Neg", x))), 0.5)
    return u, g.op("Mul", g.op("Exp", exponent), cosh)


def _total(g: Graph, x: str) -> str:
    """Return the sums over intervals and nodes: (n, 1)."""
    return g.reshape(g.op("ReduceSum", x, g.constant([1, 2], np.int64), keepdims=0), (-1, 1))


def _inverse(g: Graph, warp: Warp, z: str) -> str:
    """Return y for z of any shape."""
    value = g.op("Add", g.op("Mul", z, warp.deviation), warp.mean)
    (low, high), (below, above) = warp.end_values(), warp.tails()
    inside = g.op("Min", g.op("Max", value, low), high)
    t = _inverse_curve(g, warp.curve, inside)
    t = g.op("Min", g.op("Max", t, warp.floor), warp.high)
    t = g.op("Add", t, _tail_distance(g, above, g.op("Max", g.op("Sub", value, high), 0.0)))
    if np.isfinite(low):
        t = g.op("Sub", t, _tail_distance(g, below, g.op("Max", g.op("Sub", low, value), 0.0)))
    return g.op("Add", g.op("Mul", t, warp.scale), warp.offset)


def _tail_distance(g: Graph, tail: Tail, zeta: str) -> str:
    saturating = g.op("Div", zeta, g.op("Add", g.op("Div", zeta, tail.h), 1.0))
    return g.op("Add", g.op("Mul", zeta, tail.a), g.op("Mul", saturating, tail.b - tail.a))


def _inverse_curve(g: Graph, curve: Curve, value: str) -> str:
    """Return t with curve(t) = value."""
    if isinstance(curve, Straight):
        return value
    if isinstance(curve, Logarithm):
        return g.op("Exp", value)
    if isinstance(curve, YeoJohnson):
        right = _inverse_power(g, g.op("Max", value, 0.0), curve.power)
        left = _inverse_power(g, g.op("Max", g.op("Neg", value), 0.0), 2.0 - curve.power)
        return _unscaled(g, curve, g.op("Sub", right, left))
    if isinstance(curve, SinhArcsinh):
        w = g.op("Div", g.op("Add", _arcsinh(g, value), curve.skew), curve.tail)
        return _unscaled(g, curve, _sinh(g, w))
    raise CannotSaveError(f"to_onnx has no operators for the curve {curve!r}")


def _unscaled(g: Graph, curve: Any, u: str) -> str:
    return g.op("Add", g.op("Mul", u, curve.scale), curve.centre)


def _inverse_power(g: Graph, size: str, p: float) -> str:
    """Return (1 + p·size)^(1/p) − 1 for size ≥ 0."""
    if abs(p) < POWER_AS_LOG:
        correction = g.op("Mul", g.op("Mul", size, size), 0.5 * p)
        exponent = g.op("Sub", size, correction)
    else:
        exponent = g.op("Div", g.op("Log", g.op("Add", g.op("Mul", size, p), 1.0)), p)
    return g.op("Sub", g.op("Exp", exponent), 1.0)


def _sinh(g: Graph, x: str) -> str:
    return g.op("Mul", g.op("Sub", g.op("Exp", x), g.op("Exp", g.op("Neg", x))), 0.5)


def _arcsinh(g: Graph, x: str) -> str:
    size = g.op("Abs", x)
    root = g.op("Sqrt", g.op("Add", g.op("Mul", x, x), 1.0))
    return g.op("Mul", g.op("Sign", x), g.op("Log", g.op("Add", size, root)))
