import pytest

from sparsegp.tables.memory import ClassSizes, Memory, Sizes, available_bytes, parse_bytes
from sparsegp.tables.sources.table import ROWS_OF_PART


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


def test_parts_shrink_with_the_limit_until_there_is_no_room():
    sizes = Sizes(10**6, n_basis=100, pool=0, exact=0, threads=1)
    rows = [Memory(sizes.bytes + room).rows_of_part(8, sizes) for room in (10**9, 10**6, 10**3)]
    assert rows == [ROWS_OF_PART, 10**6 // (8 * 4 * 8), 0]


def test_what_a_model_needs_counts_its_largest_matrices():
    none = Sizes(1000, n_basis=0, pool=0, exact=0, threads=2).bytes
    assert Sizes(1000, n_basis=10, pool=3000, exact=0, threads=2).bytes - none == 8 * 4 * 3000**2
    assert Sizes(1000, n_basis=10, pool=10, exact=2000, threads=2).bytes - none == 8 * 6 * 2000**2


def test_what_a_classifier_needs_grows_with_rows_and_classes():
    def needed(n=10**6, classes=1, **options):
        rest = {"choosing": 12_000, "polishing": 0, "exact": 0, "threads": 1} | options
        return ClassSizes(n, n_inputs=8, n_basis=50, n_labels=classes, **rest)

    assert needed(2 * 10**6).bytes - needed().bytes == 10**6 * (18 * 16 + 16 + 16)
    assert needed(classes=10).bytes > 8 * needed().bytes > 8 * needed(n=10**4).bytes
    assert "max_basis" in needed(n=12_000).remedy
    assert "optimizer=None" in needed(polishing=10**6).remedy
    assert "fewer rows" in needed().remedy
