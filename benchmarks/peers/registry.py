"""Who is compared: environments with pinned versions, and each peer with its settings.

Settings are what the authors of a peer recommend, or the better of a few. They are part of what a
run is known by: a run with other settings is another run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "CLASSIFICATION",
    "DISCRETE",
    "ENVIRONMENTS",
    "OURS",
    "OURS_IN_TIME",
    "OURS_PLAIN",
    "PEERS",
    "REGRESSION",
    "SGPR",
    "SVGP",
    "Environment",
    "Peer",
]

REGRESSION = (
    *("kin40k", "pol", "bike", "protein_w", "keggdirected", "calhouse", "house8l", "house16h"),
    *("cpuact", "bank32nh", "houseelectric"),
)
CLASSIFICATION = ("banana", "waveform", "twonorm", "ringnorm", "splice", "image")
#: Sets whose targets take a few values only, so that 95 % intervals cannot be exact.
DISCRETE = ("pol", "cpuact")


@dataclass(frozen=True)
class Environment:
    """What pip installs, and what must then be importable."""

    requirements: tuple[str, ...]
    modules: tuple[str, ...]


#: torch is pinned to a version of which the index has a build for processors alone.
ENVIRONMENTS = {
    "gpytorch": Environment(
        ("torch==2.13.0", "gpytorch==1.15.2", "linear-operator==0.6.1", "numpy==2.4.6"),
        ("torch", "gpytorch"),
    ),
    "lightgbm": Environment(
        ("lightgbm==4.7.0", "numpy==2.4.6", "scipy==1.17.1"),
        ("lightgbm",),
    ),
    "gpboost": Environment(
        ("gpboost==1.8.0", "numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1"),
        ("gpboost",),
    ),
    "gpflow": Environment(
        ("gpflow==2.11.2", "tensorflow==2.21.0", "tf-keras==2.21.0", "numpy==1.26.4"),
        ("tensorflow", "gpflow"),
    ),
    "gpy": Environment(
        ("GPy==1.15.0", "paramz==0.10.0", "numpy==2.4.6", "scipy==1.17.1"),
        ("GPy",),
    ),
}


@dataclass(frozen=True)
class Peer:
    """A way to learn from rows: where and how it runs, and when its turn is.

    Runs of several settings are rungs of a ladder for us. For others they are tries, of which the
    one with the best density on the test rows counts, with the seconds of that one alone.
    """

    name: str
    worker: str  # a module of ``workers``
    environment: str | None  # None: the one that runs the command
    runs: tuple[Mapping[str, Any], ...]
    regression: bool = False
    classification: bool = False
    stage: int = 1  # earlier stages run first, on all sets
    how: str = ""  # what the settings do not say

    def bears(self, name: str) -> bool:
        """Tell whether it runs on a set."""
        return self.regression if name in REGRESSION else self.classification


OURS, OURS_IN_TIME, OURS_PLAIN = "sparsegp", "sparsegp in time", "sparsegp plain"
SGPR, SVGP = "GPyTorch SGPR", "GPyTorch SVGP"

LADDER = (50, 100, 200, 500, 1000, 1500)
CLASS_LADDER = (20, 40, 80, 160, 320)
#: Seconds that a fit is given: four in each doubling up to 8, then two.
LIMITS = (1.0, 1.2, 1.4, 1.7, 2.0, 2.4, 2.8, 3.4, 4.0, 4.8, 5.6, 6.7, 8.0, 11.0, 16.0)
CLASS_LIMITS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
PLAIN = {"kernel": None, "transform_X": "standard", "transform_y": "standard"}
_SGPR = {"n_inducing": 500, "steps": 100, "rate": 0.1}
_SVGP = {"n_inducing": 500, "epochs": 50, "most_steps": 6000, "batch": 1024, "rate": 0.01}
_SVGP_LABELS = {"n_inducing": 320, "epochs": 100, "batch": 256, "rate": 0.02}
_SVGP_HOW = "RBF with ARD, Adam on batches with a cosine decay, float32, denormals flushed"
_LBFGS = {"n_inducing": 500, "iterations": 100}


def _our_ladders(sizes: Sequence[int], limits: Sequence[float], **about: Any) -> Iterator[Peer]:
    """Yield what climbs basis sizes, and what climbs seconds for the largest of them."""
    in_time = tuple({"max_basis": sizes[-1], "time_limit": seconds} for seconds in limits)
    for name, runs in ((OURS, tuple({"max_basis": m} for m in sizes)), (OURS_IN_TIME, in_time)):
        yield Peer(name, "sparsegp_ours", None, runs, **about)


#: In the order in which they run: what tells most comes first.
PEERS = (
    *_our_ladders(LADDER, LIMITS, regression=True, how="everything else at its default"),
    Peer(
        SGPR,
        "gpytorch_sgpr",
        "gpytorch",
        ({**_SGPR, "start": "sqrt_d"}, {**_SGPR, "start": "library"}),
        regression=True,
        how="RBF with ARD, Adam on all rows, float32 (float64 where that fails), denormals flushed",
    ),
    *_our_ladders(
        CLASS_LADDER,
        CLASS_LIMITS,
        classification=True,
        how="everything else at its default; splice: a column for each letter at each place",
        stage=2,
    ),
    Peer(
        SVGP,
        "gpytorch_svgp",
        "gpytorch",
        ({**_SVGP_LABELS, "start": "half_sqrt_d"},),
        classification=True,
        how=f"probit; {_SVGP_HOW}",
        stage=2,
    ),
    Peer(
        OURS_PLAIN,
        "sparsegp_ours",
        None,
        tuple({"max_basis": m, **PLAIN} for m in LADDER),
        regression=True,
        how="an RBF with ARD, no choice of kernel or transforms",
        stage=3,
    ),
    Peer(
        "LightGBM",
        "lightgbm_trees",
        "lightgbm",
        ({},),
        regression=True,
        classification=True,
        how="learning rate 0.05, the best of 31, 63 and 127 leaves, early stopping on a tenth of "
        "the rows, whose errors give its one variance",
        stage=3,
    ),
    Peer(
        "scikit-learn GP",
        "sklearn_gp",
        None,
        ({"most_rows": 2000, "most_gb": 2, "most_scales": 60},),
        regression=True,
        classification=True,
        how="exact, RBF with ARD (one length scale for more columns), on a random subset",
        stage=3,
    ),
    Peer(
        SVGP,
        "gpytorch_svgp",
        "gpytorch",
        ({**_SVGP, "start": "sqrt_d"},),
        regression=True,
        how=_SVGP_HOW,
        stage=3,
    ),
    Peer(
        "GPBoost FITC",
        "gpboost_gp",
        "gpboost",
        ({**_LBFGS, "approximation": "fitc", "covariance": "gaussian_ard"},),
        regression=True,
        classification=True,
        how="its own start, optimiser and choice of inducing inputs; labels: probit",
        stage=4,
    ),
    Peer(
        "GPBoost VIF",
        "gpboost_gp",
        "gpboost",
        (
            {
                "approximation": "full_scale_vecchia",
                "covariance": "matern_ard",
                "shape": 1.5,
                "n_inducing": 200,
                "iterations": 100,
            },
        ),
        regression=True,
        classification=True,
        how="inducing inputs and Vecchia neighbours, both by its own defaults; labels: probit",
        stage=4,
    ),
    Peer(
        "GPflow SGPR",
        "gpflow_sgpr",
        "gpflow",
        ({**_LBFGS, "start": "sqrt_d"},),
        regression=True,
        how="RBF with ARD, L-BFGS, float64",
        stage=5,
    ),
    Peer(
        "GPy sparse",
        "gpy_sparse",
        "gpy",
        (_LBFGS,),
        regression=True,
        how="RBF with ARD, length scales begin at √D, L-BFGS",
        stage=5,
    ),
)
