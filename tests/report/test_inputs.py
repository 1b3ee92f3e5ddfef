"""Inputs of the page: a periodic part of a date is one of them, drawn along its period."""

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.report import About
from sparsegp.report.effects import effect, effects_section
from sparsegp.report.inputs import CLOCKS, inputs_of, shares_of_columns
from sparsegp.report.relevance import variance_shares
from sparsegp.report.report_data import make_report_data


@pytest.fixture(scope="module")
def hourly():
    """Return a model of a daily cycle and a number, from a table with a time."""
    rng = np.random.default_rng(0)
    time = pd.date_range("2024-03-01", periods=400, freq="h")
    size = rng.uniform(-1.0, 1.0, 400)
    y = 3.0 * np.sin(2.0 * np.pi * time.hour / 24.0 - 1.0) + size + 0.1 * rng.standard_normal(400)
    X = pd.DataFrame({"time": time, "size": size})
    model = SparseGPRegressor("rbf", max_basis=60, transform_y="standard", random_state=0)
    return make_report_data(model.fit(X, y), X, np.asarray(y), About())


def test_sine_and_cosine_are_one_input(hourly):
    inputs = inputs_of(hourly)
    assert [each.name for each in inputs] == [
        "time",
        "time, hour of day",
        "time, day of week",
        "size",
    ]
    assert sorted(j for each in inputs for j in each.columns) == list(range(len(hourly.names)))


def test_the_share_of_a_cycle_counts_both_of_its_columns(hourly):
    inputs = inputs_of(hourly)
    shares = variance_shares(hourly, inputs)
    # variances of the cycle and of the number: 9/2 and 1/3
    np.testing.assert_allclose(shares[[1, 3]], [0.93, 0.07], atol=0.08)
    of_columns = shares_of_columns(inputs, shares)
    assert all(
        np.all(of_columns[list(e.columns)] == s) for e, s in zip(inputs, shares, strict=True)
    )


def test_the_effect_of_the_hour_is_drawn_from_midnight_to_midnight(hourly):
    inputs = inputs_of(hourly)
    found = effect(hourly, inputs[1])
    (curve,) = found.curves
    hours = 24.0 * found.values
    assert hours[[0, -1]].tolist() == [0.0, 24.0]
    cycle = 3.0 * np.sin(2.0 * np.pi * hours / 24.0 - 1.0)
    np.testing.assert_allclose(curve.mean - curve.mean.mean(), cycle - cycle.mean(), atol=0.5)
    section = effects_section(hourly, inputs, variance_shares(hourly, inputs))
    drawn = "".join(section.small_figures)
    assert "06:00" in drawn and "18:00" in drawn and "(sin)" not in drawn


@pytest.mark.parametrize(
    ("part", "date", "told"),
    [
        ("hour of day", "2021-05-04 18:00", "18:00"),
        ("day of week", "2021-05-04 12:00", "Tue"),
        ("day of week", "2021-05-09 23:00", "Sun"),
        ("day of year", "1970-07-02 12:00", "2 Jul"),
    ],
)
def test_a_phase_is_told_as_the_date_has_it(part, date, told):
    clock = CLOCKS[part]
    days = np.datetime64(date.replace(" ", "T"), "m").astype(float) / 1440.0
    phases = np.linspace(0.0, 1.0, 24 * 365, endpoint=False)
    angle = 2.0 * np.pi * days / {"hour of day": 1.0, "day of week": 7.0}.get(part, 365.2425)
    apart = np.abs(clock.values(phases) - [np.sin(angle), np.cos(angle)]).sum(axis=1)
    assert clock.label(phases[np.argmin(apart)]) == told
