"""Profiles of the property tests: ``ci`` by default, ``explore`` by HYPOTHESIS_PROFILE.

``ci`` draws the same few cases in every run, so that a red build can be repeated anywhere.
``explore`` draws new cases each time, and more of them; hypothesis prints how to repeat a failure.
"""

import gc
from importlib.util import find_spec
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

#: Folders that draw figures and do not look at them; a module there does, as ``plot`` does: labels
#: of any length have room.
DRAWS = {"benchmarks", "cli", "docs", "report"}
LOOKS_AT_FIGURES = {"test_page"}

#: Modules of quick folders that do ask it, or compare with what other processes write.
FITS_WELL = {
    *("test_real_data", "test_classifier_choices", "test_kernel_choice"),
    *("test_time_limit", "test_small_runs", "test_scale", "test_killed"),
}

#: Modules that ask whether it is about right.
FITS = {
    *("test_fit_predict", "test_noise_kinds", "test_out_of_core_tables", "test_online_drift"),
    *("test_regressor_api", "test_few_rows"),
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

#: Rows of a subset and evaluations there, in place of the stages of a search, and the share of its
#: evaluations that a search for structure has.
SHORT = ((250, 40),), 0.3
SHORTEST = ((250, 15),), 0.1


def pytest_collection_finish():
    """Let the garbage collector pass over all that was imported and collected."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def short_searches(request):
    """Let models be chosen by fewer rows, and classes learned in fewer steps, in some folders."""
    folder, module = _place(request)
    with pytest.MonkeyPatch.context() as patch:
        if folder in QUICK_FOLDERS and module not in FITS_WELL:
            how = SHORT if module in FITS | CONVERGES else SHORTEST
            _shorten(patch, *how, stages=module not in CONVERGES)
            if module not in CHOOSES_FOR_FEW_ROWS:
                _keep_few_rows_plain(patch)
        yield


@pytest.fixture(autouse=True, scope="module")
def plain_layouts(request):
    """Leave out, in some folders, the search for room in a figure: it takes most of the time."""
    folder, module = _place(request)
    with pytest.MonkeyPatch.context() as patch:
        if folder in DRAWS and module not in LOOKS_AT_FIGURES and find_spec("matplotlib"):
            patch.setattr("matplotlib.figure.Figure.set_layout_engine", lambda *_, **__: None)
        yield


@pytest.fixture
def short_choices(monkeypatch):
    """Do the same in one test."""
    _shorten(monkeypatch, *SHORT)


def _keep_few_rows_plain(patch):
    patch.setattr("sparsegp.learning.structure.policy.MIN_ROWS_TO_CHOOSE", FEW_ROWS)
    patch.setattr("sparsegp.learning.classes.policy.MIN_ROWS_OF_FOLDS", FEW_ROWS)


def _place(request):
    """Return the folder of tests and the name of the module."""
    return request.path.relative_to(Path(__file__).parent).parts[0], request.path.stem


def _shorten(patch, subsets, share, *, stages=True):
    def quarter(sizes, evaluation, budget):
        return tuple(max(size // 4, 100) for size in sizes), share

    patch.setattr("sparsegp.learning.structure.search.sizes_within", quarter)
    if stages:
        patch.setattr("sparsegp.learning.hyperparameters.policy.SUBSET_STAGES", subsets)
        for user in ("classes.label_targets", "streams.tasks"):
            patch.setattr(f"sparsegp.learning.{user}.SHORT_STAGES", subsets)
    for name in ("EVALUATIONS", "EVALUATIONS_OF_MANY_COORDINATES", "EVALUATIONS_OF_A_FOLD"):
        most = getattr(classes, name)
        patch.setattr(f"sparsegp.learning.classes.policy.{name}", most // (8 if stages else 4))
