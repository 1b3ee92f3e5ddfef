"""Covariance functions: immutable values that can be added, multiplied and learned.

>>> from sparsegp.kernels import RBF, Constant
>>> kernel = 2.0 * RBF([1.0, 3.0]) + 0.1
>>> kernel
2.0 * RBF([1.0, 3.0]) + 0.1
>>> kernel.parameter_names
('left.left.value', 'left.right.length_scale[0]', 'left.right.length_scale[1]', 'right.value')
"""

from sparsegp.kernels.auto import Auto
from sparsegp.kernels.base import Kernel
from sparsegp.kernels.categorical import Categorical
from sparsegp.kernels.columns import OnColumns
from sparsegp.kernels.composite import Product, Sum
from sparsegp.kernels.constant import Constant
from sparsegp.kernels.from_sklearn import from_sklearn
from sparsegp.kernels.linear import Linear
from sparsegp.kernels.one_hot import OneHot
from sparsegp.kernels.periodic import Periodic
from sparsegp.kernels.stationary import RBF, Matern, RationalQuadratic

__all__ = [
    "RBF",
    "Auto",
    "Categorical",
    "Constant",
    "Kernel",
    "Linear",
    "Matern",
    "OnColumns",
    "OneHot",
    "Periodic",
    "Product",
    "RationalQuadratic",
    "Sum",
    "from_sklearn",
]
