import pytest

from sparsegp.tables.memory import Memory, ModelMemory, available_bytes, parse_bytes
from sparsegp.tables.policy import BLOCK_BYTES, ROWS_OF_BLOCK


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("100", 100), ("1kB", 1000), ("1 KiB", 1024), (".5gb", 500_000_000), ("2TiB", 2**41)],
)
def test_bytes_in_words(text, wanted):
    assert parse_bytes(text) == wanted


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1 potato", "1e9x", "1.2.3"])
def test_no_bytes(text):
    assert parse_bytes(text) is None


def test_some_memory_is_free():
    assert 2**20 < Memory.free().limit < available_bytes() * 2


def test_blocks_shrink_with_the_limit_until_there_is_no_room():
    model = ModelMemory.of_phases({"lower max_basis": 10**6}, n_rows=10**6, threads=1)
    rows = [Memory(model.bytes + room).rows_of_block(8, model) for room in (10**9, 10**6)]
    assert rows == [ROWS_OF_BLOCK, 10**6 // (8 * 4 * 8)]
    with pytest.raises(
        MemoryError, match=r"memory_limit allows .* raise memory_limit, or lower max"
    ):
        Memory(model.bytes + 10**3).rows_of_block(8, model)


def test_a_model_needs_its_largest_phase_beside_blocks_and_row_numbers():
    phases = {"lower max_basis": 100, "lower cache_size": 300}
    model = ModelMemory.of_phases(phases, n_rows=1000, threads=2, throughout=7)
    assert model.bytes == 4 * 2 * BLOCK_BYTES + 16 * 1000 + 7 + 300
    assert model.remedy == "lower cache_size"


def test_only_a_given_limit_makes_blocks_of_an_array():
    assert Memory(10).is_given and not Memory.free().is_given
    assert Memory(320).holds_table(5, 2) and not Memory(319).holds_table(5, 2)
