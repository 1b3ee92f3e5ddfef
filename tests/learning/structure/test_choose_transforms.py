"""What is left open is decided as the data are made, and stays out of the way otherwise."""

from types import SimpleNamespace

import numpy as np
import pytest

from sparsegp.kernels import RBF, Categorical, Constant, Kernel, OnColumns
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import search
from sparsegp.learning.structure.candidates import Candidate
from sparsegp.learning.structure.evaluate_candidates import EvaluatedCandidate
from sparsegp.learning.structure.learn_transforms import learn_transforms
from sparsegp.learning.structure.policy import (
    MIN_ROWS_FOR_LOGARITHM,
    MIN_ROWS_TO_CHOOSE,
    MIN_ROWS_TO_HALVE,
)
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.sources.memory import MemoryTable
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

START = Parameters(Constant(1.0) * RBF((0.7, 0.7)), 0.1)


def table(n=400, seed=0):
    """Draw a lognormal column that matters by its logarithm, and a plain one."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal((n, 2))
    f = np.sin(1.5 * u[:, 0]) + 0.5 * u[:, 1]
    X = np.column_stack((np.exp(2.0 * u[:, 0]), u[:, 1]))
    return X, (f + 0.1 * rng.standard_normal(n))[:, None]


def choose(X, y, columns="auto", target="auto", start=START, weight=None, **options):
    kinds = columns if isinstance(columns, tuple) else (columns,) * X.shape[1]
    context, wanted = FitContext(np.random.default_rng(0)), TransformOptions(kinds, target)
    found = learn_transforms(MemoryTable(X, Targets(y, weight)), wanted, start, context, **options)
    return SimpleNamespace(**vars(found), history=context.history.entries)


def test_a_skewed_column_is_bent_and_a_plain_one_is_not():
    prepared = choose(*table())
    assert prepared.columns == ("log", "standard")
    assert isinstance(prepared.inputs, Columns)


@pytest.mark.parametrize(
    ("bend", "allowed"),
    [
        (lambda f: f, {"standard"}),
        (lambda f: 100.0 + 7.0 * f, {"standard"}),
        (lambda f: np.exp(2.0 * f), {"log"}),
        (lambda f: 3.0 - np.exp(-1.5 * f), {"sinh-arcsinh"}),
        (lambda f: np.sinh(3.0 * f), {"sinh-arcsinh"}),
    ],
    ids=["plain", "shifted", "lognormal", "skewed left", "heavy tails"],
)
def test_targets_are_recognised(bend, allowed):
    X, f = table(MIN_ROWS_FOR_LOGARITHM if allowed == {"log"} else 300)
    prepared = choose(X, bend(f), columns=("quantile", "standard"))
    assert prepared.target in allowed
    tried = [e["phase"] for e in prepared.history]
    assert "transforms: target standard" in tried and tried[-1] == "transforms"
    assert prepared.history[-1]["transform_y"] == prepared.target


def test_few_positive_rows_have_no_logarithm():
    """A later row may be zero, where its density would be none."""
    X, f = table(MIN_ROWS_FOR_LOGARITHM - 1)
    tried = [e["phase"] for e in choose(X, np.exp(f), columns="standard").history]
    assert "transforms: target log" not in tried and "transforms: target sinh-arcsinh" in tried


@pytest.mark.parametrize("n_rows", [MIN_ROWS_TO_HALVE - 1, MIN_ROWS_TO_HALVE])
def test_half_of_many_rows_begin_where_there_are_several_kinds_of_target(n_rows):
    X, y = table(n_rows)
    whole, half = "transforms: target standard", "transforms: target standard, half of the rows"
    several = [e["phase"] for e in choose(X, y).history]
    assert several[:2] == [half, whole] if n_rows == MIN_ROWS_TO_HALVE else several[0] == whole
    assert several.count(whole) == 1 and (half in several) == (n_rows == MIN_ROWS_TO_HALVE)
    assert half not in [e["phase"] for e in choose(X, y, target="standard").history]


def test_history_tells_what_was_tried_and_what_won():
    prepared = choose(*table(200))
    last = prepared.history[-1]
    assert last["transform_X"] == list(prepared.columns)
    for entry in prepared.history[:-1]:
        assert entry["score"] <= entry["log_evidence"] and entry["n_evaluations"] > 0


@pytest.mark.parametrize("target", ["yeo-johnson", "sinh-arcsinh"])
def test_the_shape_of_an_explicit_curve_is_learned(target):
    X, f = table(300)
    prepared = choose(X, np.exp(2.0 * f), columns="quantile", target=target)
    assert isinstance(prepared.targets, Warps)
    z = prepared.targets.apply(np.exp(2.0 * f))[:, 0]
    assert np.corrcoef(z, f[:, 0])[0, 1] > 0.99


def test_what_is_not_left_open_costs_nothing():
    X, y = table()
    for columns in ("standard", "none", "quantile"):
        prepared = choose(X, np.exp(y), columns=columns, target="log")
        assert prepared.history == [] and prepared.target == "log"
    assert choose(X, y, columns="none", target="none").inputs.scale.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: (*table(MIN_ROWS_TO_CHOOSE - 1), {}),
        lambda: (*table(), {"optimise": False}),
        lambda: (table()[0], np.full((400, 1), 3.0), {}),
    ],
    ids=["few rows", "given hyperparameters", "constant target"],
)
def test_where_nothing_can_be_decided_all_is_standard(make):
    X, y, options = make()
    prepared = choose(X, y, **options)
    assert prepared.columns == ("standard", "standard") and prepared.target == "standard"
    assert isinstance(prepared.inputs, Scaling) and prepared.history == []


def test_a_curve_is_shaped_at_given_hyperparameters():
    X, f = table()
    u = np.column_stack((np.log(X[:, 0]) / 2.0, X[:, 1]))
    given = choose(u, np.exp(2.0 * f), "standard", "sinh-arcsinh", optimise=False)
    z = given.targets.apply(np.exp(2.0 * f))[:, 0]
    assert np.corrcoef(z, f[:, 0])[0, 1] > 0.98


def test_few_values_codes_and_rare_values():
    X, y = table()
    rng = np.random.default_rng(1)
    rare = np.zeros(400)
    rare[7] = 5.0
    wide = np.column_stack(
        (X, rng.integers(0, 2, 400), rng.integers(0, 30, 400), rare, y[:, 0] * 0)
    )
    kernel = Constant(1.0) * RBF((0.7,) * 6) * OnColumns(Categorical(), [3])
    start = Parameters(kernel.bind(None, 6), 0.1)
    asked = choose(wide, y, columns="quantile", target="standard", start=start)
    assert asked.columns == (*("quantile",) * 2, "standard", "quantile", "quantile", "standard")
    prepared = choose(wide, y, target="standard", start=start)
    assert prepared.columns[2:] == ("standard", "standard", "quantile", "standard")
    assert np.all(np.abs(prepared.inputs.apply(wide)[:, 4]) < 4.0)


class Own(Kernel):
    """An RBF without gradients."""

    def __call__(self, X, Z):
        return START.kernel(X, Z)

    def diagonal(self, X):
        return START.kernel.diagonal(X)


def test_a_kernel_without_gradients_bends_all_columns_or_none():
    X, y = table()
    both = np.column_stack((X[:, 0], np.exp(2.0 * X[:, 1])))
    assert choose(both, y, target="standard", start=Parameters(Own(), 0.1)).columns == (
        "quantile",
        "quantile",
    )
    X[:, 0] = np.log(X[:, 0]) / 2.0
    X = 4.0 * np.arctan(X)  # normal scores would stretch the ends
    plain = np.sin(X[:, :1]) + 0.3 * X[:, 1:]
    kept = choose(X, plain, target="standard", start=Parameters(Own(), 0.01))
    assert kept.columns == ("standard", "standard")


def test_a_weight_counts_rows():
    X, y = table(150)
    times = np.random.default_rng(5).integers(1, 3, 150)
    weighted = choose(X, np.exp(y), weight=times.astype(float))
    written_out = choose(np.repeat(X, times, axis=0), np.exp(np.repeat(y, times, axis=0)))
    assert weighted.columns == written_out.columns and weighted.target == written_out.target
    np.testing.assert_allclose(
        weighted.targets.apply(np.exp(y)), written_out.targets.apply(np.exp(y)), atol=0.02
    )


def test_outputs_have_curves_of_one_kind_and_shapes_of_their_own():
    X, f = table()
    Y = np.column_stack((np.sinh(2.0 * f), 5.0 - np.exp(-f)))
    prepared = choose(X, Y, columns=("quantile", "standard"))
    assert prepared.target == "sinh-arcsinh"
    first, second = prepared.targets.warps
    assert first.curve != second.curve
    np.testing.assert_allclose(prepared.targets.invert(prepared.targets.apply(Y)), Y, rtol=1e-8)


def test_columns_that_share_a_length_scale_may_have_one_scale():
    rng = np.random.default_rng(0)
    bright, faint = rng.standard_normal((200, 2)), 0.02 * rng.standard_normal((200, 6))
    X, y = np.column_stack((bright, faint)), np.sin(bright[:, :1]) + 0.5 * bright[:, 1:]
    one = Parameters(Constant(1.0) * RBF(1.4), 0.1)
    assert choose(X, y, target="standard", start=one).columns == ("common",) * 8
    asked = choose(X, y, ("standard", *("auto",) * 7), "standard", start=one)
    assert "common" not in asked.columns  # not all were left open
    each = Parameters(Constant(1.0) * RBF((1.4,) * 8), 0.1)
    history = choose(X, y, target="standard", start=each).history
    assert "transforms: one scale" not in [entry["phase"] for entry in history]


@pytest.mark.parametrize(("by_neighbours", "n"), [(False, 10_000), (True, 500), (True, 10_000)])
def test_a_warp_of_the_target_is_charged_as_a_share_of_all_rows(by_neighbours, n):
    """On 500 rows four parameters cost 12.4 nats by themselves and 4 where they stand for many."""
    X, y = table(n)
    structure = search.StructureSearch(
        X, y, None, START, (500, 500, 500), None, fixed=False, by_neighbours=by_neighbours
    )
    kinds = {
        kind: EvaluatedCandidate(Candidate(START, search.curves_of(kind, y)), evidence, score)
        for kind, evidence, score in (
            ("standard", -100.0, -100.0),
            ("sinh-arcsinh", -92.0, -92.0 - 2.0 * np.log(500)),
        )
    }
    gains_enough = by_neighbours and n > 500
    sample = SimpleNamespace(total=500.0, y=y[:500])
    assert structure._kind(kinds, sample) == ("sinh-arcsinh" if gains_enough else "standard")
