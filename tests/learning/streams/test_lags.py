"""Features of time against loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.learning.streams.lags import History, Lags
from tests.property_settings import cases

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((30, 3)), RNG.standard_normal((30, 2))
LAGS = Lags(2, ((1, 3),), last_mean=True)


def by_loops(i):
    """Return inputs and target of row i by the definition."""
    past = [max(i - back, 0) for back in (1, 2, 3)]
    features = [*X[i], *Y[past[0]], *Y[past[1]], *(X[j, 1] for j in past)]
    return np.array(features), Y[i] - Y[past[0]]


@cases(20)
@given(st.lists(st.integers(1, 9), max_size=6))
def test_rows_in_calls_of_any_size(sizes):
    history, inputs, targets = History.empty(LAGS, 3, 2), [], []
    for rows in np.split(np.arange(30), np.minimum(np.cumsum(sizes), 30)):
        if len(rows):
            both = history.for_learning(X[rows], Y[rows])
            inputs.append(both[0])
            targets.append(both[1])
            history = history.after(X[rows], Y[rows])
    expected = [by_loops(i) for i in range(30)]
    np.testing.assert_array_equal(np.concatenate(inputs), [e[0] for e in expected])
    np.testing.assert_array_equal(np.concatenate(targets), [e[1] for e in expected])
    assert (len(history.X), len(history.Y)) == (3, 2)  # no more than is needed


def test_a_row_that_is_predicted_is_the_next_one_wherever_it_stands():
    history = History.empty(LAGS, 3, 2).after(X[:20], Y[:20])
    found = history.for_prediction(X[20:23])
    np.testing.assert_array_equal(found[0], by_loops(20)[0])
    np.testing.assert_array_equal(found[1:, 3:], found[[0, 0], 3:])
    np.testing.assert_array_equal(history.last, Y[19])


def test_without_lags_nothing_is_kept():
    history = History.empty(Lags(), 3, 2)
    assert history.after(X, Y) is history
    assert history.for_learning(X, Y)[0] is X and history.for_prediction(X) is X


def test_names():
    names = LAGS.names(2, ["a", "b", "c"])
    assert names[:2] == ["target 0, 1 before", "target 1, 1 before"]
    assert names[-1] == "b, 3 before" and len(names) == LAGS.n_features(2)
