"""Tables as people keep them: rows without target, decorated numbers, new levels, extra cells."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, r2_score

import sparsegp
from sparsegp.cli.tables.target import read_target
from tests.cli.commands import invoke

QUICK = ("--kernel", "rbf", "--transform-x", "standard", "--transform-y", "standard")


def plain_table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    price = rng.integers(500, 90_000, n) / 4
    weight = rng.integers(1, 99, n)
    town = rng.choice(["Bonn", "Jena", "Ulm"], n)
    y = 1e3 * np.sin(price / 4000) + 5e3 + 9.0 * weight + 200.0 * (town == "Ulm")
    return pd.DataFrame({"price": price, "weight": weight, "town": town, "y": y.round(1)})


def decorated(table):
    """Return the same numbers as people write them."""
    return table.assign(
        price=[f"€{value:,.2f}" for value in table["price"]],
        weight=[f"{value} kg" for value in table["weight"]],
        y=[f"{value:_.1f}".replace(".", ",").replace("_", ".") for value in table["y"]],
    )


def fit(folder, table, name, *options):
    table.to_csv(folder / f"{name}.csv", index=False)
    done = invoke(
        *("fit", folder / f"{name}.csv", "--target", "y", "--json", *QUICK, *options),
        *("--out", folder / f"{name}.st"),
    )
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("untidy")


@pytest.fixture(scope="module")
def plain(folder):
    return fit(folder, plain_table(), "plain")


def test_decorated_numbers_make_the_same_model(folder, plain):
    found = fit(folder, decorated(plain_table()), "decorated")
    assert found["scores"] == plain["scores"] and found["kernel"] == plain["kernel"]
    notes = " ".join(found["notes"])
    for part in (
        "'price': read as numbers, '€",
        "'weight': read as numbers",
        "target 'y': read as",
    ):
        assert part in notes
    new = plain_table(20, seed=1)
    one, other = (sparsegp.load(folder / f"{name}.st") for name in ("plain", "decorated"))
    X, X_decorated = new.drop(columns="y"), decorated(new).drop(columns="y")
    np.testing.assert_array_equal(one.predict(X), other.predict(X_decorated))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))  # plain numbers mean the same


def test_python_reads_decorated_numbers_alike(folder, plain):
    table = plain_table()
    options = {"kernel": "rbf", "transform_X": "standard", "transform_y": "standard"}
    models = [
        sparsegp.SparseGPRegressor(**options, random_state=0).fit(X, table["y"])
        for X in (table.drop(columns="y"), decorated(table).drop(columns="y"))
    ]
    assert models[0].kernel_ == models[1].kernel_
    assert models[1].encoding_.columns[0].unit == "€"


def test_rows_without_target_are_left_out_and_counted(folder, plain):
    table = plain_table().astype({"y": object})
    extra = plain_table(5, seed=2).assign(y=["", "NA", "", "", "?"])
    rows = pd.concat([extra[:2], table, extra[2:]], ignore_index=True)
    found = fit(folder, rows, "gaps")
    assert found["without_target"] == 5
    assert found["scores"] == plain["scores"]
    assert "target 'y' is missing in 5 rows, which are left out" in found["notes"]
    done = invoke(
        "report", folder / "gaps.st", folder / "gaps.csv", "--out", folder / "g.html", "--json"
    )
    assert json.loads(done.stdout)["held_out"] is True  # the same rows as in the fit


def test_a_target_with_one_bad_cell_is_still_a_number():
    cells = pd.Series([f"{i}.5" for i in range(80)] + ["unknown", None])
    target = read_target(cells, "y")
    assert target.task == "regression" and target.n_without == 2
    assert target.rows.tolist() == list(range(80))
    assert "'unknown', which is no number, in 1 row" in target.notes[1]
    assert (
        read_target(cells.map(lambda c: c[0], na_action="ignore"), "y", "classification").n_without
        == 1
    )


def test_scores_are_those_of_scikit_learn(folder, plain):
    scores = plain["scores"]
    assert scores["r2"] == pytest.approx(1.0 - scores["nmse"])
    table = plain_table(60, seed=3)
    table.to_csv(folder / "new.csv", index=False)
    model = sparsegp.load(folder / "plain.st")
    mean = model.predict(table.drop(columns="y"))
    from sparsegp.cli.scores import score

    found = score(model, table.drop(columns="y"), table["y"].to_numpy())
    assert found["r2"] == pytest.approx(r2_score(table["y"], mean))
    assert found["mae"] == pytest.approx(mean_absolute_error(table["y"], mean))
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean((table["y"] - mean) ** 2)))


def test_unseen_levels_are_counted_by_column(folder, plain):
    new = plain_table(30, seed=4).drop(columns="y")
    new.loc[:2, "town"] = ["Oslo", "Oslo", "Rome"]
    new.to_csv(folder / "new.csv", index=False)
    arguments = ("predict", folder / "plain.st", folder / "new.csv", "--out", folder / "p.csv")
    told = " ".join(invoke(*arguments).stderr.split())
    assert "'town': 3 rows have 2 levels that no training row had ('Oslo', 'Rome')" in told
    assert json.loads(invoke(*arguments, "--json").stdout)["unseen_levels"] == {"town": 3}
    predicted = pd.read_csv(folder / "p.csv")
    assert predicted["std"][:3].min() > predicted["std"][3:].median()


@pytest.mark.parametrize(("row", "part"), [(0, "first rows have more cells"), (7, "line 9 has 4")])
def test_surplus_cells_are_refused(folder, plain, row, part):
    lines = plain_table(10, seed=5).drop(columns="y").to_csv(index=False).splitlines()
    lines[row + 1] += ",7"
    (folder / "surplus.csv").write_text("\n".join(lines) + "\n")
    out = folder / "surplus_out.csv"
    done = invoke("predict", folder / "plain.st", folder / "surplus.csv", "--out", out)
    assert done.exit_code == 2 and part in done.stderr
    assert not out.exists()


def test_a_separator_at_the_end_of_each_line_is_no_surplus_cell(folder, plain):
    text = plain_table(10, seed=5).drop(columns="y").to_csv(index=False)
    (folder / "trailing.csv").write_text(text.replace("\n", ",\n").replace(",\n", "\n", 1))
    out = folder / "trailing_out.csv"
    done = invoke("predict", folder / "plain.st", folder / "trailing.csv", "--out", out)
    assert done.exit_code == 0 and len(pd.read_csv(out)) == 10


def test_a_kernel_by_name(folder):
    found = fit(folder, plain_table(60), "matern", "--kernel", "matern32")
    assert "Matern" in found["kernel"] and "nu=1.5" in found["kernel"]
