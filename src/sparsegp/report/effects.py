"""Partial dependence: how the prediction changes with one input, averaged over rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.model.classes import class_probabilities
from sparsegp.plot import plot_effect
from sparsegp.plot.colours import CLASS_COLOURS
from sparsegp.plot.labels import printable, shorten
from sparsegp.plot.svg import inline_svg
from sparsegp.report.formatting import format_value
from sparsegp.report.policy import (
    MAX_EFFECT_CLASSES,
    MAX_EFFECT_INPUTS,
    MAX_EFFECT_LEVELS,
    N_EFFECT_ROWS,
    N_EFFECT_ROWS_WITH_NEIGHBOURS,
    N_EFFECT_VALUES,
)
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section

__all__ = ["Curve", "Effect", "effect", "effects_section"]

Floats = npt.NDArray[np.float64]

Z_95 = 1.959963984540054  # two-sided 95 % quantile of the standard normal distribution
CENTRAL_RANGE = (0.02, 0.98)  # quantiles of an input between which its effect is drawn
AXIS_MARGIN = 0.04  # of the common y axis, as a share of its range


@dataclass(frozen=True)
class Curve:
    """The mean prediction at each value of the input, with its band: (g,) each."""

    label: str | None  # the class, if there are classes
    mean: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class Effect:
    """The predictions along one input."""

    values: Floats  # (g,)
    is_categorical: bool  # whether the values are category codes
    curves: list[Curve]


def effect(data: ReportData, column: int) -> Effect:
    """Return the prediction along one input, averaged over rows.

    The band is the average of the 95 % intervals of the function at these rows, which is never
    narrower than the interval of the average.
    """
    rng = np.random.default_rng(0)
    rows = data.X[rng.permutation(len(data.X))[: _n_rows(data)]]  # (b, D)
    is_categorical = column in data.kernel.coded_columns(data.X.shape[1])
    values = _grid(data.X[:, column], is_categorical)
    X = np.tile(rows, (len(values), 1))
    X[:, column] = np.repeat(values, len(rows))
    mean, variance = data.predict_latent(X)  # (g·b, 1 or C)
    half = Z_95 * np.sqrt(variance)
    if not data.is_classification:
        three = _averaged(np.concatenate((mean, mean - half, mean + half), axis=1), len(values))
        return Effect(values, is_categorical, [Curve(None, *three.T)])
    return Effect(values, is_categorical, _class_curves(data, mean, variance, half, len(values)))


def _n_rows(data: ReportData) -> int:
    """Return the number of rows that an effect is averaged over."""
    limit = N_EFFECT_ROWS_WITH_NEIGHBOURS if data.n_neighbors else N_EFFECT_ROWS
    return min(limit, len(data.X))


def _class_curves(
    data: ReportData, mean: Floats, variance: Floats, half: Floats, n_values: int
) -> list[Curve]:
    """Return a curve for each class shown.

    The ends of a band are the probabilities with the latent function of the class at the ends of
    its interval and those of the other classes at their means.
    """
    probits = data.model._fitted.parameters.probits
    centre = class_probabilities(probits, mean, variance)  # (g·b, C)
    curves = []
    for c in _shown_classes(data):
        own = np.zeros_like(mean)
        own[:, c if mean.shape[1] > 1 else 0] = 1.0
        ends = [
            class_probabilities(probits, mean + sign * own * half, variance * (1.0 - own))[:, c]
            for sign in (-1.0, 1.0)
        ]
        middle = centre[:, c]  # averages over the tails too, so it can lie outside the ends
        lower, upper = np.minimum(ends[0], middle), np.maximum(ends[1], middle)
        three = _averaged(np.stack([middle, lower, upper], axis=1), n_values)
        curves.append(Curve(str(data.model.classes_[c]), *three.T))
    return curves


def _shown_classes(data: ReportData) -> list[int]:
    """Return the second of two classes, or the most frequent of several."""
    classes = data.model.classes_
    if len(classes) == 2:
        return [1]
    counts = [int(np.sum(data.y == label)) for label in classes]
    return sorted(np.argsort(counts)[::-1][:MAX_EFFECT_CLASSES].tolist())


def _averaged(values: Floats, n_values: int) -> Floats:
    """Return the averages over rows for each value of the input: (g, k)."""
    return values.reshape(n_values, -1, values.shape[1]).mean(axis=1)


def _grid(column: Floats, is_categorical: bool) -> Floats:
    """Return the values of the x axis: frequent categories, few distinct numbers, or a range."""
    distinct, counts = np.unique(column, return_counts=True)
    if is_categorical:
        return np.sort(distinct[np.argsort(-counts, kind="stable")[:MAX_EFFECT_LEVELS]])
    if len(distinct) <= N_EFFECT_VALUES:
        return distinct
    low, high = np.quantile(column, CENTRAL_RANGE)
    return np.linspace(low, high, N_EFFECT_VALUES) if high > low else distinct[[0, -1]]


def effects_section(data: ReportData, shares: Floats) -> Section:
    """Draw the effects of the inputs with the largest influence on the predictions.

    ``shares`` (D,) are those of ``relevance.variance_shares``.
    """
    order = np.argsort(-shares, kind="stable")[:MAX_EFFECT_INPUTS]
    what = (
        f"the probability of {_named_classes(data)}" if data.is_classification else "the function"
    )
    paragraphs = [
        f"Partial dependence: the prediction of {printable(data.about.target)} as one input "
        f"varies, averaged over {_n_rows(data)} rows whose other inputs keep "
        f"their values. The band is the average of the 95 % intervals of {what} at these rows, "
        "without noise. These curves describe the model, not causal effects."
    ]
    n_hidden = len(data.names) - len(order)
    if n_hidden:
        paragraphs.append(f"Not shown: {n_hidden} inputs with less influence.")
    effects = [(int(column), effect(data, int(column))) for column in order]
    limits = _common_limits([shown for _, shown in effects])
    figures = [
        _draw_effect(data, column, shown, limits, i) for i, (column, shown) in enumerate(effects)
    ]
    return Section("Effects of single inputs", paragraphs, small_figures=figures)


def _named_classes(data: ReportData) -> str:
    shown = [printable(str(data.model.classes_[c])) for c in _shown_classes(data)]
    return shown[0] if len(shown) == 1 else "each class"


def _common_limits(effects: list[Effect]) -> tuple[float, float]:
    """Return y limits that contain all bands, so that effects can be compared with each other."""
    curves = [curve for one in effects for curve in one.curves]
    low = min(float(curve.lower.min()) for curve in curves)
    high = max(float(curve.upper.max()) for curve in curves)
    margin = AXIS_MARGIN * (high - low) or 1.0
    return low - margin, high + margin


def _draw_effect(
    data: ReportData, column: int, shown: Effect, limits: tuple[float, float], position: int
) -> str:
    name = data.names[column]
    levels = None
    if shown.is_categorical:
        levels = [format_value(v, name, data.about) for v in shown.values]
    several = len(shown.curves) > 1

    def draw(ax: Any) -> None:
        for curve, color in zip(shown.curves, CLASS_COLOURS, strict=False):
            plot_effect(
                shown.values,
                curve.mean,
                curve.lower,
                curve.upper,
                ax=ax,
                name=name,
                levels=levels,
                color=color,
                label=curve.label if several else None,
            )
        ax.set_ylim(limits)
        ax.set_ylabel("probability" if data.is_classification else shorten(data.about.target))
        if name in data.about.dates:
            ax.xaxis.get_major_locator().set_params(nbins=3)
            ax.xaxis.set_major_formatter(lambda day, _: format_value(day, name, data.about))
        if several:
            ax.legend(frameon=False, fontsize=9)

    says = f"Effect of {printable(name)}"
    return inline_svg(draw, name=f"effect-{position}", says=says, width=3.6, height=2.7)
