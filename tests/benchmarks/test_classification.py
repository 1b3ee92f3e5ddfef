"""The reproductions of the classification paper, on small generated sets."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, wilcoxon

from benchmarks import datasets
from benchmarks.datasets import CLASS_SETS, ClassSet, DataSet, class_partition, digits
from benchmarks.reproduce import (
    ss_claims,
    ss_figure2,
    ss_figure3_right,
    ss_ours,
    usps,
)
from benchmarks.reproduce.class_experiment import (
    METHODS,
    adapt_classes,
    calibration_error,
    learned_parameters,
    score_classes,
    score_inner_loop,
)
from benchmarks.reproduce.classification_page import section_usps
from benchmarks.reproduce.significance import (
    Ranking,
    critical_difference,
    rank_methods,
    signed_rank_p,
)
from benchmarks.reproduce.ss_comparison import beside_svgp, of_methods
from benchmarks.reproduce.ss_published import FRIEDMAN_P, TARGETS
from tests.benchmarks.pages import pages_text

N_TRAINING, N_TEST = 90, 60


def write_table(folder, name, X, y):
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    table.assign(y=y).to_parquet(folder / f"{name}.parquet")


@pytest.fixture
def small_sets(tmp_path, monkeypatch):
    """Make every set of the paper small: two clouds that overlap a little."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SPARSEGP_DATA", str(folder))
    rng = np.random.default_rng(0)
    for name in CLASS_SETS:
        n, n_features = N_TRAINING + N_TEST + 10, 60 if name == "splice" else 2
        y = rng.choice([-1, 1], n)
        X = rng.standard_normal((n, n_features)) + y[:, None]
        write_table(folder, name, X.round() if name == "splice" else X, y)
        monkeypatch.setitem(CLASS_SETS, name, ClassSet(name, N_TRAINING, N_TEST))
    for name, n in (("usps_train", 120), ("usps_test", 50)):
        y = rng.integers(0, 10, n)
        write_table(folder, name, 3.0 * np.eye(10)[y] + rng.standard_normal((n, 10)), y)
    return folder


# ------------------------------------------------------------------ partitions


def test_sizes_are_those_of_the_paper():
    sizes = {name: (s.n_training, s.n_test) for name, s in CLASS_SETS.items()}
    assert sizes == {
        "banana": (4000, 1300),
        "waveform": (4000, 1000),
        "twonorm": (4000, 3400),
        "ringnorm": (4000, 3400),
        "splice": (2000, 1175),
        "image": (1300, 1010),
    }
    assert [*TARGETS] == [*CLASS_SETS]


def test_a_partition_is_a_permutation_by_its_number(small_sets):
    data = datasets.load("banana")
    train, test = class_partition("banana", 3)
    order = np.random.default_rng(3).permutation(len(data.y))
    assert np.array_equal(train.X, data.X[order[:N_TRAINING]])
    assert np.array_equal(test.y, data.y[order[N_TRAINING : N_TRAINING + N_TEST]])
    assert {*train.y} == {-1.0, 1.0}
    assert not np.array_equal(train.X, class_partition("banana", 4)[0].X)


def test_digits_have_ten_classes(small_sets):
    train, test = digits()
    assert [len(train.y), len(test.y)] == [120, 50]
    assert {*train.y} <= set(range(10))


# ------------------------------------------------------------------ tests of significance


def test_signed_rank_of_pairs():
    low = np.arange(10.0)
    assert signed_rank_p(low, low + 0.1 * (1 + low)) == pytest.approx(2 / 2**10)  # all of one sign
    assert signed_rank_p(low, low) == 1.0
    tied = np.array([1.0, 1.0, -1.0, 2.0, 2.0, -0.5, 3.0])
    assert signed_rank_p(tied, 0.0 * tied) == pytest.approx(wilcoxon(tied).pvalue)
    assert signed_rank_p([], []) == 1.0
    # pairs that are equal do not count
    assert signed_rank_p([*low, 5.0], [*(low + 1.0 + low), 5.0]) == pytest.approx(2 / 2**10)


