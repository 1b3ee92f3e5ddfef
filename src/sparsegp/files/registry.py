"""The classes that a model file may hold: these, and no others.

A new kernel, likelihood or transform that is a dataclass needs one more line here. The keys are the
names in files, which stay what they are when a class or a field is renamed.
"""

from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as sk

from sparsegp import kernels, likelihoods
from sparsegp.arrays import Triangle
from sparsegp.exceptions import CannotSaveError
from sparsegp.files import shapes
from sparsegp.files.factors import parts_of_triangle, triangle_of
from sparsegp.files.packed_triangles import LOWER, SYMMETRIC, UPPER
from sparsegp.files.random_states import parts_of_random_state, random_state_of
from sparsegp.files.recipes import Recipe, attributes, dataclass_recipe, estimator_like
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.streams.config import StreamConfig, StreamSettings
from sparsegp.learning.streams.tasks import ClassTask, RegressionTask
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.noise.predictive import MeanDependentNoise, Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.online.deletion_scores import DeletionScores
from sparsegp.online.learn import Rule
from sparsegp.online.recursion import Online
from sparsegp.online.running_scale import RunningScale
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, Straight, YeoJohnson
from sparsegp.tables.transforms.quantiles import QuantileMap
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warp, Warps

__all__ = ["TRANSFORMS", "recipe_for", "recipe_named"]

KERNELS = (
    *(kernels.RBF, kernels.Matern, kernels.RationalQuadratic, kernels.Linear, kernels.Periodic),
    *(kernels.Constant, kernels.Categorical, kernels.OnColumns, kernels.Sum, kernels.Product),
    kernels.Auto,
)
LIKELIHOODS = (
    *(likelihoods.Gaussian, likelihoods.LaplaceNoise, likelihoods.StudentT, likelihoods.OneSided),
    *(likelihoods.Poisson, likelihoods.Probit, likelihoods.Shifted),
)
# A parameter of an estimator comes back as it was given: also an expression of scikit-learn.
SKLEARN_KERNELS = (
    *(sk.Sum, sk.Product, sk.ConstantKernel, sk.WhiteKernel, sk.RBF, sk.Matern),
    *(sk.RationalQuadratic, sk.DotProduct, sk.ExpSineSquared),
)
TRANSFORMS = (Scaling, Columns, Warps)
PLAIN = (
    *(Approximation, Calibration, Parameters, ClassParameters, ClassFit),
    *(Rule, StreamSettings, RegressionTask, ClassTask, RunningScale),
    *(Straight, Logarithm),
)


RECIPES: dict[str, Recipe] = {
    **{kind.__name__: dataclass_recipe(kind) for kind in (*KERNELS, *LIKELIHOODS, *PLAIN)},
    **{f"sklearn.{kind.__name__}": estimator_like(kind) for kind in SKLEARN_KERNELS},
    **{kind.__name__: dataclass_recipe(kind, shapes.check_transform) for kind in TRANSFORMS},
    "QuantileMap": dataclass_recipe(QuantileMap, shapes.check_quantile_map),
    "Warp": dataclass_recipe(Warp, shapes.check_warp),
    "Triangle": Recipe(Triangle, parts_of_triangle, triangle_of, {"L": LOWER}),
    "Basis": dataclass_recipe(Basis, shapes.check_basis),
    "Posterior": dataclass_recipe(Posterior, shapes.check_posterior),
    "YeoJohnson": dataclass_recipe(YeoJohnson, in_file={"scale": "spread"}),
    "SinhArcsinh": dataclass_recipe(SinhArcsinh, in_file={"scale": "spread"}),
    "Noise": dataclass_recipe(Noise, in_file={"log_noise": "spread"}),
    "Level": dataclass_recipe(MeanDependentNoise, in_file={"scale": "spread"}),
    "SetUp": dataclass_recipe(StreamConfig),
    "Spread": dataclass_recipe(LogNoiseGP, shapes.check_log_noise_gp),
    "Tails": dataclass_recipe(NoiseDistribution, shapes.check_tails),
    "MeanOnly": dataclass_recipe(MeanOnly, shapes.check_mean_only),
    "Sites": dataclass_recipe(Sites, shapes.check_sites),
    "Online": dataclass_recipe(
        Online,
        shapes.check_online,
        in_file={"deletion_scores": "ledger"},
        Sigma=UPPER,
        Q=UPPER,
        K_zz=SYMMETRIC,
    ),
    "Ledger": dataclass_recipe(DeletionScores, shapes.check_ledger, P=UPPER),
    "Stream": attributes(Stream, shapes.check_stream),
    "RandomState": Recipe(np.random.RandomState, parts_of_random_state, random_state_of),
}

_NAMES = {recipe.kind: name for name, recipe in RECIPES.items()}


def recipe_named(name: str) -> Recipe:
    """Return the recipe of a class by its name in a file."""
    if name not in RECIPES:
        raise ValueError(f"it holds an object of an unknown class {name[:80]!r}")
    return RECIPES[name]


def recipe_for(value: Any, path: str) -> tuple[str, Recipe]:
    """Return name and recipe of an object; a subclass is another class."""
    name = _NAMES.get(type(value))
    if name is None:
        raise CannotSaveError(f"cannot save {path}={value!r}: {_why_not(value)}")
    return name, RECIPES[name]


def _why_not(value: Any) -> str:
    if isinstance(value, kernels.Kernel):
        return "a model file holds kernels of sparsegp.kernels only, not one of your own"
    if isinstance(value, likelihoods.OwnDensity):
        return "it integrates a function, and a model file holds no code"
    if hasattr(value, "confront"):
        return "a model file holds likelihoods of sparsegp.likelihoods only, not one of your own"
    return f"a model file holds numbers and texts, not a {type(value).__name__}"
