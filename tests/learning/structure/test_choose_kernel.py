"""The chosen kernel is the likeliest one, suits what made the data, and is told of."""

from dataclasses import replace
from functools import partial
from itertools import permutations
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest

from sparsegp.kernels import RBF, Auto, Categorical, Constant, Kernel, Linear, Matern, OnColumns
from sparsegp.kernels.auto import (
    fill_placeholder,
    placeholder_part,
    placeholders,
    with_placeholder_part,
)
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import evaluate_candidates as trials
from sparsegp.learning.structure.candidates import Candidate, Sample
from sparsegp.learning.structure.choose_kernel import PLUS, KernelSearch, OpenKernel
from sparsegp.learning.structure.evaluate_candidates import (
    CandidateEvaluator,
    EvaluatedCandidate,
    Request,
    evaluate,
)
from sparsegp.learning.structure.kernel_families import ADDITIONS, FAMILIES, plain_kernel
from sparsegp.learning.structure.learn_transforms import learn_transforms
from sparsegp.learning.structure.policy import MIN_ROWS_TO_CHOOSE
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.sources.memory import MemoryTable
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.scaling import fit_scaling

OPEN = Parameters(Auto(1), 0.1)
EVERY_NAME = [
    PLUS.join((family, *additions))
    for family in FAMILIES
    for additions in ((), *((a,) for a in ADDITIONS), tuple(ADDITIONS))
]


def drawn(kernel, n=120, noise=0.05, seed=0):
    """Draw inputs and a function of the kernel, with noise."""
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-3.0, 3.0, n))[:, None]
    K = kernel(X, X) + noise**2 * np.eye(n)
    return X, (np.linalg.cholesky(K) @ rng.standard_normal(n))[:, None]


def choose(X, y, start=OPEN, columns="standard", target="standard", **options):
    wanted = TransformOptions((columns,) * X.shape[1], target)
    context = FitContext(np.random.default_rng(0))
    found = learn_transforms(MemoryTable(X, Targets(y)), wanted, start, context, **options)
    return SimpleNamespace(**vars(found), history=context.history.entries)


def quiet():
    return FitContext(np.random.default_rng(0))


def chosen(prepared):
    return next(e["kernel"] for e in prepared.history if e["phase"] == "kernel")


def evidence_less_cost(X, y, kernel):
    """Search long for the best score of a kernel of one column, by its own route."""
    sample = Sample(
        fit_scaling(X, None, "standard").apply(X),
        X,
        fit_scaling(y, None, "standard").apply(y),
        fit_scaling(y, None, "none"),
    )
    extra = len(kernel.theta) - len(plain_kernel(1).theta)
    candidate = Candidate(Parameters(kernel, 0.1), n_extra=extra)
    return evaluate(Request(Phase.KERNEL, "oracle", candidate, sample, 150), quiet()).score


SMOOTH = RBF(1.0)
ROUGH = Matern(1.0, nu=1.5)
TREND = 4.0 * Linear() + 0.3 * RBF(0.25)


@pytest.mark.parametrize("truth", [SMOOTH, ROUGH, TREND], ids=["smooth", "rough", "trend"])
def test_the_choice_is_the_best_of_all_families_and_single_additions(truth):
    X, y = drawn(truth)
    name = chosen(choose(X, y))
    kernel = OpenKernel(Auto(1))
    names = {PLUS.join((f, *a)) for f in FAMILIES for a in ((), *((b,) for b in ADDITIONS))}
    scores = {n: evidence_less_cost(X, y, kernel.initial(n)) for n in names | {name}}
    assert scores[name] >= max(scores.values()) - 4.0, scores  # WORTH, and short searches


@pytest.mark.parametrize("seed", [0, 1])
def test_a_smooth_function_gets_a_smooth_kernel_and_a_rough_one_a_rough_one(seed):
    assert chosen(choose(*drawn(SMOOTH, seed=seed))) == "RBF"
    assert chosen(choose(*drawn(ROUGH, 200, 0.02, seed=seed))).startswith("Matern 3/2")


