"""What cells mean."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.cell_parsing import (
    category_name,
    encode_categories,
    infer_kind,
    parse_dates,
    parse_numbers,
)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "number"),
        (["1", "2e3", None], "number"),
        ([Decimal("1.5"), Decimal(2)], "number"),
        (["1", "x"], "category"),
        ([True, False], "category"),
        ([True, None], "category"),
        (["2024-01-01", "2024-02-29 12:00"], "date"),
        (["2024-01-01", "2024-02-31"], "category"),
        ([datetime.date(2024, 1, 1), None], "date"),
        ([[1], [2]], "nested"),
    ],
)
def test_kinds(values, kind):
    assert infer_kind(pd.Series(values)) == kind


def test_a_category_of_numbers_is_a_category():
    assert infer_kind(pd.Series([1, 2, 1], dtype="category")) == "category"


def test_numbers_that_are_not_finite_are_missing():
    assert np.isnan(parse_numbers(pd.Series(["1", "inf", None, "nan"]), "x")).tolist() == [
        False,
        True,
        True,
        True,
    ]


def test_a_text_among_numbers_is_named():
    with pytest.raises(BadInputError, match="column 'x' contains 'abc', which is not a number"):
        parse_numbers(pd.Series(["1", "abc"]), "x")


def test_days_of_texts_dates_and_zones_agree():
    texts = pd.Series(["1970-01-02", "1970-01-02T12:00:00", None])
    assert parse_dates(texts, "d")[:2].tolist() == [1.0, 1.5]
    assert np.isnan(parse_dates(texts, "d")[2])
    stamps = pd.Series(pd.to_datetime(["1970-01-02T00:00", "1970-01-02T12:00"]))
    assert parse_dates(stamps, "d").tolist() == [1.0, 1.5]
    assert parse_dates(stamps.dt.tz_localize("UTC"), "d").tolist() == [1.0, 1.5]


def test_codes_do_not_depend_on_the_kind_of_file():
    levels = {"1": 1, "True": 2}
    for one in ("1", " 1", 1, 1.0):
        assert encode_categories(pd.Series([one, None]), levels).tolist() == [1.0, 0.0]
    for true in ("true", "True", True):
        assert encode_categories(pd.Series([true, "x"]), levels).tolist() == [2.0, -1.0]
    assert category_name(2.5) == "2.5"