def test_friedman_by_hand():
    # ranks 1 2 3, 1 3 2, 1 2 3, 2 1 3: averages 1.25, 2, 2.75
    table = {
        "p": {"a": 1.0, "b": 2.0, "c": 3.0},
        "q": {"a": 10.0, "b": 30.0, "c": 20.0},
        "r": {"a": 0.1, "b": 0.2, "c": 0.3},
        "s": {"a": 5.0, "b": 4.0, "c": 6.0},
    }
    found = rank_methods(table)
    assert found.ranks == {"a": 1.25, "b": 2.0, "c": 2.75}
    # χ² = 12 N/(k (k + 1)) [Σ R² − k (k + 1)²/4] = 4 (1.5625 + 4 + 7.5625 − 12) = 4.5
    assert found.p == pytest.approx(chi2.sf(4.5, 2))
    assert found.n_sets == 4


def test_equal_methods_share_ranks_and_do_not_differ():
    found = rank_methods({name: {"a": 1.0, "b": 1.0, "c": 1.0} for name in "pqr"})
    assert found == Ranking({"a": 2.0, "b": 2.0, "c": 2.0}, 3, 1.0)


@pytest.mark.parametrize(("level", "q"), [(0.05, 2.394), (0.1, 2.128)])
def test_critical_difference_is_that_of_the_tables(level, q):
    # Demšar 2006, table 5 (b): q for four methods
    assert critical_difference(4, 6, level) == pytest.approx(q * (20 / 36) ** 0.5, abs=1e-3)


def test_a_method_differs_beyond_the_critical_difference():
    ranking = Ranking({"a": 1.2, "b": 2.9, "c": 2.7, "d": 3.2}, 6, 0.01)  # 1.59 and 1.78
    assert [ranking.differs("a", other, 0.1) for other in "bcd"] == [True, False, True]
    assert [ranking.differs("a", other, 0.05) for other in "bcd"] == [False, False, True]


# ------------------------------------------------------------------ scores


class Oracle:
    """A classifier that says what it is told."""

    def __init__(self, p):
        self.p, self.classes_ = np.asarray(p), np.array([-1.0, 1.0])

    def predict_proba(self, X):
        return self.p


def test_scores_by_hand():
    model = Oracle([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.0, 1.0]])
    data = DataSet(np.zeros((4, 1)), np.array([-1.0, 1.0, 1.0, 1.0]))
    scores = score_classes(model, data)
    assert scores["error"] == 25.0
    assert scores["nlp"] == pytest.approx(-np.mean(np.log([0.9, 0.4, 0.8, 1.0])))
    # a bin each: |0.9 − 1| + |0.6 − 0| + |0.8 − 1| + |1 − 1| over four rows
    assert calibration_error(model, data) == pytest.approx((0.1 + 0.6 + 0.2) / 4)


def test_calibration_is_of_bins_and_not_of_rows():
    model = Oracle([[0.25, 0.75]] * 4)
    data = DataSet(np.zeros((4, 1)), np.array([1.0, 1.0, 1.0, -1.0]))
    assert calibration_error(model, data) == pytest.approx(0.0)


def test_a_probability_of_zero_leaves_a_number():
    model = Oracle([[1.0, 0.0]])
    assert np.isfinite(score_classes(model, DataSet(np.zeros((1, 1)), np.ones(1)))["nlp"])


# ------------------------------------------------------------------ one run


def test_curves_are_those_of_the_selection(small_sets):
    train, _ = class_partition("banana", 0)
    fit = adapt_classes(METHODS["adaptive2"], train, 8, 1, 0)
    curves = ss_figure2.curves(fit.model, "train", train)
    assert curves["train_nlp_curve"] == pytest.approx(fit.model.selection_path_)
    assert curves["train_error_curve"][-1] == score_classes(fit.model, train)["error"]
    assert 0.0 <= fit.inner_loop_seconds <= fit.seconds


def test_an_inner_loop_at_learned_hyperparameters_is_that_of_the_fit(small_sets):
    train, test = class_partition("banana", 0)
    method = METHODS["entropy"]  # which draws nothing at random
    model = adapt_classes(method, train, 8, 1, 0).model
    found = score_inner_loop(method, train, test, learned_parameters(model), 8, 5)
    assert {key: found[key] for key in ("error", "nlp")} == pytest.approx(
        score_classes(model, test)
    )
    assert found["n_basis"] == 8