@pytest.mark.parametrize("seed", [0, 1])
def test_a_trend_gets_a_linear_term(seed):
    assert chosen(choose(*drawn(TREND, seed=seed))).endswith("+ Linear")


class Attempts:
    """Evaluates candidates by a function."""

    def __init__(self, attempt):
        self._attempt = attempt

    def evaluate_all(self, requests):
        return [self._attempt(request) for request in requests]


def scored(candidate, score, sample):
    return EvaluatedCandidate(candidate, score + candidate.cost(sample.total), score)


def rows(n):
    """Return rows that nobody looks at."""
    return Sample(np.zeros((n, 1)), np.zeros((n, 1)), np.zeros((n, 1)), None)


def race(scores):
    """Return what wins, of scores by name and rows; what has none cannot be evaluated."""
    asked = []

    def attempt(request):
        name, n_rows = request.detail.removesuffix(" rows").split(" on ")
        asked.append((name, int(n_rows)))
        score = scores.get(asked[-1])
        return None if score is None else scored(request.candidate, score, request.sample)

    search = KernelSearch(OpenKernel(Auto(1)), Attempts(attempt))
    candidate = Candidate(Parameters(plain_kernel(1), 0.1))
    plain = scored(candidate, scores["RBF", 500], rows(500))
    found = search.race(plain, rows(500), rows(1000), rows(2000))
    return search.grow(*found, rows(1000))[0], asked


def test_what_is_wanted_is_what_would_be_of_use():
    """Whoever has the score that is wanted on few rows goes on; whoever has less does not."""
    asked = {}

    def attempt(request, above):
        name = request.detail
        asked[name] = request.target
        score = above + (request.target if np.isfinite(request.target) else 0.0)
        return scored(request.candidate, score, request.sample)

    plain = scored(Candidate(Parameters(plain_kernel(1), 0.1)), -80.0, rows(500))
    for above in (0.01, -0.01):
        search = KernelSearch(OpenKernel(Auto(1)), Attempts(partial(attempt, above=above)))
        asked.clear()
        promised = search.race(plain, rows(500), rows(1000), rows(2000))[2]
        assert list(promised) == (list(ADDITIONS) if above > 0.0 else [])
        others = [f"{name} on 500 rows" for name in FAMILIES if name != "RBF"]
        assert {asked[name] for name in others} == {-80.0 - 0.02 * 500}
        judged = [f"{name} on 2000 rows" for name in FAMILIES]
        assert all((name in asked) == (above > 0.0) for name in judged if name[:3] != "RBF")
        assert all(np.isinf(wanted) for name, wanted in asked.items() if "500" not in name)


def test_a_search_without_hope_is_given_up_half_way():
    X, y = drawn(TREND, n=300)
    sample = Sample(X, X, y, fit_scaling(y, None, "standard"))

    def tried(wanted):
        context = quiet()
        candidate = Candidate(Parameters(plain_kernel(1), 0.1))
        trial = evaluate(Request(Phase.KERNEL, "", candidate, sample, 12, wanted), context)
        return trial.score, context.history.entries[0]["n_evaluations"]

    score, n_evaluations = tried(-np.inf)
    assert n_evaluations > 6
    assert tried(score) == (score, n_evaluations)  # it gets there
    assert tried(score + 1e6)[1] == 6


FEW = {("RBF", 500): 0.0, ("Matern 5/2", 500): 4.0, ("Matern 3/2", 500): 3.0}


def test_the_likeliest_on_more_rows_wins_and_who_is_far_behind_stays_out():
    more = {("RBF", 1000): 0.0, ("Matern 5/2", 1000): 10.0, ("Matern 3/2", 1000): 20.0}
    name, asked = race(FEW | more | {("RationalQuadratic", 500): -20.0})
    assert name == "Matern 3/2"
    assert ("RationalQuadratic", 1000) not in asked


