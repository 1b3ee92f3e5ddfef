"""The trials of small tables and of ladders: what is stored, and what their pages count."""

import numpy as np

from benchmarks.trust import cases as trust_cases
from benchmarks.trust.cases import Records, judges, nested_split
from benchmarks.trust.compare import by_set, summary
from benchmarks.trust.small import class_scores, exact_regressor, standardised
from benchmarks.trust.small_page import cases, section_classes, section_numbers
from benchmarks.trust.trial import fit_one, regression_scores
from benchmarks.trust.trial_page import catastrophes, doublings, got_worse, ladders, page


def test_fewer_training_rows_are_the_first_of_more():
    few, more = nested_split("friedman2", 3, 50), nested_split("friedman2", 3, 80)
    np.testing.assert_array_equal(few[0], more[0][:50])
    np.testing.assert_array_equal(few[2], more[2])
    assert not set(map(tuple, more[0])) & set(map(tuple, more[2]))


def test_a_hash_of_the_name_divides_the_sets():
    sets = (*trust_cases.REGRESSION_SETS, *trust_cases.LARGE_CLASS_SETS)
    share = np.mean([judges(name) for name in sets])
    assert 0.25 < share < 0.75
    assert [judges(name) for name in sets] == [judges(name) for name in sets]


def test_a_fit_is_stored_once(tmp_path):
    file = tmp_path / "records.jsonl"
    Records(file, ("set", "seed")).add({"set": "a", "seed": 1, "nlp": 0.5})
    again = Records(file, ("set", "seed"))
    assert {"set": "a", "seed": 1} in again and {"set": "a", "seed": 2} not in again


def test_scores():
    labels = np.array(["a", "b"])
    found = class_scores(np.array(["a", "b"]), labels, np.array([[0.8, 0.2], [0.6, 0.4]]))
    assert found["error"] == 0.5
    assert np.isclose(found["nlp"], -0.5 * (np.log(0.8) + np.log(0.4)))
    given = standardised(nested_split("friedman2", 0, 40), target=True)
    np.testing.assert_allclose(given[0].std(axis=0), 1.0)
    assert exact_regressor(given, 0)["rmse"] < 1.0


def test_the_page_counts_splits_that_all_methods_have():
    def of(task, method, seed, **scores):
        return {"task": task, "set": "s", "n": 100, "seed": seed, "method": method} | scores

    records = [of("classes", m, 0, nlp=v) for m, v in (("ours", 0.30), ("exact", 0.31))]
    records += [of("classes", "ours", 1, nlp=9.0)]
    assert len(cases("classes", records)["s", 100]["ours"]) == 1
    assert "on 1 of 1" in section_classes(records) and "-0.010" in section_classes(records)
    scores = {"nlpd": 1.0, "coverage": 0.95}
    records = [of("numbers", "ours", 0, rmse=0.6, **scores)]
    records += [of("numbers", "exact", 0, rmse=0.5, **scores)]
    page = section_numbers(records)
    assert "on 0 of 1" in page and "95.0 % with 100 rows" in page


def test_errors_are_in_units_that_do_not_depend_on_the_training_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 1)), rng.normal(size=30)
    few, more = (
        regression_scores((X[:n], y[:n], X[20:], y[20:]), {"optimizer": None}) for n in (10, 20)
    )
    for n, found in ((10, few), (20, more)):
        constant = np.sqrt(np.mean((y[20:] - np.mean(y[:n])) ** 2)) / np.std(y[20:])
        assert np.isclose(found["constant"], constant)


def of_ladder(step, seed, error, nlpd, **more):
    case = {"set": "kin40k", "ladder": "basis", "step": step, "seed": seed, "n": 1000}
    return case | {"error": error, "nlpd": nlpd, "constant": 1.0, "seconds": 1.0} | more


def test_what_seeds_explain_is_not_worse():
    assert got_worse([0.02], 0.01) and not got_worse([0.005], 0.01)
    assert got_worse([0.02, 0.03, 0.04], 0.01)
    assert not got_worse([0.2, -0.1, 0.01], 0.01)


def test_the_page_of_ladders_names_what_got_worse_and_every_catastrophe():
    records = [of_ladder(50, seed, 0.5, 0.7) for seed in (0, 1)]
    records += [of_ladder(100, seed, 0.51, 0.6) for seed in (0, 1)]
    records += [of_ladder(200, seed, 0.4, 0.61 + 0.05 * seed) for seed in (0, 1)]
    found = doublings(ladders(records))
    assert found["kin40k", "basis", 50, 100] == {"error": True, "nlpd": False}
    assert found["kin40k", "basis", 100, 200] == {"error": False, "nlpd": False}
    text = page(records)
    assert "- kin40k, 50 to 100 basis: RMSE or error" in text and "None." in text
    text = page([*records, of_ladder(400, 0, 1.2, 2.0)])
    assert "kin40k, 400 basis, seed 0: 1.200, a constant 1.000" in text
    late = of_ladder(4, 0, 0.4, 0.5, ladder="seconds", seconds=5.0)
    assert "1 took more than 1.1 times" in page([late])


def test_a_fit_of_a_ladder():
    found = fit_one("friedman2", "rows", 100, 0)
    assert found["n"] == 100 and found["error"] < found["constant"]


def test_wrong_labels_within_chance_are_no_catastrophe():
    def of(step, wrong, n_test):
        case = {"set": "splice", "ladder": "seconds", "step": step, "seed": 0, "n": 1000}
        return case | {"error": wrong / n_test, "nlpd": 0.2, "constant": 0.4, "n_test": n_test}

    assert not catastrophes(ladders([of(1, 17, 318), of(2, 26, 318)]))
    assert catastrophes(ladders([of(1, 170, 3180), of(2, 260, 3180)]))
    assert catastrophes(ladders([of(1, 17, 318), of(2, 40, 318)]))
    worse_than_a_constant = of(1, 150, 318), of(1, 190, 318)  # 127 wrong labels, a third more
    assert [bool(catastrophes(ladders([one]))) for one in worse_than_a_constant] == [False, True]


def test_sources_are_compared_on_the_fits_that_both_have():
    def of(source, step, error, seconds):
        return of_ladder(step, 0, error, error, ladder="seconds", seconds=seconds, source=source)

    records = [of("old", 1, 0.2, 0.9), of("old", 2, 0.1, 2.3), of("old", 4, 0.9, 4.0)]
    records += [of("new", 1, 0.4, 0.8), of("new", 2, 0.2, 1.6)]
    old, new = summary(records, lambda name: True).splitlines()[2:]
    assert old == "| old | 2 | +0.0 %, +0.0 % | +0.000, +0.000 | 1.02 | 1 | 0, 0 of 1 | 0 |"
    assert new == "| new | 2 | +100.0 %, +100.0 % | +0.150, +0.150 | 0.80 | 0 | 0, 0 of 1 | 0 |"
    assert "| *kin40k* | new | 0.400 / 0.400 | 0.200 / 0.200 | - |" in by_set(records)


def test_random_states_are_told_apart_from_ladders():
    records = [of_ladder(step, 0, 0.5 + 0.01 * step, 0.7) | {"ladder": "states"} for step in (1, 2)]
    text = page(records)
    assert "| kin40k | 2 | 0.5150 | 1.4 % | 0.700 to 0.700 |" in text.replace("*", "")
    assert "1 to 2" not in text