# ------------------------------------------------------------------ experiments


def test_figure3_right_goes_by_size_and_partition(small_sets, tmp_path):
    out = tmp_path / "ss_figure3_right.json"
    command = ["--sets", "banana", "twonorm", "--sizes", "6", "4", "--rounds", "0"]
    command += ["--methods", "adaptive2", "validation", "--skip-validation-above", "4"]
    ss_figure3_right.main([*command, "--partitions", "1", "--out", str(out)])
    first = json.loads(out.read_text())
    assert [(r["d_max"], r["set"], r["method"]) for r in first] == [
        (4, "banana", "adaptive2"),
        (4, "banana", "validation"),
        (4, "twonorm", "adaptive2"),
        (4, "twonorm", "validation"),
        (6, "banana", "adaptive2"),
        (6, "twonorm", "adaptive2"),
    ]
    ss_figure3_right.main([*command, "--partitions", "2", "--out", str(out)])
    records = json.loads(out.read_text())
    assert records[:6] == first  # not run again: their seconds would differ
    assert len(records) == 12
    assert {*first[0]} >= {"error", "nlp", "n_basis", "seconds", "inner_loop_seconds"}


def test_ours_of_letters_and_digits(small_sets, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ss_ours, "MAX_BASIS_USPS", 10)
    out = tmp_path / "ss_ours.json"
    command = ["--settings", '{"optimizer": null}', "--out", str(out)]
    monkeypatch.setattr(ss_ours, "MAX_BASIS", 10)
    ss_ours.main([*command, "--sets", "banana", "splice", "--partitions", "1", "--first", "5"])
    ss_ours.main([*command, "--usps"])
    records = json.loads(out.read_text())
    assert [(r["set"], r["partition"]) for r in records] == [
        *[("banana", 5), ("splice", 5), ("usps", 0)]
    ]
    assert {*records[0]} == {
        *("set", "partition", "settings", "error", "nlp", "ece", "d_max", "n_basis", "seconds"),
        "commit",
    }
    assert "| usps | 1 |  |" in capsys.readouterr().out


def test_digits_by_least_squares(small_sets, tmp_path, monkeypatch):
    monkeypatch.setattr(usps, "MAX_BASIS", 10)
    monkeypatch.setattr(usps, "smoothed", lambda X: X)  # the small set has ten pixels
    assert "Not run yet: `python -m benchmarks.reproduce.usps`" in section_usps(tmp_path, tmp_path)
    out = ["--out", str(tmp_path / "usps.json")]
    usps.main(["--lengths", "0.001", "4", "--folds", "2", *out])
    (record,) = json.loads((tmp_path / "usps.json").read_text())
    assert record["length_scale"] == 4.0  # with the other every row is a stranger
    assert record["nlp_of_folds"][1] < record["nlp_of_folds"][0]
    assert record["error"] < 30.0
    assert record["seconds"] < record["seconds_of_all"]
    assert f"| 4 | {record['error']:.2f} |" in section_usps(tmp_path, tmp_path)


# ------------------------------------------------------------------ claims

LEVEL = {
    "entropy": 4.0,
    "information_gain": 3.0,
    "adaptive1": 2.2,
    "adaptive2": 2.0,
    "validation": 1.9,
}


def fake_figure3_right(sets=tuple(CLASS_SETS), sizes=(40, 80), level=LEVEL, partitions=10):
    rng = np.random.default_rng(0)
    return [
        {"set": name, "d_max": size, "partition": k, "method": method, "rounds": 6}
        | {"error": 10 * value + 0.1 * rng.random(), "nlp": 0.1 * value + 0.01 * rng.random()}
        | {"n_basis": size, "seconds": 5.0}
        | {"inner_loop_seconds": 6.0 if method == "validation" else 1.0}
        for size in sizes
        for k in range(partitions)
        for name in sets
        for method, value in level.items()
    ]


