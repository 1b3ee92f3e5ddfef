"""Kernels print as people write them, and evaluate to themselves."""

import numpy as np
import pytest

from sparsegp import kernels
from sparsegp.kernels import (
    RBF,
    Auto,
    Categorical,
    Constant,
    Linear,
    Matern,
    OnColumns,
    Periodic,
    RationalQuadratic,
)
from sparsegp.kernels.named import KERNEL_NAMES, named_kernel

EXPRESSIONS = {
    "9.0 * RBF([8.4, 1.2]) + 0.3 * Linear(1.0)": 9.0 * RBF([8.4, 1.2]) + 0.3 * Linear(),
    "2.0 * Matern(0.5, nu=2.5)": 2.0 * Matern(0.5, nu=2.5),
    "RationalQuadratic(3.0, alpha=0.5)": RationalQuadratic(3.0, alpha=0.5),
    "Periodic(1.0, period=[2.0, 3.0])": Periodic(1.0, (2.0, 3.0)),
    "(RBF(1.0) + 0.1) * Linear(2.0)": (RBF() + 0.1) * Linear(2.0),
    "RBF(1.0) * (Linear(1.0) * Matern(1.0, nu=1.5))": RBF() * (Linear() * Matern()),
    "RBF(1.0) + (Linear(1.0) + 0.5)": RBF() + (Linear() + 0.5),
    "Constant(2.0) + 3.0": Constant(2.0) + 3.0,
    "Constant(2.0) * 3.0 * RBF(1.0)": Constant(2.0) * 3.0 * RBF(),
    "Constant(4.0)": Constant(4.0),
    "OnColumns(RBF([1.0, 2.0]), [0, 2]) * OnColumns(Categorical(4.0), ['city'])": OnColumns(
        RBF((1.0, 2.0)), [0, 2]
    )
    * OnColumns(Categorical(4.0), "city"),
    "OnColumns(Auto(), [1])": OnColumns(Auto(), 1),
    "RBF([0.5] * 12)": RBF((0.5,) * 12),
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_printed_kernel_is_an_expression_of_the_same_kernel(text):
    kernel = EXPRESSIONS[text]
    assert repr(kernel) == text
    assert eval(text, vars(kernels).copy()) == kernel


def test_learned_numbers_have_three_figures_and_bounds_are_left_out():
    kernel = Constant(8.98765, (0.1, 10.0)) * RBF((0.0123456, 123456.0), "fixed")
    assert repr(kernel) == "8.99 * RBF([0.0123, 123000.0])"


def test_many_length_scales_are_abbreviated():
    text = repr(RBF(tuple(np.arange(1.0, 101.0))))
    assert text == "RBF([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, ..., 100.0])"


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_named_kernels_have_unit_variance_at_a_typical_row(name):
    X = np.random.default_rng(0).normal(size=(2_000, 3))
    variance = np.mean(named_kernel(name, (1.0,) * 3, 3).diagonal(X))
    assert variance == pytest.approx(2.0 if name == "linear" else 1.0, rel=0.05)
