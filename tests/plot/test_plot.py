"""What the figures draw."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm

from sparsegp import SparseGPClassifier, SparseGPRegressor, plot
from sparsegp.kernels import RBF
from sparsegp.likelihoods import Probit
from sparsegp.metrics import PredictiveDistribution, pit
from sparsegp.model.classes import class_probabilities
from sparsegp.plot.partial_dependence import averaged_curves
from sparsegp.plot.svg import inline_svg


@pytest.fixture
def ax():
    return Figure().subplots()


def data(line):
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


def test_a_short_fall_is_drawn_as_it_is(ax):
    path = np.array([3.0, 2.0, 1.5, 1.6])
    assert plot.plot_path(path, ax=ax, n_basis=3) is ax
    x, y = data(ax.lines[0])
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    np.testing.assert_array_equal(y, path)
    assert list(ax.lines[1].get_xdata()) == [3, 3]  # where it stopped


def test_a_long_fall_is_drawn_by_what_is_left(ax):
    plot.plot_path(np.array([500.0, 40.0, 30.0]), ax=ax)
    assert ax.get_yscale() == "log"
    np.testing.assert_array_equal(data(ax.lines[0])[1], [471.0, 11.0, 1.0])


def test_held_out_losses_have_an_axis_of_their_own(ax):
    plot.plot_path(np.array([3.0, 2.0]), ax=ax, held_out=([1, 2], [0.5, 0.25]))
    (losses,) = [other for other in ax.figure.axes if other is not ax]
    np.testing.assert_array_equal(data(losses.lines[0]), ([1, 2], [0.5, 0.25]))


def test_coverage_of_an_honest_model_is_the_diagonal(ax):
    plot.plot_coverage((np.arange(1000) + 0.5) / 1000, ax=ax)
    levels, observed = data(ax.lines[1])
    np.testing.assert_allclose(observed, levels, atol=2e-3)


def test_calibration_is_the_coverage_of_a_gaussian(ax):
    y = norm.ppf((np.arange(1000) + 0.5) / 1000)
    half_as_wide = PredictiveDistribution.gaussian(np.zeros(1000), np.full(1000, 0.5))
    plot.plot_calibration(half_as_wide, y, ax=ax)
    levels, observed = data(ax.lines[1])
    np.testing.assert_allclose(
        observed, 2 * norm.cdf(0.5 * norm.ppf(0.5 + levels / 2)) - 1, atol=5e-3
    )


def test_pit_counts_rows_relative_to_an_honest_model(ax):
    plot.plot_pit(np.array([0.1, 0.1, 0.1, 0.9]), ax=ax, n_bins=2)
    (bars,) = ax.containers
    assert [bar.get_height() for bar in bars] == [1.5, 0.5]
    np.testing.assert_allclose(
        pit(PredictiveDistribution.gaussian([0.0], [1.0]), [1.96]), 0.975, atol=1e-4
    )


def test_reliability_bins_by_count(ax):
    probability = np.array([0.1, 0.2, 0.8, 0.9])
    plot.plot_reliability(probability, np.array([False, False, True, False]), ax=ax, n_bins=2)
    promised, observed = data(ax.lines[1])
    np.testing.assert_allclose(promised, [0.15, 0.85])
    np.testing.assert_allclose(observed, [0.0, 0.5])
    low, high = ax.containers[0][2][0].get_segments()[1][:, 1]
    # Wilson, one of two cases
    np.testing.assert_allclose([low, high], [0.0945, 0.9055], atol=1e-3)


def test_residuals_outside_have_a_colour_of_their_own(ax):
    y, mean = np.array([1.0, 5.0, 3.0]), np.array([1.5, 2.0, 3.0])
    plot.plot_residuals(y, mean, mean - 1, mean + 1, ax=ax)
    by_label = {line.get_label(): data(line) for line in ax.lines}
    np.testing.assert_array_equal(by_label["inside"], ([1.5, 3.0], [-0.5, 0.0]))
    np.testing.assert_array_equal(by_label["outside"], ([2.0], [3.0]))
    segments = ax.collections[0].get_segments()
    np.testing.assert_array_equal(segments[0], [[1.5, -1.0], [1.5, 1.0]])


def test_residuals_show_some_rows_of_many(ax):
    mean = np.linspace(0, 1, 1000)
    plot.plot_residuals(mean, mean, mean - 1, mean + 1, ax=ax, n_shown=50)
    shown = data(ax.lines[1])[0]
    assert (len(shown), shown[0], shown[-1]) == (50, 0.0, 1.0)


def test_predictions_have_intervals(ax):
    plot.plot_predictions(np.array([0.0, 2.0]), np.array([0.5, 1.5]), np.array([1.0, 2.0]), ax=ax)
    bars = ax.containers[0][2][0].get_segments()
    np.testing.assert_allclose(bars[1][:, 0], [1.5 - 3.92, 1.5 + 3.92], atol=1e-4)


def test_relevance_has_the_largest_on_top(ax):
    plot.plot_relevance(
        [0.1, 0.7, 0.3], ["a", "the very long name of a column", "c"], ax=ax, n_shown=2
    )
    assert [bar.get_width() for bar in ax.patches] == [0.7, 0.3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["the very long name of a…", "c"]
    assert ax.get_title() == "Inputs that matter (2 of 3)"
    assert ax.yaxis_inverted()


def test_an_effect_of_numbers_is_a_line_in_a_band(ax):
    x = np.array([0.0, 1.0, 2.0])
    plot.plot_effect(x, x**2, x**2 - 1, x**2 + 1, ax=ax, name="speed")
    np.testing.assert_array_equal(data(ax.lines[0]), (x, x**2))
    corners = ax.collections[0].get_paths()[0].vertices
    assert {(0.0, -1.0), (2.0, 5.0), (2.0, 3.0)} <= set(map(tuple, corners))
    assert ax.get_xlabel() == "speed"


def test_an_effect_of_levels_is_points_with_bars(ax):
    mean = np.array([1.0, 2.0])
    plot.plot_effect(
        np.array([1.0, 7.0]), mean, mean - 0.5, mean + 0.25, ax=ax, levels=["no", "yes"]
    )
    np.testing.assert_array_equal(data(ax.lines[0]), (mean, [0, 1]))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["no", "yes"]
    bars = [c for c in ax.collections if len(c.get_segments()) == 2]
    np.testing.assert_array_equal(bars[0].get_segments()[1][:, 0], [1.5, 2.25])


def test_svg_takes_colours_and_ids_from_the_page():
    def draw(ax):
        plot.plot_relevance([1.0], ["<b>$money$ 漢字"], ax=ax)

    text = inline_svg(draw, name="one", says='a "figure"')
    assert "var(--ink)" in text
    assert "#1f3a5f" not in text
    assert "&lt;b&gt;$money$ 漢字" in text
    assert 'aria-label="a &quot;figure&quot;"' in text
    assert "http" not in text
    assert text == inline_svg(draw, name="one", says='a "figure"')
    assert 'id="one-' in text
    assert 'id="two-' in inline_svg(draw, name="two", says="")


def test_equal_probabilities_are_one_point(ax):
    probability = np.repeat([0.2, 0.5, 0.9], [50, 3, 47])
    happened = np.random.default_rng(0).random(100) < probability
    plot.plot_reliability(probability, happened, ax=ax)
    promised, observed = data(ax.lines[1])
    np.testing.assert_allclose(promised, [0.2, 0.5, 0.9])
    np.testing.assert_allclose(observed[0], happened[:50].mean())


def test_axes_have_plain_numbers():
    def draw(ax):
        ax.plot([1e6, 3e6], [10.2500, 10.2502])

    text = inline_svg(draw, name="one", says="")
    assert "+1.025e1" not in text
    assert "1e6" not in text
    assert re.search(r">10\.250\d+<", text)
    assert ">2 M<" in text or ">2.0 M<" in text


def test_a_logarithmic_axis_has_plain_numbers():
    text = inline_svg(lambda ax: plot.plot_path([2e4, 40.0, 1.0], ax=ax), name="one", says="")
    assert {">1000<", ">10,000<"} <= set(re.findall(">[^<]+<", text))
    assert "tspan" not in text


def test_hover_texts_lie_on_their_points():
    def draw(ax):
        ax.plot([0.0, 1.0], [0.0, 1.0], "o")
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.set_position([0.25, 0.25, 0.5, 0.5])

    text = inline_svg(draw, name="one", says="", width=4, height=2, hover=[(0, 0, 'a "<b>"')])
    assert text.count("<circle") == 1
    assert 'data-says="a &quot;&lt;b&gt;&quot;"' in text
    found = re.search(r'cx="([\d.]+)" cy="([\d.]+)"', text)
    assert [float(found[1]), float(found[2])] == pytest.approx([72.0, 108.0], abs=0.1)


def test_figures_of_models_have_axes_of_their_own():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    X = pd.DataFrame({"a": np.random.default_rng(0).uniform(-2, 2, 60)})
    y = np.sin(X["a"])
    model = SparseGPRegressor(RBF(1.0), max_basis=5, random_state=0).fit(X, y)
    labels = SparseGPClassifier(max_basis=5, random_state=0).fit(X, y > 0)
    drawn = [
        *(draw(model, X, y) for draw in (plot.plot_predictions, plot.plot_residuals)),
        *(draw(model, X, y) for draw in (plot.plot_intervals, plot.plot_calibration)),
        *(draw(model, X, y) for draw in (plot.plot_coverage, plot.plot_pit)),
        plot.plot_reliability(labels, X, y > 0),
        plot.plot_relevance(model),
        plot.plot_effect(model, X, "a"),
        plot.plot_effect(labels, X, 0),
        plot.plot_path(model),
    ]
    assert len({id(ax.figure) for ax in drawn}) == len(drawn)
    assert drawn[7].get_yticklabels()[0].get_text() == "a"
    assert drawn[8].get_xlabel() == drawn[9].get_xlabel() == "a"
    line = drawn[8].lines[0]
    np.testing.assert_allclose(line.get_ydata(), np.sin(line.get_xdata()), atol=0.1)
    assert len(drawn[2].get_yticklabels()) == 10
    pyplot.close("all")


@pytest.mark.parametrize("n_functions", [1, 3])
def test_a_band_of_a_class_has_its_own_function_at_both_ends(n_functions):
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(size=(8, n_functions)), rng.uniform(0.1, 2.0, (8, n_functions))
    probits = (Probit(2.0, 0.3),) * n_functions
    model = SimpleNamespace(
        classes_=np.arange(max(n_functions, 2)),
        _fitted=SimpleNamespace(parameters=SimpleNamespace(probits=probits)),
    )
    (curve,) = averaged_curves(model, mean, variance, 1, [1])
    own = n_functions // 2  # the function of the second class
    rest, ends = variance.copy(), []
    rest[:, own] = 0.0
    for sign in (-1.96, 1.96):
        at = mean.copy()
        at[:, own] += sign * np.sqrt(variance[:, own])
        ends.append(class_probabilities(probits, at, rest)[:, 1].mean())
    assert curve.mean[0] == pytest.approx(class_probabilities(probits, mean, variance)[:, 1].mean())
    np.testing.assert_allclose([curve.lower[0], curve.upper[0]], ends, rtol=1e-4)
