"""The closed form of the information gain."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.selection.information import information_gain
from tests.oracles import selection as oracle


@given(
    y=st.floats(-3, 3),
    mu=st.floats(-3, 3),
    eta=st.floats(0.01, 0.95),
    l_square=st.floats(0.01, 2.0),
    noise=st.floats(0.01, 2.0),
)
def test_gain_is_the_divergence_of_two_dimensions(
    y: float, mu: float, eta: float, l_square: float, noise: float
) -> None:
    mine = information_gain(
        np.array([noise]), np.array([eta]), np.array([l_square]), np.array([[y - mu]])
    )
    expected = oracle.information_gain(y, mu, noise * eta, l_square, noise)
    np.testing.assert_allclose(mine[0], expected, rtol=1e-8, atol=1e-8)
    assert mine[0] > -1e-12