def fake_figure3_left():
    return [
        {"set": name, "d_max": size, "partition": k, "rounds": 6, "hyperparameters": "shared"}
        | {"method": method, "kappa": kappa, "n_basis": size, "inner_loop_seconds": 1.0}
        | {"error": 10 + lift / kappa + 0.01 * k, "nlp": 0.2 + (lift + 0.01 * k) / kappa}
        for name in ("waveform", "twonorm")
        for size in (40, 80)
        for k in range(6)
        for method, lift, kappas in (
            ("random", 1.0, (1, 2, 59)),
            ("adaptive", 0.5, (1, 2, 59)),
            ("validation", 0.4, (59,)),
        )
        for kappa in kappas
    ]


def fake_figure2(partitions=6):
    rng = np.random.default_rng(0)
    return [
        {"set": name, "partition": k, "rounds": 6, "method": sites, "n_basis": 3, "seconds": 1.0}
        | {f"{part}_{m}": v + rng.random() for part in ("train", "test") for m, v in scores}
        | {f"{part}_{m}_curve": [3 * v, v, v] for part in ("train", "test") for m, v in scores}
        for k in range(partitions)
        for name in ("waveform", "image")
        for sites, scores in (
            ("moment_matching", (("error", 8.0), ("nlp", 0.2))),
            ("predictive_loss", (("error", 8.0), ("nlp", 9.0 if name == "image" else 0.2))),
        )
    ]


def verdicts(claims):
    return {claim.text: dict(claim.cases) for claim in claims}


def the_one(claims, part):
    (found,) = [claim for claim in claims if part in claim.text]
    return found


def test_beating_needs_a_lower_mean_and_significance():
    low = np.arange(8.0)
    assert ss_claims.beats(low, low + 0.1 + 0.01 * low)
    assert not ss_claims.beats(low + 1.0, low)
    assert not ss_claims.beats(low[:3], low[:3] + 1.0)  # three pairs cannot be significant


def test_claims_of_figure2():
    (claim,) = ss_claims.claims_of_figure2(fake_figure2())
    assert claim.cases == {
        "error on waveform": True,
        "NLP on waveform": True,
        "error on image": True,
        "NLP on image": False,
    }


def test_claims_of_figure3_left():
    claims = ss_claims.claims_of_figure3_left(fake_figure3_left())
    assert len(claims) == 4
    every = the_one(claims, "at every κ").cases
    assert len(every) == 2 * 2 * 2
    assert all(every.values())
    assert not any(the_one(claims, "κ value of 2").cases.values())  # 0.45 against 0.21
    for part in ("consistently", "reduces"):
        cases = the_one(claims, part).cases
        assert len(cases) == 4
        assert all(cases.values())


def test_claims_of_figure3_right():
    claims = ss_claims.claims_of_figure3_right(fake_figure3_right())
    beaten = the_one(claims, "On Twonorm and Ringnorm")
    assert len(beaten.cases) == 2 * 2
    assert all(beaten.cases.values())
    assert not any(the_one(claims, "within noise of validation").cases.values())
    speed = the_one(claims, "5 times faster")
    assert all(speed.cases.values())
    assert str(speed).endswith("**confirmed** (12 of 12). 6.0 to 6.0 times (paper: about 5).")
    assert all(the_one(claims, "almost the same").cases.values())
    assert not any(the_one(claims, "Image").cases.values())
    assert all(the_one(claims, "information gain based method performed better").cases.values())
    assert all(the_one(claims, "and validation do not differ").cases.values())
    # ranks are 2, 1, 4 and 3 on every set: with six sets 2 is enough and 1 is not
    assert the_one(claims, "differs from entropy").cases == {
        "entropy 40": True,
        "information gain 40": False,
        "entropy 80": True,
        "information gain 80": False,
    }
    assert all(the_one(claims, "Friedman's test at 0.05").cases.values())


def test_claims_of_partial_results():
    records = fake_figure3_right(sets=["banana"], level={"entropy": 2.0, "adaptive2": 1.0})
    claims = ss_claims.claims_of_figure3_right(records)
    assert all(the_one(claims, "difficult datasets").cases.values())
    assert ss_claims.rankings(records, "nlp") == {}
    few = fake_figure3_right(partitions=5)  # the sets can be ranked, but no set decides alone
    named = verdicts(ss_claims.claims_of_figure3_right(few))
    assert not next(iter(named.values()))
    assert len(ss_claims.rankings(few, "nlp")) == 2
    assert not any(c.cases for c in ss_claims.claims_of_figure3_right([]))


