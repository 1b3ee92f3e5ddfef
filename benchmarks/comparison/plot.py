"""The critical-difference diagram: mean ranks on a line, joined where chance explains them."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.comparison.ranks import critical_difference, groups
from benchmarks.reproduce.plots import save

__all__ = ["plot_ranks"]

OURS_COLOUR, OTHER_COLOUR, GREY = "#c0392b", "#222222", "#888888"
#: Heights in lines of text.
LINE, TOP = 1.0, 2.2


def plot_ranks(panels: Mapping[str, tuple[Mapping[str, float], int]], file: Path) -> None:
    """Draw a diagram for each measure: mean ranks of methods, and the number of sets."""
    heights = [TOP + LINE * (-(-len(ranks) // 2)) + 1.2 for ranks, _ in panels.values()]
    figure = Figure(figsize=(8.0, 0.2 * sum(heights) + 0.1 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False).ravel()
    for place, (title, (ranks, n_sets)), height in zip(axes, panels.items(), heights, strict=True):
        _diagram(place, f"{title}, {n_sets} tables", ranks, n_sets, height)
    save(figure, file)


def _diagram(
    axes: Axes, title: str, ranks: Mapping[str, float], n_sets: int, height: float
) -> None:
    n, difference = len(ranks), critical_difference(len(ranks), n_sets)
    axes.set_xlim(1 - 0.62 * n, 1.62 * n)
    axes.set_ylim(height, -1.6)
    axes.axis("off")
    axes.text(1 - 0.62 * n, -0.9, title, fontsize=10, fontweight="bold", va="center")
    axes.plot([1, n], [0, 0], color=OTHER_COLOUR, linewidth=1)
    for tick in range(1, n + 1):
        axes.plot([tick, tick], [-0.2, 0], color=OTHER_COLOUR, linewidth=1)
        axes.text(tick, -0.35, str(tick), ha="center", va="bottom", fontsize=8)
    axes.plot([n + 0.4, n + 0.4 + difference], [-0.75, -0.75], color=GREY, linewidth=2)
    axes.text(
        *(n + 0.4, -0.2), f"critical difference {difference:.1f}", fontsize=8, color=GREY, va="top"
    )
    for i, (low, high) in enumerate(groups(ranks, difference)):
        at = 0.45 + 0.28 * i
        axes.plot([low - 0.05, high + 0.05], [at, at], color=GREY, linewidth=2.5)
    _names(axes, ranks)


def _names(axes: Axes, ranks: Mapping[str, float]) -> None:
    """Write the better half on the left, the best on top, the others on the right."""
    order, n = sorted(ranks, key=lambda method: ranks[method]), len(ranks)
    half = -(-n // 2)
    for i, method in enumerate(order):
        left = i < half
        line = TOP + LINE * (i if left else n - 1 - i)
        end = 1 - 0.08 * n if left else n + 0.08 * n
        colour = OURS_COLOUR if method.startswith("sparsegp") else OTHER_COLOUR
        axes.plot([ranks[method], ranks[method], end], [0, line, line], color=colour, linewidth=1)
        text = f"{method}  {ranks[method]:.1f}" if left else f"{ranks[method]:.1f}  {method}"
        side = {"ha": "right"} if left else {"ha": "left"}
        axes.text(
            *(end - 0.02 * n if left else end + 0.02 * n, line), text, va="center", fontsize=9,
            color=colour, **side,
        )  # fmt: skip