def test_two_go_on_to_more_rows_those_that_most_rows_like_best():
    most = {("RBF", 2000): 5.0, ("Matern 5/2", 2000): 3.0, ("Matern 3/2", 2000): 9.0}
    more = {("RBF", 1000): 0.0, ("Matern 5/2", 1000): 10.0, ("Matern 3/2", 1000): 20.0}
    name, asked = race(FEW | most | more)
    assert name == "Matern 3/2"
    assert ("RBF", 1000) in asked and ("Matern 5/2", 1000) not in asked


def test_who_is_close_is_judged_by_most_rows():
    more = {("RBF", 1000): 0.0, ("Matern 5/2", 1000): 20.0, ("Matern 3/2", 1000): 17.0}
    most = {("Matern 5/2", 2000): 30.0, ("Matern 3/2", 2000): 50.0}
    name, asked = race(FEW | more | most)
    assert name == "Matern 3/2" and ("RBF", 1000) not in asked
    assert race(FEW | more)[0] == "Matern 5/2"  # none can be evaluated on most rows


def test_additions_are_kept_one_by_one_while_they_pay():
    plus, short, more = "Matern 5/2 + ", "short-range Matern 3/2", {("Matern 5/2", 1000): 20.0}
    promise = {(plus + "Linear", 500): 9.0, (plus + short, 500): 20.0}
    grown = {(plus + "Linear", 1000): 40.0, (plus + short, 1000): 35.0}
    both = (f"{plus}Linear + {short}", 1000)
    assert race(FEW | more | promise | grown | {both: 50.0})[0] == f"{plus}Linear + {short}"
    assert race(FEW | more | promise | grown | {both: 42.0})[0] == "Matern 5/2 + Linear"
    name, asked = race(FEW | more | promise | {(plus + short, 500): -20.0} | grown)
    assert name == "Matern 5/2 + Linear" and (plus + short, 1000) not in asked


def test_without_time_for_more_rows_the_best_of_few_is_kept():
    assert race(FEW)[0] == "Matern 5/2"


def test_history_tells_what_was_tried_and_what_won():
    prepared = choose(*drawn(ROUGH))
    phases = [entry["phase"] for entry in prepared.history]
    for family in FAMILIES:
        if family != "RBF":  # the first target was tried with it
            assert f"kernel: {family} on 120 rows" in phases
    assert sum(phase.count(PLUS) > 0 for phase in phases) >= len(ADDITIONS)
    tried = [e for e in prepared.history if e["phase"].startswith("kernel: ")]
    assert all(e["score"] <= e["log_evidence"] and e["n_evaluations"] > 0 for e in tried)
    name = chosen(prepared)
    assert prepared.start.kernel == OpenKernel(Auto(1)).initial(name)
    assert len(prepared.warm_start.kernel.theta) == len(prepared.start.kernel.theta)


def test_the_same_random_numbers_make_the_same_choice():
    X, y = drawn(ROUGH)
    one, two = choose(X, y), choose(X, y)
    np.testing.assert_array_equal(one.warm_start.vector, two.warm_start.vector)


@pytest.mark.parametrize(
    "make",
    [
        lambda X, y: (X[: MIN_ROWS_TO_CHOOSE - 1], y[: MIN_ROWS_TO_CHOOSE - 1], {}),
        lambda X, y: (X, y, {"optimise": False}),
        lambda X, y: (X, 0.0 * y, {}),
    ],
    ids=["few rows", "given hyperparameters", "constant target"],
)
def test_where_nothing_can_be_decided_the_kernel_is_plain(make):
    X, y, options = make(*drawn(ROUGH))
    prepared = choose(X, y, columns="auto", target="auto", **options)
    assert prepared.start.kernel == plain_kernel(1) and prepared.warm_start is None
    assert prepared.history == []


def test_transforms_and_kernel_are_chosen_together():
    X, f = drawn(ROUGH, 250)
    prepared = choose(np.exp(3.0 * X), np.sinh(2.0 * f), columns="auto", target="auto")
    assert prepared.columns == ("log",) and prepared.target == "sinh-arcsinh"
    assert chosen(prepared).startswith("Matern")


