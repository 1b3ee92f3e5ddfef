"""Where a fit with neighbours applies."""

from dataclasses import dataclass

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours.local_fit import start_with_neighbours
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import FITC
from sparsegp.tables.memory import Memory
from sparsegp.tables.rows import Rows

START = Parameters(RBF(1.0), 0.1)


@dataclass
class BlockedRows:
    """Rows that are read in blocks."""

    rows: Rows
    n_columns: int = 2
    n_outputs: int = 1
    is_out_of_core: bool = True
    on_host: bool = True
    on_workers: bool = False

    def __len__(self):
        return len(self.rows)

    def load(self):
        return self.rows

    def take(self, positions):
        return self.rows.take(positions)


def start(rows, **options):
    settings = Settings(FITC, "random", **{"max_basis": 20, "optimise": False, **options})
    context = FitContext(np.random.default_rng(0))
    found = start_with_neighbours(rows, START, settings, context, warm_start=None, template=None)
    return found, context


@pytest.fixture
def rows():
    X = np.random.default_rng(0).uniform(size=(3_000, 2))
    return Rows(X, np.sin(20.0 * X[:, :1]))


def test_rows_in_blocks_are_loaded_if_they_fit_into_memory(rows):
    found, _ = start(BlockedRows(rows), n_neighbors=9)
    assert (found.chosen.k, found.rows, found.parameters) == (9, rows, START)


def test_rows_that_do_not_fit_are_not_loaded(rows):
    small = {"memory": Memory(10_000)}
    with pytest.raises(MemoryError, match=r"n_neighbors=9 keeps rows.*2,001"):
        start(BlockedRows(rows), n_neighbors=9, **small)
    found, context = start(BlockedRows(rows), n_neighbors=None, **small)
    assert found is None
    assert context.history.entries[-1]["chosen"] == 0


def test_neighbours_are_left_out_where_the_basis_has_every_row(rows):
    assert start(rows, n_neighbors=9, max_basis=3_000)[0] is None


def test_hyperparameters_that_are_not_learned_stay(rows):
    found, context = start(rows, n_neighbors=None)
    assert found is None or found.parameters is START
    assert [entry["phase"] for entry in context.history.entries] == ["number of neighbours"]