def test_published_p_values_are_whole():
    assert {measure: [*sizes] for measure, sizes in FRIEDMAN_P.items()} == {
        "error": [40, 80, 160, 320],
        "nlp": [40, 80, 160, 320],
    }


# ------------------------------------------------------------------ the page


def fake_ours(name, error, nlp, partitions=range(3), **others):
    return [
        {"set": name, "partition": k, "settings": {}, "error": error + 0.1 * k, "nlp": nlp}
        | {"ece": 0.01, "d_max": 80, "n_basis": 80, "seconds": 2.0}
        | others
        for k in partitions
    ]


def test_table_of_methods_marks_best_and_worse():
    ours = fake_ours("banana", 9.0, 0.19)
    text = of_methods(fake_figure3_right(["banana"], sizes=(40, 80)), ours, "error")
    line = {row.split("|")[2].strip(): row for row in text.splitlines() if "banana" in row}
    cells = [cell.strip() for cell in line["80"].split("|")[3:-1]]
    assert [cell.endswith("★") for cell in cells] == [True, True, True, True, False, False]
    assert cells[4].startswith("**19.0")
    assert cells[5] == "9.10 ± 0.10"
    assert line["40"].endswith("|  |")


def test_our_default_gets_marks_beside_svgp_and_other_sets_none():
    records = [*fake_ours("banana", 9.2, 0.25), *fake_ours("usps", 4.0, 0.2, range(1))]
    text = beside_svgp(records, [])
    one = "(one partition)"
    assert f"| banana | 3 | 9.4 {one} | 9.30 ± 0.10 ✓ | 0.2 {one} | 0.250 ✗ |  | 2.0 |" in text
    assert "| usps | 1 |  | 4.00 |  | 0.200 |  | 2.0 | 0.010 | 80 |" in text
    assert "At or below SVGP: 1 of 2 cells." in text
    svgp = [
        {"set": "banana", "partition": k, "error": 9.0, "nlp": 0.26 + 0.01 * k, "fit_seconds": 5.0}
        for k in range(3)
    ]
    text = beside_svgp(records, svgp)
    assert "| 9.00 | 9.30 ± 0.10 ✗ | 0.270 ± 0.010 | 0.250 ✓ | 5.0 | 2.0 |" in text
    assert "(one partition)" in beside_svgp(
        records, svgp[:2]
    )  # means of other partitions tell little


def test_page_without_results_names_the_commands(tmp_path):
    text = pages_text(tmp_path / "none", tmp_path / "pages")
    for command in ("ss_figure2", "ss_figure3_left", "ss_figure3_right", "ss_ours"):
        assert f"Not run yet: `python -m benchmarks.reproduce.{command}`." in text


def test_page_of_results(tmp_path):
    results, folder = tmp_path / "results", tmp_path / "pages"
    results.mkdir()
    explored = [r | {"rounds": 20, "nlp": 77.0} for r in fake_figure3_right(partitions=1)]
    for name, records in {
        "ss_figure2": fake_figure2(),
        "ss_figure3_left": fake_figure3_left(),
        "ss_figure3_right": [*fake_figure3_right(), *explored],
        "ss_ours": [
            *fake_ours("banana", 9.0, 0.19, range(5, 8)),
            *fake_ours("usps", 4.0, 0.2, range(1)),
            *fake_ours("image", 99.0, 99.0, settings={"max_basis": 5}),
        ],
    }.items():
        (results / f"{name}.json").write_text(json.dumps(records))
    text = pages_text(results, folder)
    for image in ("ss_figure2.png", "ss_figure3_left.png", "ss_figure3_right.png"):
        assert f"(images/{image})" in text
        assert (folder / "images" / image).stat().st_size > 5_000
    assert "at most 6 iterations of the outer loop (paper: 20)." in text
    assert "learned once for each set" in text
    assert "| NLP | 40 | 0.002 | 0.00044 | 2.00 | 1.00 | 4.00 | 3.00 | 1.59 | 1.78 |" in text
    assert "### USPS, ten digits" in text
    assert "77.0" not in text
    assert "99.0" not in text