def test_columns_are_judged_by_how_they_foresee_further_rows():
    sizes = (100, 150, 300)
    rng = np.random.default_rng(0)
    u = rng.standard_normal((320, 2))
    y = (np.sin(2.0 * u[:, 0]) + 0.5 * u[:, 1] + 0.1 * rng.standard_normal(320))[:, None]
    start = Parameters(Auto(2), 0.1)
    plain = choose(u, y, start, columns="auto", sizes=sizes)
    assert plain.columns == ("standard", "standard")
    skewed_X = np.column_stack((np.exp(2.0 * u[:, 0]), u[:, 1]))
    skewed = choose(skewed_X, y, start, columns="auto", sizes=sizes)
    assert skewed.columns[0] == "log"
    tried = {
        e["phase"]: e["n_evaluations"] for e in skewed.history if "columns warped" in e["phase"]
    }
    judged = [n for phase, n in tried.items() if "refined" not in phase]
    assert judged and set(judged) == {1}  # more and most rows judge and are not learned from
    assert next(n for phase, n in tried.items() if "refined" in phase) > 1  # the best, once chosen


def test_a_table_that_is_hopeless_is_not_judged_again():
    sizes = (100, 150, 300)
    rng = np.random.default_rng(0)
    u = rng.standard_normal((320, 2))
    y = np.sin(np.pi * np.exp(u[:, :1])) + 0.01 * rng.standard_normal((320, 1))
    start = Parameters(Auto(2), 0.1)
    even = np.column_stack((np.exp(u[:, 0]), u[:, 1]))  # waves of one length in these units
    found = choose(even, y, start, columns="auto", sizes=sizes)
    assert found.columns[0] == "standard"
    phases = [e["phase"] for e in found.history]
    assert "transforms: 2 columns warped, more rows" in phases
    assert "transforms: 2 columns warped, most rows" not in phases


def test_a_gap_beside_categories():
    rng = np.random.default_rng(0)
    X, f = drawn(ROUGH)
    codes = rng.integers(0, 3, 120)
    template = OnColumns(Auto(), [0]) * OnColumns(Categorical(2.0), [1])
    start = Parameters(template.bind(None, 2), 0.1)
    table = np.column_stack((X, codes))
    prepared = choose(table, f * np.array([1.0, -1.0, 0.2])[codes][:, None], start)
    kernel = prepared.warm_start.kernel
    assert kernel.coded_columns(2) == {1}
    assert isinstance(placeholder_part(template, kernel), Kernel) and placeholders(kernel) == []


@pytest.mark.parametrize("name", EVERY_NAME)
def test_a_guess_by_name_has_positive_parameters_within_bounds(name):
    kernel = OpenKernel(Auto(3)).initial(name)
    low, high = kernel.bounds.T
    assert np.all((low <= kernel.theta) & (kernel.theta <= high))
    assert kernel.bind(None, 3) == kernel and kernel.moves_inputs
    assert np.all(np.isfinite(kernel(np.eye(3), np.zeros((1, 3)))))


def test_what_is_added_does_no_harm_at_first():
    """Extreme length scales stay within their bounds."""
    for ends in permutations((1e-3, 1e4)):
        kernel = Constant(1e6) * RBF(ends)
        for add in ADDITIONS.values():
            assert np.all(np.isfinite(add(kernel).theta))
            low, high = add(kernel).bounds.T
            assert np.all((low <= add(kernel).theta) & (add(kernel).theta <= high))


def test_gaps_are_found_and_filled():
    template = 2.0 * OnColumns(Auto(), ["a"]) + Constant(0.5)
    assert placeholders(template) == [Auto()] and placeholders(RBF()) == []
    bound = template.bind(["b", "a"], 2)
    assert placeholders(bound) == [Auto(1)]
    kernel = fill_placeholder(bound, RBF(3.0))
    assert kernel == 2.0 * OnColumns(RBF(3.0), [1]) + Constant(0.5)
    assert placeholder_part(bound, kernel) == RBF(3.0)
    right = Constant(0.5) * Auto(1)
    assert placeholder_part(right, fill_placeholder(right, ROUGH)) == ROUGH
    with pytest.raises(ValueError, match="Auto is a placeholder"):
        Auto()(np.zeros((1, 1)), np.zeros((1, 1)))
    with pytest.raises(ValueError, match="Auto is a placeholder"):
        Auto().diagonal(np.zeros((1, 1)))


