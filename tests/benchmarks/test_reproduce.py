"""The reproductions: their machinery, and every experiment on a small generated set."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import partition
from benchmarks.plain import PLAIN
from benchmarks.reproduce import ours, sks_tables
from benchmarks.reproduce.agreement import AGREES, BETTER, WORSE, Cell, mark, verdict
from benchmarks.reproduce.agreement_page import TRIED, beyond_chance, section_agreement
from benchmarks.reproduce.claims import Claim, claims_page, significantly_below
from benchmarks.reproduce.class_experiment import ROUNDS
from benchmarks.reproduce.comparison import RANK_SUM, beside_best, compared
from benchmarks.reproduce.exact_search import stages
from benchmarks.reproduce.experiment import (
    Method,
    Summary,
    fit_fixed,
    fixed_parameters,
    paired_t_p,
    rank_sum_p,
    score,
    standardise_target,
    summarise,
    worse_than_best,
)
from benchmarks.reproduce.kc_claims import claims_of_kc_figure1, claims_of_kc_times
from benchmarks.reproduce.merge import merged
from benchmarks.reproduce.published import (
    BEST,
    KC_RUNS,
    KC_TABLE_1,
    SKS_ADAPTED,
    SKS_CACHED,
    SKS_FIXED,
    Published,
)
from benchmarks.reproduce.records import RESULTS, Job, read_records, reproduce
from benchmarks.reproduce.sks_claims import claims_of_sks_tables
from tests.benchmarks.pages import pages_text

# ------------------------------------------------------------------ statistics


def test_summary():
    assert summarise([1.0, 2.0, 6.0]) == Summary(3.0, pytest.approx(7.0**0.5), 3)
    assert math.isnan(summarise([1.0]).sd)


def test_rank_sum_of_five_partitions_can_be_significant():
    low, high = [1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]
    assert rank_sum_p(low, high) == pytest.approx(2 / 252)  # 2 of C(10, 5) orders
    assert rank_sum_p(low, low) > 0.9


def test_paired_t_sees_a_small_but_steady_difference():
    rng = np.random.default_rng(0)
    hard = rng.uniform(1.0, 10.0, 20)
    assert paired_t_p(hard + 0.1 + 0.01 * rng.standard_normal(20), hard) < 1e-6
    assert rank_sum_p(hard + 0.1, hard) > 0.5


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (1.0, 0.0)])
def test_paired_t_without_spread(shift, p):
    assert paired_t_p([1.0 + shift, 2.0 + shift], [1.0, 2.0]) == p


def test_a_single_pair_decides_nothing():
    assert paired_t_p([2.0], [1.0]) == 1.0


def test_worse_than_best_compares_common_partitions_only():
    samples = {
        "a": dict(enumerate([1.0, 2.0, 3.0, 4.1])),
        "b": dict(enumerate([1.5, 2.6, 3.4, 4.6, 99.0])),
        "c": dict(enumerate([1.0, 2.1, 2.9, 4.2])),
    }
    assert worse_than_best(samples, paired_t_p, 0.05) == ("a", {"b"})


def test_agreement_has_two_sides():
    published = (10.0, 0.5)
    means = (9.4, 9.5, 10.5, 10.504, 10.51)
    marks = [mark(Summary(mean, 1.0, 5), published, 2) for mean in means]
    assert marks == [BETTER, AGREES, AGREES, AGREES, WORSE]  # rounded as it is printed


def test_verdict_counts_and_names_what_is_worse():
    cells = [
        Cell("a", Summary(9.0, 0.2, 4), (10.0, 0.5), 2, 100),
        Cell("b", Summary(10.1, 0.2, 4), (10.0, 0.5), 2, 100),
        Cell("c", Summary(11.0, 0.2, 4), (10.0, 0.5), 2, 100),  # nine standard errors
        Cell("d", Summary(10.6, 2.0, 4), (10.0, 0.5), 2, 100),
        Cell("e", Summary(10.6, math.nan, 1), (10.0, 0.5), 2, 100),
    ]
    text = verdict("NMSE", cells)
    assert text.startswith("**NMSE**, 5 cells: 1 agree, 1 better, 3 worse.")
    assert "c (+1 ± 0.11; published deviation 0.5)" in text
    assert "e (+0.6, one partition; published deviation 0.5)" in text
    assert text.endswith("Beyond two standard errors of the difference: 1.")


def test_the_same_difference_is_no_chance_with_more_partitions():
    few, many = (Cell("a", Summary(1.65, 0.08, n), (1.57, 0.07), 2, 20) for n in (2, 20))
    assert (few.mark, few.is_no_chance) == (WORSE, False)
    assert (many.mark, many.is_no_chance) == (WORSE, True)
    assert math.isclose(many.standard_error, math.sqrt((0.08**2 + 0.07**2) / 20))


def test_where_ours_is_worse_by_more_than_chance_the_page_says_what_was_tried():
    assert set(beyond_chance(RESULTS)) == TRIED.keys()
    page = section_agreement(RESULTS, Path())
    assert all(text in page for text in TRIED.values())


@pytest.mark.parametrize("experiment", ["ss_figure2", "ss_figure3_left", "ss_figure3_right"])
def test_an_experiment_as_it_is_called_makes_the_records_of_its_page(experiment):
    assert {record["rounds"] for record in read_records(RESULTS, experiment)} == {ROUNDS}


# ------------------------------------------------------------------ published numbers


def test_published_tables_are_whole():
    assert [len(t) for t in (KC_TABLE_1, SKS_FIXED, SKS_CACHED, SKS_ADAPTED)] == [7, 8, 8, 6]
    assert KC_TABLE_1["calhouse"]["ADAPT-DMAX"] == Published((20.02, 0.88), (13.03, 0.30))
    assert SKS_FIXED["abalone"]["NLGPP"] == Published((42.27, 1.91), (1.0033, 0.0131), (78.4, 26.4))


@pytest.mark.parametrize("name", [name for name in BEST if name != "kin40k"])
def test_best_figures_are_those_of_the_tables(name):
    tables = (KC_TABLE_1, SKS_FIXED, SKS_CACHED, SKS_ADAPTED)
    found = [numbers for table in tables for numbers in table.get(name, {}).values()]
    best = min(f.nmse[0] for f in found), min(f.nlpd[0] for f in found)
    assert best == pytest.approx(BEST[name], abs=2e-4)


# ------------------------------------------------------------------ one run


def test_stages_end_at_the_rows_asked_for():
    assert [stages(n, 5)[-1][0] for n in (100, 250, 2000)] == [100, 250, 2000]
    assert [size for size, _ in stages(750, 8)] == [250, 500, 750]
    assert [size for size, _ in stages(750, 9)] == [500, 750]


def test_partition_with_fewer_training_rows_has_the_same_rows():
    train, test = partition("friedman3", 1)
    fewer, more = partition("friedman3", 1, 120)
    assert [len(fewer.y), len(more.y)] == [120, 5080]
    assert np.array_equal(np.vstack((train.X, test.X)), np.vstack((fewer.X, more.X)))
    assert np.array_equal(fewer.y, train.y[:120])
    assert np.array_equal(more.y[80:], test.y)


@pytest.mark.parametrize(("name", "noise"), [("friedman2", 174.0), ("friedman3", 0.444)])
def test_circuits_are_tested_without_noise(name, noise):
    train, test = partition(name, 0)

    def function(X):  # in SI units
        R, omega, L, C = X[:, 0], X[:, 1], X[:, 2], X[:, 3] * 1e-6
        z = R + 1j * (omega * L - 1.0 / (omega * C))
        return np.abs(z) if name == "friedman2" else np.angle(z)

    assert np.allclose(test.y, function(test.X), rtol=1e-9)
    assert np.std(train.y - function(train.X)) == pytest.approx(noise, rel=0.15)
    assert np.std(test.observed - test.y) == pytest.approx(noise, rel=0.05)
    assert np.std(test.y) / noise == pytest.approx(3.0, rel=0.15)


def test_fixed_hyperparameters_are_those_of_the_model():
    train, _ = partition("friedman3", 0)
    parameters = fixed_parameters(train, 60, 0, bias=True)
    fit = fit_fixed(Method("RAND", {"selection": "random"}), train, parameters, 10, 0)
    assert fit.model.kernel_ == parameters.kernel
    assert fit.model.noise_variance_ == parameters.noise_variance
    assert len(fit.selection_seconds) == fit.model.n_basis_ == 10
    assert 0 <= fit.selection_seconds[-1] <= fit.seconds


def test_a_standardised_target_shifts_the_density_only():
    data = partition("friedman3", 0)
    scaled = standardise_target(*data)
    method = Method("SB", {"selection": "log_posterior", "n_candidates": 5})
    parameters = fixed_parameters(data[0], 60, 0, bias=False)
    here, there = (
        score(fit_fixed(method, train, parameters, 10, 0).model, test)
        for train, test in (data, scaled)
    )
    assert there["nmse"] == pytest.approx(here["nmse"])
    assert there["nlpd"] == pytest.approx(here["nlpd"] - np.log(data[0].y.std()))


# ------------------------------------------------------------------ records on disk


def test_done_jobs_are_skipped(tmp_path, capsys):
    runs = []

    def job(k):
        def work():
            runs.append(k)
            yield {"method": "a", "nmse": np.float64(1 / 3), "n_basis": np.int64(5)}
            yield {"method": "b", "nmse": 2.0, "curve": np.arange(2.0)}

        return Job({"set": "x", "partition": k}, work)

    out = tmp_path / "some" / "experiment.json"
    reproduce([job(0)], out)
    records = reproduce([job(0), job(1)], out)
    assert runs == [0, 1]
    assert records == json.loads(out.read_text()) == read_records(out.parent, "experiment")
    assert records[0]["nmse"] == 0.3333333
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_an_interrupted_job_leaves_no_trace(tmp_path):
    def work():
        yield {"method": "a"}
        raise KeyboardInterrupt

    out = tmp_path / "experiment.json"
    reproduce([Job({"partition": 0}, lambda: iter([{"method": "a"}]))], out)
    with pytest.raises(KeyboardInterrupt):
        reproduce([Job({"partition": 1}, work)], out)
    (record,) = json.loads(out.read_text())
    assert record == {"partition": 0, "method": "a", "commit": record["commit"]}


# ------------------------------------------------------------------ experiments


def test_methods_with_a_cache_differ_in_the_working_set_only():
    for name, size in (("boston", 300), ("friedman2", 100)):
        plain, cached = sks_tables.methods(name, "fixed"), sks_tables.methods(name, "cached")
        assert {m.settings["cache_size"] for m in plain} == {59}
        assert {m.settings["cache_size"] for m in cached} == {size}
        assert {m.settings["n_candidates"] for m in (*plain, *cached)} == {59}


def test_ours_goes_on_where_it_was_and_with_fresh_partitions(tmp_path, capsys):
    out = tmp_path / "ours.json"
    command = ["--sets", "friedman3", "--settings", '{"max_basis": 10}', "--out", str(out)]
    ours.main([*command, "--partitions", "1"])
    first = json.loads(out.read_text())
    ours.main([*command, "--partitions", "2"])
    ours.main([*command, "--partitions", "1", "--first", "7"])
    records = json.loads(out.read_text())
    assert [r["partition"] for r in records] == [0, 1, 7]
    assert records[:1] == first  # not run again: its seconds would differ
    assert {*records[0]} == {
        *(
            "set",
            "partition",
            "settings",
            "nmse",
            "nlpd",
            "coverage",
            "n_basis",
            "seconds",
            "commit",
        )
    }
    assert all(r["n_basis"] == 10 and r["nmse"] < 100.0 for r in records)
    assert "| friedman3 | 3 | 11.63 |" in capsys.readouterr().out


def test_ours_with_other_settings_is_another_job(tmp_path):
    out = tmp_path / "ours.json"
    for settings in ('{"max_basis": 10}', '{"max_basis": 5}', '{"max_basis": 10}'):
        command = ["--sets", "friedman3", "--partitions", "1", "--settings", settings]
        ours.main([*command, "--out", str(out)])
    assert [r["n_basis"] for r in json.loads(out.read_text())] == [10, 5]


# ------------------------------------------------------------------ the page


def fake_kc_figure1():
    level = {"RAND": 5.0, "INFO": 6.0, "KAPPA": 3.0, "DMAX": 2.0, "SB": 2.5}
    return [
        {
            "set": "kin40k",
            "partition": k,
            "method": method,
            "d_max": d,
            "nmse": 1000 * value / d + 0.1 * k,
            "nlpd": value / d,
            "selection_seconds": value * d,
            "final_pass_seconds": 1.0,
        }
        for k in range(2)
        for method, value in level.items()
        for d in (100, 500)
    ]


def fake_tables(table, level):
    return [
        {
            "table": table,
            "set": "abalone",
            "partition": k,
            "method": method,
            "nmse": 42.0 + level * i + 0.01 * k,
            "nlpd": 1.0 + 0.1 * i,
            "n_basis": 100 - level,
        }
        for k in range(3)
        for i, method in enumerate(sks_tables.CRITERIA)
    ]


def test_claims_are_confirmed_refuted_or_untested():
    claim = Claim("Snow is white", {"here": True, "there": False})
    assert str(claim) == "Snow is white: **confirmed in part** (1 of 2; not: there)."
    untested = Claim("Pigs fly", {}, untested="no pigs")
    assert str(untested) == "Pigs fly: **untested** (no pigs)."
    text = claims_page([claim, untested, Claim("Yes", {"a": True}), Claim("No", {"a": False})])
    assert "4 claims: 1 confirmed, 1 confirmed in part, 1 refuted, 1 untested" in text


def verdicts(claims, part):
    (found,) = [claim for claim in claims if part in claim.text]
    return dict(found.cases)


def test_claims_of_kc_figure1():
    claims = claims_of_kc_figure1(fake_kc_figure1())
    assert verdicts(claims, "DMAX is always better") == {"100": True, "500": True}
    assert verdicts(claims, "around 100") == {"100": True}
    assert verdicts(claims, "axes") == {}


def test_claims_of_kc_times():
    claims = claims_of_kc_times(fake_kc_figure1())
    # seconds are level · d + 1: exponents near 1
    assert verdicts(claims, "exponents") == {"RAND": False, "INFO": False, "SB": False}
    assert verdicts(claims, "60 times slower") == {"500": False}
    assert verdicts(claims, "T_basic") == {"500": False}
    assert verdicts(claims, "almost as fast") == {"500": True}  # 6 against 5


def test_claims_of_tables_that_have_run():
    assert not any(claim.cases for claim in claims_of_sks_tables([]))
    found = claims_of_sks_tables(fake_tables("fixed", 0) + fake_tables("cached", 1))
    caches = verdicts(found, "except in only one case")
    assert len(caches) == 4
    assert all(caches.values())


def test_significance_needs_partitions():
    records = [
        {"set": "x", "method": method, "partition": k, "nlpd": level * (1.0 + 0.01 * k)}
        for method, level in (("a", 1.0), ("b", 2.0))
        for k in range(6)
    ]

    def ask(some):
        return significantly_below(some, "nlpd", "a", ["b"], paired_t_p, 0.05, ["x", "y"])

    assert ask(records) == {"x": True}
    assert ask([r for r in records if r["partition"] < 4]) == {}


def test_comparison_marks_best_worse_and_agreement():
    level = {"FIXED-SB": 22.0, "ADAPT-INFO": 30.0, "ADAPT-DMAX": 19.0}
    records = [
        {"set": "calhouse", "method": m, "partition": k, "nmse": v + 0.01 * k, "nlpd": 13.0}
        for m, v in level.items()
        for k in range(5)
    ]
    text = compared(records, KC_TABLE_1, RANK_SUM, KC_RUNS)
    lines = {line.split("|")[2].strip(): line for line in text.splitlines() if "calhouse |" in line}
    assert "22.02 ± 0.02 ★ ▲ (5)" in lines["FIXED-SB"]
    assert "30.02 ± 0.02 ★ ▼ (5)" in lines["ADAPT-INFO"]
    assert "**19.02 ± 0.02** ▲ (5)" in lines["ADAPT-DMAX"]
    assert "5 partitions (paper: 20)" in text
    assert "**NMSE**, 3 cells: 0 agree, 2 better, 1 worse." in text


# ------------------------------------------------------------------ old and new records


def test_new_records_replace_old_ones_unless_they_are_the_same():
    def record(name, k, nmse, **more):
        return {"set": name, "partition": k, "method": "a", "nmse": nmse, "seconds": 1.0} | more

    old = [record(name, k, 1.0 + k) for name in "xyz" for k in range(3)]
    new = [record("x", 0, 1.0001, commit="c"), record("y", 0, 1.1, commit="c")]
    found = merged(old, new)
    assert [(r["set"], r["partition"]) for r in found] == [
        *[("x", 0), ("x", 1), ("x", 2)],  # made again on partition 0
        ("y", 0),  # others: gone with the old one
        *[("z", 0), ("z", 1), ("z", 2)],  # not run again
    ]
    assert [r.get("confirmed_by") for r in found] == [None, "c", "c", None, None, None, None]
    near = merged(old, [record("y", 0, 1.02, commit="c")])
    assert [r.get("near_to") for r in near if r["set"] == "y"] == [None, "c", "c"]
    assert len(merged(old, [record("y", 0, 1.02, commit="c")], ["a"])) == 7
    assert merged(near, [record("y", 0, 1.02, commit="c")]) == near  # a second time


@pytest.mark.parametrize(("by", "n_left"), [(0.0, 8), (1.0, 6)])
def test_older_records_stay_where_new_ones_differ_by_chance(by, n_left):
    def record(k, error, **more):
        return {"set": "x", "partition": k, "method": "a", "error": error, "nlp": 0.5} | more

    chance = (1.0, -1.0, 0.5, -0.5, 1.0, -0.8)  # more than 3 % each
    old = [record(k, 10.0) for k in range(8)]
    new = [record(k, 10.0 + by + off, commit="c") for k, off in enumerate(chance)]
    found = merged(old, new)
    assert len(found) == n_left
    assert [r.get("near_to") for r in found[6:]] == ["c"] * (n_left - 6)
    assert len(merged(old, new[:4])) == 4  # four pairs tell too little


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*.json")), ids=lambda file: file.stem)
def test_no_two_records_are_of_one_cell_and_partition(file):
    records = json.loads(file.read_text())
    assert len(merged(records, [])) == len(records)


def fake_ours(name, nmse, nlpd, partitions=range(3), **others):
    return [
        {"set": name, "partition": k, "settings": {}, "nmse": nmse + 0.01 * k, "nlpd": nlpd}
        | {"coverage": 0.95, "n_basis": 500, "seconds": 2.0}
        | others
        for k in partitions
    ]


def test_beside_best_marks_what_can_be_compared():
    records = [
        *fake_ours("calhouse", 20.01, 13.04),  # best: 20.02, 13.03
        *fake_ours("friedman3", 11.0, 0.71),  # best: 11.63, 0.70
        *fake_ours("kin40k", 5.6, 0.0),  # an aim of 5.5, and no NLPD
    ]
    text = beside_best(records)
    assert "| calhouse | 3 | 20.02 | 20.02 ± 0.01 ✓ | 13.03 | 13.04 ✗ | 95.0 % | 500.0 |" in text
    assert "| friedman3 | 3 | 11.63 | 11.01 ± 0.01 ✓ | 0.70 | 0.71 ✗ | 95.0 %" in text
    assert "| kin40k | 3 | 5.50 | 5.61 ± 0.01 ✗ |  | 0.00 | 95.0 %" in text
    assert "At or below the best published figure: 2 of 5 cells." in text


def test_page_has_all_partitions_and_fresh_ones_and_leaves_explorations_out(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    records = [
        *fake_ours("calhouse", 20.0, 13.0),
        *fake_ours("calhouse", 21.0, 13.0, range(5, 8)),
        *fake_ours("calhouse", 99.0, 99.0, settings={"approximation": "sor"}),
        *fake_ours("calhouse", 23.0, 13.5, settings=PLAIN),
    ]
    (results / "ours.json").write_text(json.dumps(records))
    text = pages_text(results, tmp_path / "pages")
    every, rest = text.split("### All partitions")[1].split("### Partitions from 5 on")
    fresh, plain = rest.split("### The plain model")
    assert "| calhouse | 6 | 20.02 | 20.54 ± 0.58 ✗ | 13.03 | 13.00 ✓ |" in every
    assert "| calhouse | 3 | 20.02 | 21.06 ± 0.01 ✗ | 13.03 | 13.00 ✓ |" in fresh
    assert "| calhouse | 3 | 20.02 | 23.01 ± 0.01 ✗ | 13.03 | 13.50 ✗ |" in plain
    assert "99.0" not in text


def test_page_without_results_names_the_commands(tmp_path):
    text = pages_text(tmp_path / "none", tmp_path / "pages")
    for command in ("ours", "kc_figure1", "kc_table1", "sks_tables", "sks_figure1"):
        assert f"python -m benchmarks.reproduce.{command}" in text


def test_page_of_partial_results(tmp_path):
    results, folder = tmp_path / "results", tmp_path / "pages"
    results.mkdir()
    curves = [
        {"set": "friedman3", "partition": 0, "method": m, "adaptation": a, "n_basis": 2}
        | {"curve": [3.0, 1.0 - a, 2.0]}
        for m in ("NLML", "GPE")
        for a in range(2)
    ]
    for name, records in {
        "kc_figure1": fake_kc_figure1(),
        "sks_tables_fixed": fake_tables("fixed", 1),
        "sks_figure1": curves,
    }.items():
        (results / f"{name}.json").write_text(json.dumps(records))
    text = pages_text(results, folder)
    assert "| 500 | 10.05 ± 0.07 |" in text
    assert "| abalone | NLPP | 42.35 ± 1.81 | **42.01 ± 0.01** ≈ (3) | 1.009 ± 0.013 |" in text
    assert "Not run yet: `python -m benchmarks.reproduce.sks_tables --tables cached`." in text
    assert "Not run yet: `python -m benchmarks.reproduce.kc_table1`." in text
    for image in ("kc_figure1.png", "sks_figure1.png"):
        assert f"(images/{image})" in text
        assert (folder / "images" / image).stat().st_size > 5_000
