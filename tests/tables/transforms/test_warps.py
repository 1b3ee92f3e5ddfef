import numpy as np
from hypothesis import given

from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, Straight
from sparsegp.tables.transforms.scaling import fit_scaling
from sparsegp.tables.transforms.warps import fit_warps
from tests.oracles.warped import TARGETS, warps


@given(warps())
def test_targets_become_standard(drawn):
    warp, y = drawn
    z = warp.apply(y)
    assert abs(np.mean(z)) < 1e-6 * (1.0 + np.max(np.abs(z)))
    if np.ptp(y) > 0.0:
        np.testing.assert_allclose(np.std(z), 1.0, rtol=1e-6)


@given(warps())
def test_ten_ranges_outside_nothing_is_infinite_and_everything_comes_back(drawn):
    warp, y = drawn
    reach = 10.0 * (np.ptp(y) or 1.0)
    far = np.linspace(y.min() - reach, y.max() + reach, 501)
    if isinstance(warp.curve, Logarithm):
        far = far[far > 0.0]
    z = warp.apply(far)
    assert np.all(np.isfinite(z)) and np.all(np.diff(z) >= 0.0)
    slopes = np.exp(warp.log_slope(far))  # where it is flat, rounding of z moves y
    rounding = 1e-13 * (np.max(np.abs(z)) + 1.0) / slopes + 1e-9 * (np.abs(far) + reach)
    assert np.all(np.abs(warp.invert(z) - far) <= rounding)


@given(warps())
def test_beyond_the_targets_it_turns_straight_smoothly(drawn):
    warp, y = drawn
    reach = np.ptp(y) or 1.0
    ends = y.max() + reach * np.array([0.0, 1e-9, 1e3, 1e4])
    at_end, beyond, far, further = warp.log_slope(ends)
    np.testing.assert_allclose(at_end, beyond, atol=1e-3)
    np.testing.assert_allclose(far, further, atol=0.02)
    if np.ptp(y) > 0.0:
        whole = np.log(np.ptp(warp.apply(np.array([y.min(), y.max()]))) / np.ptp(y))
        assert far >= whole - 0.02  # dy/dz is no more than over all targets


@given(warps())
def test_slope_is_that_of_the_map(drawn):
    warp, y = drawn
    reach = np.ptp(y) or 1.0
    at = np.array([y.min() - 3.0 * reach, np.median(y) + 0.01 * reach, y.max() + 0.2 * reach])
    if isinstance(warp.curve, Logarithm):
        at = at[1:]
    h = 1e-6 * reach
    slope = (warp.apply(at + h) - warp.apply(at - h)) / (2.0 * h)
    np.testing.assert_allclose(np.exp(warp.log_slope(at)), slope, rtol=1e-3)


def test_a_straight_warp_is_the_scaling():
    y = TARGETS[2](np.random.default_rng(0), 50)[:, None]
    straight, scaling = fit_warps(y, None, [Straight()]), fit_scaling(y, None, "standard")
    np.testing.assert_allclose(straight.apply(y), scaling.apply(y), atol=1e-12)
    np.testing.assert_allclose(straight.log_slope(y), scaling.log_slope(y), atol=1e-12)


def test_a_constant_target_has_a_slope_all_the_same():
    warp = fit_warps(np.full((5, 1), 7.0), None, [SinhArcsinh()]).warps[0]
    np.testing.assert_allclose(warp.invert(warp.apply(np.array([6.0, 7.0, 9.0]))), [6.0, 7.0, 9.0])


def test_every_output_has_a_warp_of_its_own():
    rng = np.random.default_rng(0)
    y = np.column_stack((TARGETS[0](rng, 30), TARGETS[1](rng, 30)))
    both = fit_warps(y, None, [SinhArcsinh(tail=0.5), SinhArcsinh(skew=1.0)])
    assert both.apply(y).shape == y.shape
    for i in range(2):
        np.testing.assert_array_equal(both.apply(y)[:, i], both.warps[i].apply(y[:, i]))
    np.testing.assert_allclose(both.invert(both.apply(y)), y, rtol=1e-9)


def test_weights_equal_repeated_rows():
    y, times = np.array([[1.0], [4.0], [2.0]]), np.array([1, 3, 2])
    weighted = fit_warps(y, times.astype(float), [Logarithm()])
    written_out = fit_warps(np.repeat(y, times, axis=0), None, [Logarithm()])
    np.testing.assert_allclose(weighted.apply(y), written_out.apply(y), rtol=1e-12)


def test_there_is_nothing_below_the_domain_of_a_logarithm():
    warp = fit_warps(np.array([[1.0], [2.0]]), None, [Logarithm()]).warps[0]
    assert np.all(warp.apply(np.array([-3.0, 0.0])) == -np.inf)
    assert np.all(warp.log_slope(np.array([-3.0, 0.0])) == -np.inf)
    assert np.all(warp.invert(np.array([-1e3, -1.0])) >= 0.0)