def test_more_parameters_cost_more():
    plain = Candidate(Parameters(plain_kernel(2), 0.1))
    assert replace(plain, n_extra=3).cost(100.0) == plain.cost(100.0) + 1.5 * np.log(100.0)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_target_that_is_mostly_one_value_is_not_bent(share):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 1))
    y = np.where(np.quantile(X, share) > X, 0.0, X**2)
    tried = [e["phase"] for e in choose(X, y, target="auto").history]
    assert ("transforms: target sinh-arcsinh" in tried) == (share < 0.5)


def test_side_by_side_as_one_after_the_other(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.sin(2 * X[:, :1]) + 0.1 * rng.standard_normal((60, 1))
    rows = Sample(X, X, y, fit_scaling(y, None, "standard"))
    asked = [
        Request(Phase.KERNEL, name, Candidate(Parameters(family(plain_kernel(2)), 0.1)), rows, 12)
        for name, family in FAMILIES.items()
    ]
    found, told, labels = [], [], [f"kernel: {name}" for name in FAMILIES]
    for threads in (1, 3):
        monkeypatch.setattr(trials, "n_threads", lambda threads=threads: threads)
        context, start = replace(quiet(), listener=told.append), perf_counter()
        found.append(CandidateEvaluator(context).evaluate_all(asked))
        history = context.history
        seconds = perf_counter() - start
        assert [entry["phase"] for entry in history.entries] == labels
        assert sum(entry["seconds"] for entry in history.entries) <= seconds
    assert [trial.score for trial in found[0]] == [trial.score for trial in found[1]]
    assert {progress.phase for progress in told} == set(labels)


def test_in_a_hurry_every_search_is_shorter(monkeypatch):
    monkeypatch.setattr(
        "sparsegp.learning.structure.search.sizes_within", lambda sizes, *_: (sizes, 0.1)
    )
    X, y = drawn(Matern(nu=1.5), n=300)
    found = choose(X, y, columns="auto", target="auto").history
    asked = [entry["n_evaluations"] for entry in found if "n_evaluations" in entry]
    assert len(asked) > 5
    assert 1 <= min(asked) <= max(asked) <= 6  # a tenth of sixty


def test_a_share_of_a_search_is_at_least_one_evaluation():
    X, y = drawn(RBF())
    request = Request(
        Phase.KERNEL, "", Candidate(OPEN), Sample(X, X, y, fit_scaling(y, None, "none")), 8
    )
    assert [request.with_effort(share).evaluations for share in (1.0, 0.5, 0.01)] == [8, 4, 1]


def test_a_cycle_much_shorter_than_the_trend_is_found():
    """A search that begins at 0.3 of the trend's range takes the cycle for noise: 0.21."""
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(0.0, 45.0, 500))[:, None]
    y = 0.01 * X**2 + 0.3 * np.sin(2.0 * np.pi * X) + 0.02 * rng.standard_normal((500, 1))
    prepared = choose(X, y)
    assert "short-range" in chosen(prepared)
    assert prepared.warm_start.noise_variance * np.var(y) == pytest.approx(0.02**2, rel=0.5)


def test_another_part_leaves_the_rest_of_a_fitted_kernel_as_it_is():
    template = OnColumns(Auto(), [0]) * OnColumns(Categorical(2.0), [1]) + Constant(0.1)
    fitted = OnColumns(RBF(3.0), [0]) * OnColumns(Categorical(7.0), [1]) + Constant(0.5)
    bound, kernel = template.bind(None, 2), fitted.bind(None, 2)
    changed = with_placeholder_part(bound, kernel, Matern(1.0, nu=1.5))
    assert placeholder_part(bound, changed) == Matern(1.0, nu=1.5)
    assert with_placeholder_part(bound, changed, RBF(3.0)) == kernel
