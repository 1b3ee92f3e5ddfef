import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from sparsegp.exceptions import KernelTranslationError
from sparsegp.kernels import (
    RBF,
    Constant,
    Linear,
    Matern,
    Periodic,
    Product,
    RationalQuadratic,
    Sum,
    from_sklearn,
)


@pytest.mark.parametrize(
    ("expression", "kernel"),
    [
        (sk.RBF([1.0, 2.0], (0.1, 10.0)), RBF((1.0, 2.0), (0.1, 10.0))),
        (sk.RBF(3.0, "fixed"), RBF(3.0, "fixed")),
        (sk.Matern(2.0, (0.5, 5.0), nu=2.5), Matern(2.0, (0.5, 5.0), nu=2.5)),
        (sk.Matern(2.0, (0.5, 5.0), nu=np.inf), RBF(2.0, (0.5, 5.0))),
        (
            sk.RationalQuadratic(2.0, 0.5, "fixed", (0.1, 1.0)),
            RationalQuadratic(2.0, "fixed", 0.5, (0.1, 1.0)),
        ),
        (sk.ConstantKernel(2.0, "fixed"), Constant(2.0, "fixed")),
        (
            sk.ExpSineSquared(0.8, 2.5, (0.1, 1.0), "fixed"),
            Periodic(0.8, 2.5, (0.1, 1.0), "fixed"),
        ),
        (
            sk.DotProduct(2.0, (0.5, 3.0)),
            Sum(Constant(4.0, (0.25, 9.0)), Linear(1.0, "fixed")),
        ),
        (sk.DotProduct(2.0, "fixed"), Sum(Constant(4.0, "fixed"), Linear(1.0, "fixed"))),
        (sk.DotProduct(0.0, "fixed"), Linear(1.0, "fixed")),
        (
            sk.ConstantKernel(2.0, (0.1, 9.0)) * sk.RBF(3.0, (0.1, 9.0)),
            Product(Constant(2.0, (0.1, 9.0)), RBF(3.0, (0.1, 9.0))),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_parameters_and_bounds_are_kept(expression, kernel):
    assert from_sklearn(expression) == (kernel, None, None)


@pytest.mark.parametrize(
    "expression",
    [
        sk.RBF() + sk.WhiteKernel(0.3, (0.1, 1.0)),
        sk.WhiteKernel(0.3, (0.1, 1.0)) + sk.RBF(),
    ],
    ids=str,
)
def test_a_white_kernel_becomes_the_noise(expression):
    kernel, noise_variance, noise_bounds = from_sklearn(expression)
    assert (type(kernel), noise_variance, noise_bounds) == (RBF, 0.3, (0.1, 1.0))


def test_noise_deep_in_a_sum_is_found():
    kernel, noise_variance, _ = from_sklearn((sk.RBF() + sk.WhiteKernel(0.3)) + sk.Matern())
    assert noise_variance == 0.3
    assert kernel == Sum(RBF(1.0, (1e-5, 1e5)), Matern(1.0, (1e-5, 1e5)))


def test_fixed_noise_stays_fixed():
    assert from_sklearn(sk.RBF() + sk.WhiteKernel(0.3, "fixed")).noise_bounds == "fixed"


@pytest.mark.parametrize(("second", "bounds"), [("fixed", "fixed"), ((0.1, 1.0), None)])
def test_two_white_kernels_add_up(second, bounds):
    noises = sk.WhiteKernel(0.25, "fixed") + sk.WhiteKernel(0.5, second)
    translation = from_sklearn(noises + sk.RBF())
    assert translation.noise_variance == 0.75
    assert translation.noise_bounds == bounds


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        (sk.RBF() + sk.PairwiseKernel(), "PairwiseKernel"),
        (2.0 * sk.Exponentiation(sk.RBF(), 2), "Exponentiation"),
        (sk.CompoundKernel([sk.RBF()]), "CompoundKernel"),
        (sk.RBF() * sk.WhiteKernel(0.7), r"WhiteKernel\(noise_level=0.7\) stands inside a product"),
        (2.0 * (sk.RBF() + sk.WhiteKernel(0.7)), "WhiteKernel.*inside a product"),
        (sk.WhiteKernel(0.7), "WhiteKernel.*is noise only"),
        (sk.WhiteKernel(0.7) + sk.WhiteKernel(0.2), "is noise only"),
        (sk.RBF() + sk.Matern(nu=0.7), "nu must be 0.5, 1.5, 2.5 or inf, got 0.7"),
        ("rbf", "no counterpart for str"),
        (None, "no counterpart for NoneType"),
    ],
    ids=str,
)
def test_what_cannot_be_translated_is_named(expression, named):
    with pytest.raises(KernelTranslationError, match=named):
        from_sklearn(expression)


def test_a_translation_error_is_a_value_error():
    assert issubclass(KernelTranslationError, ValueError)


def test_bounds_for_each_column_are_refused_by_name():
    with pytest.raises(ValueError, match=r"length_scale_bounds of RBF must be .*got"):
        from_sklearn(sk.RBF([1.0, 2.0], [(0.1, 1.0), (0.2, 2.0)]))
