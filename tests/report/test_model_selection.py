"""What the page says of kernels and inference that were tried."""

from types import SimpleNamespace

from sparsegp import SparseGPClassifier
from sparsegp.report.basis_size import _sizes
from sparsegp.report.model_selection import model_selection_section

TRIED = [
    {"phase": "kernel: RBF on 90 rows", "log_evidence": -7.0, "score": -9.0},
    {"phase": "kernel", "kernel": "RBF"},
]


def paragraphs(*further):
    model = SimpleNamespace(history_=[*TRIED, *further])
    section = model_selection_section(SimpleNamespace(model=model, n_neighbors=0))
    return " ".join(section.paragraphs)


def test_a_regression_on_labels_has_its_own_kernel():
    sites, numbers = (
        {"phase": "choice of inference", "chosen": name} for name in ("ep", "least_squares")
    )
    assert "kernel is RBF" in paragraphs() and "kernel is RBF" in paragraphs(sites)
    assert "regression on the labels" not in paragraphs(sites)
    told = paragraphs(numbers, {"phase": "kernel", "kernel": "Matern 1/2"})
    assert "kernel is Matern 1/2" in told and "preferred a regression on the labels" in told


def test_the_size_of_a_basis_is_that_of_the_chosen_inference():
    model = SparseGPClassifier()
    model.history_ = []
    assert "more than two classes" in _sizes(model)
    model.history_ = [{"phase": "choice of inference", "chosen": "least_squares"}]
    assert "regression on the labels" in _sizes(model) and "classes" not in _sizes(model)
