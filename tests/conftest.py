"""Profiles of the property tests: ``ci`` by default, ``explore`` by HYPOTHESIS_PROFILE.

``ci`` draws the same few cases in every run, so that a red build can be repeated anywhere.
``explore`` draws new cases each time, and more of them; hypothesis prints how to repeat a failure.
"""

from pathlib import Path

import pytest
from hypothesis import settings

from sparsegp.learning.classes import policy as classes
from tests.property_settings import PROFILE, cases

settings.register_profile("ci", cases(15, deadline=None, derandomize=True))
settings.register_profile("explore", cases(40, deadline=None, derandomize=False, print_blob=True))
settings.load_profile(PROFILE)


#: Folders whose tests are about what a model is asked and what it writes, not how well it fits.
QUICK_FOLDERS = {
    *("docs", "cli", "report", "contract", "plot", "interop", "estimators"),
    *("files", "backends", "benchmarks"),
}

#: Modules there that do ask it.
FITS_WELL = {
    *("test_real_data", "test_classifier_choices", "test_kernel_choice"),
    *("test_time_limit", "test_small_runs", "test_scale"),
}


#: Modules that compare optima, of more rows than a short search sees.
CONVERGES = {
    *("test_sklearn_checks", "test_regressor_objective", "test_online_weights"),
    *("test_classifier_api", "test_classifier_candidates"),
}

#: Modules there with small tables that ask what is chosen for few rows.
CHOOSES_FOR_FEW_ROWS = {"test_few_rows"}

#: Elsewhere in these folders nothing is chosen for tables of fewer rows than these.
FEW_ROWS = 100

#: Rows of a subset and evaluations there, in place of the stages of a search.
SHORT_STAGES = ((250, 40),)


@pytest.fixture(autouse=True, scope="module")
def short_searches(request):
    """Let models be chosen by fewer rows, and classes learned in fewer steps, in some folders."""
    folder = request.path.relative_to(Path(__file__).parent).parts[0]
    with pytest.MonkeyPatch.context() as patch:
        if folder in QUICK_FOLDERS and request.path.stem not in FITS_WELL:
            _shorten(patch, stages=request.path.stem not in CONVERGES)
            if request.path.stem not in CHOOSES_FOR_FEW_ROWS:
                _keep_few_rows_plain(patch)
        yield


@pytest.fixture
def short_choices(monkeypatch):
    """Do the same in one test."""
    _shorten(monkeypatch)


def _keep_few_rows_plain(patch):
    patch.setattr("sparsegp.learning.structure.policy.MIN_ROWS_TO_CHOOSE", FEW_ROWS)
    patch.setattr("sparsegp.learning.classes.policy.MIN_ROWS_OF_FOLDS", FEW_ROWS)


def _shorten(patch, *, stages=True):
    patch.setattr("sparsegp.learning.structure.search.sizes_within", _quarter)
    if stages:
        patch.setattr("sparsegp.learning.hyperparameters.policy.SUBSET_STAGES", SHORT_STAGES)
        for user in ("classes.label_targets", "streams.tasks"):
            patch.setattr(f"sparsegp.learning.{user}.SHORT_STAGES", SHORT_STAGES)
    for name in ("EVALUATIONS", "EVALUATIONS_OF_MANY_COORDINATES", "EVALUATIONS_OF_A_FOLD"):
        most = getattr(classes, name)
        patch.setattr(f"sparsegp.learning.classes.policy.{name}", most // (8 if stages else 4))


def _quarter(sizes, evaluation, budget):
    """Return smaller sizes than these, and the share of a search."""
    return tuple(max(size // 4, 100) for size in sizes), 0.3
