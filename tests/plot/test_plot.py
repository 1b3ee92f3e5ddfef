"""What the figures draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm

from sparsegp import plot
from sparsegp.metrics import pit
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
    plot.plot_calibration(y, np.zeros(1000), np.full(1000, 0.5), ax=ax)  # half as wide as it should
    levels, observed = data(ax.lines[1])
    np.testing.assert_allclose(
        observed, 2 * norm.cdf(0.5 * norm.ppf(0.5 + levels / 2)) - 1, atol=5e-3
    )


def test_pit_counts_rows_relative_to_an_honest_model(ax):
    plot.plot_pit(np.array([0.1, 0.1, 0.1, 0.9]), ax=ax, n_bins=2)
    assert [bar.get_height() for bar in ax.patches if bar.get_width() == 0.5] == [1.5, 0.5]
    np.testing.assert_allclose(pit(np.array([1.96]), np.zeros(1), np.ones(1)), 0.975, atol=1e-4)


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
    np.testing.assert_allclose(bars[1][:, 0], [1.5 - 3.92, 1.5 + 3.92])


def test_relevance_has_the_largest_on_top(ax):
    plot.plot_relevance(
        [0.1, 0.7, 0.3], ["a", "a very long name of a column", "c"], ax=ax, n_shown=2
    )
    assert [bar.get_width() for bar in ax.patches] == [0.7, 0.3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a very long name …", "c"]
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
    np.testing.assert_array_equal(data(ax.lines[0]), ([0, 1], mean))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["no", "yes"]
    bars = [c for c in ax.collections if len(c.get_segments()) == 2]
    np.testing.assert_array_equal(bars[0].get_segments()[1][:, 1], [1.5, 2.25])


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
