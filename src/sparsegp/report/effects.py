"""How the prediction goes with one input, the others being as they are in some rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.model.classes import class_probabilities
from sparsegp.plot import plot_effect
from sparsegp.plot.colours import OF_CLASSES
from sparsegp.plot.names import readable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.relevance import prediction_shares
from sparsegp.report.shown import Section, cell
from sparsegp.report.subject import Subject

__all__ = ["Curve", "Effect", "effect", "effects_section"]

Floats = npt.NDArray[np.float64]

N_INPUTS, N_ROWS, N_VALUES, N_LEVELS, N_CLASSES = 8, 100, 25, 12, 4
TWO_SIDED = 1.959963984540054  # a Gaussian is within so many deviations with probability 95 %


@dataclass(frozen=True)
class Curve:
    """The mean prediction at each value of the input and its band: (g,) each."""

    label: str | None  # the class, if there are classes
    mean: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class Effect:
    """What happens along one input."""

    values: Floats  # (g,)
    coded: bool  # whether the values are codes of categories
    curves: list[Curve]


def effect(subject: Subject, column: int) -> Effect:
    """Return the prediction along one input, averaged over some rows.

    The band is the mean of the 95 % intervals of the function at these rows: never narrower than
    the interval of the mean.
    """
    rng = np.random.default_rng(0)
    rows = subject.X[rng.permutation(len(subject.X))[:N_ROWS]]  # (b, D)
    coded = column in subject.kernel.coded_columns(subject.X.shape[1])
    values = _values(subject.X[:, column], coded)
    X = np.tile(rows, (len(values), 1))
    X[:, column] = np.repeat(values, len(rows))
    mean, variance = subject.latent(X)  # (g·b, 1 or C)
    half = TWO_SIDED * np.sqrt(variance)
    if not subject.classifies:
        three = _averaged(np.concatenate((mean, mean - half, mean + half), axis=1), len(values))
        return Effect(values, coded, [Curve(None, *three.T)])
    return Effect(values, coded, _class_curves(subject, mean, variance, half, len(values)))


def _class_curves(
    subject: Subject, mean: Floats, variance: Floats, half: Floats, n_values: int
) -> list[Curve]:
    """Return a curve for each class shown.

    The ends of a band are the probabilities with the function of the class at the ends of its
    interval and those of the others at their means.
    """
    probits = subject.model._fitted.parameters.probits
    centre = class_probabilities(probits, mean, variance)  # (g·b, C)
    curves = []
    for place in _classes_shown(subject):
        one = np.zeros_like(mean)
        one[:, place if mean.shape[1] > 1 else 0] = 1.0
        ends = [
            class_probabilities(probits, mean + sign * one * half, variance * (1.0 - one))[:, place]
            for sign in (-1.0, 1.0)
        ]
        middle = centre[:, place]  # over all of the function, its tails too: it may lie outside
        lower, upper = np.minimum(ends[0], middle), np.maximum(ends[1], middle)
        three = _averaged(np.stack([middle, lower, upper], axis=1), n_values)
        curves.append(Curve(str(subject.model.classes_[place]), *three.T))
    return curves


def _classes_shown(subject: Subject) -> list[int]:
    """Return the second of two classes, or those of more that are the most frequent."""
    classes = subject.model.classes_
    if len(classes) == 2:
        return [1]
    counts = [int(np.sum(subject.y == label)) for label in classes]
    return sorted(np.argsort(counts)[::-1][:N_CLASSES].tolist())


def _averaged(values: Floats, n_values: int) -> Floats:
    """Return means over the rows for each value of the input: (g, k)."""
    return values.reshape(n_values, -1, values.shape[1]).mean(axis=1)


def _values(column: Floats, coded: bool) -> Floats:
    """Return the values to look at: all levels, few numbers as they are, or a range of them."""
    different, counts = np.unique(column, return_counts=True)
    if coded:
        return np.sort(different[np.argsort(-counts, kind="stable")[:N_LEVELS]])
    if len(different) <= N_VALUES:
        return different
    low, high = np.quantile(column, [0.02, 0.98])
    return np.linspace(low, high, N_VALUES) if high > low else different[[0, -1]]


def effects_section(subject: Subject) -> Section:
    """Draw the effects of the inputs that move the prediction most."""
    order = np.argsort(-prediction_shares(subject), kind="stable")[:N_INPUTS]
    kind = f"the probability of {_classes_told(subject)}" if subject.classifies else "the function"
    told = (
        f"How the prediction of {readable(subject.about.target)} goes with one input, averaged "
        f"over {min(N_ROWS, len(subject.X))} rows in which the others stay as they are. The "
        f"band holds {kind} with 95 % at a row, on average. It is what the model has "
        "learned, and no cause."
    )
    rest = len(subject.names) - len(order)
    more = [f"Not shown: {rest} inputs that move the prediction less."] if rest else []
    found = [(int(column), effect(subject, int(column))) for column in order]
    limits = _limits([one for _, one in found])
    figures = [_drawn(subject, column, one, limits, i) for i, (column, one) in enumerate(found)]
    return Section("Effects of single inputs", [told, *more], small_figures=figures)


def _classes_told(subject: Subject) -> str:
    shown = [readable(str(subject.model.classes_[place])) for place in _classes_shown(subject)]
    return shown[0] if len(shown) == 1 else "each class"


def _limits(effects: list[Effect]) -> tuple[float, float]:
    """Return limits that hold all bands: effects are to be compared with each other."""
    curves = [curve for one in effects for curve in one.curves]
    low = min(float(curve.lower.min()) for curve in curves)
    high = max(float(curve.upper.max()) for curve in curves)
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _drawn(
    subject: Subject, column: int, found: Effect, limits: tuple[float, float], place: int
) -> str:
    name = subject.names[column]
    levels = [cell(v, name, subject.about) for v in found.values] if found.coded else None

    def draw(ax: Any) -> None:
        for curve, color in zip(found.curves, OF_CLASSES, strict=False):
            many = len(found.curves) > 1
            plot_effect(
                found.values,
                curve.mean,
                curve.lower,
                curve.upper,
                ax=ax,
                name=name,
                levels=levels,
                color=color,
                label=curve.label if many else None,
            )
        ax.set_ylim(limits)
        if len(found.curves) > 1:
            ax.legend(frameon=False, fontsize=9)

    says = f"Effect of {readable(name)}"
    return inline_svg(draw, name=f"effect-{place}", says=says, width=3.6, height=2.7)
