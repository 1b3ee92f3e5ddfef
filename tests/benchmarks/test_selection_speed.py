"""The benchmark of selection runs, at a size where its figures mean nothing."""

import json

import pytest

from benchmarks.selection_speed import RESULT, Sizes, growth, main, ratio


def test_growth_is_the_exponent():
    sizes = [500, 1000, 2000]
    assert growth([3e-6 * m**1.7 for m in sizes], sizes) == pytest.approx(1.7)


def test_sizes_keep_their_shape():
    assert Sizes().scaled(1.0) == Sizes()
    assert Sizes().scaled(0.01).growing_basis == (5, 10, 20)
    assert Sizes().scaled(1e-9).n_basis == 1


def test_a_ratio_says_whether_it_is_what_is_wanted():
    assert ratio("a", 0.9, 1.0)["holds"] is True
    assert ratio("a", 1.1, 1.0)["holds"] is False
    assert "holds" not in ratio("a", 1.1)


def test_one_command_measures_everything(tmp_path):
    before = RESULT.read_text() if RESULT.exists() else None
    file = tmp_path / "results" / "speed.json"
    main(["--scale", "0.01", "--repeats", "1", "--json", str(file)])
    found = json.loads(file.read_text())
    assert found["sizes"]["n_rows"] == 360
    assert [r["what"] for r in found["ratios"]] == [
        "selection / final statistics",
        "fit, log_posterior / random",
        "fit, rows / half of them",
        "exponent of m, a pool of 40",
        "exponent of m, the default pool",
    ]
    assert [r.get("at_most") for r in found["ratios"]] == [1.0, 3.0, 2.2, None, None]
    for part, count in (("steps", 6), ("fits", 9), ("sample_domain", 9)):
        assert len(found[part]) == count
        assert all(entry["seconds"] >= 0.0 for entry in found[part])
    main(["--scale", "0.01", "--repeats", "1"])
    assert before == (RESULT.read_text() if RESULT.exists() else None)  # a trial writes nothing
