"""Partial dependence: how the prediction changes with one input, averaged over rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot import plot_effect
from sparsegp.plot.colours import CLASS_COLOURS
from sparsegp.plot.labels import printable, shorten
from sparsegp.plot.partial_dependence import Curve, averaged_curves, input_values
from sparsegp.plot.svg import Hover, inline_svg
from sparsegp.report.formatting import format_number, format_percent, format_value
from sparsegp.report.inputs import Input
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

AXIS_MARGIN = 0.04  # of the common axis of predictions, as a share of its range
#: Inches that a category needs on the vertical axis.
ROOM_OF_LEVEL = 0.22


@dataclass(frozen=True)
class Effect:
    """The predictions along one input."""

    values: Floats  # (g,); of a periodic part shares of the period
    is_categorical: bool  # whether the values are category codes
    curves: list[Curve]


def effect(data: ReportData, one: Input) -> Effect:
    """Return the prediction along one input, averaged over rows."""
    rng = np.random.default_rng(0)
    rows = data.X[rng.permutation(len(data.X))[: _n_rows(data)]]  # (b, D)
    is_categorical = _is_categorical(data, one)
    if one.clock is None:
        values = _grid(data.X[:, one.columns[0]], is_categorical)
        cells = values[:, None]
    else:
        values = np.linspace(0.0, 1.0, N_EFFECT_VALUES)
        cells = one.clock.values(values)
    X = np.tile(rows, (len(values), 1))
    X[:, list(one.columns)] = np.repeat(cells, len(rows), axis=0)
    moments = data.expected(X)  # (g·b, 1 or C) each
    classes = _shown_classes(data) if data.is_classification else []
    curves = averaged_curves(data.model, *moments, len(values), classes)
    return Effect(values, is_categorical, curves)


def _is_categorical(data: ReportData, one: Input) -> bool:
    coded = one.columns[0] in data.kernel.coded_columns(data.X.shape[1])
    return coded or one.name in data.about.levels


def _n_rows(data: ReportData) -> int:
    """Return the number of rows that an effect is averaged over."""
    limit = N_EFFECT_ROWS_WITH_NEIGHBOURS if data.n_neighbors else N_EFFECT_ROWS
    return min(limit, len(data.X))


def _shown_classes(data: ReportData) -> list[int]:
    """Return the second of two classes, or the most frequent of several."""
    classes = data.model.classes_
    if len(classes) == 2:
        return [1]
    counts = [int(np.sum(data.y == label)) for label in classes]
    return sorted(np.argsort(counts)[::-1][:MAX_EFFECT_CLASSES].tolist())


def _grid(column: Floats, is_categorical: bool) -> Floats:
    """Return the values along an input: frequent categories, few distinct numbers, or a range."""
    if not is_categorical:
        return input_values(column, N_EFFECT_VALUES)
    distinct, counts = np.unique(column, return_counts=True)
    return np.sort(distinct[np.argsort(-counts, kind="stable")[:MAX_EFFECT_LEVELS]])


def effects_section(data: ReportData, inputs: Sequence[Input], shares: Floats) -> Section:
    """Draw the effects of the inputs with the largest influence on the predictions.

    ``shares`` are those of ``relevance.variance_shares``.
    """
    order = np.argsort(-shares, kind="stable")[:MAX_EFFECT_INPUTS]
    effects = [(inputs[i], effect(data, inputs[i])) for i in order]
    limits = _common_limits([shown for _, shown in effects])
    figures = [_draw_effect(data, one, shown, limits, i) for i, (one, shown) in enumerate(effects)]
    return Section(
        "Effect of each input", _explained(data, len(inputs), effects), small_figures=figures
    )


def _explained(data: ReportData, n_inputs: int, effects: list[tuple[Input, Effect]]) -> list[str]:
    what = "the prediction"
    if data.is_classification:
        what = f"the predicted probability of {_named_classes(data)}"
    paragraphs = [
        f"How {what} changes with one input while the others keep their values, on average over "
        f"{_n_rows(data)} rows (partial dependence). The shaded band is the model’s 95 % "
        "uncertainty about this curve. All figures have the same scale, so a flat curve means "
        "little effect. The curves describe what the model does; they do not prove that one thing "
        "causes another."
    ]
    if len(effects) < n_inputs:
        paragraphs.append(
            f"{len(effects)} of {n_inputs} inputs are shown, those with the most influence."
        )
    for one, shown in effects:
        n_levels = len(np.unique(data.X[:, one.columns[0]]))
        if shown.is_categorical and len(shown.values) < n_levels:
            paragraphs.append(
                f"{printable(one.name)}: the {len(shown.values)} most frequent of "
                f"{n_levels} categories are shown."
            )
    return paragraphs


def _named_classes(data: ReportData) -> str:
    shown = [printable(str(data.model.classes_[c])) for c in _shown_classes(data)]
    return shown[0] if len(shown) == 1 else "each label"


def _common_limits(effects: list[Effect]) -> tuple[float, float]:
    """Return limits that contain all bands, so that effects can be compared with each other."""
    curves = [curve for one in effects for curve in one.curves]
    low = min(float(curve.lower.min()) for curve in curves)
    high = max(float(curve.upper.max()) for curve in curves)
    margin = AXIS_MARGIN * (high - low) or 1.0
    return low - margin, high + margin


def _draw_effect(
    data: ReportData, one: Input, shown: Effect, limits: tuple[float, float], position: int
) -> str:
    name, clock = one.name, one.clock
    told = partial(format_value, name=name, about=data.about) if clock is None else clock.label
    printed = [told(value) for value in shown.values]
    levels = printed if shown.is_categorical else None
    several = len(shown.curves) > 1

    def draw(ax: Any) -> None:
        for curve, color in zip(shown.curves, CLASS_COLOURS, strict=False):
            three = curve.mean, curve.lower, curve.upper
            plot_effect(
                shown.values,
                *three,
                ax=ax,
                name=name,
                levels=levels,
                color=color,
                label=curve.label if several else None,
            )
        outcome = "probability" if data.is_classification else shorten(data.about.target, 30)
        if shown.is_categorical:
            ax.set(xlim=limits, xlabel=outcome)
        else:
            ax.set(ylim=limits, ylabel=outcome)
        if name in data.about.dates:
            ax.xaxis.get_major_locator().set_params(nbins=3)
            ax.xaxis.set_major_formatter(
                lambda day, _: format_value(np.floor(day), name, data.about)
            )
        if clock is not None:
            ax.set_xticks(clock.ticks, [clock.label(tick) for tick in clock.ticks])
        if several:
            ax.legend(frameon=False, fontsize=9)

    return inline_svg(
        draw,
        name=f"effect-{position}",
        says=f"Effect of {printable(name)}",
        width=3.6,
        height=max(2.7, 1.0 + ROOM_OF_LEVEL * len(shown.values)) if shown.is_categorical else 2.7,
        hover=_hover(data, name, shown, printed),
    )


def _hover(data: ReportData, name: str, shown: Effect, printed: list[str]) -> list[Hover]:
    found: list[Hover] = []
    for curve in shown.curves:
        of_class = "" if curve.label is None else f" {printable(curve.label)}:"
        for i, value in enumerate(shown.values):
            mean, low, high = (
                format_percent(end[i]) if data.is_classification else format_number(end[i])
                for end in (curve.mean, curve.lower, curve.upper)
            )
            words = f"{printable(name)} {printed[i]}:{of_class} {mean} ({low} to {high})"
            place = (curve.mean[i], i) if shown.is_categorical else (value, curve.mean[i])
            found.append((float(place[0]), float(place[1]), words))
    return found
