"""How much of a time budget neighbours keep for the calibration after the basis."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours.choose import ChosenNumber
from sparsegp.learning.neighbours.kept_rows import KeptRows
from sparsegp.learning.neighbours.local_fit import LocalStart
from sparsegp.learning.neighbours.policy import ROWS_TO_RESERVE
from sparsegp.tables.rows import Rows

ROWS = Rows(np.zeros((1, 1)), np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("each", "left", "reserved"),
    [(1e-3, 10.0, 1e-3 * ROWS_TO_RESERVE), (1e-2, 1.0, 0.5), (0.0, np.inf, 0.0)],
)
def test_predictions_are_reserved_for_but_the_basis_has_half_of_the_time(each, left, reserved):
    start = LocalStart(Parameters(RBF(), 0.1), ROWS, KeptRows(ROWS), ChosenNumber(30, each))
    assert start.reserve(left) == pytest.approx(reserved)
