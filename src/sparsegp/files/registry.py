"""The classes that a model file may contain: these, and no others.

A new kernel, likelihood or transform that is a dataclass needs one more line here. The keys are the
names in files. They stay the same when a class or a field is renamed; ``in_file`` maps renamed
fields. ``tests/files/test_format_names.py`` holds the list of all names.
"""

from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as sk

from sparsegp import kernels, likelihoods
from sparsegp.arrays import Triangle
from sparsegp.exceptions import CannotSaveError
from sparsegp.files import shape_checks as check
from sparsegp.files import stream_checks as streams
from sparsegp.files.packed_triangles import LOWER, SYMMETRIC, UPPER
from sparsegp.files.random_states import random_state_from_parts, random_state_parts
from sparsegp.files.serializers import (
    Serializer,
    dataclass_serializer,
    params_serializer,
)
from sparsegp.files.stream_parts import stream_from_parts, stream_parts
from sparsegp.files.triangular_factors import triangle_from_parts, triangle_parts
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.predictions import BasisAlone
from sparsegp.learning.streams.config import StreamConfig, StreamSettings
from sparsegp.learning.streams.lags import History, Lags
from sparsegp.learning.streams.model import StreamModel
from sparsegp.learning.streams.rivalry import Rivalry
from sparsegp.learning.streams.tasks import ClassTask, RegressionTask
from sparsegp.learning.streams.watch import Recent, Watch
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.noise.predictive import MeanDependentNoise, Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.target_mean import TargetMean
from sparsegp.online.deletion_scores import DeletionScores
from sparsegp.online.forgetting import Memory
from sparsegp.online.label_scale import LabelScale
from sparsegp.online.last_value import LastValue
from sparsegp.online.learn import Rule
from sparsegp.online.recursion import Online
from sparsegp.online.running_scale import RunningScale
from sparsegp.online.running_tails import RunningTails
from sparsegp.tables.encoding import ColumnEncoding, TableEncoding
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, Straight, YeoJohnson
from sparsegp.tables.transforms.quantiles import QuantileMap
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warp, Warps

__all__ = ["TRANSFORMS", "serializer_for", "serializer_named"]

KERNELS = (
    *(kernels.RBF, kernels.Matern, kernels.RationalQuadratic, kernels.Linear, kernels.Periodic),
    *(kernels.Constant, kernels.Categorical, kernels.OnColumns, kernels.Sum, kernels.Product),
    *(kernels.Auto, kernels.OneHot),
)
LIKELIHOODS = (
    *(likelihoods.Gaussian, likelihoods.LaplaceNoise, likelihoods.StudentT, likelihoods.OneSided),
    *(likelihoods.GaussianMixture, likelihoods.Poisson, likelihoods.Probit, likelihoods.Shifted),
    likelihoods.NoisyProbit,
)
# A parameter of an estimator is restored as it was given, which may be a scikit-learn kernel.
SKLEARN_KERNELS = (
    *(sk.Sum, sk.Product, sk.ConstantKernel, sk.WhiteKernel, sk.RBF, sk.Matern),
    *(sk.RationalQuadratic, sk.DotProduct, sk.ExpSineSquared),
)
TRANSFORMS = (Scaling, Columns, Warps)
UNCHECKED = (
    *(Approximation, BasisAlone, Parameters, ClassParameters),
    *(Rule, StreamSettings, RegressionTask, ClassTask, RunningScale, Memory, History),
    *(StreamModel, Rivalry, LabelScale, LastValue, RunningTails),
    *(Straight, Logarithm),
)


SERIALIZERS: dict[str, Serializer] = {
    **{kind.__name__: dataclass_serializer(kind) for kind in (*KERNELS, *LIKELIHOODS, *UNCHECKED)},
    **{f"sklearn.{kind.__name__}": params_serializer(kind) for kind in SKLEARN_KERNELS},
    **{kind.__name__: dataclass_serializer(kind, check.check_transform) for kind in TRANSFORMS},
    "ClassFit": dataclass_serializer(ClassFit, may_be_infinite=("log_evidence",)),
    "Lags": dataclass_serializer(Lags, streams.check_lags),
    "Recent": dataclass_serializer(Recent, streams.check_recent),
    "Watch": dataclass_serializer(Watch, may_be_infinite=("best",)),
    "QuantileMap": dataclass_serializer(QuantileMap, check.check_quantile_map),
    "Warp": dataclass_serializer(Warp, check.check_warp),
    "Triangle": Serializer(Triangle, triangle_parts, triangle_from_parts, {"L": LOWER}),
    "Basis": dataclass_serializer(Basis, check.check_basis),
    "Posterior": dataclass_serializer(Posterior, check.check_posterior),
    "Rows": dataclass_serializer(Rows, check.check_rows),
    "NeighbourPosterior": dataclass_serializer(NeighbourPosterior, check.check_neighbour_posterior),
    "TargetMean": dataclass_serializer(TargetMean, check.check_target_mean),
    "Calibration": dataclass_serializer(Calibration, check.check_calibration),
    "YeoJohnson": dataclass_serializer(YeoJohnson, in_file={"scale": "spread"}),
    "SinhArcsinh": dataclass_serializer(SinhArcsinh, in_file={"scale": "spread"}),
    "Noise": dataclass_serializer(Noise, in_file={"log_noise": "spread"}),
    "Level": dataclass_serializer(MeanDependentNoise, in_file={"scale": "spread"}),
    "SetUp": dataclass_serializer(StreamConfig),
    "Spread": dataclass_serializer(LogNoiseGP, check.check_log_noise_gp),
    "Tails": dataclass_serializer(NoiseDistribution, check.check_noise_distribution),
    "MeanOnly": dataclass_serializer(MeanOnly, check.check_mean_only),
    "Sites": dataclass_serializer(Sites, check.check_sites),
    "Online": dataclass_serializer(
        Online,
        streams.check_online,
        in_file={"deletion_scores": "ledger"},
        Sigma=UPPER,
        Q=UPPER,
        K_zz=SYMMETRIC,
    ),
    "Ledger": dataclass_serializer(DeletionScores, streams.check_deletion_scores, P=UPPER),
    "TableEncoding": dataclass_serializer(TableEncoding, check.check_table_encoding),
    "ColumnEncoding": dataclass_serializer(ColumnEncoding, ColumnEncoding.check),
    "Stream": Serializer(Stream, stream_parts, stream_from_parts),
    "RandomState": Serializer(np.random.RandomState, random_state_parts, random_state_from_parts),
}

_NAMES = {serializer.kind: name for name, serializer in SERIALIZERS.items()}


def serializer_named(name: str) -> Serializer:
    """Return the serializer of a class by its name in a file."""
    if name not in SERIALIZERS:
        raise ValueError(f"it contains an object of the unknown class {name[:80]!r}")
    return SERIALIZERS[name]


def serializer_for(value: Any, path: str) -> tuple[str, Serializer]:
    """Return name and serializer of an object; a subclass is a different class."""
    name = _NAMES.get(type(value))
    if name is None:
        raise CannotSaveError(f"cannot save {path}={value!r}: {_reason(value)}")
    return name, SERIALIZERS[name]


def _reason(value: Any) -> str:
    if isinstance(value, kernels.Kernel):
        return "a model file can only contain kernels of sparsegp, not user-defined ones"
    if isinstance(value, likelihoods.OwnDensity):
        return "it integrates a user-defined function, and a model file contains no code"
    if hasattr(value, "moment_match"):
        return "a model file can only contain likelihoods of sparsegp, not user-defined ones"
    return f"a model file contains numbers and strings, not a {type(value).__name__}"
