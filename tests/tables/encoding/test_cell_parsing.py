"""What cells mean."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sparsegp.tables.encoding.cell_parsing import (
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
        ([True, False], "boolean"),
        ([True, None], "boolean"),
        (["true", "False", None], "boolean"),
        ([True, "x"], "category"),
        (["$1,234.50", "7", None], "number"),
        (["1.234,50 €", "7,5"], "number"),
        (["12 %", "3.5 %"], "number"),
        (["12 kg", "3.5kg", None], "number"),
        (["12 kg", "800 g"], "category"),
        (["€5", "$5"], "category"),
        (["12 %", "0.3"], "category"),
        (["12:30", "13:45"], "category"),
        (["3-4", "5-6"], "category"),
        (["2024-01-01", "2024-02-29 12:00"], "date"),
        (["2024-01-01", "2024-02-31"], "category"),
        ([datetime.date(2024, 1, 1), None], "date"),
        ([[1], [2]], "nested"),
    ],
)
def test_kinds(values, kind):
    assert infer_kind(pd.Series(values)).kind == kind


def test_a_category_of_numbers_is_a_category():
    assert infer_kind(pd.Series([1, 2, 1], dtype="category")).kind == "category"
    ranks = pd.Series(pd.Categorical(["a", "b"], ordered=True))
    assert infer_kind(ranks).kind == "ordered"


@pytest.mark.parametrize(
    ("cells", "number"),
    [
        (["1,234.5", "2"], 1234.5),
        (["1.234,5", "2"], 1234.5),
        (["1,5", "2"], 1.5),
        (["1,234", "5,678"], 1234.0),
        (["1,234", "1,5"], 1.234),
        (["0,123", "0,456"], 0.123),
        (["1'234.50", "2"], 1234.5),
        (["1 234,5", "2"], 1234.5),
        (["-$3", "$4"], -3.0),
        (["12 %", "3 %"], 12.0),
        (["7.5 km/h", "3 km/h"], 7.5),
        (["€ 7", "x"], 0),
    ],
)
def test_numbers_that_are_written_for_people(cells, number):
    column = pd.Series(cells)
    inferred = infer_kind(column)
    if not number:
        assert inferred.kind == "category"
        return
    assert parse_numbers(column, "x", inferred.number_format)[0] == number


def test_new_cells_must_be_written_as_those_of_the_column():
    form = infer_kind(pd.Series(["€1,234.50", "€7"])).number_format
    assert parse_numbers(pd.Series(["1,234.50", "12", 12.5]), "x", form).tolist() == [
        1234.5,
        12.0,
        12.5,
    ]
    for other in ("1,5", "$7", "7 kg"):
        with pytest.raises(ValueError, match="not a number like in the training rows"):
            parse_numbers(pd.Series([other]), "x", form)


def test_one_bad_cell_does_not_make_numbers_categories():
    column = pd.Series([str(i / 7) for i in range(100)] + ["unknown"])
    inferred = infer_kind(column)
    assert (inferred.kind, inferred.missing_marks) == ("number", ("unknown",))
    assert np.isnan(parse_numbers(column, "x", marks=inferred.missing_marks)[-1])


def test_nan_is_missing_and_infinity_is_refused():
    assert np.isnan(parse_numbers(pd.Series(["1", None, "nan"]), "x")).tolist() == [
        False,
        True,
        True,
    ]
    with pytest.raises(ValueError, match=r"inf \(first in row 1, in column 'x'\)"):
        parse_numbers(pd.Series(["1", "inf"]), "x")


def test_a_text_among_numbers_is_named():
    with pytest.raises(ValueError, match="column 'x' contains 'abc', which is not a number"):
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
